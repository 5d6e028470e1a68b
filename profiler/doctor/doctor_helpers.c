// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof doctor --helpers. Owns its output and its exit status; doctor/helper_costs.h measures.
 */
#include <math.h>
#include <stdlib.h>

#include "base/build_info.h"
#include "base/message_groups.h"
#include "base/table.h"
#include "base/text.h"
#include "doctor/doctor_helpers.h"
#include "doctor/doctor_print.h"
#include "doctor/helper_costs.h"
#include "event/event.h"
#include "event/event_fds.h"
#include "json/json_make.h"
#include "kernel/feature.h"

static const char *const keys_names[] = {
	[KEYS_NONE] = NULL, [KEYS_HIT] = "hit", [KEYS_MISS] = "miss", [KEYS_NEW] = "new, evicts"};

/* The parts of the document. */
struct helpers_doc {
	const struct helper_costs *costs;
	const struct event_list *events;
	const struct host_info *host;
};

/* ---- JSON ---- */

static json_t *make_helper(const struct helpers_doc *d, const struct helper_cost *c)
{
	json_t *obj = json_object(), *events = json_object();

	json__set_string(obj, "operation", c->op->name);
	if (c->map_type)
		json__set_string(obj, "map_type", c->map_type);
	if (c->op->keys != KEYS_NONE) {
		json_object_set_new(obj, "key_size", json_integer(c->key_sz));
		json_object_set_new(obj, "entries", json_integer(c->op->entries));
		json__set_string(obj, "keys", keys_names[c->op->keys]);
	}
	if (c->why)
		json__set_string(obj, "why", c->why);
	for (int i = 0; !c->why && i < d->events->cnt; i++)
		if (!isnan(c->cost[i]))
			json__set_number(events, d->events->v[i].name, c->cost[i]);
	json_object_set_new(obj, "cost", events);
	return obj;
}

static json_t *helpers_to_json(const void *arg)
{
	const struct helpers_doc *d = arg;
	json_t *doc = json_object(), *list = json_array();

	json_object_set_new(doc, "schema", json_integer(1));
	json__set_string(doc, "tool", "bprof");
	json__set_string(doc, "version", build_info__version());
	json__set_string(doc, "kernel", d->host->kernel);
	json__set_string(doc, "arch", d->host->arch);
	json__set_string(doc, "cpu_model", d->host->cpu_model);
	json_object_set_new(doc, "cpu", json_integer(d->costs->cpu));
	for (int i = 0; i < d->costs->cnt; i++)
		json_array_append_new(list, make_helper(d, &d->costs->v[i]));
	json_object_set_new(doc, "helpers", list);
	return doc;
}

/* ---- text ---- */

static void add_helper(struct table *t, const struct helpers_doc *d, const struct helper_cost *c)
{
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%s", c->op->name);
	table__add_cell(t, TABLE_PLAIN, "%s", text__or_empty(c->map_type));
	for (int i = 0; i < 2; i++)
		if (c->op->keys != KEYS_NONE)
			table__add_count(t, i ? c->op->entries : c->key_sz, TABLE_PLAIN);
		else
			table__add_cell(t, TABLE_PLAIN, "%s", "");
	table__add_cell(t, TABLE_PLAIN, "%s", text__or_empty(keys_names[c->op->keys]));
	for (int i = 0; i < d->events->cnt; i++) {
		double cost = c->why ? NAN : c->cost[i];

		table__add_number(t, cost, number__digits(cost, d->events->v[i].unit), "");
	}
}

static void print_helpers(const void *arg, FILE *out, const struct screen *screen)
{
	const struct helpers_doc *d = arg;
	static const struct table_col cols[] = {LEFT_COL("OPERATION"), LEFT_COL("MAP"),
						RIGHT_COL("KEY"), RIGHT_COL("ENTRIES"),
						LEFT_COL("KEYS")};
	struct message_groups groups = {.once = true};
	struct table *t = table__new();

	fprintf(out, "kernel %s %s, %s, CPU %d: what one operation adds to a program\n",
		d->host->kernel, d->host->arch, d->host->cpu_model, d->costs->cpu);
	table__add_cols(t, cols, sizeof(cols) / sizeof(cols[0]));
	for (int i = 0; i < d->events->cnt; i++)
		table__add_col(t, TABLE_RIGHT, d->events->v[i].name);
	for (int i = 0; i < d->costs->cnt; i++)
		add_helper(t, d, &d->costs->v[i]);
	table__print(t, out, true, screen);
	table__free(t);
	for (int i = 0; i < d->costs->cnt; i++)
		if (d->costs->v[i].why)
			message_groups__add(&groups, d->costs->v[i].why, "%s",
					    d->costs->v[i].op->name);
	message_groups__warn(&groups, "not measured: ", "not measured: ");
	message_groups__free(&groups);
}

static enum exit_status status_of_costs(const struct helper_costs *costs)
{
	for (int i = 0; i < costs->cnt; i++)
		if (!costs->v[i].why)
			return EXIT_DONE;
	return doctor__status_of_nothing();
}

enum exit_status doctor__helpers(struct event_list *events, const struct output_opts *o)
{
	enum exit_status status;
	struct helper_costs costs = {};
	struct host_info host = {};
	const struct helpers_doc doc = {&costs, events, &host};
	int err = event_list__set_default(events) ?: helper_costs__measure(events, &costs);

	status = err ? exit_status__of_error(err) : EXIT_FAILED;
	if (!err && !features__host("", &host) &&
	    !doctor__write(o, helpers_to_json, print_helpers, &doc))
		status = status_of_costs(&costs);
	host_info__free(&host);
	helper_costs__free(&costs);
	return status;
}
