"""Writes the argument names of every operator that `.pte` programs call and that the engine imports, one line for each:

    namespace::name.overload(argument, ...)

with the returned values that are not arguments after `->`. Names come from the schemas that PyTorch and ExecuTorch register, and from
ExecuTorch's list of quantised kernels. Four operators of ExecuTorch's runtime have no schema in Python; their names are those of its C++ sources.
So are those of operators that other versions of ExecuTorch register.

    python Oracles/make_operator_schemas.py Sources/MartletImport/ExecuTorch/Rows Tests/Fixtures/operator-schemas.txt

Versions: requirements.txt.
"""

import argparse
import importlib
import re
from pathlib import Path

import executorch
import torch
import yaml

REGISTRATIONS = [
    "executorch.exir",
    "executorch.exir.passes._quant_patterns_and_replacements",
    "executorch.exir.passes.executorch_prim_ops_registry",
    "executorch.exir.passes.dim_order_ops_registry",
    "executorch.exir.passes._device_copy_ops_registry",
    "executorch.extension.llm.custom_ops.custom_ops",
    "torch.ao.quantization.fx._decomposed",
]

# executorch/kernels/prim_ops/register_prim_ops.cpp
RUNTIME = {
    "executorch_prim::et_copy_index.tensor": "copy_to, copy_from, index",
    "executorch_prim::et_view.default": "self, size, out",
    "executorch_prim::floordiv.int": "a, b",
    "executorch_prim::mod.int": "a, b",
}

# executorch/extension/llm/custom_ops/op_sdpa_aot.cpp of other versions
OTHER_VERSIONS = {
    "llama::gated_delta_rule.out": "query, key, value, decay, beta, initial_state, out, final_state_out",
    "llama::recurrent_gated_delta_rule.out": "query, key, value, g, beta, recurrent_state, out",
}

RETURNS = re.compile(r"^(aten::_local_scalar_dense|aten::sym_\w+(\.\w+)?|executorch_prim::(?!et_)\w+\.\w+)$")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path, help="folder of the importer rows, which name the operators")
    parser.add_argument("output", type=Path)
    options = parser.parse_args()

    for module in REGISTRATIONS:
        importlib.import_module(module)
    names = {}
    for schema in torch._C._jit_get_all_schemas():
        name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
        names[name] = ", ".join(argument.name for argument in schema.arguments)
    root = Path(list(executorch.__path__)[0])
    for entry in yaml.safe_load((root / "kernels/quantized/quantized.yaml").read_text()):
        schema = torch._C.parse_schema(entry["func"].split(" -> ")[0] + " -> ()")
        name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
        names.setdefault(name, ", ".join(argument.name for argument in schema.arguments))
    names.update(RUNTIME | OTHER_VERSIONS)

    called = set()
    for file in sorted(options.rows.glob("*.swift")):
        called.update(re.findall(r'^  "(\w+::[\w.]+)[("]', file.read_text(), re.MULTILINE))
    lines = [f"{name}({names[name]})" + (" -> result" if RETURNS.match(name) else "") for name in sorted(called)]
    options.output.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
