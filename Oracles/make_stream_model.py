"""Exports a language model with sliding windows that writes long streams: `get_max_seq_len` is below `get_max_context_len`.

  python make_stream_model.py FILE [--context 16384] [--window 256] [--width 256] [--layers 4] [--kind ring|ring-copied|ring-int8]

  martlet bench FILE --prefill 16 --decode 10000 --threads 1

prints the time of the last 1,000 tokens next to that of the second 1,000, and the memory that the tokens between took.
Versions: see requirements.txt.
"""

import argparse
import pathlib

import torch

from language_models import cases, recording, upstream

KINDS = {
    "ring": lambda model, window: upstream.ring(upstream.custom(model), window),
    "ring-copied": lambda model, window: upstream.ring(model, window),
    "ring-int8": lambda model, window: upstream.ring(upstream.quantized(model), window),
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    for name, default in {"context": 16384, "window": 256, "width": 256, "layers": 4}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--kind", choices=KINDS, default="ring")
    options = parser.parse_args()
    model = upstream.transformer(
        dim=options.width, hidden_dim=2 * options.width, n_layers=options.layers, n_heads=options.width // 32,
        n_kv_heads=options.width // 64, vocab_size=512, max_seq_len=options.context, max_context_len=options.context,
    )
    model = KINDS[options.kind](model, options.window)
    metadata = cases.METADATA | {
        "get_max_seq_len": options.window, "get_max_context_len": options.context, "get_vocab_size": 512,
    }
    example = (torch.ones(1, 2, dtype=torch.int64), {"input_pos": torch.tensor([0])})
    dynamic = ({1: options.window}, {"input_pos": {}})
    program = recording.Program({"forward": recording.Method(model, dynamic)}, {"forward": example}, metadata=metadata)
    options.file.write_bytes(recording.lower(program, "xnnpack").buffer)
