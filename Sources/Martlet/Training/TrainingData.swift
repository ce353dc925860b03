import MartletTensor

/// Samples to train with: for each the model's inputs and the expected value, by the names that the model gives them.
public struct TrainingData {
  public let count: Int
  /// True if a sample is the same whenever it is asked for, so that what the fixed part of a model makes of it can be kept.
  let isConstant: Bool
  private let sample: (Int) throws -> [String: ModelValue]

  /// Samples in memory.
  public init(_ samples: [[String: ModelValue]]) {
    count = samples.count
    isConstant = true
    sample = { samples[$0] }
  }

  /// Samples that are made when they are needed: in each pass, each sample is asked for once.
  /// - Parameter sample: makes the sample with a number from 0 to `count - 1`.
  public init(count: Int, sample: @escaping (Int) throws -> [String: ModelValue]) {
    self.init(count: count, isConstant: false, sample: sample)
  }

  package init(count: Int, isConstant: Bool, sample: @escaping (Int) throws -> [String: ModelValue]) {
    self.count = max(count, 0)
    self.isConstant = isConstant
    self.sample = sample
  }

  /// The features of a sample.
  package func features(at index: Int) throws -> [String: ModelValue] { try sample(index) }
}

/// A moment in training.
public struct TrainingEvent: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    /// Before the first step.
    case begin
    case miniBatchEnd
    case epochEnd
  }

  public let kind: Kind
  /// Number of passes before this one.
  public let epoch: Int
  /// Number of mini-batches of this pass before this one; at the end of a pass that of the last one.
  public let miniBatch: Int
  /// The loss of the mini-batch before its step, or the mean over all samples of the pass; nil before the first step.
  public let loss: Double?
}

/// The order of samples in each pass: Fisher and Yates' shuffle with the generator Philox 4x32-10, whose key is the seed and whose stream is
/// the number of the pass.
struct SampleOrder {
  private(set) var positions: [Int]

  init(count: Int) { positions = Array(0..<count) }

  mutating func shuffle(seed: Int, epoch: Int) {
    let generator = CounterGenerator(key: UInt64(bitPattern: Int64(widening: seed)))
    for index in positions.indices { positions[index] = index }
    for last in positions.indices.dropFirst().reversed() {
      // The high half of the position numbers the pass.
      let bits = generator.bits(at: UInt64(clamping: epoch) << 32 | UInt64(clamping: last))
      let random = UInt64(widening: bits[0]) << 32 | UInt64(widening: bits[1])
      // In range: the high half of the product is at most `last`.
      positions.swapAt(last, Int(clamping: random.multipliedFullWidth(by: UInt64(clamping: last) + 1).high))
    }
  }
}
