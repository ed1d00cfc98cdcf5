// The rows of the problem and their Jacobian, as solvers ask for them.
#include "step/implicit/mncp_problem.h"

#include <math.h>
#include <string.h>

// ---- bodies and rows -----------------------------------------------------------------------------------------------

// Components of a wrench, or of a twist, along and about the axes of a body's freedoms.
static int components(const ts_freedoms *freedoms, ts_vec3 along, ts_vec3 about, double out[6])
{
  if (ts_is_flat(freedoms)) {
    out[0] = along.x, out[1] = along.y, out[2] = about.z;
    return 3;
  }
  out[0] = along.x, out[1] = along.y, out[2] = along.z;
  out[3] = about.x, out[4] = about.y, out[5] = about.z;
  return 6;
}

static const ts_freedoms *freedoms_of(const ts_ecp_problem *problem, int slot)
{
  return problem->model->bodies[problem->bodies[slot].body].freedoms;
}

// What a moment is to a body.
static ts_vec3 felt(const ts_ecp_problem *problem, int slot, ts_vec3 moment)
{
  static const ts_vec3 nothing = {0.0, 0.0, 0.0};
  return slot >= 0 && problem->bodies[slot].turns ? moment : nothing;
}

static void add_to_body(const ts_ecp_problem *problem, int slot, double s, ts_vec3 along, ts_vec3 about, double *F)
{
  double own[6];
  if (slot < 0) return;
  const int count = components(freedoms_of(problem, slot), along, about, own);
  for (int c = 0; c < count; ++c) F[problem->bodies[slot].first + c] += s * own[c];
}

// M (v - v_free)
static void body_rows(const ts_ecp_problem *problem, const double *point, double *F)
{
  for (int i = 0; i < problem->body_count; ++i) {
    const ts_ecp_body *body = &problem->bodies[i];
    const ts_twist change = ts_twist_add_scaled(ts_ecp_twist(problem, body, point), -1.0, body->free);
    add_to_body(problem, i, 1.0, ts_scale(body->mass, change.linear), ts_mul(&body->inertia, change.angular), F);
  }
}

typedef struct row_side {
  int slot;
  const ts_twist *jacobian;
} row_side;

static int side_count(const ts_ecp_row *row)
{
  return row->joint ? ts_side_count(row->joint) : 2;
}

static row_side side_at(const ts_ecp_problem *problem, const ts_ecp_row *row, int side)
{
  const int body = row->joint ? ts_side_body(row->joint, side) : row->bounded->row.body[side];
  const ts_twist *jacobian = row->joint ? ts_side_jacobian(row->joint, side) : &row->bounded->row.jacobian[side];
  return (row_side){body >= 0 ? problem->slot[body] : -1, jacobian};
}

static double softness_of(const ts_ecp_row *row)
{
  return row->joint ? row->joint->softness : row->bounded->softness;
}

static void joint_rows(const ts_ecp_problem *problem, const double *point, double *F)
{
  for (int k = 0; k < problem->row_count; ++k) {
    const ts_ecp_row *row = &problem->rows[k];
    const double impulse = point[row->first];
    double rate = row->bias + softness_of(row) * impulse;
    for (int s = 0; s < side_count(row); ++s) {
      const row_side side = side_at(problem, row, s);
      if (side.slot < 0) continue;
      rate += ts_twist_dot(*side.jacobian, ts_ecp_twist(problem, &problem->bodies[side.slot], point));
      add_to_body(problem, side.slot, -impulse, side.jacobian->linear, felt(problem, side.slot, side.jacobian->angular),
                  F);
    }
    F[row->first] = row->idle ? impulse : rate;
  }
}

// ---- contacts ------------------------------------------------------------------------------------------------------

static void write_vector(const ts_ecp_problem *problem, ts_vec3 v, double *to)
{
  to[0] = v.x, to[1] = v.y;
  if (problem->space > 2) to[2] = v.z;
}

static void friction_rows(const ts_ecp_touch *touch, const ts_ecp_places *at, double *F)
{
  const ts_ecp_contact *contact = touch->contact;
  const double *p = touch->push, mu = contact->friction, e[3] = {contact->semi.x, contact->semi.y, contact->semi.z};
  const double v[3] = {ts_dot(touch->t, touch->velocity), ts_dot(touch->o, touch->velocity),
                       ts_dot(touch->n, touch->turning)};
  double room = mu * mu * p[0] * p[0];
  if (contact->rubs == 0) return;
  for (int r = 0; r < contact->rubs; ++r) {
    F[at->friction + r] = e[r] * e[r] * mu * p[0] * v[r] + p[1 + r] * touch->slip;
    room -= p[1 + r] * p[1 + r] / (e[r] * e[r]);
  }
  F[at->slip] = room;
}

static void contact_rows(ts_ecp_problem *problem, const ts_ecp_contact *contact, const double *point, double *F)
{
  const ts_ecp_places at = ts_ecp_places_of(problem, contact);
  ts_ecp_touch touch;
  double *own = F + contact->first;
  ts_ecp_look(problem, contact, point, &touch);
  write_vector(problem, ts_add_scaled(ts_sub(touch.at[0], touch.at[1]), touch.depth, touch.cone[0]), own);
  write_vector(problem, ts_add(touch.cone[0], touch.cone[1]), own + at.a2);
  int row = at.faces_1;
  for (int i = 0; i < contact->side[0].count; ++i)
    own[i == contact->face ? at.depth : row++] = i == contact->face ? touch.function[i] : -touch.function[i];
  for (int j = 0; j < contact->side[1].count; ++j) own[row++] = -touch.function[contact->side[0].count + j];
  own[at.normal] = touch.depth;
  friction_rows(&touch, &at, own);
  const ts_vec3 spin = ts_scale(touch.push[3], touch.n);
  for (int s = 0; s < 2; ++s)
    add_to_body(problem, contact->side[s].slot, s == 0 ? -1.0 : 1.0, touch.force,
                felt(problem, contact->side[s].slot, ts_add(ts_cross(touch.arm[s], touch.force), spin)), F);
}

static void set_point(ts_ecp_problem *problem, const double *z)
{
  for (int k = 0; k < problem->size; ++k) problem->point[k] = problem->origin[k] + problem->unit[k] * z[k];
}

static int evaluate(void *user, const double *z, double *F)
{
  ts_ecp_problem *problem = user;
  set_point(problem, z);
  memset(F, 0, (size_t)problem->size * sizeof *F);
  body_rows(problem, problem->point, F);
  joint_rows(problem, problem->point, F);
  for (int k = 0; k < problem->contact_count; ++k) contact_rows(problem, &problem->contacts[k], problem->point, F);
  for (int k = 0; k < problem->size; ++k) F[k] *= problem->weight[k];
  return 0;
}

// ---- Jacobian ------------------------------------------------------------------------------------------------------

// Where the rows of block I begin in the column of unknown c of block J.
static double *place(const ts_ecp_problem *problem, int I, int J, int c, double *values)
{
  const ts_ecp_pattern *pattern = &problem->pattern;
  int k = pattern->start[J];
  while (pattern->block[k] != I) ++k;
  return values + pattern->value[J] + (size_t)c * (size_t)pattern->height[J] + pattern->offset[k];
}

static void add_column(const ts_ecp_problem *problem, int slot, double s, ts_vec3 along, ts_vec3 about, int J, int c,
                       double *values)
{
  double own[6];
  if (slot < 0) return;
  const int count = components(freedoms_of(problem, slot), along, about, own);
  double *to = place(problem, slot, J, c, values);
  for (int k = 0; k < count; ++k) to[k] += s * own[k];
}

// The twist whose component c is 1.
static ts_twist unit_twist(const ts_freedoms *freedoms, int c)
{
  static const ts_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, zero = {0.0, 0.0, 0.0};
  if (c < freedoms->slides) return (ts_twist){axes[c], zero};
  return (ts_twist){zero, axes[freedoms->turns == 1 ? 2 : c - freedoms->slides]};
}

static int freedom_count(const ts_freedoms *freedoms)
{
  return freedoms->slides + freedoms->turns;
}

static void body_columns(const ts_ecp_problem *problem, double *values)
{
  for (int i = 0; i < problem->body_count; ++i) {
    const ts_ecp_body *body = &problem->bodies[i];
    const ts_freedoms *freedoms = freedoms_of(problem, i);
    for (int c = 0; c < freedom_count(freedoms); ++c) {
      const ts_twist unit = unit_twist(freedoms, c);
      add_column(problem, i, 1.0, ts_scale(body->mass, unit.linear), ts_mul(&body->inertia, unit.angular), i, c,
                 values);
    }
  }
}

static void joint_columns(const ts_ecp_problem *problem, double *values)
{
  for (int k = 0; k < problem->row_count; ++k) {
    const ts_ecp_row *row = &problem->rows[k];
    const int J = problem->body_count + k;
    *place(problem, J, J, 0, values) = row->idle ? 1.0 : softness_of(row);
    for (int s = 0; s < side_count(row); ++s) {
      const row_side side = side_at(problem, row, s);
      if (side.slot < 0) continue;
      add_column(problem, side.slot, -1.0, side.jacobian->linear, felt(problem, side.slot, side.jacobian->angular), J,
                 0, values);
      const ts_freedoms *freedoms = freedoms_of(problem, side.slot);
      for (int c = 0; c < freedom_count(freedoms) && !row->idle; ++c)
        *place(problem, J, side.slot, c, values) += ts_twist_dot(*side.jacobian, unit_twist(freedoms, c));
    }
  }
}

// A contact whose columns are written.
typedef struct columns {
  ts_ecp_problem *problem;
  ts_ecp_touch touch;
  ts_ecp_places at;
  int block; // of the contact
  double *values;
} columns;

// Write what a change does, as column c of block J.
static void write_column(const columns *w, const ts_ecp_change *change, int J, int c)
{
  const ts_ecp_problem *problem = w->problem;
  const ts_ecp_contact *contact = w->touch.contact;
  const ts_ecp_rate rate = ts_ecp_differentiate(problem, &w->touch, change);
  double *own = place(problem, w->block, J, c, w->values);
  write_vector(problem, rate.apart, own);
  write_vector(problem, rate.against, own + w->at.a2);
  int row = w->at.faces_1;
  for (int i = 0; i < contact->side[0].count; ++i) {
    const double along = ts_dot(w->touch.gradient[i], change->x[0]);
    own[i == contact->face ? w->at.depth : row++] = i == contact->face ? along : -along;
  }
  for (int j = 0; j < contact->side[1].count; ++j)
    own[row++] = -ts_dot(w->touch.gradient[contact->side[0].count + j], change->x[1]);
  own[w->at.normal] = change->depth;
  for (int r = 0; r < contact->rubs; ++r) own[w->at.friction + r] = rate.friction[r];
  if (contact->rubs > 0) own[w->at.slip] = rate.room;
  for (int s = 0; s < 2; ++s)
    add_column(problem, contact->side[s].slot, s == 0 ? -1.0 : 1.0, rate.force,
               felt(problem, contact->side[s].slot, rate.moment[s]), J, c, w->values);
}

static void set_component(ts_vec3 *v, int c, double value)
{
  double *const at[3] = {&v->x, &v->y, &v->z};
  *at[c] = value;
}

static void point_and_face_columns(const columns *w)
{
  const ts_ecp_contact *contact = w->touch.contact;
  for (int s = 0; s < 2; ++s)
    for (int c = 0; c < w->problem->space; ++c) {
      ts_ecp_change change = {.slip = 0.0};
      set_component(&change.x[s], c, 1.0);
      write_column(w, &change, w->block, s * w->problem->space + c);
    }
  int c = w->at.faces_1;
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < contact->side[s].count; ++i) {
      if (s == 0 && i == contact->face) continue;
      ts_ecp_change change = {.slip = 0.0};
      change.cone[s] = w->touch.gradient[(s == 0 ? 0 : contact->side[0].count) + i];
      write_column(w, &change, w->block, c++);
    }
}

static void impulse_columns(const columns *w)
{
  const ts_ecp_contact *contact = w->touch.contact;
  write_column(w, &(ts_ecp_change){.depth = 1.0}, w->block, w->at.depth);
  for (int r = 0; r <= contact->rubs; ++r) {
    ts_ecp_change change = {.slip = 0.0};
    change.push[r] = 1.0;
    write_column(w, &change, w->block, w->at.normal + r);
  }
  if (contact->rubs > 0) write_column(w, &(ts_ecp_change){.slip = 1.0}, w->block, w->at.slip);
}

static void velocity_columns(const columns *w)
{
  for (int s = 0; s < 2; ++s) {
    const int slot = w->touch.contact->side[s].slot;
    if (slot < 0) continue;
    const ts_freedoms *freedoms = freedoms_of(w->problem, slot);
    for (int c = 0; c < freedom_count(freedoms); ++c) {
      ts_ecp_change change = {.slip = 0.0};
      change.twist[s] = unit_twist(freedoms, c);
      write_column(w, &change, slot, c);
    }
  }
}

static void scale_values(const ts_ecp_problem *problem, double *values)
{
  const ts_ecp_pattern *pattern = &problem->pattern;
  for (int c = 0; c < problem->size; ++c)
    for (int k = pattern->column[c]; k < pattern->column[c + 1]; ++k)
      values[k] *= problem->weight[pattern->row_list[k]] * problem->unit[c];
}

static int jacobian(void *user, const double *z, double *values)
{
  ts_ecp_problem *problem = user;
  set_point(problem, z);
  memset(values, 0, problem->pattern.value[problem->pattern.count] * sizeof *values);
  body_columns(problem, values);
  joint_columns(problem, values);
  for (int k = 0; k < problem->contact_count; ++k) {
    columns w = {.problem = problem,
                 .at = ts_ecp_places_of(problem, &problem->contacts[k]),
                 .block = problem->body_count + problem->row_count + k,
                 .values = values};
    ts_ecp_look(problem, &problem->contacts[k], problem->point, &w.touch);
    point_and_face_columns(&w);
    impulse_columns(&w);
    velocity_columns(&w);
  }
  scale_values(problem, values);
  return 0;
}

ts_problem ts_ecp_view(ts_ecp_problem *problem)
{
  return ts_problem_mcp((ts_mcp){.size = problem->size,
                                 .lower = problem->lower,
                                 .upper = problem->upper,
                                 .start = problem->pattern.column,
                                 .index = problem->pattern.row_list,
                                 .evaluate = evaluate,
                                 .jacobian = jacobian,
                                 .user = problem});
}
