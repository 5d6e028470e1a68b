/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording: what was sampled in the code of programs, with all that is needed to show it on another
 * machine, without root and without a kernel that has the programs. Written and read as JSON.
 */
#ifndef BPROF_RECORD_H
#define BPROF_RECORD_H

#include "report/report.h"

#define RECORD_SCHEMA 1

/* One function of a program. */
struct record_func {
	char *name;
	__u32 insn_off, insn_cnt; /* its part of the translated instructions, in instructions */
	__u32 code_off, code_len; /* its part of the JITed code, in bytes */
	bool sampled;		  /* false: what was sampled in it counts as outside */
};

/* From this instruction on, up to the next line's or the function's end. */
struct record_line {
	__u32 insn_off; /* as in record_func */
	__u32 code_off;
	__u32 line, col;
	char *file; /* "" where it is not known, as are line and text then */
	char *text;
};

/* What was sampled at one place of the JITed code. */
struct record_place {
	__u32 code_off;
	__u64 samples;
	__u64 weight; /* in units of the event: the sum of the periods that the samples ended */
};

struct record_prog {
	__u32 id;
	char *name;
	char *type;
	char tag[17];
	struct record_func *func; /* in program order, at least one */
	int func_cnt;
	struct record_line *line; /* in program order, with ascending offsets; none: not known */
	int line_cnt;
	__u8 *insns; /* struct bpf_insn as the kernel shows them; NULL: withheld */
	__u32 insns_sz;
	__u8 *code; /* JITed, of the host's architecture */
	__u32 code_sz;
	struct record_place *place; /* by ascending offset, each with samples */
	int place_cnt;
	struct report_notes notes;
};

struct record {
	/* Where and how it was made: without rows. host.cpus are those that were sampled. */
	struct report *head;
	char *event;		 /* as it was asked for */
	__u64 frequency, period; /* of samples, in Hz, or of the event; one is 0 */
	struct record_samples samples;
	struct record_prog *prog;
	int prog_cnt;
};

struct record *record__new(void);    /* NULL: out of memory */
void record__free(struct record *r); /* with all its strings; NULL is fine */
/* Append an element, zeroed; as report__add_prog(). */
struct record_prog *record__add_prog(struct record *r);
struct record_func *record_prog__add_func(struct record_prog *p);
struct record_line *record_prog__add_line(struct record_prog *p);
struct record_place *record_prog__add_place(struct record_prog *p);

/* The samples in a program, and their weight. */
struct record_place record_prog__sum(const struct record_prog *p);

/* Writes it as one JSON document and flushes: 0, -ENOMEM, or with what out failed. */
int record__write(const struct record *r, FILE *out);

/*
 * Reads what record__write() wrote; the caller frees *out. As report__read(), and -EINVAL where there
 * is more in the file. Whatever was read can be shown: the parts of a program lie within it, in order.
 */
int record__read(FILE *in, struct record **out, struct report_error *err);

#endif
