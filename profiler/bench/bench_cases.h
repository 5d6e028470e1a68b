/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The cases of a suite's entry: inputs with a name, a context, and steps that precede them.
 */
#ifndef BPROF_BENCH_CASES_H
#define BPROF_BENCH_CASES_H

#include <stdbool.h>
#include <linux/types.h>

#include "bench/bench_input.h"
#include "json/json_fields.h"

/* A packet or context is a path of a file, or bytes as "hex:…". */
struct bench_step_spec {
	char *prog, *packet, *pcap, *ctx;
	__u64 repeat;
};

struct bench_case_spec {
	char *name, *packet, *pcap, *ctx;
	bool cycle;
	struct bench_step_spec *before;
	int before_cnt;
};

struct bench_cases {
	struct bench_case_spec *v;
	int cnt;
};

/* The JSON fields of a case and of a step. The loader of suites also uses them to find paths. */
extern const struct json_field bench_case_rows[], bench_step_rows[];

/*
 * Parses the array "cases" of an entry without opening files. Returns 0, or -EINVAL with rd->text.
 * The caller frees *c in any case.
 */
int bench_cases__parse(struct bench_cases *c, json_t *list, struct json_reader *rd);
/* Adds the cases to the input. Returns 0 or -errno (reported). */
int bench_cases__read(const struct bench_cases *c, struct bench_input *in);
void bench_cases__free(struct bench_cases *c); /* frees the members, not c */

#endif
