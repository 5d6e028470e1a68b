// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the table of backends. Must not know what any of them does.
 */
#include <errno.h>
#include <string.h>

#include "backend/counter.h"
#include "backend/method_list.h"

const struct counter_ops *const backend_ops[BACKEND_CNT] = {
	[BACKEND_FENTRY] = &fentry_ops,
	[BACKEND_RUN_STATS] = &run_stats_ops,
	[BACKEND_SAMPLES] = &samples_ops,
};

static const struct method_list default_methods = {{BACKEND_FENTRY, BACKEND_RUN_STATS}, 2};

static int find_method(const char *name, size_t len)
{
	for (int i = 0; i < BACKEND_CNT; i++)
		if (strlen(backend_ops[i]->method) == len &&
		    !strncmp(backend_ops[i]->method, name, len))
			return i;
	return -EINVAL;
}

int method_list__parse(struct method_list *list, const char *arg)
{
	list->cnt = 0;
	while (true) {
		size_t len = strcspn(arg, ",");
		int which = find_method(arg, len);

		if (which < 0 || (list->cnt && method_list__has(list, which)))
			return -EINVAL;
		list->v[list->cnt++] = which;
		if (!arg[len])
			return 0;
		arg += len + 1;
	}
}

const struct method_list *method_list__or_default(const struct method_list *list)
{
	return list->cnt ? list : &default_methods;
}

bool method_list__has(const struct method_list *list, int backend)
{
	list = method_list__or_default(list);
	for (int i = 0; i < list->cnt; i++)
		if (list->v[i] == backend)
			return true;
	return false;
}
