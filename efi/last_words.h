/* last_words: our handlers of exceptions while the firmware's code may run, and what they say. */
#ifndef MLPBOOT_EFI_LAST_WORDS_H
#define MLPBOOT_EFI_LAST_WORDS_H

/*
 * Puts our handlers in the firmware's place, until last_words_close: a fault in its code or in
 * ours, in a timer's callback or on another processor, is then told on the console, and the machine
 * restarts; edk2's handlers stop it for ever. Some faults are meant: a driver may unmap a guard
 * page and handle the page fault itself. Such a driver has registered its handler by the firmware's
 * CPU protocol, which knows no second one, so it is asked at each exception: the registered handler
 * gets it as if we were not there. SMM has an IDT of its own. Nothing happens where there is no
 * memory.
 */
void last_words_open(void);
void last_words_close(void);

/* Names what is being done, for the last words. It has to stay. */
void last_words_step(const char *step);

#endif
