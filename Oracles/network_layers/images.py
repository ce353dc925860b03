"""Convolution, pooling, products and resizing."""

import math

import numpy as np

from .arithmetic import *  # noqa: F403


class Images:
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
