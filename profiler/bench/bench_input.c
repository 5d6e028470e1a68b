// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The input cases of bprof bench. Owns the sources of packets and the names of cases. Must not know
 * how cases are run.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pcap/pcap.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/util.h"
#include "bench/bench_input.h"

/* More bytes than any test run accepts, so a larger file must be a mistake. */
#define MAX_BYTES 65535

#define MACS_SZ 12 /* the two MAC addresses; a VLAN tag or the type follows them */
#define TAG_SZ 4
#define ETHER_SZ 14

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int read_digit(char c)
{
	return isxdigit((unsigned char)c) ? c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10 : -1;
}

/* Reads bytes as hexadecimal digits, with blanks between them. The caller frees *data. */
static int read_hex(const char *what, const char *text, void **data, __u32 *sz)
{
	__u8 *bytes = xmalloc(strlen(text) / 2 + 1);
	const char *c = text;

	*sz = 0;
	*data = bytes;
	for (c += strspn(c, " "); *c; c += strspn(c, " ")) {
		int high = read_digit(*c), low = high < 0 ? -1 : read_digit(c[1]);

		if (low < 0)
			break;
		bytes[(*sz)++] = high << 4 | low;
		c += 2;
	}
	if (!*c && *sz && *sz <= MAX_BYTES)
		return 0;
	free(bytes);
	*data = NULL;
	return log_err(-EINVAL,
		       "%s hex:%.40s: expected 1 to %d bytes, each of two hexadecimal digits", what,
		       text, MAX_BYTES);
}

/* Reads a file that holds a packet or a context. The caller frees *data. */
static int read_bytes(const char *option, const char *path, void **data, __u32 *sz)
{
	FILE *in = fopen(path, "re");
	size_t len;
	int err = 0;

	*data = NULL;
	if (!in)
		return log_err(-errno, "%s %s: %s", option, path, strerror(errno));
	*data = xmalloc(MAX_BYTES + 1);
	len = fread(*data, 1, MAX_BYTES + 1, in);
	if (ferror(in))
		err = log_err(-errno, "%s %s: %s", option, path, strerror(errno));
	else if (!len)
		err = log_err(-EINVAL, "%s %s: is empty", option, path);
	else if (len > MAX_BYTES)
		err = log_err(-EINVAL, "%s %s: too large for a %s: more than %d bytes", option,
			      path, strstr(option, "ctx") ? "context" : "packet", MAX_BYTES);
	fclose(in);
	*sz = len;
	if (!err)
		return 0;
	free(*data);
	*data = NULL;
	return err;
}

int bench_input__read(const char *what, const char *source, void **data, __u32 *sz)
{
	bool hex = !strncmp(source, "hex:", 4);

	return hex ? read_hex(what, source + 4, data, sz) : read_bytes(what, source, data, sz);
}

static bool has_case(const struct bench_input *in, const char *name)
{
	for (int i = 0; i < in->cnt; i++)
		if (in->v[i].name && !strcmp(in->v[i].name, name))
			return true;
	return false;
}

/*
 * Adds a case without packets; takes ownership of name. Returns NULL (reported) if there are too many
 * cases, or if another case has the same name.
 */
static struct bench_case *add_case(struct bench_input *in, char *name)
{
	struct bench_case *c = NULL;

	if (in->cnt == BENCH_MAX_CASES)
		log_err(0,
			"%s: more than %d cases; make one case of a capture's packets with "
			"--cycle, or select some of them with 'editcap -r'",
			name, BENCH_MAX_CASES);
	else if (has_case(in, name))
		log_err(0, "%s: another case has that name: rename one of the files", name);
	else
		c = array__add(&in->v, &in->cnt, sizeof(*c));
	if (c)
		c->name = name;
	else
		free(name);
	return c;
}

/* Adds a packet to the array *v; takes ownership of data. */
static struct bench_packet *add_packet(struct bench_packet **v, int *cnt, void *data, __u32 sz)
{
	struct bench_packet *p = array__add(v, cnt, sizeof(*p));

	p->data = data;
	p->sz = sz;
	return p;
}

static bool is_tagged(const struct bench_packet *p)
{
	const __u8 *type = (const __u8 *)p->data + MACS_SZ;

	return p->sz >= ETHER_SZ &&
	       ((type[0] == 0x81 && type[1] == 0x00) || (type[0] == 0x88 && type[1] == 0xa8));
}

/* Adds a packet of a capture; takes ownership of data. */
static void add_captured(struct bench_packet **v, int *cnt, void *data, __u32 sz)
{
	struct bench_packet *p = add_packet(v, cnt, data, sz);

	/*
	 * Without its tag, a packet must be longer than its Ethernet header: otherwise the kernel
	 * refuses it.
	 */
	if (!is_tagged(p) || sz <= ETHER_SZ + TAG_SZ)
		return;
	p->untagged = xmalloc(sz - TAG_SZ);
	memcpy(p->untagged, data, MACS_SZ);
	memcpy((__u8 *)p->untagged + MACS_SZ, (const __u8 *)data + MACS_SZ + TAG_SZ,
	       sz - MACS_SZ - TAG_SZ);
}

int bench_input__add_file(struct bench_input *in, const char *path)
{
	struct bench_case *c;
	void *data;
	__u32 sz;
	int err = read_bytes("--data-in", path, &data, &sz);

	if (err)
		return err;
	c = add_case(in, xstrdup(base_name(path)));
	if (!c) {
		free(data);
		return -EINVAL;
	}
	add_packet(&c->packet, &c->packet_cnt, data, sz);
	return 0;
}

/* Takes the packets of a capture. sink->add() takes ownership of data. */
struct packet_sink {
	int (*add)(const struct packet_sink *sink, int number, void *data, __u32 sz);
	/* add() adds a case for each packet, or with cycle one case for all packets */
	struct bench_input *in;
	const char *name;
	bool cycle;
	struct bench_step *step; /* a step that runs all packets */
};

static int add_to_step(const struct packet_sink *sink, int number, void *data, __u32 sz)
{
	add_captured(&sink->step->packet, &sink->step->packet_cnt, data, sz);
	return 0;
}

static int add_to_input(const struct packet_sink *sink, int number, void *data, __u32 sz)
{
	struct bench_input *in = sink->in;
	struct bench_case *c;

	if (sink->cycle && number > 1)
		c = &in->v[in->cnt - 1];
	else
		c = add_case(in, sink->cycle ? xstrdup(sink->name)
					     : text__format("%s#%d", sink->name, number));
	if (!c) {
		free(data);
		return -EINVAL;
	}
	c->captured = true;
	add_captured(&c->packet, &c->packet_cnt, data, sz);
	return 0;
}

/* Passes the packets of the capture to the sink. */
static int read_packets(const struct packet_sink *sink, const char *path, pcap_t *pcap)
{
	struct pcap_pkthdr *header;
	int number = 0, cut = 0, got, err = 0;
	const u_char *bytes;

	while (!err && (got = pcap_next_ex(pcap, &header, &bytes)) == 1) {
		void *copy = xmalloc(header->caplen + 1);

		cut += header->caplen < header->len;
		memcpy(copy, bytes, header->caplen);
		err = sink->add(sink, ++number, copy, header->caplen);
	}
	if (err)
		return err;
	if (got == PCAP_ERROR)
		return log_err(-EINVAL, "--pcap %s: packet %d: %s", path, number + 1,
			       pcap_geterr(pcap));
	if (!number)
		return log_err(-EINVAL, "--pcap %s: contains no packets", path);
	if (cut)
		log_warn("--pcap %s: %d of %d packets were truncated by the capture; they are "
			 "used as they are",
			 path, cut, number);
	return 0;
}

static int read_pcap(const struct packet_sink *sink, const char *path)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_open_offline(path, why);
	int err;

	if (!pcap)
		return log_err(-EINVAL, "--pcap %s: %s", path,
			       strncmp(why, path, strlen(path)) ? why : why + strlen(path) + 2);
	if (pcap_datalink(pcap) == DLT_EN10MB)
		err = read_packets(sink, path, pcap);
	else
		err = log_err(-EINVAL,
			      "--pcap %s: its link type is %s; programs can only run with "
			      "Ethernet frames",
			      path, pcap_datalink_val_to_name(pcap_datalink(pcap)) ?: "unknown");
	pcap_close(pcap);
	return err;
}

int bench_input__add_pcap(struct bench_input *in, const char *name, const char *path, bool cycle)
{
	const struct packet_sink sink = {
		.add = add_to_input, .in = in, .name = name ?: base_name(path), .cycle = cycle};

	return read_pcap(&sink, path);
}

int bench_input__set_ctx(struct bench_input *in, const char *path)
{
	free(in->ctx);
	return read_bytes("--ctx-in", path, &in->ctx, &in->ctx_sz);
}

/* ---- cases with a name, a context and steps ---- */

/* Reads a packet for a case or a step. source NULL: the default packet. */
static int read_packet(const char *source, struct bench_packet **v, int *cnt)
{
	/* the default: an Ethernet, IPv4 and UDP header; the rest is zero */
	static const unsigned char packet[64] = {
		2,    0, 0, 0,	0,  2,	2, 0, 0,  0,  0,    1,	  8, 0, /* MACs, IPv4 */
		0x45, 0, 0, 50, 0,  0,	0, 0, 64, 17, 0x66, 0xb9,	/* length, TTL, UDP */
		10,   0, 0, 1,	10, 0,	0, 2,				/* addresses */
		4,    0, 0, 53, 0,  30, 0, 0, /* ports, length, no checksum */
	};
	void *data = NULL;
	__u32 sz = sizeof(packet);
	int err = 0;

	if (source)
		err = bench_input__read("packet", source, &data, &sz);
	else
		data = memcpy(xmalloc(sz), packet, sz);
	if (!err)
		add_packet(v, cnt, data, sz);
	return err;
}

void bench_input__set_default(struct bench_input *in)
{
	struct bench_case *c = array__add(&in->v, &in->cnt, sizeof(*c));

	read_packet(NULL, &c->packet, &c->packet_cnt);
}

int bench_input__add_packet(struct bench_input *in, const char *name, const char *packet)
{
	struct bench_case *c = add_case(in, xstrdup(name));

	return c ? read_packet(packet, &c->packet, &c->packet_cnt) : -EINVAL;
}

int bench_step__add_packet(struct bench_step *step, const char *packet)
{
	return read_packet(packet, &step->packet, &step->packet_cnt);
}

int bench_step__add_pcap(struct bench_step *step, const char *path)
{
	const struct packet_sink sink = {.add = add_to_step, .step = step};

	return read_pcap(&sink, path);
}

struct bench_setting *bench_input__add_setting(struct bench_input *in, int first)
{
	struct bench_setting **to = array__add(&in->setting, &in->setting_cnt, sizeof(*to));

	*to = xcalloc(1, sizeof(**to));
	for (int i = first; i < in->cnt; i++)
		in->v[i].setting = *to;
	return *to;
}

int bench_case__count_tagged(const struct bench_case *c)
{
	int cnt = 0;

	for (int i = 0; i < c->packet_cnt; i++)
		cnt += is_tagged(&c->packet[i]);
	return cnt;
}

static void free_packets(struct bench_packet *v, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		free(v[i].data);
		free(v[i].untagged);
	}
	free(v);
}

void bench_input__free(struct bench_input *in)
{
	for (int i = 0; i < in->cnt; i++) {
		free_packets(in->v[i].packet, in->v[i].packet_cnt);
		free(in->v[i].name);
	}
	for (int i = 0; i < in->setting_cnt; i++) {
		struct bench_setting *setting = in->setting[i];

		for (int k = 0; k < setting->before_cnt; k++) {
			free_packets(setting->before[k].packet, setting->before[k].packet_cnt);
			free(setting->before[k].prog);
			free(setting->before[k].ctx);
		}
		free(setting->before);
		free(setting->ctx);
		free(setting);
	}
	free(in->setting);
	free(in->v);
	free(in->ctx);
	memset(in, 0, sizeof(*in));
}

/* own: the context of the case or step itself, or NULL */
static struct test_input make_input(const struct bench_input *in, const struct bench_packet *p,
				    __u32 type, const void *own, __u32 own_sz)
{
	bool untagged = p->untagged && test_run__takes_skb(type);

	return (struct test_input){.data = untagged ? p->untagged : p->data,
				   .data_sz = untagged ? p->sz - TAG_SZ : p->sz,
				   .ctx = own ?: in->ctx,
				   .ctx_sz = own ? own_sz : in->ctx_sz};
}

struct test_input bench_input__at(const struct bench_input *in, int which, int packet, __u32 type)
{
	const struct bench_setting *setting = in->v[which].setting;

	return make_input(in, &in->v[which].packet[packet], type, setting ? setting->ctx : NULL,
			  setting ? setting->ctx_sz : 0);
}

struct test_input bench_step__at(const struct bench_input *in, const struct bench_step *step,
				 int packet, __u32 type)
{
	return make_input(in, &step->packet[packet], type, step->ctx, step->ctx_sz);
}
