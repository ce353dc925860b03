"""Makes recorded cases of Core ML neural networks: every layer, under both mappings of arrays where it is legal.

    make_network_cases.py --out DIRECTORY [--fixture] [--only TEXT]

The models are written with the format's messages; the expected outputs are those of network_interpreter.py, in float64. --fixture writes the
smaller set that is committed as Tests/Fixtures/network. DIRECTORY/INDEX.txt lists the cases with their layers, COVERAGE.txt the number of cases
of each layer under each mapping.
"""

import argparse
import importlib

import numpy as np

from network_cases.building import CASES, Suite

MODULES = ("elementwise", "windows", "weights", "products", "normalization", "shapes", "selection", "recurrent", "control", "features")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--fixture", action="store_true")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    for module in MODULES:
        importlib.import_module(f"network_cases.{module}")
    suite = Suite(arguments.out, arguments.fixture, arguments.only)
    with np.errstate(all="ignore"):
        for function in CASES:
            function(suite)
    suite.finish()


if __name__ == "__main__":
    main()
