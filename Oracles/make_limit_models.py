#!/usr/bin/env python3
"""Writes Core ML models at and beyond the limits that SECURITY.md states: Tests/Fixtures/limits.

  python make_limit_models.py [--out DIRECTORY]

Each is named after what is wrong with it, or much. `Tests/HostileFileTests/LimitTests.swift` says what becomes of them.

Versions: see requirements.txt.
"""
import argparse
import pathlib

from make_classic_cases import FLOAT32, model

LARGEST = 2**64 - 1
HUGE = 2**60


def network(*layers, inputs=(("x", [4]),), rank=None, exact=True):
    """A network whose layers are functions of the list of layers."""
    spec = model([(name, "array", shape, FLOAT32) for name, shape in inputs], [("y", "array", rank or [], FLOAT32)])
    spec.neuralNetwork.arrayInputShapeMapping = int(exact)
    for add in layers:
        add(spec.neuralNetwork)
    return spec


def layer(name, inputs, outputs, **values):
    """Adds a layer with some of its parameters: `name` is its field in the format."""
    def add(network):
        item = network.layers.add(name=name, input=inputs, output=outputs)
        parameters = getattr(item, name)
        parameters.SetInParent()
        for key, value in values.items():
            if isinstance(value, (list, tuple)):
                getattr(parameters, key).extend(value)
            else:
                setattr(parameters, key, value)
    return add


def constant(name, *numbers):
    def add(network):
        item = network.layers.add(name=name, output=[name]).loadConstantND
        item.shape.append(len(numbers))
        item.data.floatValue.extend(numbers)
    return add


def loop(body, condition=(), iterations=0):
    """A loop over `y`, which is a copy of `x` at first."""
    def add(network):
        parameters = network.layers.add(name="loop").loop
        parameters.maxLoopIterations = iterations
        for part in body:
            part(parameters.bodyNetwork)
        for part in condition:
            part(parameters.conditionNetwork)
        if condition:
            parameters.conditionVar = "goes_on"
    return add


def loops():
    copy = layer("copy", ["x"], ["y"])
    half = [layer("unary", ["y"], ["h"], type=3, alpha=1.0, scale=0.5, shift=1.0), layer("copy", ["h"], ["y"])]
    always = [constant("goes_on", 1.0)]
    # The sum stays positive, which only the iterations can tell.
    positive = [layer("reduceSum", ["y"], ["goes_on"], reduceAll=True)]
    yield "loop_of_a_constant", network(copy, loop(half, always))
    yield "loop_of_data", network(copy, loop(half, positive))
    yield "loop_2_64", network(copy, loop(half, iterations=LARGEST))
    yield "loop_2_64_of_data", network(copy, loop(half, positive, iterations=LARGEST))
    yield "loop_in_loop_2_64", network(copy, loop([loop(half, iterations=LARGEST)], iterations=LARGEST))
    grows = [layer("concatND", ["y", "y"], ["h"], axis=0), layer("copy", ["h"], ["y"])]
    yield "loop_that_doubles", network(copy, loop(grows, iterations=LARGEST))
    # As many iterations as an input says.
    counted = network(copy, loop(half), inputs=(("x", [4]), ("count", [1])))
    counted.neuralNetwork.layers[-1].input.append("count")
    yield "loop_of_a_count", counted


def sizes():
    picture = (("x", [1, 2, 2]),)
    yield "upsample_2_60", network(layer("upsample", ["x"], ["y"], scalingFactor=[HUGE, HUGE]), inputs=picture, exact=False)
    fractions = layer("upsample", ["x"], ["y"], fractionalScalingFactor=[1e18, 1e18], mode=1, linearUpsampleMode=1)
    yield "upsample_1e18", network(fractions, inputs=picture)
    yield "resize_2_60", network(layer("resizeBilinear", ["x"], ["y"], targetSize=[HUGE, HUGE]), inputs=picture, exact=False)
    yield "tile_2_60", network(layer("tile", ["x"], ["y"], reps=[HUGE]))
    yield "tile_twice_2_60", network(layer("tile", ["x"], ["h"], reps=[2**40]), layer("tile", ["h"], ["y"], reps=[2**40]))
    yield "repeat_2_60", network(layer("sequenceRepeat", ["x"], ["y"], nRepetitions=HUGE), inputs=picture, exact=False)
    yield "pad_2_60", network(layer("constantPad", ["x"], ["y"], padAmounts=[HUGE, HUGE]))
    yield "range_2_60", network(layer("rangeStatic", [], ["y"], endValue=1e18, startValue=0.0, stepSizeValue=1.0))
    yield "one_hot_2_60", network(layer("oneHot", ["x"], ["y"], oneHotVectorSize=HUGE, axis=-1, onValue=1.0))


def shapes_from_data():
    """`shape` is an input."""
    given = (("x", [4]), ("shape", [2]))
    yield "data_fill", network(layer("fillDynamic", ["shape"], ["y"], value=1.0), inputs=(("shape", [2]),))
    yield "data_reshape", network(layer("reshapeDynamic", ["x", "shape"], ["y"]), inputs=given)
    yield "data_broadcast", network(layer("broadcastToDynamic", ["x", "shape"], ["y"]), inputs=given)
    yield "data_tile", network(layer("tile", ["x", "shape"], ["y"]), inputs=(("x", [2, 2]), ("shape", [2])))
    yield "data_random", network(layer("randomUniformDynamic", ["shape"], ["y"], seed=1, maxVal=1.0), inputs=(("shape", [2]),))
    ends = layer("rangeDynamic", ["shape"], ["y"], startValue=0.0, stepSizeValue=1.0)
    yield "data_range", network(ends, inputs=(("shape", [1]),))
    flags = {name: [False, False] for name in ["beginMasks", "endMasks", "squeezeMasks"]}
    slices = layer("sliceDynamic", ["x", "shape", "end"], ["y"], strides=[1, 1], **flags)
    yield "data_slice", network(slices, inputs=(("x", [4, 4]), ("shape", [2]), ("end", [2])))


def classic():
    """Labels that repeat, and similar items in a circle."""
    outputs = [("label", "string"), ("p", "dictionary-string")]
    glm = model([("x", "array", [2])], outputs, "label", "p")
    for _ in range(3):
        glm.glmClassifier.weights.add(value=[1.0, 2.0])
    glm.glmClassifier.offset.extend([0.0, 1.0, 2.0])
    glm.glmClassifier.classEncoding = 1
    glm.glmClassifier.stringClassLabels.vector.extend(["a", "b", "a"])
    yield "labels_repeat_glm", glm
    tree = model([("x", "array", [2])], outputs, "label", "p")
    ensemble = tree.treeEnsembleClassifier.treeEnsemble
    ensemble.numPredictionDimensions = 3
    leaf = ensemble.nodes.add(nodeBehavior=6)
    for index in range(3):
        leaf.evaluationInfo.add(evaluationIndex=index, evaluationValue=index)
    tree.treeEnsembleClassifier.stringClassLabels.vector.extend(["a", "a", "a"])
    yield "labels_repeat_tree", tree
    softmax = network(layer("softmaxND", ["x"], ["p"], axis=-1))
    del softmax.description.output[:]
    for name, kind in outputs:
        softmax.description.output.add(name=name)
    softmax.description.output[0].type.stringType.SetInParent()
    softmax.description.output[1].type.dictionaryType.stringKeyType.SetInParent()
    softmax.description.predictedFeatureName, softmax.description.predictedProbabilitiesName = "label", "p"
    classifier = softmax.neuralNetworkClassifier
    classifier.layers.extend(softmax.neuralNetwork.layers)
    classifier.arrayInputShapeMapping = 1
    softmax.neuralNetworkClassifier.stringClassLabels.vector.extend(["a", "b", "b", "a"])
    yield "labels_repeat_network", softmax
    items = model([("items", "dictionary-int64"), ("k", "int64")], [("list", "sequence-int64"), ("scores", "dictionary-int64")])
    recommender = items.itemSimilarityRecommender
    for item in range(3):
        similar = recommender.itemItemSimilarities.add(itemId=item)
        similar.similarItemList.add(itemId=(item + 1) % 3, similarityScore=0.5)
        similar.similarItemList.add(itemId=item, similarityScore=1.0)
    recommender.itemInputFeatureName, recommender.numRecommendationsInputFeatureName = "items", "k"
    recommender.recommendedItemListOutputFeatureName = "list"
    recommender.recommendedItemScoreOutputFeatureName = "scores"
    yield "recommender_circle", items
    for depth in [8, 9]:
        inner = model([("x", "array", [2])], [("y", "array", [2])])
        inner.scaler.scaleValue.extend([2.0, 2.0])
        for _ in range(depth):
            outer = model([("x", "array", [2])], [("y", "array", [2])])
            outer.pipeline.models.append(inner)
            inner = outer
        yield f"pipeline_{depth}_deep", inner


def custom():
    spec = network(layer("custom", ["x"], ["y"], className="Layer"), layer("copy", ["y"], ["z"]))
    yield "custom_layer", spec


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=pathlib.Path(__file__).parent.parent / "Tests/Fixtures/limits", type=pathlib.Path)
    out = parser.parse_args().out
    for models in [loops(), sizes(), shapes_from_data(), classic(), custom()]:
        for name, spec in models:
            (out / f"{name}.mlmodel").write_bytes(spec.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
