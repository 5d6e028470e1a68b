// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's symbols. Owns a sorted copy of the symbols, the rule where each of them ends, and how much
 * of the file has to be read for an answer; must not know which addresses are looked up. Prints nothing.
 *
 * The file has 100,000 lines and more, which the kernel formats when they are read. The symbols of the
 * kernel itself come first, in the order of their addresses; those of modules and of BPF follow in any
 * order. So a function of the kernel is known once the symbol behind it is, and its part of BPF, with
 * most of what programs call, is near to the start of its code.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "host/ksyms.h"

#define PAGE 4096
#define BPF_PROG "bpf_prog_"
#define BPF_MODULE "[bpf]"
#define CHUNK (64 << 10)

struct ksym {
	__u64 address;
	size_t index; /* in the file; of several names for one address, the kernel shows the first */
	const char *name; /* NULL: this is no function, but shows where the one before it ends */
	__u32 module;	  /* a hash of "[MODULE]"; 0: the kernel itself */
};

/* A part of the file; names are in it. */
struct chunk {
	struct chunk *older;
	size_t len;
	char text[CHUNK + 1];
};

struct ksyms {
	FILE *f; /* NULL: all is read, and the symbols are in the order of compare_addresses() */
	struct chunk *last;
	size_t used; /* how much of the last chunk is parsed */
	struct ksym *v;
	size_t cnt, room;
	bool mixed; /* some symbol has a lower address than the one before it */
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
	k->mixed |= k->cnt && address < k->v[k->cnt - 1].address;
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
	if (module && module == hash(BPF_MODULE))
		return strncmp(name, BPF_PROG, strlen(BPF_PROG));
	return strchr("tTwW", type) && strcmp(name, "_etext") && strcmp(name, "_einittext");
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Adds the symbol of a line "address type name", which may end with "\t[module]", unless its address is
 * hidden. Functions of the C library for this were a third of the time to read the file.
 */
static void parse_symbol(struct ksyms *k, char *line, size_t len)
{
	char *end = line + len, *name, *module;
	__u64 address = 0;
	__u32 id = 0;

	for (; hex_digit(*line) >= 0; line++)
		address = address << 4 | hex_digit(*line);
	if (!address || line[0] != ' ' || !line[1] || line[2] != ' ')
		return;
	name = line + 3;
	module = memchr(name, '\t', end - name);
	if (module) {
		*module = '\0';
		id = hash(module + 1);
	}
	if (*name)
		add_symbol(k, address, is_function(line[1], name, id) ? name : NULL, id);
}

/* Adds the symbols of the lines that the last chunk has to their end; at the end of the file, of all. */
static void parse_chunk(struct ksyms *k, bool is_last)
{
	char *end = k->last->text + k->last->len, *line = k->last->text, *next;

	for (; line < end; line = next + 1) {
		next = memchr(line, '\n', end - line);
		/* No symbol is as long as a chunk. */
		if (!next && !is_last && line > k->last->text)
			break;
		next = next ?: end;
		*next = '\0';
		parse_symbol(k, line, next - line);
	}
	k->used = line < end ? (size_t)(line - k->last->text) : k->last->len;
}

/* Ends the reading. What cannot be read to its end is not known at all. */
static int finish(struct ksyms *k)
{
	int err = ferror(k->f) ? -errno : 0;

	fclose(k->f);
	k->f = NULL;
	if (err)
		k->cnt = 0;
	if (k->mixed)
		qsort(k->v, k->cnt, sizeof(*k->v), compare_addresses);
	return err;
}

/* Reads more of the file, which is not read to its end. Returns 0 or -errno. */
static int read_more(struct ksyms *k)
{
	struct chunk *c = xmalloc(sizeof(*c));
	size_t begun = k->last ? k->last->len - k->used : 0;

	if (begun)
		memcpy(c->text, k->last->text + k->used, begun);
	c->older = k->last;
	c->len = begun + fread(c->text + begun, 1, CHUNK - begun, k->f);
	c->text[c->len] = '\0';
	k->last = c;
	parse_chunk(k, c->len < CHUNK);
	return c->len < CHUNK ? finish(k) : 0;
}

int ksyms__read(const char *path, struct ksyms **out)
{
	struct ksyms *k = xcalloc(1, sizeof(*k));
	int err;

	*out = NULL;
	k->f = fopen(path, "re");
	err = k->f ? 0 : -errno;
	while (!err && k->f && !k->cnt)
		err = read_more(k);
	if (!err && !k->cnt)
		err = -EPERM;
	if (err) {
		ksyms__free(k);
		return err;
	}
	*out = k;
	return 0;
}

void ksyms__free(struct ksyms *k)
{
	if (!k)
		return;
	if (k->f)
		fclose(k->f);
	for (struct chunk *c = k->last, *older; c; c = older) {
		older = c->older;
		free(c);
	}
	free(k->v);
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

/*
 * Returns true if no symbol that is not read yet can be nearer to the address, of whose kind "next" symbols
 * begin at or below it: the address is in the code of the kernel itself.
 */
static bool is_settled(const struct ksyms *k, size_t next)
{
	return !k->f || (!k->mixed && next && next < k->cnt && k->v[next - 1].name &&
			 !k->v[next - 1].module && !k->v[next].module);
}

struct ksym_place ksyms__find(struct ksyms *k, __u64 address)
{
	size_t next = count_below(k, address), first;
	const struct ksym *sym = NULL;
	struct ksym_place place = {};
	bool is_bounded;

	while (k && !is_settled(k, next)) {
		read_more(k);
		next = count_below(k, address);
	}
	first = next;
	while (first && k->v[first - 1].address == k->v[next - 1].address)
		if (k->v[--first].name)
			sym = &k->v[first];
	if (!sym)
		return place;
	place.is_bpf = sym->module == hash(BPF_MODULE);
	is_bounded = !place.is_bpf && next < k->cnt && k->v[next].module == sym->module;
	place.offset = address - sym->address;
	if (is_bounded || place.offset < PAGE)
		place.name = sym->name;
	return place;
}

/* Looks through the symbols from index i on, in modules or not. Returns the address or 0. */
static __u64 find_name(const struct ksyms *k, size_t i, const char *name, bool in_module)
{
	for (; i < k->cnt; i++)
		if (k->v[i].name && !k->v[i].module == !in_module && !strcmp(k->v[i].name, name))
			return k->v[i].address;
	return 0;
}

__u64 ksyms__address(struct ksyms *k, const char *name)
{
	__u64 address = k ? find_name(k, 0, name, false) : 0;

	while (k && k->f && (!address || k->mixed)) {
		size_t cnt = k->cnt;

		read_more(k);
		address = find_name(k, k->mixed ? 0 : cnt, name, false);
	}
	return address || !k ? address : find_name(k, 0, name, true);
}

bool ksyms__range(struct ksyms *k, const char *name, __u64 *start, __u64 *end)
{
	size_t next;

	*start = ksyms__address(k, name);
	while ((next = *start ? count_below(k, *start) : 0) && next == k->cnt && k->f)
		read_more(k);
	*end = next && next < k->cnt ? k->v[next].address : 0;
	return *end;
}
