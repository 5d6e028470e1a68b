#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tests that scripts/sweep finds each kind of fault, names the object with the fault, and continues with the other
# objects. Scripts stand in for the VM, drive and bprof, and fail with objects of certain names. Prints TAP.
# shellcheck disable=SC2016,SC2317,SC2329 # the scripts expand variables; check calls the functions
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
. tests/tap.sh

root=$(mktemp -d)
work=$root/build/sweep
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,scripts,tests} "$work/objects-arm64"
cp -r tests/sweep "$root/tests/"
printf '%s a reason\n' 'arm64 left' 'arm64-6.12 left_here' 'arm64-7.2 good1' >>"$root/tests/sweep/left-out"
# The tested functions of scripts/sweep, with $root/scripts/vm as the VM.
eval "$(sed -n '/^declare -A/p; /^SPLATS=/p; /^\(split_group\|measure\|sweep\|die\)()/,/^}/p' scripts/sweep |
	sed "s|^SPLATS=.*|SPLATS=\$(sed -n \"s/^SPLATS='\\\\\\\\(.*\\\\\\\\)'\$/\\\\\\\\1/p\" scripts/vm)|")"
export BATCH=30 GROUP=3 OBJECTS='*'

# program NAME: makes a script with this name for the guest, from stdin
program()
{
	{ echo '#!/bin/bash'; cat; } >"$1"
	chmod +x "$1"
}

# Runs the guest's commands in a directory. A panic ends the guest, which then leaves no output.
program "$root/scripts/vm" <<END
$(grep '^SPLATS=' scripts/vm)
adds=()
while [ "\$1" != -- ]; do
	case \$1 in
	--add) adds+=("\$2"); shift ;;
	--out) out=\$2; shift ;;
	esac
	shift
done
shift
guest=$root/guest
rm -rf "\$guest"
mkdir -p "\$guest/out"
cp -r "\${adds[@]}" "\$guest"
cd "\$guest"
OUT=\$guest/out KMSG=\$guest/kmsg PATH=$root/bin:\$PATH setsid -w "\$@"
status=\$?
[ ! -e "\$guest/panicked" ] || { echo "# no output for 900 s: './guest' hangs"; exit 125; }
mkdir -p "\$out"
cp -r "\$guest"/out/. "\$out"
exit \$status
END
program "$root/bin/dmesg" <<'END'
[ ! -e "$KMSG" ] || { cat "$KMSG"; rm "$KMSG"; }
END
# A stand-in for timeout. No command really hangs: a command that should hang ends as if timeout had ended it.
program "$root/bin/timeout" <<'END'
exec "${@:4}"
END
# Each object has a program of the same name, except refused.bpf.o.
program "$root/bin/drive" <<'END'
shift
id=0
while [ "$1" != -- ]; do
	[ "$1" = refused.bpf.o ] || echo "$((id += 1)) 3 ${1%.bpf.o} $1" >&3
	echo "$id ${1%.bpf.o}" >>programs
	[ "$1" != splat.bpf.o ] || echo 'WARNING: CPU: 0 PID: 1 at kernel/none.c:1 none+0x1' >>"$KMSG"
	[ "$1" != u_panic.bpf.o ] || { touch ../panicked; kill -9 -- -"$(ps -o sid= -p $$ | tr -d ' ')"; exit 1; }
	shift
done 3>&1
shift
[ "$id" = 0 ] || "$@"
status=$?
rm -f programs
exit $status
END
program "$root/bin/bprof" <<'SCRIPT'
case $1 in
trace | annotate)
	[ "$1" = trace ] || sed '/annotate_lost/d; s/^/program /' programs
	! grep -q "$1_hangs" programs || exit 124
	exit 0
	;;
bench) name=${2%.bpf.o} ;;
*) set -- stat ;;
esac
! grep -q "${1}_status" programs 2>/dev/null && [ "${name:-}" != bench_status ] || { echo "assertion failed" >&2; exit 134; }
if [ "$1" = bench ]; then echo "1 $name"; else cat programs; fi | awk -v tool="$1" '
	BEGIN { printf "{\"skipped\": [], \"programs\": [" }
	$2 ~ tool "_lost" { next }
	{
		printf "%s{\"id\": %d, \"name\": \"%s\", \"func\": \"%s\", \"runs\": 5, \"measured\": %d, \"events\": [{\"per_run\": {%s}}]}",
			comma, $1, $2, $2, $2 ~ tool "_short" ? 4 : 5,
			$2 ~ tool "_blank" ? "" : "\"mean\": 9, \"p50\": 9, \"max\": " ($2 ~ tool "_order" ? 8 : 10)
		comma = ", "
	}
	END { print "]}" }'
SCRIPT
printf '#!/bin/sh\n' | tee "$root/bin/ip" >"$root/bin/nothing"
chmod +x "$root"/bin/*

# swept OBJECT…: sweeps these objects; the output of check.py is in $root/found
swept()
{
	local name

	rm -rf "$work/arm64-6.12" "$work"/objects-arm64/*
	for name; do
		echo object >"$work/objects-arm64/$name.bpf.o"
	done
	sweep arm64-6.12 >"$root/found"
	status=$?
	cat "$root/found"
	return "$status"
}

says()
{
	grep -q -- "$1" "$root/found" || { echo "not found: $1"; return 1; }
}

test_good()
{
	swept good1 good2 good3 good4 left left_here refused && says ' 0 faults' && says ' 5 objects$' && says ' 4 programs$' &&
		says ' 4 programs measured while they ran' && says ' 4 programs benched'
}

# One sweep with all objects that cause a fault.
test_faults()
{
	! swept good1 good2 splat t4 u_panic trace_hangs annotate_hangs annotate_lost stat_lost stat_blank stat_order bench_lost \
		bench_blank bench_short bench_status z_stat_status z_good && says ' 16 faults' && says ' 17 objects$'
}

if [ ! -x "$root/bin/bprof" ]; then
	echo "Bail out! cannot write $root"
	exit 1
fi
check "programs that are measured, one that is refused, and one that is left out" test_good
check "programs with which something breaks" test_faults
check "a report of the kernel: that of the group" says ' batch-0/g3.splat: kernel: WARNING: CPU: 0'
check "a report of the kernel: that of the object alone" says ' (splat.bpf.o): kernel: WARNING: CPU: 0'
check "a VM that ends" says 'batch-0/u_panic.bpf.o.broke: the VM ended'
check "trace hangs" says ': trace hung'
check "annotate hangs" says ': annotate hung'
check "annotate loses a program" says ': annotate: program annotate_lost of annotate_lost.bpf.o has neither'
check "stat loses a program" says ': stat: program stat_lost of stat_lost.bpf.o has neither a row nor a reason'
check "stat has no number" says ': stat: program stat_blank, function stat_blank: 5 runs, but no number and no reason'
check "stat has a quantile above the next" says ': stat: program stat_order, function stat_order: the quantiles do not'
check "stat fails" says ': stat ended with status 134: assertion failed'
check "bench loses a program" says ': bench: program bench_lost of bench_lost.bpf.o has neither a row nor a reason'
check "bench has no number" says ': bench: program bench_blank, function bench_blank: 5 runs, but no number'
check "bench loses a run" says ': bench: program bench_short, function bench_short: 5 runs, but the measured and lost ones are 4'
check "bench fails" says ': bench-bench_status.bpf.o ended with status 134: assertion failed'
check "the programs after them are measured" says ' 14 programs benched'
finish
