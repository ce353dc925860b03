package import MartletCoreMLFile
import MartletImport
package import MartletTensor

extension MethodSignature {
  /// The signature of a function: the features of the description, in its order, with the types from the program.
  package init(_ function: CoreMLFunctionDescription, of model: CoreMLModel) {
    name = function.programName
    let program = model.program(for: function)
    inputs = function.inputs.map { feature in
      ValueSignature(feature, type: program?.inputs.first { $0.name == feature.name }?.type)
    }
    var types: [String: MILType] = [:]
    if let program {
      for operation in program.block.operations { for output in operation.outputs { types[output.name] = output.type } }
      for input in program.inputs where types[input.name] == nil { types[input.name] = input.type }
    }
    // A classifier's label is the index of its class; the probabilities are a tensor.
    if let classify = program?.block.operations.last(where: { $0.type == "classify" }) {
      if let label = classify.outputs.first { types[label.name] = .tensor(MILTensorType(.int64, [])) }
      if classify.outputs.count > 1, case .name(let probabilities)? = classify.inputs["probabilities"]?.bindings.first {
        types[classify.outputs[1].name] = types[probabilities]
      }
    }
    outputs = function.outputs.map { ValueSignature($0, type: types[$0.name]) }
  }
}

extension ValueSignature {
  /// - Parameter type: the feature's type in the program; nil for models that are not programs.
  fileprivate init(_ feature: CoreMLFeature, type: MILType?) {
    name = feature.name
    flexibleShapes = FlexibleShapes(feature.type)
    if case .tensor(let tensor)? = type, let dtype = DType(tensor.dataType), let dimensions = tensor.dimensions {
      let flexible = feature.type.bounds(rank: dimensions.count)
      kind = .tensor(
        DataType(dtype),
        shape: dimensions.enumerated().map { axis, dimension in dimension.extent ?? flexible?[axis] ?? -1 },
        isDynamic: dimensions.map { $0.extent == nil })
      return
    }
    switch feature.type {
    case .int64: kind = .int
    case .double: kind = .double
    case .string: kind = .string
    case .multiArray(let array), .state(let array):
      kind = .tensor(DataType(DType(array.dataType)), shape: array.shape, isDynamic: array.shape.map { _ in array.flexibility != .fixed })
    case .image(let image): kind = .unsupported("image \(image.size.width) x \(image.size.height)")
    case .dictionary: kind = .unsupported("dictionary")
    case .sequence: kind = .unsupported("sequence")
    }
  }
}

extension DType {
  package init(_ type: CoreMLMultiArrayType.DataType) {
    self =
      switch type {
      case .float16: .float16
      case .float32: .float32
      case .float64: .float64
      case .int8: .int8
      case .int32: .int32
      }
  }
}

extension CoreMLFeatureType {
  /// Upper bound of each axis according to the description; -1 for an unbounded axis.
  fileprivate func bounds(rank: Int) -> [Int]? {
    guard case .multiArray(let array) = self else { return nil }
    switch array.flexibility {
    case .fixed: return array.shape.count == rank ? array.shape : nil
    case .enumerated(let shapes):
      let fitting = ([array.shape] + shapes).filter { $0.count == rank }
      return fitting.isEmpty ? nil : (0..<rank).map { axis in fitting.map { $0[axis] }.max() ?? -1 }
    case .ranges(let ranges): return ranges.count == rank ? ranges.map { $0.upperBound ?? -1 } : nil
    }
  }
}

extension FlexibleShapes {
  /// Nil if the feature has no shape or a fixed one.
  fileprivate init?(_ type: CoreMLFeatureType) {
    switch type {
    case .multiArray(let array), .state(let array):
      defaultShape = array.shape
      switch array.flexibility {
      case .fixed: return nil
      case .enumerated(let shapes): choices = .enumerated(shapes)
      case .ranges(let ranges): choices = .ranges(ranges.map(ExtentRange.init))
      }
    case .image(let image):
      defaultShape = [image.size.height, image.size.width]
      switch image.flexibility {
      case .fixed: return nil
      case .enumerated(let sizes): choices = .enumerated(sizes.map { [$0.height, $0.width] })
      case .ranges(let width, let height): choices = .ranges([ExtentRange(height), ExtentRange(width)])
      }
    case .int64, .double, .string, .dictionary, .sequence: return nil
    }
  }
}

extension FlexibleShapes.ExtentRange {
  fileprivate init(_ range: CoreMLSizeRange) {
    lowerBound = range.lowerBound
    upperBound = range.upperBound
  }
}
