import Foundation
import Martlet
import MartletFuzzing
import MartletLock
import Synchronization

/// Threads that load, run, cancel and unload shared models at random and compare all outputs.
final class Soak: Sendable {
  private let subjects: [Subject]
  private let models: Guarded<[Model?]>
  private let wrongCount = Atomic<Int>(0)
  private let runCount = Atomic<Int>(0)
  private let cancelledCount = Atomic<Int>(0)
  private let loadCount = Atomic<Int>(0)

  init(_ subjects: [Subject]) {
    self.subjects = subjects
    models = Guarded([Model?](repeating: nil, count: subjects.count))
  }

  /// - Returns: false if an output was wrong, an unexpected error occurred, or the process grew after its first third by more than a tenth.
  func run(seconds: Int, threadCount: Int) -> Bool {
    let compared = subjects.count { $0.expected != nil }
    printLine("\(subjects.count) models, \(compared) with outputs to compare, \(threadCount) threads, \(seconds) s")
    let isConstant = SoakThreads(seconds: seconds, count: threadCount).run(
      counts: { counts }, last: { models.withLock { for index in $0.indices { $0[index] = nil } } }, step: { self.step(&$0) })
    return wrongCount.load(ordering: .relaxed) == 0 && isConstant
  }

  private var counts: String {
    "\(loadCount.load(ordering: .relaxed)) loads, \(runCount.load(ordering: .relaxed)) runs, "
      + "\(cancelledCount.load(ordering: .relaxed)) cancelled, \(wrongCount.load(ordering: .relaxed)) wrong"
  }

  private func fail(_ subject: Subject, _ reason: String) {
    wrongCount.add(1, ordering: .relaxed)
    printLine("\(subject.path): \(reason)")
  }

  /// The model of a slot, shared by the threads; loaded if it is not there.
  private func model(_ index: Int) throws -> Model {
    if let model = models.withLock({ $0[index] }) { return model }
    loadCount.add(1, ordering: .relaxed)
    var options = ModelOptions()
    options.threads = index % 2 + 1
    let model = try Model(contentsOf: URL(fileURLWithPath: subjects[index].path), options: options)
    models.withLock { $0[index] = model }
    return model
  }

  private func step(_ random: inout FuzzRandom) {
    let index = Int(random.next() % UInt64(subjects.count))
    let subject = subjects[index]
    do {
      switch random.next() % 8 {
      case 0: models.withLock { $0[index] = nil }
      case 1:
        let model = try model(index)
        _ = model.unload(method: model.defaultMethod)
      case 2: try cancelled(&random, subject, try Model(contentsOf: URL(fileURLWithPath: subject.path)))
      case 3: try cancelled(&random, subject, try model(index))
      default:
        let outputs = try model(index).run(subject.inputs)
        runCount.add(1, ordering: .relaxed)
        if !subject.isExpected(outputs) { fail(subject, "wrong outputs") }
      }
    } catch {
      fail(subject, "\(error)")
    }
  }

  /// Runs a model in a task that is cancelled at a random moment.
  private func cancelled(_ random: inout FuzzRandom, _ subject: Subject, _ model: Model) throws {
    let end = DispatchSemaphore(value: 0)
    let result = Guarded<Result<[ModelValue], any Error>?>(nil)
    let task = Task {
      let outcome: Result<[ModelValue], any Error>
      do { outcome = .success(try await model.run(subject.inputs)) } catch { outcome = .failure(error) }
      result.withLock { $0 = outcome }
      end.signal()
    }
    Thread.sleep(forTimeInterval: Double(random.next() % (2 * subject.loadDuration)) * 1e-9)
    task.cancel()
    end.wait()
    switch result.withLock({ $0 }) {
    case .success(let outputs)?:
      runCount.add(1, ordering: .relaxed)
      if !subject.isExpected(outputs) { fail(subject, "wrong outputs") }
    case .failure(is CancellationError)?: cancelledCount.add(1, ordering: .relaxed)
    case .failure(let error)?: throw error
    case nil: fail(subject, "no result")
    }
  }
}
