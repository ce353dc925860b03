"""Times networks in Martlet and in other runtimes side by side: latency, start-up and memory.

  python compare.py --models DIRECTORY [--martlet COMMAND] [--names A,B] [--peers P,Q] [--threads 1,2] [--rounds 6] [--seconds 0.3]
                    [--loads 5] [--isa LEVEL] [--realtime] [--out PREFIX]

DIRECTORY is the output of Oracles/export_networks.py and export_int8_networks.py. Every peer runs in its own process, which is stopped
(SIGSTOP) while another is timed, so that spinning thread pools do not interfere. Rounds alternate between the peers, so that slow drift
of the machine affects all equally. With one thread, every peer is pinned to the same processor. --realtime runs the peers in the
round-robin real-time class (chrt -r 5), which keeps other processes from delaying woken threads. --out writes PREFIX.md, PREFIX.json and
PREFIX.svg. README.md describes the method. The script `run` in this folder prepares everything and calls this one.
"""

import argparse
import datetime
import importlib.metadata
import functools
import json
import math
import os
import pathlib
import shlex
import statistics
import subprocess
import sys

import chart
import loading
from peers import DEFAULT_PEERS, LEVELS, PEERS, REFERENCES, is_int8, launch


def measure(models, name, peers, threads, arguments):
    """{peer: figures} for one network, and {peer: message} for the peers that failed."""
    record = json.loads((models / f"{name}.json").read_text())
    peers = [peer for peer in peers if not (PEERS[peer].floats and is_int8(name))]
    start = functools.partial(launch, models=models, name=name, record=record, threads=threads, arguments=arguments)
    loads, failures = loading.measure(peers, start, arguments)
    live = []
    for peer in peers:
        if peer in failures:
            continue
        try:
            worker = start(peer)
        except RuntimeError as error:
            failures[peer] = str(error)
            continue
        try:
            worker.wait_until_started()
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
                    worker.run(2)  # warm up caches and threads again
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
            "growth_mib": worker.growth / 1024,
            "code_growth_mib": worker.code_growth / 1024,
            **loads.get(worker.name, {}),
        }
    return results, failures


def cell(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def references(peers):
    """The peers that compute in the precision of the program; without them, the first peer."""
    return [p for p in REFERENCES if p in peers] or peers[:1]


def best(row, peers):
    """The smallest time, in ms, of the references among the peers; None if none of them ran."""
    times = [row["peers"][p]["min_ms"] for p in references(peers) if p in row["peers"]]
    return min(times) if times else None


def table(rows, peers, threads):
    """Markdown for the rows of one thread count."""
    rows = [row for row in rows if row["threads"] == threads]
    heads = ["network"] + peers

    def part(title, text):
        lines = [title, "", "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
        for row in rows:
            result = row["peers"]
            lines.append("| " + " | ".join([row["network"]] + [text(row, result[p], p) if p in result else "-" for p in peers]) + " |")
        return lines

    lines = [f"### {threads} thread{'s' if threads > 1 else ''}", ""]
    lines += part("Smallest / median latency, ms", lambda _, r, __: f"{cell(r['min_ms'])} / {cell(r['median_ms'])}") + [""]
    lines += part(
        f"Smallest latency, as a ratio to the fastest of {', '.join(references(peers))}",
        lambda row, r, _: f"{r['min_ms'] / least:.2f}" if (least := best(row, peers)) else "-",
    )
    means = [[row["peers"][p]["min_ms"] / least for row in rows if p in row["peers"] and (least := best(row, peers))] for p in peers]
    lines += ["| **geometric mean** | " + " | ".join(f"{mean(m):.2f}" if m else "-" for m in means) + " |", ""]
    for state in loading.STATES:
        if any(f"{state}_ms" in figures for row in rows for figures in row["peers"].values()):
            title = f"Loading and the first inference, {loading.STATES[state]}, ms: median (smallest)"
            text = lambda _, r, __: f"{cell(r[f'{state}_ms'])} ({cell(r[f'{state}_min_ms'])})" if f"{state}_ms" in r else "-"
            lines += part(title, text) + [""]
    memory = lambda _, r, __: f"{cell(r['growth_mib'])} ({cell(r['growth_mib'] - r['code_growth_mib'])})"
    lines += part("Growth of memory, MiB (without code)", memory) + [""]
    if any(row.get("macs") for row in rows):
        lines += part(
            "Billion operations a second at the smallest latency, and the share of the processor's measured peak in the same arithmetic",
            throughput,
        ) + [""]
    return "\n".join(lines) + "\n"


def throughput(row, result, peer):
    if not row.get("macs"):
        return "-"
    rate = 2e3 * row["macs"] / result["min_ms"]
    peaks = row.get("peaks") or {}
    arithmetic = "int8" if is_int8(row["network"]) else PEERS[peer].arithmetic
    # Without bfloat16 units, float32 is used instead.
    peak = peaks.get(arithmetic) or (peaks.get("float32") if arithmetic == "bfloat16" else None)
    return cell(rate * 1e-9) + (f" ({100 * rate / peak['operationsPerSecond']:.0f} %)" if peak else "")


def measured_peaks(arguments, threads):
    """The results of `martlet bench --peak` at the level of --isa; empty if martlet is not timed or does not report them."""
    if not arguments.martlet:
        return {}
    command = shlex.split(arguments.martlet) + ["bench", "--peak", "--threads", str(threads), "--json"]
    realtime = ["chrt", "-r", "5"] if arguments.realtime else []
    environment = os.environ | ({"MARTLET_ISA": arguments.isa} if arguments.isa else {})
    answer = subprocess.run(realtime + command, capture_output=True, text=True, env=environment)
    try:
        return json.loads(answer.stdout) if answer.returncode == 0 else {}
    except ValueError:
        return {}


def multiplications(models, name):
    """Multiply-accumulates of one inference, as counted by the exporter. For an int8 network, those of its source network."""
    for stem in (name, name.removesuffix("_int8")):
        path = models / f"{stem}.json"
        if path.exists() and (macs := json.loads(path.read_text()).get("macs")):
            return macs
    return None


def description(rows, counts):
    """The head of a report: date, machine and versions."""
    lines = ["# Networks side by side", "", f"{datetime.date.today()}, {processor_name()}, {os.cpu_count()} processors."]
    packages = ["executorch", "onnxruntime", "openvino", "torch"]
    versions = [f"{package} {version}" for package in packages if (version := installed(package))]
    lines += ["", f"Runtimes: {', '.join(versions)}. Command: `{' '.join(map(shlex.quote, sys.argv))}`.", ""]
    for threads in counts:
        peaks = next((row["peaks"] for row in rows if row["threads"] == threads and row.get("peaks")), None)
        if not peaks:
            continue
        parts = [
            f"{name} {cell(peaks[name]['operationsPerSecond'] * 1e-9)} billion operations per second ({peaks[name]['unit']})"
            for name in ("float32", "bfloat16", "int8")
            if name in peaks
        ]
        parts.append(f"reading {cell(peaks['bytesReadPerSecond'] * 1e-9)} GB/s")
        lines += [f"Measured peak, {threads} thread{'s' if threads > 1 else ''}: {', '.join(parts)}.", ""]
    return "\n".join(lines)


def processor_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def installed(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--martlet", help="command that starts martlet; without it only the others are timed")
    parser.add_argument("--names")
    parser.add_argument("--peers", help=f"of {', '.join(PEERS)}")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0.3, help="of one peer in one round")
    parser.add_argument("--loads", type=int, default=5, help="samples of loading for each peer, warm and cold; 0 for none")
    parser.add_argument("--isa", choices=LEVELS, help="level of instructions that Martlet and OpenVINO may use")
    parser.add_argument(
        "--slow", type=float, default=10.0, help="a peer whose rounds would take longer than this has one round of one inference"
    )
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--out", help="prefix of the report's files")
    arguments = parser.parse_args()
    peers = arguments.peers.split(",") if arguments.peers else DEFAULT_PEERS
    if unknown := [p for p in peers if p not in PEERS]:
        parser.error(f"unknown peers {', '.join(unknown)}; there are {', '.join(PEERS)}")
    peers = [p for p in peers if arguments.martlet or not PEERS[p].ours]
    if arguments.isa and not arguments.peers:
        peers.append("openvino-f32-own")
    names = arguments.names.split(",") if arguments.names else sorted(p.stem for p in arguments.models.glob("*.json"))
    counts = [int(count) for count in arguments.threads.split(",")]
    rows = []
    for threads in counts:
        peaks = measured_peaks(arguments, threads)
        for name in names:
            results, failures = measure(arguments.models, name, peers, threads, arguments)
            macs = multiplications(arguments.models, name)
            rows.append({"network": name, "threads": threads, "macs": macs, "peaks": peaks, "peers": results, "failures": failures})
            for peer, message in failures.items():
                print(f"{name}, {peer}: {message}", file=sys.stderr)
            if arguments.out:
                pathlib.Path(arguments.out + ".json").write_text(json.dumps(rows, indent=1) + "\n")
        print(table(rows, peers, threads), flush=True)
    if arguments.out:
        parts = [description(rows, counts)] + [table(rows, peers, threads) for threads in counts]
        pathlib.Path(arguments.out + ".md").write_text("\n".join(parts))
        pathlib.Path(arguments.out + ".svg").write_text(chart.bars(rows, peers, counts, functools.partial(best, peers=peers)))


if __name__ == "__main__":
    main()
