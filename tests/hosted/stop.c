/* stop: signals that set a flag, once. */
#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#define SIGNALS 2

static const int signals[SIGNALS] = {SIGINT, SIGTERM};
static volatile sig_atomic_t is_wished;

static void take_wish(int number)
{
    static const char words[] = "\nstopping: what is measured is being saved; once more ends it\n";
    int reason = errno;

    if (is_wished) { /* both came at once */
        raise(number);
        return;
    }
    is_wished = 1;
    for (unsigned i = 0; i < SIGNALS; i++)
        signal(signals[i], SIG_DFL);
    if (write(STDERR_FILENO, words, sizeof(words) - 1) < 0) {
        /* Nobody reads it; the run ends all the same. */
    }
    errno = reason;
}

void stop_listen(void)
{
    struct sigaction wish = {.sa_handler = take_wish, .sa_flags = SA_RESTART}, before;

    is_wished = 0;
    for (unsigned i = 0; i < SIGNALS; i++)
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &wish, NULL);
}

bool stop_is_wished(struct platform *self)
{
    (void)self;
    return is_wished != 0;
}
