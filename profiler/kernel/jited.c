// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Owns the check that a loaded program was JITed. Must not know to what the program is attached.
 * Prints nothing.
 */
#include <errno.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/util.h"
#include "kernel/feature.h"
#include "kernel/jited.h"

int jited__check(int prog_fd, struct reason *reason)
{
	struct bpf_prog_info info = {};
	__u32 sz = sizeof(info);

	if (bpf_obj_get_info_by_fd(prog_fd, &info, &sz))
		return reason__set(reason, REASON_SYSTEM, errno, "reading its probe's size: %s",
				   strerror(errno));
	if (info.jited_prog_len)
		return 0;
	return reason__set(reason, features__has_no_jit() ? REASON_NOT_JITED : REASON_NOT_COMPILED,
			   KERNEL_ENOTSUPP, NULL);
}

int jited__check_object(const struct bpf_object *obj, struct reason *reason)
{
	struct bpf_program *prog;
	int err = 0;

	bpf_object__for_each_program (prog, obj)
		if (!err && bpf_program__fd(prog) >= 0)
			err = jited__check(bpf_program__fd(prog), reason);
	return err;
}

void jited__correct(struct reason *reason)
{
	if (reason->code == REASON_NOT_JITED && !features__has_no_jit())
		reason__set(reason, REASON_NOT_COMPILED, reason->err, NULL);
}
