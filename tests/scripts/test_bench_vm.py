# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Tests scripts/bench-vm as it is installed. Programs stand in for scripts/vm, scripts/fetch and bprof. The stand-in
for scripts/vm prints the arguments of the guest's bprof, and ends as the variables VM and VM_arm64 say."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/bench-vm"
ME = "bprof-bench-vm"
ENDS = {
    "ok": ("table", "", 0), "worse": ("table", "bprof: note", 3), "inconclusive": ("table", "", 5),
    "nothing": ("", "", 4), "fails": ("", "bprof: it failed", 1),
    "usage": ("", "scripts/vm: --mem: bad; see scripts/vm --help", 2),
    "refused": ("", "bprof: x: cannot be loaded: y\nbprof: there is nothing to compare", 1),
    "refused, and more": ("", "bprof: x: cannot be loaded: y\nbprof: no space", 1),
    "broken": ("", "bprof: hi\nscripts/vm: the guest gave up: panic\nconsole\nscripts/vm: again\n\nend", 125),
    "silent": ("", "", 125), "crashed": ("part", "bprof: oh", 139),
}
VM = f"""
import json, os, pathlib, sys, time
i = sys.argv.index("--")
given = dict(zip(sys.argv[1:i], sys.argv[2:i])) # an option has the next word, be it its argument or not
arch, out = given["--arch"], pathlib.Path(given["--out"])
adds = [pathlib.Path(sys.argv[n + 1]) for n in range(i) if sys.argv[n] == "--add"]
files = [p for add in adds for p in ([add] if add.is_file() else add.rglob("*"))]
files = {{str(p.relative_to(adds[0].parent)): p.read_text() for p in files}}
with open(f"vm-{{arch}}-{{given['--kernel'].replace('/', '_')}}", "w") as f:
    json.dump({{"vm": sys.argv[1:i], "bench": sys.argv[i + 1:], "files": files}}, f)
end = os.environ.get("VM_" + arch) or os.environ.get("VM", "ok")
if end == "hangs":
    time.sleep(1000)
stdout, stderr, status = {ENDS!r}[end]
out.mkdir(parents=True)
for word in sys.argv[i:] if "refused" not in end else []:
    if word.startswith("/out/"):
        (out / word[5:]).write_text(f"{{arch}} {{given['--kernel']}} {{word}}\\n")
print(stdout, end="\\n" if stdout else "")
print(stderr, end="\\n" if stderr else "", file=sys.stderr)
sys.exit(status)
"""
FETCH = """
import os, sys
if sys.argv[1] == "kernels":
    print("6.1 6.12 7.2")
elif not os.path.isfile(sys.argv[2]):
    sys.exit(f"scripts/fetch: {sys.argv[2]}: no such file")
else:
    print(sys.argv[2][-5:])
"""
BPROF = """
import os, pathlib, sys
if sys.argv[1] == "bench":
    print("file\\told.o\\told/x.o", "file\\tnone\\t/none", "arch\\tarm64", "kernel\\t6.1", "kernel\\t7.2", "suite\\t{",
          'suite\\t"old":1}', sep="\\n")
    sys.exit(2 if "bad.json" in sys.argv else 0)
i = sys.argv.index("--")
print(*sys.argv[1:i])
for name in sys.argv[i + 1:]:
    print(f"{name}: {pathlib.Path(name).read_text()}", end="")
if "-o" in sys.argv:
    pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_text("compared")
sys.exit(int(os.environ.get("DIFF", 3)))
"""


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


class BenchVm(unittest.TestCase):
    def setUp(self):
        self.top = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.top)
        lib = self.top / "lib/bprof"
        for name, text in ("vm", VM), ("fetch", FETCH), ("arm64/bprof", BPROF), ("x86_64/bprof", BPROF):
            write(lib / name, f"#!{sys.executable}\n{text}", 0o755)
        shutil.copy(SCRIPT, lib)
        self.work = self.top / "work"
        for name in "old/x.o", "new/x.o", "x.o", "-d.o":
            write(self.work / name, f"\x7fELF{name}", 0o600)
        for name in "plain", "a/p", "b/p", "a/old", "k/arm64":
            write(self.work / name, name)
        (self.top / "tmp").mkdir()
        self.env = {"PATH": os.environ["PATH"], "TMPDIR": str(self.top / "tmp")}
        self.command = [sys.executable, str(self.top / "bin" / ME)]
        (self.top / "bin").mkdir()
        (self.top / "bin" / ME).symlink_to("../lib/bprof/bench-vm")

    def run_it(self, *words, **env):
        """Runs bench-vm. Returns its status, stdout and stderr. Checks that it leaves no files behind."""
        done = subprocess.run([*self.command, *words], cwd=self.work, env={**self.env, **env}, capture_output=True,
                              encoding="utf-8")
        self.assertEqual(os.listdir(self.top / "tmp"), [])
        return done.returncode, done.stdout, done.stderr

    def ends(self, wanted, *words, **env):
        done = self.run_it(*words, **env)
        self.assertEqual(done[0], wanted, done)
        return done[1] + done[2]

    def says(self, status, text, *words, **env):
        self.assertEqual(self.ends(status, *words, **env), f"{ME}: {text}\n")

    def misused(self, text, *words):
        self.says(2, f"{text}; see {ME} --help", *words)

    def vm(self, arch="arm64", kernel="6.12"):
        return json.loads((self.work / f"vm-{arch}-{kernel}").read_text())

    def output(self, name):
        return (self.work / name).read_text()

    # ---- the command line ----

    def test_help(self):
        self.assertRegex(self.ends(0, "--help"), f"^usage: {ME} .VM OPTION.*")
        self.assertEqual(self.ends(0, "--bisect", "x.o", "-h", "x"), self.ends(0, "--help"))

    def test_one_object(self):
        self.assertEqual(self.run_it("x.o", "--blocks", "10", "--arch", "arm64", "--prog", "a"), (0, "table\n", ""))
        self.assertEqual(self.vm()["bench"], "bprof bench --exact -e instructions x.o --blocks 10 --prog a".split())
        self.assertEqual(self.vm()["files"], {"x.o": "\x7fELFx.o"})
        self.assertEqual(self.vm()["vm"][4:8], ["--no-tools", "--silence", "3600", "--allow-splats"])

    def test_two_objects(self):
        self.ends(0, "old/x.o", "new/x.o", "--silence=7", "--mem", "99")
        self.assertEqual(self.vm("x86_64")["bench"][3:], ["-e", "msr/tsc/", "old/x.o", "new/x.o"])
        self.assertEqual(self.vm()["files"], {"old/x.o": "\x7fELFold/x.o", "new/x.o": "\x7fELFnew/x.o"})
        self.assertIn("--silence 7 --mem 99", " ".join(self.vm()["vm"]))

    def test_later_object(self):
        self.ends(0, "old/x.o", "--blocks", "1", "new/x.o", "plain")
        self.assertEqual(self.vm()["bench"][5:], ["old/x.o", "new/x.o", "--blocks", "1", "plain"])
        self.ends(0, "--", "-d.o")
        self.assertEqual(self.vm()["bench"][5:], ["./-d.o"])

    def test_objects_misused(self):
        self.misused(f"no object given: {ME} OLD.o NEW.o")
        self.misused("'plain': two objects can be compared, this is a third", "x.o", "old/x.o", "plain")
        self.says(1, "none.o: no such file", "none.o")
        self.misused("--entry: needs --suite", "x.o", "--entry", "a")

    def test_vm_options_misused(self):
        self.misused("--kernel needs an argument", "x.o", "--kernel")
        self.misused("--arch: 'mips' is not one of arm64 x86_64 both", "x.o", "--arch", "mips")
        self.misused("--kernel: '5' is not one of 6.1 6.12 7.2 or a path with a '/'", "x.o", "--kernel=5")
        self.misused("--kernels: 6.1 is given twice", "x.o", "--kernels", "6.1,6.1")
        self.misused("--kernels: give some, such as 6.1,6.12", "x.o", "--kernels", "")
        self.misused("--jobs: '0' is not a positive number", "x.o", "--jobs", "0")
        self.says(1, "--kernel ./none: no such file", "x.o", "--kernel", "./none")
        self.misused("k/arm64 is a kernel for arm64: give --arch arm64, and no kernel of another one", "x.o", "--arch",
                     "x86_64", "--kernel", "k/arm64")

    def test_bench_options_misused(self):
        self.misused("--save-b: give the complete name of the option, --save-base", "x.o", "--save-b", "f")
        self.misused("-o needs an argument", "x.o", "-o")
        self.misused("--append: files from the VM replace existing ones; give another file to -o", "--append")
        self.misused("-b: no programs are loaded in the VM; give objects, or run 'bprof bench -b' on this kernel", "-b")
        self.misused("--map 'plain': give NAME=FILE", "x.o", "--map", "plain")
        self.misused("json with two architectures: give -o FILE, to write FILE-arm64 and FILE-x86_64, or one --arch",
                     "x.o", "-j")
        self.misused("csv with several kernels: give -o FILE, to write a file for each, or one --kernel",
                     "--suite", "s", "-x,")

    def test_own_kernel(self):
        self.ends(0, "x.o", "--kernel", "k/arm64")
        self.assertEqual(self.vm(kernel="k_arm64")["vm"][:4], ["--arch", "arm64", "--kernel", "k/arm64"])

    # ---- files ----

    def test_inputs(self):
        self.ends(0, *"x.o --data-in a/p --pcap=b/p --ctx-in a/old --map m=a/p --kconfig plain".split())
        self.assertEqual(self.vm()["bench"][6:],
                         "--data-in p --pcap b-p --ctx-in a-old --map m=p --kconfig plain".split())
        self.assertEqual(self.vm()["files"]["b-p"], "b/p")
        self.says(1, "--pcap: none: no such file", "x.o", "--pcap", "none")

    def test_outputs(self):
        self.ends(0, "x.o", "-oo.tar.gz", "--save-base", "dir.d", "--save-new=.hidden")
        self.assertEqual(self.vm()["bench"][6:],
                         "--output /out/output.gz --save-base /out/base.d --save-new /out/new".split())
        self.assertEqual(self.output("o.tar-arm64.gz"), "arm64 6.12 /out/output.gz\n")
        self.assertEqual(self.output(".hidden-x86_64"), "x86_64 6.12 /out/new\n")
        self.ends(0, "x.o", "--arch", "arm64", "-j", "-o", "o")
        self.assertEqual(self.output("o"), "arm64 6.12 /out/output\n")

    def test_outputs_misused(self):
        self.says(1, "--output: no/x: there is no directory no; make it first", "x.o", "-o", "no/x")
        self.says(1, "--save-new: old: is a directory", "x.o", "--save-new", "old")
        self.misused("--output needs the name of a file", "x.o", "-o", "old/")

    def test_suite(self):
        self.ends(0, "--suite", "s.json", "--set", "A=b", "--entry=e", "-ecycles")
        vm = self.vm(kernel="7.2")
        self.assertEqual(vm["bench"][3:], ["--suite", "bprof-suite.json", "--entry", "e", "--event", "cycles"])
        self.assertEqual(vm["files"], {"bprof-suite.json": '{\n"old":1}\n', "old.o": "\x7fELFold/x.o"})
        self.assertFalse((self.work / "vm-x86_64-7.2").exists())
        self.misused("'x.o': --suite has its own objects", "--suite", "s.json", "x.o")
        self.ends(2, "--suite", "bad.json")

    # ---- how it ends ----

    def test_titles(self):
        self.assertEqual(self.run_it("x.o", VM="worse"), (
            3, "arm64:\n\ntable\n\nx86_64:\n\ntable\n", "arm64: bprof: note\nx86_64: bprof: note\n"))
        self.assertEqual(self.ends(0, "x.o", "--markdown"), "## arm64\n\ntable\n\n## x86_64\n\ntable\n")
        self.assertEqual(self.ends(0, "x.o", "--benchfmt"), "table\n\ntable\n")
        self.assertEqual(self.ends(0, "--suite", "s"), "Linux 6.1:\n\ntable\n\nLinux 7.2:\n\ntable\n")

    def test_worst_status(self):
        order = {"fails": 1, "usage": 2, "worse": 3, "inconclusive": 5, "nothing": 4, "ok": 0}
        for (bad, status), better in zip(order.items(), [*order][1:]):
            self.ends(status, "x.o", VM_arm64=better, VM_x86_64=bad)

    def test_same_failure(self):
        self.assertEqual(self.ends(1, "x.o", VM="fails"), "bprof: it failed\n")
        self.says(2, f"--mem: bad; see {ME} --help", "x.o", VM="usage")

    def test_vm_failed(self):
        self.assertEqual(self.ends(1, "x.o", VM="broken"),
                         f"bprof: hi\n    console\n    \n    end\n{ME}: the VM failed: again\n")
        self.says(1, "the VM failed: it gave no reason", "x.o", VM="silent")

    def test_crashed(self):
        self.assertEqual(self.run_it("x.o", "--arch", "arm64", VM="crashed"), (
            1, "part\n", f"bprof: oh\n{ME}: bprof ended with status 139 in the VM, which is a bug in bprof\n"))

    def test_terminated(self):
        done = subprocess.Popen([*self.command, "x.o", "--jobs", "1"], cwd=self.work, env={**self.env, "VM": "hangs"})
        while not list(self.work.glob("vm-*")):
            pass
        done.send_signal(signal.SIGTERM)
        self.assertEqual(done.wait(), 143)
        self.assertEqual((os.listdir(self.top / "tmp"), len(list(self.work.glob("vm-*")))), ([], 1))

    def test_no_room(self):
        self.says(1, "cannot make a directory in /none; free some room there or set TMPDIR", "x.o", TMPDIR="/none")

    # ---- several kernels ----

    def test_kernels(self):
        self.assertEqual(self.run_it(*"x.o --arch arm64 --kernels 6.1,7.2 -v --strict --match a=b".split()), (
            3, "diff --axis kernel=6.1,7.2 --verbose --strict --match a=b\n"
            "x.o on Linux 6.1: arm64 6.1 /out/report-new.json\n"
            "x.o on Linux 7.2: arm64 7.2 /out/report-new.json\n", ""))
        self.assertEqual(self.vm(kernel="6.1")["bench"][5:],
                         "-j -o /out/report-new.json x.o --verbose --match a=b".split())

    def test_kernels_of_versions(self):
        text = self.ends(0, *"old/x.o new/x.o --kernels=6.1,7.2 -j -o o.json --save-new n".split(), DIFF="0")
        self.assertEqual(text, "".join(
            f"{arch}:\n\ndiff --axis kernel=6.1,7.2 --json -o output\n" + "".join(
                f"{version}/x.o on Linux {kernel}: {arch} {kernel} /out/report{suffix}.json\n"
                for kernel in ("6.1", "7.2") for version, suffix in (("old", ""), ("new", "-new")))
            + ("\n" if arch == "arm64" else "") for arch in ("arm64", "x86_64")))
        self.assertEqual(self.output("o-arm64.json"), "compared")
        self.assertEqual(self.output("n-7.2-x86_64"), "x86_64 7.2 /out/report-new.json\n")

    def test_kernels_that_refuse(self):
        args = "x.o", "--arch", "arm64", "--kernels", "6.1,7.2"
        self.assertEqual(self.run_it(*args, VM="fails")[::2], (1, "6.1: bprof: it failed\n7.2: bprof: it failed\n"))
        self.assertEqual(self.ends(1, *args, VM="refused"), "".join(
            f"{kernel}: {line}\n" for kernel in ("6.1", "7.2") for line in ENDS["refused"][1].split("\n")))

    # ---- git bisect ----

    def bisects(self, status, **env):
        return self.ends(status, "--bisect", "old/x.o", "--arch", "arm64", "--", "true", "new/x.o", **env)

    def test_bisect(self):
        wanted = {"ok": 0, "worse": 1, "inconclusive": 125, "refused": 125, "refused, and more": 255, "nothing": 255,
                  "fails": 255, "usage": 255, "broken": 255, "crashed": 255}
        for end, status in wanted.items():
            self.bisects(status, VM=end)
        self.assertEqual(self.vm()["files"], {"old/x.o": "\x7fELFold/x.o", "new/x.o": "\x7fELFnew/x.o"})

    def test_bisect_builds(self):
        self.ends(0, "--bisect", "old/x.o", "--blocks", "1", "--", "cp", "x.o", "made.o")
        self.assertEqual(self.vm()["files"]["new/made.o"], "\x7fELFx.o")
        self.says(125, "'false x.o' failed with status 1: this commit cannot be tested",
                  "--bisect", "x.o", "--", "false", "x.o")

    def test_bisect_misused(self):
        see = f"; see {ME} --help"
        self.says(255, f"--bisect: give the command that builds the object after '--'{see}", "--bisect", "x.o")
        self.says(255, f"--bisect: 'x.o': give one object, the one that COMMAND builds{see}",
                  "--bisect", "x.o", "old/x.o", "x.o", "--", "true")
        self.says(255, "none: no such file", "--bisect", "x.o", "--", "true", "none")

    def test_bug(self):
        """A bug of bench-vm itself must not count as a bad commit."""
        shutil.rmtree(self.top / "lib/bprof/arm64")
        (self.top / "lib/bprof/vm").unlink()
        self.assertTrue(re.match(f"{ME}: FileNotFoundError", self.bisects(255)))
