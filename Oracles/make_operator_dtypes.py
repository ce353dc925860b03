"""Determines the dtypes that ExecuTorch's runtime accepts for each operator.

  python make_operator_dtypes.py [--root REPOSITORY] [--only SUBSTRING] [--results FILE]

Reads the calls in Sources/MartletConformance/Operators/OperatorSamples.swift, makes a program of each for every dtype, runs it with
the runtime of the installed `executorch` package, and writes the accepted ones to
Sources/MartletConformance/Operators/UpstreamOperators.swift. A call that ends the process counts as rejected. With --results, the outputs
are written to a file of JSON lines, for comparison with Martlet's (`martlet operators --outputs`).
"""
import argparse
import json
import math
import multiprocessing
import os
import pathlib
import re
import struct
import sys
import warnings

warnings.filterwarnings("ignore")
import torch

import executorch.exir.schema as S
from executorch.exir._serialize._program import PTEFile, serialize_pte_binary
from executorch.exir.scalar_type import ScalarType

TYPES = {
    "float32": (torch.float32, 6), "float64": (torch.float64, 7), "float16": (torch.float16, 5), "bfloat16": (torch.bfloat16, 15),
    "int8": (torch.int8, 1), "int16": (torch.int16, 2), "int32": (torch.int32, 3), "int64": (torch.int64, 4),
    "uint8": (torch.uint8, 0), "uint16": (torch.uint16, 27), "uint32": (torch.uint32, 28), "uint64": (torch.uint64, 29),
    "bool": (torch.bool, 11), "complex64": (torch.complex64, 9), "complex128": (torch.complex128, 10),
}
KINDS = ["int", "double", "bool"]
REAL = {"complex64": "float32", "complex128": "float64"}
COMPLEX = {"float32": "complex64", "float64": "complex128"}


def is_integral(t):
    return "int" in t or t == "bool"


def type_named(letter, t):
    """The dtype for a letter of the samples in column `t`, or None."""
    f = "float32" if is_integral(t) else t
    return {
        "T": t, "F": f, "R": REAL.get(f, f), "V": REAL.get(t, t), "C": COMPLEX.get(t), "A": "int64" if is_integral(t) else t,
    }.get(letter, letter if letter in TYPES else None)


class NoCall(Exception):
    """Raised if the column does not have the call."""


class Program:
    """A program with a single call, for one column of a sample."""

    def __init__(self, operator, arguments, outputs, column):
        self.column, self.values, self.buffers, self.size = column, [], [S.Buffer(b"")], 0
        self.results, self.offsets = [], {}
        is_primitive = operator.startswith("executorch_prim::")
        mutable = "=0" in outputs
        args = [self.argument(a, planned=(mutable or operator.endswith("et_view.default")) and i == 0) for i, a in enumerate(arguments)]
        first = args[0] if args else None
        outs = []
        for out in outputs:
            if out == "=0":
                self.results.append(first)
                if not is_primitive:
                    args.append(first)
            elif out in ("int", "double", "bool", "S", "K"):
                args.append(self.number(self.kind(out), 0))
                self.results.append(args[-1])
                is_primitive = True
            elif out.startswith("{"):
                items = [self.tensor(item, None) for item in out[1:-1].split(";")]
                self.results += items
                args += [self.add(S.TensorList(items)), self.add(S.TensorList(items))]
                is_primitive = True
            else:
                at = self.offsets[first] if operator.endswith("et_view.default") else None
                outs.append(self.tensor(out, None, at))
        self.results += outs
        args += outs
        if outs and not is_primitive:
            args.append(outs[0] if len(outs) == 1 else self.add(S.TensorList(outs)))
        name, _, overload = operator.partition(".")
        plan = S.ExecutionPlan(
            name="forward", container_meta_type=S.ContainerMetadata("", ""), values=self.values, inputs=[], outputs=self.results,
            chains=[S.Chain([], [], [S.Instruction(S.KernelCall(0, args))], None)], operators=[S.Operator(name, overload)], delegates=[],
            non_const_buffer_sizes=[0, max(self.size, 64)])
        program = S.Program(0, [plan], self.buffers, [], [], S.SubsegmentOffsets(0, []))
        self.bytes = bytes(serialize_pte_binary(PTEFile(program=program)))

    def kind(self, name):
        if name == "K":
            return "bool" if self.column == "bool" else "int" if is_integral(self.column) else "double"
        return self.column if name == "S" else name

    def add(self, value):
        self.values.append(S.EValue(value))
        return len(self.values) - 1

    def number(self, kind, value):
        return self.add({"int": lambda: S.Int(int(value)), "double": lambda: S.Double(float(value)), "bool": lambda: S.Bool(bool(value))}[kind]())

    def tensor(self, text, elements, at=None):
        """A constant tensor with these elements, or memory for a tensor."""
        letter, shape, fill = re.fullmatch(r"(\w+)\[([\d,]*)\](?:=(.*))?", text).groups()
        name = type_named(letter, self.column)
        if name is None:
            raise NoCall
        sizes = [int(extent) for extent in shape.split(",")] if shape else []
        dtype, number = TYPES[name]
        count = math.prod(sizes)
        index, allocation = 0, None
        if elements == "constant":
            given = [float(x) for x in fill.split(",")] if fill else [1, 2, 3, 4]
            values = torch.tensor([given[i % len(given)] for i in range(count)], dtype=torch.float64).to(dtype)
            self.buffers.append(S.Buffer(bytes(values.view(torch.uint8).tolist()) if count else b""))
            index = len(self.buffers) - 1
        else:
            offset = self.size if at is None else at
            allocation = S.AllocationDetails(1, offset, 0)
            self.size += (count * 16 + 127) // 64 * 64
        position = self.add(S.Tensor(
            ScalarType(number), 0, sizes, list(range(len(sizes))), False, 0, index, allocation, S.TensorShapeDynamism.STATIC))
        if allocation:
            self.offsets[position] = allocation.memory_offset_low
        return position

    def argument(self, text, planned=False):
        if text == "none":
            return self.add(S.Null())
        if text[0] == "@":
            name = type_named(text[1:], self.column)
            return self.add(S.Int(TYPES[name][1])) if name else self.add(S.Null())
        if text.startswith("S="):
            return self.number(self.column, float(text[2:]))
        if text[0] == '"':
            return self.add(S.String(text[1:-1]))
        if text in ("true", "false"):
            return self.add(S.Bool(text == "true"))
        if text.startswith("?{"):
            return self.add(S.OptionalTensorList([-1 if item == "none" else self.argument(item) for item in text[2:-1].split(";")]))
        if text[0] == "{":
            return self.add(S.TensorList([self.argument(item) for item in text[1:-1].split(";")]))
        if text[0] == "[":
            items = text[1:-1].split(",") if text != "[]" else []
            if items and items[0] in ("true", "false"):
                return self.add(S.BoolList([item == "true" for item in items]))
            if any("." in item for item in items):
                return self.add(S.DoubleList([float(item) for item in items]))
            return self.add(S.IntList([self.add(S.Int(int(item))) for item in items]))
        if re.fullmatch(r"-?\d+", text):
            return self.add(S.Int(int(text)))
        if re.fullmatch(r"-?\d+\.\d+", text):
            return self.add(S.Double(float(text)))
        return self.tensor(text, None if planned else "constant")


def samples(root):
    source = (root / "Sources/MartletConformance/Operators/OperatorSamples.swift").read_text()
    for line in source.split('#"""')[1].split('"""#')[0].splitlines():
        line = line.strip()
        if line and not line.startswith("#"):
            left, right = line.rsplit(" -> ", 1)
            operator, *arguments = [part.strip() for part in left.split(" | ")]
            outputs = [out.strip() for out in re.split(r",\s+", right)]
            yield operator, arguments, outputs


def columns(arguments, outputs):
    return KINDS if any(a.startswith("S=") for a in arguments) else list(TYPES)


def run_columns(operator, arguments, outputs, names, log):
    """Runs the columns `names` and writes a line per outcome."""
    import executorch.extension.pybindings.portable_lib as runtime
    import executorch.kernels.quantized

    for name in names:
        log.write(json.dumps({"column": name, "started": True}) + "\n")
        log.flush()
        try:
            program = Program(operator, arguments, outputs, name)
            module = runtime._load_for_executorch_from_buffer(program.bytes)
            results = module.run_method("forward", ())
            values = [r.reshape(-1).to(torch.complex128).tolist() if isinstance(r, torch.Tensor) else r for r in results]
            text = [[[z.real, z.imag] if isinstance(z, complex) else z for z in v] if isinstance(v, list) else v for v in values]
            log.write(json.dumps({"column": name, "accepted": True, "outputs": text}) + "\n")
        except NoCall:
            log.write(json.dumps({"column": name, "accepted": False, "reason": "no call"}) + "\n")
        except Exception as error:
            log.write(json.dumps({"column": name, "accepted": False, "reason": str(error)[:200]}) + "\n")
        log.flush()


def run_operator(operator, arguments, outputs):
    """{column: outcome}. Runs in child processes, because an error may end the process."""
    rest, outcomes = columns(arguments, outputs), {}
    while rest:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            with os.fdopen(writer, "w") as log:
                run_columns(operator, arguments, outputs, rest, log)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as log:
            lines = [json.loads(line) for line in log if line.endswith("\n")]
        os.waitpid(child, 0)
        started = [line["column"] for line in lines if "started" in line]
        for line in lines:
            if "accepted" in line:
                outcomes[line["column"]] = line
        for name in started:
            outcomes.setdefault(name, {"column": name, "accepted": False, "reason": "the process ended"})
        rest = [name for name in rest if name not in outcomes] if started else []
    return outcomes


HEAD = '''/// The dtypes that the runtime of ExecuTorch {version} accepts in the calls of `operatorSamples`: one line per operator.
/// Written by `Oracles/make_operator_dtypes.py`.
let upstreamOperators = """
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--only", default="")
    parser.add_argument("--results", type=pathlib.Path)
    options = parser.parse_args()
    import importlib.metadata
    import executorch.extension.pybindings.portable_lib  # loaded once, before the children
    import executorch.kernels.quantized

    lines, results = [], options.results.open("w") if options.results else None
    for operator, arguments, outputs in samples(options.root):
        if options.only not in operator:
            continue
        outcomes = run_operator(operator, arguments, outputs)
        accepted = [name for name in columns(arguments, outputs) if outcomes[name]["accepted"]]
        lines.append(f"{operator}: {' '.join(accepted)}".rstrip())
        if results:
            for outcome in outcomes.values():
                results.write(json.dumps({"operator": operator, **outcome}) + "\n")
        print(lines[-1], "" if accepted else outcomes[columns(arguments, outputs)[0]]["reason"], flush=True)
    if not options.only:
        target = options.root / "Sources/MartletConformance/Operators/UpstreamOperators.swift"
        head = HEAD.format(version=importlib.metadata.version("executorch"))
        target.write_text(head + "".join(f"  {line}\n" for line in lines) + '  """\n')


if __name__ == "__main__":
    main()
