"""Writes recorded cases from ExecuTorch's own tests of the MPS backend: their modules and inputs, exported with and without half precision.

  python harvest_mps_tests.py --out DIRECTORY [--only PATTERN]

The expected outputs are PyTorch's, which rounds activations where the tests quantise them; the payloads do not. Tests that the exporter refuses, and those that need a download, are listed at the end with the reason.

Versions: see requirements.txt.
"""
import argparse
import importlib
import logging
import pathlib
import re
import unittest
import warnings

warnings.filterwarnings("ignore")
import torch

from executorch.backends.apple.mps.operators.node_visitor import NodeVisitor
from executorch.backends.apple.mps.partition.mps_partitioner import MPSPartitioner
from executorch.backends.apple.mps.test import test_mps_utils
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.backend.backend_details import CompileSpec

from make_xnnpack_cases import save

# The device's own functions that the exporter calls for 4-bit weights: bytes with the even element in the low half.
move = torch.Tensor.to
torch.Tensor.to = lambda x, *given, **named: x if given == ("mps",) else move(x, *given, **named)
torch._convert_weight_to_int4pack = lambda x, tiles: (x << 4 | x >> 4).contiguous().view(torch.int32)

MODULES = ["test_mps", "test_mps_binary_ops", "test_mps_indexing_ops", "test_mps_linear", "test_mps_unary_ops"]


class Harvest:
    def __init__(self, out):
        self.out, self.problems, self.count = out, [], 0

    def lower(self, test, module, inputs, dynamic_shapes=None):
        """Takes the place of the tests' own comparison."""
        module, inputs = module.eval(), tuple(t.detach() for t in inputs)
        expected = module(*[t.clone() for t in inputs])
        expected = [t.detach() for t in (expected if isinstance(expected, (tuple, list)) else [expected])]
        for half in (False, True):
            name = f"{test}_{'fp16' if half else 'fp32'}"
            try:
                # The table of ids belongs to the class: a constant of an earlier payload would be taken for one of this.
                NodeVisitor._tensor_to_id.clear()
                # Twice, as the tests do: this makes buffers of tensors that are attributes, which the payload would lack otherwise.
                exported = torch.export.export(module, inputs, dynamic_shapes=dynamic_shapes, strict=True)
                exported = torch.export.export(exported.module(), inputs, dynamic_shapes=dynamic_shapes, strict=True)
                program = to_edge_transform_and_lower(
                    exported, partitioner=[MPSPartitioner([CompileSpec("use_fp16", bytes([half]))])],
                    compile_config=EdgeCompileConfig(_check_ir_validity=False))
                program = program.to_executorch(ExecutorchBackendConfig(extract_delegate_segments=False))
            except Exception as error:
                self.problems.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:160]}")
                continue
            tolerance = 2e-2 if half else 1e-3
            save(
                self.out / name, program.buffer, [(list(inputs), expected)], rtol=tolerance, atol=tolerance, oracle="torch eager",
                family="mps-tests")
            self.count += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    logging.root.setLevel(logging.CRITICAL)
    torch.manual_seed(0)
    harvest = Harvest(options.out)

    def lower_module_and_test_output(test, module, inputs, func_name=None, **given):
        harvest.lower(current[0], module, inputs, given.get("dynamic_shapes"))

    test_mps_utils.TestMPS.lower_module_and_test_output = lower_module_and_test_output
    current, ran = [""], 0
    for module_name in MODULES:
        module = importlib.import_module(f"executorch.backends.apple.mps.test.{module_name}")
        for suite in unittest.defaultTestLoader.loadTestsFromModule(module):
            for test in suite:
                current[0] = re.sub(r"\W+", "_", test.id().split(".", 5)[-1])
                if not re.search(options.only, current[0]):
                    continue
                ran += 1
                result = unittest.TestResult()
                test.run(result)
                for _, text in result.errors + result.failures:
                    harvest.problems.append(f"{current[0]}: {text.strip().splitlines()[-1][:160]}")
    print(f"{ran} tests, {harvest.count} cases")
    for problem in harvest.problems:
        print(problem)


if __name__ == "__main__":
    main()
