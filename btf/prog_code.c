// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the reading of a program's code from the kernel. Must not know what the code is used for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#include "base/memory.h"
#include "base/text.h"
#include "btf/func_table.h"
#include "btf/prog_code.h"
#include "btf/reason.h"

/* Buffers for the line_info records and for the addresses of the lines. */
struct line_arrays {
	void *recs;
	__u64 *addrs;
};

void prog_code__free(struct prog_code *code)
{
	free(code->addr);
	free(code->len);
	free(code->jited);
	free(code->line);
	memset(code, 0, sizeof(*code));
}

/*
 * Allocates buffers for the arrays that describe the program's code, and sets *info to request
 * them. has: the program's info, with the sizes of these arrays.
 */
static void allocate(const struct bpf_prog_info *has, struct prog_code *code,
		     struct line_arrays *lines, struct bpf_prog_info *info)
{
	code->func_cnt = has->nr_jited_ksyms;
	code->jited_len = has->jited_prog_len;
	code->addr = xcalloc(code->func_cnt + 1, sizeof(*code->addr));
	code->len = xcalloc(code->func_cnt + 1, sizeof(*code->len));
	code->jited = xcalloc(code->jited_len + 1, 1);
	lines->recs = xcalloc(has->nr_line_info + 1, has->line_info_rec_size ?: 1);
	lines->addrs = xcalloc(has->nr_jited_line_info + 1, sizeof(*lines->addrs));
	info->nr_jited_ksyms = has->nr_jited_ksyms;
	info->jited_ksyms = (__u64)(unsigned long)code->addr;
	info->nr_jited_func_lens = has->nr_jited_func_lens;
	info->jited_func_lens = (__u64)(unsigned long)code->len;
	info->jited_prog_len = has->jited_prog_len;
	info->jited_prog_insns = (__u64)(unsigned long)code->jited;
	info->nr_line_info = has->nr_line_info;
	info->line_info_rec_size = has->line_info_rec_size;
	info->line_info = (__u64)(unsigned long)lines->recs;
	info->nr_jited_line_info = has->nr_jited_line_info;
	info->jited_line_info_rec_size = has->jited_line_info_rec_size;
	info->jited_line_info = (__u64)(unsigned long)lines->addrs;
}

/*
 * Returns true if the kernel returned a length for each function, and the sum of these lengths is
 * the length of the code.
 */
static bool is_complete(const struct prog_code *code, const struct bpf_prog_info *info)
{
	__u64 sum = 0;

	for (__u32 i = 0; i < code->func_cnt; i++)
		sum += code->len[i];
	return info->nr_jited_func_lens == code->func_cnt && sum == code->jited_len;
}

static void read_lines(const struct prog *p, const struct line_arrays *arrays,
		       struct prog_code *code)
{
	const struct bpf_prog_info *has = &p->info;
	bool addrs = has->nr_jited_line_info == has->nr_line_info &&
		     has->jited_line_info_rec_size == sizeof(__u64);
	int err;

	if (!p->funcs || !has->nr_line_info)
		return;
	err = bpf_lines__new(p->funcs->btf, arrays->recs, has->line_info_rec_size,
			     has->nr_line_info, addrs ? arrays->addrs : NULL, &code->line);
	/* If the lines cannot be read, return the code without lines. */
	code->line_cnt = err ? 0 : has->nr_line_info;
}

int prog__read_code(const struct prog *p, struct prog_code *out, struct reason *reason)
{
	struct bpf_prog_info info = {};
	struct line_arrays lines = {};
	__u32 len = sizeof(info);
	int err;

	memset(out, 0, sizeof(*out));
	/* Without CAP_BPF, bpf_prog_get_info_by_fd() returns nothing about the code. */
	if (!p->info.xlated_prog_len)
		return reason__set(reason, REASON_NO_PERM, EPERM,
				   "CAP_BPF is needed to read its code");
	if (!p->info.jited_prog_len)
		return reason__set(reason, REASON_NOT_JITED, EINVAL, NULL);
	allocate(&p->info, out, &lines, &info);
	err = bpf_obj_get_info_by_fd(p->fd, &info, &len);
	/*
	 * The kernel clears the pointers if the caller may not see addresses (bpf_dump_raw_ok()).
	 */
	if (!err && (!info.jited_ksyms || !info.jited_prog_insns))
		err = reason__set(reason, REASON_CODE_HIDDEN, EPERM, NULL);
	else if (!err && !is_complete(out, &info))
		err = reason__set(reason, REASON_SYSTEM, EINVAL,
				  "the lengths of its functions do not add up to its code");
	else if (!err)
		read_lines(p, &lines, out);
	if (err && reason->code == REASON_NONE)
		reason__set(reason, REASON_SYSTEM, err, "reading its code: %s", strerror(-err));
	free(lines.recs);
	free(lines.addrs);
	return err;
}

void prog_funcs__free(struct prog_funcs *funcs)
{
	free(funcs->addr);
	free(funcs->len);
	memset(funcs, 0, sizeof(*funcs));
}

int prog__read_addresses(const struct prog *p, struct prog_funcs *out)
{
	struct bpf_prog_info info = {};
	__u32 sz = sizeof(info);
	int err;

	*out = (struct prog_funcs){.cnt = p->info.nr_jited_ksyms};
	if (!out->cnt)
		return -ENODATA;
	out->addr = xcalloc(out->cnt, sizeof(*out->addr));
	out->len = xcalloc(out->cnt, sizeof(*out->len));
	info.nr_jited_ksyms = info.nr_jited_func_lens = out->cnt;
	info.jited_ksyms = (__u64)(unsigned long)out->addr;
	info.jited_func_lens = (__u64)(unsigned long)out->len;
	err = bpf_obj_get_info_by_fd(p->fd, &info, &sz);
	if (!err && (!info.jited_ksyms || !info.jited_func_lens))
		err = -EPERM;
	if (err)
		prog_funcs__free(out);
	return err;
}

char *prog__func_symbol(struct prog *p, __u32 i)
{
	struct bpf_prog_info info = {.nr_prog_tags = p->info.nr_prog_tags};
	struct prog func = *p;
	__u32 sz = sizeof(info);
	__u8(*tags)[BPF_TAG_SIZE] = xcalloc(info.nr_prog_tags + 1, sizeof(*tags));
	const char *name = i ? "F" : p->info.name;
	struct reason reason;
	char tag[17];

	if (!prog__load_funcs(p, &reason) && i < p->funcs->cnt)
		name = p->funcs->fn[i].name;
	/*
	 * Each function's symbol has the tag of that function, and the entry function's tag is the program's.
	 */
	info.prog_tags = (__u64)(unsigned long)tags;
	if (i && i < info.nr_prog_tags && !bpf_obj_get_info_by_fd(p->fd, &info, &sz) &&
	    i < info.nr_prog_tags)
		memcpy(func.info.tag, tags[i], BPF_TAG_SIZE);
	free(tags);
	return text__format("bpf_prog_%s%s%s", prog__tag(&func, tag), *name ? "_" : "", name);
}
