# release: what leaves this folder: `make install`, `make dist`, `make deb`.

# Handed down in the environment: what is in them is for no shell to read.
PREFIX ?= /usr/local
export PREFIX DESTDIR
DIST := $(BUILD)/dist
RELEASED := $(BUILD)/mlpboot.img $(BUILD)/mlpboot.iso $(BUILD)/BOOTX64.EFI $(BUILD)/mlpboot-hosted $(BUILD)/mlpboot-hosted.1 \
	$(BUILD)/mlpboot.pyz

RELEASE_PACKAGES = $(shell sh images/packages.sh --list $(PURPOSES_install))

.PHONY: released install uninstall dist dist-files dist-check deb

$(BUILD)/mlpboot-hosted.1: images/manual-page.sh $(BUILD)/mlpboot-hosted
	@echo "man   $@"
	@sh images/manual-page.sh $(BUILD)/mlpboot-hosted >$@

$(RELEASED): | packages

released: $(RELEASED)

install: packages
	+@$(BUILD_AS_OWNER) released
	@BUILD='$(BUILD)' sh images/install.sh install

uninstall:
	@BUILD='$(BUILD)' sh images/install.sh uninstall

# A release is built anew in a folder of its own: nothing that lay about gets into it.
dist: packages
	@rm -rf $(BUILD)/release
	@$(MAKE) --no-print-directory $(PARALLEL) BUILD=$(BUILD)/release DIST=$(DIST) dist-files
	@cat $(DIST)/SHA256SUMS

# Beside the sources a release has the modules that the page was made of, as they were before it was made smaller.
PAGE_MODULES := $(or $(wildcard images/prebuilt/modules),$(PAGE)/node_modules)
dist-files: $(RELEASED) prebuilt $(if $(filter images/%,$(PAGE_MODULES)),,$(PAGE)/$(MODULES))
	@echo "dist  $(DIST)"
	@CC='$(CC)' VERSION='$(VERSION)' BUILD='$(BUILD)' PAGE_MODULES='$(PAGE_MODULES)' TOOLS='$(RELEASE_PACKAGES)' bash images/dist.sh $(DIST)

# Twice, in two other folders, once by another user with another umask and language: the same sums.
dist-check:
	@bash images/dist-check.sh

# CLEAN=yes builds it in a Debian of its own.
deb: dist
	@VERSION='$(VERSION)' BUILD_PACKAGES='$(RELEASE_PACKAGES)' bash images/make-deb.sh $(DIST) $(BUILD)/deb
