# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Tests how scripts/bench makes tables from the output of the guest, and how it puts them into the document."""

import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).parents[2]
LOADER = importlib.machinery.SourceFileLoader("bench", str(ROOT / "scripts/bench"))
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", LOADER))
LOADER.exec_module(bench)
tables, contexts = bench.tables, bench.contexts

CSV = "9,,{event},1,50.0,x,x,x,x,x,x,x,x,40,30,2,{mean}\n"
EMPTY = "drive slope $empty"


def printed(status, cmd="", report="", err=""):
    """Returns the text that the guest's function "end" prints for one session."""
    return f"@status {status}\n{cmd}\n\n@report\n{report}\n@err\n{err}\n"


def play(part, answers):
    """Returns the section of a part. answers: patterns of sessions, and the result of a session; the first pattern
    that matches counts."""
    text = ""
    for session in next(part):
        answer = next(answer for pattern, answer in answers.items() if re.search(pattern, session))
        text += printed(*(answer(session) if callable(answer) else answer))
    return part.send(list(tables.results(text)))


def cells(section):
    return [line[2:-2].split(" | ") for line in section.body.split("\n") if line.startswith("| ")]


class Parts(unittest.TestCase):
    def test_shell(self):
        """The guest and all sessions are valid shell code, and sessions call only functions of the guest."""
        guest = (ROOT / "tests/bench/guest").read_text()
        sessions = [session for part in tables.PARTS.values() for session in next(part())]
        subprocess.run(["sh", "-n"], input=guest + tables.script(sessions), text=True, check=True)
        for function in re.findall(r"(?:sh guest|beside \d+|^) ?([a-z_]+)", "\n".join(sessions), re.M):
            self.assertTrue(f"\n{function}()\n" in guest or function in (
                "drive", "meter", "perf", "bpftool", "bprof", "echo", "for", "ulimit"), function)

    def test_added(self):
        section = play(tables.added(), {
            "^drive slope": (0, "111.00"), "^echo": (0, "224.00"),
            "bpftool.*dtlb": (0, "", '{"error":"too many (6) metrics"}'),
            "no-hist.*-e instructions ": (1, "", "", "libbpf: failed to attach: -24"),
            "": (0, "1193.4")})
        self.assertEqual(section.title, "Instructions added to one invocation")
        self.assertEqual(section.body, """\
| events | 1 | 2 | 4 | 8 |
|---|---|---|---|---|
| perf stat -b | 1082 | 1082 | 1082 | 1082 |
| bpftool prog profile | 1082 | 1082 | 1082 | - |
| bprof | 1082 | 1082 | 1082 | 1082 |
| bprof --no-calibrate | 1082 | 1082 | 1082 | 1082 |
| bprof --no-hist | - | 1082 | 1082 | 1082 |
| bprof --sample 16 | 1082 | 1082 | 1082 | 1082 |
| bprof --by retval | 1082 | 1082 | 1082 | 1082 |
| `bpf_stats_enabled` (run count and time only) | 113 | | | |

Failed (-):

- bpftool prog profile, 8 events: too many (6) metrics
- bprof --no-hist, 1 events: libbpf: failed to attach: -24
""")
        self.assertEqual(section.figures, [("takes # in", "111")])

    def test_commands(self):
        section = play(tables.commands(), {
            "^drive slope": (0, "100.00"), "^drive time": (0, "200.50"), "bprof export --p": (1, "", "", "cannot"),
            "top": (0, "99.8\n0\n200.50\n400000"), "": (0, "350.00\n1000000\n600.50\n201000000")})
        self.assertEqual(cells(section)[:3], [["| slope", "under load"], ["`stat --method run_stats`", "250", "300"],
                                              ["`stat`", "250", "300"]])
        self.assertEqual(cells(section)[5:8], [["`stat -I`, 1 s", "250", "300"], ["`top`", "0", "0"],
                                               ["`export`", "-", "-"]])

    def test_overhead(self):
        section = play(tables.overhead(), {
            "^drive pace": (0, "1000 0 50000"), "--strict .* paced 1 1000 ": (2, "", "", "bprof: it failed"),
            "": (0, "100 1000000 6000 1000", '{"added_share": 0.0015, "run_stats_share":1e-3, "runs": 100}')})
        row = ["0.20 %", "0.20 %", "0.15 %", "0.10 %", "5 of 5"]
        self.assertEqual(cells(section)[1], ["1,000/s", *row, *"-----"])
        self.assertEqual(cells(section)[2], ["10,000/s, at 1 kHz", *row, *row])
        self.assertIn("- 1,000/s, --strict: bprof: it failed\n", section.body)

    def test_traced_and_sampled(self):
        section = play(tables.traced(), {"^drive": (0, "100"), "": (0, "300")})
        self.assertEqual(cells(section)[3], ["not recorded, `time`", "200"])
        section = play(tables.sampled(), {"^drive": (0, "1000.5"), "20011": (1, "", "", "no"), "": (
            0, "1100.5", '{\n"taken": 100,\n"lost": 2,\n"cost_ns": 1900.6}')})
        self.assertEqual(cells(section)[1:], [*[[f"`-F {n}`", "100", "2", "2000", "1901"] for n in (1000, 4000, 10000)],
                                              ["`-c 20011`", *"----"]])

    def test_reported(self):
        profile = '[{"metric":"cycles","run_cnt":1,"value":1},{"metric":"instructions","run_cnt":10,"value":%d}]'
        section = play(tables.reported(), {
            "perf.*known": (0, "x", "\n58600,,instructions,9,100.00\n"),
            "perf": (0, "x", "48600,,instructions:u,9,100.00\n"),
            "bpftool.*known": (0, "x", profile % 6290), "bpftool": (0, "x", profile % 5290),
            "known": (0, "x", CSV.format(event="cycles", mean=9) + CSV.format(event="instructions", mean=100)),
            "": (0, "x", CSV.format(event="instructions", mean=0.2))})
        self.assertEqual(cells(section)[1], ["perf stat -b", *["486.0", "586.0", "100.0"] * 3])
        self.assertEqual(cells(section)[2], ["bpftool prog profile", *["529.0", "629.0", "100.0"] * 3])
        self.assertEqual(cells(section)[3], ["bprof", *["0.2", "100.0", "99.8"] * 3])

    def test_overlap(self):
        section = play(tables.overlap(), {
            "^perf": (0, "10 20", "14,,instructions:k,1\n"), "^bpf": (1, "", "", "no"),
            "": (0, "11 21", CSV.format(event="instructions:k", mean=7.5))})
        self.assertEqual(cells(section)[1:4], [["perf stat -b", "14", "10", "20"], ["bpftool prog profile", *"---"],
                                               ["bprof", "15", "11", "21"]])

    def test_set_up(self):
        section = play(tables.set_up(), {
            "^for": (0, ""), "^meter session perf.*200": (1, "", "", "error -24"), "": (0, "5.0 6.0 3.1 x")})
        self.assertEqual(cells(section)[1], ["perf stat -b", "5.0", "5.0", "5.0", "-"])
        self.assertEqual([row[0] for row in cells(section)[::5]], ["Set-up, ms", "Whole session, ms", "Memory, MiB"])
        self.assertTrue(section.body.endswith("\n\nFailed (-):\n\n- perf stat -b, 200 targets: error -24\n"))

    def test_scale(self):
        taken = "10.00 5.0\n1000 2 3\n2000 2 3\n\n12.00 6.0\n{}000000 2 3\n2000 2 3"
        section = play(tables.scale(), {
            "list": (0, "171.7 1 6.5"), "20000.*one": (0, taken.format("1990")), "one_read": (0, taken.format("160")),
            "2000 ": (1, "", "", "no memory"), "": (0, "88.9 1 6.4")})
        self.assertEqual(cells(section)[1], ["50 targets", "88.9", "6.4", "80.0"])
        self.assertEqual(cells(section)[3][:3], ["2,000 targets", "-", "-"])
        self.assertEqual(section.body.split("\n")[7:9], ["| 20,000 processes (perf_event) | 88.9 | 6.4 | > 1000 |",
                                                         "| `list` of 2,000 programs | 171.7 | 6.5 | |"])

    def test_many_runs(self):
        memory = "VmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n" * 2
        csv = CSV.format(event="cycles", mean=1) + CSV.format(event="instructions", mean=1)
        section = play(tables.many_runs(), {"-I": (0, memory, "".join(f"1,{line}\n" for line in (csv + csv).split())),
                                            "": (0, memory, csv)})
        self.assertEqual(cells(section)[1:], [["bprof", "40", "30", "2", "0.30", "1.00", "2.00", "1.00", "2.00"],
                                              ["bprof -I 100", *"80 60 4 0.30 1.00 2.00 1.00 2.00".split()]])
        section = play(tables.many_runs(), {"": (1, "", "", "no")})
        self.assertEqual(cells(section)[1], ["bprof", *"--------"])

    def test_switches(self):
        lines = [f"{n} 6142.2 0 {480 - n / 100:.2f}" for n in (1, 5, 20, 38, 100)]
        section = play(tables.switches(), {
            "^echo": (0, ""), "perf stat --bpf.* -a": (1, "\n".join(lines[:2]), "", "libbpf: failed"),
            "": (0, "\n".join(lines))})
        self.assertEqual(cells(section)[1], ["`bprof system -a`", "480", "480", "480", "480", "479", "0.0"])
        self.assertEqual(cells(section)[2], ["`perf stat --bpf-counters -a`", "480", "480", *"---", "0.0"])
        self.assertIn("- perf stat --bpf-counters -a, more than 5 users: libbpf: failed\n", section.body)
        self.assertEqual(section.figures, [("takes #.", "6142")])

    def test_counters(self):
        users = "1,,cycles,1,100.00,x\n1,,instructions,1,17.00,x\n"
        section = play(tables.counters(), {"bprof": (0, f"7\n5\n0\n2\n{users}"), "": (0, f"7\n0\n40\n{users}")})
        self.assertEqual(cells(section)[1:3], [["`bprof system`", "2", "2", "17.0 %", "58.5 %"],
                                               ["`perf stat --bpf-counters`", "7", "40", "17.0 %", "58.5 %"]])

    def test_machine(self):
        text = "10.00 5.0\n1000 2 3\n\n20.00 6.0\n{}000000 2 3\n\nVmHWM:\t 4096 kB"
        section = play(tables.machine(), {"^bpftool": (0, ""), "min-age": (0, text.format(5)), "": (0, text.format(1))})
        self.assertEqual(cells(section)[1], ["`stat --method run_stats -I 1s`", "0.10", "0.10", "0.10"])
        self.assertEqual(cells(section)[6], ["`export`, and a scrape each second", "0.50", "0.50", "0.50"])
        self.assertEqual(cells(section)[10], ["`stat --method run_stats -I 1s`", "4.0", "4.0", "4.0"])

    def test_own_vms(self):
        answers = {"^drive": (0, "133"), "^echo": (0, "199"), "bpftool": (1, "", "", "no"), "": (0, "500.4")}
        self.assertEqual(play(tables.kernels("x86_64"), answers), ["133", "66", "367", "-", "367", "367", "367"])
        self.assertEqual(play(tables.kernels("arm64"), answers)[2:4], ["367 / 367 / 367", "-"])
        self.assertEqual(tables.FAILED, [])
        times = iter("9 1 8 2 7 3 6 4 5 5 4 6 3 7".split())
        self.assertEqual(play(tables.set_up_cpus(), {"^for": (0, ""), "": lambda _: (0, f"{next(times)} 1 1")}),
                         ["3 / 6 / 9", "1 / 4 / 7"])
        printed_ = "bprof 0.1.0\nlibbpf 1.1\nperf version 6.12\nbpftool v7.5.0\nusing libbpf\nkernel 6.12-arm64"
        self.assertEqual(play(tables.versions(), {"": (0, printed_)}),
                         {"bprof": "0.1.0", "perf": "6.12", "bpftool": "7.5.0", "kernel": "6.12-arm64"})


LOG = """\
# tc is driven by: packets
# tc typed: empty 0 +100 100 (p50 0 100)
# tc void: empty {void} +100 100 (p50 0 100)
# tc tc_tree: alone 685, with --func '*' 686
# tc tc_tree: with packets 685, by bench 685
# skipped: lsm: no (really) (the kernel is old)
"""


class Contexts(unittest.TestCase):
    def test_section(self):
        section = contexts.section({"x86_64-6.1-full": LOG.format(void=0),
                                    "arm64-7.2": LOG.format(void=1) + "# lsm is driven by: x"})
        self.assertEqual(cells(section), [
            ["empty / +100", "x86-64 6.1, `preempt=full`", "arm64 7.2"],
            ["tc: packets", "0 / 100", "0 / 100; 1 / 100"], ["lsm: x", "-", "-"],
            ["alone / all", "x86-64 6.1, `preempt=full`", "arm64 7.2"], ["tc tc_tree", "685 / 686", "685 / 686"],
            ["packets / bench", "x86-64 6.1, `preempt=full`", "arm64 7.2"], ["tc tc_tree", "685 / 685", "685 / 685"]])
        self.assertTrue(section.body.endswith("Not there (-):\n\n- lsm: the kernel is old\n"))
        self.assertEqual(section.figures, [("# of", "3"), ("of # pairs", "4")])

    def test_failed(self):
        self.assertEqual(cells(contexts.section({"arm64-7.2": "# tc is driven by: x"}))[1], ["tc: x", "failed"])


class Document(unittest.TestCase):
    def test_all_parts_are_there(self):
        """The document has the text and the figures of every part."""
        old = bench.sections_of(bench.DOCUMENT.read_text())
        self.assertEqual(list(old)[0], None)
        self.assertEqual(list(old)[-1], "Method")
        for title, figure in {"Instructions added to one invocation": "takes # in", "What a sample costs": "takes # ns",
                              "Instructions added to one context switch": "takes #.",
                              "Counters of the PMU that twenty users take": "has # counters",
                              "Where programs run": "of # pairs"}.items():
            made = tables.section(title, "| x |\n", figures=[(figure, "1")])
            self.assertIn(figure.replace("#", "1"), bench.renew(old[title], made))

    def test_renew(self):
        new = bench.renew("## A\n\nMeasured at x.\n\nIt takes 12.5 ns.\nAnd so on.\n\n| a |\n|---|\n| b |",
                          tables.section("A", "| c |\n", figures=[("takes # ns", "7")]))
        self.assertRegex(new, r"^## A\n\nMeasured on [-\d]{10}, commit \S+\.\n\nIt takes 7 ns.\nAnd so on.\n\n\| c \|$")
        for old in "## A\n\n| a |", "":
            self.assertRegex(bench.renew(old, tables.section("A", "| c |\n")), r"^## A\n\nMeasured .*\n\n\| c \|$")

    def test_sections(self):
        text = "# T\n\nhead\n\n## A\n\nx\n\n## B\n\n| y |"
        self.assertEqual(bench.sections_of(text), {None: "# T\n\nhead", "A": "## A\n\nx", "B": "## B\n\n| y |"})
        self.assertEqual("\n\n".join(bench.sections_of(text).values()), text)
