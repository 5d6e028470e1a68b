// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What every report says of where it was made, whatever it is a report of.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/feature.h"
#include "report/report.h"
#include "engine/result_host.h"

int result__fill_host(struct report *r, char **command)
{
	struct host_info host = {};
	int cnt = 0;

	if (features__host("", &host))
		return -ENOMEM;
	r->host.kernel = host.kernel;
	r->host.arch = host.arch;
	r->host.cpu_model = host.cpu_model;
	r->version = strdup(BPROF_VERSION);
	while (command[cnt])
		cnt++;
	r->command = calloc(cnt + 1, sizeof(*r->command));
	if (!r->version || !r->command)
		return -ENOMEM;
	for (int i = 0; i < cnt; i++) {
		r->command[i] = strdup(command[i]);
		if (!r->command[i])
			return -ENOMEM;
	}
	return 0;
}

void result__set_jit(struct report *r)
{
	int jit = features__jit_enable("");

	r->host.jit = jit > 0;
	r->host.jit_unknown = jit < 0;
}
