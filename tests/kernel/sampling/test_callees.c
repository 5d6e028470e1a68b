// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how bprof annotate shows the functions that programs call, with programs of known shape
 * (tests/progs/callees.bpf.c): the names of functions and maps, and inlined calls.
 */
#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/kernel/harness.h"

#define FILE_NAME "/tmp/ktest.callees.json"

static json_t *next_line(json_t *prog, const char *glob, size_t *func, size_t *line)
{
	json_t *f, *l, *funcs = json_object_get(prog, "functions");

	for (; (f = json_array_get(funcs, *func)); (*func)++, *line = 0)
		while ((l = json_array_get(json_object_get(f, "lines"), (*line)++)))
			if (!fnmatch(glob, str(l, "text"), 0))
				return l;
	return NULL;
}

/*
 * Returns an instruction that has the name of a callee or map. It is on the first line that matches
 * the glob and has such an instruction. jited: an instruction in machine code, with samples
 */
static json_t *named_insn(json_t *prog, const char *glob, bool jited)
{
	size_t func = 0, line = 0;
	json_t *l, *insn;

	while ((l = next_line(prog, glob, &func, &line))) {
		json_t *insns = json_object_get(l, "insns");

		for (size_t i = 0; (insn = json_array_get(insns, i)); i++)
			if ((json_object_get(insn, "callee") || json_object_get(insn, "inlined")) &&
			    !!json_object_get(insn, "offset") == jited)
				return insn;
	}
	fail_test("no call on a line %s", glob);
	return NULL;
}

static void assert_field(json_t *insn, const char *key, const char *want)
{
	const char *found = json_string_value(json_object_get(insn, key)) ?: "none";

	if (strcmp(found, want ?: "none"))
		fail_test("%s is %s, not %s", key, found, want ?: "none");
}

struct call_names {
	const char *line, *callee, *inlined, *map, *map_type;
};

static void assert_names(json_t *prog, bool jited, const struct call_names *want, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		json_t *insn = named_insn(prog, want[i].line, jited);

		assert_field(insn, "callee", want[i].callee);
		assert_field(insn, "inlined", want[i].inlined);
		assert_field(insn, "map", want[i].map);
		assert_field(insn, "map_type", want[i].map_type);
	}
}

#define CNT(names) (sizeof(names) / sizeof((names)[0]))

/* Records a program. Reads the recording as a user who cannot read the kernel's symbols. */
static json_t *annotate_elsewhere(struct fixture *f, struct target t)
{
	struct run *r;

	r = bprof(f, "record -o " FILE_NAME " -b %u -e cpu-clock -c 20011 -- drive testrun %u:2000",
		  t.id, t.id);
	assert_status(r, 0);
	assert_int_equal(chmod(FILE_NAME, 0644), 0);
	r = command(f, "drive nobody none bprof annotate -j -i " FILE_NAME);
	unlink(FILE_NAME);
	assert_status(r, 0);
	return row_of(r, t.id);
}

static void test_names(void **state)
{
	static const struct call_names in_bpf[] = {
		{"* update flows *", "htab_map_update_elem", NULL, "flows", "hash"},
		{"* lookup flows *", "__htab_map_lookup_elem", NULL, "flows", "hash"},
		{"* update recent *", "htab_lru_map_update_elem", NULL, "recent", "lru_hash"},
		{"* update others *", "htab_map_update_elem", NULL, "others", "hash"},
		{"* array *", NULL, "bpf_map_lookup_elem", "totals", "array"},
		{"* csum 1 *", "touch"},
		{"* csum 2 *", "bpf_csum_diff"},
		{"* csum 3 *", "bpf_csum_diff"},
		{"* loop *", "update_others", "bpf_loop"},
		{"* jump *", "bpf_tail_call", NULL, "jumps", "prog_array"},
	};
	static const struct call_names in_code[] = {
		{"* update flows *", "htab_map_update_elem", NULL, "flows", "hash"},
		{"* update recent *", "htab_lru_map_update_elem", NULL, "recent", "lru_hash"},
		{"* update others *", "htab_map_update_elem", NULL, "others", "hash"},
		{"* csum 2 *", "bpf_csum_diff"},
	};
	static const char helper[] = "bpf_get_smp_processor_id";
	struct fixture *f = *state;
	json_t *prog = annotate_elsewhere(f, load_target(f, "callees", "xdp_callees")), *cpu;

	assert_names(prog, false, in_bpf, CNT(in_bpf));
	assert_names(prog, true, in_code, CNT(in_code));
	/* Since Linux 6.10, the kernel inlines this call. */
	cpu = named_insn(prog, "* cpu *", false);
	assert_field(cpu, kernel_is("6.1") || kernel_is("5") ? "callee" : "inlined", helper);
}

/*
 * Tests lookups that the kernel inlines. If it is not certain which map a call uses, no map is
 * named.
 */
static void test_maps(void **state)
{
	static const struct call_names names[] = {
		{"* outer *", NULL, "bpf_map_lookup_elem", "outer", "array_of_maps"},
		{"* either *", "bpf_map_delete_elem"},
	};
	struct fixture *f = *state;
	json_t *prog = annotate_elsewhere(f, load_target(f, "callees", "xdp_which")), *insn;

	assert_names(prog, false, names, CNT(names));
	/* Since Linux 6.10, the kernel inlines this call. */
	insn = named_insn(prog, "* per cpu *", false);
	assert_field(insn, "map", "of_cpu");
	assert_field(insn, "map_type", "percpu_array");
}

static void test_kfuncs(void **state)
{
	static const struct call_names names[] = {
		{"* from xdp *", "bpf_dynptr_from_xdp"},
		{"* slice *", "bpf_dynptr_slice"},
	};
	struct fixture *f = *state;
	json_t *prog = annotate_elsewhere(f, load_target(f, "callees", "xdp_kfuncs"));

	assert_names(prog, false, names, CNT(names));
}

/* Returns the weight of a function's callees of depth 1 that have this name and map. */
static double callee_weight(json_t *func, const char *name, const char *map)
{
	json_t *callee, *callees = json_object_get(func, "callees");
	double sum = 0;

	for (size_t i = 0; (callee = json_array_get(callees, i)); i++)
		if (num(callee, "depth") == 1 && !strcmp(str(callee, "name"), name) &&
		    !strcmp(str(callee, "map"), map))
			sum += real(callee, "weight");
	return sum;
}

/* Returns the exact cost of a run, in instructions. */
static double cost(struct fixture *f, struct target t)
{
	struct run *r =
		bprof(f, "-j -b %u -e %s -- drive testrun %u:500", t.id, exact_event(), t.id);

	assert_status(r, 0);
	return real(event_of(row_of(r, t.id), exact_event()), "per_run.mean");
}

static void assert_near(const char *what, double share, double want)
{
	printf("# %s: %.4f of the program's samples, %.4f of its instructions\n", what, share,
	       want);
	if (fabs(share / want - 1) > .05)
		fail_test("%s: %.4f is not %.4f", what, share, want);
}

/*
 * A callee's share of the program's samples is its share of the instructions. The program updates
 * two maps. The costs of the program without one of the maps, and without calls, are known.
 */
static void test_shares(void **state)
{
	/*
	 * Many periods, because with one period, the samples always hit the same few places of a
	 * program whose runs are all the same.
	 */
	static const int periods[] = {20011, 20717, 21313, 23027, 24001, 25013,
				      26003, 27011, 28001, 29009, 31013, 33013};
	struct fixture *f = *state;
	struct target t = load_target(f, "callees", "xdp_both");
	double both = cost(f, t), flows = cost(f, load_target(f, "callees", "xdp_flows"));
	double own = cost(f, load_target(f, "callees", "xdp_no_calls"));
	double hash = 0, lru = 0, all = 0;

	for (size_t i = 0; i < CNT(periods); i++) {
		struct run *r =
			bprof(f, "annotate -j -b %u -e cpu-clock -c %d -- drive testrun %u:500",
			      t.id, periods[i], t.id);
		json_t *prog = row_of(r, t.id), *func;

		assert_status(r, 0);
		func = json_array_get(json_object_get(prog, "functions"), 0);
		hash += callee_weight(func, "htab_map_update_elem", "flows");
		lru += callee_weight(func, "htab_lru_map_update_elem", "recent");
		all += real(prog, "weight") + real(prog, "calls_weight");
	}
	printf("# %.0f samples; a run takes %.0f instructions, %.0f without recent, %.0f without "
	       "calls\n",
	       all / periods[0], both, flows, own);
	assert_true(all / periods[0] > 5000);
	assert_near("flows", hash / all, (flows - own) / both);
	assert_near("recent", lru / all, (both - flows - own) / both);
}

/* Fails if a function has a callee whose name matches the glob. */
static void assert_no_callee(json_t *prog, const char *glob)
{
	json_t *func, *callee, *funcs = json_object_get(prog, "functions");

	for (size_t i = 0; (func = json_array_get(funcs, i)); i++) {
		json_t *callees = json_object_get(func, "callees");

		for (size_t k = 0; (callee = json_array_get(callees, k)); k++)
			if (!fnmatch(glob, str(callee, "name"), 0))
				fail_test("%s is a callee", str(callee, "name"));
	}
}

/* Returns true if an instruction with samples calls this function. */
static bool is_called(json_t *prog, const char *name)
{
	size_t func = 0, line = 0;
	json_t *l, *insn;

	while ((l = next_line(prog, "*", &func, &line))) {
		json_t *insns = json_object_get(l, "insns");

		for (size_t i = 0; (insn = json_array_get(insns, i)); i++)
			if (!strcmp(json_string_value(json_object_get(insn, "callee")) ?: "", name))
				return true;
	}
	return false;
}

/*
 * The callees of a program include the functions that it calls directly. On x86-64,
 * __htab_map_lookup_elem() ends with a jump to another function, and has no frame while that
 * function runs.
 */
static void test_called(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "callees", "xdp_callees");
	struct run *r = bprof(
		f, "annotate -j --depth 2 -b %u -e cpu-clock -c 20011 -- drive testrun %u:2000",
		t.id, t.id);
	json_t *prog = row_of(r, t.id), *func, *callee, *funcs = json_object_get(prog, "functions");
	int cnt = 0;

	assert_status(r, 0);
	for (size_t i = 0; (func = json_array_get(funcs, i)); i++) {
		json_t *callees = json_object_get(func, "callees");

		for (size_t k = 0; (callee = json_array_get(callees, k)); k++) {
			if (num(callee, "depth") != 1 || !strcmp(str(callee, "name"), "[unknown]"))
				continue;
			if (!is_called(prog, str(callee, "name")))
				fail_test("nothing calls %s: %s", str(callee, "name"), r->out);
			cnt++;
		}
	}
	assert_true(cnt > 2);
}

/* Soft interrupts while a program runs do not count as callees. They are counted separately. */
static void test_interrupts(void **state)
{
	static const char *const never[] = {"*irq*", "*interrupt*", "*timer*", "*alarm*"};
	struct fixture *f = *state;
	struct target t = load_target(f, "callees", "tp_interrupted");
	struct target alarm = load_target(f, "callees", "xdp_alarm");
	json_int_t in_calls, interrupting;
	struct run *r;
	json_t *prog;

	assert_non_null(try_attach(f, t));
	drive(alarm, 1);
	r = bprof(f, "annotate -j --depth 8 -b %u -e cpu-clock -c 20011 -- drive getsid 300", t.id);
	assert_status(r, 0);
	prog = row_of(r, t.id);
	in_calls = num(r->json, "samples.in_calls");
	interrupting = num(r->json, "samples.interrupting");
	printf("# %lld samples in calls, %lld in interrupts of them\n", (long long)in_calls,
	       (long long)interrupting);
	assert_true(in_calls > 500);
	assert_true(interrupting > 100);
	assert_int_equal(in_calls, num(prog, "calls"));
	for (size_t i = 0; i < CNT(never); i++)
		assert_no_callee(prog, never[i]);
	assert_true(callee_weight(json_array_get(json_object_get(prog, "functions"), 0),
				  "htab_map_update_elem", "flows") > 0);
}

/* Counts the samples in calls of a function, including samples in the functions that it calls. */
static json_int_t count_calls(struct fixture *f, struct target t)
{
	struct run *r =
		bprof(f,
		      "annotate -j -b %u:xdp_callees -e cpu-clock -c 20011 -- drive testrun "
		      "%u:2000",
		      t.id, t.id);

	assert_status(r, 0);
	return num(r->json, "samples.in_calls");
}

/*
 * Another tool probes a function that the target calls. On x86-64, kernels before Linux 7 cannot
 * unwind the stack from that function to the target, so such samples count as outside
 * (docs/guide-where.md).
 */
static void test_probed(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "callees", "xdp_callees");
	json_int_t without = count_calls(f, t), with;
	struct child *c = bprof_start(f, "-b %u:update_others -I 100 -j", t.id);

	child_line(c);
	with = count_calls(f, t);
	child_signal(c, SIGINT);
	assert_status(child_wait(f, c), 0);
	printf("# %lld samples in calls, %lld with a probe\n", (long long)without, (long long)with);
	if (arch_is("x86_64") && !kernel_is("7"))
		assert_true(with < without); /* although the probe takes time, too */
	else
		assert_true(with > without);
}

KTEST_GROUP(callees, "what programs call", NULL, ON(EXACT, FROM(6.1)),
	    KTEST(test_names, ALSO_NEWEST), KTEST(test_maps), KTEST(test_kfuncs, FROM(6.12)),
	    KTEST(test_shares, LONG), KTEST(test_called, ALSO_X86), KTEST(test_probed, LONG),
	    KTEST(test_interrupts));
