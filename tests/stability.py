#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tests/stability.py [--add]: checks the promises of docs/stability.md. tests/golden/versions/VERSION has documents that
this version wrote, and a list of what it offered. bprof must read each version's documents and write them again without
loss, also in HTML. It must read documents with unknown fields, and refuse documents of a newer format in one line. No
option, format, field, column, series or exit status of a version may be gone. --add adds this version (VERSION).
Prints TAP."""

import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BPROF = ROOT / f"build/{platform.machine().replace('aarch64', 'arm64')}/bprof"
GOLDEN = ROOT / "tests/golden"
VERSIONS = GOLDEN / "versions"
# A document of each kind that bprof reads, and a document for each option that adds much to a document.
DOCUMENTS = ["rich", "tree", "by_retval", "followed", "interval", "system", "bench", "compare/changes", "compare/axis",
             "record/rich", "record/rich.annotate", "history/history"]
SCHEMAS = ["bprof-report.schema.json", "bprof-suite.schema.json"]
# The fields that have the number of a format.
FORMATS = ("record", "annotate", "history", "schema")


def run(*args, status=0):
    done = subprocess.run([BPROF, *args], capture_output=True, text=True, check=False)
    if done.returncode != status:
        raise AssertionError(f"bprof {' '.join(map(str, args))}: status {done.returncode}, not {status}: {done.stderr}")
    return done


def bprof(*args):
    """Runs bprof. Returns its output."""
    return run(*args).stdout


def documents(text):
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        document, at = decoder.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
        yield document


def lost(old, new, path=""):
    """Yields a message for each part of the old JSON value that is gone or different in the new one."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                yield f"{path}.{key} is gone"
            else:
                yield from lost(value, new[key], f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for n, (a, b) in enumerate(zip(old, new)):
            yield from lost(a, b, f"{path}[{n}]")
    elif old != new:
        yield f"{path} is {new!r}, not {old!r}"


def is_history(path):
    return path.suffix == ".jsonl"


def read(path):
    """Lets bprof read a file. Returns the documents that bprof writes for the file."""
    if is_history(path):
        return list(documents(bprof("history", "show", "-f", path, "-j")))
    return list(documents(bprof("report", path, "-j")))


def expected(path):
    """Returns the documents that bprof must write for a file: those in NAME.shown.json, or otherwise those in the file."""
    shown = path.with_suffix(".shown.json")
    return list(documents((shown if shown.exists() else path).read_text()))


def check_read(path):
    text, want = path.read_text(), expected(path)
    yield from lost(want, read(path))
    with tempfile.TemporaryDirectory() as work:
        more = pathlib.Path(work) / path.name
        more.write_text("".join(json.dumps(d | {"added_later": {"x": [1]}}) + "\n" for d in documents(text)))
        yield from (f"with an unknown field: {line}" for line in lost(want, read(more)))
        if not is_history(path):
            page = pathlib.Path(work) / "page.html"
            bprof("report", path, "--html", "-o", page)
            yield from (f"in HTML: {line}" for line in lost(want, read(page)))


def check_newer(path):
    with tempfile.TemporaryDirectory() as work:
        newer = pathlib.Path(work) / path.name
        first, *others = documents(path.read_text())
        field = next(name for name in FORMATS if name in first)
        newer.write_text("".join(json.dumps(d) + "\n" for d in [first | {field: 99}, *others]))
        # bprof leaves out the entry of the history, and succeeds.
        done = run("history", "show", "-f", newer) if is_history(path) else run("report", newer, status=1)
        message = done.stderr
        if message.count("\n") != 1 or f"of a newer bprof ({field} 99): this one reads up to 1" not in message:
            yield message


def check_schema(old, new, is_input, path=""):
    """Yields the fields of an old schema that are gone, have another type, or are no longer required. In files that users
    write, yields the fields that are newly required instead of those that are no longer required."""
    for name, field in old.get("properties", {}).items():
        now = new.get("properties", {}).get(name)
        if now is None:
            yield f"{path}.{name} is gone"
        elif field.get("type", now.get("type")) != now.get("type") or field.get("const", now.get("const")) != now.get("const"):
            yield f"{path}.{name} has another type"
    required = [set(schema.get("required", [])) for schema in ((new, old) if is_input else (old, new))]
    for name in required[0] - required[1]:
        yield f"{path}.{name} is {'required now' if is_input else 'no longer required'}"
    for name, part in old.get("$defs", {}).items():
        if name in new.get("$defs", {}):
            yield from check_schema(part, new["$defs"][name], is_input, f"{path}.{name}")
        else:
            yield f"{path}.{name} is gone"


def names(*args):
    return [line.split("\t")[0] for line in bprof("__complete", *args).splitlines()]


def offers():
    """Returns lines with everything that bprof offers: options and formats of each command, columns, series, statuses."""
    lines = []
    for command in names(""):
        subcommands = [c for c in names(command, "") if command == "history"]
        for name in [[command, c] for c in subcommands] or [[command]]:
            options = names(*name, "-")
            lines += [f"option: {' '.join(name)} {option}" for option in options]
            if "--format" in options:
                lines += [f"format: {' '.join(name)} {value}" for value in names(*name, "--format", "")]
    for kind, text in (("tsv", bprof("report", GOLDEN / "rich.json", "--format", "tsv")),
                       ("csv", bprof("report", GOLDEN / "rich.json", "-x", ",", "--header"))):
        columns = text.splitlines()[0].split("\t" if kind == "tsv" else ",")
        lines += [f"{kind} column: {n} {column}" for n, column in enumerate(columns, 1)]
    series = re.findall(r"^(\w+)(?:\{([^}]*)\})? ", (GOLDEN / "export.om").read_text(), re.MULTILINE)
    for name, labels in series:
        lines += [f"series: {name}", *(f"series: {name} {label}" for label in re.findall(r'(\w+)="', labels))]
    statuses = (ROOT / "profiler/base/exit_status.h").read_text()
    lines += [f"exit status: {name} {value}" for name, value in re.findall(r"^\t(EXIT_\w+) = (\d+)", statuses, re.MULTILINE)]
    return sorted(set(lines))


def add(directory):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    for name in DOCUMENTS:
        source = GOLDEN / f"{name}.json{'l' if name.startswith('history') else ''}"
        kept = directory / source.relative_to(GOLDEN).as_posix().replace("/", "_")
        shutil.copy(source, kept)
        if name in ("history/history", "record/rich"):
            shown = read(kept)
            if is_history(kept):
                del shown[0]["version"]  # later versions of bprof show their own version here
            kept.with_suffix(".shown.json").write_text("".join(json.dumps(d, indent=1) + "\n" for d in shown))
    for name in SCHEMAS:
        shutil.copy(ROOT / "docs" / name, directory)
    (directory / "offers.txt").write_text("\n".join(offers()) + "\n")


def checks(directory):
    """Yields the name of each check of a kept version, and the errors that it found."""
    files = [p for p in sorted(directory.iterdir()) if p.suffix in (".json", ".jsonl") and not p.name.endswith((".shown.json", *SCHEMAS))]
    for path in files:
        yield f"reads {path.name}", check_read(path)
        yield f"refuses a newer {path.name}", check_newer(path)
    for name in SCHEMAS:
        yield f"{name} has all fields", check_schema(json.loads((directory / name).read_text()),
                                                    json.loads((ROOT / "docs" / name).read_text()), "suite" in name)
    old = (directory / "offers.txt").read_text().splitlines()
    yield "options, formats, columns, series, exit statuses", (f"{line} is gone" for line in sorted(set(old) - set(offers())))


def main():
    if sys.argv[1:] == ["--add"]:
        add(VERSIONS / (ROOT / "VERSION").read_text().split()[0])
        return 0
    count, failed = 0, False
    for directory in sorted(VERSIONS.iterdir()):
        for count, (name, found) in enumerate(checks(directory), count + 1):
            try:
                wrong = list(found)
            except AssertionError as error:
                wrong = [str(error)]
            print("".join(f"# {line}\n" for text in wrong for line in text.splitlines()), end="")
            print(f"{'not ok' if wrong else 'ok'} {count} - {directory.name}: {name}")
            failed |= bool(wrong)
    print(f"1..{count}")
    return failed or not count


if __name__ == "__main__":
    sys.exit(main())
