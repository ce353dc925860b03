#!/usr/bin/env bash
# Loads a package that depends on this one, as a system with Apple's frameworks sees it: the products must exist there, too.
#
#   Tests/CommandLine/other-host.sh
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
products=$(tr '\n' ' ' < "$root/Package.swift" | sed -n 's/.*let appleModules = \[\([^]]*\)\].*/\1/p' | tr -d '",')
test -n "$products"
mkdir -p "$folder/app/Sources/App"
echo 'print("")' > "$folder/app/Sources/App/main.swift"
{
  echo '// swift-tools-version: 6.2'
  echo 'import PackageDescription'
  echo 'let package = Package('
  echo "  name: \"app\", dependencies: [.package(name: \"martlet\", path: \"$root\")],"
  echo '  targets: [.executableTarget(name: "App", dependencies: ['
  for product in $products; do
    echo "    .product(name: \"$product\", package: \"martlet\", condition: .when(platforms: [.linux])),"
  done
  echo '  ])])'
} > "$folder/app/Package.swift"
cd "$folder/app"
for system in 0 1; do
  MARTLET_LINUX=$system swift package show-dependencies > "$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    exit 1
  }
done
echo "products for every host: $products"
