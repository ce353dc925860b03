"""Writes Tests/Fixtures/text: language models of a few kilobytes in every form that runners know, and their tokenizers.

  python make_text_fixtures.py [--out DIRECTORY]

`decoder-*` are decoders of one layer with random weights: with a cache or without, for many tokens or one, with the position of the first
token or of each, with logits of all positions or the last, in three element types, in one method or two. All give the same tokens,
which `generation.json` has.
`script-*` ignore their tokens: they give logits from a table by position.

Versions: see requirements.txt; also tokenizers==0.23.3.
"""
import argparse
import json
import math
import pathlib
import warnings

warnings.filterwarnings("ignore")
import torch
import torch.nn.functional as F
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass
from op_cases.recording import write_value
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

CONTEXT, WIDTH, HEADS = 48, 16, 2
SPECIAL = ["<|begin|>", "<|end|>", "<|turn|>"]
TEXT = """A lighthouse stood at the end of the harbour, and every evening its keeper climbed the stairs to light the lamp.
The boats came home when they saw the light. In winter the wind was strong, and the keeper told stories to the gulls.
One night the lamp would not burn. The keeper took a drum and beat it until the last boat had found the harbour.
In the morning the people of the town brought bread, oil and a new wick, and they thanked the keeper for the sound of the drum."""


def byte_tokenizer(size):
    """Byte-level pairs trained on TEXT, with three special tokens at the end."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(SPECIAL), initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(TEXT.split("\n"), trainer)
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|begin|> $A", special_tokens=[("<|begin|>", tokenizer.token_to_id("<|begin|>"))])
    return tokenizer


class Decoder(torch.nn.Module):
    """One layer of attention and a gate.

    cache: whether keys and values are kept between calls. each: whether the position of every token is an input.
    whole: whether the logits of all tokens are given.
    """

    def __init__(self, vocabulary, plain, *, cache=True, each=False, whole=False, dtype=torch.float32):
        super().__init__()
        generator = torch.Generator().manual_seed(7)
        random = lambda *shape: torch.randn(*shape, generator=generator) / math.sqrt(shape[-1])
        self.table = torch.nn.Parameter(random(vocabulary, WIDTH) * 4)
        self.places = torch.nn.Parameter(random(CONTEXT, WIDTH) * 2)
        self.project = torch.nn.Parameter(random(3 * WIDTH, WIDTH) * 2)
        self.mix = torch.nn.Parameter(random(WIDTH, WIDTH) * 2)
        self.gate = torch.nn.Parameter(random(2 * WIDTH, WIDTH) * 2)
        self.output = torch.nn.Parameter(random(vocabulary, WIDTH) * 3)
        # Tokens that are not ASCII text are unlikely, because upstream's Python module fails on pieces that are no UTF-8.
        self.bias = torch.nn.Parameter(torch.where(plain, 0.0, -60.0))
        self.keeps, self.each, self.whole, self.dtype = cache, each, whole, dtype
        if cache:
            self.register_buffer("keys", torch.zeros(1, HEADS, CONTEXT, WIDTH // HEADS))
            self.register_buffer("values", torch.zeros(1, HEADS, CONTEXT, WIDTH // HEADS))

    def forward(self, tokens, position=None):
        count = tokens.shape[1]
        if not self.keeps:
            places = torch.arange(count)
        elif self.each:
            places = position
        else:
            start = position[0].item()
            torch._check_is_size(start)
            torch._check(start < CONTEXT)
            places = torch.arange(count) + start
        x = self.table[tokens] + self.places[places]
        q, k, v = (
            part.reshape(1, count, HEADS, WIDTH // HEADS).transpose(1, 2) for part in (F.rms_norm(x, (WIDTH,)) @ self.project.T).split(WIDTH, 2))
        if self.keeps:
            self.keys[:, :, places] = k
            self.values[:, :, places] = v
            k, v = self.keys, self.values
            visible = torch.arange(CONTEXT) <= places[:, None]
        else:
            visible = torch.arange(count) <= places[:, None]
        scores = (q @ k.transpose(2, 3) / math.sqrt(WIDTH // HEADS)).masked_fill(~visible, -1e9)
        x = x + (scores.softmax(-1) @ v).transpose(1, 2).reshape(1, count, WIDTH) @ self.mix.T
        a, b = (F.rms_norm(x, (WIDTH,)) @ self.gate.T).split(WIDTH, 2)
        x = x + F.silu(a) * b
        if not self.whole:
            x = x[:, -1]
        return (F.rms_norm(x, (WIDTH,)) @ self.output.T + self.bias).to(self.dtype)


class Script(torch.nn.Module):
    """The logits of each position, whatever the tokens are."""

    def __init__(self, logits):
        super().__init__()
        self.logits = torch.nn.Parameter(logits)

    def forward(self, tokens, position):
        last = position[0].item() + tokens.shape[1] - 1
        torch._check_is_size(last)
        torch._check(last < self.logits.shape[0])
        return self.logits[last].unsqueeze(0) + 0 * tokens[:, :1].float()


def program(methods, metadata):
    """methods: name -> (module, example inputs, dynamic shapes)."""
    exported = {
        name: torch.export.export(module.eval().requires_grad_(False), inputs, dynamic_shapes=shapes, strict=False)
        for name, (module, inputs, shapes) in methods.items()}
    edge = to_edge(exported, constant_methods=metadata, compile_config=EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True))
    planning = MemoryPlanningPass(share_mutable_buffers=len(methods) > 1)
    return edge.to_executorch(ExecutorchBackendConfig(memory_planning_pass=planning)).buffer


def metadata(tokenizer, **changes):
    values = {
        "get_bos_id": tokenizer.token_to_id("<|begin|>"), "get_eos_ids": [tokenizer.token_to_id("<|end|>")], "get_max_seq_len": CONTEXT,
        "get_max_context_len": CONTEXT, "get_vocab_size": tokenizer.get_vocab_size(), "use_kv_cache": True,
        "use_sdpa_with_kv_cache": False, "enable_dynamic_shape": True}
    values.update(changes)
    return {key: value for key, value in values.items() if value is not None}


def plain_tokens(tokenizer):
    return torch.tensor([tokenizer.decode([i], skip_special_tokens=False).isascii() for i in range(tokenizer.get_vocab_size())])


def decoders_of(tokenizer):
    """name -> bytes of a program."""
    count = torch.export.Dim("n", min=1, max=CONTEXT - 1)
    vocabulary = tokenizer.get_vocab_size()
    plain = plain_tokens(tokenizer)
    many = torch.zeros(1, 4, dtype=torch.long)
    start, places, one = torch.zeros(1, dtype=torch.long), torch.arange(4), torch.zeros(1, 1, dtype=torch.long)
    make = lambda **options: Decoder(vocabulary, plain, **options)
    dynamic = ({1: count}, None)

    def single(module, inputs, shapes, **changes):
        return program({"forward": (module, inputs, shapes)}, metadata(tokenizer, **changes))

    both = make()
    return {
        "decoder": single(make(), (many, start), dynamic),
        "decoder-each": single(make(each=True, whole=True), (many, places), ({1: count}, {0: count})),
        "decoder-uncached": single(make(cache=False, whole=True), (many,), ({1: count},), use_kv_cache=False),
        "decoder-single": single(make(), (one, start), None, enable_dynamic_shape=False),
        "decoder-chunks": single(make(), (many, start), ({1: torch.export.Dim("m", min=1, max=5)}, None), get_max_seq_len=6),
        "decoder-float16": single(make(whole=True, dtype=torch.float16), (many, start), dynamic),
        "decoder-bfloat16": single(make(dtype=torch.bfloat16), (many, start), dynamic),
        "decoder-pair": program(
            {"prefill": (both, (many, start), dynamic), "decode": (both, (one, start), None)}, metadata(tokenizer)),
        "decoder-bare": single(make(), (many, start), dynamic, get_max_seq_len=None),
    }


def continuations(tokenizer):
    """What the decoder says to a few prompts, computed without a cache."""
    vocabulary = tokenizer.get_vocab_size()
    decoder = Decoder(vocabulary, plain_tokens(tokenizer), cache=False, whole=True).eval()
    cases = []
    for prompt in ["A lighthouse", "The keeper told the gulls", "<|begin|>One night<|turn|>", "x", "In the morning the people of the town"]:
        prompt_ids = tokenizer.encode(prompt, add_special_tokens=False).ids
        ids, margins = list(prompt_ids), []
        while len(ids) < min(CONTEXT - 1, len(prompt_ids) + 24):
            with torch.no_grad():
                best = decoder(torch.tensor([ids]))[0, -1].topk(2)
            ids.append(best.indices[0].item())
            margins.append(round((best.values[0] - best.values[1]).item(), 5))
        generated = ids[len(prompt_ids):]
        cases.append({
            "prompt": prompt, "prompt_ids": prompt_ids, "generated_ids": generated, "margins": margins,
            "text": tokenizer.decode(generated, skip_special_tokens=False)})
    return cases


def write_case(out, tokenizer, ids):
    """A recorded case of one step, so that `martlet verify` finds the folder."""
    decoder = Decoder(tokenizer.get_vocab_size(), plain_tokens(tokenizer), cache=False).eval()
    tokens, position = torch.tensor([ids]), torch.zeros(1, dtype=torch.long)
    with torch.no_grad():
        logits = decoder(tokens)
    case = {
        "name": "text.decoder", "family": "text", "model": "decoder.pte", "rtol": 1e-4, "atol": 1e-4, "oracle": "torch",
        "inputs": [write_value(out, "tokens", tokens), write_value(out, "position", position)], "outputs": [write_value(out, "logits", logits)]}
    (out / "case.json").write_text(json.dumps(case, indent=1))


def script(tokenizer, tokens, changes=None, **values):
    """A model that gives `tokens` from the first position on."""
    logits = torch.zeros(len(tokens), tokenizer.get_vocab_size())
    for position, token in enumerate(tokens):
        logits[position, token] = 10
    if changes:
        changes(logits)
    shapes = ({1: torch.export.Dim("n", min=1, max=len(tokens) - 1)}, None)
    inputs = (torch.zeros(1, 2, dtype=torch.long), torch.zeros(1, dtype=torch.long))
    return program({"forward": (Script(logits), inputs, shapes)}, metadata(
        tokenizer, get_max_seq_len=len(tokens), get_max_context_len=len(tokens), **values))


def scripts_of(tokenizer):
    ids = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    end = ids("<|end|>")
    characters = ids("a") + ids("né\0 €🙂") + ids("<|turn|>") + ids(" z") + end
    lasting = ids("b" * 40)

    def spread(logits):
        logits[1:, :] = torch.linspace(0, 4, logits.shape[1])

    def spoil(logits):
        logits[4, 3] = math.nan

    return {
        "script-characters": script(tokenizer, characters + lasting[:12]),
        "script-spread": script(tokenizer, lasting, spread, get_eos_ids=[1000]),
        "script-nan": script(tokenizer, lasting[:16], spoil),
    }


def main():
    parser = argparse.ArgumentParser()
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--out", type=pathlib.Path, default=root / "Tests/Fixtures/text")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    tokenizer = byte_tokenizer(300)
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    for name, data in {**decoders_of(tokenizer), **scripts_of(tokenizer)}.items():
        (out / f"{name}.pte").write_bytes(data)
        print(name, len(data))
    generation = {"tokenizer": "tokenizer.json", "sampling": "greedy", "oracle": "torch, without a cache", "generations": continuations(tokenizer)}
    (out / "generation.json").write_text(json.dumps(generation, separators=(",", ":")))
    write_case(out, tokenizer, generation["generations"][0]["prompt_ids"])
    texts = ["A lighthouse", "na\u00efve \u6771\u4eac", "<|turn|> two  blanks", "x\ty\n", "\U0001f642\0"]
    cases = [{"text": text, "ids": ids, "decoded": tokenizer.decode(ids)} for text in texts for ids in [tokenizer.encode(text, add_special_tokens=False).ids]]
    (out / "tokenizer_cases.json").write_text(json.dumps(cases, separators=(",", ":")))


if __name__ == "__main__":
    main()
