import Foundation
import MartletFuzzing
import Synchronization

/// Threads that repeat a step until their time is over, and the resident memory of the process meanwhile.
struct SoakThreads {
  let seconds: Int
  let count: Int

  /// - Parameters:
  ///   - counts: describes what has happened so far, for a line a minute.
  ///   - last: called when all threads have ended, to release what they shared.
  ///   - step: with random numbers of the thread.
  /// - Returns: false if the process grew after its first third by more than a tenth.
  func run(counts: () -> String, last: () -> Void, step: @escaping @Sendable (_ random: inout FuzzRandom) -> Void) -> Bool {
    let isOver = Switch()
    let finished = DispatchGroup()
    for number in 0..<count {
      finished.enter()
      let thread = Thread {
        var random = FuzzRandom(seed: UInt64(number))
        while !isOver.isOn { step(&random) }
        finished.leave()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    // Resident size in each third, sampled each second.
    var thirds = [[UInt64]](repeating: [], count: 3)
    for second in 0..<seconds {
      Thread.sleep(forTimeInterval: 1)
      thirds[second * 3 / seconds].append(ProcessUsage.residentByteCount)
      if (second + 1) % 60 == 0 || second + 1 == seconds {
        printLine("after \(second + 1) s: \(counts()), resident \(ProcessUsage.residentByteCount >> 20) MiB")
      }
    }
    isOver.isOn = true
    finished.wait()
    last()
    for (third, sizes) in thirds.enumerated() where !sizes.isEmpty {
      let sorted = sizes.sorted()
      printLine(
        "third \(third + 1): resident \(sorted[0] >> 20) MiB at least, \(sorted[sorted.count / 2] >> 20) median, \(sorted[sorted.count - 1] >> 20) at most"
      )
    }
    printLine("all models unloaded: resident \(ProcessUsage.residentByteCount >> 20) MiB")
    let medians = thirds.map { $0.sorted()[$0.count / 2] }
    let hasGrown = medians[2] > medians[0] + medians[0] / 10
    if hasGrown { printLine("the process has grown") }
    return !hasGrown
  }

  private final class Switch: Sendable {
    private let value = Atomic<Bool>(false)

    var isOn: Bool {
      get { value.load(ordering: .relaxed) }
      set { value.store(newValue, ordering: .relaxed) }
    }
  }
}
