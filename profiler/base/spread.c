// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Means and variances of numbers that come one by one. */
#include <math.h>

#include "base/spread.h"

void spread__add(struct spread *s, double v)
{
	double d = v - s->mean;

	s->cnt++;
	s->mean += d / s->cnt;
	s->squares += d * (v - s->mean);
}

void spread__add_known(struct spread *s, double v)
{
	if (!isnan(v))
		spread__add(s, v);
}

double spread__mean(const struct spread *s)
{
	return s->cnt ? s->mean : NAN;
}

double spread__stddev(const struct spread *s)
{
	return s->cnt > 1 ? sqrt(s->squares / (s->cnt - 1) / s->cnt) : NAN;
}
