# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The part of tests/hostile.py that needs a kernel. In a VM, the group "hostile" of ktest makes tasks,
cgroups, network devices, files and programs with all hostile names. Each command then runs
once in each format, and all these names must be in its output."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pyte

from strings import STRINGS, Bad, check_inert, find, read, require

ROOT = Path(__file__).resolve().parent.parent.parent
TOP_ROWS, TOP_COLS = 60, 200  # as in test_hostile.c
PLACE = 60  # the length of the places for a string in evil.bpf.c
ONE = '-- sh -c "drive testrun $one:20" "$@"'  # runs one program; the hostile names are unused arguments
RUN = '-- sh hostile/run "$@"'  # runs all programs in tasks with hostile names; its arguments are unused
RUN_FEW = '-- env runs=400 sh hostile/run "$@"'  # the same, fewer times

# For each command: its name, its formats, its options, and the fields in which hostile names must be in the
# output, in all formats ("FIELD") or in one ("FORMAT:FIELD"). Names of programs and functions are no
# such fields, because the kernel accepts only identifiers.
COMMANDS = (
    ("list", "text json", "list -v", "comm device cgroup version"),
    ("list --perf", "text json", "list --perf", "comm file"),
    ("watch", "text json trace-event", "watch -- sh hostile/load", "comm"),
    ("stat", "text json csv tsv benchfmt html pprof", f"stat -b $one -e time {ONE}", "json:argument html:argument pprof:argument"),
    ("stat -I", "text json csv tsv html trace-event", f"stat -b $one -e time -I 3600s {ONE}", "json:argument html:argument"),
    ("stat --follow", "text json html", f"stat --name evil --follow -e time {RUN_FEW}", "json:argument html:argument json:version html:version"),
    ("stat --func", "text json html", f"stat -b $one --func * -e time --dist {ONE}", "json:argument html:argument"),
    ("trace", "text json trace-event", f"trace --pinned /sys/fs/bpf/hostile --every 100 --stack {RUN_FEW}", "comm"),
    ("record", "json pprof", f"record -b $list -e cpu-clock -F 20000 {RUN}", "source line"),
    ("annotate", "text json html folded pprof", "annotate -i $OUT/record.json", "source line"),
    ("system -p", "text json csv tsv html", "system -p $pid_list -e time --timeout 10", "comm"),
    ("system --for-each-cgroup", "text json csv tsv html", "system --for-each-cgroup ^hostile/.*$ -e time --timeout 10", "cgroup"),
    ("system COMMAND", "text json csv tsv html", 'system -e time -- true "$@"', "json:argument html:argument"),
    ("bench", "text json csv tsv benchfmt html pprof", "bench --suite hostile/suite.json --blocks 2 --repeat 2 -e time",
     "text:case json:case html:case pprof:case benchfmt:case"),
    ("bench OLD NEW", "text json markdown junit html", "bench --suite hostile/two.json --blocks 2 --repeat 2 -e time --inconclusive-ok", "case"),
    ("doctor", "text json", "doctor", ""),
)
# Commands that run in another way, their formats, and the fields in which hostile names must be in the output.
OTHERS = (("bench REFUSED", "text", "log"), ("export -o", "prometheus", "version"),
          ("export --listen", "prometheus openmetrics", "version"), ("top", "screen", "comm device cgroup version source line"))
SCRIPT = """
bprof export --name evil -e time -I 3600s -o $OUT/export_-o.prometheus 2>$OUT/export_-o.prometheus.err &
until [ -s $OUT/export_-o.prometheus ]; do kill -0 $! || break; done
kill $!
bprof export --name evil -e time --listen 127.0.0.1:9797 2>$OUT/export_--listen.prometheus.err &
get() { wget -q -O $OUT/export_--listen.$1 --header "Accept: $2" http://127.0.0.1:9797/metrics; }
until get prometheus text/plain 2>/dev/null; do kill -0 $! || break; done
get openmetrics "application/openmetrics-text;version=1.0.0"
kill $!
rm -f /sys/fs/bpf/perf_attr_map
"""

# For each field: the number of bytes that are kept of a name, and a pattern of bytes that the kernel refuses in it.
FIELDS = {
    "comm": (15, None), "device": (15, rb"[\s\xa0:%]"), "cgroup": (PLACE, rb"\n"), "file": (PLACE, None), "pin": (PLACE, rb"\."),
    "source": (PLACE, None), "log": (PLACE, rb"\n"), "line": (PLACE, None), "version": (PLACE, None), "argument": (PLACE, None), "case": (PLACE, None),
}


def name_of(data):
    """Returns the string as a file name."""
    return data.replace(b"/", b"-").rstrip(b"\n")[:PLACE]


def quote(data):
    return b"'" + data.replace(b"'", b"'\\''") + b"'"


# ---- what the guest gets ----

def compile_object(work, *options):
    """Compiles evil.bpf.c. The source has the name FFF…, which fill() can replace in the object."""
    source, out = work / ("F" * PLACE), work / "evil.bpf.o"
    shutil.copy(ROOT / "tests/hostile/evil.bpf.c", source)
    subprocess.run(["clang", "-target", "bpf", "-mcpu=v3", "-g", "-O2", "-I/usr/include/x86_64-linux-gnu", *options,
                    "-c", "-x", "c", source, "-o", out], check=True, cwd=work)
    subprocess.run(["llvm-strip", "-g", out], check=True)
    return out.read_bytes()


def fill(code, name):
    for letter in b"VLF":
        code = code.replace(bytes([letter]) * PLACE, name.ljust(PLACE, b"\0"))
    return code


def make_suites(guest):
    names = [name_of(data).decode("utf-8", "replace") for data in STRINGS.values()]
    for path, keys in (("suite.json", ("object",)), ("two.json", ("old", "new"))):
        entry = {"name": names[0], "prog": "evil", "cases": [{"name": n} for n in names], **{k: "0.bpf.o" for k in keys}}
        (guest / path).write_text(json.dumps({"entries": [entry]}), encoding="utf-8")


def make_commands():
    """Returns the script that runs all commands."""
    names = [name_of(data) for data in STRINGS.values()]
    lines = [b"export one=${ids%% *}; list=$(echo $ids | tr ' ' ,) pid_list=$(echo $pids | tr ' ' ,)", b"set -f -- " + b" ".join(map(quote, names))]
    for name, kinds, options, _ in COMMANDS:
        options, dashes, command = options.partition(" -- ")
        for kind in kinds.split():
            path = f"$OUT/{name.replace(' ', '_')}.{kind}"
            lines.append(f"bprof {options} --format {kind} -o {path}{dashes}{command} 2>{path}.err".encode())
        lines.append(f'echo "{name}: $(cut -d " " -f 1 /proc/uptime) s"'.encode())
    lines.append(b": >$OUT/bench_REFUSED.text.err")
    lines += [f"bprof bench hostile/bad.{i}.bpf.o >>$OUT/bench_REFUSED.text 2>&1".encode() for i in range(len(names))]
    return b"\n".join(lines) + SCRIPT.encode()


def make_guest(work):
    """Makes the directory "hostile" of the guest."""
    guest = work / "hostile"
    (guest / "names").mkdir(parents=True)
    shutil.copytree("/usr/lib/locale/C.utf8", guest / "C.utf8")
    good, bad = compile_object(work), compile_object(work, "-DREFUSED")
    run, load = [b"set -- $ids"], []
    for i, data in enumerate(STRINGS.values()):
        name = name_of(data)
        (guest / f"{i}.name").write_bytes(name)
        (guest / f"{i}.bpf.o").write_bytes(fill(good, name))
        (guest / f"bad.{i}.bpf.o").write_bytes(fill(bad, name))
        (guest / "names" / os.fsdecode(name)).symlink_to("/tools/drive")
        (guest / "names" / os.fsdecode(name + b".so")).write_bytes(bytes(4096))
        run.append(b"hostile/names/" + quote(name) + b" testrun $1:${runs:-4000}; shift")
        load.append(b"hostile/names/" + quote(name) + b" run --obj hostile/%d.bpf.o:evil -- true" % i)
    make_suites(guest)
    for name, lines in (("run", run), ("load", load), ("commands", [make_commands()])):
        (guest / name).write_bytes(b"\n".join(lines) + b"\n")
    return guest


def run_guest(work):
    """Runs all commands in a VM; their outputs are then in work/out."""
    guest = make_guest(work)
    result = subprocess.run(["scripts/vm", "--arch", "arm64", "--silence", "100", "--add", guest, "--out", work / "out", "--",
                             "env", "LC_ALL=C.UTF-8", "ktest", "hostile"], cwd=ROOT, capture_output=True, check=False)
    (work / "vm.log").write_bytes(result.stdout + result.stderr)
    require(result.returncode == 0, f"the VM: {(result.stdout + result.stderr)[-3000:].decode('utf-8', 'replace')}")
    for path in (work / "out").glob("refused.*"):
        _, what, number = path.name.split(".")
        name = name_of(list(STRINGS.values())[int(number)])[:FIELDS[what][0]]
        require(re.search(FIELDS[what][1], name), f"{what} {name}: {path.read_text('utf-8')}")


# ---- what comes back ----

# Everything that ncurses sends to a vt100 except characters.
TERMINAL = re.compile(rb"\x1b(?:\[[?\d;]*[A-Za-z]|[()][AB0]|[=>78MD])|[\r\n\b\x0e\x0f\0]")


def read_screens(out):
    """Returns the lines that a terminal shows of bprof top, each time the test in the VM has saved the output."""
    screen, shown = pyte.Screen(TOP_COLS, TOP_ROWS), []
    stream = pyte.ByteStream(screen)
    for i in range(len(list(out.glob("top.screen.*")))):
        data = (out / f"top.screen.{i}").read_bytes()
        check_inert(TERMINAL.sub(b"", data), "")
        stream.feed(data)
        shown += screen.display
    require("please report" not in "".join(shown), "top says: please report this")
    return [line.rstrip() for line in shown]


def check_field(strings, field, kind):
    """Checks that all names are in the strings. Returns the ways in which they are changed there, such as "U+FFFD"."""
    size, refused = FIELDS[field]
    ways = set()
    for string, data in STRINGS.items():
        name = name_of(data)[:size]
        if refused and re.search(refused, name):
            continue
        if kind == "screen":  # top shows characters without their combining marks
            name = name.replace("\u0301".encode(), b"")
        how = find(strings, name)
        require(how, f"{string}: the {field} did not come back")
        ways.add(how)
    return ways


def check_output(out, command, kind, fields, seen):
    path = out / f"{command.replace(' ', '_')}.{kind}"
    cell = seen.setdefault(command, {}).setdefault(kind, {})
    try:
        if kind == "screen":
            strings = read_screens(out)
        else:
            messages = path.with_name(path.name + ".err")
            text = check_inert(messages.read_bytes(), "\n\t") if messages.exists() else ""
            require(path.exists() and path.stat().st_size, f"no output: {text}")
            strings = read(kind, path.read_bytes())
        for field in fields:
            cell[field] = check_field(strings, field, kind)
    except Exception as e:
        raise Bad(f"{command}, {kind}: {type(e).__name__}: {e}") from e


def outputs():
    """Yields each output: the command, the format, and the fields in which names must be."""
    for command, kinds, fields in [(c[0], c[1], c[3]) for c in COMMANDS] + list(OTHERS):
        for kind in kinds.split():
            yield command, kind, [f.split(":")[-1] for f in fields.split() if ":" not in f or f.split(":")[0] == kind]


def make_table(seen):
    """Returns the table: for each command and format, how names are changed in each field."""
    lines = ["| command | formats | how the fields came back |", "|---|---|---|"]
    for command, cells in seen.items():
        groups = {}
        for kind, fields in cells.items():
            text = "; ".join(f"{field}: {', '.join(sorted(ways))}" for field, ways in fields.items()) or "-"
            groups.setdefault(text, []).append(kind)
        lines += [f"| {command} | {', '.join(kinds)} | {text} |" for text, kinds in groups.items()]
    return "\n".join(lines).replace("\\", "\\\\") + "\n"
