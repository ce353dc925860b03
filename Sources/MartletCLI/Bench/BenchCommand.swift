import ArgumentParser
import Foundation
import Martlet
import MartletConformance

struct BenchCommand: CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures how fast models load and run, and what memory they take.",
    discussion: """
      Loading, the first prediction (which plans and packs weights) and later predictions are timed apart. Inputs that \
      --input does not give are random; a dynamic extent takes its bound. Times are only worth something in a release \
      build on a machine that does nothing else.

        martlet bench model.pte --threads 1
        martlet bench model.pte --profile --trace trace.json
        martlet bench encoder.pte --sweep input0.1=1-500
        martlet bench --peak --threads 1

      A trace opens in chrome://tracing or ui.perfetto.dev.
      """)

  @Argument(help: ArgumentHelp("Models, .pte or .bpte.", valueName: "model"))
  var paths: [String] = []

  @OptionGroup var model: ModelArguments
  @OptionGroup var input: InputOptions

  @Option(help: ArgumentHelp("Predictions after the first one that are not counted.", valueName: "count"))
  var warmup = 3

  @Option(help: ArgumentHelp("Predictions to time; without it as many as --seconds allow.", valueName: "count"))
  var iterations: Int?

  @Option(help: "How long to time predictions.")
  var seconds = 2.0

  @Flag(help: "Show the time of every node and of every kind of node.")
  var profile = false

  @Option(help: ArgumentHelp("Store the course of one prediction, in Chrome's trace format.", valueName: "file"))
  var trace: String?

  @Option(
    help: ArgumentHelp(
      "Also run every extent of a dynamic axis, to see what planning costs and whether memory grows; several vary together.",
      valueName: "input.axis=first-last"))
  var sweep: [ExtentRange] = []

  @Flag(help: "Instead of models, measure what the processor reaches at most: arithmetic by type, and reading of memory.")
  var peak = false

  @Flag(help: "Print JSON.")
  var json = false

  @Option(help: .hidden)
  var worker: String?

  func validate() throws {
    if peak, worker != nil || !paths.isEmpty { throw ValidationError("--peak takes no models.") }
    if worker == nil, !peak, paths.isEmpty { throw ValidationError("Name at least one model.") }
    if worker != nil, !paths.isEmpty { throw ValidationError("--worker takes no other models.") }
    if warmup < 0 { throw ValidationError("--warmup must not be negative.") }
    if let iterations, iterations < 1 { throw ValidationError("--iterations must be at least 1, not \(iterations).") }
    guard seconds > 0, seconds.isFinite else { throw ValidationError("--seconds must be above 0.") }
    if trace != nil, paths.count > 1 { throw ValidationError("--trace needs a single model.") }
  }

  func run() throws {
    if peak {
      let report = PeakReport(threads: model.threads ?? ModelOptions.defaultThreads)
      print(json ? report.json.text : report.text)
      return
    }
    if let worker {
      try BenchWorker(path: worker, arguments: model, inputPaths: input.inputs).run()
      return
    }
    var measurements: [Measurement] = []
    for path in paths {
      let measurement = try measure(path)
      measurements.append(measurement)
      if !json { print((measurements.count > 1 ? "\n" : "") + measurement.text) }
    }
    if json { print(JSONValue.array(measurements.map(\.json)).text) }
  }

  private func measure(_ path: String) throws -> Measurement {
    defer { Terminal.clearProgress() }
    Terminal.showProgress("\(path): loading")
    let clock = ContinuousClock()
    let hasPeak = ProcessMemory.forgetPeak()
    let residentBefore = ProcessMemory.residentByteCount
    let start = clock.now
    let loaded = try model.load(path)
    try loaded.load(method: model.method)
    let load = (clock.now - start).seconds
    let signature = try loaded.signature(of: model.method)
    let inputs = try input.values(for: signature, fallsBackToRandom: true)

    func predict() throws -> Double {
      let start = clock.now
      _ = try loaded.run(inputs, method: signature.name)
      return (clock.now - start).seconds
    }
    Terminal.showProgress("\(path): first prediction")
    let first = try predict()
    for _ in 0..<warmup { _ = try predict() }
    let progress = Progress()
    var times: [Double] = []
    times.reserveCapacity(iterations ?? 1 << 16)
    let begin = clock.now
    while true {
      times.append(try predict())
      if let iterations {
        if times.count >= iterations { break }
      } else if times.count >= 1 << 16 || (clock.now - begin).seconds >= seconds {
        break
      }
      progress.show("\(path): \(times.count) predictions, last \(Formatting.seconds(times.last ?? 0))")
    }
    let growth: Int? =
      if hasPeak, let peak = ProcessMemory.peakResidentByteCount, let residentBefore { max(0, peak - residentBefore) } else { nil }

    var measurement = Measurement(
      path: path, method: signature.name, threads: loaded.threads, loadSeconds: load, firstSeconds: first, times: times.sorted(),
      memoryGrowthByteCount: growth)
    // Counted apart: the progress line allocates too.
    measurement.allocationsPerPrediction = try ProcessMemory.allocationsPerCall { _ = try predict() }
    var outputs: [ModelValue] = []
    try loaded.run(inputs, into: &outputs, method: signature.name)
    measurement.allocationsReusingOutputs = try ProcessMemory.allocationsPerCall {
      try loaded.run(inputs, into: &outputs, method: signature.name)
    }
    if !sweep.isEmpty {
      measurement.sweep = try ExtentSweep(loaded, method: signature.name, signature: signature, inputs: inputs, ranges: sweep)
    }
    if profile || trace != nil {
      let rounds = profile ? max(1, min(times.count, 50)) : 1
      let runs = try (0..<rounds).map { _ in try loaded.profile(inputs, method: signature.name).kernels }
      if profile { measurement.profile = KernelProfile(runs) }
      if let trace {
        do {
          try ChromeTrace.text(runs[runs.count - 1], name: path).write(toFile: trace, atomically: true, encoding: .utf8)
        } catch {
          throw CommandFailure("cannot write \(trace): \(error.localizedDescription)")
        }
      }
    }
    return measurement
  }
}
