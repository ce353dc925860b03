import Foundation
import Martlet
import MartletFuzzing
import MartletLock

/// Cancels a model at moments spread over its loading, planning and first run, and over later runs.
struct CancellationLatency {
  private let subject: Subject

  init(_ subject: Subject) { self.subject = subject }

  func measure(rounds: Int) throws {
    let url = URL(fileURLWithPath: subject.path)
    try cancel(in: "load and first run", rounds, over: subject.loadDuration) { try Model(contentsOf: url) }
    let model = try Model(contentsOf: url)
    _ = try model.run(subject.inputs)
    try cancel(in: "run", rounds, over: subject.runDuration) { model }
  }

  private func cancel(in phase: String, _ rounds: Int, over duration: UInt64, _ model: () throws -> Model) throws {
    var latencies: [Double] = []
    var worst = (latency: 0.0, delay: 0.0)
    for round in 0..<rounds {
      let delay = Double(duration) * 1e-9 * Double(round) / Double(rounds)
      guard let latency = try Self.latency(of: try model(), subject.inputs, after: delay) else { continue }
      latencies.append(latency)
      if latency > worst.latency { worst = (latency, delay) }
    }
    let name = subject.path.split(separator: "/").suffix(2).joined(separator: "/")
    guard !latencies.isEmpty else { return printLine("\(name), \(phase): every run ended before it was cancelled") }
    latencies.sort()
    func milliseconds(_ seconds: Double) -> String { String(format: "%.1f ms", seconds * 1e3) }
    printLine(
      "\(name), \(phase) of \(milliseconds(Double(duration) * 1e-9)): \(latencies.count) of \(rounds) cancelled, median "
        + "\(milliseconds(latencies[latencies.count / 2])), at most \(milliseconds(worst.latency)) after \(milliseconds(worst.delay))")
  }

  /// Time from the cancellation to the end of the run in seconds; nil if the run was not cancelled.
  private static func latency(of model: Model, _ inputs: [ModelValue], after delay: Double) throws -> Double? {
    let end = DispatchSemaphore(value: 0)
    let wasCancelled = Guarded<Result<Bool, any Error>>(.success(false))
    let task = Task {
      do {
        _ = try await model.run(inputs)
      } catch is CancellationError {
        wasCancelled.withLock { $0 = .success(true) }
      } catch {
        wasCancelled.withLock { $0 = .failure(error) }
      }
      end.signal()
    }
    Thread.sleep(forTimeInterval: delay)
    let start = DispatchTime.now().uptimeNanoseconds
    task.cancel()
    end.wait()
    let latency = Double(DispatchTime.now().uptimeNanoseconds - start) * 1e-9
    return try wasCancelled.withLock { try $0.get() } ? latency : nil
  }
}
