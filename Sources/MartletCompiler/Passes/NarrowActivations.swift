package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Stores float32 activations between products and convolutions in bfloat16, which halves their memory traffic. For the precision `fast`
/// on machines whose products round their factors to bfloat16 anyway.
///
/// A value stays float32 if it is an output of the graph, small, or used by an operator without bfloat16 kernels. Inputs of row
/// normalisations stay float32 too, so that the residual stream of a transformer loses no bits.
package struct NarrowActivations: GraphPass {
  package let name = "narrow-activations"
  package init() {}

  /// Minimum element count for which a conversion is worthwhile.
  private static let leastElementCount = 4096

  package func rewrite(_ graph: Graph) throws -> Graph? {
    let graph = Self.separated(graph)
    var narrow = Set<ValueID>()
    for node in graph.nodes where Self.canStore(node) {
      for output in node.outputs where Self.isCandidate(graph.signature(output)) { narrow.insert(output) }
    }
    for output in graph.outputs { narrow.remove(output) }
    // Excluding one value can make others useless, so iterate to a fixed point.
    var before = -1
    while before != narrow.count {
      before = narrow.count
      for node in graph.nodes {
        for (index, input) in node.inputs.enumerated() {
          guard let input, narrow.contains(input), !Self.canLoad(node, index, graph) else { continue }
          narrow.remove(input)
        }
        let alike = Self.alike(node).filter { graph.signature($0)?.dtype == .float32 }
        if !alike.allSatisfy(narrow.contains) { narrow.subtract(alike) }
      }
    }
    if narrow.isEmpty { return nil }
    var rewritten = graph
    for value in narrow {
      guard case .tensor(var signature) = rewritten[value].type else { continue }
      signature.dtype = .bfloat16
      rewritten[value].type = .tensor(signature)
    }
    for index in rewritten.nodes.indices where rewritten.nodes[index].outputs.contains(where: narrow.contains) {
      switch rewritten.nodes[index].op {
      case var op as Convolution:
        op.dtype = .bfloat16
        rewritten.nodes[index].op = op
      case var op as MatMul:
        op.dtype = .bfloat16
        rewritten.nodes[index].op = op
      case var op as Pointwise:
        op.dtype = .bfloat16
        rewritten.nodes[index].op = op
      case var op as Concat:
        op.dtype = .bfloat16
        rewritten.nodes[index].op = op
      // The result has the type of the operand.
      default: break
      }
    }
    return rewritten
  }

  /// Splits convolutions that were joined to keep a float32 image between them in strips.
  private static func separated(_ graph: Graph) -> Graph {
    var editor = GraphEditor(graph)
    for position in editor.positions {
      guard let node = editor.node(at: position), let joined = node.op(as: ExpandedDepthwise.self), node.inputs.count == 5,
        let image = node.inputs[0].flatMap({ editor.signature($0)?.fixedShape }), image.count == 4
      else { continue }
      let middle = TensorType(.float32, [image[0], joined.depthwise.groups, image[2], image[3]])
      var depthwise = node
      depthwise.op = joined.depthwise
      let value = editor.insert(
        joined.expansion, Array(node.inputs[0..<3]), type: .tensor(TensorSignature(middle)), before: position, source: node.source)
      depthwise.inputs = [value] + node.inputs[3...]
      editor.replace(position, with: depthwise)
    }
    return editor.finish() ?? graph
  }

  private static func isCandidate(_ signature: TensorSignature?) -> Bool {
    guard let signature, signature.dtype == .float32 else { return false }
    guard let shape = signature.fixedShape else { return signature.rank >= 3 }
    return shape.reduce(1, *) >= leastElementCount
  }

  /// Whether the node's kernels can store bfloat16 instead of float32.
  private static func canStore(_ node: Node) -> Bool {
    switch node.op {
    case let op as Convolution: op.dtype == .float32 && op.stride.count < 3
    case let op as MatMul: op.dtype == .float32 && op.beta == 1
    case let op as Pointwise: op.dtype == .float32
    case let op as Pool: !op.givesIndices
    case is Attention, is Concat, is Reshape, is Permute: true
    default: false
    }
  }

  /// Whether the node's kernels can read operand `index` as bfloat16.
  private static func canLoad(_ node: Node, _ index: Int, _ graph: Graph) -> Bool {
    switch node.op {
    case let op as Convolution: return (index == 0 || index == 3) && op.dtype == .float32 && op.stride.count < 3
    case let op as MatMul:
      guard op.dtype == .float32, index == 0 || index == 3 else { return false }
      // Products with few rows are computed in float32.
      let shape = node.inputs[0].flatMap { graph.signature($0)?.fixedShape }
      return shape.map { $0.dropLast().reduce(1, *) > 4 } ?? true
    case let op as Pointwise:
      return op.program.instructions.allSatisfy {
        if case .load(index, let type) = $0 { type == .float32 } else { true }
      }
    case let op as Reduce: return op.function == .mean && op.axes.axes.map { Set($0) == [2, 3] || Set($0) == [-1, -2] } ?? false
    case let op as Pool: return !op.givesIndices
    case is Attention: return index < 3
    case is Concat, is Reshape, is Permute: return true
    default: return false
    }
  }

  /// Operands and results of the node that must have the same type.
  private static func alike(_ node: Node) -> [ValueID] {
    let inputs = node.inputs.map { $0 }
    switch node.op {
    case let op as Convolution:
      // The input of a depthwise convolution must have the type of its result.
      let ties = op.groups > 1 ? [inputs[0]] : []
      return (ties + [inputs.count > 3 ? inputs[3] : nil] + node.outputs).compactMap { $0 }
    case is MatMul: return ([inputs.count > 3 ? inputs[3] : nil] + node.outputs).compactMap { $0 }
    case is Attention: return (inputs.prefix(3) + node.outputs).compactMap { $0 }
    case is Pool, is Concat, is Reshape, is Permute: return (inputs + node.outputs).compactMap { $0 }
    default: return []
    }
  }
}
