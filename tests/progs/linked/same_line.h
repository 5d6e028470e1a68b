/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Each source file that includes this header has its own copy of this function, at the same file and line. */
static NOINLINE int same_line(int PARAM)
{
	WORK(PARAM, 10);
	return PARAM;
}
