import MartletFeatures
import MartletGraph
import MartletLock
import MartletRuntime
import MartletTensor

extension Model {
  /// Runs a method for each element of a batch and returns the outputs in the same order.
  ///
  /// Runs are made either one at a time on all threads or one per thread in parallel, whichever has been measured to be faster. Runs of a
  /// method with mutable state are made in order.
  /// - Parameters:
  ///   - batch: the values of each run: one for each input of the method, in order.
  ///   - method: nil for the default method.
  /// - Throws: the error of the first run that fails; see `run(_:method:)`.
  public func run(batch: [[ModelValue]], method: String? = nil) throws -> [[ModelValue]] {
    let name = method ?? defaultMethod
    if let results = try tableResults(of: batch, method: name) { return results }
    if let chain = source.chain(of: name), chain.takesBatches {
      try prepareFunctions(of: chain, method: name, cancellation: .current)
      return try run(chain, batch: batch) { method, inputs in
        try graphResults(method, inputs, profile: nil, cancellation: .current, usesOneThread: false)
      }
    }
    guard let graph = firstGraph(of: name) else { return try batch.map { try run($0, method: name) } }
    let compiled = try compiled(graph)
    let isConcurrent = compiled.threads > 1 && compiled.graph.states.isEmpty
    var results: [[ModelValue]] = []
    results.reserveCapacity(batch.count)
    while results.count < batch.count {
      let rest = batch.count - results.count
      let mode =
        isConcurrent ? batchPaces.withLock { $0[name, default: BatchPace()].mode(for: rest, threads: compiled.threads) } : .inOrder(rest)
      let start = ContinuousClock.now
      switch mode {
      case .inOrder(let count):
        for index in results.count..<results.count + count { results.append(try run(batch[index], method: name)) }
      case .concurrently(let count, let part):
        results += try concurrentResults(of: batch[results.count..<results.count + count], inPartsOf: part, compiled, method: name)
      }
      let time = ContinuousClock.now - start
      if isConcurrent { batchPaces.withLock { $0[name, default: BatchPace()].note(mode, in: time) } }
    }
    return results
  }

  /// Runs a method for each element of a batch, with inputs and outputs by name.
  /// - Throws: the errors of `run(batch:method:)`.
  public func run(batch: [[String: ModelValue]], method: String? = nil) throws -> [[String: ModelValue]] {
    let signature = try signature(of: method)
    return try run(batch: try batch.map { try ordered($0, signature) }, method: signature.name).map { results in
      Dictionary(zip(signature.outputs.map(\.name), results), uniquingKeysWith: { first, _ in first })
    }
  }

  /// The graph whose number of threads and states decide how a batch runs; nil for a method without graphs.
  private func firstGraph(of method: String) -> String? {
    guard let chain = source.chain(of: method) else { return method }
    return chain.graphs.first?.method
  }

  /// The results of a batch whose elements are rows of one call; nil for a method that cannot make such a call.
  private func tableResults(of batch: [[ModelValue]], method: String) throws -> [[ModelValue]]? {
    guard batch.count > 1, let table = try tableMethod(method) else { return nil }
    let rows = try FeatureTable(table, count: batch.count)
    for (row, values) in batch.enumerated() {
      guard values.count == table.inputs.count else {
        throw MartletError.invalidInput("\(self.name) takes \(table.inputs.count) inputs, not \(values.count)")
      }
      for (position, value) in values.enumerated() { try rows.set(value, row: row, at: position) }
    }
    let results = try run(rows, of: table, cancellation: .current)
    return try batch.indices.map { row in
      var features = try results.features(row: row)
      for function in table.functions { try function.apply(to: &features) }
      return table.outputs.map { features[$0.name] ?? .none }
    }
  }

  /// Computes all calls of a table.
  func run(_ table: FeatureTable, of method: TableMethod, cancellation: CallCancellation?) throws -> FeatureTable.Results {
    var outputs: [ModelValue] = []
    try runGraph(table.inputs, into: &outputs, method: method.graph, profile: nil, cancellation: cancellation, usesOneThread: false)
    return FeatureTable.Results(outputs, of: method)
  }

  private func concurrentResults(
    of batch: ArraySlice<[ModelValue]>, inPartsOf partCount: Int, _ compiled: CompiledMethod, method: String
  ) throws -> [[ModelValue]] {
    let parts = Guarded<[Int: Result<[[ModelValue]], any Error>]>([:])
    compiled.concurrently((batch.count + partCount - 1) / partCount) { part, _ in
      // In range: a position in the batch.
      let start = batch.startIndex + part * partCount
      let result = Result {
        try batch[start..<min(start + partCount, batch.endIndex)].map { inputs in
          var outputs: [ModelValue] = []
          try run(inputs, into: &outputs, method: method, profile: nil, cancellation: nil, usesOneThread: true)
          return outputs
        }
      }
      parts.withLock { $0[part] = result }
    }
    return try parts.withLock { parts in try parts.sortedByKey.flatMap { try $0.value.get() } }
  }
}
