#!/bin/sh
# lay-out: puts what belongs on the volume into a folder, which is made anew, each file in its place.
# Usage: lay-out.sh EFI CFG MANUAL PAGE SCHEMA FOLDER
#
# From the environment, for Secure Boot: CERTIFICATE, a file that is laid on the volume to be enrolled;
# SHIM, the signed shim or the folder it is in: it starts, and then the application, which it checks.
# shellcheck disable=SC2317 # it does not see that the functions are called
set -eu

die() {
    echo "lay-out: $*" >&2
    exit 1
}

find_signed() { # FOLDER NAME: Debian calls what is signed NAME.signed
    if [ -f "$1/$2.signed" ]; then
        echo "$1/$2.signed"
    elif [ -f "$1/$2" ]; then
        echo "$1/$2"
    else
        die "SHIM=$SHIM: there is no $2.signed in $1 (packages: shim-signed shim-helpers-amd64-signed)"
    fi
}

# Shim starts grubx64.efi beside it, whatever that is, or mmx64.efi, MokManager, where it does not trust it.
put_shim_first() { # EFI
    shim=$SHIM
    [ ! -d "$shim" ] || shim=$(find_signed "$shim" shimx64.efi)
    if [ ! -f "$shim" ] || [ ! -r "$shim" ]; then
        die "SHIM=$SHIM is not a file that can be read (package: shim-signed)"
    fi
    manager=$(find_signed "$(dirname "$shim")" mmx64.efi)
    cp "$shim" "$boot/BOOTX64.EFI"
    cp "$1" "$boot/grubx64.efi"
    cp "$manager" "$boot/mmx64.efi"
}

[ $# -eq 6 ] || die "usage: lay-out.sh EFI CFG MANUAL PAGE SCHEMA FOLDER"
folder=$6
boot=$folder/EFI/BOOT

die() {
    echo "lay-out: $*" >&2
    exit 1
}

find_signed() { # FOLDER NAME: Debian calls what is signed NAME.signed
    for file in "$1/$2.signed" "$1/$2"; do
        if [ -f "$file" ]; then
            echo "$file"
            return
        fi
    done
    die "SHIM=$SHIM: there is no $2.signed in $1 (packages: shim-signed shim-helpers-amd64-signed)"
}

# Shim starts grubx64.efi beside it, whatever that is, or mmx64.efi, MokManager, where it does not trust it.
put_shim_first() { # EFI
    shim=$SHIM
    [ ! -d "$shim" ] || shim=$(find_signed "$shim" shimx64.efi)
    if [ ! -f "$shim" ] || [ ! -r "$shim" ]; then
        die "SHIM=$SHIM is not a file that can be read (package: shim-signed)"
    fi
    manager=$(find_signed "$(dirname "$shim")" mmx64.efi)
    cp "$shim" "$folder/EFI/BOOT/BOOTX64.EFI"
    cp "$1" "$folder/EFI/BOOT/grubx64.efi"
    cp "$manager" "$folder/EFI/BOOT/mmx64.efi"
}

rm -rf "$folder"
mkdir -p "$boot" "$folder/report" "$folder/results"
cp "$1" "$boot/BOOTX64.EFI"
[ -z "${SHIM:-}" ] || put_shim_first "$1"
[ -z "${CERTIFICATE:-}" ] || cp "$CERTIFICATE" "$folder/mlpboot.cer"
cp "$2" "$folder/mlpboot.cfg"
cp "$3" "$folder/MANUAL.md"
cp "$4" "$folder/report/page.html"
cp "$5" "$folder/report/run.schema.json"
