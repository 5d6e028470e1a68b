// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes files with what bprof top shows. Owns the names of the files, and never replaces a file.
 * Must not know which rows there are.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "render/render.h"
#include "report/report.h"
#include "top/top_write.h"

#define NAME_SZ 48

/* Returns true if row p has all runs of a function, and the next row is its first part. */
static bool has_parts(const struct report_prog *p, const struct report_prog *next)
{
	return !p->by_retval && next->by_retval && p->id == next->id &&
	       text__is_same(p->func, next->func);
}

int top_write__report(const struct report *rows, report_render_fn *render,
		      const struct render_opts *o, FILE *out)
{
	struct report r = *rows;
	int err;

	r.prog = xcalloc(rows->prog_cnt + 1, sizeof(*r.prog));
	r.prog_cnt = 0;
	/*
	 * Leave out the row with all runs of a function that has a row for each return value: the
	 * runs of all rows in a report must add up. The next row gets what is about all of them.
	 */
	for (int i = 0; i < rows->prog_cnt; i++) {
		const struct report_prog *whole = i ? &rows->prog[i - 1] : NULL;
		struct report_prog *p = &r.prog[r.prog_cnt];

		if (i + 1 < rows->prog_cnt && has_parts(&rows->prog[i], &rows->prog[i + 1]))
			continue;
		*p = rows->prog[i];
		r.prog_cnt++;
		if (!whole || !has_parts(whole, p))
			continue;
		p->notes = whole->notes;
		p->recursion_misses = whole->recursion_misses;
		p->own_runs = whole->own_runs;
		p->with_own_runs = whole->with_own_runs;
	}
	err = report__render(&r, render, o, out);
	free(r.prog);
	return err;
}

static int refuse_write(const char *name, int err)
{
	return log_err(err, "cannot write %s: %s%s", name, strerror(-err),
		       err == -EACCES ? " (the capability to write everywhere was given up; see "
					"--keep-privileges)"
				      : "");
}

static int write_new_file(const struct report *r, report_render_fn *render, const char *name)
{
	const struct render_opts o = {};
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), err;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd < 0)
		return refuse_write(name, -errno);
	if (!out) {
		err = -errno;
		close(fd);
	} else {
		err = top_write__report(r, render, &o, out);
		if (fclose(out) && !err)
			err = -errno;
	}
	if (!err)
		return 0;
	unlink(name);
	return refuse_write(name, err);
}

void top_write(const struct report *rows)
{
	time_t now = time(NULL);
	char base[NAME_SZ], json[NAME_SZ + 8], html[NAME_SZ + 8];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(base, sizeof(base), "bprof-top-%Y%m%d-%H%M%S", &tm);
	snprintf(json, sizeof(json), "%s.json", base);
	snprintf(html, sizeof(html), "%s.html", base);
	if (!write_new_file(rows, report__render_json, json) &&
	    !write_new_file(rows, report__render_html, html))
		log_note("wrote %s and %s", json, html);
}
