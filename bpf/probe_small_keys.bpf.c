// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The pair that divides a target's runs by a key (see probe_keys.bpf.c) for a few pinned events and
 * targets that are not nested. It has the small layout of counts, like the pairs of probe_small.bpf.c.
 */
#define BPROF_SMALL
#define HAS_KEYS
#include "probe_pair.bpf.h"

static __always_inline int on_divided_exit(void *ctx, __u64 config, const __u32 max,
					   const bool multiplexed)
{
	return end_invocation(ctx, config, max, multiplexed, EXIT_BY_RETVAL);
}

DEFINE_PAIR(4, on_entry, on_divided_exit, load_config(), 4, false)
