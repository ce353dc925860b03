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

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    let separated = Self.separated(graph)
    let forms = separated.nodes.map { node in
      node.op.planned?.narrowForm(node.inputs.map { $0.flatMap { separated.signature($0) } })
    }
    var narrow = Set<ValueID>()
    for (node, form) in zip(separated.nodes, forms) where form?.narrowed != nil {
      for output in node.outputs where Self.isCandidate(separated.signature(output)) { narrow.insert(output) }
    }
    for output in separated.outputs { narrow.remove(output) }
    // Excluding one value can make others useless, so iterate to a fixed point.
    var before = -1
    while before != narrow.count {
      before = narrow.count
      for (node, form) in zip(separated.nodes, forms) {
        for (index, input) in node.inputs.enumerated() {
          guard let input, narrow.contains(input), form?.operands.contains(index) != true else { continue }
          narrow.remove(input)
        }
        guard let form, !form.tied.isEmpty else { continue }
        let alike = (form.tied.compactMap { $0 < node.inputs.count ? node.inputs[$0] : nil } + node.outputs)
          .filter { separated.signature($0)?.dtype == .float32 }
        if !alike.allSatisfy(narrow.contains) { narrow.subtract(alike) }
      }
    }
    if narrow.isEmpty { return false }
    var rewritten = separated
    for value in narrow {
      guard case .tensor(var signature) = rewritten[value].type else { continue }
      signature.dtype = .bfloat16
      rewritten[value].type = .tensor(signature)
    }
    for (index, form) in forms.enumerated() where rewritten.nodes[index].outputs.contains(where: narrow.contains) {
      if let op = form?.narrowed { rewritten.nodes[index].op = op }
    }
    graph = rewritten
    return true
  }

  /// Splits convolutions that were joined to keep a float32 image between them in strips.
  private static func separated(_ graph: Graph) -> Graph {
    var graph = graph
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let node = editor.node(at: position), let joined = node.op(as: ExpandedDepthwise.self), joined.expansion.dtype == .float32,
        node.inputs.count == 5,
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
    _ = editor.finish(into: &graph)
    return graph
  }

  private static func isCandidate(_ signature: TensorSignature?) -> Bool {
    guard let signature, signature.dtype == .float32 else { return false }
    guard let shape = signature.fixedShape else { return signature.rank >= 3 }
    return !Extent.product(shape).fits(leastElementCount - 1)
  }
}
