"""Modules that the exporter writes as MPS payloads."""
import math

import torch
from torch.nn import functional as F

from mps_cases.payload import flags, integers, random

put = torch.ops.aten.index_put

EXPORTED = {}


def exported(*inputs, half=True, tolerance=1e-5, half_tolerance=1e-2):
    """Registers a function of the inputs as a module. `half`: also with half precision."""
    def register(function):
        EXPORTED[function.__name__] = (Function(function), inputs, half, tolerance, half_tolerance)
        return function
    return register


def exported_module(name, module, *inputs, half=True, tolerance=1e-5, half_tolerance=1e-2):
    for parameter in module.parameters():
        parameter.data = random(*parameter.shape, low=-0.6, high=0.6)
    for key, buffer in module.named_buffers():
        if buffer.is_floating_point():
            buffer.copy_(random(*buffer.shape, low=0.4, high=1.6))
    EXPORTED[name] = (module, inputs, half, tolerance, half_tolerance)


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


@exported(random(3, 5, low=-0.9, high=0.9))
def unary_near_zero(x):
    return [f(x) for f in (
        torch.exp, torch.exp2, torch.erf, torch.sigmoid, torch.sin, torch.cos, torch.tan, torch.asin, torch.acos, torch.atan, torch.sinh,
        torch.cosh, torch.tanh, torch.asinh, torch.atanh, torch.neg, torch.abs, torch.square)]


@exported(random(3, 5, low=0.2, high=4.0))
def unary_positive(x):
    return [f(x) for f in (torch.reciprocal, torch.sqrt, torch.log, torch.log10, torch.log2, torch.rsqrt)] + [torch.acosh(x + 1)]


SPECIAL = torch.tensor([0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, -7.25, math.inf, -math.inf, math.nan])


@exported(SPECIAL)
def unary_special(x):
    return [torch.floor(x), torch.ceil(x), torch.round(x), torch.sign(x), torch.isnan(x), torch.isinf(x), torch.logical_not(x), F.relu(x),
            torch.abs(x), F.hardtanh(x), torch.clamp(x, -1, 2)]


@exported(integers(2, 6), flags(5), half=False)
def unary_integers(x, b):
    return [torch.abs(x), torch.neg(x), torch.sign(x), torch.bitwise_not(x), torch.bitwise_not(b), torch.logical_not(b),
            torch.logical_not(x), torch.exp(x * 0 + 1), torch.sqrt(torch.abs(x)), torch.relu(x)]


@exported(random(2, 3, 4), random(3, 1, low=0.5), random(4, low=1.0))
def binary(x, y, z):
    return [torch.add(x, y, alpha=2), torch.sub(x, z, alpha=0.5), x * y, x / z, torch.div(x, y, rounding_mode="floor"),
            torch.fmod(x, y), torch.remainder(x, y), torch.minimum(x, y), torch.maximum(x, z), torch.pow(z, x), x + y]


@exported(random(2, 3), half_tolerance=2e-2)
def binary_with_numbers(x):
    return [x + 2, x - 2.5, x * 3, x / 4, 2 - x, torch.fmod(x, 0.7), torch.remainder(x, 0.7), x**2, x**3, torch.abs(x)**0.5, 2.0**x]


@exported(random(2, 3))
def rounded_quotients(x):
    return [x // 0.3, torch.div(x, 0.3, rounding_mode="floor"), torch.div(x, 0.3, rounding_mode="trunc")]


@exported(integers(2, 3), integers(3, low=1), half=False)
def binary_integers(x, y):
    return [x + y, x - 3, x * y, x / y, x // y, torch.div(x, y, rounding_mode="trunc"), torch.fmod(x, y), torch.remainder(x, y),
            torch.minimum(x, y), torch.abs(x)**2, x & y, x | y, x ^ y, x & 6, x | 6, x ^ 6]


@exported(integers(2, 3), integers(3, dtype=torch.int64), random(3), flags(2, 1))
def promotion(i, l, f, b):
    return [i + l, i * f, l + f, i + 1.5, l * 2, b + i, b * f, torch.where(b, i, f), i > f, i == l, b & (f > 0)]


@exported(random(2, 3))
def conversions(x):
    return [x.to(torch.int32) + 1, (x > 0).to(torch.float32) * x, x.to(torch.int64) * 2, x.clone()]


@exported(torch.tensor([1.0, 2.0, 3.0, math.nan, -0.0]), torch.tensor([1.0, 3.0, 2.0, math.nan, 0.0]))
def comparisons(x, y):
    return [x == y, x != y, x >= y, x > y, x <= y, x < y, x == 2, x != 2, x >= 2, x > 2, x <= 2, x < 2]


@exported(flags(7), flags(7), half=False)
def bits_of_flags(x, y):
    return [x & y, x | y, x ^ y]


@exported(random(3, 4, low=-8, high=8))
def activations(x):
    return [F.relu(x), F.relu6(x), F.leaky_relu(x), F.leaky_relu(x, 0.2), F.gelu(x), F.gelu(x, approximate="tanh"), F.hardtanh(x, -3, 2),
            F.elu(x), F.silu(x), F.softmax(x, 1), F.log_softmax(x, 0), F.hardswish(x), torch.clamp(x, min=-1), torch.clamp(x, max=1),
            torch.clamp(x, -1.5, 2.5)]


@exported(integers(9), half=False)
def bounds_of_integers(x):
    return [torch.clamp(x, -3, 4), torch.clamp(x, min=0), torch.clamp(x, max=-1)]


@exported(random(2, 3))
def created(x):
    return [x + torch.full((3,), 2.5), torch.full_like(x, -1.0), torch.zeros(2, 1) * x, x * torch.ones_like(x), torch.arange(0, 6, 2) + x,
            torch.arange(3.0) * x, torch.full((2,), -math.inf), torch.full((2, 2), 7), torch.scalar_tensor(4.0) * x]


@exported(random(4, 3, 5), torch.tensor([2, 0, 1]), torch.tensor([[0, 3], [1, 2]]))
def gathered(x, i, m):
    return [torch.index_select(x, 1, i), torch.index_select(x, 2, torch.tensor(3)), x[i], x[:, i], x[:, :, i], x[m], x[-i], x[:, m[0] // 2]]


@exported(random(4, 3, 5), torch.tensor([2, 0, 1]), torch.tensor([[0, 2], [1, 2]]))
def gathered_by_several(x, i, m):
    return [x[i, i], x[i, i, i], x[i, :, i], x[:, i, i], x[m, m[0]], x[m, :, i[:2]]]


@exported(random(4, 3), torch.tensor([2, 0]), random(2, 3), random(3))
def replaced(x, i, rows, row):
    return [put(x, [i], rows), put(x, [i], row), put(x, [None, i], torch.tensor(5.0)), put(x, [i, i], row[:2]),
            torch.slice_scatter(x, rows, 0, 1, 3), torch.slice_scatter(x, rows, 0, 0, 4, 2)]


@exported(random(3, 3, 3), torch.tensor([2, 0]), random(3, 2))
def replaced_inside(x, i, values):
    return [put(x, [None, i, i], values), put(x, [i, None, i], values.T), put(x, [i], torch.tensor(2.0))]


@exported(random(2, 3, 4))
def reduced(x):
    return [x.mean(1), x.mean((0, 2)), x.mean(-1, keepdim=True), x.mean((1, 2), keepdim=True)]


@exported(random(2, 3, 4))
def moved(x):
    return [x.permute(2, 0, 1), x.transpose(1, 2).reshape(2, 12), x.view(6, -1), x[:, :1].expand(2, 3, 4), x.unsqueeze(1), x.unsqueeze(-1),
            x[:, :1].squeeze(1), x.select(1, -1), x[1], x[:, 1:], x[:, :, ::2], x[:, :, -3:-1], x.flatten(), x[:1, :1, :1].squeeze()]


@exported(random(2, 3), random(2, 1), torch.zeros(0))
def joined(x, y, none):
    return [torch.cat([x, y], 1), torch.cat([x, y.expand(2, 3)], -2), torch.stack([x, x + 1], 1), torch.cat([none, x[0]])]


@exported(random(2, 5, 3))
def divided(x):
    return [*torch.split(x, [1, 3, 1], 1), *torch.split(x, 2, -2), *torch.unbind(x, 2), *torch.chunk(x, 2, 1)]


@exported(random(1, 8, 2, 3))
def shuffled(x):
    return [F.pixel_shuffle(x, 2), F.pixel_shuffle(x[0], 2), F.pixel_shuffle(x, 1)]


@exported(random(2, 3, 4))
def padded(x):
    return [F.pad(x, (1, 2)), F.pad(x, (0, 1, 2, 0), value=1.5), F.pad(x, (-1, 1)), F.pad(x, (1, 0, 0, 0, 0, 2), value=-1.0)]


@exported(random(1, 2, 7, 8))
def pooled(x):
    return [F.max_pool2d(x, 2, 2), F.max_pool2d(x, (3, 2), (2, 1), (1, 0)), F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
            F.max_pool2d(x, 2, 1, 0, dilation=(2, 3)), F.avg_pool2d(x, 2, 2), F.avg_pool2d(x, 3, 2, 1),
            F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
            F.avg_pool2d(x, (2, 3), (2, 1), divisor_override=5), *F.max_pool2d(x, 3, 2, 1, return_indices=True)]


@exported(random(3, 4), random(4, 2), random(2), random(2, 3, 4), random(2, 4, 2))
def products(a, b, bias, c, d):
    return [a @ b, torch.addmm(bias, a, b), torch.bmm(c, d), torch.matmul(c, b), a @ b[:, 0]]


for width in (1, 2, 3):
    kind, shape = getattr(torch.nn, f"Conv{width}d"), {1: (2, 3, 9), 2: (2, 3, 7, 6), 3: (1, 3, 5, 4, 4)}[width]
    exported_module(f"convolution{width}", kind(3, 4, 3), random(*shape))
    exported_module(f"convolution{width}_strided", kind(3, 4, 3, stride=2, padding=1, dilation=1, bias=False), random(*shape))
    transposed = getattr(torch.nn, f"ConvTranspose{width}d")
    exported_module(f"transposed{width}", transposed(3, 4, 3, stride=2, padding=1, output_padding=1), random(*shape))
exported_module("convolution2_dilated", torch.nn.Conv2d(3, 6, (3, 2), stride=(1, 2), padding=(2, 1), dilation=(2, 1), groups=3), random(1, 3, 7, 8))
exported_module("convolution1_groups", torch.nn.Conv1d(4, 8, 3, groups=4), random(1, 4, 7))
exported_module("depthwise", torch.nn.Conv2d(3, 3, 3, padding=1, groups=3), random(1, 3, 6, 6))
exported_module("depthwise_strided", torch.nn.Conv2d(3, 6, 3, stride=2, groups=3, bias=False), random(1, 3, 7, 7))
exported_module("image_without_batch", torch.nn.Conv2d(3, 4, 3), random(3, 5, 6))
exported_module("batch_norm1", torch.nn.BatchNorm1d(3), random(2, 3, 4))
exported_module("batch_norm2", torch.nn.BatchNorm2d(3), random(2, 3, 4, 2))
exported_module("batch_norm_plain", torch.nn.BatchNorm2d(3, affine=False), random(1, 3, 2, 2))
exported_module("layer_norm", torch.nn.LayerNorm(6), random(2, 3, 6))
exported_module("layer_norm_plain", torch.nn.LayerNorm((3, 6), elementwise_affine=False), random(2, 3, 6))
exported_module("layer_norm_without_bias", torch.nn.LayerNorm(6, bias=False), random(3, 6))
exported_module("linear", torch.nn.Linear(5, 3), random(2, 5))
exported_module("linear_without_bias", torch.nn.Linear(5, 3, bias=False), random(2, 2, 5))
exported_module("embedding", torch.nn.Embedding(7, 3, padding_idx=2), torch.tensor([[1, 2, 6], [0, 2, 3]]))


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 3, padding=1), torch.nn.BatchNorm2d(4), torch.nn.ReLU6(), torch.nn.MaxPool2d(2, 2),
            torch.nn.Conv2d(4, 4, 3, padding=1, groups=4), torch.nn.Hardswish(), torch.nn.ConvTranspose2d(4, 2, 2, stride=2))
        self.classifier = torch.nn.Linear(2, 3)

    def forward(self, x):
        return F.softmax(self.classifier(self.features(x).mean((2, 3))), 1)


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.norm = torch.nn.Embedding(11, 8), torch.nn.LayerNorm(8)
        self.query, self.key, self.value = (torch.nn.Linear(8, 8) for _ in range(3))

    def forward(self, tokens):
        x = self.norm(self.table(tokens))
        q, k, v = (layer(x).view(1, 4, 2, 4).transpose(1, 2) for layer in (self.query, self.key, self.value))
        mask = torch.full((4, 4), -math.inf).triu(1)
        return x + (F.softmax(q @ k.transpose(2, 3) / 2 + mask, -1) @ v).transpose(1, 2).reshape(1, 4, 8)


exported_module("network", Network(), random(1, 3, 8, 6))
exported_module("attention", Attention(), torch.tensor([[3, 0, 10, 7]]))
