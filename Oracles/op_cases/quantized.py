"""Variants of the quantised operators of `quantized_decomposed`."""

import torch
import executorch.exir.passes._quant_patterns_and_replacements  # noqa: F401  (declares the embedding and mixed operators)
import torch.ao.quantization.fx._decomposed  # noqa: F401

from .recording import Call
from .elementwise import label
from .values import BF16, F16, F32, F64, I16, I32, I64, I8, U8

_declared = torch.library.Library("quantized_decomposed", "FRAGMENT")


def _mixed_mm(x, weight, scales, zero_points):
    """[m,k] by int8 [k,n] with a scale per row."""
    return x @ (weight.to(x.dtype) * scales.reshape(-1, 1).to(x.dtype))


def _mixed_linear(x, weight, scales, zero_points, dtype=None):
    """[m,k] by the transpose of int8 [n,k] with a scale per row and group of consecutive columns."""
    scales = scales.reshape(weight.shape[0], -1)
    wide = scales.repeat_interleave(weight.shape[1] // scales.shape[1], 1)
    return (x.float() @ (weight.float() * wide.float()).t()).to(dtype or x.dtype)


def _add(a, a_scale, a_zero, a_low, a_high, b, b_scale, b_zero, b_low, b_high, scale, zero, low, high):
    """The sum of two quantised tensors, quantised."""
    total = (a.float() - a_zero) * a_scale + (b.float() - b_zero) * b_scale
    return torch.clamp(torch.round(total * (1.0 / scale)) + zero, low, high).to(a.dtype)


# Upstream declares these three without an implementation for tracing.
for _name, _function in (("mixed_mm", _mixed_mm), ("mixed_linear", _mixed_linear), ("add", _add)):
    _declared.impl(_name, _function, "CompositeExplicitAutograd")

RANGES = {I8: (-128, 127), U8: (0, 255), I16: (-32768, 32767), I32: (-(2**31), 2**31 - 1)}


def quantized(find, values_for):
    """Yields (operator, label, call)."""

    def of(name):
        operator = f"quantized_decomposed::{name}"
        return operator, find(operator), values_for(operator)

    for table in (per_tensor, per_channel_and_token, weights):
        for operator, cases in table(of):
            yield from ((operator, l, c) for l, c in cases)


def per_tensor(of):
    o, f, v = of("quantize_per_tensor.out")
    yield o, [
        (f"{label(a, b)} zero point {z}", Call(f, v(3, 9, dtype=a), 0.031, z, *RANGES[b], b))
        for a in (F32, F16, BF16, F64)
        for b, z in ((I8, 3), (U8, 130), (I16, 0), (I32, -7))
    ] + [
        ("ties", Call(f, torch.arange(-6, 7) * 0.5, 1.0, 0, -128, 127, I8)),
        ("saturation and infinities", Call(f, torch.tensor([1e9, -1e9, float("inf"), float("-inf"), 0.0]), 0.1, 5, -128, 127, I8)),
        ("narrow range", Call(f, v(3, 5), 0.5, 0, -8, 7, I8)),
        ("0-d", Call(f, v(), 0.1, 0, -128, 127, I8)),
        ("empty", Call(f, v(0, 3), 0.1, 0, -128, 127, I8)),
        ("dynamic", Call(f, steps=[[v(n, 3), 0.1, 0, -128, 127, I8] for n in (4, 2)])),
    ]
    o, f, v = of("dequantize_per_tensor.out")
    yield o, [
        (f"{label(b)} zero point {z}", Call(f, v(3, 9, dtype=b), 0.031, z, *RANGES[b], b))
        for b, z in ((I8, 3), (U8, 13), (I16, 0), (I32, -7))
    ] + [(f"to {label(t)}", Call(f, v(3, 5, dtype=I8), 0.25, -2, -128, 127, I8, out_dtype=t)) for t in (F32, F16, F64, BF16)] + [
        ("0-d", Call(f, v(dtype=I8), 0.1, 0, -128, 127, I8)),
        ("empty", Call(f, v(0, dtype=U8), 0.1, 0, 0, 255, U8)),
    ]
    scale, zero = lambda: torch.tensor(0.05, dtype=F64), lambda z=4: torch.tensor(z, dtype=I64)
    o, f, v = of("quantize_per_tensor.Tensor_out")
    yield o, [(f"{label(b)}", Call(f, v(3, 9), scale(), zero(), *RANGES[b], b)) for b in (I8, U8, I16, I32)] + [
        ("f32 scale", Call(f, v(3, 4), scale().float(), zero(), -128, 127, I8)),
        ("one-element scale", Call(f, v(3, 4), scale().reshape(1), zero().reshape(1), -128, 127, I8)),
        ("f32 scale, i32 zero point", Call(f, v(3, 4), scale().float(), zero().int(), -128, 127, I8)),
    ]
    o, f, v = of("dequantize_per_tensor.Tensor_out")
    yield o, [(f"{label(b)}", Call(f, v(3, 9, dtype=b), scale(), zero(), *RANGES[b], b)) for b in (I8, U8, I16, I32)] + [
        ("f32 scale", Call(f, v(3, 4, dtype=I8), scale().float(), zero(), -128, 127, I8)),
        ("to f16", Call(f, v(3, 4, dtype=I8), scale(), zero(), -128, 127, I8, out_dtype=F16)),
    ]
    o, f, v = of("choose_qparams.Tensor_out")
    values = {
        "mixed signs": v(4, 9),
        "positive": v(3, 5).abs() + 1,
        "negative": -(v(3, 5).abs() + 1),
        "zeros": torch.zeros(2, 3),
        "one value": torch.full((3,), 2.5),
        "tiny": v(3, 4) * 1e-9,
        "large": v(3, 4) * 1e6,
    }
    yield o, [
        (f"{l} {label(b)}", Call(f, t, *r, 1e-5, b))
        for l, t in values.items()
        for b, r in ((I8, (-128, 127)), (U8, (0, 255)), (I8, (-127, 127)))
    ]
    o, f, v = of("add.out")
    yield o, [
        (f"{label(b)} {s}", Call(f, v(3, 5, dtype=b), 0.1, z, *RANGES[b], v(*s, dtype=b), 0.07, z + 1, *RANGES[b], 0.13, z - 1, *RANGES[b]))
        for b, z in ((I8, 2), (U8, 20))
        for s in ((3, 5),)
    ] + [("saturating", Call(f, v(3, 5, dtype=I8), 9.0, 0, -128, 127, v(3, 5, dtype=I8), 9.0, 0, -128, 127, 0.5, 0, -128, 127))]


def per_channel_and_token(of):
    for name in ("quantize_per_channel.out", "dequantize_per_channel.out"):
        o, f, v = of(name)
        quantise = name.startswith("quant")
        source = (lambda *s, b: v(*s)) if quantise else (lambda *s, b: v(*s, dtype=b))
        cases = [
            (
                f"{label(b)} axis {a}",
                Call(
                    f,
                    source(3, 4, 2, b=b),
                    v([3, 4, 2][a], low=0.02, high=0.2, dtype=F64),
                    v([3, 4, 2][a], dtype=I64, low=-4 if b is not U8 else 0, high=9),
                    a,
                    *RANGES[b],
                    b,
                ),
            )
            for b in (I8, U8, I16, I32)
            for a in (0, 1, -1)
        ]
        cases += [
            ("f32 scales", Call(f, source(3, 4, b=I8), v(3, low=0.02, high=0.2), torch.zeros(3, dtype=I64), 0, -128, 127, I8)),
            ("narrow range", Call(f, source(3, 4, b=I8), v(4, low=0.2, high=0.5, dtype=F64), torch.zeros(4, dtype=I64), 1, -8, 7, I8)),
        ]
        if not quantise:
            cases += [
                ("no zero points", Call(f, source(3, 4, b=I8), v(3, low=0.02, high=0.2), None, 0, -128, 127, I8)),
                (
                    "to f16",
                    Call(f, source(3, 4, b=I8), v(3, low=0.02, high=0.2), torch.ones(3, dtype=I64), 0, -128, 127, I8, out_dtype=F16),
                ),
                ("f32 zero points", Call(f, source(3, 4, b=I8), v(3, low=0.02, high=0.2), v(3), 0, -128, 127, I8)),
            ]
        yield o, cases
    o, f, v = of("choose_qparams_per_token_asymmetric.out")
    yield o, [(f"shape {s}", Call(f, v(*s), I8)) for s in ((4, 9), (2, 3, 5), (1, 1), (1, 40))] + [
        ("zeros", Call(f, torch.zeros(2, 4), I8)),
        ("positive", Call(f, v(3, 5).abs(), I8)),
        ("f16", Call(f, v(3, 5, dtype=F16), I8)),
    ]
    token = lambda v, n, s=1: (v(*n[:-1], s, low=0.02, high=0.2, dtype=F64), v(*n[:-1], s, dtype=I64))
    o, f, v = of("quantize_per_token.out")
    yield o, [(f"shape {s}", Call(f, v(*s), *token(v, s), -128, 127, I8)) for s in ((4, 9), (2, 3, 5), (1, 1))] + [
        ("4-bit range", Call(f, v(4, 5), *token(v, (4, 5)), -8, 7, I8))
    ]
    o, f, v = of("dequantize_per_token.out")
    yield o, [(f"shape {s}", Call(f, v(*s, dtype=I8), *token(v, s), -128, 127, I8, F32)) for s in ((4, 9), (2, 3, 5), (1, 1))] + [
        ("f32 scales", Call(f, v(4, 5, dtype=I8), v(4, 1, low=0.02, high=0.2), v(4, 1, dtype=I64), -128, 127, I8, F32)),
        ("to f16", Call(f, v(4, 5, dtype=I8), *token(v, (4, 5)), -128, 127, I8, F16)),
    ]


def weights(of):
    for bits in ("byte", "4bit", "2bit"):
        for suffix in ("", "dtype_"):
            o, f, v = of(f"embedding_{bits}.{suffix}out")
            packed = {"byte": 1, "4bit": 2, "2bit": 4}[bits]
            low, high = {"byte": (-128, 127), "4bit": (-8, 7), "2bit": (-2, 1)}[bits]
            cases = []
            for dtype in (F32, F16) if not suffix else (F32, F16, BF16):
                for groups in (0, 2):
                    for zeros in (False, True):
                        table = (
                            v(6, 16 // packed, dtype=I8, low=-99, high=99)
                            if bits == "byte"
                            else v(6, 16 // packed, dtype=U8, low=0, high=255)
                        )
                        shape = (6, groups) if groups else (6,)
                        scales = v(*shape, low=0.02, high=0.2, dtype=dtype)
                        points = v(*shape, low=-2, high=2, dtype=dtype).round() if zeros else None
                        keywords = {"dtype": dtype} if suffix else {}
                        ids = v(2, 3, dtype=I64, low=0, high=5)
                        cases.append(
                            (
                                f"{label(dtype)} groups {groups or 1} zero points {zeros}",
                                Call(f, table, scales, points, low, high, ids, **keywords),
                            )
                        )
            cases.append(
                (
                    "i32 ids",
                    Call(
                        f,
                        table,
                        v(6, low=0.02, high=0.2),
                        None,
                        low,
                        high,
                        v(4, dtype=I32, low=0, high=5),
                        **({"dtype": F32} if suffix else {}),
                    ),
                )
            )
            yield o, cases
    o, f, v = of("mixed_mm.out")
    yield o, [
        (f"{label(d)} {m} x {k} x {n}", Call(f, v(m, k, dtype=d), v(k, n, dtype=I8), v(k, low=0.02, high=0.2, dtype=d), None))
        for d in (F32, F16)
        for m, k, n in ((3, 5, 4), (1, 33, 17))
    ]
    o, f, v = of("mixed_linear.out")
    yield o, [
        (
            f"{label(d)} groups {g}",
            Call(f, v(3, 8, dtype=d), v(5, 8, dtype=I8), v(*((5, g) if g > 1 else (5,)), low=0.02, high=0.2, dtype=d), None),
        )
        for d in (F32, F16)
        for g in (1, 2)
    ] + [("to f16", Call(f, v(3, 8), v(5, 8, dtype=I8), v(5, low=0.02, high=0.2), None, F16))]
