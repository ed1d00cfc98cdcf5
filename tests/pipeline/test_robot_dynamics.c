// Robots read from URDF files against MuJoCo's mass matrix, bias force and accelerations: reader, tree and algorithms
// at once, as users call them.
#include "touchstone/dynamics.h"
#include "touchstone/urdf.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ROBOTS TEST_DATA "/urdf"

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

static ts_scene *open_robot(const reference *expected)
{
  char path[1024];
  ts_error error;
  ts_scene *scene;
  snprintf(path, sizeof path, "%s/%s",
           strcmp(expected->robot, "anymal_b.urdf") == 0 ? EXAMPLES "/anymal_stand" : ROBOTS, expected->robot);
  if (ts_urdf_read(path, NULL, NULL, 0, &scene, &error) != TS_OK) fail_msg("%s", error.text);
  return scene;
}

static ts_dynamics *open_dynamics(const ts_scene *scene)
{
  ts_error error;
  ts_dynamics *dynamics;
  if (ts_dynamics_create(ts_scene_model(scene), NULL, &dynamics, &error) != TS_OK) fail_msg("%s", error.text);
  return dynamics;
}

// The rates of the reference's joints; each has one coordinate, of the same number.
static void find_joints(const ts_dynamics *dynamics, const reference *expected, int *rate)
{
  assert_int_equal(ts_dynamics_rate_count(dynamics), expected->count);
  assert_int_equal(ts_dynamics_coordinate_count(dynamics), expected->count);
  for (int k = 0; k < expected->count; ++k) {
    rate[k] = -1;
    for (int i = 0; i < expected->count; ++i) {
      if (strcmp(ts_dynamics_rate_name(dynamics, i), expected->name[k]) != 0) continue;
      assert_string_equal(ts_dynamics_coordinate_name(dynamics, i), expected->name[k]);
      rate[k] = i;
    }
    assert_true(rate[k] >= 0);
  }
}

// Coordinates are counted from where the joints stand at time 0, which is 0 in the file for all of these.
static void place(ts_dynamics *dynamics, const reference *expected, const int *rate)
{
  double q[MOST_JOINTS], v[MOST_JOINTS];
  for (int k = 0; k < expected->count; ++k) {
    q[rate[k]] = expected->q[k];
    v[rate[k]] = expected->v[k];
  }
  assert_int_equal(ts_dynamics_set(dynamics, 0.0, q, v, NULL), TS_OK);
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
  const int n = expected->count;
  int rate[MOST_JOINTS];
  double M[MOST_JOINTS * MOST_JOINTS], bias[MOST_JOINTS], acceleration[MOST_JOINTS], force[MOST_JOINTS];
  ts_scene *scene = open_robot(expected);
  ts_dynamics *dynamics = open_dynamics(scene);
  find_joints(dynamics, expected, rate);
  place(dynamics, expected, rate);
  ts_dynamics_mass_matrix(dynamics, M);
  ts_dynamics_bias(dynamics, bias);
  assert_int_equal(ts_dynamics_forward(dynamics, NULL, NULL, acceleration, NULL), TS_OK);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) assert_close(M[rate[i] * n + rate[j]], expected->M[i][j], largest(expected->M[i], n));
    assert_close(bias[rate[i]], expected->bias[i], largest(expected->bias, n));
    assert_close(acceleration[rate[i]], expected->acceleration[i], largest(expected->acceleration, n));
  }
  for (int k = 0; k < n; ++k) acceleration[rate[k]] = expected->acceleration[k]; // those without forces; 12 digits
  assert_int_equal(ts_dynamics_inverse(dynamics, acceleration, NULL, force, NULL), TS_OK);
  for (int i = 0; i < n; ++i) assert_close(force[i], 0.0, largest(expected->acceleration, n) * largest(M, n * n));
  ts_dynamics_destroy(dynamics);
  ts_scene_destroy(scene);
}

static void robots_move_as_mujoco_has_it(void **state)
{
  (void)state;
  FILE *file = fopen(ROBOTS "/dynamics_mujoco.txt", "r");
  assert_non_null(file);
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
