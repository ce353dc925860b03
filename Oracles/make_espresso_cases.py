"""Makes recorded cases of neural networks in the form of Apple's compiler, and compiled models that are refused.

    make_espresso_cases.py --out DIRECTORY

The folders are written by espresso.py from public facts about the format; the expected outputs are those of its interpreter, in float64.
Tests/Fixtures/espresso has the result. `refused` holds folders that only describe: compressed, encrypted, of other kinds.
"""

import argparse
import json
import pathlib
import shutil

import numpy as np
from coremltools.proto import FeatureTypes_pb2, Model_pb2
from PIL import Image

from espresso import Folder, Interpreter, compiled_data, transform_data

COLORS = {"rgb": FeatureTypes_pb2.ImageFeatureType.RGB, "bgr": FeatureTypes_pb2.ImageFeatureType.BGR,
          "gray": FeatureTypes_pb2.ImageFeatureType.GRAYSCALE}
rng = np.random.default_rng(29)


def values(*shape, scale=1.0):
    return (rng.standard_normal(shape) * scale).astype(np.float32)


class Case:
    """A model, its inputs, and the folder where both go."""

    def __init__(self, out, name, transforms=None, rank=True):
        self.path, self.name, self.rank = pathlib.Path(out) / name, name, rank
        self.folder, self.description = Folder(transforms), Model_pb2.ModelDescription()
        self.inputs, self.outputs, self.pixels, self.images = {}, [], [], {}

    def input(self, name, *shape, value=None):
        feature = self.description.input.add(name=name)
        feature.type.multiArrayType.shape.extend(shape)
        feature.type.multiArrayType.dataType = FeatureTypes_pb2.ArrayFeatureType.FLOAT32
        # Without the exact mapping, a vector is one of channels.
        self.folder.shape(name, shape if self.rank or len(shape) > 1 else (*shape, 1, 1), self.rank)
        self.inputs[name] = values(*shape) if value is None else value

    def image(self, name, color, height, width):
        feature = self.description.input.add(name=name).type.imageType
        feature.height, feature.width, feature.colorSpace = height, width, COLORS[color]
        channels = 1 if color == "gray" else 3
        self.folder.shape(name, (1, channels, height, width), self.rank)
        self.inputs[name] = rng.integers(0, 256, (1, channels, height, width)).astype(np.float32)
        self.pixels.append(name)
        self.images[name] = color

    def output(self, name, *shape):
        feature = self.description.output.add(name=name)
        feature.type.multiArrayType.shape.extend(shape)
        feature.type.multiArrayType.dataType = FeatureTypes_pb2.ArrayFeatureType.FLOAT32
        self.outputs.append(name)

    def layer(self, type, bottom, top, *shape, **fields):
        self.folder.layer(type, bottom, top, **fields)
        for name, extents in zip(top.split(","), [shape] if shape and not isinstance(shape[0], tuple) else shape):
            self.folder.shape(name, extents, self.rank)

    def finish(self, expected=None, **options):
        if self.path.exists():
            shutil.rmtree(self.path)
        model = self.path / "model.mlmodelc"
        self.folder.write(model, self.description.SerializeToString(), **options)
        blobs = Interpreter(model).run(self.inputs, self.pixels)
        case = {"name": self.name, "family": "espresso", "model": "model.mlmodelc", "inputs": {}, "outputs": {}, "rtol": 1e-4, "atol": 1e-5}
        for name, value in self.inputs.items():
            if name not in self.pixels:
                np.save(self.path / f"in_{name}.npy", value)
                case["inputs"][name] = {"file": f"in_{name}.npy"}
                continue
            samples = value[0, ::-1] if self.images[name] == "bgr" else value[0]
            samples = samples.astype(np.uint8).transpose(1, 2, 0)
            Image.fromarray(samples[..., 0] if self.images[name] == "gray" else samples).save(self.path / f"in_{name}.png")
            case["inputs"][name] = {"image": f"in_{name}.png"}
        for name in self.outputs:
            value = blobs[name].astype(np.float32)
            declared = next(f for f in self.description.output if f.name == name).type.multiArrayType.shape
            np.save(self.path / f"out_{name}.npy", value.reshape(declared or value.shape))
            case["outputs"][name] = {"file": f"out_{name}.npy"}
        case.update(expected or {})
        (self.path / "case.json").write_text(json.dumps(case, indent=1))
        return blobs


# MARK: parts of layers

def convolution(case, inputs, outputs, kernel, groups=1, half=False, bias=True, padding=0, deconvolution=False):
    per_group = (inputs, outputs // groups) if deconvolution else (outputs, inputs // groups)
    weights = values(*per_group, *kernel, scale=0.5)
    fields = {"C": outputs, "K": inputs, "Ny": kernel[0], "Nx": kernel[1], "n_groups": groups, "n_parallel": 1, "has_batch_norm": 0,
              "has_biases": int(bias), "pad_t": 0, "pad_b": 0, "pad_l": 0, "pad_r": 0, "pad_mode": 0, "pad_fill_mode": 0, "pad_value": 0,
              "fused_relu": 0, "fused_tanh": 0}
    if bias:
        fields["blob_biases"] = case.folder.blob(values(outputs), padding=padding)
    fields["blob_weights_f16" if half else "blob_weights"] = case.folder.blob(weights, "<f2" if half else "<f4")
    return fields


def product(case, inputs, outputs, half=False, bias=True):
    fields = {"nB": inputs, "nC": outputs, "has_biases": int(bias), "has_relu": 0, "has_tanh": 0, "has_prelu": 0}
    if bias:
        # Compilers leave space for more.
        fields["blob_biases"] = case.folder.blob(values(outputs), padding=12 * outputs)
    fields["blob_weights_f16" if half else "blob_weights"] = case.folder.blob(
        values(outputs, inputs, scale=0.3), "<f2" if half else "<f4")
    return fields


def window(size, stride=1, **fields):
    return {"size_y": size[0], "size_x": size[1], "stride_y": stride, "stride_x": stride, "pad_t": 0, "pad_b": 0, "pad_l": 0, "pad_r": 0,
            "pad_mode": 0, "pad_fill_mode": 0, "pad_value": 0, "top_shape_style": 0, "average_count_exclude_padding": 0, **fields}


# MARK: cases

def convolutions(out):
    case = Case(out, "convolution")
    case.input("x", 1, 4, 9, 7)
    forms = {
        "same": ((4, 6, (3, 5)), {}, {"pad_mode": 1}, (1, 6, 9, 7)),
        "same2": ((4, 6, (3, 3)), {}, {"pad_mode": 1, "stride_x": 2, "stride_y": 2}, (1, 6, 5, 4)),
        "valid": ((4, 2, (3, 2)), {"half": True}, {"pad_mode": 2, "stride_y": 2}, (1, 2, 4, 6)),
        "padded": ((4, 3, (3, 3)), {"bias": False}, {"pad_t": 1, "pad_b": 2, "pad_l": 0, "pad_r": 3, "stride_x": 2}, (1, 3, 10, 4)),
        "dilated": ((4, 4, (3, 3)), {"groups": 2}, {"pad_mode": 1, "dilation_x": 2, "dilation_y": 3}, (1, 4, 9, 7)),
        "depthwise": ((4, 8, (3, 3)), {"groups": 4, "padding": 32}, {"pad_mode": 2}, (1, 8, 7, 5)),
        "relu": ((4, 5, (1, 1)), {}, {"fused_relu": 1}, (1, 5, 9, 7)),
        "tanh": ((4, 5, (2, 2)), {"half": True}, {"fused_tanh": 1}, (1, 5, 8, 6)),
    }
    for name, (shape, options, fields, extents) in forms.items():
        case.layer("convolution", "x", name, *extents, **{**convolution(case, *shape, **options), **fields})
        case.output(name, *extents)
    case.finish()

    case = Case(out, "deconvolution")
    case.input("x", 1, 4, 5, 6)
    forms = {
        "plain": ((4, 3, (3, 2)), {}, {"stride_x": 2, "stride_y": 2}, (1, 3, 11, 12)),
        "cropped": ((4, 4, (4, 4)), {"bias": False}, {"stride_x": 2, "stride_y": 2, "pad_t": 1, "pad_b": 1, "pad_l": 1, "pad_r": 1},
                    (1, 4, 10, 12)),
        "depthwise": ((4, 4, (3, 3)), {"groups": 4}, {"fused_relu": 1}, (1, 4, 7, 8)),
    }
    for name, (shape, options, fields, extents) in forms.items():
        case.layer("deconvolution", "x", name, *extents, **{**convolution(case, *shape, deconvolution=True, **options), **fields})
        case.output(name, *extents)
    case.finish()


def pools(out):
    case = Case(out, "pool")
    case.input("x", 1, 3, 8, 9)
    forms = {
        "max": (window((2, 3), 2, avg_or_max=1, pad_mode=2), (1, 3, 4, 4)),
        "max_same": (window((3, 3), 2, avg_or_max=1, pad_mode=1), (1, 3, 4, 5)),
        "max_last": (window((3, 3), 2, avg_or_max=1, top_shape_style=2), (1, 3, 4, 4)),
        "max_last_padded": (window((3, 3), 3, avg_or_max=1, top_shape_style=2, pad_t=1, pad_b=1, pad_l=1, pad_r=1), (1, 3, 3, 4)),
        "average": (window((3, 2), 1, avg_or_max=0, pad_t=1, pad_b=1), (1, 3, 8, 8)),
        "average_own": (window((3, 3), 2, avg_or_max=0, pad_mode=1, average_count_exclude_padding=1), (1, 3, 4, 5)),
        "l2": (window((2, 2), 2, avg_or_max=2), (1, 3, 4, 4)),
        "all": (window((8, 9), 1, avg_or_max=0, is_global=1, average_count_exclude_padding=1), (1, 3, 1, 1)),
        "largest": (window((8, 9), 1, avg_or_max=1, is_global=1), (1, 3, 1, 1)),
    }
    for name, (fields, extents) in forms.items():
        case.layer("pool", "x", name, *extents, **fields)
        case.output(name, *extents)
    case.finish()


def upsampling(out):
    case = Case(out, "upsample")
    case.input("x", 1, 2, 4, 5)
    exact = {"use_fractional_scale_factors": False, "fractional_scaling_factor_x": 1, "fractional_scaling_factor_y": 1}
    forms = {
        "nearest": ({"mode": 0, "scaling_factor_x": 3, "scaling_factor_y": 2}, (1, 2, 8, 15)),
        "oldest": ({"mode": 1, "scaling_factor_x": 2, "scaling_factor_y": 2}, (1, 2, 8, 10)),
        "aligned": ({"mode": 1, "scaling_factor_x": 2, "scaling_factor_y": 3, "align_corners": 1, "is_legacy_mode": 0, **exact}, (1, 2, 12, 10)),
        "unaligned": ({"mode": 1, "scaling_factor_x": 2, "scaling_factor_y": 2, "align_corners": 0, "is_legacy_mode": 0, **exact}, (1, 2, 8, 10)),
    }
    for name, (fields, extents) in forms.items():
        case.layer("upsample", "x", name, *extents, **fields)
        case.output(name, *extents)
    case.finish()


def pointwise(out):
    case = Case(out, "activation")
    case.input("x", 1, 3, 2, 5)
    for mode, fields in {0: {}, 1: {}, 2: {"alpha": 0.2}, 3: {}, 5: {"alpha": 1.7, "beta": 0.6}, 6: {"alpha": 255, "beta": -3},
                         7: {"alpha": 0.3, "beta": 0.4}, 8: {"alpha": 0.9}, 9: {"alpha": 0.5}, 10: {}, 12: {}, 19: {}, 20: {}, 21: {},
                         22: {}}.items():
        case.layer("activation", "x", f"y{mode}", 1, 3, 2, 5, mode=mode, **fields)
        case.output(f"y{mode}", 1, 3, 2, 5)
    case.finish()

    case = Case(out, "elementwise")
    shape = (1, 3, 4, 5)
    case.input("x", *shape)
    case.input("z", *shape)
    case.input("c", 1, 3, 1, 1)
    case.input("p", *shape, value=np.abs(values(*shape)) + 0.5)
    one = {"alpha": 1, "beta": 0, "fused_relu": 0}
    forms = {
        "add": ("x,z", 0, {}), "add_relu": ("x,z", 0, {"fused_relu": 1}), "add_three": ("x,z,p", 0, {}), "mul_channel": ("x,c", 1, {}),
        "min": ("x,z", 22, {}), "max": ("x,z", 23, {}), "sub": ("x,c", 33, {"nd_mode": True}), "div": ("x,p", 102, {"nd_mode": True}),
        "pow": ("p,z", 13, {"nd_mode": True}), "add_number": ("x", 0, {"alpha": 0.25}), "add_number2": ("x", 2, {"alpha": 3}),
        "mul_number": ("x", 1, {"alpha": -2}), "mul_number3": ("x", 3, {"alpha": 0.1666666716337204}), "square": ("x", 13, {"alpha": 2}),
        "inverse": ("p", 10, {}), "sqrt": ("p", 11, {}), "rsqrt": ("p", 12, {}), "abs": ("x", 24, {}), "log": ("p", 26, {}),
        "exp": ("x", 27, {}), "clip": ("x", 119, {"alpha": 0, "beta": 6}), "sin": ("x", 115, {}), "floor": ("x", 117, {}),
        "ceil": ("x", 118, {}), "sign": ("x", 38, {}), "exp2": ("x", 35, {}), "tanh": ("x", 124, {}),
    }
    for name, (bottom, code, fields) in forms.items():
        case.layer("elementwise", bottom, name, *shape, operation=code, **{**one, **fields})
        case.output(name, *shape)
    case.finish()


def products(out):
    case = Case(out, "inner_product")
    case.input("row", 1, 12)
    case.input("steps", 2, 3, 12)
    case.input("image", 1, 12, 1, 1)
    case.input("flat", 1, 3, 2, 2)
    for name, bottom, options, fields, extents in (
            ("row_y", "row", {}, {}, (1, 5)), ("row_relu", "row", {"half": True}, {"has_relu": 1}, (1, 5)),
            ("row_tanh", "row", {"bias": False}, {"has_tanh": 1}, (1, 5)), ("steps_y", "steps", {}, {}, (2, 3, 5)),
            ("image_y", "image", {"half": True}, {}, (1, 5, 1, 1)), ("flat_y", "flat", {}, {}, (1, 5, 1, 1))):
        case.layer("inner_product", bottom, name, *extents, **{**product(case, 12, 5, **options), **fields})
        case.output(name, *extents)
    case.finish()


def normalization(out):
    case = Case(out, "batchnorm")
    case.input("x", 1, 4, 3, 5)
    parameters = np.stack([values(4), values(4), values(4), np.abs(values(4)) + 0.3], 1)
    case.layer("batchnorm", "x", "stored", 1, 4, 3, 5, C=4, blob_batchnorm_params=case.folder.blob(parameters))
    case.layer("batchnorm", "x", "instance", 1, 4, 3, 5, C=4, blob_batchnorm_params=case.folder.blob(parameters), training=1,
               training_instancenorm=1, training_eps=9.999999974752427e-07, training_momentum=0.9)
    case.layer("softmax", "x", "softmax", 1, 4, 3, 5, C=2)
    case.layer("softmax_nd", "x", "softmax_last", 1, 4, 3, 5, nd_axis=-1)
    case.layer("softmax_nd", "x", "softmax_second", 1, 4, 3, 5, nd_axis=2)
    for name in ("stored", "instance", "softmax", "softmax_last", "softmax_second"):
        case.output(name, 1, 4, 3, 5)
    case.finish()


def shapes(out):
    case = Case(out, "shapes")
    case.input("x", 1, 4, 3, 6)
    case.input("m", 3, 4)
    case.input("v", 2, 3, 4, 5)
    axes = {"axis_w": 0, "axis_h": 1, "axis_k": 2, "axis_n": 3, "axis_seq": 4}
    target = {"mode": 0, "version": 1, "dynamic_shape": False}
    case.layer("reshape", "x", "wide", 1, 8, 3, 3, dst_seq=1, dst_n=1, dst_k=8, dst_h=3, dst_w=3, dst_nd_rank=4, **target)
    case.layer("reshape", "x", "matrix", 6, 12, dst_seq=1, dst_n=1, dst_k=1, dst_h=-1, dst_w=12, dst_nd_rank=2, **target)
    case.layer("transpose", "x", "last", 1, 3, 6, 4, **{**axes, "axis_h": 0, "axis_w": 2, "axis_k": 1})
    case.layer("transpose", "m", "turned", 4, 3, **{**axes, "axis_h": 0, "axis_w": 1})
    case.layer("transpose", "v", "moved", 5, 2, 4, 3, **{**axes, "axis_n": 0, "axis_k": 3, "axis_h": 1, "axis_w": 2})
    case.layer("flatten", "x", "flat", 1, 72, 1, 1, mode=0)
    case.layer("flatten", "x", "flat_last", 1, 72, 1, 1, mode=1)
    case.layer("copy", "x", "same", 1, 4, 3, 6)
    case.layer("concat", "x,same,x", "joined", 1, 12, 3, 6)
    case.layer("general_concat", "m,m", "beside", 3, 8, axis=-1)
    case.layer("general_concat", "m,m", "below", 6, 4, axis=0)
    for name in ("wide", "matrix", "last", "turned", "moved", "flat", "flat_last", "same", "joined", "beside", "below"):
        entry = case.folder.shapes[name]
        full = [entry.get(axis, 1) for axis in ("seq", "n", "k", "h", "w")]
        case.output(name, *full[5 - entry["_rank"]:])
    case.finish()


def old_mapping(out):
    """Before the exact mapping: shapes without ranks, and blobs of five axes."""
    case = Case(out, "old-vector", rank=False)
    case.input("x", 24)
    case.layer("reshape", "x", "sequence", 6, 1, 4, 1, 1, dst_seq=6, dst_n=0, dst_k=4, dst_h=1, dst_w=1, mode=0)
    case.layer("transpose", "sequence", "line", 1, 1, 4, 1, 6, axis_seq=0, axis_n=3, axis_k=2, axis_h=1, axis_w=4)
    case.layer("convolution", "line", "moved", 1, 1, 5, 1, 6, **{**convolution(case, 4, 5, (1, 3)), "pad_mode": 1})
    case.layer("flatten", "moved", "flat", 1, 1, 30, 1, 1, mode=1)
    case.layer("inner_product", "flat", "scores", 1, 1, 3, 1, 1, **product(case, 30, 3))
    case.layer("softmax", "scores", "y", 1, 1, 3, 1, 1, C=2)
    case.output("y", 3)
    case.finish(version=1)

    case = Case(out, "old-image", rank=False)
    case.input("x", 3, 6, 5)
    case.layer("convolution", "x", "a", 1, 1, 8, 6, 5, **{**convolution(case, 3, 8, (3, 3)), "pad_mode": 1, "fused_relu": 1})
    case.layer("pool", "a", "b", 1, 1, 8, 3, 2, **window((2, 2), 2, avg_or_max=1, pad_mode=2))
    case.layer("upsample", "b", "c", 1, 1, 8, 6, 4, mode=0, scaling_factor_x=2, scaling_factor_y=2)
    case.layer("reshape", "c", "d", 1, 1, 4, 8, 6, dst_seq=1, dst_n=0, dst_k=4, dst_h=8, dst_w=6, mode=1)
    case.layer("elementwise", "d,d", "y", 1, 1, 4, 8, 6, operation=0, alpha=1, beta=0, fused_relu=0)
    case.output("y", 4, 8, 6)
    case.finish(version=1)


def images(out):
    scale = {"scale": 1 / 127.5, "bias_a": 0, "center_mean": 0, "is_network_bgr": 0}
    for name, color, fields in (("image-rgb", "rgb", {**scale, "bias_r": -1, "bias_g": -0.5, "bias_b": 0.25}),
                                ("image-bgr", "bgr", {**scale, "bias_r": -1, "bias_g": -0.5, "bias_b": 0.25, "is_network_bgr": 1}),
                                ("image-gray", "gray", {**scale, "bias_r": 0, "bias_g": 0, "bias_b": 0, "bias_a": -0.75})):
        case = Case(out, name, transforms={"picture": fields})
        case.image("picture", color, 6, 8)
        case.layer("convolution", "picture", "y", 1, 2, 6, 8,
                   **{**convolution(case, 1 if color == "gray" else 3, 2, (3, 3)), "pad_mode": 1})
        case.output("y", 1, 2, 6, 8)
        case.finish()


    # Before compilers wrote transforms to the net file.
    case = Case(out, "image-old", transforms={"picture": {**scale, "bias_r": 0.125, "bias_g": 0.125, "bias_b": 0.125}}, rank=False)
    case.image("picture", "rgb", 6, 4)
    case.layer("activation", "picture", "y", 1, 1, 3, 6, 4, mode=3)
    case.output("y", 3, 6, 4)
    case.finish(version=1, model_data=transform_data({"picture": 1 / 127.5}, {"picture": 0.125}, {"picture": 0.0}))
    net = json.loads((case.path / "model.mlmodelc" / "model.espresso.net").read_text())
    del net["transform_params"]
    (case.path / "model.mlmodelc" / "model.espresso.net").write_text(json.dumps(net, indent=1))


def classifier(out):
    for name, labels in (("classifier-text", ["cat", "dog", "ox"]), ("classifier-number", [7, -3, 40])):
        case = Case(out, name)
        case.input("x", 1, 6)
        case.layer("inner_product", "x", "scores", 1, 3, **product(case, 6, 3))
        case.layer("softmax_nd", "scores", "classProbability", 1, 3, nd_axis=-1)
        kind = "stringType" if isinstance(labels[0], str) else "int64Type"
        getattr(case.description.output.add(name="label").type, kind).SetInParent()
        table = case.description.output.add(name="classProbability").type.dictionaryType
        (table.stringKeyType if kind == "stringType" else table.int64KeyType).SetInParent()
        case.description.predictedFeatureName, case.description.predictedProbabilitiesName = "label", "classProbability"
        blobs = case.finish(kind=403, labels=labels, probabilities="classProbability")
        scores = blobs["classProbability"].reshape(-1)
        record = json.loads((case.path / "case.json").read_text())
        dictionary = {str(label): float(score) for label, score in zip(labels, scores)}
        record["outputs"] = {
            "label": {"string" if kind == "stringType" else "int": labels[int(scores.argmax())]},
            "classProbability": {"dictionary": dictionary, "keys": "string" if kind == "stringType" else "int64"}}
        (case.path / "case.json").write_text(json.dumps(record, indent=1))


def refused(out):
    """Folders that are described, and refused when they are to run."""
    out = pathlib.Path(out) / "refused"
    if out.exists():
        shutil.rmtree(out)

    def small():
        case = Case(out, "")
        case.input("x", 1, 4)
        case.layer("inner_product", "x", "y", 1, 2, **product(case, 4, 2))
        case.output("y", 1, 2)
        return case

    case = small()
    case.folder.layers[0]["quantization_mode"] = 2
    case.folder.write(out / "quantized.mlmodelc", case.description.SerializeToString())
    case = small()
    case.layer("rnn_arch", "y", "z", 1, 2, hidden_size=2)
    case.folder.write(out / "layer.mlmodelc", case.description.SerializeToString())
    case = small()
    case.folder.layers[0]["secret"] = 3
    case.folder.write(out / "field.mlmodelc", case.description.SerializeToString())
    case = small()
    case.folder.write(out / "compressed.mlmodelc", case.description.SerializeToString())
    (out / "compressed.mlmodelc" / "model.espresso.net").write_bytes(b"pbze" + bytes(8) + b"bvx2" + rng.bytes(200))
    case = small()
    case.folder.write(out / "encrypted.mlmodelc", case.description.SerializeToString())
    (out / "encrypted.mlmodelc" / "encryptionInfo").mkdir()
    (out / "encrypted.mlmodelc" / "encryptionInfo" / "coremldata.bin").write_bytes(rng.bytes(64))
    case = small()
    case.folder.write(out / "unreadable.mlmodelc", case.description.SerializeToString())
    (out / "unreadable.mlmodelc" / "model.espresso.net").write_bytes(b"\x9c" + rng.bytes(300))
    case = small()
    (out / "forest.mlmodelc").mkdir()
    (out / "forest.mlmodelc" / "coremldata.bin").write_bytes(compiled_data(case.description.SerializeToString(), 302))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    out = parser.parse_args().out
    for family in (convolutions, pools, upsampling, pointwise, products, normalization, shapes, old_mapping, images, classifier, refused):
        family(out)


if __name__ == "__main__":
    main()
