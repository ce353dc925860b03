import MartletGraph
import MartletVocabulary
import MartletOps

/// Names of the modes in which scatter operators combine elements.
extension Combination {
  /// - Parameter name: the name in Core ML's formats.
  init(name: String) throws(CallError) {
    switch name.lowercased() {
    case "update": self = .update
    case "add": self = .add
    case "sub": self = .subtract
    case "mul": self = .multiply
    case "div": self = .divide
    case "max": self = .maximum
    case "min": self = .minimum
    default: throw CallError("mode \"\(name)\" is not known")
    }
  }
}
