#!/usr/bin/env python3
"""Exports a language model of Llama's architecture with random weights, as ExecuTorch's own exporter writes it, for measurements.

    python Benchmarks/export_language_model.py FOLDER [--forms float32,int8,4bit] [--layers 12] [--width 768] [--context 2048]

FOLDER/<form>.pte for each form: `float32`, `int8` (weights per channel), `4bit` (groups of 32, activations quantized per token), each delegated
to XNNPACK, with `custom_sdpa` and a key-value cache that is updated in place; `float32-portable`, `bfloat16` and `4bit-int8-cache` on request.
"""
import argparse
import contextlib
import io
import json
import os

import torch
from executorch.examples.models.llama.export_llama_lib import export_llama
from executorch.examples.models.llama.llama_transformer import construct_transformer
from executorch.examples.models.llama.model_args import ModelArgs
from executorch.extension.llm.export.config.llm_config import DtypeOverride, LlmConfig, Pt2eQuantize

FORMS = {
    "float32": {},
    "float32-portable": {"delegated": False},
    "bfloat16": {"delegated": False, "dtype": "bf16"},
    "int8": {"quantization": "xnnpack_dynamic"},
    "int8-weights": {"qmode": "int8", "delegated": False},
    "4bit": {"qmode": "8da4w", "embedding": "4,32"},
    "4bit-int8-cache": {"qmode": "8da4w", "embedding": "4,32", "int8_cache": True},
}


def checkpoint(parameters, path):
    """Random weights of the size that keeps activations near one."""
    torch.manual_seed(0)
    model = construct_transformer(ModelArgs(**parameters, max_seq_len=16, max_context_len=16))
    state = {}
    for name, tensor in model.state_dict().items():
        if name.endswith("weight"):
            state[name] = torch.ones_like(tensor) if "norm" in name else torch.randn_like(tensor) * tensor.shape[-1] ** -0.5
    torch.save(state, path)


def export(form, options, folder, context, sequence):
    config = LlmConfig()
    config.base.params = os.path.join(folder, "parameters.json")
    config.base.checkpoint = os.path.join(folder, "checkpoint.pth")
    config.base.metadata = json.dumps({"get_bos_id": 1, "get_eos_ids": [2]})
    config.model.use_kv_cache = config.model.use_sdpa_with_kv_cache = config.model.enable_dynamic_shape = True
    config.model.quantize_kv_cache = options.get("int8_cache", False)
    config.model.dtype_override = DtypeOverride(options.get("dtype", "fp32"))
    config.export.max_seq_length, config.export.max_context_length = sequence, context
    config.export.output_dir, config.export.output_name = folder, form
    config.backend.xnnpack.enabled = config.backend.xnnpack.extended_ops = options.get("delegated", True)
    config.quantization.qmode = options.get("qmode")
    config.quantization.group_size = 32 if options.get("qmode") == "8da4w" else None
    config.quantization.embedding_quantize = options.get("embedding")
    if "quantization" in options:
        config.quantization.pt2e_quantize = Pt2eQuantize(options["quantization"])
    config.quantization.use_hqq = False
    with contextlib.redirect_stdout(io.StringIO()):
        export_llama(config)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--forms", default="float32,int8,4bit")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--context", type=int, default=2048)
    parser.add_argument("--sequence", type=int, default=2048)
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    width = arguments.width
    parameters = {
        "dim": width, "n_layers": arguments.layers, "n_heads": width // 64, "n_kv_heads": width // 256, "hidden_dim": (width * 8 // 3 + 255) // 256 * 256,
        "vocab_size": 32000, "norm_eps": 1e-5,
    }  # fmt: skip
    with open(os.path.join(arguments.folder, "parameters.json"), "w") as file:
        json.dump(parameters, file)
    checkpoint(parameters, os.path.join(arguments.folder, "checkpoint.pth"))
    for form in arguments.forms.split(","):
        export(form, FORMS[form], arguments.folder, arguments.context, arguments.sequence)
        path = os.path.join(arguments.folder, form + ".pte")
        print(f"{form:20} {os.path.getsize(path) / 1e6:8.1f} MB", flush=True)


if __name__ == "__main__":
    main()
