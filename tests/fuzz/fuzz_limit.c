// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes --fail-on and --match with a user's input. "make fuzz" runs it.
 *
 * Input: the spec.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_limit.h"
#include "compare/compare_match.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz);

static void check_error(const struct parse_error *err, const char *spec)
{
	require(err->pos <= strlen(spec) && err->len >= 1);
	require(*err->text && memchr(err->text, '\0', sizeof(err->text)));
	require(!strchr(err->text, '\n'));
}

static void check_limit(const struct compare_limit *l, const char *spec)
{
	struct report_prog p = {.name = (char *)"xdp_lb", .func = (char *)"parse"};

	require(!strcmp(l->spec, spec) && *l->event && (!l->prog || *l->prog));
	require(l->stat >= 0 && l->stat < STAT_CNT);
	require(isfinite(l->value) && l->value >= 0);
	require(*l->bound == '>' && strstr(spec, l->bound));
	require(!l->relative || !l->unit);
	/* a limit without a program selects any program's event, or size, of that name */
	if (!l->prog)
		require(l->of_size ? compare_limit__selects_size(l, &p, l->size)
				   : compare_limit__selects(l, &p, l->event));
	compare_limit__names_event(l);
	compare_limit__stat(l, NULL, NULL);
}

static void fuzz_limit(const char *spec)
{
	struct parse_error err = {.pos = ~0UL};
	struct compare_limits limits = {};
	int ret = compare_limits__add(&limits, spec, &err);

	require(ret == 0 || ret == -EINVAL);
	if (ret) {
		check_error(&err, spec);
		require(!limits.cnt);
	} else {
		require(limits.cnt == 1);
		check_limit(&limits.v[0], spec);
	}
	compare_limits__free(&limits);
}

static void fuzz_match(const char *spec)
{
	struct parse_error err = {.pos = ~0UL};
	struct compare_matches matches = {};
	int ret = compare_matches__add(&matches, spec, &err);

	require(ret == 0 || ret == -EINVAL);
	if (ret)
		check_error(&err, spec);
	else
		require(*matches.v[0].old && *matches.v[0].new);
	compare_matches__free(&matches);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	char *spec = strndup((const char *)data, sz);

	require(spec);
	fuzz_limit(spec);
	fuzz_match(spec);
	free(spec);
	return 0;
}
