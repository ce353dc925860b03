#!/usr/bin/env bash
# Makes FOLDER/martlet-linux-ARCHITECTURE.tar.gz: the command line tool, stripped and with Swift's libraries linked into it, and the files that
# `classify` reads. The archive needs a glibc and a libstdc++ no older than those of the machine that built it, and what the README names for
# pictures.
#
#   Distribution/archive.sh FOLDER                  for the architecture of this machine
#   Distribution/archive.sh FOLDER aarch64 ROOTS    for arm64, on x86-64, in the root file systems of Tests/Arm64/prepare.sh
#
# The build is one of its own, in .build-archive.
set -euo pipefail

folder=$(mkdir -p "$1" && readlink -f "$1")
architecture=${2:-$(uname -m)}
cd "$(dirname "$0")/.."
# Symbols are not exported, so that the linker can leave out what is unused. Swift is compiled for size: the time of a prediction is that of
# the kernels, which are in C. Functions with the same code are merged.
command=(swift build -c release --product martlet --static-swift-stdlib --scratch-path .build-archive)
for flag in -Osize -use-ld=lld -Xfrontend -function-sections; do command+=(-Xswiftc "$flag"); done
for flag in --no-export-dynamic --exclude-libs=ALL --icf=all --no-eh-frame-hdr -T "$(pwd -P)/Distribution/archive.ld"; do
  command+=(-Xlinker "$flag")
done
if [ "$architecture" = "$(uname -m)" ]; then
  # Packed relocations make the program a twentieth smaller. glibc reads them from 2.36 on.
  glibc=$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)
  [ "$(printf '2.36\n%s\n' "$glibc" | sort -V | head -1)" != 2.36 ] || command+=(-Xlinker -z -Xlinker pack-relative-relocs)
  "${command[@]}"
  strip=strip
else
  "$3/enter" "$PWD" "${command[*]} --swift-sdk debian-arm64"
  # Of the toolchain that built it.
  strip="$3/root/usr/libexec/swift/bin/llvm-strip"
  [ -x "$strip" ] || strip=$architecture-linux-gnu-strip
fi

name=martlet-linux-$architecture
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/$name"
built=.build-archive/$architecture-unknown-linux-gnu/release
"$strip" -o "$work/$name/martlet" "$built/martlet"
cp -R "$built/martlet_CMartletDemo.resources" LICENSE NOTICE "$work/$name/"
tar -C "$work" -czf "$folder/$name.tar.gz" "$name"
du -h --apparent-size "$work/$name/martlet" "$folder/$name.tar.gz"
