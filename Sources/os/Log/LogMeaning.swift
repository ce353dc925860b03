private import Foundation

/// Interpretation of a number in a log.
enum LogMeaning {
  case truth, answer, objectiveCTruth
  case errorNumber, fileMode, signal, internetAddress, secondsSince1970
  case byteCount, byteCountIEC, bitrate, bitrateIEC

  /// The meaning that a word between the braces of a format gives; nil for other words.
  init?(annotation: String) {
    switch annotation {
    case "bool": self = .truth
    case "BOOL": self = .objectiveCTruth
    case "errno", "darwin.errno": self = .errorNumber
    case "darwin.mode": self = .fileMode
    case "darwin.signal": self = .signal
    case "network:in_addr": self = .internetAddress
    case "time_t": self = .secondsSince1970
    case "bytes": self = .byteCount
    case "iec-bytes": self = .byteCountIEC
    case "bitrate": self = .bitrate
    case "iec-bitrate": self = .bitrateIEC
    default: return nil
    }
  }

  func text(_ number: Int64) -> String {
    switch self {
    case .truth: number == 0 ? "false" : "true"
    case .answer: number == 0 ? "no" : "yes"
    case .objectiveCTruth: number == 0 ? "NO" : "YES"
    case .errorNumber: unsafe "[\(number): \(String(cString: strerror(Int32(truncatingIfNeeded: number))))]"
    case .fileMode: Self.fileMode(number)
    case .signal: unsafe "[\(number): \(strsignal(Int32(truncatingIfNeeded: number)).map { unsafe String(cString: $0) } ?? "unknown")]"
    case .internetAddress: Self.internetAddress(UInt32(truncatingIfNeeded: number))
    case .secondsSince1970: Date(timeIntervalSince1970: Double(number)).description
    case .byteCount: Self.scaled(number, by: 1000, Self.prefixes, unit: "B")
    case .byteCountIEC: Self.scaled(number, by: 1024, Self.binaryPrefixes, unit: "B")
    case .bitrate: Self.scaled(number, by: 1000, Self.prefixes, unit: "bps")
    case .bitrateIEC: Self.scaled(number, by: 1024, Self.binaryPrefixes, unit: "bps")
    }
  }

  /// Type and permissions, as `ls` writes them.
  private static func fileMode(_ mode: Int64) -> String {
    let types: [Int64: Character] = [
      0o140000: "s", 0o120000: "l", 0o100000: "-", 0o060000: "b", 0o040000: "d", 0o020000: "c", 0o010000: "p",
    ]
    var text = String(types[mode & 0o170000] ?? "?")
    for shift in stride(from: Int64(6), through: 0, by: -3) {
      for (bit, letter) in zip([4, 2, 1] as [Int64], "rwx") { text.append((mode >> shift) & bit == 0 ? "-" : letter) }
    }
    return text
  }

  /// Four bytes in network order.
  private static func internetAddress(_ address: UInt32) -> String {
    unsafe withUnsafeBytes(of: address) { bytes in unsafe bytes.map { "\($0)" }.joined(separator: ".") }
  }

  private static let prefixes = ["", "k", "M", "G", "T", "P", "E"]
  private static let binaryPrefixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]

  /// The number with two digits behind the point, in the largest unit of which there is at least one.
  private static func scaled(_ number: Int64, by step: Double, _ prefixes: [String], unit: String) -> String {
    var value = Double(number), index = 0
    while abs(value) >= step, index + 1 < prefixes.count {
      value /= step
      index += 1
    }
    return index == 0 ? "\(number) \(unit)" : LogField(precision: 2).number(value, "f") + " \(prefixes[index])\(unit)"
  }
}

/// Meaning of a 32-bit integer in a log message.
public enum OSLogInt32ExtendedFormat: Sendable {
  /// Four bytes in network order.
  case ipv4Address
  case secondsSince1970
  /// A value of `errno`.
  case darwinErrno
  /// Type and permissions of a file.
  case darwinMode
  case darwinSignal
  case bitrate, bitrateIEC, byteCount, byteCountIEC
  case truth, answer

  var meaning: LogMeaning {
    switch self {
    case .ipv4Address: .internetAddress
    case .secondsSince1970: .secondsSince1970
    case .darwinErrno: .errorNumber
    case .darwinMode: .fileMode
    case .darwinSignal: .signal
    case .bitrate: .bitrate
    case .bitrateIEC: .bitrateIEC
    case .byteCount: .byteCount
    case .byteCountIEC: .byteCountIEC
    case .truth: .truth
    case .answer: .answer
    }
  }
}

/// Meaning of an integer in a log message.
public enum OSLogIntExtendedFormat: Sendable {
  case secondsSince1970
  case bitrate, bitrateIEC, byteCount, byteCountIEC

  var meaning: LogMeaning {
    switch self {
    case .secondsSince1970: .secondsSince1970
    case .bitrate: .bitrate
    case .bitrateIEC: .bitrateIEC
    case .byteCount: .byteCount
    case .byteCountIEC: .byteCountIEC
    }
  }
}
