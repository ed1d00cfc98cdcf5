#include "model/body_mass.h"

#include "shape/mass.h"

#include "base/status.h"

#include <float.h>
#include <math.h>

// Moments that differ by less than this are equal but for the rounding of the volume integrals.
static const double SAME_MOMENT = 1e-14;

// What the shapes say for density 1: `volume` 0 when none of them has one, then `centre` is the mean of the points.
static ts_mass_properties shapes_of(const ts_builder *builder, const int *parts, int part_count,
                                    const ts_pieces *pieces)
{
  ts_mass_properties sum = {0};
  ts_vec3 points = {0};
  int point_count = 0;
  for (int i = 0; i < part_count; ++i) {
    const ts_part_def *part = &builder->parts[parts[i]];
    if (part->massless) continue;
    if (pieces[parts[i]].convex->reach == 0.0) { // a point
      points = ts_add(points, part->pose.position);
      ++point_count;
      continue;
    }
    const ts_mass_properties own = ts_pieces_mass(pieces[parts[i]].convex, pieces[parts[i]].count);
    const ts_mass_properties moved = ts_mass_moved(&own, &part->pose);
    sum = sum.volume > 0.0 ? ts_mass_sum(&sum, &moved) : moved;
  }
  if (!(sum.volume > 0.0) && point_count > 0) sum.centre = ts_scale(1.0 / point_count, points);
  return sum;
}

// Steiner: inertia about a point at `arm` from the centre of mass.
static void add_steiner(double inertia[6], double mass, ts_vec3 arm)
{
  inertia[0] += mass * (arm.y * arm.y + arm.z * arm.z);
  inertia[1] += mass * (arm.x * arm.x + arm.z * arm.z);
  inertia[2] += mass * (arm.x * arm.x + arm.y * arm.y);
  inertia[3] -= mass * arm.x * arm.y;
  inertia[4] -= mass * arm.x * arm.z;
  inertia[5] -= mass * arm.y * arm.z;
}

static ts_mat3 matrix_of(const double I[6])
{
  return (ts_mat3){{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
}

// By cofactors, of the matrix scaled to trace 1 so that no product underflows.
static ts_mat3 inverse_of(const double inertia[6])
{
  const double scale = 1.0 / (inertia[0] + inertia[1] + inertia[2]);
  double A[6];
  for (int i = 0; i < 6; ++i) A[i] = scale * inertia[i];
  const double cofactors[6] = {A[1] * A[2] - A[5] * A[5], A[0] * A[2] - A[4] * A[4], A[0] * A[1] - A[3] * A[3],
                               A[4] * A[5] - A[3] * A[2], A[3] * A[5] - A[4] * A[1], A[3] * A[4] - A[0] * A[5]};
  const double determinant = A[0] * cofactors[0] + A[3] * cofactors[3] + A[4] * cofactors[4];
  double inverse[6];
  for (int i = 0; i < 6; ++i) inverse[i] = cofactors[i] / determinant * scale;
  return matrix_of(inverse);
}

static bool is_isotropic(const double inertia[6])
{
  const double mean = (inertia[0] + inertia[1] + inertia[2]) / 3.0;
  double worst = 0.0;
  for (int i = 0; i < 6; ++i) worst = fmax(worst, fabs(inertia[i] - (i < 3 ? mean : 0.0)));
  return worst <= SAME_MOMENT * mean;
}

static void set_inertia(const ts_freedoms *freedoms, const double inertia[6], ts_body_mass *mass)
{
  if (ts_has_angle(freedoms)) { // it turns about z only
    mass->isotropic = true;
    mass->inertia.z.z = inertia[2];
    mass->inverse_inertia.z.z = 1.0 / inertia[2];
    return;
  }
  mass->isotropic = is_isotropic(inertia);
  if (mass->isotropic) {
    // the mean, exactly the moment itself where all are equal
    const double moment = inertia[0] + ((inertia[1] - inertia[0]) + (inertia[2] - inertia[0])) / 3.0;
    const double inverse = 1.0 / moment;
    mass->inertia = matrix_of((const double[6]){moment, moment, moment});
    mass->inverse_inertia = matrix_of((const double[6]){inverse, inverse, inverse});
  } else {
    mass->inertia = matrix_of(inertia);
    mass->inverse_inertia = inverse_of(inertia);
  }
}

static ts_status find_inertia(const ts_builder *builder, const ts_body_def *body, const ts_mass_properties *shapes,
                              ts_body_mass *mass, ts_error *error)
{
  double inertia[6];
  const bool given = ts_inertia_is_given(builder->freedoms, body), by_angle = ts_has_angle(builder->freedoms);
  if (!given && !(shapes->volume > 0.0))
    return ts_fail(error, TS_INVALID, "body '%s': no inertia is given and its shapes have none; does it rotate?",
                   body->name);
  for (int i = 0; i < 6; ++i) inertia[i] = given ? body->inertia[i] : mass->mass / shapes->volume * shapes->inertia[i];
  if (!given) add_steiner(inertia, mass->mass, ts_sub(mass->centre, shapes->centre));
  const bool possible = by_angle ? inertia[2] >= DBL_MIN && isfinite(inertia[2]) : ts_inertia_is_possible(inertia);
  if (!possible) return ts_fail(error, TS_INVALID, "body '%s': the inertia of its shapes is out of range", body->name);
  set_inertia(builder->freedoms, inertia, mass);
  return TS_OK;
}

ts_status ts_body_mass_find(const ts_builder *builder, const ts_body_def *body, const int *parts, int part_count,
                            const ts_pieces *pieces, ts_body_mass *mass, ts_error *error)
{
  const ts_mass_properties shapes = shapes_of(builder, parts, part_count, pieces);
  *mass = (ts_body_mass){.isotropic = true};
  if (isnan(body->mass) && !(shapes.volume > 0.0))
    return ts_fail(error, TS_INVALID, "body '%s': no mass is given and it has no shape with a volume", body->name);
  mass->mass = isnan(body->mass) ? body->density * shapes.volume : body->mass;
  mass->centre = isnan(body->centre.x) ? shapes.centre : body->centre;
  if (body->mass == 0.0) return TS_OK;
  if (!(mass->mass >= DBL_MIN && isfinite(mass->mass)))
    return ts_fail(error, TS_INVALID, "body '%s': the mass of its shapes is out of range", body->name);
  return body->rotates ? find_inertia(builder, body, &shapes, mass, error) : TS_OK;
}
