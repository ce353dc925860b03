import MartletTensor

extension Graph {
  /// The constants that lie in files, as a run and its preparation read them.
  package struct StoredConstants {
    /// Those that are read as a whole, in the order in which their bytes lie.
    package var whole: [Constant] = []
    /// Tables of which operators with indices read some rows, and nothing else reads more.
    package var tables: [Constant] = []
  }

  /// The stored constants of this graph and its regions.
  package var storedConstants: StoredConstants {
    var whole: [UInt: Constant] = [:]
    var tables: [UInt: Constant] = [:]
    collect(&whole, &tables)
    return StoredConstants(
      whole: whole.sortedByKey.map(\.value),
      tables: tables.filter { whole[$0.key] == nil }.sortedByKey.map(\.value))
  }

  private func collect(_ whole: inout [UInt: Constant], _ tables: inout [UInt: Constant]) {
    for node in nodes {
      let tableOperands = tableOperands(of: node)
      for (position, input) in node.inputs.enumerated() {
        guard let constant = constant(input), let address = constant.identity.firstAddress else { continue }
        if tableOperands.contains(position) { tables[address] = constant } else { whole[address] = constant }
      }
      for region in node.regions { region.collect(&whole, &tables) }
    }
  }

  /// The operands of which the node reads some rows.
  package func tableOperands(of node: Node) -> Range<Int> {
    if let known = node.op.tableOperands { return known }
    let selects = node.op.traits.contains(.movesElements) && node.inputs.dropFirst().contains { isTensor($0) }
    return selects ? 0..<1 : 0..<0
  }

  private func isTensor(_ id: ValueID?) -> Bool {
    if let id, case .tensor = self[id].type { true } else { false }
  }
}

extension Sequence<any Constant.StoredPlace> {
  /// The places, each joined with those after it that lie near it in the same file. In file order there are few.
  package var joinedPlaces: [any Constant.StoredPlace] {
    var result: [any Constant.StoredPlace] = []
    for place in self {
      if let longer = result.last?.joined(with: place) {
        result[result.count - 1] = longer
      } else {
        result.append(place)
      }
    }
    return result
  }
}
