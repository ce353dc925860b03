// Written by generate.py from system_models.proto; not to be edited.
// swift-format-ignore-file

struct SpecVisionFeaturePrint: ProtobufMessage {
  static var number: Int { 328 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_VisionFeaturePrintType: Sendable {
    case scene(SpecVisionFeaturePrint.Scene)
    case objects(SpecVisionFeaturePrint.Objects)
  }
  var visionFeaturePrintType: OneOf_VisionFeaturePrintType? {
    let fields = self.fields.choice([162, 170])
    switch fields.chosen {
    case 20: return .scene(SpecVisionFeaturePrint.Scene(fields.message(20)))
    case 21: return .objects(SpecVisionFeaturePrint.Objects(fields.message(21)))
    default: return nil
    }
  }
  var scene: SpecVisionFeaturePrint.Scene {
    if case .scene(let value)? = visionFeaturePrintType { value } else { SpecVisionFeaturePrint.Scene(.empty) }
  }
  var objects: SpecVisionFeaturePrint.Objects {
    if case .objects(let value)? = visionFeaturePrintType { value } else { SpecVisionFeaturePrint.Objects(.empty) }
  }
  struct Scene: ProtobufMessage {
    static var number: Int { 329 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var version: SpecVisionFeaturePrint.Scene.SceneVersion { SpecVisionFeaturePrint.Scene.SceneVersion(rawValue: fields.enumeration(1)) }
    enum SceneVersion: Hashable, Sendable {
      case invalid
      case sceneVersion1
      case sceneVersion2
      case UNRECOGNIZED(Int)
      init(rawValue: Int) {
        switch rawValue {
        case 0: self = .invalid
        case 1: self = .sceneVersion1
        case 2: self = .sceneVersion2
        default: self = .UNRECOGNIZED(rawValue)
        }
      }
      var rawValue: Int {
        switch self {
        case .invalid: 0
        case .sceneVersion1: 1
        case .sceneVersion2: 2
        case .UNRECOGNIZED(let value): value
        }
      }
    }
  }
  struct Objects: ProtobufMessage {
    static var number: Int { 330 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var version: SpecVisionFeaturePrint.Objects.ObjectsVersion { SpecVisionFeaturePrint.Objects.ObjectsVersion(rawValue: fields.enumeration(1)) }
    var output: [String] { fields.strings(100) }
    enum ObjectsVersion: Hashable, Sendable {
      case invalid
      case objectsVersion1
      case UNRECOGNIZED(Int)
      init(rawValue: Int) {
        switch rawValue {
        case 0: self = .invalid
        case 1: self = .objectsVersion1
        default: self = .UNRECOGNIZED(rawValue)
        }
      }
      var rawValue: Int {
        switch self {
        case .invalid: 0
        case .objectsVersion1: 1
        case .UNRECOGNIZED(let value): value
        }
      }
    }
  }
}
struct SpecAudioFeaturePrint: ProtobufMessage {
  static var number: Int { 331 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_AudioFeaturePrintType: Sendable {
    case sound(SpecAudioFeaturePrint.Sound)
  }
  var audioFeaturePrintType: OneOf_AudioFeaturePrintType? {
    let fields = self.fields.choice([162])
    switch fields.chosen {
    case 20: return .sound(SpecAudioFeaturePrint.Sound(fields.message(20)))
    default: return nil
    }
  }
  var sound: SpecAudioFeaturePrint.Sound {
    if case .sound(let value)? = audioFeaturePrintType { value } else { SpecAudioFeaturePrint.Sound(.empty) }
  }
  struct Sound: ProtobufMessage {
    static var number: Int { 332 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var version: SpecAudioFeaturePrint.Sound.SoundVersion { SpecAudioFeaturePrint.Sound.SoundVersion(rawValue: fields.enumeration(1)) }
    enum SoundVersion: Hashable, Sendable {
      case invalid
      case soundVersion1
      case UNRECOGNIZED(Int)
      init(rawValue: Int) {
        switch rawValue {
        case 0: self = .invalid
        case 1: self = .soundVersion1
        default: self = .UNRECOGNIZED(rawValue)
        }
      }
      var rawValue: Int {
        switch self {
        case .invalid: 0
        case .soundVersion1: 1
        case .UNRECOGNIZED(let value): value
        }
      }
    }
  }
}
struct SpecSoundAnalysisPreprocessing: ProtobufMessage {
  static var number: Int { 333 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_SoundAnalysisPreprocessingType: Sendable {
    case vggish(SpecSoundAnalysisPreprocessing.Vggish)
  }
  var soundAnalysisPreprocessingType: OneOf_SoundAnalysisPreprocessingType? {
    let fields = self.fields.choice([162])
    switch fields.chosen {
    case 20: return .vggish(SpecSoundAnalysisPreprocessing.Vggish(fields.message(20)))
    default: return nil
    }
  }
  var vggish: SpecSoundAnalysisPreprocessing.Vggish {
    if case .vggish(let value)? = soundAnalysisPreprocessingType { value } else { SpecSoundAnalysisPreprocessing.Vggish(.empty) }
  }
  struct Vggish: ProtobufMessage {
    static var number: Int { 334 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
  }
}
struct SpecTextClassifier: ProtobufMessage {
  static var number: Int { 335 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var revision: UInt32 { fields.uint32(1) }
  var language: String { fields.string(10) }
  var modelParameterData: [UInt8] { fields.data(100) }
  enum OneOf_ClassLabels: Sendable {
    case stringClassLabels(SpecStringVector)
  }
  var classLabels: OneOf_ClassLabels? {
    let fields = self.fields.choice([1602])
    switch fields.chosen {
    case 200: return .stringClassLabels(SpecStringVector(fields.message(200)))
    default: return nil
    }
  }
  var stringClassLabels: SpecStringVector {
    if case .stringClassLabels(let value)? = classLabels { value } else { SpecStringVector(.empty) }
  }
}
struct SpecWordTagger: ProtobufMessage {
  static var number: Int { 336 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var revision: UInt32 { fields.uint32(1) }
  var language: String { fields.string(10) }
  var tokensOutputFeatureName: String { fields.string(20) }
  var tokenTagsOutputFeatureName: String { fields.string(21) }
  var tokenLocationsOutputFeatureName: String { fields.string(22) }
  var tokenLengthsOutputFeatureName: String { fields.string(23) }
  var modelParameterData: [UInt8] { fields.data(100) }
  enum OneOf_Tags: Sendable {
    case stringTags(SpecStringVector)
  }
  var tags: OneOf_Tags? {
    let fields = self.fields.choice([1602])
    switch fields.chosen {
    case 200: return .stringTags(SpecStringVector(fields.message(200)))
    default: return nil
    }
  }
  var stringTags: SpecStringVector {
    if case .stringTags(let value)? = tags { value } else { SpecStringVector(.empty) }
  }
}
struct SpecGazetteer: ProtobufMessage {
  static var number: Int { 337 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var revision: UInt32 { fields.uint32(1) }
  var language: String { fields.string(10) }
  var modelParameterData: [UInt8] { fields.data(100) }
  enum OneOf_ClassLabels: Sendable {
    case stringClassLabels(SpecStringVector)
  }
  var classLabels: OneOf_ClassLabels? {
    let fields = self.fields.choice([1602])
    switch fields.chosen {
    case 200: return .stringClassLabels(SpecStringVector(fields.message(200)))
    default: return nil
    }
  }
  var stringClassLabels: SpecStringVector {
    if case .stringClassLabels(let value)? = classLabels { value } else { SpecStringVector(.empty) }
  }
}
struct SpecWordEmbedding: ProtobufMessage {
  static var number: Int { 338 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var revision: UInt32 { fields.uint32(1) }
  var language: String { fields.string(10) }
  var modelParameterData: [UInt8] { fields.data(100) }
}
