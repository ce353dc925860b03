"""Writes recorded cases of ML Programs: Tests/Fixtures/mil, which the importer's tests run.

  python make_mil_cases.py [--out DIRECTORY]

Each case is one program with many results, built with coremltools without its optimisation passes. Expected outputs come from NumPy and
torch code that follows the definitions of the operators, not from coremltools.

Versions: see requirements.txt.
"""
import argparse
import json
import pathlib
import shutil
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import numpy as np
import torch
import torch.nn.functional as F
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import get_new_symbol, types
from PIL import Image

from make_coreml_fixtures import MODEL, load, save, write_package

CASES = {}


def case(function):
    CASES[function.__name__.replace("_", "-")] = function
    return function


def numbers(*shape, seed=0, low=-2.0, high=2.0):
    return np.random.default_rng(seed).uniform(low, high, shape).astype(np.float32)


def spec(array, dtype=None):
    kinds = {np.float32: types.fp32, np.float16: types.fp16, np.int32: types.int32, np.bool_: types.bool}
    return mb.TensorSpec(shape=array.shape, dtype=dtype or kinds[array.dtype.type])


class Recording:
    """A program under construction, with the expected values of its results."""

    def __init__(self):
        self.expected = {}

    def __call__(self, name, value, expected):
        """Adds a result with its expected value. Outputs have 32-bit types or float16."""
        expected = np.asarray(expected)
        if expected.dtype == np.bool_:
            value, expected = mb.cast(x=value, dtype="int32", name=name), expected.astype(np.int32)
        else:
            value = mb.identity(x=value, name=name)
            expected = expected.astype({"f": np.float32, "i": np.int32}[expected.dtype.kind]) if expected.dtype != np.float16 else expected
        self.expected[name] = expected
        return value


def write(folder, inputs, build, opset=ct.target.iOS15, specs=None, precision=ct.precision.FLOAT32, edit=None, tolerance=(1e-4, 1e-5), **keys):
    """Builds the program `build(record, **inputs)` and writes the case."""
    record = Recording()
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    wanted = specs or [spec(value) for value in arrays.values()]
    variables = ", ".join(arrays)
    scope = {"mb": mb, "build": build, "record": record, "wanted": wanted, "opset": opset}
    exec(f"@mb.program(input_specs=wanted, opset_version=opset)\ndef program({variables}):\n  return build(record, {variables})", scope)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    save(scope["program"], folder / "model.mlpackage", opset, precision)
    if edit:
        model = load(folder / "model.mlpackage" / MODEL)
        edit(model)
        (folder / "model.mlpackage" / MODEL).write_bytes(model.SerializeToString(deterministic=True))
    description(folder, arrays, record.expected, tolerance, **keys)


def description(folder, inputs, outputs, tolerance, **keys):
    for name, value in inputs.items():
        np.save(folder / f"in_{name}.npy", value)
    for name, value in outputs.items():
        np.save(folder / f"out_{name}.npy", value)
    content = {"name": folder.name, "family": "mil-fixture", "model": "model.mlpackage"}
    if "steps" not in keys:
        content["inputs"] = {name: {"file": f"in_{name}.npy"} for name in inputs}
        content["outputs"] = {name: {"file": f"out_{name}.npy"} for name in outputs}
    content |= {"rtol": tolerance[0], "atol": tolerance[1], "oracle": "NumPy, torch"} | keys
    (folder / "case.json").write_text(json.dumps(content, indent=1) + "\n")


# MARK: operators


@case
def elementwise(folder):
    x, y = numbers(2, 3), numbers(3, seed=1)
    n, d = np.array([7, -7, 7, -7, 0], np.int32), np.array([2, 2, -2, -2, 3], np.int32)

    def build(record, x_, y_, n_, d_):
        unary = {
            "abs": np.abs(x), "atan": np.arctan(x), "ceil": np.ceil(x), "cos": np.cos(x), "cosh": np.cosh(x), "exp": np.exp(x),
            "exp2": np.exp2(x), "floor": np.floor(x), "round": np.rint(x), "sign": np.sign(x), "sin": np.sin(x), "sinh": np.sinh(x),
            "square": x * x, "tan": np.tan(x), "tanh": np.tanh(x), "erf": torch.erf(torch.tensor(x)).numpy()}
        results = [record(f"{name}_", getattr(mb, name)(x=x_), value) for name, value in unary.items()]
        p = np.abs(x) + 0.1
        p_ = mb.add(x=mb.abs(x=x_), y=np.float32(0.1))
        results += [
            record("sqrt_", mb.sqrt(x=p_), np.sqrt(p)), record("log_", mb.log(x=p_, epsilon=np.float32(0.5)), np.log(p + 0.5)),
            record("rsqrt_", mb.rsqrt(x=p_, epsilon=np.float32(0.5)), 1 / np.sqrt(p + 0.5)),
            record("inverse_", mb.inverse(x=p_, epsilon=np.float32(0.5)), 1 / (p + 0.5)),
            record("clip_", mb.clip(x=x_, alpha=np.float32(-0.5), beta=np.float32(1)), np.clip(x, -0.5, 1)),
            record("threshold_", mb.threshold(x=x_, alpha=np.float32(0.5)), np.maximum(x, 0.5)),
            record("acos_", mb.acos(x=mb.mul(x=x_, y=np.float32(0.4))), np.arccos(x * 0.4)),
            record("asin_", mb.asin(x=mb.mul(x=x_, y=np.float32(0.4))), np.arcsin(x * 0.4)),
            record("atanh_", mb.atanh(x=mb.mul(x=x_, y=np.float32(0.4))), np.arctanh(x * 0.4))]
        binary = {
            "add": x + y, "sub": x - y, "mul": x * y, "real_div": x / y, "maximum": np.maximum(x, y), "minimum": np.minimum(x, y),
            "floor_div": np.floor_divide(x, y), "mod": np.mod(x, y), "equal": x == y, "not_equal": x != y, "less": x < y,
            "less_equal": x <= y, "greater": x > y, "greater_equal": x >= y}
        results += [record(f"{name}_", getattr(mb, name)(x=x_, y=y_), value) for name, value in binary.items()]
        results += [
            record("pow_", mb.pow(x=p_, y=y_), p ** y),
            record("floor_div_int", mb.floor_div(x=n_, y=d_), n // d), record("mod_int", mb.mod(x=n_, y=d_), n % d),
            record("sum_int", mb.add(x=n_, y=d_), n + d),
            record("select_", mb.select(cond=mb.less(x=x_, y=y_), a=x_, b=mb.mul(x=y_, y=np.ones((2, 3), np.float32))), np.where(x < y, x, y)),
            record("cast_int", mb.cast(x=x_, dtype="int32"), np.trunc(x).astype(np.int32)),
            record("cast_bool", mb.cast(x=mb.cast(x=x_, dtype="bool"), dtype="fp32"), (x != 0).astype(np.float32))]
        a, b = x > 0, np.broadcast_to(y > 0, x.shape)
        a_, b_ = mb.greater(x=x_, y=np.float32(0)), mb.greater(x=y_, y=np.float32(0))
        return tuple(results + [
            record("and_", mb.logical_and(x=a_, y=b_), a & b), record("or_", mb.logical_or(x=a_, y=b_), a | b),
            record("xor_", mb.logical_xor(x=a_, y=b_), a ^ b), record("not_", mb.logical_not(x=a_), ~a)])

    write(folder, {"x": x, "y": y, "n": n, "d": d}, build)


@case
def activations(folder):
    x = numbers(1, 3, 2, 2)
    t = torch.tensor(x)
    alpha, beta = np.array([0.1, 0.5, 2], np.float32), np.array([1, 0.5, 3], np.float32)

    def build(record, x_):
        f = np.float32
        per_channel = lambda v: v.reshape(3, 1, 1)
        return tuple([
            record("relu_", mb.relu(x=x_), np.maximum(x, 0)), record("relu6_", mb.relu6(x=x_), np.clip(x, 0, 6)),
            record("sigmoid_", mb.sigmoid(x=x_), torch.sigmoid(t)), record("silu_", mb.silu(x=x_), F.silu(t)),
            record("softplus_", mb.softplus(x=x_), F.softplus(t)), record("softsign_", mb.softsign(x=x_), F.softsign(t)),
            record("elu_", mb.elu(x=x_, alpha=f(0.7)), F.elu(t, 0.7)),
            record("gelu_", mb.gelu(x=x_, mode="EXACT"), F.gelu(t)),
            record("gelu_tanh", mb.gelu(x=x_, mode="TANH_APPROXIMATION"), F.gelu(t, approximate="tanh")),
            record("gelu_sigmoid", mb.gelu(x=x_, mode="SIGMOID_APPROXIMATION"), t * torch.sigmoid(1.702 * t)),
            record("leaky", mb.leaky_relu(x=x_, alpha=f(0.2)), F.leaky_relu(t, 0.2)),
            record("clamped", mb.clamped_relu(x=x_, alpha=f(0.2), beta=f(1)), np.minimum(np.where(x < 0, 0.2 * x, x), 1)),
            record("line", mb.linear_activation(x=x_, alpha=f(2), beta=f(-1)), 2 * x - 1),
            record("prelu_", mb.prelu(x=x_, alpha=alpha), np.where(x < 0, x * per_channel(alpha), x)),
            record("scaled", mb.scaled_tanh(x=x_, alpha=f(2), beta=f(0.5)), 2 * np.tanh(0.5 * x)),
            record("hard", mb.sigmoid_hard(x=x_, alpha=f(0.3), beta=f(0.4)), np.clip(0.3 * x + 0.4, 0, 1)),
            record(
                "parametric", mb.softplus_parametric(x=x_, alpha=alpha, beta=beta),
                per_channel(alpha) * np.log1p(np.exp(per_channel(beta) * x))),
            record("thresholded", mb.thresholded_relu(x=x_, alpha=f(0.5)), np.where(x >= 0.5, x, 0)),
            record("softmax_", mb.softmax(x=x_, axis=1), F.softmax(t, 1))])

    write(folder, {"x": x}, build)


@case
def movement(folder):
    x, w = numbers(2, 4, 5, 3), numbers(1, 8, 2, 3, seed=1)
    k = np.arange(24, dtype=np.int32).reshape(2, 3, 4)

    def build(record, x_, w_, k_):
        pieces = mb.split(x=x_, split_sizes=[1, 3], axis=1)
        return tuple([
            record("slice_masks", mb.slice_by_index(
                x=x_, begin=[0, 1, 4, 0], end=[1, 3, 0, 1], stride=[1, 1, -2, 1], begin_mask=[False] * 4,
                end_mask=[False, True, False, False], squeeze_mask=[False, False, False, True]), x[0:1, 1:, 4:0:-2, 0]),
            record("slice_reversed", mb.slice_by_index(
                x=x_, begin=[0, 0, -1, -1], end=[0, 0, -4, 0], stride=[1, 2, -1, -1], begin_mask=[True, True, False, False],
                end_mask=[True, True, False, True]), x[:, ::2, -1:-4:-1, ::-1]),
            record("slice_sized", mb.slice_by_size(x=x_, begin=[0, 2, 1, 0], size=[2, 2, -1, 1]), x[:, 2:4, 1:, :1]),
            record("first", pieces[0], x[:, :1]), record("rest", pieces[1], x[:, 1:]),
            record("joined", mb.concat(values=[x_, x_], axis=2), np.concatenate([x, x], 2)),
            record("interleaved", mb.concat(values=[x_, mb.mul(x=x_, y=np.float32(2))], axis=1, interleave=True),
                   np.stack([x, 2 * x], 2).reshape(2, 8, 5, 3)),
            record("stacked", mb.stack(values=[x_, x_], axis=-1), np.stack([x, x], -1)),
            record("moved", mb.transpose(x=x_, perm=[0, -1, 1, 2]), x.transpose(0, 3, 1, 2)),
            record("flat", mb.flatten2d(x=x_, axis=-2), x.reshape(8, 15)),
            record("shaped", mb.reshape(x=x_, shape=[0, -1, 1, 3]), x.reshape(2, 20, 1, 3)),
            record("tiled", mb.tile(x=x_, reps=[1, 2, 1, 3]), np.tile(x, [1, 2, 1, 3])),
            record("reversed", mb.reverse(x=x_, axes=[1, -1]), x[:, ::-1, :, ::-1]),
            record("padded", mb.pad(x=x_, pad=[1, 0, 2, 1], mode="constant", constant_val=np.float32(7)),
                   np.pad(x, [(0, 0), (0, 0), (1, 0), (2, 1)], constant_values=7)),
            record("reflected", mb.pad(x=x_, pad=[1, 2, 2, 1], mode="reflect"), np.pad(x, [(0, 0), (0, 0), (1, 2), (2, 1)], "reflect")),
            record("replicated", mb.pad(x=x_, pad=[1, 2, 2, 1], mode="replicate"), np.pad(x, [(0, 0), (0, 0), (1, 2), (2, 1)], "edge")),
            record("shuffled", mb.pixel_shuffle(x=w_, upscale_factor=2), F.pixel_shuffle(torch.tensor(w), 2)),
            record("blocks", mb.depth_to_space(x=w_, block_size=2),
                   w.reshape(1, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(1, 2, 4, 6)),
            record("depth", mb.space_to_depth(x=mb.depth_to_space(x=w_, block_size=2), block_size=2), w),
            record("taken", mb.gather(x=k_, indices=np.array([2, -1, 0], np.int32), axis=1), k[:, [2, -1, 0]]),
            record("along", mb.gather_along_axis(x=k_, indices=np.array([[[3, 0, -1, 1]]] * 2, np.int32).repeat(3, 1) % 3, axis=1),
                   np.take_along_axis(k, np.array([[[3, 0, -1, 1]]] * 2).repeat(3, 1) % 3, 1)),
            record("places", mb.non_zero(x=mb.greater(x=k_, y=20)), np.argwhere(k > 20).astype(np.int32))])

    write(folder, {"x": x, "w": w, "k": k}, build)


@case
def order(folder):
    x = numbers(3, 5)

    def build(record, x_):
        values, places = mb.topk(x=x_, k=2, axis=1)
        least, _ = mb.topk(x=x_, k=2, axis=0, ascending=True)
        return tuple([
            record("values", values, -np.sort(-x, 1)[:, :2]), record("places", places, np.argsort(-x, 1)[:, :2].astype(np.int32)),
            record("least", least, np.sort(x, 0)[:2]),
            record("falling", mb.argsort(x=x_, axis=0), np.argsort(-x, 0).astype(np.int32)),
            record("rising", mb.argsort(x=x_, axis=1, ascending=True), np.argsort(x, 1).astype(np.int32)),
            record("sums", mb.cumsum(x=x_, axis=1), np.cumsum(x, 1)),
            record("exclusive", mb.cumsum(x=x_, axis=1, exclusive=True), np.cumsum(x, 1) - x),
            record("backward", mb.cumsum(x=x_, axis=0, reverse=True), np.cumsum(x[::-1], 0)[::-1]),
            record("largest", mb.reduce_argmax(x=x_, axis=1), np.argmax(x, 1).astype(np.int32)),
            record("smallest", mb.reduce_argmin(x=x_, axis=0, keep_dims=True), np.argmin(x, 0)[None].astype(np.int32))])

    write(folder, {"x": x}, build)


@case
def reductions(folder):
    x = numbers(2, 3, 4)
    n = np.arange(1, 7, dtype=np.int32).reshape(2, 3)

    def build(record, x_, n_):
        p, p_ = np.abs(x) + 0.1, mb.add(x=mb.abs(x=x_), y=np.float32(0.1))
        log_sum_exp = lambda v, axes, keep: np.log(np.sum(np.exp(v), axes, keepdims=keep))
        return tuple([
            record("sum_", mb.reduce_sum(x=x_, axes=[1]), x.sum(1)),
            record("mean", mb.reduce_mean(x=x_, axes=[0, 2], keep_dims=True), x.mean((0, 2), keepdims=True)),
            record("product", mb.reduce_prod(x=x_, axes=[-1]), x.prod(-1)),
            record("most", mb.reduce_max(x=x_, axes=[1]), x.max(1)), record("least", mb.reduce_min(x=x_, axes=[2]), x.min(2)),
            record("absolute", mb.reduce_l1_norm(x=x_, axes=[2]), np.abs(x).sum(2)),
            record("length", mb.reduce_l2_norm(x=x_, axes=[1, 2]), np.sqrt((x * x).sum((1, 2)))),
            record("squares", mb.reduce_sum_square(x=x_, axes=[0]), (x * x).sum(0)),
            record("log_sum", mb.reduce_log_sum(x=p_, axes=[1]), np.log(p.sum(1))),
            record("log_sum_exp", mb.reduce_log_sum_exp(x=x_, axes=[1]), log_sum_exp(x, 1, False)),
            record("log_sum_exp_kept", mb.reduce_log_sum_exp(x=x_, axes=[0, 2], keep_dims=True), log_sum_exp(x, (0, 2), True)),
            record("whole", mb.reduce_sum(x=n_, axes=[0, 1]), np.array(n.sum(), np.int32)),
            record("columns", mb.reduce_prod(x=n_, axes=[0]), n.prod(0).astype(np.int32))])

    write(folder, {"x": x, "n": n}, build)


@case
def convolutions(folder):
    x, v = numbers(1, 4, 7, 6), numbers(1, 2, 9, seed=1)
    weight, grouped, line = numbers(3, 4, 3, 2, seed=2), numbers(4, 2, 3, 3, seed=3), numbers(3, 2, 4, seed=4)
    wide, bias = numbers(4, 2, 3, 3, seed=5), numbers(3, seed=6)
    t, u = torch.tensor(x), torch.tensor(v)

    def same(extent, kernel, stride):
        total = max((-(-extent // stride) - 1) * stride + kernel - extent, 0)
        return total // 2, total - total // 2

    def build(record, x_, v_):
        height, width = same(7, 3, 2), same(6, 2, 1)
        return tuple([
            record("valid", mb.conv(x=x_, weight=weight, bias=bias), F.conv2d(t, torch.tensor(weight), torch.tensor(bias))),
            record("same_", mb.conv(x=x_, weight=weight, pad_type="same", strides=[2, 1]),
                   F.conv2d(F.pad(t, (*width, *height)), torch.tensor(weight), stride=(2, 1))),
            record("lower", mb.conv(x=x_, weight=weight, pad_type="same_lower", strides=[2, 1]),
                   F.conv2d(F.pad(t, (*width[::-1], *height[::-1])), torch.tensor(weight), stride=(2, 1))),
            record("custom", mb.conv(x=x_, weight=grouped, pad_type="custom", pad=[1, 2, 0, 1], dilations=[2, 1], groups=2),
                   F.conv2d(F.pad(t, (0, 1, 1, 2)), torch.tensor(grouped), dilation=(2, 1), groups=2)),
            record("line", mb.conv(x=v_, weight=line, strides=[2]), F.conv1d(u, torch.tensor(line), stride=2)),
            record("transposed", mb.conv_transpose(x=x_, weight=wide, strides=[2, 2], pad_type="custom", pad=[1, 1, 1, 0]),
                   F.conv_transpose2d(t, torch.tensor(wide), stride=2)[:, :, 1:-1, 1:]),
            record("transposed_same", mb.conv_transpose(x=x_, weight=wide, strides=[2, 2], pad_type="same"),
                   F.conv_transpose2d(t, torch.tensor(wide), stride=2)[:, :, :-1, :-1])])

    write(folder, {"x": x, "v": v}, build, opset=ct.target.iOS17)


@case
def pooling(folder):
    x, v, c = numbers(1, 2, 6, 5), numbers(2, 3, 7, seed=1), numbers(1, 2, 4, 5, 6, seed=2)
    t, u, s = torch.tensor(x), torch.tensor(v), torch.tensor(c)

    def build(record, x_, v_, c_):
        both = {"kernel_sizes": [2, 3], "strides": [2, 1]}
        return tuple([
            record("largest", mb.max_pool(x=x_, pad_type="valid", **both), F.max_pool2d(t, (2, 3), (2, 1))),
            record("largest_same", mb.max_pool(x=x_, pad_type="same", **both),
                   F.max_pool2d(F.pad(t, (1, 1, 0, 0), value=-np.inf), (2, 3), (2, 1))),
            record("mean", mb.avg_pool(x=x_, pad_type="custom", pad=[1, 1, 1, 1], **both), F.avg_pool2d(F.pad(t, (1, 1, 1, 1)), (2, 3), (2, 1))),
            record("mean_inside", mb.avg_pool(x=x_, pad_type="custom", pad=[1, 1, 1, 1], exclude_padding_from_average=True, **both),
                   F.avg_pool2d(F.pad(t, (1, 1, 1, 1)), (2, 3), (2, 1)) / F.avg_pool2d(F.pad(torch.ones_like(t), (1, 1, 1, 1)), (2, 3), (2, 1))),
            record("ceiling", mb.max_pool(x=x_, kernel_sizes=[2, 2], strides=[2, 2], pad_type="custom", pad=[0, 0, 0, 0], ceil_mode=True),
                   F.max_pool2d(t, 2, 2, ceil_mode=True)),
            record("length", mb.l2_pool(x=x_, pad_type="valid", **both), torch.sqrt(F.avg_pool2d(t * t, (2, 3), (2, 1)) * 6)),
            record("line", mb.avg_pool(x=v_, kernel_sizes=[3], strides=[2], pad_type="valid"), F.avg_pool1d(u, 3, 2)),
            record("cube", mb.max_pool(x=c_, kernel_sizes=[2, 2, 3], strides=[1, 2, 2], pad_type="valid"), F.max_pool3d(s, (2, 2, 3), (1, 2, 2))),
            record("cube_mean", mb.avg_pool(x=c_, kernel_sizes=[2, 2, 3], strides=[1, 2, 2], pad_type="valid"),
                   F.avg_pool3d(s, (2, 2, 3), (1, 2, 2)))])

    write(folder, {"x": x, "v": v, "c": c}, build)


@case
def normalizations(folder):
    x = numbers(2, 3, 4, 2)
    t = torch.tensor(x)
    mean, variance = numbers(3, seed=1), np.abs(numbers(3, seed=2)) + 0.5
    gamma, beta = numbers(3, seed=3), numbers(3, seed=4)
    wide, shift = numbers(4, 2, seed=5), numbers(4, 2, seed=6)
    e = 1e-3

    def build(record, x_):
        tensor = torch.tensor
        return tuple([
            record("batch", mb.batch_norm(x=x_, mean=mean, variance=variance, gamma=gamma, beta=beta, epsilon=np.float32(e)),
                   F.batch_norm(t, tensor(mean), tensor(variance), tensor(gamma), tensor(beta), eps=e)),
            record("instance", mb.instance_norm(x=x_, gamma=gamma, beta=beta, epsilon=np.float32(e)),
                   F.instance_norm(t, weight=tensor(gamma), bias=tensor(beta), eps=e)),
            record("layer", mb.layer_norm(x=x_, axes=[2, 3], gamma=wide, beta=shift, epsilon=np.float32(e)),
                   F.layer_norm(t, [4, 2], tensor(wide), tensor(shift), e)),
            record("layer_channels", mb.layer_norm(x=x_, axes=[1], gamma=gamma, beta=beta, epsilon=np.float32(e)),
                   F.layer_norm(t.permute(0, 2, 3, 1), [3], tensor(gamma), tensor(beta), e).permute(0, 3, 1, 2)),
            record("length", mb.l2_norm(x=x_, epsilon=np.float32(e)), x / np.sqrt((x * x).sum((1, 2, 3), keepdims=True) + e)),
            record("response", mb.local_response_norm(x=x_, size=3, alpha=np.float32(0.3), beta=np.float32(0.75), k=np.float32(1)),
                   F.local_response_norm(t, 3, 0.3, 0.75, 1))])

    write(folder, {"x": x}, build)


@case
def products(folder):
    x, y, q = numbers(2, 3, 4), numbers(2, 5, 4, seed=1), numbers(2, 2, 3, 4, seed=2)
    weight, bias, vector, table = numbers(5, 4, seed=3), numbers(5, seed=4), numbers(4, seed=5), numbers(4, 3, 2, seed=6)
    deep = numbers(2, 4, 3, 5, seed=7)

    def build(record, x_, y_, q_):
        return tuple([
            record("linear_", mb.linear(x=x_, weight=weight, bias=bias), x @ weight.T + bias),
            record("pairs", mb.matmul(x=x_, y=y_, transpose_y=True), x @ y.transpose(0, 2, 1)),
            record("inner", mb.matmul(x=x_, y=x_, transpose_x=True), x.transpose(0, 2, 1) @ x),
            record("row", mb.matmul(x=vector, y=y_, transpose_y=True), (y @ vector).reshape(2, 5)),
            record("sums", mb.einsum(values=(q_, deep), equation="abcd,adce->abce"), np.einsum("abcd,adce->abce", q, deep)),
            record("mixed", mb.einsum(values=(x_, table), equation="vnm,mno->vno"), np.einsum("vnm,mno->vno", x, table))])

    write(folder, {"x": x, "y": y, "q": q}, build)


@case
def attention(folder):
    q, k, v = numbers(2, 2, 3, 4), numbers(2, 2, 5, 4, seed=1), numbers(2, 2, 5, 6, seed=2)
    mask = np.array([True, True, False, True, True])

    def build(record, q_, k_, v_):
        a = F.scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), attn_mask=torch.tensor(mask)[None, None, None])
        return tuple([
            record("masked", mb.scaled_dot_product_attention(query=q_, key=k_, value=v_, attn_mask=mask[None, None]), a),
            record("updated", mb.slice_update(
                x=q_, update=np.full((1, 2, 2, 4), 9, np.float32), begin=[1, 0, 0, 0], end=[2, 2, 3, 4], stride=[1, 1, 2, 1]),
                [m := q.copy(), m[1:2, :, ::2].fill(9)][0])])

    write(folder, {"q": q, "k": k, "v": v}, build, opset=ct.target.iOS18)


# MARK: shapes, control flow, states


def flexible(input_position, ranges):
    def edit(model):
        shape = model.description.input[input_position].type.multiArrayType
        shape.ClearField("ShapeFlexibility") if hasattr(shape, "ShapeFlexibility") else None
        shape.shapeRange.ClearField("sizeRanges")
        for lower, upper in ranges:
            shape.shapeRange.sizeRanges.add(lowerBound=lower, upperBound=upper)
        del shape.shape[:]
        shape.shape.extend(lower for lower, _ in ranges)
    return edit


@case
def computed_shapes(folder):
    x = numbers(3, 4, 2)

    def build(record, x_):
        shape = mb.shape(x=x_)
        rows = mb.gather(x=shape, indices=0, axis=0)
        joined = mb.concat(values=[mb.expand_dims(x=mb.mul(x=rows, y=2), axes=[0]), np.array([4], np.int32)], axis=0)
        half = mb.floor_div(x=mb.slice_by_index(x=shape, begin=[1], end=[2], squeeze_mask=[True]), y=2)
        return tuple([
            record("double", mb.reshape(x=x_, shape=joined), x.reshape(6, 4)),
            record("filled", mb.fill(shape=mb.stack(values=[rows, half], axis=0), value=np.float32(2)), np.full((3, 2), 2.0)),
            record("counted", mb.range_1d(start=0, end=mb.reduce_prod(x=shape, axes=[0]), step=5), np.arange(0, 24, 5, dtype=np.int32)),
            record("extents", shape, np.array(x.shape, np.int32)),
            record("part", mb.slice_by_size(x=x_, begin=[0, 0, 0], size=mb.stack(values=[rows, half, 1], axis=0)), x[:, :2, :1]),
            record("pooled", mb.max_pool(x=x_, kernel_sizes=[2], strides=[2], pad_type="same"), F.max_pool1d(torch.tensor(x), 2, 2)[..., :1])])

    write(
        folder, {"x": x}, build, specs=[mb.TensorSpec(shape=(get_new_symbol(), get_new_symbol(), 2))],
        edit=flexible(0, [(1, 8), (2, -1), (2, 2)]))


@case
def control_flow(folder):
    x, limit = numbers(2, 3), np.array([4], np.int32)

    def build(record, x_, limit_):
        count = mb.squeeze(x=limit_)
        chosen = mb.cond(pred=mb.greater(x=count, y=3), _true_fn=lambda: mb.mul(x=x_, y=np.float32(2)), _false_fn=lambda: mb.relu(x=x_))
        _, total = mb.while_loop(
            _cond=lambda i, total: mb.less(x=i, y=count), _body=lambda i, total: (mb.add(x=i, y=1), mb.add(x=total, y=chosen)),
            loop_vars=(np.int32(0), x_))
        _, same = mb.while_loop(
            _cond=lambda i, total: mb.greater(x=i, y=count), _body=lambda i, total: (mb.add(x=i, y=1), mb.add(x=total, y=chosen)),
            loop_vars=(np.int32(0), x_))
        return record("total", total, x + 8 * x), record("same_", same, x)

    write(folder, {"x": x, "limit": limit}, build)


@case
def half_precision(folder):
    x = numbers(2, 8).astype(np.float16)
    weight, bias = numbers(4, 8, seed=1).astype(np.float16), numbers(4, seed=2).astype(np.float16)

    def build(record, x_):
        # The normalisation may overwrite its operand, which it has converted to float32.
        y = mb.layer_norm(x=mb.add(x=mb.matmul(x=x_, y=np.eye(8, dtype=np.float16)), y=np.float16(1)), axes=[1], epsilon=np.float16(1e-3))
        e = F.layer_norm(torch.tensor(x.astype(np.float32)), [8], eps=1e-3).numpy()
        return tuple([
            record("out", mb.linear(x=y, weight=weight, bias=bias), (e @ weight.astype(np.float32).T + bias).astype(np.float16)),
            record("total", mb.reduce_sum(x=mb.mul(x=y, y=y), axes=[1]), (e * e).sum(1).astype(np.float16))])

    write(folder, {"x": x}, build, opset=ct.target.iOS16, precision=ct.precision.FLOAT16, tolerance=(1e-2, 1e-2))


def write_steps(folder, program, steps, tolerance=(0, 0)):
    """Writes a program with states and its steps: inputs and outputs by name."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    save(program, folder / "model.mlpackage", ct.target.iOS18, ct.precision.FLOAT16)
    entries = []
    for index, step in enumerate(steps):
        entry = {}
        for kind, prefix, values in (("inputs", "in", step[0]), ("outputs", "out", step[1])):
            entry[kind] = {name: {"file": f"{prefix}{index}_{name}.npy"} for name in values}
            for name, value in values.items():
                np.save(folder / f"{prefix}{index}_{name}.npy", value)
        entries.append(entry)
    description(folder, {}, {}, tolerance, steps=entries)


def state_specs(*shape, states=1, flags=0):
    numbers_ = [mb.TensorSpec(shape=(1,), dtype=types.int32) for _ in range(flags)]
    return [mb.TensorSpec(shape=shape, dtype=types.fp16), *numbers_, *(mb.StateTensorSpec(shape=shape, dtype=types.fp16) for _ in range(states))]


HALVES = [np.array([values], np.float16) for values in ([1, 2, 3, 4], [0, 1, 0, -1], [5, 0, 0, 0], [2, -2, 1, 1])]


@case
def state(folder):
    @mb.program(input_specs=state_specs(1, 4), opset_version=ct.target.iOS18)
    def program(x, cache):
        old = mb.read_state(input=cache)
        return mb.coreml_update_state(state=cache, value=mb.add(x=mb.mul(x=old, y=np.float16(2)), y=x), name="y")

    value, steps = np.zeros((1, 4), np.float16), []
    for x in HALVES[:3]:
        value = value * np.float16(2) + x
        steps.append(({"x": x}, {"y": value}))
    write_steps(folder, program, steps)


@case
def state_order(folder):
    """A state that is read before, between and after two writes, and another that takes its old value."""

    @mb.program(input_specs=state_specs(1, 4, states=2), opset_version=ct.target.iOS18)
    def program(x, a, b):
        first = mb.read_state(input=a)
        sum_ = mb.add(x=first, y=x)
        # Read again although the sum, which could lie in the state's memory, has been computed.
        again = mb.identity(x=mb.read_state(input=a), name="again")
        between = mb.coreml_update_state(state=a, value=sum_)
        last = mb.coreml_update_state(state=a, value=mb.mul(x=between, y=np.float16(2)))
        difference = mb.sub(x=last, y=mb.read_state(input=b), name="difference")
        mb.coreml_update_state(state=b, value=again)
        return again, difference, mb.add(x=mb.read_state(input=a), y=mb.read_state(input=b), name="total")

    a = b = np.zeros((1, 4), np.float16)
    steps = []
    for x in HALVES:
        old, a = a, (a + x) * np.float16(2)
        difference, b = a - b, old
        steps.append(({"x": x}, {"again": old, "difference": difference, "total": a + b}))
    write_steps(folder, program, steps)


@case
def state_branches(folder):
    """Branches of which one writes a state; what was read before keeps its value."""

    @mb.program(input_specs=state_specs(1, 4, flags=1), opset_version=ct.target.iOS18)
    def program(x, flag, cache):
        old = mb.read_state(input=cache)

        def write_():
            return mb.coreml_update_state(state=cache, value=mb.add(x=mb.read_state(input=cache), y=x))

        y = mb.cond(pred=mb.greater(x=mb.squeeze(x=flag), y=np.int32(0)), _true_fn=write_, _false_fn=lambda: mb.mul(x=old, y=x))
        return mb.identity(x=y, name="y"), mb.add(x=old, y=np.float16(1), name="before"), mb.add(x=mb.read_state(input=cache), y=x, name="after")

    value, steps = np.zeros((1, 4), np.float16), []
    for flag, x in zip((1, 0, 1, 1), HALVES):
        old, value = value, value + x if flag else value
        y = value if flag else old * x
        steps.append(({"x": x, "flag": np.array([flag], np.int32)}, {"y": y, "before": old + np.float16(1), "after": value + x}))
    write_steps(folder, program, steps)


@case
def state_loop(folder):
    """A loop of as many rounds as an input says that writes a state in each; its variable is the value that the round before wrote."""

    @mb.program(input_specs=state_specs(1, 4, flags=1), opset_version=ct.target.iOS18)
    def program(x, count, cache):
        old = mb.read_state(input=cache)
        limit = mb.squeeze(x=count)

        def body(i, last):
            written = mb.coreml_update_state(state=cache, value=mb.add(x=mb.read_state(input=cache), y=x))
            both = mb.coreml_update_state(state=cache, value=mb.add(x=written, y=last))
            return mb.add(x=i, y=np.int32(1)), both

        _, last = mb.while_loop(_cond=lambda i, last: mb.less(x=i, y=limit), _body=body, loop_vars=(np.int32(0), x))
        return mb.identity(x=last, name="last"), mb.add(x=old, y=np.float16(1), name="before")

    value, steps = np.zeros((1, 4), np.float16), []
    for count, x in zip((1, 3, 0, 4), HALVES):
        old, last = value, x
        for _ in range(count):
            value = value + x + last
            last = value
        steps.append(({"x": x, "count": np.array([count], np.int32)}, {"last": last, "before": old + np.float16(1)}))
    write_steps(folder, program, steps)


# MARK: features


@case
def optional_input(folder):
    x, z = numbers(2, 3), np.zeros((2, 3), np.float32)

    def build(record, x_, z_):
        return record("y", mb.add(x=x_, y=z_), x + 1.5)

    def edit(model):
        model.description.input[1].type.isOptional = True
        model.description.input[1].type.multiArrayType.floatDefaultValue = 1.5

    write(folder, {"x": x, "z": z}, build, edit=edit)
    (folder / "in_z.npy").unlink()
    content = json.loads((folder / "case.json").read_text())
    del content["inputs"]["z"]
    (folder / "case.json").write_text(json.dumps(content, indent=1) + "\n")


@case
def classifier(folder):
    # The program receives the channels in the order blue, green, red.
    picture = np.random.default_rng(1).integers(0, 256, (4, 6, 3), dtype=np.uint8)
    scores = picture[..., ::-1].reshape(-1, 3).astype(np.float64).mean(0) / 100
    expected = np.exp(scores) / np.exp(scores).sum()
    labels = ["blue", "green", "red"]

    @mb.program(input_specs=[mb.TensorSpec(shape=(1, 3, 4, 6))], opset_version=ct.target.iOS15)
    def program(picture):
        return mb.softmax(x=mb.mul(x=mb.reduce_mean(x=picture, axes=[2, 3]), y=np.float32(0.01)), axis=1, name="scores")

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / "model.mlpackage"
    save(program, path, ct.target.iOS15, classifier_config=ct.ClassifierConfig(labels))
    model = load(path / MODEL)
    image = model.description.input[0].type
    image.Clear()
    image.imageType.width, image.imageType.height, image.imageType.colorSpace = 6, 4, 30
    (path / MODEL).write_bytes(model.SerializeToString(deterministic=True))
    Image.fromarray(picture).save(folder / "picture.png")
    content = {
        "name": folder.name, "family": "mil-fixture", "model": "model.mlpackage", "inputs": {"picture": {"image": "picture.png"}},
        "outputs": {
            model.description.predictedFeatureName: {"string": labels[int(np.argmax(expected))]},
            model.description.predictedProbabilitiesName: {"dictionary": dict(zip(labels, expected.tolist())), "keys": "string"}},
        "rtol": 1e-4, "atol": 1e-5, "oracle": "NumPy"}
    (folder / "case.json").write_text(json.dumps(content, indent=1) + "\n")


# MARK: unspecified parts of descriptions


@case
def boxes_reversed(folder):
    """Boxes whose end lies before their start are sampled from their start. Outside of the image, samples are mirrored."""
    x = np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4)
    inside = np.array([[3, 3, 0, 0]], np.float32).reshape(1, 1, 4, 1, 1)
    outside = np.array([[2, 2, 1, 1]], np.float32).reshape(1, 1, 4, 1, 1)

    def build(record, x_):
        crop = lambda roi, **keys: mb.crop_resize(x=x_, roi=roi, target_height=2, target_width=2, box_coordinate_mode="CORNERS_HEIGHT_FIRST", **keys)
        middles, turned = np.array([3.5, 5.5, 11.5, 13.5]), np.array([13.5, 11.5, 5.5, 3.5])
        return tuple([
            record("areas", crop(inside, sampling_mode="UNALIGN_CORNERS"), turned.reshape(1, 1, 1, 2, 2)),
            record("corners", crop(inside, sampling_mode="ALIGN_CORNERS"), np.array([16, 13, 4, 1]).reshape(1, 1, 1, 2, 2).astype(np.float32)),
            record("mirrored", crop(outside, sampling_mode="UNALIGN_CORNERS", normalized_coordinates=True), middles.reshape(1, 1, 1, 2, 2))])

    write(folder, {"x": x}, build)


@case
def resized_volume(folder):
    x = numbers(2, 3, 4, 5)
    t = torch.tensor(x)

    def build(record, x_):
        resize = lambda **keys: mb.resize(x=x_, shape=[6, 2, 10], resized_dims=np.uint32(3), **keys)
        return tuple([
            record("linear_", resize(sampling_mode="UNALIGN_CORNERS"), F.interpolate(t[None], (6, 2, 10), mode="trilinear")[0]),
            record("aligned", resize(sampling_mode="STRICT_ALIGN_CORNERS"), F.interpolate(t[None], (6, 2, 10), mode="trilinear", align_corners=True)[0]),
            record("nearest", resize(interpolation_mode="NEAREST_NEIGHBOR"), F.interpolate(t[None], (6, 2, 10), mode="nearest-exact")[0])])

    write(folder, {"x": x}, build, opset=ct.target.iOS17)


@case
def open_rank(folder):
    """The rank of the results is the length of the input, 1 to 3."""
    def build(record, shape_):
        half = mb.fill(shape=shape_, value=np.float16(1.5))
        return tuple([
            record("filled", mb.fill(shape=shape_, value=np.float32(2.5)), np.full((2, 3), 2.5, np.float32)),
            record("widened", mb.cast(x=half, dtype="fp32"), np.full((2, 3), 1.5, np.float32))])

    def edit(model):
        feature = model.description.input[0].type.multiArrayType
        del feature.shape[:]
        feature.shape.append(1)
        feature.ClearField("ShapeFlexibility")
        size = feature.shapeRange.sizeRanges.add()
        size.lowerBound, size.upperBound = 1, 3

    write(folder, {"shape": np.array([2, 3], np.int32)}, build, specs=[mb.TensorSpec(shape=(get_new_symbol(),), dtype=types.int32)], edit=edit)


@case
def half_rounded(folder):
    """Values that become wider floats, integers or Booleans pass through half precision first."""
    h = np.array([2047, 0.1, 3.998, -1.001, 8.99], np.float16)
    x = h.astype(np.float32)
    third = (h * np.float16(1 / 3)).astype(np.float16)

    def build(record, x_):
        half = mb.mul(x=mb.cast(x=x_, dtype="fp16"), y=np.float16(1 / 3))
        back = mb.cast(x=mb.mul(x=mb.cast(x=x_, dtype="fp16"), y=np.float16(3)), dtype="int32")
        return tuple([
            record("widened", mb.cast(x=half, dtype="fp32"), third.astype(np.float32)), record("cut", back, (h * np.float16(3)).astype(np.float16).astype(np.int32)),
            record("same_", mb.cast(x=mb.equal(x=half, y=third), dtype="fp32"), np.ones(5, np.float32))])

    write(folder, {"x": x}, build, tolerance=(0, 0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--out", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "Tests/Fixtures/mil")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    for name, function in CASES.items():
        if arguments.only in (None, name):
            function(arguments.out / name)
            print(name)


if __name__ == "__main__":
    main()
