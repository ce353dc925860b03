#!/usr/bin/env bash
# Compares the kernels of each instruction set that the processor has with the portable ones.
#
#   Tests/KernelHarness/compare-steps.sh HARNESS          HARNESS may be several words: an emulator's command
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

MARTLET_ISA=portable "$@" record "$work/portable"
for step in $("$@" steps); do
  [ "$step" != portable ] || continue
  recorded=$(MARTLET_ISA=$step "$@" record "$work/step")
  echo "$recorded"
  [ "${recorded%%,*}" = "$step" ] || { echo "$step: the harness used another instruction set" >&2; exit 1; }
  "$@" compare "$work/portable" "$work/step"
  MARTLET_ISA=$step "$@" accuracy > "$work/accuracy" || { echo "$step: a function is less exact than promised" >&2; exit 1; }
done
MARTLET_ISA=portable "$@" accuracy > "$work/accuracy"
# Without a restriction, as users run it: a processor may have extensions of no step.
"$@" record "$work/step"
"$@" compare "$work/portable" "$work/step"
