#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The capture that bprof trace writes, read by tcpdump and by bprof bench. Of 100,000 invocations in a VM ten are slow
# (tests/progs/slow.bpf.c): the capture has exactly their packets. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

# record ARCH: records into $work/ARCH. bench runs the program on the packets again, each as a case.
record()
{
	# shellcheck disable=SC2016 # the guest's shell expands it
	scripts/vm --arch "$1" --add "build/$1-static/progs" --out "$work/$1" -- \
		drive run --obj progs/slow.bpf.o:xdp_slow -- sh -c '
			bprof trace -b $PROG_ID_xdp_slow -e time --slower-than 200us -j -o $OUT/records --pcap $OUT/slow.pcap -- \
				drive testrun $PROG_ID_xdp_slow:100000 &&
			bprof bench progs/slow.bpf.o --prog xdp_slow -e time --pcap $OUT/slow.pcap -r 6 --repeat 1 -j -o $OUT/bench'
}

# Reads as an ordinary user: run by root, tcpdump switches to a user of its own, which may not exist.
read_packets()
{
	"${user[@]}" tcpdump -r - -n -tt --time-stamp-precision=nano -e -xx "$@" 2>"$work/err" <"$work/$arch/slow.pcap" ||
		{ cat "$work/err"; return 1; }
}

test_recorded()
{
	record "$arch" && grep -q '"summary".*"invocations":100000,.*"records":10,"lost":0,"held_back":0' "$work/$arch/records"
}

# The program counts its runs and writes each one's number into the first eight bytes.
test_packets()
{
	seq 5000 10000 95000 | while read -r run; do
		printf '%02x%02x %02x%02x 0000 0000\n' $((run & 255)) $((run >> 8 & 255)) $((run >> 16 & 255)) $((run >> 24))
	done >"$work/wanted"
	read_packets | sed -nE 's/^\t0x0000: +(([0-9a-f]{4} ){3}[0-9a-f]{4}).*/\1/p' | diff "$work/wanted" -
}

test_lengths()
{
	[ "$(read_packets -q | grep -c ' length 64: ')" -eq 10 ]
}

test_times()
{
	sed -nE 's/^\{"time_ns":([0-9]+)([0-9]{9}),.*/\1.\2/p' "$work/$arch/records" >"$work/wanted"
	[ "$(wc -l <"$work/wanted")" -eq 10 ] && read_packets | sed -nE 's/^([0-9]+\.[0-9]{9}) .*/\1/p' | diff "$work/wanted" -
}

test_replayed()
{
	[ "$(grep -oE '"case": ?"slow.pcap#[0-9]+"' "$work/$arch/bench" | sort -u | wc -l)" -eq 10 ]
}

command -v tcpdump >/dev/null || { echo "tests/capture.sh: tcpdump not found; run scripts/setup" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
user=()
[ "$(id -u)" -ne 0 ] || user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
for arch in arm64 x86_64; do
	make -s STATIC=1 ARCH=$arch vm-tools || exit 1
	check "$arch: ten of 100,000 are recorded" test_recorded
	check "$arch: tcpdump reads their packets" test_packets
	check "$arch: their lengths" test_lengths
	check "$arch: their times" test_times
	check "$arch: bench runs them again" test_replayed
done
finish
