import MartletFeatures
import MartletRuntime
import MartletTensor

extension Model {
  /// Runs a method for each row of a table.
  ///
  /// The rows of numeric models, such as decision trees behind a scaler, are computed by one call of the model's graph, without an object
  /// for each row. Other models run for each row as a batch.
  /// - Parameters:
  ///   - table: inputs by name, all with the same number of rows. A tensor has the shape of the input with the rows as first axis; for an
  ///     input that is a number it is a vector. Numbers are converted to the element type of the input. An optional input may be left out.
  ///   - method: nil for the default method.
  /// - Returns: outputs by name: vectors for numbers and integer labels, strings for other labels, [rows, classes] for the probabilities of
  ///   a classifier, in the order of `MethodSignature.classLabels`.
  /// - Throws: `MartletError.invalidInput` if a column is missing, unknown or does not fit, `.unsupported` for an output that is an image or
  ///   a sequence; otherwise as `run(batch:method:)`.
  public func run(table: [String: ModelColumn], method: String? = nil) throws -> [String: ModelColumn] {
    let name = method ?? defaultMethod
    if let rows = try tableMethod(name), let count = rows.rowCount(of: table), count > 0 { return try run(table, rows, count: count) }
    let signature = try signature(of: name)
    for name in table.keys.sorted() where !signature.inputs.contains(where: { $0.name == name }) {
      throw MartletError.invalidInput("\(self.name) has no input \(name), only \(signature.inputs.map(\.name).joined(separator: ", "))")
    }
    let count = try table.rowCount
    let batch = try (0..<count).map { row in
      try signature.inputs.map { input in try table[input.name]?.value(row, for: input) ?? Self.missing(input) }
    }
    let results = try run(batch: batch, method: signature.name)
    return try Dictionary(
      signature.outputs.enumerated().map { position, output in
        (output.name, try ModelColumn(results.map { $0[position] }, of: output, labels: signature.classLabels))
      }, uniquingKeysWith: { first, _ in first })
  }

  private static func missing(_ input: ValueSignature) throws -> ModelValue {
    guard input.isOptional else { throw MartletError.invalidInput("the column \(input.name) is missing") }
    return .none
  }

  private func run(_ table: [String: ModelColumn], _ rows: TableMethod, count: Int) throws -> [String: ModelColumn] {
    let inputs = try rows.inputs.map { input in
      let (feature, type) = (input.feature, input.type)
      if let column = table[feature.name] { return try column.input(feature.name, type, count: count) }
      guard let number = feature.defaultNumber, let one = HostTensor(repeating: number, dtype: type.dtype, shape: [1]) else {
        throw MartletError.invalidInput("the column \(feature.name) is missing")
      }
      let shape = [count] + type.shape
      let storage = try TensorStorage(for: type.dtype, shape: shape)
      unsafe copyElements(
        shape: shape, from: one.sharedStorage.pointer, ElementPlacement(type.dtype, strides: shape.map { _ in 0 }), to: storage.pointer,
        ElementPlacement(type.dtype, strides: Shape.contiguousStrides(shape)))
      return .tensor(Tensor(HostTensor(dtype: type.dtype, shape: shape, storage: storage)))
    }
    var outputs: [ModelValue] = []
    try runGraph(inputs, into: &outputs, method: rows.graph, profile: nil, cancellation: .current, usesOneThread: false)
    var results: [String: ModelColumn] = Dictionary(minimumCapacity: outputs.count)
    for (position, value) in outputs.enumerated() {
      let feature = rows.outputs[position]
      guard let tensor = value.tensor else { throw MartletError.executionFailed("the output \(feature.name) is no tensor") }
      results[feature.name] = try ModelColumn(tensor, feature, rows.classification, count: count)
    }
    return results
  }
}
