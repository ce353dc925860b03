import MartletGraph
import MartletImport
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

/// Result shapes of formats that declare none.
@Suite struct InferenceTests {
  private let builder = GraphBuilder("forward", file: "model", constants: ConstantPool())
  private let open = Dimension.symbolic(bound: nil)

  private func input(_ dimensions: Dimension...) -> ValueID {
    builder.addInput(.tensor(TensorSignature(dtype: .float32, dimensions: dimensions)))
  }

  private func pool(_ kernel: Int, stride: Int) -> Pool {
    let none = [0, 0]
    return Pool(
      .sliding(
        kernel: [kernel, kernel], stride: [stride, stride], before: none, after: none, dilation: [1, 1], ceil: false), reduction: .maximum)
  }

  @Test func `Known extents give known extents`() throws {
    let x = input(.fixed(1), .fixed(3), .fixed(9), .fixed(8))
    let y = try builder.applied(pool(3, stride: 2), [x])
    #expect(try builder.signature(of: y).dimensions == [.fixed(1), .fixed(3), .fixed(4), .fixed(3)])
    #expect(throws: CallError.self) { try builder.applied(pool(10, stride: 1), [x]) }
  }

  @Test func `Only those extents stay open that open extents change`() throws {
    let x = input(open, .fixed(3), .symbolic(bound: 500), .fixed(8))
    let y = try builder.applied(pool(3, stride: 2), [x])
    #expect(try builder.signature(of: y).dimensions == [open, .fixed(3), open, .fixed(3)])
    // A result that is limited by the operand is not fixed, although it is the same for all greater extents.
    let end = SliceRange(end: .position(.constant(50)))
    #expect(try builder.signature(of: builder.applied(Slice(axis: 2, range: end), [x])).dimensions[2] == open)
  }

  @Test func `Numbers that the graph computes leave extents open`() throws {
    let x = input(.fixed(4))
    let count = try builder.extent(of: input(open), axis: 0)
    var operands: [ValueID?] = [builder.number(.double(0))]
    let shape = try builder.intArguments([count, GraphNumber(2)], "shape", &operands)
    let full = try builder.applied(Full(shape: shape, dtype: .float32), operands)
    #expect(try builder.signature(of: full).dimensions == [open, .fixed(2)])
    // The number of nonzero elements has a bound.
    let found = try builder.applied(NonZero(), [x])
    #expect(try builder.signature(of: found).dimensions == [.symbolic(bound: 4), .fixed(1)])
  }

  @Test func `An inferred extent of known shapes is known`() throws {
    let x = input(.fixed(4), .fixed(6))
    #expect(try builder.signature(of: builder.reshaped(x, [GraphNumber(3), GraphNumber(-1)])).dimensions == [.fixed(3), .fixed(8)])
    let y = input(open, .fixed(6))
    #expect(try builder.signature(of: builder.reshaped(y, [GraphNumber(3), GraphNumber(-1)])).dimensions == [.fixed(3), open])
  }

  @Test func `Concatenated tensors agree in all other extents`() throws {
    let joined = try builder.concatenated([input(.fixed(2), open), input(.fixed(3), .fixed(5)), input(.fixed(0), .fixed(5))], axis: 0)
    #expect(try builder.signature(of: joined).dimensions == [.fixed(5), .fixed(5)])
    let grown = try builder.concatenated([input(open, .fixed(5)), input(.fixed(3), .fixed(5))], axis: -2)
    #expect(try builder.signature(of: grown).dimensions == [open, .fixed(5)])
    #expect(throws: CallError.self) { try builder.concatenated([input(.fixed(2), .fixed(4)), input(.fixed(3), .fixed(5))], axis: 0) }
    #expect(throws: CallError.self) { try builder.concatenated([input(.fixed(2)), input(.fixed(3), .fixed(5))], axis: 0) }
    #expect(throws: CallError.self) { try builder.concatenated([], axis: 0) }
  }
}
