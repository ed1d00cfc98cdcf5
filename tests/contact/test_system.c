// The complementarity problem of a step against dense matrices that are put together from contacts, joint rows and
// masses alone.
#include "scene_generator.h"

#include "contact/block_groups.h"
#include "contact/body_space.h"
#include "contact/system.h"

#include "base/random.h"

#include <lapacke.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "gives_back.h"
#include "near.h"

enum { SCENES = 40 };

typedef struct setup {
  ts_arena arena;
  jmp_buf recovery;
  ts_model *model;
  ts_state state;
  ts_kinematics kinematics;
  ts_finder finder;
  ts_contact_set contacts;
  ts_bilateral_row *rows; // of all joints, whether they are coordinates or not
  int row_count;
  ts_mechanics mechanics;
  ts_mobility mobility;
  ts_bounded_row *bounded;
  int bounded_count;
  ts_system system;
} setup;

static const double STEP = 1e-3, MARGIN = 0.05;

static void make_state(setup *s, bool minimal)
{
  ts_mechanics_init(&s->mechanics, s->model, (ts_mechanics_choice){.minimal = minimal}, &s->state, &s->kinematics,
                    &s->arena);
  const bool *on_tree = s->state.on_tree;
  ts_state_init(s->model, &s->state);
  s->state.on_tree = NULL; // all bodies are where the model has them
  ts_kinematics_update(s->model, &s->state, &s->kinematics);
  s->state.on_tree = on_tree;
  ts_mechanics_adopt(&s->mechanics);
}

// Of the rows those that hold a body each for itself, by one source: what is left has an anchor a body.
static int keep_anchors(ts_bilateral_row *rows, int count)
{
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const int *body = rows[i].row.body, own = body[0] >= 0 ? body[0] : body[1];
    bool alone = own >= 0 && (body[0] < 0 || body[1] < 0);
    for (int k = 0; k < kept; ++k)
      alone = alone && (rows[k].source == rows[i].source || (rows[k].row.body[0] != own && rows[k].row.body[1] != own));
    if (alone) rows[kept++] = rows[i];
  }
  return kept;
}

static void make_mobility(setup *s)
{
  const size_t most = (size_t)ts_bilateral_row_limit(s->model);
  s->mobility = (ts_mobility){.mechanics = &s->mechanics, .h = STEP, .theta = 1.0, .arena = &s->arena};
  s->mobility.rows = ts_arena_bytes(&s->arena, most + 1, sizeof *s->rows);
  s->mobility.count =
      ts_bilateral_rows(s->model, &s->state, &s->kinematics, STEP, s->mechanics.is_coordinate, s->mobility.rows);
  assert_true(ts_mobility_factor(&s->mobility));
}

static void make_joints(setup *s)
{
  const size_t most = (size_t)ts_bilateral_row_limit(s->model), most_bounded = (size_t)ts_bounded_row_limit(s->model);
  s->rows = ts_arena_bytes(&s->arena, most + 1, sizeof *s->rows);
  s->bounded = ts_arena_bytes(&s->arena, most_bounded + 1, sizeof *s->bounded);
  s->row_count = ts_bilateral_rows(s->model, &s->state, &s->kinematics, STEP, NULL, s->rows);
  s->bounded_count = ts_bounded_rows(s->model, &s->state, &s->kinematics, STEP, s->bounded);
  make_mobility(s);
}

static void setup_scene_of(setup *s, uint64_t seed, int bodies, bool jointed, bool minimal)
{
  memset(s, 0, sizeof *s);
  scene_recipe recipe = scene_recipe_random(seed);
  recipe.bodies = bodies;
  recipe.joints = recipe.drives = recipe.springs = recipe.anchors = jointed;
  recipe.ground = true;
  s->model = scene_generate(&recipe, seed, (scene_variant){.turn = ts_quat_identity()});
  ts_arena_init(&s->arena, NULL);
  s->arena.recovery = &s->recovery;
  if (setjmp(s->recovery)) fail_msg("memory ran out");
  make_state(s, minimal);
  make_joints(s);
  assert_true(ts_finder_init(&s->finder, s->model, NULL, &s->arena));
  assert_true(ts_find_contacts(&s->finder, &s->kinematics, s->state.velocity, STEP, MARGIN, &s->arena, &s->contacts));
  ts_system_assemble(s->model, &s->kinematics, &s->contacts, s->bounded, s->bounded_count,
                     ts_mobility_couples(&s->mobility) ? &s->mobility : NULL, NULL, &s->arena, &s->system);
}

static void setup_scene(setup *s, uint64_t seed, bool jointed, bool minimal)
{
  setup_scene_of(s, seed, 3 + (int)(seed % 6), jointed, minimal);
}

// The same in bodies' own coordinates, without the rows that join bodies. Returns how many are left.
static int setup_anchored_scene(setup *s, uint64_t seed)
{
  setup_scene(s, seed, true, false);
  s->row_count = keep_anchors(s->rows, s->row_count);
  s->mobility.count = keep_anchors(s->mobility.rows, s->mobility.count);
  assert_true(ts_mobility_factor(&s->mobility));
  ts_system_assemble(s->model, &s->kinematics, &s->contacts, s->bounded, s->bounded_count,
                     ts_mobility_couples(&s->mobility) ? &s->mobility : NULL, NULL, &s->arena, &s->system);
  return s->mobility.count;
}

static void release(setup *s)
{
  ts_finder_release(&s->finder);
  ts_arena_release(&s->arena);
  ts_model_destroy(s->model);
}

// Warm starts look for pairs of convex parts in ascending order.
static void check_order(const setup *s)
{
  ts_part_pair last = {-1, -1};
  for (int i = 0; i < s->contacts.count; ++i) {
    const ts_part_pair pair = s->contacts.parts[i];
    const int low = pair.first < pair.second ? pair.first : pair.second;
    const int high = pair.first < pair.second ? pair.second : pair.first;
    assert_true(low > last.first || (low == last.first && high >= last.second));
    last = (ts_part_pair){low, high};
  }
}

// ---- dense matrices, by columns ------------------------------------------------------------------------------------

static void put(double *column, int body, double sign, ts_vec3 linear, ts_vec3 angular)
{
  const double values[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
  for (int k = 0; k < 6; ++k) column[6 * body + k] += sign * values[k];
}

static bool is_dynamic(const setup *s, int body)
{
  return body >= 0 && s->model->bodies[body].kind == TS_DYNAMIC;
}

// J^T: one column a row of the system, 6 numbers a body. Rows that act on nothing stay zero.
static double *dense_directions(const setup *s, ts_arena *arena)
{
  const int d = s->system.dimension, n = 6 * s->model->body_count;
  double *J = ts_arena_zeros(arena, (size_t)n * (size_t)(s->system.count * d));
  for (int i = 0; i < s->contacts.count; ++i) {
    const ts_contact *c = &s->contacts.contacts[i];
    const ts_vec3 axes[3] = {c->normal, c->tangent, c->other}, none = {0.0, 0.0, 0.0};
    const int body[2] = {c->body_1, c->body_2};
    for (int side = 0; side < 2; ++side) {
      if (!is_dynamic(s, body[side])) continue;
      const ts_vec3 arm = ts_sub(c->point, s->state.pose[body[side]].position);
      const double sign = side == 0 ? 1.0 : -1.0;
      for (int r = 0; r < (d < 3 ? d : 3); ++r)
        put(J + (size_t)(i * d + r) * (size_t)n, body[side], sign, axes[r], ts_cross(arm, axes[r]));
      if (d == 4 && s->contacts.laws[i]->ellipsoid.z > 0.0)
        put(J + (size_t)(i * d + 3) * (size_t)n, body[side], sign, none, c->normal);
    }
  }
  for (int k = 0; k < s->bounded_count; ++k) {
    const int row = (s->contacts.count + k) * d + (s->bounded[k].lower >= 0.0 ? 0 : 1);
    for (int side = 0; side < 2; ++side) {
      const ts_row *own = &s->bounded[k].row;
      if (is_dynamic(s, own->body[side]))
        put(J + (size_t)row * (size_t)n, own->body[side], 1.0, own->jacobian[side].linear, own->jacobian[side].angular);
    }
  }
  return J;
}

static double *dense_joints(const setup *s, ts_arena *arena)
{
  const int n = 6 * s->model->body_count;
  double *G = ts_arena_zeros(arena, (size_t)n * (size_t)s->row_count + 1);
  for (int k = 0; k < s->row_count; ++k)
    for (int side = 0; side < 2; ++side) {
      const ts_row *row = &s->rows[k].row;
      if (is_dynamic(s, row->body[side]))
        put(G + (size_t)k * (size_t)n, row->body[side], 1.0, row->jacobian[side].linear, row->jacobian[side].angular);
    }
  return G;
}

// R I^-1 R^T b for a body whose inertia may have zeros (particles, the plane): those directions do not respond.
static ts_vec3 turn_response(const setup *s, int body, ts_vec3 b)
{
  const ts_quat q = s->state.pose[body].orientation;
  const ts_mat3 *inertia = &s->model->bodies[body].inertia;
  if (s->model->freedoms->space == TS_SPACE_2D)
    return (ts_vec3){0.0, 0.0, inertia->z.z > 0.0 ? b.z / inertia->z.z : 0.0};
  if (!(inertia->x.x > 0.0)) return (ts_vec3){0.0, 0.0, 0.0};
  const ts_vec3 own = ts_quat_rotate(ts_quat_conjugate(q), b);
  double A[9] = {inertia->x.x, inertia->x.y, inertia->x.z, inertia->y.x, inertia->y.y,
                 inertia->y.z, inertia->z.x, inertia->z.y, inertia->z.z};
  double x[3] = {own.x, own.y, own.z};
  lapack_int pivot[3];
  assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, 3, 1, A, 3, pivot, x, 3), 0);
  return ts_quat_rotate(q, (ts_vec3){x[0], x[1], x[2]});
}

// M^-1 times columns.
static double *dense_response(const setup *s, const double *columns, int count, ts_arena *arena)
{
  const int n = 6 * s->model->body_count;
  double *response = ts_arena_zeros(arena, (size_t)n * (size_t)count + 1);
  for (int c = 0; c < count; ++c)
    for (int b = 0; b < s->model->body_count; ++b) {
      if (!is_dynamic(s, b)) continue;
      const double *x = columns + (size_t)c * (size_t)n + 6 * (size_t)b;
      const ts_vec3 linear = ts_scale(1.0 / s->model->bodies[b].mass, (ts_vec3){x[0], x[1], x[2]});
      put(response + (size_t)c * (size_t)n, b, 1.0, linear, turn_response(s, b, (ts_vec3){x[3], x[4], x[5]}));
    }
  return response;
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

// A = X^T Y for n rows.
static double *product(const double *X, int x, const double *Y, int y, int n, ts_arena *arena)
{
  double *A = ts_arena_zeros(arena, (size_t)x * (size_t)y + 1);
  for (int c = 0; c < y; ++c)
    for (int r = 0; r < x; ++r)
      A[(size_t)c * (size_t)x + (size_t)r] = dot(X + (size_t)r * (size_t)n, Y + (size_t)c * (size_t)n, n);
  return A;
}

// J M^-1 J^T - J M^-1 G (G^T M^-1 G + S)^-1 G^T M^-1 J^T
static double *dense_compliance(const setup *s, ts_arena *arena)
{
  const int n = 6 * s->model->body_count, rows = s->system.count * s->system.dimension, joints = s->row_count;
  const double *J = dense_directions(s, arena), *G = dense_joints(s, arena);
  double *W = product(J, rows, dense_response(s, J, rows, arena), rows, n, arena);
  if (joints == 0) return W;
  const double *respond = dense_response(s, G, joints, arena);
  double *A = product(G, joints, respond, joints, n, arena), *C = product(respond, joints, J, rows, n, arena);
  double *X = ts_arena_doubles(arena, (size_t)joints * (size_t)rows);
  memcpy(X, C, (size_t)joints * (size_t)rows * sizeof *X);
  for (int k = 0; k < joints; ++k) A[(size_t)k * (size_t)(joints + 1)] += s->rows[k].softness;
  assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', joints, rows, A, joints, X, joints), 0);
  const double *correction = product(C, rows, X, rows, joints, arena);
  for (int k = 0; k < rows * rows; ++k) W[k] -= correction[k];
  return W;
}

// A dense copy of a block matrix.
static double *dense_blocks(const ts_block_matrix *W, ts_arena *arena)
{
  const int d = W->block, rows = W->rows * d;
  double *A = ts_arena_zeros(arena, (size_t)rows * (size_t)rows + 1);
  for (int i = 0; i < W->rows; ++i)
    for (int k = W->start[i]; k < W->start[i + 1]; ++k)
      for (int c = 0; c < d; ++c)
        for (int r = 0; r < d; ++r)
          A[(size_t)(W->index[k] * d + c) * (size_t)rows + (size_t)(i * d + r)] =
              W->value[(size_t)k * (size_t)(d * d) + (size_t)(c * d + r)];
  return A;
}

static bool is_active(const ts_system *system, int row)
{
  return system->blocks[row / system->dimension].active & 1u << (row % system->dimension);
}

// Where a row acts, W is as expected (the softness of bounded rows on the diagonal included); elsewhere it stands
// apart: nothing but a positive diagonal.
static void check_compliance(const setup *s)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  arena.recovery = s->arena.recovery;
  const ts_system *system = &s->system;
  const int d = system->dimension, rows = system->count * d;
  const double *expected = dense_compliance(s, &arena), *W = dense_blocks(&system->problem.W, &arena);
  double size = 0.0;
  for (int k = 0; k < rows * rows; ++k) size = fmax(size, fabs(expected[k]));
  for (int c = 0; c < rows; ++c)
    for (int r = 0; r < rows; ++r) {
      const double found = W[(size_t)c * (size_t)rows + (size_t)r];
      double wanted = expected[(size_t)c * (size_t)rows + (size_t)r];
      if (r == c && r / d >= s->contacts.count && is_active(system, r))
        wanted += s->bounded[r / d - s->contacts.count].softness;
      if (r == c && !is_active(system, r)) {
        assert_true(found > 0.0);
        continue;
      }
      if (fabs(found - wanted) > 1e-9 * (size + fabs(wanted)))
        fail_msg("W(%d, %d) of %d rows is %.12g, not %.12g", r, c, rows, found, wanted);
    }
  ts_arena_release(&arena);
}

// Blocks between two groups of joined bodies, or such a group and a body alone, where W has blocks that are not there:
// each group adds its own part to them.
static int blocks_between_groups(setup *s)
{
  const ts_block_matrix *W = &s->system.problem.W;
  if (!s->system.mobility || !ts_mobility_joins(&s->mobility) || W->start[W->rows] == W->rows * W->rows) return 0;
  const ts_block_groups groups = ts_group_blocks(&s->system, &s->arena);
  int count = 0;
  for (int i = 0; i < s->system.count; ++i) {
    const int first = ts_group_of(&groups, &s->system.blocks[i], 0);
    const int second = ts_group_of(&groups, &s->system.blocks[i], 1);
    count += first >= 0 && second >= 0 && first != second;
  }
  return count;
}

static void compliance_is_that_of_dense_matrices(void **state)
{
  (void)state;
  int contacts = 0, bounded = 0, joints = 0, between = 0;
  for (int k = 0; k < 4 * SCENES; ++k) {
    setup s;
    setup_scene(&s, (uint64_t)k, k % 2 == 1, k % 4 == 3);
    contacts += s.contacts.count;
    bounded += s.bounded_count;
    joints += s.row_count;
    check_order(&s);
    if (s.system.count > 0) check_compliance(&s);
    if (s.system.count > 0) between += blocks_between_groups(&s);
    release(&s);
  }
  print_message("%d contacts, %d between groups, %d bounded rows, %d joint rows\n", contacts, between, bounded, joints);
  assert_true(contacts > 200 && between > 20 && bounded > 10 && joints > 50);
}

static void anchors_are_those_of_dense_matrices(void **state)
{
  (void)state;
  int rows = 0, held = 0;
  for (uint64_t seed = 0; seed < 3 * SCENES; ++seed) {
    setup s;
    const int count = setup_anchored_scene(&s, seed);
    if (s.system.count > 0 && count > 0) {
      assert_false(ts_mobility_joins(&s.mobility));
      check_compliance(&s);
      rows += count;
      for (int i = 0; i < s.system.count; ++i)
        for (int side = 0; side < 2; ++side) {
          const int body = s.system.blocks[i].body[side];
          held += body >= 0 && ts_mobility_anchor(&s.mobility, body);
        }
    }
    release(&s);
  }
  print_message("%d rows of anchors, %d blocks on bodies that they hold\n", rows, held);
  assert_true(rows > 100 && held > 50);
}

static const double *find_block(const ts_block_matrix *W, int row, int column) // NULL: there is none
{
  for (int k = W->start[row]; k < W->start[row + 1]; ++k)
    if (W->index[k] == column) return W->value + (size_t)k * (size_t)(W->block * W->block);
  return NULL;
}

// The blocks of some of the contacts have the bits that they have among all.
static int check_part(const setup *s, const ts_block_matrix *all, int count)
{
  ts_arena arena;
  ts_arena_init(&arena, NULL);
  arena.recovery = s->arena.recovery;
  ts_contact_set some = s->contacts;
  ts_system few;
  some.count = count;
  ts_system_assemble(s->model, &s->kinematics, &some, NULL, 0, NULL, NULL, &arena, &few);
  const ts_block_matrix *W = &few.problem.W;
  const size_t bytes = (size_t)(W->block * W->block) * sizeof(double);
  for (int i = 0; i < count; ++i) {
    for (int k = W->start[i]; k + 1 < W->start[i + 1]; ++k) assert_true(W->index[k] < W->index[k + 1]);
    for (int j = 0; j < count; ++j) {
      const double *found = find_block(W, i, j), *wanted = find_block(all, i, j);
      assert_int_equal(found != NULL, wanted != NULL);
      if (found) assert_memory_equal(found, wanted, bytes);
    }
  }
  const int blocks = W->start[W->rows];
  ts_arena_release(&arena);
  return blocks;
}

// W of few blocks is made otherwise than that of many.
static void few_blocks_are_coupled_as_among_many(void **state)
{
  enum { FEW = 60, MANY = 65 };
  (void)state;
  int scenes = 0, absent = 0;
  for (uint64_t seed = 0; seed < SCENES; ++seed) {
    setup s;
    setup_scene_of(&s, 2000 + seed, 40, false, false);
    if (s.contacts.count >= MANY) {
      ++scenes;
      absent += FEW * FEW - check_part(&s, &s.system.problem.W, FEW);
      check_compliance(&s);
    }
    release(&s);
  }
  print_message("%d scenes of many blocks, %d pairs of blocks without a common body\n", scenes, absent);
  assert_true(scenes > 3 && absent > 1000);
}

// ---- what goes with W ----------------------------------------------------------------------------------------------

// u(v + M^-1 J^T r) - u(v) = W r on the rows that act; joints stay obeyed, so that their reaction is in it.
static void applied_impulses_change_velocities_by_w(void **state)
{
  (void)state;
  for (int k = 0; k < SCENES; ++k) {
    setup s;
    setup_scene(&s, 500 + (uint64_t)k, k % 2 == 1, k % 4 == 3);
    const int rows = s.system.count * s.system.dimension;
    ts_random random;
    ts_random_init(&random, (uint64_t)k);
    const double *W = dense_blocks(&s.system.problem.W, &s.arena);
    double *r = ts_arena_zeros(&s.arena, (size_t)rows), *before = ts_arena_zeros(&s.arena, (size_t)rows);
    double *after = ts_arena_zeros(&s.arena, (size_t)rows), size = 0.0;
    double *reaction = ts_arena_zeros(&s.arena, (size_t)s.row_count + 1);
    for (int i = 0; i < rows; ++i)
      if (is_active(&s.system, i)) r[i] = ts_random_normal(&random);
    for (int i = 0; i < rows * rows; ++i) size = fmax(size, fabs(W[i]));
    ts_system_velocity(&s.system, s.state.velocity, before);
    assert_gives_back(&s.arena, ts_system_apply(&s.system, r, s.state.velocity, reaction, &s.arena));
    ts_system_velocity(&s.system, s.state.velocity, after);
    for (int i = 0; i < rows; ++i) {
      if (!is_active(&s.system, i)) continue;
      double change = 0.0;
      for (int j = 0; j < rows; ++j) change += W[(size_t)j * (size_t)rows + (size_t)i] * r[j];
      const int block = i / s.system.dimension - s.contacts.count;
      if (block >= 0) change -= s.bounded[block].softness * r[i]; // gives way, but does not move bodies
      assert_near(after[i] - before[i], change, 1e-9 * size * rows);
    }
    release(&s);
  }
}

static double entry(const ts_matrix *A, int row, int column)
{
  for (int k = A->start[column]; k < A->start[column + 1]; ++k)
    if (A->index[k] == row) return A->value[k];
  return 0.0;
}

// H^T M^-1 H from the matrices handed to solvers that work on bodies.
static void the_space_of_bodies_gives_the_same_w(void **state)
{
  (void)state;
  int given = 0;
  for (int k = 0; k < SCENES; ++k) {
    setup s;
    setup_scene(&s, 800 + (uint64_t)k, false, false);
    ts_bodies found, *bodies = &found;
    if (ts_body_space_find(&s.system, &s.arena, bodies)) {
      ++given;
      const int n = bodies->M.rows, rows = bodies->H.columns;
      assert_int_equal(rows, s.system.count * s.system.dimension);
      double *M = ts_arena_zeros(&s.arena, (size_t)n * (size_t)n),
             *H = ts_arena_zeros(&s.arena, (size_t)n * (size_t)rows);
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r) M[(size_t)c * (size_t)n + (size_t)r] = entry(&bodies->M, r, c);
      for (int c = 0; c < rows; ++c)
        for (int r = 0; r < n; ++r) H[(size_t)c * (size_t)n + (size_t)r] = entry(&bodies->H, r, c);
      double *X = ts_arena_doubles(&s.arena, (size_t)n * (size_t)rows);
      memcpy(X, H, (size_t)n * (size_t)rows * sizeof *X);
      assert_int_equal(LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', n, rows, M, n, X, n), 0);
      const double *expected = product(H, rows, X, rows, n, &s.arena), *W = dense_blocks(&s.system.problem.W, &s.arena);
      double size = 0.0;
      for (int i = 0; i < rows * rows; ++i) size = fmax(size, fabs(W[i]));
      for (int i = 0; i < rows * rows; ++i) assert_near(expected[i], W[i], 1e-9 * size);
    }
    release(&s);
  }
  assert_true(given > 10);
}

// A rebound block has the tangents of its contact and a normal of its own.
static void rebound_blocks_share_tangents(void **state)
{
  (void)state;
  for (int k = 0; k < SCENES; ++k) {
    setup s;
    setup_scene(&s, 900 + (uint64_t)k, k % 2 == 1, k % 4 == 3);
    const ts_system *system = &s.system;
    const int d = system->dimension, n = system->count;
    double *recovered = ts_arena_zeros(&s.arena, (size_t)n + 1);
    int wanted = 0;
    for (int i = 0; i < n; i += 2) {
      recovered[i] = 1.0;
      wanted += system->blocks[i].kind == TS_BLOCK_CONTACT;
    }
    ts_system rebound;
    ts_system_assemble_rebound(system, &s.contacts, NULL, recovered, &s.arena, &rebound);
    assert_int_equal(rebound.count, n + wanted);
    const double *W = dense_blocks(&system->problem.W, &s.arena), *R = dense_blocks(&rebound.problem.W, &s.arena);
    const size_t rows = (size_t)(n * d), more = (size_t)(rebound.count * d);
    for (int b = n; b < rebound.count; ++b) {
      assert_int_equal(rebound.blocks[b].kind, TS_BLOCK_REBOUND);
      const int contact = rebound.blocks[b].source;
      assert_near(rebound.problem.mu[b], system->problem.mu[contact], 0.0);
      for (int r = 0; r < d; ++r)
        for (size_t c = 0; c < rows; ++c) {
          const size_t own = (size_t)(b * d + r);
          const bool acts = rebound.blocks[b].active & 1u << r;
          const double same = acts ? W[c * rows + (size_t)(contact * d + r)] : 0.0;
          assert_near(R[c * more + own], same, 1e-12 * fmax(1.0, fabs(same)));
        }
    }
    release(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(compliance_is_that_of_dense_matrices),    cmocka_unit_test(anchors_are_those_of_dense_matrices),
      cmocka_unit_test(applied_impulses_change_velocities_by_w), cmocka_unit_test(the_space_of_bodies_gives_the_same_w),
      cmocka_unit_test(few_blocks_are_coupled_as_among_many),    cmocka_unit_test(rebound_blocks_share_tangents),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
