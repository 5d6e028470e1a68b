// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the decoder of perf's side-band records (bprof watch, --follow). "make fuzz" runs it.
 *
 * Input: records as they lie in a ring buffer. A size that does not fit the rest of the input is cut
 * to fit, as the kernel always writes whole records. A byte before each record decides whether the
 * queue is flushed up to the time in the next 8 bytes.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>

#include "session/sideband_queue.h"
#include "tests/fuzz/world.h"

static __u64 last_ns;

static int take(const struct sideband_event *event, void *arg)
{
	require(event->kind <= SIDEBAND_LOST);
	require(event->time_ns >= last_ns && event->time_ns <= *(__u64 *)arg);
	last_ns = event->time_ns;
	require(memchr(event->comm, '\0', sizeof(event->comm)));
	require(event->func_cnt >= 0);
	for (int i = 0; i < event->func_cnt; i++)
		require(strlen(event->func[i]) < 65536);
	return 0;
}

static void flush(struct sideband_queue *q, __u64 until)
{
	last_ns = 0;
	require(!sideband_queue__flush(q, until, take, &until));
}

/* Adds a copy of the record, so that the sanitizer sees each byte that is read behind it. */
static void add_record(struct sideband_queue *q, struct bytes *in)
{
	struct perf_event_header head, *rec;
	size_t sz;

	memcpy(&head, in->at, sizeof(head));
	sz = head.size < sizeof(head) ? sizeof(head) : head.size;
	sz = sz > in->sz ? in->sz : sz;
	rec = malloc(sz);
	require(rec);
	bytes__copy(in, rec, sz);
	rec->size = sz;
	sideband_queue__add(q, rec);
	free(rec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct bytes in = {data, sz};
	struct sideband_queue *q = sideband_queue__new();

	while (in.sz > sizeof(struct perf_event_header)) {
		if (bytes__u8(&in) == 'f')
			flush(q, bytes__u64(&in));
		if (in.sz >= sizeof(struct perf_event_header))
			add_record(q, &in);
	}
	sideband_queue__has_load(q, 42);
	flush(q, ~0ULL);
	sideband_queue__free(q);
	return 0;
}
