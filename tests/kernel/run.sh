#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The kernel tests: boots every kernel that bprof is tested on (scripts/vm), runs ktest in each, and sums
# the results. Each VM's output is kept in build/test-logs. The last line is "N passed, N failed, N
# skipped"; the exit status is 1 if any failed.
#
# usage: tests/kernel/run.sh [--long | ARCH-KERNEL-MACHINE…]    for example: arm64-6.12-smp
# Without arguments: the VMs of "make check". --long: the others, those of "make check-long".
# JOBS: number of VMs that run at the same time; VM_TIMEOUT: time limit for each VM in seconds;
# KTEST_FILTER: run only the tests that match this pattern; GCOV_DIR: run a bprof with gcc's counters of
# lines and branches, and copy the counters of each VM to this directory (scripts/coverage)

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/tap.sh
. "$root/tests/tap.sh"
logs=$root/build/test-logs
# scripts/vm runs a VM in one thread.
jobs=${JOBS:-$(nproc)}

# groups_of MACHINE KERNEL: prints the groups of tests that run on this machine with this kernel
groups_of()
{
	case $1 in
	exact)
		echo exact net tree extensions thinning multiplex retval verifier interrupt system_accuracy system_options
		echo bench_exact bench_run bench_setup bench_objects bench_suite list_perf watch follow_exact export_exact scale_exact trace_exact annotate samples
		# bperf needs Linux 5.15
		[ "$2" = 5.10 ] || echo system_cost perf perf_map
		# bench_real compares exact counts of real programs and takes the longest: only the newer kernels run it.
		# 6.1 runs bench_loads (smp), without exact counts. 5.10 refuses some of the programs.
		case $2 in 6.12 | 7.2) echo bench_real ;; esac
		echo contexts contexts_tree
		[ "$2" != 6.12 ] || echo lib
		echo lockdown_exact # cannot be undone, hence last
		;;
	exactpreempt) echo contexts contexts_tree ;;
	old) echo relations probes old list list_perf watch ;;
	preempt) echo preempt nesting ;;
	smp)
		echo types targets scale foreign probes refusals nesting recursion signals cpus traffic output gate commands relations
		echo retval_traffic
		echo system_smp system_map system_limits system_crash system_users perf bench bench_use list list_perf watch watch_cpus follow export trace top
		[ "$2" != 6.1 ] || echo bench_loads
		echo lockdown # cannot be undone, hence last
		;;
	esac
}

# options_of MACHINE: prints the options of scripts/vm for this machine
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

short_runs()
{
	echo x86_64-5.10-old # on this kernel it is a risk to probe some programs and functions
	# An exact VM (-icount) never sleeps, an smp VM often does: one of each at the same time uses the CPUs best.
	echo arm64-6.12-smp
	echo arm64-6.12-exact
	echo x86_64-7.2-smp # preempts lazily (PREEMPT_LAZY); 6.1 and 6.12 do not
	echo x86_64-6.12-exact
	echo arm64-6.1-smp
	echo arm64-7.2-exact
	echo x86_64-7.2-exact
	echo x86_64-6.12-preempt # the arm64 kernels do not support preempt=full
	echo x86_64-7.2-exactpreempt
}

# These VMs rarely find an error that the VMs of short_runs() do not find: arm64-6.1-smp has the same
# kernel version with several CPUs, arm64-6.12-smp the same one on the other architecture, x86_64-7.2-smp
# and x86_64-6.12-preempt the same architecture, and x86_64-5.10-old runs what differs most on 5.10.
long_runs()
{
	echo x86_64-6.12-smp
	echo x86_64-6.1-smp
	echo arm64-6.1-exact
	echo x86_64-6.1-preempt
	echo x86_64-6.1-exact
	echo x86_64-6.12-exactpreempt
	echo x86_64-6.1-exactpreempt
	echo x86_64-5.10-exact
}

build()
{
	local arch

	for arch in arm64 x86_64; do
		[[ " ${runs[*]}" == *" $arch-"* ]] || continue
		make -s -C "$root" -j "$(nproc)" STATIC=1 ARCH="$arch" vm-tools
		[ -z "${GCOV_DIR:-}" ] || make -s -C "$root" -j "$(nproc)" STATIC=1 COVERAGE=1 ARCH="$arch" \
			"build/$arch-static-coverage/bprof"
		"$root/scripts/peers" "$arch" >"$root/build/$arch-static/peers"
	done
}

# Runs one VM. Its log ends with a line "status N".
run_one()
{
	local arch kernel machine peers status=0 start=$SECONDS

	IFS=- read -r arch kernel machine <<<"$1"
	peers=$(cat "$root/build/$arch-static/peers")
	# shellcheck disable=SC2046 # the output is split into words
	BPROF_VM_NO_BUILD=1 "$root/scripts/vm" --arch "$arch" --kernel "$kernel" \
		$(options_of "$machine") --timeout "${VM_TIMEOUT:-1800}" \
		--add "$root/build/$arch-static/progs" --add "$xdp_tools" --add "$real" --add "$peers/perf" \
		${GCOV_DIR:+--add "$root/build/$arch-static-coverage/bprof" --out "$GCOV_DIR/$1"} -- \
		env ${GCOV_DIR:+PATH=/w:/tools:/bin GCOV_PREFIX=/out} XDP_TOOLS_DIR=xdp-tools KTEST_FILTER="${KTEST_FILTER:-*}" \
		ktest $(groups_of "$machine" "$kernel") >"$logs/$1.log" 2>&1 || status=$?
	echo "seconds $((SECONDS - start))" >>"$logs/$1.log"
	echo "status $status" >>"$logs/$1.log"
}

# Prints "passed failed skipped" of a log. A VM that did not end with its tests counts as a failure, too.
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

	case ${1:-} in
	--long) mapfile -t runs < <(long_runs) ;;
	'') mapfile -t runs < <(short_runs) ;;
	*) runs=("$@") ;;
	esac
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
	# Failures are shown last: readers look there, and a CI may keep only the last lines.
	for run in "${failures[@]}"; do
		echo "$run:"
		tap_failures "$logs/$run.log"
	done
	echo "${totals[0]} passed, ${totals[1]} failed, ${totals[2]} skipped"
	[ "${totals[1]}" -eq 0 ]
}

main "$@"
