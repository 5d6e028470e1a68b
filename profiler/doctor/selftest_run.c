// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Runs the self-test. Owns its sequence. For each kind of CPUs, it opens a session over the built-in
 * programs, measures the cost of a probe, runs each context in turn, and takes the numbers from the
 * session's report. Must not know how contexts work, or how the numbers are judged and shown.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/build_info.h"
#include "base/log.h"
#include "base/memory.h"
#include "doctor/selftest.h"
#include "doctor/selftest_cost.h"
#include "doctor/selftest_progs.h"
#include "doctor/selftest_results.h"
#include "host/affinity.h"
#include "host/cpu_kinds.h"
#include "kernel/feature.h"
#include "kernel/perf_event.h"
#include "result/result.h"
#include "session/session.h"

/* The runs of each program in a context, in blocks. There are fewer if they take too long. */
#define RUNS 2000
#define BLOCK_RUNS 100
#define MAX_CONTEXT_NS (200 * NSEC_PER_MSEC)
/* Each system call that runs an XDP program waits for RCU, so the blocks are longer. */
#define XDP_BLOCK_RUNS 1000
/* Runs before the counted runs, so that caches are warm. */
#define WARM_UP_RUNS 20

/* The measurement of one kind of CPUs. */
struct kind_run {
	const struct event_list *events;
	struct selftest_kind *kind;
	struct selftest_progs progs[SELFTEST_CONTEXT_CNT];
	struct selftest_pair pair;
	struct session *s;
	/*
	 * The first snapshot is from before the first context, the last one from after the last
	 * context. Without probes, there is also a snapshot after each block: then only means are
	 * known, and a comparison of the blocks shows which of them an interrupt disturbed.
	 */
	struct snapshot **at;
	int at_cnt;
};

static void set_why(char **why, const struct reason *reason)
{
	char text[512];

	if (!*why)
		*why = xstrdup(reason__describe(reason, text, sizeof(text)));
}

/* ---- opening the session ---- */

static int open_session_of_contexts(struct kind_run *r)
{
	const struct backend_opts o = {.calibrate = true, .hist = true, .thin_period = 1};
	const struct cpus cpus = {.id = &r->kind->cpu, .cnt = 1};
	struct selector_list selectors = {.own = true};
	struct target_list targets = {};
	int err = r->pair.skel ? selector_list__add_fd(&selectors, r->pair.probed_fd) : 0;

	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++)
		for (int k = 0; !err && r->progs[i].skel && k < SELFTEST_PROG_CNT; k++)
			err = selector_list__add_fd(&selectors, r->progs[i].fd[k]);
	if (err)
		log_err(err, "self-test: cannot select its programs: %s", strerror(-err));
	err = err ?: target_list__select(&selectors, NULL, &targets);
	selector_list__free(&selectors);
	return err ?: session__open(&targets, r->events, &cpus, &o, &r->s);
}

static const struct target *find_target(const struct session *s, __u32 id)
{
	for (int i = 0; i < s->targets.cnt; i++)
		if (s->targets.v[i].id == id)
			return &s->targets.v[i];
	return NULL;
}

static bool is_probed(const struct session *s, __u32 id)
{
	const struct target *t = find_target(s, id);

	return t && backend__has(t->backend, BACKEND_PROBES);
}

/* ---- contexts ---- */

/* Takes ownership of the snapshot. */
static void add_snapshot(struct kind_run *r, struct snapshot *snap)
{
	*(struct snapshot **)array__add(&r->at, &r->at_cnt, sizeof(*r->at)) = snap;
}

/* Sets *failed if the programs cannot be run. */
static int drive_blocks(struct kind_run *r, struct selftest_progs *p, int *failed)
{
	int block = p->context == SELFTEST_XDP ? XDP_BLOCK_RUNS : BLOCK_RUNS, err = 0;
	__u64 end = now_ns() + MAX_CONTEXT_NS;
	struct snapshot *snap;

	for (int n = 0; !err && !*failed && n < RUNS && (!n || now_ns() < end); n += block) {
		*failed = selftest_progs__drive(p, r->pair.bare_fd, block);
		if (!*failed)
			r->kind->context[p->context].driven += (__u64)block * SELFTEST_PROG_CNT;
		if (is_probed(r->s, p->id[SELFTEST_EMPTY]))
			continue;
		err = session__read(r->s, false, &snap);
		if (!err)
			add_snapshot(r, snap);
	}
	return err;
}

/* Measures an attached context. If its runs fail, sets the context's reason, and *failed to the error. */
static int measure_runs(struct kind_run *r, struct selftest_progs *p, int *failed)
{
	struct snapshot *from = NULL, *to = NULL;
	int err, stop_err;

	*failed = selftest_progs__drive(p, r->pair.bare_fd, WARM_UP_RUNS);
	err = session__start(r->s, &from);
	if (err)
		return err;
	if (r->at_cnt)
		snapshot__free(from);
	else
		add_snapshot(r, from);
	err = drive_blocks(r, p, failed);
	stop_err = session__stop(r->s, &to);
	if (!stop_err)
		add_snapshot(r, to);
	return stop_err ?: err;
}

static int measure_context(struct kind_run *r, struct selftest_progs *p)
{
	struct selftest_context *c = &r->kind->context[p->context];
	struct reason reason = {};
	int err = 0, failed;

	if (!p->skel || !find_target(r->s, p->id[SELFTEST_EMPTY]))
		return 0;
	failed = selftest_progs__attach(p);
	if (failed)
		reason__set(&reason, REASON_SYSTEM, failed, "attaching: %s", strerror(-failed));
	else
		err = measure_runs(r, p, &failed);
	if (!err && failed && !reason.code)
		reason__set(&reason, REASON_SYSTEM, failed, "running: %s", strerror(-failed));
	selftest_progs__detach(p);
	if (!err && reason.code)
		set_why(&c->why, &reason);
	return err;
}

/* ---- results ---- */

/* Sets kind->no_probe if no program has a probe. */
static void take_no_probe(struct kind_run *r)
{
	const struct session *s = r->s;

	for (int i = 0; i < s->targets.cnt; i++)
		if (backend__has(s->targets.v[i].backend, BACKEND_PROBES))
			return;
	if (s->targets.cnt)
		set_why(&r->kind->no_probe, &s->targets.v[0].no_probe);
}

static int take_report(struct kind_run *r)
{
	char *command[] = {"bprof", "doctor", "--self-test", NULL};
	const struct result_opts o = {.command = command, .driven = true};
	struct result_span *span = xcalloc(r->at_cnt + 1, sizeof(*span));
	struct report *report = NULL;
	int err = 0;

	for (int i = 1; i < r->at_cnt; i++)
		span[i - 1] = (struct result_span){.from = r->at[i - 1], .to = r->at[i]};
	if (r->at_cnt > 1)
		err = result__report(r->s, span, r->at_cnt - 1, &o, &report);
	free(span);
	if (err || !report)
		return err;
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++)
		selftest_results__take(&r->kind->context[i], &r->progs[i], r->events, report);
	report__free(report);
	return 0;
}

/* ---- kinds of CPUs ---- */

static int measure_session(struct kind_run *r)
{
	const struct target_list *targets = &r->s->targets;
	int err = 0;

	/* If the session skipped the empty program of a context, the context is not measured. */
	for (int i = 0; i < targets->skip_cnt; i++)
		for (int c = 0; c < SELFTEST_CONTEXT_CNT; c++)
			if (r->progs[c].skel && r->progs[c].id[0] == targets->skip[i].id)
				set_why(&r->kind->context[c].why, &targets->skip[i].reason);
	take_no_probe(r);
	if (r->pair.skel && is_probed(r->s, r->pair.probed_id))
		err = selftest_cost__measure(r->s, &r->pair, r->kind);
	if (!err)
		session__restart(r->s);
	for (int i = 0; !err && i < SELFTEST_CONTEXT_CNT; i++)
		err = measure_context(r, &r->progs[i]);
	return err ?: take_report(r);
}

static int measure_kind(struct kind_run *r)
{
	struct reason reason;
	int err;

	selftest_pair__load(&r->pair);
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++) {
		selftest_progs__load(&r->progs[i], i);
		if (!r->progs[i].skel)
			set_why(&r->kind->context[i].why, &r->progs[i].reason);
	}
	err = open_session_of_contexts(r);
	if (err == -ENODATA) {
		/* This is no error: CPUs of another kind may have the events. */
		reason__fail(&reason, ENODATA, "none of the events can be counted there");
		for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++)
			set_why(&r->kind->context[i].why, &reason);
		err = 0;
	} else {
		err = err ?: measure_session(r);
	}
	for (int i = 0; i < r->at_cnt; i++)
		snapshot__free(r->at[i]);
	free(r->at);
	session__close(r->s);
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++)
		selftest_progs__free(&r->progs[i]);
	selftest_pair__free(&r->pair);
	return err;
}

/* The arguments of measure_each_kind(). */
struct selftest_run {
	const struct event_list *events;
	const struct cpu_groups *groups;
	struct selftest *t;
};

static int measure_group(const struct selftest_run *run, const struct cpu_group *group,
			 const struct affinity *allowed)
{
	struct selftest_kind *k = array__add(&run->t->kind, &run->t->kind_cnt, sizeof(*k));
	struct kind_run r = {.events = run->events, .kind = k};
	char list[256];

	k->counters = -1;
	k->name = xstrdup(group->name);
	k->cpus = xstrdup(cpus__format(&group->cpus, list, sizeof(list)));
	k->cpu = affinity__bind_any(allowed, &group->cpus);
	if (k->cpu < 0) {
		log_warn("self-test: the CPUs %s are left out, because this process may not run "
			 "there",
			 k->cpus);
		k->cpu = -1;
		return 0;
	}
	k->counters = perf_event__count_counters(k->cpu);
	return measure_kind(&r);
}

/* Runs in a thread of its own, which is bound to one CPU after the other. */
static int measure_each_kind(const struct affinity *allowed, void *arg)
{
	const struct selftest_run *run = arg;
	const struct log_sink *sink = log__sink();
	struct log_sink quiet = {};
	int err = 0;

	if (sink)
		quiet = *sink;
	quiet.max = LOG_LEVEL_ERROR;
	for (int i = 0; !err && i < run->groups->cnt; i++) {
		err = measure_group(run, &run->groups->v[i], allowed);
		/* The other kinds of CPUs would repeat the messages of the first kind. */
		if (sink && !log__takes(LOG_LEVEL_DEBUG))
			log__set_sink(&quiet);
	}
	log__set_sink(sink);
	return err;
}

static int fill_host(struct selftest *t)
{
	struct host_info host = {};
	char *clock = features__clocksource("");
	int err = features__host("", &host);

	t->kernel = host.kernel;
	t->arch = host.arch;
	t->cpu_model = host.cpu_model;
	t->version = xstrdup(build_info__version());
	t->libbpf = xstrdup(libbpf_version_string() + 1); /* "v1.1" */
	t->clock_source = clock ?: xstrdup("");
	t->clock_step_ns = selftest__clock_step(now_ns);
	return err ? log_err(err, "cannot describe this machine: %s", strerror(-err)) : 0;
}

int selftest__run(const struct event_list *events, struct selftest *t)
{
	struct cpu_groups groups = {};
	struct cpus online = {};
	struct selftest_run run = {.events = events, .groups = &groups, .t = t};
	int err;

	memset(t, 0, sizeof(*t));
	t->events = events->cnt;
	err = cpus__online(&online);
	if (err)
		return log_err(err, "cannot read which CPUs are online: %s", strerror(-err));
	cpu_groups__find("", &online, &groups);
	err = fill_host(t) ?: affinity__run(measure_each_kind, &run);
	if (!err)
		selftest__judge(t);
	cpu_groups__free(&groups);
	cpus__free(&online);
	return err;
}
