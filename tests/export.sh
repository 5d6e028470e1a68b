#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A strict parser of OpenMetrics, which is first tested itself, checks the metrics of bprof export. With --long,
# promtool of Debian's package prometheus checks them, too. Prints TAP.
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
# Checks that bprof writes all metrics that the dashboard and the rules use.
names_exist() {
	local name bad=0

	while read -r name; do
		grep -qE "^$name(\{| )|^# TYPE $name gauge" tests/golden/export.om || { echo "no metric $name"; bad=1; }
	done < <(grep -ohE '\b(bprof|process)_[a-z_]+' packaging/grafana/bprof.json packaging/prometheus/bprof-rules.yml |
		grep -vE '^bprof_program_(cpu|runs|seconds_per_run|run_time_bucket|machines|main|change)$' | sort -u)
	return "$bad"
}

# Checks that systemd rates the exposure of the service below 3, which it calls "OK".
unit_is_hardened() {
	local exposure

	exposure=$(systemd-analyze security --offline=yes --no-pager packaging/systemd/bprof-export.service |
		sed -nE 's/.*exposure level for .*: ([0-9.]+) .*/\1/p')
	echo "exposure ${exposure:-unknown}"
	awk "BEGIN { exit !(${exposure:-10} < 3) }"
}

check "golden files are OpenMetrics" tests/openmetrics.py tests/golden/export.om
check "metrics of the dashboard and the rules exist" names_exist
check "the files for Grafana and Kubernetes agree with bprof" tests/export_files.py
check "the systemd unit is hardened" unit_is_hardened
if [ "${1:-}" = --long ]; then
	check "promtool takes the golden files" promtool_takes tests/golden/export.prom
	check "rules are correct" promtool check rules packaging/prometheus/bprof-rules.yml
	check "rules and alerts say what they should" promtool test rules packaging/prometheus/bprof-rules-test.yml
fi
finish
