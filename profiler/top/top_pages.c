// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The pages of bprof top about one program. Owns what is opened and closed with a page: a
 * measurement of the program's functions, or samples of its code. Must not know keys or a terminal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "btf/reason.h"
#include "host/holders.h"
#include "kernel/iter_run.h"
#include "render/render.h"
#include "report/report.h"
#include "result/result.h"
#include "run/live.h"
#include "run/overhead_opts.h"
#include "run/prog_counting.h"
#include "run/recording.h"
#include "sampling/annotate.h"
#include "sampling/sample_events.h"
#include "session/follow.h"
#include "session/session.h"
#include "target/attachments.h"
#include "target/prog_maps.h"
#include "top/top_pages.h"

struct top_pages {
	const struct top_pages_source *source;
	enum top_page page;
	__u32 id;
	char *surroundings; /* TOP_DETAIL: attachments, holders and maps, as text */
	/*
	 * TOP_TREE, TOP_CALLS: the measurement of functions, which replaces the list's measurement
	 * of the program.
	 */
	struct target_opts targets;
	struct loop_opts loop; /* must be set, but is not used */
	struct backend_opts session;
	struct prog_counting counting;
	void *first; /* snapshot at the start of counting */
	bool detached;
	/* TOP_ANNOTATE */
	struct record_opts record;
	struct recording *recording;
};

struct top_pages *top_pages__new(const struct top_pages_source *source)
{
	struct top_pages *p = xcalloc(1, sizeof(*p));

	p->source = source;
	return p;
}

/* Selects the functions of the program that match func. func is NULL: selects the entry function. */
static void select_program(struct target_opts *targets, __u32 id, const char *func)
{
	targets->func = func;
	selector_list__add_id(&targets->selectors, id);
}

/* ---- detail: one program of the main measurement ---- */

static void print_item(FILE *out, const char *name, const char *text)
{
	char *safe = text__printable(text);

	fprintf(out, "%-10s %s\n", name, *safe ? safe : "-");
	free(safe);
}

static void print_attachments(struct prog *p, FILE *out)
{
	struct attachments all;
	const struct attachment *at = NULL;
	char text[512];
	int cnt = 0;

	attachments__load(&all, attachments__sources(p->info.type));
	while ((at = attachments__next(&all, p->info.id, at)))
		print_item(out, cnt++ ? "" : "attached",
			   attachment__describe(at, text, sizeof(text)));
	if (!cnt)
		print_item(out, "attached", "");
	attachments__free(&all);
}

static void print_holders(struct prog *p, FILE *out)
{
	struct holders all;
	const struct holder *v;
	char text[512];
	int cnt;

	holders__load(&all, iter_run__explain);
	v = holders__of(&all, p->info.id, &cnt);
	print_item(out, "held by", holders__format(v, cnt, 16, text, sizeof(text)));
	holders__free(&all);
}

static int print_maps(struct prog *p, FILE *out)
{
	struct prog_maps maps = {};
	char number[NUMBER_SZ], text[200];
	int err = prog_maps__load(&maps, p);

	snprintf(text, sizeof(text), "%s bytes", number__group_u64(number, maps.prog_memory));
	if (!err)
		print_item(out, "memory", text);
	for (int i = 0; !err && i < maps.cnt; i++) {
		snprintf(text, sizeof(text), "%u %s (%s), %s bytes", maps.v[i].id, maps.v[i].name,
			 maps.v[i].type, number__group_u64(number, maps.v[i].memory));
		print_item(out, i ? "" : "maps", text);
	}
	for (int i = 0; !err && i < maps.metadata.cnt; i++) {
		snprintf(text, sizeof(text), "%s=%s", maps.metadata.v[i].name,
			 maps.metadata.v[i].value);
		print_item(out, i ? "" : "metadata", text);
	}
	prog_maps__free(&maps);
	return err;
}

static int print_surroundings(__u32 id, FILE *out)
{
	char text[512], tag[2 * BPF_TAG_SIZE + 1];
	struct reason reason;
	struct prog *p;
	int err = prog__open_id(id, &p);

	if (err == -ENOENT) {
		print_item(out, "state", "unloaded");
		return 0;
	}
	if (err)
		return err;
	prog__load_funcs(p, &reason); /* needed for the metadata */
	/* On a narrow screen, the table below has no room for the type. */
	snprintf(text, sizeof(text), "%s (%s, tag %s)", prog__name(p),
		 prog_type__name(p->info.type), prog__tag(p, tag));
	print_item(out, "program", text);
	print_attachments(p, out);
	print_holders(p, out);
	err = print_maps(p, out);
	prog__close(p);
	return err;
}

/* Pages are printed into memory, because the screen shows only a part of a page at a time. */
static int end_page_text(char **text, FILE *out, int err)
{
	fclose(out);
	if (!err)
		return 0;
	free(*text);
	*text = NULL;
	return log_err(err, "cannot show this page: %s", strerror(-err));
}

static int open_detail(struct top_pages *p)
{
	FILE *out;
	size_t sz;

	out = text__open(&p->surroundings, &sz);
	return end_page_text(&p->surroundings, out, print_surroundings(p->id, out));
}

static void close_detail(struct top_pages *p)
{
	free(p->surroundings);
	p->surroundings = NULL;
}

static bool wants_program(void *arg, __u32 id, const struct result_span *span)
{
	return id == *(__u32 *)arg;
}

/* Makes a report on all runs of the program since the start of bprof top. */
static int render_detail(struct top_pages *p, const void *now, const struct render_opts *o,
			 FILE *out)
{
	struct prog_counting *c = p->source->counting;
	const struct result_opts *before = c->result;
	const struct result_opts only = {.command = p->source->argv,
					 .per_cpu = true,
					 .buckets = true,
					 .wants = wants_program,
					 .arg = &p->id};
	struct report *r = NULL;
	int err;

	c->result = &only;
	err = live__report(p->source->live, NULL, now, &r);
	c->result = before;
	fprintf(out, "%s\n", p->surroundings ?: "");
	if (!err)
		report__render_text(r, o, out);
	report__free(r);
	return err;
}

/* ---- tree: a measurement of the functions ---- */

static int open_tree(struct top_pages *p)
{
	struct prog_counting_opts o = {.targets = &p->targets,
				       .events = p->source->events,
				       .cpus = p->source->cpus,
				       .session = &p->session,
				       .loop = &p->loop};
	const struct prog_counting *list = p->source->counting;
	int err;

	select_program(&p->targets, p->id, "*");
	prog_counting__set_endless(&p->targets, &p->session);
	if (p->page == TOP_CALLS) {
		p->targets.calls = "*";
		p->session.follow = p->session.others_only = false;
	}
	overhead_opts__apply(p->source->overhead, p->page == TOP_CALLS, &p->session);
	p->session.must_hold = false; /* functions that call one another take no turns */
	/* The numbers of the entry function would include the probe of the main measurement. */
	if (list->follow)
		follow__leave_alone(list->follow, p->id);
	session__detach(list->s, p->id);
	p->detached = true;
	err = prog_counting__open(&o, &p->counting);
	if (err)
		return err;
	if (p->page == TOP_CALLS)
		session__add_foreign_probes(list->s, p->counting.s);
	if (!p->counting.s->targets.cnt)
		return log_err(-ENODATA, "program %u: none of its functions can be measured",
			       p->id);
	return prog_counting_ops.start(&p->counting, &p->first);
}

static void close_tree(struct top_pages *p)
{
	const struct prog_counting *list = p->source->counting;
	struct reason reason = {};

	prog_counting_ops.free(p->first);
	p->first = NULL;
	prog_counting__close(&p->counting);
	target_opts__free(&p->targets);
	p->targets = (struct target_opts){};
	if (!p->detached)
		return;
	p->detached = false;
	if (list->follow)
		follow__leave_alone(list->follow, 0);
	if (session__reattach(list->s, p->id, &reason))
		session__retire(list->s, p->id, stopwatch__elapsed_ns(&list->s->stopwatch));
}

static int render_tree(struct top_pages *p, const void *unused, const struct render_opts *o,
		       FILE *out)
{
	const struct result_opts all = {.command = p->source->argv};
	struct report *r = NULL;
	void *now = NULL;
	int err;

	p->counting.result = &all;
	err = prog_counting_ops.read(&p->counting, &now)
		      ?: prog_counting_ops.report(&p->counting, p->first, now, &r);
	prog_counting_ops.free(now);
	if (!err)
		report__render_text(r, o, out);
	report__free(r);
	return err;
}

/* ---- annotate: samples of the code ---- */

/*
 * Samples per second on each CPU, or the kernel's limit if that is lower. Fewer samples than by
 * default, because sampling goes on as long as the page is open.
 */
#define SAMPLE_FREQ 999

static int open_annotate(struct top_pages *p)
{
	__u64 max = sample_events__default_freq();

	select_program(&p->record.targets, p->id, NULL);
	p->record.freq = max < SAMPLE_FREQ ? max : SAMPLE_FREQ;
	return recording__open(&p->record, p->source->argv, &p->recording)
		       ?: recording__enable(p->recording, true);
}

static void close_annotate(struct top_pages *p)
{
	recording__close(p->recording);
	p->recording = NULL;
	record_opts__free(&p->record);
	p->record = (struct record_opts){};
}

/* Lines with a smaller share of the samples are not shown, in percent. */
#define LINE_LIMIT 0.5

static int render_annotate(struct top_pages *p, const void *unused, const struct render_opts *o,
			   FILE *out)
{
	const struct annotate_opts show = {.percent_limit = LINE_LIMIT, .screen = o->screen};
	struct annotation *a;
	const struct record *r;
	int err = recording__enable(p->recording, false) ?: recording__read(p->recording, &r);

	if (err)
		return err;
	a = annotate(r, &show);
	annotation__print_text(a, &show, out);
	annotation__free(a);
	return recording__enable(p->recording, true);
}

/* ---- all pages ---- */

static const struct {
	int (*open)(struct top_pages *p);
	void (*close)(struct top_pages *p);
	int (*render)(struct top_pages *p, const void *now, const struct render_opts *o, FILE *out);
} pages[TOP_PAGE_CNT] = {
	[TOP_DETAIL] = {open_detail, close_detail, render_detail},
	[TOP_TREE] = {open_tree, close_tree, render_tree},
	[TOP_CALLS] = {open_tree, close_tree, render_tree},
	[TOP_ANNOTATE] = {open_annotate, close_annotate, render_annotate},
};

static void close_page(struct top_pages *p)
{
	if (pages[p->page].close)
		pages[p->page].close(p);
	p->page = TOP_LIST;
}

int top_pages__open(struct top_pages *p, enum top_page page, __u32 id)
{
	int err;

	close_page(p);
	p->page = page;
	p->id = id;
	err = pages[page].open ? pages[page].open(p) : 0;
	if (err)
		close_page(p);
	return err;
}

enum top_page top_pages__page(const struct top_pages *p)
{
	return p->page;
}

int top_pages__render(struct top_pages *p, const void *now, const struct screen *screen,
		      char **text)
{
	const struct render_opts o = {.per_cpu = true, .dist = true, .screen = *screen};
	FILE *out;
	size_t sz;

	*text = NULL;
	if (!pages[p->page].render)
		return 0;
	out = text__open(text, &sz);
	return end_page_text(text, out, pages[p->page].render(p, now, &o, out));
}

int top_pages__tick(struct top_pages *p)
{
	return top_page__measures(p->page) ? prog_counting_ops.tick(&p->counting) : 0;
}

__u64 top_pages__next_tick(const struct top_pages *p)
{
	return top_page__measures(p->page) ? prog_counting_ops.next_tick(&p->counting) : 0;
}

void top_pages__free(struct top_pages *p)
{
	if (!p)
		return;
	close_page(p);
	free(p);
}
