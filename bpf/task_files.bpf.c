// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finds the open files that keep BPF programs loaded: programs, links, and perf events with a
 * program. This iterator program runs once per open file of every task in the process that reads
 * the iterator, and writes a struct bprof_open_file for each file that it finds. It has a light
 * skeleton: the kernel itself finds the offsets of members (Linux 5.17).
 */
#include <linux/magic.h>
#include <stdbool.h>

#include "iter.bpf.h"
#include "task_files.h"

/* The names that this program searches for fit, with their terminating zero. */
#define NAME_SZ 16

struct bpf_prog_aux {
	__u32 id;
} OF_THE_KERNEL;

struct bpf_prog {
	struct bpf_prog_aux *aux;
} OF_THE_KERNEL;

struct bpf_link {
	struct bpf_prog *prog;
} OF_THE_KERNEL;

struct perf_event {
	struct bpf_prog *prog;
} OF_THE_KERNEL;

struct super_block {
	unsigned long s_magic;
} OF_THE_KERNEL;

struct qstr {
	const unsigned char *name;
} OF_THE_KERNEL;

struct dentry {
	struct qstr d_name;
	struct super_block *d_sb;
} OF_THE_KERNEL;

struct path {
	struct dentry *dentry;
} OF_THE_KERNEL;

struct file {
	struct path f_path;
	void *private_data;
} OF_THE_KERNEL;

struct task_struct {
	int tgid;
	struct task_struct *group_leader;
	char comm[16];
} OF_THE_KERNEL;

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	struct file *file;
} OF_THE_KERNEL;

static __always_inline bool is(const char *name, const char *text)
{
#pragma unroll
	for (int i = 0; i < NAME_SZ; i++) {
		if (name[i] != text[i])
			return false;
		if (!text[i])
			break;
	}
	return true;
}

/*
 * Returns the program that the file keeps loaded, or NULL. (A link of type struct_ops has no
 * program.) Finds out by the file's name whether it is a program, a link or a perf event: such files
 * are in a file system of the kernel that cannot be mounted, so users cannot choose the names.
 * The file_operations, which would also show this, differ from version to version and are not
 * exported.
 */
static struct bpf_prog *held_prog(struct file *file)
{
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry);
	void *object = BPF_CORE_READ(file, private_data);
	char name[NAME_SZ] = {};

	if (BPF_CORE_READ(dentry, d_sb, s_magic) != ANON_INODE_FS_MAGIC)
		return NULL;
	bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(dentry, d_name.name));
	if (is(name, "bpf-prog"))
		return object;
	if (is(name, "bpf_link"))
		return BPF_CORE_READ((struct bpf_link *)object, prog);
	if (is(name, "[perf_event]"))
		return BPF_CORE_READ((struct perf_event *)object, prog);
	return NULL;
}

SEC("iter/task_file")
int bprof_task_file(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file; /* the iterator passes NULL after the last file */
	struct bprof_open_file found = {};
	struct bpf_prog *prog;

	if (!file || !task)
		return 0;
	found.pid = BPF_CORE_READ(task, tgid);
	if (found.pid == bpf_get_current_pid_tgid() >> 32)
		return 0;
	prog = held_prog(file);
	if (!prog)
		return 0;
	found.prog_id = BPF_CORE_READ(prog, aux, id);
	BPF_CORE_READ_INTO(&found.comm, task, group_leader, comm);
	bpf_seq_write(ctx->meta->seq, &found, sizeof(found));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
