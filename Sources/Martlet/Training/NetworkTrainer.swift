import MartletSystem
import MartletBytes
import MartletCoreMLFile
import MartletFeatures
import MartletImport
import MartletRuntime
import MartletTensor

/// Trains the last layers of a network.
final class NetworkTrainer: TrainingEngine {
  private let network: UpdatableNetwork
  private let source: TrainingSource
  private let model: Model
  /// Weights and moments, in the order of the step's states; empty before the first step.
  private var states: [TensorStorage] = []
  /// By number of samples and shapes of blobs, the most recently made last.
  private var steps: [StepRunner] = []
  /// Steps of Adam in this training.
  private var stepCount = 0

  var recordsKernels = false
  private(set) var recordedKernels: [KernelTime] = []

  /// Steps with different numbers of samples that are kept.
  private static let mostSteps = 4

  init(_ network: UpdatableNetwork, _ source: TrainingSource, _ model: Model) {
    self.network = network
    self.source = source
    self.model = model
  }

  var features: [String] {
    let inputs = source.updatable.stages.isEmpty ? network.features : source.chain(of: TrainingSource.features)?.inputs ?? []
    return inputs.map(\.name)
  }

  var target: String { network.targetName }

  // MARK: Weights

  var weights: [Int: TensorStorage] {
    var result: [Int: TensorStorage] = [:]
    for (position, storage) in zip(source.weights, states) {
      let copy = TensorStorage(byteCount: storage.byteCount)
      unsafe copy.pointer.copyMemory(from: storage.pointer, byteCount: storage.byteCount)
      result[position] = copy
    }
    return result
  }

  func changed(_ specification: ByteView) throws(FileError) -> [UInt8] {
    var values: [Int: [UInt8]] = [:]
    for (position, storage) in zip(source.weights, states) {
      values[position] = unsafe Array(UnsafeRawBufferPointer(start: storage.pointer, count: storage.byteCount))
    }
    return try UpdatableModel.specification(specification, withWeights: values)
  }

  // MARK: Training

  func train(
    on data: TrainingData, parameter: (TrainingParameter.Name) -> TrainingParameter.Value?, cancellation: CallCancellation?,
    handler: (TrainingEvent) throws -> Void
  ) throws {
    guard let chain = source.chain(of: TrainingSource.features) else { return }
    let samples = SampleFeatures(data, chain, self, model, byteLimit: model.options.effectiveMemoryLimit / 4)
    func number(_ name: TrainingParameter.Name) -> Double { parameter(name)?.number ?? 0 }
    func count(_ name: TrainingParameter.Name) -> Int { max(Int(exactly: number(name)) ?? 1, 1) }
    stepCount = 0
    try clearMoments()
    try handler(TrainingEvent(kind: .begin, epoch: 0, miniBatch: 0, loss: nil))
    var order = SampleOrder(count: data.count)
    var epoch = 0
    while epoch < count(.epochs) {
      if parameter(.shuffle) == .bool(true) {
        let seed = if case .int(let seed)? = parameter(.seed) { seed } else { 0 }
        order.shuffle(seed: seed, epoch: epoch)
      }
      var (start, batch, sum) = (0, 0, 0.0)
      while start < data.count {
        try cancellation?.cancellation.check()
        // In range: positions of samples.
        let end = min(start + min(count(.miniBatchSize), data.count - start), data.count)
        let loss = try step(samples, order.positions[start..<end], number, cancellation)
        // In range: a number of samples.
        sum += loss * Double(end - start)
        try handler(TrainingEvent(kind: .miniBatchEnd, epoch: epoch, miniBatch: batch, loss: loss))
        start = end
        // In range: a number of mini-batches.
        if start < data.count { batch += 1 }
      }
      try handler(TrainingEvent(kind: .epochEnd, epoch: epoch, miniBatch: batch, loss: sum / Double(data.count)))
      // In range: a number of passes.
      epoch += 1
    }
  }

  private func step(
    _ samples: SampleFeatures, _ positions: ArraySlice<Int>, _ number: (TrainingParameter.Name) -> Double,
    _ cancellation: CallCancellation?
  ) throws -> Double {
    guard let first = positions.first else { return 0 }
    let blobs = try samples.blobs(of: first).map { tensor in
      do {
        return try SampleBlob(shape: blobShape(tensor), of: network.trainedLayers)
      } catch let error as CallError {
        throw MartletError.invalidInput(error.reason)
      }
    }
    let runner = try runner(blobs, count: positions.count)
    for (slot, position) in positions.enumerated() {
      let (tensors, target) = try samples.sample(position)
      for (index, tensor) in tensors.enumerated() {
        guard blobShape(tensor) == blobs[index].shape else {
          throw MartletError.invalidInput(
            "the blob '\(network.inputs[index])' of sample \(position) does not have the shape of others in its mini-batch",
            expected: "\(blobs[index].shape)", found: "\(tensor.shape)")
        }
        runner.set(tensor.host, blob: index, slot: slot)
      }
      try set(target, slot: slot, sample: position, in: runner)
    }
    // In range: a number of steps.
    stepCount += 1
    guard recordsKernels else { return try runner.run(numbers(number), states, cancellation) }
    let profile = Profile(byteCount: model.options.limits.memoryByteCount / 4)
    defer { recordedKernels = profile.entries.map { KernelTime($0) } }
    return try runner.run(numbers(number), states, cancellation, profile)
  }

  /// The shape of a blob. Arrays with Seq and Batch of 1 lack these axes.
  private func blobShape(_ tensor: Tensor) -> [Int] {
    network.network.arrayMapping == .rank5 && tensor.shape.count == 3 ? [1, 1] + tensor.shape : tensor.shape
  }

  private func numbers(_ number: (TrainingParameter.Name) -> Double) -> [Double] {
    let rate = number(.learningRate)
    switch network.optimizer {
    case .stochasticGradientDescent: return [rate, number(.momentum)]
    case .adam:
      let (beta1, beta2, steps) = (number(.beta1), number(.beta2), Double(stepCount))
      return [
        rate / (1 - pow(beta1, steps)), beta1, 1 - beta1, beta2, 1 - beta2, (1 - pow(beta2, steps)).squareRoot(), number(.epsilon),
      ]
    }
  }

  // MARK: Targets

  private func set(_ value: ModelValue?, slot: Int, sample: Int, in runner: StepRunner) throws {
    func failure(_ expected: String, _ found: String? = nil) -> MartletError {
      MartletError.invalidInput(
        "the target '\(network.targetName)' of sample \(sample) does not fit", expected: expected, found: found ?? value?.kind)
    }
    guard let value, value.kind != ModelValue.none.kind else {
      throw MartletError.invalidInput("the target '\(network.targetName)' of sample \(sample) is missing")
    }
    switch network.target {
    case .label(let labels):
      let position: Int?
      switch (labels, value) {
      case (.strings(let texts), .string(let text)): position = texts.firstIndex(of: text)
      case (.integers(let numbers), .int(let number)): position = numbers.firstIndex { Int(widening: $0) == number }
      default: throw failure("the label of a class")
      }
      guard let position, position < source.classCount ?? .max else { throw failure("one of \(labels.count) classes", "\(value)") }
      runner.setTarget([Float(position)], slot: slot)
    case .position:
      guard let numbers = value.numbers, numbers.count == 1, let position = Int(exactly: numbers[0]), position >= 0,
        position < source.classCount ?? .max
      else {
        throw failure("the position of a class")
      }
      runner.setTarget([Float(position)], slot: slot)
    case .values:
      guard let numbers = value.numbers, numbers.count == runner.targetCount else {
        throw failure("an array of \(runner.targetCount) elements")
      }
      runner.setTarget(numbers.map { Float($0) }, slot: slot)
    }
  }

  // MARK: Steps

  private func runner(_ blobs: [SampleBlob], count: Int) throws -> StepRunner {
    if let known = steps.first(where: { $0.count == count && $0.blobs == blobs }) { return known }
    if steps.count == Self.mostSteps {
      let oldest = steps.removeFirst()
      model.unload(method: oldest.name)
      source.removeStep(oldest.name)
    }
    let name = source.addStep(blobs, count: count)
    let runner = try StepRunner(name, blobs, count: count, model)
    if states.isEmpty { states = try runner.makeStates() }
    steps.append(runner)
    return runner
  }

  /// Sets the optimiser's states to zeros.
  private func clearMoments() throws {
    for state in states.dropFirst(source.weights.count) {
      _ = unsafe state.pointer.initializeMemory(as: UInt8.self, repeating: 0, count: state.byteCount)
    }
  }
}

/// What the layers before training make of samples, kept if samples are constant and there is room.
private final class SampleFeatures {
  private let data: TrainingData
  private let chain: ModelChain
  private let trainer: NetworkTrainer
  private let model: Model
  private let byteLimit: Int
  private var kept: [Int: (blobs: [Tensor], target: ModelValue?)] = [:]
  private var keptByteCount = 0
  /// The sample that was made last.
  private var last: (position: Int, blobs: [Tensor], target: ModelValue?)?

  init(_ data: TrainingData, _ chain: ModelChain, _ trainer: NetworkTrainer, _ model: Model, byteLimit: Int) {
    self.data = data
    self.chain = chain
    self.trainer = trainer
    self.model = model
    self.byteLimit = byteLimit
  }

  /// The blobs of a sample, which is the next one that is used.
  func blobs(of position: Int) throws -> [Tensor] {
    if let known = kept[position] { return known.blobs }
    let (blobs, target) = try make(position)
    last = (position, blobs, target)
    return blobs
  }

  func sample(_ position: Int) throws -> (blobs: [Tensor], target: ModelValue?) {
    if let known = kept[position] { return known }
    if let made = last, made.position == position {
      last = nil
      return (made.blobs, made.target)
    }
    return try make(position)
  }

  private func make(_ position: Int) throws -> (blobs: [Tensor], target: ModelValue?) {
    let sample = try data.features(at: position)
    let results = try model.run(try trainer.inputs(of: chain, from: sample), method: TrainingSource.features)
    var blobs: [Tensor] = []
    for (feature, result) in zip(chain.outputs, results) {
      guard case .tensor(let tensor) = result, tensor.dataType == .float32 else {
        throw MartletError.executionFailed("the blob \(feature.name) is \(result.kind)")
      }
      blobs.append(tensor)
    }
    let target = sample[trainer.target]
    // In range: bytes in memory.
    let byteCount = blobs.reduce(0) { $0 + $1.host.byteCount }
    if data.isConstant, (Extent(keptByteCount) + byteCount).fits(byteLimit) {
      // In range: at most the limit.
      keptByteCount += byteCount
      kept[position] = (blobs, target)
    }
    return (blobs, target)
  }
}
