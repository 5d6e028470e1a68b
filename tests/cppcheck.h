/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Macros of libbpf, for cppcheck, which does not read its headers. Not with -D: a variadic macro there breaks how
 * cppcheck expands macros with macros as arguments.
 */
#define LIBBPF_OPTS(type, name, ...) struct type name = {0}
#define bpf_object__for_each_program(p, obj) for (p = 0; p;)
