// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "namesakes.h"
#include "same_line.h"

static NOINLINE int helper(int PARAM)
{
	WORK(PARAM, 100);
	return PARAM;
}

NOINLINE int a(int x)
{
	return helper(x) + same_line(x);
}
