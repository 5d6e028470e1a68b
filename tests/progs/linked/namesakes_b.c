// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "namesakes.h"
#include "same_line.h"

static NOINLINE int helper(int PARAM)
{
	WORK(PARAM, 1000);
	return PARAM;
}

/* The program's entry function has this name, too. */
static NOINLINE int namesakes(int x)
{
	WORK(x, 20);
	return x;
}

NOINLINE int b(int x)
{
	return helper(x) + same_line(x) + namesakes(x);
}
