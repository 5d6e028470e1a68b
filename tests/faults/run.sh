#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Lets the library and system calls of bprof's commands fail in turn (tests/faults/campaign.c). Commands that
# need no kernel run on this machine, with ASan and LSan. All commands run in a VM, in a static program.
# Commands that attach probes also run with ASan and LSan, in a VM of this machine's architecture, because
# this machine's kernel may refuse probes. Prints TAP.
#
# usage: tests/faults/run.sh [--long | --gcov DIR] [ARCH KERNEL]
# Without --long: takes only the commands that need no kernel, and lets some of their calls fail.
# --long ("make check-long"): lets one call of each distinct stack fail. Repeats this with all later calls
# failing, with interrupted calls, and with objects that vanish or grow in the kernel. If run by root, also
# runs the commands that need BPF on this machine.
# --gcov DIR (scripts/coverage): runs all commands in a VM, in a static bprof with gcc's counters of lines and
# branches. Copies the counters to DIR, DIR-on, DIR-vanish, DIR-grow and DIR-intr.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

long='' gcov=''
case ${1:-} in
--long) long=yes; shift ;;
--gcov) gcov=$2; shift 2 ;;
esac
arch=${1:-arm64} kernel=${2:-6.12}
host=$(uname -m | sed s/aarch64/arm64/)
native=$PWD/build/$host-asan guest=$PWD/build/$arch-static${gcov:+-coverage}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
inputs=$work/inputs
failed=0

build() {
	make -s -j"$(nproc)" FAULTS=1 || return 1
	# Without --long, only checks that make knows how to build the static programs.
	[ -n "$long$gcov" ] || { make -n STATIC=1 ARCH="$arch" FAULTS=1 >/dev/null; return; }
	# scripts/vm adds the static bprof of its architecture to each VM.
	make -s -j"$(nproc)" STATIC=1 ARCH="$arch" "build/$arch-static/bprof" &&
		make -s -j"$(nproc)" STATIC=1 ${gcov:+COVERAGE=1} ARCH="$arch" FAULTS=1 &&
		make -s -j"$(nproc)" STATIC=1 ARCH="$host" "build/$host-static/bprof"
}

# Makes the files that the lines of the campaign read.
make_inputs() {
	mkdir "$inputs"
	cp tests/fuzz/corpus/record/hot_loop_x86_64.json "$inputs/record.json"
	cp tests/golden/bench.json "$inputs/report.json"
	# shellcheck disable=SC2016 # a variable of the suite
	echo '{"variables": {"DIR": "."}, "entries": [{"name": "pass", "object": "${DIR}/xdp.bpf.o", "prog": "xdp_pass"}]}' \
		>"$inputs/suite.json"
	echo CONFIG_HZ=250 >"$inputs/kconfig"
	echo '[{"key": ["1", "0", "0", "0"], "value": ["1", "0", "0", "0", "0", "0", "0", "0"]}]' >"$inputs/map.json"
	for commit in 1 2 3; do
		"$native/faults/bprof" history add -f "$inputs/history" --commit "${commit}000000000000000000000000000000000000000" \
			"$inputs/report.json" || return 1
	done
}

# on_host WORD... +++ OPTION...: runs a campaign on this machine, by the command WORD...
on_host() {
	local by=()

	while [ "$1" != +++ ]; do by+=("$1") && shift; done
	shift
	echo "# on this machine: $*"
	rm -rf "$work/dir"
	mkdir "$work/dir"
	# Do not look for leaks of the tests' own tools. (The campaign sets other ASAN_OPTIONS for bprof.)
	ASAN_OPTIONS=detect_leaks=0 INPUTS=$inputs PROGS=$PWD/build/progs DRIVE=$native/tools/drive \
		"${by[@]}" "$native/faults/campaign" --shared --dir "$work/dir" "$@" "$native/faults/bprof" || failed=1
}

# as_root OPTION...: as on_host, but loads a program, and includes the commands that need BPF
as_root() {
	# shellcheck disable=SC2016 # the inner shell expands it
	on_host "$native/tools/drive" run --obj "build/progs/xdp.bpf.o:xdp_pass" -- \
		sh -c 'ID=$PROG_ID_xdp_pass exec "$@"' sh +++ --needs bpf "$@"
}

# run_vm ARCH BUILD MEM OPTION...: runs a campaign with the programs in BUILD, in a VM with MEM MB
run_vm() {
	local vm_arch=$1 from=$2 mem=$3

	shift 3
	echo "# $vm_arch, Linux $kernel, ${from##*/}: $*"
	# shellcheck disable=SC2016 # the guest expands it
	BPROF_VM_NO_BUILD=1 scripts/vm --arch "$vm_arch" --kernel "$kernel" --smp 2 --no-icount --no-tools --mem "$mem" \
		--add "$from/faults" --add "$from/tools/drive" --add "build/progs/xdp.bpf.o" \
		--add "build/progs/stranger.bpf.o" --add "$inputs" ${gcov:+--out "$gcov"} -- \
		sh -c 'export INPUTS=$PWD/inputs PROGS=$PWD DRIVE=$PWD/drive ASAN_OPTIONS=detect_leaks=0 GCOV_PREFIX=/out
			exec ./drive run --obj xdp.bpf.o:xdp_pass -- \
				sh -c "ID=\$PROG_ID_xdp_pass exec faults/campaign \"\$@\" faults/bprof" sh "$@"' \
		sh --needs tracing --dir /tmp "$@" || failed=1
}

in_vm() {
	run_vm "$arch" "$guest" 1024 "$@"
}

# in_asan_vm OPTION...: the commands that attach probes, with ASan and LSan
in_asan_vm() {
	run_vm "$host" "$native" 3072 --only "$@"
}

build || exit 1
make_inputs || exit 1
CMOCKA_MESSAGE_OUTPUT=TAP "$native/faults/test_judge" || failed=1
if [ -n "$gcov" ]; then
	# The counters are written at the end of each run, which makes it slow.
	dir=$gcov
	in_vm --at-most 250
	gcov=$dir-on in_vm --mode on --at-most 40
	for kind in vanish grow intr; do
		gcov=$dir-$kind in_vm --kind $kind
	done
	exit $failed
fi
if [ -z "$long" ]; then
	on_host env +++ --at-most 12
	exit $failed
fi
# With --mode on, all later calls fail, too. The calls are the same as with --mode once, so 40 calls of
# each command are enough.
for options in "" "--mode on --at-most 40" "--kind intr" "--kind vanish" "--kind grow"; do
	if [ "$(id -u)" = 0 ]; then
		# shellcheck disable=SC2086 # split into words
		as_root $options
	else
		# shellcheck disable=SC2086 # split into words
		on_host env +++ $options
	fi
	# shellcheck disable=SC2086 # split into words
	in_vm $options
	# shellcheck disable=SC2086 # split into words
	in_asan_vm $options
done
exit $failed
