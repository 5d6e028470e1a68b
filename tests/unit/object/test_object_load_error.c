// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the messages about object files that cannot be opened or loaded: files that are no BPF objects, and
 * objects with maps and programs that the kernel refuses. This file replaces libbpf's bpf_object__load(), so
 * that a test chooses what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/libbpf.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/util.h"
#include "bpf/bperf.h"
#include "bpf/bperf_tasks.skel.h"
#include "kernel/log_libbpf.h"
#include "object/object_load.h"

/* Returns the beginning of messages on files that libbpf refuses, with "rest" behind it. */
static const char *cannot_open(const char *rest)
{
	static char text[256];

	snprintf(text, sizeof(text),
		 ": cannot be opened by libbpf %s, which bprof is linked with: %s",
		 libbpf_version_string() + 1, rest);
	return text;
}

/* ---- the kernel ---- */

static struct {
	const char *map;  /* the name of a map that cannot be created, or NULL */
	const char *prog; /* the name of a program that cannot be loaded, or NULL */
	int err;
	int most_maps;	    /* an object cannot have more maps */
	const char *log;    /* the verifier's log on the program */
	const char *reason; /* what libbpf says about the failure, or NULL */
	bool lacks_type;    /* there are no programs of any type */
} refused;

static int refuse(void)
{
	if (refused.reason)
		log_debug("libbpf: %s", refused.reason);
	return refused.err;
}

int bpf_object__load(struct bpf_object *obj)
{
	struct bpf_program *prog;
	struct bpf_map *map;
	int maps = 0;

	bpf_object__for_each_map (map, obj) {
		bool wanted = bpf_map__autocreate(map);

		maps += wanted;
		if (wanted && refused.map && !strcmp(bpf_map__name(map), refused.map))
			return refuse();
		log_debug("libbpf: map 'x': %s",
			  wanted ? "created successfully, fd=5" : "skipped auto-creating...");
	}
	if (maps > refused.most_maps)
		return refuse();
	bpf_object__for_each_program (prog, obj) {
		size_t sz;
		char *log;

		if (!bpf_program__autoload(prog))
			log_debug("libbpf: prog 'x': skipped loading");
		if (!bpf_program__autoload(prog) || !refused.prog ||
		    strcmp(bpf_program__name(prog), refused.prog))
			continue;
		log = (char *)bpf_program__log_buf(prog, &sz);
		if (log && refused.log)
			snprintf(log, sz, "%s", refused.log);
		return refuse();
	}
	return 0;
}

int libbpf_probe_bpf_prog_type(enum bpf_prog_type type, const void *opts)
{
	return !refused.lacks_type;
}

/* ---- the file and the messages ---- */

static char path[] = "/tmp/bench_load_error.XXXXXX";

static void write_object(const void *data, size_t sz)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, sz, f), sz);
	assert_int_equal(fclose(f), 0);
}

/* Writes a real object. hidden: the name of a section that loses its first character, or NULL. */
static void write_real(const char *hidden)
{
	size_t sz;
	const void *object = bperf_tasks_bpf__elf_bytes(&sz);
	char *copy = malloc(sz);
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)copy;
	Elf64_Shdr *section;
	const char *names;

	assert_non_null(copy);
	memcpy(copy, object, sz);
	section = (Elf64_Shdr *)(copy + head->e_shoff);
	names = copy + section[head->e_shstrndx].sh_offset;
	for (int i = 0; hidden && i < head->e_shnum; i++)
		if (!strcmp(names + section[i].sh_name, hidden))
			section[i].sh_name++;
	write_object(copy, sz);
	free(copy);
}

/* The logged messages, a line for each, without the path. The buffer is static, because allocations may fail here. */
static char messages[4096];

static void keep_message(void *arg, enum log_level level, const char *message)
{
	size_t len = strlen(messages), own = strlen(path);
	bool named = !strncmp(message, path, own);

	snprintf(messages + len, sizeof(messages) - len, "%s%s\n",
		 level == LOG_LEVEL_INFO ? "info" : "", message + (named ? own : 0));
}

static const struct log_sink usual = {.write = keep_message, .max = LOG_LEVEL_INFO},
			     verbose = {.write = keep_message, .max = LOG_LEVEL_DEBUG};

/* ---- files ---- */

#define NOT_ELF ": not an ELF file; give an object file compiled with clang -target bpf -g -c\n"
#define NOT_BPF ": an ELF file, but not a BPF object; compile it with clang -target bpf -g -c\n"
#define OTHER_ORDER \
	": compiled for the other byte order; compile it with clang -target bpf, not -target "

static void test_check_file(void **state)
{
	const Elf64_Ehdr good = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
				 .e_type = ET_REL,
				 .e_machine = EM_BPF};
	Elf64_Ehdr old = good, small = good, program = good, other = good, swapped = good;
	const struct {
		const void *data;
		size_t sz;
		const char *want;
	} cases[] = {
		{&good, sizeof(good), ""},
		{&old, sizeof(old), ""},
		{&good, 0, NOT_ELF},
		{&good, EI_NIDENT - 1, NOT_ELF},
		{"#!/bin/sh, a file that is long enough", 30, NOT_ELF},
		{&good, sizeof(good) - 1, NOT_BPF},
		{&small, sizeof(small), NOT_BPF},
		{&program, sizeof(program), NOT_BPF},
		{&other, sizeof(other), NOT_BPF},
		{&swapped, sizeof(swapped), OTHER_ORDER "bpfeb\n"},
	};

	old.e_machine = EM_NONE; /* what old versions of clang write */
	small.e_ident[EI_CLASS] = ELFCLASS32;
	program.e_type = ET_EXEC;
	other.e_machine = EM_X86_64;
	swapped.e_ident[EI_DATA] = ELFDATA2MSB;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct bench_load l = {.path = path};

		write_object(cases[i].data, cases[i].sz);
		messages[0] = '\0';
		assert_int_equal(bench_load__check_file(&l), *cases[i].want ? -EINVAL : 0);
		assert_string_equal(messages, cases[i].want);
	}
}

static void test_no_file(void **state)
{
	struct bench_load l = {.path = "/"};

	messages[0] = '\0';
	assert_int_equal(bench_load__check_file(&l), -EISDIR);
	l.path = "/none.o";
	assert_int_equal(bench_load__check_file(&l), -ENOENT);
	assert_string_equal(messages, "/: Is a directory\n/none.o: No such file or directory\n");
}

/* Checks the message about the file if libbpf fails with this error. */
static void explain_open(int err, int want_err, const char *want)
{
	const struct bench_load l = {.path = path};

	messages[0] = '\0';
	assert_int_equal(bench_load__explain_open(&l, err), want_err);
	assert_string_equal(messages, want);
}

static void test_explain_open(void **state)
{
	write_real(".BTF");
	explain_open(-ENOENT, -EINVAL,
		     ": has no BTF, which libbpf needs for its maps; compile it with clang -g\n");
	write_real(NULL);
	explain_open(-ENOENT, -ENOENT,
		     cannot_open("No such file or directory; -vv shows libbpf's messages\n"));
	explain_open(-LIBBPF_ERRNO__FORMAT, -EINVAL,
		     cannot_open("BPF object format invalid; -vv shows libbpf's messages\n"));
}

/* With -vv, libbpf's messages are shown, too. */
static void test_verbose(void **state)
{
	messages[0] = '\0';
	write_real(".maps");
	assert_int_equal(bench_load__explain_open(&(struct bench_load){.path = path}, -ENOTSUP),
			 -EINVAL);
	assert_ptr_equal(strstr(messages, cannot_open("Operation not supported: ")), messages);
	assert_non_null(strstr(messages, "legacy map definitions"));
	assert_non_null(strstr(messages, "; declare its maps with SEC(\".maps\")\n"));
	assert_null(strstr(messages, "\nlibbpf: "));
	messages[0] = '\0';
	log__set_sink(&verbose);
	assert_int_equal(bench_load__explain_open(&(struct bench_load){.path = path}, -ENOTSUP),
			 -EINVAL);
	log__set_sink(&usual);
	assert_int_equal(strncmp(messages, "libbpf: loading ", 16), 0);
	assert_non_null(strstr(messages, "\nlibbpf: "));
	assert_non_null(strstr(messages, cannot_open("")));
}

/* ---- maps and programs that the kernel refuses ---- */

#define PROGS 3

struct drop {
	struct bench_load l;
	struct bench_setup setup;
	bool wanted[PROGS], measured[PROGS];
};

static struct drop begin_drop(void)
{
	struct drop d = {.l = {.path = path, .prog_cnt = PROGS},
			 .wanted = {true, true, true},
			 .measured = {true}};

	memset(&refused, 0, sizeof(refused));
	refused.most_maps = 100;
	refused.err = -EINVAL;
	messages[0] = '\0';
	return d;
}

static int drop(struct drop *d, int err)
{
	d->l.setup = &d->setup;
	d->l.wanted = d->wanted;
	d->l.measured = d->measured;
	return bench_load__drop(&d->l, err);
}

static void end_drop(struct drop *d)
{
	bench_skips__free(d->l.skip, d->l.skip_cnt);
}

/* Checks that nothing of the object can be loaded, and the message about that. */
static void check_whole(struct drop *d, int err, int want_err, const char *want)
{
	assert_int_equal(drop(d, err), want_err);
	assert_string_equal(messages, want);
	assert_int_equal(d->l.skip_cnt, 0);
	end_drop(d);
}

static void test_map(void **state)
{
	struct bench_map_size size = {.name = "bprof_keys", .part = MAP_KEY};
	struct drop d = begin_drop();

	refused.map = "bprof_keys";
	assert_int_equal(drop(&d, -EINVAL), -EINVAL);
	assert_int_equal(strncmp(messages, ": map bprof_keys (hash, key 8, value ", 37), 0);
	assert_non_null(strstr(messages, "): cannot be created: Invalid argument\n"));
	/* An object may leave the sizes of maps to its loader. */
	d.setup.size = &size;
	d.setup.size_cnt = 1;
	assert_int_equal(drop(&d, -EINVAL), -EINVAL);
	assert_non_null(strstr(messages, ": map bprof_keys (hash, key 0, value "));
	assert_non_null(strstr(messages,
			       "Invalid argument; the object may leave the size of its keys "
			       "to its loader: --map-key-size bprof_keys=BYTES\n"));
	size.part = MAP_VALUE;
	assert_int_equal(drop(&d, -EINVAL), -EINVAL);
	assert_non_null(strstr(messages,
			       "; the object may leave the size of its values to its loader: "
			       "--map-value-size bprof_keys=BYTES\n"));
	refused.err = -EPERM;
	messages[0] = '\0';
	assert_int_equal(drop(&d, -EPERM), -EPERM);
	assert_non_null(strstr(messages, "cannot be created: Operation not permitted"));
	end_drop(&d);
}

/* The reason is from the load that failed, not from a later load that did not fail. */
static void test_together(void **state)
{
	struct drop d = begin_drop();

	refused.most_maps = 2;
	refused.err = -ENOSPC;
	refused.reason = "too many maps.";
	check_whole(&d, -EINVAL, -ENOSPC,
		    ": cannot be loaded: No space left on device: too many maps\n");
	d = begin_drop();
	refused.most_maps = -1; /* not even an object without maps can be loaded */
	refused.err = -LIBBPF_ERRNO__KVER;
	refused.reason = "extern (kcfg) 'CONFIG_X': value not found";
	check_whole(
		&d, -EINVAL, -EINVAL,
		": cannot be loaded: Incorrect kernel version: extern (kcfg) 'CONFIG_X': value not "
		"found; give the kernel's configuration with --kconfig FILE\n");
	d = begin_drop();
	/*
	 * EBADF only means that libbpf could not fill a prog array. So each program counts as
	 * loaded, and none is the reason.
	 */
	refused.prog = "bprof_on_exit";
	refused.err = -EBADF;
	check_whole(&d, -E2BIG, -E2BIG,
		    ": cannot be loaded: Argument list too long; -vv shows libbpf's messages\n");
}

#define LOG "0: (b7) r0 = 0\n\033[1mR1 is wrong\nprocessed 1 insns\n"

static void test_prog(void **state)
{
	static const struct {
		int err;
		const char *log, *reason;
		bool lacks_type;
		const char *why, *shown; /* shown NULL: the same as why */
	} cases[] = {
		{-EACCES, LOG, "a message that the log makes needless", false,
		 "cannot be loaded: Permission denied; the verifier's last line: \033[1mR1 is "
		 "wrong",
		 "cannot be loaded: Permission denied; the verifier's last lines:\n"
		 "  0: (b7) r0 = 0\n  \\x1b[1mR1 is wrong"},
		{-ESRCH, "", "prog 'x': failed to find kernel BTF type ID of 'x': -3.", false,
		 "cannot be loaded: No such process: prog 'x': failed to find kernel BTF type ID "
		 "of 'x': "
		 "-3; if its loader chooses the function, name one with --type "
		 "PROG=fentry/FUNCTION",
		 NULL},
		{-EINVAL, "", NULL, false,
		 "cannot be loaded: Invalid argument; the verifier's log is empty, -vv shows "
		 "libbpf's "
		 "messages",
		 NULL},
		{-524, "", "strerror_r(524)=22", false,
		 "cannot be loaded: this kernel's JIT does not compile it, perhaps for lack of "
		 "executable memory (524): strerror_r(524)=22",
		 NULL},
		{-EINVAL, "", "a reason", true,
		 "cannot be loaded: this kernel has no programs of type raw_tracepoint", NULL},
		{-EINVAL, LOG, NULL, true,
		 "cannot be loaded: Invalid argument; the verifier's last line: \033[1mR1 is wrong",
		 "cannot be loaded: Invalid argument; the verifier's last lines:\n"
		 "  0: (b7) r0 = 0\n  \\x1b[1mR1 is wrong"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drop d = begin_drop();
		char want[512];

		refused.prog = "bprof_on_exec";
		refused.err = cases[i].err;
		refused.log = cases[i].log;
		refused.reason = cases[i].reason;
		refused.lacks_type = cases[i].lacks_type;
		snprintf(want, sizeof(want), ": program bprof_on_exec: %s\n",
			 cases[i].shown ?: cases[i].why);
		assert_int_equal(drop(&d, -EINVAL), 0);
		assert_string_equal(messages, want);
		assert_int_equal(d.l.skip_cnt, 1);
		assert_string_equal(d.l.skip[0].prog, "bprof_on_exec");
		assert_string_equal(d.l.skip[0].why, cases[i].why);
		assert_true(d.l.skip[0].failed);
		assert_true(d.wanted[0] && !d.wanted[1] && d.wanted[2]);
		end_drop(&d);
	}
}

/* If only the verifier's figures are missing, this is an error only if the user asked for nothing else. */
static void test_figures(void **state)
{
	static const struct {
		bool nothing_runs;
		int prog_cnt;
		bool failed;
		const char *want;
	} cases[] = {
		{false, 0, false, "info: program bprof_on_exec: cannot be loaded: Argument list"},
		{true, 0, false, ": program bprof_on_exec: cannot be loaded: Argument list"},
		{false, 1, true, ": program bprof_on_exec: cannot be loaded: Argument list"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct drop d = begin_drop();

		refused.prog = "bprof_on_exec";
		refused.err = -E2BIG;
		d.l.for_figures = true;
		d.l.nothing_runs = cases[i].nothing_runs;
		d.setup.prog_cnt = cases[i].prog_cnt;
		assert_int_equal(drop(&d, -EINVAL), 0);
		assert_int_equal(strncmp(messages, cases[i].want, strlen(cases[i].want)), 0);
		assert_int_equal(d.l.skip[0].failed, cases[i].failed);
		end_drop(&d);
	}
}

/* bprof does not try to load a program that is not wanted. */
static void test_not_wanted(void **state)
{
	struct drop d = begin_drop();

	refused.prog = "bprof_on_exec";
	d.wanted[1] = false;
	check_whole(&d, -EINVAL, -EINVAL,
		    ": cannot be loaded: Invalid argument; -vv shows libbpf's messages\n");
}

static int set_up(void **state)
{
	int fd = mkstemp(path);

	close(fd);
	log__set_sink(&usual);
	log_libbpf__begin();
	write_real(NULL);
	return fd < 0;
}

static int tear_down(void **state)
{
	log__set_sink(NULL);
	return unlink(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_prog),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_not_wanted),
		/* These tests write other files in the place of the object. */
		cmocka_unit_test(test_check_file),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_explain_open),
		cmocka_unit_test(test_verbose),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
