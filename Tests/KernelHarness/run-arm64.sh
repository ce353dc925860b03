#!/usr/bin/env bash
# Compiles the C kernels for arm64 and compares their NEON variants with the portable ones in an emulator.
#
#   Tests/KernelHarness/run-arm64.sh
#
# Needs clang with the AArch64 target (Swift's toolchain has it), Debian's cross toolchain for headers, libraries and linking
# (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross) and qemu-user. The kernels are written in clang's C, so gcc itself does not compile them.
set -euo pipefail
cd "$(dirname "$0")/../.."

target=aarch64-linux-gnu
for tool in clang $target-gcc qemu-aarch64; do
  command -v $tool >/dev/null || { echo "$tool is missing: apt-get install gcc-$target libc6-dev-arm64-cross qemu-user" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

kernels=Sources/CMartletKernels
# Loops that ask to be vectorized may stay as they are, hence -Wno-pass-failed. parallel_closure.c calls Swift closures: nothing to test
# without Swift.
sources=$(find $kernels -name '*.c' ! -name parallel_closure.c)
printf '%s\n' $sources Tests/KernelHarness/*.c | xargs -P "$(nproc)" -I{} sh -c \
  'clang --target='$target' --sysroot=/usr/'$target' -isystem /usr/'$target'/include -std=gnu11 -O2 -Wall -Wextra -Werror -Wno-pass-failed \
     -fsanitize=alignment -fsanitize-trap=alignment \
     -I '$kernels'/include -c {} -o '"$work"'/$(echo {} | tr / _).o'
$target-gcc -static "$work"/*.o -lm -lpthread -o "$work/harness"

# Armv8.0 alone, with dot products of bytes, and with everything: without SVE, and with vectors of 128, 256 and 512 bits.
for processor in cortex-a53 neoverse-n1 max,sve=off max,sve128=on,sve256=off max,sve256=on,sve512=off max,sve512=on; do
  echo "$processor"
  Tests/KernelHarness/compare-steps.sh qemu-aarch64 -cpu $processor "$work/harness"
done
