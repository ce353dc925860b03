"""Variants of the elementwise operators: unary, binary, comparison, logical, bitwise, their scalar overloads, clamping, casting."""

import torch

from .recording import Call
from .values import ALL, BF16, BOOL, F16, F32, F64, FLOATS, I16, I32, I64, I8, INTS, SHORT, U8

# name: (range of the finite inputs or None, integer inputs too)
UNARY = {
    name: (None, True)
    for name in (
        "abs asinh atan ceil cos erf exp expm1 floor isinf isnan logical_not neg relu round".split()
        + "sigmoid sign sin sinh cosh tan tanh trunc".split()
    )
}
UNARY |= {name: ((-1.2, 1.2), True) for name in "acos asin atanh".split()}
UNARY |= {name: ((-0.5, 9.0), True) for name in "acosh log log10 log1p log2 rsqrt sqrt reciprocal".split()}
UNARY |= {name: (None, True) for name in "alias_copy detach_copy clone".split()}
NO_NEGATIVE_BOOL = {"neg", "sign", "relu", "bitwise_not"}

MIXED = [
    (F32, I64),
    (I32, F32),
    (F16, F32),
    (BF16, F16),
    (I8, U8),
    (U8, I16),
    (BOOL, I64),
    (F32, BOOL),
    (F64, F32),
    (I64, F16),
    (BF16, F32),
]

# name: (domain of the right operand, dtypes)
BINARY = {
    "add.out": (None, ALL),
    "sub.out": (None, FLOATS + INTS),
    "mul.out": (None, ALL),
    "div.out": ("nonzero", ALL),
    "maximum.out": (None, ALL),
    "minimum.out": (None, ALL),
    "atan2.out": (None, ALL),
    "floor_divide.out": ("nonzero", FLOATS + INTS),
    "fmod.Tensor_out": ("nonzero", FLOATS + INTS),
    "remainder.Tensor_out": ("nonzero", FLOATS + INTS),
    "pow.Tensor_Tensor_out": ("exponent", FLOATS + INTS),
}
BINARY |= {f"{name}.Tensor_out": (None, ALL) for name in "eq ne lt le gt ge".split()}
BINARY |= {f"logical_{name}.out": (None, ALL) for name in "and or xor".split()}
BITWISE = {f"bitwise_{name}.Tensor_out": (None, INTS + [BOOL]) for name in "and or xor".split()}
BITWISE |= {f"bitwise_{name}_shift.Tensor_out": ("shift", INTS) for name in "left right".split()}


def label(*dtypes):
    return " ".join(SHORT[d] for d in dtypes)


def unary(op, v, name):
    if name == "clone":  # keep the operator from becoming dim_order_ops::_clone_dim_order
        yield from ((l, Call(c.function, steps=c.steps, dim_order=False)) for l, c in unary(op, v, "alias_copy"))
        return
    domain, integers = UNARY.get(name, (None, True))
    low, high = domain or (None, None)
    make = lambda *s, **k: v(*s, low=low if k.get("dtype", F32).is_floating_point else None, high=high, **k)
    for dtype in FLOATS:
        yield f"{label(dtype)} with NaN, infinities and zeros", Call(op, make(4, 9, dtype=dtype, special=True))
    for dtype in INTS + [BOOL] if integers else []:
        if dtype is not BOOL or name not in NO_NEGATIVE_BOOL:
            yield label(dtype), Call(op, v(3, 7, dtype=dtype, low=0 if domain and low >= -0.5 else None))
    yield "f32 0-d", Call(op, make())
    yield "f32 empty", Call(op, make(0, 3))
    yield "f32 channels_last", Call(op, make(2, 3, 4, 5, channels_last=True))
    yield "f32 above one vector", Call(op, make(5, 131))
    yield "f32 dynamic", Call(op, steps=[[make(4, 3)], [make(2, 3)], [make(6, 3)]])


def right_operand(v, domain, shape, dtype):
    if domain == "shift":
        return v(*shape, dtype=dtype, low=0, high=5)
    if domain == "exponent":
        return v(*shape, dtype=dtype, low=-2, high=3) if dtype.is_floating_point else v(*shape, dtype=dtype, low=0, high=3)
    return v(*shape, dtype=dtype, nonzero=domain == "nonzero" and dtype is not BOOL)


def binary(op, v, name, domain, dtypes):
    right = lambda *shape, dtype=F32: right_operand(v, domain, shape, dtype)
    for dtype in dtypes:
        if dtype is BOOL and domain:
            continue
        yield label(dtype), Call(op, v(3, 5, dtype=dtype), right(3, 5, dtype=dtype))
    for a, b in MIXED:
        if a in dtypes and b in dtypes and not (b is BOOL and domain):
            yield f"mixed {label(a, b)}", Call(op, v(2, 5, dtype=a), right(2, 5, dtype=b))
    base = F32 if F32 in dtypes else I32
    shapes = [
        ((3, 1), (1, 4)),
        ((2, 3, 4), (4,)),
        ((4,), (2, 3, 4)),
        ((2, 3), ()),
        ((), (2, 3)),
        ((), ()),
        ((0, 3), (1, 3)),
        ((1, 1, 1, 5), (2, 3, 4, 1)),
        ((33, 17), (33, 17)),
        ((2, 1, 4, 1, 2), (3, 1, 2, 1)),
        ((6, 5), (6, 1)),
    ]
    for a, b in shapes:
        yield f"{label(base)} shapes {list(a)} {list(b)}", Call(op, v(*a, dtype=base), right(*b, dtype=base))
    yield "dynamic", Call(op, steps=[[v(n, 3, dtype=base), right(n, 3, dtype=base)] for n in (4, 2, 5)])
    cl = lambda t: t.contiguous(memory_format=torch.channels_last)
    yield "channels_last", Call(op, cl(v(2, 3, 4, 5, dtype=base)), cl(right(2, 3, 4, 5, dtype=base)))
    if F32 in dtypes:
        special = v(4, 8, special=True)
        yield "NaN and infinities left", Call(op, special, right(4, 8))
        yield "NaN and infinities right", Call(op, v(4, 8), v(4, 8, special=True))
        yield "NaN and infinities in both", Call(op, special, special.flip(1).contiguous())
        yield "mixed f32 with 0-d i64", Call(op, v(3, 3), right(dtype=I64))
        yield "mixed i64 with 0-d f32", Call(op, v(3, 3, dtype=I64), right())
        yield "mixed f16 with 0-d f32", Call(op, v(3, 3, dtype=F16), right())


def scalar_variants(op, values, v, dtypes, exact_zero=False):
    for dtype in dtypes:
        for value in values:
            if dtype is BOOL and isinstance(value, float) or (dtype is U8 and value < 0):
                continue
            yield f"{label(dtype)} with {value!r}", Call(op, v(3, 4, dtype=dtype), value)
    base = dtypes[0]
    yield f"{label(base)} 0-d", Call(op, v(dtype=base), values[0])
    yield f"{label(base)} empty", Call(op, v(2, 0, dtype=base), values[0])
    if base.is_floating_point:
        yield f"{label(base)} with NaN and infinities", Call(op, v(4, 5, special=True), values[0])


def elementwise(find, values_for):
    """Yields (operator, label, call); `find` maps an out variant's name to the functional overload."""
    for name in UNARY:
        operator = f"aten::{name}.out"
        op, v = find(operator), values_for(operator)
        yield from ((operator, l, c) for l, c in unary(op, v, name))
    for table in (BINARY, BITWISE):
        for name, (domain, dtypes) in table.items():
            operator = f"aten::{name}"
            yield from ((operator, l, c) for l, c in binary(find(operator), values_for(operator), name, domain, dtypes))
    for operator, cases in others(find, values_for):
        yield from ((operator, l, c) for l, c in cases)


def others(find, values_for):
    arithmetic = {"add": [2, 1.5, -3], "sub": [2, 1.5], "mul": [3, -0.5], "div": [2, -0.5], "fmod": [3, 1.5, -2], "remainder": [3, 1.5, -2]}
    for name, values in arithmetic.items():
        operator = f"aten::{name}.Scalar_out"
        op, v = find(operator), values_for(operator)
        cases = list(scalar_variants(op, values, v, [F32, F16, BF16, F64, I32, I64, U8] + ([BOOL] if name in ("add", "mul") else [])))
        if name in ("add", "sub"):
            cases += [("f32 alpha", Call(op, v(3, 4), 2.0, 0.5)), ("i32 alpha", Call(op, v(3, 4, dtype=I32), 2, 3))]
        yield operator, cases
    for name in ("add", "sub"):
        operator = f"aten::{name}.out"
        op, v = find(operator), values_for(operator + " alpha")
        yield operator, [
            (f"{label(d)} alpha", Call(op, v(3, 4, dtype=d), v(4, dtype=d), alpha=a))
            for d, a in ((F32, -0.5), (F16, 2), (BF16, 2), (I32, 3), (I64, -2), (F64, 0.25))
        ]
    operator = "aten::rsub.Scalar_out"
    yield operator, list(scalar_variants(find(operator), [2, 1.5], values_for(operator), [F32, F16, I32, I64])) + [
        ("f32 alpha", Call(find(operator), values_for(operator)(3, 4), 2.0, 0.5))
    ]
    for name in "eq ne lt le gt ge".split():
        operator = f"aten::{name}.Scalar_out"
        yield operator, list(scalar_variants(find(operator), [0, 1.5, -3], values_for(operator), [F32, F16, BF16, I32, I64, U8, BOOL]))
    for name in "and or xor".split():
        operator = f"aten::bitwise_{name}.Scalar_out"
        yield operator, list(scalar_variants(find(operator), [5, 12], values_for(operator), INTS))
    for name in "left right".split():
        operator = f"aten::bitwise_{name}_shift.Tensor_Scalar_out"
        yield operator, list(scalar_variants(find(operator), [1, 3], values_for(operator), INTS))
    operator = "aten::bitwise_not.out"
    op, v = find(operator), values_for(operator)
    yield operator, [(label(d), Call(op, v(3, 5, dtype=d))) for d in INTS + [BOOL]] + [("i32 empty", Call(op, v(0, 2, dtype=I32)))]
    for operator, values in (("aten::pow.Tensor_Scalar_out", [2, 0.5, 3, -1.0, 0]), ("aten::pow.Scalar_out", [2, 0.5, 1])):
        op, v = find(operator), values_for(operator)
        cases = []
        for d in [F32, F16, BF16, F64, I32, I64]:
            for value in values:
                base = v(3, 4, dtype=d, low=0, high=4)
                if d.is_floating_point or value in (2, 3):
                    cases.append((f"{label(d)} with {value!r}", Call(op, *((base, value) if "Tensor_S" in operator else (value, base)))))
        cases.append(
            (
                "f32 with NaN and infinities",
                Call(op, *((v(4, 4, special=True), 2) if "Tensor_S" in operator else (2, v(4, 4, special=True)))),
            )
        )
        yield operator, cases
    for operator in ("aten::div.out_mode", "aten::div.Scalar_mode_out"):
        op, v = find(operator), values_for(operator)
        scalar, cases = "Scalar" in operator, []
        for mode in ("floor", "trunc", None):
            for d in [F32, F64, F16, BF16] + INTS:
                right = (3 if not d.is_floating_point else -1.5) if scalar else v(3, 5, dtype=d, nonzero=True)
                cases.append((f"{label(d)} {mode}", Call(op, v(3, 5, dtype=d), right, rounding_mode=mode)))
            if not scalar:
                cases += [
                    (f"mixed {label(a, b)} {mode}", Call(op, v(2, 5, dtype=a), v(2, 5, dtype=b, nonzero=True), rounding_mode=mode))
                    for a, b in ((F32, I64), (I32, F16), (I8, I64))
                ]
                cases.append((f"NaN and infinities {mode}", Call(op, v(4, 5, special=True), v(4, 5), rounding_mode=mode)))
                cases.append(
                    (f"float division by zero {mode}", Call(op, torch.tensor([1.0, -1.0, 0.0]), torch.zeros(3), rounding_mode=mode))
                )
        yield operator, cases
    operator = "aten::clamp.out"
    op, v = find(operator), values_for(operator)
    yield operator, [
        (f"{label(d)} {a!r} {b!r}", Call(op, v(3, 5, dtype=d), a, b))
        for d in [F32, F64, F16, BF16, I8, I16, I32, I64, U8]
        for a, b in ((1, 4), (None, 3), (0, None))
    ] + [
        ("f32 NaN and infinities", Call(op, v(4, 4, special=True), -1.0, 1.0)),
        ("i32 with float bounds", Call(op, v(3, 4, dtype=I32), -1.5, 2.5)),
        ("f32 low above high", Call(op, v(3, 4), 2.0, -2.0)),
        ("channels_last", Call(op, v(1, 3, 2, 4, channels_last=True), 0.0, 1.0)),
        ("dynamic", Call(op, steps=[[v(n, 3), -1.0, 1.0] for n in (3, 5)])),
    ]
    operator = "aten::clamp.Tensor_out"
    op, v = find(operator), values_for(operator)
    yield operator, [
        (label(d), Call(op, v(3, 4, dtype=d), v(3, 4, dtype=d, low=0, high=2), v(3, 4, dtype=d, low=3, high=6))) for d in FLOATS + INTS
    ] + [
        ("only low", Call(op, v(3, 4), v(4), None)),
        ("only high", Call(op, v(3, 4), None, v(3, 1))),
        ("broadcast", Call(op, v(3, 1), v(1, 4), v(2, 1, 1))),
        ("mixed", Call(op, v(3, 4, dtype=I32), v(4), v(4, dtype=I64))),
        ("NaN", Call(op, v(3, 5, special=True), v(5), v(5))),
    ]
    operator = "aten::where.self_out"
    op, v = find(operator), values_for(operator)
    yield operator, [(label(d), Call(op, v(3, 4, dtype=BOOL), v(3, 4, dtype=d), v(3, 4, dtype=d))) for d in ALL] + [
        ("broadcast", Call(op, v(3, 1, dtype=BOOL), v(1, 4), v(2, 1, 1))),
        ("0-d", Call(op, v(3, dtype=BOOL), v(), v(3))),
        ("u8 condition", Call(op, v(3, 4, dtype=U8, low=0, high=1), v(3, 4), v(3, 4))),
        ("mixed f32 i64", Call(op, v(3, 4, dtype=BOOL), v(3, 4), v(3, 4, dtype=I64))),
        ("empty", Call(op, v(0, 4, dtype=BOOL), v(0, 4), v(4))),
        ("dynamic", Call(op, steps=[[v(n, 4, dtype=BOOL), v(n, 4), v(4)] for n in (3, 5, 2)])),
    ]
    activations = {
        "elu.out": [(), (0.5,), (1.0, 1.5, 0.7)],
        "leaky_relu.out": [(), (0.2,), (-0.3,)],
        "hardtanh.out": [(), (-2.0, 0.5), (0.0, 6.0)],
        "logit.out": [(None,), (0.1,)],
    }
    for name, choices in activations.items():
        operator = f"aten::{name}"
        op, v = find(operator), values_for(operator)
        unit = dict(low=0.02, high=0.98) if name == "logit.out" else {}
        cases = [(f"{label(d)} {extra}", Call(op, v(3, 6, dtype=d, **unit), *extra)) for d in FLOATS for extra in choices]
        cases += [
            ("f32 NaN and infinities", Call(op, v(4, 5, special=True), *choices[0])),
            ("f32 empty", Call(op, v(0, **unit), *choices[0])),
            ("f32 0-d", Call(op, v(**unit), *choices[-1])),
            ("channels_last", Call(op, v(1, 3, 2, 4, channels_last=True, **unit), *choices[-1])),
            ("i32", Call(op, v(3, 4, dtype=I32), *choices[-1])),
            ("dynamic", Call(op, steps=[[v(n, 3, **unit), *choices[0]] for n in (3, 5)])),
        ]
        yield operator, cases
    operator = "aten::gelu.out"
    op, v = find(operator), values_for(operator)
    yield operator, [(f"{label(d)} {mode}", Call(op, v(3, 40, dtype=d), approximate=mode)) for d in FLOATS for mode in ("none", "tanh")] + [
        (f"NaN and infinities {mode}", Call(op, v(4, 5, special=True), approximate=mode)) for mode in ("none", "tanh")
    ]
    yield from casting(find, values_for)


def casting(find, values_for):
    operator = "aten::_to_copy.out"
    op, v = find(operator), values_for(operator)
    pairs = [(a, b) for a in ALL for b in ALL if a is not b]
    source = lambda d: v(3, 5, dtype=d, low=0, high=9) if d in FLOATS else v(3, 5, dtype=d)
    yield operator, [(label(a, b), Call(op, source(a), dtype=b, dim_order=False)) for a, b in pairs[::2]]
    operator = "dim_order_ops::_to_dim_order_copy.out"
    v = values_for(operator)
    to = lambda dtype=None, memory_format=torch.preserve_format: lambda x: torch.ops.aten._to_copy.default(
        x, dtype=dtype, memory_format=memory_format
    )
    cases = [(label(a, b), Call(to(b), source(a))) for a, b in pairs[1::2]]
    cases += [
        ("f32 to bool with NaN", Call(to(BOOL), v(3, 5, special=True))),
        ("f32 to f16 overflow", Call(to(F16), torch.tensor([1e5, -1e5, 65504.0, 65520.0, 1e-8]))),
        ("f32 to bf16 rounding", Call(to(BF16), v(7, 9))),
        ("f64 to f32 overflow", Call(to(F32), torch.tensor([1e300, -1e300, 0.1], dtype=F64))),
        ("fraction to i32", Call(to(I32), torch.tensor([-1.9, -0.5, 0.5, 1.5, 2.5, 1e6]))),
        ("i64 to u8 wraps", Call(to(U8), torch.tensor([255, 256, -1, 1000]))),
        ("i32 to i8 wraps", Call(to(I8), torch.tensor([127, 128, -129, 1000], dtype=I32))),
        ("empty", Call(to(F16), v(0, 3))),
        ("0-d", Call(to(I64), v())),
        ("to channels_last", Call(to(None, torch.channels_last), v(2, 3, 4, 5))),
        ("to channels_last f16", Call(to(F16, torch.channels_last), v(2, 3, 4, 5))),
        ("from channels_last", Call(to(None, torch.contiguous_format), v(2, 3, 4, 5, channels_last=True))),
        ("preserve channels_last", Call(to(F64), v(2, 3, 4, 5, channels_last=True))),
        ("dynamic", Call(to(F16), steps=[[v(n, 3)] for n in (4, 2)])),
    ]
    yield operator, cases
    operator = "dim_order_ops::_clone_dim_order.out"
    v = values_for(operator)
    clone = lambda memory_format: lambda x: torch.ops.aten.clone.default(x, memory_format=memory_format)
    yield operator, [(label(d), Call(clone(torch.preserve_format), v(3, 4, dtype=d))) for d in ALL] + [
        ("channels_last", Call(clone(torch.preserve_format), v(2, 3, 4, 5, channels_last=True))),
        ("to channels_last", Call(clone(torch.channels_last), v(2, 3, 4, 5))),
        ("to contiguous", Call(clone(torch.contiguous_format), v(2, 3, 4, 5, channels_last=True))),
        ("empty", Call(clone(torch.preserve_format), v(0))),
    ]
    operator = "dim_order_ops::_empty_dim_order.out"
    v = values_for(operator)
    yield operator, [
        (
            "filled afterwards",
            Call(lambda x: torch.ops.aten.fill.Scalar(torch.ops.aten.empty.memory_format([2, 3], dtype=F32), 2.0) + x, v(2, 3)),
        )
    ]
    operator = "aten::empty.out"
    yield operator, [
        (
            "filled afterwards",
            Call(
                lambda x: torch.ops.aten.fill.Scalar(torch.ops.aten.empty.memory_format([2, 3], dtype=F32), 2.0) + x,
                v(2, 3),
                dim_order=False,
            ),
        )
    ]
