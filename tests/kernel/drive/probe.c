// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Attaches a probe to a function. Links no code of bprof, because it must not make bprof's checks.
 */
#include <errno.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "tests/kernel/drive/probe.h"

static int find_func(int prog_fd, const char *func)
{
	struct bpf_prog_info info = {};
	__u32 sz = sizeof(info);
	struct btf *btf;
	int id;

	if (bpf_obj_get_info_by_fd(prog_fd, &info, &sz))
		return -errno;
	btf = btf__load_from_kernel_by_id(info.btf_id);
	if (!btf)
		return -errno;
	id = btf__find_by_name_kind(btf, func, BTF_KIND_FUNC);
	btf__free(btf);
	return id;
}

/*
 * The probe calls bpf_get_current_task(), as most probes of tools do. Some kernels crash if an
 * interpreted program calls it.
 */
static int attach_one(int prog_fd, int func, enum bpf_attach_type type, const char **step)
{
	static const struct bpf_insn insns[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = type,
		    .attach_prog_fd = prog_fd, .attach_btf_id = func);
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "drive_probe", "GPL", insns, 3, &opts);

	*step = "loading the probe";
	if (fd < 0)
		return -errno;
	*step = "attaching the probe";
	return bpf_raw_tracepoint_open(NULL, fd) < 0 ? -errno : 0;
}

int probe__attach(__u32 id, const char *func, const char **step)
{
	int fd = bpf_prog_get_fd_by_id(id), func_id;

	*step = "opening the program";
	if (fd < 0)
		return -errno;
	*step = "finding the function";
	func_id = find_func(fd, func);
	if (func_id < 0)
		return func_id;
	return attach_one(fd, func_id, BPF_TRACE_FENTRY, step)
		       ?: attach_one(fd, func_id, BPF_TRACE_FEXIT, step);
}
