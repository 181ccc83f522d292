#!/bin/sh
# manual-page: prints the page mlpboot-hosted(1) in mdoc, made from the output of --help; usage: manual-page.sh COMMAND.
set -eu
export LC_ALL=C

program=mlpboot-hosted
"$1" --version >/dev/null
names=$("$1" --help | sed -n "s/^$program \([a-z][a-z-]*\) .*/\1/p")
[ -n "$names" ] || {
    echo "manual-page: $1 --help names no commands" >&2
    exit 1
}

{
    "$1" --help
    for name in $names; do
        printf '\f%s\n' "$name"
        "$1" "$name" --help
    done
} | awk -v date="$(date -u -d "@$SOURCE_DATE_EPOCH" '+%B %-d, %Y')" \
    -v version="$("$1" --version)" -v program=$program '
    # Returns the text escaped: no character of it means anything to roff.
    function plain(text) {
        gsub(/\\/, "\\e", text)
        gsub(/-/, "\\-", text)
        return text ~ /^[.\047]/ ? "\\&" text : text
    }
    # Prints running text in lines of no more than 80 bytes.
    function paragraph(text,    end) {
        while (length(text) > 78) {
            for (end = 78; end > 1 && substr(text, end, 1) != " "; end--)
                ;
            print plain(substr(text, 1, end - 1))
            text = substr(text, end + 1)
        }
        print plain(text)
    }
    # Returns "--out DIR" as macros.
    function option(text,    value) {
        value = text
        if (!sub(/^[^ ]+ /, "", value))
            value = ""
        sub(/ .*/, "", text)
        sub(/^-/, "", text)
        return "Fl " plain(text) (value != "" ? " Ar " plain(value) : "")
    }
    # Prints a line such as "mlpboot-hosted run [--set KEY=VALUE]... --out DIR FOLDER...".
    function synopsis(line,    part) {
        split(line, part, " ")
        print ".Nm\n.Cm " part[2]
        line = substr(line, length(part[1] part[2]) + 3)
        while (line != "") {
            if (match(line, /^\[[^]]*\](\.\.\.)?/)) {
                part[1] = substr(line, 2, RLENGTH - 2)
                if (sub(/\]\.\.$/, "", part[1]))
                    print ".Oo " option(part[1]) " Oc Ns ..."
                else
                    print ".Op " option(part[1])
            } else if (match(line, /^--[^ ]+ [^ ]+/))
                print "." option(substr(line, 1, RLENGTH))
            else if (match(line, /^[^ ]+/))
                print ".Ar " plain(substr(line, 1, RLENGTH))
            line = substr(line, RLENGTH + 2)
        }
    }
    function literal(text) {
        print ".Bd -literal"
        while (match(text, /^[^\n]*\n/)) {
            print plain(substr(text, 1, RLENGTH - 1))
            text = substr(text, RLENGTH + 1)
        }
        print ".Ed"
    }
    # Prints the text that a command has below its options, unless an earlier command has the same text.
    function finish(    i) {
        if (is_list)
            print ".El"
        sub(/^\n+/, "", rest)
        for (i = 1; i <= told && rest != ""; i++)
            if (index(said[i], rest)) {
                print ".Pp\nThe rest of what it says is under\n.Cm " teller[i] "\nabove."
                rest = ""
            }
        if (rest != "") {
            literal(rest)
            said[++told] = rest
            teller[told] = command
        }
        rest = ""
        is_list = 0
    }
    BEGIN {
        print ".Dd " date "\n.Dt " toupper(program) " 1\n.Os"
        print ".Sh NAME\n.Nm " program
        print ".Nd measure how one x86\\-64 core overlaps memory accesses\n.Sh SYNOPSIS"
    }
    /^\f/ {
        if (command == "") {
            print ".Sh DESCRIPTION"
            paragraph(about " This page was made of what " version " says with --help.")
            print ".Sh COMMANDS"
        } else
            finish()
        command = substr($0, 2)
        lines = 0
        print ".Ss " command
        next
    }
    command == "" && NR == 1 { about = $0 }
    command == "" && index($0, program " ") == 1 && $2 ~ /^[a-z]/ { synopsis($0) }
    command == "" && /^Exit status: / { sub(/^Exit status: /, ""); is_status = 1 }
    command == "" && is_status { status = status plain($0) "\n" }
    command == "" { next }
    ++lines == 1 { next } # the synopsis
    lines == 2 { sub(/^ +/, ""); paragraph($0) }
    lines > 2 && rest == "" && /^  --/ && (is_list || lines == 4) && match($0, /[^ ]  +/) {
        if (!is_list)
            print ".Bl -tag -width Ds"
        is_list = 1
        print ".It " option(substr($0, 3, RSTART - 2))
        paragraph(substr($0, RSTART + RLENGTH))
        next
    }
    lines > 2 && (rest != "" || $0 != "") { rest = rest $0 "\n" }
    END {
        finish()
        print ".Sh EXIT STATUS\n" status ".Sh SEE ALSO"
        print "The manual,\n.Pa manual.html ,\nsays what is measured and what each file holds."
    }'
