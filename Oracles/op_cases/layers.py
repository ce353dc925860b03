"""Variants of network layers: convolution, pooling, normalisation, resampling."""

import torch

from .recording import Call
from .elementwise import label
from .values import BF16, F16, F32, F64, FLOATS, I64


def layers(find, values_for):
    """Yields (operator, label, call)."""

    def of(name):
        operator = f"aten::{name}"
        return operator, find(operator), values_for(operator)

    for table in (convolutions, pools, norms, resampling):
        for operator, cases in table(of):
            yield from ((operator, l, c) for l, c in cases)


def convolutions(of):
    o, f, v = of("convolution.out")

    def conv(
        text,
        x,
        w,
        bias=True,
        stride=(1, 1),
        padding=(0, 0),
        dilation=(1, 1),
        transposed=False,
        output_padding=None,
        groups=1,
        dtype=F32,
        constant=False,
        channels_last=False,
    ):
        rank = len(x) - 2
        outputs = w[1] * groups if transposed else w[0]
        return text, Call(
            f,
            v(*x, dtype=dtype, channels_last=channels_last),
            v(*w, dtype=dtype),
            v(outputs, dtype=dtype) if bias else None,
            list(stride)[:rank],
            list(padding)[:rank],
            list(dilation)[:rank],
            transposed,
            list(output_padding or [0] * rank)[:rank],
            groups,
            constants=([1, 2] if bias else [1]) if constant else [],
        )

    cases = [conv(label(d), (1, 3, 6, 7), (4, 3, 3, 3), dtype=d) for d in FLOATS]
    cases += [
        conv("no bias", (1, 3, 6, 7), (4, 3, 3, 3), bias=False),
        conv("padding", (2, 3, 6, 7), (4, 3, 3, 3), padding=(1, 2)),
        conv("stride", (1, 3, 9, 8), (4, 3, 3, 3), stride=(2, 3)),
        conv("dilation", (1, 3, 9, 9), (4, 3, 3, 3), dilation=(2, 3)),
        conv("stride, padding, dilation", (1, 2, 9, 8), (3, 2, 3, 2), stride=(2, 1), padding=(2, 1), dilation=(1, 2)),
        conv("groups", (1, 4, 6, 6), (6, 2, 3, 3), groups=2),
        conv("depthwise", (1, 5, 7, 7), (5, 1, 3, 3), padding=(1, 1), groups=5),
        conv("depthwise stride 2", (1, 9, 8, 8), (9, 1, 3, 3), stride=(2, 2), padding=(1, 1), groups=9),
        conv("depthwise 5 x 5", (1, 17, 9, 9), (17, 1, 5, 5), padding=(2, 2), groups=17),
        conv("depthwise multiplier 2", (1, 3, 6, 6), (6, 1, 3, 3), groups=3),
        conv("1 x 1", (1, 8, 5, 5), (16, 8, 1, 1)),
        conv("1 x 1 stride 2", (1, 8, 5, 5), (4, 8, 1, 1), stride=(2, 2)),
        conv("constant weights", (1, 16, 10, 10), (20, 16, 3, 3), padding=(1, 1), constant=True),
        conv("constant 1 x 1", (1, 24, 7, 7), (33, 24, 1, 1), constant=True),
        conv("constant depthwise", (1, 20, 9, 9), (20, 1, 3, 3), padding=(1, 1), groups=20, constant=True),
        conv("7 x 7 stride 2", (1, 3, 15, 15), (8, 3, 7, 7), stride=(2, 2), padding=(3, 3)),
        conv("kernel as large as the input", (1, 3, 4, 5), (2, 3, 4, 5)),
        conv("batch of 3", (3, 2, 5, 5), (2, 2, 2, 2)),
        conv("1-d", (2, 3, 9), (4, 3, 3)),
        conv("1-d stride, padding, dilation", (1, 3, 12), (4, 3, 3), stride=(2,), padding=(2,), dilation=(2,)),
        conv("1-d depthwise", (1, 4, 9), (4, 1, 4), groups=4, padding=(3,)),
        conv("channels_last", (1, 3, 6, 7), (4, 3, 3, 3), channels_last=True),
        conv("transposed", (1, 3, 4, 5), (3, 4, 3, 3), transposed=True),
        conv("transposed stride 2", (1, 3, 4, 5), (3, 4, 2, 2), stride=(2, 2), transposed=True),
        conv(
            "transposed stride, padding, output padding",
            (1, 3, 4, 5),
            (3, 4, 3, 3),
            stride=(2, 3),
            padding=(1, 1),
            output_padding=(1, 2),
            transposed=True,
        ),
        conv("transposed groups", (1, 4, 4, 4), (4, 3, 3, 3), groups=2, transposed=True),
        conv("transposed dilation", (1, 2, 4, 4), (2, 3, 3, 2), dilation=(2, 1), transposed=True),
        conv("transposed 1-d", (1, 3, 6), (3, 2, 4), stride=(2,), padding=(1,), transposed=True),
        conv(
            "transposed constant, no bias",
            (1, 8, 5, 5),
            (8, 6, 4, 4),
            stride=(2, 2),
            padding=(1, 1),
            bias=False,
            transposed=True,
            constant=True,
        ),
        conv("transposed depthwise", (1, 4, 4, 4), (4, 1, 2, 2), stride=(2, 2), groups=4, transposed=True),
    ]
    w, b = v(4, 3, 3, 3), v(4)
    cases += [
        ("dynamic", Call(f, steps=[[v(1, 3, n, n + 1), w, b, [1, 1], [1, 1], [1, 1], False, [0, 0], 1] for n in (6, 4)], constants=[1, 2])),
        (
            "dynamic batch",
            Call(f, steps=[[v(n, 3, 5, 5), w, b, [2, 2], [1, 1], [1, 1], False, [0, 0], 1] for n in (3, 2)], constants=[1, 2]),
        ),
    ]
    yield o, cases
    o, f, v = of("convolution_backward.out")
    yield o, [
        (
            "stride 1",
            Call(f, v(1, 4, 4, 5), v(1, 3, 6, 7), v(4, 3, 3, 3), [4], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True]),
        ),
        (
            "stride, padding",
            Call(f, v(1, 4, 4, 4), v(1, 3, 7, 7), v(4, 3, 3, 3), [4], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True]),
        ),
        ("groups", Call(f, v(2, 4, 4, 4), v(2, 2, 6, 6), v(4, 1, 3, 3), [4], [1, 1], [0, 0], [1, 1], False, [0, 0], 2, [True, True, True])),
    ]


def pools(of):
    windows = [([2, 2], [2, 2], [0, 0]), ([3, 3], [2, 2], [1, 1]), ([3, 2], [1, 3], [1, 0]), ([5, 5], [5, 5], [0, 0])]
    o, f, v = of("avg_pool2d.out")
    yield o, [(label(d), Call(f, v(1, 2, 6, 7, dtype=d), [2, 2])) for d in FLOATS] + [
        (f"window {k} stride {s} padding {p} ceiling {c} counting padding {i} divisor {n}", Call(f, v(1, 2, 7, 8), k, s, p, c, i, n))
        for k, s, p in windows
        for c, i, n in ((False, True, None), (True, True, None), (True, False, None), (False, False, 3))
    ] + [
        ("no batch", Call(f, v(2, 6, 6), [3, 3], [1, 1])),
        ("i64", Call(f, v(1, 2, 4, 4, dtype=I64), [2, 2])),
        ("channels_last", Call(f, v(1, 3, 6, 6, channels_last=True), [2, 2])),
        ("dynamic", Call(f, steps=[[v(1, 2, n, n), [2, 2], [2, 2]] for n in (6, 4)])),
    ]
    o, f, v = of("max_pool2d_with_indices.out")
    yield o, [(label(d), Call(f, v(1, 2, 6, 7, dtype=d), [2, 2])) for d in FLOATS + [I64]] + [
        (f"window {k} stride {s} padding {p} dilation {l} ceiling {c}", Call(f, v(1, 2, 9, 10), k, s, p, l, c))
        for k, s, p in windows
        for l, c in (([1, 1], False), ([1, 1], True), ([2, 1], False))
    ] + [
        ("no batch", Call(f, v(2, 6, 6), [3, 3], [1, 1])),
        ("NaN", Call(f, v(1, 1, 4, 5, special=True), [2, 2])),
        ("channels_last", Call(f, v(1, 3, 6, 6, channels_last=True), [2, 2])),
        ("ties", Call(f, torch.ones(1, 1, 4, 4), [2, 2])),
    ]
    o, f, v = of("max_pool2d_with_indices_backward.grad_input")
    x = v(1, 2, 6, 6)
    _, indices = torch.ops.aten.max_pool2d_with_indices.default(x, [2, 2], [2, 2])
    yield o, [("window 2", Call(f, v(1, 2, 3, 3), x, [2, 2], [2, 2], [0, 0], [1, 1], False, indices))]
    o, f, v = of("_adaptive_avg_pool2d.out")
    yield o, [(f"{label(d)} to {s}", Call(f, v(1, 2, 6, 7, dtype=d), s)) for d in FLOATS for s in ([1, 1], [3, 2], [4, 5])] + [
        ("no batch", Call(f, v(2, 6, 6), [2, 2])),
        ("same", Call(f, v(1, 2, 3, 3), [3, 3])),
        ("larger", Call(f, v(1, 2, 3, 3), [5, 4])),
        ("channels_last", Call(f, v(1, 3, 6, 6, channels_last=True), [1, 1])),
    ]


def norms(of):
    o, f, v = of("native_layer_norm.out")
    yield o, [(label(d), Call(f, v(3, 8, dtype=d), [8], v(8, dtype=d), v(8, dtype=d), 1e-5)) for d in FLOATS] + [
        ("no weights", Call(f, v(3, 8), [8], None, None, 1e-5)),
        ("no bias", Call(f, v(3, 8), [8], v(8), None, 1e-6)),
        ("two axes", Call(f, v(2, 3, 4), [3, 4], v(3, 4), v(3, 4), 1e-5)),
        ("large epsilon", Call(f, v(3, 8), [8], v(8), v(8), 0.5)),
        ("constant row", Call(f, torch.full((2, 5), 3.0), [5], v(5), v(5), 1e-5)),
        ("long", Call(f, v(2, 300), [300], v(300), v(300), 1e-5, constants=[1, 2])),
        ("large mean", Call(f, v(3, 16) + 1000, [16], None, None, 1e-5)),
        ("empty", Call(f, v(0, 4), [4], v(4), v(4), 1e-5)),
        ("dynamic", Call(f, steps=[[v(n, 8), [8], w, b, 1e-5] for w, b in [(v(8), v(8))] for n in (4, 2)])),
    ]
    o, f, v = of("native_group_norm.out")
    yield o, [
        (f"{label(d)} groups {g}", Call(f, v(2, 4, 3, 3, dtype=d), v(4, dtype=d), v(4, dtype=d), 2, 4, 9, g, 1e-5))
        for d in FLOATS
        for g in (1, 2, 4)
    ] + [
        ("no weights", Call(f, v(2, 4, 5), None, None, 2, 4, 5, 2, 1e-5)),
        ("only weight", Call(f, v(1, 6, 2, 2), v(6), None, 1, 6, 4, 3, 1e-5)),
    ]
    o, f, v = of("_native_batch_norm_legit_no_training.out")
    stats = lambda n, d=F32: (v(n, dtype=d), v(n, dtype=d, low=0.3, high=2.0))
    yield o, [(label(d), Call(f, v(2, 3, 4, 4, dtype=d), v(3, dtype=d), v(3, dtype=d), *stats(3, d), 0.1, 1e-5)) for d in FLOATS] + [
        ("no weights", Call(f, v(2, 3, 4), None, None, *stats(3), 0.1, 1e-5)),
        ("2-d", Call(f, v(4, 3), v(3), v(3), *stats(3), 0.1, 1e-3)),
        ("constant", Call(f, v(1, 5, 6, 6), v(5), v(5), *stats(5), 0.1, 1e-5, constants=[1, 2, 3, 4])),
        ("5-d", Call(f, v(1, 2, 2, 3, 2), v(2), v(2), *stats(2), 0.1, 1e-5)),
        ("only weight", Call(f, v(2, 3, 4), v(3), None, *stats(3), 0.1, 1e-5)),
    ]
    o, f, v = of("_native_batch_norm_legit.no_stats_out")
    yield o, [(label(d), Call(f, v(2, 3, 4, 4, dtype=d), v(3, dtype=d), v(3, dtype=d), True, 0.1, 1e-5)) for d in FLOATS] + [
        ("no weights", Call(f, v(2, 3, 4), None, None, True, 0.1, 1e-5)),
        ("2-d", Call(f, v(4, 3), v(3), v(3), True, 0.1, 1e-3)),
    ]
    o, f, v = of("glu.out")
    yield o, [(f"{label(d)} axis {a}", Call(f, v(4, 6, dtype=d), a)) for d in FLOATS for a in (-1, 0)] + [
        ("middle", Call(f, v(2, 4, 3), 1)),
        ("NaN", Call(f, v(4, 6, special=True), 1)),
    ]


def resampling(of):
    o, f, v = of("upsample_nearest2d.vec_out")
    yield o, [(f"{label(d)}", Call(f, v(1, 2, 3, 4, dtype=d), [6, 8], None)) for d in FLOATS] + [
        (f"to {s}", Call(f, v(1, 2, 3, 4), s, None)) for s in ([5, 7], [2, 2], [1, 9])
    ] + [(f"factors {s}", Call(f, v(1, 2, 3, 4), None, s)) for s in ([2.0, 2.0], [1.5, 0.5], [2.7, 3.3])] + [
        ("channels_last", Call(f, v(1, 3, 3, 4, channels_last=True), [6, 8], None))
    ]
    o, f, v = of("upsample_bilinear2d.vec_out")
    yield o, [(f"{label(d)} corners {c}", Call(f, v(1, 2, 3, 4, dtype=d), [6, 8], c, None)) for d in FLOATS for c in (True, False)] + [
        (f"to {s} corners {c}", Call(f, v(1, 2, 5, 6), s, c, None)) for s in ([7, 4], [1, 1], [2, 3]) for c in (True, False)
    ] + [(f"factors {s} corners {c}", Call(f, v(1, 2, 3, 4), None, c, s)) for s in ([2.0, 2.0], [1.5, 0.6]) for c in (True, False)] + [
        ("channels_last", Call(f, v(1, 3, 3, 4, channels_last=True), [6, 8], False, None))
    ]
    o, f, v = of("_upsample_bilinear2d_aa.out")
    yield o, [
        (f"{label(d)} to {s} corners {c}", Call(f, v(1, 2, 6, 7, dtype=d), s, c))
        for d in (F32, F64, F16)
        for s in ([3, 3], [9, 10], [4, 9])
        for c in (False, True)
    ]
    o, f, v = of("grid_sampler_2d.out")
    yield o, [
        (f"interpolation {i} padding {p} corners {c}", Call(f, v(1, 2, 4, 5), v(1, 3, 4, 2, low=-1.3, high=1.3), i, p, c))
        for i in (0, 1, 2)
        for p in (0, 1, 2)
        for c in (True, False)
    ] + [(label(d), Call(f, v(1, 2, 4, 5, dtype=d), v(1, 3, 4, 2, low=-1.2, high=1.2, dtype=d), 0, 0, False)) for d in (F64, F16, BF16)] + [
        ("batch", Call(f, v(2, 3, 4, 4), v(2, 2, 5, 2, low=-1, high=1), 0, 1, True))
    ]
