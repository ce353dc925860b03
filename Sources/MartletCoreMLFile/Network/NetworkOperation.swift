/// The operation of a layer, with its parameters. Defaults that the format states for 0 or missing values are resolved.
package indirect enum NetworkOperation: Sendable {
  // MARK: Products
  case convolution(NetworkConvolution)
  case innerProduct(NetworkProduct)
  case batchedProduct(NetworkBatchedProduct)
  /// Rows of a table of shape [`count`, `channels`], stored transposed: [`channels`, `count`].
  case embedding(NetworkEmbedding, keepsRank: Bool)

  // MARK: Pointwise
  case activation(NetworkActivation)
  case function(NetworkFunction)
  /// A function of `scale * x + shift`.
  case unary(NetworkUnary, alpha: Float, epsilon: Float, scale: Float, shift: Float)
  case gelu(NetworkGelu)
  case clip(lower: Float, upper: Float)
  /// Of two or more inputs, or of one input and the constant.
  case accumulate(NetworkAccumulation, constant: Float)
  /// Of two inputs that are broadcast as in NumPy.
  case binary(NetworkBinary)
  /// Of two inputs, or of one input and the constant.
  case compare(NetworkComparison, constant: Float)
  case logical(NetworkLogic)
  case logicalNot
  case select
  case scale(NetworkConstant, bias: NetworkConstant?)
  case bias(NetworkConstant)
  case dotProduct(isCosine: Bool)

  // MARK: Normalisation
  case batchNorm(NetworkBatchNorm)
  case meanVariance(acrossChannels: Bool, normalizesVariance: Bool, epsilon: Float)
  case l2Normalize(epsilon: Float)
  case layerNorm(shape: [Int], epsilon: Float, gamma: NetworkWeights, beta: NetworkWeights)
  case localResponse(alpha: Float, beta: Float, size: Int, k: Float)
  /// Over the channels.
  case softmax
  case softmaxAlong(axis: Int)

  // MARK: Windows
  case pool(NetworkPool)
  case globalPool3D(NetworkPool.Kind)
  case pad(NetworkPad, NetworkBorders)
  case padAll(value: Float, amounts: [Int], isOutputSize: Bool)
  /// Without amounts, the crop of the first input to the size of the second, from `offset` on.
  case crop(NetworkBorders?, offset: [Int])
  case upsample(height: Float, width: Float, NetworkUpsampling)
  case resize(height: Int, width: Int, NetworkSampling)
  case cropResize(NetworkCropResize)
  case slidingWindows(axis: Int, size: Int, step: Int)
  case reorganize(NetworkReorganization, blockSize: Int)

  // MARK: Reductions
  /// Over axes of the old mapping.
  case reduceOld(NetworkReduction, epsilon: Float, NetworkReduction.OldAxes)
  /// Over all axes if `axes` is nil.
  case reduce(NetworkReduction, axes: [Int]?, keepsAxes: Bool)
  case argument(isMaximum: Bool, axis: Int, keepsAxis: Bool)
  case topK(axis: Int, count: Int?, isSmallest: Bool)
  case argSort(axis: Int, isDescending: Bool)
  case cumulativeSum(axis: Int, isExclusive: Bool, isReversed: Bool)

  // MARK: Constants and shapes
  case constant(NetworkConstant)
  case getShape
  case fill(Float, NetworkTarget)
  case range(start: Float, end: Float?, step: Float)
  case random(NetworkRandom, seed: Int64, NetworkTarget)
  case categorical(seed: Int64, count: Int, isLogits: Bool, epsilon: Float, temperature: Float)
  case oneHot(size: Int?, axis: Int, on: Float, off: Float)
  case broadcast(NetworkTarget)
  case reshape(NetworkTarget)
  case reshapeOld(shape: [Int], isChannelLast: Bool)
  case rankPreservingReshape([Int])
  case flatten(isChannelLast: Bool)
  case flattenTo2D(axis: Int)
  case permuteOld([Int])
  case transpose([Int])
  case expandDims([Int])
  /// Removes all axes of extent 1 if `axes` is nil.
  case squeeze([Int]?)

  // MARK: Movement
  case copy
  case concatOld(isSequence: Bool)
  case concat(axis: Int, isInterleaved: Bool)
  case stack(axis: Int)
  case splitOld(count: Int)
  /// Into parts of `sizes`, or into `count` equal ones.
  case split(axis: Int, count: Int, sizes: [Int])
  case sequenceRepeat(count: Int)
  case tile([Int])
  case reverse([Bool])
  case reverseSequence(batchAxis: Int, sequenceAxis: Int)
  case sliceOld(NetworkAxis, start: Int, end: Int, stride: Int)
  case slice(NetworkSlice)
  case sliceBySize(axis: Int, size: Int)
  case gather(axis: Int)
  case gatherAlong(axis: Int)
  case gatherND
  case scatter(axis: Int, NetworkScatter)
  case scatterAlong(axis: Int, NetworkScatter)
  case scatterND(NetworkScatter)
  case nonZero
  case bandPart(lower: Int, upper: Int)
  case triangle(isUpper: Bool, diagonal: Int)
  case boxSuppression(overlap: Float, score: Float, count: Int, isPerClass: Bool)

  // MARK: Recurrence
  case recurrent(NetworkRecurrent)
  case gru(NetworkGRU)
  case lstm(NetworkLSTM)

  // MARK: Control flow
  case branch(then: [NetworkLayer], otherwise: [NetworkLayer])
  case loop(NetworkLoop)
  case loopBreak
  case loopContinue
  case custom(NetworkCustomLayer)
  /// A layer of a compiled network that is only described, and why.
  case unsupported(String)
}

// MARK: Products

/// Convolutions of two or three spatial axes. Weights have the shape [outputChannels, kernelChannels, kernel...], those of
/// deconvolutions [kernelChannels, outputChannels / groups, kernel...].
package struct NetworkConvolution: Sendable {
  package enum Padding: Sendable {
    case borders(NetworkBorders)
    /// The output has ceil(input / stride) positions; of an odd amount, the larger half is at the end or at the start.
    case same(isHeavyAtStart: Bool)
  }

  package let outputChannels: Int
  /// Input channels per group.
  package let kernelChannels: Int
  package let groups: Int
  package let kernel: [Int]
  package let stride: [Int]
  package let dilation: [Int]
  package let padding: Padding
  package let isTransposed: Bool
  /// Spatial extents of a deconvolution's output; nil to compute them.
  package let outputShape: [Int]?
  /// Nil if the weights are the second input.
  package let weights: NetworkWeights?
  package let bias: NetworkWeights?
}

/// Amounts before and after each of the last axes.
package struct NetworkBorders: Sendable, Hashable {
  package let before: [Int]
  package let after: [Int]
}

/// Weights of shape [outputChannels, inputChannels].
package struct NetworkProduct: Sendable {
  package let inputChannels: Int
  package let outputChannels: Int
  package let weights: NetworkWeights
  package let bias: NetworkWeights?
  /// True if the runtime quantises the rows to int8 before it multiplies them.
  package let isDynamicallyQuantized: Bool
}

/// Products of the last two axes, of two inputs or of one input and weights of shape [rows, columns].
package struct NetworkBatchedProduct: Sendable {
  package let transposesFirst: Bool
  package let transposesSecond: Bool
  package let rows: Int
  package let columns: Int
  package let weights: NetworkWeights?
  package let bias: NetworkWeights?
  package let isDynamicallyQuantized: Bool
}

package struct NetworkEmbedding: Sendable {
  package let count: Int
  package let channels: Int
  package let weights: NetworkWeights
  package let bias: NetworkWeights?
}

/// Constant values with a shape.
package struct NetworkConstant: Sendable {
  package let shape: [Int]
  package let values: NetworkWeights
}

// MARK: Pointwise

package enum NetworkActivation: Sendable {
  case relu, tanh, sigmoid, softsign, softplus
  case linear(alpha: Float, beta: Float)
  case leakyReLU(alpha: Float)
  case thresholdedReLU(alpha: Float)
  case parametricReLU(NetworkWeights)
  case scaledTanh(alpha: Float, beta: Float)
  case hardSigmoid(alpha: Float, beta: Float)
  case elu(alpha: Float)
  case parametricSoftplus(alpha: NetworkWeights, beta: NetworkWeights)
  /// `min(beta, x)`, or `min(beta, alpha * x)` below 0.
  case clampedReLU(alpha: Float, beta: Float)
}

package enum NetworkFunction: String, Sendable {
  case ceil, floor, sign, round, exp2, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, erf
}

package enum NetworkUnary: String, Sendable {
  case sqrt, rsqrt, inverse, power, exp, log, abs, threshold
}

package enum NetworkGelu: String, Sendable { case exact, tanh, sigmoid }
package enum NetworkAccumulation: String, Sendable { case add, multiply, average, max, min }
package enum NetworkBinary: String, Sendable { case add, subtract, multiply, divide, floorDivide, modulo, power, max, min }
package enum NetworkComparison: String, Sendable { case equal, notEqual, less, lessEqual, greater, greaterEqual }
package enum NetworkLogic: String, Sendable { case and, or, xor }

// MARK: Normalisation and windows

package struct NetworkBatchNorm: Sendable {
  package let channels: Int
  /// True if mean and variance are computed from the input, for each image of a batch.
  package let isInstanceNorm: Bool
  package let epsilon: Float
  package let gamma: NetworkWeights
  package let beta: NetworkWeights
  /// Nil if mean and variance are computed.
  package let mean: NetworkWeights?
  package let variance: NetworkWeights?
}

package struct NetworkPool: Sendable {
  package enum Kind: String, Sendable { case max, average, l2 }

  package enum Padding: Sendable {
    case borders(NetworkBorders)
    case same(isHeavyAtStart: Bool)
    /// Padding on both sides, and at the end as much as the last pixel needs to be in a window.
    case includeLastPixel([Int])
  }

  package let kind: Kind
  /// Empty if the window is the whole image, as is the stride.
  package let kernel: [Int]
  package let stride: [Int]
  package let padding: Padding
  /// True if averages are over the pixels of the input only.
  package let excludesPadding: Bool
  /// True if the window is the whole image.
  package let isGlobal: Bool
}

package enum NetworkPad: Sendable {
  case constant(Float)
  case reflection, replication
}

package enum NetworkUpsampling: Sendable { case nearest, bilinear, bilinearAligned, bilinearUnaligned }

/// Where the samples of a resized image lie.
package enum NetworkSampling: String, Sendable {
  case strictAlignEndpoints, alignEndpoints, upsample, roiAlign
}

package struct NetworkCropResize: Sendable {
  package let height: Int
  package let width: Int
  package let hasNormalizedBoxes: Bool
  package let sampling: NetworkSampling
  /// True if boxes are centres and sizes; otherwise corners.
  package let areBoxesCentered: Bool
  package let isWidthFirst: Bool
  package let spatialScale: Float
}

package enum NetworkReorganization: String, Sendable { case spaceToDepth, depthToSpace, pixelShuffle }

package enum NetworkReduction: String, Sendable {
  case sum, average, product, logSum, sumSquare, l1, l2, max, min, argMax, logSumExp

  /// Axes of the old mapping.
  package enum OldAxes: String, Sendable { case chw, hw, c, h, w }
}

// MARK: Shapes and movement

/// Where the shape of a result comes from.
package enum NetworkTarget: Sendable {
  /// The shape of an input.
  case like
  case fixed([Int])
  /// The values of an input.
  case computed
}

package enum NetworkRandom: Sendable {
  case normal(mean: Float, deviation: Float)
  case uniform(lower: Float, upper: Float)
  case bernoulli(probability: Float)
}

package enum NetworkAxis: String, Sendable { case channel, height, width }
package enum NetworkScatter: String, Sendable { case update, add, subtract, multiply, divide, max, min }

/// One entry per axis. Masked begins and ends are those of the whole axis.
package struct NetworkSlice: Sendable {
  /// Nil if the begins are the second input. Then ends, strides and masks may be inputs, too.
  package let begins: [Int]?
  package let beginMasks: [Bool]
  package let ends: [Int]
  package let endMasks: [Bool]
  package let strides: [Int]
  package let squeezeMasks: [Bool]
}

// MARK: Recurrence and control flow

package struct NetworkRecurrent: Sendable {
  package let inputSize: Int
  package let outputSize: Int
  package let activation: NetworkActivation
  package let givesSequence: Bool
  package let isReversed: Bool
  /// [outputSize, inputSize]
  package let weights: NetworkWeights
  /// [outputSize, outputSize]
  package let recursion: NetworkWeights
  package let bias: NetworkWeights?
}

/// A gate's matrices of shapes [outputSize, inputSize] and [outputSize, outputSize], and its vectors.
package struct NetworkGate: Sendable {
  package let weights: NetworkWeights
  package let recursion: NetworkWeights
  package let bias: NetworkWeights?
  package let peephole: NetworkWeights?
}

package struct NetworkGRU: Sendable {
  package let inputSize: Int
  package let outputSize: Int
  package let gateActivation: NetworkActivation
  package let outputActivation: NetworkActivation
  package let givesSequence: Bool
  package let isReversed: Bool
  package let update: NetworkGate
  package let reset: NetworkGate
  package let output: NetworkGate
}

package struct NetworkLSTM: Sendable {
  package struct Direction: Sendable {
    package let gateActivation: NetworkActivation
    package let inputActivation: NetworkActivation
    package let outputActivation: NetworkActivation
    package let input: NetworkGate
    /// Without bias if it is coupled to the input gate.
    package let forget: NetworkGate
    package let cell: NetworkGate
    package let output: NetworkGate
  }

  package let inputSize: Int
  package let outputSize: Int
  package let givesSequence: Bool
  /// True if the forget gate is 1 minus the input gate.
  package let isCoupled: Bool
  package let clip: Float
  package let isReversed: Bool
  package let forward: Direction
  /// Nil for one direction.
  package let backward: Direction?
}

package struct NetworkLoop: Sendable {
  /// Upper bound of the number of iterations; nil if the input has it, or only the condition ends the loop.
  package let iterationCount: Int?
  /// The blob that ends the loop when it is 0; empty without a condition.
  package let condition: String
  package let conditionLayers: [NetworkLayer]
  package let body: [NetworkLayer]
}

package struct NetworkCustomLayer: Sendable {
  package enum Value: Sendable, Hashable {
    case double(Double)
    case string(String)
    case int(Int)
    case bool(Bool)
  }

  package let className: String
  package let parameters: [String: Value]
  package let weights: [NetworkWeights]
}
