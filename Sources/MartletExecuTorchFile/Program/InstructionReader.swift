import MartletBytes
import MartletTensor

/// Reads the chains of a plan and checks every index.
struct InstructionReader {
  let valueCount: Int
  let operatorCount: Int
  let delegateCount: Int

  /// A vector of value indices.
  func valueIndices(_ table: FlatBufferTable, _ slot: Int, _ name: StaticString) throws(FileError) -> [Int] {
    let indices = try table.ints(slot, name, of: Int32.self) ?? []
    for (position, index) in indices.enumerated() where index < 0 || index >= valueCount {
      throw table.error("there is no value \(index), only \(valueCount)").nested(in: "\(name)[\(position)]")
    }
    return indices
  }

  /// An index below `count`.
  private func index(
    _ table: FlatBufferTable, _ slot: Int, _ name: StaticString, of kind: String, count: Int
  ) throws(FileError) -> Int {
    let index: Int32 = try table.integer(slot, name)
    guard index >= 0, index < count else {
      throw table.error("there is no \(kind) \(index), only \(count)", field: name)
    }
    return Int(widening: index)
  }

  /// The destination of a `JumpFalseCall`: an instruction or the end of the chain.
  private func destination(_ call: FlatBufferTable, instructionCount: Int) throws(FileError) -> Int {
    let destination: Int32 = try call.integer(1, "destination_instruction")
    guard destination >= 0, destination <= instructionCount else {
      throw call.error(
        "\(destination) is neither one of the \(instructionCount) instructions nor their end", field: "destination_instruction")
    }
    return Int(widening: destination)
  }

  /// Reads a `Chain` table.
  func chain(_ chain: FlatBufferTable) throws(FileError) -> ExecutionPlan.Chain {
    let count = try chain.tableCount(2, "instructions") ?? 0
    return ExecutionPlan.Chain(
      inputs: try valueIndices(chain, 0, "inputs"),
      outputs: try valueIndices(chain, 1, "outputs"),
      instructions: try chain.tables(2, "instructions") { (table, _) throws(FileError) in
        try instruction(table, instructionCount: count)
      },
      stacktrace: try chain.tables(3, "stacktrace") { (list, _) throws(FileError) in
        try list.tables(0, "items") { (frame, _) throws(FileError) in try ExecutionPlan.StackFrame(frame) }
      })
  }

  private func instruction(_ table: FlatBufferTable, instructionCount: Int) throws(FileError) -> ExecutionPlan.Instruction {
    let instruction = try table.union(0, "instr_args") { (tag, call) throws(FileError) -> ExecutionPlan.Instruction in
      switch tag {
      case 1:
        return .kernelCall(
          operatorIndex: try index(call, 0, "op_index", of: "operator", count: operatorCount),
          arguments: try valueIndices(call, 1, "args"))
      case 2:
        return .delegateCall(
          delegateIndex: try index(call, 0, "delegate_index", of: "delegate", count: delegateCount),
          arguments: try valueIndices(call, 1, "args"))
      case 3:
        return .move(
          source: try index(call, 0, "move_from", of: "value", count: valueCount),
          destination: try index(call, 1, "move_to", of: "value", count: valueCount))
      case 4:
        return .jumpIfFalse(
          condition: try index(call, 0, "cond_value_index", of: "value", count: valueCount),
          destination: try destination(call, instructionCount: instructionCount))
      case 5:
        return .free(value: try index(call, 0, "value_index", of: "value", count: valueCount))
      default:
        throw call.error("\(tag) is not a known kind of instruction")
      }
    }
    guard let instruction else { throw table.error("is missing", field: "instr_args") }
    return instruction
  }
}

extension ExecutionPlan.StackFrame {
  /// Reads a `Frame` table.
  fileprivate init(_ frame: FlatBufferTable) throws(FileError) {
    file = try frame.string(0, "filename") ?? ""
    let line: Int32 = try frame.integer(1, "lineno")
    self.line = Int(clamping: line)
    function = try frame.string(2, "name") ?? ""
    context = try frame.string(3, "context") ?? ""
  }
}
