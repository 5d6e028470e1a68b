// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof doctor --self-test. Owns its exit status and its output; doctor/selftest.h measures.
 */
#include <string.h>

#include "base/log.h"
#include "base/output.h"
#include "doctor/doctor_self_test.h"
#include "doctor/selftest.h"
#include "event/event_fds.h"
#include "json/json_ascii.h"
#include "run/output_opts.h"

static int print(const struct selftest *t, const struct output_opts *o)
{
	struct output out;
	struct draft draft;
	struct screen screen;
	int err = output_opts__open(o, OUTPUT_PAGER, &out);

	if (err)
		return err;
	screen = screen__of(out.file);
	draft__begin(&draft);
	if (output_opts__is_json(o))
		json__print(selftest__to_json(t), output_opts__layout(o), draft.mem);
	else
		selftest__print(t, draft.mem, &screen);
	err = draft__end(&draft, 0, out.file);
	return output__close(&out, output__commit(&out, err));
}

static enum exit_status status_of(const struct selftest *t)
{
	const struct selftest_summary s = selftest__summarize(t);

	if (!s.measured)
		return EXIT_NOTHING;
	return s.worst == SELFTEST_WRONG ? EXIT_FAILED : EXIT_DONE;
}

enum exit_status doctor__self_test(struct event_list *events, const struct output_opts *o)
{
	enum exit_status status = EXIT_FAILED;
	struct selftest t = {};
	int err = event_list__set_default(events) ?: selftest__run(events, &t);

	if (!err && !print(&t, o))
		status = status_of(&t);
	selftest__free(&t);
	return status;
}
