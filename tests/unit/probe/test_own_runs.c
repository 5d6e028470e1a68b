// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how the check for runs by bprof itself gets into a probe's instructions: each placeholder is
 * replaced, and nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "bpf/probe.h"
#include "bpf/trace.h"

#include "bpf/probe.skel.h"
#include "bpf/probe_common.skel.h"
#include "bpf/probe_shares.skel.h"
#include "bpf/probe_small.skel.h"
#include "probe/own_runs.h"

#define INSNS_MAX 8192

static const struct own_runs own = {
	.at = {.tgid = 1000, .stack = 40, .syscall = 120}, .tgid = 4711, .stack_bits = 14};

static int count_placeholders(const struct bpf_insn *insns, size_t cnt)
{
	int found = 0;

	for (size_t i = 0; i < cnt; i++)
		found += insns[i].imm == BPROF_OWN_TGID || insns[i].imm == BPROF_OWN_STACK_BITS ||
			 insns[i].off == BPROF_OWN_TGID_OFFSET ||
			 insns[i].off == BPROF_OWN_STACK_OFFSET ||
			 insns[i].off == BPROF_OWN_SYSCALL_OFFSET;
	return found;
}

/* Adds the check to a copy of the program. Returns how many instructions it has changed. */
static int count_changes(const struct bpf_program *prog)
{
	static struct bpf_insn copy[INSNS_MAX];
	size_t cnt = bpf_program__insn_cnt(prog);
	const struct bpf_insn *insns = bpf_program__insns(prog);
	int changes = 0;

	assert_true(cnt <= INSNS_MAX);
	memcpy(copy, insns, cnt * sizeof(*insns));
	own_runs__add_check(&own, copy, cnt);
	assert_int_equal(count_placeholders(copy, cnt), 0);
	for (size_t i = 0; i < cnt; i++) {
		if (!memcmp(&insns[i], &copy[i], sizeof(*insns)))
			continue;
		changes++;
		if (insns[i].code != (BPF_JMP | BPF_JNE | BPF_K) || insns[i].imm)
			continue;
		/*
		 * the jump over the check leads to the same place as the check's own jump, which is
		 * the third instruction after it
		 */
		assert_int_equal(copy[i].code, BPF_JMP | BPF_JEQ | BPF_K);
		assert_int_equal(insns[i + 3].imm, BPROF_OWN_TGID);
		assert_int_equal(insns[i].off, insns[i + 3].off + 3);
		assert_int_equal(copy[i + 3].imm, 4711);
	}
	return changes;
}

static bool is_jump(const struct bpf_insn *insn)
{
	int class = BPF_CLASS(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && BPF_OP(insn->code) != BPF_CALL &&
	       BPF_OP(insn->code) != BPF_EXIT;
}

/*
 * Drops the check from a copy of the program. Returns the number of removed instructions. The others must be
 * unchanged, and each jump must lead to the same instruction as before.
 */
static size_t count_dropped(const struct bpf_program *prog)
{
	static struct bpf_insn copy[INSNS_MAX];
	size_t cnt = bpf_program__insn_cnt(prog), begin = 0, left, gone;
	const struct bpf_insn *insns = bpf_program__insns(prog);

	memcpy(copy, insns, cnt * sizeof(*insns));
	left = own_runs__drop_check(copy, cnt);
	gone = cnt - left;
	assert_int_equal(count_placeholders(copy, left), 0);
	while (gone && insns[begin + 3].imm != BPROF_OWN_TGID)
		begin++;
	for (size_t i = 0; i < cnt; i++) {
		size_t target = i + 1 + insns[i].off, at = i < begin ? i : i - gone;
		const struct bpf_insn *now;

		if (i >= begin && i < begin + gone)
			continue;
		now = &copy[at];
		assert_int_equal(now->code, insns[i].code);
		assert_int_equal(now->imm, insns[i].imm);
		if (!is_jump(&insns[i]))
			assert_memory_equal(now, &insns[i], sizeof(*now));
		else
			assert_int_equal(at + 1 + now->off,
					 target > begin ? target - gone : target);
	}
	return gone;
}

static void check_object(struct bpf_object *obj)
{
	struct bpf_program *prog;

	assert_non_null(obj);
	bpf_object__for_each_program (prog, obj) {
		const char *name = bpf_program__name(prog);
		/* Functions of the kernel are measured in runs of targets only, which have the check. */
		bool has_check = !strstr(name, "_exit_") && !strstr(name, "_entry_k");

		/* five placeholders and the jump */
		assert_int_equal(count_changes(prog), has_check ? 6 : 0);
		assert_int_equal(count_dropped(prog) > 0, has_check);
	}
	bpf_object__close(obj);
}

static struct bpf_object *open_elf(const void *elf, size_t sz)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "bprof");

	return bpf_object__open_mem(elf, sz, &opts);
}

static void test_all_probes(void **state)
{
	size_t sz;
	const void *elf = probe_bpf__elf_bytes(&sz);

	check_object(open_elf(elf, sz));
	elf = probe_common_bpf__elf_bytes(&sz);
	check_object(open_elf(elf, sz));
	elf = probe_small_bpf__elf_bytes(&sz);
	check_object(open_elf(elf, sz));
	elf = probe_shares_bpf__elf_bytes(&sz);
	check_object(open_elf(elf, sz));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_probes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
