#!/usr/bin/env bash
# Builds and runs a package with the plugin ModelClasses, as its user does: the class, the model in the bundle, what follows a change, and
# messages.
#
#   Tests/CommandLine/model-plugin.sh [BUILD FOLDER]
#
# With the build folder of this package, its modules are not compiled again.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=${1:-$root/.build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/Tests/CommandLine/ModelClassesApp" "$work/App"
sed -i "s|path: \"../../..\"|path: \"$root\"|" "$work/App/Package.swift"
cp "$root/Package.resolved" "$work/App/" 2> /dev/null || true
sources=$work/App/Sources/App
package=$sources/arithmetic.mlpackage
weights=$package/Data/com.apple.CoreML/weights/weight.bin
cp -r "$root/Tests/CoreMLTests/Fixtures/arithmetic.mlpackage" "$package"
runs="Writing the class"

fail() {
  echo "FAIL $1" >&2
  cat "$work/log" >&2
  exit 1
}

# build: the log is left in $work/log.
build() { swift build -c release --package-path "$work/App" --scratch-path "$scratch" --product App > "$work/log" 2>&1; }
# runs: prints what the program prints.
run() { "$scratch/release/App" 2> "$work/log" || fail "the program does not run"; }

begin=$SECONDS
build || fail "the package does not build"
echo "first build: $((SECONDS - begin)) s"
grep -q "$runs" "$work/log" || fail "the tool does not run"
grep -q "warning:" "$work/log" && fail "a warning"
first=$(run)
case $first in "arithmetic.mlmodelc [2.0, 2.0, 2.0]"*) ;; *) fail "the program prints $first" ;; esac

# SwiftPM compiles the C targets of a build tool twice: the build after the first one runs the tool again, whatever the plugin says.
build || fail "the second build"
build || fail "the third build"
grep -q "$runs" "$work/log" && fail "the tool runs again without a change"

# One byte of the last weight.
printf '\xC2' | dd of="$weights" bs=1 seek=$(($(stat -c %s "$weights") - 1)) conv=notrunc status=none
build || fail "the build after a change of the weights"
grep -q "$runs" "$work/log" || fail "a change of the weights is not seen"
second=$(run)
[ "$first" != "$second" ] || fail "the program still computes with the old weights"

# What is reported.
mkdir "$sources/Resources"
mv "$package" "$sources/Resources/"
sed -i 's|plugins:|resources: [.process("Resources")], plugins:|' "$work/App/Package.swift"
build || fail "the build with a flattened package"
grep -q 'exclude: \["Resources/arithmetic.mlpackage"\]' "$work/log" || fail "a package that is flattened is not reported"
mv "$sources/Resources/arithmetic.mlpackage" "$sources/" && rmdir "$sources/Resources"
sed -i 's|resources: \[.process("Resources")\], ||' "$work/App/Package.swift"
echo '{"access": "public"}' > "$sources/ModelClasses.json"
build || fail "the build of a public class"
grep -rq "public class arithmetic " "$scratch"/plugins/outputs/*/App || fail "the class is not public"
rm "$sources/ModelClasses.json"
cp "$root/Tests/CoreMLTests/Fixtures/features.mlmodel" "$sources/arithmetic.mlmodel"
build && fail "two models of one name"
grep -q "two models with the name arithmetic" "$work/log" || fail "two models of one name are not reported"
echo "not a model" > "$sources/damaged.mlmodel" && rm "$sources/arithmetic.mlmodel"
build && fail "a damaged model"
grep -q "damaged.mlmodel" "$work/log" || fail "the damaged model is not named"
echo "classes, models and changes arrive in the program"
