import Foundation
import Testing
import os.signpost

@Suite struct SignpostTests {
  let log = OSLog(subsystem: "com.example.app", category: "work")

  @Test func `functions mark events and intervals`() {
    let id = OSSignpostID(log: log)
    let written = records {
      os_signpost(.begin, log: log, name: "Load", signpostID: id, "%d bytes", 5)
      os_signpost(.event, log: log, name: "Read")
      os_signpost(.end, log: log, name: "Load", signpostID: id)
      os_signpost(.event, log: .disabled, name: "Never")
    }
    #expect(written.map { $0.signpost?.type } == [.begin, .event, .end])
    #expect(written.map { $0.signpost?.name } == ["Load", "Read", "Load"])
    #expect(written.map { $0.signpost?.id } == [id, .exclusive, id])
    #expect(written.map(\.composedMessage) == ["5 bytes", "", ""])
  }

  @Test func `a signposter closes the intervals that it opened`() throws {
    let signposter = OSSignposter(subsystem: "com.example.app", category: .pointsOfInterest)
    let written = try records {
      let id = signposter.makeSignpostID()
      let state = signposter.beginInterval("Load", id: id, "\(3) files")
      let copy = try JSONDecoder().decode(OSSignpostIntervalState.self, from: JSONEncoder().encode(state))
      signposter.emitEvent("Half", id: id)
      signposter.endInterval("Load", copy, "done")
      #expect(signposter.withIntervalSignpost("Run") { 5 } == 5)
      #expect(signposter.isEnabled && !OSSignposter.disabled.isEnabled)
    }
    #expect(written.map { $0.signpost?.type } == [.begin, .event, .end, .begin, .end])
    #expect(written.map(\.composedMessage) == ["3 files", "", "done", "", ""])
    #expect(Set(written.prefix(3).map { $0.signpost?.id }).count == 1)
    #expect(written.allSatisfy { $0.category == "PointsOfInterest" })
  }

  @Test func `identifiers differ unless they are of one object`() {
    let first = NSObject(), second = NSObject()
    #expect(OSSignpostID(log: log) != OSSignpostID(log: log))
    #expect(OSSignpostID(log: log, object: first) == OSSignpostID(log: log, object: first))
    #expect(OSSignpostID(log: log, object: first) != OSSignpostID(log: log, object: second))
  }

  @Test func `signposters of logs and loggers write to these`() {
    let object = NSObject()
    let written = records {
      let ofLog = OSSignposter(logHandle: log), ofLogger = OSSignposter(logger: Logger(log))
      #expect(log.signpostsEnabled && !OSLog.disabled.signpostsEnabled)
      #expect(ofLog.makeSignpostID(from: object) == OSSignpostID(log: log, object: object))
      ofLog.endInterval("Draw", ofLog.beginAnimationInterval("Draw"))
      ofLogger.endInterval("Load", .beginState(id: OSSignpostID(7)))
      OSSignposter().emitEvent("Start", "\(1) of \(2)")
      #expect(ofLogger.withIntervalSignpost("Run", id: .exclusive, "\(3) files") { 5 } == 5)
      OSSignposter(subsystem: "com.example.app", category: "other").emitEvent("Read")
      OSSignposter.disabled.emitEvent("Never")
    }
    #expect(written.map { $0.signpost?.name } == ["Draw", "Draw", "Load", "Start", "Run", "Run", "Read"])
    #expect(written.map { $0.signpost?.type } == [.begin, .end, .end, .event, .begin, .end, .event])
    #expect(written[2].signpost?.id == OSSignpostID(rawValue: 7) && written[2].category == "work")
    #expect(written.map(\.composedMessage) == ["", "", "", "1 of 2", "3 files", "", ""])
    #expect(written[3].subsystem.isEmpty && written[6].category == "other")
  }

  @Test func `reserved identifiers and kinds have Apple's numbers`() {
    #expect(OSSignpostID.null.rawValue == 0 && OSSignpostID.invalid.rawValue == .max)
    #expect(OSSignpostID.exclusive.rawValue == 0xEEEE_B0B5_B2B2_EEEE && OSSignpostID.null < .exclusive)
    #expect([OSSignpostType.event, .begin, .end].map(\.rawValue) == [0, 1, 2])
  }
}
