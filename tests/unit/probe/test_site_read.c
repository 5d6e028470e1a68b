// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests how the reading of the place of a call gets into a probe's instructions, or out of them: each
 * placeholder is replaced, and nothing else.
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
#include "kernel/call_site.h"
#include "probe/site_read.h"

#define INSNS_MAX 8192
#define ARGS 3

static int count_placeholders(const struct bpf_insn *insns, size_t cnt)
{
	int found = 0;

	for (size_t i = 0; i < cnt; i++)
		found += insns[i].imm == BPROF_SITE_SKIP || insns[i].imm == BPROF_SITE_ALIGN ||
			 insns[i].imm == BPROF_SITE_AT;
	return found;
}

/* Fills a copy of the program. Returns the first instruction that has changed, or NULL, and how many. */
static const struct bpf_insn *fill(const struct bpf_program *prog, const struct call_site_at *site,
				   int *changes)
{
	static struct bpf_insn copy[INSNS_MAX];
	size_t cnt = bpf_program__insn_cnt(prog), first = 0;
	const struct bpf_insn *insns = bpf_program__insns(prog);

	assert_true(cnt <= INSNS_MAX);
	memcpy(copy, insns, cnt * sizeof(*insns));
	site_read__fill(site, copy, cnt);
	site_read__set_args(site, ARGS, copy, cnt);
	assert_int_equal(count_placeholders(copy, cnt), 0);
	*changes = 0;
	for (size_t i = 0; i < cnt; i++)
		if (memcmp(&insns[i], &copy[i], sizeof(*insns)) && !(*changes)++)
			first = i;
	return *changes ? &copy[first] : NULL;
}

/* The address that the instructions read, of a function with ARGS arguments, if ctx is at 1008. */
static __u64 address_read(const struct bpf_insn *read)
{
	__u64 r3 = 1008;

	assert_int_equal(read[3].code, BPF_ALU64 | BPF_ADD | BPF_K);
	r3 += read[3].imm;
	assert_int_equal(read[4].code, BPF_ALU64 | BPF_AND | BPF_K);
	r3 &= (__s64)read[4].imm;
	assert_int_equal(read[5].code, BPF_ALU64 | BPF_ADD | BPF_K);
	return r3 + read[5].imm;
}

static void check_filled(const struct bpf_program *prog)
{
	static const struct call_site_at helper = {.align = 8, .at = 16}, cast = {.align = 16,
										  .at = 40,
										  .cast_id = 11,
										  .type_id = 22};
	const struct bpf_insn *read;
	int changes;

	read = fill(prog, &helper, &changes);
	assert_int_equal(changes, 4);
	assert_int_equal(read[0].code, BPF_JMP | BPF_JEQ | BPF_K);
	assert_int_equal(address_read(read), 1008 + 8 * (ARGS + 1) + 16);
	assert_int_equal(read[9].code, BPF_JMP | BPF_CALL);
	assert_int_equal(read[9].imm, BPF_FUNC_probe_read_kernel);
	read = fill(prog, &cast, &changes);
	assert_int_equal(changes, 9);
	/* 1008 is a multiple of 16, and so is the end of 4 words */
	assert_int_equal(address_read(read), 1008 + 8 * (ARGS + 1) + 40);
	assert_int_equal(read[6].src_reg, BPF_REG_3); /* r1 = r3 */
	assert_int_equal(read[7].imm, 0);
	assert_int_equal(read[8].imm, 22);
	assert_int_equal(read[9].src_reg, BPF_PSEUDO_KFUNC_CALL);
	assert_int_equal(read[9].imm, 11);
	assert_int_equal(read[10].src_reg, BPF_REG_0);
	assert_int_equal(read[10].off, 0);
}

/* Checks that only the placeholders are removed: the load of the map comes SITE_INSNS instructions earlier. */
static void check_dropped(const struct bpf_program *prog)
{
	static struct bpf_insn copy[INSNS_MAX];
	size_t cnt = bpf_program__insn_cnt(prog), left, at = 0;

	memcpy(copy, bpf_program__insns(prog), cnt * sizeof(*copy));
	while (copy[at].code != (BPF_LDX | BPF_MEM | BPF_DW) || copy[at].off != BPROF_MAP_OFFSET)
		at++;
	left = site_read__drop(copy, cnt);
	assert_int_equal(left, cnt - SITE_INSNS);
	assert_int_equal(count_placeholders(copy, left), 0);
	assert_int_equal(copy[at - SITE_INSNS].off, BPROF_MAP_OFFSET);
}

static void test_all_probes(void **state)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "bprof");
	size_t sz;
	const void *elf = probe_bpf__elf_bytes(&sz);
	struct bpf_object *obj = bpf_object__open_mem(elf, sz, &opts);
	const struct call_site_at site = {.align = 8};
	struct bpf_program *prog;
	int found = 0, changes;

	assert_non_null(obj);
	bpf_object__for_each_program (prog, obj) {
		const char *name = bpf_program__name(prog);

		if (strstr(name, "_entry_k") || strstr(name, "_exit_k")) {
			check_filled(prog);
			check_dropped(prog);
			found++;
		} else {
			assert_null(fill(prog, &site, &changes));
		}
	}
	assert_int_equal(found, 8);
	bpf_object__close(obj);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
