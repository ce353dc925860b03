import Martlet

/// The working storage of a thread that makes predictions. Frames are reused, so that a prediction allocates only its results.
final class PredictionFrame {
  let invocation: Invocation
  // Separate copies, because threads that count references to the same object contend for it.
  let inputForms: [InputForm]
  let outputForms: [OutputForm]
  let outputNames: FeatureNames
  /// Addresses of the inputs and outputs of several predictions, grouped by prediction.
  var addresses: [UInt] = []
  /// The storages that the input addresses point into.
  var owners: [TensorStorage] = []
  /// The common part of small predictions. Nil until it is determined; `.some(nil)` if the function's predictions are not small.
  var small: SmallPredictions??
  /// Memory shared by the small outputs of several predictions.
  private var block: TensorStorage?
  private var blockOffset = 0

  init(_ invocation: Invocation, _ inputForms: [InputForm], _ outputForms: [OutputForm]) {
    self.invocation = invocation
    self.inputForms = inputForms
    self.outputForms = outputForms
    outputNames = FeatureNames(outputForms.map(\.name))
  }

  /// Clears the data of the last prediction.
  func reset() {
    if !addresses.isEmpty { addresses.removeAll(keepingCapacity: true) }
    if !owners.isEmpty { owners.removeAll(keepingCapacity: true) }
    invocation.reset()
  }

  /// Allocates one block for the outputs of several predictions. Each output keeps the block alive.
  func reserve(byteCount: Int) {
    block = byteCount > 0 ? try? TensorStorage(allocating: byteCount) : nil
    blockOffset = 0
  }

  /// Memory for an output.
  func memory(byteCount: Int) throws(AllocationError) -> TensorStorage {
    guard let block, byteCount <= block.byteCount - blockOffset else {
      return try TensorStorage(allocating: byteCount)
    }
    let base = unsafe block.pointer + blockOffset
    blockOffset += min(TensorStorage.alignedByteCount(byteCount), block.byteCount - blockOffset)
    return unsafe TensorStorage(borrowing: base, byteCount: byteCount, owner: block)
  }
}
