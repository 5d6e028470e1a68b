// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Error messages for unknown events. A message says that bprof cannot count this kind of event, or
 * lists similar names. Knows the names (event_names.c, pmu.c); fills no event.
 */
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "event/event_names.h"
#include "event/event_parse.h"
#include "event/pmu.h"

const char *event_parser__join_names(char *const *names, int cnt, char *buf, size_t sz)
{
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; i < cnt; i++) {
		const char *sep = i ? ", " : "";

		if (len + strlen(sep) + strlen(names[i]) + sizeof(", …") > sz) {
			snprintf(buf + len, sz - len, "%s…", sep);
			break;
		}
		len += snprintf(buf + len, sz - len, "%s%s", sep, names[i]);
	}
	return buf;
}

/*
 * Writes the hint "; did you mean ...?" if there is a similar name. Otherwise writes the name of
 * the option that lists all events. Returns buf.
 */
static const char *near_or_list(const struct suggest *s, char *buf, size_t sz)
{
	if (!*suggest__text(s, buf, sz))
		snprintf(buf, sz, "; see 'bprof --list-events'");
	return buf;
}

static void offer_name(void *near, const char *pmu, const char *name)
{
	suggest__offer(near, name);
}

/*
 * Sets the error for an unknown PMU. If the name lacks only the number of an uncore PMU, the error
 * lists the names with a number ("uncore_imc_0"). Otherwise the error suggests a similar name.
 */
static int fail_pmu(struct event_parser *p, struct span head)
{
	char **names = NULL, text[120];
	int cnt = 0, instances = 0, err;
	struct suggest s;

	suggest__init(&s, head.s, head.len);
	(void)pmu__list_names(p->sysfs, &names, &cnt);
	for (int i = 0; i < cnt; i++) {
		char *found = names[i];

		suggest__offer(&s, found);
		if (strncmp(found, head.s, head.len) || found[head.len] != '_')
			continue;
		/* Move the name to the front, behind the instances that were found before. */
		memmove(&names[instances + 1], &names[instances], (i - instances) * sizeof(*names));
		names[instances++] = found;
	}
	if (instances)
		err = event_parser__fail(
			p, head, "no PMU has exactly this name; there are %s",
			event_parser__join_names(names, instances, text, sizeof(text)));
	else
		err = event_parser__fail(p, head, "no such PMU on this machine%s",
					 near_or_list(&s, text, sizeof(text)));
	pmu__free_names(names, cnt);
	return err;
}

int event_parser__fail_unknown(struct event_parser *p, const struct event_item *item)
{
	const char *refused = event_name__refused(item->head.s, item->head.len);
	struct span head = item->head;
	struct suggest s;
	char near[80];

	if (refused)
		return event_parser__fail(p, head, "'%.*s' %s", (int)head.len, head.s, refused);
	if (item->terms.s)
		return fail_pmu(p, head);
	if (item->mods.s && span__is(head, "mem"))
		return event_parser__fail(p, item->all, "bprof cannot count breakpoints");
	suggest__init(&s, head.s, head.len);
	event_names__for_each(p->sysfs, offer_name, &s);
	return event_parser__fail(p, head, "unknown event%s", near_or_list(&s, near, sizeof(near)));
}
