#!/bin/sh
# make-image: builds a bootable disk image, or that of a whole stick, from a folder; needs no root.
#
# Usage: make-image.sh [OPTION]... FOLDER OUT
#   -s BYTES   of a sector: 512 (default) or 4096
#   -d BYTES   of the whole disk (default 64 MiB); OUT has holes where nothing is
#   -v BYTES   of the volume (default: all that the disk has room for)
#   -u         identifiers of its own; without it the same inputs give the same bytes
set -eu

MIB=1048576
LABEL=MLPBOOT
BASIC_DATA=EBD0A0A2-B9E5-4433-87C0-68B6B72699C7
FAT32=65525 # clusters: with fewer it is none

# The tools would otherwise take these values from the machine they run on.
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1700000000}"
export TZ=UTC LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"

die() {
    echo "make-image: $*" >&2
    exit 1
}

read_options() { # sets sector, disk, volume (0: not given) and own
    sector=512 disk=$((64 * MIB)) volume=0 own=no
    while getopts s:d:v:u option; do
        case $option in
        s) sector=$OPTARG ;;
        d) disk=$OPTARG ;;
        v) volume=$OPTARG ;;
        u) own=yes ;;
        *) die "the options are at the top of $0" ;;
        esac
    done
    case $sector in 512 | 4096) ;; *) die "sectors of $sector bytes; accepted: 512, 4096" ;; esac
}

random_uuid() {
    cat /proc/sys/kernel/random/uuid
}

choose_identifiers() { # two sticks in one machine have to differ
    if [ $own = yes ]; then
        disk_guid=$(random_uuid)
        partition_guid=$(random_uuid)
        volume_id=$(random_uuid | cut -c 1-8)
    else
        disk_guid=6D6C7062-6F6F-7400-8000-000000000001
        partition_guid=6D6C7062-6F6F-7400-8000-000000000002
        volume_id=6d6c7062
    fi
}

# The partition begins at 1 MiB, as every tool expects; the last MiB is the backup GPT's.
choose_size() { # sets volume, first and sectors
    most=$(((disk / MIB - 2) * MIB))
    countable=$(((sector << 32) - MIB)) # FAT counts sectors in 32 bits
    [ "$volume" -le $most ] ||
        die "a volume of $((volume / MIB)) MiB is too large: the disk has room for $((most / MIB)) MiB"
    [ "$volume" -le $countable ] || die "a volume of $((volume / MIB)) MiB is too large:" \
        "FAT32 takes $((countable / MIB)) MiB with sectors of $sector bytes"
    [ "$volume" -ne 0 ] || volume=$((most < countable ? most : countable))
    volume=$((volume / MIB * MIB))
    first=$((MIB / sector))
    sectors=$((volume / sector))
}

# Chooses as Microsoft's formatting does: the smallest clusters to 260 MB; from there 4 KB, and larger ones
# if there would be more than two million.
choose_cluster() { # sets cluster, in bytes
    cluster=$sector
    if [ "$volume" -gt $((260 * MIB)) ]; then cluster=4096; fi
    while [ $((volume / cluster)) -gt $((1 << 21)) ] && [ "$cluster" -lt 32768 ]; do
        cluster=$((cluster * 2))
    done
    least=$((FAT32 * (cluster + 8) + 64 * sector)) # 8 bytes each in the two tables
    [ "$volume" -ge $least ] || die "a volume of $((volume / MIB)) MiB with sectors of $sector bytes is too small:" \
        "FAT32 needs $((least / MIB + 1)) MiB, and the partition table 2 more"
}

# sgdisk knows only the sectors of the disk it is given, for a file 512 bytes.
# Windows gives an EFI system partition no letter, also on a stick; firmware does not ask for the type there.
partition() { # IMAGE: a GPT with a protective MBR and one partition of basic data, by fdisk's dialogue
    truncate -s "$disk" "$1"
    printf '%s\n' g n 1 $first $((first + sectors - 1)) t $BASIC_DATA x n $LABEL u "$partition_guid" \
        i "$disk_guid" r w | fdisk -b "$sector" -w never -W never "$1" >"$1.log" 2>&1 ||
        die "fdisk: $(cat "$1.log")"
    fdisk -b "$sector" -l -o Start,Sectors,Type "$1" | tail -n 1 |
        grep -Eqx " *$first +$sectors Microsoft basic data" || die "fdisk made something else: $(cat "$1.log")"
}

format() { # IMAGE: -h, because firmware and fsck read the partition's place from the boot sector
    mkfs.fat -F 32 -S "$sector" -s $((cluster / sector)) --invariant -i "$volume_id" -n $LABEL \
        -h $first --offset $first "$1" $((volume / 1024)) >"$1.log" 2>&1 ||
        die "mkfs.fat: $(cat "$1.log")"
}

read_options "$@"
shift $((OPTIND - 1))
[ $# -eq 2 ] || die "usage: make-image.sh [OPTION]... FOLDER OUT"
[ -d "$1" ] || die "$1 is no folder"
for tool in fdisk mkfs.fat mmd mcopy; do
    command -v $tool >/dev/null || die "$tool is not installed (packages: fdisk dosfstools mtools)"
done
choose_identifiers
choose_size
choose_cluster

# The image is built beside its final place and moved there whole: nobody ever sees half an image.
work=$(mktemp -d "$(dirname "$2")/.image.XXXXXX") || die "cannot write beside $2"
trap 'rm -rf "$work"' EXIT
partition "$work/image"
sh "$(dirname "$0")/bios-note.sh" "$work/image"
format "$work/image"
sh "$(dirname "$0")/fill-volume.sh" "$1" "$work/image@@$MIB"
mv "$work/image" "$2"
