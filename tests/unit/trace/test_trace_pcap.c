// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the capture files that bprof trace writes, by reading them with libpcap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pcap/pcap.h>

#include "tests/unit/capture.h"
#include "trace/trace_pcap.h"

#define PCAP "/tmp/bprof-test-trace.pcap"

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
	trace_pcap__write(p, 1767225601000000123, bytes, 10, 10);
	trace_pcap__write(p, 1767225601999999999, bytes, 16, 1514);
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
		trace_pcap__write(full, 1, "x", 1, 1);
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
		cmocka_unit_test(test_pcap_fails),
	};

	return cmocka_run_group_tests_name("trace_pcap", tests, NULL, NULL);
}
