# mlpboot: every command a person needs; `make help` lists them.

BUILD := build
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif

COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
CHANGED := $(shell git status --porcelain 2>/dev/null | grep -q . && echo +)
VERSION := 1.0-$(COMMIT)$(CHANGED)
# The image's dates are the commit's, so that the same commit gives the same bytes.
export SOURCE_DATE_EPOCH := $(shell git log -1 --format=%ct 2>/dev/null || echo 1700000000)

BUILD_PACKAGES := gcc binutils libc6-dev gnu-efi mtools dosfstools gdisk libsqlite3-dev libpq-dev
RUN_PACKAGES := qemu-system-x86 ovmf
TEST_PACKAGES := clang libclang-rt-14-dev clang-format libcmocka-dev python3-pytest \
	python3-pytest-xdist python3-selenium chromium chromium-driver poppler-utils bochs bochs-term \
	vgabios u-boot-qemu nbdkit postgresql sqlite3 python3-pandas python3-jsonschema

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes
# Without errno and contraction, square roots and sums come out the same on every platform.
COMMON := -std=gnu11 -O2 -g $(WARNINGS) -fno-strict-aliasing -fno-math-errno -ffp-contract=off -MMD -MP
# What is timed is generated, or among LOOPS: the rest may as well be small.
FREESTANDING := $(COMMON) -Os -ffunction-sections -fdata-sections -ffreestanding -fpic -fshort-wchar -mno-red-zone -mno-avx \
	-fno-stack-protector -fno-stack-check -fcf-protection=none -fvisibility=hidden \
	-fno-asynchronous-unwind-tables -DGNU_EFI_USE_MS_ABI \
	-isystem /usr/include/efi -isystem /usr/include/efi/x86_64
# What may run inside an exception must leave the vector registers alone.
NO_VECTORS := kernel/cpu/exceptions kernel/cpu/extable kernel/cpu/machine_check \
	kernel/cpu/msr kernel/lib/string

# Loops that are timed as the compiler makes them: the same machine code on every platform.
LOOPS := kernel/probe/walk kernel/probe/shuffle_loops

# The measurement; the rest of cpu/ and pmu/ is for ring 0, lib/string.c stands in for a libc.
CPU_PORTABLE := $(addprefix kernel/cpu/,cpuid.c processor.c hypervisor.c width.c) \
	$(addprefix kernel/pmu/,event.c schedule.c plan.c)
PORTABLE := kernel/run.c $(CPU_PORTABLE) $(filter-out kernel/lib/string.c,$(wildcard \
	$(patsubst %,kernel/%/*.c,data lib config probe engine experiments analysis report)))
EFI_SOURCES := $(filter-out kernel/config/describe.c,$(PORTABLE)) kernel/lib/string.c \
	$(filter-out $(CPU_PORTABLE),$(wildcard kernel/cpu/*.c kernel/pmu/*.c)) $(wildcard efi/*.c efi/*/*.c)
# Of efi/, what reads tables and knows no firmware.
HOSTED_SOURCES := $(PORTABLE) efi/smbios.c $(wildcard tests/hosted/*.c tests/model/*.c)

EFI_OBJECTS := $(EFI_SOURCES:%.c=$(BUILD)/efi/%.o) $(patsubst %.S,$(BUILD)/efi/%.o,$(wildcard kernel/cpu/*.S)) \
	$(BUILD)/efi/events.o $(BUILD)/efi/version.o
HOSTED_OBJECTS := $(HOSTED_SOURCES:%.c=$(BUILD)/hosted/%.o) $(BUILD)/hosted/events.o \
	$(BUILD)/hosted/version.o $(BUILD)/hosted/page_template.o

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all run test bench usb vm-matrix help clean format packages-build packages-run packages-test \
	compile-both unit fuzz machines texts pictures FORCE

all: $(BUILD)/mlpboot.img $(BUILD)/mlpboot-hosted

help:
	@echo "make              build/BOOTX64.EFI, build/mlpboot.img, build/mlpboot-hosted"
	@echo "make run          boot the image in QEMU, keep its results in build/results/latest"
	@echo "                  CONFIG=file  ACCEL=tcg|kvm  QEMU_ARGS=..."
	@echo "make vm-matrix    the image with host and guest pages large and small, under KVM"
	@echo "                  ACCEL=tcg  CPU=n  CONFIG=file"
	@echo "make check        unit tests, warnings of both compilers, layout, walls: within a minute"
	@echo "make test         every test"
	@echo "make bench        the published protocol against ours, on this processor"
	@echo "make usb DEV=/dev/sdX   write the image to a stick, after asking"
	@echo "make fuzz         one minute of fuzzing the configuration parser (SECONDS=n)"
	@echo "make truths       120 settings of the modelled processor, against what is found (SETTINGS=n)"
	@echo "make coverage     200 cores of that model, with vices: how many answers are right, and how many"
	@echo "                  intervals hold the truth (CORES=n  SEED=n  COVERAGE_ARGS=...)"
	@echo "make pairs        40 pairs of runs of this processor, each compared: nothing should be different"
	@echo "                  (RUNS=n  PAIRS_ARGS=\"--on model\")"
	@echo "make replay       12000 states at most that a power cut may leave of a disk: what was called saved is there"
	@echo "                  (STATES=n  SEED=n  REPLAY_ARGS=\"--disk virtio\")"
	@echo "make pictures     README's pictures anew: the page of a run on this processor, and the last screen"
	@echo "make texts        write mlpboot.cfg and the manual's table anew from the table of keys"
	@echo "make format       lay out the sources as .clang-format says"
	@echo "make clean        remove build/"

# --- packages: each command installs what it needs -------------------------------------------

packages-build:
	@sh images/packages.sh $(BUILD_PACKAGES)
packages-run: packages-build
	@sh images/packages.sh $(RUN_PACKAGES)
packages-test: packages-run
	@sh images/packages.sh $(TEST_PACKAGES)

# --- the image -------------------------------------------------------------------------------

$(BUILD)/version.c: FORCE
	@mkdir -p $(@D)
	@echo '#include "kernel/run.h"' >$@.new
	@echo 'const char mlpboot_version[] = "$(VERSION)";' >>$@.new
	@cmp -s $@.new $@ || cp $@.new $@
	@rm $@.new

# The table of events.
$(BUILD)/events.c: kernel/pmu/events.csv kernel/pmu/events.awk
	@mkdir -p $(@D)
	@echo "awk   $<"
	@LC_ALL=C awk -f kernel/pmu/events.awk $< >$@

$(NO_VECTORS:%=$(BUILD)/efi/%.o): FREESTANDING += -mgeneral-regs-only
$(LOOPS:%=$(BUILD)/efi/%.o): FREESTANDING += -O2 -fno-function-sections

$(BUILD)/efi/%.o: %.c | packages-build
	@mkdir -p $(@D)
	@echo "cc    $<"
	@$(CC) $(FREESTANDING) -c $< -o $@

$(BUILD)/efi/%.o: %.S | packages-build
	@mkdir -p $(@D)
	@echo "as    $<"
	@$(CC) -c $< -o $@

$(BUILD)/efi/events.o $(BUILD)/efi/version.o: $(BUILD)/efi/%.o: $(BUILD)/%.c | packages-build
	@mkdir -p $(@D)
	@echo "cc    $<"
	@$(CC) $(FREESTANDING) -I. -c $< -o $@

# GNU ld by name: others lay relocations out in a way that the self-relocator does not read.
define link-application
@echo "link  $@"
@ld.bfd -nostdlib -shared --gc-sections -Bsymbolic -znocombreloc --no-undefined -z noexecstack \
	-T linker/mlpboot.lds /usr/lib/crt0-efi-x86_64.o $(filter %.o,$^) /usr/lib/libgnuefi.a -o $@
endef
define copy-application
@echo "copy  $@"
@objcopy --strip-all -j .text -j .rodata -j .reloc -j .data -j .bss -j .dynamic -j .rela \
	--target efi-app-x86_64 --subsystem 10 --file-alignment 4096 --section-alignment 4096 $< $@
@sh images/nx-compat.sh $@
endef

$(BUILD)/mlpboot.so: $(EFI_OBJECTS) linker/mlpboot.lds
	$(link-application)

$(BUILD)/BOOTX64.EFI: $(BUILD)/mlpboot.so images/nx-compat.sh
	$(copy-application)

# What comes from the npm registry, pinned by a lockfile: build/NAME/node_modules of what FOLDER names.
MODULES := node_modules/.package-lock.json
define modules
build/$(1)/$(MODULES): $(2)/package.json $(2)/package-lock.json
	@sh images/packages.sh --tool npm nodejs npm
	@mkdir -p build/$(1)
	@echo "npm   build/$(1)"
	@cp $$^ build/$(1) && cd build/$(1) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
endef

# The page of report.html: one file, by esbuild and uPlot; the same for every compiler.
PAGE := build/page
$(eval $(call modules,page,images/page))
$(PAGE).html: $(wildcard images/page/* images/page/*/*) $(PAGE)/$(MODULES)
	@echo "page  $@"
	@node images/page/build.mjs $(PAGE)/node_modules $@

ON_STICK := $(BUILD)/BOOTX64.EFI images/mlpboot.cfg images/MANUAL.md $(PAGE).html \
	images/run.schema.json
$(BUILD)/mlpboot.img: $(ON_STICK) images/make-image.sh
	@echo "image $@"
	@sh images/make-image.sh $(ON_STICK) $@

run: packages-run all
	@bash images/run.sh

vm-matrix: packages-run all
	@bash images/vm-matrix.sh

usb: all
	@bash images/write-usb.sh "$(DEV)" $(BUILD)/mlpboot.img

# --- the Linux process -----------------------------------------------------------------------

$(LOOPS:%=$(BUILD)/hosted/%.o): COMMON := $(FREESTANDING) -O2 -fno-function-sections

$(BUILD)/hosted/%.o: %.c | packages-build
	@mkdir -p $(@D)
	@echo "cc    $<"
	@$(CC) $(COMMON) -c $< -o $@

$(BUILD)/hosted/events.o $(BUILD)/hosted/version.o: $(BUILD)/hosted/%.o: $(BUILD)/%.c
	@mkdir -p $(@D)
	@echo "cc    $<"
	@$(CC) $(COMMON) -I. -c $< -o $@

# The page, to which the command adds what it measures.
$(BUILD)/hosted/page_template.o: tests/hosted/page_template.S $(PAGE).html
	@mkdir -p $(@D)
	@echo "as    $<"
	@$(CC) -DPAGE_TEMPLATE='"$(PAGE).html"' -c $< -o $@

$(BUILD)/mlpboot-hosted: $(HOSTED_OBJECTS)
	@echo "link  $@"
	@$(CC) $^ -o $@ -lm -pthread

# The bench has the hosted command's parts, but for its commands.
BENCH_OBJECTS := $(filter-out %/main.o $(BUILD)/hosted/tests/hosted/command_%.o, \
	$(HOSTED_OBJECTS)) $(BUILD)/hosted/tests/bench/bench.o
$(BUILD)/mlpboot-bench: $(BENCH_OBJECTS)
	@echo "link  $@"
	@$(CC) $^ -o $@ -lm -pthread

bench: $(BUILD)/mlpboot-bench
	$(BUILD)/mlpboot-bench $(BENCH_ARGS)

# --- tests -----------------------------------------------------------------------------------

include tests/tests.mk

# --- what comes from the table of keys ---------------------------------------------------------

TEXTS_OBJECTS := $(addprefix $(BUILD)/hosted/,tests/texts/texts.o kernel/config/describe.o \
	kernel/config/keys.o kernel/config/value.o kernel/data/case.o kernel/data/core_choice.o \
	kernel/lib/text.o kernel/lib/url.o kernel/lib/utf8.o)

$(BUILD)/texts: $(TEXTS_OBJECTS)
	@echo "link  $@"
	@$(CC) $^ -o $@

texts: $(BUILD)/texts
	@$(BUILD)/texts file >$(BUILD)/mlpboot.cfg && cp $(BUILD)/mlpboot.cfg images/mlpboot.cfg
	@$(BUILD)/texts table >$(BUILD)/keys.md
	@sh images/put-between.sh images/MANUAL.md keys $(BUILD)/keys.md

# README's pictures: the page of a run on this processor, and the last screen in QEMU.
pictures: packages-test all
	@sh images/packages.sh pngquant
	@/usr/bin/python3 -B tests/machines/pictures.py $(RUN)

# ------------------------------------------------------------------------------------------------

format:
	@sh images/packages.sh clang-format
	@clang-format -i $(SOURCES)

clean:
	rm -rf $(BUILD)

-include $(EFI_OBJECTS:.o=.d) $(HOSTED_OBJECTS:.o=.d) $(WATCH_OBJECTS:.o=.d) \
	$(TEXTS_OBJECTS:.o=.d)
