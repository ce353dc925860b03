#!/usr/bin/env python3
"""Writes the model of `export_language_model.py`, with the same weights, for llama.cpp.

    python Benchmarks/export_gguf.py FOLDER [--forms F32,Q8_0,Q4_0]

Reads FOLDER/parameters.json and FOLDER/checkpoint.pth, writes FOLDER/<form>.gguf for each form. There is no vocabulary: tokens are numbers.
Needs gguf, numpy and torch.
"""

import argparse
import json
import os

import gguf
import torch

NAMES = {
    "tok_embeddings": "token_embd", "norm": "output_norm", "output": "output", "attention.wq": "attn_q", "attention.wk": "attn_k",
    "attention.wv": "attn_v", "attention.wo": "attn_output", "attention_norm": "attn_norm", "feed_forward.w1": "ffn_gate",
    "feed_forward.w2": "ffn_down", "feed_forward.w3": "ffn_up", "ffn_norm": "ffn_norm",
}  # fmt: skip


def name_of(key):
    parts = key.removesuffix(".weight").split(".")
    if parts[0] == "layers":
        return f"blk.{parts[1]}.{NAMES['.'.join(parts[2:])]}.weight"
    return NAMES[".".join(parts)] + ".weight"


def write(path, form, parameters, state, context):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(context)
    writer.add_embedding_length(parameters["dim"])
    writer.add_block_count(parameters["n_layers"])
    writer.add_feed_forward_length(parameters["hidden_dim"])
    writer.add_head_count(parameters["n_heads"])
    writer.add_head_count_kv(parameters["n_kv_heads"])
    writer.add_rope_dimension_count(parameters["dim"] // parameters["n_heads"])
    writer.add_rope_freq_base(parameters.get("rope_theta", 10000.0))
    writer.add_layer_norm_rms_eps(parameters["norm_eps"])
    writer.add_vocab_size(parameters["vocab_size"])
    writer.add_tokenizer_model("none")
    kind = gguf.GGMLQuantizationType[form]
    for key, tensor in state.items():
        numbers = tensor.float().numpy()
        if numbers.ndim == 1 or form == "F32":
            writer.add_tensor(name_of(key), numbers)
        else:
            writer.add_tensor(name_of(key), gguf.quants.quantize(numbers, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--forms", default="F32,Q8_0,Q4_0")
    parser.add_argument("--context", type=int, default=2048)
    arguments = parser.parse_args()
    with open(os.path.join(arguments.folder, "parameters.json")) as file:
        parameters = json.load(file)
    state = torch.load(os.path.join(arguments.folder, "checkpoint.pth"), mmap=True)
    for form in arguments.forms.split(","):
        path = os.path.join(arguments.folder, form + ".gguf")
        write(path, form, parameters, state, arguments.context)
        print(f"{form:20} {os.path.getsize(path) / 1e6:8.1f} MB", flush=True)


if __name__ == "__main__":
    main()
