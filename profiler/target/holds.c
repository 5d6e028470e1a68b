// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the order in which places are searched for the holders of programs, and the list of places
 * that cannot be searched. Must not know how the result is shown. Prints nothing.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/text.h"
#include "btf/own.h"
#include "btf/prog.h"
#include "host/namespaces.h"
#include "host/open_files.h"
#include "kernel/iter_run.h"
#include "target/holds_priv.h"

/* ---- what is known ---- */

struct hold_prog *hold_search__find(const struct hold_search *s, __u32 id)
{
	int i = COUNT_BELOW(s->v, s->cnt, id, id);

	return i < s->cnt && s->v[i].id == id ? &s->v[i] : NULL;
}

void hold_search__found(struct hold_search *s, __u32 prog_id, const char *fmt, ...)
{
	struct hold_prog *p = hold_search__find(s, prog_id);
	va_list ap;

	if (!p || !p->open)
		return;
	p->open = false;
	if (!fmt)
		return;
	va_start(ap, fmt);
	p->by = text__vformat(fmt, ap);
	va_end(ap);
}

void hold_prog__doubt(struct hold_prog *p, const char *fmt, ...)
{
	va_list ap;

	if (!p->open || p->why)
		return;
	va_start(ap, fmt);
	p->why = text__vformat(fmt, ap);
	va_end(ap);
}

void hold_search__doubt(struct hold_search *s, enum bpf_prog_type type, const char *fmt, ...)
{
	va_list ap;
	char *why;

	va_start(ap, fmt);
	why = text__vformat(fmt, ap);
	va_end(ap);
	for (int i = 0; i < s->cnt; i++)
		if (!type || s->v[i].type == type)
			hold_prog__doubt(&s->v[i], "%s", why);
	free(why);
}

bool hold_search__wants(const struct hold_search *s, enum bpf_prog_type type)
{
	for (int i = 0; i < s->cnt; i++)
		if (s->v[i].open && (!type || s->v[i].type == type))
			return true;
	return false;
}

static int add_hold_prog(__u32 id, void *arg)
{
	struct hold_search *s = arg;
	struct hold_prog *new;
	struct prog *p;
	int err = prog__open_id(id, &p);

	if (err)
		return err == -ENOENT ? 0 : err; /* unloaded after its id was read */
	new = array__add(&s->v, &s->cnt, sizeof(*new));
	new->id = id;
	new->type = p->info.type;
	new->btf_id = p->info.btf_id;
	new->attach_btf_obj_id = p->info.attach_btf_obj_id;
	snprintf(new->name, sizeof(new->name), "%s", p->info.name);
	new->own = prog__is_own(p);
	new->open = !new->own;
	new->memory = open_file__number(0, p->fd, "memlock:");
	prog__close(p);
	return 0;
}

/* ---- what cannot be searched ---- */

/* Program types that can be in places whose programs the kernel does not report. */
static const struct {
	enum bpf_prog_type type;
	const char *why;
} blind[] = {
	{BPF_PROG_TYPE_SOCKET_FILTER, "a socket, a tun device or a rule of iptables may hold it; "
				      "the kernel does not report that"},
	{BPF_PROG_TYPE_SK_REUSEPORT, "sockets may hold it; the kernel does not report that"},
	{BPF_PROG_TYPE_LWT_IN, "a route may hold it; the kernel does not report that"},
	{BPF_PROG_TYPE_LWT_OUT, "a route may hold it; the kernel does not report that"},
	{BPF_PROG_TYPE_LWT_XMIT, "a route may hold it; the kernel does not report that"},
	{BPF_PROG_TYPE_LWT_SEG6LOCAL, "a route may hold it; the kernel does not report that"},
	{BPF_PROG_TYPE_LIRC_MODE2, "an infrared device may hold it; bprof does not ask them"},
};

static void doubt_blind(struct hold_search *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(blind); i++)
		hold_search__doubt(s, blind[i].type, "%s", blind[i].why);
	/* Programs of a type newer than this build may be attached in ways unknown to bprof. */
	for (int i = 0; i < s->cnt; i++)
		if (!prog_type__is_known(s->v[i].type))
			hold_search__doubt(s, s->v[i].type, "this bprof does not know its type");
	if (!is_in_initial_cgroup_ns())
		for (enum bpf_prog_type t = 1; t <= PROG_TYPE_MAX; t++)
			if (attachments__sources(t) & ATTACH_CGROUP)
				hold_search__doubt(s, t,
						   "bprof is in a cgroup namespace: it "
						   "does not see all cgroups");
}

/* ---- processes and attachments ---- */

static void search_holders(struct hold_search *s, const struct holders *h)
{
	for (int i = 0; i < h->cnt; i++)
		hold_search__found(s, h->v[i].prog_id, NULL);
	if (h->iterated)
		return;
	if (!is_in_initial_pid_ns())
		hold_search__doubt(s, 0,
				   "bprof is in a pid namespace: it does not see all processes");
	if (h->refused)
		hold_search__doubt(s, 0, "the open files of %d processes cannot be seen",
				   h->refused);
	hold_search__doubt(
		s, BPF_PROG_TYPE_PERF_EVENT,
		"without the kernel's iterator over open files, perf events are not seen");
}

static void search_attachments(struct hold_search *s, const struct attachments *a)
{
	for (int i = 0; i < a->cnt; i++)
		hold_search__found(s, a->v[i].prog_id, NULL);
}

/*
 * Searches this network namespace for attachments. Searches only the places for types of programs
 * that have no known holder yet.
 */
static void search_own_netns(struct hold_search *s)
{
	struct attachments a;
	unsigned int sources = ATTACH_NETNS;

	for (int i = 0; i < s->cnt; i++)
		if (s->v[i].open)
			sources |= attachments__sources(s->v[i].type);
	/* ATTACH_PERF is not needed: open files have been searched for holders. */
	attachments__load_ids(&a, sources & ~ATTACH_PERF);
	search_attachments(s, &a);
	attachments__free(&a);
}

/* ---- the search ---- */

/*
 * Searches the processes first, and once more at the end. Otherwise a program would seem to be
 * unheld if, during the search, a process opened it through its only pin and then removed the pin.
 */
static void search_for_holders(struct hold_search *s, struct holder_source *source)
{
	static void (*const places[])(struct hold_search * s) = {
		search_own_netns, hold_search__links, hold_search__namespaces, hold_search__maps};
	struct holders h;

	for (int last = 0; last < 2 && hold_search__wants(s, 0); last++) {
		holders__load_from(source, &h, iter_run__explain);
		search_holders(s, &h);
		holders__free(&h);
		for (size_t i = 0; !last && i < ARRAY_SIZE(places) && hold_search__wants(s, 0); i++)
			places[i](s);
	}
	doubt_blind(s);
}

/*
 * In ms. When a process that has traced with a program ends, the kernel unloads the program only a
 * moment later. So a program without a holder counts as unheld only if it is still loaded after
 * this time.
 */
#define SETTLE_MS 200

/* Removes programs unloaded during the search. If some seem unheld, first waits for settle_ms. */
static void check_loaded(struct hold_search *s, int settle_ms)
{
	bool unheld = false;

	for (int i = 0; i < s->cnt; i++)
		unheld |= s->v[i].open && !s->v[i].why;
	if (unheld)
		usleep(settle_ms * 1000);
	for (int i = 0; i < s->cnt; i++) {
		int fd = s->v[i].open ? bpf_prog_get_fd_by_id(s->v[i].id) : -1;

		s->v[i].open = fd >= 0;
		close_fd(&fd);
	}
}

static int find_holds(struct holds *h, const struct attachments *attached,
		      const struct holders *holders, struct holder_source *source, int settle_ms)
{
	struct hold_search s = {};
	int err = prog__for_each_id(add_hold_prog, &s);

	*h = (struct holds){};
	if (!err) {
		for (int i = 0; holders && i < holders->cnt; i++)
			hold_search__found(&s, holders->v[i].prog_id, NULL);
		if (attached)
			search_attachments(&s, attached);
		search_for_holders(&s, source);
		check_loaded(&s, settle_ms);
	}
	for (int i = 0; i < s.cnt; i++) {
		const struct hold_prog *p = &s.v[i];
		struct hold *new;

		if (!err && (p->open || p->by)) {
			new = array__add(&h->v, &h->cnt, sizeof(*new));
			new->prog_id = p->id;
			new->type = p->type;
			memcpy(new->name, p->name, sizeof(new->name));
			new->memory = p->memory;
			new->state = p->by ? HOLD_OTHER : p->why ? HOLD_UNKNOWN : HOLD_UNHELD;
			new->text = text__dup(p->by ?: p->why);
		}
		free(p->by);
		free(p->why);
	}
	free(s.v);
	return err;
}

int holds__load(struct holds *h, const struct attachments *attached, const struct holders *holders)
{
	struct holder_source source = {};
	int err = find_holds(h, attached, holders, &source, SETTLE_MS);

	holder_source__close(&source);
	return err;
}

int holds__load_from(struct holds *h, struct holder_source *source)
{
	return find_holds(h, NULL, NULL, source, 0);
}

void holds__free(struct holds *h)
{
	for (int i = 0; i < h->cnt; i++)
		free(h->v[i].text);
	free(h->v);
	*h = (struct holds){};
}

const struct hold *holds__of(const struct holds *h, __u32 prog_id)
{
	int i = COUNT_BELOW(h->v, h->cnt, prog_id, prog_id);

	return i < h->cnt && h->v[i].prog_id == prog_id ? &h->v[i] : NULL;
}

int holds__count(const struct holds *h, enum hold_state state, __u64 *memory)
{
	int cnt = 0;

	*memory = 0;
	for (int i = 0; i < h->cnt; i++)
		if (h->v[i].state == state) {
			*memory += h->v[i].memory;
			cnt++;
		}
	return cnt;
}
