"""From photographs and camera frames to tensors: Martlet against Pillow, OpenCV and simplejpeg.

    MARTLET_BENCHMARKS=1 swift build -c release --product Pictures
    python3 Benchmarks/pictures.py --worker .build/release/Pictures [--threads 1 2] [--rounds 15] [--out FILE.json]

Needs numpy, pillow, opencv-python-headless and simplejpeg. Peers take turns, one run each, in every round. The tables show the smallest and the
median time in ms, and Martlet's smallest time as a ratio to each peer's.

JPEG files of 0.24, 2 and 12 megapixels become a normalised tensor [3, 224, 224]: shorter side 256, central square. Pillow reduces with its
triangle filter, as Martlet does, and OpenCV with INTER_AREA. `pillow draft` and `simplejpeg scaled` decode at reduced size; they
are other results. A frame of 1920 x 1080, BGRA or 4:2:0, becomes a tensor [3, 640, 640]; OpenCV reduces with INTER_AREA and, without
antialiasing, INTER_LINEAR.
"""

import argparse
import io
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np
import simplejpeg
from PIL import Image

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)
SIZES = {"0.24 MP": (565, 424), "2 MP": (1632, 1224), "12 MP": (4000, 3000)}


def photographs(folder):
    """Files with the detail of photographs: smooth shapes and fine noise."""
    generator = np.random.default_rng(1)
    coarse = Image.fromarray(generator.integers(0, 256, (30, 40, 3), dtype=np.uint8)).resize((4000, 3000), Image.Resampling.BICUBIC)
    fine = generator.normal(0, 6, (3000, 4000, 1))
    whole = Image.fromarray((np.asarray(coarse) + fine).clip(0, 255).astype(np.uint8))
    files = {}
    for name, size in SIZES.items():
        files[name] = folder / f"{size[0]}.jpg"
        whole.resize(size, Image.Resampling.LANCZOS).save(files[name], quality=90)
    return files


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


def with_opencv(data):
    image = cv2.cvtColor(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    return middle(cv2.resize(image, target(image.shape[1], image.shape[0]), interpolation=cv2.INTER_AREA))


def with_simplejpeg(data, scaled=False):
    least = {"min_height": 256, "min_width": 256} if scaled else {}
    image = simplejpeg.decode_jpeg(data, **least)
    return middle(cv2.resize(image, target(image.shape[1], image.shape[0]), interpolation=cv2.INTER_AREA))


def frame_with_opencv(frame, code, interpolation):
    small = cv2.resize(cv2.cvtColor(frame, code), (640, 640), interpolation=interpolation)
    return np.ascontiguousarray((small.astype(np.float32) * np.float32(1 / 255)).transpose(2, 0, 1))


class Worker:
    """Martlet's process, on as many processors as it may use threads."""

    def __init__(self, path, processors):
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: os.sched_setaffinity(0, processors)
        )

    def run(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def timed(function):
    start = time.perf_counter()
    function()
    return (time.perf_counter() - start) * 1e3


def cases(files, worker):
    generator = np.random.default_rng(2)
    for name, path in files.items():
        data = path.read_bytes()
        yield f"JPEG, {name}", {
            "martlet": lambda path=path: worker.run(f"jpeg {path}"),
            "pillow": lambda data=data: timed(lambda: with_pillow(data)),
            "opencv": lambda data=data: timed(lambda: with_opencv(data)),
            "simplejpeg": lambda data=data: timed(lambda: with_simplejpeg(data)),
            "pillow draft": lambda data=data: timed(lambda: with_pillow(data, True)),
            "simplejpeg scaled": lambda data=data: timed(lambda: with_simplejpeg(data, True)),
        }
    frames = {
        "bgra": (generator.integers(0, 256, (1080, 1920, 4), dtype=np.uint8), cv2.COLOR_BGRA2RGB),
        "420v": (generator.integers(0, 256, (1620, 1920), dtype=np.uint8), cv2.COLOR_YUV2RGB_NV12),
    }
    for name, (frame, code) in frames.items():
        yield f"1080p {name}", {
            "martlet": lambda name=name: worker.run(name),
            "opencv": lambda frame=frame, code=code: timed(lambda: frame_with_opencv(frame, code, cv2.INTER_AREA)),
            "opencv linear": lambda frame=frame, code=code: timed(lambda: frame_with_opencv(frame, code, cv2.INTER_LINEAR)),
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worker", required=True, help="the product Pictures")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    every = sorted(os.sched_getaffinity(0))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = photographs(Path(folder))
        for threads in options.threads:
            processors = set(every[-threads:])
            os.sched_setaffinity(0, processors)
            cv2.setNumThreads(threads)
            worker = Worker(options.worker, processors)
            print(f"\n{threads} thread{'s' if threads > 1 else ''}\n\n| Case | Peer | min ms | median ms | Martlet / peer |\n|---|---|---:|---:|---:|")
            for name, peers in cases(files, worker):
                times = {peer: [] for peer in peers}
                for _ in range(options.rounds + 1):
                    for peer, run in peers.items():
                        times[peer].append(run())
                # The first round warms up.
                kept = {peer: values[1:] for peer, values in times.items()}
                for peer, values in kept.items():
                    ratio = min(kept["martlet"]) / min(values)
                    print(f"| {name} | {peer} | {min(values):.2f} | {statistics.median(values):.2f} | {ratio:.2f} |", flush=True)
                    rows.append({"case": name, "threads": threads, "peer": peer, "min_ms": min(values), "median_ms": statistics.median(values)})
            worker.process.stdin.close()
            os.sched_setaffinity(0, set(every))
    if options.out:
        options.out.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
