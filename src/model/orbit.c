// Orientation of a plate whose angular acceleration is sinusoidal on three axes, thesis 5.3. The quaternion is
// integrated over one period by the classical Runge-Kutta method and interpolated by quintic Hermite polynomials, for
// which its derivatives are at hand: q' = 1/2 omega q, q'' = 1/2 (omega' q + omega q'). All by the phase theta = w t.
// With 256 intervals of 16 steps both errors lie below 1e-12 as long as the angles are below 1 rad.
//
// The start is chosen as in the thesis: integrate from the identity, and turn back by the middle of the range of each
// 3-2-1 Euler angle. (The thesis calls the start a sum of quaternions, a product is meant: corrections.md 13.)
#include "model/motion.h"

enum { STEPS_PER_INTERVAL = 16 };

static const double FULL_TURN = 2.0 * TS_PI;
static const double COSINE_OF_EIGHTH_TURN = 0.7071067811865476; // w of a quaternion that turns by a quarter

static ts_quat add_scaled(ts_quat a, double s, ts_quat b)
{
  return (ts_quat){a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// 1/2 v q
static ts_quat half_product(ts_vec3 v, ts_quat q)
{
  return ts_quat_product((ts_quat){0.0, 0.5 * v.x, 0.5 * v.y, 0.5 * v.z}, q);
}

// omega / w, and its derivative by the phase.
static ts_vec3 turning(const ts_motion_def *motion, double phase, ts_vec3 *slope)
{
  double omega[3], alpha[3];
  const double scale = 1.0 / (motion->frequency * motion->frequency);
  for (int i = 0; i < 3; ++i) {
    const double angle = phase + motion->phase[3 + i], amplitude = scale * motion->amplitude[3 + i];
    omega[i] = -amplitude * cos(angle);
    alpha[i] = amplitude * sin(angle);
  }
  *slope = (ts_vec3){alpha[0], alpha[1], alpha[2]};
  return (ts_vec3){omega[0], omega[1], omega[2]};
}

static ts_quat slope_of(const ts_motion_def *motion, double phase, ts_quat q)
{
  ts_vec3 unused;
  return half_product(turning(motion, phase, &unused), q);
}

static ts_quat runge_kutta_step(const ts_motion_def *motion, double phase, double h, ts_quat q)
{
  const ts_quat k1 = slope_of(motion, phase, q);
  const ts_quat k2 = slope_of(motion, phase + 0.5 * h, add_scaled(q, 0.5 * h, k1));
  const ts_quat k3 = slope_of(motion, phase + 0.5 * h, add_scaled(q, 0.5 * h, k2));
  const ts_quat k4 = slope_of(motion, phase + h, add_scaled(q, h, k3));
  const ts_quat inner = add_scaled(k2, 1.0, k3), outer = add_scaled(k1, 1.0, k4);
  return ts_quat_normalize(add_scaled(add_scaled(q, h / 3.0, inner), h / 6.0, outer));
}

static ts_orbit_node node_at(const ts_motion_def *motion, double phase, ts_quat q)
{
  ts_vec3 slope;
  const ts_vec3 omega = turning(motion, phase, &slope);
  const ts_quat first = half_product(omega, q);
  return (ts_orbit_node){q, first, add_scaled(half_product(slope, q), 1.0, half_product(omega, first))};
}

static bool integrate(const ts_motion_def *motion, ts_orbit_node *nodes)
{
  const double interval = FULL_TURN / TS_ORBIT_INTERVALS, h = interval / STEPS_PER_INTERVAL;
  ts_quat q = ts_quat_identity();
  for (int i = 0; i <= TS_ORBIT_INTERVALS; ++i) {
    if (!(q.w > COSINE_OF_EIGHTH_TURN)) return false; // NAN too
    nodes[i] = node_at(motion, i * interval, q);
    for (int k = 0; k < STEPS_PER_INTERVAL; ++k) q = runge_kutta_step(motion, i * interval + k * h, h, q);
  }
  return true;
}

// The angles of R = Rz Ry Rx.
static ts_vec3 euler_angles(ts_quat q)
{
  const ts_mat3 R = ts_quat_matrix(q);
  return (ts_vec3){atan2(R.y.z, R.z.z), asin(fmax(-1.0, fmin(1.0, -R.x.z))), atan2(R.x.y, R.x.x)};
}

// The largest value of a function that is known at even distances: of the parabola through three of them.
static double peak_of(const double *values, int count)
{
  int k = 0;
  for (int i = 1; i < count; ++i)
    if (values[i] > values[k]) k = i;
  if (k == 0 || k == count - 1) return values[k];
  const double slope = 0.5 * (values[k + 1] - values[k - 1]);
  const double curvature = 0.5 * (values[k + 1] - 2.0 * values[k] + values[k - 1]);
  return curvature < 0.0 ? values[k] - slope * slope / (4.0 * curvature) : values[k];
}

static double middle_of_range(double *values, int count)
{
  const double high = peak_of(values, count);
  for (int i = 0; i < count; ++i) values[i] = -values[i];
  return 0.5 * (high - peak_of(values, count));
}

static ts_quat symmetric_start(const ts_orbit_node *nodes)
{
  enum { COUNT = TS_ORBIT_INTERVALS + 1 };
  double x[COUNT], y[COUNT], z[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    const ts_vec3 angles = euler_angles(nodes[i].value);
    x[i] = angles.x;
    y[i] = angles.y;
    z[i] = angles.z;
  }
  const ts_quat about_x = ts_quat_exp((ts_vec3){-middle_of_range(x, COUNT), 0.0, 0.0});
  const ts_quat about_y = ts_quat_exp((ts_vec3){0.0, -middle_of_range(y, COUNT), 0.0});
  const ts_quat about_z = ts_quat_exp((ts_vec3){0.0, 0.0, -middle_of_range(z, COUNT)});
  return ts_quat_product(about_z, ts_quat_product(about_y, about_x));
}

bool ts_orbit_make(const ts_motion_def *motion, ts_arena *arena, ts_orbit *orbit)
{
  orbit->nodes = ts_arena_bytes(arena, TS_ORBIT_INTERVALS + 1, sizeof *orbit->nodes);
  if (!integrate(motion, orbit->nodes)) return false;
  orbit->drift = ts_quat_rotation_vector(orbit->nodes[TS_ORBIT_INTERVALS].value);
  orbit->start = symmetric_start(orbit->nodes);
  return true;
}

// Quintic Hermite interpolation over an interval of length h, at s in [0, 1].
static ts_quat interpolate(const ts_orbit_node *left, const ts_orbit_node *right, double h, double s)
{
  const double r = 1.0 - s, s3 = s * s * s, r3 = r * r * r;
  ts_quat q = {0};
  q = add_scaled(q, r3 * (1.0 + s * (3.0 + 6.0 * s)), left->value);
  q = add_scaled(q, h * r3 * s * (1.0 + 3.0 * s), left->first);
  q = add_scaled(q, 0.5 * h * h * r3 * s * s, left->second);
  q = add_scaled(q, s3 * (1.0 + r * (3.0 + 6.0 * r)), right->value);
  q = add_scaled(q, -h * s3 * r * (1.0 + 3.0 * r), right->first);
  q = add_scaled(q, 0.5 * h * h * s3 * r * r, right->second);
  return ts_quat_normalize(q);
}

ts_quat ts_orbit_orientation(const ts_orbit *orbit, double phase)
{
  const double periods = floor(phase / FULL_TURN), interval = FULL_TURN / TS_ORBIT_INTERVALS;
  const double place = (phase - periods * FULL_TURN) / interval;
  int i = (int)place;
  if (i > TS_ORBIT_INTERVALS - 1) i = TS_ORBIT_INTERVALS - 1;
  const ts_quat within = interpolate(&orbit->nodes[i], &orbit->nodes[i + 1], interval, place - i);
  return ts_quat_product(ts_quat_product(within, ts_quat_exp(ts_scale(periods, orbit->drift))), orbit->start);
}
