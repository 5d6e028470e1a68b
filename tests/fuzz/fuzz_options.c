// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes whole command lines, of all commands, from main() on. The kernel of the world refuses
 * everything, so a command ends after its options are parsed and its files are read. "make fuzz"
 * runs it.
 *
 * Input: the arguments after "bprof", each up to a NUL.
 */
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/small_report.h"
#include "tests/fuzz/world.h"

#define MAX_ARGS 32

int bprof_main(int argc, char **argv);

static const char suite[] =
	"{\"entries\":[{\"name\":\"lb\",\"old\":\"old.o\",\"new\":\"new.o\",\"repeat\":2}]}\n";

static void set_files(void)
{
	world__clear();
	world__set_text("r", small_report);
	world__set_text("s", suite);
	world__set_text(".bprof-history.jsonl", "");
	world__set_text("/sys/devices/system/cpu/online", "0-3\n");
	world__set_text("/sys/devices/system/cpu/possible", "0-3\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	char *argv[MAX_ARGS + 2] = {"bprof"};
	struct bytes in = {data, sz};
	FILE *out = stdout, *err = stderr, *from = stdin;
	int argc = 1, status;

	set_files();
	while (in.sz && argc <= MAX_ARGS)
		argv[argc++] = bytes__text(&in);
	stdout = stderr = world__null();
	stdin = fmemopen((void *)small_report, sizeof(small_report) - 1, "r");
	require(stdin);
	status = bprof_main(argc, argv);
	fclose(stdin);
	stdout = out;
	stderr = err;
	stdin = from;
	require(status >= EXIT_DONE && status <= EXIT_NO_SUCH);
	while (argc > 1)
		free(argv[--argc]);
	return 0;
}
