#!/bin/sh
# make-iso: makes an ISO of an image, for virtual media, a disc or a stick; the same inputs give the same bytes.
#
# Usage: make-iso.sh IMAGE OUT; from the environment CONFIG and HOSTED, as take-files.sh has them.
#
# Firmware boots one FAT volume in it: from a disc by El Torito, from a stick by GPT. The files are also on
# the ISO itself, for people who look into it, and for programs that copy them to a stick.
set -eu

# El Torito counts sectors of 512 bytes in 16 bits, so this is the largest whole number of MiB. FAT32
# would need 33; FAT16 is what UEFI names for removable media, and what the ISOs of distributions have.
VOLUME=31M
LABEL=MLPBOOT

export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1700000000}"
export TZ=UTC LC_ALL=C MTOOLSRC=/dev/null PATH="$PATH:/usr/sbin:/sbin"

die() {
    echo "make-iso: $*" >&2
    exit 1
}

[ $# -eq 2 ] || die "usage: make-iso.sh IMAGE OUT"
[ -r "$1" ] || die "$1 is not there (run make first)"
for tool in xorriso mkfs.fat mmd mcopy; do
    command -v $tool >/dev/null || die "$tool is not installed (packages: xorriso dosfstools mtools)"
done

work=$(mktemp -d "$(dirname "$2")/.iso.XXXXXX") || die "cannot write beside $2"
trap 'rm -rf "$work"' EXIT
mkdir "$work/files"
sh "$(dirname "$0")/take-files.sh" "$1" "$work/files"

truncate -s $VOLUME "$work/volume"
mkfs.fat -F 16 -s 1 --invariant -i 6d6c7069 -n $LABEL "$work/volume" >"$work/log" 2>&1 ||
    die "mkfs.fat: $(cat "$work/log")"
sh "$(dirname "$0")/fill-volume.sh" "$work/files" "$work/volume"

# The copied files have the dates of copying: they get the date of the sources, as the ISO itself has.
find "$work/files" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
xorriso -as mkisofs -o "$work/iso" -V $LABEL -R -J -r \
    -append_partition 2 C12A7328-F81F-11D2-BA4B-00A0C93EC93B "$work/volume" -appended_part_as_gpt \
    -e --interval:appended_partition_2:all:: -no-emul-boot "$work/files" >"$work/log" 2>&1 ||
    die "xorriso: $(cat "$work/log")"
sh "$(dirname "$0")/bios-note.sh" "$work/iso" # for one that was written to a stick
mv "$work/iso" "$2"
