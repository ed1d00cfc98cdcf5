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

// A signal that whoever started the program has switched off (a job in the background) stays off.
static void watch(int number)
{
  struct sigaction action = {.sa_handler = remember, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)}, before;
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

void cli_interrupt_watch(void)
{
  watch(SIGINT);
  watch(SIGTERM);
}

int cli_interrupt_signal(void)
{
  return received;
}
