// Bodies, rows and contacts of the problem, their unknowns, bounds and units.
#include "step/implicit/mncp_problem.h"

#include "contact/law.h"
#include "shape/implicit.h"

#include <math.h>
#include <string.h>

ts_ecp_places ts_ecp_places_of(const ts_ecp_problem *problem, const ts_ecp_contact *contact)
{
  ts_ecp_places at = {.a2 = problem->space, .depth = 2 * problem->space};
  at.faces_1 = at.depth + 1;
  at.faces_2 = at.faces_1 + contact->side[0].count - 1;
  at.normal = at.faces_2 + contact->side[1].count;
  at.friction = at.normal + 1;
  at.slip = at.friction + contact->rubs;
  at.size = at.slip + (contact->rubs > 0);
  return at;
}

// ---- bodies --------------------------------------------------------------------------------------------------------

static bool may_turn(const ts_body *body)
{
  const ts_mat3 *I = &body->inverse_inertia;
  return I->x.x > 0.0 || I->y.y > 0.0 || I->z.z > 0.0;
}

// Of particles that do not turn: any will do, for no moments reach them.
static ts_mat3 inertia_of(const ts_sim *sim, int b)
{
  const ts_body *body = &sim->model->bodies[b];
  const double m = body->mass;
  if (!may_turn(body)) return (ts_mat3){{m, 0.0, 0.0}, {0.0, m, 0.0}, {0.0, 0.0, m}};
  return ts_mat3_rotate(&sim->kinematics.frame[b].axes, &body->inertia);
}

static void take_bodies(const ts_ecp_parts *parts, int *slot, ts_arena *arena, ts_ecp_problem *problem)
{
  const ts_sim *sim = parts->step->sim;
  const ts_model *model = sim->model;
  problem->bodies = ts_arena_bytes(arena, (size_t)model->body_count, sizeof *problem->bodies);
  for (int b = 0; b < model->body_count; ++b) {
    slot[b] = -1;
    if (parts->island[b] != parts->chosen) continue;
    const ts_body *body = &model->bodies[b];
    slot[b] = problem->body_count;
    problem->bodies[problem->body_count++] = (ts_ecp_body){.body = b,
                                                           .first = problem->size,
                                                           .start = sim->kinematics.frame[b],
                                                           .mass = body->mass,
                                                           .inertia = inertia_of(sim, b),
                                                           .turns = may_turn(body),
                                                           .free = sim->free_velocity[b]};
    problem->size += body->freedoms->slides + body->freedoms->turns;
  }
}

// ---- rows ----------------------------------------------------------------------------------------------------------

// A row is of the island that one of its bodies is of: they are all of the same.
static bool is_chosen_row(const ts_ecp_parts *parts, const ts_row *row)
{
  for (int s = 0; s < 2; ++s)
    if (row->body[s] >= 0) return parts->island[row->body[s]] == parts->chosen;
  return false;
}

// The free velocity obeys joints: what they have to hold is what impulses of the problem add, rate + softness impulse
// = 0 of the change.
static void take_rows(const ts_ecp_parts *parts, ts_arena *arena, ts_ecp_problem *problem)
{
  const ts_step *step = parts->step;
  const ts_mobility *mobility = &step->mobility;
  const int d = step->system.dimension;
  problem->rows = ts_arena_bytes(arena, (size_t)mobility->count + (size_t)step->bounded_count, sizeof *problem->rows);
  for (int k = 0; k < mobility->count; ++k)
    if (is_chosen_row(parts, &mobility->rows[k].row)) {
      const double rate = ts_bilateral_rate(&mobility->rows[k], step->sim->free_velocity);
      problem->rows[problem->row_count++] = (ts_ecp_row){.joint = &mobility->rows[k],
                                                         .source = k,
                                                         .bias = -rate,
                                                         .idle = mobility->depends[k],
                                                         .first = problem->size++};
    }
  for (int k = 0; k < step->bounded_count; ++k)
    if (is_chosen_row(parts, &step->bounded[k].row)) {
      const double *bias = step->bias + (size_t)(step->contacts.count + k) * (size_t)d;
      problem->rows[problem->row_count++] = (ts_ecp_row){.bounded = &step->bounded[k],
                                                         .source = k,
                                                         .bias = bias[step->bounded[k].lower >= 0.0 ? 0 : 1],
                                                         .first = problem->size++};
    }
}

// ---- contacts ------------------------------------------------------------------------------------------------------

// In the plane a point's functions along z have nothing to say.
static void take_functions(const ts_ecp_problem *problem, ts_ecp_side *side, ts_arena *arena)
{
  const int all = ts_implicit_count(side->part);
  int *list = ts_arena_ints(arena, (size_t)all);
  for (int i = 0; i < all; ++i) {
    ts_vec3 gradient;
    ts_implicit_value(side->part, i, side->part->middle, &gradient, NULL);
    if (problem->space > 2 || gradient.z == 0.0) list[side->count++] = i;
  }
  side->list = list;
}

static ts_ecp_side side_of(const ts_ecp_parts *parts, const ts_ecp_problem *problem, int part, const int *slot,
                           ts_arena *arena)
{
  const ts_sim *sim = parts->step->sim;
  const ts_part *p = &sim->model->parts[part];
  ts_ecp_side side = {.part = &p->convex,
                      .slot = slot[p->body],
                      .frame = parts->end->frame[p->body],
                      .twist = sim->state.velocity[p->body],
                      .place = p->frame};
  take_functions(problem, &side, arena);
  return side;
}

static int friction_rows(const ts_step *step, const ts_contact_law *law)
{
  if (!(law->friction > 0.0)) return 0;
  const int d = step->system.dimension;
  return d == 4 && !ts_law_resists_spin(law) ? 2 : d - 1;
}

static void take_contacts(const ts_ecp_parts *parts, const int *slot, ts_arena *arena, ts_ecp_problem *problem)
{
  const ts_model *model = problem->model;
  problem->contacts = ts_arena_bytes(arena, (size_t)parts->pair_count, sizeof *problem->contacts);
  for (int k = 0; k < parts->pair_count; ++k) {
    const ts_part_pair pair = parts->pairs[k];
    const int bodies[2] = {model->parts[pair.first].body, model->parts[pair.second].body};
    if (parts->island[bodies[0]] != parts->chosen) continue;
    ts_ecp_contact *contact = &problem->contacts[problem->contact_count++];
    const ts_contact_law *law = parts->laws[k];
    *contact = (ts_ecp_contact){.pair = k,
                                .parts = pair,
                                .law = law,
                                .friction = law->friction,
                                .semi = ts_law_semi_axes(law),
                                .rubs = friction_rows(parts->step, law),
                                .first = problem->size};
    contact->side[0] = side_of(parts, problem, pair.first, slot, arena);
    contact->side[1] = side_of(parts, problem, pair.second, slot, arena);
    contact->weight = 1.0 / (model->bodies[bodies[0]].inverse_mass + model->bodies[bodies[1]].inverse_mass);
    problem->size += ts_ecp_places_of(problem, contact).size;
  }
}

// ---- bounds and units ----------------------------------------------------------------------------------------------

static double gyration(const ts_ecp_problem *problem, const ts_ecp_body *body)
{
  const ts_mat3 *I = &body->inertia;
  const bool angle = ts_has_angle(problem->model->bodies[body->body].freedoms);
  return sqrt((angle ? I->z.z : (I->x.x + I->y.y + I->z.z) / 3.0) / body->mass);
}

static void measure(ts_ecp_problem *problem, int k, double unit, double row)
{
  problem->unit[k] = unit;
  problem->weight[k] = 1.0 / row;
}

static void measure_bodies(ts_ecp_problem *problem, double speed)
{
  for (int i = 0; i < problem->body_count; ++i) {
    const ts_ecp_body *body = &problem->bodies[i];
    const ts_freedoms *freedoms = problem->model->bodies[body->body].freedoms;
    const double radius = gyration(problem, body), momentum = body->mass * speed;
    int k = body->first;
    for (int c = 0; c < freedoms->slides; ++c) measure(problem, k++, speed, momentum);
    for (int c = 0; c < freedoms->turns; ++c) measure(problem, k++, speed / radius, momentum * radius);
  }
}

// By what its impulse does: A = jacobian M^-1 jacobian^T + softness. Impulses of rows that add nothing are 0.
static void measure_row(const ts_ecp_parts *parts, ts_ecp_problem *problem, const ts_ecp_row *row, double speed)
{
  const ts_sim *sim = parts->step->sim;
  const ts_row *first = row->joint ? &row->joint->row : &row->bounded->row;
  double A = row->joint ? row->joint->softness : row->bounded->softness, inverse_mass = 0.0;
  for (int s = 0; s < 2; ++s) {
    const int b = first->body[s];
    if (b < 0) continue;
    const ts_wrench push = {first->jacobian[s].linear, first->jacobian[s].angular};
    A += ts_twist_dot(first->jacobian[s], ts_respond(sim->model, &sim->kinematics, b, push));
    inverse_mass += sim->model->bodies[b].inverse_mass;
  }
  const double rate = speed * sqrt(A / inverse_mass);
  measure(problem, row->first, rate / A, row->idle ? rate / A : rate);
}

// Of the smaller part; a point has none, a plane no end.
static double size_of(const ts_ecp_contact *contact)
{
  const double first = contact->side[0].part->reach, second = contact->side[1].part->reach;
  const double smaller = fmin(first, second), larger = fmax(first, second);
  return smaller > 0.0 ? smaller : larger > 0.0 && isfinite(larger) ? larger : 1.0;
}

// Normals are as good as gaps are that a turn makes: their unit, and that of multipliers, is the angle by which the
// part moves by a gap. With 1 instead a cube that stands on a corner of its face is a local minimum for solvers.
static void measure_contact(ts_ecp_problem *problem, const ts_ecp_contact *contact, double speed)
{
  const ts_ecp_places at = ts_ecp_places_of(problem, contact);
  const double gap = problem->h * speed, impulse = contact->weight * speed;
  const double size = size_of(contact), angle = gap / size;
  const int first = contact->first;
  for (int k = 0; k < at.a2; ++k) measure(problem, first + k, size, gap);
  for (int k = at.a2; k < at.depth; ++k) measure(problem, first + k, size, angle);
  measure(problem, first + at.depth, gap, gap);
  for (int k = at.faces_1; k < at.normal; ++k) measure(problem, first + k, angle, gap);
  measure(problem, first + at.normal, impulse, gap);
  ts_ecp_measure_friction(problem, contact, speed);
}

// Impulses by what the load allows, and slip by itself where it is quick: all of the rows are then of one size.
void ts_ecp_measure_friction(ts_ecp_problem *problem, const ts_ecp_contact *contact, double slip)
{
  const ts_ecp_places at = ts_ecp_places_of(problem, contact);
  const double e[3] = {contact->semi.x, contact->semi.y, contact->semi.z};
  const double most = contact->friction * problem->unit[contact->first + at.normal];
  const double speed = fmax(slip, problem->speed);
  if (contact->rubs == 0) return;
  for (int r = 0; r < contact->rubs; ++r)
    measure(problem, contact->first + at.friction + r, most * e[r], most * e[r] * speed);
  measure(problem, contact->first + at.slip, speed, most * most);
}

static void set_bounds(ts_ecp_problem *problem)
{
  for (int k = 0; k < problem->size; ++k) {
    problem->lower[k] = -INFINITY;
    problem->upper[k] = INFINITY;
  }
  for (int k = 0; k < problem->row_count; ++k) {
    const ts_ecp_row *row = &problem->rows[k];
    if (!row->bounded) continue;
    problem->lower[row->first] = row->bounded->lower / problem->unit[row->first];
    problem->upper[row->first] = row->bounded->upper / problem->unit[row->first];
  }
  for (int k = 0; k < problem->contact_count; ++k) {
    const ts_ecp_contact *contact = &problem->contacts[k];
    const ts_ecp_places at = ts_ecp_places_of(problem, contact);
    double *lower = problem->lower + contact->first;
    for (int i = at.faces_1; i <= at.normal; ++i) lower[i] = 0.0;
    if (contact->rubs > 0) lower[at.slip] = 0.0;
  }
}

static void make_scratch(ts_ecp_problem *problem, ts_arena *arena)
{
  size_t most = 0;
  for (int k = 0; k < problem->contact_count; ++k) {
    const size_t functions = (size_t)problem->contacts[k].side[0].count + (size_t)problem->contacts[k].side[1].count;
    if (functions > most) most = functions;
  }
  const size_t n = (size_t)problem->size;
  problem->lower = ts_arena_doubles(arena, 6 * n);
  problem->upper = problem->lower + n;
  problem->origin = problem->upper + n;
  problem->unit = problem->origin + n;
  problem->weight = problem->unit + n;
  problem->point = problem->weight + n;
  memset(problem->origin, 0, n * sizeof *problem->origin);
  problem->function = ts_arena_doubles(arena, most);
  problem->gradient = ts_arena_bytes(arena, most, sizeof *problem->gradient);
}

// Velocities are counted from the free ones.
static void set_origin(ts_ecp_problem *problem)
{
  for (int i = 0; i < problem->body_count; ++i) {
    const ts_ecp_body *body = &problem->bodies[i];
    const ts_vec3 v = body->free.linear, w = body->free.angular;
    double *to = problem->origin + body->first;
    if (ts_is_flat(problem->model->bodies[body->body].freedoms)) {
      to[0] = v.x, to[1] = v.y, to[2] = w.z;
    } else {
      to[0] = v.x, to[1] = v.y, to[2] = v.z;
      to[3] = w.x, to[4] = w.y, to[5] = w.z;
    }
  }
}

void ts_ecp_measure(const ts_ecp_parts *parts, double speed, ts_ecp_problem *problem)
{
  problem->speed = speed;
  measure_bodies(problem, speed);
  for (int k = 0; k < problem->row_count; ++k) measure_row(parts, problem, &problem->rows[k], speed);
  for (int k = 0; k < problem->contact_count; ++k) measure_contact(problem, &problem->contacts[k], speed);
  set_bounds(problem);
}

void ts_ecp_build(const ts_ecp_parts *parts, ts_arena *arena, ts_ecp_problem *problem)
{
  const ts_model *model = parts->step->sim->model;
  *problem = (ts_ecp_problem){.model = model, .h = parts->step->h, .space = model->freedoms->slides};
  int *slot = ts_arena_ints(arena, (size_t)model->body_count);
  take_bodies(parts, slot, arena, problem);
  problem->slot = slot;
  take_rows(parts, arena, problem);
  take_contacts(parts, slot, arena, problem);
  make_scratch(problem, arena);
  set_origin(problem);
  ts_ecp_make_pattern(problem, arena);
}
