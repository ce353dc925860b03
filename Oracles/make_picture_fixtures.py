"""Writes the fixtures of MartletColorTests and CoreGraphicsTests: ICC profiles with colours that Little CMS converts, and pictures that
Pillow scales.

Needs numpy and Pillow (made with Pillow 13.0, Little CMS 2.19). Deterministic: running it again writes the same files.
"""

import base64
import io
import json
import pathlib
import struct

import numpy as np
from PIL import Image, ImageCms

TESTS = pathlib.Path(__file__).resolve().parent.parent / "Tests"
rng = np.random.default_rng(18)

D50 = (0.9642, 1.0, 0.8249)
# Colorants relative to D50: sRGB's and Display P3's as their profiles state them, and ones that are far apart.
SRGB = [(0.43607, 0.22249, 0.01392), (0.38515, 0.71687, 0.09708), (0.14307, 0.06061, 0.71410)]
P3 = [(0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407)]
WIDE = [(0.79767, 0.28804, 0.0), (0.13519, 0.71188, 0.0), (0.03134, 0.00009, 0.82490)]


def fixed(value):
    return struct.pack(">i", round(value * 65536))


def xyz(color):
    return b"XYZ \0\0\0\0" + b"".join(map(fixed, color))


def curv(samples):
    return b"curv\0\0\0\0" + struct.pack(">I", len(samples)) + struct.pack(f">{len(samples)}H", *samples)


def gamma(exponent):
    return curv([round(exponent * 256)])


def para(kind, *values):
    return b"para\0\0\0\0" + struct.pack(">HH", kind, 0) + b"".join(map(fixed, values))


def text(version, value):
    if version == 2:
        return b"desc\0\0\0\0" + struct.pack(">I", len(value) + 1) + value.encode() + b"\0" * 79
    encoded = value.encode("utf-16-be")
    return b"mluc\0\0\0\0" + struct.pack(">II", 1, 12) + b"enUS" + struct.pack(">II", len(encoded), 28) + encoded


def profile(version, kind, space, connection, tags):
    """An ICC profile with the given tags, besides a name and a white point."""
    tags = {"desc": text(version, "Martlet test"), "wtpt": xyz(D50), **tags}
    start = 132 + 12 * len(tags)
    table, content = struct.pack(">I", len(tags)), b""
    for name, value in tags.items():
        table += name.encode() + struct.pack(">II", start + len(content), len(value))
        content += value + b"\0" * (-len(value) % 4)
    header = struct.pack(">I4sBBH4s4s4s", start + len(content), b"\0\0\0\0", version, 0x40 if version == 2 else 0x30, 0, kind, space, connection)
    header += struct.pack(">6H", 2024, 1, 1, 0, 0, 0) + b"acsp" + b"\0" * 28 + b"".join(map(fixed, D50))
    return header.ljust(128, b"\0") + table + content


def matrix(version, colorants, curves):
    names = ["rXYZ", "gXYZ", "bXYZ"]
    tags = {name: xyz(color) for name, color in zip(names, colorants)}
    tags.update({name.replace("XYZ", "TRC"): curve for name, curve in zip(names, curves)})
    return profile(version, b"mntr", b"RGB ", b"XYZ ", tags)


def lut8(inputs, outputs, grid, table):
    """A table of 8 bits with linear curves."""
    header = b"mft1\0\0\0\0" + struct.pack(">BBBB", inputs, outputs, grid, 0)
    header += b"".join(map(fixed, (1, 0, 0, 0, 1, 0, 0, 0, 1)))
    ramp = bytes(range(256))
    return header + ramp * inputs + bytes(table) + ramp * outputs


def lab_bytes(red, green, blue):
    """Lab of 8 bits, as tables of version 2 encode it, of linear amounts of sRGB's primaries."""
    color = np.array(SRGB).T @ np.array([red, green, blue]) / np.array(D50)
    f = np.where(color > 216 / 24389, np.cbrt(color), (24389 / 27 * color + 16) / 116)
    lab = (116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2]))
    return [round(lab[0] * 255 / 100), round(lab[1] + 128), round(lab[2] + 128)]


def cmyk():
    """Inks with two and back with four positions for each component."""
    forward = []
    for c in (0, 1):
        for m in (0, 1):
            for y in (0, 1):
                for k in (0, 1):
                    forward += lab_bytes(*(0.02 + 0.93 * (1 - ink) * (1 - 0.9 * k) for ink in (c, m, y)))
    back = rng.integers(0, 256, 4**3 * 4).tolist()
    tags = {"A2B0": lut8(4, 3, 2, forward), "B2A0": lut8(3, 4, 4, back)}
    return profile(2, b"prtr", b"CMYK", b"Lab ", tags)


SRGB_CURVE = para(3, 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
SAMPLED = curv([round(65535 * (i / 63) ** 1.9) for i in range(64)])
PROFILES = {
    "srgb-v4": matrix(4, SRGB, [SRGB_CURVE] * 3),
    "srgb-lcms": ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes(),
    "p3-v4": matrix(4, P3, [SRGB_CURVE] * 3),
    "p3-gamma-v2": matrix(2, P3, [gamma(2.2)] * 3),
    "wide-sampled-v2": matrix(2, WIDE, [SAMPLED, gamma(1.8), curv([])]),
    "kinds-v4": matrix(
        4, SRGB, [para(0, 2.0), para(1, 2.2, 1.1, -0.1), para(4, 2.4, 0.9, 0.08, 0.1, 0.05, 0.01, 0.002)]),
    "gray-gamma-v2": profile(2, b"mntr", b"GRAY", b"XYZ ", {"kTRC": gamma(2.2)}),
    "cmyk-v2": cmyk(),
}
MODES = {b"RGB ": ("RGB", 3), b"GRAY": ("L", 1), b"CMYK": ("CMYK", 4)}
PAIRS = [
    ("p3-v4", "srgb-v4"), ("srgb-v4", "p3-v4"), ("p3-gamma-v2", "srgb-v4"), ("srgb-v4", "p3-gamma-v2"), ("wide-sampled-v2", "srgb-v4"),
    ("srgb-v4", "wide-sampled-v2"), ("kinds-v4", "srgb-v4"), ("srgb-lcms", "p3-v4"), ("gray-gamma-v2", "srgb-v4"),
    ("srgb-v4", "gray-gamma-v2"), ("cmyk-v2", "srgb-v4"), ("srgb-v4", "cmyk-v2"),
]


def color_cases():
    cases = []
    for source, target in PAIRS:
        (mode, count), (out_mode, out_count) = MODES[PROFILES[source][16:20]], MODES[PROFILES[target][16:20]]
        colors = rng.integers(0, 256, (48, count), dtype=np.uint8)
        colors[:4] = [[0] * count, [255] * count, [128] * count, ([255, 0, 0, 0])[:count]]
        # RELATIVE_COLORIMETRIC, and NOOPTIMIZE: tables in between would cost accuracy.
        transform = ImageCms.buildTransform(
            io.BytesIO(PROFILES[source]), io.BytesIO(PROFILES[target]), mode, out_mode, ImageCms.Intent.RELATIVE_COLORIMETRIC,
            ImageCms.Flags.NOOPTIMIZE)
        picture = Image.frombytes(mode, (48, 1), colors.tobytes())
        result = np.frombuffer(ImageCms.applyTransform(picture, transform).tobytes(), np.uint8).reshape(48, out_count)
        cases.append({"from": source, "to": target, "colors": colors.ravel().tolist(), "results": result.ravel().tolist()})
    return {"profiles": {name: base64.b64encode(data).decode() for name, data in PROFILES.items()}, "cases": cases}


def scaling_cases():
    """Premultiplied pictures, columns scaled first."""
    width, height = 23, 17
    y, x = np.mgrid[0:height, 0:width]
    alpha = np.clip(40 + 12 * x + 3 * y, 0, 255)
    color = np.stack([x * 11 % 256, 255 * (y > 8) + 0 * x, (x * y * 7) % 256], -1)
    rgba = np.concatenate([color * alpha[..., None] // 255, alpha[..., None]], -1).astype(np.uint8)
    picture = Image.frombytes("RGBa", (width, height), rgba.tobytes())
    filters = {"low": Image.Resampling.BILINEAR, "medium": Image.Resampling.BICUBIC, "high": Image.Resampling.LANCZOS}
    cases = []
    for name, method in filters.items():
        for size in [(9, 7), (40, 31), (23, 5), (7, 17), (1, 1), (64, 3)]:
            result = picture.resize((size[0], height), method).resize(size, method)
            cases.append({"quality": name, "width": size[0], "height": size[1], "pixels": base64.b64encode(result.tobytes()).decode()})
    return {"width": width, "height": height, "pixels": base64.b64encode(rgba.tobytes()).decode(), "cases": cases}


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, separators=(",", ":")) + "\n")
    print(path, path.stat().st_size)


if __name__ == "__main__":
    write(TESTS / "MartletColorTests" / "Fixtures" / "colors.json", color_cases())
    write(TESTS / "CoreGraphicsTests" / "Fixtures" / "scaling.json", scaling_cases())
