import Foundation
import MartletLock
import MartletTensor

/// How the outputs of one prediction lie in memory, one after the other, and what clients see of them.
final class OutputLayout: Sendable {
  private struct Output: Sendable {
    let form: OutputForm
    let type: TensorType
    let array: ArrayForm
    let offset: Int
  }

  private let outputs: [Output]
  /// Bytes from one prediction's outputs to the next one's.
  let byteCount: Int
  /// Where each output starts.
  var offsets: [Int] { outputs.map(\.offset) }

  init(_ forms: [OutputForm], _ types: [TensorType]) {
    var byteCount = 0
    outputs = zip(forms, types).map { form, type in
      defer { byteCount += AlignedStorage.alignedByteCount(type.byteCount) }
      return Output(form: form, type: type, array: form.form(of: type), offset: byteCount)
    }
    self.byteCount = byteCount
  }

  /// The outputs that start at `offset` of a block of memory, which lives as long as any of them.
  func provider(_ block: AlignedStorage, at offset: Int) -> MLDictionaryFeatureProvider {
    var values: [String: MLFeatureValue] = [:]
    values.reserveCapacity(outputs.count)
    for output in outputs {
      let memory = unsafe ArrayStorage(
        borrowing: block.pointer + offset + output.offset, byteCount: output.type.byteCount, owner: block, release: nil)
      values[output.form.name] = MLFeatureValue(multiArray: output.form.array(memory, output.type, output.array))
    }
    return MLDictionaryFeatureProvider(values: values)
  }
}

/// The results of a batch as the program wrote them. The objects that clients see of a prediction are made when somebody asks for it.
final class PredictedBatch: MLArrayBatchProvider {
  /// Predictions whose outputs share memory: one that is kept keeps the others.
  private static let blockCount = 256

  private let layout: OutputLayout
  private let predictionCount: Int
  private var blocks: [AlignedStorage] = []
  private let providers = Guarded<[MLDictionaryFeatureProvider?]>([])

  init(count: Int, _ layout: OutputLayout) {
    self.layout = layout
    predictionCount = count
    super.init(array: [])
  }

  /// Where the outputs of a prediction are to be written; those before it have their memory already.
  func memory(at index: Int) throws(AllocationError) -> UnsafeMutableRawPointer {
    let (block, position) = index.quotientAndRemainder(dividingBy: Self.blockCount)
    if block == blocks.count {
      blocks.append(try AlignedStorage(allocating: min(Self.blockCount, predictionCount - index) * layout.byteCount))
    }
    return unsafe blocks[block].pointer + position * layout.byteCount
  }

  override var count: Int { predictionCount }
  override var array: [any MLFeatureProvider] { (0..<predictionCount).map { features(at: $0) } }

  override func features(at index: Int) -> any MLFeatureProvider {
    precondition(index >= 0 && index < predictionCount, "There is no prediction \(index) in a batch of \(predictionCount)")
    return providers.withLock { providers in
      if providers.isEmpty { providers = Array(repeating: nil, count: predictionCount) }
      if let provider = providers[index] { return provider }
      let (block, position) = index.quotientAndRemainder(dividingBy: Self.blockCount)
      let provider = layout.provider(blocks[block], at: position * layout.byteCount)
      providers[index] = provider
      return provider
    }
  }
}
