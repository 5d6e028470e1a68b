#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Checks the JSON of every command, from a VM, and the golden files against docs/bprof-report.schema.json. Prints TAP.
# shellcheck disable=SC2016,SC2317 # the guest expands its script; check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

# Writes a document for each command, and for the options that add fields.
guest='
	bad=0 p=$PROG_ID_xdp_slow t=$PROG_ID_xdp_tree
	write() {
		name=$1
		shift
		"$@" || { echo "$name: status $?"; bad=1; }
	}
	json() { name=$1; shift; write $name "$@" -j -o $OUT/$name.json; }
	measure() { name=$1; shift; write $name "$@" -j -o $OUT/$name.json -- drive testrun $p:500 $t:500; }
	measure stat bprof -b $p,99999 -e cycles,instructions,time
	measure hist bprof -b $p --hist -A
	measure interval bprof -b $p -I 20
	measure repeats bprof -b $p -e instructions -r 6
	measure verify bprof -b $p --verify
	measure thinned bprof -b $p --sample auto
	measure samples bprof -b $p -e cycles --method samples
	measure follow bprof --name "xdp_*" --follow
	measure run_stats bprof -b $p --method run_stats
	measure tree bprof -b $t --func "*" -e instructions
	measure sums bprof -b $p,$t --sum owner -e time
	measure path bprof -b $p,$t --per $p -e time
	measure keys bprof -b $p,$t --by ifindex -e time
	measure keys_cpu bprof -b $p,$t --by cpu -e time
	measure system bprof system -a -e cycles,instructions -A
	measure trace bprof trace -b $p --every 100 --snap 16 --stack
	measure trace_args bprof trace -b $p,$t --every 100 --arg "ctx->len" --arg "ctx->rxq->dev->name" --arg ctx
	measure trace_join bprof trace -b $p,$t --every 100 --join --by ifindex
	h=$PROG_ID_xdp_helpers
	write sites bprof -b $h --func "*" --calls "*" --by site -j -o $OUT/sites.json -- drive testrun $h:500
	write trace_shares bprof trace -b $h --every 100 --func "*" --calls "*" -j -o $OUT/trace_shares.json -- drive testrun $h:500
	write record bprof record -b $p,$t -o $OUT/record.json -- drive testrun $p:500 $t:500
	json annotate bprof annotate -i $OUT/record.json
	c=$PROG_ID_xdp_callees
	write callees bprof record --depth 3 -b $c -e cpu-clock -c 20011 -o $OUT/callees.json -- drive testrun $c:500
	json annotate_callees bprof annotate -i $OUT/callees.json
	json list bprof list --perf
	write top bprof top --batch -n 2 -I 100ms --idle -e time -j -o $OUT/top.json
	json doctor bprof doctor
	json self_test bprof doctor --self-test
	json helpers bprof doctor --helpers
	json events bprof --list-events
	write tracepoints bprof system --list-events -j -o $OUT/tracepoints.json sched:
	json bench bprof bench progs/slow.bpf.o --prog xdp_slow --blocks 6
	json versions bprof bench progs/slow.bpf.o progs/slow.bpf.o --prog xdp_slow --blocks 6
	json diff bprof diff $OUT/repeats.json $OUT/repeats.json
	write watch bprof watch -j -o $OUT/watch.json -- drive run --obj progs/xdp.bpf.o -- true
	exit $bad'

documents="stat hist interval repeats verify thinned samples follow run_stats system record trace trace_args trace_join trace_shares tree sums path keys keys_cpu sites list top doctor self_test
	helpers events tracepoints annotate callees annotate_callees bench versions diff watch"

run_commands() {
	scripts/vm --arch arm64 --add build/progs --out "$work/out" -- \
		drive run --obj progs/slow.bpf.o:xdp_slow --obj progs/tree.bpf.o:xdp_tree \
			--obj progs/callees.bpf.o:xdp_callees --obj progs/helpers.bpf.o:xdp_helpers -- sh -c "$guest"
}

test_document() {
	[ -s "$work/out/$1.json" ] && tests/schema.py "$work/out/$1.json"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s STATIC=1 ARCH=arm64 vm-tools || exit 1
check "goldens, columns of CSV" tests/schema.py
check "the commands run" run_commands
for document in $documents; do
	check "JSON of $document" test_document "$document"
done
finish
