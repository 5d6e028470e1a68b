#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# In the VM of tests/export_hour.sh, runs programs with known traffic, bprof export and Prometheus for $1
# seconds. Writes Prometheus' data to $OUT/data, the loads and packets to $OUT/ran, and reports of bprof stat to
# $OUT/stat.json and $OUT/bursts.json.

end=$(($(date +%s) + $1))
rate=100 # packets per second
modprobe veth

# A program of 100 instructions that stays loaded and has steady traffic, until the time $1.
steady()
{
	drive run --veth --obj progs/alu.bpf.o:xdp_alu_100 -- sh -c "
		while [ \$(date +%s) -lt $1 ]; do
			drive send \$IF_TX $((rate * 10)) $rate
		done"
}

# A program that alternately drops a packet at low cost and sends one back at high cost.
divided()
{
	drive run --veth --obj progs/retval.bpf.o:xdp_two -- sh -c "
		while [ \$(date +%s) -lt $end ]; do
			drive send \$IF_TX 200 20
		done"
}

# A program that runs in bursts, 3,000 times each 100 ms, until the time $1. To limit the overhead, bprof attaches its
# probe only some of the time.
bursts()
{
	drive run --obj progs/skb.bpf.o:tc_alu_1000 -- sh -c "
		while [ \$(date +%s) -lt $1 ]; do
			drive pace \$PROG_IDS 3000 100000 60000
		done"
}

# A program that is loaded, runs 500 times and is unloaded, again and again. Each fifth time, the next load is a minute
# later, as if the process that loads the program needed this time to restart.
reloaded()
{
	sent=0 loads=0
	while [ "$(date +%s)" -lt $((end - 30)) ]; do
		drive run --veth --obj progs/version_1.bpf.o:xdp_version -- sh -c "sleep 2; drive send \$IF_TX 500 50; sleep 1" || break
		sent=$((sent + 500)) loads=$((loads + 1))
		echo "version $(date +%s) $sent $loads" >>"$OUT/ran"
		tail -n 1 "$OUT/ran" # scripts/vm ends a VM that prints nothing
		[ $((loads % 5)) -ne 0 ] || sleep 60
	done
}

bprof export --type xdp,sched_cls -e time,msr/tsc/ --by retval 2>"$OUT/export.log" &
export=$!
hour/ld-linux-x86-64.so.2 --library-path hour hour/prometheus --config.file=hour/prometheus.yml \
	--storage.tsdb.path="$OUT/data" --log.level=warn 2>"$OUT/prometheus.log" &
prometheus=$!
sleep 60
steady $((end + 180)) &
steady=$!
bursts $((end + 180)) &
bursts=$!
divided &
reloaded
wait_until=$((end + 60))
while [ "$(date +%s)" -lt $wait_until ]; do
	sleep 5
done
echo "end $(date +%s)" >>"$OUT/ran"
kill $prometheus
wait $prometheus
echo "export $(grep -c . "$OUT/export.log") lines" >>"$OUT/ran"
kill $export
wait $export
echo "status $?" >>"$OUT/ran"
bprof stat --name xdp_alu_100 -e time,msr/tsc/ --timeout 60s -j >"$OUT/stat.json"
bprof stat --name tc_alu_1000 -e time --timeout 5s -j >"$OUT/bursts.json"
wait $steady $bursts
