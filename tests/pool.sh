# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# For scripts that run tests: runs steps, several of them at the same time. Each step has a log and prints TAP. The
# lines "ok" and "not ok" are counted; a step that ends without such a line counts as failed. Needs $logs, a directory.
#
# A step may have a budget of CPU time in seconds: "BUDGET=30 beside NAME COMMAND". If a step takes more, this counts as
# a failure, so that tests do not grow unnoticed. Budgets are for an idle reference machine. reference_work is timed at
# the begin and at the end. If it takes twice as long as on the reference machine, for example, budgets are doubled.

# shellcheck source=tests/tap.sh
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

: "${logs:=}"
jobs=${JOBS:-$(nproc)} # number of steps that run at the same time
steps=()
declare -A budgets
# The CPU time that reference_work takes on the reference machine, in milliseconds.
REFERENCE_MS=300

# Prints the CPU time that a fixed piece of work takes, in milliseconds.
reference_work()
{
	local TIMEFORMAT='%3U' i

	{ time for ((i = 0; i < 200000; i++)); do :; done; } 2>&1 | tr -d .
}

begin_ms=$((10#$(reference_work)))

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

# run_step NAME COMMAND...: runs COMMAND with its output in the step's log, and prints the result. Because steps run at
# the same time, only the CPU time of the step and of its children shows how much work a step is.
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
	echo $((cpu)) >"$logs/$name.cpu"
	printf '%-22s %4d passed, %d failed, %d skipped (%d s, %d s of CPU time%s)\n' "$name" "$passed" "$failed" "$skipped" \
		$((SECONDS - start)) $((cpu)) "${budgets[$name]:+ of ${budgets[$name]}}"
	sed -n 's/^# skipped/    skipped/p' "$log"
}

# beside NAME COMMAND...: runs a step beside other steps. It must not build files that the other steps use.
beside()
{
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
		wait -n || true
	done
	steps+=("$1")
	budgets[$1]=${BUDGET:-}
	run_step "$@" &
}

# Prints the CPU time of all steps, and the steps that took more than their budgets. Fails if there are such steps.
check_budgets()
{
	local name cpu total=0 budget=0 end_ms slow over=0

	end_ms=$((10#$(reference_work)))
	slow=$((begin_ms > end_ms ? begin_ms : end_ms))
	slow=$((slow > REFERENCE_MS ? slow : REFERENCE_MS))
	for name in "${steps[@]}"; do
		cpu=$(cat "$logs/$name.cpu")
		total=$((total + cpu)) budget=$((budget + ${budgets[$name]:-0}))
		[ -z "${budgets[$name]}" ] || [ "$cpu" -le $((budgets[$name] * slow / REFERENCE_MS)) ] && continue
		echo "$name took $cpu s of CPU time; its budget is ${budgets[$name]} s, here $((budgets[$name] * slow / REFERENCE_MS)) s"
		over=1
	done
	echo "$total s of CPU time; the budget is $budget s, here $((budget * slow / REFERENCE_MS)) s"
	return "$over"
}

# finish_steps: waits for all steps. Prints the failures and then the totals. Failures are repeated here because readers
# look at the end, and a CI may keep only the last lines. Fails if any test failed.
finish_steps()
{
	local name passed failed skipped totals=(0 0 0) over=0

	wait
	for name in "${steps[@]}"; do
		read -r passed failed skipped _ <<<"$(counts "$name")"
		totals=($((totals[0] + passed)) $((totals[1] + failed)) $((totals[2] + skipped)))
		[ "$failed" -eq 0 ] || { echo "$name:" && tap_failures "$logs/$name.tap"; }
	done
	check_budgets || over=1
	echo "${totals[0]} passed, $((totals[1] + over)) failed, ${totals[2]} skipped"
	[ $((totals[1] + over)) -eq 0 ]
}
