import Foundation
import Martlet
import MartletConformance
import MartletKernels
import MartletTensor

/// The measurements of `martlet bench --prefill N --decode N`: a prompt, and tokens one by one, each the most likely one after the last.
///
/// Any method takes part that has tokens `[1, n]` as its first integer input and the position of the first token, or of all, as its second.
struct GenerationMeasurement {
  private let path: String
  private let method: String
  private let threads: Int
  private let promptLength: Int
  private let loadSeconds: Double
  /// Time of the first prefill, which plans and packs, and of one whose plans exist.
  private let firstPrefillSeconds: Double
  private let prefillSeconds: Double
  /// Times of the tokens in ascending order.
  private let times: [Double]
  /// Plans made by the first prefill, and by all tokens after the first one.
  private let prefillPlans: Int
  private let decodePlans: Int
  /// Calls of the C allocator per token; nil if they are not counted.
  private let allocationsPerToken: Double?
  /// Bytes of weights that a token reads.
  private let weightByteCount: Double
  /// Bytes that the machine reads per second.
  private let readRate: Double
  private let residentByteCount: Int?

  init(path: String, arguments: ModelArguments, prefill: Int, decode: Int) throws {
    let clock = ContinuousClock()
    self.path = path
    promptLength = prefill
    var start = clock.now
    func seconds() -> Double {
      defer { start = clock.now }
      return (clock.now - start).seconds
    }
    let model = try arguments.load(path)
    try model.load(method: arguments.method)
    loadSeconds = seconds()
    threads = model.threads
    method = try model.signature(of: arguments.method).name
    let run = try GenerationRun(model, method: arguments.method, capacity: prefill)
    start = clock.now
    var token = try run.prefill(prefill)
    firstPrefillSeconds = seconds()
    prefillPlans = run.plansMade
    try model.resetState()
    start = clock.now
    // The second token of all: its plan is that of every token.
    token = try run.prefill(prefill)
    prefillSeconds = seconds()
    token = try run.decode(token)
    let (plans, allocations) = (run.plansMade, ProcessMemory.allocationCount)
    var times: [Double] = []
    times.reserveCapacity(decode)
    for _ in 0..<decode {
      start = clock.now
      token = try run.decode(token)
      times.append(seconds())
    }
    // In range: counts of one process.
    allocationsPerToken = allocations.flatMap { before in ProcessMemory.allocationCount.map { Double($0 - before) / Double(decode) } }
    decodePlans = run.plansMade - plans
    self.times = times.sorted()
    residentByteCount = ProcessMemory.residentByteCount
    weightByteCount = try run.weightByteCount(model, method: arguments.method)
    readRate = ProcessorPeak(threads: threads).bytesReadPerSecond(seconds: 0.3)
  }

  private var median: Double { times[times.count / 2] }
  private var share: Double { weightByteCount / median / readRate }

  var text: String {
    let prompt = Formatting.count(promptLength, "token")
    var rows = [
      ["load", Formatting.seconds(loadSeconds)],
      ["first token", "\(Formatting.seconds(loadSeconds + firstPrefillSeconds)) after \(prompt), with loading"],
      [
        "prefill",
        "\(Formatting.significant(Double(promptLength) / prefillSeconds)) tokens per second (\(prompt), \(Formatting.seconds(prefillSeconds)))",
      ],
      [
        "decode",
        "\(Formatting.significant(1 / median)) tokens per second (median \(Formatting.seconds(median)), minimum \(Formatting.seconds(times[0])), "
          + "of \(times.count))",
      ],
      [
        "memory",
        "\(Formatting.significant(weightByteCount * 1e-6)) MB of weights per token, \(Formatting.significant(weightByteCount / median * 1e-9)) of "
          + "\(Formatting.significant(readRate * 1e-9)) GB/s (\(Formatting.significant(share * 100)) %)",
      ],
      ["plans", "\(prefillPlans) for the prompt, \(decodePlans) for the tokens after it"],
      ["allocations", allocationsPerToken.map { "\(Formatting.significant($0)) per token" } ?? "not counted in this build"],
    ]
    rows.append(["resident", residentByteCount.map { Formatting.bytes($0) } ?? "not available"])
    return
      (["\(path), method \(method), \(Formatting.count(threads, "thread"))"] + Formatting.table(rows, [.left, .left], indentation: "  "))
      .joined(separator: "\n")
  }

  /// Times in seconds.
  var json: JSONValue {
    .object([
      .init("model", .string(path)), .init("method", .string(method)), .init("threads", .integer(threads)),
      .init("loadSeconds", .number(loadSeconds)), .init("firstTokenSeconds", .number(loadSeconds + firstPrefillSeconds)),
      .init(
        "prefill",
        .members([
          "tokens": .integer(promptLength), "firstSeconds": .number(firstPrefillSeconds), "seconds": .number(prefillSeconds),
          "tokensPerSecond": .number(Double(promptLength) / prefillSeconds), "plans": .integer(prefillPlans),
        ])),
      .init(
        "decode",
        .members([
          "tokens": .integer(times.count), "minimumSeconds": .number(times[0]), "medianSeconds": .number(median),
          "tokensPerSecond": .number(1 / median), "plans": .integer(decodePlans),
          "allocationsPerToken": allocationsPerToken.map { .number($0) } ?? .null,
        ])),
      .init("weightBytesPerToken", .number(weightByteCount)), .init("bytesReadPerSecond", .number(readRate)),
      .init("shareOfMemoryBandwidth", .number(share)), .init("residentByteCount", residentByteCount.map { .integer($0) } ?? .null),
    ])
  }
}

/// A language model's method being called with tokens and their positions.
private final class GenerationRun {
  private let invocation: Invocation
  private let tokens: TensorStorage
  private let positions: TensorStorage
  private var outputs: [TensorStorage?]
  /// Position of the tokens among the inputs.
  private let tokenInput: Int
  private let positionInput: Int?
  /// Whether every token has its own position.
  private let hasPositions: Bool
  /// Maximum number of tokens of a call.
  private let mostTokens: Int
  private var position = 0

  init(_ model: Model, method: String?, capacity: Int) throws {
    let signature = try model.signature(of: method)
    var found: [(input: Int, shape: [Int], isDynamic: [Bool])] = []
    for (input, value) in signature.inputs.enumerated() {
      guard case .tensor(.int64, let shape, let isDynamic) = value.kind else {
        throw CommandFailure("\(signature.name) is no language model: its input \(value) is neither tokens nor their position")
      }
      found.append((input, shape, isDynamic))
    }
    guard let first = found.first, first.shape.count == 2, found.count <= 2, found.count == 1 || found[1].shape.count == 1 else {
      throw CommandFailure("\(signature.name) is no language model: it takes no tokens [1, n] and their position")
    }
    tokenInput = first.input
    positionInput = found.count > 1 ? found[1].input : nil
    hasPositions = found.count > 1 && (found[1].isDynamic[0] || found[1].shape[0] > 1)
    mostTokens = max(first.shape[1] < 0 ? capacity : first.shape[1], 1)
    invocation = try model.makeInvocation(of: method)
    outputs = signature.outputs.map { _ in nil }
    // In range: at most a list in memory.
    let count = min(mostTokens, max(capacity, 1))
    tokens = try TensorStorage(allocating: count * 8)
    positions = try TensorStorage(allocating: count * 8)
  }

  var plansMade: Int { invocation.plansMade }

  /// Starts anew with `count` tokens. Returns the token after them.
  func prefill(_ count: Int) throws -> Int64 {
    position = 0
    var (left, token) = (count, Int64(1))
    while left > 0 {
      let part = min(left, mostTokens)
      // Various tokens that every vocabulary has.
      for index in 0..<part {
        unsafe tokens.pointer.storeBytes(of: Int64(3 + (position + index) % 61), toByteOffset: index * 8, as: Int64.self)
      }
      token = try call(part)
      left -= part
    }
    return token
  }

  /// Returns the token after `token`.
  func decode(_ token: Int64) throws -> Int64 {
    unsafe tokens.pointer.storeBytes(of: token, as: Int64.self)
    return try call(1)
  }

  private func call(_ count: Int) throws -> Int64 {
    try invocation.setInput(tokenInput, to: TensorType(.int64, [1, count]), in: tokens)
    if let positionInput {
      let length = hasPositions ? count : 1
      for index in 0..<length { unsafe positions.pointer.storeBytes(of: Int64(position + index), toByteOffset: index * 8, as: Int64.self) }
      try invocation.setInput(positionInput, to: TensorType(.int64, [length]), in: positions)
    }
    var type = TensorType(.float32, [])
    try invocation.run { output, found in
      if output == 0 { type = found }
      if let known = outputs[output], known.byteCount >= found.byteCount { return known }
      let storage = try TensorStorage(allocating: found.byteCount)
      outputs[output] = storage
      return storage
    }
    position += count
    return largest(of: type)
  }

  /// The most likely token according to the last row of logits.
  private func largest(of type: TensorType) -> Int64 {
    guard let storage = outputs.first ?? nil, let count = type.shape.last, count > 0 else { return 1 }
    let first = type.elementCount - count
    var (best, token) = (-Float.infinity, 0)
    for index in 0..<count {
      let logit: Float
      switch type.dtype {
      case .float16: logit = unsafe Float(storage.pointer.load(fromByteOffset: (first + index) * 2, as: Float16.self))
      case .bfloat16:
        logit = unsafe Float(bitPattern: UInt32(storage.pointer.load(fromByteOffset: (first + index) * 2, as: UInt16.self)) << 16)
      default: logit = unsafe storage.pointer.load(fromByteOffset: (first + index) * 4, as: Float.self)
      }
      if logit > best { (best, token) = (logit, index) }
    }
    return Int64(token)
  }

  /// Bytes of weights that a call with one token reads.
  func weightByteCount(_ model: Model, method: String?) throws -> Double {
    var inputs: [ModelValue] = []
    for input in 0..<invocation.inputCount {
      let shape = input == tokenInput ? [1, 1] : [1]
      inputs.append(.tensor(try Tensor([Int64](repeating: input == tokenInput ? 3 : Int64(position), count: 1), shape: shape)))
    }
    return try model.profile(inputs, method: method).kernels.reduce(0) { $0 + $1.weightBytes }
  }
}
