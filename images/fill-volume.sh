#!/bin/sh
# fill-volume: copies what is in a folder to an empty FAT volume, always in the same order.
# Usage: fill-volume.sh FOLDER VOLUME, VOLUME as mtools takes it: FILE or FILE@@OFFSET
set -eu
export LC_ALL=C MTOOLSRC=/dev/null MTOOLS_SKIP_CHECK=1 # the check is of cylinders and heads

find "$1" -mindepth 1 -type d -printf '%P\n' | sort | while read -r name; do
    mmd -i "$2" "::/$name"
done
find "$1" -type f -printf '%P\n' | sort | while read -r name; do
    mcopy -i "$2" "$1/$name" "::/$name"
done
