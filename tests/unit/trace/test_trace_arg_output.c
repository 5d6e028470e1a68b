// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how bprof trace shows the arguments of made-up records, in each format.
 */
#include <jansson.h>

#include "tests/unit/made_session.h"

#include "trace/trace_output.h"

struct made {
	struct trace_conds conds;
	struct trace_args args;
	struct trace_probe probe;
	struct trace_output o;
	struct bprof_record *r;
	char *text;
	size_t text_sz;
};

/* Makes a record of the first target with a number, a text, a pointer, and values that could not be read. */
static void make_record(struct made *m, struct fixture *f, const struct trace_format *format)
{
	static const char *const specs[] = {"skb->mark > -5", "skb->dev->name", "skb->sk",
					    "ctx->len"};
	static const struct arg_path paths[] = {
		{.kind = ARG_INTEGER, .size = 4, .bits = 32, .is_signed = true},
		{.kind = ARG_TEXT, .size = 16},
		{.kind = ARG_POINTER, .size = 8, .bits = 64},
		{.kind = ARG_INTEGER, .size = 4, .bits = 32},
	};
	const __u64 values[][2] = {{-3}, {0x1b306874}, {0xffff800000001000}, {1}};

	memset(m, 0, sizeof(*m));
	add_event(f, "time", EVENT_OK);
	m->args.target = calloc(1, sizeof(*m->args.target));
	m->args.target_cnt = 1;
	m->args.target->id = f->target[0].id;
	m->args.target->found = 0xf;
	memcpy(m->args.target->path, paths, sizeof(paths));
	for (int i = 0; i < 4; i++)
		assert_int_equal(trace_args__add(&m->args, specs[i], NULL), 0);
	m->probe = TRACE_PROBE_NONE;
	m->probe.conds = &m->conds;
	m->probe.args = &m->args;
	m->probe.env = &f->s.env;
	m->probe.config.args = 4;
	m->probe.config.at.skb_len = 8;
	m->probe.config.stack_sz = BPROF_TRACE_STACK_SZ;
	m->r = calloc(1, sizeof(*m->r) + BPROF_TRACE_STACK_SZ + sizeof(values) + 2);
	*m->r = (struct bprof_record){.ns = 1000,
				      .comm = "comm",
				      .retval = 2,
				      .why = BPROF_WHY_ARG,
				      .args = 0x7,
				      .args_true = 0x1,
				      .packet_sz = 60,
				      .snapped = 2};
	memcpy(m->r->data, values, sizeof(values));
	memcpy(m->r->data + BPROF_TRACE_STACK_SZ + sizeof(values), "\xab\xcd", 2);
	m->o = (struct trace_output){
		.format = format, .s = &f->s, .probe = &m->probe, .bytes = true};
	m->o.out = open_memstream(&m->text, &m->text_sz);
	trace_output__prepare(&m->o);
	assert_int_equal(trace_output__begin(&m->o), 0);
	assert_int_equal(trace_output__record(&m->o, 3, m->r), 0);
	fflush(m->o.out);
}

static void free_record(struct made *m)
{
	fclose(m->o.out);
	trace_output__free(&m->o);
	trace_args__free(&m->args);
	free(m->text);
	free(m->r);
}

static void assert_has(struct made *m, const char *part)
{
	if (!strstr(m->text, part))
		fail_msg("no '%s' in: %s", part, m->text);
}

static void test_text(void **state)
{
	struct made m;

	make_record(&m, *state, &trace_text);
	assert_has(&m, "  skb->mark    skb->dev->name             skb->sk  ctx->len  LENGTH  WHY");
	assert_has(&m, "         -3           th0\\x1b  0xffff800000001000         -      60  "
		       "skb->mark > -5\n");
	assert_has(&m, "\n        abcd\n");
	free_record(&m);
}

static const char json_args[] = "\"args\":[{\"expr\":\"skb->mark\",\"value\":-3},"
				"{\"expr\":\"skb->dev->name\",\"text\":\"th0\\\\x1b\"},"
				"{\"expr\":\"skb->sk\",\"value\":1.84466033362212e19,"
				"\"text\":\"0xffff800000001000\"},"
				"{\"expr\":\"ctx->len\",\"status\":\"not_read\"}]";

static void test_json(void **state)
{
	struct made m;

	make_record(&m, *state, &trace_json);
	assert_has(&m, "\"why\":[\"skb->mark > -5\"]");
	assert_has(&m, json_args);
	assert_has(&m, "\"data\":\"abcd\"");
	free_record(&m);
}

static void test_timeline(void **state)
{
	struct made m;

	make_record(&m, *state, &trace_timeline);
	assert_has(&m, json_args);
	free_record(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_text, setup, teardown),
		cmocka_unit_test_setup_teardown(test_json, setup, teardown),
		cmocka_unit_test_setup_teardown(test_timeline, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
