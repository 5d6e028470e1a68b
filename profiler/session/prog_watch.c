// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Watches the loaded programs. Owns the data about each loaded program, and reports each load and
 * unload once. Must not know where the kernel's records come from, or who receives the reports.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "btf/func_table.h"
#include "btf/own.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "host/task.h"
#include "session/prog_watch.h"
#include "session/sideband.h"

/*
 * The kernel truncates symbols to KSYM_NAME_LEN (128 before Linux 6.1). So if a function's name is
 * at least this long, bprof reads it from BTF instead.
 */
#define SURE_NAME_LEN 100

/* libbpf's name for the program that loads a light skeleton (bpf_load_and_run()). */
#define LOADER_NAME "__loader.prog"

/* A program that bprof believes to be loaded. */
struct known {
	__u32 id;
	int type;
	char *name; /* owned */
	char tag[2 * BPF_TAG_SIZE + 1];
	__u64 time_ns;
	bool own;      /* the program is one of bprof's own */
	bool reported; /* the program was reported as loaded, or as present at the start */
	/*
	 * a listing noticed that it was unloaded, and this was reported; the record of the unload
	 * may still come
	 */
	bool gone;
	bool present; /* the last listing of all programs found it */
};

struct prog_watch {
	struct sideband *sideband;
	prog_change_fn fn;
	void *arg;
	bool new_only;
	bool started;
	int look_err;	     /* the error of the last list_prog() (reported), or 0 */
	bool list_again;     /* list all programs again, because records were lost */
	bool missed;	     /* some loads may have no record */
	__u64 opened_ns;     /* if missed is not set, every load after this time has a record */
	struct known *known; /* sorted by id */
	int known_cnt;
	struct prog *btf_prog; /* the program whose BTF was read last */
	__s64 epoch_ns;	       /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	__s64 slept_ns;	       /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC: time in suspend */
};

static __s64 read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* ---- known programs ---- */

/* Returns the index of id, or the index at which to insert it. */
static int known_index(const struct prog_watch *w, __u32 id)
{
	return COUNT_BELOW(w->known, w->known_cnt, id, id);
}

static struct known *known_by_id(struct prog_watch *w, __u32 id)
{
	int i = known_index(w, id);

	return i < w->known_cnt && w->known[i].id == id ? &w->known[i] : NULL;
}

static void forget(struct prog_watch *w, struct known *k)
{
	free(k->name);
	memmove(k, k + 1, (char *)(w->known + w->known_cnt) - (char *)(k + 1));
	w->known_cnt--;
}

static struct known *add_known_prog(struct prog_watch *w, const struct prog_change *change)
{
	int i = known_index(w, change->id);

	array__add(&w->known, &w->known_cnt, sizeof(*w->known));
	memmove(&w->known[i + 1], &w->known[i], (w->known_cnt - 1 - i) * sizeof(*w->known));
	w->known[i] = (struct known){.id = change->id,
				     .type = change->type,
				     .name = xstrdup(change->name),
				     .time_ns = change->time_ns,
				     .own = change->own};
	snprintf(w->known[i].tag, sizeof(w->known[i].tag), "%s", change->tag);
	return &w->known[i];
}

static int report_prog_change(struct prog_watch *w, struct prog_change *change)
{
	change->clock_ns = w->epoch_ns + (__s64)change->time_ns - (__s64)change->early_ns;
	return w->fn(change, w->arg);
}

/* ---- loads ---- */

/*
 * Returns the names of the program's functions from its BTF, or NULL if they are not known. The
 * caller frees the array, but not the names.
 */
static const char **list_functions(struct prog_watch *w, struct prog *p)
{
	struct reason reason;
	const char **names;

	if (w->btf_prog)
		prog__load_funcs_like(p, w->btf_prog);
	if (prog__load_funcs(p, &reason))
		return NULL;
	if (!w->btf_prog || w->btf_prog->info.btf_id != p->info.btf_id) {
		prog__close(w->btf_prog);
		w->btf_prog = prog__get(p);
		prog__release(p); /* an open descriptor would keep the program loaded */
	}
	names = xcalloc(p->funcs->cnt, sizeof(*names));
	for (__u32 i = 0; i < p->funcs->cnt; i++)
		names[i] = p->funcs->fn[i].name;
	return names;
}

/*
 * Returns true if the symbols in the record have the complete names of all functions. If so, the
 * program's BTF need not be read.
 */
static bool has_symbols(const struct prog_change *change, const struct prog *p)
{
	size_t len = strlen(p->info.name);

	if (change->func_cnt != (int)p->info.nr_func_info)
		return false;
	for (int i = 0; i < change->func_cnt; i++)
		if (strlen(change->func[i]) >= SURE_NAME_LEN)
			return false;
	return change->func_cnt && !strncmp(change->func[0], p->info.name, len);
}

/*
 * Fills in the values that are known from the record and its symbols. If a program has no name, its
 * symbols do not contain function names.
 */
static void set_symbols(struct prog_change *change)
{
	if (change->func_cnt && !*change->func[0])
		change->func_cnt = 0;
	change->name = change->func_cnt ? change->func[0] : "";
	change->own = prog_name__is_own(change->name);
	change->type = -1;
}

/*
 * Reports a load with the data from the program's info. If the program was already unloaded, p is
 * NULL, and only the program's symbols are known.
 */
static int report_load(struct prog_watch *w, struct prog_change *change, struct prog *p)
{
	const char **func = NULL;
	char tag[2 * BPF_TAG_SIZE + 1];
	struct known *k = NULL;
	int err = 0;

	change->gone = !p;
	change->nameless = !p && !change->func_cnt;
	set_symbols(change);
	if (p) {
		change->own = prog__is_own(p);
		change->type = p->info.type;
		change->tag = prog__tag(p, tag);
		change->xlated_bytes = p->info.xlated_prog_len;
		change->jited_bytes = p->info.jited_prog_len;
	}
	/*
	 * Programs that bprof itself loads for a moment are its own, too: those without a name,
	 * which find out what the kernel can do, and the loaders of light skeletons.
	 */
	if (change->pid == (__u32)getpid() && (!p || !strcmp(p->info.name, LOADER_NAME)))
		change->own = true;
	if (p && !has_symbols(change, p)) {
		func = list_functions(w, p);
		change->func = func;
		change->func_cnt = func ? (int)p->funcs->cnt : 0;
		change->name = prog__name(p);
	}
	k = add_known_prog(w, change);
	k->reported = change->kind != PROG_PRESENT || !w->new_only;
	k->present = true;
	err = k->reported ? report_prog_change(w, change) : 0;
	free(func);
	return err;
}

static int handle_load_record(struct prog_watch *w, struct prog_change *change)
{
	struct known *k = known_by_id(w, change->id);
	struct prog *p = NULL;
	int err;

	if (k && k->reported && !k->gone)
		return 0; /* the load was already reported before its record arrived */
	if (k)
		forget(w, k);
	prog__open_id(change->id, &p);
	err = report_load(w, change, p);
	prog__close(p);
	return err;
}

static int report_unload(struct prog_watch *w, struct prog_change *change, const struct known *k)
{
	change->kind = PROG_UNLOAD;
	change->id = k->id;
	change->type = k->type;
	change->name = k->name;
	change->own = k->own;
	change->tag = k->tag;
	change->func_cnt = 0;
	return report_prog_change(w, change);
}

static int handle_unload_record(struct prog_watch *w, struct prog_change *change)
{
	struct known *k = known_by_id(w, change->id);
	int err = 0;

	if (!k && !w->missed) {
		/*
		 * the program was loaded before recording began, and unloaded before it could be
		 * listed
		 */
		struct prog_change there = *change;

		there.kind = PROG_PRESENT;
		there.time_ns = w->opened_ns < change->time_ns ? w->opened_ns : change->time_ns;
		there.cpu = -1;
		there.pid = 0;
		there.comm = "";
		err = report_load(w, &there, NULL);
		k = known_by_id(w, change->id);
	}
	if (err)
		return err;
	if (!k) { /* the load was not reported, because bprof got no record of it */
		set_symbols(change);
		change->func_cnt = 0;
		return report_prog_change(w, change);
	}
	if (!k->gone)
		err = report_unload(w, change, k);
	forget(w, k);
	return err;
}

static int handle_sideband_event(const struct sideband_event *event, void *arg)
{
	struct prog_watch *w = arg;
	char tag[2 * BPF_TAG_SIZE + 1];
	struct task task;
	struct prog_change change = {.time_ns = event->time_ns,
				     .cpu = event->cpu,
				     .lost = event->lost,
				     .id = event->id,
				     .tag = tag,
				     .func = event->func,
				     .func_cnt = event->func_cnt,
				     .pid = event->pid,
				     .comm = event->comm};

	if (event->kind == SIDEBAND_LOST) {
		change.kind = PROG_LOST;
		w->list_again = w->missed = true;
		return report_prog_change(w, &change);
	}
	for (size_t i = 0; i < sizeof(event->tag); i++)
		sprintf(tag + 2 * i, "%02x", event->tag[i]);
	if (event->pid && !*event->comm && !task__read(event->pid, &task))
		change.comm = task.comm;
	/*
	 * Do not name bprof as the process that unloaded the program: its owner had released it
	 * before, and bprof only closed the last descriptor.
	 */
	if (event->kind == SIDEBAND_UNLOAD && event->pid == (__u32)getpid()) {
		change.pid = 0;
		change.comm = "";
	}
	change.kind = event->kind == SIDEBAND_LOAD ? PROG_LOAD : PROG_UNLOAD;
	return event->kind == SIDEBAND_LOAD ? handle_load_record(w, &change)
					    : handle_unload_record(w, &change);
}

/* ---- listing all programs ---- */

/* Reports the program, unless bprof already knows it. */
static int report_if_unknown(struct prog_watch *w, __u32 id)
{
	struct prog_change change = {.cpu = -1, .id = id, .comm = ""};
	struct known *k = known_by_id(w, id);
	struct prog *p;
	int err;

	if (k) {
		k->present = true;
		return 0;
	}
	/*
	 * if the kernel wrote a record of the load, the load is reported when that record is
	 * processed
	 */
	err = sideband__read(w->sideband);
	if (err || sideband__has_load(w->sideband, id))
		return err;
	err = prog__open_id(id, &p);
	if (err)
		return err == -ENOENT ? 0 : log_err(err, "program %u: %s", id, strerror(-err));
	change.kind = w->started ? PROG_LOAD : PROG_PRESENT;
	change.missed = w->started;
	if (p->info.load_time > (__u64)w->slept_ns)
		change.time_ns = p->info.load_time - w->slept_ns;
	else if (p->info.load_time)
		change.early_ns = w->slept_ns - p->info.load_time;
	err = report_load(w, &change, p);
	prog__close(p);
	return err;
}

static int list_prog(__u32 id, void *arg)
{
	struct prog_watch *w = arg;

	return w->look_err = report_if_unknown(w, id);
}

/* Reports unloads of known programs that no longer exist. */
static int drop_missing(struct prog_watch *w)
{
	struct prog_change change = {.time_ns = now_ns(), .cpu = -1, .missed = true, .comm = ""};
	int err = 0;

	for (int i = w->known_cnt - 1; i >= 0 && !err; i--) {
		struct known *k = &w->known[i];

		if (k->present)
			continue;
		if (k->gone) {
			/*
			 * the record of the unload has not come since the last listing, so it was
			 * lost
			 */
			forget(w, k);
			continue;
		}
		k->gone = true;
		err = report_unload(w, &change, k);
	}
	return err;
}

static int fail_listing(int err)
{
	if (err == -EPERM)
		return log_err(err, "listing loaded programs needs CAP_SYS_ADMIN; run as root");
	return log_err(err, "reading the loaded programs: %s", strerror(-err));
}

/*
 * Reports programs that are not known yet, and the unload of known programs that no longer exist.
 */
static int list_all(struct prog_watch *w)
{
	int err;

	for (int i = 0; i < w->known_cnt; i++)
		w->known[i].present = false;
	w->look_err = 0;
	err = prog__for_each_id(list_prog, w);
	if (err && !w->look_err)
		return fail_listing(err);
	return err ?: drop_missing(w);
}

/* Checks whether the kernel lets us list the loaded programs. */
static int check_may_list(void)
{
	__u32 id;
	int err = bpf_prog_get_next_id(0, &id);

	return err && err != -ENOENT ? fail_listing(err) : 0;
}

int prog_watch__open(bool new_only, bool comm, prog_change_fn fn, void *arg,
		     struct prog_watch **out)
{
	struct prog_watch *w = xcalloc(1, sizeof(*w));
	int err;

	*out = NULL;
	w->fn = fn;
	w->arg = arg;
	w->new_only = new_only;
	err = sideband__open(comm, &w->sideband) ?: check_may_list();
	w->opened_ns = now_ns();
	if (err)
		prog_watch__close(w);
	else
		*out = w;
	return err;
}

void prog_watch__close(struct prog_watch *w)
{
	if (!w)
		return;
	sideband__close(w->sideband);
	while (w->known_cnt)
		free(w->known[--w->known_cnt].name);
	free(w->known);
	prog__close(w->btf_prog);
	free(w);
}

int prog_watch__fd(const struct prog_watch *w)
{
	return sideband__epoll_fd(w->sideband);
}

int prog_watch__process(struct prog_watch *w, bool last)
{
	__s64 now = now_ns();
	int err = 0;

	/* read the clocks each time, because the wall clock may be set */
	w->epoch_ns = read_clock(CLOCK_REALTIME) - now;
	w->slept_ns = read_clock(CLOCK_BOOTTIME) - now;
	if (!w->started) {
		err = list_all(w);
		w->started = true;
	}
	if (!err)
		err = (last ? sideband__finish : sideband__process)(w->sideband,
								    handle_sideband_event, w);
	if (!err && w->list_again) {
		w->list_again = false;
		err = list_all(w);
	}
	return err;
}

int prog_watch__follow_cpus(struct prog_watch *w)
{
	int ret = sideband__follow_cpus(w->sideband);

	if (ret < 0)
		return ret;
	w->list_again |= ret > 0;
	w->missed |= ret > 0;
	return prog_watch__process(w, false);
}
