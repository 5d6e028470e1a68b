#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Installs bprof as a packager does. Then uses the installation as a user who can write neither to it nor to the source
# tree, and who has the kernels in a cache of their own. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

user=()

installed()
{
	(cd "$work" && "${user[@]}" env -i HOME="$work/home" PATH="$PATH" "$dest/usr/$1" "${@:2}")
}

# refused STATUS TEXT ARG...: bprof-bench-vm ends at once with this status and one line that contains the text
refused()
{
	local wanted=$1 text=$2 status=0 output

	output=$(installed bin/bprof-bench-vm "${@:3}" 2>&1) || status=$?
	echo "$output"
	[ "$status" -eq "$wanted" ] && [ "$(wc -l <<<"$output")" -eq 1 ] && [[ $output == *"$text"* ]]
}

test_program()
{
	installed bin/bprof --version | grep '^bprof [0-9]' && installed bin/bprof stat --help | grep -e --prog-id
}

# written FILE: prints when FILE was written, and its inode. Files that are written one after the other can have the
# same time, because the kernel's clock for file times ticks only every few milliseconds. So only times of the same file
# are compared.
written()
{
	stat -c '%y %i' "$1"
}

# A change of CFLAGS rebuilds objects. With the same CFLAGS, make rebuilds nothing, even if it has built an object with
# flags of its own in between.
test_flags()
{
	local object=$work/flags/profiler/base/text.o first

	make -s O="$work/flags" "$object" && first=$(written "$object") &&
		make -s O="$work/flags" B="$work/flags" "$work/flags/profiler/base/build_info.o" &&
		make -s O="$work/flags" "$object" && [ "$(written "$object")" = "$first" ] || return 1
	make -s O="$work/flags" CFLAGS=-O1 "$object" && [ "$(written "$object")" != "$first" ]
}

# Each page of docs/man is installed once, and mandoc can show a page.
test_man()
{
	diff <(cd docs/man && printf '%s\n' *.in | sed 's/\.in$//' | sort) \
		<(cd "$dest/usr/share/man" && find . -type f -printf '%f\n' | sort) || return 1
	mandoc -T ascii "$dest/usr/share/man/man1/bprof-stat.1" | col -b | grep -e '-b, --prog-id ID'
}

test_completion()
{
	bash -n "$dest/usr/share/bash-completion/completions/bprof" &&
		cmp completion/_bprof "$dest/usr/share/zsh/site-functions/_bprof" &&
		cmp completion/bprof.fish "$dest/usr/share/fish/vendor_completions.d/bprof.fish"
}

# The unit of systemd starts the installed program.
test_unit()
{
	diff <(sed 's|/usr/bin/bprof|/opt/x/bin/bprof|' packaging/systemd/bprof-export.service) \
		<(make -s install DESTDIR="$work/unit" PREFIX=/opt/x && cat "$work/unit/opt/x/lib/systemd/system/bprof-export.service") &&
		grep -q '^ExecStart=/usr/bin/bprof export' "$dest/usr/lib/systemd/system/bprof-export.service" &&
		[ -f "$dest/usr/share/bprof/bprof-rules.yml" ] && [ -f "$dest/usr/share/bprof/bprof.json" ]
}

# A user without privileges shows a recording of an arm64 machine on this machine.
test_annotate()
{
	installed bin/bprof annotate -i arm64.json --func mix >"$work/annotated" &&
		grep -q 'loops.bpf.c:19 .*hot' "$work/annotated" && grep -q 'w2 <<= 13$' "$work/annotated" &&
		grep -q ' lsl w1, w1, #13$' "$work/annotated"
}

# bprof can be built without llvm-config or LLVM's library. The build and bprof annotate then say that there is no
# disassembler. Only the objects that differ are compiled again.
test_without_llvm()
{
	rm -rf build/no-llvm
	make -s -j"$(nproc)" LLVM_CONFIG=/bin/false B=build/no-llvm all | grep 'bprof annotate will not disassemble' &&
		build/no-llvm/bprof annotate -i "$work/arm64.json" --func mix >"$work/annotated" &&
		grep -q '^note: this bprof was built without LLVM' "$work/annotated" && grep -q 'loops.bpf.c:19 .*hot' "$work/annotated"
}

test_vm()
{
	installed lib/bprof/vm --arch "$1" --no-tools -- bprof --version | grep '^bprof [0-9]'
}

test_nothing_fetched()
{
	[ ! -e "$dest/usr/lib/bprof/.cache" ] && [ ! -e "$dest/usr/lib/.cache" ]
}

# ended STATUS TEXT ARG...: a run in the VM ends with this status, and its output matches the text
ended()
{
	local wanted=$1 text=$2 status=0 output

	output=$(installed bin/bprof-bench-vm "${@:3}" 2>&1) || status=$?
	echo "$output"
	[ "$status" -eq "$wanted" ] && [[ $output == *$text* ]]
}

# One more instruction is reported as +1 on either architecture. Both objects have the same name, and both files of
# packets have the same name.
test_one_instruction()
{
	ended 3 'arm64:*worse*instructions*+1 (*x86_64:*worse*msr/tsc/*+1 (' --kernel 6.12 old/xdp.o new/xdp.o \
		--data-in a/packet --data-in=b/packet
}

test_nothing_changed()
{
	ended 0 'arm64:*same*x86_64:*same*' old/xdp.o old/xdp.o
}

# reports DIR ARG...: writes all kinds of reports to DIR
reports()
{
	local dir=$work/out/$1

	mkdir -p "$dir" && chmod a+w "$dir" || return 1
	ended 3 '' "${@:2}" -j -o "$dir/diff.json" --save-base "$dir/base.json" --save-new "$dir/new.json" &&
		[ "$(cd "$dir" && echo *)" = 'base-arm64.json base-x86_64.json diff-arm64.json diff-x86_64.json new-arm64.json new-x86_64.json' ]
}

# Reports, also their times, do not depend on the directory, on modes of files or on the machine's load.
test_same_bytes()
{
	local load=() status=0

	reports first old/xdp.o new/xdp.o || return 1
	mkdir -p "$work/other/old" && cp "$work/old/xdp.o" "$work/other/old/" && cp -r "$work/new" "$work/other/" &&
		chmod 777 "$work/other/old/xdp.o" || return 1
	while :; do :; done &
	load+=($!)
	while :; do :; done &
	load+=($!)
	reports second other/old/xdp.o other/new/xdp.o || status=1
	kill "${load[@]}"
	wait "${load[@]}" 2>/dev/null
	[ "$status" -eq 0 ] && diff -r "$work/out/first" "$work/out/second"
}

test_compared_later()
{
	local dir=$work/out/first

	installed bin/bprof diff "$dir/base-arm64.json" "$dir/new-arm64.json"
	[ $? -eq 3 ]
}

# failed_vm TEXT SCRIPT [OPTION]...: a run with this script as the guest's bprof fails with this message
failed_vm()
{
	local bprof=$dest/usr/lib/bprof/arm64/bprof

	rm -f "$bprof"
	printf '#!/bin/sh\n%s\n' "$2" >"$bprof"
	chmod 755 "$bprof"
	ended 1 "$1" --arch arm64 "${@:3}" old/xdp.o
}

# The last step of the GitHub action, with the variables that GitHub sets.
test_action()
{
	local status=0

	mkdir "$work/github" || return 1
	(cd "$work" && env BPROF_DIR="$dest/usr" BPROF_OLD=old/xdp.o BPROF_NEW=new/xdp.o BPROF_ARCH=arm64 BPROF_KERNEL=6.12 \
		BPROF_ARGS="--fail-on '*:min>0'" BPROF_COMMENT=false BPROF_FAIL="$2" RUNNER_TEMP="$work/github" \
		GITHUB_OUTPUT="$work/github/output" GITHUB_STEP_SUMMARY="$work/github/summary" "$tree/scripts/action" bench) ||
		status=$?
	[ "$status" -eq "$1" ] && grep -qx status=3 "$work/github/output" && grep -q 'instructions.*+1 (' "$work/github/summary" &&
		rm -r "$work/github"
}

# compile EXTRA FILE: compiles a program of 500 additions and EXTRA further additions
compile()
{
	clang -g -O2 -target bpf -mcpu=v3 -I"/usr/include/$(gcc -print-multiarch)" -DEXTRA="$1" -x c -c -o "$2" - <<-'END'
		#include <linux/bpf.h>
		#include <bpf/bpf_helpers.h>
		#define STR_(x) #x
		#define STR(x) STR_(x)
		SEC("xdp") int changed(struct xdp_md *ctx)
		{
			long verdict = XDP_PASS - 500 - EXTRA;

			asm volatile(".rept 500 + " STR(EXTRA) "\n\t%0 += 1\n\t.endr" : "+r"(verdict));
			return verdict;
		}
		char LICENSE[] SEC("license") = "Dual BSD/GPL";
	END
}

tree=$PWD
work=$(mktemp -d)
dest=$work/dest
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
make -s install install-vm DESTDIR="$dest" PREFIX=/usr || exit 1
mkdir -p "$work/home/.cache/bprof/kernel"
for arch in arm64 x86_64; do
	entry=$(scripts/fetch kernel 6.12 $arch) && cp -r "$entry" "$work/home/.cache/bprof/kernel/" || exit 1
done
mkdir -p "$work"/{old,new,a,b,out}
compile 0 "$work/old/xdp.o" && compile 1 "$work/new/xdp.o" || exit 1
cp "$work/old/xdp.o" "$work/old.o"
cp "$work/new/xdp.o" "$work/new.o"
head -c 64 /dev/zero >"$work/a/packet"
head -c 512 /dev/zero >"$work/b/packet"
echo '{}' >"$work/map.json"
cp tests/fuzz/corpus/record/hot_loop_arm64.json "$work/arm64.json"
ln -s ../../home/.cache/bprof "$dest/usr/cache"
chmod -R a+rX,a-w "$work"
chmod u+w "$work" "$work/out"
[ "$(id -u)" -ne 0 ] || user=(setpriv --reuid 65534 --regid 65534 --clear-groups)

check "bprof" test_program
check "man pages" test_man
check "completion" test_completion
check "the systemd unit" test_unit
check "other flags rebuild" test_flags
check "annotate, a recording of another machine" test_annotate
check "annotate without LLVM" test_without_llvm
check "arm64 VM" test_vm arm64
check "x86_64 VM" test_vm x86_64
check "nothing is written where it is installed" test_nothing_fetched
check "help" installed bin/bprof-bench-vm --help
check "no object" refused 2 'no object given'
check "three objects" refused 2 "'old.o': two objects can be compared" old.o new.o --repeat 1 old.o
check "no such object" refused 1 'no.o: no such file' no.o new.o
check "no such packets" refused 1 '--pcap: no.pcap: no such file' old.o --pcap no.pcap
check "a map's file without its map" refused 2 "--map 'map.json': give NAME=FILE" old.o --map map.json
check "no such map file" refused 1 '--map: no.json: no such file' old.o --map m=no.json
check "an option without argument" refused 2 '--data-in needs an argument' old.o --data-in
check "an abbreviated option" refused 2 'give the complete name of the option, --save-base' old.o --save-b x
check "an output without directory" refused 1 'there is no directory no' old.o -o no/x.json
check "an output that cannot be written" refused 1 'dest: is a directory' old.o -o dest
check "two documents in one" refused 2 'with two architectures' old.o new.o -j
check "the same, by the format's name" refused 2 'with two architectures' old.o new.o --format json
check "loaded programs" refused 2 'no programs are loaded in the VM' --prog-id 3
check "no such architecture" refused 2 "'mips' is not one of" --arch mips old.o
check "no such kernel" refused 2 "'9' is not one of" --kernel 9 old.o
check "no kernel available" refused 1 'no kernel: ' --kernel 6.1 --arch arm64 old.o
check "one instruction" test_one_instruction
check "nothing changed" test_nothing_changed
check "the same bytes from another place, under load" test_same_bytes
check "saved reports" test_compared_later
check "the action fails where a program is worse" test_action 3 'inconclusive worse'
check "the action only reports" test_action 0 ''
check "bprof's own failure" ended 1 'nosuch' --arch arm64 old.o --prog nosuch
chmod u+w "$dest/usr/lib/bprof/arm64"
check "a guest that crashes" failed_vm 'the VM failed: the guest gave up: Kernel panic' 'echo c >/proc/sysrq-trigger; sleep 9'
check "a guest that hangs" failed_vm 'the VM failed: timed out after 5 s' 'while :; do :; done' --timeout 5
check "a guest that prints nothing" failed_vm 'the VM failed: no output for 5 s' 'while :; do :; done' --silence 5
check "a bprof that crashes" failed_vm 'ended with status 139' 'kill -SEGV $$'
finish
