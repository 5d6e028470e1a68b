// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof doctor --self-test. Owns its exit status and its output; doctor/selftest.h measures.
 */

#include "doctor/doctor_print.h"
#include "doctor/doctor_self_test.h"
#include "doctor/selftest.h"
#include "event/event_fds.h"

static json_t *self_test_to_json(const void *t)
{
	return selftest__to_json(t);
}

static void print_self_test(const void *t, FILE *out, const struct screen *screen)
{
	selftest__print(t, out, screen);
}

enum exit_status doctor__self_test(struct event_list *events, const struct output_opts *o)
{
	enum exit_status status;
	struct selftest_summary s;
	struct selftest t = {};
	int err = event_list__set_default(events) ?: selftest__run(events, &t);

	status = err ? exit_status__of_error(err) : EXIT_FAILED;
	if (!err && !doctor__write(o, self_test_to_json, print_self_test, &t)) {
		s = selftest__summarize(&t);
		if (!s.measured)
			status = doctor__status_of_nothing();
		else if (s.worst != SELFTEST_WRONG)
			status = EXIT_DONE;
	}
	selftest__free(&t);
	return status;
}
