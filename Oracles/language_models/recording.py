"""Exports the methods of a tiny language model as upstream's exporter does, runs them step by step, and writes the case's folder."""

import contextlib
import copy
import io
import json
import logging
import shutil
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import torch
from torch.utils import _pytree as pytree
import executorch.kernels.quantized  # noqa: F401  (registers the quantised operators with the runtime)
from executorch.backends.xnnpack._passes.convert_to_linear import ConvertToLinearPass
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackDynamicallyQuantizedPartitioner, XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401  (registers the llama operators)
from executorch.extension.llm.export.export_passes import RemoveRedundantTransposes
from executorch.exir._serialize._program import deserialize_pte_binary
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

from op_cases.recording import agrees, write_value

RUNTIME, EAGER = "executorch-1.4.1 runtime", "torch eager"
PARTITIONERS = {
    "portable": [],
    # Upstream's exporter delegates products with dynamic quantisation alone, unless it is asked for more.
    "dynamic": [XnnpackDynamicallyQuantizedPartitioner],
    "xnnpack": [XnnpackDynamicallyQuantizedPartitioner, XnnpackPartitioner],
}


class NotMade(Exception):
    """Upstream does not write this combination; the message says why."""


class Method:
    """A method of a program: a module, and for each tensor of its inputs the axes whose extents vary, with their bound."""

    def __init__(self, module, dynamic=None):
        self.module, self.dynamic = module.eval(), dynamic


class Program:
    """What is exported.

    methods: by name.
    example: by name, the inputs to export with.
    metadata: the constant methods.
    tag: says for a node of a constant which `.ptd` it goes to; None for the program itself.
    initialized: names of the buffers that begin with their values.
    """

    def __init__(self, methods, example, *, metadata=None, tag=None, initialized=(), shares_buffers=False):
        self.methods, self.example, self.metadata, self.tag = methods, example, metadata or {}, tag
        self.initialized, self.shares_buffers = list(initialized), shares_buffers


def exported(method, example):
    shapes, strict = None, True
    if method.dynamic:
        dims = {}

        def named(axes):
            return {axis: dims.setdefault(most, torch.export.Dim("n", max=most)) for axis, most in axes.items()}

        shapes = pytree.tree_map(named, method.dynamic, is_leaf=lambda leaf: isinstance(leaf, dict) and all(isinstance(k, int) for k in leaf))
    with torch.nn.attention.sdpa_kernel([torch.nn.attention.SDPBackend.MATH]), torch.no_grad():
        program = torch.export.export(method.module, example, dynamic_shapes=shapes, strict=strict)
        module = program.run_decompositions({}).module()
        module = RemoveRedundantTransposes()(module).graph_module
        return torch.export.export(module, example, dynamic_shapes=shapes, strict=strict).run_decompositions({})


def lower(program, backend):
    """The ExecuTorch program with upstream's settings."""
    config = EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=True)
    with contextlib.redirect_stdout(io.StringIO()):
        methods = {name: exported(method, program.example[name]) for name, method in program.methods.items()}
        partitioners = [partitioner() for partitioner in PARTITIONERS[backend]]
        edge = to_edge_transform_and_lower(
            methods, partitioner=partitioners or None, compile_config=config, constant_methods=program.metadata
        )
        edge.transform([ConvertToLinearPass()])
        return edge.to_executorch(
            ExecutorchBackendConfig(
                extract_delegate_segments=True,
                passes=[InitializedMutableBufferPass(program.initialized)] if program.initialized else [],
                do_quant_fusion_and_const_prop=True,
                memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, share_mutable_buffers=program.shares_buffers),
                sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass(),
                external_constants=program.tag,
            )
        )


class Case:
    """What a program computes.

    program: makes it from new modules, so that every instance begins with its first state.
    steps: pairs of a method's name and its inputs, a list of tensors.
    tolerance: rtol and atol.
    call: how the model in torch takes a step's inputs.
    refused: whether the program is to be an error.
    rounds: whether the model computes in half precision. The tolerance is then at least twice the distance of a right result, torch's or
        the runtime's, from what the model gives in single precision, so that a result that is no farther from that passes.
    """

    def __init__(self, program, steps, backend, *, tolerance=(1e-3, 1e-3), call=None, notes=None, refused=False, rounds=False):
        self.program, self.steps, self.backend, self.tolerance, self.notes = program, steps, backend, tolerance, notes
        self.refused, self.rounds = refused, rounds
        self.call = call or (lambda module, inputs: module(*inputs))


def tensor_entry(folder, name, value):
    """Integers stand in case.json itself."""
    return {"int64": value.tolist()} if value.dtype == torch.int64 else write_value(folder, name, value)


def eager_steps(case, wide=False):
    """What the model in torch gives, in single precision if `wide`."""
    program, results = case.program(), []
    if wide:
        for method in program.methods.values():
            method.module.float()
    for method, inputs in case.steps:
        with torch.no_grad(), torch.nn.attention.sdpa_kernel([torch.nn.attention.SDPBackend.MATH]):
            results.append([t.clone() for t in pytree.tree_leaves(case.call(program.methods[method].module, inputs))])
    return results


def runtime_steps(data, named, case):
    module = _load_for_executorch_from_buffer(data) if named is None else named
    return [[t.clone() for t in module.run_method(method, tuple(inputs))] for method, inputs in case.steps]


class Written:
    """A program that another exporter writes.

    content: gives its bytes.
    steps, tolerance, notes: as of a case.
    """

    def __init__(self, content, steps, backend, *, tolerance=(1e-3, 1e-3), notes=None):
        self.content, self.steps, self.backend, self.tolerance, self.notes = content, steps, backend, tolerance, notes


def record_written(key, case, folder):
    """Writes the case's folder with the results of ExecuTorch's runtime."""
    try:
        data = case.content()
    except Exception as error:
        raise NotMade(f"{type(error).__name__}: {' '.join(str(error).strip().splitlines())[:300]}") from error
    plan = next(p for p in deserialize_pte_binary(data).program.execution_plan if p.name == case.steps[0][0])
    given = runtime_steps(data, None, case)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "model.pte").write_bytes(data)
    steps = [
        {
            "inputs": [tensor_entry(folder, f"step{i}_input{k}", t) for k, t in enumerate(inputs)],
            "outputs": [tensor_entry(folder, f"step{i}_output{k}", t.contiguous()) for k, t in enumerate(outputs)],
        }
        for i, ((_, inputs), outputs) in enumerate(zip(case.steps, given))
    ]
    rtol, atol = case.tolerance
    content = {"name": f"language-models.{key}", "family": "llm", "method": case.steps[0][0], "steps": steps, "rtol": rtol, "atol": atol}
    content |= {"oracle": RUNTIME, "ops": sorted({f"{o.name}.{o.overload}" if o.overload else o.name for o in plan.operators})}
    content |= {"delegates": sorted({d.id for d in plan.delegates}), "notes": case.notes}
    (folder / "case.json").write_text(compact(content) + "\n")
    return f"{sum(p.stat().st_size for p in folder.iterdir()) / 1000:.0f} kB, {len(steps)} steps, {RUNTIME}; {case.notes}"


def distance(results, others):
    """The largest difference of an element."""
    pairs = [(a, b) for x, y in zip(results, others) for a, b in zip(x, y) if a.shape == b.shape]
    return max((float((a.double() - b.double()).abs().max()) for a, b in pairs), default=0)


def record(key, case, folder):
    """Writes the case's folder. Returns a sentence about its size and where its results come from."""
    if isinstance(case, Written):
        return record_written(key, case, folder)
    torch.manual_seed(0)
    program = case.program()
    try:
        lowered = lower(program, case.backend)
    except Exception as error:
        message = str(error).strip().splitlines()
        raise NotMade(f"{type(error).__name__}: {' '.join(message)[:300]}") from error
    plans = [p for p in lowered.executorch_program.execution_plan if p.name in program.methods]
    operators = sorted({f"{o.name}.{o.overload}" if o.overload else o.name for p in plans for o in p.operators})
    delegates = sorted({d.id for p in plans for d in p.delegates})
    if case.backend != "portable" and not delegates:
        raise NotMade("nothing of it is delegated")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "model.pte").write_bytes(lowered.buffer)
    content = {"name": f"language-models.{key}", "family": "llm", "method": case.steps[0][0]}
    if case.refused:
        content |= {"steps": [{"inputs": [tensor_entry(folder, "input", t) for t in case.steps[0][1]]}], "expect": "error"}
        content |= {"ops": operators, "notes": case.notes}
        (folder / "case.json").write_text(compact(content) + "\n")
        return f"{len(lowered.buffer) / 1000:.0f} kB, refused"
    data_files = []
    if program.tag:
        lowered.write_tensor_data_to_file(str(folder))
        data_files = sorted(p.name for p in folder.glob("*.ptd"))
    expected = eager_steps(case)
    rtol, atol = case.tolerance
    notes, source = case.notes, RUNTIME
    exact = eager_steps(case, wide=True) if case.rounds else None
    if case.rounds and any(t.isnan().any() for x in expected for t in x):
        # Upstream's attention in float16 adds a mask of infinities wrongly; the model in single precision is right.
        expected, case.rounds = [[t.to(b.dtype) for t, b in zip(x, y)] for x, y in zip(exact, expected)], False
        atol = max(atol, 0.06)
    if case.rounds:
        atol = max(atol, round(2 * distance(expected, exact), 2))
    try:
        if data_files:
            from executorch.extension.pybindings.portable_lib import _load_for_executorch

            given = runtime_steps(None, _load_for_executorch(str(folder / "model.pte"), str(folder / data_files[0])), case)
        else:
            given = runtime_steps(lowered.buffer, None, case)
        worst = distance(given, expected)
        wrong = next((i for i, (x, y) in enumerate(zip(given, expected)) if not all(agrees(a, b, rtol, atol) for a, b in zip(x, y))), None)
        if wrong is not None:
            raise ValueError(f"step {wrong} differs by up to {worst:.2g}")
        if case.rounds:
            atol = max(atol, round(2 * distance(given, exact), 2))
    except Exception as error:
        source, given = EAGER, expected
        reason = f"ExecuTorch's runtime is not followed: {str(error).splitlines()[0][:120]}"
        notes = f"{notes}; {reason}" if notes else reason
        worst = 0
    steps = []
    for i, ((method, inputs), outputs) in enumerate(zip(case.steps, given)):
        step = {
            "inputs": [tensor_entry(folder, f"step{i}_input{k}", t) for k, t in enumerate(inputs)],
            "outputs": [tensor_entry(folder, f"step{i}_output{k}", t.contiguous()) for k, t in enumerate(outputs)],
        }
        steps.append(step if method == "forward" else step | {"method": method})
    content |= {"steps": steps, "rtol": rtol, "atol": atol}
    content |= {"oracle": source, "ops": operators, "delegates": delegates}
    content |= {"data_files": data_files} if data_files else {}
    content |= {"share_memory_arenas": True} if program.shares_buffers else {}
    content |= {"notes": notes} if notes else {}
    content |= {"metadata": program.metadata} if program.metadata else {}
    (folder / "case.json").write_text(compact(content) + "\n")
    size = sum(p.stat().st_size for p in folder.iterdir())
    return f"{size / 1000:.0f} kB, {len(steps)} steps, {source}, largest difference {worst:.2g}{'; ' + notes if notes else ''}"


def compact(content):
    """JSON with a line for each member, and one for each step."""
    lines = []
    for key, value in content.items():
        if key == "steps":
            lines.append(' "steps": [\n' + ",\n".join("  " + json.dumps(step) for step in value) + "\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}"
