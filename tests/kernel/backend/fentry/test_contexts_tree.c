// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests trees of functions, and several contexts in one session, on the hooks of contexts.h. A
 * function must cost the same when only this function is probed, when all functions of the program
 * are probed, and in a test run of the program. The group needs the deterministic VM (one vCPU,
 * -icount).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/backend/fentry/contexts_case.h"
#include "tests/kernel/bench/bench_case.h"
#include "tests/kernel/drive/netdev.h"

#define TOLERANCE 2
#define OBJECT "contexts_tree"
#define PACKET "/tmp/bench/packet"

/* The functions of the call tree (tests/progs/tree.bpf.c), without its root. */
static const char *const tree_funcs[] = {"branch",  "leaf",    "add",	       "empty_0",
					 "empty_3", "empty_5", "empty_pointer"};
#define FUNC_CNT ((int)(sizeof(tree_funcs) / sizeof(tree_funcs[0])))

struct tree_case {
	const char *hook, *prog;
	bool each; /* also measure each function alone */
};

static struct run *measure(struct fixture *f, const char *hook, struct target t,
			   const char *options)
{
	struct run *r = bprof(f, "-j -e %s %s -- drive context %s %d %u", exact_event(), options,
			      hook, CONTEXT_RUNS, t.id);

	check_driven(r, json_array_get(json_object_get(r->json, "programs"), 0), hook);
	return r;
}

/* Returns the function's minimum cost while no other function is probed. */
static json_int_t alone_of(struct fixture *f, const char *hook, struct target t, const char *func)
{
	char options[64];

	snprintf(options, sizeof(options), "-b %u:%s", t.id, func);
	return min_cost(func_row(measure(f, hook, t, options), func, NULL));
}

static bool near(json_int_t got, json_int_t want, const struct tree_case *c, const char *func)
{
	printf("# %s %s%s%s: alone %lld, with --func '*' %lld\n", c->hook, c->prog, func ? ":" : "",
	       func ?: "", (long long)want, (long long)got);
	return llabs(got - want) <= TOLERANCE;
}

/* If all functions of a program are probed, each costs the same as when it is probed alone. */
static void test_tree(void **state)
{
	struct fixture *f = *state;
	const struct tree_case *c = f->param;
	char options[64];
	struct target t;
	struct run *all;
	bool exact;

	if (!strcmp(c->hook, "syscall") && kernel_is("5.10"))
		skip_test(c->hook, "there is no such type");
	if (!strcmp(c->prog, "tc_tail_tree") && (kernel_is("5.10") || kernel_is("6.1")))
		skip_test(c->prog, "its functions cannot be probed");
	t = load_target(f, OBJECT, c->prog);
	snprintf(options, sizeof(options), "-b %u --func '*'", t.id);
	all = measure(f, c->hook, t, options);
	exact = near(min_cost(func_row(all, c->prog, NULL)), alone_of(f, c->hook, t, c->prog), c,
		     NULL);
	for (int i = 0; c->each && i < FUNC_CNT; i++) {
		json_int_t alone = alone_of(f, c->hook, t, tree_funcs[i]);

		exact = near(min_cost(func_row(all, tree_funcs[i], NULL)), alone, c,
			     tree_funcs[i]) &&
			exact && (strncmp(tree_funcs[i], "empty", 5) || !alone);
	}
	if (!exact)
		fail_test("%s of %s: functions cost something else with all of them probed",
			  c->prog, c->hook);
}

static void write_driven_packet(const char *path)
{
	char packet[64];

	write_bytes(path, packet, packet__build(packet, sizeof(packet), 0));
}

/*
 * A program costs the same with real packets as in bench with the same packet. The test loads the
 * program only once: on arm64, a second load could change the cost by one instruction, because of
 * the address of a map.
 */
static void test_as_bench(void **state)
{
	struct fixture *f = *state;
	const struct tree_case *c = f->param;
	struct target t = load_target(f, OBJECT, c->prog);
	json_int_t real = alone_of(f, c->hook, t, c->prog), run;
	struct run *r;

	write_driven_packet(PACKET);
	r = bench(f, "--prog-id %u --data-in " PACKET, t.id);
	run = min_cost(case_row(r, c->prog, "packet"));
	printf("# %s %s: with packets %lld, by bench %lld\n", c->hook, c->prog, (long long)real,
	       (long long)run);
	assert_int_equal(real, run);
}

static bool is_empty(const struct run *r, struct target t)
{
	json_t *row = row_of(r, t.id), *ev = event_of(row, exact_event());
	json_int_t min = num(ev, "per_run.min");
	double p90 = real(ev, "per_run.p90");

	printf("# %s: %lld runs, min %lld, p90 %g, uncertain by %g\n", str(row, "name"),
	       (long long)num(row, "measured"), (long long)min, p90, uncertainty(ev));
	return llabs(min) <= uncertainty(ev) && fabs(p90) <= uncertainty(ev);
}

/* One session measures two programs that run in different contexts. */
static void test_two_programs(void **state)
{
	struct fixture *f = *state;
	struct target xdp = load_target(f, "contexts_net", "xdp_0");
	struct target kprobe = load_target(f, "contexts_trace", "kprobe_0");
	struct target irq = load_target(f, "contexts_trace", "raw_tp_0");
	struct run *r;
	bool exact;

	r = bprof(f,
		  "-j -e %s -b %u,%u,%u -- sh -c 'drive context xdp_native %d %u && "
		  "drive context kprobe %d %u && drive context raw_tp_irq %d %u'",
		  exact_event(), xdp.id, kprobe.id, irq.id, CONTEXT_RUNS, xdp.id, CONTEXT_RUNS,
		  kprobe.id, CONTEXT_RUNS, irq.id);
	assert_status(r, 0);
	exact = is_empty(r, xdp);
	exact = is_empty(r, kprobe) && exact;
	exact = is_empty(r, irq) && exact;
	if (!exact)
		fail_test("an empty program costs something");
}

/*
 * One session measures a program that runs in two contexts: on two hooks, or on a hook and in test
 * runs.
 */
static void test_two_contexts(void **state)
{
	static const struct {
		const char *file, *prog, *other, *hook;
	} cases[] = {
		{"contexts_net", "tc_0", NULL, "tc_ingress"},
		{"contexts_net", "xdp_0", NULL, "xdp_native"},
		{"contexts_net", "xdp_0", "xdp_generic", "xdp_native"},
		{"contexts_trace", "raw_tp_0", "raw_tp_irq", "raw_tp"},
	};
	struct fixture *f = *state;
	bool exact = true;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target t = load_target(f, cases[i].file, cases[i].prog);
		char other[64];
		struct run *r;

		if (cases[i].other)
			snprintf(other, sizeof(other), "context %s %d %u", cases[i].other,
				 CONTEXT_RUNS, t.id);
		else
			snprintf(other, sizeof(other), "testrun %u:%d", t.id, CONTEXT_RUNS);
		r = bprof(f, "-j -e %s -b %u -- sh -c 'drive %s && drive context %s %d %u'",
			  exact_event(), t.id, other, cases[i].hook, CONTEXT_RUNS, t.id);
		assert_status(r, 0);
		exact = is_empty(r, t) && exact;
	}
	if (!exact)
		fail_test("an empty program costs something in one of its contexts");
}

static struct target extend(struct fixture *f, struct target t, const char *prog, const char *func)
{
	struct bpf_object *obj = open_object(f, PROGS_DIR "/" OBJECT ".bpf.o");
	struct bpf_program *p;
	struct bpf_link *link;

	bpf_object__for_each_program (p, obj)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), prog));
	p = bpf_object__find_program_by_name(obj, prog);
	assert_int_equal(bpf_program__set_attach_target(p, t.fd, func), 0);
	assert_int_equal(bpf_object__load(obj), 0);
	link = bpf_program__attach_trace(p);
	assert_non_null(link);
	keep_link(f, link);
	return program_of(obj, prog);
}

static json_int_t min_cost_of(const struct run *r, struct target t)
{
	return min_cost(row_of(r, t.id));
}

/*
 * Extensions replace functions of a program. The program costs the same whether the extensions are
 * probed or not. The extensions cost the same whether the program is probed or not.
 */
static void test_extensions(void **state)
{
	static const char hook[] = "tc_ingress";
	struct fixture *f = *state;
	struct target main = load_target(f, OBJECT, "tc_calls"), empty, more;
	json_int_t alone, together;
	char options[64];
	struct run *r;

	if (kernel_is("5.10"))
		skip_test("freplace", "links do not say what is extended");
	empty = extend(f, main, "extension_0", "global_1");
	more = extend(f, main, "extension_100", "global_2");
	snprintf(options, sizeof(options), "-b %u", main.id);
	alone = min_cost_of(measure(f, hook, main, options), main);
	snprintf(options, sizeof(options), "-b %u,%u,%u", main.id, empty.id, more.id);
	r = measure(f, hook, main, options);
	together = min_cost_of(r, main);
	printf("# freplace tc_calls: alone %lld, with --func '*' %lld\n", (long long)alone,
	       (long long)together);
	printf("# freplace is driven by: packets on a veth, NAPI\n");
	printf("# freplace typed: empty %lld +100 %lld\n", (long long)min_cost_of(r, empty),
	       (long long)min_cost_of(r, more));
	if (llabs(alone - together) > TOLERANCE || min_cost_of(r, empty) ||
	    min_cost_of(r, more) != 100)
		fail_test("extensions are not exact");
}

/*
 * The callbacks of a BPF timer run in a soft interrupt, and not in the context of the program that
 * starts the timer. Their costs are exact, too.
 */
static void test_callbacks(void **state)
{
	struct fixture *f = *state;
	json_int_t empty, more;
	struct target t;
	struct run *r;

	if (kernel_is("5.10"))
		skip_test("timer_callback", "there are no BPF timers");
	t = load_target(f, "contexts_callback", "start_timers");
	r = bprof(f, "-j -e %s -b %u:timer_0,%u:timer_100 -- drive testrun %u:%d", exact_event(),
		  t.id, t.id, t.id, CONTEXT_RUNS);
	assert_status(r, 0);
	empty = min_cost(func_row(r, "timer_0", NULL));
	more = min_cost(func_row(r, "timer_100", NULL));
	printf("# timer_callback is driven by: timers, softirq\n");
	printf("# timer_callback typed: empty %lld +100 %lld\n", (long long)empty, (long long)more);
	assert_int_equal(num(func_row(r, "timer_0", NULL), "measured"), CONTEXT_RUNS);
	assert_int_equal(empty, 0);
	assert_int_equal(more, 100);
}

static int make_tests(struct ktest *tests)
{
	static const struct tree_case trees[] = {
		{"xdp_native", "xdp_tree", true},     {"xdp_generic", "xdp_tree", false},
		{"tcx_ingress", "tc_tree", true},     {"tcx_ingress", "tc_calls", false},
		{"tc_ingress", "tc_tree", false},     {"tc_ingress", "tc_tail_tree", true},
		{"tc_egress", "tc_calls", false},     {"raw_tp", "raw_tp_tree", false},
		{"raw_tp_irq", "raw_tp_tree", false}, {"kprobe", "kprobe_tree", false},
		{"syscall", "syscall_tree", false},
	};
	static const struct tree_case as_bench[] = {
		{"xdp_native", "xdp_tree", false},   {"xdp_native", "xdp_packet", false},
		{"tc_ingress", "tc_tree", false},    {"tc_ingress", "tc_packet", false},
		{"tcx_ingress", "tc_packet", false}, {"tcx_ingress", "tc_calls", false},
	};
	const int tree_cnt = sizeof(trees) / sizeof(trees[0]);
	const int bench_cnt = sizeof(as_bench) / sizeof(as_bench[0]);
	static const struct ktest alone[] = {
		KTEST(test_two_programs),
		KTEST(test_two_contexts),
		KTEST(test_extensions),
		KTEST(test_callbacks),
	};
	static char names[MAX_KTESTS][64];
	int cnt = sizeof(alone) / sizeof(alone[0]);

	memcpy(tests, alone, sizeof(alone));
	for (int i = 0; i < tree_cnt; i++, cnt++) {
		snprintf(names[cnt], sizeof(names[cnt]), "tree_%s_%s", trees[i].hook,
			 trees[i].prog);
		tests[cnt] = (struct ktest)KTEST_PARAM(names[cnt], test_tree, &trees[i]);
	}
	for (int i = 0; i < bench_cnt; i++, cnt++) {
		snprintf(names[cnt], sizeof(names[cnt]), "bench_%s_%s", as_bench[i].hook,
			 as_bench[i].prog);
		tests[cnt] = (struct ktest)KTEST_FULL(names[cnt], test_as_bench, setup_bench,
						      teardown_bench, &as_bench[i], LONG);
	}
	return cnt;
}

KTEST_GROUP_OF(contexts_tree, "function trees on hooks, and several hooks in a session",
	       setup_contexts, ON(EXACT, EXACT_PREEMPT), make_tests);
