"""Shapes, allocation and random values."""

import math

import numpy as np

from .arithmetic import *  # noqa: F403


class Shapes:
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
