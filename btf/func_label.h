/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The labels of functions. With a label, the user and bprof name one function of a program. The
 * label is the function's name, unless several functions of the program have that name: static
 * functions of several source files that were linked together. Then the label is "NAME@FILE:LINE"
 * with the place of the function's first line. If several functions are at the same place (in a
 * header that several files include), the label of the K-th in program order is "NAME@FILE:LINE#K".
 * If the place is unknown, the label is "NAME#K". The entry function's label is always its name.
 *
 * Labels are unique within a program: names of functions contain neither '@' nor '#', and the part
 * FILE contains no '#'. Works only on bytes in memory: prints nothing, and does not access the
 * kernel.
 */
#ifndef BPROF_FUNC_LABEL_H
#define BPROF_FUNC_LABEL_H

#include <stdbool.h>
#include <linux/types.h>

struct bpf_fn;
struct bpf_line;

/* The characters that separate the name from the rest of a label. No name contains them. */
#define LABEL_SEPARATORS "@#"

/*
 * Sets the label and the member "first" of all cnt functions of a program. fn is in program order.
 * lines: line_cnt source lines in order of instructions; line_cnt is 0 if they are not known.
 * Returns true if several functions have the same name.
 */
bool func_label__set(struct bpf_fn *fn, __u32 cnt, const struct bpf_line *lines, __u32 line_cnt);

/*
 * Returns true if a user's glob selects the function with this label: if the glob matches the label
 * or the name in the label, or is equal to the label.
 */
bool func_label__matches(const char *label, const char *glob);

/*
 * Returns true if two labels differ only in LINE. Then they name the same function in two versions
 * of a program, if its lines have moved in the source file.
 */
bool func_label__is_moved(const char *a, const char *b);

#endif
