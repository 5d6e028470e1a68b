// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The world of the fuzzers. Owns the table of files, and the answers to calls that leave the process.
 * A function fuzz_NAME() takes the place of NAME() in bprof's code and in libbpf, see fuzz.mk.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <locale.h>
#include <mntent.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include <jansson.h>
#define PCAP_DONT_INCLUDE_PCAP_BPF_H /* linux/bpf.h has the same names */
#include <pcap/pcap.h>
#include <zlib.h>

#include "base/log.h"
#include "tests/fuzz/world.h"

#define MAX_FILES 256

struct file {
	const char *path;
	size_t len; /* of path */
	const void *data;
	size_t sz;
};

static struct file files[MAX_FILES];
static int file_cnt;
long (*world_bpf)(int cmd, void *attr, unsigned int sz);
bool world_net, world_child_survives;

/* ---- the table of files ---- */

/*
 * Compares without memcmp(): libFuzzer learns from what strings are compared with, and paths would
 * teach it nothing.
 */
static bool is_same(const char *a, const char *b, size_t len)
{
	while (len && a[len - 1] == b[len - 1])
		len--;
	return !len;
}

static struct file *find_file(const char *path)
{
	size_t len = strlen(path);

	for (int i = 0; i < file_cnt; i++)
		if (files[i].len == len && is_same(files[i].path, path, len))
			return &files[i];
	return NULL;
}

void world__set_file(const char *path, const void *data, size_t sz)
{
	struct file *f = find_file(path);

	if (!data) {
		if (f)
			*f = files[--file_cnt];
		return;
	}
	if (!f) {
		require(file_cnt < MAX_FILES);
		f = &files[file_cnt++];
	}
	*f = (struct file){path, strlen(path), data, sz};
}

void world__set_text(const char *path, const char *text)
{
	world__set_file(path, text, text ? strlen(text) : 0);
}

void world__clear(void)
{
	file_cnt = 0;
}

/* Returns the rest of the file's path if it is below the directory, else NULL. */
static const char *path_below(const struct file *f, const char *dir)
{
	size_t len = strlen(dir);

	while (len && dir[len - 1] == '/')
		len--;
	return f->len > len && f->path[len] == '/' && is_same(f->path, dir, len) ? f->path + len + 1
										 : NULL;
}

static bool is_dir(const char *path)
{
	for (int i = 0; i < file_cnt; i++)
		if (path_below(&files[i], path))
			return true;
	return false;
}

/* Fuzzers may make real directories here, for functions that walk them. */
static bool is_real(const char *path)
{
	static const char dir[] = "/dev/shm/bprof-fuzz-";

	for (int i = 0; dir[i]; i++)
		if (path[i] != dir[i])
			return false;
	return true;
}

/* ---- functions that read files ---- */

static ssize_t write_nothing(void *cookie, const char *buf, size_t sz)
{
	return sz;
}

FILE *world__null(void)
{
	static FILE *null;

	if (!null)
		null = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_nothing});
	require(null);
	return null;
}

FILE *fuzz_fopen(const char *path, const char *mode);
FILE *fuzz_fopen(const char *path, const char *mode)
{
	const struct file *f = find_file(path);

	if (is_real(path))
		return fopen(path, mode);
	if (*mode != 'r')
		return fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_nothing});
	if (!f) {
		errno = is_dir(path) ? EISDIR : ENOENT;
		return NULL;
	}
	return f->sz ? fmemopen((void *)f->data, f->sz, "r") : fopen("/dev/null", "re");
}

FILE *fuzz_setmntent(const char *path, const char *mode);
FILE *fuzz_setmntent(const char *path, const char *mode)
{
	return fuzz_fopen(path, mode);
}

pcap_t *fuzz_pcap_open_offline(const char *path, char *why);
pcap_t *fuzz_pcap_open_offline(const char *path, char *why)
{
	FILE *in = fuzz_fopen(path, "r");
	pcap_t *p = in ? pcap_fopen_offline(in, why) : NULL;

	if (!in)
		snprintf(why, PCAP_ERRBUF_SIZE, "%.64s: %s", path, strerror(errno));
	else if (!p)
		fclose(in);
	return p;
}

FILE *fuzz_tmpfile(void);
FILE *fuzz_tmpfile(void)
{
	return fmemopen(NULL, 1 << 20, "w+");
}

static int stat_file(const char *path, struct stat *st)
{
	const struct file *f = find_file(path);

	if (is_real(path))
		return stat(path, st);
	memset(st, 0, sizeof(*st));
	st->st_mode = f ? S_IFREG | 0644 : S_IFDIR | 0755;
	st->st_size = f ? f->sz : 0;
	if (f || is_dir(path))
		return 0;
	errno = ENOENT;
	return -1;
}

int fuzz_stat(const char *path, struct stat *st);
int fuzz_stat(const char *path, struct stat *st)
{
	return stat_file(path, st);
}

int fuzz_access(const char *path, int mode);
int fuzz_access(const char *path, int mode)
{
	struct stat st;

	return stat_file(path, &st);
}

/* A file as a descriptor, which libelf needs. */
static int open_file(const char *path)
{
	const struct file *f = find_file(path);
	int fd = -1;

	if (!strcmp(path, "/dev/null"))
		return open(path, O_RDWR | O_CLOEXEC);
	errno = ENOENT;
	if (f)
		fd = memfd_create("file", MFD_CLOEXEC);
	require(fd < 0 || write(fd, f->data, f->sz) == (ssize_t)f->sz);
	return fd;
}

int fuzz_open(const char *path, int flags);
int fuzz_open(const char *path, int flags)
{
	return open_file(path);
}

int fuzz_open64(const char *path, int flags);
int fuzz_open64(const char *path, int flags)
{
	return open_file(path);
}

static int add_entry(struct dirent ***list, int cnt, const char *name, size_t len,
		     int (*filter)(const struct dirent *))
{
	struct dirent *d = malloc(offsetof(struct dirent, d_name) + len + 1);

	require(d);
	d->d_name[len] = '\0';
	memcpy(d->d_name, name, len);
	for (int i = 0; i < cnt; i++)
		if (strlen((*list)[i]->d_name) == len &&
		    is_same((*list)[i]->d_name, d->d_name, len))
			goto drop;
	if (filter && !filter(d))
		goto drop;
	*list = realloc(*list, (cnt + 1) * sizeof(**list));
	require(*list);
	(*list)[cnt] = d;
	return cnt + 1;
drop:
	free(d);
	return cnt;
}

static int compare_entries(const void *a, const void *b, void *compare)
{
	return ((int (*)(const void *, const void *))compare)(a, b);
}

int fuzz_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		 int (*compare)(const struct dirent **, const struct dirent **));
int fuzz_scandir(const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
		 int (*compare)(const struct dirent **, const struct dirent **))
{
	int cnt = 0;

	*list = NULL;
	if (!is_dir(path)) {
		errno = ENOENT;
		return -1;
	}
	for (int i = 0; i < file_cnt; i++) {
		const char *rest = path_below(&files[i], path);

		if (rest)
			cnt = add_entry(list, cnt, rest, strcspn(rest, "/"), filter);
	}
	if (compare && cnt)
		qsort_r(*list, cnt, sizeof(**list), compare_entries, compare);
	return cnt;
}

FTS *fuzz_fts_open(char *const *paths, int options,
		   int (*compare)(const FTSENT **, const FTSENT **));
FTS *fuzz_fts_open(char *const *paths, int options,
		   int (*compare)(const FTSENT **, const FTSENT **))
{
	if (is_real(*paths))
		return fts_open(paths, options, compare);
	errno = ENOENT;
	return NULL;
}

/* ---- functions that act ---- */

long fuzz_syscall(long nr, long a, long b, long c, long d, long e);
long fuzz_syscall(long nr, long a, long b, long c, long d, long e)
{
	if (nr == __NR_bpf && world_bpf)
		return world_bpf(a, (void *)b, c);
	errno = EPERM;
	return -1;
}

int fuzz_socket(int family, int type, int protocol);
int fuzz_socket(int family, int type, int protocol)
{
	if (world_net)
		return socket(family, type, protocol);
	errno = EACCES;
	return -1;
}

/* bprof never runs as the child. */
int fuzz_fork(void);
int fuzz_fork(void)
{
	errno = EAGAIN;
	return world_child_survives ? 1 : -1;
}

pid_t fuzz_waitpid(pid_t pid, int *status, int options);
pid_t fuzz_waitpid(pid_t pid, int *status, int options)
{
	*status = 0;
	errno = ECHILD;
	return world_child_survives ? pid : -1;
}

/* Without world_net, nothing ever happens, so that bprof's loop ends with an error. */
int fuzz_epoll_wait(int fd, struct epoll_event *ev, int max, int timeout);
int fuzz_epoll_wait(int fd, struct epoll_event *ev, int max, int timeout)
{
	if (world_net)
		return epoll_wait(fd, ev, max, timeout);
	errno = EIO;
	return -1;
}

int fuzz_glob(const char *pattern, int flags, int (*fail)(const char *, int), glob_t *out);
int fuzz_glob(const char *pattern, int flags, int (*fail)(const char *, int), glob_t *out)
{
	memset(out, 0, sizeof(*out));
	return GLOB_NOMATCH;
}

/* posix_spawn() returns an error instead of setting errno. */
int fuzz_posix_spawn(void);
int fuzz_posix_spawn(void)
{
	return EAGAIN;
}

int fuzz_posix_spawnp(void);
int fuzz_posix_spawnp(void)
{
	return EAGAIN;
}

#define REFUSED(type, name, failure, error) \
	type fuzz_##name(void);             \
	type fuzz_##name(void)              \
	{                                   \
		errno = error;              \
		return failure;             \
	}

REFUSED(int, openat, -1, ENOENT)
REFUSED(int, open_by_handle_at, -1, EPERM)
REFUSED(int, lstat, -1, ENOENT)
REFUSED(int, statx, -1, ENOENT)
REFUSED(int, statfs, -1, ENOENT)
REFUSED(void *, opendir, NULL, ENOENT)
REFUSED(long, readlink, -1, ENOENT)
REFUSED(long, readlinkat, -1, ENOENT)
REFUSED(void *, realpath, NULL, ENOENT)
REFUSED(void *, gzopen, NULL, ENOENT)
REFUSED(void *, if_nameindex, NULL, ENOENT)
REFUSED(void *, getenv, NULL, 0)
REFUSED(int, isatty, 0, ENOTTY)
REFUSED(int, execvp, -1, EPERM)
REFUSED(int, kill, -1, EPERM)
REFUSED(int, mount, -1, EPERM)
REFUSED(int, umount, -1, EPERM)
REFUSED(int, mkdir, -1, EPERM)
REFUSED(int, unlink, -1, EPERM)
REFUSED(int, rename, -1, EPERM)
REFUSED(int, mkostemp, -1, EPERM)
REFUSED(int, sched_setaffinity, -1, EPERM)
REFUSED(int, setrlimit, -1, EPERM)
REFUSED(int, cap_set_proc, -1, EPERM)
REFUSED(int, nanosleep, 0, 0)
REFUSED(int, usleep, 0, 0)
REFUSED(void *, dlopen, NULL, ENOENT)
REFUSED(void *, newterm, NULL, ENOTTY)
REFUSED(int, sigaction, 0, 0)
REFUSED(int, sigprocmask, 0, 0)
REFUSED(int, geteuid, 0, 0)

/* ---- inputs and outputs ---- */

uint8_t bytes__u8(struct bytes *b)
{
	uint8_t v = 0;

	bytes__copy(b, &v, 1);
	return v;
}

uint64_t bytes__u64(struct bytes *b)
{
	uint64_t v = 0;

	bytes__copy(b, &v, sizeof(v));
	return v;
}

void bytes__copy(struct bytes *b, void *to, size_t sz)
{
	size_t have = b->sz < sz ? b->sz : sz;

	memset(to, 0, sz);
	if (have)
		memcpy(to, b->at, have);
	b->at += have;
	b->sz -= have;
}

char *bytes__text(struct bytes *b)
{
	size_t len = b->sz ? strnlen((const char *)b->at, b->sz) : 0;
	char *text = len ? strndup((const char *)b->at, len) : strdup("");

	require(text);
	len += len < b->sz;
	b->at += len;
	b->sz -= len;
	return text;
}

void free_harmless(char *text)
{
	for (const unsigned char *p = (const void *)text; *p; p++)
		require(*p == '\n' || *p == '\t' || (*p >= ' ' && *p != 0x7f));
	free(text);
}

static int print_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return 0;
}

static void take_message(void *arg, enum log_level level, const char *message)
{
	require(*message);
}

/*
 * ASan keeps only the last 8 MiB of freed memory from being used again, so that this memory stays in the CPU's
 * caches. An input is smaller than 8 MiB.
 */
const char *__asan_default_options(void);
const char *__attribute__((weak)) __asan_default_options(void)
{
	return "quarantine_size_mb=8:malloc_context_size=8";
}

/* Names are printable, and the order of the members of JSON objects is the same each time. */
static void __attribute__((constructor)) begin(void)
{
	static const struct log_sink sink = {.write = take_message, .max = LOG_LEVEL_DEBUG};

	require(setlocale(LC_CTYPE, "C.UTF-8"));
	json_object_seed(1);
	libbpf_set_print(print_nothing);
	log__set_sink(&sink);
}
