// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the layout of line_info records. Must not know where the records come from or what they are
 * used for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/bpf.h>
#include <bpf/btf.h>

#include "base/memory.h"
#include "btf/line_table.h"

int bpf_lines__new(const struct btf *btf, const void *recs, __u32 rec_sz, __u32 cnt,
		   const __u64 *addrs, struct bpf_line **out)
{
	struct bpf_line *lines = xcalloc(cnt + 1, sizeof(*lines));
	struct bpf_line_info rec;
	int err = rec_sz < sizeof(rec) ? -EINVAL : 0;

	*out = NULL;
	for (__u32 i = 0; !err && i < cnt; i++) {
		struct bpf_line *line = &lines[i];

		memcpy(&rec, (const char *)recs + (size_t)i * rec_sz, sizeof(rec));
		line->insn_off = rec.insn_off;
		line->line = BPF_LINE_INFO_LINE_NUM(rec.line_col);
		line->col = BPF_LINE_INFO_LINE_COL(rec.line_col);
		line->file = btf__name_by_offset(btf, rec.file_name_off);
		line->text = btf__name_by_offset(btf, rec.line_off);
		if (addrs)
			line->jited_addr = addrs[i];
		if (!line->file || !line->text || (i && line->insn_off < line[-1].insn_off))
			err = -EINVAL;
	}
	if (err) {
		free(lines);
		return err;
	}
	*out = lines;
	return 0;
}
