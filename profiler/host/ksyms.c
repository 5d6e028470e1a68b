// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's symbols. Owns a sorted copy of the symbols; must not know which addresses are looked
 * up. Prints nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/ksyms.h"

struct ksym {
	__u64 address;
	char *name;
};

struct ksyms {
	struct ksym *v;
	size_t cnt, room;
};

static int compare_addresses(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static int add_symbol(struct ksyms *k, __u64 address, const char *name)
{
	char *copy = strdup(name);

	if (copy && k->cnt == k->room) {
		size_t room = k->room * 2 ?: 1024;
		struct ksym *v = realloc(k->v, room * sizeof(*v));

		if (!v) {
			free(copy);
			return -ENOMEM;
		}
		k->v = v;
		k->room = room;
	}
	if (!copy)
		return -ENOMEM;
	k->v[k->cnt++] = (struct ksym){address, copy};
	return 0;
}

/* Reads the symbols from lines "address type name", some of which end with "[module]". */
static int read_symbols(struct ksyms *k, FILE *f)
{
	char line[1024], name[512], type;
	unsigned long long address;
	int err = 0;

	while (!err && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %c %511s", &address, &type, name) == 3 && address)
			err = add_symbol(k, address, name);
	return err ?: k->cnt ? 0 : -EPERM;
}

int ksyms__read(const char *path, struct ksyms **out)
{
	struct ksyms *k = calloc(1, sizeof(*k));
	FILE *f = k ? fopen(path, "re") : NULL;
	int err = k ? 0 : -ENOMEM;

	*out = NULL;
	if (!err && !f)
		err = -errno;
	if (!err)
		err = read_symbols(k, f);
	if (f)
		fclose(f);
	if (err) {
		ksyms__free(k);
		return err;
	}
	qsort(k->v, k->cnt, sizeof(*k->v), compare_addresses);
	*out = k;
	return 0;
}

void ksyms__free(struct ksyms *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->cnt; i++)
		free(k->v[i].name);
	free(k->v);
	free(k);
}

const char *ksyms__format(const struct ksyms *k, __u64 address, char *buf, size_t sz)
{
	size_t low = 0, high = k ? k->cnt : 0;

	/* find the last symbol that is not above the address */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->v[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (low)
		snprintf(buf, sz, "%s+0x%llx", k->v[low - 1].name,
			 (unsigned long long)(address - k->v[low - 1].address));
	else
		snprintf(buf, sz, "0x%llx", (unsigned long long)address);
	return buf;
}
