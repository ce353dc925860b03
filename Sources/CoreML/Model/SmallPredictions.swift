import Martlet

/// What predictions have in common that differ in nothing but the memory of their few inputs and outputs, arrays of fixed shape. Several
/// of them are made at a time without any object for each.
final class SmallPredictions {
  /// Inputs that are converted lie in memory all at once.
  private static let largestInputs = 1 << 16
  /// The outputs of predictions share memory: one that is kept keeps the others.
  static let largestOutputs = 4096
  /// Objects of so few results are made at once, which takes less than to be ready for whoever asks.
  fileprivate static let fewResults = 4

  let calls: UniformFeatureCalls
  let layout: OutputLayout

  /// - Returns: nil for a function whose predictions are not such.
  init?(_ function: ModelFunction, _ frame: PredictionFrame) {
    let inputs = frame.inputForms.compactMap(\.tensor)
    guard function.method.states.isEmpty, inputs.count == frame.inputForms.count, frame.outputForms.allSatisfy(\.isArray),
      let inputByteCount = Self.byteCount(inputs), inputByteCount <= Self.largestInputs,
      let calls = try? function.method.uniformCalls(for: inputs), calls.outputs.count == frame.outputForms.count,
      let outputByteCount = Self.byteCount(calls.outputs), outputByteCount <= Self.largestOutputs
    else { return nil }
    self.calls = calls
    layout = OutputLayout(frame.outputForms, calls.outputs)
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
  /// What small predictions have in common; nil if the function's are not small.
  func smallPredictions(in frame: PredictionFrame) -> SmallPredictions? {
    if let small = frame.small { return small }
    let small = SmallPredictions(self, frame)
    frame.small = .some(small)
    return small
  }

  /// Small predictions for the inputs of a batch.
  /// - Throws: the error of the first input that has one.
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
      case .inOrder: try run(small.calls, frame)
      case .concurrently(_, let part): try run(small.calls, frame, inPartsOf: part)
      }
      if let objection { throw objection }
      if let start { note(mode, in: ContinuousClock.now - start) }
      done = range.upperBound
    }
    if count > SmallPredictions.fewResults { return PredictedBatch(memory) }
    return MLArrayBatchProvider(array: (0..<count).map { memory.provider(at: $0) })
  }

  /// Takes the memory of predictions, up to the first whose input does not fit.
  /// - Returns: what does not fit.
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
        return error is AllocationError ? MLModelError(.generic, "There is not enough memory for the outputs of a batch") : error
      }
    }
    return nil
  }

  /// Makes the frame's predictions one after the other.
  private func run(_ calls: UniformFeatureCalls, _ frame: PredictionFrame) throws {
    var finished = 0
    do {
      try unsafe frame.addresses.withUnsafeBufferPointer { addresses in
        try unsafe method.run(calls, on: frame.call, addresses: addresses, finished: &finished)
      }
    } catch {
      throw MLModelError(error, model: model.name)
    }
  }

  /// Makes the frame's predictions on several threads, of which each takes `partCount` at a time.
  private func run(_ calls: UniformFeatureCalls, _ frame: PredictionFrame, inPartsOf partCount: Int) throws {
    let count = frame.addresses.count / calls.addressCount
    // Taken here: threads would wait for each other.
    let frames = (0..<method.threads).map { _ in takeFrame() }
    defer { for frame in frames { giveBack(frame) } }
    for frame in frames { frame.call.usesOneThread = true }
    let first = Guarded<(index: Int, error: any Error)?>(nil)
    unsafe frame.addresses.withUnsafeBufferPointer { addresses in
      method.concurrently((count + partCount - 1) / partCount) { part, thread in
        var finished = part * partCount
        let end = min(finished + partCount, count)
        let rows = finished * calls.addressCount..<end * calls.addressCount
        do {
          try unsafe method.run(
            calls, on: frames[thread].call, addresses: UnsafeBufferPointer(rebasing: addresses[rows]), finished: &finished)
        } catch {
          first.withLock { first in if first.map({ finished < $0.index }) ?? true { first = (finished, error) } }
        }
      }
    }
    if let (_, error) = first.withLock({ $0 }) { throw MLModelError(error, model: model.name) }
  }
}
