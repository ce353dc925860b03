extension Graph {
  /// Returns true if an output of a loop's body is equal in all iterations: it depends only on constants and on variables that the body
  /// returns unchanged.
  ///
  /// `inputs` are the loop's variables and `outputs[1...]` their next values. Nodes with regions, states or random results count as changing.
  package func isLoopInvariant(_ output: ValueID) -> Bool {
    let varying = Set(zip(inputs, outputs.dropFirst()).filter { $0 != $1 }.map(\.0))
    var makers: [ValueID: Node] = [:]
    for node in nodes { for result in node.outputs { makers[result] = node } }
    var pending = [output]
    var seen: Set<ValueID> = [output]
    while let value = pending.popLast() {
      if varying.contains(value) { return false }
      guard let maker = makers[value] else { continue }
      guard maker.regions.isEmpty, maker.op.isPure, !maker.applies(ReadState.self) else { return false }
      for case let input? in maker.inputs where seen.insert(input).inserted { pending.append(input) }
    }
    return true
  }
}
