"""Writes recorded cases of MPS payloads: every kind of node, exported and assembled by hand.

  python make_mps_cases.py [--out DIRECTORY] [--only PATTERN]    # a sample in half precision: Tests/Fixtures/mps
  python make_mps_cases.py --all --out DIRECTORY

`exported` has modules as the exporter writes them, with and without half precision; what is expected is what PyTorch computes. `payloads`
has nodes and forms that the exporter does not write: absent operands, bounds of a node, other attributes, weights of four bits, constants
inside the graph, and payloads of the older schemas without header. The programs under `refused` contain one error each; the folder name
tells the tests which one.

Versions: see requirements.txt.
"""
import argparse
import logging
import pathlib
import re
import warnings

warnings.filterwarnings("ignore")
import torch

from executorch.backends.apple.mps.operators.node_visitor import NodeVisitor
from executorch.backends.apple.mps.partition.mps_partitioner import MPSPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.backend.backend_details import CompileSpec

from make_xnnpack_cases import save
from mps_cases import nodes, refused
from mps_cases.modules import EXPORTED
from mps_cases.payload import Writer


# The half-precision cases that are in the repository; in full precision it has all.
SAMPLE = re.compile(
    "(unary_special|binary|promotion|comparisons|activations|created|gathered|joined|pooled|products|convolution2|transposed2|depthwise|"
    "batch_norm2|layer_norm|linear|embedding|network|attention)_fp16")


def lower(module, inputs, half):
    # The table of ids belongs to the class: a constant of an earlier payload would be taken for one of this.
    NodeVisitor._tensor_to_id.clear()
    edge = to_edge_transform_and_lower(
        torch.export.export(module.eval(), inputs), partitioner=[MPSPartitioner([CompileSpec("use_fp16", bytes([half]))])],
        compile_config=EdgeCompileConfig(_check_ir_validity=False))
    return edge.to_executorch(ExecutorchBackendConfig(extract_delegate_segments=False)).buffer


def make_exported(out, wanted, takes_all, notes):
    for name, (module, inputs, half, tolerance, half_tolerance) in EXPORTED.items():
        for is_half in [False, True] if half else [False]:
            case = f"{name}_{'fp16' if is_half else 'fp32'}"
            if not wanted(case) or is_half and not takes_all and SAMPLE.fullmatch(case) is None:
                continue
            with torch.no_grad():
                expected = module.eval()(*[x.clone() for x in inputs])
            expected = list(expected) if isinstance(expected, (list, tuple)) else [expected]
            try:
                model = lower(module, inputs, is_half)
            except Exception as error:
                notes.append(f"{case}: the exporter refuses it: {type(error).__name__}: {str(error).splitlines()[0][:120]}")
                continue
            allowed = half_tolerance if is_half else tolerance
            save(out / case, model, [(list(inputs), expected)], rtol=allowed, atol=allowed, oracle="torch eager", family="mps")


def main():
    parser = argparse.ArgumentParser()
    default = pathlib.Path(__file__).resolve().parent.parent / "Tests/Fixtures/mps"
    parser.add_argument("--out", type=pathlib.Path, default=default)
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    logging.root.setLevel(logging.CRITICAL)
    pattern = re.compile(options.only)
    wanted = lambda name: pattern.search(name) is not None
    writer = Writer(options.out / "payloads", wanted)
    for make in nodes.ALL:
        make(writer)
    refused.make_refused(Writer(options.out / "refused", wanted))
    notes = []
    make_exported(options.out / "exported", wanted, options.all, notes)
    for note in notes:
        print(note)


if __name__ == "__main__":
    main()
