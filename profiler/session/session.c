// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A session: opens and closes it, chooses the backends of its targets, and adds and ends targets
 * while the session runs. Owns the targets, the events' descriptors, the backends' states, and the
 * record of when targets were attached and ended. Must not know why targets are added and ended, or
 * when counts are read (session_counts.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "budget/budget.h"
#include "budget/probe_turns.h"
#include "host/free_memory.h"
#include "kernel/feature.h"
#include "probe/trace_probe.h"
#include "session/others_limit.h"
#include "session/session.h"
#include "session/session_priv.h"
#include "target/prog_maps.h"
#include "target/relations.h"

/* Returns true if a backend is open that slows down the probes. */
static bool probes_are_slow(const struct session *s)
{
	for (int i = 0; i < BACKEND_CNT; i++)
		if (s->backend[i].state && backend__has(&s->backend[i], BACKEND_SLOWS_PROBES))
			return true;
	return false;
}

/* Returns the open backend that can measure one run in N (with counter_ops.probe_stat), or NULL. */
static const struct backend *find_prober(const struct session *s)
{
	for (int i = 0; i < BACKEND_CNT; i++)
		if (s->backend[i].state && s->backend[i].ops->probe_stat)
			return &s->backend[i];
	return NULL;
}

static int open_backend(struct session *s, struct backend *b, struct reason *reason)
{
	int err;

	if (b->state)
		return 0;
	if (!b->refused.code) {
		if (backend__has(b, BACKEND_PROBES))
			s->calibrated_fast = !probes_are_slow(s);
		err = b->ops->open(&s->env, &b->state, &b->refused);
		if (!err) {
			s->env.fds_read |= backend__has(b, BACKEND_COUNTS_EVENTS);
			s->env.runs_counted |= backend__has(b, BACKEND_COUNTS_ALL_RUNS);
			return 0;
		}
	}
	*reason = b->refused;
	return -EOPNOTSUPP;
}

/*
 * Makes the kernel count all runs from now on. So it counts all runs of programs that are loaded
 * later, and runs of programs whose probe is not attached.
 */
static void count_all_runs(struct session *s)
{
	struct reason reason = {};
	char text[512];

	if (s->env.opts.turns)
		run_stats__measure(&s->env.stats_cost);
	for (int i = 0; i < BACKEND_CNT; i++)
		if (backend__has(&s->backend[i], BACKEND_COUNTS_ALL_RUNS) &&
		    open_backend(s, &s->backend[i], &reason))
			log_info("runs before the attachment are not known: %s",
				 reason__describe(&reason, text, sizeof(text)));
	if (s->env.opts.turns && s->env.runs_counted)
		run_stats__measure(&s->env.stats_cost);
}

/*
 * Opens all backends before any target needs them. First opens the backends that slow down the
 * probes, so that calibration measures the probes as slow as they will be.
 */
static void open_backends(struct session *s)
{
	const struct method_list *m = &s->env.opts.methods;
	struct reason reason = {};

	for (int probes = 0; probes <= 1; probes++)
		for (int i = 0; i < m->cnt; i++)
			if (backend__has(&s->backend[m->v[i]], BACKEND_PROBES) == probes)
				open_backend(s, &s->backend[m->v[i]], &reason);
}

static void add_fallback(struct session *s, const struct target *t, const char *text)
{
	const char *name = prog__name(t->prog);

	message_groups__add(&s->fallbacks, text, "%u%s%s", t->id, *name ? " " : "", name);
}

/*
 * Adds a note that a backend other than the preferred one measures t. *reason says why the
 * preferred backend cannot.
 */
static void note_fallback(struct session *s, const struct target *t, const struct reason *reason)
{
	const struct method_list *m = &s->env.opts.methods;
	const char *remedy = reason__spec(reason->code)->remedy, *hint = "", *sep = "";
	char why[512], text[1024];

	if (s->placed)
		return;
	if (backend__has(t->backend, BACKEND_COUNTS_EVENTS | BACKEND_ESTIMATES_EVENTS) ||
	    reason->code == REASON_METHOD)
		remedy = NULL;
	else if (s->env.opts.sample_freq && !s->env.opts.follow &&
		 !method_list__any(m, BACKEND_ESTIMATES_EVENTS) && reason->code != REASON_NOT_JITED)
		hint = "--method samples estimates them";
	if (remedy && *hint)
		sep = ", or ";
	snprintf(text, sizeof(text), "%s; measured by %s instead%s%s%s%s%s",
		 reason__describe(reason, why, sizeof(why)), t->backend->ops->method,
		 s->env.some_cpus ? ", on all CPUs" : "", remedy || *hint ? "; for events: " : "",
		 remedy ?: "", sep, hint);
	add_fallback(s, t, text);
}

/* Adds a note that a backend that is not the preferred one cannot measure t, either. */
static void note_failure(struct session *s, const struct backend *b, const struct target *t,
			 const struct reason *reason)
{
	char why[512], text[1024];

	if (s->placed)
		return;
	snprintf(text, sizeof(text), "%s: %s", b->ops->method,
		 reason__describe(reason, why, sizeof(why)));
	add_fallback(s, t, text);
}

static void warn_fallbacks(struct session *s)
{
	message_groups__warn(&s->fallbacks, "program ", "programs ");
}

/*
 * Refuses targets and options that a backend can never support. Returns 0, or -errno with *reason.
 */
static int check_backend(const struct session *s, const struct backend *b, const struct target *t,
			 struct reason *reason)
{
	bool probes = backend__has(b, BACKEND_PROBES);

	if (!probes && s->env.opts.trace)
		return reason__set(reason, REASON_METHOD, EOPNOTSUPP,
				   "only a probe can record single runs");
	if (!probes && t->subprog)
		return reason__set(
			reason, REASON_METHOD, EOPNOTSUPP,
			"%s cannot count a function's calls; 'bprof annotate' shows its share",
			b->ops->method);
	return b->ops->check ? b->ops->check(t->prog, &t->no_probe, reason) : 0;
}

/* Returns 0 if the target's runs have the key of --by, else -EOPNOTSUPP with *reason. */
static int check_key(const struct session *s, const struct target *t, struct reason *reason)
{
	return run_key__check(s->env.opts.by, t->prog, t->func_btf_id, !t->subprog, reason);
}

/*
 * Finds the backend that measures a target. Returns 0, or -EOPNOTSUPP with *reason if there is none.
 */
static int place_target(struct session *s, struct target *t, struct reason *reason)
{
	const struct method_list *m = &s->env.opts.methods;
	struct reason other = {};

	if (check_key(s, t, reason))
		return -EOPNOTSUPP;
	for (int i = 0; i < m->cnt; i++) {
		struct backend *b = &s->backend[m->v[i]];
		struct reason *r = i ? &other : reason;

		if (check_backend(s, b, t, r))
			continue;
		reason__set(r, REASON_NONE, 0, NULL);
		if (!open_backend(s, b, r) && !b->ops->open_target(b->state, t, r)) {
			t->backend = b;
			if (i)
				note_fallback(s, t, reason);
			return 0;
		}
		if (backend__has(b, BACKEND_PROBES))
			t->no_probe = *r;
		if (i)
			note_failure(s, b, t, r);
	}
	return -EOPNOTSUPP;
}

/*
 * Calls a backend's ready() after all targets were assigned to backends. If it fails, skips the
 * targets of this backend.
 */
static void make_ready(struct session *s, struct backend *b)
{
	struct reason reason = {};

	if (!b->state || !b->ops->ready || !b->ops->ready(b->state, &reason))
		return;
	for (int i = s->targets.cnt - 1; i >= 0; i--) {
		struct target *t = &s->targets.v[i];

		if (t->backend != b)
			continue;
		b->ops->close_target(t);
		target_list__skip(&s->targets, i, &reason);
	}
}

/*
 * Reads the version of a followed program. Called after the program got its probe, so that the
 * probe need not wait.
 */
static void load_version(const struct session *s, struct target *t)
{
	if (s->env.opts.follow)
		t->version_name = prog__load_version(t->prog);
}

/* Finds a backend for each target and skips targets that no backend can measure. */
static void place_each(struct session *s)
{
	struct backend *b = &s->backend[s->env.opts.methods.v[0]];
	struct reason reason = {};
	int i = 0;

	/* No target is open yet, so none has to be closed. */
	for (int k = s->targets.cnt - 1; k >= 0; k--)
		if (check_key(s, &s->targets.v[k], &reason))
			target_list__skip(&s->targets, k, &reason);
	/* Open all targets at once if the preferred backend can do that. */
	if (s->targets.cnt && b->ops->open_targets && !open_backend(s, b, &reason))
		b->ops->open_targets(b->state, s->targets.v, s->targets.cnt);
	while (i < s->targets.cnt)
		if (place_target(s, &s->targets.v[i], &reason))
			target_list__skip(&s->targets, i, &reason);
		else
			load_version(s, &s->targets.v[i++]);
	warn_fallbacks(s);
}

/*
 * Returns true if it is known that a program cannot be probed. Ignores targets that are
 * subprograms, because without a probe only whole programs can be measured.
 */
static bool lacks_probe(const struct session *s)
{
	for (int i = 0; i < s->targets.cnt; i++)
		if (s->targets.v[i].no_probe.code && !s->targets.v[i].subprog)
			return true;
	return false;
}

static void close_targets(struct session *s)
{
	for (int i = 0; i < s->targets.cnt; i++) {
		struct target *t = &s->targets.v[i];

		if (t->backend)
			t->backend->ops->close_target(t);
		t->backend = NULL;
	}
}

/* Places all targets again, with probes that are calibrated again. */
static void place_again(struct session *s)
{
	close_targets(s);
	for (int i = 0; i < BACKEND_CNT; i++) {
		struct backend *b = &s->backend[i];

		if (!backend__has(b, BACKEND_PROBES))
			continue;
		b->ops->close(b->state);
		b->state = NULL;
	}
	place_each(s);
}

/*
 * Gives each target its backend. Probes must be calibrated before the gate opens, while all
 * backends that slow down probes are open. But sometimes only a failed attempt to attach a probe
 * shows that such a backend is needed. Then places all targets again.
 */
static void place_targets(struct session *s)
{
	if (s->env.opts.follow || s->env.opts.turns)
		count_all_runs(s);
	if (s->env.opts.follow || lacks_probe(s))
		open_backends(s);
	place_each(s);
	s->placed = true;
	if (find_prober(s) && s->calibrated_fast && probes_are_slow(s))
		place_again(s);
	s->placed = false;
	others_limit__refuse(&s->targets, &s->env, &s->others_look_ns);
	for (int i = 0; i < BACKEND_CNT; i++)
		make_ready(s, &s->backend[i]);
}

/* ---- opening and closing the session ---- */

/*
 * A target's counts take 10 to 300 KiB for each CPU, and some machines have hundreds of possible
 * CPUs, few of them present. So the counts have room only for the CPUs that are online now, and for
 * this many more.
 */
#define SPARE_CPUS 4

/* If there are too many possible CPUs, leaves out those with the highest ids. */
static void limit_cpus(struct session *s)
{
	int limit = cpus__limit(&s->env.online) + SPARE_CPUS;
	struct cpus *cpus = &s->env.cpus;

	if (limit >= s->env.cpu_limit)
		return;
	s->env.cpu_limit = limit;
	s->cpus_left_out = true;
	while (cpus->cnt && cpus->id[cpus->cnt - 1] >= limit)
		cpus->cnt--;
}

static void find_cycles_event(struct session *s)
{
	s->cycles_event = -1;
	for (int i = 0; i < s->env.events->cnt; i++) {
		const struct event *ev = &s->env.events->v[i];

		if (s->env.fds->state[i].status == EVENT_OK && event__is_cycles(ev) &&
		    !ev->exclude_kernel && !ev->exclude_user)
			s->cycles_event = i;
	}
}

/*
 * Checks the requirements of --by. Probes on several CPUs may assign parts (rows of counts) to
 * values at the same time, so they need an atomic compare-and-exchange.
 */
static int check_by(enum run_key by)
{
	return !by || by == BY_CPU || features__has_cmpxchg()
		       ? 0
		       : log_err(-EOPNOTSUPP,
				 "--by %s: this kernel has no atomic compare-and-exchange for BPF "
				 "programs (needs Linux 5.12, on arm64 5.18)",
				 run_key__spec(by)->name);
}

/*
 * Refuses --max-overhead for targets that call one another. Their probes must either all be
 * attached or all be detached, so they cannot be attached in turns.
 */
static int check_limit(const struct session *s)
{
	return s->env.nested && s->env.opts.must_hold
		       ? log_err(-ENODATA, "--max-overhead: functions that call one another are "
					   "probed all the time; with --func or extensions, "
					   "--sample auto limits only what measuring adds")
		       : 0;
}

/* Returns the memory that the counts of all targets take with these options, in bytes. */
static __u64 memory_with(const struct session *s, const struct backend_env *env)
{
	__u64 (*of)(const struct backend_env *env) = NULL;

	for (int i = 0; i < s->env.opts.methods.cnt && !of; i++)
		of = s->backend[s->env.opts.methods.v[i]].ops->target_memory;
	return of ? s->targets.cnt * of(env) : 0;
}

static __u64 memory_of_all(const struct session *s)
{
	return memory_with(s, &s->env);
}

/*
 * Returns how much memory the counts may take with the finest distributions: usually the limit. If
 * each key of --by has its own distributions, and --max-memory is not given, returns a multiple of
 * the memory that the targets take without --by, but at least SMALL_MEMORY.
 */
static __u64 find_memory_of_finest(const struct session *s, __u64 limit)
{
	struct backend_env plain = s->env;
	__u64 memory;

	plain.opts.by = BY_NOTHING;
	if (!backend_env__part_cnt(&s->env) || s->env.opts.max_memory)
		return limit;
	memory = memory_with(s, &plain) * (s->env.opts.by == BY_RETVAL ? 2 : 4);
	if (memory < SMALL_MEMORY)
		memory = SMALL_MEMORY;
	return memory < limit ? memory : limit;
}

static __u64 find_memory_limit(const struct backend_opts *opts)
{
	__u64 usual = opts->usual_memory ?: USUAL_MEMORY, free;

	if (opts->max_memory)
		return opts->max_memory;
	free = free_memory("/proc", "/sys/fs/cgroup");
	return free < usual ? free : usual;
}

/* Warns that distributions are coarser or left out, and says why. */
static void warn_of_distributions(const struct session *s, __u64 finest, __u64 wanted)
{
	const struct backend_opts *o = &s->env.opts;
	char how[80] = "no distributions";

	if (o->hist)
		snprintf(how, sizeof(how),
			 "coarser distributions, with buckets that are up to %g%% wide",
			 100 * hist__bucket_width(o->hist_shift));
	if (finest > s->memory.limit)
		log_warn("%s: otherwise the counts of %d probes on %d CPUs would take %llu KiB of "
			 "memory, and the limit is %llu KiB; measure fewer programs, or raise "
			 "--max-memory",
			 how, s->targets.cnt, s->env.cpus.cnt, finest / 1024,
			 s->memory.limit / 1024);
	else
		log_warn("%s: otherwise --by %s would take %llu KiB of memory, and without "
			 "--max-memory %lluM it aims at %llu KiB",
			 how, run_key__spec(o->by)->name, finest / 1024, (finest >> 20) + 1,
			 wanted / 1024);
}

/*
 * Sets the limit of the memory for the probes' counts. If the counts of all targets exceed the
 * limit, makes their distributions coarser, or leaves out distributions.
 */
static void limit_memory(struct session *s)
{
	static const int shifts[] = {BPROF_HIST_COARSE_SHIFT, BPROF_HIST_COARSER_SHIFT};
	__u64 finest = memory_of_all(s), all = finest;
	const __u64 limit = find_memory_limit(&s->env.opts);
	const __u64 wanted = find_memory_of_finest(s, limit);

	s->memory.limit = limit;
	s->env.memory = &s->memory;
	for (size_t i = 0; s->env.opts.hist && all > wanted && i < ARRAY_SIZE(shifts); i++) {
		s->env.opts.hist_shift = shifts[i];
		all = memory_of_all(s);
	}
	if (s->env.opts.hist && finest > wanted) {
		s->env.opts.hist = all <= limit;
		if (!s->env.opts.hist)
			/*
			 * with hist_shift 0, bprof may use its faster probes, which have no
			 * distributions
			 */
			s->env.opts.hist_shift = 0;
		warn_of_distributions(s, finest, wanted);
		all = memory_of_all(s);
	}
	log_info("the counts of %d probes take up to %llu KiB of memory, of at most %llu KiB",
		 s->targets.cnt, all / 1024, limit / 1024);
}

int session__open(struct target_list *targets, const struct event_list *events,
		  const struct cpus *cpus, const struct backend_opts *opts, struct session **out)
{
	struct session *s = xcalloc(1, sizeof(*s));
	int err;

	*out = NULL;
	s->fallbacks.once = true;
	s->targets = *targets;
	memset(targets, 0, sizeof(*targets));
	s->env.events = events;
	s->env.opts = *opts;
	s->env.opts.methods = method_list__or_default(&opts->methods);
	s->env.targets = &s->targets;
	/* nested is also set if targets that are added later may call one another. */
	s->env.nested = opts->own_costs || target_list__is_nested(&s->targets) ||
			(opts->follow && (s->targets.func || s->targets.has_ext));
	for (int i = 0; i < s->targets.cnt; i++)
		s->env.calls |= target__is_called(&s->targets.v[i]);
	for (int i = 0; i < BACKEND_CNT; i++) {
		s->backend[i].ops = backend_ops[i];
		if (opts->strict && backend__has(&s->backend[i], BACKEND_COUNTS_ALL_RUNS))
			reason__set(&s->backend[i].refused, REASON_METHOD, EOPNOTSUPP,
				    "--strict leaves the kernel's run statistics off");
	}
	s->env.some_cpus = cpus->cnt;
	/*
	 * Without -C all possible CPUs are measured, because targets also run on a CPU that comes
	 * online later. No events are open on such a CPU, so runs on it count as runs in which the
	 * events could not be read.
	 */
	err = check_limit(s) ?: cpus__choose(cpus, &s->env.cpus, &s->env.online, &s->env.cpu_limit);
	if (!err)
		limit_cpus(s);
	err = err ?:
	      event_fds__open(events, &s->env.cpus, s->env.cpu_limit, &s->env.fds) ?:
	      event_list__check(events, s->env.fds->state) ?:
	      (opts->trace ? trace_probe__open(opts->trace, &s->env) : 0) ?:
	      check_by(opts->by);
	if (!err) {
		limit_memory(s);
		place_targets(s);
		err = opts->thin_share ? budget__new(&s->env, find_prober(s), &s->budget) : 0;
	}
	target_list__report_skipped(&s->targets);
	if (err) {
		session__close(s);
		return err;
	}
	find_cycles_event(s);
	*out = s;
	return 0;
}

void session__close(struct session *s)
{
	if (!s)
		return;
	close_targets(s);
	for (int i = 0; i < s->targets.cnt; i++)
		counts__free(s->targets.v[i].frozen, backend_env__rows(&s->env));
	session__forget_readings(s);
	for (int i = 0; i < BACKEND_CNT; i++)
		s->backend[i].ops->close(s->backend[i].state);
	target_list__free(&s->targets);
	foreign_probes__free(&s->foreign);
	message_groups__free(&s->fallbacks);
	budget__free(s->budget);
	snapshot__free(s->closed);
	snapshot__free(s->stopped);
	event_fds__close(s->env.fds);
	cpus__free(&s->env.cpus);
	cpus__free(&s->env.online);
	free(s);
}

bool session__is_net(const struct session *s)
{
	for (int i = 0; i < BACKEND_CNT; i++)
		if (backend__is_net(&s->backend[i]))
			return true;
	return false;
}

/* ---- adding and ending targets ---- */

void session__add(struct session *s, struct target_list *new)
{
	target_list__move_skipped(&s->targets, new);
	for (int i = 0; i < new->cnt; i++) {
		struct target *t = target_list__append(&s->targets, &new->v[i]);
		struct reason reason = {};

		/* t has taken over everything that the entry owned */
		memset(&new->v[i], 0, sizeof(new->v[i]));
		if (place_target(s, t, &reason)) {
			target_list__skip(&s->targets, s->targets.cnt - 1, &reason);
			continue;
		}
		t->life.attached_ns = now_ns();
		load_version(s, t);
	}
	warn_fallbacks(s);
	target_list__free(new);
	foreign_probes__update(&s->foreign, &s->targets);
	if (s->env.opts.thin_share)
		budget__fit(s->budget, &s->env);
}

bool session__is_busy(const struct session *s, __u32 id)
{
	const struct target *t = NULL;

	while ((t = target_list__next(&s->targets, id, t)))
		if (!t->frozen && t->backend->ops->is_busy && t->backend->ops->is_busy(t))
			return true;
	return false;
}

/*
 * Adds up the backend's and the kernel's number of runs. If one of the two numbers is not counted,
 * the sum still grows with each run. The callers at most check whether the sum has grown.
 */
int session__count_runs(struct session *s, __u32 id, __u64 *runs)
{
	int err = 0;
	struct target *t = NULL;

	*runs = 0;
	while (!err && (t = target_list__next(&s->targets, id, t))) {
		struct counts *c;

		if (t->frozen)
			continue;
		err = session__read_raw(s, t, false, &c);
		for (int row = 0; !err && row <= s->env.cpus.cnt; row++)
			*runs += counts__runs(&c[row]);
		*runs += t->prog->info.run_cnt;
		counts__free(c, backend_env__rows(&s->env));
	}
	return err;
}

void session__detach(struct session *s, __u32 id)
{
	struct probe_turns *turns = budget__turns(s->budget);
	struct target *t = NULL;

	while ((t = target_list__next(&s->targets, id, t))) {
		if (t->frozen)
			continue;
		probe_turns__suspend(turns, &s->env, t - s->targets.v);
		if (!t->life.loaded_ns && !t->life.detach_cnt)
			t->life.unseen_before = t->life.unseen;
		if (t->backend->ops->detach)
			t->backend->ops->detach(t);
		/* may be called several times, because all targets of the program share prog */
		prog__release(t->prog);
	}
}

int session__reattach(struct session *s, __u32 id, struct reason *reason)
{
	struct probe_turns *turns = budget__turns(s->budget);
	struct target *t = NULL;
	int err = 0;

	while (!err && (t = target_list__next(&s->targets, id, t))) {
		int target = t - s->targets.v;

		if (t->frozen)
			continue;
		probe_turns__resume(turns, target);
		if (t->prog->fd < 0)
			err = prog__reopen(t->prog);
		if (err) {
			reason__set(reason, err == -ENOENT ? REASON_NO_SUCH_PROG : REASON_SYSTEM,
				    -err, "opening it: %s", strerror(-err));
			return err;
		}
		if (t->backend->ops->reattach && !probe_turns__takes(turns, target))
			err = t->backend->ops->reattach(t->backend->state, t, reason);
		t->life.detach_cnt++;
	}
	return err;
}

int session__retire(struct session *s, __u32 id, __u64 ended_ns)
{
	struct target *t = NULL;
	int err = 0;

	while (!err && (t = target_list__next(&s->targets, id, t))) {
		if (t->frozen)
			continue;
		probe_turns__retire(budget__turns(s->budget), &s->env, t - s->targets.v);
		err = session__read_raw(s, t, true, &t->frozen);
		if (err)
			return err;
		session__forget_reading(s, t);
		t->life.ended_ns = ended_ns;
		t->backend->ops->close_target(t);
		prog__release(t->prog);
	}
	if (s->env.opts.thin_share)
		budget__fit(s->budget, &s->env);
	return 0;
}
