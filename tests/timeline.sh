#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Makes timelines with --format trace-event in a VM. They must have the same contents as other outputs of the same
# session. Prints TAP.
# shellcheck disable=SC2016,SC2317 # the guest expands its script; check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

guest='
	set -e
	p=$PROG_ID_xdp_slow t=$PROG_ID_xdp_tree
	cd $OUT
	bprof trace -b $p -e instructions --slower-than 200us --format trace-event -o trace.json --pcap trace.pcap -- \
		drive testrun $p:100000
	bprof trace -b $t:branch,$p --every 1 --limit 100000 --format trace-event -o every.json -- \
		drive testrun $t:100 $p:50
	bprof stat -b $p,$t -e instructions,time -I 10ms --format trace-event -o stat.json -- drive testrun $p:20000 $t:300
	bprof system -a -e instructions -I 10ms --format trace-event -o system.json -- drive testrun $t:300
	bprof watch --new --format trace-event -o watch.json -- \
		drive run --obj /progs/xdp.bpf.o -- true 2>watch.err
	bprof trace -b $p --every 1 --limit 1000000 --format trace-event -o - -- \
		drive testrun $p:100000 2>/dev/null | head -c 100000 >cut.json || true'

make_timelines()
{
	scripts/vm --arch arm64 --add build/progs --out "$work/out" -- \
		drive run --obj progs/slow.bpf.o:xdp_slow --obj progs/tree.bpf.o:xdp_tree -- \
		sh -c "ln -sf \$PWD/progs /progs; $guest"
}

# Prints the times of the captured packets, in nanoseconds since the epoch.
packet_times()
{
	tcpdump -r - -n -tt --time-stamp-precision=nano -q <"$work/out/trace.pcap" 2>/dev/null | sed -E 's/^([0-9]+)\.([0-9]{9}) .*/\1\2/'
}

test_trace()
{
	packet_times | tests/timeline.py trace "$work/out/trace.json"
}

command -v tcpdump >/dev/null || { echo "tests/timeline.sh: tcpdump not found; run scripts/setup" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s STATIC=1 ARCH=arm64 vm-tools || exit 1
check "bprof writes timelines" make_timelines
check "trace: ten of 100,000 invocations, which end when their packets were captured" test_trace
check "trace: every invocation, one after the other" tests/timeline.py every "$work/out/every.json"
check "stat -I: all runs, with their mean cost" tests/timeline.py stat "$work/out/stat.json"
check "system -I: one track" tests/timeline.py system "$work/out/system.json"
check "watch: each load and unload" tests/timeline.py watch "$work/out/watch.json" "$work/out/watch.err"
check "a timeline that was cut" tests/timeline.py cut "$work/out/cut.json"
finish
