#include "shape/mass.h"

#include "shape/shape_type.h"

// ---- symmetric matrices ----

// xx yy zz xy xz yz, the order of ts_mass_properties
typedef struct symmetric {
  double xx, yy, zz, xy, xz, yz;
} symmetric;

// A + s v v^T
static symmetric add_square(symmetric A, double s, ts_vec3 v)
{
  return (symmetric){A.xx + s * v.x * v.x, A.yy + s * v.y * v.y, A.zz + s * v.z * v.z,
                     A.xy + s * v.x * v.y, A.xz + s * v.x * v.z, A.yz + s * v.y * v.z};
}

static void add_to_inertia(double inertia[6], const double other[6])
{
  for (int k = 0; k < 6; ++k) inertia[k] += other[k];
}

// Inertia (tr C) 1 - C of the second moments C = integral of x x^T
static void write_inertia(symmetric C, double inertia[6])
{
  inertia[0] = C.yy + C.zz;
  inertia[1] = C.xx + C.zz;
  inertia[2] = C.xx + C.yy;
  inertia[3] = -C.xy;
  inertia[4] = -C.xz;
  inertia[5] = -C.yz;
}

ts_mass_properties ts_mass_of_moments(double volume, double xx, double yy, double zz)
{
  ts_mass_properties properties = {.volume = volume};
  write_inertia((symmetric){.xx = xx, .yy = yy, .zz = zz}, properties.inertia);
  return properties;
}

// ---- closed forms that several kinds use ----

ts_mass_properties ts_ellipsoid_mass(double a, double b, double c)
{
  const double volume = 4.0 / 3.0 * TS_PI * a * b * c, share = volume / 5.0;
  return ts_mass_of_moments(volume, share * a * a, share * b * b, share * c * c);
}

ts_mass_properties ts_cylinder_mass(double r, double half_length)
{
  const double volume = 2.0 * TS_PI * r * r * half_length, across = volume * r * r / 4.0;
  return ts_mass_of_moments(volume, across, across, volume * half_length * half_length / 3.0);
}

// ---- hulls: exact integrals over simplices with one corner at a point inside ----

typedef struct moments {
  double volume;
  ts_vec3 first;    // integral of x
  symmetric second; // integral of x x^T
} moments;

// Of a simplex with corners 0 and v_1 .. v_d in d dimensions: volume V, first moment V sum / (d+1), second moment
// V (sum of v_i v_i^T + sum sum^T) / ((d+1) (d+2)).
static void add_simplex(moments *m, double volume, const ts_vec3 *v, int d)
{
  ts_vec3 sum = {0.0, 0.0, 0.0};
  const double second = volume / ((d + 1) * (d + 2));
  for (int i = 0; i < d; ++i) {
    sum = ts_add(sum, v[i]);
    m->second = add_square(m->second, second, v[i]);
  }
  m->second = add_square(m->second, second, sum);
  m->first = ts_add_scaled(m->first, volume / (d + 1), sum);
  m->volume += volume;
}

static void add_face(moments *m, const ts_hull *hull, int face, ts_vec3 origin)
{
  const int *loop = hull->face_vertices + hull->face_start[face];
  const int count = hull->face_start[face + 1] - hull->face_start[face];
  ts_vec3 v[3] = {ts_sub(hull->vertices[loop[0]], origin)};
  for (int k = 2; k < count; ++k) {
    v[1] = ts_sub(hull->vertices[loop[k - 1]], origin);
    v[2] = ts_sub(hull->vertices[loop[k]], origin);
    add_simplex(m, ts_dot(v[0], ts_cross(v[1], v[2])) / 6.0, v, 3);
  }
}

static void add_side(moments *m, const ts_hull *hull, int side, ts_vec3 origin)
{
  const int *ends = hull->face_vertices + hull->face_start[side];
  const ts_vec3 v[2] = {ts_sub(hull->vertices[ends[0]], origin), ts_sub(hull->vertices[ends[1]], origin)};
  add_simplex(m, 0.5 * ts_cross(v[0], v[1]).z, v, 2);
}

// From the moments about a point
static ts_mass_properties about_centre_of_mass(const moments *m, ts_vec3 origin)
{
  const ts_vec3 centre = ts_scale(1.0 / m->volume, m->first); // from the origin
  ts_mass_properties properties = {.volume = m->volume, .centre = ts_add(origin, centre)};
  write_inertia(add_square(m->second, -m->volume, centre), properties.inertia);
  return properties;
}

ts_mass_properties ts_mass_of_integrals(double volume, ts_vec3 first, const double second[6], ts_vec3 origin)
{
  const moments m = {volume, first, {second[0], second[1], second[2], second[3], second[4], second[5]}};
  return about_centre_of_mass(&m, origin);
}

ts_mass_properties ts_hull_mass(const ts_convex *part)
{
  moments m = {0};
  for (int f = 0; f < part->hull->face_count; ++f) add_face(&m, part->hull, f, part->middle);
  return about_centre_of_mass(&m, part->middle);
}

ts_mass_properties ts_outline_mass(const ts_convex *part)
{
  moments m = {0};
  for (int f = 0; f < part->hull->face_count; ++f) add_side(&m, part->hull, f, part->middle);
  return about_centre_of_mass(&m, part->middle);
}

static ts_mass_properties part_mass(const ts_convex *part)
{
  const ts_shape_type *type = ts_shape_type_of(part->kind);
  return type->mass ? type->mass(part) : (ts_mass_properties){0};
}

ts_mass_properties ts_pieces_mass(const ts_convex *pieces, int count)
{
  ts_mass_properties sum = part_mass(pieces);
  for (int i = 1; i < count; ++i) {
    const ts_mass_properties piece = part_mass(pieces + i);
    sum = ts_mass_sum(&sum, &piece);
  }
  return sum;
}

// ---- frames and sums ----

ts_mass_properties ts_mass_moved(const ts_mass_properties *properties, const ts_pose *pose)
{
  const double *I = properties->inertia;
  const ts_mat3 R = ts_quat_matrix(pose->orientation);
  const ts_mat3 about_centre = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
  const ts_mat3 J = ts_mat3_rotate(&R, &about_centre);
  return (ts_mass_properties){
      .volume = properties->volume,
      .centre = ts_pose_apply(pose, properties->centre),
      .inertia = {J.x.x, J.y.y, J.z.z, 0.5 * (J.x.y + J.y.x), 0.5 * (J.x.z + J.z.x), 0.5 * (J.y.z + J.z.y)}};
}

// Two masses about their common centre: their own inertias, and that of the reduced mass at their distance (Steiner).
ts_mass_properties ts_mass_sum(const ts_mass_properties *a, const ts_mass_properties *b)
{
  const double volume = a->volume + b->volume;
  if (!(volume > 0.0)) return *a;
  const ts_vec3 apart = ts_sub(b->centre, a->centre);
  ts_mass_properties sum = {.volume = volume, .centre = ts_add_scaled(a->centre, b->volume / volume, apart)};
  write_inertia(add_square((symmetric){0}, a->volume * (b->volume / volume), apart), sum.inertia);
  add_to_inertia(sum.inertia, a->inertia);
  add_to_inertia(sum.inertia, b->inertia);
  return sum;
}
