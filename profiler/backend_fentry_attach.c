// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How probes get to their targets and off again. Must not know what they count.
 */
#include <errno.h>
#include <bpf/bpf.h>

#include "backend_fentry_priv.h"
#include "feature.h"
#include "reason.h"
#include "target.h"

int fentry__load_target(const struct fentry *f, struct target *t, struct reason *reason)
{
	struct probe *p = t->priv;

	for (int i = 0; i < PROBE_SIDE_CNT; i++) {
		p->prog_fd[i] = probe_template__load(f->template, i, t, p->stats.fd, reason);
		if (p->prog_fd[i] < 0)
			return p->prog_fd[i];
	}
	return 0;
}

/*
 * BPF_RAW_TRACEPOINT_OPEN without a name attaches tracing programs on every kernel that has them.
 */
static int attach(struct probe *p, enum probe_side side)
{
	p->link_fd[side] = bpf_raw_tracepoint_open(NULL, p->prog_fd[side]);
	return p->link_fd[side] < 0 ? -errno : 0;
}

/*
 * Exit first: the other way round, an invocation that begins in between would leave its frame.
 */
static int attach_sides(struct probe *p, struct reason *reason)
{
	int err = attach(p, PROBE_EXIT) ?: attach(p, PROBE_ENTRY);

	if (!err)
		return 0;
	reason__from_verifier(reason, err, NULL);
	features__explain_perm(reason);
	return err;
}

int fentry__attach_target(void *state, struct target *t, struct reason *reason)
{
	int err = attach_sides(t->priv, reason);

	if (err)
		fentry__close_target(t);
	return err;
}

/*
 * What keeps the target loaded is its links (struct bpf_tracing_link, tgt_prog), or a probe that
 * has not been attached yet (prog->aux->dst_prog). A probe whose link is gone cannot be attached to a
 * BPF program again (kernel/bpf/syscall.c, bpf_tracing_prog_attach()).
 */
void fentry__let_go(struct target *t)
{
	struct probe *p = t->priv;
	struct bpf_prog_info info = {};
	__u32 sz = sizeof(info);

	for (int i = 0; i < PROBE_SIDE_CNT; i++)
		close_fd(&p->link_fd[i]);
	if (p->prog_fd[PROBE_EXIT] >= 0 &&
	    !bpf_obj_get_info_by_fd(p->prog_fd[PROBE_EXIT], &info, &sz))
		p->let_go_misses += info.recursion_misses;
	for (int i = 0; i < PROBE_SIDE_CNT; i++)
		close_fd(&p->prog_fd[i]);
}

int fentry__take_back(void *state, struct target *t, struct reason *reason)
{
	int err = fentry__load_target(state, t, reason) ?: attach_sides(t->priv, reason);

	if (err)
		fentry__let_go(t);
	return err;
}
