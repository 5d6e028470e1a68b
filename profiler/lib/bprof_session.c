// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Implements the sessions of bprof.h. Owns the order in which their functions may be called, and
 * the options of a session; must not know how anything is measured.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/thinning.h"
#include "base/util.h"
#include "btf/reason.h"
#include "event/event.h"
#include "event/event_fds.h"
#include "lib/bprof_priv.h"
#include "lib/bprof_session_priv.h"
#include "options/options.h"
#include "result/result.h"
#include "sampling/sample_events.h"
#include "session/session.h"
#include "target/target.h"

static void begin(struct bprof_call *call, struct bprof_session *s)
{
	*call = (struct bprof_call){.error = &s->error,
				    .log = s->public.log,
				    .log_arg = s->public.log_arg,
				    .libbpf = true};
	bprof_call__begin(call, s->public.log_level);
}

static int refuse(struct bprof_session *s, int err, const char *text)
{
	return bprof_error__set(&s->error, err, "argument", "%s", text);
}

/* ---- making a session ---- */

static int set_thinning(struct bprof_session *s, struct bprof_error *error)
{
	const struct bprof_session_opts *o = &s->public;

	if (!o->thin_share)
		return 0;
	if (!(o->thin_share >= 0.0001 && o->thin_share <= 1))
		return bprof_error__set(error, -EINVAL, "argument",
					"thin_share: give a share of a CPU from 0.0001 to 1");
	s->opts.thin_share = o->thin_share * THINNING_FULL_SHARE + 0.5;
	return 0;
}

/*
 * Refuses options that cannot be combined. s->opts must be set. Returns 0, or -EINVAL with *error.
 */
static int check_options(const struct bprof_session *s, struct bprof_error *error)
{
	const struct bprof_session_opts *o = &s->public;
	bool buckets = o->flags & BPROF_SESSION_BUCKETS;
	const struct option_check checks[] = {
		{buckets && o->flags & BPROF_SESSION_NO_HIST,
		 "BPROF_SESSION_BUCKETS and BPROF_SESSION_NO_HIST: choose one"},
		{(buckets || o->thin_share || o->thin_period > 1 || o->by) &&
			 !method_list__any(&s->opts.methods, BACKEND_PROBES),
		 "BPROF_SESSION_BUCKETS, thin_period, thin_share and by need probes, which methods "
		 "leaves out: add fentry"},
		{o->by && strcmp(o->by, "retval"), "by: only \"retval\" is possible"},
		{o->sample_hz && !method_list__any(&s->opts.methods, BACKEND_ESTIMATES_EVENTS),
		 "sample_hz: only the method samples takes samples"},
		{o->thin_share && (o->thin_period > 1 || o->flags & BPROF_SESSION_RAW),
		 "thin_share: cannot be combined with BPROF_SESSION_RAW or thin_period"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].bad)
			return bprof_error__set(error, -EINVAL, "argument", "%s", checks[i].text);
	return 0;
}

static int set_options(struct bprof_session *s, struct bprof_error *error)
{
	const struct bprof_session_opts *o = &s->public;
	struct parse_error perr;

	s->opts = (struct backend_opts){
		.calibrate = !(o->flags & BPROF_SESSION_RAW),
		.hist = !(o->flags & BPROF_SESSION_NO_HIST),
		.thin_period = o->thin_period ?: 1,
		.sample_freq = o->sample_hz ?: sample_events__default_freq(),
		.by_retval = o->by,
	};
	if (s->opts.thin_period > UINT32_MAX || s->opts.sample_freq > SAMPLE_MAX_FREQ)
		return bprof_error__set(error, -EINVAL, "argument",
					"thin_period or sample_hz: the number is too large");
	if (o->methods && method_list__parse(&s->opts.methods, o->methods))
		return bprof_error__set(error, -EINVAL, "argument",
					"methods: give fentry, run_stats or samples, each once");
	if (o->cpus)
		return bprof_error__set_parsed(error, cpus__parse_online(o->cpus, &s->cpus, &perr),
					       "cpus", &perr);
	return 0;
}

static int add_events(struct bprof_session *s, const char *events, struct bprof_error *error)
{
	struct parse_error perr;

	return bprof_error__set_parsed(
		error, event_list__parse(&s->events, events, EVENT_SYSFS, &perr), "events", &perr);
}

static int init(struct bprof_session *s, const struct bprof_session_opts *opts,
		struct bprof_error *error)
{
	const uint64_t flags = BPROF_SESSION_RAW | BPROF_SESSION_NO_HIST | BPROF_SESSION_BUCKETS |
			       BPROF_SESSION_PER_CPU;
	struct bprof_session_opts *o = &s->public;
	int err = bprof_opts__copy(o, sizeof(*o), BPROF_OPTS_SZ(session, log_level), opts, error)
			  ?: bprof_opts__check_flags(o->flags, flags, error) ?:
			     set_options(s, error) ?:
			     check_options(s, error) ?:
			     set_thinning(s, error);

	if (!err && o->events)
		err = add_events(s, o->events, error);
	o->events = o->cpus = o->methods = o->by = NULL;
	return err;
}

int bprof_session_new(const struct bprof_session_opts *opts, struct bprof_session **out,
		      struct bprof_error *error)
{
	struct bprof_call call = {.error = error};
	struct bprof_session *s = calloc(1, sizeof(*s));
	int err;

	*out = NULL;
	if (!s)
		return bprof_error__set(error, -ENOMEM, "other", "out of memory");
	s->made_ns = now_ns();
	bprof_call__begin(&call, BPROF_LOG_ERROR);
	err = init(s, opts, error);
	call.failed = true; /* init() has set *error */
	bprof_call__end(&call, err);
	if (err)
		bprof_session_free(s);
	else
		*out = s;
	return err;
}

static void close_session(struct bprof_session *s)
{
	session__close(s->s);
	snapshot__free(s->first);
	snapshot__free(s->last);
	s->s = NULL;
	s->first = s->last = NULL;
	s->running = false;
}

void bprof_session_free(struct bprof_session *s)
{
	struct bprof_call call;

	if (!s)
		return;
	begin(&call, s);
	close_session(s);
	selector_list__free(&s->selectors);
	event_list__free(&s->events);
	cpus__free(&s->cpus);
	bprof_call__end(&call, 0);
	free(s);
}

const struct bprof_error *bprof_session_error(const struct bprof_session *s)
{
	return &s->error;
}

/* ---- targets and events ---- */

static int check_not_open(struct bprof_session *s)
{
	return s->s ? refuse(s, -EBUSY, "targets and events are added before the session is opened")
		    : 0;
}

/*
 * Ends a call that added a selector with the result err. If err is not 0, the caller has set the
 * session's error or logged a message. Otherwise adds func to the selector.
 */
static int end_selector(struct bprof_session *s, struct bprof_call *call, int err, const char *func)
{
	if (!err && func) {
		err = selector_list__set_func(&s->selectors, func);
		if (err)
			selector_list__remove_last(&s->selectors);
	}
	bprof_call__end(call, err);
	if (err == -EINVAL || err == -EBADF)
		strcpy(s->error.code, "argument");
	return err;
}

static int add_selector(struct bprof_session *s, enum selector_kind kind, const char *arg,
			const char *func)
{
	static const char *const names[] = {[SELECT_NAME] = "name",
					    [SELECT_TAG] = "tag",
					    [SELECT_PINNED] = "path",
					    [SELECT_TYPE] = "types",
					    [SELECT_ALL] = "all"};
	struct parse_error perr;
	struct bprof_call call;
	int err = check_not_open(s);

	if (err)
		return err;
	begin(&call, s);
	err = selector_list__add(&s->selectors, kind, arg, &perr);
	if (bprof_error__set_parsed(&s->error, err, names[kind], &perr))
		call.failed = true;
	return end_selector(s, &call, err, func);
}

int bprof_session_add_id(struct bprof_session *s, uint32_t prog_id, const char *func)
{
	struct bprof_call call;
	int err = check_not_open(s);

	if (err)
		return err;
	begin(&call, s);
	return end_selector(s, &call, selector_list__add_id(&s->selectors, prog_id), func);
}

int bprof_session_add_fd(struct bprof_session *s, int fd, const char *func)
{
	struct bprof_call call;
	int err = check_not_open(s);

	if (err)
		return err;
	begin(&call, s);
	err = selector_list__add_fd(&s->selectors, fd);
	if (err) {
		bprof_error__set(&s->error, err, "argument", "descriptor %d: %s", fd,
				 err == -EINVAL ? "it is not a BPF program's" : strerror(-err));
		call.failed = true;
	}
	return end_selector(s, &call, err, func);
}

int bprof_session_add_name(struct bprof_session *s, const char *glob, const char *func)
{
	return add_selector(s, SELECT_NAME, glob, func);
}

int bprof_session_add_tag(struct bprof_session *s, const char *tag, const char *func)
{
	return add_selector(s, SELECT_TAG, tag, func);
}

int bprof_session_add_pinned(struct bprof_session *s, const char *path, const char *func)
{
	return add_selector(s, SELECT_PINNED, path, func);
}

int bprof_session_add_type(struct bprof_session *s, const char *types, const char *func)
{
	return add_selector(s, SELECT_TYPE, types, func);
}

int bprof_session_add_all(struct bprof_session *s, const char *func)
{
	return add_selector(s, SELECT_ALL, NULL, func);
}

int bprof_session_add_events(struct bprof_session *s, const char *events)
{
	struct bprof_call call;
	int err = check_not_open(s);

	if (err)
		return err;
	begin(&call, s);
	err = add_events(s, events, &s->error);
	call.failed = true; /* add_events() has set the error */
	return bprof_call__end(&call, err);
}

/* ---- measuring ---- */

/* Sets the session's error to the reason why the first target was skipped. Returns -ENODATA. */
static int fail_without_targets(struct bprof_session *s, const struct target_list *targets)
{
	const struct skipped *skip = targets->skip;
	char why[512], label[32] = "";

	if (!targets->skip_cnt)
		return bprof_error__set(&s->error, -ENODATA, "other",
					"no loaded program matches what was selected");
	if (skip->id)
		snprintf(label, sizeof(label), "program %u%s", skip->id, *skip->name ? " " : "");
	return bprof_error__set(&s->error, -ENODATA, reason__spec(skip->reason.code)->name,
				"%s%s: %s", label, skip->name,
				reason__advise(&skip->reason, why, sizeof(why)));
}

static int open_session(struct bprof_session *s, struct bprof_call *call)
{
	struct target_list targets = {};
	bool no_events = !s->events.cnt;
	int err = event_list__set_default(&s->events) ?:
		  target_list__select(&s->selectors, NULL, &targets) ?:
	      session__open(&targets, &s->events, &s->cpus, &s->opts, &s->s);
	if (!err && !s->s->targets.cnt) {
		err = fail_without_targets(s, &s->s->targets);
		call->failed = true;
		close_session(s);
	}
	/*
	 * Remove the default events, so that the next try can choose them again or use events that
	 * the caller adds.
	 */
	if (err && no_events)
		event_list__free(&s->events);
	return err;
}

int bprof_session_open(struct bprof_session *s)
{
	struct bprof_call call;

	if (s->s)
		return refuse(s, -EBUSY, "the session is open already");
	if (!s->selectors.cnt)
		return refuse(s, -EINVAL, "no target was selected");
	begin(&call, s);
	return bprof_call__end(&call, open_session(s, &call));
}

/* Returns an error if the last stop failed: the counts at that stop are not known. */
static int check_stopped(struct bprof_session *s)
{
	if (!s->first || s->running || s->last)
		return 0;
	return refuse(s, -EINVAL,
		      "the last stop failed: its counts are missing; make another "
		      "session");
}

static int check_started(struct bprof_session *s)
{
	return s->first ? check_stopped(s) : refuse(s, -EINVAL, "the session was not started");
}

int bprof_session_start(struct bprof_session *s)
{
	struct snapshot *now = NULL;
	struct bprof_call call;
	int err;

	if (!s->s || s->running)
		return refuse(s, -EINVAL,
			      s->running ? "the session is running already"
					 : "the session is not open");
	err = check_stopped(s);
	if (err)
		return err;
	begin(&call, s);
	err = session__start(s->s, &now);
	if (!err) {
		snapshot__free(s->first);
		snapshot__free(s->last);
		s->first = now;
		s->last = NULL;
		s->running = true;
		s->started = (struct timespec){};
		report__note_start(&s->started);
	}
	return bprof_call__end(&call, err);
}

int bprof_session_stop(struct bprof_session *s)
{
	struct bprof_call call;

	if (!s->running)
		return refuse(s, -EINVAL, "the session is not running");
	begin(&call, s);
	s->running = false;
	return bprof_call__end(&call, session__stop(s->s, &s->last));
}

int bprof_session_adjust(struct bprof_session *s)
{
	struct bprof_call call;

	if (!s->running)
		return refuse(s, -EINVAL, "the session is not running");
	begin(&call, s);
	session__tick(s->s);
	return bprof_call__end(&call, 0);
}

/*
 * Reads the current counts while the session runs, otherwise returns a copy of the counts at the
 * last stop: some backends still count after a stop. Returns 0, or -errno after logging the error.
 */
static int read_counts(struct bprof_session *s, struct snapshot **out)
{
	if (s->running)
		return session__read(s->s, true, out);
	*out = snapshot__dup(s->last);
	return *out ? 0 : log_err(-ENOMEM, "out of memory");
}

int bprof_session_read(struct bprof_session *s, struct bprof_snapshot **out)
{
	struct bprof_snapshot *snapshot;
	struct bprof_call call;
	int err;

	*out = NULL;
	err = check_started(s);
	if (err)
		return err;
	snapshot = calloc(1, sizeof(*snapshot));
	if (!snapshot)
		return bprof_error__set(&s->error, -ENOMEM, "other", "out of memory");
	begin(&call, s);
	snapshot->session = s;
	snapshot->made_ns = s->made_ns;
	snapshot->started = s->started;
	err = read_counts(s, &snapshot->counts);
	if (err)
		free(snapshot);
	else
		*out = snapshot;
	return bprof_call__end(&call, err);
}

void bprof_snapshot_free(struct bprof_snapshot *snapshot)
{
	if (!snapshot)
		return;
	snapshot__free(snapshot->counts);
	free(snapshot);
}

/*
 * Makes the report on a span of time. complete is true if the span is from a start to its stop.
 * Returns 0, or -errno after logging the error.
 */
static int make_report(struct bprof_session *s, const struct result_span *span,
		       const struct timespec *started, bool complete, struct report **out)
{
	char *command[] = {program_invocation_name, NULL};
	const struct result_opts o = {
		.command = command,
		.per_cpu = s->public.flags & BPROF_SESSION_PER_CPU,
		.buckets = s->public.flags & BPROF_SESSION_BUCKETS,
		.intervals = !complete,
		.started = *started,
	};

	return result__report(s->s, span, 1, &o, out);
}

static bool is_of(const struct bprof_snapshot *snapshot, const struct bprof_session *s)
{
	return !snapshot || (snapshot->session == s && snapshot->made_ns == s->made_ns);
}

static int check_span(struct bprof_session *s, const struct bprof_snapshot *from,
		      const struct bprof_snapshot *to)
{
	int err = to && s->first ? 0 : check_started(s);

	if (!err && (!is_of(from, s) || !is_of(to, s)))
		return refuse(s, -EINVAL, "a snapshot is of another session");
	return err;
}

int bprof_session_report(struct bprof_session *s, const struct bprof_snapshot *from,
			 const struct bprof_snapshot *to, struct bprof_report **out)
{
	struct result_span span = {.from = from ? from->counts : s->first,
				   .to = to ? to->counts : s->last};
	struct snapshot *now = NULL;
	struct report *report = NULL;
	struct bprof_call call;
	int err;

	*out = NULL;
	err = check_span(s, from, to);
	if (err)
		return err;
	begin(&call, s);
	if (!to && s->running) {
		err = session__read(s->s, true, &now);
		span.to = now;
	}
	if (!err && span.from->ns > span.to->ns)
		err = log_err(-EINVAL, "the snapshot 'to' was taken before 'from'");
	if (!err)
		err = make_report(s, &span, from ? &from->started : &s->started,
				  !from && !to && !now, &report);
	snapshot__free(now);
	*out = (struct bprof_report *)report;
	return bprof_call__end(&call, err);
}
