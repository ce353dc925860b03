import Foundation
import Martlet
import Testing

/// Asynchronous calls of models whose operator, which the test registers, waits.
@Suite("Asynchronous calls", .serialized)
struct AsyncCallTests {
  private static let file = Bundle.module.url(forResource: "custom_operators", withExtension: "pte", subdirectory: "Fixtures")!

  /// A model whose calls wait at a gate.
  private func model(_ gate: Gate) throws -> Model {
    var options = ModelOptions()
    options.customOperators = [
      CustomOperator("martlet_test::scale_shift.out") { arguments in
        [try arguments.tensor(0)]
      } kernel: { call in
        gate.pass()
        let x = try unsafe call.input(0).elements(as: Float.self)
        let y = try unsafe call.output(0).elements(as: Float.self)
        for index in 0..<x.count { unsafe y[index] = x[index] }
      }
    ]
    return try Model(contentsOf: Self.file, options: options)
  }

  private func inputs() throws -> [ModelValue] { [.tensor(try Tensor([Float](repeating: 1, count: 3), shape: [1, 3]))] }

  @Test("Calls that wait leave Swift's threads to other tasks")
  func cooperativeThreads() async throws {
    let gate = Gate()
    let model = try model(gate)
    let inputs = try inputs()
    let count = ProcessInfo.processInfo.activeProcessorCount + 1
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<count {
        group.addTask {
          _ = try await model.run(inputs)
          return true
        }
      }
      group.addTask {
        // Begins while all calls wait.
        while gate.waiting < count, !gate.isLate { try await Task.sleep(for: .milliseconds(1)) }
        gate.open()
        return !gate.isLate
      }
      for try await isInTime in group { #expect(isInTime) }
    }
  }

  @Test("Cancelling the task stops a call that waits for a thread or runs")
  func cancellation() async throws {
    let gate = Gate()
    let model = try model(gate)
    let inputs = try inputs()
    // More than there are threads for.
    let count = 100 + 4 * ProcessInfo.processInfo.activeProcessorCount
    let tasks = (0..<count).map { _ in Task { try await model.run(inputs) } }
    while gate.waiting == 0 { try await Task.sleep(for: .milliseconds(1)) }
    for task in tasks { task.cancel() }
    gate.open()
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(gate.waiting < tasks.count)
  }
}

/// Where threads wait until it is opened, two minutes at most.
private final class Gate: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOpen = false
  private var count = 0
  /// Generous for a busy machine: reached only if the test fails.
  private let end = Date(timeIntervalSinceNow: 900)

  /// Threads that have come so far.
  var waiting: Int {
    condition.lock()
    defer { condition.unlock() }
    return count
  }

  var isLate: Bool { Date() > end }

  func pass() {
    condition.lock()
    defer { condition.unlock() }
    count += 1
    while !isOpen, condition.wait(until: end) {}
  }

  func open() {
    condition.lock()
    isOpen = true
    condition.broadcast()
    condition.unlock()
  }
}
