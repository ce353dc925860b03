"""Exports the benchmark networks as Core ML packages, from the same modules and weights as export_networks.py.

  python export_packages.py --out DIRECTORY [--only NAME,NAME] [--forms fp32,fp16]

For every network NAME: NAME.fp32.mlpackage and NAME.fp16.mlpackage, and with compressed weights, computed in float16,
NAME.int8.mlpackage (affine, per channel), NAME.palette4.mlpackage (tables of 16 values per group of 16 channels) and NAME.int4.mlpackage
(blocks of 32).
Core ML has no int64 inputs: the ids of a text encoder are int32, in NAME.int32.input0.npy.
"""

import argparse
import pathlib
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import coremltools.optimize.coreml as cto
import numpy as np
import torch

from export_networks import NETWORKS, SEED, condition

NAMES = [
    "mobilenet_v2", "mobilenet_v3_small", "efficientnet_b0", "resnet18", "resnet50", "deit_tiny", "minilm_128", "unet_small",
]

COMPRESSIONS = {
    "int8": lambda package: cto.linear_quantize_weights(
        package, cto.OptimizationConfig(cto.OpLinearQuantizerConfig(mode="linear_symmetric", dtype="int8", weight_threshold=2048))),
    "palette4": lambda package: cto.palettize_weights(
        package, cto.OptimizationConfig(
            cto.OpPalettizerConfig(
                mode="uniform", nbits=4, granularity="per_grouped_channel", group_size=16, weight_threshold=2048))),
    "int4": lambda package: cto.linear_quantize_weights(
        package, cto.OptimizationConfig(
            cto.OpLinearQuantizerConfig(
                mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=32, weight_threshold=2048))),
}


def convert(program, x, precision):
    integer = not x.is_floating_point()
    return ct.convert(
        program,
        inputs=[ct.TensorType(name="x", shape=tuple(x.shape), dtype=np.int32 if integer else np.float32)],
        compute_precision=precision,
        minimum_deployment_target=ct.target.iOS18,
        skip_model_load=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="comma-separated names")
    parser.add_argument("--forms", default="fp32,fp16,int8,palette4,int4")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    forms = arguments.forms.split(",")
    for name in arguments.only.split(",") if arguments.only else NAMES:
        torch.manual_seed(SEED)
        make_model, make_input = NETWORKS[name]
        model, x = condition(make_model(), make_input), make_input()
        if not x.is_floating_point():
            x = x.int()
            np.save(arguments.out / f"{name}.int32.input0.npy", x.numpy())
        with torch.no_grad():
            program = torch.export.export(model, (x,)).run_decompositions({})
        packages = {}
        for form in forms:
            precision = ct.precision.FLOAT32 if form == "fp32" else ct.precision.FLOAT16
            if precision not in packages:
                packages[precision] = convert(program, x, precision)
            package = packages[precision]
            if form in COMPRESSIONS:
                package = COMPRESSIONS[form](package)
            package.save(str(arguments.out / f"{name}.{form}.mlpackage"))
        print(name, flush=True)


if __name__ == "__main__":
    main()
