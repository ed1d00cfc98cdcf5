// Every problem file there is gets the right type and size; files that were cut off or damaged are refused or hold a
// sound problem.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "problem_files.h"
#include "shared_data.h"
#include "whole_file.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define DATA TEST_DATA "/problems/"

typedef struct known_file {
  const char *name;
  ts_problem_type type;
  int size; // of the solution vector: from the contacts, unknowns and degrees of freedom that the READMEs state
} known_file;

static const known_file own_files[] = {
    {"lcp/lcp_CPS_1.dat", TS_LCP, 2},
    {"lcp/lcp_CPS_2.dat", TS_LCP, 3},
    {"lcp/lcp_CPS_3.dat", TS_LCP, 4},
    {"lcp/lcp_CPS_4.dat", TS_LCP, 4},
    {"lcp/lcp_CPS_5.dat", TS_LCP, 2},
    {"lcp/lcp_Pang_isolated_sol.dat", TS_LCP, 3},
    {"lcp/lcp_Pang_isolated_sol_perturbed.dat", TS_LCP, 3},
    {"lcp/lcp_deudeu.dat", TS_LCP, 2},
    {"lcp/lcp_deudeu_block.dat", TS_LCP, 2},
    {"lcp/lcp_enum_fails.dat", TS_LCP, 9},
    {"lcp/lcp_exp_murty2.dat", TS_LCP, 6},
    {"lcp/lcp_ortiz.dat", TS_LCP, 4},
    {"lcp/lcp_ortiz_block.dat", TS_LCP, 4},
    {"lcp/lcp_trivial.dat", TS_LCP, 9},
    {"lcp/lcp_trivial_block.dat", TS_LCP, 9},
    {"lcp/relay/relay1.dat", TS_MLCP, 15},
    {"lcp/relay/relay_2x2.dat", TS_MLCP, 2},
    {"lcp/relay/relay_4x4.dat", TS_MLCP, 4},
    {"lcp/relay/relay_simple2.dat", TS_MLCP, 2},
    {"lcp/relay/step_1x1.dat", TS_MLCP, 1},
    {"lcp/relay/step_2x2.dat", TS_MLCP, 2},
    {"lcp/relay/step_4x4.dat", TS_MLCP, 4},
    {"mlcp/BuckConverter_mlcp.dat", TS_MLCP, 32},
    {"mlcp/BuckFirstStep_mlcp.dat", TS_MLCP, 32},
    {"mlcp/PDSym_mlcp.dat", TS_MLCP, 7},
    {"mlcp/PD_mlcp.dat", TS_MLCP, 7},
    {"mlcp/RCD_mlcp.dat", TS_MLCP, 3},
    {"mlcp/RLCD_mlcp.dat", TS_MLCP, 8},
    {"mlcp/deudeu_mlcp.dat", TS_MLCP, 2},
    {"mlcp/diodeBridge20_mlcp.dat", TS_MLCP, 31},
    {"mlcp/diodeBridge_mlcp.dat", TS_MLCP, 7},
    {"mlcp/m2n1_mlcp.dat", TS_MLCP, 3},
    {"mlcp/m3n2_mlcp.dat", TS_MLCP, 5},
    {"mlcp/relay2_mlcp.dat", TS_MLCP, 6},
    {"FC2D_SliderCrankLagrangian00000.dat", TS_FRICTION, 4},
    {"FC3D_Example1.dat", TS_FRICTION, 9},
    {"FC3D_Example1_SBM.dat", TS_FRICTION, 9},
    {"FrictionContact3D_RR_1c.dat", TS_FRICTION, 3},
    {"GFC3D_Example0.dat", TS_GLOBAL_FRICTION, 12},
    {"GFC3D_Example00.dat", TS_GLOBAL_FRICTION, 6},
    {"GFC3D_Example0_SBM.dat", TS_GLOBAL_FRICTION, 12},
    {"CubeH8.hdf5", TS_GLOBAL_FRICTION, 165},
    {"LMGC_GFC3D-i00001-1-00000.hdf5", TS_GLOBAL_FRICTION, 51},
    {"LMGC_GlobalFrictionContactProblem00046.hdf5", TS_GLOBAL_FRICTION, 189},
    {"piles/fc3d_np_K0005_impact.txt", TS_FRICTION, 15},
    {"piles/fc3d_np_K0005_rest.txt", TS_FRICTION, 15},
    {"piles/fc3d_np_K0016_impact.txt", TS_FRICTION, 48},
    {"piles/fc3d_np_K0016_rest.txt", TS_FRICTION, 48},
    {"piles/fc3d_np_K0064_impact.txt", TS_FRICTION, 192},
    {"piles/fc3d_np_K0064_rest.txt", TS_FRICTION, 192},
};

// Larger ones, of ../shared/data.
static const known_file shared_files[] = {
    {"mlcp/deltasigma_mlcp.dat", TS_MLCP, 221},
    {"fc3d/BoxesStack1-i100000-32.hdf5.dat", TS_FRICTION, 156},
    {"fc3d/Capsules-i100-1090.dat", TS_FRICTION, 828},
    {"fc3d/Capsules-i100-889.dat", TS_FRICTION, 828},
    {"fc3d/Capsules-i103-990.dat", TS_FRICTION, 825},
    {"fc3d/Confeti-ex03-Fc3D-SBM.dat", TS_FRICTION, 162},
    {"fc3d/Confeti-ex13-4contact-Fc3D-SBM.dat", TS_FRICTION, 12},
    {"fc3d/FC2D_SliderCrankLagrangian00001.dat", TS_FRICTION, 4},
    {"fc3d/FrictionContact3D_1c.dat", TS_FRICTION, 3},
    {"fc3d/FrictionContactProblem00031.dat", TS_FRICTION, 22},
    {"fc3d/FrictionContactProblem00071.dat", TS_FRICTION, 178},
    {"fc3d/FrictionContactProblem00374.dat", TS_FRICTION, 56},
    {"fc3d/FrictionContactProblem00394.dat", TS_FRICTION, 12},
    {"fc3d/GFC3D_Example00_badly_scaled.dat", TS_GLOBAL_FRICTION, 6},
    {"fc3d/GFC3D_Example1.dat", TS_GLOBAL_FRICTION, 6},
    {"fc3d/GFC3D_OneContact.dat", TS_GLOBAL_FRICTION, 42},
    {"fc3d/GFC3D_TwoRods1-condensed.dat", TS_FRICTION, 9},
    {"fc3d/KaplasTower-i1061-4.hdf5.dat", TS_FRICTION, 1710},
    {"fc3d/NESpheres_10_1.dat", TS_FRICTION, 27},
    {"fc3d/OneObject-i100000-316.hdf5.dat", TS_FRICTION, 75},
    {"fc3d/OneObject-i100000-499.hdf5.dat", TS_FRICTION, 72},
    {"fc3d/Rover1039.dat", TS_FRICTION, 12},
    {"fc3d/Rover1040.dat", TS_FRICTION, 15},
    {"fc3d/Rover1041.dat", TS_FRICTION, 15},
    {"fc3d/Rover11035.dat", TS_FRICTION, 3},
    {"fc3d/Rover11211.dat", TS_FRICTION, 3},
    {"fc3d/Rover3865.dat", TS_FRICTION, 15},
    {"fc3d/Rover4144.dat", TS_FRICTION, 12},
    {"fc3d/Rover4396.dat", TS_FRICTION, 6},
    {"fc3d/Rover4493.dat", TS_FRICTION, 12},
    {"fc3d/fc2d_granularflowonwall_00667_00000.dat", TS_FRICTION, 1334},
    {"fc3d/fc2d_granularflowonwall_07002_00801.dat", TS_FRICTION, 14004},
    {"fc3d/gfc2d_granularflowonwall_00000_00117.dat", TS_GLOBAL_FRICTION, 900},
    {"fc3d/gfc2d_granularflowonwall_00069_00350.dat", TS_GLOBAL_FRICTION, 1038},
    {"fclib/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5", TS_FRICTION, 180},
    {"fclib/Spheres-i099-356-679.hdf5", TS_GLOBAL_FRICTION, 13068},
    {"fclib/local_problem_test.hdf5", TS_FRICTION, 144},
    {"fclib/spheres-in-a-box-98-i10000-256-10.hdf5", TS_GLOBAL_FRICTION, 1356},
    {"piles/fc3d_np_K0256_impact.txt", TS_FRICTION, 768},
    {"piles/fc3d_np_K0256_rest.txt", TS_FRICTION, 768},
};

static const char *const own_unsupported[] = {"mlcp/Rectangular_mlcp.dat", "RFC3D_sphere_1.dat", "GMP4.dat"};

static const char *const shared_unsupported[] = {
    "fc3d/rolling/GRFC3D_Chute-ndof-768-nc-4-3.dat",
    "fc3d/rolling/RFC3D_cube_1.dat",
    "fc3d/rolling/RFC3D_sphere_2.dat",
    "fc3d/rolling/rfc3d_sphere_from_grfc3d.dat",
    "fc3d/rolling/rfc3d_sphere_from_grfc3d_dense.dat",
    "fc3d/rolling/rockfall_14_25792.dat",
    "fc3d/rolling/rockfall_21_54029.dat",
    "fc3d/gmp/GMP0.dat",
    "fc3d/gmp/GMP1.dat",
    "fc3d/gmp/GMP2.dat",
    "fc3d/gmp/GMP3.dat",
    "fc3d/gmp/GMP5.dat",
    "fc3d/gmp/GMP6.dat",
    "fclib/Chute-ndof-768-nc-4-3.hdf5",
};

// Small text files of every format that can be read.
static const char *const small_files[] = {
    "lcp/lcp_CPS_1.dat",
    "lcp/lcp_ortiz_block.dat",
    "lcp/relay/relay_2x2.dat",
    "mlcp/m2n1_mlcp.dat",
    "FrictionContact3D_RR_1c.dat",
    "sparse_2d.dat",
    "FC3D_Example1_SBM.dat",
    "GFC3D_Example00.dat",
    "sparse_global_2d.dat",
    "two_spheres.txt",
    "friction.txt",
    "mlcp.txt",
    "lcp.txt",
    "global.txt",
};

#define SHARED      SHARED_DATA "/data/"
#define COUNT(list) (sizeof list / sizeof *list)

static const size_t small_count = COUNT(small_files);

static const char *path_of(const char *folder, const char *name)
{
  static char path[512];
  snprintf(path, sizeof path, "%s%s", folder, name);
  return path;
}

static void check_types_and_sizes(const char *folder, const known_file *files, size_t count)
{
  for (size_t k = 0; k < count; ++k) {
    ts_problem_file *file = read_problem(path_of(folder, files[k].name));
    const ts_problem *problem = ts_problem_file_problem(file);
    if (problem->type != files[k].type || ts_problem_size(problem) != (size_t)files[k].size)
      fail_msg("%s is read as %s of size %zu", files[k].name, ts_problem_type_name(problem->type),
               ts_problem_size(problem));
    ts_problem_file_destroy(file);
  }
}

static void every_file_has_its_type_and_size(void **state)
{
  (void)state;
  check_types_and_sizes(DATA, own_files, COUNT(own_files));
}

static void every_shared_file_has_its_type_and_size(void **state)
{
  (void)state;
  check_types_and_sizes(SHARED, shared_files, COUNT(shared_files));
}

static void assert_not_supported(const char *folder, const char *const *names, size_t count)
{
  for (size_t k = 0; k < count; ++k) {
    ts_problem_file *file;
    ts_error error;
    const ts_status status = ts_problem_file_read(path_of(folder, names[k]), &file, &error);
    if (status != TS_UNSUPPORTED) fail_msg("%s: status %d, %s", names[k], (int)status, error.text);
    assert_null(file);
  }
}

static void kinds_that_are_not_supported_are_recognised(void **state)
{
  (void)state;
  assert_not_supported(DATA, own_unsupported, COUNT(own_unsupported));
}

static void shared_kinds_that_are_not_supported_are_recognised(void **state)
{
  (void)state;
  assert_not_supported(SHARED, shared_unsupported, COUNT(shared_unsupported));
}

static void assert_survive_being_written(const char *data, const known_file *files, size_t count)
{
  char folder[] = "/tmp/touchstone-files-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/problem.txt", folder);
  for (size_t k = 0; k < count; ++k) {
    ts_error error;
    ts_problem_file *file = read_problem(path_of(data, files[k].name));
    assert_int_equal(ts_problem_file_write(path, ts_problem_file_problem(file), &error), TS_OK);
    ts_problem_file *copy = read_problem(path);
    assert_same_problem(ts_problem_file_problem(file), ts_problem_file_problem(copy));
    ts_problem_file_destroy(file);
    ts_problem_file_destroy(copy);
  }
  remove(path);
  rmdir(folder);
}

static void every_file_survives_being_written(void **state)
{
  (void)state;
  assert_survive_being_written(DATA, own_files, COUNT(own_files));
}

static void every_shared_file_survives_being_written(void **state)
{
  (void)state;
  assert_survive_being_written(SHARED, shared_files, COUNT(shared_files));
}

// The READMEs state how many entries M has: 162 + 3006 in the upper triangle, 162 + 2*3006 when it is mirrored.
static void an_upper_triangle_is_mirrored(void **state)
{
  (void)state;
  const char *const names[] = {DATA "CubeH8.hdf5", DATA "LMGC_GlobalFrictionContactProblem00046.hdf5"};
  for (int k = 0; k < 2; ++k) {
    ts_problem_file *file = read_problem(names[k]);
    const ts_matrix *M = &ts_problem_file_problem(file)->global.M;
    assert_int_equal(M->start[162], 162 + 2 * 3006);
    double *dense = dense_of_matrix(M);
    for (int i = 0; i < 162; ++i)
      for (int j = 0; j < i; ++j) assert_true(dense[162 * i + j] == dense[162 * j + i]);
    free(dense);
    ts_problem_file_destroy(file);
  }
}

// One sentence, in a place that is in the text.
static void assert_explained(ts_status status, const ts_error *error)
{
  assert_true(status == TS_INVALID || status == TS_UNSUPPORTED || status == TS_IO);
  assert_int_equal(error->status, status);
  assert_true(error->text[0] != '\0' && !strchr(error->text, '\n'));
  assert_true(error->line >= 0 && error->column >= 0);
}

static void assert_sound(const ts_problem_file *file)
{
  ts_error error;
  assert_int_equal(ts_problem_check(ts_problem_file_problem(file), &error), TS_OK);
}

// Cut off anywhere, a file is refused or keeps its size. It may end within its last number, and a relay problem without
// its bounds is an LCP: nothing in these formats can tell.
static void files_cut_off_keep_their_size_or_are_refused(void **state)
{
  (void)state;
  for (size_t k = 0; k < small_count; ++k) {
    char path[512];
    size_t bytes;
    snprintf(path, sizeof path, DATA "%s", small_files[k]);
    char *text = read_bytes(path, &bytes);
    ts_problem_file *whole = read_problem(path);
    const ts_problem *original = ts_problem_file_problem(whole);
    for (size_t cut = 0; cut < bytes; ++cut) {
      ts_problem_file *file;
      ts_error error = {0};
      const ts_status status = ts_problem_file_parse(text, cut, &file, &error);
      if (status != TS_OK) {
        assert_explained(status, &error);
        continue;
      }
      assert_sound(file);
      const ts_problem *problem = ts_problem_file_problem(file);
      const bool same = problem->type == original->type || strcmp(small_files[k], "lcp/relay/relay_2x2.dat") == 0;
      if (!same || ts_problem_size(problem) != ts_problem_size(original))
        fail_msg("%s, the first %zu bytes, is read as %s of size %zu", small_files[k], cut,
                 ts_problem_type_name(problem->type), ts_problem_size(problem));
      ts_problem_file_destroy(file);
    }
    ts_problem_file_destroy(whole);
    free(text);
  }
}

static void own_files_that_are_cut_off_are_always_refused(void **state)
{
  (void)state;
  for (size_t k = 0; k < small_count; ++k) {
    if (!strstr(small_files[k], ".txt") || strstr(small_files[k], "spheres")) continue;
    char path[512];
    size_t bytes;
    snprintf(path, sizeof path, DATA "%s", small_files[k]);
    char *text = read_bytes(path, &bytes);
    for (size_t cut = 0; cut + 1 < bytes; ++cut) { // the last byte is the end of the line
      ts_problem_file *file;
      assert_int_not_equal(ts_problem_file_parse(text, cut, &file, NULL), TS_OK);
    }
    free(text);
  }
}

// Overwrite, drop, double or swap a few bytes, most often with what occurs in such files.
static size_t mutate(char *text, size_t bytes, ts_random *random)
{
  static const char likely[] = "0123456789-+.e# \n\tinfa:x";
  for (int edits = 1 + ts_random_below(random, 4); edits > 0 && bytes > 1; --edits) {
    const size_t at = (size_t)ts_random_below(random, (int)bytes);
    switch (ts_random_below(random, 4)) {
    case 0:
      text[at] = (char)ts_random_below(random, 256);
      break;
    case 1:
      text[at] = likely[ts_random_below(random, sizeof likely - 1)];
      break;
    case 2:
      memmove(text + at, text + at + 1, bytes - at - 1);
      --bytes;
      break;
    default: {
      const size_t other = (size_t)ts_random_below(random, (int)bytes);
      const char c = text[at];
      text[at] = text[other];
      text[other] = c;
    }
    }
  }
  return bytes;
}

static void damaged_files_are_refused_or_sound(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 20);
  for (size_t k = 0; k < small_count; ++k) {
    char path[512];
    size_t bytes;
    snprintf(path, sizeof path, DATA "%s", small_files[k]);
    char *text = read_bytes(path, &bytes);
    for (int round = 0; round < 2000; ++round) {
      char *damaged = malloc(bytes);
      memcpy(damaged, text, bytes);
      const size_t left = mutate(damaged, bytes, &random);
      ts_problem_file *file;
      ts_error error = {0};
      const ts_status status = ts_problem_file_parse(damaged, left, &file, &error);
      if (status == TS_OK)
        assert_sound(file);
      else
        assert_explained(status, &error);
      ts_problem_file_destroy(file);
      free(damaged);
    }
    free(text);
  }
}

static void what_is_no_problem_is_refused(void **state)
{
  (void)state;
  const refusal table[] = {
      {"", 0, 0, "the file is empty"},
      {" \n\t ", 0, 0, "the file is empty"},
      {"\n # a scene\nbodies: []\n", 2, 2, "stands where the beginning of a problem"},
      {"\211HDF", 1, 1, "stands where the beginning of a problem"},
      {"Touchstone problem 1", 1, 1, "\"Touchstone\" stands where the beginning of a problem"},
  };
  assert_all_refused(table);
  assert_int_equal(ts_problem_file_parse("2 0 2 2 2 2 1 0\0 1 -1 -1", 24, &(ts_problem_file *){NULL}, NULL),
                   TS_INVALID);
}

static void files_that_cannot_be_read_are_explained(void **state)
{
  (void)state;
  ts_problem_file *file;
  ts_error error;
  assert_int_equal(ts_problem_file_read(DATA "no-such-file", &file, &error), TS_IO);
  assert_string_equal(error.text, "the file cannot be opened: No such file or directory");
  assert_null(file);
  assert_int_equal(ts_problem_file_read(DATA, &file, &error), TS_IO);
  assert_string_equal(error.text, "the file cannot be read: Is a directory");
  assert_null(file);
  ts_problem_file_destroy(NULL);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_file_has_its_type_and_size),
      cmocka_unit_test(kinds_that_are_not_supported_are_recognised),
      cmocka_unit_test(every_file_survives_being_written),
      cmocka_unit_test(an_upper_triangle_is_mirrored),
      cmocka_unit_test(files_cut_off_keep_their_size_or_are_refused),
      cmocka_unit_test(own_files_that_are_cut_off_are_always_refused),
      cmocka_unit_test(damaged_files_are_refused_or_sound),
      cmocka_unit_test(what_is_no_problem_is_refused),
      cmocka_unit_test(files_that_cannot_be_read_are_explained),
  };
  const struct CMUnitTest shared_tests[] = {
      cmocka_unit_test(every_shared_file_has_its_type_and_size),
      cmocka_unit_test(shared_kinds_that_are_not_supported_are_recognised),
      cmocka_unit_test(every_shared_file_survives_being_written),
  };
  if (asks_for_shared(argc, argv)) return run_shared_tests(shared_tests, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
