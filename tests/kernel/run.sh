#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The kernel tests: boots every kernel that bprof is tested on (scripts/vm), runs ktest in each, and sums
# the results. Each VM's output is kept in build/test-logs. The last line is "N passed, N failed, N
# skipped"; the exit status is 1 if any failed.
#
# usage: tests/kernel/run.sh [--long | --debug] [ARCH-KERNEL-KIND…]    for example: arm64-6.12-smp
#        tests/kernel/run.sh --matrix
#        tests/kernel/run.sh --fetch | --build | --list | --one [--long] [ARCH-KERNEL-KIND…]    for scripts/check
# Without ARCH-KERNEL-KIND, uses all machines. Runs the tests of "make check" on each machine or, with --long, the tests
# that only "make check-long" runs. Each test has properties that say on which machines it runs (tests/kernel/ktest.h);
# --matrix prints the tests with their machines.
# --debug: uses a kernel that looks for its own bugs, x86_64-debug-smp (scripts/debug-kernel).
# --fetch: downloads the kernels and programs for the VMs. --build: builds bprof and its test tools for the VMs.
# --list: prints the names of the machines.
# --one: runs one VM, after --fetch and --build, and prints its output.
# JOBS: number of VMs that run at the same time; KTEST_FILTER: run only the tests that match this
# pattern; GCOV_DIR: run a bprof with gcc's counters of lines and branches, and copy the counters of
# each VM to this directory (scripts/coverage)

set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
logs=$root/build/test-logs
# shellcheck source=tests/pool.sh
. "$root/tests/pool.sh"

# options_of KIND: prints the options of scripts/vm for this kind of machine
options_of()
{
	case $1 in
	exact) echo --smp 1 ;;
	exactpreempt) echo --append preempt=full --smp 1 ;;
	# On x86-64, possible_cpus= can add CPUs in Linux 6.1; in newer kernels, it can only leave some out. A test with
	# 20,000 processes takes many minutes.
	cpus512) echo --append possible_cpus=512 --smp 1 --mem 4096 --silence 1200 ;;
	preempt) echo --append preempt=full --smp 2 --no-icount ;;
	old) echo --smp 2 --no-icount ;;
	smp) echo --smp 4 --no-icount ;;
	esac
}

# Prints the machines of "make check" as ARCH-KERNEL-KIND:PART. The part is all tests of the machine, only those with
# ALSO_X86 (x86), or only those with ALSO_NEWEST (newest). The longest come first, so that all CPUs are busy until the
# end.
short_runs()
{
	echo arm64-6.12-smp:all
	echo arm64-6.12-exact:all
	echo x86_64-7.2-smp:newest # preempts lazily (PREEMPT_LAZY); 6.1 and 6.12 do not
	echo x86_64-6.12-exact:x86
	echo x86_64-7.2-exact:newest
	echo x86_64-5.10-old:all # on this kernel it is a risk to probe some programs and functions
	echo x86_64-6.12-preempt:all # the arm64 kernels do not support preempt=full
}

# part_of MACHINE: prints MACHINE:PART, with the part of the tests that "make check" runs there
part_of()
{
	short_runs | grep -x "$1:.*" || echo "$1:none"
}

# Prints the machines that only "make check-long" uses, because they rarely find an error that the machines of "make
# check" do not find.
long_runs()
{
	echo arm64-6.1-smp # the oldest kernel with probes on arm64; without those on kernel functions
	echo x86_64-6.12-smp
	echo arm64-7.3-exact # the newest kernel that Debian has
	echo x86_64-6.1-smp
	echo x86_64-7.3-smp
	echo arm64-6.1-exact
	echo x86_64-6.1-preempt
	echo x86_64-6.1-exact
	echo x86_64-6.1-cpus512 # few of many possible CPUs are online; thousands of targets and processes
	echo x86_64-7.2-exactpreempt
	echo x86_64-6.12-exactpreempt
	echo x86_64-6.1-exactpreempt
	echo x86_64-5.10-exact
	echo riscv64-6.12-exact
}

# Prints the directory with the programs for VMs of an architecture (scripts/vm).
build_of()
{
	case $1 in
	riscv64) echo "$root/build/$1" ;;
	*) echo "$root/build/$1-static" ;;
	esac
}

# fetch VM…: downloads kernels and real programs for these VMs, and builds perf, which only "make check-long" needs
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
		[[ -n $rest && " $*" == *" $arch-"* ]] || continue
		mkdir -p "$(build_of "$arch")"
		"$root/scripts/peers" "$arch" perf >"$(build_of "$arch")/peers"
	done
	"$root/scripts/fetch" xdp-tools >/dev/null
	"$root/tests/bench/real.sh" >/dev/null
}

# build VM…: builds bprof and its test tools for these VMs
build()
{
	local arch

	[[ " $*" != *" riscv64-"* ]] || make -s -C "$root" -j "$(nproc)" ARCH=riscv64 vm-tools
	for arch in arm64 x86_64; do
		[[ " $*" == *" $arch-"* ]] || continue
		make -s -C "$root" -j "$(nproc)" STATIC=1 ARCH="$arch" vm-tools
		[ -z "${GCOV_DIR:-}" ] || make -s -C "$root" -j "$(nproc)" STATIC=1 COVERAGE=1 ARCH="$arch" \
			"build/$arch-static-coverage/bprof"
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

# run_vm MACHINE: runs the tests of "make check" for this machine or, if $rest is set, its other tests
run_vm()
{
	local arch kernel kind bin counted peers='' options=(--mem 1024) gcov=()

	IFS=- read -r arch kernel kind <<<"$1"
	# The debug kernel's checks make it slow. no5lvl: during identify_cpu() (arch/x86/kernel/cpu/common.c), the kernel
	# takes addresses of five-level page tables for invalid, and KASAN would report an interrupt in this time.
	[ "$kernel" != debug ] || { kernel=$("$root/scripts/debug-kernel") && options=(--append no5lvl --mem 3072 --silence 1800); }
	bin=$(build_of "$arch")
	counted=$root/build/$arch-static-coverage
	[ -z "${GCOV_DIR:-}" ] || gcov=(--add "$counted/bprof" --out "$GCOV_DIR/$1")
	# No group that runs on riscv64 needs perf.
	[ ! -e "$bin/peers" ] || peers=$(cat "$bin/peers")
	# shellcheck disable=SC2046,SC2086 # the output is split into words
	BPROF_VM_NO_BUILD=1 "$root/scripts/vm" --arch "$arch" --kernel "$kernel" "${options[@]}" $(options_of "$kind") \
		--add "$root/build/progs" --add "$("$root/scripts/fetch" xdp-tools)" --add "$root/build/real" ${peers:+--add "$peers/perf"} \
		"${gcov[@]}" -- \
		${GCOV_DIR:+sh -c 'umask 0; exec "$@"' sh} env ${GCOV_DIR:+PATH=/w:/tools:/bin GCOV_PREFIX=/out} XDP_TOOLS_DIR=xdp-tools KTEST_FILTER="${KTEST_FILTER:-*}" \
		${BPROF_KILLS:+BPROF_KILLS="$BPROF_KILLS"} ktest --on "$(part_of "$1")" $rest | stamp
}

mapfile -t short < <(short_runs | cut -d : -f 1)
mapfile -t all < <(short_runs | cut -d : -f 1; long_runs)
rest=
action=
case ${1:-} in
--fetch | --build | --list | --one | --matrix) action=$1; shift ;;
esac
runs=("${short[@]}")
case ${1:-} in
--long)
	shift
	rest=--rest
	export BPROF_KILLS=250 # in each VM that runs the group signals
	runs=("${all[@]}")
	;;
--debug) shift; rest=--rest; runs=(x86_64-debug-smp) ;; # the checks of this kernel make exact costs meaningless
esac
[ $# -eq 0 ] || runs=("$@")
case $action in
--fetch) fetch "${runs[@]}"; exit ;;
--build) build "${runs[@]}"; exit ;;
--list) printf '%s\n' "${runs[@]}"; exit ;;
--one) run_vm "${runs[0]}"; exit ;;
--matrix)
	arch=$(uname -m | sed s/aarch64/arm64/)
	make -s -C "$root" -j "$(nproc)" STATIC=1 "build/$arch-static/tools/ktest"
	mapfile -t runs < <(short_runs; long_runs | sed 's/$/:none/')
	exec "$root/build/$arch-static/tools/ktest" --matrix "${runs[@]}"
	;;
esac
mkdir -p "$logs"
fetch "${runs[@]}"
build "${runs[@]}"
for vm in "${runs[@]}"; do
	beside "$vm" run_vm "$vm"
done
finish_steps
