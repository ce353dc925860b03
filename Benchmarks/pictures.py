"""From photographs and camera frames to tensors: Martlet against Pillow, OpenCV and simplejpeg.

    MARTLET_BENCHMARKS=1 swift build -c release --product Pictures
    python3 Benchmarks/pictures.py --worker .build/release/Pictures [--model CLASSIFIER.mlpackage] [--threads 1 2] [--rounds 15]
      [--out FILE.json] [--chart FILE.svg] [--before OTHER_WORKER] [--pillow-simd PYTHON]

Needs numpy, pillow, opencv-python-headless, simplejpeg and torch. Peers take turns, one run each, in every round. The tables show the smallest
and the median time in ms, Martlet's smallest time as a ratio to each peer's, and the fewest allocations of a run of Martlet's.

JPEG files of 0.24, 2 and 12 megapixels become a normalised tensor [3, 224, 224]: shorter side 256, central square. Pillow reduces with its
triangle filter, as Martlet does, and OpenCV with INTER_AREA. `pillow draft` and `simplejpeg scaled` decode at reduced size; they
are other results. `torch` makes the steps of torchvision's transforms on a picture that Pillow decodes. A frame of 1920 x 1080, BGRA or 4:2:0,
becomes a tensor [3, 640, 640]; OpenCV reduces with INTER_AREA and, without antialiasing, INTER_LINEAR. A thumbnail has at most 256 pixels a side; Pillow's is `Image.thumbnail` after a reduced decode. A decoded image of
12 megapixels is drawn into a bitmap of 640 x 640 (Core Graphics, against Pillow's and OpenCV's `resize`), and scaled and multiplied by a colour
matrix (Core Image). With a model, requests of Vision on a pixel buffer of the model's size alternate with predictions on the same buffer, and with
requests on a frame of 1920 x 1080. With another worker, of another revision, its runs take part as the peer `before`.
"""

import argparse
import io
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import cv2
import numpy as np
import simplejpeg
import torch
from PIL import Image

from chart import COLORS, LEFT, LIMIT, WIDTH, text
from pillow_worker import DEVIATION, MEAN, middle, target, thumbnail_with_pillow, timed, with_pillow

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


def with_torch(data):
    """The steps of torchvision's transforms on tensors: its own module only loads beside builds of torch for CUDA."""
    pixels = torch.from_numpy(np.array(Image.open(io.BytesIO(data)).convert("RGB"))).permute(2, 0, 1)[None]
    width, height = target(pixels.shape[3], pixels.shape[2])
    pixels = torch.nn.functional.interpolate(pixels, (height, width), mode="bilinear", antialias=True, align_corners=False)[0]
    y, x = (height - 224) // 2, (width - 224) // 2
    square = pixels[:, y : y + 224, x : x + 224].float().div_(255)
    return square.sub_(torch.from_numpy(MEAN)[:, None, None]).div_(torch.from_numpy(DEVIATION)[:, None, None])


class Worker:
    """A process that answers each command with the time and the number of allocations, on as many processors as it may use threads."""

    def __init__(self, command, processors):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=lambda: os.sched_setaffinity(0, processors)
        )

        self.allocations = {}

    def run(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        time, allocations = self.process.stdout.readline().split()
        self.allocations[command] = min(int(allocations), self.allocations.get(command, int(allocations)))
        return float(time)


def cases(files, worker, before, simd, model):
    """(name, command, peers): what each peer runs."""
    def ours(command):
        peers = {"martlet": lambda: worker.run(command)}
        if before:
            peers["before"] = lambda: before.run(command)
        return peers

    def pillow_simd(command):
        return {"pillow-simd": lambda: simd.run(command)} if simd else {}

    generator = np.random.default_rng(2)
    for name, path in files.items():
        data = path.read_bytes()
        yield f"JPEG, {name}", f"jpeg {path}", ours(f"jpeg {path}") | pillow_simd(f"jpeg {path}") | {
            "pillow": lambda data=data: timed(lambda: with_pillow(data)),
            "opencv": lambda data=data: timed(lambda: with_opencv(data)),
            "torch": lambda data=data: timed(lambda: with_torch(data)),
            "simplejpeg": lambda data=data: timed(lambda: with_simplejpeg(data)),
            "pillow draft": lambda data=data: timed(lambda: with_pillow(data, True)),
            "simplejpeg scaled": lambda data=data: timed(lambda: with_simplejpeg(data, True)),
        }
    for name, path in files.items():
        data = path.read_bytes()
        yield f"Thumbnail, {name}", f"thumbnail {path}", ours(f"thumbnail {path}") | pillow_simd(f"thumbnail {path}") | {
            "pillow draft": lambda data=data: timed(lambda: thumbnail_with_pillow(data)),
        }
    largest = files["12 MP"]
    image = Image.open(largest).convert("RGBA")
    pixels = np.asarray(image)
    yield "Drawn, 12 MP to 640²", f"draw {largest}", ours(f"draw {largest}") | {
        "pillow": lambda: timed(lambda: image.resize((640, 640), Image.Resampling.BILINEAR)),
        "opencv": lambda: timed(lambda: cv2.resize(pixels, (640, 640), interpolation=cv2.INTER_AREA)),
    }
    for command, name in [("scale", "Core Image, scaled to 224"), ("matrix", "Core Image, colour matrix, 12 MP")]:
        yield name, f"{command} {largest}", ours(f"{command} {largest}")
    frames = {
        "bgra": (generator.integers(0, 256, (1080, 1920, 4), dtype=np.uint8), cv2.COLOR_BGRA2RGB),
        "420v": (generator.integers(0, 256, (1620, 1920), dtype=np.uint8), cv2.COLOR_YUV2RGB_NV12),
    }
    for name, (frame, code) in frames.items():
        yield f"1080p {name}", name, ours(name) | {
            "opencv": lambda frame=frame, code=code: timed(lambda: frame_with_opencv(frame, code, cv2.INTER_AREA)),
            "opencv linear": lambda frame=frame, code=code: timed(lambda: frame_with_opencv(frame, code, cv2.INTER_LINEAR)),
        }


    if model:
        yield "Vision, model's size", f"vision {model}", ours(f"vision {model}") | {"prediction": lambda: worker.run(f"predict {model}")}
        yield "Vision, 1080p BGRA", f"frame {model}", ours(f"frame {model}") | {"prediction": lambda: worker.run(f"predict {model}")}


def chart(rows):
    """Bars of Martlet's times as ratios to each peer's, as SVG."""
    parts, y, threads = [], 10, None
    for row in rows:
        if row["peer"] == "martlet" or "ratio" not in row:
            continue
        if row["threads"] != threads:
            threads = row["threads"]
            y += 22
            parts.append(text(10, y, f"{threads} thread{'s' if threads > 1 else ''}", weight="bold"))
        y += 13
        length = min(row["ratio"], LIMIT) / LIMIT * (WIDTH - 60)
        color = COLORS[0] if row["ratio"] <= 1 else COLORS[3]
        parts.append(text(LEFT + 90, y, f"{row['case']} / {row['peer']}", size=9, anchor="end"))
        parts.append(f'<rect x="{LEFT + 98}" y="{y - 8}" width="{length:.1f}" height="9" fill="{color}"/>')
        parts.append(text(LEFT + 102 + length, y, f"{row['ratio']:.2f}", size=8))
    one = LEFT + 98 + (WIDTH - 60) / LIMIT
    parts.append(f'<line x1="{one:.1f}" y1="20" x2="{one:.1f}" y2="{y}" stroke="#333" stroke-dasharray="3 3"/>')
    parts.append(text(10, y + 20, "Martlet's smallest time as a ratio to the peer's (dashed line); shorter is faster", size=10))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 100}" height="{y + 32}" font-family="sans-serif">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worker", required=True, help="the product Pictures")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--chart", type=Path)
    parser.add_argument("--model", help="a Core ML classifier of pictures")
    parser.add_argument("--before", help="the product Pictures of another revision")
    parser.add_argument("--pillow-simd", help="a Python interpreter that has pillow-simd instead of Pillow, and numpy")
    parser.add_argument("--only", default="", help="cases whose names contain this")
    options = parser.parse_args()
    every = sorted(os.sched_getaffinity(0))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = photographs(Path(folder))
        for threads in options.threads:
            processors = set(every[-threads:])
            os.sched_setaffinity(0, processors)
            cv2.setNumThreads(threads)
            torch.set_num_threads(threads)
            worker = Worker([options.worker], processors)
            before = Worker([options.before], processors) if options.before else None
            simd = Worker([options.pillow_simd, Path(__file__).parent / "pillow_worker.py"], processors) if options.pillow_simd else None
            print(f"\n{threads} thread{'s' if threads > 1 else ''}\n\n| Case | Peer | min ms | median ms | Martlet / peer | Allocations |\n|---|---|---:|---:|---:|---:|")
            for name, command, peers in cases(files, worker, before, simd, options.model):
                if options.only not in name:
                    continue
                times = {peer: [] for peer in peers}
                for _ in range(options.rounds + 1):
                    for peer, run in peers.items():
                        times[peer].append(run())
                # The first round warms up.
                kept = {peer: values[1:] for peer, values in times.items()}
                for peer, values in kept.items():
                    ratio = min(kept["martlet"]) / min(values)
                    count = worker.allocations[command] if peer == "martlet" else ""
                    print(f"| {name} | {peer} | {min(values):.2f} | {statistics.median(values):.2f} | {ratio:.2f} | {count} |", flush=True)
                    rows.append({
                        "case": name, "threads": threads, "peer": peer, "min_ms": min(values), "median_ms": statistics.median(values), "ratio": ratio})
            for process in filter(None, [worker, before, simd]):
                process.process.stdin.close()
            os.sched_setaffinity(0, set(every))
    if options.out:
        options.out.write_text(json.dumps(rows, indent=1))
    if options.chart:
        options.chart.write_text(chart(rows))


if __name__ == "__main__":
    main()
