// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sets of CPU ids and their text form, the kernel's CPU list. Owns the paths of CPU lists in sysfs.
 * Knows nothing of events, PMUs or programs.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/parse_error.h"
#include "base/util.h"
#include "host/cpus.h"

/* A limit above the largest NR_CPUS of any kernel. It bounds the memory for a hostile list. */
#define MAX_CPU_ID 65535

#define SYSFS_CPU "/sys/devices/system/cpu/"

/* Parses a number of at most MAX_CPU_ID at *s and moves *s behind it. */
static int parse_id(const char **s, int *id)
{
	const char *p = *s;
	int v = 0;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++) {
		v = v * 10 + (*p - '0');
		if (v > MAX_CPU_ID)
			return -EINVAL;
	}
	*s = p;
	*id = v;
	return 0;
}

/* Parses "7" or "0-3" at *s and moves *s behind it. */
static int parse_range(const char **s, int *first, int *last)
{
	int err = parse_id(s, first);

	if (err)
		return err;
	*last = *first;
	if (**s == '-') {
		(*s)++;
		err = parse_id(s, last);
		if (!err && *last < *first)
			err = -EINVAL;
	}
	return err;
}

/*
 * Marks the ids of the list in seen[MAX_CPU_ID + 1] and sets *limit to the highest id + 1. On
 * failure *bad points to the start of the bad range.
 */
static int mark_list(const char *list, bool *seen, int *limit, const char **bad)
{
	const char *s = list + strspn(list, " \t\r\n\v\f");
	int first, last;

	*limit = 0;
	if (!*s)
		return 0;
	for (;;) {
		*bad = s;
		if (parse_range(&s, &first, &last))
			return -EINVAL;
		for (int id = first; id <= last; id++)
			seen[id] = true;
		*limit = last < *limit ? *limit : last + 1;
		if (*s == ',') {
			s++;
			continue;
		}
		/* Text after a range is part of the bad token: in "3x" the error is at the 3. */
		if (s[strspn(s, " \t\r\n\v\f")])
			return -EINVAL;
		return 0;
	}
}

int cpus__parse(const char *list, struct cpus *out, size_t *err_pos)
{
	bool *seen = xcalloc(MAX_CPU_ID + 1, sizeof(*seen));
	const char *bad = list;
	int limit, err, cnt = 0;

	out->id = NULL;
	out->cnt = 0;
	err = mark_list(list, seen, &limit, &bad);
	if (err && err_pos)
		*err_pos = bad - list;
	for (int id = 0; !err && id < limit; id++)
		cnt += seen[id];
	if (cnt)
		out->id = xmalloc(cnt * sizeof(*out->id));
	for (int id = 0; out->cnt < cnt; id++)
		if (seen[id])
			out->id[out->cnt++] = id;
	free(seen);
	return err;
}

int cpus__read(const char *path, struct cpus *out)
{
	char *text;
	int err;

	out->id = NULL;
	out->cnt = 0;
	err = read_file(path, &text);
	if (err)
		return err;
	err = cpus__parse(text, out, NULL);
	free(text);
	return err;
}

int cpus__online(struct cpus *out)
{
	return cpus__read(CPUS_ONLINE, out);
}

int cpus__possible(struct cpus *out)
{
	return cpus__read(SYSFS_CPU "possible", out);
}

bool cpus__some_isolated(void)
{
	static const char *const paths[] = {SYSFS_CPU "isolated", SYSFS_CPU "nohz_full",
					    "/sys/fs/cgroup/cpuset.cpus.isolated"};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(paths) && !any; i++) {
		struct cpus isolated;

		/* without the kernel parameter nohz_full, its file has " (null)": no list */
		if (!cpus__read(paths[i], &isolated))
			any = isolated.cnt;
		cpus__free(&isolated);
	}
	return any;
}

static int compare_cpus(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

bool cpus__has(const struct cpus *c, int cpu)
{
	return c->cnt && bsearch(&cpu, c->id, c->cnt, sizeof(*c->id), compare_cpus);
}

int cpus__limit(const struct cpus *c)
{
	return c->cnt ? c->id[c->cnt - 1] + 1 : 0;
}

void cpus__minus(const struct cpus *a, const struct cpus *b, struct cpus *out)
{
	out->id = NULL;
	out->cnt = 0;
	if (!a->cnt)
		return;
	out->id = xmalloc(a->cnt * sizeof(*out->id));
	for (int i = 0; i < a->cnt; i++) {
		if (!cpus__has(b, a->id[i]))
			out->id[out->cnt++] = a->id[i];
	}
}

void cpus__add(struct cpus *a, const struct cpus *b)
{
	struct cpus sum = {.id = xmalloc((a->cnt + b->cnt + 1) * sizeof(*sum.id))};

	for (int i = 0, k = 0; i < a->cnt || k < b->cnt;) {
		bool first = k == b->cnt || (i < a->cnt && a->id[i] <= b->id[k]);
		int id = first ? a->id[i] : b->id[k];

		i += i < a->cnt && a->id[i] == id;
		k += k < b->cnt && b->id[k] == id;
		sum.id[sum.cnt++] = id;
	}
	cpus__free(a);
	*a = sum;
}

void cpus__dup(const struct cpus *c, struct cpus *out)
{
	const struct cpus none = {0};

	cpus__minus(c, &none, out);
}

int cpus__parse_online(const char *list, struct cpus *out, struct parse_error *err)
{
	struct cpus online = {}, offline = {};
	char text[128];
	size_t pos = 0;
	int ret = cpus__parse(list, out, &pos);

	if (ret == -EINVAL || (!ret && !out->cnt))
		return parse_error__set(err, pos, 1,
					"no list of CPUs; give ids and ranges, such as 0-3,5");
	ret = ret ?: cpus__online(&online);
	if (ret == -EINVAL)
		parse_error__set(err, 0, strlen(list), "cannot read which CPUs are online");
	if (!ret)
		cpus__minus(out, &online, &offline);
	if (!ret && offline.cnt)
		ret = parse_error__set(err, 0, strlen(list), "not online: CPU %s",
				       cpus__format(&offline, text, sizeof(text)));
	cpus__free(&online);
	cpus__free(&offline);
	if (ret)
		cpus__free(out);
	return ret;
}

const char *cpus__format(const struct cpus *c, char *buf, size_t sz)
{
	static const char rest[] = ",...";
	size_t len = 0, end = 0; /* end: how much of the list can stay if it does not fit */

	if (sz)
		buf[0] = '\0';
	for (int i = 0, last; i < c->cnt; i = last + 1) {
		char range[32];
		int n;

		for (last = i; last + 1 < c->cnt && c->id[last + 1] == c->id[last] + 1;)
			last++;
		if (last == i)
			n = snprintf(range, sizeof(range), "%s%d", i ? "," : "", c->id[i]);
		else
			n = snprintf(range, sizeof(range), "%s%d-%d", i ? "," : "", c->id[i],
				     c->id[last]);
		/* A truncated range would name other CPUs: leave it out completely. */
		if (len + n >= sz) {
			snprintf(buf + end, sz - end, "%s", rest + !end);
			break;
		}
		memcpy(buf + len, range, n + 1);
		len += n;
		if (len + sizeof(rest) <= sz)
			end = len;
	}
	return buf;
}

void cpus__free(struct cpus *c)
{
	free(c->id);
	c->id = NULL;
	c->cnt = 0;
}

int cpus__choose(const struct cpus *given, struct cpus *possible, struct cpus *online, int *limit)
{
	struct cpus all = {};
	int err = cpus__possible(&all);

	if (err)
		return log_err(err, "cannot read which CPUs are possible: %s", strerror(-err));
	if (limit)
		*limit = cpus__limit(&all);
	if (given->cnt)
		cpus__dup(given, online);
	else
		err = cpus__online(online);
	if (!err && possible)
		cpus__dup(given->cnt ? given : &all, possible);
	cpus__free(&all);
	return err ? log_err(err, "cannot read which CPUs are online: %s", strerror(-err)) : 0;
}
