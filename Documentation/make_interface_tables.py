"""Writes each interface's table from its surface and the tests that it names; with --check, only says whether they are up to date.

A surface is a file of rows of five columns, tabs between them: type, declaration, state, test and pattern. Each row is one
declaration and names a test of its behaviour, whose code the pattern must occur in: the declaration in use. The script fails where
there is no such test or it does not use the declaration. A row that is absent says why in place of the test, and has no pattern.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STATES = {"works", "throws a typed error", "absent"}
# For each surface, what is described and the folders of its tests.
SURFACES = {
    "ExecuTorch": ("The ExecuTorch interface", ["ExecuTorchTests"]),
    "ExecuTorchLLM": ("The interface of ExecuTorch's language models", ["ExecuTorchLLMTests"]),
    "CoreGraphics": ("The Core Graphics interface", ["CoreGraphicsTests"]),
    "CoreML": ("The Core ML and Core Video interfaces", ["CoreMLTests", "CoreVideoTests", "MartletResourcesTests"]),
    "CoreImage": ("The Core Image interface", ["CoreImageTests"]),
    "QuartzCore": ("The Quartz Core interface", ["QuartzCoreTests"]),
    "VideoToolbox": ("The Video Toolbox interface", ["VideoToolboxTests"]),
    "UniformTypeIdentifiers": ("The interface of types of files", ["UniformTypeIdentifiersTests"]),
    "ImageIO": ("The Image I/O interface", ["ImageIOTests"]),
    "OSLog": ("The interface of log messages", ["OSLogTests"]),
    "Vision": ("The Vision interface", ["VisionTests"]),
}


def code(text, start):
    """A test with its attribute: from the attribute before `start` to the brace that closes the body."""
    depth = 0
    for end in range(text.index("{", start), len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            break
    return text[text.rfind("@Test", 0, start):end + 1]


def tests(folders):
    """Path and code of every test by its name."""
    found = {}
    for folder in folders:
        for file in sorted((ROOT / "Tests" / folder).rglob("*.swift")):
            text = file.read_text()
            for match in re.finditer(r"func `([^`]+)`", text):
                found[match[1]] = (file.relative_to(ROOT), code(text, match.start()))
    return found


def table(name):
    """The page of an interface, and what is wrong with its rows."""
    title, folders = SURFACES[name]
    found, wrong = tests(folders), []
    lines = [
        f"# {title}, row by row", "",
        f"Made by `python Documentation/{pathlib.Path(__file__).name}` from `{name}Surface.tsv`. A row counts only if a test shows its "
        "behaviour; one that merely compiles is absent.", "", "| type | declaration | | test |", "|---|---|---|---|",
    ]
    for number, row in enumerate((ROOT / f"Documentation/{name}Surface.tsv").read_text().splitlines(), 1):
        cells = row.split("\t")
        if len(cells) != 5 or cells[2] not in STATES:
            wrong.append(f"{name}Surface.tsv:{number}: not five columns with a state in the third")
            continue
        kind, declaration, state, test, use = cells
        if state == "absent":
            shown = test
        elif test not in found:
            wrong.append(f"{kind} {declaration}: there is no test named {test!r}")
            continue
        else:
            shown = f"[{test}](../{found[test][0]})"
            if not re.search(use, found[test][1]):
                wrong.append(f"{kind} {declaration}: the test {test!r} does not use it ({use})")
        declaration = declaration.replace("|", "\\|")
        lines.append(f"| `{kind}` | `{declaration}` | {state} | {shown} |")
    return "\n".join(lines) + "\n", wrong


def main():
    faults = []
    for name in SURFACES:
        text, wrong = table(name)
        faults += wrong
        target = ROOT / f"Documentation/{name}API.md"
        if "--check" in sys.argv:
            if not target.exists() or target.read_text() != text:
                faults.append(f"{target.name} is out of date: run {pathlib.Path(__file__).name}")
        elif not wrong:
            target.write_text(text)
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
