import MartletBytes

/// The content of a payload of the delegate `XnnpackBackend`: a graph of XNNPACK nodes and values.
///
/// All types of the model: `XNNPACKGraph` (with `Node`, `Operation`, `Flags`), `XNNPACKValue` (with `Quantization`, `Scales`),
/// `XNNPACKDataType`. Nodes refer to values by index in `values`. The reader guarantees that
/// - every index is valid, and the element and byte counts of values do not overflow;
/// - a node's inputs are constants, external inputs, or outputs of earlier nodes, and a value is written by at most one node;
/// - constants have exactly the size that their type and extents require, and scales the count that their value requires.
///
/// Sources: `backends/xnnpack/serialization/schema.fbs` and `runtime_schema.fbs` (identifiers `XN01`, `XN00`) and `XNNHeader.cpp`
/// of ExecuTorch.
package struct XNNPACKGraph: Sendable {
  /// Schema version, such as `0`.
  package let version: String
  package let values: [XNNPACKValue]
  /// In an executable order.
  package let nodes: [Node]
  /// Indices of the external inputs, sorted by external id: the first arguments of a delegate call.
  package let inputs: [Int]
  /// Indices of the external outputs, sorted by external id: the remaining arguments of a delegate call.
  package let outputs: [Int]

  /// One operation on values.
  package struct Node: Sendable {
    package let operation: Operation
    /// Indices of the values read, in the order given for the operation.
    package let inputs: [Int]
    /// Indices of the values written.
    package let outputs: [Int]
    package let flags: Flags
    /// Bounds for clamping the results, in real units; `nil` for none. Either bound may be infinite or, in a malformed file, NaN.
    package let outputBounds: OutputBounds?
    /// Identifies the node of the exported graph.
    package let debugHandle: UInt32
  }

  package struct OutputBounds: Sendable, Hashable {
    package let minimum: Float
    package let maximum: Float
  }

  /// `XNN_FLAG_*` of `xnnpack.h`. The meaning of a bit depends on the operation.
  package struct Flags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The filter of a fully connected node is `[input, output]` instead of `[output, input]`.
    package static let transposeWeights = Flags(rawValue: 1 << 0)
    /// Padding is computed so that the output extent is the input extent divided by the stride, rounded up.
    package static let samePadding = Flags(rawValue: 1 << 2)
    /// The corner pixels of a resized image keep their positions.
    package static let alignCorners = Flags(rawValue: 1 << 3)
    /// Reduced axes are kept with extent 1.
    package static let keepDims = Flags(rawValue: 1 << 6)
  }

  /// The computation of a node with its attributes. Images are NHWC. Unless stated otherwise a node has one output.
  package enum Operation: Sendable, Hashable {
    /// Elementwise. Input: x.
    case unary(Unary)
    /// Elementwise with broadcasting. Inputs: a, b.
    case binary(Binary)
    /// Along the last axis. Input: x.
    case softmax
    /// Conversion to the type of the output value: cast, quantisation or dequantisation. Input: x.
    case convert
    case copy
    case leakyReLU(negativeSlope: Float)
    case elu(alpha: Float)
    /// x if positive, otherwise x × slope. Inputs: x, slope (along the last axis).
    case prelu
    /// Inputs: x `[..., input]`, filter `[output, 1..., input]`, and a bias `[output]` unless there is none.
    case fullyConnected
    /// Inputs: a, b; products of their last two axes. The others broadcast.
    case batchMatrixMultiply
    /// Inputs: x, filter `[output, height, width, input / groups]`, and optionally a bias.
    case convolution2D(Convolution)
    /// Inputs: x, filter `[1, height, width, output]`, and optionally a bias.
    case depthwiseConvolution2D(Convolution)
    /// Inputs: x, filter `[output, height, width, input / groups]`, and optionally a bias.
    case transposedConvolution2D(Convolution)
    case averagePooling2D(Pooling)
    case maxPooling2D(Pooling)
    /// Outputs: the maxima and their positions within each window. The stride equals the pooling extent.
    case argMaxPooling2D(Pooling)
    /// The mean over height and width: the two axes in front of the last, whatever the rank.
    case globalAveragePooling2D
    case transpose(permutation: [Int])
    /// An extent of 0 is inferred.
    case reshape(newShape: [Int])
    /// `sizes[i]` elements from `offsets[i]` on each axis, as far as there are any; a size of 0 stands for all that remain.
    case slice(offsets: [Int], sizes: [Int])
    case resizeBilinear2D(height: Int, width: Int)
    /// Adds `before[i]` and `after[i]` elements equal to `value` along each axis.
    case constantPad(before: [Int], after: [Int], value: Float)
    /// Inputs: two to five values. A negative axis counts from the end.
    case concatenate(axis: Int)
    /// Inputs: query, key, value, scale, mask.
    case scaledDotProductAttention
  }

  package enum Unary: String, Sendable, Hashable, CaseIterable {
    case abs, ceiling, clamp, cosine, exp, floor, gelu, hardswish, log, negate, reciprocalSquareRoot, sigmoid, sine, square
    case squareRoot, tanh
  }

  package enum Binary: String, Sendable, Hashable, CaseIterable {
    case add, subtract, multiply, divide, minimum, maximum
  }

  /// Attributes of a convolution, in elements.
  package struct Convolution: Sendable, Hashable {
    package let padding: Padding
    package let kernelHeight: Int
    package let kernelWidth: Int
    package let strideHeight: Int
    package let strideWidth: Int
    package let dilationHeight: Int
    package let dilationWidth: Int
    package let groups: Int
    package let groupInputChannels: Int
    package let groupOutputChannels: Int
    /// Rows and columns added to the output of a transposed convolution.
    package let adjustmentHeight: Int
    package let adjustmentWidth: Int
  }

  package struct Pooling: Sendable, Hashable {
    package let padding: Padding
    package let height: Int
    package let width: Int
    package let strideHeight: Int
    package let strideWidth: Int
    package let dilationHeight: Int
    package let dilationWidth: Int
  }

  package struct Padding: Sendable, Hashable {
    package let top: Int
    package let right: Int
    package let bottom: Int
    package let left: Int
  }
}

extension XNNPACKGraph.Operation {
  /// The name of the operation without its attributes, e.g. `convolution2D`.
  package var name: String {
    switch self {
    case .unary(let function): function.rawValue
    case .binary(let function): function.rawValue
    case .softmax: "softmax"
    case .convert: "convert"
    case .copy: "copy"
    case .leakyReLU: "leakyReLU"
    case .elu: "elu"
    case .prelu: "prelu"
    case .fullyConnected: "fullyConnected"
    case .batchMatrixMultiply: "batchMatrixMultiply"
    case .convolution2D: "convolution2D"
    case .depthwiseConvolution2D: "depthwiseConvolution2D"
    case .transposedConvolution2D: "transposedConvolution2D"
    case .averagePooling2D: "averagePooling2D"
    case .maxPooling2D: "maxPooling2D"
    case .argMaxPooling2D: "argMaxPooling2D"
    case .globalAveragePooling2D: "globalAveragePooling2D"
    case .transpose: "transpose"
    case .reshape: "reshape"
    case .slice: "slice"
    case .resizeBilinear2D: "resizeBilinear2D"
    case .constantPad: "constantPad"
    case .concatenate: "concatenate"
    case .scaledDotProductAttention: "scaledDotProductAttention"
    }
  }
}
