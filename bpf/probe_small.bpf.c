// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pairs (probe_pair.bpf.h) for any config of a few pinned events, for targets that are not nested. They
 * have the small layout of counts. The exit program of --by retval, bprof_exit_r4(), is used with
 * bprof_entry_4().
 */
#define BPROF_SMALL
#include "probe_pair.bpf.h"

_Static_assert(__builtin_offsetof(struct bprof_cpu_stat, off) == BPROF_SMALL_FRONT_SZ &&
		       sizeof(struct bprof_frame) == BPROF_SMALL_FRAME_SZ,
	       "user space has the same layout");

DEFINE_PAIR(1, on_entry, on_exit, load_config(), 1, false)
DEFINE_PAIR(2, on_entry, on_exit, load_config(), 2, false)
DEFINE_PAIR(4, on_entry, on_exit, load_config(), 4, false)

SEC("fexit")
int bprof_exit_r4(void *ctx)
{
	return end_invocation(ctx, load_config(), 4, false, EXIT_BY_RETVAL);
}
