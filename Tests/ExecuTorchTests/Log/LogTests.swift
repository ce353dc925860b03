import ExecuTorch
import Foundation
import MartletLog
import Testing

/// What a client keeps of messages.
private final class Recorder: LogSink {
  struct Entry: Equatable {
    var level: LogLevel
    var timestamp: TimeInterval
    var filename: String
    var line: UInt
    var message: String
  }

  private let lock = NSLock()
  private var stored: [Entry] = []
  var entries: [Entry] { lock.withLock { stored } }

  func log(level: LogLevel, timestamp: TimeInterval, filename: String, line: UInt, message: String) {
    lock.withLock {
      stored.append(Entry(level: level, timestamp: timestamp, filename: filename, line: line, message: message))
    }
  }

  func messages(with mark: String) -> [String] { entries.map(\.message).filter { $0.contains(mark) } }

  /// Waits for a message that contains `text`, at most a minute: a thread that delivers other messages may have yet to deliver it.
  func hears(_ text: String) -> Bool { isReached { !self.messages(with: text).isEmpty } }
}

/// Waits for a condition, at most a minute.
private func isReached(_ condition: () -> Bool) -> Bool {
  let end = Date(timeIntervalSinceNow: 60)
  while !condition() {
    if Date() > end { return false }
    Thread.sleep(forTimeInterval: 0.001)
  }
  return true
}

@Suite(.serialized, .enabled(if: MartletLog.Log.isEnabled, "builds without log messages"))
struct LogTests {
  private let mark = UUID().uuidString

  @Test func `levels have the codes of their letters`() {
    let letters: [(LogLevel, Character)] = [(.debug, "D"), (.info, "I"), (.error, "E"), (.fatal, "F"), (.unknown, "?")]
    for (level, letter) in letters {
      #expect(level.rawValue == Int(letter.asciiValue!))
      #expect(LogLevel(rawValue: level.rawValue) == level)
    }
  }

  @Test func `a sink hears each message once, in order, with its place`() {
    let recorder = Recorder()
    ExecuTorch.Log.shared.add(sink: recorder)
    ExecuTorch.Log.shared.add(sink: recorder)
    MartletLog.Log.debug("one \(mark)", file: "Module/One.swift", line: 11)
    MartletLog.Log.info("two \(mark)", file: "Two.swift", line: 22)
    MartletLog.Log.error("three \(mark)", file: "Three.swift", line: 33)
    #expect(recorder.hears("three \(mark)"))
    ExecuTorch.Log.shared.remove(sink: recorder)
    MartletLog.Log.info("four \(mark)")
    let heard = recorder.entries.filter { $0.message.contains(mark) }
    #expect(heard.map(\.message) == ["one", "two", "three"].map { "\($0) \(mark)" })
    #expect(heard.map(\.level) == [.debug, .info, .error])
    #expect(heard.map(\.filename) == ["One.swift", "Two.swift", "Three.swift"])
    #expect(heard.map(\.line) == [11, 22, 33])
    #expect(heard.map(\.timestamp) == heard.map(\.timestamp).sorted() && heard.allSatisfy { $0.timestamp >= 0 })
  }

  @Test func `a new sink first hears the last hundred messages`() {
    _ = ExecuTorch.Log.shared
    for index in 0..<150 { MartletLog.Log.info("\(index) \(mark)") }
    let recorder = Recorder()
    ExecuTorch.Log.shared.add(sink: recorder)
    MartletLog.Log.info("last \(mark)")
    #expect(recorder.hears("last \(mark)"))
    ExecuTorch.Log.shared.remove(sink: recorder)
    // Other tests may log meanwhile.
    let heard = recorder.messages(with: mark)
    #expect(heard.count <= 101 && heard.count > 50)
    #expect(heard == ((150 - heard.count + 1)..<150).map { "\($0) \(mark)" } + ["last \(mark)"])
    #expect(recorder.entries.count >= 101)
  }

  @Test func `sinks are held weakly`() {
    weak var gone: Recorder?
    do {
      let recorder = Recorder()
      gone = recorder
      ExecuTorch.Log.shared.add(sink: recorder)
      MartletLog.Log.info(mark)
      #expect(recorder.hears(mark) && recorder.messages(with: mark) == [mark])
    }
    #expect(isReached { gone == nil })
    MartletLog.Log.info(mark)
  }

  @Test func `a sink may use the log and a module while it hears a message`() {
    final class Busy: LogSink {
      private let count = NSLock()
      private var stored = 0
      var heard: Int { count.withLock { stored } }
      func log(level: LogLevel, timestamp: TimeInterval, filename: String, line: UInt, message: String) {
        count.withLock { stored += 1 }
        guard heard == 1 else { return }
        _ = try? Module(filePath: "nowhere.pte").load()
        ExecuTorch.Log.shared.remove(sink: self)
      }
    }
    let busy = Busy()
    ExecuTorch.Log.shared.add(sink: busy)
    MartletLog.Log.info(mark)
    #expect(isReached { busy.heard > 0 })
  }

  @Test func `a sink may wait for a thread that logs and adds a sink`() {
    final class Waiting: LogSink, @unchecked Sendable {
      let mark: String
      private let result = NSLock()
      private var stored: Bool?
      /// Whether the other thread came to its end; nil before that is known.
      var hasWaited: Bool? { result.withLock { stored } }
      init(mark: String) { self.mark = mark }
      func log(level: LogLevel, timestamp: TimeInterval, filename: String, line: UInt, message: String) {
        guard message == mark else { return }
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          let other = Recorder()
          ExecuTorch.Log.shared.add(sink: other)
          MartletLog.Log.info("from another thread")
          ExecuTorch.Log.shared.remove(sink: other)
          end.signal()
        }
        let isOver = end.wait(timeout: .now() + 60) == .success
        result.withLock { stored = isOver }
      }
    }
    let waiting = Waiting(mark: mark)
    ExecuTorch.Log.shared.add(sink: waiting)
    MartletLog.Log.info(mark)
    #expect(isReached { waiting.hasWaited != nil } && waiting.hasWaited == true)
    ExecuTorch.Log.shared.remove(sink: waiting)
  }

  @Test func `a sink hears messages of several threads one at a time, each once`() async {
    final class Exclusive: LogSink, @unchecked Sendable {
      let mark: String
      var heard: [String: Int] = [:]
      init(mark: String) { self.mark = mark }
      func log(level: LogLevel, timestamp: TimeInterval, filename: String, line: UInt, message: String) {
        // Not synchronised: two calls at a time would be a race, and lose counts.
        if message.contains(mark) { heard[message, default: 0] += 1 }
      }
    }
    let sink = Exclusive(mark: mark)
    ExecuTorch.Log.shared.add(sink: sink)
    let mark = mark
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask { for index in 0..<200 { MartletLog.Log.info("\(task) \(index) \(mark)") } }
      }
    }
    // The last messages may be on their way on a thread that is delivering.
    for _ in 0..<3000 where sink.heard.count < 800 { try? await Task.sleep(for: .milliseconds(20)) }
    ExecuTorch.Log.shared.remove(sink: sink)
    #expect(sink.heard.count == 800 && sink.heard.values.allSatisfy { $0 == 1 })
  }

  @Test func `a sink may remove itself at its end, wherever that comes`() {
    final class SelfRemoving: LogSink {
      deinit { ExecuTorch.Log.shared.remove(sink: self) }
      func log(level: LogLevel, timestamp: TimeInterval, filename: String, line: UInt, message: String) {}
    }
    for _ in 0..<50 {
      var sink: SelfRemoving? = SelfRemoving()
      ExecuTorch.Log.shared.add(sink: sink!)
      let end = DispatchSemaphore(value: 0)
      let mark = mark
      Thread.detachNewThread {
        for _ in 0..<20 { MartletLog.Log.info(mark) }
        end.signal()
      }
      MartletLog.Log.info(mark)
      sink = nil
      #expect(end.wait(timeout: .now() + 5) == .success)
    }
  }

  @Test func `loads, delegates, plans and errors are logged with their place`() throws {
    let path = try Fixture.copy(of: "delegated.pte")
    defer { try? FileManager.default.removeItem(atPath: path) }
    let name = URL(fileURLWithPath: path).lastPathComponent
    let recorder = Recorder()
    ExecuTorch.Log.shared.add(sink: recorder)
    defer { ExecuTorch.Log.shared.remove(sink: recorder) }
    let module = Module(filePath: path)
    _ = try module.forward(Tensor<Float>([1, 2, 3], shape: [1, 3]))
    _ = try? module.forward(Tensor<Float>([1]))
    _ = try? module.load("method \(mark)")
    #expect(recorder.hears(mark))
    let entries = recorder.entries
    let about = entries.filter { $0.message.contains(name) }
    #expect(about.contains { $0.level == .info && $0.message.contains("schema version") })
    #expect(about.contains { $0.level == .info && $0.message.contains("XnnpackBackend") })
    #expect(entries.contains { $0.level == .debug && $0.message.contains("planned") })
    #expect(entries.contains { $0.level == .error && $0.message.contains("method forward: input 0") })
    let unknown = try #require(entries.last { $0.message.contains(mark) })
    #expect(unknown.level == .error && unknown.filename == "Module.swift" && unknown.line > 0)
    #expect(entries.allSatisfy { $0.filename.hasSuffix(".swift") && $0.line > 0 })
  }
}
