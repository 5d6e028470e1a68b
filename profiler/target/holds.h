/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds unheld programs: loaded programs for which bprof can see no process, pin, map, program or
 * attachment that holds them.
 */
#ifndef BPROF_HOLDS_H
#define BPROF_HOLDS_H

#include <linux/types.h>

#include "base/util.h"
#include "host/holders.h"
#include "target/attachments.h"

enum hold_state {
	HOLD_UNHELD,
	HOLD_UNKNOWN, /* bprof cannot find out what holds the program */
	HOLD_OTHER,   /* a pin, a map, another program, or another network namespace holds it */
};

/* A program that no process and no attachment in this network namespace holds. */
struct hold {
	__u32 prog_id;
	int type;
	char name[16];
	enum hold_state state;
	/* HOLD_OTHER: what holds the program; HOLD_UNKNOWN: why that is not known; else NULL */
	char *text;
	__u64 memory; /* bytes that the kernel accounts for the program, without its maps */
};

struct holds {
	struct hold *v; /* sorted by program id */
	int cnt;
};

/*
 * Fills *h with the loaded programs, except bprof's own, that have neither a holder in "holders"
 * nor an attachment in "attached". Searches processes, links, pins, maps and network namespaces
 * only for these programs. If some of them are unheld, waits for a moment and then leaves out those
 * that were unloaded meanwhile. Returns 0, -EPERM without CAP_SYS_ADMIN, or another -errno. The
 * caller frees *h with holds__free(), also on failure.
 */
int __must_check holds__load(struct holds *h, const struct attachments *attached,
			     const struct holders *holders);
/*
 * Like holds__load(), but reads the processes with "source", which repeated calls share, and does
 * not wait.
 */
int __must_check holds__load_from(struct holds *h, struct holder_source *source);
void holds__free(struct holds *h);

/* Returns the program's hold, or NULL if a process or an attachment holds it. */
const struct hold *holds__of(const struct holds *h, __u32 prog_id);
/* Returns the number of programs in this state, and sets *memory to the sum of their memory. */
int holds__count(const struct holds *h, enum hold_state state, __u64 *memory);

#endif
