#!/usr/bin/env python3
"""Times language models side by side, in turns: Martlet's `bench --prefill N --decode N`, ExecuTorch's runtime on the same files, and llama.cpp
on models of equal shapes.

    PYTHON Benchmarks/generation.py --martlet PATH [--prompt 16] [--decode 128] [--threads 1] [--rounds 3] [--realtime] PTE[,GGUF]...

PYTHON has executorch and torch, and llama-cpp-python built for this processor (`CMAKE_ARGS="-DGGML_NATIVE=ON" pip install llama-cpp-python`) if
there are GGUF files. `Benchmarks/export_language_model.py` and `Benchmarks/export_gguf.py` write such files. Every runner takes the most
likely token after the last in a loop of its own. With one thread all are pinned to one CPU.

Times are the smallest of all rounds, and in brackets their medians; a token's time in a round is the median of its tokens. A ratio below 1 means
that Martlet needs less time. The share is that of the memory's bandwidth which reading the weights takes up.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import time

COLUMNS = ("first", "prefill", "decode", "resident")


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))


def measure(load, prompt, decode):
    """A round of another runner: `load()` gives a function from tokens and their position to the token after them."""
    tokens = [3 + index % 61 for index in range(prompt)]
    start = time.perf_counter()
    call = load()
    call(tokens, 0)
    first = time.perf_counter() - start
    start = time.perf_counter()
    token = call(tokens, 0)
    prefill = time.perf_counter() - start
    times = []
    for position in range(prompt, prompt + decode):
        start = time.perf_counter()
        token = call([token], position)
        times.append(time.perf_counter() - start)
    return {"first": first, "prefill": prefill, "decode": statistics.median(times), "resident": resident()}


def executorch(path, threads):
    import torch
    from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401
    from executorch.extension.pybindings.portable_lib import _load_for_executorch
    from executorch.kernels import quantized  # noqa: F401

    torch.set_num_threads(threads)

    def load():
        module = _load_for_executorch(path)

        def call(tokens, position):
            logits = module.forward((torch.tensor([tokens]), torch.tensor([position])), False)[0]
            return int(logits.reshape(-1, logits.shape[-1])[-1].argmax())

        return call

    return load


def llama(path, threads, context):
    import numpy
    from llama_cpp import llama_cpp as library

    silent = library.llama_log_callback(lambda level, text, data: None)
    library.llama_log_set(silent, ctypes.c_void_p(0))
    library.llama_backend_init()

    def load():
        model = library.llama_model_load_from_file(path.encode(), library.llama_model_default_params())
        options = library.llama_context_default_params()
        options.n_ctx, options.n_threads, options.n_threads_batch = context, threads, threads
        state = library.llama_init_from_model(model, options)
        memory = library.llama_get_memory(state)
        count = library.llama_vocab_n_tokens(library.llama_model_get_vocab(model))
        limit = library.llama_n_batch(state)

        def call(tokens, position):
            if position == 0:
                library.llama_memory_clear(memory, True)
            for start in range(0, len(tokens), limit):
                part = tokens[start : start + limit]
                numbers = (library.llama_token * len(part))(*part)
                if library.llama_decode(state, library.llama_batch_get_one(numbers, len(part))) != 0:
                    raise RuntimeError("llama_decode failed")
            logits = numpy.ctypeslib.as_array(library.llama_get_logits_ith(state, -1), shape=(count,))
            return int(logits.argmax())

        call.owners = (silent, model, state)
        return call

    return load


def run(command, arguments):
    prefix = ["taskset", "-c", "1"] if arguments.threads == 1 else []
    prefix += ["chrt", "-r", "5"] if arguments.realtime else []
    result = subprocess.run(prefix + command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{result.stderr[-2000:]}")
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


def row(name, runner, cells, markdown):
    if markdown:
        return "| " + " | ".join([name, runner] + cells) + " |"
    return f"{name:20} {runner:11}" + "".join(f"{cell:>24}" for cell in cells)


def report(name, samples, markdown):
    """Rows of one model: times of each runner, and the ratios of Martlet's to those of each other one."""
    smallest = {runner: {key: min(s[key] for s in rounds) for key in COLUMNS} for runner, rounds in samples.items()}
    for runner, rounds in samples.items():
        cells = []
        for key in COLUMNS:
            middle = statistics.median(s[key] for s in rounds)
            if key == "resident":
                cells.append(f"{smallest[runner][key] / 1e6:.0f} MB")
            else:
                cells.append(f"{smallest[runner][key] * 1e3:.2f} ms ({middle * 1e3:.2f})")
        print(row(name, runner, cells, markdown))
        if runner == "martlet":
            continue
        ratios = [f"{smallest['martlet'][key] / smallest[runner][key]:.2f}" for key in COLUMNS]
        print(row("", "ratio", ratios, markdown))
    if not markdown:
        print(f"{'':20} share {max(s['share'] for s in samples['martlet']):.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="PTE[,GGUF]")
    parser.add_argument("--martlet", default=".build/release/martlet")
    parser.add_argument("--prompt", type=int, default=16)
    parser.add_argument("--decode", type=int, default=128)
    parser.add_argument("--context", type=int, default=2048, help="positions that llama.cpp has memory for")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--realtime", action="store_true", help="round-robin scheduling, on a shared machine")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--worker", choices=["executorch", "llama.cpp"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.martlet = os.path.abspath(arguments.martlet)
    if arguments.worker:
        path = arguments.files[0]
        load = executorch(path, arguments.threads) if arguments.worker == "executorch" else llama(path, arguments.threads, arguments.context)
        print("\n" + json.dumps(measure(load, arguments.prompt, arguments.decode)))
        return
    numbers = ["--prompt", arguments.prompt, "--decode", arguments.decode, "--threads", arguments.threads, "--context", arguments.context]
    peer = [sys.executable, os.path.abspath(__file__)] + [str(number) for number in numbers]
    print(row("file", "runner", ["first token", "prefill", "decode", "resident"], arguments.markdown))
    if arguments.markdown:
        print("|---|---|--:|--:|--:|--:|")
    for pair in arguments.files:
        path, _, other = pair.partition(",")
        samples = {"martlet": [], "executorch": []} | ({"llama.cpp": []} if other else {})
        for _ in range(arguments.rounds):
            samples["martlet"].append(martlet(path, arguments))
            samples["executorch"].append(run(peer + ["--worker", "executorch", path], arguments))
            if other:
                samples["llama.cpp"].append(run(peer + ["--worker", "llama.cpp", other], arguments))
        report(os.path.basename(path).removesuffix(".pte"), samples, arguments.markdown)


if __name__ == "__main__":
    main()
