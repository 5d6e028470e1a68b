#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Makes the packages, and uses them in clean Debian systems. mmdebstrap builds these systems in a temporary directory
# from the archive that this machine's apt uses, which needs root or sudo. Without --long, tests only the Debian
# packages on this system's release. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)

# Makes a git repository, and in it a tree with scripts/version as "git archive" writes the script into a tarball.
make_repository()
{
	local repository=$work/repository

	mkdir -p "$repository/scripts" && cp scripts/version "$repository/scripts/" && cp .gitattributes "$repository/" || return 1
	echo '0.2.0 2026-11-30' >"$repository/VERSION"
	cd "$repository" && git init -q && git config user.name test && git config user.email test@localhost &&
		git add . && git commit -qm one
}

# versions WANTED: the checkout and an unpacked tarball have a version that matches the pattern
versions()
(
	cd "$work/repository" && rm -rf tarball && mkdir tarball && git archive HEAD | tar -x -C tarball || return 1
	scripts/version
	tarball/scripts/version
	# shellcheck disable=SC2053 # a pattern
	[[ $(scripts/version) = $1 && $(tarball/scripts/version) = $1 ]]
)

test_version()
(
	(make_repository) && versions '0.2.0+g????????' && cd "$work/repository" && git tag -am tag v0.2.0 && versions 0.2.0 &&
		git commit -q --allow-empty -m two && versions '0.2.0+1.g????????' &&
		echo '0.3.0 2026-12-24' >VERSION && git commit -qam three && versions '0.3.0+g????????' &&
		rm -rf .git && [ "$(scripts/version)" = 0.3.0+unknown ]
)

test_dist()
{
	local first

	rm -rf build/dist
	scripts/package dist && first=$(sha256sum build/dist/*.tar.gz) && rm -r build/dist && scripts/package dist &&
		[ "$(sha256sum build/dist/*.tar.gz)" = "$first" ]
}

# Two releases in directories with names of different lengths, one of them made after the tag, have the same bytes.
test_release()
{
	local dir

	for dir in a another; do
		git clone -q . "$work/$dir" && (cd "$work/$dir" && scripts/release dist static rpm) || return 1
		[ "$(git -C "$work/$dir" tag)" = "$(git tag)" ] || return 1
	done
	diff -r "$work/a/build/release" "$work/another/build/release" && (cd "$work/a/build/release" && sha256sum -c SHA256SUMS) &&
		(cd "$work/a/build/release" && printf '%s\n' * | LC_ALL=C sort) | diff - <(printf '%s\n' SHA256SUMS "bprof-$released.tar.gz" \
			"bprof-$released-"{1.aarch64.rpm,1.x86_64.rpm,linux-arm64.cdx.json,linux-arm64.tar.gz} \
			"bprof-$released-linux-x86_64."{cdx.json,tar.gz} | LC_ALL=C sort)
}

# The list of linked libraries has exactly the files that the linker took.
test_release_parts()
{
	tests/packages/sbom.py "$work"/a/build/release/*.cdx.json
}

# A release is refused if one of the files that name the version has another version.
test_release_refused()
(
	git clone -q . "$work/other" && cd "$work/other" && scripts/release --check && echo '9.8.7 2026-11-30' >VERSION &&
		! scripts/release --check >"$work/refused" 2>&1 && cat "$work/refused" && grep -x \
		'scripts/release: CHANGELOG.md does not have version 9.8.7 of 2026-11-30, as VERSION says; see docs/dev/releasing.md' "$work/refused"
)

# The programs of a release run from any directory.
test_release_runs()
{
	local bin

	bin=$work/bprof-$released-linux-$(machine)/bin
	tar -xzf "$work/a/build/release/$(basename "${bin%/bin}").tar.gz" -C "$work" &&
		"$bin/bprof" --version | grep -x "bprof $released" && "$bin/bprof-bench-vm" --help
}

# Makes the packages as the README says. With --long, also runs the unit tests during the package's build.
test_deb()
{
	DEB_BUILD_OPTIONS="noautodbgsym $([ -n "$long" ] || echo nocheck)" make deb
}

# debian SUITE TARGET OPTION...: mmdebstrap makes a clean system of this suite in TARGET.
debian()
{
	APT_CONFIG='' apt-config dump | grep -E '^Acquire::(https?::|ftp::|Check-|Retries)' >"$work/aptopt"
	"${as_root[@]}" mmdebstrap --quiet --variant=apt --aptopt="$work/aptopt" --aptopt='Acquire::Languages "none"' \
		"${@:3}" "$1" "$2" "$(scripts/fetch mirror "$1")"
}

# in_debian NAME SUITE PACKAGES COMMAND...: runs COMMAND, which prints TAP, as root in a clean system with these
# packages. The system's /files has the files of $work/files. Then copies the system's /files/out to $work/out.
in_debian()
{
	local name=$1 suite=$2 include=$3 start=$SECONDS

	shift 3
	rm -rf "$work/out"
	mkdir -p "$work/files/out" "$work/out"
	if debian "$suite" /dev/null --include="$include" --customize-hook="copy-in $work/files /" \
		--customize-hook="chroot \"\$1\" env SYSTEM='$name' BUILT_IN='$PWD' $* >\"\$1/files/out/tap\" || true" \
		--customize-hook="sync-out /files/out $work/out" >"$work/log" 2>&1 &&
		cat "$work/out/tap" && ! grep -q '^not ok' "$work/out/tap"; then
		echo "# $name: everything: $((SECONDS - start)) s"
	else
		tail -n 40 "$work/log"
		echo "not ok - $name"
		failed=1
	fi
}

# stage FILE...: puts these files and the tests of the packages into $work/files.
stage()
{
	rm -rf "$work/files"
	mkdir -p "$work/files/tests"
	cp -r tests/packages/* tests/tap.sh debian "$@" "$work/files/" && cp -r tests/golden "$work/files/tests/"
}

test_rpm_spec()
{
	rpmspec -P packaging/rpm/bprof.spec
}

# Builds the RPM package with its unit tests. Uses --nodeps, because the spec's dependencies have other names in Debian.
test_rpm()
(
	git clone -q . "$work/rpm" && cd "$work/rpm" || return 1
	git -c user.name=test -c user.email=test@localhost tag -f -am tag "v$released" && scripts/package dist &&
		rpmbuild -ta --quiet --nodeps --define "_topdir $PWD/top" "build/dist/bprof-$released.tar.gz" &&
		rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "top/RPMS/$(uname -m)"/bprof-[0-9]*.rpm |
		grep -xF -e '-rwxr-xr-x /usr/bin/bprof'
)

# Installs a release's RPM package in an empty system, uses it and removes it.
test_rpm_installs()
{
	local root=$work/rpm-root package

	package=$(ls "$work"/a/build/release/*."$(uname -m)".rpm)
	mkdir -p "$root/dev" && "${as_root[@]}" mknod "$root/dev/null" c 1 3 && "${as_root[@]}" rpm --root "$root" --initdb && "${as_root[@]}" rpm --root "$root" -i "$package" &&
		"${as_root[@]}" chroot "$root" /usr/bin/bprof --version | grep -x "bprof $released" &&
		"${as_root[@]}" rpm --root "$root" -e bprof && [ ! -e "$root/usr/bin/bprof" ] && [ ! -e "$root/usr/share/bprof" ]
}

run_buildah()
{
	"${as_root[@]}" env BUILDAH_ISOLATION=chroot buildah --root "$work/images" --runroot "$work/containers" --storage-driver vfs "$@"
}

# in_image ARG...: runs bprof in the image, with the capabilities that packaging/Containerfile names
in_image()
{
	run_buildah run --cap-add CAP_SYS_ADMIN,CAP_BPF,CAP_PERFMON,CAP_SYSLOG "$container" -- /bin/bprof "$@"
}

# Builds the image of packaging/Containerfile. First makes the image's base, so that no registry is needed.
test_image()
(
	container=$(run_buildah from scratch) && debian bookworm "$work/base.tar" && run_buildah add --quiet "$container" "$work/base.tar" / &&
		run_buildah commit --rm --quiet "$container" docker.io/library/debian:bookworm &&
		run_buildah build --pull-never --network host -f packaging/Containerfile \
			--build-arg VERSION="$(scripts/version)" -t bprof . &&
		container=$(run_buildah from --pull-never localhost/bprof) &&
		in_image version | grep -x "bprof $(scripts/version)" && in_image list | grep -w TYPE
)

quick()
{
	check "the version comes from tags" test_version
	check "the source tarball is always the same" test_dist
	check "a release names its version everywhere" test_release_refused
	check "the RPM spec can be parsed" test_rpm_spec
	check "Debian packages, lintian" test_deb
	compgen -G 'build/deb/*.deb' >/dev/null || return
	stage build/deb/*.deb
	rm "$work"/files/bprof-vm*.deb
	in_debian "Debian 12" bookworm man-db,bash-completion /files/chroot
}

# Copies the kernel of the VM, so that the tests do not download it again.
stage_kernel()
{
	mkdir -p "$work/files/cache/kernel" && cp -r "$(scripts/fetch kernel 6.12 "$(machine)")" "$work/files/cache/kernel/"
}

long()
{
	# QEMU depends on adduser. Every installed system has adduser, so apt does not remove it again.
	local more=adduser,man-db,bash-completion,clang,gcc,libbpf-dev,libc6-dev,libjansson-dev,pkgconf,python3

	check "two releases have the same bytes" test_release
	check "a release says what is linked" test_release_parts
	check "a release runs" test_release_runs
	check "a release's RPM package: install, use, remove" test_rpm_installs
	check "RPM package, built for a distribution" test_rpm
	check "container image" test_image
	stage build/deb/*.deb
	stage_kernel
	in_debian "Debian 12, all packages" bookworm "$more" /files/chroot examples vm
	stage build/deb/*.deb
	stage_kernel
	in_debian "Debian 13, packages of Debian 12" trixie "$more" /files/chroot examples vm
	stage build/deb/*.{dsc,tar.*}
	in_debian "Debian 13, build" trixie build-essential,devscripts /files/rebuild
	stage "$work"/out/*.deb
	stage_kernel
	in_debian "Debian 13, all packages" trixie "$more" /files/chroot examples vm
}

machine()
{
	uname -m | sed s/aarch64/arm64/
}

read -r released _ <VERSION
work=$(mktemp -d)
trap '"${as_root[@]}" rm -rf "$work"' EXIT
long=${1:+yes}
quick
[ -z "$long" ] || long
finish
