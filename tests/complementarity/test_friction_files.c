// `auto` on the public problem files and the small copies of them that come with the tests: 2D and 3D, local and
// global, from one contact to 7002, several of which no other public solver brings to 1e-8. And on copies with other
// data, so that what was learnt from the files is not all that works.
#define _XOPEN_SOURCE 700
#include "friction_run.h"
#include "shared_data.h"

#include "touchstone/lowering.h"
#include "touchstone/problem_file.h"

#include "base/random.h"
#include "math/matrix.h"

#include <cblas.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const double TOLERANCE = 1e-10;

// ---- folders -------------------------------------------------------------------------------------------------------

typedef struct file_list {
  char *path[80];
  int count;
} file_list;

static bool ends_with(const char *name, const char *ending)
{
  const size_t length = strlen(name), tail = strlen(ending);
  return length >= tail && strcmp(name + length - tail, ending) == 0;
}

static bool holds_a_problem(const char *name)
{
  if (strcmp(name, "reference_runs.txt") == 0 || strncmp(name, "LICENSE", 7) == 0) return false;
  return ends_with(name, ".dat") || ends_with(name, ".hdf5") || ends_with(name, ".txt");
}

static int compare_paths(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// The problem files of a folder, sorted.
static file_list list_files(const char *folder)
{
  file_list list = {.count = 0};
  DIR *directory = opendir(folder);
  if (!directory) fail_msg("%s is not there", folder);
  for (const struct dirent *entry; (entry = readdir(directory));) {
    if (!holds_a_problem(entry->d_name)) continue;
    const size_t bytes = strlen(folder) + strlen(entry->d_name) + 2;
    assert_true(list.count < (int)(sizeof list.path / sizeof list.path[0]));
    char *path = list.path[list.count++] = malloc(bytes);
    assert_non_null(path);
    snprintf(path, bytes, "%s/%s", folder, entry->d_name);
  }
  closedir(directory);
  qsort(list.path, (size_t)list.count, sizeof list.path[0], compare_paths);
  return list;
}

static void release_list(file_list *list)
{
  for (int i = 0; i < list->count; ++i) free(list->path[i]);
}

// ---- solving -------------------------------------------------------------------------------------------------------

static bool is_friction(const ts_problem *problem)
{
  return problem->type == TS_FRICTION || problem->type == TS_GLOBAL_FRICTION;
}

// 1 when the solver misses, else 0.
static int count_miss(friction_run *run, const char *solver, const ts_problem *problem, const char *path)
{
  const ts_outcome outcome = friction_run_solve(run, ts_solver_find(solver), problem);
  if (outcome == TS_SOLVED && friction_run_is_certified(run, problem, TOLERANCE)) return 0;
  friction_run_print_miss(run, problem, path);
  return 1;
}

// Solve every friction problem of a folder; other types and what the reader does not support are passed over.
static void solve_folder(friction_run *run, const char *solver, const char *folder, int at_least)
{
  file_list list = list_files(folder);
  int missed = 0, solved = 0;
  for (int i = 0; i < list.count; ++i) {
    ts_problem_file *file;
    ts_error error = {0};
    const ts_status status = ts_problem_file_read(list.path[i], &file, &error);
    if (status == TS_UNSUPPORTED) continue;
    if (status != TS_OK) fail_msg("%s: %s", list.path[i], error.text);
    if (is_friction(ts_problem_file_problem(file))) {
      missed += count_miss(run, solver, ts_problem_file_problem(file), list.path[i]);
      ++solved;
    }
    ts_problem_file_destroy(file);
  }
  release_list(&list);
  assert_int_equal(missed, 0);
  assert_true(solved >= at_least);
}

static void small_copies_are_solved(void **state)
{
  solve_folder(*state, "auto", TEST_DATA "/problems", 17);
  solve_folder(*state, "auto", TEST_DATA "/problems/piles", 6);
}

static void proximal_steps_alone_solve_small_copies(void **state)
{
  solve_folder(*state, "proximal", TEST_DATA "/problems", 17);
  solve_folder(*state, "proximal", TEST_DATA "/problems/piles", 6);
}

static void siconos_files_are_solved(void **state)
{
  solve_folder(*state, "auto", SHARED_DATA "/data/fc3d", 40);
}

static void fclib_files_are_solved(void **state)
{
  solve_folder(*state, "auto", SHARED_DATA "/data/fclib", 7);
}

static void piles_are_solved(void **state)
{
  solve_folder(*state, "auto", SHARED_DATA "/data/piles", 8);
}

// Proximal steps are what `auto` counts on in large problems: alone they solve the piles, and all the others.
static void proximal_steps_alone_solve_all_files(void **state)
{
  solve_folder(*state, "proximal", SHARED_DATA "/data/piles", 8);
  solve_folder(*state, "proximal", SHARED_DATA "/data/fclib", 7);
  solve_folder(*state, "proximal", SHARED_DATA "/data/fc3d", 40);
}

// ---- other data ----------------------------------------------------------------------------------------------------

// q + W xi with |W xi| = 0.05 |q|: still in the range in which the problem has solutions, since it is what other free
// velocities of the same bodies would give.
static double *perturbed_data(const ts_friction *p, uint64_t seed)
{
  const size_t size = (size_t)p->dimension * (size_t)p->contacts;
  double *q = calloc(size, sizeof *q), *xi = calloc(size, sizeof *xi);
  assert_true(q && xi);
  ts_random random;
  ts_random_init(&random, seed);
  for (size_t k = 0; k < size; ++k) xi[k] = ts_random_normal(&random);
  ts_block_multiply_add(&p->W, xi, q);
  const double factor = 0.05 * cblas_dnrm2((int)size, p->q, 1) / cblas_dnrm2((int)size, q, 1);
  for (size_t k = 0; k < size; ++k) q[k] = p->q[k] + factor * q[k];
  free(xi);
  return q;
}

static int count_perturbed_miss(friction_run *run, const ts_problem *problem, const char *path)
{
  ts_condensed *condensed = NULL;
  if (problem->type == TS_GLOBAL_FRICTION) {
    assert_int_equal(ts_condense(&problem->global, &condensed, NULL), TS_OK);
    problem = ts_condensed_problem(condensed);
  }
  ts_problem other = *problem;
  double *q = perturbed_data(&problem->friction, 1);
  other.friction.q = q;
  const int miss = count_miss(run, "auto", &other, path);
  free(q);
  ts_condensed_destroy(condensed);
  return miss;
}

static int contacts_of(const ts_problem *problem)
{
  return problem->type == TS_FRICTION ? problem->friction.contacts : problem->global.contacts;
}

static void files_of_middle_size_are_solved_with_other_data(void **state)
{
  static const char *const folders[] = {SHARED_DATA "/data/fc3d", SHARED_DATA "/data/fclib", SHARED_DATA "/data/piles"};
  int missed = 0, solved = 0;
  for (int f = 0; f < 3; ++f) {
    file_list list = list_files(folders[f]);
    for (int i = 0; i < list.count; ++i) {
      ts_problem_file *file;
      if (ts_problem_file_read(list.path[i], &file, NULL) != TS_OK) continue;
      const ts_problem *problem = ts_problem_file_problem(file);
      if (contacts_of(problem) >= 12 && contacts_of(problem) <= 600) {
        missed += count_perturbed_miss(*state, problem, list.path[i]);
        ++solved;
      }
      ts_problem_file_destroy(file);
    }
    release_list(&list);
  }
  print_message("%d of %d perturbed problems solved\n", solved - missed, solved);
  assert_true(solved >= 20);
  assert_int_equal(missed, 0);
}

// ---- refused kinds -------------------------------------------------------------------------------------------------

static void assert_refused_in_one_sentence(const char *path)
{
  ts_problem_file *file;
  ts_error error = {0};
  if (ts_problem_file_read(path, &file, &error) != TS_UNSUPPORTED) fail_msg("%s is not refused: %s", path, error.text);
  assert_null(file);
  assert_true(strlen(error.text) > 20 && strchr(error.text, '\n') == NULL);
  assert_non_null(strstr(error.text, "not supported"));
}

static void rolling_and_mixed_kinds_are_refused(void **state)
{
  (void)state;
  assert_refused_in_one_sentence(TEST_DATA "/problems/RFC3D_sphere_1.dat");
  assert_refused_in_one_sentence(TEST_DATA "/problems/GMP4.dat");
}

static void all_rolling_and_mixed_kinds_are_refused(void **state)
{
  (void)state;
  static const char *const folders[] = {SHARED_DATA "/data/fc3d/rolling", SHARED_DATA "/data/fc3d/gmp"};
  for (int f = 0; f < 2; ++f) {
    file_list list = list_files(folders[f]);
    for (int i = 0; i < list.count; ++i) assert_refused_in_one_sentence(list.path[i]);
    release_list(&list);
  }
  assert_refused_in_one_sentence(SHARED_DATA "/data/fclib/Chute-ndof-768-nc-4-3.hdf5");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, friction_run_setup, friction_run_teardown)

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      TEST(small_copies_are_solved),
      TEST(proximal_steps_alone_solve_small_copies),
      TEST(rolling_and_mixed_kinds_are_refused),
  };
  const struct CMUnitTest shared_tests[] = {
      TEST(siconos_files_are_solved),
      TEST(fclib_files_are_solved),
      TEST(piles_are_solved),
      TEST(proximal_steps_alone_solve_all_files),
      TEST(files_of_middle_size_are_solved_with_other_data),
      TEST(all_rolling_and_mixed_kinds_are_refused),
  };
  if (asks_for_shared(argc, argv)) return run_shared_tests(shared_tests, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
