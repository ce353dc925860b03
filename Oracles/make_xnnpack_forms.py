"""Writes recorded cases of the ranks, broadcast forms and flags that XNNPACK's runtime accepts, node by node.

  python make_xnnpack_forms.py [--out DIRECTORY]    # a sample: Tests/Fixtures/xnnpack/forms
  python make_xnnpack_forms.py --all --out DIRECTORY

What is expected is what ExecuTorch's runtime computes; forms that it refuses are listed at the end.

Versions: see requirements.txt.
"""
import argparse
import math
import pathlib
import re

import torch

from make_xnnpack_cases import BINARY, INVALID, UNARY, Payload, T, Writer, convolution, schema

# The cases that are in the repository.
SAMPLE = re.compile(
    r"unary_rank[0136]|softmax_rank[16]|binary_\d+|binary_constant_[0137]|binary_qint8_[0379]|prelu_(1_1_5|3_1_1|6_1_3)|transpose_rank[16]|"
    r"slice_(rank[16]|beyond)|pad_rank[06]|concatenate_rank(1_axis0|6_axism6|6_axism1)|reshape_\d|convert_rank[06]|resize_rank4|"
    r"fully_connected_(filter_rank4|rank1\w*|rank[26]|rank6_(transposed|filter_given|qd8_qc8|qint8))|batch_product_(\d|\d\d)|"
    r"batch_product_[17]_transposed_constant|batch_product_[27]_qint8|global_average_pooling_\w+|convolution_same_[23]|"
    r"average_pooling_same_[23]|max_pooling_same_2|(transposed_|depthwise_)?convolution_(multiplier_)?rank4_no_bias")
F = torch.float32
KEEP_DIMS = 64
SHAPES = [(), (5,), (2, 5), (2, 3, 5), (2, 1, 3, 5), (2, 1, 3, 2, 2), (2, 1, 2, 3, 1, 2)]


class FormWriter(Writer):
    def __init__(self, out, takes_all):
        super().__init__(out)
        self.takes_all = takes_all

    def case(self, name, *arguments, **options):
        if self.takes_all or SAMPLE.fullmatch(name):
            super().case(name, *arguments, **options)


def per_tensor(scale, zero_point):
    return schema.PerTensorQuant(scale, zero_point)


def make_unary(w):
    """All functions of one value on every rank; the results are outputs of one payload."""
    kinds = {name: kind for name, kind in UNARY.items() if name != "softmax"}
    for shape in SHAPES:
        p = Payload()
        x = p.input(shape)
        outputs = [p.output(shape) for _ in range(len(kinds) + 2)]
        for y, (name, kind) in zip(outputs, kinds.items()):
            p.add(getattr(schema, kind)(x, y, 0), *((0.4, 1.5) if name == "clamp" else (None, None)))
        p.add(schema.XNNLeakyReLU(0.2, x, outputs[-2], 0))
        p.add(schema.XNNELU(0.7, x, outputs[-1], 0))
        w.case(f"unary_rank{len(shape)}", p, [w.random(*shape, low=0.1)], [(F, shape)] * len(outputs))
        p = Payload()
        x, y = p.input(shape), p.output(shape)
        p.add(schema.XNNSoftmax(x, y, 0))
        w.case(f"softmax_rank{len(shape)}", p, [w.random(*shape)], [(F, shape)])


def make_binary(w):
    pairs = [
        ((), ()), ((2, 3), ()), ((), (2, 3)), ((1,), (2, 3)), ((5,), (2, 3, 5)), ((2, 3, 5), (3, 1)), ((1, 5), (4, 1)),
        ((2, 1, 3, 1), (1, 4, 1, 5)), ((4, 1, 5), (2, 1, 3, 1)), ((2, 2, 1, 2, 1, 3), (2, 1, 2, 1, 2, 1)), ((3,), (2, 1, 2, 1, 2, 1)),
        ((2, 3, 2, 2, 2), (3, 1, 1, 2)), ((1, 1, 1), (4,))]
    for number, (a, b) in enumerate(pairs):
        shape = torch.broadcast_shapes(a, b)
        kinds = list(BINARY.values()) + ["XNNPReLU"]
        p = Payload()
        ids, outputs = (p.input(a), p.input(b)), [p.output(shape) for _ in kinds]
        for y, kind in zip(outputs, kinds):
            p.add(getattr(schema, kind)(*ids, y, 0))
        w.case(f"binary_{number}", p, [w.random(*a), w.random(*b, low=0.5)], [(F, shape)] * len(outputs))
        # One of them a constant, and bounds on the results.
        p = Payload()
        x, k = p.input(a), p.constant(w.random(*b, low=0.5).numpy(), dims=b)
        y = p.output(shape)
        p.add(schema.XNNAdd(x, k, y, 0), -0.5, 1.0)
        w.case(f"binary_constant_{number}", p, [w.random(*a)], [(F, shape)])
        # Integers.
        p = Payload()
        ids = [p.input(s, T.xnn_datatype_qint8, per_tensor(0.02 + 0.01 * i, 3 - 5 * i)) for i, s in enumerate((a, b))]
        outputs = [p.output(shape, T.xnn_datatype_qint8, per_tensor(0.05, -4)) for _ in range(3)]
        for y, kind in zip(outputs, ("XNNAdd", "XNNSubtract", "XNNMultiply")):
            p.add(getattr(schema, kind)(*ids, y, 0))
        stored = [torch.randint(-128, 128, s, generator=w.generator, dtype=torch.int8) for s in (a, b)]
        w.case(f"binary_qint8_{number}", p, stored, [(torch.int8, shape)] * 3, atol=1)


def make_prelu(w):
    for shape, slope in [((5,), (5,)), ((2, 5), (5,)), ((2, 3, 5), (5,)), ((2, 3, 5), (1,)), ((1, 2, 2, 5), (1, 1, 1, 5)), ((2, 1, 2, 2, 3), (3,))]:
        p = Payload()
        x, k, y = p.input(shape), p.constant(w.random(*slope).numpy()), p.output(shape)
        p.add(schema.XNNPReLU(x, k, y, 0))
        w.case(f"prelu_{len(shape)}_{len(slope)}_{slope[-1]}", p, [w.random(*shape)], [(F, shape)])


def make_shapes(w):
    def one(name, make, sizes, out, datatype=T.xnn_datatype_fp32):
        p = Payload()
        ids, y = [p.input(s, datatype) for s in sizes], p.output(out, datatype)
        p.add(make(ids, y))
        w.case(name, p, [w.random(*s) for s in sizes], [(F, out)])

    for shape in SHAPES:
        rank = len(shape)
        axes = list(range(rank))[::-1]
        one(f"transpose_rank{rank}", lambda i, y: schema.XNNStaticTranspose(rank, axes, i[0], y, 0), [shape], shape[::-1])
        offsets = [n // 2 for n in shape]
        sizes = [n - o for n, o in zip(shape, offsets)]
        one(f"slice_rank{rank}", lambda i, y: schema.XNNStaticSlice(rank, offsets, sizes, i[0], y, 0), [shape], sizes)
        rest = [0] * rank
        one(f"slice_rest_rank{rank}", lambda i, y: schema.XNNStaticSlice(rank, offsets, rest, i[0], y, 0), [shape], sizes)
        before, after = [(i + 1) % 2 for i in range(rank)], [i % 3 for i in range(rank)]
        out = [n + b + a for n, b, a in zip(shape, before, after)]
        one(f"pad_rank{rank}", lambda i, y: schema.XNNStaticConstantPad(before, after, 1.5, i[0], y, 0), [shape], out)
        for axis in range(-rank, rank):
            if axis not in (-rank, -1, 0, rank - 1):
                continue
            joined = list(shape)
            joined[axis] *= 2
            one(f"concatenate_rank{rank}_axis{axis}".replace("-", "m"),
                lambda i, y: schema.XNNConcatenate2(axis % 2**32, i[0], i[1], INVALID, INVALID, y, 0, INVALID), [shape, shape], joined)
    # Sizes beyond the extent are cut.
    one("slice_beyond", lambda i, y: schema.XNNStaticSlice(2, [1, 2], [9, 9], i[0], y, 0), [(4, 5)], (3, 3))
    for number, (shape, new, out) in enumerate([
            ((2, 3, 4), [24], (24,)), ((2, 3, 4), [2, 0, 2], (2, 6, 2)), ((2, 3, 4), [0], (24,)), ((6,), [1, 2, 1, 3, 1, 1], (1, 2, 1, 3, 1, 1)),
            ((1, 1), [], ()), ((), [1, 1], (1, 1)), ((2, 1, 2, 1, 3, 1), [0, 6], (2, 6)), ((1,), [1], (1,)), ((), [0], (1,))]):
        one(f"reshape_{number}", lambda i, y: schema.XNNStaticReshape(len(new), new, i[0], y, 0), [shape], out)
    for name, shape in [("rank3", (4, 5, 2)), ("rank4", (2, 4, 5, 2)), ("rank5", (1, 2, 4, 5, 2))]:
        one(f"resize_{name}", lambda i, y: schema.XNNStaticResizeBilinear2D(3, 7, i[0], y, 0), [shape], shape[:-3] + (3, 7, shape[-1]))


def make_conversions(w):
    for shape in SHAPES:
        p = Payload()
        x = p.input(shape)
        inner = [
            p.inner(shape, T.xnn_datatype_qint8, per_tensor(0.02, -3)), p.inner(shape, T.xnn_datatype_quint8, per_tensor(0.03, 100)),
            p.inner(shape, T.xnn_datatype_fp16)]
        for i in inner:
            y = p.output(shape)
            p.add(schema.XNNConvert(x, i, 0))
            p.add(schema.XNNConvert(i, y, 0))
        w.case(f"convert_rank{len(shape)}", p, [w.random(*shape)], [(F, shape)] * 3, atol=1e-3)


def weights(w, rows=4, columns=8):
    """Ways to store the weight of a product; each gives the id of a value."""
    weight = w.random(rows, columns) * 0.3
    scales = weight.abs().amax(1) / 127
    int8 = (weight / scales[:, None]).round().to(torch.int8)
    scales4 = weight.abs().amax(1) / 7
    int4 = (weight / scales4[:, None]).round().clamp(-8, 7).int() + 8
    packed = (int4[:, 0::2] | int4[:, 1::2] << 4).to(torch.uint8).numpy()
    return {
        "f32": lambda p: p.constant(weight.numpy()),
        "qc8": lambda p: p.constant(int8.numpy(), T.xnn_datatype_qcint8, p.per_channel(scales, 0)),
        "qc4": lambda p: p.constant(packed, T.xnn_datatype_qcint4, p.per_channel(scales4, 0), dims=(rows, columns)),
    }, scales


def make_fully_connected(w):
    weight, bias = w.random(4, 8), w.random(4)
    for shape in [(8,), (1, 8), (3, 8), (2, 3, 8), (2, 1, 3, 8), (2, 1, 2, 1, 8), (2, 1, 2, 1, 2, 8)]:
        out = shape[:-1] + (4,)
        rank = f"rank{len(shape)}{'_row' if shape == (1, 8) else ''}"
        for flags in (0, 1):
            p = Payload()
            x, k = p.input(shape), p.constant((weight.T if flags else weight).contiguous().numpy())
            b, y = p.constant(bias.numpy()), p.output(out)
            p.add(schema.XNNFullyConnected(x, k, b if flags else INVALID, y, flags), 0.0 if flags else None)
            w.case(f"fully_connected_{rank}{'_transposed' if flags else ''}", p, [w.random(*shape)], [(F, out)])
        # The filter is computed, or given.
        p = Payload()
        x, k = p.input(shape), p.input((4, 8))
        b, y = p.constant(bias.numpy()), p.output(out)
        p.add(schema.XNNFullyConnected(x, k, b, y, 0))
        w.case(f"fully_connected_{rank}_filter_given", p, [w.random(*shape), weight], [(F, out)])
        # Quantised weights, with rows that are quantised at run time or in advance.
        stored, scales = weights(w)
        for name in ("qc8", "qc4"):
            p = Payload()
            x, d = p.input(shape), p.inner(shape, T.xnn_datatype_qdint8, schema.PerTokenDynamicQuant(1))
            p.add(schema.XNNConvert(x, d, 0))
            k, b, y = stored[name](p), p.constant(bias.numpy()), p.output(out)
            p.add(schema.XNNFullyConnected(d, k, b, y, 0))
            w.case(f"fully_connected_{rank}_qd8_{name}", p, [w.random(*shape)], [(F, out)], rtol=1e-3, atol=0.03)
        p = Payload()
        x = p.input(shape, T.xnn_datatype_qint8, per_tensor(0.02, 5))
        y = p.output(out, T.xnn_datatype_qint8, per_tensor(0.05, -10))
        bias_scales = 0.02 * scales
        k = stored["qc8"](p)
        b = p.constant((bias / bias_scales).round().int().numpy(), T.xnn_datatype_qcint32, p.per_channel(bias_scales, 0))
        p.add(schema.XNNFullyConnected(x, k, b, y, 0))
        w.case(f"fully_connected_{rank}_qint8", p, [torch.randint(-128, 128, shape, generator=w.generator, dtype=torch.int8)],
               [(torch.int8, out)], atol=1)
        p = Payload()
        x, y = p.input(shape, T.xnn_datatype_fp16), p.output(out, T.xnn_datatype_fp16)
        k, b = p.constant(weight.half().numpy(), T.xnn_datatype_fp16), p.constant(bias.numpy())
        p.add(schema.XNNFullyConnected(x, k, b, y, 0))
        w.case(f"fully_connected_{rank}_fp16", p, [w.random(*shape).half()], [(torch.float16, out)], rtol=1e-2, atol=1e-2)
    p = Payload()
    x, k, y = p.input((3, 8)), p.constant(weight.numpy(), dims=(4, 1, 1, 8)), p.output((3, 4))
    p.add(schema.XNNFullyConnected(x, k, INVALID, y, 0))
    w.case("fully_connected_filter_rank4", p, [w.random(3, 8)], [(F, (3, 4))])


def make_batch_products(w):
    for number, (a, b) in enumerate([
            ((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((2, 3, 4), (1, 4, 5)), ((1, 3, 4), (2, 4, 5)),
            ((2, 1, 3, 4), (1, 3, 4, 5)), ((2, 3, 4), (3, 1, 4, 5)), ((2, 1, 2, 1, 3, 4), (2, 1, 2, 4, 5)),
            ((2, 2, 1, 2, 3, 4), (1, 2, 2, 1, 4, 5)), ((2, 1, 4), (2, 4, 1)), ((3, 2, 2, 3, 4), (4, 5))]):
        out = torch.broadcast_shapes(a[:-2], b[:-2]) + (a[-2], b[-1])
        for flags in (0, 1):
            turned = b[:-2] + (b[-1], b[-2]) if flags else b
            for constant in (False, True):
                p = Payload()
                x = p.input(a)
                k = p.constant(w.random(*turned).numpy()) if constant else p.input(turned)
                y = p.output(out)
                p.add(schema.XNNBatchMatrixMultiply(x, k, y, flags))
                name = f"batch_product_{number}{'_transposed' if flags else ''}{'_constant' if constant else ''}"
                w.case(name, p, [w.random(*a)] + ([] if constant else [w.random(*turned)]), [(F, out)])
        p = Payload()
        x = p.input(a, T.xnn_datatype_qint8, per_tensor(0.02, 5))
        k = p.input(b, T.xnn_datatype_qint8, per_tensor(0.03, 0))
        y = p.output(out, T.xnn_datatype_qint8, per_tensor(0.2, -4))
        p.add(schema.XNNBatchMatrixMultiply(x, k, y, 0))
        stored = [torch.randint(-128, 128, s, generator=w.generator, dtype=torch.int8) for s in (a, b)]
        w.case(f"batch_product_{number}_qint8", p, stored, [(torch.int8, out)], atol=1)


def make_images(w):
    for name, shape, flags in [
            ("rank3", (4, 5, 3), KEEP_DIMS), ("rank3_dropped", (4, 5, 3), 0), ("rank4", (2, 4, 5, 3), KEEP_DIMS),
            ("rank4_dropped", (2, 4, 5, 3), 0), ("rank5", (2, 1, 4, 5, 3), KEEP_DIMS), ("rank5_dropped", (2, 1, 4, 5, 3), 0)]:
        out = shape[:-3] + ((1, 1) if flags else ()) + shape[-1:]
        p = Payload()
        x, y = p.input(shape), p.output(out)
        p.add(schema.XNNGlobalAvgPooling2d(x, y, flags), -0.1)
        w.case(f"global_average_pooling_{name}", p, [w.random(*shape)], [(F, out)])
        p = Payload()
        x, i, y = p.input(shape, T.xnn_datatype_qint8, per_tensor(0.02, 5)), p.inner(out, T.xnn_datatype_qint8, per_tensor(0.02, 5)), p.output(out)
        p.add(schema.XNNGlobalAvgPooling2d(x, i, flags))
        p.add(schema.XNNConvert(i, y, 0))
        # One step of the result may differ where a mean falls between two.
        w.case(f"global_average_pooling_{name}_qint8", p,
               [torch.randint(-128, 128, shape, generator=w.generator, dtype=torch.int8)], [(F, out)], atol=0.021)
    for name, lead in [("rank3", ()), ("rank4", (2,)), ("rank5", (1, 2))]:
        shape, out = lead + (6, 7, 3), lead + (3, 3, 3)
        p = Payload()
        x, y = p.input(shape), p.output(out)
        p.add(schema.XNNMaxPooling2d(0, 0, 0, 0, 2, 2, 2, 2, 1, 1, x, y, 0), -0.5, 1.0)
        w.case(f"max_pooling_{name}", p, [w.random(*shape)], [(F, out)])
        p = Payload()
        x, y = p.input(shape), p.output(out)
        p.add(schema.XNNAvgPooling2d(0, 0, 0, 0, 2, 2, 2, 2, 0, 0, x, y, 0))
        w.case(f"average_pooling_{name}", p, [w.random(*shape)], [(F, out)])
        p = Payload()
        x, y, index = p.input(shape), p.output(out), p.output(out, T.xnn_datatype_int32)
        p.add(schema.XNNArgMaxPooling2d(0, 0, 0, 0, 2, 2, x, y, index, 0))
        w.case(f"argmax_pooling_{name}", p, [w.random(*shape)], [(F, out), (torch.int64, out)])
        for bias in (True, False):
            ending = f"{name}{'' if bias else '_no_bias'}"
            p = Payload()
            out = lead + (4, 5, 5)
            x, k = p.input(shape), p.constant(w.random(5, 3, 3, 3).numpy())
            b, y = p.constant(w.random(5).numpy()) if bias else INVALID, p.output(out)
            convolution(p, schema.XNNConv2d, x, k, b, y, (3, 3), channels=(3, 5))
            w.case(f"convolution_{ending}", p, [w.random(*shape)], [(F, out)])
            p = Payload()
            out = lead + (4, 5, 6)
            x, k = p.input(shape), p.constant(w.random(1, 3, 3, 6).numpy())
            b, y = p.constant(w.random(6).numpy()) if bias else INVALID, p.output(out)
            convolution(p, schema.XNNDepthwiseConv2d, x, k, b, y, (3, 3), channels=(1, 2), groups=3)
            w.case(f"depthwise_convolution_multiplier_{ending}", p, [w.random(*shape)], [(F, out)])
            p = Payload()
            out = lead + (8, 9, 5)
            x, k = p.input(shape), p.constant(w.random(5, 3, 3, 3).numpy())
            b, y = p.constant(w.random(5).numpy()) if bias else INVALID, p.output(out)
            convolution(p, schema.XNNConvTranspose2d, x, k, b, y, (3, 3), channels=(3, 5))
            w.case(f"transposed_convolution_{ending}", p, [w.random(*shape)], [(F, out)])
    # Padding that the runtime computes, for even and odd extents.
    for stride in (1, 2, 3):
        shape = (1, 7, 8, 3)
        out = (1, math.ceil(7 / stride), math.ceil(8 / stride), 5)
        p = Payload()
        x, k, b, y = p.input(shape), p.constant(w.random(5, 3, 2, 3).numpy()), p.constant(w.random(5).numpy()), p.output(out)
        convolution(p, schema.XNNConv2d, x, k, b, y, (3, 2), stride=(stride, stride), channels=(3, 5), flags=4)
        w.case(f"convolution_same_{stride}", p, [w.random(*shape)], [(F, out)])
        p = Payload()
        out = out[:3] + (3,)
        x, y = p.input(shape), p.output(out)
        p.add(schema.XNNMaxPooling2d(0, 0, 0, 0, 3, 3, stride, stride, 1, 1, x, y, 4))
        w.case(f"max_pooling_same_{stride}", p, [w.random(*shape)], [(F, out)])
        p = Payload()
        x, y = p.input(shape), p.output(out)
        p.add(schema.XNNAvgPooling2d(0, 0, 0, 0, 3, 3, stride, stride, 0, 0, x, y, 4))
        w.case(f"average_pooling_same_{stride}", p, [w.random(*shape)], [(F, out)])


def make_attention(w):
    for name, lead, mask in [("rank4", (1, 2), (3, 5)), ("rank3", (2,), (3, 5)), ("rank2", (), (3, 5))]:
        q, k, v = w.random(*lead, 3, 4), w.random(*lead, 5, 4), w.random(*lead, 5, 4)
        scale, m = w.random(4, low=0.2, high=0.6), w.random(*mask)
        p = Payload()
        ids = [p.input(t.shape) for t in (q, k, v)] + [p.constant(scale.numpy()), p.input(m.shape)]
        y = p.output(q.shape)
        p.add(schema.XNNScaledDotProductAttention(*ids, y, 0))
        w.case(f"attention_{name}", p, [q, k, v, m], [(F, q.shape)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "Tests/Fixtures/xnnpack/forms")
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    writer = FormWriter(arguments.out, arguments.all)
    for make in (make_unary, make_binary, make_prelu, make_shapes, make_conversions, make_fully_connected, make_batch_products, make_images,
                 make_attention):
        make(writer)
    for note in writer.notes:
        print(note)


if __name__ == "__main__":
    main()
