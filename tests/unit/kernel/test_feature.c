// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests properties of the machine. Those that bprof reads from files are read below a made-up root.
 * Properties that bprof gets by system calls are tested only if they are the same for every user.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <ftw.h>
#include <sys/capability.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "btf/reason.h"
#include "kernel/feature.h"

struct root {
	char path[64];
};

static int setup(void **state)
{
	struct root *r = calloc(1, sizeof(*r));

	if (!r)
		return -1;
	snprintf(r->path, sizeof(r->path), "/tmp/bprof-feature-XXXXXX");
	*state = r;
	return mkdtemp(r->path) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int teardown(void **state)
{
	struct root *r = *state;
	int err = nftw(r->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);

	free(r);
	return err;
}

/* Writes a file below the root, and makes the directories on its path. */
static void write_file(const struct root *r, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", r->path, path);
	for (char *p = full + strlen(r->path) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		assert_true(!mkdir(full, 0700) || errno == EEXIST);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void test_lockdown_text(void **state)
{
	static const struct {
		const char *text;
		enum lockdown level;
	} cases[] = {
		{"[none] integrity confidentiality", LOCKDOWN_NONE},
		{"none [integrity] confidentiality\n", LOCKDOWN_INTEGRITY},
		{"none integrity [confidentiality]", LOCKDOWN_CONFIDENTIALITY},
		{"none integrity confidentiality", LOCKDOWN_UNKNOWN},
		{"none [integrity confidentiality", LOCKDOWN_UNKNOWN},
		{"[integrit] x", LOCKDOWN_UNKNOWN},
		{"[nonesuch]", LOCKDOWN_UNKNOWN},
		{"[]", LOCKDOWN_UNKNOWN},
		{"] [", LOCKDOWN_UNKNOWN},
		/* the name that bprof shows for an unknown state is not one of the kernel */
		{"[unknown]", LOCKDOWN_UNKNOWN},
		{"", LOCKDOWN_UNKNOWN},
		{NULL, LOCKDOWN_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(lockdown__parse(cases[i].text), cases[i].level);
	assert_string_equal(lockdown__name(LOCKDOWN_CONFIDENTIALITY), "confidentiality");
	assert_string_equal(lockdown__name(LOCKDOWN_UNKNOWN), "unknown");
}

static void test_lockdown_file(void **state)
{
	struct root *r = *state;

	/* nothing is mounted below a made-up root: the state is unknown, never "none" */
	assert_int_equal(features__lockdown(r->path), LOCKDOWN_UNKNOWN);
	write_file(r, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	assert_int_equal(features__lockdown(r->path), LOCKDOWN_INTEGRITY);
}

static void test_jit(void **state)
{
	struct root *r = *state;

	assert_int_equal(features__jit_enable(r->path), -ENOENT);
	write_file(r, "/proc/sys/net/core/bpf_jit_enable", "0\n");
	assert_int_equal(features__jit_enable(r->path), 0);
	write_file(r, "/proc/sys/net/core/bpf_jit_enable", "2\n");
	assert_int_equal(features__jit_enable(r->path), 2);
	write_file(r, "/proc/sys/net/core/bpf_jit_enable", "3\n");
	assert_true(features__jit_enable(r->path) < 0);
	write_file(r, "/proc/sys/net/core/bpf_jit_enable", "");
	assert_true(features__jit_enable(r->path) < 0);
	assert_int_equal(features__jit_harden(r->path), -ENOENT);
	write_file(r, "/proc/sys/net/core/bpf_jit_harden", "2\n");
	assert_int_equal(features__jit_harden(r->path), 2);
}

static void test_paranoid(void **state)
{
	struct root *r = *state;
	int level = 99;

	assert_int_equal(features__perf_event_paranoid(r->path, &level), -ENOENT);
	assert_int_equal(level, 99);
	write_file(r, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
	assert_int_equal(features__perf_event_paranoid(r->path, &level), 0);
	assert_int_equal(level, -1);
	write_file(r, "/proc/sys/kernel/perf_event_paranoid", "4\n");
	assert_int_equal(features__perf_event_paranoid(r->path, &level), 0);
	assert_int_equal(level, 4);
	write_file(r, "/proc/sys/kernel/perf_event_paranoid", "x\n");
	assert_int_equal(features__perf_event_paranoid(r->path, &level), -EINVAL);
	write_file(r, "/proc/sys/kernel/perf_event_paranoid", "2 x\n");
	assert_int_equal(features__perf_event_paranoid(r->path, &level), -EINVAL);
	write_file(r, "/proc/sys/kernel/perf_event_paranoid", "");
	assert_int_equal(features__perf_event_paranoid(r->path, &level), -EINVAL);
}

static void test_files(void **state)
{
	struct root *r = *state;
	char *clock;

	assert_false(features__has_vmlinux_btf(r->path));
	write_file(r, "/sys/kernel/btf/vmlinux", "x");
	assert_true(features__has_vmlinux_btf(r->path));

	assert_null(features__clocksource(r->path));
	write_file(r, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
	clock = features__clocksource(r->path);
	assert_string_equal(clock, "hpet");
	free(clock);
}

static void test_cpu_model(void **state)
{
	static const struct {
		const char *cpuinfo, *model;
	} cases[] = {
		{"processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC 7R13\nstepping\t: 1\n",
		 "AMD EPYC 7R13"},
		/* the first of several lines counts, and the key must begin its line */
		{"x model name : A\nmodel name\t: B\nmodel name\t: C\n", "B"},
		{"model name\t: cut short", "cut short"},
		{"processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n",
		 "implementer 0x41 part 0xd0c"},
		{"CPU implementer\t: 0x41\n", ""},
		{"model name\t:\n", ""},
		{"model name\n", ""},
		{"", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *model = cpu_model__parse(cases[i].cpuinfo);

		assert_string_equal(model, cases[i].model);
		free(model);
	}
}

static void remove_file(const struct root *r, const char *path)
{
	char full[128];

	snprintf(full, sizeof(full), "%s%s", r->path, path);
	assert_int_equal(remove(full), 0);
}

static void test_host(void **state)
{
	struct root *r = *state;
	struct host_info host;

	/* a machine without cpuinfo still has a kernel and an architecture */
	assert_int_equal(features__host(r->path, &host), 0);
	assert_string_equal(host.cpu_model, "");
	assert_true(*host.kernel && *host.arch);
	host_info__free(&host);
	assert_null(host.kernel);

	/* if there is a cpuinfo that cannot be read, this is an error */
	write_file(r, "/proc/cpuinfo/directory", "");
	assert_int_equal(features__host(r->path, &host), -EISDIR);
	remove_file(r, "/proc/cpuinfo/directory");
	remove_file(r, "/proc/cpuinfo");

	write_file(r, "/proc/cpuinfo", "model name\t: Made Up\n");
	assert_int_equal(features__host(r->path, &host), 0);
	assert_string_equal(host.cpu_model, "Made Up");
	host_info__free(&host);
}

/* Tests a process without capabilities. Every user may drop them. */
static void test_no_caps(void **state)
{
	cap_t saved = cap_get_proc(), none = cap_get_proc();
	struct reason reason;
	char buf[96], small[10];
	unsigned int all = (1U << BPROF_CAP_CNT) - 1;

	assert_int_equal(cap_clear_flag(none, CAP_EFFECTIVE), 0);
	assert_int_equal(cap_set_proc(none), 0);

	assert_int_equal(features__caps(), 0);
	assert_string_equal(features__missing_caps(all, buf, sizeof(buf)),
			    "CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON");
	assert_string_equal(features__missing_caps(1U << BPROF_CAP_PERFMON, buf, sizeof(buf)),
			    "CAP_PERFMON");
	assert_string_equal(features__missing_caps(0, buf, sizeof(buf)), "");
	assert_string_equal(features__missing_caps(all, small, sizeof(small)), "CAP_SYS_A");

	reason__set(&reason, REASON_NO_PERM, EPERM, NULL);
	features__explain_perm(&reason);
	assert_int_equal(reason.code, REASON_NO_PERM);
	assert_string_equal(reason.detail, "CAP_SYS_ADMIN, CAP_BPF, CAP_PERFMON");

	assert_int_equal(cap_set_proc(saved), 0);
	cap_free(saved);
	cap_free(none);
}

/*
 * If the caller has all capabilities, lockdown is the reason for EPERM only in the mode
 * "confidentiality", which refuses BPF tracing.
 */
static void test_explain_lockdown(void **state)
{
	struct reason reason = {};

	lockdown__explain(LOCKDOWN_CONFIDENTIALITY, &reason);
	assert_int_equal(reason.code, REASON_LOCKDOWN);
	assert_string_equal(reason.detail, "confidentiality");
	lockdown__explain(LOCKDOWN_INTEGRITY, &reason);
	assert_int_equal(reason.code, REASON_SYSTEM);
	assert_string_equal(
		reason.detail,
		"EPERM though no capability is missing: a security module or a sandbox (seccomp) "
		"refuses it; the kernel's lockdown level 'integrity' does not");
	lockdown__explain(LOCKDOWN_NONE, &reason);
	assert_int_equal(reason.code, REASON_SYSTEM);
	assert_null(strstr(reason.detail, "lockdown"));
	lockdown__explain(LOCKDOWN_UNKNOWN, &reason);
	assert_int_equal(reason.code, REASON_SYSTEM);
	assert_non_null(strstr(reason.detail, "lockdown"));
}

static void test_explain_leaves_others(void **state)
{
	struct reason reason;

	reason__set(&reason, REASON_VERIFIER, EINVAL, "some line");
	features__explain_perm(&reason);
	assert_int_equal(reason.code, REASON_VERIFIER);
	assert_string_equal(reason.detail, "some line");
}

static void test_untested_kernel(void **state)
{
	int major, minor;
	char release[64];

	assert_int_equal(sscanf(NEWEST_TESTED_KERNEL, "%d.%d", &major, &minor), 2);
	assert_false(features__is_untested(NEWEST_TESTED_KERNEL));
	snprintf(release, sizeof(release), "%d.%d.99-cloud-amd64", major, minor);
	assert_false(features__is_untested(release));
	snprintf(release, sizeof(release), "%d.%d.0-rc1", major, minor + 1);
	assert_true(features__is_untested(release));
	snprintf(release, sizeof(release), "%d.0", major + 1);
	assert_true(features__is_untested(release));
	snprintf(release, sizeof(release), "%d.%d", major - 1, minor + 1);
	assert_false(features__is_untested(release));
	assert_false(features__is_untested("own"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lockdown_text),
		cmocka_unit_test_setup_teardown(test_lockdown_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_jit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_paranoid, setup, teardown),
		cmocka_unit_test_setup_teardown(test_files, setup, teardown),
		cmocka_unit_test(test_cpu_model),
		cmocka_unit_test_setup_teardown(test_host, setup, teardown),
		cmocka_unit_test(test_untested_kernel),
		cmocka_unit_test(test_no_caps),
		cmocka_unit_test(test_explain_lockdown),
		cmocka_unit_test(test_explain_leaves_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
