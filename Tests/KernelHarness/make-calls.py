#!/usr/bin/env python3
"""Writes the files `Calls.swift`: functions of C modules under the same names, for the other files of a Swift module.

    Tests/KernelHarness/make-calls.py [--check]

Swift loads the C modules that a Swift module imports wherever that Swift module is loaded. A package of the same graph that does not depend
on Martlet, but asks `#if canImport(CoreML)`, could not find them. So no C module is imported whose functions take and give numbers and
pointers: these are declared as `@_extern(c)`. One with structures is imported as `@_implementationOnly`, which ends the chain, too, with a
warning for each file that says so: one file of a Swift module.

    --check   fails if a file is not what this script would write

Needs `swift-synthesize-interface` of the toolchain.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# C module, prefixes of its names, Swift module with the file, access of the functions, all Swift modules that use them, structures.
MODULES = [
    ("CMartletKernels", "mk|MK", "MartletKernels", "", ["MartletKernels"], True),
    ("CMartletMappedFiles", "martlet|MARTLET", "MartletBytes", "package ", ["MartletBytes", "Martlet"], False),
    ("CMartletPictureCodecs", "martlet|MARTLET", "MartletMedia", "", ["MartletMedia"], True),
    ("CMartletLog", "mk|MK", "MartletLog", "", ["MartletLog"], False),
]


def interface(module):
    with tempfile.TemporaryDirectory() as folder:
        module_map = pathlib.Path(folder) / "module.modulemap"
        headers = ROOT / "Sources" / module / "include"
        module_map.write_text(f'module {module} {{\n  umbrella "{headers}"\n  export *\n}}\n')
        output = pathlib.Path(folder) / "interface"
        subprocess.run(
            ["swift-synthesize-interface", "-module-name", module, "-target", "x86_64-unknown-linux-gnu",
             "-Xcc", f"-fmodule-map-file={module_map}", "-module-cache-path", folder, "-o", str(output)], check=True)
        return output.read_text()


def used_names(prefixes, users):
    """Names of C declarations that the files of the modules `users` mention."""
    names = set()
    for user in users:
        for file in (ROOT / "Sources" / user).rglob("*.swift"):
            if file.name != "Calls.swift":
                names.update(re.findall(rf"\b(?:{prefixes})_\w+", file.read_text()))
    return names


def parameters(text):
    """The parameters of a function, split at commas outside brackets."""
    depth, start, parts = 0, 0, []
    for i, c in enumerate(text):
        depth += (c in "(<[") - (c in ")>]")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [part.strip() for part in parts + [text[start:]] if part.strip()]


def value(module, name):
    """The number that a macro of the module's headers stands for."""
    for header in (ROOT / "Sources" / module / "include").glob("*.h"):
        if match := re.search(rf"^#define {name} (\d+)$", header.read_text(), re.MULTILINE):
            return match[1]
    sys.exit(f"{module}: {name} is no number")


def text(module, prefixes, access, users, has_structures):
    names = used_names(prefixes, users)
    types, constants, functions = [], [], []
    for line in interface(module).splitlines():
        if match := re.match(rf"public (?:struct|typealias) ((?:{prefixes})_\w+)", line):
            types.append(match[1])
        elif match := re.match(rf"public var ((?:{prefixes})_\w+): (.+) {{ get }}", line):
            if match[1] in names:
                number = f"{module}.{match[1]}" if has_structures else value(module, match[1])
                constants.append(f"@inline(__always) {access}var {match[1]}: {match[2]} {{ {number} }}")
        elif match := re.match(rf"public func ((?:{prefixes})_\w+)\((.*)\)( -> .+)?$", line):
            name, result = match[1], match[3] or ""
            arguments = re.sub(r"_ (guard|in|default|repeat|operator):", r"_ `\1`:", match[2])
            if name not in names:
                continue
            if not has_structures:
                functions.append(f'@_extern(c, "{name}") {access}func {name}({arguments}){result}')
                continue
            passed = ", ".join(re.match(r"_ (\w+|`\w+`):", p)[1] for p in parameters(arguments))
            unsafe = "unsafe " if re.search("Unsafe|Opaque|_body", line) else ""
            functions.append(f"@inline(__always) {access}func {name}({arguments}){result} {{ {unsafe}{module}.{name}({passed}) }}")
    mentioned = names | set(re.findall(rf"\b(?:{prefixes})_\w+", "\n".join(constants + functions)))
    aliases = [f"typealias {name} = {module}.{name}" for name in types if name in mentioned]
    head = ["// swift-format-ignore-file", "// Written by Tests/KernelHarness/make-calls.py, which says why. Do not edit."]
    if has_structures:
        head.append(f"@_implementationOnly import {module}")
    parts = [head, aliases, constants, functions]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


if __name__ == "__main__":
    for module, prefixes, target, access, users, has_structures in MODULES:
        output = ROOT / "Sources" / target / "Calls.swift"
        new = text(module, prefixes, access, users, has_structures)
        if "--check" not in sys.argv[1:]:
            output.write_text(new)
        elif not output.exists() or output.read_text() != new:
            sys.exit(f"{output.relative_to(ROOT)} is not up to date: run Tests/KernelHarness/make-calls.py")
