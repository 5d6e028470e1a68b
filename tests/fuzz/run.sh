#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs fuzzers, as many at a time as there are CPUs, and prints one TAP line for each. The exit status
# is 1 if a fuzzer found an error. Each fuzzer's log, corpus and findings are kept beside the fuzzer.
#
# usage: tests/fuzz/run.sh --runs N|--seconds N FUZZER…
#
# With --runs, each fuzzer starts from tests/fuzz/corpus only, with a fixed seed. With --seconds, it
# also uses the corpus of earlier runs, and adds the number of its runs to FUZZER.total.

set -uo pipefail

seeds=$(cd "$(dirname "$0")" && pwd)/corpus
mode=${1:-} limit=${2:-}
shift 2
case $mode in
--runs) args=("-runs=$limit" -seed=1) ;;
--seconds) args=("-max_total_time=$limit") ;;
*) echo "usage: tests/fuzz/run.sh --runs N|--seconds N FUZZER…" >&2; exit 2 ;;
esac
[[ $limit =~ ^[0-9]+$ ]] || { echo "tests/fuzz/run.sh: $mode needs a number, not '$limit'" >&2; exit 2; }

# run_fuzzer FILE: runs a fuzzer, and prints its TAP line without the number
run_fuzzer() {
	local fuzzer=$1 name=${1##*/fuzz_} corpus=$1.corpus log=$1.log status=0 runs out linked

	# libFuzzer does not follow links to directories.
	mapfile -t linked < <(find "$seeds/$name" -type l)
	if [ "$mode" = --runs ]; then
		corpus=$1.check
		rm -rf "$corpus"
	fi
	mkdir -p "$corpus"
	"$fuzzer" "${args[@]}" -artifact_prefix="$fuzzer." -print_final_stats=1 -timeout=60 \
		"$corpus" "$seeds/$name" "${linked[@]}" >"$log" 2>&1 || status=$?
	runs=$(sed -nE 's/^stat::number_of_executed_units: *([0-9]+)$/\1/p' "$log")
	if [ "$status" -eq 0 ]; then
		echo "ok - fuzz $name: $runs runs"
	else
		out=$(tail -n 60 "$log")
		echo "# ${out//$'\n'/$'\n# '}"$'\n'"not ok - fuzz $name"
	fi
	[ "$mode" = --runs ] || echo "${runs:-0}" >>"$fuzzer.total"
}

# The line of each fuzzer is printed as a whole when the fuzzer has ended.
n=0 failed=0
echo "1..$#"
while IFS= read -r line; do
	case $line in
	"ok - "*) n=$((n + 1)) && line="ok $n${line#ok}" ;;
	"not ok - "*) n=$((n + 1)) && failed=1 line="not ok $n${line#not ok}" ;;
	esac
	echo "$line"
done < <(
	for fuzzer; do
		while [ "$(jobs -pr | wc -l)" -ge "$(nproc)" ]; do
			wait -n
		done
		{ out=$(run_fuzzer "$fuzzer") && echo "$out"; } &
	done
	wait
)
[ "$n" -eq $# ] || failed=1
exit $failed
