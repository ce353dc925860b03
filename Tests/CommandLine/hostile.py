#!/usr/bin/env python3
"""Runs every command on files that once ended the process, took its memory or ran for ever: each gives a result or an error.

  Tests/CommandLine/hostile.py [--martlet PATH] [--memory-limit 3500M] [--seconds 5] [--resident 1024] [FILE OR FOLDER...]

Each run may take that many seconds of processor time and MiB of resident memory. The memory limit is the default of a machine with
4 GiB. Prints a line for each failure and the largest figures; the exit status is 0 only if there is no failure.
"""

import argparse
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Reads arrays.
ARRAY_MODEL = ROOT / "Tests/Fixtures/xnnpack/forms/binary_3/model.pte"
# Continues text.
TEXT_MODEL, TOKENIZER = ROOT / "Tests/Fixtures/text/decoder.pte", ROOT / "Tests/Fixtures/text/tokenizer.json"
SAMPLES = ROOT / "Tests/Fixtures/updatable/dense.csv"
TEXT = "the one of hello World don't <s> 12345 \u00e9\U0001f469\u200d\U0001f467\r\n\t  " + 300 * "a"
TOKENIZER_SUFFIXES = (".json", ".model", ".tiktoken", ".bin")


def commands(path, scratch):
    """The commands that read the kind of file that `path` is."""
    if path.is_dir():
        return [["verify", path]]
    if path.suffix == ".npz":
        return [["run", ARRAY_MODEL, "--input", path]]
    if path.suffix in TOKENIZER_SUFFIXES:
        return [
            ["tokenize", path, TEXT], ["tokenize", path, "--special", "--json", TEXT], ["tokenize", path, "--decode", "0"],
            ["complete", TEXT_MODEL, "--tokenizer", path, "--prompt", "the one", "--max-tokens", "3", "--seed", "1"],
        ]
    verbs = [
        ["inspect", path], ["inspect", path, "--json"], ["inspect", path, "--graph", "imported"], ["inspect", path, "--graph", "optimized"],
        ["plan", path], ["plan", path, "--measure", "--rounds", "1"], ["plan", path, "--precision", "fast"],
        ["run", path, "--input", "rand"], ["bench", path, "--iterations", "1"],
    ]
    if path.suffix == ".mlmodel":
        verbs.append(["compile", path, "--force", "--output", scratch / "compiled.mlmodelc"])
        verbs.append(["train", path, "--data", SAMPLES, "--epochs", "1", "--output", scratch / "trained.mlmodel"])
    else:
        verbs.append(["complete", path, "--tokenizer", TOKENIZER, "--prompt", "A lighthouse", "--max-tokens", "3", "--seed", "1"])
    return verbs


def models(paths):
    for path in paths:
        for name in sorted([path] if path.is_file() else path.rglob("*")):
            if name.name == "case.json":
                yield name.parent
            elif name.suffix in (".pte", ".mlmodel", ".npz", *TOKENIZER_SUFFIXES):
                yield name


def run(arguments, seconds):
    """Exit status (negative for a signal), processor seconds, resident MiB, standard output, standard error."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:

        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (2 * seconds + 1, 2 * seconds + 2))

        process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limit)
        _, status, usage = os.wait4(process.pid, 0)
        out.seek(0), err.seek(0)
        return (os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
                out.read(1 << 16).decode(errors="replace"), err.read(1 << 16).decode(errors="replace"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--martlet", default=str(ROOT / ".build/release/martlet"))
    parser.add_argument("--memory-limit", default="3500M", help="none: the command's default, for runs in a control group")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--resident", type=int, default=1024, help="MiB")
    parser.add_argument("paths", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    runs = failures = 0
    slowest = largest = (0, "")
    scratch = pathlib.Path(tempfile.mkdtemp())
    try:
        for path in models(options.paths or [ROOT / "Tests/Fixtures/hostile", ROOT / "Tests/Fixtures/hostile-tokenizers"]):
            for command in commands(path, scratch):
                runs += 1
                arguments = [options.martlet, *map(str, command)]
                if options.memory_limit != "none" and command[0] != "tokenize":
                    arguments += ["--memory-limit", options.memory_limit]
                status, seconds, resident, out, err = run(arguments, options.seconds)
                name = f"{path.name}: {' '.join(map(str, [command[0], *command[2:]]))}"
                slowest, largest = max(slowest, (seconds, name)), max(largest, (resident, name))
                reason = None
                if status < 0:
                    reason = f"signal {signal.Signals(-status).name}"
                elif status > 1 or (status == 1 and not err.startswith("martlet: ") and "FAIL " not in out and '"error"' not in out):
                    reason = f"status {status} without an error"
                elif seconds > options.seconds:
                    reason = f"{seconds:.1f} s"
                elif resident > options.resident:
                    reason = f"{resident:.0f} MiB"
                if reason:
                    failures += 1
                    print(f"FAIL {name}: {reason}: {err[:200]!r}", flush=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"hostile files: {runs} runs, {failures} failed; most processor time {slowest[0]:.1f} s ({slowest[1]}), "
          f"most resident memory {largest[0]:.0f} MiB ({largest[1]})")
    return 1 if failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
