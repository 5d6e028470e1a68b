// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the search for the return address in a trampoline's stack frame. Must not know how, or for which
 * purpose, a probe reads the address.
 *
 * On x86-64, a trampoline saves registers directly below its frame pointer, wherever the stack pointer
 * is. On arm64, it first rounds up to 16 bytes (arch_prepare_bpf_trampoline()). The layout above the
 * saved registers changes from time to time, so this file searches for the return address.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/log.h"
#include "bpf/trysite.h"
#include "bpf/trysite.skel.h"
#include "btf/arm64_addrs.h"
#include "btf/btf_compat.h"
#include "btf/jited_calls.h"
#include "btf/prog_code.h"
#include "btf/reason.h"
#include "kernel/call_site.h"
#include "kernel/jited.h"
#include "kernel/text_lock.h"

#define CALLED "bpf_get_numa_node_id"
#define CALLED_ARGS 5

/* Returns the address after the only call in a built-in program, or 0 with *reason. */
static __u64 find_return(const struct bpf_program *caller, struct reason *reason)
{
	struct prog_code code = {};
	struct prog *p = NULL;
	__u64 target, address = 0;

	if (prog__open_fd(dup(bpf_program__fd(caller)), &p) || prog__read_code(p, &code, reason) ||
	    !code.func_cnt)
		goto out;
	for (__u32 off = 0; off < code.len[0] && !address; off++)
		if (jited__find_call(code.jited, code.len[0], code.addr[0], off, &target))
			address = code.addr[0] + off + JITED_CALL_SZ;
out:
	if (!address && !reason->code)
		reason__set(reason, REASON_SYSTEM, ENOENT, "its built-in program has no call");
	prog_code__free(&code);
	prog__close(p);
	return address;
}

static int run_attached(struct trysite_bpf *skel, struct reason *reason)
{
	char packet[64] = {};
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof(packet),
		    .repeat = 1);
	int lock = text_lock__take(), err;
	struct bpf_link *link = bpf_program__attach(skel->progs.bprof_try_site);

	err = link ? 0 : -errno;
	text_lock__release(lock);
	if (err) {
		reason__from_attach(reason, err);
		return err;
	}
	if (bpf_prog_test_run_opts(bpf_program__fd(skel->progs.bprof_site_caller), &run))
		err = reason__set(reason, REASON_SYSTEM, errno, "BPF_PROG_TEST_RUN: %s",
				  strerror(errno));
	lock = text_lock__take();
	bpf_link__destroy(link);
	text_lock__release(lock);
	return err;
}

/* Finds the return address in the frame of a trampoline of CALLED. */
static int find_at(struct trysite_bpf *skel, struct call_site_at *site, struct reason *reason)
{
	struct trysite *try = &skel->bss->bprof_site;
	int err;

	try->address = find_return(skel->progs.bprof_site_caller, reason);
	if (!try->address)
		return -ENOENT;
	try->skip = (CALLED_ARGS + 1) * sizeof(__u64);
	try->align = site->align;
	err = run_attached(skel, reason);
	if (err)
		return err;
	if (__builtin_popcountll(try->found) != 1)
		return reason__set(reason, REASON_SYSTEM, ENOENT,
				   "the trampoline's stack frame has it at %d places",
				   __builtin_popcountll(try->found));
	site->at = __builtin_ctzll(try->found) * sizeof(__u64);
	return 0;
}

int call_site__find(struct call_site_at *site, struct reason *reason)
{
	struct trysite_bpf *skel = trysite_bpf__open();
	struct btf *btf;
	int err, cast, type;

	*site = (struct call_site_at){.align = ARM64_HERE ? 16 : 8};
	reason__set(reason, REASON_NONE, 0, NULL);
	if (!skel)
		return reason__set(reason, REASON_SYSTEM, errno, "%s", strerror(errno));
	err = bpf_program__set_attach_target(skel->progs.bprof_try_site, 0, CALLED)
		      ?: trysite_bpf__load(skel);
	if (err)
		reason__from_verifier(reason, err, NULL);
	err = err ?: jited__check_object(skel->obj, reason) ?: find_at(skel, site, reason);
	trysite_bpf__destroy(skel);
	if (err)
		return err;
	/* Without bpf_rdonly_cast(), probes use bpf_probe_read_kernel(), which takes longer. */
	btf = btf_compat__load_vmlinux();
	cast = btf ? btf__find_by_name_kind(btf, "bpf_rdonly_cast", BTF_KIND_FUNC) : 0;
	type = btf ? btf__find_by_name_kind(btf, "timespec64", BTF_KIND_STRUCT) : 0;
	if (cast > 0 && type > 0) {
		site->cast_id = cast;
		site->type_id = type;
	}
	btf__free(btf);
	site->known = true;
	log_debug("the return address is %u bytes above a trampoline's arguments (kfunc %u)",
		  site->at, site->cast_id);
	return 0;
}
