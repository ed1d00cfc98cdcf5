#include "step/repair.h"

#include "step/solve.h"
#include "step/surfaces.h"

#include "math/matrix.h"

// How much of a speed of bodies their linearized motion may miss in a step.
static const double MISSED_SHARE = 0.01;

// Overlap of this share of a body's size is taken out of positions at once, less every so many steps: in a pile that
// pours some contact is a little too deep in every other step.
static const double DEEP_SHARE = 0.02;
enum { SHALLOW_PERIOD = 32 };

// A step errs by a small share of the way that bodies make in it, by what forces do in one, and by what its solve may
// leave. Overlap that takes more speed to repair is not of its making. `speed`: of the bodies; `forced`: what forces
// make of it; `left`: the velocity error that solves are content with.
static double usual_repair(double speed, double forced, double left)
{
  return MISSED_SHARE * speed + fabs(forced) + left;
}

// Only where it is small against what weight does in a step: faster repairs would be felt in the energy of what rests.
static double error_left(const ts_step *step, int body)
{
  const double weight = step->h * ts_length(step->sim->model->bodies[body].gravity);
  const double left = ts_step_velocity_error(step, step->contacts.count + step->bounded_count);
  return left <= MISSED_SHARE * weight ? left : 0.0;
}

// How fast an overlapping contact opens where all is repaired in a step [m/s].
typedef struct repair {
  double whole;
  double usual;   // the fastest that is usual
  double slow;    // the part of it that comes with motion, and adds next to nothing to its energy
  double carried; // what a moving surface does to the gap in the step
} repair;

static repair repair_of(const ts_step *step, int i)
{
  const ts_sim *sim = step->sim;
  const ts_contact *c = &step->contacts.contacts[i];
  const int a = c->body_1, b = c->body_2;
  const ts_vec3 old = ts_sub(ts_twist_at(sim->old_velocity[a], c->arm_1), ts_twist_at(sim->old_velocity[b], c->arm_2));
  const ts_vec3 free =
      ts_sub(ts_twist_at(sim->free_velocity[a], c->arm_1), ts_twist_at(sim->free_velocity[b], c->arm_2));
  const bool moved = sim->model->bodies[b].kind == TS_KINEMATIC;
  const double carried = moved ? ts_dot(c->normal, ts_step_mean_surface(step, i)) : 0.0;
  return (repair){.whole = -c->gap / step->h - carried,
                  .usual = usual_repair(ts_length(old), ts_dot(c->normal, ts_sub(free, old)), error_left(step, a)),
                  .slow = usual_repair(ts_length(old), 0.0, error_left(step, a)),
                  .carried = carried};
}

static bool overlaps(const ts_step *step, int i)
{
  return !ts_contact_is_alternative(&step->contacts, i) && -step->contacts.contacts[i].gap > TS_SLOW_REPAIR * step->h;
}

// Of the smaller of the bodies as its arm has it; what does not move has no size.
static double deep_length(const ts_step *step, int i)
{
  const ts_contact *c = &step->contacts.contacts[i];
  const bool both = step->sim->model->bodies[c->body_2].kind == TS_DYNAMIC;
  const double size = ts_length(c->arm_1), other = both ? ts_length(c->arm_2) : size;
  return DEEP_SHARE * fmin(size, other);
}

static bool is_deep(const ts_step *step, int i)
{
  return -step->contacts.contacts[i].gap > deep_length(step, i);
}

double ts_step_share_beyond(const ts_step *step)
{
  double share = 0.0;
  for (int i = 0; i < step->contacts.count; ++i) {
    if (!overlaps(step, i) || !is_deep(step, i)) continue;
    share = fmax(share, 1.0 + deep_length(step, i) / step->contacts.contacts[i].gap);
  }
  return share;
}

static bool contact_is_sunk(const ts_step *step, int i)
{
  if (!overlaps(step, i) || !(step->sim->steps % SHALLOW_PERIOD == 0 || is_deep(step, i))) return false;
  const repair r = repair_of(step, i);
  return r.whole > r.usual;
}

static bool stop_is_sunk(const ts_step *step, const ts_bounded_row *row)
{
  if (row->lower < 0.0 || -row->gap <= TS_SLOW_REPAIR * step->h) return false;
  const double old = ts_row_rate(&row->row, step->sim->old_velocity);
  const double forced = ts_row_rate(&row->row, step->sim->free_velocity) - old;
  return row->drift - row->gap / step->h > usual_repair(fabs(old + row->drift), forced, 0.0);
}

bool ts_step_is_sunk(const ts_step *step)
{
  for (int i = 0; i < step->contacts.count; ++i)
    if (contact_is_sunk(step, i)) return true;
  for (int k = 0; k < step->bounded_count; ++k)
    if (stop_is_sunk(step, &step->bounded[k])) return true;
  return false;
}

// With w = W_tn of its block: it moves in one direction where the normal row depends on the tangents,
//   W_nn - w.w^2 / w.W_tt w = 0
// (never less than the Schur complement, and equal to it where W has rank 1). Impulses that move nothing then have
// |r_t| / r_n = W_nn / |w|, and lie within the cone up to mu.
bool ts_step_is_wedged(const ts_step *step, int i)
{
  static const double DEPENDENT = 1e-9; // share of W_nn: joints are eliminated with less round-off
  const int d = step->system.dimension < 3 ? step->system.dimension : 3;
  const ts_contact *contact = &step->contacts.contacts[i];
  if (!(contact->gap < 0.0)) return false;
  const double *W = ts_block_diagonal(&step->system.problem.W, i);
  const int columns = step->system.dimension;
  double squared = 0.0, along = 0.0;
  for (int r = 1; r < d; ++r) {
    squared += W[r] * W[r];
    for (int c = 1; c < d; ++c) along += W[r] * W[c * columns + r] * W[c];
  }
  if (!(along > 0.0) || W[0] > contact->friction * sqrt(squared)) return false;
  return W[0] - squared * squared / along <= DEPENDENT * W[0];
}

double ts_step_repairing_gap_speed(const ts_step *step, int i)
{
  const ts_sim *sim = step->sim;
  const bool contact = i < step->contacts.count;
  const ts_bounded_row *row = contact ? NULL : &step->bounded[i - step->contacts.count];
  if (step->keeps_overlap && (contact ? contact_is_sunk(step, i) : stop_is_sunk(step, row)))
    return step->surface[(size_t)i * (size_t)step->system.dimension];
  const double speed = ts_stabilizing_speed(sim, contact ? step->contacts.contacts[i].gap : row->gap, step->h);
  if (!contact || !overlaps(step, i) || sim->stabilization != TS_STABILIZATION_POSITION) return speed;
  const repair r = repair_of(step, i);
  return r.whole > r.usual ? fmax(speed, -(r.slow + r.carried)) : speed;
}

void ts_report_overlap_at_end(ts_sim *sim, double earlier, ts_arena *arena)
{
  ts_contact_set set;
  const ts_arena_mark mark = ts_arena_save(arena);
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, 0.0, 0.0, arena, &set))
    longjmp(*arena->recovery, 1);
  sim->report.penetration = earlier;
  for (int i = 0; i < set.count; ++i) sim->report.penetration = fmax(sim->report.penetration, -set.contacts[i].gap);
  ts_arena_restore(arena, mark);
}
