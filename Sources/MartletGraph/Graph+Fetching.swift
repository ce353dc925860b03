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
    var uses: [ConstantUse] = []
    collect(&uses)
    uses.sort { ($0.address, $0.isOfTable ? 1 : 0) < ($1.address, $1.isOfTable ? 1 : 0) }
    var result = StoredConstants()
    var last: UInt?
    for use in uses where use.address != last {
      last = use.address
      if use.isOfTable { result.tables.append(use.constant) } else { result.whole.append(use.constant) }
    }
    return result
  }

  /// A constant as an operand.
  private struct ConstantUse {
    let address: UInt
    let isOfTable: Bool
    let constant: Constant
  }

  private func collect(_ uses: inout [ConstantUse]) {
    for node in nodes {
      let tableOperands = tableOperands(of: node)
      for (position, input) in node.inputs.enumerated() {
        guard let constant = constant(input), let address = constant.firstAddress else { continue }
        uses.append(ConstantUse(address: address, isOfTable: tableOperands.contains(position), constant: constant))
      }
      for region in node.regions { region.collect(&uses) }
    }
  }

  /// The operands of which the node reads some rows.
  package func tableOperands(of node: Node) -> Range<Int> {
    if let known = node.op.tableOperands { return known }
    let selects = node.traits.contains(.movesElements) && node.inputs.dropFirst().contains { isTensor($0) }
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
