// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * See trace_keys.h. Owns the members of the kernel's structs that identify a packet. Must not know
 * how records are joined.
 */
#include <errno.h>
#include <string.h>

#include "backend/backend_env.h"
#include "base/log.h"
#include "base/memory.h"
#include "btf/reason.h"
#include "btf/run_key.h"
#include "result/key_names.h"
#include "target/target.h"
#include "trace/trace_keys.h"

int trace_keys__set_by(struct trace_keys *k, const char *arg)
{
	enum run_key by = run_key__find(arg);

	if (by && (by == BY_RETVAL || by == BY_CPU || by == BY_COMM))
		return log_err(-EINVAL,
			       "--by %s: each record has it, in the column %s; give one "
			       "of " TRACE_KEY_CHOICES,
			       arg, by == BY_RETVAL ? "RETURNED" : run_key__spec(by)->header);
	if (!by)
		return log_err(-EINVAL, "--by %s: the keys are " TRACE_KEY_CHOICES, arg);
	k->by = by;
	return 0;
}

static int add_key_args(struct trace_keys *k, struct trace_args *args)
{
	switch (k->by) {
	case BY_IFINDEX:
		k->net = trace_args__add_hidden(args, "ctx->rxq->dev->nd_net.net->ns.inum",
						"ctx->dev->nd_net.net->ns.inum");
		return trace_args__add_hidden(args, "ctx->rxq->dev->ifindex", "ctx->dev->ifindex");
	case BY_QUEUE:
		return trace_args__add_hidden(args, "ctx->rxq->queue_index", NULL);
	case BY_CGROUP:
		return trace_args__add_cgroup(args);
	default:
		return 0;
	}
}

/* Returns true if the probe must read the key of --by. Every record has the pid anyway. */
static bool is_read(const struct trace_keys *k)
{
	return k->by && k->by != BY_PID;
}

static enum bpf_prog_type type_of(const struct target *t)
{
	return prog__context_type(t->prog);
}

int trace_keys__add(struct trace_keys *k, const struct target_list *targets,
		    struct trace_args *args)
{
	int values;

	k->filters = false;
	for (int i = 0; k->join && i < targets->cnt; i++)
		k->filters |= type_of(&targets->v[i]) == BPF_PROG_TYPE_SOCKET_FILTER;
	values = is_read(k) + (k->by == BY_IFINDEX) + (k->join ? 4 : 0) + k->filters;
	k->key = add_key_args(k, args);
	if (k->key >= 0 && k->join) {
		/*
		 * Drivers that do not copy the packet build the skb around the memory that the XDP
		 * program had (build_skb()). Generic XDP runs on the skb's memory.
		 */
		k->head = trace_args__add_hidden(args, "ctx->data_hard_start", "ctx->head");
		k->ifindex = trace_args__add_hidden(args, "ctx->rxq->dev->ifindex", "ctx->skb_iif");
		k->skb = trace_args__add_hidden(args, NULL, "ctx");
		k->sk = trace_args__add_hidden(args, NULL, "ctx->sk");
		k->dev = trace_args__add_hidden(args, "ctx->rxq->dev", "ctx->dev");
		k->dev_net = trace_args__add_hidden(args, "ctx->rxq->dev->nd_net.net",
						    "ctx->dev->nd_net.net");
		if (k->filters)
			k->destructor = trace_args__add_hidden(args, NULL, "ctx->destructor");
	}
	/*
	 * Each value may take ARG_READS_MAX reads. Those of --join take less, so that the reads of dev and
	 * dev_net fit into their room.
	 */
	if (args->cnt + values <= TRACE_ARGS_MAX)
		return 0;
	return log_err(-E2BIG, "--arg: too many: with %s%s%s, at most %d can be given",
		       k->join ? "--join" : "", k->filters ? " of socket filters" : "",
		       k->join && is_read(k) ? " and --by"
		       : is_read(k)	     ? "--by"
					     : "",
		       TRACE_ARGS_MAX - values);
}

static int check_packet(const struct trace_keys *k, const struct target *t, struct reason *reason)
{
	if (!k->join || (!t->subprog && run_key__source(BY_IFINDEX, prog__context_type(t->prog))))
		return 0;
	return reason__set(reason, REASON_KEY, EOPNOTSUPP, "--join: %s",
			   t->subprog ? "only the entry function of a program has the packet"
				      : "programs of its type run for no packet");
}

void trace_keys__refuse(const struct trace_keys *k, struct target_list *targets)
{
	struct reason reason = {};

	for (int i = targets->cnt - 1; i >= 0; i--) {
		const struct target *t = &targets->v[i];

		if (check_packet(k, t, &reason) ||
		    run_key__check(k->by, t->prog, t->func_btf_id, !t->subprog, &reason))
			target_list__skip(targets, i, &reason);
	}
}

static bool is_packet_known(const struct trace_keys *k, const struct trace_args *args,
			    const struct target *t)
{
	bool is_xdp = run_key__source(BY_IFINDEX, type_of(t)) == KEY_FROM_XDP;

	return trace_args__path(args, t, k->head) && trace_args__path(args, t, k->ifindex) &&
	       (is_xdp ||
		(trace_args__path(args, t, k->skb) && trace_args__path(args, t, k->sk))) &&
	       (type_of(t) != BPF_PROG_TYPE_SOCKET_FILTER ||
		trace_args__path(args, t, k->destructor));
}

void trace_keys__refuse_unknown(const struct trace_keys *k, const struct trace_args *args,
				struct target_list *targets)
{
	struct reason reason = {};

	for (int i = targets->cnt - 1; i >= 0; i--) {
		const char *option = NULL;

		if (k->join && !is_packet_known(k, args, &targets->v[i]))
			option = "join";
		else if (is_read(k) && !trace_args__path(args, &targets->v[i], k->key))
			option = "by";
		if (!option)
			continue;
		reason__set(&reason, REASON_KEY, EOPNOTSUPP,
			    "--%s: the kernel's BTF does not say where the probe has to read it",
			    option);
		target_list__skip(targets, i, &reason);
	}
}

/* Returns a value of a record, or 0 if it is not known. */
static __u64 read_arg_value(const struct trace_probe *probe, const struct bprof_record *r,
			    int index)
{
	const void *value = trace_probe__arg(probe, r, index);
	__u64 number = 0;

	if (value)
		memcpy(&number, value, sizeof(number));
	return number;
}

/*
 * Returns true if skb->sk is the socket for which the kernel runs the program: one that gets or sends the
 * packet. sk_filter_trim_cap() sets skb->sk for the run of a filter. Packet sockets do not set it for
 * their filters: if the packet has a socket then, it is the one that has sent the packet, and the packet
 * has the destructor of this socket.
 */
static bool runs_for_socket(enum bpf_prog_type type, __u64 destructor)
{
	return type == BPF_PROG_TYPE_CGROUP_SKB || type == BPF_PROG_TYPE_SK_SKB ||
	       (type == BPF_PROG_TYPE_SOCKET_FILTER && !destructor);
}

/*
 * A received packet passes tc, then its cgroup and its socket. If it is forwarded, it passes tc
 * again instead. A sent packet passes its cgroup and then tc. Filters of packet sockets get a
 * packet before tc does. Sockets of AF_UNIX have only filters.
 */
static int find_order(enum bpf_prog_type type, const struct join_key *key)
{
	switch (type) {
	case BPF_PROG_TYPE_XDP:
		return 0;
	case BPF_PROG_TYPE_CGROUP_SKB:
		return key->ifindex ? 2 : 0;
	case BPF_PROG_TYPE_LWT_OUT: /* of the route, before ip_output() and the cgroup */
		return key->ifindex ? 1 : 0;
	case BPF_PROG_TYPE_SOCKET_FILTER:
	case BPF_PROG_TYPE_SK_SKB:
		if (!key->ifindex)
			return -1;
		return key->sk ? 3 : 1;
	default:
		return 1;
	}
}

struct join_key trace_keys__packet(const struct trace_keys *k, const struct trace_probe *probe,
				   const struct bprof_record *r)
{
	enum bpf_prog_type type = type_of(&probe->env->targets->v[r->target]);
	__u64 destructor = k->filters ? read_arg_value(probe, r, k->destructor) : 0;
	struct join_key key = {
		.head = read_arg_value(probe, r, k->head),
		.skb = read_arg_value(probe, r, k->skb),
		.sk = read_arg_value(probe, r, k->sk),
		.ifindex = read_arg_value(probe, r, k->ifindex),
		.net = read_arg_value(probe, r, k->dev_net),
		/* The kernel drops the packet after all programs of the cgroups. */
		.dropped = type == BPF_PROG_TYPE_CGROUP_SKB && !(r->retval & 1),
	};

	/* A packet from a veth still has the socket that sent it, until IP gets the packet. */
	if (key.ifindex && !runs_for_socket(type, destructor))
		key.sk = 0;
	/* Programs of a route run before the kernel sets the device of the packet. */
	if (type != BPF_PROG_TYPE_LWT_OUT)
		key.dev = read_arg_value(probe, r, k->dev);
	key.order = find_order(type, &key);
	return key;
}

char *trace_keys__name(const struct trace_keys *k, const struct trace_probe *probe,
		       const struct bprof_record *r, __u64 *value, bool *known)
{
	const struct target *t = &probe->env->targets->v[r->target];
	char comm[sizeof(r->comm) + 1] = "";
	__u64 number;

	memcpy(comm, r->comm, sizeof(r->comm));
	*value = is_read(k) ? read_arg_value(probe, r, k->key) : r->pid_tgid >> 32;
	*known = !is_read(k) || trace_probe__arg(probe, r, k->key);
	/* BTF does not say where the probe would have to read the key for this function. */
	if (is_read(k) && !trace_args__path(probe->args, t, k->key))
		return xstrdup("-");
	if (is_read(k) && k->by != BY_QUEUE && !*value)
		*known = false;
	if (!*known)
		return xstrdup("none");
	number = *value;
	if (k->by == BY_IFINDEX)
		number = key_names__device_key(number, read_arg_value(probe, r, k->net));
	return key_names__make(k->by, number, comm);
}

__u64 trace_keys__begin(const struct bprof_record *r)
{
	__s64 took = r->net[BPROF_CLOCK_SLOT];

	return r->failed >> BPROF_CLOCK_SLOT & 1 || took < 0 ? r->ns : r->ns - took;
}
