/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Relations of targets to one another and to other programs: calls between functions of one
 * program, prog arrays that contain the program, and extensions. These relations change what the
 * numbers mean. Notes in the report explain how.
 */
#ifndef BPROF_RELATIONS_H
#define BPROF_RELATIONS_H

#include "base/util.h"

struct report_prog;
struct target;
struct target_list;

/*
 * Sorts the targets so that those of one program are adjacent and each function follows one of its
 * callers. Fills in the targets' places in the call trees: depth, callers, root_index and
 * runs_elsewhere. If the kernel withholds the program's instructions, all functions count as called
 * by the entry function, and perhaps by others. Then puts every extension after the program that it
 * extends, if that program is a target, too. Fills in target.extends from targets->extensions.
 */
void target_list__sort(struct target_list *targets);

/*
 * Returns true if targets may call one another: two functions of one program, an extension and the
 * program that it extends, or a function and, by tail calls, itself.
 */
bool target_list__is_nested(const struct target_list *targets);

/*
 * Adds notes to p that explain how the target's relations affect its numbers. p->method must be
 * set. own_code: the method counts all runs of the program, including runs that begin with a tail
 * call. It does not count the code of programs that the program tail-calls, or of other targets.
 */
void target__add_notes(const struct target *t, const struct target_list *targets, bool own_code,
		       struct report_prog *p);

#endif
