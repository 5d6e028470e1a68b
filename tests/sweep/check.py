#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Checks what scripts/sweep wrote: check.py [--table] DIRECTORY…

Prints counts, and a line for each fault. With --table: the table of docs/dev/testing.md."""

import collections
import json
import pathlib
import re
import sys

# The allowed exit statuses. 0: done; 4: nothing could be measured, and a message says why; bench may also fail (1)
# with a message.
GOOD = {"stat": {0, 4}, "trace": {0, 4}, "annotate": {0, 4}, "bench": {0, 1, 4}, "drive": {0}}
HUNG = {124, 137, 143}
VM = pathlib.Path(__file__).parents[2] / "scripts/vm"
# The message of a recording without samples, which is no error.
NO_SAMPLES = "none of the samples is in the targets"


def splats():
    """Returns the pattern by which scripts/vm recognizes that the kernel reports a bug of its own."""
    pattern = re.search("^SPLATS='(.*)'$", VM.read_text(), re.M)[1]
    return re.compile(re.sub(r"\\[<>]", r"\\b", pattern))


def read(path):
    return path.read_text(errors="replace") if path.exists() else ""


def parse(text):
    """Returns a report, or None if the text is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def check_status(name, status, directory):
    errors = read(directory / f"{name}.err").strip()
    if status in HUNG:
        return f"{name} hung"
    if status not in GOOD[name.partition("-")[0]]:
        return f"{name} ended with status {status}: {errors[-300:]}"
    if status and not errors:
        return f"{name} ended with status {status} and no message"
    return None


# The statistics of a row, in the order of their values.
QUANTILES = ("min", "p50", "p90", "p95", "p99", "p99.9", "max")


def check_row(tool, row):
    """A function that ran must have a cost, or its report a reason. The numbers of a row must not contradict one
    another."""
    label = f"{tool}: program {row['name']}, function {row['func']}"
    if row.get("runs") and not any(event["per_run"] for event in row["events"]):
        if not row.get("notes") and not any(event.get("detail") for event in row["events"]):
            yield f"{label}: {row['runs']} runs, but no number and no reason"
    parts = [row.get("measured", 0), row.get("sampled_out", 0), *row.get("lost", {}).values()]
    if row.get("runs", 0) != sum(parts):
        yield f"{label}: {row['runs']} runs, but the measured and lost ones are {sum(parts)}"
    for event in row["events"]:
        numbers = [event["per_run"][name] for name in QUANTILES if name in event["per_run"]]
        if numbers != sorted(numbers):
            yield f"{label}: the quantiles do not ascend: {event['per_run']}"
        if event["per_run"].get("mean", 0) < 0:
            yield f"{label}: {row['runs']} runs cost {event['per_run']['mean']}"


def check_stat(directory, programs, counts):
    """Each loaded program must have a row, or a reason why it was not measured."""
    report = parse(read(directory / "stat.out"))
    if report is None:
        # Without a report, nothing could be measured, and only the messages have the reasons.
        reasons = dict(re.findall(r"^bprof: program (\d+) [^:]*: (.*)", read(directory / "stat.err"), re.M))
        report = {"programs": [], "skipped": [{"id": int(number), "reason": text} for number, text in reasons.items()]}
    rows = {row["id"] for row in report["programs"]}
    ran = {row["id"] for row in report["programs"] if row.get("runs")}
    reasons = {skip["id"]: skip["reason"] for skip in report["skipped"] if "id" in skip}
    for number, name, path in programs:
        if number in rows:
            counts["programs measured while they ran" if number in ran else "programs measured that did not run"] += 1
        elif number in reasons:
            counts[f"programs refused ({reasons[number]})"] += 1
        else:
            yield f"stat: program {name} of {path} has neither a row nor a reason"
    counts["functions measured"] += len(report["programs"])
    counts.update(f"functions refused ({skip['reason']})" for skip in report["skipped"] if skip.get("id") in rows)
    for row in report["programs"]:
        yield from check_row("stat", row)


def check_bench(directory, path, names, counts):
    """Each program of an object must have a row or a reason, or the whole object must have a reason."""
    report = parse(read(directory / f"bench-{path}.out"))
    if report is None:
        if not read(directory / f"bench-{path}.err").strip():
            yield f"bench: neither a report nor a reason for {path}"
        counts["objects refused by bench"] += 1
        return
    rows = collections.defaultdict(list)
    for row in report["programs"]:
        rows[row["name"]].append(row)
    skipped = {skip["name"] for skip in report["skipped"]}
    for name in names:
        # Without BTF the kernel knows only the first 15 characters.
        found = rows[name] or rows[name[:15]]
        if not found and not skipped & {name, name[:15]}:
            yield f"bench: program {name} of {path} has neither a row nor a reason"
        elif found and not any(row.get("runs") or row.get("notes") for row in found):
            yield f"bench: program {name} of {path} did not run, for no reason"
        counts["programs benched"] += any(row.get("runs") for row in found)
    for row in report["programs"]:
        yield from check_row("bench", row)


def check_trace(directory, counts):
    """Each line of the trace must be a record."""
    lines = read(directory / "trace.out").splitlines()
    records = [parse(line) for line in lines]
    if None in records:
        yield f"trace: not a record: {lines[records.index(None)][:200]}"
    counts["programs traced"] += len({record["id"] for record in records if record and "id" in record})


def check_annotate(directory, programs, counts):
    """Each program must have a listing or a line that says why it has none, unless there are no samples at all."""
    listed = {int(number) for number in re.findall(r"^program (\d+) ", read(directory / "annotate.out"), re.M)}
    errors = read(directory / "annotate.err")
    refused = {int(number) for number in re.findall(r"^bprof: program (\d+) ", errors, re.M)}
    for number, name, path in programs:
        if number not in listed | refused and NO_SAMPLES not in errors:
            yield f"annotate: program {name} of {path} has neither a listing nor a reason"
    counts["programs annotated"] += len(listed)


def check_group(directory, splat, counts):
    found = [line for line in read(directory / "dmesg").splitlines() if splat.search(line)]
    if found:
        yield f"kernel: {found[0]}"
    tools = set()
    for line in read(directory / "status").splitlines():
        name, status = line.split()
        tools.add(name)
        yield check_status(name, int(status), directory)
    programs = [(int(p[0]), p[2], p[3]) for p in map(str.split, read(directory / "programs").splitlines())]
    if not programs:
        return
    paths = collections.defaultdict(list)
    for _, name, path in programs:
        paths[path].append(name)
    counts["objects of which the kernel accepts programs"] += len(paths)
    counts["programs"] += len(programs)
    for name in {"drive", "stat", "trace", "annotate"} | {f"bench-{path}" for path in paths}:
        if name not in tools:
            yield f"{name} did not run"
    yield from check_stat(directory, programs, counts)
    yield from check_trace(directory, counts)
    yield from check_annotate(directory, programs, counts)
    for path, names in paths.items():
        yield from check_bench(directory, path, names, counts)


def check(top):
    """Returns the counts and the faults of one VM."""
    counts = collections.Counter()
    splat = splats()
    groups = sorted(top.glob("*/out/*/"))
    faults = [f"{path.relative_to(top)}: the VM ended" for path in sorted(top.glob("*/*.broke"))]
    for path in sorted(top.glob("*/*.splat")):
        faults += [f"{path.relative_to(top)}: kernel: {line}" for line in read(path).splitlines() if splat.search(line)][:1]
    for group in groups:
        names = read(group / "objects").split()
        label = f"{group.relative_to(top)} ({names[0]})" if len(names) == 1 else str(group.relative_to(top))
        faults += [f"{label}: {fault}" for fault in check_group(group, splat, counts) if fault]
    counts["objects"] = len([name for path in top.glob("batch-*[0-9]/list") for name in read(path).split()])
    counts["faults"] = len(faults)
    return counts, faults


COLUMNS = {
    "objects": "objects",
    "accepted": "objects of which the kernel accepts programs",
    "programs": "programs",
    "ran": "programs measured while they ran",
    "did not run": "programs measured that did not run",
    "refused": "programs refused",
    "functions": "functions measured",
    "functions refused": "functions refused",
    "traced": "programs traced",
    "benched": "programs benched",
    "faults": "faults",
}


def print_table(vms):
    print("| VM | " + " | ".join(COLUMNS) + " |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for name, counts in vms.items():
        # "programs refused (REASON)" is a count for each reason.
        cells = [sum(n for what, n in counts.items() if what.partition(" (")[0] == column) for column in COLUMNS.values()]
        print(f"| {name} | " + " | ".join(map("{:,}".format, cells)) + " |")


def print_vm(name, counts, faults):
    print(f"{name}:")
    for what, number in sorted(counts.items()):
        print(f"  {number:6} {what}")
    for fault in faults:
        print(f"  {fault}")


def main():
    args = [arg for arg in sys.argv[1:] if arg != "--table"]
    tops = [pathlib.Path(arg).resolve() for arg in args]
    checked = {top.name: check(top) for top in tops}
    if "--table" in sys.argv:
        print_table({name: counts for name, (counts, _) in checked.items()})
    else:
        for name, (counts, faults) in checked.items():
            print_vm(name, counts, faults)
    return 1 if any(faults for _, faults in checked.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
