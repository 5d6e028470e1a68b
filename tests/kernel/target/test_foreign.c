// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests programs of another project: loads and measures the compiled XDP objects of Debian's
 * xdp-tools, unchanged. The list of objects that must load is here, so that the test fails if one
 * of them is missing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/harness.h"

/*
 * The variants of xdp-filter, and the default programs for AF_XDP. xdp-tools' other objects (the
 * dispatcher, xdpdump's fentry pair) have no programs that can be loaded alone.
 */
static const char *const objects[] = {
	"xdpfilt_alw_all.o", "xdpfilt_alw_eth.o", "xdpfilt_alw_ip.o",	"xdpfilt_alw_tcp.o",
	"xdpfilt_alw_udp.o", "xdpfilt_dny_all.o", "xdpfilt_dny_eth.o",	"xdpfilt_dny_ip.o",
	"xdpfilt_dny_tcp.o", "xdpfilt_dny_udp.o", "xsk_def_xdp_prog.o",
};

#define OBJECT_CNT ((int)(sizeof(objects) / sizeof(objects[0])))

/* One session measures all objects, as on a machine that uses them. */
static void test_xdp_tools(void **state)
{
	struct fixture *f = *state;
	const char *dir = getenv("XDP_TOOLS_DIR");
	char ids[256] = "", runs[512] = "", path[512];
	struct target t[OBJECT_CNT];
	struct run *r;

	assert_non_null(dir);
	for (int i = 0; i < OBJECT_CNT; i++) {
		struct bpf_object *obj;
		struct bpf_program *prog;

		snprintf(path, sizeof(path), "%s/%s", dir, objects[i]);
		obj = try_load_object(f, path);
		if (!obj)
			fail_test("%s: %s", path, strerror(errno));
		prog = bpf_object__next_program(obj, NULL);
		assert_int_equal(bpf_program__type(prog), BPF_PROG_TYPE_XDP);
		t[i] = program_of(obj, bpf_program__name(prog));
		sprintf(ids + strlen(ids), "%s%u", i ? "," : "", t[i].id);
		sprintf(runs + strlen(runs), " %u:%d", t[i].id, 100 + i);
	}
	r = bprof(f, "-j -b %s -e %s,time -- drive testrun%s", ids, machine_event(), runs);
	assert_status(r, 0);
	for (int i = 0; i < OBJECT_CNT; i++) {
		json_t *row = row_of(r, t[i].id);

		assert_counted(r, t[i].id, 100 + i);
		assert_string_equal(str(row, "name"), bpf_program__name(t[i].prog));
		assert_string_equal(str(event_of(row, machine_event()), "status"), "ok");
		if (num(event_of(row, machine_event()), "total") <= 0)
			fail_test("%s costs nothing: %s", objects[i], r->out);
	}
}

KTEST_GROUP(foreign, "XDP objects of Debian's xdp-tools, in $XDP_TOOLS_DIR", NULL, ON(SMP4),
	    KTEST(test_xdp_tools));
