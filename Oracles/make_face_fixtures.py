"""Exports the programs that the tests of the ExecuTorch module use.

  python make_face_fixtures.py [--root REPOSITORY]

Writes to Tests/ExecuTorchTests/Fixtures, each at most 20 kB, and prints the outputs of torch for the inputs of the tests:

  methods.pte    several methods: a sum, two outputs, up to 4 rows, channels last, scalars as inputs and as an output, and
                 constant methods
  unplanned.pte  a sum whose inputs and outputs are in the caller's memory
  counter.pte    a running sum in a named buffer
  delegated.pte  a linear layer for XNNPACK
  external.pte, external.ptd  a linear layer with external weights
  layer.pte      a linear layer large enough for the precision option
  unknown.pte    a method that calls an unknown operator, and one that does not
"""
import argparse
import pathlib
import warnings

warnings.filterwarnings("ignore")
import torch
from torch import nn

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass

LIBRARY = torch.library.Library("martlet_nobody", "DEF")
LIBRARY.define("mystery(Tensor x) -> Tensor")
LIBRARY.define("mystery.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
LIBRARY.impl("mystery", lambda x: x + 1, "CompositeExplicitAutograd")
LIBRARY.impl("mystery.out", lambda x, out: out.copy_(x + 1), "CompositeExplicitAutograd")


class Pair(nn.Module):
    def forward(self, x, y):
        return x + y


class Rows(nn.Module):
    def forward(self, x):
        return x * 2


class Counted(nn.Module):
    def forward(self, x):
        return x * 2, x.shape[0]


class TwoOutputs(nn.Module):
    def forward(self, x):
        return x * 2, x.sum(dim=1)


class Scaled(nn.Module):
    def forward(self, x, count: int, ratio: float, negated: bool):
        y = x * count * ratio
        return -y if negated else y


class Relu(nn.Module):
    def forward(self, x):
        return torch.relu(x)


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2))

    def forward(self, x):
        self.total.add_(x)
        return self.total * 1


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        with torch.no_grad():
            self.layer.weight.copy_(torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.5, 4.0]]))
            self.layer.bias.copy_(torch.tensor([0.25, -0.5]))

    def forward(self, x):
        return self.layer(x)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 48)
        with torch.no_grad():
            self.layer.weight.copy_(torch.sin(torch.arange(48.0 * 64)).reshape(48, 64))
            self.layer.bias.zero_()

    def forward(self, x):
        return self.layer(x)


class Mystery(nn.Module):
    def forward(self, x):
        return torch.ops.martlet_nobody.mystery(x)


def export(module, inputs, dynamic=None):
    result = torch.export.export(module.eval(), inputs, dynamic_shapes=dynamic, strict=False)
    print(" ", type(module).__name__, inputs, "->", module(*inputs))
    return result


def methods():
    rows = torch.export.Dim("rows", min=1, max=4)
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    picture = (torch.arange(24.0) - 12).reshape(1, 2, 3, 4).to(memory_format=torch.channels_last)
    return to_edge(
        {
            "forward": export(Pair(), (torch.tensor([1.0, 2.0, 3.0]), torch.tensor([10.0, 20.0, 30.0]))),
            "two": export(TwoOutputs(), (x,)),
            "rows": export(Rows(), (x,), {"x": {0: rows}}),
            "counted": export(Counted(), (x,), {"x": {0: rows}}),
            "picture": export(Relu(), (picture,)),
            "scaled": export(Scaled(), (torch.tensor([1.0, 2.0]), 3, 0.5, True)),
        },
        constant_methods={"context_length": 128, "greeting": "hello", "scale": 0.5, "is_ready": True},
        compile_config=EdgeCompileConfig(_check_ir_validity=False),
    ).to_executorch()


def unplanned():
    plain = to_edge(export(Pair(), (torch.ones(3), torch.ones(3))))
    return plain.to_executorch(
        ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)))


def counter():
    return to_edge(export(Counter(), (torch.tensor([1.0, 2.0]),))).to_executorch(
        ExecutorchBackendConfig(emit_mutable_buffer_names=True))


def delegated():
    return to_edge_transform_and_lower(
        export(Weighted(), (torch.tensor([[1.0, 2.0, 3.0]]),)), partitioner=[XnnpackPartitioner()]).to_executorch()


def external():
    return to_edge(export(Weighted(), (torch.tensor([[1.0, 2.0, 3.0]]),))).to_executorch(ExecutorchBackendConfig(external_constants=True))


def layer():
    return to_edge(export(Layer(), (torch.cos(torch.arange(32.0 * 64)).reshape(32, 64),))).to_executorch()


def unknown():
    return to_edge(
        {"forward": export(Mystery(), (torch.ones(2),)), "known": export(Rows(), (torch.ones(2),))},
        compile_config=EdgeCompileConfig(_check_ir_validity=False)).to_executorch()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    folder = parser.parse_args().root / "Tests/ExecuTorchTests/Fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    for make in [methods, unplanned, counter, delegated, external, layer, unknown]:
        print(make.__name__)
        program = make()
        (folder / f"{make.__name__}.pte").write_bytes(program.buffer)
        if make is external:
            program.write_tensor_data_to_file(str(folder))
            for written in folder.glob("_default_external_constant*.ptd"):
                written.rename(folder / "external.ptd")
    for file in sorted(folder.glob("*.pt[ed]")):
        size = file.stat().st_size
        print(file.name, size, "bytes")
        assert size <= 20_000


if __name__ == "__main__":
    main()
