package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Looks up rows of a quantised table before decoding them: `decode(table)[indices]` becomes `decode(table[indices])`, with equal
/// results, and the table stays as small as in the file.
package struct LookUpCompressedTables: GraphPass {
  package let name = "look-up-compressed-tables"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Index.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let (node, index) = editor.node(at: position, applying: Index.self), index.axes == [0],
        let constant = editor.constant(node.inputs[0]), let table = Table(constant)
      else { continue }
      var lookup = node
      lookup.op = QuantizedEmbedding(table.packing, dtype: constant.type.dtype, allowsNegative: index.allowsNegative)
      lookup.inputs = [editor.add(table.data), editor.add(table.scales), table.offsets.map { editor.add($0) }, node.inputs[1]]
      editor.replace(position, with: lookup)
    }
    return editor.finish(into: &graph)
  }

  /// A matrix of quantised values with a scale, and optionally an offset, for each row or each block of a row.
  private struct Table {
    var packing: TablePacking
    var data: Constant
    var scales: Constant
    var offsets: Constant?

    init?(_ constant: Constant) {
      guard case .blocks(let data, let scales, let offsets, 0)? = constant.compression, constant.type.dtype.isFloatingPoint,
        constant.type.rank == 2, let blocks = scales.type.shape.last, blocks > 0
      else { return nil }
      let (rows, width) = (data.type.shape[0], data.type.shape[1])
      guard rows > 0, scales.type.shape[0] == rows || scales.type.shape[0] == 1 else { return nil }
      if case .packed(let stream, let format)? = data.compression {
        guard format.bits == 4, !format.highBitFirst, width % 2 == 0, stream.strides == [1] else { return nil }
        packing = format.isSigned ? .lowInt4 : .lowUInt4
        self.data = Constant(viewOf: stream, shape: [rows, width / 2], strides: [width / 2, 1])
      } else {
        guard data.isStored, data.type.dtype == .int8 || data.type.dtype == .uint8 else { return nil }
        packing = data.type.dtype == .int8 ? .int8 : .uint8
        self.data = data
      }
      /// Broadcasts a single row of values to all rows.
      func everyRow(_ constant: Constant) -> Constant {
        constant.type.shape[0] == rows
          ? constant : Constant(viewOf: constant, shape: [rows, blocks], strides: [0, constant.strides[1]])
      }
      self.scales = everyRow(scales)
      self.offsets = offsets.map(everyRow)
    }
  }
}
