#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tests an hour of a machine with bprof export and a real Prometheus. In a VM, programs run at a known rate and are
# loaded again and again, while Prometheus scrapes bprof export. The test then compares Prometheus's data with the runs
# and loads, and runs the queries of the dashboard and the rules. The VM skips idle time, so that an hour takes some
# minutes. Prints TAP and figures. Needs Debian's package prometheus, on x86-64, and the requirements of scripts/vm.
#
# usage: tests/export_hour.sh [SECONDS [KERNEL]]
# In much less than half an hour, there are too few loads to check their rate within 1 %.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

seconds=${1:-3600} kernel=${2:-6.12}
port=9798
work=$(mktemp -d)
out=build/export_hour # kept after the test
pid=

clean_up()
{
	[ -z "$pid" ] || kill "$pid"
	wait
	rm -rf "$work"
}
trap clean_up EXIT

# Copies Prometheus, which is linked dynamically, with its libraries.
collect()
{
	local library

	mkdir "$work/hour" &&
		cp tests/export_hour/{guest.sh,prometheus.yml} packaging/prometheus/bprof-rules.yml "$work/hour" &&
		cp "$(command -v prometheus)" "$work/hour/" || return 1
	for library in $(ldd "$work/hour/prometheus" | grep -o '/[^ ]*'); do
		cp "$library" "$work/hour/" || return 1
	done
}

run_vm()
{
	rm -rf "$out"
	# With IPv6, the kernel would send packets of its own.
	scripts/vm --arch x86_64 --kernel "$kernel" --mem 2048 --append ipv6.disable=1 \
		--add "$work/hour" --add build/progs --out "$out" -- sh hour/guest.sh "$seconds"
}

start_prometheus()
{
	prometheus --config.file=tests/export_hour/none.yml --storage.tsdb.path="$out/data" \
		--storage.tsdb.retention.time=100y --web.listen-address="127.0.0.1:$port" --log.level=warn \
		2>"$work/prometheus.log" &
	pid=$!
	for _ in $(seq 120); do
		curl -sf "http://127.0.0.1:$port/-/ready" >"$work/ready" && return
		sleep 1
	done
	cat "$work/prometheus.log"
	return 1
}

check "Prometheus can be copied" collect
check "$seconds s in a VM with Linux $kernel" run_vm
check "Prometheus opens the data" start_prometheus
python3 tests/export_hour/compare.py "http://127.0.0.1:$port" "$out" | tee "$work/compare"
check "its data is what ran" grep -q '^# all as expected$' "$work/compare"
finish
