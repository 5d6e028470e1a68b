#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Runs the kernel tests of "bprof top" in a VM, with a bprof that was built with ASan and UBSan: every key, sizes that
# change all the time, and a terminal that is closed. Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

arch=$(uname -m)
[ "$arch" != aarch64 ] || arch=arm64
make -s -j"$(nproc)" STATIC=1 ARCH="$arch" vm-tools || exit 1
make -s -j"$(nproc)" ASAN=1 "build/$arch-asan/bprof" || exit 1
# The tests send signals to bprof and expect the default action, so ASan must not handle these signals.
asan=handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0
# shellcheck disable=SC2016 # the guest expands the script
exec scripts/vm --arch "$arch" --kernel 6.12 --smp 2 --no-icount --mem 3072 \
	--add "build/$arch-asan/bprof" --add "build/progs" -- \
	env ASAN_OPTIONS=$asan KTEST_FILTER="${KTEST_FILTER:-*}" sh -c 'PATH=$PWD:$PATH exec ktest top'
