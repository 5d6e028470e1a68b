#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The kernel tests: boots every kernel that bprof is tested on (scripts/vm), runs ktest in each, adds
# up. Each VM's output stays in build/test-logs. The last line is "N passed, N failed, N skipped"; exit
# status 1 unless none failed.
#
# usage: tests/kernel/run.sh [ARCH-KERNEL-MACHINE]…    for example: arm64-6.12-smp (default: all)
# JOBS: VMs at once; VM_TIMEOUT: seconds for each; KTEST_FILTER: only tests of that pattern

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/tap.sh
. "$root/tests/tap.sh"
logs=$root/build/test-logs
# A VM is one thread with icount, one for each vCPU without.
jobs=${JOBS:-$(nproc)}

# machine, kernel: the groups of tests
groups_of()
{
	case $1 in
	exact)
		echo exact net tree extensions thinning multiplex verifier interrupt system_accuracy system_options
		echo bench_exact bench_run bench_setup list_perf watch follow_exact trace_exact annotate samples
		# bperf takes Linux 5.15
		[ "$2" = 5.10 ] || echo system_cost perf perf_map
		# Real programs take the longest: as they are meant to be compared on the newer kernels, and as they are where
		# nothing is exact on the older (smp). They are of Linux 6.12, and 5.10 does not take them all.
		case $2 in 6.12 | 7.2) echo bench_real ;; esac
		echo contexts contexts_tree
		[ "$2" != 6.12 ] || echo lib
		echo lockdown_exact # for good, hence last
		;;
	exactpreempt) echo contexts contexts_tree ;;
	old) echo relations probes old list_perf watch ;;
	preempt) echo preempt nesting ;;
	smp)
		echo types targets scale foreign probes refusals nesting recursion signals cpus traffic output gate commands relations
		echo system_smp system_map system_limits system_crash system_users perf bench bench_use list_perf watch watch_cpus follow trace
		[ "$2" != 6.1 ] || echo bench_loads
		echo lockdown # for good, hence last
		;;
	esac
}

# machine: scripts/vm's options
options_of()
{
	case $1 in
	exact) echo --smp 1 ;;
	exactpreempt) echo --append preempt=full --smp 1 ;;
	old) echo --smp 2 --no-icount ;;
	preempt) echo --append preempt=full --smp 2 --no-icount ;;
	smp) echo --smp 4 --no-icount ;;
	esac
}

all_runs()
{
	local arch kernel machine

	echo x86_64-5.10-old # where probing some programs, or parts of them, is a risk
	# One with icount computes all the time, one of smp often sleeps: side by side they use the CPUs best.
	for kernel in 6.12 6.1; do
		for arch in arm64 x86_64; do
			echo "$arch-$kernel-smp"
			echo "$arch-$kernel-exact"
		done
	done
	echo arm64-7.2-exact
	echo x86_64-7.2-exact
	echo x86_64-5.10-exact
	for kernel in 6.12 6.1; do
		echo "x86_64-$kernel-preempt" # what the arm64 kernels are not built for
	done
	for kernel in 7.2 6.12 6.1; do
		echo "x86_64-$kernel-exactpreempt"
	done
}

build()
{
	local arch

	for arch in arm64 x86_64; do
		[[ " ${runs[*]}" == *" $arch-"* ]] || continue
		make -s -C "$root" -j "$(nproc)" STATIC=1 ARCH="$arch" vm-tools
		"$root/scripts/peers" "$arch" >"$root/build/$arch-static/peers"
	done
}

# One VM. Its log ends with a line "status N".
run_one()
{
	local arch kernel machine peers status=0 start=$SECONDS

	IFS=- read -r arch kernel machine <<<"$1"
	peers=$(cat "$root/build/$arch-static/peers")
	# shellcheck disable=SC2046 # these are words
	BPROF_VM_NO_BUILD=1 "$root/scripts/vm" --arch "$arch" --kernel "$kernel" \
		$(options_of "$machine") --timeout "${VM_TIMEOUT:-600}" \
		--add "$root/build/$arch-static/progs" --add "$xdp_tools" --add "$real" --add "$peers/perf" -- \
		env XDP_TOOLS_DIR=xdp-tools KTEST_FILTER="${KTEST_FILTER:-*}" \
		ktest $(groups_of "$machine" "$kernel") >"$logs/$1.log" 2>&1 || status=$?
	echo "seconds $((SECONDS - start))" >>"$logs/$1.log"
	echo "status $status" >>"$logs/$1.log"
}

# "passed failed skipped" of a log. A VM that ended otherwise than by its tests is a failure too.
count()
{
	awk '
		/^ok / && / # SKIP/ || /^not ok .* # SKIP/ { skipped++; next }
		/^ok / { passed++ }
		/^not ok / { failed++ }
		/^1\.\.[0-9]+/ { split($1, plan, /\.\./); planned += plan[2] }
		/^status / { status = $2 }
		END {
			ran = passed + failed + skipped
			if (ran < planned || !ran || (status != 0 && !failed))
				failed++
			print passed + 0, failed + 0, skipped + 0
		}' "$1"
}

main()
{
	local run passed failed skipped totals=(0 0 0) failures=()

	if [ $# -gt 0 ]; then runs=("$@"); else mapfile -t runs < <(all_runs); fi
	mkdir -p "$logs"
	xdp_tools=$("$root/scripts/fetch" xdp-tools)
	real=$("$root/tests/bench/real.sh")
	build
	export -f run_one options_of groups_of
	export root logs xdp_tools real
	printf '%s\n' "${runs[@]}" | xargs -P "$jobs" -I{} bash -c 'run_one {}'
	for run in "${runs[@]}"; do
		read -r passed failed skipped <<<"$(count "$logs/$run.log")"
		printf '%-20s %3d passed, %d failed, %d skipped (%d s)\n' "$run" "$passed" "$failed" "$skipped" \
			"$(sed -n 's/^seconds //p' "$logs/$run.log")"
		sed -n 's/^# skipped/    skipped/p' "$logs/$run.log"
		[ "$failed" -eq 0 ] || failures+=("$run")
		totals=($((totals[0] + passed)) $((totals[1] + failed)) $((totals[2] + skipped)))
	done
	# At the end, where one looks, and where a CI that keeps only the last lines has it.
	for run in "${failures[@]}"; do
		echo "$run:"
		tap_failures "$logs/$run.log"
	done
	echo "${totals[0]} passed, ${totals[1]} failed, ${totals[2]} skipped"
	[ "${totals[1]}" -eq 0 ]
}

main "$@"
