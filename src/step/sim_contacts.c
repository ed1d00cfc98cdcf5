// Contacts of a simulation as they stand. See include/touchstone/sim.h.
#include "step/sim.h"

#include "base/require.h"
#include "base/status.h"

const char *ts_contact_mode_name(ts_contact_mode mode)
{
  static const char *const names[] = {"separate", "stick", "slip", "roll"};
  return (unsigned)mode < sizeof names / sizeof names[0] ? names[mode] : "unknown";
}

const ts_contact *ts_sim_contacts(const ts_sim *sim, int *count)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(count);
  *count = sim->contacts.count;
  return sim->contacts.contacts;
}

const ts_located_impact *ts_sim_impacts(const ts_sim *sim, int *count)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(count);
  *count = sim->impacts.count;
  return sim->impacts.impacts;
}

ts_status ts_sim_find_contacts(ts_sim *sim, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(!sim->in_callback, error);
  ts_arena *arena = &sim->scratch[1 - sim->turn];
  ts_arena_reset(arena);
  jmp_buf recovery;
  arena->recovery = &recovery;
  bool found = false;
  if (!setjmp(recovery))
    found = ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, sim->options.size,
                             sim->options.margin, arena, &sim->contacts);
  arena->recovery = NULL;
  return found ? TS_OK : ts_arena_reason(arena, error, "where the simulation is");
}

static void write_row(double row[12], int side, double sign, ts_vec3 linear, ts_vec3 angular)
{
  const double values[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  for (int k = 0; k < 6; ++k) row[6 * side + k] = sign * values[k];
}

void ts_sim_contact_jacobian(const ts_sim *sim, int contact, double jacobian[4][12])
{
  TS_REQUIRE(sim);
  TS_REQUIRE(contact >= 0 && contact < sim->contacts.count);
  TS_REQUIRE(jacobian);
  const ts_contact *c = &sim->contacts.contacts[contact];
  const ts_vec3 directions[3] = {c->normal, c->tangent, c->other}, none = {0.0, 0.0, 0.0};
  for (int side = 0; side < 2; ++side) {
    const ts_vec3 arm = side == 0 ? c->arm_1 : c->arm_2;
    const double sign = side == 0 ? 1.0 : -1.0;
    for (int r = 0; r < 3; ++r) write_row(jacobian[r], side, sign, directions[r], ts_cross(arm, directions[r]));
    write_row(jacobian[3], side, sign, none, c->normal);
  }
}

ts_wrench ts_sim_contact_wrench(const ts_sim *sim, int contact)
{
  TS_REQUIRE(sim);
  TS_REQUIRE(contact >= 0 && contact < sim->contacts.count);
  const ts_contact *c = &sim->contacts.contacts[contact];
  ts_vec3 force = ts_scale(c->impulse[0], c->normal);
  force = ts_add_scaled(force, c->impulse[1], c->tangent);
  force = ts_add_scaled(force, c->impulse[2], c->other);
  return (ts_wrench){force, ts_add_scaled(ts_cross(c->arm_1, force), c->impulse[3], c->normal)};
}
