// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The cases of a suite's entry. Owns their JSON form. Must not know how packets are read, or where
 * a suite comes from.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/util.h"
#include "bench/bench_cases.h"

#define STEP(member) offsetof(struct bench_step_spec, member)
#define CASE(member) offsetof(struct bench_case_spec, member)

static const struct json_range runs = {1, 1000000};

const struct json_field bench_step_rows[] = {
	FIELD("prog", string, STEP(prog)),
	FIELD("packet", string, STEP(packet)),
	FIELD("pcap", string, STEP(pcap)),
	FIELD("ctx", string, STEP(ctx)),
	FIELD("repeat", u64, STEP(repeat), .arg = &runs),
	{},
};

static int check_step(struct json_reader *rd, json_t *v, void *to)
{
	struct bench_step_spec *step = to;

	step->repeat = step->repeat ?: 1;
	if (step->packet && step->pcap)
		return json_reader__refuse(rd, "\"packet\" and \"pcap\": give only one of them");
	return json_reader__check_keys(rd, v, bench_step_rows);
}

const struct json_field bench_case_rows[] = {
	FIELD("name", string, CASE(name)),
	FIELD("packet", string, CASE(packet)),
	FIELD("pcap", string, CASE(pcap)),
	FIELD("cycle", bool, CASE(cycle)),
	FIELD("ctx", string, CASE(ctx)),
	FIELD("before", list, 0,
	      .arg = LIST(struct bench_case_spec, before, before_cnt, object,
			  .elem.arg = bench_step_rows, .elem.check = check_step)),
	{},
};

static int check_case(struct json_reader *rd, json_t *v, void *to)
{
	const struct bench_case_spec *c = to;
	int err = json_reader__check_keys(rd, v, bench_case_rows);

	if (err)
		return err;
	if (c->packet && c->pcap)
		return json_reader__refuse(rd, "\"packet\" and \"pcap\": give only one of them");
	if (c->cycle && !c->pcap)
		return json_reader__refuse(rd, "\"cycle\": it needs \"pcap\"");
	if (!c->pcap && !(c->name && *c->name))
		return json_reader__refuse(rd, "\"name\" is missing: only the cases of a \"pcap\" "
					       "can be named after their file");
	return 0;
}

static const struct json_field list_row =
	FIELD("cases", list, 0,
	      .arg = LIST(struct bench_cases, v, cnt, object, .elem.arg = bench_case_rows,
			  .elem.check = check_case));

int bench_cases__parse(struct bench_cases *c, json_t *list, struct json_reader *rd)
{
	return list_row.kind->read(&list_row, rd, list, c);
}

/* ---- packets ---- */

static int read_case(const struct bench_case_spec *spec, struct bench_input *in)
{
	int first = in->cnt;
	int err = spec->pcap ? bench_input__add_pcap(in, spec->name, spec->pcap, spec->cycle)
			     : bench_input__add_packet(in, spec->name, spec->packet);
	struct bench_setting *setting;

	if (err || !(spec->ctx || spec->before_cnt))
		return err;
	setting = bench_input__add_setting(in, first);
	if (spec->ctx)
		err = bench_input__read("ctx", spec->ctx, &setting->ctx, &setting->ctx_sz);
	for (int i = 0; !err && i < spec->before_cnt; i++) {
		const struct bench_step_spec *from = &spec->before[i];
		struct bench_step *step =
			array__add(&setting->before, &setting->before_cnt, sizeof(*step));

		err = from->pcap ? bench_step__add_pcap(step, from->pcap)
				 : bench_step__add_packet(step, from->packet);
		if (!err && from->ctx)
			err = bench_input__read("ctx", from->ctx, &step->ctx, &step->ctx_sz);
		if (!err && from->prog)
			step->prog = xstrdup(from->prog);
		step->repeat = from->repeat;
	}
	return err;
}

int bench_cases__read(const struct bench_cases *c, struct bench_input *in)
{
	int err = 0;

	for (int i = 0; !err && i < c->cnt; i++)
		err = read_case(&c->v[i], in);
	return err;
}

void bench_cases__free(struct bench_cases *c)
{
	for (int i = 0; i < c->cnt; i++) {
		struct bench_case_spec *spec = &c->v[i];

		for (int k = 0; k < spec->before_cnt; k++) {
			free(spec->before[k].prog);
			free(spec->before[k].packet);
			free(spec->before[k].pcap);
			free(spec->before[k].ctx);
		}
		free(spec->before);
		free(spec->name);
		free(spec->packet);
		free(spec->pcap);
		free(spec->ctx);
	}
	free(c->v);
	*c = (struct bench_cases){};
}
