"""Exports one operator call as a program, runs it with ExecuTorch and torch, and writes the case's folder.

Unless a call requests the standard passes, it keeps exactly the operator that it names. The passes that decompose operators, convert scalars
to tensors or promote dtypes are skipped.
"""

import json
import warnings

warnings.filterwarnings("ignore")
import numpy as np
import torch
from torch.utils import _pytree as pytree
from executorch.exir import ExecutorchBackendConfig, EdgeCompileConfig
from executorch.exir.operator.convert import to_out_variant
from executorch.exir.passes.replace_sym_size_op_pass import ReplaceSymSizeOpPass
from executorch.exir.program import _program
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
import executorch.kernels.quantized  # noqa: F401  (registers the quantised operators with the runtime)

ORACLE_RUNTIME, ORACLE_EAGER = "executorch-1.4.1 runtime", "torch eager"

# Operators whose edge cases are defined by the runtime: the parameters of an empty range, which torch itself does not have; the sign of NaN
# (NaN; torch: 0); gelu of infinity (infinity; torch: NaN).
RUNTIME_DECIDES = {
    "quantized_decomposed::choose_qparams.Tensor_out",
    "quantized_decomposed::choose_qparams_per_token_asymmetric.out",
    "aten::sign.out",
    "aten::gelu.out",
}

# rtol and atol by output dtype; all others are exact
TOLERANCES = {
    torch.float64: (1e-6, 1e-8),
    torch.float32: (1e-4, 1e-5),
    torch.float16: (4e-3, 2e-3),
    torch.bfloat16: (2e-2, 1e-2),
    torch.complex64: (1e-4, 1e-5),
    torch.complex128: (1e-6, 1e-8),
}
LOW_PRECISION = (torch.float16, torch.bfloat16)


class NotMade(Exception):
    """The exporter or the runtime rejected a variant. `stage` names which of them."""

    def __init__(self, stage, error):
        super().__init__(f"{stage}: {type(error).__name__}: {str(error).strip().splitlines()[0][:160] if str(error).strip() else ''}")


class Call:
    """One recorded call.

    function: an operator overload or a Python function over tensors.
    steps: argument lists, one per execution; tensors in them (also within lists) become inputs of the program; all other
      arguments are constant.
      Dimensions that differ between steps are exported as dynamic.
    keywords: constant keyword arguments.
    constants: indices of tensors (in order of occurrence) that become the program's constants rather than inputs.
    dim_order: true if casts, clones and empty tensors use the dim_order_ops namespace.
    check: the distribution to test a random output for, instead of its values.
    standard: true if the program goes through the standard passes of the exporter.
    reinplace: true if the exporter may make operators in-place (with `standard`).
    stateful: `function` is a module class with mutable buffers; one instance is exported, another computes the expected outputs.
    """

    def __init__(
        self,
        function,
        *arguments,
        steps=None,
        constants=(),
        dim_order=True,
        check=None,
        standard=False,
        stateful=False,
        reinplace=False,
        **keywords,
    ):
        self.function, self.keywords = function, keywords
        self.steps = [list(arguments)] if steps is None else [list(s) for s in steps]
        self.constants, self.dim_order, self.check, self.standard = set(constants), dim_order, check, standard
        self.stateful, self.reinplace = stateful, reinplace

    def flat(self, step):
        """The step's leaves and their structure."""
        return pytree.tree_flatten(self.steps[step])

    def inputs(self, step):
        tensors = [leaf for leaf in self.flat(step)[0] if isinstance(leaf, torch.Tensor)]
        return [t for i, t in enumerate(tensors) if i not in self.constants]

    def module(self):
        if self.stateful:
            return self.function().eval()
        leaves, structure = self.flat(0)
        call = self

        class Module(torch.nn.Module):
            def __init__(self):
                super().__init__()
                tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
                for i in call.constants:
                    self.register_buffer(f"constant{i}", tensors[i])

            def forward(self, *inputs):
                given, values, index = iter(inputs), [], 0
                for leaf in leaves:
                    if isinstance(leaf, torch.Tensor):
                        values.append(getattr(self, f"constant{index}") if index in call.constants else next(given))
                        index += 1
                    else:
                        values.append(leaf)
                result = call.function(*pytree.tree_unflatten(values, structure), **call.keywords)
                return tuple(result) if isinstance(result, (tuple, list)) else result

        return Module().eval()

    def dynamic_shapes(self):
        if len(self.steps) == 1:
            return None
        names, shapes = {}, []
        for tensors in zip(*(self.inputs(i) for i in range(len(self.steps)))):
            extents = list(zip(*(t.shape for t in tensors)))
            for e in extents:
                if len(set(e)) > 1 and e not in names:
                    names[e] = torch.export.Dim(f"n{len(names)}", min=1, max=max(e) + 2)
            shapes.append({axis: names[e] for axis, e in enumerate(extents) if e in names})
        if not any(shapes):
            return None
        return (tuple(shapes),)


def export(call):
    """The program's bytes and the names of its operators."""
    try:
        with torch.no_grad():
            exported = torch.export.export(call.module(), tuple(call.inputs(0)), dynamic_shapes=call.dynamic_shapes(), strict=False)
            exported = exported if call.standard else exported.run_decompositions({})
    except Exception as error:
        raise NotMade("torch.export", error) from error
    if call.standard:
        try:
            edge = _program.to_edge(exported, compile_config=EdgeCompileConfig(_check_ir_validity=False))
            program = edge.to_executorch(ExecutorchBackendConfig(run_reinplace_pass=call.reinplace))
        except Exception as error:
            raise NotMade("to_executorch", error) from error
        return program.buffer, operator_names(program)
    passes = _program._get_aten_to_edge_passes
    _program._get_aten_to_edge_passes = lambda config: ([ReplaceSymSizeOpPass()], passes(config)[1])
    try:
        config = EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=not call.dim_order)
        edge = _program.EdgeProgramManager({"forward": _program._generate_edge_program(config, exported)}, None, config)
        program = edge.to_executorch(ExecutorchBackendConfig(remove_view_copy=False))
    except Exception as error:
        raise NotMade("to_executorch", error) from error
    finally:
        _program._get_aten_to_edge_passes = passes
    return program.buffer, operator_names(program)


def operator_names(program):
    operators = program.executorch_program.execution_plan[0].operators
    return [f"{o.name}.{o.overload}" if o.overload else o.name for o in operators]


def dim_order(tensor):
    """The axes from outermost to innermost in memory; None if the tensor is in C order."""
    if tensor.is_contiguous() or tensor.dim() != 4 or not tensor.is_contiguous(memory_format=torch.channels_last):
        return None
    return [0, 2, 3, 1]


def write_value(folder, name, value):
    """Writes a tensor and returns the entry of case.json for it."""
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": value}
    if isinstance(value, float):
        return {"double": value}
    entry = {"file": f"{name}.npy"}
    data = value.detach()
    if data.dtype == torch.bfloat16:
        entry["dtype"] = "bfloat16"
        data = data.contiguous().view(torch.int16)
        array = data.numpy().view(np.uint16)
    else:
        array = data.numpy()
    if order := dim_order(value):
        entry["dim_order"] = order
    np.save(folder / f"{name}.npy", np.array(array, order="C"))
    return entry


def tolerance(outputs):
    pairs = [TOLERANCES.get(o.dtype, (0.0, 0.0)) if isinstance(o, torch.Tensor) else (0.0, 0.0) for o in outputs]
    return max((p[0] for p in pairs), default=0.0), max((p[1] for p in pairs), default=0.0)


def agrees(a, b, rtol, atol):
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return type(a) is type(b) and (a == b or (a != a and b != b))
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.is_complex() or a.is_floating_point():
        wide = torch.complex128 if a.is_complex() else torch.float64
        return torch.allclose(a.to(wide), b.to(wide), rtol=rtol, atol=atol, equal_nan=True)
    return torch.equal(a, b)


def in_fp32(call, step, like):
    """The results of a call with fp16 or bf16 arguments, computed in fp32 and rounded to the dtypes of `like`."""
    leaves, structure = call.flat(step)
    wide = [t.float() if isinstance(t, torch.Tensor) and t.dtype in LOW_PRECISION else t for t in leaves]
    with torch.no_grad():
        results = call.function(*pytree.tree_unflatten(wide, structure), **call.keywords)
    return [t.to(o.dtype) for t, o in zip(pytree.tree_leaves(results), like)]


def record(call, operator, name, folder, label):
    """Makes one case; `label` describes its variant. Returns None, or a sentence if the runtime disagrees with torch.
    Raises NotMade."""
    data, operators = export(call)
    if operator not in operators:
        raise NotMade("operator lost", ValueError(", ".join(operators)))
    results, eager = [], []
    try:
        method = _load_for_executorch_from_buffer(data)
        for i in range(len(call.steps)):
            results.append([o.clone() if isinstance(o, torch.Tensor) else o for o in method.forward(call.inputs(i))])
    except Exception as error:
        raise NotMade("runtime", error) from error
    function = call.function() if call.stateful else call.function
    for i in range(len(call.steps)):
        with torch.no_grad():
            leaves = function(*call.steps[i], **call.keywords)
        eager.append([leaf for leaf in pytree.tree_leaves(leaves)])
    rtol, atol = tolerance([o for step in results for o in step])
    notes = None
    if not call.check and operator not in RUNTIME_DECIDES:
        same = all(len(r) == len(e) and all(agrees(a, b, rtol, atol) for a, b in zip(r, e)) for r, e in zip(results, eager))
        described = [[[(t.dtype, t.shape) for t in step if isinstance(t, torch.Tensor)] for step in each] for each in (results, eager)]
        if described[0] != described[1]:
            raise NotMade("runtime", ValueError("declares another dtype or shape than torch returns"))
        if not same:
            notes = "ExecuTorch's portable kernel gives another result than torch; torch's is recorded"
            results = eager
            if all(t.dtype in LOW_PRECISION for step in results for t in step) and not call.stateful:
                notes += ", computed in fp32"
                results = [in_fp32(call, i, eager[i]) for i in range(len(call.steps))]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.pte").write_bytes(data)
    steps = []
    for i, result in enumerate(results):
        prefix = f"step{i}_" if len(results) > 1 else ""
        steps.append(
            {
                "inputs": [write_value(folder, f"{prefix}input{k}", t) for k, t in enumerate(call.inputs(i))],
                "outputs": [write_value(folder, f"{prefix}output{k}", t) for k, t in enumerate(result)],
            }
        )
    case = {"name": f"ops.{name}", "family": "op", "method": "forward"}
    case.update({"steps": steps} if len(steps) > 1 else steps[0])
    case.update(
        {"rtol": rtol, "atol": atol, "oracle": ORACLE_EAGER if notes else ORACLE_RUNTIME, "ops": operators, "delegates": [], "op": operator}
    )
    if call.check:
        case["check"] = call.check
    case["notes"] = f"{label}; {notes}" if notes else label
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")
    return notes


def out_name(overload):
    """The qualified name of an overload's out variant, as programs spell it, or None if it has none."""
    try:
        out, _ = to_out_variant(overload)
    except Exception:
        return None
    namespace, name = out._schema.name.split("::")
    return f"{namespace}::{name}.{out._schema.overload_name}"
