/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts on the build of this bprof: versions and libraries.
 */
#ifndef BPROF_BUILD_INFO_H
#define BPROF_BUILD_INFO_H

#include <stdio.h>

/* Prints the versions of bprof and libbpf, and which library disassembles: a line for each. */
void build_info__print(FILE *out);

/* Returns the version of bprof, such as "0.1.0". It is the output of scripts/version at build time. */
const char *build_info__version(void);

#endif
