/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A lock that threads and processes of bprof hold while the kernel patches the code of a BPF program.
 * The kernel does this while a tracing program is attached to the BPF program or detached from it. On
 * arm64, the kernel makes the page of the code writable, writes to it, and makes it read-only again,
 * without a lock (bpf_arch_text_poke() in arch/arm64/net/bpf_jit_comp.c). Programs share pages (since
 * Linux 6.9), so two attachments at the same time can crash the kernel: "Unable to handle kernel write
 * to read-only memory".
 */
#ifndef BPROF_TEXT_LOCK_H
#define BPROF_TEXT_LOCK_H

/*
 * Takes the lock. Returns the argument for the function that releases it. If another process holds
 * the lock for longer than TEXT_LOCK_MAX_MS, continues without the lock. Does nothing where no lock
 * is needed.
 */
int text_lock__take(void);
void text_lock__release(int lock);

#define TEXT_LOCK_MAX_MS 2000

#endif
