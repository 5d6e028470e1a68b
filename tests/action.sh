#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Tests the steps of the GitHub action after its installation. A stand-in for bprof-bench-vm returns saved reports, and
# a local server implements the parts of the APIs of GitHub and GitLab that the steps use. The real bprof keeps and
# shows the history. Prints TAP.
# shellcheck disable=SC2317 # check calls the functions
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

tree=$PWD
host_arch=$(uname -m | sed s/aarch64/arm64/)

# The server keeps comments in a JSON file, and refuses a wrong token. It answers with pages of two
# comments at most if "per_page" says so, as the APIs do.
write_server()
{
	cat >"$work/server.py" <<-'END'
		import http.server, json, re, sys, urllib.parse

		store, port_file = sys.argv[1:]

		class Handler(http.server.BaseHTTPRequestHandler):
		    def answer(self, status, doc):
		        body = json.dumps(doc).encode()
		        self.send_response(status)
		        self.send_header("Content-Length", str(len(body)))
		        self.end_headers()
		        self.wfile.write(body)

		    def handle_call(self):
		        url = urllib.parse.urlparse(self.path)
		        query = urllib.parse.parse_qs(url.query)
		        if self.headers.get("Authorization") != "Bearer right" and self.headers.get("PRIVATE-TOKEN") != "right":
		            return self.answer(403, {"message": "forbidden"})
		        comments = json.load(open(store))
		        one = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)|/projects/5/merge_requests/7/notes/(\d+)", url.path)
		        if one and self.command == ("PATCH" if one[1] else "PUT"):
		            text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
		            comments[int(one[1] or one[2]) - 1]["body"] = text
		            doc = {}
		        elif url.path not in ("/repos/o/r/issues/7/comments", "/projects/5/merge_requests/7/notes"):
		            return self.answer(404, {})
		        elif self.command == "POST":
		            text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
		            doc = {"id": len(comments) + 1, "body": text}
		            comments.append(doc)
		        else:
		            size, page = int(query["per_page"][0]), int(query["page"][0])
		            doc = comments[(page - 1) * size:page * size]
		        json.dump(comments, open(store, "w"))
		        self.answer(200, doc)

		    do_GET = do_POST = do_PATCH = do_PUT = handle_call

		    def log_message(self, *args):
		        pass

		server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
		open(port_file, "w").write(str(server.server_port))
		server.serve_forever()
	END
}

start_server()
{
	write_server
	python3 "$work/server.py" "$work/comments.json" "$work/port" &
	server=$!
	until [ -s "$work/port" ]; do
		kill -0 "$server" || exit 1
		sleep 0.05
	done
}

# comments N: makes the state of a server that has N comments of other people
comments()
{
	python3 -c 'import json, sys
json.dump([{"id": i + 1, "body": "comment %d" % i} for i in range(int(sys.argv[1]))], open(sys.argv[2], "w"))' "$1" "$work/comments.json"
}

# body N: prints the N-th comment
body()
{
	python3 -c 'import json, sys; print(json.load(open(sys.argv[2]))[int(sys.argv[1]) - 1]["body"])' "$1" "$work/comments.json"
}

count()
{
	python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))))' "$work/comments.json"
}

# github ARG...: runs a step of the action for pull request 7
github()
{
	(cd "$work/repo" && env GITHUB_API_URL="http://127.0.0.1:$(cat "$work/port")" GITHUB_REPOSITORY=o/r GITHUB_REF="$ref" \
		GITHUB_WORKFLOW=w GITHUB_JOB=j GH_TOKEN="${token:-right}" RUNNER_TEMP="$work/temp" GITHUB_OUTPUT="$work/output" \
		GITHUB_STEP_SUMMARY="$work/summary" GITHUB_SHA="$(git -C "$work/repo" rev-parse HEAD)" BPROF_DIR="$work/bprof" "$@")
}

# The first run writes a comment. Later runs replace it, also if it is not on the first page of the API's answer.
test_comment()
{
	ref=refs/pull/7/merge
	comments 150
	echo 'worse: **"1"** \ x' >"$work/report"
	github "$tree/scripts/action" comment "$work/report" && [ "$(count)" = 151 ] || return 1
	diff <(body 151) <(echo '<!-- bprof w j -->'; cat "$work/report"; echo) || return 1
	echo 'same' >"$work/report"
	github "$tree/scripts/action" comment "$work/report" && [ "$(count)" = 151 ] &&
		diff <(body 151) <(printf '<!-- bprof w j -->\nsame\n\n') && [ "$(body 150)" = "comment 149" ]
}

# Another job has a comment of its own. A push has no comment.
test_comment_of_job()
{
	echo other >"$work/report"
	ref=refs/pull/7/merge github env GITHUB_JOB=k "$tree/scripts/action" comment "$work/report" && [ "$(count)" = 152 ] &&
		ref=refs/heads/main github "$tree/scripts/action" comment "$work/report" && [ "$(count)" = 152 ]
}

# A job without the permission continues with a warning.
test_no_permission()
{
	local out

	out=$(ref=refs/pull/7/merge token=wrong github "$tree/scripts/action" comment "$work/report" 2>&1) && echo "$out" &&
		[[ $out == *'::warning title=bprof::no comment was written'* ]]
}

gitlab()
{
	env GITLAB_CI=true CI_API_V4_URL="http://127.0.0.1:$(cat "$work/port")" CI_PROJECT_ID=5 CI_MERGE_REQUEST_IID=7 \
		CI_JOB_NAME=bprof BPROF_TOKEN=right RUNNER_TEMP="$work/temp" "$tree/scripts/action" comment "$work/report"
}

test_gitlab()
{
	comments 1
	gitlab && echo again >"$work/report" && gitlab && [ "$(count)" = 2 ] &&
		diff <(body 2) <(printf '<!-- bprof bprof -->\nagain\n\n')
}

# ---- history ----

# Writes a bprof-bench-vm that saves reports of both architectures, in which xdp_lb needs $1
# instructions.
write_bench_vm()
{
	mkdir -p "$work/bprof/bin" "$work/bprof/lib/bprof/$host_arch"
	ln -sf "$tree/build/$host_arch/bprof" "$work/bprof/lib/bprof/$host_arch/bprof"
	cat >"$work/bprof/bin/bprof-bench-vm" <<-END
		#!/usr/bin/env bash
		while [ \$# -gt 0 ]; do
			case \$1 in
			-o | --save-new) file=\$2; shift ;;
			esac
			shift
		done
		for arch in arm64 x86_64; do
			sed "s/\"ARCH\"/\"\$arch\"/" "$work/report.json" >"\${file%.json}-\$arch.json"
		done
		[ "${2:-0}" = 0 ] || echo 'worse: 1 worse'
		exit ${2:-0}
	END
	chmod +x "$work/bprof/bin/bprof-bench-vm"
	cat >"$work/report.json" <<-END
		{"schema":1,"tool":"bprof","version":"0.1.0","command":["bprof"],"host":{"kernel":"6.12","arch":"ARCH","cpus":1,
		"cpu_model":"","jit":true},"started":"2026-01-01T00:00:00Z","elapsed_ns":1000000000,"calibrated":true,"programs":[
		{"id":1,"name":"xdp_lb","func":"xdp_lb","type":"xdp","tag":"d4f8542f2b42fac5","method":"fentry","runs":8000,"measured":8000,
		"lost":{"entry":0,"read":0,"overflow":0,"recursion":0},"events":[{"name":"instructions","unit":"","status":"ok","exact":true,
		"total":$(($1 * 8000)),"measured":8000,"per_run":{"mean":$1,"min":$1,"p50":$1}}]}],"skipped":[]}
	END
}

# bench COST [STATUS] [VARIABLE=VALUE]...: commits, and runs the action's step on the commit
bench()
{
	local cost=$1 status=${2:-0}

	write_bench_vm "$cost" "$status"
	git -C "$work/repo" commit -q --allow-empty -m "costs $cost" || return 1
	: >"$work/output"
	: >"$work/summary"
	github env BPROF_NEW=prog.o BPROF_FAIL='worse inconclusive unmeasured' "${@:3}" "$tree/scripts/action" bench
}

output()
{
	sed -n "s/^$1=//p" "$work/output"
}

# The history in a cache: each push adds the reports of both architectures.
test_cached_history()
{
	local file=$work/temp/bprof-history/bprof-history.jsonl

	ref=refs/heads/main
	rm -rf "$work/temp"/*
	bench 100 0 BPROF_HISTORY=cache && bench 100 0 BPROF_HISTORY=cache && [ "$(wc -l <"$file")" = 4 ] || return 1
	grep -q '^## History' "$work/summary" && grep -q '<html' "$(output page)" && [ "$(output status)" = 0 ] &&
		python3 -c 'import json, sys
github = json.load(open(sys.argv[1]))
assert github and all(p["value"] == 100 for p in github), github' "$(output benchmark)"
}

# Without an old object, a push fails if a program takes one instruction more. The report is added to the history.
test_worse_push()
{
	local status=0 file=$work/temp/bprof-history/bprof-history.jsonl

	bench 101 0 BPROF_HISTORY=cache || status=$?
	[ "$status" -eq 3 ] && [ "$(output status)" = 3 ] && [ "$(wc -l <"$file")" = 6 ] && grep -q '+1 (' "$work/summary"
}

# A pull request is compared with the history, but does not change it. It gets one comment.
test_pull_request()
{
	local status=0 file=$work/temp/bprof-history/bprof-history.jsonl

	ref=refs/pull/7/merge
	comments 0
	bench 105 3 BPROF_HISTORY=cache BPROF_OLD=old.o BPROF_COMMENT=true || status=$?
	[ "$status" -eq 3 ] && [ "$(wc -l <"$file")" = 6 ] && [ "$(count)" = 1 ] || return 1
	[[ $(body 1) == *'## History'*'+4 ('* ]] && grep -q '<html' "$(output page)" || return 1
	bench 105 3 BPROF_HISTORY=cache BPROF_OLD=old.o BPROF_COMMENT=true BPROF_FAIL='' && [ "$(count)" = 1 ]
}

# The history on a branch: another run may have pushed since this run fetched the history.
test_branch_history()
{
	local status=0

	ref=refs/heads/main
	rm -rf "$work/temp"/*
	bench 100 0 BPROF_HISTORY=costs && bench 100 0 BPROF_HISTORY=costs || return 1
	git -C "$work/origin" show costs:bprof-history.jsonl >"$work/kept" && [ "$(wc -l <"$work/kept")" = 4 ] || return 1
	[ "$(git -C "$work/origin" rev-list --count costs)" = 2 ] && [ "$(git -C "$work/origin" ls-tree --name-only costs)" = bprof-history.jsonl ]
}

# A push is refused if the branch has moved. A hook moves the branch at the first try.
test_branch_race()
{
	cat >"$work/origin/hooks/pre-receive" <<-'END'
		#!/bin/sh
		[ ! -e moved ] || exit 0
		touch moved
		unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
		blob=$(git show costs:bprof-history.jsonl | sed -n '1s/"commit":"[^"]*"/"commit":"other"/p' | git hash-object -w --stdin)
		tree=$(printf '100644 blob %s\tbprof-history.jsonl\n' "$blob" | git mktree)
		git update-ref refs/heads/costs "$(git -c user.name=x -c user.email=x@x commit-tree "$tree" -p costs -m other)"
		exit 1
	END
	chmod +x "$work/origin/hooks/pre-receive"
	bench 100 0 BPROF_HISTORY=costs || return 1
	git -C "$work/origin" show costs:bprof-history.jsonl >"$work/kept"
	wc -l "$work/kept"
	[ -e "$work/origin/moved" ] && [ "$(wc -l <"$work/kept")" -eq 7 ] && grep -q '"commit":"other"' "$work/kept"
}

# The documented workflows name a tag of this action, and the action names a tag of each other action.
test_pinned()
{
	! grep -nE 'uses: .*@(main|master)\b' action.yml docs/*.md && ! grep -nE 'uses: [^ @]+$' action.yml &&
		grep -qE 'OWNER/bprof@v[0-9]' docs/ci.md
}

server=''
ref=''
work=$(mktemp -d)
trap 'kill $server; rm -rf "$work"' EXIT
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=init.defaultBranch \
	GIT_CONFIG_VALUE_0=main
mkdir "$work/temp"
make -s "build/$host_arch/bprof" && git init -q --bare "$work/origin" && git init -q "$work/repo" &&
	git -C "$work/repo" remote add origin "$work/origin" && git -C "$work/repo" config user.name Test &&
	git -C "$work/repo" config user.email test@localhost && git -C "$work/repo" commit -q --allow-empty -m first || exit 1
start_server
check "one comment on a pull request, replaced by later runs" test_comment
check "a comment for each job, and none for a push" test_comment_of_job
check "no permission to comment" test_no_permission
check "one note on a merge request of GitLab" test_gitlab
check "the history in a cache" test_cached_history
check "a push that is worse than the history" test_worse_push
check "a pull request beside the history" test_pull_request
check "the history on a branch" test_branch_history
check "another run pushes at the same time" test_branch_race
check "used at a tag" test_pinned
finish
