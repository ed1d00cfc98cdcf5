#define _POSIX_C_SOURCE 200809L // sigaction
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

// A handler has no other way to say something than through a variable of the whole program.
static volatile sig_atomic_t received;

static void remember(int number)
{
  received = number;
}

void cli_interrupt_watch(void)
{
  struct sigaction action = {.sa_handler = remember, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

int cli_interrupt_signal(void)
{
  return received;
}
