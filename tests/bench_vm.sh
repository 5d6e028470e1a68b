#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Tests bprof-bench-vm on several kernels, on a user's own kernel, and for git bisect. With --long, also bisects
# 32 commits on both architectures. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

bench_vm=$PWD/scripts/bench-vm

# ended STATUS TEXT ARG...: bprof-bench-vm ends with this status, and its output matches the text
ended()
{
	local wanted=$1 text=$2 status=0 output

	output=$(cd "$work" && "$bench_vm" "${@:3}" 2>&1) || status=$?
	echo "status $status: $output"
	# shellcheck disable=SC2053 # a pattern
	[ "$status" -eq "$wanted" ] && [[ $output == *$text* ]]
}

# refused STATUS TEXT ARG...: bprof-bench-vm ends with this status and one line of output, which matches the text
refused()
{
	ended "$@" && [[ $(cd "$work" && "$bench_vm" "${@:3}" 2>&1 | wc -l) -eq 1 ]]
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

# Prints "VERDICT KERNEL BASE NEW" for each row of the minimum in a comparison.
rows()
{
	python3 -c 'import json, sys
for r in json.load(open(sys.argv[1]))["comparisons"]:
    if r["stat"] == "min":
        print("base" if r.get("reference") else r["verdict"], r["point"], r.get("base", "-"), r["new"])' "$1"
}

# One program: the other kernels are compared with the first kernel.
test_kernels()
{
	ended 0 '' --arch arm64 --kernels 6.12,7.2 new/xdp.o -j -o one.json &&
		diff <(rows "$work/one.json") <(printf '%s\n' 'base 6.12 - 501' 'same 7.2 501 501') &&
		grep -q '"kernel": "7\.2\.' "$work/one.json" && tests/schema.py "$work/one.json"
}

# Two versions of a program are compared on each kernel, and --fail-on applies to these comparisons.
test_versions()
{
	ended 3 '' --arch x86_64 --kernels=6.12,7.2 old/xdp.o new/xdp.o --save-new saved.json -o two.json -j &&
		diff <(rows "$work/two.json") <(printf '%s\n' 'worse 6.12 500 501' 'worse 7.2 500 501') &&
		[ -s "$work/saved-6.12.json" ] && [ -s "$work/saved-7.2.json" ] &&
		ended 0 'KERNEL*same*old/xdp.o*' --arch x86_64 --kernels 6.12,7.2 old/xdp.o new/xdp.o --fail-on '*:min>1' --markdown
}

# A program that a kernel does not load has a row with the reason, also if it is the only program.
test_unloadable()
{
	clang -g -O2 -target bpf -mcpu=v3 -I"/usr/include/$(gcc -print-multiarch)" -x c -c -o "$work/loop.o" - <<-'END' || return 1
		#include <linux/bpf.h>
		#include <bpf/bpf_helpers.h>
		static long step(__u32 i, void *ctx) { return 0; }
		SEC("xdp") int looper(struct xdp_md *ctx) { bpf_loop(10, step, 0, 0); return XDP_PASS; }
		char LICENSE[] SEC("license") = "Dual BSD/GPL";
	END
	ended 5 'new * looper *6.12*looper 6.12 msr/tsc/ min*: in the base: cannot be loaded: *last line: *' \
		--arch x86_64 --kernels 5.10,6.12 loop.o &&
		ended 5 'gone * looper *5.10*looper 5.10 msr/tsc/ min*: cannot be loaded: *' --arch x86_64 --kernels 6.12,5.10 loop.o &&
		ended 5 'gone * looper *5.10*looper 5.10 verified_insns size*: cannot be loaded: *' \
			--arch x86_64 --kernels 6.12,5.10 loop.o --fail-on 'verified_insns>5%' &&
		ended 125 'cannot be loaded' --arch x86_64 --kernel 5.10 --bisect old/xdp.o -- true loop.o
}

# own IMAGE ARCH: a kernel that is given as a file has the same counts as the kernel that is given by its version.
test_own()
{
	cp "$(scripts/fetch kernel 6.12 "$2")/kernel" "$work/$1" &&
		ended 0 '' --kernels "6.12,./$1" new/xdp.o -j -o own.json &&
		diff <(rows "$work/own.json") <(printf '%s\n' 'base 6.12 - 501' "same $1 501 501") &&
		grep -q "\"arch\": \"${2/arm64/aarch64}\"\|$1" "$work/own.json"
}

# A suite names the architectures and kernels. The files of the suite are copied, also files outside of its directory.
test_suite()
{
	mkdir -p "$work/suite" && head -c 64 /dev/zero >"$work/suite/packet" && cat >"$work/suite/bprof.json" <<-'END' || return 1
		{"arch": ["x86_64"], "kernel": ["6.12", "7.2"], "variables": {"NEW": null},
		 "entries": [{"name": "one", "old": "../old/xdp.o", "new": "${NEW}/xdp.o", "cases": [{"name": "c", "packet": "packet"}]},
		             {"name": "two", "old": "../old/xdp.o", "new": "../old/xdp.o"}]}
	END
	ended 3 'Linux 6.12:*worse * one/c *same * two *Linux 7.2:*worse * one/c *same * two *' \
		--suite suite/bprof.json --set NEW=../new &&
		ended 0 'same * two *' --kernel 6.12 --arch x86_64 --suite suite/bprof.json --set NEW=../new --entry two &&
		refused 2 "'old/xdp.o': --suite has its own objects" old/xdp.o --suite suite/bprof.json
}

# ---- git bisect ----

# Makes a repository of $1 commits. Commit $2 adds an instruction to the program, commit $3 does not
# compile. Each commit changes the source.
make_repository()
{
	local dir=$work/repo i extra=0

	rm -rf "$dir"
	git init -q "$dir" || return 1
	git -C "$dir" config user.name Test
	git -C "$dir" config user.email test@localhost
	printf '%s\n' 'prog.o: prog.bpf.c' \
		"	clang -g -O2 -target bpf -mcpu=v3 -I/usr/include/$(gcc -print-multiarch) -c -o \$@ \$<" >"$dir/Makefile"
	echo prog.o >"$dir/.gitignore"
	for ((i = 1; i <= $1; i++)); do
		[ "$i" -ne "$2" ] || extra=1
		{
			printf '// commit %d\n#define EXTRA %d\n' "$i" "$extra"
			[ "$i" -ne "$3" ] || echo '#error does not compile'
			cat <<-'END'
				#include <linux/bpf.h>
				#include <bpf/bpf_helpers.h>
				#define STR_(x) #x
				#define STR(x) STR_(x)
				SEC("xdp") int counted(struct xdp_md *ctx)
				{
					long verdict = XDP_PASS - 100 - EXTRA;

					asm volatile(".rept 100 + " STR(EXTRA) "\n\t%0 += 1\n\t.endr" : "+r"(verdict));
					return verdict;
				}
				char LICENSE[] SEC("license") = "Dual BSD/GPL";
			END
		} >"$dir/prog.bpf.c"
		git -C "$dir" add -A && git -C "$dir" commit -qm "commit $i" || return 1
	done
}

# bisect COMMITS WORSE BROKEN ARCH: git finds commit number WORSE
test_bisect()
{
	local dir=$work/repo

	make_repository "$1" "$2" "$3" || return 1
	git -C "$dir" checkout -q HEAD~$(($1 - 1)) && make -s -C "$dir" prog.o && cp "$dir/prog.o" "$work/good.o" &&
		git -C "$dir" bisect start master HEAD -- >/dev/null 2>&1 || return 1
	(cd "$dir" && git bisect run "$bench_vm" --arch "$4" --bisect "$work/good.o" -- make -s prog.o) >"$work/bisect.log" 2>&1
	cat "$work/bisect.log"
	[ "$(git -C "$dir" log -1 --format=%s refs/bisect/bad)" = "commit $2" ] && grep -q 'is the first bad commit' "$work/bisect.log"
}

# A failure that says nothing about the commit must not count as bad.
test_bisect_statuses()
{
	refused 255 'no such file' --bisect old/xdp.o -- true none.o &&
		refused 125 "'false new/xdp.o' failed with status 1" --bisect old/xdp.o -- false new/xdp.o &&
		refused 255 "give the command" --bisect old/xdp.o &&
		refused 255 "is not one of" --bisect old/xdp.o --arch mips -- true new/xdp.o &&
		refused 255 "give one object" --bisect old/xdp.o old/xdp.o new/xdp.o -- true
}

# If NEW.o is given before the "--", the command that builds it need not end with the object's name.
test_bisect_named()
{
	ended 1 '+1 (' --arch x86_64 --bisect old/xdp.o new/xdp.o -- true &&
		ended 0 'better' --arch x86_64 --bisect new/xdp.o old/xdp.o --fail-on '*:min>0' -- sh -c true
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/old" "$work/new"
compile 0 "$work/old/xdp.o" && compile 1 "$work/new/xdp.o" || exit 1
head -c 100000 /dev/zero >"$work/zeros"
printf '\177ELF' | dd of="$work/zeros-elf" bs=1 conv=notrunc status=none
# The beginnings of an arm64 Image and of an arm64 vmlinux
{ head -c 56 /dev/zero; printf 'ARMd'; head -c 100 /dev/zero; } >"$work/Image"
{ printf '\177ELF'; head -c 14 /dev/zero; printf '\267\0'; head -c 100 /dev/zero; } >"$work/vmlinux"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=init.defaultBranch \
	GIT_CONFIG_VALUE_0=master

check "an unknown kernel" refused 2 "'5.4' is not one of" --kernels 6.12,5.4 new/xdp.o
check "a kernel given twice" refused 2 '6.12 is given twice' --kernels 6.12,6.12 new/xdp.o
check "no kernel" refused 2 '--kernels: give some' --kernels '' new/xdp.o
check "no such kernel file" refused 1 'no such file' --kernel ./none new/xdp.o
check "a file that is no kernel" refused 1 'not a kernel' --kernel ./zeros new/xdp.o
check "a kernel that QEMU cannot boot" refused 1 'give arch/arm64/boot/Image' --kernel ./vmlinux new/xdp.o
check "a kernel of the other architecture" refused 2 'is a kernel for arm64' --arch x86_64 --kernel ./Image new/xdp.o
check "no number of VMs" refused 2 "'0' is not a positive number" --jobs 0 new/xdp.o
check "several kernels" test_kernels
check "several kernels, two versions" test_versions
check "a program that one kernel does not load" test_unloadable
check "a suite" test_suite
check "an own kernel, arm64" test_own Image.own arm64
check "an own kernel, x86_64" test_own vmlinux.own x86_64
check "bisect: exit statuses" test_bisect_statuses
check "bisect: a named object" test_bisect_named
if [ "${1:-}" = --long ]; then
	check "bisect 32 commits, arm64" test_bisect 32 19 13 arm64
	check "bisect 32 commits, x86_64" test_bisect 32 8 20 x86_64
else
	check "bisect 8 commits" test_bisect 8 5 6 arm64
fi
finish
