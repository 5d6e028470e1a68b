// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tests metrics that are short of memory: a scrape fails, or has all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "export/inventory.h"
#include "export/metrics.h"
#include "export/series.h"
#include "tests/unit/output_no_memory.h"
#include "tests/unit/report_models.h"

static const struct timespec from = {1767225600, 5000000};

/* Adds two reports, and what is known of the first one's program. */
static int add_all(struct series *s, struct inventory *inv, struct report *const *r)
{
	struct inventory_prog *p = inventory__add_prog(inv, r[0]->prog[0].id);
	struct inventory_map *map = p ? inventory_prog__add_map(p, "flows", "hash") : NULL;
	int err = map ? inventory_prog__attach(p, "xdp") : -ENOMEM;

	err = err ?: series__add(s, r[0], &from, 1);
	return err ?: series__add(s, r[1], &from, 2);
}

static int write_metrics(const void *model, FILE *out)
{
	struct report *const *r = model;
	struct series_opts o = {.max_progs = 10};
	struct metrics_self self = {.version = "0.1.0", .last = r[1]};
	struct series *s = NULL;
	struct inventory *inv = NULL;
	int err = series_bounds__set_default(&o);

	if (!err) {
		s = series__new(&o);
		inv = inventory__new();
		err = s && inv ? add_all(s, inv, r) : -ENOMEM;
	}
	self.inventory = inv;
	err = err ?: metrics__write(s, &self, METRICS_OPENMETRICS, out);
	if (!s)
		series_opts__free(&o);
	series__free(s);
	inventory__free(inv);
	return err;
}

static void test_metrics(void **state)
{
	static struct report *(*const makers[])(int n) = {make_hist, make_followed, make_by_retval,
							  make_thinned_auto, make_hostile};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		struct report *r[2] = {makers[i](0), makers[i](1)};

		check_without_memory(write_metrics, r);
		report__free(r[0]);
		report__free(r[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
