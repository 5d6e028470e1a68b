# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Completion of bprof in fish. bprof itself knows the candidates: see options/completion.h.

function __bprof_complete
	set -l words (commandline -opc)
	set -l word "$(commandline -ct)"
	set -l lines ($words[1] __complete $words[2..] $word 2>/dev/null)

	switch "$lines[1]"
		case ':files *'
			set -l prefix (string sub -s 8 -- $lines[1])
			set -l path (string sub -s (math 1 + (string length -- $prefix)) -- $word)
			printf '%s\n' $prefix(__fish_complete_path $path)
		case ':program *'
			__fish_complete_subcommand --fcs-skip=(string sub -s 10 -- $lines[1])
		case '*'
			printf '%s\n' $lines
	end
end

complete -c bprof -f -a '(__bprof_complete)'
