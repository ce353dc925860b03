package import MartletCoreMLFile
package import MartletFeatures
import MartletImport
import MartletTensor

extension MethodSignature {
  /// The signature of a function: the features of the description, in its order. Arrays have their types from the program.
  package init(_ function: FunctionDescription, of model: CoreMLModel) {
    name = function.programName
    var types: [String: MILType] = [:]
    if let program = model.program(for: function) {
      for operation in program.block.operations { for output in operation.outputs { types[output.name] = output.type } }
      for input in program.inputs { types[input.name] = input.type }
    }
    inputs = function.inputs.map { ValueSignature($0, type: types[$0.name]) }
    outputs = function.outputs.map { ValueSignature($0, type: types[$0.name]) }
    classLabels = function.classification.map { classification in
      switch classification.labels {
      case .strings(let labels): .strings(labels)
      case .integers(let labels): .integers(labels.map { Int(widening: $0) })
      }
    }
  }
}

extension ValueSignature {
  /// - Parameter type: the feature's type in the program; nil for models that are not programs.
  fileprivate init(_ feature: FeatureDescription, type: MILType?) {
    name = feature.name
    isOptional = feature.isOptional
    flexibleShapes = FlexibleShapes(feature.type)
    switch feature.type {
    case .int64: kind = .int
    case .double: kind = .double
    case .string: kind = .string
    case .image(let image): kind = .image(ImageSignature(image))
    case .dictionary(let key): kind = .dictionary(keys: KeyKind(key))
    case .sequence(let sequence): kind = .sequence(of: KeyKind(sequence.element))
    case .multiArray(let array), .state(let array):
      guard case .tensor(let tensor)? = type, let dtype = DType(tensor.dataType), let dimensions = tensor.dimensions else {
        let bounds = array.bounds(rank: array.shape.count) ?? array.shape
        kind = .tensor(DataType(DType(array.dataType)), shape: bounds, isDynamic: array.openAxes)
        return
      }
      let flexible = array.bounds(rank: dimensions.count)
      kind = .tensor(
        DataType(dtype), shape: dimensions.enumerated().map { axis, dimension in dimension.extent ?? flexible?[axis] ?? -1 },
        isDynamic: dimensions.map { $0.extent == nil })
    }
  }
}

extension ValueSignature.KeyKind {
  fileprivate init(_ key: FeatureKeyType) { self = key == .string ? .string : .int }
}

extension ImageSignature {
  init(_ image: ImageFeature) {
    width = image.size.width
    height = image.size.height
    isGray = image.isGray
  }
}

extension ArrayFeature {
  /// For each axis of the default shape whether the description leaves its extent open.
  fileprivate var openAxes: [Bool] {
    shape.indices.map { axis in
      switch flexibility {
      case .fixed: false
      case .enumerated(let shapes): shapes.contains { $0.count != shape.count || $0[axis] != shape[axis] }
      case .ranges(let ranges): ranges.count != shape.count || ranges[axis].lowerBound != ranges[axis].upperBound
      }
    }
  }

  /// Upper bound of each axis according to the description; -1 for an unbounded axis.
  fileprivate func bounds(rank: Int) -> [Int]? {
    switch flexibility {
    case .fixed: return shape.count == rank ? shape : nil
    case .enumerated(let shapes):
      let fitting = ([shape] + shapes).filter { $0.count == rank }
      return fitting.isEmpty ? nil : (0..<rank).map { axis in fitting.map { $0[axis] }.max() ?? -1 }
    case .ranges(let ranges): return ranges.count == rank ? ranges.map { $0.upperBound ?? -1 } : nil
    }
  }
}

extension FlexibleShapes {
  /// Nil if the feature has no shape or a fixed one.
  init?(_ type: FeatureType) {
    switch type {
    case .multiArray(let array), .state(let array):
      defaultShape = array.shape
      switch array.flexibility {
      case .fixed: return nil
      case .enumerated(let shapes): choices = .enumerated(shapes)
      case .ranges(let ranges): choices = .ranges(ranges.map(ClosedRange.init))
      }
    case .image(let image):
      defaultShape = [image.size.height, image.size.width]
      switch image.flexibility {
      case .fixed: return nil
      case .enumerated(let sizes): choices = .enumerated(sizes.map { [$0.height, $0.width] })
      case .ranges(let width, let height): choices = .ranges([ClosedRange(height), ClosedRange(width)])
      }
    case .int64, .double, .string, .dictionary, .sequence: return nil
    }
  }
}

extension ClosedRange<Int> {
  /// The range of extents; `Int.max` is the upper bound of an unbounded one.
  fileprivate init(_ range: SizeRange) { self = range.lowerBound...(range.upperBound ?? .max) }
}
