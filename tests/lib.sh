#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# libbprof as it is installed: its exports, its header, which compiles as C and as C++, and the programs of
# tests/lib, which are built with nothing else against the shared and the static library. Runs the example
# that needs no root. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

# Prints the symbols of nm's that do not belong to the interface; fails if there are any.
others()
{
	nm "$@" | awk 'NF > 1 && $NF !~ /^bprof_/ { print; bad = 1 } END { exit bad }'
}

test_exports()
{
	others -D --defined-only "$lib/libbprof.so" && nm -D --defined-only "$lib/libbprof.so" | grep -q ' bprof_session_new$'
}

test_static_symbols()
{
	others --extern-only --defined-only "$lib/libbprof.a" &&
		nm --extern-only --defined-only "$lib/libbprof.a" | grep -q ' bprof_session_new$'
}

# Exactly the header's functions are exported.
test_declared()
{
	grep -oE '\bbprof_[a-z_]+\(' "$prefix/include/bprof.h" | tr -d '(' | sort -u >"$work/mentioned"
	nm -D --defined-only "$lib/libbprof.so" | awk '{ print $3 }' | sort -u >"$work/exported"
	diff "$work/mentioned" "$work/exported"
}

# The files and functions that the document names exist.
test_document()
{
	local name

	grep -oE 'tests/lib/[a-z_]+\.c' docs/libbprof.md | sort -u | while read -r name; do
		[ -f "$name" ] || { echo "$name: no such file"; exit 1; }
	done &&
		grep -oE '\bbprof_[a-z_]+' docs/libbprof.md | sort -u | while read -r name; do
			grep -qw "$name" "$prefix/include/bprof.h" || { echo "$name: not in bprof.h"; exit 1; }
		done
}

test_soname()
{
	readelf -d "$lib/libbprof.so" | grep -q 'SONAME.*\[libbprof.so.0\]' && [ -e "$lib/libbprof.so.0" ]
}

test_header()
{
	cc -std=c99 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c "$prefix/include/bprof.h"
}

test_cxx_header()
{
	command -v g++ >/dev/null || return 0
	printf '#include <bprof.h>\nint main() { return bprof_version() == nullptr; }\n' >"$work/version.cc"
	# shellcheck disable=SC2046 # several words
	g++ -Wall -Wextra -Werror -o "$work/version" "$work/version.cc" $(pkg-config --cflags --libs libbprof) &&
		LD_LIBRARY_PATH=$lib "$work/version"
}

test_version()
{
	[ "$(pkg-config --modversion libbprof)" = "$(make -s version)" ]
}

# build NAME PACKAGE...: builds against the shared library, as in the example's comment
build()
{
	# shellcheck disable=SC2046 # several words
	cc -Wall -Wextra -Wno-unused-parameter -o "$work/$1" "tests/lib/$1.c" $(pkg-config --cflags --libs "${@:2}")
}

# The same against the static library, with pkg-config's flags for it.
build_static()
{
	# shellcheck disable=SC2046 # several words
	cc -Wall -Wextra -Wno-unused-parameter -o "$work/static_$1" "tests/lib/$1.c" \
		$(pkg-config --static --cflags --libs "${@:2}" | sed 's/-lbprof/-l:libbprof.a/') &&
		! readelf -d "$work/static_$1" | grep libbprof
}

# compared STATUS PROGRAM ARG...: runs it as a user without privileges, outside of the source tree
compared()
{
	local wanted=$1 status=0

	(cd "$work" && LD_LIBRARY_PATH=$lib "${user[@]}" "./$2" "${@:3}") >"$work/out" 2>&1 || status=$?
	cat "$work/out"
	[ "$status" -eq "$wanted" ]
}

# The example and 'bprof diff' have the same result.
test_compare()
{
	local status=0

	compared 3 "$1" base.json new.json || return 1
	grep -q '^worse: xdp_lb: p50 of instructions: 100 -> 200 (+100.0%)$' "$work/out" || return 1
	compared 0 "$1" base.json new.json 'instructions:p50>200%' && compared 0 "$1" base.json base.json || return 1
	"build/$(uname -m | sed s/aarch64/arm64/)/bprof" diff "$work/base.json" "$work/new.json" || status=$?
	[ "$status" -eq 3 ]
}

test_compare_refused()
{
	compared 1 compare_reports base.json none.json && grep -qx 'compare_reports: none.json: No such file or directory' "$work/out" &&
		compared 1 compare_reports base.json new.json 'instructions:p12>1%' && grep -q '^compare_reports: unknown statistic; there are mean, ' "$work/out"
}

# report FILE INSTRUCTIONS: writes a report with eight blocks
report()
{
	local blocks

	blocks=$(yes "{\"measured\":1000,\"mean\":$2,\"p50\":$2}" | head -n 8 | paste -sd,)
	cat >"$work/$1" <<-END
		{"schema":1,"tool":"bprof","version":"0.1.0","command":["bprof"],"host":{"kernel":"6.12","arch":"x86_64","cpus":1,
		"cpu_model":"","jit":true},"started":"2026-01-01T00:00:00Z","elapsed_ns":1000000000,"calibrated":true,"programs":[
		{"id":1,"name":"xdp_lb","func":"xdp_lb","type":"xdp","tag":"d4f8542f2b42fac5","method":"fentry","runs":8000,"measured":8000,
		"lost":{"entry":0,"read":0,"overflow":0,"recursion":0},"events":[{"name":"instructions","unit":"","status":"ok",
		"total":$(($2 * 8000)),"measured":8000,"per_run":{"mean":$2,"p50":$2},"blocks":[$blocks]}]}],"skipped":[]}
	END
}

work=$(mktemp -d)
prefix=$work/prefix lib=$work/prefix/lib
user=()
trap 'rm -rf "$work"' EXIT
make -s install-lib DESTDIR= PREFIX="$prefix" LIBDIR="$lib" || exit 1
export PKG_CONFIG_PATH=$lib/pkgconfig
report base.json 100
report new.json 200
chmod -R a+rX "$work"
[ "$(id -u)" -ne 0 ] || user=(setpriv --reuid 65534 --regid 65534 --clear-groups)

check "the shared library exports the interface only" test_exports
check "the static library exports the interface only" test_static_symbols
check "exactly the header's functions are exported" test_declared
check "what docs/libbprof.md names exists" test_document
check "soname" test_soname
check "the header is C" test_header
check "the header is C++" test_cxx_header
check "pkg-config knows the version" test_version
check "measure_xdp" build measure_xdp libbprof libbpf
check "measure_xdp, static" build_static measure_xdp libbprof libbpf
check "host_process" build host_process libbprof libbpf
check "compare_reports" build compare_reports libbprof
check "compare_reports, static" build_static compare_reports libbprof
chmod -R a+rX "$work"
check "compare_reports as 'bprof diff'" test_compare compare_reports
check "the static one too" test_compare static_compare_reports
check "compare_reports refuses wrong files and limits" test_compare_refused
finish
