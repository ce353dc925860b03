#!/usr/bin/env bash
# Runs ExecuTorch's own Swift tests, unmodified, and the snippets of its guide for iOS with this package's module in place of upstream's.
#
#   Tests/Upstream/run-executorch.sh CHECKOUT [--python PYTHON] [--scratch FOLDER] [SWIFT TEST ARGUMENTS...]
#
# CHECKOUT is a checkout of github.com/pytorch/executorch, of which extension/apple/ExecuTorch/__tests__, the text tests in
# extension/llm/apple/ExecuTorchLLM/__tests__ and the guide, docs/source/using-executorch-ios.md, are read. The text tests are compiled
# only, because their models are large. The tests are copied into a package outside of this repository that depends on this one
# by its path; guide_snippets.py makes tests of the snippets there.
#   --python    an interpreter with ExecuTorch's exporter and coremltools: upstream's script then makes the Core ML models, without
#               which five tests of Module are skipped.
#   --scratch   where the build is kept for the next run; a temporary folder if left out.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
tests=$1/extension/apple/ExecuTorch/__tests__
[ -d "$tests" ] || { echo "$tests: no such folder" >&2; exit 2; }
tests=$(cd "$tests" && pwd)
texts=$(cd "$1" && pwd)/extension/llm/apple/ExecuTorchLLM/__tests__/TextRunnerTest.swift
guide=$(cd "$1" && pwd)/docs/source/using-executorch-ios.md
shift

package=$(mktemp -d)
trap 'rm -rf "$package"' EXIT
scratch=$package/.build
python=
while [ $# -gt 0 ]; do
  case $1 in
    --python) python=$2; shift 2 ;;
    --scratch) mkdir -p "$2"; scratch=$(cd "$2" && pwd); shift 2 ;;
    *) break ;;
  esac
done

target=$package/Tests/UpstreamTests
mkdir -p "$target"
cp "$tests"/*.swift "$target"
cp -r "$tests/resources" "$target/resources"
[ -z "$python" ] || "$python" "$target/resources/generate_coreml_test_models.py"
mkdir "$package/Tests/UpstreamTextTests"
if [ -f "$texts" ]; then cp "$texts" "$package/Tests/UpstreamTextTests"; else touch "$package/Tests/UpstreamTextTests/None.swift"; fi
models=$(cd "$target" && ls resources/*.pte | sed 's/.*/.copy("&"),/')
# A package's name in the manifest of its user is that of its folder.
ln -s "$root" "$package/martlet"
cat >"$package/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "upstream-tests",
  dependencies: [.package(path: "martlet")],
  targets: [
    .testTarget(
      name: "UpstreamTests",
      dependencies: [.product(name: "executorch", package: "martlet"), .product(name: "CoreVideo", package: "martlet")],
      exclude: ["resources/generate_coreml_test_models.py"],
      resources: [$models]),
    .testTarget(name: "UpstreamTextTests", dependencies: [.product(name: "executorch_llm", package: "martlet")]),
  ],
  swiftLanguageModes: [.v5]
)
EOF

if [ -f "$guide" ]; then
  python3 "$root/Tests/Upstream/guide_snippets.py" "$guide" "$root/Tests/ExecuTorchTests/Fixtures" >"$target/GuideTests.swift"
else
  echo "$guide: no such file; its snippets are left out" >&2
fi
for file in "$tests"/*.swift; do cmp "$file" "$target/$(basename "$file")"; done
swift test --package-path "$package" --scratch-path "$scratch" --skip UpstreamTextTests "$@"
