#!/bin/bash
# dist: lays out a release of what was built, and the sources beside it; the same inputs give the same
# bytes. Usage: dist.sh FOLDER; `make dist` runs it.
#
# From the environment: VERSION, SOURCE_DATE_EPOCH; BUILD, where it was built; PAGE_MODULES, the folder of the page's modules;
# TOOLS, the Debian packages it was built with, and CC, the compiler, for the SBOM.
set -euo pipefail
umask 022
export LC_ALL=C TZ=UTC

dist=$1
name=mlpboot-$VERSION

die() {
    echo "dist: $*" >&2
    exit 1
}

# The files of the sources: those that git knows, or all that are here.
sources() {
    if [ -e .git ]; then
        git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard
    else
        find . -type f ! -path './build/*' ! -path './debian/*' ! -path './.pc/*' ! -path './.version' \
            ! -path './images/prebuilt/modules/*' ! -path '*/__pycache__/*' ! -path '*/.pytest_cache/*' -printf '%P\0'
    fi
}

# Beside the sources: which they are, and the page's modules of d3 as they were before the page was made smaller.
add_made() { # FOLDER
    printf '%s\n%s\n' "$VERSION" "$SOURCE_DATE_EPOCH" >"$1/.version"
    mkdir -p "$1/images/prebuilt/modules"
    cp -r "$PAGE_MODULES"/d3-* "$1/images/prebuilt/modules"
    rm -f "$1"/images/prebuilt/modules/*/dist/*.min.js
}

source_archive() { # FOLDER: of the sources, which it makes; prints the archive
    mkdir "$1"
    sources | tar -c --null -T - | tar -x -C "$1"
    add_made "$1"
    tar -c -C "$(dirname "$1")" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
        --numeric-owner --mode=u+rw,go=rX,a-s "${1##*/}" | gzip -9n
}

# The references, as an archive of runs, which the data tool reads as it is.
data_archive() { # ARCHIVE
    cp -r images/data "$work"
    chmod -R u=rwX,go=rX "$work/data"
    gzip -d "$work"/data/*/results.csv.gz
    find "$work/data" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$work" && python3 -m zipfile -c "$1" data)
}

# Prints the newest section of the changes.
release_notes() {
    echo "# mlpboot $VERSION"
    awk '/^## / { if (seen++) exit; next } seen' images/CHANGES.md
}

[ -r "$BUILD/page.html" ] || die "$BUILD/page.html is not there"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$(dirname "$dist")" "$work/dist"
source_archive "$work/$name" >"$work/dist/$name.tar.gz"
gzip -9nc "$BUILD/mlpboot.img" >"$work/dist/$name.img.gz"
cp "$BUILD/mlpboot.iso" "$work/dist/$name.iso"
cp "$BUILD/BOOTX64.EFI" "$BUILD/mlpboot-hosted.1" "$BUILD/mlpboot.pyz" "$BUILD"/{page,manual}.html \
    images/{mlpboot.cfg,LICENCE,NOTICES.md,CHANGES.md,SECURITY.md} "$work/dist"
sed "s/^version:.*/version: \"$VERSION\"\ndate-released: $(date -d "@$SOURCE_DATE_EPOCH" +%F)/" images/CITATION.cff \
    >"$work/dist/CITATION.cff"
release_notes >"$work/dist/RELEASE-NOTES.md"
data_archive "$work/dist/$name-data.zip"
# Scripts that work without the rest of the sources.
cp images/{read-results.sh,serve.sh,run.sh,find-ovmf.sh,Containerfile} "$work/dist"
strip -o "$work/dist/mlpboot-hosted" "$BUILD/mlpboot-hosted"
python3 -B images/sbom.py "$work/$name" "$work/dist" >"$work/$name.spdx.json"
mv "$work/$name.spdx.json" "$work/dist"
(cd "$work/dist" && sha256sum -- * >"$work/SHA256SUMS")
mv "$work/SHA256SUMS" "$work/dist"
chmod 644 "$work/dist"/*
chmod 755 "$work/dist"/{mlpboot-hosted,mlpboot.pyz,*.sh}
touch -d "@$SOURCE_DATE_EPOCH" "$work/dist"/*
rm -rf "$dist"
mv "$work/dist" "$dist"
