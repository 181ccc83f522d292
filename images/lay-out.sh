#!/bin/sh
# lay-out: puts what belongs on the volume into a folder, which is made anew, each file in its place.
# Usage: lay-out.sh FOLDER EFI PAGE SCHEMA FILE..., of which the last ones belong at the root
#
# From the environment, for Secure Boot: CERTIFICATE, a file that is laid on the volume to be enrolled;
# SHIM, the signed shim or the folder it is in: it starts, and then the application, which it checks.
set -eu

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
    cp "$shim" "$boot/BOOTX64.EFI"
    cp "$1" "$boot/grubx64.efi"
    cp "$manager" "$boot/mmx64.efi"
}

folder=$1
boot=$folder/EFI/BOOT

rm -rf "$folder"
mkdir -p "$boot" "$folder/report" "$folder/results"
cp "$2" "$boot/BOOTX64.EFI"
[ -z "${SHIM:-}" ] || put_shim_first "$2"
[ -z "${CERTIFICATE:-}" ] || cp "$CERTIFICATE" "$folder/mlpboot.cer"
cp "$3" "$folder/report/page.html"
cp "$4" "$folder/report/run.schema.json"
shift 4
cp "$@" "$folder"
