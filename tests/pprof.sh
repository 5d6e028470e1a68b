#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Makes profiles with --format pprof in a VM, and reads them with Go's pprof. pprof must show the numbers in the JSON of
# the same recording or report. Prints TAP.
# shellcheck disable=SC2016,SC2317 # the guest expands its script; check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

guest='
	set -e
	p=$PROG_ID_xdp_slow t=$PROG_ID_xdp_tree
	cd $OUT
	bprof record -b $p,$t -e cpu-clock -F 20000 -o record.json -- drive testrun $p:20000 $t:20000
	bprof annotate -j -i record.json -o annotation.json
	bprof annotate --format pprof -i record.json -o annotation.pb.gz
	bprof annotate --format pprof -i record.json >again.pb.gz
	bprof record -b $p,$t -e cpu-clock -F 20000 --format pprof -o recorded.pb.gz -- drive testrun $p:20000 $t:20000
	bprof stat -b $p,$t --func "*" -A -e instructions,time -j -o tree.json -- drive testrun $p:50 $t:500
	bprof stat -b $p,$t --func "*" -A -e instructions,time --format pprof -o stat.pb.gz -- drive testrun $p:50 $t:500'

make_profiles()
{
	scripts/vm --arch arm64 --add build/progs --out "$work/out" -- \
		drive run --obj progs/slow.bpf.o:xdp_slow --obj progs/tree.bpf.o:xdp_tree -- sh -c "$guest" &&
		"build/$(uname -m | sed s/aarch64/arm64/)/bprof" report "$work/out/tree.json" --format pprof -o "$work/out/tree.pb.gz"
}

test_annotation()
{
	tests/pprof.py annotation "$work/out/annotation.json" "$work/out/annotation.pb.gz"
}

test_same()
{
	cmp "$work/out/annotation.pb.gz" "$work/out/again.pb.gz"
}

test_recorded()
{
	tests/pprof.py read "$work/out/recorded.pb.gz" samples cpu-clock
}

test_tree()
{
	tests/pprof.py tree "$work/out/tree.json" "$work/out/tree.pb.gz"
}

# Compares only the numbers of calls: the costs in two sessions of stat differ by the costs of interrupts.
test_stat()
{
	tests/pprof.py tree "$work/out/tree.json" "$work/out/stat.pb.gz" runs
}

command -v go >/dev/null || { echo "tests/pprof.sh: go not found; run scripts/setup" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s all || exit 1
make -s STATIC=1 ARCH=arm64 vm-tools || exit 1
check "bprof writes profiles" make_profiles
check "pprof shows the functions and lines of a recording" test_annotation
check "the same recording gives the same bytes" test_same
check "pprof reads a profile of record" test_recorded
check "pprof shows the call tree of a saved report" test_tree
check "pprof shows the calls in a profile of stat" test_stat
finish
