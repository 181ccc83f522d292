#!/bin/sh
# nx-compat: sets NX_COMPAT in a PE file's header; objcopy cannot, and some firmware refuses it without.
set -eu

file=$1
word() { # OFFSET BYTES: a little-endian number
    od -An -v -t "u$2" -j "$1" -N "$2" "$file" | tr -d ' '
}

header=$(word 60 4)
# The optional header follows 24 bytes of signature and COFF header; DllCharacteristics is at 70 in it.
offset=$((header + 24 + 70))
value=$(($(word "$offset" 2) | 0x100))
# shellcheck disable=SC2059 # the format is the two bytes
printf "$(printf '\\%03o\\%03o' $((value & 255)) $((value >> 8)))" |
    dd of="$file" bs=1 seek="$offset" conv=notrunc status=none
