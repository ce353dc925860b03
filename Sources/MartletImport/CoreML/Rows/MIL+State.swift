import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor

/// Constants, aliases and states.
let milStateRows: MILCallTable = [
  "const": { call in
    guard let value = call.operation.attributes["val"] else { throw CallError("the constant has no value") }
    try call.set(MILBound(value))
  },
  "identity": { call in try call.set(try call.bound("x")) },
  "read_state": { call in try call.readState("input") },
  "write_state": { call in try call.writeState("input", try call.tensor("data")) },
  "coreml_update_state": { call in
    try call.writeState("state", try call.tensor("value"))
    if call.outputCount > 0 { try call.readState("state") }
  },
]

extension MILCall {
  private func state(_ parameter: String) throws -> (position: Int, signature: TensorSignature) {
    let bound = try bound(parameter)
    guard let position = bound.state, let signature = bound.signature else { throw CallError("parameter \(parameter) is not a state") }
    return (position, signature)
  }

  fileprivate mutating func readState(_ parameter: String) throws {
    let state = try state(parameter)
    try set(intermediate(ReadState(state: state.position), [], state.signature))
  }

  fileprivate mutating func writeState(_ parameter: String, _ value: ValueID) throws {
    let state = try state(parameter)
    let converted = try converted(value, to: state.signature.dtype)
    _ = builder.addNode(WriteState(state: state.position), [converted], types: [])
  }
}
