// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's symbols. Owns a sorted copy of the symbols and the rule where each of them ends; must
 * not know which addresses are looked up. Prints nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "host/ksyms.h"

#define PAGE 4096
#define BPF_PROG "bpf_prog_"

struct ksym {
	__u64 address;
	size_t index; /* in the file; of several names for one address, the kernel shows the first */
	const char *name; /* NULL: this is no function, but shows where the one before it ends */
	__u32 module;	  /* a hash of the module's name; 0: the kernel itself */
};

struct ksyms {
	char *text; /* of the file: the names are in it */
	struct ksym *v;
	size_t cnt, room;
};

static int compare_addresses(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static void add_symbol(struct ksyms *k, __u64 address, const char *name, __u32 module)
{
	if (k->cnt == k->room) {
		size_t room = k->room * 2 ?: 1024;

		k->v = xreallocarray(k->v, room, sizeof(*k->v));
		k->room = room;
	}
	k->v[k->cnt] = (struct ksym){address, k->cnt, name, module};
	k->cnt++;
}

static __u32 hash(const char *s)
{
	__u32 h = 2166136261;

	while (*s)
		h = (h ^ (__u8)*s++) * 16777619;
	return h ?: 1;
}

/* Returns true if the symbol is the name of code that runs. _etext and others mark the end of it. */
static bool is_function(char type, const char *name, __u32 module)
{
	if (module == hash("bpf"))
		return strncmp(name, BPF_PROG, strlen(BPF_PROG));
	return strchr("tTwW", type) && strcmp(name, "_etext") && strcmp(name, "_einittext");
}

/*
 * Adds the symbol of a line "address type name", which may end with "[module]", unless its address is
 * hidden. Reading 100,000 symbols by sscanf() was a third of the start of bprof annotate.
 */
static void parse_symbol(struct ksyms *k, char *line)
{
	char *name, *rest, *module, type;
	__u64 address = strtoull(line, &rest, 16);
	__u32 id;

	if (!address || rest[0] != ' ' || !rest[1] || rest[2] != ' ')
		return;
	type = rest[1];
	rest += 3;
	name = strsep(&rest, " \t");
	module = rest ? strchr(rest, '[') : NULL;
	if (module)
		module[strcspn(module, "]")] = '\0';
	id = module ? hash(module + 1) : 0;
	if (*name)
		add_symbol(k, address, is_function(type, name, id) ? name : NULL, id);
}

static int read_symbols(struct ksyms *k, FILE *f)
{
	size_t sz = 0;
	char *rest, *line;

	if (getdelim(&k->text, &sz, '\0', f) < 0)
		return ferror(f) ? -errno : -EPERM;
	for (rest = k->text; (line = strsep(&rest, "\n"));)
		parse_symbol(k, line);
	return k->cnt ? 0 : -EPERM;
}

int ksyms__read(const char *path, struct ksyms **out)
{
	struct ksyms *k = xcalloc(1, sizeof(*k));
	FILE *f = fopen(path, "re");
	int err;

	*out = NULL;
	err = f ? read_symbols(k, f) : -errno;
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
	free(k->v);
	free(k->text);
	free(k);
}

/* Returns the number of symbols that begin at or below the address. */
static size_t count_below(const struct ksyms *k, __u64 address)
{
	size_t low = 0, high = k ? k->cnt : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->v[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct ksym_place ksyms__find(const struct ksyms *k, __u64 address)
{
	size_t next = count_below(k, address), first = next;
	const struct ksym *sym = NULL;
	struct ksym_place place = {};
	bool is_bounded;

	while (first && k->v[first - 1].address == k->v[next - 1].address)
		if (k->v[--first].name)
			sym = &k->v[first];
	if (!sym)
		return place;
	place.is_bpf = sym->module == hash("bpf");
	is_bounded = !place.is_bpf && next < k->cnt && k->v[next].module == sym->module;
	place.offset = address - sym->address;
	if (is_bounded || place.offset < PAGE)
		place.name = sym->name;
	return place;
}

__u64 ksyms__address(const struct ksyms *k, const char *name)
{
	for (size_t i = 0; k && i < k->cnt; i++)
		if (k->v[i].name && !strcmp(k->v[i].name, name))
			return k->v[i].address;
	return 0;
}

bool ksyms__range(const struct ksyms *k, const char *name, __u64 *start, __u64 *end)
{
	size_t next;

	*start = ksyms__address(k, name);
	next = *start ? count_below(k, *start) : 0;
	*end = next && next < k->cnt ? k->v[next].address : 0;
	return *end;
}
