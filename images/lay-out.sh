#!/bin/sh
# lay-out: puts what belongs on the volume into a folder, which is made anew, each file in its place.
# Usage: lay-out.sh EFI CFG MANUAL PAGE SCHEMA FOLDER
set -eu

folder=$6

rm -rf "$folder"
mkdir -p "$folder/EFI/BOOT" "$folder/report" "$folder/results"
cp "$1" "$folder/EFI/BOOT/BOOTX64.EFI"
cp "$2" "$folder/mlpboot.cfg"
cp "$3" "$folder/MANUAL.md"
cp "$4" "$folder/report/page.html"
cp "$5" "$folder/report/run.schema.json"
