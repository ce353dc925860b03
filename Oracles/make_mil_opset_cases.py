"""Writes recorded cases of every operator of ML Programs in every operator set that redefines it: Tests/Fixtures/mil-opsets.

  python make_mil_opset_cases.py [--out DIRECTORY]

Programs of `make_mil_cases.py` are built again for later operator sets. The programs below cover the remaining operators. Expected outputs
come from NumPy and torch code that follows the definitions of the operators, not from coremltools. Random operators get parameters that
determine their results.

Versions: see requirements.txt.
"""
import argparse
import pathlib
import shutil
import warnings

warnings.filterwarnings("ignore")
import coremltools as ct
import numpy as np
import torch
import torch.nn.functional as F
from coremltools.converters.mil import Builder as mb
from coremltools.converters.mil.mil import types
from coremltools.proto import MIL_pb2 as mil_types
from coremltools.proto import Model_pb2

import make_mil_cases
from make_mil_cases import numbers, write

EARLY, IOS16, IOS17, IOS18 = ct.target.iOS15, ct.target.iOS16, ct.target.iOS17, ct.target.iOS18
CASES = []


def case(*targets):
    def register(function):
        CASES.extend((function, target) for target in targets)
        return function

    return register


# MARK: programs of other opsets

# Cases of make_mil_cases that are valid in later operator sets too, and the sets that redefine their operators.
AGAIN = {
    "elementwise": [IOS17], "activations": [IOS17], "movement": [IOS16, IOS17], "order": [IOS16, IOS17], "reductions": [IOS17],
    "normalizations": [IOS17], "products": [IOS17], "computed_shapes": [IOS17],
    # From this set on, converters write a padding that the program does not specify.
    "boxes_reversed": [IOS16],
}


def again(name, target, folder):
    original = make_mil_cases.write

    def retargeted(folder, inputs, build, **keys):
        original(folder, inputs, build, **(keys | {"opset": target}))

    make_mil_cases.write = retargeted
    try:
        make_mil_cases.CASES[name.replace("_", "-")](folder)
    finally:
        make_mil_cases.write = original


# MARK: images


def pixels(*shape):
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def bilinear(image, rows, columns):
    """The image sampled at every pair of a row and a column."""
    def axis(image, positions, axis):
        low = np.clip(np.floor(positions).astype(int), 0, image.shape[axis] - 1)
        high = np.minimum(low + 1, image.shape[axis] - 1)
        part = (positions - low).astype(np.float32)
        part = part[:, None] if axis == -2 else part
        return np.take(image, low, axis) * (1 - part) + np.take(image, high, axis) * part

    return axis(axis(image, np.asarray(rows, np.float64), -2), np.asarray(columns, np.float64), -1)


@case(EARLY, IOS16, IOS17)
def images(folder, target):
    x = numbers(1, 2, 5, 6)
    t = torch.tensor(x)
    theta = torch.tensor([[[0.8, 0.2, 0.1], [-0.3, 0.9, -0.2]]])
    grid = F.affine_grid(theta, (1, 2, 4, 3), align_corners=True)
    # Boxes on whole pixels; the second has as many rows as the result, the first half of them.
    corners = [(0, 1, 2, 4), (1, 0, 4, 3)]
    crops = np.stack([bilinear(x[0], np.linspace(a, c, 4), np.linspace(b, d, 4)) for a, b, c, d in corners])

    def build(record, x_):
        size = {"target_height": 4, "target_width": 4, "sampling_mode": "STRICT_ALIGN_CORNERS"}
        sampling = {
            "sampling_mode": "bilinear", "padding_mode": "constant", "padding_value": np.float32(0),
            "coordinates_mode": "normalized_minus_one_to_one", "align_corners": True}
        if target == IOS17:
            crop = mb.crop_resize(
                x=x_, boxes=np.array(corners, np.float32), box_indices=np.array([0, 0], np.int32), **size)
            # Here one axis holds the boxes of all images.
            wanted = crops
        else:
            roi = np.array([[0, *box] for box in corners], np.float32).reshape(2, 1, 5, 1, 1)
            crop = mb.crop_resize(x=x_, roi=roi, **size)
            wanted = crops[:, None]
        results = [
            record("crops", crop, wanted),
            record("resampled", mb.resample(x=x_, coordinates=grid.numpy(), **sampling), F.grid_sample(t, grid, align_corners=True)),
            record("affine_", mb.affine(
                x=x_, transform_matrix=theta.numpy().reshape(1, 6), output_height=4, output_width=3, **sampling),
                F.grid_sample(t, grid, align_corners=True)),
            record("upsampled", mb.upsample_bilinear(x=x_, scale_factor_height=2, scale_factor_width=3, align_corners=True),
                   F.interpolate(t, scale_factor=(2, 3), mode="bilinear", align_corners=True)),
            record("upsampled_nearest", mb.upsample_nearest_neighbor(x=x_, scale_factor_height=2, scale_factor_width=3),
                   F.interpolate(t, scale_factor=(2, 3), mode="nearest")),
            record("resized", mb.resize_bilinear(
                x=x_, target_size_height=7, target_size_width=9, sampling_mode="STRICT_ALIGN_CORNERS"),
                F.interpolate(t, size=(7, 9), mode="bilinear", align_corners=True)),
            record("resized_nearest", mb.resize_nearest_neighbor(x=x_, target_size_height=10, target_size_width=12),
                   F.interpolate(t, size=(10, 12), mode="nearest")),
            record("cropped", mb.crop(x=x_, crop_height=[1, 2], crop_width=[0, 3]), x[:, :, 1:-2, 0:-3])]
        if target != EARLY:
            results.append(record("half_pixels", mb.upsample_bilinear(
                x=x_, scale_factor_height=2, scale_factor_width=2, align_corners=False, half_pixel_centers=True),
                F.interpolate(t, scale_factor=2, mode="bilinear", align_corners=False)))
            results.append(record("unshuffled", mb.pixel_unshuffle(x=mb.slice_by_index(x=x_, begin=[0, 0, 0, 0], end=[1, 2, 4, 6]), downscale_factor=np.uint32(2)),
                                  F.pixel_unshuffle(t[:, :, :4], 2)))
        if target == IOS17:
            results.append(record("resized_again", mb.resize(
                x=x_, shape=np.array([7, 9], np.int32), resized_dims=np.uint32(2), interpolation_mode="LINEAR",
                sampling_mode="STRICT_ALIGN_CORNERS"), F.interpolate(t, size=(7, 9), mode="bilinear", align_corners=True)))
        return tuple(results)

    write(folder, {"x": x}, build, opset=target)


# MARK: convolutions


@case(EARLY)
def convolutions(folder, target):
    x, weight, bias = numbers(1, 4, 7, 6), numbers(3, 4, 3, 2, seed=2), numbers(3, seed=6)
    wide = numbers(4, 2, 3, 3, seed=5)
    t = torch.tensor(x)

    def build(record, x_):
        return tuple([
            record("valid", mb.conv(x=x_, weight=weight, bias=bias, strides=[2, 1]),
                   F.conv2d(t, torch.tensor(weight), torch.tensor(bias), (2, 1))),
            record("transposed", mb.conv_transpose(x=x_, weight=wide, strides=[2, 2], pad_type="custom", pad=[1, 1, 1, 0]),
                   F.conv_transpose2d(t, torch.tensor(wide), stride=2)[:, :, 1:-1, 1:])])

    write(folder, {"x": x}, build, opset=target)


# MARK: movement


@case(EARLY, IOS16, IOS17)
def blocks_and_windows(folder, target):
    x, v = numbers(4, 2, 4, 6), numbers(2, 7, seed=1)
    lengths = np.array([2, 0, 4, 1], np.int32)

    def to_batch(x):
        n, c, h, w = x.shape
        x = np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 0)))
        return x.reshape(n, c, (h + 2) // 2, 2, w // 3, 3).transpose(3, 5, 0, 1, 2, 4).reshape(6 * n, c, (h + 2) // 2, w // 3)

    def from_batch(x):
        n, c, h, w = x.shape
        return x.reshape(2, 2, n // 4, c, h, w).transpose(2, 3, 4, 0, 5, 1).reshape(n // 4, c, h * 2, w * 2)[:, :, 1:, :-2]

    def build(record, x_, v_, lengths_):
        turned = x.copy()
        for index, length in enumerate(lengths):
            turned[index, :, :length] = x[index, :, :length][:, ::-1]
        band = np.triu(np.tril(x, 2), -1)
        windows = np.stack([v[:, start:start + 3] for start in range(0, 5, 2)], 1)
        hot = np.where(np.arange(5) == lengths[:, None], 2, -1)
        results = [
            record("to_batch", mb.space_to_batch(x=x_, block_shape=[2, 3], paddings=[[1, 1], [0, 0]]), to_batch(x)),
            record("from_batch", mb.batch_to_space(x=x_, block_shape=[2, 2], crops=[[1, 0], [0, 2]]), from_batch(x)),
            record("band", mb.band_part(x=x_, lower=1, upper=2), band),
            record("windows", mb.sliding_windows(x=v_, axis=1, size=3, stride=2), windows),
            record("turned", mb.reverse_sequence(x=x_, lengths=lengths_, seq_axis=2, batch_axis=0), turned),
            record("squeezed", mb.squeeze(x=mb.expand_dims(x=v_, axes=[0, 2]), axes=[0, 2]), v),
            record("hot", mb.one_hot(indices=lengths_, one_hot_vector_size=5, on_value=2, off_value=-1), hot)]
        if target != EARLY:
            results += [
                record("filled", mb.fill_like(ref_tensor=x_, value=np.float32(1.5)), np.full_like(x, 1.5)),
                record("like", mb.reshape_like(
                    x=x_, ref_tensors=[x_, mb.transpose(x=x_, perm=[0, 2, 1, 3])], begins=[0, 1], ends=[1, 0], end_masks=[False, True]),
                    x.reshape(4, 4, 2, 6))]
        return tuple(results)

    write(folder, {"x": x, "v": v, "lengths": lengths}, build, opset=target)


@case(EARLY, IOS16, IOS17)
def gathering_and_scattering(folder, target):
    x, updates = numbers(3, 4), numbers(2, 4, seed=1)
    rows, places = np.array([2, 0], np.int32), np.array([[0, 3], [2, 1]], np.int32)
    along, points = numbers(3, 2, seed=2), numbers(2, seed=3)
    columns = np.array([[0, 3], [1, 2], [3, 0]], np.int32)

    def build(record, x_, updates_, rows_, places_, along_, points_, columns_):
        set_rows, added, along_axis, by_place = x.copy(), x.copy(), x.copy(), x.copy()
        set_rows[rows] = updates
        added[rows] += updates
        np.put_along_axis(along_axis, columns, along, 1)
        by_place[places[:, 0], places[:, 1]] = points
        new = {"validate_indices": False} if target == IOS17 else {}
        results = [
            record("set_rows", mb.scatter(data=x_, indices=rows_, updates=updates_, axis=0, mode="update", **new), set_rows),
            record("added_rows", mb.scatter(data=x_, indices=rows_, updates=updates_, axis=0, mode="add", **new), added),
            record("set_along", mb.scatter_along_axis(data=x_, indices=columns_, updates=along_, axis=1, mode="update", **new), along_axis),
            record("set_places", mb.scatter_nd(data=x_, indices=places_, updates=points_, mode="update", **new), by_place),
            record("picked", mb.gather_nd(x=x_, indices=places_, **new), x[places[:, 0], places[:, 1]]),
            record("taken_rows", mb.gather(x=x_, indices=rows_, axis=0, **new), x[rows]),
            record("taken_along", mb.gather_along_axis(x=x_, indices=columns_, axis=1, **new), np.take_along_axis(x, columns, 1))]
        if target != EARLY:
            results.append(record("batched", mb.gather_nd(x=x_, indices=mb.slice_by_index(x=columns_, begin=[0, 0], end=[3, 1]), batch_dims=1, **new), x[np.arange(3), columns[:, 0]]))
        return tuple(results)

    inputs = {
        "x": x, "updates": updates, "rows": rows, "places": places, "along": along, "points": points, "columns": columns}
    write(folder, inputs, build, opset=target)


# MARK: recurrent


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@case(EARLY, IOS17, IOS18)
def recurrent(folder, target):
    steps, batch, width, hidden = 4, 2, 3, 5
    x, h, c = numbers(steps, batch, width), numbers(batch, hidden, seed=1), numbers(batch, hidden, seed=2)
    w, u, b = numbers(4 * hidden, width, seed=3), numbers(4 * hidden, hidden, seed=4), numbers(4 * hidden, seed=5)
    input_bias = numbers(3 * hidden, seed=6)

    def lstm():
        state, memory, outputs = h, c, []
        for step in x:
            i, f, o, z = np.split(step @ w.T + state @ u.T + b, 4, 1)
            memory = sigmoid(f) * memory + sigmoid(i) * np.tanh(z)
            state = sigmoid(o) * np.tanh(memory)
            outputs.append(state)
        return np.stack(outputs), state, memory

    def gru(w, u, b, x, reset_after=False, input_bias=0):
        state, outputs = h, []
        for step in x:
            ir, io, iz = np.split(step @ w.T + input_bias, 3, 1)
            (ur, uo, uz), (br, bo, bz) = np.split(u, 3), np.split(b, 3)
            r, z = sigmoid(ir + state @ ur.T + br), sigmoid(iz + state @ uz.T + bz)
            o = np.tanh(io + r * (state @ uo.T + bo)) if reset_after else np.tanh(io + (r * state) @ uo.T + bo)
            state = (1 - z) * o + z * state
            outputs.append(state)
        return np.stack(outputs), state

    def rnn(w, u, b):
        state, outputs = h, []
        for step in x:
            state = np.tanh(step @ w.T + state @ u.T + b)
            outputs.append(state)
        return np.stack(outputs), state

    def build(record, x_, h_, c_):
        l = mb.lstm(x=x_, initial_h=h_, initial_c=c_, weight_ih=w, weight_hh=u, bias=b, output_sequence=True)
        g = mb.gru(x=x_, initial_h=h_, weight_ih=w[:15], weight_hh=u[:15], bias=b[:15], output_sequence=True)
        back = mb.gru(x=x_, initial_h=h_, weight_ih=w[:15], weight_hh=u[:15], bias=b[:15], direction="reverse")
        r = mb.rnn(x=x_, initial_h=h_, weight_ih=w[:5], weight_hh=u[:5], bias=b[:5], output_sequence=True)
        sequence, state, memory = lstm()
        gates, last = gru(w[:15], u[:15], b[:15], x)
        plain, end = rnn(w[:5], u[:5], b[:5])
        results = [
            record("lstm_sequence", l[0], sequence), record("lstm_state", l[1], state), record("lstm_memory", l[2], memory),
            record("gru_sequence", g[0], gates), record("gru_state", g[1], last),
            record("gru_back", back[1], gru(w[:15], u[:15], b[:15], x[::-1])[1]),
            record("rnn_sequence", r[0], plain), record("rnn_state", r[1], end)]
        if target == IOS18:
            late = mb.gru(
                x=x_, initial_h=h_, weight_ih=w[:15], weight_hh=u[:15], bias=b[:15], input_bias=input_bias, reset_after=True,
                output_sequence=True)
            results.append(record("gru_reset_after", late[0], gru(w[:15], u[:15], b[:15], x, True, input_bias)[0]))
        return tuple(results)

    write(folder, {"x": x, "h": h, "c": c}, build, opset=target)


# MARK: lists, random numbers, detection


@case(EARLY)
def lists(folder, target):
    x = numbers(3, 2)

    def build(record, x_):
        empty = mb.make_list(init_length=3, dynamic_length=False, elem_shape=(2,), dtype="fp32")
        filled = mb.list_scatter(ls=empty, indices=np.array([0, 1, 2], np.int32), value=x_)
        written = mb.list_write(ls=filled, index=1, value=np.array([7, 8], np.float32))
        return tuple([
            record("gathered", mb.list_gather(ls=written, indices=np.array([2, 1], np.int32)), np.stack([x[2], [7, 8]]).astype(np.float32)),
            record("read", mb.list_read(ls=filled, index=2), x[2]),
            record("length", mb.list_length(ls=written), np.int32(3))])

    write(folder, {"x": x}, build, opset=target)


@case(EARLY)
def growing_lists(folder, target):
    """Writing past the end extends a list. Values read or saved before a write do not change."""
    x = numbers(2)

    def build(record, x_):
        empty = mb.make_list(init_length=1, dynamic_length=True, elem_shape=(2,), dtype="fp32")
        first = mb.list_write(ls=empty, index=0, value=x_)
        third = mb.list_write(ls=first, index=2, value=mb.mul(x=x_, y=np.float32(3)))
        before = mb.list_read(ls=third, index=0)
        again = mb.list_write(ls=third, index=0, value=mb.mul(x=x_, y=np.float32(5)))
        long = mb.list_scatter(ls=again, indices=np.array([4, 1], np.int32), value=mb.stack(values=[x_, before], axis=0))
        return tuple([
            record("before", before, x), record("after", mb.list_read(ls=again, index=0), 5 * x),
            record("short_length", mb.list_length(ls=first), np.int32(1)), record("length", mb.list_length(ls=long), np.int32(5)),
            record("all", mb.list_gather(ls=long, indices=np.arange(5, dtype=np.int32)),
                   np.stack([5 * x, x, 3 * x, 0 * x, x]).astype(np.float32))])

    write(folder, {"x": x}, build, opset=target)


@case(EARLY)
def random_without_choice(folder, target):
    # One class has all of the probability.
    x = np.full((2, 4), -1e4, np.float32)
    x[0, 2] = x[1, 1] = 0

    def build(record, x_):
        shape = np.array([2, 3], np.int32)
        return tuple([
            record("always", mb.random_bernoulli(shape=shape, prob=np.float32(1), seed=3), np.ones((2, 3), np.float32)),
            record("never", mb.random_bernoulli(shape=shape, prob=np.float32(0), seed=3), np.zeros((2, 3), np.float32)),
            record("normal", mb.random_normal(shape=shape, mean=np.float32(2), stddev=np.float32(0), seed=3), np.full((2, 3), 2, np.float32)),
            record("uniform", mb.random_uniform(shape=shape, low=np.float32(1.5), high=np.float32(1.5), seed=3), np.full((2, 3), 1.5, np.float32)),
            record("classes", mb.random_categorical(x=x_, mode="logits", size=3, seed=3), np.array([[2] * 3, [1] * 3], np.float32))])

    write(folder, {"x": x}, build, opset=target)


@case(EARLY, IOS17)
def suppression(folder, target):
    # The second box overlaps the first; the score of the fourth is too low.
    boxes = np.array([[[2, 2, 2, 2], [2.2, 2, 2, 2], [6, 6, 2, 2], [9, 9, 1, 1]]], np.float32)
    scores = np.array([[[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.05, 0.04]]], np.float32)

    def build(record, boxes_, scores_):
        # The later form has boxes in the last axis, and neither a score threshold nor a count.
        late = target == IOS17
        limit, count = ({}, 2) if late else ({"score_threshold": np.float32(0.1)}, 3)
        found = mb.non_maximum_suppression(boxes=boxes_, scores=scores_, iou_threshold=np.float32(0.5), max_boxes=count, **limit)
        # Missing results are filled with zeros, missing positions with -1.
        chosen, points = np.zeros((1, count, 4), np.float32), np.zeros((1, count, 2), np.float32)
        places = np.full((1, count), -1, np.int32)
        for position, index in enumerate([0, 2]):
            chosen[0, position], points[0, position], places[0, position] = boxes[0, index], scores[0, index], index
        turned = (lambda array: array.transpose(0, 2, 1)) if late else (lambda array: array)
        results = [
            record("chosen", found[0], turned(chosen)), record("points", found[1], turned(points)), record("places", found[2], places)]
        return tuple(results if late else results + [record("counts", found[3], np.array([2], np.int32))])

    if target == IOS17:
        write(folder, {"boxes": boxes.transpose(0, 2, 1).copy(), "scores": scores.transpose(0, 2, 1).copy()}, build, opset=target)
        return
    write(folder, {"boxes": boxes, "scores": scores}, build, opset=target)


# MARK: quantisation and compressed weights


@case(EARLY)
def quantized_convolution(folder, target):
    x = numbers(1, 4, 5, 5)
    weight = np.random.default_rng(1).integers(0, 256, (3, 2, 3, 3)).astype(np.uint8)
    weight = np.concatenate([weight, weight[:1]])
    scale, shift = np.array([0.01, 0.02, 0.005, 0.01], np.float32), np.array([-1, -2, -0.5, 0], np.float32)
    bias = np.array([1, 0, 3, 2], np.uint8)
    real = weight * scale[:, None, None, None] + shift[:, None, None, None]

    def build(record, x_):
        return tuple([
            record("out", mb.conv_quantized(
                x=x_, weight=weight, bias=bias, quantization_type="linear", nbits=8, quant_scale=scale, quant_bias=shift, groups=2,
                pad_type="custom", pad=[1, 1, 1, 1], strides=[2, 1]),
                F.conv2d(torch.tensor(x), torch.tensor(real), torch.tensor(bias.astype(np.float32)), (2, 1), 1, groups=2)),
            record("uniform", mb.conv_quantized(
                x=x_, weight=weight, quantization_type="linear", quant_scale=np.array([0.5], np.float32),
                quant_bias=np.array([-64], np.float32), groups=2),
                F.conv2d(torch.tensor(x), torch.tensor(weight * np.float32(0.5) - 64), groups=2))])

    write(folder, {"x": x}, build, opset=target)


@case(IOS17)
def quantization(folder, target):
    x = numbers(2, 6, low=-4, high=4)
    scale, zero = np.array([0.02, 0.05], np.float32), np.array([10, -20], np.int8)
    steps = np.clip(np.rint(x / scale[:, None]) + zero[:, None], -128, 127)

    def build(record, x_):
        q = mb.quantize(input=x_, scale=scale, zero_point=zero, axis=0, output_dtype="int8")
        whole = mb.quantize(input=x_, scale=np.float32(0.05), zero_point=np.uint8(128), output_dtype="uint8")
        return tuple([
            record("by_row", mb.dequantize(input=q, scale=scale, zero_point=zero, axis=0), (steps - zero[:, None]) * scale[:, None]),
            record("whole", mb.dequantize(input=whole, scale=np.float32(0.05), zero_point=np.uint8(128)),
                   (np.clip(np.rint(x / np.float32(0.05)) + 128, 0, 255) - 128) * np.float32(0.05))])

    write(folder, {"x": x}, build, opset=target)


def bits(values, count):
    """Packs integers of `count` bits into bytes, least significant bit first."""
    stream = ((values.reshape(-1, 1).astype(np.int64) >> np.arange(count)) & 1).reshape(-1).astype(np.uint8)
    return np.packbits(stream, bitorder="little")


@case(IOS16)
def compressed_weights(folder, target):
    x = numbers(2, 8)
    rng = np.random.default_rng(5)
    q = rng.integers(-128, 128, (4, 8)).astype(np.int8)
    scale, zero = np.array([0.01, 0.02, 0.03, 0.04], np.float32), np.array([1, -2, 3, 0], np.int8)
    indices, table = rng.integers(0, 4, (4, 8)), np.array([-1, 0.5, 2, 3], np.float32)
    mask = rng.integers(0, 2, (4, 8))
    present = numbers(int(mask.sum()), seed=6)
    sparse = np.zeros((4, 8), np.float32)
    sparse[mask == 1] = present
    half = numbers(4, 8, seed=7).astype(np.float16)

    def build(record, x_):
        weights = {
            "affine": (mb.constexpr_affine_dequantize(quantized_data=q, zero_point=zero, scale=scale, axis=0),
                       (q.astype(np.float32) - zero[:, None]) * scale[:, None]),
            "palette": (mb.constexpr_lut_to_dense(
                indices=bits(indices, 2), lut=table, shape=np.array([4, 8], np.uint32)), table[indices]),
            "sparse": (mb.constexpr_sparse_to_dense(
                nonzero_data=present, mask=bits(mask, 1), shape=np.array([4, 8], np.uint32)), sparse),
            "cast": (mb.constexpr_cast(source_val=half, output_dtype="fp32"), half.astype(np.float32)),
        }
        return tuple(record(f"{name}_", mb.matmul(x=x_, y=weight, transpose_y=True), x @ value.T) for name, (weight, value) in weights.items())

    write(folder, {"x": x}, build, opset=target)


@case(IOS18)
def compressed_weights_in_blocks(folder, target):
    x = numbers(2, 8)
    rng = np.random.default_rng(5)
    # Blocks of one row and four columns.
    q, scale, offset = rng.integers(-128, 128, (4, 8)).astype(np.int8), numbers(4, 2, seed=1, low=0.01, high=0.1), np.full((4, 2), 3, np.int8)
    spread = lambda values: np.repeat(values, 4, 1).astype(np.float32)
    indices = rng.integers(0, 4, (4, 8)).astype(np.uint8)
    table = numbers(2, 1, 4, 1, seed=2)  # one per two rows
    grouped = np.stack([table[row // 2, 0, indices[row], 0] for row in range(4)])
    mask = rng.integers(0, 2, (4, 8)).astype(np.uint8)
    count = int(mask.sum())

    def dense(values):
        result = np.zeros((4, 8), np.float32)
        result[mask == 1] = values
        return result

    present, few = numbers(count, seed=6), rng.integers(0, 4, count).astype(np.uint8)
    some = rng.integers(-128, 128, count).astype(np.int8)
    kinds = {"u1": types.np_uint1_dtype, "u2": types.np_uint2_dtype}
    rows = np.nonzero(mask)[0]
    half = numbers(4, 8, seed=7).astype(np.float16)

    def build(record, x_):
        u1, u2 = (lambda a: a.astype(kinds["u1"])), (lambda a: a.astype(kinds["u2"]))
        sparse = mb.constexpr_lut_to_sparse(indices_mask=u1(mask), indices_nonzero_data=u2(few), lut=table)
        shifted = mb.constexpr_sparse_blockwise_shift_scale(data_mask=u1(mask), nonzero_data=some, scale=scale, offset=offset)
        scaled = dense(some) - dense(np.full(count, 3))
        weights = {
            "blocks": (mb.constexpr_blockwise_shift_scale(data=q, scale=scale, offset=offset), (q - spread(offset)) * spread(scale)),
            "palette": (mb.constexpr_lut_to_dense(indices=u2(indices), lut=table), grouped),
            "sparse": (mb.constexpr_sparse_to_dense(nonzero_data=present, mask=u1(mask)), dense(present)),
            "sparse_palette": (mb.constexpr_sparse_to_dense(nonzero_data=sparse[1], mask=sparse[0]), dense(table[rows // 2, 0, few, 0])),
            "sparse_blocks": (mb.constexpr_sparse_to_dense(nonzero_data=shifted[1], mask=shifted[0]), scaled * spread(scale)),
            "cast": (mb.constexpr_cast(source_val=half, output_dtype="fp32"), half.astype(np.float32)),
        }
        return tuple(record(f"{name}_", mb.matmul(x=x_, y=weight, transpose_y=True), x @ value.T) for name, (weight, value) in weights.items())

    write(folder, {"x": x}, build, opset=target)


@case(IOS18)
def float8_weights(folder, target):
    """Constants of 8-bit floats. coremltools cannot write them, so bytes of the same width are retyped afterwards."""
    x = numbers(2, 16)
    every = np.arange(256, dtype=np.uint8)
    decoded = {
        "e4m3": torch.tensor(every).view(torch.float8_e4m3fn).to(torch.float32).numpy(),
        "e5m2": torch.tensor(every).view(torch.float8_e5m2).to(torch.float32).numpy()}
    # All finite values of the first format, in a weight file, and a few values of each format in the program itself.
    bytes_ = {name: every[np.isfinite(values)][:240] for name, values in decoded.items()}
    few = np.array([0x38, 0xC1, 0x07, 0x7B], np.uint8)

    def build(record, x_):
        results = []
        for name, stored in bytes_.items():
            weight = mb.cast(x=mb.const(val=stored.reshape(15, 16), name=f"{name}_blob"), dtype="fp32")
            results.append(record(
                f"{name}_product", mb.matmul(x=x_, y=weight, transpose_y=True), x @ decoded[name][stored].reshape(15, 16).T))
            values = mb.cast(x=mb.const(val=few, name=f"{name}_few"), dtype="fp32")
            results.append(record(f"{name}_sum", mb.add(x=mb.reduce_sum(x=x_), y=values), x.sum() + decoded[name][few]))
        return tuple(results)

    write(folder, {"x": x}, build, opset=target)
    types_ = {"e4m3": (mil_types.FLOAT8E4M3FN, 16), "e5m2": (mil_types.FLOAT8E5M2, 17)}
    files = folder / "model.mlpackage/Data/com.apple.CoreML"
    model, weights = Model_pb2.Model(), bytearray((files / "weights/weight.bin").read_bytes())
    model.ParseFromString((files / "model.mlmodel").read_bytes())
    block = model.mlProgram.functions["main"].block_specializations[model.mlProgram.functions["main"].opset]
    changed = 0
    for operation in block.operations:
        kind = operation.outputs[0].name[:4]
        if operation.type != "const" or kind not in types_ or operation.outputs[0].type.tensorType.dataType != mil_types.UINT8:
            continue
        value = operation.attributes["val"]
        operation.outputs[0].type.tensorType.dataType = value.type.tensorType.dataType = types_[kind][0]
        if value.WhichOneof("value") == "blobFileValue":
            weights[value.blobFileValue.offset + 4] = types_[kind][1]
        changed += 1
    assert changed == 4
    (files / "model.mlmodel").write_bytes(model.SerializeToString(deterministic=True))
    (files / "weights/weight.bin").write_bytes(weights)


def main():
    parser = argparse.ArgumentParser()
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--out", type=pathlib.Path, default=root / "Tests/Fixtures/mil-opsets")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.out, ignore_errors=True)
    for name, targets in AGAIN.items():
        for target in targets:
            again(name, target, arguments.out / f"{name.replace('_', '-')}-{target.name}")
    for function, target in CASES:
        function(arguments.out / f"{function.__name__.replace('_', '-')}-{target.name}", target)


if __name__ == "__main__":
    main()
