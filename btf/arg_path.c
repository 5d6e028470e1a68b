// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the translation of an expression into offsets and types. Must not know how memory is read,
 * or which function has the argument.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>

#include "base/suggest.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/arg_context.h"
#include "btf/arg_expr.h"
#include "btf/arg_path.h"
#include "btf/reason.h"

#define NESTING_MAX 16 /* maximum depth of unnamed structs in structs; BTF may be hostile */
#define LISTED_MAX 200 /* maximum length of a list of members in a message */

static const struct btf_type *skip_modifiers(const struct btf *btf, __u32 *id)
{
	const struct btf_type *t = btf__type_by_id(btf, *id);

	for (int i = 0; t && i < 64 && (btf_is_mod(t) || btf_is_typedef(t) || btf_is_type_tag(t));
	     i++) {
		*id = t->type;
		t = btf__type_by_id(btf, *id);
	}
	return t;
}

static const char *name_of(const struct btf *btf, __u32 off)
{
	return btf__name_by_offset(btf, off) ?: "";
}

static struct btf_type const *type_of(struct arg_place *place)
{
	return place->type_id ? skip_modifiers(place->btf, &place->type_id) : NULL;
}

/* ---- members ---- */

struct member {
	const char *name;
	__u32 type_id, bit, bits;
	struct suggest near;
	char list[LISTED_MAX];
	bool is_cut;
};

static void offer_member(struct member *m, const char *name)
{
	size_t len = strlen(m->list);

	suggest__offer(&m->near, name);
	if (m->is_cut)
		return;
	m->is_cut = len + strlen(name) + sizeof(", , ...") > sizeof(m->list);
	snprintf(m->list + len, sizeof(m->list) - len, "%s%s", len ? ", " : "",
		 m->is_cut ? "..." : name);
}

/* Finds a member, also in unnamed structs. bit: the bit offset at which the struct begins. */
static bool find_member(const struct btf *btf, const struct btf_type *t, __u32 bit, int nesting,
			struct member *m)
{
	for (int i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *member = &btf_members(t)[i];
		const char *name = name_of(btf, member->name_off);
		const struct btf_type *inner;
		__u32 id = member->type;

		m->bits = btf_member_bitfield_size(t, i);
		m->bit = bit + btf_member_bit_offset(t, i);
		m->type_id = id;
		if (*name && !strcmp(name, m->name))
			return true;
		if (*name) {
			offer_member(m, name);
			continue;
		}
		inner = skip_modifiers(btf, &id);
		if (inner && btf_is_composite(inner) && nesting < NESTING_MAX &&
		    find_member(btf, inner, m->bit, nesting + 1, m))
			return true;
	}
	return false;
}

static int refuse_member(const struct arg_place *place, const struct btf_type *t, struct member *m,
			 struct reason *reason)
{
	const struct arg_context *c = place->context;
	const char *name = name_of(place->btf, t->name_off);
	char near[100];

	for (const struct arg_field *f = c ? c->fields : NULL; f && f->name; f++)
		offer_member(m, f->name);
	suggest__text(&m->near, near, sizeof(near));
	return reason__fail(reason, -ENOENT, "%s %s%s%s%s has no member '%s'%s%s",
			    btf_is_union(t) ? "union" : "struct", *name ? name : "without a name",
			    c ? ", which the kernel has for struct " : "", c ? c->name : "",
			    c ? "," : "", m->name, *near ? near : "; it has ",
			    *near ? "" : m->list);
}

/* Moves the place from a struct to one of the struct's members. */
static int enter_member(struct arg_place *place, const char *name, struct reason *reason)
{
	const struct btf_type *t = type_of(place);
	struct member m = {.name = name};

	suggest__init(&m.near, name, strlen(name));
	if (!t || !btf_is_composite(t))
		return reason__fail(reason, -EINVAL, "'%s' is not in a struct%s", name,
				    t && btf_is_fwd(t) ? ": this BTF does not describe its members"
						       : "");
	if (!find_member(place->btf, t, 0, 0, &m))
		return refuse_member(place, t, &m, reason);
	place->type_id = m.type_id;
	place->offset += m.bit / 8;
	place->bit = m.bit % 8;
	place->bits = m.bits;
	place->context = NULL;
	return 0;
}

/* ---- pointers ---- */

static bool is_pointer(struct arg_place *place)
{
	const struct btf_type *t = type_of(place);

	return place->points || (t && btf_is_ptr(t));
}

/* Follows the pointer at the place. */
static int follow_pointer(struct arg_place *place, struct reason *reason)
{
	if (place->at.cnt == ARG_READS_MAX - 1)
		return reason__fail(reason, -EINVAL, "it follows more than %d pointers",
				    ARG_DEREFS_MAX);
	if (!place->points)
		place->type_id = type_of(place)->type;
	place->points = false;
	place->at.offset[place->at.cnt++] = place->offset;
	place->offset = 0;
	return 0;
}

/* Sets the place's type to a struct of the kernel. */
static bool set_kernel_struct(struct arg_place *place, const char *name)
{
	int id = place->vmlinux ? btf__find_by_name_kind(place->vmlinux, name, BTF_KIND_STRUCT)
				: -ENOENT;

	if (id < 0)
		return false;
	place->btf = place->vmlinux;
	place->type_id = id;
	return true;
}

/*
 * If a pointer has the type of a context in the program's BTF, changes the type to the struct that the
 * kernel passes instead.
 */
static int replace_context(struct arg_place *place, struct reason *reason)
{
	const struct btf_type *t = type_of(place);
	const struct arg_context *c;

	if (place->btf == place->vmlinux || !t || !(btf_is_composite(t) || btf_is_fwd(t)))
		return 0;
	c = arg_context__find(name_of(place->btf, t->name_off), place->prog_type);
	if (!c)
		return 0;
	place->context = c;
	return set_kernel_struct(place, c->kernel)
		       ? 0
		       : reason__fail(reason, -ENOENT, "the kernel's BTF has no struct %s",
				      c->kernel);
}

bool arg_place__set_context(struct arg_place *place, __u32 offset)
{
	place->context = arg_context__of_type(place->prog_type);
	place->points = true;
	place->offset = offset;
	return place->context && set_kernel_struct(place, place->context->kernel);
}

/* ---- steps ---- */

/* Follows a path of struct arg_field, such as "rxq->dev->ifindex". */
static int follow_names(struct arg_place *place, const char *names, struct reason *reason)
{
	char name[64];
	int err = 0;

	while (!err && *names) {
		size_t len = strcspn(names, "-.");

		snprintf(name, sizeof(name), "%.*s", (int)len, names);
		if (is_pointer(place))
			err = follow_pointer(place, reason);
		err = err ?: enter_member(place, name, reason);
		names += len;
		names += *names == '-' ? 2 : *names == '.';
	}
	return err;
}

/*
 * Moves the place to a field of the context at the place. Sets *minus to the path of the value to
 * subtract, if the field has one; otherwise minus->cnt stays 0.
 */
static int enter_field(struct arg_place *place, const struct arg_field *f, struct arg_reads *minus,
		       struct reason *reason)
{
	struct arg_place other = *place;
	int err = follow_names(place, f->path, reason);

	if (!err && f->cast && !set_kernel_struct(place, f->cast))
		return reason__fail(reason, -ENOENT, "the kernel's BTF has no struct %s", f->cast);
	if (!err && f->cast)
		err = follow_names(place, f->member, reason);
	if (!err && f->minus) {
		err = follow_names(&other, f->minus, reason);
		*minus = other.at;
		minus->offset[minus->cnt++] = other.offset;
		place->type_id = 0;
	}
	place->words = f->words;
	place->context = NULL;
	return err;
}

/* Moves the place to the field of a context, or to the member of a struct. */
static int step_to_member(struct arg_place *place, const char *name, struct arg_reads *minus,
			  struct reason *reason)
{
	const struct arg_context *c = place->context;
	struct arg_place common = *place;
	const struct btf_type *t = type_of(place);
	struct reason ignored;
	char other[64];

	for (const struct arg_field *f = c ? c->fields : NULL; f && f->name; f++)
		if (!strcmp(f->name, name))
			return enter_field(place, f, minus, reason);
	/* The kernel has macros for some members of struct sock: sk_family is __sk_common.skc_family. */
	if (!t || place->btf != place->vmlinux ||
	    strcmp(name_of(place->btf, t->name_off), "sock") || strncmp(name, "sk_", 3))
		return enter_member(place, name, reason);
	snprintf(other, sizeof(other), "skc_%s", name + 3);
	if (!enter_member(&common, "__sk_common", &ignored) &&
	    !enter_member(&common, other, &ignored)) {
		*place = common;
		return 0;
	}
	return enter_member(place, name, reason);
}

static int step_to_element(struct arg_place *place, __u64 index, struct reason *reason)
{
	const struct btf_type *t = type_of(place);
	__u64 cnt = place->words, sz = sizeof(__u32);

	if (!cnt) {
		if (!t || !btf_is_array(t))
			return reason__fail(reason, -EINVAL, "[%llu]: it is no array",
					    (unsigned long long)index);
		cnt = btf_array(t)->nelems;
		place->type_id = btf_array(t)->type;
		sz = btf__resolve_size(place->btf, place->type_id);
	} else {
		place->type_id = btf__find_by_name_kind(place->btf, "unsigned int", BTF_KIND_INT);
	}
	/* The length of an array without a size is decided where it is allocated. */
	if ((cnt && index >= cnt) || (__s64)sz <= 0 || index > (1U << 30) / sz)
		return reason__fail(reason, -EINVAL, "[%llu]: the array has %llu elements",
				    (unsigned long long)index, (unsigned long long)cnt);
	place->words = 0;
	place->offset += index * sz;
	return 0;
}

/* p[index] */
static int step_over_pointer(struct arg_place *place, __u64 index, struct reason *reason)
{
	__s64 sz = btf__resolve_size(place->btf, place->type_id);

	if (sz <= 0 || index > (1ULL << 30) / (__u64)sz)
		return reason__fail(reason, -EINVAL, "[%llu]: its type has no size",
				    (unsigned long long)index);
	place->offset += index * sz;
	return 0;
}

static int end_path(struct arg_place *place, const struct arg_reads *minus, struct arg_path *path,
		    struct reason *reason);

/*
 * Follows the steps of an expression from step i on. followed: the pointer before step i has been
 * followed, and the place is where it leads.
 */
static int resolve_in(struct arg_place place, const struct arg_expr *e, int i, bool followed,
		      struct arg_path *path, struct reason *reason);

static bool leads_to_same(const struct arg_path *a, const struct arg_path *b)
{
	return a->at.cnt == b->at.cnt &&
	       !memcmp(a->at.offset, b->at.offset, a->at.cnt * sizeof(a->at.offset[0])) &&
	       a->size == b->size && a->bit == b->bit && a->bits == b->bits;
}

/*
 * Returns true if a struct of the program's BTF describes the kernel's struct of the same name: at least
 * three quarters of its members are in the kernel's struct. The other members may be missing because the
 * program was compiled for another kernel.
 */
static bool is_of_kernel(const struct btf *btf, const struct btf_type *t, const struct btf *vmlinux,
			 const struct btf_type *kernel)
{
	int named = 0, found = 0;

	for (int i = 0; i < btf_vlen(t); i++) {
		struct member m = {.name = name_of(btf, btf_members(t)[i].name_off)};

		suggest__init(&m.near, "", 0);
		named += *m.name != '\0';
		found += *m.name && find_member(vmlinux, kernel, 0, 0, &m);
	}
	return 4 * found >= 3 * named;
}

/*
 * Follows the steps from step i on, with the program's BTF and with the kernel's struct of the same name.
 * The results may differ. libbpf adapts programs to the kernel (CO-RE), so the program's BTF may describe
 * a struct of another kernel, or only some of its members: then uses the kernel's struct. Or the program
 * has a struct of its own that happens to have the same name: is_of_kernel() is false, and this fails.
 */
static int resolve_both(const struct arg_place *place, const struct arg_expr *e, int i,
			struct arg_path *path, struct reason *reason)
{
	struct arg_place own = *place, twin = *place;
	struct arg_path twin_path;
	struct reason ignored;
	const struct btf_type *t = type_of(&own);
	bool is_struct = t && (btf_is_composite(t) || btf_is_fwd(t));
	const char *name = is_struct ? name_of(own.btf, t->name_off) : "";
	const char *flavor = strstr(name, "___");
	char base[128];
	int err, twin_err = -ENOENT;

	snprintf(base, sizeof(base), "%.*s", (int)(flavor ? flavor - name : (long)strlen(name)),
		 name);
	err = resolve_in(own, e, i, true, path, reason);
	if (own.btf != own.vmlinux && *base && set_kernel_struct(&twin, base))
		twin_err = resolve_in(twin, e, i, true, &twin_path, &ignored);
	if (twin_err)
		return err;
	if (!err && !leads_to_same(path, &twin_path) &&
	    !(btf_is_composite(t) && is_of_kernel(own.btf, t, twin.btf, type_of(&twin))))
		return reason__fail(reason, -EINVAL,
				    "struct %s is not the same in the program's BTF and in the "
				    "kernel's",
				    base);
	*path = twin_path;
	return 0;
}

static int resolve_in(struct arg_place place, const struct arg_expr *e, int i, bool followed,
		      struct arg_path *path, struct reason *reason)
{
	struct arg_reads minus = {};
	int err = 0;

	for (; !err && i < e->step_cnt; i++, followed = false) {
		const struct arg_step *step = &e->step[i];

		if (!followed && is_pointer(&place)) {
			if (place.derefs++ == ARG_DEREFS_MAX)
				return reason__fail(reason, -EINVAL,
						    "it follows more than %d pointers",
						    ARG_DEREFS_MAX);
			return follow_pointer(&place, reason) ?:
			       replace_context(&place, reason) ?:
			       resolve_both(&place, e, i, path, reason);
		}
		if (minus.cnt)
			err = reason__fail(reason, -EINVAL, "it has no members");
		else if (step->name)
			err = step_to_member(&place, step->name, &minus, reason);
		else if (followed)
			err = step_over_pointer(&place, step->index, reason);
		else
			err = step_to_element(&place, step->index, reason);
	}
	return err ?: end_path(&place, &minus, path, reason);
}

int arg_place__resolve(const struct arg_place *place, const struct arg_expr *e, int first,
		       struct arg_path *path, struct reason *reason)
{
	struct arg_place p = *place;

	/* arg_place__set_context() has already set the kernel's struct: do not look for another one. */
	if (p.points && p.context && first < e->step_cnt) {
		p.derefs++;
		return follow_pointer(&p, reason) ?: resolve_in(p, e, first, true, path, reason);
	}
	return resolve_in(p, e, first, false, path, reason);
}

/* ---- the value ---- */

static bool is_text(const struct btf *btf, const struct btf_type *array)
{
	__u32 id = btf_array(array)->type;
	const struct btf_type *t = skip_modifiers(btf, &id);

	return t && btf_is_int(t) && t->size == 1 && !strcmp(name_of(btf, t->name_off), "char");
}

/* Sets the kind and the size of a value from its type. */
static int end_type(struct arg_place *place, struct arg_path *path, struct reason *reason)
{
	const struct btf_type *t = type_of(place);

	if (!t) {
		path->size = sizeof(__u64);
		return 0;
	}
	if (btf_is_int(t)) {
		path->kind = btf_int_encoding(t) & BTF_INT_BOOL ? ARG_BOOL : ARG_INTEGER;
		path->is_signed = btf_int_encoding(t) & BTF_INT_SIGNED;
		path->size = t->size;
		/*
		 * the old form of bit fields (no kind_flag): the type is an integer with fewer bits
		 * than its size
		 */
		if (!place->bits && btf_int_bits(t) != t->size * 8) {
			place->bits = btf_int_bits(t);
			place->bit += btf_int_offset(t);
		}
		return 0;
	}
	if (btf_is_any_enum(t)) {
		path->kind = ARG_ENUM;
		path->is_signed = btf_kflag(t);
		path->size = t->size;
		path->btf = place->btf;
		path->type_id = place->type_id;
		return 0;
	}
	if (btf_is_array(t) && is_text(place->btf, t)) {
		__u32 cnt = btf_array(t)->nelems;

		path->kind = ARG_TEXT;
		path->size = cnt && cnt < ARG_TEXT_SZ ? cnt : ARG_TEXT_SZ;
		return 0;
	}
	if (btf_is_array(t))
		return reason__fail(reason, -EINVAL,
				    "it is an array; give an element, such as [0]");
	return reason__fail(reason, -EINVAL,
			    btf_is_composite(t) ? "it is a struct or union; give one of its members"
						: "its type is no number, pointer or text");
}

static int end_path(struct arg_place *place, const struct arg_reads *minus, struct arg_path *path,
		    struct reason *reason)
{
	int err = 0;

	*path = (struct arg_path){.at = place->at, .minus = *minus};
	path->at.offset[path->at.cnt++] = place->offset;
	if (place->words)
		return reason__fail(reason, -EINVAL,
				    "it is an array; give an element, such as [0]");
	if (is_pointer(place)) {
		path->kind = ARG_POINTER;
		path->size = sizeof(__u64);
	} else {
		err = end_type(place, path, reason);
	}
	if (err)
		return err;
	if (place->bits) {
		path->bit = place->bit % 8;
		path->at.offset[path->at.cnt - 1] += place->bit / 8;
		path->size = (path->bit + place->bits + 7) / 8;
	}
	path->bits = place->bits ?: path->size * 8;
	if (path->kind != ARG_TEXT && (!path->size || path->size > sizeof(__u64)))
		return reason__fail(reason, -EINVAL, "it has more than 64 bits");
	return 0;
}

/* ---- constants and texts ---- */

/* Gets the name and the value of an enum's i-th constant. Returns false after the last constant. */
static bool get_constant(const struct arg_path *path, int i, const char **name, __u64 *value)
{
	const struct btf_type *t = btf__type_by_id(path->btf, path->type_id);

	if (i >= btf_vlen(t))
		return false;
	if (btf_is_enum64(t)) {
		*name = name_of(path->btf, btf_enum64(t)[i].name_off);
		*value = btf_enum64_value(&btf_enum64(t)[i]);
	} else {
		*name = name_of(path->btf, btf_enum(t)[i].name_off);
		*value = path->is_signed ? (__u64)(__s64)btf_enum(t)[i].val
					 : (__u32)btf_enum(t)[i].val;
	}
	return true;
}

static int find_constant(const struct arg_path *path, const char *name, __u64 *value,
			 struct reason *reason)
{
	struct suggest near;
	const char *other;
	char text[100];

	suggest__init(&near, name, strlen(name));
	for (int i = 0; path->kind == ARG_ENUM && get_constant(path, i, &other, value); i++) {
		if (!strcmp(other, name))
			return 0;
		suggest__offer(&near, other);
	}
	for (*value = 0; path->kind == ARG_BOOL && *value < 2; ++*value)
		if (!strcmp(name, *value ? "true" : "false"))
			return 0;
	*value = 0;
	if (path->kind == ARG_POINTER && !strcmp(name, "NULL"))
		return 0;
	return reason__fail(reason, -EINVAL, "'%s' is no number%s%s", name,
			    path->kind == ARG_ENUM ? " and no constant of its enum" : "",
			    suggest__text(&near, text, sizeof(text)));
}

static bool orders(enum arg_op op)
{
	return op == ARG_LT || op == ARG_LE || op == ARG_GT || op == ARG_GE;
}

/*
 * Returns true if the BTF does not say whether the enum has a sign: clang says so only from version
 * 15 on. A constant of more than 31 bits looks like a negative one.
 */
static bool is_sign_unknown(const struct arg_path *path)
{
	const struct btf_type *t;

	if (path->kind != ARG_ENUM || path->is_signed)
		return false;
	t = btf__type_by_id(path->btf, path->type_id);
	for (int i = 0; btf_is_enum(t) && i < btf_vlen(t); i++)
		if (btf_enum(t)[i].val < 0)
			return true;
	return false;
}

int arg_path__operand(const struct arg_path *path, const struct arg_expr *e, __u64 *value,
		      struct reason *reason)
{
	*value = e->number;
	if (path->kind == ARG_TEXT)
		return reason__fail(reason, -EINVAL, "text can be shown, but not compared");
	if (orders(e->op) && is_sign_unknown(path))
		return reason__fail(reason, -EINVAL,
				    "its BTF does not say whether the enum has a sign, as that of "
				    "clang 14: compare with == or != and a constant");
	if (!e->is_number)
		return find_constant(path, e->operand, value, reason);
	if (!path->is_signed && (e->is_negative || (e->op == ARG_LT && !e->number)))
		return reason__fail(reason, -EINVAL, "its type is unsigned: it is never negative");
	if (path->is_signed && !e->is_negative && (__s64)e->number < 0 && e->op != ARG_AND)
		return reason__fail(reason, -EINVAL, "%s: its type is signed and has no such value",
				    e->operand);
	return 0;
}

const char *arg_path__value_name(const struct arg_path *path, __u64 value)
{
	const char *name;
	__u64 constant;

	if (path->kind == ARG_BOOL)
		return value ? "true" : "false";
	for (int i = 0; path->kind == ARG_ENUM && get_constant(path, i, &name, &constant); i++)
		if (constant == value)
			return name;
	return NULL;
}

const char *arg_path__format(const struct arg_path *path, const void *value, char *buf)
{
	char text[ARG_TEXT_SZ + 1] = "", *printable;
	const char *name;
	__u64 number;

	memcpy(&number, value, sizeof(number));
	if (path->kind == ARG_TEXT) {
		memcpy(text, value, path->size);
		printable = text__printable(text);
		snprintf(buf, ARG_VALUE_SZ, "%s", printable);
		free(printable);
		return buf;
	}
	name = arg_path__value_name(path, number);
	if (name)
		snprintf(buf, ARG_VALUE_SZ, "%s", name);
	else if (path->kind == ARG_POINTER)
		snprintf(buf, ARG_VALUE_SZ, "0x%llx", (unsigned long long)number);
	else
		snprintf(buf, ARG_VALUE_SZ, path->is_signed ? "%lld" : "%llu",
			 (unsigned long long)number);
	return buf;
}
