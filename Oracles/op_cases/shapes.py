"""Variants of operators that move, select, pad, gather and scatter elements, and of those that create tensors."""

import torch

from .recording import Call
from .elementwise import label
from .values import ALL, BF16, BOOL, F16, F32, F64, FLOATS, I16, I32, I64, I8, INTS, U8

SOME = [F32, F16, BF16, I64, I32, U8, BOOL, F64]


def shapes(find, values_for):
    """Yields (operator, label, call)."""

    def of(name):
        operator = f"aten::{name}"
        return operator, find(operator), values_for(operator)

    for table in (views, joins, selections, indexing, scattering, creation, pads):
        for operator, cases in table(of):
            yield from ((operator, l, c) for l, c in cases)


def views(of):
    o, f, v = of("view_copy.out")
    yield o, [(label(d), Call(f, v(3, 4, dtype=d), [2, 6])) for d in SOME] + [
        ("minus one", Call(f, v(2, 3, 4), [-1, 4])),
        ("to 0-d", Call(f, v(1, 1), [])),
        ("from 0-d", Call(f, v(), [1, 1])),
        ("empty", Call(f, v(0, 3), [3, 0])),
        ("dynamic", Call(f, steps=[[v(n, 6), [-1, 3]] for n in (4, 2)])),
    ]
    o, f, v = of("permute_copy.out")
    yield o, [(label(d), Call(f, v(2, 3, 4, dtype=d), [2, 0, 1])) for d in SOME] + [
        ("negative axes", Call(f, v(2, 3, 4), [-1, 0, -2])),
        ("to NHWC", Call(f, v(2, 5, 4, 3), [0, 2, 3, 1])),
        ("from NHWC", Call(f, v(2, 4, 3, 5), [0, 3, 1, 2])),
        ("identity", Call(f, v(2, 3), [0, 1])),
        ("0-d", Call(f, v(), [])),
        ("5-d", Call(f, v(2, 1, 3, 2, 2), [4, 2, 0, 1, 3])),
        ("large", Call(f, v(37, 41), [1, 0])),
        ("empty", Call(f, v(0, 3), [1, 0])),
        ("dynamic", Call(f, steps=[[v(n, 6), [1, 0]] for n in (4, 2)])),
    ]
    o, f, v = of("transpose_copy.int_out")
    yield o, [(label(d), Call(f, v(2, 3, 4, dtype=d), 0, 2)) for d in SOME] + [
        ("negative axes", Call(f, v(2, 3, 4), -1, -2)),
        ("same axis", Call(f, v(2, 3), 1, 1)),
        ("0-d", Call(f, v(), 0, 0)),
        ("4-d", Call(f, v(2, 3, 4, 5), 1, 2)),
    ]
    o, f, v = of("t_copy.out")
    yield o, [(label(d), Call(f, v(3, 4, dtype=d))) for d in SOME] + [
        ("1-d", Call(f, v(5))),
        ("0-d", Call(f, v())),
        ("empty", Call(f, v(0, 4))),
    ]
    o, f, v = of("expand_copy.out")
    yield o, [(label(d), Call(f, v(3, 1, dtype=d), [3, 4])) for d in SOME] + [
        ("minus one and new axes", Call(f, v(3, 1), [2, -1, 5])),
        ("0-d", Call(f, v(), [2, 3])),
        ("to empty", Call(f, v(1, 3), [0, 3])),
        ("dynamic", Call(f, steps=[[v(n, 1), [-1, 3]] for n in (4, 2)])),
    ]
    o, f, v = of("unsqueeze_copy.out")
    yield o, [(f"axis {a}", Call(f, v(2, 3), a)) for a in (0, 1, 2, -1, -3)] + [
        (label(d), Call(f, v(2, 3, dtype=d), 1)) for d in (I64, BOOL, F16)
    ] + [("0-d", Call(f, v(), 0))]
    o, f, v = of("squeeze_copy.dim_out")
    yield o, [(f"axis {a}", Call(f, v(2, 1, 3, 1), a)) for a in (1, 0, -1, -3)] + [
        ("0-d", Call(f, v(), 0)),
        ("i64", Call(f, v(1, 3, dtype=I64), 0)),
    ]
    o, f, v = of("squeeze_copy.dims_out")
    yield o, [(f"axes {a}", Call(f, v(2, 1, 3, 1), a)) for a in ([1, 3], [0, -1], [-3], [])] + [
        ("bool", Call(f, v(1, 3, 1, dtype=BOOL), [0, 2]))
    ]
    o, f, v = of("as_strided_copy.out")
    yield o, [
        ("overlapping", Call(f, v(3, 4), [2, 3], [1, 2])),
        ("offset", Call(f, v(3, 4), [2, 2], [4, 1], 3)),
        ("repeated", Call(f, v(5), [3, 5], [0, 1])),
        ("i64", Call(f, v(3, 4, dtype=I64), [4, 3], [1, 4])),
        ("0-d", Call(f, v(3, 4), [], [], 5)),
        ("bool", Call(f, v(6, dtype=BOOL), [2, 2], [3, 1])),
    ]
    o, f, v = of("diagonal_copy.out")
    yield o, [(f"offset {k}", Call(f, v(3, 5), k)) for k in (0, 1, -1, 4, -2)] + [
        ("axes", Call(f, v(2, 3, 4), 0, -1, 0)),
        ("i32", Call(f, v(3, 3, dtype=I32))),
        ("beyond", Call(f, v(3, 3), 3)),
    ]
    o, f, v = of("unfold_copy.out")
    yield o, [
        (f"axis {a} size {s} step {t}", Call(f, v(4, 7), a, s, t)) for a, s, t in ((1, 3, 1), (1, 2, 2), (0, 4, 1), (-1, 7, 1), (0, 2, 3))
    ] + [("i64", Call(f, v(7, dtype=I64), 0, 3, 2)), ("size 0", Call(f, v(3, 4), 1, 0, 1))]
    o, f, v = of("flip.out")
    yield o, [(label(d), Call(f, v(3, 4, dtype=d), [1])) for d in SOME] + [
        ("several axes", Call(f, v(2, 3, 4), [0, -1])),
        ("no axes", Call(f, v(2, 3), [])),
        ("0-d", Call(f, v(), [])),
        ("empty", Call(f, v(0, 2), [0])),
    ]
    o, f, v = of("roll.out")
    yield o, [(label(d), Call(f, v(3, 4, dtype=d), [1], [1])) for d in SOME] + [
        ("several axes", Call(f, v(2, 3, 4), [1, -2], [0, -1])),
        ("beyond", Call(f, v(5), [13], [0])),
        ("negative", Call(f, v(5, 2), [-7], [0])),
        ("same axis twice", Call(f, v(5), [1, 2], [0, 0])),
    ]
    o, f, v = of("repeat.out")
    yield o, [(label(d), Call(f, v(2, 3, dtype=d), [2, 2])) for d in SOME] + [
        ("new axes", Call(f, v(2, 3), [3, 1, 2])),
        ("0-d", Call(f, v(), [3])),
        ("zero times", Call(f, v(2, 3), [0, 2])),
        ("none", Call(f, v(2), [1])),
    ]
    o, f, v = of("repeat_interleave.Tensor_out")
    yield o, [(label(d), Call(f, torch.tensor([1, 0, 3, 2], dtype=d), output_size=6)) for d in (I64, I32)] + [
        ("all zero", Call(f, torch.zeros(3, dtype=I64), output_size=0))
    ]
    for name, upper in (("tril.out", False),):
        o, f, v = of(name)
        yield o, [(label(d), Call(f, v(4, 5, dtype=d))) for d in ALL] + [(f"diagonal {k}", Call(f, v(4, 5), k)) for k in (1, -1, 6, -5)] + [
            ("batches", Call(f, v(2, 3, 3))),
            ("empty", Call(f, v(0, 3))),
        ]
    for name in ("pixel_shuffle.out", "pixel_unshuffle.out"):
        o, f, v = of(name)
        shape = (lambda r: (1, 2 * r * r, 2, 3)) if name.startswith("pixel_s") else (lambda r: (1, 2, 2 * r, 3 * r))
        yield o, [(f"{label(d)} factor {r}", Call(f, v(*shape(r), dtype=d), r)) for d in (F32, F16, I64) for r in (2, 3)] + [
            ("3-d", Call(f, v(*shape(2)[1:]), 2)),
            ("5-d", Call(f, v(2, *shape(2)), 2)),
            ("factor 1", Call(f, v(*shape(1)), 1)),
        ]


def joins(of):
    o, f, v = of("cat.out")
    yield o, [(label(d), Call(f, [v(2, 3, dtype=d), v(1, 3, dtype=d)], 0)) for d in ALL] + [
        ("negative axis", Call(f, [v(2, 3), v(2, 1), v(2, 2)], -1)),
        ("with an empty", Call(f, [v(2, 3), v(0), v(1, 3)], 0)),
        ("one", Call(f, [v(2, 3)], 1)),
        ("middle axis", Call(f, [v(2, 3, 4), v(2, 1, 4)], 1)),
        ("zero extent", Call(f, [v(2, 0), v(2, 3)], 1)),
        ("mixed f32 i64", Call(f, [v(2, 3), v(2, 3, dtype=I64)], 0)),
        ("mixed f16 f32", Call(f, [v(2, 3, dtype=F16), v(2, 3)], 1)),
        ("channels_last", Call(f, [v(1, 2, 3, 4, channels_last=True), v(1, 3, 3, 4, channels_last=True)], 1)),
        ("dynamic", Call(f, steps=[[[v(n, 3), v(2, 3)], 0] for n in (4, 2)])),
    ]
    o, f, v = of("stack.out")
    yield o, [(label(d), Call(f, [v(2, 3, dtype=d), v(2, 3, dtype=d)], 0)) for d in SOME] + [
        (f"axis {a}", Call(f, [v(2, 3), v(2, 3), v(2, 3)], a)) for a in (1, 2, -1, -2)
    ] + [("0-d", Call(f, [v(), v()], 0)), ("mixed", Call(f, [v(2), v(2, dtype=I32)], 0))]
    o, f, v = of("split_copy.Tensor_out")
    yield o, [(f"size {s} axis {a}", Call(f, v(5, 6), s, a)) for s, a in ((2, 0), (3, 1), (5, 0), (4, -1), (7, 0))] + [
        ("i64", Call(f, v(5, dtype=I64), 2)),
        ("f16", Call(f, v(4, 3, dtype=F16), 2)),
    ]
    o, f, v = of("split_with_sizes_copy.out")
    yield o, [(f"sizes {s} axis {a}", Call(f, v(5, 6), s, a)) for s, a in (([1, 4], 0), ([2, 0, 4], 1), ([5], 0), ([3, 3], -1))] + [
        ("bool", Call(f, v(5, dtype=BOOL), [2, 3]))
    ]
    o, f, v = of("unbind_copy.int_out")
    yield o, [(f"axis {a}", Call(f, v(2, 3, 4), a)) for a in (0, 1, -1)] + [
        (label(d), Call(f, v(3, 2, dtype=d))) for d in (F16, I64, BOOL)
    ] + [("1-d", Call(f, v(3)))]


def selections(of):
    o, f, v = of("slice_copy.Tensor_out")
    yield o, [
        (f"axis {a} {b}:{e}:{s}", Call(f, v(5, 7), a, b, e, s))
        for a, b, e, s in (
            (0, 1, 4, 1),
            (1, None, None, 2),
            (1, -3, -1, 1),
            (0, 2, 100, 1),
            (0, 4, 2, 1),
            (-1, 1, 6, 3),
            (0, -100, 3, 1),
            (1, 0, 7, 1),
            (0, 5, 5, 1),
            (1, 0, 9223372036854775807, 5),
        )
    ] + [(label(d), Call(f, v(4, 3, dtype=d), 0, 1, 3)) for d in SOME] + [
        ("dynamic", Call(f, steps=[[v(n, 3), 1, 1, 3] for n in (4, 2)])),
        ("channels", Call(f, v(2, 6, 3, 3), 1, 2, 5)),
    ]
    o, f, v = of("select_copy.int_out")
    yield o, [(f"axis {a} index {i}", Call(f, v(3, 4, 5), a, i)) for a, i in ((0, 1), (1, -1), (-1, 2), (2, 0), (-3, -3))] + [
        (label(d), Call(f, v(3, 2, dtype=d), 0, 2)) for d in SOME
    ] + [("1-d", Call(f, v(3), 0, 1))]
    o, f, v = of("narrow_copy.out")
    yield o, [(f"axis {a} {b}+{n}", Call(f, v(4, 5), a, b, n)) for a, b, n in ((0, 1, 2), (1, 0, 5), (1, 2, 0), (0, -3, 2))] + [
        ("i32", Call(f, v(4, dtype=I32), 0, 1, 3)),
        ("bool", Call(f, v(4, dtype=BOOL), 0, 2, 1)),
    ]
    o, f, v = of("slice_scatter.out")
    yield o, [(f"{label(d)}", Call(f, v(5, 3, dtype=d), v(2, 3, dtype=d), 0, 1, 3)) for d in (F32, F16, I64, BOOL)] + [
        ("step", Call(f, v(3, 7), v(3, 3), 1, 0, 6, 2)),
        ("negative bounds", Call(f, v(3, 7), v(3, 2), -1, -3, -1)),
        ("no bounds", Call(f, v(3, 2), v(3, 2), 0)),
        ("mixed", Call(f, v(5, 3), v(2, 3, dtype=I64), 0, 1, 3)),
    ]
    o, f, v = of("select_scatter.out")
    yield o, [(label(d), Call(f, v(3, 4, dtype=d), v(4, dtype=d), 0, 1)) for d in (F32, F16, I64, BOOL)] + [
        ("negative", Call(f, v(3, 4, 5), v(3, 4), -1, -2)),
        ("0-d source", Call(f, v(3), v(), 0, 2)),
        ("mixed", Call(f, v(3, 4), v(3, dtype=I32), 1, 0)),
    ]
    o, f, v = of("masked_fill.Scalar_out")
    yield o, [(label(d), Call(f, v(3, 4, dtype=d), v(3, 4, dtype=BOOL), 1)) for d in ALL] + [
        ("broadcast mask", Call(f, v(2, 3, 4), v(3, 1, dtype=BOOL), -1.5)),
        ("minus infinity", Call(f, v(3, 4), v(4, dtype=BOOL), float("-inf"))),
        ("mask larger", Call(f, v(4), v(3, 4, dtype=BOOL), 0.0)),
        ("0-d", Call(f, v(), v(dtype=BOOL), 2.0)),
        ("f16 minus infinity", Call(f, v(3, 4, dtype=F16), v(4, dtype=BOOL), float("-inf"))),
    ]
    o, f, v = of("masked_scatter.out")
    yield o, [(label(d), Call(f, v(3, 4, dtype=d), v(3, 4, dtype=BOOL), v(12, dtype=d))) for d in (F32, F16, I64, BOOL)] + [
        ("broadcast mask", Call(f, v(3, 4), v(4, dtype=BOOL), v(3, 4))),
        ("no element", Call(f, v(3, 4), torch.zeros(3, 4, dtype=BOOL), v(12))),
    ]
    o, f, v = of("masked_select.out")
    yield o, [(label(d), Call(f, v(3, 4, dtype=d), v(3, 4, dtype=BOOL))) for d in ALL] + [
        ("broadcast", Call(f, v(3, 1), v(4, dtype=BOOL))),
        ("none", Call(f, v(3), torch.zeros(3, dtype=BOOL))),
        ("all", Call(f, v(3), torch.ones(3, dtype=BOOL))),
    ]
    o, f, v = of("nonzero.out")
    yield o, [(label(d), Call(f, v(3, 4, dtype=d) if d is not F32 else v(3, 4).relu())) for d in ALL] + [
        ("none", Call(f, torch.zeros(3, 2))),
        ("1-d", Call(f, v(9, dtype=I32))),
        ("3-d", Call(f, v(2, 2, 3, dtype=BOOL))),
    ]


def indexing(of):
    o, f, v = of("index.Tensor_out")
    rows = lambda *s, high=3: v(*s, dtype=I64, low=-high - 1, high=high)
    yield o, [(label(d), Call(f, v(4, 3, dtype=d), [rows(5)])) for d in SOME] + [
        ("two indices", Call(f, v(4, 4), [rows(5), rows(5)])),
        ("indices broadcast", Call(f, v(4, 4), [rows(3, 1), rows(2)])),
        ("after a kept axis", Call(f, v(2, 4, 3), [None, rows(3)])),
        ("around a kept axis", Call(f, v(4, 2, 4), [rows(3), None, rows(3)])),
        ("i32 index", Call(f, v(4, 3), [rows(2).to(I32)])),
        ("mask", Call(f, v(4, 3), [torch.tensor([True, False, True, True])])),
        ("mask of two axes", Call(f, v(2, 2), [torch.tensor([[True, False], [False, True]])])),
        ("2-d index", Call(f, v(4, 3), [rows(2, 3)])),
        ("empty index", Call(f, v(4, 3), [torch.zeros(0, dtype=I64)])),
        ("0-d index", Call(f, v(4, 3), [torch.tensor(2)])),
        ("dynamic", Call(f, steps=[[v(4, 3), [rows(n)]] for n in (5, 2)])),
    ]
    for name in ("index_put.out",):
        o, f, v = of(name)
        unique = lambda n, of=6: v.permutation(of)[:n]
        yield o, [
            (f"{label(d)} accumulate {a}", Call(f, v(6, 3, dtype=d), [unique(4)], v(4, 3, dtype=d), a))
            for d in (F32, F16, I64, BOOL)
            for a in (False, True)
            if not (a and d is BOOL)
        ] + [
            ("broadcast values", Call(f, v(6, 3), [unique(4)], v(3))),
            ("0-d value", Call(f, v(6, 3), [unique(2)], v())),
            ("two indices", Call(f, v(6, 6), [unique(4), unique(4)], v(4))),
            ("repeated indices accumulate", Call(f, v(6), [torch.tensor([1, 1, 2, 1])], v(4), True)),
            ("after a kept axis", Call(f, v(2, 6), [None, unique(3)], v(2, 3))),
            ("mask", Call(f, v(4), [torch.tensor([True, False, True, False])], v())),
            ("negative", Call(f, v(6), [torch.tensor([-1, -6])], v(2))),
        ]
    o, f, v = of("index_select.out")
    yield o, [(label(d), Call(f, v(4, 3, dtype=d), 0, v(6, dtype=I64, low=0, high=3))) for d in SOME] + [
        ("i32 index", Call(f, v(4, 3), 1, v(2, dtype=I32, low=0, high=2))),
        ("negative axis", Call(f, v(2, 4, 3), -2, v(3, dtype=I64, low=0, high=3))),
        ("0-d index", Call(f, v(4, 3), 0, torch.tensor(1))),
        ("empty index", Call(f, v(4, 3), 0, torch.zeros(0, dtype=I64))),
    ]
    o, f, v = of("gather.out")
    at = lambda *s, high=2: v(*s, dtype=I64, low=0, high=high)
    yield o, [(label(d), Call(f, v(3, 4, dtype=d), 0, at(2, 4))) for d in SOME] + [
        ("last axis", Call(f, v(3, 4), -1, at(3, 6, high=3))),
        ("smaller index", Call(f, v(3, 4), 1, at(2, 2, high=3))),
        ("0-d", Call(f, v(), 0, torch.tensor(0))),
        ("empty index", Call(f, v(3, 4), 0, at(0, 4))),
    ]
    o, f, v = of("embedding.out")
    yield o, [
        (f"{label(d)} {label(i)} ids", Call(f, v(7, 4, dtype=d), v(2, 3, dtype=i, low=0, high=6), constants=[0]))
        for d in (F32, F16, BF16, F64)
        for i in (I64, I32)
    ] + [
        ("0-d id", Call(f, v(7, 4), torch.tensor(3))),
        ("padding row", Call(f, v(7, 4), v(5, dtype=I64, low=0, high=6), 0)),
        ("dynamic", Call(f, steps=[[w, v(n, dtype=I64, low=0, high=6)] for w in [v(7, 4)] for n in (5, 2)])),
    ]


def scattering(of):
    at = lambda v, *s, high=2: v(*s, dtype=I64, low=0, high=high)
    o, f, v = of("scatter.src_out")
    index = torch.tensor([[0, 1, 2, 0], [2, 0, 1, 1]])
    yield o, [(label(d), Call(f, v(3, 4, dtype=d), 0, index, v(2, 4, dtype=d))) for d in SOME] + [
        ("last axis", Call(f, v(2, 5), -1, torch.tensor([[4, 0], [1, 3]]), v(2, 3))),
        ("empty index", Call(f, v(3, 4), 0, torch.zeros(0, 4, dtype=I64), v(2, 4))),
    ]
    o, f, v = of("scatter.value_out")
    yield o, [(label(d), Call(f, v(3, 4, dtype=d), 0, index, 1)) for d in SOME] + [
        ("fraction", Call(f, v(3, 4), 1, index, 2.5)),
        ("0-d", Call(f, v(), 0, torch.tensor(0), 3.0)),
    ]
    o, f, v = of("scatter_add.out")
    yield o, [(label(d), Call(f, v(3, 4, dtype=d), 0, at(v, 2, 4), v(2, 4, dtype=d))) for d in (F32, F64, F16, I64, I32, U8)] + [
        ("repeated", Call(f, v(3), 0, torch.tensor([1, 1, 1, 0]), v(4))),
        ("last axis", Call(f, v(3, 4), -1, at(v, 3, 6, high=3), v(3, 6))),
    ]


def creation(of):
    def ending(make):
        # the created tensor is the output; the input prevents constant folding of the program
        return lambda x: (make(), x)

    for name, call in (
        ("full.out", lambda f, s, d, v: f(s, 3, dtype=d)),
        ("ones.out", lambda f, s, d, v: f(s, dtype=d)),
        ("zeros.out", lambda f, s, d, v: f(s, dtype=d)),
    ):
        o, f, v = of(name)
        yield o, [(f"{label(d)}", Call(ending(lambda d=d, f=f, call=call: call(f, [2, 3], d, v)), v(2))) for d in ALL] + [
            (f"shape {s}", Call(ending(lambda s=s, f=f, call=call: call(f, s, F32, v)), v(2))) for s in ([], [0, 3], [5])
        ]
    o, f, v = of("full_like.out")
    yield o, [(label(d), Call(f, v(2, 3, dtype=d), 1)) for d in ALL] + [
        ("infinity", Call(f, v(2, 3), float("-inf"))),
        ("other dtype", Call(f, v(2, 3), 2.5, dtype=F16)),
        ("0-d", Call(f, v(), 3.0)),
        ("dynamic", Call(f, steps=[[v(n, 3), 1.5] for n in (4, 2)])),
    ]
    o, f, v = of("scalar_tensor.out")
    yield o, [(label(d), Call(ending(lambda d=d, f=f: f(1, dtype=d)), v(2))) for d in ALL] + [
        ("fraction", Call(ending(lambda f=f: f(-2.5, dtype=F32)), v(2)))
    ]
    o, f, v = of("arange.out")
    yield o, [
        (f"{e!r} {label(d)}", Call(ending(lambda e=e, d=d, f=f: f(e, dtype=d)), v(2)))
        for e, d in ((5, I64), (5, F32), (4.5, F32), (3, I32), (0, I64), (4, F16), (6, U8), (3, F64))
    ]
    o, f, v = of("arange.start_out")
    start_step = torch.ops.aten.arange.start_step
    yield o, [
        (f"{a!r} {b!r} {s!r} {label(d)}", Call(ending(lambda a=a, b=b, s=s, d=d: start_step(a, b, s, dtype=d)), v(2)))
        for a, b, s, d in (
            (1, 7, 2, I64),
            (0, 1, 0.25, F32),
            (5, 0, -2, I64),
            (-1.0, 1.0, 0.3, F32),
            (2, 2, 1, I64),
            (0, 10, 3, I32),
            (0, 1, 0.125, F16),
        )
    ]
    o, f, v = of("fill.Scalar_out")
    yield o, [(label(d), Call(f, v(2, 3, dtype=d), 1)) for d in ALL] + [
        ("fraction into f32", Call(f, v(2, 3), 0.5)),
        ("NaN", Call(f, v(3), float("nan"))),
        ("channels_last", Call(f, v(1, 2, 3, 4, channels_last=True), 2.0)),
    ]
    o, f, v = of("fill.Tensor_out")
    yield o, [(label(d), Call(f, v(2, 3, dtype=d), v(dtype=d))) for d in (F32, F16, I64, BOOL, F64)] + [
        ("i64 into f32", Call(f, v(2, 3), v(dtype=I64)))
    ]
    o, f, v = of("copy.out")
    yield o, [
        (f"{label(a, b)}", Call(f, v(2, 3, dtype=a), v(2, 3, dtype=b)))
        for a, b in ((F32, F32), (F32, I64), (I32, F32), (F16, F32), (F64, BF16), (BOOL, I32))
    ] + [("broadcast", Call(f, v(2, 3), v(3))), ("0-d", Call(f, v(2, 3), v()))]
    for name, check in (("rand.out", "uniform01"), ("randn.out", "normal01")):
        o, f, v = of(name)
        yield o, [(label(d), Call(ending(lambda d=d, f=f: f([50, 60], dtype=d)), v(2), check=check)) for d in (F32, F64)]
    o, f, v = of("native_dropout.out")
    yield o, [(f"{label(d)} inference", Call(f, v(3, 4, dtype=d), 0.5, False)) for d in (F32, F16)] + [
        ("probability 0", Call(f, v(3, 4), 0.0, True)),
        ("probability 1", Call(f, v(3, 4), 1.0, True)),
    ]


def pads(of):
    o, f, v = of("constant_pad_nd.out")
    yield o, [(label(d), Call(f, v(2, 3, dtype=d), [1, 2], 1)) for d in ALL] + [
        ("two axes", Call(f, v(1, 2, 3, 4), [1, 0, 0, 2], -1.5)),
        ("four axes", Call(f, v(1, 2, 2, 3), [1, 1, 0, 1, 2, 0, 0, 1], 0.5)),
        ("negative", Call(f, v(3, 4), [-1, 1], 0.0)),
        ("none", Call(f, v(2, 3), [0, 0], 3.0)),
        ("infinity", Call(f, v(2, 3), [1, 0], float("-inf"))),
        ("empty", Call(f, v(0, 3), [1, 1], 2.0)),
        ("1-d", Call(f, v(3), [2, 1], 0.0)),
        ("dynamic", Call(f, steps=[[v(n, 3), [1, 1], 0.0] for n in (4, 2)])),
    ]
    for kind in ("reflection", "replication"):
        for n in (1, 2, 3):
            o, f, v = of(f"{kind}_pad{n}d.out")
            shape, amounts = (3, 4, 5)[-n:], [1, 2, 0, 1, 2, 1][: 2 * n]
            yield o, [(label(d), Call(f, v(1, 2, *shape, dtype=d), amounts)) for d in (F32, F16, BF16, F64, I64, U8)] + [
                ("no batch", Call(f, v(2, *shape), amounts)),
                ("none", Call(f, v(1, 2, *shape), [0] * 2 * n)),
            ]
