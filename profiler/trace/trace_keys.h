/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What bprof trace reads in each run for --join and --by, in the way of --arg.
 */
#ifndef BPROF_TRACE_KEYS_H
#define BPROF_TRACE_KEYS_H

#include <stdbool.h>

#include "btf/run_key.h"
#include "probe/trace_probe.h"
#include "trace/trace_join.h"

struct target_list;

/* The indices of the values in a record. */
struct trace_keys {
	bool join;
	int skb, head, sk, ifindex;
	enum run_key by; /* BY_NOTHING: there is no --by */
	int key;
};

/* The keys of --by. A record has the others without it. */
#define TRACE_KEY_CHOICES "ifindex|queue|cgroup|pid"
/* Sets k->by from the argument of --by. Returns 0, or -EINVAL (reported). */
int trace_keys__set_by(struct trace_keys *k, const char *arg);

/* Adds the values to args, which have those of --arg. Returns 0, or -E2BIG (reported). */
int trace_keys__add(struct trace_keys *k, struct trace_args *args);
/* Moves the targets that have no packet, or no such key, to the skipped ones. */
void trace_keys__refuse(const struct trace_keys *k, struct target_list *targets);
/* Does that, once args are resolved, with those whose packet or key cannot be read. */
void trace_keys__refuse_unknown(const struct trace_keys *k, const struct trace_args *args,
				struct target_list *targets);
/* Returns how the packet of a record is known. */
struct join_key trace_keys__packet(const struct trace_keys *k, const struct trace_probe *probe,
				   const struct bprof_record *r);
/*
 * Returns what the key of a record is called, as in reports, and sets *value to it, or *known to false if it
 * has no number: "none" for a packet without a device or cgroup, "-" for what could not be read. The
 * caller frees it.
 */
char *trace_keys__name(const struct trace_keys *k, const struct trace_probe *probe,
		       const struct bprof_record *r, __u64 *value, bool *known);
/* Returns when the run of a record began, by CLOCK_MONOTONIC. The event "time" must be counted. */
__u64 trace_keys__begin(const struct bprof_record *r);

#endif
