#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tests a small fleet: exporters run in network namespaces of this machine. One real Prometheus scrapes the exporters
# while programs run a known number of times. Prints TAP and figures. Needs root, Debian's packages prometheus, iproute2
# and curl, bpftool, and a build ("make all vm-tools").
#
# usage: tests/export_fleet.sh [EXPORTERS [SECONDS]]
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

exporters=${1:-50} seconds=${2:-40}
bin=$PWD/build/$(uname -m | sed s/aarch64/arm64/)
bridge=bprofleet
programs=500 # the programs of tests/progs/many.bpf.c that are loaded; ten of them run
pins=/sys/fs/bpf/bprofleet
runs=1000    # of each of these ten programs, in each round
work=$(mktemp -d)
pids=()

clean_up()
{
	kill "${pids[@]}" 2>/dev/null
	sleep 1
	for i in $(seq "$exporters"); do
		ip netns del "$bridge-$i" 2>/dev/null
	done
	ip link del "$bridge" 2>/dev/null
	rm -rf "$work" "$pins"
}
trap clean_up EXIT

# make_namespace N: makes a namespace with the address 10.213.0.N; N is 1 or more
make_namespace()
{
	ip netns add "$bridge-$1" &&
		ip link add "bpf$1" type veth peer name eth0 netns "$bridge-$1" &&
		ip link set "bpf$1" master "$bridge" up &&
		ip -n "$bridge-$1" addr add "10.213.0.$1/16" dev eth0 &&
		ip -n "$bridge-$1" link set eth0 up
}

start_fleet()
{
	local i targets=

	ip link add "$bridge" type bridge && ip addr add 10.213.255.254/16 dev "$bridge" && ip link set "$bridge" up || return 1
	for i in $(seq "$exporters"); do
		make_namespace "$i" || return 1
		ip netns exec "$bridge-$i" "$bin/bprof" export --name 'xdp_many_*' --listen "10.213.0.$i:9797" \
			2>"$work/exporter-$i" &
		pids+=($!)
		targets+="'10.213.0.$i:9797',"
	done
	cat >"$work/prometheus.yml" <<-END
		global: {scrape_interval: 10s, scrape_timeout: 10s}
		scrape_configs:
		  - job_name: bprof
		    static_configs: [{targets: [${targets%,}]}]
	END
	promtool check config "$work/prometheus.yml" || return 1
	prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" \
		--web.listen-address=127.0.0.1:9799 --log.level=warn 2>"$work/prometheus.log" &
	prometheus=$!
	pids+=("$prometheus")
}

# query EXPRESSION: prints the values of the answer, one per line
query()
{
	promtool query instant http://127.0.0.1:9799 "$1" | sed -nE 's/.*=> ([^ ]+) @.*/\1/p'
}

# is QUERY VALUE: waits until the query has this value
is()
{
	local value

	for _ in $(seq 60); do
		value=$(query "$1")
		[ "$value" != "$2" ] || return 0
		sleep 1
	done
	echo "$1 is '$value', not $2"
	return 1
}

load_programs()
{
	mkdir "$pins" && bpftool prog loadall "build/progs/many.bpf.o" "$pins"
}

# Runs ten programs again and again. The file $rounds has the number of rounds.
drive_programs()
{
	local ids end=$((SECONDS + seconds))

	ids=$("$bin/bprof" list --name 'xdp_many_00*' -j 2>/dev/null | python3 -c \
		"import json, sys; print(*[f\"{p['id']}:$runs\" for p in json.load(sys.stdin)['programs']])") || return 1
	rounds=0
	while [ "$SECONDS" -lt "$end" ]; do
		# shellcheck disable=SC2086 # split into words
		"$bin/tools/drive" testrun $ids || return 1
		rounds=$((rounds + 1))
	done
}

total_is_known()
{
	is "count(sum by (instance) (bprof_program_runs_total) == $((rounds * runs * 10)))" "$exporters"
}

no_resets()
{
	is 'sum(resets(bprof_program_runs_total[10m]))' 0
}

figures()
{
	local bytes rss

	echo "# scraped per exporter: $(query 'avg(scrape_samples_scraped)') samples in $(query 'avg(scrape_duration_seconds)') s" \
		"(longest: $(query 'max(max_over_time(scrape_duration_seconds[5m]))') s)"
	bytes=$(curl -s http://10.213.0.1:9797/metrics | wc -c)
	echo "# one scrape: $bytes bytes, $(curl -s -H 'Accept-Encoding: gzip' http://10.213.0.1:9797/metrics | wc -c) compressed"
	echo "# all exporters: CPU $(query 'sum(rate(process_cpu_seconds_total[1m]))') of a CPU, memory" \
		"$(query 'avg(process_resident_memory_bytes)') bytes each"
	rss=$(sed -n 's/^VmRSS:[[:space:]]*//p' "/proc/$prometheus/status")
	echo "# Prometheus: $(query 'sum(scrape_samples_post_metric_relabeling)') samples per scrape of all, $rss"
}

check "$programs programs are loaded" load_programs
check "$exporters exporters and Prometheus start" start_fleet
check "Prometheus scrapes all of them" is 'count(up == 1)' "$exporters"
check "programs run" drive_programs
echo "# $rounds rounds of $runs runs of 10 programs"
check "each exporter has counted each run" total_is_known
check "no counter went back" no_resets
figures
finish
