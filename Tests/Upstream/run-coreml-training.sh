#!/usr/bin/env bash
# Builds and runs public programs that train Core ML models on the device, unmodified, with this package's module in place of Apple's.
#
#   Tests/Upstream/run-coreml-training.sh [--mnist CHECKOUT] [--gestures CHECKOUT] [--model MODEL] [--scratch FOLDER] [--debug]
#
# --mnist is a checkout of github.com/JacopoMangiavacchi/MNIST-CoreML-Training: MNIST.swift makes a network, compiles it, trains it with
# pictures of digits and counts how many of others it knows. --gestures is one of github.com/hollance/coreml-training: NeuralNetworkTrainer.swift,
# TrainingBatchProvider.swift, Predictor.swift, Models.swift, Settings.swift and Labels.swift train a classifier of pictures and write it.
# The files are compared with those of the checkout after they are copied.
#
# What these files need beside Foundation, CoreML and CoreVideo is in the folder coreml-training: for MNIST.swift the modules UIKit
# (ObservableObject and Published), Compression (OutputFilter) and SwiftCoreMLTools (the layers that it uses); for the others the classes of the
# program that need UIKit, and the one that Xcode generates. Vision and QuartzCore are this package's. The digits are drawn by this script; the pictures are coloured noise.
#   --model     the model that the gestures are learnt by; without it Models/HandsEmpty.mlmodel of the checkout
#   --scratch   where the build is kept for the next run; a temporary folder if left out
#   --debug     a build without optimisation
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
parts=$root/Tests/Upstream/coreml-training
package=$(mktemp -d)
trap 'rm -rf "$package"' EXIT
scratch=$package/.build
configuration=release
mnist= gestures= model=
while [ $# -gt 0 ]; do
  case $1 in
    --mnist) mnist=$(cd "$2" && pwd); shift 2 ;;
    --gestures) gestures=$(cd "$2" && pwd); shift 2 ;;
    --model) model=$(realpath "$2"); shift 2 ;;
    --scratch) mkdir -p "$2"; scratch=$(cd "$2" && pwd); shift 2 ;;
    --debug) configuration=debug; shift ;;
    *) echo "$1: no such option" >&2; exit 2 ;;
  esac
done

# A copy of one of the public files in a target.
take() {
  cp "$1" "$package/$2/"
  cmp "$1" "$package/$2/$(basename "$1")"
}

cp -r "$parts"/* "$package"
ln -s "$root" "$package/martlet"
core='.product(name: "CoreML", package: "martlet"), .product(name: "CoreVideo", package: "martlet")'
targets=
products=
if [ -n "$mnist" ]; then
  take "$mnist/MNIST-CoreML-Training/MNIST.swift" MNIST
  for module in UIKit Compression SwiftCoreMLTools; do targets+=".target(name: \"$module\", path: \"$module\"),"; done
  targets+=".executableTarget(name: \"MNIST\", dependencies: [\"UIKit\", \"Compression\", \"SwiftCoreMLTools\", $core], path: \"MNIST\"),"
  products+=" MNIST"
fi
if [ -n "$gestures" ]; then
  for file in NeuralNetworkTrainer TrainingBatchProvider Predictor Models Settings Labels; do
    take "$gestures/iOS App/Sources/$file.swift" Gestures
  done
  targets+=".executableTarget(name: \"Gestures\", dependencies: [.product(name: \"Vision\", package: \"martlet\"), .product(name: \"QuartzCore\", package: \"martlet\"), $core], path: \"Gestures\"),"
  products+=" Gestures"
fi
cat >"$package/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "training-programs",
  dependencies: [.package(path: "martlet")],
  targets: [$targets],
  swiftLanguageModes: [.v5]
)
EOF

for product in $products; do
  swift build --package-path "$package" --scratch-path "$scratch" -c "$configuration" --product "$product"
done
binaries=$(swift build --package-path "$package" --scratch-path "$scratch" -c "$configuration" --show-bin-path)

if [ -n "$mnist" ]; then
  # A line for each picture: its digit, and 28 rows of 28 numbers from 0 to 255. A digit is drawn as on a display of seven segments.
  draw() {
    python3 - "$1" "$2" <<'EOF'
import random, sys
count, seed = int(sys.argv[1]), int(sys.argv[2])
random.seed(seed)
segments = ["abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg"]
boxes = {"a": (0, 0, 9, 2), "b": (7, 0, 9, 8), "c": (7, 7, 9, 15), "d": (0, 13, 9, 15), "e": (0, 7, 2, 15), "f": (0, 0, 2, 8), "g": (0, 6, 9, 8)}
for index in range(count):
  digit, left, top = index % 10, random.randint(4, 14), random.randint(3, 9)
  rows = [[random.randint(0, 40) for _ in range(28)] for _ in range(28)]
  for segment in segments[digit]:
    x0, y0, x1, y1 = boxes[segment]
    for y in range(y0, y1 + 1):
      for x in range(x0, x1 + 1):
        rows[top + y][left + x] = random.randint(170, 255)
  print(",".join(map(str, [digit] + [value for row in rows for value in row])))
EOF
  }
  draw 12800 1 >"$binaries/mnist_train.csv.lzfse"
  draw 500 2 >"$binaries/mnist_test.csv.lzfse"
  "$binaries/MNIST"
fi
if [ -n "$gestures" ]; then
  mkdir -p "$package/documents"
  "$binaries/Gestures" "$package/documents" "${model:-$gestures/Models/HandsEmpty.mlmodel}"
fi
