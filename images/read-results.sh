#!/bin/sh
# read-results: copies the results off an image or a stick, each run whole or not at all.
#
# A run that is in the folder already, byte for byte, is left alone. Another of the same name gets a name of
# its own. Exits with 0 when every run that is on the stick is in the folder. A stick may be anybody's: its names
# are neither printed nor used before they have been looked at.
set -euf
export MTOOLSRC=/dev/null MTOOLS_SKIP_CHECK=1 LC_ALL=C

die() {
    echo "read-results: $*" >&2
    exit 1
}

bytes() { # START COUNT: of $from, in hexadecimal
    dd if="$from" bs=1 skip="$1" count="$2" 2>/dev/null | od -An -v -tx1 | tr -d ' \n'
}

number() { # START COUNT: a little-endian number
    hex=$(bytes "$1" "$2" | sed 's/../& /g' | tr ' ' '\n' | tac | tr -d '\n')
    echo $((0x${hex:-0}))
}

is_fat() { # START
    [ "$(bytes $(($1 + 510)) 2)" = 55aa ] || return 1
    case $(bytes $(($1 + 54)) 3)$(bytes $(($1 + 82)) 3) in *464154*) ;; *) return 1 ;; esac # FAT
}

# Prints the places where a volume may begin: the disk's start, and those in the partition tables, in bytes.
starts() {
    echo 0
    for sector in 512 4096; do
        [ "$(bytes $sector 8)" = 4546492050415254 ] || continue # EFI PART
        entry=$(($(number $((sector + 72)) 8) * sector))
        count=$(number $((sector + 80)) 4)
        size=$(number $((sector + 84)) 4)
        if [ "$size" -lt 128 ] || [ "$size" -gt 4096 ]; then continue; fi
        [ "$count" -le 16 ] || count=16
        while [ "$count" -gt 0 ]; do
            first=$(number $((entry + 32)) 8)
            [ "$first" -eq 0 ] || echo $((first * sector))
            entry=$((entry + size)) count=$((count - 1))
        done
    done
    for entry in 446 462 478 494; do
        first=$(number $((entry + 8)) 4)
        [ "$first" -eq 0 ] || echo $((first * 512))
    done
}

# True if the volume's last byte is there: mtools silently reads the missing end of a cut image as zeros.
is_whole() { # START
    sectors=$(number $(($1 + 19)) 2)
    [ "$sectors" -ne 0 ] || sectors=$(number $(($1 + 32)) 4)
    [ -n "$(bytes $(($1 + sectors * $(number $(($1 + 11)) 2) - 1)) 1)" ]
}

find_volume() { # sets volume, as mtools takes it: the first that holds results
    volume=
    for start in $(starts); do
        is_fat "$start" || continue
        is_whole "$start" || die "$from is cut short: its volume goes on beyond its end"
        volume=$from@@$start
        if mdir -b -i "$volume" ::/results >/dev/null 2>&1; then return; fi
    done
    [ -n "$volume" ] || die "$from has no FAT volume"
    die "$from has no readable results folder"
}

machine_of() { # FOLDER of a run
    # If power was cut while run.json was written, run.bak is whole.
    id=$(cat "$1/run.json" "$1/run.bak" 2>/dev/null |
        sed -n '/"machine": {/,/}/ s/.*"id": "\([0-9a-f]*\)".*/\1/p' | head -n 1)
    echo "${id:-other}"
}

# Sets runs, a line each, and missing: the folders that cannot be copied for their names.
find_runs() {
    listed=$(mdir -b -i "$volume" ::/results)
    runs=$(echo "$listed" | sed -n 's|^::/results/\([A-Za-z0-9_][A-Za-z0-9_.,()+=~ -]*\)/$|\1|p' | sort -fu)
    folders=$(echo "$listed" | grep -c '/$') || die "$from holds no results yet"
    missing=$((folders - $(printf '%s' "$runs" | grep -c '^')))
    [ $missing -eq 0 ] || echo "read-results: $from has folders of names that no run has, or that two have" >&2
}

# Copies the files that the image leaves, each by its name: mcopy -s goes into a folder that contains itself
# until its stack ends.
copy_files() { # RUN FOLDER
    mkdir "$2"
    listed=$(mdir -b -i "$volume" "::/results/$1") || return 1
    for name in results.csv verdicts.csv run.json run.bak log.txt report.html; do
        case $(echo "$listed" | grep -Fcix "::/results/$1/$name") in
        0) ;;
        1) mcopy -m -i "$volume" "::/results/$1/$name" "$2/$name" || return 1 ;;
        *) return 1 ;;
        esac
    done
}

# Copies a run beside its place, then moves it there whole: a folder that is there is complete.
copy_run() { # RUN
    if ! copy_files "$1" "$work/$1"; then
        echo "read-results: copying $1 from $from failed" >&2
        return 1
    fi
    target=$to/$1
    others=1
    while [ -e "$target" ]; do
        if diff -r "$work/$1" "$target" >/dev/null 2>&1; then
            echo "$target: already there, the same"
            return
        fi
        target=$to/$1-$(machine_of "$work/$1")
        if [ $others -gt 1 ]; then target=$target-$others; fi
        others=$((others + 1))
    done
    mv -T "$work/$1" "$target"
    if [ "$others" -eq 1 ]; then
        echo "$target"
    else
        echo "$target: $to/$1 is another run"
    fi
}

case $# in
1) from=build/mlpboot.img to=$1 ;;
2) from=$1 to=$2 ;;
*) die "usage: read-results.sh [IMAGE_OR_DEVICE] FOLDER   (default image: build/mlpboot.img)" ;;
esac
for tool in mcopy mdir; do
    command -v $tool >/dev/null || die "$tool is not installed (package: mtools)"
done
[ -e "$from" ] || die "$from does not exist"
[ -r "$from" ] || die "cannot read $from (a stick needs root: sudo)"

find_volume
find_runs
mkdir -p "$to"
work=$(mktemp -d "$to/.copying.XXXXXX") || die "cannot write to $to"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
IFS='
' # names may hold blanks
for run in $runs; do
    copy_run "$run" || missing=$((missing + 1))
done
[ $missing -eq 0 ] || die "$missing of the runs on $from could not be copied"
