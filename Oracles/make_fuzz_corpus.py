"""Writes small models for fuzzing: tree ensembles of three nodes with every kind of branch, and the ML Programs of recorded cases as single
files that contain their weights.

  python make_fuzz_corpus.py --out DIRECTORY [--largest BYTES] [FOLDER ...]

Programs that would be larger than BYTES are skipped.
"""
import argparse
import pathlib
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import numpy as np
from coremltools.models import datatypes
from coremltools.models.tree_ensemble import TreeEnsembleClassifier, TreeEnsembleRegressor

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


BRANCHES = ["LessThanEqual", "LessThan", "GreaterThanEqual", "GreaterThan", "Equal", "NotEqual"]
# Labels, transform, extents of a leaf's value, feature of the label.
CLASSIFIERS = [
    ((0, 1), "Classification_SoftMax", 2, "label"),
    (("a", "b", "c"), "Classification_SoftMax", 3, "class"),
    ((0, 1), "Regression_Logistic", 1, "label"),
    ((0, 1), "Classification_SoftMaxWithZeroClassReference", 1, "class"),
    (("u", "v"), "NoTransform", 2, "label"),
]


def trees():
    """Ensembles of one branch and two leaves, by name."""
    for position, branch in enumerate(BRANCHES):
        inputs = [("x", datatypes.Array(2))] if position % 2 else [("x", datatypes.Double()), ("z", datatypes.Int64())]
        model = TreeEnsembleRegressor(inputs, "y")
        model.set_default_prediction_value(0.5)
        if position >= 3:
            model.set_post_evaluation_transform("Regression_Logistic")
        model.add_branch_node(
            0, 0, position % 2, 0.25, f"BranchOnValue{branch}", 1, 2, missing_value_tracks_true_child=bool(position % 2)
        )
        model.add_leaf_node(0, 1, 1.0)
        model.add_leaf_node(0, 2, -1.0)
        if position % 3 == 0:
            model.add_leaf_node(1, 0, 2.0)
        yield f"tree-regressor-{position}", model
    for position, (labels, transform, extent, feature) in enumerate(CLASSIFIERS):
        model = TreeEnsembleClassifier([("x", datatypes.Array(2))], list(labels), feature)
        model.set_default_prediction_value([0.1] * extent)
        model.set_post_evaluation_transform(transform)
        model.add_branch_node(0, 0, 1, 0.5, f"BranchOnValue{BRANCHES[position]}", 1, 2)
        model.add_leaf_node(0, 1, 1.0 if extent == 1 else {0: 0.3, 1: 0.7})
        model.add_leaf_node(0, 2, -1.0 if extent == 1 else {extent - 1: 0.4})
        yield f"tree-classifier-{position}", model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--largest", type=int, default=20_000)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, model in trees():
        (arguments.out / f"{name}.mlmodel").write_bytes(model.spec.SerializeToString(deterministic=True))
        count += 1
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
