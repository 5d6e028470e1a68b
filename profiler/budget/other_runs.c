// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* See other_runs.h. Owns the decision which programs a session does not measure. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "backend/backend_env.h"
#include "base/log.h"
#include "base/util.h"
#include "btf/own.h"
#include "btf/prog.h"
#include "budget/other_runs.h"
#include "target/target.h"

/* Update rarely: listing hundreds of programs takes some ms. */
#define FIRST_NS (1000 * NSEC_PER_MSEC)
#define INTERVAL_NS (10000 * NSEC_PER_MSEC)

/* The state of an update. The kernel lists the programs in the order of their ids. */
struct listing {
	const struct backend_env *env;
	const struct other_runs *before;
	int at; /* index in before->prog */
	struct other_runs now;
	__u64 more; /* runs since the last update */
};

/*
 * Adds a program, unless it has a probe or is a program of bprof: the cost of bprof's probes already
 * contains the time for counting their runs.
 */
static int add_if_not_measured(__u32 id, void *arg)
{
	struct bpf_prog_info info = {};
	struct listing *l = arg;
	const struct other_runs *before = l->before;
	const struct target *t = target_list__next(l->env->targets, id, NULL);
	__u32 sz = sizeof(info);
	int fd, err;

	/* The program has a probe, so probe_turns.c knows its runs. */
	if (t && t->backend->ops->probe_stat)
		return 0;
	fd = bpf_prog_get_fd_by_id(id);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno; /* it has been unloaded in the meantime */
	err = bpf_obj_get_info_by_fd(fd, &info, &sz);
	close(fd);
	if (err || prog_name__is_own(info.name))
		return 0;
	*(struct other_prog *)array__add(&l->now.prog, &l->now.cnt, sizeof(*l->now.prog)) =
		(struct other_prog){id, info.run_cnt};
	while (l->at < before->cnt && before->prog[l->at].id < id)
		l->at++;
	if (l->at < before->cnt && before->prog[l->at].id == id)
		l->more += info.run_cnt - before->prog[l->at].cnt;
	return 0;
}

void other_runs__update(struct other_runs *o, const struct backend_env *env, __u64 now_ns)
{
	struct listing l = {.env = env, .before = o, .now = {.at_ns = now_ns}};
	int err;

	if (now_ns < o->next_ns)
		return;
	o->next_ns = now_ns + (o->at_ns ? INTERVAL_NS : FIRST_NS);
	err = prog__for_each_id(add_if_not_measured, &l);
	if (err) {
		log_debug("cannot list the programs that are not measured: error %d", -err);
		free(l.now.prog);
		return;
	}
	l.now.next_ns = o->next_ns;
	if (o->at_ns && now_ns > o->at_ns)
		l.now.per_ns = (double)l.more / (now_ns - o->at_ns);
	free(o->prog);
	*o = l.now;
}

void other_runs__free(struct other_runs *o)
{
	free(o->prog);
	*o = (struct other_runs){};
}
