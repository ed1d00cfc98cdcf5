// What a program hangs into a simulation: forces by a callback, interrupts, timing. See include/touchstone/sim.h.
#include "step/sim.h"

#include "base/require.h"

void ts_sim_set_callback(ts_sim *sim, ts_force_callback *callback, void *user)
{
  TS_REQUIRE(sim);
  sim->callback = callback;
  sim->callback_user = user;
}

void ts_sim_set_interrupt(ts_sim *sim, ts_interrupt_callback *interrupt, void *user)
{
  TS_REQUIRE(sim);
  sim->interrupt = (ts_interrupt){interrupt, user};
  ts_workspace_set_interrupt(sim->workspace, sim->interrupt);
}

void ts_sim_heed(ts_sim *sim)
{
  if (!sim->interrupt.ask || !sim->interrupt.ask(sim->interrupt.user)) return;
  sim->interrupted = true;
  longjmp(*sim->scratch[1 - sim->turn].recovery, 1);
}

void ts_sim_set_timing(ts_sim *sim, bool timed)
{
  TS_REQUIRE(sim);
  sim->timed = timed;
}
