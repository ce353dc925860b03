"""Programs that upstream's own `export_llama` writes with its usual options, from small random checkpoints of the models that it knows."""

import contextlib
import io
import json
import pathlib
import tempfile

import torch
from omegaconf import OmegaConf
from executorch.examples.models.llama.export_llama_lib import export_llama
from executorch.examples.models.llama.llama_transformer import construct_transformer
from executorch.examples.models.llama.model_args import ModelArgs
from executorch.extension.llm.export.config.llm_config import LlmConfig

from language_models.upstream import CONTEXT, VOCABULARY, WINDOW

SMALL = dict(dim=64, n_layers=1, n_heads=4, n_kv_heads=2, head_dim=16, hidden_dim=64, vocab_size=VOCABULARY)
CACHED = {"use_kv_cache": True}
CUSTOM = {"use_kv_cache": True, "use_sdpa_with_kv_cache": True}
STATIC = {"enable_dynamic_shape": False}
BACKENDS = {"portable": {}, "xnnpack": {"xnnpack": {"enabled": True, "extended_ops": True}}}
PORTABLE, XNNPACK = ("portable",), ("xnnpack",)
# Activations of 8 bits, half precision, quantised caches.
DYNAMIC, HALF, SHORT, QUANTIZED = (0.03, 0.15), (1e-2, 3e-2), (3e-2, 0.15), (0.02, 0.1)


class Export:
    """Options of upstream's exporter.

    params: of the model, beside `SMALL`; others are parts of the exporter's configuration.
    """

    def __init__(self, title, name="llama3_2", params=None, *, model=CUSTOM, backends=tuple(BACKENDS), tolerance=(1e-3, 1e-3), **config):
        self.title, self.name, self.params, self.model, self.backends, self.tolerance = title, name, params or {}, model, backends, tolerance
        self.config = config

    @property
    def steps(self):
        """`whole` for a model without a cache, `single` for one token, `wrapping` past the end of a ring, or `flexible`."""
        if not self.model.get("use_kv_cache"):
            return "whole"
        if not self.model.get("enable_dynamic_shape", True):
            return "single"
        return "wrapping" if "local_global_attention" in self.model else "flexible"


def quantized(mode, group=None, embedding=None):
    given = {"group_size": group, "embedding_quantize": embedding}
    return {"quantization": {"qmode": mode, "use_hqq": False} | {key: value for key, value in given.items() if value}}


FOUR = quantized("8da4w", 32, "4,32")
LINEAR = dict(
    n_layers=2, layer_types=["linear_attention", "full_attention"], use_q_gate=True, rms_norm_add_unit_offset=True, use_qk_norm=True,
    qk_norm_before_rope=True, partial_rotary_factor=0.5, use_hf_rope=True, linear_num_key_heads=2, linear_num_value_heads=4,
    linear_key_head_dim=8, linear_value_head_dim=8,
)
CONVOLUTION = dict(n_layers=2, layer_types=["conv", "full_attention"], use_qk_norm=True, qk_norm_before_rope=True, use_hf_rope=True)
GEMMA = dict(
    n_layers=2, act_fn="gelu_approx", embedding_scale_factor=8.0, post_attention_norm=True, post_ffn_norm=True, use_qk_norm=True,
    qk_norm_before_rope=True, rms_norm_add_unit_offset=True, final_logit_softcapping=20.0, local_rope_theta=5000.0,
    layer_types=["sliding_attention", "full_attention"], sliding_window=4,
)
GATES = dict(
    use_attn_o_gate=True, use_attn_o_norm=True, use_residual_gate=True, use_ffn_learnable_scales=True, normalize_tok_embeddings=True,
    scale_query_by=1.3, output_soft_cap_temp=9.0, qk_norm_affine=False, use_qk_norm=True,
)
LONG = dict(
    partial_rotary_factor=0.75, use_hf_rope=True, rope_scaling_short_factor=[1 + i / 10 for i in range(6)],
    rope_scaling_long_factor=[2 + i / 10 for i in range(6)], original_max_position_embeddings=16, max_position_embeddings=64,
)
EXPORTS = {
    "whole": Export("no cache", "stories110m", model={}),
    "put": Export("cache by `index_put`", "llama3", model=CACHED),
    "scaled": Export("`use_sdpa_with_kv_cache`, scaled angles", params=dict(use_scaled_rope=True, rope_theta=500000.0)),
    "static": Export("`--disable_dynamic_shape`", model=CUSTOM | STATIC),
    "static-put": Export("`--disable_dynamic_shape`, cache by `index_put`, 8da4w", model=CACHED | STATIC, backends=XNNPACK, tolerance=DYNAMIC, **quantized("8da4w", 32)),
    "8da4w": Export("8da4w, embedding 4 bits", backends=XNNPACK, tolerance=DYNAMIC, **FOUR),
    "8da4w-put": Export(
        "8da4w in groups of 64, embedding 8 bits, cache by `index_put`", model=CACHED, backends=XNNPACK, tolerance=DYNAMIC, **quantized("8da4w", 64, "8,0")
    ),
    "sinks": Export("attention sinks, dynamic shapes", model=CUSTOM | {"use_attention_sink": f"2,{WINDOW}"}),
    "bf16": Export("bfloat16", model=CUSTOM | {"dtype_override": "bf16"}, tolerance=SHORT),
    "fp16": Export("float16", model=CUSTOM | {"dtype_override": "fp16"}, tolerance=HALF),
    "kv8": Export("int8 cache, quantised attention", model=CUSTOM | {"quantize_kv_cache": True}, tolerance=QUANTIZED),
    "kv8-put": Export("int8 cache, plain attention", model=CACHED | {"quantize_kv_cache": True}, tolerance=QUANTIZED),
    "local": Export("local and global layers", params=dict(n_layers=2), model=CUSTOM | {"local_global_attention": [0, WINDOW]}),
    "local-put": Export("local and global layers, cache by `index_put`", params=dict(n_layers=2), model=CACHED | {"local_global_attention": [WINDOW, 0]}),
    "local-kv8": Export(
        "local and global layers, int8 caches", params=dict(n_layers=2), model=CUSTOM | {"local_global_attention": [WINDOW, 0], "quantize_kv_cache": True},
        tolerance=QUANTIZED,
    ),
    "full": Export("logits of all tokens", debug=dict(generate_full_logits=True)),
    "full-bf16": Export(
        "logits of all tokens, bfloat16, cache by `index_put`", model=CACHED | {"dtype_override": "bf16"}, tolerance=SHORT,
        debug=dict(generate_full_logits=True),
    ),
    "pt2e": Export("`--pt2e_quantize xnnpack_dynamic`", backends=XNNPACK, tolerance=DYNAMIC, quantization=dict(pt2e_quantize="xnnpack_dynamic")),
    "pt2e-4": Export("`--pt2e_quantize xnnpack_dynamic_qc4`", backends=XNNPACK, tolerance=DYNAMIC, quantization=dict(pt2e_quantize="xnnpack_dynamic_qc4")),
    "int8": Export("`-qmode int8`", **quantized("int8")),
    "4w": Export("`-qmode 4w`", **quantized("4w", 32)),
    "low-bits": Export("`-qmode torchao:8da4w`", **quantized("torchao:8da4w", 32, "torchao:4,32")),
    "pruned-output": Export("`--output_prune_map`", model=CUSTOM | {"output_prune_map": "MAP"}),
    "qwen2": Export("Qwen 2.5: biases", "qwen2_5_0_5b", dict(attention_qkv_bias=True, use_hf_rope=True, rope_theta=1e6)),
    "qwen3": Export(
        "Qwen 3: norms of queries and keys, 8da4w", "qwen3_0_6b", dict(use_qk_norm=True, qk_norm_before_rope=True, use_hf_rope=True), backends=XNNPACK,
        tolerance=DYNAMIC, **FOUR,
    ),
    "qwen3-5": Export("Qwen 3.5: linear attention, one token", "qwen3_5_0_8b", LINEAR | dict(dim=40, hidden_dim=48), model=CUSTOM | STATIC),
    "qwen3-5-dynamic": Export("Qwen 3.5: linear attention", "qwen3_5_0_8b", LINEAR),
    "phi-4": Export("Phi 4 mini: angles for three quarters", "phi_4_mini", dict(partial_rotary_factor=0.75, use_hf_rope=True)),
    "phi-4-long": Export("Phi 4 mini: LongRoPE", "phi_4_mini", LONG),
    "smollm2": Export("SmolLM 2", "smollm2", dict(rope_theta=1e5), backends=XNNPACK, tolerance=DYNAMIC, **quantized("8da4w", 32, "8,0")),
    "lfm2": Export("LFM 2: short convolutions", "lfm2_350m", CONVOLUTION),
    "lfm2-static": Export("LFM 2: short convolutions, one token", "lfm2_350m", CONVOLUTION, model=CUSTOM | STATIC),
    "experts": Export("experts", params=dict(moe=True, num_experts=4, num_activated_experts=2)),
    "gemma": Export("Gemma 3", params=GEMMA),
    "gemma-local": Export("Gemma 3, local and global layers", params=GEMMA, model=CUSTOM | {"local_global_attention": [WINDOW, 0]}),
    "capped": Export("Gemma 2: capped scores", params=dict(attn_logit_softcapping=10.0, final_logit_softcapping=15.0), model=CACHED),
    "granite": Export("Granite: multipliers", params=dict(residual_multiplier=0.22, attention_multiplier=0.2, logits_scaling=4.0, embedding_scale_factor=3.0)),
    "no-angles": Export("layers without angles", params=dict(n_layers=2, no_rope_layer_interval=2)),
    "shared": Export("caches shared between layers", params=dict(n_layers=4, num_kv_shared_layers=2)),
    "shared-8da4w": Export(
        "caches shared between layers, 8da4w", params=dict(n_layers=4, num_kv_shared_layers=2), backends=XNNPACK, tolerance=DYNAMIC,
        **quantized("8da4w", 32),
    ),
    "gates": Export("gates, learnable scales, capped logits", params=GATES),
    "layernorm": Export("layer norm, bias of the logits", params=dict(norm_type="layernorm", output_bias=True)),
    "no-mlp": Export("a layer without products", params=dict(n_layers=2, mlp_type=["skip", "default"])),
}

# Those that are fixtures.
SAMPLES = [
    "4w/xnnpack", "gates/xnnpack", "qwen3-5/portable", "shared-8da4w/xnnpack", "static-put/xnnpack", "capped/portable", "phi-4-long/portable",
]


def write_checkpoint(folder, export):
    torch.manual_seed(7)
    arguments = ModelArgs(max_seq_len=CONTEXT, max_context_len=CONTEXT, use_kv_cache=True, **(SMALL | export.params))
    state = {}
    for key, value in construct_transformer(arguments).state_dict().items():
        if any(part in key for part in ("cache", "freqs", "mask", "state")) or not value.is_floating_point():
            continue
        if value.dim() > 1:
            value = torch.randn(value.shape) * (1.5 if key.startswith("tok_embeddings") else 1.6 / value.shape[-1] ** 0.5)
        elif "norm" in key:
            value = (0 if arguments.rms_norm_add_unit_offset else 1) + 0.2 * torch.randn(value.shape)
        else:
            value = 0.3 * torch.randn(value.shape)
        state[key] = value
    (folder / "params.json").write_text(json.dumps(SMALL | export.params))
    torch.save(state, folder / "checkpoint.pth")


def written(export, backend):
    """The program's bytes."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_checkpoint(folder, export)
        (folder / "map.json").write_text(json.dumps({str(i): 2 * i for i in range(VOCABULARY // 2)}))
        model = {key: str(folder / "map.json") if value == "MAP" else value for key, value in export.model.items()}
        given = {
            "base": {
                "model_class": export.name, "checkpoint": str(folder / "checkpoint.pth"), "params": str(folder / "params.json"),
                "metadata": '{"get_bos_id": 1, "get_eos_ids": [2, 3]}',
            },
            "export": {
                "max_seq_length": 2 * WINDOW if "local_global_attention" in model else CONTEXT, "max_context_length": CONTEXT,
                "output_dir": str(folder), "output_name": "model",
            },
            "model": model, "backend": BACKENDS[backend],
        }
        config = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(LlmConfig), given, json.loads(json.dumps(export.config))))
        with contextlib.redirect_stdout(io.StringIO()):
            export_llama(config)
        return (folder / "model.pte").read_bytes()
