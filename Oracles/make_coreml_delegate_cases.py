"""Writes recorded cases of programs delegated to Core ML, with the outputs of torch.

  python make_coreml_delegate_cases.py [--out DIRECTORY]

The cases: a network with scalar and integer inputs, in half and in full precision; a buffer that becomes a state of the Core ML model, over
three steps; and two methods that share one model, which is stored in the named data of the program. Versions: see requirements.txt.
"""
import argparse
import json
import pathlib
import warnings

warnings.filterwarnings("ignore")
import coremltools
import numpy as np
import torch
from executorch.backends.apple.coreml.compiler.coreml_preprocess import CoreMLBackend, MULTIMETHOD_WEIGHT_SHARING_STRATEGY
from executorch.backends.apple.coreml.partition import CoreMLPartitioner
from executorch.exir import to_edge_transform_and_lower

F16, F32 = coremltools.precision.FLOAT16, coremltools.precision.FLOAT32


class Mixed(torch.nn.Module):
    """A linear layer, an embedding and a rank-0 input."""

    def __init__(self):
        super().__init__()
        self.linear, self.table = torch.nn.Linear(7, 5), torch.nn.Embedding(11, 5)

    def forward(self, x, index, scale):
        return torch.tanh(self.linear(x)) * scale + self.table(index), (x > 0).to(torch.int64).sum(-1)


class Running(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2, 3))

    def forward(self, x):
        self.total.add_(x)
        return self.total * 2


class Method(torch.nn.Module):
    def __init__(self, shared, sign):
        super().__init__()
        self.shared, self.sign = shared, sign

    def forward(self, x):
        return torch.relu(self.shared(x)) * self.sign


def partitioner(precision, target=None, share=None, **options):
    specs = CoreMLBackend.generate_compile_specs(compute_precision=precision, minimum_deployment_target=target)
    if share is not None:
        specs.append(CoreMLBackend.generate_multimethod_weight_sharing_strategy_compile_spec(share))
    return CoreMLPartitioner(compile_specs=specs, **options)


def lowered(methods, part):
    programs = {name: torch.export.export(model.eval(), example) for name, (model, example) in methods.items()}
    manager = to_edge_transform_and_lower(programs, partitioner={name: [part] for name in programs}).to_executorch()
    for name in programs:
        assert [d.id for d in manager.executorch_program.execution_plan[0].delegates] == ["CoreMLBackend"], name
    return manager.buffer


def write(folder, program, method, steps, tolerance):
    """steps: pairs of inputs and expected outputs."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.pte").write_bytes(program)
    recorded = []
    for number, (inputs, outputs) in enumerate(steps):
        step = {}
        for kind, tensors in (("input", inputs), ("output", outputs)):
            files = []
            for position, tensor in enumerate(tensors):
                name = f"step{number}_{kind}{position}.npy"
                np.save(folder / name, tensor.numpy())
                files.append({"file": name})
            step[kind + "s"] = files
        recorded.append(step)
    case = {"name": f"coreml-delegate.{folder.name}", "family": "coreml", "model": "model.pte", "method": method}
    case |= recorded[0] if len(recorded) == 1 else {"steps": recorded}
    case |= {"rtol": tolerance, "atol": tolerance, "oracle": "torch eager"}
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "Tests/Fixtures/coreml-delegate")
    out = parser.parse_args().out
    torch.manual_seed(7)
    mixed = Mixed().eval()
    example = (torch.randn(3, 7), torch.tensor([4, 0, 10]), torch.tensor(1.5))
    with torch.no_grad():
        expected = mixed(*example)
    for precision, name, tolerance in ((F16, "mixed_fp16", 1e-2), (F32, "mixed_fp32", 1e-4)):
        program = lowered({"forward": (mixed, example)}, partitioner(precision))
        write(out / name, program, "forward", [(example, expected)], tolerance)

    example = (torch.randn(2, 3),)
    program = lowered(
        {"forward": (Running(), example)}, partitioner(F16, coremltools.target.iOS18, take_over_mutable_buffer=True))
    total, steps = torch.zeros(2, 3), []
    for _ in range(3):
        x = torch.randn(2, 3)
        total = total + x
        steps.append(((x,), (total * 2,)))
    write(out / "state_fp16", program, "forward", steps, 1e-2)

    shared = torch.nn.Linear(4, 6)
    example = (torch.randn(2, 4),)
    methods = {"forward": (Method(shared, 1.0), example), "negative": (Method(shared, -1.0), example)}
    program = lowered(methods, partitioner(F32, coremltools.target.iOS18, MULTIMETHOD_WEIGHT_SHARING_STRATEGY.POSITIONAL))
    for name, (model, _) in methods.items():
        with torch.no_grad():
            write(out / f"shared_{name}", program, name, [(example, (model(*example),))], 1e-4)


if __name__ == "__main__":
    main()
