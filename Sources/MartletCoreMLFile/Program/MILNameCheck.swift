import MartletBytes

/// Checks that every name in a program is defined before its use, in the same or an enclosing block, and only once in a block.
struct MILNameCheck {
  /// Number of definitions of each name in the enclosing blocks.
  private var defined: [String: Int] = [:]
  private let path: String

  static func check(_ function: MILFunction, path: String) throws(FileError) {
    var check = MILNameCheck(path: path)
    try check.visit(function.block, inputs: function.inputs)
  }

  private init(path: String) { self.path = path }

  private mutating func define(_ names: [String], in own: inout Set<String>, field: String) throws(FileError) {
    for name in names {
      guard own.insert(name).inserted else {
        throw FileError(file: path, field: field, reason: "'\(name)' is defined twice")
      }
      defined[name, default: 0] += 1
    }
  }

  private func require(_ name: String, field: @autoclosure () -> String) throws(FileError) {
    guard defined[name] != nil else {
      throw FileError(file: path, field: field(), reason: "'\(name)' is not defined before it is used")
    }
  }

  /// Visits a block. The names of `inputs` are defined in addition to its own.
  private mutating func visit(_ block: MILBlock, inputs: [MILNamedType] = []) throws(FileError) {
    var own: Set<String> = []
    try define((inputs + block.inputs).map(\.name), in: &own, field: "inputs")
    for (index, operation) in block.operations.enumerated() {
      do throws(FileError) {
        for (parameter, argument) in operation.inputs {
          for case .name(let name) in argument.bindings { try require(name, field: "inputs[\(parameter)]") }
        }
        for (index, nested) in operation.blocks.enumerated() {
          do { try visit(nested) } catch { throw error.nested(in: "blocks[\(index)]") }
        }
        try define(operation.outputs.map(\.name), in: &own, field: "outputs")
      } catch {
        throw error.nested(in: "operations[\(index)] (\(operation.type))")
      }
    }
    for name in block.outputs { try require(name, field: "outputs") }
    for name in own {
      if let count = defined[name], count > 1 { defined[name] = count - 1 } else { defined[name] = nil }
    }
  }
}
