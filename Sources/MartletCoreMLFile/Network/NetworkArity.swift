/// How many inputs and outputs a layer may have, according to the format.
struct NetworkArity {
  let inputs: ClosedRange<Int>
  let outputs: ClosedRange<Int>

  private init(_ inputs: ClosedRange<Int>, _ outputs: ClosedRange<Int> = 1...1) {
    self.inputs = inputs
    self.outputs = outputs
  }

  init(_ parameters: SpecNeuralNetworkLayer.OneOf_Layer) {
    self =
      switch parameters {
      case .loadConstant, .loadConstantNd, .fillStatic, .rangeStatic, .randomNormalStatic, .randomUniformStatic, .randomBernoulliStatic:
        Self(0...0)
      case .convolution, .crop, .batchedMatmul, .tile, .constantPad, .oneHot, .cumSum: Self(1...2)
      case .equal, .notEqual, .lessThan, .lessEqual, .greaterThan, .greaterEqual: Self(1...2)
      case .add, .multiply, .average, .max, .min: Self(1...Int.max)
      case .concat, .concatNd, .stack: Self(2...Int.max)
      case .dot, .cropResize, .reshapeLike, .reshapeDynamic, .broadcastToLike, .broadcastToDynamic, .reverseSeq, .sliceBySize: Self(2...2)
      case .logicalOr, .logicalXor, .logicalAnd: Self(2...2)
      case .addBroadcastable, .subtractBroadcastable, .multiplyBroadcastable, .divideBroadcastable, .floorDivBroadcastable,
        .modBroadcastable, .powBroadcastable, .maxBroadcastable, .minBroadcastable:
        Self(2...2)
      case .gather, .gatherNd, .gatherAlongAxis: Self(2...2)
      case .scatter, .scatterNd, .scatterAlongAxis, .whereBroadcastable: Self(3...3)
      case .split, .splitNd: Self(1...1, 2...Int.max)
      case .sliceDynamic: Self(2...7)
      case .rangeDynamic: Self(1...3)
      case .topK: Self(1...2, 2...2)
      case .nonMaximumSuppression: Self(2...5, 4...4)
      case .simpleRecurrent: Self(2...2, 2...2)
      case .gru: Self(1...2, 2...2)
      case .uniDirectionalLstm: Self(1...3, 3...3)
      case .biDirectionalLstm: Self(1...5, 5...5)
      case .custom: Self(1...Int.max, 1...Int.max)
      case .branch: Self(1...1, 0...0)
      case .loop: Self(0...1, 0...0)
      case .loopBreak, .loopContinue: Self(0...0, 0...0)
      default: Self(1...1)
      }
  }

  static func text(_ range: ClosedRange<Int>) -> String {
    range.upperBound == Int.max
      ? "at least \(range.lowerBound)" : range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
  }
}
