#include "step/held.h"

#include "contact/contact_sum.h"

#include <string.h>

// Slip that counts as none [m/s, rad/s]: what turns round from it is wrong by that much.
static const double NO_SLIP = 1e-10;

void ts_held_init(ts_held *held, const ts_sim *sim, ts_arena *arena)
{
  *held = (ts_held){.contact_count = 0};
  held->stops = ts_arena_bytes(arena, (size_t)ts_bounded_row_limit(sim->model), sizeof *held->stops);
}

void ts_held_clear(ts_held *held)
{
  held->contact_count = 0;
  held->stop_count = 0;
}

// Room for one more. What was there before is left to the arena.
static void grow(ts_held *held, ts_arena *arena)
{
  const int capacity = held->contact_capacity > 0 ? 2 * held->contact_capacity : 8;
  ts_held_contact *contacts = ts_arena_bytes(arena, (size_t)capacity, sizeof *contacts);
  if (held->contact_count > 0) memcpy(contacts, held->contacts, (size_t)held->contact_count * sizeof *contacts);
  held->contacts = contacts;
  held->contact_capacity = capacity;
  held->last.contacts = ts_arena_bytes(arena, (size_t)capacity, sizeof *held->last.contacts);
  held->last.laws = ts_arena_bytes(arena, (size_t)capacity, sizeof *held->last.laws);
  held->last.parts = ts_arena_bytes(arena, (size_t)capacity, sizeof *held->last.parts);
  held->last.count = 0;
}

void ts_held_add_contact(ts_held *held, const ts_contact_set *set, int i, ts_arena *arena)
{
  if (held->contact_count == held->contact_capacity) grow(held, arena);
  held->contacts[held->contact_count++] =
      (ts_held_contact){.pair = ts_part_pair_key(set->parts[i]), .feature = set->contacts[i].feature};
}

void ts_held_add_stop(ts_held *held, const ts_bounded_row *stop)
{
  held->stops[held->stop_count++] = (ts_held_stop){.joint = stop->joint, .feature = stop->feature};
}

int ts_held_find(const ts_held *held, const ts_contact_set *set, int i)
{
  const uint64_t pair = ts_part_pair_key(set->parts[i]);
  for (int k = 0; k < held->contact_count; ++k)
    if (held->contacts[k].pair == pair && held->contacts[k].feature == set->contacts[i].feature) return k;
  return -1;
}

static ts_held_stop *find_stop(const ts_held *held, const ts_bounded_row *stop) // or NULL
{
  for (int k = 0; k < held->stop_count; ++k)
    if (held->stops[k].joint == stop->joint && held->stops[k].feature == stop->feature) return &held->stops[k];
  return NULL;
}

bool ts_held_has_stop(const ts_held *held, const ts_bounded_row *stop)
{
  return find_stop(held, stop) != NULL;
}

bool ts_held_stop_pushes(const ts_held *held, const ts_bounded_row *stop)
{
  const ts_held_stop *known = find_stop(held, stop);
  return known && known->pushes;
}

// ---- a part --------------------------------------------------------------------------------------------------------

// Contacts that are held, and bounded rows but for stops that are not.
static void keep_held(const ts_held *held, ts_stage *stage)
{
  ts_contact_set *set = &stage->contacts;
  int kept = 0;
  for (int i = 0; i < set->count; ++i)
    if (ts_held_find(held, set, i) >= 0) ts_contact_set_move(set, i, kept++);
  set->count = kept;
  kept = 0;
  for (int k = 0; k < stage->bounded_count; ++k)
    if (stage->bounded[k].lower < 0.0 || find_stop(held, &stage->bounded[k]))
      stage->bounded[kept++] = stage->bounded[k];
  stage->bounded_count = kept;
}

// Slip of the blocks at a velocity: tangents, and spin as a length that its friction would have (4 a block; the first
// one is left free).
static void slip_of_blocks(const ts_stage *stage, const ts_twist *velocity, double *slip)
{
  const ts_system *system = &stage->system;
  const size_t d = (size_t)system->dimension;
  double *u = ts_arena_doubles(stage->arena, (size_t)system->count * d);
  ts_system_velocity(system, velocity, u);
  memset(slip, 0, (size_t)system->count * 4 * sizeof *slip);
  for (int i = 0; i < system->count; ++i) {
    const bool motor = system->blocks[i].kind == TS_BLOCK_MOTOR;
    const double *moving = motor ? stage->bias : stage->surface;
    for (size_t r = 1; r < d; ++r) slip[4 * (size_t)i + r] = u[(size_t)i * d + r] + moving[(size_t)i * d + r];
    if (d == 4 && !motor) slip[4 * (size_t)i + 3] *= stage->contacts.laws[system->blocks[i].source]->ellipsoid.z;
  }
}

static double dot_of_slips(const double *a, const double *b)
{
  return a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static bool has_dry_friction(const ts_stage *stage, int i)
{
  const ts_block *block = &stage->system.blocks[i];
  if (block->kind == TS_BLOCK_MOTOR) return stage->bounded[block->source].softness == 0.0;
  return block->kind == TS_BLOCK_CONTACT && block->friction > 0.0;
}

// Of the friction that block i could give, the share that it gave: a part that ends in sticking needs no more.
static double share_of_friction(const ts_stage *stage, int i)
{
  const double *p = stage->r + (size_t)i * (size_t)stage->system.dimension;
  const double most = stage->system.blocks[i].friction * p[0];
  double used = 0.0;
  for (int r = 1; r < stage->system.dimension; ++r) used += p[r] * p[r];
  return most > 0.0 ? sqrt(used) / most : 1.0;
}

// Whether all that slipped before the part slips on the same way after it; else `until` is when it stops, or 0 where it
// turns round. Friction is constant through a part: one in which it should jump is wrong, and wrong in the same way in
// all rows of an extrapolation.
static bool slips_on(const ts_stage *stage, const double *before, const double *after, double *until)
{
  bool on = true;
  *until = stage->h;
  for (int i = 0; i < stage->system.count; ++i) {
    const double *a = before + 4 * (size_t)i, *b = after + 4 * (size_t)i;
    const double speed = sqrt(dot_of_slips(a, a));
    if (speed <= NO_SLIP || !has_dry_friction(stage, i) || dot_of_slips(a, b) > NO_SLIP * speed) continue;
    on = false;
    const double share = share_of_friction(stage, i);
    *until = fmin(*until, share < 1.0 - 1e-6 ? share * stage->h : 0.0);
  }
  return on;
}

static void set_bias(ts_stage *stage)
{
  const size_t rows = (size_t)stage->system.count * (size_t)stage->system.dimension;
  for (size_t k = 0; k < rows; ++k) stage->bias[k] = stage->surface[k];
  ts_stage_bounded_bias(stage, false);
}

// New velocity from the one in the state. False as ts_held_part() has it.
static bool accelerate(ts_stage *stage, double *until)
{
  ts_sim *sim = stage->sim;
  const size_t slips = 4 * (size_t)stage->system.count;
  double *before = ts_arena_doubles(stage->arena, slips), *after = ts_arena_doubles(stage->arena, slips);
  set_bias(stage);
  slip_of_blocks(stage, sim->state.velocity, before);
  ts_stage_free_velocity(stage);
  for (int b = 0; b < sim->model->body_count; ++b)
    if (sim->model->bodies[b].kind == TS_DYNAMIC) sim->state.velocity[b] = sim->free_velocity[b];
  ts_stage_collide(stage, sim->state.velocity, NULL, true);
  slip_of_blocks(stage, sim->state.velocity, after);
  return slips_on(stage, before, after, until);
}

static void add_works(const ts_step_report *before, const ts_step_report *after, double *sums)
{
  sums[0] += after->contact_work - before->contact_work;
  sums[1] += after->drive_work - before->drive_work;
  sums[2] += after->stabilization_work - before->stabilization_work;
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
  last->count = 0;
  for (int k = 0; k < held->contact_count; ++k) held->contacts[k].pushes = held->contacts[k].sticks = false;
  for (int i = 0; i < stage->contacts.count; ++i) {
    const ts_contact *contact = &stage->contacts.contacts[i];
    const int k = ts_held_find(held, &stage->contacts, i);
    held->contacts[k].pushes = contact->impulse[0] > 0.0;
    held->contacts[k].sticks = contact->mode == TS_STICK || contact->mode == TS_ROLL;
    add_impulse(contact, sums + TS_HELD_WORKS + TS_HELD_IMPULSES * (size_t)k);
    last->contacts[last->count] = *contact;
    last->laws[last->count] = stage->contacts.laws[i];
    last->parts[last->count++] = stage->contacts.parts[i];
  }
}

static void note_stops(ts_held *held, const ts_stage *stage)
{
  for (int k = 0; k < stage->bounded_count; ++k) {
    ts_held_stop *stop = find_stop(held, &stage->bounded[k]);
    if (!stop) continue;
    const int block = stage->contacts.count + k;
    stop->pushes = stage->r[(size_t)block * (size_t)stage->system.dimension] > 0.0;
  }
}

// Impulses to start the next part from lie in the scratch of this one: they are taken over.
static void keep_memory(ts_held *held, ts_sim *sim)
{
  memcpy(held->remembered, sim->remembered.entries, (size_t)sim->remembered.count * sizeof *held->remembered);
  sim->remembered.entries = held->remembered;
}

static void reserve_memory(ts_held *held, const ts_sim *sim, ts_arena *arena)
{
  const int needed = held->contact_count + ts_bounded_row_limit(sim->model);
  if (needed <= held->remembered_capacity) return;
  ts_remembered *entries = ts_arena_bytes(arena, (size_t)needed, sizeof *entries);
  held->remembered = entries;
  held->remembered_capacity = needed;
}

bool ts_held_part(ts_held *held, ts_sim *sim, double h, double *sums, double *until, ts_arena *arena)
{
  reserve_memory(held, sim, arena);
  const ts_arena_mark mark = ts_arena_save(arena);
  const ts_contact_set contacts = sim->contacts;
  const ts_step_report before = sim->report;
  memcpy(sim->old_velocity, sim->state.velocity, (size_t)sim->model->body_count * sizeof *sim->old_velocity);
  ts_stage stage = {.sim = sim, .h = h, .theta = 1.0, .arena = arena};
  ts_stage_joints(&stage);
  ts_stage_find_contacts(&stage, sim->state.velocity);
  keep_held(held, &stage);
  ts_stage_assemble(&stage);
  const bool smooth = accelerate(&stage, until);
  ts_stage_finish(&stage);
  add_works(&before, &sim->report, sums);
  note_contacts(held, &stage, sums);
  note_stops(held, &stage);
  keep_memory(held, sim);
  ts_place_kinematic_bodies(sim, sim->state.time + h);
  ts_stage_advance(&stage);
  ts_sim_follow(sim);
  sim->contacts = contacts;
  ts_arena_restore(arena, mark);
  return smooth;
}

// ---- what was seen -------------------------------------------------------------------------------------------------

void ts_held_report(const ts_held *held, ts_sim *sim, const double *sums, ts_arena *arena)
{
  sim->report.contact_work += sums[0];
  sim->report.drive_work += sums[1];
  sim->report.stabilization_work += sums[2];
  for (int i = 0; i < held->last.count; ++i) {
    ts_contact *contact = &held->last.contacts[i];
    const double *sum = sums + TS_HELD_WORKS + TS_HELD_IMPULSES * (size_t)ts_held_find(held, &held->last, i);
    const ts_vec3 impulse = {sum[0], sum[1], sum[2]};
    contact->impulse[0] = ts_dot(impulse, contact->normal);
    contact->impulse[1] = ts_dot(impulse, contact->tangent);
    contact->impulse[2] = ts_dot(impulse, contact->other);
    contact->impulse[3] = sum[3];
  }
  sim->contacts = ts_contact_sum(&sim->contacts, &held->last, sim->state.velocity, arena);
  sim->report.contacts = sim->contacts.count;
}
