import MartletBytes

import MartletCoreMLFile

/// Text that is the same for two programs exactly when they hold the same, down to every constant's bytes. Names of operator sets
/// are reduced to their version, since the two forms of programs name them differently.
enum ModelDump {
  static func text(_ program: MILProgram) -> String {
    program.functions.map { function in
      "func \(function.name)<\(function.opsetVersion ?? -1)>\(text(function.inputs))\n" + text(function.block)
    }.joined()
  }

  private static func text(_ types: [MILNamedType]) -> String {
    "(" + types.map { "\($0.type) \($0.name)" }.joined(separator: ", ") + ")"
  }

  private static func text(_ block: MILBlock) -> String {
    "\(text(block.inputs)) {\n" + block.operations.map { text($0) + "\n" }.joined() + "} -> \(block.outputs)\n"
  }

  private static func text(_ operation: MILOperation) -> String {
    let inputs = operation.inputs.sorted { $0.key < $1.key }.map { parameter, argument in
      parameter + "="
        + argument.bindings.map { binding in
          switch binding {
          case .name(let name): name
          case .value(let value): text(value)
          }
        }.joined(separator: "|")
    }
    return "\(text(operation.outputs)) = \(operation.type)(\(inputs.joined(separator: ", ")))"
      + text(operation.attributes) + operation.blocks.map { text($0) }.joined()
  }

  private static func text(_ attributes: [String: MILValue]) -> String {
    "[" + attributes.sorted { $0.key < $1.key }.map { "\($0)=\(text($1))" }.joined(separator: ", ") + "]"
  }

  static func text(_ value: MILValue) -> String {
    switch value {
    case .tensor(let tensor):
      "\(tensor.dataType)\(tensor.shape)"
        + (tensor.dataType == .string
          ? "\(tensor.strings)"
          : tensor.elementCount <= 64
            ? tensor.data.array.map { String($0, radix: 16) }.joined(separator: " ")
            : "\(tensor.data.count) bytes, hash \(hash(tensor.data))") + (tensor.source.map { " at \($0.path):\($0.recordOffset)" } ?? "")
    case .list(let values, let element): "list of \(element) \(values.map { text($0) })"
    case .tuple(let values): "tuple \(values.map { text($0) })"
    case .dictionary(let pairs): "dictionary \(pairs.map { text($0.key) + ":" + text($0.value) })"
    }
  }

  private static func hash(_ data: ByteView) -> UInt64 {
    unsafe data.withUnsafeBytes { bytes in unsafe bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 } }
  }
}
