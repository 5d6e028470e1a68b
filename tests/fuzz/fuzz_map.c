// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the elements of maps in JSON (bench --map), with good and with hostile BTF. "make fuzz" runs
 * it.
 *
 * Input: the type ids and sizes of key and value, a byte each; a byte of flags; changes to the BTF
 * of tests/unit/map_types.h, each an offset of 2 bytes and a byte, ended by the offset 0xffff; then
 * the JSON.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "host/cpus.h"
#include "object/map_file.h"
#include "tests/fuzz/world.h"
#include "tests/unit/map_types.h"

#define PER_CPU 1
#define NO_BTF 2

static const void *good_btf(__u32 *sz)
{
	static struct btf *btf;

	if (!btf)
		btf = map_types__new();
	return btf__raw_data(btf, sz);
}

/* Takes the changes from the input. Returns the changed BTF, or NULL if libbpf refuses it. */
static struct btf *make_btf(struct bytes *in)
{
	struct btf *btf;
	uint8_t *copy;
	__u32 sz;

	good_btf(&sz);
	copy = malloc(sz);
	require(copy);
	memcpy(copy, good_btf(&sz), sz);
	while (in->sz) {
		unsigned int off = bytes__u8(in) << 8;

		off |= bytes__u8(in);
		if (off == 0xffff)
			break;
		copy[off % sz] = bytes__u8(in);
	}
	btf = btf__new(copy, sz);
	free(copy);
	return libbpf_get_error(btf) ? NULL : btf;
}

static void check_parse(const char *json, const struct map_shape *shape)
{
	struct map_file_error err = {};
	struct map_elems elems;
	int ret = map_elems__parse(json, shape, &elems, &err);

	require(!ret || ret == -EINVAL);
	if (ret)
		require(*err.text && memchr(err.text, '\0', sizeof(err.text)));
	else
		require(elems.key_sz == shape->key_sz && elems.value_sz >= shape->value_sz);
	map_elems__free(&elems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	static int ids[] = {0, 1, 3};
	static const struct cpus cpus = {.id = ids, .cnt = 3};
	struct bytes in = {data, sz};
	struct map_shape shape = {
		.key_type = bytes__u8(&in) % (T_FLAG_ARRAY + 2),
		.value_type = bytes__u8(&in) % (T_FLAG_ARRAY + 2),
		.key_sz = bytes__u8(&in) % 64,
		.value_sz = bytes__u8(&in) % 64 ?: 1,
	};
	uint8_t flags = bytes__u8(&in);
	struct btf *btf = make_btf(&in);
	char *json = bytes__text(&in);

	if (flags & PER_CPU)
		shape.cpus = &cpus;
	if (!(flags & NO_BTF))
		shape.btf = btf;
	if (shape.btf)
		check_parse(json, &shape);
	shape.btf = NULL;
	shape.key_type = shape.value_type = 0;
	check_parse(json, &shape);
	btf__free(btf);
	free(json);
	return 0;
}
