// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the headers of requests to bprof export, and the arguments of --listen and --buckets. "make
 * fuzz" runs it.
 *
 * Input: four texts, each up to a NUL.
 */
#include <stdlib.h>
#include <string.h>

#include "base/parse_error.h"
#include "export/accept.h"
#include "export/http_server.h"
#include "export/series.h"
#include "tests/fuzz/world.h"

static void check_error(int ret, const struct parse_error *err, const char *arg)
{
	require(!ret || (err->pos <= strlen(arg) && *err->text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct bytes in = {data, sz};
	char *accept = bytes__text(&in), *encoding = bytes__text(&in);
	char *listen = bytes__text(&in), *buckets = bytes__text(&in);
	struct series_opts series = {};
	struct http_address address;
	struct parse_error err = {};

	accept__choose_format(accept);
	accept__has_gzip(encoding);
	check_error(http_address__parse(listen, &address, &err), &err, listen);
	check_error(series_bounds__parse(buckets, &series, &err), &err, buckets);
	series_opts__free(&series);
	free(accept);
	free(encoding);
	free(listen);
	free(buckets);
	return 0;
}
