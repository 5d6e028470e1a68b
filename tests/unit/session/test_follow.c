// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests that the targets of a program that was loaded during a session belong to the session, or are freed if the
 * session does not take them. Loads, selectors and the session are made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "btf/prog.h"
#include "kernel/prog_refs.h"
#include "session/follow.h"
#include "session/prog_watch.h"
#include "session/session.h"
#include "target/attachments.h"
#include "target/owner.h"
#include "target/prog_arrays.h"
#include "target/target.h"

/* How the made-up functions behave, and how often they were called. */
static struct {
	int select_err;
	enum bpf_prog_type type;
	bool gone;
	int pid, looks;	   /* pid: of the process that loaded the program */
	__u64 lifetime_ns; /* the program is unloaded after this time; 0: it stays loaded */
	int skipped, short_lived, freed, added;
	int added_targets; /* number of targets in the last list that was added */
} made;

/* ---- loads ---- */

static prog_change_fn report_change;
static void *report_arg;

int prog_watch__open(bool new_only, bool comm, prog_change_fn fn, void *arg,
		     struct prog_watch **out)
{
	report_change = fn;
	report_arg = arg;
	*out = NULL;
	return 0;
}

void prog_watch__close(struct prog_watch *w)
{
}

int prog_watch__fd(const struct prog_watch *w)
{
	return -1;
}

int prog_watch__process(struct prog_watch *w, bool last)
{
	const struct prog_change load = {.kind = PROG_LOAD,
					 .id = 42,
					 .name = "made",
					 .tag = "",
					 .gone = made.gone,
					 .pid = made.pid,
					 .time_ns = now_ns()};

	struct prog_change unload = load;
	int err = report_change(&load, report_arg);

	if (err || !made.lifetime_ns)
		return err;
	unload.kind = PROG_UNLOAD;
	unload.time_ns += made.lifetime_ns;
	return report_change(&unload, report_arg);
}

int prog_watch__follow_cpus(struct prog_watch *w)
{
	return 0;
}

/* ---- targets ---- */

int target_list__select_new(const struct selector_list *selectors, __u32 id,
			    struct target_list *targets, struct target_list *out)
{
	static struct prog prog;
	static struct target target;

	prog = (struct prog){.fd = -1, .info = {.type = made.type}};
	target = (struct target){id, &prog, ""};
	*out = (struct target_list){};
	if (!made.select_err)
		*out = (struct target_list){.v = &target, .cnt = 1};
	return made.select_err;
}

void target_list__free(struct target_list *targets)
{
	made.freed++;
}

struct target *target_list__next(const struct target_list *targets, __u32 id,
				 const struct target *prev)
{
	return NULL;
}

void target_list__skip(struct target_list *targets, int index, const struct reason *reason)
{
	assert_int_equal(reason->code, REASON_LATE_EXT);
	made.skipped++;
	targets->cnt--;
}

void target_list__skip_prog(struct target_list *targets, __u32 id, const char *name,
			    const struct reason *reason)
{
	assert_int_equal(reason->code, REASON_SHORT_LIVED);
	made.short_lived++;
}

void target_list__report_skipped(struct target_list *targets)
{
}

bool selector_list__matches(const struct selector_list *list, const char *name, const char *tag,
			    int type)
{
	return true;
}

static const __u32 *owned;
static int owned_cnt;

void selector_list__read_owned(const struct selector_list *list)
{
	made.looks++;
}

int selector_list__owned_ids(const struct selector_list *list, const __u32 **ids)
{
	*ids = owned;
	return owned_cnt;
}

bool selector_list__is_owner(const struct selector_list *list, int pid)
{
	return pid == 77;
}

/* ---- the session: only session__add() is called, which owns the targets ---- */

void session__add(struct session *s, struct target_list *new)
{
	made.added++;
	made.added_targets = new->cnt;
}

bool session__is_busy(const struct session *s, __u32 id)
{
	return false;
}

int session__count_runs(struct session *s, __u32 id, __u64 *runs)
{
	return -EINVAL;
}

void session__detach(struct session *s, __u32 id)
{
}

int session__reattach(struct session *s, __u32 id, struct reason *reason)
{
	return -EINVAL;
}

int session__retire(struct session *s, __u32 id, __u64 ended_ns)
{
	return -EINVAL;
}

/* ---- what follow__check() needs, which is not called ---- */

int prog_refs__open(struct prog_refs **out)
{
	*out = NULL;
	return -EOPNOTSUPP;
}

void prog_refs__close(struct prog_refs *r)
{
}

int prog_refs__read(struct prog_refs *r)
{
	return -EINVAL;
}

int prog_refs__others(const struct prog_refs *r, __u32 id)
{
	return -1;
}

unsigned int attachments__sources(enum bpf_prog_type type)
{
	return 0;
}

void attachments__load_ids(struct attachments *a, unsigned int sources)
{
}

void attachments__free(struct attachments *a)
{
}

const struct attachment *attachments__next(const struct attachments *a, __u32 prog_id,
					   const struct attachment *prev)
{
	return NULL;
}

void prog_arrays__load(struct prog_arrays *a)
{
}

/* ---- tests ---- */

static int follow_one_load(bool nested)
{
	const struct selector_list all = {};
	struct session s = {.env.nested = nested};
	struct follow *f;
	int err;

	assert_int_equal(follow__open(&all, 0, 0, false, &f), 0);
	err = follow__start(f, &s);
	follow__close(f);
	return err;
}

static void test_owner(void **state)
{
	const enum bpf_prog_type XDP = BPF_PROG_TYPE_XDP, EXT = BPF_PROG_TYPE_EXT;
	const struct {
		int select_err;
		enum bpf_prog_type type;
		bool nested;
		int err, skipped, short_lived, freed, added, added_targets;
	} cases[] = {
		/* The session gets the targets, whether it can measure them or not. */
		{0, XDP, false, 0, 0, 0, 0, 1, 1},
		{0, EXT, true, 0, 0, 0, 0, 1, 1},
		{0, EXT, false, 0, 1, 0, 0, 1, 0},
		/* There are no targets. */
		{-ENOENT, XDP, false, 0, 0, 1, 0, 0, 0},
		{-EPERM, XDP, false, -EPERM, 0, 0, 0, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int err;

		memset(&made, 0, sizeof(made));
		made.select_err = cases[i].select_err;
		made.type = cases[i].type;
		err = follow_one_load(cases[i].nested);
		if (err != cases[i].err || made.skipped != cases[i].skipped ||
		    made.short_lived != cases[i].short_lived || made.freed != cases[i].freed ||
		    made.added != cases[i].added || made.added_targets != cases[i].added_targets)
			fail_msg("case %zu: %d, %d skipped, %d short-lived, %d freed, %d added "
				 "with %d targets",
				 i, err, made.skipped, made.short_lived, made.freed, made.added,
				 made.added_targets);
	}
}

/* A program is measured once an owner holds it, which may be after its load. */
static void test_held_later(void **state)
{
	static const __u32 held[] = {7, 42};
	struct owned nothing = {};
	const struct selector_list owners = {.owned = &nothing};
	struct session s = {};
	struct follow *f;

	memset(&made, 0, sizeof(made));
	made.type = BPF_PROG_TYPE_XDP;
	s.targets.skip = calloc(1, sizeof(*s.targets.skip));
	s.targets.skip[0].id = 7; /* the program is held, but could not be measured at the start */
	s.targets.skip_cnt = 1;
	assert_int_equal(follow__open(&owners, 0, 0, false, &f), 0);
	assert_int_equal(follow__start(f, &s), 0);
	assert_int_equal(made.looks, 1);
	assert_int_equal(made.added, 0);
	owned = held;
	owned_cnt = ARRAY_SIZE(held);
	while (made.looks < 2)
		follow__tick(f, 0);
	assert_int_equal(made.added, 1);
	while (made.looks < 3)
		follow__tick(f, 0);
	assert_int_equal(made.added, 1);
	owned_cnt = 0;
	follow__close(f);
	free(s.targets.skip);
}

/* If a program is already unloaded, the process that loaded it counts as its owner. */
static void test_gone(void **state)
{
	struct owned nothing = {};
	const struct selector_list owners = {.owned = &nothing};

	for (int pid = 76; pid <= 77; pid++) {
		struct session s = {};
		struct follow *f;

		memset(&made, 0, sizeof(made));
		made.gone = true;
		made.pid = pid;
		assert_int_equal(follow__open(&owners, 0, 0, false, &f), 0);
		assert_int_equal(follow__start(f, &s), 0);
		assert_int_equal(made.short_lived, pid == 77);
		follow__close(f);
	}
}

/*
 * If an owner has released a program before bprof looked at what it holds, the program is
 * short-lived. A program that lived for longer was not held by its owner.
 */
static void test_released(void **state)
{
	static const struct {
		int pid;
		__u64 lifetime_ns;
		int short_lived;
	} cases[] = {
		{77, 50 * NSEC_PER_MSEC, 1},
		{76, 50 * NSEC_PER_MSEC, 0},
		{77, 5000 * NSEC_PER_MSEC, 0},
	};
	struct owned nothing = {};
	const struct selector_list owners = {.owned = &nothing};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct session s = {};
		struct follow *f;

		memset(&made, 0, sizeof(made));
		made.pid = cases[i].pid;
		made.lifetime_ns = cases[i].lifetime_ns;
		assert_int_equal(follow__open(&owners, 0, 0, false, &f), 0);
		assert_int_equal(follow__start(f, &s), 0);
		assert_int_equal(made.short_lived, cases[i].short_lived);
		assert_int_equal(made.added, 0);
		follow__close(f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_held_later),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
