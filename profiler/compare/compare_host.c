// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds differences in how two reports were made. Such differences may explain differences between
 * their numbers. Owns the list of the properties that are checked; must not know how numbers are
 * compared. Prints nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "compare/compare.h"
#include "compare/compare_priv.h"

/* Returns a property of a report as a string that the caller frees. */
typedef char *(*describe_fn)(const struct report *r);

static char *copy(const char *s)
{
	return xstrdup(s ?: "unknown");
}

static char *describe_kernel(const struct report *r)
{
	return copy(r->host.kernel);
}

static char *describe_arch(const struct report *r)
{
	return copy(r->host.arch);
}

static char *describe_cpu(const struct report *r)
{
	return copy(r->host.cpu_model);
}

static char *describe_jit(const struct report *r)
{
	return copy(r->host.jit_unknown ? NULL : r->host.jit ? "on" : "off");
}

static char *describe_calibration(const struct report *r)
{
	return copy(r->calibrated	      ? "yes (net)"
		    : report__uncalibrated(r) ? "failed (raw)"
					      : "no (raw)");
}

/*
 * Lists the events of the whole report. A difference matters even for events that are in both
 * reports: each event that the probe reads changes the bias of the other events. Sorts the names,
 * because the programs of the two reports may be in different orders.
 */
static char *describe_events(const struct report *r)
{
	const char **names = NULL, **added;
	char *text = NULL;
	int cnt = 0;
	size_t sz;
	FILE *out = text__open(&text, &sz);

	for (int i = 0; i < r->prog_cnt; i++)
		for (int e = 0; e < r->prog[i].all.event_cnt; e++) {
			added = array__add(&names, &cnt, sizeof(*names));
			*added = r->prog[i].all.event[e].name;
		}
	if (cnt)
		qsort(names, cnt, sizeof(*names), text__compare);
	for (int i = 0; i < cnt; i++)
		if (!i || strcmp(names[i], names[i - 1]))
			fprintf(out, "%s%s", i ? "," : "", names[i]);
	fclose(out);
	free(names);
	return text;
}

static const struct {
	const char *what;
	describe_fn describe;
} fingerprint[] = {
	{"kernel", describe_kernel}, {"architecture", describe_arch},
	{"CPU", describe_cpu},	     {"JIT", describe_jit},
	{"events", describe_events}, {"calibration", describe_calibration},
};

bool compare__property(const struct report *r, int i, const char **what, char **value)
{
	if (i >= (int)ARRAY_SIZE(fingerprint))
		return false;
	*what = fingerprint[i].what;
	*value = fingerprint[i].describe(r);
	return true;
}

static bool is_known(const struct comparison *c, const char *what, const char *base,
		     const char *new)
{
	for (int i = 0; i < c->difference_cnt; i++)
		if (!strcmp(c->difference[i].what, what) && !strcmp(c->difference[i].base, base) &&
		    !strcmp(c->difference[i].new, new))
			return true;
	return false;
}

/*
 * Adds a difference, unless base and new are equal or an earlier part of the comparison has the
 * same difference. Takes ownership of the three strings.
 */
static void add_difference(struct comparison *c, char *what, char *base, char *new)
{
	struct compare_difference *d;

	if (!strcmp(base, new) || is_known(c, what, base, new)) {
		free(what);
		free(base);
		free(new);
		return;
	}
	d = array__add(&c->difference, &c->difference_cnt, sizeof(*d));
	*d = (struct compare_difference){what, base, new};
}

/* Returns the name of a property, such as "method of xdp_lb", followed by the point of the axis. */
static char *name_property(const struct compare_part *part, const char *what, const char *of)
{
	return text__format("%s%s%s%s", what, of, part->point ? " of " : "",
			    text__or_empty(part->point));
}

void comparison__find_differences(struct comparison *c, const struct compare_part *part,
				  const struct compare_pairs *pairs)
{
	for (size_t i = 0; i < ARRAY_SIZE(fingerprint); i++)
		if (!c->axis || strcmp(c->axis, fingerprint[i].what))
			add_difference(c, name_property(part, fingerprint[i].what, ""),
				       fingerprint[i].describe(part->base),
				       fingerprint[i].describe(part->new));
	for (int i = 0; i < pairs->cnt; i++) {
		const struct compare_pair *pair = &pairs->v[i];
		char label[LABEL_SZ];

		if (pair->base && pair->new)
			add_difference(c,
				       name_property(part, "method of ",
						     report_prog__label(pair->new, label)),
				       copy(pair->base->method), copy(pair->new->method));
	}
}
