/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a report says of programs beside their own properties: who owns them, and which network devices and
 * kinds of hooks they are attached to.
 */
#ifndef BPROF_PROG_LABELS_H
#define BPROF_PROG_LABELS_H

#include "base/id_map.h"
#include "host/holders.h"

struct report_prog;
struct target_list;

/* Set owners, devices and hooks to what is asked for, and all other members to zero. */
struct prog_labels {
	bool owners, devices, hooks;
	struct holder_source source;
	/* What was known last: a program keeps it when it is unloaded, or its owner ends. */
	struct prog_label {
		char *owner, *device, *hook; /* NULL: none, or not known */
	} * v;
	int cnt;
	struct id_map index; /* of a program's label, by id */
	__u64 looked_ns;     /* CLOCK_MONOTONIC of the last look; 0: none */
};

/*
 * Looks at the targets that are loaded, if a target is new, or from time to time. Does nothing if nothing is
 * asked for.
 */
void prog_labels__look(struct prog_labels *l, const struct target_list *targets);
/* Sets the members of a row. arg: struct prog_labels. */
void prog_labels__set(void *arg, struct report_prog *p);
void prog_labels__free(struct prog_labels *l);

#endif
