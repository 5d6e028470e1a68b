#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Makes the bugs of docs/kernel-bugs.md happen without bprof. "drive probe" attaches probes that bprof refuses, and the
# kernel must crash. If it does not crash, bprof's check is no longer needed. Prints TAP.
# shellcheck disable=SC2016,SC2317 # the guest expands variables; check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for arch in arm64 x86_64; do
	make -s STATIC=1 ARCH=$arch vm-tools || exit 1
done
export BPROF_VM_NO_BUILD=1

# vm STATUS ARCH KERNEL COMMAND: checks the status; the output is in $work/out
vm()
{
	local want=$1 status=0

	scripts/vm --arch "$2" --kernel "$3" --no-icount --add "build/progs" -- sh -c "$4" >"$work/out" 2>&1 || status=$?
	cat "$work/out"
	[ "$status" -eq "$want" ]
}

# throw STATUS ARCH KERNEL FUNCTION: probes a function of a program while every second run throws
throw()
{
	vm "$1" "$2" "$3" \
		"cd progs && drive run --obj throws.bpf.o:throw_deep -- sh -c 'drive probe \$PROG_IDS $4 drive testrun \$PROG_IDS:100'"
}

panics_in_throw()
{
	throw 125 "$@" && grep -q 'Kernel panic' "$work/out" && grep -q 'bpf_trampoline_\|bpf_throw+' "$work/out"
}

# Probes of these functions do not crash the kernel, because no exception leaves the functions.
harmless()
{
	throw 0 "$1" "$2" throw_deep && throw 0 "$1" "$2" quiet
}

# Linux 5.10: the verifier reads a NULL pointer.
oopses_in_verifier()
{
	vm 125 x86_64 5.10 "cd progs && drive run --obj lsm.bpf.o -- sh -c 'drive probe \$PROG_IDS lsm_getsid true'" &&
		grep -q 'RIP: 0010:do_check_common' "$work/out"
}

# tail_loop STATUS FUNCTION: probes a function of a program that tail-calls itself on Linux 5.10
tail_loop()
{
	vm "$1" x86_64 5.10 \
		"cd progs && drive run --obj tailloop.bpf.o:tail_loop -- sh -c 'drive probe \$PROG_IDS $2 drive testrun \$PROG_IDS:10'"
}

overflows_stack()
{
	tail_loop 125 sub_loop && grep -q 'Kernel panic' "$work/out" && grep -q 'bpf_trampoline_' "$work/out"
}

# interpreter STATUS ARCH KERNEL: probes a program that the kernel interprets, because the JIT was turned off
interpreter()
{
	vm "$1" "$2" "$3" \
		"cd progs && drive run --obj alu.bpf.o:xdp_alu_0 -- sh -c 'echo 0 >/proc/sys/net/core/bpf_jit_enable; drive probe \$PROG_IDS xdp_alu_0 drive testrun \$PROG_IDS:100'"
}

panics_in_interpreter()
{
	interpreter 125 "$@" && grep -q 'Kernel panic' "$work/out" && grep -q '__bpf_prog_run' "$work/out"
}

# Runs an interpreted program without any probe or bprof
panics_in_test_run()
{
	vm 125 arm64 6.12 \
		"cd progs && echo 0 >/proc/sys/net/core/bpf_jit_enable; drive run --obj task.bpf.o -- sh -c 'drive testrun \$PROG_IDS:1'" &&
		grep -q 'Kernel panic' "$work/out" && grep -q '__bpf_prog_run' "$work/out"
}

refuses_to_interpret()
{
	interpreter 1 "$@" && grep -q 'loading the probe' "$work/out"
}

for vm in arm64-6.12 x86_64-6.12 x86_64-7.2; do
	check "throw: $vm panics, inner" panics_in_throw "${vm%-*}" "${vm#*-}" inner
	check "throw: $vm panics, outer" panics_in_throw "${vm%-*}" "${vm#*-}" outer
	check "throw: $vm, other functions" harmless "${vm%-*}" "${vm#*-}"
done
check "attach_proto: x86_64-5.10 oopses" oopses_in_verifier
check "tail_calls: x86_64-5.10 overflows its stack" overflows_stack
check "interpreter: arm64-6.12 panics" panics_in_interpreter arm64 6.12
check "interpreter: arm64-6.12 panics in a test run" panics_in_test_run
check "interpreter: arm64-7.2 refuses the probe" refuses_to_interpret arm64 7.2
check "interpreter: x86_64-6.12 runs it" interpreter 0 x86_64 6.12
check "tail_calls: x86_64-5.10, the entry function" tail_loop 0 tail_loop
finish
