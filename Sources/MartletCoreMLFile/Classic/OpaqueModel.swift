import MartletBytes
package import MartletFeatures
import MartletTensor

/// A model whose parameters are opaque or belong to the operating system. Its kind is that of the `CoreMLModel`.
package struct OpaqueModel: Sendable, Equatable {
  /// Size of the parameters in the file; 0 if there are none.
  package let byteCount: Int
  /// Version of the parameters; nil if the kind has none.
  package var revision: Int?
  /// Empty if the kind or the file has none.
  package var language = ""
  /// The identifier of a serialised model; empty for other kinds.
  package var identifier = ""
  /// The labels of a classifier.
  package var labels: ClassLabels?
  /// The tags of a tagger; empty for other kinds.
  package var tags: [String] = []
  /// Why the model cannot run, if that is not because of its kind.
  package var refusal: String?
}

extension ClassicReader {
  func textClassifier(_ source: SpecTextClassifier) throws(FileError) -> OpaqueModel {
    var model = try text(source, leastRevision: 1)
    _ = try interface.only(.output, .string)
    model.labels = .strings(try present(source.stringClassLabels, "ClassLabels"))
    return model
  }

  func gazetteer(_ source: SpecGazetteer) throws(FileError) -> OpaqueModel {
    var model = try text(source, leastRevision: 2)
    _ = try interface.only(.output, .string)
    model.labels = .strings(try present(source.stringClassLabels, "ClassLabels"))
    return model
  }

  func wordEmbedding(_ source: SpecWordEmbedding) throws(FileError) -> OpaqueModel {
    let model = try text(source, leastRevision: 2)
    _ = try interface.only(.output, .multiArray)
    return model
  }

  func wordTagger(_ source: SpecWordTagger) throws(FileError) -> OpaqueModel {
    var model = try text(source, leastRevision: 1)
    try interface.feature(.output, named: source.tokenTagsOutputFeatureName, by: "tokenTagsOutputFeatureName", .sequence)
    model.tags = try present(source.stringTags, "Tags")
    return model
  }

  private func present(_ list: SpecStringVector, _ field: String) throws(FileError) -> [String] {
    guard !list.vector.isEmpty else { throw error(field, "there are none") }
    return list.vector
  }

  /// A model of text, and checks that all of them share.
  private func text(_ source: some TextMessage, leastRevision: UInt32) throws(FileError) -> OpaqueModel {
    let byteCount = source.modelParameterData.count
    _ = try interface.only(.input, .string)
    guard source.revision >= leastRevision else {
      throw error("revision", "\(source.revision) is below \(leastRevision), the first one")
    }
    guard byteCount > 0 else { throw error("modelParameterData", "the parameters are missing") }
    return OpaqueModel(byteCount: byteCount, revision: Int(widening: source.revision), language: source.language)
  }

  func visionFeaturePrint(_ source: SpecVisionFeaturePrint) throws(FileError) -> OpaqueModel {
    _ = try interface.only(.input, .image)
    switch source.visionFeaturePrintType {
    case .scene(let scene):
      try interface.check(.output, atMost: 1, .multiArray)
      return try featurePrint(scene.version.rawValue, upTo: 2, "scene.version")
    case .objects(let objects):
      try interface.check(.output, atMost: 2, .multiArray)
      let names = objects.output
      guard names.count == 2 else { throw error("objects.output", "there are \(names.count) outputs instead of 2") }
      for feature in interface.function.outputs where !names.contains(feature.name) {
        throw interface.error(.output, feature, "no parameter names this output")
      }
      return try featurePrint(objects.version.rawValue, upTo: 1, "objects.version")
    case nil: throw error("VisionFeaturePrintType", "the type is missing")
    }
  }

  func audioFeaturePrint(_ source: SpecAudioFeaturePrint) throws(FileError) -> OpaqueModel {
    _ = try interface.only(.input, .multiArray)
    guard case .sound(let sound)? = source.audioFeaturePrintType else { throw error("AudioFeaturePrintType", "the type is missing") }
    try interface.check(.output, atMost: 1, .multiArray)
    return try featurePrint(sound.version.rawValue, upTo: 1, "sound.version")
  }

  private func featurePrint(_ version: Int, upTo last: Int, _ field: String) throws(FileError) -> OpaqueModel {
    guard (1...last).contains(version) else { throw error(field, "\(version) is not a known version") }
    return OpaqueModel(byteCount: 0, revision: version)
  }
}

/// The message of a model of text, whose parameters only Apple's systems read.
private protocol TextMessage {
  var revision: UInt32 { get }
  var language: String { get }
  var modelParameterData: [UInt8] { get }
}

extension SpecTextClassifier: TextMessage {}
extension SpecGazetteer: TextMessage {}
extension SpecWordEmbedding: TextMessage {}
extension SpecWordTagger: TextMessage {}
