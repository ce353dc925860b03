"""Times steps of training in Martlet and in PyTorch side by side.

  python training.py --martlet COMMAND [--names A,B] [--threads 1,2] [--rounds 6] [--steps 60] [--realtime] [--out FILE.md]

The networks are those of `NETWORKS`, with random weights and samples. Each peer is a process, as in compare.py, which is stopped while the
other is timed; rounds alternate. A step is a whole one in both: the mini-batch is put together, the loss is computed and read, the derivatives
and the new weights are computed. PyTorch runs eagerly, with the weights of images channels last, if that is faster than its default.
Memory is that of a separate process after 100 and after 1000 steps.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import torch

from peers import Peer

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Oracles"))
from training_networks import ADAM, MOMENTUM, Net  # noqa: E402

SAMPLES_PER_PASS = 20


def digits():
    net = Net("digits", [64]).product(128, 64).activate("ReLU").product(64, 128).activate("ReLU").product(10, 64)
    layers = [torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10)]
    return net, torch.nn.Sequential(*layers)


def pictures():
    net = Net("pictures", [1, 28, 28]).conv(16, 1, same="end").activate("ReLU").pool("max")
    net.conv(32, 16, same="end").activate("ReLU").pool("max").flatten().product(10, 32 * 7 * 7)
    layers = [
        torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Conv2d(16, 32, 3, padding=1),
        torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(32 * 7 * 7, 10),
    ]
    return net, torch.nn.Sequential(*layers)


class Recurrent(torch.nn.Module):
    def __init__(self, inputs, size, outputs):
        super().__init__()
        self.cell, self.last = torch.nn.LSTM(inputs, size, batch_first=True), torch.nn.Linear(size, outputs)

    def forward(self, x):
        return self.last(self.cell(x)[0][:, -1])


def sequences():
    return Net("sequences", [20, 1, 16], sequence=True).lstm(64, 16).product(10, 64), Recurrent(16, 64, 10)


# Network, samples in a step, optimiser.
NETWORKS = {
    "digits-32": (digits, 32, MOMENTUM), "digits-128": (digits, 128, ADAM), "pictures-32": (pictures, 32, MOMENTUM),
    "pictures-128": (pictures, 128, ADAM), "sequences-32": (sequences, 32, ADAM),
}


def made(name):
    """The network, PyTorch's module and the samples."""
    make, batch, optimizer = NETWORKS[name]
    torch.manual_seed(1)
    net, module = make()
    net.finish("entropy", optimizer, 10, batch, 1000)
    x, y = net.samples(batch * SAMPLES_PER_PASS)
    return net, module, x, y


def write(folder, name):
    net, _, x, y = made(name)
    model, samples = folder / f"{name}.mlmodel", folder / f"{name}.npz"
    model.write_bytes(net.model.SerializeToString())
    np.savez(samples, x=x, y=y.astype(np.int32).reshape(-1, 1))
    return model, samples


def serve(name, threads, channels_last):
    """The worker of PyTorch, with the protocol of README.md."""
    import time

    torch.set_num_threads(threads)
    net, module, x, y = made(name)
    inputs, expected = torch.tensor(x.reshape(len(x), 20, 16) if net.sequence else x), torch.tensor(y)
    if channels_last:
        module, inputs = module.to(memory_format=torch.channels_last), inputs.contiguous(memory_format=torch.channels_last)
    kind, settings = net.optimizer
    optimizer = (torch.optim.SGD if kind == "sgd" else torch.optim.Adam)(module.parameters(), **settings)
    position = 0

    def step():
        nonlocal position
        part = slice(position * net.batch, (position + 1) * net.batch)
        position = (position + 1) % SAMPLES_PER_PASS
        error = torch.nn.functional.cross_entropy(module(inputs[part]), expected[part])
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
        return error.item()

    print("started", flush=True)
    for line in sys.stdin:
        command, *rest = line.split()
        if command == "load":
            start = time.perf_counter()
            for _ in range(SAMPLES_PER_PASS):
                step()
            print(f"ready 0 {time.perf_counter() - start:.6f}", flush=True)
        elif command == "run":
            times = []
            for _ in range(int(rest[0])):
                start = time.perf_counter()
                step()
                times.append(time.perf_counter() - start)
            print(" ".join(f"{t:.9f}" for t in times), flush=True)


def measure(folder, name, threads, arguments):
    model, samples = write(folder, name)
    processor = max(os.sched_getaffinity(0)) if threads == 1 else None
    # In the first-in, first-out class threads that wait actively would keep others from the processor.
    prefix = ["chrt", "-r", "5"] if arguments.realtime else []
    ours = shlex.split(arguments.martlet)
    commands = {
        "martlet": ours + ["bench", "--worker", str(model), "--training", str(samples), "--threads", str(threads)],
        "torch": [sys.executable, __file__, "--worker", name, "--threads", str(threads)],
    }
    if name.startswith("pictures"):
        commands["torch-last"] = commands["torch"] + ["--channels-last"]
    peers = [Peer(peer, prefix + command, processor) for peer, command in commands.items()]
    try:
        for peer in peers:
            peer.wait_until_started()
            peer.load()
            peer.run(5)
            peer.stop()
        for _ in range(arguments.rounds):
            for peer in peers:
                peer.resume()
                peer.run(5)
                peer.times += peer.run(arguments.steps)
                peer.stop()
    finally:
        for peer in peers:
            peer.end()
    row = {peer.name: (min(peer.times) * 1e3, statistics.median(peer.times) * 1e3) for peer in peers}
    run = subprocess.run(
        ours + ["bench", str(model), "--training", str(samples), "--threads", str(threads), "--iterations", "1000", "--json"],
        capture_output=True, text=True, check=True)
    return row, json.loads(run.stdout)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--martlet", default="martlet")
    parser.add_argument("--names", default=",".join(NETWORKS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--out")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--channels-last", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return serve(arguments.worker, int(arguments.threads), arguments.channels_last)
    lines = [
        "| network, samples | threads | Martlet, ms | PyTorch, ms | ratio of minima | of medians | allocations | MiB after 100 | after 1000 |",
        "|---|---|---|---|---|---|---|---|---|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as name:
        for threads in map(int, arguments.threads.split(",")):
            for network in arguments.names.split(","):
                row, own = measure(pathlib.Path(name), network, threads, arguments)
                ours = row.pop("martlet")
                best = min(row.values())
                memory = [f"{entry['byteCount'] / 2**20:.1f}" for entry in own["resident"]]
                line = (
                    f"| {network} | {threads} | {ours[0]:.3f}, {ours[1]:.3f} | {best[0]:.3f}, {best[1]:.3f} | {ours[0] / best[0]:.2f} "
                    f"| {ours[1] / best[1]:.2f} | {own['allocationsPerPrediction']:.0f} | {' | '.join(memory)} |")
                lines.append(line)
                print(line, flush=True)
    if arguments.out:
        pathlib.Path(arguments.out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
