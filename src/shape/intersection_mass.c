// Mass of an intersection: integrals over the directions from a point inside, of powers of the distance r to the
// surface there. In space 1, x and x x^T give r^3/3, r^4/4 u and r^5/5 u u^T, in the plane r^2/2, r^3/3 u and r^4/4 u
// u^T.
//
// The integrand has kinks where one function follows another. Around the axis they are looked for and are ends of
// intervals; along it intervals are halved until Gauss' and Kronrod's rules agree.
#include "shape/intersection_part.h"

#include "shape/mass.h"

static const double NEXT = 1e-9; // rad: beyond where a function ends

enum { MOMENTS = 10, AROUND = 24, DEEPEST = 20 }; // 1; x y z; xx yy zz xy xz yz

// Of each moment's size: how well the rules agree on an interval. Kronrod's value is better than that by far, but for
// intervals with a kink. Around the axis more is asked for: along it what is left would be noise.
static const double ACCURACY = 2e-11, INNER_SHARE = 0.05;

typedef struct moments {
  double of[MOMENTS];
} moments;

typedef struct sight {
  const ts_convex *part;
  ts_mat3 axes; // the last is the one that angles are counted from
  double polar;
  double tolerance[MOMENTS];
} sight;

typedef moments integrand(const sight *s, double at);

static moments combined(const moments *a, const moments *b, double share)
{
  moments sum;
  for (int k = 0; k < MOMENTS; ++k) sum.of[k] = a->of[k] + share * b->of[k];
  return sum;
}

// ---- Gauss and Kronrod

// Nodes of Kronrod's rule of 15 points, every second also Gauss' of 7, and weights of both
static const double nodes[8] = {0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
                                0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
                                0.586087235467691130294144691693379, 0.405845151377397166906606412076961,
                                0.207784955007898467600689403773245, 0.0};
static const double kronrod[8] = {0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
                                  0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
                                  0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
                                  0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
static const double gauss[4] = {0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
                                0.381830050505118944950369775488975, 0.417959183673469387755102040816327};

// Kronrod's value, and the greatest difference to Gauss' in tolerances
static moments rule(integrand *f, const sight *s, double from, double to, double *error)
{
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  moments fine = {{0.0}}, rough = {{0.0}};
  for (int k = 0; k < 8; ++k)
    for (int side = -1; side <= (k < 7 ? 1 : -1); side += 2) {
      const moments value = f(s, middle + side * half * nodes[k]);
      fine = combined(&fine, &value, half * kronrod[k]);
      if (k % 2) rough = combined(&rough, &value, half * gauss[k / 2]);
    }
  *error = 0.0;
  for (int k = 0; k < MOMENTS; ++k) *error = fmax(*error, fabs(fine.of[k] - rough.of[k]) / s->tolerance[k]);
  return fine;
}

static moments integrate(integrand *f, const sight *s, double from, double to, int depth)
{
  double error;
  const moments whole = rule(f, s, from, to, &error);
  if (error <= 1.0 || depth == DEEPEST) return whole;
  const double middle = 0.5 * (from + to);
  const moments first = integrate(f, s, from, middle, depth + 1), second = integrate(f, s, middle, to, depth + 1);
  return combined(&first, &second, 1.0);
}

// ---- directions

static ts_vec3 direction_at(const sight *s, double around)
{
  const double sine = sin(s->polar);
  return ts_mul(&s->axes, ts_vec3_make(sine * cos(around), sine * sin(around), cos(s->polar)));
}

static moments at_angle(const sight *s, double around)
{
  const ts_vec3 u = direction_at(s, around);
  const int power = s->part->planar ? 2 : 3;
  const double r = ts_intersection_exit(s->part, s->part->middle, u, -1, NULL), weight = sin(s->polar);
  const double zero = weight * (power == 2 ? r * r : r * r * r) / power, first = zero * r * power / (power + 1);
  const double second = first * r * (power + 1) / (power + 2);
  return (moments){{zero, first * u.x, first * u.y, first * u.z, second * u.x * u.x, second * u.y * u.y,
                    second * u.z * u.z, second * u.x * u.y, second * u.x * u.z, second * u.y * u.z}};
}

static int function_at(const sight *s, double around)
{
  int function;
  ts_intersection_exit(s->part, s->part->middle, direction_at(s, around), -1, &function);
  return function;
}

// Where one function follows another
static double change_between(const sight *s, double from, double to, int function)
{
  enum { HALVINGS = 44 };
  for (int k = 0; k < HALVINGS; ++k) {
    const double middle = 0.5 * (from + to);
    if (function_at(s, middle) == function)
      from = middle;
    else
      to = middle;
  }
  return 0.5 * (from + to);
}

static moments around_axis(const sight *given, double polar)
{
  sight s = *given;
  s.polar = polar;
  for (int k = 0; k < MOMENTS; ++k) s.tolerance[k] *= INNER_SHARE;
  moments sum = {{0.0}};
  const double step = 2.0 * TS_PI / AROUND;
  double from = 0.0;
  int here = function_at(&s, from);
  for (int k = 1; k <= AROUND; ++k) {
    const double to = k * step;
    const int there = function_at(&s, to);
    const bool due = k % 3 == 0;
    if (there == here && !due) continue;
    const double cut = there == here ? to : change_between(&s, fmax(from, to - step), to, here);
    const moments piece = integrate(at_angle, &s, from, cut, DEEPEST - 10);
    sum = combined(&sum, &piece, 1.0);
    from = cut;
    here = function_at(&s, cut + NEXT);
    if (there != here && cut + NEXT < to) --k; // a third function is between the two
  }
  const moments rest = integrate(at_angle, &s, from, 2.0 * TS_PI, DEEPEST - 10);
  return from < 2.0 * TS_PI ? combined(&sum, &rest, 1.0) : sum;
}

// From a first look with a few directions
static void set_tolerances(sight *s)
{
  enum { SOME = 8 };
  const double size = s->part->meet->size;
  double sum = 0.0;
  for (int i = 0; i < SOME; ++i) {
    s->polar = s->part->planar ? 0.5 * TS_PI : acos(1.0 - (2.0 * i + 1.0) / SOME);
    for (int k = 0; k < SOME; ++k) sum += at_angle(s, 2.0 * TS_PI * (k + 0.5) / SOME).of[0] / sin(s->polar);
  }
  const double volume = (s->part->planar ? 2.0 : 4.0) * TS_PI * sum / (SOME * SOME);
  for (int k = 0; k < MOMENTS; ++k)
    s->tolerance[k] = ACCURACY * volume * (k == 0 ? 1.0 : k < 4 ? size : 0.1 * size * size);
}

ts_mass_properties ts_intersection_mass(const ts_convex *part)
{
  const ts_hull *flats = part->meet->flats;
  const ts_vec3 axis = flats->face_count && !part->planar ? flats->normals[0] : ts_vec3_make(0.0, 0.0, 1.0);
  const ts_vec3 across = part->planar ? ts_vec3_make(1.0, 0.0, 0.0) : ts_tangent_of(axis);
  sight s = {.part = part, .axes = {across, ts_cross(axis, across), axis}};
  set_tolerances(&s);
  const moments m = part->planar ? around_axis(&s, 0.5 * TS_PI) : integrate(around_axis, &s, 0.0, TS_PI, 0);
  return ts_mass_of_integrals(m.of[0], ts_vec3_make(m.of[1], m.of[2], m.of[3]), &m.of[4], part->middle);
}
