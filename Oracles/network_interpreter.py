"""Runs Core ML NeuralNetwork specifications in float64.

The meaning of every layer is taken from the comments in coremltools' NeuralNetwork.proto. Where they are silent, the expected values of
coremltools' own tests decide; such places are marked "silent". Nothing is optimised: the code is meant to be compared with the comments.

    network_interpreter.py CASE...      compares recorded cases with the interpreter's results
"""

import json
import sys
from pathlib import Path

import numpy as np
from coremltools.proto import FeatureTypes_pb2, Model_pb2, NeuralNetwork_pb2 as nn

from network_layers.arithmetic import *  # noqa: F403
from network_layers.images import Images
from network_layers.pointwise import Pointwise
from network_layers.recurrent import Recurrent
from network_layers.selection import Selection
from network_layers.shapes import Shapes

# The truth of a branch's or a loop's condition.
TRUTH = 1e-6


class BreakLoop(Exception):
    pass


class ContinueLoop(Exception):
    pass


class Interpreter(Pointwise, Images, Shapes, Selection, Recurrent):
    def __init__(self, network, observer=None):
        self.network = network
        self.blobs = {}
        self.observer = observer

    def run(self, inputs):
        self.blobs = {name: np.asarray(value, np.float64) for name, value in inputs.items()}
        self.execute(self.network.layers)
        return self.blobs

    def execute(self, layers):
        for layer in layers:
            kind = layer.WhichOneof("layer")
            method = getattr(self, "layer_" + kind)
            inputs = [self.blobs[name] for name in layer.input]
            outputs = method(getattr(layer, kind), *inputs) if kind not in ("split", "splitND") else method(
                getattr(layer, kind), *inputs, count=len(layer.output))
            if outputs is None:
                continue
            if not isinstance(outputs, (tuple, list)):
                outputs = [outputs]
            for name, value in zip(layer.output, outputs):
                value = np.asarray(value, np.float64)
                # No blob has rank 0: a full reduction gives [1].
                self.blobs[name] = value.reshape(1) if value.ndim == 0 else value
            if self.observer:
                self.observer(layer, inputs, [self.blobs[name] for name in layer.output])

    # Control flow

    def layer_branch(self, p, condition):
        if abs(condition.reshape(-1)[0]) > TRUTH:
            self.execute(p.ifBranch.layers)
        else:
            self.execute(p.elseBranch.layers)

    def layer_loop(self, p, count=None):
        limit = p.maxLoopIterations if count is None else int(count.reshape(-1)[0])
        conditional = bool(p.conditionVar)
        bounded = not conditional or count is not None or limit > 0

        def condition():
            if not conditional:
                return True
            self.execute(p.conditionNetwork.layers)
            return abs(self.blobs[p.conditionVar].reshape(-1)[0]) > TRUTH

        iteration = 0
        holds = condition()
        while holds and (not bounded or iteration < limit):
            try:
                self.execute(p.bodyNetwork.layers)
            except ContinueLoop:
                pass
            except BreakLoop:
                return
            iteration += 1
            holds = condition()

    def layer_loopBreak(self, p):
        raise BreakLoop()

    def layer_loopContinue(self, p):
        raise ContinueLoop()

    def layer_copy(self, p, x):
        return x.copy()


def install(names, function):
    for name in names:
        setattr(Interpreter, "layer_" + name, function(name))


# Layers that are one NumPy function.
UNARY = {
    "ceil": np.ceil, "floor": np.floor, "sign": np.sign, "exp2": np.exp2, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh,
}
BINARY = {
    "addBroadcastable": np.add, "subtractBroadcastable": np.subtract, "multiplyBroadcastable": np.multiply,
    "divideBroadcastable": np.divide, "floorDivBroadcastable": np.floor_divide, "modBroadcastable": np.mod, "powBroadcastable": np.power,
    "maxBroadcastable": np.maximum, "minBroadcastable": np.minimum,
}
install(UNARY, lambda name: lambda self, p, x: UNARY[name](x))
install(BINARY, lambda name: lambda self, p, a, b: BINARY[name](a, b))


def network_of(model):
    return getattr(model, model.WhichOneof("Type"))


def blob_of_array(value, declared, exact):
    """The blob for an array given to a feature of the declared shape."""
    value = np.asarray(value, np.float64)
    if exact:
        return value
    if value.ndim == 1:
        return value.reshape(1, 1, -1, 1, 1)
    if value.ndim == 3:
        if len(declared) == 1:
            return value.reshape(value.shape + (1, 1))  # [Seq, Batch, C]
        return value.reshape((1, 1) + value.shape)
    if value.ndim == 5:
        return value
    raise ValueError(f"an array of rank {value.ndim} under the old mapping")


def blob_of_image(pixels, feature, rank4):
    """[1, 1, C, H, W] or [1, C, H, W] for an RGB image [H, W, 3] or a grey one [H, W]."""
    pixels = np.asarray(pixels, np.float64)
    if pixels.ndim == 2:
        planes = pixels[None]
    else:
        planes = np.moveaxis(pixels, -1, 0)
        if feature.type.imageType.colorSpace == FeatureTypes_pb2.ImageFeatureType.BGR:
            planes = planes[::-1]
    return planes[None] if rank4 else planes[None, None]


def preprocess(network, description, blobs):
    for step in network.preprocessing:
        names = [feature.name for feature in description.input]
        name = step.featureName or names[0]
        x = blobs[name]
        feature = description.input[names.index(name)]
        if step.WhichOneof("preprocessor") == "scaler":
            s = step.scaler
            if x.shape[-3] == 1:
                bias = np.array([s.grayBias])
            elif feature.type.imageType.colorSpace == FeatureTypes_pb2.ImageFeatureType.BGR:
                bias = np.array([s.blueBias, s.greenBias, s.redBias])
            else:
                bias = np.array([s.redBias, s.greenBias, s.blueBias])
            blobs[name] = s.channelScale * x + bias.reshape(-1, 1, 1)
        else:
            blobs[name] = x - np.array(step.meanImage.meanImage, np.float64).reshape(x.shape[-3:])


def array_of_blob(blob, feature, exact):
    """The array that a feature gives for a blob."""
    declared = tuple(feature.type.multiArrayType.shape)
    if not exact and blob.ndim == 5:
        if declared and math.prod(declared) == blob.size:
            return blob.reshape(declared)
        return blob.reshape(blob.shape[2:]) if blob.shape[:2] == (1, 1) else blob
    return blob


def predict(model, inputs, observer=None):
    """Runs a model on arrays and images by name. Gives arrays of the declared types, and the label and dictionary of a classifier."""
    network = network_of(model)
    kind = model.WhichOneof("Type")
    exact = network.arrayInputShapeMapping == nn.EXACT_ARRAY_MAPPING
    blobs = {}
    for feature in model.description.input:
        if feature.type.WhichOneof("Type") == "imageType":
            blobs[feature.name] = blob_of_image(inputs[feature.name], feature, network.imageInputShapeMapping == nn.RANK4_IMAGE_MAPPING)
            continue
        array = feature.type.multiArrayType
        if feature.name in inputs:
            value = inputs[feature.name]
        else:
            fill = getattr(array, array.WhichOneof("defaultOptionalValue")) if array.WhichOneof("defaultOptionalValue") else 0
            value = np.full(tuple(array.shape), fill, np.float64)
        blobs[feature.name] = blob_of_array(value, array.shape, exact)
    preprocess(network, model.description, blobs)
    results = Interpreter(network, observer).run(blobs)

    outputs = {}
    classes = None
    if kind == "neuralNetworkClassifier":
        classes = list(getattr(network, network.WhichOneof("ClassLabels")).vector)
        scores = results[network.labelProbabilityLayerName or network.layers[-1].output[0]].reshape(-1)
        outputs[model.description.predictedFeatureName] = classes[int(scores.argmax())]
        if model.description.predictedProbabilitiesName:
            outputs[model.description.predictedProbabilitiesName] = dict(zip(classes, scores.tolist()))
    for feature in model.description.output:
        if feature.name in outputs:
            continue
        blob = results[feature.name]
        type_name = feature.type.WhichOneof("Type")
        if type_name == "imageType":
            planes = np.clip(np.rint(blob.reshape(blob.shape[-3:])), 0, 255).astype(np.uint8)
            if feature.type.imageType.colorSpace == FeatureTypes_pb2.ImageFeatureType.BGR:
                planes = planes[::-1]
            outputs[feature.name] = planes[0] if planes.shape[0] == 1 else np.moveaxis(planes, 0, -1)
        elif type_name == "multiArrayType":
            outputs[feature.name] = array_of_blob(blob, feature, exact)
        else:
            outputs[feature.name] = blob
    return outputs


# Comparison with recorded cases

def load_value(folder, value):
    from PIL import Image

    if "file" in value:
        return np.load(folder / value["file"])
    if "image" in value:
        return np.asarray(Image.open(folder / value["image"]))
    if "dictionary" in value:
        return {(int(k) if value["keys"] == "int64" else k): v for k, v in value["dictionary"].items()}
    return next(value[k] for k in ("int", "string", "double") if k in value)


def squeezed(shape):
    return tuple(extent for extent in shape if extent != 1)


def compare_case(folder):
    """An empty string, or how the interpreter's results differ from those recorded."""
    folder = Path(folder)
    case = json.loads((folder / "case.json").read_text())
    model = Model_pb2.Model()
    model.ParseFromString((folder / case["model"]).read_bytes())
    inputs = {name: load_value(folder, value) for name, value in case["inputs"].items()}
    with np.errstate(all="ignore"):
        results = predict(model, inputs)
    for name, value in case["outputs"].items():
        expected, result = load_value(folder, value), results[name]
        if isinstance(expected, dict):
            if any(abs(result[k] - v) > case["atol"] + case["rtol"] * abs(v) for k, v in expected.items()):
                return f"{name}: probabilities differ"
            continue
        if not isinstance(expected, np.ndarray):
            if result != expected:
                return f"{name}: {result} for {expected}"
            continue
        if squeezed(result.shape) != squeezed(expected.shape):
            return f"{name}: shape {result.shape} for {expected.shape}"
        result, expected = result.reshape(-1), expected.reshape(-1).astype(np.float64)
        with np.errstate(all="ignore"):
            bad = ~(np.abs(result - expected) <= case["atol"] + case["rtol"] * np.abs(expected)) & ~(result == expected)
        if bad.any():
            i = int(np.argmax(bad))
            return f"{name}: {int(bad.sum())} of {bad.size} values differ, first {result[i]!r} for {expected[i]!r}"
    return ""


def main():
    failures = 0
    for argument in sys.argv[1:]:
        try:
            difference = compare_case(argument)
        except Exception as error:  # a case that cannot be run is reported like one that differs
            difference = f"{type(error).__name__}: {error}"
        if difference:
            failures += 1
            print(f"{Path(argument).name}: {difference}")
    print(f"{len(sys.argv) - 1 - failures} of {len(sys.argv) - 1} cases agree")


if __name__ == "__main__":
    main()
