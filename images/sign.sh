#!/bin/sh
# sign: signs the application with a key of one's own, for Secure Boot, and lays the certificate beside it.
set -eu

die() {
    echo "sign: $*" >&2
    exit 1
}

given() { # NAME WHAT FILE
    [ -n "$3" ] || die "$1= is missing: $2 in PEM, as in make sign KEY=db.key CERT=db.crt"
    if [ ! -f "$3" ] || [ ! -r "$3" ]; then die "$1=$3 is not a file that can be read"; fi
}

is_pem() { # FILE WHAT
    grep -aq -e "^-----BEGIN .*$2-----" "$1"
}

kind() { # FILE: what it is, in words
    if is_pem "$1" "PRIVATE KEY"; then
        echo "a private key"
    elif is_pem "$1" CERTIFICATE; then
        echo "a certificate"
    elif openssl x509 -inform DER -in "$1" -noout 2>/dev/null; then
        echo "a certificate as DER"
    elif openssl pkey -inform DER -in "$1" -noout -passin pass: 2>/dev/null; then
        echo "a private key as DER"
    else
        echo "neither private key nor certificate"
    fi
}

[ $# -eq 2 ] || die "usage: sign.sh EFI FOLDER, with KEY and CERT in the environment"
key=${KEY:-} certificate=${CERT:-} application=$1 folder=$2
given KEY "the private key" "$key"
given CERT "its certificate" "$certificate"
for tool in sbsign:sbsigntool sbverify:sbsigntool openssl:openssl; do
    command -v ${tool%:*} >/dev/null || die "${tool%:*} is not installed (package: ${tool#*:})"
done
is_pem "$key" "PRIVATE KEY" ||
    die "KEY=$key is $(kind "$key"); accepted: the private key in PEM (of DER, openssl pkey -in FILE makes one)"
is_pem "$certificate" CERTIFICATE || die "CERT=$certificate is $(kind "$certificate");" \
    "accepted: the key's certificate in PEM (of DER, openssl x509 -in FILE makes one)"

mkdir -p "$folder"
work=$(mktemp -d "$folder/.sign.XXXXXX") || die "cannot write in $folder"
trap 'rm -rf "$work"' EXIT

# Firmware and MokManager read a certificate as DER.
openssl x509 -in "$certificate" -outform DER -out "$work/certificate" 2>/dev/null ||
    die "CERT=$certificate is damaged: openssl x509 -in FILE does not read it"
sbsign --key "$key" --cert "$certificate" --output "$work/application" "$application" 2>"$work/log" >&2 || {
    ! grep -aq ENCRYPTED "$key" ||
        die "KEY=$key has a password, and the right one was not given (openssl pkey -in FILE takes it off):" \
            "$(sed 1q "$work/log")"
    die "KEY=$key is not the key of CERT=$certificate, or sbsign cannot use it: $(sed 1q "$work/log")"
}
sbverify --cert "$certificate" "$work/application" >"$work/log" 2>&1 ||
    die "$application is not accepted when it is signed: $(sed 1q "$work/log")"

mv "$work/certificate" "$folder/mlpboot.cer"
mv "$work/application" "$folder/BOOTX64.EFI"
