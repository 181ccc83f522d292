/* test_config: every rule of mlpboot.cfg, every message, and the configuration that is shipped. */
#include "../../kernel/config/config.h"
#include "../../kernel/config/value.h"
#include "../../kernel/platform.h"
#include "../../kernel/probe/timing.h"
#include "../hosted/describe.h"
#include "kit.h"

#define SHIPPED "images/mlpboot.cfg" /* tests run from the project's root */
#define COLUMNS_MAX 78
#define ERRORS_MAX 32768

static struct config config;
static char error_buffer[ERRORS_MAX];
static struct text errors;

SETUP(start)
{
    memset(&config, 0, sizeof config);
    text_init(&errors, error_buffer, sizeof error_buffer);
}

/* Reads from memory of exactly that length, so that a sanitizer sees a step beyond it. */
static unsigned read_bytes(const char *data, size_t length)
{
    char *copy = malloc(length + (length == 0));
    assert_non_null(copy);
    memcpy(copy, data, length);
    unsigned count = config_read_file(&config, CONFIG_FILE_NAME, copy, length, &errors);
    free(copy);
    return count;
}

/* A whole run of the reader from scratch, on one file. */
static unsigned read_text(const char *data)
{
    start();
    unsigned count = read_bytes(data, strlen(data));
    return count > 0 ? count : config_finish(&config, &errors);
}

static void assert_right(unsigned count)
{
    if (count > 0)
        fail_msg("unexpected: %s", errors.at);
    assert_string_equal(errors.at, "");
}

/* Reads a line that has to be right. */
static void set(const char *key, const char *value)
{
    char file[128];
    snprintf(file, sizeof file, "%s = %s", key, value);
    assert_right(read_text(file));
}

static void assert_says(const char *piece)
{
    if (strstr(errors.at, piece) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", piece, errors.at);
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;
    for (; *text != '\0'; text++)
        lines += *text == '\n';
    return lines;
}

static void assert_list(const struct config_list *list, const char *wanted)
{
    static char buffer[32768];
    struct text text;
    text_init(&text, buffer, sizeof buffer);
    for (uint32_t i = 0; i < list->count; i++)
        text_printf(&text, "%s%llu", i == 0 ? "" : " ", (unsigned long long)list->value[i]);
    assert_string_equal(buffer, wanted);
}

static uint32_t row_of(const char *name)
{
    for (uint32_t row = 0; row < config_key_count; row++)
        if (strcmp(config_keys[row].name, name) == 0)
            return row;
    fail_msg("no key %s", name);
    return 0;
}

static const struct config_setting *setting_of(const char *name)
{
    return &config.setting[row_of(name)];
}

/* What a file does not set has the suite's default of the table. */
TEST(defaults)
{
    static const char *const files[SUITES_MAX] = {"", "samples.min = 7\nsuite = full\n",
                                                  "samples.min = 7\nsuite = fleet\n"};
    static const unsigned loads[SUITES_MAX] = {28, 40, 28}, chains[SUITES_MAX] = {11, 11, 1};
    for (unsigned suite = 0; suite < SUITES_MAX; suite++) {
        assert_right(read_text(files[suite]));
        assert_int_equal(config.suite, suite);
        assert_int_equal(config.samples_min, suite > 0 ? 7 : 30);
        assert_int_equal(config.mlp.loads.count, loads[suite]);
        assert_int_equal(config.array.loads.count, chains[suite]);
        assert_false(config.runs_is_set);
        for (uint32_t row = 0; row < config_key_count; row++) {
            const struct config_key *key = &config_keys[row];
            const struct config_setting *setting = &config.setting[row];

            assert_int_equal(setting->is_set,
                             suite > 0 && (row == 0 || row == row_of("samples.min")));
            if (setting->is_set)
                continue;
            assert_string_equal(setting->value, key->by_suite[suite]);
            assert_string_equal(setting->source, "default");
            assert_int_equal(setting->line, 0);
        }
    }
}

/* Keys that no test further down sets, and where a value was found. */
TEST(several_keys)
{
    assert_right(read_text("suite=full\n"
                           "experiments = mlp noise\n"
                           "pages = 1g\t4k\n"
                           "finish = shutdown\n"
                           "finish.seconds = 86400\n"
                           "hang.seconds = 0\n"
                           "runs = 1000\n"
                           "resume = off\n"
                           "selftest = fault\n"
                           "seed = 18446744073709551615\n"
                           "samples.max = 100000\n"
                           "noise.seconds = 600\n"
                           "case = h0g0-tcg-9\n"
                           "mlp.frames = shuffled\n"
                           "mlp.tlb = cold warm\n"));
    assert_numbers((config.experiments.count, config.experiments.index[0]), (2, 2));
    assert_numbers((config.experiments.index[1], config.pages.count), (0, 2));
    assert_int_equal(config.pages.index[0], PAGE_1G);
    assert_numbers((config.finish, config.finish_seconds), (FINISH_SHUTDOWN, 86400));
    assert_numbers((config.hang_seconds, config.runs), (0, 1000));
    assert_true(config.runs_is_set);
    assert_numbers((config.resume, config.selftest), (RESUME_OFF, SELFTEST_FAULT));
    assert_numbers((config.seed, config.samples_max), (UINT64_MAX, 100000));
    assert_int_equal(config.noise.seconds, 600);
    assert_string_equal(config.variant, "h0g0-tcg-9");
    assert_numbers((config.mlp.frames, config.mlp.tlb.count), (FRAMES_SHUFFLED, 2));
    assert_int_equal(config.mlp.tlb.index[0], TLB_COLD);
    assert_string_equal(setting_of("pages")->value, "1g 4k");
    assert_string_equal(setting_of("pages")->source, CONFIG_FILE_NAME);
    assert_int_equal(setting_of("pages")->line, 3);
    assert_true(setting_of("pages")->is_set);
}

/* All of these set samples.min to 77 and nothing else. */
TEST(accepted_forms)
{
    static const char *const files[] = {
        "samples.min = 77",
        "samples.min=77\n",
        "  \t samples.min\t=\t77 \t\r\n",
        "samples.min = 77\r",
        "\xef\xbb\xbfsamples.min = 77\n",
        "\n\n\r\n# comment\n   # another\nsamples.min = 77 # why\n\n",
        "samples.min = 77#\xc3\xa9t\xc3\xa9 \xff\xfe\n#\x80",
        "samples.min = 00000000000000000000000000000077",
        "# samples.min = 5\nsamples.min = 77\n#samples.min = 6\n",
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assert_right(read_text(files[i]));
        assert_int_equal(config.samples_min, 77);
        assert_string_equal(config.label, "");
        for (uint32_t row = 0; row < config_key_count; row++)
            assert_int_equal(config.setting[row].is_set,
                             strcmp(config_keys[row].name, "samples.min") == 0);
    }
    assert_right(read_text("\xef\xbb\xbf"));
    assert_right(read_text("# only a comment"));
}

TEST(lists)
{
    static const struct {
        const char *value, *wanted;
    } cases[] = {{"0", "0"},
                 {"7-7", "7"},
                 {"0-3", "0 1 2 3"},
                 {"0-32/16", "0 16 32"},
                 {"0-40/16", "0 16 32"},
                 {"5-6/1000", "5"},
                 {"1-16*2", "1 2 4 8 16"},
                 {"3-100*3", "3 9 27 81"},
                 {"5-6*2", "5"},
                 {"1k-4k*2", "1024 2048 4096"},
                 {"1K", "1024"},
                 {"0-1k/512", "0 512 1024"},
                 {"1-4096/18446744073709551615", "1"},
                 {"1-4096*18446744073709551615", "1"},
                 {"3 1-2   9\t8", "3 1 2 9 8"}};
    for (EACH(c, cases)) {
        set("mlp.fillers", c->value);
        assert_list(&config.mlp.fillers, c->wanted);
    }
    assert_right(read_text("mlp.fillers = 1-2048")); /* exactly CONFIG_LIST_MAX */
    assert_int_equal(config.mlp.fillers.count, CONFIG_LIST_MAX);
    assert_int_equal(config.mlp.fillers.value[CONFIG_LIST_MAX - 1], 2048);
    assert_right(read_text("array.bytes = 1k-64g*2 3k"));
    assert_numbers((config.array.bytes.count, config.array.bytes.value[26]), (28, 64ull << 30));
}

/* A word means what its place in the list of words says. */
TEST(what_words_mean)
{
    const struct {
        const char *key, *word;
        const void *field;
        unsigned meaning;
    } cases[] = {
        {"suite", "fleet", &config.suite, SUITE_FLEET},
        {"finish", "reboot", &config.finish, FINISH_REBOOT},
        {"resume", "off", &config.resume, RESUME_OFF},
        {"selftest", "fault", &config.selftest, SELFTEST_FAULT},
        {"prefetch", "on", &config.prefetch, PREFETCH_ON},
        {"prefetch", "off", &config.prefetch, PREFETCH_OFF},
        {"siblings", "asis", &config.siblings, SIBLINGS_ASIS},
        {"processors", "leave", &config.processors, PROCESSORS_LEAVE},
        {"node", "remote", &config.node, CONFIG_NODE_REMOTE},
        {"identity", "anonymous", &config.identity, IDENTITY_ANONYMOUS},
        {"mlp.filler", "nop", &config.mlp.filler, SWEEP_NOP},
        {"mlp.filler", "long-nop", &config.mlp.filler, SWEEP_LONG_NOP},
    };
    for (EACH(c, cases)) {
        set(c->key, c->word);
        assert_int_equal(*(const unsigned *)c->field, c->meaning);
    }
}

/* Each ordering is a case of its own, in the order written; twice the same is a mistake. */
TEST(orders)
{
    static const struct {
        const char *value;
        unsigned count;
        enum probe_order order[2];
    } cases[] = {
        {"cpuid", 1, {ORDER_CPUID}},
        {"lfence", 1, {ORDER_LFENCE}},
        {"cpuid lfence", 2, {ORDER_CPUID, ORDER_LFENCE}},
        {"lfence \t cpuid", 2, {ORDER_LFENCE, ORDER_CPUID}},
    };
    for (EACH(c, cases)) {
        set("mlp.order", c->value);
        assert_int_equal(config.mlp.order.count, c->count);
        for (unsigned o = 0; o < c->count; o++)
            assert_int_equal(config.mlp.order.index[o], c->order[o]);
    }
}

TEST(sizes)
{
    static const struct {
        const char *value;
        uint64_t wanted;
    } cases[] = {{"2m", 2 << 20},      {"2097152", 2 << 20}, {"2048k", 2 << 20},   {"2M", 2 << 20},
                 {"64g", 64ull << 30}, {"64G", 64ull << 30}, {"3000K", 3000 << 10}};
    for (EACH(c, cases)) {
        set("mlp.bytes", c->value);
        assert_compare(config.mlp.bytes, ==, c->wanted);
    }
    set("patterns.bytes", "65536k");
    assert_int_equal(config.patterns.bytes, 64 << 20);
}

TEST(fractions)
{
    static const struct {
        const char *value;
        double wanted;
    } cases[] = {{"1%", 0.01},
                 {"0.01", 0.01},
                 {"0.0005", 0.0005},
                 {"0.05%", 0.0005},
                 {"0.5", 0.5},
                 {"50%", 0.5},
                 {"050.0%", 0.5},
                 {"0.123456789", 0.123456789},
                 {"2.5%", 0.025},
                 {"00.01", 0.01},
                 {"12.3456789%", 0.123456789}};
    for (EACH(c, cases)) {
        set("samples.precision", c->value);
        assert_compare(config.samples_precision, ==, c->wanted);
    }
}

/* Each of these is one error, in the line and with the words given. */
TEST(wrong_lines)
{
    static const struct {
        const char *file, *message;
    } cases[] = {
        {"mlp.loads = 0-5",
         "mlpboot.cfg:1: mlp.loads = 0-5: 0 is out of range; accepted: numbers from 1 to 96, "
         "blank-separated; ranges a-b, a-b/step, a-b*factor\n"},
        {"suite = slow",
         "mlpboot.cfg:1: suite = slow: slow is not known; accepted: quick, full, fleet\n"},
        {"\n\n  suit = full",
         "mlpboot.cfg:3: suit: unknown key; did you mean suite? accepted: those in the "
         "shipped mlpboot.cfg or run --help\n"},
        {"SUITE = full", "SUITE: unknown key; did you mean suite? accepted: those"},
        {"mlp.filers = 1", "mlp.filers: unknown key; did you mean mlp.fillers? accepted"},
        {"mpl.fillers = 1", "did you mean mlp.fillers?"},
        {"Arraybites = 1k", "did you mean array.bytes?"},
        {"arrybites = 1k", "arrybites: unknown key; accepted: those in"}, /* three edits */
        {"mlp.fillers.of = 1", "mlp.fillers.of: unknown key; accepted: those in"},
        {"s\xc3\xbcite = full", "s??ite: unknown key"},
        {"suite full", ":1: suite full: '=' is missing; accepted: key = value\n"},
        {"suite # = full", ":1: suite: '=' is missing"},
        {"= full", ":1: = full: the key is missing; accepted: key = value\n"},
        {"suite =", ":1: suite = : the value is missing; accepted: quick, full, fleet\n"},
        {"seed = # 5", "seed = : the value is missing; accepted: a number from 0 to 1844674407370"},
        {"label=a\nseed=3\nlabel = b\n",
         "mlpboot.cfg:3: label = b: already set in line 1; accepted: each key once\n"},
        /* numbers */
        {"noise.seconds = 0", "0 is out of range; accepted: a number from 1 to 600\n"},
        /* sizes */
        {"mlp.bytes = 1m",
         "1m is out of range; accepted: a size in bytes, or with k, m, g, from 2m"},
        {"mlp.bytes = 64mb", "64mb is not a size; write 64m; accepted: a size"},
        {"mlp.bytes = 64 MiB", "64 MiB is not a size; write 64m; accepted"},
        {"noise.seconds = 5s", "5s is not a number; write 5; accepted"},
        {"noise.seconds = 5 s", "5 s is not a number; write 5; accepted"},
        {"array.bytes = 1KB-1GB*2 3MB",
         "1KB-1GB*2 is neither a number nor a range; write 1k-1g*2 3m; accepted"},
        {"array.bytes = 64 MB", "64 is out of range; write 64m; accepted"},
        {"mlp.bytes = 64 m", "64 m is not a size; write 64m;"},
        {"patterns.bytes = 3g",
         "patterns.bytes = 3g: 3g is not a power of two; accepted: a power of two in bytes, or "
         "with k, m, g, from 4m to 64g\n"},
        /* fractions */
        {"samples.precision = 0.0004",
         "0.0004 is out of range; accepted: a fraction from 0.0005 to 0.5, or with %\n"},
        {"samples.precision = 1 %", "1 % is not a fraction; write 1%; accepted"},
        /* lists */
        {"mlp.loads = 1-97", "97 is out of range"},
        {"mlp.loads = 1-2 2-3", "2 is listed twice"},
        {"mlp.loads = 4 4", "4 is listed twice"},
        {"mlp.fillers = 1k 1024", "1024 is listed twice"},
        {"mlp.fillers = 0-4096/2", "mlp.fillers = 0-4096/2: 2049 numbers are too many; accepted: "
                                   "numbers from 0 to 4096, blank-separated, 2048 at most; "
                                   "ranges a-b, a-b/step, a-b*factor\n"},
        {"mlp.fillers = 0-2048", ": 2049 numbers are too many"},
        {"mlp.fillers = 0-4096", ": 4097 numbers are too many"},
        {"mlp.fillers = 0-2000 3000-3046 1-8*2", ": 2052 numbers are too many"},
        {"array.bytes = 1k-64g 2k", ": 68719475714 numbers are too many; accepted: sizes from 1k "
                                    "to 64g, blank-separated, 2048 at most;"},
        {"shuffle.bytes = 31k",
         "31k is out of range; accepted: sizes from 32k to 8g, blank-separated, 2048 at most;"},
        {"mlp.loads = 1-18446744073709551616", "18446744073709551616 is out of range"},
        {"mlp.loads = 99999999999999999999-3", "99999999999999999999 is out of range"},
        {"mlp.loads = 1-5/18446744073709551616", "18446744073709551616 is out of range"},
        {"mlp.loads = 1-5*18446744073709551616", "18446744073709551616 is out of range"},
        {"mlp.loads = 1 - 5", "- is neither"},
        {"mlp.loads = 1 two", "two is neither"},
        /* words */
        {"experiments = mlp none",
         "experiments = mlp none: none is not known; accepted: any of "
         "noise, floor, mlp, structures, tlb, array, patterns, shuffle, numa, smt, loaded, "
         "timeline, "
         "blank-separated\n"},
        {"experiments = mlp mlp", "mlp is listed twice"},
        {"pages = 4k, 2m", "4k, has a comma: blanks part a list; accepted: any of 4k, 2m, 1g"},
        {"pages = 4k 2m 1g 4k", "4k is listed twice"},
        {"pages = 4k x", "pages = 4k x: x is not known"},
        {"mlp.loads = 1 x 5", "mlp.loads = 1 x 5: x is neither"},
        {"finish = wait reboot", "wait reboot is not known; accepted: wait, exit, reboot, "
                                 "shutdown"},
        {"mlp.tlb = hot", "hot is not known; accepted: any of natural, warm, cold, walkmem"},
        {"mlp.order = cpuid lfence cpuid",
         "mlp.order = cpuid lfence cpuid: cpuid is listed twice; accepted: any of lfence, cpuid"},
        {"mlp.order = \"cpuid\"", "\"cpuid\" is not known; accepted: any of lfence, cpuid"},
        /* parts of names */
        {"case = H0G0", "H0G0 has other characters; accepted: up to 16 small letters, digits and "
                        "dashes"},
        {"case = x-warm", "case = x-warm: warm already has a meaning in the names of cases; "
                          "accepted: up to 16 small "
                          "letters, digits and dashes, but no word that mlpboot itself adds\n"},
        /* bytes that do not belong there */
        {"label = caf\xe9", "label = caf?: byte 0xe9 is not printable UTF-8; accepted: up to 240"},
        {"label = a\xc2\x9b"
         "31m",
         "label = a??31m: byte 0xc2 is not printable UTF-8"},
        {"case = caf\xc3\xa9", "case = caf??: byte 0xc3 is not plain ASCII"},
        {"suite = \xe2\x80\x9cquick\xe2\x80\x9d", "byte 0xe2 is not plain ASCII"},
        {"\x01", ":1: ?: control byte 0x01 in column 1; accepted: plain text\n"},
        {"\x02# a comment", "control byte 0x02 in column 1"},
        {"label = a\x01z",
         ":1: label = a?z: control byte 0x01 in column 10; accepted: plain text\n"},
        {"label = a\x1b[31m", "label = a?[31m: control byte 0x1b"},
        {"# a comment\x7f", "control byte 0x7f in column 12"},
        {"suite = full\rseed = 3\r", "control byte 0x0d in column 13"},
        {"suite = full\r\r\n", "control byte 0x0d"},
        {"\xff\xfes\n", "mlpboot.cfg: the file is UTF-16; save it as plain text\n"},
        {"\xfe\xff", "mlpboot.cfg: the file is UTF-16; save it as plain text\n"},
    };
    for (EACH(c, cases)) {
        unsigned count = read_text(c->file);
        if (count != 1)
            fail_msg("%u errors instead of 1 in \"%s\": %s", count, c->file, errors.at);
        assert_says(c->message);
        assert_numbers((lines_of(errors.at), strncmp(errors.at, "mlpboot.cfg:", 12)), (1, 0));
    }
}

/* Each value of these is one error, which names it and says so; and it sets nothing. */
TEST(wrong_values)
{
    static const struct {
        const char *key, *words, *values[14];
    } cases[] = {{"samples.min",
                  "is not a number; accepted",
                  {"x", "-5", "+5", "0x10", "10 20", "10k", "10.5", "= 5"}},
                 {"samples.min", "is out of range", {"4", "100001"}},
                 {"noise.seconds", "is not a number; accepted", {"5ms", "900s"}},
                 {"noise.seconds", "is out of range; accepted: a number from 1 to 600\n", {"601"}},
                 {"seed",
                  "is out of range",
                  {"18446744073709551616", "184467440737095516150",
                   "99999999999999999999999999999999999999999"}},
                 {"mlp.bytes",
                  "is out of range", /* two of them beyond 2^64 */
                  {"65g", "68719476737", "17179869184g", "18014398509483008k"}},
                 {"mlp.bytes", "is not a size; accepted", {"4km", "64t", "m"}},
                 {"patterns.bytes", "is out of range", {"2m", "0"}},
                 {"patterns.bytes", "is not a power of two", {"4194305"}},
                 {"samples.precision",
                  "is out of range",
                  {"0.000499999", "51%", "0.500000001", "1", "0", "0.0%", "9999999999"}},
                 {"samples.precision",
                  "has too many digits",
                  {"00000000001", "0.0100000000", "99999999999999999999999999"}},
                 {"samples.precision",
                  "is not a fraction",
                  {".01", "0.", "1%%", "1e-2", "-1%", "%", "0.0.1", "0,01"}},
                 {"mlp.loads",
                  "is neither a number nor a range",
                  {"1-5-7", "1-", "-3", "1-5/", "1-5*", "1-5*2/2", "1/2", "3*2", "1,2,3", "1..5"}},
                 {"mlp.loads", "is out of range", {"64k"}},
                 {"mlp.loads", "runs backwards", {"5-1"}},
                 {"mlp.loads", "has a step of 0", {"1-5/0"}},
                 {"mlp.loads", "has a factor below 2", {"1-5*0", "1-5*1"}},
                 {"mlp.fillers", "starts at 0", {"0-8*2"}},
                 {"finish", "is not known", {"wai", "waits"}},
                 {"case", "has other characters", {"a b"}},
                 {"case", "is too long", {"abcdefghijklmnopq"}},
                 {"core",
                  "is not known; accepted: boot, p, e, all, an APIC id, or node with a number\n",
                  {"P", "-1", "01", "node", "node01", "core1", "1 2", "0x2", "nodes", "booted",
                   "1000000000", "node-1", "all all"}}};
    char file[128], wanted[256];
    for (EACH(c, cases))
        for (const char *const *value = c->values; *value != NULL; value++) {
            snprintf(file, sizeof file, "%s = %s", c->key, *value);
            snprintf(wanted, sizeof wanted, ":1: %s: %s %s", file, *value, c->words);
            assert_int_equal(read_text(file), 1);
            assert_says(wanted);
            assert_false(setting_of(c->key)->is_set);
        }
}

TEST(every_key_is_found_near_its_name)
{
    char file[64], wanted[64];
    for (uint32_t row = 0; row < config_key_count; row++) {
        snprintf(file, sizeof file, "%sxx = 1", config_keys[row].name);
        snprintf(wanted, sizeof wanted, "did you mean %s?", config_keys[row].name);
        assert_int_equal(read_text(file), 1);
        assert_says(wanted);
    }
}

TEST(nul_and_utf16_without_mark)
{
    static const char nul[] = "seed = 3\0\nlabel = x\n", utf16[] = "s\0e\0e\0d\0";
    assert_int_equal(read_bytes(nul, sizeof nul - 1), 1);
    assert_says("mlpboot.cfg:1: seed = 3?: control byte 0x00 in column 9; accepted: plain text, "
                "not UTF-16\n");
    start();
    assert_int_equal(read_bytes(utf16, sizeof utf16 - 1), 1);
    assert_says("not UTF-16");
}

TEST(labels_in_any_language)
{
    static const char label[] = "\xc2\xb5-Lab Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x92\xa9 <b>";
    char file[128];
    snprintf(file, sizeof file, "label =  %s\t# \xff\n", label);
    assert_right(read_text(file));
    assert_string_equal(config.label, label);
    assert_string_equal(setting_of("label")->value, label);
}

/* A value may have CONFIG_VALUE_MAX characters and no more; a message shows only its start. */
TEST(long_values)
{
    char file[1024], label[CONFIG_VALUE_MAX + 2];
    memset(label, 'x', sizeof label);
    label[CONFIG_VALUE_MAX] = '\0';
    snprintf(file, sizeof file, "label = %s", label);
    assert_right(read_text(file));
    assert_string_equal(config.label, label);
    assert_string_equal(setting_of("label")->value, label);

    snprintf(file, sizeof file, "label = %sx", label);
    assert_int_equal(read_text(file), 1);
    assert_says("xxx...: longer than 240 characters; accepted: up to 240 bytes of text in UTF-8\n");
    assert_compare(errors.length, <, 200);

    snprintf(file, sizeof file, "%s%s = 1", label, label);
    assert_int_equal(read_text(file), 1);
    assert_says("xxx...: unknown key");

    snprintf(file, sizeof file, "%s%s", label, label);
    assert_int_equal(read_text(file), 1);
    assert_says("xxx...: '=' is missing");
}

TEST(large_files)
{
    char *file = malloc(CONFIG_FILE_BYTES_MAX + 1);
    assert_non_null(file);
    memset(file, '#', CONFIG_FILE_BYTES_MAX + 1);
    assert_int_equal(read_bytes(file, CONFIG_FILE_BYTES_MAX), 0);
    assert_string_equal(errors.at, "");
    assert_int_equal(read_bytes(file, CONFIG_FILE_BYTES_MAX + 1), 1);
    assert_string_equal(errors.at,
                        "mlpboot.cfg: 65537 bytes are too many; accepted: up to 65536\n");

    start();
    memset(file, '\n', CONFIG_FILE_BYTES_MAX);
    memcpy(file + CONFIG_FILE_BYTES_MAX - 1, "x", 1);
    assert_int_equal(read_bytes(file, CONFIG_FILE_BYTES_MAX), 1);
    assert_says("mlpboot.cfg:65536: x: '=' is missing");
    free(file);
}

TEST(many_errors)
{
    char file[512] = "";
    for (unsigned i = 0; i < 20; i++)
        strcat(file, "wrong\n");
    assert_int_equal(read_text(file), 20);
    assert_int_equal(lines_of(errors.at), 20);
    strcat(file, "wrong\nnonsense = 1\nsuite = x\n");
    assert_int_equal(read_text(file), 23);
    assert_int_equal(lines_of(errors.at), 21);
    assert_says("mlpboot.cfg:20: wrong");
    assert_says("\nmlpboot.cfg: and 3 more errors\n");
    assert_null(strstr(errors.at, "nonsense"));
}

/* Every wrong line is told, and a wrong line sets nothing. */
TEST(several_errors)
{
    assert_int_equal(read_text("seed = x\nsuite = full\nmlp.loads = 0\nseed = 4\n"), 3);
    assert_says("mlpboot.cfg:1: seed = x");
    assert_says("mlpboot.cfg:3: mlp.loads = 0");
    assert_says("mlpboot.cfg:4: seed = 4: already set in line 1");
    assert_true(setting_of("suite")->is_set);
    assert_false(setting_of("seed")->is_set);
    assert_false(setting_of("mlp.loads")->is_set);
}

/* No room for the message is no reason to accept. */
TEST(tiny_error_buffer)
{
    char buffer[4];
    struct text tiny;
    text_init(&tiny, buffer, sizeof buffer);
    assert_int_equal(config_read_file(&config, CONFIG_FILE_NAME, "x\ny\n", 4, &tiny), 2);
    assert_string_equal(buffer, "mlp");
}

TEST(settings)
{
    assert_int_equal(read_bytes("suite = full\nmlp.loads = 3\n", 27), 0);
    assert_int_equal(config_read_setting(&config, "--set", "mlp.loads=1-2", &errors), 0);
    assert_int_equal(config_read_setting(&config, "--set", " mlp.loads = 8 9 ", &errors), 0);
    assert_int_equal(config_read_setting(&config, "--set", "label=run #3", &errors), 0);
    assert_right(config_finish(&config, &errors));
    assert_list(&config.mlp.loads, "8 9");
    assert_string_equal(config.label, "run #3");
    assert_int_equal(config.suite, SUITE_FULL);
    assert_string_equal(setting_of("mlp.loads")->source, "--set");
    assert_int_equal(setting_of("mlp.loads")->line, 0);
    assert_string_equal(setting_of("suite")->source, CONFIG_FILE_NAME);
}

/* Emulated runs are short, but for what the user asks for. */
TEST(defaults_in_an_emulator)
{
    static const char *const files[] = {"", "suite = full\n", "samples.min = 77\n"};
    for (unsigned i = 0; i < 3; i++) {
        memset(&config, 0, sizeof config);
        config.is_emulated = true;
        assert_int_equal(read_bytes(files[i], strlen(files[i])), 0);
        assert_right(config_finish(&config, &errors));
        for (const struct config_key *key = config_keys; key < config_keys + config_key_count;
             key++)
            if (key->emulated != NULL && (i < 2 || strcmp(key->name, "samples.min") != 0))
                assert_string_equal(setting_of(key->name)->value, key->emulated);
        assert_int_equal(config.samples_min, i < 2 ? 25 : 77);
        assert_int_equal(config.mlp.loads.count, i == 1 ? 40 : 28); /* the same points */
    }
}

TEST(settings_are_called_by_where_they_come_from)
{
    assert_int_equal(config_read_setting(&config, "load options", "runs=0", &errors), 1);
    assert_says("load options: runs = 0: 0 is out of range; accepted: a number from 1 to 1000\n");
    assert_int_equal(config_read_setting(&config, "load options", "runs=1", &errors), 0);
    text_clear(&errors);
    assert_right(config_finish(&config, &errors));
    assert_string_equal(setting_of("runs")->source, "load options");
    assert_true(config.runs_is_set);
}

TEST(wrong_settings)
{
    static const struct {
        const char *assignment, *message;
    } cases[] = {{"mlp.loads", "--set: mlp.loads: '=' is missing; accepted: key = value\n"},
                 {"", "--set: '=' is missing"},
                 {"seed=1\nsuite=full", "--set: seed=1?suite=full: control byte 0x0a in column 7"},
                 {"seed=1 # one", "--set: seed = 1 # one: 1 # one is not a number"},
                 {"label=\xc3", "--set: label = ?: byte 0xc3 is not printable UTF-8"}};
    for (EACH(c, cases)) {
        start();
        assert_int_equal(config_read_setting(&config, "--set", c->assignment, &errors), 1);
        assert_says(c->message);
        assert_int_equal(lines_of(errors.at), 1);
    }
}

TEST(empty_label_is_a_label)
{
    assert_int_equal(read_bytes("label = x\n", 10), 0);
    assert_int_equal(config_read_setting(&config, "--set", "label=", &errors), 0);
    assert_right(config_finish(&config, &errors));
    assert_string_equal(config.label, "");
    assert_right(read_text("label =\ncase =\n"));
    assert_true(setting_of("label")->is_set && setting_of("case")->is_set);
    assert_string_equal(config.variant, "");
}

TEST(samples_must_agree)
{
    assert_right(read_text("samples.min = 400\nsamples.max = 400"));
    assert_int_equal(read_text("\nsamples.min = 401\nsamples.max = 400"), 1);
    assert_string_equal(errors.at, "mlpboot.cfg:2: samples.min = 401: more than samples.max = 400 "
                                   "(mlpboot.cfg); accepted: samples.min up to samples.max\n");
    assert_int_equal(read_text("samples.min = 500"), 1);
    assert_says("mlpboot.cfg:1: samples.min = 500: more than samples.max = 400 (default)");
    assert_right(read_text("samples.min = 500\nsuite = full"));
    assert_int_equal(read_text("samples.max = 29"), 1);
    assert_says("mlpboot.cfg:1: samples.max = 29: less than samples.min = 30 (default)");
}

/* Which processor, in each way there is to say it. */
TEST(core)
{
    static const struct {
        const char *value;
        struct core_choice choice;
    } right[] = {{"boot", {WISH_BOOT, 0}},
                 {"p", {WISH_PERFORMANCE, 0}},
                 {"e", {WISH_EFFICIENT, 0}},
                 {"all", {WISH_ALL, 0}},
                 {"0", {WISH_NUMBER, 0}},
                 {"12", {WISH_NUMBER, 12}},
                 {"999999999", {WISH_NUMBER, 999999999}},
                 {"node0", {WISH_NODE, 0}},
                 {"node17", {WISH_NODE, 17}}};
    assert_right(read_text(""));
    assert_numbers((config.core.wish, config.siblings), (WISH_BOOT, SIBLINGS_HALT));
    for (EACH(c, right)) {
        set("core", c->value);
        assert_int_equal(config.core.wish, c->choice.wish);
        assert_int_equal(config.core.number, c->choice.number);
    }
}

/* What finish makes of a configuration whose errors were ignored must still be sound. */
TEST(finish_after_errors)
{
    static const char file[] = "mlp.loads = 1-9 0\npages = 4k 4k\nlabel = \xff\n";
    assert_int_equal(read_bytes(file, strlen(file)), 3);
    text_clear(&errors);
    assert_right(config_finish(&config, &errors));
    assert_numbers((config.mlp.loads.count, config.pages.count), (28, 2));
    assert_string_equal(config.label, "");
}

/* One or two short sentences, which the writer of paragraphs and a Markdown cell can take. */
static void check_help(const char *help)
{
    assert_in_range(strlen(help), 1, 199);
    assert_int_equal(help[strlen(help) - 1], '.');
    assert_null(strpbrk(help, "\n|*`_<"));
    assert_null(strstr(help, "  "));
}

/* What the table promises, for rows to come as well. */
TEST(table)
{
    assert_string_equal(config_keys[0].name, "suite");
    assert_in_range(config_key_count, 1, CONFIG_KEYS_MAX);
    for (uint32_t row = 0; row < config_key_count; row++) {
        const struct config_key *key = &config_keys[row];

        assert_int_equal(row_of(key->name), row);
        for (unsigned suite = 0; suite < SUITES_MAX; suite++)
            assert_compare(strlen(key->by_suite[suite]), <=, CONFIG_VALUE_MAX);
        assert_compare(key->offset + key->bytes, <=, sizeof config);
        assert_compare(key->min, <=, key->max);
        check_help(key->help);
        assert_int_equal(key->words != NULL, key->kind == CONFIG_WORD || key->kind == CONFIG_WORDS);
        for (uint32_t i = 0; key->kind == CONFIG_WORDS && key->words[i] != NULL; i++)
            assert_compare(i, <, CONFIG_CHOICES_MAX);
    }
}

/* NULL: there is no such file. */
static char *read_file(const char *path, size_t *length)
{
    static char data[1 << 20];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    *length = fread(data, 1, sizeof data - 1, file);
    fclose(file);
    data[*length] = '\0';
    return data;
}

static char *read_shipped(size_t *length)
{
    char *data = read_file(SHIPPED, length);
    if (data == NULL)
        fail_msg("cannot open %s; run this from the project's root", SHIPPED);
    return data;
}

static const char *described(void (*describe)(struct text *text))
{
    static char buffer[DESCRIBE_BYTES_MAX];
    struct text text;
    text_init(&text, buffer, sizeof buffer);
    describe(&text);
    assert_false(text.truncated);
    return buffer;
}

TEST(shipped_file_is_the_described_one)
{
    size_t length;
    const char *data = read_shipped(&length);
    if (strcmp(data, described(describe_file)) != 0)
        fail_msg("%s is not what the table of keys says: make texts", SHIPPED);
}

TEST(one_key_described)
{
    assert_non_null(
        strstr(described(describe_help),
               "\n\n"
               "  samples.max = 400\n"
               "      The most samples of a point, however imprecise it still is; not below\n"
               "      samples.min. Points whose fastest samples are read take 500 to 4000.\n"
               "      Accepted: a number from 5 to 100000\n"
               "      In suite full: 2000\n\n"));
}

/* Returns the length of the longest. */
static long check_lines(const char *text)
{
    long longest = 0;
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        assert_in_range(end - text, 0, COLUMNS_MAX);
        assert_true(end == text || end[-1] != ' ');
        longest = end - text > longest ? end - text : longest;
    }
    assert_string_equal(text, "");
    return longest;
}

/* No line is too long, and a word more would not have fitted. */
TEST(described_lines)
{
    check_lines(described(describe_help));
    assert_int_equal(check_lines(described(describe_file)), COLUMNS_MAX);
}

/* In Markdown every row of a table has the same number of cells. */
TEST(described_table)
{
    const char *table = described(describe_table);
    assert_int_equal(strncmp(table, "\n| key |", 8), 0);
    assert_string_equal(table + strlen(table) - 4, " |\n\n");
    assert_int_equal(lines_of(table), config_key_count + 4);
    for (const char *at = table + 1; *at != '\n'; at++) {
        unsigned bars = 0;
        for (; *at != '\n'; at++)
            bars += *at == '|';
        assert_int_equal(bars, 4);
    }
}

TEST(shipped_file_changes_nothing)
{
    size_t length;
    const char *data = read_shipped(&length);
    assert_int_equal(read_bytes(data, length), 0);
    assert_right(config_finish(&config, &errors));
    for (uint32_t row = 0; row < config_key_count; row++)
        assert_false(config.setting[row].is_set);
}

/* With every '#key' uncommented the file must be right, set every key, and change nothing. */
TEST(shipped_file_uncommented)
{
    size_t length;
    char *data = read_shipped(&length);
    for (size_t i = 0; i < length; i++)
        if (data[i] == '#' && (i == 0 || data[i - 1] == '\n') && data[i + 1] >= 'a')
            data[i] = ' ';
    assert_right(read_bytes(data, length));
    for (uint32_t row = 0; row < config_key_count; row++) {
        if (!config.setting[row].is_set)
            fail_msg("%s does not show %s", SHIPPED, config_keys[row].name);
        assert_string_equal(config.setting[row].value, config_keys[row].by_suite[SUITE_QUICK]);
    }
    assert_right(config_finish(&config, &errors));
}
