import MartletGraph
import MartletOps
import MartletTensor

/// Matrix products, Einstein sums and attention.
let milLinearAlgebraRows: MILCallTable = [
  // x, weight [out, in], bias?
  "linear": { call in
    guard try call.rank("weight") == 2 else { throw CallError("a weight of rank \(try call.rank("weight")) is not supported") }
    let transposed = try call.permuted(try call.tensor("weight"), [1, 0])
    var bias = try call.optionalTensor("bias")
    let out = try call.outputSignature()
    // A single number applies to all columns.
    if let given = bias, let shape = try call.signature(of: given).fixedShape, shape.allSatisfy({ $0 == 1 }) {
      guard case .fixed(let columns)? = out.dimensions.last else { throw CallError("a bias \(shape) does not fit") }
      let flat = try call.reshaped(given, [.known(.int(1))])
      bias = call.intermediate(
        Expand(shape: [.constant(columns)]), [flat], TensorSignature(TensorType(try call.signature(of: given).dtype, [columns])))
    }
    guard try call.rank("x") == 1 else { return try call.emit(MatMul(dtype: out.dtype), [try call.tensor("x"), transposed, bias]) }
    let row = try call.unsqueezed(try call.tensor("x"), axis: 0)
    let product = call.intermediate(
      MatMul(dtype: out.dtype), [row, transposed, bias], TensorSignature(dtype: out.dtype, dimensions: [.fixed(1)] + out.dimensions))
    try call.emit(Squeeze(axes: [0]), [product])
  },
  // x, y, transpose_x, transpose_y
  "matmul": { call in
    var operands: [ValueID?] = []
    var vectors: [Int] = []
    for (position, parameter) in ["x", "y"].enumerated() {
      var value = try call.tensor(parameter)
      let rank = try call.rank(parameter)
      guard rank > 0 else { throw CallError("parameter \(parameter) has rank 0") }
      if rank == 1 {
        value = try call.unsqueezed(value, axis: position)
        vectors.append(position)
      } else if try call.bool("transpose_\(parameter)", default: false) {
        value = try call.permuted(value, Array(0..<rank - 2) + [rank - 1, rank - 2])
      }
      operands.append(value)
    }
    let out = try call.outputSignature()
    if vectors.isEmpty { return try call.emit(MatMul(dtype: out.dtype), operands) }
    var product = out
    for position in vectors {
      let isRow = position == 0 && vectors.count == 1 && product.rank > 0
      product.dimensions.insert(.fixed(1), at: product.rank - (isRow ? 1 : 0))
    }
    let value = call.intermediate(MatMul(dtype: out.dtype), operands, product)
    try call.emit(Squeeze(axes: vectors.map { $0 == 0 ? -2 : -1 }), [value])
  },
  "einsum": { try $0.sumOfProducts() },
  // query, key, value, attn_mask?
  "scaled_dot_product_attention": { call in
    let query = try call.tensor("query")
    let rank = try call.rank("query")
    guard rank >= 3 else { throw CallError("query has rank \(rank)") }
    let op = Attention(scale: nil)
    let mask = try call.optionalTensor("attn_mask")
    let operands = [query, try call.tensor("key"), try call.tensor("value")]
    if rank == 4 { return try call.emit(op, operands + [mask]) }
    // Batch axes before the heads are joined. Without a heads axis there is one head.
    func four(_ value: ValueID) throws -> ValueID {
      let extents = try call.extents(of: value)
      guard extents.count >= 3 else { throw CallError("an operand has rank \(extents.count)") }
      if extents.count == 3 { return try call.reshaped(value, [extents[0], .known(.int(1)), extents[1], extents[2]]) }
      let batch = try call.product(of: value, axes: 0..<extents.count - 3)
      return try call.reshaped(value, [batch] + extents.suffix(3))
    }
    let joined = try operands.map { try four($0) }
    var joinedMask = mask
    if var whole = mask, try call.signature(of: whole).rank > 2 {
      while try call.signature(of: whole).rank < rank { whole = try call.unsqueezed(whole, axis: 0) }
      let signature = try call.signature(of: whole)
      // Joined batch axes cannot broadcast separately.
      if rank > 4, signature.dimensions.prefix(rank - 3).contains(where: { $0 != .fixed(1) }) {
        var operands: [ValueID?] = [whole]
        let extents = Array(try call.extents(of: query).prefix(rank - 3)) + Array(repeating: .known(.int(-1)), count: 3)
        let shape = try call.intArguments(extents, "attn_mask", &operands)
        let dimensions = try call.signature("query").dimensions.prefix(rank - 3) + signature.dimensions.suffix(3)
        whole = call.intermediate(
          Expand(shape: shape), operands, TensorSignature(dtype: signature.dtype, dimensions: Array(dimensions)))
      }
      joinedMask = try four(whole)
    }
    var signature = try call.signature(of: joined[0])
    if let last = try call.signature(of: joined[2]).dimensions.last { signature.dimensions[3] = last }
    signature.dtype = try call.outputDType()
    let result = call.intermediate(op, joined + [joinedMask], signature)
    let extents = try call.extents(of: query).dropLast()
    try call.reshape(result, extents + [try call.extent(of: operands[2], axis: -1)])
  },
]

extension MILCall {
  /// Einstein summation of one or two operands, such as `bnqd,bnkd->bnqk`.
  fileprivate mutating func sumOfProducts() throws {
    let equation = try string("equation").filter { $0 != " " }
    var values = try tensors("values")
    let sides = equation.split(separator: "-", omittingEmptySubsequences: false)
    guard sides.count == 2, sides[1].first == ">" else { throw CallError("equation \"\(equation)\" is not supported") }
    let output = Array(sides[1].dropFirst())
    var labels = sides[0].split(separator: ",", omittingEmptySubsequences: false).map { Array($0) }
    guard labels.count == values.count, (1...2).contains(values.count), !equation.contains("."), Set(output).count == output.count else {
      throw CallError("equation \"\(equation)\" is not supported")
    }
    for index in values.indices {
      guard try signature(of: values[index]).rank == labels[index].count, Set(labels[index]).count == labels[index].count else {
        throw CallError("equation \"\(equation)\" does not fit its operands")
      }
      // Axes that occur nowhere else are summed first.
      let others = Set(output + labels.enumerated().filter { $0.offset != index }.flatMap(\.element))
      let summed = labels[index].indices.filter { !others.contains(labels[index][$0]) }
      if !summed.isEmpty {
        var signature = try signature(of: values[index])
        signature.dimensions = labels[index].indices.filter { !summed.contains($0) }.map { signature.dimensions[$0] }
        values[index] = intermediate(
          Reduce(.sum, axes: summed, keepsAxes: false, dtype: signature.dtype), [values[index]], signature)
        labels[index] = labels[index].filter { others.contains($0) }
      }
    }
    guard output.allSatisfy({ label in labels.contains { $0.contains(label) } }) else {
      throw CallError("equation \"\(equation)\" has a result of no operand")
    }
    if values.count == 1 {
      return try set(try permuted(values[0], output.map { labels[0].firstIndex(of: $0)! }))
    }
    let (a, b) = (labels[0], labels[1])
    let batch = a.filter { b.contains($0) && output.contains($0) }
    let inner = a.filter { b.contains($0) && !output.contains($0) }
    let rows = a.filter { !b.contains($0) }
    let columns = b.filter { !a.contains($0) }
    var extents: [Character: GraphNumber] = [:]
    for (index, list) in labels.enumerated() {
      for (axis, label) in list.enumerated() {
        let extent = try extent(of: values[index], axis: axis)
        if extents[label]?.known == nil || extents[label]?.known == .int(1) { extents[label] = extent }
      }
    }
    func size(_ list: [Character]) throws -> GraphNumber {
      var product = GraphNumber.known(.int(1))
      for label in list { product = try arithmetic(.mul, product, extents[label]!) }
      return product
    }
    let left = try permuted(values[0], (batch + rows + inner).map { a.firstIndex(of: $0)! })
    let right = try permuted(values[1], (batch + inner + columns).map { b.firstIndex(of: $0)! })
    let (m, k, n) = (try size(rows), try size(inner), try size(columns))
    // Batch axes are not moved, because those of extent 1 broadcast.
    let matrices = [
      try reshaped(left, Array(try self.extents(of: left).prefix(batch.count)) + [m, k]),
      try reshaped(right, Array(try self.extents(of: right).prefix(batch.count)) + [k, n]),
    ]
    let dtype = try outputDType()
    var product = try signature(of: matrices[0])
    product.dtype = dtype
    for (axis, label) in batch.enumerated() {
      product.dimensions[axis] = .symbolic(bound: nil)
      if case .int(let extent)? = extents[label]?.known { product.dimensions[axis] = .fixed(Int(widening: extent)) }
    }
    product.dimensions[product.rank - 1] = try signature(of: matrices[1]).dimensions[product.rank - 1]
    let result = intermediate(MatMul(dtype: dtype), matrices, product)
    let order = batch + rows + columns
    let spread = try reshaped(result, order.map { extents[$0]! })
    try set(try permuted(spread, output.map { order.firstIndex(of: $0)! }))
  }
}
