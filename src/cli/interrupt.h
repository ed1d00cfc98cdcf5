// Ctrl-C (SIGINT), SIGTERM, SIGHUP and SIGXCPU as a question that a loop asks, so that it can end in order. A second
// one ends the program at once, as without this, but for SIGXCPU. SIGXFSZ is switched off: writing fails instead.
#ifndef TS_CLI_INTERRUPT_H
#define TS_CLI_INTERRUPT_H

void cli_interrupt_watch(void);
int cli_interrupt_signal(void); // the signal that came, or 0

#endif
