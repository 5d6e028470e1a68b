// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests what bprof annotate says of what programs call, with programs of known shape
 * (tests/progs/callees.bpf.c): names of functions and maps, and which calls are inlined.
 */
#include <fnmatch.h>
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
 * Returns the instruction that has names on the first line that matches the glob and has such a one.
 * jited: the one in machine code, with samples
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

/* Records a program, and reads the recording with a user who sees no symbols of the kernel. */
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
	/* Linux 6.10 began to inline it. */
	cpu = named_insn(prog, "* cpu *", false);
	assert_field(cpu, kernel_is("6.1") || kernel_is("5") ? "callee" : "inlined", helper);
}

/* Lookups that make no call; a map that is not certain has no name. */
static void test_maps(void **state)
{
	static const struct call_names names[] = {
		{"* outer *", NULL, "bpf_map_lookup_elem", "outer", "array_of_maps"},
		{"* either *", "bpf_map_delete_elem"},
	};
	struct fixture *f = *state;
	json_t *prog = annotate_elsewhere(f, load_target(f, "callees", "xdp_which")), *insn;

	assert_names(prog, false, names, CNT(names));
	/* Linux 6.10 began to inline it. */
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

KTEST_GROUP(callees, "what programs call", NULL, ON(EXACT, FROM(6.1)),
	    KTEST(test_names, ALSO_X86, ALSO_NEWEST), KTEST(test_maps, ALSO_X86),
	    KTEST(test_kfuncs, FROM(6.12), ALSO_X86));
