// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the reader of saved documents with comparisons, as bprof report reads them, and the
 * renderers with the comparisons that it accepts. "make fuzz" runs it.
 *
 * Input: documents, one after the other, or an HTML page. The output must be harmless, and a
 * comparison must be the same after it was written to JSON and read again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/saved.h"
#include "render/render.h"
#include "tests/fuzz/mutate_json.h"
#include "tests/fuzz/require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz);

static char *render(const struct compare_saved *s, comparison_render_fn *fn)
{
	const struct compare_render_opts o = {
		.base_name = s->base_name,
		.new_name = s->new_name,
		.version = s->version,
		.exit_status = s->exit_status,
		.excuses = s->one_sided_ok ? EXCUSE_ONE_SIDED : 0,
		.verbose = 1,
	};
	char *text = NULL;
	size_t sz;
	FILE *out = open_memstream(&text, &sz);

	require(out);
	require(!comparison__render(s->c, fn, &o, out));
	fclose(out);
	require(strlen(text) == sz);
	for (const unsigned char *p = (const void *)text; *p; p++)
		require(*p == '\n' || (*p >= ' ' && *p != 0x7f));
	return text;
}

static char *read_and_write(const char *json)
{
	FILE *in = fmemopen((void *)json, strlen(json), "r");
	struct report_error err = {};
	struct saved_list l;
	char *again;

	require(in);
	if (saved_list__read(in, &l, &err)) {
		fprintf(stderr, "line %lu: %s\n%s", err.line, err.text, json);
		abort();
	}
	require(l.cnt == 1);
	again = render(&l.v[0].comparison, comparison__render_json);
	saved_list__free(&l);
	fclose(in);
	return again;
}

/* The first writing may round values; after that, nothing may change. */
static void check_comparison(const struct compare_saved *s)
{
	char *json, *once, *twice;
	const struct format *f;

	for (int i = 0; (f = formats__next(DOC_COMPARISON, i)); i++)
		free(render(s, f->comparison));
	json = render(s, comparison__render_json);
	once = read_and_write(json);
	twice = read_and_write(once);
	require(!strcmp(once, twice));
	free(json);
	free(once);
	free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	FILE *in = sz ? fmemopen((void *)data, sz, "r") : NULL;
	struct report_error err = {};
	struct saved_list l;
	int ret;

	if (!in)
		return 0;
	ret = saved_list__read(in, &l, &err);
	require(!ret || ret == -ENODATA || ret == -EINVAL);
	require(ret != -EINVAL || (err.line && *err.text));
	for (int i = 0; !ret && i < l.cnt && l.v[i].comparison.c; i++)
		check_comparison(&l.v[i].comparison);
	saved_list__free(&l);
	fclose(in);
	return 0;
}
