# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The tables of docs/dev/bench-tables.md that come from sessions of perf, bpftool and bprof in a VM. A
part is a generator: it yields its sessions, which are commands for the guest's shell
(tests/bench/guest), gets what they printed, and yields its section. If a session fails, its cell is
"-" and its message is below the table. The text above the tables is in the document only."""

import re
import types

LOAD_RUNS = 2000000
OVERHEAD_SECONDS = 10
EVENTS = {1: "instructions", 2: "cycles,instructions", 4: "cycles,instructions,r8,r11",
          8: "cycles,instructions,r8,r11,r8:k,r11:k,cpu-clock,context-switches"}
# bpftool has only six metrics. So it counts these six when the other tools count 8 events.
METRICS = {1: "instructions", 2: "cycles instructions", 4: "cycles instructions l1d_loads llc_misses",
           8: "cycles instructions l1d_loads llc_misses itlb_misses dtlb_misses"}
TOOLS = ("perf stat -b", "bpftool prog profile", "bprof", "bprof --no-calibrate", "bprof --no-hist",
         "bprof --sample 16", "bprof --by retval")
REPORTING = TOOLS[:5]
SLOPE = "drive slope $empty"
STATS = f"echo 1 >/proc/sys/kernel/bpf_stats_enabled; {SLOPE}; echo 0 >/proc/sys/kernel/bpf_stats_enabled"
FAILED = []


def script(sessions):
    """Returns the script with the sessions, which the guest's function "run" reads."""
    return "".join(f"(\n{session}\n) >$work/cmd 2>$work/err\nend $?\n" for session in sessions)


def results(text):
    """Yields the result of each session from the output of the guest's function "run"."""
    for part in re.split("^@status ", text, flags=re.M)[1:]:
        status, _, output = part.partition("\n")
        cmd, report, err = re.split("\n@(?:report|err)\n", output)
        # bpftool prints errors as JSON.
        error = re.search(r'^\{"error":"(.*)"\}', report, re.M)
        yield types.SimpleNamespace(ok=status == "0" and cmd.strip() != "" and not error, cmd=cmd.strip(),
                                    report=report, reason=error[1] if error else err.strip())


def rounded(value, form=".0f"):
    text = format(value, form)
    return text if float(text) else text.lstrip("-")


def figure(name, done, compute, form=".0f"):
    """Returns the cell of a session with one number, or "-" if the session failed."""
    if done.ok:
        return rounded(compute(done), form)
    FAILED.append(f"- {name}: {done.reason}\n")
    return "-"


def values(name, done, count):
    """Returns the cells of a session that prints the text of its cells."""
    return done.cmd.split()[:count] if done.ok else [figure(name, done, None), *"-" * (count - 1)]


def number(done, name):
    """Returns the first number with this name in a session's report, or 0."""
    found = re.search(rf'"{name}": *([0-9.e+-]+)', done.report)
    return float(found[1]) if found else 0


def table(head, rows):
    rule = "|---" * (head.count("|") + 1) + "|\n"
    lines = ["|" + "".join(f" {cell} |" if cell else " |" for cell in row) + "\n" for row in (head.split("|"), *rows)]
    return "".join([lines[0], rule, *lines[1:]])


def section(title, *tables, figures=()):
    """Returns a section. figures: pairs of a pattern and a number. A pattern, such as "takes # in", is in the text above
    the tables, and the number replaces the figure at the place of its #."""
    failures = ["Failed (-):\n\n" + "".join(FAILED)] if FAILED else []
    FAILED.clear()
    return types.SimpleNamespace(title=title, body="\n".join([*tables, *failures]), figures=figures)


def measure(tool, target, command, events, metrics):
    """Returns a session in which a tool measures a program while a command runs."""
    if tool.startswith("perf"):
        return f"perf stat -x , -o $work/report -a -b {target} -e {events} -- {command}"
    if tool.startswith("bpftool"):
        return f"bpftool -j prog profile id {target} {metrics} >$work/report & beside 1 {command}"
    return f"{tool} -x , -o $work/report -b {target} -e {events} -- {command}"


def instructions(done, runs):
    """Returns the mean number of instructions per run that a tool reports, or NaN."""
    profile = re.search(r'"metric":"instructions","run_cnt":(\d+),"value":(\d+)', done.report)
    if profile:
        return int(profile[2]) / int(profile[1])
    found = re.search("^[0-9.]+,[^,\n]*,instructions.*", done.report, re.M)
    line = found[0].split(",") if found else ["nan"]
    return float(line[16]) if len(line) > 16 else float(line[0]) / runs


def added():
    kinds = [(tool, n) for tool in TOOLS for n in EVENTS]
    base, *done, stats = yield [SLOPE, *[measure(t, "$empty", SLOPE, EVENTS[n], METRICS[n]) for t, n in kinds], STATS]
    base = float(base.cmd)
    cells = [figure(f"{t}, {n} events", one, lambda d: float(d.cmd) - base) for (t, n), one in zip(kinds, done)]
    rows = [[tool, *cells[4 * i:4 * i + 4]] for i, tool in enumerate(TOOLS)]
    rows.append(["`bpf_stats_enabled` (run count and time only)", f"{float(stats.cmd) - base:.0f}", "", "", ""])
    yield section("Instructions added to one invocation", table("events|1|2|4|8", rows),
                  figures=[("takes # in", f"{base:.0f}")])


# These commands count their default events: cycles and instructions, export also time, and run_stats only
# time.
COMMANDS = ("stat --method run_stats", "stat", "stat --by retval", "stat --sample auto", "stat -I 1s", "top --batch",
            "export", "export --sample 1", "trace --slower-than 1ms", "record -o $work/recording",
            "record --format pprof -o $work/recording")


def name_of(line):
    name = f"`{re.sub(' --batch| --min-age .*| -o .*', '', line)}`"
    return f"{name}, and a scrape each second" if "--min-age" in line else name


def commands():
    base, loaded, *done = yield [SLOPE, f"drive time $empty {LOAD_RUNS}", *[
        f"bprof {line} --prog-id $empty >$work/out & beside 2 under_load {LOAD_RUNS}" for line in COMMANDS]]

    def cost_of(one):
        """Returns the mean cost of a run, without the CPU time that bprof's process took on the same CPU."""
        _, before, mean, after = one.cmd.split()
        return float(mean) - (int(after) - int(before)) / LOAD_RUNS - float(loaded.cmd)

    rows = [[name_of(line).replace("-I 1s`", "-I`, 1 s"),
             figure(f"bprof {line}", one, lambda d: float(d.cmd.split()[0]) - float(base.cmd)),
             rounded(cost_of(one)) if one.ok else "-"] for line, one in zip(COMMANDS, done)]
    yield section("What each command adds to one invocation", table("|slope|under load", rows))


# For each load: the runs in a row, the microseconds from one row to the next, and the number of sessions.
LOADS = {
    "1,000/s": (1, 1000, 5), "10,000/s, at 1 kHz": (10, 1000, 5), "100,000/s": (10, 100, 5),
    "100,000/s, at 1 kHz": (100, 1000, 5), "30,000/s, in bursts each 100 ms": (3000, 100000, 5),
    "1,000,000/s, at 1 kHz": (1000, 1000, 5), "1,000,000/s, in bursts each 500 ms": (500000, 500000, 5),
    "500,000/s, in bursts each 2 s": (1000000, 2000000, 5), "without a pause": (100000, 0, 3),
}


def overhead_cells(name, sessions, alone):
    """Returns the cells of a load. alone: the CPU time of one run of the load without bprof"""
    shares, right = [], 0
    for done in sessions:
        if not done.ok:
            return values(name, done, 5)
        runs, elapsed, load, own = map(int, done.cmd.split())
        added_share = (load - alone * runs + own) / elapsed
        shares.append([added_share, number(done, "added_share"), number(done, "run_stats_share")])
        right += number(done, "runs") == runs
    added_, reported_, stats = ([100 * share for share in column] for column in zip(*shares))
    cells = [sum(added_) / len(added_), max(added_), sum(reported_) / len(reported_), sum(stats) / len(stats)]
    return [*[f"{cell:.2f} %" for cell in cells], f"{right} of {len(sessions)}"]


def overhead():
    done = list((yield [
        session for runs, period, count in LOADS.values() for session in [
            f"drive pace $paced {runs} {period} 2000", *[
                f"bprof stat --max-overhead 1% {option} -j -o $work/report -b $paced -e cycles,instructions -- "
                f"sh guest paced {runs} {period} {OVERHEAD_SECONDS * 1000}"
                for option in ("", "--strict") for _ in range(count)]]]))
    rows = []
    for name, (_, _, count) in LOADS.items():
        runs, _, cpu = map(int, done.pop(0).cmd.split())
        rows.append([name])
        for option in "", ", --strict":
            rows[-1] += overhead_cells(name + option, done[:count], cpu / runs)
            del done[:count]
    head = "added|most|reported|by run statistics|counted"
    yield section("What --max-overhead 1% adds", table(f"load|{head}|`--strict`: {head}", rows))


PROCESSES = ("stat --method run_stats -I 1s", "stat -I 1s", "stat --by retval -I 1s", "top --batch", "export",
             "export --min-age 500ms", "trace --slower-than 1ms", "record -o $work/recording")
SCRAPE = "wget -q -O /tmp/scrape http://127.0.0.1:9797/metrics"
# Names of programs in many.bpf.o (1, 20 and all 500 of them), and how many of them run.
MACHINE_TARGETS = {"xdp_many_000": 1, "xdp_many_0[01]?": 20, "xdp_many_*": 20}


def ms_per_second(done):
    """Returns the CPU time of a process from the output of the guest's function "taken"."""
    before, after = ([line.split()[0] for line in block.split("\n")] for block in done.cmd.split("\n\n")[:2])
    ns = sum(map(int, after[1:])) - sum(map(int, before[1:]))
    return ns / 1e6 / (float(after[0]) - float(before[0]))


def machine():
    kinds = [(line, target) for line in PROCESSES for target in MACHINE_TARGETS]
    _, *done = yield ["bpftool prog loadall progs/many.bpf.o /sys/fs/bpf/many", *[
        f"bprof {line} --name '{target}' >$work/out & beside 5 process '{SCRAPE if '--min-age' in line else 'true'}' "
        f"{MACHINE_TARGETS[target]}" for line, target in kinds]]
    cpu = [figure(f"bprof {line} {target}", one, ms_per_second, ".2f") for (line, target), one in zip(kinds, done)]
    memory = [f"{int(one.cmd.split()[-2]) / 1024:.1f}" if one.ok else "-" for one in done]
    yield section("What the process of each command takes", *[
        table(f"{head}|1 target|20|500", [[name_of(line), *cells[3 * i:3 * i + 3]] for i, line in enumerate(PROCESSES)])
        for head, cells in (("CPU, ms in a second", cpu), ("memory, MiB", memory))])


TRACES = {
    "not recorded, one event": "-e instructions --event 'instructions>1000000'",
    "not recorded, two events": "-e cycles,instructions --event 'instructions>1000000'",
    "not recorded, `time`": "-e time --slower-than 1s",
    "not recorded, one event and `--retval`": "-e instructions --retval 77",
    "held back, one event": "-e instructions --every 1 --limit 1",
    "recorded, one event": "-e instructions --every 1 --limit 1000000",
}


def traced():
    base, *done = yield [SLOPE, *[f"bprof trace -b $empty {line} -o $work/trace -- {SLOPE}"
                                  for line in TRACES.values()]]
    yield section("Instructions that bprof trace adds to one invocation", table("|instructions", [
        [name, figure(f"bprof trace, {name}", one, lambda d: float(d.cmd) - float(base.cmd))]
        for name, one in zip(TRACES, done)]))


def sampled():
    runs, options = 2000, ("-F 1000", "-F 4000", "-F 10000", "-c 20011")
    base, *done = yield [f"drive time $loops {runs}", *[
        f"bprof annotate -j -b $loops -e cpu-clock {option} -o $work/report -- drive time $loops {runs}"
        for option in options]]
    rows = []
    for option, one in zip(options, done):
        longer = one.ok and (float(one.cmd) - float(base.cmd)) * runs / number(one, "taken")
        rows.append([f"`{option}`", figure(f"bprof annotate {option}", one, lambda d: number(d, "taken")), *(
            [f"{x:.0f}" for x in (number(one, "lost"), longer, number(one, "cost_ns"))] if one.ok else "---")])
    yield section("What a sample costs", table("sampled|samples|lost|ns longer|bprof: ns", rows),
                  figures=[("takes # ns", base.cmd)])


def reported():
    """Shows the lowest of the means of seven sessions, because an interrupt can only add to a mean."""
    sessions, runs = 7, 100
    kinds = [(tool, n, target) for tool in REPORTING for n in (1, 2, 4) for target in ("$empty", "$known")]
    done = list((yield [measure(tool, target, f"drive testrun {target}:{runs}", EVENTS[n], METRICS[n])
                        for tool, n, target in kinds for _ in range(sessions)]))
    means = [min((instructions(one, runs) for one in done[i:i + sessions]), key=lambda mean: (mean != mean, mean))
             for i in range(0, len(done), sessions)]
    cells = [f"{x:.1f}" for empty, known in zip(means[::2], means[1::2]) for x in (empty, known, known - empty)]
    yield section("What is reported", table(
        "events|1: empty|+100|difference|2: empty|+100|difference|4: empty|+100|difference",
        [[tool, *cells[9 * i:9 * i + 9]] for i, tool in enumerate(REPORTING)]))


def overlap():
    done = yield [measure(tool, "$sleeper", "meter overlap $sleeper $other", "instructions:k", "instructions")
                  for tool in REPORTING]
    rows = [[tool, figure(tool, one, lambda d: 2 * instructions(d, 2)), *(one.cmd.split() if one.ok else "--")]
            for tool, one in zip(REPORTING, done)]
    yield section("Two tasks inside one sleepable program", table("|reported|executed: at least|at most", rows))


LOAD_TARGETS = "for i in $(seq 40); do bpftool prog loadall progs/alu.bpf.o /sys/fs/bpf/bench-$i; done"
PERF = "perf stat -o $work/report -a"
# With the default limit, perf fails if there are many targets.
SET_UPS = {"perf stat -b": PERF, "bpftool prog profile, one process each": "bpftool", "bprof": "bprof -o $work/report",
           "perf stat -b, after `ulimit -n 65536`": f"ulimit -n 65536; {PERF}"}


def set_up_session(command, count, events):
    """Returns a session that prints the ms until a tool measures, the ms until it has ended, and its memory in MiB."""
    if command == "bpftool":
        return f"meter each $(first {count}) bpftool prog profile id ID {METRICS[2]}"
    return re.sub("(bprof|perf)", r"meter session \1", command) + f" -b $(first {count}) -e {events} -- meter mark"


def set_up():
    targets = (1, 10, 50, 200)
    _, *done = yield [LOAD_TARGETS, *[set_up_session(command, n, EVENTS[2])
                                      for command in SET_UPS.values() for n in targets]]
    cells = [values(f"{name}, {n} targets", done.pop(0), 3) for name in SET_UPS for n in targets]
    yield section("Set-up and memory", *[
        table(f"{head}|1 target|10|50|200",
              [[name, *[cell[column] for cell in cells[4 * i:4 * i + 4]]] for i, name in enumerate(SET_UPS)])
        for column, head in enumerate(("Set-up, ms", "Whole session, ms", "Memory, MiB"))])


# For each row: the arguments of drive that start the targets, and the command line of bprof.
CROWDS = {
    "50 targets": ("programs 50 progs/many.bpf.o", "stat -b IDS"),
    "500 targets": ("programs 500 progs/many.bpf.o", "stat -b IDS"),
    "2,000 targets": ("programs 2000 progs/many.bpf.o", "stat -b IDS"),
    "200 functions of one program": ("programs 1 progs/functions.bpf.o", "stat --func '*' -b IDS"),
    "1,000 processes (bperf)": ("processes 1000", "system -p PIDS"),
    "20,000 processes (perf_event)": ("processes 20000", "system -p PIDS"),
}


def scale():
    events = f"-e {EVENTS[2]} -o $work/report"
    *done, listed = yield [
        *[f"drive {crowd} {command}" for crowd, line in CROWDS.values() for command in (
            f"meter session bprof {line} {events} -- meter mark", f"sh guest one_read bprof {line} -I 1s {events}")],
        "drive programs 2000 progs/many.bpf.o meter session sh -c 'bprof list >/tmp/list; meter mark'"]
    rows = []
    for name, start, one in zip(CROWDS, done[::2], done[1::2]):
        ms, _, mib = values(name, start, 3)
        read = figure(name, one, ms_per_second, ".1f")
        rows.append([name, ms, mib, "> 1000" if read != "-" and float(read) > 990 else read])
    name = "`list` of 2,000 programs"
    rows.append([name, *values(name, listed, 3)[::2], ""])
    yield section("Scale", table("|set-up, ms|memory, MiB|a read, ms", rows))


def many_runs_cells(done, at):
    """Returns the cells of a session. at: the number of columns before the value; with intervals it is 1."""
    lines = [line.split(",")[at:] for line in done.report.split("\n") if ",instructions," in line]
    lines = [line for line in lines if line[0][:1].isdigit()]
    total, runs, measured, lost = (sum(float(line[i]) for line in lines) for i in (0, 13, 14, 15))
    memory = [f"{int(kb) / 1024:.2f}" for peak, now in re.findall(r"HWM:\s*(\d+).*\n.*RSS:\s*(\d+)", done.cmd)
              for kb in (now, peak)]
    return [f"{runs:.0f}", f"{measured:.0f}", f"{lost:.0f}", f"{total / measured:.2f}", *memory]


def many_runs():
    options = {"bprof": 0, "bprof -I 100": 1}
    done = yield [f"{name} -x , -o $work/report -b $empty -e cycles,instructions -- sh guest count_many"
                  for name in options]
    rows = [[name, *(many_runs_cells(one, options[name]) if one.ok else values(name, one, 8))]
            for name, one in zip(options, done)]
    yield section("Ten million runs", table(
        "|runs|measured|lost|instructions/run|after 1,000,000|peak|after 10,000,000|peak", rows))


SHARERS = ("bprof system -a", "perf stat --bpf-counters -a", "perf stat -a",
           "bprof system -p", "perf stat --bpf-counters -p", "perf stat -p")
USERS = ("1", "5", "20", "38", "100")


def added_by_users(name, done):
    """Returns cells with the instructions that each number of users adds, and those that one more user adds."""
    cost = {line.split()[0]: float(line.split()[3]) for line in done.cmd.split("\n") if line}
    numbers = [*map(int, cost), 0]
    if not done.ok:
        figure(f"{name}, more than {max(numbers)} users", done, None)
    cells = [rounded(cost[n]) if n in cost else "-" for n in USERS]
    if len(cost) < 2:
        return [*cells, "-"]
    least, most = numbers[0], numbers[-2]
    return [*cells, rounded((cost[str(most)] - cost[str(least)]) / (most - least), ".1f")]


def switches():
    """Runs without address randomization, because the addresses of programs determine which entries of the kernel's
    caches they share."""
    _, *done, _ = yield ["echo 0 >/proc/sys/kernel/randomize_va_space", *[
        f"drive switches {','.join(USERS)} {name.replace(' -p', ' -p PIDS')} -e instructions -- drive ready"
        for name in SHARERS], "echo 2 >/proc/sys/kernel/randomize_va_space"]
    rows = [[f"`{name}`", *added_by_users(name, one)] for name, one in zip(SHARERS, done)]
    yield section("Instructions added to one context switch", table(f"users|{'|'.join(USERS)}|each further one", rows),
                  figures=[("takes #.", f"{float(done[0].cmd.split()[1]):.0f}")])


def counters():
    names = ("bprof system", "perf stat --bpf-counters", "perf stat")
    done = yield [f"sharers {name}" for name in names]
    rows = []
    for name, one in zip(names, done):
        free, left, *events = re.findall("^[0-9]+$", one.cmd, re.M)
        lines = [line.split(",") for line in one.cmd.split("\n") if re.search(",(cycles|instructions)", line)]
        shares = [float(line[4]) for line in lines]
        rows.append([f"`{name}`", str(int(free) - int(left)), events[-1], f"{min(shares):.1f} %",
                     f"{sum(shares) / len(shares):.1f} %"])
    yield section("Counters of the PMU that twenty users take", table(
        "20 times|counters taken|perf events on each CPU|share: least|mean", rows), figures=[("has # counters", free)])


PARTS = {part.__name__: part for part in (added, commands, overhead, traced, sampled, reported, overlap, set_up, scale,
                                          many_runs, switches, counters, machine)}


def versions():
    (done,) = yield ["bprof --version; perf --version; bpftool version; echo kernel $(uname -r)"]
    yield dict(re.findall(r"^(bprof|perf|bpftool|kernel) (?:version |v)?(\S+)", done.cmd, re.M))


def kernels(arch):
    """Yields the row of a kernel: with 1, 2 and 4 events on arm64, and with the TSC on x86-64. In the VM, the TSC counts
    instructions and is the only counter. bpftool has no metric for the TSC."""
    tools = ("perf stat -b", "bpftool prog profile", "bprof", "bprof --no-hist", "bprof --sample 1000000")
    events = [(EVENTS[n], METRICS[n]) for n in (1, 2, 4)] if arch == "arm64" else [("msr/tsc/", "")]
    base, *done = yield [SLOPE, STATS, *[measure(tool, "$empty", SLOPE, *event)
                                         for tool in tools for event in events]]
    cells = [rounded(float(one.cmd) - float(base.cmd)) if one.ok else "-" for one in done]
    tools = [" / ".join(cells[i:i + len(events)]) for i in range(1, len(cells), len(events))]
    yield [f"{float(base.cmd):.0f}", cells[0], *["-" if set(text) <= set("- /") else text for text in tools]]


ISOLATED = "isolcpus=2,3 nohz_full=2,3"
STATS_ON = ("sh -c 'echo 1 >/proc/sys/kernel/bpf_stats_enabled; sleep 60 & "
            "trap \"kill $!; echo 0 >/proc/sys/kernel/bpf_stats_enabled\" TERM; wait'")
ONE, EVENT = "-b $paced", "-e msr/tsc/"
# For each disturbing command: the signal that ends it, and its command line.
DISTURBING = {
    "nothing": ("TERM", "sleep 60"),
    "`bpf_stats_enabled`": ("TERM", STATS_ON),
    "`perf stat -b`": ("INT", f"perf stat -a {ONE} {EVENT} -o $work/report"),
    "`stat`": ("INT", f"bprof {ONE} {EVENT}"),
    "`stat --max-overhead 1%`": ("INT", f"bprof {ONE} {EVENT} --max-overhead 1%"),
    "`top`": ("INT", f"bprof top --batch {ONE} {EVENT}"),
    "`export`": ("INT", f"bprof export {ONE} {EVENT}"),
    "`export --method run_stats`": ("INT", f"bprof export {ONE} --method run_stats"),
    "`trace --slower-than 1s`": ("INT", f"bprof trace {ONE} {EVENT} --slower-than 1s"),
    "`system`": ("INT", f"bprof system -a {EVENT}"),
}
# The same with 500 targets. perf is not in these rows, because it needs too long to attach to 500 targets.
CROWD = "drive programs 500 progs/many.bpf.o sh guest"
CROWD_DISTURBING = {"`stat`": f"bprof -b IDS {EVENT}", "`top`": f"bprof top --batch -b IDS {EVENT}"}


def disturbance_cells(name, one):
    """Returns the cells of a command from the output of the guest's function "disturbance": the disturbances while the
    command begins, per second, and while it ends; the time that its end takes; and memory."""
    if not one.ok:
        return [figure(name, one, None), *"-" * 8]
    before, begun, measured, ended = [dict(zip(("at", "interrupts", "kernel", "periods", "process"), map(float, line.split())))
                                      for line in one.cmd.split("\n")]
    cells = []
    for of in ("interrupts", "periods"):
        cells += [f"{begun[of] - before[of]:.0f}", rounded((measured[of] - begun[of]) / (measured["at"] - begun["at"]), ".1f"),
                  f"{ended[of] - measured[of]:.0f}"]
    return [*cells, rounded(ended["at"] - measured["at"], ".1f"), rounded((measured["kernel"] - before["kernel"]) / 1024, ".1f"),
            rounded(measured["process"] / 1024, ".1f")]


def disturbance():
    """Measures on x86-64. CPUs 2 and 3 are isolated, and a program runs on CPU 0."""
    done = yield [
        *[f"disturbance 12 {signal} {command}" for signal, command in DISTURBING.values()],
        *[f"{CROWD} disturbance 30 INT {command}" for command in CROWD_DISTURBING.values()]]
    yield section("What disturbs other CPUs", *[
        table(f"{title}|as it begins|in a second|as it ends|RCU: begins|in a second|ends|ends within, s|"
              "MiB of the kernel|MiB of the process",
              [[name, *disturbance_cells(name, row)] for name, row in zip(names, rows)])
        for title, names, rows in (("one target", DISTURBING, done), ("500 targets", CROWD_DISTURBING,
                                                                      done[len(DISTURBING):]))])


def set_up_cpus():
    """Yields the cells of a number of CPUs: the lowest, the middle and the highest time of set-up. The events are cycles
    only, because without -icount QEMU does not count instructions."""
    tools = (PERF, "bprof --no-calibrate -o $work/report")
    _, *done = yield [LOAD_TARGETS, *["ulimit -n 65536; " + set_up_session(tool, 50, "cycles,cycles:k")
                                      for tool in tools * 7]]
    ms = [sorted(float(values("", one, 1)[0]) for one in done[i::2]) for i in range(2)]
    yield [" / ".join(f"{x[i]:.0f}" for i in (0, 3, 6)) for x in ms]
