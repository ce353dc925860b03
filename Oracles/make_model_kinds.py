"""Writes recorded cases for kinds of models that other scripts have none of: Tests/Fixtures/kinds.

  python make_model_kinds.py [--out DIRECTORY]

Models whose parameters only Apple's systems read have opaque bytes here; their cases expect an error. Documentation/ModelKinds.md counts the cases of every
kind.

Versions: see requirements.txt.
"""
import argparse
import json
import pathlib
import shutil

import numpy as np

from make_classic_cases import FLOAT32, model, regressor, write
from make_outside_models import custom, image, link

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def refused(out, spec, inputs):
    """A case that expects an error."""
    write(out, spec, inputs, {})
    path = out / "case.json"
    entries = json.loads(path.read_text())
    del entries["outputs"]
    path.write_text(json.dumps(entries | {"expect": "error", "oracle": "the format"}, indent=1) + "\n")


# MARK: kinds that run

@case
def imputer(out):
    spec = model([("x", "array", [3])], [("y", "array", [3])])
    spec.imputer.imputedDoubleArray.vector.extend([1, 2, 3])
    spec.imputer.replaceDoubleValue = -1
    write(out, spec, {"x": np.array([-1.0, 5, -1])}, {"y": np.array([1.0, 5, 3])})


@case
def normalizer(out):
    spec = model([("x", "array", [2])], [("y", "array", [2])])
    spec.normalizer.normType = 2
    write(out, spec, {"x": np.array([3.0, -4])}, {"y": np.array([0.6, -0.8])})


@case
def scaler(out):
    spec = model([("x", "array", [2])], [("y", "array", [2])])
    spec.scaler.shiftValue.extend([1, -1])
    spec.scaler.scaleValue.extend([2, 4])
    write(out, spec, {"x": np.array([3.0, -4])}, {"y": np.array([8.0, -20])})


@case
def arrayFeatureExtractor(out):
    spec = model([("x", "array", [4])], [("y", "array", [2])])
    spec.arrayFeatureExtractor.extractIndex.extend([3, 1])
    write(out, spec, {"x": np.array([0.0, 1, 2, 3])}, {"y": np.array([3.0, 1])})


@case
def featureVectorizer(out):
    spec = model([("a", "double"), ("b", "array", [2])], [("y", "array", [3])])
    for name, count in [("b", 2), ("a", 1)]:
        spec.featureVectorizer.inputList.add(inputColumn=name, inputDimensions=count)
    write(out, spec, {"a": 0.5, "b": np.array([1.0, 2])}, {"y": np.array([1.0, 2, 0.5])})


@case
def dictVectorizer(out):
    spec = model([("x", "dictionary-string")], [("y", "array", [3])])
    spec.dictVectorizer.stringToIndex.vector.extend(["a", "b", "c"])
    write(out, spec, {"x": {"c": 2.5, "a": -1.0, "other": 7.0}}, {"y": np.array([-1.0, 0, 2.5])})


@case
def oneHotEncoder(out):
    spec = model([("x", "int64")], [("y", "array", [3])])
    spec.oneHotEncoder.int64Categories.vector.extend([5, 2, -1])
    write(out, spec, {"x": 2}, {"y": np.array([0.0, 1, 0])})


@case
def categoricalMapping(out):
    spec = model([("x", "string")], [("y", "int64")])
    spec.categoricalMapping.stringToInt64Map.map.update({"red": 2, "green": 5})
    write(out, spec, {"x": "green"}, {"y": 5})


@case
def identity(out):
    spec = model([("x", "array", [2])], [("y", "array", [2])])
    spec.identity.SetInParent()
    write(out, spec, {"x": np.array([3.0, -4])}, {"y": np.array([3.0, -4])})


@case
def classConfidenceThresholding(out):
    spec = model([("p", "array", [2])], [("q", "array", [2])], version=6)
    curve = spec.classConfidenceThresholding.precisionRecallCurves.add()
    for name in ["precision", "recall"]:
        getattr(curve, f"{name}Values").vector.extend([0.5, 1])
        getattr(curve, f"{name}ConfidenceThresholds").vector.extend([0.25, 0.75])
    write(out, spec, {"p": np.array([0.25, 0.75])}, {"q": np.array([0.25, 0.75])})


@case
def linkedModel(out):
    spec = link([("x", "array", [3])], [("y", "double")], "parts/other.mlmodel", "", "y")
    write(out, spec, {"x": np.array([1.0, 2, 3])}, {"y": 14.25})
    (out / "parts").mkdir()
    (out / "parts/other.mlmodel").write_bytes(regressor("x", "y", [1.0, 2, 3], 0.25).SerializeToString(deterministic=True))


# MARK: kinds that need the program

@case
def customModel(out):
    refused(out, custom([("x", "double")], [("y", "double")], "Missing"), {"x": 1.0})


# MARK: kinds of Apple's systems

def text_model(field, outputs, revision, **tags):
    spec = model([("text", "string")], outputs, version=5)
    parameters = getattr(spec, field)
    parameters.revision, parameters.language, parameters.modelParameterData = revision, "en", b"opaque"
    for name, values in tags.items():
        getattr(parameters, name).vector.extend(values)
    return spec


@case
def textClassifier(out):
    spec = text_model("textClassifier", [("label", "string")], 1, stringClassLabels=["no", "yes"])
    spec.description.predictedFeatureName = "label"
    refused(out, spec, {"text": "words"})


@case
def wordTagger(out):
    spec = text_model("wordTagger", [("tokens", "sequence-string"), ("tags", "sequence-string")], 1, stringTags=["noun", "verb"])
    spec.wordTagger.tokensOutputFeatureName, spec.wordTagger.tokenTagsOutputFeatureName = "tokens", "tags"
    refused(out, spec, {"text": "words"})


@case
def gazetteer(out):
    refused(out, text_model("gazetteer", [("label", "string")], 2, stringClassLabels=["place"]), {"text": "words"})


@case
def wordEmbedding(out):
    refused(out, text_model("wordEmbedding", [("vector", "array", [3], FLOAT32)], 2), {"text": "words"})


@case
def visionFeaturePrint(out):
    spec = model([], [("print", "array", [2048])], version=4)
    image(spec.description.input, "picture", 299)
    spec.visionFeaturePrint.scene.version = 1
    refused(out, spec, {"picture": np.zeros([1, 3, 299, 299], np.uint8)[:, :, :1, :1].astype(np.float32)})


@case
def audioFeaturePrint(out):
    spec = model([("sound", "array", [15600], FLOAT32)], [("print", "array", [512], FLOAT32)], version=6)
    spec.audioFeaturePrint.sound.version = 1
    refused(out, spec, {"sound": np.zeros(1, np.float32)})


@case
def serializedModel(out):
    spec = model([("x", "double")], [("y", "double")], version=6)
    spec.serializedModel.identifier, spec.serializedModel.model = "com.example.model", b"opaque"
    refused(out, spec, {"x": 1.0})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "Tests/Fixtures/kinds")
    out = parser.parse_args().out
    shutil.rmtree(out, ignore_errors=True)
    for name, function in CASES.items():
        function(out / name)


if __name__ == "__main__":
    main()
