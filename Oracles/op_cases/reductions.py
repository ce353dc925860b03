"""Variants of reductions, scans, orderings and linear algebra."""

import torch

from .recording import Call
from .elementwise import label
from .values import ALL, BF16, BOOL, F16, F32, F64, FLOATS, I16, I32, I64, I8, INTS, U8


def along_axes(op, v, many, dtypes, keywords=(), all_axes=True):
    """Over one axis (`many` false) or several, with negative axes, kept axes, NaN, empty and 0-d tensors."""
    axis = (lambda *a: list(a)) if many else (lambda a: a)
    for d in dtypes:
        yield f"{label(d)} last axis", Call(op, v(3, 7, dtype=d), axis(-1), **dict(keywords))
        yield f"{label(d)} first axis kept", Call(op, v(4, 3, dtype=d), axis(0), True, **dict(keywords))
    base = dtypes[0]
    yield "middle axis", Call(op, v(3, 5, 4, dtype=base), axis(1))
    yield "negative axis kept", Call(op, v(2, 3, 4, 5, dtype=base), axis(-3), True)
    yield "0-d", Call(op, v(dtype=base), axis(0))
    yield "long axis", Call(op, v(2, 1037, dtype=base), axis(1))
    yield "long first axis", Call(op, v(517, 3, dtype=base), axis(0))
    yield "empty in another axis", Call(op, v(0, 3, dtype=base), axis(1))
    yield "channels_last", Call(op, v(2, 3, 4, 5, dtype=base, channels_last=True), axis(1), True)
    yield "dynamic", Call(op, steps=[[v(n, 3, dtype=base), axis(0)] for n in (4, 2, 6)])
    if base.is_floating_point:
        yield "NaN and infinities", Call(op, v(4, 5, special=True), axis(1))
    if many:
        yield "two axes", Call(op, v(3, 4, 5, dtype=base), [0, 2])
        yield "two axes kept", Call(op, v(2, 3, 4, 5, dtype=base), [-1, -2], True)
        yield "channels_last spatial", Call(op, v(2, 3, 4, 5, dtype=base, channels_last=True), [2, 3], True)
        if all_axes:
            yield "all axes", Call(op, v(3, 4, dtype=base), [])


def whole(op, v, dtypes, **keywords):
    for d in dtypes:
        yield label(d), Call(op, v(3, 5, dtype=d), **keywords)
    yield "0-d", Call(op, v(dtype=dtypes[0]), **keywords)
    yield "NaN and infinities" if dtypes[0].is_floating_point else "4-d", Call(
        op, v(4, 5, special=True) if dtypes[0].is_floating_point else v(2, 2, 3, 2, dtype=dtypes[0]), **keywords
    )
    yield "dynamic", Call(op, steps=[[v(n, 3, dtype=dtypes[0])] for n in (4, 2)], **keywords)


def reductions(find, values_for):
    """Yields (operator, label, call)."""
    for operator, cases in tables(find, values_for):
        yield from ((operator, l, c) for l, c in cases)


def tables(find, values_for):
    def of(name):
        operator = f"aten::{name}"
        return operator, find(operator), values_for(operator)

    o, f, v = of("sum.IntList_out")
    yield o, list(along_axes(f, v, True, ALL)) + [
        (f"{label(a)} to {label(b)}", Call(f, v(3, 4, dtype=a), [1], dtype=b))
        for a, b in ((F16, F32), (I32, F32), (F32, F64), (I8, I32), (BOOL, I64), (F32, I64))
    ] + [("empty reduced axis", Call(f, v(0, 3), [0])), ("axis None", Call(f, v(3, 4), None))]
    o, f, v = of("mean.out")
    yield o, list(along_axes(f, v, True, FLOATS)) + [
        ("f16 to f32", Call(f, v(3, 4, dtype=F16), [1], dtype=F32)),
        ("i32 to f32", Call(f, v(3, 4, dtype=I32), [0], dtype=F32)),
        ("axis None", Call(f, v(3, 4), None)),
        ("empty reduced axis", Call(f, v(0, 3), [0])),
    ]
    o, f, v = of("mean.dtype_out")
    yield o, list(whole(f, v, FLOATS)) + [("i32 to f32", Call(f, v(3, 4, dtype=I32), dtype=F32))]
    for name in ("amax.out", "amin.out"):
        o, f, v = of(name)
        yield o, list(along_axes(f, v, True, [F32, F64, F16, BF16] + INTS + [BOOL]))
    o, f, v = of("any.dims_out")
    yield o, list(along_axes(f, v, True, [BOOL, F32, I32, U8, F16], all_axes=False))
    for name in ("any.out", "max.dim_max", "min.dim_min", "argmax.out", "argmin.out"):
        o, f, v = of(name)
        dtypes = [BOOL, F32, I32, U8] if name == "any.out" else [F32, F64, F16, BF16] + INTS
        cases = list(along_axes(f, v, False, dtypes))
        if name.startswith("arg"):
            cases += [
                ("axis None", Call(f, v(3, 4), None)),
                ("ties", Call(f, torch.ones(3, 4), 1)),
                ("axis None kept", Call(f, v(3, 4), None, True)),
            ]
        elif name != "any.out":
            cases += [("ties", Call(f, torch.ones(3, 4), 1)), ("bool", Call(f, v(3, 4, dtype=BOOL), 1))]
        yield o, cases
    for name in ("any.all_out", "max.unary_out", "min.unary_out"):
        o, f, v = of(name)
        yield o, list(whole(f, v, [F32, F64, F16, BF16] + INTS + [BOOL]))
    for name, dim in (("prod.out", False), ("prod.int_out", True)):
        o, f, v = of(name)
        if dim:
            yield o, list(along_axes(f, v, False, [F32, F64, F16, I32, I64, U8, BOOL]))
        else:
            yield o, list(whole(f, v, [F32, F64, I32, I64, U8, BOOL])) + [("i32 to f32", Call(f, v(2, 3, dtype=I32), dtype=F32))]
    for name in ("var.correction_out", "var_mean.correction_out"):
        o, f, v = of(name)
        yield o, [(f"{label(d)} correction {c}", Call(f, v(3, 7, dtype=d), [1], correction=c)) for d in FLOATS for c in (0, 1, None)] + [
            ("two axes kept", Call(f, v(2, 3, 4), [0, -1], correction=1, keepdim=True)),
            ("all axes", Call(f, v(3, 4), None, correction=1)),
            ("NaN", Call(f, v(4, 5, special=True), [1], correction=1)),
            ("correction as large as the axis", Call(f, v(3, 2), [1], correction=2)),
            ("fractional correction", Call(f, v(3, 5), [1], correction=0.5)),
        ]
    o, f, v = of("var.out")
    yield o, [
        (f"{label(d)} unbiased {u} kept {k}", Call(f, v(3, 7, dtype=d), [1], u, k))
        for d in FLOATS
        for u in (True, False)
        for k in (True, False)
    ] + [("two axes", Call(f, v(2, 3, 4), [0, 2])), ("one element", Call(f, v(3, 1), [1]))]
    o, f, v = of("cumsum.out")
    yield o, [(label(d), Call(f, v(3, 6, dtype=d), 1)) for d in ALL] + [
        ("negative axis", Call(f, v(2, 3, 4), -2)),
        ("i8 to i64", Call(f, v(9, dtype=I8), 0)),
        ("f32 to f64", Call(f, v(3, 4), 0, dtype=F64)),
        ("0-d", Call(f, v(), 0)),
        ("empty", Call(f, v(0, 3), 1)),
        ("NaN", Call(f, v(3, 5, special=True), 1)),
        ("dynamic", Call(f, steps=[[v(n, 3), 0] for n in (4, 2)])),
    ]
    o, f, v = of("topk.values")
    distinct = lambda *s, dtype=F32: (v.permutation(torch.Size(s).numel()).reshape(s) - 5).to(dtype)
    yield o, [
        (f"{label(d)} largest {m}", Call(f, distinct(3, 8, dtype=d), 3, -1, m))
        for d in [F32, F64, F16, I32, I64, U8, I8]
        for m in (True, False)
    ] + [
        ("first axis", Call(f, distinct(6, 3), 2, 0)),
        ("all of it", Call(f, distinct(2, 5), 5, 1)),
        ("k of 0", Call(f, distinct(2, 5), 0, 1)),
        ("0-d", Call(f, v(), 1, 0)),
        ("long", Call(f, distinct(2, 300), 7)),
    ]
    for name in ("_softmax.out", "_log_softmax.out"):
        o, f, v = of(name)
        yield o, [(f"{label(d)} axis {a}", Call(f, v(3, 4, 5, dtype=d), a, False)) for d in FLOATS for a in (-1, 0, 1)] + [
            ("0-d", Call(f, v(), 0, False)),
            ("empty", Call(f, v(0, 3), 1, False)),
            ("long", Call(f, v(2, 1030), -1, False)),
            ("large values", Call(f, v(3, 6) * 300, 1, False)),
            ("infinities", Call(f, torch.tensor([[float("-inf"), 0.0, 1.0], [2.0, float("-inf"), float("-inf")]]), 1, False)),
            ("all minus infinity", Call(f, torch.full((2, 3), float("-inf")), 1, False)),
            ("NaN", Call(f, torch.tensor([[float("nan"), 0.0], [1.0, 2.0]]), 1, False)),
            ("dynamic", Call(f, steps=[[v(n, 3), 1, False] for n in (4, 2)])),
            ("dynamic axis", Call(f, steps=[[v(2, n), -1, False] for n in (4, 7)])),
        ]
    yield from linear_algebra(of)


def linear_algebra(of):
    o, f, v = of("mm.out")
    yield o, [(label(d), Call(f, v(3, 5, dtype=d), v(5, 4, dtype=d))) for d in FLOATS + INTS] + [
        (f"{m} x {k} x {n}", Call(f, v(m, k), v(k, n)))
        for m, k, n in ((1, 1, 1), (1, 37, 65), (33, 17, 1), (40, 64, 48), (7, 0, 3), (0, 4, 3), (13, 129, 31))
    ] + [
        ("constant right", Call(f, v(6, 20), v(20, 9), constants=[1])),
        ("dynamic rows", Call(f, steps=[[v(n, 6), w] for w in [v(6, 5)] for n in (4, 1, 6)])),
        ("NaN", Call(f, v(3, 5, special=True), v(5, 2))),
    ]
    o, f, v = of("bmm.out")
    yield o, [(label(d), Call(f, v(2, 3, 5, dtype=d), v(2, 5, 4, dtype=d))) for d in FLOATS + [I32, I64]] + [
        ("one batch", Call(f, v(1, 33, 20), v(1, 20, 17))),
        ("empty inner", Call(f, v(2, 3, 0), v(2, 0, 4))),
        ("empty batch", Call(f, v(0, 3, 2), v(0, 2, 4))),
        ("dynamic", Call(f, steps=[[v(2, n, 6), v(2, 6, n)] for n in (4, 1, 6)])),
    ]
    o, f, v = of("addmm.out")
    yield o, [(label(d), Call(f, v(4, dtype=d), v(3, 5, dtype=d), v(5, 4, dtype=d))) for d in FLOATS + [I32]] + [
        ("matrix bias", Call(f, v(3, 4), v(3, 5), v(5, 4))),
        ("column bias", Call(f, v(3, 1), v(3, 5), v(5, 4))),
        ("0-d bias", Call(f, v(), v(3, 5), v(5, 4))),
        ("alpha and beta", Call(f, v(4), v(3, 5), v(5, 4), beta=0.5, alpha=-2.0)),
        ("beta 0", Call(f, v(4), v(3, 5), v(5, 4), beta=0, alpha=1)),
        ("integer alpha and beta", Call(f, v(4), v(3, 5), v(5, 4), beta=2, alpha=3)),
        ("constant weights", Call(f, v(30), v(7, 50), v(50, 30), constants=[0, 2])),
        ("empty inner", Call(f, v(4), v(3, 0), v(0, 4))),
        ("dynamic", Call(f, steps=[[b, v(n, 5), w] for b, w in [(v(4), v(5, 4))] for n in (4, 2)])),
    ]
    o, f, v = of("linear.out")
    yield o, [(label(d), Call(f, v(3, 5, dtype=d), v(4, 5, dtype=d), v(4, dtype=d))) for d in FLOATS] + [
        ("no bias", Call(f, v(3, 5), v(4, 5))),
        ("3-d", Call(f, v(2, 3, 5), v(4, 5), v(4))),
        ("vector", Call(f, v(5), v(4, 5), v(4))),
        ("constant weights", Call(f, v(9, 70), v(33, 70), v(33), constants=[1, 2])),
        ("one row", Call(f, v(1, 130), v(40, 130), constants=[1])),
        ("dynamic", Call(f, steps=[[v(n, 5), w, b] for w, b in [(v(4, 5), v(4))] for n in (4, 2)])),
    ]
    o, f, v = of("_cdist_forward.out")
    yield o, [(f"p {p}", Call(f, v(3, 4), v(5, 4), p, m)) for p in (0.0, 1.0, 2.0, 3.0, 1.5, float("inf")) for m in (None, 2)] + [
        ("batches", Call(f, v(2, 3, 4), v(2, 5, 4), 2.0, 2)),
        ("broadcast batches", Call(f, v(1, 3, 4), v(2, 5, 4), 1.0, None)),
        ("f64", Call(f, v(3, 4, dtype=F64), v(2, 4, dtype=F64), 2.0, 2)),
        ("empty", Call(f, v(3, 0), v(5, 0), 2.0, 2)),
    ]
    o, f, v = of("_pdist_forward.out")
    yield o, [(f"p {p}", Call(f, v(5, 4), p)) for p in (0.0, 1.0, 2.0, 3.0, float("inf"))] + [
        ("f64", Call(f, v(4, 3, dtype=F64), 2.0)),
        ("one row", Call(f, v(1, 3), 2.0)),
    ]
    o, f, v = of("_fft_r2c.out")
    yield o, [
        (f"axes {a} normalisation {n} onesided {s}", Call(f, v(3, 8), a, n, s))
        for a in ([1], [0])
        for n in (0, 1, 2)
        for s in (True, False)
    ] + [("odd length", Call(f, v(2, 9), [1], 0, True)), ("f64", Call(f, v(2, 6, dtype=F64), [1], 0, True))]
    o, f, v = of("_fft_c2r.out")
    spectrum = lambda *s, dtype=F32: torch.fft.rfft(v(*s, dtype=dtype))
    yield o, [(f"normalisation {n} length {l}", Call(f, spectrum(3, l), [1], n, l)) for n in (0, 1, 2) for l in (8, 9, 16)] + [
        ("f64", Call(f, spectrum(2, 6, dtype=F64), [1], 2, 6))
    ]
    o, f, v = of("view_as_real_copy.out")
    yield o, [
        ("c64", Call(f, torch.complex(v(3, 4), v(3, 4)))),
        ("c128", Call(f, torch.complex(v(3, dtype=F64), v(3, dtype=F64)))),
        ("0-d", Call(f, torch.complex(v(), v()))),
    ]
    o, f, v = of("_conj_physical.out")
    yield o, [
        ("c64", Call(f, torch.complex(v(3, 4), v(3, 4)))),
        ("c128", Call(f, torch.complex(v(3, dtype=F64), v(3, dtype=F64)))),
        ("0-d", Call(f, torch.complex(v(), v()))),
    ]
