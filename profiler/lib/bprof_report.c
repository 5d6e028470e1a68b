// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Implements the reports of bprof.h: accessors, reading, rendering. Owns no data: a pointer to a
 * public type is a pointer to a struct of the report model. Must not know sessions, or what an
 * output looks like.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "formats/formats.h"
#include "lib/bprof_model.h"
#include "lib/bprof_priv.h"

/*
 * Defines a function that converts a pointer to a public type to a pointer to the struct of the
 * report model.
 */
#define DEFINE_VIEW(public_type, model_type, name)                        \
	static const struct model_type *name(const struct public_type *p) \
	{                                                                 \
		return (const struct model_type *)p;                      \
	}

DEFINE_VIEW(bprof_report, report, model)
DEFINE_VIEW(bprof_program, report_prog, prog)
DEFINE_VIEW(bprof_event, report_event, event)
DEFINE_VIEW(bprof_skip, report_skip, skipped)

/* ---- reading ---- */

/* Reads a report from a stream. name is the name of the file in error messages. */
static int read_report(FILE *in, const char *name, struct report **out, struct bprof_error *error)
{
	struct bprof_call call = {.error = error};
	struct report_error rerr = {};
	int err;

	bprof_call__begin(&call, BPROF_LOG_ERROR);
	err = report__read_all(in, out, &rerr);
	report_error__report(err, name, "'bprof stat -j -o FILE' writes a report", &rerr);
	return bprof_call__end(&call, err);
}

int bprof_report_read(FILE *in, struct bprof_report **out, struct bprof_error *error)
{
	return read_report(in, "input", (struct report **)out, error);
}

int bprof_report_read_path(const char *path, struct bprof_report **out, struct bprof_error *error)
{
	FILE *in = fopen(path, "re");
	int err = -errno;

	*out = NULL;
	if (!in)
		return bprof_error__set(error, err, err == -ENOENT ? "argument" : "other", "%s: %s",
					path, strerror(-err));
	err = read_report(in, path, (struct report **)out, error);
	fclose(in);
	return err;
}

void bprof_report_free(struct bprof_report *r)
{
	report__free((struct report *)r);
}

/* ---- a report ---- */

const char *bprof_report_version(const struct bprof_report *r)
{
	return model(r)->version ?: "";
}

const char *bprof_report_kernel(const struct bprof_report *r)
{
	return model(r)->host.kernel ?: "";
}

const char *bprof_report_arch(const struct bprof_report *r)
{
	return model(r)->host.arch ?: "";
}

const char *bprof_report_cpu_model(const struct bprof_report *r)
{
	return model(r)->host.cpu_model ?: "";
}

int bprof_report_cpus(const struct bprof_report *r)
{
	return model(r)->host.cpus;
}

uint64_t bprof_report_started_ns(const struct bprof_report *r)
{
	const struct timespec *at = &model(r)->started;

	return at->tv_sec * 1000000000ULL + at->tv_nsec;
}

uint64_t bprof_report_elapsed_ns(const struct bprof_report *r)
{
	return model(r)->elapsed_ns;
}

bool bprof_report_is_calibrated(const struct bprof_report *r)
{
	return model(r)->calibrated;
}

int bprof_report_program_count(const struct bprof_report *r)
{
	return model(r)->prog_cnt;
}

const struct bprof_program *bprof_report_program(const struct bprof_report *r, int i)
{
	if (i < 0 || i >= model(r)->prog_cnt)
		return NULL;
	return (const struct bprof_program *)&model(r)->prog[i];
}

int bprof_report_skip_count(const struct bprof_report *r)
{
	return model(r)->skip_cnt;
}

const struct bprof_skip *bprof_report_skip(const struct bprof_report *r, int i)
{
	if (i < 0 || i >= model(r)->skip_cnt)
		return NULL;
	return (const struct bprof_skip *)&model(r)->skip[i];
}

/* ---- a program ---- */

uint32_t bprof_program_id(const struct bprof_program *p)
{
	return prog(p)->id;
}

const char *bprof_program_name(const struct bprof_program *p)
{
	return prog(p)->name ?: "";
}

const char *bprof_program_func(const struct bprof_program *p)
{
	return prog(p)->func ?: "";
}

const char *bprof_program_type(const struct bprof_program *p)
{
	return prog(p)->type ?: "";
}

const char *bprof_program_tag(const struct bprof_program *p)
{
	return prog(p)->tag;
}

const char *bprof_program_input(const struct bprof_program *p)
{
	return prog(p)->input;
}

double bprof_program_retval(const struct bprof_program *p)
{
	return prog(p)->retval;
}

const char *bprof_program_retval_name(const struct bprof_program *p, char *buf, size_t sz)
{
	char name[RETURNS_SZ];

	if (!prog(p)->by_retval)
		return NULL;
	snprintf(buf, sz, "%s", report_prog__returns(prog(p), name));
	return buf;
}

const char *bprof_program_method(const struct bprof_program *p)
{
	return prog(p)->method ?: "";
}

uint64_t bprof_program_runs(const struct bprof_program *p)
{
	return prog(p)->all.runs;
}

uint64_t bprof_program_measured(const struct bprof_program *p)
{
	return prog(p)->all.measured;
}

uint64_t bprof_program_lost(const struct bprof_program *p, const char *cause)
{
	if (!cause)
		return report_row__lost(&prog(p)->all);
	for (int i = 0; i < LOST_CNT; i++)
		if (!strcmp(lost_specs[i].name, cause))
			return prog(p)->all.lost[i];
	return 0;
}

const char *bprof_lost_name(int i)
{
	return i >= 0 && i < LOST_CNT ? lost_specs[i].name : NULL;
}

const char *bprof_program_note(const struct bprof_program *p, int i)
{
	const struct report_notes *notes = &prog(p)->notes;

	return i >= 0 && i < notes->cnt ? notes->text[i] : NULL;
}

int bprof_program_event_count(const struct bprof_program *p)
{
	return prog(p)->all.event_cnt;
}

const struct bprof_event *bprof_program_event(const struct bprof_program *p, int i)
{
	if (i < 0 || i >= prog(p)->all.event_cnt)
		return NULL;
	return (const struct bprof_event *)&prog(p)->all.event[i];
}

const struct bprof_event *bprof_program_find_event(const struct bprof_program *p, const char *name)
{
	return (const struct bprof_event *)report_row__find_event(&prog(p)->all, name, 0);
}

/* ---- an event ---- */

const char *bprof_event_name(const struct bprof_event *ev)
{
	return event(ev)->name ?: "";
}

const char *bprof_event_unit(const struct bprof_event *ev)
{
	return event(ev)->unit ?: "";
}

const char *bprof_event_status(const struct bprof_event *ev)
{
	return event_status_specs[event(ev)->status].name;
}

const char *bprof_event_detail(const struct bprof_event *ev)
{
	return event(ev)->detail;
}

uint64_t bprof_event_measured(const struct bprof_event *ev)
{
	return event(ev)->measured;
}

double bprof_event_total(const struct bprof_event *ev)
{
	return event(ev)->total;
}

double bprof_event_stat(const struct bprof_event *ev, const char *stat)
{
	for (int i = 0; i < STAT_CNT; i++)
		if (!strcmp(stat_specs[i].name, stat))
			return event(ev)->stat[i];
	return NAN;
}

const char *bprof_stat_name(int i)
{
	return i >= 0 && i < STAT_CNT ? stat_specs[i].name : NULL;
}

double bprof_event_bias(const struct bprof_event *ev)
{
	return event(ev)->bias;
}

double bprof_event_bias_stddev(const struct bprof_event *ev)
{
	return event(ev)->bias_stddev;
}

double bprof_event_bias_uncertainty(const struct bprof_event *ev)
{
	return isnan(event(ev)->bias) ? NAN : event(ev)->bias_uncertainty;
}

/* ---- a skipped program ---- */

uint32_t bprof_skip_id(const struct bprof_skip *skip)
{
	return skipped(skip)->id;
}

const char *bprof_skip_name(const struct bprof_skip *skip)
{
	return skipped(skip)->name ?: "";
}

const char *bprof_skip_reason(const struct bprof_skip *skip)
{
	return skipped(skip)->reason ?: "";
}

const char *bprof_skip_detail(const struct bprof_skip *skip)
{
	return skipped(skip)->detail ?: "";
}

/* ---- rendering ---- */

int bprof_render_opts__read(struct bprof_render_opts *to, const struct bprof_render_opts *opts,
			    struct bprof_error *error)
{
	const uint64_t flags = BPROF_RENDER_COLOR | BPROF_RENDER_VERBOSE | BPROF_RENDER_PER_CPU |
			       BPROF_RENDER_LINE;

	int err = bprof_opts__copy(to, sizeof(*to), BPROF_OPTS_SZ(render, new_name), opts, error)
			  ?: bprof_opts__check_flags(to->flags, flags, error);
	const char *why = err || !to->separator ? NULL : report_csv__check_sep(to->separator);

	return why ? bprof_error__set(error, -EINVAL, "argument", "separator: %s", why) : err;
}

int bprof_format__find(unsigned int documents, const char *name, const struct format **out,
		       struct bprof_error *error)
{
	const struct format *f;
	char list[128] = "";

	for (int i = 0; (f = formats__next(documents, i)); i++) {
		size_t len = strlen(list);

		*out = f;
		if (!strcmp(f->name, name))
			return 0;
		snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "", f->name);
	}
	return bprof_error__set(error, -EINVAL, "argument", "format '%s': give one of %s", name,
				list);
}

int bprof_report_render(const struct bprof_report *r, const char *format,
			const struct bprof_render_opts *opts, FILE *out, struct bprof_error *error)
{
	struct bprof_call call = {.error = error};
	struct bprof_render_opts o;
	struct render_opts render;
	const struct format *f;
	bool scopes = model(r)->of_scopes || model(r)->scope_cnt;
	int err = bprof_format__find(scopes ? DOC_SCOPES : DOC_PROGRAMS, format, &f, error)
			  ?: bprof_render_opts__read(&o, opts, error);

	if (err)
		return err;
	render = (struct render_opts){
		.sep = o.separator ?: ",",
		.screen = {.width = o.width, .color = o.flags & BPROF_RENDER_COLOR},
		.per_cpu = o.flags & BPROF_RENDER_PER_CPU,
		.one_line = o.flags & BPROF_RENDER_LINE,
		.verbose = !!(o.flags & BPROF_RENDER_VERBOSE),
		.header = true,
	};
	bprof_call__begin(&call, BPROF_LOG_ERROR);
	return bprof_call__end(&call, report__render(model(r), f->report, &render, out));
}
