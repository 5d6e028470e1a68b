// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Writes the prog_info and the BTF of a loaded program to a file. Links no code of bprof.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "tests/fuzz/prog_input.h"
#include "tests/kernel/drive/progdump.h"

struct dump {
	struct prog_input_header head;
	void *array[PROG_ARRAY_CNT];
};

static int add_array(struct dump *d, enum prog_array_id id, __u32 sz)
{
	if (sz > UINT16_MAX)
		return -E2BIG;
	d->head.sz[id] = sz;
	d->array[id] = calloc(1, sz + !sz);
	return d->array[id] ? 0 : -ENOMEM;
}

static __u64 address(const struct dump *d, enum prog_array_id id)
{
	return (__u64)(unsigned long)d->array[id];
}

static int read_prog(struct dump *d, int fd, __u32 *btf_id)
{
	struct bpf_prog_info info = {}, arrays = {};
	__u32 len = sizeof(info);
	int err = bpf_obj_get_info_by_fd(fd, &info, &len);

	if (err)
		return err;
	err = add_array(d, PROG_INSNS, info.xlated_prog_len)
		      ?: add_array(d, PROG_FUNC_INFO, info.nr_func_info * info.func_info_rec_size)
		      ?: add_array(d, PROG_MAP_IDS, info.nr_map_ids * sizeof(__u32));
	if (err)
		return err;
	arrays.xlated_prog_len = info.xlated_prog_len;
	arrays.xlated_prog_insns = address(d, PROG_INSNS);
	arrays.nr_func_info = info.nr_func_info;
	arrays.func_info_rec_size = info.func_info_rec_size;
	arrays.func_info = address(d, PROG_FUNC_INFO);
	arrays.nr_map_ids = info.nr_map_ids;
	arrays.map_ids = address(d, PROG_MAP_IDS);
	err = bpf_obj_get_info_by_fd(fd, &arrays, &len);
	*btf_id = info.btf_id;
	d->head.rec_sz = info.func_info_rec_size;
	d->head.type = info.type;
	d->head.jited = !!info.jited_prog_len;
	memcpy(d->head.tag, info.tag, sizeof(d->head.tag));
	memcpy(d->head.name, info.name, sizeof(d->head.name));
	return err;
}

static int read_btf(struct dump *d, __u32 btf_id)
{
	struct bpf_btf_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_btf_get_fd_by_id(btf_id), err;

	if (fd < 0)
		return fd;
	err = bpf_obj_get_info_by_fd(fd, &info, &len) ?: add_array(d, PROG_BTF, info.btf_size);
	if (!err) {
		info = (struct bpf_btf_info){.btf = address(d, PROG_BTF),
					     .btf_size = info.btf_size};
		err = bpf_obj_get_info_by_fd(fd, &info, &len);
	}
	close(fd);
	return err;
}

static int write_dump(const struct dump *d, const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return -errno;
	fwrite(&d->head, sizeof(d->head), 1, out);
	for (int i = 0; i < PROG_ARRAY_CNT; i++)
		fwrite(d->array[i], 1, d->head.sz[i], out);
	return fclose(out) ? -errno : 0;
}

int progdump__write(__u32 prog_id, const char *path)
{
	struct dump d = {};
	__u32 btf_id = 0;
	int fd = bpf_prog_get_fd_by_id(prog_id), err;

	if (fd < 0)
		return fd;
	err = read_prog(&d, fd, &btf_id);
	if (!err && btf_id)
		err = read_btf(&d, btf_id);
	else if (!err)
		d.head.flags |= PROG_INPUT_NO_BTF;
	if (!err)
		err = write_dump(&d, path);
	for (int i = 0; i < PROG_ARRAY_CNT; i++)
		free(d.array[i]);
	close(fd);
	return err;
}
