// A table as HDF5.
#include "study/pack.h"

#include "study/table_format.h"

#include "record/hdf5_file.h"
#include "record/hdf5_names.h"
#include "record/hdf5_table.h"
#include "record/hdf5_write.h"
#include "record/vocabulary.h"

#include "hdf5/quiet.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

enum {
  TEXT_SIZE = sizeof((ts_trial_outcome *)0)->text,
  TEXT_ROWS = 64,          // of a chunk
  MOST_DISTINCT = 1 << 14, // texts that are remembered; others are written as often as they come
  BEHIND = 6               // columns behind the results: end, text, and ts_table_last_names
};

// Texts in the order in which they first come.
typedef struct text_column {
  hid_t dataset, type;
  ts_vocabulary known;
  hsize_t count, written;
  char block[TEXT_ROWS][TEXT_SIZE];
} text_column;

typedef struct output {
  ts_hdf5_file file;
  ts_hdf5_table table;
  int refused; // errno: there was no room
} output;

typedef struct hdf5_pack {
  ts_pack_sink base;
  const ts_study *study;
  output table, times;
  text_column texts;
  double *row; // of the table
} hdf5_pack;

static ts_status cannot_write(const output *out, ts_error *error)
{
  return ts_hdf5_file_cannot_write(&out->file, out->refused, error);
}

// ---- what is said once ---------------------------------------------------------------------------------------------

static bool write_about(hid_t file, const ts_study *study)
{
  const ts_design *design = &study->design;
  const int format = TS_TABLE_FORMAT;
  char seed[32];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)design->seed); // as a double it would lose digits
  return ts_hdf5_write_number(file, TS_TABLE_ROOT, H5T_NATIVE_INT, &format) &&
         ts_hdf5_write_text(file, TS_TABLE_VERSION, ts_version()) &&
         ts_hdf5_write_text(file, TS_TABLE_NAME, study->name) &&
         ts_hdf5_write_text(file, TS_TABLE_SAMPLING, ts_sampling_names[design->sampling]) &&
         ts_hdf5_write_text(file, TS_TABLE_SEED, seed) &&
         ts_hdf5_write_number(file, TS_TABLE_SAMPLES, H5T_NATIVE_UINT64, &design->samples) &&
         ts_hdf5_write_number(file, TS_TABLE_CELLS, H5T_NATIVE_UINT64, &design->cells) &&
         ts_hdf5_write_number(file, TS_TABLE_TRIALS, H5T_NATIVE_UINT64, &design->trials);
}

// The lines of the manifest as one text.
static bool write_manifest(hid_t file, const ts_manifest *manifest)
{
  size_t size = 1;
  for (const ts_manifest_line *line = manifest->first; line; line = line->next)
    size += strlen(line->key) + strlen(line->value) + 2;
  char *text = malloc(size), *end = text;
  if (!text) return false;
  *end = '\0';
  for (const ts_manifest_line *line = manifest->first; line; line = line->next)
    end += sprintf(end, "%s\t%s\n", line->key, line->value);
  const bool written = ts_hdf5_write_names(file, TS_TABLE_STUDY, &text, 1);
  free(text);
  return written;
}

// Groups list their members by name: the order of columns stands beside them.
static bool write_names(hid_t file, const ts_study *study)
{
  const ts_design *design = &study->design;
  const hsize_t axes = (hsize_t)design->axis_count;
  char **names = calloc((size_t)design->column_count + 1, sizeof *names);
  if (!names) return false;
  for (int i = 0; i < design->column_count; ++i) names[i] = (char *)design->columns[i].name;
  const bool written = ts_hdf5_write_names(file, TS_TABLE_PARAMETER_NAMES, names, design->column_count) &&
                       ts_hdf5_write_names(file, TS_TABLE_RESULT_NAMES, (char **)study->results, study->result_count) &&
                       ts_hdf5_write_dataset(file, TS_TABLE_AXES, H5T_NATIVE_UINT64, 1, &axes, design->axis_size);
  free(names);
  return written;
}

// ---- columns -------------------------------------------------------------------------------------------------------

static hid_t newest_dataset(const ts_hdf5_table *table)
{
  return table->fields[table->field_count - 1].dataset;
}

static bool add_parameter(ts_hdf5_table *table, hid_t group, const ts_design_column *column)
{
  static const char *const kinds[] = TS_TABLE_KINDS;
  const bool on_grid = column->kind == TS_VARY_VALUES;
  const char *kind = kinds[on_grid ? 0 : column->kind == TS_VARY_EXPRESSION ? 2 : 1];
  return ts_hdf5_table_add_column(table, group, column->name, H5T_IEEE_F64LE, column->unit) &&
         ts_hdf5_write_text(newest_dataset(table), TS_TABLE_KIND, kind) &&
         (!on_grid || ts_hdf5_write_number(newest_dataset(table), TS_TABLE_AXIS, H5T_NATIVE_INT, &column->axis));
}

static bool add_parameters(const ts_study *study, hid_t group, ts_hdf5_table *table)
{
  for (int i = 0; i < study->design.column_count; ++i)
    if (!add_parameter(table, group, &study->design.columns[i])) return false;
  return true;
}

static bool add_results(const ts_study *study, hid_t group, ts_hdf5_table *table)
{
  for (int i = 0; i < study->result_count; ++i)
    if (!ts_hdf5_table_add_column(table, group, study->results[i], H5T_IEEE_F64LE, study->units[i])) return false;
  return true;
}

static bool add_group(hid_t file, const char *name, const ts_study *study, ts_hdf5_table *table,
                      bool (*add)(const ts_study *study, hid_t group, ts_hdf5_table *table))
{
  const hid_t group = ts_hdf5_create_group(file, name) ? H5Gopen2(file, name, H5P_DEFAULT) : -1;
  const bool added = group >= 0 && add(study, group, table);
  if (group >= 0) H5Gclose(group);
  return added;
}

#define END_TEXT(enumerator, text) text,
// Numbers of ends, and what they mean.
static bool add_end(hid_t file, ts_hdf5_table *table)
{
  static const char *const ends[] = {TS_TRIAL_END_LIST(END_TEXT)};
  ts_vocabulary words = {0};
  bool added = ts_hdf5_table_add_column(table, file, TS_TABLE_END, H5T_STD_I32LE, "");
  for (int i = 0; i < TS_TRIAL_END_COUNT && added; ++i)
    added = ts_vocabulary_add(&words, ends[i], strlen(ends[i])) == i;
  added = added && ts_hdf5_write_words(newest_dataset(table), TS_HDF5_NAMES, &words);
  ts_vocabulary_release(&words);
  return added;
}
#undef END_TEXT

static bool add_last(hid_t file, ts_hdf5_table *table)
{
  bool added = add_end(file, table) && ts_hdf5_table_add_column(table, file, TS_TABLE_TEXT, H5T_STD_I32LE, "");
  for (int i = 0; i < TS_TABLE_LAST_COUNT; ++i)
    added = added && ts_hdf5_table_add_column(table, file, ts_table_last_names[i],
                                              i == TS_TABLE_RESIDUAL ? H5T_IEEE_F64LE : H5T_STD_I64LE, "");
  return added;
}

static bool create_texts(hid_t file, text_column *texts)
{
  const hsize_t extent = 0, limit = H5S_UNLIMITED, chunk = TEXT_ROWS;
  texts->type = ts_hdf5_text_type(TEXT_SIZE);
  if (texts->type >= 0)
    texts->dataset = ts_hdf5_create_dataset(file, TS_TABLE_TEXTS, texts->type, 1, &extent, &limit, &chunk);
  return texts->dataset >= 0;
}

static bool fill_table(hdf5_pack *pack)
{
  const ts_study *study = pack->study;
  const hid_t file = pack->table.file.id;
  ts_hdf5_table *table = &pack->table.table;
  const int columns = 1 + study->design.column_count + study->result_count + BEHIND;
  pack->row = malloc((size_t)columns * sizeof *pack->row);
  return pack->row && write_about(file, study) && write_manifest(file, &study->manifest) && write_names(file, study) &&
         ts_hdf5_table_init(table, columns) &&
         ts_hdf5_table_add_column(table, file, TS_TABLE_TRIAL, H5T_STD_I64LE, "") &&
         add_group(file, TS_TABLE_PARAMETERS, study, table, add_parameters) &&
         add_group(file, TS_TABLE_RESULTS, study, table, add_results) && add_last(file, table) &&
         create_texts(file, &pack->texts) && ts_hdf5_table_make_buffers(table);
}

static bool fill_times(hdf5_pack *pack)
{
  const int format = TS_TIMES_FORMAT;
  const hid_t file = pack->times.file.id;
  ts_hdf5_table *table = &pack->times.table;
  return ts_hdf5_write_number(file, TS_TIMES_ROOT, H5T_NATIVE_INT, &format) &&
         ts_hdf5_write_text(file, TS_TABLE_VERSION, ts_version()) && ts_hdf5_table_init(table, 2) &&
         ts_hdf5_table_add_column(table, file, TS_TABLE_TRIAL, H5T_STD_I64LE, "") &&
         ts_hdf5_table_add_column(table, file, TS_TABLE_SECONDS, H5T_IEEE_F64LE, "s") &&
         ts_hdf5_table_make_buffers(table);
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static bool flush_texts(text_column *texts)
{
  const hsize_t count = texts->count - texts->written;
  if (count > 0 && !ts_hdf5_append_rows(texts->dataset, texts->type, 1, texts->written, count, 1, texts->block))
    return false;
  texts->written = texts->count;
  return true;
}

// The number of a text, -1 of an empty one; false when memory runs out.
static bool number_text(text_column *texts, const char *text, int *number)
{
  const size_t length = strlen(text);
  *number = length > 0 ? ts_vocabulary_find(&texts->known, text, length) : -1;
  if (length == 0 || *number >= 0) return true;
  if (texts->known.count < MOST_DISTINCT && ts_vocabulary_add(&texts->known, text, length) < 0) return false;
  *number = (int)texts->count;
  strncpy(texts->block[texts->count - texts->written], text, TEXT_SIZE); // with zeros up to the end
  ++texts->count;
  return texts->count - texts->written < TEXT_ROWS || flush_texts(texts);
}

static bool append_to(output *out, const double *row)
{
  return !ts_hdf5_table_append(&out->table, row) || ts_hdf5_table_flush(&out->table, &out->file.output, &out->refused);
}

static bool make_row(hdf5_pack *pack, const double *parameters, const ts_trial_row *row)
{
  const ts_study *study = pack->study;
  const ts_trial_outcome *outcome = &row->outcome;
  double *to = pack->row;
  int text;
  if (!number_text(&pack->texts, outcome->text, &text)) return false;
  *to++ = (double)row->trial;
  for (int i = 0; i < study->design.column_count; ++i) *to++ = parameters[i];
  for (int i = 0; i < study->result_count; ++i) *to++ = outcome->results[i];
  const double last[BEHIND] = {outcome->end,      text,        (double)outcome->steps, (double)outcome->uncertified,
                               outcome->residual, row->attempt};
  memcpy(to, last, sizeof last);
  return true;
}

static ts_status append(ts_pack_sink *base, const double *parameters, const ts_trial_row *row, ts_error *error)
{
  hdf5_pack *pack = (hdf5_pack *)base;
  const double time[2] = {(double)row->trial, row->seconds};
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  const bool written = make_row(pack, parameters, row) && append_to(&pack->table, pack->row);
  const bool timed = written && append_to(&pack->times, time);
  ts_hdf5_speak_again(before);
  return timed ? TS_OK : cannot_write(written ? &pack->times : &pack->table, error);
}

// ---- files ---------------------------------------------------------------------------------------------------------

static void release_texts(text_column *texts)
{
  if (texts->dataset >= 0) H5Dclose(texts->dataset);
  if (texts->type >= 0) H5Tclose(texts->type);
  ts_vocabulary_release(&texts->known);
  texts->dataset = texts->type = -1;
}

// What is left of the rows, and the end of the file.
static ts_status complete(output *out, ts_error *error)
{
  const bool written = ts_hdf5_table_flush(&out->table, &out->file.output, &out->refused);
  ts_hdf5_table_release(&out->table);
  return written && ts_hdf5_file_close(&out->file) ? TS_OK : cannot_write(out, error);
}

static void discard_output(output *out)
{
  ts_hdf5_output_drop(&out->file.output);
  ts_hdf5_table_release(&out->table);
  ts_hdf5_file_discard(&out->file);
}

static void discard(ts_pack_sink *base)
{
  hdf5_pack *pack = (hdf5_pack *)base;
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  ts_hdf5_output_drop(&pack->table.file.output);
  release_texts(&pack->texts);
  discard_output(&pack->table);
  discard_output(&pack->times);
  ts_hdf5_speak_again(before);
  free(pack->row);
  free(pack);
}

// The table comes last: where it is, its times are too.
static ts_status put_in_place(hdf5_pack *pack, ts_error *error)
{
  if (!flush_texts(&pack->texts)) return cannot_write(&pack->table, error);
  release_texts(&pack->texts);
  TS_TRY(complete(&pack->times, error));
  TS_TRY(complete(&pack->table, error));
  TS_TRY(ts_hdf5_file_commit(&pack->times.file, error));
  return ts_hdf5_file_commit(&pack->table.file, error);
}

static ts_status finish(ts_pack_sink *base, ts_error *error)
{
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  const ts_status status = put_in_place((hdf5_pack *)base, error);
  ts_hdf5_speak_again(before);
  discard(base);
  return status;
}

static ts_status create_outputs(hdf5_pack *pack, const char *path, const char *times, ts_error *error)
{
  TS_TRY(ts_hdf5_file_create(path, &pack->table.file, error));
  TS_TRY(ts_hdf5_file_create(times, &pack->times.file, error));
  if (!fill_table(pack)) return cannot_write(&pack->table, error);
  return fill_times(pack) ? TS_OK : cannot_write(&pack->times, error);
}

ts_status ts_pack_hdf5_create(const ts_study *study, const char *path, const char *times, ts_pack_sink **sink,
                              ts_error *error)
{
  static const ts_pack_functions functions = {append, finish, discard};
  *sink = NULL;
  hdf5_pack *pack = calloc(1, sizeof *pack);
  if (!pack) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  pack->base.functions = &functions;
  pack->study = study;
  pack->table.file.id = pack->times.file.id = pack->texts.dataset = pack->texts.type = -1;
  const ts_hdf5_quiet before = ts_hdf5_be_quiet();
  const ts_status status = create_outputs(pack, path, times, error);
  ts_hdf5_speak_again(before);
  if (status == TS_OK)
    *sink = &pack->base;
  else
    discard(&pack->base);
  return status;
}
