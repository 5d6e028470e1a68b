// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the table of backends. Must not know what any backend does.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backend/counter.h"
#include "backend/method_list.h"

const struct counter_ops *const backend_ops[] = {&fentry_ops, &run_stats_ops, &samples_ops};

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
	__u32 seen = 0; /* a bit for each method */

	list->cnt = 0;
	while (true) {
		size_t len = strcspn(arg, ",");
		int which = find_method(arg, len);

		if (which < 0 || seen >> which & 1)
			return -EINVAL;
		seen |= 1U << which;
		list->v[list->cnt++] = which;
		if (!arg[len])
			return 0;
		arg += len + 1;
	}
}

struct method_list method_list__or_default(const struct method_list *list)
{
	struct method_list chosen = *list;

	for (int i = 0; !list->cnt && i < BACKEND_CNT; i++)
		if (backend_ops[i]->caps & BACKEND_DEFAULT)
			chosen.v[chosen.cnt++] = i;
	return chosen;
}

bool method_list__any(const struct method_list *list, __u32 caps)
{
	const struct method_list chosen = method_list__or_default(list);

	for (int i = 0; i < chosen.cnt; i++)
		if (backend_ops[chosen.v[i]]->caps & caps)
			return true;
	return false;
}

const char *backends__names(char *buf, size_t sz)
{
	size_t len = 0;

	for (int i = 0; i < BACKEND_CNT && len < sz; i++)
		len += snprintf(buf + len, sz - len, "%s%s",
				!i		      ? ""
				: i + 1 < BACKEND_CNT ? ", "
						      : " or ",
				backend_ops[i]->method);
	return buf;
}
