// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A session of `bprof system`. Owns the scopes, the choice of the method and the counts up to the
 * last stop. Must not know how a method counts, or any output format.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/reason.h"
#include "event/event_fds.h"
#include "kernel/feature.h"
#include "system/system.h"

static size_t reading_cnt(const struct system *s)
{
	return system__at(s, s->scopes.cnt, 0, 0);
}

static struct reading *new_readings(const struct system *s)
{
	return xcalloc(reading_cnt(s), sizeof(struct reading));
}

/* ---- the method ---- */

static int open_method(struct system *s, const struct system_ops *ops, struct reason *reason)
{
	memset(s->event, 0, sizeof(s->event));
	memset(s->refused, 0, (size_t)s->events->cnt * s->cpu_limit * sizeof(*s->refused));
	s->ops = ops;
	return ops->open(s, &s->state, reason);
}

static bool may_use(const struct system *s, const struct system_ops *ops)
{
	return !s->opts.method || !strcmp(s->opts.method, ops->method);
}

static int use_perf_event(struct system *s, struct reason *reason)
{
	int err;

	if (reason->err)
		log_warn("counters cannot be shared: %s; counting with unshared perf events "
			 "(method: perf_event)",
			 reason->detail);
	err = open_method(s, &perf_event_ops, reason);
	return err ? log_err(err, "perf_event: %s", reason->detail) : 0;
}

/* Warns if an event has the modifiers D or e: they would change the counter for all its users. */
static void warn_of_modifiers(const struct system *s)
{
	for (int i = 0; i < s->events->cnt; i++) {
		const struct event *ev = &s->events->v[i];

		if (!ev->pinned && !ev->exclusive)
			continue;
		log_warn("event %s: the modifiers D and e have no effect, because the counters are "
			 "shared; they need --method perf_event",
			 ev->name);
		return;
	}
}

static int choose_method(struct system *s)
{
	struct reason reason = {};
	int err = -EOPNOTSUPP;

	if (may_use(s, &bperf_ops))
		err = open_method(s, &bperf_ops, &reason);
	if (!err) {
		features__jits(&s->jits);
		warn_of_modifiers(s);
	}
	/*
	 * If an argument is wrong (-EINVAL), or another process holds the lock of the attr map
	 * (-ETIMEDOUT), report the error instead of falling back.
	 */
	if (!err || err == -EINVAL || err == -ETIMEDOUT || !may_use(s, &perf_event_ops))
		return err ? log_err(err, "bperf: %s", reason.detail) : 0;
	return use_perf_event(s, &reason);
}

/* ---- scopes ---- */

/* If many scopes in a row are skipped for the same reason, the log names only the first of them. */
#define MAX_NAMED 3

/* Scopes in a row that were skipped for the same reason. */
struct skipped_alike {
	char why[sizeof(((struct reason *)NULL)->detail)];
	int cnt;
};

/* Says how many scopes were skipped without being named in the log. */
static void end_alike(struct skipped_alike *alike)
{
	if (alike->cnt > MAX_NAMED)
		log_warn("%d more: %s", alike->cnt - MAX_NAMED, alike->why);
	alike->cnt = 0;
}

/* Skips a scope. Names it in the log, unless it is one of many that have the same reason. */
static void skip_alike(struct system *s, const struct scope *sc, const char *why,
		       struct skipped_alike *alike)
{
	struct scope_skip *skip = array__add(&s->scopes.skip, &s->scopes.skip_cnt, sizeof(*skip));

	if (strcmp(alike->why, why))
		end_alike(alike);
	snprintf(alike->why, sizeof(alike->why), "%s", why);
	skip->name = sc->kind == SCOPE_CGROUP ? xstrdup(sc->name)
					      : text__format("%llu", (unsigned long long)sc->id);
	skip->reason = "not_counted";
	skip->detail = xstrdup(why);
	if (alike->cnt++ < MAX_NAMED)
		log_warn("%s %s: %s", scope_kind__name(sc->kind), skip->name, why);
}

static bool is_any_added(const struct system *s)
{
	for (int i = 0; i < s->scopes.cnt; i++)
		if (s->added[i])
			return true;
	return false;
}

/*
 * Returns true if err says that bperf ran out of descriptors at the first scope, or has no room for
 * all scopes, and if the method perf_event can be tried instead. perf_event may need fewer
 * descriptors, and has no limit of scopes. But perf_event may count none of the cgroups, because
 * the controller perf_event has to be enabled in each of them. Returns false for a command: it is
 * added after the other scopes, whose method must not change any more.
 */
static bool is_too_much(const struct system *s, bool commands, int err)
{
	bool files = err == -EMFILE || err == -ENFILE;
	bool room = (err == -ENOSPC || err == -E2BIG) &&
		    !scope_list__has(&s->scopes, 1 << SCOPE_CGROUP);

	return (files || room) && s->ops == &bperf_ops && may_use(s, &perf_event_ops) &&
	       (!is_any_added(s) || (room && !commands)) && !s->stopwatch.measured_ns;
}

/*
 * Adds the command (commands is true) or all other scopes. Returns 0 or -errno. Reports the error
 * unless is_too_much() is true for it. In that case, sets *reason.
 */
static int add_scopes_by_method(struct system *s, bool commands, struct reason *reason)
{
	struct skipped_alike alike = {};
	int err = s->ops->begin ? s->ops->begin(s, s->state, reason) : 0;

	if (err)
		return log_err(err, "%s", reason->detail);
	for (int i = 0; !err && i < s->scopes.cnt; i++) {
		if ((s->scopes.v[i].kind == SCOPE_COMMAND) != commands)
			continue;
		err = s->ops->add_scope(s, s->state, i, reason);
		if (err)
			s->ops->remove_scope(s, s->state, i);
		s->added[i] = !err;
		s->added_once[i] |= !err;
		if (err && !is_too_much(s, commands, err)) {
			s->denied |= err == -EPERM || err == -EACCES;
			skip_alike(s, &s->scopes.v[i], reason->detail, &alike);
			err = 0;
		}
	}
	end_alike(&alike);
	if (s->ops->end)
		s->ops->end(s, s->state);
	return err;
}

static int add_scopes(struct system *s, bool commands)
{
	struct reason reason = {};
	int err = add_scopes_by_method(s, commands, &reason);

	if (!is_too_much(s, commands, err))
		return err;
	s->ops->close(s, s->state);
	s->state = NULL;
	memset(s->added, 0, s->scopes.cnt * sizeof(*s->added));
	memset(s->added_once, 0, s->scopes.cnt * sizeof(*s->added_once));
	return use_perf_event(s, &reason) ?:
	       event_list__check(s->events, s->event) ?:
	       add_scopes_by_method(s, commands, &reason);
}

static bool has_any_scope(const void *arg)
{
	const struct system *s = arg;

	return is_any_added(s) || scope_list__has(&s->scopes, 1 << SCOPE_COMMAND);
}

/* Returns the error for a session that counts no scope. The log has named the skipped scopes. */
static int why_no_scope(const void *arg)
{
	const struct system *s = arg;
	bool missing = s->scopes.skip_cnt;

	for (int i = 0; i < s->scopes.skip_cnt; i++)
		missing &= strcmp(s->scopes.skip[i].reason, "not_counted") != 0;
	return s->denied ? -EPERM : missing ? -ESRCH : -ENODATA;
}

static int add_forked_command(void *arg, pid_t command)
{
	struct system *s = arg;
	int err;

	if (!scope_list__has(&s->scopes, 1 << SCOPE_COMMAND))
		return 0;
	for (int i = 0; i < s->scopes.cnt; i++)
		if (s->scopes.v[i].kind == SCOPE_COMMAND)
			s->scopes.v[i].id = command;
	err = add_scopes(s, true);
	if (!err && !is_any_added(s))
		err = log_err(why_no_scope(s), "nothing could be measured");
	return err;
}

int system__open(struct scope_list *scopes, const struct event_list *events,
		 const struct cpus *cpus, const struct system_opts *o, struct system **out)
{
	struct system *s = xcalloc(1, sizeof(*s));
	int err;

	*out = NULL;
	s->scopes = *scopes;
	memset(scopes, 0, sizeof(*scopes));
	s->events = events;
	s->opts = *o;
	s->some_cpus = cpus->cnt;
	err = cpus__choose(cpus, NULL, &s->cpus, &s->cpu_limit);
	if (!err) {
		s->added = xcalloc(s->scopes.cnt + 1, sizeof(*s->added));
		s->added_once = xcalloc(s->scopes.cnt + 1, sizeof(*s->added_once));
		s->unread = xcalloc(s->scopes.cnt * s->events->cnt + 1, sizeof(*s->unread));
		s->counted = new_readings(s);
		s->base = new_readings(s);
		s->uncounted_cpu = xcalloc(s->cpu_limit, sizeof(*s->uncounted_cpu));
		s->refused =
			xcalloc((size_t)s->events->cnt * s->cpu_limit + 1, sizeof(*s->refused));
	}
	if (!err && s->scopes.cnt)
		err = choose_method(s) ?:
		      event_list__check(s->events, s->event) ?:
		      add_scopes(s, false);
	if (err) {
		system__close(s);
		return err;
	}
	*out = s;
	return 0;
}

void system__close(struct system *s)
{
	if (!s)
		return;
	if (s->state)
		s->ops->close(s, s->state);
	scope_list__free(&s->scopes);
	cpus__free(&s->cpus);
	free(s->added);
	free(s->added_once);
	free(s->unread);
	free(s->counted);
	free(s->base);
	free(s->uncounted_cpu);
	free(s->refused);
	free(s);
}

/* ---- counting ---- */

bool system__counts_by_cpu(const struct system *s, enum scope_kind kind)
{
	return s->ops->shared || !scope_kind__is_task(kind) || s->some_cpus || s->opts.per_cpu;
}

/* Marks CPUs as not counted if they came online after the session was opened. */
static void find_new_cpus(struct system *s)
{
	struct cpus online = {};

	if (s->some_cpus || cpus__online(&online))
		return;
	for (int i = 0; i < online.cnt; i++)
		if (online.id[i] < s->cpu_limit && !cpus__has(&s->cpus, online.id[i]))
			s->uncounted_cpu[online.id[i]] = true;
	cpus__free(&online);
}

static int read_now(struct system *s, struct reading **out)
{
	int err;

	*out = new_readings(s);
	find_new_cpus(s);
	err = s->ops->read(s, s->state, *out);
	if (err) {
		free(*out);
		*out = NULL;
	}
	return err;
}

/*
 * Makes a snapshot with the time ns from the counts up to the last stop. If "now" is not NULL, adds
 * the counts from the last start up to the readings in "now".
 */
static struct system_snapshot *take_snapshot(const struct system *s, const struct reading *now,
					     __u64 ns)
{
	struct system_snapshot *snap = xcalloc(1, sizeof(*snap));

	snap->v = new_readings(s);
	memcpy(snap->v, s->counted, reading_cnt(s) * sizeof(*snap->v));
	for (size_t i = 0; now && i < reading_cnt(s); i++) {
		snap->v[i].counter += now[i].counter - s->base[i].counter;
		snap->v[i].enabled_ns += now[i].enabled_ns - s->base[i].enabled_ns;
		snap->v[i].running_ns += now[i].running_ns - s->base[i].running_ns;
	}
	snap->ns = ns;
	return snap;
}

static int start_system(void *arg, void **at)
{
	struct system *s = arg;
	struct reading *now;
	int err = read_now(s, &now);

	if (err)
		return err;
	free(s->base);
	s->base = now;
	stopwatch__start(&s->stopwatch);
	*at = take_snapshot(s, NULL, s->stopwatch.measured_ns);
	return 0;
}

/*
 * Takes a snapshot that includes the method's current readings. Call it while counting, or directly
 * after counting was stopped.
 */
static int read_counting(struct system *s, void **at)
{
	__u64 ns = stopwatch__elapsed_ns(&s->stopwatch);
	struct reading *now;
	int err = read_now(s, &now);

	if (!err)
		*at = take_snapshot(s, now, ns);
	free(now);
	return err;
}

static int read_system_counts(void *arg, void **at)
{
	struct system *s = arg;

	if (s->stopwatch.running)
		return read_counting(s, at);
	*at = take_snapshot(s, NULL, s->stopwatch.measured_ns);
	return 0;
}

static int stop_system(void *arg, void **at)
{
	struct system *s = arg;
	const struct system_snapshot *now;
	int err;

	stopwatch__stop(&s->stopwatch);
	err = read_counting(s, at);
	for (int i = 0; i < s->scopes.cnt; i++) {
		if (s->scopes.v[i].kind != SCOPE_COMMAND || !s->added[i])
			continue;
		s->ops->remove_scope(s, s->state, i);
		s->added[i] = false;
	}
	if (!err) {
		now = *at;
		memcpy(s->counted, now->v, reading_cnt(s) * sizeof(*s->counted));
	}
	return err;
}

static void free_snapshot(void *at)
{
	struct system_snapshot *snap = at;

	if (snap)
		free(snap->v);
	free(snap);
}

static int format_system_progress(void *arg, const void *at_start, char *line, size_t sz)
{
	const struct system *s = arg;
	const struct system_snapshot *from = at_start;
	int scopes = s->scopes.cnt, events = s->events->cnt;

	snprintf(line, sz, "%5.0f s, %d scope%s, %d event%s",
		 (stopwatch__elapsed_ns(&s->stopwatch) - from->ns) / 1e9, scopes,
		 scopes == 1 ? "" : "s", events, events == 1 ? "" : "s");
	return 0;
}

static int is_over(void *arg)
{
	const struct system *s = arg;

	return scope_list__is_over(&s->scopes);
}

static int system_ready_fd(const void *arg)
{
	const struct system *s = arg;

	return s->ops->ready_fd ? s->ops->ready_fd(s, s->state) : -1;
}

static int system_ready(void *arg)
{
	struct system *s = arg;

	return s->ops->ready(s, s->state);
}

const struct counting_ops system_counting_ops = {
	.has_any = has_any_scope,
	.why_none = why_no_scope,
	.forked = add_forked_command,
	.start = start_system,
	.stop = stop_system,
	.read = read_system_counts,
	.free = free_snapshot,
	.report = system__report,
	.progress = format_system_progress,
	.tick = is_over,
	.ready_fd = system_ready_fd,
	.ready = system_ready,
};
