#!/usr/bin/env bash
# Makes the boot files of a virtual machine, only from Debian packages: a kernel, and an initramfs
# with busybox and the kernel modules that the tests need. Otherwise the guest uses the file system
# of this machine, read-only. The kernel package is downloaded and unpacked, never installed.
#
#   image.sh DIR     makes DIR/vmlinuz and DIR/initrd; fast if they exist and nothing has changed
#
# Exit status 77, with the reason in the last line: this machine lacks something.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:?usage: image.sh DIR}
# crc32: soft-RoCE requests its checksum by name, so it is not listed as a dependency.
modules=(virtio_pci virtio_net virtio_rng 9p 9pnet_virtio crc32_generic crc32c_generic rdma_rxe
	ib_uverbs rdma_ucm rdma_cm dummy veth sch_netem overlay)

skip_without() {
	echo "skipped: $*"
	exit 77
}

# The required programs, and their packages.
while read -r program package; do
	command -v "$program" >/dev/null || skip_without "$program is not there; install $package"
done <<'TABLE'
apt-get apt
dpkg-deb dpkg
cpio cpio
busybox busybox-static
depmod kmod
TABLE
[[ $(uname -m) == x86_64 ]] || skip_without "the virtual machine is for x86_64, not for $(uname -m)"
busybox=$(command -v busybox)
if ldd "$busybox" >/dev/null 2>&1; then
	skip_without "$busybox is not the static one; install busybox-static"
fi

as_root() {
	if [[ $EUID -eq 0 ]]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

# Prints the package on which the meta package of the kernel depends, according to the package
# lists.
kernel_package() {
	apt-cache depends linux-image-amd64 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*-amd64\)$/\1/p' | head -n 1
}

# Downloads to the current directory.
fetch() {
	local package=$1

	timeout 300 apt-get -q -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root download "$package" \
		>fetch.log 2>&1 </dev/null
}

mkdir -p "$out"
cd "$out"
recipe=$(cat "$here/image.sh" "$here/init" "$busybox" | sha256sum)
if [[ -s vmlinuz && -s initrd && -f recipe && $(<recipe) == "$recipe" ]]; then
	exit 0
fi
rm -rf recipe root tree
shopt -s nullglob
debs=(linux-image-*.deb)
if [[ ${#debs[@]} -ne 1 ]]; then
	rm -f linux-image-*.deb
	package=$(kernel_package)
	if [[ -z $package ]] || ! fetch "$package"; then
		# The package lists are missing or older than the archive.
		timeout 300 bash -c "$(declare -f as_root); as_root apt-get -qq update" >update.log \
			2>&1 </dev/null || skip_without "no list of packages can be fetched: $(tail -n 1 update.log)"
		package=$(kernel_package)
		[[ -n $package ]] || skip_without "no package linux-image-amd64 in the lists: not Debian?"
		fetch "$package" || skip_without "$package cannot be fetched: $(tail -n 1 fetch.log)"
	fi
	debs=(linux-image-*.deb)
	[[ ${#debs[@]} -eq 1 ]] || skip_without "$package was fetched, but is not there"
fi

mkdir -p tree root/{bin,sbin,dev,proc,sys,host,lib/modules}
dpkg-deb --fsys-tarfile "${debs[0]}" | tar -x -C tree ./boot ./lib
version=$(basename tree/lib/modules/*)
[[ -d tree/lib/modules/$version ]] || skip_without "${debs[0]} has no modules"
depmod -b "$PWD/tree" "$version"
for module in "${modules[@]}"; do
	modprobe -d "$PWD/tree" -S "$version" --show-depends "$module" ||
		echo "insmod: $module" >>missing
done | awk '$1 == "insmod" { print $2 }' | sort -u >needed
[[ ! -e missing ]] || skip_without "the kernel package has no $(<missing)"
while IFS= read -r file; do
	mkdir -p "root/$(dirname "${file#"$PWD/tree/"}")"
	cp "$file" "root/${file#"$PWD/tree/"}"
done <needed
cp tree/lib/modules/"$version"/modules.{order,builtin*} root/lib/modules/"$version"/
depmod -b "$PWD/root" "$version"
cp "$busybox" root/bin/busybox
ln -s busybox root/bin/sh
ln -s ../bin/busybox root/sbin/modprobe
sed "s/@MODULES@/${modules[*]}/" "$here/init" >root/init
chmod 755 root/init
(cd root && find . | cpio --quiet -o -H newc | gzip -1) >initrd
cp tree/boot/vmlinuz-"$version" vmlinuz
chmod 644 vmlinuz
rm -rf tree root needed
printf '%s\n' "$recipe" >recipe
