
#include "step/closing.h"

#include "step/collide.h"
#include "step/look_again.h"
#include "step/repair.h"
#include "step/round_off.h"
#include "step/solve.h"

#include <string.h>

// Gaps that are closed at a slower speed are closed [m/s, rad/s].
static const double CLOSED = 1e-6;

// An impulse cannot make a contact faster than all the energy there is in one motion, times this.
static const double OUT_OF_REACH = 4.0;

static size_t normal_of(const ts_step *step, int i)
{
  return (size_t)i * (size_t)step->system.dimension;
}

static bool is_held(const ts_step *step, int i)
{
  return ts_block_is_held(&step->system.blocks[i]);
}

// How fast the gap would be gone, moving surfaces not counted.
static double open_speed(const ts_impacts *impacts, const ts_step *step, int i)
{
  return impacts->gap_speed[i] - step->surface[normal_of(step, i)];
}

// Poisson's law gives back what the approach has stored, not what the forces of the step add to it: what rests stays at
// rest, and a ball with e = 1 neither gains nor loses (docs/theory/stepping.md).
static void take_block(ts_impacts *impacts, const ts_step *step, int i, double approach, double free)
{
  const double surface = step->surface[normal_of(step, i)];
  const bool poisson = step->sim->options.impacts == TS_IMPACT_POISSON;
  impacts->gap_speed[i] = ts_step_gap_speed(step, i);
  impacts->forced[i] = free + surface - approach;
  const bool closes = free + impacts->gap_speed[i] < 0.0 && -approach > fabs(impacts->forced[i]);
  impacts->role[i] = closes ? TS_CLOSES : TS_KEEPS_GAP;
  impacts->approach[i] = closes || !poisson ? approach : 0.0;
  impacts->share[i] = closes ? fmin(1.0, approach / (free + surface)) : 0.0;
  impacts->asked[i] = closes ? fmin(surface, impacts->gap_speed[i]) : impacts->gap_speed[i];
  impacts->count += closes;
}

bool ts_impacts_find(ts_impacts *impacts, ts_step *step, const double *approach)
{
  const size_t blocks = (size_t)step->system.count;
  *impacts = (ts_impacts){.role = ts_arena_bytes(step->arena, blocks, sizeof *impacts->role)};
  double *numbers = ts_arena_zeros(step->arena, 5 * blocks);
  impacts->forced = numbers;
  impacts->gap_speed = numbers + blocks;
  impacts->approach = numbers + 2 * blocks;
  impacts->asked = numbers + 3 * blocks;
  impacts->share = numbers + 4 * blocks;
  ts_system_velocity(&step->system, step->sim->free_velocity, step->system.q);
  for (int i = 0; i < step->system.count; ++i) {
    impacts->role[i] = TS_KEEPS_GAP;
    if (!is_held(step, i)) take_block(impacts, step, i, approach[i], step->system.q[normal_of(step, i)]);
  }
  return impacts->count > 0;
}

static void set_normals(const double *asked, ts_step *step)
{
  for (int i = 0; i < step->system.count; ++i)
    if (!is_held(step, i)) step->bias[normal_of(step, i)] = asked[i];
}

void ts_impacts_ask(const ts_impacts *impacts, ts_step *step)
{
  step->asked = impacts->asked;
  step->share = impacts->share;
  set_normals(impacts->asked, step);
}

// Relative normal velocities of the blocks at the velocity in the state, surfaces included.
static double *normal_velocities(const ts_step *step)
{
  const int d = step->system.dimension;
  double *u = ts_arena_doubles(step->arena, (size_t)step->system.count * (size_t)d);
  ts_system_velocity(&step->system, step->sim->state.velocity, u);
  for (int i = 0; i < step->system.count; ++i) u[i] = u[normal_of(step, i)] + step->surface[normal_of(step, i)];
  return u;
}

// A bias that no motion with the energy of the free one reaches.
static double out_of_reach(const ts_step *step, int i)
{
  const ts_sim *sim = step->sim;
  const double energy = ts_kinetic_energy(sim->model, &sim->kinematics, sim->free_velocity);
  const double fastest = sqrt(2.0 * energy * ts_unconstrained_compliance(&step->system, i, 0));
  return OUT_OF_REACH * (fastest + fabs(step->surface[normal_of(step, i)]));
}

bool ts_impacts_release(ts_impacts *impacts, ts_step *step)
{
  const ts_arena_mark mark = ts_arena_save(step->arena);
  const double *u = normal_velocities(step);
  bool released = false;
  for (int i = 0; i < step->system.count; ++i) {
    if (is_held(step, i) || impacts->role[i] != TS_KEEPS_GAP) continue;
    const bool pushed = step->r[normal_of(step, i)] > 0.0 && open_speed(impacts, step, i) > CLOSED;
    if (!pushed || -u[i] <= fabs(impacts->forced[i]) + CLOSED) continue;
    impacts->role[i] = TS_LATER;
    impacts->asked[i] = fmax(impacts->gap_speed[i], out_of_reach(step, i));
    released = true;
  }
  ts_arena_restore(step->arena, mark);
  return released;
}

static bool rebounds(const ts_impacts *impacts, const ts_step *step, int i)
{
  const ts_step_options *options = &step->sim->options;
  return options->impacts != TS_IMPACT_INELASTIC && ts_step_restitution(step, i) > 0.0 &&
         impacts->approach[i] < -options->rest_speed;
}

// What the motion of positions is asked for: gaps, and where something rebounds its velocity. False where the new
// velocities obey it.
static bool ask_for_positions(const ts_impacts *impacts, ts_step *step)
{
  const double *u = normal_velocities(step);
  bool differs = false;
  double *asked = ts_arena_zeros(step->arena, (size_t)step->system.count);
  for (int i = 0; i < step->system.count; ++i) {
    if (is_held(step, i)) continue;
    const bool closes = impacts->role[i] == TS_CLOSES, leaves = closes && rebounds(impacts, step, i);
    asked[i] = leaves ? step->surface[normal_of(step, i)] - u[i] : impacts->gap_speed[i];
    differs = differs || impacts->role[i] == TS_LATER || (closes && !leaves && open_speed(impacts, step, i) > CLOSED);
  }
  set_normals(asked, step);
  return differs;
}

// The motion into the state's velocities. Its effort and its certificate count; works are those of the velocities.
static void find_motion(ts_step *step)
{
  ts_sim *sim = step->sim;
  const ts_step_report before = sim->report;
  memset(step->r, 0, (size_t)step->system.count * (size_t)step->system.dimension * sizeof *step->r);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = sim->free_velocity[b];
  ts_step_collide(step, sim->state.velocity, NULL, true);
  const ts_step_report after = sim->report;
  ts_forget_attempt(sim, &before);
  sim->report.certified = before.certified && after.certified;
  sim->report.residual = fmax(before.residual, after.residual);
}

void ts_impacts_advance(const ts_impacts *impacts, ts_step *step)
{
  ts_sim *sim = step->sim;
  if (!ask_for_positions(impacts, step)) {
    ts_step_advance(step);
    return;
  }
  const size_t bodies = (size_t)sim->model->body_count;
  ts_twist *velocity = ts_arena_bytes(step->arena, bodies, sizeof *velocity);
  memcpy(velocity, sim->state.velocity, bodies * sizeof *velocity);
  find_motion(step);
  if (!ts_step_is_in_sight(step)) ts_step_notice_unseen(step);
  step->mobility.reached = velocity;
  ts_step_advance(step);
  memcpy(sim->state.velocity, velocity, bodies * sizeof *velocity);
  sim->kicked = NAN; // axes of bodies have turned about another velocity
}

// ---- who was first -------------------------------------------------------------------------------------------------

// When the motion at the start of the step closes block i [s]; INFINITY: not within the step. Gaps hold the way of
// moving surfaces.
static double closing_time(const ts_step *step, int i, double approach)
{
  if (is_held(step, i) || approach >= 0.0) return INFINITY;
  const double time = step->h * (ts_step_gap_speed(step, i) - step->surface[normal_of(step, i)]) / -approach;
  return time < step->h ? time : INFINITY;
}

static bool share_a_body(const ts_block *a, const ts_block *b)
{
  for (int k = 0; k < 4; ++k)
    if (a->body[k / 2] >= 0 && a->body[k / 2] == b->body[k % 2]) return true;
  return false;
}

// Whether contact i, which closes and gets no impulse, would have closed before a block of the same body that does, by
// a time in which bodies pass each other.
static bool is_passed_over(const ts_step *step, int i, const double *approach)
{
  const double latest = closing_time(step, i, approach[i]) + step->sim->finder.thinnest / -approach[i];
  for (int j = 0; j < step->system.count && latest < step->h; ++j) {
    if (!(step->r[normal_of(step, j)] > 0.0)) continue;
    const double time = closing_time(step, j, approach[j]);
    if (time > latest && time < INFINITY && share_a_body(&step->system.blocks[i], &step->system.blocks[j])) return true;
  }
  return false;
}

void ts_notice_passed_over(ts_step *step, const double *approach)
{
  for (int i = 0; i < step->contacts.count; ++i) {
    if (step->r[normal_of(step, i)] > 0.0 || -step->h * approach[i] <= step->sim->finder.thinnest) continue;
    if (is_passed_over(step, i, approach)) ts_report_tunnel(step->sim, &step->contacts.contacts[i]);
  }
}
