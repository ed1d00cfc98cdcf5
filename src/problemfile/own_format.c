// Our own text format, docs/formats/problem.md: a first line, the type, the sizes, then one section a matrix or vector
// in any order, and a last word without which the file counts as cut off.
#include "problemfile/reader.h"

#include "problemfile/listing.h"

#include "base/status.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef enum size_name { SIZE, DIMENSION, CONTACTS, BILATERALS, VELOCITIES, SIZE_COUNT } size_name;
static const char *const size_texts[SIZE_COUNT] = {"size", "dimension", "contacts", "bilaterals", "velocities"};

typedef enum section_name {
  M,
  Q,
  LOWER,
  UPPER,
  W,
  MU,
  ELLIPSOID,
  V,
  R,
  S,
  H,
  G,
  F,
  FREE,
  B,
  SECTION_COUNT
} section_name;
static const char *const section_texts[SECTION_COUNT] = {"M", "q", "lower", "upper", "W", "mu", "ellipsoid", "V",
                                                         "R", "s", "H",     "G",     "f", "w",  "b"};

typedef enum section_kind { ABSENT, MATRIX, VECTOR, BOUNDS, AT_LEAST_ZERO, ABOVE_ZERO } section_kind;

typedef struct section {
  section_kind kind;
  bool required;
  int rows, columns; // columns of a matrix
  const char *at;    // where it was read, NULL before
  ts_matrix matrix;
  double *values;
} section;

typedef struct own_file {
  ts_problem_type type;
  int size[SIZE_COUNT]; // -1: not given
  section sections[SECTION_COUNT];
} own_file;

// The word at the cursor, which stays where it is; cut off when it is longer than any of ours.
static void peek_word(ts_scanner *scan, char *word, size_t size)
{
  ts_scan_space(scan);
  size_t length = 0;
  for (const char *c = scan->at; c < scan->end && !ts_scan_is_space(*c) && *c != '#' && length + 1 < size; ++c)
    word[length++] = *c;
  word[length] = '\0';
}

static int find_word(const char *const *words, int count, const char *word)
{
  for (int i = 0; i < count; ++i)
    if (strcmp(words[i], word) == 0) return i;
  return -1;
}

static ts_status scan_type(ts_scanner *scan, ts_problem_type *type)
{
  static const ts_problem_type types[] = {TS_LCP, TS_MLCP, TS_FRICTION, TS_GLOBAL_FRICTION};
  char word[24];
  TS_TRY(ts_scan_word(scan, "type"));
  peek_word(scan, word, sizeof word);
  for (size_t k = 0; k < sizeof types / sizeof *types; ++k)
    if (strcmp(ts_problem_type_name(types[k]), word) == 0) {
      *type = types[k];
      scan->at += strlen(word);
      return TS_OK;
    }
  return ts_scan_unexpected(scan, "a type (lcp, mlcp, friction or global-friction)");
}

static bool type_has_size(ts_problem_type type, size_name name)
{
  const bool contacts = type == TS_FRICTION || type == TS_GLOBAL_FRICTION;
  return name == SIZE ? !contacts : contacts;
}

enum { LEAST_A_CONTACT = 3 }; // numbers of a contact in the plane: mu and two of q

// Sizes come before everything that depends on them. Each of them is the length of a vector, or of a matrix that has
// an entry in every row, so the text must have room for as many numbers.
static ts_status scan_sizes(ts_scanner *scan, own_file *file)
{
  for (int k = 0; k < SIZE_COUNT; ++k) file->size[k] = -1;
  for (;;) {
    char word[16];
    peek_word(scan, word, sizeof word);
    const int name = find_word(size_texts, SIZE_COUNT, word);
    if (name < 0) break;
    if (!type_has_size(file->type, (size_name)name))
      return ts_scan_fail(scan, scan->at, TS_INVALID, "a problem of type %s has no %s",
                          ts_problem_type_name(file->type), word);
    if (file->size[name] >= 0) return ts_scan_fail(scan, scan->at, TS_INVALID, "%s is given twice", word);
    scan->at += strlen(word);
    if (name == DIMENSION)
      TS_TRY(ts_scan_int(scan, "dimension", 2, 4, &file->size[name]));
    else
      TS_TRY(ts_scan_count(scan, size_texts[name], name == CONTACTS ? LEAST_A_CONTACT : 1, &file->size[name]));
  }
  for (int k = 0; k < SIZE_COUNT; ++k) {
    const bool needed = k == VELOCITIES ? file->type == TS_GLOBAL_FRICTION : k != BILATERALS;
    if (file->size[k] < 0 && needed && type_has_size(file->type, (size_name)k)) {
      char expected[32];
      snprintf(expected, sizeof expected, "\"%s\"", size_texts[k]);
      return ts_scan_unexpected(scan, expected);
    }
  }
  if (file->size[BILATERALS] < 0) file->size[BILATERALS] = 0;
  return TS_OK;
}

static void declare(own_file *file, section_name name, section_kind kind, bool required, int rows, int columns)
{
  file->sections[name] = (section){.kind = kind, .required = required, .rows = rows, .columns = columns};
}

static void declare_lcp(own_file *file)
{
  const int n = file->size[SIZE];
  declare(file, M, MATRIX, true, n, n);
  declare(file, Q, VECTOR, true, n, 1);
  if (file->type == TS_LCP) return;
  declare(file, LOWER, BOUNDS, true, n, 1);
  declare(file, UPPER, BOUNDS, true, n, 1);
}

static void declare_contacts(own_file *file)
{
  declare(file, MU, AT_LEAST_ZERO, true, file->size[CONTACTS], 1);
  declare(file, ELLIPSOID, ABOVE_ZERO, false, (file->size[DIMENSION] - 1) * file->size[CONTACTS], 1);
}

static void declare_friction(own_file *file)
{
  const int m = file->size[DIMENSION] * file->size[CONTACTS], p = file->size[BILATERALS], n = file->size[VELOCITIES];
  declare_contacts(file);
  declare(file, W, MATRIX, true, m, m);
  declare(file, Q, VECTOR, true, m, 1);
  if (p > 0) {
    declare(file, V, MATRIX, true, m, p);
    declare(file, R, MATRIX, true, p, p);
    declare(file, S, VECTOR, true, p, 1);
  }
  if (n >= 0) {
    declare(file, M, MATRIX, true, n, n);
    declare(file, H, MATRIX, true, n, m);
  }
}

static void declare_global(own_file *file)
{
  const int m = file->size[DIMENSION] * file->size[CONTACTS], p = file->size[BILATERALS], n = file->size[VELOCITIES];
  declare_contacts(file);
  declare(file, M, MATRIX, true, n, n);
  declare(file, H, MATRIX, true, n, m);
  declare(file, F, VECTOR, true, n, 1);
  declare(file, FREE, VECTOR, true, m, 1);
  if (p > 0) {
    declare(file, G, MATRIX, true, n, p);
    declare(file, B, VECTOR, true, p, 1);
  }
}

static ts_status scan_vector(ts_reading *reading, const char *name, section *s)
{
  ts_scanner *scan = &reading->scan;
  TS_TRY(ts_scan_room(scan, name, (size_t)s->rows));
  TS_TRY(ts_pool_doubles(reading->keep, (size_t)s->rows, &s->values));
  for (int i = 0; i < s->rows; ++i) switch (s->kind) {
    case BOUNDS:
      TS_TRY(ts_scan_bound(scan, name, &s->values[i]));
      break;
    case AT_LEAST_ZERO:
      TS_TRY(ts_scan_at_least(scan, name, 0.0, false, &s->values[i]));
      break;
    case ABOVE_ZERO:
      TS_TRY(ts_scan_at_least(scan, name, 0.0, true, &s->values[i]));
      break;
    default:
      TS_TRY(ts_scan_number(scan, name, &s->values[i]));
      break;
    }
  return TS_OK;
}

// Row after row, as one sees a matrix.
static ts_status scan_dense(ts_reading *reading, const char *name, section *s)
{
  const size_t rows = (size_t)s->rows, entries = rows * (size_t)s->columns;
  TS_TRY(ts_scan_room(&reading->scan, name, entries));
  TS_TRY(ts_pool_doubles(reading->keep, entries, &s->values));
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < (size_t)s->columns; ++j)
      TS_TRY(ts_scan_number(&reading->scan, name, &s->values[j * rows + i]));
  s->matrix = (ts_matrix){.rows = s->rows, .columns = s->columns, .value = s->values};
  return TS_OK;
}

// Blocks of `edge` rows and columns: block row, block column, the numbers row after row. Entries are blocks of edge 1.
static ts_status scan_entries(ts_reading *reading, const char *name, int edge, int count, section *s)
{
  ts_scanner *scan = &reading->scan;
  const size_t numbers = (size_t)edge * (size_t)edge * (size_t)count;
  ts_listing entries;
  TS_TRY(ts_scan_room(scan, name, numbers));
  TS_TRY(ts_listing_init(&entries, reading, s->rows, s->columns, numbers));
  for (int e = 0; e < count; ++e) {
    int I, J;
    ts_scan_space(scan);
    const char *at = scan->at;
    TS_TRY(ts_scan_int(scan, "the row of an entry", 0, s->rows / edge - 1, &I));
    TS_TRY(ts_scan_int(scan, "the column of an entry", 0, s->columns / edge - 1, &J));
    for (int k = 0; k < edge * edge; ++k) {
      double value;
      TS_TRY(ts_scan_number(scan, name, &value));
      ts_listing_add(&entries, reading, edge * I + k / edge, edge * J + k % edge, value, at);
    }
  }
  return ts_listing_compress(&entries, reading, name, &s->matrix);
}

static ts_status scan_matrix(ts_reading *reading, const char *name, section *s)
{
  ts_scanner *scan = &reading->scan;
  char storage[16];
  peek_word(scan, storage, sizeof storage);
  const char *const storages[] = {"dense", "sparse", "blocks"};
  const int kind = find_word(storages, 3, storage);
  if (kind < 0) return ts_scan_unexpected(scan, "a storage (dense, sparse or blocks)");
  scan->at += strlen(storage);
  if (kind == 0) return scan_dense(reading, name, s);
  int edge = 1, count;
  if (kind == 2) {
    ts_scan_space(scan);
    const char *at = scan->at;
    TS_TRY(ts_scan_int(scan, "the size of a block", 1, 1000, &edge));
    if (s->rows % edge != 0 || s->columns % edge != 0)
      return ts_scan_fail(scan, at, TS_INVALID, "%s is %d x %d, which is no multiple of the block size %d", name,
                          s->rows, s->columns, edge);
  }
  TS_TRY(ts_scan_count(scan, "the number of entries", 1, &count));
  return scan_entries(reading, name, edge, count, s);
}

static ts_status scan_section(ts_reading *reading, own_file *file)
{
  ts_scanner *scan = &reading->scan;
  char word[16];
  peek_word(scan, word, sizeof word);
  const int name = find_word(section_texts, SECTION_COUNT, word);
  if (name < 0) return ts_scan_unexpected(scan, "the name of a section or \"end\"");
  section *s = &file->sections[name];
  if (s->kind == ABSENT)
    return ts_scan_fail(scan, scan->at, TS_INVALID, "this problem of type %s has no section %s",
                        ts_problem_type_name(file->type), word);
  if (s->at) return ts_scan_fail(scan, scan->at, TS_INVALID, "section %s is given twice", word);
  s->at = scan->at;
  scan->at += strlen(word);
  return s->kind == MATRIX ? scan_matrix(reading, word, s) : scan_vector(reading, word, s);
}

// "end" is the last word: all required sections came before it, and nothing follows.
static ts_status check_complete(ts_scanner *scan, const own_file *file, const char *end)
{
  for (int k = 0; k < SECTION_COUNT; ++k) {
    const section *s = &file->sections[k];
    if (s->required && !s->at) return ts_scan_fail(scan, end, TS_INVALID, "section %s is missing", section_texts[k]);
  }
  const section *lower = &file->sections[LOWER], *upper = &file->sections[UPPER];
  for (int i = 0; upper->at && i < upper->rows; ++i)
    if (lower->values[i] > upper->values[i])
      return ts_scan_fail(scan, upper->at, TS_INVALID, "variable %d has the empty range [%g, %g]", i, lower->values[i],
                          upper->values[i]);
  if (!ts_scan_at_end(scan)) return ts_scan_unexpected(scan, "the end of the file");
  return TS_OK;
}

static ts_status scan_sections(ts_reading *reading, own_file *file)
{
  ts_scanner *scan = &reading->scan;
  for (;;) {
    char word[8];
    peek_word(scan, word, sizeof word);
    if (strcmp(word, "end") == 0) break;
    TS_TRY(scan_section(reading, file));
  }
  const char *end = scan->at;
  scan->at += strlen("end");
  return check_complete(scan, file, end);
}

static ts_status build_friction(ts_reading *reading, const own_file *file)
{
  const section *s = file->sections;
  ts_friction p = {.dimension = file->size[DIMENSION],
                   .contacts = file->size[CONTACTS],
                   .bilaterals = file->size[BILATERALS],
                   .q = s[Q].values,
                   .mu = s[MU].values,
                   .ellipsoid = s[ELLIPSOID].values,
                   .V = s[V].matrix,
                   .R = s[R].matrix,
                   .s = s[S].values};
  TS_TRY(ts_assemble_blocks(&s[W].matrix, p.dimension, reading->keep, reading->scratch, &p.W));
  if (file->size[VELOCITIES] >= 0) {
    ts_bodies *bodies = ts_pool_take(reading->keep, 1, sizeof *bodies);
    if (!bodies) return TS_OUT_OF_MEMORY;
    *bodies = (ts_bodies){.count = 0}; // the file does not say whose rows are whose
    TS_TRY(ts_sparse_copy(&s[M].matrix, reading->keep, reading->scratch, &bodies->M));
    TS_TRY(ts_sparse_copy(&s[H].matrix, reading->keep, reading->scratch, &bodies->H));
    p.bodies = bodies;
  }
  reading->problem = ts_problem_friction(p);
  reading->format = "Touchstone text, friction";
  return TS_OK;
}

static ts_status build_global(ts_reading *reading, const own_file *file)
{
  const section *s = file->sections;
  reading->problem = ts_problem_global_friction((ts_global_friction){.dimension = file->size[DIMENSION],
                                                                     .contacts = file->size[CONTACTS],
                                                                     .bilaterals = file->size[BILATERALS],
                                                                     .M = s[M].matrix,
                                                                     .H = s[H].matrix,
                                                                     .G = s[G].matrix,
                                                                     .f = s[F].values,
                                                                     .w = s[FREE].values,
                                                                     .b = s[B].values,
                                                                     .mu = s[MU].values,
                                                                     .ellipsoid = s[ELLIPSOID].values});
  reading->format = "Touchstone text, global friction";
  return TS_OK;
}

static ts_status build_lcp(ts_reading *reading, const own_file *file)
{
  const section *s = file->sections;
  reading->problem = ts_problem_lcp((ts_lcp){file->size[SIZE], s[M].matrix, s[Q].values});
  reading->format = "Touchstone text, LCP";
  return TS_OK;
}

static ts_status build_mlcp(ts_reading *reading, const own_file *file)
{
  const section *s = file->sections;
  reading->problem =
      ts_problem_mlcp((ts_mlcp){file->size[SIZE], s[M].matrix, s[Q].values, s[LOWER].values, s[UPPER].values});
  reading->format = "Touchstone text, MLCP";
  return TS_OK;
}

ts_status ts_read_own_format(ts_reading *reading)
{
  ts_scanner *scan = &reading->scan;
  scan->comments = true;
  own_file file = {0};
  int version;
  TS_TRY(ts_scan_word(scan, "touchstone"));
  TS_TRY(ts_scan_word(scan, "problem"));
  TS_TRY(ts_scan_int(scan, "the version of the format", 1, 1, &version));
  TS_TRY(scan_type(scan, &file.type));
  TS_TRY(scan_sizes(scan, &file));
  void (*declare_sections)(own_file *) = file.type == TS_FRICTION          ? declare_friction
                                         : file.type == TS_GLOBAL_FRICTION ? declare_global
                                                                           : declare_lcp;
  declare_sections(&file);
  TS_TRY(scan_sections(reading, &file));
  switch (file.type) {
  case TS_FRICTION:
    return build_friction(reading, &file);
  case TS_GLOBAL_FRICTION:
    return build_global(reading, &file);
  case TS_MLCP:
    return build_mlcp(reading, &file);
  default:
    return build_lcp(reading, &file);
  }
}
