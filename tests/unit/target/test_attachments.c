// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the list of attachments: several sources may report the same attachment, which must be
 * listed once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "target/attachments.h"
#include "target/attachments_priv.h"

struct fixture {
	struct attachments list;
	struct attach_search search;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->search.found = &f->list;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	attachments__free(&f->list);
	free(f);
	return 0;
}

static void add(struct fixture *f, __u32 prog_id, const char *kind, const char *attach_type,
		const char *target, __u32 link_id, __u32 ifindex)
{
	struct attachment at = {.prog_id = prog_id, .link_id = link_id, .ifindex = ifindex};

	strncpy(at.kind, kind, sizeof(at.kind) - 1);
	strncpy(at.attach_type, attach_type, sizeof(at.attach_type) - 1);
	attach_search__add(&f->search, &at, "%s", target);
}

static void test_link_joins_what_was_found(void **state)
{
	struct fixture *f = *state;

	add(f, 7, "cgroup", "cgroup_inet_egress", "/cg", 0, 0);
	add(f, 7, "cgroup", "cgroup_inet_egress", "/cg", 31, 0);
	assert_int_equal(f->list.cnt, 1);
	assert_int_equal(f->list.v[0].link_id, 31);
	/* another source reports the same attachment without its link; the link's id is kept */
	add(f, 7, "cgroup", "cgroup_inet_egress", "/cg", 0, 0);
	assert_int_equal(f->list.cnt, 1);
	assert_int_equal(f->list.v[0].link_id, 31);
}

static void test_different_ones_stay(void **state)
{
	struct fixture *f = *state;

	add(f, 7, "cgroup", "cgroup_inet_egress", "/cg", 31, 0);
	/* another link to the same target */
	add(f, 7, "cgroup", "cgroup_inet_egress", "/cg", 32, 0);
	add(f, 7, "cgroup", "cgroup_inet_ingress", "/cg", 0, 0);
	add(f, 7, "cgroup", "cgroup_inet_egress", "/cg/b", 0, 0);
	add(f, 8, "cgroup", "cgroup_inet_egress", "/cg", 0, 0);
	add(f, 7, "sk_lookup", "cgroup_inet_egress", "/cg", 0, 0);
	assert_int_equal(f->list.cnt, 6);
}

/* The mount of the cgroups is known; other paths are shown whole. */
static void test_cgroup_paths(void **state)
{
	static const char *const cases[][2] = {
		{"/sys/fs/cgroup/system.slice/a.service", "cgroup /system.slice/a.service egress"},
		{"/sys/fs/cgroup", "cgroup / egress"},
		{"/sys/fs/cgroups/a", "cgroup /sys/fs/cgroups/a egress"},
		{"/cg/a", "cgroup /cg/a egress"},
		{"", "cgroup egress"},
	};
	struct fixture *f = *state;
	char buf[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		add(f, 7 + i, "cgroup", "egress", cases[i][0], 0, 0);
		assert_string_equal(attachment__describe(&f->list.v[i], buf, sizeof(buf)),
				    cases[i][1]);
	}
}

static void test_find_dev(void **state)
{
	struct fixture *f = *state;
	struct attachment at = {.prog_id = 7, .kind = "tcx", .attach_type = "egress", .ifindex = 2};

	add(f, 7, "tcx", "ingress", "eth0", 0, 2);
	add(f, 7, "tc", "egress", "eth0", 0, 2);
	add(f, 8, "tcx", "egress", "eth0", 0, 2);
	add(f, 7, "tcx", "egress", "eth1", 0, 3);
	assert_null(attach_search__find_dev(&f->search, &at));
	add(f, 7, "tcx", "egress", "eth0", 0, 2);
	assert_ptr_equal(attach_search__find_dev(&f->search, &at), &f->list.v[4]);
	/* an XDP link does not know its mode, so an attachment with any mode matches */
	add(f, 9, "xdp", "native", "eth0", 0, 2);
	at = (struct attachment){.prog_id = 9, .kind = "xdp", .ifindex = 2};
	assert_string_equal(attach_search__find_dev(&f->search, &at)->attach_type, "native");
	/* links of one program to interfaces of other network namespaces that have the same index */
	add(f, 10, "xdp", "", "interface 2 of another network namespace", 31, 2);
	at = (struct attachment){.prog_id = 10, .link_id = 31, .kind = "xdp", .ifindex = 2};
	assert_non_null(attach_search__find_dev(&f->search, &at));
	at.link_id = 32;
	assert_null(attach_search__find_dev(&f->search, &at));
}

static void test_next(void **state)
{
	struct fixture *f = *state;
	const struct attachment *at;

	assert_null(attachments__next(&f->list, 7, NULL));
	/* attachments are sorted by program id, as attachments__load() leaves them */
	add(f, 6, "xdp", "native", "eth1", 0, 3);
	add(f, 7, "xdp", "native", "eth0", 0, 2);
	add(f, 7, "xdp", "native", "eth2", 0, 4);
	add(f, 7, "xdp", "native", "eth3", 0, 5);
	add(f, 8, "xdp", "native", "eth1", 0, 3);
	at = attachments__next(&f->list, 7, NULL);
	assert_string_equal(at->target, "eth0");
	at = attachments__next(&f->list, 7, at);
	assert_string_equal(at->target, "eth2");
	at = attachments__next(&f->list, 7, at);
	assert_string_equal(at->target, "eth3");
	assert_null(attachments__next(&f->list, 7, at));
	at = attachments__next(&f->list, 6, NULL);
	assert_string_equal(at->target, "eth1");
	assert_null(attachments__next(&f->list, 6, at));
	assert_ptr_equal(attachments__next(&f->list, 8, NULL), &f->list.v[4]);
	assert_null(attachments__next(&f->list, 5, NULL));
	assert_null(attachments__next(&f->list, 9, NULL));
}

static void test_describe(void **state)
{
	struct attachment at = {.kind = "xdp", .attach_type = "generic", .target = (char *)"eth0"};
	char buf[64], small[6];

	assert_string_equal(attachment__describe(&at, buf, sizeof(buf)), "xdp eth0 generic");
	assert_string_equal(attachment__describe(&at, small, sizeof(small)), "xdp e");
	at.attach_type[0] = '\0';
	assert_string_equal(attachment__describe(&at, buf, sizeof(buf)), "xdp eth0");
	at.target = (char *)"";
	assert_string_equal(attachment__describe(&at, buf, sizeof(buf)), "xdp");
}

/*
 * Each process is listed once, however many descriptors it holds. Attachments that no process holds
 * have no holder.
 */
static void test_holders(void **state)
{
	struct fixture *f = *state;

	add(f, 7, "tracepoint", "", "sched_switch", 31, 0);
	assert_int_equal(f->list.v[0].holder_cnt, 0);
	f->search.pid = getpid();
	add(f, 7, "tracepoint", "", "sched_switch", 31, 0);
	add(f, 7, "tracepoint", "", "sched_switch", 0, 0);
	assert_int_equal(f->list.cnt, 1);
	assert_int_equal(f->list.v[0].holder_cnt, 1);
	assert_int_equal(f->list.v[0].holder[0].pid, getpid());
	/* the kernel truncates names to 15 bytes */
	assert_string_equal(f->list.v[0].holder[0].comm, "test_attachment");
	/* no process has this id */
	f->search.pid = 0x7fffffff;
	add(f, 7, "tracepoint", "", "sched_switch", 0, 0);
	assert_int_equal(f->list.v[0].holder_cnt, 2);
	assert_string_equal(f->list.v[0].holder[1].comm, "");
}

static void test_is_perf(void **state)
{
	struct attachment at = {.kind = "kretprobe"};

	assert_true(attachment__is_perf(&at));
	strcpy(at.kind, "xdp");
	assert_false(attachment__is_perf(&at));
	strcpy(at.kind, "kprobe_multi");
	assert_false(attachment__is_perf(&at));
}

static void test_attach_type_names(void **state)
{
	char buf[40];

	assert_string_equal(attach_type__name(BPF_SK_LOOKUP, buf, sizeof(buf)), "sk_lookup");
	/* a type that is newer than libbpf 1.1 */
	assert_string_equal(attach_type__name(49, buf, sizeof(buf)), "cgroup_unix_connect");
	/* a type that is newer than bprof */
	assert_string_equal(attach_type__name(9999, buf, sizeof(buf)), "attach_type_9999");
}

static void test_sources(void **state)
{
	assert_int_equal(attachments__sources(BPF_PROG_TYPE_XDP), ATTACH_XDP);
	assert_int_equal(attachments__sources(BPF_PROG_TYPE_SCHED_CLS), ATTACH_TC);
	assert_int_equal(attachments__sources(BPF_PROG_TYPE_CGROUP_SKB), ATTACH_CGROUP);
	assert_int_equal(attachments__sources(BPF_PROG_TYPE_KPROBE), ATTACH_PERF);
	assert_int_equal(attachments__sources(BPF_PROG_TYPE_SK_MSG), ATTACH_SOCKMAP);
	/* programs of this type are always attached by a link */
	assert_int_equal(attachments__sources(BPF_PROG_TYPE_RAW_TRACEPOINT), 0);
}

/*
 * Whatever programs are loaded, every user can load the list. Attachments that the user may not see
 * are left out without an error.
 */
static void test_load_is_sorted(void **state)
{
	struct fixture *f = *state;

	attachments__load(&f->list, ~0U);
	for (int i = 0; i < f->list.cnt; i++) {
		assert_non_null(f->list.v[i].target);
		assert_true(!i || f->list.v[i - 1].prog_id <= f->list.v[i].prog_id);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_link_joins_what_was_found, setup, teardown),
		cmocka_unit_test_setup_teardown(test_different_ones_stay, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cgroup_paths, setup, teardown),
		cmocka_unit_test_setup_teardown(test_find_dev, setup, teardown),
		cmocka_unit_test_setup_teardown(test_next, setup, teardown),
		cmocka_unit_test_setup_teardown(test_holders, setup, teardown),
		cmocka_unit_test(test_is_perf),
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_attach_type_names),
		cmocka_unit_test(test_sources),
		cmocka_unit_test_setup_teardown(test_load_is_sorted, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
