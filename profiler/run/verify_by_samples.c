// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Takes the samples of stat --verify. Decides which targets can be compared with samples; must not
 * know when samples are taken, or what is concluded from them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "host/cpus.h"
#include "report/report_verify.h"
#include "run/verify_by_samples.h"
#include "sampling/target_samples.h"
#include "session/session.h"
#include "target/relations.h"

struct verify_by_samples {
	const struct session *s;
	struct target_samples ts;
	struct sampled_code *code; /* of each target of the session; cnt is 0: not sampled */
};

static bool open_samples(struct verify_by_samples *vs)
{
	const struct backend_env *env = &vs->s->env;
	struct reason reason = {};
	char text[512];
	int err = target_samples__open(&vs->ts, env->events, env->fds, env->opts.sample_freq,
				       &reason);

	for (int i = 0; !err && i < vs->s->targets.cnt; i++) {
		const struct target *t = &vs->s->targets.v[i];

		if (t->subprog)
			continue;
		if (target_samples__add(&vs->ts, t->prog, &vs->code[i], &reason)) {
			vs->code[i].cnt = 0;
			log_info("program %u is not sampled: %s", t->id,
				 reason__describe(&reason, text, sizeof(text)));
		}
	}
	err = err ?: target_samples__attach(&vs->ts, &reason);
	if (err)
		log_info("--verify takes no samples: %s",
			 reason__describe(&reason, text, sizeof(text)));
	return !err && vs->ts.ranges.cnt;
}

struct verify_by_samples *verify_by_samples__open(const struct session *s)
{
	struct verify_by_samples *vs;

	if (target_list__is_nested(&s->targets)) {
		log_info("--verify takes no samples: programs call one another");
		return NULL;
	}
	vs = xcalloc(1, sizeof(*vs));
	vs->s = s;
	vs->code = xcalloc(s->targets.cnt + 1, sizeof(*vs->code));
	if (open_samples(vs))
		return vs;
	verify_by_samples__close(vs);
	return NULL;
}

void verify_by_samples__close(struct verify_by_samples *vs)
{
	if (!vs)
		return;
	target_samples__close(&vs->ts);
	free(vs->code);
	free(vs);
}

void verify_by_samples__enable(struct verify_by_samples *vs, bool on)
{
	target_samples__enable(&vs->ts, on);
}

static const struct sampled_code *code_of(const struct verify_by_samples *vs,
					  const struct report_prog *p)
{
	for (int i = 0; i < vs->s->targets.cnt; i++)
		if (vs->s->targets.v[i].id == p->id && vs->code[i].cnt)
			return &vs->code[i];
	return NULL;
}

/*
 * Returns true if a CPU was not sampled all the time. The rate of the samples is that of a CPU on average: it
 * is too high if a CPU without runs went offline, and too low if a CPU that is not sampled had runs.
 */
static bool has_gaps(const struct verify_by_samples *vs, int event, const __u64 *enabled_ns)
{
	const struct cpus *sampled = sampling__cpus(vs->ts.sampling[event]);
	struct cpus wanted = {}, online = {}, gaps = {};
	bool any;

	cpus__dup(sampled, &wanted);
	if (!vs->s->env.some_cpus && !cpus__online(&online))
		cpus__add(&wanted, &online);
	sampling__find_gaps(sampled, enabled_ns, NULL, &wanted, &gaps);
	any = gaps.cnt;
	cpus__free(&wanted);
	cpus__free(&online);
	cpus__free(&gaps);
	return any;
}

/*
 * The probes count the interrupts in a run. Samples that hit an interrupt do not say which program
 * the interrupt stopped, so each program gets a share of these samples.
 */
static struct verify_sampled sum_event(const struct verify_by_samples *vs, int event,
				       const struct sampled_code *code, const struct report_prog *p)
{
	const struct sampling *sampling = vs->ts.sampling[event];
	struct verify_sampled out = {};
	struct record_samples all;
	struct sampled_sum own;
	double in_targets;
	__u64 *enabled_ns;
	int err;

	if (!sampling || !sampling__counts_calls(sampling))
		return out;
	enabled_ns = xcalloc(sampling__cpus(sampling)->cnt + 1, sizeof(*enabled_ns));
	err = sampling__sum(sampling, &all, enabled_ns);
	out.gaps = !err && has_gaps(vs, event, enabled_ns);
	free(enabled_ns);
	if (err)
		return out;
	own = target_samples__sum(&vs->ts, event, code);
	in_targets = all.weight_in_targets + all.weight_in_calls;
	out.samples = own.samples;
	out.cpu_cnt = sampling__cpus(sampling)->cnt;
	if (own.samples && all.running_ns)
		out.rate = own.weight * (1 + all.weight_interrupting / in_targets) / all.running_ns;
	out.cost = all.running_ns ? all.cost_ns * all.taken / all.running_ns : 0;
	out.dropped = sampling__lost_too_many(p->type, own.samples, &all) || isnan(out.cost);
	return out;
}

void verify_by_samples__set(const struct verify_by_samples *vs, const struct report *r,
			    struct verify *v)
{
	int at = 0;

	for (int i = 0; i < r->prog_cnt; i++) {
		const struct report_prog *p = &r->prog[i];
		const struct sampled_code *code = code_of(vs, p);

		for (int j = 0; j < p->all.event_cnt; j++, at++)
			if (code) {
				struct verify_sampled sampled = sum_event(vs, j, code, p);

				verify__set_sampled(v, at, &sampled);
			}
	}
}
