"""Payloads of the MPS delegate, assembled node by node."""
import json
import pathlib
import re
import shutil
import struct
import tempfile

import torch

import executorch.backends.apple.mps.serialization as serialization
from executorch.exir._serialize._flatbuffer import _flatc_compile

from make_xnnpack_cases import program, save

SCHEMA = (pathlib.Path(list(serialization.__path__)[0]) / "schema.fbs").read_text()
TYPES = {
    torch.float16: "float16", torch.float32: "float32", torch.bfloat16: "bfloat16", torch.int8: "int8", torch.int16: "int16",
    torch.int32: "int32", torch.int64: "int64", torch.uint8: "uint8", torch.bool: "bool"}
generator = torch.Generator().manual_seed(11)


def random(*shape, low=-2.0, high=2.0):
    return torch.rand(shape, generator=generator) * (high - low) + low


def integers(*shape, low=-9, high=10, dtype=torch.int32):
    return torch.randint(low, high, shape, generator=generator).to(dtype)


def flags(*shape):
    return integers(*shape, low=0, high=2, dtype=torch.bool)


def flatbuffer(graph, schema=SCHEMA):
    """The graph, a JSON value, in the binary form of the schema."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "schema.fbs").write_text(schema)
        (folder / "graph.json").write_text(json.dumps(graph))
        _flatc_compile(str(folder), str(folder / "schema.fbs"), str(folder / "graph.json"))
        return (folder / "graph.bin").read_bytes()


def old_schema(*later, first_types=True):
    """The schema before the members `later` were added, and before 4-bit integers."""
    lines = [line for line in SCHEMA.splitlines() if not any(re.fullmatch(rf"\s*{kind}(: _MPSNode1x1)?,", line) for kind in later)]
    text = "\n".join(lines)
    if first_types:
        names = ["float16", "float32", "bfloat16", "int8", "int16", "int32", "int64", "uint8", "bool", "complex_float16", "complex_float32"]
        members = "\n".join(f"  mps_data_type_{name} = {number}," for number, name in enumerate(["invalid"] + names))
        text = re.sub(r"(enum MPSDataType : short \{).*?\n\}", lambda m: m.group(1) + "\n" + members + "\n}", text, count=1, flags=re.S)
        text = text.replace("constant_buffer_size:uint64", "constant_buffer_size:int").replace("  segment_offset:uint64;\n", "", 1)
        text = text.replace("  constant_segment:DataSegment;\n", "")
    return text


OLD_SCHEMAS = {
    "2024-01": old_schema("MPSLogicalNot", "MPSIndexTensor", "MPSIndexPut", "MPSScatter", "MPSDequantizePerChannelGroup"),
    "2024-04": old_schema("MPSScatter", "MPSDequantizePerChannelGroup"),
    "2024-05": old_schema("MPSDequantizePerChannelGroup"),
    "current": SCHEMA,
}


class Payload:
    """A graph under construction. Values are ids. `constants`: where their bytes lie: "segment", "inline", or "headerless"."""

    def __init__(self, constants="segment", schema=SCHEMA, metal_kernel=False):
        self.constants, self.schema = constants, schema
        self.segment = bytearray()
        self.graph = {
            "version": "0", "mps_nodes": [], "mps_values": [], "input_ids": [], "output_ids": [], "constant_ids": [],
            "graph_type": "metal_kernel" if metal_kernel else "mps_graph", "constant_segment": {"offset": 0, "size": 0}}

    def value(self, dims, dtype=torch.float32):
        name = dtype if isinstance(dtype, str) else TYPES[dtype]
        self.graph["mps_values"].append({"datatype": f"mps_data_type_{name}", "num_dims": len(dims), "dims": list(dims)})
        return len(self.graph["mps_values"]) - 1

    def input(self, tensor):
        self.graph["input_ids"].append(self.value(tensor.shape, tensor.dtype))
        return self.graph["input_ids"][-1]

    def output(self, dims, dtype=torch.float32):
        self.graph["output_ids"].append(self.value(dims, dtype))
        return self.graph["output_ids"][-1]

    def constant(self, tensor, dims=None, dtype=None):
        data = tensor if isinstance(tensor, bytes) else tensor.contiguous().flatten().view(torch.uint8).numpy().tobytes()
        index = self.value(tensor.shape if dims is None else dims, dtype or tensor.dtype)
        value = self.graph["mps_values"][index] | {"constant_buffer_size": len(data)}
        if self.constants == "segment":
            value |= {"segment_offset": len(self.segment)}
            self.segment += data
        else:
            value |= {"constant_buffer": {"storage": list(data)}}
        self.graph["mps_values"][index] = value
        self.graph["constant_ids"].append(index)
        return index

    def node(self, kind, low=None, high=None, **fields):
        node = {"mpsnode_union_type": f"MPS{kind}", "mpsnode_union": fields}
        if low is not None or high is not None:
            node["min_max"] = {"min_value": "-inf" if low is None else low, "max_value": "inf" if high is None else high}
        self.graph["mps_nodes"].append(node)

    def unary(self, kind, x, y, **fields):
        self.node(kind, input1_id=x, output_id=y, **fields)

    def binary(self, kind, a, b, y, **fields):
        self.node(kind, input1_id=a, input2_id=b, output_id=y, **fields)

    def bytes(self):
        graph = dict(self.graph)
        if "graph_type" not in self.schema:
            del graph["graph_type"]
        if "constant_segment" not in self.schema:
            del graph["constant_segment"]
        data = flatbuffer(graph, self.schema)
        if self.constants == "headerless":
            return data
        data += b"\0" * (-(24 + len(data)) % 16)
        segment = bytes(self.segment) + b"\0" * (-len(self.segment) % 16)
        return struct.pack("<4x4sQQ", b"MP00", 24 + len(data), len(segment)) + data + segment


class Writer:
    def __init__(self, out, wanted):
        self.out, self.wanted = out, wanted

    def case(self, name, payload, inputs, expected, tolerance=1e-5):
        if self.wanted(name):
            outputs = [(y.dtype, y.shape) for y in expected]
            model = program(payload.bytes(), [(x.dtype, x.shape) for x in inputs], outputs, "MPSBackend")
            save(self.out / name, model, [(inputs, expected)], rtol=tolerance, atol=tolerance, oracle="torch eager", family="mps")

    def refused(self, name, payload, inputs, outputs, change=lambda data: data):
        """`outputs`: (dtype, sizes) each. `change`: damages the payload."""
        if self.wanted(name):
            folder = self.out / name
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            data = change(bytearray(payload.bytes()))
            (folder / "model.pte").write_bytes(program(data, [(x.dtype, x.shape) for x in inputs], outputs, "MPSBackend"))
