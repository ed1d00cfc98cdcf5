#include "step/event/active_set.h"

#include "step/bases.h"
#include "step/collide.h"
#include "step/joint_loads.h"
#include "step/works.h"

#include "contact/law.h"
#include "dynamics/joint_rows.h"

#include <float.h>
#include <string.h>

// Slip that counts as none, and change of a velocity that does not matter when a force ends [m/s, rad/s].
static const double NO_SLIP = 1e-10;

// Slip that is left after a substep and is more than round-off.
static const double STILL_SLIPS = 1e-13;

// Friction that is smaller than its bound by more than this, of the bound, holds.
static const double WITHIN = 1e-6;

// Errors that a step of smooth motion may leave in gaps, of their sizes.
static const double OPEN = 1e-9;

// A substep so short that little changes in it, by which forces at the start of a step are seen [s]. It is longer than
// TS_ACTIVE_PROBE: what just begins to slip and was allowed at the end of a step must be seen at the start of the next.
static const double AT_START = 4e-6;

void ts_active_set_init(ts_active_set *active, const ts_sim *sim, ts_arena *arena)
{
  *active = (ts_active_set){.load_size = ts_loads_size(sim)};
  active->rows = ts_arena_bytes(arena, (size_t)ts_bounded_row_limit(sim->model), sizeof *active->rows);
}

void ts_active_set_clear(ts_active_set *active)
{
  active->contact_count = 0;
  active->row_count = 0;
}

void ts_active_set_make_room(ts_active_set *active, int capacity, ts_arena *arena)
{
  active->contact_count = 0;
  active->contact_capacity = capacity;
  active->contacts = ts_arena_bytes(arena, (size_t)capacity, sizeof *active->contacts);
  active->index = ts_arena_ints(arena, (size_t)capacity);
  active->last.contacts = ts_arena_bytes(arena, (size_t)capacity, sizeof *active->last.contacts);
  active->last.laws = ts_arena_bytes(arena, (size_t)capacity, sizeof *active->last.laws);
  active->last.parts = ts_arena_bytes(arena, (size_t)capacity, sizeof *active->last.parts);
  active->last.count = 0;
}

// How a contact moves at the velocity in the state.
static ts_active_mode motion_of_contact(const ts_sim *sim, const ts_contact *contact, const ts_contact_law *law)
{
  const ts_twist *v_1 = &sim->state.velocity[contact->body_1], *v_2 = &sim->state.velocity[contact->body_2];
  const ts_vec3 v = ts_sub(ts_twist_at(*v_1, contact->arm_1), ts_twist_at(*v_2, contact->arm_2));
  const double spin = ts_dot(contact->normal, ts_sub(v_1->angular, v_2->angular));
  const double apart = ts_dot(v, contact->normal);
  return (ts_active_mode){.apart = apart,
                          .slip = ts_add_scaled(v, -apart, contact->normal),
                          .spin = law->ellipsoid.z * spin,
                          .normal = contact->normal,
                          .arm = {contact->arm_1, contact->arm_2}};
}

static void note_seen(ts_active_contact *active, const ts_contact_set *set, int i)
{
  active->seen = set->contacts[i];
  active->law = set->laws[i];
  active->parts = set->parts[i];
}

void ts_active_set_add_contact(ts_active_set *active, const ts_sim *sim, const ts_contact_set *set, int i)
{
  const ts_contact *contact = &set->contacts[i];
  const ts_frame *frames = sim->kinematics.frame;
  active->contacts[active->contact_count++] =
      (ts_active_contact){.pair = ts_part_pair_key(set->parts[i]),
                          .feature = contact->feature,
                          .body = {contact->body_1, contact->body_2},
                          .gap = contact->gap,
                          .normal = {ts_mul_transposed(&frames[contact->body_1].axes, contact->normal),
                                     ts_mul_transposed(&frames[contact->body_2].axes, contact->normal)},
                          .start = motion_of_contact(sim, contact, set->laws[i])};
  note_seen(&active->contacts[active->contact_count - 1], set, i);
}

void ts_active_set_add_stop(ts_active_set *active, const ts_bounded_row *stop)
{
  active->rows[active->row_count++] = (ts_active_row){.joint = stop->joint, .feature = stop->feature};
}

static ts_active_row *find_row(const ts_active_set *active, const ts_bounded_row *row) // or NULL
{
  for (int k = 0; k < active->row_count; ++k)
    if (active->rows[k].joint == row->joint && active->rows[k].feature == row->feature) return &active->rows[k];
  return NULL;
}

bool ts_active_contact_is_open(const ts_contact *contact)
{
  return contact->gap > OPEN * (ts_length(contact->arm_1) + ts_length(contact->point));
}

bool ts_active_stop_is_open(const ts_bounded_row *stop)
{
  return stop->gap > OPEN;
}

const ts_active_row *ts_active_set_find_row(const ts_active_set *active, const ts_bounded_row *row)
{
  return find_row(active, row);
}

void ts_active_set_reserve(ts_active_set *active, const ts_sim *sim, ts_arena *arena)
{
  const int needed = active->contact_count + ts_bounded_row_limit(sim->model);
  if (needed <= active->remembered_capacity) return;
  ts_remembered *entries = ts_arena_bytes(arena, (size_t)needed, sizeof *entries);
  active->remembered = entries;
  active->remembered_capacity = needed;
}

// ---- modes ---------------------------------------------------------------------------------------------------------

static bool has_dry_friction(const ts_step *step, int i)
{
  const ts_block *block = &step->system.blocks[i];
  if (block->kind == TS_BLOCK_MOTOR) return step->bounded[block->source].softness == 0.0;
  return block->kind == TS_BLOCK_CONTACT && block->friction > 0.0;
}

// Of the friction that block i could give, the share that it gave: a substep that ends in sticking needs no more.
static double share_of_friction(const ts_step *step, int i)
{
  const ts_block *block = &step->system.blocks[i];
  const double *p = step->r + (size_t)i * (size_t)step->system.dimension;
  const double most = block->friction * p[0];
  const bool rubs = block->kind == TS_BLOCK_CONTACT;
  const ts_vec3 e = rubs ? step->contacts.laws[block->source]->ellipsoid : (ts_vec3){1.0, 1.0, 1.0};
  return most > 0.0 ? ts_law_friction_used(e, p, step->system.dimension) / most : 1.0;
}

static ts_active_mode *mode_of_block(const ts_active_set *active, const ts_step *step, int i)
{
  const ts_block *block = &step->system.blocks[i];
  if (block->kind == TS_BLOCK_CONTACT) return &active->contacts[active->index[block->source]].now;
  return &find_row(active, &step->bounded[block->source])->now;
}

static double dot_of_slips(const ts_active_mode *a, const ts_active_mode *b)
{
  return ts_dot(a->slip, b->slip) + a->spin * b->spin;
}

static bool is_moving(const ts_active_mode *mode)
{
  return dot_of_slips(mode, mode) > NO_SLIP * NO_SLIP;
}

// How block i acts, u being the velocities of its rows after the substep.
static ts_active_mode see_mode(const ts_step *step, int i, const double *u)
{
  const ts_system *system = &step->system;
  const size_t d = (size_t)system->dimension, first = (size_t)i * d;
  const ts_block *block = &system->blocks[i];
  if (block->kind == TS_BLOCK_MOTOR) return (ts_active_mode){.slip.x = u[1] + step->bias[first + 1]};
  ts_active_mode mode = {.pushes = step->r[first] > 0.0,
                         .apart = u[0] + step->surface[first],
                         .sticks = share_of_friction(step, i) < 1.0 - WITHIN};
  if (block->kind == TS_BLOCK_LIMIT) return mode;
  const ts_contact *contact = &step->contacts.contacts[block->source];
  const double *surface = step->surface + first;
  mode.normal = contact->normal;
  mode.arm[0] = contact->arm_1;
  mode.arm[1] = contact->arm_2;
  mode.slip = ts_scale(u[1] + surface[1], contact->tangent);
  if (d > 2) mode.slip = ts_add_scaled(mode.slip, u[2] + surface[2], contact->other);
  if (d > 3) mode.spin = (u[3] + surface[3]) * step->contacts.laws[block->source]->ellipsoid.z;
  return mode;
}

// Whether forces jump in block i, which acted as `before` and acts as `now`. `until`: when.
static bool jumps(const ts_step *step, int i, const ts_active_mode *before, const ts_active_mode *now, double *until)
{
  *until = 0.0;
  if (!before->opens && now->apart > NO_SLIP) return true;
  if (!has_dry_friction(step, i)) return false;
  if (!is_moving(before)) return is_moving(now) && !before->slips;
  if (dot_of_slips(before, now) > STILL_SLIPS * sqrt(dot_of_slips(before, before))) return false;
  const double share = share_of_friction(step, i);
  if (share < 1.0 - WITHIN) *until = share * step->h;
  return true;
}

// Friction and pushes are constant through a substep: one in which they should jump is wrong, and wrong in the same way
// in all rows of an extrapolation. Returns whether there is none, and takes note of how everything acts now.
static bool is_smooth(const ts_active_set *active, const ts_step *step, double *until)
{
  const size_t d = (size_t)step->system.dimension;
  double *u = ts_arena_doubles(step->arena, (size_t)step->system.count * d);
  ts_system_velocity(&step->system, step->sim->state.velocity, u);
  bool smooth = true;
  *until = step->h;
  for (int i = 0; i < step->system.count; ++i) {
    ts_active_mode *mode = mode_of_block(active, step, i);
    const ts_active_mode now = see_mode(step, i, u + (size_t)i * d);
    double when;
    if (jumps(step, i, mode, &now, &when)) {
      smooth = false;
      *until = fmin(*until, when);
    }
    const ts_active_mode before = *mode;
    *mode = now;
    mode->slips = before.slips || is_moving(&now);
    mode->opens = before.opens || now.apart > NO_SLIP;
  }
  return smooth;
}

// Whether the bodies close in where something that was active before the substep is no longer found, be it that an edge
// has been passed or that the normal has jumped. Where other contacts carry what it has carried they do not.
static bool is_missed(const ts_active_set *active, const ts_step *step)
{
  const ts_twist *v = step->sim->state.velocity;
  for (int k = 0; k < active->contact_count; ++k) {
    const ts_active_contact *contact = &active->contacts[k];
    const ts_active_mode *mode = &contact->now;
    if (mode->opens || mode->apart > NO_SLIP || ts_active_set_is_matched(active->index, step->contacts.count, k))
      continue;
    const ts_vec3 u =
        ts_sub(ts_twist_at(v[contact->body[0]], mode->arm[0]), ts_twist_at(v[contact->body[1]], mode->arm[1]));
    if (ts_dot(mode->normal, u) < -NO_SLIP) return true;
  }
  return false;
}

void ts_active_set_take_start(ts_active_set *active)
{
  for (int k = 0; k < active->contact_count; ++k) active->contacts[k].now = active->contacts[k].start;
  for (int k = 0; k < active->row_count; ++k) active->rows[k].now = active->rows[k].start;
}

// From how something acts at once, and its slip at the start itself.
static void begin_with(ts_active_mode *start, const ts_active_mode *at_once)
{
  const ts_active_mode first = *start;
  *start = *at_once;
  start->apart = first.apart;
  start->opens = start->opens || first.apart > NO_SLIP;
  start->slip = first.slip;
  start->spin = first.spin;
  start->slips = start->slips || is_moving(&first);
}

// Drives and dry friction that were not there before begin with the velocity in the state, against the target that a
// motor has now: rows of a substep have that of its end.
static void note_new_drives(ts_active_set *active, const ts_sim *sim, double longest, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const ts_model *model = sim->model;
  ts_bounded_row *rows = ts_arena_bytes(arena, (size_t)ts_bounded_row_limit(model), sizeof *rows);
  const int count = ts_bounded_rows(model, &sim->state, &sim->kinematics, longest, rows);
  for (int k = 0; k < count; ++k) {
    const ts_bounded_row *row = &rows[k];
    if (row->lower >= 0.0 || find_row(active, row)) continue;
    const bool has_target = row->feature == TS_DRIVE && row->softness == 0.0;
    const double bias =
        has_target ? ts_drive_row(model, &sim->state, &sim->kinematics, row->joint, DBL_MIN).bias : row->bias;
    const ts_active_mode begins = {.slip.x = ts_row_rate(&row->row, sim->state.velocity) + bias};
    active->rows[active->row_count++] =
        (ts_active_row){.joint = row->joint, .feature = row->feature, .start = begins, .now = begins};
  }
  ts_arena_restore(arena, mark);
}

void ts_active_set_see_modes(ts_active_set *active, ts_sim *sim, double longest, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  double *sums = ts_arena_zeros(arena, ts_active_set_sums(active)), until;
  note_new_drives(active, sim, fmin(AT_START, longest), arena);
  ts_active_set_take_start(active);
  ts_active_set_substep(active, sim, fmin(AT_START, longest), sums, &until, arena);
  for (int k = 0; k < active->contact_count; ++k) begin_with(&active->contacts[k].start, &active->contacts[k].now);
  for (int k = 0; k < active->row_count; ++k) begin_with(&active->rows[k].start, &active->rows[k].now);
  ts_arena_restore(arena, mark);
}

// Of something that acted as `before` and acts as `now` after the end of the step.
static bool goes_on(const ts_active_mode *before, const ts_active_mode *now)
{
  return (before->slips || !is_moving(now)) && (before->opens || now->apart <= NO_SLIP);
}

bool ts_active_set_goes_on(ts_active_set *active, ts_sim *sim, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  double *sums = ts_arena_zeros(arena, ts_active_set_sums(active)), until;
  ts_active_mode *contacts = ts_arena_bytes(arena, (size_t)active->contact_count, sizeof *contacts);
  ts_active_mode *rows = ts_arena_bytes(arena, (size_t)active->row_count, sizeof *rows);
  for (int k = 0; k < active->contact_count; ++k) contacts[k] = active->contacts[k].now;
  for (int k = 0; k < active->row_count; ++k) rows[k] = active->rows[k].now;
  ts_active_set_substep(active, sim, TS_ACTIVE_PROBE, sums, &until, arena);
  bool on = true;
  for (int k = 0; k < active->contact_count; ++k) {
    on = on && goes_on(&contacts[k], &active->contacts[k].now);
    active->contacts[k].now = contacts[k];
  }
  for (int k = 0; k < active->row_count; ++k) {
    on = on && goes_on(&rows[k], &active->rows[k].now);
    active->rows[k].now = rows[k];
  }
  ts_arena_restore(arena, mark);
  return on;
}

// ---- a substep -----------------------------------------------------------------------------------------------------

// Far enough for gaps that errors of first order have opened, however short the substep is.
static void find_contacts(ts_step *step)
{
  ts_sim *sim = step->sim;
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, fmax(step->h, TS_ACTIVE_REACH),
                        sim->options.margin, step->arena, &step->contacts))
    longjmp(*step->arena->recovery, 1);
}

// Contacts that are active, and bounded rows but for stops that are not.
static void keep_active(ts_active_set *active, ts_step *step)
{
  ts_contact_set *set = &step->contacts;
  int kept = 0, *match = ts_arena_ints(step->arena, (size_t)set->count);
  ts_active_set_match(active, step->sim, set, match);
  for (int i = 0; i < set->count; ++i) {
    if (match[i] < 0) continue;
    active->index[kept] = match[i];
    ts_contact_set_move(set, i, kept++);
  }
  set->count = kept;
  kept = 0;
  for (int k = 0; k < step->bounded_count; ++k) {
    const ts_bounded_row *row = &step->bounded[k];
    if (row->lower >= 0.0 && !find_row(active, row)) continue;
    step->bounded[kept++] = *row;
  }
  step->bounded_count = kept;
}

// Joints are asked for velocities alone; what has opened is put right after the step.
static void set_bias(ts_step *step)
{
  const size_t rows = (size_t)step->system.count * (size_t)step->system.dimension;
  for (size_t k = 0; k < rows; ++k) step->bias[k] = step->surface[k];
  ts_step_bounded_bias(step, false);
}

// New velocity from the one in the state, and whether forces jump.
static bool accelerate(ts_active_set *active, ts_step *step, double *until)
{
  ts_sim *sim = step->sim;
  ts_twist *from = ts_arena_bytes(step->arena, (size_t)sim->model->body_count, sizeof *from);
  memcpy(from, sim->state.velocity, (size_t)sim->model->body_count * sizeof *from);
  step->from = from;
  set_bias(step);
  ts_step_free_velocity(step);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = sim->free_velocity[b];
  ts_step_collide(step, sim->state.velocity, NULL, true);
  return is_smooth(active, step, until);
}

static void add_works(const ts_step_report *before, const ts_step_report *after, double *sums)
{
  double *sum = sums;
#define TS_ADD_WORK(work) *sum++ += after->work - before->work;
  TS_WORK_LIST(TS_ADD_WORK)
#undef TS_ADD_WORK
}

static void add_impulse(const ts_contact *contact, double *sum)
{
  ts_vec3 impulse = ts_scale(contact->impulse[0], contact->normal);
  impulse = ts_add_scaled(impulse, contact->impulse[1], contact->tangent);
  impulse = ts_add_scaled(impulse, contact->impulse[2], contact->other);
  sum[0] += impulse.x;
  sum[1] += impulse.y;
  sum[2] += impulse.z;
  sum[3] += contact->impulse[3];
  ts_active_add_point(contact->point, contact->impulse[0], sum);
}

static void note_contacts(ts_active_set *active, const ts_step *step, double *sums)
{
  ts_contact_set *last = &active->last;
  last->count = step->contacts.count;
  for (int i = 0; i < step->contacts.count; ++i) {
    add_impulse(&step->contacts.contacts[i], sums + TS_ACTIVE_WORKS + TS_ACTIVE_IMPULSES * (size_t)active->index[i]);
    last->contacts[i] = step->contacts.contacts[i];
    last->laws[i] = step->contacts.laws[i];
    last->parts[i] = step->contacts.parts[i];
    note_seen(&active->contacts[active->index[i]], &step->contacts, i);
  }
}

// They go into the sums: what the simulation has is of steps that were taken.
static void note_loads(const ts_active_set *active, ts_sim *sim, const ts_joint_load *taken, double *sums)
{
  const double *loads = (const double *)sim->loads;
  double *sum = sums + ts_active_set_first_load(active);
  for (size_t k = 0; k < active->load_size; ++k) sum[k] += loads[k];
  ts_loads_restore(sim, taken);
}

// Impulses to start the next substep from lie in the scratch of this one: they are taken over.
static void keep_memory(ts_active_set *active, ts_sim *sim)
{
  for (int k = 0; k < sim->remembered.count; ++k) active->remembered[k] = sim->remembered.entries[k];
  sim->remembered.entries = active->remembered;
}

// Coordinates first, with the velocity of the start. Forces, targets and accelerations of bases are those of the
// substep: the time stays.
static void advance(ts_sim *sim, double h)
{
  ts_tree_advance(sim->mechanics.tree, h, sim->state.rates, sim->state.q);
  ts_place_kinematic_bodies(sim, sim->state.time + h);
  ts_mechanics_follow(&sim->mechanics);
}

// Forces of the substep at the configuration that it ends in.
static bool push(ts_active_set *active, ts_step *step, double *sums, double *until)
{
  ts_sim *sim = step->sim;
  const ts_step_report before = sim->report;
  *until = 0.0;
  if (!ts_step_joints(step)) return false;
  find_contacts(step);
  keep_active(active, step);
  ts_step_assemble(step);
  bool smooth = accelerate(active, step, until);
  if (is_missed(active, step)) {
    *until = 0.0;
    smooth = false;
  }
  ts_step_finish(step);
  note_contacts(active, step, sums);
  keep_memory(active, sim);
  ts_step_new_velocity(step);
  ts_bases_close(sim);
  add_works(&before, &sim->report, sums);
  return smooth;
}

bool ts_active_set_substep(ts_active_set *active, ts_sim *sim, double h, double *sums, double *until, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const ts_contact_set contacts = sim->contacts;
  const ts_joint_load *loads = ts_loads_save(sim, arena);
  ts_loads_forget(sim);
  ts_step step = {.sim = sim, .h = h, .theta = 1.0, .at_velocity_level = true, .arena = arena};
  memcpy(sim->old_velocity, sim->state.velocity, (size_t)sim->model->body_count * sizeof *sim->old_velocity);
  ts_bases_begin(sim);
  advance(sim, h);
  const bool smooth = push(active, &step, sums, until);
  note_loads(active, sim, loads, sums);
  sim->state.time += h;
  sim->contacts = contacts;
  ts_arena_restore(arena, mark);
  return smooth;
}
