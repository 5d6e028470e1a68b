// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Follows programs. Owns two decisions: which loaded programs become targets, and when a target is
 * detached so that its program can be unloaded. Must not know how a target is attached or detached
 * (session.c), or how loads are found (prog_watch.c).
 *
 * When the owner of a measured program releases it, the kernel does not unload the program, and
 * writes no record of an unload, because bprof's own links keep the program loaded. So bprof counts
 * the references to each program, and detaches the programs that only probes keep loaded: probes of
 * its own, or of another tool. If references cannot be counted, bprof detaches programs that have
 * not run for a while and are attached nowhere, and then checks whether they still exist.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/id_map.h"
#include "base/log.h"
#include "base/memory.h"
#include "budget/cpu_budget.h"
#include "kernel/iter_run.h"
#include "kernel/prog_refs.h"
#include "session/follow.h"
#include "session/orphans.h"
#include "session/prog_watch.h"
#include "session/session.h"
#include "target/attachments.h"
#include "target/target.h"

/*
 * Interval between checks for CPUs that went online or offline. A check interrupts each CPU once.
 */
#define CPUS_NS 2000000000ULL
/*
 * For each reason in this file, the list of skipped programs has at most MAX_LISTED entries. If
 * follow->forget is not set, it has up to MAX_SHORT_LIVED entries for short-lived programs.
 */
#define MAX_LISTED 100
#define MAX_SHORT_LIVED 10000

/*
 * In a measurement without an end, the checks that find no unloaded program may take 1 / CHECK_PART
 * of a CPU's time. At first, they may take BURST_NS. The checks take long: for each program that is
 * detached and reattached, the kernel verifies the probe again. This takes about a million
 * instructions.
 */
#define CHECK_PART 400
#define BURST_NS (200 * NSEC_PER_MSEC)

/* A load of a program, before it is known whether an owner holds it. */
struct pending {
	__u32 id;
	__u64 time_ns; /* CLOCK_MONOTONIC */
	char *name;
	char tag[17];
	int type;      /* as in struct prog_change */
	bool by_owner; /* an owner has loaded it */
};

/*
 * bprof reads what the owners hold at most once in LOOK_NS. Reading may take at most 1 / LOOK_PART
 * of a CPU.
 */
#define LOOK_NS (100 * NSEC_PER_MSEC)
#define LOOK_PART 50
/* Within about this time, bprof notices that an owner got a program that was loaded earlier. */
#define HANDOVER_NS (1000 * NSEC_PER_MSEC)

/*
 * With --owner: finds the programs that the owners hold. A program is measured only when an owner
 * holds it.
 */
struct owners_look {
	struct pending *pending; /* the loads since the start whose programs are not unloaded */
	int pending_cnt;
	/* a program was loaded after the last read of what the owners hold, or shortly before it */
	bool loaded;
	struct id_map judged; /* programs that an owner has held, or that cannot be measured */
	/* when to read again what owners hold: after a load, and without a load */
	__u64 next_ns, late_ns;
};

struct follow {
	const struct selector_list *selectors;
	struct owners_look look;
	struct prog_watch *watch;
	struct session *s;
	bool forget;		/* forget programs that could not be measured and were unloaded */
	__u64 max_targets;	/* 0: no limit */
	struct prog_refs *refs; /* NULL: references cannot be counted */
	__u64 idle_ns;		/* a program is detached if it has not run for this long */
	__u64 max_idle_ns;
	struct cpu_budget budget; /* limits the CPU time of follow__check() */
	__u64 began_cpu_ns;	  /* CPU time of this thread when follow__check() began */
	bool found_gone;	  /* follow__check() has found a program that was unloaded */
	__u64 checked_ns;	  /* CLOCK_MONOTONIC of the last follow__check() */
	__u64 cpus_ns;		  /* time of the last check for CPUs that went online or offline */
	/* number of perf records that were lost; some may have been loads of programs */
	__u64 lost;
	__u32 left_alone; /* id of a program that is not checked; 0: none */
};

static const struct target *find_live_target(const struct session *s, __u32 id)
{
	const struct target *t = NULL;

	while ((t = target_list__next(&s->targets, id, t)) && t->frozen)
		;
	return t;
}

/* ---- loads ---- */

/*
 * Returns the entry for programs with this name that are skipped for this reason. If there are too
 * many names, returns any entry for this reason. NULL: the program gets an entry of its own.
 */
static struct skipped *find_skipped_entry(struct follow *f, const char *name, enum reason_code code)
{
	bool each = code == REASON_SHORT_LIVED && !f->forget;
	int cnt = 0, max = each ? MAX_SHORT_LIVED : MAX_LISTED;
	struct target_list *targets = &f->s->targets;
	struct skipped *last = NULL, *same = NULL;

	for (int i = 0; i < targets->skip_cnt; i++) {
		if (targets->skip[i].reason.code != code)
			continue;
		last = &targets->skip[i];
		same = strcmp(last->name, name) ? same : last;
		cnt++;
	}
	if (same && !each)
		return same;
	return cnt < max ? NULL : same ?: last;
}

static void skip_load(struct follow *f, const struct prog_change *change, enum reason_code code)
{
	struct skipped *s = find_skipped_entry(f, change->name, code);
	struct reason reason = {.code = code};

	if (s)
		s->more++;
	else
		target_list__skip_prog(&f->s->targets, change->id, change->name, &reason);
}

/* If the selectors choose a program that could not be opened, skips it. */
static void skip_chosen(struct follow *f, const struct prog_change *change, enum reason_code code)
{
	const char *name = change->nameless ? NULL : change->name;

	if (selector_list__matches(f->selectors, name, change->tag, change->type))
		skip_load(f, change, code);
}

/* Removes a program from the list of skipped programs. */
static void forget_skipped(struct follow *f, __u32 id)
{
	struct target_list *targets = &f->s->targets;
	int kept = 0;

	for (int i = 0; i < targets->skip_cnt; i++) {
		struct skipped *s = &targets->skip[i];

		if (s->id == id && s->reason.code != REASON_SHORT_LIVED)
			free(s->name);
		else
			targets->skip[kept++] = *s;
	}
	targets->skip_cnt = kept;
}

static int add_loaded_program(struct follow *f, const struct prog_change *change)
{
	const struct reason late_ext = {.code = REASON_LATE_EXT};
	struct session *s = f->s;
	struct target_list new;
	int first = s->targets.cnt;
	int err = target_list__select_new(f->selectors, change->id, &s->targets, &new);

	if (err == -ENOENT) {
		skip_load(f, change, REASON_SHORT_LIVED);
		return 0;
	}
	if (err)
		return err;
	/*
	 * Skip new extension programs if the session was opened without support for targets that
	 * call one another. Without this support, the numbers of the extended program would include
	 * the runs of the extension.
	 */
	for (int i = new.cnt - 1; i >= 0 && !s->env.nested; i--)
		if (new.v[i].prog->info.type == BPF_PROG_TYPE_EXT)
			target_list__skip(&new, i, &late_ext);
	session__add(s, &new);
	for (int i = first; !err && i < s->targets.cnt; i++) {
		struct target *t = &s->targets.v[i];

		if (s->stopwatch.running)
			t->life.seen_ns = stopwatch__elapsed_ns(&s->stopwatch);
		/* loaded_ns stays 0 for a program that was loaded before the session started */
		if (s->stopwatch.running && change->time_ns > s->stopwatch.started_ns)
			t->life.loaded_ns = change->time_ns;
		else
			err = session__leave_out_past(s, t);
		log_info("program %u %s: attached %.3f ms after it was loaded", t->id,
			 prog__name(t->prog), (t->life.attached_ns - change->time_ns) / 1e6);
	}
	return err;
}

/* ---- owners ---- */

static void add_pending(struct follow *f, const struct prog_change *change)
{
	struct owners_look *l = &f->look;
	struct pending *new = array__add(&l->pending, &l->pending_cnt, sizeof(*new));

	new->id = change->id;
	new->time_ns = change->time_ns;
	new->name = xstrdup(change->name);
	snprintf(new->tag, sizeof(new->tag), "%s", change->tag);
	new->type = change->type;
	new->by_owner = selector_list__is_owner(f->selectors, change->pid);
	l->loaded = true;
}

static struct pending *find_pending(const struct follow *f, __u32 id)
{
	for (int i = 0; i < f->look.pending_cnt; i++)
		if (f->look.pending[i].id == id)
			return &f->look.pending[i];
	return NULL;
}

static void drop_pending(struct follow *f, __u32 id)
{
	struct pending *p = find_pending(f, id);

	if (!p)
		return;
	free(p->name);
	*p = f->look.pending[--f->look.pending_cnt];
}

/*
 * Skips a program that an owner has loaded and released again before bprof has seen that the owner
 * holds it. If the program lived for longer, for example because it was pinned, the owner did not
 * hold it.
 */
static void skip_released(struct follow *f, const struct prog_change *unload)
{
	const struct pending *p = find_pending(f, unload->id);
	struct prog_change change = {.kind = PROG_LOAD, .id = unload->id, .gone = true};

	if (!p || !p->by_owner || unload->time_ns > p->time_ns + HANDOVER_NS)
		return;
	change.time_ns = p->time_ns;
	change.name = p->name;
	change.tag = p->tag;
	change.type = p->type;
	skip_chosen(f, &change, REASON_SHORT_LIVED);
}

/* Measures a program that an owner holds, if the other selectors choose it. */
static int take_owned(struct follow *f, __u32 id)
{
	const struct pending *p = find_pending(f, id);
	/* A program whose load has no record was loaded before the session. */
	const struct prog_change change = {.kind = PROG_LOAD,
					   .id = id,
					   .time_ns = p ? p->time_ns : 0,
					   .name = p ? p->name : "",
					   .tag = p ? p->tag : "",
					   .type = p ? p->type : -1};
	int err = 0;

	id_map__set(&f->look.judged, id, 1);
	if (f->max_targets && (__u64)f->s->targets.cnt >= f->max_targets)
		skip_chosen(f, &change, REASON_TOO_MANY);
	else
		err = add_loaded_program(f, &change);
	drop_pending(f, id);
	return err;
}

/*
 * Measures the programs that the owners hold now and that are not measured yet. An owner has loaded
 * such a program, or got it from another process.
 */
static int look_at_owners(struct follow *f)
{
	__u64 begin = now_ns(), took;
	const __u32 *ids;
	int err = 0, cnt;

	if (!f->selectors->owned || begin < (f->look.loaded ? f->look.next_ns : f->look.late_ns))
		return 0;
	/*
	 * Look again soon after a load: the kernel reports a load before the process has a
	 * descriptor, and the process may then hand the program over to an owner.
	 */
	f->look.loaded = false;
	for (int i = 0; i < f->look.pending_cnt; i++)
		f->look.loaded |= f->look.pending[i].time_ns + HANDOVER_NS > begin;
	selector_list__read_owned(f->selectors);
	cnt = selector_list__owned_ids(f->selectors, &ids);
	for (int i = 0; !err && i < cnt; i++)
		if (id_map__get(&f->look.judged, ids[i]) < 0 && !find_live_target(f->s, ids[i]))
			err = take_owned(f, ids[i]);
	took = now_ns() - begin;
	f->look.next_ns = begin + (took * LOOK_PART > LOOK_NS ? took * LOOK_PART : LOOK_NS);
	f->look.late_ns = f->look.next_ns + HANDOVER_NS;
	return err;
}

/* ---- changes ---- */

static int handle_change(const struct prog_change *change, void *arg)
{
	struct follow *f = arg;

	f->lost += change->lost;
	if (change->kind == PROG_UNLOAD) {
		skip_released(f, change);
		drop_pending(f, change->id);
		id_map__remove(&f->look.judged, change->id);
	}
	if (change->kind == PROG_UNLOAD && f->forget)
		forget_skipped(f, change->id);
	if (change->kind != PROG_LOAD || change->own || find_live_target(f->s, change->id))
		return 0;
	if (f->selectors->owned && !change->gone) {
		add_pending(f, change);
		return 0;
	}
	/*
	 * Of an unloaded program, bprof only knows the process that loaded it: list the program as
	 * skipped only if that process is an owner.
	 */
	if (f->selectors->owned && !selector_list__is_owner(f->selectors, change->pid))
		return 0;
	if (!change->gone && (!f->max_targets || (__u64)f->s->targets.cnt < f->max_targets))
		return add_loaded_program(f, change);
	skip_chosen(f, change, change->gone ? REASON_SHORT_LIVED : REASON_TOO_MANY);
	return 0;
}

/* ---- detaching programs ---- */

/* Reattaches a detached program. If it was unloaded, ends its targets. */
static int reattach(struct follow *f, __u32 id, __u64 now)
{
	const struct target *t = find_live_target(f->s, id);
	struct reason reason = {};
	char text[512];
	int err = session__reattach(f->s, id, &reason);

	if (!err)
		return 0;
	f->found_gone = true;
	if (err != -ENOENT)
		log_warn(
			"program %u %s: bprof detached it for a moment, and now it %s: its numbers "
			"end here",
			id, prog__name(t->prog), reason__describe(&reason, text, sizeof(text)));
	return session__retire(f->s, id, now);
}

/* The idle time after which a program is detached again grows by this factor. */
#define IDLE_GROWTH 4

/* Returns how long the target must not have run before its program is detached. */
static __u64 idle_time(const struct follow *f, const struct target_life *life)
{
	__u64 ns = f->idle_ns;

	for (__u32 i = 0; i < life->found_loaded && ns < f->max_idle_ns; i++)
		ns *= IDLE_GROWTH;
	return ns < f->max_idle_ns ? ns : f->max_idle_ns;
}

/*
 * Sets *idle to true if the program has not run for its idle time. *first is the program's first
 * target; its other targets have the same runs.
 */
static int find_idle(const struct follow *f, struct target *first, __u64 now, bool *idle)
{
	struct target_life *life = &first->life;
	__u64 runs;
	int err;

	/* The kernel's number of runs is enough, and faster to read than the probe's number. */
	if (f->s->env.runs_counted) {
		err = prog__refresh(first->prog);
		if (err)
			return log_err(err, "program %u: cannot read its info: %s", first->id,
				       strerror(-err));
		runs = first->prog->info.run_cnt;
	} else {
		err = session__count_runs(f->s, first->id, &runs);
		if (err)
			return err;
	}
	if (life->seen_runs != runs || session__is_busy(f->s, first->id)) {
		life->seen_ns = now;
		life->found_loaded = 0;
	}
	life->seen_runs = runs;
	/* A program that was added after "now" was read has a later seen_ns. */
	*idle = now >= life->seen_ns && now - life->seen_ns >= idle_time(f, life);
	return 0;
}

/* Returns true if the program has not been checked since it was loaded or last ran. */
static bool is_new(const struct target_life *life)
{
	return !life->found_loaded && (life->loaded_ns || life->seen_runs);
}

/*
 * Sorts the idle programs into the order in which they are checked. New programs come first,
 * because a program that was replaced is among them. Then come the programs that have not been
 * checked for the longest time.
 */
static int compare_idle(const void *a_ptr, const void *b_ptr)
{
	const struct target *const *a_target = a_ptr, *const *b_target = b_ptr;
	const struct target_life *a = &(*a_target)->life, *b = &(*b_target)->life;

	if (is_new(a) != is_new(b))
		return is_new(a) ? -1 : 1;
	return a->seen_ns < b->seen_ns ? -1 : a->seen_ns > b->seen_ns;
}

/* Returns the CPU time that the present check has taken so far. */
static __u64 used_ns(const struct follow *f)
{
	return thread_cpu_ns() - f->began_cpu_ns;
}

/*
 * As long as the budget lasts, detaches each idle program, and reattaches the program unless it was
 * unloaded. Does not touch a program that is attached somewhere (in one of the places in sources,
 * ATTACH_…), because the attachment keeps it loaded.
 *
 * For a program that was checked, a new idle time begins. Otherwise, two checks shortly after one
 * another (timers are inexact) would both detach the program.
 */
static int try_idle(struct follow *f, struct target **idle, int cnt, unsigned int sources,
		    __u64 now)
{
	struct attachments attached;
	int err = 0;

	if (!cnt)
		return 0;
	attachments__load_ids(&attached, sources);
	for (int i = 0; !err && i < cnt; i++) {
		__u32 id = idle[i]->id;

		if (i && !cpu_budget__has(&f->budget, used_ns(f)))
			break;
		idle[i]->life.seen_ns = now;
		idle[i]->life.found_loaded++;
		if (attachments__next(&attached, id, NULL))
			continue;
		session__detach(f->s, id);
		err = reattach(f, id, now);
	}
	attachments__free(&attached);
	return err;
}

static int check_idle(struct follow *f, __u64 now)
{
	struct session *s = f->s;
	struct target **idle = xcalloc(s->targets.cnt + 1, sizeof(*idle));
	unsigned int sources = 0;
	int cnt = 0, err = 0;

	for (int i = 0; !err && i < s->targets.cnt; i++) {
		struct target *t = &s->targets.v[i];
		bool is_idle;

		if (t->frozen || t->id == f->left_alone || find_live_target(s, t->id) != t)
			continue;
		err = find_idle(f, t, now, &is_idle);
		if (err || !is_idle)
			continue;
		idle[cnt++] = t;
		/* Leave out ATTACH_PERF: a search of the open files of all processes takes long. */
		sources |= attachments__sources(t->prog->info.type) & ~ATTACH_PERF;
	}
	qsort(idle, cnt, sizeof(*idle), compare_idle);
	err = err ?: try_idle(f, idle, cnt, sources, now);
	free(idle);
	return err;
}

/* ---- detaching orphans: programs that only probes keep loaded ---- */

static void set_orphan(struct session *s, __u32 id, bool orphan)
{
	struct target *t = NULL;

	while ((t = target_list__next(&s->targets, id, t)))
		t->life.orphan = orphan;
}

/*
 * Detaches an orphan. If probes of another tool still keep it loaded, bprof does not attach its
 * probes again: if the other tool did the same, the two tools would keep the program loaded
 * forever.
 */
static int check_orphan(struct follow *f, const struct target *t, __u64 now)
{
	__u32 id = t->id;
	int others = prog_refs__others(f->refs, id), fd;

	if (t->life.orphan && !others)
		return 0;
	if (t->life.orphan) { /* by now, it was unloaded, or a process has opened it */
		set_orphan(f->s, id, false);
		return reattach(f, id, now);
	}
	if (others > session__has_own_ref(f->s, id) || session__is_busy(f->s, id))
		return 0;
	session__detach(f->s, id);
	fd = bpf_prog_get_fd_by_id(id);
	if (fd == -ENOENT) {
		f->found_gone = true;
		return session__retire(f->s, id, now);
	}
	close_fd(&fd);
	set_orphan(f->s, id, true);
	return 0;
}

static int check_orphans(struct follow *f, __u64 now)
{
	struct session *s = f->s;
	int err = prog_refs__read(f->refs);

	if (err)
		return log_err(err, "cannot count the references to programs: %s", strerror(-err));
	for (int i = 0; !err && i < s->targets.cnt; i++) {
		const struct target *t = &s->targets.v[i];

		if (!t->frozen && t->id != f->left_alone && find_live_target(s, t->id) == t)
			err = check_orphan(f, t, now);
	}
	return err;
}

int follow__check(struct follow *f, __u64 now)
{
	int err = 0;

	f->checked_ns = now_ns();
	/* Check for unloaded programs, unless the checks have taken too much time. */
	if (cpu_budget__refill(&f->budget, f->checked_ns)) {
		f->began_cpu_ns = thread_cpu_ns();
		f->found_gone = false;
		err = f->refs ? check_orphans(f, now) : check_idle(f, now);
		/*
		 * checks that find unloaded programs need no limit: they are no more frequent than
		 * unloads
		 */
		if (!f->found_gone)
			cpu_budget__take(&f->budget, used_ns(f));
	}
	if (err || f->checked_ns - f->cpus_ns < CPUS_NS)
		return err;
	f->cpus_ns = f->checked_ns;
	return prog_watch__follow_cpus(f->watch);
}

int follow__tick(struct follow *f, __u64 now)
{
	int err = look_at_owners(f);

	target_list__report_skipped(&f->s->targets);
	if (err)
		return err;
	return now_ns() - f->checked_ns < f->idle_ns ? 0 : follow__check(f, now);
}

void follow__leave_alone(struct follow *f, __u32 id)
{
	f->left_alone = id;
}

/* ---- opening, processing, closing ---- */

int follow__open(const struct selector_list *selectors, __u64 idle_ns, __u64 max_idle_ns,
		 bool forget, struct follow **out)
{
	struct follow *f = xcalloc(1, sizeof(*f));
	int err, refs_err;

	*out = NULL;
	f->selectors = selectors;
	f->idle_ns = idle_ns;
	f->max_idle_ns = max_idle_ns;
	if (max_idle_ns > idle_ns)
		f->budget = (struct cpu_budget){.part = CHECK_PART, .max_ns = BURST_NS};
	f->forget = forget;
	err = prog_watch__open(true, false, handle_change, f, &f->watch);
	refs_err = err ? 0 : prog_refs__open(&f->refs);
	if (refs_err)
		log_info("references to programs cannot be counted: %s; programs that do not run "
			 "are detached for a moment instead",
			 iter_run__explain(refs_err));
	if (err)
		follow__close(f);
	else
		*out = f;
	return err;
}

void follow__set_limit(struct follow *f, __u64 max_targets)
{
	f->max_targets = max_targets;
}

void follow__close(struct follow *f)
{
	if (!f)
		return;
	prog_watch__close(f->watch);
	prog_refs__close(f->refs);
	for (int i = 0; i < f->look.pending_cnt; i++)
		free(f->look.pending[i].name);
	free(f->look.pending);
	id_map__free(&f->look.judged);
	free(f);
}

/* Handles the changes that have happened, and then reports all programs that were skipped. */
static int process(struct follow *f, bool all)
{
	int err = prog_watch__process(f->watch, all) ?: look_at_owners(f);

	target_list__report_skipped(&f->s->targets);
	return err;
}

int follow__start(struct follow *f, struct session *s)
{
	f->s = s;
	f->cpus_ns = now_ns();
	for (int i = 0; i < s->targets.skip_cnt; i++)
		id_map__set(&f->look.judged, s->targets.skip[i].id, 1);
	return process(f, false);
}

int follow__fd(const struct follow *f)
{
	return prog_watch__fd(f->watch);
}

int follow__process(struct follow *f)
{
	return process(f, false);
}

int follow__stop(struct follow *f)
{
	__u64 runs;
	int err = process(f, true);

	/* the number of runs that the probes missed can be read only while the gate is open */
	for (int i = 0; !err && i < f->s->targets.cnt; i++) {
		const struct target *t = &f->s->targets.v[i];

		/* only once per program: session__count_runs() reads all targets of the program */
		if (!t->frozen && t == find_live_target(f->s, t->id))
			err = session__count_runs(f->s, t->id, &runs);
	}
	if (f->lost)
		log_warn("%llu records of loads were lost; all programs were listed instead",
			 f->lost);
	return err;
}

void follow__end(struct follow *f)
{
	struct session *s = f->s;

	/* Read the prog arrays again: programs may have been added to them since the selection. */
	prog_arrays__load(&s->targets.prog_arrays);
	for (int i = 0; i < s->targets.cnt; i++) {
		struct target *t = &s->targets.v[i];
		int fd;

		if (t->frozen || t->life.ended_ns)
			continue;
		session__detach(s, t->id);
		fd = bpf_prog_get_fd_by_id(t->id);
		if (fd >= 0)
			close(fd);
		for (int k = i; fd == -ENOENT && k < s->targets.cnt; k++)
			if (s->targets.v[k].id == t->id)
				s->targets.v[k].life.ended_ns =
					stopwatch__elapsed_ns(&s->stopwatch);
	}
}
