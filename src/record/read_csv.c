// Reading a run from its CSV files. Names of bodies come from the columns of the states and from the contacts: a body
// that is named by contacts or impacts alone is a fixed one, whose pose the files do not tell. Joints are those that
// their columns name, and those of impacts.
#define _POSIX_C_SOURCE 200809L // locale_t, access
#include "record/record.h"

#include "record/csv_ending.h"
#include "record/csv_name.h"

#include "text/c_locale.h"
#include "text/csv.h"

#include "base/status.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- values --------------------------------------------------------------------------------------------------------

static ts_status read_number(ts_csv *c, const ts_csv_field *field, const ts_column *column, double *value)
{
  if (!ts_csv_field_is_number(field, value))
    return ts_scan_fail(&c->scan, field->begin, TS_INVALID, "column %s wants a number", column->name);
  if (column->kind == TS_COLUMN_WHOLE && !(fabs(*value) <= INT_MAX && *value == trunc(*value)))
    return ts_scan_fail(&c->scan, field->begin, TS_INVALID, "column %s wants a whole number", column->name);
  return TS_OK;
}

// The number of a name. Modes are known; bodies, solvers and joints may be new.
static ts_status read_name(ts_csv *c, const ts_csv_field *field, const ts_column *column, ts_vocabulary *words,
                           double *value)
{
  if (memchr(field->text, '\0', field->length)) return ts_csv_refuse(c, field->begin, "a name holds a zero byte");
  *value = -1.0;
  if (column->kind == TS_COLUMN_JOINT && field->length == 0) return TS_OK; // none
  const int number = column->kind == TS_COLUMN_MODE ? ts_vocabulary_find(words, field->text, field->length)
                                                    : ts_vocabulary_add(words, field->text, field->length);
  *value = number;
  if (number >= 0) return TS_OK;
  if (column->kind != TS_COLUMN_MODE) return ts_fail(c->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
  return ts_csv_refuse(c, field->begin, "column mode wants separate, stick, slip or roll");
}

static ts_status read_value(ts_csv *c, const ts_column *column, ts_run_layout *layout, double *value)
{
  ts_csv_field field;
  TS_TRY(ts_csv_read_field(c, &field));
  const bool is_name = column->kind != TS_COLUMN_REAL && column->kind != TS_COLUMN_WHOLE;
  return is_name ? read_name(c, &field, column, &layout->words[column->kind], value)
                 : read_number(c, &field, column, value);
}

static ts_status read_row(ts_csv *c, ts_run_table table, ts_run_layout *layout, double *row)
{
  const char *begin = c->scan.at;
  const int columns = layout->column_count[table];
  for (int k = 0; k < columns; ++k) {
    if (k > 0 && !ts_csv_next_field(c))
      return ts_scan_fail(&c->scan, begin, TS_INVALID, "this row has %d fields, there are %d columns", k, columns);
    TS_TRY(read_value(c, &layout->columns[table][k], layout, &row[k]));
  }
  if (ts_csv_next_field(c))
    return ts_scan_fail(&c->scan, begin, TS_INVALID, "this row has more than %d fields", columns);
  ts_csv_end_row(c);
  return TS_OK;
}

// ---- tables --------------------------------------------------------------------------------------------------------

static void turn_over(const double *rows, size_t count, size_t columns, double *values)
{
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < columns; ++k) values[k * count + i] = rows[i * columns + k];
}

// Every field of a row has a character and a separator, so the text bounds the number of rows.
static ts_status read_rows(ts_csv *c, ts_run_table table, ts_record *record)
{
  const size_t columns = (size_t)record->layout.column_count[table];
  const size_t most = (size_t)(c->scan.end - c->scan.at) / (2 * columns) + 1;
  double *rows = malloc(most * columns * sizeof *rows);
  if (!rows) return ts_fail(c->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
  size_t count = 0;
  ts_status status = TS_OK;
  for (; c->scan.at < c->scan.end && status == TS_OK; ++count)
    status = count < most ? read_row(c, table, &record->layout, rows + count * columns)
                          : ts_csv_refuse(c, c->scan.at, "this row has empty fields");
  if (status == TS_OK) status = ts_record_make_room(record, table, (int)count, c->scan.error);
  if (status == TS_OK) turn_over(rows, count, columns, record->values[table]);
  free(rows);
  return status;
}

static ts_status check_heading(ts_csv *c, ts_run_table table, const ts_run_layout *layout)
{
  for (int k = 0; k < layout->column_count[table]; ++k) {
    ts_csv_field field;
    const char *name = layout->columns[table][k].name;
    if (k > 0 && !ts_csv_next_field(c))
      return ts_scan_fail(&c->scan, c->scan.at, TS_INVALID, "column %s is missing", name);
    TS_TRY(ts_csv_read_field(c, &field));
    if (field.length != strlen(name) || memcmp(field.text, name, field.length) != 0)
      return ts_scan_fail(&c->scan, field.begin, TS_INVALID, "this column should be %s", name);
  }
  if (ts_csv_next_field(c)) return ts_csv_refuse(c, c->scan.at, "there is no such column");
  ts_csv_end_row(c);
  return TS_OK;
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// The length of the name in "name.quantity", 0 when it does not end so.
static size_t body_length(const ts_csv_field *field, const char *quantity)
{
  const size_t tail = strlen(quantity) + 1;
  const bool ends = field->length > tail && field->text[field->length - tail] == '.' &&
                    memcmp(field->text + field->length - tail + 1, quantity, tail - 1) == 0;
  return ends ? field->length - tail : 0;
}

// The bodies that the heading of the states names: every body begins with x, and a plane is known by theta. Whether
// the columns in between are right is checked against the layout that results.
static ts_status find_bodies(ts_csv *c, ts_vocabulary *bodies, bool *planar)
{
  ts_csv_field field;
  TS_TRY(ts_csv_read_field(c, &field));
  while (ts_csv_next_field(c)) {
    TS_TRY(ts_csv_read_field(c, &field));
    if (memchr(field.text, '\0', field.length)) return ts_csv_refuse(c, field.begin, "a name holds a zero byte");
    const size_t length = body_length(&field, "x");
    if (length > 0 && ts_vocabulary_add(bodies, field.text, length) < 0)
      return ts_fail(c->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
    *planar = *planar || body_length(&field, "theta") > 0;
  }
  c->scan.at = c->scan.begin;
  return TS_OK;
}

// What the files beside the states say about the layout.
typedef struct csv_tables {
  ts_vocabulary joints;
  bool *has_coordinate; // of these
  bool locates_impacts;
} csv_tables;

// A layout for these bodies, of which the first `moving` have columns.
static ts_status make_layout(const ts_vocabulary *names, int moving, bool planar, const csv_tables *tables,
                             ts_run_layout *layout, ts_error *error)
{
  const ts_pose nowhere = {.orientation.w = 1.0};
  const int joint_count = tables->joints.count;
  ts_run_body *bodies = calloc((size_t)names->count + 1, sizeof *bodies);
  ts_run_joint *joints = calloc((size_t)joint_count + 1, sizeof *joints);
  ts_status status = bodies && joints ? TS_OK : ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  for (int b = 0; b < names->count && status == TS_OK; ++b)
    bodies[b] = (ts_run_body){names->names[b], b < moving ? TS_DYNAMIC : TS_FIXED, nowhere};
  for (int j = 0; j < joint_count && status == TS_OK; ++j)
    joints[j] = (ts_run_joint){tables->joints.names[j], tables->has_coordinate[j] ? TS_MEASURE_ANGLE : TS_MEASURE_NONE,
                               .is_unknown = true};
  const ts_run_setup setup = {.planar = planar,
                              .step_size = NAN,
                              .tolerance = NAN,
                              .body_count = names->count,
                              .bodies = bodies,
                              .joint_count = joint_count,
                              .joints = joints,
                              .locates_impacts = tables->locates_impacts};
  if (status == TS_OK) status = ts_run_layout_init(layout, &setup, error);
  free(bodies);
  free(joints);
  return status;
}

// Contacts may have named bodies that do not move: make room for them.
static ts_status adopt_fixed_bodies(ts_record *record, int moving, const csv_tables *tables, ts_error *error)
{
  static const ts_column_kind kept[] = {TS_COLUMN_SOLVER, TS_COLUMN_JOINT};
  const ts_vocabulary *names = &record->layout.words[TS_COLUMN_BODY];
  if (names->count == moving) return TS_OK;
  ts_run_layout complete;
  TS_TRY(make_layout(names, moving, record->layout.planar, tables, &complete, error));
  for (size_t k = 0; k < sizeof kept / sizeof *kept; ++k) {
    complete.words[kept[k]] = record->layout.words[kept[k]];
    record->layout.words[kept[k]] = (ts_vocabulary){0};
  }
  ts_run_layout_release(&record->layout);
  record->layout = complete;
  return TS_OK;
}

// ---- joints --------------------------------------------------------------------------------------------------------

// The joint that a column is of: what stands before its last point. Columns of a joint lie together; whether they are
// all there is checked against the layout that results.
static ts_status note_joint(ts_csv *c, const ts_csv_field *field, csv_tables *tables)
{
  if (memchr(field->text, '\0', field->length)) return ts_csv_refuse(c, field->begin, "a name holds a zero byte");
  size_t length = field->length;
  while (length > 0 && field->text[length - 1] != '.') --length;
  if (length < 2) return ts_csv_refuse(c, field->begin, "this column should be joint.quantity");
  const int before = tables->joints.count;
  const int number = ts_vocabulary_add(&tables->joints, field->text, length - 1);
  bool *grown = realloc(tables->has_coordinate, ((size_t)before + 1) * sizeof *grown);
  if (grown) tables->has_coordinate = grown;
  if (number < 0 || !grown) return ts_fail(c->scan.error, TS_OUT_OF_MEMORY, "memory ran out");
  if (number == before) tables->has_coordinate[number] = body_length(field, ts_run_joint_quantity(false, 0)) > 0;
  return TS_OK;
}

static ts_status find_joints(ts_csv *c, csv_tables *tables)
{
  ts_csv_field field;
  TS_TRY(ts_csv_read_field(c, &field));
  while (ts_csv_next_field(c)) {
    TS_TRY(ts_csv_read_field(c, &field));
    TS_TRY(note_joint(c, &field, tables));
  }
  if (tables->joints.count == 0) return ts_csv_refuse(c, c->scan.at, "there is no joint in this table");
  return TS_OK;
}

// ---- files ---------------------------------------------------------------------------------------------------------

// What is done with the content of a file.
typedef struct csv_task {
  ts_run_table table;
  ts_record *record; // NULL: joints are looked for alone
  csv_tables *tables;
} csv_task;

static ts_status read_table(ts_csv *c, const csv_task *task)
{
  ts_record *record = task->record;
  if (!record) return find_joints(c, task->tables);
  if (task->table == TS_STATES) {
    ts_vocabulary bodies = {0};
    bool planar = false;
    ts_status status = find_bodies(c, &bodies, &planar);
    if (status == TS_OK)
      status = make_layout(&bodies, bodies.count, planar, task->tables, &record->layout, c->scan.error);
    ts_vocabulary_release(&bodies);
    TS_TRY(status);
  }
  TS_TRY(check_heading(c, task->table, &record->layout));
  return read_rows(c, task->table, record);
}

static ts_status read_file(const char *path, const csv_task *task, ts_error *error)
{
  ts_csv c;
  ts_status status = ts_csv_open(path, &c, error);
  if (status == TS_OK) status = read_table(&c, task);
  ts_csv_close(&c);
  return status;
}

// The message is about the file that was asked for unless it says otherwise. A table that need not be there and is not
// is no failure: `*is_there` (NULL: it has to be) tells.
static ts_status read_named_file(const char *path, const csv_task *task, bool *is_there, ts_error *error)
{
  char *name = ts_csv_name(path, task->table);
  if (!name) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  ts_status status = TS_OK;
  if (is_there) *is_there = access(name, F_OK) == 0;
  if (!is_there || *is_there) status = read_file(name, task, error);
  if (status != TS_OK && task->table != TS_STATES) snprintf(error->file, sizeof error->file, "%s", name);
  free(name);
  return status;
}

static ts_status find_tables(const char *path, csv_tables *tables, ts_error *error)
{
  char *name = ts_csv_name(path, TS_IMPACTS);
  if (!name) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  tables->locates_impacts = access(name, F_OK) == 0;
  free(name);
  bool measured;
  return read_named_file(path, &(csv_task){TS_JOINTS, NULL, tables}, &measured, error);
}

// Joints are recorded with every state.
static ts_status check_joint_rows(const char *path, const ts_record *record, ts_error *error)
{
  if (record->layout.joint_count == 0 || record->rows[TS_JOINTS] == record->rows[TS_STATES]) return TS_OK;
  const ts_status status = ts_fail(error, TS_INVALID, "there are %d rows of joints, but %d states",
                                   record->rows[TS_JOINTS], record->rows[TS_STATES]);
  char *name = ts_csv_name(path, TS_JOINTS);
  if (name) snprintf(error->file, sizeof error->file, "%s", name);
  free(name);
  return status;
}

static ts_status read_results(const char *path, ts_record *record, ts_error *error)
{
  char *name = ts_csv_name_of_results(path);
  if (!name) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = access(name, F_OK) == 0 ? ts_csv_read_ending(name, &record->ending, error) : TS_OK;
  if (status != TS_OK) snprintf(error->file, sizeof error->file, "%s", name);
  free(name);
  return status;
}

static ts_status read_files(const char *path, csv_tables *tables, ts_record *record, ts_error *error)
{
  int moving = 0;
  TS_TRY(find_tables(path, tables, error));
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) {
    if (table != TS_STATES && record->layout.column_count[table] == 0)
      TS_TRY(ts_record_make_room(record, (ts_run_table)table, 0, error));
    else
      TS_TRY(read_named_file(path, &(csv_task){(ts_run_table)table, record, tables}, NULL, error));
    if (table == TS_STATES) moving = ts_run_body_count(&record->layout);
  }
  TS_TRY(check_joint_rows(path, record, error));
  TS_TRY(read_results(path, record, error));
  return adopt_fixed_bodies(record, moving, tables, error);
}

ts_status ts_record_read_csv(const char *path, ts_record *record, ts_error *error)
{
  ts_c_locale locale;
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  csv_tables tables = {0};
  const ts_status status = read_files(path, &tables, record, error);
  ts_vocabulary_release(&tables.joints);
  free(tables.has_coordinate);
  ts_c_locale_leave(&locale);
  return status;
}
