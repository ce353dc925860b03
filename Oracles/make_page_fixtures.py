"""Exports the programs that the code of the documentation's pages runs in tests.

  python make_page_fixtures.py [--root REPOSITORY]

Writes to Tests/DocumentationTests/Fixtures and prints torch's outputs for the tests' inputs:

  image.pte   scores of an image [1, 3, 224, 224]: the means of its channels and a linear layer
  custom.pte  the operator my::scale_shift of the page on custom operators, with a scale of 2 and a shift of 0.5
"""
import argparse
import pathlib
import warnings

warnings.filterwarnings("ignore")
import torch
from torch import nn

from executorch.exir import EdgeCompileConfig, to_edge

# The two definitions are those of the page.
library = torch.library.Library("my", "DEF")
library.define("scale_shift(Tensor x, float scale, Tensor? shift=None) -> Tensor")
library.define("scale_shift.out(Tensor x, float scale, Tensor? shift=None, *, Tensor(a!) out) -> Tensor(a!)")


def scale_shift(x, scale, shift=None):
    return x * scale + (0 if shift is None else shift)


def scale_shift_out(x, scale, shift=None, *, out):
    return out.resize_(x.shape).copy_(scale_shift(x, scale, shift))


library.impl("scale_shift", scale_shift, "CompositeExplicitAutograd")
library.impl("scale_shift.out", scale_shift_out, "CompositeExplicitAutograd")


class Image(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 4)
        with torch.no_grad():
            self.linear.weight.copy_(torch.arange(12.0).reshape(4, 3))
            self.linear.bias.zero_()

    def forward(self, image):
        return self.linear(image.mean((2, 3)))


class Custom(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("shift", torch.tensor([0.5]))

    def forward(self, x):
        return torch.ops.my.scale_shift(x, 2.0, self.shift)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    folder = parser.parse_args().root / "Tests/DocumentationTests/Fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    for name, module, x in [
        ("image", Image(), torch.full((1, 3, 224, 224), 0.5)),
        ("custom", Custom(), torch.tensor([1.0, 2.0, 3.0])),
    ]:
        exported = torch.export.export(module.eval(), (x,), strict=False)
        program = to_edge(exported, compile_config=EdgeCompileConfig(_check_ir_validity=False)).to_executorch()
        (folder / f"{name}.pte").write_bytes(program.buffer)
        print(name, len(program.buffer), "bytes:", module(x))


if __name__ == "__main__":
    main()
