#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# verdicts.sh runs this in the VM (busybox sh) or on the host. Compares programs by "bprof bench OLD NEW". For
# verdicts.py, writes reports to $OUT/KIND-N.json, a line "KIND-N STATUS" for each to $OUT/status, and stderr to
# $OUT/errors.
set -u

# compare KIND-N OLD NEW ARG...: compares two objects
compare()
{
	name=$1 old=$2 new=$3
	shift 3
	bprof bench "$old" "$new" -j "$@" >"$OUT/$name.json" 2>>"$OUT/errors"
	echo "$name $?" | tee -a "$OUT/status" >&2 # scripts/vm ends a VM that prints nothing
}

# exact NUMBER EVENT: compares a program with one that has one more instruction, then with itself; then compares line
# NUMBER of the file "cases" with itself, as a program and by functions
exact()
{
	for kind in more:hot_501 same:hot_500; do
		compare "${kind%:*}-0" progs/hot_500.bpf.o "progs/${kind#*:}.bpf.o" --exact -e "$2" --pcap real/pkt_v4.pcap
	done
	cd real || exit 1
	grep -v -e '^#' -e '^$' cases >/tmp/cases
	cnt=$(wc -l </tmp/cases)
	sed -n "$(($1 % cnt + 1))p" /tmp/cases | {
		read -r name object args
		# shellcheck disable=SC2086 # words
		compare "real-$name" "$object" "$object" $args --exact -e "$2"
		# shellcheck disable=SC2086 # words
		compare "functions-$name" "$object" "$object" $args --func '*' --exact -e "$2"
	}
}

# Computes and waits for I/O until it is killed.
load()
{
	while :; do
		i=0
		while [ $i -lt 20000 ]; do
			i=$((i + 1))
		done
		ls -lR /proc/self/ >/dev/null 2>&1
	done
}

# noisy N EVENTS LOADS: alternately makes N comparisons of a program with itself, and N with one that takes 10 % more,
# while LOADS processes run load()
noisy()
{
	pids=
	while [ "$(echo "$pids" | wc -w)" -lt "$3" ]; do
		load &
		pids="$pids $!"
	done
	i=0
	while [ $i -lt "$1" ]; do
		for kind in same:hot_5000 more:hot_5500; do
			compare "${kind%:*}-$i" progs/hot_5000.bpf.o "progs/${kind#*:}.bpf.o" --prog xdp_hot -e "$2" --blocks 10 \
				--pcap real/pkt_v4.pcap
		done
		i=$((i + 1))
	done
	# shellcheck disable=SC2086 # words
	[ -z "$pids" ] || kill $pids
}

"$@"
