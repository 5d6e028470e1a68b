/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The instructions by which the probe of a function of the kernel finds out where it was called from
 * (bpf/probe_called.bpf.h, address_of_call()).
 */
#ifndef BPROF_SITE_READ_H
#define BPROF_SITE_READ_H

#include <stddef.h>
#include <linux/bpf.h>

struct call_site_at;

/* Makes the probe read the place, and not the map. Instructions without the placeholders stay as they are. */
void site_read__fill(const struct call_site_at *site, struct bpf_insn *insns, size_t cnt);
/* For a function with that many arguments, in instructions that were filled. */
void site_read__set_args(const struct call_site_at *site, int args, struct bpf_insn *insns,
			 size_t cnt);
/* Removes the reading of the place. Returns the number of instructions that are left. */
size_t site_read__drop(struct bpf_insn *insns, size_t cnt);

#endif
