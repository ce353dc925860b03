"""Writes recorded cases of programs with states, several steps each.

  python make_state_cases.py [--out DIRECTORY] [--only SUBSTRING]

Each case is a module whose buffers outlive a call, and a formulation without any: a function of all inputs up to a step that gives that
step's outputs. ExecuTorch's runtime runs the program and must agree with it; what the function gives is recorded.

Attention modules are made of the llama example's caches and attention, which call `llama::update_cache`,
`llama::update_cache_with_indices`, `llama::custom_sdpa` and `llama::custom_quantized_sdpa`, or `index_copy` and plain attention.

Versions: see requirements.txt.
"""
import argparse
import json
import math
import pathlib
import shutil
import warnings

warnings.filterwarnings("ignore")
import torch
import torch.nn.functional as F

import executorch.kernels.quantized  # noqa: F401  (registers the quantised operators with the runtime)
from executorch.examples.models.llama.attention import KVCache, RingKVCache
from executorch.examples.models.llama.source_transformation.attention_sink import KVCacheWithAttentionSink
from executorch.examples.models.llama.source_transformation.custom_kv_cache import (
    CustomKVCache,
    CustomKVCacheWithAttentionSink,
    CustomRingKVCache,
    QuantizedCacheType,
    QuantizedKVCache,
)
from executorch.examples.models.llama.source_transformation.sdpa import QuantizedSDPA, SDPACustom
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401  (registers the llama operators)
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

from op_cases.recording import agrees, operator_names, write_value

CASES = {}
ATTENTION_TOLERANCE = (1e-4, 1e-5)
HEADS, KEY_HEADS, DEPTH = 4, 2, 6


class Case:
    """A module, its steps' inputs, and `stateless`: the outputs of the last of the steps that it is given.

    dynamic: for each input the axes that change from step to step, with their bound.
    strict: whether the exporter traces Python's bytecode, as it must where modules share another.
    """

    def __init__(self, module, steps, stateless, *, dynamic=None, tolerance=(0.0, 0.0), reinplace=False, strict=False):
        self.module, self.steps, self.stateless = module, steps, stateless
        self.dynamic, self.tolerance, self.reinplace, self.strict = dynamic, tolerance, reinplace, strict


def case(function):
    CASES[function.__name__.replace("_", "-")] = function
    return function


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


# MARK: attention


def attend(q, k, v, visible, scale=None):
    """Attention of q [B, S, H, D] over all k, v [B, T, G, D] where `visible` [S, T], in float64."""
    q, k, v = (t.double().transpose(1, 2) for t in (q, k, v))
    k, v = (t.repeat_interleave(q.shape[1] // t.shape[1], dim=1) for t in (k, v))
    scores = q @ k.transpose(2, 3) * (scale or 1 / math.sqrt(q.shape[3]))
    weights = scores.masked_fill(~visible, -math.inf).softmax(-1)
    return (weights @ v).transpose(1, 2).float()


class CachedAttention(torch.nn.Module):
    """Keys and values go into a cache; queries attend to what `attention` lets them see of it."""

    def __init__(self, cache, attention):
        super().__init__()
        self.cache, self.attention = cache, attention

    def forward(self, q, k, v, position):
        mask = None
        if getattr(self.cache, "is_ring_buffer", False):
            k, v = self.cache.update(position, k.transpose(1, 2), v.transpose(1, 2))
            mask = self.cache.create_causal_mask_for_ring_buffer(position[0].item(), q.size(1))
        else:
            k, v = self.cache.update(position, k.transpose(1, 2), v.transpose(1, 2))
        return self.attention(position, q.transpose(1, 2), k, v, 1, q.size(1), mask)


class PlainAttention(torch.nn.Module):
    """The same without the custom operator."""

    def forward(self, position, q, k, v, batch, length, mask):
        k, v = (t.repeat_interleave(HEADS // KEY_HEADS, dim=1) for t in (k, v))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(batch, length, HEADS * DEPTH)


def tokens(lengths, seed=0, restart=None):
    """The inputs q, k, v and position of steps of `lengths` tokens; the step `restart` begins again at position 0."""
    random, steps, position = generator(seed), [], 0
    for step, length in enumerate(lengths):
        if step == restart:
            position = 0
        sizes = [(1, length, heads, DEPTH) for heads in (HEADS, KEY_HEADS, KEY_HEADS)]
        steps.append([torch.randn(s, generator=random) for s in sizes] + [torch.tensor([position])])
        position += length
    return steps


def attended(sees, scale=None):
    """The formulation without a cache: attention over the tokens since the last start, where `sees(query, key)` of their positions."""

    def stateless(steps):
        first = max(i for i, s in enumerate(steps) if s[3].item() == 0)
        k, v = (torch.cat([s[i] for s in steps[first:]], dim=1) for i in (1, 2))
        q, _, _, position = steps[-1]
        queries = position + torch.arange(q.shape[1])[:, None]
        keys = torch.arange(k.shape[1])[None]
        return [attend(q, k, v, sees(queries, keys), scale).flatten(2)]

    return stateless


SINKS, WINDOW = 2, 3


def in_sinks_or_window(query, key):
    return (key <= query) & ((key < SINKS) | (query - key < WINDOW))


def in_window(query, key):
    return (key <= query) & (query - key < WINDOW)


def causal(query, key):
    return key <= query


def bounded(most):
    return [{1: most}, {1: most}, {1: most}, {}]


@case
def sinks_one_token():
    def module():
        cache = CustomKVCacheWithAttentionSink(1, KEY_HEADS, DEPTH, WINDOW, SINKS)
        return CachedAttention(cache, SDPACustom(HEADS * DEPTH, use_attention_mask=True))

    return Case(module, tokens([1] * 16), attended(in_sinks_or_window), tolerance=ATTENTION_TOLERANCE)


@case
def sinks_plain():
    def module():
        cache = KVCacheWithAttentionSink(KEY_HEADS, DEPTH, False, None, WINDOW, SINKS)
        return CachedAttention(cache, PlainAttention())

    return Case(module, tokens([1] * 16), attended(in_sinks_or_window), tolerance=ATTENTION_TOLERANCE)


@case
def ring_one_token():
    def module():
        return CachedAttention(CustomRingKVCache(1, WINDOW, KEY_HEADS, DEPTH), SDPACustom(HEADS * DEPTH, use_attention_mask=True))

    return Case(module, tokens([1] * 13), attended(in_window), tolerance=ATTENTION_TOLERANCE)


@case
def ring_plain():
    def module():
        return CachedAttention(RingKVCache(1, WINDOW, KEY_HEADS, DEPTH, False, torch.float32), PlainAttention())

    return Case(module, tokens([1] * 13), attended(in_window), tolerance=ATTENTION_TOLERANCE)


@case
def cache_one_token():
    def module():
        return CachedAttention(CustomKVCache(1, 12, KEY_HEADS, DEPTH), SDPACustom(HEADS * DEPTH))

    return Case(module, tokens([1] * 9, restart=6), attended(causal), tolerance=ATTENTION_TOLERANCE)


@case
def cache_flexible():
    def module():
        return CachedAttention(CustomKVCache(1, 16, KEY_HEADS, DEPTH), SDPACustom(HEADS * DEPTH))

    steps = tokens([5, 1, 1, 3, 4, 2], restart=4)
    return Case(module, steps, attended(causal), dynamic=bounded(8), tolerance=ATTENTION_TOLERANCE)


@case
def quantized_cache_flexible():
    def module():
        cache = QuantizedKVCache(1, 16, KEY_HEADS, DEPTH, QuantizedCacheType.AffineAsymmetric, True, return_float_values=False)
        return CachedAttention(cache, QuantizedSDPA(HEADS * DEPTH, cache))

    def rounded(x):
        """The numbers that 8 bits hold for each token and head."""
        parameters = torch.ops.quantized_decomposed.choose_qparams_per_token_asymmetric(x, torch.int8)
        stored = torch.ops.quantized_decomposed.quantize_per_token(x, *parameters, -128, 127, torch.int8)
        return ((stored.double() - parameters[1].double()) * parameters[0].double()).float()

    def stateless(steps):
        return attended(causal)([[*map(rounded, s[:3]), s[3]] for s in steps])

    steps = tokens([3, 1, 1, 4, 1], restart=3)
    return Case(module, steps, stateless, dynamic=bounded(8), tolerance=ATTENTION_TOLERANCE, strict=True)


class Operators(torch.nn.Module):
    """A cache of keys that are values too, and `llama::custom_sdpa` with the arguments that `call` takes of it."""

    def __init__(self, call, capacity=10):
        super().__init__()
        self.register_buffer("k", torch.zeros(1, capacity, KEY_HEADS, DEPTH))
        self.register_buffer("v", torch.zeros(1, capacity, KEY_HEADS, DEPTH))
        self.call = call

    def forward(self, q, k, v, position, *masks):
        start = position.item()
        torch._check_is_size(start)
        torch._check(start + q.size(1) <= self.k.size(1))
        torch.ops.llama.update_cache(k, self.k, start)
        torch.ops.llama.update_cache(v, self.v, start)
        return self.call(q, self.k, self.v, start, *masks).flatten(2)


@case
def every_key_up_to_the_last():
    def module():
        return Operators(lambda q, k, v, start: torch.ops.llama.custom_sdpa(q, k, v, start, None, 0, False, 0.3))

    return Case(module, tokens([2] * 4), attended(lambda q, k: k >= 0, 0.3), tolerance=ATTENTION_TOLERANCE)


@case
def mask_with_a_start():
    """With a mask every key of the cache counts, whatever the start."""
    capacity, steps = 10, tokens([2] * 4)
    for s in steps:
        # Every second key of those that have been written; of the others one, which is zeros.
        keys, last = torch.arange(capacity), s[3].item() + 1
        visible = ((keys <= last) & (keys % 2 == 0)) | (keys == capacity - 1)
        s.append(torch.where(visible, 0.0, -math.inf).repeat(2, 1) + torch.tensor([[0.0], [0.25]]) * (keys % 3))

    def module():
        return Operators(lambda q, k, v, start, mask: torch.ops.llama.custom_sdpa(q, k, v, start, mask, 0, False), capacity)

    def stateless(steps):
        k, v = (F.pad(torch.cat([s[i] for s in steps], dim=1), (0, 0, 0, 0, 0, capacity - 2 * len(steps))) for i in (1, 2))
        q, mask = steps[-1][0], steps[-1][4]
        q, k, v = (t.double().transpose(1, 2) for t in (q, k, v))
        k, v = (t.repeat_interleave(HEADS // KEY_HEADS, dim=1) for t in (k, v))
        scores = q @ k.transpose(2, 3) / math.sqrt(DEPTH) + mask
        return [(scores.softmax(-1) @ v).transpose(1, 2).float().flatten(2)]

    return Case(module, steps, stateless, tolerance=ATTENTION_TOLERANCE)


# MARK: writing, reading


class WrittenTwice(torch.nn.Module):
    """Two writes of one cache in a call, read before, between and after."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(1, 6, 1, 2))

    def forward(self, x, position):
        start = position.item()
        torch._check_is_size(start)
        torch._check(start + 1 < self.cache.size(1))
        before = self.cache.transpose(1, 2) * 1
        torch.ops.llama.update_cache(x, self.cache, start)
        between = self.cache.sum(1)
        torch.ops.llama.update_cache(x * 10 + between, self.cache, start + 1)
        return before, between, self.cache.transpose(1, 2) - before


@case
def cache_written_twice():
    def stateless(steps):
        cache = torch.zeros(1, 6, 1, 2)
        for x, position in steps:
            before, start = cache.clone(), position.item()
            cache[:, start] = x[:, 0]
            between = cache.sum(1)
            cache[:, start + 1] = x[:, 0] * 10 + between
        return [before.transpose(1, 2), between, (cache - before).transpose(1, 2)]

    steps = [[torch.tensor([[[[i + 1.0, -i]]]]), torch.tensor(p)] for i, p in enumerate([0, 1, 3, 2, 0])]
    return Case(WrittenTwice, steps, stateless)


class Exchanged(torch.nn.Module):
    """Two buffers that take each other's values."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.ones(2, 3))
        self.register_buffer("b", torch.zeros(2, 3))

    def forward(self, x):
        a, b = self.a.clone(), self.b.clone()
        self.a.copy_(b + x)
        self.b.copy_(a)
        return self.a - self.b, self.b.t()


@case
def buffers_exchanged():
    def stateless(steps):
        a, b = torch.ones(2, 3), torch.zeros(2, 3)
        for (x,) in steps:
            a, b = b + x, a
        return [a - b, b.t()]

    return Case(Exchanged, [[torch.arange(6.0).reshape(2, 3) * (i + 1)] for i in range(5)], stateless)


class Replaced(torch.nn.Module):
    """A buffer that is written whole before it is read, and its view of before."""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(2, 3))

    def forward(self, x):
        view = self.last.t()
        old = view + 0
        self.last.copy_(x * 2)
        return self.last + 1, view * 3, old


@case
def buffer_replaced():
    def stateless(steps):
        last = steps[-1][0] * 2
        old = steps[-2][0] * 2 if len(steps) > 1 else torch.zeros(2, 3)
        return [last + 1, last.t() * 3, old.t()]

    return Case(Replaced, [[torch.arange(6.0).reshape(2, 3) + i] for i in range(4)], stateless)


class Returned(torch.nn.Module):
    """A buffer that is a result itself, twice, and goes on."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.full((3,), 5, dtype=torch.int64))

    def forward(self, x):
        old = self.total.clone()
        self.total.mul_(2)
        self.total.add_(x)
        return old, self.total, self.total.clone(), self.total.view(3, 1)


@case
def buffer_returned():
    def stateless(steps):
        total = torch.full((3,), 5)
        for (x,) in steps:
            old, total = total, total * 2 + x
        return [old, total, total, total.view(3, 1)]

    return Case(Returned, [[torch.tensor([i, 1, -i])] for i in range(4)], stateless)


class Counter(torch.nn.Module):
    """A position that lives in a buffer and says where to write and how much to read."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1, dtype=torch.int64))
        self.register_buffer("rows", torch.zeros(6, 2))

    def forward(self, x):
        start = self.count.item()
        torch._check_is_size(start)
        torch._check(start + 1 <= 6)
        self.rows.narrow(0, start, 1).copy_(x)
        self.count.add_(1)
        return self.rows.narrow(0, 0, start + 1).sum(0), self.count * 10


@case
def position_in_a_buffer():
    def stateless(steps):
        return [torch.cat([s[0] for s in steps]).sum(0), torch.tensor([len(steps) * 10])]

    return Case(Counter, [[torch.tensor([[i * i + 1.0, i]])] for i in range(5)], stateless)


class Scattered(torch.nn.Module):
    """Rows put, and added where `adds`, at positions; the second buffer is read before."""

    def __init__(self, adds):
        super().__init__()
        self.register_buffer("rows", torch.zeros(5, 3))
        self.register_buffer("sums", torch.zeros(4, 2, dtype=torch.float16))
        self.adds = adds

    def forward(self, positions, x, y):
        first = self.sums[positions].float()
        self.rows.index_put_((positions,), x)
        self.sums.index_put_((positions,), y, accumulate=self.adds)
        self.rows[:, 1:2].mul_(2)
        return first, self.rows * 1, self.sums.float()


def scattered(adds, reinplace):
    def stateless(steps):
        rows, sums = torch.zeros(5, 3), torch.zeros(4, 2, dtype=torch.float16)
        for positions, x, y in steps:
            first = sums[positions].float()
            rows[positions] = x
            sums[positions] = y + sums[positions] if adds else y
            rows[:, 1] *= 2
        return [first, rows, sums.float()]

    steps = []
    for i, positions in enumerate(([0, 2], [3, 2], [1, 3], [0, 1])):
        steps.append([torch.tensor(positions), torch.arange(6.0).reshape(2, 3) + i, torch.full((2, 2), i + 0.5, dtype=torch.float16)])
    return Case(lambda: Scattered(adds), steps, stateless, reinplace=reinplace)


@case
def rows_put_and_added():
    return scattered(True, False)


@case
def rows_put_in_place():
    return scattered(False, True)


# MARK: control flow


class Chosen(torch.nn.Module):
    """Branches that read two buffers, which then take the results."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(3))
        self.register_buffer("b", torch.ones(3))

    def forward(self, flag, x):
        old = self.a + 0
        y, z = torch.cond(flag, lambda a, b, x: (a * 2 + x, b - a), lambda a, b, x: (b - x, a + b + x), (self.a, self.b, x))
        self.a.copy_(z)
        self.b.copy_(y)
        return old, self.a * 2, self.b - old


@case
def branches():
    def stateless(steps):
        a, b = torch.zeros(3), torch.ones(3)
        for flag, x in steps:
            old = a
            a, b = (b - a, a * 2 + x) if flag else (a + b + x, b - x)
        return [old, a * 2, b - old]

    flags = [True, False, False, True, True, False]
    return Case(Chosen, [[torch.tensor(f), torch.arange(3.0) + i] for i, f in enumerate(flags)], stateless)


class Mapped(torch.nn.Module):
    """Rows mapped with a buffer, which then takes one of them."""

    def __init__(self):
        super().__init__()
        self.register_buffer("bias", torch.ones(2))

    def forward(self, x):
        y = torch._higher_order_ops.map(lambda row, bias: row * 2 + bias, x, self.bias)
        self.bias.copy_(y[1])
        return y, self.bias * 1


@case
def rows_mapped():
    def stateless(steps):
        bias = torch.ones(2)
        for (x,) in steps:
            y = x * 2 + bias
            bias = y[1]
        return [y, bias]

    return Case(Mapped, [[torch.arange(6.0).reshape(3, 2) - i] for i in range(4)], stateless)


# MARK: writing the cases


def export(made):
    shapes = None
    if made.dynamic:
        dims = {}
        shapes = tuple(
            {axis: dims.setdefault((axis, most), torch.export.Dim(f"n{axis}", min=1, max=most)) for axis, most in axes.items()}
            for axes in made.dynamic
        )
    with torch.no_grad():
        module = made.module().eval()
        exported = torch.export.export(module, tuple(made.steps[0]), dynamic_shapes=shapes, strict=made.strict)
    edge = to_edge(exported, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    # Buffers begin with their values in the file, or else as zeros.
    initialized = [name for name, buffer in module.named_buffers() if buffer.count_nonzero()]
    passes = [InitializedMutableBufferPass(initialized)] if initialized else []
    return edge.to_executorch(ExecutorchBackendConfig(run_reinplace_pass=made.reinplace, passes=passes))


def write(name, made, folder):
    program = export(made)
    method = _load_for_executorch_from_buffer(program.buffer)
    rtol, atol = made.tolerance
    folder.mkdir(parents=True)
    (folder / "model.pte").write_bytes(program.buffer)
    steps = []
    for i, inputs in enumerate(made.steps):
        expected = made.stateless(made.steps[: i + 1])
        given = [o.clone() for o in method.forward(tuple(inputs))]
        for k, (a, b) in enumerate(zip(given, expected, strict=True)):
            if not agrees(a, b, max(rtol, 1e-5), max(atol, 1e-6)):
                raise SystemExit(f"{name}: step {i}, output {k}: the runtime gives {a}, expected {b}")
        steps.append(
            {
                "inputs": [write_value(folder, f"step{i}_input{k}", t) for k, t in enumerate(inputs)],
                "outputs": [write_value(folder, f"step{i}_output{k}", t.contiguous()) for k, t in enumerate(expected)],
            }
        )
    content = {"name": f"states.{name}", "family": "states", "method": "forward", "steps": steps, "rtol": rtol, "atol": atol}
    content |= {"oracle": "torch eager, without states", "ops": operator_names(program), "delegates": []}
    (folder / "case.json").write_text(json.dumps(content, indent=1) + "\n")
    print(name, len(steps), "steps,", len(program.buffer), "bytes:", ", ".join(content["ops"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "Tests/Fixtures/states")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    for name, make in CASES.items():
        if arguments.only not in name:
            continue
        shutil.rmtree(arguments.out / name, ignore_errors=True)
        write(name, make(), arguments.out / name)


if __name__ == "__main__":
    main()
