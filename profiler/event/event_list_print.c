// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * --list-events: prints what -e accepts, and marks the events that the kernel can open.
 * Parses each name with the parser of -e before printing it, so that the list and -e agree. Opens
 * no event itself.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "btf/reason.h"
#include "event/event.h"
#include "event/event_names.h"
#include "event/pmu.h"
#include "event/tracepoint.h"

struct listing {
	FILE *out;
	const char *sysfs;
	event_supported_fn supported;
	void *arg;
	char *glob; /* lists only names and headings that match it, ignoring case; NULL: all */
	const char *heading; /* the heading of the rows; NULL: there are no further rows */
	bool has_heading;    /* the heading was printed */
	int cnt;	     /* number of rows printed */
};

static void set_heading(struct listing *l, const char *heading)
{
	l->heading = heading;
	l->has_heading = false;
}

/* Returns false if a row with this name is not listed. Otherwise prints the heading before it. */
static bool begin_row(struct listing *l, const char *name)
{
	if (l->glob && fnmatch(l->glob, name, FNM_CASEFOLD) &&
	    fnmatch(l->glob, l->heading, FNM_CASEFOLD))
		return false;
	if (!l->cnt++)
		fprintf(l->out, "Events for -e; * can be counted on this machine, - is described "
				"wrongly in sysfs\n");
	if (!l->has_heading)
		fprintf(l->out, "\n%s:\n", l->heading);
	l->has_heading = true;
	return true;
}

/*
 * Prints one event, followed by the text "note", and marks the event if the kernel can open it.
 * Returns 0 or -ENOMEM.
 */
static int print_event(struct listing *l, const char *name, const char *note)
{
	struct event_list list = {0};
	struct parse_error bad;
	char mark = ' ';
	int err;

	if (!begin_row(l, name))
		return 0;
	err = event_list__parse(&list, name, l->sysfs, &bad);
	if (err == -ENOMEM)
		return err;
	if (err) {
		fprintf(l->out, "  - %s (%s)\n", name, bad.text);
		return 0;
	}
	if (l->supported && (list.v[0].kind == EVENT_TIME || l->supported(&list.v[0], l->arg)))
		mark = '*';
	if (*note)
		fprintf(l->out, "  %c %-28s %s\n", mark, name, note);
	else
		fprintf(l->out, "  %c %s\n", mark, name);
	event_list__free(&list);
	return 0;
}

/* Prints the events of one kind and type in event_names[]. */
static int print_names(struct listing *l, const char *heading, enum event_kind kind, __u32 type,
		       const char *note)
{
	int err = 0;

	set_heading(l, heading);
	for (int i = 0; i < event_name_cnt && !err; i++) {
		const struct event_name *row = &event_names[i];
		char also[64] = "";

		if (row->kind != kind || row->type != type)
			continue;
		if (row->alias)
			snprintf(also, sizeof(also), "or %s", row->alias);
		err = print_event(l, row->name, row->alias ? also : note);
	}
	return err;
}

static int print_caches(struct listing *l)
{
	struct cache_event c;
	char name[64];
	int err = 0;

	set_heading(l, "Hardware cache events");
	for (c.type = 0; c.type < PERF_COUNT_HW_CACHE_MAX; c.type++) {
		for (c.op = 0; c.op < PERF_COUNT_HW_CACHE_OP_MAX; c.op++) {
			for (c.result = 0; c.result < PERF_COUNT_HW_CACHE_RESULT_MAX; c.result++) {
				if (!err && cache_event__valid(&c))
					err = print_event(
						l, cache_event__name(&c, name, sizeof(name)), "");
			}
		}
	}
	return err;
}

static int print_pmu_events(struct listing *l, const struct pmu *pmu)
{
	char *name, heading[128], cpus[64];
	int err = 0;

	snprintf(heading, sizeof(heading), "PMU %s", pmu->name);
	if (pmu->cpus.cnt)
		snprintf(heading, sizeof(heading), "PMU %s (on CPUs %s)", pmu->name,
			 cpus__format(&pmu->cpus, cpus, sizeof(cpus)));
	set_heading(l, heading);
	for (int i = 0; i < pmu->event_cnt && !err; i++) {
		if (asprintf(&name, "%s/%s/", pmu->name, pmu->event[i]) < 0)
			return -ENOMEM;
		err = print_event(l, name, "");
		free(name);
	}
	for (int i = 0; i < pmu->format_cnt; i++) {
		char term[128];

		snprintf(term, sizeof(term), "%s/%s=N/", pmu->name, pmu->format[i].name);
		if (begin_row(l, term))
			fprintf(l->out, "    %s sets %s\n", term, pmu->format[i].text);
	}
	set_heading(l, NULL);
	return err;
}

static int print_pmus(struct listing *l)
{
	struct reason reason;
	char **names;
	int cnt, err;

	err = pmu__list_names(l->sysfs, &names, &cnt);
	if (err)
		return err == -ENOMEM ? err : 0; /* without sysfs there are no PMUs to list */
	for (int i = 0; i < cnt && !err; i++) {
		struct pmu *pmu;

		if (pmu__refused(names[i]))
			continue;
		err = pmu__new(l->sysfs, names[i], &pmu, &reason);
		if (!err && (pmu->event_cnt || pmu->format_cnt))
			err = print_pmu_events(l, pmu);
		else if (err == -EINVAL && !l->glob)
			fprintf(l->out, "\nPMU %s: %s\n", names[i], reason.detail);
		if (err != -ENOMEM)
			err = 0;
		pmu__free(pmu);
	}
	pmu__free_names(names, cnt);
	return err;
}

static int print_tracepoint(const char *name, void *arg)
{
	return print_event(arg, name, "");
}

static int print_lists(struct listing *l)
{
	int err;

	err = print_names(l, "Time", EVENT_TIME, 0, "nanoseconds, by the probe's own clock");
	err = err ?: print_names(l, "Hardware events", EVENT_PERF, PERF_TYPE_HARDWARE, "");
	err = err ?: print_names(l, "Software events", EVENT_PERF, PERF_TYPE_SOFTWARE, "");
	err = err ?: print_caches(l);
	err = err ?: print_pmus(l);
	set_heading(l, "Tracepoints");
	/* There are thousands of them: list only those that were asked for. */
	if (!err && l->glob)
		err = tracepoints__for_each(l->sysfs, print_tracepoint, l);
	return err;
}

int event_list__print_all(FILE *out, const char *sysfs, const char *pattern,
			  event_supported_fn supported, void *arg)
{
	struct listing l = {.out = out, .sysfs = sysfs, .supported = supported, .arg = arg};
	int err;

	if (pattern && asprintf(&l.glob, "*%s*", pattern) < 0)
		return -ENOMEM;
	err = print_lists(&l);
	if (!err && pattern && !l.cnt)
		err = -ENOENT;
	free(l.glob);
	if (err)
		return err;
	if (!pattern)
		fprintf(out, "\nTracepoints: SUBSYSTEM:NAME, such as sched:sched_switch; 'bprof "
			     "--list-events sched:'\n"
			     "            lists those of a subsystem\n"
			     "Raw events: rNNN (hexadecimal), pmu/config=N,config1=N,term=N,event,"
			     "name=TEXT/\n"
			     "Modifiers:  EVENT:LETTERS, pmu/…/LETTERS, {EVENT,EVENT}:LETTERS\n"
			     "            u k h user, kernel, hypervisor   H G host, guest   I not "
			     "idle\n"
			     "            p P precise   D pinned   e exclusive\n");
	return fflush(out) || ferror(out) ? -EIO : 0;
}
