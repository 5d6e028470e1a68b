// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the arithmetic with samples: sums and shares. Must not know how samples are assigned to
 * code.
 */
#include <math.h>
#include <string.h>

#include "sampling/annotated.h"

void annotated__add(struct annotated *sum, const struct annotated *more)
{
	sum->samples += more->samples;
	sum->weight += more->weight;
	sum->calls += more->calls;
	sum->calls_weight += more->calls_weight;
}

struct annotated annotated_callee__sum(const struct annotated_callee *c)
{
	return (struct annotated){.calls = c->samples, .calls_weight = c->weight};
}

__u64 annotated__all(const struct annotated *sum)
{
	return sum->samples + sum->calls;
}

static double all_weight(const struct annotated *sum)
{
	return (double)sum->weight + sum->calls_weight;
}

int annotated__compare(const struct annotated *a, const struct annotated *b)
{
	if (all_weight(a) != all_weight(b))
		return all_weight(a) < all_weight(b) ? 1 : -1;
	return (annotated__all(a) < annotated__all(b)) - (annotated__all(a) > annotated__all(b));
}

double annotated__share(const struct annotated *part, const struct annotated *whole)
{
	if (all_weight(whole))
		return all_weight(part) / all_weight(whole);
	return annotated__all(whole) ? (double)annotated__all(part) / annotated__all(whole) : 0;
}

/*
 * Each sample is in the part or not (binomial distribution). Adds one sample in the part and one
 * outside, so that a share of 0 or 1 does not seem certain.
 */
double annotated__share_stddev(const struct annotated *part, const struct annotated *whole)
{
	double cnt = annotated__all(whole) + 2.0, p = (annotated__all(part) + 1.0) / cnt;

	return p < 1 ? sqrt(p * (1 - p) / cnt) : 0;
}

const char *annotated_line__file(const struct annotated_line *l)
{
	const char *slash = strrchr(l->file, '/');

	return slash && slash[1] ? slash + 1 : l->file;
}
