#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares the output of Go's pprof for a profile with JSON of bprof. tests/pprof.sh runs this program.

  tests/pprof.py annotation JSON PROFILE   functions and lines of the annotation of a recording
  tests/pprof.py tree REPORT PROFILE [runs]  call tree: all values, or only the number of calls
  tests/pprof.py read PROFILE TYPE...      each type of value has a total
"""
import collections
import json
import os
import re
import subprocess
import sys


def pprof(profile, *options):
    """Returns the lines of pprof's output that follow its header."""
    result = subprocess.run(["go", "tool", "pprof", *options, profile], check=True, capture_output=True, text=True,
                            env={**os.environ, "PPROF_TMPDIR": os.path.dirname(profile)})
    print(result.stderr, end="")
    return result.stdout.split("\n")


def top(profile, value, *options):
    """Returns the flat and cumulated values of each name, in pprof's base unit."""
    rows = {}
    for line in pprof(profile, "-top", "-nodefraction=0", "-nodecount=100000", "-unit=" + unit_of(value),
                      "-sample_index=" + value, *options):
        m = re.match(r" *(-?\d+)\S* +\S+% +\S+% +(-?\d+)\S* +\S+% +(.*?)(?: \(inline\))?$", line)
        if m:
            rows[m[3].strip()] = int(m[1]), int(m[2])
    assert rows, "pprof shows nothing"
    return rows


def unit_of(value):
    return "nanoseconds" if value in ("time", "cpu-clock") else "count"


def frame(program):
    return f"bpf_prog_{program['tag']}_{program['name']}"


def same(what, got, wanted):
    assert got == wanted, f"{what}: pprof shows {got}, bprof has {wanted}"


def check_annotation(path, profile):
    with open(path) as f:
        doc = json.load(f)
    for value, key in (("samples", "samples"), (doc["event"]["name"], "weight")):
        funcs, lines = collections.Counter(), collections.Counter()
        programs = {}
        for p in doc["programs"]:
            programs[frame(p)] = (0, p[key])
            for f in p["functions"]:
                funcs[f["name"]] += f[key]
                for line in f["lines"]:
                    place = f":{line['line']}" if line["line"] else ""  # pprof shows no line 0
                    lines[f"{f['name']} {os.path.normpath(line['file'])}{place}"] += line[key]
        wanted = {name: (n, n) for name, n in funcs.items() if n}
        same(value, top(profile, value), {**wanted, **{n: v for n, v in programs.items() if v[1]}})
        got = {name: flat for name, (flat, _) in top(profile, value, "-lines").items() if flat}
        same(f"{value} of lines", got, {name: n for name, n in lines.items() if n})
        assert len(wanted) > 2 and len(got) > 5, "the recording has too few samples for this test"


def paths(profile, value):
    """Returns the value of each call path: names joined by ';', the outermost caller first."""
    found, path, n = collections.Counter(), [], 0
    for line in [*pprof(profile, "-traces", "-unit=" + unit_of(value), "-sample_index=" + value), "---"]:
        m = re.match(r" *(-?\d+)(?:ns|count)? {3}(\S.*)$", line)
        if line.startswith("---"):
            if path:
                found[";".join(reversed(path))] += n
            path = []
        elif m and not path:
            n, path = int(m[1]), [m[2].strip()]
        elif path and line.strip():
            path.append(line.strip())
    return found


def check_tree(path, profile, *only):
    with open(path) as f:
        doc = json.load(f)
    for value in only or ("runs", "instructions", "time"):
        wanted, stack = {}, []
        for p in doc["programs"]:
            stack[p.get("depth", 0):] = [p["func"]]
            n = p["runs"]
            for e in p["events"]:
                if e["name"] == value:
                    n = max(0, round(e["per_run"]["self"] * p["runs"]))
            wanted[";".join([frame(p), *stack])] = n
        assert len(wanted) > 5 and len(doc["programs"][0]["cpus"]) > 0
        same(value, paths(profile, value), wanted)
        rows = top(profile, value)
        for p in doc["programs"]:
            if not p.get("depth"):
                # the costs of all functions must add up to the program's total
                cost = [e["total"] for e in p["events"] if e["name"] == value and value == "instructions"]
                for n in cost:
                    same(f"{value} of {p['func']}", rows[frame(p)][1], n)


def check_read(profile, *values):
    for value in values:
        assert sum(flat for flat, _ in top(profile, value).values()) > 0


ACTIONS = {"annotation": check_annotation, "tree": check_tree, "read": check_read}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ACTIONS:
        sys.exit(__doc__)
    ACTIONS[sys.argv[1]](*sys.argv[2:])
