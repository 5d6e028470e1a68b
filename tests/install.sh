#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Installs as a packager does, and uses what is there: as a user who can write neither there nor in the source tree,
# and whose kernels are in the user's own cache. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

user=() n=0 failed=0

# check NAME COMMAND...
check()
{
	local name=$1

	shift
	n=$((n + 1))
	if "$@" >"$work/log" 2>&1; then
		echo "ok $n - $name"
	else
		sed 's/^/# /' "$work/log"
		echo "not ok $n - $name"
		failed=1
	fi
}

installed()
{
	(cd "$work" && "${user[@]}" env -i HOME="$work/home" PATH="$PATH" "$dest/usr/$1" "${@:2}")
}

# refused STATUS TEXT ARG...: bprof-bench-vm ends so, at once, and says that in one line
refused()
{
	local wanted=$1 text=$2 status=0 said

	said=$(installed bin/bprof-bench-vm "${@:3}" 2>&1) || status=$?
	echo "$said"
	[ "$status" -eq "$wanted" ] && [ "$(wc -l <<<"$said")" -eq 1 ] && [[ $said == *"$text"* ]]
}

test_program()
{
	installed bin/bprof --version | grep '^bprof [0-9]' && installed bin/bprof stat --help | grep -e --prog-id
}

test_vm()
{
	installed lib/bprof/vm --arch "$1" --no-tools -- bprof --version | grep '^bprof [0-9]'
}

test_nothing_fetched()
{
	[ ! -e "$dest/usr/lib/bprof/.cache" ] && [ ! -e "$dest/usr/lib/.cache" ]
}

work=$(mktemp -d)
dest=$work/dest
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
make -s install install-vm DESTDIR="$dest" PREFIX=/usr || exit 1
mkdir -p "$work/home/.cache/bprof/kernel"
for arch in arm64 x86_64; do
	entry=$(scripts/fetch kernel 6.12 $arch) && cp -r "$entry" "$work/home/.cache/bprof/kernel/" || exit 1
done
cp "build/$(uname -m | sed s/aarch64/arm64/)-static/bprof" "$work/old.o"
cp "$work/old.o" "$work/new.o"
echo '{}' >"$work/map.json"
chmod -R a+rX,a-w "$work"
chmod u+w "$work"
[ "$(id -u)" -ne 0 ] || user=(setpriv --reuid 65534 --regid 65534 --clear-groups)

check "bprof" test_program
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
check "an abbreviated option" refused 2 'give the whole name of the option, --save-base' old.o --save-b x
check "an output without directory" refused 1 'there is no directory no' old.o -o no/x.json
check "an output that cannot be written" refused 1 'dest: is a directory' old.o -o dest
check "two documents in one" refused 2 'with two architectures' old.o new.o -j
check "what is loaded" refused 2 'nothing is loaded in the VM' --prog-id 3
check "no such architecture" refused 2 "'mips' is not one of" --arch mips old.o
check "no such kernel" refused 2 "'9' is not one of" --kernel 9 old.o
check "no kernel to be had" refused 1 'no kernel: ' --kernel 6.1 --arch arm64 old.o
echo "1..$n"
exit $failed
