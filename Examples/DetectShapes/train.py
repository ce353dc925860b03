"""Trains a detector of circles, squares and triangles on pictures that it draws, and writes it as a pipeline with non-maximum suppression.

    pip install -r requirements.txt
    python train.py

Writes to Sources/DetectShapes Shapes.mlpackage and shapes.png, a picture drawn from another seed than those of the training.
"""

import math
import pathlib
import shutil

import coremltools as ct
import numpy as np
import torch
from coremltools.proto import Model_pb2 as model_pb2
from PIL import Image, ImageDraw, ImageFilter
from torch import nn
from torch.nn import functional as F

LABELS = ["circle", "square", "triangle"]
SIDE, STRIDE = 128, 8
GRID = SIDE // STRIDE
FLOAT32 = 65568  # of the format's ArrayDataType
DRAWN, STEPS, BATCH, SEED = 1500, 1200, 16, 18
FOLDER = pathlib.Path(__file__).resolve().parent / "Sources/DetectShapes"


def draw(random, width=SIDE, height=SIDE, count=None):
    """A picture, and its boxes as rows of centre, width, height and class, in pixels. Drawn at twice the size, for smooth edges."""
    def color():
        return tuple(int(c) for c in random.integers(0, 256, 3))

    ends = np.array([color(), color()], np.float32) * 0.5 + 64
    ramp = np.linspace(0, 1, 2 * width if random.random() < 0.5 else 2 * height, dtype=np.float32)[:, None]
    ramp = ends[0] * (1 - ramp) + ends[1] * ramp
    field = np.broadcast_to(ramp[None] if len(ramp) == 2 * width else ramp[:, None], (2 * height, 2 * width, 3))
    field = field + random.uniform(0, 12) * random.standard_normal(field.shape, np.float32)
    picture = Image.fromarray(field.clip(0, 255).astype(np.uint8))
    pen = ImageDraw.Draw(picture)
    for _ in range(random.integers(0, 6)):  # lines that are no shapes
        pen.line([tuple(random.uniform(0, 2 * max(width, height), 2)) for _ in range(2)], fill=color(), width=int(random.integers(1, 6)) * max(width, height) // SIDE)
    boxes = []
    for _ in range(count or random.integers(1, 7)):
        for _ in range(20):
            kind = int(random.integers(3))
            size = random.uniform(16, 52) * max(width, height) / SIDE
            x, y = random.uniform(size / 2, width - size / 2), random.uniform(size / 2, height - size / 2)
            turn = random.uniform(0, 2 * math.pi)
            corners = {0: 64, 1: 4, 2: 3}[kind]
            angles = turn + np.arange(corners) * 2 * math.pi / corners
            outline = np.stack([x + size / 2 * np.cos(angles), y + size / 2 * np.sin(angles)], 1)
            low, high = outline.min(0), outline.max(0)
            box = [*((low + high) / 2), *(high - low), kind]
            if all(abs(box[0] - b[0]) > (box[2] + b[2]) / 2 or abs(box[1] - b[1]) > (box[3] + b[3]) / 2 for b in boxes):
                fill = color()
                while abs(np.float32(fill) - field[int(2 * y), int(2 * x)]).sum() < 120:
                    fill = color()
                pen.polygon([tuple(2 * p) for p in outline], fill=fill)
                boxes.append(box)
                break
    if random.random() < 0.3:
        picture = picture.filter(ImageFilter.GaussianBlur(random.uniform(0, 2.5)))
    return picture.resize((width, height), Image.Resampling.BOX), np.array(boxes, np.float32)


class Detector(nn.Module):
    """For each cell of a grid a score for each class, and the distances from its centre to the box's sides."""

    def __init__(self):
        super().__init__()
        def conv(inputs, outputs, stride=1, dilation=1):
            return [nn.Conv2d(inputs, outputs, 3, stride, dilation, dilation, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]

        self.body = nn.Sequential(
            *conv(3, 12, 2), *conv(12, 24, 2), *conv(24, 32, 2), *conv(32, 32), *conv(32, 32, dilation=2), *conv(32, 32, dilation=3))
        self.scores, self.sides = nn.Conv2d(32, len(LABELS), 1), nn.Conv2d(32, 4, 1)
        nn.init.constant_(self.scores.bias, -4)
        centres = (torch.arange(GRID) + 0.5) * STRIDE
        self.register_buffer("x", centres.repeat(GRID)), self.register_buffer("y", centres.repeat_interleave(GRID))

    def forward(self, pictures):
        features = self.body(pictures)
        scores = self.scores(features).flatten(2).transpose(1, 2)
        left, top, right, bottom = (F.softplus(self.sides(features)) * STRIDE).flatten(2).unbind(1)
        boxes = torch.stack([self.x + (right - left) / 2, self.y + (bottom - top) / 2, left + right, top + bottom], 2)
        return scores, boxes


class Exported(nn.Module):
    """The form that suppression takes: probabilities, and boxes as parts of the picture's sides."""

    def __init__(self, detector):
        super().__init__()
        self.detector = detector

    def forward(self, picture):
        scores, boxes = self.detector(picture)
        return torch.sigmoid(scores)[0], (boxes / SIDE)[0]


def targets(boxes, x, y):
    """Class of each cell, or -1, and its box. The cells around a box's centre belong to it."""
    classes, found = torch.full((len(x),), -1), torch.zeros(len(x), 4)
    for *box, kind in boxes.tolist():
        near = (x - box[0]).abs().maximum((y - box[1]).abs()) < 1.2 * STRIDE
        classes[near], found[near] = int(kind), torch.tensor(box)
    return classes, found


def overlap(a, b):
    """Intersection over union of boxes, given by centre and size."""
    low = torch.maximum(a[:, :2] - a[:, 2:] / 2, b[:, :2] - b[:, 2:] / 2)
    high = torch.minimum(a[:, :2] + a[:, 2:] / 2, b[:, :2] + b[:, 2:] / 2)
    shared = (high - low).clamp(min=0).prod(1)
    return shared / (a[:, 2:].prod(1) + b[:, 2:].prod(1) - shared + 1e-6)


def drawn(random, detector):
    """The pictures, and class and box of each cell."""
    pairs = [draw(random) for _ in range(DRAWN)]
    pictures = torch.from_numpy(np.stack([np.asarray(p) for p, _ in pairs])).permute(0, 3, 1, 2)
    cells = [targets(b, detector.x, detector.y) for _, b in pairs]
    return pictures, torch.stack([c for c, _ in cells]), torch.stack([b for _, b in cells])


def mirrored(pictures, classes, boxes):
    """The same from left to right."""
    across = torch.arange(GRID * GRID).reshape(GRID, GRID).flip(1).flatten()
    boxes = boxes[:, across] * torch.tensor([-1, 1, 1, 1]) + torch.tensor([SIDE, 0, 0, 0])
    return pictures.flip(3), classes[:, across], boxes


def train():
    torch.manual_seed(SEED)
    random, detector = np.random.default_rng(SEED), Detector()
    optimizer = torch.optim.AdamW(detector.parameters(), 4e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, STEPS)
    data = drawn(random, detector)
    for step in range(STEPS):
        chosen = torch.from_numpy(random.integers(0, DRAWN, BATCH))
        pictures, classes, wanted = (part[chosen] for part in data)
        if step % 2:
            pictures, classes, wanted = mirrored(pictures, classes, wanted)
        channels = torch.from_numpy(random.permutation(3))
        scores, boxes = detector(pictures[:, channels].float() / 255)
        hot = F.one_hot(classes + 1, len(LABELS) + 1)[..., 1:].float()
        likely = torch.sigmoid(scores)
        weight = torch.where(hot > 0, 0.5 * (1 - likely) ** 2, 0.5 * likely ** 2)
        positive = classes >= 0
        loss = (weight * F.binary_cross_entropy_with_logits(scores, hot, reduction="none")).sum() / positive.sum()
        loss = loss + (1 - overlap(boxes[positive], wanted[positive])).mean() + 0.02 * (boxes - wanted)[positive].abs().mean()
        optimizer.zero_grad(), loss.backward(), optimizer.step(), schedule.step()
        if step % 100 == 99:
            print(f"step {step + 1}: loss {loss.item():.3f}", flush=True)
    return detector.eval()


def evaluate(detector, pictures=200):
    """Share of the shapes, in pictures of another seed, that a cell finds with the right class and an overlap of at least 0.5."""
    random, found, all_ = np.random.default_rng(SEED + 1), 0, 0
    for _ in range(pictures):
        picture, wanted = draw(random)
        with torch.no_grad():
            scores, boxes = detector(torch.from_numpy(np.asarray(picture)).permute(2, 0, 1)[None].float() / 255)
        score, kind = torch.sigmoid(scores[0]).max(1)
        for *box, label in wanted.tolist():
            good = (overlap(boxes[0], torch.tensor([box]).expand(len(score), 4)) > 0.5) & (score > 0.5)
            found += bool(good.any() and kind[good][score[good].argmax()] == int(label))
            all_ += 1
    print(f"{found} of {all_} shapes found")


def pipeline(detector):
    """The detector, followed by non-maximum suppression with thresholds as inputs, as Vision expects of detectors."""
    traced = torch.jit.trace(Exported(detector).eval(), torch.zeros(1, 3, SIDE, SIDE))
    network = ct.convert(
        traced, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS16,
        inputs=[ct.ImageType("image", (1, 3, SIDE, SIDE), scale=1 / 255)], outputs=[ct.TensorType("scores"), ct.TensorType("boxes")])
    spec = network.get_spec()
    for output, width in zip(spec.description.output, (len(LABELS), 4)):
        output.type.multiArrayType.shape[:] = [GRID * GRID, width]

    suppression = model_pb2.Model(specificationVersion=5)
    for name, width in (("scores", len(LABELS)), ("boxes", 4)):
        array = suppression.description.input.add(name=name).type.multiArrayType
        array.dataType, array.shape[:] = FLOAT32, [GRID * GRID, width]
    thresholds = {"confidenceThreshold": 0.5, "iouThreshold": 0.45}
    for name in thresholds:
        suppression.description.input.add(name=name).type.doubleType.SetInParent()
    for name, width in (("confidence", len(LABELS)), ("coordinates", 4)):
        array = suppression.description.output.add(name=name).type.multiArrayType
        array.dataType = FLOAT32
        for size in (0, width):
            array.shapeRange.sizeRanges.add(lowerBound=size, upperBound=-1 if size == 0 else size)
    rule = suppression.nonMaximumSuppression
    rule.confidenceInputFeatureName, rule.coordinatesInputFeatureName = "scores", "boxes"
    rule.confidenceOutputFeatureName, rule.coordinatesOutputFeatureName = "confidence", "coordinates"
    rule.confidenceThresholdInputFeatureName, rule.iouThresholdInputFeatureName = "confidenceThreshold", "iouThreshold"
    rule.confidenceThreshold, rule.iouThreshold = thresholds["confidenceThreshold"], thresholds["iouThreshold"]
    rule.pickTop.perClass = False
    rule.stringClassLabels.vector.extend(LABELS)

    whole = model_pb2.Model(specificationVersion=spec.specificationVersion)
    whole.description.metadata.shortDescription = "Finds circles, squares and triangles."
    whole.description.input.extend([spec.description.input[0]])
    for name, value in thresholds.items():
        threshold = whole.description.input.add(name=name, shortDescription=f"{value} unless given")
        threshold.type.doubleType.SetInParent()
        threshold.type.isOptional = True
    whole.description.output.extend(suppression.description.output)
    whole.pipeline.models.extend([spec, suppression])
    return ct.models.MLModel(whole, weights_dir=network.weights_dir, skip_model_load=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    draw(np.random.default_rng(2026), 256, 256, 7)[0].save(FOLDER / "shapes.png", optimize=True)
    detector = train()
    evaluate(detector)
    target = FOLDER / "Shapes.mlpackage"
    shutil.rmtree(target, ignore_errors=True)
    pipeline(detector).save(str(target))
