// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the iterators over the kernel's programs and links (bpf/ref_iters.bpf.c), and the arithmetic
 * of references. Must not know what is measured. Prints nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/util.h"
#include "bpf/ref_iters.h"
#include "bpf/ref_iters.lskel.h"
#include "btf/fsession.h"
#include "btf/own.h"
#include "kernel/iter_run.h"
#include "kernel/prog_refs.h"

/* The number of probes that bprof attaches to a function. One fsession replaces both. */
#define PROBES 2

struct prog_list {
	struct bprof_prog_ref *v; /* in ascending order of ids: the iterator writes them so */
	int cnt;
};

struct prog_refs {
	struct ref_iters_bpf *skel;
	int prog_iter, probe_iter; /* descriptors of the links */
	/* All programs with their references, read before and after the probes were listed. */
	struct prog_list before, after;
	struct bprof_probe_ref *probe; /* sorted by target and function */
	int probe_cnt;
};

int prog_refs__open(struct prog_refs **out)
{
	struct prog_refs *r = xcalloc(1, sizeof(*r));
	int err;

	*out = NULL;
	r->skel = ref_iters_bpf__open_and_load();
	if (!r->skel) {
		err = -errno;
		free(r);
		return err;
	}
	r->prog_iter = ref_iters_bpf__bprof_prog_ref__attach(r->skel);
	r->probe_iter = ref_iters_bpf__bprof_probe_ref__attach(r->skel);
	if (r->prog_iter < 0 || r->probe_iter < 0) {
		err = r->prog_iter < 0 ? r->prog_iter : r->probe_iter;
		prog_refs__close(r);
		return err;
	}
	*out = r;
	return 0;
}

void prog_refs__close(struct prog_refs *r)
{
	if (!r)
		return;
	ref_iters_bpf__destroy(r->skel); /* also closes the links */
	free(r->before.v);
	free(r->after.v);
	free(r->probe);
	free(r);
}

/* ---- reading ---- */

static int read_progs(struct prog_refs *r, struct prog_list *list)
{
	char *text;
	ssize_t sz = iter_run__read(r->prog_iter, &text);

	free(list->v);
	list->v = (struct bprof_prog_ref *)text;
	list->cnt = sz < 0 ? 0 : sz / sizeof(*list->v);
	return sz < 0 ? sz : 0;
}

static int compare_probes(const void *a_ptr, const void *b_ptr)
{
	const struct bprof_probe_ref *a = a_ptr, *b = b_ptr;

	if (a->target_id != b->target_id)
		return a->target_id < b->target_id ? -1 : 1;
	return (a->target_btf_id > b->target_btf_id) - (a->target_btf_id < b->target_btf_id);
}

static int read_probes(struct prog_refs *r)
{
	char *text;
	ssize_t sz = iter_run__read(r->probe_iter, &text);

	free(r->probe);
	r->probe = (struct bprof_probe_ref *)text;
	r->probe_cnt = sz < 0 ? 0 : sz / sizeof(*r->probe);
	if (r->probe_cnt)
		qsort(r->probe, r->probe_cnt, sizeof(*r->probe), compare_probes);
	return sz < 0 ? sz : 0;
}

int prog_refs__read(struct prog_refs *r)
{
	return read_progs(r, &r->before) ?: read_probes(r) ?: read_progs(r, &r->after);
}

/* ---- arithmetic ---- */

static int compare_prog_refs(const void *a_ptr, const void *b_ptr)
{
	const struct bprof_prog_ref *a = a_ptr, *b = b_ptr;

	return (a->id > b->id) - (a->id < b->id);
}

/* Returns a program, or NULL if it is not in the list. */
static const struct bprof_prog_ref *find_prog_ref(const struct prog_list *list, __u32 id)
{
	const struct bprof_prog_ref key = {.id = id};

	return list->cnt ? bsearch(&key, list->v, list->cnt, sizeof(key), compare_prog_refs) : NULL;
}

/* Returns the references of a program, or -1 if it is not in the list. */
static int find_refs(const struct prog_list *list, __u32 id)
{
	const struct bprof_prog_ref *found = find_prog_ref(list, id);

	return found ? (int)found->refs : -1;
}

bool prog_refs__is_sleepable(const struct prog_refs *r, __u32 id)
{
	const struct bprof_prog_ref *found = find_prog_ref(&r->after, id);

	return found && found->sleepable;
}

/*
 * Returns the number of references that probes cause: one for each probe, and one descriptor for
 * each bprof process. A bprof process probes a function only once. So the function that most
 * processes probe shows the number of processes.
 */
static int count_probes(const struct prog_refs *r, __u32 id)
{
	int first = COUNT_BELOW(r->probe, r->probe_cnt, target_id, id), own = 0, most = 0, i;

	for (i = first; i < r->probe_cnt && r->probe[i].target_id == id; i++) {
		const char *name = r->probe[i].name;

		if (i > first && compare_probes(&r->probe[i - 1], &r->probe[i]))
			own = 0;
		if (prog_name__is_own(name))
			own += strcmp(name, FSESSION_PROBE) ? 1 : PROBES;
		most = own > most ? own : most;
	}
	return i - first + most / PROBES;
}

int prog_refs__others(const struct prog_refs *r, __u32 id)
{
	int before = find_refs(&r->before, id), after = find_refs(&r->after, id);
	/*
	 * If a probe was attached while the probes were listed, its reference is only in the second
	 * count. If it was detached meanwhile, its reference is only in the first count.
	 */
	int refs = before > after ? before : after;
	int others = refs - count_probes(r, id);

	return after < 0 ? -1 : others < 0 ? 0 : others;
}
