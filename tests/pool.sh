# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# For scripts that run tests: steps with a log each, some of them at the same time. Each step prints TAP. Steps
# are counted by their lines "ok" and "not ok"; one that ends without a result counts as failed. Needs
# $logs, a directory.

# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

: "${logs:=}"
jobs=${JOBS:-$(nproc)} # number of steps that run at the same time
steps=()

# counts NAME: prints "passed failed skipped planned" of the step's log
counts()
{
	awk '
		/^(not )?ok .*# SKIP/ { skipped++; next }
		/^ok / { passed++ }
		/^not ok / { failed++ }
		/^1\.\.[0-9]+/ { split($1, plan, /\.\./); planned += plan[2] }
		END { print passed + 0, failed + 0, skipped + 0, planned + 0 }' "$logs/$1.tap"
}

# run_step NAME COMMAND...: runs COMMAND with its output in the step's log, and prints the result. As steps run
# beside others, only the CPU time, of this step and of what it waited for, tells how much work one is.
run_step()
{
	local name=$1 log=$logs/$1.tap start=$SECONDS status=0 cpu passed failed skipped planned
	local TIMEFORMAT='%0U+%0S'

	shift
	cpu=$({ time "$@" >"$log" 2>&1 </dev/null; } 2>&1) || status=$?
	read -r passed failed skipped planned <<<"$(counts "$name")"
	if [ "$failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$passed" -eq 0 ] || [ $((passed + skipped)) -lt "$planned" ]; }; then
		echo "not ok - $name: ended with status $status, $passed tests passed" >>"$log"
		failed=1
	fi
	printf '%-22s %4d passed, %d failed, %d skipped (%d s, %d s of CPU time)\n' "$name" "$passed" "$failed" "$skipped" \
		$((SECONDS - start)) $((cpu))
	sed -n 's/^# skipped/    skipped/p' "$log"
}

# beside NAME COMMAND...: a step that runs beside others. It must not build what they use.
beside()
{
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
		wait -n || true
	done
	steps+=("$1")
	run_step "$@" &
}

# finish_steps: waits for all steps. Prints what failed, because readers look at the end and a CI may keep only
# the last lines, and then the totals. Fails if any test failed.
finish_steps()
{
	local name passed failed skipped totals=(0 0 0)

	wait
	for name in "${steps[@]}"; do
		read -r passed failed skipped _ <<<"$(counts "$name")"
		totals=($((totals[0] + passed)) $((totals[1] + failed)) $((totals[2] + skipped)))
		[ "$failed" -eq 0 ] || { echo "$name:" && tap_failures "$logs/$name.tap"; }
	done
	echo "${totals[0]} passed, ${totals[1]} failed, ${totals[2]} skipped"
	[ "${totals[1]}" -eq 0 ]
}
