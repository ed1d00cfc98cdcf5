#include "step/implicit/softening.h"

#include <math.h>
#include <string.h>

enum { N, ROWS = 3, SIDES = 2 };

// ---- frames --------------------------------------------------------------------------------------------------------

static ts_vec3 along_surface(ts_vec3 v, ts_vec3 n)
{
  return ts_add_scaled(v, -ts_dot(v, n), n);
}

// The tangent that follows a direction of the body, or the next axis of the body where that stands on the surface.
static ts_vec3 followed_tangent(const ts_soft_skin *skin, const ts_frame *body, ts_vec3 n)
{
  static const ts_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
  const ts_vec3 wish = ts_dot(skin->direction, skin->direction) > 0.0 ? skin->direction : x;
  const ts_vec3 t = along_surface(ts_mul(&body->axes, wish), n);
  if (ts_dot(t, t) > 1e-6 * ts_dot(wish, wish)) return ts_normalize(t, n);
  const ts_vec3 next = fabs(wish.y) < 0.9 * ts_length(wish) ? y : x;
  return ts_normalize(along_surface(ts_mul(&body->axes, next), n), n);
}

// Force on the other part: along the skin's own normal p_n, along its tangents p of the second side and -p of the
// first.
static void set_turn(ts_soft_side *own, const ts_contact *contact, int side, ts_vec3 t)
{
  const double sign = side == 0 ? -1.0 : 1.0;
  const ts_vec3 o = ts_cross(ts_scale(sign, contact->normal), t);
  own->turn[0] = sign * ts_dot(contact->tangent, t);
  own->turn[1] = sign * ts_dot(contact->tangent, o);
  own->turn[2] = sign * ts_dot(contact->other, t);
  own->turn[3] = sign * ts_dot(contact->other, o);
}

static void into_skin(const ts_soft_side *own, const double contact[ROWS], double skin[ROWS])
{
  const double *Q = own->turn;
  skin[0] = contact[0];
  skin[1] = Q[0] * contact[1] + Q[2] * contact[2];
  skin[2] = Q[1] * contact[1] + Q[3] * contact[2];
}

static void from_skin(const ts_soft_side *own, const double skin[ROWS], double contact[ROWS])
{
  const double *Q = own->turn;
  contact[0] = skin[0];
  contact[1] = Q[0] * skin[1] + Q[1] * skin[2];
  contact[2] = Q[2] * skin[1] + Q[3] * skin[2];
}

// ---- patches -------------------------------------------------------------------------------------------------------

static bool is_planar(const ts_sim *sim)
{
  return ts_is_flat(sim->model->freedoms);
}

static void set_side(ts_soft_side *own, const ts_sim *sim, const ts_frame *body, const ts_contact *contact, int side,
                     ts_vec3 carried, const double delta[ROWS], double h)
{
  const ts_skin_response response = ts_skin_respond(own->skin, h);
  const double sign = side == 0 ? -1.0 : 1.0;
  ts_vec3 t = carried;
  if (is_planar(sim)) // the skin's own normal turned clockwise
    t = ts_scale(sign, contact->tangent);
  else if (!own->skin->round)
    t = followed_tangent(own->skin, body, contact->normal);
  set_turn(own, contact, side, t);
  double relaxed[ROWS];
  from_skin(own, delta, own->old);
  ts_skin_multiply(response.D, delta, relaxed);
  from_skin(own, relaxed, own->relaxed);
  for (int c = 0; c < ROWS; ++c) { // S of the skin between the two frames
    const double unit[ROWS] = {c == 0, c == 1, c == 2};
    double in[ROWS], out[ROWS];
    into_skin(own, unit, in);
    ts_skin_multiply(response.S, in, out);
    from_skin(own, out, own->S + 3 * c);
  }
}

static const ts_soft_patch *same_patch(const ts_softening *before, ts_part_pair parts)
{
  for (int k = 0; k < before->count; ++k)
    if (before->patches[k].parts.first == parts.first && before->patches[k].parts.second == parts.second)
      return &before->patches[k];
  return NULL;
}

// What is remembered of the pair. Parts that have not met have nothing to remember.
static ts_deflection deflection_of(const ts_sim *sim, ts_part_pair parts, const ts_contact *contact)
{
  const ts_deflection *known = ts_skins_find(&sim->skins, parts);
  return known ? *known : (ts_deflection){.parts = parts, .tangent = contact->tangent};
}

static void add_patch(ts_softening *soft, const ts_patch_set *set, int patch, const ts_sim *sim,
                      const ts_kinematics *kinematics, double h, const ts_softening *before)
{
  const ts_contact *contact = &set->points.contacts[set->start[patch]];
  const ts_part_pair parts = set->points.parts[set->start[patch]];
  const ts_deflection deflection = deflection_of(sim, parts, contact);
  const ts_soft_patch *known = same_patch(before, parts);
  ts_soft_patch *made = &soft->patches[soft->count++];
  *made = (ts_soft_patch){.patch = patch, .parts = parts};
  made->tangent = ts_normalize(along_surface(deflection.tangent, contact->normal), contact->tangent);
  for (int side = 0; side < SIDES; ++side) {
    ts_soft_side *own = &made->sides[side];
    const ts_part *part = &sim->model->parts[side == 0 ? parts.first : parts.second];
    own->skin = part->skin;
    own->core = -1;
    if (!own->skin) continue;
    own->has_core = known && known->sides[side].has_core;
    own->core_impulse = own->has_core ? known->sides[side].core_impulse : 0.0;
    set_side(own, sim, &kinematics->frame[part->body], contact, side, made->tangent, deflection.delta[side], h);
  }
}

// Touches of two parts have one normal: of several patches of a pair, which shapes of one's own may have, the first
// bears on the skins, and the others are those of cores.
ts_softening ts_soften(const ts_patch_set *set, const ts_sim *sim, const ts_kinematics *kinematics, double h,
                       const ts_softening *before, ts_arena *arena)
{
  ts_softening soft = {.patches = ts_arena_bytes(arena, (size_t)set->touching, sizeof *soft.patches)};
  for (int p = 0; p < set->touching; ++p) {
    const ts_part_pair parts = set->points.parts[set->start[p]];
    const ts_part *all = sim->model->parts;
    if ((all[parts.first].skin || all[parts.second].skin) && !same_patch(&soft, parts))
      add_patch(&soft, set, p, sim, kinematics, h, before);
  }
  return soft;
}

static int rows_of(int d)
{
  return d < ROWS ? d : ROWS;
}

// ---- the problem ---------------------------------------------------------------------------------------------------

void ts_softening_ask_for_gaps(const ts_softening *soft, const ts_patch_set *set, ts_step *step)
{
  const size_t d = (size_t)step->system.dimension;
  for (int k = 0; k < soft->count; ++k) {
    const ts_soft_patch *own = &soft->patches[k];
    double room = 0.0; // between the plate and the core
    for (int side = 0; side < SIDES; ++side)
      if (own->sides[side].skin) room += own->sides[side].skin->thickness - own->sides[side].old[N];
    for (int i = set->start[own->patch]; i < set->start[own->patch + 1]; ++i) {
      step->bias[(size_t)i * d] -= room / step->h;
      step->system.q[(size_t)i * d] -= room / step->h;
    }
  }
}

static void number_cores(ts_softening *soft, int first)
{
  soft->cores = 0;
  for (int k = 0; k < soft->count; ++k)
    for (int side = 0; side < SIDES; ++side) {
      ts_soft_side *own = &soft->patches[k].sides[side];
      own->core = own->has_core ? first + soft->cores++ : -1;
    }
}

// Blocks of the problem while it is written, row by row.
typedef struct blocks {
  int d, count;
  int *start, *index;
  double *value;
} blocks;

static double *append(blocks *to, int column)
{
  double *block = to->value + (size_t)to->count * (size_t)(to->d * to->d);
  to->index[to->count++] = column;
  memset(block, 0, (size_t)(to->d * to->d) * sizeof *block);
  return block;
}

// block += S/h
static void add_compliance(double *block, const ts_soft_side *own, double h, int d)
{
  for (int c = 0; c < rows_of(d); ++c)
    for (int r = 0; r < rows_of(d); ++r) block[c * d + r] += own->S[3 * c + r] / h;
}

static const ts_soft_patch **patches_of_points(const ts_softening *soft, const ts_patch_set *set, int count,
                                               ts_arena *arena)
{
  const ts_soft_patch **of = ts_arena_bytes(arena, (size_t)count, sizeof *of);
  for (int i = 0; i < count; ++i) of[i] = NULL;
  for (int k = 0; k < soft->count; ++k)
    for (int i = set->start[soft->patches[k].patch]; i < set->start[soft->patches[k].patch + 1]; ++i)
      of[i] = &soft->patches[k];
  return of;
}

// The row of a point or of a joint's row: W, the compliance of its skins, and what its cores take off it.
static void write_point_row(blocks *to, const ts_block_matrix *W, int i, const ts_soft_patch *const *of, double h)
{
  const int d = to->d;
  const size_t size = (size_t)(d * d);
  for (int k = W->start[i]; k < W->start[i + 1]; ++k) {
    double *block = append(to, W->index[k]);
    memcpy(block, W->value + (size_t)k * size, size * sizeof *block);
    for (int side = 0; of[i] && of[i] == of[W->index[k]] && side < SIDES; ++side)
      if (of[i]->sides[side].skin) add_compliance(block, &of[i]->sides[side], h, d);
  }
  for (int side = 0; of[i] && side < SIDES; ++side) {
    const ts_soft_side *own = &of[i]->sides[side];
    if (own->core < 0) continue;
    double *block = append(to, own->core);
    for (int r = 0; r < rows_of(d); ++r) block[r] = -own->S[r] / h;
  }
}

// (thickness - delta_n) / h against p_r. The other rows act on nothing.
static void write_core_row(blocks *to, const ts_soft_patch *patch, const ts_soft_side *own, const ts_patch_set *set,
                           double h)
{
  const int d = to->d;
  for (int i = set->start[patch->patch]; i < set->start[patch->patch + 1]; ++i) {
    double *block = append(to, i);
    for (int c = 0; c < rows_of(d); ++c) block[c * d] = -own->S[3 * c] / h;
  }
  double *block = append(to, own->core);
  for (int r = 0; r < d; ++r) block[r * d + r] = own->S[0] / h;
}

// Blocks that cores add: their own, and twice one for each point that they share a patch with.
static int blocks_of_cores(const ts_softening *soft, const ts_patch_set *set)
{
  int count = 0;
  for (int k = 0; k < soft->count; ++k)
    for (int side = 0, patch = soft->patches[k].patch; side < SIDES; ++side)
      if (soft->patches[k].sides[side].has_core) count += 2 * (set->start[patch + 1] - set->start[patch]) + 1;
  return count;
}

static ts_block_matrix write_matrix(const ts_softening *soft, const ts_patch_set *set, const ts_step *step)
{
  const ts_block_matrix *W = &step->system.problem.W;
  const int d = step->system.dimension, rows = W->rows + soft->cores;
  const size_t most = (size_t)(W->start[W->rows] + blocks_of_cores(soft, set));
  blocks to = {.d = d,
               .start = ts_arena_ints(step->arena, (size_t)rows + 1),
               .index = ts_arena_ints(step->arena, most),
               .value = ts_arena_doubles(step->arena, most * (size_t)(d * d))};
  const ts_soft_patch **of = patches_of_points(soft, set, W->rows, step->arena);
  for (int i = 0; i < W->rows; ++i) {
    to.start[i] = to.count;
    write_point_row(&to, W, i, of, step->h);
  }
  for (int k = 0; k < soft->count; ++k)
    for (int side = 0; side < SIDES; ++side) {
      const ts_soft_side *own = &soft->patches[k].sides[side];
      if (own->core < 0) continue;
      to.start[own->core] = to.count;
      write_core_row(&to, &soft->patches[k], own, set, step->h);
    }
  to.start[rows] = to.count;
  return (ts_block_matrix){.rows = rows, .block = d, .start = to.start, .index = to.index, .value = to.value};
}

// q, and a start for r, of one patch and its cores.
static void write_data(const ts_soft_patch *own, const ts_patch_set *set, const ts_step *step, double *q, double *r)
{
  const int d = step->system.dimension;
  for (int side = 0; side < SIDES; ++side) {
    const ts_soft_side *at = &own->sides[side];
    if (!at->skin) continue;
    for (int i = set->start[own->patch]; i < set->start[own->patch + 1]; ++i)
      for (int row = 0; row < rows_of(d); ++row) q[i * d + row] += (at->relaxed[row] - at->old[row]) / step->h;
    if (at->core < 0) continue;
    q[at->core * d] = (at->skin->thickness - at->relaxed[N]) / step->h;
    r[at->core * d] = at->core_impulse;
  }
}

// Friction of patches; skins that hold nothing along the surface transmit none.
static double *write_friction(const ts_softening *soft, const ts_patch_set *set, const ts_step *step)
{
  const ts_friction *rigid = &step->system.problem;
  double *mu = ts_arena_zeros(step->arena, (size_t)(rigid->contacts + soft->cores));
  if (rigid->contacts > 0) memcpy(mu, rigid->mu, (size_t)rigid->contacts * sizeof *mu);
  for (int k = 0; k < soft->count; ++k) {
    const ts_soft_patch *own = &soft->patches[k];
    for (int side = 0; side < SIDES; ++side)
      for (int i = set->start[own->patch]; i < set->start[own->patch + 1]; ++i)
        if (own->sides[side].skin && own->sides[side].skin->slick) mu[i] = 0.0;
  }
  return mu;
}

static const double *write_ellipsoid(const ts_softening *soft, const ts_step *step)
{
  const ts_friction *rigid = &step->system.problem;
  if (!rigid->ellipsoid) return NULL;
  const size_t own = (size_t)rigid->contacts * (size_t)(rigid->dimension - 1);
  const size_t all = own + (size_t)soft->cores * (size_t)(rigid->dimension - 1);
  double *axes = ts_arena_doubles(step->arena, all);
  memcpy(axes, rigid->ellipsoid, own * sizeof *axes);
  for (size_t k = own; k < all; ++k) axes[k] = 1.0;
  return axes;
}

ts_patch_problem ts_softening_problem(ts_softening *soft, const ts_patch_set *set, const ts_step *step, double **r)
{
  const ts_friction *rigid = &step->system.problem;
  number_cores(soft, rigid->contacts);
  const size_t d = (size_t)rigid->dimension, own = (size_t)rigid->contacts * d, all = own + (size_t)soft->cores * d;
  double *q = ts_arena_zeros(step->arena, all);
  *r = ts_arena_zeros(step->arena, all);
  if (own > 0) memcpy(q, rigid->q, own * sizeof *q);
  if (own > 0) memcpy(*r, set->r, own * sizeof **r);
  for (int k = 0; k < soft->count; ++k) write_data(&soft->patches[k], set, step, q, *r);
  ts_friction *points = ts_arena_bytes(step->arena, 1, sizeof *points);
  *points = *rigid;
  points->contacts += soft->cores;
  points->W = write_matrix(soft, set, step);
  points->q = q;
  points->mu = write_friction(soft, set, step);
  points->ellipsoid = write_ellipsoid(soft, step);
  int *start = ts_arena_ints(step->arena, (size_t)(set->patches + soft->cores) + 1);
  memcpy(start, set->start, ((size_t)set->patches + 1) * sizeof *start);
  for (int k = 0; k < soft->cores; ++k) start[set->patches + k + 1] = start[set->patches + k] + 1;
  return (ts_patch_problem){points, set->patches + soft->cores, start};
}

// ---- the solution --------------------------------------------------------------------------------------------------

// delta = S (p - e_n p_r) + D delta_old, in the frame of the contact.
static void deflect(const ts_soft_side *own, const double p[ROWS], double delta[ROWS])
{
  const double left[ROWS] = {p[0] - own->core_impulse, p[1], p[2]};
  ts_skin_multiply(own->S, left, delta);
  for (int r = 0; r < ROWS; ++r) delta[r] += own->relaxed[r];
}

static void sum_of_points(const ts_patch_set *set, int patch, const double *r, int d, double p[ROWS])
{
  memset(p, 0, ROWS * sizeof *p);
  for (int i = set->start[patch]; i < set->start[patch + 1]; ++i)
    for (int row = 0; row < rows_of(d); ++row) p[row] += r[i * d + row];
}

bool ts_softening_meets_cores(ts_softening *soft, const ts_patch_set *set, const ts_step *step, const double *r)
{
  const int d = step->system.dimension;
  bool meets = false;
  for (int k = 0; k < soft->count; ++k)
    for (int side = 0; side < SIDES; ++side) {
      ts_soft_side *own = &soft->patches[k].sides[side];
      double p[ROWS], delta[ROWS];
      if (!own->skin) continue;
      own->core_impulse = own->core >= 0 ? fmax(0.0, r[own->core * d]) : 0.0;
      sum_of_points(set, soft->patches[k].patch, r, d, p);
      deflect(own, p, delta);
      if (own->has_core || delta[N] <= own->skin->thickness) continue;
      own->has_core = meets = true;
    }
  return meets;
}

// Both skins of a patch at the end of the step, from its impulse.
static ts_deflection end_of_patch(const ts_soft_patch *own, const double p[ROWS], ts_contact *contact)
{
  ts_deflection made = {.parts = own->parts, .tangent = own->tangent};
  contact->core = INFINITY;
  for (int side = 0; side < SIDES; ++side) {
    const ts_soft_side *at = &own->sides[side];
    double delta[ROWS];
    if (!at->skin) continue;
    deflect(at, p, delta);
    delta[N] = fmin(delta[N], at->skin->thickness); // round-off of the solve
    for (int r = 0; r < ROWS; ++r) contact->deflection[r] += delta[r];
    contact->core = fmin(contact->core, at->core_impulse);
    into_skin(at, delta, made.delta[side]);
  }
  return made;
}

// Pairs that have left each other.
static void add_recovering(const ts_softening *soft, const ts_sim *sim, double h, ts_skin_memory *memory)
{
  for (int k = 0; k < sim->skins.count; ++k) {
    ts_deflection left = sim->skins.entries[k];
    if (same_patch(soft, left.parts) || !ts_deflection_recover(sim->model, h, &left)) continue;
    memory->entries[memory->count++] = left;
  }
}

ts_skin_memory ts_softening_remember(const ts_softening *soft, const ts_sim *sim, double h, const double *wrench,
                                     int dimension, ts_contact_set *contacts, ts_arena *arena)
{
  const size_t most = (size_t)soft->count + (size_t)sim->skins.count;
  ts_skin_memory memory = {.entries = ts_arena_bytes(arena, most, sizeof *memory.entries)};
  for (int k = 0; k < soft->count; ++k) {
    const ts_soft_patch *own = &soft->patches[k];
    double p[ROWS] = {0};
    memcpy(p, wrench + own->patch * dimension, (size_t)rows_of(dimension) * sizeof *p);
    memory.entries[memory.count++] = end_of_patch(own, p, &contacts->contacts[own->patch]);
  }
  add_recovering(soft, sim, h, &memory);
  for (int k = 0; k < memory.count; ++k) memory.energy += ts_deflection_energy(sim->model, &memory.entries[k]);
  memory.stagger = 0.5 * (memory.energy - sim->skins.energy);
  return memory;
}
