/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Foreign probes: fentry and fexit programs of others on the functions that a session measures, for
 * example those of another bprof, of perf or of bpftool. The session's numbers include their cost,
 * which cannot be subtracted.
 *
 * The kernel runs the probes of a function in the reverse order of their attachment, at the entry
 * and at the exit alike (bpf_trampoline_get_progs() in kernel/bpf/trampoline.c walks a list whose
 * head is the newest). So with two pairs of probes, the older pair's window includes the newer
 * one's exit program, and the newer pair's window includes the older one's entry program: each
 * measures about half of the other's cost. That cost depends on what the other pair does in a run:
 * whether it measures yet, thins out runs, or has more events. None of this is visible from
 * outside, and the kernel does not attach a loaded tracing program a second time, so the cost
 * cannot be measured on an empty program either.
 */
#ifndef BPROF_FOREIGN_PROBES_H
#define BPROF_FOREIGN_PROBES_H

#include <stdbool.h>
#include <linux/types.h>

struct report_prog;
struct target;
struct target_list;

/* A link of a tracing program whose target may be a function of a program. */
struct foreign_probe {
	__u32 link_id, prog_id;
	__u32 target_id, target_btf_id; /* the program and its function */
	bool inspected;			/* the fields below are set */
	bool on_prog;			/* the target is a BPF program, not a kernel function */
	char name[16];			/* its program's */
	int pid;			/* of a process that holds the link; 0: not known */
	char comm[16];
	bool gone; /* detached; noticed at gone_ns of the session's time */
	__u64 gone_ns;
};

struct foreign_probes {
	struct foreign_probe *v;
	int cnt;
	__u32 last_link; /* links up to this id were listed; ids only grow */
	bool unknown;	 /* links cannot be listed */
};

/*
 * Lists the links created since the last call (at first all), and finds the probes on the targets.
 * 0 or -ENOMEM. Finds none if the kernel does not report what links are attached to (before Linux
 * 5.13).
 */
int __attribute__((warn_unused_result))
foreign_probes__update(struct foreign_probes *f, const struct target_list *targets);
/*
 * Marks the probes that are detached by now, a time of the session. Costs nothing without foreign
 * probes.
 */
void foreign_probes__mark_gone(struct foreign_probes *f, __u64 now_ns);
/* Removes the detached ones. */
void foreign_probes__drop_gone(struct foreign_probes *f);
void foreign_probes__free(struct foreign_probes *f);

/* The next foreign probe in t's numbers after prev (NULL: the first), or NULL. */
const struct foreign_probe *foreign_probes__next(const struct foreign_probes *f,
						 const struct target *t,
						 const struct foreign_probe *prev);

/*
 * Adds notes on the probes in the target's numbers, for a span that began at since_ns. 0 or
 * -ENOMEM.
 */
int __attribute__((warn_unused_result))
foreign_probes__add_notes(const struct foreign_probes *f, const struct target *t, __u64 since_ns,
			  struct report_prog *p);

#endif
