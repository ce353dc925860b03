import MartletBytes
import MartletCoreMLSpecification
import MartletFeatures

extension ModelDescription {
  /// - Throws: `FileError` naming the feature whose type or shape is missing or invalid.
  init(_ source: SpecModelDescription, path: String) throws(FileError) {
    let reader = FeatureReader(path: path)
    let metadata = ModelMetadata(
      shortDescription: source.metadata.shortDescription, version: source.metadata.versionString, author: source.metadata.author,
      license: source.metadata.license, userDefined: source.metadata.userDefined)
    let trainingInputs = try reader.features(source.trainingInput, field: "trainingInput")

    if source.functions.isEmpty {
      let function = FunctionDescription(
        name: "",
        inputs: try reader.features(source.input, field: "input"), outputs: try reader.features(source.output, field: "output"),
        states: try reader.features(source.state, field: "state"), predictedFeatureName: source.predictedFeatureName.nonEmpty,
        predictedProbabilitiesName: source.predictedProbabilitiesName.nonEmpty)
      self.init(metadata: metadata, functions: [function], defaultFunctionName: nil, trainingInputs: trainingInputs)
      return
    }
    var functions: [FunctionDescription] = []
    for function in source.functions {
      do {
        functions.append(
          FunctionDescription(
            name: function.name,
            inputs: try reader.features(function.input, field: "input"), outputs: try reader.features(function.output, field: "output"),
            states: try reader.features(function.state, field: "state"), predictedFeatureName: function.predictedFeatureName.nonEmpty,
            predictedProbabilitiesName: function.predictedProbabilitiesName.nonEmpty))
      } catch {
        throw error.nested(in: "functions[\(function.name)]")
      }
    }
    guard Set(functions.map(\.name)).count == functions.count else {
      throw FileError(file: path, field: "functions", reason: "two functions have the same name")
    }
    guard functions.contains(where: { $0.name == source.defaultFunctionName }) else {
      throw FileError(file: path, field: "defaultFunctionName", reason: "there is no function '\(source.defaultFunctionName)'")
    }
    self.init(
      metadata: metadata, functions: functions, defaultFunctionName: source.defaultFunctionName, trainingInputs: trainingInputs)
  }
}

private struct FeatureReader {
  let path: String

  private func error(_ field: String, _ reason: String) -> FileError { FileError(file: path, field: field, reason: reason) }

  func features(_ source: [SpecFeatureDescription], field: String) throws(FileError) -> [FeatureDescription] {
    var features: [FeatureDescription] = []
    var positions: [String: Int] = [:]
    features.reserveCapacity(source.count)
    for (index, feature) in source.enumerated() {
      do throws(FileError) {
        let read = FeatureDescription(
          name: feature.name, shortDescription: feature.shortDescription, type: try type(feature.type),
          isOptional: feature.type.isOptional)
        guard let known = positions[feature.name] else {
          positions[feature.name] = features.count
          features.append(read)
          continue
        }
        // Programs may return the same value twice.
        guard features[known] == read else { throw self.error("name", "two features have this name") }
      } catch {
        throw error.nested(in: "\(field)[\(index)] (\(feature.name))")
      }
    }
    return features
  }

  private func type(_ source: SpecFeatureType) throws(FileError) -> FeatureType {
    switch source.type {
    case .int64Type: return .int64
    case .doubleType: return .double
    case .stringType: return .string
    case .imageType(let image): return .image(try imageType(image))
    case .multiArrayType(let array): return .multiArray(try arrayType(array))
    case .dictionaryType(let dictionary):
      switch dictionary.keyType {
      case .int64KeyType: return .dictionary(key: .int64)
      case .stringKeyType: return .dictionary(key: .string)
      case nil: throw error("dictionaryType", "the key type is missing")
      }
    case .sequenceType(let sequence):
      let element: FeatureKeyType
      switch sequence.type {
      case .int64Type: element = .int64
      case .stringType: element = .string
      case nil: throw error("sequenceType", "the element type is missing")
      }
      let count = sequence.hasSizeRange ? try range(sequence.sizeRange, "sequenceType.sizeRange") : SizeRange(lowerBound: 0)
      return .sequence(SequenceFeature(element: element, count: count))
    case .stateType(let state):
      guard case .arrayType(let array) = state.type else { throw error("stateType", "the type of the state is missing") }
      return .state(try arrayType(array))
    case nil: throw error("type", "the type is missing")
    }
  }

  private func arrayType(_ source: SpecArrayFeatureType) throws(FileError) -> ArrayFeature {
    let dataType: ArrayFeature.DataType
    switch source.dataType {
    case .float16: dataType = .float16
    case .float32: dataType = .float32
    case .double: dataType = .float64
    case .int32: dataType = .int32
    case .int8: dataType = .int8
    case .invalidArrayDataType: throw error("multiArrayType.dataType", "the element type is missing")
    case .UNRECOGNIZED(let number): throw error("multiArrayType.dataType", "\(number) is not a known element type")
    }
    let flexibility: ArrayFeature.Flexibility
    switch source.shapeFlexibility {
    case nil: flexibility = .fixed
    case .enumeratedShapes(let list):
      var shapes: [[Int]] = []
      for item in list.shapes { shapes.append(try shape(item.shape, "multiArrayType.enumeratedShapes")) }
      flexibility = shapes.isEmpty ? .fixed : .enumerated(shapes)
    case .shapeRange(let list):
      var ranges: [SizeRange] = []
      for item in list.sizeRanges { ranges.append(try range(item, "multiArrayType.shapeRange")) }
      flexibility = ranges.isEmpty ? .fixed : .ranges(ranges)
    }
    let defaultValue: ArrayFeature.DefaultValue? =
      switch source.defaultOptionalValue {
      case .intDefaultValue(let value): .int(value)
      case .floatDefaultValue(let value): .float(value)
      case .doubleDefaultValue(let value): .double(value)
      case nil: nil
      }
    return ArrayFeature(
      dataType: dataType, shape: try shape(source.shape, "multiArrayType.shape"), flexibility: flexibility, defaultValue: defaultValue)
  }

  private func imageType(_ source: SpecImageFeatureType) throws(FileError) -> ImageFeature {
    let colorSpace: ImageFeature.ColorSpace
    switch source.colorSpace {
    case .grayscale: colorSpace = .grayscale
    case .grayscaleFloat16: colorSpace = .grayscaleFloat16
    case .rgb: colorSpace = .rgb
    case .bgr: colorSpace = .bgr
    case .invalidColorSpace: throw error("imageType.colorSpace", "the colour space is missing")
    case .UNRECOGNIZED(let number): throw error("imageType.colorSpace", "\(number) is not a known colour space")
    }
    let flexibility: ImageFeature.Flexibility
    switch source.sizeFlexibility {
    case nil: flexibility = .fixed
    case .enumeratedSizes(let list):
      var sizes: [ImageFeature.Size] = []
      for item in list.sizes {
        sizes.append(
          ImageFeature.Size(
            width: try extent(item.width, "imageType.enumeratedSizes"), height: try extent(item.height, "imageType.enumeratedSizes")))
      }
      flexibility = sizes.isEmpty ? .fixed : .enumerated(sizes)
    case .imageSizeRange(let ranges):
      flexibility = .ranges(
        width: try range(ranges.widthRange, "imageType.imageSizeRange.widthRange"),
        height: try range(ranges.heightRange, "imageType.imageSizeRange.heightRange"))
    }
    return ImageFeature(
      size: ImageFeature.Size(
        width: try extent(source.width, "imageType.width"), height: try extent(source.height, "imageType.height")),
      colorSpace: colorSpace, flexibility: flexibility)
  }

  private func shape(_ source: [Int64], _ field: String) throws(FileError) -> [Int] {
    var shape: [Int] = []
    for item in source { shape.append(try extent(item, field)) }
    guard elementCount(of: shape) != nil else { throw error(field, "an array of shape \(shape) is too large") }
    return shape
  }

  private func extent(_ source: some BinaryInteger, _ field: String) throws(FileError) -> Int {
    guard let extent = Int(exactly: source), extent >= 0 else { throw error(field, "\(source) is not an extent") }
    return extent
  }

  private func range(_ source: SpecSizeRange, _ field: String) throws(FileError) -> SizeRange {
    let lower = try extent(source.lowerBound, field)
    if source.upperBound < 0 { return SizeRange(lowerBound: lower) }
    let upper = try extent(source.upperBound, field)
    guard lower <= upper else { throw error(field, "the range from \(lower) to \(upper) is empty") }
    return SizeRange(lowerBound: lower, upperBound: upper)
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
