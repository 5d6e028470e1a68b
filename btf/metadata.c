// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the names and values of metadata. Must not know which program has the metadata.
 */
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/metadata.h"

static const char prefix[] = "bpf_metadata_";

/* Returns the type with that id, without typedefs and qualifiers, or NULL. */
static const struct btf_type *resolve_type(const struct btf *btf, __u32 id)
{
	int resolved = btf__resolve_type(btf, id);

	return resolved < 0 ? NULL : btf__type_by_id(btf, resolved);
}

/* Formats a whole number. */
static char *format_number(const void *at, __u32 sz, bool is_signed)
{
	__u64 bits = 0;

	memcpy(&bits, at, sz);
	if (is_signed && sz < sizeof(bits) && bits >> (8 * sz - 1))
		bits |= ~0ULL << (8 * sz);
	return text__format(is_signed ? "%lld" : "%llu", bits);
}

/* Sets m->value. Returns false if bprof does not show values of this type. */
static bool format_value(struct metadata *m, const struct btf *btf, const struct btf_type *t,
			 const char *at, __u32 room)
{
	const struct btf_type *elem = btf_is_array(t) ? resolve_type(btf, btf_array(t)->type)
						      : NULL;

	if (elem && btf_is_int(elem) && elem->size == 1) {
		if (btf_array(t)->nelems > room)
			return false;
		m->value = xstrndup(at, btf_array(t)->nelems);
	} else if (btf_is_int(t) || btf_is_any_enum(t)) {
		if (!t->size || t->size > sizeof(__u64) || t->size > room)
			return false;
		m->is_number = true;
		m->value = format_number(at, t->size,
					 btf_is_int(t) ? btf_int_encoding(t) & BTF_INT_SIGNED
						       : btf_kflag(t));
	} else {
		return false;
	}
	return true;
}

void metadata__parse(struct metadata_list *list, const struct btf *btf, __u32 datasec_id,
		     const void *data, __u32 sz)
{
	const struct btf_type *sec = btf__type_by_id(btf, datasec_id);

	if (!sec || !btf_is_datasec(sec))
		return;
	for (int i = 0; i < btf_vlen(sec); i++) {
		const struct btf_var_secinfo *v = &btf_var_secinfos(sec)[i];
		const struct btf_type *var = btf__type_by_id(btf, v->type), *t;
		const char *name = var ? btf__name_by_offset(btf, var->name_off) : NULL;
		struct metadata m = {}, *new;

		if (v->offset >= sz || !name || !btf_is_var(var) ||
		    strncmp(name, prefix, strlen(prefix)))
			continue;
		t = resolve_type(btf, var->type);
		if (!t || !format_value(&m, btf, t, (const char *)data + v->offset, sz - v->offset))
			continue;
		m.name = xstrdup(name + strlen(prefix));
		new = array__add(&list->v, &list->cnt, sizeof(*new));
		*new = m;
	}
}

void metadata__free(struct metadata_list *list)
{
	for (int i = 0; i < list->cnt; i++) {
		free(list->v[i].name);
		free(list->v[i].value);
	}
	free(list->v);
	memset(list, 0, sizeof(*list));
}
