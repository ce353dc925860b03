import Foundation
import Martlet

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
  let offsets: [Int]

  init(_ forms: [OutputForm], _ types: [TensorType]) {
    var byteCount = 0
    outputs = zip(forms, types).map { form, type in
      defer { byteCount += TensorStorage.alignedByteCount(type.byteCount) }
      return Output(form: form, type: type, array: form.form(of: type), offset: byteCount)
    }
    self.byteCount = byteCount
    offsets = outputs.map(\.offset)
  }

  /// The outputs that start at `offset` of a block of memory, which lives as long as any of them.
  func provider(_ block: TensorStorage, at offset: Int) -> MLDictionaryFeatureProvider {
    var values: [String: MLFeatureValue] = [:]
    values.reserveCapacity(outputs.count)
    for output in outputs {
      let memory = unsafe TensorStorage(
        borrowing: block.pointer + offset + output.offset, byteCount: output.type.byteCount, owner: block)
      values[output.form.name] = MLFeatureValue(multiArray: output.form.array(memory, output.type, output.array))
    }
    return MLDictionaryFeatureProvider(values: values)
  }
}

/// Memory for the outputs of a batch.
struct OutputMemory {
  /// Predictions whose outputs share memory: one that is kept keeps the others.
  private static let blockCount = 256

  let count: Int
  private let layout: OutputLayout
  private var blocks: [TensorStorage] = []

  init(count: Int, _ layout: OutputLayout) {
    self.count = count
    self.layout = layout
  }

  /// Where the outputs of a prediction are to be written; those before it have their memory already.
  mutating func take(for index: Int) throws(AllocationError) -> UnsafeMutableRawPointer {
    let (block, position) = index.quotientAndRemainder(dividingBy: Self.blockCount)
    if block == blocks.count {
      blocks.append(try TensorStorage(allocating: min(Self.blockCount, count - index) * layout.byteCount))
    }
    return unsafe blocks[block].pointer + position * layout.byteCount
  }

  /// The outputs of a prediction, which have been written.
  func provider(at index: Int) -> MLDictionaryFeatureProvider {
    let (block, position) = index.quotientAndRemainder(dividingBy: Self.blockCount)
    return layout.provider(blocks[block], at: position * layout.byteCount)
  }
}

/// The results of a batch as the program wrote them. The objects that clients see of a prediction are made when somebody asks for it.
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
