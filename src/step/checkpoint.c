// The state of a simulation as a list of numbers: time, steps, the account of energy, poses, angles, velocities,
// pushes, angles of joints, coordinates and rates, what the stepper keeps, the impulses that warm starts begin from
// and what is known of them, where a program has asked something of joints what that is, and where skins are soft or
// contacts are springs their deflections. Whole numbers below 2^53 are exact as doubles; the 64 bits of a pair are cut
// in two.
#include "step/joint_loads.h"
#include "step/supports.h"

#include "model/joint/type.h"

#include "base/require.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 17, PER_BODY = 7 + 1 + 6 + 6, PER_IMPULSE = 13, PER_COMMAND = 4 };
enum { SKIN_HEADER = 3, PER_SKIN = 11, SPRING_HEADER = 4, PER_SPRING = 8 };
static const double FORMAT = 9.0, AND_WITH_COMMANDS = 1.0, AND_WITH_SKINS = 2.0, AND_WITH_SPRINGS = 4.0;

// Coordinates and rates beside poses and twists.
static size_t coordinate_count(const ts_sim *sim)
{
  return (size_t)(sim->mechanics.q_count + sim->mechanics.v_count);
}

// FNV-1a, 32 bits.
static uint32_t hashed(uint32_t hash, const char *name)
{
  for (; *name; ++name) hash = (hash ^ (unsigned char)*name) * UINT32_C(16777619);
  return hash;
}

// Steppers and controllers are told apart by a hash of their names.
static double mark_of_stepper(const ts_sim *sim)
{
  uint32_t hash = hashed(UINT32_C(2166136261), sim->options.method->name);
  for (int i = 0; i < sim->model->controller_count; ++i) hash = hashed(hash, sim->model->controllers[i].def.name);
  return (double)hash;
}

// Where the numbers of the stepper begin.
static size_t fixed_size(const ts_sim *sim)
{
  return HEADER + PER_BODY * (size_t)sim->model->body_count + (size_t)sim->model->joint_count + coordinate_count(sim);
}

// Something is asked of joints.
static bool is_commanded(const ts_sim *sim)
{
  for (int j = 0; sim->state.commands && j < sim->model->joint_count; ++j)
    if (sim->commands[j].has_target || sim->commands[j].push != 0.0) return true;
  return false;
}

static size_t command_size(const ts_sim *sim, bool commanded)
{
  return commanded ? PER_COMMAND * (size_t)sim->model->joint_count : 0;
}

// What a state has behind its impulses. Skins are of the model, springs of the stepper that has saved it.
typedef struct contents {
  bool commands, skins, springs;
} contents;

static contents contents_of(const ts_sim *sim)
{
  return (contents){is_commanded(sim), sim->model->skin_count > 0, sim->options.method->is_elastic};
}

static double format_of(contents has)
{
  return FORMAT + (has.commands ? AND_WITH_COMMANDS : 0.0) + (has.skins ? AND_WITH_SKINS : 0.0) +
         (has.springs ? AND_WITH_SPRINGS : 0.0);
}

// False: it is the format of no state of this model.
static bool read_format(const ts_sim *sim, double format, contents *has)
{
  for (int k = 0; k < 4; ++k) {
    *has = (contents){(k & 1) != 0, sim->model->skin_count > 0, (k & 2) != 0};
    if (format == format_of(*has)) return true;
  }
  return false;
}

// Deflections at the end, which no state has of both kinds.
static size_t deflection_size(contents has, size_t count)
{
  if (has.skins) return SKIN_HEADER + PER_SKIN * count;
  return has.springs ? SPRING_HEADER + PER_SPRING * count : 0;
}

size_t ts_sim_state_size(const ts_sim *sim)
{
  TS_REQUIRE(sim);
  const contents has = contents_of(sim);
  return fixed_size(sim) + (size_t)sim->number_count + PER_IMPULSE * (size_t)sim->remembered.count +
         command_size(sim, has.commands) +
         deflection_size(has, (size_t)(has.skins ? sim->skins.count : sim->elastic.count));
}

static double *put_vec3(double *at, ts_vec3 v)
{
  *at++ = v.x;
  *at++ = v.y;
  *at++ = v.z;
  return at;
}

static const double *get_vec3(const double *at, ts_vec3 *v)
{
  *v = (ts_vec3){at[0], at[1], at[2]};
  return at + 3;
}

static double *put_force(double *at, const ts_remembered_force *force)
{
  *at++ = force->normal;
  at = put_vec3(at, force->tangent);
  *at++ = force->spin;
  return at;
}

static const double *get_force(const double *at, ts_remembered_force *force)
{
  force->normal = *at++;
  at = get_vec3(at, &force->tangent);
  force->spin = *at++;
  return at;
}

// Kinetic energy -1: nothing is known.
static double *put_account(double *at, const ts_energy_account *account)
{
  *at++ = account->is_known ? account->kinetic : -1.0;
  *at++ = account->potential;
  *at++ = account->stagger;
  *at++ = account->length;
  *at++ = account->scale;
  *at++ = account->gain;
  return at;
}

static void load_account(const double *at, ts_energy_account *account)
{
  *account = (ts_energy_account){.is_known = at[0] >= 0.0,
                                 .kinetic = at[0],
                                 .potential = at[1],
                                 .stagger = at[2],
                                 .length = at[3],
                                 .scale = at[4],
                                 .gain = at[5]};
}

static void put_skins(const ts_skin_memory *skins, double *at)
{
  *at++ = (double)skins->count;
  *at++ = skins->energy;
  *at++ = skins->stagger;
  for (int k = 0; k < skins->count; ++k) {
    const ts_deflection *entry = &skins->entries[k];
    *at++ = (double)entry->parts.first;
    *at++ = (double)entry->parts.second;
    at = put_vec3(at, entry->tangent);
    for (int side = 0; side < 2; ++side)
      at = put_vec3(at, (ts_vec3){entry->delta[side][0], entry->delta[side][1], entry->delta[side][2]});
  }
}

static void load_skins(const double *at, ts_skin_memory *skins)
{
  skins->energy = at[1];
  skins->stagger = at[2];
  at += SKIN_HEADER;
  for (int k = 0; k < skins->count; ++k, at += PER_SKIN) {
    ts_deflection *entry = &skins->entries[k];
    entry->parts = (ts_part_pair){(int)at[0], (int)at[1]};
    get_vec3(at + 2, &entry->tangent);
    memcpy(entry->delta, at + 5, sizeof entry->delta);
  }
}

static void put_springs(const ts_elastic_memory *springs, double *at)
{
  *at++ = (double)springs->count;
  *at++ = springs->energy;
  *at++ = springs->taken;
  *at++ = springs->part;
  for (int k = 0; k < springs->count; ++k) {
    const ts_pressed *entry = &springs->entries[k];
    *at++ = (double)(entry->pair >> 32);
    *at++ = (double)(entry->pair & UINT32_MAX);
    *at++ = (double)entry->feature;
    *at++ = entry->normal;
    at = put_vec3(at, entry->tangent);
    *at++ = entry->pace;
  }
}

static void load_springs(const double *at, ts_elastic_memory *springs)
{
  springs->energy = at[1];
  springs->taken = at[2];
  springs->part = at[3];
  at += SPRING_HEADER;
  for (int k = 0; k < springs->count; ++k, at += PER_SPRING) {
    ts_pressed *entry = &springs->entries[k];
    entry->pair = (uint64_t)at[0] << 32 | (uint64_t)at[1];
    entry->feature = (uint32_t)at[2];
    entry->normal = at[3];
    get_vec3(at + 4, &entry->tangent);
    entry->pace = at[7];
  }
}

static void write_state(const ts_sim *sim, double *state)
{
  double *at = state;
  const contents has = contents_of(sim);
  *at++ = format_of(has);
  *at++ = sim->start_time;
  *at++ = (double)sim->steps;
  *at++ = (double)sim->model->body_count;
  *at++ = (double)sim->model->joint_count;
  *at++ = (double)sim->remembered.count;
  *at++ = (double)coordinate_count(sim);
  *at++ = sim->options.size;
  *at++ = mark_of_stepper(sim);
  *at++ = (double)sim->number_count;
  at = put_account(at, &sim->account);
  *at++ = sim->remembered.futile;
  for (int b = 0; b < sim->model->body_count; ++b) {
    const ts_pose *pose = &sim->state.pose[b];
    at = put_vec3(at, pose->position);
    *at++ = pose->orientation.w;
    at = put_vec3(at, (ts_vec3){pose->orientation.x, pose->orientation.y, pose->orientation.z});
    *at++ = sim->state.angle[b];
    at = put_vec3(at, sim->state.velocity[b].linear);
    at = put_vec3(at, sim->state.velocity[b].angular);
    at = put_vec3(at, sim->pushes[b].force);
    at = put_vec3(at, sim->pushes[b].moment);
  }
  for (int j = 0; j < sim->model->joint_count; ++j) *at++ = sim->state.turned[j];
  for (size_t k = 0; k < coordinate_count(sim); ++k) *at++ = sim->state.q[k]; // rates lie behind
  for (int k = 0; k < sim->number_count; ++k) *at++ = sim->numbers[k];
  for (int k = 0; k < sim->remembered.count; ++k) {
    const ts_remembered *entry = &sim->remembered.entries[k];
    *at++ = (double)(entry->pair >> 32);
    *at++ = (double)(entry->pair & UINT32_MAX);
    *at++ = (double)entry->feature;
    at = put_force(at, &entry->last);
    at = put_force(at, &entry->before);
  }
  for (int j = 0; has.commands && j < sim->model->joint_count; ++j) {
    const ts_joint_command *command = &sim->commands[j];
    *at++ = command->push;
    *at++ = command->has_target;
    *at++ = command->target;
    *at++ = command->rate;
  }
  if (has.skins)
    put_skins(&sim->skins, at);
  else if (has.springs)
    put_springs(&sim->elastic, at);
}

ts_status ts_sim_save(const ts_sim *sim, double *state, size_t capacity, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(state, error);
  const size_t size = ts_sim_state_size(sim);
  if (capacity < size)
    return ts_fail(error, TS_INVALID, "the state has %zu numbers at present, there is room for %zu", size, capacity);
  write_state(sim, state);
  return TS_OK;
}

ts_status ts_sim_snapshot(const ts_sim *sim, double **state, size_t *size, ts_error *error)
{
  TS_REFUSE_UNLESS(state, error);
  TS_REFUSE_UNLESS(size, error);
  *state = NULL;
  *size = 0;
  TS_REFUSE_UNLESS(sim, error);
  const size_t count = ts_sim_state_size(sim);
  *state = malloc(count * sizeof **state);
  if (!*state) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out for the state");
  *size = count;
  return ts_sim_save(sim, *state, count, error);
}

static bool is_count(double x, double limit)
{
  return x >= 0.0 && x <= limit && x == floor(x);
}

// Orientations are unit quaternions: the 4th to 7th number of a body.
static ts_status check_orientations(const double *bodies, int count, ts_error *error)
{
  for (int b = 0; b < count; ++b) {
    const double *q = bodies + PER_BODY * (size_t)b + 3;
    if (!(fabs(ts_quat_length((ts_quat){q[0], q[1], q[2], q[3]}) - 1.0) < 1e-6))
      return ts_fail(error, TS_INVALID, "the orientation of body %d in the saved state is no rotation", b);
  }
  return TS_OK;
}

static ts_status check_commands(const ts_sim *sim, const double *at, ts_error *error)
{
  for (int j = 0; j < sim->model->joint_count; ++j, at += PER_COMMAND) {
    const ts_joint *joint = &sim->model->joints[j];
    const bool pushes = at[0] != 0.0, has_target = at[1] != 0.0;
    if (!is_count(at[1], 1.0) || (pushes && !ts_joint_has_coordinate(joint->kind)) ||
        (has_target && joint->motor.kind == TS_MOTOR_NONE))
      return ts_fail(error, TS_INVALID, "the saved state asks something of joint '%s' that it cannot do", joint->name);
  }
  return TS_OK;
}

// Deflections behind all else: of pairs of parts that the model has, one of which has a skin.
static ts_status check_skins(const ts_sim *sim, const double *at, ts_error *error)
{
  const double parts = (double)(sim->model->part_count - 1);
  const ts_part *all = sim->model->parts;
  for (int k = 0, count = (int)at[0]; k < count; ++k) {
    const double *entry = at + SKIN_HEADER + PER_SKIN * (size_t)k;
    if (!is_count(entry[0], parts) || !is_count(entry[1], parts) ||
        !(all[(int)entry[0]].skin || all[(int)entry[1]].skin))
      return ts_fail(error, TS_INVALID, "deflection %d of the saved state belongs to no skin", k);
  }
  return TS_OK;
}

// The same of springs.
static ts_status check_springs(const double *at, ts_error *error)
{
  bool fits = at[3] >= 0.0;
  for (int k = 0, count = (int)at[0]; k < count; ++k) {
    const double *entry = at + SPRING_HEADER + PER_SPRING * (size_t)k;
    fits = fits && is_count(entry[0], UINT32_MAX) && is_count(entry[1], UINT32_MAX) && is_count(entry[2], UINT32_MAX) &&
           entry[3] >= 0.0;
  }
  return fits ? TS_OK : ts_fail(error, TS_INVALID, "the saved state has a spring that cannot be");
}

// Where deflections begin; 0: it has none, or what it says of itself does not fit.
static size_t start_of_deflections(const ts_sim *sim, contents has, const double *state, size_t size)
{
  const double start = (double)(fixed_size(sim) + command_size(sim, has.commands)) + state[9] + PER_IMPULSE * state[5];
  if (deflection_size(has, 0) == 0 || !is_count(state[5], 1e9) ||
      start + (double)deflection_size(has, 0) > (double)size)
    return 0;
  const double count = state[(size_t)start];
  const bool fits = is_count(count, 1e9) && start + (double)deflection_size(has, (size_t)count) == (double)size;
  return fits ? (size_t)start : 0;
}

static ts_status check_state(const ts_sim *sim, const double *state, size_t size, ts_error *error)
{
  for (size_t k = 0; k < size; ++k)
    if (!isfinite(state[k])) return ts_fail(error, TS_INVALID, "number %zu of the saved state is not finite", k);
  contents has;
  if (size < HEADER || !read_format(sim, state[0], &has) || !is_count(state[2], 9e15) || !(state[7] > 0.0) ||
      !is_count(state[8], UINT32_MAX) || !is_count(state[9], 1e6) || !(state[16] >= 0.0))
    return ts_fail(error, TS_INVALID, "the saved state is not one of a simulation");
  if (state[3] != (double)sim->model->body_count)
    return ts_fail(error, TS_INVALID, "the saved state has %.0f bodies, the model has %d", state[3],
                   sim->model->body_count);
  if (state[4] != (double)sim->model->joint_count)
    return ts_fail(error, TS_INVALID, "the saved state has %.0f joints, the model has %d", state[4],
                   sim->model->joint_count);
  if (state[6] != (double)coordinate_count(sim))
    return ts_fail(error, TS_INVALID, "the saved state has %.0f coordinates and rates, the simulation has %zu",
                   state[6], coordinate_count(sim));
  const size_t commands = command_size(sim, has.commands), soft = start_of_deflections(sim, has, state, size);
  const double behind = deflection_size(has, 0) > 0 ? (double)(size - soft) : 0.0;
  const double impulses = ((double)size - behind - (double)(fixed_size(sim) + commands) - state[9]) / PER_IMPULSE;
  if (!is_count(state[5], 1e9) || state[5] != impulses)
    return ts_fail(error, TS_INVALID, "the saved state has %zu numbers, which do not fit what it says of itself", size);
  TS_TRY(check_orientations(state + HEADER, sim->model->body_count, error));
  const double *entry = state + fixed_size(sim) + (size_t)state[9];
  for (size_t k = 0; k < (size_t)state[5]; ++k, entry += PER_IMPULSE)
    if (!is_count(entry[0], UINT32_MAX) || !is_count(entry[1], UINT32_MAX) || !is_count(entry[2], UINT32_MAX))
      return ts_fail(error, TS_INVALID, "impulse %zu of the saved state belongs to no pair", k);
  if (soft > 0) TS_TRY(has.skins ? check_skins(sim, state + soft, error) : check_springs(state + soft, error));
  return commands > 0 ? check_commands(sim, entry, error) : TS_OK;
}

static void load_bodies_and_joints(ts_sim *sim, const double *at)
{
  sim->pushed = false;
  for (int b = 0; b < sim->model->body_count; ++b) {
    ts_pose *pose = &sim->state.pose[b];
    ts_vec3 imaginary;
    at = get_vec3(at, &pose->position);
    pose->orientation.w = *at++;
    at = get_vec3(at, &imaginary);
    pose->orientation = (ts_quat){pose->orientation.w, imaginary.x, imaginary.y, imaginary.z};
    sim->state.angle[b] = *at++;
    at = get_vec3(at, &sim->state.velocity[b].linear);
    at = get_vec3(at, &sim->state.velocity[b].angular);
    at = get_vec3(at, &sim->pushes[b].force);
    at = get_vec3(at, &sim->pushes[b].moment);
    sim->pushed = sim->pushed || ts_wrench_is_something(&sim->pushes[b]);
  }
  for (int j = 0; j < sim->model->joint_count; ++j) sim->state.turned[j] = *at++;
  for (size_t k = 0; k < coordinate_count(sim); ++k) sim->state.q[k] = *at++;
}

// What another stepper has kept means nothing to this one.
static void load_numbers(ts_sim *sim, const double *state)
{
  const int count = sim->number_count;
  const bool own = state[8] == mark_of_stepper(sim) && state[9] == (double)count;
  for (int k = 0; k < count; ++k) sim->numbers[k] = own ? state[fixed_size(sim) + (size_t)k] : 0.0;
  if (!own) ts_supports_rest(sim);
}

static void load_impulses(const double *at, ts_warm_start *memory)
{
  for (int k = 0; k < memory->count; ++k) {
    ts_remembered *entry = &memory->entries[k];
    entry->pair = (uint64_t)at[0] << 32 | (uint64_t)at[1];
    entry->feature = (uint32_t)at[2];
    get_force(get_force(at + 3, &entry->last), &entry->before);
    at += PER_IMPULSE;
  }
}

static void load_commands(ts_sim *sim, const double *at)
{
  sim->state.commands = at ? sim->commands : NULL;
  for (int j = 0; at && j < sim->model->joint_count; ++j, at += PER_COMMAND) {
    sim->commands[j] = (ts_joint_command){at[0], at[1] != 0.0, at[2], at[3]};
    sim->pushed = sim->pushed || at[0] != 0.0;
  }
}

// Time is counted in steps. Where they are of another length than before the count begins anew, or time would jump.
static void load_time(ts_sim *sim, const double *state)
{
  const double start = state[1], steps = state[2], size = state[7];
  sim->state.time = start + steps * size;
  const bool counts_on = size == sim->options.size;
  sim->start_time = counts_on ? start : sim->state.time;
  sim->steps = counts_on ? (int64_t)steps : 0;
}

ts_status ts_sim_load(ts_sim *sim, const double *state, size_t size, ts_error *error)
{
  TS_REFUSE_UNLESS(sim, error);
  TS_REFUSE_UNLESS(!sim->in_callback, error);
  TS_REFUSE_UNLESS(state, error);
  TS_TRY(check_state(sim, state, size, error));
  ts_arena *arena = &sim->scratch[1 - sim->turn];
  ts_arena_reset(arena);
  jmp_buf recovery;
  arena->recovery = &recovery;
  if (setjmp(recovery)) {
    arena->recovery = NULL;
    return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out for the saved state");
  }
  const int count = (int)state[5];
  ts_warm_start memory = {count, ts_arena_bytes(arena, (size_t)count, sizeof(ts_remembered)), state[16]};
  contents has;
  read_format(sim, state[0], &has);                             // as it was checked
  has.springs = has.springs && sim->options.method->is_elastic; // others know nothing of them
  const size_t soft = start_of_deflections(sim, has, state, size);
  ts_skin_memory skins = {.count = soft > 0 && has.skins ? (int)state[soft] : 0};
  ts_elastic_memory springs = {.count = soft > 0 && has.springs ? (int)state[soft] : 0};
  skins.entries = ts_arena_bytes(arena, (size_t)skins.count, sizeof *skins.entries);
  springs.entries = ts_arena_bytes(arena, (size_t)springs.count, sizeof *springs.entries);
  arena->recovery = NULL;
  load_bodies_and_joints(sim, state + HEADER);
  load_numbers(sim, state);
  const double *impulses = state + fixed_size(sim) + (size_t)state[9];
  load_impulses(impulses, &memory);
  load_commands(sim, has.commands ? impulses + PER_IMPULSE * (size_t)count : NULL);
  if (soft > 0 && has.skins) load_skins(state + soft, &skins);
  if (soft > 0 && has.springs) load_springs(state + soft, &springs);
  sim->remembered = memory;
  sim->skins = skins;
  sim->elastic = springs;
  load_account(state + 10, &sim->account);
  sim->contacts = (ts_contact_set){.count = 0};
  sim->impacts = (ts_impact_list){0};
  ts_loads_forget(sim);
  sim->turn = 1 - sim->turn;
  load_time(sim, state);
  ts_mechanics_update(&sim->mechanics);
  return TS_OK;
}
