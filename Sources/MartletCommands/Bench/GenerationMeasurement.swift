import MartletSystem
import Martlet
import MartletBytes
import MartletKernels
import MartletTensor
import MartletTextGeneration

/// The measurements of `martlet bench --prefill N --decode N`: a prompt, and tokens one by one, each the most likely one after the last.
///
/// Any method takes part that `DecoderMethod` describes; the program need not have a language model's constant methods.
struct GenerationMeasurement {
  private let path: String
  private let method: String
  private let threads: Int
  private let promptLength: Int
  private let loadSeconds: Double
  /// Time of the first prefill, which plans and packs, and of one whose plans exist.
  private let firstPrefillSeconds: Double
  private let prefillSeconds: Double
  /// Additional time of prompts of new lengths, as a share of their time when they are repeated; nil for a prompt of one token.
  private let newLengthShare: Double?
  /// Times of the tokens in ascending order.
  private let times: [Double]
  /// Growth of time and memory over a long stream; nil for fewer than 3,000 tokens.
  private let stream: Stream?
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
    let run = try GenerationRun(model, method: arguments.method)
    start = clock.now
    var token = try run.prefill(prefill)
    firstPrefillSeconds = seconds()
    prefillPlans = run.plansMade
    try model.resetState()
    start = clock.now
    // The second token of all: its plan is that of every token.
    token = try run.prefill(prefill)
    prefillSeconds = seconds()
    newLengthShare = try Self.newLengthShare(run, model, below: prefill)
    try model.resetState()
    token = try run.decode(run.prefill(prefill))
    var times: [Double] = []
    times.reserveCapacity(decode)
    let (plans, allocations) = (run.plansMade, ProcessMemory.allocationCount)
    var residentBefore: Int?
    var ownAllocations = 0
    for count in 0..<decode {
      start = clock.now
      token = try run.decode(token)
      times.append(seconds())
      if count == 2 * Stream.length {
        let before = ProcessMemory.allocationCount ?? 0
        residentBefore = ProcessMemory.residentByteCount
        // In range: counts of one process.
        ownAllocations = (ProcessMemory.allocationCount ?? 0) - before
      }
    }
    // In range: counts of one process.
    allocationsPerToken = allocations.flatMap { before in
      ProcessMemory.allocationCount.map { Double($0 - before - ownAllocations) / Double(decode) }
    }
    decodePlans = run.plansMade - plans
    residentByteCount = ProcessMemory.residentByteCount
    stream = Stream(times, residentBefore: residentBefore, residentAfter: residentByteCount)
    self.times = times.sorted()
    weightByteCount = try run.weightByteCount(model)
    readRate = ProcessorPeak(threads: threads).bytesReadPerSecond(seconds: 0.3)
  }

  /// The share of time that new lengths add, of a few below `length`.
  private static func newLengthShare(_ run: GenerationRun, _ model: Model, below length: Int) throws -> Double? {
    let lengths = (max(length - 3, 1)..<max(length, 1)).reversed()
    let clock = ContinuousClock()
    var first = 0.0
    var again = 0.0
    for length in lengths {
      for isFirst in [true, false] {
        try model.resetState()
        let time = try clock.measure { _ = try run.prefill(length) }.seconds
        if isFirst { first += time } else { again += time }
      }
    }
    return again > 0 ? first / again - 1 : nil
  }

  /// Tokens of a long stream: whether the last ones take as long as early ones, and as much memory.
  private struct Stream {
    static let length = 1_000
    /// Median time of the last `length` tokens, divided by that of the second `length`.
    let slowdown: Double
    /// Growth of the resident memory since then in bytes; nil if the system does not report it.
    let growth: Int?

    init?(_ times: [Double], residentBefore: Int?, residentAfter: Int?) {
      guard times.count >= 3 * Self.length else { return nil }
      func median(_ times: ArraySlice<Double>) -> Double { times.sorted()[times.count / 2] }
      slowdown = median(times.suffix(Self.length)) / median(times[Self.length..<2 * Self.length])
      // In range: bytes in memory.
      growth = residentBefore.flatMap { before in residentAfter.map { $0 - before } }
    }
  }

  private var median: Double { times[times.count / 2] }
  private var share: Double { weightByteCount / median / readRate }

  var text: String {
    let prompt = Formatting.count(promptLength, "token")
    var rows: [[String]] = [
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
      [
        "new length",
        newLengthShare.map { "\(Formatting.significant($0 * 100)) % more for a prompt of another length" } ?? "not measured",
      ],
      ["plans", "\(prefillPlans) for the prompt, \(decodePlans) for the tokens after it"],
      ["allocations", allocationsPerToken.map { "\(Formatting.significant($0)) per token" } ?? "not counted in this build"],
    ]
    if let stream {
      let growth = stream.growth.map { ", \($0 / 1024) KiB more memory" } ?? ""
      rows.append([
        "stream",
        "the last \(Stream.length) tokens take \(Formatting.significant(stream.slowdown)) times the second \(Stream.length)\(growth)",
      ])
    }
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
          "newLengthShare": newLengthShare.map { .number($0) } ?? .null,
        ])),
      .init(
        "decode",
        .members([
          "tokens": .integer(times.count), "minimumSeconds": .number(times[0]), "medianSeconds": .number(median),
          "tokensPerSecond": .number(1 / median), "plans": .integer(decodePlans),
          "allocationsPerToken": allocationsPerToken.map { .number($0) } ?? .null,
        ])),
      .init(
        "stream",
        stream.map { stream in
          .members(["slowdown": .number(stream.slowdown), "memoryGrowth": stream.growth.map { .integer($0) } ?? .null])
        } ?? .null), .init("weightBytesPerToken", .number(weightByteCount)), .init("bytesReadPerSecond", .number(readRate)),
      .init("shareOfMemoryBandwidth", .number(share)), .init("residentByteCount", residentByteCount.map { .integer($0) } ?? .null),
    ])
  }
}

/// A language model's method being called with tokens and their positions.
private final class GenerationRun {
  private let call: DecoderCall
  private var logits = Logits()
  private var sampler = Sampler()
  private var position = 0
  private var single = [0]

  init(_ model: Model, method: String?) throws {
    call = try DecoderCall(model, DecoderMethod(try model.signature(of: method), file: model.name))
  }

  var plansMade: Int { call.plansMade }

  /// Starts anew with `count` tokens. Returns the token after them.
  func prefill(_ count: Int) throws -> Int {
    position = 0
    // Various tokens that every vocabulary has.
    var rest = (0..<count).map { 3 + $0 % 61 }[...]
    var token = 1
    while !rest.isEmpty {
      let part = rest.prefix(call.method.chunk(of: rest.count, limit: .max) ?? rest.count)
      token = try read(part)
      rest = rest.dropFirst(part.count)
    }
    return token
  }

  /// Returns the token after `token`.
  func decode(_ token: Int) throws -> Int {
    single[0] = token
    return try read(single[...])
  }

  private func read(_ tokens: ArraySlice<Int>) throws -> Int {
    let (storage, type) = try call.run(tokens, at: position)
    position += tokens.count
    try logits.load(storage, type)
    return try sampler.sample(logits, Sampler.Settings())
  }

  /// Bytes of weights that a call with one token reads.
  func weightByteCount(_ model: Model) throws -> Double {
    func number(_ value: Int, _ type: DType, _ shape: [Int]) throws -> ModelValue {
      .tensor(type == .int32 ? try Tensor([Int32(clamping: value)], shape: shape) : try Tensor([Int64(value)], shape: shape))
    }
    var inputs = [try number(3, call.method.tokenType, [1, 1])]
    if call.method.positions != .none { inputs.append(try number(position, call.method.positionType, [1])) }
    return try model.profile(inputs, method: call.method.name).kernels.reduce(0) { $0 + $1.weightBytes }
  }
}
