"""Writes ML Programs in the text form of compiled models, and compiled model folders around it.

The syntax follows models compiled by Apple's compiler: the old one, which writes every scalar type as `tensor<fp32, []>`, and the new one of
iOS 18 with plain scalar types. The position of control-flow blocks (here after the attributes) has not been confirmed with a compiled model.
"""
import json
import pathlib
import shutil
import struct

import numpy as np
from coremltools.proto import MIL_pb2, Model_pb2

TYPE_NAMES = {
    MIL_pb2.BOOL: "bool", MIL_pb2.STRING: "string", MIL_pb2.FLOAT16: "fp16", MIL_pb2.FLOAT32: "fp32", MIL_pb2.FLOAT64: "fp64",
    MIL_pb2.BFLOAT16: "bf16", MIL_pb2.INT4: "int4", MIL_pb2.INT8: "int8", MIL_pb2.INT16: "int16", MIL_pb2.INT32: "int32",
    MIL_pb2.INT64: "int64", MIL_pb2.UINT1: "uint1", MIL_pb2.UINT2: "uint2", MIL_pb2.UINT3: "uint3", MIL_pb2.UINT4: "uint4",
    MIL_pb2.UINT6: "uint6", MIL_pb2.UINT8: "uint8", MIL_pb2.UINT16: "uint16", MIL_pb2.UINT32: "uint32", MIL_pb2.UINT64: "uint64"}
BITS = {"int4": 4, "uint1": 1, "uint2": 2, "uint3": 3, "uint4": 4, "uint6": 6}
NUMPY = {"fp16": np.float16, "int8": np.int8, "uint8": np.uint8, "int16": np.int16, "uint16": np.uint16, "uint32": np.uint32}


class TextWriter:
    def __init__(self, new_syntax):
        self.new_syntax = new_syntax

    # MARK: types

    def extent(self, dimension):
        if dimension.WhichOneof("dimension") == "unknown":
            return "*?" if dimension.unknown.variadic else "?"
        return str(dimension.constant.size)

    def type(self, t):
        kind = t.WhichOneof("type")
        if kind == "tensorType":
            name = TYPE_NAMES[t.tensorType.dataType]
            if self.new_syntax and t.tensorType.rank == 0:
                return name
            return f"tensor<{name}, [{', '.join(self.extent(d) for d in t.tensorType.dimensions)}]>"
        if kind == "listType":
            return f"list<{self.type(t.listType.type)}, {self.extent(t.listType.length)}>"
        if kind == "tupleType":
            return f"tuple<{', '.join(self.type(x) for x in t.tupleType.types)}>"
        if kind == "dictionaryType":
            return f"dict<{self.type(t.dictionaryType.keyType)}, {self.type(t.dictionaryType.valueType)}>"
        return f"state<{self.type(t.stateType.wrappedType)}>"

    def scalar(self, name, text):
        return f"{name}({text})" if self.new_syntax else f"tensor<{name}, []>({text})"

    # MARK: values

    def quoted(self, text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

    def number(self, value):
        if isinstance(value, (float, np.floating)):
            value = float(value)
            # Hexadecimal, as the compiler writes them, without trailing zeros.
            return value.hex().replace(".0000000000000p", "p") if np.isfinite(value) else repr(value)
        return str(int(value))

    def elements(self, value):
        tensor, name = value.immediateValue.tensor, TYPE_NAMES[value.type.tensorType.dataType]
        kind = tensor.WhichOneof("value")
        if kind is None:
            return []
        values = getattr(tensor, kind).values
        if kind == "strings":
            return [self.quoted(v) for v in values]
        if kind == "bools":
            return ["true" if v else "false" for v in values]
        if kind == "bytes" and name in BITS:
            count = int(np.prod([d.constant.size for d in value.type.tensorType.dimensions], dtype=np.int64))
            bits = np.unpackbits(np.frombuffer(values, np.uint8), bitorder="little")[:count * BITS[name]].reshape(count, -1)
            numbers = (bits * (1 << np.arange(BITS[name]))).sum(1)
            return [str(n - 16 if name == "int4" and n > 7 else n) for n in numbers]
        if kind == "bytes":
            values = np.frombuffer(values, NUMPY[name])
        elif kind == "floats":
            values = np.array(values, np.float32)
        return [self.number(v) for v in values]

    def nested(self, items, shape):
        if len(shape) <= 1:
            return f"[{', '.join(items)}]"
        step = len(items) // shape[0] if shape[0] else 0
        return f"[{', '.join(self.nested(items[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0]))}]"

    def literal(self, value):
        if value.WhichOneof("value") == "blobFileValue":
            blob = value.blobFileValue
            path, offset = self.scalar("string", self.quoted(blob.fileName)), self.scalar("uint64", blob.offset)
            return f"BLOBFILE(path = {path}, offset = {offset})"
        kind = value.immediateValue.WhichOneof("value")
        content = getattr(value.immediateValue, kind)
        if kind == "tensor":
            items = self.elements(value)
            shape = [d.constant.size for d in value.type.tensorType.dimensions]
            return self.nested(items, shape) if shape else items[0]
        if kind == "dictionary":
            return "{" + ", ".join(f"{{{self.literal(p.key)}, {self.literal(p.value)}}}" for p in content.values) + "}"
        return "(" + ", ".join(self.literal(v) for v in content.values) + ")"

    def value(self, value):
        return f"{self.type(value.type)}({self.literal(value)})"

    # MARK: programs

    def parameters(self, inputs):
        return f"({', '.join(f'{self.type(i.type)} {i.name}' for i in inputs)})"

    def attributes(self, attributes):
        if not attributes:
            return ""
        return "[" + ", ".join(f"{k} = {self.value(attributes[k])}" for k in sorted(attributes)) + "]"

    def argument(self, argument):
        items = [b.name if b.WhichOneof("binding") == "name" else self.value(b.value) for b in argument.arguments]
        return items[0] if len(items) == 1 else f"({', '.join(items)})"

    def operation(self, op, indent):
        results = ", ".join(f"{self.type(o.type)} {o.name}" for o in op.outputs)
        arguments = ", ".join(f"{k} = {self.argument(op.inputs[k])}" for k in sorted(op.inputs))
        text = f"{indent}{results + ' = ' if results else ''}{op.type}({arguments}){self.attributes(op.attributes)}"
        for block in op.blocks:
            text += f" {self.parameters(block.inputs)} {self.block(block, indent)}"
        return text + ";\n"

    def block(self, block, indent):
        operations = "".join(self.operation(op, indent + "    ") for op in block.operations)
        return f"{{\n{operations}{indent}}} -> ({', '.join(block.outputs)})"

    def program(self, program):
        text = f"program(1.{3 if self.new_syntax else 0})\n{self.attributes(program.attributes)}\n{{\n"
        for name in sorted(program.functions):
            function = program.functions[name]
            opset = f"ios{int(function.opset.removeprefix('CoreML')) + 10}"
            block = function.block_specializations[function.opset]
            text += f"    func {name}<{opset}>{self.parameters(function.inputs)} {self.block(block, '    ' * 2)};\n"
        return text + "}\n"


def compiled_data(model, kind="generic"):
    """The known parts of `coremldata.bin`."""
    description = model.description.SerializeToString()
    header = bytes.fromhex("f6010000" "05000000") + bytes(20)
    return (header + struct.pack("<Q", len(kind)) + kind.encode() + struct.pack("<Q", model.specificationVersion) + bytes(24)
            + struct.pack("<Q", len(description)) + description + bytes.fromhex("f6010000") + bytes(11))


def write_compiled(model, folder, new_syntax, weights=None):
    """Writes the ML Program or pipeline `model` as a compiled model. `weights` is the folder of its weight files."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "coremldata.bin").write_bytes(compiled_data(model))
    kind = model.WhichOneof("Type")
    metadata = {"metadataOutputVersion": "3.0", "specificationVersion": model.specificationVersion, "isUpdatable": "0",
                "modelType": {"name": f"MLModelType_{kind}"}}
    (folder / "metadata.json").write_text(json.dumps([metadata], indent=2))
    if kind == "mlProgram":
        (folder / "model.mil").write_text(TextWriter(new_syntax).program(model.mlProgram))
        if weights is not None and pathlib.Path(weights).exists():
            shutil.copytree(weights, folder / "weights", dirs_exist_ok=True)
    else:
        pipeline = model.pipeline if kind == "pipeline" else getattr(model, kind).pipeline
        for index, stage in enumerate(pipeline.models):
            write_compiled(stage, folder / f"model{index}", new_syntax, weights)


def load(path):
    model = Model_pb2.Model()
    model.ParseFromString(pathlib.Path(path).read_bytes())
    return model
