/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A function that each source file that includes it has once more, at the same place. */
static NOINLINE int same_line(int PARAM)
{
	WORK(PARAM, 10);
	return PARAM;
}
