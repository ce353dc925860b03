#!/usr/bin/env python3
"""Times language models side by side: Martlet's `bench --prefill N --decode N` and ExecuTorch's runtime, in turns, on the same files.

    PYTHON Benchmarks/generation.py --martlet PATH [--prompt 16] [--decode 128] [--threads 1] [--rounds 3] [--realtime] FILE...

PYTHON has executorch and torch. `Benchmarks/export_language_model.py` writes such files. With one thread both are pinned to one CPU. Medians of
the best round count; a ratio below 1 means that Martlet needs less time.
"""

import argparse
import json
import os
import subprocess
import sys
import time


def worker(path, prompt, decode, threads):
    """One round of ExecuTorch's: each token is the most likely one after the last."""
    import torch
    from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401
    from executorch.extension.pybindings.portable_lib import _load_for_executorch
    from executorch.kernels import quantized  # noqa: F401

    torch.set_num_threads(threads)
    start = time.perf_counter()
    module = _load_for_executorch(path)

    def call(tokens, position):
        logits = module.forward((tokens, torch.tensor([position])), False)[0]
        return int(logits.reshape(-1, logits.shape[-1])[-1].argmax())

    tokens = torch.tensor([[3 + index % 61 for index in range(prompt)]])
    token = call(tokens, 0)
    first = time.perf_counter() - start
    start = time.perf_counter()
    token = call(tokens, 0)
    prefill = time.perf_counter() - start
    times = []
    for position in range(prompt, prompt + decode):
        start = time.perf_counter()
        token = call(torch.tensor([[token]]), position)
        times.append(time.perf_counter() - start)
    with open("/proc/self/status") as status:
        resident = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))
    print(json.dumps({"first": first, "prefill": prefill, "decode": sorted(times)[decode // 2], "resident": resident}))


def run(command, arguments):
    prefix = ["taskset", "-c", "1"] if arguments.threads == 1 else []
    prefix += ["chrt", "-r", "5"] if arguments.realtime else []
    result = subprocess.run(prefix + command, capture_output=True, text=True, check=True)
    return json.loads(result.stdout[result.stdout.rindex("\n{") + 1 if "\n{" in result.stdout else 0 :])


def martlet(path, arguments):
    command = [arguments.martlet, "bench", path, "--threads", str(arguments.threads), "--json"]
    command += ["--prefill", str(arguments.prompt), "--decode", str(arguments.decode)]
    prefix = ["taskset", "-c", "1"] if arguments.threads == 1 else []
    prefix += ["chrt", "-r", "5"] if arguments.realtime else []
    found = json.loads(subprocess.run(prefix + command, capture_output=True, text=True, check=True).stdout)[0]
    return {
        "first": found["firstTokenSeconds"], "prefill": found["prefill"]["seconds"], "decode": found["decode"]["medianSeconds"],
        "resident": found["residentByteCount"], "share": found["shareOfMemoryBandwidth"],
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--martlet", default=".build/release/martlet")
    parser.add_argument("--prompt", type=int, default=16)
    parser.add_argument("--decode", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--realtime", action="store_true", help="round-robin scheduling, on a shared machine")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return worker(arguments.files[0], arguments.prompt, arguments.decode, arguments.threads)
    numbers = ["--prompt", arguments.prompt, "--decode", arguments.decode, "--threads", arguments.threads]
    peer = [sys.executable, os.path.abspath(__file__), "--worker"] + [str(number) for number in numbers]
    print(f"{'file':28} {'':10} {'first token':>12} {'prefill':>12} {'decode':>12} {'resident':>10}")
    for path in arguments.files:
        ours, theirs = [], []
        for _ in range(arguments.rounds):
            ours.append(martlet(path, arguments))
            theirs.append(run(peer + [path], arguments))
        best = [{key: min(sample[key] for sample in samples) for key in samples[0]} for samples in (ours, theirs)]
        for name, sample in zip(("martlet", "executorch"), best):
            print(
                f"{os.path.basename(path):28} {name:10} {sample['first'] * 1e3:9.1f} ms {sample['prefill'] * 1e3:9.2f} ms "
                f"{sample['decode'] * 1e3:9.3f} ms {sample['resident'] / 1e6:7.1f} MB"
            )
        ratios = [f"{best[0][key] / best[1][key]:.2f}" for key in ("first", "prefill", "decode", "resident")]
        print(f"{'':28} {'ratio':10} {ratios[0]:>12} {ratios[1]:>12} {ratios[2]:>12} {ratios[3]:>10}   share {max(s['share'] for s in ours):.2f}")


if __name__ == "__main__":
    main()
