/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parses a command's argument that names one loaded program: its id, or a glob of its name.
 */
#ifndef BPROF_PROG_OPERAND_H
#define BPROF_PROG_OPERAND_H

#include <linux/types.h>

/*
 * Sets *id to the id of the program. A number is an id, even if no program has it. Returns 0, or
 * -errno (reported, with the name of the command): -ESRCH if no loaded program has a matching name,
 * -EINVAL if several programs have one.
 */
int prog_operand__parse(const char *command, const char *arg, __u32 *id);

#endif
