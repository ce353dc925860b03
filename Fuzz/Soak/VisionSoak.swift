import MartletFuzzing
import MartletLock
import Synchronization
import Vision

/// Threads that perform requests of both interfaces on pictures of many sizes and forms, with shared models and shared handlers, cancel
/// some, and compare all findings with those of one thread.
final class VisionSoak: Sendable {
  private let pictures: [VisionPicture]
  private let subjects: [VisionSubject]
  /// A handler for each picture, which decodes it once for all requests of all threads.
  private let handlers: Guarded<[ImageRequestHandler]>
  private let wrongCount = Atomic<Int>(0)
  private let classicCount = Atomic<Int>(0)
  private let count = Atomic<Int>(0)
  private let cancelledCount = Atomic<Int>(0)

  init(paths: some Sequence<String>) throws {
    var random = FuzzRandom(seed: 1)
    let pictures = (0..<24).compactMap { _ in VisionPicture(&random) }
    self.pictures = pictures
    subjects = try paths.map { try VisionSubject(path: $0, pictures) }
    handlers = Guarded(pictures.map(\.handler))
  }

  /// - Returns: false if a finding was wrong, an unexpected error occurred, or the process grew.
  func run(seconds: Int, threadCount: Int) -> Bool {
    printLine("\(subjects.count) models, \(pictures.count) pictures, \(threadCount) threads, \(seconds) s")
    let isConstant = SoakThreads(seconds: seconds, count: threadCount).run(
      counts: {
        "\(classicCount.load(ordering: .relaxed)) classic requests, \(count.load(ordering: .relaxed)) others, "
          + "\(cancelledCount.load(ordering: .relaxed)) cancelled, \(wrongCount.load(ordering: .relaxed)) wrong"
      },
      last: { for subject in subjects { subject.unload() } },
      step: { self.step(&$0) })
    return isConstant && wrongCount.load(ordering: .relaxed) == 0 && count.load(ordering: .relaxed) > 0
  }

  private func step(_ random: inout FuzzRandom) {
    let subject = random.pick(subjects)
    let picture = random.below(pictures.count)
    let scaling = random.below(VisionSubject.scalings.count)
    do {
      let findings: [VisionSubject.Finding]?
      switch random.below(32) {
      case 0:
        subject.unload()
        return
      case 1:
        handlers.withLock { $0[picture] = pictures[picture].handler }
        return
      case 2, 3: findings = try classic(subject, picture, scaling, cancelledAfter: random.below(2_000))
      case 4, 5: findings = try perform(subject, picture, scaling, cancelledAfter: random.below(2_000))
      case 6..<19: findings = try classic(subject, picture, scaling)
      default: findings = try perform(subject, picture, scaling)
      }
      guard let findings else {
        cancelledCount.add(1, ordering: .relaxed)
        return
      }
      if !subject.isExpected(findings, picture: picture, scaling: scaling) { fail(subject, "other findings in picture \(picture)") }
    } catch {
      fail(subject, "\(error)")
    }
  }

  private func fail(_ subject: VisionSubject, _ reason: String) {
    wrongCount.add(1, ordering: .relaxed)
    printLine("\(subject.path): \(reason)")
  }

  /// A request of the classic interface.
  /// - Parameter delay: microseconds after which another thread cancels the request; nil for never.
  /// - Returns: nil if it was cancelled.
  private func classic(
    _ subject: VisionSubject, _ picture: Int, _ scaling: Int, cancelledAfter delay: Int? = nil
  ) throws -> [VisionSubject.Finding]? {
    // `cancel` is what other threads may call.
    nonisolated(unsafe) let request = VisionSubject.request(try subject.model(), scaling)
    if let delay {
      DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(delay)) { unsafe request.cancel() }
    }
    do {
      let findings = try VisionSubject.findings(unsafe request, pictures[picture])
      classicCount.add(1, ordering: .relaxed)
      return findings
    } catch let error as NSError where delay != nil && error.domain == VNErrorDomain && error.code == VNErrorCode.requestCancelled.rawValue
    {
      return nil
    }
  }

  /// A request of the interface with values, with the shared handler.
  /// - Parameter delay: microseconds after which its task is cancelled; nil for never.
  /// - Returns: nil if it was cancelled.
  private func perform(
    _ subject: VisionSubject, _ picture: Int, _ scaling: Int, cancelledAfter delay: Int? = nil
  ) throws -> [VisionSubject.Finding]? {
    var request = CoreMLRequest(model: try subject.model().container)
    request.cropAndScaleAction = VisionSubject.scalings[scaling].1
    let handler = handlers.withLock { $0[picture] }
    let end = DispatchSemaphore(value: 0)
    let result = Guarded<Result<[any VisionObservation], any Error>?>(nil)
    let task = Task { [request] in
      let outcome: Result<[any VisionObservation], any Error>
      do { outcome = .success(try await handler.perform(request)) } catch { outcome = .failure(error) }
      result.withLock { $0 = outcome }
      end.signal()
    }
    if let delay {
      Thread.sleep(forTimeInterval: Double(delay) * 1e-6)
      task.cancel()
    }
    end.wait()
    do {
      let findings = try result.withLock { try $0?.get() }?.map { VisionSubject.Finding($0) } ?? []
      count.add(1, ordering: .relaxed)
      return findings
    } catch VisionError.requestCancelled where delay != nil {
      return nil
    }
  }
}
