#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""table.py ARCH DIR...: prints the reports of scripts/field (DIR/report.json, DIR/helpers.json, DIR.log) as Markdown
tables. The tables have a row for each program and case and for each helper, and a column for each kernel. Below them
is a list of the programs that could not be measured."""

import json
import re
import sys
import textwrap

HELPERS = "helper/one call"


def costs(report):
    """Yields the instructions of a run of each program and case. Takes the cheapest block, in which no interrupt came.
    If a case has several packets, this is their mean."""
    for prog in report["programs"]:
        blocks = [block["mean"] for event in prog["events"] if prog["method"] == "fentry"
                  for block in event.get("blocks", []) if "mean" in block]
        if blocks:
            yield (prog["name"], prog["case"].replace("#1", "")), (round(min(blocks)), prog.get("retval"))


def failures(report, log):
    """Yields each program that could not be measured, and why. The log has more of the verifier than the report."""
    for entry in report.get("skipped", []):
        name, lines = entry["name"], entry.get("detail", entry["reason"]).splitlines()
        rest = re.search(rf"^bprof: {re.escape(name)}: .*last lines:\n((?:  .*\n)+)", log, re.M)
        lines += rest[1].splitlines() if rest else []
        message, _, last = re.sub("; declare its maps.*", "", lines[0]).partition("; the verifier's last line")
        last = lines[-1] if len(lines) > 1 else last.removeprefix(":")
        yield name, f"{message}: `{last.strip()}`" if last else message


def cell(kernels, row, n):
    """Returns the cell: the cost and its change, or the cost in italics if the program returned another value than on
    the newest kernel."""
    if row not in kernels[n]:
        return "-"
    cost, retval = kernels[n][row]
    before = next((kernel[row] for kernel in reversed(kernels[:n]) if row in kernel), kernels[n][row])
    if retval != kernels[-1].get(row, (0, retval))[1]:
        return f"*{cost:,}*"
    change = cost - before[0] if retval == before[1] else 0
    return f"{cost:,}" + (f" ({change:+,})" if change else "")


def print_table(names, kernels, title, rows):
    print(f"| {title} | " + " | ".join(names) + " |\n|---|" + "---:|" * len(names))
    for row in rows:
        case = "" if row[1] == HELPERS else f", {row[1].replace('/', ': ', 1)}"
        print(f"| `{row[0]}`{case} | " + " | ".join(cell(kernels, row, n) for n in range(len(kernels))) + " |")
    print()


def helper_costs(document):
    """Yields for each operation its name and map, and its cost, in the same form as costs()."""
    for one in document["helpers"]:
        where = f"{one['map_type']}, key {one['key_size']}, {one['entries']} entries, {one['keys']}" if "keys" in one else \
            one.get("map_type", "")
        for cost in one["cost"].values():
            yield (one["operation"], where), (round(cost), None)


def print_helpers(names, arch, paths):
    kernels = []
    for path in paths:
        with open(f"{path}/helpers.json", encoding="utf-8") as file:
            kernels.append(dict(helper_costs(json.load(file))))
    print(f"| {arch}: operation | map | " + " | ".join(names) + " |\n|---|---|" + "---:|" * len(names))
    for row in dict.fromkeys(row for kernel in reversed(kernels) for row in kernel):
        print(f"| {row[0]} | {row[1]} | " + " | ".join(cell(kernels, row, n) for n in range(len(kernels))) + " |")
    print()


def main():
    reports, logs = [], []
    for path in sys.argv[2:]:
        with open(f"{path}/report.json", encoding="utf-8") as file:
            reports.append(json.load(file))
        with open(f"{path}.log", encoding="utf-8") as file:
            logs.append(file.read())
    names = [re.match(r"\d+\.\d+(\.[1-9]\d*)?", report["host"]["kernel"])[0] for report in reports]
    kernels = [dict(costs(report)) for report in reports]
    rows = dict.fromkeys(row for kernel in reversed(kernels) for row in kernel)
    print_table(names, kernels, f"{sys.argv[1]}: program and input",
                sorted((row for row in rows if row[1] != HELPERS), key=lambda row: row[1]))
    print_table(names, kernels, f"{sys.argv[1]}: one call", [row for row in rows if row[1] == HELPERS])
    print_helpers(names, sys.argv[1], sys.argv[2:])
    failed = {}
    for name, report, log in zip(names, reports, logs):
        for failure in failures(report, log):
            failed.setdefault(failure, []).append(name)
    for (entry, message), where in failed.items():
        print(textwrap.fill(f"- {entry}, {', '.join(where)}: {message}", 100, subsequent_indent="  ",
                            break_long_words=False, break_on_hyphens=False))


main()
