#define _XOPEN_SOURCE 700 // sigaction, SIGXCPU
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
static void watch(int number, void (*handler)(int), int flags)
{
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | flags}, before;
  sigemptyset(&action.sa_mask);
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

// SIGXCPU comes again every second, and what is left to do may take one. A file that gets too large is an error of
// writing it, which says more than the signal.
void cli_interrupt_watch(void)
{
  watch(SIGINT, remember, (int)SA_RESETHAND);
  watch(SIGTERM, remember, (int)SA_RESETHAND);
  watch(SIGHUP, remember, (int)SA_RESETHAND);
  watch(SIGXCPU, remember, 0);
  watch(SIGXFSZ, SIG_IGN, 0);
}

int cli_interrupt_signal(void)
{
  return received;
}
