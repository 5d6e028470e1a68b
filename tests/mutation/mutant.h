/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Switches on one of the mutants that tests/mutation/run.py has put into the code. All mutants are
 * compiled in at the same time: MUTANT=N in the environment chooses the one that has an effect. With
 * MUTANTS_REACHED=FILE, byte N of FILE becomes 1 when the code of mutant N runs.
 */
#ifndef BPROF_MUTANT_H
#define BPROF_MUTANT_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int mutant__chosen;
static char *mutant__reached;

__attribute__((constructor)) static void mutant__init(void)
{
	const char *chosen = getenv("MUTANT"), *reached = getenv("MUTANTS_REACHED");
	struct stat st;
	int fd;

	mutant__chosen = chosen ? atoi(chosen) : 0;
	fd = reached ? open(reached, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	if (!fstat(fd, &st)) {
		mutant__reached = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (mutant__reached == MAP_FAILED)
			mutant__reached = NULL;
	}
	close(fd);
}

static inline int mutant__is_on(int id)
{
	if (mutant__reached)
		mutant__reached[id] = 1;
	return mutant__chosen == id;
}

#endif
