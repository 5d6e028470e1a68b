# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# For tests in shell: each is a command, whose output is shown only if it fails. Needs $work, a directory.
# And for what runs tests: what of a log a reader needs.

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

# tap_failures LOG [LINES]: what the log has beside passed tests, at most so many lines (60), indented
tap_failures()
{
	grep -vE '^(ok |# ok|1\.\.|not ok .* # SKIP|# skipped|seconds |status 0|$)' "$1" |
		cut -c 1-500 | sed 's/^/    /' | sed -n "1,${2:-60}p" # not head: grep would die of its end
	echo "    (all of it: $1)"
}
