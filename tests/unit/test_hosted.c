/* test_hosted: the Linux process's own parts: files in and out, memory, faults, options. */
#define _GNU_SOURCE 1 /* sched_getcpu */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../hosted/linux_others.h"
#include "../hosted/options.h"
#include "../hosted/platform_linux.h"
#include "../hosted/read_file.h"
#include "../hosted/results_dir.h"
#include "kit.h"

static char error[512];

/* A directory of its own for each test that writes. */
struct place {
    char path[64];
    struct results_dir dir;
};

static struct place *place;

SETUP(make_place)
{
    place = calloc(1, sizeof(*place));

    strcpy(place->path, "/tmp/mlpboot-test-XXXXXX");
    assert_true(mkdtemp(place->path) != NULL);
    assert_null(results_dir_open(&place->dir, place->path));
}

TEARDOWN(remove_place)
{
    static const char *const files[] = {"results.csv", "run.json", "log.txt", "file", "a"};
    char path[128];
    results_dir_close(&place->dir);
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", place->path, files[i]);
        remove(path);
    }
    int result = rmdir(place->path);
    free(place);
    assert_int_equal(result, 0);
}

static void assert_holds(const char *file, const char *expected)
{
    char path[128], *data;
    size_t length;
    snprintf(path, sizeof(path), "%s/%s", place->path, file);
    assert_null(read_file(path, 1 << 20, &data, &length));
    assert_string_equal(data, expected);
    free(data);
}

TEST(appends_and_replaces)
{
    assert_null(results_dir_append(&place->dir, "log.txt", "one\n", 4));
    assert_null(results_dir_append(&place->dir, "log.txt", "two\n", 4));
    assert_null(results_dir_append(&place->dir, "log.txt", "", 0));
    assert_holds("log.txt", "one\ntwo\n");
    assert_null(results_dir_replace(&place->dir, "run.json", "{\"long\": 1}", 11));
    assert_null(results_dir_replace(&place->dir, "run.json", "{}", 2));
    assert_holds("run.json", "{}");
}

TEST(appends_more_than_one_block)
{
    const size_t length = 300000;
    char *data = malloc(length + 1);
    memset(data, 'x', length);
    data[length] = '\0';
    assert_null(results_dir_append(&place->dir, "results.csv", data, length));
    assert_holds("results.csv", data);
    free(data);
}

TEST(creates_only_what_is_not_there)
{
    assert_null(results_dir_create(&place->dir, "file", "one", 3));
    assert_contains(results_dir_create(&place->dir, "file", "two", 3),
                    "/file: cannot be created: File exists");
    assert_holds("file", "one");
}

static void assert_used(const char *by)
{
    char wanted[128];
    snprintf(wanted, sizeof(wanted), "already holds a run (%s); name another directory", by);
    assert_contains(results_dir_claim(&place->dir), wanted);
}

/* The first of two runs has it, though neither has written anything yet. */
TEST(claims_a_directory_once)
{
    assert_null(results_dir_claim(&place->dir));
    assert_holds("log.txt", "");
    assert_used("log.txt");
    assert_null(results_dir_append(&place->dir, "log.txt", "event=start\n", 12));
    assert_holds("log.txt", "event=start\n");
}

TEST(refuses_a_directory_with_a_run)
{
    assert_null(results_dir_append(&place->dir, "results.csv", "experiment\n", 11));
    assert_used("results.csv");
    assert_used("results.csv"); /* and left no log of its own */
    assert_null(results_dir_append(&place->dir, "log.txt", "event=done status=error\n", 24));
    assert_used("log.txt");
    assert_holds("log.txt", "event=done status=error\n");
}

/* Also where it is somebody else's, or leads nowhere. */
TEST(refuses_a_directory_with_any_log)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/log.txt", place->path);
    assert_int_equal(symlink("/nowhere/log.txt", path), 0);
    assert_used("log.txt");
}

TEST(says_why_a_directory_cannot_be_claimed)
{
    struct results_dir dir;
    assert_null(results_dir_open(&dir, "/proc/self"));
    assert_contains(results_dir_claim(&dir), "/proc/self/log.txt: cannot be created: ");
    results_dir_close(&dir);
}

TEST(creates_the_last_directory_alone)
{
    struct results_dir deep;
    struct stat status;
    char path[128], wanted[300];
    snprintf(path, sizeof(path), "%s/a//b/", place->path);
    snprintf(wanted, sizeof(wanted), "%s: cannot be created: there is no folder %s/a", path,
             place->path);
    assert_string_equal(results_dir_open(&deep, path), wanted);
    path[strlen(place->path) + 2] = '\0';
    assert_int_equal(stat(path, &status), -1);
    assert_null(results_dir_open(&deep, path));
    results_dir_close(&deep);
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISDIR(status.st_mode));
}

TEST(takes_no_standard_output)
{
    struct results_dir dir;
    assert_contains(results_dir_open(&dir, "-"), "-: results are several files");
    assert_int_equal(access("-", F_OK), -1);
}

TEST(says_why_a_directory_cannot_be)
{
    struct results_dir dir;
    char path[128];
    assert_null(results_dir_append(&place->dir, "file", "x", 1));
    snprintf(path, sizeof(path), "%s/file/below", place->path);
    assert_contains(results_dir_open(&dir, path),
                    "/file/below: cannot be created: Not a directory");
    path[strlen(path) - strlen("/below")] = '\0';
    assert_contains(results_dir_open(&dir, path),
                    "/file: cannot be opened as a directory: Not a directory");
    assert_non_null(results_dir_open(&dir, "/proc/mlpboot/results"));
    assert_non_null(results_dir_open(&dir, ""));
}

/* A full disk, in small: no file of this process may grow beyond 6 bytes. */
TEST(leaves_whole_lines_when_the_disk_is_full)
{
    struct rlimit before, tight;
    assert_null(results_dir_append(&place->dir, "log.txt", "one\n", 4));
    assert_null(results_dir_replace(&place->dir, "run.json", "{}", 2));
    getrlimit(RLIMIT_FSIZE, &before);
    tight = (struct rlimit){.rlim_cur = 6, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    const char *append_reason = results_dir_append(&place->dir, "log.txt", "two\n", 4);
    bool is_append_refused = append_reason != NULL && strstr(append_reason, "File too large");
    bool is_replace_refused = results_dir_replace(&place->dir, "run.json", "{\"a\": 1}", 8) != NULL;
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_true(is_append_refused);
    assert_true(is_replace_refused);
    assert_holds("log.txt", "one\n");
    assert_holds("run.json", "{}");
}

static struct linux_platform linux_platform;
static struct platform *const platform = &linux_platform.platform;

SETUP(open_platform)
{
    bool is_open = linux_platform_open(&linux_platform, LINUX_ANY_CPU, NULL) == NULL;
    linux_platform.console = fopen("/dev/null", "w");
    assert_true(is_open);
}

TEARDOWN(close_platform)
{
    fclose(linux_platform.console);
    linux_platform_close(&linux_platform);
}

TEST(stays_on_one_cpu)
{
    cpu_set_t cpus;
    char reason[256];
    assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
    assert_int_equal(CPU_COUNT(&cpus), 1);
    assert_int_equal(sched_getcpu(), linux_platform.cpu);
    assert_int_equal(linux_pin(16383, reason, sizeof(reason)), -1);
    assert_contains(reason, "CPU 16383 is not among those this process may use: ");
    assert_int_equal(linux_pin(1 << 20, reason, sizeof(reason)), -1);
}

static void *tell_cpu(void *context)
{
    cpu_set_t cpus;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) == 1 &&
        sigismember(&blocked, SIGINT) == 1)
        *(int *)context = sched_getcpu();
    return NULL;
}

/* Where this thread, which may run on one CPU only, does not. */
TEST(starts_threads_on_other_cpus)
{
    pthread_t thread;
    sigset_t blocked;
    assert_false(linux_may_use(-1) || linux_may_use(LINUX_CPUS));
    for (int cpu = 0; cpu < LINUX_CPUS; cpu++) {
        int told = -1;
        if (!linux_may_use(cpu))
            continue;
        assert_int_equal(linux_start_thread(&thread, cpu, tell_cpu, &told), 0);
        pthread_join(thread, NULL);
        assert_int_equal(told, cpu);
    }
    assert_int_not_equal(linux_start_thread(&thread, LINUX_CPUS - 1, tell_cpu, NULL), 0);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_int_equal(sigismember(&blocked, SIGINT), 0);
    assert_int_equal(sched_getcpu(), linux_platform.cpu);
}

/* Generators start on all other CPUs that this machine has, or the reason says why not. */
TEST(starts_generators_or_says_why_not)
{
    static struct linux_others others;
    for (unsigned siblings = 0; siblings < 2; siblings++) {
        const struct generators_request request = {
            .are_siblings = siblings != 0, .bytes = 1 << 20, .node = NODE_ANY};
        unsigned started;
        const char *wanted = linux_others_find("/sys/devices/system/cpu", linux_platform.cpu,
                                               request.are_siblings, linux_may_use, &others);
        const char *reason = platform->start_generators(platform, &request, &started);
        if (wanted == NULL)
            assert_null(reason);
        else
            assert_string_equal(reason, wanted);
        assert_int_equal(started, others.count);
        platform->stop_generators(platform);
    }
}

/* Linux kills a process whose locked stack grows past the limit of locked memory. */
TEST(has_a_stack_that_need_not_grow)
{
    char line[256];
    unsigned kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    while (kilobytes == 0 && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "VmStk: %u kB", &kilobytes);
    fclose(file);
    assert_compare(kilobytes, >=, 1024);
}

TEST(measures_a_sane_clock)
{
    assert_in_range(platform->ticks_per_second, 100000000, 20000000000);
}

TEST(runs_code_written_through_the_other_view)
{
    /* mov eax, 42; ret */
    static const uint8_t code[] = {0xb8, 42, 0, 0, 0, 0xc3};
    assert_ptr_not_equal(platform->code.write, platform->code.execute);
    memcpy(platform->code.write, code, sizeof(code));
    platform->publish_code(platform, sizeof(code));
    assert_int_equal(platform->run_code(platform, NULL), 42);
}

TEST(allocates_zeroed_memory_while_there_is_some)
{
    uint8_t *memory = platform->allocate(platform, 100000);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % 64, 0);
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(memory[i], 0);
    platform->release(platform, memory, 100000);
    assert_null(platform->allocate(platform, 0));
    assert_null(platform->allocate(platform, UINT64_C(1) << 45));
    assert_null(platform->allocate(platform, UINT64_MAX));
}

static const char *map_window(uint64_t bytes, enum page_size page, enum frame_order frames,
                              struct window *window)
{
    const struct window_request request = {
        .bytes = bytes, .page = page, .frames = frames, .seed = 1, .node = NODE_ANY};
    return platform->map_window(platform, &request, window);
}

/* Each holds bytes of its own, before and after. */
static void assert_filled(const struct window *window, uint8_t value)
{
    assert_non_null(window->base);
    for (uint64_t i = 0; i < window->bytes; i += 512)
        assert_int_equal(window->base[i], value);
}

TEST(maps_windows_beside_each_other)
{
    static const enum page_size pages[] = {PAGE_4K, PAGE_2M, PAGE_4K};
    static const uint64_t bytes[] = {5000000, 4 << 20, 4096};
    static const unsigned orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {1, 0, 2}};
    struct window window[3];
    for (size_t o = 0; o < sizeof(orders) / sizeof(orders[0]); o++) {
        for (unsigned i = 0; i < 3; i++) {
            const char *reason = map_window(bytes[i], pages[i], FRAMES_ORDERED, &window[i]);
            if (reason != NULL && pages[i] == PAGE_2M) /* not every Linux has huge pages */
                reason = map_window(bytes[i], PAGE_4K, FRAMES_ORDERED, &window[i]);
            assert_null(reason);
            assert_filled(&window[i], 0);
            memset(window[i].base, (int)i + 1, window[i].bytes);
        }
        for (unsigned gone = 0; gone < 3; gone++) {
            for (unsigned j = gone; j < 3; j++)
                assert_filled(&window[orders[o][j]], (uint8_t)(orders[o][j] + 1));
            platform->unmap_window(platform, &window[orders[o][gone]]);
            assert_null(window[orders[o][gone]].base);
        }
    }
}

TEST(gives_a_twin_frames_of_its_own)
{
    struct window window, twin;
    const struct window_request request = {
        .bytes = 4096, .page = PAGE_4K, .node = NODE_ANY, .twin = &window};
    assert_null(map_window(4096, PAGE_4K, FRAMES_ORDERED, &window));
    window.base[0] = 1;
    assert_null(platform->map_window(platform, &request, &twin));
    assert_false(twin.is_twin);
    assert_int_equal(twin.base[0], 0);
    platform->unmap_window(platform, &window);
    twin.base[0] = 2;
    platform->unmap_window(platform, &twin);
}

/* Writes through the pages that first have each frame, and reads it through all. */
static void assert_apart(const struct window *window, uint64_t frames)
{
    uint64_t size = page_bytes(window->page), count = window->bytes / size;
    assert_int_equal((uintptr_t)window->base % size, 0);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(window->base[i * window->stride + size - 1], 0);
    for (uint64_t i = 0; i < frames; i++)
        window->base[i * window->stride + size - 1] = (uint8_t)(i + 1);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(window->base[i * window->stride + size - 1], (uint8_t)(i % frames + 1));
}

/* Whether Linux has anything mapped there that can be read. */
static bool can_read(const uint8_t *at)
{
    int channel[2];
    assert_int_equal(pipe(channel), 0);
    bool can = write(channel[1], at, 1) == 1;
    close(channel[0]);
    close(channel[1]);
    return can;
}

/* Maps a window and looks at all of its pages. Returns the reason why there is none, or NULL. */
static const char *map_and_look(struct window_request request)
{
    uint64_t size = page_bytes(request.page), count = (request.bytes + size - 1) / size;
    struct window window;
    request.node = NODE_ANY;
    const char *reason = platform->map_window(platform, &request, &window);
    if (reason != NULL) {
        assert_null(window.base);
        return reason;
    }
    assert_numbers((window.bytes, window.page), (count * size, request.page));
    assert_int_equal(window.stride, request.stride > 0 ? request.stride : size);
    assert_apart(&window,
                 request.distinct > 0 && request.distinct < count ? request.distinct : count);
    assert_true(can_read(window.base));
    if (window.stride > size)
        assert_false(can_read(window.base + size));
    platform->unmap_window(platform, &window);
    assert_null(window.base);
    return NULL;
}

TEST(maps_small_pages_that_share_frames_or_lie_apart)
{
    static const struct window_request requests[] = {
        {.bytes = 5000000, .page = PAGE_4K},
        {.bytes = 1000 * 4096 - 1, .page = PAGE_4K, .distinct = 16},
        {.bytes = 100 * 4096, .page = PAGE_4K, .distinct = 3, .stride = 4096},
        {.bytes = 50 * 4096, .page = PAGE_4K, .distinct = 8, .stride = UINT64_C(1) << 30},
        {.bytes = 9 * 4096, .page = PAGE_4K, .distinct = 64, .stride = 65536},
        {.bytes = 5 * 4096, .page = PAGE_4K, .stride = 8192},
    };
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        assert_null(map_and_look(requests[i]));
}

/* Returns the number in a file; 0: there is no such file. */
static unsigned long number_in(const char *path)
{
    unsigned long number = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%lu", &number) != 1)
        number = 0;
    fclose(file);
    return number;
}

/* Linux has such pages only if somebody set them aside; otherwise the reason tells their number. */
TEST(maps_pages_of_1_gb_or_counts_them)
{
    static const char pool[] = "/sys/kernel/mm/hugepages/hugepages-1048576kB";
    static const struct window_request requests[] = {
        {.bytes = (UINT64_C(1) << 30) - 1, .page = PAGE_1G},
        {.bytes = UINT64_C(4) << 30, .page = PAGE_1G, .distinct = 1},
    };
    char path[80], wanted[200];
    snprintf(path, sizeof path, "%s/free_hugepages", pool);
    unsigned long there = number_in(path);
    snprintf(wanted, sizeof wanted,
             "1 free 1 GB pages are needed, Linux has %lu (set aside with %s/nr_hugepages)", there,
             pool);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const char *reason = map_and_look(requests[i]);
        if (there > 0)
            assert_null(reason);
        else
            assert_string_equal(reason, wanted);
    }
}

/* Linux has such pages if they are switched on and memory is not fragmented; otherwise the reason
 * tells how many of them it gave. */
TEST(maps_pages_of_2_mb_or_counts_them)
{
    static const struct window_request requests[] = {
        {.bytes = (UINT64_C(2) << 20) - 1, .page = PAGE_2M},
        {.bytes = UINT64_C(80) << 21, .page = PAGE_2M, .distinct = 2},
        {.bytes = UINT64_C(5) << 21, .page = PAGE_2M, .distinct = 1, .stride = UINT64_C(1) << 30},
    };
    unsigned refused = 0;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        const char *reason = map_and_look(requests[i]);
        unsigned given, asked;
        int length = 0;
        if (reason == NULL)
            continue;
        sscanf(reason,
               "Linux gave 2 MB pages for %u of %u MB (switched off, or memory is fragmented)%n",
               &given, &asked, &length);
        if (length == 0 || reason[length] != '\0')
            fail_msg("%s", reason);
        assert_int_equal(asked, (requests[i].bytes + (1 << 20)) >> 21 << 1);
        assert_compare(given, <, asked);
        refused++;
    }
    if (refused == sizeof requests / sizeof *requests)
        skip();
}

TEST(refuses_pages_too_far_apart)
{
    static const uint64_t strides[] = {2048, UINT64_C(1) << 45, UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        struct window window;
        const struct window_request request = {
            .bytes = 4 * 4096, .page = PAGE_4K, .node = NODE_ANY, .stride = strides[i]};
        assert_non_null(platform->map_window(platform, &request, &window));
        assert_null(window.base);
    }
}

TEST(maps_as_many_windows_as_it_says)
{
    static struct window window[WINDOWS_MAX];
    struct window more;
    for (unsigned i = 0; i < WINDOWS_MAX; i++) {
        assert_null(map_window(4096, PAGE_4K, FRAMES_ORDERED, &window[i]));
        window[i].base[0] = (uint8_t)i;
    }
    assert_string_equal(map_window(4096, PAGE_4K, FRAMES_ORDERED, &more),
                        "there are as many windows as there can be");
    assert_null(more.base);
    for (unsigned i = 0; i < WINDOWS_MAX; i++) {
        assert_int_equal(window[i].base[0], i);
        platform->unmap_window(platform, &window[i]);
    }
    platform->unmap_window(platform, &window[0]); /* of none: nothing happens */
}

TEST(never_replaces_what_it_cannot_map)
{
    static const uint64_t absurd[] = {0, UINT64_C(1) << 45, UINT64_C(1) << 60, UINT64_MAX};
    struct window window;
    assert_string_equal(map_window(1 << 20, PAGE_4K, FRAMES_SHUFFLED, &window),
                        "Linux chooses the frames");
    for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++)
        for (enum page_size page = PAGE_4K; page < PAGE_SIZES; page++) {
            assert_non_null(map_window(absurd[i], page, FRAMES_ORDERED, &window));
            assert_null(window.base);
        }
}

static void illegal(void *context)
{
    (void)context;
    __asm__ volatile("ud2");
}

static void read_at(void *context)
{
    (void)*(volatile char *)context;
}

/* Overwrites the stack pointer too, as only generated code could. */
static void lose_stack(void *context)
{
    __asm__ volatile("mov %0, %%rsp\n\tpush %%rax" ::"r"((char *)context + 64) : "memory");
}

static void count_call(void *context)
{
    ++*(int *)context;
}

TEST(survives_faults)
{
    int calls = 0;
    void *forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 3; i++) {
        platform->step = "a test";
        assert_false(platform->quietly(platform, illegal, NULL));
        assert_memory_equal(platform->fault, "SIGILL at address ", 18);
        assert_non_null(strstr(platform->fault, ", during a test"));
        assert_false(platform->quietly(platform, read_at, forbidden));
        assert_memory_equal(platform->fault, "SIGSEGV at address ", 19);
        assert_false(platform->quietly(platform, lose_stack, forbidden));
        assert_true(platform->quietly(platform, count_call, &calls));
    }
    assert_int_equal(calls, 3);
    munmap(forbidden, 4096);
}

TEST(puts_signals_back)
{
    struct sigaction before, after;
    stack_t stack_before, stack_after;
    sigaction(SIGILL, NULL, &before);
    sigaltstack(NULL, &stack_before);
    assert_false(platform->quietly(platform, illegal, NULL));
    sigaction(SIGILL, NULL, &after);
    sigaltstack(NULL, &stack_after);
    assert_ptr_equal(after.sa_handler, before.sa_handler);
    assert_ptr_equal(stack_after.ss_sp, stack_before.ss_sp);
}

TEST(knows_what_linux_cannot_do)
{
    uint32_t count;
    assert_null(platform->forget_pages);
    assert_false(platform->smi_count(platform, &count));
    assert_non_null(platform->append(platform, "log.txt", "x", 1));
    assert_non_null(platform->replace(platform, "log.txt", "x", 1));
}

static const struct option test_options[] = {{"--set", "KEY=VALUE", "", OPTION_VALUES_MAX, false},
                                             {"--out", "DIR", "", 1, true},
                                             {.name = NULL}};

static const struct option flag[] = {{"--json", NULL, "", 1, false}, {.name = NULL}};
static struct arguments arguments;

static bool read_options(const struct option *options, const char *operands, char **line)
{
    int count = 0;
    while (line[count] != NULL)
        count++;
    return options_read(options, operands, count, line, &arguments, error, sizeof(error));
}

#define READ(operands, ...) read_options(test_options, operands, (char *[]){__VA_ARGS__, NULL})

TEST(reads_options)
{
    assert_true(READ("FILE", "--set", "a=1", "in", "--set=b=2", "--out=o"));
    assert_string_equal(arguments.operand, "in");
    assert_int_equal(arguments.given[0].count, 2);
    assert_string_equal(arguments.given[0].value[0], "a=1");
    assert_string_equal(option_value(&arguments, 0), "b=2");
    assert_string_equal(option_value(&arguments, 1), "o");
    assert_true(READ("FILE", "in", "--out=--out"));
    assert_string_equal(option_value(&arguments, 1), "--out");
    assert_false(arguments.wants_help);
    assert_true(READ("FILE", "--nonsense", "--help") && arguments.wants_help);
    assert_true(READ("FILE", "-h") && arguments.wants_help);
}

TEST(names_the_wrong_option)
{
    static const char no_value[] = "--out: no value; accepted: --out DIR";
    static const struct {
        const struct option *options;
        const char *operands;
        char *line[6];
        const char *message;
    } cases[] = {
#define ACCEPTED "; accepted: FILE, --set KEY=VALUE, --out DIR, --help"
        {test_options, "FILE", {"in"}, "--out DIR is missing" ACCEPTED},
        {test_options, "FILE", {"--out", "o"}, "FILE is missing" ACCEPTED},
        {test_options, "FILE", {"--outer", "o"}, "--outer: no such option" ACCEPTED},
        {test_options, "FILE", {"in", "more"}, "more: one argument too many" ACCEPTED},
        {test_options, "FILE", {"in", "--out", "o", "--out", "o"}, "--out: given more than once"},
        {test_options, "FILE", {"in", "--out"}, no_value},
        {test_options, "FILE", {"in", "--out="}, no_value},
        {test_options, "FILE", {"in", "--out", "--out"}, no_value}, /* the next option is none */
        {test_options, "FILE", {"in", "--out", "--set", "a=1"}, no_value},
        {flag, "A", {"a", "--json", "b"}, "b: one argument too many; accepted: A, --json, --help"},
        {flag, "A", {"--json=x", "a"}, "--json=x: this option has no value"},
    };
    for (EACH(c, cases)) {
        char *line[6];
        memcpy(line, c->line, sizeof(line));
        assert_false(read_options(c->options, c->operands, line));
        assert_string_equal(error, c->message);
    }
}
