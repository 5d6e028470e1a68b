// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the names of program types. Must not know any program.
 */
#include <errno.h>
#include <stdio.h>
#include <strings.h>
#include <bpf/libbpf.h>

#include "base/suggest.h"
#include "btf/prog.h"

/*
 * Types for which the oldest supported libbpf has no name. They are written as numbers because the
 * headers of that libbpf do not have these types either.
 */
static const struct {
	unsigned int type;
	const char *name;
} newer_types[] = {
	{32, "netfilter"}, /* since Linux 6.4 */
};

#define TEN(tens)                                                                                 \
	"type_" tens "0", "type_" tens "1", "type_" tens "2", "type_" tens "3", "type_" tens "4", \
		"type_" tens "5", "type_" tens "6", "type_" tens "7", "type_" tens "8",           \
		"type_" tens "9"

/*
 * Names of types that are newer than this build. The names contain the type's number, so that each
 * type has its own name in reports.
 */
static const char *const unknown_types[] = {
	TEN(""),  TEN("1"), TEN("2"), TEN("3"), TEN("4"),
	TEN("5"), TEN("6"), TEN("7"), TEN("8"), TEN("9"),
};

const char *prog_type__name(enum bpf_prog_type type)
{
	const char *name = libbpf_bpf_prog_type_str(type);
	unsigned int n = type;

	for (size_t i = 0; !name && i < sizeof(newer_types) / sizeof(newer_types[0]); i++)
		if (newer_types[i].type == n)
			name = newer_types[i].name;
	if (name)
		return name;
	return n < sizeof(unknown_types) / sizeof(unknown_types[0]) ? unknown_types[n]
								    : "type_unknown";
}

bool prog_type__is_known(enum bpf_prog_type type)
{
	return prog_type__name(type) != unknown_types[type];
}

const char *prog_type__explain_unknown(const char *name, size_t len, char *buf, size_t sz)
{
	struct suggest near;
	char hint[96];

	suggest__init(&near, name, len);
	for (int type = 1; type <= PROG_TYPE_MAX; type++)
		if (prog_type__is_known(type))
			suggest__offer(&near, prog_type__name(type));
	snprintf(buf, sz, "no such program type%s",
		 near.best[0] ? suggest__text(&near, hint, sizeof(hint))
			      : ", such as xdp, sched_cls or kprobe; bprof(1) lists them");
	return buf;
}

int prog_type__parse(const char *name)
{
	/* Begin with 1: type 0 is BPF_PROG_TYPE_UNSPEC, which no program has. */
	for (unsigned int n = 1; n < sizeof(unknown_types) / sizeof(unknown_types[0]); n++)
		if (!strcasecmp(name, prog_type__name(n)) || !strcasecmp(name, unknown_types[n]))
			return n;
	return -ENOENT;
}
