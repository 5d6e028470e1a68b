// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the names and addresses of places in a program's code. Must not know which functions are
 * called at these places.
 */
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "btf/jited_calls.h"
#include "btf/reason.h"
#include "target/call_sites.h"

/* Returns 0, or -errno with *reason. After a failure, a program is not read again. */
static int read_code(struct call_sites *s, const struct prog *p, struct reason *reason)
{
	int err;

	if (s->prog_id == p->info.id)
		return 0;
	call_sites__free(s);
	s->prog_id = p->info.id;
	err = prog__read_code(p, &s->code, reason);
	if (err)
		prog_code__free(&s->code);
	return err;
}

void call_sites__read(struct call_sites *s, const struct prog *p)
{
	struct reason reason = {};
	char why[512];

	if (!read_code(s, p, &reason))
		return;
	log_warn("--by site: the calls by program %u have no rows of their own: %s", p->info.id,
		 reason__describe(&reason, why, sizeof(why)));
}

bool call_sites__calls(struct call_sites *s, const struct prog *p, __u64 address)
{
	struct reason reason = {};
	const __u8 *code;
	__u64 target;

	if (!address || read_code(s, p, &reason))
		return false;
	code = s->code.jited;
	for (__u32 i = 0; i < s->code.func_cnt; code += s->code.len[i++])
		for (__u32 off = 0; off < s->code.len[i]; off++)
			if (jited__find_call(code, s->code.len[i], s->code.addr[i], off, &target) &&
			    target == address)
				return true;
	return false;
}

void call_sites__find(const struct call_sites *s, __u32 func, const __u64 *target, __u64 *returns,
		      int cnt)
{
	const __u8 *code = s->code.jited;

	if (func >= s->code.func_cnt) {
		memset(returns, 0, cnt * sizeof(*returns));
		return;
	}
	for (__u32 i = 0; i < func; i++)
		code += s->code.len[i];
	jited__find_returns(code, s->code.len[func], s->code.addr[func], target, returns, cnt);
}

char *call_sites__name(const struct call_sites *s, __u32 first, __u32 i)
{
	const struct bpf_line *found = NULL;
	const char *file;

	for (__u32 n = 0; n < s->code.line_cnt && s->code.line[n].insn_off <= i; n++)
		if (s->code.line[n].insn_off >= first)
			found = &s->code.line[n];
	if (!found)
		return text__format("insn %u", i);
	file = strrchr(found->file, '/');
	return text__format("%s:%u", file ? file + 1 : found->file, found->line);
}

void call_sites__free(struct call_sites *s)
{
	prog_code__free(&s->code);
	s->prog_id = 0;
}
