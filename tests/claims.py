#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tests/claims.py: checks statements of documents about bprof that can be looked up.

- The commands and options in documents exist, and each command is in the comparison with other tools.
- Figures are those of docs/dev/bench-tables.md and of the coverage table.
- SECURITY.md says correctly which commands work without rights.
- Links lead to an existing heading, and each statement about another tool has its source.

Prints TAP."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BPROF = ROOT / f"build/{platform.machine().replace('aarch64', 'arm64')}/bprof"
# The pages for users.
PAGES = [ROOT / "README.md", ROOT / "SECURITY.md", *sorted(ROOT.glob("docs/*.md"))]
ALL_PAGES = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(ROOT.glob("docs/dev/*.md"))]
TABLES = "docs/dev/bench-tables.md"
# Commands that need no row in docs/comparison.md.
NO_FEATURE = {"help", "version", "doctor", "report"}

ADDED, REPORTED, EACH = "Instructions added to one invocation", "What is reported", "What each command adds to one invocation"
PERF, BPFTOOL, OWN = "perf stat -b", "bpftool prog profile", "bprof"
STATS = "`bpf_stats_enabled` (run count and time only)"


def added(row):
    return [(ADDED, row, column) for column in (1, 2, 3)]


# Figures in documents: the page, its text with {} for each figure, and for each figure a cell of bench-tables.md: the
# section, the row, and the column.
FIGURES = [
    ("README.md", "on arm64 by {} instructions with one event and {} with two", added(OWN)[:2]),
    ("README.md", "`perf stat -b`: {} and {}", added(PERF)[:2]),
    ("README.md", "`--sample 16` measures one run in 16 and adds {} with two events", [(ADDED, "bprof --sample 16", 2)]),
    ("docs/bench.md", "| `perf stat -b` | {} | {} | {} |", added(PERF)),
    ("docs/bench.md", "| `bpftool prog profile` | {} | {} | {} |", added(BPFTOOL)),
    ("docs/bench.md", "| bprof | {} | {} | {} |", added(OWN)),
    ("docs/bench.md", "| bprof `--no-hist`: without distributions | {} | {} | {} |", added("bprof --no-hist")),
    ("docs/bench.md", "| bprof `--by retval`: a row for each return value | {} | {} | {} |", added("bprof --by retval")),
    ("docs/bench.md", "one run in 16 is measured, all are counted | {} | {} | {} |", added("bprof --sample 16")),
    ("docs/bench.md", "cost {} instructions while the probe is attached, and {} while the kernel's run statistics",
     [(EACH, "`stat --sample auto`", 1), (EACH, "`top`", 1)]),
    ("docs/bench.md", "(`bpf_stats_enabled`, run count and time only) add {}.", [(ADDED, STATS, 1)]),
    ("docs/bench.md", "| `perf stat -b` | {} | {} |", [(REPORTED, PERF, 1), (REPORTED, PERF, 2)]),
    ("docs/bench.md", "| `bpftool prog profile` | {} | {} |", [(REPORTED, BPFTOOL, 1), (REPORTED, BPFTOOL, 2)]),
    ("docs/bench.md", "| bprof | {} | {} |", [(REPORTED, OWN, 1), (REPORTED, OWN, 2)]),
    ("docs/comparison.md", "for an empty program (1 event) | {} | {} (B) | {} (B) |",
     [(REPORTED, OWN, 1), (REPORTED, PERF, 1), (REPORTED, BPFTOOL, 1)]),
    ("docs/comparison.md", "added per run (1, 2, 4 events) | {}, {}, {} | {}, {}, {} (B) | {}, {}, {} (B) | {}, by the kernel (B) |",
     [*added(OWN), *added(PERF), *added(BPFTOOL), (ADDED, STATS, 1)]),
    ("docs/comparison.md", "These add {} instructions to every run (B)", [(ADDED, STATS, 1)]),
    ("docs/faq.md", "perf stat -b shows {} instructions for an empty program, and bprof shows {}", [(REPORTED, PERF, 1), (REPORTED, OWN, 1)]),
    ("docs/faq.md", "| run statistics | {} |", [(ADDED, STATS, 1)]),
    ("docs/faq.md", "| probes (`stat`) | {} with one event, {} with two |", added(OWN)[:2]),
    ("docs/faq.md", "| probes, `--sample 16` | {} with one event, {} with two |", added("bprof --sample 16")[:2]),
    ("docs/faq.md", "| `top`, `export` | {} for a run that the probe only counts, {} while the kernel counts |",
     [(EACH, "`stat --sample auto`", 1), (EACH, "`top`", 1)]),
]

# For each command of SECURITY.md: its words there, a command line, and the exit status of the command line without
# rights, or None if the command needs rights.
UNPRIVILEGED = [
    ("diff", "diff rich.json rich.json", 5), ("report", "report rich.json", 0), ("history", "history show -f history.jsonl", 0),
    ("annotate -i FILE", "annotate -i recording.json", 0), ("help", "help", 0), ("version", "version", 0),
    ("stat --list-events", "stat --list-events", 0), ("doctor", "doctor", 7), ("list", "list", None), ("watch", "watch --timeout 100", None),
    ("stat", "stat --all --timeout 100", None), ("top", "top --batch -n 1", None), ("trace", "trace --all --every 1 --timeout 100", None),
    ("record", "record --all --timeout 100 -o /dev/null", None), ("annotate", "annotate --all --timeout 100", None),
    ("export", "export --listen 127.0.0.1:19798", None), ("bench", "bench xdp_lb.bpf.o", None), ("system", "system -a --timeout 100", None),
    ("system -- COMMAND", "system -- true", (0, 4)),
]


def squeeze(text):
    return re.sub(r"\s+", " ", text)


def text_of(page):
    return (ROOT / page).read_text()


def names(*args):
    out = subprocess.run([BPROF, "__complete", *args], capture_output=True, text=True, check=True).stdout
    return [line.split("\t")[0] for line in out.splitlines()]


def cell(section, row, column):
    """Returns a cell of bench-tables.md, without .0."""
    part = text_of(TABLES).split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    line = next(line for line in part.splitlines() if line.startswith(f"| {row} |"))
    return line.split("|")[column + 1].strip().removesuffix(".0")


def check_figures():
    for page, text, cells in FIGURES:
        figures = [cell(*c) for c in cells]
        found = squeeze(text_of(page)).replace(",", "")
        if text.format(*figures).replace(",", "") not in found:
            yield f"{page}: does not say '{text.format(*figures)}'"
    row = re.search(r"^\| \*\*need no kernel\*\* \| (\d+) \| ([\d.]+ %)", text_of("docs/dev/testing-tests.md"), re.MULTILINE)
    want = f"The unit tests run {row[2]} of the {int(row[1]):,} branches"
    if want not in squeeze(text_of("docs/dev/testing.md")):
        yield f"docs/dev/testing.md: does not say '{want}'"


def all_options():
    options = {o for c in ["", *names("")] for o in names(*([c] if c else []), "-")}
    options |= {o for c in names("history", "") for o in names("history", c, "-")}
    return options | set(re.findall(r"--[a-z-]+", subprocess.check_output([ROOT / "scripts/bench-vm", "--help"], text=True)))


def check_names():
    commands, options = set(names("")), all_options()
    pages = re.search(r"^\| bprof-(.*) \| one command each \|$", text_of("docs/reference.md"), re.MULTILINE)[1]
    if re.findall(r"[a-z]+", pages.replace("(1)", "")) != names(""):
        yield "docs/reference.md: the man pages are not those of the commands"
    for page in PAGES:
        for number, line in enumerate(page.read_text().splitlines(), 1):
            # Options of other tools are in backticks, too. Only commands and options of bprof are checked.
            for code in re.findall(r"`([^`]+)`", line):
                found = re.match(r"(?:sudo )?bprof ([a-z]+)\b", code)
                if found and found[1] not in commands:
                    yield f"{page.relative_to(ROOT)}:{number}: there is no command {found[1]}"
                own = re.match(r"(?:(?:sudo )?bprof |(" + "|".join(commands) + r") |--[a-z])", code)
                for option in re.findall(r"(?<!\S)--[a-z][a-z-]+", code.split(" -- ")[0]) if own else []:
                    if option not in options and option not in OTHERS:
                        yield f"{page.relative_to(ROOT)}:{number}: there is no option {option}"


# Options that stand alone in backticks, and that are not in the table of a command, mostly those of other programs.
OTHERS = {"--help", "--version", "--bpf-counters", "--for-each-cgroup", "--ambiguous"}


def check_comparison():
    """Checks the comparison's table: bprof's column has each command, and each other cell names its source."""
    table = re.findall(r"^\| ([^|]+) \| ([^|]+) \|", text_of("docs/comparison.md"), re.MULTILINE)
    named = {word for _, own in table for code in re.findall(r"`([^`]+)`", own) for word in code.split()}
    for command in sorted(set(names("")) - NO_FEATURE - named):
        yield f"docs/comparison.md: the column of bprof does not name {command}"
    for line in text_of("docs/comparison.md").splitlines():
        cells = [c.strip() for c in line.split("|")[3:-1]]
        if line.startswith("| ") and len(cells) == 3 and cells[0] != "`perf stat -b`":
            yield from (f"docs/comparison.md: '{c}' names no source" for c in cells
                        if c not in ("no", "-") and not re.search(r"\([A-Z](, [A-Z])*\)", c))


def rights():
    """Returns the rights that each command line needs according to SECURITY.md."""
    part = text_of("SECURITY.md").split("## What bprof needs")[1].split("\n## ")[0]
    return {code: needs for codes, needs in re.findall(r"^\| (`.*?) \| (.*) \|$", part, re.MULTILINE)
            for code in re.findall(r"`([^`]+)`", codes)}


def check_rights():
    says = rights()
    subprocess.run(["make", "-s", "build/progs/xdp_lb.bpf.o"], cwd=ROOT, check=True)
    missing = set(names("")) - {c for code in says for c in code.split()[:1]}
    yield from (f"SECURITY.md: does not say what {command} needs" for command in sorted(missing))
    with tempfile.TemporaryDirectory() as work:
        for source, name in ((BPROF, "bprof"), (ROOT / "tests/golden/rich.json", "rich.json"),
                             (ROOT / "tests/golden/history/history.jsonl", "history.jsonl"),
                             (ROOT / "tests/golden/record/rich.json", "recording.json"),
                             (ROOT / "build/progs/xdp_lb.bpf.o", "xdp_lb.bpf.o")):
            shutil.copy(source, pathlib.Path(work) / name)
        os.chmod(work, 0o755)
        for claim, line, status in UNPRIVILEGED:
            run = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
            done = subprocess.run([*run, "./bprof", *line.split()], cwd=work, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
            if claim not in says:
                yield f"SECURITY.md: does not say what `{claim}` needs"
            elif says[claim].startswith("none") != (status is not None):
                yield f"SECURITY.md: {claim}: '{says[claim]}'"
            elif status is None and (done.returncode != 7 or not re.search("root|CAP_", done.stderr)):
                yield f"{line}: works without rights: status {done.returncode}: {done.stderr}"
            elif status is not None and done.returncode not in (status if isinstance(status, tuple) else (status,)):
                yield f"{line}: status {done.returncode}, not {status}: {done.stderr}"


def anchors(page):
    """Returns the anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", head).lower()).replace(" ", "-") for head in heads}


def check_links():
    for page in ALL_PAGES:
        for link, anchor in re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", page.read_text()):
            target = (page.parent / link).resolve() if link else page
            if target.exists() and target.suffix == ".md" and anchor not in anchors(target):
                yield f"{page.relative_to(ROOT)}: {link} has no heading #{anchor}"


def main():
    failed, checks = False, [("figures are those of the tables", check_figures), ("commands and options exist", check_names),
                             ("the comparison has all commands, and sources", check_comparison),
                             ("SECURITY.md says who needs what", check_rights), ("links lead to headings", check_links)]
    for n, (name, check) in enumerate(checks, 1):
        wrong = list(check())
        print("".join(f"# {line}\n" for text in wrong for line in text.splitlines()), end="")
        print(f"{'not ok' if wrong else 'ok'} {n} - claims: {name}")
        failed |= bool(wrong)
    print(f"1..{len(checks)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
