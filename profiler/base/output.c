// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns opening, writing and closing of the file of -o; must not know the content of the file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include "base/log.h"
#include "base/output.h"
#include "base/text.h"

int output__open(const char *path, bool append, FILE **out)
{
	*out = path ? fopen(path, append ? "ae" : "we") : stdout;
	return *out ? 0 : log_err(-errno, "%s: %s", path, strerror(errno));
}

int output__close(FILE *out, const char *path, int err)
{
	if (out != stdout && fclose(out) && !err)
		err = log_err(-errno, "%s: %s", path, strerror(errno));
	return err;
}

int draft__begin(struct draft *d)
{
	*d = (struct draft){};
	d->mem = open_memstream(&d->text, &d->sz);
	return d->mem ? 0 : -ENOMEM;
}

/* Flushes the file, because write errors show up only then. */
int draft__end(struct draft *d, int err, FILE *out)
{
	if (d->mem && fclose(d->mem) && !err)
		err = -ENOMEM;
	errno = 0;
	if (!err && (fwrite(d->text, 1, d->sz, out) != d->sz || fflush(out)))
		err = errno ? -errno : -EIO;
	free(d->text);
	return err;
}

int draft__fold(struct draft *d, int err, int max, FILE *out)
{
	char *text, *line;

	if (d->mem && fclose(d->mem) && !err)
		err = -ENOMEM;
	text = err ? NULL : d->text;
	while ((line = strsep(&text, "\n"))) {
		/* A line with escapes belongs to a table, which fits already. */
		bool folds = max && !strchr(line, '\033') && text__width(line) > max;

		text__fold(line, 0, FOLD_INDENT, folds ? max : 0, out);
		if (text)
			fputc('\n', out);
	}
	free(d->text);
	return err;
}

int output__flush(FILE *out, const char *path)
{
	if (!fflush(out) && !ferror(out))
		return 0;
	return log_err(-EIO, "%s: %s", path ?: "standard output", strerror(errno));
}

static bool wants_color(FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) && !(no_color && *no_color) && term && strcmp(term, "dumb");
}

static int find_width(FILE *out)
{
	const char *columns = out == stdout ? getenv("COLUMNS") : NULL;
	struct winsize size;
	__u64 width;

	if (columns && !parse_u64(columns, OUTPUT_MAX_WIDTH, &width) && width)
		return width;
	return ioctl(fileno(out), TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

struct screen output__screen(FILE *out)
{
	return (struct screen){.width = find_width(out), .color = wants_color(out)};
}
