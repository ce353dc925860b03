import MartletBytes

/// The content of a payload of the delegate `XnnpackBackend`: a graph of XNNPACK nodes and values.
///
/// All types of the model: `XNNPACKGraph` (with `Node`, `Operation`, `Flags`), `XNNPACKValue` (with `Quantization`, `Scales`),
/// `XNNPACKDataType`. Nodes refer to values by index in `values`. The reader guarantees that
/// - every index is valid, and the values' element and byte counts do not overflow;
/// - a node's inputs are constants, external inputs, or outputs of earlier nodes, and a value is written by one node at most;
/// - constants have exactly the bytes that their type and extents call for, and scales the count that their value calls for.
///
/// Sources: `backends/xnnpack/serialization/schema.fbs` and `runtime_schema.fbs` (identifiers `XN01`, `XN00`) and `XNNHeader.cpp`
/// of ExecuTorch.
package struct XNNPACKGraph: Sendable {
  /// Schema version, such as `0`.
  package let version: String
  package let values: [XNNPACKValue]
  /// In an order in which they can be run.
  package let nodes: [Node]
  /// Indices of the external inputs by external id: the first arguments of a delegate call, in order.
  package let inputs: [Int]
  /// Indices of the external outputs by external id: the remaining arguments of a delegate call, in order.
  package let outputs: [Int]

  /// One operation on values.
  package struct Node: Sendable {
    package let operation: Operation
    /// Indices of the values read, in the order that the operation states.
    package let inputs: [Int]
    /// Indices of the values written.
    package let outputs: [Int]
    package let flags: Flags
    /// Bounds that results are clamped to, in real units; `nil` for none. Either may be infinite, and a file may even hold NaN.
    package let outputBounds: OutputBounds?
    /// Links back to the node of the exported graph.
    package let debugHandle: UInt32
  }

  package struct OutputBounds: Sendable, Hashable {
    package let minimum: Float
    package let maximum: Float
  }

  /// `XNN_FLAG_*` of `xnnpack.h`; the bits mean different things on different operations.
  package struct Flags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The filter of a fully connected node is `[input, output]` instead of `[output, input]`.
    package static let transposeWeights = Flags(rawValue: 1 << 0)
    /// Padding is computed so that the output extent is the input extent divided by the stride, rounded up.
    package static let samePadding = Flags(rawValue: 1 << 2)
    /// The corners of a resized image stay where they are.
    package static let alignCorners = Flags(rawValue: 1 << 3)
    /// Reduced axes stay, with extent 1.
    package static let keepDims = Flags(rawValue: 1 << 6)
  }

  /// What a node computes, with its attributes. Images are NHWC. Unless stated otherwise a node has one output.
  package enum Operation: Sendable, Hashable {
    /// Element by element. Input: x.
    case unary(Unary)
    /// Element by element, broadcasting. Inputs: a, b.
    case binary(Binary)
    /// Along the last axis. Input: x.
    case softmax
    /// To the type of the output value: casts, quantises or dequantises. Input: x.
    case convert
    case copy
    case leakyReLU(negativeSlope: Float)
    case elu(alpha: Float)
    /// x where positive, else x times slope. Inputs: x, slope (along the last axis).
    case prelu
    /// Inputs: x `[..., input]`, filter `[output, 1..., input]`, and a bias `[output]` unless there is none.
    case fullyConnected
    /// Inputs: a, b; products of their last two axes. The others broadcast.
    case batchMatrixMultiply
    /// Inputs: x, filter `[output, height, width, input / groups]`, and a bias unless there is none.
    case convolution2D(Convolution)
    /// Inputs: x, filter `[1, height, width, output]`, and a bias unless there is none.
    case depthwiseConvolution2D(Convolution)
    /// Inputs: x, filter `[output, height, width, input / groups]`, and a bias unless there is none.
    case transposedConvolution2D(Convolution)
    case averagePooling2D(Pooling)
    case maxPooling2D(Pooling)
    /// Outputs: the maxima, their positions within each window. Stride is the pooling extent.
    case argMaxPooling2D(Pooling)
    /// The mean over height and width: the two axes in front of the last, whatever the rank.
    case globalAveragePooling2D
    case transpose(permutation: [Int])
    /// An extent of 0 stands for the one that the others leave.
    case reshape(newShape: [Int])
    /// `sizes[i]` elements from `offsets[i]` on each axis, as far as there are any; a size of 0 stands for all that remain.
    case slice(offsets: [Int], sizes: [Int])
    case resizeBilinear2D(height: Int, width: Int)
    /// `before[i]` and `after[i]` elements of `value` on each axis.
    case constantPad(before: [Int], after: [Int], value: Float)
    /// Inputs: two to five values. The axis may count from the end when negative.
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

  /// Attributes of the convolutions, in elements.
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
  /// The operation without its attributes, e.g. `convolution2D`.
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
