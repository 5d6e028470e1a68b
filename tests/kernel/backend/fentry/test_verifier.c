// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that the verifier of each kernel accepts every probe. No other test in this VM loads the
 * probes for multiplexed events, which need a PMU, and the probes for sixteen events.
 */
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "backend/probe_stat.h"
#include "base/hist.h"
#include "bpf/probe.h"
#include "bpf/trace.h"
#include "btf/fsession.h"
#include "probe/probe_constants.h"
#include "probe/site_read.h"
#include "tests/kernel/harness.h"

/* This header uses types of the headers above. */
#include "bpf/probe.skel.h"
#include "bpf/probe_common.skel.h"
#include "bpf/probe_keys.skel.h"
#include "bpf/probe_shares.skel.h"
#include "bpf/probe_small.skel.h"
#include "bpf/probe_small_keys.skel.h"

/*
 * Returns a configuration of bprof trace. If all is set, it has all conditions and all optional
 * parts of a record, else none of them.
 */
static struct bprof_trace_config trace_config(bool all, size_t words_off)
{
	struct bprof_trace_config c = {.limit = 1000, .words_off = words_off};

	if (!all)
		return c;
	c.slots = ~0U;
	c.retvals = 1;
	c.every = 100;
	c.stack_sz = BPROF_TRACE_STACK_SZ;
	c.snap = BPROF_TRACE_SNAP_MAX;
	c.args = BPROF_TRACE_ARGS;
	c.arg_conds = 1;
	c.at.xdp_flags = 64;
	return c;
}

/*
 * Returns the byte offset of a member of this kernel's struct task_struct, or 0 if there is none.
 */
static __u32 find_offset(const struct btf *btf, const char *member)
{
	const struct btf_type *t =
		btf__type_by_id(btf, btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT));

	for (int i = 0; i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), member))
			return btf_member_bit_offset(t, i) / 8;
	return 0;
}

/*
 * Returns the id of a kfunc of fsessions, or 0 if the kernel does not have it. Before Linux 7.0,
 * kfuncs with these names were for kprobe sessions, and had no argument.
 */
static __u32 find_kfunc(const struct btf *btf, const char *name)
{
	__s32 id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);

	if (id < 0)
		return 0;
	return btf_vlen(btf__type_by_id(btf, btf__type_by_id(btf, id)->type)) ? id : 0;
}

static bool is_fsession(const struct bpf_program *prog)
{
	return strstr(bpf_program__name(prog), FSESSION_PROBE);
}

/*
 * Returns how the probes of called functions read the place of the call, as kernel/call_site.c
 * finds it.
 */
static struct call_site_at find_site(const struct btf *btf)
{
	__u32 cast = find_kfunc(btf, "bpf_rdonly_cast");

	return (struct call_site_at){
		.align = 16,
		.at = 40,
		.cast_id = cast,
		.type_id = cast ? btf__find_by_name_kind(btf, "timespec64", BTF_KIND_STRUCT) : 0,
	};
}

/* If site is NULL, the probes of called functions do not read the place of the call. */
static void set_constants(struct bpf_program *prog, const struct probe_constants *constants,
			  const struct call_site_at *site)
{
	size_t cnt = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns = calloc(cnt, sizeof(*insns));

	assert_non_null(insns);
	memcpy(insns, bpf_program__insns(prog), cnt * sizeof(*insns));
	probe_constants__set(constants, insns, cnt);
	if (site)
		site_read__fill(site, insns, cnt);
	assert_int_equal(bpf_program__set_insns(prog, insns, cnt), 0);
	free(insns);
}

/* Returns true if this kernel can load the probe with these flags. */
static bool is_for(const struct bpf_program *prog, __u32 flags, __u32 migration, __u32 rcu)
{
	const char *variant = strrchr(bpf_program__name(prog), '_') + 1;

	/* These probes use an atomic compare-and-exchange, which came with Linux 5.12. */
	if (strstr(bpf_program__name(prog), "exit_r"))
		return !kernel_is("5.10");
	/*
	 * The probe is compiled for one context, with distributions (c) or without (s)
	 * (bpf/probe_common.bpf.c).
	 */
	if (*variant != 'c' && *variant != 's')
		return true;
	if ((variant[1] == 'm' || variant[1] == 'i') && !migration)
		return false;
	if (variant[1] == 'x' && !rcu)
		return false;
	return !(flags & BPROF_CONFIG_HIST) == (*variant == 's');
}

/*
 * With more stack, the kernel gives a program a private stack, and each call of a helper takes two
 * more instructions. On arm64, the number of instructions that load the stack's address then also
 * differs between two loaded programs (reload() in bpf/probe_pair.bpf.h).
 */
#define STACK_MAX 48

/*
 * Returns true for all probes except those that need more stack: probes for multiplexed events,
 * probes that are fsessions, and, with more than eight events, probes of nested targets and of
 * functions that they call.
 */
static bool has_small_stack(const struct bpf_program *prog)
{
	const char *variant = strrchr(bpf_program__name(prog), '_') + 1;

	if (is_fsession(prog) || ((*variant == 'n' || *variant == 'k') && strstr(variant, "16")))
		return false;
	variant += *variant == 'r';
	variant += *variant == 'n' || *variant == 'k';
	return *variant != 'm';
}

/* If a probe needs too much stack, writes its name to buf. The verifier says how much it needs. */
static void check_stack(const struct bpf_program *prog, char *buf, size_t sz)
{
	const char *log = bpf_program__log_buf(prog, &(size_t){0});
	const char *depth = strstr(log, "stack depth ");

	if (!depth)
		snprintf(buf, sz, "%s: no stack depth", bpf_program__name(prog));
	else if (has_small_stack(prog) && atoi(depth + strlen("stack depth ")) > STACK_MAX)
		snprintf(buf, sz, "%s: %s", bpf_program__name(prog), depth);
}

/* The log has only statistics and errors. There is one buffer for each program. */
#define LOG_LEVEL 4
#define LOG_SZ 65536
#define PROBES_MAX 150

/* Loads the probes of one object in all variants that may matter to the verifier. */
static void load_object(struct target t, const void *elf, size_t elf_sz, __u32 flags, int shift,
			bool trace)
{
	struct btf *btf = btf__load_vmlinux_btf();
	__u32 migration = find_offset(btf, "migration_disabled");
	__u32 rcu = find_offset(btf, "rcu_read_lock_nesting");
	const size_t words_off = sizeof(struct bprof_trace_cpu) +
				 (trace ? BPROF_TRACE_STACK_SZ + BPROF_TRACE_SNAP_MAX +
						  BPROF_TRACE_ARGS * BPROF_ARG_SZ
					: 0);
	const size_t area = words_off + BPROF_HIST_BUCKETS * sizeof(__u64);
	size_t hists = (flags & BPROF_CONFIG_HIST ? BPROF_SLOTS : 0) * hist__words_sz(shift);
	struct bpf_object *obj = bpf_object__open_mem(elf, elf_sz, NULL);
	struct bprof_trace_config config = trace_config(trace, words_off);
	struct fsession_kfuncs kfuncs;
	struct call_site_at site = find_site(btf);
	struct probe_constants constants;
	struct bpf_program *prog;
	char *logs = calloc(PROBES_MAX, LOG_SZ), *log = logs, bad[256] = "";
	size_t stat_sz;
	int err, stats_fd;

	kfuncs = (struct fsession_kfuncs){.is_return = find_kfunc(btf, "bpf_session_is_return"),
					  .cookie = find_kfunc(btf, "bpf_session_cookie")};
	btf__free(btf);
	if (!migration)
		flags &= ~BPROF_CONFIG_MIGRATION;
	if (!rcu)
		flags &= ~BPROF_CONFIG_RCU;
	constants = (struct probe_constants){.config = BPROF_MAX_EVENTS | flags,
					     .migration_disabled = migration,
					     .rcu_read_lock_nesting = rcu,
					     .retval = sizeof(__u64),
					     .kfuncs = kfuncs,
					     .hist_shift = shift,
					     .cpus = 1};
	assert_non_null(obj);
	assert_non_null(logs);
	stat_sz = probe_stat__sz(false) + hists + area;
	stats_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "stats", sizeof(__u32),
				  BPROF_DIRECT + stat_sz, 1, NULL);
	assert_true(stats_fd >= 0);
	constants.stats_fd = stats_fd;
	constants.stat_sz = stat_sz;
	/* Probes with shares add up the shares in memory after the runs. */
	err = bpf_map__set_value_size(bpf_object__find_map_by_name(obj, "bprof_runs"),
				      sizeof(struct bprof_shares)) ?:
	      bpf_map__set_initial_value(bpf_object__find_map_by_name(obj, ".rodata"), &config,
					 sizeof(config)) ?:
	      bpf_map__set_max_entries(bpf_object__find_map_by_name(obj, "bprof_events"),
				       BPROF_MAX_EVENTS) ?:
	      bpf_map__set_value_size(bpf_object__find_map_by_name(obj, "bprof_stats"), stat_sz);
	assert_int_equal(err, 0);
	bpf_object__for_each_program (prog, obj) {
		if (!is_for(prog, flags, migration, rcu) || (is_fsession(prog) && !kfuncs.cookie))
			bpf_program__set_autoload(prog, false);
		if (is_fsession(prog))
			bpf_program__set_expected_attach_type(prog, ATTACH_TYPE_FSESSION);
		set_constants(prog, &constants, flags & BPROF_CONFIG_CALLS ? &site : NULL);
		bpf_program__set_attach_target(prog, t.fd, "xdp_pass");
		assert_true(log < logs + PROBES_MAX * LOG_SZ);
		bpf_program__set_log_level(prog, LOG_LEVEL);
		bpf_program__set_log_buf(prog, log, LOG_SZ);
		log += LOG_SZ;
	}
	err = bpf_object__load(obj);
	bpf_object__for_each_program (prog, obj)
		if (!err && bpf_program__autoload(prog))
			check_stack(prog, bad, sizeof(bad));
	bpf_object__close(obj);
	close(stats_fd);
	/* libbpf stops at the first program that is rejected. It is the last one that has a log. */
	while (err && log > logs && !*log)
		log -= LOG_SZ;
	if (err)
		fail_test("flags %#x: error %d: %.4000s", flags, err, log);
	assert_string_equal(bad, "");
	free(logs);
}

static void load_coarse(struct target t, __u32 flags, int shift, bool trace)
{
	size_t sz, common_sz, small_sz, shares_sz, keys_sz, small_keys_sz;
	const void *elf = probe_bpf__elf_bytes(&sz),
		   *common = probe_common_bpf__elf_bytes(&common_sz),
		   *small = probe_small_bpf__elf_bytes(&small_sz),
		   *shares = probe_shares_bpf__elf_bytes(&shares_sz),
		   *keys = probe_keys_bpf__elf_bytes(&keys_sz),
		   *small_keys = probe_small_keys_bpf__elf_bytes(&small_keys_sz);

	load_object(t, elf, sz, flags, shift, trace);
	load_object(t, common, common_sz, flags, 0,
		    trace); /* these probes are compiled for the finest buckets */
	load_object(t, small, small_sz, flags, shift, trace);
	load_object(t, shares, shares_sz, flags, shift, trace);
	/* These probes need an atomic compare-and-exchange, too. */
	if (kernel_is("5.10"))
		return;
	load_object(t, keys, keys_sz, flags, shift, trace);
	load_object(t, small_keys, small_keys_sz, flags, shift, trace);
}

static void load_probes(struct target t, __u32 flags, bool trace)
{
	load_coarse(t, flags, 0, trace);
}

static void test_probes(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");

	load_probes(t, 0, false);
	load_probes(t, BPROF_CONFIG_CLOCK | BPROF_CONFIG_HIST, true);
	load_probes(t, BPROF_CONFIG_CLOCK | BPROF_CONFIG_HIST | BPROF_CONFIG_CALLS, false);
	load_coarse(t, BPROF_CONFIG_CLOCK | BPROF_CONFIG_HIST | BPROF_CONFIG_CONTEXT,
		    BPROF_HIST_COARSER_SHIFT, true);
	load_coarse(t,
		    BPROF_CONFIG_CLOCK | BPROF_CONFIG_HIST | BPROF_CONFIG_THIN |
			    BPROF_CONFIG_BIG_STACK | BPROF_CONFIG_CONTEXT,
		    BPROF_HIST_COARSE_SHIFT, false);
}

KTEST_GROUP(verifier, "the kernel loads every probe", NULL, ON(EXACT, RISCV64), KTEST(test_probes));
