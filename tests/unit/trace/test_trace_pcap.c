// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the capture files that bprof trace writes, by reading them with libpcap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <net/if_arp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pcap/pcap.h>

#include "probe/trace_probe.h"
#include "tests/unit/capture.h"
#include "trace/trace_pcap.h"

#define PCAP "/tmp/bprof-test-trace.pcap"

/* Writes a packet of a device of r.dev_type, by default an Ethernet device. */
static void write_packet(struct trace_pcap *p, __u64 ns, const void *bytes, struct bprof_record r)
{
	r.dev_type = r.dev_type ?: ARPHRD_ETHER;
	assert_int_equal(trace_pcap__write(p, ns, &r, bytes), 0);
}

static void test_pcap(void **state)
{
	static const char bytes[] = "0123456789abcdef";
	struct pcap_pkthdr *header;
	struct trace_pcap *p;
	struct stat st;
	const u_char *data;
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *in;

	assert_int_equal(trace_pcap__open(PCAP, 16, &p), 0);
	write_packet(p, 1767225601000000123, bytes,
		     (struct bprof_record){.snapped = 10, .packet_sz = 10});
	write_packet(p, 1767225601999999999, bytes,
		     (struct bprof_record){.snapped = 16, .packet_sz = 1514});
	assert_int_equal(trace_pcap__close(p, 0), 0);
	assert_int_equal(stat(PCAP, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	in = pcap_open_offline_with_tstamp_precision(PCAP, PCAP_TSTAMP_PRECISION_NANO, why);
	assert_non_null(in);
	assert_int_equal(pcap_datalink(in), DLT_EN10MB);
	assert_int_equal(pcap_next_ex(in, &header, &data), 1);
	assert_int_equal(header->ts.tv_sec, 1767225601);
	assert_int_equal(header->ts.tv_usec, 123);
	assert_int_equal(header->caplen, 10);
	assert_int_equal(header->len, 10);
	assert_memory_equal(data, bytes, 10);
	assert_int_equal(pcap_next_ex(in, &header, &data), 1);
	assert_int_equal(header->ts.tv_usec, 999999999);
	assert_int_equal(header->caplen, 16);
	assert_int_equal(header->len, 1514);
	assert_int_equal(pcap_next_ex(in, &header, &data), PCAP_ERROR_BREAK);
	pcap_close(in);
	unlink(PCAP);
}

/* The tag that the kernel keeps beside a packet is put behind the MAC addresses. */
static void test_vlan(void **state)
{
	static const char bytes[] = "0123456789abcdef";
	const __u16 proto = htons(0x88a8);
	struct pcap_pkthdr *header;
	struct trace_pcap *p;
	const u_char *data;
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *in;

	assert_int_equal(trace_pcap__open(PCAP, 16, &p), 0);
	for (int sz = 16; sz >= 4; sz -= 12)
		write_packet(p, 1, bytes,
			     (struct bprof_record){.snapped = sz,
						   .packet_sz = 100,
						   .vlan_proto = proto,
						   .vlan_tci = 0x2005});
	assert_int_equal(trace_pcap__close(p, 0), 0);
	in = pcap_open_offline(PCAP, why);
	assert_non_null(in);
	assert_int_equal(pcap_next_ex(in, &header, &data), 1);
	assert_int_equal(header->caplen, 20);
	assert_int_equal(header->len, 104);
	assert_memory_equal(data,
			    "0123456789ab\x88\xa8\x20\x05"
			    "cdef",
			    20);
	/* cut before the place of the tag */
	assert_int_equal(pcap_next_ex(in, &header, &data), 1);
	assert_int_equal(header->caplen, 4);
	assert_int_equal(header->len, 104);
	pcap_close(in);
	unlink(PCAP);
}

/*
 * Packets without an Ethernet header make a raw capture. Packets of other devices are not in it,
 * and a message says so.
 */
static void test_link_types(void **state)
{
	static const __u32 raw[] = {0xfffe, ARPHRD_TUNNEL, ARPHRD_SIT, ARPHRD_PPP};
	struct capture c;
	struct trace_pcap *p;
	struct pcap_pkthdr *header;
	const u_char *data;
	char why[PCAP_ERRBUF_SIZE], *text;
	pcap_t *in;

	capture__begin(&c, stderr);
	assert_int_equal(trace_pcap__open(PCAP, 16, &p), 0);
	for (int i = 0; i < 4; i++)
		write_packet(p, 1, "E", (struct bprof_record){.snapped = 1, .dev_type = raw[i]});
	write_packet(p, 1, "M", (struct bprof_record){.snapped = 1});
	write_packet(p, 1, "?", (struct bprof_record){.snapped = 1, .dev_type = 803});
	assert_int_equal(trace_pcap__close(p, 0), 0);
	text = capture__end(&c);
	assert_non_null(strstr(text, "2 packets are not in the file, whose link type is RAW"));
	assert_non_null(strstr(text, "device type 803"));
	free(text);
	in = pcap_open_offline(PCAP, why);
	assert_non_null(in);
	assert_int_equal(pcap_datalink(in), DLT_RAW);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pcap_next_ex(in, &header, &data), 1);
		assert_int_equal(*data, 'E');
	}
	assert_int_equal(pcap_next_ex(in, &header, &data), PCAP_ERROR_BREAK);
	pcap_close(in);
	unlink(PCAP);
}

/* Each error is a single line that names the file. */
static void test_pcap_fails(void **state)
{
	struct trace_pcap *p = NULL, *full = NULL;
	struct capture c;
	int err[2];
	char *text;

	capture__begin(&c, stderr);
	err[0] = trace_pcap__open("/nonexistent/a.pcap", 16, &p);
	err[1] = trace_pcap__open("/dev/full", 16, &full);
	if (!err[1]) {
		write_packet(full, 1, "x", (struct bprof_record){.snapped = 1, .packet_sz = 1});
		err[1] = trace_pcap__flush(full);
		err[1] = trace_pcap__close(full, err[1]);
	}
	text = capture__end(&c);
	assert_int_equal(err[0], -ENOENT);
	assert_null(p);
	assert_true(err[1] < 0);
	assert_non_null(strstr(text, "/nonexistent/a.pcap: cannot be written: "));
	assert_non_null(strstr(text, "/dev/full: cannot be written: No space left"));
	assert_null(strstr(strstr(text, "/dev/full") + 1, "/dev/full"));
	free(text);
	assert_int_equal(trace_pcap__close(NULL, -EIO), -EIO);
	assert_int_equal(trace_pcap__flush(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pcap),
		cmocka_unit_test(test_vlan),
		cmocka_unit_test(test_link_types),
		cmocka_unit_test(test_pcap_fails),
	};

	return cmocka_run_group_tests_name("trace_pcap", tests, NULL, NULL);
}
