#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The kernel tests: boots every kernel that bprof is tested on (scripts/vm), runs ktest in each, and sums
# the results. Each VM's output is kept in build/test-logs. The last line is "N passed, N failed, N
# skipped"; the exit status is 1 if any failed.
#
# usage: tests/kernel/run.sh [--long | --debug | ARCH-KERNEL-MACHINE…]    for example: arm64-6.12-smp
#        tests/kernel/run.sh --fetch | --build | --list | --one ARCH-KERNEL-MACHINE    for scripts/check
# Without arguments: the VMs of "make check". --long: the others, those of "make check-long".
# --debug: a kernel that looks for its own bugs, x86_64-debug-smp (scripts/debug-kernel).
# --fetch: downloads what the VMs of "make check" need, and builds what is not part of bprof. --build: builds
# bprof and its test tools for them. --list: prints the names of these VMs. --one: runs one VM, after --fetch
# and --build, and prints its output.
# JOBS: number of VMs that run at the same time; KTEST_FILTER: run only the tests that match this
# pattern; GCOV_DIR: run a bprof with gcc's counters of lines and branches, and copy the counters of
# each VM to this directory (scripts/coverage)

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
logs=$root/build/test-logs
# shellcheck source=tests/pool.sh
. "$root/tests/pool.sh"

# groups_of MACHINE KERNEL ARCH: prints the groups of tests that run on this machine with this kernel
groups_of()
{
	case $3-$1 in
	riscv64-exact) echo bench_loaded types exact net extensions gate verifier; return ;;
	s390x-runstats) echo interpreted list watch_interpreted; return ;; # Debian's kernel has no JIT there, and QEMU no PMU
	esac
	case $1 in
	exact)
		echo exact kernel_bugs_exact self_test gate net tree tree_roots extensions thinning multiplex retval verifier interrupt system_accuracy system_options
		echo bench_exact bench_run bench_setup bench_objects bench_suite list_perf watch follow_exact not_slowed slowed export_exact scale_exact trace_exact annotate record samples
		# bperf needs Linux 5.15
		[ "$2" = 5.10 ] || echo system_cost perf perf_map
		# bench_real compares exact counts of real programs and takes the longest: only the newer kernels run it.
		# 5.10 refuses some of the programs.
		case $2 in 6.12 | 7.[23]) echo bench_real ;; esac
		# These take long, and hardly depend on the kernel's version.
		[ "$2" != 6.12 ] || echo overhead bursts top_change
		[ "$2" != 7.2 ] || echo overhead_long bursts_long rates_long
		echo contexts contexts_tree newer_btf
		[ "$2" != 6.12 ] || echo lib
		echo lockdown_exact # cannot be undone, hence last
		;;
	# What depends on the architecture, or on the newest kernel: in "make check", the arm64 VMs run the rest. Linux 7.2's
	# verifier takes three times as long as 6.12's.
	exactnew) echo exact net tree_roots slowed verifier newer_btf ;;
	exactfew)
		echo exact kernel_bugs_exact self_test gate net tree tree_roots extensions retval verifier interrupt
		echo bench_exact trace_exact samples contexts contexts_tree lockdown_exact
		;;
	smpfew)
		echo types kernel_bugs probes nesting cpus traffic privileges retval_traffic
		echo system_map perf attached lockdown
		;;
	exactpreempt) echo contexts contexts_tree preempt ;;
	# Linux 6.1 on x86-64 adds CPUs to the possible ones with possible_cpus=; newer kernels only leave some out.
	cpus512) echo exact net tree thinning retval system_accuracy trace_exact export_exact scale scale_exact scale_long ;;
	old) echo attached relations probes old trace_bare list list_perf watch ;;
	preempt) echo preempt nesting ;;
	smp)
		echo types targets kernel_bugs scale foreign probes nesting recursion signals cpus traffic commands privileges relations
		echo retval_traffic
		echo system_smp system_map system_limits system_crash system_users perf bench list list_perf watch watch_cpus
		echo refusals follow trace trace_bare attached output bench_use export top rates
		# bench_loads: real programs, without exact counts; bench_real has these on the newer kernels. The others take
		# long, and hardly depend on the kernel's version. bzImage: the debug kernel
		case $2 in 6.1 | */bzImage-*) echo bench_loads top_long scale_many system_limits_long ;; esac
		echo lockdown # cannot be undone, hence last
		;;
	esac
}

# options_of MACHINE: prints the options of scripts/vm for this machine
options_of()
{
	case $1 in
	exact | exactfew | exactnew) echo --smp 1 ;;
	exactpreempt) echo --append preempt=full --smp 1 ;;
	cpus512) echo --append possible_cpus=512 --smp 1 ;;
	old) echo --smp 2 --no-icount ;;
	preempt) echo --append preempt=full --smp 2 --no-icount ;;
	runstats) echo --smp 2 --no-icount ;;
	smp | smpfew) echo --smp 4 --no-icount ;;
	esac
}

# Both architectures with one CPU and exact counts and with several CPUs, the newest kernel, and the oldest.
short_runs()
{
	# The longest first, so that all CPUs are busy until the end.
	echo arm64-6.12-smp
	echo arm64-6.12-exact
	echo x86_64-7.2-smpfew # preempts lazily (PREEMPT_LAZY); 6.1 and 6.12 do not
	echo x86_64-6.12-exactfew
	echo x86_64-7.2-exactnew
	echo x86_64-5.10-old # on this kernel it is a risk to probe some programs and functions
	echo x86_64-6.12-preempt # the arm64 kernels do not support preempt=full
}

# These VMs rarely find an error that the VMs of short_runs() do not find.
long_runs()
{
	echo arm64-6.1-smp # the oldest kernel with probes on arm64; without those on kernel functions
	echo x86_64-7.2-smp
	echo x86_64-6.12-smp
	echo arm64-7.3-exact # the newest kernel that Debian has
	echo x86_64-6.1-smp
	echo x86_64-7.3-smp
	echo arm64-7.2-exact
	echo x86_64-7.2-exact
	echo x86_64-6.12-exact
	echo arm64-6.1-exact
	echo x86_64-6.1-preempt
	echo x86_64-6.1-exact
	echo x86_64-6.1-cpus512 # few of many possible CPUs are online; thousands of targets and processes
	echo x86_64-7.2-exactpreempt
	echo x86_64-6.12-exactpreempt
	echo x86_64-6.1-exactpreempt
	echo x86_64-5.10-exact
	echo riscv64-6.12-exact
	echo s390x-6.12-runstats # big-endian
}

# Prints the directory with what is built for an architecture (scripts/vm).
build_of()
{
	case $1 in
	riscv64) echo "$root/build/$1" ;;
	*) echo "$root/build/$1-static" ;;
	esac
}

# fetch VM…: kernels, perf, and real programs for these VMs
fetch()
{
	local vm arch kernel

	for vm; do
		IFS=- read -r arch kernel _ <<<"$vm"
		if [ "$kernel" = debug ]; then
			"$root/scripts/debug-kernel" >/dev/null
		else
			# A kernel that cannot be downloaded fails its own VM only.
			"$root/scripts/fetch" kernel "$kernel" "$arch" >/dev/null || true
		fi
	done
	for arch in arm64 x86_64; do
		[[ " $*" == *" $arch-"* ]] || continue
		mkdir -p "$(build_of "$arch")"
		"$root/scripts/peers" "$arch" perf >"$(build_of "$arch")/peers"
	done
	"$root/scripts/fetch" xdp-tools >/dev/null
	"$root/tests/bench/real.sh" >/dev/null
}

# build VM…: bprof and its test tools for these VMs
build()
{
	local arch

	[[ " $*" != *" riscv64-"* ]] || make -s -C "$root" -j "$(nproc)" ARCH=riscv64 vm-tools
	[[ " $*" != *" s390x-"* ]] || make -s -C "$root" -j "$(nproc)" STATIC=1 ARCH=s390x vm-tools
	for arch in arm64 x86_64; do
		[[ " $*" == *" $arch-"* ]] || continue
		make -s -C "$root" -j "$(nproc)" STATIC=1 ARCH="$arch" vm-tools
		[ -z "${GCOV_DIR:-}" ] || make -s -C "$root" -j "$(nproc)" STATIC=1 COVERAGE=1 ARCH="$arch" \
			"build/$arch-static-coverage/"{bprof,tools/measure_xdp,tools/host_process}
	done
}

# stamp: copies TAP, and adds to the end of each group how long the group took
stamp()
{
	local line began=$SECONDS

	while IFS= read -r line || [ -n "$line" ]; do
		case $line in
		'# ok - '* | '# not ok - '*) line+=" ($((SECONDS - began)) s)" && began=$SECONDS ;;
		esac
		printf '%s\n' "$line"
	done
}

# run_vm VM: runs the tests of one VM
run_vm()
{
	local arch kernel machine bin counted peers='' options=(--mem 1024) gcov=()

	IFS=- read -r arch kernel machine <<<"$1"
	[ "$machine" != cpus512 ] || options=(--mem 4096 --silence 1200) # 20,000 processes take many minutes
	# The checks of this kernel make it slow. no5lvl: while it looks at the first CPU's features, it takes addresses of
	# five levels for wild, and KASAN reports an interrupt of that time (arch/x86/kernel/cpu/common.c, identify_cpu()).
	[ "$kernel" != debug ] || { kernel=$("$root/scripts/debug-kernel") && options=(--append no5lvl --mem 3072 --silence 1800); }
	bin=$(build_of "$arch")
	# The programs of the group lib contain bprof, too.
	counted=$root/build/$arch-static-coverage
	[ -z "${GCOV_DIR:-}" ] || gcov=(--add "$counted/bprof" --add "$counted/tools/measure_xdp" \
		--add "$counted/tools/host_process" --out "$GCOV_DIR/$1")
	# No group that runs on riscv64 or s390x needs perf.
	[ ! -e "$bin/peers" ] || peers=$(cat "$bin/peers")
	# shellcheck disable=SC2046 # the output is split into words
	BPROF_VM_NO_BUILD=1 "$root/scripts/vm" --arch "$arch" --kernel "$kernel" $(options_of "$machine") "${options[@]}" \
		--add "$bin/progs" --add "$("$root/scripts/fetch" xdp-tools)" --add "$root/build/real" ${peers:+--add "$peers/perf"} \
		"${gcov[@]}" -- \
		${GCOV_DIR:+sh -c 'umask 0; exec "$@"' sh} env ${GCOV_DIR:+PATH=/w:/tools:/bin GCOV_PREFIX=/out} XDP_TOOLS_DIR=xdp-tools KTEST_FILTER="${KTEST_FILTER:-*}" \
		${BPROF_KILLS:+BPROF_KILLS="$BPROF_KILLS"} ktest $(groups_of "$machine" "$kernel" "$arch") | stamp
}

case ${1:-} in
--fetch) mapfile -t runs < <(short_runs); fetch "${runs[@]}"; exit ;;
--build) mapfile -t runs < <(short_runs); build "${runs[@]}"; exit ;;
--list) short_runs; exit ;;
--one) run_vm "$2"; exit ;;
--long)
	mapfile -t runs < <(long_runs)
	export BPROF_KILLS=250 # in each VM that runs the group signals
	;;
--debug) runs=(x86_64-debug-smp) ;; # its own checks make exact costs meaningless
'') mapfile -t runs < <(short_runs) ;;
*) runs=("$@") ;;
esac
mkdir -p "$logs"
fetch "${runs[@]}"
build "${runs[@]}"
for vm in "${runs[@]}"; do
	beside "$vm" run_vm "$vm"
done
finish_steps
