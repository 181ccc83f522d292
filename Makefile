# mlpboot: every command a person needs; `make help` lists them.

BUILD := build
ifeq ($(origin CC),default)
CC := gcc
endif
# Tools and files that lie elsewhere, or have another name.
LD := ld.bfd
OBJCOPY := objcopy
EFI_INCLUDE := /usr/include/efi
# Python's modules are Debian's, so it is Debian's Python.
PYTHON := $(or $(wildcard /usr/bin/python3),python3)
export CC CPPFLAGS LD OBJCOPY EFI_INCLUDE PYTHON

# What a person gives to a command: `make NAME=value`. Variables of these names in the environment are other people's.
OPTIONS := DEV IMAGE SIZE CONFIG KEY CERT SHIM FIRMWARE QEMU ACCEL TIMEOUT RESULTS_DIR QEMU_ARGS CPU CLEAN BENCH_ARGS COVERAGE_ARGS \
	PAIRS_ARGS REPLAY_ARGS FIRMWARES_ARGS SYSTEMS_ARGS CONSTANTS_ARGS NAME SECONDS SAMPLE SEED ALL JOBS ONLY NOT MACHINES SETTINGS CORES RUNS STATES DEBUG
$(foreach option,$(OPTIONS),$(if $(filter environment%,$(origin $(option))),$(eval override $(option) :=)))

# Some environments have an INSTALL that names a program.
ifneq ($(and $(filter environment%,$(origin INSTALL)),$(filter-out no skip,$(INSTALL))),)
override INSTALL :=
endif

# Which sources these are: `make dist` writes that into .version; in a repository git knows it. Of a
# repository around this folder nothing is asked; and who owns this one, for sudo's sake, neither.
ifneq ($(wildcard .version),)
VERSION := $(shell sed -n 1p .version)
COMMITTED := $(shell sed -n 2p .version)
else ifneq ($(wildcard .git),)
GIT := git -c safe.directory="$(CURDIR)"
VERSION := 1.0-$(shell $(GIT) rev-parse --short=12 HEAD 2>/dev/null || echo unknown)$(shell \
	$(GIT) status --porcelain 2>/dev/null | grep -q . && echo +)
COMMITTED := $(shell $(GIT) log -1 --format=%ct 2>/dev/null)
else
# An archive that git made: git put the commit and its date in there.
ARCHIVED := $(if $(findstring Format,$(file <images/archived)),,$(file <images/archived))
VERSION := $(if $(ARCHIVED),1.0-$(shell echo $(ARCHIVED) | cut -c 1-12))
COMMITTED := $(word 2,$(ARCHIVED))
endif
VERSION := $(or $(VERSION),1.0-unknown)
# The image's dates are the commit's, so that the same commit gives the same bytes.
SOURCE_DATE_EPOCH ?= $(or $(COMMITTED),1700000000)
export SOURCE_DATE_EPOCH

# Each command's purposes, by which images/packages.sh knows the packages.
PURPOSES_all := hosted image
PURPOSES_$(BUILD)/mlpboot-hosted := hosted
PURPOSES_bench := hosted
PURPOSES_iso := hosted image iso
PURPOSES_run := hosted image run
PURPOSES_vm-matrix := hosted image run
PURPOSES_sign := hosted image sign
PURPOSES_image := hosted image $(if $(KEY)$(CERT),sign)
PURPOSES_install := hosted image iso
PURPOSES_dist := hosted image iso $(if $(wildcard images/prebuilt/modules),,page)
PURPOSES_deb = $(PURPOSES_dist) deb $(if $(CLEAN),clean)
PURPOSES_unit := hosted unit
PURPOSES_unit-plain := hosted unit
PURPOSES_covered := hosted unit covered
PURPOSES_check := hosted unit check
PURPOSES_format := check
PURPOSES_constants := hosted
PURPOSES_stored := hosted
PURPOSES_fuzz := hosted fuzz test
PURPOSES_test := hosted image iso run unit check lint fuzz machines test
PURPOSES_pictures := $(PURPOSES_test) pictures
PURPOSES_systems := roots
PURPOSES_container = $(PURPOSES_dist) container
$(foreach command,machines truths coverage mutants pairs replay faults firmwares properties compile-both,\
	$(eval PURPOSES_$(command) := $(PURPOSES_test)))
# A make that this one starts has the same packages; whatever is no command here is built with those of `make`.
WANTED := $(filter-out $(MAKE_PURPOSES),$(sort $(foreach goal,$(or $(MAKECMDGOALS),all),\
	$(or $(PURPOSES_$(goal)),$(if $(filter run-%,$(goal)),$(PURPOSES_unit),$(PURPOSES_all))))))
export MAKE_PURPOSES := $(sort $(MAKE_PURPOSES) $(WANTED))

# Who builds a release, or with flags of his own, has a compiler that nobody here has tried: a warning
# does not stop him.
WARNINGS := -Wall -Wextra $(if $(wildcard .version)$(CFLAGS),,-Werror) -Wshadow -Wstrict-prototypes -Wmissing-prototypes
# Without errno and contraction, square roots and sums come out the same on every platform.
NEEDED := -std=gnu11 $(WARNINGS) -fno-strict-aliasing -fno-math-errno -ffp-contract=off \
	-ffile-prefix-map="$(CURDIR)"=. -MMD -MP
COMMON := -O2 -g $(NEEDED)
# The Linux process takes CPPFLAGS, CFLAGS, LDFLAGS and LDLIBS as they are given. The image, and the
# loops that are timed, take of CFLAGS what changes no instruction: they are what is measured.
CFLAGS ?= -O2 -g
HOSTED := $(CPPFLAGS) $(CFLAGS) $(NEEDED)
# Newer gnu-efi makes CHAR16 of wchar_t.
EFI_HEADERS := -DGNU_EFI_USE_MS_ABI -fshort-wchar -isystem $(EFI_INCLUDE) -isystem $(EFI_INCLUDE)/x86_64
# What is timed is generated, or among LOOPS: the rest may as well be small.
FREESTANDING := $(COMMON) $(filter -g% -ffile-prefix-map=% -fdebug-prefix-map=%,$(CFLAGS)) -Os -ffunction-sections -fdata-sections -ffreestanding -fpic -mno-red-zone -mno-avx \
	-fno-stack-protector -fno-stack-check -fcf-protection=none -fvisibility=hidden \
	-fno-asynchronous-unwind-tables $(EFI_HEADERS)
# What may run inside an exception must leave the vector registers alone.
NO_VECTORS := kernel/cpu/exceptions kernel/cpu/machine_check \
	kernel/cpu/msr kernel/lib/string

# Loops that are timed as the compiler makes them: the same machine code on every platform.
LOOPS := kernel/probe/pattern_loops kernel/probe/shuffle_loops

# The measurement; the rest of cpu/ and pmu/ is for ring 0, lib/string.c stands in for a libc.
CPU_PORTABLE := $(addprefix kernel/cpu/,cpuid.c processor.c) \
	$(addprefix kernel/pmu/,event.c schedule.c plan.c)
PORTABLE := kernel/run.c $(CPU_PORTABLE) $(filter-out kernel/lib/string.c,$(wildcard \
	$(patsubst %,kernel/%/*.c,data lib config probe engine experiments experiments/* analysis report)))
EFI_SOURCES := $(PORTABLE) kernel/lib/string.c \
	$(filter-out $(CPU_PORTABLE),$(wildcard kernel/cpu/*.c kernel/pmu/*.c)) $(wildcard efi/*.c efi/*/*.c)
# Of efi/, what reads tables and knows no firmware.
HOSTED_SOURCES := $(PORTABLE) efi/smbios.c $(wildcard tests/hosted/*.c tests/model/*.c)

EFI_OBJECTS := $(EFI_SOURCES:%.c=$(BUILD)/efi/%.o) $(patsubst %.S,$(BUILD)/efi/%.o,$(wildcard kernel/cpu/*.S)) \
	$(BUILD)/efi/events.o $(BUILD)/efi/version.o
HOSTED_OBJECTS := $(HOSTED_SOURCES:%.c=$(BUILD)/hosted/%.o) $(BUILD)/hosted/events.o \
	$(BUILD)/hosted/version.o $(BUILD)/hosted/page_template.o

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all built run test bench iso usb image sign signed-image vm-matrix help clean format packages compile-both unit fuzz machines \
	texts prebuilt pictures FORCE

# As many jobs as there are processors, unless the caller said how many.
PARALLEL = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
# With sudo, as for `make usb`, the build stays the person's own.
AS_OWNER := $(if $(and $(SUDO_UID),$(filter 0,$(shell id -u)),$(filter $(SUDO_UID),$(shell stat -c %u .))),\
	setpriv --reuid=$(SUDO_UID) --regid=$(SUDO_GID) --init-groups)

BUILD_AS_OWNER = $(AS_OWNER) $(MAKE) --no-print-directory $(PARALLEL)

ifneq ($(wildcard $(BUILD)),)
ifneq ($(shell test -w $(BUILD) || echo no),)
$(error $(BUILD) belongs to another user: sudo chown -R $(shell id -un) $(BUILD))
endif
endif

all: packages
	+@$(BUILD_AS_OWNER) built

built: $(BUILD)/mlpboot.img $(BUILD)/mlpboot-hosted $(BUILD)/mlpboot.pyz

help:
	@echo "make              build/BOOTX64.EFI, build/mlpboot.img, build/mlpboot-hosted"
	@echo "make run          boot the image in QEMU, keep its results in build/results/latest"
	@echo "                  CONFIG=file  FIRMWARE=OVMF.fd  QEMU=program  ACCEL=tcg|kvm  TIMEOUT=seconds  QEMU_ARGS=..."
	@echo "make vm-matrix    the image with host and guest pages large and small, under KVM"
	@echo "                  ACCEL=tcg  CPU=n  CONFIG=file"
	@echo "make check        unit tests, warnings of both compilers, layout, walls, names, statics: within a minute"
	@echo "make test         every test"
	@echo "make bench        the published protocol against ours, on this processor"
	@echo "make usb DEV=/dev/sdX   make a stick of the image, after asking; SIZE=512M  CONFIG=file  IMAGE=file"
	@echo "make image        build/stick.img, a stick as a file for other programs; SIZE=512M  CONFIG=file"
	@echo "make iso          build/mlpboot.iso, for virtual media and for burning; CONFIG=file  IMAGE=file"
	@echo "make sign KEY=db.key CERT=db.crt   for Secure Boot: build/signed/BOOTX64.EFI and build/signed/mlpboot.img,"
	@echo "                  signed with a key of your own"
	@echo "make image SHIM=/usr/lib/shim KEY=... CERT=...   the same, started by a distribution's signed shim"
	@echo "make fuzz         each parser is fuzzed for 20 seconds (SECONDS=n  NAME=one)"
	@echo "make systems      builds and tests in fresh roots of Debian 12, 13 and sid, as root, as a user, with clang, from the"
	@echo "                  archive of a release (SYSTEMS_ARGS=\"--releases trixie --rows root\")"
	@echo "make container    builds the container of a release, of Debian 12, and boots the image in it (as root)"
	@echo "make covered      branches of kernel and efi that the unit tests come to"
	@echo "make mutants      60 small changes of kernel/ and efi/: do the units see each? (SAMPLE=n  SEED=n"
	@echo "                  ALL=1  JOBS=n  ONLY=folder  NOT=folder  MACHINES=1 boots them, too)"
	@echo "make truths       120 settings of the modelled processor, against what is found (SETTINGS=n)"
	@echo "make coverage     200 cores of that model, with vices: how many answers are right, and how many"
	@echo "                  intervals hold the truth (CORES=n  SEED=n  COVERAGE_ARGS=...)"
	@echo "make pairs        40 pairs of runs of this processor, each compared: nothing should be different"
	@echo "                  (RUNS=n  PAIRS_ARGS=\"--on model\")"
	@echo "make replay       12000 states at most that a power cut may leave of a disk: what was called saved is there"
	@echo "                  (STATES=n  SEED=n  REPLAY_ARGS=\"--disk virtio\")"
	@echo "make faults       each firmware call of a boot ends badly once: the run ends in order, or is cut and the next knows"
	@echo "                  (SEED=n  FAULTS_ARGS=\"--only GetTime\"; outcomes are kept in build/faults)"
	@echo "make firmwares    the image on edk2 and U-Boot of Debian's newer suites, which are fetched, not installed:"
	@echo "                  done, registers as before, volume whole (FIRMWARES_ARGS=\"--only 'U-Boot'\")"
	@echo "make pictures     README's pictures anew, from stored runs"
	@echo "make prebuilt     the page ready made, anew, after a change of images/page"
	@echo "make texts        write mlpboot.cfg and the manual's table anew from the table of keys"
	@echo "make install      what was built, below PREFIX (/usr/local), and DESTDIR before that; make uninstall"
	@echo "make dist         a release in build/dist: image, commands, manual, sources, checksums, SBOM"
	@echo "make dist-check   three of them, made differently: their checksums have to be the same"
	@echo "make deb          a Debian package of that release in build/deb; CLEAN=yes: in a Debian of its own"
	@echo "make format       lay out the sources as .clang-format says"
	@echo "make clean        remove build/"
	@echo "INSTALL=no|skip   with any of them: install nothing, and list what is missing, or go on without it"
	@echo "FIRMWARE=file QEMU=program EFI_INCLUDE=folder CC= LD= OBJCOPY=   what lies elsewhere, or has another name"

# --- packages: each command installs what it needs, before anything else ---------------------

packages:
	@$(if $(strip $(WANTED)),sh images/packages.sh $(WANTED))

# --- the image -------------------------------------------------------------------------------

define NEWLINE


endef
HASH := \#
# Writes a file only if its content changes. Several makes may do so at the same time.
define write-if-new
@mkdir -p $(@D)
@new=$$(mktemp $@.XXXXXX) && printf '%s\n' "$$WRITTEN" >$$new && { cmp -s $$new $@ || cp $$new $@; } && rm $$new
endef

$(BUILD)/version.c: export WRITTEN = $(HASH)include "kernel/run.h"$(NEWLINE)const char mlpboot_version[] = "$(VERSION)";
$(BUILD)/version.c: FORCE
	$(write-if-new)

# Other compilers or flags make everything anew. The text is made here, since some targets have flags of their own.
FLAGS := $(CC) $(shell $(CC) -dumpfullversion 2>&1) $(HOSTED) $(FREESTANDING) $(DEBUG) $(LDFLAGS) $(LDLIBS) $(LD) $(OBJCOPY)
$(BUILD)/flags: export WRITTEN = $(FLAGS)
$(BUILD)/flags: FORCE | packages
	$(write-if-new)

# Compiling from nothing says each folder once, later each file.
IS_FRESH := $(if $(wildcard $(BUILD)/flags),,yes)
folder-of = $(word 1,$(subst /, ,$(1)))$(if $(word 3,$(subst /, ,$(1))),/$(word 2,$(subst /, ,$(1))))
say-once = $(if $(filter $(1):$(2),$(SAID)),,$(eval SAID += $(1):$(2))echo "cc    $(1) ($(2))";)
say-compiling = $(if $(IS_FRESH),$(call say-once,$(call folder-of,$<),$(1)),echo "cc    $<";)

# What shim knows the application by. Its generation (the second field) goes up with a release that mends
# a fault by which code could run that nobody signed; shim's SBAT.md has the rules.
$(BUILD)/sbat.csv: images/sbat.csv $(BUILD)/version.c
	@sed 's/VERSION/$(VERSION)/' $< >$@

# The table of events.
$(BUILD)/events.c: kernel/pmu/events.csv kernel/pmu/events.awk
	@mkdir -p $(@D)
	@echo "awk   $<"
	@LC_ALL=C awk -f kernel/pmu/events.awk $< >$@

$(NO_VECTORS:%=$(BUILD)/efi/%.o): FREESTANDING += -mgeneral-regs-only
$(LOOPS:%=$(BUILD)/efi/%.o): FREESTANDING += -O2 -fno-function-sections

$(BUILD)/efi/%.o: %.c $(BUILD)/flags | packages
	@$(call say-compiling,image)mkdir -p $(@D) && $(CC) $(FREESTANDING) -c $< -o $@

$(BUILD)/efi/%.o: %.S $(BUILD)/flags | packages
	@$(call say-compiling,image)mkdir -p $(@D) && $(CC) -c $< -o $@

$(BUILD)/efi/events.o $(BUILD)/efi/version.o: $(BUILD)/efi/%.o: $(BUILD)/%.c $(BUILD)/flags | packages
	@mkdir -p $(@D) && $(CC) $(FREESTANDING) -I. -c $< -o $@

# GNU ld by name: it writes addresses into what is to be relocated, and its script language is ours.
define link-application
@echo "link  $@"
@$(LD) -nostdlib -shared --gc-sections -Bsymbolic -znocombreloc --no-undefined -z noexecstack \
	-T linker/mlpboot.lds $(filter %.o,$^) -o $@
endef
# Alignment in the file is what every loader takes: AMI's with Secure Boot took no other (fwupd-efi #40).
COPY_NEEDS := $(BUILD)/sbat.csv images/base-relocations.sh images/nx-compat.sh
define copy-application
@echo "copy  $@"
@sh images/base-relocations.sh $< >$@.reloc
@$(OBJCOPY) --strip-all -j .text -j .rodata -j .data -j .bss -j .sbat -j .reloc \
	--set-section-flags .rodata=contents,alloc,load,readonly,data \
	--update-section .sbat=$(BUILD)/sbat.csv --update-section .reloc=$@.reloc \
	-O efi-app-x86_64 --subsystem 10 --file-alignment 512 --section-alignment 4096 $< $@
@sh images/nx-compat.sh $@
endef

$(BUILD)/mlpboot.so: $(EFI_OBJECTS) linker/mlpboot.lds
	$(link-application)

$(BUILD)/BOOTX64.EFI: $(BUILD)/mlpboot.so $(COPY_NEEDS)
	$(copy-application)

# What comes from the npm registry, pinned by a lockfile: NAME/node_modules of what FOLDER names.
MODULES := node_modules/.package-lock.json
define modules
$(BUILD)/$(1)/$(MODULES): $(2)/package.json $(2)/package-lock.json
	@sh images/packages.sh page
	@mkdir -p $$(@D)
	@echo "npm   $(BUILD)/$(1)"
	@cp $$^ $(BUILD)/$(1) && cd $(BUILD)/$(1) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || \
		{ echo "$(2): npm could not fetch what package-lock.json lists; the page is ready made as long as images/page is as it was"; exit 1; }
endef

# The page of report.html: one file, by esbuild and modules of d3; the same for every compiler.
PAGE := $(BUILD)/page
$(eval $(call modules,page,images/page))
PAGE_SOURCES := $(wildcard images/page/*.* images/page/*/*.*)
# The page is here ready made. It is taken as long as nothing that it was made of is another.
ifneq ($(shell sha256sum --status -c images/prebuilt/page.sha256 2>/dev/null && echo same),)
$(PAGE).html: images/prebuilt/page.html $(PAGE_SOURCES)
	@mkdir -p $(@D)
	@cp $< $@
else
$(PAGE).html: $(PAGE_SOURCES) $(PAGE)/$(MODULES)
	@echo "page  $@"
	@node images/page/build.mjs $(PAGE)/node_modules $@
endif

# The data tool: one file that Python runs.
TOOL := $(BUILD)/mlpboot.pyz
$(TOOL): $(wildcard images/tool/*.py images/tool/mlpboot/*.py) images/page/conditions.csv $(PAGE).html $(BUILD)/version.c | packages
	@echo "zip   $@"
	@$(PYTHON) -B images/tool/make.py $@ '$(VERSION)' $(PAGE).html

# The manual: one file of all its texts.
MANUAL := $(BUILD)/manual.html
$(MANUAL): images/manual.py $(wildcard images/manual/*.md) | packages
	@mkdir -p $(@D)
	@echo "html  $@"
	@$(PYTHON) -B images/manual.py $@

ON_STICK := $(BUILD)/BOOTX64.EFI $(PAGE).html images/run.schema.json $(TOOL) $(MANUAL) \
	$(addprefix images/,mlpboot.cfg LICENCE NOTICES.md)
MAKE_IMAGE := images/lay-out.sh images/make-image.sh images/fill-volume.sh images/bios-note.sh
$(BUILD)/mlpboot.img: $(ON_STICK) $(MAKE_IMAGE)
	@echo "image $@"
	@SHIM= CERTIFICATE= sh images/lay-out.sh $(BUILD)/on-stick $(ON_STICK)
	@sh images/make-image.sh $(BUILD)/on-stick $@

# What a person types is handed to commands by the environment: in a recipe's text a shell would run it.
GIVEN := $(foreach option,$(OPTIONS),$(if $($(option)),$(option)))
export $(GIVEN)
unexport $(filter-out $(GIVEN),$(OPTIONS))

# For Secure Boot, with a key of one's own. Shim, where it is given, starts what is signed.
SIGNED := $(BUILD)/signed
$(SIGNED)/BOOTX64.EFI: $(BUILD)/BOOTX64.EFI images/sign.sh $(if $(KEY)$(CERT)$(filter sign,$(MAKECMDGOALS)),FORCE)
	@sh images/packages.sh sign
	@echo "sign  $@"
	@sh images/sign.sh $< $(@D)

signed-image: $(SIGNED)/BOOTX64.EFI $(ON_STICK) $(MAKE_IMAGE)
	@echo "image $(SIGNED)/mlpboot.img"
	@CERTIFICATE=$(SIGNED)/mlpboot.cer sh images/lay-out.sh $(SIGNED)/on-stick $< $(filter-out %.EFI,$(ON_STICK))
	@sh images/make-image.sh $(SIGNED)/on-stick $(SIGNED)/mlpboot.img

sign: export SHIM :=
sign: signed-image
image: all $(if $(SHIM)$(KEY)$(CERT),signed-image)
	@rm -f $(BUILD)/stick.img
	@IMAGE=$(if $(SHIM)$(KEY)$(CERT),$(SIGNED),$(BUILD))/mlpboot.img bash images/write-usb.sh --file $(BUILD)/stick.img

ifneq ($(and $(filter command,$(origin CONFIG)),$(filter sign,$(MAKECMDGOALS))),)
$(error CONFIG=$(CONFIG) is not for make sign; make image, usb, iso, run and vm-matrix take it)
endif

MAKE_ISO := HOSTED=$(BUILD)/mlpboot-hosted sh images/make-iso.sh
iso: all
	@$(MAKE_ISO) "$${IMAGE:-$(BUILD)/mlpboot.img}" $(BUILD)/mlpboot.iso || { \
		[ ! -e $(BUILD)/mlpboot.iso ] || echo "$(BUILD)/mlpboot.iso is still the older one"; exit 1; }
	@echo "iso   $(BUILD)/mlpboot.iso"

# Installed and released is the image's own, whatever was asked for before: it is made anew each time.
$(BUILD)/mlpboot.iso: $(BUILD)/mlpboot.img $(BUILD)/mlpboot-hosted FORCE
	@echo "iso   $@"
	@CONFIG= $(MAKE_ISO) $(BUILD)/mlpboot.img $@

run: all
	@bash images/run.sh

vm-matrix: all
	@bash images/vm-matrix.sh

usb: all
	@bash images/write-usb.sh

# --- the Linux process -----------------------------------------------------------------------

$(LOOPS:%=$(BUILD)/hosted/%.o): HOSTED := $(FREESTANDING) -O2 -fno-function-sections

$(BUILD)/hosted/%.o: %.c $(BUILD)/flags | packages
	@$(call say-compiling,Linux)mkdir -p $(@D) && $(CC) $(HOSTED) -c $< -o $@

$(BUILD)/hosted/events.o $(BUILD)/hosted/version.o: $(BUILD)/hosted/%.o: $(BUILD)/%.c $(BUILD)/flags | packages
	@mkdir -p $(@D) && $(CC) $(HOSTED) -I. -c $< -o $@

# The page, to which the command adds what it measures.
$(BUILD)/hosted/page_template.o: tests/hosted/page_template.S $(PAGE).html $(BUILD)/flags | packages
	@mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -DPAGE_TEMPLATE='"$(PAGE).html"' -c $< -o $@

$(BUILD)/mlpboot-hosted: $(HOSTED_OBJECTS)
	@echo "link  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ -lm -pthread $(LDLIBS)

# The bench, and the program that prints a stored run's last page, have the hosted command's parts, but for its commands.
COMMAND_PARTS := $(filter-out %/main.o $(BUILD)/hosted/tests/hosted/command_%.o,$(HOSTED_OBJECTS))
$(BUILD)/mlpboot-bench: $(BUILD)/hosted/tests/bench/bench.o
$(BUILD)/last-page: $(BUILD)/hosted/tests/texts/last_page.o
$(BUILD)/texts: $(BUILD)/hosted/tests/texts/texts.o
$(BUILD)/mlpboot-bench $(BUILD)/last-page $(BUILD)/texts: $(COMMAND_PARTS)
	@echo "link  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ -lm -pthread $(LDLIBS)

bench: packages $(BUILD)/mlpboot-bench $(BUILD)/overlap
	$(BUILD)/mlpboot-bench $(BENCH_ARGS)
	$(BUILD)/overlap $(OVERLAP_KB)

# Nothing of ours is in it.
OVERLAP_KB := 192 512 4096 524288 1048576
$(BUILD)/overlap: tests/bench/overlap.c | packages
	@mkdir -p $(@D) && $(CC) -std=gnu11 -O2 -Wall -Wextra -Werror $< -o $@

# --- what leaves this folder -------------------------------------------------------------------

include images/release.mk

# --- tests -----------------------------------------------------------------------------------

include tests/tests.mk

# --- what comes from tables of the source -------------------------------------------------------

# Of each table: the text of the manual, and what prints it.
MANUAL_TABLES := reference:keys reference:verdicts reference:reasons \
	methods:agreement published:table-6-1 published:arrays published:shuffle published:walks
print_table = case $(1) in reference:*) $(BUILD)/texts $${table$(HASH)$(HASH)*:} ;; *) $(PYTHON) -B images/references.py $${table$(HASH)$(HASH)*:} ;; esac

texts: $(BUILD)/texts
	@$(BUILD)/texts file >$(BUILD)/mlpboot.cfg && cp $(BUILD)/mlpboot.cfg images/mlpboot.cfg
	@$(PYTHON) -B images/references.py page >images/page/references.csv
	@for table in $(MANUAL_TABLES); do $(call print_table,$$table) >$(BUILD)/table.md && \
		sh images/put-between.sh images/manual/$${table%:*}.md $${table##*:} $(BUILD)/table.md || exit; done

# The page ready made: for who builds without the npm registry, after its sources were changed.
prebuilt: $(PAGE).html
	@mkdir -p images/prebuilt
	@cmp -s $< images/prebuilt/page.html || cp $< images/prebuilt/page.html
	@find images/page -type f | LC_ALL=C sort | xargs sha256sum >images/prebuilt/page.sha256

# README's pictures, from stored runs.
pictures: built $(BUILD)/last-page
	@$(PYTHON) -B tests/machines/pictures.py

# ------------------------------------------------------------------------------------------------

format: packages
	@$(if $(CLANG_FORMAT),$(CLANG_FORMAT) -i $(SOURCES), \
		echo "make format: the layout is that of clang-format $(FORMAT_VERSION), not of $$(clang-format --version)" >&2; exit 1)

clean:
	rm -rf $(BUILD)

-include $(EFI_OBJECTS:.o=.d) $(HOSTED_OBJECTS:.o=.d) $(WATCH_OBJECTS:.o=.d) \
	$(addprefix $(BUILD)/hosted/tests/,texts/texts.d texts/last_page.d bench/bench.d)
