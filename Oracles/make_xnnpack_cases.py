"""Writes recorded cases of XNNPACK payloads: every kind of node and every type of value.

  python make_xnnpack_cases.py [--out DIRECTORY]

Payloads are assembled node by node, because exporters write neither all kinds of nodes nor all types. The program around each payload is
one delegate call. Expected outputs come from ExecuTorch's runtime. If that rejects a payload which the schema allows, the case states its
expected outputs (`expected`). The programs under `refused` contain one error each; the folder name tells the tests which one.

Attention cases are exported modules: with symbolic extents, masks, scales and the steps of a safe softmax, portable and for XNNPACK.

Versions: see requirements.txt.
"""
import argparse
import functools
import json
import math
import multiprocessing
import pathlib
import shutil
import warnings

warnings.filterwarnings("ignore")
import numpy as np
import torch

from make_reader_fixtures import PROGRAM_SCHEMA, Double, flatc_to_binary, flatc_to_json, lower
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.backends.xnnpack.serialization import xnnpack_graph_schema as schema
from executorch.backends.xnnpack.serialization.xnnpack_graph_serialize import serialize_xnnpack_binary
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

T = schema.XNNDatatype
INVALID = 2**32 - 1
SCALAR_TYPES = {
    torch.float32: "FLOAT", torch.float16: "HALF", torch.bfloat16: "BFLOAT16", torch.int64: "LONG", torch.int32: "INT", torch.int8: "CHAR",
    torch.uint8: "BYTE", torch.int16: "SHORT", torch.bool: "BOOL", torch.float64: "DOUBLE"}


class Payload:
    """A graph under construction. Values are ids. Constants follow the graph; they must not have a name, not even an empty one."""

    def __init__(self):
        self.nodes, self.values, self.data, self.offsets = [], [], bytearray(), [schema.ConstantDataOffset(0, 0, None)]
        self.external = []

    def constant_data(self, data):
        self.data += b"\0" * (-len(self.data) % 16)
        self.offsets.append(schema.ConstantDataOffset(len(self.data), len(data), None))
        self.data += data
        return len(self.offsets) - 1

    def value(self, datatype, dims, *, data=None, quant=None, flags=0):
        external = INVALID
        if flags:
            external = len(self.external)
            self.external.append(flags)
        buffer = 0 if data is None else self.constant_data(data)
        tensor = schema.XNNTensorValue(datatype, len(dims), list(dims), buffer, external, flags, len(self.values))
        value = tensor if quant is None else schema.XNNQuantizedTensorValue(tensor, quant)
        self.values.append(schema.XValue(value))
        return len(self.values) - 1

    def input(self, dims, datatype=T.xnn_datatype_fp32, quant=None):
        return self.value(datatype, dims, quant=quant, flags=1)

    def output(self, dims, datatype=T.xnn_datatype_fp32, quant=None):
        return self.value(datatype, dims, quant=quant, flags=2)

    def inner(self, dims, datatype=T.xnn_datatype_fp32, quant=None):
        return self.value(datatype, dims, quant=quant)

    def constant(self, array, datatype=T.xnn_datatype_fp32, quant=None, dims=None):
        return self.value(datatype, dims or array.shape, data=np.ascontiguousarray(array).tobytes(), quant=quant)

    def per_channel(self, scales, axis):
        return schema.PerChannelQuant([], axis, self.constant_data(np.asarray(scales, np.float32).tobytes()), len(scales))

    def add(self, node, low=None, high=None):
        bounds = None if low is None and high is None else schema.OutputMinMax(
            -math.inf if low is None else low, math.inf if high is None else high)
        self.nodes.append(schema.XNode(node, len(self.nodes), bounds))

    def bytes(self):
        graph = schema.XNNGraph(
            "0", self.nodes, self.values, len(self.external), [i for i, f in enumerate(self.external) if f == 1],
            [i for i, f in enumerate(self.external) if f == 2], self.offsets)
        return serialize_xnnpack_binary(graph, bytes(self.data))


@functools.cache
def template():
    inline = ExecutorchBackendConfig(extract_delegate_segments=False)
    program = lower(Double(), torch.ones(1, 3), partitioner=XnnpackPartitioner(), config=inline)
    return json.dumps(flatc_to_json(PROGRAM_SCHEMA, program.buffer))


def program(payload, inputs, outputs, delegate="XnnpackBackend"):
    """A program that passes `inputs` and `outputs`, lists of (dtype, sizes), to the payload of a delegate."""
    value = json.loads(template())
    plan = value["execution_plan"][0]
    model = next(v for v in plan["values"] if v["val_type"] == "Tensor")
    plan["values"], offset = [], 0
    for dtype, sizes in inputs + outputs:
        tensor = json.loads(json.dumps(model))
        sizes = list(sizes)
        tensor["val"] |= {"scalar_type": SCALAR_TYPES[dtype], "sizes": sizes, "dim_order": list(range(len(sizes)))}
        tensor["val"]["shape_dynamism"] = "STATIC"
        tensor["val"]["allocation_info"] = {"memory_id": 1, "memory_offset_low": offset, "memory_offset_high": 0}
        offset += (math.prod(sizes) * 8 + 15) // 16 * 16
        plan["values"].append(tensor)
    count = len(inputs) + len(outputs)
    plan["inputs"], plan["outputs"] = list(range(len(inputs))), list(range(len(inputs), count))
    plan["non_const_buffer_sizes"] = [0, offset]
    plan["chains"] = [{"inputs": [], "outputs": [], "instructions": [
        {"instr_args_type": "DelegateCall", "instr_args": {"delegate_index": 0, "args": list(range(count))}}]}]
    plan["delegates"][0]["id"] = delegate
    value["backend_delegate_data"][0]["data"] = list(payload)
    return flatc_to_binary(PROGRAM_SCHEMA, value)


def save(folder, model, steps, *, rtol, atol, oracle, family="xnnpack"):
    """`steps`: pairs of input and output lists."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "model.pte").write_bytes(model)

    def entries(kind, step, tensors):
        result = []
        for index, tensor in enumerate(tensors):
            name = f"step{step}_{kind}{index}.npy" if len(steps) > 1 else f"{kind}{index}.npy"
            bf16 = tensor.dtype == torch.bfloat16
            np.save(folder / name, tensor.contiguous().view(torch.uint16).numpy() if bf16 else tensor.contiguous().numpy())
            result.append({"file": name} | ({"dtype": "bfloat16"} if bf16 else {}))
        return result

    recorded = [
        {"inputs": entries("input", number, inputs), "outputs": entries("output", number, outputs)}
        for number, (inputs, outputs) in enumerate(steps)]
    case = {"name": f"{family}.{folder.name}", "family": family, "method": "forward"}
    case |= recorded[0] if len(recorded) == 1 else {"steps": recorded}
    case |= {"rtol": rtol, "atol": atol, "oracle": oracle}
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")


def run(model, inputs):
    """The results of the runtime, computed in a child process, because some payloads crash it."""
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def body():
        try:
            results = _load_for_executorch_from_buffer(model).forward([x.clone() for x in inputs])
            sender.send([(r.dtype, r.shape, bytes(r.contiguous().flatten().view(torch.uint8).numpy())) for r in results])
        except Exception as error:
            sender.send(str(error))

    process = multiprocessing.get_context("fork").Process(target=body)
    process.start()
    sender.close()
    try:
        answer = receiver.recv()
    except EOFError:
        answer = "the process stopped"
    process.join()
    if isinstance(answer, str):
        raise RuntimeError(answer)
    return [torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape) for dtype, shape, data in answer]


class Writer:
    def __init__(self, out):
        self.out, self.generator, self.notes = out, torch.Generator().manual_seed(7), []

    def random(self, *shape, low=-2.0, high=2.0):
        return torch.rand(shape, generator=self.generator) * (high - low) + low

    def case(self, name, payload, inputs, outputs, *, expected=None, trusts_runtime=True, rtol=1e-4, atol=1e-5):
        """`inputs`: tensors. `outputs`: (dtype, sizes) each."""
        model = program(payload.bytes(), [(x.dtype, x.shape) for x in inputs], outputs)
        oracle = "executorch-1.4.1 runtime"
        try:
            if not trusts_runtime:
                raise RuntimeError("not asked")
            results = run(model, inputs)
            if expected is not None:
                for result, own in zip(results, expected):
                    if not torch.allclose(result.double(), own.double(), rtol=1e-3, atol=1e-4):
                        self.notes.append(f"{name}: the runtime has {result.flatten()[:6]}, the formula {own.flatten()[:6]}")
        except Exception as error:
            if expected is None:
                self.notes.append(f"{name}: not made: {str(error).splitlines()[0][:120]}")
                return
            self.notes.append(f"{name}: the runtime refuses it; the formula is recorded")
            results, oracle = expected, "formula"
        save(self.out / name, model, [(inputs, results)], rtol=rtol, atol=atol, oracle=oracle)


# MARK: nodes

UNARY = {
    "sigmoid": "XNNSigmoid", "clamp": "XNNClamp", "floor": "XNNFloor", "square_root": "XNNSquareRoot", "ceiling": "XNNCeiling",
    "hardswish": "XNNHardswish", "negate": "XNNNegate", "square": "XNNSquare", "abs": "XNNAbs",
    "reciprocal_square_root": "XNNReciprocalSquareRoot", "log": "XNNLog", "gelu": "XNNGelu", "tanh": "XNNTanh", "exp": "XNNExp",
    "sin": "XNNSin", "cos": "XNNCos", "copy": "XNNCopy", "softmax": "XNNSoftmax",
}
BINARY = {
    "add": "XNNAdd", "subtract": "XNNSubtract", "multiply": "XNNMultiply", "divide": "XNNDiv", "minimum": "XNNMinimum",
    "maximum": "XNNMaximum",
}


def make_elementwise(w):
    shape, result = (2, 3, 5), [(torch.float32, (2, 3, 5))]
    for name, kind in UNARY.items():
        p = Payload()
        x, y = p.input(shape), p.output(shape)
        bounds = (-0.75, 0.5) if name == "clamp" else (None, None)
        p.add(getattr(schema, kind)(x, y, 0), *bounds)
        positive = name in ("square_root", "reciprocal_square_root", "log")
        w.case(name, p, [w.random(*shape, low=0.1 if positive else -2)], result)
    for name, kind in BINARY.items():
        p = Payload()
        a, b, y = p.input(shape), p.input((3, 1)), p.output(shape)
        p.add(getattr(schema, kind)(a, b, y, 0))
        w.case(name, p, [w.random(*shape), w.random(3, 1, low=0.5)], result)
    for name, make in {
        "leaky_relu": lambda x, y: schema.XNNLeakyReLU(0.2, x, y, 0), "elu": lambda x, y: schema.XNNELU(0.7, x, y, 0)}.items():
        p = Payload()
        x, y = p.input(shape), p.output(shape)
        p.add(make(x, y))
        w.case(name, p, [w.random(*shape)], result)
    p = Payload()
    x, slope, y = p.input((1, 2, 2, 3)), p.constant(np.asarray([0.1, 0.5, -0.3], np.float32)), p.output((1, 2, 2, 3))
    p.add(schema.XNNPReLU(x, slope, y, 0))
    w.case("prelu", p, [w.random(1, 2, 2, 3)], [(torch.float32, (1, 2, 2, 3))])


def make_shapes(w):
    f = torch.float32
    x = w.random(2, 3, 4)

    def one(name, make, sizes, out, tensors=None):
        p = Payload()
        ids, y = [p.input(s) for s in sizes], p.output(out)
        p.add(make(ids, y))
        w.case(name, p, tensors or [w.random(*s) for s in sizes], [(f, out)])

    one("transpose", lambda i, y: schema.XNNStaticTranspose(3, [2, 0, 1], i[0], y, 0), [(2, 3, 4)], (4, 2, 3))
    one("reshape", lambda i, y: schema.XNNStaticReshape(2, [3, 8], i[0], y, 0), [(2, 3, 4)], (3, 8))
    one("slice", lambda i, y: schema.XNNStaticSlice(3, [1, 0, 1], [1, 3, 2], i[0], y, 0), [(2, 3, 4)], (1, 3, 2))
    one("pad", lambda i, y: schema.XNNStaticConstantPad([0, 1, 2], [1, 0, 1], 1.5, i[0], y, 0), [(2, 3, 4)], (3, 4, 7))
    for count in range(2, 6):
        kind = getattr(schema, f"XNNConcatenate{count}")
        sizes = [(2, n + 1, 3) for n in range(count)]

        def cat(i, y, kind=kind):
            i = i + [INVALID] * (5 - len(i))
            return kind(1, i[0], i[1], i[2], i[3], y, 0, i[4])

        one(f"concatenate{count}", cat, sizes, (2, sum(s[1] for s in sizes), 3))
    one("resize_bilinear", lambda i, y: schema.XNNStaticResizeBilinear2D(5, 6, i[0], y, 0), [(1, 3, 4, 2)], (1, 5, 6, 2))
    one("resize_bilinear_corners", lambda i, y: schema.XNNStaticResizeBilinear2D(5, 6, i[0], y, 8), [(1, 3, 4, 2)], (1, 5, 6, 2))


def make_pooling(w):
    f = torch.float32
    for name, kind, fields in [
        ("max_pooling", schema.XNNMaxPooling2d, (1, 0, 1, 1, 3, 2, 2, 1, 1, 1)),
        ("average_pooling", schema.XNNAvgPooling2d, (0, 0, 0, 0, 2, 3, 2, 2, 0, 0))]:
        p = Payload()
        x = p.input((1, 6, 7, 3))
        top, right, bottom, left, height, width, step_y, step_x, _, _ = fields
        out = (1, (6 + top + bottom - height) // step_y + 1, (7 + left + right - width) // step_x + 1, 3)
        y = p.output(out)
        p.add(kind(*fields, x, y, 0))
        w.case(name, p, [w.random(1, 6, 7, 3)], [(f, out)])
    p = Payload()
    x, y = p.input((2, 4, 5, 3)), p.output((2, 1, 1, 3))
    p.add(schema.XNNGlobalAvgPooling2d(x, y, 0))
    w.case("global_average_pooling", p, [w.random(2, 4, 5, 3)], [(f, (2, 1, 1, 3))])

    for name, (height, width), padding in [("argmax_pooling", (2, 3), (0, 0, 0, 0)), ("argmax_pooling_padded", (2, 2), (1, 0, 1, 1))]:
        top, right, bottom, left = padding
        image = w.random(2, 5, 6, 3)
        rows, columns = (5 + top + bottom) // height, (6 + left + right) // width
        p = Payload()
        x = p.input(image.shape)
        y, index = p.output((2, rows, columns, 3)), p.output((2, rows, columns, 3), T.xnn_datatype_int32)
        p.add(schema.XNNArgMaxPooling2d(top, right, bottom, left, height, width, x, y, index, 0))
        # Windows are adjacent, padding repeats the edge, and positions count down the columns of a window.
        nchw = torch.nn.functional.pad(image.permute(0, 3, 1, 2), (left, right, top, bottom), mode="replicate")
        nchw = nchw[:, :, :rows * height, :columns * width].reshape(2, 3, rows, height, columns, width)
        maxima, positions = nchw.permute(0, 2, 4, 1, 5, 3).reshape(2, rows, columns, 3, height * width).max(-1)
        w.case(name, p, [image], [(f, maxima.shape), (torch.int64, maxima.shape)], expected=[maxima, positions])


def make_products(w):
    f = torch.float32
    weight, bias = w.random(4, 6).numpy(), w.random(4).numpy()
    for name, flags, low in [("fully_connected", 0, None), ("fully_connected_transposed", 1, None), ("fully_connected_relu", 0, 0.0)]:
        p = Payload()
        x, k = p.input((2, 3, 6)), p.constant(weight.T if flags else weight)
        b, y = p.constant(bias), p.output((2, 3, 4))
        p.add(schema.XNNFullyConnected(x, k, b if name != "fully_connected" else INVALID, y, flags), low)
        w.case(name, p, [w.random(2, 3, 6)], [(f, (2, 3, 4))])
    for name, flags, sizes in [("batch_product", 0, (2, 4, 5)), ("batch_product_transposed", 1, (2, 5, 4))]:
        p = Payload()
        a, b, y = p.input((2, 3, 4)), p.input(sizes), p.output((2, 3, 5))
        p.add(schema.XNNBatchMatrixMultiply(a, b, y, flags))
        w.case(name, p, [w.random(2, 3, 4), w.random(*sizes)], [(f, (2, 3, 5))])
    # A constant operand with a batch axis.
    p = Payload()
    a, b, y = p.input((2, 3, 4)), p.constant(w.random(2, 4, 5).numpy()), p.output((2, 3, 5))
    p.add(schema.XNNBatchMatrixMultiply(a, b, y, 0))
    w.case("batch_product_constant", p, [w.random(2, 3, 4)], [(f, (2, 3, 5))])

    q, k, v = w.random(1, 2, 3, 4), w.random(1, 2, 5, 4), w.random(1, 2, 5, 4)
    scale, mask = w.random(4, low=0.2, high=0.6), w.random(3, 5)
    p = Payload()
    ids = [p.input(t.shape) for t in (q, k, v)] + [p.constant(scale.numpy()), p.input(mask.shape)]
    y = p.output((1, 2, 3, 4))
    p.add(schema.XNNScaledDotProductAttention(*ids, y, 0))
    expected = ((q * scale) @ k.transpose(-1, -2) + mask).softmax(-1) @ v
    w.case("scaled_dot_product_attention", p, [q, k, v, mask], [(f, (1, 2, 3, 4))], expected=[expected])


def convolution(p, kind, x, k, b, y, kernel, *, stride=(1, 1), dilation=(1, 1), padding=(0, 0, 0, 0), channels=(1, 1), groups=1,
                adjustment=(0, 0), flags=0, bounds=(None, None)):
    p.add(kind(*padding, *kernel, *stride, *dilation, *channels, groups, *adjustment, x, k, b, y, flags), *bounds)


def make_convolutions(w):
    f, image = torch.float32, (1, 6, 7, 4)
    p = Payload()
    x, k, b, y = p.input(image), p.constant(w.random(6, 3, 2, 4).numpy()), p.constant(w.random(6).numpy()), p.output((1, 3, 7, 6))
    convolution(p, schema.XNNConv2d, x, k, b, y, (3, 2), stride=(2, 1), padding=(1, 1, 1, 0), channels=(4, 6), bounds=(0.0, 6.0))
    w.case("convolution", p, [w.random(*image)], [(f, (1, 3, 7, 6))])
    p = Payload()
    x, k, b, y = p.input(image), p.constant(w.random(6, 3, 3, 2).numpy()), p.constant(w.random(6).numpy()), p.output((1, 2, 3, 6))
    convolution(p, schema.XNNConv2d, x, k, b, y, (3, 3), dilation=(2, 2), channels=(2, 3), groups=2)
    w.case("convolution_groups", p, [w.random(*image)], [(f, (1, 2, 3, 6))])
    p = Payload()
    x, k, y = p.input(image), p.constant(w.random(1, 3, 3, 4).numpy()), p.output((1, 6, 7, 4))
    b = p.constant(w.random(4).numpy())
    convolution(p, schema.XNNDepthwiseConv2d, x, k, b, y, (3, 3), padding=(1, 1, 1, 1), channels=(1, 1), groups=4)
    w.case("depthwise_convolution", p, [w.random(*image)], [(f, (1, 6, 7, 4))])
    for name, groups in [("transposed_convolution", 1), ("transposed_convolution_groups", 2)]:
        p = Payload()
        k = w.random(6, 3, 3, 4 // groups).numpy()
        out = (1, (6 - 1) * 2 + 3 - 2 + 1, (7 - 1) * 2 + 3 - 2 + 1, 6)
        x, k, b, y = p.input(image), p.constant(k), p.constant(w.random(6).numpy()), p.output(out)
        convolution(
            p, schema.XNNConvTranspose2d, x, k, b, y, (3, 3), stride=(2, 2), padding=(1, 1, 1, 1),
            channels=(4 // groups, 6 // groups), groups=groups, adjustment=(1, 1))
        w.case(name, p, [w.random(*image)], [(f, out)])


# MARK: types of values


def make_types(w):
    f = torch.float32
    per_tensor = schema.PerTensorQuant
    x = w.random(2, 3, 8)
    # Through every per-tensor quantised type.
    for name, datatype, quant in [
        ("type_qint8", T.xnn_datatype_qint8, per_tensor(0.02, -3)), ("type_quint8", T.xnn_datatype_quint8, per_tensor(0.03, 100)),
        ("type_fp16", T.xnn_datatype_fp16, None)]:
        p = Payload()
        a, b, y = p.input(x.shape), p.inner(x.shape, datatype, quant), p.output(x.shape)
        p.add(schema.XNNConvert(a, b, 0))
        p.add(schema.XNNConvert(b, y, 0))
        # Intermediate values in half precision need not be rounded.
        w.case(name, p, [x], [(f, x.shape)], atol=1e-3 if datatype == T.xnn_datatype_fp16 else 1e-6)
    # Quantised inputs and outputs are integers of the program.
    stored = torch.randint(-128, 128, (2, 3, 8), generator=w.generator, dtype=torch.int8)
    p = Payload()
    a, y = p.input(x.shape, T.xnn_datatype_qint8, per_tensor(0.05, 4)), p.output(x.shape, T.xnn_datatype_qint8, per_tensor(0.05, 4))
    p.add(schema.XNNStaticTranspose(3, [0, 1, 2], a, y, 0))
    w.case("type_qint8_external", p, [stored], [(torch.int8, x.shape)])
    p = Payload()
    a, y = p.input(x.shape, T.xnn_datatype_fp16), p.output(x.shape, T.xnn_datatype_fp16)
    p.add(schema.XNNHardswish(a, y, 0))
    w.case("type_fp16_external", p, [x.half()], [(torch.float16, x.shape)], rtol=4e-3, atol=2e-3)
    # bfloat16 and pfloat32 weights, quantised weights of all kinds.
    weight, bias = w.random(16, 64) * 0.3, w.random(16).numpy()
    rows = w.random(3, 64)

    def linear(name, make_weight, *, dynamic=False, expected=None, trusts_runtime=True, atol=1e-3, inputs=rows):
        p = Payload()
        x = p.input(rows.shape)
        if dynamic:
            d = p.inner(rows.shape, dynamic, schema.PerTokenDynamicQuant(1))
            p.add(schema.XNNConvert(x, d, 0))
            x = d
        k, b, y = make_weight(p), p.constant(bias), p.output((3, 16))
        p.add(schema.XNNFullyConnected(x, k, b, y, 0))
        w.case(name, p, [inputs], [(f, (3, 16))], rtol=1e-3, atol=atol, expected=expected, trusts_runtime=trusts_runtime)

    def formula(k):
        return [rows @ k.T + torch.from_numpy(bias)]

    scales = weight.abs().amax(1) / 127
    int8 = (weight / scales[:, None]).round().to(torch.int8)
    linear("weight_qcint8", lambda p: p.constant(int8.numpy(), T.xnn_datatype_qcint8, p.per_channel(scales, 0)),
           expected=formula(int8 * scales[:, None]), trusts_runtime=False)
    linear("weight_qcint8_dynamic", lambda p: p.constant(int8.numpy(), T.xnn_datatype_qcint8, p.per_channel(scales, 0)),
           dynamic=T.xnn_datatype_qdint8, atol=0.02)
    inline = schema.PerChannelQuant([float(s) for s in scales], 0, 0, 0)
    linear("weight_qcint8_inline_scales", lambda p: p.constant(int8.numpy(), T.xnn_datatype_qcint8, inline),
           dynamic=T.xnn_datatype_qdint8, atol=0.02)

    def packed(values):
        return (values[:, 0::2] | values[:, 1::2] << 4).to(torch.uint8).numpy()

    scales4 = weight.abs().amax(1) / 7
    int4 = (weight / scales4[:, None]).round().clamp(-8, 7).int() + 8
    linear("weight_qcint4", lambda p: p.constant(packed(int4), T.xnn_datatype_qcint4, p.per_channel(scales4, 0), dims=(16, 64)),
           dynamic=T.xnn_datatype_qdint8, atol=0.02)
    blocks = (weight.reshape(16, 2, 32).abs().amax(2) / 7).bfloat16()
    intb = (weight.reshape(16, 2, 32) / blocks[:, :, None].float()).round().clamp(-8, 7).int().reshape(16, 64) + 8

    def blockwise(p):
        index = p.constant_data(blocks.view(torch.uint16).numpy().tobytes())
        return p.constant(packed(intb), T.xnn_datatype_qbint4, schema.PerChannelGroupQuant([], 0, 32, None, index, 32), dims=(16, 64))

    linear("weight_qbint4", blockwise, dynamic=T.xnn_datatype_qdint8, atol=0.03)
    wide = schema.PerChannelGroupQuant([float(s) * 1.001 for s in blocks.flatten()], 0, 32, None, 0, 0)
    linear("weight_qbint4_wide_scales", lambda p: p.constant(packed(intb), T.xnn_datatype_qbint4, wide, dims=(16, 64)),
           dynamic=T.xnn_datatype_qdint8, atol=0.03)
    # Float rows with int8 weights, which the runtime computes wrongly, have been above; rows that span two axes it reads as if they
    # spanned one.
    p = Payload()
    a, d = p.input((2, 3, 64)), p.inner((2, 3, 64), T.xnn_datatype_qdint8, schema.PerTokenDynamicQuant(2))
    p.add(schema.XNNConvert(a, d, 0))
    k, b, y = p.constant(int8.numpy(), T.xnn_datatype_qcint8, p.per_channel(scales, 0)), p.constant(bias), p.output((2, 3, 16))
    p.add(schema.XNNFullyConnected(d, k, b, y, 0))
    many = w.random(2, 3, 64)
    w.case("rows_of_two_axes", p, [many], [(f, (2, 3, 16))], rtol=1e-3, atol=0.03,
           expected=[many @ (int8 * scales[:, None]).T + torch.from_numpy(bias)], trusts_runtime=False)
    # Images quantised at run time, per tensor.
    p = Payload()
    images = w.random(2, 5, 5, 4) * torch.tensor([1.0, 3.0]).reshape(2, 1, 1, 1)
    a, d = p.input(images.shape), p.inner(images.shape, T.xnn_datatype_qdint8, schema.PerTokenDynamicQuant(3))
    p.add(schema.XNNConvert(a, d, 0))
    filters = torch.randint(-127, 128, (6, 3, 3, 4), generator=w.generator, dtype=torch.int8)
    k = p.constant(filters.numpy(), T.xnn_datatype_qcint8, p.per_channel(scales[:6], 0))
    b, y = p.constant(bias[:6]), p.output((2, 3, 3, 6))
    convolution(p, schema.XNNConv2d, d, k, b, y, (3, 3), channels=(4, 6))
    w.case("convolution_dynamic", p, [images], [(f, (2, 3, 3, 6))], rtol=1e-3, atol=0.05)
    # An int8 layer: everything quantised, with an int32 bias per channel.
    p = Payload()
    given, result = per_tensor(0.02, 5), per_tensor(0.05, -10)
    a, qa = p.input(rows.shape), p.inner(rows.shape, T.xnn_datatype_qint8, given)
    p.add(schema.XNNConvert(a, qa, 0))
    bias_scales = 0.02 * scales
    stored_bias = (torch.from_numpy(bias) / bias_scales).round().int()
    k = p.constant(int8.numpy(), T.xnn_datatype_qcint8, p.per_channel(scales, 0))
    b = p.constant(stored_bias.numpy(), T.xnn_datatype_qcint32, p.per_channel(bias_scales, 0))
    qy, y = p.inner((3, 16), T.xnn_datatype_qint8, result), p.output((3, 16))
    p.add(schema.XNNFullyConnected(qa, k, b, qy, 0))
    p.add(schema.XNNConvert(qy, y, 0))
    # Results may differ by one step if a sum lies between two steps.
    w.case("layer_qint8", p, [rows], [(f, (3, 16))], atol=0.051)
    p = Payload()
    one = float(weight.abs().amax() / 127)
    whole = (weight / one).round().to(torch.int8)
    a, qa = p.input(rows.shape), p.inner(rows.shape, T.xnn_datatype_qint8, given)
    p.add(schema.XNNConvert(a, qa, 0))
    k = p.constant(whole.numpy(), T.xnn_datatype_qint8, per_tensor(one, 0))
    b = p.constant((torch.from_numpy(bias) / (0.02 * one)).round().int().numpy(), T.xnn_datatype_qint32, per_tensor(0.02 * one, 0))
    qy, y = p.inner((3, 16), T.xnn_datatype_qint8, result), p.output((3, 16))
    p.add(schema.XNNFullyConnected(qa, k, b, qy, 0))
    p.add(schema.XNNConvert(qy, y, 0))
    w.case("layer_qint8_one_scale", p, [rows], [(f, (3, 16))], atol=0.051)
    # The channel axis of depthwise weights is innermost.
    p = Payload()
    image = w.random(1, 5, 5, 4)
    kernel = torch.randint(-127, 128, (1, 3, 3, 4), generator=w.generator, dtype=torch.int8)
    channel = w.random(4, low=0.01, high=0.03)
    a, qa = p.input(image.shape), p.inner(image.shape, T.xnn_datatype_qint8, given)
    p.add(schema.XNNConvert(a, qa, 0))
    k = p.constant(kernel.numpy(), T.xnn_datatype_qcint8, p.per_channel(channel, 3))
    b = p.constant(np.zeros(4, np.int32), T.xnn_datatype_qcint32, p.per_channel(0.02 * channel, 0))
    qy, y = p.inner((1, 3, 3, 4), T.xnn_datatype_qint8, per_tensor(0.2, 0)), p.output((1, 3, 3, 4))
    convolution(p, schema.XNNDepthwiseConv2d, qa, k, b, qy, (3, 3), groups=4)
    p.add(schema.XNNConvert(qy, y, 0))
    w.case("depthwise_qint8", p, [image], [(f, (1, 3, 3, 4))], atol=0.201)
    # Integers.
    a_values = torch.randint(-1000, 1000, (2, 3, 8), generator=w.generator, dtype=torch.int32)
    b_values = torch.randint(-1000, 1000, (3, 1), generator=w.generator, dtype=torch.int32)
    for name, kind, result in [
        ("int32_add", schema.XNNAdd, a_values + b_values), ("int32_multiply", schema.XNNMultiply, a_values * b_values)]:
        p = Payload()
        a, b = p.input((2, 3, 8), T.xnn_datatype_int32), p.constant(b_values.numpy(), T.xnn_datatype_int32)
        y = p.output((2, 3, 8), T.xnn_datatype_int32)
        p.add(kind(a, b, y, 0))
        w.case(name, p, [a_values], [(torch.int32, (2, 3, 8))], expected=[result])
    p = Payload()
    a, y = p.input((2, 3, 8), T.xnn_datatype_int32), p.output((2, 3, 8))
    p.add(schema.XNNConvert(a, y, 0))
    w.case("int32_to_float", p, [a_values], [(f, (2, 3, 8))], expected=[a_values.float()])
    # Results with per-channel scales, for which the runtime has no kernels.
    p = Payload()
    by_axis = torch.tensor([0.01, 0.02, 0.04])
    a, b, y = p.input(x.shape), p.inner(x.shape, T.xnn_datatype_qcint8, p.per_channel(by_axis, 1)), p.output(x.shape)
    p.add(schema.XNNConvert(a, b, 0))
    p.add(schema.XNNConvert(b, y, 0))
    steps = (x / by_axis[:, None]).round().clamp(-128, 127)
    w.case("result_qcint8", p, [x], [(f, x.shape)], expected=[steps * by_axis[:, None]])
    # Results that often lie exactly between two steps: rounding must match the runtime.
    p = Payload()
    many = w.random(64, 64, low=-2.6, high=2.5)
    signs = torch.randint(-1, 2, (16, 64), generator=w.generator, dtype=torch.int8)
    signs[8:] *= torch.randint(1, 9, (8, 64), generator=w.generator, dtype=torch.int8)
    factors = torch.tensor([0.05, 0.15, 0.25, 0.35, 0.45, 0.03, 0.07, 0.11, 0.021, 0.012, 0.05, 0.015, 0.025, 0.035, 0.045, 0.003])
    a, qa = p.input(many.shape), p.inner(many.shape, T.xnn_datatype_qint8, given)
    p.add(schema.XNNConvert(a, qa, 0))
    k = p.constant(signs.numpy(), T.xnn_datatype_qcint8, p.per_channel(factors, 0))
    odd = torch.arange(16, dtype=torch.int32) * 3 - 7
    b = p.constant(odd.numpy(), T.xnn_datatype_qcint32, p.per_channel(0.02 * factors, 0))
    qy, y = p.inner((64, 16), T.xnn_datatype_qint8, per_tensor(0.1, -3)), p.output((64, 16))
    p.add(schema.XNNFullyConnected(qa, k, b, qy, 0))
    p.add(schema.XNNConvert(qy, y, 0))
    w.case("rounding_layer", p, [many], [(f, (64, 16))])
    for name, kind, scales_of in [
        ("rounding_add", schema.XNNAdd, (0.05, 0.05, 0.1)), ("rounding_subtract", schema.XNNSubtract, (0.05, 0.07, 0.14)),
        ("rounding_multiply", schema.XNNMultiply, (0.05, 0.04, 0.04))]:
        p = Payload()
        pair = [w.random(40, 50, low=-6, high=6) for _ in range(2)]
        quantised = []
        for x_of, scale, point in zip(pair, scales_of, (3, -4)):
            a, qa = p.input(x_of.shape), p.inner(x_of.shape, T.xnn_datatype_qint8, per_tensor(scale, point))
            p.add(schema.XNNConvert(a, qa, 0))
            quantised.append(qa)
        qy, y = p.inner((40, 50), T.xnn_datatype_qint8, per_tensor(scales_of[2], 1)), p.output((40, 50))
        p.add(kind(*quantised, qy, 0))
        p.add(schema.XNNConvert(qy, y, 0))
        w.case(name, p, pair, [(f, (40, 50))])


# MARK: invalid payloads


def make_refused(out):
    """Each payload contains one error. The folder name tells the tests what the message must say."""
    w = Writer(out)

    def refused(name, build, inputs=((torch.float32, (2, 3)),), outputs=((torch.float32, (2, 3)),)):
        p = Payload()
        build(p)
        folder = out / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "model.pte").write_bytes(program(p.bytes(), list(inputs), list(outputs)))

    def unwritten(p):
        a, y, z = p.input((2, 3)), p.output((2, 3)), p.inner((2, 3))
        p.add(schema.XNNAdd(a, z, y, 0))

    def no_scales(p):
        a, y = p.input((2, 3)), p.output((2, 3))
        k = p.constant(np.ones((2, 3), np.int8), T.xnn_datatype_qint8)
        p.add(schema.XNNAdd(a, k, y, 0))

    def short_weight(p):
        a, y = p.input((2, 3)), p.output((2, 3))
        k = p.constant(np.ones(3, np.float32), dims=(3, 3))
        p.add(schema.XNNFullyConnected(a, k, INVALID, y, 0))

    def rank_of_filter(p):
        a, y = p.input((2, 3)), p.output((2, 3))
        p.add(schema.XNNFullyConnected(a, p.constant(np.ones(3, np.float32)), INVALID, y, 0))

    def missing_argument(p):
        a, b, y = p.input((2, 3)), p.input((2, 3)), p.output((2, 3))
        p.add(schema.XNNAdd(a, b, y, 0))

    def window_of_nothing(p):
        a, y = p.input((1, 2, 3, 1)), p.output((1, 2, 3, 1))
        i = p.inner((1, 2, 3, 1), T.xnn_datatype_int32)
        p.add(schema.XNNArgMaxPooling2d(0, 0, 0, 0, 0, 0, a, y, i, 0))

    def integer_division(p):
        a, y = p.input((2, 3), T.xnn_datatype_int32), p.output((2, 3), T.xnn_datatype_int32)
        p.add(schema.XNNDiv(a, a, y, 0))

    def blocks_of_results(p):
        a, y = p.input((2, 4)), p.output((2, 4))
        index = p.constant_data(np.ones(4, np.uint16).tobytes())
        b = p.inner((2, 4), T.xnn_datatype_qbint4, schema.PerChannelGroupQuant([], 0, 2, None, index, 4))
        p.add(schema.XNNConvert(a, b, 0))
        p.add(schema.XNNConvert(b, y, 0))

    refused("unwritten_value", unwritten)
    refused("weight_without_scales", no_scales)
    refused("weight_too_short", short_weight)
    refused("filter_without_rows", rank_of_filter)
    refused("argument_missing", missing_argument)
    image = ((torch.float32, (1, 2, 3, 1)),)
    refused("window_of_nothing", window_of_nothing, image, image)
    integers = ((torch.int32, (2, 3)),)
    refused("integer_division", integer_division, integers, integers)
    wide = ((torch.float32, (2, 4)),)
    refused("blocks_of_results", blocks_of_results, wide, wide)


# MARK: attention


class Attention(torch.nn.Module):
    """Scaled dot-product attention of 2 heads over projections of the input, in the forms found in models."""

    def __init__(self, form, width=16, heads=2):
        super().__init__()
        self.form, self.heads = form, heads
        self.project = torch.nn.Linear(width, 3 * width)
        self.register_buffer("bias", torch.randn(heads, 1, 1) * 0.1)

    def forward(self, x, mask=None):
        batch, count, width = x.shape
        q, k, v = (t.reshape(batch, count, self.heads, -1).transpose(1, 2) for t in self.project(x).chunk(3, dim=-1))
        scale = (width // self.heads) ** -0.5
        if self.form == "sdpa":
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        elif self.form == "causal":
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        elif self.form == "float_mask":
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=0.3)
        elif self.form == "bool_mask":
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        elif self.form == "filled":
            y = (q @ k.transpose(-1, -2) * scale).masked_fill(mask, -math.inf).softmax(-1) @ v
        elif self.form == "divided":
            y = (q @ k.transpose(-1, -2) / scale**-1 + self.bias).softmax(-1) @ v
        return y.transpose(1, 2).reshape(batch, count, width)


def make_attention(out):
    for form in ("sdpa", "causal", "float_mask", "bool_mask", "filled", "divided"):
        for dynamic in (False, True):
            for backend in ("portable", "xnnpack") if dynamic else ("portable",):
                torch.manual_seed(3)
                module = Attention(form).eval()

                def inputs(count):
                    x = torch.randn(2, count, 16)
                    if form == "float_mask":
                        return [x, torch.randn(count, count)]
                    if form == "bool_mask":
                        visible = torch.rand(2, 1, count, count) < 0.6
                        visible[0, 0, 1] = False  # a query whose keys are all masked
                        return [x, visible]
                    if form == "filled":
                        hidden = torch.rand(count, count) < 0.4
                        hidden[:, 0] = False
                        return [x, hidden]
                    return [x]

                count = torch.export.Dim("count", min=2, max=24)
                axes = {"float_mask": {0: count, 1: count}, "bool_mask": {2: count, 3: count}, "filled": {0: count, 1: count}}
                shapes = None
                if dynamic:
                    shapes = ({1: count}, axes[form]) if form in axes else ({1: count},)
                exported = torch.export.export(module, tuple(inputs(9)), dynamic_shapes=shapes, strict=False)
                config = EdgeCompileConfig(_check_ir_validity=False)
                if backend == "xnnpack":
                    manager = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()], compile_config=config)
                else:
                    manager = to_edge(exported, compile_config=config)
                model = bytes(manager.to_executorch().buffer)
                steps = []
                for extent in (9, 2, 17) if dynamic else (9,):
                    given = inputs(extent)
                    with torch.no_grad():
                        steps.append((given, [module(*given)]))
                name = f"attention_{form}{'_dynamic' if dynamic else ''}_{backend}"
                save(out / name, model, steps, rtol=1e-4, atol=1e-5, oracle="torch eager")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent / "Tests/Fixtures/xnnpack")
    out = parser.parse_args().out
    writer = Writer(out / "payloads")
    for make in (make_elementwise, make_shapes, make_pooling, make_products, make_convolutions, make_types):
        make(writer)
    make_refused(out / "refused")
    for note in writer.notes:
        print(note)
    make_attention(out / "attention")


if __name__ == "__main__":
    main()
