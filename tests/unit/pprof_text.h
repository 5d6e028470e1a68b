/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shows a pprof profile as text, for golden files. Leaves out the ids of elements, as ids have no
 * meaning.
 */
#ifndef BPROF_TESTS_PPROF_TEXT_H
#define BPROF_TESTS_PPROF_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/build_info.h"
#include "pprof/profile.pb-c.h"

/* Returns the message in a compressed profile. The caller frees it. */
static inline Bprof__Profile *pprof_text__unpack(const char *packed, size_t sz)
{
	static __u8 bytes[1 << 20];
	z_stream z = {.next_in = (__u8 *)packed,
		      .avail_in = sz,
		      .next_out = bytes,
		      .avail_out = sizeof(bytes)};
	Bprof__Profile *msg;

	assert_int_equal(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	msg = bprof__profile__unpack(NULL, z.total_out, bytes);
	assert_non_null(msg);
	assert_int_equal(inflateEnd(&z), Z_OK);
	return msg;
}

static inline const char *pprof_text__string(const Bprof__Profile *msg, int64_t i)
{
	assert_in_range(i, 0, msg->n_string_table - 1);
	return msg->string_table[i];
}

static inline void pprof_text__print_types(const Bprof__Profile *msg, FILE *out)
{
	for (size_t i = 0; i < msg->n_sample_type; i++)
		fprintf(out, "type %s/%s%s\n", pprof_text__string(msg, msg->sample_type[i]->type),
			pprof_text__string(msg, msg->sample_type[i]->unit),
			msg->sample_type[i]->type == msg->default_sample_type ? " (default)" : "");
	if (msg->period_type)
		fprintf(out, "period %lld %s/%s\n", (long long)msg->period,
			pprof_text__string(msg, msg->period_type->type),
			pprof_text__string(msg, msg->period_type->unit));
	fprintf(out, "start %lld duration %lld\n", (long long)msg->time_nanos,
		(long long)msg->duration_nanos);
}

static inline void pprof_text__print_frame(const Bprof__Profile *msg, uint64_t id, FILE *out)
{
	const Bprof__Location *l;
	const Bprof__Function *f;

	assert_in_range(id, 1, msg->n_location);
	l = msg->location[id - 1];
	assert_int_equal(l->id, id);
	assert_int_equal(l->n_line, 1);
	assert_in_range(l->mapping_id, 0, msg->n_mapping);
	if (l->mapping_id)
		assert_in_range(l->address, msg->mapping[l->mapping_id - 1]->memory_start,
				msg->mapping[l->mapping_id - 1]->memory_limit);
	else /* a function that a program calls */
		assert_int_equal(l->address, 0);
	assert_in_range(l->line[0]->function_id, 1, msg->n_function);
	f = msg->function[l->line[0]->function_id - 1];
	assert_int_equal(f->id, l->line[0]->function_id);
	fprintf(out, "  %#llx %s", (unsigned long long)l->address,
		pprof_text__string(msg, f->name));
	if (f->filename)
		fprintf(out, " %s:%lld", pprof_text__string(msg, f->filename),
			(long long)l->line[0]->line);
	else
		assert_int_equal(l->line[0]->line, 0);
	fputc('\n', out);
}

static inline void pprof_text__print_sample(const Bprof__Profile *msg, const Bprof__Sample *s,
					    FILE *out)
{
	assert_int_equal(s->n_value, msg->n_sample_type);
	fputs("sample", out);
	for (size_t i = 0; i < s->n_value; i++)
		fprintf(out, " %lld", (long long)s->value[i]);
	for (size_t i = 0; i < s->n_label; i++)
		fprintf(out, " %s=%s", pprof_text__string(msg, s->label[i]->key),
			pprof_text__string(msg, s->label[i]->str));
	fputc('\n', out);
	for (size_t i = 0; i < s->n_location_id; i++)
		pprof_text__print_frame(msg, s->location_id[i], out);
}

/* Returns the text of a compressed profile, which it frees. The text has version 0.1.0. */
static inline char *pprof_text__make(char *packed, size_t sz)
{
	Bprof__Profile *msg = pprof_text__unpack(packed, sz);
	char *text = NULL, own[128];
	size_t text_sz;
	FILE *out = open_memstream(&text, &text_sz);

	assert_non_null(out);
	assert_string_equal(msg->string_table[0], "");
	pprof_text__print_types(msg, out);
	snprintf(own, sizeof(own), "bprof %s", build_info__version());
	for (size_t i = 0; i < msg->n_comment; i++) {
		const char *comment = pprof_text__string(msg, msg->comment[i]);

		fprintf(out, "# %s\n", strcmp(comment, own) ? comment : "bprof 0.1.0");
	}
	for (size_t i = 0; i < msg->n_mapping; i++)
		fprintf(out, "program %s, build id %s, %llu bytes\n",
			pprof_text__string(msg, msg->mapping[i]->filename),
			pprof_text__string(msg, msg->mapping[i]->build_id),
			(unsigned long long)(msg->mapping[i]->memory_limit -
					     msg->mapping[i]->memory_start));
	for (size_t i = 0; i < msg->n_sample; i++)
		pprof_text__print_sample(msg, msg->sample[i], out);
	assert_int_equal(fclose(out), 0);
	bprof__profile__free_unpacked(msg, NULL);
	free(packed);
	return text;
}

#endif
