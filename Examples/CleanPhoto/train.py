"""Trains a network that removes noise from photographs, on four photographs of scikit-image with noise added.

    pip install -r requirements.txt
    python train.py

Writes to Sources/CleanPhoto Cleaner.mlpackage and a photograph that the training never saw: coffee.jpg, and coffee-noisy.png.
"""

import pathlib
import shutil

import coremltools as ct
import numpy as np
import skimage.data
import torch
from PIL import Image
from torch import nn
from torch.nn import functional as F

PHOTOS = ["astronaut.png", "chelsea.png", "rocket.jpg", "motorcycle_left.png"]
WIDTH, HEIGHT, NOISE = 240, 160, 22 / 255
PATCH, STEPS, BATCH, SEED = 48, 800, 12, 18
FOLDER = pathlib.Path(__file__).resolve().parent / "Sources/CleanPhoto"


class Cleaner(nn.Module):
    """Predicts the noise at half the size, with four pixels to a place, and subtracts it."""

    def __init__(self, channels=32, layers=5):
        super().__init__()
        body = [nn.Conv2d(12, channels, 3, padding=1), nn.ReLU()]
        for _ in range(layers - 2):
            body += [nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU()]
        self.body = nn.Sequential(*body, nn.Conv2d(channels, 12, 3, padding=1))

    def forward(self, picture):
        return picture - F.pixel_shuffle(self.body(F.pixel_unshuffle(picture, 2)), 2)


class Exported(nn.Module):
    """With values from 0 to 255 as output, as images have them."""

    def __init__(self, cleaner):
        super().__init__()
        self.cleaner = cleaner

    def forward(self, picture):
        return (self.cleaner(picture) * 255).clamp(0, 255)


def photo(name):
    return Image.open(pathlib.Path(skimage.data.__file__).parent / name).convert("RGB")


def train():
    torch.manual_seed(SEED)
    random, cleaner = np.random.default_rng(SEED), Cleaner()
    photos = [photo(name) for name in PHOTOS]
    photos = [torch.from_numpy(np.asarray(p.resize((p.width * 2 // 3, p.height * 2 // 3)))).permute(2, 0, 1) for p in photos]
    optimizer = torch.optim.Adam(cleaner.parameters(), 2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, STEPS)
    for step in range(STEPS):
        patches = []
        for _ in range(BATCH):
            source = photos[random.integers(len(photos))]
            y, x = random.integers(source.shape[1] - PATCH), random.integers(source.shape[2] - PATCH)
            patch = source[:, y:y + PATCH, x:x + PATCH].float() / 255
            patches.append(patch.rot90(int(random.integers(4)), (1, 2))[torch.from_numpy(random.permutation(3))])
        clean = torch.stack(patches)
        loss = F.mse_loss(cleaner((clean + NOISE * torch.randn_like(clean)).clamp(0, 1)), clean)
        optimizer.zero_grad(), loss.backward(), optimizer.step(), schedule.step()
        if step % 100 == 99:
            print(f"step {step + 1}: {-10 * loss.log10().item():.1f} dB", flush=True)
    return cleaner.eval()


def export(cleaner):
    traced = torch.jit.trace(Exported(cleaner).eval(), torch.zeros(1, 3, HEIGHT, WIDTH))
    model = ct.convert(
        traced, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16, skip_model_load=True,
        inputs=[ct.ImageType("image", (1, 3, HEIGHT, WIDTH), scale=1 / 255)], outputs=[ct.ImageType("cleaned")])
    model.short_description = "Removes noise from photographs."
    target = FOLDER / "Cleaner.mlpackage"
    shutil.rmtree(target, ignore_errors=True)
    model.save(str(target))


def draw():
    picture = photo("coffee.png").resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
    picture.save(FOLDER / "coffee.jpg", quality=92)
    values = np.asarray(Image.open(FOLDER / "coffee.jpg"), np.float32)
    noisy = values + 255 * NOISE * np.random.default_rng(SEED).standard_normal(values.shape)
    Image.fromarray(noisy.clip(0, 255).round().astype(np.uint8)).save(FOLDER / "coffee-noisy.png", optimize=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    draw()
    export(train())
