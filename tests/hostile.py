#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Feeds hostile strings to every output of bprof, and checks that the strings are inert. No output may have a
character that controls a terminal. A reader of each format must find the same strings or their documented
replacement. Nothing else in a document may change. Prints TAP.

  tests/hostile.py            checks everything; needs root, for the names of tasks, and boots a VM
  tests/hostile.py --update   writes the tables in docs/dev/hostile-data.md, instead of checking them
  HOSTILE_FILTER=TEXT tests/hostile.py   runs only the checks whose names contain TEXT, such as VM
"""

import copy
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "hostile"))
import guest  # pylint: disable=wrong-import-position
from strings import STRINGS, Bad, check_inert, find, read, require

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/golden"
ARCH = platform.machine().replace("aarch64", "arm64")
BPROF = ROOT / "build" / ARCH / "bprof"
PAGE = ROOT / "docs/dev/hostile-data.md"
MARKER = "xyzzy"

REPORT = ("text", "json", "csv", "tsv", "benchfmt", "html", "pprof")
SYSTEM = ("text", "json", "csv", "tsv", "html")
SERIES = ("text", "json", "csv", "tsv", "html", "trace-event")
COMPARISON = ("text", "json", "markdown", "junit", "html")
RECORDING = ("text", "json", "folded", "html", "pprof")
# The documents, the formats in which they can be shown, and options that add to the text.
DOCUMENTS = (
    ("rich.json", REPORT, ("--dist",)), ("tree.json", REPORT, ()), ("followed.json", REPORT, ()),
    ("by_retval.json", REPORT, ()), ("bench.json", REPORT, ()), ("interval.json", SERIES, ()),
    ("system.json", SYSTEM, ()),
    ("compare/changes.json", COMPARISON, ()), ("compare/axis.json", COMPARISON, ()),
    ("record/rich.json", RECORDING, ()), ("record/rich.annotate.json", RECORDING[:-1], ()),
)
# Strings for fields that accept only certain words: bprof refuses the document, and its message shows the string.
REFUSED = ("escape sequence", "C1 as bytes", "newline", "bidi", "element")
# Options whose arguments are shown in messages.
ARGUMENTS = (
    "stat --name", "stat -e", "stat --tag", "stat --pinned", "stat --type", "stat --prog-id", "stat --func",
    "stat --method", "stat -x", "stat --sample", "stat --timeout", "stat -C", "system -p", "system -G", "system -e",
    "list --name", "report", "report --format", "report tree.json --sort", "diff", "diff tree.json",
    "diff tree.json tree.json --fail-on", "annotate -i", "annotate --func", "history show -f",
    "history show --name", "history export --github -f", "bench", "bench --suite", "bench --prog-id", "bench --map",
    "trace --where", "trace --name", "watch --type", "record -o /nonexistent/dir/", "record --name", "top --name",
    "export --listen", "doctor", "help", "",
)


def bprof(*args, **kwargs):
    """Runs bprof. Checks that its messages are inert, and that it does not crash."""
    env = {**os.environ, "LC_ALL": kwargs.pop("locale", "C.UTF-8"), "BPROF_PAGER": ""}
    result = subprocess.run([BPROF, *args], capture_output=True, stdin=subprocess.DEVNULL, timeout=600, env=env,
                            cwd=kwargs.pop("cwd", GOLDEN), check=False)
    check_inert(result.stderr, "\n\t")
    require(result.returncode in (*range(6), 7, 8), f"{args}: ended with {result.returncode}: {result.stderr}")
    return result


# ---- documents ----

def fill(value, keys, text):
    """Returns a copy in which the text replaces the strings below these keys."""
    if isinstance(value, dict):
        return {k: (fill_all(v, text) if k in keys else fill(v, keys, text)) for k, v in value.items()}
    return [fill(v, keys, text) for v in value] if isinstance(value, list) else copy.copy(value)


def fill_all(value, text):
    if isinstance(value, str):
        return text
    return [fill_all(v, text) for v in value] if isinstance(value, list) else value


def keys_of(value):
    if isinstance(value, dict):
        below = [keys_of(v) for v in value.values()]
        own = {k for k, v in value.items() if isinstance(v, str) or (isinstance(v, list) and v and isinstance(v[0], str))}
        return own.union(*below)
    return set().union(*(keys_of(v) for v in value)) if isinstance(value, list) else set()


class Document:
    """A golden file, and the keys of its strings that bprof accepts with any other text."""

    def __init__(self, name, work):
        self.name, self.path = name, work / name.replace("/", "_")
        text = (GOLDEN / name).read_text(encoding="utf-8")
        lines = text.splitlines()
        self.series = name == "interval.json"
        self.docs = [json.loads(line) for line in lines] if self.series else [json.loads(text)]
        keys = sorted(set().union(*(keys_of(d) for d in self.docs)))
        self.free = set()
        for key in keys:
            # one key at a time: does bprof accept another string below this key?
            self.write({key}, MARKER.encode())
            if bprof("report", self.path).returncode == 0:
                self.free.add(key)
        self.fixed = [k for k in keys if k not in self.free]
        require({"name", "event"} & self.free, f"{name}: only {self.free} can be replaced")

    def write(self, keys, data):
        docs = [fill(d, keys, MARKER) for d in self.docs]
        text = "\n".join(json.dumps(d, indent=None if self.series else 1) for d in docs) + "\n"
        try:
            text = text.replace(f'"{MARKER}"', json.dumps(data.decode()))
            self.path.write_text(text)
        except UnicodeDecodeError:
            quoted = data.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
            self.path.write_bytes(text.encode().replace(f'"{MARKER}"'.encode(), b'"' + quoted + b'"'))


def check_document(work, name, formats, options, seen):
    doc = Document(name, work)
    for string, data in STRINGS.items():
        doc.write(doc.free, data)
        utf8 = data.decode("utf-8", "replace").encode() == data
        for kind in formats:
            result = bprof("report", doc.path, "--format", kind, *(options if kind == "text" else ()))
            require(result.returncode == (0 if utf8 else 1), f"{string}, {kind}: {result.stderr}")
            if not utf8:
                require(not result.stdout, f"{string}, {kind}: output of a file that is not UTF-8")
                seen[string][kind].add("refused")
                continue
            try:
                how = find(read(kind, result.stdout), data)
            except Exception as e:
                raise Bad(f"{string}, {kind}: {type(e).__name__}: {e}") from e
            require(how, f"{string}, {kind}: did not come back")
            seen[string][kind].add(how)
        require(bprof("report", doc.path, locale="C").stdout.isascii(), f"{string}: not ASCII in the C locale")
        for key in doc.fixed if string in REFUSED else ():
            doc.write({key}, data)
            check_inert(bprof("report", doc.path).stdout)


# Commands that read a file with a hostile name: the command, the file's content, and the exit status.
FILES = (
    ("report", "tree.json", 0), ("report", None, 1), ("diff tree.json", "tree.json", 5),
    ("annotate -i", "record/rich.json", 0), ("annotate -i", None, 1), ("bench --suite", None, 2),
    ("bench", None, 1), ("bench hot.o --pcap", None, 1), ("history show -f", "history/history.jsonl", 0), ("history show -f", None, 1),
)


def check_names_of_files(work):
    """Checks that hostile names of files are inert in messages, as names of reports in comparisons and of outputs."""
    for string, data in STRINGS.items():
        name = data.replace(b"/", b"-")[:200] + b".json"
        path = os.fsdecode(os.fsencode(work) + b"/" + name)
        for command, content, status in FILES:
            if content:
                shutil.copy(GOLDEN / content, path)
            else:
                pathlib.Path(path).write_text("{", encoding="utf-8")
            result = bprof(*command.split(), path)
            check_inert(result.stdout)
            require(result.returncode == status, f"{string}, {command}: {result}")
            require(content or find([result.stderr.decode()], name), f"{string}, {command}: not named: {result.stderr}")
        shutil.copy(GOLDEN / "tree.json", path)
        for kind in COMPARISON:
            result = bprof("diff", path, path, "--format", kind)
            try:
                read(kind, result.stdout)
            except Exception as e:
                raise Bad(f"{string}, {kind}: {type(e).__name__}: {e}") from e
        os.unlink(path)
        require(bprof("report", "tree.json", "-o", path).returncode == 0 and os.path.getsize(path), f"{string}: no output")


def check_arguments(data):
    for line in ARGUMENTS:
        check_inert(bprof(*line.split(), data).stdout)


# ---- histories, suites ----

def check_history(work):
    """Checks that the outputs of a history are inert if its programs, events and commits have hostile names."""
    lines = (GOLDEN / "history/history.jsonl").read_text(encoding="utf-8").splitlines()
    docs = [json.loads(line) for line in lines]
    keys, path = {"name", "func", "input", "kernel", "unit", "machine", "subject"}, work / "history.jsonl"
    commands = (("text", "show"), ("json", "show", "-j"), ("html", "html"), ("text", "check"), ("markdown", "check", "--markdown"),
                ("junit", "check", "--junit"), ("json", "export", "--github"),
                ("benchfmt", "export", "--benchfmt"))
    for string, data in STRINGS.items():
        filled = "\n".join(json.dumps(fill(d, keys, MARKER)) for d in docs) + "\n"
        path.write_bytes(filled.encode().replace(MARKER.encode(), json.dumps(data.decode("utf-8", "replace"))[1:-1].encode()))
        for kind, *command in commands:
            result = bprof("history", *command, "-f", path)
            try:
                found = read(kind, result.stdout) if result.returncode in (0, 3, 5) else []
            except Exception as e:
                raise Bad(f"{string}, {command}: {type(e).__name__}: {e}") from e
            require(result.returncode not in (1, 2) or b"history" in result.stderr, f"{string}, {command}: {result}")
            del found


def check_suite(work):
    path = work / "suite.json"
    for data in STRINGS.values():
        text = json.dumps(data.decode("utf-8", "replace"))
        for entry in ('{"name": %s, "object": "none.o"}', '{"name": "a", "object": %s}', '{"name": "a", %s: 1}',
                      '{"name": "a", "object": "none.o", "prog": %s}', '{"name": "a", "object": "a.o", "fail_on": [%s]}'):
            path.write_text('{"entries": [%s]}' % (entry % text), encoding="utf-8")
            check_inert(bprof("bench", "--suite", path).stdout)
            path.write_bytes(path.read_bytes().replace(text.encode(), b'"' + data + b'"'))
            check_inert(bprof("bench", "--suite", path).stdout)


# ---- tasks, cgroups, objects ----

def start_task(work, data):
    """Starts a task whose name is the beginning of data, because it executes a file with this name."""
    path = os.fsencode(work) + b"/" + data.replace(b"/", b"-")[:60]
    if not os.path.exists(path):
        shutil.copy(shutil.which("sleep"), path)
    task = subprocess.Popen([path, "600"])
    own = pathlib.Path("/proc/self/comm").read_bytes()
    while comm_of(task) == own:  # exec() sets the name last
        os.sched_yield()
    return task


def comm_of(task):
    return pathlib.Path(f"/proc/{task.pid}/comm").read_bytes()


def check_tasks(work):
    """Checks how bprof system shows, in each format, the name of a task, which any user can choose."""
    for string, data in STRINGS.items():
        task = start_task(work, data)
        try:
            comm = comm_of(task)[:-1]
            for kind in SYSTEM:
                result = bprof("system", "-p", str(task.pid), "-e", "time", "--timeout", "10", "--format", kind, "-v")
                require(result.returncode == 0, f"{string}: {result.stderr}")
                require(find(read(kind, result.stdout), comm), f"{string}, {kind}: {comm} did not come back")
            require(not bprof("system", "-p", str(task.pid), "-e", "no-such-event").stdout, "an unknown event")
        finally:
            task.kill()
            task.wait()


OBJECT = """
struct xdp_md { unsigned int data; };
const char bpf_metadata_version[] __attribute__((section(".rodata"), used)) = %s;
#line 1 "%s"
__attribute__((section("xdp"), used)) int evil(struct xdp_md *ctx)
{
	return ctx->data & 3; // %s
}
char _license[] __attribute__((section("license"), used)) = "GPL";
"""


def make_object(work, data):
    """Makes an object with hostile names of files, source lines, metadata, sections and symbols."""
    safe = re.sub(rb'[\n\r"\\]', b"_", data[:200])
    literal = b'"' + b"".join(b"\\%03o" % b for b in data[:200]) + b'"'
    source, out = work / "evil.bpf.c", work / "evil.bpf.o"
    source.write_bytes(OBJECT.encode().replace(b"%s", literal, 1).replace(b"%s", safe, 1).replace(b"%s", safe, 1))
    subprocess.run(["clang", "-target", "bpf", "-g", "-O2", "-w", "-c", source, "-o", out], check=True, cwd=work)
    named, symbol = work / "named.bpf.o", re.sub(b"[=,]", b"_", safe)
    subprocess.run(["llvm-objcopy", b"--rename-section=xdp=xdp/" + symbol,
                    b"--redefine-sym=evil=" + symbol, out, named], check=True)
    return out, named


def check_objects(work):
    """Checks that bench -vv is inert: it shows libbpf's lines, with names of the object, and the verifier's log."""
    for data in STRINGS.values():
        for path in make_object(work, data):
            check_inert(bprof("bench", path, "-r", "2", "--repeat", "2", "-vv").stdout)


# ---- the table ----

KINDS = ("text", "json", "csv", "tsv", "html", "junit", "markdown", "benchfmt", "folded", "pprof", "trace-event")


def make_table(seen):
    # each cell shows one replacement; if the fields of a format differ, it shows the first of them in this order
    order = ("refused", "_", r"\xNN", "U+FFFD", "same")
    rows = ["| string | " + " | ".join(KINDS) + " |", "|---" * (len(KINDS) + 1) + "|"]
    for string, cells in seen.items():
        rows.append(f"| {string} | " + " | ".join(min(cells[k], key=order.index, default="-").replace("\\", "\\\\")
                                                 for k in KINDS) + " |")
    return "\n".join(rows) + "\n"


def check_table(begin, table):
    """Checks that the page has this table; with --update, writes it there. begin: the first words of its first row."""
    page = PAGE.read_text(encoding="utf-8")
    found = re.search(rf"(?m)^\| {begin} .*\n(\|.*\n)+", page)
    require(found, "no table")
    if "--update" in sys.argv:
        PAGE.write_text(page[:found.start()] + table + page[found.end():], encoding="utf-8")
    else:
        require(found[0] == table, f"another table:\n{table}")


# ---- all checks ----

def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="bprof-hostile-"))
    seen = {s: {k: set() for k in KINDS} for s in STRINGS}
    checks = [(f"document {d[0]}", lambda d=d: check_document(work, *d, seen)) for d in DOCUMENTS]
    checks += [("document docs/dev/hostile-data.md: table", lambda: check_table("string", make_table(seen))),
               ("names of files", lambda: check_names_of_files(work)), ("histories", lambda: check_history(work)),
               ("suites", lambda: check_suite(work)), ("tasks", lambda: check_tasks(work)),
               ("objects", lambda: check_objects(work))]
    checks += [(f"arguments: {s}", lambda d=d: check_arguments(d)) for s, d in STRINGS.items()]
    came_back = {}
    checks += [("VM", lambda: guest.run_guest(work))]
    checks += [(f"VM: {o[0]}, {o[1]}", lambda o=o: guest.check_output(work / "out", *o, came_back)) for o in guest.outputs()]
    checks += [("VM: table", lambda: check_table("command", guest.make_table(came_back)))]
    only = os.environ.get("HOSTILE_FILTER", "")
    failed = False
    for i, (name, check) in enumerate(checks, 1):
        if only not in name:
            continue
        try:
            check()
            print(f"ok {i} - hostile: {name}", flush=True)
        except (Bad, OSError, subprocess.SubprocessError, ValueError) as e:
            print("".join(f"# {line}\n" for line in str(e)[:3000].splitlines()) + f"not ok {i} - hostile: {name}", flush=True)
            failed = True
    print(f"1..{len(checks)}")
    shutil.rmtree(work, ignore_errors=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
