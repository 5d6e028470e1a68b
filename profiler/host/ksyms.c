// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's symbols. Owns a sorted copy of the symbols, the rule where a symbol ends, and the decision
 * how much of the file to read for an answer. Must not know which addresses are looked up. Prints
 * nothing.
 *
 * The file has 100,000 lines and more, which the kernel formats when they are read. The symbols of
 * the kernel itself come first, in the order of their addresses. The symbols of modules and of BPF
 * follow in any order. So a function of the kernel is known as soon as the symbol after it is
 * known. The kernel's BPF code, with most functions that programs call, is near the beginning of
 * its symbols, so most look-ups need only a small part of the file.
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
	/* index in the file; if an address has several names, the kernel shows the first */
	size_t index;
	const char *name; /* NULL: no function, but the end of the function before it */
	__u32 module;	  /* a hash of "[MODULE]"; 0: the kernel itself */
};

/* A part of the file. The names of symbols point into it. */
struct chunk {
	struct chunk *older;
	size_t len;
	char text[CHUNK + 1];
};

struct ksyms {
	/* NULL: the whole file was read, and the symbols are in the order of compare_addresses() */
	FILE *f;
	struct chunk *last;
	size_t used; /* number of bytes of the last chunk that were parsed */
	struct ksym *v;
	size_t cnt, room;
	bool mixed; /* a symbol has a lower address than the previous symbol */
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

/* Returns true if the symbol is the name of a function. _etext and others only mark the end of code. */
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
 * hidden. Parses the line itself: with functions of the C library, parsing took a third of the time to
 * read the file.
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

/* Adds the symbols of the last chunk's complete lines or, at the end of the file, of all. */
static void parse_chunk(struct ksyms *k, bool is_last)
{
	char *end = k->last->text + k->last->len, *line = k->last->text, *next;

	for (; line < end; line = next + 1) {
		next = memchr(line, '\n', end - line);
		/* Parse a chunk that is a single unended line: no symbol is that long. */
		if (!next && !is_last && line > k->last->text)
			break;
		next = next ?: end;
		*next = '\0';
		parse_symbol(k, line, next - line);
	}
	k->used = line < end ? (size_t)(line - k->last->text) : k->last->len;
}

/* Reads more of the file. Must not be called at the end of the file. Returns 0 or -errno. */
static int read_more(struct ksyms *k)
{
	struct chunk *c = xmalloc(sizeof(*c));
	size_t begun = k->last ? k->last->len - k->used : 0;
	int err;

	if (begun)
		memcpy(c->text, k->last->text + k->used, begun);
	c->older = k->last;
	c->len = begun + fread(c->text + begun, 1, CHUNK - begun, k->f);
	c->text[c->len] = '\0';
	k->last = c;
	parse_chunk(k, c->len < CHUNK);
	if (c->len == CHUNK)
		return 0;
	/* End the reading. If the file could not be read to its end, no symbol is known. */
	err = ferror(k->f) ? -errno : 0;
	fclose(k->f);
	k->f = NULL;
	if (err)
		k->cnt = 0;
	if (k->mixed)
		qsort(k->v, k->cnt, sizeof(*k->v), compare_addresses);
	return err;
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
 * Returns true if no unread symbol can be nearer to an address: the address is in the code of the kernel
 * itself. next: the number of symbols that begin at or below the address.
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

/*
 * Searches the symbols from index i on for a function: in modules if in_module is set, else in the
 * kernel itself. Returns its address or 0.
 */
static __u64 find_symbol_from(const struct ksyms *k, size_t i, const char *name, bool in_module)
{
	for (; i < k->cnt; i++)
		if (k->v[i].name && !k->v[i].module == !in_module && !strcmp(k->v[i].name, name))
			return k->v[i].address;
	return 0;
}

__u64 ksyms__address(struct ksyms *k, const char *name)
{
	__u64 address = k ? find_symbol_from(k, 0, name, false) : 0;

	while (k && k->f && (!address || k->mixed)) {
		size_t cnt = k->cnt;

		read_more(k);
		address = find_symbol_from(k, k->mixed ? 0 : cnt, name, false);
	}
	return address || !k ? address : find_symbol_from(k, 0, name, true);
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
