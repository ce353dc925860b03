"""Writes recorded cases of whole networks converted to ML Programs, and of other kinds of models: compressed weights, flexible
shapes, images, classes, multiple functions, states.

  python make_mil_networks.py --out DIRECTORY [--only TEXT]

The networks are torch modules with random weights; the expected outputs are torch's results in float32. Tolerances of fp16 programs: 2 % and 1 % of
the largest value.
"""
import argparse
import itertools
import json
import pathlib
import shutil
import traceback
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import coremltools.optimize as cto
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types
from PIL import Image

import torch_cast

CASES = {}


def case(function):
    CASES[function.__name__.replace("_", "-")] = function
    return function


torch_cast.repair()


class Writer:
    def __init__(self, out):
        self.out, self.count = out, 0

    def write(self, name, model, inputs, outputs, precision="fp32", **keys):
        folder = self.out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        if isinstance(model, pathlib.Path):
            shutil.copytree(model, folder / "model.mlpackage")
        else:
            model.save(str(folder / "model.mlpackage"))
        kinds = {} if isinstance(model, pathlib.Path) else {
            feature.name: KINDS.get(feature.type.multiArrayType.dataType)
            for features in (model.get_spec().description.input, model.get_spec().description.output) for feature in features}
        steps = inputs if isinstance(inputs, list) else [inputs]
        results = outputs if isinstance(outputs, list) else [outputs]
        content = {"name": name, "family": "network", "model": "model.mlpackage"}
        listed, largest = [], 0.0
        for number, (given, expected) in enumerate(zip(steps, results)):
            entry = {"inputs": {}, "outputs": {}}
            for direction, values, prefix in (("inputs", given, "in"), ("outputs", expected, "out")):
                for key, value in values.items():
                    file = f"{prefix}_{key}_{number}"
                    if isinstance(value, Image.Image):
                        value.save(folder / f"{file}.png")
                        entry[direction][key] = {"image": f"{file}.png"}
                    elif isinstance(value, str):
                        entry[direction][key] = {"string": value}
                    elif isinstance(value, dict):
                        entry[direction][key] = {"dictionary": value, "keys": "string"}
                    else:
                        value = value.astype(kinds.get(key) or value.dtype)
                        np.save(folder / f"{file}.npy", value)
                        entry[direction][key] = {"file": f"{file}.npy"}
                        if direction == "outputs" and value.size and value.dtype.kind == "f":
                            largest = max(largest, float(np.abs(value.astype(np.float64)).max()))
            listed.append(entry)
        if isinstance(inputs, list):
            content["steps"] = listed
        else:
            content |= listed[0]
        tolerance = (0.02, 0.01 * largest + 1e-4) if precision == "fp16" else (1e-3, 1e-4 + 1e-4 * largest)
        content |= {"rtol": tolerance[0], "atol": tolerance[1], "oracle": "torch"} | keys
        (folder / "case.json").write_text(json.dumps(content, indent=1) + "\n")
        self.count += 1


ARRAY = ct.proto.FeatureTypes_pb2.ArrayFeatureType
KINDS = {ARRAY.FLOAT32: np.float32, ARRAY.FLOAT16: np.float16, ARRAY.INT32: np.int32, ARRAY.INT8: np.int8}
PRECISIONS = {"fp32": ct.precision.FLOAT32, "fp16": ct.precision.FLOAT16}


def arrays(values):
    return [value.detach().numpy() for value in values]


def flat(value):
    return [value] if isinstance(value, torch.Tensor) else [item for part in value for item in flat(part)]


def convert(module, inputs, precision="fp32", target=ct.target.iOS16, specs=None, outputs=None, **keys):
    module.eval()
    with torch.no_grad():
        traced = torch.jit.trace(module, tuple(inputs.values()), check_trace=False)
    kinds = {torch.int32: np.int32, torch.int64: np.int32}
    specs = specs or [
        ct.TensorType(name, shape=value.shape, dtype=kinds.get(value.dtype, np.float32)) for name, value in inputs.items()]
    return ct.convert(
        traced, inputs=specs, outputs=outputs, minimum_deployment_target=target, compute_precision=PRECISIONS[precision],
        convert_to="mlprogram", skip_model_load=True, **keys)


def names(model):
    return [output.name for output in model.get_spec().description.output]


def plain(inputs):
    return {name: value.numpy().astype(np.int32) if value.dtype in (torch.int32, torch.int64) else value.numpy() for name, value in inputs.items()}


def network(writer, name, module, inputs, precisions=("fp32", "fp16"), others=(), **keys):
    """The module in all precisions, run on `inputs` and on `others`, which have other shapes."""
    for precision in precisions:
        model = convert(module, inputs, precision, **keys)
        for number, given in enumerate([inputs, *others]):
            with torch.no_grad():
                expected = arrays(flat(module(*given.values())))
            expected = [value.astype(np.int32) if value.dtype.kind in "iub" else value for value in expected]
            writer.write(f"{name}-{precision}-{number}", model, plain(given), dict(zip(names(model), expected)), precision)


# MARK: vision


def lenient(register):
    """The networks do not use torchvision's own operators, whose library may be missing."""
    def wrapped(name, *arguments, **keys):
        def apply(function):
            try:
                return register(name, *arguments, **keys)(function)
            except RuntimeError:
                return function
        return apply
    return wrapped


torch.library.register_fake = lenient(torch.library.register_fake)


@case
def torchvision_networks(writer):
    import torchvision.models as zoo
    x = {"x": torch.randn(1, 3, 96, 96)}
    network(writer, "vit-small", zoo.VisionTransformer(64, 16, 2, 4, 64, 128, num_classes=10), {"x": torch.randn(1, 3, 64, 64)})
    for name in ("mobilenet_v2", "resnet18", "squeezenet1_1", "shufflenet_v2_x0_5", "mnasnet0_5", "mobilenet_v3_small", "efficientnet_b0", "regnet_y_400mf",
                 "convnext_tiny", "densenet121", "swin_t"):
        torch.manual_seed(0)
        precisions = ("fp16",) if name in ("swin_t", "densenet121", "convnext_tiny") else ("fp32", "fp16")
        network(writer, name.replace("_", "-"), getattr(zoo, name)(), x, precisions=precisions)
    flexible = [ct.TensorType("x", shape=(1, 3, ct.RangeDim(32, 160), ct.RangeDim(32, 160)))]
    others = [{"x": torch.randn(1, 3, 64, 48)}, {"x": torch.randn(1, 3, 33, 160)}]
    network(writer, "mobilenet-flexible", zoo.mobilenet_v2(), x, others=others, specs=flexible)
    listed = [ct.TensorType("x", shape=ct.EnumeratedShapes([(1, 3, 96, 96), (1, 3, 64, 64), (2, 3, 32, 64)], default=(1, 3, 96, 96)))]
    network(writer, "resnet-enumerated", zoo.resnet18(), x, others=[{"x": torch.randn(2, 3, 32, 64)}], specs=listed)
    seg = zoo.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None)

    class Segmenter(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = seg

        def forward(self, x):
            return self.net(x)["out"].argmax(1)

    network(writer, "segmenter", Segmenter(), {"x": torch.randn(1, 3, 64, 64)}, precisions=("fp32",))


@case
def timm_networks(writer):
    import timm
    for name, size in (("deit_tiny_patch16_224", 224), ("mobilevit_xxs", 256), ("ghostnet_050", 96), ("repvgg_a0", 96), ("tf_efficientnet_lite0", 96),
                       ("mixer_s32_224", 224), ("edgenext_xx_small", 128), ("fastvit_t8", 128)):
        try:
            torch.manual_seed(0)
            options = {"img_size": 64} if name.startswith(("deit", "mixer")) else {}
            size = 64 if options else size
            network(writer, name.replace("_", "-"), timm.create_model(name, pretrained=False, **options), {"x": torch.randn(1, 3, size, size)}, precisions=("fp16",))
        except Exception as error:
            print("not made:", name, str(error)[:200])


class Block(nn.Sequential):
    def __init__(self, a, b):
        super().__init__(nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(4, b), nn.SiLU(), nn.Conv2d(b, b, 3, padding=1), nn.InstanceNorm2d(b, affine=True), nn.ReLU())


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c, self.d, self.e = Block(3, 8), Block(8, 16), Block(16, 32), Block(48, 16), Block(24, 8)
        self.up, self.out = nn.ConvTranspose2d(32, 32, 2, 2), nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = self.a(x)
        b = self.b(F.max_pool2d(a, 2))
        c = self.c(F.avg_pool2d(b, 2))
        d = self.d(torch.cat([self.up(c), b], 1))
        d = F.interpolate(d, scale_factor=2, mode="bilinear", align_corners=False)
        return torch.sigmoid(self.out(self.e(torch.cat([d, a], 1))))


@case
def unet(writer):
    x = {"x": torch.randn(1, 3, 32, 48)}
    network(writer, "unet", UNet(), x)
    specs = [ct.TensorType("x", shape=(1, 3, ct.RangeDim(16, 64), ct.RangeDim(16, 64)))]
    network(writer, "unet-flexible", UNet(), x, others=[{"x": torch.randn(1, 3, 16, 64)}], specs=specs)


class Detector(nn.Module):
    """A YOLO-style head: boxes as grid offsets, and scores, on two levels."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.SiLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.Hardswish())
        self.down = nn.Conv2d(16, 16, 3, 2, 1)
        self.heads = nn.ModuleList([nn.Conv2d(16, 3 * 9, 1), nn.Conv2d(16, 3 * 9, 1)])

    def forward(self, x):
        a = self.stem(x)
        b = self.down(a)
        a = a + F.interpolate(b, scale_factor=2, mode="nearest")
        levels = []
        for head, feature, stride in zip(self.heads, (a, b), (4, 8)):
            n, _, h, w = feature.shape
            y = head(feature).view(n, 3, 9, h, w).permute(0, 1, 3, 4, 2)
            rows, columns = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
            grid = torch.stack([columns, rows], -1).float()
            middle = (y[..., :2].sigmoid() * 2 - 0.5 + grid) * stride
            size = (y[..., 2:4].sigmoid() * 2) ** 2 * 8
            levels.append(torch.cat([middle, size, y[..., 4:].sigmoid()], -1).reshape(n, -1, 9))
        return torch.cat(levels, 1)


@case
def detector(writer):
    torch.manual_seed(1)
    network(writer, "detector", Detector(), {"x": torch.randn(1, 3, 32, 32)})


# MARK: language


class Layer(nn.Module):
    def __init__(self, width, heads, cross=False):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def attend(self, x, memory, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(memory)), self.split(self.value(memory))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).flatten(2))

    def forward(self, x, mask=None, memory=None):
        y = self.first(x)
        x = x + self.attend(y, y if memory is None else memory, mask)
        return x + self.down(F.gelu(self.up(self.second(x))))


class Encoder(nn.Module):
    def __init__(self, words=50, width=32, heads=4):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(64, width)
        self.layers = nn.ModuleList([Layer(width, heads) for _ in range(2)])
        self.pool = nn.Linear(width, width)

    def forward(self, tokens, mask):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))[None]
        bias = (1.0 - mask[:, None, None, :].float()) * -1e4
        for layer in self.layers:
            x = layer(x, bias)
        return x, torch.tanh(self.pool(x[:, 0]))


@case
def encoder(writer):
    def given(n, batch=1):
        return {"tokens": torch.randint(0, 50, (batch, n), dtype=torch.int32), "mask": torch.tensor([[1] * (n - 2) + [0, 0]] * batch, dtype=torch.int32)}

    for target in (ct.target.iOS15, ct.target.iOS16, ct.target.iOS17, ct.target.iOS18):
        network(writer, f"encoder-{target.name.lower()}", Encoder(), given(9), target=target)
    shape = (ct.RangeDim(1, 3), ct.RangeDim(3, 64))
    specs = [ct.TensorType("tokens", shape=shape, dtype=np.int32), ct.TensorType("mask", shape=shape, dtype=np.int32)]
    network(writer, "encoder-flexible", Encoder(), given(9), others=[given(20, 2), given(3)], specs=specs, target=ct.target.iOS17)


class Recurrent(nn.Module):
    def __init__(self, kind, bidirectional):
        super().__init__()
        self.words = nn.Embedding(40, 16)
        self.body = kind(16, 12, num_layers=2, batch_first=True, bidirectional=bidirectional)
        self.head = nn.Linear(24 if bidirectional else 12, 5)

    def forward(self, tokens):
        y, _ = self.body(self.words(tokens))
        return F.log_softmax(self.head(y), -1), self.head(y[:, -1])


@case
def recurrent(writer):
    x = {"tokens": torch.randint(0, 40, (1, 11), dtype=torch.int32)}
    for (name, kind), both in itertools.product((("lstm", nn.LSTM), ("gru", nn.GRU), ("rnn", nn.RNN)), (False, True)):
        if name == "rnn" and both:
            continue  # not converted
        network(writer, f"{name}{'-both' if both else ''}", Recurrent(kind, both), x)
    specs = [ct.TensorType("tokens", shape=(1, ct.RangeDim(1, 32)), dtype=np.int32)]
    others = [{"tokens": torch.randint(0, 40, (1, 5), dtype=torch.int32)}, {"tokens": torch.randint(0, 40, (1, 1), dtype=torch.int32)}]
    network(writer, "lstm-flexible", Recurrent(nn.LSTM, True), x, others=others, specs=specs)


class Speech(nn.Module):
    """An encoder of spectra and a decoder that attends to it, as in Whisper."""

    def __init__(self, width=32):
        super().__init__()
        self.first, self.second = nn.Conv1d(20, width, 3, padding=1), nn.Conv1d(width, width, 3, 2, 1)
        self.encoder, self.decoder, self.cross = Layer(width, 4), Layer(width, 4), Layer(width, 4)
        self.words = nn.Embedding(60, width)
        self.register_buffer("mask", torch.full((32, 32), -torch.inf).triu(1))

    def forward(self, spectrum, tokens):
        x = F.gelu(self.second(F.gelu(self.first(spectrum)))).transpose(1, 2)
        memory = self.encoder(x)
        n = tokens.shape[1]
        y = self.decoder(self.words(tokens), self.mask[:n, :n])
        return self.cross(y, None, memory) @ self.words.weight.T


class Spectral(nn.Module):
    """Depthwise layers over a log spectrum."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))
        self.register_buffer("filters", torch.rand(33, 12))
        self.body = nn.Sequential(
            nn.Conv1d(12, 12, 5, groups=12, padding=2), nn.Conv1d(12, 16, 1), nn.BatchNorm1d(16), nn.ReLU6(), nn.Conv1d(16, 16, 3, 2, groups=16),
            nn.Conv1d(16, 8, 1), nn.Hardtanh(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(8, 4))

    def forward(self, x):
        y = torch.stft(x, 64, hop_length=16, window=self.window, return_complex=True, center=False)
        power = y.real ** 2 + y.imag ** 2
        return self.body(torch.log(self.filters.T @ power + 1e-3))


@case
def audio(writer):
    network(writer, "speech", Speech(), {"spectrum": torch.randn(1, 20, 30), "tokens": torch.randint(0, 60, (1, 7), dtype=torch.int32)})
    network(writer, "spectral", Spectral(), {"x": torch.randn(1, 512)}, precisions=("fp32",))
    network(writer, "spectral-centred", nn.Sequential(Spectral()), {"x": torch.randn(2, 640)}, precisions=("fp32",))


# MARK: states and functions


class Decoder(nn.Module):
    """A step of a decoder with its KV cache in states."""

    def __init__(self, width=16, heads=2, length=12):
        super().__init__()
        self.words = nn.Embedding(30, width)
        self.query, self.key, self.value, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.heads = heads
        self.register_buffer("keys", torch.zeros(1, heads, length, width // heads))
        self.register_buffer("values", torch.zeros(1, heads, length, width // heads))

    def forward(self, token, mask):
        x = self.words(token)
        n, end = token.shape[1], mask.shape[-1]
        split = lambda y: y.view(1, n, self.heads, -1).transpose(1, 2)
        self.keys[:, :, end - n:end] = split(self.key(x))
        self.values[:, :, end - n:end] = split(self.value(x))
        y = F.scaled_dot_product_attention(split(self.query(x)), self.keys[:, :, :end], self.values[:, :, :end], attn_mask=mask)
        return self.out(y.transpose(1, 2).flatten(2)) @ self.words.weight.T


@case
def decoder(writer):
    for precision in ("fp16", "fp32"):
        torch.manual_seed(0)
        module = Decoder()
        tokens = [[3, 7, 1], [4], [9], [2, 2], [11]]
        with torch.no_grad():
            traced = torch.jit.trace(module.eval(), (torch.zeros(1, 3, dtype=torch.int32), torch.zeros(1, 1, 3, 3)), check_trace=False)
        query, end = ct.RangeDim(1, 12, default=3), ct.RangeDim(1, 12, default=3)
        state = lambda name: ct.StateType(ct.TensorType(shape=(1, 2, 12, 8), dtype=np.float16), name=name)
        model = ct.convert(
            traced, inputs=[ct.TensorType("token", shape=(1, query), dtype=np.int32), ct.TensorType("mask", shape=(1, 1, query, end), dtype=np.float16 if precision == "fp16" else np.float32)],
            outputs=[ct.TensorType("logits", dtype=np.float16 if precision == "fp16" else np.float32)], states=[state("keys"), state("values")],
            minimum_deployment_target=ct.target.iOS18, compute_precision=PRECISIONS[precision], skip_model_load=True)
        module.keys.zero_(), module.values.zero_()
        inputs, outputs, end = [], [], 0
        kind = np.float16 if precision == "fp16" else np.float32
        for step in tokens:
            n = len(step)
            end += n
            mask = torch.full((1, 1, n, end), 0.0)
            for row in range(n):
                mask[:, :, row, end - n + row + 1:] = -1e4
            token = torch.tensor([step], dtype=torch.int32)
            with torch.no_grad():
                logits = module(token, mask)
            inputs.append({"token": token.numpy(), "mask": mask.numpy().astype(kind)})
            outputs.append({"logits": logits.numpy().astype(kind)})
        writer.write(f"decoder-{precision}", model, inputs, outputs, "fp16")


@case
def functions(writer):
    base = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
    x = torch.randn(2, 8)
    folder = writer.out / "parts"
    description = ct.utils.MultiFunctionDescriptor()
    expected = {}
    for name in ("first", "second"):
        module = nn.Sequential(base, nn.Linear(16, 3))
        model = convert(module, {"x": x}, target=ct.target.iOS18)
        expected[name] = (names(model)[0], module(x).detach().numpy())
        model.save(str(folder / f"{name}.mlpackage"))
        description.add_function(str(folder / f"{name}.mlpackage"), src_function_name="main", target_function_name=name)
    description.default_function_name = "first"
    ct.utils.save_multifunction(description, str(folder / "both.mlpackage"))
    for name, (output, value) in expected.items():
        writer.write(f"function-{name}", folder / "both.mlpackage", {"x": x.numpy()}, {output: value}, function=name)
    shutil.rmtree(folder)


# MARK: images and classes


class Pictures(nn.Module):
    def __init__(self, channels, out):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(channels, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, out, 3, padding=1))

    def forward(self, x):
        return torch.sigmoid(self.body(x)) * 255


@case
def pictures(writer):
    random = np.random.default_rng(0)
    for (layout, channels), out, precision in itertools.product(
            ((ct.colorlayout.RGB, 3), (ct.colorlayout.BGR, 3), (ct.colorlayout.GRAYSCALE, 1), (ct.colorlayout.GRAYSCALE_FLOAT16, 1)),
            (None, ct.colorlayout.RGB, ct.colorlayout.BGR, ct.colorlayout.GRAYSCALE), ("fp32", "fp16")):
        if layout == ct.colorlayout.GRAYSCALE_FLOAT16:
            continue
        module = Pictures(channels, 1 if out == ct.colorlayout.GRAYSCALE else 3).eval()
        scale, bias = 1 / 127.0, [-1.0, -0.9, -1.1][:channels]
        pixels = random.integers(0, 256, (12, 16, channels), dtype=np.uint8)
        picture = Image.fromarray(pixels if channels == 3 else pixels[..., 0])
        planes = pixels.astype(np.float32).transpose(2, 0, 1)[None]
        if layout == ct.colorlayout.BGR:
            planes = planes[:, ::-1].copy()
        with torch.no_grad():
            y = module(torch.tensor(planes * scale + np.array(bias, np.float32).reshape(1, -1, 1, 1))).numpy()
            traced = torch.jit.trace(module, torch.rand(1, channels, 12, 16))
        spec = ct.ImageType("picture", shape=(1, channels, 12, 16), scale=scale, bias=bias if channels == 3 else bias[0], color_layout=layout)
        outputs = [ct.ImageType("result", color_layout=out)] if out else [ct.TensorType("result")]
        try:
            model = ct.convert(traced, inputs=[spec], outputs=outputs, minimum_deployment_target=ct.target.iOS16, compute_precision=PRECISIONS[precision], skip_model_load=True)
        except Exception as error:
            print("not made:", layout, out, str(error)[:200])
            continue
        if out:
            result = np.clip(np.rint(y), 0, 255).astype(np.uint8)[0].transpose(1, 2, 0)
            result = result[..., 0] if out == ct.colorlayout.GRAYSCALE else result[..., ::-1] if out == ct.colorlayout.BGR else result
            result = Image.fromarray(np.ascontiguousarray(result))
        else:
            result = y
        name = f"picture-{layout.name.lower()}-{out.name.lower() if out else 'array'}-{precision}".replace("_", "-")
        writer.write(name, model, {"picture": picture}, {"result": result}, precision, **({"atol": 2.5} if out else {}))


@case
def classifiers(writer):
    for labels, precision in itertools.product((["cat", "dog", "emu", "fox"], [7, 8, 9, 11]), ("fp32", "fp16")):
        module = nn.Sequential(nn.Flatten(), nn.Linear(12, 4), nn.Softmax(-1)).eval()
        x = torch.randn(1, 3, 4)
        model = convert(module, {"x": x}, precision, classifier_config=ct.ClassifierConfig(labels, predicted_feature_name="animal"))
        probabilities = module(x).detach().numpy()[0]
        best = labels[int(probabilities.argmax())]
        description = model.get_spec().description
        entry = {str(label): float(value) for label, value in zip(labels, probabilities)}
        name = f"classifier-{'text' if isinstance(best, str) else 'number'}-{precision}"
        writer.write(name, model, {"x": x.numpy()}, {"animal": str(best), description.predictedProbabilitiesName: entry}, precision)
        path = writer.out / name / "case.json"
        content = json.loads(path.read_text())
        if not isinstance(best, str):
            content["outputs"]["animal"] = {"int": best}
            content["outputs"][description.predictedProbabilitiesName]["keys"] = "int64"
            path.write_text(json.dumps(content, indent=1))


# MARK: compressed weights


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.line, self.table = nn.Conv2d(16, 32, 3, padding=1), nn.Linear(64, 64), nn.Embedding(64, 64)

    def forward(self, x, n):
        y = F.relu(self.conv(x)).flatten(2).mean(-1)
        return self.line(torch.cat([y, y], -1) + self.table(n))


def compressed_with(writer, name, config, target, precision, tail=None):
    torch.manual_seed(0)
    module = Small().eval()
    given = {"x": torch.randn(1, 16, 8, 8), "n": torch.tensor([5], dtype=torch.int32)}
    model = convert(module, given, precision, target=target)
    for step in config:
        model = step(model)
    dense = cto.coreml.decompress_weights(model)
    weights = stored_weights(dense)
    with torch.no_grad():
        for parameter in (module.conv.weight, module.line.weight, module.table.weight):
            original = parameter.numpy()
            best = min((value for value in weights if value.shape == original.shape), key=lambda value: np.abs(value - original).mean())
            parameter.copy_(torch.tensor(best.astype(np.float32)))
        expected = module(*given.values()).numpy()
    writer.write(name, model, plain(given), {names(model)[0]: expected}, precision)


def stored_weights(model):
    """All constants of a program that are stored in its weight file."""
    spec, blob = model.get_spec(), (pathlib.Path(model.weights_dir) / "weight.bin").read_bytes()
    function = spec.mlProgram.functions["main"]
    result = []
    for operation in function.block_specializations[function.opset].operations:
        value = operation.attributes["val"] if operation.type == "const" else None
        if value is None or not value.HasField("blobFileValue"):
            continue
        kind = {10: np.float16, 11: np.float32}.get(value.type.tensorType.dataType)
        if kind is None:
            continue
        shape = [dimension.constant.size for dimension in value.type.tensorType.dimensions]
        start = int.from_bytes(blob[value.blobFileValue.offset + 16:value.blobFileValue.offset + 24], "little")
        result.append(np.frombuffer(blob, kind, int(np.prod(shape)), start).reshape(shape))
    return result


@case
def compressed(writer):
    opt = cto.coreml
    wrap = lambda config: opt.OptimizationConfig(global_config=config)
    palettes = lambda **keys: lambda model: opt.palettize_weights(model, wrap(opt.OpPalettizerConfig(mode="kmeans", weight_threshold=100, **keys)))
    linear = lambda **keys: lambda model: opt.linear_quantize_weights(model, wrap(opt.OpLinearQuantizerConfig(weight_threshold=100, **keys)))
    sparse = lambda **keys: lambda model: opt.prune_weights(model, wrap(opt.OpMagnitudePrunerConfig(weight_threshold=100, **keys)))
    joint_palettes = lambda **keys: lambda model: opt.palettize_weights(model, wrap(opt.OpPalettizerConfig(mode="kmeans", weight_threshold=100, **keys)), joint_compression=True)
    joint_linear = lambda **keys: lambda model: opt.linear_quantize_weights(model, wrap(opt.OpLinearQuantizerConfig(weight_threshold=100, **keys)), joint_compression=True)
    old, new = ct.target.iOS16, ct.target.iOS18
    forms = {}
    for bits in (1, 2, 4, 6, 8):
        forms[f"palette{bits}-old"] = ([palettes(nbits=bits)], old)
    for bits in (1, 2, 3, 4, 6, 8):
        forms[f"palette{bits}"] = ([palettes(nbits=bits)], new)
    for bits, size, axis in ((4, 4, 0), (2, 8, 1), (3, 16, 0)):
        forms[f"palette{bits}-group{size}-axis{axis}"] = ([palettes(nbits=bits, granularity="per_grouped_channel", group_size=size, channel_axis=axis)], new)
    for bits, size in ((2, 2), (4, 4), (1, 2)):
        forms[f"palette{bits}-vector{size}"] = ([palettes(nbits=bits, cluster_dim=size)], new)
    forms["palette4-scaled"] = ([palettes(nbits=4, granularity="per_grouped_channel", group_size=8, enable_per_channel_scale=True)], new)
    for mode, granularity in itertools.product(("linear", "linear_symmetric"), ("per_channel", "per_tensor")):
        forms[f"int8-{mode}-{granularity}-old".replace("_", "-")] = ([linear(mode=mode, granularity=granularity)], old)
        for dtype in ("int8", "uint8", "int4", "uint4"):
            forms[f"{dtype}-{mode}-{granularity}".replace("_", "-")] = ([linear(mode=mode, granularity=granularity, dtype=dtype)], new)
    for dtype, block in itertools.product(("int4", "int8", "uint4"), (8, 16, (2, 8))):
        forms[f"{dtype}-block{block}".replace("(", "").replace(")", "").replace(", ", "x")] = ([linear(mode="linear_symmetric", granularity="per_block", block_size=block, dtype=dtype)], new)
    for target, suffix in ((old, "-old"), (new, "")):
        forms[f"sparse{suffix}"] = ([sparse(target_sparsity=0.6)], target)
        forms[f"sparse-threshold{suffix}"] = ([lambda model: opt.prune_weights(model, wrap(opt.OpThresholdPrunerConfig(threshold=0.03, weight_threshold=100)))], target)
    forms["sparse-palette4"] = ([sparse(target_sparsity=0.5), joint_palettes(nbits=4)], new)
    forms["sparse-palette2-group"] = ([sparse(target_sparsity=0.5), joint_palettes(nbits=2, granularity="per_grouped_channel", group_size=8)], new)
    forms["sparse-int8"] = ([sparse(target_sparsity=0.5), joint_linear(mode="linear_symmetric")], new)
    forms["sparse-int4-block"] = ([sparse(target_sparsity=0.5), joint_linear(mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=16)], new)
    forms["palette4-int8"] = ([palettes(nbits=4), joint_linear(mode="linear_symmetric", granularity="per_tensor")], new)
    forms["sparse-palette4-int8"] = (
        [sparse(target_sparsity=0.5), joint_palettes(nbits=4), joint_linear(mode="linear_symmetric", granularity="per_tensor")], new)
    for (name, (steps, target)), precision in itertools.product(forms.items(), ("fp16", "fp32")):
        try:
            compressed_with(writer, f"{name}-{precision}", steps, target, precision)
        except Exception as error:
            print("not made:", name, precision, repr(error)[:300])


@case
def bytes_in_and_out(writer):
    """Since iOS 26, features may have 8-bit elements."""
    x = np.arange(-12, 12, dtype=np.int8).reshape(2, 3, 4)

    @mb.program(input_specs=[mb.TensorSpec((2, 3, 4), dtype=types.int8)], opset_version=ct.target.iOS18)
    def program(x):
        y = mb.mul(x=mb.cast(x=x, dtype="fp32"), y=np.float32(0.5))
        return mb.cast(x=mb.round(x=y), dtype="int8", name="y")

    model = ct.convert(
        program, convert_to="mlprogram", minimum_deployment_target=ct.target.iOS26, compute_precision=ct.precision.FLOAT32, skip_model_load=True,
        inputs=[ct.TensorType("x", shape=x.shape, dtype=np.int8)], outputs=[ct.TensorType("y", dtype=np.int8)])
    writer.write("bytes", model, {"x": x}, {"y": np.rint(x * 0.5).astype(np.int8)})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)
    writer = Writer(arguments.out)
    for name, function in CASES.items():
        if arguments.only in name:
            try:
                torch.manual_seed(0)
                function(writer)
            except Exception:
                print("not made:", name)
                traceback.print_exc(limit=3)
            print(name, writer.count, flush=True)


if __name__ == "__main__":
    main()
