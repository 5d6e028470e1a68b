// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Reads the kernel's own count of its JIT's memory. Must not know who shows it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/util.h"
#include "btf/prog.h"
#include "kernel/kernel_var.h"
#include "target/jit_memory.h"

#define LIMIT_PATH "/proc/sys/net/core/bpf_jit_limit"

static int add_jited_len(__u32 id, void *arg)
{
	struct prog *p;
	int err = prog__open_id(id, &p);

	if (err)
		return err == -ENOENT ? 0 : err; /* unloaded after its id was read */
	*(__u64 *)arg += p->info.jited_prog_len;
	prog__close(p);
	return 0;
}

/*
 * Reads a variable. While the program that reads the variable is loaded, calls fn(arg), unless fn
 * is NULL. Returns 0 or -errno.
 */
static int read_variable(const char *name, void (*fn)(void *arg), void *arg, __u64 *value)
{
	int fd = kernel_var__open(name), err = fd < 0 ? fd : 0;

	if (fn)
		fn(arg);
	errno = 0;
	if (!err && !kernel_var__read(fd, 0, value))
		err = -(errno ?: EACCES);
	close_fd(&fd);
	return err;
}

__u64 jit_memory__to_bytes(__u64 number, __u64 code)
{
	return number < code ? number * sysconf(_SC_PAGESIZE) : number;
}

struct code_sum {
	__u64 bytes;
	int err;
};

static void sum_code(void *arg)
{
	struct code_sum *sum = arg;

	sum->err = prog__for_each_id(add_jited_len, &sum->bytes);
}

/* Reads the limit from its file, which only root may read. */
static int read_jit_limit(__u64 *limit)
{
	char *text;
	int err = read_file(LIMIT_PATH, &text);

	if (err)
		return read_variable("bpf_jit_limit", NULL, NULL, limit) ? err : 0;
	err = parse_u64(text, ~0ULL, limit);
	free(text);
	return err;
}

void jit_memory__read(struct jit_memory *m)
{
	struct code_sum code = {};
	__u64 number = 0;
	int err, var_err;

	*m = (struct jit_memory){};
	err = read_jit_limit(&m->limit);
	if (!err) {
		/*
		 * If the number can be read, code.bytes is not 0: it includes the code of the
		 * program that reads the number.
		 */
		var_err = read_variable("bpf_jit_current", sum_code, &code, &number);
		m->exact = !var_err;
		m->used = m->exact ? jit_memory__to_bytes(number, code.bytes) : code.bytes;
		if (is_shortage(var_err))
			log_warn("the JIT's own count of its memory is not known: %s",
				 strerror(-var_err));
		err = code.err;
	}
	if (!err)
		return;
	m->limit = 0;
	(err == -EACCES || err == -EPERM || err == -ENOENT ? log_info : log_warn)(
		"the JIT's memory and its limit are not known: %s", strerror(-err));
}
