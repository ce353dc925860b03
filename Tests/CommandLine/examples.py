#!/usr/bin/env python3
"""Builds and runs each package of Examples as its README says, and compares what it prints and the pictures that it writes with those there.

    Tests/CommandLine/examples.py [--scratch BUILD FOLDER] [EXAMPLE ...]

A README has the lines `swift run -c release NAME`, `prints` and what is printed, the first and the last indented. A picture that it shows from its
own folder has the name of one that the example writes. Numbers may differ by 2 % or by two of the last digit, colours of a picture by one level
on average. With the build folder of this package, its modules are not compiled again. All examples are built as dependencies of one package, so
that what they share is planned and compiled once.
"""

import argparse
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def shown(readme):
    """The lines that the README says are printed, and the names of the pictures that it shows."""
    text = readme.read_text()
    found = re.search(r"^    swift run -c release (\w+)\n\nprints\n\n((?:    .*\n)+)", text, re.MULTILINE)
    if found is None:
        sys.exit(f"{readme}: no command and what it prints")
    return [line[4:] for line in found[2].splitlines()], re.findall(r"!\[[^\]]*\]\(([^)/]+)\)", text)


def agree(wanted, printed):
    """Whether two lines are equal but for small differences of their numbers."""
    if NUMBER.sub("#", wanted).split() != NUMBER.sub("#", printed).split():
        return False
    for a, b in zip(NUMBER.findall(wanted), NUMBER.findall(printed)):
        digit = 10.0 ** -len(a.partition(".")[2])
        if abs(float(a) - float(b)) > max(0.02 * float(a), 2.01 * digit):
            return False
    return True


def pixels(path):
    """Width, height, components and bytes of a PNG file with 8 bits, without interlacing."""
    data, position, packed = path.read_bytes(), 8, b""
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position:position + 8])
        body = data[position + 8:position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            count = {0: 1, 2: 3, 4: 2, 6: 4}[color]
            assert depth == 8 and not interlaced, path
        elif kind == b"IDAT":
            packed += body
        position += length + 12
    rows, above = zlib.decompress(packed), bytearray(width * count)
    result, stride = bytearray(), width * count
    for y in range(height):
        rule, row = rows[y * (stride + 1)], bytearray(rows[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left, up, corner = (row[x - count], above[x], above[x - count]) if x >= count else (0, above[x], 0)
            if rule == 1:
                guess = left
            elif rule == 2:
                guess = up
            elif rule == 3:
                guess = (left + up) // 2
            elif rule == 4:
                guess = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            else:
                guess = 0
            row[x] = (row[x] + guess) & 255
        result += row
        above = row
    return width, height, count, result


def picture_fault(wanted, written):
    """What differs between two pictures, or None."""
    if not written.exists():
        return "is not written"
    *form, a = pixels(wanted)
    *other, b = pixels(written)
    if form != other:
        return f"has width, height and components {other}, not {form}"
    difference = sum(abs(x - y) for x, y in zip(a, b)) / len(a)
    return f"differs by {difference:.2f} on average" if difference > 1 else None


def build(names, scratch):
    """Builds the examples' programs; ends with the compiler's messages if one fails."""
    with tempfile.TemporaryDirectory() as work:
        package = pathlib.Path(work)
        (package / "Sources").mkdir()
        (package / "Sources/main.swift").write_text("")
        depend = ", ".join(f'.package(path: "{ROOT}/Examples/{name}")' for name in names)
        products = ", ".join(f'.product(name: "{name}", package: "{name}")' for name in names)
        (package / "Package.swift").write_text(
            "// swift-tools-version: 6.2\nimport PackageDescription\n\n"
            f'let package = Package(name: "Examples", dependencies: [{depend}],\n'
            f'  targets: [.executableTarget(name: "AllExamples", dependencies: [{products}], path: "Sources")])\n')
        if (ROOT / "Package.resolved").exists():
            shutil.copy(ROOT / "Package.resolved", package)
        command = ["swift", "build", "-c", "release", "--package-path", work, "--scratch-path", scratch, "--product", "AllExamples"]
        built = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines = built.stdout.splitlines()
        warnings = [line for line in lines if "/Examples/" in line and "warning:" in line]
        if built.returncode != 0 or warnings:
            sys.exit("\n".join(["FAIL the build", *(warnings if built.returncode == 0 else lines[-60:])]))


def check(name, scratch):
    """Runs an example, and returns what is wrong."""
    folder = ROOT / "Examples" / name
    lines, pictures = shown(folder / "README.md")
    faults = []
    with tempfile.TemporaryDirectory() as work:
        ran = subprocess.run([scratch / "release" / name], cwd=work, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        printed = ran.stdout.splitlines()
        if ran.returncode != 0:
            faults.append(f"ends with status {ran.returncode}")
        if len(lines) != len(printed) or not all(map(agree, lines, printed)):
            faults += ["prints", *printed, "instead of", *lines]
        if faults:
            faults += ran.stderr.splitlines()[-10:]
        for picture in pictures:
            fault = picture_fault(folder / picture, pathlib.Path(work) / picture)
            if fault:
                faults.append(f"{picture} {fault}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / ".build")
    parser.add_argument("examples", nargs="*")
    options = parser.parse_args()
    names = options.examples or sorted(path.parent.name for path in ROOT.glob("Examples/*/Package.swift"))
    begin = time.monotonic()
    build(names, options.scratch.resolve())
    print(f"built in {time.monotonic() - begin:.0f} s", flush=True)
    failed = False
    for name in names:
        faults = check(name, options.scratch.resolve())
        print(f"{'FAIL' if faults else 'ok'} {name}", *faults, sep="\n  ", flush=True)
        failed = failed or bool(faults)
    sys.exit(failed)


if __name__ == "__main__":
    main()
