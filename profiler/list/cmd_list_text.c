// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints bprof list as a table, with a row for each program. Owns the columns; must not know how
 * the list was made.
 */
#include <stdio.h>

#include "base/log.h"
#include "base/table.h"
#include "base/util.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "host/holders.h"
#include "list/cmd_list.h"
#include "target/attachments.h"
#include "target/prog_maps.h"

/* Adds the cells MEMORY, MAPS, MAP MEMORY, METADATA ("version=1.2 build=7") and PINNED. */
static void add_map_cells(struct table *t, const struct listed *item)
{
	const struct prog_maps *maps = &item->maps;
	const struct metadata_list *list = &maps->metadata;
	char metadata[200] = "", others[16] = "";
	size_t len = 0;

	for (int i = 0; i < list->cnt && len < sizeof(metadata); i++)
		len += snprintf(metadata + len, sizeof(metadata) - len, "%s%s=%s", i ? " " : "",
				list->v[i].name, list->v[i].value);
	if (item->pin_cnt > 1)
		snprintf(others, sizeof(others), " +%d", item->pin_cnt - 1);
	table__add_count(t, maps->prog_memory, TABLE_PLAIN);
	table__add_count(t, maps->cnt, TABLE_PLAIN);
	table__add_count(t, prog_maps__memory(maps), TABLE_PLAIN);
	table__add_cell(t, TABLE_PLAIN, "%s", metadata);
	table__add_cell(t, TABLE_PLAIN, "%s%s", item->pin_cnt ? item->pins[0] : "", others);
}

/* Adds the cell HELD BY. */
static void add_held_by(struct table *t, const struct list *l, __u32 id)
{
	const struct hold *hold = holds__of(&l->holds, id);
	const struct holder *holder;
	char held[64];
	int cnt;

	holder = holders__of(&l->holders, id, &cnt);
	if (!hold)
		table__add_cell(t, TABLE_PLAIN, "%s",
				holders__format(holder, cnt, 1, held, sizeof(held)));
	else if (hold->state == HOLD_OTHER)
		table__add_cell(t, TABLE_PLAIN, "%s", hold->text);
	else
		table__add_cell(t, hold->state == HOLD_UNHELD ? TABLE_YELLOW : TABLE_DIM, "%s",
				hold->state == HOLD_UNHELD ? "unheld" : "not known");
}

/* csv: the output is for programs, so names are not indented and times are in UTC. */
static void add_listed_row(struct table *t, const struct list *l, const struct listed *item,
			   bool csv)
{
	const struct prog *p = item->prog;
	const char *method = listed__method(l, item);
	char tag[17], loaded[64], attached[2200];

	attachments__describe(&l->attachments, p->info.id, attached, sizeof(attached));
	table__add_row(t);
	table__add_cell(t, TABLE_PLAIN, "%u", p->info.id);
	table__add_cell(t, TABLE_PLAIN, "%s", prog_type__name(p->info.type));
	table__add_cell(t, TABLE_PLAIN, "%s%s", item->nested && !csv ? "  " : "", prog__name(p));
	table__add_cell(t, TABLE_PLAIN, "%s", prog__tag(p, tag));
	table__add_count(t, p->info.xlated_prog_len, TABLE_PLAIN);
	table__add_count(t, p->info.jited_prog_len, TABLE_PLAIN);
	table__add_cell(t, TABLE_PLAIN, "%s",
			list__format_loaded(l, p, csv, loaded, sizeof(loaded)));
	if (item->reason.code == REASON_NONE)
		table__add_cell(t, TABLE_PLAIN, "%s", method);
	else
		table__add_cell(t, TABLE_DIM, "%s (%s)", method ?: "none",
				reason__spec(item->reason.code)->name);
	if (l->measured) {
		table__add_rate(t, "", item->runs_per_s);
		table__add_rate(t, "", 100 * item->cpu_share);
	}
	if (l->with_maps)
		add_map_cells(t, item);
	add_held_by(t, l, p->info.id);
	table__add_cell(t, TABLE_PLAIN, "%s", attached);
}

/* Returns the table, which the caller frees. */
static struct table *make_table(const struct list *l, bool csv)
{
	static const struct table_col first[] = {
		RIGHT_COL("ID"),
		LEFT_COL("TYPE", .min_width = 9),
		LEFT_COL("NAME", .min_width = 15),
		LEFT_COL("TAG", .drop_order = 1),
		RIGHT_COL("XLATED", .drop_order = 2),
		RIGHT_COL("JITED", .drop_order = 3),
		LEFT_COL("LOADED", .drop_order = 4),
		LEFT_COL("METHOD"),
	};
	static const struct table_col of_runs[] = {
		RIGHT_COL("RUNS/S"),
		RIGHT_COL("CPU%"),
	};
	static const struct table_col of_maps[] = {
		RIGHT_COL("MEMORY", .drop_order = 6),
		RIGHT_COL("MAPS", .drop_order = 7),
		RIGHT_COL("MAP MEMORY", .drop_order = 8),
		LEFT_COL("METADATA", .drop_order = 10, .min_width = 16),
		LEFT_COL("PINNED", .drop_order = 9),
	};
	static const struct table_col last[] = {
		LEFT_COL("HELD BY", .drop_order = 5),
		LEFT_COL("ATTACHED", .min_width = 16, .folds = true),
	};
	struct table *t = table__new();

	table__add_cols(t, first, ARRAY_SIZE(first));
	if (l->measured)
		table__add_cols(t, of_runs, ARRAY_SIZE(of_runs));
	if (l->with_maps)
		table__add_cols(t, of_maps, ARRAY_SIZE(of_maps));
	table__add_cols(t, last, ARRAY_SIZE(last));
	for (int i = 0; i < l->cnt; i++)
		add_listed_row(t, l, &l->v[i], csv);
	return t;
}

void list__print_text(const struct list *l, FILE *out)
{
	const struct screen screen = screen__of(out);
	struct table *t = make_table(l, false);
	__u64 memory;
	int unheld = holds__count(&l->holds, HOLD_UNHELD, &memory);
	char why[400];

	table__print(t, out, true, &screen);
	table__free(t);
	if (unheld)
		log_note("%d loaded program%s unheld, with %llu bytes without maps: bprof sees no "
			 "process, pin or attachment that holds %s",
			 unheld, unheld == 1 ? " is" : "s are", memory,
			 unheld == 1 ? "it" : "them");
	if (l->jit.limit)
		log_note("the kernel's JIT uses %s%llu of %llu bytes (%.1f%% of "
			 "net.core.bpf_jit_limit)",
			 l->jit.exact ? "" : "at least ", l->jit.used, l->jit.limit,
			 100.0 * l->jit.used / l->jit.limit);
	if (l->machine.code != REASON_NONE)
		log_warn("fentry does not work here, not even for an empty program: it %s; "
			 "'bprof doctor' says more",
			 reason__describe(&l->machine, why, sizeof(why)));
}

void list__print_csv(const struct list *l, const struct csv_style *style, FILE *out)
{
	struct table *t = make_table(l, true);

	table__print_csv(t, style, out);
	table__free(t);
}
