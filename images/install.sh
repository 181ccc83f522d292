#!/bin/sh
# install: puts what was built where a package has it, or takes it away again; `make install` and
# `make uninstall` run it. From the environment: PREFIX; DESTDIR, which goes before it; BUILD.
set -eu
umask 022

die() {
    echo "install: $*" >&2
    exit 1
}

# Each file: where it goes below PREFIX, its mode, where it comes from.
files() {
    cat <<END
bin/mlpboot-hosted               755 $BUILD/mlpboot-hosted
bin/mlpboot                      755 $BUILD/mlpboot.pyz
share/mlpboot/mlpboot.img        644 $BUILD/mlpboot.img
share/mlpboot/mlpboot.iso        644 $BUILD/mlpboot.iso
share/mlpboot/BOOTX64.EFI        644 $BUILD/BOOTX64.EFI
share/mlpboot/mlpboot.cfg        644 images/mlpboot.cfg
share/mlpboot/page.html          644 $BUILD/page.html
share/mlpboot/run.schema.json    644 images/run.schema.json
share/mlpboot/write-usb.sh       755 images/write-usb.sh
share/mlpboot/make-image.sh      755 images/make-image.sh
share/mlpboot/bios-note.sh       755 images/bios-note.sh
share/mlpboot/take-files.sh      755 images/take-files.sh
share/mlpboot/fill-volume.sh     755 images/fill-volume.sh
share/mlpboot/read-results.sh    755 images/read-results.sh
share/mlpboot/serve.sh           755 images/serve.sh
share/mlpboot/run.sh             755 images/run.sh
share/mlpboot/find-ovmf.sh       755 images/find-ovmf.sh
share/man/man1/mlpboot.1         644 images/mlpboot.1
share/man/man1/mlpboot-hosted.1  644 $BUILD/mlpboot-hosted.1
share/man/man1/mlpboot-write-usb.1 644 images/mlpboot-write-usb.1
share/doc/mlpboot/manual.html    644 $BUILD/manual.html
share/doc/mlpboot/LICENCE        644 images/LICENCE
share/doc/mlpboot/NOTICES.md     644 images/NOTICES.md
share/doc/mlpboot/CHANGES.md     644 images/CHANGES.md
share/doc/mlpboot/SECURITY.md    644 images/SECURITY.md
share/doc/mlpboot/CITATION.cff   644 images/CITATION.cff
END
}

# Scripts that people call by a name, and whose page tells of all of them; DEV is what `make usb` gives.
commands() {
    cat <<'END'
write-usb     DEV="${1:-}"
read-results
serve
run
END
}

# There, the image is beside a script and not in build/, and nothing is called by make.
adapt_script() { # FILE
    sed -i -e "s|build/mlpboot\.img|$PREFIX/share/mlpboot/mlpboot.img|g" -e 's| (run make first)||' \
        -e "s|build/mlpboot-hosted|$PREFIX/bin/mlpboot-hosted|" -e 's|build/results|results|g' \
        -e "s|mktemp -d build/\.|mktemp -d \"\${TMPDIR:-/tmp}\"/mlpboot-|" \
        -e 's|make usb DEV=/dev/sdX \[SIZE=512M\]|[SIZE=512M] mlpboot-write-usb /dev/sdX|' \
        -e 's|make usb DEV=|mlpboot-write-usb |g' -e 's|usage: read-results\.sh|usage: mlpboot-read-results|' \
        -e 's|write-usb\.sh --file|mlpboot-write-usb --file|' -e 's|usage: serve\.sh|usage: mlpboot-serve|' "$1"
}

install_commands() {
    commands | while read -r name settings; do
        script=$PREFIX/share/mlpboot/$name.sh to=$DESTDIR$PREFIX/bin/mlpboot-$name
        printf '#!/bin/sh\n%s exec %s "$@"\n' "$settings" "$script" | sed 's/^ //' >"$to"
        chmod 755 "$to"
        echo "$to"
        page=$DESTDIR$PREFIX/share/man/man1/mlpboot-$name.1
        [ "$name" = write-usb ] || {
            echo ".so man1/mlpboot-write-usb.1" >"$page"
            echo "$page"
        }
    done
}

install_all() {
    files | while read -r target mode source; do
        to=$DESTDIR$PREFIX/$target
        install -D -m "$mode" "$source" "$to" || die "$to was not installed"
        case $source in *.sh) adapt_script "$to" ;; esac
        echo "$to"
    done
    install_commands
}

uninstall_all() {
    {
        files
        commands | sed -n 's|^\([^ ]*\).*|bin/mlpboot-\1\nshare/man/man1/mlpboot-\1.1|p'
    } | while read -r target _; do
        rm -f "$DESTDIR$PREFIX/$target"
    done
    for folder in share/mlpboot share/doc/mlpboot; do
        rmdir "$DESTDIR$PREFIX/$folder" 2>/dev/null || true
    done
}

case ${PREFIX:-} in
*[!A-Za-z0-9/._+~-]*) die "PREFIX=$PREFIX: letters, digits and /._+~- are accepted" ;;
/*) ;;
*) die "PREFIX=${PREFIX:-}: a path from the root is accepted" ;;
esac
DESTDIR=${DESTDIR:-} BUILD=${BUILD:-build}
case ${1:-} in
install) install_all ;;
uninstall) uninstall_all ;;
*) die "usage: install.sh install|uninstall" ;;
esac
