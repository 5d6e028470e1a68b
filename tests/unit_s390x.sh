#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The unit tests on a big-endian machine: built for s390x, and run by QEMU's user emulation. Prints TAP.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

sysroot=$(scripts/fetch sysroot s390x) || exit 1
qemu=$(command -v qemu-s390x) || { echo "qemu-s390x not found; run scripts/setup" >&2; exit 1; }
b=build/s390x
make_args=(-s ARCH=s390x SYSROOT="$sysroot")
make -j"$(nproc)" "${make_args[@]}" "$b/bprof" unit || exit 1
# Tests run this program by the shell of this machine.
if [ "$(head -c 2 "$b/bprof")" != '#!' ]; then
	mv "$b/bprof" "$b/bprof.elf" && printf '#!/bin/sh\nexec %s -L %s %s "$@"\n' "$qemu" "$sysroot" "$PWD/$b/bprof.elf" >"$b/bprof" &&
		chmod 755 "$b/bprof" || exit 1
fi
status=0
while read -r test; do
	CMOCKA_MESSAGE_OUTPUT=TAP "$qemu" -L "$sysroot" "$test" </dev/null || status=1
done < <(make "${make_args[@]}" unit-list)
exit "$status"
