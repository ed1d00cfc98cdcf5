// Robots read from URDF files against MuJoCo's mass matrix, bias force and accelerations: reader, tree and algorithms
// at once.
#include "dynamics/tree.h"

#include "touchstone/urdf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST_JOINTS = 32, LINE = 4096 };

// A case of the reference: numbers in the order of its joints.
typedef struct reference {
  char robot[256];
  int count;
  char name[MOST_JOINTS][64];
  double q[MOST_JOINTS], v[MOST_JOINTS], bias[MOST_JOINTS], acceleration[MOST_JOINTS];
  double M[MOST_JOINTS][MOST_JOINTS];
} reference;

static void read_line(FILE *file, char line[LINE])
{
  assert_non_null(fgets(line, LINE, file));
  line[strcspn(line, "\r\n")] = '\0';
}

// The numbers behind a word, `count` of them.
static void read_row(FILE *file, const char *word, int count, double *numbers)
{
  char line[LINE];
  read_line(file, line);
  assert_memory_equal(line, word, strlen(word));
  char *at = line + strlen(word);
  for (int k = 0; k < count; ++k) numbers[k] = strtod(at, &at);
}

static void read_names(FILE *file, reference *r)
{
  char line[LINE];
  read_line(file, line);
  char *word = strtok(line, " ");
  assert_string_equal(word, "joints");
  for (r->count = 0; (word = strtok(NULL, " ")) != NULL; ++r->count)
    snprintf(r->name[r->count], sizeof r->name[0], "%s", word);
}

static bool read_reference(FILE *file, reference *r)
{
  char line[LINE];
  if (!fgets(line, sizeof line, file)) return false;
  assert_int_equal(sscanf(line, "## %255s", r->robot), 1);
  read_names(file, r);
  read_row(file, "q ", r->count, r->q);
  read_row(file, "qd ", r->count, r->v);
  read_row(file, "total_armature ", 0, NULL);
  read_row(file, "bias ", r->count, r->bias);
  read_row(file, "qdd_zero_torque ", r->count, r->acceleration);
  read_row(file, "M_lower_by_rows", 0, NULL);
  for (int i = 0; i < r->count; ++i) {
    read_row(file, "", i + 1, r->M[i]);
    for (int j = 0; j < i; ++j) r->M[j][i] = r->M[i][j];
  }
  return true;
}

typedef struct robot {
  ts_arena arena;
  jmp_buf recovery;
  ts_scene *scene;
  const ts_model *model;
  ts_tree *tree;
  ts_state state;
  ts_kinematics kinematics;
  int rate[MOST_JOINTS]; // of the reference's joints
  ts_wrench *weight;
} robot;

static void open_robot(robot *r, const reference *expected)
{
  char path[1024];
  ts_error error;
  snprintf(path, sizeof path, "%s/data/models/%s", SHARED_DATA, expected->robot);
  if (ts_urdf_read(path, NULL, NULL, 0, &r->scene, &error) != TS_OK) fail_msg("%s", error.text);
  r->model = ts_scene_model(r->scene);
  ts_arena_init(&r->arena, NULL);
  r->arena.recovery = &r->recovery;
  if (setjmp(r->recovery)) fail_msg("memory ran out");
  r->tree = ts_tree_create(r->model, true, &r->arena);
  const struct ts_tree_sizes sizes = ts_tree_sizes(r->tree);
  const size_t bodies = (size_t)r->model->body_count;
  assert_int_equal(sizes.v, expected->count);
  r->state = ts_state_allocate(r->model, sizes.q, sizes.v, &r->arena);
  r->kinematics.frame = ts_arena_bytes(&r->arena, bodies, sizeof *r->kinematics.frame);
  r->kinematics.inverse_inertia = ts_arena_bytes(&r->arena, bodies, sizeof *r->kinematics.inverse_inertia);
  r->weight = ts_arena_bytes(&r->arena, bodies, sizeof *r->weight);
  for (size_t b = 0; b < bodies; ++b)
    r->weight[b] = (ts_wrench){ts_scale(r->model->bodies[b].mass, r->model->bodies[b].gravity), {0.0, 0.0, 0.0}};
  for (int k = 0; k < expected->count; ++k) {
    r->rate[k] = -1;
    for (int i = 0; i < sizes.nodes; ++i) {
      const int joint = ts_tree_node_at(r->tree, i)->joint;
      if (joint >= 0 && strcmp(r->model->joints[joint].name, expected->name[k]) == 0)
        r->rate[k] = ts_tree_node_at(r->tree, i)->v;
    }
    assert_true(r->rate[k] >= 0);
  }
  ts_state_init(r->model, &r->state);
}

static void close_robot(robot *r)
{
  ts_arena_release(&r->arena);
  ts_scene_destroy(r->scene);
}

// Coordinates are counted from where the joints stand at time 0, which is 0 in the file for all of these.
static void place(robot *r, const reference *expected)
{
  for (int k = 0; k < expected->count; ++k) {
    r->state.q[r->rate[k]] = expected->q[k];
    r->state.rates[r->rate[k]] = expected->v[k];
  }
  ts_kinematics_update(r->model, &r->state, &r->kinematics);
  ts_tree_update(r->tree, r->state.q, r->state.rates, &r->state, &r->kinematics);
}

static void assert_close(double x, double y, double size)
{
  if (!(fabs(x - y) <= 1e-10 * size)) fail_msg("%.15g is not %.15g", x, y);
}

static double largest(const double *x, int count)
{
  double most = 1.0;
  for (int k = 0; k < count; ++k) most = fmax(most, fabs(x[k]));
  return most;
}

static void check_robot(const reference *expected)
{
  robot r;
  open_robot(&r, expected);
  place(&r, expected);
  const int n = expected->count;
  double M[MOST_JOINTS * MOST_JOINTS], none[MOST_JOINTS] = {0.0}, bias[MOST_JOINTS], acceleration[MOST_JOINTS];
  ts_tree_mass_matrix(r.tree, M);
  ts_tree_inverse_dynamics(r.tree, r.weight, NULL, none, bias);
  assert_true(ts_tree_factor(r.tree, NULL, NULL));
  ts_tree_accelerate(r.tree, r.weight, NULL, NULL, acceleration);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      assert_close(M[r.rate[i] * n + r.rate[j]], expected->M[i][j], largest(expected->M[i], n));
    assert_close(bias[r.rate[i]], expected->bias[i], largest(expected->bias, n));
    assert_close(acceleration[r.rate[i]], expected->acceleration[i], largest(expected->acceleration, n));
  }
  close_robot(&r);
}

static void robots_move_as_mujoco_has_it(void **state)
{
  (void)state;
  FILE *file = fopen(SHARED_DATA "/data/rigidbody_ref/mujoco_dynamics.txt", "r");
  if (!file) {
    print_message("the reference data is not there, skipped\n");
    skip();
  }
  static reference expected;
  int robots = 0;
  for (; read_reference(file, &expected); ++robots) check_robot(&expected);
  fclose(file);
  assert_int_equal(robots, 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(robots_move_as_mujoco_has_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
