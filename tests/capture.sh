#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# tcpdump and bprof bench read the capture that bprof trace writes. Ten of 100,000 invocations in a VM are slow
# (tests/progs/slow.bpf.c); the capture has exactly the packets of these ten. The kernel keeps the VLAN tag of a frame
# outside of the packet; in bench, such frames take the same path at the same cost. Packets of a tun device have no
# Ethernet header. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

# record ARCH: records into $work/ARCH. Then bench runs the program on the recorded packets, each as a case.
record()
{
	# shellcheck disable=SC2016 # the guest's shell expands it
	scripts/vm --arch "$1" --add "build/progs" --out "$work/$1" -- \
		drive run --obj progs/slow.bpf.o:xdp_slow --obj progs/replay.bpf.o:tc_packet -- sh -c '
			bprof trace -b $PROG_ID_xdp_slow -e time --slower-than 200us -j -o $OUT/records --pcap $OUT/slow.pcap -- \
				drive testrun $PROG_ID_xdp_slow:100000 &&
			bprof bench progs/slow.bpf.o --prog xdp_slow -e time --pcap $OUT/slow.pcap --blocks 6 --repeat 1 -j -o $OUT/bench &&
			trace="bprof trace -b $PROG_ID_tc_packet -e '"${event[$1]}"' --every 1 -j -o $OUT" && modprobe veth &&
			drive attached tcx_ingress $PROG_ID_tc_packet ${trace}/vlan --pcap $OUT/vlan.pcap -- \
				sh -c "drive frame ctx0 '"$macs$tag$ipv4$ip"' 3; sleep 1" &&
			bprof bench progs/replay.bpf.o --exact --prog tc_packet -e '"${event[$1]}"' --pcap $OUT/vlan.pcap --cycle \
				--blocks 3 --repeat 6 -j -o $OUT/vlan.bench &&
			drive tun $PROG_ID_tc_packet ${trace}/tun --pcap $OUT/tun.pcap -- drive frame tun0 '"$ip"' 2 &&
			! bprof bench progs/replay.bpf.o --prog tc_packet --pcap $OUT/tun.pcap 2>$OUT/refused'
}

# read_capture FILE [OPTION…]
# Runs tcpdump as an ordinary user: if root runs tcpdump, it switches to its own user, which may not exist.
read_capture()
{
	"${user[@]}" tcpdump -r - -n -tt --time-stamp-precision=nano -e "${@:2}" 2>"$work/err" <"$work/$arch/$1" ||
		{ cat "$work/err"; return 1; }
}

read_packets()
{
	read_capture slow.pcap -xx "$@"
}

test_recorded()
{
	record "$arch" && grep -q '"summary".*"invocations":100000,.*"records":10,"lost":0,"held_back":0' "$work/$arch/records"
}

# The program counts its runs, and writes the number of each run into the first eight bytes of the packet.
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

# In the capture, the VLAN tag is back in its place after the MAC addresses.
test_tagged()
{
	[ "$(read_capture vlan.pcap -q | grep -cE ' 802.1Q.*vlan 5, p 1, .* 10\.0\.0\.1\.1024 > 10\.0\.0\.2\.53: UDP, length 18$')" -eq 3 ]
}

# numbers FILE KEY: prints the different numbers that the key has in a JSON file
numbers()
{
	grep -oE "\"$2\": ?-?[0-9.]+" "$work/$arch/$1" | grep -oE '[0-9.-]+$' | sort -u
}

# The program passes IPv4 packets (it returns 0) on a path of 1,000 more instructions. It drops all others (2).
test_same_path()
{
	[ "$(numbers vlan retval)" = 0 ] && [ "$(numbers vlan.bench retval)" = 0 ] || return
	numbers vlan net
	numbers vlan.bench max
	[ "$arch" = x86_64 ] || { [ "$(numbers vlan net)" -ge 1000 ] && [ "$(numbers vlan net)" = "$(numbers vlan.bench max)" ]; }
}

test_raw()
{
	[ "$(read_capture tun.pcap -q | grep -cE '^[0-9.]+ ip: 10\.0\.0\.1\.1024 > 10\.0\.0\.2\.53: UDP, length 18$')" -eq 2 ] &&
		grep -q 'link type is RAW' "$work/$arch/refused"
}

# Hexadecimal digits. The tag is that of 802.1ad, with priority 1 and id 5.
macs=020000000001020000000002
tag=88a82005
ipv4=0800
ip=4500002e00000000401166bd0a0000010a00000204000035001a0000
declare -A event=([arm64]=instructions [x86_64]=msr/tsc/)

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
	check "$arch: tcpdump finds VLAN tags" test_tagged
	check "$arch: their frames take the same path in bench" test_same_path
	check "$arch: packets of a tun device are IP" test_raw
done
finish
