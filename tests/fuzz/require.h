/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A check that must hold for any input of a fuzzer.
 */
#ifndef BPROF_FUZZ_REQUIRE_H
#define BPROF_FUZZ_REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

#define require(cond)                                                                             \
	do {                                                                                      \
		if (!(cond)) {                                                                    \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #cond); \
			abort();                                                                  \
		}                                                                                 \
	} while (0)

#endif
