// Who has done which work in a step. At the configuration of its start,
//   M (v+ - v) = sum of impulses p,   so that   KE(v+) - KE(v) = sum of p.(v + v+)/2:
// works on the mean of the velocities before and after add up. What holds still does none, whatever it carries.
// Impulses of contacts, friction and dampers obey a law at the end of the step, p.v+ <= 0. On the mean they may give
// all the same, all contacts together, where one parts at the start and forces close it within the step: that is an
// error of the method, not theirs.
#include "step/works.h"

#include "step/bases.h"
#include "step/repair.h"

#include <string.h>

// What only takes energy: more than nothing is left to the errors of the method.
static double taken(double work)
{
  return ts_smaller(0.0, work);
}

// ---- blocks --------------------------------------------------------------------------------------------------------

// How fast block i is asked to open because it overlaps at the start. Where gaps are those of the end, the way of
// moving surfaces is in them, and an impact may ask for less. Rows of the end of the step have gaps that are closed
// there: nothing is repaired.
static double repairing_speed(const ts_step *step, int i, double surface)
{
  const ts_block *block = &step->system.blocks[i];
  const bool contact = block->kind == TS_BLOCK_CONTACT;
  if (step->at_velocity_level || step->strikes || step->rows_at_end || (contact ? step->sprung : !step->gaps_at_end))
    return 0.0;
  const double bias = step->bias[(size_t)i * (size_t)step->system.dimension];
  if (step->gaps_at_end) return ts_larger(0.0, surface - ts_larger(bias, ts_step_gap_speed(step, i)));
  const double gap = step->contacts.contacts[i].gap;
  return gap < 0.0 ? -ts_stabilizing_speed(step->sim, gap, step->h) : 0.0;
}

// `velocity` gives back in the impact alone that comes before the step.
static bool rebounds(const ts_step *step, int i)
{
  const ts_block *block = &step->system.blocks[i];
  if (step->sim->options.impacts == TS_IMPACT_POISSON && !step->gaps_at_end && !step->strikes) return false;
  return (block->kind == TS_BLOCK_CONTACT ? step->contacts.contacts[i].restitution
                                          : step->bounded[block->source].restitution) > 0.0;
}

// What a normal impulse p that makes `opening` of a rate u gives, where that is asked for. On the whole: where bodies
// approach while they overlap, as on a curved way that steps cut short, it takes, and nothing is added. Where they part
// faster already forces have closed them again.
static double repairing_work(double p, double u, double opening)
{
  return opening > 0.0 ? ts_larger(0.0, 0.5 * p * (ts_smaller(u, opening) + opening)) : 0.0;
}

// A contact, a stop or a support, `rows` rows of it. u and v: their rates before and after, without surfaces. Returns
// its work.
static double closing_work(ts_step *step, int i, int rows, const double *p, const double *u, const double *v)
{
  ts_step_report *report = &step->sim->report;
  const double *surface = step->surface + (size_t)i * (size_t)step->system.dimension;
  double work = 0.0;
  for (int r = 0; r < rows; ++r) {
    work += p[r] * (0.5 * (u[r] + v[r]) + surface[r]);
    report->drive_work -= p[r] * surface[r];
  }
  if (step->system.blocks[i].kind == TS_BLOCK_SUPPORT) return work;
  const double repairs = repairing_work(p[0], u[0] + surface[0], repairing_speed(step, i, surface[0]));
  report->stabilization_work += repairs;
  return work - repairs;
}

// A drive that presses against a contact works with impulses far above those of the motion, on velocities that are
// errors of the solve.
static void add_motor(ts_step *step, const ts_bounded_row *row, double p, double u, double v)
{
  static const double FACTOR = 1e3; // residuals are means over rows, and round-off may be a hundred tolerances
  ts_step_report *report = &step->sim->report;
  step->sim->blur += FACTOR * step->sim->options.tolerance * fabs(p) * (fabs(row->bias) + fabs(u) + fabs(v));
  if (row->feature != TS_DRY_FRICTION) {
    report->drive_work += 0.5 * p * (u + v);
    return;
  }
  report->drive_work -= p * row->drift;
  report->damping_work += taken(p * (0.5 * (u + v) + row->drift));
}

// All blocks, whatever they are. u and v: rates of their rows before and after.
static double work_of_blocks(ts_step *step, const double *p, const double *u, const double *v)
{
  const size_t d = (size_t)step->system.dimension;
  double work = 0.0;
  for (int i = 0; i < step->system.count; ++i) {
    const ts_block *block = &step->system.blocks[i];
    const size_t first = (size_t)i * d;
    if (block->kind == TS_BLOCK_MOTOR)
      add_motor(step, &step->bounded[block->source], p[first + 1], u[first + 1], v[first + 1]);
    else
      work += closing_work(step, i, block->kind == TS_BLOCK_LIMIT ? 1 : (int)d, p + first, u + first, v + first);
  }
  return work;
}

static double repairs(const ts_step *step, const double *p, const double *u)
{
  double work = 0.0;
  for (int i = 0; i < step->system.count; ++i) {
    const size_t first = (size_t)i * (size_t)step->system.dimension;
    if (p[first] > 0.0 && step->contacts.contacts[i].gap < -TS_SLOW_REPAIR * step->h)
      work += repairing_work(p[first], u[first], repairing_speed(step, i, 0.0));
  }
  return work;
}

// The same where there are contacts alone, of surfaces that do not move by themselves: most scenes, and the sum over
// all rows is quick.
static double work_of_contacts(ts_step *step, size_t rows, const double *p, const double *u, const double *v)
{
  ts_step_report *report = &step->sim->report;
  double work = 0.0;
  for (size_t k = 0; k < rows; ++k) work += p[k] * (u[k] + v[k]);
  const double repaired = report->penetration > TS_SLOW_REPAIR * step->h ? repairs(step, p, u) : 0.0;
  report->stabilization_work += repaired;
  return 0.5 * work - repaired;
}

static bool gives_back(const ts_step *step)
{
  if (step->sim->options.impacts == TS_IMPACT_INELASTIC) return false;
  for (int i = 0; i < step->system.count; ++i)
    if (!ts_block_is_held(&step->system.blocks[i]) && rebounds(step, i)) return true;
  return false;
}

static const double *less_counted(const ts_step *step, size_t rows)
{
  if (!step->counted) return step->r;
  double *p = ts_arena_doubles(step->arena, rows);
  for (size_t k = 0; k < rows; ++k) p[k] = step->r[k] - step->counted[k];
  return p;
}

// `velocity` finds contacts once bodies overlap by a depth d, as long ago as d/|u| at the rate u. Forces have made them
// faster since then by a d/|u|, and the impulse takes that, too: p a d/|u|, and no more than it takes in all. It is the
// work of the forces on d, and comes back where bodies come out again. Rebounds give a share of it back at once.
static double belated_work(const ts_step *step, int i, double p, double u)
{
  const ts_contact *c = &step->contacts.contacts[i];
  const ts_sim *sim = step->sim;
  const ts_vec3 free = ts_sub(ts_twist_at(sim->free_velocity[c->body_1], c->arm_1),
                              ts_twist_at(sim->free_velocity[c->body_2], c->arm_2));
  const ts_vec3 from =
      ts_sub(ts_twist_at(step->from[c->body_1], c->arm_1), ts_twist_at(step->from[c->body_2], c->arm_2));
  const double forced = ts_larger(0.0, -ts_dot(c->normal, ts_sub(free, from)));
  const double share = ts_smaller(1.0, -c->gap / (step->h * -u)); // of the step
  const double kept = rebounds(step, i) ? 1.0 - c->restitution : 1.0;
  return kept * p * ts_smaller(forced * share, -0.5 * u);
}

static void add_belated(ts_step *step, const double *p, const double *u)
{
  const bool late = !step->gaps_at_end && !step->at_velocity_level && !step->sprung;
  ts_sim *sim = step->sim;
  if (!late || sim->report.penetration <= TS_SLOW_REPAIR * step->h) return;
  for (int i = 0; i < step->contacts.count; ++i) {
    const size_t first = (size_t)i * (size_t)step->system.dimension;
    const double approach = u[first] + step->surface[first];
    if (p[first] > 0.0 && approach < 0.0 && step->contacts.contacts[i].gap < -TS_SLOW_REPAIR * step->h)
      sim->belated += belated_work(step, i, p[first], approach);
  }
}

static void add_blocks(ts_step *step, const double *after)
{
  const ts_sim *sim = step->sim;
  const ts_system *system = &step->system;
  const size_t rows = (size_t)system->count * (size_t)system->dimension;
  if (rows == 0) {
    step->sim->report.contact_work += step->stored; // skins that recover
    return;
  }
  const double *before = after + rows, *p = less_counted(step, rows);

  add_belated(step, p, before);
  const bool plain = step->bounded_count == 0 && sim->model->motion_count == 0;
  const double work =
      step->stored + (plain ? work_of_contacts(step, rows, p, before, after) : work_of_blocks(step, p, before, after));
  // Rows of the end of the step may give, within bounds that their stepper holds (implicit/end_velocity.c).
  step->sim->report.contact_work += step->rows_at_end || gives_back(step) ? work : ts_smaller(0.0, work);
}

// ---- rows ----------------------------------------------------------------------------------------------------------

// Joints work for bodies that move as they are told alone; what their errors do is one of the method. An impact leaves
// no time to what is soft. Most rows do nothing at all.
static void add_row(ts_step *step, const ts_bilateral_row *row, double p)
{
  ts_step_report *report = &step->sim->report;
  if (!row->drives && row->drift == 0.0 && row->damping == 0.0) return;
  const double u = ts_bilateral_rate(row, step->from), v = ts_bilateral_rate(row, step->sim->state.velocity);
  if (row->drives) {
    report->drive_work += 0.5 * p * (u + v);
    return;
  }
  report->drive_work -= p * row->drift;
  const double damped = step->strikes ? 0.0 : -step->h * row->damping * (v + row->drift);
  const double work = damped * (0.5 * (u + v) + row->drift);
  report->damping_work += step->at_velocity_level ? work : taken(work); // parts of smooth motion are extrapolated
}

// ---- forces --------------------------------------------------------------------------------------------------------

// Twists at the middle of the change of velocity: state.velocity is that after it, but in flight. Bodies turn freely
// after forces have accelerated them. Their gyroscopic torque works nothing on what it begins and ends with, so that
// forces work on v and v+ without its change.
static const ts_twist *mean_twists(const ts_step *step)
{
  const ts_sim *sim = step->sim;
  const size_t bodies = (size_t)sim->model->body_count;
  const ts_twist *from = step->from;
  const ts_vec3 *turned_by = step->mobility.turned_by;
  ts_twist *mean = ts_arena_bytes(step->arena, bodies, sizeof *mean);
  memcpy(mean, sim->state.velocity, bodies * sizeof *mean);
  if (ts_step_flies(step)) ts_mobility_flown_twists(&step->mobility, mean);
  for (size_t b = 0; b < bodies; ++b) {
    mean[b].linear = ts_scale(0.5, ts_add(from[b].linear, mean[b].linear));
    mean[b].angular = ts_scale(0.5, ts_add(from[b].angular, mean[b].angular));
    if (turned_by) mean[b].angular = ts_add_scaled(mean[b].angular, -0.5, turned_by[b]);
  }
  return mean;
}

static void add_forces(ts_step *step)
{
  ts_sim *sim = step->sim;

  const ts_arena_mark mark = ts_arena_save(step->arena);
  ts_state start = sim->state;
  start.velocity = (ts_twist *)step->from; // for springs, which see velocities as they were
  const ts_force_powers powers =
      ts_powers_of_forces(sim->model, &start, &sim->kinematics, sim->pushed ? sim->pushes : NULL, mean_twists(step));
  sim->report.applied_work += step->h * powers.applied;
  sim->report.drive_work += step->h * powers.drive;
  sim->report.damping_work += taken(step->h * powers.damping);
  ts_arena_restore(step->arena, mark);
}

void ts_step_add_works(ts_step *step, const double *after)
{
  add_blocks(step, after);
  for (int k = 0; k < step->mobility.count; ++k) add_row(step, &step->mobility.rows[k], step->mobility.impulse[k]);
  if (step->strikes) return;
  if (!step->sim->mechanics.weight || step->sim->pushed) add_forces(step); // else gravity alone
  if (step->sim->base_of) ts_bases_push(step);
}
