"""Compares the snippets in Tests/GuideTests with the guides that they come from, line by line.

  check_guides.py COREML-GUIDE EXECUTORCH-GUIDE

A snippet stands between the marks `// guide` and `// end`; only its indentation is free. It may be interrupted by `// end` … `// guide`,
and a line in place of one of the guide's follows `// guide's line: ` with the latter. Each line of code of a guide must be in a snippet,
in an import of the file or below, where it says why there is no test.
"""
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent / "GuideTests"
# By the first line of a snippet of ExecuTorch's guide.
EXCEPTIONS = {
    "// swift-tools-version:5.9": "a manifest; Tests/CommandLine/other-host.sh resolves ours",
}
# How a line of Swift begins in the Core ML guide, whose snippets have no marks.
SWIFT = re.compile(
    r"import \w+$|(let|var) \w+[:= ]|func \w+\(|guard .* else|for \w+ in |if (let|case) |try |print\(|return \w+$|[])}]|//|\w+(\.\w+)+ = |"
    r"\w+\??(\.\w+)*[\[(].*[\[({]?$(?<![.a-z])")


def bare(text):
    return [line.strip() for line in text.split("\n") if line.strip()]


def pieces(file):
    """Runs of lines of a guide that a file of tests has, without blank lines, and the file's imports."""
    found, current, skip = [], None, False
    text = (TESTS / file).read_text()
    for line in bare(text):
        if line == "// guide":
            current = []
        elif line == "// end":
            found.append(current)
            current = None
        elif current is not None:
            if skip:
                skip = False
            elif line.startswith("// guide's line: "):
                current.append(line.removeprefix("// guide's line: "))
                print(f"filled in: {current[-1]}")
                # A comment of the guide has code of the test in its place, too.
                skip = True
            else:
                current.append(line)
    return found, {line for line in bare(text) if line.startswith("import ")}


def cover(lines, runs, file):
    """Which of a guide's lines are in the runs, all of which must occur in it."""
    covered, wrong = set(), []
    for run in runs:
        places = [start for start in range(len(lines)) if lines[start:start + len(run)] == run]
        if not places:
            wrong.append(f"{file}: not in the guide:\n    " + "\n    ".join(run))
        for start in places:
            covered.update(range(start, start + len(run)))
    return covered, wrong


def check_coreml(guide):
    lines = bare(pathlib.Path(guide).read_text(encoding="utf-8"))
    runs, imports = pieces("CoreMLGuideTests.swift")
    covered, wrong = cover(lines, runs, "CoreMLGuideTests.swift")
    for number, line in enumerate(lines):
        if number not in covered and line not in imports and SWIFT.match(line):
            wrong.append(f"CoreMLGuideTests.swift: no test has {line!r}")
    return len(runs), len(covered), wrong


def check_executorch(guide):
    text = pathlib.Path(guide).read_text(encoding="utf-8")
    runs, imports = pieces("ExecuTorchGuideTests.swift")
    covered, wrong, count = 0, [], 0
    used = set()
    for snippet in re.findall(r"^```swift\n(.*?)^```$", text, re.M | re.S):
        lines = [line for line in bare(snippet) if line not in imports]
        if not lines:
            continue
        count += 1
        if lines[0] in EXCEPTIONS:
            print(f"no test of {lines[0]!r}: {EXCEPTIONS[lines[0]]}")
            continue
        here = set()
        for index, run in enumerate(runs):
            for start in range(len(lines)):
                if lines[start:start + len(run)] == run:
                    here.update(range(start, start + len(run)))
                    used.add(index)
        covered += len(here)
        wrong += [f"ExecuTorchGuideTests.swift: no test has {lines[n]!r}" for n in range(len(lines)) if n not in here]
    wrong += ["ExecuTorchGuideTests.swift: not in the guide:\n    " + "\n    ".join(run) for n, run in enumerate(runs) if n not in used]
    return count, covered, wrong


def main(coreml, executorch):
    faults = []
    for name, result in [("Core ML", check_coreml(coreml)), ("ExecuTorch", check_executorch(executorch))]:
        print(f"{name}: {result[0]} snippets, {result[1]} lines as in the guide")
        faults += result[2]
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main(*sys.argv[1:])
