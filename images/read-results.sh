#!/bin/sh
# read-results: copies the results off an image or a stick; a run that is already there is left alone.
set -eu
export MTOOLSRC=/dev/null MTOOLS_SKIP_CHECK=1 LC_ALL=C

die() {
    echo "read-results: $*" >&2
    exit 1
}

volume_of() { # DISK: as mtools takes it; a whole disk has a GPT before its partition at 1 MiB
    if [ "$(dd if="$1" bs=1 skip=512 count=8 2>/dev/null)" = "EFI PART" ]; then
        echo "$1@@1M"
    else
        echo "$1"
    fi
}

case $# in
1) from=build/mlpboot.img to=$1 ;;
2) from=$1 to=$2 ;;
*) die "usage: read-results.sh [IMAGE_OR_DEVICE] FOLDER   (default image: build/mlpboot.img)" ;;
esac
command -v mcopy >/dev/null || die "mcopy is not installed (package: mtools)"
[ -e "$from" ] || die "$from does not exist"
[ -r "$from" ] || die "cannot read $from (a stick needs root: sudo)"

volume=$(volume_of "$from")
names=$(mdir -b -i "$volume" ::/results) || die "$from has no readable results folder"
runs=$(echo "$names" | sed -n 's|^::/results/\([0-9][0-9]*\)/*$|\1|p' | sort)
[ -n "$runs" ] || die "$from holds no results yet"

mkdir -p "$to"
for run in $runs; do
    if [ -e "$to/$run" ]; then
        echo "$to/$run: already there, left alone"
    else
        mcopy -s -m -i "$volume" "::/results/$run" "$to/" || die "copying $run from $from failed"
        echo "$to/$run"
    fi
done
