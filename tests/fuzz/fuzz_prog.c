// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes everything that is derived from prog_info: functions, map ids, names, the call graph, and
 * which functions reach a tail call. "make fuzz" runs it.
 *
 * The input is the kernel's information about a program (prog_input.h). The two libbpf calls that
 * query the kernel are defined here and answer as kernel/bpf/syscall.c does: counts do not depend
 * on the request, and of each array as many elements are copied as fit.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/util.h"
#include "btf/call_graph.h"
#include "btf/prog.h"
#include "btf/reason.h"
#include "btf/tail_calls.h"
#include "tests/fuzz/check_funcs.h"
#include "tests/fuzz/prog_input.h"

#define BTF_ID 7

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz);

/* The fake kernel, whose answers come from the input. */
static struct {
	struct prog_input_header head;
	const uint8_t *array[PROG_ARRAY_CNT];
	int calls; /* number of calls so far */
	int prog_fd, btf_fd;
} kernel;

static int print_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	libbpf_set_print(print_nothing);
	return 0;
}

/* ---- the fake kernel's answers ---- */

static int fail_maybe(void)
{
	if (++kernel.calls != kernel.head.fails)
		return 0;
	errno = kernel.calls % 2 ? EPERM : ENOMEM;
	return -errno;
}

/*
 * Copies one array of cnt elements of elem_sz bytes. The caller requested *user_cnt elements; as in
 * bpf_prog_get_info_by_fd(), nothing is written if it requested none.
 */
static void copy_array(enum prog_array_id id, __u32 cnt, __u32 elem_sz, __u32 *user_cnt, __u64 to)
{
	__u32 room = *user_cnt;

	*user_cnt = cnt;
	if (room && cnt)
		memcpy((void *)(unsigned long)to, kernel.array[id],
		       (size_t)(room < cnt ? room : cnt) * elem_sz);
}

static __u32 map_cnt(void)
{
	__u32 cnt = kernel.head.sz[PROG_MAP_IDS] / sizeof(__u32);

	/* the first call is the one that opens the program */
	if (kernel.calls > 1)
		return cnt;
	return cnt > kernel.head.late_maps ? cnt - kernel.head.late_maps : 0;
}

static void answer_prog(struct bpf_prog_info *info)
{
	const struct prog_input_header *h = &kernel.head;
	__u32 rec_sz = h->rec_sz;

	info->type = h->type;
	info->id = 42;
	info->btf_id = h->flags & PROG_INPUT_NO_BTF ? 0 : BTF_ID;
	info->jited_prog_len = h->jited;
	memcpy(info->tag, h->tag, sizeof(info->tag));
	memcpy(info->name, h->name, sizeof(info->name) - 1);
	info->name[sizeof(info->name) - 1] = '\0';
	copy_array(PROG_MAP_IDS, map_cnt(), sizeof(__u32), &info->nr_map_ids, info->map_ids);
	if (h->flags & PROG_INPUT_WITHHELD) {
		info->xlated_prog_insns = 0;
		info->xlated_prog_len = h->sz[PROG_INSNS];
	} else {
		copy_array(PROG_INSNS, h->sz[PROG_INSNS], 1, &info->xlated_prog_len,
			   info->xlated_prog_insns);
	}
	copy_array(PROG_FUNC_INFO, rec_sz ? h->sz[PROG_FUNC_INFO] / rec_sz : 0, rec_sz,
		   &info->nr_func_info, info->func_info);
	info->func_info_rec_size = rec_sz;
}

int bpf_obj_get_info_by_fd(int fd, void *info, __u32 *info_len)
{
	struct bpf_btf_info *btf = info;
	int err = fail_maybe();

	if (err)
		return err;
	if (fd == kernel.prog_fd) {
		require(*info_len == sizeof(struct bpf_prog_info));
		answer_prog(info);
		return 0;
	}
	require(fd == kernel.btf_fd && *info_len == sizeof(*btf));
	copy_array(PROG_BTF, kernel.head.sz[PROG_BTF], 1, &btf->btf_size, btf->btf);
	return 0;
}

int bpf_btf_get_fd_by_id(__u32 id)
{
	int err = fail_maybe();

	require(id == BTF_ID && kernel.btf_fd < 0);
	if (err)
		return err;
	kernel.btf_fd = memfd_create("btf", MFD_CLOEXEC);
	require(kernel.btf_fd >= 0);
	return kernel.btf_fd;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* ---- a second implementation of the call graph, to compare with ---- */

/*
 * Returns the function that instruction i refers to, -1 if it refers to none, or -2 if the function
 * is not in the table, or is one of several. A call has only 16 bits of the distance.
 */
static int callee_of(const struct bpf_insn *insns, __u32 i, const struct func_table *t)
{
	__s64 distance, modulus;
	int callee = -2;

	if (insns[i].code == (BPF_JMP | BPF_CALL) && insns[i].src_reg == BPF_PSEUDO_CALL) {
		distance = insns[i].off;
		modulus = 1 << 16;
	} else if (insns[i].code == (BPF_LD | BPF_IMM | BPF_DW) &&
		   insns[i].src_reg == BPF_PSEUDO_FUNC) {
		distance = insns[i].imm;
		modulus = 1LL << 32;
	} else {
		return -1;
	}
	for (__u32 f = 0; f < t->cnt; f++) {
		if (((__s64)t->fn[f].insn_off - i - 1 - distance) % modulus)
			continue;
		if (callee >= 0)
			return -2;
		callee = f;
	}
	return callee;
}

static bool is_tail_call(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == 0 &&
	       insn->imm == BPF_FUNC_tail_call;
}

/* True if instruction i reaches a tail call, as far as reach[] knows the functions so far. */
static bool insn_reaches(const struct bpf_insn *insns, __u32 i, const struct func_table *t,
			 const bool *reach)
{
	int callee = callee_of(insns, i, t);

	return is_tail_call(&insns[i]) || callee == -2 || (callee >= 0 && reach[callee]);
}

static bool any_tail_call(const struct bpf_insn *insns, __u32 cnt)
{
	for (__u32 i = 0; i < cnt; i++)
		if (is_tail_call(&insns[i]))
			return true;
	return false;
}

/*
 * Marks each function that has an instruction that reaches a tail call. Repeats this until nothing
 * changes.
 */
static void fill_reach(const struct bpf_insn *insns, __u32 cnt, const struct func_table *t,
		       bool *reach)
{
	for (bool changed = any_tail_call(insns, cnt); changed;) {
		__u32 f = 0;

		changed = false;
		for (__u32 i = 0; i < cnt; i++) {
			while (f + 1 < t->cnt && t->fn[f + 1].insn_off <= i)
				f++;
			if (reach[f] || !insn_reaches(insns, i, t, reach))
				continue;
			reach[f] = changed = true;
		}
	}
}

/* Requires that the graph has each call that exists, and no others. */
static void check_graph(const struct bpf_insn *insns, __u32 cnt, const struct func_table *t)
{
	bool *want = calloc((size_t)t->cnt * t->cnt, sizeof(*want));
	__u8 *calls;
	__u32 f = 0;

	require(want);
	for (__u32 i = 0; i < cnt; i++) {
		int want_callee = callee_of(insns, i, t), callee = -2;

		require(insns__find_callee(insns, i, t, &callee) == (want_callee != -1));
		require(want_callee == -1 || callee == (want_callee < 0 ? -1 : want_callee));
		while (f + 1 < t->cnt && t->fn[f + 1].insn_off <= i)
			f++;
		if (want_callee >= 0)
			want[(size_t)f * t->cnt + want_callee] = true;
	}
	require(!insns__call_graph(insns, cnt, t, &calls));
	for (__u32 i = 0; i < t->cnt * t->cnt; i++)
		require(!calls[i] == !want[i] && calls[i] <= (CALL_NOW | CALL_LATER));
	free(calls);
	free(want);
}

static void check_tail_calls(const struct bpf_insn *insns, __u32 cnt, const struct func_table *t)
{
	bool *reach = calloc(t->cnt, sizeof(*reach));

	require(reach);
	fill_reach(insns, cnt, t, reach);
	require(insns__reach_tail_call(insns, cnt, NULL, 0) == any_tail_call(insns, cnt));
	for (__u32 f = 0; f < t->cnt; f++)
		require(insns__reach_tail_call(insns, cnt, t, f) == reach[f]);
	free(reach);
}

/* ---- checks of the program that was read ---- */

/* Checks the raw func_info. This works even if the BTF cannot be read. */
static void check_insns(const struct bpf_insn *insns, __u32 cnt)
{
	struct bpf_fn fn[32] = {};
	struct func_table t = {.fn = fn, .cnt = 1};
	__u32 rec_sz = kernel.head.rec_sz,
	      recs = rec_sz ? kernel.head.sz[PROG_FUNC_INFO] / rec_sz : 0;

	for (__u32 i = 0; i < recs && t.cnt < ARRAY_SIZE(fn); i++) {
		struct bpf_func_info rec = {};

		memcpy(&rec, kernel.array[PROG_FUNC_INFO] + i * rec_sz,
		       rec_sz < sizeof(rec) ? rec_sz : sizeof(rec));
		if (rec.insn_off > fn[t.cnt - 1].insn_off)
			fn[t.cnt++].insn_off = rec.insn_off;
	}
	check_graph(insns, cnt, &t);
	check_tail_calls(insns, cnt, &t);
}

static void check_names(const struct prog *p)
{
	size_t len = strlen(p->info.name);
	char tag[17];

	require(len < sizeof(p->info.name) && !strncmp(prog__name(p), p->info.name, len));
	require(!prog__name(p)[len] || (p->funcs && prog__name(p) == p->funcs->fn[0].name));
	require(strlen(prog__tag(p, tag)) == 16);
	require(prog__is_jited(p) == (kernel.head.jited > 0));
}

static void check_load(struct prog *p)
{
	struct reason reason, again;
	int err = prog__load_funcs(p, &reason);

	require(err <= 0);
	require(!err == !!p->funcs && !err == (reason.code == REASON_NONE));
	require(kernel.btf_fd < 0 || !is_open(kernel.btf_fd));
	kernel.btf_fd = -1;
	if (err)
		return;
	check_funcs(p->funcs, kernel.head.sz[PROG_BTF]);
	require(!prog__load_funcs(p, &again) && again.code == REASON_NONE);
}

static void check_maps(struct prog *p)
{
	__u32 *ids = (void *)-1, cnt = 77, all = kernel.head.sz[PROG_MAP_IDS] / sizeof(*ids);
	int err = prog__map_ids(p, &ids, &cnt);

	if (err)
		require(!ids);
	else
		require(cnt == all && !ids == !cnt);
	if (!err && cnt)
		require(!memcmp(ids, kernel.array[PROG_MAP_IDS], cnt * sizeof(*ids)));
	free(ids);
}

static void check_whole(struct prog *p, const struct bpf_insn *insns, __u32 cnt)
{
	int calls = kernel.calls;
	enum tail_calls got = prog__tail_calls(p, NULL);

	if (!p->info.nr_map_ids)
		require(got == TAIL_CALLS_NO);
	else if (kernel.head.flags & PROG_INPUT_WITHHELD || !kernel.head.sz[PROG_INSNS] ||
		 (calls < kernel.head.fails && kernel.calls >= kernel.head.fails))
		require(got == TAIL_CALLS_MAYBE);
	else
		require(got == (any_tail_call(insns, cnt) ? TAIL_CALLS_YES : TAIL_CALLS_NO));
	for (__u32 f = 0; p->funcs && f < p->funcs->cnt; f++)
		require(prog__tail_calls(p, &p->funcs->fn[f]) <= TAIL_CALLS_MAYBE);
}

/* Requires that prog__load_calls() sets a graph if and only if it succeeds. */
static void check_calls(struct prog *p)
{
	int err = p->funcs ? prog__load_calls(p) : 0;

	if (p->funcs)
		require(!err == !!p->calls);
}

static void check_prog(const struct bpf_insn *insns, __u32 cnt)
{
	struct prog *p = NULL;
	int err;

	kernel.btf_fd = -1;
	kernel.prog_fd = memfd_create("bpf-prog", MFD_CLOEXEC);
	require(kernel.prog_fd >= 0);
	err = prog__open_fd(kernel.prog_fd, &p);
	require(!err == !!p);
	if (p) {
		check_load(p);
		check_names(p);
		check_whole(p, insns, cnt);
		check_maps(p);
		check_calls(p);
		require(prog__get(p) == p);
		prog__close(p);
		require(is_open(kernel.prog_fd));
		prog__close(p);
	}
	require(!is_open(kernel.prog_fd));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	uint8_t *copy[PROG_ARRAY_CNT];

	if (sz < sizeof(kernel.head))
		return 0;
	memcpy(&kernel.head, data, sizeof(kernel.head));
	kernel.calls = 0;
	data += sizeof(kernel.head);
	sz -= sizeof(kernel.head);
	/* each array is in memory of its exact size */
	for (int i = 0; i < PROG_ARRAY_CNT; i++) {
		if (kernel.head.sz[i] > sz)
			kernel.head.sz[i] = sz;
		copy[i] = malloc(kernel.head.sz[i] + !kernel.head.sz[i]);
		require(copy[i]);
		memcpy(copy[i], data, kernel.head.sz[i]);
		kernel.array[i] = copy[i];
		data += kernel.head.sz[i];
		sz -= kernel.head.sz[i];
	}
	check_insns((void *)copy[PROG_INSNS], kernel.head.sz[PROG_INSNS] / sizeof(struct bpf_insn));
	check_prog((void *)copy[PROG_INSNS], kernel.head.sz[PROG_INSNS] / sizeof(struct bpf_insn));
	for (int i = 0; i < PROG_ARRAY_CNT; i++)
		free(copy[i]);
	return 0;
}
