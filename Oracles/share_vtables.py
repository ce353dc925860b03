"""Copies files and shares every vtable that can be shared: programs, bundled programs, data files and XNNPACK payloads.

  python share_vtables.py FILE ... --out DIRECTORY
  python share_vtables.py --fixtures [--root REPOSITORY]

The FlatBuffers builder for Python, which exporters use, shares a vtable between tables with equal field offsets, even if the tables differ in
size. The size in the vtable then depends on the order of writing. This script makes all such tables refer to the vtable with the smallest
size, both in the file and in a program or payload inside it. Nothing else changes.

Versions: see requirements.txt.
"""
import argparse
import collections
import pathlib
import re
import struct
import subprocess
import tempfile

import executorch

PACKAGE = pathlib.Path(list(executorch.__path__)[0])
FLATC = PACKAGE / "data/bin/flatc"
SCHEMAS = {
    b"ET12": "schema/program.fbs",
    b"BP08": "devtools/bundled_program/schema/bundled_program_schema.fbs",
    b"FT01": "extension/flat_tensor/serialize/flat_tensor.fbs",
    b"XN01": "backends/xnnpack/serialization/schema.fbs",
}
FIXTURES = ["constants.pte", "values.pte", "rare_kinds.pte", "xnnpack_inline.pte", "xnnpack_int8.pte", "xnnpack_nodes.xnn", "blobs.ptd",
            "bundled_values.bpte"]
TABLE = re.compile(r"^ +\+0x([0-9A-F]+) \|.*\| SOffset32 .*\| offset to vtable$", re.MULTILINE)


def tables(flatbuffer):
    """The positions of all tables."""
    source = PACKAGE / SCHEMAS[bytes(flatbuffer[4:8])]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([FLATC, "--binary", "--schema", "-o", folder, source], check=True)
        (folder / "content.bin").write_bytes(flatbuffer)
        command = [FLATC, "--annotate", folder / source.with_suffix(".bfbs").name, "--", folder / "content.bin"]
        subprocess.run(command, check=True, cwd=folder)
        text = (folder / "content.afb").read_text()
    return sorted({int(position, 16) for position in TABLE.findall(text)})


def share(data, start, end):
    """Shares the vtables of the flatbuffer at `start`. Returns the number of tables whose vtable has changed."""
    groups = collections.defaultdict(list)
    for table in tables(data[start:end]):
        table += start
        vtable = table - struct.unpack_from("<i", data, table)[0]
        size, table_size = struct.unpack_from("<HH", data, vtable)
        groups[bytes(data[vtable + 4:vtable + size])].append((table_size, vtable, table))
    changed = 0
    for group in groups.values():
        _, shared, _ = min(group)
        for _, vtable, table in group:
            struct.pack_into("<i", data, table, table - shared)
            changed += vtable != shared
    return changed


def flatbuffers(data):
    """The ranges (start, end) of the flatbuffer of the file and of those inside."""
    if data[4:8] in SCHEMAS:
        # The flatbuffer precedes any segments, whose bytes are never reached.
        yield 0, len(data)
    for match in re.finditer(b"ET12", data):
        if match.start() > 4:
            yield match.start() - 4, len(data)
    for match in re.finditer(b"XH00", data):
        start = match.start() - 4
        offset, size = struct.unpack_from("<II", data, start + 10)
        yield start + offset, start + offset + size


def convert(path, out):
    data = bytearray(path.read_bytes())
    counts = [share(data, start, end) for start, end in flatbuffers(bytes(data))]
    out.mkdir(parents=True, exist_ok=True)
    (out / path.name).write_bytes(data)
    print(f"{path.name}: tables whose vtable has changed: {counts}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--fixtures", action="store_true", help="those of the readers' tests")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    if arguments.fixtures:
        folder = arguments.root / "Tests/MartletExecuTorchFileTests/Fixtures"
        arguments.files, arguments.out = [folder / name for name in FIXTURES], folder / "SharedVtables"
    for path in arguments.files:
        convert(path, arguments.out)


if __name__ == "__main__":
    main()
