// Written by generate.py from neural_network.proto; not to be edited.
// swift-format-ignore-file

enum SpecNeuralNetworkMultiArrayShapeMapping: Hashable, Sendable {
  case rank5ArrayMapping
  case exactArrayMapping
  case UNRECOGNIZED(Int)
  init(rawValue: Int) {
    switch rawValue {
    case 0: self = .rank5ArrayMapping
    case 1: self = .exactArrayMapping
    default: self = .UNRECOGNIZED(rawValue)
    }
  }
  var rawValue: Int {
    switch self {
    case .rank5ArrayMapping: 0
    case .exactArrayMapping: 1
    case .UNRECOGNIZED(let value): value
    }
  }
}
enum SpecNeuralNetworkImageShapeMapping: Hashable, Sendable {
  case rank5ImageMapping
  case rank4ImageMapping
  case UNRECOGNIZED(Int)
  init(rawValue: Int) {
    switch rawValue {
    case 0: self = .rank5ImageMapping
    case 1: self = .rank4ImageMapping
    default: self = .UNRECOGNIZED(rawValue)
    }
  }
  var rawValue: Int {
    switch self {
    case .rank5ImageMapping: 0
    case .rank4ImageMapping: 1
    case .UNRECOGNIZED(let value): value
    }
  }
}
enum SpecScatterMode: Hashable, Sendable {
  case scatterUpdate
  case scatterAdd
  case scatterSub
  case scatterMul
  case scatterDiv
  case scatterMax
  case scatterMin
  case UNRECOGNIZED(Int)
  init(rawValue: Int) {
    switch rawValue {
    case 0: self = .scatterUpdate
    case 1: self = .scatterAdd
    case 2: self = .scatterSub
    case 3: self = .scatterMul
    case 4: self = .scatterDiv
    case 5: self = .scatterMax
    case 6: self = .scatterMin
    default: self = .UNRECOGNIZED(rawValue)
    }
  }
  var rawValue: Int {
    switch self {
    case .scatterUpdate: 0
    case .scatterAdd: 1
    case .scatterSub: 2
    case .scatterMul: 3
    case .scatterDiv: 4
    case .scatterMax: 5
    case .scatterMin: 6
    case .UNRECOGNIZED(let value): value
    }
  }
}
struct SpecNeuralNetwork: ProtobufMessage {
  static var number: Int { 125 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var layers: [SpecNeuralNetworkLayer] { fields.messages(1).map { SpecNeuralNetworkLayer($0) } }
  var preprocessing: [SpecNeuralNetworkPreprocessing] { fields.messages(2).map { SpecNeuralNetworkPreprocessing($0) } }
  var arrayInputShapeMapping: SpecNeuralNetworkMultiArrayShapeMapping { SpecNeuralNetworkMultiArrayShapeMapping(rawValue: fields.enumeration(5)) }
  var imageInputShapeMapping: SpecNeuralNetworkImageShapeMapping { SpecNeuralNetworkImageShapeMapping(rawValue: fields.enumeration(6)) }
  var updateParams: SpecNetworkUpdateParameters { SpecNetworkUpdateParameters(fields.message(10)) }
  var hasUpdateParams: Bool { fields.contains(10) }
}
struct SpecNeuralNetworkImageScaler: ProtobufMessage {
  static var number: Int { 126 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var channelScale: Float { fields.float(10) }
  var blueBias: Float { fields.float(20) }
  var greenBias: Float { fields.float(21) }
  var redBias: Float { fields.float(22) }
  var grayBias: Float { fields.float(30) }
}
struct SpecNeuralNetworkMeanImage: ProtobufMessage {
  static var number: Int { 127 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var meanImage: [Float] { fields.floats(1) }
}
struct SpecNeuralNetworkPreprocessing: ProtobufMessage {
  static var number: Int { 128 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var featureName: String { fields.string(1) }
  enum OneOf_Preprocessor: Sendable {
    case scaler(SpecNeuralNetworkImageScaler)
    case meanImage(SpecNeuralNetworkMeanImage)
  }
  var preprocessor: OneOf_Preprocessor? {
    let fields = self.fields.choice([82, 90])
    switch fields.chosen {
    case 10: return .scaler(SpecNeuralNetworkImageScaler(fields.message(10)))
    case 11: return .meanImage(SpecNeuralNetworkMeanImage(fields.message(11)))
    default: return nil
    }
  }
  var scaler: SpecNeuralNetworkImageScaler {
    if case .scaler(let value)? = preprocessor { value } else { SpecNeuralNetworkImageScaler(.empty) }
  }
  var meanImage: SpecNeuralNetworkMeanImage {
    if case .meanImage(let value)? = preprocessor { value } else { SpecNeuralNetworkMeanImage(.empty) }
  }
}
struct SpecActivationReLU: ProtobufMessage {
  static var number: Int { 129 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecActivationLeakyReLU: ProtobufMessage {
  static var number: Int { 130 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
}
struct SpecActivationTanh: ProtobufMessage {
  static var number: Int { 131 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecActivationScaledTanh: ProtobufMessage {
  static var number: Int { 132 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
  var beta: Float { fields.float(2) }
}
struct SpecActivationSigmoid: ProtobufMessage {
  static var number: Int { 133 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecActivationLinear: ProtobufMessage {
  static var number: Int { 134 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
  var beta: Float { fields.float(2) }
}
struct SpecActivationSigmoidHard: ProtobufMessage {
  static var number: Int { 135 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
  var beta: Float { fields.float(2) }
}
struct SpecActivationPReLU: ProtobufMessage {
  static var number: Int { 136 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: SpecWeightParams { SpecWeightParams(fields.message(1)) }
  var hasAlpha: Bool { fields.contains(1) }
}
struct SpecActivationELU: ProtobufMessage {
  static var number: Int { 137 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
}
struct SpecActivationThresholdedReLU: ProtobufMessage {
  static var number: Int { 138 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
}
struct SpecActivationSoftsign: ProtobufMessage {
  static var number: Int { 139 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecActivationSoftplus: ProtobufMessage {
  static var number: Int { 140 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecActivationParametricSoftplus: ProtobufMessage {
  static var number: Int { 141 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: SpecWeightParams { SpecWeightParams(fields.message(1)) }
  var hasAlpha: Bool { fields.contains(1) }
  var beta: SpecWeightParams { SpecWeightParams(fields.message(2)) }
  var hasBeta: Bool { fields.contains(2) }
}
struct SpecActivationParams: ProtobufMessage {
  static var number: Int { 142 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_NonlinearityType: Sendable {
    case linear(SpecActivationLinear)
    case reLu(SpecActivationReLU)
    case leakyReLu(SpecActivationLeakyReLU)
    case thresholdedReLu(SpecActivationThresholdedReLU)
    case preLu(SpecActivationPReLU)
    case tanh(SpecActivationTanh)
    case scaledTanh(SpecActivationScaledTanh)
    case sigmoid(SpecActivationSigmoid)
    case sigmoidHard(SpecActivationSigmoidHard)
    case elu(SpecActivationELU)
    case softsign(SpecActivationSoftsign)
    case softplus(SpecActivationSoftplus)
    case parametricSoftplus(SpecActivationParametricSoftplus)
  }
  var nonlinearityType: OneOf_NonlinearityType? {
    let fields = self.fields.choice([42, 82, 122, 162, 202, 242, 250, 322, 330, 402, 482, 562, 570])
    switch fields.chosen {
    case 5: return .linear(SpecActivationLinear(fields.message(5)))
    case 10: return .reLu(SpecActivationReLU(fields.message(10)))
    case 15: return .leakyReLu(SpecActivationLeakyReLU(fields.message(15)))
    case 20: return .thresholdedReLu(SpecActivationThresholdedReLU(fields.message(20)))
    case 25: return .preLu(SpecActivationPReLU(fields.message(25)))
    case 30: return .tanh(SpecActivationTanh(fields.message(30)))
    case 31: return .scaledTanh(SpecActivationScaledTanh(fields.message(31)))
    case 40: return .sigmoid(SpecActivationSigmoid(fields.message(40)))
    case 41: return .sigmoidHard(SpecActivationSigmoidHard(fields.message(41)))
    case 50: return .elu(SpecActivationELU(fields.message(50)))
    case 60: return .softsign(SpecActivationSoftsign(fields.message(60)))
    case 70: return .softplus(SpecActivationSoftplus(fields.message(70)))
    case 71: return .parametricSoftplus(SpecActivationParametricSoftplus(fields.message(71)))
    default: return nil
    }
  }
  var linear: SpecActivationLinear {
    if case .linear(let value)? = nonlinearityType { value } else { SpecActivationLinear(.empty) }
  }
  var reLu: SpecActivationReLU {
    if case .reLu(let value)? = nonlinearityType { value } else { SpecActivationReLU(.empty) }
  }
  var leakyReLu: SpecActivationLeakyReLU {
    if case .leakyReLu(let value)? = nonlinearityType { value } else { SpecActivationLeakyReLU(.empty) }
  }
  var thresholdedReLu: SpecActivationThresholdedReLU {
    if case .thresholdedReLu(let value)? = nonlinearityType { value } else { SpecActivationThresholdedReLU(.empty) }
  }
  var preLu: SpecActivationPReLU {
    if case .preLu(let value)? = nonlinearityType { value } else { SpecActivationPReLU(.empty) }
  }
  var tanh: SpecActivationTanh {
    if case .tanh(let value)? = nonlinearityType { value } else { SpecActivationTanh(.empty) }
  }
  var scaledTanh: SpecActivationScaledTanh {
    if case .scaledTanh(let value)? = nonlinearityType { value } else { SpecActivationScaledTanh(.empty) }
  }
  var sigmoid: SpecActivationSigmoid {
    if case .sigmoid(let value)? = nonlinearityType { value } else { SpecActivationSigmoid(.empty) }
  }
  var sigmoidHard: SpecActivationSigmoidHard {
    if case .sigmoidHard(let value)? = nonlinearityType { value } else { SpecActivationSigmoidHard(.empty) }
  }
  var elu: SpecActivationELU {
    if case .elu(let value)? = nonlinearityType { value } else { SpecActivationELU(.empty) }
  }
  var softsign: SpecActivationSoftsign {
    if case .softsign(let value)? = nonlinearityType { value } else { SpecActivationSoftsign(.empty) }
  }
  var softplus: SpecActivationSoftplus {
    if case .softplus(let value)? = nonlinearityType { value } else { SpecActivationSoftplus(.empty) }
  }
  var parametricSoftplus: SpecActivationParametricSoftplus {
    if case .parametricSoftplus(let value)? = nonlinearityType { value } else { SpecActivationParametricSoftplus(.empty) }
  }
}
struct SpecTensor: ProtobufMessage {
  static var number: Int { 143 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var rank: UInt32 { fields.uint32(1) }
  var dimValue: [Int64] { fields.int64s(2) }
}
struct SpecNeuralNetworkLayer: ProtobufMessage {
  static var number: Int { 144 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var name: String { fields.string(1) }
  var input: [String] { fields.strings(2) }
  var output: [String] { fields.strings(3) }
  var inputTensor: [SpecTensor] { fields.messages(4).map { SpecTensor($0) } }
  var outputTensor: [SpecTensor] { fields.messages(5).map { SpecTensor($0) } }
  var isUpdatable: Bool { fields.bool(10) }
  enum OneOf_Layer: Sendable {
    case convolution(SpecConvolutionLayerParams)
    case pooling(SpecPoolingLayerParams)
    case activation(SpecActivationParams)
    case innerProduct(SpecInnerProductLayerParams)
    case embedding(SpecEmbeddingLayerParams)
    case batchnorm(SpecBatchnormLayerParams)
    case mvn(SpecMeanVarianceNormalizeLayerParams)
    case l2Normalize(SpecL2NormalizeLayerParams)
    case softmax(SpecSoftmaxLayerParams)
    case lrn(SpecLRNLayerParams)
    case crop(SpecCropLayerParams)
    case padding(SpecPaddingLayerParams)
    case upsample(SpecUpsampleLayerParams)
    case resizeBilinear(SpecResizeBilinearLayerParams)
    case cropResize(SpecCropResizeLayerParams)
    case unary(SpecUnaryFunctionLayerParams)
    case add(SpecAddLayerParams)
    case multiply(SpecMultiplyLayerParams)
    case average(SpecAverageLayerParams)
    case scale(SpecScaleLayerParams)
    case bias(SpecBiasLayerParams)
    case max(SpecMaxLayerParams)
    case min(SpecMinLayerParams)
    case dot(SpecDotProductLayerParams)
    case reduce(SpecReduceLayerParams)
    case loadConstant(SpecLoadConstantLayerParams)
    case reshape(SpecReshapeLayerParams)
    case flatten(SpecFlattenLayerParams)
    case permute(SpecPermuteLayerParams)
    case concat(SpecConcatLayerParams)
    case split(SpecSplitLayerParams)
    case sequenceRepeat(SpecSequenceRepeatLayerParams)
    case reorganizeData(SpecReorganizeDataLayerParams)
    case slice(SpecSliceLayerParams)
    case simpleRecurrent(SpecSimpleRecurrentLayerParams)
    case gru(SpecGRULayerParams)
    case uniDirectionalLstm(SpecUniDirectionalLSTMLayerParams)
    case biDirectionalLstm(SpecBiDirectionalLSTMLayerParams)
    case custom(SpecCustomLayerParams)
    case copy(SpecCopyLayerParams)
    case branch(SpecBranchLayerParams)
    case loop(SpecLoopLayerParams)
    case loopBreak(SpecLoopBreakLayerParams)
    case loopContinue(SpecLoopContinueLayerParams)
    case rangeStatic(SpecRangeStaticLayerParams)
    case rangeDynamic(SpecRangeDynamicLayerParams)
    case clip(SpecClipLayerParams)
    case ceil(SpecCeilLayerParams)
    case floor(SpecFloorLayerParams)
    case sign(SpecSignLayerParams)
    case round(SpecRoundLayerParams)
    case exp2(SpecExp2LayerParams)
    case sin(SpecSinLayerParams)
    case cos(SpecCosLayerParams)
    case tan(SpecTanLayerParams)
    case asin(SpecAsinLayerParams)
    case acos(SpecAcosLayerParams)
    case atan(SpecAtanLayerParams)
    case sinh(SpecSinhLayerParams)
    case cosh(SpecCoshLayerParams)
    case tanh(SpecTanhLayerParams)
    case asinh(SpecAsinhLayerParams)
    case acosh(SpecAcoshLayerParams)
    case atanh(SpecAtanhLayerParams)
    case erf(SpecErfLayerParams)
    case gelu(SpecGeluLayerParams)
    case equal(SpecEqualLayerParams)
    case notEqual(SpecNotEqualLayerParams)
    case lessThan(SpecLessThanLayerParams)
    case lessEqual(SpecLessEqualLayerParams)
    case greaterThan(SpecGreaterThanLayerParams)
    case greaterEqual(SpecGreaterEqualLayerParams)
    case logicalOr(SpecLogicalOrLayerParams)
    case logicalXor(SpecLogicalXorLayerParams)
    case logicalNot(SpecLogicalNotLayerParams)
    case logicalAnd(SpecLogicalAndLayerParams)
    case modBroadcastable(SpecModBroadcastableLayerParams)
    case minBroadcastable(SpecMinBroadcastableLayerParams)
    case maxBroadcastable(SpecMaxBroadcastableLayerParams)
    case addBroadcastable(SpecAddBroadcastableLayerParams)
    case powBroadcastable(SpecPowBroadcastableLayerParams)
    case divideBroadcastable(SpecDivideBroadcastableLayerParams)
    case floorDivBroadcastable(SpecFloorDivBroadcastableLayerParams)
    case multiplyBroadcastable(SpecMultiplyBroadcastableLayerParams)
    case subtractBroadcastable(SpecSubtractBroadcastableLayerParams)
    case tile(SpecTileLayerParams)
    case stack(SpecStackLayerParams)
    case gather(SpecGatherLayerParams)
    case scatter(SpecScatterLayerParams)
    case gatherNd(SpecGatherNDLayerParams)
    case scatterNd(SpecScatterNDLayerParams)
    case softmaxNd(SpecSoftmaxNDLayerParams)
    case gatherAlongAxis(SpecGatherAlongAxisLayerParams)
    case scatterAlongAxis(SpecScatterAlongAxisLayerParams)
    case reverse(SpecReverseLayerParams)
    case reverseSeq(SpecReverseSeqLayerParams)
    case splitNd(SpecSplitNDLayerParams)
    case concatNd(SpecConcatNDLayerParams)
    case transpose(SpecTransposeLayerParams)
    case sliceStatic(SpecSliceStaticLayerParams)
    case sliceDynamic(SpecSliceDynamicLayerParams)
    case slidingWindows(SpecSlidingWindowsLayerParams)
    case topK(SpecTopKLayerParams)
    case argMin(SpecArgMinLayerParams)
    case argMax(SpecArgMaxLayerParams)
    case embeddingNd(SpecEmbeddingNDLayerParams)
    case batchedMatmul(SpecBatchedMatMulLayerParams)
    case getShape(SpecGetShapeLayerParams)
    case loadConstantNd(SpecLoadConstantNDLayerParams)
    case fillLike(SpecFillLikeLayerParams)
    case fillStatic(SpecFillStaticLayerParams)
    case fillDynamic(SpecFillDynamicLayerParams)
    case broadcastToLike(SpecBroadcastToLikeLayerParams)
    case broadcastToStatic(SpecBroadcastToStaticLayerParams)
    case broadcastToDynamic(SpecBroadcastToDynamicLayerParams)
    case squeeze(SpecSqueezeLayerParams)
    case expandDims(SpecExpandDimsLayerParams)
    case flattenTo2D(SpecFlattenTo2DLayerParams)
    case reshapeLike(SpecReshapeLikeLayerParams)
    case reshapeStatic(SpecReshapeStaticLayerParams)
    case reshapeDynamic(SpecReshapeDynamicLayerParams)
    case rankPreservingReshape(SpecRankPreservingReshapeLayerParams)
    case constantPad(SpecConstantPaddingLayerParams)
    case randomNormalLike(SpecRandomNormalLikeLayerParams)
    case randomNormalStatic(SpecRandomNormalStaticLayerParams)
    case randomNormalDynamic(SpecRandomNormalDynamicLayerParams)
    case randomUniformLike(SpecRandomUniformLikeLayerParams)
    case randomUniformStatic(SpecRandomUniformStaticLayerParams)
    case randomUniformDynamic(SpecRandomUniformDynamicLayerParams)
    case randomBernoulliLike(SpecRandomBernoulliLikeLayerParams)
    case randomBernoulliStatic(SpecRandomBernoulliStaticLayerParams)
    case randomBernoulliDynamic(SpecRandomBernoulliDynamicLayerParams)
    case categoricalDistribution(SpecCategoricalDistributionLayerParams)
    case reduceL1(SpecReduceL1LayerParams)
    case reduceL2(SpecReduceL2LayerParams)
    case reduceMax(SpecReduceMaxLayerParams)
    case reduceMin(SpecReduceMinLayerParams)
    case reduceSum(SpecReduceSumLayerParams)
    case reduceProd(SpecReduceProdLayerParams)
    case reduceMean(SpecReduceMeanLayerParams)
    case reduceLogSum(SpecReduceLogSumLayerParams)
    case reduceSumSquare(SpecReduceSumSquareLayerParams)
    case reduceLogSumExp(SpecReduceLogSumExpLayerParams)
    case whereNonZero(SpecWhereNonZeroLayerParams)
    case matrixBandPart(SpecMatrixBandPartLayerParams)
    case lowerTriangular(SpecLowerTriangularLayerParams)
    case upperTriangular(SpecUpperTriangularLayerParams)
    case whereBroadcastable(SpecWhereBroadcastableLayerParams)
    case layerNormalization(SpecLayerNormalizationLayerParams)
    case nonMaximumSuppression(SpecNonMaximumSuppressionLayerParams)
    case oneHot(SpecOneHotLayerParams)
    case cumSum(SpecCumSumLayerParams)
    case clampedReLu(SpecClampedReLULayerParams)
    case argSort(SpecArgSortLayerParams)
    case pooling3D(SpecPooling3DLayerParams)
    case globalPooling3D(SpecGlobalPooling3DLayerParams)
    case sliceBySize(SpecSliceBySizeLayerParams)
    case convolution3D(SpecConvolution3DLayerParams)
  }
  var layer: OneOf_Layer? {
    let fields = self.fields.choice([802, 962, 1042, 1122, 1202, 1282, 1322, 1362, 1402, 1442, 1522, 1602, 1682, 1690, 1698, 1762, 1842, 1850, 1922, 1962, 2002, 2082, 2090, 2162, 2242, 2322, 2402, 2410, 2482, 2562, 2642, 2722, 2762, 2802, 3202, 3282, 3362, 3442, 4002, 4802, 4842, 4922, 4962, 5002, 5082, 5122, 5282, 5322, 5362, 5442, 5482, 5602, 5682, 5722, 5762, 5842, 5882, 5922, 6002, 6042, 6082, 6162, 6202, 6242, 6322, 6362, 6522, 6562, 6602, 6618, 6642, 6658, 6722, 6762, 6802, 6842, 6922, 6962, 7002, 7042, 7082, 7122, 7162, 7202, 7242, 7362, 7402, 7442, 7482, 7522, 7562, 7602, 7618, 7634, 7682, 7722, 7802, 7842, 7882, 7962, 8002, 8042, 8122, 8162, 8202, 8322, 8362, 8522, 8562, 8642, 8682, 8722, 8802, 8842, 8882, 8962, 9002, 9042, 9082, 9122, 9162, 9202, 9242, 9362, 9402, 9442, 9522, 9562, 9602, 9682, 9722, 9762, 9842, 10002, 10042, 10082, 10122, 10162, 10202, 10242, 10282, 10322, 10362, 10506, 10522, 10562, 10602, 10642, 10802, 11202, 11602, 11642, 11682, 11690, 11722, 11730, 11762, 11770])
    switch fields.chosen {
    case 100: return .convolution(SpecConvolutionLayerParams(fields.message(100)))
    case 120: return .pooling(SpecPoolingLayerParams(fields.message(120)))
    case 130: return .activation(SpecActivationParams(fields.message(130)))
    case 140: return .innerProduct(SpecInnerProductLayerParams(fields.message(140)))
    case 150: return .embedding(SpecEmbeddingLayerParams(fields.message(150)))
    case 160: return .batchnorm(SpecBatchnormLayerParams(fields.message(160)))
    case 165: return .mvn(SpecMeanVarianceNormalizeLayerParams(fields.message(165)))
    case 170: return .l2Normalize(SpecL2NormalizeLayerParams(fields.message(170)))
    case 175: return .softmax(SpecSoftmaxLayerParams(fields.message(175)))
    case 180: return .lrn(SpecLRNLayerParams(fields.message(180)))
    case 190: return .crop(SpecCropLayerParams(fields.message(190)))
    case 200: return .padding(SpecPaddingLayerParams(fields.message(200)))
    case 210: return .upsample(SpecUpsampleLayerParams(fields.message(210)))
    case 211: return .resizeBilinear(SpecResizeBilinearLayerParams(fields.message(211)))
    case 212: return .cropResize(SpecCropResizeLayerParams(fields.message(212)))
    case 220: return .unary(SpecUnaryFunctionLayerParams(fields.message(220)))
    case 230: return .add(SpecAddLayerParams(fields.message(230)))
    case 231: return .multiply(SpecMultiplyLayerParams(fields.message(231)))
    case 240: return .average(SpecAverageLayerParams(fields.message(240)))
    case 245: return .scale(SpecScaleLayerParams(fields.message(245)))
    case 250: return .bias(SpecBiasLayerParams(fields.message(250)))
    case 260: return .max(SpecMaxLayerParams(fields.message(260)))
    case 261: return .min(SpecMinLayerParams(fields.message(261)))
    case 270: return .dot(SpecDotProductLayerParams(fields.message(270)))
    case 280: return .reduce(SpecReduceLayerParams(fields.message(280)))
    case 290: return .loadConstant(SpecLoadConstantLayerParams(fields.message(290)))
    case 300: return .reshape(SpecReshapeLayerParams(fields.message(300)))
    case 301: return .flatten(SpecFlattenLayerParams(fields.message(301)))
    case 310: return .permute(SpecPermuteLayerParams(fields.message(310)))
    case 320: return .concat(SpecConcatLayerParams(fields.message(320)))
    case 330: return .split(SpecSplitLayerParams(fields.message(330)))
    case 340: return .sequenceRepeat(SpecSequenceRepeatLayerParams(fields.message(340)))
    case 345: return .reorganizeData(SpecReorganizeDataLayerParams(fields.message(345)))
    case 350: return .slice(SpecSliceLayerParams(fields.message(350)))
    case 400: return .simpleRecurrent(SpecSimpleRecurrentLayerParams(fields.message(400)))
    case 410: return .gru(SpecGRULayerParams(fields.message(410)))
    case 420: return .uniDirectionalLstm(SpecUniDirectionalLSTMLayerParams(fields.message(420)))
    case 430: return .biDirectionalLstm(SpecBiDirectionalLSTMLayerParams(fields.message(430)))
    case 500: return .custom(SpecCustomLayerParams(fields.message(500)))
    case 600: return .copy(SpecCopyLayerParams(fields.message(600)))
    case 605: return .branch(SpecBranchLayerParams(fields.message(605)))
    case 615: return .loop(SpecLoopLayerParams(fields.message(615)))
    case 620: return .loopBreak(SpecLoopBreakLayerParams(fields.message(620)))
    case 625: return .loopContinue(SpecLoopContinueLayerParams(fields.message(625)))
    case 635: return .rangeStatic(SpecRangeStaticLayerParams(fields.message(635)))
    case 640: return .rangeDynamic(SpecRangeDynamicLayerParams(fields.message(640)))
    case 660: return .clip(SpecClipLayerParams(fields.message(660)))
    case 665: return .ceil(SpecCeilLayerParams(fields.message(665)))
    case 670: return .floor(SpecFloorLayerParams(fields.message(670)))
    case 680: return .sign(SpecSignLayerParams(fields.message(680)))
    case 685: return .round(SpecRoundLayerParams(fields.message(685)))
    case 700: return .exp2(SpecExp2LayerParams(fields.message(700)))
    case 710: return .sin(SpecSinLayerParams(fields.message(710)))
    case 715: return .cos(SpecCosLayerParams(fields.message(715)))
    case 720: return .tan(SpecTanLayerParams(fields.message(720)))
    case 730: return .asin(SpecAsinLayerParams(fields.message(730)))
    case 735: return .acos(SpecAcosLayerParams(fields.message(735)))
    case 740: return .atan(SpecAtanLayerParams(fields.message(740)))
    case 750: return .sinh(SpecSinhLayerParams(fields.message(750)))
    case 755: return .cosh(SpecCoshLayerParams(fields.message(755)))
    case 760: return .tanh(SpecTanhLayerParams(fields.message(760)))
    case 770: return .asinh(SpecAsinhLayerParams(fields.message(770)))
    case 775: return .acosh(SpecAcoshLayerParams(fields.message(775)))
    case 780: return .atanh(SpecAtanhLayerParams(fields.message(780)))
    case 790: return .erf(SpecErfLayerParams(fields.message(790)))
    case 795: return .gelu(SpecGeluLayerParams(fields.message(795)))
    case 815: return .equal(SpecEqualLayerParams(fields.message(815)))
    case 820: return .notEqual(SpecNotEqualLayerParams(fields.message(820)))
    case 825: return .lessThan(SpecLessThanLayerParams(fields.message(825)))
    case 827: return .lessEqual(SpecLessEqualLayerParams(fields.message(827)))
    case 830: return .greaterThan(SpecGreaterThanLayerParams(fields.message(830)))
    case 832: return .greaterEqual(SpecGreaterEqualLayerParams(fields.message(832)))
    case 840: return .logicalOr(SpecLogicalOrLayerParams(fields.message(840)))
    case 845: return .logicalXor(SpecLogicalXorLayerParams(fields.message(845)))
    case 850: return .logicalNot(SpecLogicalNotLayerParams(fields.message(850)))
    case 855: return .logicalAnd(SpecLogicalAndLayerParams(fields.message(855)))
    case 865: return .modBroadcastable(SpecModBroadcastableLayerParams(fields.message(865)))
    case 870: return .minBroadcastable(SpecMinBroadcastableLayerParams(fields.message(870)))
    case 875: return .maxBroadcastable(SpecMaxBroadcastableLayerParams(fields.message(875)))
    case 880: return .addBroadcastable(SpecAddBroadcastableLayerParams(fields.message(880)))
    case 885: return .powBroadcastable(SpecPowBroadcastableLayerParams(fields.message(885)))
    case 890: return .divideBroadcastable(SpecDivideBroadcastableLayerParams(fields.message(890)))
    case 895: return .floorDivBroadcastable(SpecFloorDivBroadcastableLayerParams(fields.message(895)))
    case 900: return .multiplyBroadcastable(SpecMultiplyBroadcastableLayerParams(fields.message(900)))
    case 905: return .subtractBroadcastable(SpecSubtractBroadcastableLayerParams(fields.message(905)))
    case 920: return .tile(SpecTileLayerParams(fields.message(920)))
    case 925: return .stack(SpecStackLayerParams(fields.message(925)))
    case 930: return .gather(SpecGatherLayerParams(fields.message(930)))
    case 935: return .scatter(SpecScatterLayerParams(fields.message(935)))
    case 940: return .gatherNd(SpecGatherNDLayerParams(fields.message(940)))
    case 945: return .scatterNd(SpecScatterNDLayerParams(fields.message(945)))
    case 950: return .softmaxNd(SpecSoftmaxNDLayerParams(fields.message(950)))
    case 952: return .gatherAlongAxis(SpecGatherAlongAxisLayerParams(fields.message(952)))
    case 954: return .scatterAlongAxis(SpecScatterAlongAxisLayerParams(fields.message(954)))
    case 960: return .reverse(SpecReverseLayerParams(fields.message(960)))
    case 965: return .reverseSeq(SpecReverseSeqLayerParams(fields.message(965)))
    case 975: return .splitNd(SpecSplitNDLayerParams(fields.message(975)))
    case 980: return .concatNd(SpecConcatNDLayerParams(fields.message(980)))
    case 985: return .transpose(SpecTransposeLayerParams(fields.message(985)))
    case 995: return .sliceStatic(SpecSliceStaticLayerParams(fields.message(995)))
    case 1000: return .sliceDynamic(SpecSliceDynamicLayerParams(fields.message(1000)))
    case 1005: return .slidingWindows(SpecSlidingWindowsLayerParams(fields.message(1005)))
    case 1015: return .topK(SpecTopKLayerParams(fields.message(1015)))
    case 1020: return .argMin(SpecArgMinLayerParams(fields.message(1020)))
    case 1025: return .argMax(SpecArgMaxLayerParams(fields.message(1025)))
    case 1040: return .embeddingNd(SpecEmbeddingNDLayerParams(fields.message(1040)))
    case 1045: return .batchedMatmul(SpecBatchedMatMulLayerParams(fields.message(1045)))
    case 1065: return .getShape(SpecGetShapeLayerParams(fields.message(1065)))
    case 1070: return .loadConstantNd(SpecLoadConstantNDLayerParams(fields.message(1070)))
    case 1080: return .fillLike(SpecFillLikeLayerParams(fields.message(1080)))
    case 1085: return .fillStatic(SpecFillStaticLayerParams(fields.message(1085)))
    case 1090: return .fillDynamic(SpecFillDynamicLayerParams(fields.message(1090)))
    case 1100: return .broadcastToLike(SpecBroadcastToLikeLayerParams(fields.message(1100)))
    case 1105: return .broadcastToStatic(SpecBroadcastToStaticLayerParams(fields.message(1105)))
    case 1110: return .broadcastToDynamic(SpecBroadcastToDynamicLayerParams(fields.message(1110)))
    case 1120: return .squeeze(SpecSqueezeLayerParams(fields.message(1120)))
    case 1125: return .expandDims(SpecExpandDimsLayerParams(fields.message(1125)))
    case 1130: return .flattenTo2D(SpecFlattenTo2DLayerParams(fields.message(1130)))
    case 1135: return .reshapeLike(SpecReshapeLikeLayerParams(fields.message(1135)))
    case 1140: return .reshapeStatic(SpecReshapeStaticLayerParams(fields.message(1140)))
    case 1145: return .reshapeDynamic(SpecReshapeDynamicLayerParams(fields.message(1145)))
    case 1150: return .rankPreservingReshape(SpecRankPreservingReshapeLayerParams(fields.message(1150)))
    case 1155: return .constantPad(SpecConstantPaddingLayerParams(fields.message(1155)))
    case 1170: return .randomNormalLike(SpecRandomNormalLikeLayerParams(fields.message(1170)))
    case 1175: return .randomNormalStatic(SpecRandomNormalStaticLayerParams(fields.message(1175)))
    case 1180: return .randomNormalDynamic(SpecRandomNormalDynamicLayerParams(fields.message(1180)))
    case 1190: return .randomUniformLike(SpecRandomUniformLikeLayerParams(fields.message(1190)))
    case 1195: return .randomUniformStatic(SpecRandomUniformStaticLayerParams(fields.message(1195)))
    case 1200: return .randomUniformDynamic(SpecRandomUniformDynamicLayerParams(fields.message(1200)))
    case 1210: return .randomBernoulliLike(SpecRandomBernoulliLikeLayerParams(fields.message(1210)))
    case 1215: return .randomBernoulliStatic(SpecRandomBernoulliStaticLayerParams(fields.message(1215)))
    case 1220: return .randomBernoulliDynamic(SpecRandomBernoulliDynamicLayerParams(fields.message(1220)))
    case 1230: return .categoricalDistribution(SpecCategoricalDistributionLayerParams(fields.message(1230)))
    case 1250: return .reduceL1(SpecReduceL1LayerParams(fields.message(1250)))
    case 1255: return .reduceL2(SpecReduceL2LayerParams(fields.message(1255)))
    case 1260: return .reduceMax(SpecReduceMaxLayerParams(fields.message(1260)))
    case 1265: return .reduceMin(SpecReduceMinLayerParams(fields.message(1265)))
    case 1270: return .reduceSum(SpecReduceSumLayerParams(fields.message(1270)))
    case 1275: return .reduceProd(SpecReduceProdLayerParams(fields.message(1275)))
    case 1280: return .reduceMean(SpecReduceMeanLayerParams(fields.message(1280)))
    case 1285: return .reduceLogSum(SpecReduceLogSumLayerParams(fields.message(1285)))
    case 1290: return .reduceSumSquare(SpecReduceSumSquareLayerParams(fields.message(1290)))
    case 1295: return .reduceLogSumExp(SpecReduceLogSumExpLayerParams(fields.message(1295)))
    case 1313: return .whereNonZero(SpecWhereNonZeroLayerParams(fields.message(1313)))
    case 1315: return .matrixBandPart(SpecMatrixBandPartLayerParams(fields.message(1315)))
    case 1320: return .lowerTriangular(SpecLowerTriangularLayerParams(fields.message(1320)))
    case 1325: return .upperTriangular(SpecUpperTriangularLayerParams(fields.message(1325)))
    case 1330: return .whereBroadcastable(SpecWhereBroadcastableLayerParams(fields.message(1330)))
    case 1350: return .layerNormalization(SpecLayerNormalizationLayerParams(fields.message(1350)))
    case 1400: return .nonMaximumSuppression(SpecNonMaximumSuppressionLayerParams(fields.message(1400)))
    case 1450: return .oneHot(SpecOneHotLayerParams(fields.message(1450)))
    case 1455: return .cumSum(SpecCumSumLayerParams(fields.message(1455)))
    case 1460: return .clampedReLu(SpecClampedReLULayerParams(fields.message(1460)))
    case 1461: return .argSort(SpecArgSortLayerParams(fields.message(1461)))
    case 1465: return .pooling3D(SpecPooling3DLayerParams(fields.message(1465)))
    case 1466: return .globalPooling3D(SpecGlobalPooling3DLayerParams(fields.message(1466)))
    case 1470: return .sliceBySize(SpecSliceBySizeLayerParams(fields.message(1470)))
    case 1471: return .convolution3D(SpecConvolution3DLayerParams(fields.message(1471)))
    default: return nil
    }
  }
  var convolution: SpecConvolutionLayerParams {
    if case .convolution(let value)? = layer { value } else { SpecConvolutionLayerParams(.empty) }
  }
  var pooling: SpecPoolingLayerParams {
    if case .pooling(let value)? = layer { value } else { SpecPoolingLayerParams(.empty) }
  }
  var activation: SpecActivationParams {
    if case .activation(let value)? = layer { value } else { SpecActivationParams(.empty) }
  }
  var innerProduct: SpecInnerProductLayerParams {
    if case .innerProduct(let value)? = layer { value } else { SpecInnerProductLayerParams(.empty) }
  }
  var embedding: SpecEmbeddingLayerParams {
    if case .embedding(let value)? = layer { value } else { SpecEmbeddingLayerParams(.empty) }
  }
  var batchnorm: SpecBatchnormLayerParams {
    if case .batchnorm(let value)? = layer { value } else { SpecBatchnormLayerParams(.empty) }
  }
  var mvn: SpecMeanVarianceNormalizeLayerParams {
    if case .mvn(let value)? = layer { value } else { SpecMeanVarianceNormalizeLayerParams(.empty) }
  }
  var l2Normalize: SpecL2NormalizeLayerParams {
    if case .l2Normalize(let value)? = layer { value } else { SpecL2NormalizeLayerParams(.empty) }
  }
  var softmax: SpecSoftmaxLayerParams {
    if case .softmax(let value)? = layer { value } else { SpecSoftmaxLayerParams(.empty) }
  }
  var lrn: SpecLRNLayerParams {
    if case .lrn(let value)? = layer { value } else { SpecLRNLayerParams(.empty) }
  }
  var crop: SpecCropLayerParams {
    if case .crop(let value)? = layer { value } else { SpecCropLayerParams(.empty) }
  }
  var padding: SpecPaddingLayerParams {
    if case .padding(let value)? = layer { value } else { SpecPaddingLayerParams(.empty) }
  }
  var upsample: SpecUpsampleLayerParams {
    if case .upsample(let value)? = layer { value } else { SpecUpsampleLayerParams(.empty) }
  }
  var resizeBilinear: SpecResizeBilinearLayerParams {
    if case .resizeBilinear(let value)? = layer { value } else { SpecResizeBilinearLayerParams(.empty) }
  }
  var cropResize: SpecCropResizeLayerParams {
    if case .cropResize(let value)? = layer { value } else { SpecCropResizeLayerParams(.empty) }
  }
  var unary: SpecUnaryFunctionLayerParams {
    if case .unary(let value)? = layer { value } else { SpecUnaryFunctionLayerParams(.empty) }
  }
  var add: SpecAddLayerParams {
    if case .add(let value)? = layer { value } else { SpecAddLayerParams(.empty) }
  }
  var multiply: SpecMultiplyLayerParams {
    if case .multiply(let value)? = layer { value } else { SpecMultiplyLayerParams(.empty) }
  }
  var average: SpecAverageLayerParams {
    if case .average(let value)? = layer { value } else { SpecAverageLayerParams(.empty) }
  }
  var scale: SpecScaleLayerParams {
    if case .scale(let value)? = layer { value } else { SpecScaleLayerParams(.empty) }
  }
  var bias: SpecBiasLayerParams {
    if case .bias(let value)? = layer { value } else { SpecBiasLayerParams(.empty) }
  }
  var max: SpecMaxLayerParams {
    if case .max(let value)? = layer { value } else { SpecMaxLayerParams(.empty) }
  }
  var min: SpecMinLayerParams {
    if case .min(let value)? = layer { value } else { SpecMinLayerParams(.empty) }
  }
  var dot: SpecDotProductLayerParams {
    if case .dot(let value)? = layer { value } else { SpecDotProductLayerParams(.empty) }
  }
  var reduce: SpecReduceLayerParams {
    if case .reduce(let value)? = layer { value } else { SpecReduceLayerParams(.empty) }
  }
  var loadConstant: SpecLoadConstantLayerParams {
    if case .loadConstant(let value)? = layer { value } else { SpecLoadConstantLayerParams(.empty) }
  }
  var reshape: SpecReshapeLayerParams {
    if case .reshape(let value)? = layer { value } else { SpecReshapeLayerParams(.empty) }
  }
  var flatten: SpecFlattenLayerParams {
    if case .flatten(let value)? = layer { value } else { SpecFlattenLayerParams(.empty) }
  }
  var permute: SpecPermuteLayerParams {
    if case .permute(let value)? = layer { value } else { SpecPermuteLayerParams(.empty) }
  }
  var concat: SpecConcatLayerParams {
    if case .concat(let value)? = layer { value } else { SpecConcatLayerParams(.empty) }
  }
  var split: SpecSplitLayerParams {
    if case .split(let value)? = layer { value } else { SpecSplitLayerParams(.empty) }
  }
  var sequenceRepeat: SpecSequenceRepeatLayerParams {
    if case .sequenceRepeat(let value)? = layer { value } else { SpecSequenceRepeatLayerParams(.empty) }
  }
  var reorganizeData: SpecReorganizeDataLayerParams {
    if case .reorganizeData(let value)? = layer { value } else { SpecReorganizeDataLayerParams(.empty) }
  }
  var slice: SpecSliceLayerParams {
    if case .slice(let value)? = layer { value } else { SpecSliceLayerParams(.empty) }
  }
  var simpleRecurrent: SpecSimpleRecurrentLayerParams {
    if case .simpleRecurrent(let value)? = layer { value } else { SpecSimpleRecurrentLayerParams(.empty) }
  }
  var gru: SpecGRULayerParams {
    if case .gru(let value)? = layer { value } else { SpecGRULayerParams(.empty) }
  }
  var uniDirectionalLstm: SpecUniDirectionalLSTMLayerParams {
    if case .uniDirectionalLstm(let value)? = layer { value } else { SpecUniDirectionalLSTMLayerParams(.empty) }
  }
  var biDirectionalLstm: SpecBiDirectionalLSTMLayerParams {
    if case .biDirectionalLstm(let value)? = layer { value } else { SpecBiDirectionalLSTMLayerParams(.empty) }
  }
  var custom: SpecCustomLayerParams {
    if case .custom(let value)? = layer { value } else { SpecCustomLayerParams(.empty) }
  }
  var copy: SpecCopyLayerParams {
    if case .copy(let value)? = layer { value } else { SpecCopyLayerParams(.empty) }
  }
  var branch: SpecBranchLayerParams {
    if case .branch(let value)? = layer { value } else { SpecBranchLayerParams(.empty) }
  }
  var loop: SpecLoopLayerParams {
    if case .loop(let value)? = layer { value } else { SpecLoopLayerParams(.empty) }
  }
  var loopBreak: SpecLoopBreakLayerParams {
    if case .loopBreak(let value)? = layer { value } else { SpecLoopBreakLayerParams(.empty) }
  }
  var loopContinue: SpecLoopContinueLayerParams {
    if case .loopContinue(let value)? = layer { value } else { SpecLoopContinueLayerParams(.empty) }
  }
  var rangeStatic: SpecRangeStaticLayerParams {
    if case .rangeStatic(let value)? = layer { value } else { SpecRangeStaticLayerParams(.empty) }
  }
  var rangeDynamic: SpecRangeDynamicLayerParams {
    if case .rangeDynamic(let value)? = layer { value } else { SpecRangeDynamicLayerParams(.empty) }
  }
  var clip: SpecClipLayerParams {
    if case .clip(let value)? = layer { value } else { SpecClipLayerParams(.empty) }
  }
  var ceil: SpecCeilLayerParams {
    if case .ceil(let value)? = layer { value } else { SpecCeilLayerParams(.empty) }
  }
  var floor: SpecFloorLayerParams {
    if case .floor(let value)? = layer { value } else { SpecFloorLayerParams(.empty) }
  }
  var sign: SpecSignLayerParams {
    if case .sign(let value)? = layer { value } else { SpecSignLayerParams(.empty) }
  }
  var round: SpecRoundLayerParams {
    if case .round(let value)? = layer { value } else { SpecRoundLayerParams(.empty) }
  }
  var exp2: SpecExp2LayerParams {
    if case .exp2(let value)? = layer { value } else { SpecExp2LayerParams(.empty) }
  }
  var sin: SpecSinLayerParams {
    if case .sin(let value)? = layer { value } else { SpecSinLayerParams(.empty) }
  }
  var cos: SpecCosLayerParams {
    if case .cos(let value)? = layer { value } else { SpecCosLayerParams(.empty) }
  }
  var tan: SpecTanLayerParams {
    if case .tan(let value)? = layer { value } else { SpecTanLayerParams(.empty) }
  }
  var asin: SpecAsinLayerParams {
    if case .asin(let value)? = layer { value } else { SpecAsinLayerParams(.empty) }
  }
  var acos: SpecAcosLayerParams {
    if case .acos(let value)? = layer { value } else { SpecAcosLayerParams(.empty) }
  }
  var atan: SpecAtanLayerParams {
    if case .atan(let value)? = layer { value } else { SpecAtanLayerParams(.empty) }
  }
  var sinh: SpecSinhLayerParams {
    if case .sinh(let value)? = layer { value } else { SpecSinhLayerParams(.empty) }
  }
  var cosh: SpecCoshLayerParams {
    if case .cosh(let value)? = layer { value } else { SpecCoshLayerParams(.empty) }
  }
  var tanh: SpecTanhLayerParams {
    if case .tanh(let value)? = layer { value } else { SpecTanhLayerParams(.empty) }
  }
  var asinh: SpecAsinhLayerParams {
    if case .asinh(let value)? = layer { value } else { SpecAsinhLayerParams(.empty) }
  }
  var acosh: SpecAcoshLayerParams {
    if case .acosh(let value)? = layer { value } else { SpecAcoshLayerParams(.empty) }
  }
  var atanh: SpecAtanhLayerParams {
    if case .atanh(let value)? = layer { value } else { SpecAtanhLayerParams(.empty) }
  }
  var erf: SpecErfLayerParams {
    if case .erf(let value)? = layer { value } else { SpecErfLayerParams(.empty) }
  }
  var gelu: SpecGeluLayerParams {
    if case .gelu(let value)? = layer { value } else { SpecGeluLayerParams(.empty) }
  }
  var equal: SpecEqualLayerParams {
    if case .equal(let value)? = layer { value } else { SpecEqualLayerParams(.empty) }
  }
  var notEqual: SpecNotEqualLayerParams {
    if case .notEqual(let value)? = layer { value } else { SpecNotEqualLayerParams(.empty) }
  }
  var lessThan: SpecLessThanLayerParams {
    if case .lessThan(let value)? = layer { value } else { SpecLessThanLayerParams(.empty) }
  }
  var lessEqual: SpecLessEqualLayerParams {
    if case .lessEqual(let value)? = layer { value } else { SpecLessEqualLayerParams(.empty) }
  }
  var greaterThan: SpecGreaterThanLayerParams {
    if case .greaterThan(let value)? = layer { value } else { SpecGreaterThanLayerParams(.empty) }
  }
  var greaterEqual: SpecGreaterEqualLayerParams {
    if case .greaterEqual(let value)? = layer { value } else { SpecGreaterEqualLayerParams(.empty) }
  }
  var logicalOr: SpecLogicalOrLayerParams {
    if case .logicalOr(let value)? = layer { value } else { SpecLogicalOrLayerParams(.empty) }
  }
  var logicalXor: SpecLogicalXorLayerParams {
    if case .logicalXor(let value)? = layer { value } else { SpecLogicalXorLayerParams(.empty) }
  }
  var logicalNot: SpecLogicalNotLayerParams {
    if case .logicalNot(let value)? = layer { value } else { SpecLogicalNotLayerParams(.empty) }
  }
  var logicalAnd: SpecLogicalAndLayerParams {
    if case .logicalAnd(let value)? = layer { value } else { SpecLogicalAndLayerParams(.empty) }
  }
  var modBroadcastable: SpecModBroadcastableLayerParams {
    if case .modBroadcastable(let value)? = layer { value } else { SpecModBroadcastableLayerParams(.empty) }
  }
  var minBroadcastable: SpecMinBroadcastableLayerParams {
    if case .minBroadcastable(let value)? = layer { value } else { SpecMinBroadcastableLayerParams(.empty) }
  }
  var maxBroadcastable: SpecMaxBroadcastableLayerParams {
    if case .maxBroadcastable(let value)? = layer { value } else { SpecMaxBroadcastableLayerParams(.empty) }
  }
  var addBroadcastable: SpecAddBroadcastableLayerParams {
    if case .addBroadcastable(let value)? = layer { value } else { SpecAddBroadcastableLayerParams(.empty) }
  }
  var powBroadcastable: SpecPowBroadcastableLayerParams {
    if case .powBroadcastable(let value)? = layer { value } else { SpecPowBroadcastableLayerParams(.empty) }
  }
  var divideBroadcastable: SpecDivideBroadcastableLayerParams {
    if case .divideBroadcastable(let value)? = layer { value } else { SpecDivideBroadcastableLayerParams(.empty) }
  }
  var floorDivBroadcastable: SpecFloorDivBroadcastableLayerParams {
    if case .floorDivBroadcastable(let value)? = layer { value } else { SpecFloorDivBroadcastableLayerParams(.empty) }
  }
  var multiplyBroadcastable: SpecMultiplyBroadcastableLayerParams {
    if case .multiplyBroadcastable(let value)? = layer { value } else { SpecMultiplyBroadcastableLayerParams(.empty) }
  }
  var subtractBroadcastable: SpecSubtractBroadcastableLayerParams {
    if case .subtractBroadcastable(let value)? = layer { value } else { SpecSubtractBroadcastableLayerParams(.empty) }
  }
  var tile: SpecTileLayerParams {
    if case .tile(let value)? = layer { value } else { SpecTileLayerParams(.empty) }
  }
  var stack: SpecStackLayerParams {
    if case .stack(let value)? = layer { value } else { SpecStackLayerParams(.empty) }
  }
  var gather: SpecGatherLayerParams {
    if case .gather(let value)? = layer { value } else { SpecGatherLayerParams(.empty) }
  }
  var scatter: SpecScatterLayerParams {
    if case .scatter(let value)? = layer { value } else { SpecScatterLayerParams(.empty) }
  }
  var gatherNd: SpecGatherNDLayerParams {
    if case .gatherNd(let value)? = layer { value } else { SpecGatherNDLayerParams(.empty) }
  }
  var scatterNd: SpecScatterNDLayerParams {
    if case .scatterNd(let value)? = layer { value } else { SpecScatterNDLayerParams(.empty) }
  }
  var softmaxNd: SpecSoftmaxNDLayerParams {
    if case .softmaxNd(let value)? = layer { value } else { SpecSoftmaxNDLayerParams(.empty) }
  }
  var gatherAlongAxis: SpecGatherAlongAxisLayerParams {
    if case .gatherAlongAxis(let value)? = layer { value } else { SpecGatherAlongAxisLayerParams(.empty) }
  }
  var scatterAlongAxis: SpecScatterAlongAxisLayerParams {
    if case .scatterAlongAxis(let value)? = layer { value } else { SpecScatterAlongAxisLayerParams(.empty) }
  }
  var reverse: SpecReverseLayerParams {
    if case .reverse(let value)? = layer { value } else { SpecReverseLayerParams(.empty) }
  }
  var reverseSeq: SpecReverseSeqLayerParams {
    if case .reverseSeq(let value)? = layer { value } else { SpecReverseSeqLayerParams(.empty) }
  }
  var splitNd: SpecSplitNDLayerParams {
    if case .splitNd(let value)? = layer { value } else { SpecSplitNDLayerParams(.empty) }
  }
  var concatNd: SpecConcatNDLayerParams {
    if case .concatNd(let value)? = layer { value } else { SpecConcatNDLayerParams(.empty) }
  }
  var transpose: SpecTransposeLayerParams {
    if case .transpose(let value)? = layer { value } else { SpecTransposeLayerParams(.empty) }
  }
  var sliceStatic: SpecSliceStaticLayerParams {
    if case .sliceStatic(let value)? = layer { value } else { SpecSliceStaticLayerParams(.empty) }
  }
  var sliceDynamic: SpecSliceDynamicLayerParams {
    if case .sliceDynamic(let value)? = layer { value } else { SpecSliceDynamicLayerParams(.empty) }
  }
  var slidingWindows: SpecSlidingWindowsLayerParams {
    if case .slidingWindows(let value)? = layer { value } else { SpecSlidingWindowsLayerParams(.empty) }
  }
  var topK: SpecTopKLayerParams {
    if case .topK(let value)? = layer { value } else { SpecTopKLayerParams(.empty) }
  }
  var argMin: SpecArgMinLayerParams {
    if case .argMin(let value)? = layer { value } else { SpecArgMinLayerParams(.empty) }
  }
  var argMax: SpecArgMaxLayerParams {
    if case .argMax(let value)? = layer { value } else { SpecArgMaxLayerParams(.empty) }
  }
  var embeddingNd: SpecEmbeddingNDLayerParams {
    if case .embeddingNd(let value)? = layer { value } else { SpecEmbeddingNDLayerParams(.empty) }
  }
  var batchedMatmul: SpecBatchedMatMulLayerParams {
    if case .batchedMatmul(let value)? = layer { value } else { SpecBatchedMatMulLayerParams(.empty) }
  }
  var getShape: SpecGetShapeLayerParams {
    if case .getShape(let value)? = layer { value } else { SpecGetShapeLayerParams(.empty) }
  }
  var loadConstantNd: SpecLoadConstantNDLayerParams {
    if case .loadConstantNd(let value)? = layer { value } else { SpecLoadConstantNDLayerParams(.empty) }
  }
  var fillLike: SpecFillLikeLayerParams {
    if case .fillLike(let value)? = layer { value } else { SpecFillLikeLayerParams(.empty) }
  }
  var fillStatic: SpecFillStaticLayerParams {
    if case .fillStatic(let value)? = layer { value } else { SpecFillStaticLayerParams(.empty) }
  }
  var fillDynamic: SpecFillDynamicLayerParams {
    if case .fillDynamic(let value)? = layer { value } else { SpecFillDynamicLayerParams(.empty) }
  }
  var broadcastToLike: SpecBroadcastToLikeLayerParams {
    if case .broadcastToLike(let value)? = layer { value } else { SpecBroadcastToLikeLayerParams(.empty) }
  }
  var broadcastToStatic: SpecBroadcastToStaticLayerParams {
    if case .broadcastToStatic(let value)? = layer { value } else { SpecBroadcastToStaticLayerParams(.empty) }
  }
  var broadcastToDynamic: SpecBroadcastToDynamicLayerParams {
    if case .broadcastToDynamic(let value)? = layer { value } else { SpecBroadcastToDynamicLayerParams(.empty) }
  }
  var squeeze: SpecSqueezeLayerParams {
    if case .squeeze(let value)? = layer { value } else { SpecSqueezeLayerParams(.empty) }
  }
  var expandDims: SpecExpandDimsLayerParams {
    if case .expandDims(let value)? = layer { value } else { SpecExpandDimsLayerParams(.empty) }
  }
  var flattenTo2D: SpecFlattenTo2DLayerParams {
    if case .flattenTo2D(let value)? = layer { value } else { SpecFlattenTo2DLayerParams(.empty) }
  }
  var reshapeLike: SpecReshapeLikeLayerParams {
    if case .reshapeLike(let value)? = layer { value } else { SpecReshapeLikeLayerParams(.empty) }
  }
  var reshapeStatic: SpecReshapeStaticLayerParams {
    if case .reshapeStatic(let value)? = layer { value } else { SpecReshapeStaticLayerParams(.empty) }
  }
  var reshapeDynamic: SpecReshapeDynamicLayerParams {
    if case .reshapeDynamic(let value)? = layer { value } else { SpecReshapeDynamicLayerParams(.empty) }
  }
  var rankPreservingReshape: SpecRankPreservingReshapeLayerParams {
    if case .rankPreservingReshape(let value)? = layer { value } else { SpecRankPreservingReshapeLayerParams(.empty) }
  }
  var constantPad: SpecConstantPaddingLayerParams {
    if case .constantPad(let value)? = layer { value } else { SpecConstantPaddingLayerParams(.empty) }
  }
  var randomNormalLike: SpecRandomNormalLikeLayerParams {
    if case .randomNormalLike(let value)? = layer { value } else { SpecRandomNormalLikeLayerParams(.empty) }
  }
  var randomNormalStatic: SpecRandomNormalStaticLayerParams {
    if case .randomNormalStatic(let value)? = layer { value } else { SpecRandomNormalStaticLayerParams(.empty) }
  }
  var randomNormalDynamic: SpecRandomNormalDynamicLayerParams {
    if case .randomNormalDynamic(let value)? = layer { value } else { SpecRandomNormalDynamicLayerParams(.empty) }
  }
  var randomUniformLike: SpecRandomUniformLikeLayerParams {
    if case .randomUniformLike(let value)? = layer { value } else { SpecRandomUniformLikeLayerParams(.empty) }
  }
  var randomUniformStatic: SpecRandomUniformStaticLayerParams {
    if case .randomUniformStatic(let value)? = layer { value } else { SpecRandomUniformStaticLayerParams(.empty) }
  }
  var randomUniformDynamic: SpecRandomUniformDynamicLayerParams {
    if case .randomUniformDynamic(let value)? = layer { value } else { SpecRandomUniformDynamicLayerParams(.empty) }
  }
  var randomBernoulliLike: SpecRandomBernoulliLikeLayerParams {
    if case .randomBernoulliLike(let value)? = layer { value } else { SpecRandomBernoulliLikeLayerParams(.empty) }
  }
  var randomBernoulliStatic: SpecRandomBernoulliStaticLayerParams {
    if case .randomBernoulliStatic(let value)? = layer { value } else { SpecRandomBernoulliStaticLayerParams(.empty) }
  }
  var randomBernoulliDynamic: SpecRandomBernoulliDynamicLayerParams {
    if case .randomBernoulliDynamic(let value)? = layer { value } else { SpecRandomBernoulliDynamicLayerParams(.empty) }
  }
  var categoricalDistribution: SpecCategoricalDistributionLayerParams {
    if case .categoricalDistribution(let value)? = layer { value } else { SpecCategoricalDistributionLayerParams(.empty) }
  }
  var reduceL1: SpecReduceL1LayerParams {
    if case .reduceL1(let value)? = layer { value } else { SpecReduceL1LayerParams(.empty) }
  }
  var reduceL2: SpecReduceL2LayerParams {
    if case .reduceL2(let value)? = layer { value } else { SpecReduceL2LayerParams(.empty) }
  }
  var reduceMax: SpecReduceMaxLayerParams {
    if case .reduceMax(let value)? = layer { value } else { SpecReduceMaxLayerParams(.empty) }
  }
  var reduceMin: SpecReduceMinLayerParams {
    if case .reduceMin(let value)? = layer { value } else { SpecReduceMinLayerParams(.empty) }
  }
  var reduceSum: SpecReduceSumLayerParams {
    if case .reduceSum(let value)? = layer { value } else { SpecReduceSumLayerParams(.empty) }
  }
  var reduceProd: SpecReduceProdLayerParams {
    if case .reduceProd(let value)? = layer { value } else { SpecReduceProdLayerParams(.empty) }
  }
  var reduceMean: SpecReduceMeanLayerParams {
    if case .reduceMean(let value)? = layer { value } else { SpecReduceMeanLayerParams(.empty) }
  }
  var reduceLogSum: SpecReduceLogSumLayerParams {
    if case .reduceLogSum(let value)? = layer { value } else { SpecReduceLogSumLayerParams(.empty) }
  }
  var reduceSumSquare: SpecReduceSumSquareLayerParams {
    if case .reduceSumSquare(let value)? = layer { value } else { SpecReduceSumSquareLayerParams(.empty) }
  }
  var reduceLogSumExp: SpecReduceLogSumExpLayerParams {
    if case .reduceLogSumExp(let value)? = layer { value } else { SpecReduceLogSumExpLayerParams(.empty) }
  }
  var whereNonZero: SpecWhereNonZeroLayerParams {
    if case .whereNonZero(let value)? = layer { value } else { SpecWhereNonZeroLayerParams(.empty) }
  }
  var matrixBandPart: SpecMatrixBandPartLayerParams {
    if case .matrixBandPart(let value)? = layer { value } else { SpecMatrixBandPartLayerParams(.empty) }
  }
  var lowerTriangular: SpecLowerTriangularLayerParams {
    if case .lowerTriangular(let value)? = layer { value } else { SpecLowerTriangularLayerParams(.empty) }
  }
  var upperTriangular: SpecUpperTriangularLayerParams {
    if case .upperTriangular(let value)? = layer { value } else { SpecUpperTriangularLayerParams(.empty) }
  }
  var whereBroadcastable: SpecWhereBroadcastableLayerParams {
    if case .whereBroadcastable(let value)? = layer { value } else { SpecWhereBroadcastableLayerParams(.empty) }
  }
  var layerNormalization: SpecLayerNormalizationLayerParams {
    if case .layerNormalization(let value)? = layer { value } else { SpecLayerNormalizationLayerParams(.empty) }
  }
  var nonMaximumSuppression: SpecNonMaximumSuppressionLayerParams {
    if case .nonMaximumSuppression(let value)? = layer { value } else { SpecNonMaximumSuppressionLayerParams(.empty) }
  }
  var oneHot: SpecOneHotLayerParams {
    if case .oneHot(let value)? = layer { value } else { SpecOneHotLayerParams(.empty) }
  }
  var cumSum: SpecCumSumLayerParams {
    if case .cumSum(let value)? = layer { value } else { SpecCumSumLayerParams(.empty) }
  }
  var clampedReLu: SpecClampedReLULayerParams {
    if case .clampedReLu(let value)? = layer { value } else { SpecClampedReLULayerParams(.empty) }
  }
  var argSort: SpecArgSortLayerParams {
    if case .argSort(let value)? = layer { value } else { SpecArgSortLayerParams(.empty) }
  }
  var pooling3D: SpecPooling3DLayerParams {
    if case .pooling3D(let value)? = layer { value } else { SpecPooling3DLayerParams(.empty) }
  }
  var globalPooling3D: SpecGlobalPooling3DLayerParams {
    if case .globalPooling3D(let value)? = layer { value } else { SpecGlobalPooling3DLayerParams(.empty) }
  }
  var sliceBySize: SpecSliceBySizeLayerParams {
    if case .sliceBySize(let value)? = layer { value } else { SpecSliceBySizeLayerParams(.empty) }
  }
  var convolution3D: SpecConvolution3DLayerParams {
    if case .convolution3D(let value)? = layer { value } else { SpecConvolution3DLayerParams(.empty) }
  }
}
struct SpecBranchLayerParams: ProtobufMessage {
  static var number: Int { 145 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var ifBranch: SpecNeuralNetwork { SpecNeuralNetwork(fields.message(1)) }
  var hasIfBranch: Bool { fields.contains(1) }
  var elseBranch: SpecNeuralNetwork { SpecNeuralNetwork(fields.message(2)) }
  var hasElseBranch: Bool { fields.contains(2) }
}
struct SpecLoopLayerParams: ProtobufMessage {
  static var number: Int { 146 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var maxLoopIterations: UInt64 { fields.uint64(1) }
  var conditionVar: String { fields.string(2) }
  var conditionNetwork: SpecNeuralNetwork { SpecNeuralNetwork(fields.message(3)) }
  var hasConditionNetwork: Bool { fields.contains(3) }
  var bodyNetwork: SpecNeuralNetwork { SpecNeuralNetwork(fields.message(4)) }
  var hasBodyNetwork: Bool { fields.contains(4) }
}
struct SpecLoopBreakLayerParams: ProtobufMessage {
  static var number: Int { 147 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecLoopContinueLayerParams: ProtobufMessage {
  static var number: Int { 148 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecCopyLayerParams: ProtobufMessage {
  static var number: Int { 149 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecGreaterThanLayerParams: ProtobufMessage {
  static var number: Int { 150 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(2) }
}
struct SpecGreaterEqualLayerParams: ProtobufMessage {
  static var number: Int { 151 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(2) }
}
struct SpecLessThanLayerParams: ProtobufMessage {
  static var number: Int { 152 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(2) }
}
struct SpecLessEqualLayerParams: ProtobufMessage {
  static var number: Int { 153 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(2) }
}
struct SpecEqualLayerParams: ProtobufMessage {
  static var number: Int { 154 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
}
struct SpecNotEqualLayerParams: ProtobufMessage {
  static var number: Int { 155 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
}
struct SpecLogicalAndLayerParams: ProtobufMessage {
  static var number: Int { 156 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecLogicalOrLayerParams: ProtobufMessage {
  static var number: Int { 157 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecLogicalXorLayerParams: ProtobufMessage {
  static var number: Int { 158 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecLogicalNotLayerParams: ProtobufMessage {
  static var number: Int { 159 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecBorderAmounts: ProtobufMessage {
  static var number: Int { 160 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var borderAmounts: [SpecBorderAmounts.EdgeSizes] { fields.messages(10).map { SpecBorderAmounts.EdgeSizes($0) } }
  struct EdgeSizes: ProtobufMessage {
    static var number: Int { 161 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var startEdgeSize: UInt64 { fields.uint64(1) }
    var endEdgeSize: UInt64 { fields.uint64(2) }
  }
}
struct SpecValidPadding: ProtobufMessage {
  static var number: Int { 162 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var paddingAmounts: SpecBorderAmounts { SpecBorderAmounts(fields.message(1)) }
  var hasPaddingAmounts: Bool { fields.contains(1) }
}
struct SpecSamePadding: ProtobufMessage {
  static var number: Int { 163 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var asymmetryMode: SpecSamePadding.SamePaddingMode { SpecSamePadding.SamePaddingMode(rawValue: fields.enumeration(1)) }
  enum SamePaddingMode: Hashable, Sendable {
    case bottomRightHeavy
    case topLeftHeavy
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .bottomRightHeavy
      case 1: self = .topLeftHeavy
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .bottomRightHeavy: 0
      case .topLeftHeavy: 1
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecSamplingMode: ProtobufMessage {
  static var number: Int { 164 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var samplingMethod: SpecSamplingMode.Method { SpecSamplingMode.Method(rawValue: fields.enumeration(1)) }
  enum Method: Hashable, Sendable {
    case strictAlignEndpointsMode
    case alignEndpointsMode
    case upsampleMode
    case roiAlignMode
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .strictAlignEndpointsMode
      case 1: self = .alignEndpointsMode
      case 2: self = .upsampleMode
      case 3: self = .roiAlignMode
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .strictAlignEndpointsMode: 0
      case .alignEndpointsMode: 1
      case .upsampleMode: 2
      case .roiAlignMode: 3
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecBoxCoordinatesMode: ProtobufMessage {
  static var number: Int { 165 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var boxMode: SpecBoxCoordinatesMode.Coordinates { SpecBoxCoordinatesMode.Coordinates(rawValue: fields.enumeration(1)) }
  enum Coordinates: Hashable, Sendable {
    case cornersHeightFirst
    case cornersWidthFirst
    case centerSizeHeightFirst
    case centerSizeWidthFirst
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .cornersHeightFirst
      case 1: self = .cornersWidthFirst
      case 2: self = .centerSizeHeightFirst
      case 3: self = .centerSizeWidthFirst
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .cornersHeightFirst: 0
      case .cornersWidthFirst: 1
      case .centerSizeHeightFirst: 2
      case .centerSizeWidthFirst: 3
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecWeightParams: ProtobufMessage {
  static var number: Int { 166 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var floatValue: [Float] { fields.floats(1) }
  var float16Value: [UInt8] { fields.data(2) }
  var rawValue: [UInt8] { fields.data(30) }
  var int8RawValue: [UInt8] { fields.data(31) }
  var quantization: SpecQuantizationParams { SpecQuantizationParams(fields.message(40)) }
  var hasQuantization: Bool { fields.contains(40) }
  var isUpdatable: Bool { fields.bool(50) }
}
struct SpecQuantizationParams: ProtobufMessage {
  static var number: Int { 167 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var numberOfBits: UInt64 { fields.uint64(1) }
  enum OneOf_QuantizationType: Sendable {
    case linearQuantization(SpecLinearQuantizationParams)
    case lookupTableQuantization(SpecLookUpTableQuantizationParams)
  }
  var quantizationType: OneOf_QuantizationType? {
    let fields = self.fields.choice([810, 818])
    switch fields.chosen {
    case 101: return .linearQuantization(SpecLinearQuantizationParams(fields.message(101)))
    case 102: return .lookupTableQuantization(SpecLookUpTableQuantizationParams(fields.message(102)))
    default: return nil
    }
  }
  var linearQuantization: SpecLinearQuantizationParams {
    if case .linearQuantization(let value)? = quantizationType { value } else { SpecLinearQuantizationParams(.empty) }
  }
  var lookupTableQuantization: SpecLookUpTableQuantizationParams {
    if case .lookupTableQuantization(let value)? = quantizationType { value } else { SpecLookUpTableQuantizationParams(.empty) }
  }
}
struct SpecLinearQuantizationParams: ProtobufMessage {
  static var number: Int { 168 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var scale: [Float] { fields.floats(1) }
  var bias: [Float] { fields.floats(2) }
}
struct SpecLookUpTableQuantizationParams: ProtobufMessage {
  static var number: Int { 169 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var floatValue: [Float] { fields.floats(1) }
}
struct SpecConvolutionLayerParams: ProtobufMessage {
  static var number: Int { 170 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var outputChannels: UInt64 { fields.uint64(1) }
  var kernelChannels: UInt64 { fields.uint64(2) }
  var nGroups: UInt64 { fields.uint64(10) }
  var kernelSize: [UInt64] { fields.uint64s(20) }
  var stride: [UInt64] { fields.uint64s(30) }
  var dilationFactor: [UInt64] { fields.uint64s(40) }
  var isDeconvolution: Bool { fields.bool(60) }
  var hasBias_p: Bool { fields.bool(70) }
  var weights: SpecWeightParams { SpecWeightParams(fields.message(90)) }
  var hasWeights: Bool { fields.contains(90) }
  var bias: SpecWeightParams { SpecWeightParams(fields.message(91)) }
  var hasBias: Bool { fields.contains(91) }
  var outputShape: [UInt64] { fields.uint64s(100) }
  enum OneOf_ConvolutionPaddingType: Sendable {
    case valid(SpecValidPadding)
    case same(SpecSamePadding)
  }
  var convolutionPaddingType: OneOf_ConvolutionPaddingType? {
    let fields = self.fields.choice([402, 410])
    switch fields.chosen {
    case 50: return .valid(SpecValidPadding(fields.message(50)))
    case 51: return .same(SpecSamePadding(fields.message(51)))
    default: return nil
    }
  }
  var valid: SpecValidPadding {
    if case .valid(let value)? = convolutionPaddingType { value } else { SpecValidPadding(.empty) }
  }
  var same: SpecSamePadding {
    if case .same(let value)? = convolutionPaddingType { value } else { SpecSamePadding(.empty) }
  }
}
struct SpecConvolution3DLayerParams: ProtobufMessage {
  static var number: Int { 171 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var outputChannels: Int32 { fields.int32(1) }
  var inputChannels: Int32 { fields.int32(2) }
  var nGroups: Int32 { fields.int32(10) }
  var kernelDepth: Int32 { fields.int32(20) }
  var kernelHeight: Int32 { fields.int32(21) }
  var kernelWidth: Int32 { fields.int32(22) }
  var strideDepth: Int32 { fields.int32(31) }
  var strideHeight: Int32 { fields.int32(32) }
  var strideWidth: Int32 { fields.int32(33) }
  var dilationDepth: Int32 { fields.int32(40) }
  var dilationHeight: Int32 { fields.int32(41) }
  var dilationWidth: Int32 { fields.int32(42) }
  var hasBias_p: Bool { fields.bool(50) }
  var weights: SpecWeightParams { SpecWeightParams(fields.message(60)) }
  var hasWeights: Bool { fields.contains(60) }
  var bias: SpecWeightParams { SpecWeightParams(fields.message(61)) }
  var hasBias: Bool { fields.contains(61) }
  var paddingType: SpecConvolution3DLayerParams.PaddingType { SpecConvolution3DLayerParams.PaddingType(rawValue: fields.enumeration(70)) }
  var customPaddingFront: Int32 { fields.int32(80) }
  var customPaddingBack: Int32 { fields.int32(81) }
  var customPaddingTop: Int32 { fields.int32(82) }
  var customPaddingBottom: Int32 { fields.int32(83) }
  var customPaddingLeft: Int32 { fields.int32(84) }
  var customPaddingRight: Int32 { fields.int32(85) }
  var isDeconvolution: Bool { fields.bool(86) }
  var outputShape: [UInt64] { fields.uint64s(87) }
  enum PaddingType: Hashable, Sendable {
    case custom
    case valid
    case same
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .custom
      case 1: self = .valid
      case 2: self = .same
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .custom: 0
      case .valid: 1
      case .same: 2
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecInnerProductLayerParams: ProtobufMessage {
  static var number: Int { 172 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var inputChannels: UInt64 { fields.uint64(1) }
  var outputChannels: UInt64 { fields.uint64(2) }
  var hasBias_p: Bool { fields.bool(10) }
  var weights: SpecWeightParams { SpecWeightParams(fields.message(20)) }
  var hasWeights: Bool { fields.contains(20) }
  var bias: SpecWeightParams { SpecWeightParams(fields.message(21)) }
  var hasBias: Bool { fields.contains(21) }
  var int8DynamicQuantize: Bool { fields.bool(22) }
}
struct SpecEmbeddingLayerParams: ProtobufMessage {
  static var number: Int { 173 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var inputDim: UInt64 { fields.uint64(1) }
  var outputChannels: UInt64 { fields.uint64(2) }
  var hasBias_p: Bool { fields.bool(10) }
  var weights: SpecWeightParams { SpecWeightParams(fields.message(20)) }
  var hasWeights: Bool { fields.contains(20) }
  var bias: SpecWeightParams { SpecWeightParams(fields.message(21)) }
  var hasBias: Bool { fields.contains(21) }
}
struct SpecEmbeddingNDLayerParams: ProtobufMessage {
  static var number: Int { 174 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var vocabSize: UInt64 { fields.uint64(1) }
  var embeddingSize: UInt64 { fields.uint64(2) }
  var hasBias_p: Bool { fields.bool(3) }
  var weights: SpecWeightParams { SpecWeightParams(fields.message(20)) }
  var hasWeights: Bool { fields.contains(20) }
  var bias: SpecWeightParams { SpecWeightParams(fields.message(21)) }
  var hasBias: Bool { fields.contains(21) }
}
struct SpecBatchnormLayerParams: ProtobufMessage {
  static var number: Int { 175 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var channels: UInt64 { fields.uint64(1) }
  var computeMeanVar: Bool { fields.bool(5) }
  var instanceNormalization: Bool { fields.bool(6) }
  var epsilon: Float { fields.float(10) }
  var gamma: SpecWeightParams { SpecWeightParams(fields.message(15)) }
  var hasGamma: Bool { fields.contains(15) }
  var beta: SpecWeightParams { SpecWeightParams(fields.message(16)) }
  var hasBeta: Bool { fields.contains(16) }
  var mean: SpecWeightParams { SpecWeightParams(fields.message(17)) }
  var hasMean: Bool { fields.contains(17) }
  var variance: SpecWeightParams { SpecWeightParams(fields.message(18)) }
  var hasVariance: Bool { fields.contains(18) }
}
struct SpecPoolingLayerParams: ProtobufMessage {
  static var number: Int { 176 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var type: SpecPoolingLayerParams.PoolingType { SpecPoolingLayerParams.PoolingType(rawValue: fields.enumeration(1)) }
  var kernelSize: [UInt64] { fields.uint64s(10) }
  var stride: [UInt64] { fields.uint64s(20) }
  var avgPoolExcludePadding: Bool { fields.bool(50) }
  var globalPooling: Bool { fields.bool(60) }
  enum OneOf_PoolingPaddingType: Sendable {
    case valid(SpecValidPadding)
    case same(SpecSamePadding)
    case includeLastPixel(SpecPoolingLayerParams.ValidCompletePadding)
  }
  var poolingPaddingType: OneOf_PoolingPaddingType? {
    let fields = self.fields.choice([242, 250, 258])
    switch fields.chosen {
    case 30: return .valid(SpecValidPadding(fields.message(30)))
    case 31: return .same(SpecSamePadding(fields.message(31)))
    case 32: return .includeLastPixel(SpecPoolingLayerParams.ValidCompletePadding(fields.message(32)))
    default: return nil
    }
  }
  var valid: SpecValidPadding {
    if case .valid(let value)? = poolingPaddingType { value } else { SpecValidPadding(.empty) }
  }
  var same: SpecSamePadding {
    if case .same(let value)? = poolingPaddingType { value } else { SpecSamePadding(.empty) }
  }
  var includeLastPixel: SpecPoolingLayerParams.ValidCompletePadding {
    if case .includeLastPixel(let value)? = poolingPaddingType { value } else { SpecPoolingLayerParams.ValidCompletePadding(.empty) }
  }
  enum PoolingType: Hashable, Sendable {
    case max
    case average
    case l2
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .max
      case 1: self = .average
      case 2: self = .l2
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .max: 0
      case .average: 1
      case .l2: 2
      case .UNRECOGNIZED(let value): value
      }
    }
  }
  struct ValidCompletePadding: ProtobufMessage {
    static var number: Int { 177 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var paddingAmounts: [UInt64] { fields.uint64s(10) }
  }
}
struct SpecPooling3DLayerParams: ProtobufMessage {
  static var number: Int { 178 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var type: SpecPooling3DLayerParams.PoolingType3D { SpecPooling3DLayerParams.PoolingType3D(rawValue: fields.enumeration(1)) }
  var kernelDepth: Int32 { fields.int32(2) }
  var kernelHeight: Int32 { fields.int32(3) }
  var kernelWidth: Int32 { fields.int32(4) }
  var strideDepth: Int32 { fields.int32(5) }
  var strideHeight: Int32 { fields.int32(6) }
  var strideWidth: Int32 { fields.int32(7) }
  var paddingType: SpecPooling3DLayerParams.Pooling3DPaddingType { SpecPooling3DLayerParams.Pooling3DPaddingType(rawValue: fields.enumeration(15)) }
  var customPaddingFront: Int32 { fields.int32(8) }
  var customPaddingBack: Int32 { fields.int32(9) }
  var customPaddingTop: Int32 { fields.int32(10) }
  var customPaddingBottom: Int32 { fields.int32(11) }
  var customPaddingLeft: Int32 { fields.int32(12) }
  var customPaddingRight: Int32 { fields.int32(13) }
  var countExcludePadding: Bool { fields.bool(14) }
  enum PoolingType3D: Hashable, Sendable {
    case max
    case average
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .max
      case 1: self = .average
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .max: 0
      case .average: 1
      case .UNRECOGNIZED(let value): value
      }
    }
  }
  enum Pooling3DPaddingType: Hashable, Sendable {
    case custom
    case valid
    case same
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .custom
      case 1: self = .valid
      case 2: self = .same
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .custom: 0
      case .valid: 1
      case .same: 2
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecGlobalPooling3DLayerParams: ProtobufMessage {
  static var number: Int { 179 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var type: SpecGlobalPooling3DLayerParams.GlobalPoolingType3D { SpecGlobalPooling3DLayerParams.GlobalPoolingType3D(rawValue: fields.enumeration(1)) }
  enum GlobalPoolingType3D: Hashable, Sendable {
    case max
    case average
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .max
      case 1: self = .average
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .max: 0
      case .average: 1
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecPaddingLayerParams: ProtobufMessage {
  static var number: Int { 180 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var paddingAmounts: SpecBorderAmounts { SpecBorderAmounts(fields.message(10)) }
  var hasPaddingAmounts: Bool { fields.contains(10) }
  enum OneOf_PaddingType: Sendable {
    case constant(SpecPaddingLayerParams.PaddingConstant)
    case reflection(SpecPaddingLayerParams.PaddingReflection)
    case replication(SpecPaddingLayerParams.PaddingReplication)
  }
  var paddingType: OneOf_PaddingType? {
    let fields = self.fields.choice([10, 18, 26])
    switch fields.chosen {
    case 1: return .constant(SpecPaddingLayerParams.PaddingConstant(fields.message(1)))
    case 2: return .reflection(SpecPaddingLayerParams.PaddingReflection(fields.message(2)))
    case 3: return .replication(SpecPaddingLayerParams.PaddingReplication(fields.message(3)))
    default: return nil
    }
  }
  var constant: SpecPaddingLayerParams.PaddingConstant {
    if case .constant(let value)? = paddingType { value } else { SpecPaddingLayerParams.PaddingConstant(.empty) }
  }
  var reflection: SpecPaddingLayerParams.PaddingReflection {
    if case .reflection(let value)? = paddingType { value } else { SpecPaddingLayerParams.PaddingReflection(.empty) }
  }
  var replication: SpecPaddingLayerParams.PaddingReplication {
    if case .replication(let value)? = paddingType { value } else { SpecPaddingLayerParams.PaddingReplication(.empty) }
  }
  struct PaddingConstant: ProtobufMessage {
    static var number: Int { 181 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var value: Float { fields.float(1) }
  }
  struct PaddingReflection: ProtobufMessage {
    static var number: Int { 182 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
  }
  struct PaddingReplication: ProtobufMessage {
    static var number: Int { 183 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
  }
}
struct SpecConcatLayerParams: ProtobufMessage {
  static var number: Int { 184 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var sequenceConcat: Bool { fields.bool(100) }
}
struct SpecLRNLayerParams: ProtobufMessage {
  static var number: Int { 185 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
  var beta: Float { fields.float(2) }
  var localSize: UInt64 { fields.uint64(3) }
  var k: Float { fields.float(4) }
}
struct SpecSoftmaxLayerParams: ProtobufMessage {
  static var number: Int { 186 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecSplitLayerParams: ProtobufMessage {
  static var number: Int { 187 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var nOutputs: UInt64 { fields.uint64(1) }
}
struct SpecAddLayerParams: ProtobufMessage {
  static var number: Int { 188 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
}
struct SpecMultiplyLayerParams: ProtobufMessage {
  static var number: Int { 189 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
}
struct SpecUnaryFunctionLayerParams: ProtobufMessage {
  static var number: Int { 190 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var type: SpecUnaryFunctionLayerParams.Operation { SpecUnaryFunctionLayerParams.Operation(rawValue: fields.enumeration(1)) }
  var alpha: Float { fields.float(2) }
  var epsilon: Float { fields.float(3) }
  var shift: Float { fields.float(4) }
  var scale: Float { fields.float(5) }
  enum Operation: Hashable, Sendable {
    case sqrt
    case rsqrt
    case inverse
    case power
    case exp
    case log
    case abs
    case threshold
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .sqrt
      case 1: self = .rsqrt
      case 2: self = .inverse
      case 3: self = .power
      case 4: self = .exp
      case 5: self = .log
      case 6: self = .abs
      case 7: self = .threshold
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .sqrt: 0
      case .rsqrt: 1
      case .inverse: 2
      case .power: 3
      case .exp: 4
      case .log: 5
      case .abs: 6
      case .threshold: 7
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecUpsampleLayerParams: ProtobufMessage {
  static var number: Int { 191 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var scalingFactor: [UInt64] { fields.uint64s(1) }
  var fractionalScalingFactor: [Float] { fields.floats(7) }
  var mode: SpecUpsampleLayerParams.InterpolationMode { SpecUpsampleLayerParams.InterpolationMode(rawValue: fields.enumeration(5)) }
  var linearUpsampleMode: SpecUpsampleLayerParams.LinearUpsampleMode { SpecUpsampleLayerParams.LinearUpsampleMode(rawValue: fields.enumeration(6)) }
  enum InterpolationMode: Hashable, Sendable {
    case nn
    case bilinear
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .nn
      case 1: self = .bilinear
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .nn: 0
      case .bilinear: 1
      case .UNRECOGNIZED(let value): value
      }
    }
  }
  enum LinearUpsampleMode: Hashable, Sendable {
    case `default`
    case alignCornersTrue
    case alignCornersFalse
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .`default`
      case 1: self = .alignCornersTrue
      case 2: self = .alignCornersFalse
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .`default`: 0
      case .alignCornersTrue: 1
      case .alignCornersFalse: 2
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecResizeBilinearLayerParams: ProtobufMessage {
  static var number: Int { 192 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var targetSize: [UInt64] { fields.uint64s(1) }
  var mode: SpecSamplingMode { SpecSamplingMode(fields.message(2)) }
  var hasMode: Bool { fields.contains(2) }
}
struct SpecCropResizeLayerParams: ProtobufMessage {
  static var number: Int { 193 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var targetSize: [UInt64] { fields.uint64s(1) }
  var normalizedCoordinates: Bool { fields.bool(2) }
  var mode: SpecSamplingMode { SpecSamplingMode(fields.message(3)) }
  var hasMode: Bool { fields.contains(3) }
  var boxIndicesMode: SpecBoxCoordinatesMode { SpecBoxCoordinatesMode(fields.message(4)) }
  var hasBoxIndicesMode: Bool { fields.contains(4) }
  var spatialScale: Float { fields.float(5) }
}
struct SpecBiasLayerParams: ProtobufMessage {
  static var number: Int { 194 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var shape: [UInt64] { fields.uint64s(1) }
  var bias: SpecWeightParams { SpecWeightParams(fields.message(2)) }
  var hasBias: Bool { fields.contains(2) }
}
struct SpecScaleLayerParams: ProtobufMessage {
  static var number: Int { 195 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var shapeScale: [UInt64] { fields.uint64s(1) }
  var scale: SpecWeightParams { SpecWeightParams(fields.message(2)) }
  var hasScale: Bool { fields.contains(2) }
  var hasBias_p: Bool { fields.bool(3) }
  var shapeBias: [UInt64] { fields.uint64s(4) }
  var bias: SpecWeightParams { SpecWeightParams(fields.message(5)) }
  var hasBias: Bool { fields.contains(5) }
}
struct SpecLoadConstantLayerParams: ProtobufMessage {
  static var number: Int { 196 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var shape: [UInt64] { fields.uint64s(1) }
  var data: SpecWeightParams { SpecWeightParams(fields.message(2)) }
  var hasData: Bool { fields.contains(2) }
}
struct SpecL2NormalizeLayerParams: ProtobufMessage {
  static var number: Int { 197 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var epsilon: Float { fields.float(1) }
}
struct SpecFlattenLayerParams: ProtobufMessage {
  static var number: Int { 198 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var mode: SpecFlattenLayerParams.FlattenOrder { SpecFlattenLayerParams.FlattenOrder(rawValue: fields.enumeration(1)) }
  enum FlattenOrder: Hashable, Sendable {
    case channelFirst
    case channelLast
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .channelFirst
      case 1: self = .channelLast
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .channelFirst: 0
      case .channelLast: 1
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecReshapeLayerParams: ProtobufMessage {
  static var number: Int { 199 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var targetShape: [Int64] { fields.int64s(1) }
  var mode: SpecReshapeLayerParams.ReshapeOrder { SpecReshapeLayerParams.ReshapeOrder(rawValue: fields.enumeration(2)) }
  enum ReshapeOrder: Hashable, Sendable {
    case channelFirst
    case channelLast
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .channelFirst
      case 1: self = .channelLast
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .channelFirst: 0
      case .channelLast: 1
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecPermuteLayerParams: ProtobufMessage {
  static var number: Int { 200 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: [UInt64] { fields.uint64s(1) }
}
struct SpecReorganizeDataLayerParams: ProtobufMessage {
  static var number: Int { 201 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var mode: SpecReorganizeDataLayerParams.ReorganizationType { SpecReorganizeDataLayerParams.ReorganizationType(rawValue: fields.enumeration(1)) }
  var blockSize: UInt64 { fields.uint64(2) }
  enum ReorganizationType: Hashable, Sendable {
    case spaceToDepth
    case depthToSpace
    case pixelShuffle
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .spaceToDepth
      case 1: self = .depthToSpace
      case 2: self = .pixelShuffle
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .spaceToDepth: 0
      case .depthToSpace: 1
      case .pixelShuffle: 2
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecSliceLayerParams: ProtobufMessage {
  static var number: Int { 202 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var startIndex: Int64 { fields.int64(1) }
  var endIndex: Int64 { fields.int64(2) }
  var stride: UInt64 { fields.uint64(3) }
  var axis: SpecSliceLayerParams.SliceAxis { SpecSliceLayerParams.SliceAxis(rawValue: fields.enumeration(4)) }
  enum SliceAxis: Hashable, Sendable {
    case channelAxis
    case heightAxis
    case widthAxis
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .channelAxis
      case 1: self = .heightAxis
      case 2: self = .widthAxis
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .channelAxis: 0
      case .heightAxis: 1
      case .widthAxis: 2
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecReduceLayerParams: ProtobufMessage {
  static var number: Int { 203 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var mode: SpecReduceLayerParams.ReduceOperation { SpecReduceLayerParams.ReduceOperation(rawValue: fields.enumeration(1)) }
  var epsilon: Float { fields.float(2) }
  var axis: SpecReduceLayerParams.ReduceAxis { SpecReduceLayerParams.ReduceAxis(rawValue: fields.enumeration(3)) }
  enum ReduceOperation: Hashable, Sendable {
    case sum
    case avg
    case prod
    case logsum
    case sumsquare
    case l1
    case l2
    case max
    case min
    case argmax
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .sum
      case 1: self = .avg
      case 2: self = .prod
      case 3: self = .logsum
      case 4: self = .sumsquare
      case 5: self = .l1
      case 6: self = .l2
      case 7: self = .max
      case 8: self = .min
      case 9: self = .argmax
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .sum: 0
      case .avg: 1
      case .prod: 2
      case .logsum: 3
      case .sumsquare: 4
      case .l1: 5
      case .l2: 6
      case .max: 7
      case .min: 8
      case .argmax: 9
      case .UNRECOGNIZED(let value): value
      }
    }
  }
  enum ReduceAxis: Hashable, Sendable {
    case chw
    case hw
    case c
    case h
    case w
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .chw
      case 1: self = .hw
      case 2: self = .c
      case 3: self = .h
      case 4: self = .w
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .chw: 0
      case .hw: 1
      case .c: 2
      case .h: 3
      case .w: 4
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecCropLayerParams: ProtobufMessage {
  static var number: Int { 204 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var cropAmounts: SpecBorderAmounts { SpecBorderAmounts(fields.message(1)) }
  var hasCropAmounts: Bool { fields.contains(1) }
  var offset: [UInt64] { fields.uint64s(5) }
}
struct SpecAverageLayerParams: ProtobufMessage {
  static var number: Int { 205 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecMaxLayerParams: ProtobufMessage {
  static var number: Int { 206 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecMinLayerParams: ProtobufMessage {
  static var number: Int { 207 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecDotProductLayerParams: ProtobufMessage {
  static var number: Int { 208 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var cosineSimilarity: Bool { fields.bool(1) }
}
struct SpecMeanVarianceNormalizeLayerParams: ProtobufMessage {
  static var number: Int { 209 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var acrossChannels: Bool { fields.bool(1) }
  var normalizeVariance: Bool { fields.bool(2) }
  var epsilon: Float { fields.float(3) }
}
struct SpecSequenceRepeatLayerParams: ProtobufMessage {
  static var number: Int { 210 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var nRepetitions: UInt64 { fields.uint64(1) }
}
struct SpecSimpleRecurrentLayerParams: ProtobufMessage {
  static var number: Int { 211 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var inputVectorSize: UInt64 { fields.uint64(1) }
  var outputVectorSize: UInt64 { fields.uint64(2) }
  var activation: SpecActivationParams { SpecActivationParams(fields.message(10)) }
  var hasActivation: Bool { fields.contains(10) }
  var sequenceOutput: Bool { fields.bool(15) }
  var hasBiasVector_p: Bool { fields.bool(20) }
  var weightMatrix: SpecWeightParams { SpecWeightParams(fields.message(30)) }
  var hasWeightMatrix: Bool { fields.contains(30) }
  var recursionMatrix: SpecWeightParams { SpecWeightParams(fields.message(31)) }
  var hasRecursionMatrix: Bool { fields.contains(31) }
  var biasVector: SpecWeightParams { SpecWeightParams(fields.message(32)) }
  var hasBiasVector: Bool { fields.contains(32) }
  var reverseInput: Bool { fields.bool(100) }
}
struct SpecGRULayerParams: ProtobufMessage {
  static var number: Int { 212 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var inputVectorSize: UInt64 { fields.uint64(1) }
  var outputVectorSize: UInt64 { fields.uint64(2) }
  var activations: [SpecActivationParams] { fields.messages(10).map { SpecActivationParams($0) } }
  var sequenceOutput: Bool { fields.bool(15) }
  var hasBiasVectors_p: Bool { fields.bool(20) }
  var updateGateWeightMatrix: SpecWeightParams { SpecWeightParams(fields.message(30)) }
  var hasUpdateGateWeightMatrix: Bool { fields.contains(30) }
  var resetGateWeightMatrix: SpecWeightParams { SpecWeightParams(fields.message(31)) }
  var hasResetGateWeightMatrix: Bool { fields.contains(31) }
  var outputGateWeightMatrix: SpecWeightParams { SpecWeightParams(fields.message(32)) }
  var hasOutputGateWeightMatrix: Bool { fields.contains(32) }
  var updateGateRecursionMatrix: SpecWeightParams { SpecWeightParams(fields.message(50)) }
  var hasUpdateGateRecursionMatrix: Bool { fields.contains(50) }
  var resetGateRecursionMatrix: SpecWeightParams { SpecWeightParams(fields.message(51)) }
  var hasResetGateRecursionMatrix: Bool { fields.contains(51) }
  var outputGateRecursionMatrix: SpecWeightParams { SpecWeightParams(fields.message(52)) }
  var hasOutputGateRecursionMatrix: Bool { fields.contains(52) }
  var updateGateBiasVector: SpecWeightParams { SpecWeightParams(fields.message(70)) }
  var hasUpdateGateBiasVector: Bool { fields.contains(70) }
  var resetGateBiasVector: SpecWeightParams { SpecWeightParams(fields.message(71)) }
  var hasResetGateBiasVector: Bool { fields.contains(71) }
  var outputGateBiasVector: SpecWeightParams { SpecWeightParams(fields.message(72)) }
  var hasOutputGateBiasVector: Bool { fields.contains(72) }
  var reverseInput: Bool { fields.bool(100) }
}
struct SpecLSTMParams: ProtobufMessage {
  static var number: Int { 213 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var sequenceOutput: Bool { fields.bool(10) }
  var hasBiasVectors_p: Bool { fields.bool(20) }
  var forgetBias: Bool { fields.bool(30) }
  var hasPeepholeVectors_p: Bool { fields.bool(40) }
  var coupledInputAndForgetGate: Bool { fields.bool(50) }
  var cellClipThreshold: Float { fields.float(60) }
}
struct SpecLSTMWeightParams: ProtobufMessage {
  static var number: Int { 214 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var inputGateWeightMatrix: SpecWeightParams { SpecWeightParams(fields.message(1)) }
  var hasInputGateWeightMatrix: Bool { fields.contains(1) }
  var forgetGateWeightMatrix: SpecWeightParams { SpecWeightParams(fields.message(2)) }
  var hasForgetGateWeightMatrix: Bool { fields.contains(2) }
  var blockInputWeightMatrix: SpecWeightParams { SpecWeightParams(fields.message(3)) }
  var hasBlockInputWeightMatrix: Bool { fields.contains(3) }
  var outputGateWeightMatrix: SpecWeightParams { SpecWeightParams(fields.message(4)) }
  var hasOutputGateWeightMatrix: Bool { fields.contains(4) }
  var inputGateRecursionMatrix: SpecWeightParams { SpecWeightParams(fields.message(20)) }
  var hasInputGateRecursionMatrix: Bool { fields.contains(20) }
  var forgetGateRecursionMatrix: SpecWeightParams { SpecWeightParams(fields.message(21)) }
  var hasForgetGateRecursionMatrix: Bool { fields.contains(21) }
  var blockInputRecursionMatrix: SpecWeightParams { SpecWeightParams(fields.message(22)) }
  var hasBlockInputRecursionMatrix: Bool { fields.contains(22) }
  var outputGateRecursionMatrix: SpecWeightParams { SpecWeightParams(fields.message(23)) }
  var hasOutputGateRecursionMatrix: Bool { fields.contains(23) }
  var inputGateBiasVector: SpecWeightParams { SpecWeightParams(fields.message(40)) }
  var hasInputGateBiasVector: Bool { fields.contains(40) }
  var forgetGateBiasVector: SpecWeightParams { SpecWeightParams(fields.message(41)) }
  var hasForgetGateBiasVector: Bool { fields.contains(41) }
  var blockInputBiasVector: SpecWeightParams { SpecWeightParams(fields.message(42)) }
  var hasBlockInputBiasVector: Bool { fields.contains(42) }
  var outputGateBiasVector: SpecWeightParams { SpecWeightParams(fields.message(43)) }
  var hasOutputGateBiasVector: Bool { fields.contains(43) }
  var inputGatePeepholeVector: SpecWeightParams { SpecWeightParams(fields.message(60)) }
  var hasInputGatePeepholeVector: Bool { fields.contains(60) }
  var forgetGatePeepholeVector: SpecWeightParams { SpecWeightParams(fields.message(61)) }
  var hasForgetGatePeepholeVector: Bool { fields.contains(61) }
  var outputGatePeepholeVector: SpecWeightParams { SpecWeightParams(fields.message(62)) }
  var hasOutputGatePeepholeVector: Bool { fields.contains(62) }
}
struct SpecUniDirectionalLSTMLayerParams: ProtobufMessage {
  static var number: Int { 215 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var inputVectorSize: UInt64 { fields.uint64(1) }
  var outputVectorSize: UInt64 { fields.uint64(2) }
  var activations: [SpecActivationParams] { fields.messages(10).map { SpecActivationParams($0) } }
  var params: SpecLSTMParams { SpecLSTMParams(fields.message(15)) }
  var hasParams: Bool { fields.contains(15) }
  var weightParams: SpecLSTMWeightParams { SpecLSTMWeightParams(fields.message(20)) }
  var hasWeightParams: Bool { fields.contains(20) }
  var reverseInput: Bool { fields.bool(100) }
}
struct SpecBiDirectionalLSTMLayerParams: ProtobufMessage {
  static var number: Int { 216 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var inputVectorSize: UInt64 { fields.uint64(1) }
  var outputVectorSize: UInt64 { fields.uint64(2) }
  var activationsForwardLstm: [SpecActivationParams] { fields.messages(10).map { SpecActivationParams($0) } }
  var activationsBackwardLstm: [SpecActivationParams] { fields.messages(11).map { SpecActivationParams($0) } }
  var params: SpecLSTMParams { SpecLSTMParams(fields.message(15)) }
  var hasParams: Bool { fields.contains(15) }
  var weightParams: [SpecLSTMWeightParams] { fields.messages(20).map { SpecLSTMWeightParams($0) } }
}
struct SpecCustomLayerParams: ProtobufMessage {
  static var number: Int { 217 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var className: String { fields.string(10) }
  var weights: [SpecWeightParams] { fields.messages(20).map { SpecWeightParams($0) } }
  var parameters: [String: SpecCustomLayerParams.CustomLayerParamValue] {
    Dictionary(fields.messages(30).map { ($0.string(1), SpecCustomLayerParams.CustomLayerParamValue($0.message(2))) }) { $1 }
  }
  var description_p: String { fields.string(40) }
  struct CustomLayerParamValue: ProtobufMessage {
    static var number: Int { 218 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    enum OneOf_Value: Sendable {
      case doubleValue(Double)
      case stringValue(String)
      case intValue(Int32)
      case longValue(Int64)
      case boolValue(Bool)
    }
    var value: OneOf_Value? {
      let fields = self.fields.choice([81, 162, 240, 320, 400])
      switch fields.chosen {
      case 10: return .doubleValue(fields.double(10))
      case 20: return .stringValue(fields.string(20))
      case 30: return .intValue(fields.int32(30))
      case 40: return .longValue(fields.int64(40))
      case 50: return .boolValue(fields.bool(50))
      default: return nil
      }
    }
  }
}
struct SpecTransposeLayerParams: ProtobufMessage {
  static var number: Int { 219 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [UInt64] { fields.uint64s(1) }
}
struct SpecBatchedMatMulLayerParams: ProtobufMessage {
  static var number: Int { 220 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var transposeA: Bool { fields.bool(1) }
  var transposeB: Bool { fields.bool(2) }
  var weightMatrixFirstDimension: UInt64 { fields.uint64(5) }
  var weightMatrixSecondDimension: UInt64 { fields.uint64(6) }
  var hasBias_p: Bool { fields.bool(7) }
  var weights: SpecWeightParams { SpecWeightParams(fields.message(8)) }
  var hasWeights: Bool { fields.contains(8) }
  var bias: SpecWeightParams { SpecWeightParams(fields.message(9)) }
  var hasBias: Bool { fields.contains(9) }
  var int8DynamicQuantize: Bool { fields.bool(10) }
}
struct SpecConcatNDLayerParams: ProtobufMessage {
  static var number: Int { 221 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
  var interleave: Bool { fields.bool(2) }
}
struct SpecSoftmaxNDLayerParams: ProtobufMessage {
  static var number: Int { 222 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
}
struct SpecReverseLayerParams: ProtobufMessage {
  static var number: Int { 223 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var reverseDim: [Bool] { fields.bools(1) }
}
struct SpecReverseSeqLayerParams: ProtobufMessage {
  static var number: Int { 224 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var batchAxis: Int64 { fields.int64(1) }
  var sequenceAxis: Int64 { fields.int64(2) }
}
struct SpecLoadConstantNDLayerParams: ProtobufMessage {
  static var number: Int { 225 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var shape: [UInt64] { fields.uint64s(1) }
  var data: SpecWeightParams { SpecWeightParams(fields.message(2)) }
  var hasData: Bool { fields.contains(2) }
}
struct SpecFillLikeLayerParams: ProtobufMessage {
  static var number: Int { 226 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var value: Float { fields.float(1) }
}
struct SpecFillStaticLayerParams: ProtobufMessage {
  static var number: Int { 227 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var value: Float { fields.float(1) }
  var targetShape: [UInt64] { fields.uint64s(2) }
}
struct SpecFillDynamicLayerParams: ProtobufMessage {
  static var number: Int { 228 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var value: Float { fields.float(1) }
}
struct SpecWhereBroadcastableLayerParams: ProtobufMessage {
  static var number: Int { 229 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecSinLayerParams: ProtobufMessage {
  static var number: Int { 230 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecCosLayerParams: ProtobufMessage {
  static var number: Int { 231 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecTanLayerParams: ProtobufMessage {
  static var number: Int { 232 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecAsinLayerParams: ProtobufMessage {
  static var number: Int { 233 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecAcosLayerParams: ProtobufMessage {
  static var number: Int { 234 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecAtanLayerParams: ProtobufMessage {
  static var number: Int { 235 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecSinhLayerParams: ProtobufMessage {
  static var number: Int { 236 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecCoshLayerParams: ProtobufMessage {
  static var number: Int { 237 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecTanhLayerParams: ProtobufMessage {
  static var number: Int { 238 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecAsinhLayerParams: ProtobufMessage {
  static var number: Int { 239 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecAcoshLayerParams: ProtobufMessage {
  static var number: Int { 240 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecAtanhLayerParams: ProtobufMessage {
  static var number: Int { 241 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecPowBroadcastableLayerParams: ProtobufMessage {
  static var number: Int { 242 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecExp2LayerParams: ProtobufMessage {
  static var number: Int { 243 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecWhereNonZeroLayerParams: ProtobufMessage {
  static var number: Int { 244 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecMatrixBandPartLayerParams: ProtobufMessage {
  static var number: Int { 245 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var numLower: Int64 { fields.int64(1) }
  var numUpper: Int64 { fields.int64(2) }
}
struct SpecUpperTriangularLayerParams: ProtobufMessage {
  static var number: Int { 246 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var k: Int64 { fields.int64(1) }
}
struct SpecLowerTriangularLayerParams: ProtobufMessage {
  static var number: Int { 247 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var k: Int64 { fields.int64(1) }
}
struct SpecBroadcastToLikeLayerParams: ProtobufMessage {
  static var number: Int { 248 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecBroadcastToStaticLayerParams: ProtobufMessage {
  static var number: Int { 249 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var targetShape: [UInt64] { fields.uint64s(1) }
}
struct SpecBroadcastToDynamicLayerParams: ProtobufMessage {
  static var number: Int { 250 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecAddBroadcastableLayerParams: ProtobufMessage {
  static var number: Int { 251 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecMaxBroadcastableLayerParams: ProtobufMessage {
  static var number: Int { 252 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecMinBroadcastableLayerParams: ProtobufMessage {
  static var number: Int { 253 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecModBroadcastableLayerParams: ProtobufMessage {
  static var number: Int { 254 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecFloorDivBroadcastableLayerParams: ProtobufMessage {
  static var number: Int { 255 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecSubtractBroadcastableLayerParams: ProtobufMessage {
  static var number: Int { 256 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecMultiplyBroadcastableLayerParams: ProtobufMessage {
  static var number: Int { 257 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecDivideBroadcastableLayerParams: ProtobufMessage {
  static var number: Int { 258 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecGatherLayerParams: ProtobufMessage {
  static var number: Int { 259 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
}
struct SpecScatterLayerParams: ProtobufMessage {
  static var number: Int { 260 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
  var mode: SpecScatterMode { SpecScatterMode(rawValue: fields.enumeration(2)) }
}
struct SpecGatherNDLayerParams: ProtobufMessage {
  static var number: Int { 261 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecScatterNDLayerParams: ProtobufMessage {
  static var number: Int { 262 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var mode: SpecScatterMode { SpecScatterMode(rawValue: fields.enumeration(1)) }
}
struct SpecGatherAlongAxisLayerParams: ProtobufMessage {
  static var number: Int { 263 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
}
struct SpecScatterAlongAxisLayerParams: ProtobufMessage {
  static var number: Int { 264 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
  var mode: SpecScatterMode { SpecScatterMode(rawValue: fields.enumeration(2)) }
}
struct SpecStackLayerParams: ProtobufMessage {
  static var number: Int { 265 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
}
struct SpecRankPreservingReshapeLayerParams: ProtobufMessage {
  static var number: Int { 266 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var targetShape: [Int64] { fields.int64s(1) }
}
struct SpecConstantPaddingLayerParams: ProtobufMessage {
  static var number: Int { 267 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var value: Float { fields.float(1) }
  var padAmounts: [UInt64] { fields.uint64s(2) }
  var padToGivenOutputSizeMode: Bool { fields.bool(3) }
}
struct SpecRandomNormalLikeLayerParams: ProtobufMessage {
  static var number: Int { 268 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var seed: Int64 { fields.int64(1) }
  var mean: Float { fields.float(2) }
  var stdDev: Float { fields.float(3) }
}
struct SpecRandomNormalStaticLayerParams: ProtobufMessage {
  static var number: Int { 269 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var seed: Int64 { fields.int64(1) }
  var mean: Float { fields.float(2) }
  var stdDev: Float { fields.float(3) }
  var outputShape: [UInt64] { fields.uint64s(4) }
}
struct SpecRandomNormalDynamicLayerParams: ProtobufMessage {
  static var number: Int { 270 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var seed: Int64 { fields.int64(1) }
  var mean: Float { fields.float(2) }
  var stdDev: Float { fields.float(3) }
}
struct SpecRandomUniformLikeLayerParams: ProtobufMessage {
  static var number: Int { 271 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var seed: Int64 { fields.int64(1) }
  var minVal: Float { fields.float(2) }
  var maxVal: Float { fields.float(3) }
}
struct SpecRandomUniformStaticLayerParams: ProtobufMessage {
  static var number: Int { 272 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var seed: Int64 { fields.int64(1) }
  var minVal: Float { fields.float(2) }
  var maxVal: Float { fields.float(3) }
  var outputShape: [UInt64] { fields.uint64s(4) }
}
struct SpecRandomUniformDynamicLayerParams: ProtobufMessage {
  static var number: Int { 273 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var seed: Int64 { fields.int64(1) }
  var minVal: Float { fields.float(2) }
  var maxVal: Float { fields.float(3) }
}
struct SpecRandomBernoulliLikeLayerParams: ProtobufMessage {
  static var number: Int { 274 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var seed: Int64 { fields.int64(1) }
  var prob: Float { fields.float(2) }
}
struct SpecRandomBernoulliStaticLayerParams: ProtobufMessage {
  static var number: Int { 275 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var seed: Int64 { fields.int64(1) }
  var prob: Float { fields.float(2) }
  var outputShape: [UInt64] { fields.uint64s(3) }
}
struct SpecRandomBernoulliDynamicLayerParams: ProtobufMessage {
  static var number: Int { 276 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var seed: Int64 { fields.int64(1) }
  var prob: Float { fields.float(2) }
}
struct SpecCategoricalDistributionLayerParams: ProtobufMessage {
  static var number: Int { 277 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var seed: Int64 { fields.int64(1) }
  var numSamples: Int64 { fields.int64(2) }
  var isLogits: Bool { fields.bool(3) }
  var eps: Float { fields.float(4) }
  var temperature: Float { fields.float(5) }
}
struct SpecReduceL1LayerParams: ProtobufMessage {
  static var number: Int { 278 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
  var keepDims: Bool { fields.bool(2) }
  var reduceAll: Bool { fields.bool(3) }
}
struct SpecReduceL2LayerParams: ProtobufMessage {
  static var number: Int { 279 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
  var keepDims: Bool { fields.bool(2) }
  var reduceAll: Bool { fields.bool(3) }
}
struct SpecReduceMaxLayerParams: ProtobufMessage {
  static var number: Int { 280 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
  var keepDims: Bool { fields.bool(2) }
  var reduceAll: Bool { fields.bool(3) }
}
struct SpecReduceMinLayerParams: ProtobufMessage {
  static var number: Int { 281 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
  var keepDims: Bool { fields.bool(2) }
  var reduceAll: Bool { fields.bool(3) }
}
struct SpecReduceSumLayerParams: ProtobufMessage {
  static var number: Int { 282 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
  var keepDims: Bool { fields.bool(2) }
  var reduceAll: Bool { fields.bool(3) }
}
struct SpecReduceProdLayerParams: ProtobufMessage {
  static var number: Int { 283 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
  var keepDims: Bool { fields.bool(2) }
  var reduceAll: Bool { fields.bool(3) }
}
struct SpecReduceMeanLayerParams: ProtobufMessage {
  static var number: Int { 284 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
  var keepDims: Bool { fields.bool(2) }
  var reduceAll: Bool { fields.bool(3) }
}
struct SpecReduceLogSumLayerParams: ProtobufMessage {
  static var number: Int { 285 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
  var keepDims: Bool { fields.bool(2) }
  var reduceAll: Bool { fields.bool(3) }
}
struct SpecReduceSumSquareLayerParams: ProtobufMessage {
  static var number: Int { 286 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
  var keepDims: Bool { fields.bool(2) }
  var reduceAll: Bool { fields.bool(3) }
}
struct SpecReduceLogSumExpLayerParams: ProtobufMessage {
  static var number: Int { 287 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
  var keepDims: Bool { fields.bool(2) }
  var reduceAll: Bool { fields.bool(3) }
}
struct SpecExpandDimsLayerParams: ProtobufMessage {
  static var number: Int { 288 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
}
struct SpecFlattenTo2DLayerParams: ProtobufMessage {
  static var number: Int { 289 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
}
struct SpecReshapeStaticLayerParams: ProtobufMessage {
  static var number: Int { 290 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var targetShape: [Int64] { fields.int64s(1) }
}
struct SpecReshapeLikeLayerParams: ProtobufMessage {
  static var number: Int { 291 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecReshapeDynamicLayerParams: ProtobufMessage {
  static var number: Int { 292 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecSqueezeLayerParams: ProtobufMessage {
  static var number: Int { 293 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axes: [Int64] { fields.int64s(1) }
  var squeezeAll: Bool { fields.bool(2) }
}
struct SpecTopKLayerParams: ProtobufMessage {
  static var number: Int { 294 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
  var k: UInt64 { fields.uint64(2) }
  var useBottomK: Bool { fields.bool(3) }
}
struct SpecArgMaxLayerParams: ProtobufMessage {
  static var number: Int { 295 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
  var removeDim: Bool { fields.bool(2) }
}
struct SpecArgMinLayerParams: ProtobufMessage {
  static var number: Int { 296 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
  var removeDim: Bool { fields.bool(2) }
}
struct SpecSplitNDLayerParams: ProtobufMessage {
  static var number: Int { 297 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
  var numSplits: UInt64 { fields.uint64(2) }
  var splitSizes: [UInt64] { fields.uint64s(3) }
}
struct SpecCeilLayerParams: ProtobufMessage {
  static var number: Int { 298 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecRoundLayerParams: ProtobufMessage {
  static var number: Int { 299 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecFloorLayerParams: ProtobufMessage {
  static var number: Int { 300 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecSignLayerParams: ProtobufMessage {
  static var number: Int { 301 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecClipLayerParams: ProtobufMessage {
  static var number: Int { 302 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var minVal: Float { fields.float(1) }
  var maxVal: Float { fields.float(2) }
}
struct SpecSliceStaticLayerParams: ProtobufMessage {
  static var number: Int { 303 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var beginIds: [Int64] { fields.int64s(1) }
  var beginMasks: [Bool] { fields.bools(2) }
  var endIds: [Int64] { fields.int64s(3) }
  var endMasks: [Bool] { fields.bools(4) }
  var strides: [Int64] { fields.int64s(5) }
  var squeezeMasks: [Bool] { fields.bools(6) }
}
struct SpecSliceDynamicLayerParams: ProtobufMessage {
  static var number: Int { 304 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var beginMasks: [Bool] { fields.bools(2) }
  var endIds: [Int64] { fields.int64s(3) }
  var endMasks: [Bool] { fields.bools(4) }
  var strides: [Int64] { fields.int64s(5) }
  var squeezeMasks: [Bool] { fields.bools(6) }
}
struct SpecTileLayerParams: ProtobufMessage {
  static var number: Int { 305 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var reps: [UInt64] { fields.uint64s(1) }
}
struct SpecGetShapeLayerParams: ProtobufMessage {
  static var number: Int { 306 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecErfLayerParams: ProtobufMessage {
  static var number: Int { 307 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecGeluLayerParams: ProtobufMessage {
  static var number: Int { 308 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var mode: SpecGeluLayerParams.GeluMode { SpecGeluLayerParams.GeluMode(rawValue: fields.enumeration(1)) }
  enum GeluMode: Hashable, Sendable {
    case exact
    case tanhApproximation
    case sigmoidApproximation
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .exact
      case 1: self = .tanhApproximation
      case 2: self = .sigmoidApproximation
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .exact: 0
      case .tanhApproximation: 1
      case .sigmoidApproximation: 2
      case .UNRECOGNIZED(let value): value
      }
    }
  }
}
struct SpecRangeStaticLayerParams: ProtobufMessage {
  static var number: Int { 309 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var endValue: Float { fields.float(1) }
  var startValue: Float { fields.float(2) }
  var stepSizeValue: Float { fields.float(3) }
}
struct SpecRangeDynamicLayerParams: ProtobufMessage {
  static var number: Int { 310 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var startValue: Float { fields.float(2) }
  var stepSizeValue: Float { fields.float(3) }
}
struct SpecSlidingWindowsLayerParams: ProtobufMessage {
  static var number: Int { 311 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
  var windowSize: UInt64 { fields.uint64(2) }
  var step: UInt64 { fields.uint64(3) }
}
struct SpecLayerNormalizationLayerParams: ProtobufMessage {
  static var number: Int { 312 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var normalizedShape: [Int64] { fields.int64s(1) }
  var eps: Float { fields.float(2) }
  var gamma: SpecWeightParams { SpecWeightParams(fields.message(3)) }
  var hasGamma: Bool { fields.contains(3) }
  var beta: SpecWeightParams { SpecWeightParams(fields.message(4)) }
  var hasBeta: Bool { fields.contains(4) }
}
struct SpecNonMaximumSuppressionLayerParams: ProtobufMessage {
  static var number: Int { 313 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var iouThreshold: Float { fields.float(1) }
  var scoreThreshold: Float { fields.float(2) }
  var maxBoxes: UInt64 { fields.uint64(3) }
  var perClassSuppression: Bool { fields.bool(4) }
}
struct SpecClampedReLULayerParams: ProtobufMessage {
  static var number: Int { 314 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var alpha: Float { fields.float(1) }
  var beta: Float { fields.float(2) }
}
struct SpecArgSortLayerParams: ProtobufMessage {
  static var number: Int { 315 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
  var descending: Bool { fields.bool(2) }
}
struct SpecSliceBySizeLayerParams: ProtobufMessage {
  static var number: Int { 316 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var size: Int64 { fields.int64(2) }
  var axis: Int64 { fields.int64(3) }
}
struct SpecNeuralNetworkClassifier: ProtobufMessage {
  static var number: Int { 317 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var layers: [SpecNeuralNetworkLayer] { fields.messages(1).map { SpecNeuralNetworkLayer($0) } }
  var preprocessing: [SpecNeuralNetworkPreprocessing] { fields.messages(2).map { SpecNeuralNetworkPreprocessing($0) } }
  var arrayInputShapeMapping: SpecNeuralNetworkMultiArrayShapeMapping { SpecNeuralNetworkMultiArrayShapeMapping(rawValue: fields.enumeration(5)) }
  var imageInputShapeMapping: SpecNeuralNetworkImageShapeMapping { SpecNeuralNetworkImageShapeMapping(rawValue: fields.enumeration(6)) }
  var updateParams: SpecNetworkUpdateParameters { SpecNetworkUpdateParameters(fields.message(10)) }
  var hasUpdateParams: Bool { fields.contains(10) }
  var labelProbabilityLayerName: String { fields.string(200) }
  enum OneOf_ClassLabels: Sendable {
    case stringClassLabels(SpecStringVector)
    case int64ClassLabels(SpecInt64Vector)
  }
  var classLabels: OneOf_ClassLabels? {
    let fields = self.fields.choice([802, 810])
    switch fields.chosen {
    case 100: return .stringClassLabels(SpecStringVector(fields.message(100)))
    case 101: return .int64ClassLabels(SpecInt64Vector(fields.message(101)))
    default: return nil
    }
  }
  var stringClassLabels: SpecStringVector {
    if case .stringClassLabels(let value)? = classLabels { value } else { SpecStringVector(.empty) }
  }
  var int64ClassLabels: SpecInt64Vector {
    if case .int64ClassLabels(let value)? = classLabels { value } else { SpecInt64Vector(.empty) }
  }
}
struct SpecOneHotLayerParams: ProtobufMessage {
  static var number: Int { 318 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var oneHotVectorSize: UInt64 { fields.uint64(1) }
  var axis: Int64 { fields.int64(2) }
  var onValue: Float { fields.float(3) }
  var offValue: Float { fields.float(4) }
}
struct SpecCumSumLayerParams: ProtobufMessage {
  static var number: Int { 319 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var axis: Int64 { fields.int64(1) }
  var excludeFinalSum: Bool { fields.bool(2) }
  var reverse: Bool { fields.bool(3) }
}
struct SpecNeuralNetworkRegressor: ProtobufMessage {
  static var number: Int { 320 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var layers: [SpecNeuralNetworkLayer] { fields.messages(1).map { SpecNeuralNetworkLayer($0) } }
  var preprocessing: [SpecNeuralNetworkPreprocessing] { fields.messages(2).map { SpecNeuralNetworkPreprocessing($0) } }
  var arrayInputShapeMapping: SpecNeuralNetworkMultiArrayShapeMapping { SpecNeuralNetworkMultiArrayShapeMapping(rawValue: fields.enumeration(5)) }
  var imageInputShapeMapping: SpecNeuralNetworkImageShapeMapping { SpecNeuralNetworkImageShapeMapping(rawValue: fields.enumeration(6)) }
  var updateParams: SpecNetworkUpdateParameters { SpecNetworkUpdateParameters(fields.message(10)) }
  var hasUpdateParams: Bool { fields.contains(10) }
}
struct SpecNetworkUpdateParameters: ProtobufMessage {
  static var number: Int { 321 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var lossLayers: [SpecLossLayer] { fields.messages(1).map { SpecLossLayer($0) } }
  var optimizer: SpecOptimizer { SpecOptimizer(fields.message(2)) }
  var hasOptimizer: Bool { fields.contains(2) }
  var epochs: SpecInt64Parameter { SpecInt64Parameter(fields.message(3)) }
  var hasEpochs: Bool { fields.contains(3) }
  var shuffle: SpecBoolParameter { SpecBoolParameter(fields.message(10)) }
  var hasShuffle: Bool { fields.contains(10) }
  var seed: SpecInt64Parameter { SpecInt64Parameter(fields.message(20)) }
  var hasSeed: Bool { fields.contains(20) }
}
struct SpecLossLayer: ProtobufMessage {
  static var number: Int { 322 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var name: String { fields.string(1) }
  enum OneOf_LossLayerType: Sendable {
    case categoricalCrossEntropyLossLayer(SpecCategoricalCrossEntropyLossLayer)
    case meanSquaredErrorLossLayer(SpecMeanSquaredErrorLossLayer)
  }
  var lossLayerType: OneOf_LossLayerType? {
    let fields = self.fields.choice([82, 90])
    switch fields.chosen {
    case 10: return .categoricalCrossEntropyLossLayer(SpecCategoricalCrossEntropyLossLayer(fields.message(10)))
    case 11: return .meanSquaredErrorLossLayer(SpecMeanSquaredErrorLossLayer(fields.message(11)))
    default: return nil
    }
  }
  var categoricalCrossEntropyLossLayer: SpecCategoricalCrossEntropyLossLayer {
    if case .categoricalCrossEntropyLossLayer(let value)? = lossLayerType { value } else { SpecCategoricalCrossEntropyLossLayer(.empty) }
  }
  var meanSquaredErrorLossLayer: SpecMeanSquaredErrorLossLayer {
    if case .meanSquaredErrorLossLayer(let value)? = lossLayerType { value } else { SpecMeanSquaredErrorLossLayer(.empty) }
  }
}
struct SpecCategoricalCrossEntropyLossLayer: ProtobufMessage {
  static var number: Int { 323 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var input: String { fields.string(1) }
  var target: String { fields.string(2) }
}
struct SpecMeanSquaredErrorLossLayer: ProtobufMessage {
  static var number: Int { 324 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var input: String { fields.string(1) }
  var target: String { fields.string(2) }
}
struct SpecOptimizer: ProtobufMessage {
  static var number: Int { 325 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_OptimizerType: Sendable {
    case sgdOptimizer(SpecSGDOptimizer)
    case adamOptimizer(SpecAdamOptimizer)
  }
  var optimizerType: OneOf_OptimizerType? {
    let fields = self.fields.choice([82, 90])
    switch fields.chosen {
    case 10: return .sgdOptimizer(SpecSGDOptimizer(fields.message(10)))
    case 11: return .adamOptimizer(SpecAdamOptimizer(fields.message(11)))
    default: return nil
    }
  }
  var sgdOptimizer: SpecSGDOptimizer {
    if case .sgdOptimizer(let value)? = optimizerType { value } else { SpecSGDOptimizer(.empty) }
  }
  var adamOptimizer: SpecAdamOptimizer {
    if case .adamOptimizer(let value)? = optimizerType { value } else { SpecAdamOptimizer(.empty) }
  }
}
struct SpecSGDOptimizer: ProtobufMessage {
  static var number: Int { 326 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var learningRate: SpecDoubleParameter { SpecDoubleParameter(fields.message(1)) }
  var hasLearningRate: Bool { fields.contains(1) }
  var miniBatchSize: SpecInt64Parameter { SpecInt64Parameter(fields.message(2)) }
  var hasMiniBatchSize: Bool { fields.contains(2) }
  var momentum: SpecDoubleParameter { SpecDoubleParameter(fields.message(3)) }
  var hasMomentum: Bool { fields.contains(3) }
}
struct SpecAdamOptimizer: ProtobufMessage {
  static var number: Int { 327 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var learningRate: SpecDoubleParameter { SpecDoubleParameter(fields.message(1)) }
  var hasLearningRate: Bool { fields.contains(1) }
  var miniBatchSize: SpecInt64Parameter { SpecInt64Parameter(fields.message(2)) }
  var hasMiniBatchSize: Bool { fields.contains(2) }
  var beta1: SpecDoubleParameter { SpecDoubleParameter(fields.message(3)) }
  var hasBeta1: Bool { fields.contains(3) }
  var beta2: SpecDoubleParameter { SpecDoubleParameter(fields.message(4)) }
  var hasBeta2: Bool { fields.contains(4) }
  var eps: SpecDoubleParameter { SpecDoubleParameter(fields.message(5)) }
  var hasEps: Bool { fields.contains(5) }
}
