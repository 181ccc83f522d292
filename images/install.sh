#!/bin/sh
# install: puts what was built where a package has it, or takes it away again; `make install` and
# `make uninstall` run it. From the environment: PREFIX; DESTDIR, which goes before it; BUILD.
set -eu
umask 022

die() {
    echo "install: $*" >&2
    exit 1
}

# Each file: where it goes below PREFIX, its mode, and where it comes from.
files() {
    cat <<END
bin/mlpboot-hosted               755 $BUILD/mlpboot-hosted
bin/mlpboot-write-usb            755 images/write-usb.sh
bin/mlpboot-read-results         755 images/read-results.sh
bin/mlpboot-serve                755 images/serve.sh
share/mlpboot/mlpboot.img        644 $BUILD/mlpboot.img
share/mlpboot/mlpboot.iso        644 $BUILD/mlpboot.iso
share/mlpboot/BOOTX64.EFI        644 $BUILD/BOOTX64.EFI
share/mlpboot/mlpboot.cfg        644 images/mlpboot.cfg
share/mlpboot/page.html          644 build/page.html
share/mlpboot/run.schema.json    644 images/run.schema.json
share/man/man1/mlpboot-hosted.1  644 $BUILD/mlpboot-hosted.1
share/doc/mlpboot/MANUAL.md      644 images/MANUAL.md
share/doc/mlpboot/LICENCE        644 images/LICENCE
share/doc/mlpboot/NOTICES.md     644 images/NOTICES.md
END
}

# A command that people call by its name has the image beside it, not in build/.
install_command() { # SOURCE TARGET
    sed -e "s|build/\(mlpboot\.i[ms][go]\)|$PREFIX/share/mlpboot/\1|g" -e 's| (run make first)||' \
        -e 's|make usb DEV=|mlpboot-write-usb |g' -e 's|\(images/\)\{0,1\}write-usb\.sh|mlpboot-write-usb|g' \
        -e 's|\(images/\)\{0,1\}read-results\.sh|mlpboot-read-results|g' \
        -e 's|\(images/\)\{0,1\}serve\.sh|mlpboot-serve|g' "$1" >"$2"
    chmod 755 "$2"
}

install_all() {
    files | while read -r target mode source; do
        if [ ! -e "$source" ]; then
            case $source in
            */mlpboot.iso | images/serve.sh) continue ;; # not in every build
            esac
            die "$source is not there"
        fi
        to=$DESTDIR$PREFIX/$target
        install -D -m "$mode" "$source" "$to"
        case $source in images/*.sh) install_command "$source" "$to" ;; esac
        echo "$to"
    done
}

uninstall_all() {
    files | while read -r target _; do
        rm -f "$DESTDIR$PREFIX/$target"
    done
    for folder in share/mlpboot share/doc/mlpboot; do
        rmdir "$DESTDIR$PREFIX/$folder" 2>/dev/null || true
    done
}

case ${PREFIX:-} in
*[[:space:]\|\&\\]*) die "PREFIX=$PREFIX: no blanks, |, & or \\ in it" ;;
/*) ;;
*) die "PREFIX=${PREFIX:-}: a path from the root is accepted" ;;
esac
DESTDIR=${DESTDIR:-} BUILD=${BUILD:-build}
case ${1:-} in
install) install_all ;;
uninstall) uninstall_all ;;
*) die "usage: install.sh install|uninstall" ;;
esac
