import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Models that change the elements of an array or select some.
extension ClassicRows {
  private func only(_ features: [FeatureDescription], _ side: String) throws(CallError) -> FeatureDescription {
    guard let feature = features.first else { throw CallError("there is no \(side)") }
    return feature
  }

  func add(_ scaler: Scaler, _ member: ClassicMember) throws {
    let x = try inputs(member)
    for values in [scaler.shifts, scaler.scales] where values.count > 1 { try check(x, columns: values.count) }
    var y = x
    if !scaler.shifts.isEmpty {
      y = try map("shift", y, row(scaler.shifts)) { build, x in build.binary(.add, x[0], x[1]) }
    }
    if !scaler.scales.isEmpty {
      y = try map("scale", y, row(scaler.scales)) { build, x in build.binary(.mul, x[0], x[1]) }
    }
    set(y, as: try only(member.function.outputs, "output").name)
  }

  func add(_ normalizer: Normalizer, _ member: ClassicMember) throws {
    let x = try inputs(member)
    let function: Reduce.Function =
      switch normalizer.norm {
      case .max: .max
      case .l1: .sumAbs
      case .l2: .sumSquares
      }
    let source = normalizer.norm == .max ? try map("abs", x) { build, x in build.unary(.abs, x[0]) } : x
    let norm = intermediate(Reduce(function, axes: [1], keepsAxes: true, dtype: .float64), [source], try rows(of: x, 1))
    // As in scikit-learn, rows of zeros stay as they are.
    let y = try map("normalize", x, norm) { build, x in
      let norm = normalizer.norm == .l2 ? build.unary(.sqrt, x[1]) : x[1]
      let isZero = build.binary(.eq, norm, build.literal(0))
      let divisor = build.ternary(.select, isZero, build.literal(1), norm)
      build.binary(.div, x[0], divisor)
    }
    set(y, as: try only(member.function.outputs, "output").name)
  }

  func add(_ extractor: ArrayFeatureExtractor, _ member: ClassicMember) throws {
    let x = try feature(try only(member.function.inputs, "input").name)
    let signature = try signature(of: x)
    if let columns = try columns(x), let bad = extractor.indices.first(where: { $0 >= columns }) {
      throw CallError("there is no element \(bad) among \(columns)")
    }
    guard extractor.indices.allSatisfy({ Int32(exactly: $0) != nil }) else { throw CallError("an index exceeds 32 bits") }
    let indices = extractor.indices.map { Int32(clamping: $0) }
    let y = intermediate(
      GatherSlices(SliceIndexing(axis: 1)), [x, builder.addConstant(Constant(indices, shape: [indices.count]))],
      TensorSignature(dtype: signature.dtype, dimensions: [signature.dimensions[0], .fixed(indices.count)]))
    set(y, as: try only(member.function.outputs, "output").name)
  }

  func add(_ vectorizer: FeatureVectorizer, _ member: ClassicMember) throws {
    let parts = try vectorizer.columns.map { column in
      let part = try converted(feature(column.name), to: .float64)
      if let columns = try columns(part), columns != column.count {
        throw CallError("the input '\(column.name)' has \(columns) elements instead of \(column.count)")
      }
      return part
    }
    set(try concatenated(parts, .float64), as: try only(member.function.outputs, "output").name)
  }

  func add(_ imputer: Imputer, _ member: ClassicMember) throws {
    let input = try only(member.function.inputs, "input")
    let x = try feature(input.name)
    let isInteger = try signature(of: x).dtype.isInteger
    let dtype: DType = isInteger ? .int64 : .float64
    let values: [Scalar]
    switch imputer.imputed {
    case .double(let value): values = [.double(value)]
    case .integer(let value): values = [.int(value)]
    case .doubles(let list): values = list.map { .double($0) }
    case .integers(let list): values = list.map { .int($0) }
    case .string, .stringDictionary, .integerDictionary: throw CallError("the imputed value is not a number")
    }
    if values.count != 1 { try check(x, columns: values.count) }
    guard let table = HostTensor(values, dtype: dtype, shape: [1, values.count]) else { throw CallError("the imputed values do not fit") }
    let source = try converted(x, to: dtype)
    var y = source
    // An integer is missing only if it is the replaced value.
    if !isInteger || imputer.replaced != nil {
      y = try pointwise("impute", values: [source, constant(table)], in: dtype, signature(of: source)) { build, x in
        let isMissing: Int
        switch imputer.replaced {
        case .string?: throw CallError("the replaced value is not a number")
        case .integer(let marker)?: isMissing = build.binary(.eq, x[0], build.literal(.int(marker)))
        case .double(let marker)? where !marker.isNaN: isMissing = build.binary(.eq, x[0], build.literal(marker))
        case .double?, nil: isMissing = build.unary(.isnan, x[0])
        }
        build.ternary(.select, isMissing, x[1], x[0])
      }
    }
    set(y, as: try only(member.function.outputs, "output").name)
  }

  /// Each output is the input of the same name, or else of the same position.
  func addIdentity(_ member: ClassicMember) throws {
    let (inputs, outputs) = (member.function.inputs, member.function.outputs)
    let values = try outputs.enumerated().map { position, output in
      let input = inputs.first { $0.name == output.name } ?? (inputs.indices.contains(position) ? inputs[position] : nil)
      guard let input else { throw CallError("there is no input for the output '\(output.name)'") }
      return try feature(input.name)
    }
    for (output, value) in zip(outputs, values) { set(value, as: output.name) }
  }
}
