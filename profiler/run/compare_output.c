// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Compares two reports as the options of a command say, and writes the result. Owns the messages
 * about a comparison on stderr, and decides when no comparison is written. Must not know where the
 * reports come from, or what an output looks like.
 */
#include <errno.h>

#include "base/exit_status.h"
#include "base/log.h"
#include "base/output.h"
#include "render/render.h"
#include "run/compare_output.h"

static const int exit_statuses[OUTCOME_CNT] = {
	[OUTCOME_PASS] = EXIT_DONE,
	[OUTCOME_WORSE] = EXIT_REGRESSION,
	[OUTCOME_INCONCLUSIVE] = EXIT_INCONCLUSIVE,
};

/*
 * Reports the conditions in which the two measurements differ, unless the text on standard output
 * also shows them. Returns -EINVAL if --strict is given and a condition differs, else 0.
 */
static int check_differences(const struct compare_output_opts *o, const struct comparison *c)
{
	bool shown = output_opts__format(o->output) == &formats[FORMAT_TEXT] &&
		     output__is_standard(o->output->file);
	bool strict = o->flags->strict;
	char text[COMPARE_NOTE_SZ];

	for (int i = 0; i < c->difference_cnt && (strict || !shown); i++) {
		comparison__note(c, i, text, sizeof(text));
		if (strict)
			log_err(-EINVAL, "--strict: %s", text);
		else
			log_warn("%s", text);
	}
	return strict && c->difference_cnt ? -EINVAL : 0;
}

int compare_output__write(const struct comparison *c, const struct compare_output_opts *o,
			  int *status)
{
	struct compare_render_opts render = {
		.base_name = o->base_name,
		.new_name = o->new_name,
		.excuses = compare_flags__excuses(o->flags),
		.one_line = o->output->append,
		.verbose = o->output->verbose,
	};
	char headline[160];
	struct output out;
	int err = output_opts__open(o->output, OUTPUT_PAGER, &out);

	if (err)
		return err;
	render.exit_status = exit_statuses[comparison__outcome(c, render.excuses)];
	render.screen = screen__of(out.file);
	err = comparison__render(c, output_opts__format(o->output)->comparison, &render, out.file);
	err = output__commit(&out, err);
	if (!err && !output__is_standard(o->output->file))
		log_note("%s", comparison__headline(c, headline, sizeof(headline)));
	err = output__close(&out, err);
	if (!err)
		*status = render.exit_status;
	return err;
}

int compare_output__write_parts(const struct compare_part *parts, int cnt,
				const struct compare_output_opts *o, int *status)
{
	struct comparison *c;
	struct reason reason;
	char why[512];
	int err = compare__parts(parts, cnt, &c, &reason);

	if (err)
		return log_err(err, "%s", reason__describe(&reason, why, sizeof(why)));
	err = check_differences(o, c) ?: compare_output__write(c, o, status);
	comparison__free(c);
	return err;
}
