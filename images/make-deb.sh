#!/bin/bash
# make-deb: makes a Debian package, source and binary, of a release's source archive; usage:
# make-deb.sh RELEASE FOLDER. `make deb` runs it.
#
# From the environment: VERSION, SOURCE_DATE_EPOCH; BUILD_PACKAGES, the packages that it is built with;
# DEBFULLNAME and DEBEMAIL, the maintainer, as Debian's own tools take them; CLEAN=yes builds it in a
# Debian 12 of its own, with no other packages than those it asks for, and without a network.
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022
: "${VERSION:?}" "${BUILD_PACKAGES:?}"

release=$1 out=$2
maintainer="${DEBFULLNAME:-the mlpboot authors} <${DEBEMAIL:-authors@mlpboot.invalid}>"

# Prints a version with the commit's date: 1.0-COMMIT has no order. A changed tree comes after its commit.
upstream_version() {
    local number=${VERSION%%-*} commit=${VERSION#*-}
    echo "$number+git$(date -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).${commit/+/.changed}"
}

# Prints the packages to build with, but not those that come with Debian's build tools anyway.
build_depends() {
    tr ' ' '\n' <<<"$BUILD_PACKAGES" | grep -vxE 'gcc|binutils|libc6-dev' | paste -sd , | sed 's/,/, /g'
}

lay_source() { # sets tree
    local version
    version=$(upstream_version)
    tree=$out/mlpboot-$version
    mkdir -p "$tree"
    cp "$release/mlpboot-$VERSION.tar.gz" "$out/mlpboot_$version.orig.tar.gz"
    tar -x -C "$tree" --strip-components=1 -f "$out/mlpboot_$version.orig.tar.gz"
    cp -r "$tree/images/debian" "$tree/debian"
    sed -i "s|@MAINTAINER@|$maintainer|; s|@BUILD_PACKAGES@|$(build_depends)|" "$tree/debian/control"
    cat >"$tree/debian/changelog" <<END
mlpboot ($version-1) unstable; urgency=medium

  * Of $VERSION.

 -- $maintainer  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
    (cd "$out" && dpkg-source --build "${tree##*/}")
}

build_here() {
    (cd "$tree" && dpkg-buildpackage -us -uc)
}

# shellcheck disable=SC2016 # "$1" is for mmdebstrap to put the new root's path in
build_clean() {
    local dsc
    dsc=$(basename "$out"/*.dsc)
    mmdebstrap --variant=buildd --mode="${MODE:-auto}" \
        --include="debhelper,fakeroot,$(build_depends | tr -d ' ')" \
        --customize-hook='mkdir "$1/work"' \
        --customize-hook="copy-in $(printf '%s ' "$out"/mlpboot_*.dsc "$out"/mlpboot_*.tar.*) /work" \
        --customize-hook="unshare -n chroot \"\$1\" sh -ec 'cd /work; dpkg-source -x $dsc tree; cd tree; dpkg-buildpackage -us -uc'" \
        --customize-hook="sync-out /work $out/clean" bookworm /dev/null
    rm -rf "$out/clean/tree"
    mv "$out"/clean/* "$out"
    rmdir "$out/clean"
}

rm -rf "$out"
mkdir -p "$out"
lay_source
if [ "${CLEAN:-}" = yes ]; then build_clean; else build_here; fi
rm -rf "$tree"
lintian --fail-on error "$out"/mlpboot_*.changes
ls -l "$out"
