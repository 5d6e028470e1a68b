#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tests/docs.py [--update] [--changed | PAGE...]: runs the commands in README.md and in the pages of docs/ in the test VM
(one boot for all pages), and compares their output with the output in the page. The first line of each block of
commands says where the block runs:

    ```sh vm           commands that must succeed, or end with the "exit status N" of their comment
    ```console vm      such commands, with "$ " before each command and its output below; numbers and
                       blanks may differ, and a line "..." stands for any lines
    ```sh FILE         commands that the test FILE covers, such as tests/install.sh
    ```sh not-run: REASON
    ```json FILE       a file that the commands of the VM read

In the VM, programs 42 and 57 are the first and the second program of tests/docs-guest; sudo, ping and similar
commands are in tests/docs-bin. A command that does not end by itself gets Ctrl-C. --update writes the output
of the VM into the pages. --changed runs the commands of README.md and of the pages that have changed
(scripts/changed), and checks the form of all pages. Prints TAP."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(\S*)(?: ([^\n]*))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Command:
    def __init__(self, page, line, text):
        self.page, self.line, self.text = page, line, text
        self.shown = None    # the output in the page, or None
        self.output = self.status = None
        found = re.search(r"#.*exit status (\d+)", text)
        self.expected = int(found[1]) if found else 0

    def problem(self):
        if self.status is None:
            return "was not run"
        if self.status != self.expected:
            return f"exit status {self.status}, not {self.expected}: {self.output}"
        if self.shown is not None and not matches(self.shown, self.output):
            return f"its output is not the one shown:\n{self.output}"
        return None


def mask(line):
    line = re.sub(r"~?\d[\d,.]*|\b[0-9a-f]{16}\b", "N", line)
    return re.sub(r"[-\u2500]+", "-", re.sub(r"\s+", " ", line)).strip()


def matches(shown, output):
    parts = [".*" if line.strip() == "..." else re.escape(mask(line)) for line in shown.splitlines()]
    return re.fullmatch("\n".join(parts), "\n".join(map(mask, output.splitlines())), re.DOTALL)


def read_block(page, line, kind, body):
    """Yields the commands of a block."""
    command = None
    for n, text in enumerate(body.splitlines(), line):
        if command and command.text.endswith("\\"):
            command.text = command.text[:-1] + text.strip()
        elif kind == "console" and not text.startswith("$ "):
            command.shown += text + "\n"
        elif text.strip() and not text.startswith("#"):
            if command:
                yield command
            command = Command(page, n, text[2:] if kind == "console" else text)
            command.shown = "" if kind == "console" else None
    if command:
        yield command


def read_page(page):
    """Returns the commands for the VM, and the errors in the page."""
    text, commands, wrong = page.read_text(), [], []
    for block in BLOCK.finditer(text):
        kind, where, body = block[1], block[2] or "", block[3]
        line = text.count("\n", 0, block.start(3)) + 1
        if kind in ("sh", "console") and where == "vm":
            commands += read_block(page, line, kind, body)
        elif kind in ("sh", "console") and not where.startswith("not-run: ") and not (ROOT / where).is_file():
            wrong.append(f"line {line - 1}: says neither where these commands run nor why not")
        elif kind not in ("sh", "console") and re.search(r"^(\$ |sudo |bprof )", body, re.MULTILINE):
            wrong.append(f"line {line - 1}: has commands and is not marked as sh or console")
    plain = BLOCK.sub(lambda b: "\n" * b[0].count("\n"), text)
    wrong += [f"line {n}: commands stand in a block with ```" for n, line in enumerate(plain.splitlines(), 1)
              if re.match(r"    (\$ )?(sudo|bprof|make|scripts/\w+|perf|bpftool) ", line)]
    # scripts/bench writes docs/dev/bench-tables.md, so this page has its own form.
    wrong += [f"line {n}: wider than 100 columns" for n, line in enumerate(plain.splitlines(), 1)
              if len(line) > 100 and not line.startswith(("|", "    ")) and page.name != "bench-tables.md"]
    for link in re.finditer(r"\]\(([^)#:]+)(?:#[^)]*)?\)", plain):
        if not (page.parent / link[1]).exists():
            wrong.append(f"there is no {link[1]}")
    if page.name == "README.md" and page.parent == ROOT and text.count("\n") > 120:
        wrong.append("more than 120 lines")
    if text.count("\n") > 250 and page.name != "bench-tables.md":
        wrong.append("more than 250 lines")
    return commands, wrong


def read_files(pages):
    """Returns the contents of the files that the pages show."""
    blocks = [block for page in pages for block in BLOCK.finditer(page.read_text())]
    return {block[2]: block[3] for block in blocks if block[1] == "json" and block[2]}


def make_script(commands):
    """Returns the commands as a script for shells with a function "run N", which reads command N."""
    return "".join(f"run {n} <<'END'\n{c.text}\nEND\n" for n, c in enumerate(commands))


def run(commands, files):
    """Runs the commands in the VM, with these files. Fills in their outputs and statuses."""
    with tempfile.TemporaryDirectory() as work:
        script = pathlib.Path(work) / "commands"
        script.write_text(make_script(commands))
        adds = []
        for name, text in files.items():
            (pathlib.Path(work) / name).write_text(text)
            adds += ["--add", pathlib.Path(work) / name]
        objects = subprocess.check_output([ROOT / "scripts/fetch", "xdp-tools"], text=True, cwd=ROOT).strip()
        vm = subprocess.run([ROOT / "scripts/vm", "--arch", "arm64", "--out", work, "--add",
                             objects, "--add", ROOT / "build/progs", "--add", ROOT / "tests/docs-guest",
                             "--add", ROOT / "tests/docs-bin", "--add", script, *adds, "--", "sh", "docs-guest"],
                            capture_output=True, text=True, cwd=ROOT, check=False)
        for n, command in enumerate(commands):
            status = pathlib.Path(work) / f"{n}.status"
            if status.exists():
                command.status = int(status.read_text())
                command.output = (pathlib.Path(work) / f"{n}.out").read_text(errors="replace")
        return None if vm.returncode == 0 else f"status {vm.returncode}: {vm.stdout[-3000:]}{vm.stderr[-3000:]}"


def update(page, commands):
    """Replaces the outputs in the page, except those with a line "..."."""
    text = page.read_text()
    for command in commands:
        if command.shown is not None and command.output and "\n...\n" not in "\n" + command.shown:
            text = text.replace(f"$ {command.text}\n{command.shown}", f"$ {command.text}\n{command.output}")
    page.write_text(text)


def report(results):
    for n, (name, wrong) in enumerate(results, 1):
        if wrong:
            print("".join(f"# {line}\n" for line in wrong.splitlines()), end="")
        print(f"{'not ok' if wrong else 'ok'} {n} - docs: {name}")
    print(f"1..{len(results)}")
    return any(wrong for _, wrong in results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--changed", action="store_true")
    parser.add_argument("pages", metavar="PAGE", nargs="*")
    args = parser.parse_args()
    pages = [pathlib.Path(page).resolve() for page in args.pages] or [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
    results, commands, ran = [], [], set(pages)
    if args.changed:
        names = subprocess.check_output([ROOT / "scripts/changed", "README.md", "docs"], text=True).split()
        ran = {ROOT / name for name in ["README.md", *names]}
    for page in pages:
        found, wrong = read_page(page)
        commands += found if page in ran else []
        results.append((str(page.relative_to(ROOT)), "\n".join(wrong)))
    if commands:
        results.append(("the VM", run(commands, read_files(pages))))
    if args.update:
        for page in pages:
            update(page, [c for c in commands if c.page == page])
    results += [(f"{c.page.relative_to(ROOT)}:{c.line}: {c.text}", c.problem()) for c in commands]
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
