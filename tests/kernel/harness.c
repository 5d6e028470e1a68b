// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The fixture of a test, and the targets that the test loads. Owns everything that a test loads and
 * attaches. Does not know how bprof is run.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/kernel/drive/hang.h"
#include "tests/kernel/drive/testrun.h"
#include "tests/kernel/harness.h"
#include "tests/kernel/run.h"

int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	hang__forget();
	f->param = *state;
	id_set__read(&f->before);
	*state = f;
	return 0;
}

static void remove_pins(void)
{
	if (system("rm -rf " PIN_DIR))
		fprintf(stderr, "cannot remove " PIN_DIR "\n");
}

int teardown(void **state)
{
	struct fixture *f = *state;
	char what[128];
	int err = 0;

	for (int i = 0; i < f->child_cnt; i++)
		child__free(f->child[i]);
	for (int i = 0; i < f->run_cnt; i++)
		run__free(f->run[i]);
	for (int i = 0; i < f->link_cnt; i++)
		bpf_link__destroy(f->link[i]);
	for (int i = 0; i < f->obj_cnt; i++)
		bpf_object__close(f->obj[i]);
	for (int i = 0; i < f->fd_cnt; i++)
		close(f->fd[i]);
	remove_pins();
	if (!id_set__await(&f->before, what, sizeof(what))) {
		fprintf(stderr, "after the test: %s\n", what);
		err = -1;
	}
	free(f);
	*state = NULL;
	return err;
}

int teardown_jit(void **state)
{
	write_file(JIT_ENABLE, "1");
	return teardown(state);
}

int online_cpus(void)
{
	return get_nprocs();
}

const char *machine_event(void)
{
	return arch_is("x86_64") ? "msr/tsc/" : "cycles";
}

const char *exact_event(void)
{
	return arch_is("x86_64") ? "msr/tsc/" : "instructions";
}

static __u32 id_of(int prog_fd)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(prog_fd, &info, &len), 0);
	return info.id;
}

struct target program_of(struct bpf_object *obj, const char *prog)
{
	struct target t = {.obj = obj};

	t.prog = bpf_object__find_program_by_name(obj, prog);
	if (!t.prog)
		fail_test("no program %s", prog);
	t.fd = bpf_program__fd(t.prog);
	t.id = id_of(t.fd);
	return t;
}

struct bpf_object *open_object(struct fixture *f, const char *path)
{
	/* teardown() removes the pins of maps below this directory. */
	LIBBPF_OPTS(bpf_object_open_opts, opts, .pin_root_path = PIN_DIR);
	struct bpf_object *obj = bpf_object__open_file(path, &opts);

	if (!obj)
		fail_test("%s: %s", path, strerror(errno));
	assert_true(f->obj_cnt < MAX_KEPT);
	f->obj[f->obj_cnt++] = obj;
	return obj;
}

struct bpf_object *try_load_object(struct fixture *f, const char *path)
{
	struct bpf_object *obj = open_object(f, path);

	return bpf_object__load(obj) ? NULL : obj;
}

struct target load_target(struct fixture *f, const char *file, const char *prog)
{
	struct bpf_program *p;
	struct bpf_object *obj;
	char path[256];

	snprintf(path, sizeof(path), PROGS_DIR "/%s.bpf.o", file);
	obj = open_object(f, path);
	bpf_object__for_each_program (p, obj)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), prog));
	if (bpf_object__load(obj))
		fail_test("%s: %s: %s", path, prog, strerror(errno));
	return program_of(obj, prog);
}

void register_struct_ops(struct fixture *f, struct bpf_object *obj, const char *map)
{
	struct bpf_link *link = bpf_map__attach_struct_ops(bpf_object__find_map_by_name(obj, map));

	assert_non_null(link);
	keep_link(f, link);
}

void load_every(struct fixture *f, struct target *out, int cnt)
{
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/many.bpf.o");
	char name[32];

	assert_non_null(obj);
	for (int i = 0; i < cnt; i++) {
		snprintf(name, sizeof(name), "xdp_many_%03d", i * (MANY_PROGS / cnt));
		out[i] = program_of(obj, name);
	}
}

struct target load_struct_ops(struct fixture *f)
{
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/struct_ops.bpf.o");

	assert_non_null(obj);
	register_struct_ops(f, obj, "bprof_test");
	return program_of(obj, "cc_init");
}

void set_jump(struct bpf_object *obj, struct target to)
{
	__u32 key = 0;
	int map = bpf_object__find_map_fd_by_name(obj, "jumps");

	assert_int_equal(bpf_map_update_elem(map, &key, &to.fd, BPF_ANY), 0);
}

struct target load_tracing(struct fixture *f, const char *prog, struct target to, const char *func)
{
	struct bpf_object *obj = bpf_object__open_file(PROGS_DIR "/tracing.bpf.o", NULL);
	struct bpf_program *p;

	assert_non_null(obj);
	f->obj[f->obj_cnt++] = obj;
	bpf_object__for_each_program (p, obj)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), prog));
	p = bpf_object__find_program_by_name(obj, prog);
	assert_int_equal(bpf_program__set_attach_target(p, to.fd, func), 0);
	assert_int_equal(bpf_object__load(obj), 0);
	return program_of(obj, prog);
}

static struct target load_insns(struct fixture *f, const char *name, const struct bpf_insn *insns,
				size_t cnt)
{
	struct target t = {};

	t.fd = bpf_prog_load(BPF_PROG_TYPE_XDP, name, "GPL", insns, cnt, NULL);
	if (t.fd < 0)
		fail_test("%s: %s", name, strerror(errno));
	f->fd[f->fd_cnt++] = t.fd;
	t.id = id_of(t.fd);
	return t;
}

struct target load_raw(struct fixture *f)
{
	static const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return load_insns(f, "no_btf", insns, 2);
}

struct target load_bare(struct fixture *f, const char *name, struct target like)
{
	return load_insns(f, name, bpf_program__insns(like.prog), bpf_program__insn_cnt(like.prog));
}

void keep_link(struct fixture *f, struct bpf_link *link)
{
	assert_true(f->link_cnt < MAX_KEPT);
	f->link[f->link_cnt++] = link;
}

struct bpf_link *try_attach(struct fixture *f, struct target t)
{
	struct bpf_link *link = bpf_program__attach(t.prog);

	if (link)
		keep_link(f, link);
	return link;
}

void unload(struct fixture *f, struct target t)
{
	for (int i = 0; i < f->obj_cnt; i++)
		if (f->obj[i] == t.obj) {
			bpf_object__close(t.obj);
			f->obj[i] = f->obj[--f->obj_cnt];
			return;
		}
	fail_test("not loaded by this test");
}

void close_fd(struct fixture *f, int fd)
{
	for (int i = 0; i < f->fd_cnt; i++)
		if (f->fd[i] == fd) {
			close(fd);
			f->fd[i] = f->fd[--f->fd_cnt];
			return;
		}
	fail_test("not opened by this test");
}

void drive(struct target t, __u64 cnt)
{
	int err = testrun__fd(t.fd, cnt);

	if (err)
		fail_test("test run of program %u: %s", t.id, strerror(-err));
}

bool has_cpus(int cnt)
{
	if (online_cpus() == cnt)
		return true;
	fprintf(stderr, "needs %d CPUs, there are %d\n", cnt, online_cpus());
	return false;
}

bool load_module(const char *name)
{
	struct utsname kernel;
	char text[128];

	uname(&kernel);
	snprintf(text, sizeof(text), "/lib/modules/%s", kernel.release);
	if (access(text, F_OK))
		return true;
	snprintf(text, sizeof(text), "modprobe %s", name);
	return !system(text);
}

void set_online(int cpu, bool on)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	write_file(path, on ? "1" : "0");
}

void set_all_online(int cnt)
{
	for (int cpu = 1; cpu < cnt; cpu++)
		set_online(cpu, true);
}

void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail_test("%s: %s", path, strerror(errno));
	close(fd);
}
