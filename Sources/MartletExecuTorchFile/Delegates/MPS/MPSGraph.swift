import MartletBytes

/// The content of a payload of the delegate `MPSBackend`: a graph of nodes with PyTorch's semantics.
///
/// All types of the model: `MPSGraph` (with `Node`, `Operation`, `Bounds`), `MPSValue`, `MPSDataType`. Nodes refer to values by index in
/// `values`. The reader guarantees that
/// - every index is valid, and the element and byte counts of values do not overflow;
/// - a node's operands are constants, inputs, or results of earlier nodes, and outputs are defined. A node may replace a value, as the
///   conversions do with which half-precision graphs begin and end;
/// - constants have at least the size that their type and extents require.
///
/// Sources: `backends/apple/mps/serialization/schema.fbs` (identifier `MP00`) with its history, and `mps_preprocess.py` of ExecuTorch.
package struct MPSGraph: Sendable {
  /// Schema version, such as `0`.
  package let version: String
  /// True for a graph that upstream runs as a kernel of its own instead of as an `MPSGraph`. The nodes mean the same.
  package let isMetalKernel: Bool
  package let values: [MPSValue]
  /// In an executable order.
  package let nodes: [Node]
  /// Indices of the inputs: the first arguments of a delegate call.
  package let inputs: [Int]
  /// Indices of the outputs: the remaining arguments of a delegate call.
  package let outputs: [Int]

  /// One operation on values.
  package struct Node: Sendable {
    /// The member of the schema's union, numbered as in the current schema, and its name without the prefix, e.g. `Conv2D`.
    package let kind: Kind
    package let operation: Operation
    /// Indices of the values read, in the order given for the operation; nil for absent ones.
    package let inputs: [Int?]
    /// Indices of the values written; nil for results that the file does not name.
    package let outputs: [Int?]
    /// Bounds of the results; nil for none.
    package let bounds: Bounds?

    package var name: String { kind.name }
  }

  /// Inclusive bounds. Either may be infinite or, in a malformed file, NaN.
  package struct Bounds: Sendable, Hashable {
    package let minimum: Float
    package let maximum: Float
  }

  /// The members of the schema's union of nodes; raw values are the tags of the current schema.
  package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    case hardTanh = 1
    case reLU, gelu, leakyReLU, softmax, logSoftmax
    case add, sub, mul, div, fmod, remainder, min, max, pow, atan2, bitwiseAnd, bitwiseOr, bitwiseXor, minimum
    case exp, exp2, reciprocal, sqrt, neg, log, log10, log2, erf, floor, ceil, rsqrt, sigmoid, sin, sign, cos, tan, abs
    case asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, bitwiseNot, isnan, isinf, round, logicalNot
    case matMul, addmm, full, fullLike, clamp, `where`
    case indexSelect, embedding, indexTensor, indexPut, scatter, mean
    case permute, view, expand, cat, squeeze, unsqueeze, select, slice, pixelShuffle, splitWithSizes, cast
    case conv2D, depthwiseConv2D
    case eq, ne, ge, gt, le, lt
    case batchNorm, layerNorm, maxPool2DWithIndices, avgPool2D, constantPadND, arange, dequantizePerChannelGroup

    /// The name in the schema without its prefix `MPS`, beginning in lower case.
    package var name: String { "\(self)" }
  }

  /// The computation of a node with its attributes, named by PyTorch's operators. Images are NCHW. Negative axes count from the end.
  /// Unless stated otherwise a node has one input x and one result.
  package enum Operation: Sendable, Hashable {
    /// Element by element: relu, exp, exp2, reciprocal, sqrt, neg, log, log10, log2, erf, floor, ceil, rsqrt, sigmoid, sin, sign, cos,
    /// tan, abs, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, bitwise_not, isnan, isinf, round, logical_not.
    case unary
    /// Element by element with broadcasting: mul, fmod, remainder, minimum, maximum, pow, atan2, bitwise_and, bitwise_or, bitwise_xor.
    /// Inputs: a, b.
    case binary
    /// Inputs: a, b.
    case comparison
    /// a + alpha × b. Inputs: a, b.
    case add(alpha: Float)
    /// a - alpha × b. Inputs: a, b.
    case subtract(alpha: Float)
    /// Inputs: a, b.
    case divide(Rounding?)
    case hardTanh(Bounds)
    case gelu(isTanh: Bool)
    case leakyReLU(negativeSlope: Float)
    case softmax(axis: Int, isLogarithm: Bool)
    /// Inputs: a, b.
    case matrixProduct
    /// beta × bias + alpha × a b. Inputs: bias, a, b.
    case addMatrixProduct(beta: Float, alpha: Float)
    /// No input. The result has the type of its value.
    case full(shape: [Int], number: Float)
    /// The shape is that of the input.
    case fullLike(number: Float)
    /// The bounds are those of the node.
    case clamp
    /// Inputs: condition, a, b.
    case choose
    /// Inputs: x, index.
    case indexSelect(axis: Int)
    /// Inputs: weight, indices.
    case embedding
    /// Inputs: x, then an index for each of the first axes; an absent one takes all positions of its axis.
    case index
    /// Inputs: x, values, then indices as for `index`. The values are first expanded to the shape, unless it is empty.
    case indexPut(valuesShape: [Int])
    /// Inputs: x, index, source.
    case scatter(axis: Int)
    /// No axes stand for all.
    case mean(axes: [Int], keepsAxes: Bool)
    case permute(axes: [Int])
    /// An extent of -1 is inferred.
    case view(shape: [Int])
    /// An extent of -1 is kept.
    case expand(shape: [Int])
    /// Any number of inputs.
    case concatenate(axis: Int)
    case squeeze(axes: [Int])
    case unsqueeze(axis: Int)
    case select(axis: Int, index: Int)
    case slice(axis: Int, start: Int64, end: Int64, step: Int64)
    case pixelShuffle(factor: Int)
    /// As many results as sizes.
    case split(sizes: [Int], axis: Int)
    case cast(MPSDataType)
    /// Over the axes of the filter after the first two. Inputs: x, filter `[output, input / groups, …]`, and optionally a bias.
    case convolution(Convolution)
    /// With the given statistics. Inputs: x, mean, variance, weight, bias, of which the last two are optional. Results: y and two without
    /// elements.
    case batchNorm(epsilon: Float)
    /// Over the last axes. Inputs: x, weight, bias, of which the last two are optional. Results: y, the means and the reciprocal standard
    /// deviations.
    case layerNorm(axisCount: Int, epsilon: Float)
    /// Results: the maxima and their positions in the plane.
    case maxPooling(Pooling)
    case averagePooling(Pooling)
    /// Amounts before and after the last axis, then those of the axis before it, and so on. Negative ones crop.
    case constantPad(amounts: [Int], number: Float)
    /// No input.
    case arange(start: Float, end: Float, step: Float)
    /// Groups of the last axis have a scale each. Inputs: stored integers, scales, and optionally zero points.
    case dequantizeGroups(size: Int)
  }

  package enum Rounding: String, Sendable, Hashable {
    case floor, trunc
  }

  /// Attributes of a convolution, in elements. A convolution over one axis has those of x.
  package struct Convolution: Sendable, Hashable {
    package let strideX: Int
    package let strideY: Int
    package let dilationX: Int
    package let dilationY: Int
    package let groups: Int
    package let padding: Padding
  }

  package struct Pooling: Sendable, Hashable {
    package let kernelHeight: Int
    package let kernelWidth: Int
    package let strideHeight: Int
    package let strideWidth: Int
    package let padding: Padding
    package let dilationHeight: Int
    package let dilationWidth: Int
    /// True if a last window may exceed the padded operand. The padding at the end is then the one at the beginning times the stride.
    package let ceil: Bool
    package let countsPadding: Bool
    /// Replaces the number of elements in an average; nil for none.
    package let divisor: Int?
  }

  package struct Padding: Sendable, Hashable {
    package let left: Int
    package let right: Int
    package let top: Int
    package let bottom: Int
  }
}
