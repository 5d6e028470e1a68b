#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""calls.py split DIR: writes DIR/calls.json, a suite with an entry for each program and case of DIR/suite.json. Also
writes DIR/entries, which has the name of each entry and of its program.

calls.py table DIR MACHINE...: prints a table in Markdown from the reports in DIR/calls-MACHINE, which
tests/field/calls-guest wrote: the share of each function and call in its program, by probes and by samples."""

import json
import math
import os
import subprocess
import sys

# These entries call only helpers that another table shows, or nothing.
LEFT_OUT = ("helper", "suricata xdp_filter", "xdp-dispatcher", "xdp-filter, default deny", "xdp-bench")
# The instructions of an empty function (EMPTY), and those that a program itself executes to call a kernel function
# (CALL): bl and mov on arm64, call on x86-64.
EMPTY = {"arm64": 12, "x86_64": 9}
CALL = {"arm64": 2, "x86_64": 1}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def programs(path):
    """Returns the programs of an object: the global functions that are not in .text."""
    table = subprocess.run(["readelf", "-sSW", path], capture_output=True, text=True, check=True).stdout
    text = [line.split("]")[0].strip(" [") for line in table.splitlines() if " .text " in line]
    rows = [line.split() for line in table.splitlines() if " FUNC " in line and " GLOBAL " in line]
    return [row[7] for row in rows if row[6] not in text]


def split(path):
    suite, entries = load(f"{path}/suite.json"), []
    for entry in suite["entries"]:
        if entry["name"] in LEFT_OUT:
            continue
        progs = entry.get("prog") or programs(entry["object"].replace("${REAL}", f"{path}/real").replace("${BPF}", f"{path}/bpf"))
        for prog in [progs] if isinstance(progs, str) else progs:
            for case in entry["cases"]:
                name = f"{entry['name']}, {case['name']}: {prog}".replace("/", " ")
                entries.append(entry | {"name": name, "prog": prog, "cases": [case]})
    with open(f"{path}/calls.json", "w", encoding="utf-8") as file:
        json.dump(suite | {"entries": entries}, file, indent=1)
    with open(f"{path}/entries", "w", encoding="utf-8") as file:
        file.writelines(f"{entry['name']}\t{entry['prog']}\n" for entry in entries)


def rows_of(report):
    """Returns the rows of each entry of the suite. The first row of an entry is the program itself."""
    entries = {}
    for row in report["programs"]:
        if row["method"] == "fentry" and "min" in row["events"][0]["per_run"]:
            entries.setdefault(row["case"].partition("/")[0], []).append(row)
    return entries


def by_probes(rows):
    """Returns the cost of a run in the cheapest block, and for each row (a function or a call) its own cost in that
    block."""
    events = [row["events"][0] for row in rows]
    block = min(range(len(events[0]["blocks"])), key=lambda n: events[0]["blocks"][n]["mean"])
    costs = [event["blocks"][block] for event in events]
    return costs[0]["mean"], [cost.get("self", cost.get("mean", 0)) * row.get("calls_per_run", 1) for row, cost in zip(rows, costs)]


def key_of(row, program):
    """Returns the key of a row: (function, callee, map) for a call, and (function, "", "") for a function."""
    if not row.get("called"):
        return row["func"], "", ""
    func, _, callee = row["func"].rpartition(":")
    return func or program, callee.partition(" (")[0], row.get("map", "")


def as_sampled(rows, costs, arch):
    """Converts costs by probes into costs as samples show them, by the code that executes the instructions. Probes show
    the instructions of an empty function as a cost of its caller, and the call instruction as a cost of the callee."""
    empty, call = EMPTY[arch], CALL[arch]
    sampled, path = {}, {}
    for row, cost in zip(rows, costs):
        key, calls = key_of(row, rows[0]["func"]), row.get("calls_per_run", 1)
        caller = path.get(row.get("depth", 0) - 1)
        moved = -call * calls if row.get("called") else empty * calls
        sampled[key] = sampled.get(key, 0) + cost + moved
        if caller:
            sampled[caller] -= moved
        if not row.get("called"):
            path[row.get("depth", 0)] = key
    return sampled


def by_samples(path):
    """Returns the number of samples of each function and call. Leaves out the samples in the probe of bench. These are
    at an instruction that calls the trampoline, and some of them have no symbol ("[unknown]")."""
    found = {}
    for func in (func for prog in load(path)["programs"] for func in prog["functions"]):
        found[func["name"], "", ""] = func["samples"]
        insns = [insn for line in func["lines"] for insn in line["insns"] if "offset" in insn]
        probe = sum(insn.get("calls", 0) for insn in insns if "callee" not in insn)
        for callee in func.get("callees", []):
            if callee["depth"] != 1:
                continue
            if callee["name"].startswith("bpf_trampoline_"):
                probe -= callee["samples"]
                continue
            key = (func["name"], callee["name"], callee.get("map", ""))
            found[key] = found.get(key, 0) + callee["samples"]
        if (key := (func["name"], "[unknown]", "")) in found:
            found[key] -= min(probe, found[key])
    return found


def compare(path, arch):
    """Returns for each program: its minimum cost without and with probes of functions and calls, its mean cost, the sum
    of its rows, the number of samples, and for each row its share by probes, its share by samples, and the error (95 %)
    of the share by samples."""
    alone, probed = rows_of(load(f"{path}/alone.json")), rows_of(load(f"{path}/calls.json"))
    result = {}
    with open(f"{path}/entries", encoding="utf-8") as file:
        names = [line.split("\t")[0] for line in file]
    for n, name in enumerate(names):
        found = by_samples(f"{path}/{n}.json") if os.path.exists(f"{path}/{n}.json") else {}
        rows = probed.get(name, [])
        cnt = sum(found.values())
        if name not in alone or not cnt or not any(row.get("called") for row in rows):
            continue
        cost, costs = by_probes(rows)
        expected = as_sampled(rows, costs, arch)
        for key in set(found) - set(expected):
            # This call is not probed. Its samples count for its caller, because probes show its cost there, too.
            found[key[0], "", ""] += found.pop(key)
        shares = {}
        for key, part in expected.items():
            share = part / sum(expected.values())
            shares[key] = share, found.get(key, 0) / cnt, 1.96 * math.sqrt(share * (1 - share) / cnt)
        result[name] = {"least": [program[name][0]["events"][0]["per_run"]["min"] for program in (alone, probed)],
                        "cost": cost, "sum": sum(costs), "samples": cnt, "shares": shares}
    return result


def agree(share):
    return abs(share[0] - share[1]) <= share[2]


def print_machines(machines):
    print("| machine | programs | the same least cost with the probes | rows add up to the mean | rows | samples | shares within the error |\n|---|"
          + "---:|" * 6)
    for machine, progs in machines.items():
        shares = [share for prog in progs.values() for share in prog["shares"].values()]
        print(f"| {machine} | {len(progs)} | {sum(prog['least'][0] == prog['least'][1] for prog in progs.values())} | "
              f"{sum(abs(prog['cost'] - prog['sum']) < 0.01 for prog in progs.values())} | "
              f"{len(shares)} | {sum(prog['samples'] for prog in progs.values()):,} | {sum(map(agree, shares))} |")
    print()


def cell(progs, name, key):
    share = progs.get(name, {"shares": {}})["shares"].get(key)
    if not share:
        return "-"
    text = f"{100 * share[0]:.1f} · {100 * share[1]:.1f} ± {100 * share[2]:.1f}"
    return text if agree(share) else f"**{text}**"


def print_shares(machines):
    print("| program and input, function, call | " + " | ".join(machines) + " |\n|---|" + "---:|" * len(machines))
    for name in dict.fromkeys(name for progs in machines.values() for name in progs):
        entry, prog = name.rsplit(": ", 1)
        print(f"| `{prog}`, {entry} |" + " |" * len(machines))
        for key in dict.fromkeys(key for progs in machines.values() for key in progs.get(name, {"shares": {}})["shares"]):
            func, callee, name_of_map = key
            text = f"\u2003\u2003`{callee}`" + (f" ({name_of_map})" if name_of_map else "") if callee else f"\u2003`{func}` itself"
            print(f"| {text} | " + " | ".join(cell(progs, name, key) for progs in machines.values()) + " |")
    print()


def main():
    if sys.argv[1] == "split":
        return split(sys.argv[2])
    machines = {machine: compare(f"{sys.argv[2]}/calls-{machine}", machine.split("-")[0]) for machine in sys.argv[3:]}
    print_machines(machines)
    print_shares(machines)
    return 0


sys.exit(main())
