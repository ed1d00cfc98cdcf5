#include "step/implicit/mncp_check.h"

#include "step/force_limits.h"
#include "step/implicit/judge.h"

#include "complementarity/friction/patch_problem.h"
#include "shape/distance.h"

#include <math.h>
#include <string.h>

// ---- from a point to contacts --------------------------------------------------------------------------------------

static ts_frame part_frame(const ts_ecp_touch *touch, int s)
{
  const ts_ecp_side *side = &touch->contact->side[s];
  const ts_vec3 centre = ts_sub(touch->at[s], touch->arm[s]);
  const ts_mat3 back = ts_mat3_transpose(&side->place.axes), body = ts_mat3_product(&touch->axes[s], &back);
  return (ts_frame){ts_add(centre, ts_mul(&body, side->place.origin)), touch->axes[s]};
}

static double true_gap(const ts_ecp_touch *touch)
{
  const ts_frame first = part_frame(touch, 0), second = part_frame(touch, 1);
  ts_separation separation;
  ts_convex_distance(touch->contact->side[0].part, &first, touch->contact->side[1].part, &second, &separation);
  return separation.gap;
}

// Impulses act as contact_set.c has it: half-way between the surfaces where both bodies move.
static void take_contact(const ts_ecp_problem *problem, const ts_ecp_touch *touch, int dimension,
                         ts_ecp_solution *solution)
{
  const ts_ecp_contact *contact = touch->contact;
  const ts_part *part_1 = &problem->model->parts[contact->parts.first];
  const ts_part *part_2 = &problem->model->parts[contact->parts.second];
  const bool both = contact->side[1].slot >= 0;
  const ts_vec3 point = both ? ts_scale(0.5, ts_add(touch->at[0], touch->at[1])) : touch->at[0];
  const int k = contact->pair;
  solution->contacts.contacts[k] = (ts_contact){.body_1 = part_1->body,
                                                .body_2 = part_2->body,
                                                .part_1 = part_1->source,
                                                .part_2 = part_2->source,
                                                .point = point,
                                                .arm_1 = ts_sub(point, ts_sub(touch->at[0], touch->arm[0])),
                                                .arm_2 = ts_sub(point, ts_sub(touch->at[1], touch->arm[1])),
                                                .normal = touch->n,
                                                .tangent = touch->t,
                                                .other = touch->o,
                                                .gap = true_gap(touch),
                                                .friction = contact->law->friction,
                                                .restitution = contact->law->restitution,
                                                .mode = TS_SEPARATE,
                                                .summed = 1};
  solution->contacts.parts[k] = contact->parts;
  solution->contacts.laws[k] = contact->law;
  double *r = solution->r + (size_t)k * (size_t)dimension;
  for (int c = 0; c < dimension; ++c) r[c] = touch->push[c];
  r[0] = fmax(0.0, r[0]);
}

// A motor's block has its largest impulse first.
static void take_row(const ts_ecp_row *row, const double *point, int dimension, ts_ecp_solution *solution)
{
  if (!row->bounded) return;
  double *r = solution->r + (size_t)(solution->contacts.count + row->source) * (size_t)dimension;
  const bool limit = row->bounded->lower >= 0.0;
  r[0] = limit ? point[row->first] : row->bounded->upper;
  if (!limit) r[1] = point[row->first];
}

void ts_ecp_take(ts_ecp_problem *problem, const double *point, int dimension, ts_ecp_solution *solution)
{
  for (int i = 0; i < problem->body_count; ++i)
    solution->velocity[problem->bodies[i].body] = ts_ecp_twist(problem, &problem->bodies[i], point);
  for (int k = 0; k < problem->row_count; ++k) take_row(&problem->rows[k], point, dimension, solution);
  for (int k = 0; k < problem->contact_count; ++k) {
    ts_ecp_touch touch;
    ts_ecp_look(problem, &problem->contacts[k], point, &touch);
    take_contact(problem, &touch, dimension, solution);
  }
}

// ---- geometry ------------------------------------------------------------------------------------------------------

// How far a part reaches along a unit direction.
static double reach_along(const ts_convex *part, const ts_frame *frame, ts_vec3 direction)
{
  static const double SAME = 1e-9;
  const ts_vec3 own = ts_mul_transposed(&frame->axes, direction);
  if (isfinite(part->reach)) return ts_dot(direction, ts_frame_apply(frame, ts_convex_support(part, own)));
  if (ts_distance_of(own, part->normal) > SAME) return INFINITY;
  return part->offset + ts_dot(direction, frame->origin);
}

static double smaller_size(const ts_ecp_contact *contact)
{
  return fmin(contact->side[0].part->reach, contact->side[1].part->reach);
}

static bool holds(const ts_ecp_touch *touch)
{
  const ts_ecp_contact *contact = touch->contact;
  const double slack = TS_MOST_OVERLAP * smaller_size(contact);
  const ts_frame first = part_frame(touch, 0), second = part_frame(touch, 1);
  if (!(true_gap(touch) >= -slack)) return false;
  if (!(touch->push[0] > 0.0)) return true;
  const double low = -reach_along(contact->side[0].part, &first, ts_negate(touch->n));
  const double high = reach_along(contact->side[1].part, &second, touch->n);
  return low - high >= -slack;
}

bool ts_ecp_touches_hold(ts_ecp_problem *problem, const double *point)
{
  for (int k = 0; k < problem->contact_count; ++k) {
    ts_ecp_touch touch;
    ts_ecp_look(problem, &problem->contacts[k], point, &touch);
    if (!holds(&touch)) return false;
  }
  return true;
}

// ---- the friction problem of the contacts --------------------------------------------------------------------------

// Gaps at the end of the step, linear about the solution, as implicit.c has it. Every block is a patch of its own.
static double problem_residual(ts_step *step, const double *r, const ts_twist *velocity)
{
  const size_t d = (size_t)step->system.dimension, rows = (size_t)step->system.count * d;
  double *there = ts_arena_doubles(step->arena, rows);
  int *start = ts_arena_ints(step->arena, (size_t)step->system.count + 1);
  ts_system_velocity(&step->system, velocity, there);
  ts_system_velocity(&step->system, step->sim->free_velocity, step->system.q);
  ts_step_bounded_bias(step, true);
  for (int i = 0; i < step->contacts.count; ++i) {
    const size_t normal = (size_t)i * d;
    step->bias[normal] = step->contacts.contacts[i].gap / step->h - there[normal];
    for (size_t k = 1; k < d; ++k) step->bias[normal + k] = step->surface[normal + k];
  }
  for (size_t k = 0; k < rows; ++k) step->system.q[k] += step->bias[k];
  for (int i = 0; i <= step->system.count; ++i) start[i] = i;
  const ts_patch_problem patches = {&step->system.problem, step->system.count, start};
  double *own = ts_arena_doubles(step->arena, rows);
  if (rows > 0) memcpy(own, r, rows * sizeof *own);
  ts_islands islands;
  ts_islands_find(&step->system.problem, step->arena, &islands);
  const ts_force_limits limits = ts_force_limits_begin(&step->system, &islands, true, own, step->arena);
  const double fine = ts_step_fineness(step, patches.points, ts_step_speed(step), step->sim->options.tolerance);
  const double residual = ts_patch_residual(&patches, own, step->arena) / fine;
  return ts_force_limits_end(&limits, own) ? residual : fmax(residual, 1.0);
}

double ts_ecp_residual(ts_step *step, ts_arrival *arrival, const double *joint_impulse, ts_ecp_solution *solution)
{
  const ts_model *model = step->sim->model;
  const size_t bodies = (size_t)model->body_count;
  ts_twist *next = ts_arena_bytes(step->arena, 2 * bodies, sizeof *next), *off = next + bodies;
  ts_arrival_move(arrival, step, solution->velocity);
  step->contacts = solution->contacts;
  ts_step_assemble(step);
  double residual = problem_residual(step, solution->r, solution->velocity);
  ts_implicit_respond(step, joint_impulse, solution->r, next);
  for (size_t b = 0; b < bodies; ++b) off[b] = ts_twist_add_scaled(next[b], -1.0, solution->velocity[b]);
  const double speed = ts_step_speed(step), change = ts_largest_speed(model, off);
  if (speed > 0.0) residual = fmax(residual, change / speed);
  memcpy(solution->velocity, next, bodies * sizeof *next);
  return residual;
}
