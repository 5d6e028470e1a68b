/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of a pprof profile that reports and recordings share: the facts on the measurement, and
 * the form of programs.
 */
#ifndef BPROF_REPORT_PPROF_H
#define BPROF_REPORT_PPROF_H

#include "pprof/pprof.h"
#include "report/report.h"

/* Adds the time, the host, the command, and the programs that were skipped. */
void report_pprof__describe(struct pprof *p, const struct report *head);

/* Returns the unit of a sampled event. cpu-clock and task-clock count ns, also with modifiers (":k"). */
const char *report_pprof__sampled_unit(const char *event);

/*
 * A program. In the profile, it is both a mapping, whose build id is the program's tag, and the
 * outermost frame of its call paths. The frame has the name that the program has in stacks of the
 * kernel: "bpf_prog_TAG_NAME". This name is the same on each machine, and differs between versions.
 */
struct pprof_prog {
	__u32 id; /* 0: a sum of programs */
	const char *name, *type, *tag;
	__u64 mapping, frame; /* set by pprof_prog__add() */
};
/* Adds a program with code_sz bytes of code. */
void pprof_prog__add(struct pprof_prog *prog, struct pprof *p, __u64 code_sz);
/* Labels the last sample with the program. */
void pprof_prog__label(const struct pprof_prog *prog, struct pprof *p);
/* Adds the notes on a program or function to the comments. id: the text from report_prog__id() */
void report_pprof__add_notes(struct pprof *p, const char *id, const char *name,
			     const struct report_notes *notes);

#endif
