"""What Benchmarks/pictures.py does with Pillow, also in a process of its own: an interpreter that has pillow-simd has no Pillow.

A line on standard input, `jpeg FILE` or `thumbnail FILE`, is one run. The answer is its time in ms and -1, for allocations that nobody counts.
Needs numpy, and pillow or pillow-simd.
"""

import io
import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


def timed(function):
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1e3


def target(width, height):
    shorter = min(width, height)
    return width * 256 // shorter, height * 256 // shorter


def normalised(square):
    return np.ascontiguousarray(((square.astype(np.float32) * np.float32(1 / 255) - MEAN) / DEVIATION).transpose(2, 0, 1))


def middle(pixels):
    y, x = (pixels.shape[0] - 224) // 2, (pixels.shape[1] - 224) // 2
    return normalised(pixels[y : y + 224, x : x + 224])


def with_pillow(data, draft=False):
    image = Image.open(io.BytesIO(data))
    size = target(*image.size)
    if draft:
        image.draft("RGB", size)
    return middle(np.asarray(image.convert("RGB").resize(size, Image.Resampling.BILINEAR)))


def thumbnail_with_pillow(data):
    image = Image.open(io.BytesIO(data))
    image.draft("RGB", (256, 256))
    image.thumbnail((256, 256), Image.Resampling.BILINEAR)
    image.load()


def main():
    files = {}
    runs = {"jpeg": with_pillow, "thumbnail": thumbnail_with_pillow}
    for line in sys.stdin:
        command, path = line.strip().split(" ", 1)
        data = files.setdefault(path, Path(path).read_bytes())
        print(timed(lambda: runs[command](data)), -1, flush=True)


if __name__ == "__main__":
    main()
