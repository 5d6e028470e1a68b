/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Foreign probes: fentry and fexit programs of others on the functions that a session measures, for
 * example those of another bprof, of perf or of bpftool. Their cost is in the session's numbers, and it
 * cannot be subtracted.
 *
 * The kernel runs the probes of a function in the reverse order of their attachment, at the entry and
 * at the exit alike (bpf_trampoline_get_progs() in kernel/bpf/trampoline.c walks a list whose head is
 * the newest). So of two pairs, the older one's window has the newer one's exit program in it, and the
 * newer one's window has the older one's entry program in it: each pays for about half of the other.
 * How much that is depends on what the other does in that run: whether it measures yet, samples, has
 * more events. None of it can be known from outside, and the kernel does not attach a loaded tracing
 * program a second time, so it cannot be measured on an empty program either.
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
	bool looked_at;			/* the rest is known */
	bool on_prog;			/* the target is no function of the kernel */
	char name[16];			/* its program's */
	int pid;			/* of a process that holds the link; 0: not known */
	char comm[16];
	bool gone; /* detached, as was seen at gone_ns of the session's time */
	__u64 gone_ns;
};

struct foreign_probes {
	struct foreign_probe *v;
	int cnt;
	__u32 last_link; /* links up to this id were listed; ids only grow */
	bool unknown;	 /* links cannot be listed */
};

/*
 * Lists the links that came since the last call, all of them at first, and finds out whose probes are on
 * the targets. 0 or -ENOMEM. Where the kernel does not say what links are attached to (before Linux 5.13),
 * none is found.
 */
int __attribute__((warn_unused_result))
foreign_probes__update(struct foreign_probes *f, const struct target_list *targets);
/* Finds out which are detached now, at that time of the session. Without any it costs nothing. */
void foreign_probes__mark_gone(struct foreign_probes *f, __u64 now_ns);
/* Forgets those that are detached. */
void foreign_probes__drop_gone(struct foreign_probes *f);
void foreign_probes__free(struct foreign_probes *f);

/* The next foreign probe in t's numbers after prev (NULL: the first), or NULL. */
const struct foreign_probe *foreign_probes__next(const struct foreign_probes *f,
						 const struct target *t,
						 const struct foreign_probe *prev);

/*
 * Says in the target's part of the report whose probes are in its numbers, of a span that began at
 * since_ns. 0 or -ENOMEM.
 */
int __attribute__((warn_unused_result))
foreign_probes__add_notes(const struct foreign_probes *f, const struct target *t, __u64 since_ns,
			  struct report_prog *p);

#endif
