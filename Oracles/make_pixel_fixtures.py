"""Writes Tests/MartletPixelsTests/Fixtures: pictures that Pillow and OpenCV resampled, reduced and converted.

    python3 Oracles/make_pixel_fixtures.py

Needs numpy, pillow and opencv-python-headless. Names of arrays state what was done: `MODE.FILTER.WIDTHxHEIGHT` with `.box` for a part with
edges within pixels, `MODE.reduce.XxY`, `area.MODE.WIDTHxHEIGHT`.
"""

from pathlib import Path

import cv2
import numpy as np
from PIL import Image

FOLDER = Path(__file__).resolve().parent.parent / "Tests/MartletPixelsTests/Fixtures"
FILTERS = {
    "nearest": Image.Resampling.NEAREST,
    "box": Image.Resampling.BOX,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
}
CHANNELS = {"L": 1, "RGB": 3, "RGBA": 4}
BOX = (2.25, 1.5, 31.5, 21.0)


def picture(mode: str, generator: np.random.Generator) -> np.ndarray:
    """Noise with flat parts and sharp edges, 33 x 22."""
    samples = generator.integers(0, 256, (22, 33, CHANNELS[mode]), dtype=np.uint8)
    samples[3:14, 7:20] = 255
    samples[8:11, 15:30] = 0
    return samples[..., 0] if mode == "L" else samples


def main() -> None:
    generator = np.random.default_rng(18)
    FOLDER.mkdir(parents=True, exist_ok=True)
    arrays = {}
    for mode in CHANNELS:
        source = picture(mode, generator)
        arrays[mode] = source
        image = Image.fromarray(source)
        # The aspect ratio is kept, or the height is the larger change: Pillow then resamples columns first.
        for width, height in [(33, 22), (18, 12), (6, 4), (48, 32), (1, 1), (33, 5)]:
            for name, filter in FILTERS.items():
                arrays[f"{mode}.{name}.{width}x{height}"] = np.asarray(image.resize((width, height), filter))
        for name, filter in FILTERS.items():
            arrays[f"{mode}.{name}.18x12.box"] = np.asarray(image.resize((18, 12), filter, box=BOX))
        # Alpha is not premultiplied by `reduce` of the other modes; RGBA is left out.
        if mode != "RGBA":
            for x, y in [(1, 2), (2, 2), (3, 3), (4, 1), (5, 7), (16, 8)]:
                arrays[f"{mode}.reduce.{x}x{y}"] = np.asarray(image.reduce((x, y)))
            for width, height in [(18, 12), (11, 11), (5, 3), (30, 20)]:
                arrays[f"area.{mode}.{width}x{height}"] = cv2.resize(source, (width, height), interpolation=cv2.INTER_AREA)
    np.savez_compressed(FOLDER / "resampled.npz", **arrays)


if __name__ == "__main__":
    main()
