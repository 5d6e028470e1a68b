// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The file in which bprof top remembers its columns: $XDG_CONFIG_HOME/bprof/top, or
 * ~/.config/bprof/top. Owns the file's path and format, "columns=NAME,NAME". Must not know columns.
 *
 * With sudo -E, the user may choose the directory, although bprof runs as root. So bprof does not
 * read a file that belongs to another user: an error message would show a part of the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "top/top.h"
#include "top/top_config.h"

#define KEY "columns="
#define MAX_FILE 1024 /* in bytes; the list of all columns takes a tenth of it */

/* Returns the path, or NULL if the environment names no directory. The caller frees it. */
static char *find_config_path(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config &&
	    /* paths that are not absolute must be ignored (XDG Base Directory Specification) */
	    *config == '/')
		return text__format("%s/bprof/top", config);
	return home && *home == '/' ? text__format("%s/.config/bprof/top", home) : NULL;
}

/* Reads the file. Returns NULL, or why the file cannot be read. */
static const char *read_config_file(int fd, char buf[MAX_FILE])
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		return strerror(errno);
	if (!S_ISREG(st.st_mode))
		return "it is no regular file";
	if (st.st_uid != geteuid())
		return "it belongs to another user";
	n = read(fd, buf, MAX_FILE - 1);
	if (n < 0)
		return strerror(errno);
	buf[n] = '\0';
	if (n == MAX_FILE - 1 || (int)strlen(buf) != n)
		return "it is not one that bprof wrote";
	return NULL;
}

void top_config__read(struct top *t)
{
	char buf[MAX_FILE], *path = find_config_path(), *wrong = NULL;
	/* O_NONBLOCK: if the file is a pipe, do not wait for a writer */
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	const char *why = NULL;

	if (fd >= 0)
		why = read_config_file(fd, buf);
	else if (path && errno != ENOENT && errno != ENOTDIR)
		why = strerror(errno);
	if (why) {
		wrong = xstrdup(why);
	} else if (fd >= 0) {
		buf[strcspn(buf, "\n")] = '\0';
		wrong = strncmp(buf, KEY, strlen(KEY))
				? text__format("its first line does not begin with %s", KEY)
				: top__choose_columns(t, buf + strlen(KEY));
	}
	if (wrong)
		log_warn("%s: %s; the key f chooses the columns anew", path, wrong);
	if (fd >= 0)
		close(fd);
	free(wrong);
	free(path);
}

void top_config__write(const struct top *t)
{
	char *path = find_config_path(), *last, *columns;
	struct output o;
	int err;

	if (!path) {
		log_warn("the columns cannot be remembered: neither HOME nor XDG_CONFIG_HOME is "
			 "set");
		return;
	}
	/* Make the missing directories. If this fails, opening the file fails, and reports why. */
	last = strrchr(path, '/');
	for (char *s = strchr(path + 1, '/'); s; s = s < last ? strchr(s + 1, '/') : NULL) {
		*s = '\0';
		mkdir(path, 0700);
		*s = '/';
	}
	err = output__open(path, OUTPUT_PRIVATE, &o);
	if (!err) {
		columns = top__columns(t);
		fprintf(o.file, KEY "%s\n", columns);
		free(columns);
		err = output__commit(&o, 0);
		output__close(&o, err); /* (reported) */
	}
	free(path);
}
