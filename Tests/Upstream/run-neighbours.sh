#!/usr/bin/env bash
# Builds one program that imports all modules with Apple's names beside packages that ask whether these modules exist.
#
#   Tests/Upstream/run-neighbours.sh [--scratch FOLDER]
#
# A module with an Apple name makes `canImport` true in every package of the graph, and those then compile what they have for Apple's systems.
# Our modules are built first, because a package that is compiled before them does not see them.
#   --scratch   where the build is kept for the next run; a temporary folder if left out
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scratch=$folder/.build
if [ "${1:-}" = --scratch ]; then
  mkdir -p "$2"
  scratch=$(cd "$2" && pwd)
fi
modules=$(sed -n "/^let appleModules/,/\]/p" "$root/Package.swift" | grep -o "\"[A-Za-z]*\"" | tr -d "\"")
[ -n "$modules" ] || { sed -n '/^let appleModules/,/\]/p' "$root/Package.swift" >&2; exit 1; }

# Address, first version, product and module of each neighbour. The first version is what this was last run with.
neighbours='
apple/swift-argument-parser 1.8.2 ArgumentParser
apple/swift-log 1.16.2 Logging
apple/swift-nio 2.101.2 NIOPosix
apple/swift-crypto 4.5.2 Crypto
apple/swift-collections 1.6.0 Collections
swiftlang/swift-syntax 603.0.1 SwiftSyntaxBuilder
jpsim/Yams 6.2.2 Yams
groue/GRDB.swift 7.10.0 GRDB
CoreOffice/XMLCoder 0.18.2 XMLCoder
pointfreeco/swift-custom-dump 1.7.3 CustomDump
pointfreeco/xctest-dynamic-overlay 1.13.1 IssueReporting
swhitty/FlyingFox 0.27.1 FlyingFox
OpenCombine/OpenCombine 0.14.0 OpenCombine
hummingbird-project/hummingbird 2.28.1 Hummingbird'

sources=$folder/app/Sources/App
mkdir -p "$sources"
packages= products= ours=
mkdir -p "$folder/app/Sources/Ours"
echo "// Depends on Martlet's products alone." >"$folder/app/Sources/Ours/Ours.swift"
while read -r name version product; do
  [ -n "$name" ] || continue
  packages+="    .package(url: \"https://github.com/$name\", from: \"$version\"),"$'\n'
  products+="      .product(name: \"$product\", package: \"$(basename "$name")\"),"$'\n'
  # One file for each, so that names of several packages do not meet.
  echo "import $product" >"$sources/$product.swift"
done <<<"$neighbours"
for module in $modules; do
  ours+="      .product(name: \"$module\", package: \"martlet\"),"$'\n'
  echo "import $module" >"$sources/$module.swift"
done
cat >"$sources/main.swift" <<'EOF'
import CoreML
import CustomDump
import FlyingFox
import IssueReporting
import OSLog

struct Answer: Equatable { let number: Int }

print(diff(Answer(number: 1), Answer(number: 2)) ?? "")
reportIssue("a report for the log")
Logger(subsystem: "com.example.app", category: "neighbours").notice("a message, and \(42, format: .hex(includePrefix: true))")
print(try MLMultiArray(shape: [2], dataType: .float32).count)
EOF
cat >"$folder/app/Package.swift" <<EOF
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "app",
  dependencies: [
    .package(name: "martlet", path: "$root"),
$packages  ],
  targets: [
    .target(name: "Ours", dependencies: [
$ours    ]),
    .executableTarget(name: "App", dependencies: [
      "Ours",
$ours$products    ]),
  ]
)
EOF
swift build --package-path "$folder/app" --scratch-path "$scratch" --target Ours
swift build --package-path "$folder/app" --scratch-path "$scratch"
"$(swift build --package-path "$folder/app" --scratch-path "$scratch" --show-bin-path)/App"
