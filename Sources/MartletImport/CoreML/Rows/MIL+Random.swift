import MartletGraph
import MartletOps
import MartletTensor

/// Random numbers. With a seed of -1 or less, every run gives different numbers; with any other seed, every run gives the same.
let milRandomRows: MILCallTable = [
  "random_uniform": { call in
    try call.random(.uniform(low: try call.double("low", default: 0), high: try call.double("high", default: 1)))
  },
  "random_normal": { call in
    try call.random(.normal(mean: try call.double("mean", default: 0), deviation: try call.double("stddev", default: 1)))
  },
  "random_bernoulli": { call in try call.random(.bernoulli(probability: try call.double("prob", default: 0.5))) },
  // x, mode, size, seed
  "random_categorical": { call in
    let mode = try call.string("mode", default: "logits").lowercased()
    guard mode == "logits" || mode == "probs" else { throw CallError("mode \"\(mode)\" is not known") }
    let op = RandomCategory(
      count: .constant(try call.int("size", default: 1)), isLogarithmic: mode == "logits", dtype: try call.outputDType(),
      seed: try call.seed())
    try call.emit(op, [try call.tensor("x")])
  },
]

extension MILCall {
  fileprivate func seed() throws -> UInt64? {
    let seed = try int("seed", default: -1)
    return seed < 0 ? nil : UInt64(clamping: seed)
  }

  fileprivate mutating func random(_ distribution: RandomTensor.Distribution) throws {
    var operands: [ValueID?] = []
    let shape = try intArguments("shape", &operands)
    try emit(RandomTensor(distribution, shape: shape, dtype: try outputDType(), seed: try seed()), operands)
  }
}
