import MartletCompiler
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct ReadCachesInPlaceTests {
  private func converted(_ type: ComputeType, to dtype: DType) -> Pointwise {
    var program = PointwiseProgram()
    program.append(.load(operand: 0, as: type))
    return Pointwise(program, dtype: dtype, label: "cast")
  }

  /// Attention of one query to a cache [1, 5, 2, 6] of int8 with scales for each row, which the graph converts as a whole.
  /// - Parameters:
  ///   - widens: true if scales and zero points are converted to wider types first.
  ///   - scalesLast: true if there is a scale for each place of the last axis instead.
  ///   - updates: true if the rows of this step are written over the converted ones.
  private func quantized(widens: Bool = false, scalesLast: Bool = false, updates: Bool = false, axis: Int = 1) -> Graph {
    var graph = Graph(name: "g")
    let q = graph.input([1, 4, 1, 6])
    let start = graph.addScalar(.int(2))
    func cache() -> ValueID {
      let stored = graph.input([1, 5, 2, 6], .int8)
      let shape = scalesLast ? [1, 1, 1, 6] : [1, 5, 2, 1]
      var (scales, points) = (graph.input(shape), graph.input(shape, .int8))
      if widens {
        scales = graph.node(converted(.float32, to: .float64), [scales], shape, .float64)
        points = graph.node(converted(.int64, to: .int64), [points], shape, .int64)
      }
      var real = graph.node(Pointwise.dequantize(hasZeroPoints: true, from: .int8, as: .float32), [stored, scales, points], [1, 5, 2, 6])
      if updates {
        let rows = graph.input(axis == 1 ? [1, 1, 2, 6] : [1, 5, 1, 6])
        let range = SliceRange(start: .operand(2), end: .source, step: 1, allowsNegative: false)
        real = graph.node(
          SliceScatter(axis: axis, range: range), [real, rows, axis == 1 ? start : graph.addScalar(.int(0))], [1, 5, 2, 6])
      }
      return graph.node(Permute(axes: [0, 2, 1, 3]), [real], [1, 2, 5, 6])
    }
    let (k, v) = (cache(), cache())
    graph.outputs = [graph.node(Attention(scale: nil), [q, k, v], [1, 4, 1, 6])]
    return graph
  }

  @Test(arguments: [false, true], [false, true]) func integersAreReadInPlace(widens: Bool, updates: Bool) throws {
    let result = try rewritten(quantized(widens: widens, updates: updates), by: ReadCachesInPlace(), tolerance: 1e-5)
    let attention = try #require(result.nodes.first { $0.op is Attention })
    #expect(result.dtype(attention.inputs[1]!) == .int8 && result.dtype(attention.inputs[2]!) == .int8)
    #expect(result.signature(attention.inputs[1]!)?.fixedShape == [1, 2, 5, 6])
    #expect((attention.inputs[8] != nil) == updates)
  }

  @Test func otherConversionsStay() throws {
    #expect(try isLeft(quantized(scalesLast: true), by: ReadCachesInPlace()))
    // Rows that are not keys.
    #expect(try isLeft(quantized(updates: true, axis: 2), by: ReadCachesInPlace()))
  }

  /// The rows of the update lie as keys do, the cache in front of it does not.
  @Test func aViewBeforeTheUpdateStays() throws {
    var graph = Graph(name: "g")
    let q = graph.input([1, 4, 1, 6])
    let start = graph.addScalar(.int(2))
    func cache() -> ValueID {
      let real = graph.node(converted(.float32, to: .float32), [graph.input([1, 5, 2, 6], .float16)], [1, 5, 2, 6])
      let heads = graph.node(Permute(axes: [0, 2, 1, 3]), [real], [1, 2, 5, 6])
      let range = SliceRange(start: .operand(2), end: .source, step: 1, allowsNegative: false)
      return graph.node(SliceScatter(axis: 2, range: range), [heads, graph.input([1, 2, 1, 6]), start], [1, 2, 5, 6])
    }
    let (k, v) = (cache(), cache())
    graph.outputs = [graph.node(Attention(scale: nil), [q, k, v], [1, 4, 1, 6])]
    #expect(try isLeft(graph, by: ReadCachesInPlace()))
  }

  @Test(arguments: [DType.float16, .bfloat16]) func halfPrecisionIsReadInPlace(_ type: DType) throws {
    var graph = Graph(name: "g")
    let q = graph.input([1, 2, 3, 6])
    func cache() -> ValueID {
      let widened = graph.node(converted(.float32, to: .float32), [graph.input([1, 2, 5, 6], type)], [1, 2, 5, 6])
      return graph.node(Squeeze(axes: [2]), [graph.node(Unsqueeze(axes: [2]), [widened], [1, 2, 1, 5, 6])], [1, 2, 5, 6])
    }
    let (k, v) = (cache(), cache())
    graph.outputs = [graph.node(Attention(scale: 0.3), [q, k, v], [1, 2, 3, 6])]
    let result = try rewritten(graph, by: ReadCachesInPlace(), tolerance: 1e-5)
    let attention = try #require(result.nodes.first { $0.op is Attention })
    #expect(result.dtype(attention.inputs[1]!) == type)
  }

  @Test func aScaleOfAllElementsBecomesAnAttribute() throws {
    var graph = Graph(name: "g")
    let q = graph.input([1, 2, 1, 6])
    func cache() -> ValueID {
      var program = PointwiseProgram()
      let load = program.append(.load(operand: 0, as: .float32))
      program.append(.binary(.mul, load, program.append(.literal(.double(0.03), as: .float32))))
      return graph.node(Pointwise(program, dtype: .float32, label: "dequantize"), [graph.input([1, 2, 5, 6], .int8)], [1, 2, 5, 6])
    }
    let (k, v) = (cache(), cache())
    graph.outputs = [graph.node(Attention(scale: 0.3), [q, k, v], [1, 2, 1, 6])]
    let result = try rewritten(graph, by: ReadCachesInPlace(), tolerance: 1e-5)
    #expect(result.nodes.contains { ($0.op as? Attention)?.keyScale == Double(Float(0.03)) })
  }
}
