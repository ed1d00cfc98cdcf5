// Ctrl-C (SIGINT) and SIGTERM as a question that a loop asks, so that it can end in order. A second signal ends the
// program at once, as without this.
#ifndef TS_CLI_INTERRUPT_H
#define TS_CLI_INTERRUPT_H

void cli_interrupt_watch(void);
int cli_interrupt_signal(void); // the signal that came, or 0

#endif
