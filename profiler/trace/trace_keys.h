/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The values that bprof trace reads in each run for --join and --by, with expressions like those of
 * --arg.
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
	/* some target is a socket filter: their records have "destructor", too */
	bool filters;
	int skb, head, sk, ifindex, dev, dev_net, destructor;
	enum run_key by; /* BY_NOTHING: there is no --by */
	int key;
	int net; /* --by ifindex: the number of the device's network namespace */
};

/* The keys that --by takes: not retval, cpu and comm, which each record has in any case. */
#define TRACE_KEY_CHOICES "ifindex|queue|cgroup|pid"
/* Sets k->by from the argument of --by. Returns 0, or -EINVAL (reported). */
int trace_keys__set_by(struct trace_keys *k, const char *arg);

/*
 * Adds the values that these targets need to args, after all values of --arg have been added.
 * Returns 0, or -E2BIG (reported).
 */
int trace_keys__add(struct trace_keys *k, const struct target_list *targets,
		    struct trace_args *args);
/* Skips targets that have no packet (--join) or lack the key of --by. */
void trace_keys__refuse(const struct trace_keys *k, struct target_list *targets);
/* Skips targets whose packet or key cannot be read. Call it after args were resolved. */
void trace_keys__refuse_unknown(const struct trace_keys *k, const struct trace_args *args,
				struct target_list *targets);
/* Returns what identifies the packet of a record. */
struct join_key trace_keys__packet(const struct trace_keys *k, const struct trace_probe *probe,
				   const struct bprof_record *r);
/*
 * Returns the name of a record's key, as in reports: "none" for a packet without a device or
 * cgroup, "-" if the key could not be read. Sets *value to the key's number, or *known to false if
 * it has no number. The caller frees the name.
 */
char *trace_keys__name(const struct trace_keys *k, const struct trace_probe *probe,
		       const struct bprof_record *r, __u64 *value, bool *known);
/* Returns when the run of a record began, on CLOCK_MONOTONIC. The event "time" must be counted. */
__u64 trace_keys__begin(const struct bprof_record *r);

#endif
