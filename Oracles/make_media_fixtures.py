"""Writes Tests/MartletMediaTests/Fixtures: image and NumPy files made with Pillow, NumPy and zlib, and their contents.

Needs numpy and Pillow (made with NumPy 2.4 and Pillow 13.0). Deterministic: running it again writes the same files.
"""

import io
import pathlib
import struct
import zlib

import numpy as np
from PIL import Image, ImageOps

OUT = pathlib.Path(__file__).resolve().parent.parent / "Tests" / "MartletMediaTests" / "Fixtures"
WIDTH, HEIGHT = 43, 33
rng = np.random.default_rng(20)


def picture(width=WIDTH, height=HEIGHT):
    """Smooth gradients with a few hard edges, uint8 [height, width, 3]."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    red = 255 * x / (width - 1)
    green = 127.5 + 127.5 * np.sin(x / 5 + y / 7)
    blue = 255 * y / (height - 1)
    rgb = np.stack([red, green, blue], -1)
    rgb[10:20, 10:25] = [250, 20, 30]
    rgb[30:33, :] = [0, 0, 0]
    return rgb.round().clip(0, 255).astype(np.uint8)


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png16(samples):
    """A 16-bit PNG of uint16 [height, width] or [height, width, 3]; Pillow cannot write 16-bit colour."""
    height, width = samples.shape[:2]
    colour_type = 2 if samples.ndim == 3 else 0
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in samples)
    header = struct.pack(">IIBBBBB", width, height, 16, colour_type, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", zlib.compress(rows)) + png_chunk(b"IEND", b"")
    )


def zip_file(entries, zip64=False):
    """A ZIP file of (name, content, strategy, level); level None = stored."""
    body, directory = b"", b""
    for name, content, strategy, level in entries:
        if level is None:
            method, packed = 0, content
        else:
            packer = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
            method, packed = 8, packer.compress(content) + packer.flush()
        crc, encoded = zlib.crc32(content), name.encode()
        offset = len(body)
        body += struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, method, 0, 33, crc, len(packed), len(content), len(encoded), 0)
        body += encoded + packed
        full = 0xFFFFFFFF
        extra = struct.pack("<HHQQQ", 1, 24, len(content), len(packed), offset) if zip64 else b""
        sizes = (full, full) if zip64 else (len(packed), len(content))
        directory += struct.pack(
            "<IHHHHHHIIIHHHHHII", 0x02014B50, 45, 20, 0, method, 0, 33, crc, *sizes, len(encoded), len(extra), 0, 0, 0, 0,
            full if zip64 else offset)
        directory += encoded + extra
    start, count = len(body), len(entries)
    body += directory
    if zip64:
        end = len(body)
        body += struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, len(directory), start)
        body += struct.pack("<IIQI", 0x07064B50, 0, end, 1)
        count, start = 0xFFFF, 0xFFFFFFFF
    comment = b"a comment"
    body += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, len(directory), start, len(comment)) + comment
    return body


def npy(array, version=(1, 0)):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def numpy_files():
    values = {
        "bool": np.array([[True, False, True], [False, False, True]]),
        "i1": np.array([[-128, -1, 0], [1, 2, 127]], np.int8),
        "u1": np.array([[0, 1, 2], [3, 254, 255]], np.uint8),
        "f2": np.array([[0, -0.0, np.inf], [np.nan, 65504, 6e-8]], np.float16),
        "c8": np.array([[1 + 2j, -3.5j, 0], [np.inf, 4, 5]], np.complex64),
        "c16": np.array([[1 + 2j, -3.5j, 0], [1e300, 4, 5]], np.complex128),
        "f4": rng.standard_normal((2, 3, 2, 2)).astype(np.float32),
        "f8": rng.standard_normal((3, 5)),
    }
    for kind in ("i2", "i4", "i8", "u2", "u4", "u8"):
        limits = np.iinfo(kind)
        values[kind] = np.array([[limits.min, 0, 1], [2, 3, limits.max]], kind)
    shapes = {
        "zero_rank": np.array(2.5, np.float32),
        "one": np.arange(7, dtype=np.int32),
        "empty": np.zeros((0, 3), np.float32),
        "empty_inside": np.zeros((2, 0, 3), np.int64),
        "extents_of_one": np.arange(6, dtype=np.int16).reshape(1, 6, 1, 1),
    }
    expected = {**values, **shapes}
    variants = []
    for name, array in expected.items():
        for version in ((2, 0), (3, 0)):
            variants.append((f"{name}.v{version[0]}.npy", npy(array, version), 0, 9))
        variants.append((f"{name}.fortran.npy", npy(np.asfortranarray(array) if array.ndim else array), 0, 9))
        swapped = array.astype(array.dtype.newbyteorder(">"))
        variants.append((f"{name}.big.npy", npy(swapped), 0, 9))
        variants.append((f"{name}.bigfortran.npy", npy(np.asfortranarray(swapped) if array.ndim else swapped), 0, 9))
    (OUT / "numpy_variants.npz").write_bytes(zip_file(variants))
    # The same arrays in plain form, stored: the expected bytes.
    plain = [(f"{name}.npy", npy(np.ascontiguousarray(array) if array.ndim else array), 0, None) for name, array in expected.items()]
    (OUT / "numpy_plain.npz").write_bytes(zip_file(plain))
    (OUT / "numpy_zip64.npz").write_bytes(zip_file(plain[:3], zip64=True))
    np.savez_compressed(OUT / "numpy_savez.npz", f4=values["f4"], i8=values["i8"])


def deflate_files():
    text = np.frombuffer((b"the quick brown fox jumps over the lazy dog; " * 60)[:2500], np.uint8)
    arrays = {
        "text": text,
        "noise": rng.integers(0, 256, 1500, dtype=np.uint8),
        "run": np.full(40000, 7, np.uint8),
        "skewed": np.minimum(rng.geometric(0.3, 3000), 255).astype(np.uint8),
        "far": np.concatenate([text[:400], rng.integers(0, 2, 31000, dtype=np.uint8), text[:400]]),
        "nothing": np.zeros(0, np.uint8),
    }
    kinds = {
        "dynamic": (zlib.Z_DEFAULT_STRATEGY, 9),
        "fast": (zlib.Z_DEFAULT_STRATEGY, 1),
        "fixed": (zlib.Z_FIXED, 9),
        "huffman": (zlib.Z_HUFFMAN_ONLY, 9),
        "rle": (zlib.Z_RLE, 9),
        "storedblocks": (zlib.Z_DEFAULT_STRATEGY, 0),
    }
    for name, array in arrays.items():
        # Long arrays would be large in stored blocks.
        chosen = {k: v for k, v in kinds.items() if len(array) < 10000 or k in ("dynamic", "fast", "rle")}
        if name == "far":
            chosen = {"dynamic": kinds["dynamic"]}
        entries = [(f"{name}.{kind}.npy", npy(array), *how) for kind, how in chosen.items()]
        (OUT / f"deflate_{name}.npz").write_bytes(zip_file([(f"{name}.stored.npy", npy(array), 0, 9)] + entries))
    checks = {name: np.array([zlib.crc32(a.tobytes()), len(a)], np.int64) for name, a in arrays.items()}
    (OUT / "deflate_checks.npz").write_bytes(zip_file([(f"{k}.npy", npy(v), 0, None) for k, v in checks.items()]))


def image_files():
    expected = {}

    def save(name, image, pixels=None, **options):
        image.save(OUT / name, **options)
        expected[name] = np.asarray(image if pixels is None else pixels)

    rgb = picture()
    image = Image.fromarray(rgb)
    alpha = ((np.mgrid[0:HEIGHT, 0:WIDTH][1] * 4) % 256).astype(np.uint8)
    rgba = Image.fromarray(np.dstack([rgb, alpha]))
    gray = image.convert("L")
    save("rgb.png", image)
    save("rgba.png", rgba)
    save("gray.png", gray)
    save("gray_alpha.png", Image.merge("LA", [gray, Image.fromarray(alpha)]),
         pixels=np.dstack([np.asarray(gray)] * 3 + [alpha]))
    bilevel = gray.point(lambda v: 255 if v > 127 else 0).convert("1")
    save("bilevel.png", bilevel, pixels=bilevel.convert("L"))
    palette = image.quantize(24)
    save("palette.png", palette, pixels=palette.convert("RGB"))
    palette.info["transparency"] = 3
    save("palette_transparent.png", palette, pixels=palette.convert("RGBA"), transparency=3)
    wide = rgb.astype(np.uint16) * 257 + rng.integers(-100, 100, rgb.shape)
    wide = wide.clip(0, 65535).astype(np.uint16)[:16, :20]
    (OUT / "rgb16.png").write_bytes(png16(wide))
    expected["rgb16.png"] = np.round(wide / 257).astype(np.uint8)
    (OUT / "gray16.png").write_bytes(png16(wide[..., 0]))
    expected["gray16.png"] = np.round(wide[..., 0] / 257).astype(np.uint8)

    def save_jpeg(name, source, upright=lambda i: i, **options):
        source.save(OUT / name, quality=92, **options)
        with Image.open(OUT / name) as opened:
            decoded = upright(opened)
            expected[name] = np.asarray(decoded if decoded.mode == "L" else decoded.convert("RGB"))

    save_jpeg("baseline.jpg", image)
    save_jpeg("full_chroma.jpg", image, subsampling=0)
    save_jpeg("progressive.jpg", image, progressive=True)
    save_jpeg("gray.jpg", gray)
    save_jpeg("cmyk.jpg", image.convert("CMYK"))
    small = image.resize((24, 16))
    for orientation in range(1, 9):
        # Both byte orders of the TIFF block occur.
        order, endian = ("<", b"II") if orientation % 2 else (">", b"MM")
        block = endian + struct.pack(f"{order}HIHHHIHHI", 42, 8, 1, 0x0112, 3, 1, orientation, 0, 0)
        save_jpeg(f"orientation_{orientation}.jpg", small, ImageOps.exif_transpose, exif=b"Exif\0\0" + block)
        with io.BytesIO() as file:
            small.save(file, "PNG")
            stored = file.getvalue()
        # Before the image data or after it; the format allows both.
        at = stored.index(b"IDAT" if orientation <= 4 else b"IEND") - 4
        content = b"eXIf" + block
        chunk = struct.pack(">I", len(block)) + content + struct.pack(">I", zlib.crc32(content))
        (OUT / f"orientation_{orientation}.png").write_bytes(stored[:at] + chunk + stored[at:])
        with Image.open(OUT / f"orientation_{orientation}.png") as opened:
            opened.load()
            assert opened.getexif()[0x0112] == orientation
            expected[f"orientation_{orientation}.png"] = np.asarray(ImageOps.exif_transpose(opened))

    for name, source in (("rgb", image), ("rgba", rgba), ("gray", gray)):
        for width, height in ((20, 17), (32, 33), (43, 9), (57, 44), (1, 1), (90, 5)):
            for filter_name in ("bilinear", "bicubic"):
                if name != "rgb" and (width, height) not in ((20, 17), (57, 44)):
                    continue
                # Pillow chooses the order of the axes by cost; two calls fix it.
                resample = Image.Resampling[filter_name.upper()]
                resized = source.convert("RGBa") if name == "rgba" else source
                resized = resized.resize((width, source.height), resample).resize((width, height), resample)
                resized = resized.convert(source.mode)
                expected[f"{name}.{filter_name}.{width}x{height}"] = np.asarray(resized)
    expected["luma"] = np.asarray(gray)

    # torchvision's Resize(32), CenterCrop(24), ToTensor, Normalize in numpy.
    scaled = image.resize((32 * WIDTH // HEIGHT, 32), Image.Resampling.BILINEAR)
    top, left = round((scaled.height - 24) / 2), round((scaled.width - 24) / 2)
    crop = np.asarray(scaled)[top:top + 24, left:left + 24].astype(np.float32) / np.float32(255)
    mean = np.array([0.485, 0.456, 0.406], np.float32)
    deviation = np.array([0.229, 0.224, 0.225], np.float32)
    expected["normalised"] = np.ascontiguousarray(((crop - mean) / deviation).transpose(2, 0, 1)[None])
    groups = {"png": {}, "jpeg": {}, "orientation": {}, "resized": {}}
    for name, array in expected.items():
        group = "png" if name.endswith(".png") else "jpeg" if name.endswith(".jpg") else "resized"
        groups["orientation" if name.startswith("orientation") else group][name] = array
    for group, arrays in groups.items():
        entries = [(f"{name}.npy", npy(np.ascontiguousarray(array)), 0, 9) for name, array in arrays.items()]
        (OUT / f"expected_{group}.npz").write_bytes(zip_file(entries))


OUT.mkdir(parents=True, exist_ok=True)
numpy_files()
deflate_files()
image_files()
for path in sorted(OUT.iterdir()):
    print(f"{path.stat().st_size:8d} {path.name}")
