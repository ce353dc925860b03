#!/usr/bin/env bash
# Builds the custom layers of a public client against this package's module CoreML and runs the client's network on a picture.
#
#   Tests/Upstream/run-coreml-custom-layers.sh CHECKOUT [--picture FILE] [--out FOLDER] [--python PYTHON] [--scratch FOLDER]
#       [SWIFT BUILD ARGUMENTS...]
#
# CHECKOUT is a checkout of github.com/devorblackbeard/MachineLearningWithCoreML, of which CoreMLModels/Chapter6 and two files of
# Chapter6/Completed are read. They are copied into a package outside of this repository that depends on this one by its path.
#   --picture   the picture, .png or .jpg; else Tests/Fixtures/photos/chelsea.jpg.
#   --out       where the result is written, as styled.ppm; else the current folder.
#   --python    an interpreter with coremltools and onnxruntime: Oracles/compare_public_models.py then compares the result. The picture must
#               have the network's 320 x 320 pixels.
#   --scratch   where the package and its build are kept for the next run; a temporary folder if left out.
#
# What is taken out of the client's files:
#   - @objc(Name), which does not exist on Linux: a class of the main module is found by its name.
#   - The layer's path through the graphics processor: the import of Metal, the pipeline with its creation, and encode(commandBuffer:…).
# The module Accelerate of that package has the two functions that the layers call.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
checkout=$(cd "$1" && pwd)
client=$checkout/Chapter6/Completed/StyleTransfer/StyleTransfer
model=$checkout/CoreMLModels/Chapter6/FastStyleTransferVanGoghStarryNight.mlmodel
layers="$client/ResCropBlockLambda.swift $client/RescaleOutputLambda.swift"
for file in $layers "$model"; do [ -f "$file" ] || { echo "$file: no such file" >&2; exit 2; }; done
shift

package=
picture=$root/Tests/Fixtures/photos/chelsea.jpg
out=.
python=
while [ $# -gt 0 ]; do
  case $1 in
    --picture) picture=$2; shift 2 ;;
    --out) mkdir -p "$2"; out=$2; shift 2 ;;
    --python) python=$2; shift 2 ;;
    --scratch) mkdir -p "$2"; package=$(cd "$2" && pwd); shift 2 ;;
    *) break ;;
  esac
done

if [ -z "$package" ]; then
  package=$(mktemp -d)
  trap 'rm -rf "$package"' EXIT
fi
rm -rf "$package/Sources"
mkdir "$package/Sources"
cp -r "$root/Tests/Upstream/StyleTransfer/Accelerate" "$root/Tests/Upstream/StyleTransfer/StyleTransfer" "$package/Sources"
for file in $layers; do
  sed -e 's/@objc([A-Za-z]*) //' -e '/^import Metal$/d' -e '/let computePipeline:/d' \
    -e '/Create the Metal compute kernels/,/self\.computePipeline =/d' -e '/func encode(commandBuffer:/,/^    }$/d' \
    "$file" >"$package/Sources/StyleTransfer/$(basename "$file")"
  diff -w "$file" "$package/Sources/StyleTransfer/$(basename "$file")" | grep '^[<>]' || true
done
# A package's name in the manifest of its user is that of its folder.
ln -sfn "$root" "$package/martlet"
cat >"$package/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "style-transfer",
  dependencies: [.package(path: "martlet")],
  targets: [
    .target(name: "Accelerate"),
    .executableTarget(
      name: "StyleTransfer",
      dependencies: [
        "Accelerate", .product(name: "CoreML", package: "martlet"), .product(name: "CoreVideo", package: "martlet"),
      ]),
  ],
  swiftLanguageModes: [.v5]
)
EOF

swift build --package-path "$package" --product StyleTransfer "$@"
program=$(swift build --package-path "$package" "$@" --show-bin-path)/StyleTransfer
"$program" "$model" "$picture" "$out/styled.ppm"
echo "$out/styled.ppm"
[ -z "$python" ] || "$python" "$root/Oracles/compare_public_models.py" --styled "$model" "$picture" "$out/styled.ppm"
