/// An ML Program, in the same form whether it was read from protobuf or text.
///
/// Names are in single static assignment form and resolved: every name in a binding or an output list is an input of the function, an
/// input of an enclosing block, or the output of an earlier operation in an enclosing block.
package struct MILProgram: Sendable {
  /// Version of the program's format (1 in all known files).
  package var version: Int64
  /// Sorted by name.
  package var functions: [MILFunction]
  package var attributes: [String: MILValue]

  package func function(named name: String) -> MILFunction? {
    functions.first { $0.name == name }
  }
}

/// A function of a program, with the block that its operator set selects.
package struct MILFunction: Sendable {
  package var name: String
  package var inputs: [MILNamedType]
  /// Name of the operator set: `CoreML5` ... `CoreML9` in the protobuf form, `ios15` ... in the text form (`CoreML5` is `ios15`).
  package var opset: String
  package var block: MILBlock
  package var attributes: [String: MILValue]

  /// The first release of iOS with the operator set (15 for `CoreML5` and `ios15`); `nil` for other names.
  package var opsetVersion: Int? {
    let name = opset.lowercased()
    if name.hasPrefix("coreml"), let number = Int(name.dropFirst(6), radix: 10), (1...99).contains(number) {
      // iOS 18 was followed by iOS 26.
      return number <= 8 ? number + 10 : number + 17
    }
    if name.hasPrefix("ios"), let number = Int(name.dropFirst(3), radix: 10), (1...99).contains(number) { return number }
    return nil
  }
}

/// Operations in execution order.
package struct MILBlock: Sendable {
  /// Empty in a function's own block; the loop variables in blocks of `while_loop`.
  package var inputs: [MILNamedType]
  package var operations: [MILOperation]
  package var outputs: [String]
  package var attributes: [String: MILValue]
}

package struct MILOperation: Sendable {
  /// Index among all operations of the function; operations of nested blocks follow the one that contains them.
  package fileprivate(set) var number = 0
  /// The operator, such as `conv`.
  package var type: String
  /// By parameter; omitted parameters have the operator's default.
  package var inputs: [String: MILArgument]
  package var outputs: [MILNamedType]
  /// Nested blocks of `cond` and `while_loop`.
  package var blocks: [MILBlock]
  /// Includes `name`, and `val` of a `const`.
  package var attributes: [String: MILValue]

  /// The attribute `name`; empty if there is none.
  package var name: String { attributes["name"]?.string ?? "" }

  /// The name of the first result, which identifies the operation; its own name if there is no result.
  package var resultName: String { outputs.first?.name ?? name }
}

extension MILBlock {
  /// Numbers the operations, starting with `number`.
  /// - Returns: the number after the last one.
  @discardableResult
  mutating func numberOperations(from number: Int = 0) -> Int {
    var next = number
    for index in operations.indices {
      operations[index].number = next
      next += 1
      for nested in operations[index].blocks.indices {
        next = operations[index].blocks[nested].numberOperations(from: next)
      }
    }
    return next
  }
}

/// The value of a parameter: one binding, or several if the operator takes a list.
package struct MILArgument: Sendable {
  package var bindings: [MILBinding]

  package init(_ bindings: [MILBinding]) { self.bindings = bindings }
}

package enum MILBinding: Sendable {
  /// A value of the program.
  case name(String)
  case value(MILValue)
}
