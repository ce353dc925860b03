"""Exports the program with custom operators that the tests of `CustomOperator` use.

  python make_custom_operator_fixture.py [--root REPOSITORY]

Writes Tests/MartletTests/Fixtures/custom_operators.pte and prints the outputs of torch for the inputs of the tests. Methods:

  forward   up to 8 rows; a custom operator between two of torch's, with a constant shift
  extremes  an operator with two outputs, one of which is used twice, with a list of integers and a flag
  tiled     an operator with a list of tensors, an absent one, a string, and a count that the program computes
  listed    an operator whose outputs are a list of tensors
  constant  an operator on constants only
"""
import argparse
import pathlib
import warnings

warnings.filterwarnings("ignore")
import torch
from torch import nn

from executorch.exir import EdgeCompileConfig, to_edge

LIBRARY = torch.library.Library("martlet_test", "DEF")


def operator(schema, results, compute):
    """Defines `schema` with its out form, `results` being its returns; `compute` gives a tuple of new tensors."""
    name, _ = schema.split("(", 1)
    returns = [f"Tensor({'ab'[i]}!) {out}" for i, out in enumerate(results)]
    if results == ["out[]"]:
        LIBRARY.define(f"{schema} -> Tensor[]")
        LIBRARY.define(f"{name}.out({schema[len(name) + 1:-1]}, *, Tensor(a!)[] out) -> ()")
    else:
        plain = ", ".join("Tensor" for _ in results)
        plain = f"({plain})" if len(results) > 1 else plain
        LIBRARY.define(f"{schema} -> {plain}")
        aliases = ", ".join(f"Tensor({'ab'[i]}!)" for i in range(len(results)))
        aliases = f"({aliases})" if len(results) > 1 else aliases
        LIBRARY.define(f"{name}.out({schema[len(name) + 1:-1]}, *, {', '.join(returns)}) -> {aliases}")

    def functional(*args, **keywords):
        values = compute(*args, **keywords)
        return values[0] if len(results) == 1 and results != ["out[]"] else (list(values) if results == ["out[]"] else values)

    def out(*args, **keywords):
        outs = [keywords.pop(r) for r in results] if results != ["out[]"] else keywords.pop("out")
        for target, value in zip(outs, compute(*args, **keywords)):
            target.resize_(value.shape).copy_(value)
        return None if results == ["out[]"] else (outs[0] if len(outs) == 1 else tuple(outs))

    LIBRARY.impl(name, functional, "CompositeExplicitAutograd")
    LIBRARY.impl(f"{name}.out", out, "CompositeExplicitAutograd")


def scale_shift(x, scale, shift=None):
    return (x * scale + (0 if shift is None else shift),)


def extremes(x, axes, keep):
    return x.amin(axes, keepdim=keep), x.amax(axes, keepdim=keep)


def tile(xs, extra, count, mode):
    total = sum(xs) if mode == "sum" else xs[0]
    total = total if extra is None else total + extra
    return (total.unsqueeze(0).expand(count, *total.shape).clone(),)


def halves(x):
    middle = x.shape[-1] // 2
    return x[..., :middle].clone(), x[..., middle:].clone()


operator("scale_shift(Tensor x, float scale, Tensor? shift=None)", ["out"], scale_shift)
operator("extremes(Tensor x, int[] axes, bool keep)", ["low", "high"], extremes)
operator("tile(Tensor[] xs, Tensor? extra, SymInt count, str mode)", ["out"], tile)
operator("halves(Tensor x)", ["out[]"], halves)
OPS = torch.ops.martlet_test


class Forward(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("shift", torch.tensor([0.5]))

    def forward(self, x):
        return torch.relu(OPS.scale_shift((x - 1).permute(1, 0), 2.0, self.shift)) + 3


class Extremes(nn.Module):
    def forward(self, x):
        low, high = OPS.extremes(x, [0, -1], True)
        return high - low, high


class Tiled(nn.Module):
    def forward(self, x, y):
        return OPS.tile([x, y], None, x.shape[0] * 2, "sum")


class Listed(nn.Module):
    def forward(self, x):
        first, second = OPS.halves(x)
        return first * second


class Constant(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.arange(4.0))

    def forward(self, x):
        return x + OPS.scale_shift(self.weight, 10.0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    target = parser.parse_args().root / "Tests/MartletTests/Fixtures/custom_operators.pte"
    rows = torch.export.Dim("rows", min=1, max=8)
    x = torch.arange(6.0).reshape(2, 3) - 2
    methods = {
        "forward": (Forward(), (x,), {"x": {0: rows}}),
        "extremes": (Extremes(), (torch.arange(12.0).reshape(2, 3, 2) - 3,), None),
        "tiled": (Tiled(), (x, x + 10), {"x": {0: rows}, "y": {0: rows}}),
        "listed": (Listed(), (x.reshape(3, 2).repeat(1, 2),), None),
        "constant": (Constant(), (torch.ones(4),), None),
    }
    programs = {}
    for name, (module, inputs, dynamic) in methods.items():
        programs[name] = torch.export.export(module, inputs, dynamic_shapes=dynamic, strict=False)
        print(name, [tuple(i.shape) for i in inputs], module(*inputs))
    program = to_edge(programs, compile_config=EdgeCompileConfig(_check_ir_validity=False)).to_executorch()
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(program.buffer)
    print(target, len(program.buffer), "bytes")


if __name__ == "__main__":
    main()
