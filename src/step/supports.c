#include "step/supports.h"

#include "step/bases.h"
#include "step/snapshot.h"

#include "contact/law.h"
#include "model/supports.h"

#include <string.h>

static ts_contact_set copy_of_contacts(const ts_step *step)
{
  const ts_contact_set *from = &step->contacts;
  const size_t old = (size_t)from->count, all = old + (size_t)step->sim->model->support_point_count;
  ts_contact_set set = {.count = from->count, .capacity = (int)all, .companions = from->companions};
  set.contacts = ts_arena_bytes(step->arena, all, sizeof *set.contacts);
  set.laws = ts_arena_bytes(step->arena, all, sizeof *set.laws);
  set.parts = ts_arena_bytes(step->arena, all, sizeof *set.parts);
  if (old == 0) return set;
  memcpy(set.contacts, from->contacts, old * sizeof *set.contacts);
  memcpy(set.laws, from->laws, old * sizeof *set.laws);
  memcpy(set.parts, from->parts, old * sizeof *set.parts);
  return set;
}

static ts_vec3 arm_of_plane(const ts_step *step, const ts_support *support, ts_vec3 point)
{
  return support->on == TS_WORLD ? point : ts_sub(point, step->sim->kinematics.frame[support->on].origin);
}

// Whether its point slides or, where it resists spin, turns: as a part of friction that is used up.
static ts_contact_mode mode_of(const ts_step *step, int i, const ts_contact *contact, const ts_contact_law *law)
{
  if (!(contact->impulse[0] > 0.0)) return TS_SEPARATE;
  const double share = ts_law_cone_share(&step->sim->options, step->sim->model);
  const double slip = hypot(contact->velocity[1], contact->velocity[2]) +
                      fabs(contact->velocity[3]) * (ts_law_resists_spin(law) ? law->ellipsoid.z : 0.0);
  return slip > ts_slip_threshold(step, i) && ts_law_uses_up_friction(contact, law, share) ? TS_SLIP : TS_STICK;
}

static ts_contact support_contact(const ts_step *step, int i, const double *u)
{
  const ts_bounded_row *row = &step->bounded[step->system.blocks[i].source];
  const ts_support *support = row->support;
  const int d = step->system.dimension;
  const double *r = step->r + (size_t)i * (size_t)d, *own = u + (size_t)i * (size_t)d;
  const double *surface = step->surface + (size_t)i * (size_t)d;
  const ts_vec3 point = ts_add(step->sim->kinematics.frame[support->body].origin, row->arm);
  ts_contact contact = {.body_1 = support->body,
                        .body_2 = support->on,
                        .part_1 = -1,
                        .part_2 = -1,
                        .support = true,
                        .feature = row->feature,
                        .point = point,
                        .arm_1 = row->arm,
                        .arm_2 = arm_of_plane(step, support, point),
                        .normal = {0.0, 0.0, 1.0},
                        .tangent = {1.0, 0.0, 0.0},
                        .other = {0.0, 1.0, 0.0},
                        .friction = support->law.friction,
                        .summed = 1};
  for (int k = 0; k < d; ++k) {
    contact.impulse[k] = r[k];
    contact.velocity[k] = k == 0 ? 0.0 : own[k] + surface[k];
  }
  contact.mode = mode_of(step, i, &contact, &support->law);
  return contact;
}

ts_contact_set ts_step_with_supports(const ts_step *step, const double *u)
{
  const ts_model *model = step->sim->model;
  ts_contact_set set = copy_of_contacts(step);
  for (int i = step->contacts.count; i < step->system.count; ++i) {
    if (step->system.blocks[i].kind != TS_BLOCK_SUPPORT) continue;
    const int place = model->part_count + step->bounded[step->system.blocks[i].source].support->body;
    set.contacts[set.count] = support_contact(step, i, u);
    set.laws[set.count] = &step->bounded[step->system.blocks[i].source].support->law;
    set.parts[set.count++] = (ts_part_pair){place, place}; // behind all parts
  }
  return set;
}

// ---- friction of what sticks ---------------------------------------------------------------------------------------

// What friction of supports does to a body, about the mean of their places weighted by loads.
typedef struct grip {
  double load, middle[2], force[2], moment, inertia;
} grip;

static grip grip_of(const ts_step *step, int first, int count)
{
  const int d = step->system.dimension;
  grip g = {0.0, {0.0, 0.0}, {0.0, 0.0}, 0.0, 0.0};
  for (int i = first; i < first + count; ++i) {
    const ts_vec3 arm = step->bounded[step->system.blocks[i].source].arm;
    g.load += step->r[i * d];
    g.middle[0] += step->r[i * d] * arm.x;
    g.middle[1] += step->r[i * d] * arm.y;
  }
  for (int c = 0; c < 2; ++c) g.middle[c] /= g.load;
  for (int i = first; i < first + count; ++i) {
    const ts_vec3 arm = step->bounded[step->system.blocks[i].source].arm;
    const double *r = step->r + (size_t)i * (size_t)d, x = arm.x - g.middle[0], y = arm.y - g.middle[1];
    g.force[0] += r[1];
    g.force[1] += r[2];
    g.moment += x * r[2] - y * r[1];
    g.inertia += r[0] * (x * x + y * y);
  }
  return g;
}

// f_i = N_i (F / N + M / I z x r_i): the least sum of |f_i|^2 / N_i for the same force and moment.
static void share_grip(const ts_step *step, int first, int count)
{
  const int d = step->system.dimension;
  const grip g = grip_of(step, first, count);
  const double turn = g.inertia > 0.0 ? g.moment / g.inertia : 0.0, mu = step->system.blocks[first].friction;
  for (int pass = 0; pass < 2; ++pass) // first whether all keep within their cones
    for (int i = first; i < first + count; ++i) {
      const ts_bounded_row *row = &step->bounded[step->system.blocks[i].source];
      double *r = step->r + (size_t)i * (size_t)d;
      const double f[3] = {r[0], r[0] * (g.force[0] / g.load - turn * (row->arm.y - g.middle[1])),
                           r[0] * (g.force[1] / g.load + turn * (row->arm.x - g.middle[0]))};
      if (pass == 0 && ts_law_friction_used(row->support->law.ellipsoid, f, 3) > mu * r[0]) return;
      if (pass > 0) memcpy(r, f, sizeof f);
    }
}

void ts_supports_settle(const ts_step *step, const double *u)
{
  const ts_system *system = &step->system;
  const int d = system->dimension;
  for (int i = step->contacts.count; i < system->count;) {
    const ts_support *support =
        system->blocks[i].kind == TS_BLOCK_SUPPORT ? step->bounded[system->blocks[i].source].support : NULL;
    const int count = support ? support->count : 1;
    bool sticks = support && count > 1 && !ts_law_resists_spin(&support->law);
    for (int k = i; sticks && k < i + count; ++k) {
      const size_t row = (size_t)k * (size_t)d;
      const double slip = hypot(u[row + 1] + step->surface[row + 1], u[row + 2] + step->surface[row + 2]);
      sticks = slip <= ts_slip_threshold(step, k) && step->r[row] > 0.0;
    }
    if (sticks) share_grip(step, i, count);
    i += count;
  }
}

// Supports of a body lie together.
bool ts_supports_are_unique(const ts_contact_set *contacts)
{
  for (int i = 1; i < contacts->count; ++i) {
    const ts_contact *a = &contacts->contacts[i - 1], *b = &contacts->contacts[i];
    const bool both = a->support && b->support && a->body_1 == b->body_1 && a->friction > 0.0;
    if (both && a->mode == TS_STICK && b->mode == TS_STICK) return false;
  }
  return true;
}

// ---- loads ---------------------------------------------------------------------------------------------------------

void ts_supports_rest(ts_sim *sim)
{
  for (int i = 0; i < sim->model->support_point_count; ++i) sim->support_loads[i] = sim->model->support_points[i].load;
}

// Friction of its supports on a body, and all else that pushes it along the plane, by the change of its momentum [N].
typedef struct pushes {
  ts_vec3 friction, other;
} pushes;

static pushes pushes_on(const ts_sim *sim, const ts_support *support, const ts_twist *velocity_before, double h)
{
  const int body = support->body;
  const ts_vec3 change = ts_sub(sim->state.velocity[body].linear, velocity_before->linear);
  const double mass = sim->options.method->without_inertia ? 0.0 : sim->model->bodies[body].mass;
  pushes p = {.friction = {0.0, 0.0, 0.0}};
  for (int i = 0; i < sim->contacts.count; ++i) {
    const ts_contact *contact = &sim->contacts.contacts[i];
    if (!contact->support || contact->body_1 != body) continue;
    p.friction = ts_add(p.friction, (ts_vec3){contact->impulse[1] / h, contact->impulse[2] / h, 0.0});
  }
  p.other = ts_add_scaled(ts_scale(-1.0, p.friction), mass / h, change);
  return p;
}

// Moments about horizontal axes vanish: a push at the height z above the centre of mass presses in front of it,
//   sum of N_i r_i = z_push F_push + z_plane F_friction.
static ts_pressing pressing_of(const ts_sim *sim, const ts_support *support, const ts_twist *velocity_before,
                               double weight, double h)
{
  const pushes p = pushes_on(sim, support, velocity_before, h);
  const double low = -support->centre_height, high = support->height - support->centre_height;
  const ts_vec3 shift = ts_add_scaled(ts_scale(low, p.friction), high, p.other);
  const ts_vec3 own = ts_mul_transposed(&sim->kinematics.frame[support->body].axes, shift);
  return (ts_pressing){.force = weight, .along = {own.x, own.y}};
}

// What cannot pull is lifted; the others carry the weight as far as they can.
static void let_tip(ts_sim *sim, const ts_support *support, double weight, double *load)
{
  double sum = 0.0;
  for (int i = 0; i < support->count; ++i) sum += load[i] = fmax(0.0, load[i]);
  for (int i = 0; i < support->count; ++i) load[i] *= weight / sum;
  sim->report.certified = false;
  sim->report.tipping = true;
  sim->report.tipping_body = support->body;
}

static double follow(ts_sim *sim, const ts_support *support, const ts_twist *velocity_before, double h, double *load)
{
  const ts_support_load *points = sim->model->support_points + support->first;
  double *known = sim->support_loads + support->first, weight = 0.0, change = 0.0;
  bool tips = false;
  for (int i = 0; i < support->count; ++i) weight += points[i].load;
  const ts_pressing pressing = pressing_of(sim, support, velocity_before, weight, h);
  if (!(weight > 0.0) || !ts_support_balance(points, support->count, &pressing, load)) return 0.0;
  for (int i = 0; i < support->count; ++i) tips = tips || load[i] < -1e-12 * weight;
  if (tips) let_tip(sim, support, weight, load);
  for (int i = 0; i < support->count; ++i) {
    change = fmax(change, fabs(load[i] - known[i]) / weight);
    known[i] = load[i];
  }
  return change;
}

static double follow_all(ts_sim *sim, const ts_twist *velocity_before, double h, ts_arena *arena)
{
  double change = 0.0;
  for (int i = 0; i < sim->model->support_count; ++i) {
    const ts_support *support = &sim->model->supports[i];
    if (support->update != TS_LOADS_BY_STATICS) continue;
    change = fmax(change, follow(sim, support, &velocity_before[support->body], h,
                                 ts_arena_doubles(arena, (size_t)support->count)));
  }
  return change;
}

// The simulation as it was before the stepper had it, but for what controllers and callbacks have asked for since.
static void take_back(ts_sim *sim, const ts_snapshot *before, const double *loads, size_t size)
{
  ts_snapshot_go_back(sim, before);
  memcpy(sim->support_loads, loads, size);
  memcpy(sim->old_velocity, sim->state.velocity, (size_t)sim->model->body_count * sizeof *sim->old_velocity);
  if (sim->base_of) ts_bases_begin(sim);
}

static bool follow_statics(const ts_model *model)
{
  for (int i = 0; i < model->support_count; ++i)
    if (model->supports[i].update == TS_LOADS_BY_STATICS) return true;
  return false;
}

bool ts_supports_step(ts_sim *sim, double h, const ts_snapshot *before, ts_arena *arena)
{
  enum { MOST = 40 };
  static const double SETTLED = 1e-10;
  if (!follow_statics(sim->model)) return sim->options.method->step(sim, h, arena);
  const size_t size = (size_t)sim->model->support_point_count * sizeof *sim->support_loads;
  double *loads = ts_arena_bytes(arena, 1, size), change = 0.0;
  ts_snapshot *asked = ts_snapshot_allocate(sim, arena); // with what controllers and callbacks have asked for
  ts_snapshot_take(sim, asked);
  const ts_arena_mark mark = ts_arena_save(arena);
  for (int k = 0; k < MOST; ++k) {
    if (k > 0) {
      memcpy(loads, sim->support_loads, size);
      take_back(sim, asked, loads, size);
      ts_arena_restore(arena, mark);
    }
    if (!sim->options.method->step(sim, h, arena)) return false;
    change = follow_all(sim, before->state.velocity, h, arena);
    if (change <= SETTLED) return true;
  }
  sim->report.certified = false;
  sim->report.residual = fmax(sim->report.residual, change);
  return true;
}
