#!/bin/bash
# run: boots a private copy of the image in QEMU, shows its console with the verdicts, keeps its results.
#
# It runs in a source tree after `make`, in a release, which has image and commands beside this script, and where
# `make install` put it.
# From the environment: CONFIG, ACCEL, QEMU_ARGS, FIRMWARE and QEMU as for `make run`; IMAGE, another image; TIMEOUT in
# seconds (600); RESULTS_DIR, the folder for the results (build/results; of a release, results).
set -euo pipefail
export LC_ALL=C MTOOLSRC=/dev/null

here=$(dirname "$0")
emulator=${QEMU:-qemu-system-x86_64}
seconds=${TIMEOUT:-600}

die() {
    echo "run: $*" >&2
    exit 1
}

# Sets image, hosted and results, of a source tree or of a release.
find_files() {
    local packed
    packed=$(find "$here" -maxdepth 1 -name 'mlpboot-*.img.gz' -print -quit)
    image=build/mlpboot.img hosted=build/mlpboot-hosted results=build/results
    [ -z "$packed" ] || image=$packed hosted=$here/mlpboot-hosted results=results
    image=${IMAGE:-$image} results=${RESULTS_DIR:-$results}
}

check_inputs() { # sets code and variables, of the firmware
    local firmware tool
    case ${ACCEL:-} in
    '' | tcg | kvm) ;;
    *) die "ACCEL=$ACCEL is not known; accepted: tcg, kvm" ;;
    esac
    [[ $seconds =~ ^[1-9][0-9]*$ ]] || die "TIMEOUT=$seconds is not a number of seconds"
    if [ -n "${CONFIG:-}" ] && { [ -d "$CONFIG" ] || [ ! -r "$CONFIG" ]; }; then
        die "CONFIG=$CONFIG is not a file that can be read"
    fi
    [ -r "$image" ] || die "$image is not there (run make first)"
    for tool in "$emulator:qemu-system-x86" mcopy:mtools perl:perl; do
        command -v "${tool%:*}" >/dev/null || die "${tool%:*} is not there (Debian package ${tool##*:})"
    done
    firmware=$(sh "$here/find-ovmf.sh") || exit 1
    { read -r code && read -r variables; } <<<"$firmware"
    # The image looks at a configuration, too; what was downloaded may not be executable.
    [ -z "${CONFIG:-}" ] || [ ! -x "$hosted" ] || "$hosted" check-config "$CONFIG" >/dev/null || exit 1
}

# Sets finish = shutdown: nobody is there to press the key for `finish = wait`, and `reboot` would run for ever.
finish_by_shutdown() { # < configuration > configuration
    awk '
        { line = $0; sub(/^\357\273\277/, "", line); sub(/\r$/, "", line); sub(/[ \t]*#.*/, "", line) }
        line ~ /^[ \t]*finish[ \t]*=/ {
            found = 1
            if (line !~ /=[ \t]*shutdown[ \t]*$/) {
                print "run: for this run \"" line "\" becomes \"finish = shutdown\"" > "/dev/stderr"
                $0 = "finish = shutdown"
            }
        }
        { print }
        END { if (!found) print "finish = shutdown" }'
}

prepare_volume() {
    local volume=$work/mlpboot.img@@1M
    case $image in
    *.gz) gzip -dc "$image" | dd of="$work/mlpboot.img" bs=1M iflag=fullblock conv=sparse status=none ;;
    *) cp --sparse=always "$image" "$work/mlpboot.img" ;;
    esac
    # The results found afterwards must be those of this run.
    mdeltree -i "$volume" ::/results
    mmd -i "$volume" ::/results
    if [ -n "${CONFIG:-}" ]; then
        cat "$CONFIG" >"$work/given.cfg"
    else
        mtype -i "$volume" ::/mlpboot.cfg >"$work/given.cfg"
    fi
    finish_by_shutdown <"$work/given.cfg" >"$work/mlpboot.cfg"
    mcopy -o -i "$volume" "$work/mlpboot.cfg" ::/mlpboot.cfg
}

# Sets the options of a TPM that fails, where QEMU can make one: edk2 looks for one that is not there for 1.6 seconds,
# and for this one no time at all. The file holds the answer to the first command, that it is a TPM 2.0, and no other.
set_tpm() {
    tpm=()
    [[ $("$emulator" -tpmdev help 2>&1) == *passthrough* ]] || return 0
    printf '%b' '\0\0\0\0\0\0\0\0\0\0\x80\01\0\0\0\x0a\0\0\0\0' >"$work/tpm"
    tpm=(-tpmdev "passthrough,id=tpm,path=$work/tpm,cancel-path=/dev/null" -device "tpm-tis,tpmdev=tpm")
}

set_qemu() { # ACCELERATOR: sets the command without disk and console
    local with_code=()
    cp "$variables" "$work/vars.fd"
    [ "$code" = "$variables" ] || with_code=(-drive "if=pflash,format=raw,readonly=on,file=$code")
    set_tpm
    qemu=("$emulator" -machine "q35,sata=off" -accel "$1" -cpu max -m 512
        -nodefaults -display none -no-reboot
        "${with_code[@]}"
        -drive "if=pflash,format=raw,file=$work/vars.fd" "${tpm[@]}")
}

# A /dev/kvm that opens proves little (nested, filtered, too old): only a firmware that speaks does.
kvm_boots() {
    local pid tries
    [ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
    set_qemu kvm
    : >"$work/probe"
    {
        "${qemu[@]}" -serial "file:$work/probe" </dev/null >/dev/null &
        pid=$!
        for ((tries = 0; tries < 30; tries++)); do
            if [ -s "$work/probe" ] || ! kill -0 $pid; then break; fi
            sleep 0.1
        done
        kill -KILL $pid
        wait $pid
    } 2>/dev/null || true
    [ -s "$work/probe" ]
}

choose_accelerator() {
    accelerator=tcg
    if [ "${ACCEL:-}" != tcg ] && kvm_boots; then
        accelerator=kvm
    elif [ "${ACCEL:-}" = kvm ]; then
        die "kvm does not boot the firmware here (ACCEL=tcg would)"
    elif [ -z "${ACCEL:-}" ] && [ -e /dev/kvm ]; then
        echo "run: kvm does not boot the firmware here; using tcg"
    fi
}

# Passes text on as it comes, less the sequences by which firmware would clear the onlooker's screen. A file gets whole
# lines, each as a screen shows it in the end: progress is written over and over.
plain_text() {
    perl -e '$| = 1; my $text = ""; my $open = -t STDOUT ? qr/(\r+|\e[^A-Za-z]*)\z/ : qr/([^\n]*)\z/;
        while (sysread STDIN, $text, 4096, length $text) {
            $text =~ s/\e\[[0-9;=?]*[A-Za-z]//g;
            my $rest = $text =~ s/$open// ? $1 : ""; # may go on in the next piece
            $text =~ s/\r+\n/\n/g;
            $text =~ s/[^\n]*\r//g unless -t STDOUT;
            print $text; $text = $rest } print "$text\n"'
}

boot() { # sets status, of QEMU, and how it ended in words
    set_qemu $accelerator
    status=0
    # shellcheck disable=SC2086 # QEMU_ARGS are words
    timeout --foreground -k 5 "$seconds" "${qemu[@]}" -serial stdio \
        -drive "if=virtio,format=raw,file=$work/mlpboot.img" ${QEMU_ARGS:-} </dev/null \
        2> >(grep -v ': tpm_passthrough: ' >&2) | plain_text ||
        status=${PIPESTATUS[0]}
    how="QEMU's exit code: $status"
    if [ "$status" -eq 124 ]; then how="stopped after $seconds s, see TIMEOUT"; fi
}

keep_results() { # sets kept: the folder on the host, a new one each time
    local newest number
    local said
    said=$(sh "$here/read-results.sh" "$work/mlpboot.img" "$work/results" 2>&1) ||
        die "the run left no results ($how; ${said##*$'\n'})"
    newest=$(find "$work/results" -mindepth 1 -maxdepth 1 | sort | tail -n 1)
    mkdir -p "$results"
    number=$(find "$results" -maxdepth 1 -name '[0-9][0-9][0-9][0-9]' -printf '%f\n' | sort | tail -n 1)
    kept=$results/$(printf %04d $((10#${number:-0} + 1)))
    mkdir "$kept"
    cp -r "$newest/." "$kept/"
    ln -sfn "${kept##*/}" "$results/latest"
}

check_log() {
    local last
    # Behind a log that did not end there is room, which its run has filled with line ends, or FAT with zeros.
    last=$({ tr -d '\0\r' <"$kept/log.txt" | grep . | tail -n 1; } 2>/dev/null) || true
    [ "$last" = "event=done status=done" ] ||
        die "the run did not end well: $kept/log.txt ends with \"$last\" ($how)"
    [ "$status" -eq 0 ] || die "the run ended well, but QEMU did not ($how)"
    echo "run: done; results in $kept"
}

find_files
check_inputs
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
choose_accelerator
prepare_volume
echo "run: QEMU with $accelerator, at most $seconds s"
boot
keep_results
check_log
