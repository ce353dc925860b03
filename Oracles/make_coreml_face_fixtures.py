"""Writes the small models that the tests of the CoreML module, and some of Martlet's own, load.

  python make_coreml_face_fixtures.py [--root REPOSITORY]

Weights and inputs are chosen so that the tests can state the outputs. Versions: see requirements.txt.
"""
import argparse
import pathlib
import shutil
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types

from coreml_compiled import load
from make_coreml_fixtures import MIL_pb2, MODEL, classifier, count_up, features, functions, save, state, value_type


def arithmetic(path):
    """Two inputs and two outputs, with a weight large enough to be stored in the weight file."""
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3)), mb.TensorSpec(shape=(1, 3))], opset_version=ct.target.iOS15)
    def program(x, y):
        return mb.add(x=x, y=y, name="sum"), mb.linear(x=x, weight=count_up(4, 3), name="product")

    save(program, path, ct.target.iOS15)


def half(path):
    """Half precision. The extent of the last axis is 1 to 8."""
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 4), dtype=types.fp16)], opset_version=ct.target.iOS16)
    def program(x):
        return mb.add(x=mb.mul(x=x, y=np.float16(2)), y=np.float16(0.5), name="y")

    save(program, path, ct.target.iOS16, ct.precision.FLOAT16)
    model = load(path / MODEL)
    array = model.description.input[0].type.multiArrayType
    for lower, upper in [(1, 1), (1, 8)]:
        array.shapeRange.sizeRanges.add(lowerBound=lower, upperBound=upper)
    function = model.mlProgram.functions["main"]
    function.inputs[0].type.tensorType.dimensions[1].unknown.variadic = False
    for operation in function.block_specializations["CoreML6"].operations:
        for output in operation.outputs:
            if output.type.tensorType.rank == 2:
                output.type.tensorType.dimensions[1].unknown.variadic = False
    del model.description.output[0].type.multiArrayType.shape[:]
    (path / MODEL).write_bytes(model.SerializeToString(deterministic=True))


def optional(path):
    """An integer input with enumerated shapes, and an optional input with the default 0.5."""
    @mb.program(
        input_specs=[mb.TensorSpec(shape=(1, 2), dtype=types.int32), mb.TensorSpec(shape=(1,))], opset_version=ct.target.iOS15)
    def program(x, scale):
        return mb.mul(x=mb.cast(x=x, dtype="fp32"), y=scale, name="y")

    save(program, path, ct.target.iOS15)
    model = load(path / MODEL)
    for shape in [(1, 2), (1, 4)]:
        model.description.input[0].type.multiArrayType.enumeratedShapes.shapes.add(shape=shape)
    model.description.input[1].type.isOptional = True
    model.description.input[1].type.multiArrayType.floatDefaultValue = 0.5
    function = model.mlProgram.functions["main"]
    function.inputs[0].type.tensorType.dimensions[1].unknown.variadic = False
    for operation in function.block_specializations["CoreML5"].operations:
        for output in operation.outputs:
            if output.type.tensorType.rank == 2:
                output.type.tensorType.dimensions[1].unknown.variadic = False
    (path / MODEL).write_bytes(model.SerializeToString(deterministic=True))


def numbers(path):
    """Returns the sum of a floating-point and an integer input: features that are not arrays."""
    @mb.program(
        input_specs=[mb.TensorSpec(shape=(1,)), mb.TensorSpec(shape=(1,), dtype=types.int32)], opset_version=ct.target.iOS15)
    def program(x, n):
        return mb.add(x=x, y=mb.cast(x=n, dtype="fp32"), name="sum")

    save(program, path, ct.target.iOS15)
    model = load(path / MODEL)
    model.description.input[0].type.doubleType.SetInParent()
    model.description.input[1].type.int64Type.SetInParent()
    model.description.output[0].type.doubleType.SetInParent()
    (path / MODEL).write_bytes(model.SerializeToString(deterministic=True))


def division(path):
    """Integer quotients, rounded down. Division by zero is undefined."""
    @mb.program(
        input_specs=[mb.TensorSpec(shape=(3,), dtype=types.int32), mb.TensorSpec(shape=(3,), dtype=types.int32)], opset_version=ct.target.iOS15)
    def program(x, y):
        return mb.floor_div(x=x, y=y, name="quotient")

    save(program, path, ct.target.iOS15)


def positions(path):
    """The positions of nonzero elements: an output whose extent depends on the data."""
    @mb.program(input_specs=[mb.TensorSpec(shape=(5,))], opset_version=ct.target.iOS15)
    def program(x):
        return mb.non_zero(x=x, name="positions")

    save(program, path, ct.target.iOS15)


def image(path, layout, precision=ct.precision.FLOAT32, target=ct.target.iOS16):
    """Returns the negative of a 4 x 3 image, and its samples as an array."""
    channels = 3 if layout in (ct.colorlayout.RGB, ct.colorlayout.BGR) else 1

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, channels, 3, 4))], opset_version=target)
    def program(picture):
        return mb.sub(x=255.0, y=picture, name="negative"), mb.mul(x=picture, y=2.0, name="samples")

    save(
        program, path, target, precision, inputs=[ct.ImageType(name="picture", shape=(1, channels, 3, 4), color_layout=layout)])
    model = load(path / MODEL)
    negative = next(output for output in model.description.output if output.name == "negative")
    negative.type.imageType.CopyFrom(model.description.input[0].type.imageType)
    (path / MODEL).write_bytes(model.SerializeToString(deterministic=True))


def sized_image(path, height, width, shape):
    """Returns the samples of an image whose size is flexible."""
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, height, width))], opset_version=ct.target.iOS16)
    def program(picture):
        return mb.mul(x=picture, y=2.0, name="samples")

    save(
        program, path, ct.target.iOS16,
        inputs=[ct.ImageType(name="picture", shape=shape, color_layout=ct.colorlayout.RGB)])


def loop(path):
    """Adds x to the state `total` `count` times and returns the sum. `count` determines the duration."""
    @mb.program(
        input_specs=[
            mb.TensorSpec(shape=(64,), dtype=types.fp16), mb.TensorSpec(shape=(1,), dtype=types.int32),
            mb.StateTensorSpec(shape=(64,), dtype=types.fp16)], opset_version=ct.target.iOS18)
    def program(x, count, total):
        limit = mb.squeeze(x=count)
        _, added = mb.while_loop(
            _cond=lambda i, value: mb.less(x=i, y=limit),
            _body=lambda i, value: (mb.add(x=i, y=1), mb.add(x=mb.mul(x=value, y=np.float16(1)), y=x)),
            loop_vars=(0, mb.read_state(input=total)))
        return mb.coreml_update_state(state=total, value=added, name="y")

    save(program, path, ct.target.iOS18, ct.precision.FLOAT16)


def numbered_classifier(path):
    """Classifies by the largest of three values, as class 10, 20 or 30."""
    classifier(path)
    model = load(path / MODEL)
    block = model.mlProgram.functions["main"].block_specializations["CoreML5"]
    operation = block.operations[-1]
    classes = operation.inputs["classes"].arguments[0].value
    classes.type.listType.type.CopyFrom(value_type(MIL_pb2.INT64))
    del classes.immediateValue.list.values[:]
    for number in [10, 20, 30]:
        value = classes.immediateValue.list.values.add()
        value.type.CopyFrom(value_type(MIL_pb2.INT64))
        value.immediateValue.tensor.longInts.values.append(number)
    operation.outputs[0].type.CopyFrom(value_type(MIL_pb2.INT64))
    operation.outputs[1].type.dictionaryType.keyType.CopyFrom(value_type(MIL_pb2.INT64))
    model.description.output[0].type.int64Type.SetInParent()
    model.description.output[1].type.dictionaryType.int64KeyType.SetInParent()
    (path / MODEL).write_bytes(model.SerializeToString(deterministic=True))


def tagger(path):
    """A word tagger, whose parameters only Apple's systems read."""
    model = ct.proto.Model_pb2.Model()
    model.specificationVersion = 3
    text = model.description.input.add(name="text")
    text.type.stringType.SetInParent()
    for name in ["tags", "tokens"]:
        output = model.description.output.add(name=name)
        output.type.sequenceType.stringType.SetInParent()
        output.type.sequenceType.sizeRange.upperBound = -1
    model.wordTagger.revision = 1
    model.wordTagger.language = "en"
    model.wordTagger.tokensOutputFeatureName = "tokens"
    model.wordTagger.tokenTagsOutputFeatureName = "tags"
    model.wordTagger.stringTags.vector.extend(["noun", "verb"])
    model.wordTagger.modelParameterData = bytes(range(16))
    path.write_bytes(model.SerializeToString(deterministic=True))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    out = parser.parse_args().root / "Tests/CoreMLTests/Fixtures"
    out.mkdir(parents=True, exist_ok=True)
    arithmetic(out / "arithmetic.mlpackage")
    half(out / "half.mlpackage")
    optional(out / "optional.mlpackage")
    image(out / "rgb.mlpackage", ct.colorlayout.RGB)
    image(out / "bgr.mlpackage", ct.colorlayout.BGR)
    image(out / "gray.mlpackage", ct.colorlayout.GRAYSCALE)
    image(out / "gray16.mlpackage", ct.colorlayout.GRAYSCALE_FLOAT16, ct.precision.FLOAT16)
    height, width = ct.RangeDim(2, 12, default=3), ct.RangeDim(2, 16, default=4)
    sized_image(out / "ranged_image.mlpackage", height.symbol, width.symbol, ct.Shape((1, 3, height, width)))
    sizes = ct.EnumeratedShapes([(1, 3, 3, 4), (1, 3, 6, 8), (1, 3, 8, 6)], default=(1, 3, 3, 4))
    sized_image(out / "listed_image.mlpackage", sizes.symbolic_shape[2], sizes.symbolic_shape[3], sizes)
    numbers(out / "numbers.mlpackage")
    division(out / "division.mlpackage")
    positions(out / "positions.mlpackage")
    loop(out / "loop.mlpackage")
    state(out / "state.mlpackage")
    functions(out / "functions.mlpackage")
    classifier(out / "classifier.mlpackage")
    numbered_classifier(out / "numbered_classifier.mlpackage")
    features(out / "features.mlmodel")
    tagger(out / "tagger.mlmodel")
    for name in ["classifier", "numbered_classifier", "rgb", "optional", "numbers"]:
        shutil.copytree(out / f"{name}.mlpackage", out.parent.parent / f"MartletTests/Fixtures/{name}.mlpackage", dirs_exist_ok=True)


if __name__ == "__main__":
    main()
