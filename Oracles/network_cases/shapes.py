"""Layers that rearrange, cut, pad, resize, make or compare shapes."""

import numpy as np

from .building import EXACT, OLD, Net, Weights, by_rank, cases, normal, seeded, shapes_of_ranks, single


def borders(top, bottom, left, right):
    return {"borderAmounts": [{"startEdgeSize": top, "endEdgeSize": bottom}, {"startEdgeSize": left, "endEdgeSize": right}]}


@cases
def cropping_and_padding(suite):
    rng = seeded("crop")
    x = normal(rng, (2, 5, 6))
    crop = {"cropAmounts": borders(1, 2, 0, 3)}
    by_rank(suite, "crop-ranks", "crop", crop, ranks=(3, 4, 5), shapes={3: (2, 5, 6), 4: (2, 2, 5, 6), 5: (2, 1, 2, 5, 6)}, core=True)
    single(suite, "crop-old", "crop", [x], crop, mapping=OLD, core=True)
    single(suite, "crop-old-batch", "crop", [normal(rng, (2, 3, 1, 5, 5))], crop, mapping=OLD)
    for label, offset in (("zero", (0, 0)), ("offset", (2, 1))):
        reference = normal(rng, (2, 3, 4))
        single(suite, f"crop-reference-{label}", "crop", [x, reference], {"offset": offset}, core=label == "offset")
        single(suite, f"crop-reference-{label}-old", "crop", [x, reference], {"offset": offset}, mapping=OLD, core=label == "offset")
    for kind, value in (("constant", {"value": -1.5}), ("constant", {}), ("reflection", {}), ("replication", {})):
        name = f"padding-{kind}{'' if value or kind != 'constant' else '-zero'}"
        params = {kind: value, "paddingAmounts": borders(2, 1, 0, 3)}
        by_rank(suite, name, "padding", params, ranks=(2, 3, 4, 5), shapes={2: (3, 4), 3: (2, 3, 4), 4: (2, 1, 3, 4), 5: (2, 1, 2, 3, 4)}, core=True)
        single(suite, name + "-old", "padding", [normal(rng, (2, 3, 4))], params, mapping=OLD, core=True)
        single(suite, name + "-old-batch", "padding", [normal(rng, (2, 2, 1, 3, 4))], params, mapping=OLD)
    single(suite, "constantPad-1", "constantPad", [normal(rng, (4,))], {"value": 2.5, "padAmounts": (1, 2)}, core=True)
    single(suite, "constantPad-2", "constantPad", [normal(rng, (3, 2))], {"value": -1, "padAmounts": (0, 1, 4, 0)}, core=True)
    single(suite, "constantPad-3", "constantPad", [normal(rng, (2, 3, 2))], {"padAmounts": (0, 0, 3, 1, 0, 2)})
    single(suite, "constantPad-5", "constantPad", [normal(rng, (2, 1, 2, 1, 2))], {"value": 7, "padAmounts": (1, 0, 0, 1, 0, 0, 1, 1, 0, 1)})
    for label, amounts in (("before", (5, 0, 6, 0)), ("after", (0, 5, 0, 6)), ("mixed", (0, 5, 6, 0)), ("smaller", (0, 2, 5, 0)), ("none", (0, 0, 0, 5))):
        params = {"value": 1.5, "padAmounts": amounts, "padToGivenOutputSizeMode": True}
        single(suite, f"constantPad-size-{label}", "constantPad", [normal(rng, (3, 4))], params, core=label == "mixed",
               notes="the amounts are the output's extents")
        single(suite, f"constantPad-size-input-{label}", "constantPad", [normal(rng, (3, 4)), np.array(amounts, np.float32)],
               {"value": 1.5, "padToGivenOutputSizeMode": True})
    single(suite, "constantPad-input", "constantPad", [normal(rng, (3, 2)), np.array([0, 1, 2, 0], np.float32)], {"value": 0.5}, core=True)


@cases
def rearranging(suite):
    rng = seeded("rearranging")
    for mode in ("CHANNEL_FIRST", "CHANNEL_LAST"):
        by_rank(suite, f"flatten-{mode}", "flatten", {"mode": mode}, ranks=(3, 4, 5), shapes={3: (2, 3, 4), 4: (2, 2, 3, 2), 5: (2, 1, 2, 3, 2)}, core=True)
        single(suite, f"flatten-{mode}-old", "flatten", [normal(rng, (2, 3, 4))], {"mode": mode}, mapping=OLD, out_shape=(24,), core=True)
        single(suite, f"flatten-{mode}-old-batch", "flatten", [normal(rng, (2, 3, 2, 2, 2))], {"mode": mode}, mapping=OLD)
        for target in ((6, 2, 2), (1, 4, 6), (24, 1, 1)):
            label = "x".join(map(str, target))
            single(suite, f"reshape-{mode}-{label}", "reshape", [normal(rng, (2, 1, 2, 3, 4))], {"targetShape": target, "mode": mode}, core=target[0] == 6)
            single(suite, f"reshape-{mode}-{label}-old", "reshape", [normal(rng, (2, 3, 4))], {"targetShape": target, "mode": mode}, mapping=OLD,
                   core=target[0] == 1)
        single(suite, f"reshape-{mode}-seq-old", "reshape", [normal(rng, (2, 1, 2, 3, 4))], {"targetShape": (4, 2, 1, 6), "mode": mode}, mapping=OLD,
               core=mode == "CHANNEL_FIRST", notes="four extents: the sequence is reshaped too")
        if mode == "CHANNEL_FIRST":
            single(suite, "reshape-to-seq-old", "reshape", [normal(rng, (2, 3, 4))], {"targetShape": (3, 2, 2, 2), "mode": mode}, mapping=OLD)
    for axes in ((0, 1, 2, 3), (0, 3, 1, 2), (3, 1, 2, 0), (0, 3, 2, 1), (1, 2, 3, 0), (2, 0, 1, 3)):
        label = "".join(map(str, axes))
        single(suite, f"permute-{label}", "permute", [normal(rng, (2, 3, 4, 1, 2))], {"axis": axes}, core=label == "0312")
        single(suite, f"permute-{label}-old", "permute", [normal(rng, (2, 3, 4, 1, 2))], {"axis": axes}, mapping=OLD, core=label == "3120")
        if axes[0] == 0:
            single(suite, f"permute-{label}-old-map", "permute", [normal(rng, (2, 3, 4))], {"axis": axes}, mapping=OLD, core=label == "0312")
    single(suite, "permute-unset-old", "permute", [normal(rng, (2, 3, 4))], {}, mapping=OLD, notes="no axes: unchanged")
    for count in (2, 3):
        arrays = [normal(rng, (2, c, 2, 2)) for c in (1, 3, 2)[:count]]
        single(suite, f"concat-{count}", "concat", arrays, core=count == 3)
        single(suite, f"concat-{count}-old", "concat", [a[0] for a in arrays], mapping=OLD, core=count == 3)
        single(suite, f"concat-{count}-rank3", "concat", [a[0] for a in arrays])
        single(suite, f"concat-{count}-old-vectors", "concat", [a.reshape(-1) for a in arrays], mapping=OLD)
        sequences = [normal(rng, (s, 2, 2, 1, 2)) for s in (1, 3, 2)[:count]]
        single(suite, f"concat-sequence-{count}", "concat", sequences, {"sequenceConcat": True}, core=count == 2)
        single(suite, f"concat-sequence-{count}-old", "concat", sequences, {"sequenceConcat": True}, mapping=OLD, core=count == 2)
    for count in (2, 4):
        for rank, shape in ((3, (4, 2, 3)), (4, (2, 4, 1, 3)), (5, (2, 1, 4, 2, 1))):
            single(suite, f"split-{count}-rank{rank}", "split", [normal(rng, shape)], {"nOutputs": count}, count, core=count == 2)
        single(suite, f"split-{count}-old", "split", [normal(rng, (4, 2, 3))], {"nOutputs": count}, count, mapping=OLD, core=count == 2)
        single(suite, f"split-{count}-old-batch", "split", [normal(rng, (2, 3, 4, 1, 2))], {"nOutputs": count}, count, mapping=OLD, core=count == 2)
        single(suite, f"split-{count}-old-vector", "split", [normal(rng, (8,))], {"nOutputs": count}, count, mapping=OLD)
    for count in (0, 1, 3):
        single(suite, f"sequenceRepeat-{count}", "sequenceRepeat", [normal(rng, (2, 2, 2, 1, 2))], {"nRepetitions": count}, core=True)
        single(suite, f"sequenceRepeat-{count}-old", "sequenceRepeat", [normal(rng, (2, 2, 2, 1, 2))], {"nRepetitions": count}, mapping=OLD, core=True)
        single(suite, f"sequenceRepeat-{count}-old-vector", "sequenceRepeat", [normal(rng, (4,))], {"nRepetitions": count}, mapping=OLD)
    for mode in ("SPACE_TO_DEPTH", "DEPTH_TO_SPACE", "PIXEL_SHUFFLE"):
        for block in (2, 3):
            c, h, w = (2, 2 * block, block) if mode == "SPACE_TO_DEPTH" else (2 * block * block, 1, 2)
            by_rank(suite, f"reorganizeData-{mode}-{block}", "reorganizeData", {"mode": mode, "blockSize": block}, ranks=(3, 4, 5),
                    shapes={3: (c, h, w), 4: (2, c, h, w), 5: (2, 1, c, h, w)}, core=block == 2)
            if mode != "PIXEL_SHUFFLE":
                single(suite, f"reorganizeData-{mode}-{block}-old", "reorganizeData", [normal(rng, (2, 2, c, h, w))], {"mode": mode, "blockSize": block},
                       mapping=OLD, core=block == 2)
                single(suite, f"reorganizeData-{mode}-{block}-old-map", "reorganizeData", [normal(rng, (c, h, w))], {"mode": mode, "blockSize": block},
                       mapping=OLD)


@cases
def slices(suite):
    rng = seeded("slices")
    for i, axis in enumerate(("CHANNEL_AXIS", "HEIGHT_AXIS", "WIDTH_AXIS")):
        for start, end, stride in ((1, 4, 1), (0, 5, 2), (1, -1, 2), (-4, -1, 1), (2, 5, 3)):
            label = f"slice-{axis[0]}-{start}_{end}_{stride}"
            params = {"axis": axis, "startIndex": start, "endIndex": end, "stride": stride}
            shape = [2, 2, 3]
            shape[i] = 5
            single(suite, label, "slice", [normal(rng, shape)], params)
            single(suite, label + "-old", "slice", [normal(rng, shape)], params, mapping=OLD, core=(start, stride) == (1, 2))
        params = {"axis": axis, "startIndex": 1, "endIndex": -1, "stride": 1}
        single(suite, f"slice-{axis[0]}-old-batch", "slice", [normal(rng, (2, 2, 3, 3, 3))], params, mapping=OLD)
        by_rank(suite, f"slice-{axis[0]}-ranks", "slice", params, ranks=tuple(range(3 - i, 6)),
                shapes={1: (5,), 2: (3, 4), 3: (3, 3, 4), 4: (2, 3, 3, 3), 5: (1, 2, 3, 3, 3)}, core=True)
    forms = {
        "plain": ((1, 0, 1), (3, 2, 4), (1, 1, 1), "", "", ""), "strides": ((0, 0, 1), (4, 3, 5), (2, 2, 3), "", "", ""),
        "negative": ((-3, -2, -4), (-1, 3, -1), (1, 1, 2), "", "", ""), "backwards": ((3, 2, 4), (0, -4, -6), (-1, -1, -2), "", "", ""),
        "masks": ((2, 1, 3), (1, 1, 2), (1, 1, 1), "0 2", "0 1", ""), "backwards-masks": ((1, 1, 1), (1, 1, 1), (-1, -2, 1), "0 1", "0 1 2", ""),
        "squeeze": ((1, 0, -2), (3, 2, 4), (1, 1, 1), "", "1", "0 2"), "comment": ((1, 2, 3), (3, -3, 2), (2, 2, 2), "0 2", "1 2", "1"),
        "squeeze-all": ((1, 2, 3), (2, 3, 4), (1, 1, 1), "", "", "0 1 2"),
    }
    x = normal(rng, (4, 3, 5))
    for label, (begin, end, strides, begin_mask, end_mask, squeeze) in forms.items():
        masks = [[str(i) in text for i in range(3)] for text in (begin_mask, end_mask, squeeze)]
        params = {"beginIds": begin, "endIds": end, "strides": strides, "beginMasks": masks[0], "endMasks": masks[1], "squeezeMasks": masks[2]}
        single(suite, f"sliceStatic-{label}", "sliceStatic", [x], params, core=True)
        given = [np.array(v, np.float32) for v in (begin, end, strides, *masks)]
        names = ("endIds", "strides", "beginMasks", "endMasks", "squeezeMasks")
        for count in (1, 2, 3, 4, 5, 6):
            fields = {n: params[n] for n in names[count - 1:]}
            if label not in ("masks", "squeeze", "backwards") and count not in (1, 6):
                continue
            single(suite, f"sliceDynamic-{label}-{count + 1}", "sliceDynamic", [x] + given[:count], fields, constant=("x6",), core=count in (1, 6) and label in ("masks", "squeeze"))
    for rank, shape in shapes_of_ranks().items():
        params = {"beginIds": [0] * rank, "endIds": [-1] * rank, "strides": [1] * rank, "beginMasks": [False] * rank,
                  "endMasks": [e == 1 for e in shape], "squeezeMasks": [False] * rank}
        single(suite, f"sliceStatic-rank{rank}", "sliceStatic", [normal(rng, shape)], params)
    for axis, size, begin in ((0, 2, 1), (1, 2, 0), (2, 3, 2), (-1, 2, 1)):
        single(suite, f"sliceBySize-{axis}-{size}", "sliceBySize", [x, np.array([begin], np.float32)], {"size": size, "axis": axis}, core=True)
    single(suite, "sliceBySize-rank1", "sliceBySize", [normal(rng, (6,)), np.array([2], np.float32)], {"size": 3, "axis": 0})
    single(suite, "sliceBySize-rank5", "sliceBySize", [normal(rng, (1, 2, 3, 2, 2)), np.array([1], np.float32)], {"size": 2, "axis": 2})


@cases
def reshaping(suite):
    rng = seeded("reshaping")
    x = normal(rng, (2, 3, 4))
    for target in ((24,), (4, 6), (2, -1, 2), (-1,), (1, 2, 3, 2, 2)):
        label = "_".join(map(str, target))
        single(suite, f"reshapeStatic-{label}", "reshapeStatic", [x], {"targetShape": target}, core=len(target) != 3)
        single(suite, f"reshapeDynamic-{label}", "reshapeDynamic", [x, np.array(target, np.float32)], core=len(target) == 2)
        single(suite, f"reshapeLike-{label}", "reshapeLike", [x, np.zeros(x.reshape(target).shape, np.float32)], core=len(target) in (1, 5))
    for shape, target in (((20,), (-1,)), ((6, 4), (3, -1)), ((4, 3, 2), (0, 2, 3)), ((4, 3, 2), (8, 0, -1)), ((1, 2, 3, 4, 1), (0, 0, -1, 2, 2))):
        single(suite, f"rankPreservingReshape-{len(shape)}-{'_'.join(map(str, target))}", "rankPreservingReshape", [normal(rng, shape)],
               {"targetShape": target}, core=True)
    for axis in (-3, -2, -1, 0, 1, 2):
        single(suite, f"flattenTo2D-{axis}", "flattenTo2D", [x], {"axis": axis}, core=True)
    by_rank(suite, "flattenTo2D-ranks", "flattenTo2D", {"axis": -1}, core=True)
    for shape, axes in (((4,), (0,)), ((4,), (1, 2)), ((3, 2), (0, 1)), ((3, 2), (0, 2)), ((3, 2), (-2, -1)), ((3, 2), (0, 2, 4)), ((2, 3, 2), (-4,))):
        single(suite, f"expandDims-{len(shape)}-{'_'.join(map(str, axes))}", "expandDims", [normal(rng, shape)], {"axes": axes}, core=len(axes) != 1)
    for shape, axes in (((1,), (0,)), ((1, 4), (0,)), ((1, 1, 3, 2), (0, 1)), ((1, 3, 2, 1), (0, 3)), ((3, 2, 1, 1), (-2, -1)), ((2, 1, 3), (-2,)), ((1, 1), (0, 1))):
        single(suite, f"squeeze-{len(shape)}-{'_'.join(map(str, axes))}", "squeeze", [normal(rng, shape)], {"axes": axes}, core=True)
    for shape in ((1, 3, 1, 2), (1, 1, 1), (2, 3)):
        single(suite, f"squeeze-all-{'_'.join(map(str, shape))}", "squeeze", [normal(rng, shape)], {"squeezeAll": True}, core=True)
    for shape, target in (((3,), (2, 3)), ((2, 1), (2, 4)), ((1,), (1, 2, 3, 2, 2)), ((2, 1, 3, 1), (2, 2, 3, 4))):
        label = "_".join(map(str, target))
        y = normal(rng, shape)
        single(suite, f"broadcastToStatic-{label}", "broadcastToStatic", [y], {"targetShape": target}, core=True)
        single(suite, f"broadcastToDynamic-{label}", "broadcastToDynamic", [y, np.array(target, np.float32)], core=len(target) == 5)
        single(suite, f"broadcastToLike-{label}", "broadcastToLike", [y, np.zeros(target, np.float32)], core=len(target) == 5)
    for axes in ((1, 0), (2, 0, 1), (3, 1, 2, 0), (0, 2, 1, 3), (4, 2, 0, 1, 3)):
        single(suite, f"transpose-{''.join(map(str, axes))}", "transpose", [normal(rng, (2, 3, 4, 2, 2)[:len(axes)])], {"axes": axes}, core=True)
    for axis in (-4, -1, 0, 1, 2, 3):
        single(suite, f"stack-{axis}", "stack", [normal(rng, (2, 3, 2)) for _ in range(3)], {"axis": axis}, core=axis in (-1, 1))
    by_rank(suite, "stack-ranks", "stack", {"axis": 0}, ranks=(1, 2, 3, 4), count=2)
    for shape, reps in (((3,), (2,)), ((2, 4, 2), (1, 2, 3)), ((2, 4, 2), (3,)), ((2, 3), (2, 1)), ((1, 2, 1, 2, 1), (2, 1, 3, 1, 2))):
        label = f"{len(shape)}-{'_'.join(map(str, reps))}"
        single(suite, f"tile-{label}", "tile", [normal(rng, shape)], {"reps": reps}, core=True)
        if len(shape) == len(reps):
            single(suite, f"tile-input-{label}", "tile", [normal(rng, shape), np.array(reps, np.float32)], core=len(shape) == 3)
    for axis in (0, 1, 2, -1):
        for interleave in (False, True):
            if interleave:
                arrays = [normal(rng, (2, 3, 2)) for _ in range(3)]
            else:
                arrays = []
                for extent in (1, 3, 2):
                    shape = [2, 3, 2]
                    shape[axis] = extent
                    arrays.append(normal(rng, shape))
            single(suite, f"concatND-{axis}-{'interleave' if interleave else 'plain'}", "concatND", arrays, {"axis": axis, "interleave": interleave},
                   core=axis in (1, -1))
    by_rank(suite, "concatND-ranks", "concatND", {"axis": -1}, count=2)
    for axis in (0, -1, 2):
        for label, fields in (("even", {"numSplits": 2}), ("sizes", {"splitSizes": (1, 3)}), ("sizes-rule", {"splitSizes": (3, 1), "numSplits": 2})):
            single(suite, f"splitND-{axis}-{label}", "splitND", [normal(rng, (4, 4, 4))], {"axis": axis, **fields}, 2, core=axis != 0)
    single(suite, "splitND-uneven", "splitND", [normal(rng, (8,))], {"axis": 0, "numSplits": 3}, 3, notes="8 into 3: 3, 3 and 2, as coremltools' test expects")
    for rank, shape in shapes_of_ranks().items():
        flags = [bool(rng.integers(0, 2)) for _ in range(rank)]
        flags[-1] = True
        single(suite, f"reverse-rank{rank}", "reverse", [normal(rng, shape)], {"reverseDim": flags}, core=True)
    single(suite, "reverse-none", "reverse", [x], {"reverseDim": [False] * 3})
    for shape, batch, sequence, lengths in (((2, 4), 0, 1, (3, 0)), ((2, 3, 2), 0, 1, (2, 3)), ((2, 3, 4), 1, 2, (4, 1, 2)), ((3, 2, 4, 2), 0, 2, (0, 4, 3)),
                                            ((2, 2, 3, 1, 4), 2, 4, (1, 4, 2)), ((2, 3, 4), 0, -1, (2, 4))):
        single(suite, f"reverseSeq-{len(shape)}-{batch}_{sequence}", "reverseSeq", [normal(rng, shape), np.array(lengths, np.float32)],
               {"batchAxis": batch, "sequenceAxis": sequence}, core=True)
    for shape, axis, size, step in (((7,), 0, 3, 2), ((2, 6, 2), 1, 2, 1), ((2, 6, 2), -2, 4, 2), ((1, 2, 5, 2), 2, 3, 2), ((4, 3), 0, 4, 1)):
        single(suite, f"slidingWindows-{len(shape)}-{axis}-{size}-{step}", "slidingWindows", [normal(rng, shape)],
               {"axis": axis, "windowSize": size, "step": step}, core=True)


@cases
def allocation(suite):
    rng = seeded("allocation")
    for shape in ((2, 3, 4), (3, 1, 1), (1, 2, 1)):
        label = "_".join(map(str, shape))
        params = {"shape": shape, "data": Weights(normal(rng, shape))}
        single(suite, f"loadConstant-{label}-old", "loadConstant", [], params, mapping=OLD, core=True)
        single(suite, f"loadConstant-{label}", "loadConstant", [], params, core=shape == (2, 3, 4), notes="the output has rank 5")
    for rank, shape in shapes_of_ranks().items():
        single(suite, f"loadConstantND-{rank}", "loadConstantND", [], {"shape": shape, "data": Weights(normal(rng, shape))}, core=rank in (1, 4))
        given = {"zero": np.zeros(1, np.float32), "shape": np.array(shape, np.float32), "like": normal(rng, shape)}
        families = {"fill": ("Static", "Dynamic", "Like"), "randomNormal": ("Static", "Dynamic", "Like"),
                    "randomUniform": ("Static", "Dynamic", "Like"), "randomBernoulli": ("Static", "Dynamic", "Like")}
        fields = {"fill": {"value": -2.5}, "randomNormal": {"seed": 3, "mean": 1.25, "stdDev": 0}, "randomUniform": {"seed": 4, "minVal": 0.75, "maxVal": 0.75},
                  "randomBernoulli": {"seed": 5, "prob": 1.0 if rank % 2 else 0.0}}
        for family, forms in families.items():
            net = Net(EXACT).array("zero", (1,)).array("shape", (rank,)).array("like", shape)
            for form in forms:
                source = {"Static": [], "Dynamic": ["shape"], "Like": ["like"]}[form]
                key = "targetShape" if family == "fill" else "outputShape"
                net.layer(family + form, source, [form], fields[family] | ({key: shape} if form == "Static" else {}))
                net.layer("addBroadcastable", [form, "zero"], ["y" + form]).output("y" + form)
            suite.save(f"{family}-rank{rank}", net, given, core=True,
                       notes="" if family == "fill" else "a degenerate distribution: the result is certain")
    # The probability of one class is 1: every sample is that class.
    logits = np.full((2, 3), -200, np.float32)
    logits[0, 1] = logits[1, 2] = 200
    chances = (logits > 0).astype(np.float32)
    for label, x, fields in (("logits", logits, {"isLogits": True}), ("probabilities", chances, {}), ("temperature", logits, {"isLogits": True, "temperature": 0.5}),
                             ("rank1", logits[0], {"isLogits": True}), ("rank3", np.stack([logits, logits[::-1]]), {"isLogits": True})):
        single(suite, f"categoricalDistribution-{label}", "categoricalDistribution", [x], {"seed": 2, "numSamples": 5, "eps": 1e-10, **fields}, core=True)
    for start, end, step in ((0, 6, 1), (-10.5, 23, 12.25), (5, 8, 2), (5, 8, 98), (10, 5, -0.75), (24, -65, -20), (0, 1, 0.25)):
        label = f"{start}_{end}_{step}"
        net = Net(EXACT).array("x", (1,)).layer("rangeStatic", [], ["r"], {"startValue": start, "endValue": end, "stepSizeValue": step})
        suite.save(f"rangeStatic-{label}", net.layer("addBroadcastable", ["r", "x"], ["y"]).output("y"), {"x": np.zeros(1)}, core=step in (2, -20))
        given = [np.array([v], np.float32) for v in (end, start, step)]
        for count in (1, 2, 3):
            fields = {k: v for k, v in (("startValue", start), ("stepSizeValue", step)) if (k == "startValue" and count < 2) or (k == "stepSizeValue" and count < 3)}
            single(suite, f"rangeDynamic-{label}-{count}", "rangeDynamic", given[:count], fields, core=step in (2, -20) and count != 2)


@cases
def resizing(suite):
    rng = seeded("resizing")
    shapes = {3: (2, 3, 4), 4: (2, 1, 3, 4), 5: (2, 1, 2, 3, 2)}
    for factor in ((2, 2), (1, 3), (3, 1)):
        label = "_".join(map(str, factor))
        by_rank(suite, f"upsample-nearest-{label}", "upsample", {"scalingFactor": factor, "mode": "NN"}, ranks=(3, 4, 5), shapes=shapes, core=factor == (1, 3))
        single(suite, f"upsample-nearest-{label}-old", "upsample", [normal(rng, (2, 3, 4))], {"scalingFactor": factor, "mode": "NN"}, mapping=OLD, core=factor == (2, 2))
        for mode in ("DEFAULT", "ALIGN_CORNERS_TRUE", "ALIGN_CORNERS_FALSE"):
            params = {"scalingFactor": factor, "mode": "BILINEAR", "linearUpsampleMode": mode}
            by_rank(suite, f"upsample-bilinear-{mode}-{label}", "upsample", params, ranks=(3, 4, 5), shapes=shapes, core=factor == (2, 2))
            if mode == "DEFAULT":
                single(suite, f"upsample-bilinear-{label}-old", "upsample", [normal(rng, (2, 2, 1, 3, 4))], params, mapping=OLD, core=factor == (2, 2))
    for factor in ((1.5, 2.5), (0.5, 1.5), (2.0, 0.5)):
        for mode in ("ALIGN_CORNERS_TRUE", "ALIGN_CORNERS_FALSE"):
            params = {"fractionalScalingFactor": factor, "mode": "BILINEAR", "linearUpsampleMode": mode}
            single(suite, f"upsample-fraction-{mode}-{factor[0]}_{factor[1]}", "upsample", [normal(rng, (1, 2, 4, 4))], params, version=5, core=factor[0] == 1.5)
        single(suite, f"upsample-fraction-nearest-{factor[0]}_{factor[1]}", "upsample", [normal(rng, (1, 2, 4, 4))],
               {"fractionalScalingFactor": factor, "mode": "NN"}, version=5)
    single(suite, "upsample-default-factor", "upsample", [normal(rng, (2, 3, 4))], {"mode": "NN"}, notes="a factor of 1 when not set")
    single(suite, "upsample-one-pixel", "upsample", [normal(rng, (2, 1, 1))], {"scalingFactor": (3, 2), "mode": "BILINEAR"})
    modes = ("STRICT_ALIGN_ENDPOINTS_MODE", "ALIGN_ENDPOINTS_MODE", "UPSAMPLE_MODE", "ROI_ALIGN_MODE")
    for mode in modes:
        for target in ((6, 7), (2, 3), (1, 1), (3, 4)):
            label = f"{mode}-{target[0]}x{target[1]}"
            params = {"targetSize": target, "mode": {"samplingMethod": mode}}
            by_rank(suite, f"resizeBilinear-{label}", "resizeBilinear", params, ranks=(3, 4, 5), shapes=shapes, core=target in ((6, 7), (1, 1)))
            single(suite, f"resizeBilinear-{label}-old", "resizeBilinear", [normal(rng, (2, 2, 1, 3, 4))], params, mapping=OLD, core=target == (2, 3), version=3)
    single(suite, "resizeBilinear-defaults", "resizeBilinear", [normal(rng, (2, 3, 4))], {}, notes="1 x 1 when not set")
    single(suite, "resizeBilinear-from-one", "resizeBilinear", [normal(rng, (2, 1, 1))], {"targetSize": (3, 2), "mode": {"samplingMethod": "UPSAMPLE_MODE"}})
    x = normal(rng, (1, 2, 2, 5, 6))
    corners = np.array([[0.5, 1, 3, 4], [0, 0, 4, 4], [1.25, 0.5, 2.5, 3]], np.float32)
    for box in ("CORNERS_HEIGHT_FIRST", "CORNERS_WIDTH_FIRST", "CENTER_SIZE_HEIGHT_FIRST", "CENTER_SIZE_WIDTH_FIRST"):
        for mode in modes[:2]:
            for normalised in (False, True):
                for width in (4, 5):
                    boxes = corners.copy()
                    if "CENTER" in box:
                        boxes = np.concatenate([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], 1)
                    if normalised:
                        boxes = boxes / 8
                    if width == 5:
                        boxes = np.concatenate([np.array([[1], [0], [1]], np.float32), boxes], 1)
                    params = {"targetSize": (3, 2), "normalizedCoordinates": normalised, "mode": {"samplingMethod": mode},
                              "boxIndicesMode": {"boxMode": box}, "spatialScale": 1.0}
                    name = f"cropResize-{box}-{mode.split('_')[0]}-{'unit' if normalised else 'pixels'}-{width}"
                    rois = boxes.astype(np.float32).reshape(3, 1, width, 1, 1)
                    single(suite, name, "cropResize", [x, rois], params, core=mode == modes[0] and normalised == (width == 5))
                    single(suite, name + "-old", "cropResize", {"x0": x, "x1": rois}, params, mapping=OLD, declared={"x1": (width, 1, 1)}, version=3,
                           core=box == "CORNERS_WIDTH_FIRST" and mode == modes[1] and width == 4 and normalised)
    for mode in modes:
        params = {"targetSize": (4, 3), "mode": {"samplingMethod": mode}, "spatialScale": 0.5, "boxIndicesMode": {"boxMode": "CORNERS_HEIGHT_FIRST"}}
        boxes = np.array([[1, 1, 7, 8], [2, 0, 5, 6]], np.float32).reshape(2, 1, 4, 1, 1)
        single(suite, f"cropResize-scale-{mode}", "cropResize", [x, boxes], params, core=mode != "UPSAMPLE_MODE",
               notes="the boxes are multiplied by spatialScale")
