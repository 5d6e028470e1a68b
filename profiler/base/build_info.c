// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Facts on the build of this bprof. Knows only the names and versions of libraries.
 */
#include <bpf/libbpf.h>

#include "base/build_info.h"

void build_info__print(FILE *out)
{
	fprintf(out, "bprof %s\nlibbpf %s\ndisassembler %s\n", BPROF_VERSION,
		libbpf_version_string() + 1, BPROF_DISASSEMBLER);
}

const char *build_info__version(void)
{
	return BPROF_VERSION;
}
