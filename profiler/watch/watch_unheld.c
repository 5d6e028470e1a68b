// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reports unheld programs, which are programs that nothing holds (target/holds.h). Owns the lists
 * of programs that were unheld in the last check, and of those that were reported. Must not know
 * how a program is judged (target/holds.c) or what a line looks like.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/id_map.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "target/holds.h"
#include "watch/watch_unheld.h"

struct watch_unheld {
	prog_change_fn fn;
	void *arg;
	struct holder_source source;
	struct id_map last; /* the programs that were unheld in the last check */
	struct id_map
		reported; /* those for which fn was called, and that were not held since then */
};

struct watch_unheld *watch_unheld__new(prog_change_fn fn, void *arg)
{
	struct watch_unheld *u = xcalloc(1, sizeof(*u));

	u->fn = fn;
	u->arg = arg;
	return u;
}

void watch_unheld__free(struct watch_unheld *u)
{
	if (!u)
		return;
	holder_source__close(&u->source);
	id_map__free(&u->last);
	id_map__free(&u->reported);
	free(u);
}

static int report_unheld(struct watch_unheld *u, const struct hold *hold)
{
	struct prog_change change = {
		.kind = PROG_UNHELD,
		.time_ns = now_ns(),
		.cpu = -1,
		.id = hold->prog_id,
		.type = hold->type,
		.comm = "",
	};
	struct timespec now;
	struct reason ignored;
	struct prog *p;
	char tag[17];
	int err = prog__open_id(hold->prog_id, &p);

	if (err)
		return err == -ENOENT ? 0 : err; /* the program was unloaded meanwhile */
	clock_gettime(CLOCK_REALTIME, &now);
	change.clock_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
	/* The full name of the program is that of its first function. */
	prog__load_funcs(p, &ignored);
	change.name = prog__name(p);
	change.tag = prog__tag(p, tag);
	change.xlated_bytes = p->info.xlated_prog_len;
	change.jited_bytes = p->info.jited_prog_len;
	err = u->fn(&change, u->arg);
	prog__close(p);
	return err;
}

/*
 * Reports programs that are unheld now. Unless at_once is set, they must also have been unheld in
 * the last check.
 */
static int compare_looks(struct watch_unheld *u, const struct holds *h, bool at_once)
{
	struct id_map now = {}, reported = {};
	int err = 0;

	for (int i = 0; i < h->cnt && !err; i++) {
		__u32 id = h->v[i].prog_id;
		bool is_unheld = h->v[i].state == HOLD_UNHELD;

		if (is_unheld)
			id_map__set(&now, id, 1);
		if (h->v[i].state != HOLD_OTHER && id_map__get(&u->reported, id) >= 0) {
			id_map__set(&reported, id, 1);
		} else if (is_unheld && (at_once || id_map__get(&u->last, id) >= 0)) {
			id_map__set(&reported, id, 1);
			err = report_unheld(u, &h->v[i]);
		}
	}
	id_map__free(&u->last);
	id_map__free(&u->reported);
	u->last = now;
	u->reported = reported;
	return err;
}

static int log_hold_error(int err)
{
	return log_err(err, "cannot find out what holds the programs: %s", strerror(-err));
}

int watch_unheld__look(struct watch_unheld *u)
{
	struct holds h;
	int err = holds__load_from(&h, &u->source);

	err = err ? log_hold_error(err) : compare_looks(u, &h, false);
	holds__free(&h);
	return err;
}

int watch_unheld__end(struct watch_unheld *u)
{
	struct holds h;
	int err = holds__load(&h, NULL, NULL), cnt, unknown;
	__u64 memory, ignored;

	err = err ? log_hold_error(err) : compare_looks(u, &h, true);
	cnt = holds__count(&h, HOLD_UNHELD, &memory);
	unknown = holds__count(&h, HOLD_UNKNOWN, &ignored);
	if (!err)
		log_note("%d program%s unheld at the end, with %llu bytes without maps; %d not "
			 "known",
			 cnt, cnt == 1 ? " is" : "s are", memory, unknown);
	holds__free(&h);
	return err;
}
