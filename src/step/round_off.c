#include "step/round_off.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double EPS = 64.0 * DBL_EPSILON; // products and sums of a row, and of the velocities of a chain of bodies

// T: what an impact has stopped left its round-off behind, so the velocity at the start of the step counts too.
static double largest_energy(const ts_sim *sim)
{
  return fmax(ts_kinetic_energy(sim->model, &sim->kinematics, sim->old_velocity),
              ts_kinetic_energy(sim->model, &sim->kinematics, sim->state.velocity));
}

static double trace_of_W(const ts_system *system, int i)
{
  double trace = 0.0;
  for (int r = 0; r < system->dimension; ++r) trace += ts_system_diagonal(system, i, r);
  return trace;
}

// Most blocks move, and need no more than this to tell: they give way not far less than bodies that are free and do not
// turn.
static bool clearly_moves(const ts_system *system, int i)
{
  double free = 0.0;
  for (int side = 0; side < 2; ++side) {
    const int body = system->blocks[i].body[side];
    if (body >= 0) free += system->model->bodies[body].inverse_mass;
  }
  return ts_system_diagonal(system, i, 0) > 1e-6 * free || trace_of_W(system, i) > 1e-6 * free;
}

// What q of a contact is made of: velocities, the fall in a step and, in the normal row, a gap closed within the step.
static double size_of_q(const ts_step *step, const ts_system *system, int i, int r, double speed)
{
  const ts_contact *contact = &step->contacts.contacts[system->blocks[i].source];
  const double fall = step->h * ts_length(step->sim->model->gravity);
  const double closing = r == 0 ? (ts_length(contact->arm_1) + ts_length(contact->point)) / step->h : 0.0;
  return speed + fall + closing;
}

static bool is_immovable(const ts_step *step, const ts_system *system, int i)
{
  const double energy = largest_energy(step->sim);
  double unconstrained = 0.0;
  for (int r = 0; r < system->dimension; ++r) {
    const double U = ts_unconstrained_compliance(system, i, r), q = system->q[i * system->dimension + r];
    if (fabs(q) > EPS * size_of_q(step, system, i, r, sqrt(2.0 * energy * U))) return false;
    unconstrained += U;
  }
  return trace_of_W(system, i) <= EPS * unconstrained;
}

// Row and column i of the blocks of W become zero but for the diagonal, which becomes that of free bodies.
static void set_apart(const ts_system *system, int i, double *value)
{
  const ts_block_matrix *W = &system->problem.W;
  const int d = system->dimension;
  const size_t size = (size_t)(d * d);
  for (int row = 0; row < W->rows; ++row)
    for (int k = W->start[row]; k < W->start[row + 1]; ++k) {
      if (row != i && W->index[k] != i) continue;
      double *block = value + (size_t)k * size;
      memset(block, 0, size * sizeof *block);
      for (int r = 0; row == W->index[k] && r < d; ++r) block[r * d + r] = ts_unconstrained_compliance(system, i, r);
    }
}

// W and q of the copy may be changed; returns the numbers of W.
static double *copy_data(const ts_system *system, ts_arena *arena, ts_system *copy)
{
  const ts_block_matrix *W = &system->problem.W;
  const size_t d = (size_t)system->dimension, entries = (size_t)W->start[W->rows] * d * d;
  const size_t rows = (size_t)system->count * d;
  double *value = ts_arena_doubles(arena, entries);
  memcpy(value, W->value, entries * sizeof *value);
  *copy = *system;
  copy->q = ts_arena_doubles(arena, rows);
  memcpy(copy->q, system->q, rows * sizeof *copy->q);
  copy->problem.W.value = value;
  copy->problem.q = copy->q;
  return value;
}

bool ts_set_immovable_blocks_apart(const ts_step *step, const ts_system *system, ts_system *copy)
{
  const size_t d = (size_t)system->dimension;
  double *value = NULL;
  if (!ts_mobility_couples(&step->mobility)) return false; // no joints
  for (int i = 0; i < system->count; ++i) {
    if (system->blocks[i].kind != TS_BLOCK_CONTACT || clearly_moves(system, i)) continue;
    if (!is_immovable(step, system, i)) continue;
    if (!value) value = copy_data(system, step->arena, copy);
    set_apart(system, i, value);
    memset(copy->q + (size_t)i * d, 0, d * sizeof *copy->q);
  }
  return value != NULL;
}

// |W| |r| in row k of block i: the size of the sum that the velocity of the row is made of.
static double sum_of_magnitudes(const ts_system *system, int i, int k, const double *r)
{
  const ts_block_matrix *W = &system->problem.W;
  const int d = system->dimension;
  double sum = 0.0;
  for (int n = W->start[i]; n < W->start[i + 1]; ++n)
    for (int c = 0; c < d; ++c) // blocks are stored by columns
      sum += fabs(W->value[(size_t)n * (size_t)(d * d) + (size_t)(c * d + k)] * r[W->index[n] * d + c]);
  return sum;
}

// In the certificate's scale block i has velocities times sqrt(d/trace W_ii) (docs/theory/residuals.md).
double ts_round_off_residual(const ts_step *step, const ts_system *system, const double *r)
{
  static const double MOST_OF_SUMS = 100.0; // times the tolerance: larger sums have lost the velocities of the data
  const double energy = largest_energy(step->sim);
  const int d = system->dimension;
  double data = 0.0, noise = 0.0, sums = 0.0;
  for (int i = 0; i < system->count; ++i) {
    const double trace = trace_of_W(system, i);
    if (!(trace > 0.0)) continue;
    for (int k = 0; k < d; ++k) {
      const double q = system->q[i * d + k], sum = sum_of_magnitudes(system, i, k, r);
      data += q * q / trace;
      noise += 2.0 * energy * ts_unconstrained_compliance(system, i, k) / trace;
      sums += sum * sum / trace;
    }
  }
  if (!(data > 0.0)) return 0.0;
  return fmax(EPS * sqrt(noise / data), fmin(EPS * sqrt(sums / data), MOST_OF_SUMS * step->sim->options.tolerance));
}
