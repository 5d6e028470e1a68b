// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Profiles in the format of pprof. Owns the messages and their numbers, and the compression; must
 * not know what is profiled.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/id_map.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "pprof/pprof.h"
#include "pprof/profile.pb-c.h"

#define uthash_fatal(msg) out_of_memory()
#include <uthash.h>

/*
 * The made-up addresses of two mappings are 1 << MAPPING_SHIFT apart: more than the code of any
 * program.
 */
#define MAPPING_SHIFT 32

struct string {
	const char *text; /* owned by string_table of msg */
	__s64 index;
	UT_hash_handle hh;
};

struct pprof {
	Bprof__Profile *msg; /* all parts of it are malloc'ed */
	struct string *strings;
	/*
	 * maps a function to its number; the key is made of the indices of its name and file in string_table
	 */
	struct id_map functions;
};

/* Makes room for one more element in an array that has cnt elements. */
static void grow(void *array, size_t cnt, size_t sz)
{
	void **at = array;

	if (!(cnt & (cnt - 1))) /* else there is room up to the next power of two */
		*at = xreallocarray(*at, cnt ? 2 * cnt : 1, sz);
}

/* Appends a value to an array of numbers. */
#define ADD_NUMBER(msg, field, number)                                        \
	({                                                                    \
		grow(&(msg)->field, (msg)->n_##field, sizeof(*(msg)->field)); \
		(msg)->field[(msg)->n_##field++] = (number);                  \
	})

/* Appends a new message to an array of messages, and returns it. */
#define ADD_MESSAGE(msg, field, init)                                         \
	({                                                                    \
		typeof(*(msg)->field) _new = xmalloc(sizeof(*_new));          \
		init(_new);                                                   \
		grow(&(msg)->field, (msg)->n_##field, sizeof(*(msg)->field)); \
		(msg)->field[(msg)->n_##field++] = _new;                      \
		_new;                                                         \
	})

/* Returns the index of a string in the string table, after adding the string if it is new. */
static __s64 intern(struct pprof *p, const char *s)
{
	char *text = text__utf8(s);
	struct string *found;

	HASH_FIND_STR(p->strings, text, found);
	if (found) {
		free(text);
		return found->index;
	}
	found = xmalloc(sizeof(*found));
	*found = (struct string){.text = text, .index = p->msg->n_string_table};
	ADD_NUMBER(p->msg, string_table, text);
	HASH_ADD_KEYPTR(hh, p->strings, text, strlen(text), found);
	return found->index;
}

struct pprof *pprof__new(void)
{
	struct pprof *p = xcalloc(1, sizeof(*p));

	p->msg = xmalloc(sizeof(*p->msg));
	bprof__profile__init(p->msg);
	intern(p, ""); /* the format requires that this is the first string */
	return p;
}

void pprof__free(struct pprof *p)
{
	struct string *s, *next;

	if (!p)
		return;
	HASH_ITER (hh, p->strings, s, next) {
		HASH_DEL(p->strings, s);
		free(s);
	}
	id_map__free(&p->functions);
	bprof__profile__free_unpacked(p->msg, NULL);
	free(p);
}

void pprof__set_time(struct pprof *p, const struct timespec *start, __u64 duration_ns)
{
	p->msg->time_nanos = start->tv_sec * 1000000000LL + start->tv_nsec;
	p->msg->duration_nanos = duration_ns;
}

void pprof__set_period(struct pprof *p, const char *event, const char *unit, __u64 period)
{
	p->msg->period_type = xmalloc(sizeof(*p->msg->period_type));
	bprof__value_type__init(p->msg->period_type);
	p->msg->period_type->type = intern(p, event);
	p->msg->period_type->unit = intern(p, unit);
	p->msg->period = period;
}

void pprof__add_comment(struct pprof *p, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = text__vformat(fmt, ap);
	va_end(ap);
	ADD_NUMBER(p->msg, comment, intern(p, text));
	free(text);
}

void pprof__add_type(struct pprof *p, const char *type, const char *unit, bool preferred)
{
	Bprof__ValueType *new = ADD_MESSAGE(p->msg, sample_type, bprof__value_type__init);

	new->type = intern(p, type);
	new->unit = intern(p, unit);
	if (preferred)
		p->msg->default_sample_type = new->type;
}

__u64 pprof__add_mapping(struct pprof *p, const char *name, const char *build_id, __u64 sz)
{
	Bprof__Mapping *new = ADD_MESSAGE(p->msg, mapping, bprof__mapping__init);

	new->id = p->msg->n_mapping;
	new->memory_start = new->id << MAPPING_SHIFT;
	new->memory_limit = new->memory_start + (sz ?: 1);
	new->filename = intern(p, name);
	new->build_id = intern(p, build_id);
	/*
	 * Say that nothing is missing, so that pprof's tools do not look for the program in a file:
	 * there is none.
	 */
	new->has_functions = new->has_filenames = new->has_line_numbers = true;
	return new->id;
}

__u64 pprof__add_function(struct pprof *p, const char *name, const char *file)
{
	__s64 own = intern(p, name), in = intern(p, file);
	__u64 key = (__u64)own << 32 | in;
	int known = id_map__get(&p->functions, key);
	Bprof__Function *new;

	if (known >= 0)
		return known;
	new = ADD_MESSAGE(p->msg, function, bprof__function__init);
	new->id = p->msg->n_function;
	new->name = new->system_name = own;
	new->filename = in;
	id_map__set(&p->functions, key, new->id);
	return new->id;
}

__u64 pprof__add_location(struct pprof *p, __u64 mapping, __u64 offset, __u64 function, __u32 line)
{
	Bprof__Location *new = ADD_MESSAGE(p->msg, location, bprof__location__init);
	Bprof__Line *at = ADD_MESSAGE(new, line, bprof__line__init);

	new->id = p->msg->n_location;
	new->mapping_id = mapping;
	new->address = (mapping << MAPPING_SHIFT) + offset;
	at->function_id = function;
	at->line = line;
	return new->id;
}

void pprof__add_sample(struct pprof *p, const __u64 *path, int cnt, const __s64 *values)
{
	Bprof__Sample *new = ADD_MESSAGE(p->msg, sample, bprof__sample__init);

	for (int i = 0; i < cnt; i++)
		ADD_NUMBER(new, location_id, path[i]);
	for (size_t i = 0; i < p->msg->n_sample_type; i++)
		ADD_NUMBER(new, value, values[i]);
}

void pprof__add_label(struct pprof *p, const char *key, const char *value)
{
	Bprof__Label *new =
		ADD_MESSAGE(p->msg->sample[p->msg->n_sample - 1], label, bprof__label__init);

	new->key = intern(p, key);
	new->str = intern(p, value);
}

/* ---- writing ---- */

/*
 * Writes sz bytes as a gzip file without a time and a name, so that the file depends only on the
 * bytes.
 */
static void write_gzip(const __u8 *bytes, size_t sz, FILE *out)
{
	const int gzip = 16; /* adding 16 to windowBits makes zlib write gzip (zlib.h) */
	z_stream z = {.next_in = (__u8 *)bytes, .avail_in = sz};
	__u8 *packed;
	size_t limit;

	/* With these arguments, the only error is a lack of memory. */
	if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip, MAX_MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		out_of_memory();
	limit = deflateBound(&z, sz);
	packed = xmalloc(limit);
	z.next_out = packed;
	z.avail_out = limit;
	deflate(&z, Z_FINISH); /* the buffer is large enough for all of the output */
	fwrite(packed, 1, z.total_out, out);
	deflateEnd(&z);
	free(packed);
}

void pprof__write(const struct pprof *p, FILE *out)
{
	size_t sz = bprof__profile__get_packed_size(p->msg);
	__u8 *bytes = xmalloc(sz);

	bprof__profile__pack(p->msg, bytes);
	write_gzip(bytes, sz, out);
	free(bytes);
}
