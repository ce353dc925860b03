"""Writes a decoder with its KV cache in states, converted from torch, and torch's outputs for each step.

  python make_coreml_decoder_fixture.py [--root REPOSITORY]

The cache holds 1,024 positions. The length of the mask determines how many of them a step attends to. Versions: see requirements.txt.
"""
import argparse
import json
import pathlib
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import numpy as np
import torch
from torch import nn

VOCABULARY, WIDTH, HEADS, CAPACITY = 64, 32, 2, 1024
STEPS = 1000
RECORDED = [0, 1, 2, 9, 99, 499, 998, 999]


class Decoder(nn.Module):
    """One layer: attention over the cache, and a feed-forward network."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.query, self.key, self.value, self.output = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)
        for name in ["keys", "values"]:
            self.register_buffer(name, torch.zeros(1, HEADS, CAPACITY, WIDTH // HEADS))

    def split(self, x):
        return x.view(1, 1, HEADS, WIDTH // HEADS).transpose(1, 2)

    def forward(self, token, mask):
        x = self.embedding(token)
        end = mask.shape[-1]
        normal = self.norm(x)
        self.keys[:, :, end - 1:end] = self.split(self.key(normal))
        self.values[:, :, end - 1:end] = self.split(self.value(normal))
        attended = nn.functional.scaled_dot_product_attention(
            self.split(self.query(normal)), self.keys[:, :, :end], self.values[:, :, :end], attn_mask=mask)
        x = x + self.output(attended.transpose(1, 2).reshape(1, 1, WIDTH))
        x = x + self.down(nn.functional.gelu(self.up(self.norm(x))))
        return self.head(x)


def token(step):
    return step * 37 % VOCABULARY


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    out = parser.parse_args().root / "Tests/CoreMLTests/Fixtures"
    torch.manual_seed(7)
    decoder = Decoder().eval()
    # Larger weights than torch's defaults, so that a step depends on the previous ones.
    with torch.no_grad():
        for name in ["query", "key", "value", "output"]:
            getattr(decoder, name).weight.mul_(2)
    traced = torch.jit.trace(decoder, (torch.zeros(1, 1, dtype=torch.int32), torch.zeros(1, 1, 1, 5)))
    length = ct.RangeDim(lower_bound=1, upper_bound=CAPACITY, default=1)
    model = ct.convert(
        traced,
        inputs=[
            ct.TensorType(name="token", shape=(1, 1), dtype=np.int32),
            ct.TensorType(name="mask", shape=(1, 1, 1, length), dtype=np.float16),
        ],
        outputs=[ct.TensorType(name="logits", dtype=np.float16)],
        states=[
            ct.StateType(wrapped_type=ct.TensorType(shape=getattr(decoder, name).shape, dtype=np.float16), name=name)
            for name in ["keys", "values"]
        ],
        minimum_deployment_target=ct.target.iOS18, compute_precision=ct.precision.FLOAT16, skip_model_load=True)
    model.save(str(out / "decoder.mlpackage"))
    decoder.keys.zero_()
    decoder.values.zero_()
    recorded = {}
    with torch.no_grad():
        for step in range(STEPS):
            logits = decoder(torch.tensor([[token(step)]], dtype=torch.int32), torch.zeros(1, 1, 1, step + 1))
            if step in RECORDED:
                recorded[step] = [round(float(x), 5) for x in logits.flatten()]
    (out / "decoder.json").write_text(json.dumps(recorded) + "\n")


if __name__ == "__main__":
    main()
