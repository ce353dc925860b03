import MartletFeatures

extension Trainer {
  /// The features of a sample as the inputs of a method: those that training needs, and the expected value.
  public var sampleSignature: MethodSignature { MethodSignature(trainingFunction, of: coreMLModel) }

  /// The samples of a table: a column for each feature.
  /// - Throws: `MartletError` of the kind `invalidInput` if a column is missing or has another number of rows.
  public func data(table columns: [String: ModelColumn]) throws -> TrainingData {
    let signature = sampleSignature
    for input in signature.inputs where columns[input.name] == nil && !input.isOptional {
      throw MartletError.invalidInput("there is no column '\(input.name)'")
    }
    return TrainingData(count: try columns.rowCount, isConstant: true) { row in
      var sample: [String: ModelValue] = [:]
      for input in signature.inputs { sample[input.name] = try columns[input.name]?.value(row, for: input) }
      return sample
    }
  }
}
