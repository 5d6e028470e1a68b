/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code that all parts of the probe use: it loads the config, reads the events, and adds a run
 * to the sums and distributions.
 */
#ifndef BPROF_PROBE_CORE_BPF_H
#define BPROF_PROBE_CORE_BPF_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "probe.h"

/*
 * Marks code for the shares of functions (probe_shares.bpf.h). Only one object has this code. In the
 * other objects, even a call of an empty function would change the code that clang generates.
 */
#ifdef HAS_SHARES
#define WITH_SHARES(code) code
#else
#define WITH_SHARES(code)
#endif

/*
 * Returns the config, which user space writes into this instruction (probe_constants.h). The
 * verifier knows the value, and removes all code that this config does not need, including the
 * checks of its bits. Programs load the config at their beginning. Some load it again later, so
 * that clang does not keep it on the stack.
 *
 * The config is not a variable, because variables are in a map. On arm64, loading a map's address
 * takes one instruction less if 16 bits of the address are zero (btf/arm64_addrs.c). The probes of
 * the targets and the probes that measured the bias may have different maps of variables. Then all
 * net values of a session would be wrong by one.
 */
static __always_inline __u64 load_config(void)
{
	__u64 config;

	asm volatile("%0 = %1" : "=r"(config) : "i"(BPROF_CONFIG_PLACEHOLDER));
	/* Probes with shares have no distributions and no thinning: clang leaves this code out. */
	WITH_SHARES(config &= ~(BPROF_CONFIG_HIST | BPROF_CONFIG_THIN));
	return config;
}

/*
 * Returns the same config, but hides from clang that it is the same. Otherwise clang keeps parts of
 * the config on the stack, such as the number of events. The exit probe should use less than 64
 * bytes of stack: with more, the kernel gives the program a private stack since Linux 6.13 (arm64:
 * 6.17; BPF_PRIV_STACK_MIN_SIZE in kernel/bpf/verifier.c, which rounds 56 bytes up to 64). Then each
 * call of a helper takes two more instructions. On arm64, loading the stack's address takes three or
 * four instructions, depending on the address, and they are part of the bias.
 */
static __always_inline __u64 reload(__u64 config)
{
	if (!__builtin_constant_p(config))
		barrier_var(config);
	return config;
}

/*
 * The gate is shared by all probes of a session, so that all targets start and stop together. While
 * it is 0, the probes count nothing.
 */
__u64 bprof_gate SEC(".data.gate");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* set by user space to BPROF_EVENT_SLOT(highest CPU id + 1, 0) */
	__type(key, __u32);
	__type(value, __u32);
} bprof_events SEC(".maps");

/*
 * An mmapable array indexed by CPU id is as fast as a per-CPU array, and user space reads it
 * without a system call. The value has no BTF type because user space may make the value larger.
 */
#define CPU_ARRAY(value)                                                                  \
	struct {                                                                          \
		__uint(type, BPF_MAP_TYPE_ARRAY);                                         \
		__uint(map_flags, BPF_F_MMAPABLE);                                        \
		__uint(max_entries, 1); /* set by user space to the highest CPU id + 1 */ \
		__uint(key_size, sizeof(__u32));                                          \
		__uint(value_size, sizeof(value));                                        \
	}

/* The counts of one target. User space makes the value larger if there are distributions. */
CPU_ARRAY(struct bprof_cpu_stat) bprof_stats SEC(".maps");

/* Shared by all probes of a session: the state of the runs in flight of nested targets. */
CPU_ARRAY(struct bprof_cpu_runs) bprof_runs SEC(".maps");

/* Shared by all probes of a session: the cost of reading the multiplexed events. */
CPU_ARRAY(struct bprof_rotation) bprof_rotation SEC(".maps");

/* The frames of a target's invocations on all CPUs, for fsessions (probe_fsession.bpf.h). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, BPROF_POOL_FRAMES);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, BPROF_POOL_FRAME_SZ);
} bprof_pool SEC(".maps");

/*
 * Two invocations are on the same stack if their ctx pointers differ only in these bits. The mask
 * is THREAD_SIZE - 1; THREAD_SIZE is 64 KiB on kernels with 64 KiB pages.
 */
#define STACK_MASK(config) ((config)&BPROF_CONFIG_BIG_STACK ? 65535ULL : 16383ULL)

/*
 * A map key that fills eight bytes of the stack. With a smaller key, clang may spill the config
 * into the other half of the eight bytes. Then the verifier no longer knows that the config is
 * constant, and removes no code.
 */
union map_key {
	__u32 id;
	__u64 slot;
};

/*
 * Reads the counters, in the same order at entry and at exit, so that each event's bias is the same
 * in every run. The loop is unrolled because each i has to be a constant for the verifier. Pinned
 * events (event_fds.c) are read with the faster helper, which does not return enabled and running
 * times.
 */
static __always_inline void read_events(struct bprof_readings *r, __u64 config, __u32 cpu,
					const __u32 max, const bool multiplexed)
{
	__u32 slot = BPROF_EVENT_SLOT(cpu, 0);

#pragma unroll
	for (__u32 i = 0; i < BPROF_MAX_EVENTS; i++) {
		if (i >= max || i >= BPROF_CONFIG_EVENTS(config))
			continue;
		if (multiplexed) {
			struct bpf_perf_event_value v;
			long err =
				bpf_perf_event_read_value(&bprof_events, slot + i, &v, sizeof(v));

			/*
			 * If the helper fails, it sets all of v to 0 (kernel/trace/bpf_trace.c):
			 * the value is the error.
			 */
			r->value[i] = v.counter | err;
			r->off[i] = v.enabled - v.running;
			r->running[i] = v.running;
		} else {
			r->value[i] = bpf_perf_event_read(&bprof_events, slot + i);
		}
	}
	if (config & BPROF_CONFIG_CLOCK)
		r->value[BPROF_CLOCK_SLOT] = bpf_ktime_get_ns();
}

/*
 * These functions compute conditions without branches. At a branch the verifier follows both paths
 * and copies its state. With eight frames and sixteen events, these copies would take most of the
 * time for setting up many targets. barrier_var() keeps clang from turning the computations back
 * into branches.
 */
static __always_inline __u64 is_negative(__u64 v)
{
	barrier_var(v);
	return v >> 63;
}

static __always_inline __u64 is_below_2(__u64 v)
{
	return is_negative(v - 2);
}

static __always_inline __u64 is_zero(__u64 v)
{
	return is_negative(v | -v) ^ 1;
}

static __always_inline __u64 is_equal(__u64 a, __u64 b)
{
	return is_zero(a ^ b);
}

/* Evaluates to 1 << n if v needs more than "bits" bits, else to 0. */
#define SHIFT_IF_OVER(v, bits, n) (is_negative((1ULL << (bits)) - 1 - (v)) << (n))

/*
 * Shifts *v, which has at most BPROF_HIST_MAX_BITS bits, right until at most 8 bits are left.
 * Returns the number of bits shifted.
 */
static __always_inline __u64 shift_to_8_bits(__u64 *v)
{
	__u64 exp, shift;

	exp = SHIFT_IF_OVER(*v, 23, 4);
	*v >>= exp;
	shift = SHIFT_IF_OVER(*v, 15, 3);
	*v >>= shift;
	exp += shift;
	shift = SHIFT_IF_OVER(*v, 11, 2);
	*v >>= shift;
	exp += shift;
	shift = SHIFT_IF_OVER(*v, 9, 1);
	*v >>= shift;
	exp += shift;
	shift = SHIFT_IF_OVER(*v, 8, 0);
	*v >>= shift;
	return exp + shift;
}

/* Returns the index of a net value's bucket (probe.h). */
static __always_inline __u64 bucket_of(__s64 net)
{
	__u64 v = net, exp;

	if (v < 2 << BPROF_HIST_SUB_BITS)
		return v;
	exp = v >> BPROF_HIST_MAX_BITS;
	barrier_var(exp);
	if (exp) {
		net >>= 63;
		barrier_var(net); /* keeps clang from making a branch of it */
		return ~net & (BPROF_HIST_BUCKETS - 1);
	}
	exp = shift_to_8_bits(&v);
	/*
	 * v has 8 bits now, so (v >> 1) - 64 is the bucket's index among the 64 buckets of this
	 * power of two. There are 128 + 64 * exp buckets for lower values.
	 */
	return ((exp + 1) << BPROF_HIST_SUB_BITS) + (v >> 1);
}

/*
 * Like bucket_of(), but without a branch, so that the probe of a nested target adds the same
 * overhead to the caller's measurement for every value.
 */
static __always_inline __u64 bucket_of_nested(__s64 net)
{
	const __u64 max = (1ULL << BPROF_HIST_MAX_BITS) - 1;
	__u64 v = net, exp, shift;

	v &= is_negative(v) - 1;
	v = (v | -is_negative(max - v)) & max;
	exp = shift_to_8_bits(&v);
	shift = SHIFT_IF_OVER(v, 7, 0);
	return ((exp + shift) << BPROF_HIST_SUB_BITS) + (v >> shift);
}

/*
 * Returns a bucket's word (probe.h) after adding one run. For nested targets the code has no
 * branch, so that the probe always adds the same overhead to the caller's measurement.
 */
static __always_inline __u64 add_to_bucket(__u64 word, __s64 net, const bool nested)
{
	__u64 value = (__u64)net << BPROF_HIST_VALUE_SHIFT, empty;
	__u64 other = (word ^ value) >> BPROF_HIST_VALUE_SHIFT;

	barrier_var(other);
	if (nested) {
		empty = is_zero(word);
		other = is_zero(other) ^ 1;
		word |= (value & -empty) | (other & ~empty) << BPROF_HIST_COUNT_BITS;
	} else if (other) {
		word = word ? word | BPROF_HIST_MIXED : value;
	}
	return word + 1;
}

static __always_inline void add_square(struct bprof_event_sum *sum, __s64 net)
{
	__u64 square = (__u64)net * net, squares = sum->squares + square;

	barrier_var(squares); /* keeps clang from keeping the carry in a register */
	sum->squares = squares;
	if (squares < square)
		sum->squares_high++;
}

/*
 * Returns "offset" plus the size of n events' distributions. clang must not combine the placeholder
 * with another constant.
 */
static __always_inline __u64 skip_hists(__u64 offset, const __u32 n)
{
	barrier_var(offset);
	offset += BPROF_HIST_SKIP_PLACEHOLDER(n);
	barrier_var(offset);
	return offset;
}

/*
 * Returns the word of a bucket. "earlier" is the number of events whose distributions come before this
 * distribution: BPROF_HIST_SKIP_ALL for the clock.
 */
static __always_inline __u64 *find_word(__u64 *hist, __u64 bucket, const __u32 earlier,
					__u64 config)
{
	bucket &= BPROF_HIST_BUCKETS - 1;
	if (__builtin_constant_p(config)) /* pairs with a constant config have the finest buckets */
		return hist + bucket +
		       (earlier == BPROF_HIST_SKIP_ALL ? BPROF_CONFIG_EVENTS(config) : earlier) *
			       BPROF_HIST_BUCKETS;
	asm volatile("%0 >>= %1" : "+r"(bucket) : "i"(BPROF_HIST_SHIFT_PLACEHOLDER));
	bucket *= sizeof(*hist);
	if (earlier)
		bucket = skip_hists(bucket, earlier);
	return (void *)hist + bucket;
}

static __always_inline void add_to_hist(struct bprof_event_sum *sum, __u64 *hist,
					const __u32 earlier, __s64 net, __u64 config,
					const bool nested)
{
	/*
	 * Store the bucket and reload it: otherwise the verifier traces back through all of
	 * bucket_of() to find the registers that the bounds depend on.
	 */
	sum->scratch = nested ? bucket_of_nested(net) : bucket_of(net);
	barrier();
	hist = find_word(hist, sum->scratch, earlier, config);
	*hist = add_to_bucket(*hist, net, nested);
}

/* The offset, in bytes, of a context's element in an array indexed by context. */
#define DISPLACEMENT(context) ((context) * sizeof(__u64))

/*
 * Returns the context of the current invocation as the offset of its element (DISPLACEMENT()).
 * irqs_off points to bprof_irqs.off. The code has no branches, so the verifier takes less time.
 *
 * Reads two counters of struct task_struct, which are at least 1 in the probe: the trampoline
 * (kernel/bpf/trampoline.c, __bpf_prog_enter_recur()) has disabled migration and taken the RCU read
 * lock.
 */
static __always_inline __u64 find_context(__u64 config, const __u64 *irqs_off)
{
	__u64 context = 0;

	if (config & BPROF_CONFIG_MIGRATION) {
		const char *task = (const char *)bpf_get_current_task_btf();

		context = is_below_2(*(const __u16 *)(task + BPROF_MIGRATION_OFFSET)) *
			  DISPLACEMENT(BPROF_CONTEXT_MIGRATION);
		/* Add instead of OR: older verifiers lose the bounds of an OR. */
		if (config & BPROF_CONFIG_RCU) {
			barrier_var(context);
			context += is_below_2(*(const __u32 *)(task + BPROF_RCU_OFFSET)) *
				   DISPLACEMENT(BPROF_CONTEXT_RCU);
		}
	}
	if (config & BPROF_CONFIG_IRQ) {
		barrier_var(context);
		context += *irqs_off & DISPLACEMENT(BPROF_CONTEXT_IRQ);
	}
	return context;
}

/*
 * An element of an array that is indexed by context and begins at "first". "context" is the offset
 * that find_context() returns.
 */
#define IN_CONTEXT(first, context) (*(__u64 *)((char *)(first) + (context)))

/*
 * Displaces a pointer to a struct: in every array that is indexed by context, element 0 then is the
 * element of the context. Displaces the pointer once for all arrays. Otherwise clang adds the
 * displacement for each array, and the verifier checks the bounds of the context each time.
 */
static __always_inline void *displace(const void *p, __u64 context)
{
	const char *displaced = (const char *)p + context;

	barrier_var(displaced);
	return (void *)displaced;
}

/*
 * Adds one event of a run to the event's sums. "readings" is the cost of reading all multiplexed events;
 * it is 0 for pinned events. For a nested target, "all" points to the present sums of its struct
 * bprof_run, and "before" points to the values of these sums at the entry. For other targets, "all" is
 * NULL. "apart" points to a mask: 0 if the caller's self value is to include the run, else all bits. NULL
 * stands for all bits.
 */
static __always_inline void add_run(struct bprof_event_sum *sum,
				    const struct bprof_event_sum *in_context, __u64 *hist,
				    const __u32 earlier, __u64 start, __u64 end, __u64 readings,
				    __u64 config, const struct bprof_nested *before,
				    struct bprof_nested *all, const __u64 *apart)
{
	__s64 net = end - start - in_context->bias[0] - readings;

	/*
	 * A failed reading is a small negative error number. No counter gets so high that its value
	 * looks negative.
	 */
	if ((__s64)(start | end) < 0) {
		sum->errors++;
		barrier(); /* keeps clang from sharing this code with other counters */
		return;
	}
	if (all) {
		net -= all->probes - before->probes;
		sum->self += net - (all->net - before->net);
		if (apart) {
			barrier(); /* else clang keeps more on the stack */
			all->net += (before->net + net - all->net) & *apart;
			barrier();
		} else {
			all->net = before->net + net;
		}
		/*
		 * The caller's reading includes the cost of reading all events twice in this probe.
		 */
		all->probes += in_context->cost[0] + 2 * readings;
	}
	if (hist && config & BPROF_CONFIG_HIST)
		add_square(sum, net);
	sum->total += net;
	if (net < sum->min)
		sum->min = net;
	if (net > sum->max)
		sum->max = net;
	if (hist && config & BPROF_CONFIG_HIST)
		add_to_hist(sum, hist, earlier, net, config, all);
}

/*
 * Returns the argument "apart" of add_run(): for a kernel function, the mask in the piece
 * (bprof_cpu_stat.over_period), and NULL for other targets.
 */
static __always_inline const __u64 *apart_of(const struct bprof_cpu_stat *to, const bool called)
{
	return called ? &to->over_period : NULL;
}

/*
 * Adds a run to the sums of all its events in "to". "hist" is NULL if these programs never have
 * distributions. "run" is NULL if targets are not nested. called: the target is a kernel function.
 */
static __always_inline void add_run_events(struct bprof_cpu_stat *to,
					   const struct bprof_readings *end,
					   const struct bprof_frame *frame, struct bprof_run *run,
					   __u64 *hist, __u64 config, __u64 context,
					   const __u32 max, const bool called)
{
	const struct bprof_cpu_stat *in_context = displace(to, context);
	const struct bprof_readings *start = &frame->start;

#pragma unroll
	for (__u32 i = 0; i < BPROF_MAX_EVENTS; i++) {
		if (i >= max || i >= BPROF_CONFIG_EVENTS(config))
			continue;
		add_run(&to->event[i], &in_context->event[i], hist, i, start->value[i],
			end->value[i], 0, config, &frame->before[i], run ? &run->sum[i] : NULL,
			apart_of(to, called));
	}
	if (config & BPROF_CONFIG_CLOCK)
		add_run(&to->event[BPROF_CLOCK_SLOT], &in_context->event[BPROF_CLOCK_SLOT], hist,
			BPROF_HIST_SKIP_ALL, start->value[BPROF_CLOCK_SLOT],
			end->value[BPROF_CLOCK_SLOT], 0, config, &frame->before[BPROF_CLOCK_SLOT],
			run ? &run->sum[BPROF_CLOCK_SLOT] : NULL, apart_of(to, called));
}

/* Returns the counts of a CPU or NULL, without a lookup (BPROF_DIRECT). */
static __always_inline struct bprof_cpu_stat *find_direct(__u64 cpu)
{
	struct bprof_cpu_stat *stat;
	__u64 cpus;
	char *first;

	asm volatile("%0 = %1" : "=r"(cpus) : "i"(BPROF_CPUS_PLACEHOLDER));
	if (cpu >= cpus)
		return NULL;
	asm volatile("%0 *= %1" : "+r"(cpu) : "i"(BPROF_STAT_SZ_PLACEHOLDER));
	asm volatile("%0 = %1 ll" : "=r"(first) : "i"(BPROF_STATS_PLACEHOLDER));
	stat = (struct bprof_cpu_stat *)(first + cpu);
	if (!stat)
		__builtin_unreachable(); /* so that the callers check only the CPU */
	return stat;
}

/* Returns the counts of the CPU with that key, or NULL. */
static __always_inline struct bprof_cpu_stat *find_stat(union map_key *cpu, __u64 config)
{
	if (__builtin_constant_p(config))
		return find_direct(cpu->slot);
	return bpf_map_lookup_elem(&bprof_stats, &cpu->id);
}

#endif
