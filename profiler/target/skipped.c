// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The programs and functions of a selection that cannot be measured. Owns the list of these
 * programs and functions, and the messages about it: one message for each reason. Must not know why
 * a target is skipped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/message_groups.h"
#include "base/util.h"
#include "target/target.h"
#include "target/target_priv.h"

void target_list__add_skipped(struct target_list *targets, const struct skipped *new)
{
	struct skipped *s;

	for (int i = 0; i < targets->skip_cnt; i++) {
		s = &targets->skip[i];
		if (s->id != new->id || strcmp(s->name, new->name))
			continue;
		s->by_wildcard &= new->by_wildcard;
		return;
	}
	s = array__add(&targets->skip, &targets->skip_cnt, sizeof(*s));
	*s = *new;
	s->name = xstrdup(new->name);
}

void target_list__skip_prog(struct target_list *targets, __u32 id, const char *name,
			    const struct reason *reason)
{
	const struct skipped new = {.id = id, .name = (char *)name, .reason = *reason};

	target_list__add_skipped(targets, &new);
}

bool target_list__has_failed(const struct target_list *targets)
{
	for (int i = 0; i < targets->skip_cnt; i++)
		if (!targets->skip[i].by_wildcard ||
		    !target_list__next(targets, targets->skip[i].id, NULL))
			return true;
	return false;
}

int target_list__why_none(const struct target_list *targets)
{
	bool missing = true;

	for (int i = 0; i < targets->skip_cnt; i++) {
		const struct reason *r = &targets->skip[i].reason;

		if (r->code == REASON_NO_PERM || (r->code == REASON_BAD_PIN && r->err == EACCES))
			return -EPERM;
		missing &= r->code == REASON_NO_SUCH_PROG || r->code == REASON_NO_SUCH_FUNC ||
			   (r->code == REASON_BAD_PIN && !is_shortage(r->err));
	}
	return missing ? -ESRCH : -ENODATA;
}

void target_list__move_skipped(struct target_list *targets, struct target_list *from)
{
	for (int i = 0; i < from->skip_cnt; i++)
		*(struct skipped *)array__add(&targets->skip, &targets->skip_cnt,
					      sizeof(*targets->skip)) = from->skip[i];
	from->skip_cnt = 0;
}

static void report_skips(struct target_list *targets, bool arguments)
{
	struct message_groups groups = {};
	char text[512], id[16] = "";

	for (int i = 0; i < targets->skip_cnt; i++) {
		struct skipped *s = &targets->skip[i];

		/* an entry that is an argument of the user has no id */
		if (s->reported || !s->id != arguments)
			continue;
		s->reported = true;
		reason__advise(&s->reason, text, sizeof(text));
		if (!arguments)
			snprintf(id, sizeof(id), "%u%s", s->id, *s->name ? " " : "");
		message_groups__add(&groups, text, "%s%s", id, s->name);
	}
	message_groups__warn(&groups, arguments ? "" : "program ", arguments ? "" : "programs ");
	message_groups__free(&groups);
}

void target_list__report_skipped(struct target_list *targets)
{
	report_skips(targets, true);
	report_skips(targets, false);
}
