/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What targets have to do with other programs: the prog arrays that they are in, and which extends
 * which. It changes what their numbers mean, and the report says so.
 */
#ifndef BPROF_RELATIONS_H
#define BPROF_RELATIONS_H

#include "btf/tail_calls.h"
#include "base/util.h"

struct bpf_fn;
struct prog;
struct report_prog;
struct target;
struct target_list;

/* As prog__tail_calls(); if that cannot say, decides by the prog arrays. */
enum tail_calls target_list__tail_calls(const struct target_list *targets, struct prog *p,
					const struct bpf_fn *fn);

/*
 * Puts every extension after the program that it extends, if that is a target too; fills in of each
 * what it extends. From targets->extensions. 0 or -ENOMEM.
 */
int __must_check target_list__place_extensions(struct target_list *targets);

/*
 * May targets call one another: are there two functions of one program, or an extension and the
 * program that it extends?
 */
bool target_list__is_nested(const struct target_list *targets);

/*
 * Adds to the target's part of the report what the reader must know of it; p->method is set. own_code:
 * its numbers are of the program's own code, whoever entered it. 0 or -ENOMEM.
 */
int __must_check target__add_notes(const struct target *t, const struct target_list *targets,
				   bool own_code, struct report_prog *p);

#endif
