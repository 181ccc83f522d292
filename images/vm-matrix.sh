#!/bin/bash
# vm-matrix: runs the image four times in a VM, with large and small host and guest pages; prints one table.
#
# H0: the host backs the guest's memory with huge pages, H1: with 4 KB ones; G0: the guest maps the
# array with 2 MB pages, G1: with 4 KB ones (IIT Delhi, "Experiments on memory-level parallelism",
# 2018, chapter 3). The virtual processor stays on one of the host's.
#
# From the environment: ACCEL=tcg goes through the motions where KVM cannot boot the firmware, and
# says in every file that it did; CPU, the host's processor to stay on; CONFIG, the configuration
# except for pages and case; MATRIX_DIR, the folder for the results
# (build/vm-matrix).
set -euo pipefail
export LC_ALL=C

here=$(dirname "$0")
matrix=${MATRIX_DIR:-build/vm-matrix}
megabytes=512

die() {
    echo "vm-matrix: $*" >&2
    exit 1
}

check_inputs() {
    case ${ACCEL:-kvm} in
    tcg | kvm) accelerator=${ACCEL:-kvm} ;;
    *) die "ACCEL=$ACCEL is not known; accepted: tcg, kvm" ;;
    esac
    cpu=${CPU:-$(taskset -cp $$ | sed 's/.*[ ,-]//')}
    taskset -c "$cpu" true 2>/dev/null || die "CPU=$cpu is no processor that this process may run on"
    if [ -n "${CONFIG:-}" ] && { [ -d "$CONFIG" ] || [ ! -r "$CONFIG" ]; }; then
        die "CONFIG=$CONFIG is not a file that can be read"
    fi
}

# Prints a combination's configuration; an emulated run says so in the name of every case as well.
write_config() { # HOST GUEST
    local pages=2m emulated=
    [ "$2" = G0 ] || pages=4k
    [ "$accelerator" = kvm ] || emulated=-tcg
    if [ -n "${CONFIG:-}" ]; then
        grep -vE '^[[:space:]]*(pages|case|label|finish)[[:space:]]*=' "$CONFIG" || true
    fi
    echo "pages = $pages"
    echo "case = $(echo "$1$2" | tr HG hg)$emulated"
    echo "label = $1$2 under $accelerator${emulated:+: emulated, times mean nothing}"
    echo "finish = shutdown"
}

# Prints the guest's memory: anonymous memory gets huge pages, which QEMU requests; by default, a memfd does not.
host_memory() { # HOST
    case $1 in
    H0) echo "memory-backend-ram,id=ram,size=${megabytes}M,prealloc=on" ;;
    H1) echo "memory-backend-memfd,id=ram,size=${megabytes}M,prealloc=on" ;;
    esac
}

# Prints the megabytes of the guest's memory that stand on huge pages of the host's, while QEMU runs.
huge_megabytes() { # PIDFILE
    awk '/^(AnonHugePages|ShmemPmdMapped|FilePmdMapped|Private_Hugetlb|Shared_Hugetlb):/ { kb += $2 }
         END { printf "%d\n", kb / 1024 }' "/proc/$(cat "$1")/smaps" 2>/dev/null || echo 0
}

watch_huge_pages() { # PIDFILE FILE: keeps the most that was seen
    local most=0 now
    while sleep 0.3; do
        [ ! -s "$1" ] || now=$(huge_megabytes "$1")
        if [ "${now:-0}" -gt "$most" ]; then most=$now; fi
        echo "$most" >"$2"
    done
}

run_one() { # HOST GUEST
    local name=$1$2 watcher status=0
    [ "$accelerator" = kvm ] || name+=-tcg
    echo "vm-matrix: $name"
    write_config "$1" "$2" >"$work/$name.cfg"
    watch_huge_pages "$work/pid" "$work/$name.huge" &
    watcher=$!
    CONFIG=$work/$name.cfg RESULTS_DIR=$work/$name ACCEL=$accelerator \
        QEMU_ARGS="-object $(host_memory "$1") -machine memory-backend=ram -pidfile $work/pid ${QEMU_ARGS:-}" \
        taskset -c "$cpu" bash "$here/run.sh" >"$work/$name.txt" 2>&1 || status=$?
    kill $watcher
    wait $watcher 2>/dev/null || true
    if [ $status -ne 0 ]; then
        tail -n 20 "$work/$name.txt" >&2
        die "$name failed"
    fi
    rm -rf "${matrix:?}/$name"
    mkdir -p "$matrix"
    cp -r "$work/$name/0001" "$matrix/$name"
    check_host_pages "$1" "$(cat "$work/$name.huge")"
}

# Notes a wrong label: the host may have had no huge pages to give, or may have given them unasked.
check_host_pages() { # HOST MEGABYTES
    local some=$((megabytes / 10))
    if [ "$1" = H0 ] && [ "$2" -lt $((megabytes - some)) ]; then
        echo "vm-matrix: H0, but only $2 of $megabytes MB stand on huge pages of the host's" |
            tee -a "$matrix/notes.txt"
    elif [ "$1" = H1 ] && [ "$2" -gt $some ]; then
        echo "vm-matrix: H1, but $2 of $megabytes MB stand on huge pages of the host's" |
            tee -a "$matrix/notes.txt"
    fi
}

value() { # FOLDER VERDICT
    awk -F, -v name="$2" '$3 == name { print $4 == "" ? "-" : $4 (($8 == "ok") ? "" : " ?"); exit }' \
        "$1/verdicts.csv"
}

show_table() {
    local combination name
    echo
    echo "case        effective MLP    one load (ticks)    two sequential (ticks)"
    for combination in $combinations; do
        name=$combination
        [ "$accelerator" = kvm ] || name+=-tcg
        printf '%-10s  %13s    %16s    %22s\n' "$name" "$(value "$matrix/$name" mlp)" \
            "$(value "$matrix/$name" one_load)" "$(value "$matrix/$name" two_sequential)"
    done
    echo
    echo "H: host, G: guest; 0: huge pages, 1: 4 KB pages. ?: in doubt, see verdicts.csv"
    [ "$accelerator" = kvm ] || echo "Emulated (tcg): this shows that it works; the times mean nothing."
}

check_inputs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
combinations="H0G0 H0G1 H1G1 H1G0"
rm -f "$matrix/notes.txt"
for combination in $combinations; do
    run_one "${combination:0:2}" "${combination:2:2}"
done
show_table | tee "$work/table.txt"
cp "$work/table.txt" "$matrix/table.txt"
echo "vm-matrix: results in $matrix"
