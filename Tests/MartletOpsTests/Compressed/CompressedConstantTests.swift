import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import Testing

private func constant<Element: BitwiseCopyable>(_ dtype: DType, _ shape: [Int], _ elements: [Element]) -> Constant {
  Constant(HostTensor(dtype, shape, elements))
}

private func elements<Element: BitwiseCopyable>(_ constant: Constant, as type: Element.Type = Element.self) throws -> [Element] {
  let bytes = try constant.bytes()
  defer { withExtendedLifetime(bytes.owner) {} }
  let pointer = unsafe bytes.pointer.assumingMemoryBound(to: Element.self)
  return (0..<constant.type.elementCount).map { unsafe pointer[$0] }
}

/// Expected values are those of coremltools' decompression of the same constants.
@Suite struct CompressedConstantTests {
  private let indices = constant(
    .uint8, [4, 3, 2], [3, 2, 2, 3, 2, 3, 3, 0, 0, 1, 1, 3, 3, 0, 1, 3, 0, 3, 0, 1, 3, 1, 1, 1] as [UInt8])
  private let mask = constant(
    .uint8, [4, 6], [1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 1] as [UInt8])

  @Test(arguments: [false, true])
  func packedNumbersOfAllWidthsComeBack(highBitFirst: Bool) throws {
    var random = SeededGenerator(seed: 5)
    for bits in 1...8 {
      for count in [0, 1, 7, 8, 9, 100] {
        let values = (0..<count).map { _ in UInt8.random(in: 0...UInt8((1 << bits) - 1), using: &random) }
        var stream = [UInt8](repeating: 0, count: (count * bits + 7) / 8)
        for (index, value) in values.enumerated() {
          for bit in 0..<bits where value >> (highBitFirst ? bits - 1 - bit : bit) & 1 == 1 {
            let place = (index * bits + bit) % 8
            stream[(index * bits + bit) / 8] |= 1 << (highBitFirst ? 7 - place : place)
          }
        }
        let source = constant(.uint8, [stream.count], stream)
        let unsigned = try CompressedConstant.unpacked(source, bits: bits, isSigned: false, highBitFirst: highBitFirst, shape: [count])
        #expect(try elements(unsigned, as: UInt8.self) == values)
        let signed = try CompressedConstant.unpacked(source, bits: bits, isSigned: true, highBitFirst: highBitFirst, shape: [count])
        #expect(try elements(signed, as: Int8.self).map(Int.init) == values.map { $0 >> (bits - 1) == 1 ? Int($0) - (1 << bits) : Int($0) })
        if count > 0 {
          #expect(throws: OperatorError.self) {
            try CompressedConstant.unpacked(source, bits: bits, isSigned: false, shape: [count + 9])
          }
        }
      }
    }
    for shape in [[Int.max, 2], [-1], [1 << 50]] {
      #expect(throws: OperatorError.self) {
        try CompressedConstant.unpacked(constant(.uint8, [1], [0] as [UInt8]), bits: 1, isSigned: false, shape: shape)
      }
    }
  }

  @Test func vectorsLieAlongTheirAxis() throws {
    let table = constant(
      .int8, [2, 1, 1, 4, 3],
      [43, -49, 97, -11, -5, 0, 16, 10, 1, 98, 60, 57, 39, 24, -32, 96, -7, -57, 68, -68, 70, 22, -77, -91] as [Int8])
    let expected: [(Int, [Int], [Int8])] = [
      (
        0, [12, 3, 2],
        [
          98, 16, 16, 98, 16, 98, 60, 10, 10, 60, 10, 60, 57, 1, 1, 57, 1, 57, 98, 43, 43, -11, -11, 98, 60, -49, -49, -5, -5, 60, 57,
          97, 97, 0, 0, 57, 22, 39, 96, 22, 39, 22, -77, 24, -7, -77, 24, -77, -91, -32, -57, -91, -32, -91, 39, 96, 22, 96, 96, 96, 24,
          -7, -77, -7, -7, -7, -32, -57, -91, -57, -57, -57,
        ]
      ),
      (
        1, [4, 9, 2],
        [
          98, 16, 60, 10, 57, 1, 16, 98, 10, 60, 1, 57, 16, 98, 10, 60, 1, 57, 98, 43, 60, -49, 57, 97, 43, -11, -49, -5, 97, 0, -11, 98,
          -5, 60, 0, 57, 22, 39, -77, 24, -91, -32, 96, 22, -7, -77, -57, -91, 39, 22, 24, -77, -32, -91, 39, 96, 24, -7, -32, -57, 22,
          96, -77, -7, -91, -57, 96, 96, -7, -7, -57, -57,
        ]
      ),
      (
        -1, [4, 3, 6],
        [
          98, 60, 57, 16, 10, 1, 16, 10, 1, 98, 60, 57, 16, 10, 1, 98, 60, 57, 98, 60, 57, 43, -49, 97, 43, -49, 97, -11, -5, 0, -11, -5,
          0, 98, 60, 57, 22, -77, -91, 39, 24, -32, 96, -7, -57, 22, -77, -91, 39, 24, -32, 22, -77, -91, 39, 24, -32, 96, -7, -57, 22,
          -77, -91, 96, -7, -57, 96, -7, -57, 96, -7, -57,
        ]
      ),
    ]
    for (axis, shape, values) in expected {
      let result = try CompressedConstant.lookedUp(indices, table: table, vectorAxis: axis)
      #expect(result.type.shape == shape)
      #expect(try elements(result, as: Int8.self) == values)
    }
    #expect(throws: OperatorError.self) { try CompressedConstant.lookedUp(indices, table: table, vectorAxis: nil) }
    #expect(throws: OperatorError.self) { try CompressedConstant.lookedUp(indices, table: table, vectorAxis: 3) }
  }

  @Test func groupsHaveTablesOfTheirOwn() throws {
    let table = constant(
      .int8, [2, 3, 1, 4, 1],
      [-11, -92, -71, 2, 93, -7, 61, 82, 64, 25, -12, 2, -47, -1, -24, -50, 97, -97, -80, -61, 92, 38, 75, -60] as [Int8])
    let result = try CompressedConstant.lookedUp(indices, table: table, vectorAxis: nil)
    #expect(
      try elements(result, as: Int8.self) == [
        2, -71, 61, 82, -12, 2, 2, -11, 93, -7, 25, 2, -50, -47, -97, -61, 92, -60, -47, -1, -61, -97, 38, 38,
      ])
  }

  @Test func aTableWithoutTheEntryOrGroupsThatDoNotDivideAreErrors() throws {
    let short = try CompressedConstant.lookedUp(
      indices, table: constant(.float32, [1, 1, 1, 2, 1], [1, 2] as [Float]), vectorAxis: nil)
    #expect(throws: (any Error).self) { try short.bytes() }
    for shape in [[3, 1, 1, 4, 1], [1, 1, 4, 1], [0, 1, 1, 4, 1], [1, 1, 1, 0, 1], [1, 1, 1, 4, 0]] {
      let table = Constant(HostTensor(zeros: .float32, shape: shape))
      #expect(throws: OperatorError.self) { try CompressedConstant.lookedUp(indices, table: table, vectorAxis: 0) }
    }
  }

  @Test func sparseElementsGoWhereTheMaskIsSet() throws {
    let data = constant(.float32, [14], [-2.25, 15.75, 12.25, -1.5, 4, 17.5, 14, 0, 15, 2, 8, 6, -1.25, -2] as [Float])
    #expect(
      try elements(try CompressedConstant.spread(data, mask: mask), as: Float.self) == [
        -2.25, 0, 0, 0, 15.75, 12.25, -1.5, 0, 4, 0, 17.5, 14, 0, 0, 15, 2, 8, 6, 0, -1.25, 0, 0, 0, -2,
      ])
    for count in [13, 15] {
      let wrong = try CompressedConstant.spread(Constant(HostTensor(zeros: .int8, shape: [count])), mask: mask)
      #expect(throws: (any Error).self) { try wrong.bytes() }
    }
  }

  @Test func sparseIndicesAreLookedUpByTheirPlaces() throws {
    let nonzero = constant(.uint8, [14], [1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0] as [UInt8])
    let table = constant(.int8, [2, 1, 2, 2], [-55, -70, -24, 62, -20, -24, 14, 94] as [Int8])
    let first = try CompressedConstant.lookedUpSparse(mask: mask, indices: nonzero, table: table, vectorAxis: 0)
    #expect(first.mask.type.shape == [8, 6])
    #expect(
      try elements(first.mask, as: UInt8.self) == [
        1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 1, 0,
        1, 0, 0, 0, 1,
      ])
    #expect(
      try elements(first.elements, as: Int8.self) == [
        -24, -24, -24, 62, 62, 62, -24, -24, -55, -24, 62, 62, -70, 62, 14, -20, -20, 14, -20, 94, -24, -24, 94, -24, 14, -20, 94, -24,
      ])
    let second = try CompressedConstant.lookedUpSparse(mask: mask, indices: nonzero, table: table, vectorAxis: -1)
    #expect(
      try elements(second.mask, as: UInt8.self) == [
        1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0,
        0, 0, 0, 1, 1,
      ])
    #expect(
      try elements(second.elements, as: Int8.self) == [
        -24, 62, -24, 62, -24, 62, -24, 62, -24, 62, -55, -70, -24, 62, 14, 94, -20, -24, -20, -24, 14, 94, -20, -24, 14, 94, -20, -24,
      ])
  }

  @Test func blocksHaveScalesAndOffsetsAlsoOfSparseElements() throws {
    let data = constant(.int8, [14], [-2, 1, -1, 1, -1, 2, 0, 2, 7, -6, 0, -1, -3, -5] as [Int8])
    let scales = constant(.float32, [2, 3], [0.25, 1, 1.75, 0.25, 1, 2] as [Float])
    let offsets = constant(.int8, [2, 3], [7, -5, -8, 2, -8, -4] as [Int8])
    let expected: [Float] = [-2.25, 15.75, 12.25, -1.5, 4, 17.5, 14, 0, 15, 2, 8, 6, -1.25, -2]
    let sparse = try CompressedConstant.shiftedAndScaledSparse(mask: mask, elements: data, scales: scales, offsets: offsets)
    #expect(try elements(sparse.elements, as: Float.self) == expected)
    let half = try CompressedConstant.cast(scales, to: .float16)
    let dense = try CompressedConstant.shiftedAndScaled(
      try CompressedConstant.spread(data, mask: mask), scales: half, offsets: try CompressedConstant.cast(offsets, to: .float32))
    #expect(dense.type.dtype == .float16)
    let kept = zip(try elements(dense, as: Float16.self), try elements(mask, as: UInt8.self)).filter { $0.1 != 0 }.map { Float($0.0) }
    #expect(kept == expected)
    for shape in [[4, 3], [4, 4], [3], [2, 0]] {
      let wrong = Constant(HostTensor(zeros: .float32, shape: shape))
      #expect(throws: OperatorError.self, "\(shape)") {
        try CompressedConstant.shiftedAndScaled(try CompressedConstant.spread(data, mask: mask), scales: wrong, offsets: offsets)
      }
    }
  }

  /// Rows longer and shorter than what is decoded at a time, with borders of blocks on any axes.
  @Test(arguments: [[1, 1, 1], [6, 1, 1], [1, 5, 1], [1, 1, 4], [3, 5, 1], [6, 1, 130], [2, 5, 26], [6, 5, 1300]])
  func blocksMayLieOnAnyAxes(groups: [Int]) throws {
    var random = SeededGenerator(seed: 11)
    let shape = [6, 5, 1300]
    let count = shape.reduce(1, *)
    let groupCount = groups.reduce(1, *)
    let data = (0..<count).map { _ in Int8.random(in: -128...127, using: &random) }
    let scales = (0..<groupCount).map { _ in Float16(Float.random(in: -2...2, using: &random)) }
    let offsets = (0..<groupCount).map { _ in Int8.random(in: -9...9, using: &random) }
    let indices = data.map { UInt8(bitPattern: $0) & 3 }
    let table = (0..<4 * groupCount).map { _ in Float.random(in: -2...2, using: &random) }
    let scaled: [Float16] = try elements(
      CompressedConstant.shiftedAndScaled(
        constant(.int8, shape, data), scales: constant(.float16, groups, scales), offsets: constant(.int8, groups, offsets)))
    let found: [Float] = try elements(
      CompressedConstant.lookedUp(
        constant(.uint8, shape, indices), table: constant(.float32, groups + [4, 1], table), vectorAxis: nil))
    var differences = 0
    for index in 0..<count {
      let place = [index / 6500, index / 1300 % 5, index % 1300]
      var group = 0
      for axis in 0..<3 { group = group * groups[axis] + place[axis] / (shape[axis] / groups[axis]) }
      let expected = Float16((Float(data[index]) - Float(offsets[group])) * Float(scales[group]))
      if scaled[index] != expected || found[index] != table[4 * group + Int(indices[index])] { differences += 1 }
    }
    #expect(differences == 0)
  }

  /// Bits of packed numbers, whether they are signed, and blocks of the table.
  @Test(arguments: [(8, true), (8, false), (4, true), (4, false)], [[6, 1], [1, 1], [6, 2], [1, 4]])
  func rowsOfTablesAreLookedUpBeforeTheyAreDecoded(_ packing: (bits: Int, isSigned: Bool), blocks: [Int]) throws {
    let (rows, width) = (6, 8)
    var random = SeededGenerator(seed: 3)
    let bytes = (0..<rows * width * packing.bits / 8).map { _ in UInt8.random(in: 0...255, using: &random) }
    let count = blocks[0] * blocks[1]
    let data =
      packing.bits == 8
      ? constant(packing.isSigned ? .int8 : .uint8, [rows, width], bytes)
      : try CompressedConstant.unpacked(
        constant(.uint8, [bytes.count], bytes), bits: 4, isSigned: packing.isSigned, shape: [rows, width])
    let scales = constant(.float16, blocks, random.floats(count, in: 0.01...2).map { Float16($0).bitPattern })
    let offsets = constant(.int8, blocks, (0..<count).map { _ in Int8.random(in: -9...9, using: &random) })
    for offsets in [nil, offsets] {
      var graph = Graph(name: "g")
      let table = graph.addConstant(try CompressedConstant.shiftedAndScaled(data, scales: scales, offsets: offsets))
      let indices = graph.addInput(.tensor(TensorSignature(TensorType(.int32, [5]))))
      graph.outputs = [
        graph.addNode(
          Index(axes: [0], allowsNegative: true), [table, indices],
          type: .tensor(TensorSignature(TensorType(.float16, [5, width]))), source: "gather")
      ]
      let rewritten = try #require(try LookUpCompressedTables().rewrite(graph))
      try rewritten.verify()
      #expect(rewritten.nodes.map(\.op.name) == ["quantized_embedding"])
      let positions = HostTensor(.int32, [5], [5, 0, -6, 3, -1] as [Int32])
      let expected = try runGraph(graph, [positions]).elements(as: UInt16.self)
      #expect(Set(expected).count > 4)
      #expect(try runGraph(rewritten, [positions]).elements(as: UInt16.self) == expected)
    }
  }
}
