/* main: from power-on to the end as configured, each step said before it is taken. */
#include "../kernel/config/config.h"
#include "../kernel/lib/string.h"
#include "../kernel/run.h"
#include "console.h"
#include "firmware.h"
#include "platform_efi.h"
#include "volume.h"

#define ERROR_BYTES 16384
#define READ_ERROR_WAIT_MILLISECONDS 20000
/* Some USB sticks write what they accepted only later, and edk2's flush of one does nothing. */
#define SETTLE_MILLISECONDS 1000

static struct config config;
static struct platform_efi platform;
static char error_memory[ERROR_BYTES];

static void step(const char *what)
{
    console_printf("%s ...", what);
}

/* The result of a step: "ok", or the reason. */
static bool result(const char *reason)
{
    console_printf(" %s\n", reason == NULL ? "ok" : reason);
    return reason == NULL;
}

static void greet(void)
{
    const EFI_LOADED_IMAGE *image = firmware_loaded_image();
    console_clear();
    console_printf("mlpboot %s\n", mlpboot_version);
    if (image != NULL)
        console_printf("image base 0x%lx, %lu bytes\n", (uint64_t)image->ImageBase,
                       image->ImageSize);
}

/* The number of errors in the configuration, each a line in `errors`. */
static unsigned read_configuration(struct text *errors, bool opened)
{
    static char data[CONFIG_FILE_BYTES_MAX + 1];
    size_t length;
    bool missing;
    config_init(&config);
    if (!opened)
        return config_finish(&config, errors);
    step("reading \\" CONFIG_FILE_NAME);
    const char *reason = volume_read(CONFIG_FILE_NAME, data, sizeof data, &length, &missing);
    if (missing) {
        result("there is none; the default is used");
        return config_finish(&config, errors);
    }
    unsigned wrong = 0;
    if (reason != NULL) {
        text_printf(errors, "%s: cannot be read: %s\n", CONFIG_FILE_NAME, reason);
        wrong = 1;
    } else {
        wrong = config_read_file(&config, CONFIG_FILE_NAME, data, length, errors);
    }
    wrong += config_finish(&config, errors); /* also when wrong: how to end is in it */
    result(wrong == 0 ? NULL : "wrong");
    return wrong;
}

static void measure(struct text *errors, unsigned wrong)
{
    step("taking stock of the machine");
    const char *reason = platform_efi_open(&platform);
    result(reason);
    if (reason != NULL)
        text_printf(errors, "%s\n", reason);
    if (wrong != 0 || reason != NULL)
        run_refuse(&platform.base, errors->at);
    else
        run_all(&platform.base, &config);
}

/* A wrong configuration may not even say how to end: then nobody needs to be there. */
static void wait_for_user(bool config_is_right)
{
    if (config_is_right) {
        console_print("Press a key to shut down.\n");
        console_wait_key(0);
    } else {
        console_print("Press a key to shut down; otherwise in 20 seconds.\n");
        console_wait_key(READ_ERROR_WAIT_MILLISECONDS);
    }
}

static void finish(bool config_is_right)
{
    enum config_finish how = config.finish;
    EFI_RESET_TYPE type = how == FINISH_REBOOT ? EfiResetCold : EfiResetShutdown;
    firmware_pause(SETTLE_MILLISECONDS);
    console_print("It is safe to remove the stick.\n");
    if (how == FINISH_WAIT)
        wait_for_user(config_is_right);
    console_printf("%s\n", how == FINISH_REBOOT ? "Rebooting." : "Shutting down.");
    firmware_system->RuntimeServices->ResetSystem(type, EFI_SUCCESS, 0, NULL);
    console_print("The firmware did not; switch the machine off by hand.\n");
    for (;;)
        firmware_pause(1000);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system); /* called by GNU-EFI's crt0 */

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    struct text errors;
    system->BootServices->SetWatchdogTimer(0, 0, 0, NULL); /* first: it resets the machine */
    firmware_image = image;
    firmware_system = system;
    firmware_boot = system->BootServices;
    text_init(&errors, error_memory, sizeof error_memory);

    greet();
    step("opening the volume booted from");
    bool opened = result(volume_open());
    unsigned wrong = read_configuration(&errors, opened);
    step("making a directory for results");
    if (result(opened ? volume_start_results() : "there is no volume"))
        console_printf("results go to %s\n", volume_results_name());
    else
        console_print("results go to the console only\n");
    measure(&errors, wrong);
    finish(wrong == 0);
    return EFI_SUCCESS;
}
