import Martlet

/// What a thread needs to make predictions one after the other. Reused, so that a prediction makes nothing but its results.
final class PredictionFrame {
  let call: FeatureCall
  // Copies: threads that counted references to the same objects would wait for each other.
  let inputForms: [InputForm]
  let outputForms: [OutputForm]
  /// The inputs of the prediction, in the program's order.
  var inputs: [BoundInput] = []
  /// For each output its memory.
  var memories: [TensorStorage?] = []
  /// Addresses of the inputs and outputs of several predictions, one prediction after the other.
  var addresses: [UInt] = []
  /// What the inputs' addresses belong to.
  var owners: [TensorStorage] = []
  /// How small predictions are made several at a time; nil inside for functions whose are not.
  var small: SmallPredictions??
  /// Where small outputs go, if there are several predictions to make.
  private var block: TensorStorage?
  private var blockOffset = 0

  init(_ call: FeatureCall, _ inputForms: [InputForm], _ outputForms: [OutputForm]) {
    self.call = call
    self.inputForms = inputForms
    self.outputForms = outputForms
  }

  /// Forgets the last prediction.
  func reset() {
    inputs.removeAll(keepingCapacity: true)
    memories.removeAll(keepingCapacity: true)
    if !addresses.isEmpty { addresses.removeAll(keepingCapacity: true) }
    if !owners.isEmpty { owners.removeAll(keepingCapacity: true) }
    call.reset()
  }

  /// Takes memory for the outputs of several predictions at once. It lives as long as any of them.
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
