import Martlet

extension ModelSequence {
  /// The elements as text.
  var texts: [String] {
    switch self {
    case .strings(let strings): strings
    case .integers(let integers): integers.map { "\($0)" }
    }
  }
}
