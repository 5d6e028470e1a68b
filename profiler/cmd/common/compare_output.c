// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Two reports compared as a command asks for it. Owns what is said of a comparison on stderr, and
 * when it is not written at all; must not know where the reports are from, or how any output looks.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_status.h"
#include "cmd/common/compare_output.h"
#include "base/log.h"
#include "base/output.h"

static const int exit_statuses[OUTCOME_CNT] = {
	[OUTCOME_PASS] = EXIT_DONE,
	[OUTCOME_WORSE] = EXIT_REGRESSION,
	[OUTCOME_INCONCLUSIVE] = EXIT_INCONCLUSIVE,
};

/* The reports' differences: on stderr, unless what is written there anyway says it. */
static int check_differences(const struct compare_output_opts *o, const struct comparison *c)
{
	bool shown = output_opts__format(o->output) == &formats[FORMAT_TEXT] && !o->output->file;
	bool strict = o->flags->strict;

	for (int i = 0; i < c->difference_cnt && (strict || !shown); i++) {
		char note[COMPARE_NOTE_SZ];

		comparison__note(c, i, note, sizeof(note));
		if (strict)
			log_err(-EINVAL, "--strict: %s", note);
		else
			log_warn("%s", note);
	}
	return strict && c->difference_cnt ? -EINVAL : 0;
}

static int write_comparison(const struct compare_output_opts *o, const struct comparison *c,
			    int exit_status)
{
	struct compare_render_opts render = {
		.base_name = o->base_name,
		.new_name = o->new_name,
		.excuses = compare_flags__excuses(o->flags),
		.exit_status = exit_status,
		.verbose = o->output->verbose,
	};
	char headline[160];
	FILE *out;
	int err = output_opts__open(o->output, &out);

	if (err)
		return err;
	render.color = output__wants_color(out);
	err = comparison__render(c, output_opts__format(o->output)->comparison, &render, out);
	if (err)
		log_err(err, "%s: cannot write the comparison: %s", output_opts__name(o->output),
			strerror(-err));
	else if (o->output->file)
		log_note("%s", comparison__headline(c, headline, sizeof(headline)));
	return output__close(out, o->output->file, err);
}

int compare_output__write(const struct report *base, const struct report *new,
			  const struct compare_output_opts *o, int *status)
{
	const struct compare_opts compare = {
		.limits = &o->flags->limits,
		.matches = &o->flags->matches,
		.allow_retval_change = o->flags->allow_retval_change,
	};
	struct comparison *c;
	struct reason reason;
	int exit_status;
	int err = compare__reports(base, new, &compare, &c, &reason);

	if (err)
		return log_err(err, "%s", reason.detail);
	exit_status = exit_statuses[comparison__outcome(c, compare_flags__excuses(o->flags))];
	err = check_differences(o, c) ?: write_comparison(o, c, exit_status);
	if (!err)
		*status = exit_status;
	comparison__free(c);
	return err;
}
