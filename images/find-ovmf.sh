#!/bin/sh
# find-ovmf: prints two lines, the files of a firmware's code and of its variables, for QEMU; fails if there is no such pair.
#
# From the environment: FIRMWARE, the file of the code (OVMF_CODE.fd or the like, with its variables beside it), or a whole
# firmware (OVMF.fd), which both lines name. Without it, the first pair that is there of those that Debian, Fedora, Arch and
# openSUSE install. The smaller ones come first: they start sooner.
set -eu

variables_of() { # CODE
    folder=$(dirname "$1")
    echo "$folder/$(basename "$1" | sed 's/\.secboot//; s/CODE/VARS/; s/code/vars/')"
}

is_file() {
    [ -f "$1" ] && [ -r "$1" ]
}

pair() { # CODE
    is_file "$1" && is_file "$(variables_of "$1")" || return 1
    echo "$1"
    variables_of "$1"
}

if [ -n "${FIRMWARE:-}" ]; then
    pair "$FIRMWARE" && exit 0
    is_file "$FIRMWARE" && lost=$(variables_of "$FIRMWARE") || lost=$FIRMWARE
    echo "find-ovmf: FIRMWARE=$FIRMWARE: $lost is not a file that can be read" >&2
    exit 1
fi
for code in /usr/share/OVMF/OVMF_CODE.fd /usr/share/OVMF/OVMF_CODE_4M.fd \
    /usr/share/edk2/ovmf/OVMF_CODE.fd /usr/share/edk2/x64/OVMF_CODE.4m.fd \
    /usr/share/qemu/ovmf-x86_64-code.bin /usr/share/qemu/ovmf-x86_64-4m-code.bin; do
    pair "$code" && exit 0
done
echo "find-ovmf: OVMF is not there (Debian package ovmf; FIRMWARE=file names it elsewhere)" >&2
exit 1
