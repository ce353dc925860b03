"""Trains a small encoder of sentences, such that sentences of similar meaning get similar vectors.

    pip install -r requirements.txt
    python train.py

Writes Sources/SearchSentences/Sentences.mlpackage. The training text is the descriptions of Debian 12's packages (main), which `apt-get`
fetches into a temporary folder on a machine with Debian 12: the one-line description of a package and each sentence of its long one mean something similar. No text
becomes part of the model.
"""

import itertools
import pathlib
import re
import shutil
import subprocess
import tempfile

import coremltools as ct
import numpy as np
import torch
from coremltools.optimize import coreml as compression
from torch import nn
from torch.nn import functional as F

BUCKETS, WIDTH, FEATURES = 16384, 48, 128
STEPS, BATCH, SEED = 700, 512, 18
HERE = pathlib.Path(__file__).resolve().parent


def descriptions():
    """Pairs of the short and the long description."""
    with tempfile.TemporaryDirectory() as folder:
        options = {"Dir::State::lists": f"{folder}/lists", "Acquire::Languages": "en", "Dir::Cache": folder, "APT::Sandbox::User": "root"}
        path = pathlib.Path(folder)
        (path / "lists/partial").mkdir(parents=True), (path / "archives/partial").mkdir(parents=True)
        arguments = [f"-o{key}={value}" for key, value in options.items()]
        subprocess.run(["apt-get", "-q", *arguments, "update"], check=True, stdout=subprocess.DEVNULL)
        lists = subprocess.run(
            ["apt-get", *arguments, "indextargets", "--format", "$(FILENAME)", "Identifier: Translations", "Codename: bookworm", "Component: main"],
            check=True, capture_output=True, text=True).stdout.split()
        text = subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", *lists], check=True, capture_output=True, text=True).stdout
    pairs = re.findall(r"^Description-en: (.*)\n((?: .*\n)*)", text, re.MULTILINE)
    return sorted({(short, re.sub(r"\n? ?\.?\n ", " ", long)) for short, long in pairs})


def hashed(feature):
    """FNV-1a, as in SentenceIndex.swift. Bucket 0 is that of no feature."""
    value = 2166136261
    for byte in feature.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value % (BUCKETS - 1) + 1


KNOWN = {}


def features(sentence):
    """Buckets of the words and of all groups of four letters in them."""
    found = []
    for word in re.findall(r"[a-z0-9]+", sentence.lower()):
        if word not in KNOWN:
            marked = f"<{word}>"
            KNOWN[word] = [hashed(marked)] + [hashed(marked[i:i + 4]) for i in range(len(marked) - 3)] if len(word) > 2 else [hashed(marked)]
        found += KNOWN[word]
    return found[:FEATURES]


class Encoder(nn.Module):
    """The sum of the features' vectors, at length 1."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(BUCKETS, WIDTH, padding_idx=0)
        nn.init.normal_(self.table.weight, std=0.1)
        with torch.no_grad():
            self.table.weight[0] = 0

    def forward(self, ids):
        return F.normalize(self.table(ids).sum(1), dim=1)


def rows(sentences):
    ids = torch.zeros(len(sentences), FEATURES, dtype=torch.int32)
    for row, sentence in zip(ids, sentences):
        found = features(sentence)
        row[:len(found)] = torch.tensor(found, dtype=torch.int32)
    return ids


def train(pairs):
    torch.manual_seed(SEED)
    random, encoder = np.random.default_rng(SEED), Encoder()
    optimizer = torch.optim.Adam(encoder.parameters(), 5e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-2, STEPS)
    sentences = [(short, [s for s in re.split(r"(?<=[.!?;:]) ", long) if len(s) > 20] or [long]) for short, long in pairs]
    for step in range(STEPS):
        chosen = [sentences[i] for i in random.choice(len(sentences), BATCH, replace=False)]
        one = [short if random.random() < 0.7 else long[random.integers(len(long))] for short, long in chosen]
        other = [long[min(random.integers(len(long)), random.integers(len(long)))] for _, long in chosen]
        bags = []
        for side in (one, other):
            # A part of the words is left out, so that no single word decides.
            side = [" ".join(w for w in s.split() if random.random() > 0.15) or s for s in side]
            ids = [features(s) or [0] for s in side]
            offsets = torch.tensor([0] + [len(i) for i in ids[:-1]]).cumsum(0)
            ids = torch.tensor(list(itertools.chain.from_iterable(ids)))
            bags.append(F.normalize(F.embedding_bag(ids, encoder.table.weight, offsets, mode="sum", padding_idx=0), dim=1))
        likeness = bags[0] @ bags[1].T / 0.06
        same = torch.arange(BATCH)
        loss = F.cross_entropy(likeness, same) + F.cross_entropy(likeness.T, same)
        optimizer.zero_grad(), loss.backward(), optimizer.step(), schedule.step()
        if step % 100 == 99:
            print(f"step {step + 1}: loss {loss.item():.3f}", flush=True)
    return encoder.eval()


def evaluate(encoder, pairs):
    """Share of the packages left out of the training whose long description is the nearest, and among the ten nearest, to their short one."""
    with torch.no_grad():
        likeness = encoder(rows([s for s, _ in pairs])) @ encoder(rows([l for _, l in pairs])).T
    rank = (likeness > likeness.diagonal()[:, None]).sum(1)
    print(f"of {len(pairs)} unseen descriptions, nearest: {(rank == 0).float().mean():.3f}, among ten: {(rank < 10).float().mean():.3f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    pairs = descriptions()
    print(f"{len(pairs)} descriptions")
    order = np.random.default_rng(SEED).permutation(len(pairs))
    unseen, seen = [pairs[i] for i in order[:1000]], [pairs[i] for i in order[1000:]]
    encoder = train(seen)
    evaluate(encoder, unseen)
    traced = torch.jit.trace(encoder, rows(["a sentence"]))
    model = ct.convert(
        traced, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16, skip_model_load=True,
        inputs=[ct.TensorType("features", (1, FEATURES), np.int32)], outputs=[ct.TensorType("embedding", dtype=np.float32)])
    config = compression.OptimizationConfig(compression.OpLinearQuantizerConfig(mode="linear_symmetric", weight_threshold=512))
    model = compression.linear_quantize_weights(model, config)
    model.short_description = "The vector of a sentence: sentences of similar meaning have similar vectors."
    model.input_description["features"] = "Buckets of the sentence's words and their parts; 0 for none"
    model.output_description["embedding"] = "A vector of length 1"
    target = HERE / "Sources/SearchSentences/Sentences.mlpackage"
    shutil.rmtree(target, ignore_errors=True)
    model.save(str(target))
