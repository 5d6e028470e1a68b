// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The programs and functions of a selection that cannot be measured. Owns the list of them and the
 * messages on it: one message for each reason. Must not know why a target is skipped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/name_list.h"
#include "base/text.h"
#include "base/util.h"
#include "target/target.h"
#include "target/target_priv.h"

int target_list__add_skipped(struct target_list *targets, const struct skipped *new)
{
	struct skipped *s;

	for (int i = 0; i < targets->skip_cnt; i++) {
		s = &targets->skip[i];
		if (s->id != new->id || strcmp(s->name, new->name))
			continue;
		s->by_wildcard &= new->by_wildcard;
		return 0;
	}
	s = array__add(&targets->skip, &targets->skip_cnt, sizeof(*s));
	if (!s)
		return log_err(-ENOMEM, "out of memory");
	*s = *new;
	s->name = strdup(new->name);
	return s->name ? 0 : log_err(-ENOMEM, "out of memory");
}

int target_list__skip_prog(struct target_list *targets, __u32 id, const char *name,
			   const struct reason *reason)
{
	const struct skipped new = {.id = id, .name = (char *)name, .reason = *reason};

	return target_list__add_skipped(targets, &new);
}

bool target_list__has_failed(const struct target_list *targets)
{
	for (int i = 0; i < targets->skip_cnt; i++)
		if (!targets->skip[i].by_wildcard ||
		    !target_list__next(targets, targets->skip[i].id, NULL))
			return true;
	return false;
}

int target_list__move_skipped(struct target_list *targets, struct target_list *from)
{
	int moved = 0, err = 0;

	for (; !err && moved < from->skip_cnt; moved += !err) {
		struct skipped *s =
			array__add(&targets->skip, &targets->skip_cnt, sizeof(*targets->skip));

		if (s)
			*s = from->skip[moved];
		else
			err = log_err(-ENOMEM, "out of memory");
	}
	from->skip_cnt -= moved;
	if (moved && from->skip_cnt)
		memmove(from->skip, from->skip + moved, from->skip_cnt * sizeof(*from->skip));
	return err;
}

static bool is_alike(const struct skipped *a, const struct skipped *b)
{
	return a->reason.code == b->reason.code && !a->id == !b->id &&
	       !strcmp(a->reason.detail, b->reason.detail);
}

/*
 * Reports the skipped ones from *s on that have the reason of *s and were not reported; each: *s
 * alone.
 */
static void report_alike(struct skipped *s, const struct skipped *end, bool each)
{
	struct name_list list = {};
	bool programs = false;
	char text[512], *names;

	for (struct skipped *t = s; t < (each ? s + 1 : end); t++) {
		if (t->reported || !is_alike(s, t))
			continue;
		t->reported = true;
		programs |= t->id != s->id;
		if (t->id)
			name_list__add(&list, "%u%s%s", t->id, *t->name ? " " : "", t->name);
		else
			name_list__add(&list, "%s", t->name);
	}
	names = name_list__finish(&list);
	log_warn("%s%s: %s",
		 !s->id	    ? ""
		 : programs ? "programs "
			    : "program ",
		 names ?: s->name, reason__advise(&s->reason, text, sizeof(text)));
	free(names);
}

void target_list__report_skipped(struct target_list *targets)
{
	bool each = log__takes(LOG_LEVEL_INFO);

	for (int i = 0; i < targets->skip_cnt; i++)
		if (!targets->skip[i].reported)
			report_alike(&targets->skip[i], targets->skip + targets->skip_cnt, each);
}
