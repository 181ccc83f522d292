#!/bin/bash
# write-usb: makes a USB stick with the image's files, after making sure that it is a USB stick and that its
# owner agrees. The volume is as large as the stick, or as SIZE, and has identifiers of its own.
#
# From the environment: DEV, IMAGE, CONFIG and SIZE as for `make usb`. With --file FILE it makes the image of
# a stick as a file, which must not be there yet: for an emulator, or for another program that writes sticks.
set -euo pipefail
export LC_ALL=C MTOOLSRC=/dev/null

MIB=1048576
MARK=4096 # bytes of a mark, which reveals a stick that holds less than it says

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

refuse_unless_safe() { # DEV NAME
    local dev=$1 name=$2 use
    is_whole_disk "$name" || die "$dev is not a whole disk (name the disk, such as /dev/sdb, not a partition)"
    is_removable "$name" || die "$dev is not removable: refusing to touch it"
    use=$(first_use "$name")
    [ -z "$use" ] || die "$dev is in use: $use"
    if [ -n "${MLPBOOT_SYSFS:-}" ]; then
        [ -f "$dev" ] || die "$dev is not a plain file, but MLPBOOT_SYSFS is set (tests only)"
    else
        [ -b "$dev" ] || die "$dev is not a block device"
    fi
    [ -w "$dev" ] || die "no permission to write $dev (run as root: sudo make usb DEV=$dev)"
}

bytes_of_size() { # SIZE: a number with M or G
    local number=${1%[MmGg]}
    [[ $1 == *[MmGg] && $number =~ ^[1-9][0-9]{0,6}$ ]] ||
        die "SIZE=$1 is not a size; accepted: a number with M or G, such as 512M"
    case $1 in
    *[Mm]) echo $((number * MIB)) ;;
    *) echo $((number * 1024 * MIB)) ;;
    esac
}

# Makes a copy of the whole stick as it is to be, with holes where nothing is to be written.
make_copy() { # NAME IMAGE: sets copy, and disk, its bytes
    local sector options size
    sector=$(about "$1" queue/logical_block_size)
    disk=$(bytes_of "$1")
    options=(-s "${sector:-512}" -d "$disk")
    if [ -n "${SIZE:-}" ]; then
        size=$(bytes_of_size "$SIZE")
        options+=(-v "$size")
    fi
    fill_copy "$2" "${options[@]}"
}

fill_copy() { # IMAGE OPTION...: sets copy; the options are make-image's
    local here image=$1
    shift
    here=$(dirname "${BASH_SOURCE[0]}")
    copy=$work/stick
    mkdir "$work/files"
    sh "$here/take-files.sh" "$image" "$work/files" || die "nothing was written"
    sh "$here/make-image.sh" -u "$@" "$work/files" "$copy" || die "nothing was written"
}

make_file() { # FILE IMAGE: whole or not at all
    local options=() size
    [ ! -e "$1" ] || die "$1 is there already; name another file"
    if [ -n "${SIZE:-}" ]; then
        size=$(bytes_of_size "$SIZE")
        options+=(-d $((size + 2 * MIB)) -v "$size")
    fi
    work=$(mktemp -d "$(dirname "$1")/.stick.XXXXXX") || die "cannot write beside $1"
    trap 'rm -rf "$work"' EXIT
    fill_copy "$2" "${options[@]}"
    mv "$copy" "$1"
    echo "usb: $1 is the image of a stick; any program that writes a disk image puts it on one"
}

# Prints the end of the copy's data, except for the backup partition table: all bytes up to there are written,
# so that nothing that was on the stick before shows through.
end_of_data() {
    perl -e 'open my $copy, "<", $ARGV[0] or die; my ($end, $seen) = (0, 0);
        while (defined(my $data = sysseek $copy, $end, 3)) { # SEEK_DATA, SEEK_HOLE
            last if $data >= $ARGV[1];
            $seen = $end = sysseek $copy, $data, 4;
        }
        print $seen' "$copy" $((disk - MIB))
}

# Sets the pieces to write, a line each: the place, and the number of bytes. Besides the beginning and the
# backup partition table these are marks at each doubling: a stick that drops writes beyond its memory, or
# starts again from its beginning there, later has another mark than was written.
choose_pieces() { # sets pieces
    local head place
    head=$((($(end_of_data) / MIB + 1) * MIB))
    if [ $head -gt $((disk - MIB)) ]; then head=$((disk - MIB)); fi
    pieces="0 $head"$'\n'
    for ((place = 64 * MIB; place + MARK <= disk - MIB; place *= 2)); do
        if [ "$place" -ge "$head" ]; then
            yes "mlpboot: this block is at $place" | head -c $MARK |
                dd of="$copy" seek="$place" oflag=seek_bytes conv=notrunc status=none || true
            pieces+="$place $MARK"$'\n'
        fi
    done
    pieces+="$((disk - MIB)) $MIB"
}

# Opens a disk for this script alone, until its end, without creating anything: O_EXCL, which bash does not
# have, fails for a disk that is mounted, swap, or part of a RAID or of a file system of several disks, and
# keeps it from becoming that. While it is open, no other disk gets its name.
hold() { # DEV: sets stick, a path to the open disk
    coproc HOLDER {
        exec perl -MFcntl -e '$| = 1; my $held = sysopen my $disk, $ARGV[0], O_RDWR | O_EXCL;
            print $held ? "/proc/" . $$ . "/fd/" . fileno $disk : $!, "\n"; <STDIN>' "$1"
    }
    read -r stick <&"${HOLDER[0]}"
    [[ $stick == /proc/* ]] || die "$1 cannot be opened for this program alone ($stick): is it swap, or in a RAID?"
}

identity() { # NAME: diskseq is another for each disk that the kernel sees (sysfs-block)
    echo "$(describe "$1"), $(about "$1" size) sectors, number $(about "$1" diskseq)"
}

refuse_unless_same() { # DEV NAME IDENTITY: the disk that was shown, after the question
    [ "$1" -ef "$stick" ] || die "$1 is no longer the disk that was shown; nothing was written"
    refuse_unless_safe "$1" "$2"
    [ "$(identity "$2")" = "$3" ] || die "$1 is another disk now, nothing was written: $(identity "$2")"
}

confirm() { # DEV NAME
    local answer shown
    shown=$(identity "$2")
    describe "$2"
    printf 'Everything on it will be lost. To go on, type its name again (%s): ' "$1"
    read -r answer || true
    [ "$answer" = "$1" ] || die "not confirmed, nothing was written"
    refuse_unless_same "$1" "$2" "$shown"
}

piece() { # FILE START BYTES [FLAG]: to standard output
    dd if="$1" skip="$2" count="$3" iflag="skip_bytes,count_bytes,fullblock${4:+,$4}" bs=$MIB status=none
}

write_pieces() { # DEV: its name, for people
    local start bytes
    while read -r start bytes; do
        piece "$copy" "$start" "$bytes" |
            dd of="$stick" seek="$start" oflag=seek_bytes bs=$MIB iflag=fullblock conv=nocreat,notrunc,fsync \
                status="$progress" || die "writing $1 failed"
    done <<<"$pieces"
}

# Compares the stick itself, by reads that bypass the kernel's cache. A plain file may refuse such reads.
compare_pieces() { # DEV: its name, for people
    local start bytes flag=nocache
    [ ! -b "$stick" ] || flag=direct
    # Drops the cached bytes first: in reads, nocache is only advice.
    dd of="$stick" oflag=nocache conv=nocreat,notrunc,fdatasync count=0 status=none
    while read -r start bytes; do
        cmp -s <(piece "$copy" "$start" "$bytes") <(piece "$stick" "$start" "$bytes" $flag) ||
            die "$1 does not hold what was written at byte $start: do not use it." \
                "It may be worn out, or hold less than it says"
    done <<<"$pieces"
}

main() {
    local dev=${DEV:-} image=${IMAGE:-build/mlpboot.img} name progress=none
    [ ! -t 2 ] || progress=progress
    if [ "${1:-}" = --file ]; then
        [ $# -eq 2 ] || die "--file: accepted: --file FILE"
        [ -r "$image" ] || die "$image is not there (run make first)"
        make_file "$2" "$image"
        return
    fi
    [ $# -le 1 ] || die "$2 is one too many; SIZE=, IMAGE= and CONFIG= go before the command"
    if [ -z "$dev" ]; then
        echo "usage: make usb DEV=/dev/sdX [SIZE=512M]   (makes a USB stick of $image)"
        echo "       write-usb.sh --file FILE   (makes a file that other programs write to sticks)"
        list_candidates
        exit 2
    fi
    [ -r "$image" ] || die "$image is not there (run make first)"
    [ -e "$dev" ] || die "$dev does not exist"
    dev=$(readlink -f "$dev")
    name=${dev##*/}
    refuse_unless_safe "$dev" "$name"
    hold "$dev"
    work=$(mktemp -d build/.stick.XXXXXX)
    trap 'rm -rf "$work"' EXIT
    make_copy "$name" "$image"
    choose_pieces
    confirm "$dev" "$name"
    echo "usb: writing $image to a volume of its own on $dev"
    write_pieces "$dev"
    echo "usb: reading it back"
    compare_pieces "$dev"
    echo "usb: written and compared; $dev is safe to remove"
}

# Sourced by a test, it only defines its functions.
[ "${BASH_SOURCE[0]}" != "$0" ] || main "$@"
