"""Weights, windows, grids and other formulas that several layers share."""

import math

import numpy as np
from coremltools.proto import FeatureTypes_pb2, NeuralNetwork_pb2 as nn

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
