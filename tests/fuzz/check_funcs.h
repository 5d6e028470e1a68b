/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Checks a table of functions that was accepted. The fuzzers that make such tables use it.
 */
#ifndef BPROF_FUZZ_CHECK_FUNCS_H
#define BPROF_FUZZ_CHECK_FUNCS_H

#include <string.h>
#include <bpf/btf.h>

#include "btf/func_table.h"
#include "tests/fuzz/require.h"

/*
 * Requires that the table is valid: functions are in order, names end with NUL, and each function
 * can be found.
 */
static inline void check_funcs(const struct func_table *t, __u32 btf_sz)
{
	const struct bpf_fn *fn;

	require(t->cnt && !t->fn[0].insn_off);
	for (__u32 i = 0; i < t->cnt; i++) {
		require(!i || t->fn[i].insn_off > t->fn[i - 1].insn_off);
		require(t->fn[i].name[0] && strlen(t->fn[i].name) < btf_sz);
		fn = func_table__find(t, t->fn[i].name);
		require(fn && fn <= &t->fn[i] && !strcmp(fn->name, t->fn[i].name));
		fn = func_table__find_type(t, t->fn[i].type_id);
		require(fn && fn <= &t->fn[i] && fn->type_id == t->fn[i].type_id);
		require(btf_is_func(btf__type_by_id(t->btf, t->fn[i].type_id)));
		require(fn == &t->fn[t->fn[i].first]);
		/* Labels are unique. Comparing each with all others would take too long. */
		for (__u32 k = i > 16 ? i - 16 : 0; k < i; k++)
			require(strcmp(t->fn[i].label, t->fn[k].label));
	}
}

#endif
