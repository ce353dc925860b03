"""Variants of `executorch_prim`, of the shape queries and of in-place operators.
They are small programs, because none of these operators can stand alone.

Symbolic integers come from the extents of dynamic inputs. Every program runs with several extents on one loaded instance."""

import math

import torch

from .recording import Call
from .values import F32, I32, I64

EXTENTS = (4, 3, 7, 2)


def primitives(find, values_for):
    """Yields (operator, label, call)."""
    for table in (arithmetic, comparisons, queries, in_place):
        yield from table(values_for)


def dynamic(v, function, extents=EXTENTS, width=3, **keywords):
    return Call(function, steps=[[v(n, width)] for n in extents], standard=True, **keywords)


def sized(expression):
    """A program whose output's length is 2 + `expression(n)` for the input's first extent n, filled with ones; the 2
    keeps the exporter from demanding bounds that exclude lengths of 0 and 1."""
    return lambda x: torch.ops.aten.full.default([2 + expression(x.shape[0]), 2], 1.0)


def arithmetic(values_for):
    expressions = {
        "add.Scalar": [("n + 2", lambda n: n + 2), ("n + n", lambda n: n + n)],
        "sub.Scalar": [("n - 1", lambda n: n - 1), ("3n - n", lambda n: 3 * n - n)],
        "mul.Scalar": [("3n", lambda n: 3 * n), ("n squared", lambda n: n * n)],
        "floordiv.Scalar": [("n // 2", lambda n: n // 2), ("(n + 5) // 3", lambda n: (n + 5) // 3)],
        "mod.Scalar": [("n % 3 + n", lambda n: n % 3 + n), ("(n + 1) % 4 + n", lambda n: (n + 1) % 4 + n)],
        "truediv.Scalar": [("trunc(n / 2)", lambda n: math.trunc(n / 2))],
        "trunc.Scalar": [("trunc(n / 3)", lambda n: math.trunc(n / 3))],
        "ceil.Scalar": [("ceil(n / 2)", lambda n: math.ceil(n / 2)), ("ceil(n / 3)", lambda n: math.ceil(n / 3))],
        "round.Scalar": [("round(n / 2)", lambda n: round(n / 2)), ("round(n / 3)", lambda n: round(n / 3))],
        "neg.Scalar": [("n - -n", lambda n: n - (-n))],
        "sym_max.Scalar": [("max(n, 3)", lambda n: torch.sym_max(n, 3))],
        "sym_min.Scalar": [("min(n, 3)", lambda n: torch.sym_min(n, 3))],
        "sym_ite.Scalar": [
            ("2 if n > 3 else 5", lambda n: torch.sym_ite(n > 3, 2, 5)),
            ("n if n < 5 else n + 2", lambda n: torch.sym_ite(n < 5, n, n + 2)),
        ],
        "sym_float.Scalar": [("int(float(n) * 1.5)", lambda n: math.trunc(torch.sym_float(n) * 1.5))],
    }
    for name, choices in expressions.items():
        operator = f"executorch_prim::{name}"
        for text, expression in choices:
            yield operator, f"length {text}", dynamic(values_for(operator), sized(expression))
    operator = "executorch_prim::sym_float.Scalar"
    yield operator, "as a factor", dynamic(values_for(operator), lambda x: x * torch.sym_float(x.shape[0]))
    operator = "executorch_prim::neg.Scalar"
    yield operator, "as a factor", dynamic(values_for(operator), lambda x: x * (-x.shape[0]))
    operator = "executorch_prim::truediv.Scalar"
    yield operator, "as a factor", dynamic(values_for(operator), lambda x: x * (x.shape[0] / 4))


def comparisons(values_for):
    comparisons = {"eq": lambda n: n == 4, "gt": lambda n: n > 3, "ge": lambda n: n >= 4, "lt": lambda n: n < 4, "le": lambda n: n <= 2}
    for name, compare in comparisons.items():
        operator = f"executorch_prim::{name}.Scalar"
        yield operator, "chooses a length", dynamic(values_for(operator), sized(lambda n, compare=compare: torch.sym_ite(compare(n), 2, 5)))
    operator = "executorch_prim::sym_not.Scalar"
    yield operator, "chooses a length", dynamic(values_for(operator), sized(lambda n: torch.sym_ite(torch.sym_not(n > 3), 2, 5)))


def queries(values_for):
    operator = "aten::sym_size.int"
    yield operator, "as a length", dynamic(values_for(operator), lambda x: torch.ops.aten.full.default([x.shape[0], 2], 2.0))
    yield operator, "last axis", Call(
        lambda x: torch.ops.aten.full.default([2, x.shape[-1]], 2.0), steps=[[values_for(operator)(3, n)] for n in EXTENTS], standard=True
    )
    operator = "executorch_prim::et_view.default"
    yield operator, "flattened", dynamic(values_for(operator), lambda x: (x + 1).view(-1) * 2)
    yield operator, "split axis", dynamic(values_for(operator), lambda x: (x + 1).view(x.shape[0], 2, 2) * 2, width=4)
    yield operator, "joined axes", Call(
        lambda x: (x * 2).view(x.shape[0] * 2, 3) + 1, steps=[[values_for(operator)(n, 2, 3)] for n in EXTENTS], standard=True
    )
    operator = "aten::_local_scalar_dense"

    def sliced(x, n):
        count = n.item()
        torch._check_is_size(count)
        torch._check(count <= x.shape[0])
        return x.narrow(0, 0, count) * 2

    v = values_for(operator)
    yield operator, "i64 as a length", Call(sliced, v(6, 2), torch.tensor(3), standard=True)
    yield operator, "i32 as a length", Call(sliced, v(6, 2), torch.tensor(4, dtype=I32), standard=True)
    yield operator, "0 as a length", Call(sliced, v(6, 2), torch.tensor(0), standard=True)
    operator = "executorch_prim::et_copy_index.tensor"

    def mapped(xs, y):
        from functorch.experimental.control_flow import map as control_map

        return control_map(lambda x, y: x * 2 + y, xs, y)

    v = values_for(operator)
    yield operator, "map over rows", Call(mapped, v(4, 3), v(3), standard=True)
    yield operator, "map over matrices", Call(mapped, v(3, 2, 2), v(2, 2), standard=True)


class Accumulator(torch.nn.Module):
    """Adds its input to a buffer and returns the sum: the write-back is `copy_`."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(3))

    def forward(self, x):
        self.total.add_(x)
        return self.total * 1.0


class Cache(torch.nn.Module):
    """Writes rows into a buffer at given positions and returns the whole."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(5, 3))

    def forward(self, positions, x):
        self.rows.index_put_((positions,), x)
        return self.rows * 2.0


def in_place(values_for):
    operator = "aten::copy_"
    v = values_for(operator)
    yield operator, "running sum", Call(Accumulator, steps=[[v(3)] for _ in range(3)], stateful=True, standard=True)
    operator = "aten::index_put_"
    v = values_for(operator)
    yield operator, "rows at positions", Call(
        Cache, steps=[[torch.tensor(p), v(2, 3)] for p in ([0, 2], [4, 2], [1, 3])], stateful=True, standard=True, reinplace=True
    )
