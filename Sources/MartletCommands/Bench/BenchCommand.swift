import ArgumentParser
import FoundationEssentials
import MartletSystem
import MartletBytes
import Martlet

struct BenchCommand: CommandWithJSON {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures load time, prediction time and memory of models.",
    discussion: """
      Loading, the first prediction (which plans and packs weights) and later predictions are timed separately. Inputs \
      not given by --input are random; dynamic extents take their upper bounds. Times are meaningful only for a release \
      build on an otherwise idle machine.

        martlet bench model.pte --threads 1
        martlet bench model.pte --profile --trace trace.json
        martlet bench encoder.pte --sweep input0.1=1-500
        martlet bench digits.mlmodel --training digits.npz --iterations 1000
        martlet bench language.pte --prefill 512 --decode 128
        martlet bench --peak --threads 1

      Open a trace in chrome://tracing or ui.perfetto.dev.
      """)

  @Argument(help: ArgumentHelp("Model files (.pte or .bpte).", valueName: "model"))
  var paths: [String] = []

  @OptionGroup var model: ModelArguments
  @OptionGroup var input: InputOptions

  @Option(help: ArgumentHelp("Time all rows of a table as one call; see martlet run --help.", valueName: "file"))
  var table: String?

  @Option(
    help: ArgumentHelp("Time steps of training an updatable model with these samples; see martlet train --help.", valueName: "samples"))
  var training: String?

  @Option(help: ArgumentHelp("Number of untimed predictions after the first one.", valueName: "count"))
  var warmup = 3

  @Option(help: ArgumentHelp("Number of predictions to time; default: as many as --seconds allows.", valueName: "count"))
  var iterations: Int?

  @Option(help: "Duration of the timed predictions in seconds.")
  var seconds = 2.0

  @Flag(help: "Show the time of every kernel and of every kind of kernel.")
  var profile = false

  @Option(help: ArgumentHelp("Store a trace of one prediction in Chrome's trace format.", valueName: "file"))
  var trace: String?

  @Option(
    help: ArgumentHelp(
      "Also run every extent of a dynamic axis, to measure planning cost and memory growth; several axes vary together.",
      valueName: "input.axis=first-last"))
  var sweep: [ExtentRange] = []

  @Option(help: ArgumentHelp("Length of a language model's prompt in tokens, for --decode.", valueName: "count"))
  var prefill: Int?

  @Option(
    help: ArgumentHelp(
      "Time a prompt of a language model and this number of tokens after it: tokens per second, time to the first one, share of the "
        + "memory's bandwidth, plans and allocations.", valueName: "count"))
  var decode: Int?

  @Flag(help: "Measure the processor's peak rates instead of models: arithmetic by type, and memory reads.")
  var peak = false

  @Flag(help: "Print JSON.")
  var json = false

  @Option(help: .hidden)
  var worker: String?

  func validate() throws {
    if peak, worker != nil || !paths.isEmpty { throw ValidationError("--peak does not take models.") }
    if worker == nil, !peak, paths.isEmpty { throw ValidationError("Name at least one model.") }
    if worker != nil, !paths.isEmpty { throw ValidationError("--worker does not take other models.") }
    if warmup < 0 { throw ValidationError("--warmup must not be negative.") }
    if let iterations, iterations < 1 { throw ValidationError("--iterations must be at least 1, not \(iterations).") }
    guard seconds > 0, seconds.isFinite else { throw ValidationError("--seconds must be greater than 0.") }
    if table != nil, !input.inputs.isEmpty || profile || trace != nil || !sweep.isEmpty {
      throw ValidationError("--table excludes --input, --profile, --trace and --sweep.")
    }
    if training != nil, table != nil || !input.inputs.isEmpty || trace != nil || !sweep.isEmpty {
      throw ValidationError("--training excludes --table, --input, --trace and --sweep.")
    }
    if prefill != nil || decode != nil {
      guard prefill ?? 1 > 0, decode ?? 1 > 0 else { throw ValidationError("--prefill and --decode must be at least 1.") }
      if training != nil || table != nil || !input.inputs.isEmpty || trace != nil || profile || !sweep.isEmpty {
        throw ValidationError("--prefill and --decode exclude --table, --training, --input, --profile, --trace and --sweep.")
      }
    }
    if trace != nil, paths.count > 1 { throw ValidationError("--trace needs a single model.") }
  }

  func run() throws {
    if peak {
      let report = PeakReport(threads: model.threads ?? ModelOptions.defaultThreads)
      print(json ? report.json.text : report.text)
      return
    }
    if let worker {
      try BenchWorker(path: worker, arguments: model, inputPaths: input.inputs, samplePath: training, tablePath: table).run()
      return
    }
    if prefill != nil || decode != nil {
      let measured = try paths.map { path in
        let measurement = try GenerationMeasurement(path: path, arguments: model, prefill: prefill ?? 16, decode: decode ?? 128)
        if !json { print(measurement.text) }
        return measurement
      }
      if json { print(JSONValue.array(measured.map(\.json)).text) }
      return
    }
    var measurements: [Measurement] = []
    for path in paths {
      let measurement = if let training { try measure(path, trainedWith: training) } else { try measure(path) }
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
    let columns = try table.map { try TableInput(path: $0, signature: signature).columns() }
    let inputs = columns == nil ? try input.values(for: signature, fallsBackToRandom: true) : []

    func predict() throws -> Double {
      let start = clock.now
      if let columns {
        _ = try loaded.run(table: columns, method: signature.name)
      } else {
        _ = try loaded.run(inputs, method: signature.name)
      }
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
      // In range: both are not negative.
      if hasPeak, let peak = ProcessMemory.peakResidentByteCount, let residentBefore { max(0, peak - residentBefore) } else { nil }

    var measurement = Measurement(
      path: path, method: signature.name, threads: loaded.threads, loadSeconds: load, firstSeconds: first, times: times.sorted(),
      memoryGrowthByteCount: growth)
    // Counted separately because the progress line allocates too.
    measurement.allocationsPerPrediction = try ProcessMemory.allocationsPerCall { _ = try predict() }
    if table != nil { return measurement }
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
          throw CommandFailure("cannot write \(trace): \(error.fileReason)")
        }
      }
    }
    return measurement
  }
}
