#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Mutation test: changes each condition and number of the pure rooms, and runs their unit tests.

A mutant that no test notices survives: either a test is missing, or the mutant is equivalent, which
means that no caller can see a difference. Clang's syntax tree says where the conditions are. All mutants are compiled in at the
same time, in a copy of the source tree (build/mutation); the environment chooses one (mutant.h). A
first run of each test finds which mutants it reaches; only these tests run again with the mutant. With
--resume, a mutant that an earlier run has killed counts as killed until its function changes. With
--asan, the tests also notice memory that is not freed, and reads beyond an array: slow, so that it is
for the survivors.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREE = ROOT / "build/mutation"
ROOMS = ("base", "json", "event", "compare", "report")
FILES = ("profiler/probe/trace_conds.c",)
# Files that are not pure: they open perf events or run a pager.
EXCEPT = ("profiler/event/event_fds.c", "profiler/base/pager.c", "profiler/base/build_info.c")
FLIPS = {
    "==": ("!=",), "!=": ("==",), "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
}

# place: the name and the text of the function, and the mutant's number in this function
Mutant = collections.namedtuple("Mutant", "id file line func before after place")


def flags():
    packages = subprocess.run(["pkg-config", "--cflags", "libbpf", "jansson"], check=True,
                              capture_output=True, text=True).stdout.split()
    arch = {"aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    return ["-D_GNU_SOURCE", "-iquote", ".", "-iquote", "profiler", "-iquote", f"build/{arch}",
            "-iquote", "build", *packages]


class File:
    """One C file, and the changes that turn its code into mutants."""

    def __init__(self, path, next_id, dropped):
        self.path, self.dropped = path, dropped
        self.source = (ROOT / path).read_bytes()
        self.next_id = next_id
        self.mutants, self.opens, self.closes, self.replaced = [], [], [], []
        self.func = self.func_hash = self.func_id = None
        for node in self.functions():
            self.func, self.func_id = node["name"], self.next_id
            self.func_hash = self.hash_of(node)
            for child in node.get("inner", ()):
                if child["kind"] == "CompoundStmt":
                    self.visit(child)

    def functions(self):
        """Returns the syntax trees of the file's functions. They are kept in a file until the C file changes."""
        kept = TREE / "build/trees" / hashlib.sha256(self.source).hexdigest()
        if not kept.exists():
            tree = subprocess.run(["clang", *flags(), "-fsyntax-only", "-Xclang", "-ast-dump=json", self.path],
                                  cwd=ROOT, check=True, capture_output=True).stdout
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps([node for node in json.loads(tree)["inner"] if node["kind"] == "FunctionDecl"
                                        and not self.is_included(node["loc"])]))
        return json.loads(kept.read_text())

    def hash_of(self, node):
        span = self.span(node) or (0, len(self.source))
        return hashlib.sha256(self.source[span[0]:span[1]]).hexdigest()

    @staticmethod
    def is_included(loc):
        return "includedFrom" in loc or "includedFrom" in loc.get("expansionLoc", {}) or not loc

    def span(self, node):
        """Returns the begin and end of an expression in the file, or None if a macro makes them uncertain."""
        begin, end = node["range"]["begin"], node["range"]["end"]
        ends = []
        for loc in (begin, end):
            if "expansionLoc" in loc:
                if loc["expansionLoc"].get("isMacroArgExpansion") or loc["spellingLoc"].get("isMacroArgExpansion"):
                    return None
                loc = loc["expansionLoc"]
                after = self.source[loc["offset"] + loc["tokLen"]:].lstrip()
                if after.startswith(b"("):
                    return None
            if "offset" not in loc:
                return None
            ends.append(loc)
        first, last = ends[0]["offset"], ends[1]["offset"] + ends[1]["tokLen"]
        return (first, last) if first < last else None

    def add(self, offset, before, after):
        """Adds and returns a new mutant, or returns None if it does not compile."""
        line = self.source.count(b"\n", 0, offset) + 1
        mutant = Mutant(self.next_id, self.path, line, self.func, " ".join(before.split()), after,
                        f"{self.path} {self.func} {self.func_hash} {self.next_id - self.func_id}")
        self.next_id += 1
        if (self.func, mutant.before, after, line) in self.dropped:
            return None
        self.mutants.append(mutant)
        return mutant.id

    def wrap(self, span, opening, closing):
        self.opens.append((span[0], span[1], opening))
        self.closes.append((span[1], span[0], closing))

    def text(self, span):
        return self.source[span[0]:span[1]].decode()

    def operator(self, node):
        """Returns the spans of a binary expression, of its two sides, and of its operator."""
        spans = [self.span(n) for n in (node, *node["inner"][:2])]
        if None in spans:
            return None
        between = self.source[spans[1][1]:spans[2][0]]
        plain = re.sub(rb"/\*.*?\*/", lambda m: b" " * len(m.group()), between, flags=re.S)
        at = plain.find(node["opcode"].encode())
        # The spans of the sides do not include parentheses around them.
        if at < 0 or plain.replace(node["opcode"].encode(), b"", 1).strip(b" \t\n"):
            return None
        return spans[0], spans[1][1] + at, spans

    def compare(self, node):
        found = self.operator(node)
        if not found:
            return
        span, at, _ = found
        op, before = node["opcode"], self.text(span)
        ids = [(self.add(span[0], before, flip), flip) for flip in FLIPS[op]]
        ids = [(i, flip) for i, flip in ids if i]
        if not ids:
            return
        n = ids[0][0]
        result = f"x{n}_ {op} y{n}_"
        for i, flip in ids:
            result = f"(mutant__is_on({i}) ? x{n}_ {flip} y{n}_ : {result})"
        self.wrap(span, f"({{ __auto_type x{n}_ = (", f") + 0; {result}; }})")
        self.replaced.append((at, len(op), f") + 0; __auto_type y{n}_ = ("))

    def logical(self, node):
        found = self.operator(node)
        if not found:
            return
        span, at, _ = found
        op = node["opcode"]
        i = self.add(span[0], self.text(span), "||" if op == "&&" else "&&")
        if not i:
            return
        stop = f"mutant__is_on({i})" if op == "&&" else f"!mutant__is_on({i})"
        self.wrap(span, f"({{ _Bool x{i}_ = !!(", "); })")
        self.replaced.append((at, 2, f"); int m{i}_ = {stop}; x{i}_ == m{i}_ ? m{i}_ : !!("))

    def negate(self, node):
        span = self.span(node)
        i = span and self.add(span[0], self.text(span), "negated")
        if i:
            self.wrap(span, "(!!(", f") ^ mutant__is_on({i}))")

    def elvis(self, node):
        """a ?: b becomes b."""
        spans = [self.span(node), self.span(node["inner"][0]), self.span(node["inner"][-1])]
        if None in spans:
            return
        between = self.source[spans[1][1]:spans[2][0]]
        if between.strip() != b"?:":
            return
        i = self.add(spans[0][0], self.text(spans[0]), "only the second")
        if i:
            at = spans[1][1] + between.index(b"?:")
            self.wrap(spans[0], f"({{ __auto_type x{i}_ = (", "); })")
            self.replaced.append((at, 2, f"); x{i}_ && !mutant__is_on({i}) ? x{i}_ : ("))

    def number(self, node):
        span = self.span(node)
        if not span or not re.fullmatch(r"(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*", self.text(span)):
            return
        i = self.add(span[0], self.text(span) + " in " + self.line_of(span[0]), "+ 1")
        if i:
            self.wrap(span, "(", f" + mutant__is_on({i}))")

    def line_of(self, offset):
        begin = self.source.rfind(b"\n", 0, offset) + 1
        return self.source[begin:self.source.index(b"\n", offset)].decode().strip()

    @staticmethod
    def strip(node):
        while node["kind"] in ("ImplicitCastExpr", "ParenExpr", "ConstantExpr"):
            node = node["inner"][0]
        return node

    def is_atom(self, node):
        """Returns true if a condition has no operator from which mutants are made, such as "if (p)"."""
        node = self.strip(node)
        if node["kind"] == "BinaryOperator" and node["opcode"] in (*FLIPS, "&&", "||"):
            return False
        return not (node["kind"] == "UnaryOperator" and node["opcode"] == "!") and \
            node["kind"] != "IntegerLiteral"

    def conditions(self, node):
        kind, inner = node["kind"], node.get("inner", [])
        if kind in ("IfStmt", "WhileStmt", "ConditionalOperator"):
            return inner[:1]
        if kind == "DoStmt":
            return inner[1:2]
        if kind == "ForStmt":
            return inner[2:3]
        if kind == "BinaryOperator" and node["opcode"] in ("&&", "||"):
            return inner
        return []

    def visit(self, node):
        kind = node.get("kind")
        if kind is None:
            return
        # Leave out expressions that are evaluated at compile time.
        if kind in ("CaseStmt",):
            for child in node["inner"][1:]:
                self.visit(child)
            return
        if kind in ("UnaryExprOrTypeTraitExpr", "OffsetOfExpr") or \
                (kind == "VarDecl" and node.get("storageClass") == "static"):
            return
        if kind == "BinaryOperator" and node["opcode"] in FLIPS:
            self.compare(node)
        elif kind == "BinaryOperator" and node["opcode"] in ("&&", "||"):
            self.logical(node)
        elif kind == "UnaryOperator" and node["opcode"] == "!":
            self.negate(node)
        elif kind == "BinaryConditionalOperator":
            self.elvis(node)
            # The children of such a node occur several times in the tree.
            self.visit(node["inner"][0])
            self.visit(node["inner"][-1])
            return
        elif kind == "IntegerLiteral":
            self.number(node)
        for child in self.conditions(node):
            if child.get("kind") and self.is_atom(child):
                self.negate(self.strip(child))
        for child in node.get("inner", ()):
            self.visit(child)

    def mutated(self):
        edits = [(at, 1, -other, 0, text) for at, other, text in self.opens]
        edits += [(at, 0, -other, 0, text) for at, other, text in self.closes]
        edits += [(at, 2, 0, length, text) for at, length, text in self.replaced]
        out, pos = [b'#include "tests/mutation/mutant.h"\n#line 1 "%s"\n' % self.path.encode()], 0
        for at, _, _, length, text in sorted(edits, key=lambda e: e[:3]):
            out += [self.source[pos:at], text.encode()]
            pos = at + length
        return b"".join(out + [self.source[pos:]])


def write_if_new(path, content):
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def copy_tree():
    """Copies the source tree to build/mutation. Unchanged files keep their times, so make does not rebuild them."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    for name in filter(None, names):
        source = ROOT / name
        if source.is_file():
            if name not in MUTATED:
                write_if_new(TREE / name, source.read_bytes())
                shutil.copymode(source, TREE / name)
    if not (TREE / "build/bpf").exists():
        (TREE / "build").mkdir(parents=True, exist_ok=True)
        subprocess.run(["make", "-s", *[f"build/bpf/{p.name}" for p in (ROOT / "build/bpf").glob("*skel.h")]],
                       cwd=ROOT, check=True)
        subprocess.run(["cp", "-a", str(ROOT / "build/bpf"), str(TREE / "build/bpf")], check=True)
        for skeleton in sorted((TREE / "build/bpf").iterdir(), key=lambda p: p.suffix == ".h"):
            os.utime(skeleton)


MUTATED = set()


def make(asan, jobs, targets):
    return subprocess.run(["make", "-k", f"-j{jobs}", "COVERAGE=", f"ASAN={asan}", "CFLAGS=-O1 -w", *targets],
                          cwd=TREE, capture_output=True, text=True)


def compile_file(path, first_id):
    """Writes a file with its mutants. Drops mutants on lines that do not compile."""
    dropped = set()
    while True:
        file = File(path, first_id, dropped)
        write_if_new(TREE / path, file.mutated())
        check = subprocess.run(["gcc", "-std=gnu11", "-w", "-fsyntax-only", *flags(), path], cwd=TREE,
                               capture_output=True, text=True)
        if check.returncode == 0:
            return file
        lines = {int(m.group(1)) for m in re.finditer(re.escape(path) + r":(\d+):\d+: error", check.stderr)}
        bad = {(m.func, m.before, m.after, m.line) for m in file.mutants
               if m.line in lines
               or any(m.line <= n <= m.line + m.before.count("&&") + m.before.count("||") for n in lines)}
        if not bad - dropped:
            sys.exit(check.stderr)
        dropped |= bad


def limits(seconds, asan):
    if not asan:  # ASan maps terabytes
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 << 20, 64 << 20))
    os.setpgrp()


def end_if_it_waits(proc, done):
    """Ends a test that waits forever: it is asleep and has used no CPU time, in two checks in a row, a minute apart."""
    used, waited = None, 0
    while waited < 2 and not done.wait(60):
        try:
            fields = pathlib.Path(f"/proc/{proc.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return
        now = fields[11:13]  # the CPU time; a test that waits for a busy CPU uses none either, but is not asleep
        waited = waited + 1 if fields[0] == "S" and now == used else 0
        used = now
    if waited == 2:
        os.killpg(proc.pid, 9)


def run_test(test, env, seconds=60):
    """Runs a test, at most for this CPU time in seconds. Returns its exit status and the CPU time that it took."""
    env = {**os.environ, **env, "CMOCKA_TEST_ABORT": "1", "ASAN_OPTIONS": "max_allocation_size_mb=1024"}
    proc = subprocess.Popen(["./" + test], cwd=TREE, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, preexec_fn=lambda: limits(seconds, "-asan/" in test))
    done = threading.Event()
    threading.Thread(target=end_if_it_waits, args=(proc, done), daemon=True).start()
    _, status, usage = os.wait4(proc.pid, 0)
    done.set()
    proc.returncode = status
    try:
        os.killpg(proc.pid, 9)  # what the test has left behind
    except ProcessLookupError:
        pass
    return status, usage.ru_utime + usage.ru_stime


def reached_by(test, cnt):
    bitmap = TREE / f"build/reached.{pathlib.Path(test).name}"
    bitmap.write_bytes(bytes(cnt + 1))
    status, seconds = run_test(test, {"MUTANTS_REACHED": str(bitmap), "MUTANT": "-1"})
    if status:
        sys.exit(f"{test} fails without a mutant")
    return {i for i, byte in enumerate(bitmap.read_bytes()) if byte}, seconds


def key(mutant):
    return f"{mutant.file} {mutant.func}: {mutant.before} -> {mutant.after}"


class Killer:
    """Runs the tests that reach a mutant, until one fails."""

    def __init__(self, tests, reached, resume):
        self.tests, self.reached = tests, reached
        self.ran, self.failed = collections.Counter(), collections.Counter()
        self.kept = TREE / "build/killed.json"
        self.killed = json.loads(self.kept.read_text()) if resume and self.kept.exists() else {}

    def cost(self, mutant, test):
        """Returns the key for sorting: quick tests, and tests that killed other mutants of the function, come first."""
        at = (mutant.file, mutant.func, test)
        return self.reached[test][1] * (self.ran[at] + 2) / (self.failed[at] + 1)

    def kill(self, mutant):
        if mutant.place in self.killed:
            return mutant, self.killed[mutant.place]
        mine = [t for t in self.tests if mutant.id in self.reached[t][0]]
        for test in sorted(mine, key=lambda t: self.cost(mutant, t)):
            at = (mutant.file, mutant.func, test)
            self.ran[at] += 1
            endless = 2 + math.ceil(3 * self.reached[test][1])
            if run_test(test, {"MUTANT": str(mutant.id)}, endless)[0]:
                self.failed[at] += 1
                return mutant, test
        return mutant, None if mine else "unreached"

    def keep(self, results):
        self.killed.update({m.place: test for m, test in results if test not in (None, "unreached")})
        self.kept.write_text(json.dumps(self.killed))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="*", help="C files or rooms to try (default: all that need no kernel)")
    parser.add_argument("--nice", type=int, default=19, help="niceness of the tests (default: 19)")
    parser.add_argument("-j", type=int, default=2, help="tests that run at the same time (default: 2)")
    parser.add_argument("-o", default="build/mutation.txt", help="the list of survivors (default: build/mutation.txt)")
    parser.add_argument("--resume", action="store_true", help="do not kill again what earlier runs have killed")
    parser.add_argument("--asan", action="store_true", help="build the tests with ASan and UBSan")
    parser.add_argument("--tests", nargs="+", help="with --resume: only these (tests/unit/...), such as the new ones")
    args = parser.parse_args()
    os.chdir(ROOT)
    paths = [*FILES, *(str(p) for room in ROOMS for p in sorted(pathlib.Path("profiler", room).glob("*.c")))]
    paths = [p for p in paths if p not in EXCEPT]
    sources = [p for room in ROOMS for p in sorted(pathlib.Path("tests/unit", room).glob("test_*.c"))]
    sources.append(pathlib.Path("tests/unit/probe/test_trace_conds.c"))
    if args.tests:
        sources = [pathlib.Path(p) for p in args.tests]
    MUTATED.update(paths)
    copy_tree()
    mutants, next_id = [], 1
    for path in paths:
        file = compile_file(path, next_id)
        next_id = file.next_id
        mutants += file.mutants
    arch = {"aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    build = pathlib.Path(f"build/{arch}{'-asan' if args.asan else ''}")
    tests = [str(build / p.relative_to("tests").with_suffix("")) for p in sources]
    built = make("1" if args.asan else "", args.j, tests)
    if built.returncode:
        sys.exit(built.stderr)
    print(f"{len(mutants)} mutants in {len(paths)} files, {len(tests)} tests", flush=True)
    if args.files:
        mutants = [m for m in mutants if m.file in args.files or room_of(m) in args.files]
    os.nice(args.nice)  # the tests may take an hour, and nobody waits for them
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        reached = dict(zip(tests, pool.map(lambda t: reached_by(t, next_id), tests)))
        killer = Killer(tests, reached, args.resume)
        results = []
        for result in pool.map(killer.kill, mutants):
            results.append(result)
            if len(results) % 200 == 0:
                print(f"{len(results)} mutants tried", flush=True)
                report(results, args.o)
                killer.keep(results)
    killer.keep(results)
    report(results, args.o)
    for line in summary(results):
        print(line)


def room_of(mutant):
    return os.path.dirname(mutant.file).removeprefix("profiler/")


def outcome(killer):
    if killer not in (None, "unreached"):
        return "killed"
    return "never run" if killer else "survived"


def report(results, output):
    """Writes the survivors."""
    with open(output, "w", encoding="utf-8") as out:
        for mutant, killer in results:
            what = outcome(killer)
            if what in ("survived", "never run"):
                print(f"{mutant.file}:{mutant.line}: {what}: {key(mutant)}", file=out)


def summary(results):
    """Returns the results as a table in Markdown."""
    names = ("killed", "survived", "never run")
    rows = collections.defaultdict(collections.Counter)
    for mutant, killer in results:
        what = outcome(killer)
        rows[room_of(mutant)][what] += 1
        rows["all"][what] += 1
    yield f"| room | mutants | {' | '.join(names)} | killed |"
    yield "|---|" + "--:|" * 5
    for room, row in sorted(rows.items(), key=lambda item: (item[0] == "all", item[0])):
        total = sum(row.values())
        share = 100 * row["killed"] / max(1, total)
        yield f"| {room} | {total} | {' | '.join(str(row[n]) for n in names)} | {share:.1f} % |"


if __name__ == "__main__":
    main()
