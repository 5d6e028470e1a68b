// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See trace_join.h. Owns the rules that say whether two runs have the same packet. Must not know
 * how records are made or written.
 */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "trace/trace_join.h"

/* A packet that may still get runs, in a list that is sorted by time. */
struct packet {
	struct packet *next;
	struct join_key key; /* skb and sk are those of the packet's first run that has them */
	struct join_run *run;
	int cnt;
	size_t sz;     /* memory of its runs, in bytes */
	__u64 last_ns; /* when its last run began */
	bool ended;    /* no more runs will be added */
	bool broken;   /* some of its runs may be missing */
};

struct trace_join {
	struct trace_join_opts o;
	struct join_run *waiting; /* runs that are not joined yet */
	int waiting_cnt;
	struct packet *first, **end;
	void *by_head, *by_skb; /* the open packet at each address; tsearch(3) */
	size_t sz;		/* memory of the runs of all packets */
	bool warned;		/* that the runs take too much memory */
	__u64 added;
	__u64 done_ns;		/* when the latest joined run began */
	__u64 distrusted_until; /* a packet that begins before this time may lack its first runs */
	__u64 second, used;	/* --limit: when the current second began, and the packets in it */
	__u64 every;		/* number of packets since --every last chose one */
	struct trace_join_counts counts;
	int err;
};

struct trace_join *trace_join__new(const struct trace_join_opts *o)
{
	struct trace_join *j = xcalloc(1, sizeof(*j));

	j->o = *o;
	j->end = &j->first;
	return j;
}

/* Frees the first packet. */
static void drop_first(struct trace_join *j)
{
	struct packet *p = j->first;

	j->first = p->next;
	if (!j->first)
		j->end = &j->first;
	j->sz -= p->sz;
	for (int i = 0; i < p->cnt; i++)
		free(p->run[i].r);
	free(p->run);
	free(p);
}

static void keep_node(void *node)
{
	/* the list owns the packets, and frees them */
}

void trace_join__free(struct trace_join *j)
{
	if (!j)
		return;
	for (int i = 0; i < j->waiting_cnt; i++)
		free(j->waiting[i].r);
	free(j->waiting);
	tdestroy(j->by_head, keep_node);
	tdestroy(j->by_skb, keep_node);
	while (j->first)
		drop_first(j);
	free(j);
}

void trace_join__add(struct trace_join *j, int cpu, const struct bprof_record *r, size_t sz,
		     const struct join_key *key, __u64 begin_ns)
{
	struct join_run *run = array__add(&j->waiting, &j->waiting_cnt, sizeof(*run));

	*run = (struct join_run){
		.cpu = cpu, .begin_ns = begin_ns, .number = j->added++, .key = *key};
	run->sz = sz;
	run->r = xmalloc(sz);
	memcpy(run->r, r, sz);
}

/* ---- which packets are open ---- */

static int compare_heads(const void *a, const void *b)
{
	const struct packet *x = a, *y = b;

	return x->key.head > y->key.head ? 1 : x->key.head < y->key.head ? -1 : 0;
}

static int compare_skbs(const void *a, const void *b)
{
	const struct packet *x = a, *y = b;

	return x->key.skb > y->key.skb ? 1 : x->key.skb < y->key.skb ? -1 : 0;
}

typedef int (*compare_fn)(const void *a, const void *b);

/* Returns the open packet with the address in this key, or NULL. */
static struct packet *find_open_packet(void *const *places, const struct join_key *key,
				       compare_fn compare)
{
	const struct packet wanted = {.key = *key};
	struct packet **found = tfind(&wanted, places, compare);

	return found ? *found : NULL;
}

static void open_at(void **places, struct packet *p, compare_fn compare)
{
	if (!tsearch(p, places, compare))
		out_of_memory();
}

static void leave_address(void **places, const struct packet *p, compare_fn compare)
{
	if (find_open_packet(places, &p->key, compare) == p)
		tdelete(p, places, compare);
}

static void end_packet(struct trace_join *j, struct packet *p)
{
	if (!p || p->ended)
		return;
	p->ended = true;
	leave_address(&j->by_head, p, compare_heads);
	if (p->key.skb)
		leave_address(&j->by_skb, p, compare_skbs);
}

/* Distrusts packets that begin within a second after ns: their first runs may be missing. */
static void distrust(struct trace_join *j, __u64 ns)
{
	if (j->distrusted_until < ns + TRACE_JOIN_GAP_NS)
		j->distrusted_until = ns + TRACE_JOIN_GAP_NS;
}

void trace_join__lose(struct trace_join *j, __u64 ns)
{
	for (struct packet *p = j->first; p; p = p->next)
		if (!p->ended || p->last_ns + TRACE_JOIN_GAP_NS > ns)
			p->broken = true;
	distrust(j, ns);
}

/* ---- what belongs together ---- */

static bool has_run_of_target(const struct packet *p, __u32 target)
{
	for (int i = 0; i < p->cnt; i++)
		if (p->run[i].r->target == target)
			return true;
	return false;
}

/* In each network namespace, a device may have the same index. */
static bool is_in_namespace(const struct packet *p, const struct join_key *key)
{
	return !key->ifindex || !key->net || !p->key.net || key->net == p->key.net;
}

/*
 * Returns true if p, a packet that is sent, has been on another device. It may be on a device on top of
 * the run's, such as a VLAN, or the run has another packet of the same socket. A packet that begins at
 * its cgroup is not another one: the cgroup's programs would have run for it, too.
 */
static bool changes_device(const struct packet *p, const struct join_key *key)
{
	const struct join_key *first = &p->run[0].key;

	return !key->ifindex && key->dev && p->key.dev && key->dev != p->key.dev &&
	       !(first->dev && first->order == 0);
}

/*
 * Returns true if the run may be the next run of p, a packet with the same memory or the same skb.
 * A packet that comes from a device has no socket until the kernel finds a socket for it.
 */
static bool fits(const struct packet *p, const struct join_run *run)
{
	const struct join_key *key = &run->key;

	return p && run->begin_ns - p->last_ns < TRACE_JOIN_GAP_NS &&
	       key->ifindex == p->key.ifindex && is_in_namespace(p, key) &&
	       (!p->key.dropped || key->order == p->key.order) && p->key.order >= 0 &&
	       key->order >= p->key.order &&
	       (key->sk == p->key.sk || (!p->key.sk && key->ifindex)) &&
	       !has_run_of_target(p, run->r->target);
}

static void add_run(struct trace_join *j, struct packet *p, const struct join_run *run)
{
	struct join_run *to = array__add(&p->run, &p->cnt, sizeof(*to));

	*to = *run;
	p->sz += sizeof(*to) + run->sz;
	j->sz += sizeof(*to) + run->sz;
	p->last_ns = run->begin_ns;
	p->key.order = run->key.order;
	p->key.dropped |= run->key.dropped;
	if (run->key.dev)
		p->key.dev = run->key.dev;
	if (run->key.net)
		p->key.net = run->key.net;
	if (run->key.sk)
		p->key.sk = run->key.sk;
	if (run->key.skb && !p->key.skb) {
		p->key.skb = run->key.skb;
		open_at(&j->by_skb, p, compare_skbs);
	}
}

static struct packet *begin_packet(struct trace_join *j, const struct join_run *run)
{
	struct packet *p = xcalloc(1, sizeof(*p));

	p->key.head = run->key.head;
	p->key.ifindex = run->key.ifindex;
	p->broken = run->begin_ns < j->distrusted_until;
	*j->end = p;
	j->end = &p->next;
	return p;
}

/* If the packet of a run is not known, the run is a packet by itself. */
static void keep_alone(struct trace_join *j, const struct join_run *run)
{
	struct packet *p = begin_packet(j, run);

	p->broken = true;
	p->ended = true;
	add_run(j, p,
		&(struct join_run){
			.cpu = run->cpu, .begin_ns = run->begin_ns, .sz = run->sz, .r = run->r});
}

static void join_run(struct trace_join *j, const struct join_run *run)
{
	const struct join_key *key = &run->key;
	struct packet *head, *skb = NULL, *p;

	if (!key->head) {
		keep_alone(j, run);
		return;
	}
	head = find_open_packet(&j->by_head, key, compare_heads);
	if (key->skb) {
		skb = find_open_packet(&j->by_skb, key, compare_skbs);
		/* The packet's first run with an skb, or one with the same skb and memory. */
		if (fits(head, run) && (!head->key.skb || head == skb) &&
		    !changes_device(head, key)) {
			if (head != skb)
				end_packet(j, skb);
			add_run(j, head, run);
			return;
		}
		/*
		 * This may be the same packet, with its skb copied or its memory replaced, or
		 * another packet that uses the same skb or memory. The same holds if it is sent on another device.
		 */
		if (fits(head, run) || fits(skb, run)) {
			keep_alone(j, run);
			return;
		}
	}
	end_packet(j, head);
	end_packet(j, skb);
	p = begin_packet(j, run);
	open_at(&j->by_head, p, compare_heads);
	add_run(j, p, run);
}

static int compare_runs(const void *a, const void *b)
{
	const struct join_run *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns > y->begin_ns ? 1 : -1;
	return x->number > y->number ? 1 : -1;
}

static void join_until(struct trace_join *j, __u64 until_ns)
{
	int cnt = 0;

	if (!j->waiting_cnt)
		return;
	qsort(j->waiting, j->waiting_cnt, sizeof(*j->waiting), compare_runs);
	for (; cnt < j->waiting_cnt && j->waiting[cnt].begin_ns < until_ns; cnt++) {
		const struct join_run *run = &j->waiting[cnt];

		if (run->begin_ns < j->done_ns) {
			trace_join__lose(j, j->done_ns);
			keep_alone(j, run);
			continue;
		}
		join_run(j, run);
		j->done_ns = run->begin_ns;
	}
	j->waiting_cnt -= cnt;
	memmove(j->waiting, j->waiting + cnt, j->waiting_cnt * sizeof(*j->waiting));
}

/* ---- which packets are written ---- */

/* Returns true if a condition is true for one of the runs, or if --every chooses the packet. */
static bool choose_packet(struct trace_join *j, const struct trace_packet *p)
{
	bool chosen = j->o.every && ++j->every >= j->o.every;
	__u64 matched = 0;

	if (chosen)
		j->every = 0;
	for (int i = 0; i < p->cnt; i++) {
		/* The probe sets BPROF_WHY_EVERY for each run, but --every chooses packets. */
		if (!chosen)
			p->run[i].r->why &= ~BPROF_WHY_EVERY;
		matched += p->run[i].r->why != 0;
	}
	j->counts.matched += matched;
	return matched;
}

static bool is_packet_within_limit(struct trace_join *j, __u64 ns)
{
	/* signed: a run that is not joined may be written after runs that began later */
	if ((__s64)(ns - j->second) >= (__s64)TRACE_JOIN_GAP_NS) {
		j->second = ns;
		j->used = 0;
	}
	return j->used++ < j->o.limit;
}

static void write_chosen_runs(struct trace_join *j, struct join_run *run, int cnt, bool joined)
{
	struct trace_packet p = {.run = run, .cnt = cnt};

	if (!choose_packet(j, &p))
		return;
	if (!is_packet_within_limit(j, run->begin_ns)) {
		j->counts.held += cnt;
		return;
	}
	if (joined)
		p.number = ++j->counts.packets;
	else
		j->counts.unjoined += cnt;
	j->counts.records += cnt;
	j->err = j->err ?: j->o.take(j->o.arg, &p);
}

static void write_first(struct trace_join *j)
{
	struct packet *p = j->first;

	end_packet(j, p);
	if (!p->broken)
		write_chosen_runs(j, p->run, p->cnt, true);
	for (int i = 0; p->broken && i < p->cnt; i++)
		write_chosen_runs(j, &p->run[i], 1, false);
	drop_first(j);
}

/* If the runs take too much memory, writes those of the oldest packets without joining them. */
static void bound_memory(struct trace_join *j)
{
	if (j->sz <= j->o.memory)
		return;
	if (!j->warned)
		log_warn("--join: more than %zu MiB of runs in one second; the oldest ones are "
			 "written without their packet; trace fewer programs, or leave out --snap "
			 "and --pcap",
			 j->o.memory >> 20);
	j->warned = true;
	while (j->first && j->sz > j->o.memory / 2) {
		j->first->broken = true;
		write_first(j);
	}
	distrust(j, j->done_ns);
}

int trace_join__advance(struct trace_join *j, __u64 until_ns)
{
	join_until(j, until_ns);
	while (j->first && (j->first->ended || j->first->last_ns + TRACE_JOIN_GAP_NS < until_ns))
		write_first(j);
	bound_memory(j);
	return j->err;
}

int trace_join__end(struct trace_join *j)
{
	join_until(j, ~0ULL);
	while (j->first)
		write_first(j);
	return j->err;
}

struct trace_join_counts trace_join__counts(const struct trace_join *j)
{
	return j->counts;
}
