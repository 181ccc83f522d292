#!/bin/sh
# base-relocations: writes a linked ELF file's relocations as the base relocations of a PE file.
set -eu

die() {
    echo "base-relocations: $*" >&2
    exit 1
}

[ $# -eq 1 ] || die "usage: base-relocations.sh FILE >RELOC"
relocations=$(LC_ALL=C readelf --wide --relocs "$1") || die "cannot read $1"

# A block for each page: its address, the block's bytes, then for each relocation 16 bits of type
# and offset in the page; an entry of type 0 fills a block up to four bytes (PE format, "The .reloc
# section"). Offsets come sorted, in hexadecimal, which not every awk reads. The result is octal
# escapes, one for each byte.
bytes=$(printf '%s\n' "$relocations" | LC_ALL=C sort | awk '
    function hex(text,    value, i) {
        for (i = 1; i <= length(text); i++)
            value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
        return value
    }
    function little(value, bytes) {
        for (; bytes > 0; bytes--) {
            printf "\\%03o", value % 256
            value = int(value / 256)
        }
    }
    function block(    i) {
        if (count % 2)
            entries[count++] = 0
        little(page * 4096, 4)
        little(8 + 2 * count, 4)
        for (i = 0; i < count; i++)
            little(entries[i], 2)
        count = 0
    }
    $3 ~ /^R_X86_64_/ {
        if ($3 != "R_X86_64_RELATIVE") {
            print "base-relocations: " $3 " at " $1 " is none that a PE file can have" >"/dev/stderr"
            exit failed = 1
        }
        address = hex($1)
        if (count > 0 && int(address / 4096) != page)
            block()
        page = int(address / 4096)
        entries[count++] = 10 * 4096 + address % 4096 # DIR64
    }
    END {
        if (!failed && count > 0)
            block()
        exit failed
    }') || exit 1
[ -n "$bytes" ] || die "$1 has no relocations: it is not linked as a shared object"
# shellcheck disable=SC2059 # the format is the bytes
printf "$bytes"
