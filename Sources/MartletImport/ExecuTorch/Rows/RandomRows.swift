import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Random numbers.
let randomRows: CallTable = [
  "aten::rand.out(size, out)": { try $0.random(.uniform(low: 0, high: 1)) },
  "aten::randn.out(size, out)": { try $0.random(.normal(mean: 0, deviation: 1)) },
  "aten::native_dropout.out(input, p, train, out0, out1)": { call in
    let probability = try call.double("p")
    guard (0...1).contains(probability) else { throw CallError("a dropout probability of \(probability) is not in 0...1") }
    let trains = try call.isNone("train") || call.bool("train")
    let x = try call.tensor("input")
    if !trains || probability == 0 {
      try call.convert("input", out: "out0")
      return try call.emit(Full(shape: nil, dtype: try call.dtype("out1")), [call.number(.bool(true)), x], out: "out1")
    }
    guard let type = ComputeType(for: try call.dtype("input")) else { throw CallError("is not supported for complex elements") }
    try call.emit(
      RandomTensor(.bernoulli(probability: 1 - probability), shape: nil, dtype: try call.dtype("out1")), [x], out: "out1")
    // Remaining elements are scaled to preserve the expected value.
    var program = PointwiseProgram()
    let mask = program.append(.load(operand: 0, as: type))
    let scale = program.append(.literal(.double(probability == 1 ? 0 : 1 / (1 - probability)), as: type))
    let kept = program.append(.binary(.mul, program.append(.load(operand: 1, as: type)), scale))
    program.append(.ternary(.select, mask, kept, program.append(.literal(.double(0), as: type))))
    try call.emit(Pointwise(program, dtype: try call.dtype("out0"), label: "dropout"), [try call.tensor("out1"), x], out: "out0")
  },
]

extension OperatorCall {
  /// A tensor of the shape `size`.
  fileprivate mutating func random(_ distribution: RandomTensor.Distribution) throws {
    var operands: [ValueID?] = []
    let shape = try intList("size", &operands)
    try emit(RandomTensor(distribution, shape: shape, dtype: try dtype("out")), operands, out: "out")
  }
}
