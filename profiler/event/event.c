// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * struct event and struct event_list: their lifetime, equality, and conversion to perf_event_attr.
 * Knows no syntax of -e (event_parse.c) and opens no event.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "event/event.h"

void event__init(struct event *ev)
{
	*ev = (struct event){.kind = EVENT_PERF, .group = -1, .unit = "", .scale = 1};
}

void event__free(struct event *ev)
{
	free(ev->name);
	free(ev->base);
	free(ev->unit_buf);
	cpus__free(&ev->cpumask);
	event__init(ev);
}

void event_list__free(struct event_list *list)
{
	for (int i = 0; i < list->cnt; i++)
		event__free(&list->v[i]);
	free(list->v);
	*list = (struct event_list){0};
}

/* Fills the members that all versions of struct perf_event_attr have: all except config3. */
static void fill_attr(const struct event *ev, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = ev->type;
	attr->config = ev->config;
	attr->config1 = ev->config1;
	attr->config2 = ev->config2;
	attr->exclude_user = ev->exclude_user;
	attr->exclude_kernel = ev->exclude_kernel;
	attr->exclude_hv = ev->exclude_hv;
	attr->exclude_host = ev->exclude_host;
	attr->exclude_guest = ev->exclude_guest;
	attr->exclude_idle = ev->exclude_idle;
	attr->precise_ip = ev->precise_ip;
	attr->pinned = ev->pinned;
	attr->exclusive = ev->exclusive;
}

int event__to_attr(const struct event *ev, struct perf_event_attr *attr)
{
	fill_attr(ev, attr);
	if (ev->kind != EVENT_PERF)
		return -EINVAL;
#ifdef PERF_ATTR_SIZE_VER8 /* Linux 6.3 added this macro and config3 (09519ec3b19e) */
	attr->config3 = ev->config3;
#else
	if (ev->config3)
		return -EOPNOTSUPP;
#endif
	return 0;
}

bool event__counts_same(const struct event *a, const struct event *b)
{
	struct perf_event_attr x, y;

	fill_attr(a, &x);
	fill_attr(b, &y);
	return a->kind == b->kind && a->config3 == b->config3 && a->precise_max == b->precise_max &&
	       a->machines_given == b->machines_given && !memcmp(&x, &y, sizeof(x));
}

bool event__is_cycles(const struct event *ev)
{
	return ev->kind == EVENT_PERF && ev->type == PERF_TYPE_HARDWARE &&
	       ev->config == PERF_COUNT_HW_CPU_CYCLES;
}

bool event__counts_instructions(const struct event *ev)
{
	return ev->kind == EVENT_PERF && ev->type == PERF_TYPE_HARDWARE &&
	       ev->config == PERF_COUNT_HW_INSTRUCTIONS && !ev->exclude_kernel && !ev->exclude_host;
}

bool event__same(const struct event *a, const struct event *b)
{
	return a->group == b->group && event__counts_same(a, b);
}
