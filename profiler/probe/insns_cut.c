// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See insns_cut.h. Owns the correction of jumps over removed instructions. Must not know why
 * instructions are removed.
 */
#include <stdbool.h>
#include <string.h>

#include "btf/call_graph.h"
#include "probe/insns_cut.h"

size_t insns__cut(struct bpf_insn *insns, size_t cnt, size_t from, size_t to)
{
	for (size_t i = 0; i < cnt; i++) {
		struct bpf_insn *insn = &insns[i];
		size_t target = i + 1 + insn->off;

		if (!insn__is_jump(insn))
			continue;
		if (i < from && target >= to)
			insn->off -= to - from;
		else if (i >= to && target <= from)
			insn->off += to - from;
	}
	memmove(&insns[from], &insns[to], (cnt - to) * sizeof(*insns));
	return cnt - (to - from);
}
