#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tests bprof on a machine as users have it: a full Debian with systemd, networkd, nginx, Suricata, libbpf-tools,
# bpftrace and xdp-tools, in QEMU (x86-64). In this system, tests/machine/guest installs the package as README.md says.
# It runs the commands of README.md as a user, while all these services and tools run. Afterwards, the journal must have
# no message of bprof, bprof must have left nothing in the kernel, the kernel must report no bug, and the probes must
# have added no more than promised.
#
# usage: tests/machine.sh [SUITE…]    default: trixie bookworm
#
# LOAD=S: nginx is under load for S seconds (default: 600). During two thirds of this time, bprof export and bprof top
# run. MACHINE_DEB=FILE: a package of bprof; by default, make deb makes the package from the last commit. The systems
# are kept in $BPROF_CACHE/system; making them needs mmdebstrap and root or sudo. Files of the guests, such as the
# journal, are in build/machine. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

packages=systemd-sysv,dbus,udev,kmod,iproute2,linux-image-amd64,zstd,sudo,procps,nginx,curl,libbpf-tools,bpftrace,xdp-tools,bpftool
cache=${BPROF_CACHE:-.cache}/system
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)

# Writes the hook that creates files in the system before packages are installed: the configuration of the initramfs,
# the table of disks, and the service that runs the test.
write_hook()
{
	cat >"$1" <<-'END'
		#!/bin/sh
		set -e
		cd "$1"
		mkdir -p etc/initramfs-tools/conf.d etc/systemd/system/multi-user.target.wants
		echo MODULES=list >etc/initramfs-tools/conf.d/machine
		printf '%s\n' virtio_pci virtio_blk ext4 >etc/initramfs-tools/modules
		echo '/dev/vda / ext4 defaults 0 0' >etc/fstab
		echo machine >etc/hostname
		printf '127.0.0.1 localhost\n127.0.1.1 machine\n' >etc/hosts
		cat >etc/systemd/system/vm-command.service <<-'UNIT'
			[Unit]
			Description=the command of scripts/vm
			After=multi-user.target
			[Service]
			ExecStartPre=tar -xf /dev/vdb -C / --keep-directory-symlink --no-overwrite-dir
			ExecStart=sh /init
		UNIT
		ln -s /etc/systemd/system/vm-command.service etc/systemd/system/multi-user.target.wants/
	END
	chmod +x "$1"
}

# Prints the packages of suite $1. Debian 12 has no Suricata.
packages_of()
{
	[ "$1" = bookworm ] || printf suricata,
	echo "$packages"
}

# Makes the system in directory $1. apt has downloaded the packages on which bprof depends, but not installed them.
# shellcheck disable=SC2016 # mmdebstrap sets $1
make_system()
{
	local dir=$1 suite=$2 root=$work/$2 kernel

	APT_CONFIG='' apt-config dump | grep -E '^Acquire::(https?::|ftp::|Check-|Retries)' >"$work/aptopt"
	cp "$deb" "$work/bprof.deb" || return 1
	"${as_root[@]}" mmdebstrap --variant=important --format=directory --aptopt="$work/aptopt" \
		--aptopt='Acquire::Languages "none"' --essential-hook="$work/hook" --include="$(packages_of "$suite")" \
		--customize-hook="upload $work/bprof.deb /bprof.deb" \
		--customize-hook='chroot "$1" apt-get -qy install --download-only /bprof.deb' \
		--customize-hook='rm "$1/bprof.deb" "$1/etc/resolv.conf"' --skip=cleanup/apt,cleanup/reproducible \
		"$suite" "$root" "$(scripts/fetch mirror "$suite")" || return 1
	mkdir -p "$dir.new" && kernel=$(echo "$root"/boot/vmlinuz-*) && cp "$kernel" "$dir.new/kernel" &&
		"${as_root[@]}" cp "$root/boot/initrd.img-${kernel##*/vmlinuz-}" "$dir.new/initrd" &&
		"${as_root[@]}" mke2fs -q -t ext4 -d "$root" "$dir.new/disk.img" 6G &&
		"${as_root[@]}" chown -R "$(id -u):$(id -g)" "$dir.new" && mv -T "$dir.new" "$dir"
}

# Makes a system unless the cache has it, and sets $system to its directory.
test_system()
{
	write_hook "$work/hook"
	system=$cache/$1-$({ cat "$work/hook"; packages_of "$1"; dpkg-deb -f "$deb" Depends Recommends; } | cksum | cut -d ' ' -f 1)
	[ -d "$system" ] || make_system "$system" "$1"
}

# The commands of README.md, as tests/docs.py reads them.
test_readme()
{
	PYTHONPATH=tests python3 -c 'import docs; print(docs.make_script(docs.read_page(docs.ROOT / "README.md")[0]), end="")' >"$work/commands" &&
		[ -s "$work/commands" ]
}

# Runs tests/machine/guest, and shows its TAP without a change.
run_system()
{
	local name=$1

	scripts/vm --arch x86_64 --system "$system" --smp 2 --no-icount --mem 3072 --silence 600 --out "build/machine/$name" \
		--add tests/machine/guest --add tests/tap.sh --add "$work/commands" --add "$deb" --add build/progs/xdp_lb.bpf.o \
		-- env "SYSTEM=$name" "LOAD=${LOAD:-600}" bash guest
}

test_package()
{
	make -s build/progs/xdp_lb.bpf.o && { [ -n "${MACHINE_DEB:-}" ] || make deb; }
}

work=$(mktemp -d)
trap '"${as_root[@]}" rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- trixie bookworm
check "the package" test_package
deb=${MACHINE_DEB:-$(compgen -G 'build/deb/bprof_*.deb')}
check "the commands of README.md" test_readme
mkdir -p "$cache" build/machine
for suite; do
	check "$suite: make the system" test_system "$suite"
	[ -d "$system" ] || continue
	check "$suite" run_system "$suite"
	grep -E '^# .*(requests/s|bprof-export:)' "$work/log"
done
finish
