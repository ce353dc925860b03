"""Trains a network that masks coins, on the left half of a photograph of coins in scikit-image.

    pip install -r requirements.txt
    python train.py

Writes to Sources/MaskCoins Coins.mlpackage and coins.png, the right half of the photograph, which the training never saw.
"""

import pathlib
import shutil

import coremltools as ct
import numpy as np
import skimage.data
import torch
from PIL import Image
from skimage.filters import sobel
from skimage.segmentation import watershed
from torch import nn
from torch.nn import functional as F

WIDTH, HEIGHT, PATCH = 192, 288, 96
STEPS, BATCH, SEED = 300, 12, 18
FOLDER = pathlib.Path(__file__).resolve().parent / "Sources/MaskCoins"


class Masker(nn.Module):
    """Two levels down and up again, with shortcuts."""

    def __init__(self):
        super().__init__()
        def conv(inputs, outputs):
            return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())

        self.down = nn.ModuleList([conv(1, 8), conv(8, 16), conv(16, 32), conv(32, 32)])
        self.up = nn.ModuleList([conv(64, 16), conv(32, 8), conv(16, 8)])
        self.last = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        levels = []
        for k, layer in enumerate(self.down):
            x = layer(F.max_pool2d(x, 2) if k else x)
            levels.append(x)
        for layer in self.up:
            levels.pop()
            x = layer(torch.cat([F.interpolate(x, scale_factor=2.0), levels[-1]], 1))
        return self.last(x)


class Exported(nn.Module):
    def __init__(self, masker):
        super().__init__()
        self.masker = masker

    def forward(self, picture):
        return torch.sigmoid(self.masker(picture)) * 255


def train(photo):
    torch.manual_seed(SEED)
    random, masker = np.random.default_rng(SEED), Masker()
    # Where each pixel belongs: basins of the edges, flooded from what is certainly dark and certainly bright.
    markers = np.where(photo < 30, 1, np.where(photo > 150, 2, 0))
    mask = watershed(sobel(photo), markers) == 2
    photo, mask = torch.from_numpy(photo).float() / 255, torch.from_numpy(mask).float()
    optimizer = torch.optim.AdamW(masker.parameters(), 0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.01, STEPS)
    for step in range(STEPS):
        patches = []
        for _ in range(BATCH):
            y, x = random.integers(photo.shape[0] - PATCH), random.integers(photo.shape[1] - PATCH)
            pair = torch.stack([photo, mask])[:, y:y + PATCH, x:x + PATCH].rot90(int(random.integers(4)), (1, 2))
            pair = pair.flip(2) if random.random() < 0.5 else pair
            size = random.uniform(0.8, 1.25)
            pair = F.interpolate(pair[None], scale_factor=size, mode="bilinear", recompute_scale_factor=True)[0]
            pair = F.pad(pair, (0, PATCH, 0, PATCH), mode="constant")[:, :64, :64]
            pair[0] = pair[0] * random.uniform(0.7, 1.3) + random.uniform(-0.1, 0.1)
            patches.append(pair)
        pictures, masks = torch.stack(patches).split(1, 1)
        loss = F.binary_cross_entropy_with_logits(masker(pictures), masks.round())
        optimizer.zero_grad(), loss.backward(), optimizer.step(), schedule.step()
        if step % 100 == 99:
            print(f"step {step + 1}: loss {loss.item():.3f}", flush=True)
    return masker.eval()


def export(masker):
    traced = torch.jit.trace(Exported(masker).eval(), torch.zeros(1, 1, HEIGHT, WIDTH))
    model = ct.convert(
        traced, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16, skip_model_load=True,
        inputs=[ct.ImageType("image", (1, 1, HEIGHT, WIDTH), scale=1 / 255, color_layout=ct.colorlayout.GRAYSCALE)],
        outputs=[ct.ImageType("mask", color_layout=ct.colorlayout.GRAYSCALE)])
    model.short_description = "Masks coins: white where a coin lies."
    target = FOLDER / "Coins.mlpackage"
    shutil.rmtree(target, ignore_errors=True)
    model.save(str(target))


if __name__ == "__main__":
    torch.set_num_threads(1)
    coins = skimage.data.coins()
    half = coins.shape[1] // 2
    Image.fromarray(coins[:, half:]).save(FOLDER / "coins.png", optimize=True)
    export(train(coins[:, :half]))
