package import MartletGraph
import MartletOps
import MartletTensor

/// Declares the extents that the operators' own rules determine, where the file gives only bounds: a program of dynamic shape declares none
/// of its extents as fixed, and patterns look for a weight's columns, heads and depths. What depends on the call stays open.
package struct FixExtents: GraphPass {
  package let name = "fix-extents"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.hasOpenExtents else { return false }
    let shapes = SymbolicShapes(graph)
    var isChanged = false
    for node in graph.nodes {
      guard let output = node.outputs.first, var type = graph.signature(output), !type.isFixed, let extents = shapes[output],
        extents.count == type.rank
      else { continue }
      let declared = type.dimensions
      for (axis, extent) in extents.enumerated() {
        // An extent beyond its bound is an error of the file, which planning reports.
        guard case .fixed(let extent) = extent, case .symbolic(let bound) = declared[axis], extent <= bound ?? extent else { continue }
        type.dimensions[axis] = .fixed(extent)
      }
      if type.dimensions == declared { continue }
      graph[output].type = .tensor(type)
      isChanged = true
    }
    return isChanged
  }
}
