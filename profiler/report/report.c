// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The report model. Owns the memory of reports, and the tables with the names of statistics, causes
 * of loss and statuses, which all renderers and the reader use; must not know what any output looks
 * like.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/stats.h"
#include "base/text.h"
#include "base/util.h"
#include "btf/retval.h"
#include "report/report.h"

const struct stat_spec stat_specs[STAT_CNT] = {REPORT_STATS(STAT_SPEC)};

const struct lost_spec lost_specs[LOST_CNT] = {
	[LOST_ENTRY] = {"entry", "exit without an entry"},
	[LOST_READ] = {"read", "counter not readable"},
	[LOST_OVERFLOW] = {"overflow", "too many in flight"},
	[LOST_RECURSION] = {"recursion", "missed by recursion"},
};

const struct event_status_spec event_status_specs[EVENT_STATUS_CNT] = {
	[EVENT_OK] = {"ok", "ok", "ok"},
	[EVENT_NOT_SUPPORTED] = {"not_supported", "not supported", "not supp."},
	[EVENT_NOT_COUNTED] = {"not_counted", "not counted", "not cnt."},
};

const struct size_spec size_specs[SIZE_CNT] = {
	[SIZE_VERIFIED_INSNS] = {"verified_insns", "VERIFIED INSNS", ""},
	[SIZE_PEAK_STATES] = {"peak_states", "PEAK STATES", "", 2},
	[SIZE_VERIFICATION] = {"verification_ns", "VERIFY", "ns", 1},
	[SIZE_XLATED] = {"xlated_bytes", "XLATED BYTES", ""},
	[SIZE_JITED] = {"jited_bytes", "JITED BYTES", ""},
	[SIZE_STACK] = {"stack_bytes", "STACK BYTES", ""},
};

bool stat__is_percentile(enum stat_id id)
{
	return stat_specs[id].quantile > 0 && stat_specs[id].quantile < 1;
}

enum stat_id stats__next(enum stat_list list, int *place)
{
	enum stat_id next = STAT_CNT;

	for (int i = 0; i < STAT_CNT; i++)
		if (stat_specs[i].place[list] > *place &&
		    (next == STAT_CNT || stat_specs[i].place[list] < stat_specs[next].place[list]))
			next = i;
	if (next < STAT_CNT)
		*place = stat_specs[next].place[list];
	return next;
}

void report__note_start(struct timespec *started)
{
	if (!started->tv_sec)
		clock_gettime(CLOCK_REALTIME, started);
}

struct report *report__new(void)
{
	struct report *r = xcalloc(1, sizeof(*r));

	r->repeats = 1;
	r->thin_period = 1;
	return r;
}

static void init_row(struct report_row *row, int cpu, bool of_scope)
{
	row->cpu = cpu;
	row->of_scope = of_scope;
	row->cpu_share = row->share_error = row->likely_runs = NAN;
}

static void free_row(struct report_row *row)
{
	for (int i = 0; i < row->event_cnt; i++) {
		free(row->event[i].name);
		free(row->event[i].base);
		free(row->event[i].unit);
		free(row->event[i].detail);
		free(row->event[i].bucket);
		free(row->event[i].change);
		free(row->event[i].estimate);
		free(row->event[i].sampled);
		if (row->event[i].verify) {
			free(row->event[i].verify->rate);
			free(row->event[i].verify->samples);
		}
		free(row->event[i].verify);
		free(row->event[i].block);
	}
	free(row->event);
}

static void free_cpus(struct report_row *cpu, int cnt)
{
	for (int i = 0; i < cnt; i++)
		free_row(&cpu[i]);
	free(cpu);
}

void report_prog__drop_cpus(struct report_prog *p)
{
	free_cpus(p->cpu, p->cpu_cnt);
	p->cpu = NULL;
	p->cpu_cnt = 0;
}

void report_notes__free(struct report_notes *notes)
{
	for (int i = 0; i < notes->cnt; i++)
		free(notes->text[i]);
	free(notes->text);
}

static void free_prog_members(struct report_prog *p)
{
	free(p->name);
	free(p->func);
	free(p->version_name);
	free(p->device);
	free(p->owner);
	free(p->hook);
	free(p->map);
	free(p->map_type);
	free(p->site);
	free(p->key_name);
	free(p->input);
	free(p->retvals);
	free(p->verification);
	free(p->type);
	report_notes__free(&p->notes);
	free_row(&p->all);
	free_cpus(p->cpu, p->cpu_cnt);
}

void report__free(struct report *r)
{
	if (!r)
		return;
	free(r->version);
	for (char **arg = r->command; arg && *arg; arg++)
		free(*arg);
	free(r->command);
	free(r->host.kernel);
	free(r->host.arch);
	free(r->host.cpu_model);
	free(r->host.newest_tested);
	for (int i = 0; i < r->prog_cnt; i++)
		free_prog_members(&r->prog[i]);
	free(r->prog);
	for (int i = 0; i < r->scope_cnt; i++) {
		struct report_scope *s = &r->scope[i];

		free(s->name);
		report_notes__free(&s->notes);
		free_row(&s->all);
		free_cpus(s->cpu, s->cpu_cnt);
	}
	free(r->scope);
	for (int i = 0; i < r->skip_cnt; i++) {
		free(r->skip[i].name);
		free(r->skip[i].detail);
	}
	free(r->skip);
	for (int i = 0; r->sampling && i < r->sampling->event_cnt; i++)
		free(r->sampling->event[i].event);
	if (r->sampling)
		free(r->sampling->event);
	free(r->sampling);
	free(r->budget);
	free(r->per);
	for (int i = 0; i < r->kept_cnt; i++)
		free(r->kept[i]);
	free(r->kept);
	free(r);
}

struct report_prog *report__add_prog(struct report *r)
{
	struct report_prog *p = array__add(&r->prog, &r->prog_cnt, sizeof(*p));

	init_row(&p->all, -1, false);
	p->calls_per_run = NAN;
	p->recursion_misses = NAN;
	p->retval = p->key_value = NAN;
	p->version.loaded_ns = p->version.attached_ns = NAN;
	p->version.missed = p->version.ended_ns = NAN;
	for (int i = 0; i < SIZE_CNT; i++)
		p->size[i] = NAN;
	return p;
}

struct report_scope *report__add_scope(struct report *r)
{
	struct report_scope *s = array__add(&r->scope, &r->scope_cnt, sizeof(*s));

	init_row(&s->all, -1, true);
	return s;
}

struct report_budget *report__add_budget(struct report *r)
{
	if (!r->budget)
		r->budget = xcalloc(1, sizeof(*r->budget));
	return r->budget;
}

struct report_sampling *report__add_sampling(struct report *r)
{
	if (!r->sampling)
		r->sampling = xcalloc(1, sizeof(*r->sampling));
	return r->sampling;
}

struct report_sampled_event *report_sampling__add_event(struct report_sampling *s)
{
	struct report_sampled_event *e = array__add(&s->event, &s->event_cnt, sizeof(*e));

	e->sum.cost_ns = NAN;
	return e;
}

struct report_skip *report__add_skip(struct report *r)
{
	return array__add(&r->skip, &r->skip_cnt, sizeof(struct report_skip));
}

struct report_skip *report__skip(struct report *r, __u32 id, const char *name, const char *reason,
				 const char *detail)
{
	struct report_skip *s = report__add_skip(r);

	s->id = id;
	s->name = xstrdup(name);
	s->reason = reason;
	s->detail = xstrdup(detail);
	return s;
}

static struct report_row *add_row_of_cpu(struct report_row **cpus, int *cnt, int cpu, bool of_scope)
{
	struct report_row *row = array__add(cpus, cnt, sizeof(*row));

	init_row(row, cpu, of_scope);
	return row;
}

struct report_row *report_prog__add_cpu(struct report_prog *p, int cpu)
{
	return add_row_of_cpu(&p->cpu, &p->cpu_cnt, cpu, false);
}

struct report_row *report_scope__add_cpu(struct report_scope *s, int cpu)
{
	return add_row_of_cpu(&s->cpu, &s->cpu_cnt, cpu, true);
}

struct report_row *report_row__of_cpu(const struct report_row *all, const struct report_row *cpus,
				      int cnt, int cpu)
{
	if (cpu < 0)
		return (struct report_row *)all;
	for (int i = 0; i < cnt; i++)
		if (cpus[i].cpu == cpu)
			return (struct report_row *)&cpus[i];
	return NULL;
}

struct report_event *report_row__add_event(struct report_row *row)
{
	struct report_event *ev = array__add(&row->event, &row->event_cnt, sizeof(*ev));

	ev->total = NAN;
	for (int i = 0; i < STAT_CNT; i++)
		ev->stat[i] = ev->low[i] = ev->high[i] = NAN;
	ev->raw_per_run = NAN;
	ev->bias = NAN;
	ev->bias_stddev = NAN;
	ev->repeat_stddev = NAN;
	ev->mean_stddev = NAN;
	ev->enabled_ns = NAN;
	ev->running_ns = NAN;
	return ev;
}

struct report_change *report_event__add_change(struct report_event *ev)
{
	if (!ev->change) {
		ev->change = xcalloc(1, sizeof(*ev->change));
		ev->change->absolute = ev->change->share = NAN;
	}
	return ev->change;
}

struct report_estimate *report_event__add_estimate(struct report_event *ev)
{
	if (!ev->estimate) {
		ev->estimate = xcalloc(1, sizeof(*ev->estimate));
		ev->estimate->total_stddev = NAN;
	}
	return ev->estimate;
}

struct report_sampled *report_event__add_sampled(struct report_event *ev)
{
	ev->sampled = xcalloc(1, sizeof(*ev->sampled));
	return ev->sampled;
}

struct report_verify *report_event__add_verify(struct report_event *ev)
{
	if (!ev->verify) {
		ev->verify = xcalloc(1, sizeof(*ev->verify));
		ev->verify->added = ev->verify->added_error = NAN;
	}
	return ev->verify;
}

struct report_verify_samples *report_verify__add_samples(struct report_verify *v)
{
	if (!v->samples) {
		v->samples = xcalloc(1, sizeof(*v->samples));
		v->samples->mean = v->samples->stddev = NAN;
	}
	return v->samples;
}

struct report_verify_rate *report_verify__add_rate(struct report_verify *v)
{
	struct report_verify_rate *r = array__add(&v->rate, &v->rate_cnt, sizeof(*r));

	r->mean = r->stddev = NAN;
	return r;
}

bool report_event__has_change(const struct report_event *ev)
{
	return ev->change && !isnan(ev->change->absolute);
}

void report_event__set_names(struct report_event *ev, const char *name, const char *base,
			     const char *unit)
{
	ev->name = xstrdup(name);
	ev->base = xstrdup(base);
	ev->unit = xstrdup(unit);
}

struct report_bucket *report_event__add_bucket(struct report_event *ev)
{
	return array__add(&ev->bucket, &ev->bucket_cnt, sizeof(struct report_bucket));
}

struct report_block *report_event__add_block(struct report_event *ev)
{
	struct report_block *b = array__add(&ev->block, &ev->block_cnt, sizeof(*b));

	for (int i = 0; i < STAT_CNT; i++)
		b->stat[i] = NAN;
	return b;
}

const char *report__keep_string(struct report *r, const char *s)
{
	char **kept = array__add(&r->kept, &r->kept_cnt, sizeof(*r->kept));

	return *kept = xstrdup(s);
}

void report_notes__add(struct report_notes *notes, const char *fmt, ...)
{
	char **note = array__add(&notes->text, &notes->cnt, sizeof(*notes->text));
	va_list ap;

	va_start(ap, fmt);
	*note = text__vformat(fmt, ap);
	va_end(ap);
}

__u64 report_row__lost(const struct report_row *row)
{
	__u64 sum = 0;

	for (int i = 0; i < LOST_CNT; i++)
		sum += row->lost[i];
	return sum;
}

double report_row__runs_per_s(const struct report *r, const struct report_row *row)
{
	if (r->driven || row->at_least)
		return NAN;
	return r->elapsed_ns ? row->runs * 1e9 / r->elapsed_ns : NAN;
}

bool report_prog__is_same_part(const struct report_prog *a, const struct report_prog *b)
{
	if (!a->by_retval || !b->by_retval)
		return a->by_retval == b->by_retval;
	return a->unmeasured == b->unmeasured && a->by_key == b->by_key &&
	       text__is_same(a->key_name, b->key_name) &&
	       (a->retval == b->retval || (isnan(a->retval) && isnan(b->retval)));
}

bool report_prog__is_same(const struct report_prog *a, const struct report_prog *b)
{
	return text__is_same(a->name, b->name) && text__is_same(a->func, b->func) &&
	       text__is_same(a->type, b->type) && text__is_same(a->input, b->input) &&
	       report_prog__is_same_part(a, b);
}

bool report_prog__is_same_target(const struct report_prog *a, const struct report_prog *b)
{
	return a->by_retval && b->by_retval && a->id == b->id && text__is_same(a->func, b->func) &&
	       text__is_same(a->input, b->input);
}

bool report__is_first_row(const struct report *r, int i)
{
	return !i || !report_prog__is_same_target(&r->prog[i - 1], &r->prog[i]);
}

const char *report_prog__label(const struct report_prog *p, char *buf)
{
	const char *name = text__or_empty(p->name), *func = text__or_empty(p->func);
	size_t len = strlen(name);

	/*
	 * The label is only func if name is func, perhaps truncated by the kernel to
	 * BPF_OBJ_NAME_LEN - 1 characters.
	 */
	if (!p->subprog && !strncmp(name, func, len) &&
	    (!func[len] || len == BPF_OBJ_NAME_LEN - 1 || !len)) {
		name = func;
		func = "";
	}
	snprintf(buf, LABEL_SZ, "%s%s%s", *name ? name : "-", *func ? ":" : "", func);
	return buf;
}

const char *report_prog__called_name(const struct report_prog *p)
{
	const char *func = text__or_empty(p->func), *colon;
	/* a site ("FILE:LINE") contains a colon, too: leave it out of the search */
	size_t len = strlen(func), site = p->site ? strlen(p->site) : 0;

	colon = memrchr(func, ':', len > site ? len - site : 0);
	return colon ? colon + 1 : func;
}

const char *report_prog__id(const struct report_prog *p, char *buf)
{
	if (p->programs)
		return strcpy(buf, "sum");
	snprintf(buf, ID_SZ, "%u", p->id);
	return buf;
}

const char *report_prog__title(const struct report_prog *p, char *buf)
{
	const char *input = text__or_empty(p->input);
	char label[LABEL_SZ];

	snprintf(buf, TITLE_SZ, "%s%s%s%s", report_prog__label(p, label), *input ? " [" : "", input,
		 *input ? "]" : "");
	return buf;
}

const char *report_prog__part_title(const struct report_prog *p, char *buf)
{
	char retval[RETURNS_SZ];
	size_t len;

	report_prog__title(p, buf);
	len = strlen(buf);
	if (p->by_retval)
		snprintf(buf + len, TITLE_SZ - len, " (%s)", report_prog__returns(p, retval));
	return buf;
}

bool report_prog__has_retval(const struct report_prog *p)
{
	return p->retval_varies || p->retvals || !isnan(p->retval);
}

bool report_prog__returns_alike(const struct report_prog *a, const struct report_prog *b)
{
	if (a->retval_varies || b->retval_varies)
		return a->retval_varies && b->retval_varies;
	if (a->retvals || b->retvals)
		return a->retvals && b->retvals && a->retvals_cnt == b->retvals_cnt &&
		       !memcmp(a->retvals, b->retvals, a->retvals_cnt * sizeof(*a->retvals));
	return a->retval == b->retval;
}

bool report_prog__is_rest(const struct report_prog *p)
{
	return p->by_retval && isnan(p->retval) && !p->key_name;
}

const struct run_key_spec *report__key(const struct report *r)
{
	return run_key__spec(r->by ?: BY_RETVAL);
}

#define NOT_MEASURED "not measured"

void report_prog__set_part(struct report_prog *p, const char *name)
{
	p->by_retval = true;
	p->unmeasured = text__is_same(name, NOT_MEASURED);
}

const char *report_prog__returns(const struct report_prog *p, char *buf)
{
	_Static_assert(RETURNS_SZ == RETVAL_SZ, "");

	if (p->key_name)
		return p->key_name;
	if (!isnan(p->retval))
		/* Names such as XDP_DROP are only for the return values of entry functions. */
		return retval__format(p->subprog ? "" : p->type, p->retval, buf);
	snprintf(buf, RETURNS_SZ, "%s",
		 p->unmeasured	    ? NOT_MEASURED
		 : p->by_retval	    ? "other"
		 : p->retval_varies ? "various"
		 : p->retvals	    ? "by packet"
				    : "");
	return *buf ? buf : NULL;
}

void report_prog__set_verification(struct report_prog *p, const double *ns, int cnt)
{
	double *copy = cnt ? xcalloc(cnt, sizeof(*copy)) : NULL;

	for (int i = 0; i < cnt; i++)
		copy[i] = ns[i];
	free(p->verification);
	p->verification = copy;
	p->verification_cnt = cnt;
	if (cnt)
		p->size[SIZE_VERIFICATION] = stats__median(ns, cnt);
}

void report_prog__add_properties(struct report_prog *to, const struct report_prog *p)
{
	to->others += p->others;
	to->others_ns += p->others_ns;
	to->own_runs += p->own_runs;
	to->with_own_runs |= p->with_own_runs;
	to->uncalibrated |= p->uncalibrated;
	to->slowed_runs += p->slowed_runs;
	to->short_code |= p->short_code;
	to->blinded |= p->blinded;
	to->random_code |= p->random_code;
	to->recursion_misses += p->recursion_misses;
}

bool report__has_events(const struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++)
		if (r->prog[i].all.event_cnt)
			return true;
	return false;
}

bool report_prog__has_size(const struct report_prog *p)
{
	for (int i = 0; i < SIZE_CNT; i++)
		if (!isnan(p->size[i]))
			return true;
	return false;
}

bool report_event__has_value(const struct report_event *ev)
{
	bool any = false;

	for (int i = 0; i < STAT_CNT; i++)
		any |= !isnan(ev->stat[i]);
	return ev->status == EVENT_OK && ev->measured && any;
}

bool stat__is_too_inexact(double value, double half_width)
{
	return isnan(value) || half_width > fmax(fabs(value) / 4, 1);
}

double report_event__low(const struct report_event *ev, enum stat_id id)
{
	return isnan(ev->low[id]) ? ev->stat[id] : ev->low[id];
}

double report_event__high(const struct report_event *ev, enum stat_id id)
{
	return isnan(ev->high[id]) ? ev->stat[id] : ev->high[id];
}

bool report_event__is_rough(const struct report_event *ev, enum stat_id id)
{
	return ev->low[id] < ev->high[id];
}

double report_row__value(const struct report_row *row, const struct report_event *ev)
{
	if (row->of_scope)
		return ev->status == EVENT_OK ? ev->total : NAN;
	return report_event__has_value(ev) ? ev->stat[STAT_MEAN] : NAN;
}

const struct report_event *report_row__find_event(const struct report_row *row, const char *name,
						  int n)
{
	for (int i = 0; i < row->event_cnt; i++)
		if (row->event[i].name && !strcmp(row->event[i].name, name) && !n--)
			return &row->event[i];
	return NULL;
}

const struct report_event *report_row__find_like(const struct report_row *row,
						 const struct report_row *other,
						 const struct report_event *ev)
{
	int n = 0;

	for (const struct report_event *before = other->event; before < ev; before++)
		n += !strcmp(before->name, ev->name);
	return report_row__find_event(row, ev->name, n);
}

bool report_event__is_partial(const struct report_row *row, const struct report_event *ev)
{
	if (ev->status != EVENT_OK)
		return false;
	return row->of_scope ? ev->running_ns < ev->enabled_ns : ev->measured < row->measured;
}

bool report_row__never_on(const struct report_row *row, const struct report_event *ev)
{
	return row->of_scope && ev->enabled_ns > 0 && ev->running_ns == 0;
}

bool report_row__has_same_events(const struct report_row *a, const struct report_row *b)
{
	if (a->event_cnt != b->event_cnt)
		return false;
	for (int i = 0; i < a->event_cnt; i++)
		if (!text__is_same(a->event[i].name, b->event[i].name))
			return false;
	return true;
}

const struct report_prog *report__probed(const struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++)
		if (r->prog[i].probed)
			return &r->prog[i];
	return NULL;
}

double report__share_error(const struct report *r)
{
	double most = NAN;

	for (int i = 0; i < r->prog_cnt; i++)
		most = fmax(most, r->prog[i].all.share_error / r->prog[i].all.cpu_share);
	return most;
}

bool report__uncalibrated(const struct report *r)
{
	for (int i = 0; i < r->prog_cnt; i++)
		if (r->prog[i].uncalibrated)
			return true;
	return false;
}

double report_row__variation(const struct report_row *row, const struct report_event *ev)
{
	double mean = report_row__value(row, ev);
	double stddev = isnan(ev->repeat_stddev) ? ev->mean_stddev : ev->repeat_stddev;

	if (isnan(stddev) || isnan(mean))
		return NAN;
	/* Show no variation if the mean is 0, like perf. */
	return mean == 0 ? 0 : 100 * stddev / fabs(mean);
}

int report__render(const struct report *r, report_render_fn *render, const struct render_opts *o,
		   FILE *out)
{
	struct draft draft;

	draft__begin(&draft);
	render(r, o, draft.mem);
	return draft__end(&draft, 0, out);
}
