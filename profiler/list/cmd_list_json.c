// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes the output of bprof list -j. Owns the names of the fields; must not know how the list was
 * made.
 */
#include <stdio.h>
#include <stdlib.h>
#include <jansson.h>

#include "base/build_info.h"
#include "btf/func_table.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "host/holders.h"
#include "json/json_ascii.h"
#include "json/json_fields.h"
#include "json/json_make.h"
#include "list/cmd_list.h"
#include "target/attachments.h"
#include "target/extension.h"
#include "target/prog_maps.h"

#define HOLDER(field) offsetof(struct holder, field)
#define ATTACHMENT(field) offsetof(struct attachment, field)
#define MAP(field) offsetof(struct prog_map, field)
#define EXTENSION(field) offsetof(struct extension, field)

HAS(has_target, struct attachment, at, *at->target)
HAS(has_func, struct extension, ext, *ext->func)

static const struct json_field holder_rows[] = {
	FIELD("pid", int, HOLDER(pid)),
	FIELD("comm", chars, HOLDER(comm)),
	{},
};

static const struct json_field attachment_rows[] = {
	FIELD("kind", chars, ATTACHMENT(kind)),
	FIELD("target", string, ATTACHMENT(target), .has = has_target),
	FIELD("attach_type", chars, ATTACHMENT(attach_type), .omit = true),
	FIELD("link_id", u32, ATTACHMENT(link_id), .omit = true),
	FIELD("ifindex", u32, ATTACHMENT(ifindex), .omit = true),
	FIELD("cgroup_id", u64, ATTACHMENT(cgroup_id), .omit = true),
	FIELD("holders", list, 0, .omit = true,
	      .arg = LIST(struct attachment, holder, holder_cnt, object, .elem.arg = holder_rows)),
	{},
};

static const struct json_field map_rows[] = {
	FIELD("id", u32, MAP(id)),
	FIELD("name", chars, MAP(name)),
	FIELD("type", chars, MAP(type)),
	FIELD("memory", u64, MAP(memory)),
	{},
};

static const struct json_field extends_rows[] = {
	FIELD("prog_id", u32, EXTENSION(target_id)),
	FIELD("prog_name", string, EXTENSION(target_name)),
	FIELD("func", string, EXTENSION(func), .has = has_func),
	{},
};

static const struct json_field extension_rows[] = {
	FIELD("extends", object, 0, .arg = extends_rows),
	{},
};

static void append_object(json_t *list, const struct json_field *rows, const void *from)
{
	json_t *obj = json_object();

	json__set_fields(obj, rows, from, NULL);
	json_array_append_new(list, obj);
}

/* "unheld" is missing if it is not known whether something holds the program. */
static void set_hold(const struct list *l, const struct prog *p, json_t *obj)
{
	const struct hold *hold = holds__of(&l->holds, p->info.id);

	if (hold && hold->state == HOLD_UNKNOWN) {
		json__set_string(obj, "unheld_unknown", hold->text);
		return;
	}
	json_object_set_new(obj, "unheld", json_boolean(hold && hold->state == HOLD_UNHELD));
	if (hold && hold->state == HOLD_OTHER)
		json__set_string(obj, "held_by", hold->text);
}

static void set_maps(const struct prog_maps *maps, json_t *obj)
{
	json_t *ids = json_array(), *list = json_array();

	for (int i = 0; i < maps->cnt; i++) {
		append_object(list, map_rows, &maps->v[i]);
		json_array_append_new(ids, json_integer(maps->v[i].id));
	}
	json_object_set_new(obj, "map_ids", ids);
	json_object_set_new(obj, "maps", list);
}

static void set_metadata(const struct metadata_list *list, json_t *obj)
{
	json_t *values = json_object();

	for (int i = 0; i < list->cnt; i++) {
		const struct metadata *m = &list->v[i];

		if (!m->is_number)
			json__set_string(values, m->name, m->value);
		else if (*m->value == '-')
			json__set(values, m->name, json_integer(strtoll(m->value, NULL, 10)));
		else
			json__set(values, m->name, json__make_u64(strtoull(m->value, NULL, 10)));
	}
	json_object_set_new(obj, "metadata", values);
}

static json_t *make_listed_prog(const struct list *l, const struct listed *item)
{
	const struct prog *p = item->prog;
	const char *method = listed__method(l, item);
	const struct attachment *at = NULL;
	json_t *obj = json_object(), *attached = json_array(), *holders = json_array();
	json_t *pins = json_array();
	char buf[64];
	int cnt;
	const struct holder *h = holders__of(&l->holders, p->info.id, &cnt);

	json_object_set_new(obj, "id", json_integer(p->info.id));
	json__set_string(obj, "type", prog_type__name(p->info.type));
	json__set_string(obj, "name", prog__name(p));
	json__set_string(obj, "tag", prog__tag(p, buf));
	if (item->extends)
		json__set_fields(obj, extension_rows, item->extends, NULL);
	while ((at = attachments__next(&l->attachments, p->info.id, at)))
		append_object(attached, attachment_rows, at);
	json_object_set_new(obj, "attached", attached);
	for (int i = 0; i < cnt; i++)
		append_object(holders, holder_rows, &h[i]);
	json_object_set_new(obj, "holders", holders);
	set_hold(l, p, obj);
	for (int i = 0; i < item->pin_cnt; i++)
		json_array_append_new(pins, json__make_string(item->pins[i]));
	json_object_set_new(obj, "pinned", pins);
	json_object_set_new(obj, "xlated_bytes", json_integer(p->info.xlated_prog_len));
	json_object_set_new(obj, "jited_bytes", json_integer(p->info.jited_prog_len));
	list__format_loaded(l, p, true, buf, sizeof(buf));
	json__set_string(obj, "loaded_at", buf);
	json_object_set_new(obj, "loaded_by_uid", json_integer(p->info.created_by_uid));
	if (p->funcs)
		json_object_set_new(obj, "func_count", json_integer(p->funcs->cnt));
	json_object_set_new(obj, "memory", json__make_u64(item->maps.prog_memory));
	set_maps(&item->maps, obj);
	set_metadata(&item->maps.metadata, obj);
	if (method)
		json__set_string(obj, "method", method);
	if (item->reason.code != REASON_NONE) {
		json__set_string(obj, "reason", reason__spec(item->reason.code)->name);
		if (*item->reason.detail)
			json__set_string(obj, "detail", item->reason.detail);
	}
	return obj;
}

static const struct json_field jit_rows[] = {
	FIELD("limit_bytes", u64, offsetof(struct jit_memory, limit)),
	FIELD("used_bytes", u64, offsetof(struct jit_memory, used)),
	FIELD("exact", bool, offsetof(struct jit_memory, exact)),
	{},
};

void list__print_json(const struct list *l, enum json_layout layout, FILE *out)
{
	json_t *doc = json_object(), *progs = json_array();

	json_object_set_new(doc, "schema", json_integer(1));
	json__set_string(doc, "tool", "bprof");
	json__set_string(doc, "version", build_info__version());
	for (int i = 0; i < l->cnt; i++)
		json_array_append_new(progs, make_listed_prog(l, &l->v[i]));
	json_object_set_new(doc, "programs", progs);
	if (l->jit.limit) {
		json_t *jit = json_object();

		json__set_fields(jit, jit_rows, &l->jit, NULL);
		json_object_set_new(doc, "jit_memory", jit);
	}
	json__print(doc, layout, out);
}
