"""Compiled neural networks as Apple's compiler lays them out: a writer of folders, and an interpreter of them in float64.

The format is undocumented. Facts are from public descriptions and from public compiled models; the interpreter knows nothing of the engine.
Blobs have the axes seq, n, k, h, w here, whatever their rank is.
"""
import json
import pathlib
import struct

import numpy as np
import torch
import torch.nn.functional as functional

AXES = ("w", "h", "k", "n", "seq")


# MARK: writing

class Folder:
    """A network under construction."""

    def __init__(self, transforms=None):
        self.layers, self.shapes, self.blobs, self.transforms = [], {}, {}, transforms

    def blob(self, values, dtype="<f4", padding=0):
        """Adds a section; odd numbers have values, even ones fill up."""
        number = 2 * len(self.blobs) + 1
        self.blobs[number] = np.asarray(values).astype(dtype).tobytes() + bytes(padding)
        return number

    def shape(self, name, extents, rank=True):
        """The shape of a blob. Without rank, as compilers before the exact mapping wrote it."""
        full = [1] * (5 - len(extents)) + list(extents)
        entry = {axis: extent for axis, extent in zip(("seq", "n", "k", "h", "w"), full)}
        if rank:
            entry["_rank"] = len(extents)
        if entry["seq"] == 1:
            del entry["seq"]
        self.shapes[name] = entry

    def layer(self, type, bottom, top, **fields):
        self.layers.append({"type": type, "name": f"{type}_{len(self.layers)}", "bottom": bottom, "top": top, "weights": {}, **fields})

    def net(self):
        net = {"storage": "model.espresso.weights", "analyses": {}, "properties": {}, "format_version": 200, "metadata_in_weights": [],
               "layers": self.layers}
        if self.transforms is not None:
            net["transform_params"] = self.transforms
        return net

    def weights(self):
        sections = {0: bytes(56)}
        for number, content in self.blobs.items():
            sections[number - 1] = sections.get(number - 1, b"")
            sections[number] = content
        order = sorted(sections)
        table = struct.pack("<Q", len(order)) + b"".join(struct.pack("<QQ", n, len(sections[n])) for n in order)
        return table + b"".join(sections[n] for n in order)

    def write(self, path, description, kind=500, labels=None, probabilities="", version=4, model_data=None):
        """`description` is a serialised `ModelDescription`."""
        path = pathlib.Path(path)
        path.mkdir(parents=True, exist_ok=True)
        (path / "model.espresso.net").write_text(json.dumps(self.net(), indent=1))
        (path / "model.espresso.shape").write_text(json.dumps({"layer_shapes": self.shapes}, indent=1))
        (path / "model.espresso.weights").write_bytes(self.weights())
        (path / "coremldata.bin").write_bytes(compiled_data(description, kind, labels, probabilities, version))
        if model_data is not None:
            (path / "model").mkdir(exist_ok=True)
            (path / "model" / "coremldata.bin").write_bytes(model_data)


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def compiled_data(description, kind, labels=None, probabilities="", version=4):
    header = struct.pack("<II", kind, 3) + bytes(20)
    data = header + text("generic") + struct.pack("<Q", version) + bytes(24) + struct.pack("<Q", len(description)) + description
    data += struct.pack("<Q", kind)
    if labels is not None:
        strings = isinstance(labels[0], str)
        data += struct.pack("<QQ", 100 if strings else 101, len(labels))
        data += b"".join(text(label) if strings else struct.pack("<q", label) for label in labels) + text(probabilities)
    return data


def transform_data(scales, biases, grays):
    """`model/coremldata.bin`: eight maps from inputs to numbers, of which the last five are biases, those of grey, and factors."""
    def table(values):
        return struct.pack("<Q", len(values)) + b"".join(text(name) + struct.pack("<f", value) for name, value in values.items())
    zeros = {name: 0.0 for name in scales}
    ones = {name: 1.0 for name in scales}
    return b"".join(table(m) for m in (ones, zeros, zeros, biases, biases, biases, grays, scales))


# MARK: reading

def read(path):
    path = pathlib.Path(path)
    net = json.loads((path / "model.espresso.net").read_text())
    shapes = json.loads((path / "model.espresso.shape").read_text())["layer_shapes"]
    data = (path / net["storage"]).read_bytes()
    count, = struct.unpack_from("<Q", data)
    blobs, offset = {}, 8 + 16 * count
    for index in range(count):
        number, size = struct.unpack_from("<QQ", data, 8 + 16 * index)
        blobs[number] = data[offset:offset + size]
        offset += size
    assert offset == len(data)
    return net, shapes, blobs


def read_transforms(path, net):
    """The transforms of images by input. Compilers that do not write them to the net wrote `model/coremldata.bin`."""
    if "transform_params" in net:
        return net["transform_params"]
    data, position, tables = (pathlib.Path(path) / "model" / "coremldata.bin").read_bytes(), 0, []
    for _ in range(8):
        count, = struct.unpack_from("<Q", data, position)
        position, table = position + 8, {}
        for _ in range(count):
            length, = struct.unpack_from("<Q", data, position)
            name = data[position + 8:position + 8 + length].decode()
            table[name], = struct.unpack_from("<f", data, position + 8 + length)
            position += 12 + length
        tables.append(table)
    fields = ("bias_r", "bias_g", "bias_b", "bias_a", "scale")
    return {name: {"is_network_bgr": 0, **dict(zip(fields, (table[name] for table in tables[3:])))} for name in tables[7]}


class Interpreter:
    """Runs a network in float64. Inputs and outputs are arrays of the blobs' own ranks, [seq, n, k, h, w] where the file has none."""

    def __init__(self, path):
        self.net, self.shapes, self.sections = read(path)
        self.path = path
        self.ranks = {}

    def rank(self, name):
        return self.shapes.get(name, {}).get("_rank", 5)

    def section(self, number, count, half=False):
        values = np.frombuffer(self.sections[number], "<f2" if half else "<f4")
        return torch.from_numpy(values[:count].astype(np.float64))

    def run(self, inputs, pixels=()):
        """`pixels` names inputs that are images with samples from 0 to 255, to which the transform applies."""
        blobs = {}
        for name, value in inputs.items():
            value = torch.as_tensor(np.asarray(value, np.float64))
            if name in pixels:
                value = self.transformed(name, value)
            blobs[name] = value.reshape([1] * (5 - value.ndim) + list(value.shape))
        for layer in self.net["layers"]:
            bottoms = layer["bottom"].split(",")
            result = getattr(self, "layer_" + layer["type"])(layer, *[blobs[b] for b in bottoms])
            if layer.get("fused_relu") or layer.get("has_relu"):
                result = torch.relu(result)
            if layer.get("fused_tanh") or layer.get("has_tanh"):
                result = torch.tanh(result)
            blobs[layer["top"]] = result
        return {name: self.own(name, value) for name, value in blobs.items()}

    def own(self, name, value):
        rank = self.rank(name)
        assert all(e == 1 for e in value.shape[:5 - rank]), (name, value.shape, rank)
        return value.reshape(value.shape[5 - rank:]).numpy()

    def transformed(self, name, value):
        fields = read_transforms(self.path, self.net)[name]
        biases = [fields["bias_" + c] for c in ("rgb" if value.shape[-3] == 3 else "a")]
        if fields["is_network_bgr"]:
            biases.reverse()
        return value * fields["scale"] + torch.tensor(biases, dtype=torch.float64)[:, None, None]

    # Windows

    @staticmethod
    def images(x):
        return x.reshape(-1, *x.shape[2:])

    def padded(self, x, layer, kernel, strides, dilations, value):
        if layer.get("pad_mode", 0) == 1:
            amounts = []
            for extent, size, stride, dilation in zip(x.shape[-2:], kernel, strides, dilations):
                total = max((-(-extent // stride) - 1) * stride + (size - 1) * dilation + 1 - extent, 0)
                amounts.append((total // 2, total - total // 2))
        elif layer.get("pad_mode", 0) == 2:
            amounts = [(0, 0), (0, 0)]
        else:
            amounts = [(layer.get("pad_t", 0), layer.get("pad_b", 0)), (layer.get("pad_l", 0), layer.get("pad_r", 0))]
        (top, bottom), (left, right) = amounts
        return functional.pad(x, (left, right, top, bottom), value=value)

    def matrix(self, layer, count):
        half = "blob_weights" not in layer
        return self.section(layer["blob_weights_f16" if half else "blob_weights"], count, half)

    def bias(self, layer, count):
        return self.section(layer["blob_biases"], count) if layer["has_biases"] else None

    def layer_convolution(self, layer, x):
        kernel, strides = (layer["Ny"], layer["Nx"]), (layer.get("stride_y", 1), layer.get("stride_x", 1))
        dilations = (layer.get("dilation_y", 1), layer.get("dilation_x", 1))
        shape = (layer["C"], layer["K"] // layer["n_groups"], *kernel)
        weights = self.matrix(layer, int(np.prod(shape))).reshape(shape)
        image = self.padded(self.images(x), layer, kernel, strides, dilations, 0)
        y = functional.conv2d(image, weights, self.bias(layer, layer["C"]), strides, 0, dilations, layer["n_groups"])
        return y.reshape(x.shape[0], x.shape[1], *y.shape[1:])

    def layer_deconvolution(self, layer, x):
        kernel, strides = (layer["Ny"], layer["Nx"]), (layer.get("stride_y", 1), layer.get("stride_x", 1))
        shape = (layer["K"], layer["C"] // layer["n_groups"], *kernel)
        weights = self.matrix(layer, int(np.prod(shape))).reshape(shape)
        y = functional.conv_transpose2d(self.images(x), weights, self.bias(layer, layer["C"]), strides, groups=layer["n_groups"])
        y = y[..., layer.get("pad_t", 0):y.shape[-2] - layer.get("pad_b", 0), layer.get("pad_l", 0):y.shape[-1] - layer.get("pad_r", 0)]
        return y.reshape(x.shape[0], x.shape[1], *y.shape[1:])

    def layer_pool(self, layer, x):
        image = self.images(x)
        if layer.get("is_global"):
            y = {0: lambda: image.mean((-2, -1), True), 1: lambda: image.amax((-2, -1), True),
                 2: lambda: image.square().sum((-2, -1), True).sqrt()}[layer["avg_or_max"]]()
            return y.reshape(x.shape[0], x.shape[1], *y.shape[1:])
        kernel, strides = (layer["size_y"], layer["size_x"]), (layer.get("stride_y", 1), layer.get("stride_x", 1))
        kind = layer["avg_or_max"]
        filler = float("-inf") if kind == 1 else 0
        padded = self.padded(image, layer, kernel, strides, (1, 1), filler)
        ones = self.padded(torch.ones_like(image), layer, kernel, strides, (1, 1), 0)
        if layer.get("top_shape_style", 0) == 2:
            # The last pixel is in a window, which must begin inside of the image or the padding before it.
            more = []
            for extent, size, stride, first, own in zip(
                    padded.shape[-2:], kernel, strides, (layer.get("pad_t", 0), layer.get("pad_l", 0)), image.shape[-2:]):
                count = -(-(extent - size) // stride) + 1
                if (count - 1) * stride >= own + first:
                    count -= 1
                more.append(max((count - 1) * stride + size - extent, 0))
            padded = functional.pad(padded, (0, more[1], 0, more[0]), value=filler)
            ones = functional.pad(ones, (0, more[1], 0, more[0]))
        windows = padded.unfold(-2, kernel[0], strides[0]).unfold(-2, kernel[1], strides[1])
        if kind == 1:
            y = windows.amax((-2, -1))
        elif kind == 2:
            y = windows.square().sum((-2, -1)).sqrt()
        else:
            counts = ones.unfold(-2, kernel[0], strides[0]).unfold(-2, kernel[1], strides[1]).sum((-2, -1))
            y = windows.sum((-2, -1)) / (counts if layer.get("average_count_exclude_padding") else kernel[0] * kernel[1])
        return y.reshape(x.shape[0], x.shape[1], *y.shape[1:])

    def layer_upsample(self, layer, x):
        image = self.images(x)
        factors = (layer["scaling_factor_y"], layer["scaling_factor_x"])
        if layer.get("use_fractional_scale_factors"):
            factors = (layer["fractional_scaling_factor_y"], layer["fractional_scaling_factor_x"])
        for axis, factor in zip((-2, -1), factors):
            extent = image.shape[axis]
            count = int(np.floor(extent * factor))
            if layer["mode"] == 0:
                image = image.index_select(axis, torch.tensor(np.minimum((np.arange(count) / factor).astype(int), extent - 1)))
                continue
            if layer.get("align_corners") and not layer.get("is_legacy_mode", 0):
                places = np.arange(count) * ((extent - 1) / (count - 1) if count > 1 else 0)
            elif "align_corners" in layer and not layer.get("is_legacy_mode", 0):
                places = np.clip((np.arange(count) + 0.5) / factor - 0.5, 0, extent - 1)
            else:
                places = np.minimum(np.arange(count) / factor, extent - 1)
            low = np.floor(places).astype(int)
            high = np.minimum(low + 1, extent - 1)
            part = torch.tensor(places - low)
            part = part[:, None] if axis == -2 else part
            image = image.index_select(axis, torch.tensor(low)) * (1 - part) + image.index_select(axis, torch.tensor(high)) * part
        return image.reshape(x.shape[0], x.shape[1], *image.shape[1:])

    # Products and normalisation

    def layer_inner_product(self, layer, x):
        weights = self.matrix(layer, layer["nB"] * layer["nC"]).reshape(layer["nC"], layer["nB"])
        bias = self.bias(layer, layer["nC"])
        # Vectors lie in the last three axes of images, in the last one of others.
        if self.rank(layer["bottom"]) > 3:
            y = functional.linear(x.reshape(-1, layer["nB"]), weights, bias)
            return y.reshape(x.shape[0], x.shape[1], layer["nC"], 1, 1)
        return functional.linear(x, weights, bias)

    def layer_batchnorm(self, layer, x):
        gamma, beta, mean, variance = self.section(layer["blob_batchnorm_params"], 4 * layer["C"]).reshape(-1, 4).T[..., None, None]
        if not layer.get("training"):
            return gamma * (x - mean) / variance.sqrt() + beta
        axes = (-2, -1) if layer.get("training_instancenorm") else (0, 1, -2, -1)
        mean, variance = x.mean(axes, True), x.var(axes, keepdim=True, unbiased=False)
        return gamma * (x - mean) / (variance + layer["training_eps"]).sqrt() + beta

    def layer_softmax(self, layer, x):
        return x.softmax(-3)

    def layer_softmax_nd(self, layer, x):
        axis, rank = layer["nd_axis"], self.rank(layer["bottom"])
        return x.softmax(axis if axis < 0 else axis - rank)

    # Pointwise

    def layer_activation(self, layer, x):
        alpha, beta = layer.get("alpha", 0), layer.get("beta", 0)
        return {
            0: lambda: torch.relu(x), 1: lambda: torch.tanh(x), 2: lambda: torch.where(x >= 0, x, alpha * x), 3: lambda: torch.sigmoid(x),
            5: lambda: alpha * torch.tanh(beta * x), 6: lambda: alpha * x + beta, 7: lambda: (alpha * x + beta).clamp(0, 1),
            8: lambda: torch.where(x >= 0, x, alpha * torch.expm1(x)), 9: lambda: torch.where(x >= alpha, x, torch.zeros_like(x)),
            10: lambda: functional.softplus(x), 12: lambda: x / (1 + x.abs()), 19: lambda: functional.gelu(x), 20: lambda: torch.erf(x),
            21: lambda: functional.gelu(x, approximate="tanh"), 22: lambda: x * torch.sigmoid(1.702 * x),
        }[layer["mode"]]()

    def layer_elementwise(self, layer, *x):
        code, alpha, beta = layer["operation"], layer.get("alpha", 1), layer.get("beta", 0)
        if len(x) == 1:
            x = x[0]
            return {
                0: lambda: x + alpha, 1: lambda: x * alpha, 2: lambda: x + alpha, 3: lambda: x * alpha, 10: lambda: 1 / x,
                11: lambda: x.sqrt(), 12: lambda: x.rsqrt(), 13: lambda: x ** alpha, 24: lambda: x.abs(), 26: lambda: x.log(),
                27: lambda: x.exp(), 35: lambda: x.exp2(), 38: lambda: x.sign(), 115: lambda: x.sin(), 117: lambda: x.floor(),
                118: lambda: x.ceil(), 119: lambda: x.clamp(alpha, beta), 124: lambda: x.tanh(),
            }[code]()
        result = x[0]
        for other in x[1:]:
            result = {
                0: torch.add, 1: torch.mul, 13: torch.pow, 22: torch.minimum, 23: torch.maximum, 33: torch.sub, 102: torch.div,
            }[code](result, other)
        return result

    # Shapes

    def layer_concat(self, layer, *x):
        return torch.cat(x, -3)

    def layer_general_concat(self, layer, *x):
        axis, rank = layer["axis"], self.rank(layer["bottom"].split(",")[0])
        return torch.cat(x, axis if axis < 0 else axis - rank)

    def layer_flatten(self, layer, x):
        if layer.get("mode", 0) == 1:
            x = x.permute(0, 1, 3, 4, 2)
        return x.reshape(x.shape[0], x.shape[1], -1, 1, 1)

    def layer_reshape(self, layer, x):
        shape = [layer[f"dst_{axis}"] for axis in ("seq", "n", "k", "h", "w")]
        if "dst_nd_rank" in layer:
            return x.reshape(shape)
        shape[0] = max(shape[0], 1)
        images = x.permute(0, 1, 3, 4, 2) if layer["mode"] == 1 else x
        images = images.reshape(shape[0], -1, *([shape[3], shape[4], shape[2]] if layer["mode"] == 1 else shape[2:]))
        return images.permute(0, 1, 4, 2, 3) if layer["mode"] == 1 else images

    def layer_transpose(self, layer, x):
        sources = [layer[f"axis_{axis}"] for axis in AXES]
        return x.permute([4 - sources[4 - position] for position in range(5)])

    def layer_copy(self, layer, x):
        return x
