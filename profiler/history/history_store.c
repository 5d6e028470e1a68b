// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The file of a history, and the choice between the file and git notes. Owns appending. Must not
 * know what a line contains.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "history/history_git.h"
#include "history/history_store.h"

#define DEFAULT_FILE "bprof-history.jsonl"
#define OPT(member) offsetof(struct history_store, member)

const struct option_row history_store_rows[] = {
	OPTION("file", 'f', OPTION_STRING, .member = OPT(file), .arg = "FILE",
	       .help = "keep the history in FILE, with a line for each report "
		       "(default: " DEFAULT_FILE ")",
	       .arg_kind = ARG_FILE),
	OPTION("notes", 0, OPTION_FLAG, .member = OPT(notes),
	       .help = "keep the history in git notes (" HISTORY_NOTES_REF
		       ") of the repository in the current directory; reads the notes on HEAD "
		       "and on its ancestors"),
	{},
};

const char *history_store__name(const struct history_store *s)
{
	return s->notes ? HISTORY_NOTES_REF : s->file ?: DEFAULT_FILE;
}

/* Appends a line to the file, which the caller has locked. */
static int write_line(int fd, const char *line)
{
	size_t len = strlen(line);
	char last = '\n';
	struct stat st;
	ssize_t done;
	int err;

	errno = 0;
	if (fstat(fd, &st))
		return -errno;
	/* If an earlier process was interrupted while it wrote the last line, end that line. */
	if (S_ISREG(st.st_mode) && st.st_size &&
	    (pread(fd, &last, 1, st.st_size - 1) != 1 || (last != '\n' && write(fd, "\n", 1) != 1)))
		return -(errno ?: EIO);
	done = write(fd, line, len);
	if (done == (ssize_t)len && !fsync(fd))
		return 0;
	err = done < 0 || done == (ssize_t)len ? -(errno ?: EIO) : -ENOSPC;
	/* Remove the part of the line that was written. */
	if (S_ISREG(st.st_mode) && ftruncate(fd, st.st_size))
		log_warn("a part of a line remains at the end of the file");
	return err;
}

int history_store__append(const struct history_store *s, const char *commit, const char *line)
{
	const char *path = history_store__name(s);
	int fd, err = 0;

	if (s->notes)
		return history_git__append(commit, line);
	fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || flock(fd, LOCK_EX))
		err = -errno;
	err = err ?: write_line(fd, line);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	return err ? log_err(err, "%s: %s", path, strerror(-err)) : 0;
}

static int read_file_of_history(const char *path, struct history *h)
{
	FILE *in = fopen(path, "re");
	int err;

	if (!in && errno == ENOENT)
		return log_err(-ENOENT, "%s: there is no history; 'bprof history add' begins one",
			       path);
	if (!in)
		return log_err(-errno, "%s: %s", path, strerror(errno));
	/* Writers lock the file exclusively. With this shared lock, no line is incomplete. */
	err = flock(fileno(in), LOCK_SH) ? -errno : history__read(h, in, path);
	fclose(in);
	return err ? log_err(err, "%s: %s", path, strerror(-err)) : 0;
}

int history_store__read(const struct history_store *s, struct history *h)
{
	const char *name = history_store__name(s);
	int err;

	*h = (struct history){};
	err = s->notes ? history_git__read(h) : read_file_of_history(name, h);
	if (err)
		return err;
	if (!h->cnt)
		return log_err(-ENODATA,
			       h->bad_cnt ? "%s: no line can be read"
					  : "%s: the history is empty; 'bprof history add' adds a "
					    "report",
			       name);
	if (s->notes)
		history__number(h);
	else
		history__sort(h);
	return 0;
}
