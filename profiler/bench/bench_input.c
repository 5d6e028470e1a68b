// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The input cases of bprof bench. Owns the sources of packets and the names of cases. Must not know
 * how cases are run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pcap/pcap.h>

#include "base/log.h"
#include "base/util.h"
#include "bench/bench_input.h"

/* More than any test run accepts, so a larger file must be a mistake. */
#define MAX_BYTES 65535

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
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
	*data = malloc(MAX_BYTES + 1);
	if (!*data) {
		fclose(in);
		return log_err(-ENOMEM, "out of memory");
	}
	len = fread(*data, 1, MAX_BYTES + 1, in);
	if (ferror(in))
		err = log_err(-errno, "%s %s: %s", option, path, strerror(errno));
	else if (!len)
		err = log_err(-EINVAL, "%s %s: is empty", option, path);
	else if (len > MAX_BYTES)
		err = log_err(-EINVAL, "%s %s: too large for a %s: more than %d bytes", option,
			      path, strcmp(option, "--ctx-in") ? "packet" : "context", MAX_BYTES);
	fclose(in);
	*sz = len;
	if (!err)
		return 0;
	free(*data);
	*data = NULL;
	return err;
}

static bool has_case(const struct bench_input *in, const char *name)
{
	for (int i = 0; i < in->cnt; i++)
		if (in->v[i].name && !strcmp(in->v[i].name, name))
			return true;
	return false;
}

/*
 * Adds a case without packets; takes ownership of name. Returns NULL (reported) if out of memory,
 * if there are too many cases, or if another case has that name.
 */
static struct bench_case *add_case(struct bench_input *in, char *name)
{
	struct bench_case *c = NULL;

	if (!name)
		log_err(0, "out of memory");
	else if (in->cnt == BENCH_MAX_CASES)
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

/* Adds a packet to a case; takes ownership of data. */
static int add_packet(struct bench_case *c, void *data, __u32 sz)
{
	struct bench_packet *p = data ? array__add(&c->packet, &c->packet_cnt, sizeof(*p)) : NULL;

	if (!p) {
		free(data);
		return log_err(-ENOMEM, "out of memory");
	}
	p->data = data;
	p->sz = sz;
	return 0;
}

int bench_input__add_file(struct bench_input *in, const char *path)
{
	struct bench_case *c;
	void *data;
	__u32 sz;
	int err = read_bytes("--data-in", path, &data, &sz);

	if (err)
		return err;
	c = add_case(in, strdup(base_name(path)));
	if (c)
		return add_packet(c, data, sz);
	free(data);
	return -EINVAL;
}

static char *packet_name(const char *path, int number)
{
	char *name;

	return asprintf(&name, "%s#%d", base_name(path), number) < 0 ? NULL : name;
}

/* Adds the remaining packets of the capture. */
static int add_packets(struct bench_input *in, const char *path, pcap_t *pcap, bool cycle)
{
	struct bench_case *c = NULL;
	struct pcap_pkthdr *header;
	int number = 0, cut = 0, got, err = 0;
	const u_char *bytes;

	while (!err && (got = pcap_next_ex(pcap, &header, &bytes)) == 1) {
		void *copy;

		number++;
		cut += header->caplen < header->len;
		if (!c || !cycle)
			c = add_case(in,
				     cycle ? strdup(base_name(path)) : packet_name(path, number));
		if (!c)
			return -EINVAL;
		copy = malloc(header->caplen + 1);
		if (copy)
			memcpy(copy, bytes, header->caplen);
		err = add_packet(c, copy, header->caplen);
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

int bench_input__add_pcap(struct bench_input *in, const char *path, bool cycle)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_open_offline(path, why);
	int err;

	if (!pcap)
		return log_err(-EINVAL, "--pcap %s: %s", path,
			       strncmp(why, path, strlen(path)) ? why : why + strlen(path) + 2);
	if (pcap_datalink(pcap) == DLT_EN10MB)
		err = add_packets(in, path, pcap, cycle);
	else
		err = log_err(-EINVAL,
			      "--pcap %s: its link type is %s; programs can only run with "
			      "Ethernet frames",
			      path, pcap_datalink_val_to_name(pcap_datalink(pcap)) ?: "unknown");
	pcap_close(pcap);
	return err;
}

int bench_input__set_ctx(struct bench_input *in, const char *path)
{
	free(in->ctx);
	return read_bytes("--ctx-in", path, &in->ctx, &in->ctx_sz);
}

int bench_input__set_default(struct bench_input *in)
{
	/* an Ethernet, IPv4 and UDP header; the rest is zero */
	static const unsigned char packet[64] = {
		2,    0, 0, 0,	0,  2,	2, 0, 0,  0,  0,    1,	  8, 0, /* MACs, IPv4 */
		0x45, 0, 0, 50, 0,  0,	0, 0, 64, 17, 0x66, 0xb9,	/* length, TTL, UDP */
		10,   0, 0, 1,	10, 0,	0, 2,				/* addresses */
		4,    0, 0, 53, 0,  30, 0, 0, /* ports, length, no checksum */
	};
	struct bench_case *c = array__add(&in->v, &in->cnt, sizeof(*c));
	void *copy = c ? malloc(sizeof(packet)) : NULL;

	if (copy)
		memcpy(copy, packet, sizeof(packet));
	return c ? add_packet(c, copy, sizeof(packet)) : log_err(-ENOMEM, "out of memory");
}

void bench_input__free(struct bench_input *in)
{
	for (int i = 0; i < in->cnt; i++) {
		for (int p = 0; p < in->v[i].packet_cnt; p++)
			free(in->v[i].packet[p].data);
		free(in->v[i].packet);
		free(in->v[i].name);
	}
	free(in->v);
	free(in->ctx);
	memset(in, 0, sizeof(*in));
}

struct test_input bench_input__at(const struct bench_input *in, int which, int packet)
{
	const struct bench_packet *p = &in->v[which].packet[packet];

	return (struct test_input){
		.data = p->data, .data_sz = p->sz, .ctx = in->ctx, .ctx_sz = in->ctx_sz};
}
