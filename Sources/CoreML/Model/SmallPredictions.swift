import Martlet

/// The common part of predictions with few, small inputs and outputs of fixed shape. The predictions differ only in the memory of these
/// arrays. Many of them run without allocating an object for each.
final class SmallPredictions {
  /// Byte limit of a prediction's inputs. Converted inputs of all predictions are in memory at the same time.
  private static let largestInputs = 1 << 16
  /// Byte limit of a prediction's outputs. Outputs share memory blocks: any output that is kept keeps its block.
  static let largestOutputs = 4096
  /// Up to this number of results, the providers are made at once. That costs less than making them on demand.
  fileprivate static let fewResults = 4

  let runs: UniformRuns
  let layout: OutputLayout

  /// Returns nil if the predictions of the function are not small.
  init?(_ function: ModelFunction, _ frame: PredictionFrame) {
    let inputs = frame.inputForms.compactMap(\.tensor)
    guard function.method.states.isEmpty, inputs.count == frame.inputForms.count, frame.outputForms.allSatisfy(\.isArray),
      let inputByteCount = Self.byteCount(inputs), inputByteCount <= Self.largestInputs,
      let runs = try? function.method.uniformRuns(for: inputs), runs.outputs.count == frame.outputForms.count,
      let outputByteCount = Self.byteCount(runs.outputs), outputByteCount <= Self.largestOutputs
    else { return nil }
    self.runs = runs
    layout = OutputLayout(frame.outputForms, runs.outputs)
  }

  private static func byteCount(_ types: [TensorType]) -> Int? {
    types.reduce(0) { sum, type in
      guard let sum, let byteCount = HostTensor.byteCount(dtype: type.dtype, shape: type.shape) else { return nil }
      let (total, overflow) = sum.addingReportingOverflow(TensorStorage.alignedByteCount(byteCount))
      return overflow ? nil : total
    }
  }
}

extension ModelFunction {
  /// The common part of small predictions; nil if the function's predictions are not small.
  func smallPredictions(in frame: PredictionFrame) -> SmallPredictions? {
    if let small = frame.small { return small }
    let small = SmallPredictions(self, frame)
    frame.small = .some(small)
    return small
  }

  /// Makes small predictions for the inputs of a batch.
  /// - Throws: the error of the first prediction that fails.
  func predict(_ batch: any MLBatchProvider, count: Int, _ small: SmallPredictions, in frame: PredictionFrame) throws
    -> MLArrayBatchProvider
  {
    var memory = OutputMemory(count: count, small.layout)
    let isConcurrent = method.threads > 1 && count > 1
    var done = 0
    while done < count {
      let mode = nextStretch(of: count - done, isConcurrent: isConcurrent)
      let start = isConcurrent ? ContinuousClock.now : nil
      if done > 0 { frame.reset() }
      let range = done..<done + mode.count
      let objection = takeAddresses(of: range, of: batch, small, into: frame, &memory)
      switch mode {
      case .inOrder: try run(small.runs, frame)
      case .concurrently(_, let part): try run(small.runs, frame, inPartsOf: part)
      }
      if let objection { throw objection }
      if let start { note(mode, in: ContinuousClock.now - start) }
      done = range.upperBound
    }
    if count > SmallPredictions.fewResults { return PredictedBatch(memory) }
    return MLArrayBatchProvider(array: (0..<count).map { memory.provider(at: $0) })
  }

  /// Adds the addresses of predictions to the frame, up to the first input that does not fit.
  /// - Returns: the error for that input.
  private func takeAddresses(
    of range: Range<Int>, of batch: any MLBatchProvider, _ small: SmallPredictions, into frame: PredictionFrame,
    _ memory: inout OutputMemory
  ) -> (any Error)? {
    let offsets = small.layout.offsets
    for index in range {
      let taken = frame.addresses.count
      do {
        try takeAddresses(from: batch.features(at: index), into: frame)
        let outputs = try unsafe UInt(bitPattern: memory.take(for: index))
        for offset in offsets { frame.addresses.append(outputs + UInt(offset)) }
      } catch {
        frame.addresses.removeSubrange(taken...)
        return error is AllocationError ? MLModelError(.generic, "Not enough memory for the outputs of a batch") : error
      }
    }
    return nil
  }

  /// Makes the predictions of the frame in order.
  private func run(_ runs: UniformRuns, _ frame: PredictionFrame) throws {
    var finished = 0
    do {
      try unsafe frame.addresses.withUnsafeBufferPointer { addresses in
        try unsafe frame.invocation.run(runs, addresses: addresses, finished: &finished)
      }
    } catch {
      throw MLModelError(error, model: model.name)
    }
  }

  /// Makes the predictions of the frame on several threads in chunks of `partCount`.
  private func run(_ runs: UniformRuns, _ frame: PredictionFrame, inPartsOf partCount: Int) throws {
    let count = frame.addresses.count / runs.addressCount
    // Taken here, because threads would contend for the list of frames.
    let frames = (0..<method.threads).map { _ in takeFrame() }
    defer { for frame in frames { release(frame) } }
    for frame in frames { frame.invocation.usesOneThread = true }
    let first = Guarded<(index: Int, error: any Error)?>(nil)
    unsafe frame.addresses.withUnsafeBufferPointer { addresses in
      method.concurrently((count + partCount - 1) / partCount) { part, thread in
        var finished = part * partCount
        let end = min(finished + partCount, count)
        let rows = finished * runs.addressCount..<end * runs.addressCount
        do {
          try unsafe frames[thread].invocation.run(
            runs, addresses: UnsafeBufferPointer(rebasing: addresses[rows]), finished: &finished)
        } catch {
          first.withLock { first in if first.map({ finished < $0.index }) ?? true { first = (finished, error) } }
        }
      }
    }
    if let (_, error) = first.withLock({ $0 }) { throw MLModelError(error, model: model.name) }
  }
}
