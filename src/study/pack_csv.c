// A table as comma-separated values. Units and what is known of the design have no place in it.
#define _POSIX_C_SOURCE 200809L // locale_t
#include "study/pack.h"

#include "study/table_fields.h"
#include "study/table_format.h"

#include "record/atomic_file.h"

#include "text/c_locale.h"
#include "text/csv.h"

#include "base/status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct csv_output {
  ts_atomic_file file;
  FILE *stream;
  int failure; // errno of the first failure, or 0
} csv_output;

typedef struct csv_pack {
  ts_pack_sink base;
  const ts_study *study;
  csv_output table, times;
} csv_pack;

// ---- fields --------------------------------------------------------------------------------------------------------

// Keep why it cannot be written: later calls change errno.
static void note(csv_output *out, bool written)
{
  if (!written && out->failure == 0) out->failure = errno != 0 ? errno : EIO;
}

static void put_char(csv_output *out, char c)
{
  note(out, putc(c, out->stream) != EOF);
}

static void put_number(csv_output *out, double value)
{
  note(out, ts_table_put_number(out->stream, value));
}

static void put_name(csv_output *out, const char *name)
{
  note(out, ts_table_put_name(out->stream, name));
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static void write_heading(const ts_study *study, csv_output *out)
{
  note(out, ts_csv_write_text(out->stream, TS_TABLE_TRIAL));
  for (int i = 0; i < study->design.column_count; ++i) put_name(out, study->design.columns[i].name);
  for (int i = 0; i < study->result_count; ++i) put_name(out, study->results[i]);
  put_name(out, TS_TABLE_OUTCOME);
  for (int i = 0; i < TS_TABLE_LAST_COUNT; ++i) put_name(out, ts_table_last_names[i]);
  put_char(out, '\n');
}

static void put_trial(csv_output *out, uint64_t trial)
{
  note(out, fprintf(out->stream, "%llu", (unsigned long long)trial) > 0);
}

static void write_row(const ts_study *study, const double *parameters, const ts_trial_row *row, csv_output *out)
{
  const ts_trial_outcome *outcome = &row->outcome;
  put_trial(out, row->trial);
  for (int i = 0; i < study->design.column_count; ++i) put_number(out, parameters[i]);
  for (int i = 0; i < study->result_count; ++i) put_number(out, outcome->results[i]);
  note(out, ts_table_put_outcome(out->stream, outcome->end, outcome->text));
  put_number(out, (double)outcome->steps);
  put_number(out, (double)outcome->uncertified);
  put_number(out, outcome->residual);
  put_number(out, row->attempt);
  put_char(out, '\n');
}

static void write_time(const ts_trial_row *row, csv_output *out)
{
  put_trial(out, row->trial);
  put_number(out, row->seconds);
  put_char(out, '\n');
}

// ---- files ---------------------------------------------------------------------------------------------------------

static ts_status cannot_write(const csv_output *out, ts_error *error)
{
  return ts_fail(error, TS_IO, "the file cannot be written: %s", strerror(out->failure));
}

static ts_status open_output(const char *path, csv_output *out, ts_error *error)
{
  TS_TRY(ts_atomic_file_create(path, &out->file, error));
  out->stream = fopen(out->file.temporary, "w");
  if (!out->stream) {
    out->failure = errno;
    return cannot_write(out, error);
  }
  setvbuf(out->stream, NULL, _IOFBF, 1 << 16);
  return TS_OK;
}

static void close_output(csv_output *out)
{
  if (out->stream) note(out, fclose(out->stream) == 0);
  out->stream = NULL;
}

static ts_status check(const csv_pack *pack, ts_error *error)
{
  if (pack->times.failure != 0) return cannot_write(&pack->times, error);
  return pack->table.failure != 0 ? cannot_write(&pack->table, error) : TS_OK;
}

static ts_status append(ts_pack_sink *base, const double *parameters, const ts_trial_row *row, ts_error *error)
{
  csv_pack *pack = (csv_pack *)base;
  ts_c_locale locale;
  if (!ts_c_locale_enter(&locale)) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  write_row(pack->study, parameters, row, &pack->table);
  write_time(row, &pack->times);
  ts_c_locale_leave(&locale);
  return check(pack, error);
}

static void discard(ts_pack_sink *base)
{
  csv_pack *pack = (csv_pack *)base;
  close_output(&pack->table);
  close_output(&pack->times);
  ts_atomic_file_discard(&pack->table.file);
  ts_atomic_file_discard(&pack->times.file);
  free(pack);
}

// The table comes last: where it is, its times are too.
static ts_status finish(ts_pack_sink *base, ts_error *error)
{
  csv_pack *pack = (csv_pack *)base;
  close_output(&pack->table);
  close_output(&pack->times);
  ts_status status = check(pack, error);
  if (status == TS_OK) status = ts_atomic_file_commit(&pack->times.file, error);
  if (status == TS_OK) status = ts_atomic_file_commit(&pack->table.file, error);
  discard(base);
  return status;
}

ts_status ts_pack_csv_create(const ts_study *study, const char *path, const char *times, ts_pack_sink **sink,
                             ts_error *error)
{
  static const ts_pack_functions functions = {append, finish, discard};
  *sink = NULL;
  csv_pack *pack = calloc(1, sizeof *pack);
  if (!pack) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  pack->base.functions = &functions;
  pack->study = study;
  ts_status status = open_output(path, &pack->table, error);
  if (status == TS_OK) status = open_output(times, &pack->times, error);
  if (status != TS_OK) {
    discard(&pack->base);
    return status;
  }
  write_heading(study, &pack->table);
  note(&pack->times, ts_csv_write_text(pack->times.stream, TS_TABLE_TRIAL));
  put_name(&pack->times, TS_TABLE_SECONDS);
  put_char(&pack->times, '\n');
  *sink = &pack->base;
  return TS_OK;
}
