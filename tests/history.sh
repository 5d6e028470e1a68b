#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tests bprof history from the first report to the last: in a file and in git notes of a repository, with several
# processes that add at the same time, with damaged files, and with exports that other tools accept. Needs neither root
# nor a VM. Prints TAP. BPROF: the bprof to test, relative to the source tree
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
top=$PWD
bprof=$top/${BPROF:-build/$(uname -m | sed s/aarch64/arm64/)/bprof}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/tap.sh
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null TZ=UTC
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org

# report INSTRUCTIONS [KERNEL]: prints a report on one program that takes INSTRUCTIONS instructions
report()
{
	python3 - "$@" <<'END'
import json, sys
report = json.load(open("tests/golden/bench.json"))
report["programs"] = report["programs"][:1]
event = report["programs"][0]["events"][0]
event["per_run"]["min"] = int(sys.argv[1])
report["programs"][0]["events"] = [event]
if len(sys.argv) > 2:
    report["host"]["kernel"] = sys.argv[2]
print(json.dumps(report))
END
}

# commit N: makes a commit whose date is N days after the first of January
commit()
{
	GIT_COMMITTER_DATE="@$((1767225600 + $1 * 86400)) +0000" git -C "$work/repo" commit -q --allow-empty -m "commit $1"
}

# run STATUS WANT ARG...: runs bprof history in the repository. Its output must match WANT; if WANT is empty, it must be
# empty.
run()
{
	local status=$1 want=$2 got=0

	shift 2
	(cd "$work/repo" && "$bprof" history "$@") >"$work/out" 2>&1 || got=$?
	[ "$got" = "$status" ] || { echo "history $*: status $got, not $status"; cat "$work/out"; return 1; }
	if [ -z "$want" ]; then
		[ ! -s "$work/out" ] && return
	else
		grep -qE -e "$want" "$work/out" && return
	fi
	{ echo "history $*: no '$want' in:"; cat "$work/out"; return 1; }
}

# add INSTRUCTIONS ARG...: adds a report on a program of INSTRUCTIONS instructions to the history
add()
{
	report "$1" >"$work/report.json"
	run 0 '' add "${@:2}" "$work/report.json"
}

new_repo()
{
	rm -rf "$work/repo"
	git init -q "$work/repo"
}

# Adds and checks from commit to commit, as CI does. WHERE: --notes, or nothing for a file.
lives_in()
{
	local where=("$@")

	new_repo && commit 1 || return
	run 1 'there is no history|history is empty' show "${where[@]}" || return
	add 499 "${where[@]}" && run 5 '^new +xdp_lb' check "${where[@]}" || return
	run 0 '^inconclusive|new' check --one-sided-ok "${where[@]}" || return
	commit 2 && add 499 "${where[@]}" && run 0 '^same: 1 same' check "${where[@]}" || return
	commit 3 && add 500 "${where[@]}" || return
	run 3 "^worse +xdp_lb .*$(git -C "$work/repo" rev-parse --short=12 HEAD) +499 +500 +\+1" check "${where[@]}" || return
	run 0 '^same' check "${where[@]}" --fail-on 'instructions:min>5' || return
	run 0 '^-+ +\+1 \(\+0.2%\)' show "${where[@]}" || return
	# another kernel is no change of the program
	commit 4 && report 700 6.13.1 >"$work/report.json" || return
	run 0 '' add "${where[@]}" "$work/report.json" || return
	run 5 '^new +xdp_lb' check "${where[@]}" || return
	run 1 'the newest commit is the first with kernel 6\.13\.1' check --strict "${where[@]}" || return
	run 0 '^no change in 1 commit on 6\.13\.1' show "${where[@]}" --since HEAD || return
	run 2 'has no such commit or date' show "${where[@]}" --since v9 || return
	run 1 'no report has a value of a chosen program and event' show "${where[@]}" --name nonsense
}

# A branch has its own history: notes on commits of other branches are left out.
branches()
{
	new_repo && commit 1 && add 499 --notes && commit 2 && add 499 --notes || return
	git -C "$work/repo" checkout -q -b other HEAD~1 && commit 3 && add 600 --notes || return
	run 3 '^worse' check --notes || return
	git -C "$work/repo" checkout -q - && commit 4 && add 499 --notes || return
	run 0 '^same' check --notes || return
	run 0 '^no change in 3 commits' show --notes
}

# --date replaces the date of the commit, so the history can have dates in another order than the commits.
given_dates()
{
	new_repo && commit 1 && commit 2 && report 499 >"$work/report.json" || return
	run 0 '' add --notes --commit HEAD~1 --date 2040-01-01 "$work/report.json" || return
	run 0 '^no change in 1 commit' show --notes
}

# A shallow clone says why it has only the newest reports.
shallow()
{
	new_repo && commit 1 && add 499 --notes && commit 2 && add 499 --notes || return
	git clone -q --depth 1 "file://$work/repo" "$work/clone" || return
	git -C "$work/clone" fetch -q origin refs/notes/bprof:refs/notes/bprof || return
	rm -rf "$work/repo" && mv "$work/clone" "$work/repo" || return
	run 0 'notes on 1 commits are left out, because this clone is shallow' show --notes
}

# --since takes a date, or the beginning of a commit's name if no other name begins like this.
since()
{
	local i

	new_repo || return
	for i in 1 2 3; do
		add $((500 + i)) -f file --commit "v1.$i" --date "2026-01-0$i" || return
	done
	run 0 '^2 changes in 3 commits' show -f file || return
	run 0 '^1 change in 2 commits' show -f file --since 2026-01-02 || return
	run 0 '^1 change in 2 commits' show -f file --since 2026-01-01T12:00:00Z || return
	run 0 'in 1 commit' show -f file --since v1.3 || return
	run 2 '^bprof: --since v1: several commits begin so' show -f file --since v1 || return
	run 2 '^bprof: --since 2026-01-04: the history has no such commit or date' show -f file --since 2026-01-04
}

# In a file, a commit that a wrong clock dated hides later commits: check says so.
wrong_clock()
{
	new_repo && commit 1 && add 499 && commit 2000 && add 499 || return
	run 0 '^same: 1 same' check || return
	! grep -q 'has a later date' "$work/out" || return
	commit 2 && add 600 || return
	run 0 'commit [0-9a-f]{12}, but commit [0-9a-f]{12} has a later date .2031-06-24, not 2026-01-03.' check || return
	run 0 '' add --notes "$work/report.json" && run 5 '^new' check --notes || return
	! grep -q 'has a later date' "$work/out"
}

# Commits of the same second, as after a rebase, have the order of parents before children.
same_date()
{
	local i

	new_repo || return
	for i in 1 2 3 4 5 6; do
		commit 1 && git -C "$work/repo" tag "t$i" || return
	done
	for i in 3 1 6 2 5 4; do
		add $((500 + i)) --notes --commit "t$i" || return
	done
	run 0 '^5 changes' show --notes || return
	grep -oE ' 50[0-9]\b' "$work/out" | tr -d ' \n' | grep -qx 501502503504505506
}

# bprof shows git's message about a damaged repository, git's warnings, and that git is not installed.
git_fails()
{
	local notes out

	new_repo && commit 1 && add 499 --notes || return
	notes=$(cat "$work/repo/.git/refs/notes/bprof") && mkdir -p "$work/no_git" || return
	echo broken >"$work/repo/.git/refs/notes/bprof"
	run 1 'git notes: warning: ignoring broken ref refs/notes/bprof' show --notes || return
	run 1 "^bprof: git notes: fatal: .*refs/notes/bprof" add --notes "$work/report.json" || return
	echo "$notes" >"$work/repo/.git/refs/notes/bprof"
	rm -f "$work/repo/.git/objects/${notes:0:2}/${notes:2}"
	run 1 '^bprof: git notes: fatal: Failed to read notes tree' show --notes || return
	run 1 '^bprof: git notes: fatal: Failed to read notes tree' add --notes "$work/report.json" || return
	! out=$(env PATH="$work/no_git" "$bprof" history show --notes 2>&1) &&
		[ "$out" = 'bprof: git: No such file or directory' ]
}

# When many processes add at the same time, no line is lost or mixed with another line.
at_once()
{
	local i

	new_repo && commit 1 && report 499 >"$work/report.json" || return
	for i in $(seq 24); do
		(cd "$work/repo" && "$bprof" history add "$@" "$work/report.json" "$work/report.json") &
	done
	wait
	if [ $# -gt 0 ]; then
		git -C "$work/repo" notes --ref=bprof show HEAD >"$work/lines" || return
	else
		cp "$work/repo/bprof-history.jsonl" "$work/lines"
	fi
	[ "$(grep -c . "$work/lines")" = 48 ] && [ "$(grep . "$work/lines" | sort -u | wc -l)" = 1 ] &&
		run 0 'measurements replaced by a later one of the same commit: 47' show "$@"
}

# If a killed writer left a part of a line, bprof leaves this part out, and the next line is complete.
damaged()
{
	local file=$work/repo/bprof-history.jsonl

	new_repo && commit 1 && add 499 && commit 2 && add 499 || return
	head -c -100 "$file" >"$work/cut" && cp "$work/cut" "$file" || return
	run 0 'bprof-history.jsonl:2: the line is left out: it is cut off' show || return
	run 1 'the newest report cannot be read; remove its line' check || return
	add 499 && run 0 '^same' check || return
	grep -q 'bprof-history.jsonl:2: the line is left out: it is cut off' "$work/out" || return
	[ "$(wc -l <"$file")" = 3 ] && sed 's/"schema":1/"schema":2/; q' "$file" >"$work/newer" || return
	cat "$work/newer" >>"$file"
	run 1 'report: a report of a newer bprof \(schema 2\): this one reads up to 1' check
}

full_disk()
{
	new_repo && commit 1 && report 499 >"$work/report.json" || return
	run 1 '/dev/full: No space left on device' add --file /dev/full "$work/report.json" || return
	(trap '' XFSZ; ulimit -f 3; run 1 'No space left|File too large' add "$work/report.json" "$work/report.json" \
		"$work/report.json" "$work/report.json" "$work/report.json" "$work/report.json") || return
	# only complete lines remain
	[ "$(tail -c 1 "$work/repo/bprof-history.jsonl" | od -An -c | tr -d ' ')" = '\n' ]
}

errors()
{
	new_repo && report 499 >"$work/report.json" && echo x >"$work/bad.json" || return
	echo '{"schema":1,"tool":"bprof","version":"","command":[],"host":{"kernel":"","arch":"","cpus":1,"jit":false},
		"started":"1970-01-01T00:00:00Z","elapsed_ns":0,"repeats":1,"calibrated":false,"programs":[],"skipped":[]}' \
		>"$work/empty.json"
	run 2 'there is no git repository with a commit here; name the version' add "$work/report.json" || return
	run 2 'git knows no such commit' add --notes --commit v1 "$work/report.json" || return
	run 0 '' add --commit v1 --date 2026-01-01 "$work/report.json" || return
	run 2 'write it as 2026-01-31' add --commit v2 --date yesterday "$work/report.json" || return
	run 1 'bad.json:1: not a report of bprof' add --commit v2 "$work/bad.json" || return
	run 1 'a report on the system' add --commit v2 "$top/tests/golden/system.json" || return
	run 1 'has no program|no program of the report has a value' add --commit v2 "$work/empty.json" || return
	run 1 'a comparison \(of bprof diff\)' add --commit v2 "$top/tests/golden/compare/changes.json" || return
	run 2 'choose --github' export || return
	run 2 'choose one format' export --github --benchfmt || return
	run 2 '--benchfmt writes all reports: --name' export --benchfmt --name '*' || return
	run 2 '--benchfmt writes all reports: --name' export --benchfmt --since v1 || return
	run 2 "unexpected argument 'x'" show x || return
	run 2 'a command is missing' || return
	run 2 "there is no event 'cyclse'" check --fail-on 'cyclse:min>1' || return
	! "$bprof" report "$work/repo/bprof-history.jsonl" >"$work/out" 2>&1 &&
		grep -q "a history of reports: 'bprof history show' shows it" "$work/out"
}

export_of()
{
	"$bprof" history export -f tests/golden/history/history.jsonl "--$1" 2>"$work/err"
}

# Checks the export as extractCustomBenchmarkResult() in src/extract.ts of github-action-benchmark does
reads_github()
{
	export_of github | python3 -c '
import json, sys
results = [{key: e.get(key) for key in ("name", "value", "unit", "range", "extra")} for e in json.load(sys.stdin)]
assert len({e["name"] for e in results}) == len(results) == 3
assert all(isinstance(e["name"], str) and isinstance(e["unit"], str) and e["value"] > 0 for e in results)'
}

# Runs the commands of the guide. bmf.json must be as in https://bencher.dev/v0/bmf.json, and otava.csv as CsvImporter
# in otava/importer.py of Apache Otava reads it with its default options.
converts()
{
	local commands

	# shellcheck disable=SC2016 # the page's backticks
	commands=$(sed -n '/^## Other tools/,$p' docs/guide-history.md | sed -n '/^```sh/,/^```$/p' | grep -v '^```')
	cp tests/golden/history/history.jsonl "$work/bprof-history.jsonl"
	(cd "$work" && PATH="$(dirname "$bprof"):$PATH" bash -ec "$commands") && (cd "$work" && python3 -) <<'END'
import csv, datetime, json, jsonschema
metric = {"type": "object", "properties": {k: {"type": "number"} for k in ("value", "lower_value", "upper_value")},
          "required": ["value"]}
schema = {"type": "object", "patternProperties": {".+": {"type": "object", "patternProperties": {".+": metric}}}}
document = json.load(open("bmf.json"))
jsonschema.Draft7Validator(schema).validate(document)
assert [m["value"] for s in document.values() for m in s.values()] == [700, 504, 232.588358], document
headers, *rows = csv.reader(open("otava.csv", newline=""), delimiter=",", quotechar='"')
assert headers[:2] == ["time", "commit"] and len(set(headers)) == len(headers) == 5, headers
assert len(rows) == 2 and all(len(row) == len(headers) for row in rows)
for row in rows:
    datetime.datetime.strptime(row[0], "%Y-%m-%dT%H:%M:%SZ")
    assert all(float(value) > 0 for value in row[2:])
END
}

check 'history: a history in a file' lives_in
check 'history: a history in git notes' lives_in --notes
check 'history: each branch has its own history' branches
check 'history: --since' since
check 'history: notes with dates that the user gave' given_dates
check 'history: a shallow clone' shallow
check 'history: commits of the same date are in order' same_date
check 'history: a date of a wrong clock' wrong_clock
check 'history: many add to a file at once' at_once
check 'history: many add notes at once' at_once --notes
check 'history: a damaged repository, and no git' git_fails
check 'history: a damaged file' damaged
check 'history: a full disk' full_disk
check 'history: errors' errors
check 'history: github-action-benchmark reads it' reads_github
check 'history: the commands of the guide for Bencher and Otava' converts
finish
