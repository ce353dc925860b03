import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Random numbers.
let randomRows: CallTable = [
  "aten::rand.out": { try $0.random(.uniform(low: 0, high: 1)) },
  "aten::randn.out": { try $0.random(.normal(mean: 0, deviation: 1)) },
  "aten::native_dropout.out": { call in
    let probability = try call.double(1)
    guard (0...1).contains(probability) else { throw CallError("a dropout probability of \(probability) is not in 0...1") }
    let trains = try call.isNone(2) || call.bool(2)
    let x = try call.tensor(0)
    if !trains || probability == 0 {
      try call.convert(0, out: 3)
      return try call.emit(Full(shape: nil, dtype: try call.dtype(4)), [call.number(.bool(true)), x], out: 4)
    }
    guard let type = ComputeType(for: try call.dtype(0)) else { throw CallError("is not supported for complex elements") }
    try call.emit(
      RandomTensor(.bernoulli(probability: 1 - probability), shape: nil, dtype: try call.dtype(4)), [x], out: 4)
    // Remaining elements are scaled to preserve the expected value.
    var program = PointwiseProgram()
    let mask = program.append(.load(operand: 0, as: type))
    let scale = program.append(.literal(.double(probability == 1 ? 0 : 1 / (1 - probability)), as: type))
    let kept = program.append(.binary(.mul, program.append(.load(operand: 1, as: type)), scale))
    program.append(.ternary(.select, mask, kept, program.append(.literal(.double(0), as: type))))
    try call.emit(Pointwise(program, dtype: try call.dtype(3), label: "dropout"), [try call.tensor(4), x], out: 3)
  },
]

extension OperatorCall {
  /// A tensor of the shape in argument 0.
  fileprivate mutating func random(_ distribution: RandomTensor.Distribution) throws {
    var operands: [ValueID?] = []
    let shape = try intList(0, &operands)
    try emit(RandomTensor(distribution, shape: shape, dtype: try dtype(1)), operands, out: 1)
  }
}
