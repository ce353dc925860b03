import MartletGraph
import MartletVocabulary
import MartletOps

/// How gathering and scattering layers say what they choose and how they combine it.
extension Combination {
  /// - Parameter name: as Core ML's formats write it.
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
