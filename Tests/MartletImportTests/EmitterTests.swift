import MartletGraph
import MartletImport
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

/// What several formats share: windows, recurrent gates.
@Suite struct EmitterTests {
  private let builder = GraphBuilder("forward", file: "model", constants: ConstantPool())

  private func window(
    _ kernel: [Int], stride: [Int], dilation: [Int]? = nil, _ padding: SpatialWindow.Padding
  ) throws -> SpatialWindow {
    try SpatialWindow(kernel: kernel, stride: stride, dilation: dilation ?? kernel.map { _ in 1 }, padding: padding)
  }

  private func image(_ dimensions: Dimension...) -> ValueID {
    builder.addInput(.tensor(TensorSignature(dtype: .float32, dimensions: [.fixed(1), .fixed(3)] + dimensions)))
  }

  // MARK: Windows

  /// Amounts as TensorFlow computes them: `max((ceil(n / s) - 1) s + (k - 1) d + 1 - n, 0)`, the odd element behind.
  @Test(arguments: [
    (5, 3, 2, 1, [1, 1]), (6, 3, 2, 1, [0, 1]), (6, 3, 1, 1, [1, 1]), (7, 2, 3, 1, [0, 1]), (8, 1, 4, 1, [0, 0]), (9, 3, 2, 2, [2, 2]),
  ])
  func `Padding to the same extent`(extent: Int, kernel: Int, stride: Int, dilation: Int, expected: [Int]) throws {
    let x = image(.fixed(extent))
    for isLower in [false, true] {
      let window = try window([kernel], stride: [stride], dilation: [dilation], .same(isLower: isLower))
      let (operand, amounts) = try builder.padded(x, window, with: .double(0))
      #expect(operand == x)
      #expect([amounts[0].before, amounts[0].after] == (isLower ? expected.reversed() : expected))
    }
  }

  @Test func `Padding of extents that only a call knows becomes elements of the operand`() throws {
    let x = image(.fixed(5), .symbolic(bound: 9))
    let window = try window([3, 3], stride: [2, 2], .same(isLower: false))
    let (operand, amounts) = try builder.padded(x, window, with: .double(0))
    #expect(operand != x && amounts.allSatisfy { $0 == (0, 0) })
    let open = Dimension.symbolic(bound: nil)
    #expect(try builder.signature(of: operand).dimensions == [.fixed(1), .fixed(3), open, open])
    // Explicit amounts never depend on extents.
    let explicit = try self.window([3, 3], stride: [1, 1], .explicit([(1, 2), (3, 4)]))
    let (same, given) = try builder.padded(x, explicit, with: .double(0))
    #expect(same == x && given.map { [$0.before, $0.after] } == [[1, 2], [3, 4]])
  }

  /// `full = (n - 1) s + (k - 1) d + 1` elements, of which padding is cut off.
  @Test(
    arguments: [
      // SAME gives n s elements: the excess is cut off, an odd one behind; what is missing is added behind.
      (4, 3, 2, nil, [0, 1], 0), (4, 5, 2, nil, [1, 2], 0), (4, 2, 3, nil, [0, 0], 1),
      // A wanted extent: full is 9.
      (4, 3, 2, 8, [0, 1], 0), (4, 3, 2, 10, [0, 0], 1), (4, 3, 2, 7, [1, 1], 0),
    ] as [(Int, Int, Int, Int?, [Int], Int)])
  func `Padding of a transposed convolution to the same extent`(
    extent: Int, kernel: Int, stride: Int, wanted: Int?, expected: [Int], added: Int
  ) throws {
    let window = try window([kernel], stride: [stride], .same(isLower: false))
    let (padding, output) = try window.transposed(input: [.fixed(extent)], wanted: wanted.map { [$0] })
    #expect([padding[0].before, padding[0].after] == expected && output == [added])
  }

  @Test func `A wanted extent changes explicit padding behind only`() throws {
    let window = try window([3], stride: [2], .explicit([(1, 0)]))
    // The full result has 9 elements, 8 without the one in front.
    for (wanted, after, added) in [(8, 0, 0), (6, 2, 0), (10, 0, 2)] {
      let (padding, output) = try window.transposed(input: [.fixed(4)], wanted: [wanted])
      #expect(padding[0] == (1, after) && output == [added])
    }
    #expect(throws: CallError.self) { try window.transposed(input: [.fixed(4), .fixed(4)], wanted: nil) }
  }

  @Test(arguments: [([3], [0], [1]), ([3], [1], [-1]), ([1 << 31], [1], [1]), ([3, 3], [1], [1, 1]), ([0], [1], [1])])
  func `Windows that no arithmetic is safe with are refused`(kernel: [Int], stride: [Int], dilation: [Int]) {
    #expect(throws: CallError.self) {
      try SpatialWindow(kernel: kernel, stride: stride, dilation: dilation, padding: .same(isLower: false))
    }
  }

  // MARK: Recurrent layers

  @Test func `Gates are brought into the operator's order`() throws {
    let torch: [RecurrentGate] = [.input, .forget, .cell, .output]
    let stacked = builder.constant(1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5)
    let reordered = try builder.reordered(stacked, from: torch, for: .lstm)
    let parts: [RecurrentGate: ValueID] = [
      .reset: builder.constant(1, 2), .update: builder.constant(3, 4), .new: builder.constant(5, 6),
    ]
    let joined = try builder.stacked(parts, for: .gru)
    #expect(try builder.reordered(stacked, from: RecurrentCell.Kind.lstm.gates, for: .lstm) == stacked)
    #expect(throws: CallError.self) { try builder.reordered(stacked, from: [.input, .forget, .cell], for: .lstm) }
    #expect(throws: CallError.self) { try builder.stacked(parts, for: .lstm) }
    let method = try BuiltMethod(try builder.graph(outputs: [reordered, joined]))
    #expect(try method() == [1, 1.5, 2, 2.5, 4, 4.5, 3, 3.5] + [1, 2, 5, 6, 3, 4])
  }
}
