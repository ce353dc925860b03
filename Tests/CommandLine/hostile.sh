#!/usr/bin/env bash
# Runs every command on files that once ended the process, took its memory or ran for ever: each gives a result or an error.
#
#   Tests/CommandLine/hostile.sh [PATH OF martlet] [FILE OR FOLDER...]
#
# A run may take 10 seconds of processor time, 4 GiB of address space and, with --memory-limit, 2 GiB for the model. Prints a line for each
# failure; the exit status is 0 only if there is none.
set -u
cd "$(dirname "$0")/../.." || exit 1
martlet=$(realpath "${1:-.build/release/martlet}")
shift
[ $# -gt 0 ] || set -- Tests/Fixtures/hostile
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
runs=0

# attempt FILE COMMAND ARGUMENTS...
attempt() {
  local file=$1 status
  shift
  runs=$((runs + 1))
  (
    ulimit -c 0 -t 10 -v $((4 << 20))
    exec "$martlet" "$@" --memory-limit 2G
  ) >"$work/out" 2>"$work/err" </dev/null
  status=$?
  if [ $status -gt 1 ] || { [ $status -eq 1 ] && ! grep -q '^martlet: ' "$work/err"; }; then
    echo "FAIL $file: $1: status $status: $(head -c 200 "$work/err" | head -n 1)"
    failures=$((failures + 1))
  fi
}

while IFS= read -r file; do
  attempt "$file" inspect "$file"
  attempt "$file" inspect "$file" --json
  attempt "$file" inspect "$file" --graph imported
  attempt "$file" inspect "$file" --graph optimized
  attempt "$file" plan "$file"
  attempt "$file" plan "$file" --measure --rounds 1
  attempt "$file" plan "$file" --precision fast
  attempt "$file" run "$file" --input rand
  attempt "$file" bench "$file" --iterations 1
  case $file in
  *.mlmodel)
    attempt "$file" compile "$file" --output "$work/compiled.mlmodelc"
    rm -rf "$work/compiled.mlmodelc"
    ;;
  esac
done < <(find "$@" -name '*.pte' -o -name '*.mlmodel' | sort)
while IFS= read -r folder; do attempt "$folder" verify "$folder"; done < <(find "$@" -name case.json -exec dirname {} \; | sort)
while IFS= read -r archive; do
  attempt "$archive" run Tests/Fixtures/xnnpack/forms/binary_3/model.pte --input "$archive"
done < <(find "$@" -name '*.npz' | sort)

[ $failures -eq 0 ] && echo "hostile files: all $runs runs ended with a result or an error"
[ $failures -eq 0 ]
