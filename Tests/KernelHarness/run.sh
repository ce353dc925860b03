#!/usr/bin/env bash
# Compares the C kernels of each instruction set of this processor with the portable ones.
#
#   Tests/KernelHarness/run.sh [BUILD]      a build folder of the package; default: .build/release
#
# The harness is linked with the package's object files, so `swift build -c release --target CMartletKernels` comes first.
set -euo pipefail
cd "$(dirname "$0")/../.."

kernels=Sources/CMartletKernels
build=${1:-.build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# parallel_closure.c calls Swift closures: nothing to test without Swift. Objects of files that are gone may remain in the folder.
objects=$(find $kernels -name '*.c' ! -name parallel_closure.c -printf "$build/CMartletKernels.build/%P.o\n")
clang -std=gnu11 -O2 -Wall -Wextra -Werror -I $kernels/include Tests/KernelHarness/*.c $objects -lm -lpthread -o "$work/harness"
Tests/KernelHarness/compare-steps.sh "$work/harness"

# The integer kernels for AVX-VNNI, where the processor has their instructions only in the encoding of AVX-512.
if grep -qw avx512_vnni /proc/cpuinfo && ! grep -qw avx_vnni /proc/cpuinfo; then
  for file in quantized q8_avxvnni; do
    clang -std=c11 -O2 -DMARTLET_EVEX_AVX_VNNI -I $kernels/include -c $kernels/quantized/$file.c -o "$work/$file.o"
    objects=$(grep -v "/$file.c.o$" <<<"$objects")
  done
  clang -std=gnu11 -O2 -I $kernels/include Tests/KernelHarness/*.c $objects "$work"/*.o -lm -lpthread -o "$work/harness"
  MARTLET_ISA=portable "$work/harness" record "$work/portable"
  MARTLET_ISA=avx2 "$work/harness" record "$work/avxvnni"
  "$work/harness" compare "$work/portable" "$work/avxvnni"
fi
