# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# make                        bprof for this machine
# make STATIC=1 ARCH=arm64    one static binary for the VM (also x86_64; riscv64 without STATIC=1)
# make install                installs bprof; make install-vm: bprof-bench-vm, with a bprof for each of VM_ARCHS
# make man                    the man pages, in build/man
# make dist | deb | static    source tarball; Debian packages; tarballs with static programs
# make release                all files of a release (docs/dev/releasing.md)
# make test [ROOM=report]     the short tests; make demo | check | lint | fuzz    see README.md
# make coverage [KERNEL=1] | mutation    measure the tests themselves: see docs/dev/testing.md
# make FAULTS=1               bprof with calls that can be made to fail (docs/dev/testing.md)
#
# Everything that is built is below build/<arch>[-static][-asan][-coverage]. Objects of static programs are below
# build/<arch>. Files that are the same for every architecture are in build/bpf, build/progs and build/man.

VERSION := $(shell scripts/version)
HOST_ARCH := $(subst aarch64,arm64,$(shell uname -m))
ARCH ?= $(HOST_ARCH)
PREFIX ?= /usr/local
CLANG ?= clang
# Ubuntu's /usr/sbin/bpftool is a wrapper that works only if Ubuntu's own kernel is running.
BPFTOOL ?= $(lastword bpftool $(wildcard /usr/local/sbin/bpftool /usr/sbin/bpftool \
	/usr/lib/linux-tools/*/bpftool))
LLVM_STRIP ?= $(firstword $(shell command -v llvm-strip llvm-strip-14 llvm-strip-19) llvm-strip)

TRIPLET_arm64 := aarch64-linux-gnu
TRIPLET_x86_64 := x86_64-linux-gnu
TRIPLET_riscv64 := riscv64-linux-gnu
TRIPLET := $(TRIPLET_$(ARCH))
ifeq ($(TRIPLET),)
$(error ARCH=$(ARCH): give arm64, x86_64 or riscv64)
endif
ifeq ($(ARCH)$(STATIC),riscv641)
$(error Debian 12's linker cannot link the static libraries of Debian 13, the oldest one with riscv64)
endif
# make demo and make deb begin without the required packages, and print what to install.
HOST_PKG_CONFIG := $(or $(shell command -v pkg-config),:)
ifneq ($(ARCH),$(HOST_ARCH))
# SYSROOT=DIR: the directory with the libraries of ARCH, instead of /. For riscv64, scripts/fetch makes one.
ifneq ($(if $(SYSROOT),,$(filter riscv64,$(ARCH))),)
SYSROOT := $(shell scripts/fetch sysroot $(ARCH))
endif
CC := $(TRIPLET)-gcc $(SYSROOT:%=--sysroot=%)
AR := $(TRIPLET)-ar
NM := $(TRIPLET)-nm
OBJCOPY := $(TRIPLET)-objcopy
PKG_CONFIG := $(SYSROOT:%=PKG_CONFIG_SYSROOT_DIR=%) \
	PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(TRIPLET)/pkgconfig:$(SYSROOT)/usr/share/pkgconfig pkg-config
else
AR := ar
NM := nm
OBJCOPY := objcopy
PKG_CONFIG := $(HOST_PKG_CONFIG)
endif

# FAULTS=1 uses the objects of ASAN=1, or with STATIC=1 the objects of STATIC=1.
ifneq ($(if $(STATIC),,$(FAULTS)),)
override ASAN := 1
endif

B := build/$(ARCH)$(if $(STATIC),-static)$(if $(ASAN),-asan)$(if $(COVERAGE),-coverage)
# Static and dynamic programs share their objects. With COVERAGE=1, they do not: objects contain gcc's counters.
O := $(if $(COVERAGE),$(B),build/$(ARCH)$(if $(ASAN),-asan))

, := ,
# With ASan, compiling with optimization and -g takes three times as long. -g1 has the lines for ASan's reports.
CFLAGS ?= $(if $(COVERAGE),-O0 -g,$(if $(ASAN),-O0 -g1,-O2 -g))
WARN := -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -Wmissing-prototypes -Wstrict-prototypes -Wvla
CPPFLAGS_ALL := -D_GNU_SOURCE -iquote . -iquote profiler -iquote $(O) -iquote build \
	$(shell $(PKG_CONFIG) --cflags libbpf jansson libcap libprotobuf-c) $(CPPFLAGS)
# These flags make errors in bprof harder to exploit. tests/hardening.sh checks that each program has them.
# _FORTIFY_SOURCE needs optimization; with ASan it is left out, because ASan checks more.
HARDEN_arm64 := -mbranch-protection=standard
HARDEN_x86_64 := -fcf-protection
HARDEN_CFLAGS := -fstack-protector-strong -fstack-clash-protection $(HARDEN_$(ARCH)) \
	$(if $(ASAN),,$(if $(filter-out -O0,$(filter -O%,$(CFLAGS))),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
HARDEN_LDFLAGS := -Wl,-z,relro,-z,now,-z,noexecstack
# -ffp-contract=off: with the fused multiply-add of arm64, the last digit of results would differ from that on other
# machines.
CFLAGS_ALL := -std=gnu11 $(WARN) -fPIE -ffp-contract=off $(HARDEN_CFLAGS) \
	$(if $(ASAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=all) $(if $(COVERAGE),--coverage) $(CFLAGS)
LDLIBS := $(shell $(PKG_CONFIG) $(if $(STATIC),--static) --libs libbpf jansson libcap libprotobuf-c ncursesw) -lmicrohttpd -lpcap -lelf -lz -lm \
	-pthread
# bprof only reads and writes files with libpcap. Debian's libpcap.a can also capture from D-Bus, which has no static
# library. It can look up names, too; the linker warns that this needs shared libraries at run time. bprof calls none of
# these functions. (--no-warnings would also hide that another function is missing.)
UNUSED := $(addprefix dbus_,bus_add_match bus_get bus_register connection_flush connection_open \
	connection_pop_message connection_read_write connection_send connection_set_max_received_size \
	connection_unref error_free error_is_set free message_demarshal message_is_signal message_marshal \
	message_unref) getaddrinfo freeaddrinfo gethostbyname getnetbyname_r getprotobyname_r
# Debian's libmicrohttpd.a needs GnuTLS for TLS. bprof does not use TLS, and GnuTLS has no static library. Without TLS,
# libmicrohttpd calls only two functions of GnuTLS, gnutls_global_init() and its counterpart, and ignores their return
# values. So getpid() replaces both functions.
NO_TLS := $(if $(STATIC),$(shell $(NM) -u $$($(PKG_CONFIG) --variable=libdir libmicrohttpd)/libmicrohttpd.a 2>/dev/null | \
	sed -n 's/^ *U \(gnutls_.*\)/\1/p' | sort -u))
NO_TLS_GLOBAL := gnutls_global_init gnutls_global_deinit
NO_TLS_FLAGS = $(patsubst %,-Wl$(,)--defsym=%=getpid,$(NO_TLS_GLOBAL)) $(patsubst %,-Wl$(,)--defsym=%=0,$(filter-out $(NO_TLS_GLOBAL),$(NO_TLS)))
# libelf.a of elfutils 0.192 (Debian 13) lacks functions that it calls. The linker takes these functions from the
# library libelf_eu.a only if libelf.a does not have them.
LIBELF_EU := $(if $(STATIC),$(B)/libelf_eu.a)
LDLIBS += $(LIBELF_EU)
# A cross compiler has its own crt1.o, which may not fit the libc of the SYSROOT.
LDFLAGS_DYNAMIC := $(HARDEN_LDFLAGS) $(SYSROOT:%=-B%/usr/lib/$(TRIPLET)/) $(if $(ASAN),-fsanitize=address$(,)undefined) $(if $(COVERAGE),--coverage) $(LDFLAGS)
LDFLAGS_ALL := $(LDFLAGS_DYNAMIC) $(if $(STATIC),-static-pie $(UNUSED:%=-Wl$(,)--defsym=%=0) $(NO_TLS_FLAGS),-pie)

# The disassembler of bprof annotate is LLVM's shared library, and works only for this machine. bprof loads the library
# when it needs the disassembler. LLVM_CONFIG= builds without a disassembler.
LLVM_CONFIG ?= $(lastword $(shell command -v llvm-config llvm-config-14 llvm-config-19))
NATIVE := $(if $(or $(STATIC),$(filter-out $(HOST_ARCH),$(ARCH))),,yes)
LLVM_SONAME := $(if $(and $(NATIVE),$(LLVM_CONFIG)),$(shell objdump -p $(firstword $(shell $(LLVM_CONFIG) --link-shared \
	--libfiles 2>/dev/null)) 2>/dev/null | sed -n 's/^ *SONAME *//p'))
LLVM := $(if $(LLVM_SONAME),$(wildcard $(shell $(LLVM_CONFIG) --includedir)/llvm-c/Disassembler.h))
DISASM := $(if $(LLVM),llvm,none)
NO_LLVM := $(if $(LLVM),,$(and $(NATIVE),$(or $(LLVM_CONFIG),$(filter file,$(origin LLVM_CONFIG)))))
ifneq ($(LLVM),)
%/disasm_llvm.o %/disasm_llvm.log: private CPPFLAGS_ALL += -isystem $(shell \
	$(LLVM_CONFIG) --includedir) -DLLVM_SONAME='"$(LLVM_SONAME)"'
LDLIBS += -ldl
endif

# BPF objects need only UAPI headers and libbpf's helpers, not the build machine's kernel BTF. They are the same for
# every architecture, so all architectures share build/bpf. Their BTF has the paths of source files, which must not
# depend on the place of the source tree.
BPF_CFLAGS := -g -O2 -ffile-prefix-map=$(CURDIR)=. -target bpfel -mcpu=v3 -Wall -Wextra -Wno-unused-parameter \
	-Ibpf -I/usr/include/$(TRIPLET_$(HOST_ARCH)) $(shell $(HOST_PKG_CONFIG) --cflags libbpf)

# Drops two parts of every variant of the probe that nothing uses. The source lines are half of the object. Clang's
# symbols for basic blocks are thousands, and libbpf reads each symbol when it opens the object.
STRIP_probe := -R .BTF.ext -R .rel.BTF.ext -w --strip-symbol='LBB*'
STRIP_probe_common := $(STRIP_probe)
STRIP_probe_shares := $(STRIP_probe)
STRIP_probe_small := $(STRIP_probe)
STRIP_probe_keys := $(STRIP_probe)
STRIP_probe_small_keys := $(STRIP_probe)

BPF_OBJ := $(patsubst %.c,build/%.o,$(wildcard bpf/*.bpf.c))
# The kernel itself loads a light skeleton, so libbpf need not read the kernel's BTF (Linux 5.17).
LIGHT := task_files ref_iters map_iter
SKEL := $(patsubst %.bpf.o,%.skel.h,$(filter-out $(LIGHT:%=build/bpf/%.bpf.o),$(BPF_OBJ))) $(LIGHT:%=build/bpf/%.lskel.h)
PROG_OBJ := $(patsubst tests/progs/%.bpf.c,build/progs/%.bpf.o,$(wildcard tests/progs/*.bpf.c)) \
	build/progs/namesakes.bpf.o build/progs/namesakes_ids.bpf.o

# The sources of the rooms (docs/dev/architecture.md): btf/ and the directories of profiler/. Unit tests link all rooms
# except cmd/.
SRC := $(filter-out %/disasm_$(if $(LLVM),none,llvm).c %/accounts_$(if $(STATIC),nss,files).c,$(wildcard \
	btf/*.c profiler/*/*.c profiler/*/*/*.c))
# The code that writes and reads pprof's profiles. It is generated from the description of the profiles' messages.
PROTO := $(O)/pprof/profile.pb-c
BUILD_INFO := $(B)/profiler/base/build_info.o
# The files of a room are compiled as one source, build/rooms/ROOM.c. Separate compilation takes three times as long,
# because the compiler mostly reads headers of libraries. So names must be unique in a room. The files in APART are
# compiled alone, for one of these reasons. They have flags of their own. They need headers that conflict with those of
# the room (libpcap and the kernel both have a struct bpf_insn). Unit tests of the room replace some of their functions,
# so the compiler must not inline these functions. Or they are one of two variants, and a build has only one of the two.
VARIANTS := %/disasm_llvm.c %/disasm_none.c %/accounts_nss.c %/accounts_files.c
APART := $(filter $(VARIANTS) %/build_info.c \
	%/bench_input.c %/trace_pcap.c %/top_rescue.c %/top_screen.c \
	%/probe_template.c %/follow.c %/prog_watch.c %/other_runs.c %/bperf.c %/system_perf_event.c,$(SRC))
ROOMS := $(sort $(patsubst %/,%,$(dir $(SRC))))
UNITS := $(ROOMS:%=build/rooms/%.c) $(APART)
LIB_SRC := $(filter-out build/rooms/profiler/cmd.c,$(UNITS))
LIB_OBJ := $(patsubst %.c,$(O)/%.o,$(patsubst build/%,%,$(filter-out %/build_info.c,$(LIB_SRC)))) $(BUILD_INFO) \
	$(PROTO).o
CMD_OBJ := $(O)/rooms/profiler/cmd.o
UNIT_SRC := $(wildcard tests/unit/test_*.c tests/unit/*/test_*.c tests/unit/*/*/test_*.c)
# The tests of a room are one program, unit/ROOM/all. Tests that replace functions of libraries or of bprof are programs
# of their own (UNIT_ALONE). Each file can also be built alone, as unit/ROOM/test_X.
UNIT_ALONE := $(patsubst tests/unit/%.c,%,$(shell grep -l 'include "tests/unit/base/failing_calls.h"' \
	$(UNIT_SRC))) calibration/test_calibrate probe/test_load_insns base/test_memory base/test_output_file \
	object/test_object_load_error run/test_loop compare/test_compare_retval event/test_event_fds \
	host/test_affinity session/test_follow session/test_prog_watch budget/test_probe_turns \
	result/test_key_names watch/test_watch_unheld \
	$(addprefix system/test_,attr_map_errors bperf bperf_update) $(addprefix target/test_,prog_arrays select_new)
room_of = $(firstword $(subst /, ,$(1)))
UNIT_TESTS := $(filter $(if $(ROOM),$(ROOM)/)%,$(UNIT_SRC:tests/unit/%.c=%))
UNIT_JOINED := $(filter-out $(UNIT_ALONE),$(UNIT_TESTS))
UNIT_ROOMS := $(sort $(foreach t,$(UNIT_JOINED),$(call room_of,$(t))))
UNIT := $(UNIT_ROOMS:%=$(B)/unit/%/all) $(patsubst %,$(B)/unit/%,$(filter $(UNIT_ALONE),$(UNIT_TESTS)))

.PHONY: all
all: $(if $(FAULTS),faults,$(B)/bprof)

# The linker's map lists the parts of a static program; scripts/sbom reads the map.
$(B)/bprof: $(CMD_OBJ) $(B)/internal.a | $(LIBELF_EU)
	$(CC) $(LDFLAGS_ALL) $(if $(STATIC),-Wl$(,)-Map=$@.map) -o $@ $^ $(LDLIBS)

$(B)/libelf_eu.a: $(O)/packaging/libelf_eu.o
	@rm -f $@
	$(AR) rcs $@ $<

# If an archive has two definitions of a name, a linker takes the first one without a message.
$(B)/internal.a: $(LIB_OBJ) $(B)/disasm
	@rm -f $@
	$(AR) rcs $@ $(LIB_OBJ)
	@twice=$$($(AR:%ar=%nm) --defined-only -gP $@ | awk '$$2 ~ /[TDBR]/ {print $$1}' | sort | uniq -d) && \
		[ -z "$$twice" ] || { echo "$@: defined twice:" $$twice >&2; rm -f $@; false; }

# This file names the built-in disassembler, so that a change of the disassembler rebuilds internal.a. Warns once if
# bprof has no disassembler.
$(B)/disasm: FORCE
	@mkdir -p $(@D)
	@echo $(DISASM) | cmp -s - $@ || { echo $(DISASM) >$@; $(if $(NO_LLVM),echo \
		"bprof annotate will not disassemble: LLVM's headers or its library were not found (Debian: llvm-dev)",:); }

# The version changes with each commit and is compiled into one object only.
$(B)/version: FORCE
	@mkdir -p $(@D)
	@echo $(VERSION) | cmp -s - $@ || echo $(VERSION) >$@

%/build_info.o %/build_info.log: private CPPFLAGS_ALL += -DBPROF_VERSION='"$(VERSION)"' \
	-DBPROF_DISASSEMBLER='"$(if $(LLVM),$(LLVM_SONAME),none)"'

.PHONY: FORCE
FORCE:

# This file has the compiler and its flags, so that a change of CFLAGS rebuilds the objects. Flags of single objects are
# private. Otherwise, the prerequisites of these objects, such as this file, would get these flags, too.
$(O)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL))' | cmp -s - $@ || \
		echo '$(subst ','\'',$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL))' >$@

COMPILE = $(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -MMD -MP

# In the joined source, #undef follows each file for each macro that the file defines. The directory is a prerequisite,
# because its time changes when a file is added.
define room
build/rooms/$(1).c: $(1) $(2) Makefile
	@mkdir -p $$(@D)
	@for f in $(2); do echo "#include \"$$$$f\"" && \
		sed -n 's/^#define \([A-Za-z0-9_]*\).*/#undef \1/p' $$$$f | sort -u; done >$$@
endef
$(foreach r,$(ROOMS),$(eval $(call room,$(r),$(filter-out $(VARIANTS) $(APART),$(wildcard $(r)/*.c)))))

$(O)/rooms/%.o: build/rooms/%.c Makefile $(O)/flags | $(SKEL)
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# Objects depend on the Makefile because it has their flags, too.
$(O)/%.o: %.c Makefile $(O)/flags | $(SKEL)
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(BUILD_INFO): $(B)/%.o: %.c Makefile $(O)/flags $(B)/disasm $(B)/version
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# The tests of the room history compute statistics of thousands of made-up series. Without optimization, they would take
# minutes.
$(if $(COVERAGE)$(ASAN),$(O)/rooms/profiler/history.o): private CFLAGS_ALL += -O2

build/bpf/%.bpf.o: bpf/%.bpf.c Makefile
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<
	$(LLVM_STRIP) -g $(STRIP_$*) $@

build/bpf/%.skel.h: build/bpf/%.bpf.o
	$(BPFTOOL) gen skeleton $< name $(subst .,_,$*)_bpf > $@.tmp
	@mv $@.tmp $@

build/bpf/%.lskel.h: build/bpf/%.bpf.o
	$(BPFTOOL) gen skeleton -L $< name $(subst .,_,$*)_bpf > $@.tmp
	@mv $@.tmp $@

build/progs/%.bpf.o: tests/progs/%.bpf.c Makefile
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<
	$(LLVM_STRIP) -g $@

# Programs of several source files. In namesakes_ids.bpf.o, functions with the same name have different BTF ids.
build/progs/linked/%.o: tests/progs/linked/%.c Makefile
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<

build/progs/linked/namesakes_b_ids.o: tests/progs/linked/namesakes_b.c Makefile
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -DPARAM=y -MMD -MP -c -o $@ $<

build/progs/namesakes.bpf.o: $(patsubst %,build/progs/linked/namesakes_%.o,main a b)
build/progs/namesakes_ids.bpf.o: $(patsubst %,build/progs/linked/namesakes_%.o,main a b_ids)
build/progs/namesakes.bpf.o build/progs/namesakes_ids.bpf.o:
	$(BPFTOOL) gen object $@ $^
	$(LLVM_STRIP) -g $@

$(PROTO).c $(PROTO).h &: profiler/pprof/profile.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=profiler --c_out=$(O) $<

$(PROTO).o: $(PROTO).c Makefile $(O)/flags
	$(COMPILE) -c -o $@ $<

$(O)/rooms/profiler/pprof.o: | $(PROTO).h

# Functions of the test replace functions of bprof with the same name.
$(B)/unit/%: tests/unit/%.c $(B)/internal.a $(O)/flags | $(PROTO).h $(LIBELF_EU)
	@mkdir -p $(@D)
	$(COMPILE) -MF $@.d $(LDFLAGS_ALL) -Wl,-z,muldefs -o $@ $< $(B)/internal.a -lcmocka $(LDLIBS)

# The main function of each test file is renamed to the name of the file.
$(O)/unit/%.o: tests/unit/%.c Makefile $(O)/flags | $(SKEL) $(PROTO).h
	@mkdir -p $(@D)
	$(COMPILE) -Wno-missing-prototypes -Dmain=$(notdir $*) -c -o $@ $<
	@replaced=$$($(NM) $@ | sed -n 's/.* T //p' | grep -vx $(notdir $*)) && rm $@ && \
		echo "$<: replaces $$replaced; add it to UNIT_ALONE in Makefile" && exit 1 || true

define unit_room
$(B)/unit/$(1)/all: tests/unit/run_room.c $(2:%=$(O)/unit/%.o) $(B)/internal.a | $(LIBELF_EU)
	@mkdir -p $$(@D)
	$$(COMPILE) -MF $$@.d -DTESTS='$(foreach t,$(2),TEST($(notdir $(t))))' $$(LDFLAGS_ALL) -o $$@ $$^ -lcmocka $$(LDLIBS)
endef
$(foreach r,$(UNIT_ROOMS),$(eval $(call unit_room,$(r),$(filter $(r)/%,$(UNIT_JOINED)))))

# Checks that each header compiles alone, without other includes before it.
HEADERS := $(filter-out %.bpf.h,$(wildcard bpf/*.h)) $(wildcard btf/*.h profiler/*.h profiler/*/*.h profiler/*/*/*.h)

.PHONY: headers
headers: $(HEADERS:%=$(B)/headers/%.ok)

$(B)/headers/%.ok: % | $(SKEL)
	@mkdir -p $(@D)
	$(COMPILE) -MF $(@:.ok=.d) -MT $@ -Werror -fsyntax-only -x c $<
	@touch $@

# The tests of the room cmd run bprof.
$(B)/unit/cmd/all: | $(B)/bprof

# The findings of gcc's analyzer and of clang-tidy for each file; scripts/lint reads them. Newer versions have other
# checks and other false findings.
ANALYZER := $(firstword $(shell command -v gcc-12) $(CC))
CLANG_TIDY := $(firstword $(shell command -v clang-tidy-14) clang-tidy)
# scripts/lint sets this to the files that have changed.
ANALYZED := $(SRC)

.PHONY: analyzer clang-tidy
analyzer: $(ANALYZED:%.c=$(B)/analyzer/%.log)
clang-tidy: $(ANALYZED:%.c=$(B)/clang-tidy/%.log)
analyzer clang-tidy:
	@cat /dev/null $^

$(B)/analyzer/%.log: %.c | $(SKEL) $(PROTO).h
	@mkdir -p $(@D)
	LC_ALL=C $(ANALYZER) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -g0 -fanalyzer -Wno-analyzer-malloc-leak -fdiagnostics-plain-output \
		-MMD -MP -MF $(@:.log=.d) -MT $@ -c -o /dev/null $< 2>$@ || { cat $@; false; }

# If a header of a file changes, the analyzer checks the file again, and so clang-tidy checks it again, too.
$(B)/clang-tidy/%.log: %.c $(B)/analyzer/%.log .clang-tidy
	@mkdir -p $(@D)
	$(CLANG_TIDY) --quiet $< -- $(CPPFLAGS_ALL) -std=gnu11 >$@ 2>$(@:.log=.err) || { cat $@; false; }

.PHONY: unit unit-list
unit: $(UNIT)
unit-list:
	@printf '%s\n' $(UNIT)

include tests/tests.mk
include tests/fuzz/fuzz.mk
include tests/faults/faults.mk

.PHONY: test check check-long check-debug-kernel lint demo coverage mutation
test:
	scripts/test
check:
	scripts/check
check-long:
	scripts/check --long
check-debug-kernel:
	tests/kernel/run.sh --debug
lint:
	scripts/lint
demo:
	scripts/demo
coverage:
	scripts/coverage $(if $(KERNEL),--kernel)
mutation:
	tests/mutation/run.py

.PHONY: clean
clean:
	rm -rf build

.PHONY: version
version:
	@echo $(VERSION)

.PHONY: dist deb static release
dist deb static:
	scripts/package $@
release:
	scripts/release

# The man pages are the same for each architecture. A bprof that runs on this machine prints the parts of the pages that
# come from tables.
MAN := $(patsubst docs/man/%.in,build/man/%,$(wildcard docs/man/*.in))
MAN_BPROF := $(if $(filter $(HOST_ARCH),$(ARCH)),$(B),build/$(HOST_ARCH))/bprof
MANDIR ?= $(PREFIX)/share/man
# install-vm installs this page, together with its program.
MAN_VM := %/bprof-bench-vm.1

.PHONY: man
man: $(MAN)

build/man/%: docs/man/%.in scripts/man docs/bprof-report.schema.json VERSION $(MAN_BPROF)
	@mkdir -p $(@D)
	scripts/man $(MAN_BPROF) $< >$@

ifneq ($(ARCH),$(HOST_ARCH))
$(MAN_BPROF): FORCE | $(SKEL)
	$(MAKE) ARCH=$(HOST_ARCH) STATIC= ASAN= $@
endif

# $(call install-man,PAGES): installs each page in the directory of its section.
install-man = $(foreach p,$1,install -D -m 644 $p $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $p))/$(notdir $p) &&) :

# The directories in which the shells look for completions.
BASH_COMPLETION_DIR ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETION_DIR ?= $(PREFIX)/share/zsh/site-functions
FISH_COMPLETION_DIR ?= $(PREFIX)/share/fish/vendor_completions.d

# The directory of the unit of bprof export. Only the administrator enables the unit.
UNITDIR ?= $(PREFIX)/lib/systemd/system

.PHONY: install install-completion
install: $(B)/bprof man install-completion
	install -D -m 755 $(B)/bprof $(DESTDIR)$(PREFIX)/bin/bprof
	$(call install-man,$(filter-out $(MAN_VM),$(MAN)))
	install -d $(DESTDIR)$(UNITDIR)
	sed 's|/usr/bin/bprof|$(PREFIX)/bin/bprof|' packaging/systemd/bprof-export.service >$(DESTDIR)$(UNITDIR)/bprof-export.service
	chmod 644 $(DESTDIR)$(UNITDIR)/bprof-export.service
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/bprof packaging/prometheus/bprof-rules.yml packaging/grafana/bprof.json

install-completion:
	install -D -m 644 completion/bprof.bash $(DESTDIR)$(BASH_COMPLETION_DIR)/bprof
	install -D -m 644 completion/_bprof $(DESTDIR)$(ZSH_COMPLETION_DIR)/_bprof
	install -D -m 644 completion/bprof.fish $(DESTDIR)$(FISH_COMPLETION_DIR)/bprof.fish

# Installs bprof-bench-vm with its files for the architectures of VM_ARCHS. Kernels are downloaded on first use.
VM_ARCHS ?= arm64 x86_64
VM_DIR := $(DESTDIR)$(PREFIX)/lib/bprof

.PHONY: install-vm
install-vm: $(addprefix install-vm-,$(VM_ARCHS)) man
	$(call install-man,$(filter $(MAN_VM),$(MAN)))
	install -d $(VM_DIR) $(DESTDIR)$(PREFIX)/bin
	install -m 755 scripts/bench-vm scripts/vm scripts/vm-init scripts/fetch $(VM_DIR)/
	install -m 644 scripts/vm-splats $(VM_DIR)/
	ln -sf ../lib/bprof/bench-vm $(DESTDIR)$(PREFIX)/bin/bprof-bench-vm

# Builds a static bprof for guests of one architecture. Builds for two architectures may run at the same time. Both use
# the prerequisites, so the prerequisites are made first.
install-vm-%: | $(SKEL) $(B)/bprof man
	$(MAKE) STATIC=1 ASAN= ARCH=$* build/$*-static/bprof
	install -D -m 755 build/$*-static/bprof $(VM_DIR)/$*/bprof

.SECONDARY:
.DELETE_ON_ERROR:
-include $(shell find $(sort $(B) $(O)) build/bpf build/progs -name '*.d' 2>/dev/null)
