import MartletBytes
import MartletFeatures

/// Reads the features of a description.
struct FeatureReader {
  enum Side: String {
    case input, output, state, trainingInput
  }

  let path: String
  /// Nil if only types and sizes are to be checked.
  let rules: DescriptionRules?

  private func error(_ field: String, _ reason: String) -> FileError { FileError(file: path, field: field, reason: reason) }

  private func require(_ addition: DescriptionRules.Addition, _ field: String) throws(FileError) {
    if let refusal = rules?.refusal(of: addition) { throw error(field, refusal) }
  }

  func features(_ source: [SpecFeatureDescription], _ side: Side) throws(FileError) -> [FeatureDescription] {
    var features: [FeatureDescription] = []
    var positions: [String: Int] = [:]
    features.reserveCapacity(source.count)
    for (index, feature) in source.enumerated() {
      do throws(FileError) {
        let read = try self.feature(feature, side)
        guard let known = positions[feature.name] else {
          positions[feature.name] = features.count
          features.append(read)
          continue
        }
        // Programs may return the same value twice.
        guard features[known] == read else { throw self.error("name", "two features have this name") }
      } catch {
        throw error.nested(in: "\(side.rawValue)[\(index)] (\(feature.name))")
      }
    }
    return features
  }

  private func feature(_ source: SpecFeatureDescription, _ side: Side) throws(FileError) -> FeatureDescription {
    let type = try type(source.type)
    guard !source.name.isEmpty else { throw error("name", "is empty") }
    let isOptional = source.type.isOptional
    if case .state = type {
      guard side == .state || side == .input else { throw error("type", "a state cannot be declared as \(side.rawValue)") }
      guard !isOptional else { throw error("isOptional", "a state cannot be optional") }
    } else if side == .state {
      throw error("type", "only states can be declared as state")
    }
    if let rules, side == .input, case .multiArray(let array) = type {
      guard !array.shape.isEmpty || array.flexibility != .fixed else { throw error("multiArrayType.shape", "an input needs a shape") }
      if isOptional, array.defaultValue != nil {
        let field = "multiArrayType.defaultOptionalValue"
        guard rules.allowsDefaultValues else { throw error(field, "a model of the kind \(rules.kind) has no default values") }
        try require(.defaultValues, field)
      }
    }
    return FeatureDescription(name: source.name, shortDescription: source.shortDescription, type: type, isOptional: isOptional)
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
      try require(.sequences, "sequenceType")
      let element: FeatureKeyType
      switch sequence.type {
      case .int64Type: element = .int64
      case .stringType: element = .string
      case nil: throw error("sequenceType", "the element type is missing")
      }
      let count = sequence.hasSizeRange ? try range(sequence.sizeRange, "sequenceType.sizeRange") : SizeRange(lowerBound: 0)
      return .sequence(SequenceFeature(element: element, count: count))
    case .stateType(let state):
      try require(.states, "stateType")
      guard case .arrayType(let array) = state.type else { throw error("stateType", "the type of the state is missing") }
      return .state(try stateType(array))
    case nil: throw error("type", "the type is missing")
    }
  }

  // MARK: Arrays

  private func arrayType(_ source: SpecArrayFeatureType) throws(FileError) -> ArrayFeature {
    let dataType = try dataType(source.dataType)
    switch dataType {
    case .float16: try require(.halfPrecision, "multiArrayType.dataType")
    case .int8: try require(.int8Arrays, "multiArrayType.dataType")
    case .float32, .float64, .int32: break
    }
    let shape = try shape(source.shape, "multiArrayType.shape")
    return ArrayFeature(
      dataType: dataType, shape: shape, flexibility: try flexibility(source, shape: shape),
      defaultValue: try defaultValue(source, dataType))
  }

  /// The type of a state, whose shape is fixed.
  private func stateType(_ source: SpecArrayFeatureType) throws(FileError) -> ArrayFeature {
    let dataType = try dataType(source.dataType)
    guard dataType == .float16 || dataType == .int8 else {
      throw error("stateType.arrayType.dataType", "a state is an array of float16 or int8")
    }
    guard source.shapeFlexibility == nil else { throw error("stateType.arrayType", "the shape of a state is fixed") }
    guard source.defaultOptionalValue == nil else { throw error("stateType.arrayType", "a state has no default value") }
    guard !source.shape.isEmpty else { throw error("stateType.arrayType.shape", "the shape of a state is missing") }
    return ArrayFeature(dataType: dataType, shape: try shape(source.shape, "stateType.arrayType.shape"), flexibility: .fixed)
  }

  private func dataType(_ source: SpecArrayFeatureType.ArrayDataType) throws(FileError) -> ArrayFeature.DataType {
    switch source {
    case .float16: .float16
    case .float32: .float32
    case .double: .float64
    case .int32: .int32
    case .int8: .int8
    case .invalidArrayDataType: throw error("multiArrayType.dataType", "the element type is missing")
    case .UNRECOGNIZED(let number): throw error("multiArrayType.dataType", "\(number) is not a known element type")
    }
  }

  /// - Parameter shape: the default shape, which must be one of those allowed; empty if there is none.
  private func flexibility(_ source: SpecArrayFeatureType, shape: [Int]) throws(FileError) -> ArrayFeature.Flexibility {
    switch source.shapeFlexibility {
    case nil: return .fixed
    case .enumeratedShapes(let list):
      let field = "multiArrayType.enumeratedShapes"
      var shapes: [[Int]] = []
      for item in list.shapes {
        guard !item.shape.isEmpty else { throw error(field, "a shape has no extents") }
        shapes.append(try self.shape(item.shape, field))
      }
      guard !shapes.isEmpty else { throw error(field, "there are none") }
      guard shape.isEmpty || shapes.contains(shape) else { throw error(field, "the default shape \(shape) is not one of them") }
      return .enumerated(shapes)
    case .shapeRange(let list):
      let field = "multiArrayType.shapeRange"
      var ranges: [SizeRange] = []
      for item in list.sizeRanges { ranges.append(try range(item, field)) }
      guard !ranges.isEmpty else { return .fixed }
      guard shape.isEmpty || shape.count == ranges.count else {
        throw error(field, "there are \(ranges.count) ranges for the \(shape.count) axes of the default shape")
      }
      guard zip(shape, ranges).allSatisfy({ $1.contains($0) }) else {
        throw error(field, "the default shape \(shape) is not within it")
      }
      return .ranges(ranges)
    }
  }

  private func defaultValue(
    _ source: SpecArrayFeatureType, _ dataType: ArrayFeature.DataType
  ) throws(FileError) -> ArrayFeature.DefaultValue? {
    let value: ArrayFeature.DefaultValue
    let fits: Bool
    switch source.defaultOptionalValue {
    case nil: return nil
    case .intDefaultValue(let number):
      value = .int(number)
      fits = dataType == .int32 || dataType == .int8 && Int8(exactly: number) != nil
    case .floatDefaultValue(let number):
      value = .float(number)
      fits = dataType == .float32 || dataType == .float16
    case .doubleDefaultValue(let number):
      value = .double(number)
      fits = dataType == .float64
    }
    guard fits else { throw error("multiArrayType.defaultOptionalValue", "is no value of the type \(dataType)") }
    return value
  }

  // MARK: Images

  private func imageType(_ source: SpecImageFeatureType) throws(FileError) -> ImageFeature {
    let colorSpace: ImageFeature.ColorSpace
    switch source.colorSpace {
    case .grayscale: colorSpace = .grayscale
    case .grayscaleFloat16:
      try require(.halfPrecision, "imageType.colorSpace")
      colorSpace = .grayscaleFloat16
    case .rgb: colorSpace = .rgb
    case .bgr: colorSpace = .bgr
    case .invalidColorSpace: throw error("imageType.colorSpace", "the colour space is missing")
    case .UNRECOGNIZED(let number): throw error("imageType.colorSpace", "\(number) is not a known colour space")
    }
    let declared = try size(source.width, source.height, "imageType")
    // Without a default size the first of the flexible ones is the default.
    let hasDefault = declared.width > 0 && declared.height > 0
    var size = declared
    var flexibility = ImageFeature.Flexibility.fixed
    switch source.sizeFlexibility {
    case nil: break
    case .enumeratedSizes(let list):
      let field = "imageType.enumeratedSizes"
      var sizes: [ImageFeature.Size] = []
      for item in list.sizes { sizes.append(try self.size(item.width, item.height, field)) }
      guard let first = sizes.first else { throw error(field, "there are none") }
      if !hasDefault { size = first }
      guard sizes.contains(size) else {
        throw error(field, "the default size, \(size.width) × \(size.height), is not one of them")
      }
      flexibility = .enumerated(sizes)
    case .imageSizeRange(let ranges):
      let field = "imageType.imageSizeRange"
      let width = try range(ranges.widthRange, field + ".widthRange")
      let height = try range(ranges.heightRange, field + ".heightRange")
      if !hasDefault { size = ImageFeature.Size(width: width.lowerBound, height: height.lowerBound) }
      guard width.contains(size.width) else { throw error(field + ".widthRange", "the default width, \(size.width), is not within it") }
      guard height.contains(size.height) else {
        throw error(field + ".heightRange", "the default height, \(size.height), is not within it")
      }
      flexibility = .ranges(width: width, height: height)
    }
    guard size.width > 0, size.height > 0 else { throw error("imageType", "the size \(size.width) × \(size.height) is not positive") }
    return ImageFeature(size: size, colorSpace: colorSpace, flexibility: flexibility)
  }

  private func size(_ width: some BinaryInteger, _ height: some BinaryInteger, _ field: String) throws(FileError) -> ImageFeature.Size {
    ImageFeature.Size(width: try extent(width, field + ".width"), height: try extent(height, field + ".height"))
  }

  // MARK: Sizes

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
