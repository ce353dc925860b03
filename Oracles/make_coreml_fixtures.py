"""Writes the small files that the tests of the Core ML readers use.

  python make_coreml_fixtures.py [--root REPOSITORY]

Packages are made by coremltools if it supports what is needed, else from its protobuf messages. Weights are 0, 1, 2, ... so that
tests can state them. Each package with an ML Program is also written as two compiled models, with the old and the new type syntax of the
text form (see coreml_compiled.py). Tests of damaged files modify these files themselves.

Versions: see requirements.txt.
"""
import argparse
import json
import pathlib
import shutil
import struct
import tempfile
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types
from coremltools.proto import FeatureTypes_pb2, MIL_pb2, Model_pb2

from coreml_compiled import load, write_compiled

MODEL = "Data/com.apple.CoreML/model.mlmodel"
WEIGHTS = "Data/com.apple.CoreML/weights"


def count_up(*shape, dtype=np.float32):
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


def save(program, path, target, precision=ct.precision.FLOAT32, **options):
    model = ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=target, compute_precision=precision,
        pass_pipeline=ct.PassPipeline.EMPTY, skip_model_load=True, **options)
    model.short_description, model.author, model.license, model.version = "a description", "an author", "a license", "1.2"
    model.user_defined_metadata["key"] = "value"
    with tempfile.TemporaryDirectory() as folder:
        saved = pathlib.Path(folder) / "model.mlpackage"
        model.save(str(saved))
        write_package(load(saved / MODEL), path, saved / WEIGHTS)


def write_package(model, path, weights=None):
    """A package with stable identifiers, so that writing it again changes nothing."""
    path = pathlib.Path(path)
    if path.exists():
        shutil.rmtree(path)
    (path / "Data/com.apple.CoreML").mkdir(parents=True)
    (path / MODEL).write_bytes(model.SerializeToString(deterministic=True))
    items = {"00000000-0000-0000-0000-000000000001": {
        "author": "com.apple.CoreML", "description": "CoreML Model Specification", "name": "model.mlmodel",
        "path": "com.apple.CoreML/model.mlmodel"}}
    if weights is not None and weights.exists():
        shutil.copytree(weights, path / WEIGHTS)
        items["00000000-0000-0000-0000-000000000002"] = {
            "author": "com.apple.CoreML", "description": "CoreML Model Weights", "name": "weights", "path": "com.apple.CoreML/weights"}
    manifest = {"fileFormatVersion": "1.0.0", "itemInfoEntries": items, "rootModelIdentifier": "00000000-0000-0000-0000-000000000001"}
    (path / "Manifest.json").write_text(json.dumps(manifest, indent=2))
    for file in path.rglob("*"):
        file.chmod(0o755 if file.is_dir() else 0o644)


# MARK: programs


def linear(path):
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4))], opset_version=ct.target.iOS15)
    def program(x):
        y = mb.linear(x=x, weight=count_up(3, 4), bias=np.array([0.5, -1, 3], np.float32), name="y")
        return mb.concat(values=[y, y], axis=1, name="z")

    save(program, path, ct.target.iOS15)


def control_flow(path):
    @mb.program(input_specs=[mb.TensorSpec(shape=(2,)), mb.TensorSpec(shape=(1,))], opset_version=ct.target.iOS15)
    def program(x, limit):
        chosen = mb.cond(pred=mb.squeeze(x=mb.less(x=mb.reduce_max(x=x), y=limit)), _true_fn=lambda: mb.relu(x=x), _false_fn=lambda: x)
        i, total = mb.while_loop(
            _cond=lambda i, total: mb.squeeze(x=mb.less(x=i, y=limit)),
            _body=lambda i, total: (mb.add(x=i, y=1.0), mb.add(x=total, y=chosen)),
            loop_vars=(limit, x), name="loop")
        return total

    save(program, path, ct.target.iOS15)


def state(path):
    @mb.program(
        input_specs=[mb.TensorSpec(shape=(1, 4), dtype=types.fp16), mb.StateTensorSpec(shape=(1, 4), dtype=types.fp16)],
        opset_version=ct.target.iOS18)
    def program(x, cache):
        old = mb.read_state(input=cache)
        return mb.coreml_update_state(state=cache, value=mb.add(x=old, y=x), name="y")

    save(program, path, ct.target.iOS18, ct.precision.FLOAT16)


def flexible(path):
    # int4 data with a scale for each block of 16, so that sub-byte types and the iOS 18 form of compressed weights occur.
    @mb.program(
        input_specs=[mb.TensorSpec(shape=(1, 32), dtype=types.fp16)], opset_version=ct.target.iOS18)
    def program(x):
        data = (count_up(4, 32, dtype=np.int64) % 16 - 8).astype(types.nptype_from_builtin(types.int4))
        weight = mb.constexpr_blockwise_shift_scale(data=data, scale=np.full((4, 2), 0.25, np.float16))
        return mb.linear(x=x, weight=weight, name="y")

    save(program, path, ct.target.iOS18, ct.precision.FLOAT16)
    model = load(path / MODEL)
    array = model.description.input[0].type.multiArrayType
    for lower, upper in [(1, 1), (1, -1)]:
        array.shapeRange.sizeRanges.add(lowerBound=lower, upperBound=upper)
    model.mlProgram.functions["main"].inputs[0].type.tensorType.dimensions[1].unknown.variadic = False
    model.description.input[0].type.isOptional = True
    array.floatDefaultValue = 0.5
    (path / MODEL).write_bytes(model.SerializeToString(deterministic=True))


# MARK: handwritten programs


def value_type(dtype, *shape):
    t = MIL_pb2.ValueType()
    t.tensorType.dataType, t.tensorType.rank = dtype, len(shape)
    for extent in shape:
        t.tensorType.dimensions.add().constant.size = extent
    return t


def constant(block, name, dtype, shape, blob=None, **fields):
    op = block.operations.add(type="const")
    op.outputs.add(name=name).type.CopyFrom(value_type(dtype, *shape))
    text(op.attributes["name"], name)
    value = op.attributes["val"]
    value.type.CopyFrom(value_type(dtype, *shape))
    if blob is not None:
        value.blobFileValue.fileName, value.blobFileValue.offset = "@model_path/weights/weight.bin", blob
    else:
        (field, content), = fields.items()
        values = getattr(value.immediateValue.tensor, field)
        if field == "bytes":
            values.values = content
        else:
            values.values.extend(content)


def text(value, content):
    value.type.CopyFrom(value_type(MIL_pb2.STRING))
    value.immediateValue.tensor.strings.values.append(content)


def feature(features, name, **kind):
    f = features.add(name=name)
    for field, content in kind.items():
        getattr(f.type, field).CopyFrom(content)
    return f


def array(dtype=FeatureTypes_pb2.ArrayFeatureType.FLOAT32, *shape):
    return FeatureTypes_pb2.ArrayFeatureType(dataType=dtype, shape=shape)


def identity_block(function, opset, shape=(2,)):
    function.opset = opset
    function.inputs.add(name="x").type.CopyFrom(value_type(MIL_pb2.FLOAT32, *shape))
    block = function.block_specializations[opset]
    op = block.operations.add(type="identity")
    op.inputs["x"].arguments.add(name="x")
    op.outputs.add(name="y").type.CopyFrom(value_type(MIL_pb2.FLOAT32, *shape))
    text(op.attributes["name"], "y")
    block.outputs.append("y")
    return block


# The type codes of the weight file, and the bits per element.
BLOB_TYPES = [
    ("fp16", MIL_pb2.FLOAT16, 1, 16), ("fp32", MIL_pb2.FLOAT32, 2, 32), ("uint8", MIL_pb2.UINT8, 3, 8), ("int8", MIL_pb2.INT8, 4, 8),
    ("bf16", MIL_pb2.BFLOAT16, 5, 16), ("int16", MIL_pb2.INT16, 6, 16), ("uint16", MIL_pb2.UINT16, 7, 16), ("int4", MIL_pb2.INT4, 8, 4),
    ("uint1", MIL_pb2.UINT1, 9, 1), ("uint2", MIL_pb2.UINT2, 10, 2), ("uint4", MIL_pb2.UINT4, 11, 4), ("uint3", MIL_pb2.UINT3, 12, 3),
    ("uint6", MIL_pb2.UINT6, 13, 6), ("int32", MIL_pb2.INT32, 14, 32), ("uint32", MIL_pb2.UINT32, 15, 32)]


def packed(values, bits):
    stream = (np.asarray(values, np.int64)[:, None] >> np.arange(bits)) & 1
    return np.packbits(stream.astype(np.uint8).reshape(-1), bitorder="little").tobytes()


def element_bits(name, bits, count):
    """The bit patterns of 0, 1, 2, ... (modulo the range of the type)."""
    numbers = np.arange(count)
    if name == "fp16":
        return numbers.astype(np.float16).view(np.uint16)
    if name == "fp32":
        return numbers.astype(np.float32).view(np.uint32)
    if name == "bf16":
        return numbers.astype(np.float32).view(np.uint32) >> 16
    return numbers % (1 << min(bits, 30))


def weight_file(version=2, count=11):
    """A weight file with a blob of `count` elements of each type, and the offsets of the records."""
    file, offsets = bytearray(struct.pack("<II", len(BLOB_TYPES), version).ljust(64, b"\0")), {}
    for name, _, number, bits in BLOB_TYPES:
        data = packed(element_bits(name, bits, count), bits)
        offsets[name] = len(file)
        padding = -count * bits % 8
        file += struct.pack("<IIQQQ", 0xDEADBEEF, number, len(data), len(file) + 64, padding).ljust(64, b"\0")
        file += data.ljust((len(data) + 63) // 64 * 64, b"\0")
    return bytes(file), offsets


def element_types(path, version):
    """A constant of each type in the weight file and, if the program can hold that type, in the program too."""
    model = Model_pb2.Model(specificationVersion=9)
    file, offsets = weight_file(version)
    block = identity_block(model.mlProgram.functions["main"], "CoreML8")
    model.mlProgram.version = 1
    feature(model.description.input, "x", multiArrayType=array(FeatureTypes_pb2.ArrayFeatureType.FLOAT32, 2))
    feature(model.description.output, "y", multiArrayType=array(FeatureTypes_pb2.ArrayFeatureType.FLOAT32, 2))
    for name, dtype, _, bits in BLOB_TYPES:
        constant(block, f"{name}_blob", dtype, [11], blob=offsets[name])
        values = element_bits(name, bits, 11)
        if name in ("fp16", "uint8", "int8", "uint32", "int4", "uint1", "uint2", "uint3", "uint4", "uint6"):
            constant(block, f"{name}_here", dtype, [11], bytes=packed(values, bits))
        elif name in ("int16", "uint16", "int32"):
            constant(block, f"{name}_here", dtype, [11], ints=[int(v) for v in values])
    constant(block, "fp32_here", MIL_pb2.FLOAT32, [2, 3], floats=[0, -1.5, 0.1, 1e-45, float("inf"), 3.4028235e38])
    constant(block, "bool_here", MIL_pb2.BOOL, [3], bools=[True, False, True])
    constant(block, "strings_here", MIL_pb2.STRING, [2], strings=['a "quoted" \\ text', "Grüße\n"])
    constant(block, "empty_here", MIL_pb2.FLOAT32, [0], floats=[])
    with tempfile.TemporaryDirectory() as folder:
        weights = pathlib.Path(folder) / "weights"
        weights.mkdir()
        (weights / "weight.bin").write_bytes(file)
        write_package(model, path, weights)


def functions(path):
    model = Model_pb2.Model(specificationVersion=9)
    for name, shape in [("first", (2,)), ("second", (3,))]:
        identity_block(model.mlProgram.functions[name], "CoreML8", shape)
        function = model.description.functions.add(name=name)
        feature(function.input, "x", multiArrayType=array(FeatureTypes_pb2.ArrayFeatureType.FLOAT32, *shape))
        feature(function.output, "y", multiArrayType=array(FeatureTypes_pb2.ArrayFeatureType.FLOAT32, *shape))
    model.mlProgram.version = 1
    model.description.defaultFunctionName = "second"
    write_package(model, path)


def classifier(path):
    model = Model_pb2.Model(specificationVersion=6)
    block = identity_block(model.mlProgram.functions["main"], "CoreML5", (3,))
    model.mlProgram.version = 1
    op = block.operations.add(type="classify")
    op.inputs["probabilities"].arguments.add(name="y")
    classes = op.inputs["classes"].arguments.add().value
    classes.type.listType.type.CopyFrom(value_type(MIL_pb2.STRING))
    classes.type.listType.length.constant.size = 3
    for label in ["cat", "dog", "bird"]:
        text(classes.immediateValue.list.values.add(), label)
    op.outputs.add(name="label").type.CopyFrom(value_type(MIL_pb2.STRING))
    probabilities = op.outputs.add(name="scores").type.dictionaryType
    probabilities.keyType.CopyFrom(value_type(MIL_pb2.STRING))
    probabilities.valueType.CopyFrom(value_type(MIL_pb2.FLOAT32))
    text(op.attributes["name"], "classify")
    del block.outputs[:]
    block.outputs.extend(["label", "scores"])
    feature(model.description.input, "x", multiArrayType=array(FeatureTypes_pb2.ArrayFeatureType.FLOAT32, 3))
    feature(model.description.output, "label", stringType=FeatureTypes_pb2.StringFeatureType())
    scores = FeatureTypes_pb2.DictionaryFeatureType()
    scores.stringKeyType.SetInParent()
    feature(model.description.output, "scores", dictionaryType=scores)
    model.description.predictedFeatureName, model.description.predictedProbabilitiesName = "label", "scores"
    write_package(model, path)


# MARK: other models


def features(path):
    """An identity model with a feature of each type."""
    F = FeatureTypes_pb2
    model = Model_pb2.Model(specificationVersion=10)
    model.identity.SetInParent()
    inputs = model.description.input
    feature(inputs, "int64", int64Type=F.Int64FeatureType())
    feature(inputs, "double", doubleType=F.DoubleFeatureType())
    feature(inputs, "string", stringType=F.StringFeatureType()).shortDescription = "a text"
    gray = F.ImageFeatureType(width=8, height=6, colorSpace=F.ImageFeatureType.GRAYSCALE)
    for width, height in [(8, 6), (16, 12)]:
        gray.enumeratedSizes.sizes.add(width=width, height=height)
    feature(inputs, "gray", imageType=gray)
    rgb = F.ImageFeatureType(width=8, height=6, colorSpace=F.ImageFeatureType.RGB)
    rgb.imageSizeRange.widthRange.lowerBound, rgb.imageSizeRange.widthRange.upperBound = 4, 32
    rgb.imageSizeRange.heightRange.lowerBound, rgb.imageSizeRange.heightRange.upperBound = 1, -1
    feature(inputs, "rgb", imageType=rgb)
    listed = array(F.ArrayFeatureType.DOUBLE, 1, 2)
    for shape in [(1, 2), (1, 4)]:
        listed.enumeratedShapes.shapes.add(shape=shape)
    feature(inputs, "listed", multiArrayType=listed)
    for name, dtype in [("fp16", F.ArrayFeatureType.FLOAT16), ("int32", F.ArrayFeatureType.INT32), ("int8", F.ArrayFeatureType.INT8)]:
        feature(inputs, name, multiArrayType=array(dtype, 3))
    by_number = F.DictionaryFeatureType()
    by_number.int64KeyType.SetInParent()
    feature(inputs, "dictionary", dictionaryType=by_number)
    sequence = F.SequenceFeatureType()
    sequence.stringType.SetInParent()
    sequence.sizeRange.lowerBound, sequence.sizeRange.upperBound = 1, 5
    feature(inputs, "sequence", sequenceType=sequence)
    feature(model.description.output, "int64", int64Type=F.Int64FeatureType())
    path.write_bytes(model.SerializeToString(deterministic=True))


def pipeline(folder):
    model = Model_pb2.Model(specificationVersion=9)
    for index in range(2):
        inner = model.pipeline.models.add()
        inner.specificationVersion = 6
        identity_block(inner.mlProgram.functions["main"], "CoreML5", (2,))
        inner.mlProgram.version = 1
        feature(inner.description.input, "x", multiArrayType=array(FeatureTypes_pb2.ArrayFeatureType.FLOAT32, 2))
        feature(inner.description.output, "y", multiArrayType=array(FeatureTypes_pb2.ArrayFeatureType.FLOAT32, 2))
        model.pipeline.names.append(f"stage{index}")
    feature(model.description.input, "x", multiArrayType=array(FeatureTypes_pb2.ArrayFeatureType.FLOAT32, 2))
    feature(model.description.output, "y", multiArrayType=array(FeatureTypes_pb2.ArrayFeatureType.FLOAT32, 2))
    (folder / "pipeline.mlmodel").write_bytes(model.SerializeToString(deterministic=True))
    write_compiled(model, folder / "pipeline.mlmodelc", new_syntax=False)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    folder = parser.parse_args().root / "Tests/MartletCoreMLFileTests/Fixtures"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    linear(folder / "linear.mlpackage")
    control_flow(folder / "control_flow.mlpackage")
    state(folder / "state.mlpackage")
    flexible(folder / "flexible.mlpackage")
    element_types(folder / "types.mlpackage", version=2)
    element_types(folder / "types_v1.mlpackage", version=1)
    functions(folder / "functions.mlpackage")
    classifier(folder / "classifier.mlpackage")
    for package in sorted(folder.glob("*.mlpackage")):
        for new_syntax in [False, True]:
            suffix = "_new.mlmodelc" if new_syntax else "_old.mlmodelc"
            write_compiled(load(package / MODEL), folder / (package.stem + suffix), new_syntax, package / WEIGHTS)
    features(folder / "features.mlmodel")
    pipeline(folder)


if __name__ == "__main__":
    main()
