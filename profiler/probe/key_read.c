// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See key_read.h. Owns the pointers that lead to each key. Must not know the names of keys.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/util.h"
#include "bpf/probe.h"
#include "btf/reason.h"
#include "probe/key_read.h"

int key_read__find(enum run_key by, struct key_read *k, struct reason *reason)
{
	*k = (struct key_read){.by = by};
	if (getrandom(&k->multiplier, sizeof(k->multiplier), 0) != sizeof(k->multiplier))
		return reason__fail(reason, -errno, "getrandom(): %s", strerror(errno));
	/*
	 * Makes the multiplier odd, and none of its 16-bit parts 0: for such constants arm64 always
	 * takes the same number of instructions.
	 */
	k->multiplier |= 0x0001000100010001ULL;
	return kernel_offsets__read_key(by, &k->at, reason);
}

bool key_read__begins(const struct bpf_insn *insn)
{
	/* the compiler puts no other constant with this value before the placeholders */
	return insn->code == (BPF_ALU64 | BPF_MOV | BPF_K) && insn->imm == BPROF_KEY_PLACEHOLDER;
}

/* The pointers that lead from the task, or from the first argument of the target, to the key. */
struct path {
	__u32 at[3]; /* offsets of pointers */
	int cnt;
	__u32 last; /* offset of the key */
	bool wide;  /* the key has 64 bits */
};

static struct path path_to_key(const struct key_read *k, enum key_source from)
{
	const struct key_offsets *at = &k->at;

	switch (k->by) {
	case BY_IFINDEX:
		if (from == KEY_FROM_XDP)
			return (struct path){{at->xdp_rxq, at->rxq_dev}, 2, at->dev_ifindex};
		return (struct path){{at->skb_dev}, 1, at->dev_ifindex};
	case BY_QUEUE:
		return (struct path){{at->xdp_rxq}, 1, at->rxq_queue};
	case BY_CGROUP:
		if (from == KEY_FROM_TASK)
			return (struct path){{at->task_cgroups, at->css_set_default, at->cgroup_kn},
					     3,
					     at->kn_id,
					     true};
		return (struct path){
			{at->skb_sk, at->sock_cgroup, at->cgroup_kn}, 3, at->kn_id, true};
	default:
		return (struct path){.last = at->task_tgid};
	}
}

struct writer {
	struct bpf_insn *insn;
	int cnt;
};

static void put_insn(struct writer *w, struct bpf_insn insn)
{
	w->insn[w->cnt++] = insn;
}

static void add_load(struct writer *w, __u8 size, __u8 to, __u8 from, __s16 offset)
{
	put_insn(w, (struct bpf_insn){BPF_LDX | BPF_MEM | size, to, from, offset, 0});
}

/* Makes r0 point to the task, or to the kernel's struct of the packet. */
static void add_start(struct writer *w, enum key_source from)
{
	if (from == KEY_FROM_TASK)
		put_insn(w, (struct bpf_insn){BPF_JMP | BPF_CALL, 0, 0, 0,
					      BPF_FUNC_get_current_task_btf});
	else
		add_load(w, BPF_DW, BPF_REG_0, BPF_REG_1, 0);
}

/*
 * Makes the key of a name of 16 bytes: multiplies the upper half by the multiplier, adds the lower
 * half, multiplies the sum again, reverses the bytes of the product, and clears the two highest
 * bits of the result. Without the second product, these would be bits of a letter. The lowest bits
 * of a product depend only on the first letters of the name, and BPROF_KEY_SLOT() takes the lower
 * half of a key: without the reversal, short names with the same first four letters would compete
 * for the same eight parts. Two names have the same key with a probability of 2^-62.
 */
static void add_name_key(struct writer *w, const struct key_read *k)
{
	add_start(w, KEY_FROM_TASK);
	add_load(w, BPF_DW, BPF_REG_1, BPF_REG_0, k->at.task_comm);
	add_load(w, BPF_DW, BPF_REG_0, BPF_REG_0, k->at.task_comm + sizeof(__u64));
	put_insn(w, (struct bpf_insn){BPF_LD | BPF_IMM | BPF_DW, BPF_REG_2, 0, 0,
				      (__u32)k->multiplier});
	put_insn(w, (struct bpf_insn){.imm = k->multiplier >> 32});
	put_insn(w, (struct bpf_insn){BPF_ALU64 | BPF_MUL | BPF_X, BPF_REG_0, BPF_REG_2, 0, 0});
	put_insn(w, (struct bpf_insn){BPF_ALU64 | BPF_ADD | BPF_X, BPF_REG_0, BPF_REG_1, 0, 0});
	put_insn(w, (struct bpf_insn){BPF_ALU64 | BPF_MUL | BPF_X, BPF_REG_0, BPF_REG_2, 0, 0});
	put_insn(w, (struct bpf_insn){BPF_ALU | BPF_END | BPF_TO_BE, BPF_REG_0, 0, 0, 64});
	/*
	 * find_key_part() needs a key of less than 63 bits. Clear the two highest bits, which are
	 * low bits of the product. The last letters of a name change only high bits of the product.
	 */
	put_insn(w, (struct bpf_insn){BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_0, 0, 0, 2});
	put_insn(w, (struct bpf_insn){BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_0, 0, 0, 2});
}

/*
 * Makes r0 the key at the end of the path, or "none" if a pointer on the path is NULL. "none" needs
 * an instruction of its own even if it is 0, because the verifier does not know that a NULL pointer
 * is 0.
 */
static void add_path(struct writer *w, const struct path *p, enum key_source from, __u32 none)
{
	int begin, end;

	add_start(w, from);
	begin = w->cnt;
	for (int i = 0; i < p->cnt; i++) {
		add_load(w, BPF_DW, BPF_REG_0, BPF_REG_0, p->at[i]);
		put_insn(w, (struct bpf_insn){BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 0, 0});
	}
	add_load(w, p->wide ? BPF_DW : BPF_W, BPF_REG_0, BPF_REG_0, p->last);
	if (!p->cnt)
		return;
	put_insn(w, (struct bpf_insn){BPF_JMP | BPF_JA, 0, 0, 1, 0});
	end = w->cnt;
	put_insn(w, (struct bpf_insn){BPF_ALU | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, none});
	for (int i = 0; i < p->cnt; i++) {
		int jump = begin + 2 * i + 1;

		w->insn[jump].off = end - jump - 1;
	}
}

/*
 * Makes the key of a device (BPROF_KEY_IFINDEX()). Numbers of network namespaces are not less than
 * 0xe0000000, so that the difference of two of them has at most 29 bits, and the key less than 63.
 */
static void add_device(struct writer *w, const struct key_read *k, enum key_source from)
{
	const struct path p = path_to_key(k, from);
	int jump[2], end;

	add_start(w, from);
	for (int i = 0; i < p.cnt; i++) {
		add_load(w, BPF_DW, BPF_REG_0, BPF_REG_0, p.at[i]);
		jump[i] = w->cnt;
		put_insn(w, (struct bpf_insn){BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 0, 0});
	}
	add_load(w, BPF_W, BPF_REG_1, BPF_REG_0, p.last);
	add_load(w, BPF_DW, BPF_REG_0, BPF_REG_0, k->at.dev_net);
	add_load(w, BPF_W, BPF_REG_0, BPF_REG_0, k->at.net_number);
	put_insn(w, (struct bpf_insn){BPF_ALU | BPF_XOR | BPF_K, BPF_REG_0, 0, 0,
				      (__s32)k->at.own_net});
	put_insn(w, (struct bpf_insn){BPF_ALU64 | BPF_XOR | BPF_X, BPF_REG_1, BPF_REG_0, 0, 0});
	put_insn(w, (struct bpf_insn){BPF_ALU64 | BPF_LSH | BPF_K, BPF_REG_0, 0, 0, 32});
	put_insn(w, (struct bpf_insn){BPF_ALU64 | BPF_OR | BPF_X, BPF_REG_0, BPF_REG_1, 0, 0});
	put_insn(w, (struct bpf_insn){BPF_JMP | BPF_JA, 0, 0, 1, 0});
	end = w->cnt;
	put_insn(w, (struct bpf_insn){BPF_ALU | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0});
	for (int i = 0; i < p.cnt; i++)
		w->insn[jump[i]].off = end - jump[i] - 1;
}

int key_read__find_row(const struct bprof_keys *k, bool by_name, const __u8 *row, int part)
{
	for (int i = 1; k->value[part - 1] != BPROF_KEY_CLOSED && i < BPROF_KEY_PARTS; i++)
		if (row[i] == i && k->value[i - 1] != BPROF_KEY_CLOSED &&
		    (k->value[i - 1] == k->value[part - 1] ||
		     (by_name && *k->comm[part] &&
		      !strncmp(k->comm[i], k->comm[part], sizeof(k->comm[i])))))
			return i;
	return part;
}

bool key_read__is_names(const struct bpf_insn *insn)
{
	return insn->code == (BPF_ALU64 | BPF_MOV | BPF_K) &&
	       insn->imm == BPROF_KEY_NAMES_PLACEHOLDER;
}

bool key_read__needs_names(const struct key_read *k)
{
	return k->by == BY_COMM || k->by == BY_PID;
}

void key_read__make(const struct key_read *k, enum key_source from, bool same,
		    struct bpf_insn *insns)
{
	struct path path = path_to_key(k, from);
	struct writer w = {.insn = insns};

	if (from && k->by == BY_COMM)
		add_name_key(&w, k);
	else if (from && k->by == BY_IFINDEX && k->at.own_net)
		add_device(&w, k, from);
	else if (from)
		add_path(&w, &path, from, k->by == BY_QUEUE ? BPROF_KEY_NONE : 0);
	put_insn(&w, (struct bpf_insn){BPF_ALU64 | (same || !from ? BPF_MOV : BPF_ADD) | BPF_K,
				       BPF_REG_0, 0, 0, 1});
	/* fill up with jumps to the next instruction, which the verifier removes */
	while (w.cnt < BPROF_KEY_INSNS)
		put_insn(&w, (struct bpf_insn){.code = BPF_JMP | BPF_JA});
}
