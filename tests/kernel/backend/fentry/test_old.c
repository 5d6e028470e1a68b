// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests Linux 5.10, which crashes if a probe is attached to some kinds of programs. bprof counts
 * such programs with the kernel's own statistics instead, and reports why.
 */
#include <errno.h>
#include <string.h>
#include <sys/mount.h>

#include "tests/kernel/harness.h"

#define VMLINUX "/sys/kernel/btf/vmlinux"
#define OLDER "/tmp/ktest-older-btf"

static void measure(struct fixture *f, struct target t, const char *drive, json_int_t runs)
{
	struct target probed = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	r = bprof(f, "-j -b %u,%u -e time -- sh -c '%s && drive testrun %u:7'", t.id, probed.id,
		  drive, probed.id);
	assert_status(r, 0);
	assert_string_equal(str(row_of(r, t.id), "method"), "run_stats");
	assert_int_equal(num(row_of(r, t.id), "runs"), runs);
	assert_contains(r->err, "would crash this kernel");
	assert_counted(r, probed.id, 7);

	r = command(f, "bprof list -j");
	assert_status(r, 0);
	assert_string_equal(str(row_of(r, t.id), "method"), "run_stats");
	assert_string_equal(str(row_of(r, t.id), "reason"), "kernel_bug");
}

static void test_lsm(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "lsm", "lsm_getsid");

	assert_non_null(try_attach(f, t));
	measure(f, t, "drive getsid 300", 300);
}

static void test_struct_ops(void **state)
{
	struct fixture *f = *state;

	measure(f, load_struct_ops(f), "drive tcpcc bprof_test 200", 200);
}

/*
 * Mounts a changed copy of this kernel's BTF over it. In the copy, the struct that came with the
 * fix of the bug tramp_image has another name.
 */
static void mount_older_btf(void)
{
	static char data[16 * 1024 * 1024];
	FILE *f = fopen(VMLINUX, "r");
	char *name;
	size_t sz;

	assert_non_null(f);
	sz = fread(data, 1, sizeof(data), f);
	fclose(f);
	assert_true(sz > 0 && sz < sizeof(data));
	name = memmem(data, sz, "\0bpf_tramp_image", sizeof("\0bpf_tramp_image"));
	assert_non_null(name);
	name[1] = 'x';
	f = fopen(OLDER, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, sz, 1, f), 1);
	assert_int_equal(fclose(f), 0);
	if (mount(OLDER, VMLINUX, NULL, MS_BIND, NULL))
		fail_test("mounting over " VMLINUX ": %s", strerror(errno));
}

static int teardown_older(void **state)
{
	umount(VMLINUX);
	unlink(OLDER);
	return teardown(state);
}

/*
 * If a bug of the kernel concerns all probes, no command attaches any, not even doctor as a test.
 */
static void test_no_probes(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	mount_older_btf();
	r = bprof(f, "-j -b %u -e time -- drive testrun %u:7", t.id, t.id);
	assert_status(r, 0);
	assert_string_equal(str(row_of(r, t.id), "method"), "run_stats");
	assert_int_equal(num(row_of(r, t.id), "runs"), 7);
	assert_contains(r->err, "would crash this kernel: tramp_image");

	r = bprof(f, "trace -b %u --every 1 -- drive testrun %u:7", t.id, t.id);
	assert_int_not_equal(r->status, 0);
	assert_contains(r->err, "would crash this kernel: tramp_image");
	r = command(f, "bprof list -j");
	assert_string_equal(str(row_of(r, t.id), "reason"), "kernel_bug");
	r = command(f, "bprof doctor");
	assert_contains(r->out, "tramp_image: fexit on any program");
	assert_contains(r->out, "is not probed because that would crash this kernel");
}

KTEST_GROUP(old, "programs that Linux 5.10 cannot have probed", NULL, ON(OLD), KTEST(test_lsm),
	    KTEST(test_struct_ops), KTEST_WITH(setup, teardown_older, test_no_probes));
