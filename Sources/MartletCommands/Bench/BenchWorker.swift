import MartletBytes
import MartletSystem
import Martlet
import MartletMedia
import MartletTensor

/// The worker for Benchmarks/compare.py and tables.py; Benchmarks/README.md describes the protocol.
struct BenchWorker {
  let path: String
  let arguments: ModelArguments
  /// `.npy` files, in the order of the method's inputs.
  let inputPaths: [String]
  /// Samples, if steps of training are timed.
  let samplePath: String?
  /// A table whose rows are one run; without it the inputs are.
  let tablePath: String?

  func run() throws {
    if let samplePath { return try train(with: samplePath) }
    let inputs = try inputPaths.map { path throws(MediaError) in ModelValue.tensor(Tensor(try NumPyFile.read(path: path))) }
    let clock = ContinuousClock()
    var model: Model?
    var columns: [String: ModelColumn]?
    func predict(with model: Model) throws {
      if let columns {
        _ = try model.run(table: columns, method: arguments.method)
      } else {
        _ = try model.run(inputs, method: arguments.method)
      }
    }
    answer("started")
    while let line = readLine() {
      let words = line.split(separator: " ")
      do {
        switch words.first {
        case "load" where words.count == 1:
          let start = clock.now
          let loading = try arguments.load(path)
          try loading.load(method: arguments.method)
          let loaded = clock.now
          // The table's form depends on the model's inputs. Reading it is no part of the first run.
          columns = try tablePath.map { try TableInput(path: $0, signature: try loading.signature(of: arguments.method)).columns() }
          let begin = clock.now
          try predict(with: loading)
          model = loading
          answer("ready \(Formatting.fixed((loaded - start).seconds, 9)) \(Formatting.fixed((clock.now - begin).seconds, 9))")
        case "run" where words.count == 2:
          guard let count = Int(words[1], radix: 10), count > 0 else { throw CommandFailure("'\(words[1])' is not a count") }
          guard let model else { throw CommandFailure("the model is not loaded") }
          var times: [Double] = []
          times.reserveCapacity(count)
          for _ in 0..<count {
            let start = clock.now
            try predict(with: model)
            times.append((clock.now - start).seconds)
          }
          answer(times.map { Formatting.fixed($0, 9) }.joined(separator: " "))
        case "quit" where words.count == 1: return
        default: throw CommandFailure("'\(line)' is not a command")
        }
      } catch {
        answer("error \("\(error)".split(whereSeparator: \.isNewline).joined(separator: " "))")
      }
    }
  }

  /// As `run`, with steps of one training instead of predictions.
  private func train(with samples: String) throws {
    answer("started")
    guard readLine() == "load" else { return }
    var start = ContinuousClock.now
    var (isReady, times, count): (Bool, [Double], Int) = (false, [], 0)
    do {
      let steps = try TrainingSteps(path: path, samples: samples, arguments)
      let loaded = (ContinuousClock.now - start).seconds
      start = ContinuousClock.now
      try steps.run { seconds in
        if !isReady {
          isReady = true
          answer("ready \(Formatting.fixed(loaded, 9)) \(Formatting.fixed((ContinuousClock.now - start).seconds, 9))")
        } else {
          times.append(seconds)
          if times.count < count { return true }
          answer(times.map { Formatting.fixed($0, 9) }.joined(separator: " "))
        }
        let words = readLine()?.split(separator: " ") ?? []
        guard words.count == 2, words[0] == "run", let next = Int(words[1], radix: 10), next > 0 else { return false }
        count = next
        times.removeAll(keepingCapacity: true)
        times.reserveCapacity(count)
        return true
      }
    } catch {
      answer("error \("\(error)".split(whereSeparator: \.isNewline).joined(separator: " "))")
    }
  }

  private func answer(_ line: String) { OutputDescriptor.write("\(line)\n", to: STDOUT_FILENO) }
}
