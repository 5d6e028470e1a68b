#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# Writes a table into docs/dev/testing.md: for each fuzzer, how much of the code that reads its input the
# corpora cover.
#
# usage: tests/fuzz/coverage.py BUILD_DIR FUZZ_DIR PAGE
#
# BUILD_DIR has the fuzzers, built with clang's coverage; FUZZ_DIR the corpora of earlier runs of
# "make fuzz SECONDS=". The seeds of tests/fuzz/corpus are always used.

import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN, END = "<!-- fuzzers: begin -->\n", "<!-- fuzzers: end -->\n"

# Each fuzzer, its input, and the files that read this input.
FUZZERS = {
    "accept": ("headers of requests, `--listen`, `--buckets`",
               "export/accept.c export/http_address.c export/series_bounds.c"),
    "attr_map": ("elements of the attr map", "system/attr_map.c system/attr_key.c"),
    "cgroup": ("`-G`, /proc/self/mounts", "host/cgroups.c"),
    "compare": ("comparisons in JSON and HTML",
                "compare/compare_json.c compare/compare_json_prog.c formats/saved.c"),
    "conds": ("conditions of `trace`", "probe/trace_conds.c options/amount.c"),
    "event": ("`-e`, with sysfs files", "event/event_*.c event/event.c"),
    "func_table": ("BTF and func_info", "../btf/func_table.c"),
    "global": ("`--global`", "object/object_globals.c json/json_encode.c json/json_kinds.c"),
    "history": ("histories", "history/*.c"),
    "http": ("requests over HTTP", "export/http_server.c export/accept.c"),
    "ksyms": ("/proc/kallsyms", "host/ksyms.c"),
    "limit": ("`--fail-on`, `--match`", "compare/compare_limit.c compare/compare_match.c"),
    "map": ("`--map`, with hostile BTF",
            "object/map_file.c json/json_encode.c json/json_kinds.c json/json_lenient.c"),
    "object": ("object files, and options for them",
               "object/object_setup.c object/object_select.c object/object_maps.c object/object_map_sizes.c "
               "object/object_load_error.c"),
    "options": ("whole command lines", "options/options.c options/idlist.c bench/bench_args.c "
                "system/system_args.c run/*_opts.c"),
    "packet": ("`--pcap`, `--data-in`, `--ctx-in`, `hex:`", "bench/bench_input.c"),
    "proc": ("/proc and CPU lists", "host/task.c host/cpus.c"),
    "prog": ("what the kernel says of a program",
             "../btf/prog.c ../btf/prog_code.c ../btf/tail_calls.c ../btf/call_graph.c"),
    "record": ("recordings", "sampling/record_json.c sampling/annotate.c"),
    "report": ("reports", "report/report_read.c report/report_event_json.c"),
    "sideband": ("side-band records", "session/sideband_queue.c"),
    "suite": ("suites", "bench/bench_suite.c bench/suite_options.c bench/suite_vars.c bench/bench_cases.c"),
    "sysfs": ("sysfs PMU files, the list of events", "event/pmu.c event/event_catalog*.c"),
    "target": ("selectors, lists of ids", "options/idlist.c target/selector.c"),
    "trace": ("records in ring buffers", "trace/trace_output.c trace/trace_json.c "
              "trace/trace_timeline.c"),
    "verifier_log": ("verifier logs", "kernel/verifier_log.c"),
}


def tool(name):
    return shutil.which(name) or shutil.which(name + "-14") or sys.exit(f"{name}: not found")


def sources(patterns):
    found = []
    for pattern in patterns.split():
        found += sorted(glob.glob("profiler/" + pattern))
    return [os.path.relpath(f) for f in found]


def run(build, fuzz, name):
    """Replays the corpora of a fuzzer. Returns the number of inputs and llvm-cov's totals."""
    fuzzer, profile = f"{build}/fuzz_{name}", os.path.abspath(f"{build}/fuzz_{name}.prof")
    dirs = [d for d in (f"{HERE}/corpus/{name}", f"{fuzz}/fuzz_{name}.corpus") if os.path.isdir(d)]
    inputs = [os.path.join(at, f) for d in dirs for at, _, files in os.walk(d, followlinks=True)
              for f in files]
    env = dict(os.environ, LLVM_PROFILE_FILE=profile + "raw")
    for i in range(0, len(inputs), 2000):
        env["LLVM_PROFILE_FILE"] = f"{profile}raw{i}"
        done = subprocess.run([fuzzer] + inputs[i:i + 2000], env=env, capture_output=True)
        if done.returncode:
            sys.exit(done.stderr.decode(errors="replace")[-2000:])
    raw = glob.glob(profile + "raw*")
    subprocess.run([tool("llvm-profdata"), "merge", "-o", profile] + raw, check=True)
    for f in raw:
        os.remove(f)
    out = subprocess.run([tool("llvm-cov"), "export", "-summary-only",
                          f"-instr-profile={profile}", fuzzer] + sources(FUZZERS[name][1]),
                         check=True, capture_output=True, text=True).stdout
    return len(inputs), json.loads(out)["data"][0]["totals"]


def main():
    build, fuzz, page = sys.argv[1:]
    missing = {os.path.basename(f)[5:-2] for f in glob.glob(HERE + "/fuzz_*.c")} ^ set(FUZZERS)
    if missing:
        sys.exit("tests/fuzz/coverage.py: not in its table, or no fuzzer: " + ", ".join(missing))
    lines = ["| fuzzer | input | files | inputs | lines | branches |\n", "|---|---|---|---|---|---|\n"]
    for name, (what, patterns) in sorted(FUZZERS.items()):
        inputs, totals = run(build, fuzz, name)
        lines.append(f"| {name} | {what} | {len(sources(patterns))} | {inputs} | "
                     f"{totals['lines']['percent']:.0f} % | {totals['branches']['percent']:.0f} % |\n")
        print(lines[-1], end="", flush=True)
    with open(page, encoding="utf-8") as f:
        text = f.read()
    before, rest = text.split(BEGIN)
    with open(page, "w", encoding="utf-8") as f:
        f.write(before + BEGIN + "".join(lines) + END + rest.split(END)[1])


if __name__ == "__main__":
    main()
