// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests properties of programs that need no kernel: names of types, names that the kernel
 * truncated, and tags.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "btf/func_table.h"
#include "btf/own.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "tests/unit/btf_blob.h"

/* Every type of the UAPI up to Linux 7.2, indexed by its number. */
static const char *const uapi_types[] = {
	NULL,
	"socket_filter",
	"kprobe",
	"sched_cls",
	"sched_act",
	"tracepoint",
	"xdp",
	"perf_event",
	"cgroup_skb",
	"cgroup_sock",
	"lwt_in",
	"lwt_out",
	"lwt_xmit",
	"sock_ops",
	"sk_skb",
	"cgroup_device",
	"sk_msg",
	"raw_tracepoint",
	"cgroup_sock_addr",
	"lwt_seg6local",
	"lirc_mode2",
	"sk_reuseport",
	"flow_dissector",
	"cgroup_sysctl",
	"raw_tracepoint_writable",
	"cgroup_sockopt",
	"tracing",
	"struct_ops",
	"ext",
	"lsm",
	"sk_lookup",
	"syscall",
	"netfilter",
};

#define UAPI_CNT ((int)(sizeof(uapi_types) / sizeof(uapi_types[0])))

static void test_known_types(void **state)
{
	for (int i = 1; i < UAPI_CNT; i++) {
		assert_string_equal(prog_type__name(i), uapi_types[i]);
		assert_int_equal(prog_type__parse(uapi_types[i]), i);
	}
	assert_int_equal(prog_type__parse("XDP"), BPF_PROG_TYPE_XDP);
}

/* The name of a type that is newer than this build contains its number, and selects the type. */
static void test_unknown_types(void **state)
{
	char name[32];

	for (int i = UAPI_CNT; i < 100; i++) {
		snprintf(name, sizeof(name), "type_%d", i);
		assert_string_equal(prog_type__name(i), name);
		assert_int_equal(prog_type__parse(name), i);
	}
	assert_string_equal(prog_type__name(100), "type_unknown");
	assert_string_equal(prog_type__name((enum bpf_prog_type) - 1), "type_unknown");
	/*
	 * known types are also found by a name with their number, so that scripts work with any
	 * build
	 */
	assert_int_equal(prog_type__parse("type_6"), BPF_PROG_TYPE_XDP);
}

static void test_no_types(void **state)
{
	static const char *const names[] = {"",	      "xdp ",	  " xdp",  "xd",	   "unspec",
					    "type_0", "type_100", "type_", "type_unknown", "6"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(prog_type__parse(names[i]), -ENOENT);
}

static void test_tag(void **state)
{
	struct prog p = {.info.tag = {0xd4, 0xf8, 0x54, 0x2f, 0x2b, 0x42, 0x0a, 0x00}};
	char buf[17];

	assert_ptr_equal(prog__tag(&p, buf), buf);
	assert_string_equal(buf, "d4f8542f2b420a00");
}

/* Truncates the name as the kernel does, to 15 characters and a NUL. */
static void set_name(struct prog *p, const char *name)
{
	snprintf(p->info.name, sizeof(p->info.name), "%.15s", name);
}

static void test_name(void **state)
{
	struct prog p = {};
	struct reason reason;
	__u32 sz;
	void *btf = blob__new(&sz);

	/* if the functions are unknown, the name is that of the kernel */
	assert_string_equal(prog__name(&p), "");
	set_name(&p, BLOB_MAIN_NAME);
	assert_string_equal(prog__name(&p), "xdp_with_a_name");
	assert_int_equal(func_table__new(btf, sz, blob_funcs, sizeof(blob_funcs[0]), BLOB_FN_CNT,
					 &p.funcs, &reason),
			 0);
	/* if the functions are known, the name is the complete one of the entry function */
	assert_string_equal(prog__name(&p), BLOB_MAIN_NAME);
	/*
	 * the loader may give a program another name than that of its function; the kernel
	 * truncates the name to 15 characters
	 */
	set_name(&p, "some_other_name_that_is_cut");
	assert_string_equal(prog__name(&p), "some_other_name");
	set_name(&p, "xdp_with");
	assert_string_equal(prog__name(&p), "xdp_with");
	func_table__free(p.funcs);
	free(btf);
}

static void test_jited(void **state)
{
	struct prog p = {};

	assert_false(prog__is_jited(&p));
	p.info.jited_prog_len = 12;
	assert_true(prog__is_jited(&p));
}

/*
 * If struct bpf_prog_info already shows the reason, no system call is made. A call would fail,
 * because the descriptor is -1.
 */
static void test_load_funcs_reasons(void **state)
{
	struct prog p = {.fd = -1};
	struct reason reason;

	p.info.xlated_prog_len = 16;
	assert_int_equal(prog__load_funcs(&p, &reason), -ENODATA);
	assert_int_equal(reason.code, REASON_NO_BTF);
	p.info.btf_id = 7;
	assert_int_equal(prog__load_funcs(&p, &reason), -ENODATA);
	assert_int_equal(reason.code, REASON_NO_FUNC_INFO);
	/* without CAP_BPF the kernel withholds the instructions, so their length is 0 */
	p.info.xlated_prog_len = 0;
	assert_int_equal(prog__load_funcs(&p, &reason), -EPERM);
	assert_int_equal(reason.code, REASON_NO_PERM);
	assert_non_null(strstr(reason.detail, "CAP_BPF"));
	assert_null(p.funcs);
}

/* A descriptor that is not a program's is refused, and is closed in this case as well. */
static void test_open_fd_of_something_else(void **state)
{
	struct prog *p = (void *)state;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(prog__open_fd(fds[0], &p), -EINVAL);
	assert_null(p);
	assert_int_equal(close(fds[0]), -1);
	assert_int_equal(errno, EBADF);
	close(fds[1]);
	assert_int_equal(prog__open_fd(-1, &p), -EBADF);
	assert_null(p);
	prog__close(NULL);
}

/*
 * bprof's own programs are recognized by their names. on_switch is the name of a leader, which is
 * bprof's own only if the kernel shows that it has bprof's maps.
 */
static void test_own(void **state)
{
	struct prog own = {.fd = -1, .info.name = "bprof_entry_4"};
	struct prog other = {.fd = -1, .info.name = "bprof"};
	struct prog leader_of_perf = {.fd = -1, .info.name = "on_switch"};

	assert_true(prog__is_own(&own));
	assert_false(prog__is_own(&other));
	assert_false(prog__is_own(&leader_of_perf));
	assert_true(prog_name__is_own("bprof_"));
	assert_false(prog_name__is_own("xdp_bprof_"));
	assert_false(prog_name__is_own(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_types),
		cmocka_unit_test(test_unknown_types),
		cmocka_unit_test(test_no_types),
		cmocka_unit_test(test_tag),
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_jited),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_load_funcs_reasons),
		cmocka_unit_test(test_open_fd_of_something_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
