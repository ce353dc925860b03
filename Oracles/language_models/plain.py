"""Language models in plain torch, as exporters of transformers models write them: rotary halves whose angles are computed from positions,
tokens [1, n] with `cache_position` [n], logits [1, n, V]."""

import torch
import torch.nn.functional as F
from torch import nn
from executorch.examples.models.llama.source_transformation.custom_kv_cache import CustomKVCache, CustomRingKVCache

from language_models.upstream import CONTEXT, VOCABULARY, WINDOW

HEADS, KEY_HEADS, DEPTH = 4, 2, 8


class Norm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(1 + 0.2 * torch.randn(dim))

    def forward(self, x):
        wide = x.float()
        return self.weight * (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


def turned(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)


class PlainCache(nn.Module):
    """[B, H, S, D], written at positions; a mask says which keys count."""

    def __init__(self, dtype=torch.float32, put=False):
        super().__init__()
        self.put = put
        self.register_buffer("k", torch.zeros(1, KEY_HEADS, CONTEXT, DEPTH, dtype=dtype))
        self.register_buffer("v", torch.zeros(1, KEY_HEADS, CONTEXT, DEPTH, dtype=dtype))

    def forward(self, q, k, v, positions):
        for cache, new in ((self.k, k), (self.v, v)):
            if self.put:
                cache[:, :, positions] = new.to(cache.dtype)
            else:
                cache.index_copy_(2, positions, new.to(cache.dtype))
        visible = torch.arange(CONTEXT) <= positions[:, None]
        return attend(q, self.k.to(q.dtype), self.v.to(q.dtype), visible)


class CopiedCache(nn.Module):
    """The same, as a new cache that is copied over the old one."""

    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.register_buffer("k", torch.zeros(1, KEY_HEADS, CONTEXT, DEPTH, dtype=dtype))
        self.register_buffer("v", torch.zeros(1, KEY_HEADS, CONTEXT, DEPTH, dtype=dtype))

    def forward(self, q, k, v, positions):
        here = (torch.arange(CONTEXT)[:, None] == positions).to(k.dtype)
        kept = 1 - here.sum(-1, keepdim=True)
        self.k.copy_(self.k * kept + here @ k)
        self.v.copy_(self.v * kept + here @ v)
        return attend(q, self.k, self.v, torch.arange(CONTEXT) <= positions[:, None])


class ShiftedWindow(nn.Module):
    """The last positions alone: the cache is shifted when it is full. One token a call."""

    def __init__(self):
        super().__init__()
        self.register_buffer("k", torch.zeros(1, KEY_HEADS, WINDOW, DEPTH))
        self.register_buffer("v", torch.zeros(1, KEY_HEADS, WINDOW, DEPTH))

    def forward(self, q, k, v, positions):
        full = positions >= WINDOW - 1
        slots = torch.ones(WINDOW, dtype=torch.long).cumsum(0)
        order = (slots + full[-1:].int().sum() - 1) % WINDOW
        place = positions.clamp(0, WINDOW - 1)
        for cache, new in ((self.k, k), (self.v, v)):
            moved = cache[:, :, order]
            moved[:, :, place] = new
            cache.zero_()
            cache.add_(moved)
        return attend(q, self.k, self.v, torch.arange(WINDOW) <= positions[:, None])


class StaticScales(nn.Module):
    """int8 with scales that are known when exporting."""

    SCALES = {"k": 0.031, "v": 0.027}

    def __init__(self, heads_first=True):
        super().__init__()
        self.heads_first = heads_first
        shape = (1, KEY_HEADS, CONTEXT, DEPTH) if heads_first else (1, CONTEXT, KEY_HEADS, DEPTH)
        self.register_buffer("k", torch.zeros(shape, dtype=torch.int8))
        self.register_buffer("v", torch.zeros(shape, dtype=torch.int8))

    def forward(self, q, k, v, positions):
        real = []
        for name, new in (("k", k), ("v", v)):
            cache, scale = getattr(self, name), self.SCALES[name]
            stored = torch.ops.quantized_decomposed.quantize_per_tensor(new, scale, 0, -128, 127, torch.int8)
            if self.heads_first:
                cache.index_copy_(2, positions, stored)
            else:
                torch.ops.llama.update_cache(stored.transpose(1, 2), cache, positions[0].item())
            wide = torch.ops.quantized_decomposed.dequantize_per_tensor(cache, scale, 0, -128, 127, torch.int8)
            real.append(wide if self.heads_first else wide.transpose(1, 2))
        return attend(q, *real, torch.arange(CONTEXT) <= positions[:, None])


class CustomCache(nn.Module):
    """[B, S, H, D] through `llama::update_cache`, and `llama::custom_sdpa`."""

    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.cache = CustomKVCache(1, CONTEXT, KEY_HEADS, DEPTH, dtype=dtype)

    def forward(self, q, k, v, positions):
        k, v = self.cache.update(positions, k, v)
        q, k, v = (t.transpose(1, 2).float() for t in (q, k, v))
        return torch.ops.llama.custom_sdpa(q, k, v, start_pos=positions[0].item(), is_causal=True).flatten(2)


class CustomRing(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = CustomRingKVCache(1, WINDOW, KEY_HEADS, DEPTH)

    def forward(self, q, k, v, positions):
        k, v = self.cache.update(positions, k, v)
        mask = self.cache.create_causal_mask_for_ring_buffer(positions[0].item(), q.size(2))
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        return torch.ops.llama.custom_sdpa(q, k, v, start_pos=0, attn_mask=mask, is_causal=False).flatten(2)


class UpdatingAttention(nn.Module):
    """`llama::sdpa_with_kv_cache`, which writes the cache itself."""

    def __init__(self, masked=False):
        super().__init__()
        self.masked = masked
        self.register_buffer("k", torch.zeros(1, CONTEXT, KEY_HEADS, DEPTH))
        self.register_buffer("v", torch.zeros(1, CONTEXT, KEY_HEADS, DEPTH))

    def forward(self, q, k, v, positions):
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        start, length = positions[0].item(), q.size(1)
        torch._check_is_size(start)
        mask = addends(torch.arange(CONTEXT) <= positions[:, None]) if self.masked else None
        return torch.ops.llama.sdpa_with_kv_cache(q, k, v, self.k, self.v, start, length, mask, 0, not self.masked).flatten(2)


class QuantizedHeadsFirst(nn.Module):
    """int8 [B, H, S, D] with a scale and a zero point for each token and head, and `llama::custom_quantized_sdpa`."""

    def __init__(self, masked=False):
        super().__init__()
        self.masked = masked
        for name in ("k", "v"):
            self.register_buffer(name, torch.zeros(1, KEY_HEADS, CONTEXT, DEPTH, dtype=torch.int8))
            self.register_buffer(f"{name}_scales", torch.zeros(1, KEY_HEADS, CONTEXT, 1))
            self.register_buffer(f"{name}_zeros", torch.zeros(1, KEY_HEADS, CONTEXT, 1, dtype=torch.int8))

    def forward(self, q, k, v, positions):
        parts = [quantized(q)]
        for name, new in (("k", k), ("v", v)):
            caches = [getattr(self, name), getattr(self, f"{name}_zeros"), getattr(self, f"{name}_scales")]
            for cache, part in zip(caches, quantized(new)):
                cache.index_copy_(2, positions, part)
            parts.append(caches)
        (q, *qs), (k, *ks), (v, *vs) = parts
        start = positions[0].item()
        torch._check_is_size(start)
        mask = addends(torch.arange(CONTEXT) <= positions[:, None]) if self.masked else None
        y = torch.ops.llama.custom_quantized_sdpa(q, k, v, start, mask, 0, not self.masked, None, *qs, *ks, *vs, True)
        return y.transpose(1, 2).flatten(2)


def quantized(x):
    """int8 elements, zero points and scales of each row."""
    scales, zeros = torch.ops.quantized_decomposed.choose_qparams_per_token_asymmetric(x, torch.int8)
    stored = torch.ops.quantized_decomposed.quantize_per_token(x, scales, zeros, -128, 127, torch.int8)
    return stored, zeros.to(torch.int8), scales.float()


def addends(visible):
    return torch.where(visible, 0.0, float("-inf"))


class Uncached(nn.Module):
    def forward(self, q, k, v, positions):
        return attend(q, k, v, positions <= positions[:, None])


def attend(q, k, v, visible):
    k, v = (t.repeat_interleave(HEADS // KEY_HEADS, dim=1) for t in (k, v))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=visible).transpose(1, 2).flatten(2)


class Attention(nn.Module):
    def __init__(self, cache, dim, norm=False):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, n * DEPTH, bias=False) for n in (HEADS, KEY_HEADS, KEY_HEADS))
        self.o = nn.Linear(HEADS * DEPTH, dim, bias=False)
        self.cache = cache
        self.norms = nn.ModuleList([Norm(DEPTH), Norm(DEPTH)]) if norm else None

    def forward(self, x, angles, positions):
        q, k, v = (
            m(x).unflatten(-1, (-1, DEPTH)).transpose(1, 2) for m in (self.q, self.k, self.v)
        )
        if self.norms:
            q, k = self.norms[0](q), self.norms[1](k)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        q, k = (t * cos + turned(t) * sin for t in (q, k))
        return self.o(self.cache(q, k, v, positions).to(x.dtype))


def delta_rule(q, k, v, decay, beta, state):
    """Position after position; the heads of queries that follow one another share a state."""
    decay = decay if decay.dim() == 4 else decay[..., None]
    results, state = [], state.clone()
    for t in range(q.shape[2]):
        state = state * decay[:, :, t, :, None]
        error = (v[:, :, t] - torch.einsum("bhkv,bhk->bhv", state, k[:, :, t])) * beta[:, :, t, None]
        state = state + k[:, :, t, :, None] * error[:, :, None]
        results.append(torch.einsum("bhkv,bhk->bhv", state.repeat_interleave(q.shape[1] // k.shape[1], 1), q[:, :, t]))
    return torch.stack(results, 2), state


def earlier_delta_rule(q, k, v, g, beta, state):
    y, last = delta_rule(q, k, v, g.exp(), beta, state)
    state.copy_(last)
    return y


# The operator's names in other versions of ExecuTorch, which the wheel does not have.
_llama = torch.library.Library("llama", "FRAGMENT")
_llama.define("gated_delta_rule(Tensor query, Tensor key, Tensor value, Tensor decay, Tensor beta, Tensor initial_state) -> (Tensor, Tensor)")
_llama.define(
    "gated_delta_rule.out(Tensor query, Tensor key, Tensor value, Tensor decay, Tensor beta, Tensor initial_state, *, Tensor(a!) out, "
    "Tensor(b!) final_state_out) -> (Tensor(a!), Tensor(b!))"
)
_llama.define(
    "recurrent_gated_delta_rule(Tensor query, Tensor key, Tensor value, Tensor g, Tensor beta, Tensor(a!) recurrent_state) -> Tensor"
)
_llama.define(
    "recurrent_gated_delta_rule.out(Tensor query, Tensor key, Tensor value, Tensor g, Tensor beta, Tensor(a!) recurrent_state, *, "
    "Tensor(b!) out) -> Tensor(b!)"
)
_llama.impl("gated_delta_rule", delta_rule, "CPU")
_llama.impl("recurrent_gated_delta_rule", earlier_delta_rule, "CPU")
_llama.impl(
    "gated_delta_rule", lambda q, k, v, decay, beta, state: (q.new_empty(*q.shape[:3], v.shape[3]), torch.empty_like(state)), "Meta"
)
_llama.impl("recurrent_gated_delta_rule", lambda q, k, v, g, beta, state: q.new_empty(*q.shape[:3], v.shape[3]), "Meta")


class DeltaRule(nn.Module):
    """Linear attention with a recurrent state. `version`: the operator's name and form."""

    def __init__(self, dim, version="channelwise", heads=4, key_depth=6, value_depth=8):
        super().__init__()
        self.version, self.states = version, 2 if version == "later" else heads
        per_row = version == "channelwise"
        self.counts = (heads, self.states, self.states, self.states)
        self.parts = nn.ModuleList(
            [nn.Linear(dim, n * d, bias=False) for n, d in zip(self.counts, (key_depth, key_depth, value_depth, key_depth if per_row else 1))]
        )
        self.beta, self.o = nn.Linear(dim, self.states, bias=False), nn.Linear(heads * value_depth, dim, bias=False)
        self.register_buffer("state", torch.zeros(1, self.states, key_depth, value_depth))

    def forward(self, x, angles, positions):
        q, k, v, decay = (m(x).unflatten(-1, (n, -1)).transpose(1, 2).contiguous() for m, n in zip(self.parts, self.counts))
        beta = self.beta(x).sigmoid().transpose(1, 2).contiguous()
        k, decay = torch.nn.functional.normalize(k, dim=-1), decay.sigmoid()
        kept = (positions[0] != 0).to(self.state.dtype)
        if self.version == "earlier":
            self.state.mul_(kept)
            y = torch.ops.llama.recurrent_gated_delta_rule(q, k, v, decay[..., 0].log(), beta, self.state)
        else:
            if self.version == "later":
                y, state = torch.ops.llama.gated_delta_rule(q, k, v, decay[..., 0], beta, self.state * kept)
            else:
                y, state = torch.ops.llama.channelwise_gated_delta_rule(q, k, v, decay, beta, self.state * kept)
            self.state.copy_(state)
        return self.o(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, mixer, dim):
        super().__init__()
        self.mixer, self.norms = mixer, nn.ModuleList([Norm(dim), Norm(dim)])
        self.gate, self.up, self.down = (nn.Linear(dim, dim, bias=False) for _ in range(3))

    def forward(self, x, angles, positions):
        x = x + self.mixer(self.norms[0](x), angles, positions)
        y = self.norms[1](x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Model(nn.Module):
    """logits: `all` positions' or the `last`'s, in `dtype` (None for the weights' own)."""

    def __init__(self, dim, *mixers, logits="all", dtype=None, tied=False):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, dim)
        self.blocks = nn.ModuleList([Block(m, dim) for m in mixers])
        self.norm, self.head = Norm(dim), nn.Linear(dim, VOCABULARY, bias=False)
        self.register_buffer("frequencies", 10000 ** -(torch.arange(0, DEPTH, 2) / DEPTH), persistent=False)
        self.logits, self.dtype, self.fallback = logits, dtype, False
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                parameter.data = torch.randn(parameter.shape) * (1.5 if name.startswith("embedding") else 1.6 / parameter.shape[-1] ** 0.5)
        if tied:
            self.head.weight = self.embedding.weight

    def forward(self, tokens, cache_position):
        return self.body(tokens, cache_position)

    def body(self, tokens, positions):
        x = self.embedding(tokens)
        if self.fallback:
            x = torch.ops.llama.fallback(x)
        angles = positions[:, None].float() * self.frequencies.float()
        angles = torch.cat((angles, angles), dim=-1)
        for block in self.blocks:
            x = block(x, angles, positions)
        if self.logits == "last":
            x = x[:, -1]
        y = self.head(self.norm(x))
        return y.to(self.dtype) if self.dtype else y


class WithoutPositions(nn.Module):
    """Tokens alone; every call begins at position 0."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        return self.model.body(tokens, torch.arange(tokens.size(1)))


class ByStart(nn.Module):
    """`input_pos` [1] instead of a position for each token."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, input_pos):
        start = input_pos[0].item()
        torch._check_is_size(start)
        torch._check(start < CONTEXT)
        return self.model.body(tokens, torch.arange(tokens.size(1)) + start)
