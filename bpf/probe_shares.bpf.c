// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The probes of bprof trace for nested targets (probe_nested.bpf.h), and for the functions of the kernel
 * that they call, for up to "max" pinned events. They also add up what the functions cost in the runs that
 * met a condition. They have an object of their own, so that no other command has to open them, and so
 * that other probes need not check whether there are shares.
 */
#include "probe_shares.bpf.h"
#include "probe_called.bpf.h"

#define DEFINE_PROBE(section, name, function, ...)                \
	SEC(section)                                              \
	int bprof_##name(void *ctx)                               \
	{                                                         \
		return function(ctx, load_config(), __VA_ARGS__); \
	}
/* A "p" in the name means that a condition is a percentile. */
#define DEFINE_SHARES(max)                                                               \
	DEFINE_PROBE("fentry", entry_n##max, on_nested_entry, max, false)                \
	DEFINE_PROBE("fexit", exit_nt##max, end_nested, max, false, EXIT_TRACED)         \
	DEFINE_PROBE("fexit", exit_np##max, end_nested, max, false, EXIT_TRACED_SLOWEST) \
	DEFINE_PROBE("fentry", entry_k##max, on_called_entry, max, false)                \
	DEFINE_PROBE("fexit", exit_k##max, on_called_exit, max, false)

DEFINE_SHARES(4)
DEFINE_SHARES(16)
