// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Names of functions in stacks. Owns the table of the code of BPF programs, and decides when
 * symbols are read again. Must not know stacks.
 *
 * The addresses of a program's code come from the kernel's information about the program, because,
 * unlike /proc/kallsyms, it has the size of the code. The kernel uses the memory of an unloaded
 * program again. So a program is named only while its id can still be opened; ids are never used
 * again.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/util.h"
#include "btf/prog_code.h"
#include "host/ksyms.h"
#include "trace/trace_symbols.h"

/*
 * The least time between two readings, and the share of the time that readings of each kind may
 * take.
 */
#define PROGS_PERIOD_NS (100 * NSEC_PER_MSEC)
#define KSYMS_PERIOD_NS (1000 * NSEC_PER_MSEC)
#define PART_OF_TIME 50

/* The code of one function of a program. */
struct func_code {
	__u64 address;
	__u32 len;
	__u32 prog_id, index;
	char *name; /* NULL: the name has not been read yet */
};

struct trace_symbols {
	struct ksyms *ksyms;
	struct func_code *func; /* sorted by address */
	int func_cnt;
	/* The earliest times of the next readings. */
	__u64 progs_ns, ksyms_ns;
};

static __u64 next_reading(__u64 start, __u64 period)
{
	__u64 now = now_ns(), pause = PART_OF_TIME * (now - start);

	return now + (pause > period ? pause : period);
}

static void forget_progs(struct trace_symbols *s)
{
	for (int i = 0; i < s->func_cnt; i++)
		free(s->func[i].name);
	free(s->func);
	s->func = NULL;
	s->func_cnt = 0;
}

static int add_prog_code(__u32 id, void *arg)
{
	struct trace_symbols *s = arg;
	struct prog_funcs funcs;
	struct prog *p;

	/* If a program is unloaded or its addresses are hidden, its functions have no names. */
	if (prog__open_id(id, &p))
		return 0;
	if (!prog__read_addresses(p, &funcs)) {
		for (__u32 i = 0; i < funcs.cnt; i++)
			*(struct func_code *)array__add(&s->func, &s->func_cnt, sizeof(*s->func)) =
				(struct func_code){funcs.addr[i], funcs.len[i], id, i, NULL};
		prog_funcs__free(&funcs);
	}
	prog__close(p);
	return 0;
}

static int compare_code(const void *a, const void *b)
{
	const struct func_code *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void read_prog_addresses(struct trace_symbols *s)
{
	__u64 start = now_ns();

	forget_progs(s);
	prog__for_each_id(add_prog_code, s);
	if (s->func_cnt)
		qsort(s->func, s->func_cnt, sizeof(*s->func), compare_code);
	s->progs_ns = next_reading(start, PROGS_PERIOD_NS);
}

static int read_ksyms(struct trace_symbols *s)
{
	__u64 start = now_ns();
	struct ksyms *k;
	int err = ksyms__read("/proc/kallsyms", &k);

	if (!err) {
		ksyms__free(s->ksyms);
		s->ksyms = k;
		/* read the whole file now: how long that takes decides when to do it again */
		ksyms__find(k, ~0ULL);
	}
	s->ksyms_ns = next_reading(start, KSYMS_PERIOD_NS);
	return err;
}

struct trace_symbols *trace_symbols__open(int *ksyms_err)
{
	struct trace_symbols *s = xcalloc(1, sizeof(*s));

	read_prog_addresses(s);
	*ksyms_err = read_ksyms(s);
	return s;
}

void trace_symbols__close(struct trace_symbols *s)
{
	if (!s)
		return;
	forget_progs(s);
	ksyms__free(s->ksyms);
	free(s);
}

/*
 * Finds the address in the tables. Returns false if the tables may be out of date: the address is
 * not in them, or its memory has other code by now.
 */
static bool look_up(const struct trace_symbols *s, __u64 address, struct code_place *out)
{
	size_t low = COUNT_BELOW(s->func, s->func_cnt, address, address + 1);
	struct func_code *f = low ? &s->func[low - 1] : NULL;
	struct ksym_place sym;
	struct prog *p = NULL;

	*out = (struct code_place){};
	if (f && address - f->address < f->len && !prog__open_id(f->prog_id, &p)) {
		f->name = f->name ?: prog__func_symbol(p, f->index);
		*out = (struct code_place){f->name, address - f->address, f->prog_id};
		prog__close(p);
		return true;
	}
	sym = ksyms__find(s->ksyms, address);
	out->name = sym.name;
	out->offset = sym.offset;
	return sym.name && !sym.is_bpf;
}

/* Reads the tables that may be read again now. Returns false if there are none. */
static bool update(struct trace_symbols *s)
{
	__u64 now = now_ns();
	bool progs = now >= s->progs_ns, ksyms = now >= s->ksyms_ns;

	/* A table that cannot be read keeps its old content, or stays empty. */
	if (progs)
		read_prog_addresses(s);
	if (ksyms)
		read_ksyms(s);
	return progs || ksyms;
}

struct code_place trace_symbols__find(struct trace_symbols *s, __u64 address)
{
	struct code_place place = {};

	if (s && !look_up(s, address, &place) && update(s))
		look_up(s, address, &place);
	return place;
}
