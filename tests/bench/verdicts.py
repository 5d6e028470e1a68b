#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Counts the verdicts of the comparisons that compare.sh made. verdicts.py exact|noisy NAME DIR... prints the rows of
a Markdown table for NAME. A comparison is worse if any of its rows is worse."""

import collections
import json
import pathlib
import sys

# The verdict of a comparison is the first of these that any of its rows has.
VERDICTS = ("worse", "better", "gone", "new", "inconclusive", "same")
COLUMNS = ("worse", "better", "same", "inconclusive", "failed")
UNSURE = {"gone", "new", "inconclusive"}


def read(directory):
    """Yields kind, the program's case or number, exit status and report (or None) of each comparison."""
    for line in (directory / "status").read_text().splitlines():
        name, status = line.split()
        kind, _, which = name.partition("-")
        try:
            report = json.loads((directory / f"{name}.json").read_text())
        except ValueError:
            report = None
        yield kind, which, int(status), report


def verdict(status, report):
    """Returns the verdict of a comparison, or "failed" if it has no report or its exit status does not match the rows."""
    rows = {row["verdict"] for row in report["comparisons"]} if report else set()
    expected = 3 if "worse" in rows else 5 if rows & UNSURE else 0
    return next(v for v in VERDICTS if v in rows) if rows and status == expected else "failed"


def is_plus_one(report):
    """Returns true if the minimum cost of xdp_hot is exactly one higher and no other program has changed."""
    rows = report["comparisons"]
    hot = [row for row in rows if row["program"] == "xdp_hot" and row["stat"] == "min"]
    others = [row for row in rows if row["program"] != "xdp_hot"]
    return (len(hot) == 1 and hot[0]["exact"] and hot[0]["verdict"] == "worse"
            and hot[0]["change"]["estimate"] == 1 and others
            and all(row["verdict"] == "same" for row in others))


def exact(name, directories):
    found = collections.Counter()
    programs = set()
    for directory in directories:
        for kind, which, status, report in read(directory):
            found[kind] += 1
            if kind == "more":
                found["plus_one"] += status == 3 and report is not None and is_plus_one(report)
            else:
                found[kind + "_same"] += status == 0 and verdict(status, report) == "same"
                if kind == "real":
                    programs.add(which)
    print(f"| {name} | {len(directories)} | {found['plus_one']} of {found['more']} "
          f"| {found['same_same']} of {found['same']} "
          f"| {found['real_same']} of {found['real']} ({len(programs)} programs) "
          f"| {found['functions_same']} of {found['functions']} |")


def noisy(name, directories):
    found = {"same": collections.Counter(), "more": collections.Counter()}
    for directory in directories:
        for kind, _, status, report in read(directory):
            found[kind][verdict(status, report)] += 1
    for kind, title in (("same", "no change"), ("more", "+10 %")):
        total = sum(found[kind].values())
        cells = " | ".join(str(found[kind][column]) for column in COLUMNS)
        # How many comparisons found a change. Without a change, these are the false ones.
        called = found[kind]["worse"] + (found[kind]["better"] if kind == "same" else 0)
        print(f"| {name} | {title} | {total} | {cells} | {100 * called / max(total, 1):.1f} % |")


def main():
    kinds = {"exact": exact, "noisy": noisy}
    if len(sys.argv) < 4 or sys.argv[1] not in kinds:
        sys.exit("usage: verdicts.py exact|noisy NAME DIR...")
    kinds[sys.argv[1]](sys.argv[2], [pathlib.Path(arg) for arg in sys.argv[3:]])


main()
