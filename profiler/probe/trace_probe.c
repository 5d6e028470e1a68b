// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The probe of bprof trace. Owns the probe's constants, the ring buffers, and the part of each
 * target's counts in which records are made. Must not know what records are used for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "backend/backend_env.h"
#include "backend/counter.h"
#include "backend/probe_stat.h"
#include "base/hist.h"
#include "base/log.h"
#include "base/memory.h"
#include "btf/reason.h"
#include "btf/retval.h"
#include "btf/run_key.h"
#include "kernel/feature.h"
#include "kernel/kernel_offsets.h"
#include "probe/trace_probe.h"
#include "target/target.h"

/*
 * Size of each CPU's ring buffer. With perf's control page, it is the default of
 * kernel.perf_event_mlock_kb.
 */
#define BUFFER_SZ (512 << 10)
/* If all runs are recorded, the buffer must be able to hold bursts of runs. */
#define LARGE_BUFFER_SZ (4 << 20)

static struct bprof_trace_cpu *area_of(const struct target *target, int cpu)
{
	return probe_stat__hist(target->backend->ops->probe_stat(target, cpu));
}

/* Returns the size of struct bprof_trace_cpu and its data. */
static size_t area_sz(const struct bprof_trace_config *c)
{
	/*
	 * Reserve room for all arguments: the verifier does not know that only the first c->args
	 * are used.
	 */
	size_t args_sz = c->args ? BPROF_TRACE_ARGS * BPROF_ARG_SZ : 0;

	return (sizeof(struct bprof_trace_cpu) + c->stack_sz + args_sz + c->snap + 7) & ~7UL;
}

size_t trace_probe__area_sz(const struct trace_probe *t)
{
	return area_sz(&t->config) + (t->config.words_off ? BPROF_HIST_BUCKETS * sizeof(__u64) : 0);
}

/* Returns the kind of packet that programs of the target's type get. */
static enum bprof_packet_kind packet_of_type(const struct target *t)
{
	struct reason reason;

	/* An extension of a function gets a packet only if that function gets one. */
	if (t->subprog || (t->prog->extended_type &&
			   run_key__check(BY_IFINDEX, t->prog, t->func_btf_id, true, &reason)))
		return BPROF_NO_PACKET;
	switch (prog__context_type(t->prog)) {
	case BPF_PROG_TYPE_XDP:
		return BPROF_XDP_BUFF;
	case BPF_PROG_TYPE_SCHED_CLS:
	case BPF_PROG_TYPE_SCHED_ACT:
		return BPROF_SK_BUFF;
	default:
		return BPROF_NO_PACKET;
	}
}

/*
 * Returns true if the trampoline does not save the pointer to the packet. If a main function
 * declares no argument, Linux 6.1 saves none, and Linux 6.12 saves five.
 */
static bool lacks_context(const struct target *t)
{
	return t->shape.known && !t->shape.args;
}

/*
 * Returns the kind of packet that records of this target have. Until the target is open, only the
 * target's type decides.
 */
static enum bprof_packet_kind packet_kind(const struct target *t)
{
	return lacks_context(t) ? BPROF_NO_PACKET : packet_of_type(t);
}

bool trace_probe__has_packets(const struct trace_probe *probe, const struct target *t)
{
	return probe->config.at.skb_len && packet_kind(t) != BPROF_NO_PACKET;
}

bool trace_probe__has_retval(const struct target *t)
{
	return !t->subprog || target__ret_sz(t);
}

/* ---- constants of the probe ---- */

static int set_bounds(struct trace_probe *t)
{
	const struct backend_env *env = t->env;
	struct bprof_trace_config *c = &t->config;

	for (int i = 0; i < BPROF_SLOTS; i++) {
		c->over[i] = BPROF_TRACE_NO_BOUND;
		c->under[i] = -BPROF_TRACE_NO_BOUND;
	}
	for (int i = 0; i < t->conds->bound_cnt; i++) {
		const struct trace_bound *b = &t->conds->bound[i];
		const struct event_state *state = &env->fds->state[b->index];

		if (state->status != EVENT_OK)
			return log_err(-ENODATA, "%s: %s cannot be counted here: %s", b->spec,
				       env->events->v[b->index].name, state->detail);
		if (b->quantile) {
			c->follows = state->slot;
			c->words_off = area_sz(c);
			continue;
		}
		c->slots |= 1U << state->slot;
		*(b->under ? &c->under[state->slot] : &c->over[state->slot]) = b->limit;
	}
	return 0;
}

/*
 * Finds the offsets needed to read packets. The kernel's BTF may be missing, or lockdown may forbid
 * to read packets. Then fails if packets are required, else only warns.
 */
static int find_packet_offsets(struct trace_probe *t)
{
	struct reason reason;
	int err = features__try_read_kernel(&reason)
			  ?: kernel_offsets__read_packet(&t->config.at, &reason);

	if (err && t->packets)
		return log_err(err, "cannot read packets: %s; leave out --snap and --pcap",
			       reason.detail);
	if (err)
		log_warn("records will not have the packets' lengths: %s", reason.detail);
	return 0;
}

/* Fails if lockdown forbids to read arguments. */
static int check_args(const struct trace_probe *t)
{
	struct reason reason;
	int err = t->config.args ? features__try_read_kernel(&reason) : 0;

	return err ? log_err(err, "--arg: cannot read the kernel's memory: %s", reason.detail) : 0;
}

static bool has_packets(const struct target_list *targets)
{
	for (int i = 0; i < targets->cnt; i++)
		if (packet_kind(&targets->v[i]) != BPROF_NO_PACKET)
			return true;
	return false;
}

/* Returns 0 or -errno (reported) if these nested targets cannot be traced. */
static int check_nested(const struct trace_probe *t, const struct backend_env *env)
{
	if (!t->shared)
		return log_err(
			-EINVAL,
			"trace: these targets may call one another, and the cost of recording one "
			"would be counted in the other; choose one, by --prog-id ID or "
			"ID:FUNCTION, or give --func '*' to record only the outermost");
	if (env->targets->cnt > BPROF_NO_SHARE)
		return log_err(-E2BIG,
			       "trace: %d functions and calls are selected, and at most %d can be "
			       "added up; choose fewer with --func GLOB and --calls GLOB",
			       env->targets->cnt, BPROF_NO_SHARE);
	return 0;
}

int trace_probe__open(struct trace_probe *t, const struct backend_env *env)
{
	int err = env->nested ? check_nested(t, env) : 0;

	if (err)
		return err;
	if (env->fds->multiplexed)
		return log_err(-EBUSY,
			       "trace: more events than counters, and single invocations cannot "
			       "be measured with multiplexed events; give fewer with -e");
	t->env = env;
	t->config = (struct bprof_trace_config){
		.retvals = t->conds->retval_cnt,
		.every = t->all ? 1 : t->conds->every,
		.limit = t->all ? ~0ULL : t->limit,
		.stack_sz = t->stack ? BPROF_TRACE_STACK_SZ : 0,
		.snap = t->snap,
		.rows = env->nested ? env->targets->cnt : 0,
		.args = t->args ? trace_args__total(t->args) : 0,
		.arg_conds = t->args && trace_args__has_condition(t->args),
		.cgroups = t->args && trace_args__has_cgroup(t->args),
	};
	err = check_args(t) ?: set_bounds(t);
	if (err)
		return err;
	if (has_packets(env->targets))
		err = find_packet_offsets(t);
	else if (t->packets)
		err = log_err(-EINVAL,
			      "no target has packets, which --pcap and --snap are for: only "
			      "XDP and tc programs do, and their extensions while they are "
			      "attached (from Linux 5.13 on)");
	if (err)
		return err;
	t->records_fd = bpf_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "bprof_records",
				       sizeof(__u32), sizeof(__u32), env->cpu_limit, NULL);
	if (t->records_fd < 0)
		return log_err(-errno, "cannot create the map of records: %s", strerror(errno));
	return 0;
}

/* ---- reading the ring buffers ---- */

/* Returns the offset of the packet in the data of a record. */
static size_t packet_at(const struct trace_probe *t)
{
	return t->config.stack_sz + t->config.args * BPROF_ARG_SZ;
}

const void *trace_probe__stack(const struct trace_probe *t, const struct bprof_record *r)
{
	return r->data + t->config.args * BPROF_ARG_SZ;
}

const __u8 *trace_probe__packet(const struct trace_probe *t, const struct bprof_record *r)
{
	return r->data + packet_at(t);
}

const void *trace_probe__arg(const struct trace_probe *t, const struct bprof_record *r, int index)
{
	const struct target *target = &t->env->targets->v[r->target];

	if (!(r->args >> index & 1) || !trace_args__path(t->args, target, index))
		return NULL;
	return r->data + index * BPROF_ARG_SZ;
}

void trace_probe__take(struct trace_probe *t, int cpu, const void *data, size_t sz)
{
	const struct bprof_record *r;

	if (t->err)
		return;
	if (sz < sizeof(*r)) {
		t->lost(t->arg, cpu, 1);
		return;
	}
	/*
	 * Copy the record to an address at which its members are aligned: perf writes the data of a
	 * sample after a number of 4 bytes.
	 */
	if (sz > t->copy_sz) {
		t->copy = xreallocarray(t->copy, sz, 1);
		t->copy_sz = sz;
	}
	r = memcpy(t->copy, data, sz);
	/*
	 * sz may be larger than a complete record, because perf pads the data
	 * (kernel/events/core.c, perf_event_output()).
	 */
	if (sz >= sizeof(*r) + packet_at(t) + r->snapped && r->stack_sz <= t->config.stack_sz &&
	    r->target < (__u32)t->env->targets->cnt)
		t->err = t->take(t->arg, cpu, r, sz);
	else
		t->lost(t->arg, cpu, 1);
}

static void take_sample(void *ctx, int cpu, void *data, __u32 sz)
{
	trace_probe__take(ctx, cpu, data, sz);
}

static void take_lost(void *ctx, int cpu, __u64 cnt)
{
	struct trace_probe *t = ctx;

	t->lost(t->arg, cpu, cnt);
}

int trace_probe__fd(const struct trace_probe *t)
{
	return perf_buffer__epoll_fd(t->buffer);
}

int trace_probe__read(struct trace_probe *t)
{
	int err = perf_buffer__consume(t->buffer);

	if (t->err)
		return t->err;
	return err ? log_err(err, "cannot read the records: %s", strerror(-err)) : 0;
}

void trace_probe__close(struct trace_probe *t)
{
	perf_buffer__free(t->buffer);
	free(t->copy);
	if (t->records_fd >= 0)
		close(t->records_fd);
	*t = TRACE_PROBE_NONE;
}

/* ---- the records' part of a target's counts ---- */

/*
 * Collects those return values of the conditions that exist for the target's program type. Returns
 * their number.
 */
static int parse_retvals(const struct trace_conds *c, const struct target *t, __u64 *values)
{
	/* the return values of subprograms have no names */
	const char *type = t->subprog ? "" : prog_type__name(t->prog->info.type);
	int cnt = 0;

	memset(values, 0xff, BPROF_TRACE_RETVALS * sizeof(*values));
	if (!trace_probe__has_retval(t))
		return 0;
	for (int i = 0; i < c->retval_cnt; i++) {
		__u32 value;

		if (!retval__parse(type, c->retval[i], &value))
			values[cnt++] = value;
	}
	return cnt;
}

static void arm_target(const struct trace_probe *t, int index, const __u64 *retvals)
{
	const struct target *target = &t->env->targets->v[index];
	const struct cpus *cpus = &t->env->cpus;
	struct bprof_trace_cpu area = {
		.target = index,
		.row = index,
		.packet = trace_probe__has_packets(t, target) ? packet_kind(target)
							      : BPROF_NO_PACKET,
		.over = BPROF_TRACE_NO_BOUND,
	};

	if (t->args)
		trace_args__fill(t->args, target, &area);
	for (int i = 0; i < cpus->cnt; i++) {
		struct bprof_trace_cpu *a = area_of(target, cpus->id[i]);
		const struct bprof_cpu_stat *stat =
			target->backend->ops->probe_stat(target, cpus->id[i]);

		for (int slot = 0; slot < BPROF_SLOTS; slot++)
			area.self[slot] = stat->event[slot].self;
		*a = area;
		memcpy(a->retval, retvals, sizeof(a->retval));
		__atomic_store_n(&a->armed, 1, __ATOMIC_RELEASE);
	}
}

/*
 * If the user asked for packets, warns of programs that have none, and fails if no program has any.
 * trace_probe__open() cannot do this, because it does not know the shapes of the targets yet.
 */
static int check_packets(const struct trace_probe *t)
{
	const struct target_list *targets = t->env->targets;
	bool none = t->packets && targets->cnt && !has_packets(targets);

	for (int i = 0; t->packets && i < targets->cnt; i++) {
		const struct target *target = &targets->v[i];

		if (packet_of_type(target) && lacks_context(target))
			log_warn("program %u: no packets are recorded: %s() takes no argument, and "
				 "this kernel then hides the packet from probes; declare the "
				 "program's context as its argument",
				 target->id, target->func);
	}
	return none ? log_err(-EINVAL, "no target has packets that can be recorded; leave out "
				       "--pcap and --snap")
		    : 0;
}

int trace_probe__arm(struct trace_probe *t)
{
	const struct target_list *targets = t->env->targets;
	const size_t sz = t->all ? LARGE_BUFFER_SZ : BUFFER_SZ;
	__u64 retvals[BPROF_TRACE_RETVALS];
	int found = 0, err = check_packets(t);

	if (err)
		return err;
	for (int i = 0; i < targets->cnt; i++) {
		found += parse_retvals(t->conds, &targets->v[i], retvals);
		arm_target(t, i, retvals);
	}
	if (targets->cnt && t->conds->retval_cnt && !found)
		return log_err(-EINVAL, "--retval %s: no target's type has this return value",
			       t->conds->retval[0]);
	t->buffer = perf_buffer__new(t->records_fd, sz / sysconf(_SC_PAGESIZE), take_sample,
				     take_lost, t, NULL);
	return t->buffer ? 0
			 : log_err(-errno, "cannot open the ring buffers of the records: %s",
				   strerror(errno));
}

void trace_probe__disarm(struct trace_probe *t)
{
	const struct target_list *targets = t->env->targets;
	const struct cpus *cpus = &t->env->cpus;

	for (int i = 0; i < targets->cnt; i++)
		for (int k = 0; k < cpus->cnt; k++)
			__atomic_store_n(&area_of(&targets->v[i], cpus->id[k])->armed, 0,
					 __ATOMIC_SEQ_CST);
}

/* Returns the sum of the distributions of all CPUs. The caller frees it. */
static struct hist sum_words(const struct trace_probe *t, const struct target *target)
{
	const struct cpus *cpus = &t->env->cpus;
	struct hist sum = {};

	for (int i = 0; i < cpus->cnt; i++) {
		const struct bprof_cpu_stat *stat =
			target->backend->ops->probe_stat(target, cpus->id[i]);
		const struct bprof_event_sum *event = &stat->event[t->config.follows];
		struct hist one;

		hist__copy((void *)((char *)probe_stat__hist(stat) + t->config.words_off), 0,
			   &event->min, &event->max, &one);
		hist__add(&sum, &one, &(struct hist){});
		hist__free(&one);
	}
	return sum;
}

/*
 * Returns the quantile of a distribution, assuming that the runs in its bucket are spread evenly
 * over the bucket. Returns BPROF_TRACE_NO_BOUND if there are too few runs.
 */
static __s64 find_bound(const struct hist *h, double q)
{
	double runs = 0, below = 0;
	int i = 0;

	for (int k = 0; k < h->cnt; k++)
		runs += h->bucket[k].count;
	if (runs * (1 - q) < 1)
		return BPROF_TRACE_NO_BOUND;
	while (i < h->cnt - 1 && below + h->bucket[i].count < runs * q)
		below += h->bucket[i++].count;
	return h->bucket[i].low +
	       (h->bucket[i].high - h->bucket[i].low) * (runs * q - below) / h->bucket[i].count;
}

void trace_probe__follow(struct trace_probe *t)
{
	const struct trace_bound *b = trace_conds__percentile(t->conds);
	const struct target_list *targets = t->env->targets;
	const struct cpus *cpus = &t->env->cpus;

	for (int i = 0; b && i < targets->cnt; i++) {
		struct hist h = sum_words(t, &targets->v[i]);
		__s64 over = find_bound(&h, b->quantile);

		hist__free(&h);
		for (int k = 0; k < cpus->cnt; k++)
			__atomic_store_n(&area_of(&targets->v[i], cpus->id[k])->over, over,
					 __ATOMIC_RELAXED);
	}
}

bool trace_probe__bound(const struct trace_probe *t, const struct target *target, __s64 *over)
{
	*over = area_of(target, t->env->cpus.id[0])->over;
	return *over != BPROF_TRACE_NO_BOUND;
}

struct trace_counts trace_probe__count(const struct trace_probe *t, const struct target *target)
{
	const struct cpus *cpus = &t->env->cpus;
	struct trace_counts sum = {};

	for (int i = 0; i < cpus->cnt; i++) {
		const struct bprof_trace_cpu *a = area_of(target, cpus->id[i]);

		sum.matched += __atomic_load_n(&a->matched, __ATOMIC_RELAXED);
		sum.records += __atomic_load_n(&a->records, __ATOMIC_RELAXED);
		sum.held += __atomic_load_n(&a->held, __ATOMIC_RELAXED);
		sum.lost += __atomic_load_n(&a->lost, __ATOMIC_RELAXED);
		sum.outermost += __atomic_load_n(&a->outermost, __ATOMIC_RELAXED);
	}
	return sum;
}

/* ---- shares ---- */

void trace_probe__set_shares(struct trace_probe *t, const struct bprof_shares *shares)
{
	t->shares = shares;
}

bool trace_probe__has_shares(const struct trace_probe *t)
{
	return t->config.rows;
}

struct bprof_matching trace_probe__matching(const struct trace_probe *t, int target)
{
	const struct cpus *cpus = &t->env->cpus;
	struct bprof_matching sum = {};

	for (int i = 0; i < cpus->cnt; i++)
		for (int place = 0; place < BPROF_RUNS; place++) {
			const struct bprof_matching *m =
				&t->shares[cpus->id[i]].row[place][target].matching;

			sum.calls += m->calls;
			for (int slot = 0; slot < BPROF_SLOTS; slot++)
				sum.self[slot] += m->self[slot];
		}
	return sum;
}

__s64 trace_probe__net(const struct trace_probe *t, int target, __u32 slot)
{
	const struct cpus *cpus = &t->env->cpus;
	__s64 sum = 0;

	for (int i = 0; i < cpus->cnt; i++)
		sum += area_of(&t->env->targets->v[target], cpus->id[i])->net[slot];
	return sum;
}
