"""Trains a recurrent network that hears six words in a stream of samples, on speech that espeak-ng synthesises.

    apt-get install espeak-ng
    pip install -r requirements.txt
    python train.py

Writes to Sources/SpotWords Words.mlpackage and commands.wav, spoken by a voice that the training never heard.
"""

import io
import math
import pathlib
import shutil
import subprocess
import wave

import coremltools as ct
import numpy as np
import torch
from scipy.signal import resample_poly
from torch import nn
from torch.nn import functional as F

WORDS = ["play", "stop", "left", "right", "louder", "quieter"]
OTHERS = """about after again air animal because before boat book bottle bring butter carry chair city clean cold corner dinner door early
    every family feather flower garden good green happy heavy house island jacket kitchen ladder letter little lemon market measure minute
    morning mountain never night office orange paper people picture place plant player please pocket question quick rabbit river rocket school seven sister
    start star stamp step store simple spoon storm summer table tower train travel under water weather window winter yellow lift leaf laugh
    write rice light loud lower powder chowder quiet quite diet riot""".split()
VOICES = ["en-us", "en-gb", "en-gb-scotland", "en-gb-x-rp", "en-029"]
VARIANTS = ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "f1", "f2", "f3", "f4", "Alex", "Annie", "Denis", "Gene", "Jacky", "Lee", "Mario", "Steph", "Tweaky"]
UNHEARD = ("en-us", "f5")
RATE, STEP, FRAME, BANDS, HIDDEN = 8000, 160, 256, 32, 64
CLIPS, STREAMS, SECONDS, EPOCHS, BATCH, SEED = 110, 800, 4, 24, 32, 18
FOLDER = pathlib.Path(__file__).resolve().parent / "Sources/SpotWords"


def speak(text, voice, variant, speed=160, pitch=50):
    """Samples from -1 to 1, without the silence around."""
    command = ["espeak-ng", "--stdout", "-v", f"{voice}+{variant}", "-s", str(speed), "-p", str(pitch), text]
    with wave.open(io.BytesIO(subprocess.run(command, check=True, capture_output=True).stdout)) as file:
        samples = np.frombuffer(file.readframes(10**6), np.int16) / 32768
    samples = resample_poly(samples, 160, 441).astype(np.float32)  # 22050 Hz
    loud = np.flatnonzero(abs(samples) > 0.02 * abs(samples).max())
    samples = samples[loud[0]:loud[-1] + 1]
    return samples / abs(samples).max()


class Spotter(nn.Module):
    """Logarithms of the energy in bands, a recurrent layer, and a score for each word after silence and other sounds."""

    def __init__(self):
        super().__init__()
        bins = torch.arange(1, 121)
        turns = 2 * math.pi * torch.arange(FRAME)[:, None] * bins / FRAME
        window = torch.hann_window(FRAME)[:, None]
        self.register_buffer("fourier", torch.cat([window * turns.cos(), window * turns.sin()], 1) / 16)
        mel = 2595 * torch.log10(1 + bins * RATE / FRAME / 700)
        edges = torch.linspace(2595 * math.log10(1 + 80 / 700), 2595 * math.log10(1 + 3700 / 700), BANDS + 2)[:, None]
        rising, falling = (mel - edges[:-2]) / (edges[1:-1] - edges[:-2]), (edges[2:] - mel) / (edges[2:] - edges[1:-1])
        self.register_buffer("bands", torch.minimum(rising, falling).clamp(min=0).T.contiguous())
        self.recurrent = nn.GRU(BANDS, HIDDEN, batch_first=True)
        self.scores = nn.Linear(HIDDEN, len(WORDS) + 1)

    def energies(self, frames):
        parts = frames @ self.fourier
        power = parts[..., :120] ** 2 + parts[..., 120:] ** 2
        return (torch.log(power @ self.bands + 1e-4) + 3) / 4

    def heard(self, samples):
        """The energies at each step of streams [batch, samples]."""
        return self.energies(F.pad(samples, (FRAME - STEP, 0)).unfold(1, FRAME, STEP))

    def forward(self, energies):
        """Scores at each step."""
        return self.scores(self.recurrent(energies)[0])


class Streaming(nn.Module):
    """The same for one step: the last samples and the recurrent layer's values are states."""

    def __init__(self, spotter):
        super().__init__()
        self.spotter = spotter
        self.register_buffer("recent", torch.zeros(1, FRAME - STEP, dtype=torch.float16))
        self.register_buffer("hidden", torch.zeros(1, HIDDEN, dtype=torch.float16))

    def forward(self, samples):
        frame = torch.cat([self.recent.float(), samples], 1)
        self.recent[:] = frame[:, STEP:].half()
        layer, hidden = self.spotter.recurrent, self.hidden.float()
        given = F.linear(self.spotter.energies(frame), layer.weight_ih_l0, layer.bias_ih_l0)
        kept = F.linear(hidden, layer.weight_hh_l0, layer.bias_hh_l0)
        reset = torch.sigmoid(given[:, :HIDDEN] + kept[:, :HIDDEN])
        update = torch.sigmoid(given[:, HIDDEN:2 * HIDDEN] + kept[:, HIDDEN:2 * HIDDEN])
        new = torch.tanh(given[:, 2 * HIDDEN:] + reset * kept[:, 2 * HIDDEN:])
        hidden = (1 - update) * new + update * hidden
        self.hidden[:] = hidden.half()
        return torch.softmax(self.spotter.scores(hidden), 1)


def clips(random):
    """Samples and class of words in voices that are drawn at random."""
    def one(text):
        return speak(text, random.choice(VOICES), random.choice(VARIANTS), random.integers(110, 210), random.integers(20, 80))

    spoken = [(one(word), kind + 1) for kind, word in enumerate(WORDS) for _ in range(CLIPS)]
    return spoken + [(one(random.choice(OTHERS)), 0) for _ in range(4 * CLIPS)]


def stream(random, spoken):
    """Noise with some words in it, and the class of each step: a word's own from its last third to 0.2 s after its end."""
    samples = random.normal(0, 10 ** random.uniform(-4, -1.7), SECONDS * RATE).astype(np.float32)
    classes = np.zeros(SECONDS * RATE // STEP, np.int64)
    position = random.integers(0, RATE // 2)
    while True:
        clip, kind = spoken[random.integers(len(spoken))]
        if position + len(clip) > len(samples):
            return samples, classes
        samples[position:position + len(clip)] += clip * random.uniform(0.15, 0.9)
        if kind > 0:
            classes[(position + len(clip) * 2 // 3) // STEP:(position + len(clip) + RATE // 5) // STEP] = kind
        position += len(clip) + random.integers(RATE // 20, RATE)


def train():
    torch.manual_seed(SEED)
    random, spotter = np.random.default_rng(SEED), Spotter()
    spoken = clips(random)
    print(f"{len(spoken)} words spoken", flush=True)
    pairs = [stream(random, spoken) for _ in range(STREAMS)]
    samples, classes = (torch.from_numpy(np.stack(part)) for part in zip(*pairs))
    energies = torch.cat([spotter.heard(part) for part in samples.split(BATCH)])
    optimizer = torch.optim.AdamW(spotter.parameters(), 6e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, EPOCHS * STREAMS // BATCH)
    for epoch in range(EPOCHS):
        for chosen in torch.from_numpy(random.permutation(STREAMS)).split(BATCH):
            loss = F.cross_entropy(spotter(energies[chosen]).flatten(0, 1), classes[chosen].flatten())
            optimizer.zero_grad(), loss.backward(), nn.utils.clip_grad_norm_(spotter.parameters(), 1), optimizer.step(), schedule.step()
        print(f"epoch {epoch + 1}: loss {loss.item():.3f}", flush=True)
    return spotter.eval()


def evaluate(spotter):
    """Words of the voice that was never heard."""
    heard = 0
    for kind, word in enumerate(WORDS):
        for speed in (130, 150, 170, 190):
            clip = np.pad(speak(word, *UNHEARD, speed) * 0.5, (RATE // 4, RATE // 4))
            with torch.no_grad():
                likely = torch.softmax(spotter(spotter.heard(torch.from_numpy(clip)[None]))[0], 1)
            heard += int(likely.max(0).values[1:].argmax()) == kind and float(likely[:, kind + 1].max()) > 0.8
    print(f"{heard} of {4 * len(WORDS)} words of another voice heard")


def export(spotter):
    traced = torch.jit.trace(Streaming(spotter).eval(), torch.zeros(1, STEP))
    model = ct.convert(
        traced, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS18, compute_precision=ct.precision.FLOAT32, skip_model_load=True,
        inputs=[ct.TensorType("samples", (1, STEP), dtype=np.float32)], outputs=[ct.TensorType("probabilities", dtype=np.float32)],
        states=[ct.StateType(ct.TensorType(shape=(1, width), dtype=np.float16), name) for name, width in (("recent", FRAME - STEP), ("hidden", HIDDEN))])
    model.short_description = "Hears words in a stream of samples."
    model.input_description["samples"] = "20 ms of sound: 8000 samples a second, from -1 to 1"
    model.output_description["probabilities"] = "Probability of no word, and of each word"
    model.user_defined_metadata["words"] = ",".join(WORDS)
    target = FOLDER / "Words.mlpackage"
    shutil.rmtree(target, ignore_errors=True)
    model.save(str(target))


def record():
    """A file with the six words and some that are none of them."""
    parts = []
    for text in ["good evening", "play", "louder", "the weather in the mountains", "left", "stop", "coffee", "quieter", "right"]:
        parts += [np.zeros(RATE * 3 // 10, np.float32), speak(text, *UNHEARD) * 0.6]
    samples = np.concatenate([*parts, np.zeros(RATE // 2, np.float32)])
    samples += np.random.default_rng(SEED).normal(0, 0.003, len(samples))
    with wave.open(str(FOLDER / "commands.wav"), "wb") as file:
        file.setnchannels(1), file.setsampwidth(2), file.setframerate(RATE)
        file.writeframes((samples * 32767).astype("<i2").tobytes())


if __name__ == "__main__":
    torch.set_num_threads(1)
    record()
    spotter = train()
    evaluate(spotter)
    export(spotter)
