#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Lets the calls of bprof fail in turn (tests/faults/campaign.c): those that need no kernel on this
# machine, with ASan and LSan; all in a VM, in a static program; those that attach probes also with
# ASan and LSan, in a VM of this machine's architecture, as its own kernel may refuse that. Prints TAP.
#
# usage: tests/faults/run.sh [--long | --gcov DIR] [ARCH KERNEL]
# Without --long: some calls of the commands that need no kernel. --long, in "make check-long": a call of each
# distinct stack, also with all later calls failing, with interrupted calls, and with a kernel whose
# answers change; as root also the commands that need BPF on this machine. --gcov: all commands in a VM,
# in a static bprof with gcc's counters of lines and branches, which are copied to DIR, DIR-vanish, … (scripts/coverage).
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
	# Without --long, the static programs are not built, but can be.
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
	# The leaks of the tests' own tools are not what is looked for.
	ASAN_OPTIONS=detect_leaks=0 INPUTS=$inputs PROGS=build/progs DRIVE=$native/tools/drive \
		"${by[@]}" "$native/faults/campaign" --shared --dir "$work/dir" "$@" "$native/faults/bprof" || failed=1
}

# as_root OPTION...: the same with a program that is loaded, and the commands that need BPF
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
# With all later calls failing, a run takes a path that few others take, but the places are the same:
# some calls of each command do.
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
