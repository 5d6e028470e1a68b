// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The probes (probe_pair.bpf.h) for any config, and the probes for nested targets, trace, --by retval
 * and fsessions. The probes for a few pinned events are in probe_small.bpf.c and, for the most common
 * configs, in probe_common.bpf.c.
 */
#include "probe_called.bpf.h"
#include "probe_fsession.bpf.h"
#include "probe_nested.bpf.h"
#include "probe_pair.bpf.h"

_Static_assert(__builtin_offsetof(struct bprof_cpu_stat, off) == BPROF_FRONT_SZ,
	       "user space has the same layout");

/* Entry programs that are used with the exit programs of trace. Both need the large layout of counts. */
#define DEFINE_ENTRY(max)                                        \
	SEC("fentry")                                            \
	int bprof_entry_##max(void *ctx)                         \
	{                                                        \
		return on_entry(ctx, load_config(), max, false); \
	}
#define DEFINE_MULTIPLEXED(max) DEFINE_PAIR(m##max, on_entry, on_exit, load_config(), max, true)
#define DEFINE_NESTED_PAIRS(max)                                                        \
	DEFINE_PAIR(n##max, on_nested_entry, on_nested_exit, load_config(), max, false) \
	DEFINE_PAIR(nm##max, on_nested_entry, on_nested_exit, load_config(), max, true)

DEFINE_ENTRY(1)
DEFINE_ENTRY(2)
DEFINE_ENTRY(4)
DEFINE_PAIR(8, on_entry, on_exit, load_config(), 8, false)
DEFINE_PAIR(16, on_entry, on_exit, load_config(), 16, false)
DEFINE_MULTIPLEXED(1)
DEFINE_MULTIPLEXED(2)
DEFINE_MULTIPLEXED(4)
DEFINE_MULTIPLEXED(8)
DEFINE_MULTIPLEXED(16)

/*
 * There is no pair for one event, because clang would use more stack for it than for two: see
 * reload().
 */
DEFINE_NESTED_PAIRS(2)
DEFINE_NESTED_PAIRS(4)
DEFINE_NESTED_PAIRS(8)
DEFINE_NESTED_PAIRS(16)

/*
 * The pairs for functions of the kernel that nested targets call. A pair for 8 events would make
 * clang use more stack.
 */
#define DEFINE_CALLED_PAIRS(max)                                                        \
	DEFINE_PAIR(k##max, on_called_entry, on_called_exit, load_config(), max, false) \
	DEFINE_PAIR(km##max, on_called_entry, on_called_exit, load_config(), max, true)

DEFINE_CALLED_PAIRS(4)
DEFINE_CALLED_PAIRS(16)

/*
 * The exit programs of bprof trace for up to "max" pinned events. They are used together with the
 * entry programs bprof_entry_*. A "p" in the name means that a condition is a percentile.
 */
#define DEFINE_TRACED_EXIT(name, max, kind)                                  \
	SEC("fexit")                                                         \
	int bprof_exit_##name##max(void *ctx)                                \
	{                                                                    \
		return end_invocation(ctx, load_config(), max, false, kind); \
	}
#define DEFINE_TRACED_EXITS(max)                \
	DEFINE_TRACED_EXIT(t, max, EXIT_TRACED) \
	DEFINE_TRACED_EXIT(p, max, EXIT_TRACED_SLOWEST)

DEFINE_TRACED_EXITS(1)
DEFINE_TRACED_EXITS(2)
DEFINE_TRACED_EXITS(4)
DEFINE_TRACED_EXITS(8)
DEFINE_TRACED_EXITS(16)

/*
 * The exit programs of --by retval for up to "max" events. They are used together with the entry
 * programs above. The exit program for a few pinned events is in probe_small.bpf.c.
 */
#define DEFINE_RETVAL_EXIT(name, exit, ...)                   \
	SEC("fexit")                                          \
	int bprof_exit_r##name(void *ctx)                     \
	{                                                     \
		return exit(ctx, load_config(), __VA_ARGS__); \
	}
#define DEFINE_RETVAL_EXITS(max)                                              \
	DEFINE_RETVAL_EXIT(m##max, end_invocation, max, true, EXIT_BY_RETVAL) \
	DEFINE_RETVAL_EXIT(n##max, end_nested, max, false, EXIT_BY_RETVAL)    \
	DEFINE_RETVAL_EXIT(nm##max, end_nested, max, true, EXIT_BY_RETVAL)

DEFINE_RETVAL_EXITS(4)
DEFINE_RETVAL_EXITS(16)
DEFINE_RETVAL_EXIT(16, end_invocation, 16, false, EXIT_BY_RETVAL)

/*
 * The programs of fsessions (probe_fsession.bpf.h) for up to "max" pinned events. User space changes
 * their attach type to BPF_TRACE_FSESSION, because old versions of libbpf have no section for it.
 */
#define DEFINE_FSESSION(name, ...)                    \
	SEC("fexit")                                  \
	int bprof_fsession_##name(void *ctx)          \
	{                                             \
		return on_fsession(ctx, __VA_ARGS__); \
	}
#define DEFINE_FSESSIONS(max)                             \
	DEFINE_FSESSION(max, max, EXIT_PLAIN)             \
	DEFINE_FSESSION(t##max, max, EXIT_TRACED)         \
	DEFINE_FSESSION(p##max, max, EXIT_TRACED_SLOWEST) \
	DEFINE_FSESSION(r##max, max, EXIT_BY_RETVAL)

DEFINE_FSESSIONS(4)
DEFINE_FSESSIONS(16)
