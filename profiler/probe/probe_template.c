// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The template of all probes: libbpf prepares a probe once, and the probe of each target is made
 * from it. Owns the step from the object file to programs in the kernel. Must not know what is
 * counted.
 *
 * libbpf takes longer to open and load an object than the kernel takes to verify it, and a session
 * may have hundreds of targets. So libbpf opens and loads the object once, for the built-in empty
 * program. For each target, the resulting instructions are loaded again, with another map of
 * counts.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "bpf/empty.skel.h"
#include "bpf/probe.h"
#include "bpf/trace.h"
#include "btf/call_graph.h"
#include "btf/fsession.h"
#include "btf/func_table.h"
#include "btf/own.h"
#include "btf/reason.h"
#include "btf/riscv64_addrs.h"
#include "kernel/feature.h"
#include "kernel/jited.h"
#include "kernel/mapped_array.h"
#include "kernel/verifier_log.h"
#include "probe/key_read.h"
#include "probe/own_runs.h"
#include "probe/probe_constants.h"
#include "probe/probe_template.h"
#include "probe/site_read.h"
#include "target/target.h"

/* The skeletons are included after the headers with the types of their variables. */
#include "bpf/probe.skel.h"
#include "bpf/probe_common.skel.h"
#include "bpf/probe_keys.skel.h"
#include "bpf/probe_shares.skel.h"
#include "bpf/probe_small.skel.h"
#include "bpf/probe_small_keys.skel.h"

/*
 * Large enough for the verifier's log of a rejected probe. Before Linux 6.4, it is an error if the
 * log does not fit.
 */
#define LOG_SZ (1 << 20)
/* The exit program of trace loads the return value twice: for a condition and for the record. */
#define RETVAL_INSNS_MAX 2

struct side_spec {
	const char *name; /* prefix of the programs' names; the number of events comes after it */
	int attach_type;  /* enum bpf_attach_type */
};

static const struct side_spec pair_sides[PROBE_SIDE_CNT] = {
	[PROBE_ENTRY] = {"bprof_entry", BPF_TRACE_FENTRY},
	[PROBE_EXIT] = {"bprof_exit", BPF_TRACE_FEXIT},
};

static const struct side_spec fsession_sides[PROBE_SIDE_CNT] = {
	[PROBE_EXIT] = {FSESSION_PROBE, ATTACH_TYPE_FSESSION},
};

static const char *const empty_names[EMPTY_CNT] = {
	[EMPTY_PROG] = "bprof_empty",
	[EMPTY_CALLS] = "bprof_calls",
	[EMPTY_ARGS] = "bprof_empty_args",
	[EMPTY_RAW] = "bprof_empty_raw",
	[EMPTY_SYSCALL] = "bprof_empty_syscall",
	[EMPTY_IRQ] = "bprof_empty_irq",
	[EMPTY_TAIL_CALLS] = "bprof_tail_calls",
	[CALLS_KERNEL] = "bprof_calls_kernel",
	[CALLS_MORE] = "bprof_calls_more",
	[CHECK_PROG] = "bprof_check",
	[CHECK_CALLS] = "bprof_check_calls",
	[CHECK_ARGS] = "bprof_check_args",
	[CHECK_RAW] = "bprof_check_raw",
	[CHECK_SYSCALL] = "bprof_check_syscall",
	[CHECK_IRQ] = "bprof_check_irq",
	[CHECK_TAIL_CALLS] = "bprof_check_tail_calls",
};

/* The kinds of probes in a template: probes of BPF functions, and probes of kernel functions. */
enum template_kind { OF_BPF, OF_KERNEL, TEMPLATE_KINDS };

/* A program of the template, and its instructions that differ from target to target. */
struct template_prog {
	struct bpf_program *prog;
	int retval_insns[RETVAL_INSNS_MAX]; /* these instructions load the return value */
	int retval_cnt;
	/* the instruction that loads the target's number (bprof_run.caller); -1: none */
	int caller_insn;
	int map_insn; /* the instruction that loads the map that is passed to a call; -1: none */
	int key_insn; /* the first of the instructions that read the key of a run; -1: none */
};

struct probe_template {
	struct probe_template_opts opts;
	const struct side_spec *sides;
	struct empty_bpf *empty;
	__u32 empty_id;		/* program id of EMPTY_PROG */
	struct bpf_object *obj; /* the object file that has the programs; there are several */
	struct template_prog prog[TEMPLATE_KINDS][PROBE_SIDE_CNT];
	int stats_fd; /* the map of counts of the template's own probe */
	char *log;
	pthread_mutex_t log_lock; /* several threads may load probes */
};

/*
 * The maximum size of the only element of a map (BPROF_DIRECT): older kernels refuse larger
 * elements (KMALLOC_MAX_SIZE in kernel/bpf/arraymap.c). If the counts of all CPUs do not fit into
 * this size, each CPU has an element of its own, and bprof uses the general pairs, which look the
 * element up.
 */
#define DIRECT_SZ_MAX (4 << 20)

static int explain_refusal(const struct probe_template *t, struct reason *reason, int err)
{
	log_debug_lines(t->log);
	reason__from_verifier(reason, err, t->log);
	features__explain_perm(reason);
	return err;
}

static bool is_fsession(const struct probe_template_opts *o)
{
	return o->kfuncs.cookie;
}

/* Returns true if the probes add up the shares of functions (bpf/probe_shares.bpf.c). */
static bool has_shares(const struct probe_template_opts *o)
{
	return o->nested && o->trace;
}

/* Returns true if the probes divide a target's runs: by return value, or by a key (bpf/probe_key.bpf.h). */
static bool divides(const struct probe_template_opts *o)
{
	return o->by == BY_RETVAL || run_key__is_read(o->by);
}

/* Returns true if the probes of trace read the cgroup of the task (bpf/probe_keys.bpf.c). */
static bool reads_cgroups(const struct probe_template_opts *o)
{
	return o->trace && o->trace->cgroups;
}

/* The pairs of programs that are compiled for exactly these flags (bpf/probe_common.bpf.c). */
static const struct {
	const char *name;
	__u64 flags;
} common_pairs[] = {
	{"c", BPROF_CONFIG_HIST},
	{"cm", BPROF_CONFIG_HIST | BPROF_CONFIG_MIGRATION},
	{"ci", BPROF_CONFIG_HIST | BPROF_CONFIG_MIGRATION | BPROF_CONFIG_IRQ},
	{"cx", BPROF_CONFIG_HIST | BPROF_CONFIG_CONTEXT},
	{"s", 0},
	{"sm", BPROF_CONFIG_MIGRATION},
	{"si", BPROF_CONFIG_MIGRATION | BPROF_CONFIG_IRQ},
	{"sx", BPROF_CONFIG_CONTEXT},
};

/* Returns the name of the pair that is compiled for exactly this config, or NULL if there is none. */
static const char *common_name(const struct probe_template_opts *o)
{
	/* The code of these pairs contains an address that load_insns.c does not know. */
	if (RISCV64_HERE || BPROF_DIRECT + o->stat_cnt * o->stat_sz > DIRECT_SZ_MAX)
		return NULL;
	if (!o->small || !o->event_cnt || o->hist_shift || divides(o))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(common_pairs); i++)
		if (o->config == (common_pairs[i].flags | o->event_cnt))
			return common_pairs[i].name;
	return NULL;
}

/*
 * Replaces the placeholders in the probe with the config, this kernel's offsets, and the offset of
 * the return value.
 */
static int set_constants(struct probe_template *t, struct template_prog *p)
{
	const struct probe_constants constants = {
		.config = t->opts.config,
		.migration_disabled = t->opts.at.migration_disabled,
		.rcu_read_lock_nesting = t->opts.at.rcu_read_lock_nesting,
		/*
		 * The return value comes after the arguments. The built-in empty program has one
		 * argument.
		 */
		.retval = sizeof(__u64),
		.kfuncs = t->opts.kfuncs,
		.stats_fd = t->stats_fd,
		.cpus = t->opts.stat_cnt,
		.stat_sz = t->opts.stat_sz,
		.hist_shift = t->opts.hist_shift,
	};
	size_t cnt = bpf_program__insn_cnt(p->prog);
	struct bpf_insn *insns = xmalloc(cnt * sizeof(*insns));
	int err = 0;

	memcpy(insns, bpf_program__insns(p->prog), cnt * sizeof(*insns));
	p->caller_insn = p->map_insn = p->key_insn = -1;
	for (size_t i = 0; !err && i < cnt; i++) {
		if (probe_constants__is_caller(&insns[i])) {
			err = p->caller_insn < 0 ? 0 : -E2BIG;
			p->caller_insn = i;
		}
		if (probe_constants__is_map(&insns[i])) {
			err = p->map_insn < 0 ? 0 : -E2BIG;
			p->map_insn = i;
		}
		if (key_read__begins(&insns[i])) {
			err = p->key_insn < 0 ? 0 : -E2BIG;
			p->key_insn = i;
			/*
			 * the template's own probe is attached only to EMPTY_PROG: all its runs
			 * have the same key
			 */
			key_read__make(t->opts.key, KEY_FROM_NOTHING, true, &insns[i]);
		}
		if (key_read__is_names(&insns[i]))
			insns[i].imm = key_read__needs_names(t->opts.key);
		if (!probe_constants__is_retval(&insns[i]))
			continue;
		if (p->retval_cnt == RETVAL_INSNS_MAX)
			err = -E2BIG;
		else
			p->retval_insns[p->retval_cnt++] = i;
	}
	probe_constants__set(&constants, insns, cnt);
	if (t->opts.site)
		site_read__fill(t->opts.site, insns, cnt);
	err = err ?: bpf_program__set_insns(p->prog, insns, cnt);
	free(insns);
	return err;
}

/*
 * Returns the number of events for which the chosen programs are made (bpf/probe.bpf.c,
 * DEFINE_...()).
 */
static int program_events(const struct probe_template_opts *o, enum template_kind kind)
{
	int max = o->nested ? BPROF_NESTED_EVENTS_MIN : 1, factor = 2;

	if (common_name(o))
		return o->event_cnt;
	if (is_fsession(o) || divides(o) || has_shares(o) || reads_cgroups(o))
		max = factor = BPROF_RETVAL_EVENTS_MIN;
	if (kind == OF_KERNEL)
		max = factor = BPROF_CALLED_EVENTS_MIN;
	while (max < o->event_cnt)
		max *= factor;
	return max;
}

/* Prepares one program of the template to be loaded. */
static int choose_program(struct probe_template *t, enum template_kind kind, enum probe_side side)
{
	const struct probe_template_opts *o = &t->opts;
	struct template_prog *p = &t->prog[kind][side];
	const char *common = common_name(o);
	/* The exit programs of bprof trace have a name of their own. */
	const char *trace = side != PROBE_EXIT || kind != OF_BPF || !o->trace ? ""
			    : o->trace->words_off			      ? "p"
									      : "t";
	char name[32];

	snprintf(name, sizeof(name), "%s_%s%s%s%s%s%d", t->sides[side].name, common ?: "",
		 o->by == BY_RETVAL && side == PROBE_EXIT ? "r" : "",
		 kind == OF_KERNEL ? "k"
		 : o->nested	   ? "n"
				   : "",
		 o->multiplexed ? "m" : "", trace, program_events(o, kind));
	p->prog = bpf_object__find_program_by_name(t->obj, name);
	if (!p->prog)
		return -ENOENT;
	bpf_program__set_expected_attach_type(p->prog, t->sides[side].attach_type);
	return bpf_program__set_autoload(p->prog, true) ?:
	       bpf_program__set_attach_target(p->prog, probe_template__empty_fd(t, EMPTY_PROG),
					      empty_names[EMPTY_PROG]) ?:
	       set_constants(t, p) ?:
	       bpf_program__set_log_buf(p->prog, t->log, LOG_SZ);
}

/*
 * Chooses a pair of entry and exit program: the pair for exactly this config if there is one
 * (bpf/probe_common.bpf.c), else the general pair for this many events or a few more
 * (bpf/probe_small.bpf.c; bpf/probe.bpf.c, DEFINE_NESTED_PAIRS()), or the program of fsessions
 * (DEFINE_FSESSIONS()). For --by retval, only the exit programs are special. Other keys of --by
 * have programs of their own (bpf/probe_keys.bpf.c, bpf/probe_small_keys.bpf.c), and so does bprof
 * trace if it reads cgroups. For nested targets, bprof trace has its own programs
 * (bpf/probe_shares.bpf.c, DEFINE_SHARES()). If calls of kernel functions are measured, there is a
 * second pair, for the kernel functions (DEFINE_CALLED_PAIRS()).
 */
static int choose_programs(struct probe_template *t)
{
	int kinds = t->opts.config & BPROF_CONFIG_CALLS ? TEMPLATE_KINDS : 1, err = 0;
	struct bpf_program *prog;

	bpf_object__for_each_program (prog, t->obj)
		bpf_program__set_autoload(prog, false);
	for (int kind = 0; kind < kinds; kind++)
		for (int i = 0; !err && i < PROBE_SIDE_CNT; i++)
			if (probe_template__has_side(t, i))
				err = choose_program(t, kind, i);
	return err;
}

size_t probe_template__first_stat(const struct probe_template *t)
{
	return common_name(&t->opts) ? BPROF_DIRECT : 0;
}

static int create_program_stats(const struct probe_template *t, int pieces,
				struct mapped_array *stats)
{
	const struct probe_template_opts *o = &t->opts;

	if (common_name(o))
		return mapped_array__create(stats, "bprof_stats",
					    BPROF_DIRECT + o->stat_cnt * o->stat_sz, 1);
	return mapped_array__create(stats, "bprof_stats", o->stat_sz, o->stat_cnt * (1 + pieces));
}

/* Creates the map of counts of the template's own probe. */
static int open_stats(struct probe_template *t)
{
	struct mapped_array stats;
	int err = create_program_stats(t, 0, &stats);

	if (!err) {
		t->stats_fd = stats.fd;
		stats.fd = -1;
	}
	mapped_array__close(&stats);
	return err;
}

/* Returns the descriptor of the object's map with this name, or -1. */
static int find_map_fd(const struct probe_template *t, const char *name)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(t->obj, name);

	return map ? bpf_map__fd(map) : -1;
}

/* Makes the object use an existing map, or no map. */
static int prepare_map(struct probe_template *t, const char *name, bool needed, int fd)
{
	struct bpf_map *map = bpf_object__find_map_by_name(t->obj, name);

	if (!needed)
		return map ? bpf_map__set_autocreate(map, false) : 0;
	return map ? bpf_map__reuse_fd(map, fd) : -ENOENT;
}

/* Sets the config of bprof trace, which is the only constant of the object. */
static int set_trace(struct probe_template *t)
{
	struct bpf_map *map = bpf_object__find_map_by_name(t->obj, ".rodata");

	return map ? bpf_map__set_initial_value(map, t->opts.trace, sizeof(*t->opts.trace))
		   : -ENOENT;
}

static int prepare_maps(struct probe_template *t)
{
	const struct probe_template_opts *o = &t->opts;

	return prepare_map(t, "bprof_runs", o->nested, o->runs_fd) ?:
	       prepare_map(t, "bprof_rotation", o->multiplexed, o->rotation_fd) ?:
	       prepare_map(t, "bprof_records", o->trace, o->records_fd) ?:
	       prepare_map(t, "bprof_stats", !common_name(o), t->stats_fd) ?:
	       prepare_map(t, "bprof_events", true, o->events_fd) ?:
	       prepare_map(t, ".data.gate", true, o->gate_fd) ?:
	       (is_fsession(o) ? 0 : prepare_map(t, "bprof_pool", false, -1)) ?:
	       (o->trace ? set_trace(t) : 0);
}

static struct bpf_program *find_empty(const struct probe_template *t, enum empty which)
{
	return bpf_object__find_program_by_name(t->empty->obj, empty_names[which]);
}

/* Loads the built-in programs that are needed, and reads the id of EMPTY_PROG. */
static int load_empties(struct probe_template *t)
{
	__u32 which = t->opts.empties | 1U << EMPTY_PROG;
	struct bpf_prog_info info = {};
	__u32 sz = sizeof(info);
	int err = 0;

	t->empty = empty_bpf__open();
	if (!t->empty)
		return -errno;
	for (int i = 0; !err && i < EMPTY_CNT; i++)
		err = bpf_program__set_autoload(find_empty(t, i), which >> i & 1);
	if (!err && !(which & (1U << EMPTY_TAIL_CALLS | 1U << CHECK_TAIL_CALLS)))
		err = bpf_map__set_autocreate(t->empty->maps.bprof_no_progs, false);
	err = err ?: empty_bpf__load(t->empty);
	if (!err && bpf_obj_get_info_by_fd(probe_template__empty_fd(t, EMPTY_PROG), &info, &sz))
		err = -errno;
	t->empty_id = info.id;
	return err;
}

/*
 * Opens the object file that has the programs for these options. Returns NULL with errno set on
 * failure.
 */
static struct bpf_object *open_object(const struct probe_template_opts *o)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "bprof");
	size_t sz;
	const bool keys = run_key__is_read(o->by) || reads_cgroups(o);
	const void *elf = common_name(o)     ? probe_common_bpf__elf_bytes(&sz)
			  : o->small && keys ? probe_small_keys_bpf__elf_bytes(&sz)
			  : o->small	     ? probe_small_bpf__elf_bytes(&sz)
			  : has_shares(o)    ? probe_shares_bpf__elf_bytes(&sz)
			  : keys	     ? probe_keys_bpf__elf_bytes(&sz)
					     : probe_bpf__elf_bytes(&sz);

	return bpf_object__open_mem(elf, sz, &opts);
}

static int try_open(const struct probe_template_opts *o, struct probe_template **out,
		    struct reason *reason)
{
	struct probe_template *t = xcalloc(1, sizeof(*t));
	int err;

	*out = NULL;
	t->opts = *o;
	t->sides = is_fsession(o) ? fsession_sides : pair_sides;
	t->stats_fd = -1;
	pthread_mutex_init(&t->log_lock, NULL);
	t->log = xcalloc(1, LOG_SZ);
	err = load_empties(t);
	if (!err) {
		t->obj = open_object(o);
		err = t->obj ? open_stats(t) ?: choose_programs(t) ?: prepare_maps(t) : -errno;
	}
	if (!err)
		err = bpf_object__load(t->obj);
	if (err) {
		explain_refusal(t, reason, err);
		/*
		 * The refused probe is for EMPTY_PROG, so the reason is on one of bprof's own
		 * programs.
		 */
		jited__correct(reason);
	} else {
		err = jited__check_object(t->obj, reason);
	}
	if (err) {
		probe_template__close(t);
		return err;
	}
	*out = t;
	return 0;
}

int probe_template__open(const struct probe_template_opts *o, struct probe_template **out,
			 struct reason *reason)
{
	int err;

	/* Repeat the load if a signal has interrupted the verifier: see VERIFIER_ATTEMPTS. */
	do
		err = try_open(o, out, reason);
	while (err == -EAGAIN);
	return err;
}

void probe_template__close(struct probe_template *t)
{
	if (!t)
		return;
	bpf_object__close(t->obj);
	empty_bpf__destroy(t->empty);
	if (t->stats_fd >= 0)
		close(t->stats_fd);
	pthread_mutex_destroy(&t->log_lock);
	free(t->log);
	free(t);
}

int probe_template__empty_fd(const struct probe_template *t, enum empty which)
{
	return bpf_program__fd(find_empty(t, which));
}

bool probe_template__has_side(const struct probe_template *t, enum probe_side side)
{
	return t->sides[side].name;
}

static bool is_template(const struct probe_template *t, const struct target *target)
{
	return target->prog->info.id == t->empty_id;
}

static int dup_fd(int fd)
{
	int copy = dup(fd);

	return copy < 0 ? -errno : copy;
}

int probe_template__create_stats(const struct probe_template *t, const struct target *target,
				 int pieces, struct mapped_array *stats)
{
	int fd;

	if (!is_template(t, target))
		return create_program_stats(t, pieces, stats);
	*stats = MAPPED_ARRAY_NONE;
	fd = dup_fd(t->stats_fd);
	return fd < 0 ? fd
		      : mapped_array__map(stats, fd,
					  probe_template__first_stat(t) +
						  t->opts.stat_cnt * t->opts.stat_sz,
					  1);
}

int probe_template__create_pool(const struct probe_template *t, const struct target *target,
				struct mapped_array *pool)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(t->obj, "bprof_pool");
	size_t sz = bpf_map__value_size(map);
	int cnt = bpf_map__max_entries(map), fd;

	if (!is_template(t, target))
		return mapped_array__create(pool, bpf_map__name(map), sz, cnt);
	*pool = MAPPED_ARRAY_NONE;
	fd = dup_fd(bpf_map__fd(map));
	return fd < 0 ? fd : mapped_array__map(pool, fd, sz, cnt);
}

/*
 * Makes the exit probe load the target's return value. If the target returns no integer, makes it
 * load 0, which also takes one instruction.
 */
static void set_retval_loads(const struct template_prog *p, const struct target *target,
			     struct bpf_insn *insns)
{
	for (int i = 0; i < p->retval_cnt; i++) {
		struct bpf_insn *insn = &insns[p->retval_insns[i]];

		if (target__ret_sz(target))
			insn->off = target->shape.args * sizeof(__u64);
		else
			*insn = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K,
						  .dst_reg = insn->dst_reg};
	}
}

/*
 * Makes the probe read the key of a run. In a built-in program, the probe gives all runs the same
 * key, so that calibration finds their counts in one part. The probe takes as long as with
 * different keys.
 */
static void set_key_reads(const struct probe_template *t, const struct target *target,
			  struct bpf_insn *insns)
{
	bool builtin = prog_name__is_own(prog__name(target->prog));
	enum key_source from = run_key__source(t->opts.by, prog__context_type(target->prog));

	/*
	 * If the key comes from the task, the probe can read it in all runs, even of a built-in
	 * program. A key of a packet is not read in runs of built-in programs.
	 */
	if (builtin && run_key__source(t->opts.by, BPF_PROG_TYPE_TRACING))
		from = KEY_FROM_TASK;
	else if (builtin)
		from = KEY_FROM_NOTHING;
	key_read__make(t->opts.key, from, builtin, insns);
}

/*
 * Makes the probe of a kernel function load the map that is an argument of the function. If no
 * argument is a map, makes it load 0, which also takes one instruction.
 */
static void set_map(const struct target *target, struct bpf_insn *insn)
{
	if (target->called.map_param)
		insn->off = (target->called.map_param - 1) * sizeof(__u64);
	else
		*insn = (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K,
					  .dst_reg = insn->dst_reg};
}

/*
 * Changes the instructions that load the address of one of the template's maps: they load the
 * address of another map.
 */
static void replace_map(struct bpf_insn *insns, size_t cnt, int template_fd, int fd)
{
	for (size_t i = 0; i < cnt; i++)
		if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
		    (insns[i].src_reg == BPF_PSEUDO_MAP_FD ||
		     insns[i].src_reg == BPF_PSEUDO_MAP_VALUE) &&
		    insns[i].imm == template_fd)
			insns[i].imm = fd;
}

/*
 * Copies the template's instructions for a target, with other maps of counts and of frames. Sets
 * *insn_cnt to the number of instructions. The caller frees the copy.
 */
static struct bpf_insn *copy_insns(const struct probe_template *t, enum probe_side side,
				   const struct target *target, int stats_fd, int pool_fd,
				   size_t *insn_cnt)
{
	enum template_kind kind = target__is_called(target) ? OF_KERNEL : OF_BPF;
	const struct template_prog *p = &t->prog[kind][side];
	/*
	 * The instructions contain libbpf's descriptor of bprof_stats. Those of a common pair,
	 * whose map libbpf does not know, contain t->stats_fd.
	 */
	int template_fd = common_name(&t->opts) ? t->stats_fd : find_map_fd(t, "bprof_stats");
	size_t cnt = bpf_program__insn_cnt(p->prog);
	struct bpf_insn *insns = xmalloc(cnt * sizeof(*insns));

	memcpy(insns, bpf_program__insns(p->prog), cnt * sizeof(*insns));
	replace_map(insns, cnt, template_fd, stats_fd);
	if (is_fsession(&t->opts))
		replace_map(insns, cnt, find_map_fd(t, "bprof_pool"), pool_fd);
	if (side == PROBE_EXIT)
		set_retval_loads(p, target, insns);
	if (p->caller_insn >= 0)
		insns[p->caller_insn].imm = target->caller_number;
	if (p->map_insn >= 0)
		set_map(target, &insns[p->map_insn]);
	if (p->key_insn >= 0)
		set_key_reads(t, target, &insns[p->key_insn]);
	if (t->opts.site)
		site_read__set_args(t->opts.site, target->shape.args, insns, cnt);
	else
		cnt = site_read__drop(insns, cnt);
	if (t->opts.own && target->others_only)
		own_runs__add_check(t->opts.own, insns, cnt);
	else
		cnt = own_runs__drop_check(insns, cnt);
	*insn_cnt = cnt;
	return insns;
}

static int load_insns(const struct side_spec *side, const struct bpf_insn *insns, size_t cnt,
		      struct bpf_prog_load_opts *opts)
{
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, side->name, "Dual BSD/GPL", insns, cnt, opts);

	return fd < 0 ? -errno : fd;
}

/*
 * After the kernel has refused a probe, loads the probe once more, with a log that shows the
 * reason.
 */
static int load_with_log(struct probe_template *t, enum probe_side side,
			 const struct bpf_insn *insns, size_t cnt, struct bpf_prog_load_opts *opts,
			 struct reason *reason)
{
	int fd;

	pthread_mutex_lock(&t->log_lock);
	t->log[0] = '\0';
	opts->log_level = 1;
	opts->log_buf = t->log;
	opts->log_size = LOG_SZ;
	fd = load_insns(&t->sides[side], insns, cnt, opts);
	if (fd < 0)
		fd = explain_refusal(t, reason, fd);
	pthread_mutex_unlock(&t->log_lock);
	return fd;
}

static int load_side(struct probe_template *t, enum probe_side side, const struct target *target,
		     int stats_fd, int pool_fd, struct reason *reason)
{
	struct bpf_insn *insns;
	size_t cnt;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = t->sides[side].attach_type,
		    .attach_prog_fd = target__is_called(target) ? 0 : target->prog->fd,
		    .attach_btf_id = target->func_btf_id, .attempts = VERIFIER_ATTEMPTS);
	int fd, module;

	if (is_template(t, target))
		return dup_fd(bpf_program__fd(t->prog[OF_BPF][side].prog));
	/* 0: a function that is in no module needs no descriptor */
	module = target->called.module ? bpf_btf_get_fd_by_id(target->called.module) : 0;
	if (module < 0)
		return reason__set(reason, REASON_SYSTEM, errno,
				   "opening the BTF of its module: %s", strerror(errno));
	opts.attach_btf_obj_fd = module;
	insns = copy_insns(t, side, target, stats_fd, pool_fd, &cnt);
	fd = load_insns(&t->sides[side], insns, cnt, &opts);
	if (fd < 0)
		fd = load_with_log(t, side, insns, cnt, &opts, reason);
	free(insns);
	if (module)
		close(module);
	return fd;
}

int probe_template__load(struct probe_template *t, enum probe_side side,
			 const struct target *target, int stats_fd, int pool_fd,
			 struct reason *reason)
{
	int fd = load_side(t, side, target, stats_fd, pool_fd, reason);
	int err = fd < 0 ? 0 : jited__check(fd, reason);

	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

/* Returns true if a loaded program of the template calls the function with that imm. */
static bool prog_calls(const struct bpf_program *prog, __s32 imm)
{
	struct bpf_insn *insns;
	bool found = false;
	struct prog *p;
	__u32 cnt;

	if (!prog || prog__open_fd(dup(bpf_program__fd(prog)), &p))
		return false;
	if (!prog__read_insns(p, &insns, &cnt)) {
		for (__u32 i = 0; i < cnt; i++)
			found |= insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].imm == imm;
		free(insns);
	}
	prog__close(p);
	return found;
}

bool probe_template__calls(const struct probe_template *t, __s32 imm)
{
	for (int kind = 0; kind < TEMPLATE_KINDS; kind++)
		for (int i = 0; i < PROBE_SIDE_CNT; i++)
			if (prog_calls(t->prog[kind][i].prog, imm))
				return true;
	return false;
}
