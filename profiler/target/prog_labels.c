// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Decides when labels are updated, and which holder and which attachments they show. Must not know
 * what labels are used for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "kernel/iter_run.h"
#include "report/report.h"
#include "target/attachments.h"
#include "target/owner.h"
#include "target/prog_labels.h"
#include "target/target.h"

/* Labels are read again at this age: MISSING_AGE_NS if a program lacks one, else MAX_AGE_NS. */
#define MISSING_AGE_NS (1000 * NSEC_PER_MSEC)
#define MAX_AGE_NS (30000 * NSEC_PER_MSEC)

/* Returns true if t is the first target of its program, and the program is loaded. */
static bool is_first_of_loaded_prog(const struct target_list *targets, const struct target *t)
{
	return !t->frozen && target_list__next(targets, t->id, NULL) == t;
}

static bool is_due(const struct prog_labels *l, const struct target_list *targets)
{
	__u64 age = now_ns() - l->looked_ns;
	bool missing = false;

	if (!l->looked_ns || age >= MAX_AGE_NS)
		return true;
	for (int i = 0; i < targets->cnt; i++) {
		int index = id_map__get(&l->index, targets->v[i].id);
		const struct prog_label *label;

		if (!is_first_of_loaded_prog(targets, &targets->v[i]))
			continue;
		if (index < 0)
			return true;
		label = &l->v[index];
		missing |= (l->owners && !label->owner) || (l->devices && !label->device) ||
			   (l->hooks && !label->hook);
	}
	return missing && age >= MISSING_AGE_NS;
}

static struct prog_label *label_of(struct prog_labels *l, __u32 id)
{
	int index = id_map__get(&l->index, id);
	struct prog_label *new;

	if (index >= 0)
		return &l->v[index];
	id_map__set(&l->index, id, l->cnt);
	new = array__add(&l->v, &l->cnt, sizeof(*l->v));
	new->id = id;
	return new;
}

static void free_label(const struct prog_label *label)
{
	free(label->owner);
	free(label->device);
	free(label->hook);
}

static void replace(char **old, char *new)
{
	free(*old);
	*old = new;
}

static void label_owners(struct prog_labels *l, const struct target_list *targets)
{
	struct holders all;

	holders__load_from(&l->source, &all, iter_run__explain);
	for (int i = 0; i < targets->cnt; i++) {
		const struct holder *h;
		char name[OWNER_SZ];
		int cnt;

		if (!is_first_of_loaded_prog(targets, &targets->v[i]))
			continue;
		h = holders__of(&all, targets->v[i].id, &cnt);
		h = owner__choose(h, cnt);
		if (h)
			replace(&label_of(l, targets->v[i].id)->owner,
				xstrdup(owner__name(h->pid, h->comm, name)));
	}
	holders__free(&all);
}

/*
 * Returns the kind of hook, such as "xdp native" or "cgroup_inet_ingress". For an operation of a
 * struct_ops map, the text also names the operation: "struct_ops MAP.OPERATION". The caller frees
 * the text.
 */
static char *hook_of(const struct attachment *at)
{
	bool whole = !strncmp(at->attach_type, at->kind, strlen(at->kind));

	if (!strcmp(at->kind, "struct_ops"))
		return text__format("%s %s", at->kind, at->target);
	return whole ? xstrdup(at->attach_type)
		     : text__format("%s%s%s", at->kind, *at->attach_type ? " " : "",
				    at->attach_type);
}

struct names {
	char **v;
	int cnt;
};

/* Takes ownership of the name. NULL: adds nothing. */
static void add_name(struct names *n, char *name)
{
	if (name)
		*(char **)array__add(&n->v, &n->cnt, sizeof(*n->v)) = name;
}

/*
 * Joins the names, each once: "eth0, eth1". Frees the names. Returns NULL if there are none. The
 * caller frees the text.
 */
static char *join_names(struct names *n)
{
	char *text = NULL;
	size_t sz;
	FILE *out;

	if (!n->cnt)
		return NULL;
	qsort(n->v, n->cnt, sizeof(*n->v), text__compare);
	out = text__open(&text, &sz);
	for (int i = 0; i < n->cnt; i++)
		if (!i || strcmp(n->v[i], n->v[i - 1]))
			fprintf(out, "%s%s", i ? ", " : "", n->v[i]);
	fclose(out);
	for (int i = 0; i < n->cnt; i++)
		free(n->v[i]);
	free(n->v);
	return text;
}

static char *join_hooks(const struct attachments *all, __u32 id)
{
	const struct attachment *at = NULL;
	struct names n = {};

	while ((at = attachments__next(all, id, at)))
		add_name(&n, hook_of(at));
	return join_names(&n);
}

/*
 * Names a device of another network namespace as --by ifindex does (result/key_names.c). If its
 * namespace was not found, the name says only that it is another one.
 */
static char *join_devices(const struct prog_labels *l, const struct attachments *all, __u32 id)
{
	const struct attachment *at = NULL;
	bool found = false;
	struct names n = {};

	for (int i = 0; i < l->elsewhere.cnt; i++) {
		const struct netns_device *d = &l->elsewhere.v[i];

		if (d->prog_id != id)
			continue;
		add_name(&n, text__format("%u@net:[%llu]", d->ifindex, d->net));
		found = true;
	}
	while ((at = attachments__next(all, id, at)))
		if (at->ifindex && *at->target && !(at->elsewhere && found))
			add_name(&n, xstrdup(at->target));
	return join_names(&n);
}

/* Returns true if the program may be on a device of another network namespace. */
static bool may_be_elsewhere(const struct attachments *all, const struct target *t)
{
	static const enum bpf_prog_type types[] = {BPF_PROG_TYPE_XDP, BPF_PROG_TYPE_SCHED_CLS,
						   BPF_PROG_TYPE_SCHED_ACT};
	const struct attachment *at = NULL;
	bool fits = false, here = false;

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		fits |= t->prog->info.type == types[i];
	while (fits && (at = attachments__next(all, t->id, at))) {
		if (at->elsewhere)
			return true;
		here |= at->ifindex != 0;
	}
	return fits && !here;
}

static void label_attachments(struct prog_labels *l, const struct target_list *targets)
{
	unsigned int wanted = ATTACH_XDP | ATTACH_TC, sources = 0;
	bool elsewhere = false;
	struct attachments all;

	if (l->hooks)
		wanted |= ATTACH_CGROUP | ATTACH_STRUCT_OPS;

	for (int i = 0; i < targets->cnt; i++)
		sources |= attachments__sources(targets->v[i].prog->info.type);
	attachments__load(&all, sources & wanted);
	for (int i = 0; i < targets->cnt && !elsewhere; i++)
		elsewhere = l->devices && is_first_of_loaded_prog(targets, &targets->v[i]) &&
			    may_be_elsewhere(&all, &targets->v[i]);
	if (elsewhere)
		netns_devices__search(&l->elsewhere);
	for (int i = 0; i < targets->cnt; i++) {
		__u32 id = targets->v[i].id;
		char *devices, *hooks;

		if (!is_first_of_loaded_prog(targets, &targets->v[i]))
			continue;
		devices = l->devices ? join_devices(l, &all, id) : NULL;
		hooks = l->hooks ? join_hooks(&all, id) : NULL;
		if (devices)
			replace(&label_of(l, id)->device, devices);
		if (hooks)
			replace(&label_of(l, id)->hook, hooks);
	}
	attachments__free(&all);
}

void prog_labels__look(struct prog_labels *l, const struct target_list *targets)
{
	int cnt = 0;

	if ((!l->owners && !l->devices && !l->hooks) || !is_due(l, targets))
		return;
	l->looked_ns = now_ns();
	/* Forget programs that are no targets any more (session__forget_ended()). */
	id_map__free(&l->index);
	for (int i = 0; i < l->cnt; i++) {
		if (!target_list__next(targets, l->v[i].id, NULL)) {
			free_label(&l->v[i]);
			continue;
		}
		id_map__set(&l->index, l->v[i].id, cnt);
		l->v[cnt++] = l->v[i];
	}
	l->cnt = cnt;
	for (int i = 0; i < targets->cnt; i++)
		if (is_first_of_loaded_prog(targets, &targets->v[i]))
			label_of(l, targets->v[i].id);
	if (l->owners)
		label_owners(l, targets);
	if (l->devices || l->hooks)
		label_attachments(l, targets);
}

void prog_labels__set(void *arg, struct report_prog *p)
{
	const struct prog_labels *l = arg;
	int index = id_map__get(&l->index, p->id);

	if (index < 0)
		return;
	p->owner = text__dup(l->v[index].owner);
	p->device = text__dup(l->v[index].device);
	p->hook = text__dup(l->v[index].hook);
}

void prog_labels__free(struct prog_labels *l)
{
	for (int i = 0; i < l->cnt; i++)
		free_label(&l->v[i]);
	free(l->v);
	netns_devices__free(&l->elsewhere);
	id_map__free(&l->index);
	holder_source__close(&l->source);
	*l = (struct prog_labels){};
}
