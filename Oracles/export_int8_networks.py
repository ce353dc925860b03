"""Exports networks quantised to 8 bits (PT2E, XNNPACK's quantizer: static activations, per-channel weights) as ExecuTorch programs.

  python export_int8_networks.py --out DIRECTORY [--only NAME,NAME]

For every network NAME: NAME_int8.portable.pte, NAME_int8.xnnpack.pte, NAME_int8.input0.npy, NAME_int8.output0.npy (the quantised
network in torch, simulated in float32), NAME_int8.onnx (quantised by ONNX Runtime: the same scheme, calibrated on the same inputs)
and NAME_int8.json. The networks are those of export_networks.py.
"""

import argparse
import json
import pathlib

import numpy as np
import torch

import export_networks

DEFAULT = "mobilenet_v2,resnet18"


def quantized(model, make_input):
    import executorch.kernels.quantized  # registers the operators of quantised programs
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    with torch.no_grad():
        prepared = prepare_pt2e(torch.export.export(model, (make_input(),)).module(), quantizer)
        for _ in range(2):
            prepared(make_input())
        return convert_pt2e(prepared)


def quantized_for_onnx(model, make_input, path):
    """Writes the network as ONNX with QuantizeLinear and DequantizeLinear: activations uint8, weights int8 per channel."""
    import tempfile

    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Calibration(quantization.CalibrationDataReader):
        def __init__(self, name):
            self.inputs = iter([{name: make_input().numpy()} for _ in range(2)])

        def get_next(self):
            return next(self.inputs, None)

    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        plain, prepared = f"{folder}/plain.onnx", f"{folder}/prepared.onnx"
        torch.onnx.export(model, (make_input(),), plain, dynamo=True, external_data=False, input_names=["x"], verbose=False)
        quant_pre_process(plain, prepared)
        quantization.quantize_static(
            prepared, path, Calibration("x"), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
            activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", default=DEFAULT, help="comma-separated names")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.only.split(","):
        torch.manual_seed(export_networks.SEED)
        make_model, make_input = export_networks.NETWORKS[name]
        model, x = export_networks.condition(make_model(), make_input), make_input()
        stem = str(arguments.out / f"{name}_int8")
        quantized_for_onnx(model, make_input, stem + ".onnx")
        with torch.no_grad():
            model = quantized(model, make_input)
            y = model(x)
        np.save(stem + ".input0.npy", x.numpy())
        np.save(stem + ".output0.npy", y.numpy())
        describe = lambda t: {"shape": list(t.shape), "dtype": str(t.dtype).removeprefix("torch.")}
        record = {"name": f"{name}_int8", "inputs": [describe(x)], "outputs": [describe(y)]}
        for kind in ("portable", "xnnpack"):
            data, backends, operators = export_networks.export(model, x, None, kind == "xnnpack")
            pathlib.Path(f"{stem}.{kind}.pte").write_bytes(data)
            record[kind] = {"bytes": len(data), "backends": backends, "operators": operators}
        pathlib.Path(stem + ".json").write_text(json.dumps(record, indent=1) + "\n")
        print(f"{name}: output mean {y.mean():.3f} deviation {y.std():.3f}", flush=True)


if __name__ == "__main__":
    main()
