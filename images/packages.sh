#!/bin/sh
# packages: installs those of the named Debian packages that are missing; silent when none is.
# With --tool NAME first it does nothing where that command is there, whoever brought it.
set -eu

die() {
    echo "packages: $*" >&2
    exit 1
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

if [ "${1:-}" = --tool ]; then
    if command -v "$2" >/dev/null; then exit 0; fi
    shift 2
fi

missing=
for package in "$@"; do
    is_installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

command -v apt-get >/dev/null ||
    die "needed but not installed:$missing; there is no apt-get here to install them with"
[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
    die "needed but not installed:$missing; there is no sudo here, so run as root: apt-get install$missing"

echo "packages: installing$missing"
as_root apt-get -q update || die "apt-get update failed; still needed:$missing"
# shellcheck disable=SC2086 # a list of names
as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $missing ||
    die "apt-get install failed; still needed:$missing"
