// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Tests the input cases of a bench, which come from files and captures.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pcap/pcap.h>

#include "base/util.h"
#include "bench/bench_input.h"
#include "tests/unit/capture.h"

/* From <linux/bpf.h>, which this file cannot include: <pcap/bpf.h> also defines a struct bpf_insn. */
#define BPF_PROG_TYPE_SCHED_CLS 3
#define BPF_PROG_TYPE_XDP 6

struct fixture {
	char dir[64], path[128];
	struct bench_input in;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	strcpy(f->dir, "/tmp/bprof-input-XXXXXX");
	*state = f;
	return mkdtemp(f->dir) ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char command[128];

	bench_input__free(&f->in);
	snprintf(command, sizeof(command), "rm -r %s", f->dir);
	free(f);
	return system(command);
}

static const char *path_of(struct fixture *f, const char *name)
{
	snprintf(f->path, sizeof(f->path), "%s/%s", f->dir, name);
	return f->path;
}

static const char *write_bytes(struct fixture *f, const char *name, const void *bytes, size_t sz)
{
	FILE *out = fopen(path_of(f, name), "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, sz, out), sz);
	assert_int_equal(fclose(out), 0);
	return f->path;
}

/*
 * Writes a capture with cnt packets of 60, 61, … bytes. The capture says that each packet was
 * truncated by cut bytes. The first byte of a packet is the packet's number. Returns the path.
 */
static const char *write_pcap(struct fixture *f, const char *name, int linktype, int cnt, int cut)
{
	pcap_t *pcap = pcap_open_dead(linktype, 65535);
	pcap_dumper_t *dumper = pcap_dump_open(pcap, path_of(f, name));

	assert_non_null(dumper);
	for (int i = 0; i < cnt; i++) {
		const struct pcap_pkthdr header = {.caplen = 60 + i, .len = 60 + i + cut};
		u_char packet[512] = {i + 1};

		pcap_dump((u_char *)dumper, &header, packet);
	}
	pcap_dump_close(dumper);
	pcap_close(pcap);
	return f->path;
}

/* Checks that err is an error, and that text is a single line that contains "want". */
static void assert_refused(int err, char *text, const char *want)
{
	assert_true(err < 0);
	assert_non_null(strstr(text, want));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
}

#define REFUSE(call, want)                                   \
	do {                                                 \
		struct capture c;                            \
		int err;                                     \
		capture__begin(&c, stderr);                  \
		err = (call);                                \
		assert_refused(err, capture__end(&c), want); \
	} while (0)

static void test_files(void **state)
{
	struct fixture *f = *state;
	struct test_input in;

	assert_int_equal(bench_input__add_file(&f->in, write_bytes(f, "a.bin", "abc", 3)), 0);
	assert_int_equal(bench_input__add_file(&f->in, write_bytes(f, "b.bin", "\0d", 2)), 0);
	assert_int_equal(f->in.cnt, 2);
	assert_string_equal(f->in.v[0].name, "a.bin");
	assert_string_equal(f->in.v[1].name, "b.bin");
	in = bench_input__at(&f->in, 1, 0, BPF_PROG_TYPE_XDP);
	assert_int_equal(in.data_sz, 2);
	assert_memory_equal(in.data, "\0d", 2);
	assert_null(in.ctx);

	assert_int_equal(bench_input__set_ctx(&f->in, write_bytes(f, "ctx", "12345678", 8)), 0);
	in = bench_input__at(&f->in, 0, 0, BPF_PROG_TYPE_XDP);
	assert_memory_equal(in.data, "abc", 3);
	assert_int_equal(in.ctx_sz, 8);
	assert_memory_equal(in.ctx, "12345678", 8);
}

static void test_wrong_files(void **state)
{
	struct fixture *f = *state;
	char *large = calloc(1, 65536);

	REFUSE(bench_input__add_file(&f->in, "/no/such/file"), "No such file");
	REFUSE(bench_input__add_file(&f->in, f->dir), "Is a directory");
	REFUSE(bench_input__add_file(&f->in, write_bytes(f, "empty", "", 0)), "is empty");
	REFUSE(bench_input__add_file(&f->in, write_bytes(f, "large", large, 65536)),
	       "more than 65535 bytes");
	REFUSE(bench_input__set_ctx(&f->in, write_bytes(f, "none", "", 0)), "--ctx-in");
	assert_int_equal(f->in.cnt, 0);
	free(large);

	assert_int_equal(bench_input__add_file(&f->in, write_bytes(f, "twice", "a", 1)), 0);
	REFUSE(bench_input__add_file(&f->in, f->path), "another case has that name");
}

static void test_each_packet_is_a_case(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(bench_input__add_pcap(&f->in, NULL,
					       write_pcap(f, "x.pcap", DLT_EN10MB, 3, 0), false),
			 0);
	assert_int_equal(f->in.cnt, 3);
	for (int i = 0; i < 3; i++) {
		struct test_input in = bench_input__at(&f->in, i, 0, BPF_PROG_TYPE_XDP);
		char name[32];

		snprintf(name, sizeof(name), "x.pcap#%d", i + 1);
		assert_string_equal(f->in.v[i].name, name);
		assert_int_equal(f->in.v[i].packet_cnt, 1);
		assert_int_equal(in.data_sz, 60 + i);
		assert_int_equal(*(unsigned char *)in.data, i + 1);
	}
}

static void test_packets_take_turns(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(bench_input__add_pcap(&f->in, NULL,
					       write_pcap(f, "x.pcap", DLT_EN10MB, 300, 0), true),
			 0);
	assert_int_equal(f->in.cnt, 1);
	assert_string_equal(f->in.v[0].name, "x.pcap");
	assert_int_equal(f->in.v[0].packet_cnt, 300);
	assert_int_equal(bench_input__at(&f->in, 0, 299, BPF_PROG_TYPE_XDP).data_sz, 359);
}

static void test_wrong_captures(void **state)
{
	struct fixture *f = *state;
	struct capture c;
	char *text;
	int err;

	REFUSE(bench_input__add_pcap(&f->in, NULL, "/no/such/file", false), "No such file");
	REFUSE(bench_input__add_pcap(&f->in, NULL, write_bytes(f, "text", "no capture, this", 16),
				     false),
	       "unknown file format");
	REFUSE(bench_input__add_pcap(&f->in, NULL, write_pcap(f, "none", DLT_EN10MB, 0, 0), false),
	       "no packet");
	REFUSE(bench_input__add_pcap(&f->in, NULL, write_pcap(f, "ip", DLT_RAW, 1, 0), false),
	       "link type is RAW");
	assert_int_equal(f->in.cnt, 0);
	REFUSE(bench_input__add_pcap(&f->in, NULL,
				     write_pcap(f, "many", DLT_EN10MB, BENCH_MAX_CASES + 1, 0),
				     false),
	       "--cycle");
	bench_input__free(&f->in);

	/* the file ends in the middle of the second packet */
	write_pcap(f, "torn", DLT_EN10MB, 2, 0);
	assert_int_equal(truncate(f->path, 24 + 16 + 60 + 16 + 5), 0);
	REFUSE(bench_input__add_pcap(&f->in, NULL, f->path, false), "packet 2: truncated");
	bench_input__free(&f->in);

	/* a truncated packet is used as it is, with a warning */
	write_pcap(f, "cut", DLT_EN10MB, 2, 10);
	capture__begin(&c, stderr);
	err = bench_input__add_pcap(&f->in, NULL, f->path, false);
	text = capture__end(&c);
	assert_int_equal(err, 0);
	assert_non_null(strstr(text, "2 of 2 packets were truncated"));
	free(text);
}

/* The default packet has a valid checksum, so that programs accept it. */
static void test_default_packet(void **state)
{
	struct fixture *f = *state;
	struct test_input in;
	const unsigned char *ip;
	unsigned int sum = 0;

	bench_input__set_default(&f->in);
	assert_int_equal(f->in.cnt, 1);
	assert_null(f->in.v[0].name);
	in = bench_input__at(&f->in, 0, 0, BPF_PROG_TYPE_XDP);
	assert_int_equal(in.data_sz, 64);
	ip = (const unsigned char *)in.data + 14;
	assert_memory_equal(ip - 2, "\x08\x00\x45", 3);
	for (int i = 0; i < 20; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	assert_int_equal((sum >> 16) + (sum & 0xffff), 0xffff);
	assert_int_equal(ip[2] << 8 | ip[3], 50);
	assert_int_equal(ip[24] << 8 | ip[25], 30);
}

/* Packets with a VLAN tag are counted. A packet that ends within its EtherType has no tag. */
static void test_tagged(void **state)
{
	struct fixture *f = *state;
	static const char *const packets[] = {"hex:000102030405 060708090a0b 8100 0005 0800",
					      "hex:000102030405 060708090a0b 88a8 0005 0800",
					      "hex:000102030405 060708090a0b 0800",
					      "hex:000102030405 060708090a0b 81"};

	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		assert_int_equal(bench_input__add_packet(&f->in, packets[i], packets[i]), 0);
		assert_int_equal(bench_case__count_tagged(&f->in.v[i]), i < 2);
	}
	/*
	 * Only packets of captures lose their tag, as on the way through a device
	 * (test_untagged()).
	 */
	assert_int_equal(bench_input__at(&f->in, 0, 0, BPF_PROG_TYPE_SCHED_CLS).data_sz, 18);
	assert_false(f->in.v[0].captured);
}

/* Programs with a struct __sk_buff get the frames of captures without their outer tag. */
static void test_untagged(void **state)
{
	static const char frame[] = "\0\1\2\3\4\5\6\7\x8\x9\xa\xb\x88\xa8\0\5\x81\0\0\6\x8\0xyz";
	const struct pcap_pkthdr header = {.caplen = 25, .len = 25},
				 cut = {.caplen = 18, .len = 18};
	struct fixture *f = *state;
	pcap_t *pcap = pcap_open_dead(DLT_EN10MB, 65535);
	pcap_dumper_t *to = pcap_dump_open(pcap, path_of(f, "x.pcap"));
	struct test_input in;

	assert_non_null(to);
	pcap_dump((u_char *)to, &header, (const u_char *)frame);
	pcap_dump((u_char *)to, &cut, (const u_char *)frame);
	pcap_dump_close(to);
	pcap_close(pcap);
	assert_int_equal(bench_input__add_pcap(&f->in, NULL, f->path, true), 0);
	assert_true(f->in.v[0].captured);
	assert_int_equal(bench_case__count_tagged(&f->in.v[0]), 2);
	in = bench_input__at(&f->in, 0, 0, BPF_PROG_TYPE_XDP);
	assert_int_equal(in.data_sz, 25);
	assert_memory_equal(in.data, frame, 25);
	in = bench_input__at(&f->in, 0, 0, BPF_PROG_TYPE_SCHED_CLS);
	assert_int_equal(in.data_sz, 21);
	assert_memory_equal(in.data, "\0\1\2\3\4\5\6\7\x8\x9\xa\xb\x81\0\0\6\x8\0xyz", 21);
	/*
	 * Without its tag, this frame would end after the Ethernet header, which the kernel
	 * refuses, so it keeps the tag.
	 */
	in = bench_input__at(&f->in, 0, 1, BPF_PROG_TYPE_SCHED_CLS);
	assert_int_equal(in.data_sz, 18);
}

static void test_hex(void **state)
{
	struct fixture *f = *state;
	struct test_input in;

	REFUSE(bench_input__add_packet(&f->in, "torn", "hex: 0aFf 7 0"), "expected 1 to");
	bench_input__free(&f->in);
	assert_int_equal(bench_input__add_packet(&f->in, "syn", "hex: 0aFf 70"), 0);
	in = bench_input__at(&f->in, 0, 0, BPF_PROG_TYPE_XDP);
	assert_int_equal(in.data_sz, 3);
	assert_memory_equal(in.data, "\x0a\xff\x70", 3);
	REFUSE(bench_input__add_packet(&f->in, "odd", "hex:123"), "packet hex:123: expected 1 to");
	REFUSE(bench_input__add_packet(&f->in, "none", "hex:"), "expected 1 to");
	REFUSE(bench_input__add_packet(&f->in, "word", "hex:zz"), "expected 1 to");
	REFUSE(bench_input__add_packet(&f->in, "syn", "hex:00"), "another case has that name");
}

/* A case may have its own context, and so may its steps. */
static void test_settings(void **state)
{
	struct fixture *f = *state;
	struct bench_setting *setting;
	struct bench_step *step;
	struct test_input in;

	assert_int_equal(bench_input__add_packet(&f->in, "plain", NULL), 0);
	assert_int_equal(bench_input__add_pcap(&f->in, "flow",
					       write_pcap(f, "x.pcap", DLT_EN10MB, 2, 0), false),
			 0);
	assert_string_equal(f->in.v[1].name, "flow#1");
	assert_string_equal(f->in.v[2].name, "flow#2");
	assert_int_equal(bench_input__set_ctx(&f->in, write_bytes(f, "ctx", "abcd", 4)), 0);
	setting = bench_input__add_setting(&f->in, 1);
	assert_non_null(setting);
	assert_int_equal(bench_input__read("ctx", "hex:01", &setting->ctx, &setting->ctx_sz), 0);
	step = array__add(&setting->before, &setting->before_cnt, sizeof(*step));
	assert_non_null(step);
	assert_int_equal(bench_step__add_packet(step, "hex:0505"), 0);
	assert_int_equal(bench_step__add_pcap(step, path_of(f, "x.pcap")), 0);
	assert_int_equal(step->packet_cnt, 3);

	in = bench_input__at(&f->in, 0, 0, BPF_PROG_TYPE_XDP);
	assert_int_equal(in.ctx_sz, 4);
	for (int i = 1; i < 3; i++) {
		in = bench_input__at(&f->in, i, 0, BPF_PROG_TYPE_XDP);
		assert_int_equal(in.ctx_sz, 1);
		assert_int_equal(*(__u8 *)in.ctx, 1);
	}
	in = bench_step__at(&f->in, step, 0, BPF_PROG_TYPE_XDP);
	assert_int_equal(in.data_sz, 2);
	assert_int_equal(in.ctx_sz, 4);
}

#define INPUT_TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		INPUT_TEST(test_files),
		INPUT_TEST(test_wrong_files),
		INPUT_TEST(test_each_packet_is_a_case),
		INPUT_TEST(test_packets_take_turns),
		INPUT_TEST(test_wrong_captures),
		INPUT_TEST(test_default_packet),
		INPUT_TEST(test_tagged),
		INPUT_TEST(test_untagged),
		INPUT_TEST(test_hex),
		INPUT_TEST(test_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
