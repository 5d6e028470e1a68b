#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Checks that each ELF file of this build is hardened: it can be loaded at any address, its relocations are read-only
# before main() runs, and its stack is not executable. Also checks that each source file of bprof was compiled with
# flags that end the process after a buffer overflow or a jump to a wrong address. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

# has FILE PATTERN OPTION...: readelf's output has a line that matches
has()
{
	LC_ALL=C readelf -W "${@:3}" "$1" 2>/dev/null | grep -E "$2" >/dev/null || { echo "$1: no '$2' in readelf ${*:3}"; return 1; }
}

# Programs are position-independent. A static program is position-independent if it was linked as static-pie.
test_address()
{
	has "$1" 'Type: +DYN' -h && has "$1" '\(FLAGS_1\).* PIE' -d
}

test_relro()
{
	has "$1" '^ +GNU_RELRO ' -l && has "$1" '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).* NOW' -d
}

test_stack()
{
	has "$1" '^ +GNU_STACK .* RW +0x' -l
}

# Prints the flags of each source file of bprof in the ELF file. Files of libraries have no debug information.
flags_of()
{
	LC_ALL=C readelf -W --debug-dump=info "$1" 2>/dev/null | sed -n 's/.*DW_AT_producer .*: \(GNU C\|clang\|Debian clang\)/\1/p'
}

# Checks that each source file of bprof in the ELF file was compiled with each of these flags.
test_flags()
{
	local flags=(-fstack-protector-strong -fstack-clash-protection) flag total cnt

	case $1 in
	*arm64*) flags+=(-mbranch-protection=standard) ;;
	*x86_64*) flags+=(-fcf-protection) ;;
	esac
	total=$(flags_of "$1" | wc -l)
	[ "$total" -gt 0 ] || { echo "$1: has no debug information"; return 1; }
	for flag in "${flags[@]}"; do
		cnt=$(flags_of "$1" | grep -c -e "$flag")
		[ "$cnt" -eq "$total" ] || { echo "$1: $((total - cnt)) of $total source files without $flag"; return 1; }
	done
}

# Debug information does not show _FORTIFY_SOURCE, but objects with _FORTIFY_SOURCE call glibc's checked functions.
# Kernel tests are built without _FORTIFY_SOURCE, because it needs optimization, and compiling them with optimization
# takes longer than it saves at run time.
test_fortify()
{
	find "$1/$2" -name '*.o' -exec readelf -Ws {} + 2>/dev/null | grep -E ' UND __[a-z]+_chk$' >/dev/null
}

check_file()
{
	check "$1: any address" test_address "$1"
	check "$1: relocations are read-only" test_relro "$1"
	check "$1: the stack is not executable" test_stack "$1"
	check "$1: flags of the compiler" test_flags "$1"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
native=build/$(uname -m | sed s/aarch64/arm64/)
make -s -j"$(nproc)" all || exit 1
check_file "$native/bprof"
check "$native: checked functions" test_fortify "$native" rooms
for arch in arm64 x86_64; do
	make -s -j"$(nproc)" STATIC=1 ARCH=$arch vm-tools || exit 1
	# drive is not checked: tests/tests.mk says why it is loaded at a fixed address.
	for file in bprof tools/ktest; do
		check_file "build/$arch-static/$file"
	done
	check "build/$arch: checked functions" test_fortify "build/$arch" rooms
done
finish
