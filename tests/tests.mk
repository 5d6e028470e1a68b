# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The programs that run inside the VM: the targets (tests/progs), the driver and the kernel tests
# (tests/kernel). Included by the Makefile; "make STATIC=1 ARCH=arm64 vm-tools" builds all of them.

DRIVE_SRC := $(wildcard tests/kernel/drive/*.c)
KTEST_SRC := $(filter-out %/drive.c,$(wildcard tests/kernel/*.c tests/kernel/*/*.c tests/kernel/*/*/*.c))
DRIVE_OBJ := $(DRIVE_SRC:%.c=$(O)/%.o)
# Always dynamic: cmocka is a shared library, and scripts/vm adds the libraries that a tool needs.
KTEST_OBJ := $(KTEST_SRC:%.c=$(O)/ktest-obj/%.o)
KTEST_LIBS := $(shell $(PKG_CONFIG) --libs libbpf jansson libcap) -lpcap -lcmocka -pthread -lm

.PHONY: vm-tools
vm-tools: $(B)/bprof $(B)/tools/drive $(B)/tools/ktest $(B)/tools/costs $(PROG_OBJ)

# Tests that count everything on a CPU also count the start of drive. With relocations, drive's start would take four
# times as long.
$(B)/tools/drive: LDFLAGS_ALL := $(filter-out -pie,$(LDFLAGS_ALL:-static-pie=-static)) -no-pie
$(B)/tools/drive: $(DRIVE_OBJ) | $(LIBELF_EU)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)

# drive needs none of bprof's skeletons, which the rule for $(O)/%.o would build first.
$(DRIVE_OBJ): $(O)/%.o: %.c $(O)/flags
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(B)/tools/ktest: $(KTEST_OBJ)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_DYNAMIC) -pie -o $@ $^ $(KTEST_LIBS)

# Without optimization, compiling the tests takes half of the time. Their results do not change, because the measured
# code is in the kernel, in bprof and in drive.
$(KTEST_OBJ): $(O)/ktest-obj/%.o: %.c tests/tests.mk $(O)/flags | build/bpf/probe.skel.h
	@mkdir -p $(@D)
	$(COMPILE) -O0 -g1 -U_FORTIFY_SOURCE -c -o $@ $<

$(B)/tools/costs: docs/examples/costs.c $(O)/flags
	@mkdir -p $(@D)
	$(COMPILE) -MF $@.d $(LDFLAGS_DYNAMIC) -pie -o $@ $< $(shell $(PKG_CONFIG) --libs jansson)
