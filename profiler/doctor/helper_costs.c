// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the list of operations, and the way to measure an operation. The kernel runs each of two
 * programs in a loop. In each run, the first program does the operation once, the second 1 +
 * HELPER_MORE times. The counters are read before and after each loop. Must not know how the
 * results are shown.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "bpf/helpers.h"
#include "bpf/helpers.skel.h"
#include "btf/reason.h"
#include "doctor/helper_costs.h"
#include "event/event_fds.h"
#include "host/affinity.h"
#include "kernel/feature.h"
#include "kernel/test_run.h"

/*
 * In a block, each program uses all keys equally often, because some keys take longer to find. A block
 * is shorter than the time between two timer interrupts, so most blocks are undisturbed.
 */
#define BLOCK_RUNS HELPER_ENTRIES
#define BLOCK_CNT 15

#define FULL HELPER_ENTRIES
#define HALF (HELPER_ENTRIES / 2)
#define FEW 16

static const struct helper_op ops[] = {
	{"lookup", "lookup_array", "array", FULL, KEYS_HIT},
	{"lookup", "lookup_percpu_array", "percpu_array", FULL, KEYS_HIT},
	{"lookup", "lookup_hash4", "hash4", FEW, KEYS_HIT},
	{"lookup", "lookup_hash4", "hash4", FULL, KEYS_HIT},
	{"lookup", "lookup_hash4", "hash4", FULL, KEYS_MISS},
	{"lookup", "lookup_hash16", "hash16", FEW, KEYS_HIT},
	{"lookup", "lookup_hash16", "hash16", FULL, KEYS_HIT},
	{"lookup", "lookup_hash16", "hash16", FULL, KEYS_MISS},
	{"lookup", "lookup_hash64", "hash64", FULL, KEYS_HIT},
	{"lookup", "lookup_hash64", "hash64", FULL, KEYS_MISS},
	{"lookup", "lookup_percpu_hash", "percpu_hash", FULL, KEYS_HIT},
	{"lookup", "lookup_lru_hash", "lru_hash", HALF, KEYS_HIT},
	{"lookup", "lookup_lru_hash", "lru_hash", HALF, KEYS_MISS},
	{"lookup", "lookup_lpm_trie", "lpm_trie", FEW, KEYS_HIT},
	{"lookup", "lookup_lpm_trie", "lpm_trie", FULL, KEYS_HIT},
	{"lookup", "lookup_lpm_trie", "lpm_trie", FULL, KEYS_MISS},
	{"update", "update_array", "array", FULL, KEYS_HIT},
	{"update", "update_hash16", "hash16", FULL, KEYS_HIT},
	{"update", "update_percpu_hash", "percpu_hash", FULL, KEYS_HIT},
	{"update", "update_lru_hash", "lru_hash", HALF, KEYS_HIT},
	{"update", "update_lru_hash", "lru_hash", FULL, KEYS_NEW},
	{"update, delete", "replace_hash16", "hash16", HALF, KEYS_MISS},
	{"update, delete", "replace_lpm_trie", "lpm_trie", HALF, KEYS_MISS},
	{"push, pop", "push_pop", "queue"},
	{"reserve, discard", "reserve_discard", "ringbuf"},
	{"spin_lock, unlock", "lock_unlock", "locks"},
	{"ktime_get_ns", "ktime_get_ns"},
	{"get_smp_processor_id", "get_smp_processor_id"},
	{"get_prandom_u32", "get_prandom_u32"},
	{"get_current_task", "get_current_task"},
	{"probe_read_kernel, 8 bytes", "probe_read_kernel"},
	{"csum_diff, 64 bytes", "csum_diff"},
	{"skb_load_bytes, 14 bytes", "skb_load_bytes"},
	{"skb_store_bytes, 14 bytes", "skb_store_bytes"},
	{"fib_lookup, no route out", "fib_lookup"},
};

/* For each of the two programs: the minimum cost of a run, over all blocks. */
struct run_cost {
	double v[2][BPROF_MAX_EVENTS];
};

struct measuring {
	const struct event_list *events;
	struct event_fds *fds;
	struct helper_costs *out;
};

/* ---- loading ---- */

/*
 * Returns the program that does the operation once or, with "more", 1 + HELPER_MORE times. With
 * "keys", returns the program that computes the operation's keys as often, but does not do the
 * operation.
 */
static struct bpf_program *op_prog(const struct helpers_bpf *skel, const struct helper_op *op,
				   bool keys, bool more)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s_%d", keys ? "key_" : "", keys ? op->map : op->prog,
		 more ? 1 + HELPER_MORE : 1);
	return bpf_object__find_program_by_name(skel->obj, name);
}

/* Puts the keys that a hit finds into the map. Returns 0 or -errno. */
static int fill_map_with_keys(const struct helpers_bpf *skel, const struct helper_op *op)
{
	const struct bpf_map *map = op->map ? bpf_object__find_map_by_name(skel->obj, op->map)
					    : NULL;
	__u64 *values = xcalloc(libbpf_num_possible_cpus(), sizeof(*values));
	int err = 0;

	for (__u32 i = 0; !err && (int)i < op->entries; i++) {
		__u32 key[16] = {i};

		/* In the key, the id follows the length of the prefix. */
		if (bpf_map__type(map) == BPF_MAP_TYPE_LPM_TRIE) {
			key[0] = 32;
			key[1] = i;
		}
		err = bpf_map_update_elem(bpf_map__fd(map), key, values, BPF_ANY) ? -errno : 0;
	}
	free(values);
	return err;
}

/* Makes the object load only the programs and the map of an operation. */
static void select_op(struct helpers_bpf *skel, const struct helper_op *op)
{
	struct bpf_map *map;

	for (int more = 0; more <= 1; more++)
		for (int keys = 0; keys <= (op->keys != KEYS_NONE); keys++)
			bpf_program__set_autoload(op_prog(skel, op, keys, more), true);
	bpf_object__for_each_map (map, skel->obj)
		if (!bpf_map__is_internal(map) && (!op->map || strcmp(bpf_map__name(map), op->map)))
			bpf_map__set_autocreate(map, false);
	/* An operation that adds keys (KEYS_NEW) must not find a key that it has added. */
	skel->rodata->key_first = op->keys == KEYS_HIT ? 0 : 1 << 24;
	skel->rodata->key_mask = op->keys == KEYS_NEW ? (1 << 24) - 1 : op->entries - 1;
}

/*
 * Loads the programs of an operation. If the kernel refuses them, returns NULL and puts the reason
 * into the row.
 */
static struct helpers_bpf *load_op(struct helper_cost *c)
{
	struct helpers_bpf *skel = helpers_bpf__open();
	struct reason reason = {};
	char text[512];
	int err = -errno;

	if (skel) {
		const struct bpf_map *map =
			c->op->map ? bpf_object__find_map_by_name(skel->obj, c->op->map) : NULL;

		c->map_type = map ? libbpf_bpf_map_type_str(bpf_map__type(map)) : NULL;
		c->key_sz = map ? bpf_map__key_size(map) : 0;
		select_op(skel, c->op);
		err = helpers_bpf__load(skel) ?: fill_map_with_keys(skel, c->op);
	}
	if (skel && !err)
		return skel;
	helpers_bpf__destroy(skel);
	reason__from_verifier(&reason, -err, NULL);
	features__explain_perm(&reason);
	c->why = reason.code == REASON_NO_PERM
			 ? text__format("no permission: %s", reason.detail)
			 : xstrdup(reason__describe(&reason, text, sizeof(text)));
	return NULL;
}

/* ---- running ---- */

static int read_counters(const struct measuring *m, __u64 *v)
{
	int err = 0;

	for (int i = 0; !err && i < m->events->cnt; i++) {
		if (m->events->v[i].kind != EVENT_PERF)
			v[i] = now_ns();
		else if (event_fds__is_open(m->fds, i, m->out->cpu))
			err = event_fds__read(m->fds, i, m->out->cpu, &v[i]);
	}
	return err;
}

/* Disturbances can only add to a block, so the minimum is an undisturbed block. */
static int take_block_minimum(const struct measuring *m, const struct bpf_program *prog,
			      double *min)
{
	static const char packet[64];
	const struct test_input in = {.data = packet, .data_sz = sizeof(packet)};
	const struct test_run_opts o = {.repeat = BLOCK_RUNS};
	__u64 before[BPROF_MAX_EVENTS] = {}, after[BPROF_MAX_EVENTS] = {};
	struct test_run_result result;
	int err = read_counters(m, before) ?:
		  test_run(bpf_program__fd(prog), BPF_PROG_TYPE_SCHED_CLS, &in, &o, &result) ?:
		  read_counters(m, after);

	for (int i = 0; !err && i < m->events->cnt; i++)
		min[i] = fmin(min[i], (double)(after[i] - before[i]) / BLOCK_RUNS);
	return err == -EINTR ? 0 : err; /* bprof was stopped, and continues */
}

/* The programs' blocks alternate, so that changes of the CPU's frequency affect all alike. */
static int time_blocks(const struct measuring *m, const struct helpers_bpf *skel,
		       const struct helper_op *op, struct run_cost *cost)
{
	int err = 0;

	for (int i = 0; i < BPROF_MAX_EVENTS; i++)
		cost[0].v[0][i] = cost[0].v[1][i] = cost[1].v[0][i] = cost[1].v[1][i] = INFINITY;
	for (int n = 0; n < BLOCK_CNT; n++)
		for (int keys = 0; keys <= (op->keys != KEYS_NONE); keys++)
			for (int more = 0; !err && more <= 1; more++)
				err = take_block_minimum(m, op_prog(skel, op, keys, more),
							 cost[keys].v[more]);
	return err;
}

static double cost_per_repetition(const struct run_cost *cost, int event)
{
	return (cost->v[1][event] - cost->v[0][event]) / HELPER_MORE;
}

static void take_costs(const struct measuring *m, struct helper_cost *c,
		       const struct run_cost *cost)
{
	for (int i = 0; i < m->events->cnt; i++) {
		const struct event *ev = &m->events->v[i];

		c->cost[i] = NAN;
		if (ev->kind == EVENT_PERF && (m->fds->state[i].status != EVENT_OK ||
					       !event_fds__is_open(m->fds, i, m->out->cpu)))
			continue;
		c->cost[i] = cost_per_repetition(&cost[0], i);
		if (c->op->keys != KEYS_NONE)
			c->cost[i] -= cost_per_repetition(&cost[1], i);
		if (ev->kind == EVENT_PERF)
			c->cost[i] *= ev->scale;
	}
}

static void measure_op(const struct measuring *m, const struct helper_op *op)
{
	struct helper_cost *c = array__add(&m->out->v, &m->out->cnt, sizeof(*c));
	struct helpers_bpf *skel;
	struct run_cost cost[2];
	int err;

	c->op = op;
	skel = load_op(c);
	if (!skel)
		return;
	err = time_blocks(m, skel, op, cost);
	if (err)
		c->why = text__format("running it: %s", strerror(-err));
	else
		take_costs(m, c, cost);
	helpers_bpf__destroy(skel);
}

/* Called in a thread of its own, which is bound to a CPU. */
static int measure_ops(const struct affinity *allowed, void *arg)
{
	struct measuring *m = arg;
	struct cpus online = {}, one;
	int err = cpus__online(&online);

	if (err)
		return log_err(err, "cannot read which CPUs are online: %s", strerror(-err));
	m->out->cpu = affinity__bind_any(allowed, &online);
	cpus__free(&online);
	if (m->out->cpu < 0)
		return log_err(m->out->cpu, "cannot bind to a CPU: %s", strerror(-m->out->cpu));
	one = (struct cpus){.id = &m->out->cpu, .cnt = 1};
	err = event_fds__open(m->events, &one, m->out->cpu + 1, &m->fds)
		      ?: event_list__check(m->events, m->fds->state);
	if (!err && m->fds->multiplexed)
		err = log_err(-EBUSY, "more events than counters: an event that is off in a block "
				      "would seem to cost nothing; give fewer with -e");
	for (size_t i = 0; !err && i < ARRAY_SIZE(ops); i++)
		measure_op(m, &ops[i]);
	event_fds__close(m->fds);
	return err;
}

int helper_costs__measure(const struct event_list *events, struct helper_costs *out)
{
	struct measuring m = {.events = events, .out = out};

	memset(out, 0, sizeof(*out));
	return affinity__run(measure_ops, &m);
}

void helper_costs__free(struct helper_costs *c)
{
	for (int i = 0; i < c->cnt; i++)
		free(c->v[i].why);
	free(c->v);
}
