#!/usr/bin/env bash
# Sets FOLDER up for `run.sh`: FOLDER/root, an amd64 root file system of Debian sid with its Swift; FOLDER/root/arm64, the arm64 one to link
# with; FOLDER/enter, a shell command in the former; FOLDER/run, an arm64 program and its children in an emulator.
#
#   Tests/Arm64/prepare.sh FOLDER
set -euo pipefail

folder=$(mkdir -p "$1" && readlink -f "$1")
step() { echo "== $* (${SECONDS} s)"; }
[ ! -e "$folder/.ready" ] || exit 0

step "package lists"
mkdir -p "$folder"/apt/lists/partial "$folder"/{amd64,arm64}/partial "$folder"/ns
mirror=$({ cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list || true; } 2>/dev/null |
  sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' | sed q)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [arch=amd64,arm64 signed-by=$keyring] ${mirror:-http://deb.debian.org/debian} sid main" >"$folder/apt/s.list"
: >"$folder/apt/status"
cat >"$folder/apt/conf" <<END
Dir::Etc::sourcelist "$folder/apt/s.list"; Dir::Etc::sourceparts "/dev/null"; Dir::Etc::preferencesparts "/dev/null";
Dir::State::lists "$folder/apt/lists"; Dir::State::status "$folder/apt/status"; Dir::Cache "$folder/apt";
APT::Architecture "amd64"; APT::Architectures { "amd64"; "arm64"; }; APT::Install-Recommends "false"; APT::Sandbox::User "root";
END
export APT_CONFIG=$folder/apt/conf
apt-get update -qq
apt-cache policy swiftlang:arm64 | sed -n 1,3p
gcc=$(apt-cache depends gcc:amd64 | sed -n 's/.*Depends: gcc-\([0-9]*\)$/\1/p' | head -n 1)

step downloads
fetch() {
  local architecture=$1
  shift
  apt-get install -y -qq -d -o APT::Architecture="$architecture" -o Dir::Cache::archives="$folder/$architecture" "$@" \
    </dev/null >"$folder/apt/$architecture.log"
}
# arm64: headers and libraries to link with, those of Swift, and what the programs open when they run.
fetch arm64 libc6-dev "libgcc-$gcc-dev" libswiftlang libpng16-16 libturbojpeg0
(cd "$folder/arm64" && apt-get download -qq swiftlang:arm64)
fetch amd64 swiftlang libc6-dev "libstdc++-$gcc-dev" git bash coreutils qemu-user

step unpacking
for root in root root/arm64; do
  mkdir -p "$folder/$root"/usr/{bin,lib,lib64,sbin} "$folder/$root"/{dev,etc,proc,root,tmp}
  for directory in bin lib lib64 sbin; do ln -sfn usr/$directory "$folder/$root/$directory"; done
done
unpack() { dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --keep-directory-symlink --exclude './usr/share/doc/*' "${@:3}"; }
(
  for file in "$folder"/arm64/*.deb; do
    case $file in */swiftlang_*) ;; *) unpack "$file" "$folder/root/arm64" ;; esac
  done
  # The compiler is the amd64 one: of this package only the modules, the static libraries and clang's headers.
  unpack "$folder"/arm64/swiftlang_*.deb "$folder/root/arm64" --wildcards --exclude '*/lib/swift/host/*' \
    './usr/lib/swift*' './usr/libexec/swift/lib/swift/*' './usr/libexec/swift/lib/swift_static/*' './usr/libexec/swift/lib/clang/*'
  # Debian leaves the library of this overlay out: with its module there, no test that imports Testing and Foundation links.
  rm -rf "$folder/root/arm64/usr/libexec/swift/lib/swift/linux/Testing.swiftcrossimport"
) &
for file in "$folder"/amd64/*.deb; do unpack "$file" "$folder/root" --exclude './usr/share/man/*'; done
wait $!
# git starts its other half with a shell; dash makes this link when it is configured.
ln -sf bash "$folder/root/usr/bin/sh"

sdk=$folder/root/root/.swiftpm/swift-sdks/debian-arm64.artifactbundle
mkdir -p "$sdk/sdk"
cat >"$sdk/info.json" <<'END'
{"schemaVersion": "1.0", "artifacts": {"debian-arm64": {"type": "swiftSDK", "version": "1.0", "variants": [{"path": "sdk"}]}}}
END
cat >"$sdk/sdk/swift-sdk.json" <<'END'
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {
  "sdkRootPath": "/arm64", "swiftResourcesPath": "/arm64/usr/lib/swift",
  "swiftStaticResourcesPath": "/arm64/usr/libexec/swift/lib/swift_static", "toolsetPaths": ["toolset.json"]}}}
END
# Debian's linker in the root file system is for x86-64 only.
cat >"$sdk/sdk/toolset.json" <<'END'
{"schemaVersion": "1.0", "rootPath": "/usr/libexec/swift/bin",
 "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld", "-tools-directory", "/usr/libexec/swift/bin"]}}
END

# The working folder has the same path inside, so that #filePath and resource bundles are found when tests run outside.
cat >"$folder/enter" <<'END'
#!/bin/bash
# enter DIRECTORY COMMAND: a shell command in the root file system. The mounts vanish with it.
exec unshare -m bash -ec '
root=$1/root
for directory in "$2" ${MARTLET_ARM64_MOUNTS//:/ }; do mkdir -p "$root/$directory"; mount --bind "$directory" "$root/$directory"; done
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
for file in /etc/gitconfig /etc/hosts /etc/resolv.conf /etc/ssl/certs/ca-certificates.crt; do
  [ ! -e $file ] || { mkdir -p "$root$(dirname $file)"; cp $file "$root$file"; }
done
exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/libexec/swift/bin:/usr/bin bash -c "cd \"$2\" && $3"
' - "$(dirname "$(readlink -f "$0")")" "$(readlink -f "$1")" "$2"
END
cat >"$folder/run" <<'END'
#!/bin/bash
# run PROGRAM ARGUMENT…: an arm64 program in an emulator, of the processor QEMU_CPU. Its children are emulated, too: the emulator is registered
# as an interpreter in a user namespace.
folder=$(dirname "$(readlink -f "$0")")
export QEMU_LD_PREFIX=$folder/root/arm64
exec unshare -Urm bash -ec '
mount -t tmpfs tmpfs "$0/ns"
mkdir "$0/ns/m"
mount -t binfmt_misc binfmt_misc "$0/ns/m"
magic="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
mask="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
printf %s ":arm64:M::$magic:$mask:$0/root/usr/bin/qemu-aarch64:F" >"$0/ns/m/register"
export LD_LIBRARY_PATH=$QEMU_LD_PREFIX/usr/lib/swift/linux
exec "$@"' "$folder" "$@"
END
chmod +x "$folder/enter" "$folder/run"
touch "$folder/.ready"
step ready
