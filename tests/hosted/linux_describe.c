/* linux_describe: the conditions of a run that only Linux knows, for run.json. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "../../kernel/lib/json.h"
#include "linux_memory.h"
#include "platform_linux.h"
#include "read_file.h"

/* Adds a setting that is a file, unless this kernel does not have the file. */
static void describe_file(struct json *json, const char *name, const char *path)
{
    char text[128];

    if (read_small_file(path, text, sizeof(text)))
        json_text(json, name, text);
}

/* Adds the word in brackets from a text such as "always [madvise] never". */
static void describe_huge_pages(struct json *json)
{
    char text[128];

    if (!read_small_file("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof(text)))
        return;
    char *word = strchr(text, '[');
    word = word != NULL ? word + 1 : text;
    word[strcspn(word, "]")] = '\0';
    json_text(json, "transparent_hugepage", word);
}

static void describe_cpu(struct json *json, int cpu)
{
    char path[128];

    json_number(json, "cpu", cpu, 0);
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu);
    describe_file(json, "scaling_governor", path);
    describe_file(json, "smt", "/sys/devices/system/cpu/smt/control");
    describe_file(json, "isolated_cpus", "/sys/devices/system/cpu/isolated");
}

void linux_describe(struct platform *self, struct json *json)
{
    const struct linux_platform *linux_platform = (struct linux_platform *)self;
    struct utsname system = {.release = ""};
    double load = 0;

    uname(&system);
    json_open(json, "linux");
    json_text(json, "kernel", system.release);
    describe_cpu(json, linux_platform->cpu);
    describe_file(json, "clocksource",
                  "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    describe_huge_pages(json);
    if (linux_platform->huge_pages != NULL)
        json_text(json, "huge_pages_from", linux_platform->huge_pages);
    describe_file(json, "numa_balancing", "/proc/sys/kernel/numa_balancing");
    json_number(json, "memory_bytes", (double)linux_meminfo("MemTotal"), 0);
    json_number(json, "memory_available_bytes", (double)linux_meminfo("MemAvailable"), 0);
    json_bool(json, "memory_locked", linux_platform->is_locked);
    if (getloadavg(&load, 1) == 1)
        json_number(json, "load_average_1min", load, 2);
    if (self->fault[0] != '\0')
        json_text(json, "fault", self->fault);
    json_close(json);
}
