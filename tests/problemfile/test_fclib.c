// FCLIB's HDF5, with files that are built here: the storages of a matrix agree, every part that is missing or
// wrong is named, and damaged files do no harm.
#define _XOPEN_SOURCE 700 // mkstemp
#include "problem_files.h"
#include "whole_file.h"

#include "base/random.h"

#include <hdf5.h>
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

static char scratch_path[] = "/tmp/touchstone-fclib-XXXXXX";

static int make_scratch_file(void **state)
{
  (void)state;
  const int descriptor = mkstemp(scratch_path);
  return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_scratch_file(void **state)
{
  (void)state;
  return remove(scratch_path);
}

// A file in the format that FCLIB writes, or in a newer one, which has checksums.
static hid_t new_file_in(H5F_libver_t oldest)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, oldest, H5F_LIBVER_LATEST);
  const hid_t file = H5Fcreate(scratch_path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return file;
}

static hid_t new_file(void)
{
  return new_file_in(H5F_LIBVER_EARLIEST);
}

static void put_as(hid_t file, const char *path, hid_t stored, hid_t given, size_t count, const void *values)
{
  const hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &(hsize_t){count}, NULL);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t dataset = H5Dcreate2(file, path, stored, space, links, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(dataset >= 0);
  assert_true(H5Dwrite(dataset, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Pclose(links);
}

static void put_ints(hid_t file, const char *path, size_t count, const int *values)
{
  put_as(file, path, H5T_STD_I32LE, H5T_NATIVE_INT, count, values);
}

static void put_int(hid_t file, const char *path, int value)
{
  put_ints(file, path, 1, &value);
}

static void put_doubles(hid_t file, const char *path, size_t count, const double *values)
{
  put_as(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values);
}

static void put_matrix(hid_t file, const char *path, int rows, int columns, int nz, size_t p_count, const int *p,
                       size_t count, const int *i, const double *x)
{
  char part[64];
#define PART(name) (snprintf(part, sizeof part, "%s/" name, path), part)
  put_int(file, PART("nzmax"), (int)count + 3);
  put_int(file, PART("m"), rows);
  put_int(file, PART("n"), columns);
  put_int(file, PART("nz"), nz);
  put_ints(file, PART("p"), p_count, p);
  put_ints(file, PART("i"), count, i);
  put_doubles(file, PART("x"), count, x);
#undef PART
}

// Two contacts in the plane with W = [4 .25 0 0; .5 3 -1 0; 0 0 5 0; 0 0 0 6], column after column:
static const double expected_W[] = {4, 0.5, 0, 0, 0.25, 3, 0, 0, 0, -1, 5, 0, 0, 0, 0, 6};

typedef enum storage { TRIPLETS, BY_COLUMNS, BY_ROWS } storage;

static void put_W(hid_t file, storage how)
{
  switch (how) {
  case TRIPLETS: // the entry 4 comes in two parts
    put_matrix(file, "/fclib_local/W", 4, 4, 8, 8, (const int[]){0, 0, 1, 1, 2, 0, 2, 3}, 8,
               (const int[]){0, 1, 0, 1, 1, 0, 2, 3}, (const double[]){3, 0.5, 0.25, 3, -1, 1, 5, 6});
    break;
  case BY_COLUMNS:
    put_matrix(file, "/fclib_local/W", 4, 4, -1, 5, (const int[]){0, 2, 4, 6, 7}, 7, (const int[]){0, 1, 0, 1, 2, 1, 3},
               (const double[]){4, 0.5, 0.25, 3, 5, -1, 6});
    break;
  case BY_ROWS:
    put_matrix(file, "/fclib_local/W", 4, 4, -2, 5, (const int[]){0, 2, 5, 6, 7}, 7, (const int[]){1, 0, 0, 1, 2, 2, 3},
               (const double[]){0.25, 4, 0.5, 3, -1, 5, 6});
    break;
  }
}

static void put_vectors(hid_t file)
{
  put_int(file, "/fclib_local/spacedim", 2);
  put_doubles(file, "/fclib_local/vectors/q", 4, (const double[]){-1, 0.5, -2, 0.25});
  put_doubles(file, "/fclib_local/vectors/mu", 2, (const double[]){0.3, 0.4});
}

static hid_t local_file_in(H5F_libver_t oldest, storage how)
{
  const hid_t file = new_file_in(oldest);
  put_vectors(file);
  put_W(file, how);
  return file;
}

static hid_t local_file(storage how)
{
  return local_file_in(H5F_LIBVER_EARLIEST, how);
}

static hid_t global_file(void)
{
  const hid_t file = new_file();
  put_int(file, "/fclib_global/spacedim", 3);
  put_matrix(file, "/fclib_global/M", 3, 3, 4, 4, (const int[]){0, 1, 2, 2}, 4, (const int[]){0, 1, 2, 0},
             (const double[]){2, 3, 4, 0.5});
  put_matrix(file, "/fclib_global/H", 3, 3, 3, 3, (const int[]){0, 1, 2}, 3, (const int[]){2, 0, 1},
             (const double[]){1, -1, 2});
  put_matrix(file, "/fclib_global/G", 3, 1, 1, 1, (const int[]){0}, 1, (const int[]){1}, (const double[]){7});
  put_doubles(file, "/fclib_global/vectors/f", 3, (const double[]){1, 2, 3});
  put_doubles(file, "/fclib_global/vectors/w", 3, (const double[]){4, 5, 6});
  put_doubles(file, "/fclib_global/vectors/b", 1, (const double[]){8});
  put_doubles(file, "/fclib_global/vectors/mu", 1, (const double[]){0.5});
  return file;
}

// The bytes of the file; closes it.
static char *image_of(hid_t file, size_t *bytes)
{
  H5Fclose(file);
  return read_bytes(scratch_path, bytes);
}

static ts_status parse_file(hid_t hdf5, ts_problem_file **file, ts_error *error)
{
  size_t bytes;
  char *image = image_of(hdf5, &bytes);
  const ts_status status = ts_problem_file_parse(image, bytes, file, error);
  free(image);
  return status;
}

static ts_problem_file *assert_parsed(hid_t hdf5)
{
  ts_problem_file *file;
  ts_error error = {0};
  if (parse_file(hdf5, &file, &error) != TS_OK) fail_msg("%s", error.text);
  return file;
}

static void assert_file_refused(hid_t hdf5, const char *sentence)
{
  ts_problem_file *file;
  ts_error error = {0};
  const ts_status status = parse_file(hdf5, &file, &error);
  if (status == TS_OK || file || !strstr(error.text, sentence))
    fail_msg("got %d \"%s\", wanted \"%s\"", (int)status, error.text, sentence);
}

static void the_storages_of_a_matrix_agree(void **state)
{
  (void)state;
  for (int how = TRIPLETS; how <= BY_ROWS; ++how) {
    ts_problem_file *file = assert_parsed(local_file((storage)how));
    const ts_friction *p = &ts_problem_file_problem(file)->friction;
    assert_string_equal(ts_problem_file_format(file), "FCLIB HDF5, 2D friction");
    double *W = dense_of_blocks(&p->W);
    assert_memory_equal(W, expected_W, sizeof expected_W);
    assert_true(p->q[3] == 0.25 && p->mu[1] == 0.4 && p->bilaterals == 0);
    free(W);
    ts_problem_file_destroy(file);
  }
}

static void bilateral_rows_are_read(void **state)
{
  (void)state;
  const hid_t hdf5 = local_file(BY_ROWS);
  put_matrix(hdf5, "/fclib_local/V", 4, 1, 2, 2, (const int[]){0, 0}, 2, (const int[]){3, 0}, (const double[]){-1, 1});
  put_matrix(hdf5, "/fclib_local/R", 1, 1, 1, 1, (const int[]){0}, 1, (const int[]){0}, (const double[]){2});
  put_doubles(hdf5, "/fclib_local/vectors/s", 1, (const double[]){0.125});
  ts_problem_file *file = assert_parsed(hdf5);
  const ts_friction *p = &ts_problem_file_problem(file)->friction;
  const double V[] = {1, 0, 0, -1};
  double *dense = dense_of_matrix(&p->V);
  assert_int_equal(p->bilaterals, 1);
  assert_memory_equal(dense, V, sizeof V);
  assert_true(p->R.value[0] == 2.0 && p->s[0] == 0.125);
  free(dense);
  ts_problem_file_destroy(file);
}

static void global_problems_are_read_and_half_of_M_is_mirrored(void **state)
{
  (void)state;
  ts_problem_file *file = assert_parsed(global_file());
  const ts_global_friction *p = &ts_problem_file_problem(file)->global;
  const double M[] = {2, 0, 0.5, 0, 3, 0, 0.5, 0, 4}, H[] = {0, 0, 1, -1, 0, 0, 0, 2, 0};
  double *read_M = dense_of_matrix(&p->M), *read_H = dense_of_matrix(&p->H);
  assert_memory_equal(read_M, M, sizeof M);
  assert_memory_equal(read_H, H, sizeof H);
  assert_int_equal(p->bilaterals, 1);
  assert_true(p->G.value[0] == 7 && p->b[0] == 8 && p->f[2] == 3 && p->w[0] == 4);
  free(read_M);
  free(read_H);
  ts_problem_file_destroy(file);
}

static void other_number_types_are_converted(void **state)
{
  (void)state;
  const hid_t hdf5 = new_file();
  put_as(hdf5, "/fclib_local/spacedim", H5T_STD_I64BE, H5T_NATIVE_INT, 1, &(int){2});
  put_as(hdf5, "/fclib_local/vectors/q", H5T_IEEE_F32BE, H5T_NATIVE_DOUBLE, 4, (const double[]){-1, 0.5, -2, 0.25});
  put_as(hdf5, "/fclib_local/vectors/mu", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, 2, (const double[]){0.3, 0.4});
  put_W(hdf5, BY_ROWS);
  ts_problem_file *file = assert_parsed(hdf5), *plain = assert_parsed(local_file(BY_ROWS));
  assert_same_problem(ts_problem_file_problem(file), ts_problem_file_problem(plain));
  ts_problem_file_destroy(file);
  ts_problem_file_destroy(plain);
}

static void a_missing_part_is_named(void **state)
{
  (void)state;
  const char *const local[] = {"spacedim", "vectors/q", "vectors/mu", "W/m", "W/n", "W/nz", "W/p", "W/i", "W/x"};
  const char *const global[] = {"spacedim", "vectors/f", "vectors/w", "vectors/b", "vectors/mu", "M/m", "H/x", "G/i"};
  char path[64], sentence[96];
  for (size_t k = 0; k < sizeof local / sizeof *local; ++k) {
    const hid_t hdf5 = local_file(BY_ROWS);
    snprintf(path, sizeof path, "/fclib_local/%s", local[k]);
    snprintf(sentence, sizeof sentence, "%s is missing", path);
    H5Ldelete(hdf5, path, H5P_DEFAULT);
    assert_file_refused(hdf5, sentence);
  }
  for (size_t k = 0; k < sizeof global / sizeof *global; ++k) {
    const hid_t hdf5 = global_file();
    snprintf(path, sizeof path, "/fclib_global/%s", global[k]);
    snprintf(sentence, sizeof sentence, "%s is missing", path);
    H5Ldelete(hdf5, path, H5P_DEFAULT);
    assert_file_refused(hdf5, sentence);
  }
  assert_file_refused(new_file(), "no group fclib_local or fclib_global");
  const hid_t both = local_file(BY_ROWS);
  put_int(both, "/fclib_global/spacedim", 3);
  assert_file_refused(both, "more than one problem");
}

// Replace one dataset of a sound local file.
typedef struct replacement {
  const char *path;
  bool integers;
  size_t count;
  double values[5];
  const char *sentence;
} replacement;

static void a_wrong_part_is_named(void **state)
{
  (void)state;
  const replacement table[] = {
      {"/fclib_local/spacedim", true, 1, {1}, "/fclib_local/spacedim is 1, it must be at least 2"},
      {"/fclib_local/spacedim", true, 1, {4}, "/fclib_local/spacedim is 4, allowed are 2 and 3"},
      {"/fclib_local/spacedim", true, 1, {5}, "/fclib_local is a problem with rolling friction"},
      {"/fclib_local/spacedim", true, 2, {2, 2}, "/fclib_local/spacedim holds 2 numbers, expected are 1"},
      {"/fclib_local/spacedim", false, 1, {2}, "/fclib_local/spacedim does not hold whole numbers"},
      {"/fclib_local/spacedim", true, 1, {3}, "/fclib_local/W is 4 x 4, expected is 6 x 6"},
      {"/fclib_local/vectors/mu", true, 2, {1, 1}, "/fclib_local/vectors/mu does not hold numbers"},
      {"/fclib_local/vectors/mu", false, 2, {0.3, -1}, "entry 1 of /fclib_local/vectors/mu is negative"},
      {"/fclib_local/vectors/mu", false, 2, {NAN, 1}, "entry 0 of /fclib_local/vectors/mu is not a finite number"},
      {"/fclib_local/vectors/mu", false, 1, {0.3}, "/fclib_local/W is 4 x 4, expected is 2 x 2"},
      {"/fclib_local/vectors/q", false, 3, {1, 2, 3}, "/fclib_local/vectors/q holds 3 numbers, expected are 4"},
      {"/fclib_local/vectors/q",
       false,
       4,
       {1, 2, INFINITY, 4},
       "entry 2 of /fclib_local/vectors/q is not a finite number"},
      {"/fclib_local/W/m", true, 1, {-4}, "/fclib_local/W/m is -4, it must be at least 0"},
      {"/fclib_local/W/m", true, 1, {2000000000}, "/fclib_local/W/m is larger than the file can hold"},
      {"/fclib_local/W/n", true, 1, {5}, "/fclib_local/W is 4 x 5, expected is 4 x 4"},
      {"/fclib_local/W/nz", true, 1, {-3}, "/fclib_local/W/nz is -3, it must be at least -2"},
      {"/fclib_local/W/nz", true, 1, {2000000000}, "/fclib_local/W/i holds 7 numbers, expected are 2000000000"},
      {"/fclib_local/W/p", true, 4, {0, 2, 5, 6}, "/fclib_local/W/p holds 4 numbers, expected are 5"},
      {"/fclib_local/W/p", true, 5, {1, 2, 5, 6, 7}, "/fclib_local/W/p does not begin with 0"},
      {"/fclib_local/W/p", true, 5, {0, 5, 2, 6, 7}, "/fclib_local/W/p falls after entry 1"},
      {"/fclib_local/W/p", true, 5, {0, 2, 5, 6, 9}, "/fclib_local/W/i holds 7 numbers, expected are 9"},
      {"/fclib_local/W/p", true, 5, {0, -2, 5, 6, 7}, "entry 1 of /fclib_local/W/p is -2, allowed are 0 to 2147483647"},
      {"/fclib_local/W/i", true, 5, {0, 1, 1, 1, 1}, "/fclib_local/W/i holds 5 numbers, expected are 7"},
      {"/fclib_local/W/x", false, 5, {0, 1, 1, 1, 1}, "/fclib_local/W/x holds 5 numbers, expected are 7"},
  };
  for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
    const hid_t hdf5 = local_file(BY_ROWS);
    H5Ldelete(hdf5, table[k].path, H5P_DEFAULT);
    put_as(hdf5, table[k].path, table[k].integers ? H5T_STD_I32LE : H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, table[k].count,
           table[k].values);
    assert_file_refused(hdf5, table[k].sentence);
  }
}

static void a_matrix_index_out_of_range_is_named(void **state)
{
  (void)state;
  hid_t hdf5 = new_file();
  put_vectors(hdf5);
  put_matrix(hdf5, "/fclib_local/W", 4, 4, 2, 2, (const int[]){0, 4}, 2, (const int[]){0, 0}, (const double[]){1, 2});
  assert_file_refused(hdf5, "entry 1 of /fclib_local/W/p is 4, allowed are 0 to 3");
  hdf5 = new_file();
  put_vectors(hdf5);
  put_matrix(hdf5, "/fclib_local/W", 4, 4, 2, 2, (const int[]){0, 0}, 2, (const int[]){0, -1}, (const double[]){1, 2});
  assert_file_refused(hdf5, "entry 1 of /fclib_local/W/i is -1, allowed are 0 to 3");
}

static void put_chunked(hid_t file, const char *path, hsize_t count)
{
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &count, NULL);
  H5Pset_chunk(properties, 1, &(hsize_t){16});
  H5Dclose(H5Dcreate2(file, path, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(properties);
}

// No byte of it is in the file.
static void put_unwritten(hid_t file, const char *path, hsize_t count)
{
  const hid_t space = H5Screate_simple(1, &count, NULL);
  H5Dclose(H5Dcreate2(file, path, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
}

static void put_outside(hid_t file, const char *path, hsize_t count)
{
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &count, NULL);
  H5Pset_external(properties, "another-file", 0, 8 * count);
  H5Dclose(H5Dcreate2(file, path, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(properties);
}

static void put_link_outside(hid_t file, const char *path, hsize_t count)
{
  (void)count;
  H5Lcreate_external("other.hdf5", "/q", file, path, H5P_DEFAULT, H5P_DEFAULT);
}

// Storage that could be larger than the file, or lie outside it.
static void unusual_storage_is_refused(void **state)
{
  (void)state;
  const struct {
    void (*put)(hid_t file, const char *path, hsize_t count);
    hsize_t count;
    const char *old_format, *new_format;
  } cases[] = {
      {put_chunked, 1 << 30, "is not stored in one piece", "/fclib_local/vectors/mu is not stored in one piece within"},
      {put_unwritten, 1 << 30, "/fclib_local/vectors/mu is longer than the file", "/fclib_local/vectors/mu is longer"},
      {put_outside, 2, "a feature that FCLIB files do not",
       "/fclib_local/vectors/mu is not stored in one piece within"},
      {put_link_outside, 2, "a feature that FCLIB files do not", "/fclib_local/vectors/mu is missing"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    for (int newer = 0; newer < 2; ++newer) {
      const hid_t hdf5 = local_file_in(newer ? H5F_LIBVER_V18 : H5F_LIBVER_EARLIEST, BY_ROWS);
      H5Ldelete(hdf5, "/fclib_local/vectors/mu", H5P_DEFAULT);
      cases[k].put(hdf5, "/fclib_local/vectors/mu", cases[k].count);
      assert_file_refused(hdf5, newer ? cases[k].new_format : cases[k].old_format);
    }
}

static void a_newer_format_is_read_too(void **state)
{
  (void)state;
  ts_problem_file *a = assert_parsed(local_file(BY_ROWS)), *b = assert_parsed(local_file_in(H5F_LIBVER_V18, BY_ROWS));
  assert_same_problem(ts_problem_file_problem(a), ts_problem_file_problem(b));
  ts_problem_file_destroy(a);
  ts_problem_file_destroy(b);
}

static void other_objects_and_shapes_are_refused(void **state)
{
  (void)state;
  hid_t hdf5 = local_file(BY_ROWS);
  H5Ldelete(hdf5, "/fclib_local/vectors/q", H5P_DEFAULT);
  H5Gclose(H5Gcreate2(hdf5, "/fclib_local/vectors/q", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  assert_file_refused(hdf5, "/fclib_local/vectors/q is not a dataset");

  hdf5 = local_file(BY_ROWS);
  const hid_t square = H5Screate_simple(2, (hsize_t[]){2, 2}, NULL);
  H5Ldelete(hdf5, "/fclib_local/vectors/q", H5P_DEFAULT);
  H5Dclose(H5Dcreate2(hdf5, "/fclib_local/vectors/q", H5T_IEEE_F64LE, square, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  assert_file_refused(hdf5, "/fclib_local/vectors/q is not a vector");
  H5Sclose(square);
}

static void rolling_friction_is_refused_by_name(void **state)
{
  (void)state;
  const hid_t hdf5 = new_file();
  put_int(hdf5, "/fclib_global_rolling/spacedim", 5);
  ts_problem_file *file;
  ts_error error;
  assert_int_equal(parse_file(hdf5, &file, &error), TS_UNSUPPORTED);
  assert_non_null(strstr(error.text, "rolling friction"));
}

static herr_t count_calls(hid_t stack, void *calls)
{
  (void)stack;
  ++*(int *)calls;
  return 0;
}

static void the_caller_s_error_printing_is_left_alone(void **state)
{
  (void)state;
  int calls = 0;
  H5E_auto2_t print;
  void *data;
  size_t bytes;
  char *image = image_of(local_file_in(H5F_LIBVER_V18, BY_ROWS), &bytes);
  ts_problem_file *file;
  ts_error error;
  H5Eset_auto2(H5E_DEFAULT, count_calls, &calls);
  assert_int_equal(ts_problem_file_parse(image, bytes / 2, &file, &error), TS_IO);
  assert_non_null(strstr(error.text, "the library cannot open it"));
  assert_int_equal(calls, 0);
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  assert_true(print == count_calls && data == &calls);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  free(image);
}

static void files_that_are_cut_off_are_refused(void **state)
{
  (void)state;
  size_t bytes;
  char *image = image_of(local_file(BY_ROWS), &bytes);
  for (size_t cut = 0; cut < bytes; cut += cut < 200 ? 1 : 13) {
    ts_problem_file *file;
    ts_error error = {0};
    if (ts_problem_file_parse(image, cut, &file, &error) == TS_OK) fail_msg("the first %zu bytes are accepted", cut);
    assert_true(error.text[0] != '\0');
  }
  free(image);
}

// Damage anywhere but in the structures that the library trusts (see docs/formats/problem.md) is refused or harmless.
static void damaged_files_are_refused_or_sound(void **state)
{
  (void)state;
  ts_random random;
  ts_random_init(&random, 4);
  size_t bytes;
  char *image = image_of(local_file(BY_ROWS), &bytes);
  for (int round = 0; round < 2000; ++round) {
    char *damaged = malloc(bytes);
    memcpy(damaged, image, bytes);
    for (int edits = 1 + ts_random_below(&random, 3); edits > 0; --edits)
      damaged[ts_random_below(&random, (int)bytes)] = (char)ts_random_below(&random, 256);
    ts_problem_file *file;
    ts_error error = {0};
    const ts_status status = ts_problem_file_parse(damaged, bytes, &file, &error);
    if (status == TS_OK)
      assert_int_equal(ts_problem_check(ts_problem_file_problem(file), &error), TS_OK);
    else
      assert_true(error.text[0] != '\0' && error.status == status);
    ts_problem_file_destroy(file);
    free(damaged);
  }
  free(image);
}

// The files beside the others were written by local_file() and global_file().
static void files_kept_as_samples_are_still_read(void **state)
{
  (void)state;
  const char *const paths[] = {DATA "local_2d.hdf5", DATA "global_3d.hdf5"};
  for (int k = 0; k < 2; ++k) {
    ts_problem_file *a = read_problem(paths[k]), *b = assert_parsed(k == 0 ? local_file(BY_ROWS) : global_file());
    assert_same_problem(ts_problem_file_problem(a), ts_problem_file_problem(b));
    ts_problem_file_destroy(a);
    ts_problem_file_destroy(b);
  }
}

static void a_file_of_the_collection_is_read(void **state)
{
  (void)state;
  ts_problem_file *file = read_problem(DATA "LMGC_GFC3D-i00001-1-00000.hdf5");
  const ts_global_friction *p = &ts_problem_file_problem(file)->global;
  assert_int_equal(p->contacts, 1);
  assert_int_equal(p->M.rows, 48);
  double *M = dense_of_matrix(&p->M);
  for (int i = 0; i < 48; ++i) assert_true(M[49 * i] > 0.0);
  free(M);
  ts_problem_file_destroy(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_storages_of_a_matrix_agree),
      cmocka_unit_test(bilateral_rows_are_read),
      cmocka_unit_test(global_problems_are_read_and_half_of_M_is_mirrored),
      cmocka_unit_test(other_number_types_are_converted),
      cmocka_unit_test(a_missing_part_is_named),
      cmocka_unit_test(a_wrong_part_is_named),
      cmocka_unit_test(a_matrix_index_out_of_range_is_named),
      cmocka_unit_test(unusual_storage_is_refused),
      cmocka_unit_test(a_newer_format_is_read_too),
      cmocka_unit_test(other_objects_and_shapes_are_refused),
      cmocka_unit_test(rolling_friction_is_refused_by_name),
      cmocka_unit_test(the_caller_s_error_printing_is_left_alone),
      cmocka_unit_test(files_that_are_cut_off_are_refused),
      cmocka_unit_test(damaged_files_are_refused_or_sound),
      cmocka_unit_test(files_kept_as_samples_are_still_read),
      cmocka_unit_test(a_file_of_the_collection_is_read),
  };
  return cmocka_run_group_tests(tests, make_scratch_file, remove_scratch_file);
}
