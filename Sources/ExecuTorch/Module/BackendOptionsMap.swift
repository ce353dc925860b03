public import Foundation
import Martlet

/// Options for the backends of a program, by name of the backend. Immutable; several modules may share one map.
public final class BackendOptionsMap: NSObject, @unchecked Sendable {
  /// The options of each backend.
  public let options: [String: [BackendOption]]

  /// Limits of upstream's runtime, in bytes of UTF-8 without the terminating zero.
  private static let longestName = 63
  private static let longestString = 255

  /// - Throws: `ErrorCode.invalidArgument` if the name of a backend or a key is empty or longer than 63 bytes, a backend has a key
  ///   twice, an integer does not fit 32 bits, or a string is longer than 255 bytes.
  public init(options: [String: [BackendOption]]) throws {
    for (backend, settings) in options {
      try Self.check(backend, "the name of a backend")
      var seen: Set<String> = []
      for setting in settings {
        try Self.check(setting.key, "an option key for backend '\(backend)'")
        guard seen.insert(setting.key).inserted else {
          throw failure(.invalidArgument, "duplicate option key '\(setting.key)' for backend '\(backend)'")
        }
        if setting.type == .integer, Int32(exactly: setting.intValue) == nil {
          throw failure(
            .invalidArgument, "option '\(setting.key)' for backend '\(backend)' is \(setting.intValue), which does not fit 32 bits")
        }
        if let text = setting.stringValue, text.utf8.count > Self.longestString {
          throw failure(
            .invalidArgument,
            "option '\(setting.key)' for backend '\(backend)' has \(text.utf8.count) bytes; the limit is \(Self.longestString)")
        }
      }
    }
    self.options = options
  }

  /// The precision that the options select; nil if they select none.
  var precision: Precision? {
    get throws {
      var found: Precision?
      for (backend, settings) in options {
        for setting in settings where setting.key == "precision" {
          guard let name = setting.stringValue, let precision = Precision(rawValue: name), found == nil || found == precision else {
            let names = Precision.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw failure(
              .invalidArgument, "option 'precision' for backend '\(backend)' must be one of \(names) and the same for all backends")
          }
          found = precision
        }
      }
      return found
    }
  }

  private static func check(_ name: String, _ what: String) throws {
    guard !name.isEmpty else { throw failure(.invalidArgument, "\(what) is empty") }
    guard name.utf8.count <= longestName else {
      throw failure(.invalidArgument, "\(what) ('\(name)') has \(name.utf8.count) bytes; the limit is \(longestName)")
    }
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? BackendOptionsMap else { return false }
    return options == other.options
  }

  public override var hash: Int { options.hashValue }

  public override var description: String {
    if options.isEmpty { return "<ExecuTorchBackendOptionsMap (empty)>" }
    let backends = options.sorted { $0.key < $1.key }.map { backend, settings in
      "\(backend)=[\(settings.map(\.description).joined(separator: ", "))]"
    }
    return "<ExecuTorchBackendOptionsMap \(backends.joined(separator: ", "))>"
  }

  public override var debugDescription: String { description }
}
