#!/bin/bash
# dist-check: makes a release three times and compares their checksums; `make dist-check` runs it.
#
# It makes one in a clone; one in another folder by another user, with another umask, language, time zone and
# number of jobs; and one from the source archive of the first, without git and without the npm registry.
# Changes that are not committed are not in a clone, and so in none of the three releases.
set -euo pipefail

die() {
    echo "dist-check: $*" >&2
    exit 1
}

lay() { # FOLDER
    if [ -e .git ]; then
        git -c safe.directory="$PWD" clone -q . "$1"
    else
        mkdir -p "$1"
        tar -c --exclude=./build . | tar -x -C "$1"
    fi
}

other_user() { # COMMAND...
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"
    else
        echo "dist-check: not root, so the second is by the same user" >&2
        "$@"
    fi
}

release() { # NAME FOLDER COMMAND...: makes a release there
    local name=$1 folder=$2
    shift 2
    echo "dist-check: $name"
    (cd "$folder" && "$@" make INSTALL=no dist) >"$work/$name.log" 2>&1 || {
        tail -n 20 "$work/$name.log" >&2
        die "$name: make dist failed"
    }
    cp "$folder/build/dist/SHA256SUMS" "$work/$name.sums"
}

same() { # NAME
    diff "$work/clone.sums" "$work/$1.sums" || die "$1: other checksums than the clone's"
}

# Make hands its settings down; they must not reach the makes below.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES VERSION SOURCE_DATE_EPOCH DIST BUILD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

lay "$work/a"
release clone "$work/a" env MAKEFLAGS=-j"$(nproc)"

mkdir "$work/elsewhere"
lay "$work/elsewhere/b"
mkdir "$work/home"
[ "$(id -u)" -ne 0 ] || chown -R nobody "$work/elsewhere" "$work/home"
release elsewhere "$work/elsewhere/b" other_user env HOME="$work/home" LC_ALL=C.UTF-8 LANG=de_DE.UTF-8 \
    TZ=Asia/Tokyo sh -c 'umask 077; exec "$@"' sh
same elsewhere

mkdir "$work/unpacked"
tar -x -C "$work/unpacked" --strip-components=1 -f "$work"/a/build/dist/mlpboot-*.tar.gz
printf '#!/bin/sh\nexit 1\n' >"$work/no"
chmod 755 "$work/no"
mkdir "$work/none"
for tool in git npm node; do
    ln -s ../no "$work/none/$tool"
done
release unpacked "$work/unpacked" env PATH="$work/none:$PATH" MAKEFLAGS=-j"$(nproc)"
same unpacked

cat "$work/clone.sums"
echo "dist-check: three times the same"
