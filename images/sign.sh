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

[ $# -eq 4 ] || die "usage: sign.sh KEY CERT EFI FOLDER"
key=$1 certificate=$2 application=$3 folder=$4
given KEY "the private key" "$key"
given CERT "its certificate" "$certificate"
for tool in sbsign:sbsigntool sbverify:sbsigntool openssl:openssl; do
    command -v ${tool%:*} >/dev/null || die "${tool%:*} is not installed (package: ${tool#*:})"
done

mkdir -p "$folder"
work=$(mktemp -d "$folder/.sign.XXXXXX") || die "cannot write in $folder"
trap 'rm -rf "$work"' EXIT

# Firmware and MokManager read a certificate as DER.
openssl x509 -in "$certificate" -outform DER -out "$work/certificate" 2>/dev/null ||
    die "CERT=$certificate is not a certificate in PEM (of DER, openssl x509 -inform DER makes one)"
sbsign --key "$key" --cert "$certificate" --output "$work/application" "$application" 2>"$work/log" >&2 ||
    die "KEY=$key is not the key of CERT=$certificate, or sbsign cannot use it: $(sed 1q "$work/log")"
sbverify --cert "$certificate" "$work/application" >"$work/log" 2>&1 ||
    die "$application is not accepted when it is signed: $(sed 1q "$work/log")"

mv "$work/certificate" "$folder/mlpboot.cer"
mv "$work/application" "$folder/BOOTX64.EFI"
