#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Checks what tests/sweep/guest wrote: check.py DIRECTORY. Prints counts, and a line for each fault."""

import collections
import json
import pathlib
import re
import sys

# 0: done; 4: nothing could be measured, for a reason; bench also fails (1) with a message.
GOOD = {"stat": {0, 4}, "trace": {0, 4}, "annotate": {0, 4}, "bench": {0, 1, 4}, "drive": {0, 1}}
HUNG = {124, 137, 143}
VM = pathlib.Path(__file__).parents[2] / "scripts/vm"


def splats():
    """The lines by which scripts/vm knows that the kernel reports a bug of its own."""
    pattern = re.search("^SPLATS='(.*)'$", VM.read_text(), re.M)[1]
    return re.compile(re.sub(r"\\[<>]", r"\\b", pattern))


def read(path):
    return path.read_text(errors="replace") if path.exists() else ""


def check_status(name, status, directory):
    errors = read(directory / f"{name}.err").strip()
    if status in HUNG:
        return f"{name} hung"
    if status not in GOOD[name]:
        return f"{name} ended with status {status}: {errors[-300:]}"
    if status and not errors:
        return f"{name} ended with status {status} and no message"
    return None


def check_row(row):
    """A function that ran has a number, or its report says why not."""
    label = f"stat: program {row['name']}, function {row['func']}"
    if row.get("runs") and not any(event["per_run"] for event in row["events"]):
        if not row.get("notes") and not any(event.get("detail") for event in row["events"]):
            yield f"{label}: {row['runs']} runs, but no number and no reason"
    for event in row["events"]:
        if event["per_run"].get("mean", 0) < 0:
            yield f"{label}: costs {event['per_run']['mean']}"


def check_programs(directory, counts):
    """Each loaded program has a row or a reason."""
    programs = [line.split() for line in read(directory / "programs").splitlines()]
    if not programs:
        return
    counts["objects of which the kernel accepts programs"] += 1
    counts["programs"] += len(programs)
    try:
        report = json.loads(read(directory / "stat.json"))
    except ValueError:
        yield f"stat: no report for {len(programs)} programs"
        return
    rows = {row["id"] for row in report["programs"]}
    ran = {row["id"] for row in report["programs"] if row.get("runs")}
    reasons = {skip["id"]: skip["reason"] for skip in report["skipped"] if "id" in skip}
    for number, _, name in ((int(p[0]), p[1], p[2]) for p in programs):
        if number in rows:
            counts["programs measured while they ran" if number in ran else "programs measured that did not run"] += 1
        elif number in reasons:
            counts[f"programs refused ({reasons[number]})"] += 1
        else:
            yield f"stat: program {name} has neither a row nor a reason"
    counts["functions measured"] += len(report["programs"])
    counts.update(f"functions refused ({skip['reason']})" for skip in report["skipped"] if skip.get("id") in rows)
    for row in report["programs"]:
        yield from check_row(row)


def check_object(directory, splat, counts):
    found = [line for line in read(directory / "dmesg").splitlines() if splat.search(line)]
    if found:
        yield f"kernel: {found[0]}"
    for line in read(directory / "status").splitlines():
        name, status = line.split()
        yield check_status(name, int(status), directory)
    yield from check_programs(directory, counts)


def main():
    top = pathlib.Path(sys.argv[1]).resolve()
    counts = collections.Counter()
    broke = sorted(top.glob("*/*.broke"))
    faults = [f"{path.stem}: the VM ended while it was measured; see {path}" for path in broke]
    splat = splats()
    objects = sorted(top.glob("*/out/*/"))
    for directory in objects:
        faults += [f"{directory.name}: {fault}" for fault in check_object(directory, splat, counts) if fault]
    counts["objects"] = len(objects) + len(broke)
    counts["faults"] = len(faults)
    print(f"{top.name}:")
    for name, number in sorted(counts.items()):
        print(f"  {number:6} {name}")
    for fault in faults:
        print(f"  {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
