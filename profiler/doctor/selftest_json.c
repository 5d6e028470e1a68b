// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The self-test as JSON. Owns the names of the fields, which docs/bprof-report.schema.json describes.
 */
#include <stdlib.h>

#include "doctor/selftest.h"
#include "json/json_make.h"

static json_t *make_event(const struct selftest_event *ev)
{
	static const char *const names[SELFTEST_PROG_CNT] = {"empty", "plus_100", "plus_1000"};
	json_t *obj = json_object();

	json__set_string(obj, "name", ev->name);
	json__set_string(obj, "unit", ev->unit);
	if (ev->detail)
		json__set_string(obj, "detail", ev->detail);
	for (int i = 0; !ev->detail && i < SELFTEST_PROG_CNT; i++) {
		json_t *stats = json_object();

		for (int k = 0; k < STAT_CNT; k++)
			json__set_number(stats, stat_specs[k].name, ev->stat[i][k]);
		if (i != SELFTEST_EMPTY)
			json__set_number(stats, "added", selftest_event__added(ev, i));
		json_object_set_new(obj, names[i], stats);
	}
	json__set_string(obj, "verdict", selftest_verdict_names[ev->verdict]);
	json__set_number(obj, "off", ev->off);
	if (ev->uncertainty)
		json__set_number(obj, "bias_uncertainty", ev->uncertainty);
	return obj;
}

static json_t *make_context(const struct selftest_context *c,
			    const struct selftest_context_spec *spec)
{
	json_t *obj = json_object(), *events = json_array();

	json__set_string(obj, "name", spec->name);
	json__set_string(obj, "how", spec->how);
	json_object_set_new(obj, "attached", json_boolean(spec->attached));
	if (c->why)
		json__set_string(obj, "reason", c->why);
	if (c->method)
		json__set_string(obj, "method", c->method);
	json_object_set_new(obj, "driven", json__make_u64(c->driven));
	json_object_set_new(obj, "runs", json__make_u64(c->runs));
	json_object_set_new(obj, "lost", json__make_u64(c->lost));
	for (int i = 0; i < c->event_cnt; i++)
		json_array_append_new(events, make_event(&c->event[i]));
	json_object_set_new(obj, "events", events);
	return obj;
}

static json_t *make_kind(const struct selftest_kind *k)
{
	json_t *obj = json_object(), *costs = json_array(), *list = json_array();

	json__set_string(obj, "kind", k->name);
	json__set_string(obj, "cpus", k->cpus);
	if (k->cpu >= 0)
		json_object_set_new(obj, "cpu", json_integer(k->cpu));
	if (k->counters >= 0)
		json_object_set_new(obj, "counters", json_integer(k->counters));
	if (k->no_probe)
		json__set_string(obj, "no_probe", k->no_probe);
	for (int i = 0; i < k->cost_cnt; i++) {
		json_t *cost = json_object();

		json__set_string(cost, "name", k->cost[i].name);
		json__set_string(cost, "unit", k->cost[i].unit);
		json__set_number(cost, "without", k->cost[i].without);
		json__set_number(cost, "added", k->cost[i].added);
		json_array_append_new(costs, cost);
	}
	json_object_set_new(obj, "probe_cost", costs);
	for (int i = 0; i < SELFTEST_CONTEXT_CNT; i++)
		json_array_append_new(list, make_context(&k->context[i], &selftest_contexts[i]));
	json_object_set_new(obj, "contexts", list);
	return obj;
}

json_t *selftest__to_json(const struct selftest *t)
{
	const struct selftest_summary summary = selftest__summarize(t);
	json_t *doc = json_object(), *list = json_array();
	char *quote = selftest__quote(t);

	json_object_set_new(doc, "schema", json_integer(1));
	json__set_string(doc, "tool", "bprof");
	json__set_string(doc, "version", t->version);
	json__set_string(doc, "kernel", t->kernel);
	json__set_string(doc, "arch", t->arch);
	json__set_string(doc, "cpu_model", t->cpu_model);
	json__set_string(doc, "libbpf", t->libbpf);
	json__set_string(doc, "clock_source", t->clock_source);
	json__set_number(doc, "clock_step_ns", t->clock_step_ns);
	json_object_set_new(doc, "ok",
			    json_boolean(summary.measured && summary.worst != SELFTEST_WRONG));
	json__set_string(doc, "verdict", selftest_verdict_names[summary.worst]);
	json__set_string(doc, "quote", quote);
	for (int i = 0; i < t->kind_cnt; i++)
		json_array_append_new(list, make_kind(&t->kind[i]));
	json_object_set_new(doc, "cpu_kinds", list);
	free(quote);
	return doc;
}
