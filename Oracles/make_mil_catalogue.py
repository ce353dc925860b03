"""Writes the operators of ML Programs: Sources/MartletConformance/Operators/MILCatalogue.swift.

  python make_mil_catalogue.py [--out FILE]

The table has a line for each operator of coremltools' registry: its name and, for each operator set from iOS 13 on, the set that contains the
applicable definition, or a dash if the operator does not exist. coremltools keeps the definitions of iOS 13 and 14 with those of iOS 15, the
first release with ML Programs. `_const_symbolic` is omitted: it exists only during conversion.

Versions: see requirements.txt.
"""
import argparse
import pathlib
import warnings

warnings.filterwarnings("ignore")
import coremltools.converters.mil.mil.ops.defs  # registers the operators
from coremltools.converters.mil._deployment_compatibility import AvailableTarget
from coremltools.converters.mil.mil.ops.registry import SSAOpRegistry

TARGETS = [AvailableTarget[f"iOS{release}"] for release in range(13, 19)]
HEAD = '''/// The operators of ML Programs. Each line has the name of an operator and, for the operator sets of iOS 13 to 18, the release whose
/// definition applies in the set, or a dash if the operator does not exist. Written by `Oracles/make_mil_catalogue.py`.
let milCatalogue = """
'''
ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "Sources/MartletConformance/Operators/MILCatalogue.swift")
    arguments = parser.parse_args()
    lines = []
    for name, versions in sorted(SSAOpRegistry.core_ops.items()):
        if name.startswith("_"):
            continue
        definitions = [versions[target].__module__.split(".")[-2] if target in versions else "-" for target in TARGETS]
        lines.append(" ".join(["  " + name] + [definition.removeprefix("iOS") for definition in definitions]))
    arguments.out.write_text(HEAD + "\n".join(lines) + '\n  """\n')


if __name__ == "__main__":
    main()
