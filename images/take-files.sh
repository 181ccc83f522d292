#!/bin/sh
# take-files: copies what is on an image to a folder. Usage: take-files.sh IMAGE FOLDER
#
# From the environment: CONFIG, another mlpboot.cfg than that of the image, refused here where the image would
# refuse it; HOSTED, the Linux process that tells.
set -eu
export MTOOLSRC=/dev/null

die() {
    echo "files: $*" >&2
    exit 1
}

mcopy -s -i "$1@@1M" '::/*' "$2" 2>/dev/null || die "$1 is not an image of ours"
[ -n "${CONFIG:-}" ] || exit 0

if [ -d "$CONFIG" ] || [ ! -r "$CONFIG" ]; then die "CONFIG=$CONFIG is not a file that can be read"; fi
hosted=$(realpath "${HOSTED:-build/mlpboot-hosted}")
[ -x "$hosted" ] || die "$hosted is not there (run make first)"
cat "$CONFIG" >"$2/mlpboot.cfg"
wrong=$(cd "$2" && "$hosted" check-config mlpboot.cfg 2>&1) ||
    die "$CONFIG would be refused when it is booted: $wrong"
