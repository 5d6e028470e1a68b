// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof doctor: shows which features work on this machine or for one program, and how to make the
 * other features work. Owns the table of checks and their wording. kernel/feature.h tests the
 * features, and doctor/doctor_print.c prints the results.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/util.h"
#include "bpf/probe.h"
#include "btf/btf_compat.h"
#include "btf/btf_scan.h"
#include "btf/func_table.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "doctor/doctor_helpers.h"
#include "doctor/doctor_print.h"
#include "doctor/doctor_self_test.h"
#include "event/event.h"
#include "host/cpus.h"
#include "kernel/feature.h"
#include "kernel/perf_event.h"
#include "run/command.h"
#include "run/output_opts.h"
#include "run/prog_operand.h"
#include "session/sideband.h"
#include "system/bperf_leader.h"
#include "target/risks.h"

/* The maximum number of a program's functions that a check names. */
#define MAX_SHOWN_FUNCS 8

static const char cap_remedy[] = "run as root, or with CAP_BPF, CAP_PERFMON and CAP_SYS_ADMIN";

void check__set(struct check *c, enum check_status status, const char *remedy, const char *fmt, ...)
{
	va_list ap;

	c->status = status;
	c->remedy = remedy;
	va_start(ap, fmt);
	vsnprintf(c->detail, sizeof(c->detail), fmt, ap);
	va_end(ap);
}

/* Sets CHECK_NO and the detail "SUBJECT REASON". subject may be "". */
static void check__set_reason(struct check *c, const struct reason *r, const char *subject)
{
	char text[400];

	check__set(c, CHECK_NO,
		   r->code == REASON_NOT_JITED && features__has_no_jit()
			   ? NULL
			   : reason__spec(r->code)->remedy,
		   "%s%s%s", subject, *subject ? " " : "", reason__describe(r, text, sizeof(text)));
}

static void check_caps(struct doctor *d, struct check *c)
{
	char missing[96];

	features__missing_caps((1U << BPROF_CAP_CNT) - 1, missing, sizeof(missing));
	if (*missing) {
		d->why = -EPERM;
		check__set(c, CHECK_NO, cap_remedy, "missing: %s", missing);
	} else if (!features__in_init_userns())
		check__set(c, CHECK_NO, "run it outside of the container or user namespace",
			   "held in a user namespace only, where the kernel ignores them");
	else
		check__set(c, CHECK_OK, NULL, "CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON");
}

static void check_lockdown(struct doctor *d, struct check *c)
{
	enum lockdown level = features__lockdown("");

	if (level == LOCKDOWN_NONE)
		check__set(c, CHECK_OK, NULL, "none");
	else if (level == LOCKDOWN_UNKNOWN)
		check__set(c, CHECK_NOTE, NULL, "unknown: /sys/kernel/security cannot be read");
	else if (level == LOCKDOWN_INTEGRITY)
		check__set(c, CHECK_OK, NULL, "%s: does not block probes", lockdown__name(level));
	else
		check__set(c, CHECK_NOTE, NULL,
			   "%s: the kernel does not let BPF programs read its memory",
			   lockdown__name(level));
}

static void check_jit(struct doctor *d, struct check *c)
{
	int enabled = features__jit_enable("");
	bool jits;
	int err = features__jits(&jits);

	/* If the kernel compiled a test program, the JIT works, whatever the value of the sysctl. */
	if (!err && jits && features__jit_harden("") == 2)
		check__set(c, CHECK_NOTE,
			   "sysctl net.core.bpf_jit_harden=0, then load the programs again",
			   "programs are compiled, with constants blinded by random numbers "
			   "(net.core.bpf_jit_harden), which can make them several times as "
			   "expensive");
	else if (!err && jits)
		check__set(c, CHECK_OK, NULL, "programs are compiled");
	else if (!err && features__has_no_jit())
		check__set(c, CHECK_NO, NULL,
			   "this kernel has none: interpreted programs cannot be probed");
	else if (!err || !enabled)
		check__set(c, CHECK_NO,
			   "sysctl net.core.bpf_jit_enable=1, then load the programs again",
			   "off: interpreted programs cannot be probed");
	else if (enabled > 0)
		check__set(c, CHECK_OK, NULL, "net.core.bpf_jit_enable is %d", enabled);
	else
		check__set(c, CHECK_NOTE, NULL, "unknown: %s", strerror(-err));
}

static void check_kernel_btf(struct doctor *d, struct check *c)
{
	if (!features__has_vmlinux_btf(""))
		check__set(c, CHECK_NOTE, NULL,
			   "none; not needed, but 'bprof list' cannot name kernel functions");
	else if (btf_compat__libbpf_reads_vmlinux())
		check__set(c, CHECK_OK, NULL, VMLINUX_BTF);
	else
		check__set(c, CHECK_NOTE, "use a bprof that is built with a newer libbpf",
			   "libbpf %s of this bprof cannot read it (%s): 'system' cannot share "
			   "counters, and 'list' and --follow read /proc instead of BPF iterators",
			   libbpf_version_string() + 1, strerror(errno));
}

static int count_id(__u32 id, void *arg)
{
	++*(int *)arg;
	return 0;
}

static void check_ids(struct doctor *d, struct check *c)
{
	int cnt = 0, err = prog__for_each_id(count_id, &cnt);

	d->ids = !err;
	if (!err)
		check__set(c, CHECK_OK, NULL, "%d loaded", cnt);
	else if (err == -EPERM)
		check__set(c, CHECK_NO, cap_remedy, "not visible: %s", strerror(-err));
	else
		check__set(c, CHECK_NO, "use a kernel with CONFIG_BPF_SYSCALL", "not visible: %s",
			   strerror(-err));
}

static void check_fentry(struct doctor *d, struct check *c)
{
	struct reason reason;

	d->fentry = !features__try_fentry(&reason);
	if (d->fentry)
		check__set(c, CHECK_OK, NULL, "attached to an empty program, fired, detached");
	else
		check__set_reason(c, &reason, "an empty program");
}

static void check_fsession(struct doctor *d, struct check *c)
{
	struct reason reason;

	if (!d->fentry)
		check__set(c, CHECK_NOTE, NULL, "not tried, as fentry does not work");
	else if (!features__try_fsession(&reason))
		check__set(c, CHECK_OK, NULL,
			   "any number of runs of a sleepable program can be in flight");
	else
		check__set(c, CHECK_NOTE, NULL,
			   "none (before Linux 7.0): at most %d runs of a sleepable program can be "
			   "in flight on a CPU",
			   BPROF_FRAMES);
}

static void check_counters(struct doctor *d, struct check *c)
{
	struct cpus online = {0};
	int cnt, level;

	/* Use the first online CPU: CPU 0 may not exist. */
	cnt = cpus__online(&online) || !online.cnt ? 0 : online.id[0];
	cpus__free(&online);
	cnt = perf_event__count_counters(cnt);
	if (cnt > 0)
		check__set(c, CHECK_OK, NULL, "%d hardware events at once", cnt);
	else if (!cnt)
		check__set(c, CHECK_NOTE, "use -e time; in a VM, enable its virtual PMU",
			   "no PMU: cycles, instructions and the like are not supported");
	else if (features__perf_event_paranoid("", &level))
		check__set(c, CHECK_NO, cap_remedy, "perf_event_open: %s", strerror(-cnt));
	else
		check__set(c, CHECK_NO, cap_remedy,
			   "perf_event_open: %s (kernel.perf_event_paranoid is %d)", strerror(-cnt),
			   level);
}

static void check_samples(struct doctor *d, struct check *c)
{
	struct reason reason;
	char event[64];

	d->samples = !features__try_samples(event, sizeof(event), &reason);
	if (d->samples)
		check__set(c, CHECK_OK, NULL, "sampling %s", event);
	else if (reason.code == REASON_NO_PERM)
		check__set(c, CHECK_NO, cap_remedy, "event cpu-clock: %s", reason.detail);
	else
		check__set_reason(c, &reason, "code");
}

static void check_run_stats(struct doctor *d, struct check *c)
{
	int err = features__try_run_stats();

	d->run_stats = !err;
	if (!err)
		check__set(c, CHECK_OK, NULL, "the kernel counts runs and their time");
	else
		check__set(c, CHECK_NO, err == -EPERM ? cap_remedy : "use Linux 5.8 or newer",
			   "BPF_ENABLE_STATS: %s", strerror(-err));
}

static void check_bperf(struct doctor *d, struct check *c)
{
	struct cpus online = {}, possible = {};
	struct reason reason;
	int err = cpus__online(&online) ?: cpus__possible(&possible);

	if (err)
		reason__fail(&reason, err, "cannot read the list of CPUs: %s", strerror(-err));
	else if (online.cnt)
		err = bperf_leader__try(online.id[0], cpus__limit(&possible), &reason);
	if (!err)
		check__set(c, CHECK_OK, NULL,
			   "'bprof system' shares its counters with other users");
	else
		check__set(c, CHECK_NOTE, err == -EPERM ? cap_remedy : NULL,
			   "'bprof system' counts with perf events of its own: %s", reason.detail);
	cpus__free(&online);
	cpus__free(&possible);
}

static void check_loads(struct doctor *d, struct check *c)
{
	struct cpus online = {};
	int err = cpus__online(&online);

	err = err ?: sideband__try(online.id[0]);
	cpus__free(&online);
	if (!err)
		check__set(c, CHECK_OK, NULL, "loads of programs are recorded (watch, --follow)");
	else if (err == -EACCES || err == -EPERM)
		check__set(c, CHECK_NO, cap_remedy, "loads of programs are not recorded: %s",
			   strerror(-err));
	else
		check__set(c, CHECK_NO, "use Linux 5.1 or newer",
			   "loads of programs are not recorded: %s", strerror(-err));
}

static void check_time(struct doctor *d, struct check *c)
{
	static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies"};
	char *clock = features__clocksource("");

	check__set(c, CHECK_OK, NULL, "clock source %s", clock ?: "unknown");
	for (size_t i = 0; clock && i < ARRAY_SIZE(slow); i++)
		if (!strcmp(clock, slow[i]))
			check__set(c, CHECK_NOTE,
				   "boot with a better clocksource=, such as tsc or kvm-clock",
				   "clock source %s is slow or coarse", clock);
	free(clock);
}

static void check_prog_loaded(struct doctor *d, struct check *c)
{
	const struct prog *p = d->prog;
	char tag[17];

	check__set(c, CHECK_OK, NULL, "%s %s, tag %s", prog_type__name(p->info.type), prog__name(p),
		   prog__tag(p, tag));
}

static void check_prog_jit(struct doctor *d, struct check *c)
{
	struct reason reason = {.code = REASON_NOT_JITED};

	if (prog__is_jited(d->prog))
		check__set(c, CHECK_OK, NULL, "%u bytes of machine code",
			   d->prog->info.jited_prog_len);
	else
		check__set_reason(c, &reason, "");
}

static void check_prog_funcs(struct doctor *d, struct check *c)
{
	struct reason reason;
	const struct func_table *t;
	char names[300] = "";
	size_t len = 0;

	if (prog__load_funcs(d->prog, &reason)) {
		check__set_reason(c, &reason, "");
		return;
	}
	t = d->prog->funcs;
	for (__u32 i = 0; i < t->cnt && i < MAX_SHOWN_FUNCS && len < sizeof(names); i++)
		len += snprintf(names + len, sizeof(names) - len, "%s%s", i ? ", " : "",
				t->fn[i].label);
	check__set(c, CHECK_OK, NULL, "%u function%s: %s%s", t->cnt, t->cnt == 1 ? "" : "s", names,
		   t->cnt > MAX_SHOWN_FUNCS || len >= sizeof(names) ? ", ..." : "");
}

/* Names the functions that bprof does not probe because of bpf_throw(). */
static void check_prog_thrown(struct doctor *d, struct check *c)
{
	struct risks risks = {};
	struct reason reason;
	struct func_risks funcs;
	char names[300] = "";
	size_t len = 0;
	__u32 cnt = 0;

	if (prog__load_funcs(d->prog, &reason)) {
		check__set(c, CHECK_NOTE, NULL, "not known");
		return;
	}
	risks__find_funcs(&risks, d->prog, &funcs);
	for (__u32 i = 0; i < d->prog->funcs->cnt; i++) {
		const struct bpf_fn *fn = &d->prog->funcs->fn[i];

		if (!func_risks__check_throw(&funcs, d->prog, fn, &reason))
			continue;
		if (cnt++ < MAX_SHOWN_FUNCS && len < sizeof(names))
			len += snprintf(names + len, sizeof(names) - len, "%s%s",
					cnt > 1 ? ", " : "", fn->label);
	}
	func_risks__free(&funcs);
	if (cnt)
		check__set(c, CHECK_NOTE, reason__spec(REASON_THROW)->remedy,
			   "not probed: %s%s: bpf_throw() may leave %s", names,
			   cnt > MAX_SHOWN_FUNCS ? ", ..." : "", cnt == 1 ? "it" : "them");
	else
		check__set(c, CHECK_OK, NULL, "none that bprof does not probe");
}

static void check_prog_fentry(struct doctor *d, struct check *c)
{
	struct reason reason;

	/* A probe needs the name of a function to attach to. */
	if (prog__load_funcs(d->prog, &reason) ||
	    features__try_fentry_on(d->prog->fd, d->prog->funcs->fn[0].name, true, &reason)) {
		check__set_reason(c, &reason, "");
		return;
	}
	d->prog_fentry = true;
	check__set(c, CHECK_OK, NULL, "attached to %s and detached", d->prog->funcs->fn[0].name);
}

struct check_row {
	const char *name;
	void (*run)(struct doctor *d, struct check *c);
};

static const struct check_row machine_checks[] = {
	{"capabilities", check_caps},
	{"lockdown", check_lockdown},
	{"jit", check_jit},
	{"kernel_btf", check_kernel_btf},
	{"programs", check_ids},
	{"fentry", check_fentry},
	{"fsession", check_fsession},
	{"counters", check_counters},
	{"run_stats", check_run_stats},
	{"samples", check_samples},
	{"bperf", check_bperf},
	{"loads", check_loads},
	{"time", check_time},
};

static const struct check_row prog_checks[] = {
	{"program", check_prog_loaded},		 {"program_jit", check_prog_jit},
	{"program_functions", check_prog_funcs}, {"program_throw", check_prog_thrown},
	{"program_fentry", check_prog_fentry},
};

static void doctor__run(struct doctor *d, const struct check_row *rows, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		struct check *c = array__add(&d->v, &d->cnt, sizeof(*c));

		c->name = rows[i].name;
		rows[i].run(d, c);
	}
}

static struct check *add_bug_check(struct doctor *d)
{
	struct check *c = array__add(&d->v, &d->cnt, sizeof(*c));

	c->name = "kernel_bug";
	return c;
}

/* Adds a check for each bug that this kernel has or may have, or one that says there is none. */
static void doctor__run_bugs(struct doctor *d)
{
	bool any = false;

	for (int i = 0; i < KERNEL_BUG_CNT; i++) {
		const struct kernel_bug *bug = kernel_bug__get(i);
		struct reason reason;
		struct check *c;

		/* A bug without types concerns only some probes, which a test must attach. */
		if (!d->fentry && !bug->types)
			continue;
		d->bugs[i] = kernel_bug__find(i, &reason);
		if (d->bugs[i] == KERNEL_BUG_ABSENT)
			continue;
		any = true;
		c = add_bug_check(d);
		check__set(c, CHECK_NOTE, NULL, "%s: %s: the kernel %s%s (fixed: %s); bprof %s",
			   bug->name, bug->what,
			   d->bugs[i] == KERNEL_BUG_MAYBE ? "may have the bug that it " : "",
			   bug->effect, bug->fixed, bug->bprof);
	}
	if (!any) {
		struct check *c = add_bug_check(d);

		if (d->fentry)
			check__set(c, CHECK_OK, NULL, "none of the %d that are known",
				   KERNEL_BUG_CNT);
		else
			check__set(c, CHECK_NOTE, NULL, "not tried, as fentry does not work");
	}
}

static void doctor__run_prog(struct doctor *d, __u32 id)
{
	struct reason reason;
	char subject[32];
	struct check *c;
	int err;

	d->prog_fentry = false;
	err = prog__open_id(id, &d->prog);
	if (!err) {
		/*
		 * The functions also give the program's full name. If reading them fails, one of
		 * the checks reports the error.
		 */
		prog__load_funcs(d->prog, &reason);
		doctor__run(d, prog_checks, ARRAY_SIZE(prog_checks));
		return;
	}
	c = array__add(&d->v, &d->cnt, sizeof(*c));
	c->name = prog_checks[0].name;
	if (err == -ENOENT && d->why == -ENODATA)
		d->why = -ESRCH;
	if (err == -ENOENT)
		reason__set(&reason, REASON_NO_SUCH_PROG, 0, NULL);
	else if (err == -EPERM)
		reason__set(&reason, REASON_NO_PERM, 0, "CAP_SYS_ADMIN, to open it by id");
	else
		reason__set(&reason, REASON_SYSTEM, 0, "BPF_PROG_GET_FD_BY_ID: %s", strerror(-err));
	snprintf(subject, sizeof(subject), "program %u", id);
	check__set_reason(c, &reason, subject);
}

struct doctor_opts {
	struct output_opts output;
	bool self_test, helpers;
	struct event_list events; /* -e: for self_test and helpers */
};

#define OPT(member) offsetof(struct doctor_opts, member)

static const struct option_row doctor_rows[] = {
	OPTION("self-test", 0, OPTION_FLAG, .member = OPT(self_test),
	       .help = "measure built-in programs of known cost on each kind of CPU (a few "
		       "seconds). Shows the count for an empty program, the error for 100 and "
		       "1000 added instructions, and the cost of a probe; the last line is for "
		       "bug reports"),
	OPTION("helpers", 0, OPTION_FLAG, .member = OPT(helpers),
	       .help = "measure what common helpers and map operations cost on this machine and "
		       "kernel, for several map types, key sizes and numbers of keys, and for "
		       "keys that are found or not"),
	OPTION("event", 'e', OPTION_CALL, .member = OPT(events), .arg = "EVENTS",
	       .add = event_list__add_option,
	       .help = "with --self-test and --helpers: events to count, as with bprof stat "
		       "(default: cycles,instructions, or time if there is no PMU)",
	       .arg_kind = ARG_EVENT),
	{},
};

const struct command_spec doctor_spec = {
	.name = "doctor",
	.brief = "show what works on this machine, and how to make the rest work",
	.synopsis = "[OPTIONS] [ID|NAME]",
	.summary = "Shows what works on this machine, or for a loaded program, and how to make "
		   "the rest work. With --self-test, measures how exact bprof is on this "
		   "machine; with --helpers, what helpers and map operations cost here.",
	.operand = ARG_PROG_ID,
	.tables = {{"Checks", doctor_rows}, {"Output", output_rows, OPT(output)}},
	.documents = DOC_OTHER,
	.exit_status =
		"0 programs can be probed, 1 failed, 2 wrong usage, 4 programs cannot be "
		"probed, 7 not allowed, 8 no such program. With --self-test: 0 done, and if "
		"instructions were counted, their number is exact, 1 failed, or the number of "
		"instructions is wrong, 4 nothing could be measured, 7 not allowed. With "
		"--helpers: 0 done, 1 failed, 4 nothing could be measured, 7 not allowed.",
};

static int parse_args(int argc, char **argv, struct doctor_opts *o, __u32 *id)
{
	char **rest;
	int err;

	err = options__parse(&doctor_spec, o, argc, argv, &rest);
	if (err)
		return err;
	if (rest && rest[1])
		return log_err(-EINVAL, "doctor: '%s': only one program can be given", rest[1]);
	if (o->self_test && o->helpers)
		return log_err(-EINVAL, "doctor: --self-test and --helpers: choose one");
	if (rest && (o->self_test || o->helpers))
		return log_err(-EINVAL, "doctor: '%s': %s has programs of its own", *rest,
			       o->helpers ? "--helpers" : "--self-test");
	if (o->events.cnt && !o->self_test && !o->helpers)
		return log_err(-EINVAL, "doctor: -e: it needs --self-test or --helpers");
	if (rest)
		err = prog_operand__parse("doctor", *rest, id);
	return err ?: output_opts__apply(&o->output, NULL);
}

static enum exit_status run_checks(const struct output_opts *o, __u32 id)
{
	struct doctor d = {.prog_fentry = true, .why = -ENODATA};
	enum exit_status status = EXIT_FAILED;

	doctor__run(&d, machine_checks, ARRAY_SIZE(machine_checks));
	doctor__add_lockdown(&d);
	doctor__run_bugs(&d);
	if (id)
		doctor__run_prog(&d, id);
	if (!doctor__print(&d, o))
		status = doctor__is_well(&d) ? EXIT_DONE : exit_status__of_error(d.why);
	prog__close(d.prog);
	free(d.v);
	return status;
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_opts o = {};
	int err, status;
	__u32 id = 0;

	err = parse_args(argc, argv, &o, &id);
	if (err)
		status = exit_status__of_options(err);
	else
		status = o.self_test ? doctor__self_test(&o.events, &o.output)
			 : o.helpers ? doctor__helpers(&o.events, &o.output)
				     : run_checks(&o.output, id);
	event_list__free(&o.events);
	return status;
}
