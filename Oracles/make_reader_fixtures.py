"""Writes the small files that the tests of the ExecuTorch readers use.

  python make_reader_fixtures.py [--root REPOSITORY]

Most are exported programs whose weights are 0, 1, 2, ... so that tests can state them. Layouts that current exporters no longer
write are converted from these with flatc: the short header, constants inside the flatbuffer, the first schema of data files, and
XNNPACK payloads without a header. Each file in `Refused` has one error. `xnnpack_nodes.xnn` is a payload with every kind of
node, whose attributes have distinct values.

Versions: see requirements.txt.
"""
import argparse
import copy
import json
import pathlib
import struct
import subprocess
import tempfile
import warnings

warnings.filterwarnings("ignore")
import executorch
import torch
from torch import nn

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.exir import ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

PACKAGE = pathlib.Path(list(executorch.__path__)[0])
FLATC = PACKAGE / "data/bin/flatc"
PROGRAM_SCHEMA = PACKAGE / "schema/program.fbs"
XNNPACK_SCHEMA = PACKAGE / "backends/xnnpack/serialization/schema.fbs"
OLD_XNNPACK_SCHEMA = PACKAGE / "backends/xnnpack/serialization/runtime_schema.fbs"
DATA_SCHEMA = PACKAGE / "extension/flat_tensor/serialize/flat_tensor.fbs"
BUNDLE_SCHEMA = PACKAGE / "devtools/bundled_program/schema/bundled_program_schema.fbs"
NO_OFFSET = 2**64 - 1


def count_up(module):
    """Sets every parameter to 0, 1, 2, ... in row-major order."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.arange(parameter.numel(), dtype=parameter.dtype).reshape(parameter.shape))
    return module.eval()


def lower(module, *inputs, partitioner=None, config=None, constant_methods=None, dynamic_shapes=None):
    methods = module if isinstance(module, dict) else {"forward": (module, inputs)}
    programs = {
        name: torch.export.export(m, args, dynamic_shapes=dynamic_shapes, strict=False) for name, (m, args) in methods.items()}
    if partitioner is None:
        manager = to_edge(programs, constant_methods=constant_methods)
    else:
        manager = to_edge_transform_and_lower(programs, partitioner=[partitioner], constant_methods=constant_methods)
    return manager.to_executorch(config or ExecutorchBackendConfig())


# MARK: modules


class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 2)

    def forward(self, x):
        return self.linear(x)


class Double(nn.Module):
    def forward(self, x):
        return x + x


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.tensor([5.0, 6.0]))
        self.register_buffer("zero", torch.zeros(3))

    def forward(self, x):
        self.total.add_(x)
        self.zero.add_(1)
        return self.total + self.zero.sum()


class Branch(nn.Module):
    def forward(self, flag, x):
        return torch.cond(flag, lambda x: x + 1, lambda x: x * 2, (x,))


class Values(nn.Module):
    """Lists of integers, tensors and optional tensors, a string, doubles and scalar inputs and outputs."""

    def forward(self, x, index, count: int, flag: bool):
        picked = x[:, index]
        joined = torch.cat([x, nn.functional.gelu(x, approximate="tanh")], dim=1)
        grown = nn.functional.interpolate(x.reshape(1, 1, 2, 3), scale_factor=[2.0, 3.0], mode="nearest")
        return picked, joined, grown, count, None


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.conv(x))


class Perceptron(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 8, bias=False)

    def forward(self, x):
        return self.first(x)


# MARK: exports


def export_programs(out):
    linear, x = count_up(Linear()), torch.ones(1, 3)
    program = lower(linear, x)
    (out / "constants.pte").write_bytes(program.buffer)
    (out / "no_header.pte").write_bytes(lower(Double(), x).buffer)
    traced = lower(Double(), x, config=ExecutorchBackendConfig(emit_stacktrace=True))
    (out / "stacktrace.pte").write_bytes(with_file_names_only(traced.buffer))

    rows = torch.export.Dim("rows", min=1, max=7)
    (out / "dynamic.pte").write_bytes(lower(linear, torch.ones(2, 3), dynamic_shapes=({0: rows},)).buffer)

    config = ExecutorchBackendConfig(passes=[InitializedMutableBufferPass(["total"])])
    (out / "mutable_state.pte").write_bytes(lower(Counter(), torch.ones(2), config=config).buffer)
    (out / "branch.pte").write_bytes(lower(Branch(), torch.tensor(True), x).buffer)
    (out / "values.pte").write_bytes(lower(Values(), torch.arange(6.0).reshape(2, 3), torch.tensor([0, 2]), 4, True).buffer)

    methods = {"forward": (linear, (x,)), "double": (Double(), (x,))}
    (out / "methods.pte").write_bytes(lower(methods, constant_methods={"version": 3, "sizes": [1, 2], "name": "counting"}).buffer)

    external = lower(linear, x, config=ExecutorchBackendConfig(external_constants=True))
    (out / "external.pte").write_bytes(external.buffer)
    with tempfile.TemporaryDirectory() as folder:
        external.write_tensor_data_to_file(folder)
        (data,) = pathlib.Path(folder).glob("*.ptd")
        (out / "external.ptd").write_bytes(data.read_bytes())

    case = MethodTestCase(inputs=(x,), expected_outputs=linear(x))
    bundled = BundledProgram(program, [MethodTestSuite(method_name="forward", test_cases=[case])])
    (out / "bundled.bpte").write_bytes(serialize_from_bundled_program_to_flatbuffer(bundled))


def export_delegates(out):
    linear, x = count_up(Linear()), torch.ones(1, 3)
    (out / "xnnpack_segment.pte").write_bytes(lower(linear, x, partitioner=XnnpackPartitioner()).buffer)
    inline = ExecutorchBackendConfig(extract_delegate_segments=False)
    (out / "xnnpack_inline.pte").write_bytes(lower(linear, x, partitioner=XnnpackPartitioner(), config=inline).buffer)
    image = torch.ones(1, 2, 4, 4)
    (out / "xnnpack_convolution.pte").write_bytes(lower(count_up(Convolution()), image, partitioner=XnnpackPartitioner()).buffer)

    from torchao.quantization.granularity import PerGroup
    from torchao.quantization.quant_api import Int8DynamicActivationIntxWeightConfig, quantize_

    torch.manual_seed(0)
    blocks = Perceptron().eval()
    quantize_(blocks, Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32)))
    (out / "xnnpack_blockwise.pte").write_bytes(lower(blocks, torch.ones(1, 64), partitioner=XnnpackPartitioner()).buffer)

    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    torch.manual_seed(0)
    prepared = prepare_pt2e(torch.export.export(Convolution().eval(), (image,)).module(), quantizer)
    prepared(torch.randn(1, 2, 4, 4))
    (out / "xnnpack_int8.pte").write_bytes(lower(convert_pt2e(prepared), image, partitioner=XnnpackPartitioner()).buffer)


# MARK: older layouts


def flatc_to_json(schema, data):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "data.bin"
        path.write_bytes(data)
        command = [FLATC, "--json", "--defaults-json", "--strict-json", "--raw-binary", "-o", folder, schema, "--", path]
        subprocess.run(command, check=True)
        return json.loads((pathlib.Path(folder) / "data.json").read_text())


def flatc_to_binary(schema, value):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "data.json").write_text(json.dumps(value))
        subprocess.run([FLATC, "--binary", "-o", folder, schema, folder / "data.json"], check=True)
        (result,) = [path for path in folder.iterdir() if path.name != "data.json"]
        return result.read_bytes()


def with_file_names_only(data):
    """A program without segments. Stack traces have file names without folders, so that the program does not depend on the machine."""
    assert data[8:12] != b"eh00"
    program = flatc_to_json(PROGRAM_SCHEMA, data)
    for plan in program["execution_plan"]:
        for frames in plan["chains"][0]["stacktrace"]:
            for frame in frames["items"]:
                frame["filename"] = pathlib.PurePath(frame["filename"]).name
    return flatc_to_binary(PROGRAM_SCHEMA, program)


def make_old_programs(out):
    current = (out / "constants.pte").read_bytes()
    assert current[8:12] == b"eh00" and struct.unpack_from("<I", current, 12) == (32,)
    short = bytearray(current)
    struct.pack_into("<I", short, 12, 24)
    struct.pack_into("<Q", short, 32, 0)
    (out / "short_header.pte").write_bytes(short)

    _, program_size, base, _ = struct.unpack_from("<IQQQ", current, 12)
    program = flatc_to_json(PROGRAM_SCHEMA, current[:program_size])
    segment = program["segments"][program["constant_segment"]["segment_index"]]
    data = current[base + segment["offset"]:][:segment["size"]]
    offsets = program["constant_segment"]["offsets"]
    pieces = [data[start:end] for start, end in zip(offsets[1:], offsets[2:] + [len(data)])]
    program["constant_buffer"] = [{"storage": []}] + [{"storage": list(piece)} for piece in pieces]
    del program["constant_segment"]
    program["segments"] = []
    (out / "constant_buffer.pte").write_bytes(flatc_to_binary(PROGRAM_SCHEMA, program))

    # Kinds that exporters rarely write.
    plan = program["execution_plan"][0]
    plan["values"] += [
        {"val_type": "BoolList", "val": {"items": [True, False, True]}},
        {"val_type": "DoubleList", "val": {"items": [0.5, -2.0]}},
        {"val_type": "String", "val": {"string_val": "añ"}},
        {"val_type": "OptionalTensorList", "val": {"items": [-1, 0]}},
        {},
    ]
    plan["chains"][0]["instructions"].append({"instr_args_type": "FreeCall", "instr_args": {"value_index": 0}})
    plan["non_const_buffer_device"] = [{"buffer_idx": 1, "device_type": "CUDA", "device_index": 2}]
    (out / "rare_kinds.pte").write_bytes(flatc_to_binary(PROGRAM_SCHEMA, program))


OLD_DATA_SCHEMA = """
namespace old;
file_identifier "FT01";
table TensorMetadata { name: string; scalar_type: byte; sizes: [int32]; dim_order: [uint8]; segment_index: uint32; offset: uint64; }
table DataSegment { offset: uint64; size: uint64; }
table NamedData { key: string; segment_index: uint32; }
table FlatTensor { version: uint32; tensor_alignment: uint32; tensors: [TensorMetadata]; segments: [DataSegment]; named_data: [NamedData]; }
root_type FlatTensor;
"""


def make_old_data_file(out):
    """Two tensors in one segment and a blob in another, with a header inserted between the identifier and the root table."""
    value = {
        "version": 0, "tensor_alignment": 16,
        "tensors": [
            {"name": "weight", "scalar_type": 6, "sizes": [2, 3], "dim_order": [0, 1], "segment_index": 0, "offset": 0},
            {"name": "index", "scalar_type": 4, "sizes": [2], "dim_order": [0], "segment_index": 0, "offset": 32}],
        "segments": [{"offset": 0, "size": 48}, {"offset": 64, "size": 5}],
        "named_data": [{"key": "blob", "segment_index": 1}],
    }
    with tempfile.TemporaryDirectory() as folder:
        schema = pathlib.Path(folder) / "old.fbs"
        schema.write_text(OLD_DATA_SCHEMA)
        flat = flatc_to_binary(schema, value)
    data = struct.pack("<6f", *range(6)).ljust(32, b"\0") + struct.pack("<2q", 7, -8)
    (out / "old_schema.ptd").write_bytes(data_file(flat, data.ljust(64, b"\0") + b"bytes"))


def data_file(flat, data):
    """A data file of a flatbuffer and segments, with a header inserted between the identifier and the root table."""
    gap = 48
    (root,) = struct.unpack_from("<I", flat)
    body = flat[8:]
    base = (8 + gap + len(body) + 15) // 16 * 16
    header = b"FH01" + struct.pack("<IQQQQ", 40, 8 + gap, len(body), base, len(data))
    head = struct.pack("<I", root + gap) + flat[4:8] + header.ljust(gap, b"\0")
    return (head + body).ljust(base, b"\0") + data


def make_tables_of_several_sizes(out):
    """Files with tables that have equal field offsets but different sizes; see share_vtables.py."""
    blobs = {
        "segments": [{"offset": 0, "size": 5}, {"offset": 16, "size": 0}],
        "named_data": [{"key": "blob", "segment_index": 0}, {"key": "empty", "segment_index": 1}],
    }
    (out / "blobs.ptd").write_bytes(data_file(flatc_to_binary(DATA_SCHEMA, blobs), b"bytes".ljust(16, b"\0")))
    inputs = [{"val_type": "Int", "val": {"int_val": 7}}, {"val_type": "Double", "val": {"double_val": -0.5}}]
    bundle = {
        "method_test_suites": [{"method_name": "forward", "test_cases": [{"inputs": inputs}]}],
        "program": list((out / "constants.pte").read_bytes()),
    }
    (out / "bundled_values.bpte").write_bytes(flatc_to_binary(BUNDLE_SCHEMA, bundle))


# MARK: invalid files


def with_changes(value, changes):
    """A copy of nested lists and dictionaries with `(path, new value)` applied; a path is a sequence of keys and indices."""
    value = copy.deepcopy(value)
    for path, new in changes:
        place = value
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = new
    return value


def make_refused_programs(out):
    """Programs that are valid FlatBuffers but contain one error each. The file name tells the tests which field is wrong."""
    program = flatc_to_json(PROGRAM_SCHEMA, (out / "constant_buffer.pte").read_bytes())
    plan = program["execution_plan"][0]
    values = plan["values"]
    planned = next(i for i, v in enumerate(values) if v["val_type"] == "Tensor" and "allocation_info" in v["val"])
    constant = next(i for i, v in enumerate(values) if v["val_type"] == "Tensor" and "allocation_info" not in v["val"])
    base = ("execution_plan", 0)
    tensor, weight = base + ("values", planned, "val"), base + ("values", constant, "val")
    call = base + ("chains", 0, "instructions", 0)

    def instruction(kind, **fields):
        return (call, {"instr_args_type": kind, "instr_args": fields})

    changes = {
        "dim_order_repeats": (tensor + ("dim_order",), [0, 0]),
        "dim_order_too_short": (tensor + ("dim_order",), [0]),
        "size_negative": (tensor + ("sizes",), [-1, 3]),
        "size_overflows": (tensor, values[planned]["val"] | {"sizes": [2**31 - 1] * 4, "dim_order": [0, 1, 2, 3]}),
        "scalar_type_unknown": (tensor + ("scalar_type",), 99),
        "storage_offset": (tensor + ("storage_offset",), 1),
        "shape_dynamism_unknown": (tensor + ("shape_dynamism",), 3),
        "memory_id_zero": (tensor + ("allocation_info", "memory_id"), 0),
        "memory_id_too_large": (tensor + ("allocation_info", "memory_id"), 2),
        "planned_beyond_area": (tensor + ("allocation_info", "memory_offset_low"), plan["non_const_buffer_sizes"][1]),
        "planned_wraps": (tensor + ("allocation_info", "memory_offset_high"), 2**32 - 1),
        "buffer_size_negative": (base + ("non_const_buffer_sizes",), [0, -1]),
        "constant_missing": (weight + ("data_buffer_idx",), 99),
        "constant_too_short": (weight + ("sizes",), [2**20, 3]),
        "initial_value_missing": (tensor + ("data_buffer_idx",), 1),
        "external_without_name": (weight + ("extra_tensor_info",), {"location": "EXTERNAL"}),
        "input_missing": (base + ("inputs",), [len(values)]),
        "output_negative": (base + ("outputs",), [-1]),
        "int_list_of_tensors": (base + ("values", constant), {"val_type": "IntList", "val": {"items": [planned]}}),
        "int_list_item_missing": (base + ("values", constant), {"val_type": "IntList", "val": {"items": [2**40]}}),
        "tensor_list_of_itself": (base + ("values", constant), {"val_type": "TensorList", "val": {"items": [constant]}}),
        "optional_list_item_negative": (base + ("values", constant), {"val_type": "OptionalTensorList", "val": {"items": [-2]}}),
        "operator_missing": instruction("KernelCall", op_index=2, args=[]),
        "argument_missing": instruction("KernelCall", op_index=0, args=[0, len(values)]),
        "delegate_missing": instruction("DelegateCall", delegate_index=0, args=[]),
        "jump_too_far": instruction("JumpFalseCall", cond_value_index=0, destination_instruction=3),
        "jump_negative": instruction("JumpFalseCall", cond_value_index=0, destination_instruction=-1),
        "move_missing": instruction("MoveCall", move_from=0, move_to=len(values)),
        "instruction_empty": (call, {}),
        "payload_missing": (base + ("delegates",), [{"id": "a", "processed": {"location": "INLINE", "index": 0}}]),
        "segment_without_place": (("segments",), [{"offset": 0, "size": 1}]),
        "name_repeated": (("named_data",), [{"key": "a", "segment_index": 0}] * 2),
    }
    folder = out / "Refused"
    folder.mkdir(exist_ok=True)
    for name, change in changes.items():
        changed = [change]
        if name == "name_repeated":
            changed.append((("segments",), [{"offset": 0, "size": 0}]))
        (folder / f"{name}.pte").write_bytes(flatc_to_binary(PROGRAM_SCHEMA, with_changes(program, changed)))


def make_refused_payloads(out):
    graph = flatc_to_json(OLD_XNNPACK_SCHEMA, (out / "xnnpack_old.xnn").read_bytes())
    constant = ("xvalues", 1, "xvalue_union")
    node = ("xnodes", 0, "xnode_union")

    def quantized(kind, datatype, **parameters):
        tensor = graph["xvalues"][1]["xvalue_union"] | {"datatype": datatype}
        return (("xvalues", 1), {"xvalue_union_type": "XNNQuantizedTensorValue", "xvalue_union": {
            "tensor_value": tensor, "quant_params_type": kind, "quant_params": parameters}})

    changes = {
        "datatype_invalid": (constant + ("datatype",), 0),
        "dims_overflow": (constant, graph["xvalues"][1]["xvalue_union"] | {"num_dims": 3, "dims": [2**32 - 1] * 3}),
        "dims_count": (constant + ("num_dims",), 2),
        "constant_missing": (constant + ("constant_buffer_idx",), 2),
        "constant_too_short": (constant + ("dims",), [3]),
        "id_repeated": (constant + ("id_out",), 0),
        "id_invalid": (constant + ("id_out",), 2**32 - 1),
        "external_id_too_large": (("num_externs",), 1),
        "external_constant": (constant, graph["xvalues"][1]["xvalue_union"] | {"flags": 2, "external_id": 1}),
        "input_missing": (node + ("input1_id",), 9),
        "input_not_yet_written": (node + ("input1_id",), 2),
        "output_is_constant": (node + ("output_id",), 1),
        "output_unwritten": (("xnodes",), []),
        "scales_missing": quantized("PerChannelQuant", "xnn_datatype_qcint8", channel_dim=0),
        "scales_too_few": quantized("PerChannelQuant", "xnn_datatype_qcint8", channel_dim=0, scale=[1.0]),
        "channel_axis": quantized("PerChannelQuant", "xnn_datatype_qcint8", channel_dim=1, scale=[1.0, 1.0]),
        "block_size_zero": quantized("PerChannelGroupQuant", "xnn_datatype_qbint4", channel_dim=0, group_size=0, scale=[1.0]),
        "row_rank": quantized("PerTokenDynamicQuant", "xnn_datatype_qdint8", num_nonbatch_dims=2),
        "permutation": (("xnodes", 0), {"xnode_union_type": "XNNStaticTranspose", "xnode_union": {
            "num_dims": 2, "perm": [0, 2], "input_id": 0, "output_id": 2}}),
        "slice_lengths": (("xnodes", 0), {"xnode_union_type": "XNNStaticSlice", "xnode_union": {
            "num_dims": 2, "offsets": [0, 0], "sizes": [1], "input_id": 0, "output_id": 2}}),
    }
    folder = out / "Refused"
    for name, change in changes.items():
        (folder / f"{name}.xnn").write_bytes(flatc_to_binary(OLD_XNNPACK_SCHEMA, with_changes(graph, [change])))


# MARK: XNNPACK payloads


def xnnpack_value(identifier, sizes, constant=0, flags=0, external=2**32 - 1):
    return {"xvalue_union_type": "XNNTensorValue", "xvalue_union": {
        "datatype": "xnn_datatype_fp32", "num_dims": len(sizes), "dims": sizes, "constant_buffer_idx": constant,
        "external_id": external, "flags": flags, "id_out": identifier}}


def xnnpack_nodes():
    """A node of every kind. Value 0 is the input, 1 a constant, 2 an output, and each node writes separate values."""
    text = XNNPACK_SCHEMA.read_text()
    body = text[text.index("union XNodeUnion"):]
    kinds = [line.strip().rstrip(",") for line in body[body.index("{") + 1:body.index("}")].splitlines() if line.strip()]
    tables = {}
    for chunk in text.split("\ntable ")[1:]:
        name, fields = chunk.split("{", 1)
        lines = [line.split("//")[0].strip() for line in fields.split("}")[0].splitlines()]
        tables[name.strip()] = [tuple(part.strip(" ;") for part in line.split(":")) for line in lines if ":" in line]
    nodes, values, number, output = [], [xnnpack_value(0, [1, 2], flags=1, external=0), xnnpack_value(1, [2], constant=1)], 100, 2
    for kind in kinds:
        name, _, table = kind.partition(":")
        node = {}
        for field, kind_of_field in tables[table.strip() or name]:
            if field.startswith("output_") and field.endswith("id"):
                values.append(xnnpack_value(output, [1, 2], flags=2 if output == 2 else 0, external=1 if output == 2 else 2**32 - 1))
                node[field] = output
                output += 1
            elif field == "bias_id" and name != "XNNConv2d":
                node[field] = 2**32 - 1
            elif field.endswith("_id"):
                node[field] = 1 if field in ("filter_id", "bias_id", "input2_id", "scale_id") else 0
            elif field == "flags":
                node[field] = 64
            elif field == "num_dims":
                node[field] = 2
            elif field == "perm":
                node[field] = [1, 0]
            elif kind_of_field == "[uint]":
                node[field] = [number, number + 1]
                number += 2
            elif kind_of_field == "float":
                node[field] = number + 0.5
                number += 1
            else:
                node[field] = number
                number += 1
        nodes.append({"xnode_union_type": name.strip(), "xnode_union": node, "debug_handle": len(nodes),
                      "output_min_max": {"output_min": -1.0, "output_max": 6.0}})
    return {"version": "1", "xnodes": nodes, "xvalues": values, "num_externs": 2, "input_ids": [0], "output_ids": [1]}


def make_payloads(out):
    weights = struct.pack("<2f", 1.5, -2.5)
    graph = xnnpack_nodes()
    graph["constant_data"] = [{"offset": 0, "size": 0}, {"offset": 16, "size": len(weights)}]
    flat = flatc_to_binary(XNNPACK_SCHEMA, graph)
    constants = (32 + len(flat) + 15) // 16 * 16
    header = b"\0\0\0\0XH00" + struct.pack("<HIIIQ", 30, 32, len(flat), constants, 16 + len(weights))
    (out / "xnnpack_nodes.xnn").write_bytes((header.ljust(32, b"\0") + flat).ljust(constants + 16, b"\0") + weights)

    old = {"version": "0", "xnodes": [copy.deepcopy(graph["xnodes"][0])], "num_externs": 2, "input_ids": [0], "output_ids": [1],
           "xvalues": graph["xvalues"][:3], "constant_buffer": [{"storage": []}, {"storage": list(weights)}]}
    old["xvalues"][0]["xvalue_union"]["dq_datatype"] = "xnn_datatype_qint8"
    (out / "xnnpack_old.xnn").write_bytes(flatc_to_binary(OLD_XNNPACK_SCHEMA, old))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    out = parser.parse_args().root / "Tests/MartletExecuTorchFileTests/Fixtures"
    out.mkdir(parents=True, exist_ok=True)
    export_programs(out)
    export_delegates(out)
    make_old_programs(out)
    make_old_data_file(out)
    make_tables_of_several_sizes(out)
    make_payloads(out)
    make_refused_programs(out)
    make_refused_payloads(out)
    for path in sorted(path for path in out.rglob("*") if path.is_file()):
        print(f"{path.stat().st_size:8d} {path.name}")


if __name__ == "__main__":
    main()
