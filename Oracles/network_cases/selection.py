"""Gather and scatter, order, reductions, masks and box suppression."""

import numpy as np

from .building import OLD, by_rank, cases, normal, seeded, shapes_of_ranks, single


def indices(rng, shape, extent, negative=True):
    return rng.integers(-extent if negative else 0, extent, shape).astype(np.float32)


@cases
def gather(suite):
    rng = seeded("gather")
    for shape, where, axis in (((5,), (3,), 0), ((2, 3), (2, 2), 0), ((2, 3, 2), (4,), 1), ((2, 3, 2), (2, 2), -1), ((2, 2, 3, 2), (3,), -2), ((4, 2), (1,), 0)):
        single(suite, f"gather-{len(shape)}-{len(where)}-{axis}", "gather", [normal(rng, shape), indices(rng, where, shape[axis])], {"axis": axis}, core=True)
    for shape, where in (((4,), (3, 1)), ((3, 4), (2, 2)), ((3, 4), (2, 1)), ((2, 3, 2), (2, 2, 2)), ((2, 3, 2, 2), (3, 3)), ((2, 2, 2, 2, 2), (2, 5))):
        points = np.stack([rng.integers(0, shape[i], where[:-1]) for i in range(where[-1])], -1).astype(np.float32)
        single(suite, f"gatherND-{len(shape)}-{'_'.join(map(str, where))}", "gatherND", [normal(rng, shape), points], core=True)
    for shape, axis, extent in (((4,), 0, 6), ((3, 4), 0, 2), ((3, 4), -1, 5), ((2, 3, 2), 1, 4), ((2, 1, 3, 2), 2, 2), ((1, 2, 2, 3, 2), -2, 2)):
        where = list(shape)
        where[axis] = extent
        single(suite, f"gatherAlongAxis-{len(shape)}-{axis}", "gatherAlongAxis", [normal(rng, shape), indices(rng, where, shape[axis])], {"axis": axis}, core=True)


MODES = ("UPDATE", "ADD", "SUB", "MUL", "DIV", "MAX", "MIN")


def unique(rng, count, extent):
    """Different indices: the result of several updates of one element depends on their order."""
    return rng.permutation(extent)[:count].astype(np.float32)


@cases
def scatter(suite):
    for mode in MODES:
        rng = seeded(mode)
        field = {"mode": "SCATTER_" + mode}

        def values(shape):
            x = normal(rng, shape)
            return np.where(x >= 0, x + np.float32(0.5), x - np.float32(0.5)).astype(np.float32)

        for shape, axis in (((5,), 0), ((4, 3), 0), ((2, 5), 1), ((2, 4, 2), -2)):
            where = unique(rng, 3, shape[axis])
            updates = list(shape)
            updates[axis] = 3
            single(suite, f"scatter-{mode}-{len(shape)}-{axis}", "scatter", [values(shape), where, values(updates)], {"axis": axis, **field}, core=len(shape) != 3)
            along = np.broadcast_to(where.reshape([-1 if i == axis % len(shape) else 1 for i in range(len(shape))]), updates)
            single(suite, f"scatterAlongAxis-{mode}-{len(shape)}-{axis}", "scatterAlongAxis", [values(shape), along, values(updates)],
                   {"axis": axis, **field}, core=axis in (1, -2))
        for shape, width in (((6,), 1), ((3, 4), 2), ((4, 3), 1), ((2, 3, 2), 2)):
            total = int(np.prod(shape[:width]))
            points = np.stack(np.unravel_index(unique(rng, 2, total).astype(int), shape[:width]), -1).astype(np.float32)
            single(suite, f"scatterND-{mode}-{len(shape)}-{width}", "scatterND", [values(shape), points, values((2,) + shape[width:])], field, core=len(shape) == 2)
    rng = seeded("scatter repeats")
    where = np.array([1, 1, 3, 1], np.float32)
    for mode in ("ADD", "MUL", "MAX"):
        single(suite, f"scatter-{mode}-repeated", "scatter", [normal(rng, (5, 2)), where, normal(rng, (4, 2))], {"axis": 0, "mode": "SCATTER_" + mode}, core=mode == "ADD")
        single(suite, f"scatterND-{mode}-repeated", "scatterND", [normal(rng, (5, 2)), where[:, None], normal(rng, (4, 2))], {"mode": "SCATTER_" + mode})
    single(suite, "scatter-negative-indices", "scatter", [normal(rng, (5,)), np.array([-1, -4], np.float32), normal(rng, (2,))], {"axis": 0})
    single(suite, "scatter-indices-rank2", "scatter", [normal(rng, (6, 2)), np.array([[0, 5], [2, 3]], np.float32), normal(rng, (2, 2, 2))], {"axis": 0})


def distinct(rng, shape):
    """Values without ties."""
    return (rng.permutation(int(np.prod(shape))).reshape(shape) / 8 - 1).astype(np.float32)


@cases
def order(suite):
    for rank, shape in shapes_of_ranks().items():
        rng = seeded(f"order{rank}")
        x = distinct(rng, shape)
        axis = rank // 2
        for bottom in (False, True):
            k = min(2, shape[axis])
            single(suite, f"topK-{rank}-{'bottom' if bottom else 'top'}", "topK", [x], {"axis": axis, "K": k, "useBottomK": bottom}, 2, core=True)
            single(suite, f"topK-input-{rank}-{'bottom' if bottom else 'top'}", "topK", [x, np.array([k], np.float32)],
                   {"axis": axis - rank, "K": 1, "useBottomK": bottom}, 2, core=rank == 3)
            single(suite, f"argSort-{rank}-{'down' if bottom else 'up'}", "argSort", [x], {"axis": axis, "descending": bottom}, core=True)
        for kind in ("argMax", "argMin"):
            for remove in (False, True):
                single(suite, f"{kind}-{rank}-{'removed' if remove else 'kept'}", kind, [x], {"axis": axis - rank, "removeDim": remove}, core=True)
        for exclude in (False, True):
            for reverse in (False, True):
                params = {"axis": axis, "excludeFinalSum": exclude, "reverse": reverse}
                label = f"{rank}{'-exclude' if exclude else ''}{'-reverse' if reverse else ''}"
                single(suite, f"cumSum-{label}", "cumSum", [x], params, core=rank in (1, 3))
                single(suite, f"cumSum-input-{label}", "cumSum", [x, np.array([axis], np.float32)], params | {"axis": 0}, core=rank == 3 and exclude)
        if rank < 5:
            for axis in (-1, 0, rank):
                ids = rng.integers(-1, 5, shape).astype(np.float32)
                params = {"oneHotVectorSize": 4, "axis": axis, "onValue": 5, "offValue": -1}
                single(suite, f"oneHot-{rank}-{axis}", "oneHot", [ids], params, core=True)
                single(suite, f"oneHot-input-{rank}-{axis}", "oneHot", [ids, np.array([3], np.float32)], params, core=rank == 2 and axis == 0)
    single(suite, "oneHot-values", "oneHot", [np.array([2, 0], np.float32)], {"oneHotVectorSize": 4, "axis": -1, "onValue": 1})
    single(suite, "cumSum-negative-axis", "cumSum", [normal(seeded("c"), (2, 3))], {"axis": -2})
    single(suite, "argMax-ties", "argMax", [np.array([[1, 3, 3], [2, 2, 0]], np.float32)], {"axis": 1}, notes="the first of equal values")


REDUCTIONS = {"reduceL1": (-2, 2), "reduceL2": (-2, 2), "reduceMax": (-2, 2), "reduceMin": (-2, 2), "reduceSum": (-2, 2), "reduceProd": (0.5, 1.5),
              "reduceMean": (-2, 2), "reduceLogSum": (0.25, 2), "reduceSumSquare": (-2, 2), "reduceLogSumExp": (-2, 2)}


@cases
def reductions(suite):
    for kind, (low, high) in REDUCTIONS.items():
        def make(rng, shape):
            return normal(rng, shape, low, high)

        for keep in (False, True):
            label = "kept" if keep else "removed"
            by_rank(suite, f"{kind}-all-{label}", kind, {"reduceAll": True, "keepDims": keep}, make=make, core=True,
                    notes="a full reduction without kept axes gives [1]")
            by_rank(suite, f"{kind}-last-{label}", kind, {"axes": (-1,), "keepDims": keep}, make=make, core=keep)
            by_rank(suite, f"{kind}-first-{label}", kind, {"axes": (0,), "keepDims": keep}, make=make)
            by_rank(suite, f"{kind}-two-{label}", kind, lambda rank, shape: {"axes": (-2, rank - 1), "keepDims": keep}, ranks=(2, 3, 4, 5), make=make, core=not keep)
            by_rank(suite, f"{kind}-outer-{label}", kind, lambda rank, shape: {"axes": (0, -1), "keepDims": keep}, ranks=(3, 4, 5), make=make)
    ranges = {"PROD": (0.5, 1.5), "LOGSUM": (0.25, 2)}
    for mode in ("SUM", "AVG", "PROD", "LOGSUM", "SUMSQUARE", "L1", "L2", "MAX", "MIN", "ARGMAX"):
        low, high = ranges.get(mode, (-2, 2))
        for axis in ("CHW", "HW", "C", "H", "W"):
            if mode == "ARGMAX" and axis in ("CHW", "HW"):
                continue
            ranks = {"CHW": (3, 4, 5), "HW": (2, 3, 4, 5), "C": (3, 4, 5), "H": (2, 3, 4, 5), "W": (1, 2, 3, 4, 5)}[axis]

            def make(rng, shape):
                return distinct(rng, shape) if mode == "ARGMAX" else normal(rng, shape, low, high)

            params = {"mode": mode, "axis": axis}
            by_rank(suite, f"reduce-{mode}-{axis}", "reduce", params, ranks=ranks, make=make, core=axis in ("HW", "C"))
            rng = seeded(mode + axis)
            single(suite, f"reduce-{mode}-{axis}-old", "reduce", [make(rng, (3, 2, 4))], params, mapping=OLD, core=axis == "CHW" or mode == "ARGMAX" and axis == "C")
            single(suite, f"reduce-{mode}-{axis}-old-batch", "reduce", [make(rng, (2, 2, 3, 2, 2))], params, mapping=OLD)
    single(suite, "reduce-LOGSUM-epsilon", "reduce", [np.array([0, 1, 2], np.float32)], {"mode": "LOGSUM", "axis": "W", "epsilon": 0.5})
    single(suite, "reduce-LOGSUM-default-epsilon", "reduce", [np.array([0, 1, 2], np.float32)], {"mode": "LOGSUM", "axis": "W"}, rtol=1e-4,
           notes="an epsilon of 0 means 1e-6", core=True)


@cases
def masks(suite):
    for rank, shape in shapes_of_ranks().items():
        rng = seeded(f"mask{rank}")
        x = normal(rng, shape)
        x[rng.random(shape) < 0.4] = 0
        x.reshape(-1)[0] = 1
        single(suite, f"whereNonZero-{rank}", "whereNonZero", [x], core=True)
        condition = (rng.random(shape) < 0.5).astype(np.float32)
        single(suite, f"whereBroadcastable-{rank}", "whereBroadcastable", [condition, normal(rng, shape), normal(rng, shape[-1:])], core=True)
        if rank == 1:
            continue
        by = normal(rng, shape[:-2] + (3, 4))
        for lower, upper in ((0, 0), (1, 0), (0, 2), (-1, 1), (1, -1), (-1, -1)):
            single(suite, f"matrixBandPart-{rank}-{lower}_{upper}", "matrixBandPart", [by], {"numLower": lower, "numUpper": upper}, core=(lower, upper) in ((1, 0), (-1, 1)))
        for kind in ("lowerTriangular", "upperTriangular"):
            for k in (0, 1, -1, 2):
                single(suite, f"{kind}-{rank}-{k}", kind, [by], {"k": k}, core=k in (1, -1))
    rng = seeded("where")
    single(suite, "whereBroadcastable-shapes", "whereBroadcastable", [np.array([[1], [0], [2]], np.float32), normal(rng, (2, 1, 4)), normal(rng, (1,))], core=True)


@cases
def suppression(suite):
    rng = seeded("boxes")
    for batch in (1, 2):
        for classes in (1, 3):
            for per_class in (False, True):
                count = 8
                boxes = np.concatenate([rng.uniform(0, 4, (batch, count, 2)), rng.uniform(1, 4, (batch, count, 2))], -1).astype(np.float32)
                scores = (rng.permutation(batch * count * classes).reshape(batch, count, classes) / (batch * count * classes + 1) + 0.01).astype(np.float32)
                for limit in (3, 10):
                    params = {"iouThreshold": 0.3, "scoreThreshold": 0.25, "maxBoxes": limit, "perClassSuppression": per_class}
                    name = f"nms-b{batch}-c{classes}-{'per' if per_class else 'all'}-{limit}"
                    single(suite, name, "NonMaximumSuppression", [boxes, scores], params, 4, core=batch == 2 or classes == 1)
                    if limit == 10:
                        continue
                    for inputs, given in ((3, [0.6]), (4, [0.6, 0.4]), (5, [0.6, 0.4, 5])):
                        arrays = [boxes, scores] + [np.array([v], np.float32) for v in given]
                        single(suite, f"{name}-inputs{inputs}", "NonMaximumSuppression", arrays, params, 4, core=inputs == 5 and batch == 1 and per_class)
    single(suite, "nms-none-survives", "NonMaximumSuppression", [boxes, scores], {"iouThreshold": 0.5, "scoreThreshold": 2, "maxBoxes": 4}, 4, core=True,
           notes="all scores below the threshold: the best box is given")
