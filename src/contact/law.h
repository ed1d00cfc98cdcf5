// The law of contact, in one place: Coulomb's cone, whose section is an ellipsoid of semi-axes e about t, o and, for
// spin about the normal, r; what of it an impulse uses, and what that makes of the contact.
//   sqrt((p_t/e_t)^2 + (p_o/e_o)^2 + (p_r/e_r)^2) <= mu p_n,   e_r = 0: no friction against spin
#ifndef TS_CONTACT_LAW_H
#define TS_CONTACT_LAW_H

#include "contact/contact_set.h"

enum { TS_IMPULSE_ROWS = 4 }; // of ts_contact.impulse

static inline bool ts_law_resists_spin(const ts_contact_law *law)
{
  return law->ellipsoid.z > 0.0;
}

// Rows of a contact in a problem of `dimension` rows a contact, as bits: those that its law acts with.
static inline unsigned ts_law_rows(const ts_contact_law *law, int dimension)
{
  const unsigned all = (1u << dimension) - 1u;
  return dimension == 4 && !ts_law_resists_spin(law) ? all & ~8u : all;
}

// The semi-axes as solvers see them: where there is no friction against spin its row acts on nothing.
static inline ts_vec3 ts_law_semi_axes(const ts_contact_law *law)
{
  const ts_vec3 e = law->ellipsoid;
  return (ts_vec3){e.x, e.y, ts_law_resists_spin(law) ? e.z : 1.0};
}

// Friction that impulses p (n, t, o, r, as many as `rows`) use, of which mu p_n is allowed [N s]; first its square.
TS_INLINE double ts_law_square_of_friction(ts_vec3 semi_axes, const double *p, int rows)
{
  const double t = rows > 1 ? p[1] / semi_axes.x : 0.0, o = rows > 2 ? p[2] / semi_axes.y : 0.0;
  const double spin = rows > 3 && semi_axes.z > 0.0 ? p[3] / semi_axes.z : 0.0;
  return t * t + o * o + spin * spin;
}

TS_INLINE double ts_law_friction_used(ts_vec3 semi_axes, const double *p, int rows)
{
  return sqrt(ts_law_square_of_friction(semi_axes, p, rows));
}

// How far a polygon inside the circle of friction falls short of it in the middle of its edges; 1 without polygons. In
// the plane there is no circle, but for supports of a 2.5D world.
double ts_law_cone_share(const ts_step_options *options, const ts_model *model);

// Whether the friction impulse has reached the surface of its cone, or of the polyhedral one within: `share` as above.
TS_INLINE bool ts_law_uses_up_friction(const ts_contact *contact, const ts_contact_law *law, double share)
{
  const double used = ts_law_friction_used(law->ellipsoid, contact->impulse, TS_IMPULSE_ROWS);
  return used >= (1.0 - 1e-6) * share * contact->friction * contact->impulse[0];
}

// Bodies that stick at a point but turn against each other about a tangent roll; `threshold` and twists as below.
TS_INLINE bool ts_contact_rolls(const ts_contact *contact, double threshold, const ts_twist *velocity)
{
  const ts_vec3 turning = ts_sub(velocity[contact->body_1].angular, velocity[contact->body_2].angular);
  const ts_vec3 rolling = ts_add_scaled(turning, -ts_dot(turning, contact->normal), contact->normal);
  return ts_length(rolling) * ts_length(contact->arm_1) > 10.0 * threshold;
}

// The mode of a contact with its impulse and velocity: `share` as above, slips below `threshold` are none [m/s];
// twists of the bodies (body_count).
TS_INLINE ts_contact_mode ts_law_mode(const ts_contact *contact, const ts_contact_law *law, double share,
                                      double threshold, const ts_twist *velocity)
{
  if (!(contact->impulse[0] > 0.0)) return TS_SEPARATE;
  const double slip = ts_length((ts_vec3){contact->velocity[1], contact->velocity[2], 0.0});
  if (slip > threshold && ts_law_uses_up_friction(contact, law, share)) return TS_SLIP;
  return ts_contact_rolls(contact, threshold, velocity) ? TS_ROLL : TS_STICK;
}

double ts_contact_way_out_of_cone(const ts_contact *contact, const ts_contact_law *law);

// By how much the impulse of a contact is outside its cone: friction beyond mu p_n, measured by the ellipsoid's
// semi-axes, or a pull [N s]; 0 inside, but for round-off. That most are inside an ellipsoid of semi-axes of 1 and more
// shows at once.
TS_INLINE double ts_contact_cone_violation(const ts_contact *contact, const ts_contact_law *law)
{
  const double *p = contact->impulse, most = contact->friction * p[0];
  if ((p[0] >= 0.0) & (p[3] == 0.0) & (law->ellipsoid.x >= 1.0) & (law->ellipsoid.y >= 1.0) &
      (p[1] * p[1] + p[2] * p[2] <= (1.0 + 1e-13) * most * most))
    return 0.0;
  return ts_contact_way_out_of_cone(contact, law);
}

// The same impulse with no more friction than its cone allows, and no pull.
void ts_contact_enter_cone(ts_contact *contact, const ts_contact_law *law);

#endif
