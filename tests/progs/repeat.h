/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Repeats a macro for all three-digit numbers that begin with the given digits.
 */
#ifndef TESTS_PROGS_REPEAT_H
#define TESTS_PROGS_REPEAT_H

/* clang-format off */
#define TEN(what, n) \
	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) \
	what(n##5) what(n##6) what(n##7) what(n##8) what(n##9)
#define HUNDRED(what, n) \
	TEN(what, n##0) TEN(what, n##1) TEN(what, n##2) TEN(what, n##3) TEN(what, n##4) \
	TEN(what, n##5) TEN(what, n##6) TEN(what, n##7) TEN(what, n##8) TEN(what, n##9)
/* clang-format on */

#endif
