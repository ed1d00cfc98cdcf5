#include "step/event/held.h"

#include "step/bases.h"
#include "step/collide.h"
#include "step/works.h"

#include "contact/law.h"

#include <string.h>

// Slip that counts as none, and change of a velocity that does not matter when a force ends [m/s, rad/s].
static const double NO_SLIP = 1e-10;

// Slip that is left after a part and is more than round-off.
static const double STILL_SLIPS = 1e-13;

// Friction that is smaller than its bound by more than this, of the bound, holds.
static const double WITHIN = 1e-6;

// Errors that a step of smooth motion may leave in gaps, of their sizes.
static const double OPEN = 1e-9;

// A part so short that little changes in it, by which forces at the start of a step are seen [s]. It is longer than
// TS_HELD_PROBE: what just begins to slip and was allowed at the end of a step must be seen at the start of the next.
static const double AT_START = 4e-6;

void ts_held_init(ts_held *held, const ts_sim *sim, ts_arena *arena)
{
  *held = (ts_held){.contact_count = 0};
  held->rows = ts_arena_bytes(arena, (size_t)ts_bounded_row_limit(sim->model), sizeof *held->rows);
}

void ts_held_clear(ts_held *held)
{
  held->contact_count = 0;
  held->row_count = 0;
}

void ts_held_make_room(ts_held *held, int capacity, ts_arena *arena)
{
  held->contact_count = 0;
  held->contact_capacity = capacity;
  held->contacts = ts_arena_bytes(arena, (size_t)capacity, sizeof *held->contacts);
  held->index = ts_arena_ints(arena, (size_t)capacity);
  held->last.contacts = ts_arena_bytes(arena, (size_t)capacity, sizeof *held->last.contacts);
  held->last.laws = ts_arena_bytes(arena, (size_t)capacity, sizeof *held->last.laws);
  held->last.parts = ts_arena_bytes(arena, (size_t)capacity, sizeof *held->last.parts);
  held->last.count = 0;
}

// How a contact moves at the velocity in the state.
static ts_held_mode motion_of_contact(const ts_sim *sim, const ts_contact *contact, const ts_contact_law *law)
{
  const ts_twist *v_1 = &sim->state.velocity[contact->body_1], *v_2 = &sim->state.velocity[contact->body_2];
  const ts_vec3 v = ts_sub(ts_twist_at(*v_1, contact->arm_1), ts_twist_at(*v_2, contact->arm_2));
  const double spin = ts_dot(contact->normal, ts_sub(v_1->angular, v_2->angular));
  const double apart = ts_dot(v, contact->normal);
  return (ts_held_mode){.apart = apart,
                        .slip = ts_add_scaled(v, -apart, contact->normal),
                        .spin = law->ellipsoid.z * spin,
                        .normal = contact->normal,
                        .arm = {contact->arm_1, contact->arm_2}};
}

void ts_held_add_contact(ts_held *held, const ts_sim *sim, const ts_contact_set *set, int i)
{
  const ts_contact *contact = &set->contacts[i];
  const ts_frame *frames = sim->kinematics.frame;
  held->contacts[held->contact_count++] =
      (ts_held_contact){.pair = ts_part_pair_key(set->parts[i]),
                        .feature = contact->feature,
                        .body = {contact->body_1, contact->body_2},
                        .gap = contact->gap,
                        .normal = {ts_mul_transposed(&frames[contact->body_1].axes, contact->normal),
                                   ts_mul_transposed(&frames[contact->body_2].axes, contact->normal)},
                        .start = motion_of_contact(sim, contact, set->laws[i])};
}

void ts_held_add_stop(ts_held *held, const ts_bounded_row *stop)
{
  held->rows[held->row_count++] = (ts_held_row){.joint = stop->joint, .feature = stop->feature};
}

static ts_held_row *find_row(const ts_held *held, const ts_bounded_row *row) // or NULL
{
  for (int k = 0; k < held->row_count; ++k)
    if (held->rows[k].joint == row->joint && held->rows[k].feature == row->feature) return &held->rows[k];
  return NULL;
}

bool ts_held_is_open(const ts_contact *contact)
{
  return contact->gap > OPEN * (ts_length(contact->arm_1) + ts_length(contact->point));
}

bool ts_held_stop_is_open(const ts_bounded_row *stop)
{
  return stop->gap > OPEN;
}

const ts_held_row *ts_held_find_row(const ts_held *held, const ts_bounded_row *row)
{
  return find_row(held, row);
}

void ts_held_reserve(ts_held *held, const ts_sim *sim, ts_arena *arena)
{
  const int needed = held->contact_count + ts_bounded_row_limit(sim->model);
  if (needed <= held->remembered_capacity) return;
  ts_remembered *entries = ts_arena_bytes(arena, (size_t)needed, sizeof *entries);
  held->remembered = entries;
  held->remembered_capacity = needed;
}

// ---- modes ---------------------------------------------------------------------------------------------------------

static bool has_dry_friction(const ts_stage *stage, int i)
{
  const ts_block *block = &stage->system.blocks[i];
  if (block->kind == TS_BLOCK_MOTOR) return stage->bounded[block->source].softness == 0.0;
  return block->kind == TS_BLOCK_CONTACT && block->friction > 0.0;
}

// Of the friction that block i could give, the share that it gave: a part that ends in sticking needs no more.
static double share_of_friction(const ts_stage *stage, int i)
{
  const ts_block *block = &stage->system.blocks[i];
  const double *p = stage->r + (size_t)i * (size_t)stage->system.dimension;
  const double most = block->friction * p[0];
  const bool rubs = block->kind == TS_BLOCK_CONTACT;
  const ts_vec3 e = rubs ? stage->contacts.laws[block->source]->ellipsoid : (ts_vec3){1.0, 1.0, 1.0};
  return most > 0.0 ? ts_law_friction_used(e, p, stage->system.dimension) / most : 1.0;
}

static ts_held_mode *mode_of_block(const ts_held *held, const ts_stage *stage, int i)
{
  const ts_block *block = &stage->system.blocks[i];
  if (block->kind == TS_BLOCK_CONTACT) return &held->contacts[held->index[block->source]].now;
  return &find_row(held, &stage->bounded[block->source])->now;
}

static double dot_of_slips(const ts_held_mode *a, const ts_held_mode *b)
{
  return ts_dot(a->slip, b->slip) + a->spin * b->spin;
}

static bool is_moving(const ts_held_mode *mode)
{
  return dot_of_slips(mode, mode) > NO_SLIP * NO_SLIP;
}

// How block i acts, u being the velocities of its rows after the part.
static ts_held_mode see_mode(const ts_stage *stage, int i, const double *u)
{
  const ts_system *system = &stage->system;
  const size_t d = (size_t)system->dimension, first = (size_t)i * d;
  const ts_block *block = &system->blocks[i];
  if (block->kind == TS_BLOCK_MOTOR) return (ts_held_mode){.slip.x = u[1] + stage->bias[first + 1]};
  ts_held_mode mode = {.pushes = stage->r[first] > 0.0,
                       .apart = u[0] + stage->surface[first],
                       .sticks = share_of_friction(stage, i) < 1.0 - WITHIN};
  if (block->kind == TS_BLOCK_LIMIT) return mode;
  const ts_contact *contact = &stage->contacts.contacts[block->source];
  const double *surface = stage->surface + first;
  mode.normal = contact->normal;
  mode.arm[0] = contact->arm_1;
  mode.arm[1] = contact->arm_2;
  mode.slip = ts_scale(u[1] + surface[1], contact->tangent);
  if (d > 2) mode.slip = ts_add_scaled(mode.slip, u[2] + surface[2], contact->other);
  if (d > 3) mode.spin = (u[3] + surface[3]) * stage->contacts.laws[block->source]->ellipsoid.z;
  return mode;
}

// Whether forces jump in block i, which acted as `before` and acts as `now`. `until`: when.
static bool jumps(const ts_stage *stage, int i, const ts_held_mode *before, const ts_held_mode *now, double *until)
{
  *until = 0.0;
  if (!before->opens && now->apart > NO_SLIP) return true;
  if (!has_dry_friction(stage, i)) return false;
  if (!is_moving(before)) return is_moving(now) && !before->slips;
  if (dot_of_slips(before, now) > STILL_SLIPS * sqrt(dot_of_slips(before, before))) return false;
  const double share = share_of_friction(stage, i);
  if (share < 1.0 - WITHIN) *until = share * stage->h;
  return true;
}

// Friction and pushes are constant through a part: one in which they should jump is wrong, and wrong in the same way in
// all rows of an extrapolation. Returns whether there is none, and takes note of how everything acts now.
static bool is_smooth(const ts_held *held, const ts_stage *stage, double *until)
{
  const size_t d = (size_t)stage->system.dimension;
  double *u = ts_arena_doubles(stage->arena, (size_t)stage->system.count * d);
  ts_system_velocity(&stage->system, stage->sim->state.velocity, u);
  bool smooth = true;
  *until = stage->h;
  for (int i = 0; i < stage->system.count; ++i) {
    ts_held_mode *mode = mode_of_block(held, stage, i);
    const ts_held_mode now = see_mode(stage, i, u + (size_t)i * d);
    double when;
    if (jumps(stage, i, mode, &now, &when)) {
      smooth = false;
      *until = fmin(*until, when);
    }
    const ts_held_mode before = *mode;
    *mode = now;
    mode->slips = before.slips || is_moving(&now);
    mode->opens = before.opens || now.apart > NO_SLIP;
  }
  return smooth;
}

// Whether the bodies close in where something that was held before the part is no longer found, be it that an edge has
// been passed or that the normal has jumped. Where other contacts carry what it has carried they do not.
static bool is_missed(const ts_held *held, const ts_stage *stage)
{
  const ts_twist *v = stage->sim->state.velocity;
  for (int k = 0; k < held->contact_count; ++k) {
    const ts_held_contact *contact = &held->contacts[k];
    const ts_held_mode *mode = &contact->now;
    if (mode->opens || mode->apart > NO_SLIP || ts_held_is_matched(held->index, stage->contacts.count, k)) continue;
    const ts_vec3 u =
        ts_sub(ts_twist_at(v[contact->body[0]], mode->arm[0]), ts_twist_at(v[contact->body[1]], mode->arm[1]));
    if (ts_dot(mode->normal, u) < -NO_SLIP) return true;
  }
  return false;
}

void ts_held_take_start(ts_held *held)
{
  for (int k = 0; k < held->contact_count; ++k) held->contacts[k].now = held->contacts[k].start;
  for (int k = 0; k < held->row_count; ++k) held->rows[k].now = held->rows[k].start;
}

// From how something acts at once, and its slip at the start itself.
static void begin_with(ts_held_mode *start, const ts_held_mode *at_once)
{
  const ts_held_mode first = *start;
  *start = *at_once;
  start->apart = first.apart;
  start->opens = start->opens || first.apart > NO_SLIP;
  start->slip = first.slip;
  start->spin = first.spin;
  start->slips = start->slips || is_moving(&first);
}

void ts_held_see_modes(ts_held *held, ts_sim *sim, double longest, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  double *sums = ts_arena_zeros(arena, ts_held_sums(held)), until;
  ts_held_take_start(held);
  ts_held_part(held, sim, fmin(AT_START, longest), sums, &until, arena);
  for (int k = 0; k < held->contact_count; ++k) begin_with(&held->contacts[k].start, &held->contacts[k].now);
  for (int k = 0; k < held->row_count; ++k) begin_with(&held->rows[k].start, &held->rows[k].now);
  ts_arena_restore(arena, mark);
}

// Of something that acted as `before` and acts as `now` after the end of the step.
static bool goes_on(const ts_held_mode *before, const ts_held_mode *now)
{
  return (before->slips || !is_moving(now)) && (before->opens || now->apart <= NO_SLIP);
}

bool ts_held_goes_on(ts_held *held, ts_sim *sim, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  double *sums = ts_arena_zeros(arena, ts_held_sums(held)), until;
  ts_held_mode *contacts = ts_arena_bytes(arena, (size_t)held->contact_count, sizeof *contacts);
  ts_held_mode *rows = ts_arena_bytes(arena, (size_t)held->row_count, sizeof *rows);
  for (int k = 0; k < held->contact_count; ++k) contacts[k] = held->contacts[k].now;
  for (int k = 0; k < held->row_count; ++k) rows[k] = held->rows[k].now;
  ts_held_part(held, sim, TS_HELD_PROBE, sums, &until, arena);
  bool on = true;
  for (int k = 0; k < held->contact_count; ++k) {
    on = on && goes_on(&contacts[k], &held->contacts[k].now);
    held->contacts[k].now = contacts[k];
  }
  for (int k = 0; k < held->row_count; ++k) {
    on = on && goes_on(&rows[k], &held->rows[k].now);
    held->rows[k].now = rows[k];
  }
  ts_arena_restore(arena, mark);
  return on;
}

// ---- a part --------------------------------------------------------------------------------------------------------

// Far enough for gaps that errors of first order have opened, however short the part is.
static void find_contacts(ts_stage *stage)
{
  ts_sim *sim = stage->sim;
  if (!ts_find_contacts(&sim->finder, &sim->kinematics, sim->state.velocity, fmax(stage->h, TS_HELD_REACH),
                        sim->options.margin, stage->arena, &stage->contacts))
    longjmp(*stage->arena->recovery, 1);
}

// Contacts that are held, and bounded rows but for stops that are not.
static void keep_held(ts_held *held, ts_stage *stage)
{
  ts_contact_set *set = &stage->contacts;
  int kept = 0, *match = ts_arena_ints(stage->arena, (size_t)set->count);
  ts_held_match(held, stage->sim, set, match);
  for (int i = 0; i < set->count; ++i) {
    if (match[i] < 0) continue;
    held->index[kept] = match[i];
    ts_contact_set_move(set, i, kept++);
  }
  set->count = kept;
  kept = 0;
  for (int k = 0; k < stage->bounded_count; ++k) {
    const ts_bounded_row *row = &stage->bounded[k];
    if (row->lower >= 0.0 && !find_row(held, row)) continue;
    stage->bounded[kept++] = *row;
  }
  stage->bounded_count = kept;
}

// Joints are asked for velocities alone; what has opened is put right after the step.
static void set_bias(ts_stage *stage)
{
  const size_t rows = (size_t)stage->system.count * (size_t)stage->system.dimension;
  for (size_t k = 0; k < rows; ++k) stage->bias[k] = stage->surface[k];
  ts_stage_bounded_bias(stage, false);
}

// Drives that were not there before begin with the velocity in the state.
static void note_new_drives(ts_held *held, const ts_stage *stage)
{
  for (int k = 0; k < stage->bounded_count; ++k) {
    const ts_bounded_row *row = &stage->bounded[k];
    if (find_row(held, row)) continue;
    const ts_held_mode begins = {.slip.x = ts_row_rate(&row->row, stage->sim->state.velocity) + row->bias};
    held->rows[held->row_count++] =
        (ts_held_row){.joint = row->joint, .feature = row->feature, .start = begins, .now = begins};
  }
}

// New velocity from the one in the state, and whether forces jump.
static bool accelerate(ts_held *held, ts_stage *stage, double *until)
{
  ts_sim *sim = stage->sim;
  ts_twist *from = ts_arena_bytes(stage->arena, (size_t)sim->model->body_count, sizeof *from);
  memcpy(from, sim->state.velocity, (size_t)sim->model->body_count * sizeof *from);
  stage->from = from;
  set_bias(stage);
  note_new_drives(held, stage);
  ts_stage_free_velocity(stage);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = sim->free_velocity[b];
  ts_stage_collide(stage, sim->state.velocity, NULL, true);
  return is_smooth(held, stage, until);
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
}

static void note_contacts(ts_held *held, const ts_stage *stage, double *sums)
{
  ts_contact_set *last = &held->last;
  last->count = stage->contacts.count;
  for (int i = 0; i < stage->contacts.count; ++i) {
    add_impulse(&stage->contacts.contacts[i], sums + TS_HELD_WORKS + TS_HELD_IMPULSES * (size_t)held->index[i]);
    last->contacts[i] = stage->contacts.contacts[i];
    last->laws[i] = stage->contacts.laws[i];
    last->parts[i] = stage->contacts.parts[i];
  }
}

// Impulses to start the next part from lie in the scratch of this one: they are taken over.
static void keep_memory(ts_held *held, ts_sim *sim)
{
  for (int k = 0; k < sim->remembered.count; ++k) held->remembered[k] = sim->remembered.entries[k];
  sim->remembered.entries = held->remembered;
}

// Coordinates first, with the velocity of the start. Forces, targets and accelerations of bases are those of the part:
// the time stays.
static void advance(ts_sim *sim, double h)
{
  ts_tree_advance(sim->mechanics.tree, h, sim->state.rates, sim->state.q);
  ts_place_kinematic_bodies(sim, sim->state.time + h);
  ts_mechanics_follow(&sim->mechanics);
}

// Forces of the part at the configuration that it ends in.
static bool push(ts_held *held, ts_stage *stage, double *sums, double *until)
{
  ts_sim *sim = stage->sim;
  const ts_step_report before = sim->report;
  *until = 0.0;
  if (!ts_stage_joints(stage)) return false;
  find_contacts(stage);
  keep_held(held, stage);
  ts_stage_assemble(stage);
  bool smooth = accelerate(held, stage, until);
  if (is_missed(held, stage)) {
    *until = 0.0;
    smooth = false;
  }
  ts_stage_finish(stage);
  note_contacts(held, stage, sums);
  keep_memory(held, sim);
  ts_stage_new_velocity(stage);
  ts_bases_close(sim);
  add_works(&before, &sim->report, sums);
  return smooth;
}

bool ts_held_part(ts_held *held, ts_sim *sim, double h, double *sums, double *until, ts_arena *arena)
{
  const ts_arena_mark mark = ts_arena_save(arena);
  const ts_contact_set contacts = sim->contacts;
  ts_stage stage = {.sim = sim, .h = h, .theta = 1.0, .at_velocity_level = true, .arena = arena};
  memcpy(sim->old_velocity, sim->state.velocity, (size_t)sim->model->body_count * sizeof *sim->old_velocity);
  ts_bases_begin(sim);
  advance(sim, h);
  const bool smooth = push(held, &stage, sums, until);
  sim->state.time += h;
  sim->contacts = contacts;
  ts_arena_restore(arena, mark);
  return smooth;
}
