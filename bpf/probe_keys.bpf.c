// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The probes that divide a target's runs by another key than the return value (probe_key.bpf.h), for
 * any config.
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
	DEFINE_PAIR(max, on_entry, on_divided_exit, load_config(), max, false)                  \
	DEFINE_PAIR(m##max, on_entry, on_divided_exit, load_config(), max, true)                \
	DEFINE_PAIR(n##max, on_nested_entry, on_nested_divided_exit, load_config(), max, false) \
	DEFINE_PAIR(nm##max, on_nested_entry, on_nested_divided_exit, load_config(), max, true)

DEFINE_KEY_PAIRS(4)
DEFINE_KEY_PAIRS(16)

#define DEFINE_KEY_FSESSION(max)                              \
	SEC("fexit")                                          \
	int bprof_fsession_##max(void *ctx)                   \
	{                                                     \
		return on_fsession(ctx, max, EXIT_BY_RETVAL); \
	}

DEFINE_KEY_FSESSION(4)
DEFINE_KEY_FSESSION(16)
