"""Writes Tests/MartletModelClassesTests/Fixtures: models that consist of an interface only, and the declarations that Xcode writes for them.

    python Oracles/make_model_classes.py

The declarations are recorded in model_classes/*.txt, one file for each model, from classes that Xcode (16 and later) generated and people
published, and for other combinations of features from the same rules. What is the same in every class is in this script.
"""

import json
import pathlib
import re
import shutil

from coremltools.proto import FeatureTypes_pb2 as types
from coremltools.proto import Model_pb2 as model_pb2

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "Tests/MartletModelClassesTests/Fixtures"
ARRAYS = {"float16": 65552, "float32": 65568, "float64": 65600, "int32": 131104, "int8": 131080}
COLORS = {"gray": 10, "rgb": 20, "bgr": 30, "gray16": 40}
SYSTEMS = {
    1: "macOS 10.13, iOS 11.0, tvOS 11.0, watchOS 4.0, visionOS 1.0",
    2: "macOS 10.13.2, iOS 11.2, tvOS 11.2, watchOS 4.2, visionOS 1.0",
    3: "macOS 10.14, iOS 12.0, tvOS 12.0, watchOS 5.0, visionOS 1.0",
    4: "macOS 10.15, iOS 13.0, tvOS 13.0, watchOS 6.0, visionOS 1.0",
    5: "macOS 11.0, iOS 14.0, tvOS 14.0, watchOS 7.0, visionOS 1.0",
    6: "macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, visionOS 1.0",
    7: "macOS 13.0, iOS 16.0, tvOS 16.0, watchOS 9.0, visionOS 1.0",
    8: "macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0",
    9: "macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0",
}


def add_feature(features, line):
    """A line: name | type | description. Types: int64, double, string, strings, int64s, dictionary by string or int64 (`dict string`),
    `rgb 416x416`, `rgb 0x0 299..` (a range of sizes), `float32 1x77`, `float32` (no shape), `state 1x4`; with `?` at the end: optional."""
    name, kind, description = (part.strip() for part in (line + "||").split("|")[:3])
    feature = features.add(name=name, shortDescription=description)
    if kind.endswith("?"):
        feature.type.isOptional, kind = True, kind[:-1].strip()
    words = kind.split()
    if words[0] == "int64":
        feature.type.int64Type.SetInParent()
    elif words[0] == "double":
        feature.type.doubleType.SetInParent()
    elif words[0] == "string":
        feature.type.stringType.SetInParent()
    elif words[0] == "strings":
        feature.type.sequenceType.stringType.SetInParent()
    elif words[0] == "int64s":
        feature.type.sequenceType.int64Type.SetInParent()
    elif words[0] == "dict":
        key = "stringKeyType" if words[1] == "string" else "int64KeyType"
        getattr(feature.type.dictionaryType, key).SetInParent()
    elif words[0] in COLORS:
        image = feature.type.imageType
        image.width, image.height = map(int, words[1].split("x"))
        image.colorSpace = COLORS[words[0]]
        if len(words) > 2 and words[2].endswith(".."):
            for size in (image.imageSizeRange.widthRange, image.imageSizeRange.heightRange):
                size.lowerBound, size.upperBound = int(words[2][:-2]), -1
        elif len(words) > 2:
            for text in words[2].split(","):
                width, height = map(int, text.split("x"))
                image.enumeratedSizes.sizes.add(width=width, height=height)
    else:
        array = feature.type.stateType.arrayType if words[0] == "state" else feature.type.multiArrayType
        array.dataType = ARRAYS["float16" if words[0] == "state" else words[0]]
        array.shape.extend(int(extent) for extent in words[1].split("x")) if len(words) > 1 else None


def read(path):
    """The sections of a record: lines by the word before them in brackets."""
    sections, section = {}, None
    for line in path.read_text().splitlines():
        if match := re.fullmatch(r"\[(\w+)( .*)?\]", line):
            section = sections.setdefault(match[1], [])
            if match[2]:
                section.append(match[2].strip())
        elif line.strip():
            section.append(line.strip())
    return sections


def common(sections):
    """The declarations of all classes for a record."""
    name = sections["class"][0] if "class" in sections else sections["model"][0]
    version = int(sections["version"][0])
    names = [line.split("|")[0].strip() for line in sections.get("inputs", [])]
    own = f"@available({SYSTEMS[version]}, *)"

    def needs(first):
        return [f"@available({SYSTEMS[first]}, *)"] if version < first else []

    lines = ["/// Model Prediction Input Type", own, f"class {name}Input : MLFeatureProvider {{"]
    for line in sections["input"]:
        if line.startswith("init("):
            lines += ["var featureNames: Set<String> { [" + ", ".join(f'"{part}"' for part in names) + "] }"]
            lines += ["func featureValue(for featureName: String) -> MLFeatureValue? {"]
        lines.append(line)
    lines += ["/// Model Prediction Output Type", own, f"class {name}Output : MLFeatureProvider {{"]
    lines += ["/// Source provided by CoreML", "private let provider : MLFeatureProvider"]
    for line in sections["output"]:
        if line.startswith("init("):
            lines += ["var featureNames: Set<String> {", "func featureValue(for featureName: String) -> MLFeatureValue? {"]
        lines.append(line)
    lines += ["init(features: MLFeatureProvider) {"]
    state = f", using state: {name}State" if "states" in sections else ""
    if state:
        lines += ["/// Model Prediction State Type", own, f"final class {name}State {{", "enum Name: String, CaseIterable {"]
        lines += sections["state"]
        lines += ["let handle: MLState", "init(handle: MLState) {"]
        lines += ["func withMultiArray<R>(for stateName: Name, _ body: (MLMultiArray) throws -> R) rethrows -> R {"]
    default = " = MLModelConfiguration()"
    lines += ["/// Class for model loading and prediction", own, f"class {name} {{", "let model: MLModel"]
    lines += ["/// URL of model assuming it was installed in the same bundle as this class"]
    lines += ["class var urlOfModelInThisBundle : URL {", "init(model: MLModel) {"]
    if version < 5:
        message = "Use init(configuration:) instead and handle errors appropriately."
        lines += [f'@available(*, deprecated, message: "{message}")', "convenience init() {"]
    lines += needs(3) + [f"convenience init(configuration: MLModelConfiguration{'' if version < 5 else default}) throws {{"]
    lines += ["convenience init(contentsOf modelURL: URL) throws {"]
    lines += needs(3) + ["convenience init(contentsOf modelURL: URL, configuration: MLModelConfiguration) throws {"]
    handler = f", completionHandler handler: @escaping (Swift.Result<{name}, Error>) -> Void) {{"
    for source in ("", "contentsOf modelURL: URL, "):
        lines += needs(5) + [f"class func load({source}configuration: MLModelConfiguration{default}{handler}"]
        lines += needs(6) + [f"class func load({source}configuration: MLModelConfiguration{default}) async throws -> {name} {{"]
    if state:
        lines += [f"func makeState() -> {name}State {{"]
    options = "options: MLPredictionOptions"
    lines += [f"func prediction(input: {name}Input{state}) throws -> {name}Output {{"]
    lines += [f"func prediction(input: {name}Input{state}, {options}) throws -> {name}Output {{"]
    lines += needs(8)
    lines += [f"func prediction(input: {name}Input{state}, {options} = MLPredictionOptions()) async throws -> {name}Output {{"]
    lines += [line.replace("@@", f"{state}) throws -> {name}Output {{") for line in sections.get("predictions", [])]
    if not state:
        lines += needs(3)
        lines += [f"func predictions(inputs: [{name}Input], {options} = MLPredictionOptions()) throws -> [{name}Output] {{"]
    return lines


def main():
    shutil.rmtree(OUTPUT, ignore_errors=True)
    (OUTPUT / "models").mkdir(parents=True)
    declarations = {}
    for path in sorted((ROOT / "Oracles/model_classes").glob("*.txt")):
        sections = read(path)
        spec = model_pb2.Model(specificationVersion=int(sections["version"][0]))
        spec.identity.SetInParent()
        for section in ("inputs", "outputs", "states"):
            side = {"inputs": spec.description.input, "outputs": spec.description.output, "states": spec.description.state}[section]
            for line in sections.get(section, []):
                add_feature(side, line)
        name = sections["model"][0]
        (OUTPUT / "models" / f"{name}.mlmodel").write_bytes(spec.SerializeToString(deterministic=True))
        declarations[name] = common(sections)
    (OUTPUT / "declarations.json").write_text(json.dumps(declarations, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(declarations)} models")


if __name__ == "__main__":
    main()
