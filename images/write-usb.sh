#!/bin/bash
# write-usb: writes the image to a USB stick, after making sure that it is one and that its owner agrees.
set -euo pipefail
export LC_ALL=C

# For tests: MLPBOOT_SYSFS names a folder that stands for /sys (and its file `mounts` for the table
# of mounts). DEV must then be a plain file, so that no test can reach a real disk.
sysfs=${MLPBOOT_SYSFS:-/sys}
mounts=${MLPBOOT_SYSFS:+$MLPBOOT_SYSFS/mounts}
mounts=${mounts:-/proc/self/mounts}

die() {
    echo "usb: $*" >&2
    exit 1
}

about() { # NAME FILE: what sysfs says of a disk, or nothing
    cat "$sysfs/block/$1/$2" 2>/dev/null || true
}

is_whole_disk() {
    [ -d "$sysfs/block/$1" ]
}

is_usb() { # where a disk hangs is in the path its link resolves to
    [[ $(readlink -f "$sysfs/block/$1") == */usb[0-9]* ]]
}

is_removable() {
    [ "$(about "$1" removable)" = 1 ] || is_usb "$1"
}

bytes_of() {
    local sectors
    sectors=$(about "$1" size)
    echo $((${sectors:-0} * 512))
}

serial_of() { # the serial number belongs to the USB device, some levels above the disk
    local folder
    folder=$(readlink -f "$sysfs/block/$1/device" || true)
    while [[ $folder == */usb[0-9]* ]]; do
        if [ -r "$folder/serial" ]; then
            cat "$folder/serial"
            return
        fi
        folder=$(dirname "$folder")
    done
    echo unknown
}

describe() { # one line: name, size, maker and model, serial number
    printf '/dev/%s: %d MB, %s %s, serial %s\n' "$1" $(($(bytes_of "$1") / 1000000)) \
        "$(about "$1" device/vendor | xargs)" "$(about "$1" device/model | xargs)" "$(serial_of "$1")"
}

first_use() { # prints who uses the disk or a part of it; nothing where nobody does
    local source place part holder
    while read -r source place _; do
        [ -e "$source" ] && source=$(readlink -f "$source")
        for part in "$sysfs/block/$1" "$sysfs/block/$1/$1"*; do
            if [ "$source" = "/dev/${part##*/}" ]; then
                echo "$source is mounted on $place"
                return
            fi
        done
    done <"$mounts"
    for holder in "$sysfs/block/$1"/holders/* "$sysfs/block/$1/$1"*/holders/*; do
        if [ -e "$holder" ]; then
            echo "${holder##*/} is built on it"
            return
        fi
    done
}

list_candidates() {
    local disk found=no
    for disk in "$sysfs"/block/*; do
        disk=${disk##*/}
        if is_removable "$disk" && [ "$(bytes_of "$disk")" -gt 0 ]; then
            describe "$disk"
            found=yes
        fi
    done
    [ $found = yes ] || echo "no removable disk is plugged in"
}

refuse_unless_safe() { # DEV NAME IMAGE
    local dev=$1 name=$2 image=$3 use sector
    is_whole_disk "$name" || die "$dev is not a whole disk (name the disk, such as /dev/sdb, not a partition)"
    is_removable "$name" || die "$dev is not removable: refusing to touch it"
    use=$(first_use "$name")
    [ -z "$use" ] || die "$dev is in use: $use"
    [ "$(bytes_of "$name")" -ge "$(stat -Lc %s "$image")" ] || die "$dev is too small for $image"
    sector=$(about "$name" queue/logical_block_size)
    [ "${sector:-512}" = 512 ] ||
        die "$dev has sectors of $sector bytes: firmware would not find the image's partition; use a stick with 512"
    if [ -n "${MLPBOOT_SYSFS:-}" ]; then
        [ -f "$dev" ] || die "$dev is not a plain file, but MLPBOOT_SYSFS is set (tests only)"
    else
        [ -b "$dev" ] || die "$dev is not a block device"
    fi
    [ -w "$dev" ] || die "no permission to write $dev (run as root: sudo make usb DEV=$dev)"
}

confirm() { # DEV NAME
    local answer
    describe "$2"
    printf 'Everything on it will be lost. To go on, type its name again (%s): ' "$1"
    read -r answer || true
    [ "$answer" = "$1" ] || die "not confirmed, nothing was written"
}

write_and_compare() { # DEV IMAGE
    echo "usb: writing $2"
    dd if="$2" of="$1" bs=4M conv=notrunc,fsync status=none || die "writing $1 failed"
    sync
    # Drop what the kernel remembers, so that the comparison reads the stick itself.
    dd of="$1" oflag=nocache conv=notrunc,fdatasync count=0 status=none
    cmp -n "$(stat -Lc %s "$2")" "$2" "$1" || die "$1 does not hold what was written: do not use it"
    echo "usb: written and compared; $1 is safe to remove"
}

main() {
    local dev=${1:-} image=${2:-build/mlpboot.img} name
    if [ -z "$dev" ]; then
        echo "usage: make usb DEV=/dev/sdX   (writes $image to a USB stick)"
        list_candidates
        exit 2
    fi
    [ -r "$image" ] || die "$image is not there (run make first)"
    [ -e "$dev" ] || die "$dev does not exist"
    dev=$(readlink -f "$dev")
    name=${dev##*/}
    refuse_unless_safe "$dev" "$name" "$image"
    confirm "$dev" "$name"
    write_and_compare "$dev" "$image"
}

# Sourced by a test, it only defines its functions.
[ "${BASH_SOURCE[0]}" != "$0" ] || main "$@"
