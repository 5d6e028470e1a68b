// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The probes that divide a target's runs by another key than the return value (probe_key.bpf.h), for
 * any config except a few pinned events (probe_small_keys.bpf.c). Also the probes of trace that read a
 * key that is no argument (BPROF_READ_CGROUP).
 */
#define HAS_KEYS

#include "probe_fsession.bpf.h"
#include "probe_nested.bpf.h"
#include "probe_pair.bpf.h"

static __always_inline int on_divided_exit(void *ctx, __u64 config, const __u32 max,
					   const bool multiplexed)
{
	return end_invocation(ctx, config, max, multiplexed, EXIT_BY_RETVAL);
}

static __always_inline int on_nested_divided_exit(void *ctx, __u64 config, const __u32 max,
						  const bool multiplexed)
{
	return end_nested(ctx, config, max, multiplexed, EXIT_BY_RETVAL);
}

#define DEFINE_KEY_PAIRS(max)                                                                   \
	DEFINE_PAIR(m##max, on_entry, on_divided_exit, load_config(), max, true)                \
	DEFINE_PAIR(n##max, on_nested_entry, on_nested_divided_exit, load_config(), max, false) \
	DEFINE_PAIR(nm##max, on_nested_entry, on_nested_divided_exit, load_config(), max, true)

DEFINE_KEY_PAIRS(4)
DEFINE_KEY_PAIRS(16)
DEFINE_PAIR(16, on_entry, on_divided_exit, load_config(), 16, false)

/* Entry programs for the exit programs of trace below. */
SEC("fentry")
int bprof_entry_4(void *ctx)
{
	return on_entry(ctx, load_config(), 4, false);
}

#define DEFINE_KEY_FSESSION(max)                              \
	SEC("fexit")                                          \
	int bprof_fsession_##max(void *ctx)                   \
	{                                                     \
		return on_fsession(ctx, max, EXIT_BY_RETVAL); \
	}

DEFINE_KEY_FSESSION(4)
DEFINE_KEY_FSESSION(16)

/* A "p" in the name means that a condition is a percentile. */
#define DEFINE_KEY_TRACED(name, max, kind)                                   \
	SEC("fexit")                                                         \
	int bprof_exit_##name##max(void *ctx)                                \
	{                                                                    \
		return end_invocation(ctx, load_config(), max, false, kind); \
	}                                                                    \
	SEC("fexit")                                                         \
	int bprof_fsession_##name##max(void *ctx)                            \
	{                                                                    \
		return on_fsession(ctx, max, kind);                          \
	}

DEFINE_KEY_TRACED(t, 4, EXIT_TRACED)
DEFINE_KEY_TRACED(t, 16, EXIT_TRACED)
DEFINE_KEY_TRACED(p, 4, EXIT_TRACED_SLOWEST)
DEFINE_KEY_TRACED(p, 16, EXIT_TRACED_SLOWEST)
