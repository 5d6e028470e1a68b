# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# For tests in shell: each test is a command, and its output is shown only if the command fails. Needs $work, a
# directory. Also for scripts that run tests: prints the relevant part of a log.

: "${work:=}"
checks=0 failed=0

# check NAME COMMAND...
check()
{
	local name=$1

	shift
	checks=$((checks + 1))
	if "$@" >"$work/log" 2>&1; then
		echo "ok $checks - $name"
	else
		sed 's/^/# /' "$work/log"
		echo "not ok $checks - $name"
		failed=1
	fi
}

finish()
{
	echo "1..$checks"
	exit $failed
}

# tap_failures LOG: prints each failed test with its output, or the end of the log if no test failed
tap_failures()
{
	local found

	found=$(awk '
		/^(ok |# ok|1\.\.|not ok .*# SKIP)/ { near = ""; shown = 0; next }
		/^not ok / { printf "%s", near; shown = 1 }
		shown { print; next }
		{ near = near $0 "\n" }' "$1")
	[ -n "$found" ] || found=$(tail -n 40 "$1")
	cut -c 1-500 <<<"$found" | sed -n 's/^/    /; 1,100p' # with head, cut would end by SIGPIPE
	echo "    (complete log: $1)"
}
