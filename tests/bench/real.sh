#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Makes build/real and prints its path: objects of real BPF programs (Debian's xdp-tools, and the kernel's selftests,
# compiled unchanged), the packets and maps for them (inputs.py), and "cases", the arguments for "bprof bench" in that
# directory. The kernel tests and scripts/bench use build/real. The objects are the same for every architecture.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$root/build/real
# The selftests are compiled with the headers of this machine's libbpf. bpf_compiler.h and headers that are not UAPI are
# in the directory of the selftests.
CFLAGS="-g -O2 -target bpf -mcpu=v3 -std=gnu11 -fno-strict-aliasing -Wno-compare-distinct-pointer-types"

die()
{
	echo "tests/bench/real.sh: $*" >&2
	exit 1
}

for tool in clang python3; do
	command -v $tool >/dev/null || die "$tool not found; run scripts/setup"
done
xdp_tools=$("$root/scripts/fetch" xdp-tools)
selftests=$("$root/scripts/fetch" selftests)
mkdir -p "$root/build"
exec 9>"$root/build/.real-lock"
flock 9
mkdir -p "$dir"
cp "$root/tests/bench/cases" "$dir/"
python3 "$root/tests/bench/inputs.py" "$dir"
"$root/tests/bench/suite.py" "$dir/cases" >"$dir/suite.json"
# The second word of a case is its object.
sed -n 's/^[a-z][^ ]* *\([^ ]*\).*/\1/p' "$dir/cases" | sort -u | while read -r object; do
	source=$selftests/tools/testing/selftests/bpf/progs/${object%.o}.c
	if [ -e "$xdp_tools/$object" ]; then
		cp "$xdp_tools/$object" "$dir/"
	elif [ ! "$dir/$object" -nt "$source" ]; then
		# shellcheck disable=SC2086 # words
		clang $CFLAGS -I"${source%/progs/*}" -I"$selftests/tools/include/uapi" \
			-idirafter "/usr/include/$(uname -m)-linux-gnu" -o "$dir/$object" -c "$source" ||
			die "cannot compile $source"
	fi
done
echo "$dir"
