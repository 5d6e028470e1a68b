#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tests/schema.py [FILE...]: checks that JSON documents follow docs/bprof-report.schema.json, and that suites of bprof
bench follow docs/bprof-suite.schema.json. Without arguments, checks the documents of tests/golden, the suites of
tests/bench and of the guide, and the schemas themselves. It also checks that bprof-report(5) describes all columns
of CSV. A file may have several documents. Prints TAP."""

import json
import pathlib
import re
import subprocess
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "docs/bprof-report.schema.json"
SUITE_SCHEMA = ROOT / "docs/bprof-suite.schema.json"
PAGE = ROOT / "docs/man/bprof-report.5.in"


def documents(text):
    """Yields the documents of a file, which may have several documents one after the other."""
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        document, at = decoder.raw_decode(text, at)
        yield document


def kind_of(document):
    """Returns the name of the document's definition in the schema."""
    if "schema" in document:
        return next((kind for key, kind in (("comparisons", "comparison"), ("checks", "doctor"), ("cpu_kinds", "self_test"), ("helpers", "helpers"),
                                            ("events", "event_catalog"), ("command", "report"),
                                            ("series", "history")) if key in document),
                    "list")
    for key, kind in (("history", "history_entry"), ("record", "recording"), ("annotate", "annotation"), ("why", "trace_record"),
                      ("summary", "trace_end"), ("event", "change_line")):
        if key in document:
            return kind
    return "trace_missing"


def check_documents(schema, text):
    """Returns the first error in the documents of a file, or None."""
    found = 0
    for document in documents(text):
        found += 1
        one = {"$defs": schema["$defs"], "$ref": f"#/$defs/{kind_of(document)}"}
        for validator in (jsonschema.Draft202012Validator(one), jsonschema.Draft202012Validator(schema)):
            error = jsonschema.exceptions.best_match(validator.iter_errors(document))
            if error:
                return f"document {found}: {error.json_path}: {error.message[:300]}"
    return None if found else "no document"


def check_suite(text):
    """Returns the first error in a suite, or None."""
    validator = jsonschema.Draft202012Validator(json.loads(SUITE_SCHEMA.read_text()))
    error = jsonschema.exceptions.best_match(validator.iter_errors(json.loads(text)))
    return f"{error.json_path}: {error.message[:300]}" if error else None


# 'bprof bench --suite' refuses each of these suites, too (tests/unit/bench/test_bench_suite.c).
WRONG_SUITES = [
    "[]", "{}", '{"entries": []}', '{"entrys": []}', '{"variables": {"A": 1}, "entries": [{"object": "a.o"}]}',
    '{"kernel": [6.1], "entries": [{"object": "a.o"}]}', '{"arch": ["arm"], "entries": [{"object": "a.o"}]}',
    '{"defaults": {"object": "a.o"}, "entries": [{"object": "a.o"}]}',
    *(f'{{"entries": [{{{keys}}}]}}' for keys in (
        "", '"old": "a.o"', '"object": "a.o", "new": "a.o"', '"object": ""', '"object": "a.o", "name": "a/b"',
        '"object": "a.o", "progs": "x"', '"object": "a.o", "repeat": 0', '"object": "a.o", "repeat": [5]',
        '"object": "a.o", "fresh": 1', '"object": "a.o", "prog": {"a": 1}', '"object": "a.o", "map": "m=f"',
        '"object": "a.o", "map": {"m": 7}', '"object": "a.o", "strict": true', '"object": "a.o", "cases": {}',
        '"object": "a.o", "cases": [{"packet": "x"}]', '"object": "a.o", "cases": [{"name": "x", "packet": "a", "pcap": "b"}]',
        '"object": "a.o", "cases": [{"name": "x", "before": [{"repeat": 0}]}]')),
]


def check_wrong_suites():
    """Returns an error if the schema accepts one of WRONG_SUITES, else None."""
    return next((f"accepts {text}" for text in WRONG_SUITES if not check_suite(text)), None)


def suites():
    """Yields the name and the text of each suite in the sources."""
    cases = subprocess.run([ROOT / "tests/bench/suite.py", ROOT / "tests/bench/cases"], check=True,
                           capture_output=True, encoding="utf-8")
    yield "tests/bench/suite.py", cases.stdout
    for page in ("docs/guide-suite.md", "docs/ci.md"):
        blocks = re.findall(r"^```json[^\n]*\n(\{.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
        yield from ((f"{page} {n}", text) for n, text in enumerate(blocks, 1))


def check_schema(schema):
    """Checks that every definition is used, and that every property has a description in one line for scripts/man."""
    jsonschema.Draft202012Validator.check_schema(schema)
    text = SCHEMA.read_text()
    for name, definition in schema["$defs"].items():
        if f'"#/$defs/{name}"' not in text:
            return f"{name}: nothing refers to it"
        for key, value in definition.get("properties", {}).items():
            if not re.search(r"[.!]$", value.get("description", "")):
                return f"{name}.{key}: the description is no sentence"
            if not re.search(rf'^    "{key}": {{.*"description": ".*"}},?$', text, re.MULTILINE):
                return f"{name}.{key}: is not in a line of its own"
    return None


def check_columns():
    """Checks that the headers of the TSV files have the columns of bprof-report(5), in the order of that page."""
    page = re.findall(r"^\.It Li ([a-z0-9_.]+)$", PAGE.read_text(), re.MULTILINE)
    seen = set()
    for path in sorted((ROOT / "tests/golden").glob("*.tsv")):
        columns = path.read_text().split("\n", 1)[0].split("\t")
        seen.update(columns)
        rest = iter(page)
        for column in columns:
            if column not in rest:
                return f"{path.name}: {column} is not in the page, or not at its place"
    return f"no file has {set(page) - seen}" if set(page) - seen else None


def main():
    schema = json.loads(SCHEMA.read_text())
    paths = [pathlib.Path(arg) for arg in sys.argv[1:]]
    checks = [(str(path), lambda path=path: check_documents(schema, path.read_text())) for path in
              paths or sorted(path for path in ROOT.glob("tests/golden/**/*.json*") if "versions" not in path.parts)]
    if not paths:
        checks += [(name, lambda text=text: check_suite(text)) for name, text in suites()]
        checks += [("the schema of suites", lambda: jsonschema.Draft202012Validator.check_schema(
            json.loads(SUITE_SCHEMA.read_text()))), ("wrong suites", check_wrong_suites)]
        checks += [("the schema", lambda: check_schema(schema)), ("columns of CSV", check_columns)]
    failed = 0
    for n, (name, check) in enumerate(checks, 1):
        try:
            wrong = check()
        except ValueError as error:
            wrong = str(error)
        if wrong:
            print(f"# {wrong}")
            failed = 1
        print(f"{'not ok' if wrong else 'ok'} {n} - schema: {name.removeprefix(str(ROOT) + '/')}")
    print(f"1..{len(checks)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
