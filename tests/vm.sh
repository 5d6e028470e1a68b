#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tests scripts/vm and ktest with commands that hang, and with kernels that report a bug: what they end, what they
# continue, and which messages they print. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BPROF_VM_NO_BUILD=1
warning='echo "WARNING: CPU: 0 PID: 1 at kernel/none.c:1 none+0x1" >/dev/kmsg'

# vm STATUS OPTION... -- COMMAND...: checks the status; the output is in $work/out
vm()
{
	local want=$1 status=0

	shift
	scripts/vm --arch arm64 "$@" >"$work/out" 2>&1 || status=$?
	cat "$work/out"
	[ "$status" -eq "$want" ]
}

test_spins()
{
	vm 125 --silence 10 -- sh -c 'echo begun; while :; do :; done' &&
		grep -qx "scripts/vm: no output for 10 s: 'sh' hangs after \"begun\"; if it is only slow, raise the limit with --silence" \
			"$work/out"
}

# The output has the guest's processes, and the functions in which they wait.
test_sleeps()
{
	vm 125 --silence 10 --no-icount --smp 2 -- sh -c 'trap : ALRM; sleep 1000; sleep 1001' &&
		grep -q '^# process [0-9]*: sleep 100' "$work/out" && grep -q '^# .*nanosleep' "$work/out"
}

# The command takes longer than the limit, but prints lines all the time.
test_slow()
{
	# shellcheck disable=SC2016 # the guest expands it
	vm 0 --silence 10 --no-icount -- sh -c 'for i in 1 2 3 4 5 6; do sleep 2; echo $i; done'
}

# The tests that hang fail, and the test after them passes.
test_ktest()
{
	vm 1 --silence 10 -- ktest hang &&
		grep -q '^hangs: exec sh -c .echo before; exec sleep 1000000' "$work/out" && grep -q '^stdout: before$' "$work/out" &&
		grep -q '^not ok 1 - test_command_hangs' "$work/out" && grep -q '^hangs: false$' "$work/out" &&
		grep -q '^not ok 2 - test_condition_hangs' "$work/out" && grep -q '^ok 3 - test_after' "$work/out"
}

test_timeout()
{
	vm 125 --timeout 5 -- sh -c 'while :; do echo x; done' && grep -q 'timed out after 5 s' "$work/out"
}

test_splat()
{
	vm 125 -- sh -c "$warning" && grep -q '^scripts/vm: the kernel reports a bug, see above: .* none+0x1; ' "$work/out"
}

# If COMMAND fails, its status is returned, not that of the report in the log.
test_splat_of_failed()
{
	vm 7 -- sh -c "$warning; exit 7" && grep -q 'none+0x1' "$work/out"
}

test_splat_allowed()
{
	vm 0 --allow-splats -- sh -c "$warning" && grep -q 'none+0x1' "$work/out"
}

# Each kind of report, and lines that are no reports.
test_patterns()
{
	local line

	# shellcheck source=/dev/null
	sed -n "/^SPLATS=/p" scripts/vm >"$work/splats" && . "$work/splats" || return 1
	while read -r line; do
		grep -qE "$SPLATS" <<<"$line" || { echo "not seen: $line"; return 1; }
	done <<-'END'
		[ 1.0] BUG: kernel NULL pointer dereference, address: 0000000000000000
		[ 1.0] BUG: KASAN: slab-use-after-free in x+0x1/0x2
		[ 1.0] WARNING: CPU: 1 PID: 162 at kernel/bpf/trampoline.c:1 x+0x1/0x2
		[ 1.0] WARNING: kernel/bpf/trampoline.c:1 at x+0x1/0x2, CPU#1: bprof/162
		[ 1.0] WARNING: possible circular locking dependency detected
		[ 1.0] WARNING: suspicious RCU usage
		[ 1.0] INFO: task bprof:162 blocked for more than 120 seconds.
		[ 1.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
		[ 1.0] rcu: INFO: rcu_preempt self-detected stall on CPU
		[ 1.0] Oops: general protection fault, probably for non-canonical address 0xdead: 0000 [#1] SMP
		[ 1.0] Internal error: Oops: 0000000096000004 [#1] SMP
		[ 1.0] Unable to handle kernel NULL pointer dereference at virtual address 0000000000000000
		[ 1.0] watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [bprof:162]
		[ 1.0] kernel BUG at mm/slub.c:1!
		[ 1.0] list_del corruption. prev->next should be 0, but was 1
		[ 1.0] refcount_t: underflow; use-after-free.
		[ 1.0] UBSAN: array-index-out-of-bounds in kernel/bpf/core.c:1:2
	END
	while read -r line; do
		! grep -qE "$SPLATS" <<<"$line" || { echo "seen: $line"; return 1; }
	done <<-'END'
		[ 0.0] Kernel command line: console=ttyAMA0 quiet panic=-1 oops=panic nokaslr watchdog_thresh=60
		[ 0.0] rcu: 	RCU event tracing is enabled.
		[ 0.0] kasan: KernelAddressSanitizer initialized (generic)
		[ 0.0] **   WARNING_OF_ANOTHER_KIND
		[ 0.0] DEBUG: hello
	END
}

check "a command that spins" test_spins
check "a command that sleeps" test_sleeps
check "a slow command" test_slow
check "tests that hang" test_ktest
check "a limit on time" test_timeout
check "a WARNING in the kernel log" test_splat
check "a WARNING, and a command that fails" test_splat_of_failed
check "a WARNING that is allowed" test_splat_allowed
check "what is a bug of the kernel" test_patterns
finish
