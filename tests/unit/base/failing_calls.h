/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Makes calls of files and processes fail, with EIO. This file replaces the C library's functions
 * in the test that includes it; calls within the C library do not fail.
 */
#ifndef BPROF_TEST_FAILING_CALLS_H
#define BPROF_TEST_FAILING_CALLS_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The number of calls that succeed before one fails; -1: none fails. If all_fail, all later calls
 * fail, too.
 */
static long calls_left = -1;
static bool all_fail;
static bool call_failed; /* true if a call has failed since the test set this to false */

static bool call_fails(void)
{
	if (calls_left < 0)
		return false;
	if (calls_left) {
		calls_left--;
		return false;
	}
	if (!all_fail)
		calls_left = -1;
	call_failed = true;
	errno = EIO;
	return true;
}

#define REPLACE(type, failure, name, parameters, arguments)                   \
	type name parameters                                                  \
	{                                                                     \
		typeof(name) *real = (typeof(name) *)dlsym(RTLD_NEXT, #name); \
                                                                              \
		return call_fails() ? (failure) : real arguments;             \
	}

REPLACE(int, -1, open, (const char *path, int flags, ...), (path, flags, 0666))
REPLACE(int, -1, mkostemp, (char *path, int flags), (path, flags))
REPLACE(FILE *, NULL, fdopen, (int fd, const char *mode), (fd, mode))
REPLACE(int, -1, statx, (int fd, const char *path, int flags, unsigned int mask, struct statx *st),
	(fd, path, flags, mask, st))
REPLACE(int, -1, stat, (const char *path, struct stat *st), (path, st))
REPLACE(int, -1, lstat, (const char *path, struct stat *st), (path, st))
REPLACE(int, -1, fstat, (int fd, struct stat *st), (fd, st))
REPLACE(int, -1, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid))
REPLACE(int, -1, fchmod, (int fd, mode_t mode), (fd, mode))
REPLACE(int, -1, ftruncate, (int fd, off_t len), (fd, len))
REPLACE(int, -1, fseek, (FILE * f, long off, int whence), (f, off, whence))
REPLACE(int, -1, rename, (const char *from, const char *to), (from, to))
REPLACE(int, -1, eaccess, (const char *path, int mode), (path, mode))
REPLACE(int, EOF, fflush, (FILE * f), (f))
REPLACE(int, (real(f), EOF), fclose, (FILE * f), (f)) /* the file is closed in any case */
REPLACE(int, -1, pipe2, (int fds[2], int flags), (fds, flags))
REPLACE(int, -1, fcntl, (int fd, int cmd, ...), (fd, cmd, STDERR_FILENO + 1))
REPLACE(int, EIO, posix_spawn_file_actions_init, (posix_spawn_file_actions_t * actions), (actions))
REPLACE(int, EIO, posix_spawnattr_init, (posix_spawnattr_t * attr), (attr))
REPLACE(int, EIO, posix_spawn_file_actions_adddup2,
	(posix_spawn_file_actions_t * actions, int from, int to), (actions, from, to))

#endif
