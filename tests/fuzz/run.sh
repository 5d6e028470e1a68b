#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs fuzzers one after the other and prints one TAP line for each. The exit status is 1 if a
# fuzzer found an error. Each fuzzer's log, corpus and findings are kept beside the fuzzer.
#
# usage: tests/fuzz/run.sh --runs N|--seconds N FUZZER…
#
# With --runs, each fuzzer starts from tests/fuzz/corpus only, with a fixed seed. With --seconds, it
# also uses the corpus of earlier runs.

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

# run_fuzzer FILE: runs a fuzzer, and prints the number of inputs or why the fuzzer failed
run_fuzzer() {
	local fuzzer=$1 name=${1##*/fuzz_} corpus=$1.corpus log=$1.log status=0

	if [ "$mode" = --runs ]; then
		corpus=$1.check
		rm -rf "$corpus"
	fi
	mkdir -p "$corpus"
	"$fuzzer" "${args[@]}" -artifact_prefix="$fuzzer." -print_final_stats=1 \
		"$corpus" "$seeds/$name" >"$log" 2>&1 || status=$?
	if [ "$status" -eq 0 ]; then
		sed -nE 's/^stat::number_of_executed_units: *([0-9]+)$/\1 runs/p' "$log"
	else
		tail -n 60 "$log"
	fi
	return "$status"
}

failed=0 n=0
echo "1..$#"
for fuzzer; do
	n=$((n + 1))
	if out=$(run_fuzzer "$fuzzer"); then
		echo "ok $n - fuzz ${fuzzer##*/fuzz_}: $out"
	else
		echo "# ${out//$'\n'/$'\n# '}"
		echo "not ok $n - fuzz ${fuzzer##*/fuzz_}"
		failed=1
	fi
done
exit $failed
