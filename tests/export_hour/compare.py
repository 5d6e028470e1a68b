#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Compares the data of a Prometheus with what ran in the VM (tests/export_hour.sh).

  compare.py URL DIRECTORY   DIRECTORY has the files of guest.sh: ran, stat.json and bursts.json
"""
import json
import re
import sys
import urllib.parse
import urllib.request

RATE = 100  # packets per second: as in guest.sh
SEVERAL_MACHINES = {"name:bprof_program_main:variance_over_machines", "name_tag_version:bprof_program_change:t"}
BURST_RATE = 30000  # runs per second, in bursts of 100 ms
url, directory = sys.argv[1:]
ran = [line.split() for line in open(f"{directory}/ran", encoding="ascii")]
version = [(int(at), int(sent), int(loads)) for word, at, sent, loads in (r for r in ran if r[0] == "version")]
end = next(int(r[1]) for r in ran if r[0] == "end")
bad = 0


def get(path, **arguments):
    with urllib.request.urlopen(f"{url}/api/v1/{path}?{urllib.parse.urlencode(arguments)}") as answer:
        return json.load(answer)["data"]


def query(text, at=end):
    return get("query", query=text, time=at)["result"]


def number(text, at=end):
    result = query(text, at)
    return float(result[0]["value"][1]) if len(result) == 1 else float("nan")


def expect(condition, text):
    global bad
    bad += not condition
    print(f"# {'' if condition else 'WRONG: '}{text}")


def check_monotonic():
    names = [n for n in get("label/__name__/values") if n.endswith(("_total", "_bucket", "_count", "_sum"))]
    series = samples = back = 0
    for name in names:
        for one in query(f"{name}[1d]"):
            values = [float(v) for _, v in one["values"]]
            series += 1
            samples += len(values)
            back += sum(b < a for a, b in zip(values, values[1:]))
    expect(len(names) > 10 and series > 100 and back == 0,
           f"{samples} samples of {series} series in {len(names)} metrics: {back} went back")


def check_scrapes():
    seconds = end - float(query("up[1d]")[0]["values"][0][0])
    scrapes = number("count_over_time(up[1d])")
    expect(number("min_over_time(up[1d])") == 1 and abs(scrapes - seconds / 15) < 2,
           f"{scrapes:.0f} scrapes in {seconds:.0f} s, all with an answer")


def check_steady_rate():
    begin = float(query('bprof_program_runs_total{name="xdp_alu_100",returns="XDP_PASS"}[1d]')[0]["values"][0][0])
    rates = [number('sum(rate(bprof_program_runs_total{name="xdp_alu_100"}[5m]))', at)
             for at in range(int(begin) + 330, end, 15)]
    worst = max(abs(r / RATE - 1) for r in rates)
    expect(worst < 0.01, f"{RATE} packets/s: the rates at {len(rates)} times are within {worst:.3%} of it")


def check_bursts():
    """The probe of this program is attached only in turns, but the metrics have all runs and their time, from the
    kernel."""
    selector = '{name="tc_alu_1000"}[5m]'
    begin = float(query('bprof_program_runs_total{name="tc_alu_1000"}[1d]')[0]["values"][0][0])
    times = range(int(begin) + 330, end, 15)
    rates = [number(f"sum(rate(bprof_program_runs_total{selector}))", at) for at in times]
    worst = max(abs(r / BURST_RATE - 1) for r in rates)
    expect(worst < 0.001, f"{BURST_RATE} runs/s in bursts: the rates at {len(rates)} times are within {worst:.3%} of it")
    event = next(e for p in json.load(open(f"{directory}/bursts.json", encoding="utf-8"))["programs"]
                 for e in p["events"])
    known = event["per_run"]["mean"] * 1e-9
    found = [number(f"sum(rate(bprof_program_cpu_seconds_total{selector})) / "
                    f"sum(rate(bprof_program_runs_total{selector}))", at) for at in times]
    worst = max(abs(f / known - 1) for f in found)
    probed = number(f"sum(rate(bprof_program_run_time_seconds_count{selector}))") / BURST_RATE
    expect(worst < 0.02 and probed < 0.5, f"{known:.4g} s a run: those at {len(found)} times are within {worst:.3%} of it; "
           f"{probed:.2%} of the runs were probed")


def check_reloads():
    last, sent, loads = version[-1]
    runs = number('sum(bprof_program_runs_total{name="xdp_version"})')
    ids = len({one["metric"]["id"] for one in query('bprof_program_info{name="xdp_version"}[1d]')})
    expect(abs(runs / sent - 1) < 0.01, f"{loads} loads ({ids} seen by a scrape): {runs:.0f} runs of {sent}")
    middle = version[len(version) // 5]
    known = (sent - middle[1]) / (last - middle[0])
    rate = number(f'sum(rate(bprof_program_runs_total{{name="xdp_version"}}[{last - middle[0]}s]))', last + 14)
    expect(abs(rate / known - 1) < 0.01,
           f"{known:.3f} packets/s under reloads: a rate of {rate:.3f}, {rate / known - 1:+.3%}")


def check_values():
    rates = {one["metric"]["returns"]: float(one["value"][1]) for one in
             query('sum by (returns) (rate(bprof_program_runs_total{name="xdp_two"}[10m]))', end - 120)}
    total = sum(rates.values())
    expect(all(abs(rates.get(v, 0) / total - 0.5) < 0.005 for v in ("XDP_DROP", "XDP_TX")),
           f"by return value: {rates}")


def bucket_of(value, bounds):
    """Returns the width of the bucket that the value is in."""
    below = max([b for b in bounds if b < value], default=0)
    return min(b for b in bounds if b >= value) - below


def check_percentiles():
    row = next(p for p in json.load(open(f"{directory}/stat.json", encoding="utf-8"))["programs"])
    for event in row["events"]:
        metric, labels, unit = ("run_time_seconds", "", 1e-9) if event["name"] == "time" else \
            ("event_per_run", f',event="{event["name"]}"', 1)
        selector = f'bprof_program_{metric}_bucket{{name="xdp_alu_100"{labels}}}'
        bounds = sorted({float(one["metric"]["le"]) for one in query(selector)})
        for quantile, key in (0.5, "p50"), (0.9, "p90"), (0.99, "p99"):
            known = event["per_run"][key] * unit
            found = number(f"histogram_quantile({quantile}, sum by (le) (rate({selector}[30m])))")
            expect(abs(found - known) <= bucket_of(known, bounds),
                   f"{key} of {event['name']}: {found:.4g}; bprof stat: {known:.4g}; "
                   f"width of the bucket: {bucket_of(known, bounds):.4g}")


def check_dashboard():
    """Each query of the dashboard has an answer, except queries about skipped programs and other things that did not
    happen."""
    values = {"$instance": ".*", "$name": ".*", "$__rate_interval": "1m"}
    panels = json.load(open("packaging/grafana/bprof.json", encoding="utf-8"))["panels"]
    queries = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    empty = []
    for text in queries:
        for name, value in values.items():
            text = text.replace(name, value)
        if not query(text) and "bprof_skipped_programs" not in text and not text.endswith("> 0"):
            empty.append(text)
    expect(len(queries) > 10 and not empty, f"{len(queries)} queries of the dashboard; without an answer: {empty}")


def check_rules():
    """Only the recording rules that need several machines have no value, and no alert fires."""
    rules = open("packaging/prometheus/bprof-rules.yml", encoding="utf-8").read()
    records = re.findall(r"record: (\S+)", rules)
    empty = {name for name in records if not query(name)}
    alerts = {one["metric"]["alertname"] for one in query('ALERTS[1d]')}
    expect(len(records) > 10 and empty <= SEVERAL_MACHINES and not alerts,
           f"{len(records)} recording rules; without an answer: {sorted(empty)}; alerts: {sorted(alerts)}")


def show_cost():
    print(f"# bprof export: {number('rate(process_cpu_seconds_total[30m])'):.4f} of a CPU, "
          f"{number('max_over_time(process_resident_memory_bytes[1d])') / 1e6:.1f} MB at most; "
          f"{number('scrape_samples_scraped'):.0f} samples in a scrape of {number('avg_over_time(scrape_duration_seconds[1d])'):.4f} s; "
          f"{[' '.join(r[1:]) for r in ran if r[0] == 'export'][0]} of messages")


check_scrapes()
check_monotonic()
check_steady_rate()
check_bursts()
check_reloads()
check_values()
check_percentiles()
check_dashboard()
check_rules()
show_cost()
expect(["status", "0"] in ran, "bprof export ended well")
if not bad:
    print("# all as expected")
