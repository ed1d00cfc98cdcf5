// The check of HDF5's bookkeeping: sound files pass, and every kind of damage that libhdf5 would trust is found.
#include "hdf5/image.h"

#include "whole_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
      cmocka_unit_test(every_byte_may_be_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
