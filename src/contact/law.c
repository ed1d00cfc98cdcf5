#include "contact/law.h"

#include <math.h>

enum { ROWS = 4 }; // of ts_contact.impulse

double ts_law_cone_share(const ts_step_options *options, const ts_model *model)
{
  if (options->cone == TS_CONE_QUADRATIC || ts_is_flat(model->freedoms)) return 1.0;
  return cos(TS_PI / options->directions);
}

// Whether the friction impulse has reached the surface of its cone, or of the polyhedral one within.
static bool is_on_the_cone(const ts_contact *contact, const ts_contact_law *law, double share)
{
  const double used = ts_law_friction_used(law->ellipsoid, contact->impulse, ROWS);
  return used >= (1.0 - 1e-6) * share * contact->friction * contact->impulse[0];
}

// Bodies that stick at a point but turn against each other about a tangent roll.
static bool is_rolling(const ts_contact *contact, double threshold, const ts_twist *velocity)
{
  const ts_vec3 turning = ts_sub(velocity[contact->body_1].angular, velocity[contact->body_2].angular);
  const ts_vec3 rolling = ts_add_scaled(turning, -ts_dot(turning, contact->normal), contact->normal);
  return ts_length(rolling) * ts_length(contact->arm_1) > 10.0 * threshold;
}

ts_contact_mode ts_law_mode(const ts_contact *contact, const ts_contact_law *law, double share, double threshold,
                            const ts_twist *velocity)
{
  if (!(contact->impulse[0] > 0.0)) return TS_SEPARATE;
  const double slip = ts_length((ts_vec3){contact->velocity[1], contact->velocity[2], 0.0});
  if (slip > threshold && is_on_the_cone(contact, law, share)) return TS_SLIP;
  return is_rolling(contact, threshold, velocity) ? TS_ROLL : TS_STICK;
}

double ts_contact_way_out_of_cone(const ts_contact *contact, const ts_contact_law *law)
{
  const double *p = contact->impulse, most = contact->friction * fmax(0.0, p[0]), pull = fmax(0.0, -p[0]);
  const double square = ts_law_square_of_friction(law->ellipsoid, p, ROWS);
  return square > most * most ? fmax(pull, sqrt(square) - most) : pull;
}

void ts_contact_enter_cone(ts_contact *contact, const ts_contact_law *law)
{
  double *p = contact->impulse;
  p[0] = fmax(0.0, p[0]);
  const double most = contact->friction * p[0], beyond = ts_contact_cone_violation(contact, law);
  if (beyond == 0.0) return;
  const double share = most / (most + beyond);
  for (int r = 1; r < 4; ++r) p[r] *= share;
}
