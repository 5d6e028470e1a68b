/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Foreign probes: fentry and fexit programs of other tools (another bprof, perf, bpftool) on the
 * functions that a session measures. The measured functions belong to programs or, with --calls, to
 * the kernel. The session's numbers include the overhead of foreign probes, which cannot be
 * subtracted.
 *
 * The kernel runs the probes of a function in the reverse order of their attachment, at the entry
 * and at the exit alike: bpf_trampoline_get_progs() in kernel/bpf/trampoline.c walks a list whose
 * head is the newest probe. A pair is the entry and the exit program of one tool. Of two pairs on a
 * function, the older pair also measures the exit program of the newer pair, and the newer pair
 * also measures the entry program of the older pair. So each pair measures about half of the other
 * pair's overhead. That overhead depends on what the other pair does in a run: whether it measures
 * at all, and which events it counts. bprof cannot find this out. The overhead cannot be measured
 * on an empty program either, because the kernel does not attach a loaded tracing program a second
 * time.
 */
#ifndef BPROF_FOREIGN_PROBES_H
#define BPROF_FOREIGN_PROBES_H

#include <stdbool.h>
#include <linux/types.h>

struct report_prog;
struct target;
struct target_list;

/*
 * A link of another tool's tracing program, whose target is a function of the kernel or of a BPF
 * program.
 */
struct foreign_probe {
	__u32 link_id, prog_id;
	/* id of the program or BTF that contains the probed function; the function's id in BTF */
	__u32 target_id, target_btf_id;
	bool inspected;				    /* "on" and name are set */
	enum { ON_UNKNOWN, ON_PROG, ON_KERNEL } on; /* what its function belongs to */
	bool matters;				    /* it may affect the numbers of a target */
	char name[16];				    /* name of the probe's own program */
	int pid; /* a process that holds the link; 0: not known */
	char comm[16];
	bool gone; /* bprof noticed at gone_ns (session time) that the probe was detached */
	__u64 gone_ns;
};

struct foreign_probes {
	struct foreign_probe *v;
	int cnt;
	__u32 last_link; /* links up to this id have been listed; new links have higher ids */
	bool unknown;	 /* the kernel does not let us list links */
};

/*
 * Lists the links that were created since the last call, and finds the probes on the targets. The
 * first call lists all links. Forgets detached links that are not on a target. Finds no probe if
 * the kernel does not report what a link is attached to (before Linux 5.13).
 */
void foreign_probes__update(struct foreign_probes *f, const struct target_list *targets);
/*
 * Marks the probes that have been detached, and sets their gone_ns to now_ns, a session time. Makes
 * no system call if there are no foreign probes.
 */
void foreign_probes__mark_gone(struct foreign_probes *f, __u64 now_ns);
/*
 * Finds the foreign probes whose links belong to another session of process pid, which has these
 * targets, and sets their pid.
 */
void foreign_probes__mark_held(struct foreign_probes *f, const struct target_list *targets,
			       int pid);
/* Removes the probes that were detached. */
void foreign_probes__drop_gone(struct foreign_probes *f);
void foreign_probes__free(struct foreign_probes *f);

/* Adds notes to p on the foreign probes that affected the target's numbers after since_ns. */
void foreign_probes__add_notes(const struct foreign_probes *f, const struct target *t,
			       __u64 since_ns, struct report_prog *p);

#endif
