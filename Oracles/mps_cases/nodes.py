"""Nodes and forms that the exporter does not write, and schemas before the present one."""
import math

import torch
from torch.nn import functional as F

from mps_cases.payload import OLD_SCHEMAS, Payload, integers, random

put = torch.ops.aten.index_put


def make_kinds(w):
    """Kinds that exporters do not write."""
    x, y = random(2, 3), random(3)
    p = Payload()
    a, b = p.input(x), p.input(y)
    for kind in ("Min", "Max", "Atan2", "Minimum"):
        p.binary(kind, a, b, p.output((2, 3)))
    w.case("binary_kinds", p, [x, y], [torch.minimum(x, y), torch.maximum(x, y), torch.atan2(x, y), torch.minimum(x, y)])

    i, j = integers(2, 3, dtype=torch.int64), integers(3, low=1, dtype=torch.int64)
    p = Payload()
    a, b = p.input(i), p.input(j)
    for kind in ("Min", "Max"):
        p.binary(kind, a, b, p.output((2, 3), torch.int64))
    p.binary("Atan2", a, b, p.output((2, 3)))
    p.binary("Div", a, b, p.output((2, 3), torch.int64))
    p.binary("Add", a, b, p.output((2, 3), torch.int64), alpha=3)
    w.case(
        "binary_kinds_of_integers", p, [i, j],
        [torch.minimum(i, j), torch.maximum(i, j), torch.atan2(i, j), i // j, torch.add(i, j, alpha=3)])

    # Unary functions that decompositions hide.
    z = random(2, 4, low=0.1, high=2.0)
    p = Payload()
    a = p.input(z)
    kinds = {"Exp2": torch.exp2, "Log10": torch.log10, "Log2": torch.log2, "Rsqrt": torch.rsqrt, "Reciprocal": torch.reciprocal}
    for kind in kinds:
        p.unary(kind, a, p.output(z.shape))
    p.unary("GELU", a, p.output(z.shape))
    p.unary("GELU", a, p.output(z.shape), approximate="tanh")
    p.unary("LeakyReLU", a, p.output(z.shape), negative_slope=0.3)
    w.case("unary_kinds", p, [z], [f(z) for f in kinds.values()] + [F.gelu(z), F.gelu(z, approximate="tanh"), F.leaky_relu(z, 0.3)])


def make_products(w):
    a, b, bias, full = random(2, 3), random(3, 4), random(4), random(2, 4)
    p = Payload()
    m, n, v, f = (p.input(t) for t in (a, b, bias, full))
    forms = [(v, 1, 1), (v, 0.5, 2), (f, 1, 1), (f, -1, 0.5), (f, 0, 3)]
    for addend, beta, alpha in forms:
        p.node("Addmm", input1_id=addend, input2_id=m, input3_id=n, output_id=p.output((2, 4)), beta=beta, alpha=alpha)
    expected = [torch.addmm(bias if addend == v else full, a, b, beta=beta, alpha=alpha) for addend, beta, alpha in forms]
    w.case("addmm_factors", p, [a, b, bias, full], expected)


def make_bounds(w):
    """Bounds of any kind of node."""
    x, y = random(2, 3), random(3)
    p = Payload()
    a, b = p.input(x), p.input(y)
    p.binary("Add", a, b, p.output((2, 3)), alpha=1, low=0, high=1)
    p.binary("Mul", a, b, p.output((2, 3)), low=-0.5)
    p.unary("Neg", a, p.output((2, 3)), high=0.25)
    p.unary("Clamp", a, p.output((2, 3)))
    p.unary("Clamp", a, p.output((2, 3)), low=0, high=6)
    w.case(
        "bounds", p, [x, y],
        [torch.clamp(x + y, 0, 1), torch.clamp(x * y, min=-0.5), torch.clamp(-x, max=0.25), x, torch.clamp(x, 0, 6)])

    image, filter = random(1, 2, 5, 5), random(3, 2, 3, 3)
    p = Payload()
    a, b = p.input(image), p.constant(filter)
    p.node(
        "Conv2D", input1_id=a, input2_id=b, input3_id=-1, output_id=p.output((1, 3, 3, 3)), stride_x=1, stride_y=1, dilation_x=1,
        dilation_y=1, groups=1, low=0, high=2)
    w.case("bounds_of_convolution", p, [image], [torch.clamp(F.conv2d(image, filter), 0, 2)])

    i = integers(8)
    p = Payload()
    a = p.input(i)
    p.unary("Clamp", a, p.output(i.shape, torch.int32), low=-3, high=4)
    p.unary("Abs", a, p.output(i.shape, torch.int32), high=5)
    w.case("bounds_of_integers", p, [i], [torch.clamp(i, -3, 4), torch.clamp(torch.abs(i), max=5)])


def make_images(w):
    """Windows that differ at the sides, and nodes without some operands and results."""
    x, weight, bias = random(1, 2, 6, 7), random(4, 1, 3, 2), random(4)
    p = Payload()
    a, f, c = p.input(x), p.constant(weight), p.constant(bias)
    fields = dict(input1_id=a, input2_id=f, stride_x=2, stride_y=1, dilation_x=1, dilation_y=2, groups=2, padding_left=1, padding_right=2,
                  padding_top=0, padding_bottom=3)
    expected = F.conv2d(F.pad(x, (1, 2, 0, 3)), weight, None, (1, 2), 0, (2, 1), 2)
    p.node("DepthwiseConv2D", output_id=p.output(expected.shape), input3_id=-1, **fields)
    p.node("Conv2D", output_id=p.output(expected.shape), input3_id=c, **fields)
    w.case("convolution_with_uneven_padding", p, [x], [expected, expected + bias[:, None, None]])

    p = Payload()
    a = p.input(x)
    window = dict(input1_id=a, kernel_height=3, kernel_width=2, stride_height=2, stride_width=1, padding_left=1, padding_right=0,
                  padding_top=0, padding_bottom=1, dilation_height=1, dilation_width=1)
    largest = F.max_pool2d(F.pad(x, (1, 0, 0, 1), value=-math.inf), (3, 2), (2, 1))
    mean = F.avg_pool2d(F.pad(x, (1, 0, 0, 1)), (3, 2), (2, 1))
    p.node("MaxPool2DWithIndices", output1_id=p.output(largest.shape), output2_id=-1, **window)
    p.node("AvgPool2D", output1_id=p.output(mean.shape), output2_id=-1, count_include_pad=True, **window)
    w.case("pooling_with_uneven_padding", p, [x], [largest, mean])

    mean, variance = random(2), random(2, low=0.5)
    for name, scale, shift in (("neither", None, None), ("weight", random(2), None), ("bias", None, random(2))):
        p = Payload()
        a, m, v = p.input(x), p.constant(mean), p.constant(variance)
        ids = {"weight_id": -1 if scale is None else p.constant(scale), "bias_id": -1 if shift is None else p.constant(shift)}
        p.node(
            "BatchNorm", input_id=a, mean_id=m, var_id=v, momentum=0.1, epsilon=1e-3, output1_id=p.output(x.shape), output2_id=-1,
            output3_id=-1, **ids)
        p.node(
            "LayerNorm", input1_id=a, normalized_shape=[6, 7], weight_id=-1, bias_id=-1, eps=1e-3, output1_id=p.output(x.shape),
            output2_id=p.output((1, 2, 1, 1)), output3_id=p.output((1, 2, 1, 1)))
        norm = torch.native_layer_norm(x, (6, 7), None, None, 1e-3)
        w.case(
            f"norm_with_{name}", p, [x], [F.batch_norm(x, mean, variance, scale, shift, eps=1e-3), *norm], tolerance=1e-4)


def make_indices(w):
    """Advanced indexing where upstream's runtime is "not yet implemented"."""
    x, i, j = random(4, 3, 5), torch.tensor([3, 0, -1]), torch.tensor([[1], [2]])
    p = Payload(metal_kernel=True)
    a, m, n = p.input(x), p.input(i), p.input(j)
    p.node("IndexTensor", input1_id=a, indices_id=[m, n], output_id=p.output((2, 3, 5)))
    w.case("index_metal_kernel", p, [x, i, j], [x[i, j]])

    values = random(4, 1, 3)
    p = Payload(metal_kernel=True)
    a, m, n, v = p.input(x), p.input(i), p.input(j), p.input(values)
    p.node("IndexPut", input1_id=a, indices_id=[-1, n, m], values_shape=[], values_id=v, output_id=p.output(x.shape))
    w.case("index_put_metal_kernel", p, [x, i, j, values], [put(x, [None, j, i], values)])

    mask, number = x > 0.5, torch.tensor(7.0)
    p = Payload()
    a, m, v = p.input(x), p.input(mask), p.input(number)
    p.node("IndexPut", input1_id=a, indices_id=[m], values_id=v, output_id=p.output(x.shape))
    w.case("index_put_by_mask", p, [x, mask, number], [put(x, [mask], number)])

    index, source = torch.tensor([[[0, 4, 2]], [[1, 0, 3]]]), random(2, 1, 3)
    p = Payload()
    a, m, s = p.input(x), p.input(index), p.input(source)
    p.node("Scatter", input1_id=a, dim=-1, idx_id=m, src_id=s, output_id=p.output(x.shape))
    w.case("scatter", p, [x, index, source], [torch.scatter(x, -1, index, source)])

    table, rows = random(6, 4), torch.tensor([[5, 1], [1, 0]])
    p = Payload()
    t, r = p.constant(table), p.input(rows)
    p.node("Embedding", input1_id=t, input2_id=r, padding_idx=1, output_id=p.output((2, 2, 4)))
    w.case("embedding_with_padding_index", p, [rows], [F.embedding(rows, table, padding_idx=1)])


def make_groups(w):
    """4-bit weights: two in a byte, the even one in the low half, with a scale for each group of a row."""
    stored, scales, x = integers(6, 8, low=-8, high=8, dtype=torch.int8), random(6, 2, low=0.1, high=0.5), random(3, 8)
    packed = ((stored[:, ::2] & 15) | (stored[:, 1::2] & 15) << 4).to(torch.uint8)
    weight = stored.float() * scales.repeat_interleave(4, 1)
    for half in (False, True):
        p = Payload()
        a = p.input(x)
        q, s = p.constant(packed, dims=(6, 8), dtype="int4"), p.constant(scales.half() if half else scales)
        d, t, y = p.value((6, 8)), p.value((8, 6)), p.output((3, 6))
        if half:
            p.unary("Cast", a, a, dtype="mps_data_type_float16")
        p.node(
            "DequantizePerChannelGroup", input1_id=q, output_id=d, scales_id=s, zero_points_id=-1, quant_min=-8, quant_max=7,
            dtype="mps_data_type_int8", group_size=4, output_dtype="mps_data_type_float32")
        p.unary("Permute", d, t, num_dims=2, perm=[1, 0])
        p.binary("MatMul", a, t, y)
        if half:
            p.unary("Cast", y, y, dtype="mps_data_type_float32")
        w.case(f"groups_of_4_bits_{'fp16' if half else 'fp32'}", p, [x], [x @ weight.T], tolerance=2e-2 if half else 1e-5)
    points = integers(6, 2, low=-2, high=3, dtype=torch.int8)
    p = Payload()
    a = p.input(x)
    q, s, z = p.constant(packed, dims=(6, 8), dtype="int4"), p.constant(scales), p.constant(points)
    d = p.value((6, 8))
    p.node(
        "DequantizePerChannelGroup", input1_id=q, output_id=d, scales_id=s, zero_points_id=z, quant_min=-8, quant_max=7,
        dtype="mps_data_type_int8", group_size=4, output_dtype="mps_data_type_float32")
    t = p.value((8, 6))
    p.unary("Permute", d, t, num_dims=2, perm=[1, 0])
    p.binary("MatMul", a, t, p.output((3, 6)))
    shifted = (stored.float() - points.float().repeat_interleave(4, 1)) * scales.repeat_interleave(4, 1)
    w.case("groups_with_zero_points", p, [x], [x @ shifted.T])


def make_numbers(w):
    """Python numbers, which exporters store as int64 or float32 whatever the declared type, and rank 0 as [1]."""
    h, i = random(2, 3).half(), integers(2, 3, dtype=torch.int64)
    p = Payload()
    a, b = p.input(h), p.input(i)
    k, f, g = (p.constant(torch.tensor(n), dims=(1,), dtype=t) for n, t in ((2, "float16"), (1.5, "float16"), (2.5, "int64")))
    p.binary("Mul", a, k, p.output(h.shape, torch.float16))
    p.binary("Mul", a, f, p.output(h.shape, torch.float16))
    p.binary("Mul", b, p.constant(torch.tensor(3), dims=(1,), dtype="int64"), p.output(i.shape, torch.int64))
    w.case("stored_numbers", p, [h, i], [h * 2, h * 1.5, i * 3], tolerance=2e-3)

    x, y = torch.tensor(1.5), random(3)
    p = Payload()
    a, b, one = p.input(x), p.input(y), p.constant(torch.tensor([2.0]))
    p.binary("Mul", a, one, p.output(()))
    p.binary("Add", a, b, p.output((3,)), alpha=1)
    p.unary("Mean", b, p.output(()), num_dims=1, dims=[0], keep_dims=False)
    p.node("Full", output_id=p.output(()), shape=[1], fill_value=3, dtype="mps_data_type_float32")
    w.case("rank_0", p, [x, y], [x * 2, x + y, y.mean(), torch.tensor(3.0)])


def make_old(w):
    """Constants inside the graph, with and without header, in all schemas that had them there."""
    for name, schema in [("inline_constants", None)] + [(f"schema_{date}", schema) for date, schema in OLD_SCHEMAS.items()]:
        x, rows = random(2, 3), torch.tensor([1, 0, 1])
        weight, table, number = random(3, 4), random(2, 4).half(), torch.tensor([2, -1], dtype=torch.int64)
        p = Payload("inline") if schema is None else Payload("headerless", schema)
        a, r = p.input(x), p.input(rows)
        f, t, n = p.constant(weight), p.constant(table), p.constant(number)
        p.binary("MatMul", a, f, p.output((2, 4)))
        p.binary("Embedding", t, r, p.output((3, 4), torch.float16))
        c = p.value((2, 3), torch.bool)
        p.binary("Gt", a, p.constant(torch.tensor([0.25])), c)
        p.node("Where", input1_id=c, input2_id=a, input3_id=p.constant(torch.tensor([-1.0])), output_id=p.output((2, 3)))
        p.node("Arange", output_id=p.output((3,), torch.int64), start=1, end=7, step=2, dtype="mps_data_type_int64")
        wide = p.value((2, 1), torch.int64)
        p.unary("View", n, wide, num_dims=2, shape=[2, 1])
        p.binary("Mul", wide, r, p.output((2, 3), torch.int64))
        p.unary("Permute", a, p.output((3, 2)), num_dims=2, perm=[1, 0])
        expected = [x @ weight, table[rows], torch.where(x > 0.25, x, -1.0), torch.arange(1, 7, 2), number.view(2, 1) * rows, x.T]
        if schema is None or "MPSLogicalNot" in schema:
            p.unary("LogicalNot", c, p.output((2, 3), torch.bool))
            p.node("IndexTensor", input1_id=a, indices_id=[-1, r], output_id=p.output((2, 3)))
            expected += [~(x > 0.25), x[:, rows]]
        w.case(name, p, [x, rows], expected)


def make_shuffle(w):
    """The exporter decomposes it."""
    x = random(2, 8, 2, 3)
    p = Payload()
    a, b = p.input(x), p.value((2, 2, 4, 6))
    p.unary("PixelShuffle", a, b, upscale_factor=2)
    p.unary("PixelShuffle", b, p.output((2, 2, 4, 6)), upscale_factor=1)
    w.case("pixel_shuffle", p, [x], [F.pixel_shuffle(x, 2)])


ALL = (make_kinds, make_products, make_bounds, make_images, make_indices, make_groups, make_numbers, make_old, make_shuffle)
