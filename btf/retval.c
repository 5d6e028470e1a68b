// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of programs' return values. Owns the names for each program type. Must not know any
 * program. Prints nothing.
 *
 * The values are user ABI: enum xdp_action, sk_action, bpf_ret_code and tcx_action_base in
 * include/uapi/linux/bpf.h, TC_ACT_* in linux/pkt_cls.h, NF_* in linux/netfilter.h. The values are
 * written as numbers because the headers of the oldest supported libbpf lack some names.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/util.h"
#include "btf/retval.h"

/* If a value has two names, bprof shows the first. */
struct value {
	const char *name; /* NULL ends a list */
	__u32 value;
};

static const struct value xdp_values[] = {
	{"XDP_ABORTED", 0}, {"XDP_DROP", 1},	 {"XDP_PASS", 2},
	{"XDP_TX", 3},	    {"XDP_REDIRECT", 4}, {},
};

static const struct value tc_values[] = {
	{"TC_ACT_UNSPEC", -1},
	{"TC_ACT_OK", 0},
	{"TC_ACT_RECLASSIFY", 1},
	{"TC_ACT_SHOT", 2},
	{"TC_ACT_PIPE", 3},
	{"TC_ACT_STOLEN", 4},
	{"TC_ACT_QUEUED", 5},
	{"TC_ACT_REPEAT", 6},
	{"TC_ACT_REDIRECT", 7},
	{"TC_ACT_TRAP", 8},
	/* TCX_* are other names of these values, for programs attached with tcx. */
	{"TCX_NEXT", -1},
	{"TCX_PASS", 0},
	{"TCX_DROP", 2},
	{"TCX_REDIRECT", 7},
	{},
};

static const struct value lwt_values[] = {
	{"BPF_OK", 0}, {"BPF_DROP", 2}, {"BPF_REDIRECT", 7}, {"BPF_LWT_REROUTE", 128}, {},
};

static const struct value dissector_values[] = {
	{"BPF_OK", 0},
	{"BPF_DROP", 2},
	{"BPF_FLOW_DISSECTOR_CONTINUE", 129},
	{},
};

static const struct value sk_values[] = {{"SK_DROP", 0}, {"SK_PASS", 1}, {}};

static const struct value netfilter_values[] = {{"NF_DROP", 0}, {"NF_ACCEPT", 1}, {}};

static const struct {
	const char *type;
	const struct value *values;
} types[] = {
	{"xdp", xdp_values},
	{"sched_cls", tc_values},
	{"sched_act", tc_values},
	{"lwt_in", lwt_values},
	{"lwt_out", lwt_values},
	{"lwt_xmit", lwt_values},
	{"lwt_seg6local", lwt_values},
	{"flow_dissector", dissector_values},
	{"sk_skb", sk_values},
	{"sk_msg", sk_values},
	{"sk_reuseport", sk_values},
	{"sk_lookup", sk_values},
	{"netfilter", netfilter_values},
};

static const struct value *find_values(const char *type)
{
	static const struct value none[] = {{}};

	for (size_t i = 0; type && i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].type, type))
			return types[i].values;
	return none;
}

const char *retval__name(const char *type, __u32 value)
{
	for (const struct value *v = find_values(type); v->name; v++)
		if (v->value == value)
			return v->name;
	return NULL;
}

const char *retval__format(const char *type, __u32 value, char *buf)
{
	const char *name = retval__name(type, value);

	/*
	 * Write the number as signed: most programs return an int, so -1 is clearer than
	 * 4294967295.
	 */
	if (name)
		snprintf(buf, RETVAL_SZ, "%s", name);
	else
		snprintf(buf, RETVAL_SZ, "%d", (__s32)value);
	return buf;
}

static int parse_name(const struct value *v, const char *text, __u32 *value)
{
	for (; v->name; v++) {
		if (strcasecmp(v->name, text))
			continue;
		*value = v->value;
		return 0;
	}
	return -EINVAL;
}

static int parse_number(const char *text, __u32 *value)
{
	const char *digits = text + (*text == '-');
	bool hex = digits[0] == '0' && (digits[1] | 0x20) == 'x';
	long long n;
	char *end;

	/* Check the first character: strtoll() would also accept blanks and a second sign. */
	if (*digits < '0' || *digits > '9')
		return -EINVAL;
	errno = 0;
	n = strtoll(text, &end, hex ? 16 : 10);
	if (*end || errno || n < INT32_MIN || n > UINT32_MAX)
		return -EINVAL;
	*value = n;
	return 0;
}

int retval__parse(const char *type, const char *text, __u32 *value)
{
	int err = type ? parse_name(find_values(type), text, value) : -EINVAL;

	for (size_t i = 0; !type && err && i < ARRAY_SIZE(types); i++)
		err = parse_name(types[i].values, text, value);
	return err ? parse_number(text, value) : 0;
}

const char *retval__list(const char *type, char *buf, size_t sz)
{
	size_t len = 0;

	*buf = '\0';
	for (const struct value *v = find_values(type); v->name && len < sz; v++)
		len += snprintf(buf + len, sz - len, "%s%s", len ? ", " : "", v->name);
	return buf;
}
