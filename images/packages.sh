#!/bin/sh
# packages: checks for the files of the named Debian packages, and installs packages whose files are missing.
#
# It looks for the tool, the header or the file, not for the package: a machine without dpkg builds as well.
# INSTALL=no, from the environment or as `make INSTALL=no`, prints the missing packages and calls no apt.
set -eu
export PATH="$PATH:/usr/sbin:/sbin"

# Lists the contents that each package is for: a command, a file (/...), a header (<...>), a module of Python
# (import:...), a library of clang's (clang:...). A package not listed here brings a command of its own name.
packages() {
    cat <<END
binutils                  ld.bfd objcopy strip
bochs                     bochs
bochs-term                /usr/lib/x86_64-linux-gnu/bochs/plugins/libbx_term_gui.so
chromium-driver           chromedriver
clang                     clang
debhelper                 dh
dnsmasq-base              dnsmasq
dosfstools                mkfs.fat fsck.fat
dpkg-dev                  dpkg-buildpackage
efitools                  cert-to-efi-sig-list
gcc                       ${CC:-gcc}
gdisk                     sgdisk
gnu-efi                   /usr/include/efi/efi.h /usr/include/efi/x86_64/efibind.h
grub-common               grub-mkimage
grub-efi-amd64-bin        /usr/lib/grub/x86_64-efi/moddep.lst
ipxe                      /usr/lib/ipxe/snponly.efi
iproute2                  ip
libc6-dev                 <stdio.h> <pthread.h>
libclang-rt-dev           clang:libclang_rt.fuzzer-x86_64.a
libcmocka-dev             <cmocka.h>
libnginx-mod-http-dav-ext /usr/lib/nginx/modules/ngx_http_dav_ext_module.so
librsvg2-bin              rsvg-convert
mtools                    mcopy mmd mdir
nginx-light               nginx
nodejs                    node
ovmf                      /usr/share/OVMF/OVMF_CODE_4M.fd
poppler-utils             pdftotext
postgresql                /usr/bin/pg_ctlcluster
python3                   import:zipfile
python3-hypothesis        import:hypothesis
python3-jsonschema        import:jsonschema
python3-psycopg2          import:psycopg2
python3-pytest            import:pytest
python3-pytest-xdist      import:xdist
python3-selenium          import:selenium
qemu-system-x86           qemu-system-x86_64
qemu-utils                qemu-img
sbsigntool                sbsign sbverify
shim-helpers-amd64-signed /usr/lib/shim/mmx64.efi.signed
shim-signed               /usr/lib/shim/shimx64.efi.signed
tftp-hpa                  tftp
tftpd-hpa                 in.tftpd
u-boot-qemu               /usr/lib/u-boot/qemu-x86_64/u-boot.rom
vgabios                   /usr/share/vgabios/vgabios.bin
END
}

die() {
    echo "packages: $*" >&2
    exit 1
}

# shellcheck disable=SC2086 # the compiler and its flags may be several words
is_there() { # WHAT
    case $1 in
    /*) [ -e "$1" ] ;;
    '<'*) echo "#include $1" | ${CC:-gcc} ${CPPFLAGS:-} -E -x c - ;;
    import:*) /usr/bin/python3 -c "import importlib.util as i, sys; sys.exit(not i.find_spec('${1#*:}'))" ;;
    clang:*) [ -e "$(clang --print-file-name="${1#*:}")" ] ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

# Prints the missing contents of a package, or nothing.
missing_of() { # PACKAGE
    for what in $(packages | awk -v name="$1" \
        '$1 == name { $1 = ""; print; found = 1 } END { if (!found) print name }'); do
        is_there "$what" || echo "$what"
    done
}

# Sets missing, the packages, and needed, the contents that they would bring.
look() { # PACKAGE...
    missing='' needed=''
    for package in "$@"; do
        what=$(missing_of "$package" | paste -sd ' ' -)
        [ -n "$what" ] || continue
        missing="$missing $package"
        needed="$needed
  $what (Debian package $package)"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

look "$@"
[ -n "$missing" ] || exit 0

# Two parts of a build may find something missing at once; apt serves one of them. The lock is on this file.
if command -v flock >/dev/null; then
    exec 9<"$0"
    flock 9
    look "$@"
    [ -n "$missing" ] || exit 0
fi

[ "${INSTALL:-}" != no ] || die "INSTALL=no, and not installed:$needed"
command -v apt-get >/dev/null ||
    die "there is no apt-get here to install what is missing:$needed"
[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
    die "there is no sudo here, so run as root: apt-get install$missing
what is missing:$needed"

echo "packages: installing$missing"
as_root apt-get -q update || die "apt-get update failed; still missing:$needed"
# shellcheck disable=SC2086 # a list of names
as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $missing ||
    die "apt-get install failed; still missing:$needed"
look "$@"
[ -z "$missing" ] || die "installed, and yet missing:$needed"
