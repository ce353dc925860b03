package import Martlet
import MartletFeatures
package import MartletPixels

/// Observations of a model on a picture.
package enum Observation: Sendable {
  case object(RecognizedObject)
  case classification(RankedClass)
  case picture(name: String, Picture)
  case value(name: String, ModelValue)
}

/// Asks a Core ML model about pictures.
package struct PictureObserver: Sendable {
  package let form: ObservationForm
  private let model: Model
  private let inputs: [ValueSignature]
  private let outputs: [String]
  private let image: (position: Int, signature: ImageSignature)
  private let order: LabelOrder?

  /// - Throws: `MartletError`, if no input is an image, another one is needed, or the model cannot be loaded.
  package init(_ asset: ModelAsset, options: ModelOptions) throws {
    let model = try Model(asset, options: options)
    let signature = try model.signature()
    let inputs = signature.inputs
    let images = inputs.indices.compactMap { position -> (position: Int, signature: ImageSignature)? in
      if case .image(let image) = inputs[position].kind { (position, image) } else { nil }
    }
    guard let image = images.first else { throw MartletError.invalidInput("\(model.name) takes no picture") }
    if let other = inputs.indices.first(where: { $0 != image.position && !inputs[$0].isOptional }) {
      throw MartletError.invalidInput("\(model.name) needs another input beside the picture: \(inputs[other])")
    }
    self.model = model
    self.inputs = inputs
    outputs = signature.outputs.map(\.name)
    self.image = image
    let function = asset.features.defaultFunction
    form = ObservationForm(function, boxes: asset.suppressedBoxes)
    order = (function.classification?.labels.texts).map { LabelOrder($0) }
  }

  /// The model's observations in an upright picture, and how it came to be the model's input.
  /// - Throws: `MartletError` if the region is not inside of the picture, or the run fails.
  package func observations(
    in picture: Picture, region: NormalizedBox = .whole, action: PictureMapping.Action
  ) throws -> (observations: [Observation], mapping: PictureMapping) {
    let isFree = image.signature.width < 1 || image.signature.height < 1
    guard
      let mapping = PictureMapping(
        width: picture.width, height: picture.height, region: region, targetWidth: isFree ? picture.width : image.signature.width,
        targetHeight: isFree ? picture.height : image.signature.height, action: action)
    else { throw MartletError.invalidInput("the region is not inside of the picture, which spans 0 to 1 along each axis") }
    let part = try picture.overBlack.cropped(
      x: mapping.columns.lowerBound, y: mapping.rows.lowerBound, width: mapping.columns.count, height: mapping.rows.count)
    let input = try (action.turns ? part.upright(from: .left) : part).fitted(mapping.fit)
    let results = try model.run(inputs.indices.map { $0 == image.position ? .image(input) : .none })
    let values = Dictionary(zip(outputs, results), uniquingKeysWith: { first, _ in first })
    return (try observations(values, mapping), mapping)
  }

  private func observations(_ values: [String: ModelValue], _ mapping: PictureMapping) throws -> [Observation] {
    switch form {
    case .objects(let boxes):
      guard let confidences = values[boxes.confidenceOutput]?.tensor, let coordinates = values[boxes.coordinatesOutput]?.tensor,
        let objects = RecognizedObject.objects(
          confidences: confidences.doubles, coordinates: coordinates.doubles, boxes, in: mapping)
      else { throw MartletError.executionFailed("the boxes and confidences of \(model.name) do not belong together") }
      return objects.map { .object($0) }
    case .classification(let label, let probabilities):
      let numbers: [String: Double]? =
        if case .dictionary(let numbers)? = probabilities.flatMap({ values[$0] }) { numbers.byText } else { nil }
      let text =
        switch values[label] {
        case .string(let text)?: text
        case .int(let number)?: "\(number)"
        default: ""
        }
      return RankedClass.classes(label: text, probabilities: numbers, order: order).map { .classification($0) }
    case .pictures(let names):
      return names.compactMap { name in
        if case .image(let picture)? = values[name] { .picture(name: name, picture) } else { nil }
      }
    case .values(let names): return names.compactMap { name in values[name].map { .value(name: name, $0) } }
    }
  }
}
