
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

static size_t normal_of(const ts_stage *stage, int i)
{
  return (size_t)i * (size_t)stage->system.dimension;
}

static bool is_motor(const ts_stage *stage, int i)
{
  return stage->system.blocks[i].kind == TS_BLOCK_MOTOR;
}

// How fast the gap would be gone, moving surfaces not counted.
static double open_speed(const ts_impacts *impacts, const ts_stage *stage, int i)
{
  return impacts->gap_speed[i] - stage->surface[normal_of(stage, i)];
}

// Poisson's law gives back what the approach has stored, not what the forces of the step add to it: what rests stays at
// rest, and a ball with e = 1 neither gains nor loses (docs/theory/stepping.md).
static void take_block(ts_impacts *impacts, const ts_stage *stage, int i, double approach, double free)
{
  const double surface = stage->surface[normal_of(stage, i)];
  const bool poisson = stage->sim->options.impacts == TS_IMPACT_POISSON;
  impacts->gap_speed[i] = ts_stage_gap_speed(stage, i);
  impacts->forced[i] = free + surface - approach;
  const bool closes = free + impacts->gap_speed[i] < 0.0 && -approach > fabs(impacts->forced[i]);
  impacts->part[i] = closes ? TS_CLOSES : TS_KEEPS_GAP;
  impacts->approach[i] = closes || !poisson ? approach : 0.0;
  impacts->share[i] = closes ? fmin(1.0, approach / (free + surface)) : 0.0;
  impacts->asked[i] = closes ? fmin(surface, impacts->gap_speed[i]) : impacts->gap_speed[i];
  impacts->count += closes;
}

bool ts_impacts_find(ts_impacts *impacts, ts_stage *stage, const double *approach)
{
  const size_t blocks = (size_t)stage->system.count;
  *impacts = (ts_impacts){.part = ts_arena_bytes(stage->arena, blocks, sizeof *impacts->part)};
  double *numbers = ts_arena_zeros(stage->arena, 5 * blocks);
  impacts->forced = numbers;
  impacts->gap_speed = numbers + blocks;
  impacts->approach = numbers + 2 * blocks;
  impacts->asked = numbers + 3 * blocks;
  impacts->share = numbers + 4 * blocks;
  ts_system_velocity(&stage->system, stage->sim->free_velocity, stage->system.q);
  for (int i = 0; i < stage->system.count; ++i) {
    impacts->part[i] = TS_KEEPS_GAP;
    if (!is_motor(stage, i)) take_block(impacts, stage, i, approach[i], stage->system.q[normal_of(stage, i)]);
  }
  return impacts->count > 0;
}

static void set_normals(const double *asked, ts_stage *stage)
{
  for (int i = 0; i < stage->system.count; ++i)
    if (!is_motor(stage, i)) stage->bias[normal_of(stage, i)] = asked[i];
}

void ts_impacts_ask(const ts_impacts *impacts, ts_stage *stage)
{
  stage->asked = impacts->asked;
  stage->share = impacts->share;
  set_normals(impacts->asked, stage);
}

// Relative normal velocities of the blocks at the velocity in the state, surfaces included.
static double *normal_velocities(const ts_stage *stage)
{
  const int d = stage->system.dimension;
  double *u = ts_arena_doubles(stage->arena, (size_t)stage->system.count * (size_t)d);
  ts_system_velocity(&stage->system, stage->sim->state.velocity, u);
  for (int i = 0; i < stage->system.count; ++i) u[i] = u[normal_of(stage, i)] + stage->surface[normal_of(stage, i)];
  return u;
}

// A bias that no motion with the energy of the free one reaches.
static double out_of_reach(const ts_stage *stage, int i)
{
  const ts_sim *sim = stage->sim;
  const double energy = ts_kinetic_energy(sim->model, &sim->kinematics, sim->free_velocity);
  const double fastest = sqrt(2.0 * energy * ts_unheld_compliance(&stage->system, i, 0));
  return OUT_OF_REACH * (fastest + fabs(stage->surface[normal_of(stage, i)]));
}

bool ts_impacts_release(ts_impacts *impacts, ts_stage *stage)
{
  const ts_arena_mark mark = ts_arena_save(stage->arena);
  const double *u = normal_velocities(stage);
  bool released = false;
  for (int i = 0; i < stage->system.count; ++i) {
    if (is_motor(stage, i) || impacts->part[i] != TS_KEEPS_GAP) continue;
    const bool pushed = stage->r[normal_of(stage, i)] > 0.0 && open_speed(impacts, stage, i) > CLOSED;
    if (!pushed || -u[i] <= fabs(impacts->forced[i]) + CLOSED) continue;
    impacts->part[i] = TS_LATER;
    impacts->asked[i] = fmax(impacts->gap_speed[i], out_of_reach(stage, i));
    released = true;
  }
  ts_arena_restore(stage->arena, mark);
  return released;
}

static bool rebounds(const ts_impacts *impacts, const ts_stage *stage, int i)
{
  const ts_step_options *options = &stage->sim->options;
  return options->impacts != TS_IMPACT_INELASTIC && ts_stage_restitution(stage, i) > 0.0 &&
         impacts->approach[i] < -options->rest_speed;
}

// What the motion of positions is asked for: gaps, and where something rebounds its velocity. False where the new
// velocities obey it.
static bool ask_for_positions(const ts_impacts *impacts, ts_stage *stage)
{
  const double *u = normal_velocities(stage);
  bool differs = false;
  double *asked = ts_arena_zeros(stage->arena, (size_t)stage->system.count);
  for (int i = 0; i < stage->system.count; ++i) {
    if (is_motor(stage, i)) continue;
    const bool closes = impacts->part[i] == TS_CLOSES, leaves = closes && rebounds(impacts, stage, i);
    asked[i] = leaves ? stage->surface[normal_of(stage, i)] - u[i] : impacts->gap_speed[i];
    differs = differs || impacts->part[i] == TS_LATER || (closes && !leaves && open_speed(impacts, stage, i) > CLOSED);
  }
  set_normals(asked, stage);
  return differs;
}

// The motion into the state's velocities. Its effort and its certificate count; works are those of the velocities.
static void find_motion(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  const ts_step_report before = sim->report;
  memset(stage->r, 0, (size_t)stage->system.count * (size_t)stage->system.dimension * sizeof *stage->r);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = sim->free_velocity[b];
  ts_stage_collide(stage, sim->state.velocity, NULL, true);
  const ts_step_report after = sim->report;
  ts_forget_attempt(sim, &before);
  sim->report.certified = before.certified && after.certified;
  sim->report.residual = fmax(before.residual, after.residual);
}

void ts_impacts_advance(const ts_impacts *impacts, ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  if (!ask_for_positions(impacts, stage)) {
    ts_stage_advance(stage);
    return;
  }
  const size_t bodies = (size_t)sim->model->body_count, count = (size_t)sim->mechanics.v_count;
  ts_twist *velocity = ts_arena_bytes(stage->arena, bodies, sizeof *velocity);
  double *rates = ts_arena_doubles(stage->arena, count);
  memcpy(velocity, sim->state.velocity, bodies * sizeof *velocity);
  ts_mechanics_rates(&sim->mechanics, velocity, rates);
  find_motion(stage);
  if (!ts_stage_is_in_sight(stage)) ts_stage_notice_unseen(stage);
  ts_stage_advance(stage);
  memcpy(sim->state.velocity, velocity, bodies * sizeof *velocity);
  if (count > 0) memcpy(sim->state.rates, rates, count * sizeof *rates);
}

// ---- who was first -------------------------------------------------------------------------------------------------

// When the motion at the start of the step closes block i [s]; INFINITY: not within the step. Gaps hold the way of
// moving surfaces.
static double closing_time(const ts_stage *stage, int i, double approach)
{
  if (is_motor(stage, i) || approach >= 0.0) return INFINITY;
  const double time = stage->h * (ts_stage_gap_speed(stage, i) - stage->surface[normal_of(stage, i)]) / -approach;
  return time < stage->h ? time : INFINITY;
}

static bool share_a_body(const ts_block *a, const ts_block *b)
{
  for (int k = 0; k < 4; ++k)
    if (a->body[k / 2] >= 0 && a->body[k / 2] == b->body[k % 2]) return true;
  return false;
}

// Whether contact i, which closes and gets no impulse, would have closed before a block of the same body that does, by
// a time in which bodies pass each other.
static bool is_passed_over(const ts_stage *stage, int i, const double *approach)
{
  const double latest = closing_time(stage, i, approach[i]) + stage->sim->finder.thinnest / -approach[i];
  for (int j = 0; j < stage->system.count && latest < stage->h; ++j) {
    if (!(stage->r[normal_of(stage, j)] > 0.0)) continue;
    const double time = closing_time(stage, j, approach[j]);
    if (time > latest && time < INFINITY && share_a_body(&stage->system.blocks[i], &stage->system.blocks[j]))
      return true;
  }
  return false;
}

void ts_notice_passed_over(ts_stage *stage, const double *approach)
{
  for (int i = 0; i < stage->contacts.count; ++i) {
    if (stage->r[normal_of(stage, i)] > 0.0 || -stage->h * approach[i] <= stage->sim->finder.thinnest) continue;
    if (is_passed_over(stage, i, approach)) ts_report_tunnel(stage->sim, &stage->contacts.contacts[i]);
  }
}
