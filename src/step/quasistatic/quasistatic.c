// Quasi-static steps (thesis 3.4: Model-DQC and, with polyhedral cones, Model-DLC): inertia has no part in them, forces
// balance at the end of the step,
//   0 = f + J^T lambda + G mu,   G^T v + Phi/h = 0,   0 <= lambda_n _|_ J_n v + psi(q, t+h)/h >= 0,   friction,
//   q+ = q + h G(q) v.
// Masses are a metric alone, of motions that nothing resists. Proximal points do without a drag that has to be chosen:
//   M (v_k+1 - v_k) = T (f + J^T lambda + G mu),   v_0 = 0,
// is a step of the masses in which forces act for a time T that is long against what inertia takes; its fixed point
// balances exactly, and the first one is the least motion up to what T leaves.
#include "step/quasistatic/unique_motion.h"
#include "step/quasistatic/wedge.h"

#include "step/corners.h"
#include "step/look_again.h"
#include "step/options.h"
#include "step/repair.h"
#include "step/solve.h"

#include "base/status.h"

#include <string.h>

static const double INERTIA = 1e-3;   // share of the forces that inertia takes of the first point
static const double BALANCED = 1e-11; // imbalance, relative to the largest force, to be content with
static const double GOOD = 1e-8;      // that is as good as that, where round-off leaves no better
static const double LOST = 1e-5;      // that is none any more
static const double FINEST = 1e-15;   // tolerance of a solve
enum { MOST_POINTS = 60, LEAST_TIME = 100 };

// ---- what is refused -----------------------------------------------------------------------------------------------

static ts_status check(const ts_step_options *options, ts_error *error)
{
  if (options->impacts != TS_IMPACT_DEFAULT && options->impacts != TS_IMPACT_INELASTIC)
    return ts_fail(error, TS_UNSUPPORTED, "quasistatic has no impacts: leave out `impacts`");
  if (options->stabilization != TS_STABILIZATION_DEFAULT && options->stabilization != TS_STABILIZATION_FULL)
    return ts_fail(error, TS_UNSUPPORTED, "quasistatic closes gaps within the step: leave out `stabilization`");
  if (options->coordinates == TS_COORDINATES_MINIMAL)
    return ts_fail(error, TS_UNSUPPORTED,
                   "quasistatic has no inertia for coordinates of joints to share: coordinates must be redundant");
  return TS_OK;
}

static bool is_joined(const ts_model *model, int body)
{
  for (int j = 0; j < model->joint_count; ++j)
    if (model->joints[j].parent == body || model->joints[j].child == body) return true;
  for (int s = 0; s < model->spring_count; ++s)
    if (model->springs[s].body[0] == body || model->springs[s].body[1] == body) return true;
  for (int s = 0; s < model->bushing_count; ++s)
    if (model->bushings[s].body[0] == body || model->bushings[s].body[1] == body) return true;
  for (int s = 0; s < model->support_count; ++s)
    if (model->supports[s].body == body) return true;
  return false;
}

static bool can_be_touched(const ts_model *model, int body)
{
  for (int p = 0; p < model->part_count; ++p) {
    if (model->parts[p].body != body) continue;
    for (int q = 0; q < model->part_count; ++q)
      if (model->parts[q].body != body && ts_model_law(model, p, q)) return true;
  }
  return false;
}

static bool is_pulled(const ts_model *model, int body)
{
  if (ts_length(model->bodies[body].gravity) > 0.0) return true;
  for (int f = 0; f < model->force_count; ++f)
    if (model->forces[f].body == body) return true;
  return false;
}

static ts_status check_model(const ts_model *model, const ts_step_options *options, ts_error *error)
{
  if (options->impacts == TS_IMPACT_DEFAULT && ts_model_rebounds(model))
    return ts_fail(error, TS_UNSUPPORTED,
                   "quasistatic lets nothing rebound: take out the restitution, or say impacts: inelastic");
  if (model->impulses)
    return ts_fail(error, TS_UNSUPPORTED, "quasistatic has no inertia that the impulse of a force could change");
  for (int b = 0; b < model->body_count; ++b)
    if (model->bodies[b].kind == TS_DYNAMIC && is_pulled(model, b) && !is_joined(model, b) && !can_be_touched(model, b))
      return ts_fail(error, TS_INVALID, "body '%s': no equilibrium, forces pull it and nothing can hold it",
                     model->bodies[b].name);
  return TS_OK;
}

// ---- scales --------------------------------------------------------------------------------------------------------

// Of a step.
typedef struct scales {
  double speed; // of what drives bodies, and of bodies in the step before [m/s]
  double pull;  // largest acceleration that forces would cause, friction of supports included [m/s^2]
  double time;  // T [s]
} scales;

// How far a part reaches from the centre of its body, as far as others may meet it: a plane has no end.
static double reach_of(const ts_sim *sim, int part)
{
  const double swing = sim->finder.swings[part];
  if (isfinite(swing)) return swing;
  const ts_vec3 centre = sim->kinematics.frame[sim->model->parts[part].body].origin;
  double farthest = 0.0;
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC)
      farthest = fmax(farthest, ts_distance_of(sim->kinematics.frame[b].origin, centre));
  return farthest;
}

static double speed_of(const ts_sim *sim)
{
  double speed = 0.0;
  for (int b = 0; b < sim->model->body_count; ++b) // springs and joints may hang on what has no shape
    if (sim->model->bodies[b].kind == TS_KINEMATIC) speed = fmax(speed, ts_length(sim->state.velocity[b].linear));
  for (int i = 0; i < sim->model->part_count; ++i) {
    const int body = sim->model->parts[i].body;
    const ts_twist *v = &sim->old_velocity[body];
    const ts_twist *now = sim->model->bodies[body].kind == TS_KINEMATIC ? &sim->state.velocity[body] : v;
    speed = fmax(speed, ts_length(now->linear) + ts_length(now->angular) * reach_of(sim, i));
  }
  for (int s = 0; s < sim->model->support_count; ++s) {
    const ts_support *support = &sim->model->supports[s];
    if (support->on == TS_WORLD) continue;
    const ts_vec3 from = sim->kinematics.frame[support->on].origin, to = sim->kinematics.frame[support->body].origin;
    speed = fmax(speed, ts_length(ts_twist_at(sim->state.velocity[support->on], ts_sub(to, from))));
  }
  return speed;
}

// What forces make of bodies at rest in a second, into `fall`.
static void fall_for_a_second(const ts_sim *sim, ts_twist *fall)
{
  const ts_turning none = {.rule = TS_GYROSCOPIC_EXPLICIT, .weight = 1.0};
  ts_free_velocity(sim->model, &sim->state, &sim->kinematics, 1.0, none, sim->pushed ? sim->pushes : NULL, fall);
}

static double speed_of_twist(const ts_sim *sim, int body, ts_twist v)
{
  const ts_mat3 *axes = &sim->kinematics.frame[body].axes;
  const ts_vec3 w = ts_mul_transposed(axes, v.angular);
  const double moment = ts_dot(w, ts_mul(&sim->model->bodies[body].inertia, w)) / sim->model->bodies[body].mass;
  return sqrt(ts_dot(v.linear, v.linear) + fmax(0.0, moment));
}

static scales scales_of(const ts_sim *sim, double h, const ts_twist *fall)
{
  const ts_model *model = sim->model;
  scales s = {.speed = speed_of(sim)};
  for (int b = 0; b < model->body_count; ++b)
    if (model->bodies[b].kind == TS_DYNAMIC && model->bodies[b].mass > 0.0)
      s.pull = fmax(s.pull, speed_of_twist(sim, b, fall[b]));
  for (int i = 0; i < model->support_count; ++i) {
    double load = 0.0;
    for (int k = 0; k < model->supports[i].count; ++k) load += sim->support_loads[model->supports[i].first + k];
    s.pull = fmax(s.pull, model->supports[i].law.friction * load / model->bodies[model->supports[i].body].mass);
  }
  s.speed = fmax(s.speed, INERTIA * s.pull * h); // where nothing drives, what slips are held against
  s.time = fmax(LEAST_TIME * h, s.pull > 0.0 ? s.speed / (INERTIA * s.pull) : 0.0);
  return s;
}

// ---- proximal points -----------------------------------------------------------------------------------------------

typedef struct search {
  ts_step *step;
  scales scale;
  const ts_twist *fall; // forces times T on the masses (body_count)
  ts_twist *point;      // v_k (body_count)
  double *force;        // on each body, the largest, times T (body_count)
  double *r;            // impulses that act for T (dimension*blocks)
  double imbalance;     // of the last point, relative to the largest force on the body
  int worst;            // body that it is the largest of, or -1
} search;

// The largest force on every body, times T: of those that are given, of contacts and of supports; and what it would
// take to reach the speed of the drives, where there are none.
static void measure_forces(search *s)
{
  const ts_sim *sim = s->step->sim;
  const ts_system *system = &s->step->system;
  for (int b = 0; b < sim->model->body_count; ++b) {
    const ts_body *body = &sim->model->bodies[b];
    const bool moves = body->kind == TS_DYNAMIC && body->mass > 0.0;
    s->force[b] = moves ? body->mass * fmax(s->scale.speed, speed_of_twist(sim, b, s->fall[b])) : 0.0;
  }
  for (int i = 0; i < system->count; ++i) {
    double size = 0.0;
    for (int r = 0; r < system->dimension; ++r)
      if (system->blocks[i].active >> r & 1u) size = fmax(size, fabs(s->r[i * system->dimension + r]));
    for (int side = 0; side < 2; ++side) {
      const int body = system->blocks[i].body[side];
      if (body >= 0) s->force[body] = fmax(s->force[body], size);
    }
  }
}

// By how much forces miss their balance, M (v_k+1 - v_k) / T, relative to the largest force on the same body. Bodies
// that joints push share the largest of all.
static void measure_imbalance(search *s, const ts_twist *next)
{
  const ts_sim *sim = s->step->sim;
  double largest = 0.0;
  measure_forces(s);
  for (int b = 0; b < sim->model->body_count; ++b) largest = fmax(largest, s->force[b]);
  s->imbalance = 0.0;
  s->worst = -1;
  for (int b = 0; b < sim->model->body_count; ++b) {
    const ts_body *body = &sim->model->bodies[b];
    if (body->kind != TS_DYNAMIC || !(body->mass > 0.0)) continue;
    const double missed = body->mass * speed_of_twist(sim, b, ts_twist_add_scaled(next[b], -1.0, s->point[b]));
    const double scale = s->step->mobility.count > 0 ? largest : s->force[b];
    const double relative = missed > 0.0 && scale > 0.0 ? missed / scale : 0.0;
    if (relative <= s->imbalance) continue;
    s->imbalance = relative;
    s->worst = b;
  }
}

// From v_k to v_k+1, into sim->state.velocity.
static void find_point(search *s, bool warm)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  const ts_arena_mark mark = ts_arena_save(step->arena);
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC)
      sim->state.velocity[b] = ts_twist_add_scaled(s->point[b], 1.0, s->fall[b]);
  if (step->mobility.count > 0)
    memset(step->mobility.impulse, 0, (size_t)step->mobility.count * sizeof *step->mobility.impulse);
  ts_mobility_project(&step->mobility, sim->state.velocity, step->mobility.impulse);
  if (rows > 0) {
    ts_system_velocity(&step->system, sim->state.velocity, step->system.q);
    for (size_t k = 0; k < rows; ++k) step->system.q[k] += step->bias[k];
    ts_step_solve(step, &step->system, warm, s->r);
    ts_system_apply(&step->system, s->r, sim->state.velocity, step->mobility.impulse, step->arena);
  }
  ts_arena_restore(step->arena, mark);
}

static void take_point(search *s)
{
  const ts_sim *sim = s->step->sim;
  memcpy(s->point, sim->state.velocity, (size_t)sim->model->body_count * sizeof *s->point);
}

// Points until forces balance. What nothing holds gets faster and faster, by the same in every point; and so it seems
// where a solve takes the impulses of the last point for good enough: it is asked for more then.
static void search_balance(search *s)
{
  enum { AS_BEFORE = 4 }; // points in a row that are no better
  ts_sim *sim = s->step->sim;
  const ts_step_report before = sim->report;
  bool warm = sim->options.warm_start &&
              ts_recall(&sim->remembered, &s->step->system, &s->step->contacts, s->step->bounded, s->scale.time, s->r);
  double last = INFINITY;
  for (int k = 0, no_better = 0; k < MOST_POINTS && no_better < AS_BEFORE; ++k) {
    if (k > 0) ts_forget_attempt(sim, &before);
    find_point(s, warm);
    measure_imbalance(s, sim->state.velocity);
    take_point(s);
    if (s->imbalance <= BALANCED || !sim->report.certified) return;
    const bool stays = s->imbalance > 0.9 * last, can_be_finer = sim->solve_options.tolerance > FINEST;
    no_better = stays && !can_be_finer ? no_better + 1 : 0;
    if (s->imbalance > 0.1 * last) sim->solve_options.tolerance = fmax(FINEST, 1e-2 * sim->solve_options.tolerance);
    last = s->imbalance;
    warm = true;
  }
}

static void report_balance(search *s)
{
  ts_step_report *report = &s->step->sim->report;
  report->residual = fmax(report->residual, s->imbalance);
  if (s->imbalance <= GOOD || !report->certified) return;
  report->certified = false;
  if (s->imbalance <= LOST) return;
  report->no_equilibrium = true;
  report->unheld_body = s->worst;
}

// Without a balance of forces no motion follows from them: all bodies stay where they are, and nothing pushes.
static void stay(search *s)
{
  ts_sim *sim = s->step->sim;
  const size_t rows = (size_t)s->step->system.count * (size_t)s->step->system.dimension;
  sim->report.stayed = true;
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = (ts_twist){0};
  if (rows > 0) memset(s->r, 0, rows * sizeof *s->r);
  for (int k = 0; k < s->step->mobility.count; ++k) s->step->mobility.impulse[k] = 0.0;
}

// ---- the step ------------------------------------------------------------------------------------------------------

// Solvers that are stuck are given all their iterations only where nothing wedges: there is no more to be had then.
static void search_with_patience(search *s)
{
  enum { A_WHILE = 200 };
  ts_sim *sim = s->step->sim;
  const ts_step_report before = sim->report;
  const size_t bodies = (size_t)sim->model->body_count;
  const int iterations = sim->solve_options.max_iterations;
  const double tolerance = sim->solve_options.tolerance;
  memset(s->point, 0, bodies * sizeof *s->point);
  if (iterations == 0 || iterations > A_WHILE) sim->solve_options.max_iterations = A_WHILE;
  search_balance(s);
  sim->solve_options.max_iterations = iterations;
  sim->solve_options.tolerance = tolerance;
  if (sim->report.certified || sim->report.jammed) return;
  sim->report.wedged = sim->report.jammed = ts_step_find_wedge(s->step);
  if (sim->report.wedged) return;
  ts_forget_attempt(sim, &before);
  memset(s->point, 0, bodies * sizeof *s->point);
  search_balance(s);
}

static void set_bias(ts_step *step)
{
  const size_t d = (size_t)step->system.dimension;
  ts_step_bounded_bias(step, true);
  for (int i = 0; i < step->contacts.count; ++i) {
    const size_t normal = (size_t)i * d;
    step->bias[normal] = step->contacts.contacts[i].gap / step->h;
    for (size_t r = 1; r < d; ++r) step->bias[normal + r] = step->surface[normal + r];
  }
}

static void solve_contacts(search *s)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  const double tolerance = sim->solve_options.tolerance;
  ts_step_assemble(step);
  set_bias(step);
  s->r = step->r;
  sim->solve_options.tolerance = fmax(FINEST, INERTIA * tolerance); // velocities are small against T times forces
  search_with_patience(s);
  sim->solve_options.tolerance = tolerance;
  report_balance(s);
}

// Until the directions that were chosen at corners hold.
static void solve_with_corners(search *s, const ts_step_report *before)
{
  const ts_arena_mark mark = ts_arena_save(s->step->arena);
  solve_contacts(s);
  while (!s->step->sim->report.no_equilibrium && ts_corners_turn(s->step)) {
    ts_arena_restore(s->step->arena, mark);
    ts_forget_attempt(s->step->sim, before);
    solve_contacts(s);
  }
}

// Contacts that the motion shows, which join the problem: what it runs into, and where nearly flat surfaces roll on.
static bool finds_more(ts_step *step, int look)
{
  ts_corners_show_all(step);
  if (!ts_step_look_again(step, look) && (!step->sim->report.certified || !ts_step_rolls_on(step, look))) {
    ts_corners_show_chosen(step);
    return false;
  }
  ts_corners_begin(step);
  return true;
}

static void look_and_solve(search *s)
{
  ts_sim *sim = s->step->sim;
  const ts_step_report before = sim->report;
  for (int look = 0;; ++look) {
    solve_with_corners(s, &before);
    if (sim->report.no_equilibrium || !sim->report.certified || !finds_more(s->step, look)) return;
    ts_forget_attempt(sim, &before);
  }
}

// What earlier parts of a step have come to does not count for this one.
static void solve_all(search *s)
{
  ts_step_report *report = &s->step->sim->report;
  const ts_step_report earlier = *report;
  report->certified = true;
  report->jammed = report->wedged = report->no_equilibrium = false;
  look_and_solve(s);
  if (!report->certified) stay(s);
  report->certified = report->certified && earlier.certified;
  report->jammed = report->jammed || earlier.jammed;
  report->wedged = report->wedged || earlier.wedged;
  if (!earlier.no_equilibrium) return;
  report->no_equilibrium = true;
  report->unheld_body = earlier.unheld_body;
}

// Impulses of the step, of a length h.
static void shorten_impulses(search *s)
{
  ts_step *step = s->step;
  const double share = step->h / s->scale.time;
  const int rows = step->system.count * step->system.dimension;
  for (int k = 0; k < rows; ++k) {
    step->r[k] *= share;
    step->system.q[k] = s->scale.speed; // what slips are held against
  }
  for (int k = 0; k < step->mobility.count; ++k) {
    step->mobility.impulse[k] *= share;
    step->mobility.rows[k].softness /= share;
  }
}

static void finish(search *s)
{
  ts_step *step = s->step;
  ts_sim *sim = step->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  ts_twist *reached = ts_arena_bytes(step->arena, bodies, sizeof *reached);
  memcpy(reached, sim->state.velocity, bodies * sizeof *reached);
  step->from = reached; // impulses work on the way that bodies make
  if (sim->report.certified && !ts_step_motion_is_unique(step, 1e-7 * s->scale.speed, s->force))
    sim->report.unique = false;
  shorten_impulses(s);
  ts_step_finish(step);
  ts_step_advance(step);
}

static bool has_soft_rows(const ts_step *step)
{
  for (int k = 0; k < step->mobility.count; ++k)
    if (step->mobility.rows[k].softness > 0.0) return true;
  for (int k = 0; k < step->bounded_count; ++k)
    if (step->bounded[k].softness > 0.0) return true;
  return false;
}

// Forces for T: what a second of them does, that much longer.
static void let_forces_act(search *s, double factor, ts_twist *fall)
{
  const ts_twist none = {0};
  for (int b = 0; b < s->step->sim->model->body_count; ++b) fall[b] = ts_twist_add_scaled(none, factor, fall[b]);
  s->fall = fall;
  s->step->force_time = s->scale.time;
}

// A spring that yields by next to nothing in a step balances inertia with h K instead of friction: points then come
// nearer by no more than h K T / m of the way. Where they do not settle, and something is soft, T is longer. False:
// joints have no factor.
static bool balance(search *s, ts_twist *fall)
{
  enum { MOST_TIMES = 3 };
  static const double LONGER = 1e2;
  ts_sim *sim = s->step->sim;
  const ts_step_report before = sim->report;
  let_forces_act(s, s->scale.time, fall);
  for (int k = 0;; ++k) {
    if (!ts_step_joints(s->step)) return false;
    solve_all(s);
    const bool settled = s->imbalance <= GOOD || sim->report.jammed;
    if (settled || k == MOST_TIMES || !has_soft_rows(s->step)) return true;
    ts_forget_attempt(sim, &before);
    ts_corners_show_all(s->step);
    ts_corners_begin(s->step);
    s->scale.time *= LONGER;
    let_forces_act(s, LONGER, fall);
  }
}

static bool take_step(ts_sim *sim, double h, ts_arena *arena)
{
  const size_t bodies = (size_t)sim->model->body_count;
  ts_step step = {.sim = sim, .h = h, .theta = 1.0, .arena = arena, .from = sim->old_velocity, .gaps_at_end = true};
  search s = {
      .step = &step, .point = ts_arena_bytes(arena, bodies, sizeof *s.point), .force = ts_arena_doubles(arena, bodies)};
  ts_twist *fall = ts_arena_bytes(arena, bodies, sizeof *fall);
  ts_place_kinematic_bodies(sim, sim->state.time + h);
  memcpy(sim->free_velocity, sim->old_velocity, bodies * sizeof *sim->free_velocity);
  ts_step_find_contacts(&step, sim->state.velocity);
  ts_corners_begin(&step);
  for (size_t b = 0; b < bodies; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = (ts_twist){0};
  fall_for_a_second(sim, fall);
  s.scale = scales_of(sim, h, fall);
  if (!balance(&s, fall)) return false;
  finish(&s);
  return true;
}

const ts_stepper ts_stepper_quasistatic = {
    .name = "quasistatic",
    .summary = "forces balance at the end of the step, without inertia (Model-DQC and Model-DLC, thesis 3.4)",
    .stabilization = TS_STABILIZATION_FULL,
    .rebounds = TS_IMPACT_INELASTIC,
    .without_inertia = true,
    .takes_corners = true,
    .takes_secants = true,
    .check = check,
    .check_model = check_model,
    .step = take_step,
};
