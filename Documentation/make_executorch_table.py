"""Writes ExecuTorchAPI.md from ExecuTorchSurface.tsv and the tests that it names; with --check, only says whether it is up to date.

Each row of the surface names a test of behaviour. The script fails where that test does not exist.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATES = {"works", "throws a typed error", "absent"}


def main():
    tests = {}
    for file in sorted((ROOT / "Tests/ExecuTorchTests").rglob("*.swift")):
        for name in re.findall(r"func `([^`]+)`", file.read_text()):
            tests[name] = file.relative_to(ROOT)
    lines = [
        "# The ExecuTorch interface, row by row", "",
        "Made by `python Documentation/make_executorch_table.py` from `ExecuTorchSurface.tsv`. A row counts only if a test shows its "
        "behaviour; one that merely compiles is absent.", "", "| type | declarations | | test |", "|---|---|---|---|",
    ]
    for row in (ROOT / "Documentation/ExecuTorchSurface.tsv").read_text().splitlines():
        kind, declarations, state, test = row.split("\t")
        if state not in STATES:
            sys.exit(f"{declarations}: {state!r} is no state")
        if state != "absent" and test not in tests:
            sys.exit(f"{kind} {declarations}: there is no test named {test!r}")
        shown = f"[{test}](../{tests[test]})" if state != "absent" else ""
        lines.append(f"| `{kind}` | `{declarations}` | {state} | {shown} |")
    text = "\n".join(lines) + "\n"
    target = ROOT / "Documentation/ExecuTorchAPI.md"
    if "--check" in sys.argv:
        if not target.exists() or target.read_text() != text:
            sys.exit(f"{target.name} is out of date: run {pathlib.Path(__file__).name}")
    else:
        target.write_text(text)


if __name__ == "__main__":
    main()
