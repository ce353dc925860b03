import Foundation
import Martlet

/// The memory layout of the outputs of one prediction, and their conversion to features.
final class OutputLayout: Sendable {
  private struct Output: Sendable {
    let form: OutputForm
    let type: TensorType
    let array: ArrayForm
    let offset: Int
  }

  private let outputs: [Output]
  private let names: FeatureNames
  /// Bytes between the outputs of consecutive predictions.
  let byteCount: Int
  /// The byte offset of each output.
  let offsets: [Int]

  init(_ forms: [OutputForm], _ types: [TensorType]) {
    var byteCount = 0
    outputs = zip(forms, types).map { form, type in
      defer { byteCount += TensorStorage.alignedByteCount(type.byteCount) }
      return Output(form: form, type: type, array: form.form(of: type), offset: byteCount)
    }
    names = FeatureNames(forms.map(\.name))
    self.byteCount = byteCount
    offsets = outputs.map(\.offset)
  }

  /// The outputs at `offset` of a memory block. Each output keeps the block alive.
  func provider(_ block: TensorStorage, at offset: Int) -> MLDictionaryFeatureProvider {
    let values = outputs.map { output in
      let memory = unsafe TensorStorage(
        borrowing: block.pointer + offset + output.offset, byteCount: output.type.byteCount, owner: block)
      return MLFeatureValue(multiArray: output.form.array(memory, output.type, output.array))
    }
    return MLDictionaryFeatureProvider(names, values)
  }
}

/// The memory of a batch's outputs.
struct OutputMemory {
  /// Number of predictions whose outputs share a memory block. Any output that is kept keeps the whole block.
  private static let blockCount = 256

  let count: Int
  private let layout: OutputLayout
  private var blocks: [TensorStorage] = []

  init(count: Int, _ layout: OutputLayout) {
    self.count = count
    self.layout = layout
  }

  /// Memory for the outputs of a prediction. Must be called in order of the predictions.
  mutating func take(for index: Int) throws(AllocationError) -> UnsafeMutableRawPointer {
    let (block, position) = index.quotientAndRemainder(dividingBy: Self.blockCount)
    if block == blocks.count {
      blocks.append(try TensorStorage(allocating: min(Self.blockCount, count - index) * layout.byteCount))
    }
    return unsafe blocks[block].pointer + position * layout.byteCount
  }

  /// The outputs of a prediction that has run.
  func provider(at index: Int) -> MLDictionaryFeatureProvider {
    let (block, position) = index.quotientAndRemainder(dividingBy: Self.blockCount)
    return layout.provider(blocks[block], at: position * layout.byteCount)
  }
}

/// The results of a batch, in the memory that the program wrote. The feature provider of a prediction is made on first access.
final class PredictedBatch: MLArrayBatchProvider {
  private let memory: OutputMemory
  private let providers = Guarded<[MLDictionaryFeatureProvider?]>([])

  init(_ memory: OutputMemory) {
    self.memory = memory
    super.init(array: [])
  }

  override var count: Int { memory.count }
  override var array: [any MLFeatureProvider] { (0..<count).map { features(at: $0) } }

  override func features(at index: Int) -> any MLFeatureProvider {
    precondition(index >= 0 && index < count, "There is no prediction \(index) in a batch of \(count)")
    return providers.withLock { providers in
      if providers.isEmpty { providers = Array(repeating: nil, count: count) }
      if let provider = providers[index] { return provider }
      let provider = memory.provider(at: index)
      providers[index] = provider
      return provider
    }
  }
}
