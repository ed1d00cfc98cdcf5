// Between a simulation and dynamics in minimal coordinates. See include/touchstone/dynamics.h.
#include "step/sim.h"

#include "dynamics/dynamics.h"

#include "base/require.h"
#include "base/status.h"

static ts_status check_model(const ts_dynamics *dynamics, const ts_sim *sim, ts_error *error)
{
  if (dynamics->model == sim->model) return TS_OK;
  return ts_fail(error, TS_INVALID, "the simulation is one of another model");
}

ts_status ts_dynamics_from_sim(ts_dynamics *dynamics, const ts_sim *sim, ts_error *error)
{
  TS_REFUSE_UNLESS(dynamics, error);
  TS_REFUSE_UNLESS(sim, error);
  TS_TRY(check_model(dynamics, sim, error));
  ts_state_copy_bodies(&sim->state, &dynamics->state);
  ts_tree_read(dynamics->tree, &dynamics->state, dynamics->state.q, dynamics->state.rates);
  ts_dynamics_follow(dynamics);
  return TS_OK;
}

ts_status ts_dynamics_to_sim(ts_dynamics *dynamics, ts_sim *sim, ts_error *error)
{
  TS_REFUSE_UNLESS(dynamics, error);
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(!sim->in_callback, error);
  TS_TRY(check_model(dynamics, sim, error));
  dynamics->state.time = sim->state.time;
  ts_dynamics_follow(dynamics);
  ts_state_copy_bodies(&dynamics->state, &sim->state);
  sim->account.is_known = false;
  ts_mechanics_read(&sim->mechanics);
  ts_mechanics_follow(&sim->mechanics);
  return TS_OK;
}
