import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct OutsideModelTests {
  private static let custom = Sample.model([.double("x")], [.double("y")]) { model in
    model.customModel.className = "App.Model"
    model.customModel.description_p = "text"
    func set(_ name: String, _ fill: (inout SpecCustomModel.CustomModelParamValue) -> Void) {
      fill(&model.customModel.parameters[name, default: SpecCustomModel.CustomModelParamValue()])
    }
    set("double") { $0.doubleValue = 0.5 }
    set("string") { $0.stringValue = "a" }
    set("int") { $0.intValue = -3 }
    set("long") { $0.longValue = 1 << 40 }
    set("bool") { $0.boolValue = true }
    set("bytes") { $0.bytesValue = Data([1, 2]) }
  }

  private static let linked = Sample.model([.double("x")], [.double("y")]) {
    $0.linkedModel.linkedModelFile.linkedModelFileName.defaultValue = "other.mlmodelc"
    $0.linkedModel.linkedModelFile.linkedModelSearchPath.defaultValue = ":models"
  }

  private static let text = Sample.model([.string("x")], [.string("label")]) {
    $0.textClassifier.revision = 1
    $0.textClassifier.language = "en"
    $0.textClassifier.modelParameterData = Data([1, 2, 3])
    $0.textClassifier.stringClassLabels.vector = ["a", "b"]
  }

  @Test func `A custom model has a class and parameters`() throws {
    guard case .customModel(let model) = try Sample.classic(Self.custom) else { throw Sample.OtherKind() }
    #expect(model.className == "App.Model" && model.text == "text")
    #expect(
      model.parameters == [
        "double": .double(0.5), "string": .string("a"), "int": .int32(-3), "long": .int64(1 << 40), "bool": .bool(true),
        "bytes": .bytes([1, 2]),
      ])
    Sample.expect("customModel.className: the name is empty", Self.custom) { $0.customModel.className = "" }
    Sample.expect("customModel.parameters[int]: the value is missing", Self.custom) { $0.customModel.parameters["int"]?.value = nil }
    Sample.expect("customModel.parameters: the name of a parameter is empty", Self.custom) {
      $0.customModel.parameters[""] = $0.customModel.parameters["int"]
    }
  }

  @Test func `A linked model has a name and a search path`() throws {
    guard case .linkedModel(let model) = try Sample.classic(Self.linked) else { throw Sample.OtherKind() }
    #expect(model.fileName == "other.mlmodelc" && model.searchPath == ":models")
    Sample.expect("linkedModel.LinkType: the link is missing", Self.linked) { $0.linkedModel.linkType = nil }
    Sample.expect("linkedModelFileName.defaultValue: the name is empty", Self.linked) {
      $0.linkedModel.linkedModelFile.linkedModelFileName.defaultValue = ""
    }
    Sample.expect("isUpdatable: a model of the kind linkedModel cannot be updated", Self.linked) { $0.isUpdatable = true }
  }

  @Test func `A text classifier has labels and no parameters`() throws {
    guard case .opaque(let model) = try Sample.classic(Self.text) else { throw Sample.OtherKind() }
    #expect(model.byteCount == 3 && model.revision == 1 && model.language == "en" && model.labels == .strings(["a", "b"]))
    let description = try Sample.read(Self.text).description
    #expect(description.defaultFunction.classification?.label == "label")
    Sample.expect("textClassifier.revision: 0 is below 1", Self.text) { $0.textClassifier.revision = 0 }
    Sample.expect("textClassifier.ClassLabels: there are none", Self.text) { $0.textClassifier.classLabels = nil }
    Sample.expect("textClassifier.modelParameterData: the parameters are missing", Self.text) {
      $0.textClassifier.modelParameterData = Data()
    }
  }

  @Test func `Other opaque models are read with what the file tells`() throws {
    func opaque(_ message: SpecModel) throws -> OpaqueModel {
      guard case .opaque(let model) = try Sample.classic(message) else { throw Sample.OtherKind() }
      return model
    }
    let tagger = Sample.model([.string("x")], [.sequence("tags")]) {
      $0.wordTagger.revision = 1
      $0.wordTagger.modelParameterData = Data([1])
      $0.wordTagger.tokenTagsOutputFeatureName = "tags"
      $0.wordTagger.stringTags.vector = ["n", "v"]
    }
    #expect(try opaque(tagger).tags == ["n", "v"])
    #expect(try opaque(tagger).labels == nil)
    Sample.expect("wordTagger.Tags: there are none", tagger) { $0.wordTagger.tags = nil }

    let gazetteer = Sample.model([.string("x")], [.string("y")]) {
      $0.gazetteer.revision = 2
      $0.gazetteer.modelParameterData = Data([1])
      $0.gazetteer.stringClassLabels.vector = ["a"]
    }
    #expect(try opaque(gazetteer).labels == .strings(["a"]))
    Sample.expect("gazetteer.revision: 1 is below 2", gazetteer) { $0.gazetteer.revision = 1 }

    let embedding = Sample.model([.string("x")], [.array("y", 3)]) {
      $0.wordEmbedding.revision = 2
      $0.wordEmbedding.modelParameterData = Data([1, 2])
    }
    #expect(try opaque(embedding).byteCount == 2)
    Sample.expect("description.output (y): a model of the kind wordEmbedding cannot have the type string", embedding) {
      $0.description_p.output = [Feature.string("y").message]
    }

    let scene = Sample.model([.image("x")], [.array("y", 3)]) { $0.visionFeaturePrint.scene.version = .sceneVersion2 }
    #expect(try opaque(scene).revision == 2)
    Sample.expect("visionFeaturePrint.scene.version: 3 is not a known version", scene) {
      $0.visionFeaturePrint.scene.version = .UNRECOGNIZED(3)
    }
    Sample.expect("visionFeaturePrint.VisionFeaturePrintType", scene) { $0.visionFeaturePrint.visionFeaturePrintType = nil }
    Sample.expect("visionFeaturePrint.objects.output: there are 1 outputs instead of 2", scene) {
      $0.visionFeaturePrint.objects.output = ["y"]
    }

    let sound = Sample.model([.array("x", 3)], [.array("y", 3)]) { $0.audioFeaturePrint.sound.version = .soundVersion1 }
    #expect(try opaque(sound).revision == 1)
    Sample.expect("audioFeaturePrint.sound.version: 0 is not a known version", sound) { $0.audioFeaturePrint.sound.version = .invalid }

    let serialized = Sample.model([.double("x")], [.double("y")]) {
      $0.serializedModel.identifier = "id"
      $0.serializedModel.model = Data([1, 2, 3, 4])
    }
    #expect(try opaque(serialized).identifier == "id")
    #expect(try opaque(serialized).byteCount == 4)
  }

  @Test func `Stages of a pipeline are read, and errors name the stage`() throws {
    let pipeline = Sample.model([.double("x")], [.double("y")]) {
      $0.pipeline.models = [Self.linked, Self.custom]
      $0.pipeline.names = ["first", "second"]
    }
    guard case .pipeline(let stages) = try Sample.read(pipeline).content else { throw Sample.OtherKind() }
    guard case .classic(.customModel) = stages[1].model.content else { throw Sample.OtherKind() }
    Sample.expect("pipeline.models[1].customModel.className: the name is empty", pipeline) {
      $0.pipeline.models[1].customModel.className = ""
    }
  }

  @Test func `Models with functions are refused`() {
    Sample.expect("description.functions: a model of the kind linkedModel has no functions", Self.linked) {
      var function = SpecFunctionDescription()
      (function.name, function.input, function.output) = ("f", $0.description_p.input, $0.description_p.output)
      $0.description_p.functions = [function]
      $0.description_p.defaultFunctionName = "f"
    }
  }
}
