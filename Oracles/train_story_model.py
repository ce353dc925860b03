"""Trains the story model of `martlet complete`: a small decoder of Llama's architecture on stories that `stories/grammar.py` writes.

    python train_story_model.py train  --folder /tmp/story --minutes 90 --threads 2
    python train_story_model.py sample --folder /tmp/story --prompt "Once upon a time"

`train` goes on from the folder's last checkpoint. The learning rate falls over the last 40 % of the time, in which the weights are also rounded to 4 bits as the export
rounds them, so that the model learns to live with it. `export_story_model.py` writes the program.
"""

import argparse
import json
import math
import os
import time

import torch
import torch.nn.functional as F
from torch import nn

from stories.grammar import story

CONFIG = {"dim": 192, "layers": 4, "heads": 6, "hidden": 512, "vocabulary": 1536, "context": 384, "rope_base": 10000.0, "epsilon": 1e-5}
BEGIN, END = "<|begin|>", "<|end|>"
GROUP = 32
ROW = 320  # tokens of a row of a batch


def make_tokenizer(path, stories=20000):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=CONFIG["vocabulary"], special_tokens=[BEGIN, END], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator((story(-1 - seed) for seed in range(stories)), trainer)
    tokenizer.save(path, pretty=False)
    return tokenizer


def fake_4bit(weight):
    """The weight as four bits a number hold it: symmetric, one scale for 32 numbers in a row."""
    groups = weight.reshape(-1, GROUP)
    scale = groups.abs().amax(1, keepdim=True).clamp_min(1e-6) / 7.5
    rounded = (groups / scale).round().clamp(-8, 7) * scale
    return weight + (rounded.reshape_as(weight) - weight).detach()


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return F.rms_norm(x.float(), (x.shape[-1],), self.weight, CONFIG["epsilon"]).to(x.dtype)


def rotary_tables(length):
    size = CONFIG["dim"] // CONFIG["heads"]
    frequencies = CONFIG["rope_base"] ** (-torch.arange(0, size, 2).float() / size)
    angles = torch.outer(torch.arange(length).float(), frequencies)
    return angles.cos(), angles.sin()


def rotate(x, cos, sin):
    """x [B, H, S, D], first and second halves as pairs."""
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


class Linear(nn.Linear):
    rounding = False

    def __init__(self, inputs, outputs):
        super().__init__(inputs, outputs, bias=False)
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, x):
        return F.linear(x, fake_4bit(self.weight) if Linear.rounding else self.weight)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        dim, hidden = CONFIG["dim"], CONFIG["hidden"]
        self.attention_norm, self.ffn_norm = RMSNorm(dim), RMSNorm(dim)
        self.wqkv, self.wo = Linear(dim, 3 * dim), Linear(dim, dim)
        self.w13, self.w2 = Linear(dim, 2 * hidden), Linear(hidden, dim)
        for out in (self.wo, self.w2):
            nn.init.normal_(out.weight, std=0.02 / math.sqrt(2 * CONFIG["layers"]))

    def forward(self, x, cos, sin):
        batch, length, dim = x.shape
        q, k, v = self.wqkv(self.attention_norm(x)).view(batch, length, 3, CONFIG["heads"], -1).permute(2, 0, 3, 1, 4)
        q, k, v = rotate(q.float(), cos, sin), rotate(k.float(), cos, sin), v.float()  # float32 is the faster type here, without AMX
        attention = F.scaled_dot_product_attention(q, k, v, is_causal=True).to(x.dtype)
        x = x + self.wo(attention.transpose(1, 2).reshape(batch, length, dim))
        gate, up = self.w13(self.ffn_norm(x)).chunk(2, -1)
        return x + self.w2(F.silu(gate) * up)


class StoryModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(CONFIG["vocabulary"], CONFIG["dim"])
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.blocks = nn.ModuleList(Block() for _ in range(CONFIG["layers"]))
        self.norm = RMSNorm(CONFIG["dim"])

    def forward(self, tokens):
        weight = fake_4bit(self.embedding.weight) if Linear.rounding else self.embedding.weight
        cos, sin = rotary_tables(tokens.shape[1])
        x = F.embedding(tokens, weight)
        if torch.is_autocast_enabled("cpu"):
            x = x.bfloat16()
        for block in self.blocks:
            x = block(x, cos, sin)
        return F.linear(self.norm(x), weight)


class Muon(torch.optim.Optimizer):
    """Momentum whose matrix is made orthogonal (K. Jordan, 2024) before each step; written from its description."""

    def __init__(self, params, lr, momentum=0.95):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            by_shape = {}
            for p in group["params"]:
                state = self.state[p]
                if "momentum" not in state:
                    state["momentum"] = torch.zeros_like(p)
                state["momentum"].lerp_(p.grad, 1 - group["momentum"])
                update = p.grad.lerp(state["momentum"], group["momentum"])
                by_shape.setdefault(p.shape, []).append((p, update))
            for shape, entries in by_shape.items():
                x = torch.stack([update for _, update in entries])
                wide = shape[0] <= shape[1]
                x = x if wide else x.mT
                x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
                for _ in range(5):
                    a = x @ x.mT
                    x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
                x = x if wide else x.mT
                for (p, _), update in zip(entries, x):
                    p.mul_(1 - group["lr"] * 0.02).add_(update, alpha=-group["lr"] * max(1, shape[0] / shape[1]) ** 0.5)


def batches(tokenizer, rows, seed):
    """Rows of the context's length (and one token more), each from a story's first word, filled up with the next stories."""
    begin, end = tokenizer.token_to_id(BEGIN), tokenizer.token_to_id(END)
    length = ROW + 1
    while True:
        batch = []
        while len(batch) < rows:
            row = []
            while len(row) < length:
                ids = [begin, *tokenizer.encode(story(seed)).ids, end]
                row += ids[1:] if not row and seed % 8 == 0 else ids  # some runners give the prompt without a first token
                seed += 1
            batch.append(row[:length])
        yield torch.tensor(batch), seed


@torch.no_grad()
def complete(model, tokenizer, prompt, tokens=200, temperature=0.7, top_p=0.9, seed=1):
    generator = torch.Generator().manual_seed(seed)
    ids = [tokenizer.token_to_id(BEGIN), *tokenizer.encode(prompt).ids]
    for _ in range(tokens):
        logits = model(torch.tensor([ids[-CONFIG["context"]:]]))[0, -1].float() / max(temperature, 1e-3)
        p, order = logits.softmax(-1).sort(descending=True)
        p[(p.cumsum(0) - p) > top_p] = 0
        token = order[torch.multinomial(p, 1, generator=generator)].item()
        if token == tokenizer.token_to_id(END):
            break
        ids.append(token)
    return tokenizer.decode(ids[1:])


def load(folder):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    model = StoryModel()
    state = torch.load(f"{folder}/story.pt", weights_only=True)
    model.load_state_dict(state["model"])
    return model, tokenizer, state


PROMPTS = ["Once upon a time", "One rainy morning, a small robot", "Zarni was a blue teapot who", "The old lighthouse keeper looked at the sea."]


def train(options):
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    os.makedirs(options.folder, exist_ok=True)
    path = f"{options.folder}/tokenizer.json"
    if not os.path.exists(path):
        make_tokenizer(path)
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(path)
    model = StoryModel()
    matrices = [p for p in model.blocks.parameters() if p.ndim == 2]
    others = [p for p in model.parameters() if not any(p is m for m in matrices)]
    optimizers = [Muon(matrices, lr=options.rate), torch.optim.AdamW(others, lr=options.rate / 5, betas=(0.9, 0.95), weight_decay=0.0)]
    seed, step, before = 0, 0, 0.0
    checkpoint = f"{options.folder}/story.pt"
    if os.path.exists(checkpoint):
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        for optimizer, saved in zip(optimizers, state["optimizers"]):
            optimizer.load_state_dict(saved)
        seed, step, before = state["seed"], state["step"], state["seconds"]
    print(f"{sum(p.numel() for p in model.parameters())} parameters, vocabulary {tokenizer.get_vocab_size()}", flush=True)
    run = torch.compile(model) if options.compile else model
    started, saved, shown, losses = time.time(), time.time(), time.time(), []
    total = options.minutes * 60
    for batch, seed in batches(tokenizer, options.rows, seed):
        elapsed = before + time.time() - started
        if elapsed >= total:
            break
        Linear.rounding = elapsed > total * 0.75
        factor = min(1, (step + 1) / 100, (1 - elapsed / total) / 0.4 + 0.01)
        for optimizer, rate in zip(optimizers, (options.rate, options.rate / 5)):
            for group in optimizer.param_groups:
                group["lr"] = rate * factor
        with torch.autocast("cpu", torch.bfloat16, enabled=options.bf16):
            logits = run(batch[:, :-1])
        loss = F.cross_entropy(logits.float().flatten(0, 1), batch[:, 1:].flatten())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(others, 1.0)
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        losses.append(loss.item())
        step += 1
        if time.time() - shown > options.report:
            seen = len(losses) * batch[:, 1:].numel()
            print(f"step {step} stories {seed} minutes {elapsed / 60:.1f} loss {sum(losses) / len(losses):.4f} tokens/s {seen / (time.time() - shown):.0f}"
                  f"{' rounding' if Linear.rounding else ''}", flush=True)
            shown, losses = time.time(), []
        if time.time() - saved > 300:
            save(checkpoint, model, optimizers, seed, step, elapsed)
            print(complete(model, tokenizer, PROMPTS[step % len(PROMPTS)], tokens=120), flush=True)
            saved = time.time()
    save(checkpoint, model, optimizers, seed, step, before + time.time() - started)


def save(path, model, optimizers, seed, step, seconds):
    torch.save({"model": model.state_dict(), "optimizers": [o.state_dict() for o in optimizers], "seed": seed, "step": step, "seconds": seconds, "config": CONFIG},
               path + ".new")
    os.replace(path + ".new", path)


def sample(options):
    model, tokenizer, state = load(options.folder)
    Linear.rounding = options.rounding
    for prompt in [options.prompt] if options.prompt else PROMPTS:
        print(complete(model, tokenizer, prompt, temperature=options.temperature), end="\n\n----\n\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["train", "sample"])
    parser.add_argument("--folder", required=True)
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--rate", type=float, default=0.02)
    parser.add_argument("--report", type=float, default=30)
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--rounding", action="store_true")
    parser.add_argument("--prompt")
    parser.add_argument("--temperature", type=float, default=0.7)
    options = parser.parse_args()
    {"train": train, "sample": sample}[options.command](options)
