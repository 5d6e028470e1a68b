// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Turns the addresses of frames from the sampler into names. Addresses in one function are one
 * callee. Must not know how callees are shown.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "sampling/kernel_names.h"
#include "sampling/record_callees.h"

struct callee_reader {
	struct record *r;
	const struct ip_ranges *ranges;
	struct kernel_names *names;
	int depth;
};

/* Returns the function whose cells are in the range with this index, and sets *prog. */
static const struct record_func *find_sampled(const struct record *r, int index,
					      struct record_prog **prog)
{
	for (int i = 0; i < r->prog_cnt; i++)
		for (int k = 0; k < r->prog[i].func_cnt; k++)
			if (r->prog[i].func[k].sampled && !index--) {
				*prog = &r->prog[i];
				return &r->prog[i].func[k];
			}
	return NULL;
}

/*
 * Returns the call in the recording whose last byte is at this offset. Returns NULL if the call had
 * no samples yet when the calls were read.
 */
static const struct record_place *find_recorded(const struct record_prog *p, __u32 code_off)
{
	int low = COUNT_BELOW(p->call, p->call_cnt, code_off, (__u64)code_off + 1);

	/* The longest call instruction has 7 bytes. */
	return low && code_off - p->call[low - 1].code_off < 7 ? &p->call[low - 1] : NULL;
}

/*
 * The address of frame "link" was read from a register. Returns true if it is not the address of a
 * caller: the function of the next frame has put another value into the register, or the register
 * still has the return address of a call that this function made.
 */
static bool is_stale(const char *const *name, int link, int cnt)
{
	return !name[link] ||
	       (link + 1 < cnt && name[link + 1] && !strcmp(name[link], name[link + 1]));
}

/*
 * Adds the function that the instruction calls, if the first frame belongs to another function: the
 * called function has ended with a jump to that other function (a tail call), so it has no frame.
 */
static void add_called(const struct record_prog *p, struct record_callee *c, int used, int depth)
{
	const struct record_call *call =
		record_calls__find(p->code_call, p->code_call_cnt, c->code_off);

	if (!call || !call->callee || !strcmp(c->frame[0], RECORD_UNKNOWN_CALLEE) ||
	    !strcmp(c->frame[0], call->callee))
		return;
	if (used == depth)
		free(c->frame[--used]);
	memmove(c->frame + 1, c->frame, used * sizeof(*c->frame));
	c->frame[0] = xstrdup(call->callee);
	c->frame[used + 1] = NULL;
}

static void add_frames(const struct record_prog *p, struct record_callee *c,
		       const struct bprof_ip_callees *key, const struct callee_reader *rd)
{
	const char *name[BPROF_IP_CALLEES + 1];
	int cnt = 0, used = 0, link = (int)key->link - 1;

	while (cnt <= BPROF_IP_CALLEES && key->frame[cnt]) {
		name[cnt] = kernel_names__around(rd->names, key->frame[cnt]);
		cnt++;
	}
	c->frame = xcalloc(BPROF_IP_CALLEES + 1, sizeof(*c->frame));
	for (int i = 0; i < cnt && used < rd->depth; i++)
		if (i != link || !is_stale(name, link, cnt))
			c->frame[used++] = xstrdup(name[i] ?: RECORD_UNKNOWN_CALLEE);
	if (!used)
		c->frame[0] = xstrdup(RECORD_UNKNOWN_CALLEE);
	add_called(p, c, used, rd->depth);
}

static void add_sampled_callee(const struct bprof_ip_callees *key,
			       const struct bprof_ip_cell *count, void *arg)
{
	struct callee_reader *rd = arg;
	/* Ranges are sorted by their cells. */
	int range =
		(int)COUNT_BELOW(rd->ranges->v, rd->ranges->cnt, first, (__u64)key->cell + 1) - 1;
	const struct record_place *call;
	const struct record_func *f;
	struct record_callee *c;
	struct record_prog *p;

	if (range < 0 || !count->samples)
		return;
	f = find_sampled(rd->r, range, &p);
	call = f ? find_recorded(p, f->code_off + ((key->cell - rd->ranges->v[range].first)
						   << ip_sampler__shift()))
		 : NULL;
	if (!call)
		return;
	c = record_prog__add_callee(p);
	c->code_off = call->code_off;
	c->samples = count->samples;
	c->weight = count->weight;
	add_frames(p, c, key, rd);
}

static int compare_callees(const void *a, const void *b)
{
	const struct record_callee *x = a, *y = b;
	char *const *f = x->frame, *const *g = y->frame;

	if (x->code_off != y->code_off)
		return x->code_off < y->code_off ? -1 : 1;
	for (; *f && *g && !strcmp(*f, *g); g++)
		f++;
	return *f && *g ? strcmp(*f, *g) : !!*f - !!*g;
}

/* Adds up the samples of equal frames. Equal frames are adjacent. */
static void merge(struct record_prog *p)
{
	struct record_prog all = *p;

	p->callee = NULL;
	p->callee_cnt = 0;
	for (int i = 0; i < all.callee_cnt; i++) {
		struct record_callee *from = &all.callee[i];
		struct record_callee *last = p->callee_cnt ? &p->callee[p->callee_cnt - 1] : NULL;

		if (!last || compare_callees(last, from)) {
			*record_prog__add_callee(p) = *from;
			from->frame = NULL;
		} else {
			last->samples += from->samples;
			last->weight += from->weight;
		}
	}
	record_prog__free_callees(&all);
}

/*
 * Limits the samples of callees to those of their calls. While sampling goes on, callees are read
 * after calls and may have more samples. The next reading then has the additional samples.
 */
static void limit(struct record_prog *p)
{
	const struct record_place *call = p->call;
	__u64 samples = 0, weight = 0;

	for (int i = 0; i < p->callee_cnt; i++) {
		struct record_callee *c = &p->callee[i];

		if (!i || c->code_off != c[-1].code_off) {
			while (call->code_off != c->code_off)
				call++;
			samples = call->samples;
			weight = call->weight;
		}
		c->samples = c->samples < samples ? c->samples : samples;
		c->weight = c->weight < weight ? c->weight : weight;
		samples -= c->samples;
		weight -= c->weight;
	}
}

void record__read_callees(struct record *r, const struct ip_ranges *ranges,
			  struct kernel_names *names, const struct ip_sampler *sampler)
{
	struct callee_reader rd = {r, ranges, names, ip_sampler__depth(sampler)};
	int err = ip_sampler__for_each_callees(sampler, add_sampled_callee, &rd);

	if (err)
		log_warn("the names of what programs call cannot be read: %s", strerror(-err));
	for (int i = 0; i < r->prog_cnt; i++) {
		struct record_prog *p = &r->prog[i];

		if (!p->callee_cnt)
			continue;
		qsort(p->callee, p->callee_cnt, sizeof(*p->callee), compare_callees);
		merge(p);
		limit(p);
	}
}
