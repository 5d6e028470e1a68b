// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests a kernel whose BTF is newer than the libbpf that bprof is linked with: this kernel's BTF
 * with types of an unknown kind, in a file that is mounted over it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include <sys/mount.h>

#include "tests/kernel/harness.h"
#include "tests/unit/btf/newer_btf.h"

#define VMLINUX "/sys/kernel/btf/vmlinux"
#define NEWER "/tmp/ktest-newer-btf"

static void mount_newer_btf(bool layout)
{
	struct btf *btf = btf__load_vmlinux_btf();
	FILE *f = fopen(NEWER, "w");
	__u32 sz;
	char *data;

	assert_non_null(btf);
	assert_non_null(f);
	data = newer_btf__make(btf, layout, &sz);
	assert_int_equal(fwrite(data, sz, 1, f), 1);
	assert_int_equal(fclose(f), 0);
	free(data);
	btf__free(btf);
	if (mount(NEWER, VMLINUX, NULL, MS_BIND, NULL))
		fail_test("mounting over " VMLINUX ": %s", strerror(errno));
	assert_null(btf__load_vmlinux_btf()); /* the test's libbpf is as old as that of bprof */
}

static int teardown_newer(void **state)
{
	umount(VMLINUX);
	unlink(NEWER);
	return teardown(state);
}

/* Checks that a probed program has its exact cost, and that no warning is shown. */
static void assert_measured(struct fixture *f, struct target t)
{
	struct run *r =
		bprof(f, "-j -b %u -e %s -- drive testrun %u:50", t.id, machine_event(), t.id);

	assert_status(r, 0);
	assert_counted(r, t.id, 50);
	assert_string_equal(str(row_of(r, t.id), "method"), "fentry");
	assert_string_equal(r->err, "");
}

static void test_layout(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "slow", "xdp_slow");
	struct run *r;

	mount_newer_btf(true);
	assert_measured(f, t);
	r = bprof(f, "trace -j -b %u -e time --every 10 --snap 8 -- drive testrun %u:50", t.id,
		  t.id);
	assert_status(r, 0);
	assert_contains(r->out, "\"snapped\":8");
	r = bprof(f, "doctor");
	assert_contains(r->out, "kernel_btf");
	assert_contains(r->out, "of this bprof cannot read it");
}

/* Without a layout, only the types before the unknown type are known. */
static void test_no_layout(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "slow", "xdp_slow");
	struct run *r;

	mount_newer_btf(false);
	assert_measured(f, t);
	r = bprof(f, "trace -j -b %u -e time --every 10 --snap 8 -- drive testrun %u:50", t.id,
		  t.id);
	assert_int_not_equal(r->status, 0);
	assert_contains(r->err, "the kernel's BTF: it is newer than this bprof");
}

KTEST_GROUP(newer_btf, "a kernel whose BTF is newer than libbpf", NULL, ON(EXACT, ALSO_NEWEST),
	    KTEST_WITH(setup, teardown_newer, test_layout),
	    KTEST_WITH(setup, teardown_newer, test_no_layout, FROM(6.1)));
