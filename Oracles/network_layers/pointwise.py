"""Comparison, functions of each element and normalization."""

import math

import numpy as np

from .arithmetic import *  # noqa: F403


class Pointwise:
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
