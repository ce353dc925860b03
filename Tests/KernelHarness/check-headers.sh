#!/usr/bin/env bash
# Compiles each header of the C kernels alone: a header includes what it needs.
#
#   Tests/KernelHarness/check-headers.sh
#
# Needs clang. Templates (*.inc) are not checked: they depend on the level that the including source file sets up.
set -euo pipefail
cd "$(dirname "$0")/../../Sources/CMartletKernels"

status=0
for header in $(find . -name '*.h' | sort); do
  printf '#include "%s"\n' "$header" | clang -x c -std=c11 -Wall -Wextra -Werror -fsyntax-only -I include -I . - || {
    echo "$header does not compile alone" >&2
    status=1
  }
done
exit $status
