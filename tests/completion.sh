#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Completes command lines of bprof in bash, zsh and fish with the scripts in completion/. Also completes command lines
# of the program tests/unit/options/test_completion, which has an option that bprof does not have. Prints TAP.
# BPROF: the bprof to test, relative to the source tree
# shellcheck disable=SC2016,SC2317 # the other shells expand what is quoted; check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/tap.sh

# Each function takes the words of a command line, and prints the sorted candidates for the last word, without their
# descriptions.
complete_bash()
{
	bash --norc -c 'source completion/bprof.bash; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_bprof; printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

complete_zsh()
{
	zsh -f -c 'compadd() { print -rl -- $values }; compset() { IPREFIX=$PREFIX[1,$2]; PREFIX=${PREFIX#$IPREFIX} }
		_files() { local -a found=($PREFIX*(N)); print -rl -- $IPREFIX$^found }; _normal() { print -r "program: $words" }
		words=("$@") CURRENT=$# PREFIX=${@[-1]}; set --; source completion/_bprof' zsh "$@"
}

complete_fish()
{
	fish --no-config -c 'source completion/bprof.fish; complete -C "$argv"' "$@" | cut -f 1
}

# gives SHELL WANT WORD...: the candidates are the words of WANT
gives()
{
	local shell=$1 want=$2 got

	shift 2
	got=$("complete_$shell" "$@" 2>&1 | sort | xargs -d '\n')
	[ "$got" = "$want" ] || { echo "$shell completes '$*' with '$got', not with '$want'"; return 1; }
}

# has SHELL WANT WORD...: WANT is one of the candidates
has()
{
	local shell=$1 want=$2

	shift 2
	"complete_$shell" "$@" >"$work/got" 2>&1
	grep -qxF -e "$want" "$work/got" || { echo "$shell: no $want in:"; cat "$work/got"; return 1; }
}

test_options()
{
	gives "$1" --name "$bprof" --na &&
		gives "$1" '--name' "$bprof" stat --all --na &&
		gives "$1" '--no-aggr --no-calibrate --no-hist --no-pager' "$bprof" -e cycles --no- &&
		gives "$1" '' "$bprof" watch --prog-i
}

test_commands()
{
	gives "$1" 'diff doctor' "$bprof" d &&
		gives "$1" trace "$bprof" help tr &&
		has "$1" stat "$bprof" ''
}

test_types()
{
	gives "$1" xdp "$bprof" --type xd &&
		gives "$1" 'kprobe,xdp' "$bprof" list --type kprobe,xd &&
		has "$1" sched_cls "$bprof" stat --type ''
}

test_events()
{
	gives "$1" 'cycles' "$bprof" -e cyc &&
		gives "$1" 'cycles,instructions' "$bprof" stat --event cycles,instr &&
		has "$1" time "$bprof" -e '' &&
		has "$1" L1-dcache-load-misses "$bprof" system -e ''
}

# Formats and methods differ from command to command.
test_choices()
{
	gives "$1" 'benchfmt csv html json pprof text trace-event tsv' "$bprof" stat --format '' &&
		gives "$1" 'csv json text tsv' "$bprof" list --format '' &&
		gives "$1" 'fentry run_stats samples' "$bprof" --method '' &&
		gives "$1" 'bperf perf_event' "$bprof" system --method ''
}

test_files()
{
	gives "$1" "$work/some.json" "$bprof" diff "$work/so" &&
		gives "$1" "$work/some.json" "$bprof" -b 1 -o "$work/so"
}

# --OPTION=VALUE, which bash splits into three words
test_joined()
{
	if [ "$1" = bash ]; then
		gives bash xdp "$bprof" --type = xd &&
			gives bash kprobe,xdp "$bprof" --type = kprobe,xd &&
			gives bash "$work/some.json" "$bprof" list --output = "$work/so"
	else
		gives "$1" --type=xdp "$bprof" --type=xd &&
			gives "$1" "--output=$work/some.json" "$bprof" list --output="$work/so"
	fi
}

test_program()
{
	case $1 in
	zsh) gives zsh "program: scripts/ve" "$bprof" --all -- scripts/ve ;;
	*) has "$1" bprof "$bprof" --all -- bpro ;;
	esac
}

# For every command, an option whose argument is called FILE, PATH or DIR completes files, and an option whose argument
# is called a|b completes a and b.
test_arguments()
{
	local command option arg bad=0

	for command in $("$bprof" __complete '' | cut -f 1); do
		while read -r option arg; do
			case $arg in
			FILE | PATH | DIR) arg=':files ' ;;
			*) arg=${arg//'|'/$'\n'} ;;
			esac
			[ "$("$bprof" __complete "$command" "$option" '')" = "$arg" ] ||
				{ echo "bprof $command $option does not complete its argument"; bad=1; }
		done < <("$bprof" help "$command" | sed -nE 's/^  ..[, ] (--[a-z-]+) (FILE|PATH|DIR|[a-z_]+(\|[a-z_]+)+)( .*)?$/\1 \2/p')
	done
	return "$bad"
}

# The program test_completion completes ids and names of programs, and the option --extra, which bprof does not have.
test_other_table()
{
	gives "$1" '42 57' "$other" --prog-id '' &&
		gives "$1" '57,42' "$other" -b 57,4 &&
		gives "$1" xdp_lb "$other" --name xdp_l &&
		gives "$1" --extra "$other" --ex &&
		gives "$1" pear "$other" --extra p
}

b=build/$(uname -m | sed s/aarch64/arm64/)
make -s "$b/bprof" "$b/unit/options/test_completion" || exit 1
mkdir "$work/bin" "$work/other"
ln -s "$PWD/${BPROF:-$b/bprof}" "$work/bin/bprof"
ln -s "$PWD/$b/unit/options/test_completion" "$work/other/bprof"
touch "$work/some.json"
bprof=$work/bin/bprof other=$work/other/bprof
PATH=$work/bin:$PATH

check "options say what their argument is" test_arguments
for shell in bash zsh fish; do
	for what in options commands types events choices files joined program other_table; do
		check "$shell completes $what" "test_$what" "$shell"
	done
done
finish
