/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the source files of one program that have functions of the same name. */
#ifndef NAMESAKES_H
#define NAMESAKES_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define NOINLINE __attribute__((noinline))
#define WORK(x, n) asm volatile(".rept " #n "\n\t%0 += 0\n\t.endr" : "+r"(x))

/*
 * The name of the static functions' parameter. Functions with the same name and prototype have the
 * same BTF id, unless their parameters have other names.
 */
#ifndef PARAM
#define PARAM x
#endif

int a(int x);
int b(int x);

#endif
