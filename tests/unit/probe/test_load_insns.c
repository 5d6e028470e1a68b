// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how riscv64's counts of instructions are corrected for the addresses that a probe's code
 * loads. The kernel's answers about these addresses are made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend_env.h"
#include "kernel/load_addrs.h"
#include "probe/load_insns.h"
#include "probe/probes.h"
#include "target/target.h"

/* Addresses that are loaded with one instruction, two, and three. */
#define ONE 0x7ffULL
#define TWO 0x12345678ULL
#define THREE 0xffffffffULL

enum { ENTRY_FD = 10, EXIT_FD, MAP_FD, LINK_FD };

static __u64 entry_prog, exit_prog, stats_map, tramp_image;
static int err_of_exit, err_of_image;

int load_addrs__open(enum addrs_of of, struct load_addrs_bpf **out)
{
	fail_msg("not on this machine");
	return -EOPNOTSUPP;
}

void load_addrs__close(struct load_addrs_bpf *a)
{
}

int load_addrs__find(struct load_addrs_bpf *a, int prog_fd, int map_fd, __u64 *prog, __u64 *map)
{
	assert_int_equal(map_fd, MAP_FD);
	*prog = prog_fd == ENTRY_FD ? entry_prog : exit_prog;
	*map = stats_map;
	return prog_fd == EXIT_FD ? err_of_exit : 0;
}

int load_addrs__find_image(struct load_addrs_bpf *a, int link_fd, __u64 *address)
{
	assert_int_equal(link_fd, LINK_FD);
	*address = tramp_image;
	return err_of_image;
}

/* A probe on two CPUs whose runs are divided into two parts, with a bias of 1000 and a cost of 2000. */
struct made {
	struct backend_env env;
	struct probes set;
	struct probe p;
	struct target t;
};

#define CPUS 2
#define PARTS 2
/* The slot whose counts are corrected, and one whose counts are not. */
enum { CORRECTED = 1, OTHER };

static struct bprof_event_sum *sum(struct made *m, int part, int cpu, int slot)
{
	return &probe__part(&m->p, part, cpu)->event[slot];
}

static void make(struct made *m)
{
	*m = (struct made){
		.env.nested = true,
		.set = {.env = &m->env,
			.load_slots = 1U << CORRECTED,
			.addrs = (void *)1,
			.images = (void *)1},
		.p = {.prog_fd = {[PROBE_ENTRY] = ENTRY_FD, [PROBE_EXIT] = EXIT_FD},
		      .link_fd = {[PROBE_ENTRY] = LINK_FD, [PROBE_EXIT] = -1},
		      .part_cnt = PARTS,
		      .biased = true,
		      .cpu_limit = CPUS,
		      .stat_sz = sizeof(struct bprof_cpu_stat)},
		.t.priv = &m->p,
	};
	m->p.stats.fd = MAP_FD;
	m->p.stats.mem = calloc((1 + PARTS) * CPUS, m->p.stat_sz);
	assert_non_null(m->p.stats.mem);
	for (int part = -1; part < PARTS; part++)
		for (int cpu = 0; cpu < CPUS; cpu++) {
			probe__part(&m->p, part, cpu)->clock_slot = BPROF_CLOCK_SLOT;
			for (int slot = 0; slot < BPROF_SLOTS; slot++)
				for (int c = 0; c < BPROF_CONTEXTS; c++) {
					sum(m, part, cpu, slot)->bias[c] = 1000;
					sum(m, part, cpu, slot)->cost[c] = 2000;
				}
		}
	entry_prog = exit_prog = stats_map = tramp_image = ONE;
	err_of_exit = err_of_image = 0;
}

static void end(struct made *m)
{
	free(m->p.stats.mem);
}

/*
 * Asserts that in all parts, on all CPUs and in all contexts, the corrected slot has this bias and this cost, and the
 * other slot is unchanged.
 */
static void assert_sums(struct made *m, __u64 bias, __u64 cost)
{
	for (int part = -1; part < PARTS; part++)
		for (int cpu = 0; cpu < CPUS; cpu++)
			for (int c = 0; c < BPROF_CONTEXTS; c++) {
				assert_int_equal(sum(m, part, cpu, CORRECTED)->bias[c], bias);
				assert_int_equal(sum(m, part, cpu, CORRECTED)->cost[c], cost);
				assert_int_equal(sum(m, part, cpu, OTHER)->bias[c], 1000);
				assert_int_equal(sum(m, part, cpu, OTHER)->cost[c], 2000);
			}
}

/* A target that is attached again has other addresses, so its biases are corrected again. */
static void test_bias(void **state)
{
	struct made m;

	make(&m);
	entry_prog = TWO;
	exit_prog = THREE;
	load_insns__find(&m.set, &m.t);
	assert_int_equal(m.p.load_insns, 2 + 3 + 1);
	assert_false(m.p.insns_unknown);
	assert_sums(&m, 1000 + 6, 2000);
	entry_prog = exit_prog = ONE;
	load_insns__find(&m.set, &m.t);
	assert_sums(&m, 1000 + 3, 2000);
	end(&m);
}

/*
 * Tests the correction of what a probe adds to its caller. Each address counts twice, also that of
 * the trampoline's image.
 */
static void test_call(void **state)
{
	struct made m;

	make(&m);
	tramp_image = THREE;
	load_insns__find(&m.set, &m.t);
	load_insns__find_call(&m.set, &m.t);
	assert_int_equal(m.p.call_insns, 2 * (3 + 3));
	assert_sums(&m, 1000 + 3, 2000 + 12);
	tramp_image = ONE;
	load_insns__find_call(&m.set, &m.t);
	assert_sums(&m, 1000 + 3, 2000 + 8);
	end(&m);
}

/*
 * While the bias is measured, the counts have no bias to correct. The numbers of instructions are
 * known all the same.
 */
static void test_calibration(void **state)
{
	struct made m;

	make(&m);
	m.p.biased = false;
	load_insns__find(&m.set, &m.t);
	load_insns__find_call(&m.set, &m.t);
	assert_sums(&m, 1000, 2000);
	assert_int_equal(m.p.load_insns, 3);
	assert_int_equal(m.p.call_insns, 8);
	end(&m);
}

/* If the kernel does not tell the addresses, the target's numbers are marked, and stay as they are. */
static void test_unknown(void **state)
{
	struct made m;

	make(&m);
	err_of_exit = -ENOENT;
	load_insns__find(&m.set, &m.t);
	assert_true(m.p.insns_unknown);
	assert_sums(&m, 1000, 2000);
	end(&m);

	make(&m);
	m.set.addrs = NULL;
	load_insns__find(&m.set, &m.t);
	assert_true(m.p.insns_unknown);
	end(&m);

	make(&m);
	err_of_image = -ENOENT;
	load_insns__find_call(&m.set, &m.t);
	assert_true(m.p.insns_unknown);
	end(&m);

	make(&m);
	m.set.images = NULL;
	load_insns__find_call(&m.set, &m.t);
	assert_true(m.p.insns_unknown);
	assert_sums(&m, 1000, 2000);
	end(&m);
}

/* Nothing is corrected if no slot counts instructions, or if the targets do not call each other. */
static void test_nothing_to_do(void **state)
{
	struct made m;

	make(&m);
	m.env.nested = false;
	load_insns__find_call(&m.set, &m.t);
	m.set.load_slots = 0;
	load_insns__find(&m.set, &m.t);
	load_insns__find_call(&m.set, &m.t);
	assert_sums(&m, 1000, 2000);
	assert_false(m.p.insns_unknown);
	end(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bias),	      cmocka_unit_test(test_call),
		cmocka_unit_test(test_calibration),   cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_nothing_to_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
