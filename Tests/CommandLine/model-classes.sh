#!/usr/bin/env bash
# Compiles the classes of many models, with Swift 5 and Swift 6, internal and public, against the modules of a release build.
#
#   Tests/CommandLine/model-classes.sh [PATH OF martlet]
set -euo pipefail
cd "$(dirname "$0")/../.."
martlet=${1:-.build/release/martlet}
build=$(dirname "$martlet")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# C modules that public interfaces mention: those with a map of their own, and those whose map SwiftPM wrote.
modules=(-I "$build/Modules")
for headers in Sources/CMartlet*/include; do
  name=$(basename "$(dirname "$headers")")
  modules+=(-I "$headers")
  if [ ! -f "$headers/module.modulemap" ] && [ -f "$build/$name.build/module.modulemap" ]; then
    modules+=(-Xcc "-fmodule-map-file=$build/$name.build/module.modulemap")
  fi
done

count=0
mkdir "$work/internal" "$work/public"
for model in Tests/MartletModelClassesTests/Fixtures/models/*.mlmodel Tests/CoreMLTests/Fixtures/*.ml{model,package}; do
  "$martlet" codegen "$model" --output "$work/internal" > "$work/out"
  "$martlet" codegen "$model" --output "$work/public" --public > "$work/out"
  count=$((count + 1))
done
for version in 5 6; do
  for access in internal public; do
    swiftc -typecheck -swift-version $version -module-name Models "${modules[@]}" "$work/$access"/*.swift > "$work/log" 2>&1 || {
      cat "$work/log" >&2
      exit 1
    }
    if grep -q 'warning:' "$work/log"; then
      cat "$work/log" >&2
      exit 1
    fi
  done
done
echo "classes of $count models compile with Swift 5 and 6, internal and public"
