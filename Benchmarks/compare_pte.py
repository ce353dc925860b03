"""Times networks in Martlet and in ExecuTorch side by side: latency, start-up and memory.

  python compare_pte.py --models DIRECTORY [--martlet PATH] [--names A,B] [--peers P,Q] [--threads 1,2] [--rounds 6] [--seconds 0.3]
                        [--realtime] [--out PREFIX]

DIRECTORY is what Oracles/export_networks.py wrote. Every peer is a process of its own, stopped (SIGSTOP) while another is timed, so that
spinning thread pools cannot disturb it; rounds go peer by peer, so a slow drift of the machine hits all alike. With one thread, every peer
is pinned to the same processor. --realtime runs the peers in the round-robin real-time class (chrt -r 5), which keeps other processes from
delaying woken threads. --out writes PREFIX.md and PREFIX.json. README.md describes the protocol that the peers speak.
"""

import argparse
import json
import os
import pathlib
import shlex
import signal
import statistics
import subprocess
import sys
import time

# peer: (which program it loads, whether it is ours)
PEERS = {
    "et-portable": ("portable", False),
    "et-xnnpack": ("xnnpack", False),
    "martlet-portable": ("portable", True),
    "martlet-xnnpack": ("xnnpack", True),
}
REFERENCE = "et-xnnpack"


def executorch_worker(model, inputs, threads):
    """The protocol's worker for ExecuTorch's Python runtime."""
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)
    protocol = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # keep the libraries' own messages off the protocol
    import numpy as np
    import torch
    from executorch.extension.pybindings import _portable_lib as runtime
    import executorch.kernels.quantized  # noqa: F401

    torch.set_num_threads(threads)
    runtime._unsafe_reset_threadpool(threads)
    values = [torch.from_numpy(np.load(path)) for path in inputs]
    program = None

    def answer(text):
        protocol.write(text + "\n")
        protocol.flush()

    answer("started")
    for line in sys.stdin:
        command, *rest = line.split()
        try:
            if command == "load":
                start = time.perf_counter()
                program = runtime._load_for_executorch(model)
                loaded = time.perf_counter()
                program.forward(values)
                answer(f"ready {loaded - start:.6f} {time.perf_counter() - loaded:.6f}")
            elif command == "run":
                times = []
                for _ in range(int(rest[0])):
                    start = time.perf_counter()
                    program.forward(values)
                    times.append(time.perf_counter() - start)
                answer(" ".join(f"{t:.9f}" for t in times))
            elif command == "quit":
                break
        except Exception as error:
            answer("error " + " ".join(str(error).split())[:300])


class Peer:
    """A worker process. Raises RuntimeError with the worker's message where it reports an error or dies."""

    def __init__(self, name, command, processor):
        pin = (lambda: os.sched_setaffinity(0, {processor})) if processor is not None else None
        self.name, self.times = name, []
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=pin
        )

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the process ended")
        if line.startswith("error"):
            raise RuntimeError(line[6:].strip())
        return line.split()

    def ask(self, command):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise RuntimeError("the process ended") from None
        return self.read()

    def memory(self, field):
        """A size of the process in KiB: VmRSS now, or VmHWM, the largest VmRSS since `forget_peak`."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1])
        raise RuntimeError(f"no {field}")

    def forget_peak(self):
        pathlib.Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def load(self):
        """Loads and runs once; keeps the seconds of both and by how much the resident memory's peak grew."""
        if self.read() != ["started"]:
            raise RuntimeError("no 'started'")
        self.forget_peak()
        before = self.memory("VmRSS")
        answer = self.ask("load")
        self.load_seconds, self.first_seconds = float(answer[1]), float(answer[2])
        self.growth = self.memory("VmHWM") - before

    def run(self, count):
        return [float(t) for t in self.ask(f"run {count}")]

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def end(self):
        self.process.kill()
        self.process.wait()


def measure(models, name, peers, threads, arguments):
    """{peer: figures} for one network, and {peer: message} for the peers that failed."""
    record = json.loads((models / f"{name}.json").read_text())
    inputs = [str(models / f"{name}.input{i}.npy") for i in range(len(record["inputs"]))]
    processor = max(os.sched_getaffinity(0)) if threads == 1 else None
    live, failures = [], {}
    for peer in peers:
        kind, ours = PEERS[peer]
        model = str(models / f"{name}.{kind}.pte")
        flags = [part for path in inputs for part in ("--input", path)]
        if ours:
            command = shlex.split(arguments.martlet) + ["bench", "--worker", model, "--threads", str(threads)] + flags
        else:
            command = [sys.executable, os.path.abspath(__file__), "--worker", model, "--threads", str(threads)] + flags
        worker = Peer(peer, (["chrt", "-r", "5"] if arguments.realtime else []) + command, processor)
        try:
            worker.load()
            worker.expected = min(worker.first_seconds, *worker.run(1 if worker.first_seconds > 1 else 3))
            worker.stop()
            live.append(worker)
        except RuntimeError as error:
            failures[peer] = str(error)
            worker.end()
    for turn in range(arguments.rounds):
        for worker in list(live):
            if turn and worker.expected * arguments.rounds > arguments.slow:
                continue
            worker.resume()
            try:
                if worker.expected < 0.2:
                    worker.run(2)  # wake caches and threads again
                times = worker.run(max(1, round(arguments.seconds / worker.expected)))
                worker.times += times
                worker.expected = min(worker.expected, *times)
                worker.stop()
            except RuntimeError as error:
                failures[worker.name] = str(error)
                worker.end()
                live.remove(worker)
    results = {}
    for worker in live:
        worker.end()
        results[worker.name] = {
            "min_ms": min(worker.times) * 1e3,
            "median_ms": statistics.median(worker.times) * 1e3,
            "inferences": len(worker.times),
            "load_ms": worker.load_seconds * 1e3,
            "first_ms": worker.first_seconds * 1e3,
            "growth_mib": worker.growth / 1024,
        }
    return results, failures


def cell(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def table(rows, peers, threads):
    """Markdown for the rows of one thread count."""
    rows = [row for row in rows if row["threads"] == threads]
    ours = [p for p in peers if PEERS[p][1]]
    heads = (
        ["network"]
        + [f"{p} min / median ms" for p in peers]
        + [f"{p} / {REFERENCE}" for p in ours]
        + [f"{p} load + first ms" for p in peers]
        + [f"{p} memory MiB" for p in peers]
    )
    lines = [f"### {threads} thread{'s' if threads > 1 else ''}", "", "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    for row in rows:
        result = row["peers"]
        cells = [row["network"]] + [f"{cell(result[p]['min_ms'])} / {cell(result[p]['median_ms'])}" if p in result else "-" for p in peers]
        cells += [f"{result[p]['min_ms'] / result[REFERENCE]['min_ms']:.2f}" if p in result and REFERENCE in result else "-" for p in ours]
        cells += [cell(result[p]["load_ms"] + result[p]["first_ms"]) if p in result else "-" for p in peers]
        cells += [cell(result[p]["growth_mib"]) if p in result else "-" for p in peers]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", type=pathlib.Path)
    parser.add_argument("--martlet", help="command that starts martlet; without it only ExecuTorch is timed")
    parser.add_argument("--names")
    parser.add_argument("--peers", help=f"of {', '.join(PEERS)}")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0.3, help="of one peer in one round")
    parser.add_argument(
        "--slow", type=float, default=10.0, help="a peer whose rounds would take longer than this has one round of one inference"
    )
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--out", help="prefix of the report's files")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--input", action="append", default=[], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        executorch_worker(arguments.worker, arguments.input, int(arguments.threads))
        return
    if not arguments.models:
        parser.error("--models is needed")
    peers = arguments.peers.split(",") if arguments.peers else [p for p in PEERS if arguments.martlet or not PEERS[p][1]]
    names = arguments.names.split(",") if arguments.names else sorted(p.stem for p in arguments.models.glob("*.json"))
    rows = []
    for threads in map(int, arguments.threads.split(",")):
        for name in names:
            results, failures = measure(arguments.models, name, peers, threads, arguments)
            rows.append({"network": name, "threads": threads, "peers": results, "failures": failures})
            for peer, message in failures.items():
                print(f"{name}, {peer}: {message}", file=sys.stderr)
            if arguments.out:
                pathlib.Path(arguments.out + ".json").write_text(json.dumps(rows, indent=1) + "\n")
        print(table(rows, peers, threads), flush=True)
    if arguments.out:
        text = "\n".join(table(rows, peers, threads) for threads in map(int, arguments.threads.split(",")))
        pathlib.Path(arguments.out + ".md").write_text(text)


if __name__ == "__main__":
    main()
