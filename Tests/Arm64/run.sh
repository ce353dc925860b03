#!/usr/bin/env bash
# Cross-compiles the command line tool and the tests for Linux arm64 on an x86-64 Debian machine, and runs them in emulators.
#
#   Tests/Arm64/run.sh FOLDER [STEP ...]
#
# Steps, all of them by default:
#
#   tool         classify, recorded fixtures, and the recorded cases beside the project
#   tests        all tests of the package on the newest processor, target by target, but for those named at the end of the table
#   processors   the tests of kernels and operators on older processors, and with several lengths of SVE's vectors
#   pages        tests that map files, and the recorded fixtures, under a Linux with pages of 64 KiB
#   harness      the kernels in C against their portable versions (Tests/KernelHarness/run-arm64.sh)
#
# A table at the end says what ran, how many tests there were, and what did not run.
#
# FOLDER receives, once, root file systems of Debian sid with its Swift (3 minutes, 1.2 GB of downloads, 6 GB of disk) and the programs
# `enter` and `run`; for `pages` also a kernel and `boot` (0.5 GB of downloads, 3 GB of disk). Needs root, Linux 6.7 or newer (binfmt_misc in
# a user namespace), Debian's keyring (debian-archive-keyring) and its package index. The machine's packages, package sources and emulators
# stay as they are. Folders named in MARTLET_ARM64_MOUNTS, separated by colons, appear inside under the same paths: mirrors of Swift packages,
# for example. The build is in .build-arm64.
set -euo pipefail

folder=$(mkdir -p "$1" && readlink -f "$1")
shift
cd "$(dirname "$0")/../.."
project=$PWD
[ $# -gt 0 ] || set -- tool tests processors pages harness
"$project/Tests/Arm64/prepare.sh" "$folder"

built=.build-arm64/aarch64-unknown-linux-gnu/release
report=$(mktemp)
trap 'rm -f "$report"' EXIT
failed=0
missing=()

# build PRODUCT: without debug information, because Debian's Swift 6.2.3, which has assertions, stops where it describes a variable of MartletImport.
build() {
  echo "== building $1 (${SECONDS} s)"
  "$folder/enter" "$project" \
    "swift build --scratch-path .build-arm64 --swift-sdk debian-arm64 -c release -debug-info-format none --product $1"
}

# check NAME COMMAND…: runs a command and adds a line to the report: the last line of its output that holds a count.
check() {
  local name=$1 output status=0
  shift
  echo "== $name (${SECONDS} s)"
  output=$("$@" 2>&1) || status=$?
  [ $status = 0 ] || { failed=1; tail -n 40 <<<"$output"; }
  printf '%-44s %s%s\n' "$name" "$([ $status = 0 ] || echo "FAILED ($status): ")" \
    "$(grep -aE '[0-9]+ (case|test|result|passed)' <<<"$output" | tail -n 1 | sed 's/^[^A-Za-z0-9]*//; s/\r$//')" >>"$report"
}

# Tests whose subject is not emulated: a compiler for the modules that were built, limits of the process, bounds of time.
unfit=('does not compile, and its twin does' 'refuses to lock memory' 'run within 2 GiB' 'a hundred thousand scans' 'inflates past the limit')

# suite PROCESSOR FILTER…: runs tests on a processor of the emulator.
suite() {
  local processor=$1 filters=()
  shift
  for filter in "$@"; do filters+=(--filter "$filter"); done
  for test in "${unfit[@]}"; do filters+=(--skip "$test"); done
  check "tests on $processor: $*" env QEMU_CPU="$processor" "$folder/run" "$built/martletPackageTests.xctest" \
    --testing-library swift-testing "${filters[@]}"
}

for step in "$@"; do
  case $step in
    tool)
      build martlet
      check classify "$folder/run" "$built/martlet" classify
      check fixtures "$folder/run" "$built/martlet" verify Tests/Fixtures
      for family in ops features nets coreml mps llm; do
        if [ -d ../shared/models/pte/$family ]; then check "pte/$family" "$folder/run" "$built/martlet" verify ../shared/models/pte/$family
        else missing+=("the recorded cases of ../shared/models/pte/$family, which are not here"); fi
      done
      ;;
    tests)
      build martletPackageTests
      for target in Tests/*Tests; do suite max "^${target#Tests/}\."; done
      ;;
    processors)
      build martletPackageTests
      for processor in cortex-a53 neoverse-n1 max,sve=off max,sve128=on,sve256=off max,sve256=on,sve512=off max,sve512=on; do
        suite "$processor" MartletKernelsTests MartletOpsTests
      done
      ;;
    pages)
      build martlet
      build martletPackageTests
      "$project/Tests/Arm64/prepare-pages.sh" "$folder"
      # The entry of AT_PAGESZ in the auxiliary vector.
      size=$("$folder/boot" "$project" "b=/usr/bin/busybox; \$b hexdump -e '2/8 \"%d \" \"\\n\"' /proc/self/auxv | \$b sed -n 's/^6 /page /p'" |
        tr -d '\r' | sed -n 's/^page //p')
      printf '%-44s %s\n' "size of a page in the emulated machine" "$size bytes" >>"$report"
      [ "${size% }" = 65536 ] || failed=1
      check "fixtures, pages of 64 KiB" "$folder/boot" "$project" "$built/martlet verify Tests/Fixtures"
      for target in MartletBytesTests MartletTensorTests MartletKernelsTests MartletExecuTorchFileTests MartletCoreMLFileTests MartletTests \
        HostileFileTests ExecuTorchTests; do
        check "$target, pages of 64 KiB" "$folder/boot" "$project" \
          "$built/martletPackageTests.xctest --testing-library swift-testing --filter $target"
      done
      ;;
    harness)
      if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then check harness Tests/KernelHarness/run-arm64.sh
      else missing+=("the harness of the kernels, for which this machine lacks aarch64-linux-gnu-gcc or qemu-aarch64"); fi
      ;;
    *)
      echo "unknown step $step" >&2
      exit 2
      ;;
  esac
done

echo
cat "$report"
cat <<END

Emulated: everything. The processors are qemu's, of processes for all steps but \`pages\`, where it emulates a whole machine. Pages of 64 KiB
are those of a real Linux kernel on that machine. Programs are those of a release build with Swift $("$folder/enter" "$project" 'swift --version' 2>/dev/null |
  sed -n 's/.*Swift version \([0-9.]*\).*/\1/p' | sed q).
Not run: real processors, and therefore any measurement of speed; debug builds; large pages of 512 MiB, for which the emulated machine is too small.
END
for what in "${missing[@]}"; do echo "Not run: $what."; done
for test in "${unfit[@]}"; do echo "Not run: the test whose name contains '$test'."; done
exit $failed
