"""Exports tiny language models in every form that upstream's exporters write, and records what they compute step by step.

  python make_language_models.py [--out DIRECTORY] [--only SUBSTRING] [--jobs N]
  python make_language_models.py --all --out DIRECTORY
  python make_language_models.py --table Documentation/LanguageModels.md --martlet PATH --from DIRECTORY

The first form writes the fixtures of the project, Tests/Fixtures/language-models. The second writes every combination of a cache and a kind of
weights, portable and for XNNPACK; the third runs these with `martlet verify` and writes the table of the documentation.

Models have random weights, one or two layers, 64 tokens, and a context of 24. Each begins a new conversation at position 0 before it ends, and
rings are written past their end. Expected are the results of ExecuTorch's runtime; where it fails or disagrees with the model, the model's own
in torch, which `oracle` and `notes` in case.json say.

Versions: see requirements.txt.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import traceback

BACKENDS = ("portable", "xnnpack")


def write(job):
    """Writes one case; returns its name and what is to be said about it."""
    key, out = job
    from language_models import cases, recording

    folder = out / key.replace("/", "-")
    try:
        return key, recording.record(key, cases.case(key), folder)
    except recording.NotMade as error:
        shutil.rmtree(folder, ignore_errors=True)
        return key, f"not made: {error}"
    except Exception as error:
        shutil.rmtree(folder, ignore_errors=True)
        traceback.print_exc()
        return key, f"failed: {type(error).__name__}: {str(error).splitlines()[0][:200] if str(error) else ''}"


def main():
    root = pathlib.Path(__file__).parent.parent
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=root / "Tests/Fixtures/language-models")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    from language_models import cases

    keys = [key for key in (cases.everything() if options.all else cases.fixtures()) if re.search(options.only, key)]
    if options.list:
        print("\n".join(keys))
        return
    options.out.mkdir(parents=True, exist_ok=True)
    jobs = [(key, options.out) for key in keys]
    if options.jobs > 1:
        with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
            results = list(pool.map(write, jobs))
    else:
        results = []
        for job in jobs:
            results.append(write(job))
            print(*results[-1], flush=True)
    bad = [r for r in results if r[1].startswith("failed")]
    print(f"{len(results) - len(bad)} made or refused, {len(bad)} failed")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
