// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads the output of bprof watch -j (watch_story.h). */
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/cmd/watch_story.h"
#include "tests/kernel/harness.h"

/* ---- the output of bprof watch -j ---- */

struct watch_seen *watch_story__seen(struct watch_story *s, __u32 id)
{
	for (int i = 0; i < s->cnt; i++)
		if (s->prog[i].id == id)
			return &s->prog[i];
	assert_true(s->cnt < MAX_PROGS);
	s->prog[s->cnt] = (struct watch_seen){.id = id, .in_order = true};
	return &s->prog[s->cnt++];
}

static void parse_line(struct watch_story *s, const char *line)
{
	json_t *obj = json_loads(line, 0, NULL);
	const char *event;
	struct watch_seen *p;

	if (!obj)
		fail_test("no JSON object: %s", line);
	event = str(obj, "event");
	assert_int_equal(strlen(str(obj, "time")), strlen("2026-01-01T00:00:00.000Z"));
	if (!strcmp(event, "lost")) {
		s->lost += num(obj, "lost");
		assert_true(num(obj, "lost") > 0);
		json_decref(obj);
		return;
	}
	p = watch_story__seen(s, num(obj, "id"));
	p->missed += json_is_true(json_object_get(obj, "missed"));
	if (!strcmp(event, "unload")) {
		p->unloads++;
	} else {
		p->in_order &= !p->unloads;
		p->there += !strcmp(event, "loaded");
		p->loads += !strcmp(event, "load");
		assert_true(!strcmp(event, "loaded") || !strcmp(event, "load"));
		if (json_object_get(obj, "pid"))
			p->pid = num(obj, "pid");
		if (json_object_get(obj, "comm"))
			snprintf(p->comm, sizeof(p->comm), "%s", str(obj, "comm"));
	}
	json_decref(obj);
}

struct watch_story *watch_story__read(const struct run *r)
{
	static struct watch_story s; /* static, because it is too large for the stack */
	char *copy = strdup(r->out), *save, *line;

	memset(&s, 0, sizeof(s));
	assert_non_null(copy);
	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		parse_line(&s, line);
	if (*r->out)
		assert_int_equal(r->out[strlen(r->out) - 1], '\n');
	free(copy);
	return &s;
}
