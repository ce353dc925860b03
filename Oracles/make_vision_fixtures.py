"""Writes the small models that the tests of the Vision module load, and what a second implementation says about pictures of them.

  python make_vision_fixtures.py [--root REPOSITORY]

`cases.json` has random pictures, orientations, regions and ways of scaling with the boxes, classes, values and pixels that NumPy and Pillow
give. The pictures follow from formulas, which the tests repeat. Versions: see requirements.txt.
"""
import argparse
import json
import pathlib
import random
import shutil
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from PIL import Image

TARGET = ct.target.iOS16
# What the models that look at nothing but the size of their input give: centre x, centre y, width, height; one row for each box.
BOXES = [[0.5, 0.5, 1, 1], [0.25, 0.375, 0.2, 0.3], [0.7, 0.8, 0.35, 0.15]]
# One row for each box, one column for each label. Not probabilities.
CONFIDENCES = [[0.125, 0.75, 0.5], [0.625, 0.25, 0.5], [0.25, 0.375, 3]]
LABELS = ["circle", "square", "star"]


def converted(program, inputs):
    return ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=TARGET, compute_precision=ct.precision.FLOAT32, inputs=inputs,
        compute_units=ct.ComputeUnit.CPU_ONLY, skip_model_load=True)


def picture(width, height, name="image", layout=ct.colorlayout.RGB):
    channels = 1 if layout == ct.colorlayout.GRAYSCALE else 3
    return ct.ImageType(name, shape=(1, channels, height, width), color_layout=layout)


def save(model, path):
    shutil.rmtree(path, ignore_errors=True)
    model.save(str(path))


def spec(width, height, channels=3):
    return mb.TensorSpec(shape=(1, channels, height, width))


def suppression(boxes, classes, labels):
    """Keeps boxes that overlap by less than 0.9, and those of other classes."""
    model = ct.proto.Model_pb2.Model()
    model.specificationVersion = 7
    nms = model.nonMaximumSuppression
    nms.confidenceInputFeatureName, nms.coordinatesInputFeatureName = "raw_confidence", "raw_coordinates"
    nms.confidenceOutputFeatureName, nms.coordinatesOutputFeatureName = "confidence", "coordinates"
    nms.iouThresholdInputFeatureName, nms.confidenceThresholdInputFeatureName = "iouThreshold", "confidenceThreshold"
    nms.iouThreshold, nms.confidenceThreshold = 0.9, 0.25
    nms.pickTop.perClass = True
    nms.stringClassLabels.vector.extend(labels)
    for name, columns in [("raw_confidence", classes), ("raw_coordinates", 4)]:
        array = model.description.input.add(name=name).type.multiArrayType
        array.dataType = ct.proto.FeatureTypes_pb2.ArrayFeatureType.FLOAT32
        array.shape.extend([boxes, columns])
    for name in ["iouThreshold", "confidenceThreshold"]:
        feature = model.description.input.add(name=name).type
        feature.doubleType.MergeFromString(b"")
        feature.isOptional = True
    for name, columns in [("confidence", classes), ("coordinates", 4)]:
        array = model.description.output.add(name=name).type.multiArrayType
        array.dataType = ct.proto.FeatureTypes_pb2.ArrayFeatureType.FLOAT32
        ranges = array.shapeRange.sizeRanges
        ranges.add(lowerBound=0, upperBound=-1)
        ranges.add(lowerBound=columns, upperBound=columns)
    return model


def detector(network, boxes, classes, labels, path):
    """A pipeline of a network and the suppression of its boxes."""
    stage = network.get_spec()
    last = suppression(boxes, classes, labels)
    pipeline = ct.proto.Model_pb2.Model()
    pipeline.specificationVersion = 7
    pipeline.pipeline.models.add().CopyFrom(stage)
    pipeline.pipeline.models.add().CopyFrom(last)
    pipeline.pipeline.names.extend(["network", "suppression"])
    pipeline.description.input.add().CopyFrom(stage.description.input[0])
    for feature in last.description.input[2:]:
        pipeline.description.input.add().CopyFrom(feature)
    for feature in last.description.output:
        pipeline.description.output.add().CopyFrom(feature)
    save(ct.models.MLModel(pipeline, weights_dir=network.weights_dir, skip_model_load=True), path)


def boxes(path, width, height):
    """Finds the same boxes in any picture."""
    @mb.program(input_specs=[spec(width, height)], opset_version=TARGET)
    def program(image):
        zero = mb.mul(x=mb.reduce_mean(x=image, axes=[0, 1, 2, 3], keep_dims=False), y=0.0)
        return (mb.add(x=np.float32(CONFIDENCES), y=zero, name="raw_confidence"), mb.add(x=np.float32(BOXES), y=zero, name="raw_coordinates"))

    detector(converted(program, [picture(width, height)]), 3, 3, LABELS, path)


def colors(path, size):
    """Finds the rectangles of red, green and blue: their middle by the mean of positions, their size by the variance."""
    places = np.float32((np.arange(size) + 0.5) / size)

    @mb.program(input_specs=[spec(size, size)], opset_version=TARGET)
    def program(image):
        image = mb.mul(x=image, y=np.float32(1 / 255))
        planes = mb.split(x=image, num_splits=3, axis=1)
        masks = []
        for color in range(3):
            others = [planes[other] for other in range(3) if other != color]
            masks.append(mb.relu(x=mb.sub(x=planes[color], y=mb.maximum(x=others[0], y=others[1]))))
        mask = mb.concat(values=masks, axis=1)
        total = mb.add(x=mb.reduce_sum(x=mask, axes=[2, 3], keep_dims=True), y=np.float32(1e-6))
        parts = []
        for axis, shape in [(3, (1, 1, 1, size)), (2, (1, 1, size, 1))]:
            position = places.reshape(shape)
            mean = mb.real_div(x=mb.reduce_sum(x=mb.mul(x=mask, y=position), axes=[2, 3], keep_dims=True), y=total)
            deviation = mb.sub(x=position, y=mean)
            variance = mb.real_div(
                x=mb.reduce_sum(x=mb.mul(x=mask, y=mb.mul(x=deviation, y=deviation)), axes=[2, 3], keep_dims=True), y=total)
            parts.append((mean, mb.sqrt(x=mb.add(x=mb.mul(x=variance, y=np.float32(12)), y=np.float32(1 / size**2)))))
        (x, width), (y, height) = parts
        columns = [mb.reshape(x=part, shape=[3, 1]) for part in (x, y, width, height)]
        coordinates = mb.concat(values=columns, axis=1, name="raw_coordinates")
        best = mb.reshape(x=mb.reduce_max(x=mask, axes=[2, 3], keep_dims=True), shape=[3, 1])
        return mb.mul(x=best, y=np.float32(np.eye(3)), name="raw_confidence"), coordinates

    detector(converted(program, [picture(size, size)]), 3, 3, ["red", "green", "blue"], path)


def classifier(path, width, height, labels):
    """The probabilities of three classes are twice the means of red, green and blue."""
    @mb.program(input_specs=[spec(width, height)], opset_version=TARGET)
    def program(image):
        return mb.mul(x=mb.reduce_mean(x=image, axes=[2, 3], keep_dims=False), y=np.float32(2 / 255), name="scores")

    model = ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=TARGET, compute_precision=ct.precision.FLOAT32,
        inputs=[picture(width, height)], classifier_config=ct.ClassifierConfig(labels), skip_model_load=True)
    save(model, path)


def negative(path, width, height):
    @mb.program(input_specs=[spec(width, height)], opset_version=TARGET)
    def program(image):
        return mb.sub(x=np.float32(255), y=image, name="negative")

    model = converted(program, [picture(width, height)])
    description = model.get_spec()
    description.description.output[0].type.imageType.CopyFrom(description.description.input[0].type.imageType)
    save(ct.models.MLModel(description, weights_dir=model.weights_dir, skip_model_load=True), path)


def quarters(path, width, height, layout=ct.colorlayout.RGB):
    """The mean of each channel in each quarter, and the greatest sample."""
    channels = 1 if layout == ct.colorlayout.GRAYSCALE else 3

    @mb.program(input_specs=[spec(width, height, channels)], opset_version=TARGET)
    def program(image):
        means = mb.avg_pool(
            x=image, kernel_sizes=[height // 2, width // 2], strides=[height // 2, width // 2], pad_type="valid", name="quarters")
        return means, mb.reduce_max(x=image, axes=[1, 2, 3], keep_dims=False, name="greatest")

    save(converted(program, [picture(width, height, layout=layout)]), path)


def difference(path):
    """The mean of one picture less that of another, times a number."""
    @mb.program(input_specs=[spec(8, 8), spec(6, 4), mb.TensorSpec(shape=(1,))], opset_version=TARGET)
    def program(first, second, factor):
        means = [mb.reduce_mean(x=image, axes=[1, 2, 3], keep_dims=False) for image in (first, second)]
        return mb.mul(x=mb.sub(x=means[0], y=means[1]), y=factor, name="difference")

    save(converted(program, [picture(8, 8, "first"), picture(6, 4, "second"), ct.TensorType("factor", shape=(1,))]), path)


def numbers(path):
    """Takes no picture."""
    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3))], opset_version=TARGET)
    def program(x):
        return mb.add(x=x, y=np.float32(1), name="y")

    save(converted(program, [ct.TensorType("x", shape=(1, 3))]), path)


# MARK: Cases

def stored_picture(width, height):
    """Columns grow in red, rows in green, the middle is the brightest in blue."""
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    red = x * 255 // max(width - 1, 1)
    green = y * 255 // max(height - 1, 1)
    blue = 255 - np.maximum(abs(2 * x - width + 1) * 255 // width, abs(2 * y - height + 1) * 255 // height)
    return np.stack([red, green, blue], axis=-1).astype(np.uint8)


# How Pillow turns pixels that are stored with a value of EXIF's tag Orientation.
TURNS = {
    1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_270, 7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_90,
}


def half_up(value):
    return int(np.floor(value + 0.5))


class Fitting:
    """The model's picture of a stored one, and the way back of its points."""

    def __init__(self, stored, orientation, region, option, width, height):
        image = Image.fromarray(stored)
        if TURNS[orientation] is not None:
            image = image.transpose(TURNS[orientation])
        x, y, w, h = region
        left, right = half_up(x * image.width), half_up((x + w) * image.width)
        top, bottom = half_up((1 - y - h) * image.height), half_up((1 - y) * image.height)
        image = image.crop((left, top, max(right, left + 1), max(bottom, top + 1)))
        self.region = image.size
        self.turned = option & 0x100 != 0
        if self.turned:
            image = image.transpose(Image.Transpose.ROTATE_90)
        self.target = width, height
        self.crop, self.offset = (0, 0), (0, 0)
        if option == 0:
            scale = max(width / image.width, height / image.height)
            w, h = (min(extent, max(1, half_up(target / scale))) for extent, target in zip(image.size, self.target))
            self.crop = (image.width - w) // 2, (image.height - h) // 2
            image = image.crop((*self.crop, self.crop[0] + w, self.crop[1] + h))
            self.used, self.placed = (w, h), self.target
        elif option & 0xFF == 1:
            scale = min(np.float32(width) / np.float32(image.width), np.float32(height) / np.float32(image.height))
            self.used = image.size
            self.placed = tuple(
                max(1, min(target, half_up(np.float32(extent) * scale))) for extent, target in zip(image.size, self.target))
            self.offset = (width - self.placed[0]) // 2, (height - self.placed[1]) // 2
        else:
            self.used, self.placed = image.size, self.target
        scaled = image.resize(self.placed, Image.Resampling.BILINEAR)
        self.image = Image.new("RGB", self.target)
        self.image.paste(scaled, self.offset)

    def point(self, x, y):
        """The point of the region, in its extents from the lower left, at one of the model's picture in its extents from the upper left."""
        x = self.crop[0] + (x * self.target[0] - self.offset[0]) * self.used[0] / self.placed[0]
        y = self.crop[1] + (y * self.target[1] - self.offset[1]) * self.used[1] / self.placed[1]
        if self.turned:
            # The turned picture's left edge is the upper one, its lower edge the left one.
            x, y = self.region[0] - y, x
        return x / self.region[0], 1 - y / self.region[1]

    def box(self, x, y, width, height):
        points = [self.point(x - width / 2, y - height / 2), self.point(x + width / 2, y + height / 2)]
        low, high = np.min(points, axis=0), np.max(points, axis=0)
        return [float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1])]


def cases(count, models):
    random.seed(7)
    result = []
    kinds = ["boxes", "classifier", "negative", "quarters"]
    options = [0, 1, 2, 0x101, 0x102]
    for index in range(count):
        width, height = random.randint(3, 300), random.randint(3, 300)
        orientation = random.randint(1, 8)
        region = [0, 0, 1, 1]
        if index % 3:
            left, right = sorted(random.uniform(0, 1) for _ in range(2))
            bottom, top = sorted(random.uniform(0, 1) for _ in range(2))
            region = [left, bottom, max(right - left, 0.05), max(top - bottom, 0.05)]
            region[0], region[1] = min(region[0], 1 - region[2]), min(region[1], 1 - region[3])
        kind, option = kinds[index % 4], options[index % 5]
        fitting = Fitting(stored_picture(width, height), orientation, region, option, *models[kind])
        pixels = np.asarray(fitting.image, np.float64)
        case = dict(width=width, height=height, orientation=orientation, region=region, option=option, kind=kind)
        if kind == "boxes":
            case["expected"] = [number for box in BOXES for number in fitting.box(*box)]
        elif kind == "classifier":
            case["expected"] = (pixels.mean(axis=(0, 1)) * 2 / 255).tolist()
        elif kind == "negative":
            # A pixel near each corner, and one in the middle.
            h, w = pixels.shape[:2]
            case["expected"] = [255 - int(n) for y, x in [(1, 1), (1, w - 2), (h - 2, 1), (h - 2, w - 2), (h // 2, w // 2)] for n in pixels[y, x]]
        else:
            h, w = pixels.shape[0] // 2, pixels.shape[1] // 2
            case["expected"] = [float(pixels[y : y + h, x : x + w, c].mean()) for c in range(3) for y in (0, h) for x in (0, w)]
        result.append(case)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    folder = parser.parse_args().root / "Tests/VisionTests/Fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    boxes(folder / "boxes.mlpackage", 48, 32)
    colors(folder / "colors.mlpackage", 64)
    classifier(folder / "classifier.mlpackage", 40, 40, ["red", "green", "blue"])
    classifier(folder / "numbered.mlpackage", 40, 40, [7, 8, 9])
    negative(folder / "negative.mlpackage", 40, 24)
    quarters(folder / "quarters.mlpackage", 32, 48)
    quarters(folder / "gray.mlpackage", 32, 32, ct.colorlayout.GRAYSCALE)
    difference(folder / "difference.mlpackage")
    numbers(folder / "numbers.mlpackage")
    models = dict(boxes=(48, 32), classifier=(40, 40), negative=(40, 24), quarters=(32, 48))
    (folder / "cases.json").write_text(json.dumps(cases(200, models)))


if __name__ == "__main__":
    main()
