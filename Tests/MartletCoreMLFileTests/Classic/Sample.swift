import MartletBytes
import MartletCoreMLFile
import CoreMLMessages
import SwiftProtobuf
import Testing

/// Models made from the format's messages.
enum Sample {
  struct OtherKind: Error {}

  /// A model of the newest version, filled in by `fill`.
  static func model(_ inputs: [Feature], _ outputs: [Feature], label: String = "", _ fill: (inout SpecModel) -> Void) -> SpecModel {
    var model = SpecModel()
    model.specificationVersion = 9
    model.description_p.input = inputs.map(\.message)
    model.description_p.output = outputs.map(\.message)
    model.description_p.predictedFeatureName = label
    fill(&model)
    return model
  }

  static func read(_ model: SpecModel) throws -> CoreMLModel {
    let bytes: [UInt8] = try model.serializedBytes()
    return try CoreMLModel(specification: MappedFile(copying: bytes, name: "test").bytes, weights: nil)
  }

  static func classic(_ model: SpecModel) throws -> ClassicModel {
    guard case .classic(let classic) = try read(model).content else { throw OtherKind() }
    return classic
  }

  /// Expects that `model` is read, and refused with `message` after `change`.
  static func expect(
    _ message: String, _ model: SpecModel, sourceLocation: SourceLocation = #_sourceLocation, after change: (inout SpecModel) -> Void
  ) {
    do { _ = try read(model) } catch { Issue.record("the model is refused: \(error)", sourceLocation: sourceLocation) }
    var changed = model
    change(&changed)
    do {
      _ = try read(changed)
      Issue.record("the model is read", sourceLocation: sourceLocation)
    } catch {
      #expect("\(error)".contains(message), sourceLocation: sourceLocation)
    }
  }
}

/// A feature with its type.
struct Feature {
  var message = SpecFeatureDescription()

  private init(_ name: String, _ fill: (inout SpecFeatureType) -> Void) {
    message.name = name
    fill(&message.type)
  }

  static func double(_ name: String) -> Feature { Feature(name) { $0.doubleType = SpecDoubleFeatureType() } }
  static func int64(_ name: String) -> Feature { Feature(name) { $0.int64Type = SpecInt64FeatureType() } }
  static func string(_ name: String) -> Feature { Feature(name) { $0.stringType = SpecStringFeatureType() } }

  static func array(_ name: String, _ shape: Int64..., type: SpecArrayFeatureType.ArrayDataType = .double) -> Feature {
    Feature(name) {
      $0.multiArrayType.shape = shape
      $0.multiArrayType.dataType = type
    }
  }

  /// - Parameter isText: true for keys that are texts.
  static func dictionary(_ name: String, isText: Bool = true) -> Feature {
    Feature(name) {
      if isText {
        $0.dictionaryType.stringKeyType = SpecStringFeatureType()
      } else {
        $0.dictionaryType.int64KeyType = SpecInt64FeatureType()
      }
    }
  }

  /// - Parameter isText: true for elements that are texts.
  static func sequence(_ name: String, isText: Bool = true) -> Feature {
    Feature(name) {
      if isText {
        $0.sequenceType.stringType = SpecStringFeatureType()
      } else {
        $0.sequenceType.int64Type = SpecInt64FeatureType()
      }
    }
  }

  static func image(_ name: String) -> Feature {
    Feature(name) {
      $0.imageType.width = 4
      $0.imageType.height = 4
      $0.imageType.colorSpace = .rgb
    }
  }

  var optional: Feature {
    var copy = self
    copy.message.type.isOptional = true
    return copy
  }
}
