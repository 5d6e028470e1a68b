#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tests/html.py [PAGE...]: checks that HTML pages of bprof are well-formed and accessible, and load nothing.
Without arguments, checks the pages that 'bprof report' makes of the golden files, and the contrast of the
style sheet's colours. Prints TAP."""

import json
import pathlib
import platform
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/golden"
BPROF = ROOT / "build" / platform.machine().replace("aarch64", "arm64") / "bprof"
SVG = "{http://www.w3.org/2000/svg}"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# Attributes that name a resource, or run a script.
LOADING = {"src", "href", "srcset", "action", "formaction", "data", "poster", "background", "style"}
# The colours of text and marks, and the colours that are behind them.
TEXT = ("text", "dim", "bad", "warn", "good")
BEHIND = ("bg", "panel")
HEAT = tuple(f"heat{i}" for i in range(1, 6))
MARKS = ("bar", "bar2", "dim", "bad", "good")


class Bad(Exception):
    """A page or a colour is wrong."""


def require(condition, text):
    if not condition:
        raise Bad(text)


# ---- pages ----

def check_frame(text, root):
    """Checks that the page has a language, a title, and the policy that keeps it from loading anything."""
    head = root.find("head")
    metas = {m.get("http-equiv") or m.get("name") or "charset": m for m in head.findall("meta")}

    require(text.startswith("<!DOCTYPE html>\n"), "no doctype")
    require(text.isascii(), "a character outside of ASCII")
    require(re.fullmatch(r"[\n\x20-\x7e]*", text), "a control character")
    require(root.tag == "html" and root.get("lang") == "en", "no language")
    require((head.findtext("title") or "").strip(), "no title")
    require(metas["charset"].get("charset") == "utf-8", "no encoding")
    require(metas["Content-Security-Policy"].get("content") == POLICY, "another policy")
    require("width=device-width" in metas["viewport"].get("content"), "no viewport")
    require(len(root.findall("body/main")) == 1, "not one main element")


def check_harmless(root, css):
    """Checks that the page loads nothing, and has no script."""
    for e in root.iter():
        for name, value in e.attrib.items():
            require(name not in LOADING and not name.startswith("on"), f"attribute {name}")
            require("://" not in value, f"{name}: {value}")
        if e.tag == "script":
            require(e.get("type") == "application/json", "a script")
            json.loads(e.text)
        require(e.tag not in ("link", "iframe", "object", "embed", "img", "base", "form"), f"<{e.tag}>")
    require(not re.search(r"url\(|@import|expression", css), "the style sheet loads something")


def check_headings(root):
    levels = [int(e.tag[1]) for e in root.iter() if re.fullmatch(r"h[1-6]", e.tag)]

    require(levels and levels[0] == 1 and levels.count(1) == 1, f"headings {levels}")
    require(all(b <= a + 1 for a, b in zip(levels, levels[1:])), f"headings {levels}")
    require(all("".join(e.itertext()).strip() for e in root.iter() if re.fullmatch(r"h[1-6]", e.tag)),
            "an empty heading")


def rows_of(table):
    return [row for part in ("thead", "tbody") for body in table.findall(part) for row in body.findall("tr")]


def check_table(table, box):
    """Checks that a table has a caption and headers with a scope, and the same number of cells in each row."""
    rows, covered = rows_of(table), {}

    require((table.findtext("caption") or "").strip(), "a table without a caption")
    require(box.get("tabindex") == "0" and box.get("role") == "region" and box.get("aria-label"),
            "a box that cannot be scrolled with the keyboard")
    headers = rows[0].findall("th")
    require(headers and len(headers) == len(rows[0]), "a header that is none")
    for cell in headers:
        require(cell.get("scope") == "col" and "".join(cell.itertext()).strip(), "a header without a scope or text")
    for row in rows[1:]:
        column, names = 0, 0
        for cell in row:
            while covered.get(column, 0):
                covered[column] -= 1
                column += 1
            names += cell.tag == "th" or (cell.text or "").strip() in ("...", "-", "")
            require(cell.tag == "td" or cell.get("scope") in ("row", "rowgroup"), "a header without a scope")
            covered[column] = int(cell.get("rowspan", 1)) - 1
            column += 1
        while covered.get(column, 0):
            covered[column] -= 1
            column += 1
        require(column == len(headers), f"{column} cells below {len(headers)} headers")
        require(names, "a row without a header")


def check_tables(root):
    boxes = [e for e in root.iter() if e.tag == "div" and e.get("class") == "box"]

    require(len(boxes) == len(list(root.iter("table"))), "a table outside of a box")
    for box in boxes:
        check_table(box.find("table"), box)


def check_charts(root):
    for svg in root.iter(SVG + "svg"):
        require(svg.get("role") == "img" and svg.get("viewBox"), "a chart without a role")
        require([e.tag for e in svg][:2] == [SVG + "title", SVG + "desc"], "a chart without a title")
        require(svg[0].text.strip() and svg[1].text.strip(), "a chart with an empty title")
        for e in svg.iter():
            for name in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height"):
                require(float(e.get(name, "0")) >= 0, f"{name}={e.get(name)}")


def check_classes(root, css):
    used = {c for e in root.iter() for c in e.get("class", "").split()} - {"bprof"}
    missing = {c for c in used if not re.search(rf"\.{c}\b", css)}

    require(not missing, f"classes without a style: {missing}")


def check_details(root):
    for e in root.iter("details"):
        require(e[0].tag == "summary" and "".join(e[0].itertext()).strip(), "details without a summary")


def check_page(text):
    root = ET.fromstring(text)
    css = root.findtext("head/style")

    check_frame(text, root)
    check_harmless(root, css)
    check_headings(root)
    check_tables(root)
    check_charts(root)
    check_classes(root, css)
    check_details(root)
    return css


# ---- colours ----

def luminance(colour):
    """Returns the relative luminance of a colour as WCAG 2.2 defines it."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]

    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))

    return (high + 0.05) / (low + 0.05)


def schemes(css):
    """Yields the colours of the light and the dark scheme."""
    found = [dict(re.findall(r"--(\w+):(#[0-9a-f]{6})", block))
             for block in re.findall(r":root\{([^}]*)\}", css)]

    require(len(found) == 2 and found[0].keys() == found[1].keys(), "not two schemes of the same colours")
    return zip(("light", "dark"), found)


def check_contrast(css):
    """Checks that the contrast is at least 4.5 for text and 3 for marks in charts, and grows with the heat."""
    for name, colours in schemes(css):
        pairs = [(t, b, 4.5) for t in TEXT for b in BEHIND]
        pairs += [("text", h, 4.5) for h in HEAT]
        pairs += [(m, "panel", 3) for m in MARKS]
        for front, back, least in pairs:
            ratio = contrast(colours[front], colours[back])
            require(ratio >= least, f"{name}: {front} on {back}: {ratio:.2f}")
        heat = [contrast(colours["bg"], colours[h]) for h in HEAT]
        require(heat == sorted(heat), f"{name}: heat {heat}")
    unknown = set(re.findall(r"var\(--(\w+)\)", css)) - colours.keys()
    require(not unknown, f"unknown colours {unknown}")


# ---- all checks ----

def is_document(path):
    """Returns true if the file is a golden report. Leaves out annotations, series and self-tests."""
    if path.name.endswith((".annotate.json", ".series.json")) or path.parent.name == "selftest":
        return False
    return '"tool": "bprof"' in path.read_text(encoding="utf-8")[:200].replace('":"', '": "')


def make_page(path):
    """Makes a page of a golden file."""
    return subprocess.run([BPROF, "report", path, "--html"], check=True, stdout=subprocess.PIPE, text=True,
                          env={"LC_ALL": "C.UTF-8"}).stdout


def make_history_page():
    return subprocess.run([BPROF, "history", "html", "-f", GOLDEN / "history/history.jsonl"], check=True,
                          stdout=subprocess.PIPE, text=True, env={"LC_ALL": "C.UTF-8"}).stdout


def main():
    paths = [pathlib.Path(p) for p in sys.argv[1:]]
    checks = [(str(p), lambda p=p: check_page(p.read_text(encoding="utf-8"))) for p in paths]
    failed = False

    if not paths:
        goldens = sorted(p for p in GOLDEN.rglob("*.json") if "versions" not in p.parts and is_document(p))
        checks = [(f"page of {p.relative_to(GOLDEN)}", lambda p=p: check_page(make_page(p))) for p in goldens]
        checks.append(("page of a history", lambda: check_page(make_history_page())))
        checks.append(("contrast", lambda: check_contrast(check_page(make_page(GOLDEN / "rich.json")))))
    for i, (name, check) in enumerate(checks, 1):
        try:
            check()
            print(f"ok {i} - html: {name}")
        except (Bad, ET.ParseError, ValueError, subprocess.CalledProcessError) as e:
            print(f"# {e}\nnot ok {i} - html: {name}")
            failed = True
    print(f"1..{len(checks)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
