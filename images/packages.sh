#!/bin/sh
# packages: looks for what a purpose needs, and installs the Debian packages of what is missing.
#
# usage: packages.sh PURPOSE...         checks, and installs by apt-get
#        packages.sh --list PURPOSE...  prints the names of the Debian packages
#
# It looks for the tool, the header or the file, not for the package: a machine without dpkg builds as well.
# From the environment, or as `make INSTALL=no`: INSTALL=no installs nothing and fails if something is missing;
# INSTALL=skip goes on without it. CC, CPPFLAGS, LD, OBJCOPY, EFI_INCLUDE, FIRMWARE and QEMU are as the Makefile has them.
set -eu
here=$(dirname "$0")
export PATH="$PATH:/usr/sbin:/sbin"

# Each purpose in words. A run goes on without the packages of a weak purpose: the tests that need them are skipped.
purposes() {
    cat <<END
hosted   strong  the Linux command
image    strong  the boot image
iso      strong  the ISO
run      strong  QEMU
page     strong  the page, whose sources were changed
sign     strong  signing
dist     strong  a release
deb      strong  the Debian package
clean    strong  the Debian package, in a Debian of its own
unit     strong  unit tests
check    strong  static checks
fuzz     strong  fuzzing
covered  strong  coverage
pictures strong  README's pictures
roots    strong  Debian's releases
container strong  the container
machines strong  tests of machines and commands
lint     weak    eslint and accessibility of the page
test     weak    every test
END
}

# A row for each package: its purpose; its names on Debian (others/that/do after a stroke), Fedora, Arch and openSUSE
# (-: none known); and what it is there for: a command, a file (/...), a header (<...>), a module of Python (import:...),
# a library of clang's (clang:...), the firmware (ovmf:), or EFI's headers (efi:).
packages() {
    cat <<END
hosted   gcc                       gcc                  gcc                    gcc                    ${CC:-gcc}
hosted   libc6-dev                 glibc-devel          glibc                  glibc-devel            <stdio.h> <pthread.h>
image    binutils                  binutils             binutils               binutils               ${LD:-ld.bfd} ${OBJCOPY:-objcopy} strip
image    gnu-efi                   gnu-efi-devel        gnu-efi                gnu-efi                efi:efi.h efi:x86_64/efibind.h
image    mtools                    mtools               mtools                 mtools                 mcopy mmd mdir
image    dosfstools                dosfstools           dosfstools             dosfstools             mkfs.fat fsck.fat
image    fdisk                     util-linux           util-linux             util-linux             fdisk
image    python3                   python3              python                 python3                import:zipfile
image    python3-markdown-it       python3-markdown-it-py python-markdown-it-py python3-markdown-it-py import:markdown_it
iso      xorriso                   xorriso              libisoburn             xorriso                xorriso
run      qemu-system-x86           qemu-system-x86      qemu-system-x86        qemu-x86               ${QEMU:-qemu-system-x86_64}
run      ovmf                      edk2-ovmf            edk2-ovmf              qemu-ovmf-x86_64       ovmf:
page     nodejs                    nodejs               nodejs                 nodejs                 node
page     npm                       nodejs-npm           npm                    npm                    npm
lint     npm                       nodejs-npm           npm                    npm                    npm
sign     sbsigntool                sbsigntools          sbsigntools            sbsigntools            sbsign sbverify
sign     openssl                   openssl              openssl                openssl                openssl
deb      dpkg-dev                  dpkg-dev             dpkg                   dpkg                   dpkg-buildpackage
deb      debhelper                 debhelper            debhelper              debhelper              dh
deb      fakeroot                  fakeroot             fakeroot               fakeroot               fakeroot
deb      lintian                   lintian              -                      -                      lintian
clean    mmdebstrap                mmdebstrap           -                      mmdebstrap             mmdebstrap
container mmdebstrap               mmdebstrap           -                      mmdebstrap             mmdebstrap
container buildah                  buildah              buildah                buildah                buildah
roots    mmdebstrap                mmdebstrap           -                      mmdebstrap             mmdebstrap
unit     libcmocka-dev             libcmocka-devel      cmocka                 libcmocka-devel        <cmocka.h>
unit     binutils                  binutils             binutils               binutils               objdump
unit     python3                   python3              python                 python3                import:zipfile
check    gnu-efi                   gnu-efi-devel        gnu-efi                gnu-efi                efi:efi.h
check    clang                     clang                clang                  clang                  clang
check    clang-format              clang-tools-extra    clang                  clang-tools            clang-format
check    shellcheck                ShellCheck           shellcheck             ShellCheck             shellcheck
check    nodejs                    nodejs               nodejs                 nodejs                 node
fuzz     clang                     clang                clang                  clang                  clang
fuzz     libclang-rt-dev           compiler-rt          compiler-rt            clang-devel            clang:libclang_rt.fuzzer-x86_64.a
covered  gcovr                     gcovr                gcovr                  gcovr                  gcovr
pictures pngquant                  pngquant             pngquant               pngquant               pngquant
test     libclang-rt-dev           compiler-rt          compiler-rt            clang-devel            clang:libclang_rt.asan-x86_64.a
machines mandoc                    mandoc               mandoc                 mandoc                 mandoc
machines python3-pytest            python3-pytest       python-pytest          python3-pytest         import:pytest
machines python3-pytest-xdist      python3-pytest-xdist python-pytest-xdist    python3-pytest-xdist   import:xdist
machines python3-hypothesis        python3-hypothesis   python-hypothesis      python3-hypothesis     import:hypothesis
machines python3-jsonschema        python3-jsonschema   python-jsonschema      python3-jsonschema     import:jsonschema
test     python3-yaml              python3-pyyaml       python-yaml            python3-PyYAML         import:yaml
test     python3-psycopg2          python3-psycopg2     python-psycopg2        python3-psycopg2       import:psycopg2
test     python3-selenium          python3-selenium     python-selenium        python3-selenium       import:selenium
test     chromium-headless-shell/chromium chromium-headless chromium           chromium               chromium-headless-shell/chromium
test     chromium-driver/chromium-chromedriver chromedriver chromium           chromedriver           chromedriver
test     poppler-utils             poppler-utils        poppler                poppler-tools          pdftotext
test     librsvg2-bin              librsvg2-tools       librsvg                rsvg-convert           rsvg-convert
test     bochs                     bochs                bochs                  bochs                  bochs
test     bochs-term                bochs                bochs                  bochs                  /usr/lib/x86_64-linux-gnu/bochs/plugins/libbx_term_gui.so
test     vgabios                   -                    -                      -                      /usr/share/vgabios/vgabios.bin
test     u-boot-qemu               -                    -                      -                      /usr/lib/u-boot/qemu-x86_64/u-boot.rom
test     nbdkit                    nbdkit               nbdkit                 nbdkit                 nbdkit
test     postgresql                postgresql-server    postgresql             postgresql-server      /usr/bin/pg_ctlcluster
test     sqlite3                   sqlite               sqlite                 sqlite3                sqlite3
test     gdisk                     gdisk                gptfdisk               gptfdisk               sgdisk
test     sbsigntool                sbsigntools          sbsigntools            sbsigntools            sbsign sbverify
test     openssl                   openssl              openssl                openssl                openssl
test     shim-signed               shim-x64             -                      shim                   /usr/lib/shim/shimx64.efi.signed
test     shim-helpers-amd64-signed shim-x64             -                      shim                   /usr/lib/shim/mmx64.efi.signed
test     dnsmasq-base              dnsmasq              dnsmasq                dnsmasq                dnsmasq
test     nginx-light               nginx                nginx                  nginx                  nginx
test     tftpd-hpa                 tftp-server          tftp-hpa               tftp                   in.tftpd
test     ipxe                      ipxe-bootimgs-x86    ipxe                   ipxe-bootimgs          /usr/lib/ipxe/snponly.efi
test     iproute2                  iproute              iproute2               iproute2               ip
test     grub-common               grub2-tools          grub                   grub2                  grub-mkimage
test     grub-efi-amd64-bin        grub2-efi-x64-modules grub                  grub2-x86_64-efi       /usr/lib/grub/x86_64-efi/moddep.lst
END
}

# The services of packages that the tests start by themselves, where and when they need them.
SERVICES="nginx-light:nginx postgresql:postgresql tftpd-hpa:tftpd-hpa"

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
    efi:*) [ -e "${EFI_INCLUDE:-/usr/include/efi}/${1#*:}" ] ;;
    ovmf:) sh "$here/find-ovmf.sh" ;;
    */*) is_there "${1%%/*}" || is_there "${1#*/}" ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

# Prints the rows of these purposes that have something missing, with that in the place of what they look for.
# shellcheck disable=SC2086,SC2046 # rows are words
missing_rows() { # PURPOSE...
    packages | while read -r purpose debian fedora arch suse contents; do
        case " $* " in *" $purpose "*) ;; *) continue ;; esac
        lost=
        for what in $contents; do
            is_there "$what" || lost="$lost $what"
        done
        [ -z "$lost" ] || echo $purpose $debian $fedora $arch $suse $lost
    done
}

words_of() { # PURPOSE
    purposes | sed -n "s/^$1  *[a-z]*  *//p"
}

# Prints what is missing, a line for each purpose.
by_purpose() { # < rows
    while read -r purpose debian _ _ _ contents; do
        echo "$(words_of "$purpose"):${debian%%/*} ($contents)"
    done | awk '{ n = index($0, ":"); word = substr($0, 1, n - 1); rest = substr($0, n + 1)
        if (!(word in text)) { order[++words] = word; text[word] = rest } else text[word] = text[word] ", " rest }
        END { for (i = 1; i <= words; i++) print "  for " order[i] ": " text[order[i]] }'
}

column() { # NUMBER < rows: each name once
    awk -v n="$1" '{ sub("/.*", "", $n) } $n != "-" && !seen[$n]++ { printf " %s", $n }'
}

# Prints the names that other systems usually have for the same.
elsewhere() {
    echo "usual names elsewhere:
  Fedora:  $(echo "$rows" | column 3)
  Arch:    $(echo "$rows" | column 4)
  openSUSE:$(echo "$rows" | column 5)
INSTALL=skip goes on without them. EFI_INCLUDE=folder, FIRMWARE=file, CC=, LD= and OBJCOPY= name what lies elsewhere."
}

# Fails for want of strong purposes. Packages of weak ones are named, and the command goes on.
finish() { # WHY
    [ -n "$rows" ] || return 0
    weak=$(purposes | awk '$2 == "weak" { printf " %s", $1 }')
    strong=$(echo "$rows" | awk -v weak="$weak " '!index(weak, " " $1 " ")')
    if [ "${INSTALL:-}" = skip ] || [ -z "$strong" ]; then
        echo "packages: $1; going on without:$(echo "$rows" | column 2)"
        exit 0
    fi
    die "$1; missing:
$(echo "$rows" | by_purpose)
Debian, Ubuntu: apt-get install$(echo "$rows" | column 2)
$(elsewhere)"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Prints the first of the names of each row that apt knows. apt installs nothing at all if it does not know one.
known() { # < rows
    while read -r _ debian _; do
        for name in $(echo "$debian" | tr / ' '); do
            if apt-cache show "$name" 2>/dev/null | grep -q '^Filename'; then
                echo "$name"
                break
            fi
        done
    done | sort -u
}

# Installs packages, and no package starts a server meanwhile: policy-rc.d, which is Debian's way of saying so, is
# there until the end. Nor does the next boot start what was not there before.
# shellcheck disable=SC2016 # the inner shell expands them
install_quietly() { # PACKAGE...
    as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C sh -c '
        policy=/usr/sbin/policy-rc.d services=$1
        shift
        if [ ! -e $policy ]; then
            trap "rm -f $policy" EXIT
            trap "exit 1" HUP INT TERM
            printf "#!/bin/sh\nexit 101\n" >$policy
            chmod 755 $policy
        fi
        apt-get -q -y -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 --no-install-recommends install "$@" || exit 1
        for pair in $services; do
            case " $* " in *" ${pair%:*} "*) systemctl -q disable "${pair#*:}" || : ;; esac
        done' sh "$SERVICES" "$@"
}

case ${INSTALL:-} in '' | no | skip) ;; *) die "INSTALL=$INSTALL is not known; accepted: no, skip" ;; esac
list=no
if [ "${1:-}" = --list ]; then
    list=yes
    shift
fi
for purpose in "$@"; do
    [ -n "$(words_of "$purpose")" ] || die "$purpose is no purpose; there are: $(purposes | awk '{ printf " %s", $1 }')"
done
if [ $list = yes ]; then
    packages | awk -v wanted=" $* " 'index(wanted, " " $1 " ")' | column 2 | cut -c 2-
    exit 0
fi

# A file that was named is there, or the command fails: no package brings it.
[ -z "${QEMU:-}" ] || command -v "$QEMU" >/dev/null || die "QEMU=$QEMU is not a program that can be run"
[ -z "${FIRMWARE:-}" ] || sh "$here/find-ovmf.sh" >/dev/null || exit 1
rows=$(missing_rows "$@")
[ -n "$rows" ] || exit 0
case ${INSTALL:-} in no | skip) finish "INSTALL=$INSTALL" ;; esac
command -v apt-get >/dev/null || finish "there is no apt-get here"
[ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || finish "apt-get needs root, and there is no sudo here"

# Two parts of a build may find something missing at once; apt serves one of them. The lock is on this file.
if command -v flock >/dev/null; then
    exec 9<"$0"
    flock 9
    rows=$(missing_rows "$@")
    [ -n "$rows" ] || exit 0
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
as_root apt-get -q update >"$log" 2>&1 || {
    tail -n 5 "$log" >&2
    finish "apt-get update failed"
}
names=$(echo "$rows" | known)
# shellcheck disable=SC2086 # a list of names
size=$(LC_ALL=C apt-get -s --no-install-recommends install $names 2>/dev/null | grep -c '^Inst ') || :
echo "packages: installing$(echo "$rows" | column 2): $size packages with what they need"
# shellcheck disable=SC2086 # a list of names
if [ -n "$names" ] && ! install_quietly $names >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    finish "apt-get install failed"
fi
grep '^Need to get' "$log" | sed 's/^Need to get/packages: downloaded/; s/ of archives.*//' || :
rows=$(missing_rows "$@")
finish "apt-get has no package for it, or its package lacks it"
