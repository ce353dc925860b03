import Foundation
import OSLog
import Testing

@Suite struct LoggerTests {
  let logger = Logger(subsystem: "com.example.app", category: "tests")

  @Test func `messages carry subsystem, category and level`() {
    let log = OSLog(subsystem: "com.example.app", category: .pointsOfInterest)
    let written = records {
      logger.trace("1")
      logger.debug("2")
      logger.info("3")
      logger.notice("4")
      logger.log("5")
      logger.warning("6")
      logger.error("7")
      logger.critical("8")
      logger.fault("9")
      logger.log(level: .error, "10")
      Logger(log).log("11")
      Logger().log("12")
      os_log(.info, log: log, "13")
      os_log("14", log: log, type: .fault)
      os_log("\(15)")
      os_log(.debug, "\(16)")
    }
    #expect(written.map(\.composedMessage) == (1...16).map { "\($0)" })
    #expect(
      written.map(\.level) == [
        .debug, .debug, .info, .default, .default, .error, .error, .fault, .fault, .error, .default, .default, .info, .fault, .default,
        .debug,
      ])
    #expect(written[0].subsystem == "com.example.app" && written[0].category == "tests")
    #expect(written[10].category == "PointsOfInterest" && written[11].subsystem.isEmpty)
    #expect(
      written.prefix(9).map(\.levelName) == ["debug", "debug", "info", "notice", "notice", "error", "error", "critical", "critical"])
  }

  @Test func `a disabled log writes nothing and evaluates nothing`() {
    var isEvaluated = false
    func value() -> Int {
      isEvaluated = true
      return 1
    }
    withoutActuallyEscaping(value) { value in
      #expect(records { Logger(.disabled).fault("\(value())") }.isEmpty)
    }
    #expect(!isEvaluated && !OSLog.disabled.isEnabled(type: .fault) && OSLog.default.isEnabled(type: .fault))
  }

  @Test func `interpolated values have formats, alignment and privacy`() {
    let name = "pear", optional: NSNumber? = nil
    let written = messages {
      logger.log("\(name) \(name, privacy: .public) \(name, privacy: .private) \(name, privacy: .sensitive)!")
      logger.log("\(name, align: .left(columns: 6))|\(name, align: .right(columns: 6))|\(7, align: .right(columns: 3))|")
      logger.log("\(255, format: .hex) \(255, format: .hex(includePrefix: true, uppercase: true)) \(8, format: .octal)")
      logger.log("\(5, format: .decimal(explicitPositiveSign: true, minDigits: 3)) \(UInt8.max) \(Int64.min)")
      logger.log("\(1.5) \(Float(0.25), format: .fixed(precision: 1)) \(12345.678, format: .exponential(precision: 2))")
      logger.log("\(2.0 as CGFloat, format: .hybrid) \(true) \(false, format: .answer) \(Int.self)")
      logger.log("\([1, 2]) \(NSNumber(value: 3)) \(optional) \(CocoaError(.fileNoSuchFile) as any Error, privacy: .private)")
      logger.log("\(Int32(2), format: .darwinErrno) \(1536, format: .byteCountIEC) \(Int32(1), format: .answer)")
    }
    #expect(
      written == [
        "pear pear <private> <private>!", "pear  |  pear|  7|", "ff 0XFF 10", "+005 255 -9223372036854775808", "1.500000 0.2 1.23e+04",
        "2 true no Int", "[1, 2] 3 (null) <private>", "[2: No such file or directory] 1.50 KiB yes",
      ])
  }

  @Test func `equal values have equal masks`() {
    let written = messages {
      for name in ["pear", "pear", "plum"] { logger.log("\(name, privacy: .private(mask: .hash))") }
    }
    #expect(written[0] == written[1] && written[0] != written[2] && !written[0].contains("pear"))
  }

  @Test func `other formats of numbers and objects`() {
    let none: (any Error)? = nil
    var number = 1
    withUnsafePointer(to: &number) { pointer in
      nonisolated(unsafe) let pointer = pointer
      let address = "0x" + String(UInt(bitPattern: pointer), radix: 16)
      let written = messages {
        logger.log("\(pointer) \(UnsafeRawPointer(pointer), privacy: .private)")
        logger.log("\(none) \(CocoaError(.fileNoSuchFile) as (any Error)?, privacy: .sensitive(mask: .hash))")
        logger.log("\(8, format: .octal(explicitPositiveSign: true, includePrefix: true)) \(5, format: .hex(minDigits: 4))")
        logger.log("\(1.0, format: .hex) \(2.5, format: .fixed(explicitPositiveSign: true)) \(0.5, format: .hybrid(precision: 3))")
        logger.log("\(1.5, align: .right(columns: 10))|\("pear", align: .none)|\(7, privacy: .auto(mask: .none))")
      }
      #expect(written[0] == address + " <private>")
      #expect(written[1].hasPrefix("(null) <mask.hash: '"))
      #expect(written.dropFirst(2) == ["+010 0005", "0x1p+0 +2.500000 0.5", "  1.500000|pear|7"])
    }
  }

  @Test func `types and categories have Apple's numbers and names`() {
    #expect([OSLogType.default, .info, .debug, .error, .fault].map(\.rawValue) == [0, 1, 2, 16, 17])
    #expect(OSLogType(2) == .debug && OSLogType(rawValue: 16) == .error)
    #expect(
      [OSLog.Category.pointsOfInterest, .dynamicTracing, .dynamicStackTracing].map(\.rawValue) == [
        "PointsOfInterest", "DynamicTracing", "DynamicStackTracing",
      ])
  }
}
