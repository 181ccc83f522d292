/* run: experiment by experiment, measure, save, show; then the log's last line. */
#include "run.h"

#include "analysis/states.h"
#include "cpu/processor.h"
#include "data/failure.h"
#include "engine/measurement.h"
#include "experiments/experiment.h"
#include "experiments/judge.h"
#include "lib/string.h"
#include "lib/units.h"
#include "pmu/schedule.h"
#include "probe/native.h"
#include "probe/sentinel.h"
#include "report/conditions.h"
#include "report/csv.h"
#include "report/record.h"
#include "report/screen.h"

#define ROWS_A_PIECE 4096 /* written to results.csv at once: six megabytes at most */
#define VERDICTS_MAX 2048 /* of one run: more than every case of every experiment gives */

struct run {
    struct platform *platform;
    const struct config *config;
    struct processor processor;
    struct identity identity;
    struct record record;
    struct verdict_list verdicts;
    struct noise_report noise;
    struct facts facts;
    struct states states;
    struct waits waits;      /* of the core's measurements so far */
    struct pair_probe pairs; /* for second looks; opened where the core may be shared */
    struct text scratch;
    bool failed;
    bool stopped;                         /* by the user */
    struct failure failure[FAILURES_MAX]; /* why it is not done */
    unsigned failures;
    char standstill[80]; /* for how long the run was stopped meanwhile; or empty */
    bool measured;       /* a case that was asked for */
    bool left_out;       /* an experiment that was asked for */
    uint64_t started;
    unsigned pages;  /* page sizes of the configuration that can be had */
    unsigned number; /* of the experiment under way, of those that were asked for, */
    double left;     /* and about how many seconds it and the later ones take */
};

static const char *const failure_codes[] = {FAILURES(FAILURE_CODE)};
static const char *const status_names[] = {"done", "partial", "error", "nothing"};

static enum run_status status_of(const struct run *run)
{
    if (run->failed)
        return RUN_ERROR;
    if (run->record.failed || run->stopped)
        return RUN_PARTIAL;
    if (!run->measured)
        return RUN_NOTHING;
    return run->left_out ? RUN_PARTIAL : RUN_DONE;
}

/* printf style, by way of the scratch. */
__attribute__((format(printf, 2, 3))) static void say(struct run *run, const char *format, ...)
{
    va_list arguments;
    text_clear(&run->scratch);
    va_start(arguments, format);
    text_vprintf(&run->scratch, format, arguments);
    va_end(arguments);
    run->platform->print(run->platform, run->scratch.at);
}

static bool goes_on(const struct run *run)
{
    return !run->failed && !run->stopped;
}

/* Notes why the run is not done: the first words of each step and code, and no more than fit. Of
 * files that could not be saved there may be more each time. */
static void note_failure(struct run *run, enum failure_code code, const char *step,
                         const char *words)
{
    struct failure *failure = run->failure, *end = failure + run->failures;
    while (failure < end && (failure->code != code || strcmp(failure->step, step) != 0))
        failure++;
    if (failure < end ? code != FAILURE_NOT_SAVED : run->failures == FAILURES_MAX)
        return;
    run->failures += failure == end;
    failure->code = code;
    text_write(failure->step, sizeof failure->step, "%s", step);
    text_write(failure->words, sizeof failure->words, "%s", words);
}

/* Notes which files could not be saved, and why. */
static void note_missing_files(struct run *run)
{
    struct text words = TEXT_OF(FAILURE_WORDS_MAX);
    record_tell_missing(&run->record, &words);
    if (words.length > 0)
        note_failure(run, FAILURE_NOT_SAVED, "", words.at);
}

/* Ends the run early: it saves and shows what it has, but measures no more. */
static void end_early(struct run *run, const char *kind, const char *name, const char *reason)
{
    bool is_stop = reason == measurement_stopped;
    bool has_faulted = run->platform->fault[0] != '\0';
    note_failure(run,
                 is_stop       ? FAILURE_STOPPED
                 : has_faulted ? FAILURE_FAULT
                               : FAILURE_FAILED,
                 name, !is_stop && has_faulted ? run->platform->fault : reason);
    run->stopped |= is_stop;
    run->failed |= !is_stop;
    say(run, "%s: %s\n", name, reason);
    record_event(&run->record, "event=%s %s=%s reason=%s", is_stop ? "stopped" : "failed", kind,
                 name, reason);
}

static void tell_fault(struct run *run)
{
    if (run->platform->fault[0] != '\0')
        record_event(&run->record, "event=fault message=%s", run->platform->fault);
}

/* Shows and logs each error that the hardware has reported since the last call. */
static void tell_incidents(struct run *run)
{
    struct platform *platform = run->platform;
    const char *words;
    while (platform->incident != NULL && (words = platform->incident(platform)) != NULL) {
        say(run, "\nwarning: %s\n", words);
        record_event(&run->record, "event=hardware message=%s", words);
    }
}

static void save_log(struct run *run)
{
    tell_incidents(run);
    record_news(&run->record);
    record_save_log(&run->record);
}

static double seconds_since_start(const struct run *run)
{
    return (double)(native_ticks() - run->started) / (double)run->platform->ticks_per_second;
}

/* Names the step in the log and to the platform, should it hang or fault. */
static void begin_step(struct run *run, const char *event, const char *step)
{
    struct platform *platform = run->platform;
    platform->step = step;
    record_event(&run->record, "event=%s name=%s", event, step);
    save_log(run);
    if (platform->begin != NULL)
        platform->begin(platform, step);
}

/* Adds why the run is not done; `final`: else it may be cut short at any time. */
static void add_failures(struct run *run, struct json *json, bool final)
{
    static const struct failure cut = {
        FAILURE_CUT_SHORT, "", "the run did not end: the last line of log.txt names the step"};
    char name[24];
    note_missing_files(run);
    if (final && run->failures == 0)
        return;
    json_open(json, "failures");
    for (unsigned i = 0; i < run->failures + !final; i++) {
        const struct failure *failure = i < run->failures ? &run->failure[i] : &cut;
        json_open(json, text_write(name, sizeof name, "failure_%u", i + 1));
        json_text(json, "step", failure->step);
        json_text(json, "code", failure_codes[failure->code]);
        json_text(json, "words", failure->words);
        json_close(json);
    }
    json_close(json);
}

/* Rewrites run.json, after each experiment: it is true whenever power goes. */
static void save_conditions(struct run *run, const char *status, bool final)
{
    struct json json;
    text_clear(&run->scratch);
    json_begin(&json, &run->scratch);
    json_text(&json, "program", "mlpboot");
    json_number(&json, "schema", 1, 0); /* of this file; another one where a member changes */
    json_text(&json, "version", mlpboot_version);
    json_text(&json, "status", status);
    add_failures(run, &json, final);
    json_text(&json, "label", run->config->label);
    json_text(&json, "platform", run->platform->name);
    json_number(&json, "seconds", seconds_since_start(run), 1);
    json_number(&json, "tsc_hz", (double)run->platform->ticks_per_second, 0);
    conditions_configuration(&json, run->config);
    conditions_processor(&json, &run->processor);
    conditions_machine(&json, &run->identity);
    conditions_noise(&json, &run->noise, run->platform);
    conditions_counting(&json, run->platform);
    conditions_nodes(&json, run->platform->nodes);
    run->platform->describe(run->platform, &json);
    json_end(&json);
    record_replace(&run->record, "run.json", &run->scratch, final);
}

static void save_header(struct run *run, const char *file, const char *header)
{
    text_clear(&run->scratch);
    text_printf(&run->scratch, "%s", header);
    record_append(&run->record, file, &run->scratch);
}

static void save_rows(struct run *run, const struct measurement *m)
{
    for (uint32_t i = 0; i < m->row_count;) {
        text_clear(&run->scratch);
        do
            csv_result(&run->scratch, &m->rows[i++]);
        while (i < m->row_count && i % ROWS_A_PIECE != 0);
        record_append(&run->record, "results.csv", &run->scratch);
    }
}

static void save_verdicts(struct run *run, size_t first)
{
    text_clear(&run->scratch);
    for (size_t i = first; i < run->verdicts.count; i++)
        csv_verdict(&run->scratch, &run->verdicts.at[i]);
    record_append(&run->record, "verdicts.csv", &run->scratch);
}

/* True if the core's states can be distinguished. An emulator's pace is its host's. */
static bool has_states(const struct run *run)
{
    return run->platform->sentinel_side_by_side != NULL && !hypervisor_emulates(&run->processor);
}

static bool is_emulated(const struct run *run)
{
    return run->facts.is_emulated || hypervisor_emulates(&run->processor);
}

static struct measurement start_measurement(struct run *run, const struct experiment *experiment,
                                            bool brief)
{
    return (struct measurement){
        .platform = run->platform,
        .config = run->config,
        .processor = &run->processor,
        .experiment = experiment->name,
        .is_emulated = is_emulated(run),
        .brief = brief,
        .states = has_states(run) ? &run->states : NULL,
        .pairs = run->pairs.platform != NULL ? &run->pairs : NULL,
        .waits = run->waits,
        .step = (uint32_t)run->facts.step,
        .facts = &run->facts,
        .started = native_ticks(),
        .numbers = run->config->experiments.count,
        .run_started = run->started,
    };
}

/* Gives the firmware all its processors, which it has between two pieces of work. */
static void release_processors(struct run *run, bool look)
{
    if (run->platform->release_processors != NULL)
        run->platform->release_processors(run->platform, look);
}

/* Reports that the process or the virtual machine was stopped: drift meanwhile went unseen. */
static void tell_standstill(struct run *run, const struct experiment *experiment,
                            const struct measurement *m)
{
    double seconds = (double)m->stood_still / (double)run->platform->ticks_per_second;
    if (m->stood_still == 0)
        return;
    text_write(run->standstill, sizeof run->standstill,
               "%s: stopped for %.1f s meanwhile, and then went on", experiment->name, seconds);
    say(run, "warning: %s\n", run->standstill);
    record_event(&run->record, "event=warning standstill_seconds=%.1f experiment=%s", seconds,
                 experiment->name);
}

/* Judges all tables. Without memory for tables, no verdicts are given. */
static void judge(struct run *run, const struct measurement *m, const struct tables *tables)
{
    size_t first = run->verdicts.count;
    if (m->row_count > 0 && tables->count == 0)
        end_early(run, "step", "verdicts", "not enough memory for them");
    run->verdicts.lost = 0;
    judge_tables(tables, &run->facts, &run->verdicts);
    run->states.step = run->facts.step;
    /* Without all of its points, a rule does not know the cause of what it lacks. */
    for (; m->failure != NULL && first < run->verdicts.count; first++) {
        struct verdict *v = &run->verdicts.at[first];
        const struct table *table = tables_find(tables, &v->variant);
        if (table == NULL || !table_is_skipped(table))
            verdict_conclude(v, v->status == VERDICT_OK ? VERDICT_DOUBT : v->status,
                             REASON_ENDED_EARLY, "%s", m->failure);
    }
    if (run->verdicts.lost > 0)
        end_early(run, "step", "verdicts", "there is no room for all of them");
    noise_report_add_rows(&run->noise, m->rows, m->row_count);
}

/* Saves the rows, those of complete points of a failed experiment too, and its verdicts. */
static void save_rows_and_verdicts(struct run *run, const struct experiment *experiment,
                                   struct measurement *m)
{
    struct platform *platform = run->platform;
    size_t first_verdict = run->verdicts.count;
    uint64_t bytes = tables_bytes(m->row_count);
    void *memory = platform->allocate(platform, bytes);
    struct tables tables = {.count = 0};
    if (memory != NULL)
        tables_group(m->rows, m->row_count, memory, &tables);
    save_rows(run, m);
    judge(run, m, &tables);
    save_verdicts(run, first_verdict);
    save_conditions(run, "partial", false);
    save_log(run);
    if (!run->record.failed)
        say(run, "%s: saved, %lu rows\n", experiment->name, (unsigned long)m->row_count);
    if (memory != NULL)
        platform->release(platform, memory, bytes);
}

static void announce_settings(struct run *run)
{
    enum config_prefetch prefetch = run->config->prefetch;
    bool is_usually_on = prefetch == PREFETCH_ON || prefetch == PREFETCH_BOTH;
    struct platform *p = run->platform;
    const char *turbo = p->set_turbo(p, run->config->turbo);
    const char *events = p->counters != NULL ? p->counters->uarch->name : "none";
    const char *no_counters = p->counters != NULL ? "" : p->no_counters;
    p->usual_prefetch = is_usually_on ? SETTING_ON : SETTING_LEAVE;
    if (turbo != NULL)
        say(run, "turbo: not controllable, %s\n", turbo);
    if (p->counters != NULL)
        say(run, "counters: events of %s\n", events);
    else
        say(run, "counters: none, %s\n", no_counters);
    record_event(&run->record, "event=settings turbo=%s", p->turbo);
    if (p->siblings != NULL)
        record_event(&run->record, "event=siblings state=%s", p->siblings);
    record_event(&run->record, "event=counters of=%s reason=%s", events, no_counters);
}

static void announce_nodes(struct run *run)
{
    const struct memory_nodes *nodes = run->platform->nodes;
    const char *reason = nodes_no_remote(nodes);
    if (reason == NULL)
        say(run, "memory nodes: %u, this processor's is %u\n", nodes->count, nodes->node[0].number);
    else
        say(run, "memory nodes: %s\n", reason);
    record_event(&run->record, "event=nodes count=%u reason=%s", nodes->count,
                 reason != NULL ? reason : "");
}

/* Returns how many of the configured page sizes the platform can map: tries one page of each size,
 * of which the image need not fill a large one. */
static unsigned count_pages(struct platform *platform, const struct config_choices *pages)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < pages->count; i++) {
        enum page_size page = (enum page_size)pages->index[i];
        struct window_request request = {.bytes = 1, .page = page, .node = NODE_ANY};
        struct window window;
        if (platform->map_window(platform, &request, &window) == NULL) {
            platform->unmap_window(platform, &window);
            count++;
        }
    }
    return count;
}

static void announce_time(struct run *run)
{
    const struct config_choices *asked = &run->config->experiments;
    run->pages = count_pages(run->platform, &run->config->pages);
    for (uint32_t i = 0; i < asked->count; i++) {
        struct measurement m = start_measurement(run, experiments[asked->index[i]], false);
        run->left += experiments[asked->index[i]]->seconds(&m, run->pages);
    }
    unsigned whole = (unsigned)(run->left + 1);
    const char *but =
        hypervisor_emulates(&run->processor) ? " on a processor; an emulator is slower" : "";
    if (whole < 60)
        say(run, "this takes about %u s%s\n", whole, but);
    else
        say(run, "this takes about %u min %u s%s\n", whole / 60, whole % 60, but);
    record_event(&run->record, "event=plan experiments=%u seconds=%.1f", asked->count, run->left);
}

static bool is_avoided(const struct run *run, const char *step)
{
    struct platform *platform = run->platform;
    return platform->avoids != NULL && platform->avoids(platform, step);
}

/* Runs before this one were cut short in it. */
static bool is_left_out(struct run *run, const struct experiment *experiment)
{
    if (!is_avoided(run, experiment->name))
        return false;
    record_event(&run->record, "event=left_out name=%s reason=runs were cut short in it",
                 experiment->name);
    say(run, "%s: left out, runs were cut short in it\n", experiment->name);
    note_failure(run, FAILURE_LEFT_OUT, experiment->name, "runs before were cut short in it");
    run->left_out = true;
    return true;
}

/* Notes whether the experiment has samples; if not, shows and logs each reason, once. */
static void look_for_samples(struct run *run, const struct measurement *m)
{
    const char *told = "";
    bool measured = false;
    for (uint32_t i = 0; i < m->case_count; i++)
        measured |= m->cases[i].has_rows;
    for (uint32_t i = 0; i < m->row_count && !measured; i++) {
        const struct row *row = &m->rows[i];
        if (strcmp(row->metric, ROW_SKIPPED) != 0 || strcmp(row->unit, told) == 0)
            continue;
        told = row->unit;
        record_event(&run->record, "event=missing experiment=%s reason=%s", m->experiment, told);
        say(run, "%s: nothing measured: %s\n", m->experiment, told);
        note_failure(run, FAILURE_NOT_MEASURED, m->experiment, told);
    }
    run->measured |= measured;
}

static void run_experiment(struct run *run, const struct experiment *experiment, bool brief)
{
    if (is_left_out(run, experiment))
        return;
    struct measurement m = start_measurement(run, experiment, brief);
    double before = seconds_since_start(run), second = run->platform->ticks_per_second;
    m.number = run->number += !brief;
    m.later = run->left -= brief ? 0 : experiment->seconds(&m, run->pages);
    run->platform->fault[0] = '\0';
    begin_step(run, "experiment", experiment->name);
    bool finished = experiment->measure(&m);
    release_processors(run, false);
    if (m.shown_at != 0 && !run->platform->has_no_cursor)
        say(run, "\n");
    tell_incidents(run);
    tell_standstill(run, experiment, &m);
    if (finished) {
        record_event(&run->record,
                     "event=measured experiment=%s rows=%lu visits=%lu seconds=%.1f whole=%.1f "
                     "shared=%.1f between=%.1f without_samples=%.1f",
                     experiment->name, (unsigned long)m.row_count, (unsigned long)m.visits,
                     seconds_since_start(run) - before, (double)m.spent[CORE_WHOLE] / second,
                     (double)m.spent[CORE_SHARED] / second, (double)m.spent[CORE_BETWEEN] / second,
                     m.waits.vain - run->waits.vain);
    } else {
        tell_fault(run);
        end_early(run, "experiment", experiment->name, m.failure);
    }
    run->waits = m.waits;
    save_rows_and_verdicts(run, experiment, &m);
    if (!brief)
        look_for_samples(run, &m);
    measurement_release(&m);
}

static bool is_asked(const struct run *run, const struct experiment *experiment)
{
    const struct config_choices *asked = &run->config->experiments;
    for (uint32_t i = 0; i < asked->count; i++)
        if (experiments[asked->index[i]] == experiment)
            return true;
    return false;
}

/* Adds a sample to the noise report, unless the run ends early. */
static void sample_noise(struct run *run, const struct experiment *experiment)
{
    if (is_left_out(run, experiment))
        return;
    struct measurement m = start_measurement(run, experiment, true);
    begin_step(run, "step", experiment->name);
    if (experiment->measure(&m)) {
        noise_report_add_sample(&run->noise, m.rows, m.row_count);
    } else {
        tell_fault(run);
        end_early(run, "step", experiment->name, m.failure);
    }
    measurement_release(&m);
    release_processors(run, false);
}

/* Runs the experiments that all others are compared with, or those that are around all others. */
static void run_turn(struct run *run, enum experiment_turn turn)
{
    for (const struct experiment *const *e = experiments; *e != NULL && goes_on(run); e++)
        if ((*e)->turn == turn && turn == TURN_FIRST)
            run_experiment(run, *e, !is_asked(run, *e));
        else if ((*e)->turn == turn)
            sample_noise(run, *e);
}

/* Checks the clock's rate. A wrong one spoils times in nanoseconds, not in ticks: it only warns. */
static void check_clock(struct run *run)
{
    const struct clock_check *check = &run->platform->clock_check;
    double error = noise_report_clock_error(run->platform);
    if (error != error) { /* NAN */
        record_event(&run->record, "event=clock status=skip reason=%s", check->reason);
        return;
    }
    if (check->is_believed) {
        record_event(&run->record, "event=warning clock=the firmware's wait by=%s", check->clock);
        say(run,
            "warning: the firmware's wait is wrong by the %s and the processor; these two are "
            "believed\n",
            check->clock);
    }
    bool agree = noise_report_clocks_agree(run->platform);
    record_event(&run->record, "event=%s status=%s ppm=%.1f tsc_hz=%lu by=%s",
                 agree ? "clock" : "warning", agree ? "ok" : "doubt", error,
                 (unsigned long)run->platform->ticks_per_second, check->clock);
    if (!agree)
        say(run, "warning: by the %s the time-stamp counter's rate is wrong\n", check->clock);
}

/* Runs the platform's own test, or the deliberate fault that proves the way out of one. */
static bool selftest(struct run *run)
{
    const char *failure = NULL;
    begin_step(run, "step", "self-test");
    say(run, "self-test ...");
    if (run->config->selftest == SELFTEST_FAULT) {
        say(run, " a deliberate fault\n");
        bool is_missed = run->platform->quietly(run->platform, native_fault, NULL);
        failure = is_missed ? "the deliberate fault was not noticed" : run->platform->fault;
    } else if (run->platform->selftest != NULL) {
        failure = run->platform->selftest(run->platform);
    }
    tell_fault(run);
    record_event(&run->record, "event=selftest status=%s reason=%s",
                 failure != NULL ? "error" : "ok", failure != NULL ? failure : "");
    say(run, failure != NULL ? "\n" : " ok\n");
    if (failure != NULL)
        end_early(run, "step", run->platform->step, failure);
    return failure == NULL;
}

/* Reads, on the core that measures, its identity and its microcode's revision. */
static void look_at_core(void *context)
{
    struct run *run = context;
    struct platform *platform = run->platform;
    struct identity *identity = &run->identity;
    run->states.is_alone = topology_has_one_thread(&run->processor);
    if (identity->cores++ >= IDENTITY_CORES_MAX)
        return;
    struct identity_core *core = &identity->core[identity->cores - 1];
    *core = (struct identity_core){.signature = cpuid_read(1, 0).eax,
                                   .apic_id = processor_apic_id(),
                                   .type = processor_core_type(&run->processor)};
    platform->microcode(platform, &core->microcode);
}

/* Identifies the core; a model has none for CPUID. False: a fault, and the run has failed. */
static bool identify_core(struct run *run)
{
    struct platform *platform = run->platform;
    if (platform->machine == NULL)
        return true;
    platform->step = "identifying the core";
    if (!platform->quietly(platform, look_at_core, run))
        end_early(run, "step", platform->step, platform->fault);
    return goes_on(run);
}

/* Writes the time now as text; empty if it is not known. */
static void tell_time(struct run *run, char text[UTC_TEXT_MAX])
{
    struct identity *identity = &run->identity;
    struct utc utc;
    const char *reason = run->platform->now(run->platform, &utc);
    identity->clock = run->platform->clock;
    if (reason == NULL)
        utc_text(text, &utc);
    else
        text_write(identity->no_utc, sizeof identity->no_utc, "%s", reason);
}

static void identify_machine(struct run *run)
{
    char id[IDENTITY_ID_MAX];
    run->identity = (struct identity){
        .processor = &run->processor,
        .machine = run->platform->machine,
        .is_anonymous = run->config->identity == IDENTITY_ANONYMOUS,
    };
    tell_time(run, run->identity.utc_start);
    identity_id(&run->identity, id);
    record_event(&run->record, "event=machine id=%s utc=%s", id, run->identity.utc_start);
}

/* Starts a core without results, but with its published pace and reach if they are known. */
static void start_core(struct run *run)
{
    const struct platform *p = run->platform;
    struct core_facts core = {p->additions_a_cycle, p->rob_entries};
    run->left = run->number = 0;
    run->verdicts.count = 0;
    memset(&run->facts, 0, sizeof run->facts);
    memset(&run->states, 0, sizeof run->states);
    memset(&run->noise, 0, sizeof run->noise);
    memset(&run->waits, 0, sizeof run->waits);
    run->noise.states = has_states(run) ? &run->states : NULL;
    if (core.additions == 0 && p->machine != NULL)
        core = published_core(&run->processor);
    if (core.additions > 0)
        run->states.published = (double)SENTINEL_ADDS / core.additions;
    run->states.reach = core.rob_entries;
}

/* Takes the names of this processor away, which only computes a model, and leaves its features. */
static void name_model(struct processor *processor)
{
    processor->vendor = VENDOR_MODEL;
    text_write(processor->vendor_name, sizeof processor->vendor_name, "a model");
    text_write(processor->brand, sizeof processor->brand, "a model of a core");
    processor->family = processor->model = processor->stepping = 0;
    processor->is_virtual = false;
}

static bool open_run(struct run *run, struct platform *platform, const struct config *config)
{
    *run = (struct run){.platform = platform, .config = config, .started = native_ticks()};
    processor_identify(&run->processor);
    if (platform->openly == NULL)
        name_model(&run->processor);
    start_core(run);
    record_init(&run->record, platform, run->started);
    uint64_t verdict_bytes = VERDICTS_MAX * sizeof *run->verdicts.at;
    run->verdicts.at = platform->allocate(platform, verdict_bytes);
    run->verdicts.room = VERDICTS_MAX;
    uint64_t scratch_bytes = (uint64_t)ROWS_A_PIECE * CSV_ROW_MAX + 1;
    char *memory = platform->allocate(platform, scratch_bytes);
    if (run->verdicts.at == NULL || memory == NULL)
        return false;
    text_init(&run->scratch, memory, scratch_bytes);
    return true;
}

/* Shows the verdicts of the core that has measured last, and how quiet it was. */
static void show_results(struct run *run)
{
    double shared = noise_report_shared_percent(&run->noise);
    text_clear(&run->scratch);
    if (run->verdicts.count > 0)
        text_printf(&run->scratch, "\nVerdicts\n");
    screen_verdicts(&run->verdicts, &run->scratch);
    text_printf(&run->scratch, "noise: ");
    noise_report_observed(&run->noise, run->platform, &run->scratch);
    if (shared == shared) /* not NAN */
        text_printf(&run->scratch, ", core shared in %.0f %% of the run's visits", shared);
    text_char(&run->scratch, '\n');
    run->platform->print(run->platform, run->scratch.at);
}

/* Returns the processor's brand, without the spaces with which CPUID pads it on either side. */
static const char *brand_of(const struct processor *p, char brand[sizeof p->brand])
{
    const char *start = p->brand, *end = p->brand + strlen(p->brand);
    while (*start == ' ')
        start++;
    while (end > start && end[-1] == ' ')
        end--;
    return end == start ? "no brand told"
                        : text_write(brand, sizeof p->brand, "%.*s", (int)(end - start), start);
}

/* Shows the last page. Only what the platform asks of the user follows it. */
static void show_page(struct run *run)
{
    struct platform *p = run->platform;
    const struct processor *processor = &run->processor;
    const struct noise_summary *pace = &run->noise.summary;
    char brand[sizeof processor->brand], machine[120], core[320], looks[64];
    double shared = noise_report_shared_percent(&run->noise); /* or NAN */
    struct text page = TEXT_OF(SCREEN_BYTES), noise = TEXT_OF(120), trouble = TEXT_OF(640);
    note_missing_files(run);
    for (unsigned i = 0; i < run->failures; i++)
        text_printf(&trouble, "%s%s%s%s", i > 0 ? "; " : "", run->failure[i].step,
                    run->failure[i].step[0] != '\0' ? ": " : "", run->failure[i].words);
    if (trouble.length == 0)
        text_printf(&trouble, "%s", run->standstill);
    noise_report_observed(&run->noise, p, &noise);
    text_write(looks, sizeof looks, "%.1f %% of the visits to the core", shared);
    const struct screen screen = {
        .version = mlpboot_version,
        .platform = p->name,
        .status = status_names[status_of(run)],
        .seconds = seconds_since_start(run),
        .machine = processor->vendor == VENDOR_MODEL
                       ? processor->brand
                       : text_write(machine, sizeof machine, "%s, family %u model %u%s%s",
                                    brand_of(processor, brand), processor->family, processor->model,
                                    processor->is_virtual ? ", under " : "",
                                    hypervisor_name(processor)),
        .core = text_write(core, sizeof core, "%sprefetchers %s; turbo %s",
                           is_avoided(run, STEP_PROCESSORS) ? "siblings not put to sleep; " : "",
                           p->prefetch, p->turbo),
        .trouble = trouble.at,
        .is_emulated = is_emulated(run),
        .verdicts = &run->verdicts,
        .asked = &run->config->experiments,
        .ns_a_tick = GIGA / (double)p->ticks_per_second,
        .cycles_a_tick = pace->slices > 0 ? 1 / pace->ticks_per_cycle : 0,
        .seen = {[SEEN_NOISE] = pace->seconds > 0 && !is_emulated(run) ? noise.at : NULL,
                 [SEEN_SHARED_CORE] = shared == shared ? looks : NULL},
        /* The serial port, not the display, has the files that were not saved. */
        .results =
            run->record.failed && p->record != NULL
                ? "on the serial port alone; mlpboot.pyz receive makes files of it"
                : p->results ?: "not kept: no volume takes them, and no console is a serial port",
    };
    screen_page(&screen, &page);
    say(run, "\n");
    p->show_page(p, page.at);
}

static void close_run(struct run *run)
{
    char words[FAILURE_WORDS_MAX];
    struct platform *platform = run->platform;
    begin_step(run, "step", "closing");
    release_processors(run, true);
    tell_incidents(run);
    tell_time(run, run->identity.utc_end);
    save_conditions(run, status_names[status_of(run)], true);
    /* A save that fails only now still has to show in the last line. */
    record_event(&run->record, "event=done status=%s", status_names[status_of(run)]);
    record_end_log(&run->record);
    /* The last page tells where the files are. */
    const char *reason = platform->end_files != NULL ? platform->end_files(platform) : NULL;
    if (reason != NULL)
        note_failure(run, FAILURE_NOT_SAVED, "",
                     text_write(words, sizeof words, "the files were lost at the end: %s", reason));
    run->record.failed |= reason != NULL;
    show_results(run); /* which a slow line takes seconds for: all is saved by now */
    show_page(run);
    platform->release(platform, run->scratch.at, run->scratch.size);
    platform->release(platform, run->verdicts.at, VERDICTS_MAX * sizeof *run->verdicts.at);
}

static void record_start(struct record *record, const struct platform *platform, const char *label)
{
    record_event(record, "event=start version=%s platform=%s label=%s", mlpboot_version,
                 platform->name, label);
    if (platform->remarks != NULL)
        record_lines(record, "remark", platform->remarks);
    record_news(record);
}

/* Chooses which others start, in a step of its own: if that hung, the next run does without. */
static void choose_others(struct run *run)
{
    enum config_processors wish = run->config->processors;
    enum others others = wish == PROCESSORS_ALL ? OTHERS_ALL : OTHERS_SIBLINGS;
    if (run->platform->begin != NULL)
        begin_step(run, "step", STEP_PROCESSORS);
    for (const struct experiment *const *e = experiments; *e != NULL; e++)
        if ((*e)->needs_processors && is_asked(run, *e))
            others = OTHERS_ALL;
    if (wish == PROCESSORS_LEAVE || is_avoided(run, STEP_PROCESSORS))
        others = OTHERS_NONE;
    run->platform->others = others;
    run->platform->halts_siblings = run->config->siblings == SIBLINGS_HALT;
}

/* Has the chosen processor of that number measure. False: no such processor, or a failed run. */
static bool choose_core(struct run *run, unsigned number)
{
    struct platform *platform = run->platform;
    const struct core_choice *choice = &run->config->core;
    const char *reason = "it cannot be chosen here";
    if (!goes_on(run) || (number > 0 && choice->wish != WISH_ALL))
        return false;
    if (platform->choose_core == NULL && choice->wish == WISH_BOOT)
        return number == 0;
    if (platform->choose_core != NULL) {
        reason = NULL;
        choose_others(run);
        if (platform->choose_core(platform, choice, number, &reason)) {
            record_event(&run->record, "event=core apic_id=%u", platform->core);
            return true;
        }
    }
    if (reason != NULL)
        end_early(run, "step", "core", reason);
    return false;
}

/* Prepares pairs of loads, which detect a sibling that is awake, unless the core cannot have one.
 * Under a hypervisor a sibling may be awake although the platform sees none. */
static void look_for_siblings(struct run *run)
{
    struct platform *p = run->platform;
    run->states.is_alone |= p->is_alone || (p->siblings_sleep && !run->processor.is_virtual);
    if (!has_states(run) || run->states.is_alone)
        return;
    const char *reason = pair_probe_open(&run->pairs, p, run->processor.rdtscp);
    if (reason != NULL)
        record_event(&run->record, "event=pair status=skip reason=%s", reason);
}

/* Logs how often pairs of loads found the core whole, shared, or between both. */
static void close_pairs(struct run *run)
{
    const struct states *s = &run->states;
    if (s->reach > 0)
        record_event(&run->record, "event=pairs reach=%u whole=%u shared=%u between=%u", s->reach,
                     s->pairs[CORE_WHOLE], s->pairs[CORE_SHARED], s->pairs[CORE_BETWEEN]);
    pair_probe_close(&run->pairs);
}

static void measure_core(struct run *run)
{
    const struct config_choices *asked = &run->config->experiments;
    if (!identify_core(run))
        return;
    announce_settings(run);
    look_for_siblings(run);
    announce_nodes(run);
    announce_time(run);
    run_turn(run, TURN_AROUND);
    run_turn(run, TURN_FIRST);
    for (uint32_t i = 0; i < asked->count && goes_on(run); i++)
        if (experiments[asked->index[i]]->turn != TURN_FIRST)
            run_experiment(run, experiments[asked->index[i]], false);
    run_turn(run, TURN_AROUND);
    close_pairs(run);
}

enum run_status run_all(struct platform *platform, const struct config *config)
{
    static struct run run; /* holds the log's memory, which is large */
    if (!open_run(&run, platform, config)) {
        run_refuse(platform, "not enough memory to start\n");
        return RUN_ERROR;
    }
    record_start(&run.record, platform, config->label);
    identify_machine(&run);
    save_conditions(&run, "partial", false);
    save_header(&run, "results.csv", csv_results_header);
    save_header(&run, "verdicts.csv", csv_verdicts_header);
    save_log(&run);
    check_clock(&run);
    if (choose_core(&run, 0) && selftest(&run)) {
        measure_core(&run);
        for (unsigned number = 1; choose_core(&run, number); number++) {
            show_results(&run);
            start_core(&run); /* afresh */
            measure_core(&run);
        }
    }
    close_run(&run);
    return status_of(&run);
}

void run_refuse(struct platform *platform, const char *errors)
{
    static struct record record;
    record_init(&record, platform, native_ticks());
    record.no_report = true; /* without results there is no page */
    platform->print(platform, "Nothing is measured:\n");
    platform->show_page(platform, errors);
    record_start(&record, platform, "");
    record_lines(&record, "refused", errors);
    record_event(&record, "event=done status=error");
    record_end_log(&record);
}
