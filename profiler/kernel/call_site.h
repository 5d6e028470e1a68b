/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the probe of a function of the kernel finds out from where the function was called: the return
 * address is in the stack frame of the trampoline that calls the probe.
 */
#ifndef BPROF_CALL_SITE_H
#define BPROF_CALL_SITE_H

#include <stdbool.h>
#include <linux/types.h>

struct reason;

/*
 * The trampoline saves the function's arguments, which begin at ctx, and its return value. The
 * return address is "at" bytes above the first multiple of "align" at or after the end of this
 * saved data.
 */
struct call_site_at {
	bool known;
	__u32 align, at;
	/*
	 * Ids in the kernel's BTF: of bpf_rdonly_cast() (Linux 6.2), and of a struct that begins with a
	 * number of 64 bits. 0: the kernel does not have the function; then bpf_probe_read_kernel()
	 * reads the address.
	 */
	__u32 cast_id, type_id;
};

/*
 * Finds out where the return address is, by a run of a built-in program that calls a function of the
 * kernel. Takes 50 to 100 ms. Returns 0, or -errno with *reason.
 */
int call_site__find(struct call_site_at *site, struct reason *reason);

#endif
