#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Measures how reliable the verdicts of "bprof bench OLD NEW" are: verdicts.sh sensitivity|verdicts [N] prints a section
# of docs/dev/bench-tables.md for scripts/bench. compare.sh makes the comparisons, in the VM and on this machine; verdicts.py counts
# them. KEEP=DIR keeps their reports there.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
tmp=''

die()
{
	echo "tests/bench/verdicts.sh: $*" >&2
	exit 1
}

# shellcheck disable=SC2317 # the EXIT trap calls it
cleanup()
{
	[ -n "${KEEP:-}" ] || rm -rf "$tmp"
}

build()
{
	local arch

	for arch in arm64 x86_64; do
		make -s -C "$root" -j "$(nproc)" STATIC=1 ARCH=$arch vm-tools
	done
	real=$("$root/tests/bench/real.sh")
}

# in_vm ARCH DIR VM_OPTION... -- ARG...: runs compare.sh ARG... in a VM, with its reports in DIR
in_vm()
{
	local arch=$1 out=$2

	shift 2
	mkdir -p "$out"
	BPROF_VM_NO_BUILD=1 "$root/scripts/vm" --arch "$arch" --out "$out" --add "$real" \
		--add "$root/build/progs" --add "$root/tests/bench/compare.sh" "$@"
}

event_of()
{
	case $1 in
	arm64) echo instructions ;;
	x86_64) echo msr/tsc/ ;;
	esac
}

# Every boot gets a different amount of memory. Otherwise all boots would execute exactly the same instructions.
sensitivity()
{
	local boots=$1 arch i

	cat <<-'END'

		## One instruction

		`bprof bench OLD.o NEW.o --exact` runs in the VM, which is booted anew for each comparison. For
		*+1*, the objects have three programs of 500 instructions, but the second program of NEW.o has one
		instruction more. The column counts the boots in which this program was worse by exactly 1 and the
		two other programs were the same. For *no change*, OLD.o and NEW.o are the same object. Each boot
		also compares another real program, with its maps and packets, with itself: once as a program, and
		once with each of its functions (`--func '*'`). These columns count the boots in which all rows were
		the same.

		| | boots | +1 | no change | no change, real programs | no change, their functions |
		|---|---|---|---|---|---|
	END
	for arch in arm64 x86_64; do
		for ((i = 0; i < boots; i++)); do
			in_vm $arch "$tmp/$arch-$i" --mem $((1024 + i)) -- sh compare.sh exact "$i" "$(event_of $arch)" ||
				die "the $arch VM failed"
		done
		python3 "$root/tests/bench/verdicts.py" exact $arch "$tmp/$arch"-*
	done
}

# Compares on this machine. bprof uses run_stats here, which needs only a kernel that lets root run BPF programs.
on_host()
{
	local arch

	arch=$(uname -m | sed s/aarch64/arm64/)
	make -s -C "$root" -j "$(nproc)" all
	mkdir -p "$tmp/host" "$tmp/w"
	ln -s "$real" "$tmp/w/real"
	ln -s "$root/build/progs" "$tmp/w/progs"
	(cd "$tmp/w" && PATH="$root/build/$arch:$PATH" OUT=$tmp/host sh "$root/tests/bench/compare.sh" "$@")
}

verdicts()
{
	local comparisons=$1

	cat <<-'END'

		## In noise

		Each comparison is one `bprof bench OLD.o NEW.o --blocks 10`, without `-icount`. Meanwhile, another
		process computes and reads files: in the VM, which has two CPUs in one thread of QEMU, and on this
		machine itself, where probes cannot be attached (`run_stats`). For *no change*, an object of 5000
		instructions is compared with itself; for *+10 %*, with an object of 5500 instructions. A comparison
		counts as worse or better if any of its rows is.

		| | | comparisons | worse | better | same | inconclusive | failed | called a change |
		|---|---|---|---|---|---|---|---|---|
	END
	in_vm x86_64 "$tmp/noisy-x86_64" --no-icount --smp 2 -- \
		sh compare.sh noisy "$comparisons" msr/tsc/,time 1
	python3 "$root/tests/bench/verdicts.py" noisy "VM, x86-64: \`msr/tsc/,time\`" "$tmp/noisy-x86_64"
	in_vm arm64 "$tmp/noisy-arm64" --no-icount --smp 2 -- sh compare.sh noisy "$comparisons" time 1
	python3 "$root/tests/bench/verdicts.py" noisy "VM, arm64: \`time\`" "$tmp/noisy-arm64"
	if [ "$(id -u)" -eq 0 ]; then
		on_host noisy "$comparisons" time 1
		python3 "$root/tests/bench/verdicts.py" noisy "this machine: \`time\`" "$tmp/host"
	fi
}

case "${1:-} $#" in
'sensitivity '[12]) number=${2:-100} ;;
'verdicts '[12]) number=${2:-200} ;;
*) echo "usage: tests/bench/verdicts.sh sensitivity [BOOTS] | verdicts [COMPARISONS]" >&2; exit 2 ;;
esac
[[ $number =~ ^[1-9][0-9]{0,4}$ ]] || die "'$number' is not a positive number"
tmp=${KEEP:-$(mktemp -d "${TMPDIR:-/tmp}/bprof-verdicts-XXXXXX")}
mkdir -p "$tmp"
trap cleanup EXIT
trap 'exit 130' INT TERM
build
"$1" "$number"
# Prints warnings, and why comparisons failed.
cat "$tmp"/*/errors | sed 's/program [0-9]* /program N /' | sort | uniq -c | sort -rn | head -n 20 >&2
