// The impulses of a step or of an impact, and Poisson's law of restitution: what the compression stored in a contact
// comes back, a fraction e of it, and friction may use all of it (corrections.md 1, 4).
#include "step/collide.h"

#include "step/settle.h"
#include "step/solve.h"

#include <string.h>

static size_t row_count(const ts_system *system)
{
  return (size_t)system->count * (size_t)system->dimension;
}

// q = J v + bias; blocks past those of the step (rebounds) have no bias of their own.
static void set_q(const ts_step *step, ts_system *system, const ts_twist *velocity)
{
  const size_t rows = row_count(&step->system);
  ts_system_velocity(system, velocity, system->q);
  for (size_t k = 0; k < rows; ++k) system->q[k] += step->bias[k];
}

// Recovered normal impulse of each block: e p_n where the approach was fast enough. False when there is none.
static bool recovered_impulses(const ts_step *step, const double *compression, const double *approach,
                               double *recovered)
{
  const ts_sim *sim = step->sim;
  bool any = false;
  for (int i = 0; i < step->system.count; ++i) {
    const ts_block *block = &step->system.blocks[i];
    double e = 0.0;
    if (block->kind == TS_BLOCK_CONTACT) e = step->contacts.contacts[block->source].restitution;
    if (block->kind == TS_BLOCK_LIMIT) e = step->bounded[block->source].restitution;
    const bool rebounds = e > 0.0 && approach[i] < -sim->options.rest_speed;
    const double share = step->share ? step->share[i] : 1.0;
    recovered[i] = rebounds ? e * share * fmax(0.0, compression[(size_t)i * (size_t)step->system.dimension]) : 0.0;
    any = any || recovered[i] > 0.0;
  }
  return any;
}

// The friction blocks of rebounds: tangents move with their contact's surface, the normal is held at R_n.
static void set_rebound_q(const ts_step *step, ts_system *rebound, const ts_twist *velocity, const double *recovered,
                          double factor)
{
  const int d = rebound->dimension;
  set_q(step, rebound, velocity);
  for (int i = step->system.count; i < rebound->count; ++i) {
    const int contact = rebound->blocks[i].source;
    double *q = rebound->q + (size_t)i * (size_t)d;
    q[0] = -ts_system_diagonal(rebound, i, 0) * factor * recovered[contact];
    for (int r = 1; r < d; ++r) q[r] += step->bias[(size_t)contact * (size_t)d + (size_t)r];
  }
}

// Take back what motors, servos, dry friction and supports did in the compression: the decompression finds their
// impulses of the whole step, so that compression and decompression together keep within their bounds.
static void take_back_drives(const ts_step *step, const double *r, double *given)
{
  const size_t d = (size_t)step->system.dimension;
  for (int i = 0; i < step->system.count; ++i)
    for (size_t k = 1; ts_block_is_held(&step->system.blocks[i]) && k < d; ++k)
      given[(size_t)i * d + k] = -r[(size_t)i * d + k];
}

// Decompression with `factor` times the recovered impulses: velocity and r from those after the compression.
// Of an impact alone and without friction what comes back is all: contacts that it closes collide next, so that with
// e = 1 energy is kept, v+ = v + 2 P_c with P_c normal to v + P_c.
static void decompress(ts_step *step, ts_system *rebound, const double *recovered, double factor, ts_twist *velocity,
                       double *r)
{
  const int d = rebound->dimension;
  const size_t rows = row_count(&step->system);
  double *given = ts_arena_zeros(step->arena, rows), *answer = ts_arena_zeros(step->arena, row_count(rebound));
  const bool ends = step->strikes && !ts_system_rubs(&step->system);
  for (int i = 0; i < step->system.count; ++i) given[(size_t)i * (size_t)d] = factor * recovered[i];
  if (!ends) take_back_drives(step, r, given);
  ts_system_apply(&step->system, given, velocity, step->mobility.impulse, step->arena);
  if (ends) {
    for (size_t k = 0; k < rows; ++k) r[k] += given[k];
    return;
  }
  set_rebound_q(step, rebound, velocity, recovered, factor);
  ts_step_solve(step, rebound, false, answer);
  ts_system_apply(rebound, answer, velocity, step->mobility.impulse, step->arena);
  for (size_t k = 0; k < rows; ++k) r[k] += given[k] + answer[k];
  for (int i = step->system.count; i < rebound->count; ++i) // normals of rebounds act on nothing
    for (int k = 1; k < d; ++k)
      r[(size_t)rebound->blocks[i].source * (size_t)d + (size_t)k] += answer[(size_t)i * (size_t)d + (size_t)k];
}

enum { BISECTIONS = 30 };

bool ts_factor_search_next(ts_factor_search *search, bool gained)
{
  const bool found = !gained && (search->factor == 1.0 || search->high - search->low < 1e-6);
  if (found || search->trials == BISECTIONS) return false;
  if (gained)
    search->high = search->factor;
  else
    search->low = search->factor;
  search->factor = ++search->trials < BISECTIONS ? 0.5 * (search->low + search->high) : search->low;
  return true;
}

// Work that moving surfaces do through the impulses r.
static double surface_work(const ts_step *step, const double *r)
{
  const size_t rows = row_count(&step->system);
  double work = 0.0;
  for (size_t k = 0; k < rows; ++k) work -= r[k] * step->surface[k];
  return work;
}

// Without friction and with one e for all that was compressed Poisson's law cannot gain energy. In the metric of M,
// with P = M^-1 G^T p the change of velocity: the compression projects v on the cone G v >= 0, so that P_c is normal to
// v_c and |v|^2 = |v_c|^2 + |P_c|^2; the decompression projects v_c + e P_c on the same cone, so that |v+|^2 <= |v_c|^2
// + e^2 |P_c|^2. With unequal e the recovered R is no multiple of p_c, and R^T A R may exceed p_c^T A p_c: A = G M^-1
// G^T has negative entries where contacts brace each other. The same holds of one e where a contact that did not
// approach was compressed by the others: it gives nothing back. Then less is given back, by one common factor
// (corrections.md 4).
static void rebound_without_gain(ts_step *step, const double *recovered, double energy_before, ts_twist *velocity)
{
  ts_sim *sim = step->sim;
  const size_t bodies = (size_t)sim->model->body_count, rows = row_count(&step->system);
  const size_t joints = (size_t)step->mobility.count;
  ts_twist *after = ts_arena_bytes(step->arena, bodies, sizeof *after);
  double *r = ts_arena_doubles(step->arena, rows);
  double *joint_impulse = ts_arena_doubles(step->arena, joints);
  if (joints > 0) memcpy(joint_impulse, step->mobility.impulse, joints * sizeof *joint_impulse);
  ts_system rebound;
  ts_system_assemble_rebound(&step->system, &step->contacts, step->bounded, recovered, step->arena, &rebound);
  ts_factor_search search = {.high = 1.0, .factor = 1.0};
  bool gained;
  do {
    const ts_arena_mark mark = ts_arena_save(step->arena);
    memcpy(after, velocity, bodies * sizeof *after);
    memcpy(r, step->r, rows * sizeof *r);
    if (joints > 0) memcpy(step->mobility.impulse, joint_impulse, joints * sizeof *joint_impulse);
    decompress(step, &rebound, recovered, search.factor, after, r);
    ts_arena_restore(step->arena, mark);
    const double given = surface_work(step, r), energy = ts_kinetic_energy(sim->model, &sim->kinematics, after);
    gained = energy - energy_before - given > 1e-12 * (energy_before + fabs(given));
  } while (ts_factor_search_next(&search, gained));
  sim->report.energy_scaled_back = fmin(sim->report.energy_scaled_back, search.factor);
  memcpy(velocity, after, bodies * sizeof *velocity);
  memcpy(step->r, r, rows * sizeof *r);
}

// y = W x in the normal rows of the blocks that push.
static void apply_normals(const ts_system *system, const bool *pushes, const double *x, double *y)
{
  const ts_block_matrix *W = &system->problem.W;
  const size_t size = (size_t)(system->dimension * system->dimension);
  for (int i = 0; i < W->rows; ++i) {
    y[i] = 0.0;
    for (int k = W->start[i]; pushes[i] && k < W->start[i + 1]; ++k)
      if (pushes[W->index[k]]) y[i] += W->value[(size_t)k * size] * x[W->index[k]];
  }
}

static double inner(const double *x, const double *y, int count)
{
  double sum = 0.0;
  for (int i = 0; i < count; ++i) sum += x[i] * y[i];
  return sum;
}

// Conjugate gradients for W x = residual among the blocks that push; `residual` is left over.
static void solve_among(const ts_system *system, const bool *pushes, double *residual, double *x, ts_arena *arena)
{
  const int n = system->count;
  double *direction = ts_arena_doubles(arena, (size_t)n), *image = ts_arena_doubles(arena, (size_t)n);
  memcpy(direction, residual, (size_t)n * sizeof *direction);
  double size = inner(residual, residual, n);
  for (int k = 0; k < 2 * n && size > 0.0; ++k) {
    apply_normals(system, pushes, direction, image);
    const double bend = inner(direction, image, n);
    if (!(bend > 0.0)) return;
    const double way = size / bend, before = size;
    for (int i = 0; i < n; ++i) {
      x[i] += way * direction[i];
      residual[i] -= way * image[i];
    }
    size = inner(residual, residual, n);
    for (int i = 0; i < n; ++i) direction[i] = residual[i] + size / before * direction[i];
  }
}

// With e = 1 energy is kept but for 2 p.u: of an impact without friction, what pushes is made not to move as well as
// round-off allows.
static void settle_what_pushes(ts_step *step, ts_twist *velocity, double *compression)
{
  const ts_system *system = &step->system;
  const size_t d = (size_t)system->dimension, n = (size_t)system->count, rows = row_count(system);
  ts_step_complete(step);
  double *u = ts_arena_doubles(step->arena, rows), *missing = ts_arena_doubles(step->arena, n);
  double *x = ts_arena_zeros(step->arena, n), *more = ts_arena_zeros(step->arena, rows);
  bool *pushes = ts_arena_bytes(step->arena, n, sizeof *pushes);
  ts_system_velocity(system, velocity, u);
  for (size_t i = 0; i < n; ++i) {
    pushes[i] = compression[i * d] > 0.0;
    missing[i] = pushes[i] ? -u[i * d] - step->bias[i * d] : 0.0;
  }
  solve_among(system, pushes, missing, x, step->arena);
  for (size_t i = 0; i < n; ++i) {
    more[i * d] = x[i];
    if (compression[i * d] + x[i] < 0.0) return;
  }
  ts_system_apply(system, more, velocity, step->mobility.impulse, step->arena);
  for (size_t k = 0; k < rows; ++k) {
    compression[k] += more[k];
    step->r[k] += more[k];
  }
}

// Solve, and add the impulses to r and to the velocity. `compression` receives them alone.
static void compress(ts_step *step, bool warm, ts_twist *velocity, double *compression)
{
  const ts_sim *sim = step->sim;
  const size_t rows = row_count(&step->system);
  set_q(step, &step->system, velocity);
  const bool recalled =
      warm && sim->options.warm_start &&
      ts_recall(&sim->remembered, &step->system, &step->contacts, step->bounded, step->h, compression);
  const bool several = step->contacts.count > 1; // one has no choice
  double *guess = recalled && several ? ts_arena_doubles(step->arena, rows) : NULL;
  if (guess) memcpy(guess, compression, rows * sizeof *guess);
  ts_step_solve(step, &step->system, recalled, compression);
  ts_system_apply(&step->system, compression, velocity, step->mobility.impulse, step->arena);
  if (several) ts_step_settle(step, guess, velocity, compression);
  if (recalled && step->guess) ts_step_balance(step, velocity, compression);
  for (size_t k = 0; k < rows; ++k) step->r[k] += compression[k];
  if ((step->impulsive || step->strikes) && step->gap_error == 0.0 && !ts_system_rubs(&step->system))
    settle_what_pushes(step, velocity, compression);
}

// Inelastic compression, then what Poisson's law gives back.
void ts_step_collide(ts_step *step, ts_twist *velocity, const double *approach, bool warm)
{
  ts_sim *sim = step->sim;
  const size_t rows = row_count(&step->system);
  if (rows == 0) return;
  const double before = approach ? ts_kinetic_energy(sim->model, &sim->kinematics, velocity) : 0.0;
  double *compression = ts_arena_doubles(step->arena, rows);
  compress(step, warm, velocity, compression);
  double *recovered = approach ? ts_arena_doubles(step->arena, (size_t)step->system.count) : NULL;
  if (approach && recovered_impulses(step, compression, approach, recovered))
    rebound_without_gain(step, recovered, before, velocity);
}
