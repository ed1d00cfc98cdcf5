#include "step/skin_memory.h"

#include <math.h>
#include <string.h>

enum { N, ROWS = 3 };

static const ts_soft_skin *skin_of(const ts_model *model, ts_part_pair parts, int side)
{
  return model->parts[side == 0 ? parts.first : parts.second].skin;
}

// The inverse of a symmetric positive definite matrix, by its cofactors: K is at most 1e6 in condition.
static void invert(const double A[9], double S[9])
{
  const double a = A[4] * A[8] - A[5] * A[5], b = A[2] * A[5] - A[1] * A[8], c = A[1] * A[5] - A[2] * A[4];
  const double determinant = A[0] * a + A[1] * b + A[2] * c;
  S[0] = a / determinant;
  S[4] = (A[0] * A[8] - A[2] * A[2]) / determinant;
  S[8] = (A[0] * A[4] - A[1] * A[1]) / determinant;
  S[1] = S[3] = b / determinant;
  S[2] = S[6] = c / determinant;
  S[5] = S[7] = (A[1] * A[2] - A[0] * A[5]) / determinant;
}

ts_skin_response ts_skin_respond(const ts_soft_skin *skin, double h)
{
  ts_skin_response response;
  double H[9];
  for (int k = 0; k < 9; ++k) H[k] = h * skin->K[k] + skin->C[k];
  invert(H, response.S);
  for (int c = 0; c < ROWS; ++c) ts_skin_multiply(response.S, skin->C + 3 * c, response.D + 3 * c);
  return response;
}

double ts_skin_energy(const ts_soft_skin *skin, const double delta[3])
{
  double force[ROWS];
  ts_skin_multiply(skin->K, delta, force);
  return 0.5 * (delta[0] * force[0] + delta[1] * force[1] + delta[2] * force[2]);
}

double ts_deflection_energy(const ts_model *model, const ts_deflection *deflection)
{
  double energy = 0.0;
  for (int side = 0; side < 2; ++side) {
    const ts_soft_skin *skin = skin_of(model, deflection->parts, side);
    if (skin) energy += ts_skin_energy(skin, deflection->delta[side]);
  }
  return energy;
}

const ts_deflection *ts_skins_find(const ts_skin_memory *memory, ts_part_pair parts)
{
  for (int k = 0; k < memory->count; ++k) {
    const ts_deflection *entry = &memory->entries[k];
    if (entry->parts.first == parts.first && entry->parts.second == parts.second) return entry;
  }
  return NULL;
}

double ts_skins_bulge(const ts_skin_memory *memory)
{
  double most = 0.0;
  for (int k = 0; k < memory->count; ++k)
    most = fmax(most, -memory->entries[k].delta[0][N] - memory->entries[k].delta[1][N]);
  return most;
}

bool ts_deflection_recover(const ts_model *model, double h, ts_deflection *deflection)
{
  static const double NOTHING = 1e-12; // of the thickness
  bool is_left = false;
  for (int side = 0; side < 2; ++side) {
    const ts_soft_skin *skin = skin_of(model, deflection->parts, side);
    if (!skin) continue;
    const ts_skin_response response = ts_skin_respond(skin, h);
    double before[ROWS];
    memcpy(before, deflection->delta[side], sizeof before);
    ts_skin_multiply(response.D, before, deflection->delta[side]);
    for (int r = 0; r < ROWS; ++r) is_left = is_left || fabs(deflection->delta[side][r]) > NOTHING * skin->thickness;
  }
  return is_left;
}

// K^-1 e_n: the deflection of a force of 1 along the normal.
static void give_way(const ts_soft_skin *skin, double unit[3])
{
  double S[9];
  invert(skin->K, S);
  memcpy(unit, S, 3 * sizeof *unit);
}

// Of parts that overlap by `depth`.
static ts_deflection deflection_at_rest(const ts_model *model, ts_part_pair parts, ts_vec3 tangent, double depth)
{
  ts_deflection made = {.parts = parts, .tangent = tangent};
  const ts_soft_skin *skins[2] = {skin_of(model, parts, 0), skin_of(model, parts, 1)};
  double unit[2][ROWS] = {{0}}, left = fmax(0.0, depth);
  bool full[2] = {!skins[0], !skins[1]};
  for (int side = 0; side < 2; ++side)
    if (skins[side]) give_way(skins[side], unit[side]);
  for (int round = 0; round < 2; ++round) { // a skin that is pressed in to its core leaves the rest to the other
    const double sum = (full[0] ? 0.0 : unit[0][N]) + (full[1] ? 0.0 : unit[1][N]);
    const double force = sum > 0.0 ? left / sum : 0.0;
    for (int side = 0; side < 2; ++side) {
      if (full[side]) continue;
      const double most = skins[side]->thickness / unit[side][N];
      for (int r = 0; r < ROWS; ++r) made.delta[side][r] = fmin(force, most) * unit[side][r];
      full[side] = force >= most;
      if (full[side]) left -= skins[side]->thickness;
    }
  }
  return made;
}

ts_contact_set ts_contacts_at(ts_finder *finder, const ts_kinematics *kinematics, ts_arena *arena)
{
  const size_t bodies = (size_t)finder->model->body_count;
  ts_twist *still = ts_arena_bytes(arena, bodies, sizeof *still);
  ts_contact_set set;
  memset(still, 0, bodies * sizeof *still);
  const ts_course course = {.kinematics = kinematics, .velocity = still, .h = 1.0, .heading = still, .arrived = true};
  if (!ts_find_contacts_on(finder, &course, arena, &set)) longjmp(*arena->recovery, 1);
  return set;
}

static bool reaches(const ts_deflection *known, double depth)
{
  static const double ROUND_OFF = 1e-9;
  return known && known->delta[0][N] + known->delta[1][N] >= (1.0 - ROUND_OFF) * depth;
}

static void add(ts_skin_memory *memory, const ts_deflection *deflection, const ts_model *model)
{
  memory->entries[memory->count++] = *deflection;
  memory->energy += ts_deflection_energy(model, deflection);
}

// The deepest contact of a pair shows how far it is pressed in. What was not found is left to recover.
ts_skin_memory ts_skins_press_in(const ts_skin_memory *known, ts_finder *finder, const ts_kinematics *kinematics,
                                 ts_arena *arena)
{
  const ts_model *model = finder->model;
  const ts_contact_set set = ts_contacts_at(finder, kinematics, arena);
  const size_t most = (size_t)set.count + (size_t)known->count;
  ts_skin_memory memory = {.entries = ts_arena_bytes(arena, most, sizeof *memory.entries)};
  for (int i = 0; i < set.count;) {
    const ts_part_pair parts = set.parts[i];
    const ts_vec3 tangent = set.contacts[i].tangent;
    double depth = 0.0;
    for (; i < set.count && ts_part_pair_key(set.parts[i]) == ts_part_pair_key(parts); ++i)
      depth = fmax(depth, ts_model_skins_between(model, parts.first, parts.second) - set.contacts[i].gap);
    if (!(depth > 0.0) || !(skin_of(model, parts, 0) || skin_of(model, parts, 1))) continue;
    if (reaches(ts_skins_find(known, parts), depth)) continue;
    const ts_deflection made = deflection_at_rest(model, parts, tangent, depth);
    add(&memory, &made, model);
  }
  for (int k = 0; k < known->count; ++k)
    if (!ts_skins_find(&memory, known->entries[k].parts)) add(&memory, &known->entries[k], model);
  return memory;
}
