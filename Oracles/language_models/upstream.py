"""Language models of upstream's llama example, with its transformations of caches, attention and weights."""

import contextlib
import io

import torch
from torch import nn
from executorch.examples.models.llama.llama_transformer import construct_transformer
from executorch.examples.models.llama.model_args import ModelArgs
from executorch.examples.models.llama.source_transformation.attention_sink import enable_attention_sink
from executorch.examples.models.llama.source_transformation.custom_kv_cache import (
    replace_kv_cache_with_custom_kv_cache,
    replace_kv_cache_with_quantized_kv_cache,
    replace_kv_cache_with_ring_kv_cache,
)
from executorch.examples.models.llama.source_transformation.quantize import EmbeddingQuantHandler, WeightOnlyInt8QuantHandler
from executorch.examples.models.llama.source_transformation.sdpa import (
    replace_causal_mask,
    replace_sdpa_with_custom_op,
    replace_sdpa_with_quantized_sdpa,
)
from torchao.quantization.granularity import PerAxis, PerGroup
from torchao.quantization.quant_api import Int8DynamicActivationIntxWeightConfig, quantize_

import op_cases.quantized  # noqa: F401  (implements `mixed_linear` for tracing)

VOCABULARY, CONTEXT, WINDOW, SINKS = 64, 24, 4, 2
LONGEST = CONTEXT - 1  # Upstream's exporter excludes the bound itself.


def arguments(**changes):
    given = dict(
        dim=32, n_layers=1, n_heads=4, n_kv_heads=2, vocab_size=VOCABULARY, hidden_dim=32, max_seq_len=CONTEXT, max_context_len=CONTEXT,
        use_kv_cache=True, enable_dynamic_shape=True,
    )
    return ModelArgs(**(given | changes))


def transformer(**changes):
    """A model with random weights, of a size that gives logits of about one."""
    torch.manual_seed(7)
    model = construct_transformer(arguments(**changes))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1:
                parameter.copy_(torch.randn(parameter.shape) * (1.5 if name.startswith("tok_embeddings") else 1.6 / parameter.shape[-1] ** 0.5))
            elif "norm" in name:
                parameter.copy_(1 + 0.2 * torch.randn(parameter.shape))
    return model


# MARK: caches


def custom(model, masked=False):
    return replace_kv_cache_with_custom_kv_cache(replace_sdpa_with_custom_op(model, use_attention_mask=masked))


def dequantized(model):
    return replace_kv_cache_with_quantized_kv_cache(custom(model))


def quantized(model, masked=False):
    model = replace_sdpa_with_quantized_sdpa(dequantized(model))
    for layer in model.layers:
        layer.attention.SDPA.use_attention_mask = masked
    return model


def ring(model, *windows):
    return replace_kv_cache_with_ring_kv_cache(model, list(windows))


def sinks(model, window=WINDOW, count=SINKS):
    return enable_attention_sink(model, model.params, sink_size=count, window_size=window)


# MARK: weights


def linear(bits, group=None):
    """Products of rows that are quantised when they are known, with a scale of the weight for each group of inputs or for each output."""

    def transform(model):
        granularity = PerGroup(group) if group else PerAxis(0)
        config = Int8DynamicActivationIntxWeightConfig(weight_dtype=getattr(torch, f"int{bits}"), weight_granularity=granularity)
        quantize_(model, config, lambda m, name: isinstance(m, nn.Linear) and "lora_" not in name)
        return model

    return transform


class WeightOnly(nn.Module):
    """A product with weights of 8 or 4 bits by `quantized_decomposed::mixed_linear`, which makes them real itself."""

    def __init__(self, layer, bits, group):
        super().__init__()
        weight = layer.weight.detach()
        groups = weight.unflatten(1, (-1, group or weight.shape[1]))
        highest = 2 ** (bits - 1) - 1
        scales = groups.abs().amax(-1) / highest
        self.register_buffer("weight", (groups / scales[..., None]).round().clamp(-highest - 1, highest).to(torch.int8).flatten(1))
        self.register_buffer("scales", scales if group else scales[:, 0])

    def forward(self, x):
        rows = torch.ops.quantized_decomposed.mixed_linear(x.flatten(0, -2), self.weight, self.scales, None)
        return rows.unflatten(0, x.shape[:-1])


def weight_only(bits, group=None):
    def transform(model):
        for name, child in model.named_children():
            if isinstance(child, nn.Linear):
                setattr(model, name, WeightOnly(child, bits, group))
            else:
                transform(child)
        return model

    return transform


def int8_weights(model):
    """Upstream's mode `int8`: weights converted, and the product scaled."""
    with contextlib.redirect_stdout(io.StringIO()):
        return WeightOnlyInt8QuantHandler(model, precision=torch.float32).quantized_model()


def embedding(bits, group=None):
    def transform(model):
        with contextlib.redirect_stdout(io.StringIO()):
            return EmbeddingQuantHandler(
                model, bitwidth=bits, group_size=group, packed=bits in (2, 4), quantize_with_hqq=False
            ).quantized_model()

    return transform


def cast(dtype):
    return lambda model: model.to(dtype)


def chained(*transforms):
    def transform(model):
        for step in transforms:
            model = step(model)
        return model

    return transform
