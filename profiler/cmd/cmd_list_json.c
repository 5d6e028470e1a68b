// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * bprof list -j. Owns the names of the fields; must not know how the list came about.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <jansson.h>

#include "target/attachments.h"
#include "cmd/cmd_list.h"
#include "target/extension.h"
#include "btf/func_table.h"
#include "json/json_ascii.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "base/text.h"

/* A cgroup's name may be any bytes; JSON takes UTF-8 only. */
static json_t *make_string(const char *s)
{
	json_t *str = json_string(s);
	char *printable;

	if (str)
		return str;
	printable = text__printable(s);
	str = printable ? json_string(printable) : NULL;
	free(printable);
	return str;
}

static int set_holders(const struct attachment *at, json_t *obj)
{
	json_t *list = json_array();
	int err = 0;

	for (int i = 0; i < at->holder_cnt; i++) {
		json_t *one = json_object();

		err |= json_object_set_new(one, "pid", json_integer(at->holder[i].pid));
		err |= json_object_set_new(one, "comm", make_string(at->holder[i].comm));
		err |= json_array_append_new(list, one);
	}
	return err | json_object_set_new(obj, "holders", list);
}

static int set_attached(const struct list *l, const struct prog *p, json_t *obj)
{
	const struct attachment *at = NULL;
	json_t *list = json_array();
	int err = 0;

	while ((at = attachments__next(&l->attachments, p->info.id, at))) {
		json_t *one = json_object();

		err |= json_object_set_new(one, "kind", json_string(at->kind));
		if (*at->target)
			err |= json_object_set_new(one, "target", make_string(at->target));
		if (*at->attach_type)
			err |= json_object_set_new(one, "attach_type",
						   json_string(at->attach_type));
		if (at->link_id)
			err |= json_object_set_new(one, "link_id", json_integer(at->link_id));
		if (at->ifindex)
			err |= json_object_set_new(one, "ifindex", json_integer(at->ifindex));
		if (at->cgroup_id)
			err |= json_object_set_new(one, "cgroup_id", json_integer(at->cgroup_id));
		if (at->holder_cnt)
			err |= set_holders(at, one);
		err |= json_array_append_new(list, one);
	}
	return err | json_object_set_new(obj, "attached", list);
}

static int set_map_ids(struct prog *p, json_t *obj)
{
	json_t *list = json_array();
	__u32 *ids, cnt;
	int err = 0;

	/* what cannot be read is left out */
	if (prog__map_ids(p, &ids, &cnt))
		cnt = 0;
	for (__u32 i = 0; i < cnt; i++)
		err |= json_array_append_new(list, json_integer(ids[i]));
	free(ids);
	return err | json_object_set_new(obj, "map_ids", list);
}

static int set_extends(const struct extension *ext, json_t *obj)
{
	json_t *extends = json_object();
	int err = 0;

	err |= json_object_set_new(extends, "prog_id", json_integer(ext->target_id));
	err |= json_object_set_new(extends, "prog_name", json_string(ext->target_name));
	if (*ext->func)
		err |= json_object_set_new(extends, "func", json_string(ext->func));
	return err | json_object_set_new(obj, "extends", extends);
}

/* The program as JSON; NULL: out of memory. */
static json_t *make_prog(const struct list *l, const struct listed *item)
{
	const struct prog *p = item->prog;
	const char *method = listed__method(l, item);
	json_t *obj = json_object();
	char buf[64];
	int err = 0;

	err |= json_object_set_new(obj, "id", json_integer(p->info.id));
	err |= json_object_set_new(obj, "type", json_string(prog_type__name(p->info.type)));
	err |= json_object_set_new(obj, "name", make_string(prog__name(p)));
	err |= json_object_set_new(obj, "tag", json_string(prog__tag(p, buf)));
	if (item->extends)
		err |= set_extends(item->extends, obj);
	err |= set_attached(l, p, obj);
	err |= json_object_set_new(obj, "xlated_bytes", json_integer(p->info.xlated_prog_len));
	err |= json_object_set_new(obj, "jited_bytes", json_integer(p->info.jited_prog_len));
	list__format_loaded(l, p, true, buf, sizeof(buf));
	err |= json_object_set_new(obj, "loaded_at", json_string(buf));
	if (p->funcs)
		err |= json_object_set_new(obj, "func_count", json_integer(p->funcs->cnt));
	err |= set_map_ids(item->prog, obj);
	if (method)
		err |= json_object_set_new(obj, "method", json_string(method));
	if (item->reason.code != REASON_NONE) {
		err |= json_object_set_new(obj, "reason",
					   json_string(reason__spec(item->reason.code)->name));
		if (*item->reason.detail)
			err |= json_object_set_new(obj, "detail", make_string(item->reason.detail));
	}
	if (!err)
		return obj;
	json_decref(obj);
	return NULL;
}

int list__print_json(const struct list *l)
{
	json_t *doc = json_object(), *progs = json_array();
	int err = 0;

	err |= json_object_set_new(doc, "schema", json_integer(1));
	err |= json_object_set_new(doc, "tool", json_string("bprof"));
	err |= json_object_set_new(doc, "version", json_string(BPROF_VERSION));
	for (int i = 0; i < l->cnt; i++)
		err |= json_array_append_new(progs, make_prog(l, &l->v[i]));
	err |= json_object_set_new(doc, "programs", progs);
	return json__print(doc, err, JSON_INDENTED, stdout);
}
