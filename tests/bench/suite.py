#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tests/bench/suite.py CASES: prints a suite (bprof bench --suite) with an entry for each line of the
file of cases. Each entry compares its object with the one of the same name in ${OLD}, by default itself."""

import json
import shlex
import sys

NAMED = ("map", "global", "expect-retval")


def entry_of(line):
    """Returns the entry for a line. An option becomes the key of the same name; a repeated option becomes an array or
    an object."""
    name, new, *args = shlex.split(line)
    entry = {"name": name, "old": "${OLD}/" + new, "new": new}
    for option, value in zip(args[::2], args[1::2]):
        key = option.removeprefix("--")
        key, values = key.replace("-", "_"), entry.get(key.replace("-", "_"))
        if "=" in value and option.removeprefix("--") in NAMED:
            entry.setdefault(key, {}).update([value.split("=", 1)])
        else:
            entry[key] = value if values is None else [*([values] if isinstance(values, str) else values), value]
    return entry


def main():
    with open(sys.argv[1], encoding="ascii") as cases:
        lines = [line for line in cases if line.strip() and not line.startswith("#")]
    json.dump({"variables": {"OLD": "."}, "arch": ["arm64", "x86_64"], "kernel": ["6.1", "6.12", "7.2"],
               "entries": [entry_of(line) for line in lines]}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
