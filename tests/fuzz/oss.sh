#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Copies fuzzers to where OSS-Fuzz expects them: the fuzzers, a zip file with the seeds of each, and
# the shared libraries that they need, which the machines that run them do not have.
#
# usage: tests/fuzz/oss.sh BUILD_DIR OUT

set -euo pipefail

build=${1:?} out=${2:?}
seeds=$(cd "$(dirname "$0")" && pwd)/corpus
mkdir -p "$out/lib"
for fuzzer in "$build"/fuzz_*; do
	[ -x "$fuzzer" ] || continue
	name=${fuzzer##*/}
	cp "$fuzzer" "$out/"
	rm -f "$out/${name}_seed_corpus.zip"
	(cd "$seeds/${name#fuzz_}" && python3 -m zipfile -c "$out/${name}_seed_corpus.zip" ./*)
	ldd "$fuzzer" | awk '$3 ~ "^/" && $1 !~ /^lib(c|m|dl|pthread|rt)\.so/ { print $3 }' |
		xargs -r cp -u -t "$out/lib"
done
