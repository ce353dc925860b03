"""Makes recorded single-operator cases: a program, its inputs, its expected outputs and a case.json each.

  python make_op_cases.py --out DIRECTORY [--only SUBSTRING] [--jobs 2] [--report FILE]
  python make_op_cases.py --fixture DIRECTORY [--from DIRECTORY]

The first form writes every variant that exporter and runtime accept, as DIRECTORY/<operator>__<k>, and prints the variants that
could not be made and those where ExecuTorch and torch disagree. The second copies a small sample of an existing --out directory (default:
makes one first), about two cases per operator.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

# Maximum size of a fixture case, and maximum number of cases per operator.
FIXTURE_CASE_BYTES, FIXTURE_CASES_PER_OPERATOR = 6000, 2


def folder_name(operator):
    return re.sub(r"::|\.", "_", operator)


def all_variants():
    """{operator: [(label, call)]} in the order of the tables."""
    import torch
    import op_cases.recording as recording
    from op_cases import elementwise, layers, primitives, quantized, reductions, shapes
    from op_cases.values import Values

    def find(operator):
        namespace, rest = operator.split("::")
        packet = getattr(getattr(torch.ops, namespace), rest.split(".")[0])
        for overload in packet.overloads():
            candidate = getattr(packet, overload)
            if "out" not in overload and (recording.out_name(candidate) or f"{namespace}::{rest.split('.')[0]}.{overload}_out") == operator:
                return candidate
        raise LookupError(f"no functional overload for {operator}")

    grouped = {}
    for module in (
        elementwise.elementwise,
        reductions.reductions,
        shapes.shapes,
        layers.layers,
        quantized.quantized,
        primitives.primitives,
    ):
        for operator, label, call in module(find, Values):
            grouped.setdefault(operator, []).append((label, call))
    return grouped


def make_operator(operator, cases, out, first, log):
    """Writes the cases of an operator from index `first` on. Each line of `log` is the outcome of one case."""
    from op_cases.recording import NotMade, record

    for k in range(first, len(cases)):
        label, call = cases[k]
        name = f"{folder_name(operator)}__{k}"
        log.write(json.dumps({"k": k, "started": True}) + "\n")
        log.flush()
        try:
            notes = record(call, operator, name, out / name, label)
            log.write(json.dumps({"k": k, "label": label, "notes": notes}) + "\n")
        except NotMade as refusal:
            log.write(json.dumps({"k": k, "label": label, "refused": str(refusal)}) + "\n")
        except Exception as error:
            log.write(json.dumps({"k": k, "label": label, "refused": f"script: {type(error).__name__}: {str(error)[:200]}"}) + "\n")
        log.flush()


def run_operator(operator, cases, out, logs):
    """Makes the cases of an operator in child processes, because some errors abort the process. Returns the outcomes."""
    path, outcomes, first = logs / folder_name(operator), [], 0
    while first < len(cases):
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            with open(path, "w") as log:
                make_operator(operator, cases, out, first, log)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        outcomes += [line for line in lines if "started" not in line]
        if status == 0:
            break
        crashed = lines[-1]["k"] if lines else first
        outcomes.append({"k": crashed, "label": cases[crashed][0], "refused": "runtime: aborts the process"})
        shutil.rmtree(out / f"{folder_name(operator)}__{crashed}", ignore_errors=True)
        first = crashed + 1
    return operator, outcomes


def make(out, only, jobs, report):
    import torch

    torch.set_num_threads(1)
    out.mkdir(parents=True, exist_ok=True)
    grouped = {o: c for o, c in all_variants().items() if not only or only in o}
    made, refused, differing = 0, {}, []
    with tempfile.TemporaryDirectory() as logs, ThreadPoolExecutor(jobs) as pool:
        for operator, outcomes in pool.map(lambda item: run_operator(*item, out, pathlib.Path(logs)), grouped.items()):
            for outcome in outcomes:
                if "refused" in outcome:
                    refused.setdefault(operator, []).append((outcome["label"], outcome["refused"]))
                else:
                    made += 1
                    if outcome["notes"]:
                        differing.append((operator, outcome["k"], outcome["label"]))
            if len(refused.get(operator, [])) == len(grouped[operator]):
                print(f"NONE MADE {operator}: {refused[operator][0]}", flush=True)
    for operator, cases in refused.items():
        for label, reason in cases:
            print(f"not made: {operator} [{label}] {reason}")
    for operator, k, label in differing:
        print(f"ExecuTorch differs from torch: {folder_name(operator)}__{k} [{label}]")
    print(
        f"{made} cases of {sum(o not in refused or len(refused[o]) < len(c) for o, c in grouped.items())} operators made, "
        f"{sum(map(len, refused.values()))} variants refused, {len(differing)} differ from torch"
    )
    if report:
        report.write_text(json.dumps({"made": made, "refused": refused, "differing": differing}, indent=1))


def write_fixture(source, destination):
    """Copies the smallest distinct cases of every operator, preferably those where ExecuTorch and torch agree."""
    by_operator = {}
    for folder in sorted(source.iterdir()):
        case = json.loads((folder / "case.json").read_text())
        size = sum(f.stat().st_size for f in folder.iterdir())
        differs = case["oracle"] != "executorch-1.4.1 runtime"
        by_operator.setdefault(case["op"], []).append(
            (differs or size > FIXTURE_CASE_BYTES, int(folder.name.rsplit("__", 1)[1]), size, folder)
        )
    shutil.rmtree(destination, ignore_errors=True)
    total = count = 0
    for cases in by_operator.values():
        cases.sort(key=lambda c: c[:2])
        chosen = cases[:1] + [c for c in cases[len(cases) // 2 :] if not c[0]][: FIXTURE_CASES_PER_OPERATOR - 1]
        for _, _, size, folder in {c[3]: c for c in chosen}.values():
            shutil.copytree(folder, destination / folder.name)
            total, count = total + size, count + 1
    print(f"{count} cases of {len(by_operator)} operators, {total} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", help="part of an operator's name")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--report", type=pathlib.Path)
    parser.add_argument("--fixture", type=pathlib.Path)
    parser.add_argument("--from", type=pathlib.Path, dest="source")
    arguments = parser.parse_args()
    if bool(arguments.out) == bool(arguments.fixture):
        parser.error("either --out or --fixture")
    if arguments.out:
        make(arguments.out, arguments.only, arguments.jobs, arguments.report)
        return
    with tempfile.TemporaryDirectory() as temporary:
        if not arguments.source:
            make(pathlib.Path(temporary), None, arguments.jobs, None)
        write_fixture(arguments.source or pathlib.Path(temporary), arguments.fixture)


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    main()
