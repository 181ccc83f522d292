/* runs: reads the configurations and makes one run after the other; announces each step first. */
#include "runs.h"

#include "../kernel/cpu/processor.h"
#include "../kernel/lib/string.h"
#include "../kernel/report/conditions.h"
#include "../kernel/run.h"
#include "boots.h"
#include "console.h"
#include "efi_machine.h"
#include "firmware.h"
#include "last_words.h"
#include "load_options.h"
#include "names.h"
#include "network/network.h"
#include "platform_efi.h"
#include "power_on.h"
#include "storage/stored.h"
#include "storage/volumes.h"
#include "watchdog.h"

#define DIRECTORY "mlpboot.d"
#define ERROR_BYTES 16384
#define REMARK_BYTES 4096
#define STEP_FOLDER "results-folder"
#define STEP_OTHERS "other-volumes"
#define STEP_STOCK "taking-stock"
#define NEWS_BYTES 4096
#define TEMPLATE_USUAL (256u << 10) /* bytes of report.html */
#define RETRY "runs were cut short in this"

/* One configuration file, or a part of one. */
struct file {
    char path[sizeof DIRECTORY + BOOTS_NAME_MAX];
    bool missing;
    const char *reason; /* why it cannot be read; NULL: it can */
    size_t length;
    char data[CONFIG_FILE_BYTES_MAX + 1]; /* one more, to notice files that are too long */
};

static struct file shared, own;
static bool can_read; /* files beside the application */
static struct names
    names; /* of the configuration directory; none: `shared` is the only configuration */
static struct load_options options;
static struct config config;

static struct boots boots;
static struct boots_entry *entry; /* of the running configuration */
static struct machine described;  /* as its firmware describes it, read once in a boot */
static struct processor processor;
static uint64_t machine;
static uint64_t all_texts;   /* a hash of all configurations, */
static uint64_t boots_left;  /* and boots until the last of them was run as often as it asks for */
static const char *no_notes; /* why `boots` could not be saved; NULL: it could */

static struct platform_efi platform;
static void tell_user(const char *words);
static struct places places = {.tell = tell_user};
static char id[IDENTITY_ID_MAX]; /* the machine's */

static char error_memory[ERROR_BYTES], remark_memory[REMARK_BYTES], news_memory[NEWS_BYTES];
static struct text errors, remarks, news;
static bool news_are_told, step_is_open;

static void step(const char *what)
{
    watchdog_feed();
    last_words_step(what);
    console_printf("%s ...", what);
    step_is_open = true;
}

/* Prints the result of a step: "ok", or the reason. */
static bool result(const char *reason)
{
    console_printf("%s%s\n", step_is_open ? " " : "... ", reason == NULL ? "ok" : reason);
    step_is_open = false;
    return reason == NULL;
}

/* Prints the remarks made since then; the log gets them, too. */
static void say_remarks(size_t since)
{
    console_print(remarks.at + since);
}

/* Prints what became of volumes and places now; the log has it when it is saved. */
static void tell_user(const char *words)
{
    if (news_are_told)
        text_clear(&news);
    news_are_told = false;
    console_printf("%s%s\n", step_is_open ? "\n" : "", words);
    step_is_open = false;
    text_printf(&news, "%s\n", words);
}

/* As platform.h says. */
static const char *tell_news(struct platform *self)
{
    (void)self;
    bool is_old = news_are_told;
    news_are_told = true;
    return is_old || news.length == 0 ? NULL : news.at;
}

/* --- what earlier boots did --- */

/* Returns the identifier that run.json has, the same in each boot. */
static uint64_t mark_of_machine(void)
{
    static struct identity identity; /* an initializer would put its 4 KB into the file */
    identity.processor = &processor;
    identity.machine = &described;
    processor_identify(&processor);
    machine_find(&described);
    identity_id(&identity, id);
    return boots_hash(BOOTS_HASH, id, strlen(id));
}

static void read_boots(void)
{
    static char data[BOOTS_BYTES_MAX];
    size_t length;
    bool missing;
    const struct volume *volume = volumes_first();
    if (volume == NULL)
        return;
    const char *reason = volume_read(volume, BOOTS_FILE, data, sizeof data, &length, &missing);
    if (reason == NULL && length > sizeof data)
        reason = "it is too large";
    if (reason != NULL) {
        text_printf(&remarks, "%s: cannot be read: %s\n", BOOTS_FILE, reason);
        return;
    }
    unsigned wrong = boots_read(&boots, data, length);
    if (wrong > 0)
        text_printf(&remarks, "%s: %u damaged lines were forgotten\n", BOOTS_FILE, wrong);
}

static void save_boots(void)
{
    static char data[BOOTS_BYTES_MAX + STORED_UNIT];
    struct text text;
    struct volume *volume = volumes_first();
    const char *before = no_notes;
    text_init(&text, data, BOOTS_BYTES_MAX);
    boots_write(&boots, &text);
    no_notes = volume != NULL ? stored_keep(volume, "\\" BOOTS_FILE, data, text.length)
                              : "no volume takes it";
    if (no_notes != NULL && before == NULL)
        console_printf("the next boot will not know what this one did: %s\n", no_notes);
}

/* As platform.h says. */
static void begin(struct platform *self, const char *what)
{
    (void)self;
    watchdog_feed();
    last_words_step(what);
    boots_begin(entry, what, volumes_number(places_now(&places)));
    save_boots();
}

static bool avoids(struct platform *self, const char *step)
{
    (void)self;
    return boots_avoids(entry, step);
}

/* False: runs were cut short in a step that none can do without. */
static bool is_tried_again(void)
{
    static const char *const needed[] = {STEP_STOCK, "self-test", "closing"};
    for (unsigned i = 0; i < sizeof needed / sizeof *needed; i++)
        if (boots_avoids(entry, needed[i]))
            return false;
    return true;
}

/* --- what is to be measured --- */

static void read_file(struct file *file)
{
    watchdog_feed();
    file->reason =
        volumes_read(file->path, file->data, sizeof file->data, &file->length, &file->missing);
}

static void take_name(void *context, const uint16_t *name)
{
    names_add(context, name, &remarks);
}

/* Looks for names that editors and desktops make of the right one. */
static void look_for_misnamed(void)
{
    static const char *const wrong[] = {"mlpboot.cfg.txt", "mlpboot.cfg.cfg", "mlpboot.txt"};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char byte;
        size_t length;
        bool missing;
        if (volumes_read(wrong[i], &byte, sizeof byte, &length, &missing) == NULL && !missing)
            text_printf(&remarks, "%s is there and is not read; it has to be named %s\n", wrong[i],
                        CONFIG_FILE_NAME);
    }
}

static void read_options(void)
{
    const EFI_LOADED_IMAGE *image = firmware_loaded_image();
    if (image != NULL)
        load_options_read(&options, image->LoadOptions, image->LoadOptionsSize, firmware_is_shell(),
                          &remarks);
}

static void read_configurations(void)
{
    step("reading \\" CONFIG_FILE_NAME);
    text_write(shared.path, sizeof shared.path, CONFIG_FILE_NAME);
    read_file(&shared);
    result(shared.missing ? "not there" : shared.reason);
    const char *reason = volumes_list(DIRECTORY, take_name, &names);
    if (reason != NULL)
        text_printf(&remarks, "%s: cannot be read: %s\n", DIRECTORY, reason);
    if (shared.missing)
        look_for_misnamed();
}

/* Returns how many configurations this boot has; without files, one: the default. */
static unsigned count(void)
{
    return names.count > 0 ? names.count : 1;
}

static const char *name_of(unsigned i)
{
    return names.count > 0 ? names.at[i] : CONFIG_FILE_NAME;
}

/* Adds a file to the configuration; returns how many of its lines are wrong. */
static unsigned add_file(const struct file *file, uint64_t *hash)
{
    size_t there = file->length < sizeof file->data ? file->length : sizeof file->data;
    *hash = boots_hash(*hash, file->data, there);
    *hash = boots_hash(*hash, "", 1);
    if (file->missing)
        return 0;
    if (file->reason == NULL)
        return config_read_file(&config, file->path, file->data, file->length, &errors);
    text_printf(&errors, "%s: cannot be read: %s\n", file->path, file->reason);
    return 1;
}

/*
 * Makes `config` of the shared file, the configuration's own file and the load options, and `entry`
 * of what earlier boots did with it. Returns the number of errors, each a line in `errors`.
 */
static unsigned load_configuration(unsigned i)
{
    uint64_t hash = BOOTS_HASH;
    memset(&config, 0, sizeof config);
    text_clear(&errors);
    unsigned wrong = can_read ? add_file(&shared, &hash) : 0;
    if (names.count > 0) {
        text_write(own.path, sizeof own.path, "%s\\%s", DIRECTORY, names.at[i]);
        read_file(&own);
        wrong += add_file(&own, &hash);
    }
    wrong += options.error[0] != '\0';
    text_printf(&errors, "%s", options.error);
    for (unsigned j = 0; j < options.count; j++) {
        hash = boots_hash(hash, options.setting[j], strlen(options.setting[j]) + 1);
        wrong += config_read_setting(&config, "load options", options.setting[j], &errors);
    }
    config.is_emulated = hypervisor_emulates(&processor);
    wrong += config_finish(&config, &errors); /* also if lines are wrong: it says how to end */
    entry = boots_find(&boots, machine, name_of(i), hash);
    return wrong;
}

/* --- one run --- */

/* Opens the platform. False: nothing can be measured here, and `errors` has the reason. */
static bool take_stock(void)
{
    begin(&platform.base, STEP_STOCK);
    step("taking stock of the machine");
    const char *reason = platform_efi_open(&platform);
    if (!result(reason))
        text_printf(&errors, "%s\n", reason);
    return reason == NULL;
}

/* Bytes that a file gets before anything is measured, by suite (quick, full, fleet): half as much
 * again as a run with that suite's defaults leaves. A file that needs more grows while the run goes
 * on. */
static const struct planned_file {
    const char *name;
    uint64_t bytes[SUITES_MAX];
    bool is_copy;
} planned_files[] = {
    {"log.txt", {64 << 10, 128 << 10, 64 << 10}, false},
    {"run.json", {128 << 10, 128 << 10, 128 << 10}, false},
    {"verdicts.csv", {128 << 10, 256 << 10, 128 << 10}, false},
    {"results.csv", {768 << 10, 10 << 20, 768 << 10}, false},
    {"report.html", {1 << 20, 11 << 20, 1 << 20}, true},
};

/* A run that is refused leaves a log alone. */
static void plan_files(bool is_refused)
{
    struct kept *kept = &places.kept;
    size_t count = is_refused ? 1 : sizeof planned_files / sizeof *planned_files;
    for (size_t i = 0; i < count; i++) {
        const struct planned_file *file = &planned_files[i];
        uint64_t template = file->is_copy ? TEMPLATE_USUAL : 0;
        kept_add(kept, file->name, template + file->bytes[config.suite], file->is_copy);
    }
    if (!is_refused)
        kept_find(kept, "run.json")->is_rewritten = true;
}

/* Adds the places that are looked for only where the volume booted from takes no results. */
static void add_others(void)
{
    struct utc now;
    if (strcmp(entry->step, STEP_FOLDER) == 0) /* else the run is at something else by now */
        begin(&platform.base, STEP_OTHERS);
    if (!boots_avoids(entry, STEP_OTHERS)) {
        volumes_find_marked();
        volumes_add_marked(&places);
    }
    if (network_has_server() || config.results_to[0] != '\0') {
        bool is_known = machine_now(&platform.base, &now) == NULL;
        places_add(&places, network_place(config.results_to, id, is_known ? &now : NULL));
    }
}

static void make_folder(bool tries, bool is_refused)
{
    begin(&platform.base, STEP_FOLDER);
    places_init(&places, &platform.base);
    plan_files(is_refused);
    step("making a directory for results");
    const char *reason = RETRY;
    if (tries) {
        volumes_add_own(&places);
        places.more = add_others;
        reason = places_start(&places) ? NULL : places.reason;
    }
    if (result(reason))
        console_printf("results go to %s\n", places_now(&places)->name);
    else
        console_print(console_is_recorded() ? "results go to the serial port only\n"
                                            : "results are shown, and not kept\n");
    entry->folder = volumes_number(places_now(&places));
}

static enum run_status measure_configured(unsigned wrong, bool may_run)
{
    enum run_status status = RUN_NOTHING;
    const struct place *place = places_now(&places);
    platform.base.results = place != NULL ? place->name : NULL;
    platform.base.folder = place != NULL ? place->folder : NULL;
    platform.base.machine = &described;
    platform.base.remarks = remarks.at;
    platform.base.begin = begin;
    platform.base.avoids = avoids;
    platform.base.news = tell_news;
    if (!may_run)
        text_printf(&errors, "runs before this one were cut short\n");
    if (wrong == 0 && may_run && take_stock())
        status = run_all(&platform.base, &config);
    else
        run_refuse(&platform.base, errors.at);
    platform_efi_close(&platform);
    return status;
}

/* Runs the loaded configuration, of which `wrong` lines are wrong; notes how that ended. */
static void run_configured(unsigned wrong, struct runs_end *end)
{
    size_t shared_remarks = remarks.length;
    const char *reason = watchdog_set(config.hang_seconds);
    if (reason != NULL)
        text_printf(&remarks, "the firmware has no watchdog: %s\n", reason);
    boots_resume(entry, config.resume == RESUME_ON, &remarks);
    say_remarks(shared_remarks);
    bool may_run = is_tried_again();
    platform_efi_init(&platform, &places);
    /* If the firmware hung in making the folder before, the console takes all. */
    make_folder(!boots_avoids(entry, STEP_FOLDER), wrong > 0 || !may_run);
    enum run_status status = measure_configured(wrong, may_run);
    end->status = status > end->status ? status : end->status;
    watchdog_feed();
    end->saved &= volumes_number(places_end(&places)) > 0;
    boots_end(entry);
    save_boots();
    remarks.length = shared_remarks;
    remarks.at[remarks.length] = '\0';
}

/* --- all of them --- */

/* Returns how many runs are left; starts a new series of uncounted runs if need be. */
static unsigned count_open(struct runs_end *end)
{
    unsigned open = 0, uncounted = 0;
    all_texts = BOOTS_HASH;
    boots_left = 0;
    for (unsigned i = 0; i < count(); i++) {
        load_configuration(i);
        open += boots_is_open(entry, &config);
        uncounted += !boots_are_counted(&config);
        all_texts = boots_hash(all_texts, &entry->text, sizeof entry->text);
        if (config.runs > entry->done + boots_left)
            boots_left = config.runs - entry->done;
    }
    end->finish = config.finish;
    end->seconds = config.finish_seconds;
    end->is_in_rack = described.is_in_rack;
    end->is_emulated = config.is_emulated;
    end->qemu_port = processor.is_virtual ? (uint16_t)config.finish_qemu : 0;
    if (open > 0 || uncounted == 0)
        return open;
    for (unsigned i = 0; i < count(); i++) {
        load_configuration(i);
        if (!boots_are_counted(&config))
            entry->done = 0;
    }
    return uncounted;
}

/* Ends the series: uncounted runs are repeated when the machine is started again. */
static void end_series(struct runs_end *end)
{
    count_open(end);
    save_boots();
}

static void run_open(struct runs_end *end)
{
    end->saved = true;
    for (unsigned i = 0; i < count(); i++) {
        unsigned wrong = load_configuration(i);
        if (names.count > 0)
            console_printf("\nconfiguration %u of %u: %s\n", i + 1, count(), own.path);
        if (boots_is_open(entry, &config))
            run_configured(wrong, end);
        else if (entry->folder > 0)
            console_printf("done, in run %04u; skipped\n", entry->folder);
        else
            console_print("done; skipped\n");
    }
    end_series(end);
}

/*
 * True if nothing is left to run; then says why. Firmware may list a stick twice, or try its
 * entries for ever: a second start since the last reset measures nothing. A start in a shell does.
 */
static bool is_all_done(unsigned open)
{
    if (open == 0)
        console_printf("All that was asked for was measured in earlier boots. To measure it again, "
                       "delete %s.\n",
                       BOOTS_FILE);
    else if (!firmware_is_shell() && power_on_measured(all_texts))
        console_print("This was measured since the machine was switched on. To measure it again, "
                      "restart the machine, or start mlpboot in a UEFI shell.\n");
    else
        return false;
    return true;
}

/* Remarks on what a reboot starts, if so many boots are left. */
static void remark_on_rival(const struct runs_end *end, uint64_t least)
{
    bool reboots = end->finish == FINISH_REBOOT && boots_left >= least;
    const char *rival = reboots ? power_on_rival() : NULL;
    if (rival != NULL)
        text_printf(&remarks,
                    "finish = reboot: \"%s\" is first in the firmware's boot order; put mlpboot's "
                    "entry first, or choose it again after each reboot\n",
                    rival);
}

struct runs_end runs_all(void)
{
    struct runs_end end = {.saved = false};
    text_init(&errors, error_memory, sizeof error_memory);
    text_init(&remarks, remark_memory, sizeof remark_memory);
    text_init(&news, news_memory, sizeof news_memory);
    machine = mark_of_machine();
    step("opening the volume booted from");
    can_read = result(volumes_open(tell_user));
    if (can_read)
        read_configurations();
    if (volumes_first() == NULL) {
        step("looking for a marked volume");
        volumes_find_marked();
        result(volumes_first() != NULL ? NULL : "no FAT volume has a file " VOLUME_MARKER);
    }
    read_boots();
    read_options();
    unsigned open = count_open(&end);
    remark_on_rival(&end, 2);
    say_remarks(0);
    if (is_all_done(open)) {
        end.finish = FINISH_EXIT;
        return end;
    }
    run_open(&end);
    power_on_note(all_texts);
    text_clear(&remarks);
    remark_on_rival(&end, 1);
    say_remarks(0);
    if (end.finish == FINISH_REBOOT && no_notes != NULL) {
        console_print("A reboot could not be counted and would measure for ever.\n");
        end.finish = FINISH_EXIT;
    }
    return end;
}
