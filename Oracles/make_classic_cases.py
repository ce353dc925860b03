"""Writes recorded cases of classic models and pipelines: Tests/Fixtures/classic.

  python make_classic_cases.py [--out DIRECTORY]

Specifications are written field by field. Expected outputs come from NumPy code in float64 that follows the comments of the format and, for support
vector machines, the definition of libsvm's predictions.

Versions: see requirements.txt.
"""
import argparse
import json
import math
import pathlib
import shutil
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.proto import FeatureTypes_pb2, Model_pb2

FLOAT32, FLOAT64, INT32 = (getattr(FeatureTypes_pb2.ArrayFeatureType, name) for name in ["FLOAT32", "DOUBLE", "INT32"])
CASES = {}


def case(function):
    CASES[function.__name__.replace("_", "-")] = function
    return function


# MARK: specifications

def feature(list_, name, kind, shape=None, dtype=FLOAT64, optional=False):
    """Declares a feature: double, int64, string, array, or a dictionary or sequence of int64 or string."""
    declared = list_.add(name=name)
    type_ = declared.type
    type_.isOptional = optional
    if kind == "array":
        type_.multiArrayType.shape.extend(shape or [])
        type_.multiArrayType.dataType = dtype
    elif kind.startswith("dictionary"):
        getattr(type_.dictionaryType, kind.split("-")[1] + "KeyType").SetInParent()
    elif kind.startswith("sequence"):
        getattr(type_.sequenceType, kind.split("-")[1] + "Type").SetInParent()
        type_.sequenceType.sizeRange.upperBound = -1
    else:
        getattr(type_, kind + "Type").SetInParent()
    return declared


def model(inputs, outputs, predicted=None, probabilities=None, version=4):
    """A model with features given as (name, kind, ...)."""
    result = Model_pb2.Model(specificationVersion=version)
    for entry in inputs:
        feature(result.description.input, *entry)
    for entry in outputs:
        feature(result.description.output, *entry)
    if predicted:
        result.description.predictedFeatureName = predicted
    if probabilities:
        result.description.predictedProbabilitiesName = probabilities
    return result


def value(item, folder, name):
    """A value as an entry of case.json."""
    if isinstance(item, np.ndarray):
        np.save(folder / f"{name}.npy", item)
        return {"file": f"{name}.npy"}
    if isinstance(item, dict):
        keys = "string" if isinstance(next(iter(item)), str) else "int64"
        return {"dictionary": {str(key): float(number) for key, number in item.items()}, "keys": keys}
    if isinstance(item, list):
        return {"stringSequence": item} if item and isinstance(item[0], str) else {"int64Sequence": item}
    if item is None:
        return {"none": True}
    if isinstance(item, str):
        return {"string": item}
    return {"int": int(item)} if isinstance(item, (int, np.integer)) else {"double": float(item)}


def write(folder, spec, inputs, outputs, rtol=1e-10, atol=1e-12):
    folder.mkdir(parents=True)
    (folder / "model.mlmodel").write_bytes(spec.SerializeToString(deterministic=True))
    entries = {
        "name": folder.name, "family": "classic-fixture", "model": "model.mlmodel",
        "inputs": {name: value(item, folder, f"in_{name}") for name, item in inputs.items()},
        "outputs": {name: value(item, folder, f"out_{name}") for name, item in outputs.items()},
        "rtol": rtol, "atol": atol, "oracle": "NumPy",
    }
    (folder / "case.json").write_text(json.dumps(entries, indent=1) + "\n")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def phi(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


# MARK: trees

COMPARISONS = [
    (0, lambda a, b: a <= b), (1, lambda a, b: a < b), (2, lambda a, b: a >= b), (3, lambda a, b: a > b), (4, lambda a, b: a == b),
    (5, lambda a, b: a != b),
]


def forest(ensemble, random, trees, depth, columns, dimensions, base):
    """Random trees with all comparisons, and the function that walks them."""
    ensemble.numPredictionDimensions = dimensions
    ensemble.basePredictionValue.extend(base)
    grown = []
    for tree in range(trees):
        nodes = {}

        def grow(level):
            id_ = len(nodes)
            node = ensemble.nodes.add(treeId=tree, nodeId=id_)
            nodes[id_] = None
            if level == depth or random.random() < 0.15:
                node.nodeBehavior = 6
                values = {k: random.normal() for k in range(dimensions) if dimensions == 1 or random.random() < 0.7} or {0: 0.5}
                for k, v in values.items():
                    node.evaluationInfo.add(evaluationIndex=k, evaluationValue=v)
                nodes[id_] = values
                return id_
            code, compare = COMPARISONS[random.integers(6)]
            column, threshold, missing = int(random.integers(columns)), float(random.choice([-1, -0.1, 0, 0.1, 0.5, 1])), bool(random.integers(2))
            node.nodeBehavior, node.branchFeatureIndex, node.branchFeatureValue = code, column, threshold
            node.missingValueTracksTrueChild = missing
            first, second = grow(level + 1), grow(level + 1)
            node.trueChildNodeId, node.falseChildNodeId = first, second
            nodes[id_] = (compare, column, threshold, missing, first, second)
            return id_

        grow(0)
        grown.append(nodes)

    def walk(x):
        sums = np.array(base, np.float64)
        for nodes in grown:
            node = nodes[0]
            while not isinstance(node, dict):
                compare, column, threshold, missing, first, second = node
                taken = missing if np.isnan(x[column]) else compare(x[column], threshold)
                node = nodes[first if taken else second]
            for k, v in node.items():
                sums[k] += v
        return sums

    return walk


def tree_inputs(random, columns):
    x = random.choice([-1, -0.1, 0, 0.1, 0.5, 1, np.nan, np.inf, -np.inf, 0.3, -0.0], columns)
    return np.array(x, np.float64)


@case
def tree_regressor(out):
    random = np.random.default_rng(1)
    spec = model([("x", "array", [6])], [("y", "double")], "y")
    walk = forest(spec.treeEnsembleRegressor.treeEnsemble, random, 12, 5, 6, 1, [0.25])
    for number in range(3):
        x = tree_inputs(random, 6)
        write(out.with_name(f"{out.name}-{number}"), spec, {"x": x}, {"y": walk(x)[0]}, rtol=0, atol=0)


@case
def tree_regressor_logistic(out):
    random = np.random.default_rng(2)
    spec = model([("x", "array", [4], FLOAT32)], [("y", "array", [1])], "y")
    spec.treeEnsembleRegressor.postEvaluationTransform = 2
    walk = forest(spec.treeEnsembleRegressor.treeEnsemble, random, 5, 4, 4, 1, [0.0])
    x = np.array([0.1, -0.1, 0.5, 1], np.float32)
    write(out, spec, {"x": x}, {"y": sigmoid(walk(x.astype(np.float64)))})


@case
def tree_regressor_named(out):
    """Numbers of both kinds and one that is missing."""
    random = np.random.default_rng(3)
    spec = model([("a", "double"), ("b", "int64"), ("c", "double", None, FLOAT64, True)], [("y", "double")], "y")
    walk = forest(spec.treeEnsembleRegressor.treeEnsemble, random, 8, 4, 3, 1, [1.0])
    write(out, spec, {"a": 0.1, "b": 1, "c": None}, {"y": walk(np.array([0.1, 1, np.nan]))[0]}, rtol=0, atol=0)


def tree_classifier(out, seed, dimensions, transform, labels, probabilities):
    random = np.random.default_rng(seed)
    kind = "string" if isinstance(labels[0], str) else "int64"
    spec = model([("x", "array", [5])], [("label", kind), ("p", "dictionary-" + kind)], "label", "p")
    classifier = spec.treeEnsembleClassifier
    classifier.postEvaluationTransform = transform
    (classifier.stringClassLabels if kind == "string" else classifier.int64ClassLabels).vector.extend(labels)
    walk = forest(classifier.treeEnsemble, random, 7, 4, 5, dimensions, [0.1] * dimensions)
    x = tree_inputs(random, 5)
    p = probabilities(walk(x))
    write(out, spec, {"x": x}, {"label": labels[int(np.argmax(p))], "p": dict(zip(labels, p))})


@case
def tree_classifier_sums(out):
    tree_classifier(out, 4, 3, 0, ["a", "b", "c"], lambda s: s)


@case
def tree_classifier_softmax(out):
    tree_classifier(out, 5, 4, 1, [3, 1, 4, 15], softmax)


@case
def tree_classifier_binary_logistic(out):
    tree_classifier(out, 6, 1, 2, [0, 1], lambda s: np.array([1 - sigmoid(s[0]), sigmoid(s[0])]))


@case
def tree_classifier_binary_reference(out):
    tree_classifier(out, 7, 1, 3, ["no", "yes"], lambda s: softmax(np.array([0, s[0]])))


# MARK: linear models

def glm(spec, weights, offsets, labels):
    for row in weights:
        spec.weights.add(value=row)
    spec.offset.extend(offsets)
    if labels:
        spec.stringClassLabels.vector.extend(labels)


@case
def glm_reference_softmax(out):
    spec = model([("x", "array", [3]), ("n", "int64")], [("label", "string"), ("p", "dictionary-string")], "label", "p")
    weights, offsets = np.array([[1.0, -2, 0.5, 0.25], [0.5, 1, -1, -0.5]]), np.array([0.1, -0.2])
    glm(spec.glmClassifier, weights, offsets, ["a", "b", "c"])
    x = np.array([0.5, -1, 2])
    p = softmax(np.append([0], weights @ np.append(x, 3) + offsets))
    labels = ["a", "b", "c"]
    write(out, spec, {"x": x, "n": 3}, {"label": labels[int(np.argmax(p))], "p": dict(zip(labels, p))})


@case
def glm_tie(out):
    """A score of 0: the first label."""
    spec = model([("x", "array", [2])], [("label", "string")], "label")
    glm(spec.glmClassifier, [[1, -1]], [0], ["first", "second"])
    write(out, spec, {"x": np.array([2.0, 2.0])}, {"label": "first"})


# MARK: support vectors

def kernel_value(kernel, x, y):
    name, parameters = kernel
    if name == "rbfKernel":
        return math.exp(-parameters["gamma"] * ((x - y) ** 2).sum())
    product = float(x @ y)
    if name == "linearKernel":
        return product
    inner = parameters["gamma"] * product + parameters["c"]
    return inner ** parameters["degree"] if name == "polyKernel" else math.tanh(inner)


def set_kernel(spec, kernel):
    name, parameters = kernel
    target = getattr(spec.kernel, name)
    target.SetInParent()
    for key, number in parameters.items():
        setattr(target, key, number)


def couple(r):
    """libsvm's multiclass_probability."""
    k = len(r)
    q = np.zeros((k, k))
    for t in range(k):
        for j in range(k):
            if j != t:
                q[t, t] += r[j, t] ** 2
                q[t, j] = -r[j, t] * r[t, j]
    p = np.full(k, 1 / k)
    for _ in range(max(100, k)):
        qp = q @ p
        pqp = p @ qp
        if np.abs(qp - pqp).max() < 0.005 / k:
            break
        for t in range(k):
            d = (pqp - qp[t]) / q[t, t]
            p[t] += d
            pqp = (pqp + d * (d * q[t, t] + 2 * qp[t])) / (1 + d) / (1 + d)
            qp = (qp + d * q[t]) / (1 + d)
            p /= 1 + d
    return p


def svm_classifier(out, seed, kernel, counts, sparse, probabilities):
    random = np.random.default_rng(seed)
    k, n, columns = len(counts), sum(counts), 5
    labels = list(range(10, 10 + k))
    outputs = [("label", "int64")] + ([("p", "dictionary-int64")] if probabilities else [])
    spec = model([("x", "array", [columns])], outputs, "label", "p" if probabilities else None)
    machine = spec.supportVectorClassifier
    set_kernel(machine, kernel)
    vectors = np.where(random.random((n, columns)) < (0.5 if sparse else 1), random.normal(size=(n, columns)), 0)
    for vector in vectors:
        if sparse:
            target = machine.sparseSupportVectors.vectors.add()
            for index, number in enumerate(vector):
                if number:
                    target.nodes.add(index=index + 1, value=number)
        else:
            machine.denseSupportVectors.vectors.add(values=vector)
    machine.numberOfSupportVectorsPerClass.extend(counts)
    coefficients = random.normal(size=(k - 1, n))
    for row in coefficients:
        machine.coefficients.add(alpha=row)
    pairs = k * (k - 1) // 2
    rho = random.normal(size=pairs) * 0.3
    machine.rho.extend(rho)
    a, b = -1 - random.random(pairs), random.normal(size=pairs) * 0.2
    if probabilities:
        machine.probA.extend(a)
        machine.probB.extend(b)
    machine.int64ClassLabels.vector.extend(labels)

    x = random.normal(size=columns)
    values = np.array([kernel_value(kernel, x, vector) for vector in vectors])
    starts = np.cumsum([0] + list(counts))
    votes, r, pair = np.zeros(k), np.zeros((k, k)), 0
    for i in range(k):
        for j in range(i + 1, k):
            si, sj = slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1])
            decision = coefficients[j - 1, si] @ values[si] + coefficients[i, sj] @ values[sj] - rho[pair]
            votes[i if decision > 0 else j] += 1
            r[i, j] = np.clip(1 / (1 + math.exp(a[pair] * decision + b[pair])), 1e-7, 1 - 1e-7)
            r[j, i] = 1 - r[i, j]
            pair += 1
    if probabilities:
        p = couple(r)
        write(out, spec, {"x": x}, {"label": labels[int(np.argmax(p))], "p": dict(zip(labels, p))})
    else:
        write(out, spec, {"x": x}, {"label": labels[int(np.argmax(votes))]})


@case
def svm_sparse_probabilities(out):
    svm_classifier(out, 11, ("rbfKernel", {"gamma": 0.3}), [3, 4, 2], True, True)


@case
def svm_four_classes(out):
    svm_classifier(out, 12, ("polyKernel", {"degree": 3, "c": 0.5, "gamma": 0.4}), [2, 0, 5, 3], False, False)


@case
def svm_sigmoid_probabilities(out):
    svm_classifier(out, 13, ("sigmoidKernel", {"gamma": 0.2, "c": 0.1}), [4, 3], False, True)


@case
def svm_regressor_sparse(out):
    random = np.random.default_rng(14)
    spec = model([("a", "double"), ("b", "array", [3])], [("y", "double")], "y")
    machine = spec.supportVectorRegressor
    kernel = ("linearKernel", {})
    set_kernel(machine, kernel)
    vectors = random.normal(size=(6, 4))
    vectors[:, 3] = 0
    for vector in vectors:
        target = machine.sparseSupportVectors.vectors.add()
        for index, number in enumerate(vector[:3]):
            target.nodes.add(index=index + 1, value=number)
    alpha = random.normal(size=6)
    machine.coefficients.alpha.extend(alpha)
    machine.rho = 0.7
    x = random.normal(size=4)
    expected = sum(c * kernel_value(kernel, x, v) for c, v in zip(alpha, vectors)) - 0.7
    write(out, spec, {"a": x[0], "b": x[1:]}, {"y": expected})


# MARK: neighbours

@case
def neighbors_weighted(out):
    random = np.random.default_rng(21)
    samples = random.normal(size=(20, 3)).astype(np.float32)
    labels = [["red", "green", "blue"][i] for i in random.integers(3, size=20)]
    spec = model([("x", "array", [3], FLOAT32)], [("label", "string"), ("p", "dictionary-string")], "label", "p")
    neighbors = spec.kNearestNeighborsClassifier
    index = neighbors.nearestNeighborsIndex
    index.numberOfDimensions = 3
    index.singleKdTreeIndex.leafSize = 4
    index.squaredEuclideanDistance.SetInParent()
    for sample in samples:
        index.floatSamples.add(vector=sample)
    neighbors.numberOfNeighbors.defaultValue = 5
    neighbors.numberOfNeighbors.range.minValue, neighbors.numberOfNeighbors.range.maxValue = 1, 9
    neighbors.inverseDistanceWeighting.SetInParent()
    neighbors.stringClassLabels.vector.extend(labels)
    classes = list(dict.fromkeys(labels))
    for number, x in enumerate([random.normal(size=3).astype(np.float32), samples[4]]):
        distances = np.sqrt(((samples.astype(np.float64) - x) ** 2).sum(1))
        nearest = np.argsort(distances, kind="stable")[:5]
        weights = np.zeros(len(classes))
        for i in nearest:
            exact = (distances[nearest] == 0).any()
            weights[classes.index(labels[i])] += float(distances[i] == 0) if exact else 1 / distances[i]
        p = weights / weights.sum()
        write(out.with_name(f"{out.name}-{number}"), spec, {"x": x},
              {"label": classes[int(np.argmax(p))], "p": dict(zip(classes, p))})


@case
def neighbors_default(out):
    """No samples: the default label."""
    spec = model([("x", "array", [2], FLOAT32)], [("label", "int64")], "label")
    neighbors = spec.kNearestNeighborsClassifier
    neighbors.nearestNeighborsIndex.numberOfDimensions = 2
    neighbors.nearestNeighborsIndex.linearIndex.SetInParent()
    neighbors.nearestNeighborsIndex.squaredEuclideanDistance.SetInParent()
    neighbors.numberOfNeighbors.defaultValue = 1
    neighbors.uniformWeighting.SetInParent()
    neighbors.int64ClassLabels.SetInParent()
    neighbors.defaultInt64Label = 7
    write(out, spec, {"x": np.zeros(2, np.float32)}, {"label": 7})


# MARK: other models

@case
def probit(out):
    spec = model([("features", "array", [3, 2], INT32), ("optimism", "double")],
                 [("p", "double"), ("mean", "double"), ("variance", "double"), ("low", "double")], "p")
    regressor = spec.bayesianProbitRegressor
    regressor.numberOfFeatures = 4
    regressor.bias.mean, regressor.bias.precision = 0.2, 10
    weights = {(0, 1): (0.5, 4), (0, 3): (-0.25, 2), (2, 0): (1.5, 5), (3, 7): (-0.75, 8)}
    for id_ in [0, 2, 3]:
        target = regressor.features.add(featureId=id_)
        for (feature_, number), (mean, precision) in weights.items():
            if feature_ == id_:
                entry = target.weights.add(featureValue=number)
                entry.featureWeight.mean, entry.featureWeight.precision = mean, precision
    regressor.regressionInputFeatureName = "features"
    regressor.optimismInputFeatureName = "optimism"
    regressor.meanOutputFeatureName, regressor.varianceOutputFeatureName = "mean", "variance"
    regressor.pessimisticProbabilityOutputFeatureName = "low"
    # The value 9 of feature 3 has no weight.
    mean, variance = 0.2 + 0.5 + 1.5, 1 / 10 + 1 / 4 + 1 / 5
    write(out, spec, {"features": np.array([[0, 1], [2, 0], [3, 9]], np.int32), "optimism": -0.5},
          {"p": phi(mean / math.sqrt(1 + variance)), "mean": mean, "variance": variance,
           "low": phi((mean - 0.5 * math.sqrt(variance)) / math.sqrt(1 + variance))})


def suppression(per_class, shape, thresholds):
    inputs = [("confidence", "array", [5, 2]), ("coordinates", "array", [5, 4])]
    inputs += [("iou", "double", None, FLOAT64, True), ("least", "double", None, FLOAT64, True)] if thresholds else []
    spec = model(inputs, [("scores", "array", shape and [shape, 2]), ("boxes", "array", shape and [shape, 4])])
    nms = spec.nonMaximumSuppression
    nms.pickTop.perClass = per_class
    nms.iouThreshold, nms.confidenceThreshold = 0.4, 0.25
    nms.confidenceInputFeatureName, nms.coordinatesInputFeatureName = "confidence", "coordinates"
    nms.confidenceOutputFeatureName, nms.coordinatesOutputFeatureName = "scores", "boxes"
    if thresholds:
        nms.iouThresholdInputFeatureName, nms.confidenceThresholdInputFeatureName = "iou", "least"
    nms.stringClassLabels.vector.extend(["cat", "dog"])
    return spec


BOXES = np.array([[0.5, 0.5, 0.4, 0.4], [0.52, 0.5, 0.4, 0.4], [0.52, 0.52, 0.4, 0.4], [0.1, 0.1, 0.1, 0.1], [0.9, 0.9, 0.1, 0.1]])
SCORES = np.array([[0.6, 0.1], [0.7, 0.2], [0.1, 0.65], [0.25, 0.2], [0.24, 0.1]])


@case
def suppression_per_class(out):
    kept = [1, 2, 3]
    write(out, suppression(True, None, False), {"confidence": SCORES, "coordinates": BOXES},
          {"scores": SCORES[kept], "boxes": BOXES[kept]})


@case
def suppression_padded(out):
    kept = [1, 3]
    pad = lambda rows: np.vstack([rows, np.zeros((2, rows.shape[1]))])
    write(out, suppression(False, 4, True), {"confidence": SCORES, "coordinates": BOXES},
          {"scores": pad(SCORES[kept]), "boxes": pad(BOXES[kept])})


@case
def suppression_thresholds(out):
    # Nothing overlaps so much, and only confident boxes count; the output has room for two.
    kept = [1, 2]
    write(out, suppression(False, 2, True), {"confidence": SCORES, "coordinates": BOXES, "iou": 1.0, "least": 0.5},
          {"scores": SCORES[kept], "boxes": BOXES[kept]})


@case
def similar_items(out):
    spec = model([("items", "sequence-string"), ("k", "int64"), ("only", "sequence-string"), ("not", "sequence-string")],
                 [("best", "sequence-string"), ("scores", "dictionary-string")])
    recommender = spec.itemSimilarityRecommender
    names = ["a", "b", "c", "d", "e"]
    similar = {"a": {"b": 0.5, "c": 0.25}, "b": {"a": 0.5, "d": 0.75}, "c": {"a": 0.25}, "d": {"b": 0.75, "c": 0.125}}
    shifts = {"a": 0.0, "b": 0.1, "c": 0.2, "d": -0.3}
    for base, others in similar.items():
        target = recommender.itemItemSimilarities.add(itemId=names.index(base), itemScoreAdjustment=shifts[base])
        for other, score in others.items():
            target.similarItemList.add(itemId=names.index(other), similarityScore=score)
    recommender.itemStringIds.vector.extend(names)
    recommender.itemInputFeatureName, recommender.numRecommendationsInputFeatureName = "items", "k"
    recommender.itemRestrictionInputFeatureName, recommender.itemExclusionInputFeatureName = "only", "not"
    recommender.recommendedItemListOutputFeatureName, recommender.recommendedItemScoreOutputFeatureName = "best", "scores"
    given, only, excluded = ["a", "b"], ["b", "c", "d", "e"], ["e"]
    scores = {k: sum(similar.get(i, {}).get(k, 0) * (1 - shifts.get(k, 0)) for i in given) for k in only if k not in excluded}
    best = sorted(scores, key=lambda k: (-scores[k], names.index(k)))[:2]
    write(out, spec, {"items": given, "k": 2, "only": only, "not": excluded}, {"best": best, "scores": {k: scores[k] for k in best}})


# MARK: sound

def vggish(samples):
    """Log mel spectrogram, [1, 96, 64]: frames of 25 ms every 10 ms at 16 kHz, periodic Hann window, DFT of 512 samples by its definition, mel bands from
    125 to 7500 Hz with filters that are triangles on the mel scale."""
    samples = np.asarray(samples, np.float64)
    n = np.arange(400)
    starts = range(0, len(samples) - 400 + 1, 160)
    frames = np.stack([samples[start:start + 400] for start in starts]) * (0.5 - 0.5 * np.cos(2 * np.pi * n / 400))
    bins = np.arange(257)
    magnitude = np.abs(frames @ np.exp(-2j * np.pi * np.outer(n, bins) / 512))
    mel = lambda f: 1127 * np.log1p(f / 700)
    edges = np.linspace(mel(125.0), mel(7500.0), 66)
    position = mel(bins * 16000 / 512)
    filters = np.stack([np.interp(position, edges[band:band + 3], [0, 1, 0]) for band in range(64)], axis=1)
    filters[0] = 0
    return np.log(magnitude @ filters + 0.01)[None]


@case
def sound_vggish(out):
    random = np.random.default_rng(31)
    time = np.arange(15600) / 16000
    chirp = 0.5 * np.sin(2 * np.pi * (100 + 3600 * time) * time) * (time > 0.3)
    for number, x in enumerate([random.uniform(-1, 1, 15600), chirp]):
        spec = model([("sound", "array", [15600], FLOAT32)], [("bands", "array", [1, 96, 64], FLOAT32)])
        spec.soundAnalysisPreprocessing.vggish.SetInParent()
        x = x.astype(np.float32)
        write(out.with_name(f"{out.name}-{number}"), spec, {"sound": x}, {"bands": vggish(x).astype(np.float32)}, rtol=1e-6, atol=1e-6)


# MARK: pipelines

def scaler(input_, output, columns, shift, scale):
    spec = model([(input_, "array", [columns])], [(output, "array", [columns])])
    spec.scaler.shiftValue.extend(shift)
    spec.scaler.scaleValue.extend(scale)
    return spec


def regressor(input_, output, weights, offset):
    spec = model([(input_, "array", [len(weights)])], [(output, "double")], output)
    glm(spec.glmRegressor, [weights], [offset], None)
    return spec


def pipeline(inputs, outputs, members, kind="pipeline", predicted=None, probabilities=None, version=4):
    spec = model(inputs, outputs, predicted, probabilities, version)
    target = getattr(spec, kind) if kind == "pipeline" else getattr(spec, kind).pipeline
    for member in members:
        target.models.add().CopyFrom(member)
    return spec


@case
def pipeline_regressor(out):
    weights, shift, scale = np.array([1.0, -2, 3]), np.array([1.0, 2, 3]), np.array([0.5, 2, 0.25])
    spec = pipeline([("x", "array", [3])], [("y", "double")],
                    [scaler("x", "x", 3, shift, scale), regressor("x", "y", weights, 0.5)], "pipelineRegressor", "y")
    x = np.array([0.5, -1, 2])
    write(out, spec, {"x": x}, {"y": weights @ ((x + shift) * scale) + 0.5})


@case
def pipeline_nested(out):
    """Eight levels, the most that are allowed. The feature `inner` of the innermost one is its own."""
    inner = pipeline([("x", "array", [2])], [("x", "array", [2])],
                     [scaler("x", "inner", 2, [1, 1], [2, 2]), scaler("inner", "x", 2, [0, 0], [1, 1])])
    for _ in range(6):
        inner = pipeline([("x", "array", [2])], [("x", "array", [2])], [inner])
    x = np.array([3.0, -4])
    outer = pipeline([("x", "array", [2]), ("inner", "array", [2])], [("x", "array", [2]), ("inner", "array", [2])], [inner])
    write(out, outer, {"x": x, "inner": x}, {"x": (x + 1) * 2, "inner": x})


@case
def pipeline_text(out):
    """A mapping of text, one-hot, an array and a number side by side, then a classifier."""
    mapping = model([("colour", "string")], [("code", "int64")])
    mapping.categoricalMapping.stringToInt64Map.map.update({"red": 2, "green": 5})
    mapping.categoricalMapping.int64Value = -1
    one_hot = model([("code", "int64")], [("hot", "array", [3])])
    one_hot.oneHotEncoder.int64Categories.vector.extend([5, 2, -1])
    vectorizer = model([("hot", "array", [3]), ("x", "array", [2]), ("n", "double")], [("all", "array", [6])])
    for name, count in [("hot", 3), ("x", 2), ("n", 1)]:
        vectorizer.featureVectorizer.inputList.add(inputColumn=name, inputDimensions=count)
    classifier = model([("all", "array", [6])], [("label", "string"), ("p", "dictionary-string")], "label", "p")
    weights = np.array([1.0, -1, 0.5, 0.25, -0.5, 2])
    glm(classifier.glmClassifier, [weights], [0.1], ["no", "yes"])
    spec = pipeline([("colour", "string"), ("x", "array", [2]), ("n", "double")], [("label", "string"), ("p", "dictionary-string")],
                    [mapping, one_hot, vectorizer, classifier], "pipelineClassifier", "label", "p")
    x = np.array([1.0, 2])
    for number, (colour, hot) in enumerate([("red", [0, 1, 0]), ("blue", [0, 0, 1])]):
        p = sigmoid(weights @ np.concatenate([hot, x, [-0.5]]) + 0.1)
        write(out.with_name(f"{out.name}-{number}"), spec, {"colour": colour, "x": x, "n": -0.5},
              {"label": ["no", "yes"][int(p > 0.5)], "p": {"no": 1 - p, "yes": p}})


@case
def pipeline_program(out):
    """An ML Program between classic models."""
    weight = np.array([[1, 2], [3, 4], [-5, 6]], np.float32)

    @mb.program(input_specs=[mb.TensorSpec(shape=(2,))], opset_version=ct.target.iOS15)
    def program(scaled):
        row = mb.reshape(x=scaled, shape=(1, 2))
        return mb.reshape(x=mb.linear(x=row, weight=weight), shape=(3,), name="products")

    member = ct.convert(program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS15,
                        compute_precision=ct.precision.FLOAT32, skip_model_load=True).get_spec()
    weights = np.array([1.0, -1, 0.5])
    spec = pipeline([("x", "array", [2])], [("y", "double")],
                    [scaler("x", "scaled", 2, [1, 1], [2, 2]), member, regressor("products", "y", weights, 0)], "pipelineRegressor", "y",
                    version=6)
    x = np.array([0.5, -2])
    write(out, spec, {"x": x}, {"y": weights @ (weight @ ((x + 1) * 2))}, rtol=1e-6)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "Tests/Fixtures/classic")
    out = parser.parse_args().out
    shutil.rmtree(out, ignore_errors=True)
    for name, function in CASES.items():
        function(out / name)


if __name__ == "__main__":
    main()
