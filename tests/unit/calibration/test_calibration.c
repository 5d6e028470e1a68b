// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how the biases of targets are computed from measurements of the built-in functions. The
 * numbers are those of x86-64, Linux 6.12, in the test VM.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bpf/probe.h"
#include "calibration/calibration_priv.h"

#define NONE 0
#define MIGRATION BPROF_CONTEXT_MIGRATION
#define RCU BPROF_CONTEXT_RCU
#define IRQ BPROF_CONTEXT_IRQ

static int cpu_ids[] = {0};
static struct cpu_kind kind;
static struct calibration c;
static struct measured m;

static void set(enum empty_func which, int args, __u32 context, double bias)
{
	m.args[which] = args;
	m.context[which] = context;
	m.func[which].value[0] = m.func[which].min[0] = bias;
}

static int set_up(void **state)
{
	kind = (struct cpu_kind){.cpus = {cpu_ids, 1}};
	c = (struct calibration){.done = true, .kind = &kind, .kind_cnt = 1};
	memset(&m, 0, sizeof(m));
	set(FUNC_PROG, 1, NONE, 327);
	set(FUNC_ARGS, 5, NONE, 331);
	set(FUNC_RAW, 1, MIGRATION, 338);
	set(FUNC_SYSCALL, 5, RCU, 334);
	set(FUNC_IRQ, 1, MIGRATION, 336);
	set(FUNC_SUB, 1, NONE, 325);
	set(FUNC_TAIL_CALLS, 1, NONE, 326);
	m.alone.value[0] = 400;
	m.with.value[0] = 1300;
	m.searching.value[0] = 1422;
	calibration__set_parts(&c, &m);
	return 0;
}

/*
 * Returns the bias of a target in a context or, if cost is set, what the target's probe adds to the
 * measurement of a caller.
 */
static __s64 applied_to(const struct target_shape *shape, bool cost, __u32 context)
{
	struct bprof_cpu_stat *stat = calloc(1, sizeof(*stat));
	__s64 v;

	assert_non_null(stat);
	stat->clock_slot = BPROF_CLOCK_SLOT;
	calibration__apply(&c, stat, 0, shape);
	v = cost ? stat->event[0].cost[context] : stat->event[0].bias[context];
	free(stat);
	return v;
}

static __s64 applied(bool cost, bool sub, int args, enum tail_calls tail_calls, __u32 context)
{
	const struct target_shape shape = {.sub = sub, .args = args, .tail_calls = tail_calls};

	return applied_to(&shape, cost, context);
}

static __s64 bias(bool sub, int args, __u32 context)
{
	return applied(false, sub, args, TAIL_CALLS_NO, context);
}

static void test_shapes(void **state)
{
	assert_int_equal(bias(false, 1, NONE), 327);
	assert_int_equal(bias(false, 5, NONE), 331);
	assert_int_equal(bias(false, 0, NONE), 326);
	assert_int_equal(bias(true, 1, NONE), 325);
	assert_int_equal(bias(true, 3, NONE), 327);
	assert_int_equal(applied(false, true, 1, TAIL_CALLS_YES, NONE), 326);
}

/*
 * An empty program that calibrates one context may run in other contexts, too. Checks that the
 * biases of these other contexts are not counted twice.
 */
static void test_contexts(void **state)
{
	assert_int_equal(bias(false, 1, MIGRATION), 338);
	assert_int_equal(bias(false, 1, RCU), 330);
	assert_int_equal(bias(false, 1, MIGRATION | RCU), 341);
	assert_int_equal(bias(false, 1, IRQ), 325);
	assert_int_equal(bias(false, 5, MIGRATION | IRQ), 340);
}

/*
 * A probe adds its fentry and fexit programs to the measurement of a caller, and two RCU read-side
 * critical sections of the trampoline.
 */
static void test_costs(void **state)
{
	assert_int_equal(applied(true, true, 1, TAIL_CALLS_NO, NONE), 900);
	assert_int_equal(applied(true, true, 5, TAIL_CALLS_NO, NONE), 908);
	assert_int_equal(applied(true, true, 1, TAIL_CALLS_NO, MIGRATION), 922);
	assert_int_equal(applied(true, true, 1, TAIL_CALLS_NO, RCU), 912);
	assert_int_equal(applied(true, true, 1, TAIL_CALLS_NO, IRQ), 896);
	assert_int_equal(applied(true, true, 1, TAIL_CALLS_YES, NONE), 902);
}

/* Returns the same as applied(), but for a function of the kernel. */
static __s64 of_kernel(bool cost, int args, __u32 context)
{
	const struct target_shape shape = {.sub = true, .kernel = true, .args = args};

	return applied_to(&shape, cost, context);
}

/*
 * A function of the kernel has its own bias. This is the count of its probe (438), minus the cost of a call:
 * 9, because 16 more calls cost 144 more (450 to 594). The other parts are the same as for all functions.
 */
static void test_kernel(void **state)
{
	m.has_kernel = true;
	m.kernel_alone.value[0] = 450;
	m.kernel_more.value[0] = 594;
	m.kernel.value[0] = 438;
	m.kernel_with.value[0] = 1663;
	m.kernel_ns[0] = 170;
	m.kernel_ns[1] = 8499;
	calibration__set_parts(&c, &m);
	assert_int_equal(of_kernel(false, KERNEL_ARGS, NONE), 438 - 9);
	assert_int_equal(of_kernel(false, KERNEL_ARGS - 1, NONE), 438 - 9 - 1);
	assert_int_equal(of_kernel(false, KERNEL_ARGS, MIGRATION), 438 - 9 + 11);
	assert_int_equal(of_kernel(true, KERNEL_ARGS, NONE), 1213);
	assert_int_equal(of_kernel(true, 1, NONE), 1213 - 8);
	assert_int_equal(of_kernel(true, KERNEL_ARGS, RCU), 1213 + 12);
	/* A probe adds 490 ns to a call by another task: 17 calls take 8,329 to 8,330 ns more. */
	assert_true(c.kind[0].other_ns == 490);
	/* The biases of the program's functions stay as they are. */
	assert_int_equal(bias(true, 1, NONE), 325);
	assert_int_equal(applied(true, true, 1, TAIL_CALLS_NO, NONE), 900);
}

/* The bias of the search for a frame depends neither on the trampoline nor on the context. */
static void test_search(void **state)
{
	const struct target_shape shape = {.args = 5, .tail_calls = TAIL_CALLS_YES};
	struct bprof_cpu_stat *stat = calloc(1, sizeof(*stat));

	assert_non_null(stat);
	stat->clock_slot = BPROF_CLOCK_SLOT;
	calibration__apply(&c, stat, 0, &shape);
	assert_int_equal(stat->event[0].search, 122);
	assert_int_equal(stat->event[1].search, 0);
	free(stat);
}

static void test_uncertainty(void **state)
{
	const struct target_shape sure = {.args = 1},
				  maybe = {.args = 1, .tail_calls = TAIL_CALLS_MAYBE};

	assert_true(calibration__uncertainty(&c, &sure, false, 0) == 0);
	assert_true(calibration__uncertainty(&c, &sure, true, 0) == 2);
	assert_true(calibration__uncertainty(&c, &maybe, false, 0) == 1);
	assert_true(calibration__uncertainty(&c, &maybe, true, 0) == 3);
	c.done = false;
	assert_true(calibration__uncertainty(&c, &maybe, true, 0) == 0);
}

/* If there are several kinds of CPUs, the bias on a CPU that comes online later is a guess. */
static void test_unknown_kind(void **state)
{
	static int big[] = {1, 2};
	struct cpu_kind kinds[] = {kind, {.cpus = {big, 2}}};

	assert_false(calibration__is_unknown_kind(&c, 3));
	c.kind = kinds;
	c.kind_cnt = 2;
	assert_false(calibration__is_unknown_kind(&c, 0));
	assert_false(calibration__is_unknown_kind(&c, 2));
	assert_true(calibration__is_unknown_kind(&c, 3));
	assert_ptr_equal(calibration__kind(&c, 3), kinds);
	c.done = false; /* numbers are raw */
	assert_false(calibration__is_unknown_kind(&c, 3));
}

static void set_reading(enum empty_func which, int slot, __u64 min, __u64 spread)
{
	m.reading[which].min[slot] = min;
	m.reading[which].spread[slot] = spread;
}

/*
 * The cost of reading an event shows whether interrupts are enabled, if it is the same each time.
 */
static void test_threshold(void **state)
{
	set_reading(FUNC_PROG, 0, 500, 30); /* this value varies too much */
	set_reading(FUNC_IRQ, 0, 450, 10);
	set_reading(FUNC_PROG, 1, 232, 0);
	set_reading(FUNC_IRQ, 1, 230, 0);
	calibration__set_threshold(&kind, &m, 2);
	assert_int_equal(kind.irq_slot, 1);
	assert_int_equal(kind.irq_enabled, 231);
	/* slot 0 cannot show whether interrupts are enabled, so they are assumed to be */
	calibration__set_threshold(&kind, &m, 1);
	assert_int_equal(kind.irq_enabled, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_shapes, set_up),
		cmocka_unit_test_setup(test_contexts, set_up),
		cmocka_unit_test_setup(test_costs, set_up),
		cmocka_unit_test_setup(test_kernel, set_up),
		cmocka_unit_test_setup(test_search, set_up),
		cmocka_unit_test_setup(test_uncertainty, set_up),
		cmocka_unit_test_setup(test_unknown_kind, set_up),
		cmocka_unit_test_setup(test_threshold, set_up),
	};

	return cmocka_run_group_tests_name("calibration", tests, NULL, NULL);
}
