/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads from /proc which processes have BPF programs, links and perf events open.
 */
#ifndef BPROF_OPEN_FILES_H
#define BPROF_OPEN_FILES_H

#include <linux/types.h>

enum open_file_kind {
	OPEN_PROG,
	OPEN_LINK,
	OPEN_PERF_EVENT,
};

/* Called for an open file of a process. */
typedef void (*open_file_fn)(int pid, int fd, enum open_file_kind kind, void *arg);

/*
 * Calls fn for each open file of these kinds, in all processes except bprof itself, which creates
 * short-lived links to test features. The files of a process come one after the other. Adds to
 * *refused the number of processes whose files this process may not see.
 */
void open_files__walk(open_file_fn fn, void *arg, int *refused);

/*
 * Returns the number after a key such as "prog_id:" in the fdinfo of a process's descriptor, or 0
 * if the fdinfo does not have the key. pid 0: this process.
 */
__u64 open_file__number(int pid, int fd, const char *key);

#endif
