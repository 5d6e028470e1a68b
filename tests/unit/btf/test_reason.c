// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests reasons: the table is complete, and each refusal of the kernel becomes the right reason.
 * The log texts are those of Linux 5.10, 6.1, 6.12 and 7.2.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "btf/reason.h"

#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))
#define STATS                                                                                   \
	"processed 0 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 " \
	"mark_read 0\n"

static void test_table(void **state)
{
	for (int i = 0; i < REASON_CNT; i++) {
		const struct reason_spec *s = reason__spec(i);

		/* the name is for scripts: unique, with lower case letters and _ only */
		assert_non_null(s->name);
		assert_int_equal(strspn(s->name, "abcdefghijklmnopqrstuvwxyz_"), strlen(s->name));
		assert_true(s->name[0]);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(s->name, reason__spec(j)->name);
		/*
		 * when it is printed, the text may be followed by ": detail" or by "; " and an
		 * explanation
		 */
		assert_non_null(s->text);
		if (i == REASON_OTHER)
			continue; /* the text of this reason is always its detail */
		assert_true(strlen(s->text) > 10);
		assert_null(strchr(s->text, ':'));
		assert_null(strchr(s->text, '\n'));
		assert_int_not_equal(s->text[strlen(s->text) - 1], '.');
	}
}

static void test_spec_out_of_range(void **state)
{
	assert_ptr_equal(reason__spec(REASON_CNT), reason__spec(REASON_SYSTEM));
	assert_ptr_equal(reason__spec((enum reason_code) - 1), reason__spec(REASON_SYSTEM));
}

/*
 * Checks for which reasons run_stats is a fallback. It is not one if the user requested something
 * that the run time of the whole program does not show.
 */
static void test_run_stats(void **state)
{
	assert_true(reason__spec(REASON_NO_BTF)->run_stats);
	assert_true(reason__spec(REASON_NOT_JITED)->run_stats);
	assert_true(reason__spec(REASON_LOCKDOWN)->run_stats);
	assert_true(reason__spec(REASON_VERIFIER)->run_stats);
	assert_false(reason__spec(REASON_NO_SUCH_PROG)->run_stats);
	assert_false(reason__spec(REASON_NO_SUCH_FUNC)->run_stats);
	assert_false(reason__spec(REASON_OWN_PROG)->run_stats);
	/* this reason concerns subprograms only, and run_stats counts whole programs */
	assert_false(reason__spec(REASON_TAIL_CALL_RISK)->run_stats);
	assert_string_equal(reason__spec(REASON_TAIL_CALL_RISK)->name, "tail_call_risk");
}

static void test_set(void **state)
{
	struct reason r = {.detail = "old"};

	assert_int_equal(reason__set(&r, REASON_NO_BTF, ENODATA, NULL), -ENODATA);
	assert_int_equal(r.code, REASON_NO_BTF);
	assert_int_equal(r.err, ENODATA);
	assert_string_equal(r.detail, "");
	/* the error may have either sign */
	assert_int_equal(reason__set(&r, REASON_NO_BTF, -EINVAL, NULL), -EINVAL);
	assert_int_equal(r.err, EINVAL);
	assert_int_equal(reason__set(&r, REASON_NO_SUCH_FUNC, ENOENT, "%s", "parse_ip"), -ENOENT);
	assert_string_equal(r.detail, "parse_ip");
}

/*
 * reason__fail() gets its text from the caller, not from the table. Without a text, the reason is
 * described by the error number.
 */
static void test_fail(void **state)
{
	struct reason r;
	char buf[512];

	assert_int_equal(reason__fail(&r, -EMFILE, "cannot open %s", "cycles"), -EMFILE);
	assert_int_equal(r.code, REASON_OTHER);
	assert_int_equal(r.err, EMFILE);
	assert_string_equal(reason__describe(&r, buf, sizeof(buf)), "cannot open cycles");
	assert_int_equal(reason__fail(&r, -ENOMEM, NULL), -ENOMEM);
	assert_string_equal(reason__advise(&r, buf, sizeof(buf)), strerror(ENOMEM));
}

static void test_set_cuts(void **state)
{
	struct reason r;
	char longer[sizeof(r.detail) * 2];

	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	reason__set(&r, REASON_SYSTEM, 0, "%s", longer);
	assert_int_equal(strlen(r.detail), sizeof(r.detail) - 1);
}

static void test_describe(void **state)
{
	struct reason r;
	char buf[512], tiny[8];

	reason__set(&r, REASON_NO_BTF, 0, NULL);
	assert_string_equal(reason__describe(&r, buf, sizeof(buf)),
			    "has no BTF (compiled without -g, or the kernel refused it)");
	reason__set(&r, REASON_NO_SUCH_FUNC, 0, "parse_ip");
	assert_string_equal(reason__describe(&r, buf, sizeof(buf)),
			    "has no function of that name: parse_ip");
	assert_string_equal(reason__describe(&r, tiny, sizeof(tiny)), "has no ");
}

/* A refusal by the kernel (errno and log), and the reason and detail that must result. */
struct refusal {
	int err;
	const char *log;
	enum reason_code code;
	const char *detail;
};

static const struct refusal refusals[] = {
	/* messages of bpf_check_attach_target() */
	{EINVAL,
	 "FENTRY/FEXIT program can only be attached to another program annotated with BTF\n" STATS,
	 REASON_NO_BTF, ""},
	{EINVAL, "Tracing program can only be attached to another program annotated with BTF\n",
	 REASON_NO_BTF, ""},
	{EINVAL, "Tracing programs must provide btf_id\n", REASON_BAD_BTF,
	 "Tracing programs must provide btf_id"},
	{EINVAL, "attach_btf_id 77 is invalid\n" STATS, REASON_BAD_BTF,
	 "attach_btf_id 77 is invalid"},
	{EINVAL, "attach_btf_id 7 is not a function\n", REASON_BAD_BTF,
	 "attach_btf_id 7 is not a function"},
	{EINVAL, "Subprog parse_ip doesn't exist\n" STATS, REASON_NO_SUCH_FUNC,
	 "Subprog parse_ip doesn't exist"},
	{EINVAL, "Can attach to only JITed progs\n" STATS, REASON_NOT_JITED, ""},
	{EINVAL, "Cannot recursively attach\n" STATS, REASON_TRACING_PROG, ""},
	{EINVAL, "Cannot nest tracing program attach more than once\n", REASON_TRACING_PROG,
	 "Cannot nest tracing program attach more than once"},
	{EINVAL, "Cannot extend fentry/fexit\n", REASON_EXT_PROG, "Cannot extend fentry/fexit"},
	{EINVAL, "Cannot extend fentry/fexit/fsession\n", REASON_EXT_PROG,
	 "Cannot extend fentry/fexit/fsession"},
	{EINVAL, "Cannot replace static functions\n", REASON_EXT_PROG,
	 "Cannot replace static functions"},
	{EINVAL, "FENTRY/FEXIT programs cannot attach to exception callback\n", REASON_VERIFIER,
	 "FENTRY/FEXIT programs cannot attach to exception callback"},
	/* this text of the kernel has no newline */
	{EINVAL, "Target program bound device mismatch" STATS, REASON_VERIFIER,
	 "Target program bound device mismatch"},
	{EOPNOTSUPP,
	 "Attach to function big with a >8 byte return value is not supported for this attach "
	 "type\n",
	 REASON_UNSUPPORTED_SIG,
	 "Attach to function big with a >8 byte return value is not supported for this attach "
	 "type"},
	{EOPNOTSUPP, "JIT does not support fsession\n", REASON_NO_TRAMPOLINE,
	 "JIT does not support fsession"},
	/* message of btf_distill_func_proto() */
	{EINVAL, "The function many has 13 arguments. Too many.\n" STATS, REASON_UNSUPPORTED_SIG,
	 "The function many has 13 arguments. Too many."},
	{EINVAL, "The function f return type STRUCT is unsupported.\n", REASON_UNSUPPORTED_SIG,
	 "The function f return type STRUCT is unsupported."},
	{EINVAL, "The function f arg1 type STRUCT is unsupported.\n", REASON_UNSUPPORTED_SIG,
	 "The function f arg1 type STRUCT is unsupported."},
	{EINVAL, "The function f with variable args is unsupported.\n", REASON_UNSUPPORTED_SIG,
	 "The function f with variable args is unsupported."},
	{EINVAL, "The function f has malformed void argument.\n", REASON_UNSUPPORTED_SIG,
	 "The function f has malformed void argument."},
	/* errors of bpf_trampoline_link_prog(), which writes no log */
	{EBUSY, NULL, REASON_FREPLACED, ""},
	{E2BIG, "", REASON_TOO_MANY_LINKS, ""},
	/* errors of bpf_prog_load() after the verifier */
	{524, NULL, REASON_NOT_COMPILED, ""},
	{524, STATS, REASON_NOT_COMPILED, ""},
	{EINVAL, "program requires BPF JIT compiler but it is not available\n" STATS,
	 REASON_NOT_COMPILED, ""},
	{EOPNOTSUPP, NULL, REASON_NO_TRAMPOLINE, ""},
	/* errors of bpf_prog_load() before the verifier starts */
	{EPERM, NULL, REASON_NO_PERM,
	 "CAP_BPF and CAP_PERFMON are needed, or a security policy forbids it"},
	{EACCES, "", REASON_NO_PERM, "a security policy forbids it"},
	{EINVAL, NULL, REASON_VERIFIER, "EINVAL without a message in its log"},
	{EINVAL, STATS, REASON_VERIFIER, "EINVAL without a message in its log"},
	{ENOMEM, NULL, REASON_SYSTEM, "Cannot allocate memory"},
	/* messages of the verifier itself */
	{EACCES, "0: R1=ctx() R10=fp0\n0: (79) r0 = *(u64 *)(r1 +8)\ninvalid bpf_context access\n",
	 REASON_VERIFIER, "invalid bpf_context access"},
	{E2BIG, "BPF program is too large. Processed 1000001 insn\n" STATS, REASON_VERIFIER,
	 "BPF program is too large. Processed 1000001 insn"},
	{EPERM,
	 "loading/calling other bpf or kernel functions are allowed for CAP_BPF and "
	 "CAP_SYS_ADMIN\n",
	 REASON_NO_PERM,
	 "loading/calling other bpf or kernel functions are allowed for CAP_BPF and "
	 "CAP_SYS_ADMIN"},
	{EINVAL,
	 "unknown func bpf_perf_event_read#22\nverification time 12 usec\nstack depth 0\n"
	 "insns processed 0\n" STATS "\n",
	 REASON_VERIFIER, "unknown func bpf_perf_event_read#22"},
};

static void test_from_verifier(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		const struct refusal *c = &refusals[i];
		struct reason r = {.detail = "old"};

		reason__from_verifier(&r, c->err, c->log);
		if (r.code != c->code || strcmp(r.detail, c->detail))
			fail_msg("errno %d, log \"%s\": got %s: \"%s\"", c->err,
				 c->log ? c->log : "(none)", reason__spec(r.code)->name, r.detail);
		/* libbpf's calls return -errno and also set errno */
		reason__from_verifier(&r, -c->err, c->log);
		assert_int_equal(r.code, c->code);
		assert_string_equal(r.detail, c->detail);
	}
}

/* If attaching fails, -524 means that the kernel has no trampoline, and -EBUSY that an extension has the function. */
static void test_from_attach(void **state)
{
	struct reason r;

	reason__from_attach(&r, -524);
	assert_int_equal(r.code, REASON_NO_TRAMPOLINE);
	assert_string_equal(r.detail, "");
	assert_int_equal(r.err, 524);
	reason__from_attach(&r, 524);
	assert_int_equal(r.code, REASON_NO_TRAMPOLINE);
	reason__from_attach(&r, -EBUSY);
	assert_int_equal(r.code, REASON_FREPLACED);
}

/*
 * The detail is the verifier's own message, not the program's source that the log quotes before it.
 */
static void test_from_verifier_last_line(void **state)
{
	struct reason r;

	reason__from_verifier(&r, EINVAL,
			      "; bpf_printk(\"Can attach to only JITed progs\");\n"
			      "5: (85) call bpf_foo#1\n\n  unknown func bpf_foo#1  \r\n\n" STATS);
	assert_int_equal(r.code, REASON_VERIFIER);
	assert_string_equal(r.detail, "unknown func bpf_foo#1");
}

static void test_from_verifier_no_newline(void **state)
{
	struct reason r;

	reason__from_verifier(&r, EINVAL, "Can attach to only JITed progs");
	assert_int_equal(r.code, REASON_NOT_JITED);
	reason__from_verifier(&r, EINVAL, "\n\n \n");
	assert_int_equal(r.code, REASON_VERIFIER);
	assert_string_equal(r.detail, "EINVAL without a message in its log");
}

/* Details are printed on terminals: they must be short and have no control sequences. */
static void test_from_verifier_hostile_log(void **state)
{
	char log[1000];
	struct reason r;

	reason__from_verifier(&r, EINVAL, "bad \x1b[2Jname\tx\n");
	assert_string_equal(r.detail, "bad  [2Jname x");
	memset(log, 'y', sizeof(log));
	log[sizeof(log) - 1] = '\0';
	reason__from_verifier(&r, EINVAL, log);
	assert_int_equal(r.code, REASON_VERIFIER);
	assert_int_equal(strlen(r.detail), sizeof(r.detail) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_spec_out_of_range),
		cmocka_unit_test(test_run_stats),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_fail),
		cmocka_unit_test(test_set_cuts),
		cmocka_unit_test(test_describe),
		cmocka_unit_test(test_from_verifier),
		cmocka_unit_test(test_from_attach),
		cmocka_unit_test(test_from_verifier_last_line),
		cmocka_unit_test(test_from_verifier_no_newline),
		cmocka_unit_test(test_from_verifier_hostile_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
