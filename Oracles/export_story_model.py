"""Writes the story model that the package ships from a checkpoint of `train_story_model.py`, and what ExecuTorch's runtime computes with it.

    python export_story_model.py --folder /tmp/story [--root REPOSITORY]

Written:
  Sources/CMartletDemo/Resources/story.pte             tokens [1,n], position [1] -> logits [1,V] of the last token; caches of keys and values inside
  Sources/CMartletDemo/Resources/story_tokenizer.json  byte-level BPE
  Tests/Fixtures/story/greedy.json                   for some prompts the most probable tokens, step by step, and how far the second was behind

Linear layers are XNNPACK's of 8-bit dynamic activations and 4-bit weights in groups of 32, the embedding is 4-bit in the same groups. Attention and
caches are the operators of ExecuTorch's LLM exporter (`llama::update_cache`, `llama::custom_sdpa`). The products of one input are one matrix.
"""

import argparse
import json
import pathlib
import shutil
import warnings

warnings.filterwarnings("ignore")
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackDynamicallyQuantizedPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401 (registers llama::)
from executorch.extension.pybindings.portable_lib import _load_for_executorch
from executorch.kernels import quantized  # noqa: F401 (registers quantized_decomposed::)
from torch import nn
from torch.nn import functional as F
from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_
from torchao.quantization.granularity import PerGroup

from train_story_model import BEGIN, CONFIG, END, GROUP, PROMPTS, complete, load, rotary_tables


class PackedEmbedding(nn.Module):
    """A table of 4-bit numbers, two in a byte, the first in the upper half."""

    def __init__(self, weight):
        super().__init__()
        groups = weight.reshape(weight.shape[0], -1, GROUP)
        scales = groups.abs().amax(2).clamp_min(1e-6) / 7.5
        levels = ((groups / scales[..., None]).round().clamp(-8, 7) + 8).to(torch.uint8).reshape(weight.shape)
        self.register_buffer("weight", (levels[:, ::2] << 4) | levels[:, 1::2])
        self.register_buffer("scales", scales.float())

    def forward(self, tokens):
        return torch.ops.quantized_decomposed.embedding_4bit.dtype(self.weight, self.scales, None, -8, 7, tokens, dtype=torch.float32)


class Norm(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.register_buffer("weight", norm.weight.detach().clone())

    def forward(self, x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + CONFIG["epsilon"]) * self.weight


def linear(weight):
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
    layer.weight = nn.Parameter(weight.detach().clone())
    return layer


class Layer(nn.Module):
    def __init__(self, block):
        super().__init__()
        self.attention_norm, self.ffn_norm = Norm(block.attention_norm), Norm(block.ffn_norm)
        self.wqkv, self.wo, self.w13, self.w2 = (linear(layer.weight) for layer in (block.wqkv, block.wo, block.w13, block.w2))
        self.heads = CONFIG["heads"]
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, CONFIG["context"], self.heads, CONFIG["dim"] // self.heads))

    def forward(self, x, position, cos, sin):
        length = x.shape[1]
        q, k, v = (part.reshape(1, length, self.heads, -1) for part in self.wqkv(self.attention_norm(x)).chunk(3, -1))

        def rotate(x):
            a, b = x.chunk(2, -1)
            return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

        torch.ops.llama.update_cache(rotate(k), self.keys, position)
        torch.ops.llama.update_cache(v, self.values, position)
        attention = torch.ops.llama.custom_sdpa(rotate(q), self.keys, self.values, position, None, 0.0, True)
        x = x + self.wo(attention.reshape(1, length, -1))
        gate, up = self.w13(self.ffn_norm(x)).chunk(2, -1)
        return x + self.w2(F.silu(gate) * up)


class Program(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.embedding = PackedEmbedding(model.embedding.weight.detach())
        self.layers = nn.ModuleList(Layer(block) for block in model.blocks)
        self.norm = Norm(model.norm)
        self.output = linear(model.embedding.weight)
        cos, sin = rotary_tables(CONFIG["context"])
        self.register_buffer("cos", cos)
        self.register_buffer("sin", sin)

    def forward(self, tokens, input_pos):
        position, length = input_pos[0].item(), tokens.shape[1]
        torch._check(position >= 0)
        torch._check(position + length <= CONFIG["context"])
        cos, sin = (table.narrow(0, position, length)[:, None] for table in (self.cos, self.sin))
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, position, cos, sin)
        return self.output(self.norm(x[:, -1]))


def export(model, tokenizer):
    program = Program(model).eval()
    config = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(GROUP))
    quantize_(program, config, lambda module, name: isinstance(module, nn.Linear))
    length = torch.export.Dim("length", max=CONFIG["context"] - 1)
    with torch.no_grad():
        exported = torch.export.export(
            program, (torch.tensor([[2, 3, 4]]), torch.tensor([0])), dynamic_shapes=({1: length}, None), strict=False
        )
        edge = to_edge_transform_and_lower(
            exported,
            partitioner=[XnnpackDynamicallyQuantizedPartitioner()],
            compile_config=EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True),
            constant_methods={
                "get_bos_id": tokenizer.token_to_id(BEGIN),
                "get_eos_ids": [tokenizer.token_to_id(END)],
                "get_max_seq_len": CONFIG["context"],
                "get_max_context_len": CONFIG["context"],
                "get_n_layers": CONFIG["layers"],
                "get_vocab_size": CONFIG["vocabulary"],
                "use_kv_cache": True,
                "use_sdpa_with_kv_cache": True,
                "enable_dynamic_shape": True,
            },
        )
        return edge.to_executorch(
            ExecutorchBackendConfig(
                extract_delegate_segments=True,
                do_quant_fusion_and_const_prop=True,
                memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False),
                sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass(),
            )
        ).buffer


def greedy(path, tokenizer, prompt, count=60):
    """The most probable tokens after a prompt as ExecuTorch's runtime computes them, with the distance to the second at each step."""
    module = _load_for_executorch(str(path))
    ids = [tokenizer.token_to_id(BEGIN), *tokenizer.encode(prompt).ids]
    start, new, margins = len(ids), list(ids), []
    position = 0
    while len(ids) - start < count:
        logits = module.forward((torch.tensor([new]), torch.tensor([position])))[0][0]
        best = logits.topk(2)
        position += len(new)
        new = [best.indices[0].item()]
        if new[0] == tokenizer.token_to_id(END):
            break
        ids += new
        margins.append(round((best.values[0] - best.values[1]).item(), 4))
    return {"prompt": prompt, "promptIDs": ids[:start], "ids": ids[start:], "margins": margins, "text": tokenizer.decode(ids[start:])}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--root", default=str(pathlib.Path(__file__).resolve().parent.parent))
    options = parser.parse_args()
    resources = pathlib.Path(options.root, "Sources/CMartletDemo/Resources")
    fixtures = pathlib.Path(options.root, "Tests/Fixtures/story")
    fixtures.mkdir(parents=True, exist_ok=True)
    model, tokenizer, _ = load(options.folder)
    (resources / "story.pte").write_bytes(export(model, tokenizer))
    shutil.copyfile(f"{options.folder}/tokenizer.json", resources / "story_tokenizer.json")
    cases = [greedy(resources / "story.pte", tokenizer, prompt) for prompt in PROMPTS]
    (fixtures / "greedy.json").write_text(json.dumps(cases, indent=1) + "\n")
    for case in cases:
        print(case["prompt"] + case["text"], end="\n\n")
