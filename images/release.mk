# release: what leaves this folder: `make install`, `make dist`, `make deb`.

# Handed down in the environment: what is in them is for no shell to read.
PREFIX ?= /usr/local
export PREFIX DESTDIR
DIST := $(BUILD)/dist
RELEASED := $(BUILD)/mlpboot.img $(BUILD)/mlpboot.iso $(BUILD)/BOOTX64.EFI $(BUILD)/mlpboot-hosted $(BUILD)/mlpboot-hosted.1 \
	$(BUILD)/mlpboot.pyz

RELEASE_PACKAGES := $(BUILD_PACKAGES) $(ISO_PACKAGES)

.PHONY: packages-release install uninstall dist dist-files dist-check deb

$(BUILD)/mlpboot-hosted.1: images/manual-page.sh $(BUILD)/mlpboot-hosted
	@echo "man   $@"
	@sh images/manual-page.sh $(BUILD)/mlpboot-hosted >$@

packages-release:
	@sh images/packages.sh $(RELEASE_PACKAGES)

$(RELEASED): | packages-release

install: $(RELEASED)
	@BUILD='$(BUILD)' sh images/install.sh install

uninstall:
	@BUILD='$(BUILD)' sh images/install.sh uninstall

# A release is built anew in a folder of its own: nothing that lay about gets into it.
dist:
	@rm -rf $(BUILD)/release
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/release DIST=$(DIST) dist-files
	@cat $(DIST)/SHA256SUMS

dist-files: $(RELEASED)
	@sh images/packages.sh python3
	@echo "dist  $(DIST)"
	@CC='$(CC)' VERSION='$(VERSION)' BUILD='$(BUILD)' TOOLS='$(RELEASE_PACKAGES)' bash images/dist.sh $(DIST)

# Twice, in two other folders, once by another user with another umask and language: the same sums.
dist-check:
	@bash images/dist-check.sh

# CLEAN=yes builds it in a Debian of its own.
deb: dist
	@sh images/packages.sh dpkg-dev debhelper fakeroot lintian $(if $(CLEAN),mmdebstrap)
	@VERSION='$(VERSION)' BUILD_PACKAGES='$(RELEASE_PACKAGES)' bash images/make-deb.sh $(DIST) $(BUILD)/deb
