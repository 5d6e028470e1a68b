// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shows the catalog of --list-events to people. Owns the marks, and what is said of the events that
 * have no name; must not know how the catalog was made.
 */
#include <stdio.h>
#include <string.h>

#include "event/event_catalog.h"

static void print_entry(const struct catalog_entry *e, FILE *out)
{
	const char *note = e->alias ?: e->description;
	char mark = e->supported ? '*' : ' ';

	if (e->error)
		fprintf(out, "  - %s (%s)\n", e->name, e->error);
	else if (e->kind == CATALOG_PMU_TERM)
		fprintf(out, "    %s sets %s\n", e->name, e->description);
	else if (note)
		fprintf(out, "  %c %-28s %s%s\n", mark, e->name, e->alias ? "or " : "", note);
	else
		fprintf(out, "  %c %s\n", mark, e->name);
}

int event_catalog__render_text(const struct event_catalog *c, bool one_line, FILE *out)
{
	char heading[CATALOG_HEADING_SZ], last[CATALOG_HEADING_SZ] = "";

	if (c->cnt)
		fprintf(out, "Events for -e; * can be counted on this machine, - is described "
			     "wrongly in sysfs\n");
	for (int i = 0; i < c->cnt; i++) {
		const struct catalog_entry *e = &c->v[i];

		catalog_entry__heading(e, heading);
		if (e->kind == CATALOG_PMU) {
			fprintf(out, "\n%s: %s\n", heading, e->error);
			continue;
		}
		if (strcmp(heading, last))
			fprintf(out, "\n%s:\n", heading);
		strcpy(last, heading);
		print_entry(e, out);
	}
	if (!c->is_selection)
		fprintf(out, "\nTracepoints: SUBSYSTEM:NAME, such as sched:sched_switch; 'bprof "
			     "--list-events sched:'\n"
			     "            lists those of a subsystem\n"
			     "Raw events: rNNN (hexadecimal), pmu/config=N,config1=N,term=N,event,"
			     "name=TEXT/\n"
			     "Modifiers:  EVENT:LETTERS, pmu/…/LETTERS, {EVENT,EVENT}:LETTERS\n"
			     "            u k h user, kernel, hypervisor   H G host, guest   I not "
			     "idle\n"
			     "            p P precise   D pinned   e exclusive\n");
	return 0;
}
