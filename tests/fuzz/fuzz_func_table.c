// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes func_table__new() with BTF and func_info that no kernel has checked. "make fuzz" runs it.
 *
 * Input: one byte of flags, one of rec_sz, one of cnt, then bytes. With FLAG_PATCH these bytes are
 * changes (u16 offset, u8 value) to a valid blob and its func_info, so that the result gets past
 * the parser and reaches the later checks. Without FLAG_PATCH they are the BTF, followed by the
 * func_info.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "btf/reason.h"
#include "tests/fuzz/check_funcs.h"
#include "tests/unit/btf_blob.h"

#define FLAG_PATCH 1
#define FLAG_LARGE_REC 2 /* use valid records, each padded by 4 bytes */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz);

static int print_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return 0;
}

static void run(const void *btf, __u32 btf_sz, const void *recs, __u32 rec_sz, __u32 cnt)
{
	struct func_table *t = NULL;
	struct reason reason;
	char buf[512];
	int err = func_table__new(btf, btf_sz, recs, rec_sz, cnt, &t, &reason);

	require(!err == !!t && !err == (reason.code == REASON_NONE));
	reason__describe(&reason, buf, sizeof(buf));
	if (t)
		check_funcs(t, btf_sz);
	func_table__free(t);
}

static void patch(uint8_t *to, size_t to_sz, size_t base, const uint8_t *data, size_t sz)
{
	for (; sz >= 3; data += 3, sz -= 3) {
		size_t off = (data[0] | data[1] << 8) % 1024;

		if (off >= base && off - base < to_sz)
			to[off - base] = data[2];
	}
}

static void run_patched(uint8_t flags, const uint8_t *data, size_t sz)
{
	__u32 rec_sz = sizeof(blob_funcs[0]) + (flags & FLAG_LARGE_REC ? 4 : 0), btf_sz;
	uint8_t *btf = blob__new(&btf_sz), *recs = calloc(BLOB_FN_CNT, rec_sz);

	require(btf && recs);
	for (int i = 0; i < BLOB_FN_CNT; i++)
		memcpy(recs + i * rec_sz, &blob_funcs[i], sizeof(blob_funcs[i]));
	patch(btf, btf_sz, 0, data, sz);
	patch(recs, BLOB_FN_CNT * rec_sz, btf_sz, data, sz);
	run(btf, btf_sz, recs, rec_sz, BLOB_FN_CNT);
	free(btf);
	free(recs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	uint8_t flags;
	__u32 rec_sz, cnt, recs_sz, btf_sz;
	void *btf, *recs;

	libbpf_set_print(print_nothing);
	if (sz < 3)
		return 0;
	flags = data[0];
	rec_sz = data[1];
	cnt = data[2];
	data += 3;
	sz -= 3;
	if (flags & FLAG_PATCH) {
		run_patched(flags, data, sz);
		return 0;
	}
	/*
	 * The records are at the end of the input. They and the BTF are copied to memory of their
	 * exact size.
	 */
	recs_sz = rec_sz * cnt;
	if (recs_sz > sz)
		return 0;
	btf_sz = sz - recs_sz;
	btf = malloc(btf_sz + !btf_sz);
	recs = malloc(recs_sz + !recs_sz);
	require(btf && recs);
	memcpy(btf, data, btf_sz);
	memcpy(recs, data + btf_sz, recs_sz);
	run(btf, btf_sz, recs, rec_sz, cnt);
	free(btf);
	free(recs);
	return 0;
}
