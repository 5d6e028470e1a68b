/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The world that fuzzed code sees. fuzz.mk redirects calls of bprof and of libbpf that leave the
 * process to world.c: files come from a table in memory, and everything else is refused. So an
 * input has the same effect on each machine, can do no harm, and needs no system calls.
 */
#ifndef BPROF_FUZZ_WORLD_H
#define BPROF_FUZZ_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/fuzz/require.h"

/*
 * Sets the content of a file; adds the file if it does not exist. NULL removes it. path and data
 * are borrowed.
 */
void world__set_file(const char *path, const void *data, size_t sz);
void world__set_text(const char *path, const char *text);
void world__clear(void);

/* Answers bpf(cmd, attr, sz): returns a result, or -1 and sets errno. NULL: all calls are refused. */
extern long (*world_bpf)(int cmd, void *attr, unsigned int sz);
/* True if the fuzzer may open sockets. */
extern bool world_net;
/* True if fork() succeeds, and the child, which does not exist, ends with status 0. */
extern bool world_child_survives;

/* A stream that drops what is written. It is never closed. */
FILE *world__null(void);

/* The rest of an input. */
struct bytes {
	const uint8_t *at;
	size_t sz;
};

/* Each takes a part from the start of the input. Takes zeros where the input has ended. */
uint8_t bytes__u8(struct bytes *b);
uint64_t bytes__u64(struct bytes *b);
void bytes__copy(struct bytes *b, void *to, size_t sz);
/* Takes everything up to a NUL, and the NUL. The caller frees the copy. */
char *bytes__text(struct bytes *b);

/* Frees a text that a renderer wrote, after checking that no terminal would act on it. */
void free_harmless(char *text);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz);

#endif
