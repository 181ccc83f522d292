#!/bin/bash
# serve: a lab server for one network: it boots machines into the image and takes their results.
set -euo pipefail
export LC_ALL=C

# Debian keeps the programs for root there.
PATH=$PATH:/usr/sbin:/sbin

usage() {
    cat <<'END'
usage: serve.sh INTERFACE [FOLDER] [--range FIRST,LAST] [--ipxe] [--port N]

Boots machines on the network of INTERFACE into mlpboot: by PXE (TFTP), and by HTTP where a firmware
asks for that. It runs until Ctrl-C and has to be root.

  FOLDER        what is served; made where it is not there (default: served). BOOTX64.EFI, the page and,
                with --ipxe, ipxe.efi are put there anew each time; mlpboot.cfg and boot.ipxe only
                where they are missing, so that yours stay
  --range A,B   give out the addresses from A to B. Only on a network without another DHCP server;
                without this option the other one gives out addresses, and this one adds what to boot
  --ipxe        hand out iPXE first, and to iPXE the script boot.ipxe
  --port N      of HTTP (default: 80, where a machine that was booted by PXE looks for it)

Results arrive in FOLDER/results: a folder for each run, its name is the machine, the time and a count.
The servers run as the folder's owner, or as nobody where that is root. A folder with symbolic links in it
is refused. serve.sh ends when less than 1024 MB are left on the disk of FOLDER.
END
}

die() {
    echo "serve: $*" >&2
    exit 1
}

interface='' folder=served range='' ipxe='' port=80
LEAST=1024 # megabytes left on the disk: more than 1 Gb/s brings between two looks

read_arguments() {
    local given=0 byte='(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])' ipv4
    ipv4="$byte(\.$byte){3}"
    while [ $# -gt 0 ]; do
        case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --range | --port)
            [ $# -gt 1 ] || die "$1 needs a value; see --help"
            [ "$1" = --range ] && range=$2 || port=$2
            shift
            ;;
        --ipxe) ipxe=yes ;;
        -*) die "$1 is not known; see --help" ;;
        *)
            given=$((given + 1))
            case $given in
            1) interface=$1 ;;
            2) folder=$1 ;;
            *) die "$1 is one too many; see --help" ;;
            esac
            ;;
        esac
        shift
    done
    if ! [[ $port =~ ^[1-9][0-9]{0,4}$ ]] || [ "$port" -gt 65535 ]; then
        die "--port $port is no number from 1 to 65535"
    fi
    [[ -z $range || $range =~ ^$ipv4,$ipv4$ ]] ||
        die "--range $range is not understood; two IPv4 addresses with a comma between are"
    folder=$(readlink -m "$folder")
    [[ $folder != *[[:space:]\\\"\;\{\}\$,]* ]] || die "the path $folder has blanks or other special characters; use another folder"
}

interfaces() {
    ip -o link | awk -F '[:@ ]+' '{ printf "%s%s", sep, $2; sep = " " }'
}

need() { # TOOL PACKAGE
    command -v "$1" >/dev/null || die "$1 is not installed (package: $2)"
}

check_machine() {
    need ip iproute2
    need dnsmasq dnsmasq-base
    need nginx nginx-light
    need python3 python3
    [ -n "$interface" ] || die "which interface? See --help; there are: $(interfaces)"
    ip link show dev "$interface" >/dev/null 2>&1 || die "there is no interface $interface; there are: $(interfaces)"
    read -r address network < <(ip -4 -o address show dev "$interface" |
        awk '{ print $4, $5 == "peer" ? $6 : $4; exit }') || true
    address=${address%/*}
    [ -n "$address" ] || die "$interface has no IPv4 address; give it one: ip address add 192.168.77.1/24 dev $interface"
    check_range
    [ "$(id -u)" -eq 0 ] || die "not root: DHCP, TFTP and HTTP have ports that only root may open"
}

as_number() { # ADDRESS
    local part number=0
    for part in ${1//./ }; do
        number=$((number << 8 | part))
    done
    echo $number
}

# Checks the addresses of --range: dnsmasq silently never hands out an address of another network.
check_range() {
    local one bits=$((32 - ${network#*/}))
    for one in ${range/,/ }; do
        [ $(($(as_number "$one") >> bits)) -eq $(($(as_number "${network%/*}") >> bits)) ] ||
            die "--range $range: $one is not in the network of $interface, $network"
    done
    [ "$(as_number "${range%,*}")" -le "$(as_number "${range#*,}")" ] ||
        die "--range $range: the first address is behind the last"
}

check_port() { # tcp|udp NUMBER NAME
    local user
    user=$(ss -Hlnp "--$1" "sport = :$2" | awk -v a="$address" -v i="$interface" '{
        at = $4; sub(/:[0-9]+$/, "", at)
        if (at == a || at == "*" || at == "[::]" || at == "0.0.0.0" || at == "0.0.0.0%" i) { print $NF; exit }
    }')
    [ -z "$user" ] || die "port $2, for $3, is in use: $user
  If that server is not needed, stop it: sudo systemctl disable --now NAME.service"
}

# Prints the address of a DHCP server that answers a client on that network in the time that its test of an address
# may take (RFC 2131), or nothing. It reads the offer off the wire: port 68 may be this machine's own client's.
find_dhcp_server() {
    python3 - "$interface" <<'END'
import os, socket, struct, sys, time
AF_IP = 0x0800
number = os.urandom(4)
discover = struct.pack("!4B4s2H16x6s202x", 1, 1, 6, 0, number, 0, 0x8000, b"\2" + os.urandom(5)) + bytes.fromhex("63825363350101ff")
heard = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(AF_IP))
heard.bind((sys.argv[1], AF_IP))
ask = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
ask.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
ask.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, sys.argv[1].encode())
ask.sendto(discover.ljust(300, b"\0"), ("255.255.255.255", 67))
end = time.monotonic() + 4
while (left := end - time.monotonic()) > 0:
    heard.settimeout(left)
    try:
        packet = heard.recv(2048)
    except TimeoutError:
        break
    udp = packet[(packet[0] & 15) * 4:]
    if packet[9] == socket.IPPROTO_UDP and udp[:2] == b"\0\x43" and udp[8:9] == b"\2" and udp[12:16] == number:
        print(socket.inet_ntoa(packet[12:16]))
        break
END
}

check_alone() {
    local other
    [ -n "$range" ] || return 0
    other=$(find_dhcp_server)
    [ -z "$other" ] || die "--range $range: the DHCP server $other gives out addresses on that network; leave --range out"
}

# Prints a file of the build, from a source tree, or from a release, which has all files beside this script.
find_file() { # IN_TREE BESIDE: the first that is there
    local here file
    here=$(dirname "$(readlink -f "$0")")
    for file in "$here/../$1" "$here/$2"; do
        if [ -r "$file" ]; then
            echo "$file"
            return
        fi
    done
    die "$1 is not there (run make first)"
}

as() { # USER COMMAND...
    setpriv --reuid="$1" --regid="$(id -g "$1")" --init-groups "${@:2}"
}

# Sets keeper, the user whose folder it is, and owner, the user (never root) who runs the servers and gets the
# results. Refuses links, which would lead the servers, or root, out of the folder.
make_folder() {
    local link
    [ -d "$folder" ] || {
        mkdir -p "$folder"
        chown -h "${SUDO_UID:-0}:${SUDO_GID:-0}" "$folder"
    }
    link=$(find "$folder" -type l -print -quit)
    [ -z "$link" ] || die "$link is a symbolic link, and may lead out of the folder: remove it, or use another folder"
    keeper=$(stat -c %U "$folder")
    owner=$keeper
    [ "$owner" != root ] || owner=nobody
    group=$(id -gn "$owner")
}

put() { # FILE NAME: into what is served, to be read by everybody, as who keeps the folder may write there
    # shellcheck disable=SC2016 # $1 is that shell's
    as "$keeper" sh -c 'umask 022 && mkdir -p "${1%/*}" && rm -f "$1" && cat >"$1"' sh "$folder/$2" <"$1"
}

room() { # megabytes; Ctrl-C, which every process here gets, does not end it
    trap '' INT
    df --output=avail -B 1M "$folder" | tail -n 1
}

check_folder() {
    as "$owner" test -r "$folder/BOOTX64.EFI" -a -w "$folder/results" ||
        die "$owner, who runs the servers, cannot read $folder or write to its results; use another folder"
    [ "$(room)" -ge $LEAST ] || die "less than $LEAST MB are left on the disk of $folder"
}

lay_out() {
    local file
    as "$keeper" mkdir -p "$folder/results"
    [ "$keeper" = "$owner" ] || chown -h "$owner:$group" "$folder/results"
    file=$(find_file build/BOOTX64.EFI BOOTX64.EFI)
    put "$file" BOOTX64.EFI
    file=$(find_file build/page.html page.html)
    put "$file" report/page.html
    if [ ! -e "$folder/mlpboot.cfg" ]; then
        file=$(find_file images/mlpboot.cfg mlpboot.cfg)
        put "$file" mlpboot.cfg
    fi
    [ -n "$ipxe" ] || return 0
    file=/usr/lib/ipxe/snponly.efi
    [ -r $file ] || die "$file is not there (package: ipxe)"
    put $file ipxe.efi
    [ -e "$folder/boot.ipxe" ] || put /dev/stdin boot.ipxe <<END
#!ipxe
# Settings may follow the name, as key=value: chain \${base}/BOOTX64.EFI label=rack7
set base $url
chain \${base}/BOOTX64.EFI results.to=\${base}/results
END
}

# A client gets the file that fits its request: 7 and 9 are PXE on x86-64, 16 is HTTP (RFC 5970; IANA's
# list of processor architectures). iPXE is recognized by option 175.
write_dnsmasq() {
    local arch
    cat <<END
port=0
interface=$interface
bind-interfaces
user=$owner
group=$group
leasefile-ro
log-facility=-
enable-tftp
tftp-root=$folder
dhcp-match=set:pxe,option:client-arch,7
dhcp-match=set:pxe,option:client-arch,9
dhcp-match=set:http,option:client-arch,16
dhcp-match=set:ipxe,175
END
    if [ -n "$range" ]; then
        cat <<END
dhcp-range=$range,1h
dhcp-authoritative
dhcp-option-force=tag:http,60,HTTPClient
dhcp-boot=tag:http,tag:!ipxe,$url/$first
dhcp-boot=tag:pxe,tag:!ipxe,$first
END
        # So that iPXE does not wait for a proxy, 17 seconds long (its option no-pxedhcp).
        [ -z "$ipxe" ] || echo "dhcp-boot=tag:ipxe,$url/boot.ipxe
dhcp-option=tag:ipxe,encap:175,176,1b"
    else
        cat <<END
dhcp-range=$address,proxy
dhcp-pxe-vendor=PXEClient,HTTPClient
pxe-service=tag:!ipxe,7,mlpboot,$first
pxe-service=tag:!ipxe,9,mlpboot,$first
dhcp-boot=tag:http,tag:!ipxe,$url/$first
END
        [ -z "$ipxe" ] || for arch in 7 9 16; do
            echo "pxe-service=tag:ipxe,$arch,mlpboot,$url/boot.ipxe"
        done
    fi
}

write_nginx() {
    cat <<END
user $owner $group;
worker_processes 1;
daemon off;
pid $work/nginx.pid;
error_log $work/nginx.log;
events {}
http {
    types {
        application/efi efi;
        application/vnd.efi-img img;
        application/vnd.efi-iso iso;
        application/json json;
        text/html html;
        text/csv csv;
        text/plain txt cfg ipxe;
    }
    default_type application/octet-stream;
    sendfile on;
    client_max_body_size 64m;
    # On the same disk as what it becomes: else a file would be copied there, and half of it stay where the disk is full.
    client_body_temp_path $incoming;
    disable_symlinks on from=\$document_root;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    map "\$request_method \$status \$uri" \$told {
        "~*^GET 200 .*\.(efi|img|iso|ipxe)\$" 1;
        "~^PUT 2" 1;
        "~^(GET|HEAD|PUT) [45]" 1;
    }
    map \$status \$again {
        204 " written again";
    }
    log_format plain '\$remote_addr \$request_method \$uri: \$status\$again';
    access_log /dev/stdout plain if=\$told;
    server {
        listen $address:$port;
        root $folder;
        allow $network;
        deny all;
        location /results/ {
            return 404;
        }
        # Anybody may put these here, and nothing else. In a browser a page of them has an origin of its own.
        location ~ "^/results/[0-9a-f]{16}-([0-9]{8}T[0-9]{6}Z-)?[0-9a-f]{16}/(results\.csv|verdicts\.csv|run\.json|log\.txt|report\.html)\z" {
            dav_methods PUT;
            create_full_put_path on;
            dav_access user:rw group:r all:r;
            add_header Content-Security-Policy "sandbox allow-scripts";
            add_header X-Content-Type-Options nosniff;
        }
    }
}
END
}

# Ends the servers and deletes temporary files as soon as this shell ends, even by kill -9: then no process holds
# the lifeline, this function's input, any longer. The files that were served and the results stay.
reap() {
    trap '' HUP INT TERM
    local pid pids=()
    while read -r pid; do
        pids+=("$pid")
    done
    kill "${pids[@]}" 2>/dev/null || true
    for pid in "${pids[@]}"; do
        while kill -0 "$pid" 2>/dev/null; do sleep 0.02; done
    done
    rm -rf "$work"
    as "$owner" rm -rf "$incoming"
}

# shellcheck disable=SC2317,SC2329 # called at the end
stop() {
    trap - EXIT HUP INT TERM
    exec {lifeline}>&-
    wait "$reaper"
}

children=()

start() { # NAME COMMAND...
    local name=$1
    shift
    (
        exec {lifeline}>&-
        exec "$@" > >(cat) 2> >(tee "$work/$name.errors" |
            sed -uEn 's/^dnsmasq-tftp[^ ]*: ((sent|file|cannot|failed) )/\1/p')
    ) &
    children+=($!)
    echo $! >&"$lifeline"
}

check_running() { # COMPLAINT
    local pid
    for pid in "${children[@]}"; do
        kill -0 "$pid" 2>/dev/null || {
            cat "$work"/*.errors "$work/nginx.log" >&2 2>/dev/null
            die "$1"
        }
    done
}

tell() {
    local how="Another DHCP server on that network gives out the addresses; this one adds what to boot."
    [ -z "$range" ] || how="This machine gives out the addresses ${range/,/ to }."
    cat <<END
Serving $folder on $interface, at $address.
  $how
  PXE:   $first by TFTP from $address${ipxe:+, then what boot.ipxe says}
  HTTP:  $url/$first
  Configuration of all machines: $folder/mlpboot.cfg
  Results arrive in $folder/results
END
    [ "$port" = 80 ] || cat <<END
  HTTP is not on port 80: have machines that boot by PXE send there, in mlpboot.cfg:
      results.to = $url/results
END
    echo "Ctrl-C ends it."
}

read_arguments "$@"
check_machine
url=http://$address
[ "$port" = 80 ] || url=$url:$port
first=${ipxe:+ipxe.efi}
first=${first:-BOOTX64.EFI}
check_port tcp "$port" HTTP
check_port udp 67 DHCP
check_port udp 69 TFTP
check_alone
make_folder
lay_out
check_folder
work=$(mktemp -d "${TMPDIR:-/tmp}/mlpboot-serve.XXXXXX")
chmod 755 "$work"
incoming=$folder/results/.incoming
exec {lifeline}> >(reap)
reaper=$!
trap stop EXIT
trap 'exit 0' HUP INT TERM
write_dnsmasq >"$work/dnsmasq.conf"
write_nginx >"$work/nginx.conf"
start dnsmasq dnsmasq --keep-in-foreground --conf-file="$work/dnsmasq.conf"
start nginx nginx -c "$work/nginx.conf"
sleep 0.5
check_running "a server did not start; is a port in use, by another DHCP, TFTP or HTTP server?"
tell
while [ "$(room)" -ge $LEAST ]; do
    check_running "a server ended by itself"
    sleep 1 {lifeline}>&- &
    wait $! # which a signal ends at once
done
die "less than $LEAST MB are left on the disk of $folder: clients have filled it, or others"
