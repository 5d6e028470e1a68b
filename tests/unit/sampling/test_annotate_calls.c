// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how an annotation shows samples in code that a program calls, and the kernel's statistics, and what it
 * says if there are few samples.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/annotate.h"

/* A program with 20 bytes of code, two lines of 10 bytes, and no samples. It ran for 6 % of a CPU. */
static struct record *new_record(void)
{
	struct record *r = record__new();
	struct record_prog *p = record__add_prog(r);

	r->event = strdup("cpu-clock");
	r->period = 1000;
	r->head->host.kernel = strdup("6.12");
	r->head->host.arch = strdup("unknown");
	r->head->host.cpus = 2;
	r->head->elapsed_ns = 1000000000;
	r->samples.taken = 20000;
	r->calls = r->run_stats = true;
	p->id = 7;
	p->name = strdup("prog");
	p->type = strdup("xdp");
	p->code_sz = 20;
	p->code = calloc(1, p->code_sz);
	p->runs = 1234;
	p->run_time_ns = 60000000;
	*record_prog__add_func(p) = (struct record_func){strdup("main"), 0, 10, 0, 20, true};
	for (__u32 i = 0; i < 2; i++)
		*record_prog__add_line(p) =
			(struct record_line){i, 10 * i, i + 1, 1, strdup("main.c"), strdup("text")};
	return r;
}

/* own: the number of samples on line 1. calls: the number of samples in functions that line 2 calls */
static struct record *make_record(__u64 own, __u64 calls)
{
	struct record *r = new_record();
	struct record_prog *p = &r->prog[0];

	if (own)
		*record_prog__add_place(p) = (struct record_place){4, own, 1000 * own};
	if (calls)
		*record_prog__add_call(p) = (struct record_place){14, calls, 1000 * calls};
	r->samples.in_targets = own;
	r->samples.in_calls = calls;
	return r;
}

/* Adds samples in one or two frames below the call on line 2. */
static void add_callee(struct record *r, __u64 samples, const char *outer, const char *inner)
{
	struct record_callee *c = record_prog__add_callee(&r->prog[0]);

	*c = (struct record_callee){14, calloc(3, sizeof(*c->frame)), samples, 1000 * samples};
	assert_non_null(c->frame);
	c->frame[0] = strdup(outer);
	c->frame[1] = inner ? strdup(inner) : NULL;
}

/* 540 samples in calls: 500 of them in known callees. Of these, 60 are in functions that the callees call. */
static struct record *make_callees(void)
{
	struct record *r = make_record(60, 540);
	struct record_prog *p = &r->prog[0];

	add_callee(r, 100, "bpf_csum_diff", NULL);
	add_callee(r, 340, "htab_map_update_elem", NULL);
	add_callee(r, 20, "htab_map_update_elem", "htab_lock_bucket");
	add_callee(r, 40, "htab_map_update_elem", "htab_map_hash");
	*record_prog__add_map(p) = (struct record_map){12, strdup("flows"), strdup("hash")};
	*record_prog__add_code_call(p) =
		(struct record_call){14, strdup("htab_map_update_elem"), NULL, 12};
	return r;
}

/* Writes the recording and reads it again, so that this is tested, too. Frees r. */
static struct record *reread(struct record *r)
{
	struct report_error err = {};
	char *text = NULL;
	size_t sz = 0;
	FILE *f = open_memstream(&text, &sz);

	assert_int_equal(record__write(r, f), 0);
	fclose(f);
	record__free(r);
	f = fmemopen(text, sz, "r");
	if (record__read(f, &r, &err))
		fail_msg("%s", err.text);
	fclose(f);
	free(text);
	return r;
}

static int depth; /* of callees */

/* Renders the recording, and frees it. */
static char *print(struct record *r, annotation_render_fn *fn)
{
	const struct annotate_opts o = {.lines_only = true, .one_line = true, .depth = depth};
	struct annotation *a;
	char *text = NULL;
	size_t sz = 0;
	FILE *out = open_memstream(&text, &sz);

	r = reread(r);
	a = annotate(r, &o);
	fn(a, &o, out);
	fclose(out);
	annotation__free(a);
	record__free(r);
	return text;
}

/* Checks that the output has these parts. Frees r. */
static void assert_prints(struct record *r, annotation_render_fn *fn, const char *const *parts)
{
	char *text = print(r, fn);

	for (; *parts; parts++)
		if (!strstr(text, *parts))
			fail_msg("no '%s' in:\n%s", *parts, text);
	free(text);
}

#define PARTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_calls(void **state)
{
	const char *const *cost =
		PARTS("1,234 runs took 6.00% of a CPU: 10% in its own code, 90% in "
		      "helpers and other functions that it calls\n");

	assert_prints(make_record(60, 540), annotation__print_text, cost);
	assert_prints(
		make_record(60, 540), annotation__print_text,
		PARTS("20,000 samples: 60 in the targets (0.3%), 540 in what they call, 19,400 "
		      "outside",
		      "tag ): 600 samples\n", "main: 100.0% of the program\n",
		      "SHARE  SAMPLES  IN CALLS      LINE  SOURCE\n",
		      "  10%       60            main.c:1  text\n",
		      "  90%                540  main.c:2  text\n"));
	assert_prints(make_record(60, 540), annotation__print_html,
		      PARTS("90% in helpers and other functions that it calls", "IN CALLS",
			    "main: 100.0% of the program"));
	assert_prints(make_record(60, 540), annotation__print_json,
		      PARTS("\"samples\":60,\"weight\":60000,\"calls\":540,\"calls_weight\":540000,"
			    "\"share\":1",
			    "\"share\":0.9,\"share_stddev\":0.012",
			    "\"runs\":1234,\"run_time_ns\":60000000,\"cpu_share\":0.06"));
	assert_prints(make_record(60, 540), annotation__print_folded,
		      PARTS("prog;main;main.c:1 60\nprog;main;main.c:2;(in_calls) 540\n"));
}

/* Callees are shown as a tree. Callees with more samples come first. --depth limits the levels. */
static void test_callees(void **state)
{
	char *text;

	assert_prints(make_callees(), annotation__print_text,
		      PARTS("   10%  own code\n   67%  htab_map_update_elem (flows, hash)\n"
			    "    7%    htab_map_hash\n  3.3%    htab_lock_bucket\n"
			    "   17%  bpf_csum_diff (flows, hash)\n    7%  [unknown]\n",
			    "  90%                540  main.c:2  text\n"
			    "  67%                400              -> htab_map_update_elem (flows, "
			    "hash)\n"
			    "   7%                 40                -> htab_map_hash\n"));
	assert_prints(make_callees(), annotation__print_html,
		      PARTS("   -&gt; htab_map_update_elem (flows, hash)"));
	assert_prints(make_callees(), annotation__print_json,
		      PARTS("\"callees\":[{\"depth\":1,\"name\":\"htab_map_update_elem\",\"map\":"
			    "\"flows\",\"map_type\":\"hash\",\"samples\":400,\"weight\":400000,"
			    "\"share\":0.666667},{\"depth\":2,\"name\":\"htab_map_hash\","));
	assert_prints(
		make_callees(), annotation__print_folded,
		PARTS("prog;main;main.c:1 60\n"
		      "prog;main;main.c:2;htab_map_update_elem_(flows,_hash) 340\n"
		      "prog;main;main.c:2;htab_map_update_elem_(flows,_hash);htab_map_hash 40\n"
		      "prog;main;main.c:2;htab_map_update_elem_(flows,_hash);htab_lock_bucket 20\n"
		      "prog;main;main.c:2;bpf_csum_diff_(flows,_hash) 100\n"
		      "prog;main;main.c:2;[unknown] 40\n"));
	depth = 1;
	text = print(make_callees(), annotation__print_folded);
	assert_non_null(strstr(text, "htab_map_update_elem_(flows,_hash) 400\n"));
	assert_null(strstr(text, "htab_map_hash"));
	free(text);
	depth = 0;
}

/*
 * Samples in interrupts of a program do not count as outside. The output has the number of samples whose callees
 * did not fit into the map.
 */
static void test_classes(void **state)
{
	struct record *r = make_record(60, 540);

	r->samples.interrupting = 30;
	r->samples.no_room = 7;
	assert_prints(r, annotation__print_text,
		      PARTS("540 in what they call, 30 in interrupts of them, 19,370 outside",
			    "callees: those of 7 samples are not known"));
}

/* A share has no more digits than its samples allow. */
static void test_few(void **state)
{
	static const char few[] = "too few samples for shares; sample for longer (--timeout), or "
				  "more often (-F)";
	char *text = print(make_record(4, 8), annotation__print_text);

	assert_null(strstr(text, "SHARE"));
	assert_non_null(strstr(text, few));
	assert_non_null(
		strstr(text, "took 6.00% of a CPU: 4 samples in its own code, 8 samples in "));
	assert_non_null(strstr(text, "main: 12 of the program's 12 samples\n"));
	free(text);
	assert_prints(make_record(4, 8), annotation__print_json, PARTS(few));
	assert_prints(make_record(25, 25), annotation__print_text, PARTS("  50%       25"));
	assert_prints(make_record(1, 49), annotation__print_text, PARTS("   2%        1"));
	assert_prints(make_record(9000, 9000), annotation__print_text, PARTS("50.0%    9,000"));
}

/* Why there are no samples depends on whether the program ran. */
static void test_none(void **state)
{
	struct record *r = make_record(0, 0);

	assert_prints(r, annotation__print_text,
		      PARTS("no samples: its runs took too little time; sample for longer"));
	r = make_record(0, 0);
	r->prog[0].runs = r->prog[0].run_time_ns = 0;
	assert_prints(r, annotation__print_html,
		      PARTS("no samples: the kernel counted no run of it; let it run meanwhile"));
	r = make_record(0, 0);
	r->run_stats = false;
	assert_prints(r, annotation__print_text,
		      PARTS("no samples: it did not run, or too rarely; sample for longer"));
}

/* The time of all runs is known, but the samples show only a part of it. */
static void test_unknown(void **state)
{
	static const char missing[] = "note: less than half of that time is in the samples";
	struct record *r = make_record(100, 0);
	char *text;

	assert_prints(r, annotation__print_text, PARTS(missing));
	text = print(make_record(500, 0), annotation__print_text);
	assert_null(strstr(text, missing));
	free(text);
	r = make_record(100, 0);
	r->calls = false;
	assert_prints(r, annotation__print_text,
		      PARTS("took 6.00% of a CPU, with helpers and kernel functions that it calls, "
			    "whose samples are not known\n"));
	/* of an extension, the kernel counts no runs */
	r = make_record(100, 0);
	free(r->prog[0].type);
	r->prog[0].type = strdup("ext");
	text = print(r, annotation__print_text);
	assert_null(strstr(text, "runs took"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),	cmocka_unit_test(test_callees),
		cmocka_unit_test(test_classes), cmocka_unit_test(test_few),
		cmocka_unit_test(test_none),	cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests_name("annotate calls", tests, NULL, NULL);
}
