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

# Compares the kernels of step $1 with the portable ones, with the files that follow compiled anew with macro $2.
compare_with() {
  local step=$1 macro=$2 others=$objects file
  for file in "${@:3}"; do
    clang -std=c11 -O2 "-D$macro" -I $kernels/include -c "$kernels/$file.c" -o "$work/$(basename "$file").o"
    others=$(grep -v "/$file.c.o$" <<<"$others")
  done
  clang -std=gnu11 -O2 -I $kernels/include Tests/KernelHarness/*.c $others "$work"/*.o -lm -lpthread -o "$work/harness"
  rm "$work"/*.o
  MARTLET_ISA=portable "$work/harness" record "$work/portable"
  MARTLET_ISA=$step "$work/harness" record "$work/step"
  "$work/harness" compare "$work/portable" "$work/step"
}

# The integer kernels for AVX-VNNI, where the processor has their instructions only in the encoding of AVX-512.
if grep -qw avx512_vnni /proc/cpuinfo && ! grep -qw avx_vnni /proc/cpuinfo; then
  compare_with avx2 MARTLET_EVEX_AVX_VNNI quantized/quantized quantized/q8_avxvnni
fi

# The kernels for AVX512-BF16, where the processor has its instructions but computes faster without them.
if grep -qw avx512_bf16 /proc/cpuinfo && grep -qw GenuineIntel /proc/cpuinfo; then
  compare_with avx512bf16 MARTLET_BF16_VECTORS machine/cpu
fi
