# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Completion of bprof in bash. bprof itself knows the candidates: see options/completion.h.

_bprof()
{
	local breaks='' typed prefix line i
	local words=() at=() lines=()

	# bash splits words at some of the characters = and :, at which bprof does not.
	[[ $COMP_WORDBREAKS != *=* ]] || breaks+='='
	[[ $COMP_WORDBREAKS != *:* ]] || breaks+=':'
	for ((i = 1; i <= COMP_CWORD; i++)); do
		typed=${COMP_WORDS[i]}
		if ((${#words[@]})) && [[ $breaks ]] && [[ $typed == ["$breaks"]* || ${words[-1]} == *["$breaks"] ]]; then
			words[-1]+=$typed
		else
			words+=("$typed")
			at+=("$i")
		fi
	done
	typed=${words[-1]}
	prefix=
	[[ ! $breaks ]] || prefix=${typed%"${typed##*["$breaks"]}"}

	mapfile -t lines < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
	COMPREPLY=()
	case ${lines[0]-} in
	':files '*)
		compopt -o filenames 2>/dev/null
		line=${lines[0]#:files }
		mapfile -t COMPREPLY < <(compgen -f -P "${line#"$prefix"}" -- "${typed#"$line"}") ;;
	':program '*)
		i=${at[${lines[0]#:program } - 1]}
		if declare -F _command_offset >/dev/null; then
			_command_offset "$i"
		elif ((i == COMP_CWORD)); then
			mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[i]}")
		else
			compopt -o default 2>/dev/null
		fi ;;
	*)
		for line in "${lines[@]}"; do
			line=${line%%$'\t'*}
			COMPREPLY+=("${line#"$prefix"}")
		done ;;
	esac
}

complete -F _bprof bprof
