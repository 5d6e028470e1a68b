#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs in the VM of tests/export_hour.sh, for $1 seconds: programs with known traffic, bprof export, and
# Prometheus. Writes Prometheus' data to $OUT/data, what ran to $OUT/ran, and what bprof stat says to
# $OUT/stat.json.

end=$(($(date +%s) + $1))
rate=100 # packets per second
modprobe veth

# A program that stays, with steady traffic. Of 100 instructions.
steady()
{
	drive run --veth --obj progs/alu.bpf.o:xdp_alu_100 -- sh -c "
		while [ \$(date +%s) -lt $1 ]; do
			drive send \$IF_TX $((rate * 10)) $rate
		done"
}

# A program that drops at low cost and sends at high cost, in turn.
divided()
{
	drive run --veth --obj progs/retval.bpf.o:xdp_two -- sh -c "
		while [ \$(date +%s) -lt $end ]; do
			drive send \$IF_TX 200 20
		done"
}

# A program whose packets come in bursts, so that its probe takes turns: 3,000 each 100 ms.
bursts()
{
	drive run --obj progs/skb.bpf.o:tc_alu_1000 -- sh -c "
		while [ \$(date +%s) -lt $1 ]; do
			drive pace \$PROG_IDS 3000 100000 60000
		done"
}

# A program that is loaded, runs 500 times and is unloaded, again and again. Each fifth time it stays away for a
# minute, as if the process to which it belongs started again slowly.
reloaded()
{
	sent=0 loads=0
	while [ "$(date +%s)" -lt $((end - 30)) ]; do
		drive run --veth --obj progs/version_1.bpf.o:xdp_version -- sh -c "sleep 2; drive send \$IF_TX 500 50; sleep 1" || break
		sent=$((sent + 500)) loads=$((loads + 1))
		echo "version $(date +%s) $sent $loads" >>"$OUT/ran"
		tail -n 1 "$OUT/ran" # so that scripts/vm sees that this goes on
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
