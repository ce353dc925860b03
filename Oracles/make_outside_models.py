"""Writes models that code of the program computes and models that link to other files: Tests/Fixtures/outside.

  python make_outside_models.py [--out DIRECTORY]

Specifications are written field by field. The tests give the classes of custom models, and place linked models where links look for them.

Versions: see requirements.txt.
"""
import argparse
import pathlib
import shutil

from make_classic_cases import glm, model, pipeline, regressor, scaler


def custom(inputs, outputs, name="Doubler", version=4, **parameters):
    """A custom model. The parameters are values of the format's fields by name, such as doubleValue=2.5."""
    spec = model(inputs, outputs, version=version)
    spec.customModel.className = name
    spec.customModel.description = "Made by the tests"
    for key, (kind, value) in parameters.items():
        setattr(spec.customModel.parameters[key], kind, value)
    return spec


def image(list_, name, size=4):
    declared = list_.add(name=name)
    declared.type.imageType.width = declared.type.imageType.height = size
    declared.type.imageType.colorSpace = 20
    return declared


def link(inputs, outputs, name, path="", predicted=None):
    spec = model(inputs, outputs, predicted, version=4)
    spec.linkedModel.linkedModelFile.linkedModelFileName.defaultValue = name
    spec.linkedModel.linkedModelFile.linkedModelSearchPath.defaultValue = path
    return spec


def custom_models():
    parameters = {
        "factor": ("doubleValue", 2.5), "side": ("stringValue", "left"), "count": ("intValue", -3), "big": ("longValue", 1 << 40),
        "on": ("boolValue", True), "data": ("bytesValue", bytes([1, 2, 255])),
    }
    features = [("x", "array", [3]), ("text", "string")], [("y", "array", [3]), ("size", "int64")]
    yield "custom", custom(*features, **parameters)
    # Classes are registered by name in one process, so that the documentation's tests have a name of their own.
    yield "custom_documented", custom(*features, "Magnifier", **parameters)
    # The pipeline's text reaches the custom model past the scaler, and what the scaler gives is an output, too.
    member = custom([("scaled", "array", [3]), ("text", "string")], [("y", "array", [3]), ("size", "int64")], **parameters)
    stages = pipeline(
        [("x", "array", [3]), ("text", "string")], [("value", "double"), ("scaled", "array", [3]), ("size", "int64")],
        [scaler("x", "scaled", 3, [1, 1, 1], [2, 2, 2]), member, regressor("y", "value", [1.0, 10, 100], 0.5)])
    yield "custom_pipeline", stages
    picture = custom([], [("mean", "double")], "Darker")
    image(picture.description.input, "picture")
    image(picture.description.output, "darker")
    yield "custom_picture", picture
    kinds = [("number", "double"), ("dictionary", "dictionary-string"), ("list", "sequence-int64")]
    yield "custom_kinds", custom(kinds, [(f"{name}_out", *rest) for name, *rest in kinds], "Echo")


def linked_models():
    features = [("x", "array", [3])], [("y", "double")]
    yield "target", regressor("x", "y", [1.0, 2, 3], 0.25)
    yield "other", regressor("x", "y", [-1.0, 0, 1], 8)
    for name, (file, path) in {
        "link": ("target.mlmodel", ""), "link_compiled": ("target.mlmodelc", "."), "link_folder": ("target.mlmodel", "nowhere:parts/inner"),
        "link_bundle": ("outside_target.mlmodel", "$BUNDLE_MAIN"), "link_identifier": ("outside_target.mlmodel", "$BUNDLE_IDENTIFIER(martlet_MartletTests)"),
        "link_missing": ("nothing.mlmodel", ".:parts"),
        "link_self": ("link_self.mlmodel", ""), "link_a": ("link_b.mlmodel", ""), "link_b": ("link_a.mlmodel", ""),
        "link_root": ("/", ""), "link_absolute": ("/tmp/target.mlmodel", ""), "link_parent": ("../target.mlmodel", ""),
        "link_path_root": ("target.mlmodel", "/"), "link_path_parent": ("target.mlmodel", ".:parts/../.."),
        "link_identifier_parent": ("target.mlmodel", "$BUNDLE_IDENTIFIER(../..)"),
    }.items():
        yield name, link(*features, file, path, "y")
    yield "link_other_features", link([("z", "array", [3])], [("y", "double")], "target.mlmodel", "", "y")

    classifier = model([("y", "double")], [("label", "string"), ("p", "dictionary-string")], "label", "p")
    glm(classifier.glmClassifier, [[0.5]], [-4], ["low", "high"])
    yield "classifier", classifier
    stages = pipeline(
        [("x", "array", [3])], [("label", "string"), ("p", "dictionary-string"), ("y", "double")],
        [scaler("x", "x", 3, [0, 0, 0], [2, 2, 2]), link(*features, "target.mlmodel", "", "y"),
         link([("y", "double")], [("label", "string"), ("p", "dictionary-string")], "classifier.mlmodel", "", "label")])
    stages.pipeline.names.extend(["scaler", "first", "second"])
    yield "link_pipeline", stages
    # A pipeline whose stages have no names and a link to a pipeline of links; and a link to a link.
    yield "link_nested", pipeline(*features, [scaler("x", "x", 3, [0, 0, 0], [2, 2, 2]), link(*features, "link_pipeline.mlmodel", "", "y")])
    yield "link_link", link(*features, "link.mlmodel", "", "y")
    # Each level links to the next one twice.
    for level in range(1, 10):
        twice = pipeline(*features, [link(*features, f"deep_{level + 1}.mlmodel"), link(*features, f"deep_{level + 1}.mlmodel")])
        yield f"deep_{level}", twice
    yield "deep_10", regressor("x", "y", [1.0, 2, 3], 0.25)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "Tests/Fixtures/outside")
    out = parser.parse_args().out
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for models in [custom_models(), linked_models()]:
        for name, spec in models:
            (out / f"{name}.mlmodel").write_bytes(spec.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
