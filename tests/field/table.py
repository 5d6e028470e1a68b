#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""table.py ARCH DIR...: prints the reports of scripts/field, DIR/report.json, as a Markdown table: a row for
each program and case, a column for each kernel, and below it what could not be measured."""

import json
import re
import sys


def costs(report):
    """The instructions of a run. Takes the cheapest block, which no interrupt was in. If packets take turns,
    this is their mean."""
    for prog in report["programs"]:
        blocks = [block["mean"] for event in prog["events"] for block in event.get("blocks", []) if "mean" in block]
        if blocks:
            yield (prog["name"], prog["case"].replace("#1", "")), round(min(blocks))


def failures(report):
    for entry in report.get("skipped", []):
        lines = entry.get("detail", entry["reason"]).splitlines()
        message = lines[0].split(": ", 1)[-1].split("; the verifier's last lines")[0]
        yield entry["name"], message if len(lines) == 1 else f"{message}: `{lines[-1].strip()}`"


def cell(kernels, row, n):
    if row not in kernels[n]:
        return "-"
    before = next((kernel[row] for kernel in reversed(kernels[:n]) if row in kernel), kernels[n][row])
    change = kernels[n][row] - before
    return f"{kernels[n][row]:,}" + (f" ({change:+,})" if change else "")


def main():
    reports = []
    for path in sys.argv[2:]:
        with open(f"{path}/report.json", encoding="utf-8") as file:
            reports.append(json.load(file))
    names = [re.match(r"\d+\.\d+(\.\d+)?", report["host"]["kernel"])[0] for report in reports]
    kernels = [dict(costs(report)) for report in reports]
    rows = list(dict.fromkeys(row for kernel in reversed(kernels) for row in kernel))
    rows.sort(key=lambda row: row[1])
    print(f"| {sys.argv[1]} | " + " | ".join(names) + " |\n|---|" + "---:|" * len(names))
    for row in rows:
        print(f"| `{row[0]}`, {row[1].replace('/', ': ', 1)} | "
              + " | ".join(cell(kernels, row, n) for n in range(len(kernels))) + " |")
    failed = {}
    for name, report in zip(names, reports):
        for failure in failures(report):
            failed.setdefault(failure, []).append(name)
    print()
    for (entry, message), where in failed.items():
        print(f"- {entry}, {', '.join(where)}: {message}")


main()
