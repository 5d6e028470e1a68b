/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Groups of kernel tests, and the machines on which each test runs. A group needs only a
 * KTEST_GROUP() at the end of a file. tests/kernel/run.sh has the machines; its --matrix prints
 * which tests run on which machine.
 */
#ifndef KTEST_KTEST_H
#define KTEST_KTEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The properties of a test, for ON(). A test also has the properties of its group. */
enum ktest_prop {
	/* The kinds of machines. The kinds that a test names replace those of its group. */
	ON_EXACT,
	ON_SMP,
	ON_PREEMPT,
	ON_EXACT_PREEMPT,
	ON_OLD,
	ON_CPUS512,
	KIND_CNT,
	/* Selects machines of these kinds. */
	ON_ARM64 = KIND_CNT,
	ON_RISCV64,
	ON_X86,
	ON_NEWEST,
	ON_ONCE,
	ON_LONG,
	ON_LAST,
	ON_DEMAND_ONLY,
	PROP_CNT,
};

/* One CPU, on which QEMU counts instructions (-icount). */
#define EXACT .is[ON_EXACT] = true
/* Four CPUs. */
#define SMP4 .is[ON_SMP] = true
/* Two CPUs, or one CPU with exact counts. The kernel preempts itself (preempt=full). */
#define PREEMPT .is[ON_PREEMPT] = true
#define EXACT_PREEMPT .is[ON_EXACT_PREEMPT] = true
/* Two CPUs and Linux 5.10. */
#define OLD .is[ON_OLD] = true
/* One CPU with exact counts; 512 CPUs are possible. */
#define CPUS512 .is[ON_CPUS512] = true
/* No machine: only "ktest GROUP" runs it. */
#define ON_DEMAND .is[ON_DEMAND_ONLY] = true

/* ARM64: the test runs only on arm64. RISCV64: the test also runs on riscv64. */
#define ARM64 .is[ON_ARM64] = true
#define RISCV64 .is[ON_RISCV64] = true
/*
 * "make check" runs a test on arm64 with Linux 6.12. ALSO_X86: also on x86-64. ALSO_NEWEST: also on
 * x86-64 with the newest kernel.
 */
#define ALSO_X86 .is[ON_X86] = true
#define ALSO_NEWEST .is[ON_NEWEST] = true
/*
 * Even "make check-long" runs the test on only one machine, because it depends neither on the
 * architecture nor on the kernel.
 */
#define ONCE .is[ON_ONCE] = true
/* Only "make check-long" runs the test. */
#define LONG .is[ON_LONG] = true
/* The group runs after all other groups. */
#define LAST .is[ON_LAST] = true
/*
 * The oldest and the newest kernel, such as FROM(6.1). If a test has FROM() or UNTIL(), both limits
 * of its group are ignored.
 */
#define FROM(version) .from = #version
#define UNTIL(version) .until = #version

struct ktest_on {
	bool is[PROP_CNT];
	const char *from, *until;
};

#define ON(...)             \
	{                   \
		__VA_ARGS__ \
	}

struct ktest {
	struct CMUnitTest test;
	struct ktest_on on;
};

#define MAX_KTESTS 128

struct ktest_group {
	const char *name, *help;
	int (*setup)(void **state); /* before the first test, or NULL */
	struct ktest_on on;
	const struct ktest *tests;
	int cnt;
	/* makes the tests if there is no array; returns how many it has stored */
	int (*make)(struct ktest *tests);
	struct ktest_group *next;
};

/* *g must stay valid. */
void ktest_register(struct ktest_group *g);

#define KTEST_REGISTER_(id, ...)                                              \
	static void __attribute__((constructor)) register_##id(void)          \
	{                                                                     \
		static struct ktest_group group = {.name = #id, __VA_ARGS__}; \
                                                                              \
		ktest_register(&group);                                       \
	}                                                                     \
	struct ktest_group /* so that a semicolon may follow KTEST_GROUP() */

/* KTEST_GROUP(name, help, setup, ON(PROPERTY, …), TEST, …); */
#define KTEST_GROUP(id, text, set_up, where, ...)                                                \
	static const struct ktest tests_##id[] = {__VA_ARGS__};                                  \
	KTEST_REGISTER_(id, .help = (text), .setup = (set_up), .on = where, .tests = tests_##id, \
			.cnt = sizeof(tests_##id) / sizeof(tests_##id[0]))

/* Like KTEST_GROUP(), with a function that makes the tests. */
#define KTEST_GROUP_OF(id, text, set_up, where, fn) \
	KTEST_REGISTER_(id, .help = (text), .setup = (set_up), .on = where, .make = (fn))

#endif
