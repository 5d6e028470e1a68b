#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Reads timelines in the Trace Event Format as viewers do, and checks them. tests/timeline.sh runs this program.

  tests/timeline.py trace FILE <TIMES   xdp_slow's ten slow runs; TIMES: when their packets were captured, in ns
  tests/timeline.py every FILE          every call of branch, in 100 runs of xdp_tree, and 50 runs of xdp_slow
  tests/timeline.py stat FILE           20,000 runs of xdp_slow and 300 of xdp_tree
  tests/timeline.py system FILE         the whole system
  tests/timeline.py watch FILE NOTE     what is loaded; NOTE: bprof's note with the number of loads
  tests/timeline.py cut FILE            the beginning of a timeline
"""
import collections
import json
import re
import sys
from decimal import Decimal


def load(path, is_cut=False):
    """Returns the events, after checking that they meet the requirements of the format."""
    with open(path, encoding="ascii") as f:
        text = f.read()
    if is_cut:
        text = text[:text.rindex("\n")] + "]"  # viewers drop an incomplete last event
    events = json.loads(text, parse_float=Decimal)
    for e in events:
        assert e["ph"] in "XCiM" and isinstance(e["name"], str) and isinstance(e["args"], dict), e
        assert isinstance(e["pid"], int) and isinstance(e["tid"], int), e
        assert e["ph"] == "M" or e["ts"] >= 0, e
        assert e["ph"] != "X" or e["dur"] >= 0, e
    assert events[0]["name"] == "bprof" and len(events) > 2
    return events


def of(events, phase):
    return [e for e in events if e["ph"] == phase]


def ns(us):
    assert us * 1000 == int(us * 1000)
    return int(us * 1000)


def check_runs(events):
    """Checks that each invocation has its net time as its duration, and that its track is named before it."""
    named = set()
    for e in events:
        track = e["pid"], e["tid"]
        if e["ph"] == "M" and e["name"] == "thread_name":
            named.add(track)
        if e["ph"] == "X":
            assert track in named, e
            assert ns(e["dur"]) == max(0, e["args"]["events"]["time"]), e
    summary = next(e["args"] for e in events if e["name"] == "summary")
    assert summary["records"] == len(of(events, "X")) and summary["lost"] == 0, summary
    return summary


def check_trace(path):
    events = load(path)
    assert check_runs(events)["invocations"] == 100000
    runs = of(events, "X")
    start = events[0]["args"]["time_ns"]
    assert [start + ns(e["ts"]) + ns(e["dur"]) for e in runs] == [int(line) for line in sys.stdin]
    assert len(runs) == 10
    for e in runs:
        assert e["name"] == "xdp_slow" and e["args"]["why"] == ["time>200us"] and ns(e["dur"]) > 200000, e
        assert e["args"]["events"]["instructions"] > 200000 and e["args"]["returned"] == "XDP_TX", e


def check_every(path):
    events = load(path)
    assert check_runs(events)["records"] == 350
    runs = of(events, "X")
    assert collections.Counter(e["name"] for e in runs) == {"branch": 300, "xdp_slow": 50}
    assert {e["args"]["program"] for e in runs} == {"xdp_tree", "xdp_slow"}
    for track in {e["tid"] for e in runs}:
        own = [e for e in runs if e["tid"] == track]
        assert all(a["ts"] + a["dur"] <= b["ts"] for a, b in zip(own, own[1:]))


def counters(events):
    """Returns the points of each counter: their times in ns and their values."""
    points = collections.defaultdict(list)
    names = {e["pid"]: e["args"]["name"] for e in of(events, "M")}
    for e in of(events, "C"):
        (value,) = e["args"].values()
        points[re.sub(r" \(\d+\)$", "", names[e["pid"]]), e["name"]].append((ns(e["ts"]), value))
    return points


def check_stat(path):
    points = counters(load(path))
    for program, wanted in ("xdp_slow", 20000), ("xdp_tree", 300):
        rates = points[program, "runs per second"]
        assert len(rates) > 2
        runs = [float(rate) * (end - begin) / 1e9 for (begin, rate), (end, _) in zip(rates, rates[1:])]
        assert abs(sum(runs) - wanted) < 0.001 * len(runs), (program, sum(runs))
        assert all(abs(n - round(n)) < 0.001 for n in runs), runs
        for event, cost in ("instructions", 10), ("time", 10):
            values = [value for _, value in points[program, f"{event} per run"]]
            assert values and all(value > cost for value in values), (program, event, values)


def check_system(path):
    points = counters(load(path))
    assert list(points) == [("system", "instructions per second")], list(points)
    assert all(value > 1000 for _, value in points["system", "instructions per second"])


def check_watch(path, note):
    events = load(path)
    with open(note) as f:
        loads, unloads = map(int, re.search(r"(\d+) loads?, (\d+) unloads?", f.read()).groups())
    changes = collections.Counter(e["name"].split()[0] for e in of(events, "i"))
    assert (changes["load"], changes["unload"]) == (loads, unloads) and loads > 1, changes
    loaders = {e["args"]["comm"] for e in of(events, "i") if e["name"].startswith("load ")}
    assert loaders == {"drive"} == {e["args"]["name"] for e in of(events, "M")}, loaders


def check_cut(path):
    runs = of(load(path, is_cut=True), "X")
    assert len(runs) > 100 and all(e["name"] == "xdp_slow" for e in runs)


CHECKS = {"trace": check_trace, "every": check_every, "stat": check_stat, "system": check_system, "watch": check_watch,
          "cut": check_cut}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in CHECKS:
        sys.exit(__doc__)
    CHECKS[sys.argv[1]](*sys.argv[2:])
