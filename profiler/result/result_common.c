// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the parts that all reports have. Must not know how values are counted.
 */
#include <string.h>

#include "base/build_info.h"
#include "base/log.h"
#include "base/memory.h"
#include "event/event.h"
#include "kernel/feature.h"
#include "report/report.h"
#include "result/result_common.h"

int result__fill_host(struct report *r, char **command)
{
	/*
	 * Read the host's files only once. Otherwise bprof would call open(2) and read(2) in each
	 * interval, and so run the programs on these system calls.
	 */
	static struct host_info host;
	int cnt = 0, err = host.kernel ? 0 : features__host("", &host);

	if (err)
		return err;
	r->host.kernel = xstrdup(host.kernel);
	r->host.arch = xstrdup(host.arch);
	r->host.cpu_model = xstrdup(host.cpu_model);
	if (features__is_untested(r->host.kernel))
		r->host.newest_tested = xstrdup(NEWEST_TESTED_KERNEL);
	r->version = xstrdup(build_info__version());
	while (command[cnt])
		cnt++;
	r->command = xcalloc(cnt + 1, sizeof(*r->command));
	for (int i = 0; i < cnt; i++)
		r->command[i] = xstrdup(command[i]);
	return 0;
}

int result__fail(int err)
{
	return log_err(err, "cannot make the report: %s", strerror(-err));
}

void result__set_jit(struct report *r)
{
	int jit = features__jit_enable("");

	r->host.jit = jit > 0;
	r->host.jit_unknown = jit < 0;
}

void result__set_status(struct report_event *re, enum event_status status, const char *detail)
{
	re->status = status;
	re->detail = xstrdup(detail);
}

struct report_event *result__add_event(struct report_row *row, const struct event *ev,
				       const struct event_state *state)
{
	struct report_event *re = report_row__add_event(row);

	report_event__set_names(re, ev->name, ev->base, ev->unit);
	if (state->status == EVENT_OK)
		return re;
	result__set_status(re, state->status, state->detail);
	return NULL;
}
