// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Shows the catalog of --list-events to people. Owns the marks, and the text on events that have no
 * name. Must not know how the catalog was made.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/event_catalog.h"

/* Prints a line. Makes it printable first, because the files of sysfs may not come from the kernel. */
static void __attribute__((format(printf, 2, 3))) print_line(FILE *out, const char *fmt, ...)
{
	char *line;
	va_list ap;

	va_start(ap, fmt);
	line = text__vprintable(fmt, ap);
	va_end(ap);
	fprintf(out, "%s\n", line);
	free(line);
}

static void print_entry(const struct catalog_entry *e, FILE *out)
{
	const char *note = e->alias ?: e->description;
	char mark = e->supported ? '*' : ' ';

	if (e->error)
		print_line(out, "  - %s (%s)", e->name, e->error);
	else if (e->kind == CATALOG_PMU_TERM)
		print_line(out, "    %s sets %s", e->name, e->description);
	else if (note)
		print_line(out, "  %c %-28s %s%s", mark, e->name, e->alias ? "or " : "", note);
	else
		print_line(out, "  %c %s", mark, e->name);
}

void event_catalog__render_text(const struct event_catalog *c, bool one_line, FILE *out)
{
	char heading[CATALOG_HEADING_SZ], last[CATALOG_HEADING_SZ] = "";

	if (c->cnt)
		fprintf(out, "Events for -e; * can be counted on this machine, - cannot be used "
			     "as listed\n");
	for (int i = 0; i < c->cnt; i++) {
		const struct catalog_entry *e = &c->v[i];

		catalog_entry__heading(e, heading);
		if (e->kind == CATALOG_PMU) {
			fputc('\n', out);
			print_line(out, "%s: %s", heading, e->error);
			continue;
		}
		if (strcmp(heading, last)) {
			fputc('\n', out);
			print_line(out, "%s:", heading);
		}
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
}
