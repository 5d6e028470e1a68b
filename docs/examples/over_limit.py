#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Example of a program that embeds bprof: with -I, bprof writes a line of JSON for each interval. Prints
each program whose runs cost more than a limit in an interval, on average. Ends with bprof's exit status.

    sudo ./over_limit.py time 2000 bprof --name 'xdp_*' -e time -j -I 1s
"""
import json
import subprocess
import sys


def over(report, event, limit):
    """Yields the function and the cost of each program that is over the limit."""
    for program in report["programs"]:
        for found in program["events"]:
            # A value that is not known is left out: no run, or an event that cannot be counted.
            mean = found["per_run"].get("mean", 0)
            if found["name"] == event and mean > limit:
                yield program["func"] or program["name"], mean


def main(event, limit, *command):
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bprof:
        for line in bprof.stdout:
            report = json.loads(line)
            for name, mean in over(report, event, float(limit)):
                print(f"{report['interval']['end_ns'] / 1e9:.1f} s: {name}: {event} {mean:.1f}", flush=True)
    return bprof.returncode


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: over_limit.py EVENT LIMIT bprof OPTIONS -j -I TIME")
    sys.exit(main(*sys.argv[1:]))
