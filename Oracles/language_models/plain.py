"""Language models in plain torch, as exporters of transformers models write them: rotary halves whose angles are computed from positions,
tokens [1, n] with `cache_position` [n], logits [1, n, V]."""

import torch
import torch.nn.functional as F
from torch import nn
from executorch.examples.models.llama.source_transformation.custom_kv_cache import CustomKVCache, CustomRingKVCache

from language_models.upstream import CONTEXT, VOCABULARY, WINDOW

DIM, HEADS, KEY_HEADS, DEPTH, HIDDEN = 32, 4, 2, 8, 32


class Norm(nn.Module):
    def __init__(self, dim=DIM):
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

    def __init__(self):
        super().__init__()
        self.register_buffer("k", torch.zeros(1, CONTEXT, KEY_HEADS, DEPTH))
        self.register_buffer("v", torch.zeros(1, CONTEXT, KEY_HEADS, DEPTH))

    def forward(self, q, k, v, positions):
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        start, length = positions[0].item(), q.size(1)
        torch._check_is_size(start)
        return torch.ops.llama.sdpa_with_kv_cache(q, k, v, self.k, self.v, start, length, None, 0, True).flatten(2)


class Uncached(nn.Module):
    def forward(self, q, k, v, positions):
        return attend(q, k, v, positions <= positions[:, None])


def attend(q, k, v, visible):
    k, v = (t.repeat_interleave(HEADS // KEY_HEADS, dim=1) for t in (k, v))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=visible).transpose(1, 2).flatten(2)


class Attention(nn.Module):
    def __init__(self, cache, norm=False):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(DIM, n * DEPTH, bias=False) for n in (HEADS, KEY_HEADS, KEY_HEADS))
        self.o = nn.Linear(HEADS * DEPTH, DIM, bias=False)
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


class DeltaRule(nn.Module):
    """Linear attention with a recurrent state, by `llama::channelwise_gated_delta_rule`."""

    def __init__(self, heads=2, key_depth=6, value_depth=5):
        super().__init__()
        self.heads, self.depths = heads, (key_depth, key_depth, value_depth, key_depth)
        self.parts = nn.ModuleList([nn.Linear(DIM, heads * n, bias=False) for n in self.depths])
        self.beta, self.o = nn.Linear(DIM, heads, bias=False), nn.Linear(heads * value_depth, DIM, bias=False)
        self.register_buffer("state", torch.zeros(1, heads, key_depth, value_depth))

    def forward(self, x, angles, positions):
        q, k, v, decay = (m(x).unflatten(-1, (self.heads, -1)).transpose(1, 2).contiguous() for m in self.parts)
        beta = self.beta(x).sigmoid().transpose(1, 2).contiguous()
        k = F.normalize(k, dim=-1)
        state = self.state * (positions[0] != 0).to(self.state.dtype)
        y, state = torch.ops.llama.channelwise_gated_delta_rule(q, k, v, decay.sigmoid(), beta, state)
        self.state.copy_(state)
        return self.o(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, mixer):
        super().__init__()
        self.mixer, self.norms = mixer, nn.ModuleList([Norm(), Norm()])
        self.gate, self.up, self.down = (nn.Linear(a, b, bias=False) for a, b in ((DIM, HIDDEN), (DIM, HIDDEN), (HIDDEN, DIM)))

    def forward(self, x, angles, positions):
        x = x + self.mixer(self.norms[0](x), angles, positions)
        y = self.norms[1](x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Model(nn.Module):
    """logits: `all` positions' or the `last`'s, in `dtype` (nil for the weights' own)."""

    def __init__(self, *mixers, logits="all", dtype=None, tied=False):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, DIM)
        self.blocks = nn.ModuleList([Block(m) for m in mixers])
        self.norm, self.head = Norm(), nn.Linear(DIM, VOCABULARY, bias=False)
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
