/// The ranks that a layer's blobs may have, according to the format. Those that depend on values of the parameters are left to the importer.
struct NetworkRanks {
  /// Of the first input and of the first output.
  var allowed = 0...Int.max
  /// How many axes the first output has more than the first input; nil if that is not fixed.
  var added: Int?
  /// All inputs have the rank of the first one.
  var areInputsEqual = false
  /// All outputs have the rank of the first one.
  var areOutputsEqual = false

  /// A layer whose output has the rank of its first input.
  private init(_ least: Int, _ most: Int = .max, areInputsEqual: Bool = false, areOutputsEqual: Bool = false) {
    allowed = least...most
    added = 0
    self.areInputsEqual = areInputsEqual
    self.areOutputsEqual = areOutputsEqual
  }

  /// A layer that adds or removes axes.
  private init(added: Int) { self.added = added }

  private init() {}

  init(_ parameters: SpecNeuralNetworkLayer.OneOf_Layer) {
    self =
      switch parameters {
      case .convolution, .pooling, .embedding: Self(4)
      case .convolution3D, .pooling3D, .globalPooling3D, .sequenceRepeat: Self(5)
      case .innerProduct: Self(1, 5)
      case .embeddingNd: Self(2, 5)
      case .padding: Self(2)
      case .batchnorm, .lrn, .upsample, .bias, .scale, .l2Normalize, .flatten, .reorganizeData, .mvn, .softmax, .resizeBilinear: Self(3)
      case .activation(let source): Self(source.hasParametersByChannel ? 3 : 0)
      case .split: Self(3, areOutputsEqual: true)
      case .crop, .dot: Self(3, areInputsEqual: true)
      case .concat(let source): Self(source.sequenceConcat ? 5 : 3, areInputsEqual: true)
      case .cropResize: Self(5, areInputsEqual: true)
      case .reshape, .permute, .simpleRecurrent, .gru, .uniDirectionalLstm, .biDirectionalLstm: Self(5, 5)
      case .reduce(let source): Self(source.axis.count)
      case .slice(let source): Self(source.axis.count)
      case .unary, .constantPad, .argSort: Self(0)
      case .topK: Self(0, areOutputsEqual: true)
      case .argMax(let source): source.removeDim ? Self() : Self(0)
      case .argMin(let source): source.removeDim ? Self() : Self(0)
      case .expandDims(let source): Self(added: source.axes.count)
      case .squeeze(let source): source.squeezeAll ? Self() : Self(added: -source.axes.count)
      default: Self()
      }
  }
}

extension SpecActivationParams {
  /// True for functions that have parameters for each channel.
  fileprivate var hasParametersByChannel: Bool {
    switch nonlinearityType {
    case .preLu, .parametricSoftplus: true
    default: false
    }
  }
}

extension SpecReduceLayerParams.ReduceAxis {
  /// The rank that the axes need.
  fileprivate var count: Int {
    switch self {
    case .chw: 3
    case .hw: 2
    default: 1
    }
  }
}

extension SpecSliceLayerParams.SliceAxis {
  /// The rank that the axis needs, which is counted from the last one.
  fileprivate var count: Int {
    switch self {
    case .channelAxis: 3
    case .heightAxis: 2
    default: 1
    }
  }
}
