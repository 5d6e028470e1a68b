/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Probes: the maps that all probes of a session share, and the probe of one target, from its
 * opening to its closing. The probes count raw numbers, and subtract the biases that they get from
 * calibration.
 */
#ifndef BPROF_PROBES_H
#define BPROF_PROBES_H

#include "backend/backend_env.h"
#include "backend/counter.h"
#include "backend/probe_stat.h"
#include "kernel/call_site.h"
#include "kernel/kernel_offsets.h"
#include "kernel/mapped_array.h"
#include "probe/key_read.h"
#include "probe/own_runs.h"
#include "probe/probe_template.h"
#include "target/target.h"

struct load_addrs_bpf;
struct prog_refs;

/* What the kernel has counted for the programs of a target's probes. */
struct exit_counts {
	__u64 misses; /* recursion misses that lose a run */
	/*
	 * recursion misses of the entry probe, if runs may be taken for one run (counts.merged);
	 * else 0
	 */
	__u64 entry_misses;
	/* runs that the kernel has timed, which it does only while the run statistics are on */
	__u64 timed;
};

/* All probes of a session, or only its probes that are fsessions. */
struct probes {
	const struct backend_env *env;
	int events_fd; /* the perf event array that all probes read */
	struct mapped_array gate;
	/* struct bprof_cpu_runs, or struct bprof_shares, indexed by CPU id; for nested targets */
	struct mapped_array runs;
	size_t runs_sz;	 /* size of an element of runs */
	bool irq_stacks; /* runs has the addresses of stacks for interrupts */
	/* struct bprof_rotation, indexed by CPU id; used if events are multiplexed */
	struct mapped_array rotation;
	struct context_offsets at;
	struct key_read key; /* how a run's key is read, if --by has a key that the probe reads */
	__u32 contexts;	     /* contexts that the probes distinguish: bits BPROF_CONTEXT_... */
	/* built-in programs that the template has: a bit for each of enum empty */
	__u32 empties;
	int hist_cnt; /* number of distributions that each probe keeps */
	bool small;   /* the counts have the small layout (BPROF_SMALL) */
	size_t stat_sz;
	struct probe_template *template;
	/* If its ids are not 0, the probes are fsessions (bpf/probe_fsession.bpf.h). */
	struct fsession_kfuncs kfuncs;
	struct prog_refs *refs; /* says which programs are sleepable; NULL without fsessions */
	struct own_runs own;	/* if its tgid is 0, the runs of bprof itself are not left out */
	/* if known, called functions are divided by the place of the call */
	struct call_site_at site;
	/* finds the addresses of trampolines; NULL if they do not matter or cannot be found */
	struct load_addrs_bpf *images;
	/*
	 * on riscv64: the slots that load_insns.c corrects, as bits, and the iterators that it uses
	 */
	__u32 load_slots;
	struct load_addrs_bpf *addrs;
	bool timed;   /* the kernel's run statistics were on when the biases were measured */
	__u64 random; /* chooses the first measured run of each target (--follow, --sample) */
};

/* The counts of the parts that probe__free_parts() has given to other keys. */
struct freed_parts {
	/* indexed by part: the key may have had another part before */
	bool reused[BPROF_KEY_PARTS];
	struct counts *rows; /* indexed as env->cpus */
};

/* The probe of one target. */
struct probe {
	struct probes *set;
	int prog_fd[PROBE_SIDE_CNT], link_fd[PROBE_SIDE_CNT];
	/*
	 * Elements struct bprof_cpu_stat of stat_sz bytes, indexed by CPU id; then the elements of
	 * the parts (struct bprof_retvals). If the target is a kernel function: the elements of all
	 * its pieces (struct bprof_pieces).
	 */
	struct mapped_array stats;
	size_t first_stat; /* offset of the first element in the map */
	size_t front_sz;   /* probe_stat__front_sz() */
	bool called;	   /* the target is a function of the kernel */
	/* the probe belongs to another target, see called_probe__share() */
	bool shared;
	struct mapped_array pool; /* fsessions: frames of BPROF_POOL_FRAME_SZ bytes each */
	__u64 memory;		  /* bytes of the session's limit that it uses */
	int pieces;		  /* called_probe__pieces() */
	int part_cnt; /* 0: the target's runs are not divided (backend_env__part_cnt()) */
	struct freed_parts *freed; /* NULL: none */
	size_t stat_sz;
	/* counts of the exit programs that were attached to this target before */
	struct exit_counts detached;
	__u64 lost_recursion; /* counts.lost[LOST_RECURSION] at the last reading: it must not fall */
	__u64 *lost_overflow; /* the same for LOST_OVERFLOW, indexed by CPU id */
	/* the result of key_read__find_row() for each part that had runs at a reading; else 0 */
	__u8 key_row[BPROF_KEY_PARTS];
	int cpu_limit;
	/* number of distributions, and index of the distribution of the clock */
	int hist_cnt, clock_hist;
	int hist_shift; /* hist__words_sz() */
	/*
	 * instructions that load addresses (load_insns.c): how many are between the readings, and
	 * how many the counts of the target's caller contain
	 */
	int load_insns, call_insns;
	bool insns_unknown;
	bool biased; /* biases are subtracted from its counts (calibration__apply()) */
};

static inline struct bprof_cpu_stat *probe__stat(const struct probe *p, int cpu)
{
	return (void *)((char *)p->stats.mem + p->front_sz + p->first_stat + cpu * p->stat_sz);
}

/* Returns the counts that all callers of a kernel function share on one CPU. */
static inline struct bprof_cpu_stat *probe__base(const struct probe *p, int cpu)
{
	return (void *)((char *)p->stats.mem + p->front_sz + cpu * p->stat_sz);
}

/* Returns the counts of the last piece of a kernel function, which no target reads (struct bprof_pieces). */
static inline struct bprof_cpu_stat *probe__rest(const struct probe *p, int cpu)
{
	return (void *)((char *)p->stats.mem + p->front_sz +
			((size_t)p->pieces * p->cpu_limit + cpu) * p->stat_sz);
}

/* Returns the pieces of the probe of a kernel function on one CPU. */
static inline struct bprof_pieces *probe__pieces(const struct probe *p, int cpu)
{
	return (void *)(probe__base(p, cpu) + 1);
}

/* Returns frame i of an fsession. i is below BPROF_POOL_FRAMES. */
static inline struct bprof_frame *probe__pool_frame(const struct probe *p, int i)
{
	return (void *)((char *)p->pool.mem + i * BPROF_POOL_FRAME_SZ);
}

/* Returns the sums of one part of the runs on one CPU; if part is -1, the sums of all runs. */
static inline struct bprof_cpu_stat *probe__part(const struct probe *p, int part, int cpu)
{
	return probe__stat(p, (1 + part) * p->cpu_limit + cpu);
}

/* Returns the keys of the parts. */
static inline struct bprof_keys *probe__keys(const struct probe *p)
{
	return probe_stat__hist(probe__stat(p, 0));
}

/* Returns the return values of the parts. */
static inline struct bprof_retvals *probe__retvals(const struct probe *p)
{
	return probe_stat__hist(probe__stat(p, 0));
}

/*
 * Returns the size, in bytes, of the counts of one target, or of one caller of a kernel function.
 */
__u64 probes__target_memory(const struct backend_env *env);
/*
 * Creates the maps that the probes of a session share. Returns 0, or -errno with *reason. The caller
 * closes *ps, also after an error, with probes__close().
 */
int probes__open(const struct backend_env *env, struct probes *ps, struct reason *reason);
/*
 * Makes *ps share the maps of "of". The probes of *ps are fsessions. Only the template belongs to
 * *ps; the caller closes the template, but not the maps.
 */
void probes__share(const struct probes *of, struct fsession_kfuncs kfuncs, struct probes *ps);
void probes__close(struct probes *ps);
/* Opens the template, from which all probes are loaded. Returns 0, or -errno with *reason. */
int probes__open_template(struct probes *ps, struct reason *reason);
/*
 * Returns true if this session's probes can be fsessions, and if a target needs one or a later
 * target may need one.
 */
bool probes__may_be_fsessions(const struct probes *ps);
/*
 * If the kernel has fsessions, and a target (or one that may be loaded later) needs one, sets
 * *kfuncs and ps->refs and returns 0. Otherwise returns -errno with *reason.
 */
int probes__find_fsessions(struct probes *ps, struct fsession_kfuncs *kfuncs,
			   struct reason *reason);
/* Returns true if this target should be measured with an fsession. */
bool probes__needs_fsession(const struct probes *ps, const struct target *t);
/*
 * Makes the probes of targets that are opened later distinguish exactly these contexts
 * (BPROF_CONTEXT_..., bits). No target may be open. Returns 0, or -errno with *reason; after an
 * error the contexts are as before.
 */
int probes__set_contexts(struct probes *ps, __u32 contexts, struct reason *reason);
/*
 * For multiplexed events, sets whether the probe subtracts the cost of reading the events (struct
 * bprof_rotation) from each run, in addition to the bias. Initially it does not. Discards the costs
 * measured so far. Does nothing for other events.
 */
void probes__subtract_readings(struct probes *ps, bool on);
/*
 * Prepares to attach each probe so that all probes add the same amount to the measurements of their
 * targets' callers. Does nothing if that is impossible.
 */
void probes__open_images(struct probes *ps);
/* Open and close the gate. probes__stop() waits a short time for runs in progress. */
void probes__start(struct probes *ps);
void probes__stop(struct probes *ps);

/*
 * Creates the counts of a target's probe, without biases. Returns 0, or -errno with *reason.
 * probe__close() also accepts a target without a probe.
 */
int probe__open(struct probes *ps, struct target *t, struct reason *reason);
void probe__close(struct target *t);
/*
 * Loads and attaches the probe of an open target. Repeats both, up to a limit, until the probe adds
 * the usual amount to the measurements of the target's callers.
 */
int probe__attach(struct target *t, struct reason *reason);
int probe__preload(struct target *t, struct reason *reason);
void probe__detach(struct target *t);
int probe__link_ids(const struct target *t, __u32 *ids);
bool probe__is_busy(const struct target *t);

/* Returns an open target's counts on one CPU, which bprof shares with the probe. */
struct bprof_cpu_stat *probe__find_stat(const struct target *t, int cpu);
/*
 * Returns the sums of the runs of a built-in program. All its runs return 0, or have the same key.
 */
struct bprof_cpu_stat *probe__find_sums(const struct target *t, int cpu);
/* Resets the sums of one element of the counts, except for the biases. */
void probe__reset_sums(const struct probe *p, struct bprof_cpu_stat *stat);
/* Resets the target's counts on one CPU, except for the bias. The gate must be closed. */
void probe__reset(const struct target *t, int cpu);
/*
 * Adds to *c what the kernel has counted for the programs that are loaded now, if there are any.
 * Returns 0 or -errno.
 */
int probe__count_exits(const struct probe *p, struct exit_counts *c);
/* Read a target's counts (struct counter_ops). */
int probe__read(const struct target *t, bool hists, struct counts *per_cpu, struct counts *no_cpu);
int probe__mark(const struct target *t, __u64 *mark);

#endif
