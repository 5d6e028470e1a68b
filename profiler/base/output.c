// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns opening, replacing and closing of the file of -o; must not know the content of the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"

/* Returns true if a pending SIGPIPE kills this process as soon as the signal is unblocked. */
static bool dies_of_sigpipe(void)
{
	struct sigaction action;
	sigset_t pending;

	return !sigpending(&pending) && sigismember(&pending, SIGPIPE) == 1 &&
	       !sigaction(SIGPIPE, NULL, &action) && action.sa_handler == SIG_DFL;
}

/*
 * Reports a write error, except if the reader of a pipe has ended and SIGPIPE is about to kill
 * bprof: its exit status then tells the cause.
 */
static int report_error(const char *name, int err)
{
	if (err == -EPIPE && dies_of_sigpipe())
		return err;
	return log_err(err, "%s: cannot be written: %s", name, strerror(-err));
}

bool output__is_standard(const char *path)
{
	return !path || !strcmp(path, "-");
}

bool output__is_stream(const char *path)
{
	struct stat st;

	return output__is_standard(path) || (!stat(path, &st) && !S_ISREG(st.st_mode));
}

bool output__is_terminal(const char *path)
{
	return output__is_standard(path) && isatty(STDOUT_FILENO);
}

/* ---- symbolic links ---- */

static bool is_link(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

/*
 * Returns true if path is a symbolic link that another user may have created for this user to
 * follow: another user owns the link, and everybody can write to its directory.
 */
static bool is_foreign_link(const char *path)
{
	struct stat link, dir;
	bool is_foreign;
	char *copy;

	if (!is_link(path))
		return false;
	copy = xstrdup(path);
	is_foreign = lstat(path, &link) || stat(dirname(copy), &dir) ||
		     (link.st_uid != geteuid() && dir.st_mode & S_IWOTH);
	free(copy);
	return is_foreign;
}

/* Refuses a path that leads through a foreign link. Returns 0 or -errno (reported). */
static int check_links(const char *path)
{
	char *part = xstrdup(path), *end = part;
	int err = 0;

	while (!err && end) {
		end = strchr(end + 1, '/');
		if (end)
			*end = '\0';
		if (is_foreign_link(part))
			err = log_err(-EACCES,
				      "%s: cannot be written: %s is another user's symbolic link "
				      "in a directory that everybody can write to; give another "
				      "file",
				      path, part);
		if (end)
			*end = '/';
	}
	free(part);
	return err;
}

/* ---- checking ---- */

int output__check(const char *path)
{
	struct stat st;
	char *copy;
	int err;

	if (output__is_standard(path))
		return 0;
	err = check_links(path);
	if (err)
		return err;
	if (!stat(path, &st)) {
		err = S_ISDIR(st.st_mode) ? -EISDIR : eaccess(path, W_OK) ? -errno : 0;
	} else if (errno != ENOENT) {
		err = -errno;
	} else { /* can the file be created in its directory? */
		copy = xstrdup(path);
		err = eaccess(dirname(copy), W_OK | X_OK) ? -errno : 0;
		free(copy);
	}
	return err ? report_error(path, err) : 0;
}

/* ---- opening ---- */

/*
 * Returns the file to replace, with symbolic links resolved, and its status in *old (stx_mode is 0
 * if there is no such file). Returns NULL if path must be written directly: it is no regular file,
 * it has further names (links), or something is mounted on it. This also applies to /dev/stdout and
 * /proc/self/fd/N, because other processes write to these files, too.
 */
static char *find_replaceable(const char *path, struct statx *old)
{
	struct stat st;
	char *real;

	*old = (struct statx){};
	if (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6))
		return NULL;
	if (lstat(path, &st))
		return errno == ENOENT ? xstrdup(path) : NULL;
	real = realpath(path, NULL);
	if (real && !statx(AT_FDCWD, real, 0, STATX_BASIC_STATS, old) && S_ISREG(old->stx_mode) &&
	    old->stx_nlink == 1 && !(old->stx_attributes & STATX_ATTR_MOUNT_ROOT))
		return real;
	free(real);
	return NULL;
}

/*
 * Gives the temporary file the owner and the mode of the file that it replaces. A private file
 * (OUTPUT_PRIVATE) stays owned by this user: another owner could read it.
 */
static int copy_owner(int fd, const struct statx *old, bool private)
{
	mode_t mode = old->stx_mode & 07777, mask;
	struct stat st;

	if (!old->stx_mode) {
		mask = umask(0);
		umask(mask);
		mode = 0666 & ~mask;
	} else if (!private &&
		   (fstat(fd, &st) || ((st.st_uid != old->stx_uid || st.st_gid != old->stx_gid) &&
				       fchown(fd, old->stx_uid, old->stx_gid)))) {
		return -1;
	}
	return fchmod(fd, private ? mode & 0700 : mode);
}

/* The temporary file of the output that is open, or NULL. */
static const char *unfinished;

/*
 * Removes the temporary file if the process ends for lack of memory (base/memory.h), because
 * output__close() is not called then.
 */
static void remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
}

static bool open_temporary(const char *path, unsigned int flags, struct output *o)
{
	static bool registered;
	struct statx old;
	int fd;

	o->path = find_replaceable(path, &old);
	if (!o->path)
		return false;
	o->temp = text__format("%s.XXXXXX", o->path);
	fd = mkostemp(o->temp, O_CLOEXEC);
	if (fd >= 0 && !copy_owner(fd, &old, flags & OUTPUT_PRIVATE))
		o->file = fdopen(fd, "w");
	if (o->file) {
		if (!registered)
			atexit(remove_unfinished);
		registered = true;
		unfinished = o->temp;
		return true;
	}
	if (fd >= 0) {
		unlink(o->temp);
		close(fd);
	}
	free(o->temp);
	free(o->path);
	o->temp = o->path = NULL;
	return false;
}

/* Removes other users' permissions from a file that is written directly. */
static int make_private(const char *path, FILE *file)
{
	struct stat st;

	if (fstat(fileno(file), &st))
		return report_error(path, -errno);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (st.st_uid != geteuid())
		return log_err(-EACCES,
			       "%s: cannot be written: it belongs to another user, who could read "
			       "it; give another file",
			       path);
	if (!(st.st_mode & 077) || !fchmod(fileno(file), st.st_mode & 0700))
		return 0;
	return log_err(-errno,
		       "%s: cannot make the file private to its owner: %s; give another file", path,
		       strerror(errno));
}

/*
 * Opens the file itself instead of a temporary file. Removes the old content only after the
 * permissions are right.
 */
static int open_directly(const char *path, unsigned int flags, struct output *o)
{
	int how = flags & (OUTPUT_APPEND | OUTPUT_PRIVATE) ? O_APPEND : O_TRUNC, err = 0;
	/* O_NOFOLLOW: another user might replace the file by a link just before this call. */
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | how | (is_link(path) ? 0 : O_NOFOLLOW),
		      flags & OUTPUT_PRIVATE ? 0600 : 0666);

	o->file = fd < 0 ? NULL : fdopen(fd, how == O_APPEND ? "a" : "w");
	if (!o->file)
		err = report_error(path, -errno);
	if (!o->file && fd >= 0)
		close(fd);
	if (!err && flags & OUTPUT_PRIVATE)
		err = make_private(path, o->file);
	/* ftruncate() fails for devices and pipes, which have no old content. */
	if (!err && flags & OUTPUT_PRIVATE && !(flags & OUTPUT_APPEND) &&
	    ftruncate(fileno(o->file), 0) && errno != EINVAL)
		err = report_error(path, -errno);
	if (!err && flags & OUTPUT_APPEND)
		o->continues = !fseek(o->file, 0, SEEK_END) && ftell(o->file) > 0;
	return err;
}

int output__open(const char *path, unsigned int flags, struct output *o)
{
	int err = 0, fd;

	*o = (struct output){.name = path, .flags = flags};
	if (!path && flags & OUTPUT_STDERR) {
		o->name = "standard error";
		/* Open another stream: stderr itself is unbuffered, and would write small pieces. */
		fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
		o->file = fd < 0 ? NULL : fdopen(fd, "w");
		if (!o->file && fd >= 0)
			close(fd);
		err = o->file ? 0 : report_error(o->name, -errno);
	} else if (output__is_standard(path)) {
		o->name = "standard output";
		o->file = stdout;
		if (flags & OUTPUT_PAGER)
			pager__start(&o->pager);
	} else {
		err = check_links(path);
		if (!err && (flags & OUTPUT_APPEND || !open_temporary(path, flags, o)))
			err = open_directly(path, flags, o);
	}
	return err ? output__close(o, err) : 0;
}

/* ---- writing ---- */

/* Where keep_old() has put the old file. */
enum old_file {
	OLD_NONE,   /* there is no old file, or it was not renamed */
	OLD_LINKED, /* it is at PATH, and also at PATH.old */
	OLD_MOVED,  /* it is only at PATH.old, because the file system has no hard links */
};

/*
 * Gives the old file the name "old". If possible, it also keeps its own name, o->path, so that
 * there is always a file at o->path. Returns 0 or -errno (reported).
 */
static int keep_old(const struct output *o, const char *old, enum old_file *where)
{
	char *second = text__format("%s.old", o->temp);
	int err = 0;

	if (!link(o->path, second)) {
		*where = OLD_LINKED;
		err = rename(second, old) ? -errno : 0;
		if (err)
			unlink(second);
	} else if (errno != ENOENT) {
		*where = OLD_MOVED;
		err = rename(o->path, old) ? -errno : 0;
	}
	free(second);
	return err ? log_err(err, "%s: cannot be renamed to %s: %s", o->path, old, strerror(-err))
		   : 0;
}

/* Puts the temporary file in the place of the old file. */
static int replace_file(struct output *o)
{
	char *old = NULL;
	enum old_file where = OLD_NONE;
	int err = 0;

	if (o->flags & OUTPUT_KEEP_OLD) {
		old = text__format("%s.old", o->path);
		err = keep_old(o, old, &where);
	}
	if (!err && rename(o->temp, o->path)) {
		err = report_error(o->name, -errno);
		if (where == OLD_LINKED)
			unlink(old);
		else if (where == OLD_MOVED && rename(old, o->path))
			log_err(-errno, "%s: the file that was there is now %s", o->path, old);
	}
	free(old);
	if (err)
		return err;
	unfinished = NULL;
	free(o->temp);
	o->temp = NULL;
	return 0;
}

/*
 * Flushes the file. A stream remembers that an earlier write failed, but not why. To get that
 * error, this function writes another byte, which fails in the same way. If the byte is written, it
 * does no harm, because the document is lost in any case. Returns 0 or -errno.
 */
static int flush_all(FILE *file)
{
	errno = 0;
	if (!fflush(file) && !ferror(file))
		return 0;
	if (!errno && fputc('\n', file) != EOF)
		fflush(file);
	return errno ? -errno : -EIO;
}

int output__commit(struct output *o, int err)
{
	err = err ?: flush_all(o->file);
	if (err == -EPIPE && o->pager.pid)
		return 0; /* the user has ended the pager */
	if (err)
		return report_error(o->name, err);
	return o->temp ? replace_file(o) : 0;
}

int output__close(struct output *o, int err)
{
	if (o->file && o->file != stdout && fclose(o->file) && !err)
		err = report_error(o->name, -errno);
	if (o->temp) {
		unlink(o->temp);
		unfinished = NULL;
	}
	pager__end(&o->pager);
	free(o->temp);
	free(o->path);
	*o = (struct output){};
	return err;
}

void draft__begin(struct draft *d)
{
	*d = (struct draft){};
	d->mem = text__open(&d->text, &d->sz);
}

/* Flushes out, because some write errors show up only then. */
int draft__end(struct draft *d, int err, FILE *out)
{
	fclose(d->mem);
	errno = 0;
	if (!err && (fwrite(d->text, 1, d->sz, out) != d->sz || fflush(out)))
		err = errno ? -errno : -EIO;
	free(d->text);
	return err;
}

void draft__fold(struct draft *d, int max, FILE *out)
{
	char *text, *line;

	fclose(d->mem);
	text = d->text;
	while ((line = strsep(&text, "\n"))) {
		/* Do not fold a line with escapes: it belongs to a table, and tables already fit. */
		bool folds = max && !strchr(line, '\033') && text__width(line) > max;

		text__fold(line, 0, FOLD_INDENT, folds ? max : 0, out);
		if (text)
			fputc('\n', out);
	}
	free(d->text);
}
