// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The calls that can fail (shim.h): one function __wrap_NAME() for each. Owns the list of objects
 * that vanished (FAULT_VANISH). Must not know bprof.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <linux/bpf.h>
#include <bpf/libbpf.h>

#include "tests/faults/shim.h"

/* Wraps a function: passes on its arguments, or returns bad and sets errno to err if the call has to fail. */
#define WRAP(kind, err, bad, type, name, params, args)      \
	type __real_##name params;                          \
	type __wrap_##name params;                          \
	type __wrap_##name params                           \
	{                                                   \
		if (fault__fails(FAULT_##kind, #name, err)) \
			return bad;                         \
		return __real_##name args;                  \
	}

/* The same for a call that signals can interrupt: it can also fail with EINTR. */
#define WRAP_INTR(kind, err, type, name, params, args)        \
	type __real_##name params;                            \
	type __wrap_##name params;                            \
	type __wrap_##name params                             \
	{                                                     \
		if (fault__fails(FAULT_##kind, #name, err) || \
		    fault__fails(FAULT_INTR, #name, EINTR))   \
			return -1;                            \
		return __real_##name args;                    \
	}

WRAP(ALLOC, ENOMEM, NULL, void *, malloc, (size_t sz), (sz))
WRAP(ALLOC, ENOMEM, NULL, void *, calloc, (size_t cnt, size_t sz), (cnt, sz))
WRAP(ALLOC, ENOMEM, NULL, void *, realloc, (void *mem, size_t sz), (mem, sz))
WRAP(ALLOC, ENOMEM, NULL, void *, reallocarray, (void *mem, size_t cnt, size_t sz), (mem, cnt, sz))
WRAP(ALLOC, ENOMEM, NULL, char *, strdup, (const char *s), (s))
WRAP(ALLOC, ENOMEM, NULL, char *, strndup, (const char *s, size_t sz), (s, sz))
WRAP(ALLOC, ENOMEM, -1, int, vasprintf, (char **out, const char *fmt, va_list ap), (out, fmt, ap))
WRAP(ALLOC, ENOMEM, errno, int, posix_memalign, (void **out, size_t align, size_t sz),
     (out, align, sz))

WRAP(FILE, EIO, NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode))
WRAP(FILE, EIO, NULL, FILE *, fopen64, (const char *path, const char *mode), (path, mode))
WRAP(ALLOC, ENOMEM, NULL, FILE *, fdopen, (int fd, const char *mode), (fd, mode))
WRAP(ALLOC, ENOMEM, NULL, FILE *, fmemopen, (void *mem, size_t sz, const char *mode),
     (mem, sz, mode))
WRAP(ALLOC, ENOMEM, NULL, FILE *, fopencookie,
     (void *cookie, const char *mode, cookie_io_functions_t calls), (cookie, mode, calls))
WRAP(FILE, EMFILE, NULL, FILE *, tmpfile, (void), ())
WRAP(FILE, EIO, NULL, DIR *, opendir, (const char *path), (path))
WRAP(FILE, EIO, -1, int, rename, (const char *from, const char *to), (from, to))
WRAP(FILE, EPERM, -1, int, link, (const char *from, const char *to), (from, to))
WRAP(FILE, EIO, -1, int, ftruncate, (int fd, off_t sz), (fd, sz))
WRAP(FILE, EIO, -1, int, fsync, (int fd), (fd))
WRAP(FILE, EIO, -1, int, stat, (const char *path, struct stat *st), (path, st))
WRAP(FILE, EIO, -1, int, lstat, (const char *path, struct stat *st), (path, st))
WRAP(FILE, EIO, -1, int, fstat, (int fd, struct stat *st), (fd, st))
WRAP(FILE, EIO, -1, int, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(FILE, EIO, -1, int, fchmod, (int fd, mode_t mode), (fd, mode))
WRAP(FILE, EPERM, -1, int, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid))
WRAP(FILE, EIO, -1, int, mkostemp, (char *path, int flags), (path, flags))
WRAP(FILE, EINVAL, -1, off_t, lseek, (int fd, off_t off, int whence), (fd, off, whence))
WRAP(FILE, EIO, -1, ssize_t, readlink, (const char *path, char *buf, size_t sz), (path, buf, sz))
WRAP(FILE, EIO, -1, ssize_t, pread, (int fd, void *buf, size_t sz, off_t off), (fd, buf, sz, off))
WRAP(FILE, EMFILE, -1, int, dup, (int fd), (fd))
WRAP(FILE, EMFILE, -1, int, dup2, (int fd, int to), (fd, to))
WRAP(FILE, EMFILE, -1, int, dup3, (int fd, int to, int flags), (fd, to, flags))
WRAP_INTR(FILE, ENOLCK, int, flock, (int fd, int op), (fd, op))
WRAP_INTR(FILE, EIO, ssize_t, read, (int fd, void *buf, size_t sz), (fd, buf, sz))
WRAP_INTR(FILE, ENOSPC, ssize_t, write, (int fd, const void *buf, size_t sz), (fd, buf, sz))

WRAP(MMAP, ENOMEM, MAP_FAILED, void *, mmap,
     (void *at, size_t sz, int prot, int flags, int fd, off_t off), (at, sz, prot, flags, fd, off))
WRAP(MMAP, ENOMEM, MAP_FAILED, void *, mmap64,
     (void *at, size_t sz, int prot, int flags, int fd, off_t off), (at, sz, prot, flags, fd, off))

WRAP(WAIT, EMFILE, -1, int, epoll_create1, (int flags), (flags))
WRAP(WAIT, ENOMEM, -1, int, epoll_ctl, (int ep, int op, int fd, struct epoll_event *ev),
     (ep, op, fd, ev))
WRAP_INTR(WAIT, EBADF, int, epoll_wait, (int ep, struct epoll_event *ev, int cnt, int ms),
	  (ep, ev, cnt, ms))
WRAP_INTR(WAIT, ENOMEM, int, poll, (struct pollfd * fds, nfds_t cnt, int ms), (fds, cnt, ms))
WRAP(WAIT, EMFILE, -1, int, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))
WRAP(WAIT, EMFILE, -1, int, timerfd_create, (int clock, int flags), (clock, flags))
WRAP(WAIT, EINVAL, -1, int, timerfd_settime,
     (int fd, int flags, const struct itimerspec *new, struct itimerspec *old),
     (fd, flags, new, old))

WRAP_INTR(PROCESS, ECHILD, pid_t, waitpid, (pid_t pid, int *status, int flags),
	  (pid, status, flags))
WRAP(PROCESS, EMFILE, -1, int, pipe2, (int fd[2], int flags), (fd, flags))
WRAP(PROCESS, EMFILE, -1, int, socket, (int domain, int type, int protocol),
     (domain, type, protocol))
WRAP(PROCESS, EMFILE, -1, int, socketpair, (int domain, int type, int protocol, int fd[2]),
     (domain, type, protocol, fd))
WRAP(PROCESS, EPIPE, -1, ssize_t, send, (int fd, const void *buf, size_t sz, int flags),
     (fd, buf, sz, flags))
WRAP(PROCESS, EINVAL, -1, int, sched_setaffinity, (pid_t pid, size_t sz, const cpu_set_t *set),
     (pid, sz, set))
WRAP(PROCESS, EINVAL, -1, int, sched_getaffinity, (pid_t pid, size_t sz, cpu_set_t *set),
     (pid, sz, set))
WRAP(PROCESS, EAGAIN, errno, int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg),
     (thread, attr, run, arg))
WRAP(PROCESS, EAGAIN, errno, int, posix_spawn,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *acts,
      const posix_spawnattr_t *attr, char *const argv[], char *const env[]),
     (pid, path, acts, attr, argv, env))
WRAP(PROCESS, EAGAIN, errno, int, posix_spawnp,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *acts,
      const posix_spawnattr_t *attr, char *const argv[], char *const env[]),
     (pid, path, acts, attr, argv, env))

/* The checked variants that _FORTIFY_SOURCE calls instead. */
WRAP(FILE, EIO, -1, ssize_t, __pread_chk, (int fd, void *buf, size_t sz, off_t off, size_t room),
     (fd, buf, sz, off, room))
WRAP(FILE, EIO, -1, ssize_t, __readlink_chk, (const char *path, char *buf, size_t sz, size_t room),
     (path, buf, sz, room))
WRAP(FILE, EMFILE, -1, int, __open_2, (const char *path, int flags), (path, flags))
WRAP(FILE, EMFILE, -1, int, __open64_2, (const char *path, int flags), (path, flags))
WRAP(FILE, EMFILE, -1, int, __openat_2, (int dir, const char *path, int flags), (dir, path, flags))
WRAP_INTR(FILE, EIO, ssize_t, __read_chk, (int fd, void *buf, size_t sz, size_t room),
	  (fd, buf, sz, room))
WRAP_INTR(WAIT, ENOMEM, int, __poll_chk, (struct pollfd * fds, nfds_t cnt, int ms, size_t room),
	  (fds, cnt, ms, room))

int __wrap___vasprintf_chk(char **out, int flag, const char *fmt, va_list ap);
int __wrap___asprintf_chk(char **out, int flag, const char *fmt, ...);
int __wrap_asprintf(char **out, const char *fmt, ...);

int __wrap___vasprintf_chk(char **out, int flag, const char *fmt, va_list ap)
{
	return __wrap_vasprintf(out, fmt, ap);
}

int __wrap___asprintf_chk(char **out, int flag, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = __wrap_vasprintf(out, fmt, ap);
	va_end(ap);
	return len;
}

int __wrap_asprintf(char **out, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = __wrap_vasprintf(out, fmt, ap);
	va_end(ap);
	return len;
}

/* Functions that open files and have a variable argument, the mode. */
#define WRAP_OPEN(name, params, args)                                          \
	int __real_##name params;                                              \
	int __wrap_##name params;                                              \
	int __wrap_##name params                                               \
	{                                                                      \
		mode_t mode;                                                   \
		va_list ap;                                                    \
                                                                               \
		va_start(ap, flags);                                           \
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0; \
		va_end(ap);                                                    \
		if (fault__fails(FAULT_FILE, #name, EMFILE) ||                 \
		    fault__fails(FAULT_INTR, #name, EINTR))                    \
			return -1;                                             \
		return __real_##name args;                                     \
	}

WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode))

#define WRAP_CONTROL(kind, err, name, op_type)              \
	int __real_##name(int fd, op_type op, ...);         \
	int __wrap_##name(int fd, op_type op, ...);         \
	int __wrap_##name(int fd, op_type op, ...)          \
	{                                                   \
		va_list ap;                                 \
		void *arg;                                  \
                                                            \
		va_start(ap, op);                           \
		arg = va_arg(ap, void *);                   \
		va_end(ap);                                 \
		if (fault__fails(FAULT_##kind, #name, err)) \
			return -1;                          \
		return __real_##name(fd, op, arg);          \
	}

WRAP_CONTROL(FILE, EMFILE, fcntl, int)
WRAP_CONTROL(FILE, EMFILE, fcntl64, int)
WRAP_CONTROL(PERF, EINVAL, ioctl, unsigned long)

/* fclose() fails only for files. For a stream in memory (base/text.c), open_memstream() and others fail. */
int __real_fclose(FILE *f);
int __wrap_fclose(FILE *f);
int __wrap_fclose(FILE *f)
{
	bool fault = fileno(f) >= 0 && fault__fails(FAULT_FILE, "fclose", ENOSPC);
	int err = errno, ret = __real_fclose(f);

	if (!fault)
		return ret;
	errno = err;
	return EOF;
}

WRAP(FILE, ENOSPC, EOF, int, fflush, (FILE * f), (f))

pid_t __real_fork(void);
pid_t __wrap_fork(void);
pid_t __wrap_fork(void)
{
	pid_t pid = fault__fails(FAULT_PROCESS, "fork", EAGAIN) ? -1 : __real_fork();

	if (!pid)
		fault__begin_child();
	return pid;
}

/* Ids of objects that vanished. All later calls for them fail, too. */
static struct {
	__u32 cmd, id;
} gone[64];
static unsigned int gone_cnt;

static bool is_gone(__u32 cmd, __u32 id)
{
	for (unsigned int i = 0; i < gone_cnt; i++)
		if (gone[i].cmd == cmd && gone[i].id == id)
			return true;
	return false;
}

/* BPF_*_GET_FD_BY_ID: returns true, with errno set, if the object vanishes or has vanished. */
static bool vanishes(__u32 cmd, const union bpf_attr *attr)
{
	if (cmd != BPF_PROG_GET_FD_BY_ID && cmd != BPF_MAP_GET_FD_BY_ID &&
	    cmd != BPF_BTF_GET_FD_BY_ID && cmd != BPF_LINK_GET_FD_BY_ID)
		return false;
	if (fault__fails(FAULT_VANISH, "get_fd_by_id", ENOENT) &&
	    gone_cnt < sizeof(gone) / sizeof(*gone)) {
		gone[gone_cnt].cmd = cmd;
		gone[gone_cnt++].id = attr->prog_id;
	}
	if (!is_gone(cmd, attr->prog_id))
		return false;
	errno = ENOENT;
	return true;
}

static void add_if(__u32 *field, __u32 more)
{
	if (*field)
		*field += more;
}

/*
 * Changes what BPF_OBJ_GET_INFO_BY_FD returned for a program, as if the program had grown since bprof asked
 * for the sizes: the kernel returns the new sizes, but fills in no more than there was room for.
 */
static void grow_info(const union bpf_attr *attr)
{
	struct bpf_prog_info *info = (void *)(long)attr->info.info;

	if (attr->info.info_len < sizeof(*info) - 64 || !info->xlated_prog_insns)
		return;
	add_if(&info->xlated_prog_len, 8);
	add_if(&info->jited_prog_len, 16);
	add_if(&info->nr_map_ids, 3);
	add_if(&info->nr_jited_ksyms, 2);
	add_if(&info->nr_jited_func_lens, 2);
	add_if(&info->nr_func_info, 2);
	add_if(&info->nr_line_info, 7);
	add_if(&info->nr_jited_line_info, 7);
	add_if(&info->nr_prog_tags, 2);
}

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);
long __wrap_syscall(long nr, ...)
{
	bool is_bpf = nr == SYS_bpf;
	union bpf_attr *attr;
	long a[6], ret;
	va_list ap;

	va_start(ap, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	attr = (union bpf_attr *)a[1];
	if (is_bpf && (fault__fails(FAULT_BPF, "bpf", ENOMEM) || vanishes(a[0], attr)))
		return -1;
	if (is_bpf && a[0] == BPF_PROG_TEST_RUN && fault__fails(FAULT_INTR, "bpf", EINTR))
		return -1;
	if (nr == SYS_perf_event_open && fault__fails(FAULT_PERF, "perf_event_open", EMFILE))
		return -1;
	if (!is_bpf && nr != SYS_perf_event_open && fault__fails(FAULT_PROCESS, "syscall", EINVAL))
		return -1;
	ret = __real_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (is_bpf && !ret && a[0] == BPF_OBJ_GET_INFO_BY_FD &&
	    fault__fails(FAULT_GROW, "get_info", 0))
		grow_info(attr);
	return ret;
}
