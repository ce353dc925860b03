"""Writes ExecuTorchAPI.md from ExecuTorchSurface.tsv and the tests that it names; with --check, only says whether it is up to date.

Each row of the surface is one declaration and names a test of its behaviour, with a pattern that the test's code must contain:
the declaration in use. The script fails where there is no such test or it does not use the declaration.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATES = {"works", "throws a typed error", "absent"}


def code(text, start):
    """A test with its attribute: from the attribute before `start` to the brace that closes the body."""
    depth = 0
    for end in range(text.index("{", start), len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            break
    return text[text.rfind("@Test", 0, start):end + 1]


def main():
    tests = {}
    for file in sorted((ROOT / "Tests/ExecuTorchTests").rglob("*.swift")):
        text = file.read_text()
        for match in re.finditer(r"func `([^`]+)`", text):
            tests[match[1]] = (file.relative_to(ROOT), code(text, match.start()))
    lines = [
        "# The ExecuTorch interface, row by row", "",
        "Made by `python Documentation/make_executorch_table.py` from `ExecuTorchSurface.tsv`. A row counts only if a test shows its "
        "behaviour; one that merely compiles is absent.", "", "| type | declaration | | test |", "|---|---|---|---|",
    ]
    for row in (ROOT / "Documentation/ExecuTorchSurface.tsv").read_text().splitlines():
        kind, declaration, state, test, use = row.split("\t")
        if state not in STATES:
            sys.exit(f"{declaration}: {state!r} is no state")
        if state != "absent" and test not in tests:
            sys.exit(f"{kind} {declaration}: there is no test named {test!r}")
        if state != "absent" and not re.search(use, tests[test][1]):
            sys.exit(f"{kind} {declaration}: the test {test!r} does not use it")
        shown = f"[{test}](../{tests[test][0]})" if state != "absent" else ""
        lines.append(f"| `{kind}` | `{declaration}` | {state} | {shown} |")
    text = "\n".join(lines) + "\n"
    target = ROOT / "Documentation/ExecuTorchAPI.md"
    if "--check" in sys.argv:
        if not target.exists() or target.read_text() != text:
            sys.exit(f"{target.name} is out of date: run {pathlib.Path(__file__).name}")
    else:
        target.write_text(text)


if __name__ == "__main__":
    main()
