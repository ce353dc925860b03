"""Writes the ML Programs of recorded cases as single files that contain their weights, for fuzzing.

  python make_fuzz_corpus.py --out DIRECTORY [--largest BYTES] FOLDER ...

Models that would be larger than BYTES are skipped.
"""
import argparse
import pathlib
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import numpy as np

MIL = ct.proto.MIL_pb2
BYTES = {MIL.FLOAT16, MIL.INT8, MIL.UINT8, MIL.UINT32, MIL.INT4, MIL.UINT4, MIL.UINT1, MIL.UINT2, MIL.UINT3, MIL.UINT6}


def inlined(value, folder, blobs):
    name, offset = value.blobFileValue.fileName, value.blobFileValue.offset
    path = folder / name.removeprefix("@model_path/")
    blob = blobs.setdefault(path, path.read_bytes())
    size, start = np.frombuffer(blob, np.uint64, 2, offset + 8)
    data, kind = blob[int(start):int(start + size)], value.type.tensorType.dataType
    tensor = value.immediateValue.tensor
    if kind == MIL.FLOAT32:
        tensor.floats.values.extend(np.frombuffer(data, np.float32))
    elif kind in (MIL.INT32, MIL.INT16, MIL.UINT16):
        types = {MIL.INT32: np.int32, MIL.INT16: np.int16, MIL.UINT16: np.uint16}
        tensor.ints.values.extend(int(x) for x in np.frombuffer(data, types[kind]))
    elif kind == MIL.BOOL:
        tensor.bools.values.extend(bool(x) for x in data)
    elif kind in BYTES:
        tensor.bytes.values = data
    else:
        raise ValueError(f"constants of type {kind}")


def values(message):
    """All values within a message, recursively."""
    if isinstance(message, MIL.Value):
        yield message
    for field, content in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.GetOptions().map_entry:
            parts = content.values() if field.message_type.fields_by_name["value"].message_type else []
        else:
            parts = content if field.is_repeated else [content]
        for part in parts:
            yield from values(part)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--largest", type=int, default=20_000)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    count = 0
    for package in sorted(path for folder in arguments.folders for path in folder.rglob("*.mlpackage")):
        source = package / "Data/com.apple.CoreML/model.mlmodel"
        if not source.exists() or sum(path.stat().st_size for path in package.rglob("*") if path.is_file()) > 2 * arguments.largest:
            continue
        model = ct.proto.Model_pb2.Model()
        model.ParseFromString(source.read_bytes())
        if model.WhichOneof("Type") != "mlProgram":
            continue
        blobs = {}
        for value in list(values(model.mlProgram)):
            if value.HasField("blobFileValue"):
                inlined(value, source.parent, blobs)
        data = model.SerializeToString(deterministic=True)
        if len(data) <= arguments.largest:
            (arguments.out / f"{package.parent.name}.mlmodel").write_bytes(data)
            count += 1
    print(f"{count} files")


main()
