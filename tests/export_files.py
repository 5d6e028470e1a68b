#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Checks the files for Grafana and Kubernetes as far as possible without Grafana and Kubernetes: that their references
are right, and that they agree with bprof export and with the systemd unit. Prints TAP."""
import json
import re
import sys

import yaml

problems = []
count = 0


def check(name, function, path):
    global count
    before = len(problems)
    with open(path, encoding="utf-8") as file:
        function(file)
    count += 1
    print(f"{'ok' if len(problems) == before else 'not ok'} {count} - {name}")
    for problem in problems[before:]:
        print(f"# {problem}")


def need(condition, text):
    if not condition:
        problems.append(text)


def check_dashboard(file):
    board = json.load(file)
    need({"title", "uid", "schemaVersion", "panels", "templating", "time"} <= board.keys(), "a member is missing")
    variables = {v["name"] for v in board["templating"]["list"]} | {"__rate_interval"}
    panels = board["panels"]
    need(len({p["id"] for p in panels}) == len(panels), "two panels have the same id")
    taken = set()
    for p in panels:
        title, at = p.get("title"), p["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        need(title and p["type"] in ("stat", "timeseries"), f"{title}: type {p['type']}")
        need(at["x"] + at["w"] <= 24 and not cells & taken, f"{title}: overlaps another panel, or the edge")
        taken |= cells
        need(p["datasource"] == {"type": "prometheus", "uid": "${datasource}"}, f"{title}: datasource")
        targets = p["targets"]
        need(len({t["refId"] for t in targets}) == len(targets), f"{title}: two queries have the same refId")
        for t in targets:
            unknown = set(re.findall(r"\$(\w+)", t["expr"])) - variables
            need(not unknown, f"{title}: unknown variables {unknown}")


def check_daemon_set(file):
    [document] = yaml.safe_load_all(file)
    need((document["apiVersion"], document["kind"]) == ("apps/v1", "DaemonSet"), "not a DaemonSet")
    template = document["spec"]["template"]
    labels = template["metadata"]["labels"]
    need(document["spec"]["selector"]["matchLabels"].items() <= labels.items(), "the selector does not match the pods")
    need(all(isinstance(v, str) for v in template["metadata"]["annotations"].values()), "an annotation is no string")
    [container] = template["spec"]["containers"]
    need(re.fullmatch(r"[a-z0-9-]+", document["metadata"]["name"]), "the name is not a DNS label")
    [port] = container["ports"]
    need(container["args"] == ["export", "--listen", f":{port['containerPort']}"], "the arguments and the port differ")
    need(template["metadata"]["annotations"]["prometheus.io/port"] == str(port["containerPort"]), "annotated port")
    need(container["livenessProbe"]["httpGet"] == {"path": "/-/healthy", "port": port["name"]}, "liveness probe")
    volumes = {v["name"] for v in template["spec"]["volumes"]}
    need({m["name"] for m in container["volumeMounts"]} == volumes, "mounts and volumes differ")
    unit = open("packaging/systemd/bprof-export.service", encoding="utf-8").read()
    [bound] = re.findall(r"^CapabilityBoundingSet=(.*)$", unit, re.M)
    added = container["securityContext"]["capabilities"]["add"]
    need({f"CAP_{c}" for c in added} == set(bound.split()), f"capabilities {added}; the systemd unit has {bound}")


check("the dashboard for Grafana", check_dashboard, "packaging/grafana/bprof.json")
check("the DaemonSet for Kubernetes", check_daemon_set, "packaging/kubernetes/bprof-export.yaml")
print(f"1..{count}")
sys.exit(bool(problems))
