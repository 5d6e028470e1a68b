# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# For tests in shell: each is a command, whose output is shown only if it fails. Needs $work, a directory.

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
