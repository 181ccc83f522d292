#!/bin/sh
# bios-note: puts into the first sector of a disk image what a BIOS runs: a program that prints why nothing
# boots. Without it such a machine shows nothing at all. Usage: bios-note.sh IMAGE
set -eu

# 16-bit code at 7C00H, 25 bytes, in octal:
#     xor ax, ax; mov ds, ax; cld; mov si, 7C19H
# next: lodsb; test al, al; jz end; mov ah, 0EH; mov bx, 7; int 10H; jmp next     (BIOS: print a character)
# end: hlt; jmp end
CODE='\061\300\216\330\374\276\031\174\254\204\300\164\011\264\016\273\007\000\315\020\353\362\364\353\375'
TEXT='mlpboot cannot start in BIOS mode: it needs 64-bit UEFI firmware.\r\nChoose the boot menu entry that begins with UEFI, or switch legacy boot\r\n(CSM) off in the setup.\r\n'

# shellcheck disable=SC2059 # the format is the bytes, of which a partition table leaves 440
printf "$CODE$TEXT\0" | head -c 440 | dd of="$1" conv=notrunc status=none
