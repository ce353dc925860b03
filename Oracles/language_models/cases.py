"""The combinations of caches, weights, forms and backends. A key is `cache/weights/backend`, or `form/…/backend` for other forms."""

import functools

import torch

from language_models import exporter, plain
from language_models.plain import Model
from language_models.recording import Case, Method, Program, Written
from language_models.upstream import (
    CONTEXT,
    LONGEST,
    SINKS,
    VOCABULARY,
    WINDOW,
    cast,
    custom,
    dequantized,
    embedding,
    int8_weights,
    linear,
    quantized,
    replace_causal_mask,
    ring,
    sinks,
    transformer,
    weight_only,
)

METADATA = {
    "get_bos_id": 1,
    "get_eos_ids": [2, 3],
    "get_max_seq_len": CONTEXT,
    "get_max_context_len": CONTEXT,
    "get_vocab_size": VOCABULARY,
    "use_kv_cache": True,
    "use_sdpa_with_kv_cache": True,
    "enable_dynamic_shape": True,
}

# MARK: steps


def tokens(count, seed):
    return torch.randint(4, VOCABULARY, (1, count), generator=torch.Generator().manual_seed(seed))


def conversation(lengths, restarts=()):
    """Tokens and their first position for steps of `lengths` tokens; the steps `restarts` begin again at position 0."""
    steps, position = [], 0
    for i, length in enumerate(lengths):
        position = 0 if i in restarts else position
        steps.append((tokens(length, i), position))
        position += length
    return steps


FLEXIBLE = ([5, 1, 1, 4, 1, 7, 1, 3, 1, 1], [7])
RING = 2 * WINDOW
# Past the end of a ring, in steps that wrap and steps that do not.
WRAPPING = ([3, 1, 1, 4, 1, 4, 1, 2, 4, 3, 1], [9])
SINGLE = ([1] * 17, [14])
BY_START, BY_POSITIONS = "start", "positions"


def with_positions(steps, form):
    if form == BY_POSITIONS:
        return [[t, torch.arange(t.shape[1]) + p] for t, p in steps]
    return [[t, torch.tensor([p])] for t, p in steps]


# MARK: weights


class Weights:
    def __init__(self, title, transform=None, *, dtype=None, dim=16, tolerance=(1e-3, 1e-3), backends=("portable", "xnnpack")):
        self.title, self.transform, self.dtype, self.dim, self.tolerance, self.backends = title, transform, dtype, dim, tolerance, backends


def both(*transforms):
    def transform(model):
        for step in transforms:
            model = step(model)
        return model

    return transform


# Activations of 8 bits: two right runtimes differ where a number lies between two steps.
DYNAMIC = (0.03, 0.2)
WEIGHTS = {
    "f32": Weights("float32"),
    "f16": Weights("float16", dtype=torch.float16, tolerance=(1e-2, 3e-2)),
    "bf16": Weights("bfloat16", dtype=torch.bfloat16, tolerance=(3e-2, 0.15)),
    "8w": Weights("int8 weight-only, converted", int8_weights, backends=("portable",)),
    "8w-mixed": Weights("int8 weight-only, `mixed_linear`", weight_only(8)),
    "4w-g16": Weights("4-bit weight-only, groups of 16", weight_only(4, 16), dim=32),
    "8da8w": Weights("8da8w", linear(8), tolerance=DYNAMIC, backends=("xnnpack",)),
    "8da4w-g32": Weights("8da4w, groups of 32", linear(4, 32), dim=64, tolerance=DYNAMIC, backends=("xnnpack",)),
    "8da4w-g64": Weights("8da4w, groups of 64", linear(4, 64), dim=64, tolerance=DYNAMIC, backends=("xnnpack",)),
    "8da4w-g128": Weights("8da4w, groups of 128", linear(4, 128), dim=128, tolerance=DYNAMIC, backends=("xnnpack",)),
    "8da4w": Weights("8da4w, per channel", linear(4), dim=32, tolerance=DYNAMIC, backends=("xnnpack",)),
    "e8": Weights("embedding 8 bits", embedding(8)),
    "e4": Weights("embedding 4 bits, groups of 16", embedding(4, 16), dim=32),
    "e2": Weights("embedding 2 bits, groups of 8", embedding(2, 8)),
    "e4-8da4w": Weights(
        "embedding 4 bits, 8da4w, groups of 32", both(embedding(4, 32), linear(4, 32)), dim=64, tolerance=DYNAMIC, backends=("xnnpack",)
    ),
}


# MARK: caches


class Cache:
    """A kind of cache, and the form of the calls that goes with it.

    make: a model for a kind of weights. Those called with `input_pos` [1] are upstream's, which take it in a dictionary.
    bound: of the tokens of a call; None for one token.
    """

    def __init__(self, title, make, steps=FLEXIBLE, *, form=BY_START, bound=LONGEST, initialized=(), tolerance=None, cached=True):
        self.title, self.make, self.steps, self.form, self.bound = title, make, steps, form, bound
        self.initialized, self.tolerance, self.cached = initialized, tolerance, cached


def upstream(transform=None, **changes):
    """A model of the llama example: weights are quantised first, then caches replaced, then all of it converted."""

    def make(weights):
        wide = weights.dim
        heads = max(wide // 8, 4)
        model = transformer(dim=wide, hidden_dim=wide, n_heads=heads, n_kv_heads=heads // 2, head_dim=8, **changes)
        if weights.transform:
            model = weights.transform(model)
        if transform:
            model = transform(model)
        return model.to(weights.dtype) if weights.dtype else model

    return make


def transformers(*caches, wrap=None, **changes):
    """A model as transformers write it."""

    def make(weights):
        torch.manual_seed(11)
        wide = weights.dim
        mixers = [c(wide) if isinstance(c, functools.partial) else plain.Attention(c(), wide, norm=True) for c in caches]
        model = Model(wide, *mixers, **changes)
        if weights.transform:
            model = weights.transform(model)
        model = model.to(weights.dtype) if weights.dtype else model
        return wrap(model) if wrap else model

    return make


def delta_rule(version):
    return transformers(functools.partial(plain.DeltaRule, version=version), plain.CustomCache)


STATIC = {"form": BY_START, "bound": None}
QUANTIZED = (0.02, 0.1)
CACHES = {
    "none": Cache("none; tokens alone", upstream(use_kv_cache=False), ([5, 1, 7, 2], []), cached=False),
    "bhsd-copied": Cache("[B,H,S,D], `index_copy`", upstream()),
    "bhsd-put": Cache("[B,H,S,D], `index_put`, one token", upstream(enable_dynamic_shape=False), SINGLE, **STATIC),
    "bshd": Cache("[B,S,H,D], `update_cache`, causal attention", upstream(custom)),
    "bshd-masked": Cache("[B,S,H,D], `update_cache`, masked attention", upstream(lambda m: replace_causal_mask(custom(m, masked=True)))),
    "int8-real": Cache("int8 per token, made real", upstream(dequantized)),
    "int8": Cache("int8 per token, quantised attention", upstream(quantized), tolerance=QUANTIZED),
    "int8-masked": Cache("int8 per token, quantised masked attention", upstream(lambda m: replace_causal_mask(quantized(m, masked=True))), tolerance=QUANTIZED),
    "static-scales": Cache(
        "int8, scales of the program", transformers(plain.StaticScales), form=BY_POSITIONS, tolerance=QUANTIZED
    ),
    "ring": Cache("ring, `update_cache_with_indices`", upstream(lambda m: ring(custom(m), WINDOW)), WRAPPING, bound=RING),
    "ring-copied": Cache("ring, [B,H,S,D], `index_copy`", upstream(lambda m: ring(m, WINDOW)), WRAPPING, bound=RING),
    "ring-int8": Cache("ring, int8, quantised attention", upstream(lambda m: ring(quantized(m), WINDOW)), WRAPPING, bound=RING, tolerance=QUANTIZED),
    "local-global": Cache("local and global layers", upstream(lambda m: ring(custom(m), WINDOW, 0), n_layers=2), WRAPPING, bound=RING),
    "shifted": Cache("window that is shifted", transformers(plain.ShiftedWindow), SINGLE, form=BY_POSITIONS, bound=None),
    "sinks": Cache(
        "attention sinks, remapped angles, one token", upstream(lambda m: custom(sinks(m)), enable_dynamic_shape=False), SINGLE,
        initialized=["cache_positions"], **STATIC,
    ),
    "sinks-put": Cache(
        "attention sinks, `index_put`", upstream(sinks, enable_dynamic_shape=False), SINGLE, initialized=["cache_positions"], **STATIC
    ),
    "shared": Cache(
        "shared between layers, one token", upstream(custom, n_layers=3, num_kv_shared_layers=1, enable_dynamic_shape=False), SINGLE, **STATIC
    ),
    "updating": Cache("`sdpa_with_kv_cache`", transformers(plain.UpdatingAttention), form=BY_POSITIONS),
    "delta-net": Cache(
        "recurrent state, plain operators, one token",
        upstream(custom, n_layers=2, layer_types=["linear_attention", "full_attention"], enable_dynamic_shape=False), SINGLE, **STATIC,
    ),
    "delta-rule": Cache("recurrent state, `channelwise_gated_delta_rule`", delta_rule("channelwise"), form=BY_POSITIONS),
    "static": Cache("[B,H,S,D], `cache_position`", transformers(plain.PlainCache), form=BY_POSITIONS),
    "static-custom": Cache("[B,S,H,D], `cache_position`", transformers(plain.CustomCache), form=BY_POSITIONS),
    "hybrid": Cache(
        "ring and whole, `cache_position`", transformers(plain.CustomRing, plain.CustomCache), WRAPPING, form=BY_POSITIONS, bound=RING
    ),
    "copied": Cache("made anew and copied", transformers(plain.CopiedCache), form=BY_POSITIONS),
    "int8-heads-first": Cache(
        "int8 per token, [B,H,S,D], quantised attention", transformers(plain.QuantizedHeadsFirst), form=BY_POSITIONS, tolerance=QUANTIZED
    ),
    "int8-heads-first-masked": Cache(
        "int8 per token, [B,H,S,D], quantised masked attention", transformers(lambda: plain.QuantizedHeadsFirst(masked=True)),
        form=BY_POSITIONS, tolerance=QUANTIZED,
    ),
    "updating-masked": Cache("`sdpa_with_kv_cache`, masked", transformers(lambda: plain.UpdatingAttention(masked=True)), form=BY_POSITIONS),
    "delta-rule-later": Cache("recurrent state, `gated_delta_rule`", delta_rule("later"), form=BY_POSITIONS),
    "delta-rule-earlier": Cache("recurrent state, `recurrent_gated_delta_rule`", delta_rule("earlier"), form=BY_POSITIONS),
}


def tolerance(cache, weights):
    return tuple(max(a, b) for a, b in zip(cache.tolerance or (0, 0), weights.tolerance))


def made(cache, weights, backend):
    steps, is_upstream = conversation(*cache.steps), cache.form == BY_START

    if not cache.cached:
        inputs = [[t] for t, _ in steps]
        example, dynamic = (tokens(3, 99),), ({1: LONGEST},)
    else:
        inputs = with_positions(steps, cache.form)
        length = 1 if cache.bound is None else 3
        pair = with_positions([(tokens(length, 99), 0)], cache.form)[0]
        example = (pair[0], {"input_pos": pair[1]}) if is_upstream else tuple(pair)
        position = {0: cache.bound} if cache.form == BY_POSITIONS else {}
        dynamic = None
        if cache.bound is not None:
            dynamic = ({1: cache.bound}, {"input_pos": position}) if is_upstream else ({1: cache.bound}, position)

    def program():
        model = cache.make(weights)
        metadata = METADATA | {"use_kv_cache": cache.cached, "enable_dynamic_shape": cache.bound is not None}
        return Program({"forward": Method(model, dynamic)}, {"forward": example}, metadata=metadata, initialized=cache.initialized)

    def call(module, given):
        return module(given[0], {"input_pos": given[1]}) if is_upstream and cache.cached else module(*given)

    return Case(
        program, [("forward", i) for i in inputs], backend, tolerance=tolerance(cache, weights), call=call,
        notes=f"cache: {cache.title}; weights: {weights.title}", rounds=weights.dtype is not None,
    )


# MARK: forms

FORMS = {}


def form(title):
    def add(function):
        FORMS[function.__name__.replace("_", "-")] = (title, function)
        return function

    return add


def modules(make, steps, backend, *, form=BY_POSITIONS, tolerance=(1e-3, 1e-3), metadata=METADATA, notes=None, **options):
    """A case of methods of the form tokens and positions; `make` gives {name: (module, bound)}."""

    def program():
        made, methods, examples = make(), {}, {}
        for name, (module, bound) in made.items():
            pair = with_positions([(tokens(3 if bound else 1, 99), 0)], form)[0]
            methods[name] = Method(module, ({1: bound}, {0: bound} if form == BY_POSITIONS else {}) if bound else None)
            examples[name] = tuple(pair)
        return Program(methods, examples, metadata=metadata, **options)

    return Case(program, steps, backend, tolerance=tolerance, notes=notes)


def forward(steps, form=BY_POSITIONS):
    return [("forward", i) for i in with_positions(conversation(*steps), form)]


NONE = Weights("float32")


@form("tokens [1,n] and `input_pos` [1], logits [1,n,V]")
def full_logits(backend):
    return made(Cache("[B,S,H,D]", upstream(custom, generate_full_logits=True)), NONE, backend)


@form("logits [1,V] in float16")
def float16_logits(backend):
    return modules(
        lambda: {"forward": (transformers(plain.CustomCache, logits="last", dtype=torch.float16)(NONE), LONGEST)}, forward(FLEXIBLE), backend,
        tolerance=(5e-3, 5e-3),
    )


@form("logits [1,n,V] in bfloat16")
def bfloat16_logits(backend):
    return modules(
        lambda: {"forward": (transformers(plain.CustomCache, dtype=torch.bfloat16)(NONE), LONGEST)}, forward(FLEXIBLE), backend,
        tolerance=(1e-2, 2e-2),
    )


@form("`cache_position` [n], one token")
def one_token(backend):
    return modules(lambda: {"forward": (transformers(plain.PlainCache)(NONE), None)}, forward(SINGLE), backend)


@form("`cache_position` [n], `index_put`")
def positions_put(backend):
    return modules(
        lambda: {"forward": (transformers(lambda: plain.PlainCache(put=True))(NONE), LONGEST)}, forward(FLEXIBLE), backend
    )


@form("`input_pos` [1], angles from positions")
def start_alone(backend):
    return modules(
        lambda: {"forward": (transformers(plain.PlainCache, wrap=plain.ByStart, logits="last")(NONE), LONGEST)},
        forward(FLEXIBLE, BY_START), backend, form=BY_START,
    )


@form("tokens alone, logits [1,n,V]")
def tokens_alone(backend):
    def program():
        model = transformers(plain.Uncached, wrap=plain.WithoutPositions)(NONE)
        return Program({"forward": Method(model, ({1: LONGEST},))}, {"forward": (tokens(3, 99),)}, metadata=METADATA | {"use_kv_cache": False})

    return Case(program, [("forward", [t]) for t, _ in conversation([5, 1, 7, 2])], backend)


@form("`llama::fallback`")
def fallback(backend):
    def make():
        model = transformers(plain.CustomCache)(NONE)
        model.fallback = True
        return {"forward": (model, LONGEST)}

    return modules(make, forward(FLEXIBLE), backend)


@form("embedding and logits share a matrix")
def tied(backend):
    return modules(lambda: {"forward": (transformers(plain.CustomCache, tied=True)(NONE), LONGEST)}, forward(FLEXIBLE), backend)


@form("float32 weights, float16 cache")
def half_cache(backend):
    return modules(
        lambda: {"forward": (transformers(lambda: plain.PlainCache(torch.float16))(NONE), LONGEST)}, forward(FLEXIBLE), backend,
        tolerance=(5e-3, 1e-2),
    )


def two_methods(steps, backend, **options):
    """`prefill` for several tokens and `decode` for one, with the same weights and states."""

    def make():
        model = transformers(plain.CustomCache)(NONE)
        return {"prefill": (model, LONGEST), "decode": (model, None)}

    calls = [("prefill" if i[0].shape[1] > 1 else "decode", i) for i in with_positions(conversation(*steps), BY_POSITIONS)]
    return modules(make, calls, backend, **options)


@form("`prefill` and `decode` sharing states")
def prefill_decode(backend):
    return two_methods(FLEXIBLE, backend, shares_buffers=True)


@form("two methods sharing weights, LoRA")
def lora_methods(backend):
    changes = dict(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj", "o_proj", "up_proj", "down_proj"])

    def program():
        base, adapted = transformer(dim=16, hidden_dim=24, head_dim=8), transformer(dim=16, hidden_dim=24, head_dim=8, **changes)
        missing, unknown = adapted.load_state_dict(base.state_dict(), strict=False)
        assert not unknown and all("lora" in m for m in missing), (missing, unknown)
        example = (tokens(3, 99), {"input_pos": torch.tensor([0])})
        dynamic = ({1: LONGEST}, {"input_pos": {}})
        return Program(
            {"base_forward": Method(custom(base), dynamic), "lora_forward": Method(custom(adapted), dynamic)},
            {"base_forward": example, "lora_forward": example}, metadata=METADATA,
        )

    calls = []
    for name in ("base_forward", "lora_forward"):
        calls += [(name, i) for i in with_positions(conversation([4, 1, 2], []), BY_START)]
    return Case(program, calls, backend, call=lambda m, i: m(i[0], {"input_pos": i[1]}))


@form("LoRA, foundation weights in `.ptd`")
def lora_ptd(backend):
    changes = dict(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj", "o_proj", "up_proj", "down_proj"])

    def program():
        model = custom(transformer(dim=16, hidden_dim=24, head_dim=8, **changes))
        return Program(
            {"forward": Method(model, ({1: LONGEST}, {"input_pos": {}}))}, {"forward": (tokens(3, 99), {"input_pos": torch.tensor([0])})},
            metadata=METADATA, tag=lambda node: None if "lora" in node.name else "foundation",
        )

    return Case(program, forward(FLEXIBLE, BY_START), backend, call=lambda m, i: m(i[0], {"input_pos": i[1]}))


# MARK: upstream's exporter


def exported(name, backend):
    export = exporter.EXPORTS[name]
    kind = {"whole": ([5, 1, 7, 2], []), "single": SINGLE, "wrapping": WRAPPING, "flexible": FLEXIBLE}[export.steps]
    conversed = conversation(*kind)
    steps = [("forward", i) for i in ([[t] for t, _ in conversed] if export.steps == "whole" else with_positions(conversed, BY_START))]
    notes = f"export_llama: {export.title}"
    return Written(lambda: exporter.written(export, backend), steps, backend, tolerance=export.tolerance, notes=notes)


# MARK: operators that have no kernel on x86 Linux

UNKNOWN = {
    "low-bits": ("torchao", "_linear_8bit_act_4bit_weight", lambda x, w: x @ w),
    "experts": ("llama", "quantized_moe_ffn", lambda x, w: x @ w),
    "cache": ("kvcache", "update_and_attend", lambda x, w: x @ w),
}


def unknown(name):
    """A product by an operator of this name, which stands for one whose weights only its own library can read."""
    space, operator, function = UNKNOWN[name]
    library = torch.library.Library(space, "FRAGMENT")
    library.define(f"{operator}(Tensor x, Tensor weight) -> Tensor")
    library.define(f"{operator}.out(Tensor x, Tensor weight, *, Tensor(a!) out) -> Tensor(a!)")
    library.impl(operator, function, "CompositeExplicitAutograd")
    library.impl(f"{operator}.out", lambda x, w, out: out.copy_(function(x, w)), "CompositeExplicitAutograd")

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(VOCABULARY, 8)
            self.register_buffer("weight", torch.ones(8, VOCABULARY))

        def forward(self, tokens):
            return getattr(getattr(torch.ops, space), operator)(self.embedding(tokens), self.weight)

    module = Module()
    program = Program({"forward": Method(module)}, {"forward": (tokens(3, 1),)})
    program.libraries = [library]
    return Case(
        lambda: program, [("forward", [tokens(3, 1)])], "portable", refused=True,
        notes=f"`{space}::{operator}` is not in the wheels for x86 Linux; a product stands for it",
    )


# MARK: which of them are made


# The kinds of weights that are combined with every cache.
MATRIX = ("f32", "f16", "bf16", "8w", "4w-g16", "8da8w", "8da4w")


def everything():
    keys = [f"{c}/{w}/{b}" for c in CACHES for w in MATRIX for b in WEIGHTS[w].backends]
    keys += [f"bshd/{w}/{b}" for w in WEIGHTS for b in WEIGHTS[w].backends if w not in MATRIX]
    keys += [f"form/{name}/{b}" for name in FORMS for b in ("portable", "xnnpack")]
    return keys + [f"exporter/{name}/{b}" for name, export in exporter.EXPORTS.items() for b in export.backends]


# Kinds of weights whose results are nearly exact, so that a wrong cache shows.
CLOSE = [(w, b) for w in ("f32", "8w", "e8", "8w-mixed", "e2") for b in WEIGHTS[w].backends]
# Caches whose weights and backend are not simply the next ones.
SAMPLES = {"delta-rule-later": "8w/portable", "delta-rule-earlier": "e8/portable"}


def fixtures():
    """Every cache, every kind of weights and every form, portable and for XNNPACK in turn; of the other combinations, some."""
    keys = [f"{name}/{SAMPLES.get(name) or '/'.join(CLOSE[i % len(CLOSE)])}" for i, name in enumerate(CACHES)]
    keys += [f"bshd/{w}/{b}" for w in WEIGHTS for b in WEIGHTS[w].backends if (w, b) not in CLOSE]
    keys += ["int8/e4-8da4w/xnnpack", "ring-int8/8da4w/xnnpack", "local-global/f16/portable", "hybrid/8da8w/xnnpack"]
    keys += [f"form/{name}/{('portable', 'xnnpack')[i % 2]}" for i, name in enumerate(FORMS)]
    keys += ["form/lora-ptd/xnnpack", "form/lora-methods/xnnpack", "form/prefill-decode/xnnpack"]
    keys += [f"unknown/{name}/portable" for name in UNKNOWN]
    keys += [f"exporter/{name}" for name in exporter.SAMPLES]
    return list(dict.fromkeys(keys))


def case(key):
    first, second, backend = key.split("/")
    if first == "unknown":
        return unknown(second)
    if first == "exporter":
        return exported(second, backend)
    return FORMS[second][1](backend) if first == "form" else made(CACHES[first], WEIGHTS[second], backend)
