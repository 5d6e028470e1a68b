// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the suite file of bprof bench: its keys, its variables, its entries' options and cases.
 * "make fuzz" runs it.
 *
 * Input: the file. It is loaded for a measurement, for the list of what it needs (--list, for
 * bench-vm), and for a measurement with a variable (--set).
 */
#include <stdlib.h>
#include <string.h>

#include "bench/bench_suite.h"
#include "tests/fuzz/mutate_json.h"
#include "tests/fuzz/world.h"

#define PATH "/in/suite.json"

static int count(char **argv)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	return argc;
}

static void load(char **argv, FILE *list)
{
	struct bench_args args = {};
	struct bench_suite suite = {};
	int err = bench_args__parse(&args, count(argv), argv);

	require(!err);
	err = bench_suite__load(&suite, &args, count(argv), argv, list);
	for (int i = 0; !err && i < suite.cnt; i++) {
		require(suite.v[i].name && !strchr(suite.v[i].name, '/'));
		bench_args__read_input(&suite.v[i].a);
	}
	bench_suite__free(&suite);
	bench_args__free(&args);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	char *plain[] = {"bprof", "bench", "--suite", PATH, "--entry", "*", NULL};
	char *set[] = {"bprof", "bench", "--suite", PATH, "--set", "OLD=main", "--exact", NULL};

	world__clear();
	world__set_file(PATH, data, sz);
	load(plain, NULL);
	load(plain, world__null());
	load(set, NULL);
	return 0;
}
