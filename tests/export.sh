#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The metrics of bprof export are checked by a strict parser of OpenMetrics, which is first tested
# itself. With --long, also by promtool, of Debian's package prometheus. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

promtool_takes() {
	local file

	command -v promtool >/dev/null || { echo "needs promtool: install Debian's package prometheus"; return 1; }
	for file; do
		promtool check metrics <"$file" || { echo "in $file"; return 1; }
	done
}

check "parser of OpenMetrics" tests/openmetrics.py --self-test
check "golden files are OpenMetrics" tests/openmetrics.py tests/golden/export_*.om
if [ "${1:-}" = --long ]; then
	check "promtool takes the golden files" promtool_takes tests/golden/export_*.prom
fi
finish
