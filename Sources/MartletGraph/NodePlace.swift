/// Identifies a node in messages and profiles.
package struct NodePlace: Sendable, Hashable {
  /// The node's operator; empty if the place is not a node, for example for a copy to an output.
  package let op: String
  /// The position in the file, e.g. `aten::add.out #3`.
  package let source: String

  package init(op: String, source: String) {
    self.op = op
    self.source = source
  }
}

extension NodePlace: CustomStringConvertible {
  package var description: String {
    if op.isEmpty { return source }
    return source.isEmpty ? op : "\(op) (\(source))"
  }
}

extension NodePlace: ExpressibleByStringInterpolation {
  package init(stringLiteral source: String) { self.init(op: "", source: source) }
}

extension Node {
  package var place: NodePlace { NodePlace(op: op.name, source: source) }
}
