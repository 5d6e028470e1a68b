/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The labels that a report shows for programs: their owners, and the network devices and kinds of
 * hooks that they are attached to.
 */
#ifndef BPROF_PROG_LABELS_H
#define BPROF_PROG_LABELS_H

#include "base/id_map.h"
#include "host/holders.h"
#include "target/netns_devices.h"

struct report_prog;
struct target_list;

/* Set owners, devices and hooks to true if they are wanted, and all other members to zero. */
struct prog_labels {
	bool owners, devices, hooks;
	struct holder_source source;
	struct netns_devices elsewhere;
	/* The last known label. It stays when the program is unloaded, or its owner ends. */
	struct prog_label {
		__u32 id;
		char *owner, *device, *hook; /* NULL: none, or not known */
	} * v;
	int cnt;
	struct id_map index; /* maps a program's id to its label */
	__u64 looked_ns;     /* CLOCK_MONOTONIC of the last update; 0: none */
};

/* Updates the wanted labels of the loaded targets if a target is new or labels are too old. */
void prog_labels__look(struct prog_labels *l, const struct target_list *targets);
/* Sets the label members of a row. arg: struct prog_labels. */
void prog_labels__set(void *arg, struct report_prog *p);
void prog_labels__free(struct prog_labels *l);

#endif
