/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A recording: the samples in the code of programs, with all data that is needed to show the
 * samples on another machine, without root and without the programs. Recordings are written and
 * read as JSON.
 */
#ifndef BPROF_RECORD_H
#define BPROF_RECORD_H

#include "bpf/ip_samples.h"
#include "report/report.h"

#define RECORD_SCHEMA 1

/* One function of a program. */
struct record_func {
	char *name;
	/* first BPF instruction in the translated program, and number of instructions */
	__u32 insn_off, insn_cnt;
	__u32 code_off, code_len; /* start and length in the program's JITed code, in bytes */
	/* the function is a target; if not, samples in it count as outside of the targets */
	bool sampled;
};

/* A source line. Its code ends where the next line's code begins, or at the function's end. */
struct record_line {
	__u32 insn_off; /* index of the line's first BPF instruction in the program */
	__u32 code_off;
	__u32 line, col;
	char *file; /* "": file, line and text are unknown */
	char *text;
};

/* The samples at one instruction of the JITed code, or those in what that instruction calls. */
struct record_place {
	__u32 code_off;
	__u64 samples;
	__u64 weight; /* the sum of these samples' periods, in units of the event */
};

/* A map that a program uses. */
struct record_map {
	__u32 id;
	char *name; /* "" if the map has no name */
	char *type; /* such as "lru_hash" */
};

/* The names that belong to a call, or to code that the kernel put in the place of a call. */
struct record_call {
	/* index of the BPF instruction in the program, or offset in its JITed code */
	__u32 at;
	char *callee;  /* the function that is called; NULL: unknown, or there is no call */
	char *inlined; /* the helper in whose place the kernel put this code; NULL: none */
	__u32 map;     /* id of the map that the callee or the code works on; 0: none, or unknown */
};

/* The name of an unknown callee, for example the code of another BPF program. */
#define RECORD_UNKNOWN_CALLEE "[unknown]"

/* The samples in one chain of functions that begins at a call instruction. */
struct record_callee {
	__u32 code_off; /* offset of the call instruction, as in record_prog.call */
	/* the functions' names in the order of the calls; at least one name; ends with NULL */
	char **frame;
	__u64 samples, weight;
};

struct record_prog {
	__u32 id;
	char *name;
	char *type;
	char tag[17];
	struct record_func *func; /* at least one function, in program order */
	int func_cnt;
	/* Source lines in program order, with ascending offsets; line_cnt 0: unknown */
	struct record_line *line;
	int line_cnt;
	/* BPF instructions (struct bpf_insn) as the kernel shows them; NULL: it does not */
	__u8 *insns;
	__u32 insns_sz;
	__u8 *code; /* JITed code, for the architecture in record.head->host.arch */
	__u32 code_sz;
	struct record_place *place; /* places with samples, by ascending offset */
	int place_cnt;
	/*
	 * Call instructions with samples in what they call: helpers, kernel functions, and
	 * functions that are not sampled. By ascending offset.
	 */
	struct record_place *call;
	int call_cnt;
	/* The samples of "call", divided by chains of functions; by ascending offset and names. */
	struct record_callee *callee;
	int callee_cnt;
	struct record_map *map;
	int map_cnt;
	/* Names of what is called, in the BPF code and in the JITed code; by ascending "at". */
	struct record_call *bpf_call, *code_call;
	int bpf_call_cnt, code_call_cnt;
	/* The kernel's statistics, if record.run_stats is set: all runs of the program. */
	__u64 runs, run_time_ns;
	struct report_notes notes;
};

struct record {
	/*
	 * Where, when and how the recording was made: a report without programs. host.cpus is the
	 * number of sampled CPUs.
	 */
	struct report *head;
	char *event; /* name of the sampled event, as the user gave it */
	/* Sampling frequency in Hz, or period in units of the event. One of the two is 0. */
	__u64 frequency, period;
	struct record_samples samples;
	bool calls;	/* samples in called functions are also counted, at the calls */
	bool run_stats; /* the number of runs and their time are known */
	struct record_prog *prog;
	int prog_cnt;
};

struct record *record__new(void);
void record__free(struct record *r); /* also frees its strings; r may be NULL */
/* Each of these appends a zeroed element and returns it. */
struct record_prog *record__add_prog(struct record *r);
struct record_func *record_prog__add_func(struct record_prog *p);
struct record_line *record_prog__add_line(struct record_prog *p);
struct record_place *record_prog__add_place(struct record_prog *p);
struct record_place *record_prog__add_call(struct record_prog *p);
struct record_callee *record_prog__add_callee(struct record_prog *p);
void record_prog__free_callees(struct record_prog *p); /* leaves p without any callees */
struct record_map *record_prog__add_map(struct record_prog *p);
struct record_call *record_prog__add_bpf_call(struct record_prog *p);
struct record_call *record_prog__add_code_call(struct record_prog *p);

/* Returns the names at an instruction (record_call.at), or NULL. */
const struct record_call *record_calls__find(const struct record_call *call, int cnt, __u32 at);
/* Returns the map's name, or "map ID" if it has none. The caller frees it. */
char *record_map__label(const struct record_map *map);
/* Returns the map that the call works on; NULL: none, or not known. */
const struct record_map *record_prog__map_of(const struct record_prog *p,
					     const struct record_call *call);

/* Returns the sum of the samples, and the sum of the weights, over these places. */
struct record_place record_places__sum(const struct record_place *place, int cnt);

/*
 * Writes a recording to out and flushes out. Returns 0 or the error of out. record__write() writes
 * one JSON document, which record__read() reads.
 */
typedef int record_write_fn(const struct record *r, FILE *out);
record_write_fn record__write;
record_write_fn record__write_pprof;

/*
 * Reads a file that record__write() wrote. Returns the same errors as report__read(), and -EINVAL
 * if the file has further text after the recording. Checks that the functions, lines and places of
 * each program lie within the program and are in order. The caller frees *out.
 */
int record__read(FILE *in, struct record **out, struct report_error *err);

#endif
