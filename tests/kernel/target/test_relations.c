// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests relations of targets to other programs: tail calls, and extensions of libxdp's dispatcher.
 * Uses the dispatcher and the programs of Debian's xdp-tools.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "tests/kernel/harness.h"

/*
 * Number of rounds of the loop in a run: the kernel allows 33 tail calls (MAX_TAIL_CALL_CNT) after
 * the first round.
 */
#define ROUNDS (1 + 33)

/* Returns a note of a program's row that contains "part", or NULL. */
static const char *find_note(const struct run *r, __u32 id, const char *part)
{
	json_t *notes = json_object_get(row_of(r, id), "notes"), *note;

	for (size_t i = 0; (note = json_array_get(notes, i)); i++)
		if (strstr(json_string_value(note), part))
			return json_string_value(note);
	return NULL;
}

static void assert_note(const struct run *r, __u32 id, const char *part)
{
	if (!find_note(r, id, part))
		fail_test("program %u has no note \"%s\": %s", id, part, r->out);
}

static void assert_no_notes(const struct run *r, __u32 id)
{
	if (json_array_size(json_object_get(row_of(r, id), "notes")))
		fail_test("program %u has notes: %s", id, r->out);
}

static __u32 id_of_map(int fd)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(fd, &info, &len), 0);
	return info.id;
}

static void test_notes(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/tailcall.bpf.o");
	struct target root, leaf, other = load_target(f, "work", "xdp_map");
	char in_array[128];
	struct run *r;

	assert_non_null(obj);
	root = program_of(obj, "tail_root");
	leaf = program_of(obj, "tail_leaf");
	r = bprof(f, "-j -b %u,%u,%u -e time -- true", root.id, leaf.id, other.id);
	assert_status(r, 0);
	assert_note(r, root.id, "makes tail calls: its cost includes the programs it jumps to");
	assert_no_notes(r, leaf.id); /* no prog array has leaf yet */
	assert_no_notes(r, other.id);

	set_jump(obj, leaf);
	r = bprof(f, "-j -b %u,%u,%u -e time -- true", root.id, leaf.id, other.id);
	assert_status(r, 0);
	snprintf(in_array, sizeof(in_array), "it is in prog array %u, jumps)",
		 id_of_map(bpf_object__find_map_fd_by_name(obj, "jumps")));
	assert_note(r, leaf.id, in_array);
	assert_note(r, leaf.id, "not seen by fentry");
	if (find_note(r, leaf.id, "makes tail calls") || find_note(r, root.id, "prog array"))
		fail_test("notes on the wrong program: %s", r->out);
	assert_no_notes(r, other.id);
	r = bprof(f, "-b %u -e time -- true", leaf.id);
	assert_contains(r->out, in_array);
}

/*
 * When the loader of a program has ended, no process has a descriptor of the program's prog array.
 * bprof opens and closes the array. Afterwards, the kernel must free it, which teardown() checks.
 */
static void test_orphan(void **state)
{
	struct fixture *f = *state;
	struct bpf_object *obj = bpf_object__open(PROGS_DIR "/tailcall.bpf.o");

	assert_non_null(obj);
	assert_int_equal(bpf_object__load(obj), 0);
	assert_true(f->fd_cnt < MAX_KEPT);
	f->fd[f->fd_cnt++] = dup(program_of(obj, "tail_root").fd);
	bpf_object__close(obj);
	for (int i = 0; i < 5; i++) {
		assert_status(bprof(f, "list -j"), 0);
		assert_status(bprof(f, "-j --name tail_root -e time -- true"), 0);
	}
}

/* Without CAP_SYS_ADMIN bprof cannot list maps: it writes no notes, and -v says why. */
static void test_unknown(void **state)
{
	struct fixture *f = *state;
	struct target t = load_target(f, "xdp", "xdp_pass");
	struct run *r;

	assert_int_equal(system("mkdir -m 755 -p " PIN_DIR), 0);
	assert_int_equal(bpf_obj_pin(t.fd, PIN_DIR "/prog"), 0);
	assert_int_equal(system("chmod 755 /sys/fs/bpf && chmod 666 " PIN_DIR "/prog"), 0);
	r = command(f, "drive nobody cap_bpf,cap_perfmon bprof -v -j --pinned " PIN_DIR
		       "/prog -e time -- true");
	assert_contains(r->err, "cannot find out which targets are entered by tail calls");
}

static struct run *count_sub(struct fixture *f, struct target t, const char *func, int runs)
{
	return bprof(f, "-j -b %u:%s -e time -- drive testrun %u:%d", t.id, func, t.id, runs);
}

/*
 * Some kernels lose the count of tail calls if a subprogram that makes tail calls is probed. Only
 * on these kernels, bprof refuses to probe such a subprogram. In the test, a program calls itself
 * by tail calls in a loop, and each round is nested in the previous round.
 */
static void test_subprograms(void **state)
{
	static const char *const hops[] = {"sub_hop", "sub_to_hop"};
	bool risk = kernel_is("5.10"); /* Debian's 6.1 has a fix */
	struct fixture *f = *state;
	struct bpf_object *obj = try_load_object(f, PROGS_DIR "/tailcall.bpf.o");
	struct target t;
	struct run *r;

	assert_non_null(obj);
	t = program_of(obj, "tail_in_sub");
	set_jump(obj, t);
	for (int i = 0; i < 2; i++) {
		r = count_sub(f, t, hops[i], 2);
		if (risk) {
			assert_status(r, 4);
			assert_string_equal(skip_reason(r, t.id), "tail_call_risk");
			assert_contains(r->err, hops[i]);
			assert_contains(r->err, "can make this kernel loop");
			continue;
		}
		assert_status(r, 0);
		assert_int_equal(num(row_of(r, t.id), "runs"), 2 * ROUNDS);
		assert_note(r, t.id, "makes tail calls");
	}
	set_jump(obj, program_of(obj, "tail_leaf"));
	r = count_sub(f, t, "sub_plain", 5);
	assert_status(r, 0);
	assert_counted(r, t.id, 5);
	assert_no_notes(r, t.id);
}

/* The same layout as struct xdp_dispatcher_config in xdp-dispatcher.o. */
struct dispatcher_config {
	__u8 magic, version, prog_cnt, is_frags;
	__u32 chain_call_actions[10];
};

static struct bpf_object *open_xdp_tools(struct fixture *f, const char *file)
{
	const char *dir = getenv("XDP_TOOLS_DIR");
	char path[512];

	assert_non_null(dir);
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return open_object(f, path);
}

/*
 * Loads a dispatcher for two programs, as libxdp does. The dispatcher calls the second program
 * after any verdict of the first one.
 */
static struct target load_dispatcher(struct fixture *f)
{
	struct dispatcher_config *data;
	const void *initial;
	struct bpf_object *obj;
	struct bpf_program *p;
	struct bpf_map *map;
	size_t sz;

	if (kernel_is("5.10"))
		skip_test("extensions", "links do not say what is extended");
	obj = open_xdp_tools(f, "xdp-dispatcher.o");
	bpf_object__for_each_program (p, obj)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), "xdp_dispatcher"));
	map = bpf_object__next_map(obj, NULL);
	initial = bpf_map__initial_value(map, &sz);
	assert_non_null(initial);
	data = malloc(sz);
	assert_non_null(data);
	memcpy(data, initial, sz);
	data->prog_cnt = 2;
	data->chain_call_actions[0] = data->chain_call_actions[1] = ~0U;
	assert_int_equal(bpf_map__set_initial_value(map, data, sz), 0);
	free(data);
	assert_int_equal(bpf_object__load(obj), 0);
	return program_of(obj, "xdp_dispatcher");
}

static struct target extend(struct fixture *f, struct target dispatcher, const char *file,
			    const char *func)
{
	struct bpf_object *obj = open_xdp_tools(f, file);
	struct bpf_program *p = bpf_object__next_program(obj, NULL);
	struct bpf_link *link;

	assert_int_equal(bpf_program__set_type(p, BPF_PROG_TYPE_EXT), 0);
	assert_int_equal(bpf_program__set_expected_attach_type(p, 0), 0);
	assert_int_equal(bpf_program__set_attach_target(p, dispatcher.fd, func), 0);
	assert_int_equal(bpf_object__load(obj), 0);
	link = bpf_program__attach_trace(p);
	assert_non_null(link);
	keep_link(f, link);
	return program_of(obj, bpf_program__name(p));
}

/*
 * The programs of a test: a dispatcher, an unrelated program, and the dispatcher's extensions, in
 * the order in which they are loaded.
 */
struct chain {
	struct target dispatcher, between, second, first;
};

static struct chain load_chain(struct fixture *f)
{
	struct chain c;

	c.dispatcher = load_dispatcher(f);
	c.between = load_target(f, "xdp", "xdp_pass");
	c.second = extend(f, c.dispatcher, "xdpfilt_dny_ip.o", "prog1");
	c.first = extend(f, c.dispatcher, "xdpfilt_alw_all.o", "prog0");
	return c;
}

/* Checks that the rows of these programs are adjacent and in this order. */
static void assert_order(const struct run *r, const __u32 *ids, size_t cnt)
{
	json_t *rows = json_object_get(r->json, "programs"), *row;
	size_t next = 0;

	for (size_t i = 0; next < cnt && (row = json_array_get(rows, i)); i++) {
		if (num(row, "id") == ids[next])
			next++;
		else if (next)
			break;
	}
	if (next < cnt)
		fail_test("program %u is not where it belongs: %s", ids[next], r->out);
}

static void test_list_extensions(void **state)
{
	struct fixture *f = *state;
	const struct chain c = load_chain(f);
	const __u32 order[] = {c.dispatcher.id, c.first.id, c.second.id, c.between.id};
	struct run *r;
	json_t *row;

	r = command(f, "bprof list -j");
	assert_status(r, 0);
	assert_order(r, order, 4);
	row = row_of(r, c.second.id);
	assert_string_equal(str(row, "type"), "ext");
	assert_string_equal(str(row, "method"), "fentry");
	assert_int_equal(num(row, "extends.prog_id"), c.dispatcher.id);
	assert_string_equal(str(row, "extends.func"), "prog1");
	assert_null(json_object_get(row_of(r, c.dispatcher.id), "extends"));

	r = command(f, "bprof list");
	assert_contains(r->out, "    xdpfilt_alw_all ");
	assert_contains(r->out, "freplace xdp_dispatcher:prog0");
	assert_contains(r->out, "freplace xdp_dispatcher:prog1");

	/* --name selects an extension by the dispatcher's name and by the extension's own name. */
	r = command(f, "bprof list -j --name xdp_dispatcher");
	assert_order(r, order, 3);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 3);
	r = command(f, "bprof list -j --name xdpfilt_dny_ip");
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
	assert_int_equal(num(row_of(r, c.second.id), "extends.prog_id"), c.dispatcher.id);
	r = command(f, "bprof list -j --name xdp_pass");
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
}

static void test_stat_extensions(void **state)
{
	struct fixture *f = *state;
	const struct chain c = load_chain(f);
	const __u32 order[] = {c.dispatcher.id, c.first.id, c.second.id};
	char note[128];
	struct run *r;

	r = bprof(f,
		  "-j --name xdp_dispatcher --name xdp_pass -e %s,time -- drive testrun %u:50 %u:7",
		  machine_event(), c.dispatcher.id, c.between.id);
	assert_status(r, 0);
	assert_order(r, order, 3);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 4);
	for (int i = 0; i < 3; i++)
		assert_counted(r, order[i], 50);
	assert_counted(r, c.between.id, 7);
	snprintf(note, sizeof(note), "extends program %u (xdp_dispatcher) in place of prog1",
		 c.dispatcher.id);
	assert_note(r, c.second.id, note);
	assert_note(r, c.dispatcher.id, "2 extensions");
	assert_no_notes(r, c.between.id);

	/* An id, or the name of an extension, selects only that program. */
	r = bprof(f, "-j -b %u -e time -- drive testrun %u:50", c.dispatcher.id, c.dispatcher.id);
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
	assert_counted(r, c.dispatcher.id, 50);
	assert_no_notes(r, c.dispatcher.id);
	r = bprof(f, "-j --name xdpfilt_dny_ip -e time -- drive testrun %u:50", c.dispatcher.id);
	assert_status(r, 0);
	assert_int_equal(json_array_size(json_object_get(r->json, "programs")), 1);
	assert_counted(r, c.second.id, 50);
	assert_note(r, c.second.id, note);
}

static json_int_t min_cost_of(const struct run *r, __u32 id)
{
	assert_status(r, 0);
	return num(event_of(row_of(r, id), exact_event()), "per_run.min");
}

/*
 * No number includes the probe of another target: each target costs the same as if it were measured
 * alone.
 */
static void test_extensions_net(void **state)
{
	struct fixture *f = *state;
	const struct chain c = load_chain(f);
	const __u32 ids[] = {c.dispatcher.id, c.second.id, c.first.id};
	struct run *all, *alone;

	all = bprof(f, "-j --name xdp_dispatcher -e %s -- drive testrun %u:50", exact_event(),
		    c.dispatcher.id);
	for (int i = 0; i < 3; i++) {
		alone = bprof(f, "-j -b %u -e %s -- drive testrun %u:50", ids[i], exact_event(),
			      c.dispatcher.id);
		if (llabs(min_cost_of(all, ids[i]) - min_cost_of(alone, ids[i])) > 2)
			fail_test("program %u costs with the others %s, alone %s", ids[i], all->out,
				  alone->out);
	}
	assert_true(real(event_of(row_of(all, ids[0]), exact_event()), "per_run.self") <
		    real(event_of(row_of(all, ids[0]), exact_event()), "per_run.mean") -
			    min_cost_of(all, ids[1]) - min_cost_of(all, ids[2]) + 2);
}

/* An extension of a function of an XDP program gets that program's packets. */
static void test_extension_packets(void **state)
{
	struct fixture *f = *state;
	const struct chain c = load_chain(f);
	struct run *r;

	r = bprof(f,
		  "trace -j -b %u -e time --every 1 --snap 8 --arg 'ctx->rx_queue_index' -- drive "
		  "testrun %u:3",
		  c.second.id, c.dispatcher.id);
	assert_status(r, 0);
	assert_contains(r->out, "\"args\":[{\"expr\":\"ctx->rx_queue_index\",\"value\":0}]");
	assert_contains(r->out,
			"\"packet\":{\"len\":64,\"snapped\":8,\"data\":\"0200000000010200\"}");
	assert_contains(r->out, "\"records\":3");

	r = bprof(f, "-j -b %u -e time --by ifindex -- drive testrun %u:3", c.second.id,
		  c.dispatcher.id);
	assert_status(r, 0);
	assert_counted(r, c.second.id, 3);
	assert_string_equal(str(row_of(r, c.second.id), "key_name"), "lo");

	/*
	 * With --func, runs of extensions are shares of the dispatcher's runs, without records of
	 * their own.
	 */
	r = bprof(f,
		  "trace -j --name xdp_dispatcher --func '*' -e time --every 1 --snap 8 -- drive "
		  "testrun %u:3",
		  c.dispatcher.id);
	assert_status(r, 0);
	assert_contains(r->out, "\"records\":3");
	assert_contains(r->out, "\"func\":\"xdpfilt_dny_ip\"");
}

KTEST_GROUP(extensions, "a dispatcher and its extensions", NULL, ON(EXACT, RISCV64),
	    KTEST(test_extensions_net), KTEST(test_extension_packets));

KTEST_GROUP(relations, "tail calls and extensions", NULL, ON(SMP4, OLD), KTEST(test_notes),
	    KTEST(test_orphan), KTEST(test_unknown), KTEST(test_subprograms),
	    KTEST(test_list_extensions), KTEST(test_stat_extensions));
