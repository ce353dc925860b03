"""Runs Core ML NeuralNetwork specifications in float64.

The meaning of every layer is taken from the comments in coremltools' NeuralNetwork.proto. Where they are silent, the expected values of
coremltools' own tests decide; such places are marked "silent". Nothing is optimised: the code is meant to be compared with the comments.

    network_interpreter.py CASE...      compares recorded cases with the interpreter's results
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
from coremltools.proto import FeatureTypes_pb2, Model_pb2, NeuralNetwork_pb2 as nn

# The truth of a branch's or a loop's condition.
TRUTH = 1e-6


class BreakLoop(Exception):
    pass


class ContinueLoop(Exception):
    pass


# Weights

def unpack_bits(raw, bits, count):
    """Unsigned integers of 1 to 8 bits, packed from the most significant bit of each byte."""
    stream = np.unpackbits(np.frombuffer(raw, np.uint8))
    stream = stream[:count * bits].reshape(count, bits).astype(np.int64)
    return stream @ (1 << np.arange(bits - 1, -1, -1))


def weight(params, shape, channel_axis=0):
    """The values of a WeightParams message in the given shape."""
    shape = tuple(int(extent) for extent in shape)
    count = math.prod(shape)
    if params.floatValue:
        values = np.array(params.floatValue, np.float64)
    elif params.float16Value:
        values = np.frombuffer(params.float16Value, "<f2").astype(np.float64)
    else:
        quantization = params.quantization
        if params.int8RawValue:
            levels = np.frombuffer(params.int8RawValue, np.int8)[:count].astype(np.float64)
        else:
            levels = unpack_bits(params.rawValue, quantization.numberOfBits, count)
        if quantization.WhichOneof("QuantizationType") == "lookupTableQuantization":
            values = np.array(quantization.lookupTableQuantization.floatValue, np.float64)[levels]
        else:
            linear = quantization.linearQuantization
            scale = np.array(linear.scale, np.float64)
            bias = np.array(linear.bias, np.float64) if linear.bias else np.zeros(1)
            along = [1] * len(shape)
            along[channel_axis] = -1
            levels = levels.reshape(shape).astype(np.float64)
            return levels * (scale.reshape(along) if scale.size > 1 else scale[0]) + (
                bias.reshape(along) if bias.size > 1 else bias[0])
    return values[:count].reshape(shape)


def quantised_input(x):
    """Symmetric int8 levels of a whole tensor and their scale. Silent: the rounding is to nearest, ties to even."""
    scale = np.abs(x).max(initial=0) / 127
    return (np.rint(x / scale) if scale > 0 else np.zeros_like(x)), scale


# Activations

def sigmoid(x):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x))


def per_channel(params, x):
    """A parameter of length C or 1 for axis -3."""
    count = parameter_count(params)
    values = weight(params, (count,))
    return values if count == 1 else values.reshape(-1, 1, 1)


def parameter_count(params):
    if params.floatValue:
        return len(params.floatValue)
    if params.float16Value:
        return len(params.float16Value) // 2
    return len(params.rawValue) * 8 // params.quantization.numberOfBits


def activate(params, x):
    kind = params.WhichOneof("NonlinearityType")
    p = getattr(params, kind)
    if kind == "linear":
        return p.alpha * x + p.beta
    if kind == "ReLU":
        return np.maximum(0, x)
    if kind == "leakyReLU":
        return np.where(x >= 0, x, p.alpha * x)
    if kind == "thresholdedReLU":
        return np.where(x >= p.alpha, x, 0)
    if kind == "PReLU":
        return np.where(x >= 0, x, per_channel(p.alpha, x) * x)
    if kind == "tanh":
        return np.tanh(x)
    if kind == "scaledTanh":
        return p.alpha * np.tanh(p.beta * x)
    if kind == "sigmoid":
        return sigmoid(x)
    if kind == "sigmoidHard":
        return np.minimum(np.maximum(p.alpha * x + p.beta, 0), 1)
    if kind == "ELU":
        return np.where(x >= 0, x, p.alpha * np.expm1(np.minimum(x, 0)))
    if kind == "softsign":
        return x / (1 + np.abs(x))
    if kind == "softplus":
        return np.logaddexp(0, x)
    if kind == "parametricSoftplus":
        return per_channel(p.alpha, x) * np.logaddexp(0, per_channel(p.beta, x) * x)
    raise NotImplementedError(kind)


def recurrent_activation(params, x):
    """Recurrent layers support fixed constants only: 0.2 and 0.5 for the hard sigmoid, 1.7159 (elsewhere written 1.71) and 2/3 for the scaled
    hyperbolic tangent. Silent: coremltools' builder writes no constants, and its tests expect tanh and the identity for unset ones."""
    kind = params.WhichOneof("NonlinearityType")
    if kind == "sigmoidHard":
        return np.minimum(np.maximum(0.2 * x + 0.5, 0), 1)
    p = getattr(params, kind)
    if kind == "scaledTanh":
        return np.tanh(x) if p.alpha == 0 and p.beta == 0 else 1.7159 * np.tanh(2 / 3 * x)
    if kind == "linear" and p.alpha == 0 and p.beta == 0:
        return x
    return activate(params, x)


# Windows

def pair(values, default):
    return tuple(values) if values else (default, default)


def border(amounts):
    edges = [(e.startEdgeSize, e.endEdgeSize) for e in amounts.borderAmounts]
    return edges + [(0, 0)] * (2 - len(edges))


def same_amounts(total, mode):
    """The start and end amounts of a SamePadding."""
    half = total // 2
    return (half, total - half) if mode == nn.SamePadding.BOTTOM_RIGHT_HEAVY else (total - half, half)


def same_edges(extents, kernel, stride, mode=nn.SamePadding.BOTTOM_RIGHT_HEAVY):
    edges = []
    for extent, k, s in zip(extents, kernel, stride):
        out = -(-extent // s)
        edges.append(same_amounts(max(0, (out - 1) * s + k - extent), mode))
    return edges


def windows(x, kernel, stride, dilation=None):
    """Windows of the last axes: [..., out..., kernel...]."""
    n = len(kernel)
    dilation = dilation or (1,) * n
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    view = np.lib.stride_tricks.sliding_window_view(x, spans, axis=tuple(range(-n, 0)))
    index = (Ellipsis,) + tuple(slice(None, None, s) for s in stride) + tuple(slice(None, None, d) for d in dilation)
    return view[index]


def pad_last(x, edges, value=0.0):
    return np.pad(x, [(0, 0)] * (x.ndim - len(edges)) + list(edges), constant_values=value)


def convolve(x, w, stride, dilation, edges, groups):
    """x [B, C, spatial...], w [out, C / groups, spatial...]"""
    n = w.ndim - 2
    view = windows(pad_last(x, edges), w.shape[2:], stride, dilation)
    parts = []
    for g, wg in enumerate(np.split(w, groups)):
        channels = w.shape[1]
        part = np.tensordot(view[:, g * channels:(g + 1) * channels], wg,
                            axes=([1] + list(range(view.ndim - n, view.ndim)), [1] + list(range(2, 2 + n))))
        parts.append(np.moveaxis(part, -1, 1))
    return np.concatenate(parts, 1)


def deconvolve(x, w, stride, groups):
    """The full transposed convolution: x [B, C, spatial...], w [C, out / groups, spatial...]."""
    n = w.ndim - 2
    kernel = w.shape[2:]
    out_shape = [(e - 1) * s + k for e, s, k in zip(x.shape[2:], stride, kernel)]
    per_group = w.shape[1]
    y = np.zeros((x.shape[0], per_group * groups, *out_shape))
    channels = x.shape[1] // groups
    for g in range(groups):
        xg, wg = x[:, g * channels:(g + 1) * channels], w[g * channels:(g + 1) * channels]
        for offset in np.ndindex(*kernel):
            part = np.moveaxis(np.tensordot(xg, wg[(slice(None), slice(None)) + offset], axes=([1], [0])), -1, 1)
            index = tuple(slice(o, o + (e - 1) * s + 1, s) for o, e, s in zip(offset, x.shape[2:], stride))
            y[(slice(None), slice(g * per_group, (g + 1) * per_group)) + index] += part
    return y


def crop_full(full, starts, out_shape):
    """Takes out_shape elements from starts on; what lies outside is 0."""
    for i, (start, extent) in enumerate(zip(starts, out_shape)):
        axis = full.ndim - len(out_shape) + i
        ends = max(0, start + extent - full.shape[axis])
        edges = [(0, 0)] * full.ndim
        edges[axis] = (max(0, -start), ends)
        full = np.pad(full, edges)
        full = np.take(full, range(max(0, start), max(0, start) + extent), axis)
    return full


def as_batch(x, inner):
    """Combines the leading axes."""
    return x.reshape((-1,) + x.shape[x.ndim - inner:])


class Interpreter:
    def __init__(self, network, observer=None):
        self.network = network
        self.blobs = {}
        self.observer = observer

    def run(self, inputs):
        self.blobs = {name: np.asarray(value, np.float64) for name, value in inputs.items()}
        self.execute(self.network.layers)
        return self.blobs

    def execute(self, layers):
        for layer in layers:
            kind = layer.WhichOneof("layer")
            method = getattr(self, "layer_" + kind)
            inputs = [self.blobs[name] for name in layer.input]
            outputs = method(getattr(layer, kind), *inputs) if kind not in ("split", "splitND") else method(
                getattr(layer, kind), *inputs, count=len(layer.output))
            if outputs is None:
                continue
            if not isinstance(outputs, (tuple, list)):
                outputs = [outputs]
            for name, value in zip(layer.output, outputs):
                value = np.asarray(value, np.float64)
                # No blob has rank 0: a full reduction gives [1].
                self.blobs[name] = value.reshape(1) if value.ndim == 0 else value
            if self.observer:
                self.observer(layer, inputs, [self.blobs[name] for name in layer.output])

    # Control flow

    def layer_branch(self, p, condition):
        if abs(condition.reshape(-1)[0]) > TRUTH:
            self.execute(p.ifBranch.layers)
        else:
            self.execute(p.elseBranch.layers)

    def layer_loop(self, p, count=None):
        limit = p.maxLoopIterations if count is None else int(count.reshape(-1)[0])
        conditional = bool(p.conditionVar)
        bounded = not conditional or count is not None or limit > 0

        def condition():
            if not conditional:
                return True
            self.execute(p.conditionNetwork.layers)
            return abs(self.blobs[p.conditionVar].reshape(-1)[0]) > TRUTH

        iteration = 0
        holds = condition()
        while holds and (not bounded or iteration < limit):
            try:
                self.execute(p.bodyNetwork.layers)
            except ContinueLoop:
                pass
            except BreakLoop:
                return
            iteration += 1
            holds = condition()

    def layer_loopBreak(self, p):
        raise BreakLoop()

    def layer_loopContinue(self, p):
        raise ContinueLoop()

    def layer_copy(self, p, x):
        return x.copy()

    # Comparison and logic

    def compare(self, p, function, inputs):
        other = inputs[1] if len(inputs) == 2 else np.float64(p.alpha)
        return function(inputs[0], other).astype(np.float64)

    def layer_greaterThan(self, p, *x):
        return self.compare(p, np.greater, x)

    def layer_greaterEqual(self, p, *x):
        return self.compare(p, np.greater_equal, x)

    def layer_lessThan(self, p, *x):
        return self.compare(p, np.less, x)

    def layer_lessEqual(self, p, *x):
        return self.compare(p, np.less_equal, x)

    def layer_equal(self, p, *x):
        return self.compare(p, np.equal, x)

    def layer_notEqual(self, p, *x):
        return self.compare(p, np.not_equal, x)

    def layer_logicalAnd(self, p, a, b):
        return np.logical_and(a, b)

    def layer_logicalOr(self, p, a, b):
        return np.logical_or(a, b)

    def layer_logicalXor(self, p, a, b):
        return np.logical_xor(a, b)

    def layer_logicalNot(self, p, x):
        return np.logical_not(x)

    # Convolution

    def layer_convolution(self, p, x, weights=None):
        kernel, stride = pair(p.kernelSize, 3), pair(p.stride, 1)
        dilation = pair(p.dilationFactor, 1)
        groups = p.nGroups or 1
        batch = as_batch(x, 3)
        padding = p.WhichOneof("ConvolutionPaddingType")
        if p.isDeconvolution:
            w = weight(p.weights, (p.kernelChannels, p.outputChannels // groups, *kernel), 1)
            # A field's comment says that deconvolutions ignore dilation, the layer's that the kernel grows by it. The format's shaper and
            # coremltools' tests of transposed convolutions have the latter.
            full = deconvolve(batch, dilate_kernel(w, dilation), stride, groups)
            if p.outputShape:
                # The comment says that the padding is ignored, but coremltools' tests of transposed convolutions with an output padding need its
                # amounts before the first elements. Without amounts, as with the padding BOTTOM_RIGHT_HEAVY.
                out = tuple(p.outputShape)
                edges = border(p.valid.paddingAmounts) if padding == "valid" else [(0, 0), (0, 0)]
                starts = [start for start, _ in edges]
                if not np.any(edges):
                    starts = [(f - o) // 2 if f >= o else 0 for f, o in zip(full.shape[2:], out)]
            elif padding == "same":
                out = tuple(e * s for e, s in zip(batch.shape[2:], stride))
                starts = [same_amounts(max(0, f - o), p.same.asymmetryMode)[0] for f, o in zip(full.shape[2:], out)]
            else:
                edges = border(p.valid.paddingAmounts)
                starts = [start for start, _ in edges]
                out = tuple(f - sum(edge) for f, edge in zip(full.shape[2:], edges))
            y = crop_full(full, starts, out)
        else:
            w = weight(p.weights, (p.outputChannels, p.kernelChannels, *kernel)) if weights is None else as_batch(weights, 3)
            kernel = w.shape[2:]
            spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
            if padding == "same":
                edges = same_edges(batch.shape[2:], spans, stride, p.same.asymmetryMode)
            else:
                edges = border(p.valid.paddingAmounts)
            y = convolve(batch, w, stride, dilation, edges, groups)
        if p.hasBias:
            y = y + weight(p.bias, (p.outputChannels,)).reshape(-1, 1, 1)
        return y.reshape(x.shape[:-3] + y.shape[1:])

    def layer_convolution3d(self, p, x):
        kernel = (p.kernelDepth, p.kernelHeight, p.kernelWidth)
        stride = (p.strideDepth, p.strideHeight, p.strideWidth)
        dilation = (p.dilationDepth, p.dilationHeight, p.dilationWidth)
        groups = p.nGroups or 1
        custom = [(p.customPaddingFront, p.customPaddingBack), (p.customPaddingTop, p.customPaddingBottom),
                  (p.customPaddingLeft, p.customPaddingRight)]
        edges = custom if p.paddingType == p.CUSTOM else [(0, 0)] * 3
        if p.isDeconvolution:
            # The comment on the weights breaks off; coremltools' converter has kernelChannels == inputChannels. Silent on dilation: it spreads
            # the kernel.
            w = weight(p.weights, (p.outputChannels // groups, p.inputChannels, *kernel)).swapaxes(0, 1)
            full = deconvolve(x, dilate_kernel(w, dilation), stride, groups)
            if p.outputShape:
                out = tuple(p.outputShape)
                starts = [edge[0] for edge in edges] if p.paddingType == p.CUSTOM else [
                    max(0, f - o) // 2 for f, o in zip(full.shape[2:], out)]
            elif p.paddingType == p.SAME:
                out = tuple(e * s for e, s in zip(x.shape[2:], stride))
                starts = [max(0, f - o) // 2 for f, o in zip(full.shape[2:], out)]
            else:
                starts = [edge[0] for edge in edges]
                out = tuple(f - sum(edge) for f, edge in zip(full.shape[2:], edges))
            y = crop_full(full, starts, out)
        else:
            w = weight(p.weights, (p.outputChannels, p.inputChannels // groups, *kernel))
            if p.paddingType == p.SAME:
                spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
                edges = same_edges(x.shape[2:], spans, stride)
            y = convolve(x, w, stride, dilation, edges, groups)
        if p.hasBias:
            y = y + weight(p.bias, (p.outputChannels,)).reshape(-1, 1, 1, 1)
        return y

    # Pooling

    def layer_pooling(self, p, x):
        batch = as_batch(x, 3)
        extents = batch.shape[2:]
        kernel, stride = pair(p.kernelSize, 3), pair(p.stride, 1)
        if p.globalPooling:
            kernel, stride, edges, outs = extents, (1, 1), [(0, 0)] * 2, (1, 1)
        else:
            padding = p.WhichOneof("PoolingPaddingType")
            if padding == "same":
                edges = same_edges(extents, kernel, stride, p.same.asymmetryMode)
                outs = [-(-e // s) for e, s in zip(extents, stride)]
            elif padding == "includeLastPixel":
                amounts = pair(p.includeLastPixel.paddingAmounts, 0)
                edges = [(a, a) for a in amounts]
                outs = []
                for extent, amount, k, s in zip(extents, amounts, kernel, stride):
                    out = math.ceil((extent + 2 * amount - k) / s) + 1
                    if any(amounts) and (out - 1) * s >= extent + amount:
                        out -= 1
                    outs.append(out)
            else:
                edges = border(p.valid.paddingAmounts)
                outs = [(e + sum(edge) - k) // s + 1 for e, edge, k, s in zip(extents, edges, kernel, stride)]
        y = self.pool(batch, ["max", "average", "l2"][p.type], kernel, stride, edges, outs, p.avgPoolExcludePadding)
        return y.reshape(x.shape[:-2] + tuple(outs))

    def pool(self, x, kind, kernel, stride, edges, outs, exclude):
        """Silent: the maximum takes no padded values, and where the last window of includeLastPixel reaches past the padded input, the
        part outside is not counted."""
        n = len(kernel)
        y = np.zeros(x.shape[:-n] + tuple(outs))
        for position in np.ndindex(*outs):
            inside, counted, real = [], 1, 1
            for o, k, s, (start, end), extent in zip(position, kernel, stride, edges, x.shape[-n:]):
                first = o * s - start
                last = min(first + k, extent + end)
                counted *= last - first
                first, last = max(first, 0), min(last, extent)
                real *= max(0, last - first)
                inside.append(slice(first, max(first, last)))
            part = x[(Ellipsis,) + tuple(inside)].reshape(x.shape[:-n] + (-1,))
            if kind == "max":
                value = part.max(-1)
            elif kind == "average":
                value = part.sum(-1) / (real if exclude else counted)
            else:
                value = np.sqrt((part ** 2).sum(-1))
            y[(Ellipsis,) + position] = value
        return y

    def layer_pooling3d(self, p, x):
        kernel = (p.kernelDepth, p.kernelHeight, p.kernelWidth)
        stride = (p.strideDepth, p.strideHeight, p.strideWidth)
        edges = [(0, 0)] * 3
        if p.paddingType == p.CUSTOM:
            edges = [(p.customPaddingFront, p.customPaddingBack), (p.customPaddingTop, p.customPaddingBottom),
                     (p.customPaddingLeft, p.customPaddingRight)]
        elif p.paddingType == p.SAME:
            edges = same_edges(x.shape[-3:], kernel, stride)
        outs = [(e + sum(edge) - k) // s + 1 for e, edge, k, s in zip(x.shape[-3:], edges, kernel, stride)]
        return self.pool(x, ["max", "average"][p.type], kernel, stride, edges, outs, p.countExcludePadding)

    def layer_globalPooling3d(self, p, x):
        return (x.max if p.type == p.MAX else x.mean)((-3, -2, -1), keepdims=True)

    # Products and look-ups

    def product(self, p, x, w, bias_count):
        """x [N, in], w [in, out]"""
        if p.int8DynamicQuantize:
            x, scale = quantised_input(x)
            y = (x @ w) * scale
        else:
            y = x @ w
        return y + weight(p.bias, (bias_count,)) if p.hasBias else y

    def layer_innerProduct(self, p, x):
        w = weight(p.weights, (p.outputChannels, p.inputChannels)).T
        if x.ndim <= 3:
            return self.product(p, x.reshape(-1, x.shape[-1]), w, p.outputChannels).reshape(x.shape[:-1] + (-1,))
        y = self.product(p, x.reshape(math.prod(x.shape[:-3]), -1), w, p.outputChannels)
        return y.reshape(x.shape[:-3] + (-1, 1, 1))

    def lookup(self, p, x, width, height):
        table = weight(p.weights, (width, height)).T
        if p.hasBias:
            table = table + weight(p.bias, (width,))
        return table[x.reshape(-1).astype(np.int64)]

    def layer_embedding(self, p, x):
        return self.lookup(p, x, p.outputChannels, p.inputDim).reshape(x.shape[:-3] + (-1, 1, 1))

    def layer_embeddingND(self, p, x):
        return self.lookup(p, x, p.embeddingSize, p.vocabSize).reshape(x.shape[:-1] + (-1,))

    def layer_batchedMatmul(self, p, a, b=None):
        if b is None:
            rows, columns = p.weightMatrixFirstDimension, p.weightMatrixSecondDimension
            w = weight(p.weights, (columns, rows)).T  # stored in column-major order
            return self.product(p, a.reshape(-1, rows), w, columns).reshape(a.shape[:-1] + (columns,))
        a = a.reshape(1, -1) if a.ndim == 1 else a
        b = b.reshape(-1, 1) if b.ndim == 1 else b
        a = np.swapaxes(a, -1, -2) if p.transposeA else a
        b = np.swapaxes(b, -1, -2) if p.transposeB else b
        return a @ b

    def layer_dot(self, p, a, b):
        if p.cosineSimilarity:
            a = a / np.sqrt((a ** 2).sum(-3, keepdims=True))
            b = b / np.sqrt((b ** 2).sum(-3, keepdims=True))
        return (a * b).sum(-3, keepdims=True)

    # Normalization

    def layer_batchnorm(self, p, x):
        epsilon = p.epsilon or 1e-5
        channels = p.channels
        if p.computeMeanVar:
            axes = (-2, -1) if p.instanceNormalization else tuple(range(x.ndim - 3)) + (-2, -1)
            mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
        else:
            mean = weight(p.mean, (channels, 1, 1))
            variance = weight(p.variance, (channels, 1, 1))
        gamma, beta = weight(p.gamma, (channels, 1, 1)), weight(p.beta, (channels, 1, 1))
        return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta

    def layer_mvn(self, p, x):
        axes = (-3, -2, -1) if p.acrossChannels else (-2, -1)
        y = x - x.mean(axes, keepdims=True)
        if p.normalizeVariance:
            # Silent: coremltools' tests of layer normalization, which becomes this layer, have epsilon inside the root.
            y = y / np.sqrt((y ** 2).mean(axes, keepdims=True) + (p.epsilon or 1e-6))
        return y

    def layer_l2normalize(self, p, x):
        return x / np.sqrt((x ** 2).sum((-3, -2, -1), keepdims=True) + (p.epsilon or 1e-6))

    def layer_softmax(self, p, x):
        return softmax(x, -3)

    def layer_softmaxND(self, p, x):
        return softmax(x, p.axis)

    def layer_lrn(self, p, x):
        size = p.localSize
        # Silent on an even size: one more channel before than after.
        before, after = size // 2, size - 1 - size // 2
        edges = [(0, 0)] * (x.ndim - 3) + [(before, after), (0, 0), (0, 0)]
        squares = np.lib.stride_tricks.sliding_window_view(np.pad(x ** 2, edges), size, axis=x.ndim - 3).sum(-1)
        return x / ((p.k or 1) + p.alpha / size * squares) ** p.beta

    def layer_layerNormalization(self, p, x):
        shape = tuple(p.normalizedShape)
        axes = tuple(range(-len(shape), 0))
        mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
        return weight(p.gamma, shape) * (x - mean) / np.sqrt(variance + p.eps) + weight(p.beta, shape)

    # Elementwise

    def layer_activation(self, p, x):
        return activate(p, x)

    def layer_unary(self, p, x):
        x = (p.scale or 1) * x + p.shift
        epsilon = p.epsilon or 1e-6
        return [
            lambda: np.sqrt(x), lambda: 1 / np.sqrt(x + epsilon), lambda: 1 / (x + epsilon), lambda: np.power(x, p.alpha),
            lambda: np.exp(x), lambda: np.log(x), lambda: np.abs(x), lambda: np.maximum(p.alpha, x),
        ][p.type]()

    def fold(self, function, inputs):
        value = inputs[0]
        for other in inputs[1:]:
            value = function(value, other)
        return value

    def layer_add(self, p, *x):
        return x[0] + p.alpha if len(x) == 1 else self.fold(np.add, x)

    def layer_multiply(self, p, *x):
        return x[0] * p.alpha if len(x) == 1 else self.fold(np.multiply, x)

    def layer_average(self, p, *x):
        return self.fold(np.add, x) / len(x)

    def layer_max(self, p, *x):
        return self.fold(np.maximum, x)

    def layer_min(self, p, *x):
        return self.fold(np.minimum, x)

    def spatial(self, params, shape):
        """[1], [C], [1, H, W] or [C, H, W], against the last three axes."""
        values = weight(params, shape)
        return values.reshape(-1, 1, 1) if values.ndim == 1 else values

    def layer_scale(self, p, x):
        y = x * self.spatial(p.scale, p.shapeScale)
        return y + self.spatial(p.bias, p.shapeBias) if p.hasBias else y

    def layer_bias(self, p, x):
        return x + self.spatial(p.bias, p.shape)

    def layer_clip(self, p, x):
        return np.minimum(np.maximum(x, p.minVal), p.maxVal)

    def layer_clampedReLU(self, p, x):
        return np.minimum(p.beta, np.where(x >= 0, x, p.alpha * x))

    def layer_erf(self, p, x):
        return np.vectorize(math.erf, otypes=[np.float64])(x)

    def layer_gelu(self, p, x):
        if p.mode == p.EXACT:
            return 0.5 * x * (1 + self.layer_erf(None, x / math.sqrt(2)))
        if p.mode == p.TANH_APPROXIMATION:
            return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
        return x * sigmoid(1.702 * x)

    def layer_round(self, p, x):
        return np.rint(x)  # Silent on ties: to even

    # Shapes

    def layer_crop(self, p, x, reference=None):
        if reference is None:
            (top, bottom), (left, right) = border(p.cropAmounts)
            return x[..., top:x.shape[-2] - bottom, left:x.shape[-1] - right]
        top, left = tuple(p.offset) + (0,) * (2 - len(p.offset))
        return x[..., top:top + reference.shape[-2], left:left + reference.shape[-1]]

    def layer_padding(self, p, x):
        edges = [(0, 0)] * (x.ndim - 2) + border(p.paddingAmounts)
        kind = p.WhichOneof("PaddingType")
        if kind == "reflection":
            return np.pad(x, edges, mode="reflect")
        if kind == "replication":
            return np.pad(x, edges, mode="edge")
        return np.pad(x, edges, constant_values=p.constant.value)

    def layer_constantPad(self, p, x, amounts=None):
        amounts = list(p.padAmounts) if amounts is None else [int(v) for v in amounts.reshape(-1)]
        amounts = amounts + [0] * (2 * x.ndim - len(amounts))
        edges = [(amounts[2 * i], amounts[2 * i + 1]) for i in range(x.ndim)]
        if p.padToGivenOutputSizeMode:
            edges = [(max(0, a - e) if a else 0, max(0, b - e) if b else 0) for (a, b), e in zip(edges, x.shape)]
        return np.pad(x, edges, constant_values=p.value)

    def layer_flatten(self, p, x):
        if p.mode == p.CHANNEL_LAST:
            x = np.moveaxis(x, -3, -1)
        return x.reshape(x.shape[:-3] + (-1, 1, 1))

    def layer_reshape(self, p, x):
        shape = tuple(p.targetShape)
        seq = x.shape[0] if len(shape) == 3 else shape[0]
        inner = shape[-3:]
        if p.mode == p.CHANNEL_LAST:
            y = np.moveaxis(x, -3, -1).reshape(seq, x.shape[1], inner[1], inner[2], inner[0])
            return np.moveaxis(y, -1, -3)
        return x.reshape((seq, x.shape[1]) + inner)

    def layer_permute(self, p, x):
        axes = [(0, 2, 3, 4)[a] for a in (p.axis or (0, 1, 2, 3))]
        return x.transpose([axes[0], 1] + axes[1:])

    def layer_concat(self, p, *x):
        return concatenate_along(x, -5 if p.sequenceConcat else -3)

    def layer_concatND(self, p, *x):
        if p.interleave:
            axis = p.axis % x[0].ndim
            stacked = np.stack(x, axis + 1)
            return stacked.reshape(x[0].shape[:axis] + (-1,) + x[0].shape[axis + 1:])
        return np.concatenate(x, p.axis)

    def layer_split(self, p, x, count):
        return np.split(x, p.nOutputs, -3)

    def layer_splitND(self, p, x, count):
        if p.splitSizes:
            return np.split(x, np.cumsum(p.splitSizes)[:-1].astype(int), p.axis)
        # Silent on extents that do not divide: the first parts are longer by one.
        return np.array_split(x, p.numSplits or count, p.axis)

    def layer_sequenceRepeat(self, p, x):
        # Silent on the order: the sequence as a whole is repeated.
        return np.concatenate([x] * (p.nRepetitions or 1), -5)

    def layer_reorganizeData(self, p, x):
        b = p.blockSize
        lead, (c, h, w) = x.shape[:-3], x.shape[-3:]
        n = len(lead)
        order = tuple(range(n))
        if p.mode == p.SPACE_TO_DEPTH:
            y = x.reshape(lead + (c, h // b, b, w // b, b)).transpose(order + (n + 2, n + 4, n, n + 1, n + 3))
            return y.reshape(lead + (c * b * b, h // b, w // b))
        if p.mode == p.DEPTH_TO_SPACE:
            y = x.reshape(lead + (b, b, c // (b * b), h, w)).transpose(order + (n + 2, n + 3, n, n + 4, n + 1))
        else:
            y = x.reshape(lead + (c // (b * b), b, b, h, w)).transpose(order + (n, n + 3, n + 1, n + 4, n + 2))
        return y.reshape(lead + (c // (b * b), h * b, w * b))

    def layer_slice(self, p, x):
        axis = x.ndim + (-3, -2, -1)[p.axis]
        index = [slice(None)] * x.ndim
        index[axis] = slice(p.startIndex, p.endIndex, p.stride)
        # Silent: an end of 0 or past the last element cannot be told from Python's rules.
        return x[tuple(index)]

    def strided(self, x, begin, end, strides, begin_mask, end_mask, squeeze):
        index = []
        for i in range(x.ndim):
            if squeeze and squeeze[i]:
                index.append(int(begin[i]))
            else:
                index.append(slice(None if begin_mask and begin_mask[i] else int(begin[i]),
                                   None if end_mask and end_mask[i] else int(end[i]), int(strides[i])))
        return x[tuple(index)]

    def layer_sliceStatic(self, p, x):
        return self.strided(x, p.beginIds, p.endIds, p.strides, p.beginMasks, p.endMasks, p.squeezeMasks)

    def layer_sliceDynamic(self, p, x, begin, *rest):
        given = [list(p.endIds), list(p.strides), list(p.beginMasks), list(p.endMasks), list(p.squeezeMasks)]
        for i, value in enumerate(rest):
            given[i] = list(value.reshape(-1))
        end, strides, begin_mask, end_mask, squeeze = given
        return self.strided(x, list(begin.reshape(-1)), end, strides or [1] * x.ndim, begin_mask, end_mask, squeeze)

    def layer_sliceBySize(self, p, x, begin):
        start = int(begin.reshape(-1)[0])
        start = start + x.shape[p.axis] if start < 0 else start
        return np.take(x, range(start, start + p.size), p.axis)

    def layer_slidingWindows(self, p, x):
        axis = p.axis % x.ndim
        count = (x.shape[axis] - p.windowSize) // p.step + 1
        parts = [np.take(x, range(i * p.step, i * p.step + p.windowSize), axis) for i in range(count)]
        return np.stack(parts, axis)

    def layer_transpose(self, p, x):
        return x.transpose(list(p.axes))

    def layer_stack(self, p, *x):
        return np.stack(x, p.axis)

    def layer_tile(self, p, x, reps=None):
        return np.tile(x, list(p.reps) if reps is None else reps.reshape(-1).astype(int))

    def layer_reverse(self, p, x):
        return np.flip(x, [i for i, flag in enumerate(p.reverseDim) if flag])

    def layer_reverseSeq(self, p, x, lengths):
        batch, sequence = p.batchAxis % x.ndim, p.sequenceAxis % x.ndim
        y = np.moveaxis(x, (batch, sequence), (0, 1)).copy()
        for i, length in enumerate(lengths.reshape(-1).astype(int)):
            y[i, :length] = y[i, :length][::-1].copy()
        return np.moveaxis(y, (0, 1), (batch, sequence))

    def layer_getShape(self, p, x):
        return np.array(x.shape)

    def layer_squeeze(self, p, x):
        axes = [i for i, extent in enumerate(x.shape) if extent == 1] if p.squeezeAll else [a % x.ndim for a in p.axes]
        if any(x.shape[a] != 1 for a in axes):
            raise ValueError("squeezes an axis whose extent is not 1")
        shape = tuple(extent for i, extent in enumerate(x.shape) if i not in axes)
        return x.reshape(shape or (1,))

    def layer_expandDims(self, p, x):
        return np.expand_dims(x, tuple(p.axes))

    def layer_flattenTo2D(self, p, x):
        axis = p.axis + x.ndim if p.axis < 0 else p.axis
        return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))

    def layer_reshapeStatic(self, p, x):
        return x.reshape(tuple(p.targetShape))

    def layer_reshapeLike(self, p, x, like):
        return x.reshape(like.shape)

    def layer_reshapeDynamic(self, p, x, shape):
        return x.reshape(tuple(shape.reshape(-1).astype(int)))

    def layer_rankPreservingReshape(self, p, x):
        return x.reshape([x.shape[i] if extent == 0 else extent for i, extent in enumerate(p.targetShape)])

    def layer_broadcastToLike(self, p, x, like):
        return np.broadcast_to(x, np.broadcast_shapes(x.shape, like.shape))

    def layer_broadcastToStatic(self, p, x):
        return np.broadcast_to(x, tuple(p.targetShape))

    def layer_broadcastToDynamic(self, p, x, shape):
        return np.broadcast_to(x, tuple(shape.reshape(-1).astype(int)))

    # Allocation

    def layer_loadConstant(self, p):
        return weight(p.data, p.shape).reshape((1, 1) + tuple(p.shape))

    def layer_loadConstantND(self, p):
        return weight(p.data, p.shape)

    def layer_fillLike(self, p, x):
        return np.full(x.shape, p.value)

    def layer_fillStatic(self, p):
        return np.full(tuple(p.targetShape), p.value)

    def layer_fillDynamic(self, p, shape):
        return np.full(tuple(shape.reshape(-1).astype(int)), p.value)

    def layer_rangeStatic(self, p):
        return arange(p.startValue, p.endValue, p.stepSizeValue)

    def layer_rangeDynamic(self, p, end, start=None, step=None):
        start = p.startValue if start is None else start.reshape(-1)[0]
        step = p.stepSizeValue if step is None else step.reshape(-1)[0]
        return arange(start, end.reshape(-1)[0], step)

    # Random values: only degenerate distributions have a result that can be stated.

    def normal(self, p, shape):
        if p.stdDev != 0:
            raise NotImplementedError("random")
        return np.full(shape, p.mean)

    def uniform(self, p, shape):
        if p.minVal != p.maxVal:
            raise NotImplementedError("random")
        return np.full(shape, p.minVal)

    def bernoulli(self, p, shape):
        if p.prob not in (0, 1):
            raise NotImplementedError("random")
        return np.full(shape, p.prob)

    def layer_randomNormalLike(self, p, x):
        return self.normal(p, x.shape)

    def layer_randomNormalStatic(self, p):
        return self.normal(p, tuple(p.outputShape))

    def layer_randomNormalDynamic(self, p, shape):
        return self.normal(p, tuple(shape.reshape(-1).astype(int)))

    def layer_randomUniformLike(self, p, x):
        return self.uniform(p, x.shape)

    def layer_randomUniformStatic(self, p):
        return self.uniform(p, tuple(p.outputShape))

    def layer_randomUniformDynamic(self, p, shape):
        return self.uniform(p, tuple(shape.reshape(-1).astype(int)))

    def layer_randomBernoulliLike(self, p, x):
        return self.bernoulli(p, x.shape)

    def layer_randomBernoulliStatic(self, p):
        return self.bernoulli(p, tuple(p.outputShape))

    def layer_randomBernoulliDynamic(self, p, shape):
        return self.bernoulli(p, tuple(shape.reshape(-1).astype(int)))

    def layer_categoricalDistribution(self, p, x):
        probabilities = softmax(x / (p.temperature or 1), -1) if p.isLogits else x / x.sum(-1, keepdims=True)
        if np.any((probabilities > 1e-12) & (probabilities < 1 - 1e-12)):
            raise NotImplementedError("random")
        return np.repeat(probabilities.argmax(-1)[..., None], p.numSamples, -1)

    # Gather and scatter

    def layer_gather(self, p, x, indices):
        return np.take(x, indices.astype(int), p.axis)

    def layer_gatherND(self, p, x, indices):
        return x[tuple(np.moveaxis(indices.astype(int), -1, 0))]

    def layer_gatherAlongAxis(self, p, x, indices):
        return np.take_along_axis(x, indices.astype(int), p.axis)

    def accumulate(self, mode, old, new):
        return [
            lambda: new, lambda: old + new, lambda: old - new, lambda: old * new, lambda: old / new,
            lambda: np.maximum(old, new), lambda: np.minimum(old, new),
        ][mode]()

    def layer_scatter(self, p, container, indices, updates):
        axis = p.axis % container.ndim
        y = np.moveaxis(container.copy(), axis, 0)
        indices = indices.astype(int)
        # updates: container.shape[:axis] + indices.shape + container.shape[axis + 1:]
        u = np.moveaxis(updates, range(axis, axis + indices.ndim), range(indices.ndim))
        for position in np.ndindex(*indices.shape):
            target = indices[position]
            y[target] = self.accumulate(p.mode, y[target], u[position])
        return np.moveaxis(y, 0, axis)

    def layer_scatterND(self, p, container, indices, updates):
        y = container.copy()
        indices = indices.astype(int)
        for position in np.ndindex(*indices.shape[:-1]):
            target = tuple(indices[position])
            y[target] = self.accumulate(p.mode, y[target], updates[position])
        return y

    def layer_scatterAlongAxis(self, p, container, indices, updates):
        y = container.copy()
        axis = p.axis % container.ndim
        for position in np.ndindex(*indices.shape):
            target = list(position)
            target[axis] = int(indices[position])
            target = tuple(target)
            y[target] = self.accumulate(p.mode, y[target], updates[position])
        return y

    # Order

    def layer_topK(self, p, x, k=None):
        k = p.K if k is None else int(k.reshape(-1)[0])
        order = np.argsort(x if p.useBottomK else -x, axis=p.axis, kind="stable")
        order = np.take(order, range(k), p.axis)
        return np.take_along_axis(x, order, p.axis), order

    def layer_argSort(self, p, x):
        return np.argsort(-x if p.descending else x, axis=p.axis, kind="stable")

    def layer_argMax(self, p, x):
        return x.argmax(p.axis, keepdims=not p.removeDim)

    def layer_argMin(self, p, x):
        return x.argmin(p.axis, keepdims=not p.removeDim)

    def layer_oneHot(self, p, x, size=None):
        size = p.oneHotVectorSize if size is None else int(size.reshape(-1)[0])
        axis = p.axis % (x.ndim + 1)
        hot = x[..., None] == np.arange(size)
        return np.moveaxis(np.where(hot, p.onValue, p.offValue), -1, axis)

    def layer_cumSum(self, p, x, axis=None):
        axis = p.axis if axis is None else int(axis.reshape(-1)[0])
        y = np.flip(x, axis) if p.reverse else x
        total = np.cumsum(y, axis)
        total = total - y if p.excludeFinalSum else total
        return np.flip(total, axis) if p.reverse else total

    def layer_NonMaximumSuppression(self, p, boxes, scores, iou=None, threshold=None, limit=None):
        iou = p.iouThreshold if iou is None else iou.reshape(-1)[0]
        threshold = p.scoreThreshold if threshold is None else threshold.reshape(-1)[0]
        limit = p.maxBoxes if limit is None else int(limit.reshape(-1)[0])
        batch, count, classes = scores.shape
        out_boxes, out_scores = np.zeros((batch, limit, 4)), np.zeros((batch, limit, classes))
        out_indices, out_counts = np.full((batch, limit), -1.0), np.zeros(batch)
        for b in range(batch):
            best, label = scores[b].max(-1), scores[b].argmax(-1)
            kept = []
            for i in np.argsort(-best, kind="stable"):
                if best[i] < threshold:
                    continue
                if all((p.perClassSuppression and label[i] != label[j]) or overlap(boxes[b, i], boxes[b, j]) <= iou for j in kept):
                    kept.append(i)
            kept = (kept or [best.argmax()])[:limit]
            n = len(kept)
            out_boxes[b, :n], out_scores[b, :n], out_indices[b, :n], out_counts[b] = boxes[b, kept], scores[b, kept], kept, n
        return out_boxes, out_scores, out_indices, out_counts

    # Reduction

    def layer_reduce(self, p, x):
        axes = [(-3, -2, -1), (-2, -1), (-3,), (-2,), (-1,)][p.axis]
        epsilon = p.epsilon or 1e-6
        keep = dict(axis=axes, keepdims=True)
        return [
            lambda: x.sum(**keep), lambda: x.mean(**keep), lambda: x.prod(**keep), lambda: np.log(x + epsilon).sum(**keep),
            lambda: (x ** 2).sum(**keep), lambda: np.abs(x).sum(**keep), lambda: np.sqrt((x ** 2).sum(**keep)),
            lambda: x.max(**keep), lambda: x.min(**keep), lambda: x.argmax(axes[0], keepdims=True),
        ][p.mode]()

    def reduced(self, p, x, function):
        axes = tuple(range(x.ndim)) if p.reduceAll or not p.axes else tuple(p.axes)
        return function(x, axis=axes, keepdims=p.keepDims)

    def layer_reduceL1(self, p, x):
        return self.reduced(p, np.abs(x), np.sum)

    def layer_reduceL2(self, p, x):
        return np.sqrt(self.reduced(p, x ** 2, np.sum))

    def layer_reduceMax(self, p, x):
        return self.reduced(p, x, np.max)

    def layer_reduceMin(self, p, x):
        return self.reduced(p, x, np.min)

    def layer_reduceSum(self, p, x):
        return self.reduced(p, x, np.sum)

    def layer_reduceProd(self, p, x):
        return self.reduced(p, x, np.prod)

    def layer_reduceMean(self, p, x):
        return self.reduced(p, x, np.mean)

    def layer_reduceLogSum(self, p, x):
        return np.log(self.reduced(p, x, np.sum))

    def layer_reduceSumSquare(self, p, x):
        return self.reduced(p, x ** 2, np.sum)

    def layer_reduceLogSumExp(self, p, x):
        return np.log(self.reduced(p, np.exp(x), np.sum))

    # Masks

    def layer_whereNonZero(self, p, x):
        return np.argwhere(x != 0)

    def layer_whereBroadcastable(self, p, condition, a, b):
        return np.where(condition != 0, a, b)

    def layer_matrixBandPart(self, p, x):
        m, n = np.indices(x.shape[-2:])
        band = ((p.numLower < 0) | (m - n <= p.numLower)) & ((p.numUpper < 0) | (n - m <= p.numUpper))
        return x * band

    def layer_lowerTriangular(self, p, x):
        return np.tril(x, p.k)

    def layer_upperTriangular(self, p, x):
        return np.triu(x, p.k)

    # Resizing

    def layer_upsample(self, p, x):
        h, w = x.shape[-2:]
        factors = p.fractionalScalingFactor if p.fractionalScalingFactor else (p.scalingFactor or (1, 1))
        outs = [int(math.floor(e * f)) for e, f in zip((h, w), factors)]
        if p.mode == p.NN:
            # Silent on fractional factors: the pixel whose area holds the point's start.
            rows, columns = [np.minimum(np.floor(np.arange(o) / f), e - 1).astype(int) for o, f, e in zip(outs, factors, (h, w))]
            return x[..., rows, :][..., columns]
        grids = []
        for e, o in zip((h, w), outs):
            i = np.arange(o)
            if p.linearUpsampleMode == p.DEFAULT:
                points = i * ((e - e / o) / (o - 1) if o > 1 else 0)
            elif p.linearUpsampleMode == p.ALIGN_CORNERS_TRUE:
                points = i * ((e - 1) / (o - 1) if o > 1 else 0)
            else:
                spacing = e / o
                points = i * spacing + 0.5 * spacing - 0.5
            grids.append(np.minimum(e - 1, np.maximum(0, points)))
        return bilinear(x, *grids)

    def layer_resizeBilinear(self, p, x):
        outs = pair(p.targetSize, 1)
        grids = [sampling_grid(p.mode.samplingMethod, 0, e - 1, e, o) for e, o in zip(x.shape[-2:], outs)]
        return bilinear(x, *grids)

    def layer_cropResize(self, p, x, rois):
        outs = pair(p.targetSize, 1)
        n, width = rois.shape[0], rois.shape[-3]
        rois = rois.reshape(n, width)
        h, w = x.shape[-2:]
        images = x.reshape((-1,) + x.shape[-3:])
        results = []
        for roi in rois:
            chosen = images
            if width == 5:
                chosen = images[int(roi[0])][None]
                roi = roi[1:]
            mode = p.boxIndicesMode.boxMode
            if mode in (1, 3):  # width first
                roi = roi[[1, 0, 3, 2]]
            if mode >= 2:  # centre and size
                roi = np.concatenate([roi[:2] - roi[2:] / 2, roi[:2] + roi[2:] / 2])
            if p.normalizedCoordinates:
                roi = roi * [h - 1, w - 1, h - 1, w - 1]
            roi = roi * (p.spatialScale or 1)
            grids = [roi_grid(p.mode.samplingMethod, roi[i], roi[i + 2], e, o) for i, (e, o) in enumerate(zip((h, w), outs))]
            results.append(bilinear(chosen, *grids))
        return np.stack(results)

    # Recurrent layers

    def sequence(self, x, size, outputs, reverse, sequence_output, step, state):
        """Runs step over [Seq, Batch, size, 1, 1]. A reversed sequence's results come in the order in which they arise, as coremltools'
        tests expect."""
        x = x.reshape(x.shape[0], x.shape[1], -1)
        steps = range(x.shape[0])
        results = []
        for t in reversed(steps) if reverse else steps:
            state = step(x[t], state)
            results.append(state[0])
        y = np.stack(results) if sequence_output else results[-1][None]
        return y[..., None, None], state

    def layer_simpleRecurrent(self, p, x, y=None):
        i, o = p.inputVectorSize, p.outputVectorSize
        w, r = weight(p.weightMatrix, (o, i)), weight(p.recursionMatrix, (o, o))
        b = weight(p.biasVector, (o,)) if p.hasBiasVector else 0

        def step(x, state):
            return (recurrent_activation(p.activation, clip50(x @ w.T + state[0] @ r.T + b)),)

        state = (initial(y, x, o),)
        result, state = self.sequence(x, i, o, p.reverseInput, p.sequenceOutput, step, state)
        return result, state[0][None, ..., None, None]

    def layer_gru(self, p, x, y=None):
        i, o = p.inputVectorSize, p.outputVectorSize
        names = ("update", "reset", "output")
        w = [weight(getattr(p, n + "GateWeightMatrix"), (o, i)).T for n in names]
        r = [weight(getattr(p, n + "GateRecursionMatrix"), (o, o)).T for n in names]
        b = [weight(getattr(p, n + "GateBiasVector"), (o,)) if p.hasBiasVectors else 0 for n in names]
        f, g = p.activations

        def step(x, state):
            previous, = state
            z = recurrent_activation(f, clip50(x @ w[0] + previous @ r[0] + b[0]))
            reset = recurrent_activation(f, clip50(x @ w[1] + previous @ r[1] + b[1]))
            out = recurrent_activation(g, clip50(x @ w[2] + (previous * reset) @ r[2] + b[2]))
            return ((1 - z) * out + z * previous,)

        result, state = self.sequence(x, i, o, p.reverseInput, p.sequenceOutput, step, (initial(y, x, o),))
        return result, state[0][None, ..., None, None]

    def lstm(self, p, params, weights, activations, reverse, x, y, c):
        i, o = p.inputVectorSize, p.outputVectorSize
        names = ("inputGate", "forgetGate", "blockInput", "outputGate")
        # With coupled gates the forget gate is not used, and its weights may be absent.
        used = [not (n == "forgetGate" and params.coupledInputAndForgetGate) for n in names]
        w = [weight(getattr(weights, n + "WeightMatrix"), (o, i)).T if u else 0 for n, u in zip(names, used)]
        r = [weight(getattr(weights, n + "RecursionMatrix"), (o, o)).T if u else 0 for n, u in zip(names, used)]
        b = [weight(getattr(weights, n + "BiasVector"), (o,)) if params.hasBiasVectors and u else 0 for n, u in zip(names, used)]
        if params.forgetBias:
            b[1] = b[1] + 1
        peep = {n: weight(getattr(weights, n + "PeepholeVector"), (o,)) if params.hasPeepholeVectors and (
            u if n != "forgetGate" else used[1]) else 0 for n, u in zip(("inputGate", "forgetGate", "outputGate"), (True, True, True))}
        f, g, h = activations
        limit = params.cellClipThreshold or 50.0

        def step(x, state):
            previous, cell = state

            def gate(index, peephole, cell):
                return clip50(x @ w[index] + previous @ r[index] + peephole * cell + b[index])

            i_t = recurrent_activation(f, gate(0, peep["inputGate"], cell))
            z_t = recurrent_activation(g, gate(2, 0, cell))
            if params.coupledInputAndForgetGate:
                f_t = 1 - i_t
            else:
                f_t = recurrent_activation(f, gate(1, peep["forgetGate"], cell))
            cell = np.clip(cell * f_t + i_t * z_t, -limit, limit)
            o_t = recurrent_activation(f, gate(3, peep["outputGate"], cell))
            return recurrent_activation(h, cell) * o_t, cell

        return self.sequence(x, i, o, reverse, params.sequenceOutput, step, (initial(y, x, o), initial(c, x, o)))

    def layer_uniDirectionalLSTM(self, p, x, y=None, c=None):
        result, (h, c) = self.lstm(p, p.params, p.weightParams, p.activations, p.reverseInput, x, y, c)
        return result, h[None, ..., None, None], c[None, ..., None, None]

    def layer_biDirectionalLSTM(self, p, x, y=None, c=None, y_back=None, c_back=None):
        forward, (h, cell) = self.lstm(p, p.params, p.weightParams[0], p.activationsForwardLSTM, False, x, y, c)
        backward, (h_back, cell_back) = self.lstm(p, p.params, p.weightParams[1], p.activationsBackwardLSTM, True, x, y_back, c_back)
        if p.params.sequenceOutput:
            # The backward results come in the order in which they arise; element t of the output belongs to x_t.
            backward = backward[::-1]
        ends = [v[None, ..., None, None] for v in (h, cell, h_back, cell_back)]
        return (np.concatenate([forward, backward], 2), *ends)


def install(names, function):
    for name in names:
        setattr(Interpreter, "layer_" + name, function(name))


# Layers that are one NumPy function.
UNARY = {
    "ceil": np.ceil, "floor": np.floor, "sign": np.sign, "exp2": np.exp2, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin,
    "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh,
}
BINARY = {
    "addBroadcastable": np.add, "subtractBroadcastable": np.subtract, "multiplyBroadcastable": np.multiply,
    "divideBroadcastable": np.divide, "floorDivBroadcastable": np.floor_divide, "modBroadcastable": np.mod, "powBroadcastable": np.power,
    "maxBroadcastable": np.maximum, "minBroadcastable": np.minimum,
}
install(UNARY, lambda name: lambda self, p, x: UNARY[name](x))
install(BINARY, lambda name: lambda self, p, a, b: BINARY[name](a, b))


def dilate_kernel(w, dilation):
    shape = w.shape[:2] + tuple((k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation))
    spread = np.zeros(shape)
    spread[(slice(None), slice(None)) + tuple(slice(None, None, d) for d in dilation)] = w
    return spread


def initial(state, x, size):
    return np.zeros((x.shape[1], size)) if state is None else state.reshape(-1, size)[:x.shape[1]]


def clip50(x):
    return np.clip(x, -50.0, 50.0)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def arange(start, end, step):
    return start + step * np.arange(max(0, math.ceil((end - start) / step)))


def overlap(a, b):
    """Intersection over union of boxes given by centre and size."""
    low = np.maximum(a[:2] - a[2:] / 2, b[:2] - b[2:] / 2)
    high = np.minimum(a[:2] + a[2:] / 2, b[:2] + b[2:] / 2)
    common = np.prod(np.maximum(0, high - low))
    union = a[2] * a[3] + b[2] * b[3] - common
    return common / union if union > 0 else 0


def concatenate_along(arrays, axis):
    return np.concatenate(arrays, axis)


def bilinear(x, rows, columns):
    for axis, points in ((-2, rows), (-1, columns)):
        low = np.floor(points).astype(int)
        high = np.minimum(low + 1, x.shape[axis] - 1)
        part = (points - low).reshape((-1, 1) if axis == -2 else (-1,))
        x = np.take(x, low, axis) * (1 - part) + np.take(x, high, axis) * part
    return x


def sampling_grid(method, first, last, extent, count):
    """The SamplingMode grids over [0, extent - 1]."""
    if method == 0 or (method == 1 and count > 1):
        points = np.linspace(first, last, count)
    elif method == 1:
        points = np.array([(first + last) / 2])
    elif method == 2:
        points = np.linspace(0, extent - extent / count, count)
    else:
        spacing = max(1, extent - 1) / count
        points = np.linspace(0.5 * spacing, 0.5 * spacing + (count - 1) * spacing, count)
    return np.clip(points, 0, extent - 1)


def roi_grid(method, first, last, extent, count):
    """The same grids over a box. Silent on boxes: X is their span plus 1."""
    span = last - first + 1
    if method == 0 or (method == 1 and count > 1):
        points = np.linspace(first, last, count)
    elif method == 1:
        points = np.array([(first + last) / 2])
    elif method == 2:
        points = first + np.linspace(0, span - span / count, count)
        points = np.minimum(points, last)
    else:
        spacing = max(1, last - first) / count
        points = np.minimum(first + (np.arange(count) + 0.5) * spacing, np.inf)
    return np.clip(points, 0, extent - 1)


# Models

ARRAY_TYPES = {
    FeatureTypes_pb2.ArrayFeatureType.FLOAT32: np.float32, FeatureTypes_pb2.ArrayFeatureType.DOUBLE: np.float64,
    FeatureTypes_pb2.ArrayFeatureType.INT32: np.int32, FeatureTypes_pb2.ArrayFeatureType.FLOAT16: np.float16,
}


def network_of(model):
    return getattr(model, model.WhichOneof("Type"))


def blob_of_array(value, declared, exact):
    """The blob for an array given to a feature of the declared shape."""
    value = np.asarray(value, np.float64)
    if exact:
        return value
    if value.ndim == 1:
        return value.reshape(1, 1, -1, 1, 1)
    if value.ndim == 3:
        if len(declared) == 1:
            return value.reshape(value.shape + (1, 1))  # [Seq, Batch, C]
        return value.reshape((1, 1) + value.shape)
    if value.ndim == 5:
        return value
    raise ValueError(f"an array of rank {value.ndim} under the old mapping")


def blob_of_image(pixels, feature, rank4):
    """[1, 1, C, H, W] or [1, C, H, W] for an RGB image [H, W, 3] or a grey one [H, W]."""
    pixels = np.asarray(pixels, np.float64)
    if pixels.ndim == 2:
        planes = pixels[None]
    else:
        planes = np.moveaxis(pixels, -1, 0)
        if feature.type.imageType.colorSpace == FeatureTypes_pb2.ImageFeatureType.BGR:
            planes = planes[::-1]
    return planes[None] if rank4 else planes[None, None]


def preprocess(network, description, blobs):
    for step in network.preprocessing:
        names = [feature.name for feature in description.input]
        name = step.featureName or names[0]
        x = blobs[name]
        feature = description.input[names.index(name)]
        if step.WhichOneof("preprocessor") == "scaler":
            s = step.scaler
            if x.shape[-3] == 1:
                bias = np.array([s.grayBias])
            elif feature.type.imageType.colorSpace == FeatureTypes_pb2.ImageFeatureType.BGR:
                bias = np.array([s.blueBias, s.greenBias, s.redBias])
            else:
                bias = np.array([s.redBias, s.greenBias, s.blueBias])
            blobs[name] = s.channelScale * x + bias.reshape(-1, 1, 1)
        else:
            blobs[name] = x - np.array(step.meanImage.meanImage, np.float64).reshape(x.shape[-3:])


def array_of_blob(blob, feature, exact):
    """The array that a feature gives for a blob."""
    declared = tuple(feature.type.multiArrayType.shape)
    if not exact and blob.ndim == 5:
        if declared and math.prod(declared) == blob.size:
            return blob.reshape(declared)
        return blob.reshape(blob.shape[2:]) if blob.shape[:2] == (1, 1) else blob
    return blob


def predict(model, inputs, observer=None):
    """Runs a model on arrays and images by name. Gives arrays of the declared types, and the label and dictionary of a classifier."""
    network = network_of(model)
    kind = model.WhichOneof("Type")
    exact = network.arrayInputShapeMapping == nn.EXACT_ARRAY_MAPPING
    blobs = {}
    for feature in model.description.input:
        if feature.type.WhichOneof("Type") == "imageType":
            blobs[feature.name] = blob_of_image(inputs[feature.name], feature, network.imageInputShapeMapping == nn.RANK4_IMAGE_MAPPING)
            continue
        array = feature.type.multiArrayType
        if feature.name in inputs:
            value = inputs[feature.name]
        else:
            fill = getattr(array, array.WhichOneof("defaultOptionalValue")) if array.WhichOneof("defaultOptionalValue") else 0
            value = np.full(tuple(array.shape), fill, np.float64)
        blobs[feature.name] = blob_of_array(value, array.shape, exact)
    preprocess(network, model.description, blobs)
    results = Interpreter(network, observer).run(blobs)

    outputs = {}
    classes = None
    if kind == "neuralNetworkClassifier":
        classes = list(getattr(network, network.WhichOneof("ClassLabels")).vector)
        scores = results[network.labelProbabilityLayerName or network.layers[-1].output[0]].reshape(-1)
        outputs[model.description.predictedFeatureName] = classes[int(scores.argmax())]
        if model.description.predictedProbabilitiesName:
            outputs[model.description.predictedProbabilitiesName] = dict(zip(classes, scores.tolist()))
    for feature in model.description.output:
        if feature.name in outputs:
            continue
        blob = results[feature.name]
        type_name = feature.type.WhichOneof("Type")
        if type_name == "imageType":
            planes = np.clip(np.rint(blob.reshape(blob.shape[-3:])), 0, 255).astype(np.uint8)
            if feature.type.imageType.colorSpace == FeatureTypes_pb2.ImageFeatureType.BGR:
                planes = planes[::-1]
            outputs[feature.name] = planes[0] if planes.shape[0] == 1 else np.moveaxis(planes, 0, -1)
        elif type_name == "multiArrayType":
            outputs[feature.name] = array_of_blob(blob, feature, exact)
        else:
            outputs[feature.name] = blob
    return outputs


# Comparison with recorded cases

def load_value(folder, value):
    from PIL import Image

    if "file" in value:
        return np.load(folder / value["file"])
    if "image" in value:
        return np.asarray(Image.open(folder / value["image"]))
    if "dictionary" in value:
        return {(int(k) if value["keys"] == "int64" else k): v for k, v in value["dictionary"].items()}
    return next(value[k] for k in ("int", "string", "double") if k in value)


def squeezed(shape):
    return tuple(extent for extent in shape if extent != 1)


def compare_case(folder):
    """An empty string, or how the interpreter's results differ from those recorded."""
    folder = Path(folder)
    case = json.loads((folder / "case.json").read_text())
    model = Model_pb2.Model()
    model.ParseFromString((folder / case["model"]).read_bytes())
    inputs = {name: load_value(folder, value) for name, value in case["inputs"].items()}
    with np.errstate(all="ignore"):
        results = predict(model, inputs)
    for name, value in case["outputs"].items():
        expected, result = load_value(folder, value), results[name]
        if isinstance(expected, dict):
            if any(abs(result[k] - v) > case["atol"] + case["rtol"] * abs(v) for k, v in expected.items()):
                return f"{name}: probabilities differ"
            continue
        if not isinstance(expected, np.ndarray):
            if result != expected:
                return f"{name}: {result} for {expected}"
            continue
        if squeezed(result.shape) != squeezed(expected.shape):
            return f"{name}: shape {result.shape} for {expected.shape}"
        result, expected = result.reshape(-1), expected.reshape(-1).astype(np.float64)
        with np.errstate(all="ignore"):
            bad = ~(np.abs(result - expected) <= case["atol"] + case["rtol"] * np.abs(expected)) & ~(result == expected)
        if bad.any():
            i = int(np.argmax(bad))
            return f"{name}: {int(bad.sum())} of {bad.size} values differ, first {result[i]!r} for {expected[i]!r}"
    return ""


def main():
    failures = 0
    for argument in sys.argv[1:]:
        try:
            difference = compare_case(argument)
        except Exception as error:  # a case that cannot be run is reported like one that differs
            difference = f"{type(error).__name__}: {error}"
        if difference:
            failures += 1
            print(f"{Path(argument).name}: {difference}")
    print(f"{len(sys.argv) - 1 - failures} of {len(sys.argv) - 1} cases agree")


if __name__ == "__main__":
    main()
