#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tests the examples of docs/embedding.md, which start bprof and read its JSON. The example in C compiles with the
# command in its comment. Both examples show reports of tests/golden; "bprof report" writes the JSON that they read.
# Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

golden=$PWD/tests/golden

test_compiles()
{
	# shellcheck disable=SC2046 # several words
	(cd docs/examples && cc -Wall -Wextra -o "$work/costs" costs.c $(pkg-config --cflags --libs jansson))
}

# shows OUTPUT STATUS COMMAND...: the command has this output, and ends with this status
shows()
{
	local status=0

	"${@:3}" >"$work/out" || status=$?
	diff <(printf '%s' "$1") "$work/out" && [ "$status" -eq "$2" ]
}

report='xdp_lb: 4000 runs
  instructions: min 500 mean 500.2
  time: mean 350.5ns
parse_ipv6: 4000 runs
  instructions: mean 500.2
xdp_lb: 4000 runs
  instructions: mean 500.2
tc_mark: 4000 runs
  instructions: mean 500.2
tc_mark: 4000 runs
  instructions: mean 500.2
lsm: 4000 runs
  instructions: mean 500.2
'

intervals='xdp_lb: 0 runs
  cycles: not measured
  instructions: not measured
foo: not measured: has no BTF
xdp_lb: 1001 runs
  cycles: mean 150.0
  instructions: mean 99.5
foo: not measured: has no BTF
xdp_lb: 1002 runs
  cycles: mean 150.0
  instructions: mean 99.5
foo: not measured: has no BTF
'

over='2.0 s: xdp_lb: instructions 99.5
3.0 s: xdp_lb: instructions 99.5
'

# Each example ends with the exit status of bprof, or with 1 if bprof's output is not JSON.
test_statuses()
{
	shows '' 1 "$work/costs" bprof report none.json -j && shows '' 2 "$work/costs" bprof stat -j &&
		shows '' 1 "$work/costs" echo '{"programs":' && shows '' 1 docs/examples/over_limit.py time 1 bprof report none.json -j
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s all || exit 1
PATH=$PWD/build/$(uname -m | sed s/aarch64/arm64/):$PATH

check "costs.c compiles" test_compiles
check "costs, one report" shows "$report" 0 "$work/costs" bprof report "$golden/bench.json" -j
check "costs, a report for each interval" shows "$intervals" 0 "$work/costs" bprof report "$golden/interval.json" -j
check "over_limit.py" shows "$over" 0 docs/examples/over_limit.py instructions 99 bprof report "$golden/interval.json" -j
check "over_limit.py, under the limit" shows '' 0 docs/examples/over_limit.py cycles 150 bprof report "$golden/interval.json" -j
check "exit statuses" test_statuses
finish
