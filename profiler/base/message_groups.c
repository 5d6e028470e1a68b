// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Groups warnings by their text. Must not know what the names stand for. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/message_groups.h"
#include "base/text.h"
#include "base/util.h"

void message_groups__add(struct message_groups *g, const char *text, const char *fmt, ...)
{
	struct message_group *m = NULL;
	va_list args;
	char *name;

	/* With -v, each name gets a line of its own. */
	for (int i = 0; !m && i < g->cnt; i++)
		if (!strcmp(g->v[i].text, text) && (!g->v[i].cnt || !log__takes(LOG_LEVEL_INFO)))
			m = &g->v[i];
	if (!m) {
		m = array__add(&g->v, &g->cnt, sizeof(*g->v));
		m->text = xstrdup(text);
	}
	va_start(args, fmt);
	name = text__vformat(fmt, args);
	va_end(args);
	name_list__add(&m->names, "%s", name);
	m->cnt++;
	free(name);
}

void message_groups__warn(struct message_groups *g, const char *one, const char *many)
{
	for (int i = 0; i < g->cnt; i++) {
		struct message_group *m = &g->v[i];
		bool again = m->said && g->once;
		char *names;

		if (!m->cnt)
			continue;
		names = name_list__finish(&m->names);
		(again ? log_info : log_warn)("%s%s: %s", m->cnt > 1 ? many : one, names, m->text);
		m->cnt = 0;
		m->said = true;
		free(names);
	}
}

void message_groups__free(struct message_groups *g)
{
	for (int i = 0; i < g->cnt; i++) {
		free(name_list__finish(&g->v[i].names));
		free(g->v[i].text);
	}
	free(g->v);
	*g = (struct message_groups){};
}
