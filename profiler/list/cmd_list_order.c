// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Sorts the programs that bprof list shows, and handles --top and --active. Measures with run_stats
 * which programs run. Owns the columns of --sort; must not know how the list is printed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/counter.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/row_groups.h"
#include "base/util.h"
#include "list/cmd_list.h"
#include "run/order_opts.h"

/* For how long the runs of the programs are counted. */
#define MEASURE_MS 500

static double key_id(const struct listed *item)
{
	return -(double)item->prog->info.id; /* ascending, unlike the order of other columns */
}

static double key_xlated(const struct listed *item)
{
	return item->prog->info.xlated_prog_len;
}

static double key_jited(const struct listed *item)
{
	return item->prog->info.jited_prog_len;
}

static double key_loaded(const struct listed *item)
{
	return item->prog->info.load_time;
}

static double key_rate(const struct listed *item)
{
	return item->runs_per_s;
}

static double key_share(const struct listed *item)
{
	return item->cpu_share;
}

static const char *text_type(const struct listed *item)
{
	return prog_type__name(item->prog->info.type);
}

static const char *text_name(const struct listed *item)
{
	return prog__name(item->prog);
}

static const struct {
	const char *name;
	double (*key)(const struct listed *item);
	const char *(*text)(const struct listed *item);
	bool measured; /* the values of the column are known only after measuring */
} columns[] = {
	{"id", key_id, NULL, false},	   {"type", NULL, text_type, false},
	{"name", NULL, text_name, false},  {"xlated", key_xlated, NULL, false},
	{"jited", key_jited, NULL, false}, {"loaded", key_loaded, NULL, false},
	{"runs/s", key_rate, NULL, true},  {"cpu%", key_share, NULL, true},
};

const char *list_order__column(int i)
{
	return i < (int)ARRAY_SIZE(columns) ? columns[i].name : NULL;
}

/* ---- measuring ---- */

/*
 * Reads the run count and the run time of each program. Sets runs_per_s and cpu_share from their
 * growth since the last call, elapsed_ns ago; to NaN if elapsed_ns is 0.
 */
static void read_runs(struct list *l, __u64 elapsed_ns)
{
	for (int i = 0; i < l->cnt; i++) {
		struct listed *item = &l->v[i];
		const struct bpf_prog_info *info = &item->prog->info;
		__u64 cnt = info->run_cnt, time_ns = info->run_time_ns;

		item->runs_per_s = item->cpu_share = NAN;
		if (prog__refresh(item->prog) || !elapsed_ns)
			continue;
		item->runs_per_s = (info->run_cnt - cnt) / (elapsed_ns / 1e9);
		item->cpu_share = (double)(info->run_time_ns - time_ns) / elapsed_ns;
	}
}

/* Counts the runs of all programs for a moment. Returns 0 or -errno (reported). */
static int count_listed_runs(struct list *l)
{
	struct reason reason;
	int fd = run_stats__enable(&reason);
	char why[400];
	__u64 start;

	if (fd < 0)
		return log_err(fd, "cannot count the runs of programs (--active, --sort): %s",
			       reason__describe(&reason, why, sizeof(why)));
	read_runs(l, 0);
	start = now_ns();
	usleep(MEASURE_MS * 1000);
	read_runs(l, now_ns() - start);
	close(fd);
	l->measured = true;
	return 0;
}

/* ---- order ---- */

/* A group is a program and the extensions below it. */
static bool is_not_nested(const void *list, int i)
{
	return !((const struct list *)list)->v[i].nested;
}

static bool ran_while_counted(const void *list, int i)
{
	return ((const struct list *)list)->v[i].runs_per_s > 0;
}

/* Replaces l->v by the programs of the first groups. */
static void select_groups(struct list *l, const struct row_group *group, int cnt)
{
	struct listed *v = xcalloc(l->cnt, sizeof(*v));
	int kept = 0;

	for (int i = 0; i < cnt; i++)
		for (int k = group[i].first; k < group[i].first + group[i].cnt; k++) {
			v[kept++] = l->v[k];
			l->v[k] = (struct listed){};
		}
	for (int i = 0; i < l->cnt; i++)
		listed__free(&l->v[i]);
	free(l->v);
	l->v = v;
	l->cnt = kept;
}

int list__order(struct list *l, const struct order_opts *o)
{
	const char *name = o->sort ?: o->active ? "cpu%" : "id";
	struct row_group *group;
	int cnt, err, column = 0;

	while (strcasecmp(columns[column].name, name))
		column++;
	err = o->active || columns[column].measured ? count_listed_runs(l) : 0;
	if (err)
		return err;
	cnt = row_groups__make(l, l->cnt, is_not_nested, &group);
	if (o->active)
		cnt = row_groups__drop_idle(l, ran_while_counted, group, cnt);
	for (int i = 0; i < cnt; i++) {
		const struct listed *item = &l->v[group[i].first];

		if (columns[column].text)
			group[i].text = columns[column].text(item);
		else
			group[i].key[0] = columns[column].key(item);
	}
	row_groups__sort(group, cnt, false);
	select_groups(l, group, o->top && o->top < (__u64)cnt ? (int)o->top : cnt);
	free(group);
	return 0;
}
