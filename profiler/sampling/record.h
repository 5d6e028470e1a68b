/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording: samples in the code of programs, with everything needed to show them on another
 * machine, without root and without the programs. Written and read as JSON.
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
	bool sampled;		  /* false: samples in it count as outside of the targets */
};

/* A source line; its code extends to the next line's, or to the function's end. */
struct record_line {
	__u32 insn_off; /* as in record_func */
	__u32 code_off;
	__u32 line, col;
	char *file; /* "" if file, line and text are unknown */
	char *text;
};

/* The samples at one place of the JITed code. */
struct record_place {
	__u32 code_off;
	__u64 samples;
	__u64 weight; /* sum of the periods that the samples ended, in units of the event */
};

struct record_prog {
	__u32 id;
	char *name;
	char *type;
	char tag[17];
	struct record_func *func; /* in program order, at least one */
	int func_cnt;
	struct record_line *line; /* in program order, with ascending offsets; none: unknown */
	int line_cnt;
	__u8 *insns; /* struct bpf_insn as the kernel shows them; NULL: withheld */
	__u32 insns_sz;
	__u8 *code; /* JITed code of the host's architecture */
	__u32 code_sz;
	struct record_place *place; /* places with samples, by ascending offset */
	int place_cnt;
	struct report_notes notes;
};

struct record {
	/* Where and how it was made; without rows. host.cpus is the number of sampled CPUs. */
	struct report *head;
	char *event;		 /* as the user gave it */
	__u64 frequency, period; /* of samples in Hz, or in units of the event; one is 0 */
	struct record_samples samples;
	struct record_prog *prog;
	int prog_cnt;
};

struct record *record__new(void);    /* NULL: out of memory */
void record__free(struct record *r); /* with all its strings; NULL is fine */
/* Each appends a zeroed element, as report__add_prog(). */
struct record_prog *record__add_prog(struct record *r);
struct record_func *record_prog__add_func(struct record_prog *p);
struct record_line *record_prog__add_line(struct record_prog *p);
struct record_place *record_prog__add_place(struct record_prog *p);

/* Adds up the samples in a program, and their weight. */
struct record_place record_prog__sum(const struct record_prog *p);

/* Writes it as one JSON document and flushes. Returns 0, -ENOMEM, or the error of out. */
int record__write(const struct record *r, FILE *out);

/*
 * Reads a file that record__write() wrote; the caller frees *out. Returns the same as
 * report__read(), and -EINVAL if the file has more than the recording. The parts of a program are
 * checked: they lie within it, in order.
 */
int record__read(FILE *in, struct record **out, struct report_error *err);

#endif
