// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Refuses reports that cannot be compared, and limits that apply to nothing. Owns these messages;
 * must not know how numbers are compared. Prints nothing.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/util.h"
#include "compare/compare.h"
#include "compare/compare_priv.h"

int compare__refuse(struct reason *reason, int err, const char *fmt, ...)
{
	char text[sizeof(reason->detail)], *printable;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	printable = text__printable(text);
	reason__fail(reason, err, "%s", printable);
	free(printable);
	return -reason->err;
}

/* Lists the first few programs of a report. */
static void list_progs(const struct report *r, char *buf, size_t sz)
{
	char label[LABEL_SZ];
	size_t len = 0;
	int i;

	*buf = '\0';
	for (i = 0; i < r->prog_cnt && i < 3; i++) {
		len += snprintf(buf + len, sz - len, "%s%.40s", i ? ", " : "",
				report_prog__label(&r->prog[i], label));
		if (len >= sz)
			return;
	}
	if (i < r->prog_cnt)
		snprintf(buf + len, sz - len, " and %d more", r->prog_cnt - i);
}

/* Refuses reports that have rows for different keys of --by, or of which only one has such rows. */
static int refuse_keys(const struct report *base, const struct report *new, struct reason *reason)
{
	const struct report *divided = base->by_retval ? base : new,
			    *other = divided == base ? new : base;
	const char *names[] = {"base", "new"};

	if (other->by_retval)
		return compare__refuse(reason, -ENODATA,
				       "the base report was measured with --by %s, the new one "
				       "with --by %s; measure both in the same way",
				       report__key(base)->name, report__key(new)->name);
	return compare__refuse(
		reason, -ENODATA,
		"the %s report has a row for each %s (--by %s), the %s report has not; measure "
		"both in the same way",
		names[divided == new], divided->by ? report__key(divided)->name : "return value",
		report__key(divided)->name, names[other == new]);
}

int compare_pairs__check(const struct compare_pairs *pairs, const struct report *base,
			 const struct report *new, bool on_axis, struct reason *reason)
{
	char base_progs[160], new_progs[160];

	if (pairs->unused)
		return compare__refuse(
			reason, -EINVAL,
			"--match %s=%s: no two such programs with the same type and input "
			"case, the first in the base, the second in the new report",
			pairs->unused->old, pairs->unused->new);
	if ((!base->prog_cnt || !new->prog_cnt) && on_axis)
		return 0;
	if (!base->prog_cnt || !new->prog_cnt)
		return compare__refuse(reason, -ENODATA, "the %s report has no programs",
				       base->prog_cnt ? "new" : "base");
	list_progs(base, base_progs, sizeof(base_progs));
	list_progs(new, new_progs, sizeof(new_progs));
	/* With different keys, "other" and "not measured" are other runs, too: do not compare them. */
	if ((base->by_retval && new->by_retval && base->by != new->by) ||
	    (!pairs->both && base->by_retval != new->by_retval))
		return refuse_keys(base, new, reason);
	if (!text__is_same(base->sum, new->sum))
		return compare__refuse(reason, -ENODATA,
				       "the %s report has sums of programs (--sum %s), the %s "
				       "report has %s%s; measure both in the same way",
				       base->sum ? "base" : "new", base->sum ?: new->sum,
				       base->sum ? "new" : "base",
				       base->sum && new->sum ? "those of --sum " : "none",
				       base->sum && new->sum ? new->sum : "");
	if (!pairs->both && !on_axis)
		return compare__refuse(
			reason, -ENODATA,
			"no program is in both reports: the base has %s, the new one %s; "
			"pair renamed programs with --match OLD=NEW",
			base_progs, new_progs);
	return 0;
}

int compare__refuse_limit(const struct compare_part *parts, int cnt, const struct compare_limit *l,
			  struct reason *reason)
{
	struct limit_search search;
	char why[256];

	limit_search__init(&search, l);
	for (int i = 0; i < cnt; i++) {
		if (parts[i].base)
			limit_search__look_at_report(&search, parts[i].base);
		if (parts[i].new)
			limit_search__look_at_report(&search, parts[i].new);
	}
	return compare__refuse(reason, -EINVAL, "--fail-on %s: %s", l->spec,
			       limit_search__explain(&search, why, sizeof(why)));
}

int comparison__check_axis(const struct comparison *c, const struct compare_part *parts, int cnt,
			   struct reason *reason)
{
	const struct compare_limits *limits = parts->opts.limits;
	__u64 used = 0;

	for (int i = 0; i < c->row_cnt; i++)
		used |= c->row[i].limits;
	for (int i = 0; limits && i < limits->cnt; i++)
		if (!(used & (1ULL << i)))
			return compare__refuse_limit(parts, cnt, &limits->v[i], reason);
	return c->row_cnt
		       ? 0
		       : compare__refuse(reason, -ENODATA, "no report has a program with a value");
}
