"""Gathering, scattering, order and reduction."""

import numpy as np

from .arithmetic import *  # noqa: F403


class Selection:
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
