import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletVocabulary

/// Uses of constants and states in a method's graph.
struct GraphUses {
  /// A constant of which a call reads some rows.
  struct Table {
    /// The type of quantised elements, such as `int4`, for these and their scales.
    var elements: String?
  }

  /// By the address of their bytes.
  private(set) var tables: [UInt: Table] = [:]
  /// By the state's name, the operation of the file that writes it. States that a delegate writes are missing.
  private(set) var writers: [String: String] = [:]

  /// Nothing is known.
  init() {}

  /// - Parameter graph: that of `plan`, as it is imported.
  init(_ graph: Graph, _ plan: ExecutionPlan) {
    collect(graph)
    let delegates = Set(plan.delegates.map(\.id))
    let prefix = plan.name + "/"
    var producers: [ValueID: Node] = [:]
    for node in graph.nodes { for output in node.outputs { producers[output] = node } }
    for node in graph.nodes {
      guard let write = node.op(as: WriteState.self), graph.states.indices.contains(write.state),
        let writer = Self.writer(of: node.inputs.first ?? nil, producers), !delegates.contains(writer)
      else { continue }
      let name = graph.states[write.state].name
      writers[name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name] = writer
    }
  }

  private mutating func collect(_ graph: Graph) {
    for node in graph.nodes {
      let packing = node.op(as: QuantizedEmbedding.self).map { $0.packing.elementName }
      for operand in graph.tableOperands(of: node) where node.inputs.indices.contains(operand) {
        guard let address = graph.constant(node.inputs[operand])?.firstAddress else { continue }
        tables[address] = Table(elements: packing)
      }
      for region in node.regions { collect(region) }
    }
  }

  /// The operation that computes a value, whatever its elements are moved by afterwards.
  private static func writer(of value: ValueID?, _ producers: [ValueID: Node]) -> String? {
    guard let node = value.flatMap({ producers[$0] }), let operation = node.origins.first?.operation.op else { return nil }
    if node.traits.contains(.keepsElementOrder), let earlier = writer(of: node.inputs.first ?? nil, producers) { return earlier }
    return node.applies(ReadState.self) ? nil : operation
  }
}
