// A shape of one's own: a torus about z, which is not convex. It is all balls of radius `tube` whose centres lie on a
// circle of radius `ring`: so it is as far from another shape as the nearest point of the circle is, less the tube, and
// every point of the circle holds a distance of its own.
#include <touchstone/extension.h>

#include <math.h>

enum { RING, TUBE, PARAMETERS };

static const ts_parameter parameters[PARAMETERS] = {
    [RING] = {"ring", 0.3, 1e-6, 1e6, "m", "radius of the circle that the tube follows"},
    [TUBE] = {"tube", 0.1, 1e-6, 1e6, "m", "radius of the tube, less than that of the ring"},
};

static ts_vec3 sum(ts_vec3 a, double s, ts_vec3 b)
{
  return (ts_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double dot(ts_vec3 a, ts_vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

// ---- size and mass -------------------------------------------------------------------------------------------------

static ts_status check(void *user, const double *p, ts_error *error)
{
  (void)user;
  if (p[TUBE] < p[RING]) return TS_OK;
  return ts_fail(error, TS_INVALID, "shape 'torus': a tube of %g m leaves no hole in a ring of %g m", p[TUBE], p[RING]);
}

static ts_shape_extent measure(void *user, const double *p)
{
  (void)user;
  const double out = p[RING] + p[TUBE];
  return (ts_shape_extent){{-out, -out, -p[TUBE]}, {out, out, p[TUBE]}, p[TUBE]};
}

static ts_mass_properties mass(void *user, const double *p)
{
  (void)user;
  const double R2 = p[RING] * p[RING], r2 = p[TUBE] * p[TUBE], volume = 2.0 * TS_PI * TS_PI * p[RING] * r2;
  const double across = volume * (0.5 * R2 + 0.625 * r2), about = volume * (R2 + 0.75 * r2);
  return (ts_mass_properties){.volume = volume, .inertia = {across, across, about}};
}

// ---- faces ---------------------------------------------------------------------------------------------------------

static ts_vec3 on_surface(const double *p, double around, double across)
{
  const double radius = p[RING] + p[TUBE] * cos(across);
  return (ts_vec3){radius * cos(around), radius * sin(around), p[TUBE] * sin(across)};
}

static void draw(void *user, const double *p, ts_shape_face *face, void *drawing)
{
  enum { LONG = 48, SHORT = 16 }; // faces along the ring and about the tube
  (void)user;
  const double u = 2.0 * TS_PI / LONG, v = 2.0 * TS_PI / SHORT;
  for (int i = 0; i < LONG; ++i)
    for (int k = 0; k < SHORT; ++k) {
      const ts_vec3 corners[4] = {on_surface(p, u * i, v * k), on_surface(p, u * (i + 1), v * k),
                                  on_surface(p, u * (i + 1), v * (k + 1)), on_surface(p, u * i, v * (k + 1))};
      const double around = u * (i + 0.5), across = v * (k + 0.5);
      const ts_vec3 outward = {cos(across) * cos(around), cos(across) * sin(around), sin(across)};
      face(drawing, corners, 4, outward, true);
    }
}

// ---- distances -----------------------------------------------------------------------------------------------------

typedef struct place {
  double distance; // of a point from the surface of the other shape
  ts_vec3 normal;  // from there to the point
} place;

// Of another torus: its circle is nearest in the plane through its axis and the point.
static place from_torus(const ts_neighbour *other, ts_vec3 point)
{
  const double *p = ts_neighbour_shape(other)->parameters;
  const ts_vec3 axis = ts_neighbour_direction(other, (ts_vec3){0.0, 0.0, 1.0});
  const ts_vec3 away = sum(point, -1.0, ts_neighbour_point(other, (ts_vec3){0.0, 0.0, 0.0}));
  const double height = dot(away, axis);
  const ts_vec3 radial = sum(away, -height, axis);
  const double rho = sqrt(dot(radial, radial));
  const ts_vec3 outward =
      rho > 0.0 ? sum((ts_vec3){0}, 1.0 / rho, radial) : ts_neighbour_direction(other, (ts_vec3){1.0, 0.0, 0.0});
  const ts_vec3 between = sum(away, -p[RING], outward);
  const double distance = sqrt(dot(between, between));
  return (place){distance - p[TUBE], distance > 0.0 ? sum((ts_vec3){0}, 1.0 / distance, between) : axis};
}

static ts_vec3 on_circle(const double *p, double angle)
{
  return (ts_vec3){p[RING] * cos(angle), p[RING] * sin(angle), 0.0};
}

static place look(const double *p, const ts_neighbour *other, double angle)
{
  if (ts_neighbour_shape(other)->kind == TS_SHAPE_OWN) return from_torus(other, on_circle(p, angle));
  ts_separation apart;
  ts_neighbour_distance(other, on_circle(p, angle), &apart);
  return (place){apart.gap, apart.normal};
}

// The surface is a tube's radius from the circle, towards the other shape.
static void report(const double *p, const ts_neighbour *other, double angle, int feature, ts_touches *touches)
{
  const place at = look(p, other, angle);
  ts_touches_add(touches, sum(on_circle(p, angle), -p[TUBE], at.normal), at.normal, at.distance - p[TUBE], feature);
}

// ---- where they are least ------------------------------------------------------------------------------------------

enum { AROUND = 8, SAMPLES = 64 }; // touches around the ring, from the nearest on; looks for others
static const double LEVEL = 1e-9;  // of the ring: what differs by less is as near
static const double BESIDE = 1e-3; // angle [rad]: a touch that stands there is the same

// Points of the ring that are nearer than those beside them, the nearest first.
typedef struct minima {
  double angle[SAMPLES], distance[SAMPLES];
  int feature[SAMPLES];
  int count;
} minima;

static void keep(minima *found, double angle, double distance, int feature)
{
  const int first = found->count > 0 && distance < found->distance[0] ? 0 : found->count;
  found->angle[found->count] = found->angle[first];
  found->distance[found->count] = found->distance[first];
  found->feature[found->count++] = found->feature[first];
  found->angle[first] = angle;
  found->distance[first] = distance;
  found->feature[first] = feature;
}

// Between two samples on either side, by golden sections.
static double refined(const double *p, const ts_neighbour *other, double low, double high)
{
  static const double GOLDEN = 0.6180339887498949;
  double a = high - GOLDEN * (high - low), b = low + GOLDEN * (high - low);
  double at_a = look(p, other, a).distance, at_b = look(p, other, b).distance;
  for (int k = 0; k < 40; ++k) {
    if (at_a <= at_b) {
      high = b, b = a, at_b = at_a;
      a = high - GOLDEN * (high - low);
      at_a = look(p, other, a).distance;
    } else {
      low = a, a = b, at_a = at_b;
      b = low + GOLDEN * (high - low);
      at_b = look(p, other, b).distance;
    }
  }
  return 0.5 * (low + high);
}

// Of any shape: where it is as near along an arc, the ends of that.
static void search(const double *p, const ts_neighbour *other, minima *found)
{
  double sample[SAMPLES];
  const double step = 2.0 * TS_PI / SAMPLES, level = LEVEL * p[RING];
  for (int i = 0; i < SAMPLES; ++i) sample[i] = look(p, other, step * i).distance;
  for (int i = 0; i < SAMPLES; ++i) {
    const double before = sample[(i + SAMPLES - 1) % SAMPLES] - sample[i],
                 after = sample[(i + 1) % SAMPLES] - sample[i];
    if (before < -level || after < -level || (before <= level && after <= level)) continue;
    const double angle = refined(p, other, step * (i - 1), step * (i + 1));
    keep(found, angle, look(p, other, angle).distance, AROUND + i);
  }
}

// The angle of a direction along the ring; none where all angles are as good.
static void keep_direction(double x, double y, double scale, minima *found)
{
  if (hypot(x, y) > LEVEL * scale) keep(found, atan2(y, x), 0.0, AROUND);
}

// In closed form of half-spaces and balls, which have one.
static void find_minima(const double *p, const ts_neighbour *other, minima *found)
{
  const ts_shape *shape = ts_neighbour_shape(other);
  if (shape->kind == TS_SHAPE_PLANE) {
    const ts_vec3 normal = ts_neighbour_direction(other, shape->normal);
    keep_direction(-normal.x, -normal.y, 1.0, found);
  } else if (shape->kind == TS_SHAPE_SPHERE || shape->kind == TS_SHAPE_POINT) {
    const ts_vec3 centre = ts_neighbour_point(other, (ts_vec3){0.0, 0.0, 0.0});
    keep_direction(centre.x, centre.y, p[RING], found);
  } else {
    search(p, other, found);
  }
}

// Touches around the ring hold what lies flat. They begin at the nearest, so that of what rolls the others are far; at
// a place of the body where all are as near.
static bool touch(void *user, const double *p, const ts_neighbour *other, double margin, ts_touches *touches)
{
  const double step = 2.0 * TS_PI / AROUND;
  minima found = {.count = 0};
  (void)user, (void)margin;
  find_minima(p, other, &found);
  const double first = found.count > 0 ? found.angle[0] : 0.0;
  for (int k = 0; k < AROUND; ++k) report(p, other, first + step * k, k, touches);
  for (int i = 1; i < found.count; ++i)
    if (fabs(remainder(found.angle[i] - first, step)) > BESIDE)
      report(p, other, found.angle[i], found.feature[i], touches);
  return true;
}

static ts_status add(ts_extensions *extensions, ts_error *error)
{
  static const char *const others[] = {"torus", NULL};
  static const ts_shape_def def = {.name = "torus",
                                   .summary = "ring with a round tube, about z",
                                   .parameters = parameters,
                                   .parameter_count = PARAMETERS,
                                   .kinds = (1u << TS_SHAPE_COUNT) - 1u, // all
                                   .others = others,
                                   .check = check,
                                   .measure = measure,
                                   .mass = mass,
                                   .draw = draw,
                                   .touch = touch};
  return ts_extensions_add_shape(extensions, &def, error);
}

TS_API const ts_plugin touchstone_plugin = {TS_EXTENSION_INTERFACE, "torus", add};
