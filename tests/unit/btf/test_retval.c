// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the names of return values, in both directions. The names are those of the kernel's
 * headers.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/netfilter.h>
#include <linux/pkt_cls.h>

#include "base/util.h"
#include "btf/retval.h"

#define NAMED(type, value)          \
	{                           \
		type, #value, value \
	}

static const struct {
	const char *type, *name;
	__u32 value;
} named[] = {
	NAMED("xdp", XDP_ABORTED),
	NAMED("xdp", XDP_DROP),
	NAMED("xdp", XDP_PASS),
	NAMED("xdp", XDP_TX),
	NAMED("xdp", XDP_REDIRECT),
	NAMED("sched_cls", TC_ACT_UNSPEC),
	NAMED("sched_cls", TC_ACT_OK),
	NAMED("sched_cls", TC_ACT_RECLASSIFY),
	NAMED("sched_cls", TC_ACT_SHOT),
	NAMED("sched_cls", TC_ACT_PIPE),
	NAMED("sched_act", TC_ACT_STOLEN),
	NAMED("sched_act", TC_ACT_QUEUED),
	NAMED("sched_act", TC_ACT_REPEAT),
	NAMED("sched_act", TC_ACT_REDIRECT),
	NAMED("sched_act", TC_ACT_TRAP),
	NAMED("lwt_xmit", BPF_OK),
	NAMED("lwt_in", BPF_DROP),
	NAMED("lwt_out", BPF_REDIRECT),
	NAMED("lwt_seg6local", BPF_LWT_REROUTE),
	NAMED("flow_dissector", BPF_DROP),
	NAMED("sk_skb", SK_DROP),
	NAMED("sk_msg", SK_PASS),
	NAMED("sk_reuseport", SK_PASS),
	NAMED("sk_lookup", SK_DROP),
	NAMED("netfilter", NF_DROP),
	NAMED("netfilter", NF_ACCEPT),
};

/*
 * Each value is formatted as a name, and the name is parsed again, with and without a program type.
 */
static void test_names(void **state)
{
	char buf[RETVAL_SZ];
	__u32 value;

	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		assert_string_equal(retval__name(named[i].type, named[i].value), named[i].name);
		assert_string_equal(retval__format(named[i].type, named[i].value, buf),
				    named[i].name);
		value = ~named[i].value;
		assert_int_equal(retval__parse(named[i].type, named[i].name, &value), 0);
		assert_int_equal(value, named[i].value);
		value = ~named[i].value;
		assert_int_equal(retval__parse(NULL, named[i].name, &value), 0);
		assert_int_equal(value, named[i].value);
	}
}

/* Checks that libbpf knows all program types whose return values have names. */
static void test_types(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		/* the oldest libbpf does not know this type */
		bool known = !strcmp(named[i].type, "netfilter");

		for (int type = 0; !known && libbpf_bpf_prog_type_str(type); type++)
			known = !strcmp(libbpf_bpf_prog_type_str(type), named[i].type);
		assert_true(known);
	}
}

static void test_without_names(void **state)
{
	char buf[RETVAL_SZ];

	assert_null(retval__name("xdp", 5));
	assert_null(retval__name("lsm", 0));
	assert_null(retval__name("", 0));
	assert_null(retval__name(NULL, 0));
	assert_string_equal(retval__format("xdp", 5, buf), "5");
	assert_string_equal(retval__format("lsm", -1, buf), "-1");
	assert_string_equal(retval__format(NULL, 1U << 31, buf), "-2147483648");
	assert_string_equal(retval__format("xdp", (1U << 31) - 1, buf), "2147483647");
}

static void test_parse(void **state)
{
	static const struct {
		const char *type, *text;
		__u32 value;
	} good[] = {
		{"xdp", "xdp_drop", 1},
		{"xdp", "2", 2},
		{"xdp", "4294967295", ~0U},
		{"lsm", "-1", ~0U},
		{"lsm", "0xFF", 255},
		{"lsm", "-2147483648", 1U << 31},
		{"lsm", "010", 10},
		{"sched_cls", "-1", ~0U},
		{"sched_cls", "TCX_NEXT", ~0U},
		{"sched_cls", "tcx_drop", 2},
		{NULL, "7", 7},
	};
	static const char *const bad[] = {
		"",	  "-",	 "+1",	 " 1",	       "1 ",	      "--1",
		"0x",	  "1x",	 "XDP",	 "XDP_DROPS",  "TC_ACT_OK",   "1.0",
		"- 1",	  "-+1", "0x-1", "4294967296", "-2147483649", "99999999999999999999",
		"SK_DROP"};
	__u32 value;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		if (retval__parse(good[i].type, good[i].text, &value))
			fail_msg("%s: refused", good[i].text);
		assert_int_equal(value, good[i].value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (retval__parse("xdp", bad[i], &value) != -EINVAL)
			fail_msg("\"%s\": taken as %u", bad[i], value);
	assert_int_equal(retval__parse(NULL, "XDP_DROPS", &value), -EINVAL);
}

static void test_list(void **state)
{
	char buf[256];

	assert_string_equal(retval__list("xdp", buf, sizeof(buf)),
			    "XDP_ABORTED, XDP_DROP, XDP_PASS, XDP_TX, XDP_REDIRECT");
	assert_string_equal(retval__list("xdp", buf, 16), "XDP_ABORTED, XD");
	assert_string_equal(retval__list("lsm", buf, sizeof(buf)), "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	      cmocka_unit_test(test_types),
		cmocka_unit_test(test_without_names), cmocka_unit_test(test_parse),
		cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
