// The check of HDF5's bookkeeping: sound files pass, and every kind of damage that libhdf5 would trust is found.
#include "hdf5/image.h"

#include "scratch_folder.h"
#include "whole_file.h"

#include <hdf5.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define DATA TEST_DATA "/problems/"

static void sound_files_pass(void **state)
{
  (void)state;
  const char *const paths[] = {DATA "local_2d.hdf5", DATA "global_3d.hdf5", DATA "LMGC_GFC3D-i00001-1-00000.hdf5"};
  for (int k = 0; k < 3; ++k) {
    size_t bytes;
    ts_error error;
    char *image = read_bytes(paths[k], &bytes);
    assert_int_equal(ts_check_hdf5_image(image, bytes, &error), TS_OK);
    free(image);
  }
}

// The first place of four marked bytes (NULL: the beginning), and a number to be written at an offset from there.
typedef struct damage {
  const char *mark;
  size_t offset, width;
  uint64_t value;
  const char *fragment;
} damage;

static size_t find_mark(const char *image, size_t bytes, const char *mark)
{
  size_t at = 0;
  if (mark)
    while (memcmp(image + at, mark, 4) != 0) assert_true(++at + 4 <= bytes);
  return at;
}

static void damage_is_found(void **state)
{
  (void)state;
  // The root group's object header is at byte 96, its only message (a symbol table) at 112.
  const damage table[] = {
      {NULL, 8, 1, 1, "no superblock at byte 8"},   // another superblock version without checksums
      {NULL, 13, 1, 4, "no superblock at byte 8"},  // addresses of 4 bytes
      {NULL, 16, 2, 0, "no superblock at byte 16"}, // symbol nodes without room
      {NULL, 16, 2, 65535, "no symbol node"},       // symbol nodes larger than the file
      {NULL, 18, 2, 65535, "no tree of names"},     // tree nodes larger than the file
      {NULL, 24, 8, 512, "a superblock that FCLIB files do not have"},
      {NULL, 40, 8, 1 << 20, "it has 8992 bytes and should have 1048576"},
      {NULL, 64, 8, UINT64_MAX - 7, "no object header"}, // the root group
      {NULL, 72, 4, 2, "no root group"},                 // a soft link
      {NULL, 80, 8, 97, "a link and a group disagree"},  // a copy of the tree's address
      {NULL, 96, 1, 2, "no object header at byte 96"},
      {NULL, 104, 4, 0xffffffff, "an object header leaves the file at byte 112"},
      {NULL, 112, 2, 6, "uses a feature that FCLIB files do not (message 6 at byte 120)"},
      {NULL, 114, 2, 0xfff8, "a message leaves its header at byte 112"},
      {NULL, 116, 1, 2, "a message that is kept elsewhere at byte 112"},
      {"TREE", 5, 1, 3, "no tree of names"}, // a level whose children are no trees
      {"TREE", 5, 1, 200, "a tree of names has a wrong level"},
      {"TREE", 6, 2, 60000, "a tree of names has too many branches"},
      {"TREE", 24, 8, 1 << 20, "a name leaves its heap"},
      {"TREE", 32, 8, UINT64_MAX, "no symbol node"},
      {"SNOD", 4, 1, 9, "no symbol node"},
      {"SNOD", 6, 2, 60000, "a symbol node holds too many names"},
      {"SNOD", 8, 8, UINT64_MAX, "a name leaves its heap"},
      {"SNOD", 16, 8, 96, "a link and a group disagree"}, // a group that holds itself
      {"HEAP", 4, 1, 1, "no heap of names"},
      {"HEAP", 8, 8, UINT64_MAX - 3, "a heap of names leaves the file"},
      {"HEAP", 16, 8, 80, "a list of free space leaves its heap"},
      {"HEAP", 24, 8, UINT64_MAX - 100, "a heap of names leaves the file"},
  };
  size_t bytes;
  char *image = read_bytes(DATA "local_2d.hdf5", &bytes);
  for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
    char *damaged = malloc(bytes);
    memcpy(damaged, image, bytes);
    const size_t at = find_mark(image, bytes, table[k].mark) + table[k].offset;
    for (size_t b = 0; b < table[k].width; ++b) damaged[at + b] = (char)(table[k].value >> (8 * b));
    ts_error error = {0};
    const ts_status status = ts_check_hdf5_image(damaged, bytes, &error);
    if (status == TS_OK || !strstr(error.text, table[k].fragment))
      fail_msg("damage %zu: got %d \"%s\", wanted \"%s\"", k, (int)status, error.text, table[k].fragment);
    free(damaged);
  }
  free(image);
}

// A list of free space that comes back to its beginning, and a group that is its own member.
static void circles_end(void **state)
{
  (void)state;
  size_t bytes;
  ts_error error;
  char *image = read_bytes(DATA "local_2d.hdf5", &bytes);
  const size_t heap = find_mark(image, bytes, "HEAP"), symbols = find_mark(image, bytes, "SNOD");
  uint64_t names, first;
  memcpy(&names, image + heap + 24, 8);
  memcpy(&first, image + heap + 16, 8);
  char *damaged = malloc(bytes);
  memcpy(damaged, image, bytes);
  memcpy(damaged + names + first, &first, 8);
  assert_int_equal(ts_check_hdf5_image(damaged, bytes, &error), TS_IO);
  memcpy(damaged, image, bytes);
  memcpy(damaged + symbols + 16, image + 64, 8);  // the root group's header
  memcpy(damaged + symbols + 32, image + 80, 16); // and the places of its tree and heap
  assert_int_equal(ts_check_hdf5_image(damaged, bytes, &error), TS_IO);
  assert_non_null(strstr(error.text, "groups in too many levels"));
  free(damaged);
  free(image);
}

// ---- files of libhdf5 ----------------------------------------------------------------------------------------------

// A file that is made here, and its image.
typedef struct made_file {
  const char *path;
  hid_t file;
  char *image;
  size_t bytes;
} made_file;

static made_file begin(scratch_folder *folder)
{
  made_file made = {.path = scratch_path(folder, "made.hdf5")};
  made.file = H5Fcreate(made.path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(made.file >= 0);
  return made;
}

static void finish(made_file *made)
{
  assert_true(H5Fclose(made->file) >= 0);
  made->image = read_bytes(made->path, &made->bytes);
}

static ts_status check(const made_file *made, ts_error *error)
{
  *error = (ts_error){0};
  return ts_check_hdf5_image(made->image, made->bytes, error);
}

static void expect_sound(made_file *made, const char *what)
{
  ts_error error;
  if (check(made, &error) != TS_OK) fail_msg("%s: %s", what, error.text);
  free(made->image);
}

static void expect_refused(const made_file *made, const char *fragment)
{
  ts_error error;
  if (check(made, &error) == TS_OK || !strstr(error.text, fragment)) fail_msg("'%s', not '%s'", error.text, fragment);
}

// A vector of four numbers; `create` says how it is kept.
static void add_vector(const made_file *made, const char *name, hid_t type, hid_t create)
{
  static const double numbers[4] = {1.0, 2.0, 3.0, 4.0};
  const hsize_t size = 4;
  const hid_t space = H5Screate_simple(1, &size, NULL);
  const hid_t set = H5Dcreate2(made->file, name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
  assert_true(set >= 0);
  if (H5Tget_class(type) != H5T_STRING)
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  H5Dclose(set);
  H5Sclose(space);
}

static made_file make_vector(scratch_folder *folder, hid_t type, hid_t create)
{
  made_file made = begin(folder);
  add_vector(&made, "v", type, create);
  finish(&made);
  return made;
}

static void numbers_of_all_widths_and_orders_pass(void **state)
{
  const hid_t types[] = {H5T_STD_I8LE,  H5T_STD_U8LE,  H5T_STD_I16BE,  H5T_STD_U16LE,  H5T_STD_I32LE,  H5T_STD_U32BE,
                         H5T_STD_I64LE, H5T_STD_U64BE, H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE};
  for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
    made_file made = make_vector(*state, types[k], H5P_DEFAULT);
    expect_sound(&made, "a vector");
  }
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 7);
  made_file made = make_vector(*state, text, H5P_DEFAULT);
  expect_sound(&made, "a text");
  H5Tclose(text);
}

static void other_types_are_refused(void **state)
{
  const hid_t narrow = H5Tcopy(H5T_STD_I32LE), custom = H5Tcopy(H5T_IEEE_F64LE);
  H5Tset_precision(narrow, 17);
  H5Tset_ebias(custom, 1000);
  const hid_t types[] = {narrow, custom};
  for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
    made_file made = make_vector(*state, types[k], H5P_DEFAULT);
    expect_refused(&made, "a datatype that FCLIB files do not have");
    free(made.image);
    H5Tclose(types[k]);
  }
}

static void vectors_are_kept_in_one_piece(void **state)
{
  static const double fill = 7.0;
  static const struct {
    H5D_layout_t layout;
    bool sound;
  } cases[] = {{H5D_CONTIGUOUS, true}, {H5D_COMPACT, true}, {H5D_CHUNKED, false}};
  for (int filled = 0; filled < 3; ++filled) // not said, a value, none
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
      const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
      const hsize_t chunk = 2;
      H5Pset_layout(create, cases[k].layout);
      if (cases[k].layout == H5D_CHUNKED) H5Pset_chunk(create, 1, &chunk);
      if (filled > 0) H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, filled == 1 ? &fill : NULL);
      made_file made = make_vector(*state, H5T_NATIVE_DOUBLE, create);
      H5Pclose(create);
      if (cases[k].sound) {
        expect_sound(&made, "a vector in one piece");
        continue;
      }
      expect_refused(&made, "not stored in one piece");
      free(made.image);
    }
}

// Scalars, matrices, nothing; with a time of change or without; more attributes than the header has room for.
static void datasets_of_every_rank_pass(void **state)
{
  const hsize_t sizes[2] = {2, 3};
  for (int rank = -1; rank <= 2; ++rank)
    for (int timed = 0; timed <= 1; ++timed) {
      made_file made = begin(*state);
      const hid_t space = rank < 0    ? H5Screate(H5S_NULL)
                          : rank == 0 ? H5Screate(H5S_SCALAR)
                                      : H5Screate_simple(rank, sizes, NULL);
      const hid_t create = H5Pcreate(H5P_DATASET_CREATE), one = H5Screate(H5S_SCALAR);
      H5Pset_obj_track_times(create, timed == 1);
      const hid_t set = H5Dcreate2(made.file, "set", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT);
      for (char name[2] = "a"; name[0] <= 'z'; ++name[0])
        H5Aclose(H5Acreate2(set, name, H5T_NATIVE_INT, one, H5P_DEFAULT, H5P_DEFAULT));
      H5Sclose(one);
      H5Pclose(create);
      H5Dclose(set);
      H5Sclose(space);
      finish(&made);
      expect_sound(&made, "a dataset");
    }
}

// Enough names for a tree of two levels, some taken away again: their room in the heap is free.
static void groups_of_many_names_pass(void **state)
{
  made_file made = begin(*state);
  char name[16];
  for (int i = 0; i < 400; ++i) {
    snprintf(name, sizeof name, "g%d", i);
    H5Gclose(H5Gcreate2(made.file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  for (int i = 7; i < 400; i += 9) {
    snprintf(name, sizeof name, "g%d", i);
    assert_true(H5Ldelete(made.file, name, H5P_DEFAULT) >= 0);
  }
  finish(&made);
  int tallest = 0;
  for (size_t at = 0; at + 6 < made.bytes; ++at)
    if (memcmp(made.image + at, "TREE", 4) == 0 && made.image[at + 5] > tallest) tallest = made.image[at + 5];
  assert_true(tallest >= 1);
  expect_sound(&made, "many names");
}

static void groups_may_be_nested_seven_deep(void **state)
{
  for (int depth = 7; depth <= 8; ++depth) {
    made_file made = begin(*state);
    char path[64] = "";
    for (int k = 0; k < depth; ++k) {
      strcat(path, "/g");
      H5Gclose(H5Gcreate2(made.file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    finish(&made);
    if (depth == 7) {
      expect_sound(&made, "seven groups");
      continue;
    }
    expect_refused(&made, "groups in too many levels");
    free(made.image);
  }
}

// ---- damage in messages --------------------------------------------------------------------------------------------

static uint64_t number_at(const char *image, size_t at, int width)
{
  uint64_t value = 0;
  for (int k = width - 1; k >= 0; --k) value = value << 8 | (unsigned char)image[at + (size_t)k];
  return value;
}

static void put(char *image, size_t at, int width, uint64_t value)
{
  for (int k = 0; k < width; ++k) image[at + (size_t)k] = (char)(value >> (8 * k));
}

// The content of the first message of a type that the first object of the root group has.
static size_t find_message(const made_file *made, unsigned type)
{
  const size_t object = number_at(made->image, find_mark(made->image, made->bytes, "SNOD") + 16, 8);
  const size_t end = object + 16 + number_at(made->image, object + 8, 4);
  for (size_t at = object + 16; at < end; at += 8 + number_at(made->image, at + 2, 2))
    if (number_at(made->image, at, 2) == type) return at + 8;
  fail_msg("no message of type %u", type);
  return 0;
}

enum { SPACE = 1, TYPE = 3, FILL = 5, LAYOUT = 8, TIME = 18 };

static void numbers_in_messages_have_their_bounds(void **state)
{
  static const char no_space[] = "no dataspace", no_type[] = "a datatype that", no_fill[] = "no fill value";
  static const struct {
    unsigned type;
    int offset, width; // from the message's content
    uint64_t value;
    const char *fragment;
  } table[] = {
      {SPACE, 0, 1, 0, no_space},
      {SPACE, 0, 1, 3, no_space},
      {SPACE, 1, 1, 33, no_space},
      {SPACE, 1, 1, 3, no_space}, // sizes that leave the message
      {SPACE, 2, 1, 2, no_space},
      {SPACE, -6, 2, 0, no_space}, // an empty message
      {TYPE, -6, 2, 0, "no datatype"},
      {TYPE, -6, 2, 16, no_type},
      {LAYOUT, -6, 2, 0, "no data layout"},
      {LAYOUT, -6, 2, 16, "not stored in one piece"},
      {LAYOUT, 0, 1, 2, "no data layout"},
      {LAYOUT, 1, 1, 3, "not stored in one piece"},
      {LAYOUT, 2, 8, 1 << 20, "a dataset leaves the file"},
      {LAYOUT, 10, 8, 1 << 20, "a dataset leaves the file"},
      {FILL, 0, 1, 4, no_fill},
      {FILL, -6, 2, 0, no_fill},
      {TIME, -6, 2, 0, "no time"},
  };
  const made_file made = make_vector(*state, H5T_NATIVE_DOUBLE, H5P_DEFAULT);
  for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
    made_file damaged = made;
    damaged.image = malloc(made.bytes);
    memcpy(damaged.image, made.image, made.bytes);
    const size_t at = find_message(&made, table[k].type) + (size_t)table[k].offset;
    put(damaged.image, at, table[k].width, table[k].value);
    expect_refused(&damaged, table[k].fragment);
    free(damaged.image);
  }
  made_file never = made; // a vector that was never written has no place
  put(never.image, find_message(&made, LAYOUT) + 2, 8, UINT64_MAX);
  expect_sound(&never, "never written");
}

// Of the type of an IEEE number only the order of bytes, and the version between 1 and 3, may differ; of a whole number
// the sign too.
static void every_bit_of_a_type_counts(void **state)
{
  static const unsigned char free_bits[2][2] = {{0x22, 0x01}, {0x20, 0x09}}; // 0x02: a text instead
  const hid_t types[2][2] = {{H5T_IEEE_F32LE, H5T_IEEE_F64LE}, {H5T_STD_I16LE, H5T_STD_I64LE}};
  static const int lengths[2] = {20, 12};
  for (int k = 0; k < 4; ++k) {
    const int kind = k / 2;
    made_file made = make_vector(*state, types[kind][k % 2], H5P_DEFAULT);
    const size_t at = find_message(&made, TYPE);
    for (int bit = 0; bit < 8 * lengths[kind]; ++bit) {
      const int byte = bit / 8, mask = 1 << bit % 8;
      if (kind == 1 && (byte == 2 || byte == 3)) continue; // of no meaning for whole numbers
      const bool is_free = byte < 2 && (free_bits[kind][byte] & mask);
      made.image[at + (size_t)byte] ^= (char)mask;
      ts_error error;
      if ((check(&made, &error) == TS_OK) != is_free) fail_msg("type %d, byte %d, bit %d", k, byte, mask);
      made.image[at + (size_t)byte] ^= (char)mask;
    }
    free(made.image);
  }
}

static void values_in_the_header_stay_in_it(void **state)
{
  static const double fill = 7.0;
  const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_layout(create, H5D_COMPACT);
  H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &fill);
  made_file made = make_vector(*state, H5T_NATIVE_DOUBLE, create);
  H5Pclose(create);
  const size_t layout = find_message(&made, LAYOUT), value = find_message(&made, FILL);
  assert_int_equal(number_at(made.image, layout + 2, 2), 32); // four doubles
  put(made.image, layout + 2, 2, number_at(made.image, layout - 6, 2) - 4);
  ts_error error;
  assert_int_equal(check(&made, &error), TS_OK);
  put(made.image, layout + 2, 2, number_at(made.image, layout - 6, 2) - 3);
  expect_refused(&made, "not stored in one piece");
  put(made.image, layout + 2, 2, 32);
  assert_int_equal(number_at(made.image, value + 4, 4), 8); // one double
  put(made.image, value + 4, 4, number_at(made.image, value - 6, 2) - 8);
  assert_int_equal(check(&made, &error), TS_OK);
  put(made.image, value + 4, 4, number_at(made.image, value - 6, 2) - 7);
  expect_refused(&made, "no fill value");
  free(made.image);
}

// ---- few bytes that claim to be much -------------------------------------------------------------------------------

enum { ROOT_TREE = 120, ROOT_TREE_AGAIN = 80, INTERNAL_K = 16, LEAF_K = 4 };

static size_t append(made_file *made, size_t bytes)
{
  const size_t at = made->bytes;
  made->image = realloc(made->image, at + bytes);
  memset(made->image + at, 0, bytes);
  made->bytes += bytes;
  return at;
}

// A full node of a tree whose children are all the same.
static size_t append_tree(made_file *made, int level, size_t child)
{
  const size_t at = append(made, 24 + 32 * INTERNAL_K + 8);
  memcpy(made->image + at, "TREE", 4);
  made->image[at + 5] = (char)level;
  put(made->image, at + 6, 2, 2 * INTERNAL_K);
  for (size_t k = 0; k < 2 * INTERNAL_K; ++k) put(made->image, at + 24 + 16 * k + 8, 8, child);
  return at;
}

static size_t append_symbols(made_file *made)
{
  const size_t at = append(made, 8 + 2 * LEAF_K * 40);
  memcpy(made->image + at, "SNOD", 4);
  made->image[at + 4] = 1;
  return at;
}

static void set_root_tree(made_file *made, size_t at)
{
  put(made->image, ROOT_TREE, 8, at);
  put(made->image, ROOT_TREE_AGAIN, 8, at);
}

// 32^2 nodes without names are few enough to look at, 32^3 are not: no file of this size holds them.
static void branches_that_are_shared_are_noticed(void **state)
{
  for (int level = 0; level <= 3; ++level) {
    made_file made = begin(*state);
    finish(&made);
    size_t at = append_symbols(&made);
    for (int k = 0; k <= level; ++k) at = append_tree(&made, k, at);
    set_root_tree(&made, at);
    append(&made, 16384); // 16 KB could hold 2048 structures
    ts_error error;
    const ts_status status = check(&made, &error);
    if ((status == TS_OK) != (level <= 1)) fail_msg("%d levels: %s", level + 1, error.text);
    if (level > 1) expect_refused(&made, "it leads in a circle");
    free(made.image);
  }
}

// The same pieces of a header again and again, each full of messages that say nothing.
static void headers_that_are_continued_with_themselves_end(void **state)
{
  made_file made = make_vector(*state, H5T_NATIVE_DOUBLE, H5P_DEFAULT);
  const size_t time = find_message(&made, TIME) - 8, piece = append(&made, 24 * 1000);
  const uint64_t room = number_at(made.image, time + 2, 2);
  assert_int_equal(room, 8);
  for (size_t k = 0; k < 1000; ++k) put(made.image, piece + 24 * k + 2, 2, 16);
  put(made.image, piece, 2, 16); // the first says: continued here
  put(made.image, piece + 8, 8, piece);
  put(made.image, piece + 16, 8, 24 * 1000);
  const size_t header = append(&made, 16 + 24); // a header that has nothing but a continuation
  made.image[header] = 1;
  put(made.image, header + 8, 4, 24);
  memcpy(made.image + header + 16, made.image + piece, 24);
  put(made.image, 64, 8, header); // the root group
  put(made.image, 72, 4, 0);
  expect_refused(&made, "it leads in a circle");
  free(made.image);
}

// Any one byte may have any of a few values: the check itself stays inside the image (a sanitizer looks on).
static void every_byte_may_be_wrong(void **state)
{
  (void)state;
  static const unsigned char masks[] = {0x01, 0x80, 0xff};
  size_t bytes;
  char *image = read_bytes(DATA "local_2d.hdf5", &bytes);
  for (size_t at = 0; at < bytes; ++at)
    for (size_t k = 0; k < sizeof masks; ++k) {
      ts_error error = {0};
      image[at] = (char)(image[at] ^ masks[k]);
      if (ts_check_hdf5_image(image, bytes, &error) != TS_OK) assert_true(error.text[0] != '\0');
      image[at] = (char)(image[at] ^ masks[k]);
    }
  for (size_t cut = 0; cut < bytes; ++cut) {
    char *shorter = malloc(cut);
    memcpy(shorter, image, cut);
    ts_error error = {0};
    assert_int_equal(ts_check_hdf5_image(shorter, cut, &error), TS_IO);
    free(shorter);
  }
  free(image);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_files_pass),
      cmocka_unit_test(damage_is_found),
      cmocka_unit_test(circles_end),
      cmocka_unit_test_setup_teardown(numbers_of_all_widths_and_orders_pass, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(other_types_are_refused, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(vectors_are_kept_in_one_piece, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(datasets_of_every_rank_pass, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(groups_of_many_names_pass, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(groups_may_be_nested_seven_deep, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(numbers_in_messages_have_their_bounds, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(every_bit_of_a_type_counts, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(values_in_the_header_stay_in_it, scratch_folder_set_up, scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(branches_that_are_shared_are_noticed, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test_setup_teardown(headers_that_are_continued_with_themselves_end, scratch_folder_set_up,
                                      scratch_folder_tear_down),
      cmocka_unit_test(every_byte_may_be_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
