// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The targets of each load of a bench. Owns the check that a later load has the same targets as the
 * first load. Must not know how programs are loaded or run.
 *
 * The counts of the same row are added up over all loads. Therefore, each row must be the same
 * function in all loads, measured in the same way. If a load had fewer targets, the sum would read
 * past the end of its counts. If raw and net counts, or counts of different methods, were added,
 * the sum would have no meaning.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/util.h"
#include "bench/bench.h"
#include "bench/bench_priv.h"
#include "session/session.h"

struct bench_row {
	int prog; /* index in bench->prog */
	char *func;
	bool subprog;
	const char *method;
	bool net;
};

static int find_prog_index(const struct bench *b, __u32 id)
{
	for (int i = 0; i < b->prog_cnt; i++)
		if (b->prog[i].id == id)
			return i;
	return -1;
}

static struct bench_row row_of_target(const struct bench *b, const struct target *t)
{
	return (struct bench_row){
		.prog = find_prog_index(b, t->id),
		.func = (char *)t->func,
		.subprog = t->subprog,
		.method = t->backend->ops->method,
		.net = backend__is_net(t->backend),
	};
}

/*
 * Writes "xdp_lb" or, for a function in that program, "xdp_lb:parse" to buf. find_skip_reason()
 * compares this with the names that sessions give to skipped targets. Returns buf.
 */
static const char *label_row(const struct bench *b, const struct bench_row *row, char *buf,
			     size_t sz)
{
	snprintf(buf, sz, "%s%s%s", b->prog[row->prog].name, row->subprog ? ":" : "",
		 row->subprog ? row->func : "");
	return buf;
}

/*
 * Returns why this load's session skipped the target, or NULL if the reason is not known. label may
 * name a function of the kernel that a target calls, and then also the map or the place of the
 * call. The name of a skipped target has neither, so compares only the part of label before the
 * first space.
 */
static const struct reason *find_skip_reason(const struct bench *b, __u32 id, const char *label)
{
	size_t len = strcspn(label, " ");

	for (int i = 0; i < b->s->targets.skip_cnt; i++) {
		const struct skipped *skip = &b->s->targets.skip[i];

		if (skip->id == id && strlen(skip->name) == len && !strncmp(skip->name, label, len))
			return &skip->reason;
	}
	return NULL;
}

/* Reports a target that only the first load or only this load has. Returns -ESTALE. */
static int refuse_func(const struct bench *b, const struct bench_row *row, bool is_new)
{
	const char *label, *why = "it was replaced during the measurement";
	const struct reason *reason;
	char buf[256], text[512];
	__u32 id = b->prog[row->prog].id;

	label = label_row(b, row, buf, sizeof(buf));
	if (is_new)
		return log_err(
			-ESTALE,
			"bench: program %u %s: measured in load %d, but not in the first load: "
			"the loads cannot be compared",
			id, label, b->load_cnt);
	reason = find_skip_reason(b, id, label);
	if (reason)
		why = reason__describe(reason, text, sizeof(text));
	return log_err(-ESTALE, "bench: program %u %s: cannot be measured any more in load %d: %s",
		       id, label, b->load_cnt, why);
}

static int check_same_method(const struct bench *b, const struct bench_row *first,
			     const struct target *t)
{
	const struct bench_row now = row_of_target(b, t);
	char label[256], why[512];

	label_row(b, first, label, sizeof(label));
	if (strcmp(now.method, first->method))
		return log_err(
			-ESTALE,
			"bench: program %u %s: measured by %s in load %d and by %s in the first "
			"load: %s",
			t->id, label, now.method, b->load_cnt, first->method,
			t->no_probe.code ? reason__describe(&t->no_probe, why, sizeof(why))
					 : "it can be probed now");
	if (now.net != first->net)
		return log_err(
			-ESTALE,
			"bench: program %u %s: numbers are %s in load %d and %s in the first "
			"load: calibration failed in one of them; run bench again",
			t->id, label, now.net ? "net" : "raw", b->load_cnt,
			first->net ? "net" : "raw");
	return 0;
}

/*
 * Compares the targets of this load with those of the first load. The targets have the same order
 * in both loads, so at the first difference, one of the two loads has a target that the other load
 * lacks.
 */
static int compare_loads(const struct bench *b)
{
	const struct target_list *l = &b->s->targets;
	int err = 0;

	for (int i = 0; !err && i < b->row_cnt; i++) {
		const struct bench_row *first = &b->row[i];
		struct bench_row now;

		if (i == l->cnt)
			return refuse_func(b, first, false);
		now = row_of_target(b, &l->v[i]);
		if (first->prog == now.prog && !strcmp(first->func, now.func))
			err = check_same_method(b, first, &l->v[i]);
		else
			err = refuse_func(b, l->cnt > b->row_cnt ? &now : first,
					  l->cnt > b->row_cnt);
	}
	if (!err && l->cnt > b->row_cnt) {
		struct bench_row now = row_of_target(b, &l->v[b->row_cnt]);

		err = refuse_func(b, &now, true);
	}
	return err;
}

int bench__set_session(struct bench *b, struct session *s)
{
	b->s = s;
	b->warm = false;
	/*
	 * Leave out programs that this session does not measure. Their descriptors are closed: a
	 * session closes a program's descriptor when it skips the program's last target.
	 */
	for (int i = 0; i < b->prog_cnt; i++) {
		bool has_target = false;

		for (int k = 0; k < s->targets.cnt; k++)
			has_target |= s->targets.v[k].id == b->prog[i].id;
		if (!has_target)
			b->prog[i].fd = -1;
	}
	if (b->load_cnt++)
		return compare_loads(b);
	for (int i = 0; i < s->targets.cnt; i++) {
		struct bench_row row = row_of_target(b, &s->targets.v[i]);

		row.func = xstrdup(row.func);
		*(struct bench_row *)array__add(&b->row, &b->row_cnt, sizeof(row)) = row;
	}
	return 0;
}

void bench__free_rows(struct bench *b)
{
	for (int i = 0; i < b->row_cnt; i++)
		free(b->row[i].func);
	free(b->row);
}
