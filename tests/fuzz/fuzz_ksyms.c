// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Fuzzes the reading of /proc/kallsyms. "make fuzz" runs it.
 *
 * Input: an address of 8 bytes, then the content of the file.
 */
#include <errno.h>

#include "host/ksyms.h"
#include "tests/fuzz/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t sz)
{
	struct bytes in = {data, sz};
	const __u64 addresses[] = {bytes__u64(&in), 0, 1, ~0ULL, 0xffffffff81000000};
	struct ksyms *k;
	int err;

	world__clear();
	world__set_file("/proc/kallsyms", in.at, in.sz);
	err = ksyms__read("/proc/kallsyms", &k);
	require(!err || err == -EPERM);
	require(!err == !!k);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		struct ksym_place place = ksyms__find(k, addresses[i]);

		require(!place.name || (*place.name && place.offset <= addresses[i]));
	}
	ksyms__free(k);
	return 0;
}
