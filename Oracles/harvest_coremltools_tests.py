"""Writes recorded cases from coremltools' own tests: every program that a test builds or converts, with its inputs and the
outputs that the test expects.

  python harvest_coremltools_tests.py --out DIRECTORY [--each N] [--seed N] [TEST MODULE ...]

The tests run with pytest, N variants of each. Core ML predictions, which need a Mac, are replaced by writing the
program. Tests that expect a prediction to fail are skipped. Needs pytest besides what requirements.txt names.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import sys

os.environ |= {"PYMIL_TEST_TARGETS": "mlprogram", "INCLUDE_MIL_FP32_UNIT_TESTS": "1", "RUN_BACKWARD_COMPATIBILITY": "1"}

import coremltools as ct
import numpy as np
import pytest
import torch
from coremltools.converters.mil import testing_utils as common
from coremltools.converters.mil.frontend.torch import ops as torch_ops
from coremltools.converters.mil.frontend.torch.test import testing_utils as torch_utils
from coremltools.converters.mil.mil import Builder as mb
from coremltools.converters.mil.mil.ops.tests import testing_utils as builder_utils
from coremltools.proto import FeatureTypes_pb2, Model_pb2
from PIL import Image

import torch_cast

LARGEST_PACKAGE = 2 << 20


class Plugin:
    def __init__(self, out, each, seed):
        self.out, self.each, self.random = out, each, random.Random(seed)
        self.count = 0
        self.test = ""

    def pytest_collection_modifyitems(self, config, items):
        groups = {}
        for item in items:
            groups.setdefault((item.module.__name__, item.cls and item.cls.__name__, item.originalname), []).append(item)
        kept = set()
        for group in groups.values():
            kept.update(id(item) for item in self.random.sample(group, min(self.each, len(group))))
        items[:] = [item for item in items if id(item) in kept]

    def pytest_runtest_call(self, item):
        self.test, self.number = item.nodeid.split("mil/")[-1], 0
        np.random.seed(len(item.nodeid))
        torch.manual_seed(len(item.nodeid))

    # MARK: recording

    def record(self, mlmodel, inputs, expected, precision, steps=None):
        spec = mlmodel.get_spec()
        if spec.WhichOneof("Type") != "mlProgram" or expected is None:
            return
        name = re.sub(r"[^A-Za-z0-9]+", "-", self.test.replace("test_", "").replace(".py", "")).strip("-")[:150]
        folder = self.out / f"{name}-{self.number}"
        self.number += 1
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        mlmodel.save(str(folder / "model.mlpackage"))
        if sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) > LARGEST_PACKAGE:
            return shutil.rmtree(folder)
        description = spec.description
        content = {"name": folder.name, "family": "harvest", "model": "model.mlpackage", "inputs": {}, "outputs": {}}
        try:
            features = {feature.name: feature for feature in description.input}
            for key, value in inputs.items():
                if key in features:
                    content["inputs"][key] = self.input(folder, key, value, features[key])
            largest = 0.0
            declared = {feature.name: feature for feature in description.output}
            for key, value in expected.items():
                if key not in declared:
                    raise ValueError(f"no output {key}")
                entry, magnitude = self.output(folder, key, value, declared[key])
                content["outputs"][key] = entry
                largest = max(largest, magnitude)
        except (TypeError, ValueError) as error:
            print(f"not written: {self.test}: {error}")
            return shutil.rmtree(folder)
        tolerance = (0.01, 0.005 * largest + 1e-5) if precision == "fp16" else (1e-4, 1e-4)
        content |= {"rtol": tolerance[0], "atol": tolerance[1], "oracle": "coremltools' test", "notes": self.test}
        (folder / "case.json").write_text(json.dumps(content, indent=1) + "\n")
        self.count += 1

    TYPES = {
        FeatureTypes_pb2.ArrayFeatureType.FLOAT32: np.float32, FeatureTypes_pb2.ArrayFeatureType.FLOAT16: np.float16,
        FeatureTypes_pb2.ArrayFeatureType.INT32: np.int32, FeatureTypes_pb2.ArrayFeatureType.DOUBLE: np.float64,
        FeatureTypes_pb2.ArrayFeatureType.INT8: np.int8}

    def input(self, folder, key, value, feature):
        if isinstance(value, Image.Image):
            value.save(folder / f"in_{key}.png")
            return {"image": f"in_{key}.png"}
        if feature.type.WhichOneof("Type") != "multiArrayType":
            raise TypeError(f"input {key} is no array")
        np.save(folder / f"in_{key}.npy", np.asarray(value).astype(self.TYPES[feature.type.multiArrayType.dataType]))
        return {"file": f"in_{key}.npy"}

    def output(self, folder, key, value, feature):
        if feature.type.WhichOneof("Type") == "stringType":
            return {"string": str(value)}, 0.0
        if feature.type.WhichOneof("Type") != "multiArrayType":
            raise TypeError(f"output {key} is no array")
        array = np.asarray(value)
        if array.dtype == object or np.isnan(array.astype(np.float64)).any():
            raise ValueError(f"the expected {key} is not a numeric array")
        array = array.astype(self.TYPES[feature.type.multiArrayType.dataType])
        np.save(folder / f"out_{key}.npy", array)
        finite = np.abs(array.astype(np.float64))
        finite = finite[np.isfinite(finite)]
        return {"file": f"out_{key}.npy"}, float(finite.max()) if finite.size else 0.0


def install(plugin):
    def compare_backend(mlmodel, input_key_values, expected_outputs, dtype="fp32", state=None, **_):
        if state is None:
            plugin.record(mlmodel, input_key_values, expected_outputs, dtype)

    common.compare_backend = builder_utils.compare_backend = compare_backend
    original = torch_utils.convert_and_compare

    def convert_and_compare(input_data, model_spec, expected_results=None, backend=("neuralnetwork", "fp32"), **keys):
        expected = expected_results
        if expected is None:
            model = torch.jit.load(model_spec) if isinstance(model_spec, str) else model_spec
            model = model.module() if isinstance(model, torch.export.ExportedProgram) else model
            data = input_data if isinstance(input_data, (list, tuple)) else [input_data]
            expected = model(*torch_utils._copy_input_data(data))
        expected = torch_utils.flatten_and_detach_torch_results(expected)
        result = original(input_data, model_spec, expected_results=expected_results, backend=backend, **keys)
        _, mlmodel, inputs, _ = result
        names = [output.name for output in mlmodel.get_spec().description.output]
        plugin.record(mlmodel, inputs, dict(zip(names, expected)), backend[1])
        return result

    torch_utils.convert_and_compare = convert_and_compare

    torch_cast.repair()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("modules", nargs="*")
    arguments, rest = parser.parse_known_args()
    torch.set_num_threads(1)
    plugin = Plugin(arguments.out, arguments.each, arguments.seed)
    install(plugin)
    root = pathlib.Path(ct.__file__).parent / "converters/mil"
    modules = arguments.modules or [
        *sorted(str(path) for path in (root / "mil/ops/tests").glob("iOS*/test_*.py")), str(root / "frontend/torch/test/test_torch_ops.py")]
    code = pytest.main(["-q", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=no", "-W", "ignore", *rest, *modules], [plugin])
    print(f"{plugin.count} cases")
    sys.exit(0 if plugin.count else code)


main()
