// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares two reports as a command's options say, and writes the result. Owns the messages about a
 * comparison on stderr, and decides when no comparison is written; must not know where the reports
 * come from, or what an output looks like.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/output.h"
#include "lib/bprof_model.h"
#include "run/compare_output.h"

/*
 * Reports the conditions in which the measurements differ, unless the text on standard output shows
 * them anyway. Returns -EINVAL if --strict is given and a condition differs, else 0.
 */
static int check_differences(const struct compare_output_opts *o, const struct bprof_comparison *c)
{
	bool shown = output_opts__format(o->output) == &formats[FORMAT_TEXT] &&
		     output__is_standard(o->output->file);
	bool strict = o->flags->strict;
	int cnt = bprof_comparison_difference_count(c);

	for (int i = 0; i < cnt && (strict || !shown); i++) {
		if (strict)
			log_err(-EINVAL, "--strict: %s", bprof_comparison_note(c, i));
		else
			log_warn("%s", bprof_comparison_note(c, i));
	}
	return strict && cnt ? -EINVAL : 0;
}

static int write_comparison(const struct compare_output_opts *o, const struct bprof_comparison *c)
{
	struct bprof_render_opts render = {
		.size = sizeof(render),
		.flags = o->output->verbose ? BPROF_RENDER_VERBOSE : 0,
		.base_name = o->base_name,
		.new_name = o->new_name,
	};
	struct bprof_error error;
	struct screen screen;
	struct output out;
	int err = output_opts__open(o->output, OUTPUT_PAGER, &out);

	if (err)
		return err;
	if (o->output->append)
		render.flags |= BPROF_RENDER_LINE;
	screen = output__screen(out.file);
	render.width = screen.width;
	render.flags |= screen.color ? BPROF_RENDER_COLOR : 0;
	err = bprof_comparison_render(c, output_opts__format(o->output)->name, &render, out.file,
				      &error);
	err = output__commit(&out, err);
	if (!err && !output__is_standard(o->output->file))
		log_note("%s", bprof_comparison_headline(c));
	return output__close(&out, err);
}

int compare_output__write_parts(const struct compare_part *parts, int cnt,
				const struct compare_output_opts *o, int *status)
{
	struct bprof_comparison *c;
	struct bprof_error error;
	int err = bprof_compare__parts(parts, cnt, compare_flags__opts(o->flags).flags, &c, &error);

	if (err)
		return log_err(err, "%s", error.text);
	err = check_differences(o, c) ?: write_comparison(o, c);
	if (!err)
		*status = bprof_comparison_exit_status(c);
	bprof_comparison_free(c);
	return err;
}

int compare_output__write(const struct bprof_report *base, const struct bprof_report *new,
			  const struct compare_output_opts *o, int *status)
{
	const struct bprof_compare_opts compare = compare_flags__opts(o->flags);
	const struct compare_part part = bprof_part__make(base, new, &compare);

	return compare_output__write_parts(&part, 1, o, status);
}
