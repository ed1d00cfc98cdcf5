#include "step/event/advancement.h"

#include "contact/touching.h"
#include "shape/distance.h"
#include "shape/shape_type.h"

#include <string.h>

// No shorter step is proposed [s].
static const double SHORTEST = 1e-9;

void ts_advancement_init(ts_advancement *advancement, const ts_sim *sim, ts_arena *arena)
{
  const size_t bodies = (size_t)sim->model->body_count;
  *advancement =
      (ts_advancement){.frame = ts_arena_bytes(arena, bodies, sizeof *advancement->frame),
                       .start = ts_arena_bytes(arena, bodies, sizeof *advancement->start),
                       .last = ts_arena_bytes(arena, bodies, sizeof *advancement->last),
                       .low = ts_arena_bytes(arena, bodies, sizeof *advancement->low),
                       .high = ts_arena_bytes(arena, bodies, sizeof *advancement->high),
                       .boxes = ts_arena_bytes(arena, (size_t)sim->model->part_count, sizeof *advancement->boxes)};
}

void ts_advancement_start(ts_advancement *advancement, const ts_sim *sim, double time)
{
  const size_t bodies = (size_t)sim->model->body_count;
  advancement->start_time = advancement->last_time = time;
  memcpy(advancement->frame, sim->kinematics.frame, bodies * sizeof *advancement->frame);
  memcpy(advancement->start, sim->state.velocity, bodies * sizeof *advancement->start);
  memset(advancement->low, 0, bodies * sizeof *advancement->low);
  memset(advancement->high, 0, bodies * sizeof *advancement->high);
}

void ts_advancement_forget(ts_advancement *advancement)
{
  advancement->last_time = advancement->start_time;
}

// ---- accelerations -------------------------------------------------------------------------------------------------

static ts_vec3 least(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static ts_vec3 most(ts_vec3 a, ts_vec3 b)
{
  return (ts_vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

static void note_acceleration(ts_advancement *advancement, int body, ts_twist a, bool first)
{
  ts_twist *low = &advancement->low[body], *high = &advancement->high[body];
  *low = first ? a : (ts_twist){least(low->linear, a.linear), least(low->angular, a.angular)};
  *high = first ? a : (ts_twist){most(high->linear, a.linear), most(high->angular, a.angular)};
}

// Mean accelerations since the point before.
void ts_advancement_note(ts_advancement *advancement, const ts_sim *sim, double time)
{
  const bool first = advancement->last_time == advancement->start_time, anew = first || time <= advancement->last_time;
  const double since = anew ? advancement->start_time : advancement->last_time;
  const ts_twist *earlier = anew ? advancement->start : advancement->last;
  if (!(time > since)) return;
  for (int b = 0; b < sim->model->body_count; ++b) {
    if (sim->model->bodies[b].kind != TS_DYNAMIC) continue;
    const ts_twist change = ts_twist_add_scaled(sim->state.velocity[b], -1.0, earlier[b]);
    note_acceleration(advancement, b, ts_twist_add_scaled((ts_twist){0}, 1.0 / (time - since), change), first);
  }
  memcpy(advancement->last, sim->state.velocity, (size_t)sim->model->body_count * sizeof *advancement->last);
  advancement->last_time = time;
}

static double fastest_of(const ts_signal *signals, int count)
{
  double fastest = 0.0;
  for (int i = 0; i < count; ++i) {
    if (signals[i].kind == TS_SIGNAL_SINE) fastest = fmax(fastest, fabs(signals[i].frequency));
    if (signals[i].kind == TS_SIGNAL_PERIODIC) fastest = fmax(fastest, 2.0 * TS_PI / signals[i].period);
    if (signals[i].kind == TS_SIGNAL_PIECEWISE || signals[i].kind == TS_SIGNAL_SUM ||
        signals[i].kind == TS_SIGNAL_PERIODIC)
      fastest = fmax(fastest, fastest_of(signals[i].pieces, signals[i].count));
  }
  return fastest;
}

// [rad/s]
static double fastest_oscillation(const ts_motion_def *motion)
{
  if (motion->kind == TS_MOTION_ACCELERATION) return motion->frequency;
  if (motion->kind != TS_MOTION_POSE) return 0.0;
  return fmax(fastest_of(motion->displacement, 3), fastest_of(motion->rotation, 3));
}

// Given motions are no part of the equations that choose the steps: they are looked at as closely as they oscillate.
static void note_motions(ts_advancement *advancement, const ts_sim *sim, double h)
{
  enum { LEAST = 8, MOST = 1000 };
  const ts_model *model = sim->model;
  for (int b = 0; b < model->body_count; ++b)
    if (model->bodies[b].kind != TS_DYNAMIC) note_acceleration(advancement, b, (ts_twist){0}, true);
  for (int k = 0; k < model->motion_count; ++k) {
    const int body = model->motions[k].body;
    const int looks = (int)fmin(MOST, LEAST + 4.0 * h * fastest_oscillation(&model->motions[k]));
    for (int i = 0; i <= looks; ++i)
      note_acceleration(advancement, body, ts_motion_acceleration(model, body, advancement->start_time + h * i / looks),
                        i == 0);
  }
}

// A vector between bounds: in the middle, and how far off at most.
typedef struct vector_range {
  ts_vec3 middle, half;
} vector_range;

// Between the points that were noted a component may go beyond them, by half of what it goes between them.
static vector_range range_between(ts_vec3 low, ts_vec3 high)
{
  return (vector_range){ts_scale(0.5, ts_add(low, high)), ts_sub(high, low)};
}

static double largest(vector_range range)
{
  return ts_length(range.middle) + ts_length(range.half);
}

// ---- a pair --------------------------------------------------------------------------------------------------------

// A part as it is at one end of the step, time counted from there.
typedef struct side {
  const ts_convex *convex;
  ts_frame frame;
  ts_vec3 centre; // of mass of its body
  ts_twist velocity;
  vector_range acceleration, turning; // linear, angular
  double reach;                       // farthest point from the centre
} side;

static ts_frame part_frame(const ts_frame *body, const ts_part *part)
{
  return (ts_frame){ts_frame_apply(body, part->frame.origin), ts_mat3_product(&body->axes, &part->frame.axes)};
}

static bool is_round(const ts_part *part)
{
  return part->at_centre && ts_shape_type_of(part->convex.kind)->symmetry == TS_SPHERICAL;
}

static bool is_of_revolution(const ts_part *part)
{
  return part->at_centre && ts_shape_type_of(part->convex.kind)->symmetry == TS_OF_REVOLUTION;
}

// Nobody sees a part turn about its axis a: it is as if it did not. Then its angular velocity is w - (w.a) a, with the
// derivative alpha - (alpha.a) a - (w.a) w x a. Within h the axis tilts by h |w - (w.a) a| at most, to first order.
static void leave_out_spin(side *s, double h)
{
  const ts_vec3 a = s->frame.axes.z, w = s->velocity.angular, half = s->turning.half;
  const double spin = ts_dot(w, a), alpha = largest(s->turning);
  s->velocity.angular = ts_add_scaled(w, -spin, a);
  const double across = ts_length(s->velocity.angular) + h * alpha;
  const double precession = (fabs(spin) + h * alpha) * across, tilt = 2.0 * h * across * alpha;
  const double range = half.x * hypot(a.y, a.z) + half.y * hypot(a.z, a.x) + half.z * hypot(a.x, a.y);
  s->turning.middle = ts_add_scaled(s->turning.middle, -ts_dot(s->turning.middle, a), a);
  s->turning.half = (ts_vec3){range + precession + tilt, 0.0, 0.0};
}

// Of a step of length h. `backward`: time runs the other way.
static side side_of(const ts_advancement *advancement, const ts_sim *sim, int part_index, double h, bool backward)
{
  const ts_part *part = &sim->model->parts[part_index];
  const int b = part->body;
  const ts_frame *body = backward ? &sim->kinematics.frame[b] : &advancement->frame[b];
  const ts_twist v =
      backward ? ts_twist_add_scaled((ts_twist){0}, -1.0, sim->state.velocity[b]) : advancement->start[b];
  side s = {.convex = &part->convex,
            .frame = part_frame(body, part),
            .centre = body->origin,
            .velocity = v,
            .acceleration = range_between(advancement->low[b].linear, advancement->high[b].linear)};
  if (is_round(part)) {
    s.velocity.angular = (ts_vec3){0.0, 0.0, 0.0}; // nobody sees it turn
    return s;
  }
  s.turning = range_between(advancement->low[b].angular, advancement->high[b].angular);
  s.reach = sim->finder.swings[part_index];
  if (is_of_revolution(part)) leave_out_spin(&s, h);
  return s;
}

static bool turns(const side *s)
{
  return ts_length(s->velocity.angular) > 0.0 || largest(s->turning) > 0.0;
}

// Two parts at one end of the step, in the order of contacts: what moves is first, so that normals are the same. Planes
// do not move. Parts that touch beside a pair that is active may overlap as much as parts that are flush.
typedef struct encounter {
  side a, b;
  ts_separation apart;
  double slack; // gap that counts as none
} encounter;

static encounter meet(const ts_advancement *advancement, const ts_sim *sim, ts_box_pair pair, double h, bool beside,
                      bool backward)
{
  const bool exchange = !sim->finder.moves[pair.first];
  encounter e = {.a = side_of(advancement, sim, exchange ? pair.second : pair.first, h, backward),
                 .b = side_of(advancement, sim, exchange ? pair.first : pair.second, h, backward)};
  ts_convex_distance(e.a.convex, &e.a.frame, e.b.convex, &e.b.frame, &e.apart);
  e.slack = ts_touching_gap(ts_sub(e.apart.point_1, e.a.centre), e.apart.point_1);
  if (beside && e.apart.gap <= e.slack) e.slack = fmax(e.slack, TS_FLUSH * ts_pair_size(e.a.convex, e.b.convex));
  return e;
}

// The same with the sides exchanged.
static encounter seen_from_the_other(const encounter *e)
{
  const ts_separation s = e->apart;
  return (encounter){e->b, e->a, {s.gap, ts_negate(s.normal), s.point_2, s.point_1}, e->slack};
}

static bool is_plane(const side *s)
{
  return s->convex->kind == TS_SHAPE_PLANE;
}

// How far the part reaches along `direction` from the centre of mass of its body.
static double support(const side *s, ts_vec3 direction)
{
  const ts_vec3 own = ts_mul_transposed(&s->frame.axes, direction);
  return ts_dot(direction, ts_sub(s->frame.origin, s->centre)) + ts_dot(own, ts_convex_support(s->convex, own));
}

// Bounds within t: of |w|, |n x w| and |n x alpha|.
typedef struct turning {
  double w, across, bend;
} turning;

static turning turning_of(const side *s, ts_vec3 n, double t)
{
  const ts_vec3 w = s->velocity.angular;
  const double more = t * largest(s->turning);
  return (turning){.w = ts_length(w) + more,
                   .across = ts_length(ts_cross(n, w)) + more,
                   .bend = ts_length(ts_cross(n, s->turning.middle)) + ts_length(s->turning.half)};
}

// Least n.(a - a of the other) of the centres of mass.
static double least_acceleration(const encounter *e)
{
  const ts_vec3 n = e->apart.normal, size = {fabs(n.x), fabs(n.y), fabs(n.z)};
  return ts_dot(n, ts_sub(e->a.acceleration.middle, e->b.acceleration.middle)) -
         ts_dot(size, ts_add(e->a.acceleration.half, e->b.acceleration.half));
}

// Whether d + slope s + K s^2/2 stays above zero for s in [0, t].
static bool stays_positive(const encounter *e, double slope, double K, double t)
{
  const double d = e->apart.gap, turn = K > 0.0 ? -slope / K : t, s = turn > 0.0 && turn < t ? turn : t;
  return fmin(d, d + s * (slope + 0.5 * K * s)) >= -e->slack;
}

// Between two planes that keep their direction. Everything going straight on, the gap along n is the least of linear
// functions of t, one for each pair of points: it is concave, and above its chord. A point r from the centre of its
// body has n.r'' = n.(alpha x r + w x (w x r)) <= |r| (|n x alpha| + |n x w| |w|).
static bool parts_straight(const encounter *e, double t)
{
  const ts_vec3 n = e->apart.normal;
  const ts_vec3 n_a = ts_add_scaled(n, t, ts_cross(n, e->a.velocity.angular));
  const ts_vec3 n_b = ts_add_scaled(n, t, ts_cross(n, e->b.velocity.angular));
  const double after = ts_dot(n, ts_sub(e->a.centre, e->b.centre)) +
                       t * ts_dot(n, ts_sub(e->a.velocity.linear, e->b.velocity.linear)) -
                       support(&e->a, ts_negate(n_a)) - support(&e->b, n_b);
  const turning a = turning_of(&e->a, n, t), b = turning_of(&e->b, n, t);
  const double swing = e->a.reach * (a.bend + a.across * a.w) + e->b.reach * (b.bend + b.across * b.w);
  return stays_positive(e, (after - e->apart.gap) / t, least_acceleration(e) - swing, t);
}

// Between two planes that turn with b: those of a face that turns. In the frame of b a point of a, p from the centre of
// b and at the speed u, has
//   u' = a_a - a_b + alpha_a x r + w_a x (w_a x r) - alpha_b x p - w_b x (w_b x p) - 2 w_b x u.
static bool parts_turning(const encounter *e, double t)
{
  const ts_vec3 n = e->apart.normal, between = ts_sub(e->a.centre, e->b.centre);
  const ts_twist *v_a = &e->a.velocity, *v_b = &e->b.velocity;
  const ts_vec3 w = ts_sub(v_a->angular, v_b->angular), v = ts_sub(v_a->linear, ts_twist_at(*v_b, between));
  const turning a = turning_of(&e->a, n, t), b = turning_of(&e->b, n, t);
  const double push = largest(e->a.acceleration) + largest(e->b.acceleration);
  const double spin = largest(e->b.turning) + b.w * b.w, whirl = largest(e->a.turning) + a.w * a.w;
  const double arm = ts_length(between) + e->a.reach, share = 1.0 - t * (t * spin + 2.0 * b.w);
  if (share < 0.5) return false;
  const double speed =
      (ts_length(v) + ts_length(w) * e->a.reach + t * (push + e->a.reach * whirl + spin * arm)) / share;
  const double far = arm + t * speed, tilt = t * b.w; // of n against its direction at first
  const double K = least_acceleration(e) - tilt * push - e->a.reach * (a.bend + a.across * a.w + tilt * whirl) -
                   far * (b.bend + b.across * b.w) - 2.0 * b.across * speed;
  const double reach_b = is_plane(&e->b) ? ts_dot(n, ts_sub(e->apart.point_2, e->b.centre)) : support(&e->b, n);
  const double after = ts_dot(n, ts_add_scaled(between, t, v)) -
                       support(&e->a, ts_negate(ts_add_scaled(n, t, ts_cross(n, w)))) - reach_b;
  return stays_positive(e, (after - e->apart.gap) / t, K, t);
}

// Whether the gap stays open until t.
static bool stays_open(const encounter *e, double t)
{
  if (is_plane(&e->b)) return parts_turning(e, t);
  if (parts_straight(e, t) || (turns(&e->b) && parts_turning(e, t))) return true;
  if (!turns(&e->a)) return false;
  const encounter other = seen_from_the_other(e);
  return parts_turning(&other, t);
}

// How long the gap stays open for sure, at most h.
static double open_time(const encounter *e, double h)
{
  enum { HALVINGS = 40, REFINEMENTS = 3 };
  double t = h;
  for (int k = 0; k < HALVINGS; ++k, t *= 0.5)
    if (stays_open(e, t)) break;
  if (t == h) return h;
  double high = 2.0 * t;
  for (int k = 0; k < REFINEMENTS; ++k) {
    const double middle = 0.5 * (t + high);
    if (stays_open(e, middle))
      t = middle;
    else
      high = middle;
  }
  return t;
}

// As ts_advancement_clear(), of one pair. `beside`: it is beside one that is active.
static double clear_pair(const ts_advancement *advancement, const ts_sim *sim, ts_box_pair pair, bool beside, double h)
{
  const encounter start = meet(advancement, sim, pair, h, beside, false);
  if (start.apart.gap < -start.slack) return h;
  const double after = open_time(&start, h);
  if (after == h) return h;
  const encounter end = meet(advancement, sim, pair, h, beside, true);
  if (end.apart.gap >= -end.slack && after + open_time(&end, h) >= h) return h;
  return fmin(0.5 * h, fmax(SHORTEST, 2.0 * after));
}

// ---- all pairs -----------------------------------------------------------------------------------------------------

static ts_bounds grown(ts_bounds box, double by)
{
  const ts_vec3 all = {by, by, by};
  return (ts_bounds){ts_sub(box.low, all), ts_add(box.high, all)};
}

// A point is off the chord of its way by its largest acceleration times h^2/8 at most.
static ts_bounds swept_box(const ts_advancement *advancement, const ts_sim *sim, int part, double h)
{
  const side start = side_of(advancement, sim, part, h, false), end = side_of(advancement, sim, part, h, true);
  const ts_bounds box = ts_convex_bounds(start.convex, &start.frame), last = ts_convex_bounds(end.convex, &end.frame);
  double off = largest(start.acceleration) * h * h / 8.0;
  if (turns(&start)) {
    const double alpha = largest(start.turning), w = ts_length(start.velocity.angular) + h * alpha;
    off += start.reach * fmin(2.0, (alpha + w * w) * h * h / 8.0);
  }
  return grown((ts_bounds){least(box.low, last.low), most(box.high, last.high)}, off);
}

static bool is_active(const ts_active_set *active, ts_box_pair pair)
{
  const uint64_t key = ts_part_pair_key((ts_part_pair){pair.first, pair.second});
  for (int k = 0; k < active->contact_count; ++k)
    if (active->contacts[k].pair == key) return true;
  return false;
}

// Whether one of the parts has an active contact with a companion of the other. What slides over the edge between the
// two touches both all the time, and the one that is active keeps it apart from the other.
static bool is_beside_active(const ts_sim *sim, const ts_active_set *active, ts_box_pair pair)
{
  const ts_companions *companions = &sim->finder.companions;
  if (companions->count == 0) return false;
  for (int k = 0; k < active->contact_count; ++k) {
    const int low = (int)(active->contacts[k].pair >> 32), high = (int)(active->contacts[k].pair & UINT32_MAX);
    if ((low == pair.first && ts_companions_are(companions, high, pair.second)) ||
        (high == pair.first && ts_companions_are(companions, low, pair.second)) ||
        (low == pair.second && ts_companions_are(companions, high, pair.first)) ||
        (high == pair.second && ts_companions_are(companions, low, pair.first)))
      return true;
  }
  return false;
}

// How deep the active contacts of a pair overlapped when they were added: they stay so [m].
static double active_overlap(const ts_active_set *active, ts_box_pair pair)
{
  const uint64_t key = ts_part_pair_key((ts_part_pair){pair.first, pair.second});
  double overlap = 0.0;
  for (int k = 0; k < active->contact_count; ++k)
    if (active->contacts[k].pair == key) overlap = fmax(overlap, -active->contacts[k].gap);
  return overlap;
}

// Of a pair that is active at the start. Its contacts may have let go on the way, and the rest of that way was not
// examined: then the pair overlaps more at the end, or one part has come to the other side. Steps within TS_LETTING_GO
// end such motion, and the motion that follows is examined.
static double clear_active_pair(const ts_advancement *advancement, const ts_sim *sim, const ts_active_set *active,
                                ts_box_pair pair, double h)
{
  if (h <= TS_LETTING_GO) return h;
  const encounter end = meet(advancement, sim, pair, h, true, true);
  const double flush = fmax(end.slack, TS_FLUSH * ts_pair_size(end.a.convex, end.b.convex));
  if (end.apart.gap <= flush && end.apart.gap >= -flush - active_overlap(active, pair)) return h;
  if (end.apart.gap > 0.0) {
    const encounter start = meet(advancement, sim, pair, h, true, false);
    if (ts_dot(start.apart.normal, end.apart.normal) >= 0.0) return h;
  }
  return fmax(TS_LETTING_GO, 0.25 * h);
}

double ts_advancement_clear(ts_advancement *advancement, ts_sim *sim, const ts_active_set *active, double h,
                            ts_arena *arena)
{
  const double time = advancement->start_time + h;
  const ts_box_pair *pairs;
  int pair_count;
  ts_advancement_note(advancement, sim, time);
  note_motions(advancement, sim, h);
  for (int i = 0; i < sim->model->part_count; ++i) advancement->boxes[i] = swept_box(advancement, sim, i, h);
  if (!ts_broad_phase_find(sim->own, advancement->boxes, sim->finder.moves, sim->model->part_count, &pairs,
                           &pair_count))
    longjmp(*arena->recovery, 1);
  double clear = h;
  for (int k = 0; k < pair_count; ++k)
    if (ts_model_law(sim->model, pairs[k].first, pairs[k].second)) {
      const double own = is_active(active, pairs[k])
                             ? clear_active_pair(advancement, sim, active, pairs[k], h)
                             : clear_pair(advancement, sim, pairs[k], is_beside_active(sim, active, pairs[k]), h);
      clear = fmin(clear, own);
    }
  return clear;
}
