// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes the catalog of --list-events as JSON. Owns the names of the fields; must not know how the
 * catalog was made.
 */
#include <stdio.h>
#include <jansson.h>

#include "base/build_info.h"
#include "event/event_catalog.h"
#include "json/json_ascii.h"
#include "json/json_fields.h"
#include "json/json_make.h"

#define ENTRY(field) offsetof(struct catalog_entry, field)

static json_t *make_catalog_kind(const struct json_field *f, const void *from, const void *user)
{
	static const char *const names[CATALOG_KIND_CNT] = {
		[CATALOG_TIME] = "time",
		[CATALOG_HARDWARE] = "hardware",
		[CATALOG_SOFTWARE] = "software",
		[CATALOG_CACHE] = "cache",
		[CATALOG_PMU_EVENT] = "pmu_event",
		[CATALOG_PMU_TERM] = "pmu_term",
		[CATALOG_PMU] = "pmu",
		[CATALOG_TRACEPOINT] = "tracepoint",
	};

	return json_string(names[*(const enum catalog_kind *)from]);
}

static const struct json_kind field_catalog_kind = {.make = make_catalog_kind};

HAS(has_alias, struct catalog_entry, e, e->alias)
HAS(has_pmu, struct catalog_entry, e, e->pmu)
HAS(has_cpus, struct catalog_entry, e, e->cpus)
HAS(has_supported, struct catalog_entry, e, e->checked || e->error)
HAS(has_error, struct catalog_entry, e, e->error)

static const struct json_field entry_rows[] = {
	FIELD("name", string, ENTRY(name)),
	FIELD("alias", string, ENTRY(alias), .has = has_alias),
	FIELD("kind", catalog_kind, ENTRY(kind)),
	FIELD("pmu", string, ENTRY(pmu), .has = has_pmu),
	FIELD("cpus", string, ENTRY(cpus), .has = has_cpus),
	FIELD("unit", string, ENTRY(unit)),
	FIELD("description", string, ENTRY(description)),
	FIELD("supported", bool, ENTRY(supported), .has = has_supported),
	FIELD("error", string, ENTRY(error), .has = has_error),
	{},
};

static const struct json_field catalog_rows[] = {
	FIELD("events", list, 0,
	      .arg = LIST(struct event_catalog, v, cnt, object, .elem.arg = entry_rows)),
	{},
};

void event_catalog__render_json(const struct event_catalog *c, bool one_line, FILE *out)
{
	json_t *doc = json_object();

	json_object_set_new(doc, "schema", json_integer(1));
	json__set_string(doc, "tool", "bprof");
	json__set_string(doc, "version", build_info__version());
	json__set_fields(doc, catalog_rows, c, NULL);
	json__print(doc, one_line ? JSON_LINE : JSON_INDENTED, out);
}
