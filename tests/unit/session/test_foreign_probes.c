// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests which targets have foreign probes (probes of another bprof or of another tool), and how a
 * report names their owners. The search for foreign probes is tested in a VM.
 */
#include "session/foreign_probes.h"
#include "tests/unit/made_session.h"

enum { FUNC = 7, HELPER = 9 };

static struct foreign_probe probe_of(const char *name, int pid, const char *comm)
{
	struct foreign_probe p = {
		.prog_id = 100, .target_id = 42, .target_btf_id = FUNC, .on = ON_PROG, .pid = pid};

	strcpy(p.name, name);
	strcpy(p.comm, comm);
	return p;
}

/* Returns the notes on the target as one text, for a report on the time since since_ns. */
static const char *notes_of(struct fixture *f, int target, struct foreign_probe *v, int cnt,
			    __u64 since_ns)
{
	const struct foreign_probes probes = {.v = v, .cnt = cnt};
	static char text[2048];
	struct report_prog *p;

	report__free(f->r);
	f->r = report__new();
	p = report__add_prog(f->r);
	f->target[0].func_btf_id = FUNC;
	f->target[1].func_btf_id = FUNC;
	foreign_probes__add_notes(&probes, &f->target[target], since_ns, p);
	*text = '\0';
	for (int i = 0; i < p->notes.cnt; i++)
		sprintf(text + strlen(text), "%s\n", p->notes.text[i]);
	return text;
}

#define WHY                                                                      \
	": these numbers include a part of its cost, which cannot be measured; " \
	"measure without it\n"

static void test_owners(void **state)
{
	struct foreign_probe v[] = {
		probe_of("bprof_exit", 0, ""),	     probe_of("bprof_entry", 12, "bprof"),
		probe_of("bprof_exit", 12, "bprof"), probe_of("fentry_XXX", 14, "perf"),
		probe_of("fexit_XXX", 14, "perf"),   probe_of("mine", 16, "agent"),
		probe_of("pinned", 0, ""),
	};

	assert_string_equal(notes_of(*state, 0, v, 0, 0), "");
	/* the process of the first probe ended before its name could be read */
	assert_string_equal(notes_of(*state, 0, v, 3, 0),
			    "also probed by another bprof (pid 12)" WHY);
	assert_string_equal(notes_of(*state, 0, v, 7, 0),
			    "also probed by another bprof (pid 12), perf (pid 14), program 100 "
			    "mine (agent, pid 16), program 100 pinned" WHY);
	v[3].pid = v[4].pid = 0;
	assert_string_equal(notes_of(*state, 0, v + 3, 2, 0), "also probed by perf or bpftool" WHY);
}

static void test_many(void **state)
{
	struct foreign_probe v[40];

	for (int i = 0; i < 40; i++)
		v[i] = probe_of("bprof_entry", 1 + i, "bprof");
	assert_string_equal(notes_of(*state, 0, v, 40, 0),
			    "also probed by another bprof (pid 1), another bprof (pid 2), another "
			    "bprof (pid 3), another bprof (pid 4) and 36 more" WHY);
}

static void test_targets(void **state)
{
	struct fixture *f = *state;
	struct foreign_probe v[] = {probe_of("bprof_entry", 12, "bprof")};

	assert_string_equal(notes_of(f, 1, v, 1, 0), "");
	v[0].target_btf_id = HELPER;
	assert_string_equal(notes_of(f, 0, v, 1, 0),
			    "functions that it may call are also probed by another bprof (pid 12): "
			    "these numbers include the cost\n");
	f->target[0].subprog = true;
	assert_string_equal(notes_of(f, 0, v, 1, 0), "");
}

/* The BTF id of a function of the kernel is the same number as that of the program's function. */
static void test_kernel(void **state)
{
	struct fixture *f = *state;
	struct foreign_probe v[] = {probe_of("bprof_entry", 12, "bprof"),
				    probe_of("mine", 16, "agent")};

	v[0].on = v[1].on = ON_KERNEL;
	assert_string_equal(notes_of(f, 0, v, 2, 0),
			    "another bprof (pid 12) probes functions of the kernel: if it calls "
			    "them, these numbers include the cost\n");
	f->target[0].called.btf_id = FUNC;
	assert_string_equal(notes_of(f, 0, v, 2, 0),
			    "also probed by another bprof (pid 12), program 100 mine (agent, pid "
			    "16)" WHY);
	f->target[0].called.btf_id = HELPER;
	assert_string_equal(notes_of(f, 0, v, 2, 0), "");
	v[0].on = ON_PROG;
	assert_string_equal(notes_of(f, 0, v, 2, 0), "");
}

/* The run time that the kernel counts includes the whole cost of a foreign probe. */
static void test_run_stats(void **state)
{
	struct foreign_probe v[] = {probe_of("bprof_entry", 12, "bprof")};

	v[0].target_id = 57;
	assert_non_null(
		strstr(notes_of(*state, 1, v, 1, 0), ": these numbers include all of its cost"));
}

static void test_gone(void **state)
{
	struct foreign_probe v[] = {probe_of("bprof_entry", 12, "bprof")};

	v[0].gone = true;
	v[0].gone_ns = 500;
	assert_string_not_equal(notes_of(*state, 0, v, 1, 400), "");
	assert_string_equal(notes_of(*state, 0, v, 1, 500), "");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_owners), TEST(test_many),	 TEST(test_targets),
		TEST(test_kernel), TEST(test_run_stats), TEST(test_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
