#!/bin/sh
# put-between: replaces what is between a file's lines "<!-- NAME: generated -->" and "<!-- NAME: end -->".
# Usage: put-between.sh FILE NAME PART, PART being the file that goes there. No FILE, nothing to do.
set -eu

file=$1 first="<!-- $2: generated -->" last="<!-- $2: end -->" part=$3

[ -e "$file" ] || exit 0
for marker in "$first" "$last"; do
    [ "$(grep -cxF -e "$marker" "$file")" = 1 ] || {
        echo "$file: there must be one line \"$marker\"" >&2
        exit 1
    }
done
new=$(mktemp)
trap 'rm -f "$new"' EXIT
sed -n "1,/^$first\$/p" "$file" >"$new"
cat "$part" >>"$new"
sed -n "/^$last\$/,\$p" "$file" >>"$new"
cat "$new" >"$file"
