#!/usr/bin/env bash
# Adds to a FOLDER of `prepare.sh` a system with pages of 64 KiB: FOLDER/boot, which runs an arm64 program in an emulated machine under
# Debian's Linux, compiled with such pages. Debian's own kernels for arm64 have pages of 4 and 16 KiB.
#
#   Tests/Arm64/prepare-pages.sh FOLDER
set -euo pipefail

folder=$(readlink -f "$1")
here=$(dirname "$(readlink -f "$0")")
step() { echo "== $* (${SECONDS} s)"; }
[ ! -e "$folder/.pages-ready" ] || exit 0
export APT_CONFIG=$folder/apt/conf

step downloads
mkdir -p "$folder/tools/partial" "$folder/root/kernel"
apt-get install -y -qq -d -o APT::Architecture=amd64 -o Dir::Cache::archives="$folder/tools" bc bison diffutils findutils flex gcc \
  gcc-aarch64-linux-gnu grep gzip linux-source make mawk perl qemu-system-arm sed tar xz-utils </dev/null >"$folder/apt/tools.log"
(cd "$folder/tools" && apt-get download -qq busybox-static:arm64)

step unpacking
for file in "$folder"/tools/*_amd64.deb "$folder"/tools/*_all.deb; do
  dpkg-deb --fsys-tarfile "$file" | tar -x -C "$folder/root" --keep-directory-symlink --skip-old-files --exclude './usr/share/doc/*'
done
dpkg-deb --fsys-tarfile "$folder"/tools/busybox-static_*.deb | tar -x -C "$folder/root/arm64" --keep-directory-symlink ./usr/bin/busybox
ln -sf mawk "$folder/root/usr/bin/awk"
cp "$here/kernel.config" "$folder/root/kernel/config"

step "compiling Linux"
"$folder/enter" "$folder/root/kernel" '
tar -xf /usr/src/linux-source-*.tar.xz --strip-components=1 -C /kernel
cd /kernel
export ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- KBUILD_BUILD_USER=martlet KBUILD_BUILD_HOST=martlet
make -s tinyconfig
cat config >>.config
make -s olddefconfig 2>/dev/null
while read -r line; do
  case $line in CONFIG_*) grep -qx "$line" .config || { echo "the kernel has no $line" >&2; exit 1; } ;; esac
done <config
make -s -j$(nproc) Image'

cat >"$folder/root/arm64/init" <<'END'
#!/usr/bin/busybox sh
b=/usr/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs dev /dev
$b mkdir -p /dev/pts /dev/shm
$b mount -t devpts devpts /dev/pts
$b mount -t tmpfs tmpfs /dev/shm
$b mount -t tmpfs tmpfs /tmp
. /settings
# The emulated machine has no clock.
$b date -s "@$NOW" >/dev/null
$b mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose,msize=524288 work "$WORK"
cd "$WORK"
/usr/bin/busybox sh -c "$COMMAND"
echo $? >/status
$b sync
$b poweroff -f
END
chmod +x "$folder/root/arm64/init"

cat >"$folder/boot" <<'END'
#!/bin/bash
# boot DIRECTORY COMMAND: a shell command (of busybox) in DIRECTORY on an emulated machine with pages of 64 KiB. QEMU_CPU names its processor.
folder=$(dirname "$(readlink -f "$0")")
directory=$(readlink -f "$1")
arm64=$folder/root/arm64
mkdir -p "$arm64/$directory"
rm -f "$arm64/status"
printf 'WORK=%q\nCOMMAND=%q\nNOW=%s\nexport HOME=/tmp LANG=C.UTF-8 LD_LIBRARY_PATH=/usr/lib/swift/linux PATH=/usr/bin\n' "$directory" "$2" "$(date +%s)" >"$arm64/settings"
"$folder/enter" "$directory" "exec qemu-system-aarch64 -M virt -cpu ${QEMU_CPU:-max,pauth=off} -smp 2 -m ${MARTLET_ARM64_MEMORY:-4G} \
  -nographic -nic none -no-reboot -kernel /kernel/arch/arm64/boot/Image \
  -append 'console=ttyAMA0 quiet panic=-1 root=root rootfstype=9p rootflags=trans=virtio,version=9p2000.L,cache=loose,msize=524288 rw init=/init' \
  -fsdev local,id=root,path=/arm64,security_model=none -device virtio-9p-device,fsdev=root,mount_tag=root \
  -fsdev local,id=work,path=$directory,security_model=none -device virtio-9p-device,fsdev=work,mount_tag=work" </dev/null
exit "$(cat "$arm64/status" 2>/dev/null || echo 1)"
END
chmod +x "$folder/boot"
touch "$folder/.pages-ready"
step ready
