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

LIB_TOOLS := $(B)/tools/measure_xdp $(B)/tools/host_process

.PHONY: vm-tools
# (scripts/vm does not add the shared library of bprof.)
vm-tools: $(B)/bprof $(B)/tools/drive $(B)/tools/ktest $(if $(STATIC),$(LIB_TOOLS)) $(PROG_OBJ)

# Tests that count everything on a CPU also count the start of drive, which relocations would make four
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
	$(CC) $(LDFLAGS_LIB) -pie -o $@ $^ $(KTEST_LIBS)

$(KTEST_OBJ): $(O)/ktest-obj/%.o: %.c $(O)/flags | $(BPF_B)/bpf/probe.skel.h
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# Programs that use libbprof are built only with what 'make install-lib' installs. (pkg-config takes its
# directory for one below SYSROOT.) The man pages are made before, because the inner make would run a
# bprof that this make is linking.
STAGE := $(abspath $(B)/stage)

$(STAGE)/installed: Makefile $(LIBBPROF) profiler/lib/bprof.h profiler/lib/libbprof.pc.in | man
	@$(MAKE) -s install-lib DESTDIR= PREFIX=$(STAGE) LIBDIR=$(STAGE)/lib
	@touch $@

$(LIB_TOOLS): $(B)/tools/%: tests/lib/%.c $(STAGE)/installed
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -fPIE $(HARDEN_CFLAGS) $(CFLAGS) $(LDFLAGS_LIB) -pie -o $@ $< \
		$(if $(SYSROOT),-I$(STAGE)/include -L$(STAGE)/lib) $$(PKG_CONFIG_PATH=$(STAGE)/lib/pkgconfig $(PKG_CONFIG) --static --cflags --libs libbprof libbpf)
