/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Loads a suite from a text, as bprof bench --suite does. Include this file after <cmocka.h>. DIR: a
 * directory that the test makes, for the suite.
 */
#ifndef BPROF_TEST_LOADED_SUITE_H
#define BPROF_TEST_LOADED_SUITE_H

#include <stdio.h>
#include <string.h>

#include "bench/bench_suite.h"
#include "tests/unit/capture.h"

#define FILE_ DIR "/suite.json"

struct loaded {
	struct bench_args cli;
	struct bench_suite s;
	int err;
	char *log, *list;
};

/* Splits a command line at blanks. */
static inline int split(char *line, char **argv)
{
	int argc = 0;

	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return argc;
}

static inline void write_suite(const char *json)
{
	FILE *out = fopen(FILE_, "w");

	assert_non_null(out);
	fputs(json, out);
	fclose(out);
}

/*
 * The command line and its words must live as long as the options, which point to them. So they are
 * static, and there is one loaded suite at a time.
 */
static inline struct loaded load(const char *json, const char *options, bool list)
{
	static char line[1024], *argv[64];
	struct loaded l = {};
	struct capture c;
	FILE *out = NULL;
	size_t sz;
	int argc;

	write_suite(json);
	snprintf(line, sizeof(line), "bprof bench --suite " FILE_ " %s", options);
	argc = split(line, argv);
	if (list)
		out = open_memstream(&l.list, &sz);
	capture__begin(&c, stderr);
	l.err = bench_args__parse(&l.cli, argc, argv);
	if (!l.err)
		l.err = bench_suite__load(&l.s, &l.cli, argc, argv, out);
	l.log = capture__end(&c);
	if (out)
		fclose(out);
	return l;
}

static inline void unload(struct loaded *l)
{
	bench_suite__free(&l->s);
	bench_args__free(&l->cli);
	free(l->log);
	free(l->list);
}

static inline struct loaded load_ok(const char *json, const char *options)
{
	struct loaded l = load(json, options, false);

	if (l.err)
		fail_msg("%s", l.log);
	return l;
}

#endif
