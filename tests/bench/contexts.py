# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Makes the section of docs/dev/bench-tables.md on programs on real hooks. The numbers are those that the kernel
tests test_contexts.c and test_contexts_tree.c print; the tests decide what is measured. A number that a test failed
to measure is shown as "failed"."""

import re

import tables

TREE = "Functions of a program (tests/progs/tree.bpf.c, contexts_tree.bpf.c): probed alone, and with `--func '*'`.\n"
BENCH = "`bprof stat` while packets flow, and `bprof bench --exact` of the same program and packet.\n"


def read(logs):
    """Reads the logs, one for each machine. Returns the cells of each table by row and machine, the way in which each
    hook is driven, the pairs of costs, the skipped hooks by reason, and the skipped (machine, hook)."""
    cells, how, pairs, reasons, skipped = {"hook": {}, "alone": {}, "with packets": {}}, {}, [], {}, set()
    for machine, line in ((machine, line) for machine, log in logs.items() for line in log.split("\n")):
        if found := re.match("# ([^ ]+) is driven by: (.*)", line):
            how[found[1]] = found[2]
            cells["hook"].setdefault(found[1], {})
        elif found := re.match(r"# ([a-z0-9_]+) (typed|void): empty (\S+) \S+ (\S+)", line):
            row, pair = cells["hook"].setdefault(found[1], {}), f"{found[3]} / {found[4]}"
            pairs.append(pair)
            # For each hook, a program with a typed context comes first, then the same one with "void *ctx".
            first = pair if found[2] == "typed" else row.get(machine, "failed")
            row[machine] = pair if first == pair else f"{first}; {pair}"
        elif found := re.match(r"# (\S+ \S+): (alone|with packets) (-?\d+), (?:with --func|by bench).* (\S+)$", line):
            cells[found[2]].setdefault(found[1], {})[machine] = f"{found[3]} / {found[4]}"
        elif found := re.match(r"# skipped: (\S+):.*\((.*)\)$", line):
            reasons.setdefault(found[2], {})[found[1]] = True
            skipped.add((machine, found[1]))
    return cells, how, pairs, reasons, skipped


def section(logs):
    cells, how, pairs, reasons, skipped = read(logs)
    heads = [re.sub("-full$", ", `preempt=full`", machine.replace("x86_64-", "x86-64 ").replace("arm64-", "arm64 "))
             for machine in logs]
    made = []
    for kind, head in ("hook", "empty / +100"), ("alone", "alone / all"), ("with packets", "packets / bench"):
        rows = []
        for name, row in cells[kind].items():
            words = re.split("[ :]", name)[:2]
            rows.append([f"{name}: {how[name]}" if kind == "hook" and name in how else name] + [row.get(
                machine, "-" if any((machine, word) in skipped for word in words) else "failed") for machine in logs])
        made.append(tables.table("|".join([head, *heads]), rows))
    absent = "".join(f"- {', '.join(names)}: {reason}\n" for reason, names in reasons.items())
    return tables.section("Where programs run", made[0], TREE, made[1], BENCH, made[2], f"Not there (-):\n\n{absent}",
                          figures=[("# of", str(pairs.count("0 / 100"))), ("of # pairs", str(len(pairs)))])
