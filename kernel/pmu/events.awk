# events: compiles events.csv into C (see event.h). Stops at the first line that is wrong.
#
# events.csv has one line per event and microarchitecture; no quotes, no commas inside a field.
#   vendor,uarch,family,models  which processors: models in hexadecimal, separated by blanks, a-b is
#                a range and 55:0-4 model 55 with steppings 0 to 4; * for family and models: every
#                processor of the vendor that no other line names. A name that ends in _p, _e or
#                _lpe holds for one type of core only. The lines of a microarchitecture are adjacent.
#   key          what the event is called here; the same key means the same on every processor
#   event_select,umask,umask_ext,cmask  the fields of the selector; umask_ext is UMASK2
#   counter_mask bit n: general counter n can count the event, bit 32 + n: fixed counter n can;
#   counter_mask_htoff  likewise, where it differs, with hyper-threading off in firmware
#   source,event_name,errata  where the line was read, the event's name there, and its known faults
#   note         two kinds of note change how an event is counted:
#                "0xFFF": the event can add more than 15 per cycle, so AMD's merge event has to be
#                in the next counter;
#                "only if ... CPUID.0AH:EBX[n]=0"

BEGIN {
    FS = ","
    HEADER = "vendor,uarch,family,models,key,event_select,umask,cmask,counter_mask,source," \
        "event_name,umask_ext,counter_mask_htoff,errata,note"
    COLUMNS = split(HEADER, name, ",")
    for (i = 1; i <= COLUMNS; i++)
        column[name[i]] = i
    VENDOR["Intel"] = "VENDOR_INTEL"
    VENDOR["AMD"] = "VENDOR_AMD"
    SELECT_MAX["Intel"] = 255
    SELECT_MAX["AMD"] = 4095
}

function fail_at(line, what, value, accepted) {
    printf "%s:%d: %s: \"%s\"; accepted: %s\n", FILENAME, line, what, value, accepted | "cat 1>&2"
    close("cat 1>&2")
    failed = 1
    exit 1
}

function fail(what, accepted) {
    fail_at(FNR, what, $column[what], accepted)
}

# Returns -1 if the text is no hexadecimal number. awk computes in doubles, so a number of more than
# 13 digits is inexact: every limit is lower.
function hex(text,    i, value) {
    if (text !~ /^[0-9A-Fa-f]+$/)
        return -1
    text = tolower(text)
    value = 0
    for (i = 1; i <= length(text); i++)
        value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
    return value
}

function prefixed(text) {
    return text ~ /^0x/ ? hex(substr(text, 3)) : -1
}

function check_hex(what, min, max, accepted,    value) {
    value = prefixed($column[what])
    if (value < min || value > max)
        fail(what, accepted)
}

function check_word(what) {
    if ($column[what] !~ /^[a-z][a-z0-9_]*$/)
        fail(what, "small letters, digits and _, a letter first")
}

function or_zero(text) {
    return text == "" ? "0" : text
}

# --- the processors --------------------------------------------------------------------------

function core_type(uarch) {
    if (uarch ~ /_lpe$/)
        return "CORE_LOW_POWER"
    if (uarch ~ /_e$/)
        return "CORE_EFFICIENT"
    return uarch ~ /_p$/ ? "CORE_PERFORMANCE" : "CORE_ANY"
}

function types_meet(a, b) {
    return a == b || a == "CORE_ANY" || b == "CORE_ANY"
}

# Fails if an earlier microarchitecture claims one of these processors, too.
function check_range(r,    q) {
    for (q = 1; q < r; q++)
        if (range_group[q] == range_group[r] && types_meet(range_core[q], range_core[r]) &&
            first[q] <= last[r] && first[r] <= last[q] &&
            step_first[q] <= step_last[r] && step_first[r] <= step_last[q])
            fail("models", "no model that microarchitecture " uarch_name[range_uarch[q]] " has already")
}

# Adds an entry of the list of models: a, a-b or a:s-t.
function add_range(text,    part, parts, ends, r) {
    r = ++ranges
    parts = split(text, part, ":")
    step_first[r] = 0
    step_last[r] = 15
    if (parts == 2 && split(part[2], ends, "-") == 2) {
        step_first[r] = hex(ends[1])
        step_last[r] = hex(ends[2])
    } else if (parts != 1)
        step_last[r] = -1
    parts = split(part[1], ends, "-")
    first[r] = hex(ends[1])
    last[r] = hex(ends[parts])
    if (parts < 1 || parts > 2 || first[r] < 0 || last[r] < first[r] || last[r] > 255 ||
        step_first[r] < 0 || step_last[r] < step_first[r] || step_last[r] > 15)
        fail("models", "models as 4E, 10-1F or 55:0-4, at most FF, steppings at most F; or * for family and models")
    range_group[r] = $column["vendor"] " " prefixed($column["family"])
    range_core[r] = core_type($column["uarch"])
    range_uarch[r] = uarchs
    check_range(r)
}

function start_uarch(    list, n, i) {
    if ($column["uarch"] in seen)
        fail("uarch", "all lines of a microarchitecture standing together")
    seen[$column["uarch"]] = 1
    uarch_name[++uarchs] = $column["uarch"]
    identity = $1 FS $2 FS $3 FS $4
    if (!($column["vendor"] in VENDOR))
        fail("vendor", "Intel or AMD")
    check_word("uarch")
    uarch_vendor[uarchs] = VENDOR[$column["vendor"]]
    uarch_family[uarchs] = $column["family"]
    if ($column["family"] == "*" && $column["models"] == "*") {
        if ($column["vendor"] in rest)
            fail("models", "* in one microarchitecture of a vendor")
        rest[$column["vendor"]] = 1
        return
    }
    check_hex("family", 0, 4095, "0x0 to 0xfff, or * for family and models")
    n = split($column["models"], list, " ")
    if (n == 0)
        fail("models", "models as 4E, 10-1F or 55:0-4; or * for family and models")
    for (i = 1; i <= n; i++)
        add_range(list[i])
}

# --- the events ------------------------------------------------------------------------------

function check_counters(    value, general, fixed) {
    value = prefixed($column["counter_mask"])
    fixed = int(value / 4294967296)
    general = value - fixed * 4294967296
    if (value <= 0 || general > 65535 || fixed > 255)
        fail("counter_mask", "0x1 to 0xff0000ffff: bits 0-15 general counters, 32-39 fixed ones")
    if ($column["counter_mask_htoff"] != "")
        check_hex("counter_mask_htoff", 1, 65535, "empty, or 0x1 to 0xffff")
}

function check_selector() {
    check_hex("event_select", 0, SELECT_MAX[$column["vendor"]],
              "0x0 to 0xff (Intel) or 0xfff (AMD)")
    check_hex("umask", 0, 255, "0x0 to 0xff")
    if ($column["umask_ext"] != "")
        check_hex("umask_ext", 0, 255, "empty, or 0x0 to 0xff")
    if ($column["cmask"] !~ /^[0-9]+$/ || length($column["cmask"]) > 3 || $column["cmask"] > 255)
        fail("cmask", "0 to 255")
}

# Returns 1 + the number of the architectural event whose absence in CPUID leaf 0AH makes this
# event void; 0 if none does.
function architectural(note,    bit) {
    if (!match(note, /only if .*CPUID\.0AH:EBX\[[0-9]+\]=0/))
        return 0
    match(note, /EBX\[[0-9]+/)
    bit = substr(note, RSTART + 4, RLENGTH - 4) + 0
    if (bit > 14)
        fail("note", "CPUID.0AH:EBX[0] to [14]")
    return bit + 1
}

# Returns 1 if a merge event has to count beside the event.
function wide() {
    if ($column["note"] !~ /0xFFF/)
        return 0
    if ($column["vendor"] != "AMD")
        fail("note", "0xFFF only on AMD, whose processors have the merge event")
    return 1
}

function compile() {
    return or_zero($column["counter_mask"]) ", " or_zero($column["counter_mask_htoff"]) ", " \
        wide() ", " architectural($column["note"]) ", %d, " $column["event_select"] ", " \
        $column["umask"] ", " ($column["cmask"] + 0) ", " or_zero($column["umask_ext"])
}

FNR == 1 {
    if ($0 != HEADER)
        fail_at(1, "header", $0, HEADER)
    next
}

NF != COLUMNS {
    fail_at(FNR, "fields", NF, COLUMNS)
}

/["\\]|[[:cntrl:]]/ {
    fail_at(FNR, "line", $0, "no quotes, backslashes and control characters")
}

!uarchs || $column["uarch"] != uarch_name[uarchs] {
    start_uarch()
}

{
    if ($1 FS $2 FS $3 FS $4 != identity)
        fail_at(FNR, "vendor,uarch,family,models", $1 FS $2 FS $3 FS $4,
                identity ", as in the lines above")
    check_word("key")
    if ((uarchs, $column["key"]) in event)
        fail("key", "each key once in a microarchitecture")
    if ($column["source"] == "")
        fail("source", "where the line comes from")
    check_selector()
    check_counters()
    event[uarchs, $column["key"]] = compile()
    known[$column["key"]] = 1
}

# --- the C file ------------------------------------------------------------------------------

function sort_keys(    text, i) {
    for (text in known) {
        for (i = keys++; i > 0 && key[i - 1] > text; i--)
            key[i] = key[i - 1]
        key[i] = text
    }
}

function print_keys(    i) {
    print "const char *const event_keys[] = {"
    for (i = 0; i < keys; i++)
        printf "    \"%s\",\n", key[i]
    printf "};\nconst unsigned event_key_count = %d;\n\n", keys
}

# Prints each event once, in the order of the keys; row[] is its place.
function print_pool(    i, u, text, rows) {
    print "static const struct event events[] = {"
    for (i = 0; i < keys; i++)
        for (u = 1; u <= uarchs; u++)
            if ((u, key[i]) in event) {
                text = sprintf("{" event[u, key[i]] "}", i)
                if (!(text in row)) {
                    row[text] = rows++
                    printf "    %s,\n", text
                }
            }
    print "};\n"
}

# Microarchitectures with the same events share one table.
function print_events(    u, i, body) {
    print_pool()
    for (u = 1; u <= uarchs; u++) {
        body = ""
        for (i = 0; i < keys; i++)
            if ((u, key[i]) in event) {
                body = body (count[u]++ % 16 ? " " : "\n    ") row[sprintf("{" event[u, key[i]] "}", i)] ","
            }
        if (!(body in table)) {
            table[body] = "events_" uarch_name[u]
            printf "static const uint16_t %s[] = {%s\n};\n\n", table[body], body
        }
        table_of[u] = table[body]
    }
}

function print_uarchs(    u) {
    print "const struct microarchitecture event_microarchitectures[] = {"
    for (u = 1; u <= uarchs; u++)
        printf "    {\"%s\", events, %s, %d},\n", uarch_name[u], table_of[u], count[u]
    printf "};\nconst unsigned event_microarchitecture_count = %d;\n\n", uarchs
}

function print_ranges(only_low_power,    r) {
    for (r = 1; r <= ranges; r++)
        if ((range_core[r] == "CORE_LOW_POWER") == only_low_power)
            printf "    {%s, %s, %s, %s, 0x%x, 0x%x, 0x%x, 0x%x, %d},\n",
                uarch_vendor[range_uarch[r]], range_core[r], uarch_family[range_uarch[r]],
                uarch_family[range_uarch[r]], first[r], last[r], step_first[r], step_last[r],
                range_uarch[r] - 1
}

# The first range that fits a processor is taken, so special ranges come first.
function print_processors(    u) {
    print "const struct processor_range event_processors[] = {"
    print_ranges(1)
    print_ranges(0)
    for (u = 1; u <= uarchs; u++)
        if (uarch_family[u] == "*")
            printf "    {%s, %s, 0, 0xffff, 0, 0xff, 0, 0xf, %d},\n", uarch_vendor[u],
                core_type(uarch_name[u]), u - 1
    print "};"
    print "const unsigned event_processor_count = sizeof event_processors / sizeof *event_processors;"
}

END {
    if (!failed && uarchs == 0)
        fail_at(NR, "lines", NR, "a header and at least one event")
    if (failed)
        exit 1
    print "/* events: compiled from " FILENAME "; do not edit. */"
    print "#include \"kernel/pmu/event.h\"\n"
    sort_keys()
    print_keys()
    print_events()
    print_uarchs()
    print_processors()
}
