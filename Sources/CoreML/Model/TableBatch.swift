import Foundation
import Martlet
import MartletFeatures

extension ModelFunction {
  /// Makes the predictions of a batch in one call.
  /// - Returns: nil for a function whose predictions cannot be rows of one call.
  func predictTable(_ batch: any MLBatchProvider, count: Int) throws -> MLArrayBatchProvider? {
    let results: FeatureTable.Results
    do {
      guard count > 1, let table = try method.makeTable(count: count) else { return nil }
      var order: FeatureOrder?
      for row in 0..<count { try take(batch.features(at: row), &order, row: row, of: table) }
      results = try method.run(table)
    } catch let error as MLModelError {
      throw error
    } catch {
      throw MLModelError(error, model: model.name)
    }
    return TableBatch(self, results, count: count)
  }

  /// Sets the inputs of a row.
  /// - Parameter order: of the features in the row before.
  /// - Throws: as `takeInputs`, and `MartletError` for a value that does not fit.
  private func take(_ provider: any MLFeatureProvider, _ order: inout FeatureOrder?, row: Int, of table: FeatureTable) throws {
    // Not for classes of clients, which may answer differently for each name.
    let values: MLDictionaryFeatureProvider? =
      type(of: provider) == MLDictionaryFeatureProvider.self ? unsafe unsafeDowncast(provider, to: MLDictionaryFeatureProvider.self) : nil
    if let values, order?.names !== values.names { order = FeatureOrder(of: inputDescriptions, in: values.names) }
    for position in inputDescriptions.indices {
      if let values, let place = order?.positions[position], let number = values.number(at: place),
        table.set(number, row: row, at: position)
      {
        continue
      }
      let value: MLFeatureValue? =
        if let values, let order { order.positions[position].map { values.values[$0] } } else {
          provider.featureValue(for: inputDescriptions[position].name)
        }
      if let value, value.set(row: row, of: table, at: position) { continue }
      try table.set(modelValue(from: provider, at: position), row: row, at: position)
    }
  }

  /// The features of a row of results.
  fileprivate func provider(_ results: FeatureTable.Results, _ names: FeatureNames, row: Int) throws -> MLDictionaryFeatureProvider {
    if let numbers = results.numbers(row: row) {
      return MLDictionaryFeatureProvider(names, numbers.map { MLFeatureValue(double: $0) })
    }
    var features = try results.features(row: row)
    for function in method.functions { try function.apply(to: &features) }
    var values: [String: MLFeatureValue] = [:]
    values.reserveCapacity(description.outputs.count)
    for (position, output) in description.outputs.enumerated() {
      values[output.name] = try featureValue(features[output.name] ?? .none, at: position, [:])
    }
    return MLDictionaryFeatureProvider(values: values)
  }
}

extension MLFeatureValue {
  /// Sets an input of a row to the value.
  /// - Returns: false, without effect, for a value that needs a conversion.
  fileprivate func set(row: Int, of table: FeatureTable, at position: Int) -> Bool {
    if let number { return table.set(number, row: row, at: position) }
    guard case .multiArray(let array) = content, array.form.isContiguous else { return false }
    return unsafe table.set(array.storage.pointer, array.dataType.dtype, array.extents, row: row, at: position)
  }
}

/// Where the inputs of a model are among the features of a provider.
private struct FeatureOrder {
  let names: FeatureNames
  /// For each input; nil for one that is absent.
  let positions: [Int?]

  init(of inputs: [MLFeatureDescription], in names: FeatureNames) {
    self.names = names
    positions = inputs.map { names.position(of: $0.name) }
  }
}

/// The results of a batch in one table. The feature provider of a prediction is made on first access.
private final class TableBatch: MLArrayBatchProvider {
  private let function: ModelFunction
  private let results: FeatureTable.Results
  private let rowCount: Int
  private let names: FeatureNames
  private let providers = Guarded<[MLDictionaryFeatureProvider?]>([])

  init(_ function: ModelFunction, _ results: FeatureTable.Results, count: Int) {
    self.function = function
    self.results = results
    rowCount = count
    names = FeatureNames(function.outputDescriptions.map(\.name))
    super.init(array: [])
  }

  override var count: Int { rowCount }
  override var array: [any MLFeatureProvider] { (0..<count).map { features(at: $0) } }

  override func features(at index: Int) -> any MLFeatureProvider {
    precondition(index >= 0 && index < count, "There is no prediction \(index) in a batch of \(count)")
    return providers.withLock { providers in
      if providers.isEmpty { providers = Array(repeating: nil, count: rowCount) }
      if let provider = providers[index] { return provider }
      // The label is a position among the model's labels, so that naming it does not fail.
      let provider = (try? function.provider(results, names, row: index)) ?? MLDictionaryFeatureProvider(values: [:])
      providers[index] = provider
      return provider
    }
  }
}
