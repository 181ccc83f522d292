#!/bin/sh
# make-image: builds the bootable disk image; the same inputs give the same bytes, and root is not needed.
#
# From the environment, for Secure Boot: CERTIFICATE, a file that is laid on the volume to be enrolled;
# SHIM, the signed shim or the folder it is in: it starts, and then the application, which it checks.
set -eu

SECTORS=131072       # of 512 bytes: 64 MiB
FIRST=2048           # of the partition: 1 MiB, the alignment every tool expects
PARTITION=126976     # sectors, 62 MiB; at one sector per cluster well over the 65,525 that make it FAT32
DISK_GUID=6D6C7062-6F6F-7400-8000-000000000001
PARTITION_GUID=6D6C7062-6F6F-7400-8000-000000000002
VOLUME_ID=6d6c7062
LABEL=MLPBOOT

# What the tools would otherwise take from the machine they run on.
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1700000000}"
export TZ=UTC LC_ALL=C MTOOLSRC=/dev/null PATH="$PATH:/usr/sbin:/sbin"

die() {
    echo "make-image: $*" >&2
    exit 1
}

format() { # IMAGE: -h, because firmware and fsck read the partition's place from the boot sector
    truncate -s $(((FIRST + PARTITION) * 512)) "$1" # ends with the volume, else mkfs.fat warns
    mkfs.fat -F 32 -s 1 --invariant -i $VOLUME_ID -n $LABEL -h $FIRST --offset $FIRST "$1" \
        $((PARTITION / 2)) >"$1.log" 2>&1 || die "mkfs.fat: $(cat "$1.log")"
}

partition() { # IMAGE: around the volume, a GPT with a protective MBR and one EFI system partition
    truncate -s $((SECTORS * 512)) "$1"
    sgdisk -a $FIRST -U $DISK_GUID -n 1:$FIRST:$((FIRST + PARTITION - 1)) -t 1:EF00 -c 1:$LABEL \
        -u 1:$PARTITION_GUID "$1" >"$1.log" 2>&1 || die "sgdisk: $(cat "$1.log")"
}

fill() { # IMAGE EFI CFG MANUAL PAGE SCHEMA
    volume=$1@@$((FIRST * 512))
    mmd -i "$volume" ::/EFI ::/EFI/BOOT ::/report ::/results
    mcopy -i "$volume" "$2" ::/EFI/BOOT/BOOTX64.EFI
    mcopy -i "$volume" "$3" ::/mlpboot.cfg
    mcopy -i "$volume" "$4" ::/MANUAL.md
    mcopy -i "$volume" "$5" ::/report/page.html
    mcopy -i "$volume" "$6" ::/report/run.schema.json
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
put_shim_first() { # IMAGE EFI
    shim=$SHIM
    [ ! -d "$shim" ] || shim=$(find_signed "$shim" shimx64.efi)
    if [ ! -f "$shim" ] || [ ! -r "$shim" ]; then
        die "SHIM=$SHIM is not a file that can be read (package: shim-signed)"
    fi
    manager=$(find_signed "$(dirname "$shim")" mmx64.efi)
    volume=$1@@$((FIRST * 512))
    mcopy -o -i "$volume" "$shim" ::/EFI/BOOT/BOOTX64.EFI
    mcopy -i "$volume" "$2" ::/EFI/BOOT/grubx64.efi
    mcopy -i "$volume" "$manager" ::/EFI/BOOT/mmx64.efi
}

[ $# -eq 6 ] || die "usage: make-image.sh EFI CFG MANUAL PAGE SCHEMA OUT"
for input in "$1" "$2" "$3" "$4" "$5"; do
    [ -r "$input" ] || die "cannot read $input"
done
for tool in sgdisk mkfs.fat mmd mcopy; do
    command -v $tool >/dev/null || die "$tool is not installed (packages: gdisk dosfstools mtools)"
done

# Built beside its final place and moved there whole: nobody ever sees half an image.
work=$(mktemp -d "$(dirname "$6")/.image.XXXXXX") || die "cannot write beside $6"
trap 'rm -rf "$work"' EXIT
format "$work/image"
partition "$work/image"
fill "$work/image" "$1" "$2" "$3" "$4" "$5"
[ -z "${CERTIFICATE:-}" ] || mcopy -i "$work/image@@$((FIRST * 512))" "$CERTIFICATE" ::/mlpboot.cer
[ -z "${SHIM:-}" ] || put_shim_first "$work/image" "$1"
mv "$work/image" "$6"
