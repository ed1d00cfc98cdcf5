#include "record/record.h"

#include "record/run_format.h"

#include "base/require.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

// ---- opening -------------------------------------------------------------------------------------------------------

ts_status ts_record_make_room(ts_record *record, ts_run_table table, int rows, ts_error *error)
{
  const size_t columns = (size_t)record->layout.column_count[table];
  record->rows[table] = rows;
  record->values[table] = calloc((size_t)rows * columns + 1, sizeof(double)); // never nothing
  return record->values[table] ? TS_OK : ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
}

static ts_status read_record(const char *path, ts_record *record, ts_error *error)
{
  const ts_run_store *store = ts_run_store_of(path, error);
  return store ? store->read(path, record, error) : error->status;
}

ts_status ts_record_open(const char *path, ts_record **record, ts_error *error)
{
  TS_REFUSE_UNLESS(record, error);
  *record = NULL;
  TS_REFUSE_UNLESS(path, error);
  ts_error why = {0};
  *record = calloc(1, sizeof **record);
  if (!*record) return ts_fail(error, TS_OUT_OF_MEMORY, "memory ran out");
  const ts_status status = read_record(path, *record, &why);
  if (status == TS_OK) return TS_OK;
  ts_record_close(*record);
  *record = NULL;
  if (error) *error = why;
  return status;
}

void ts_record_close(ts_record *record)
{
  if (!record) return;
  ts_run_layout_release(&record->layout);
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) free(record->values[table]);
  free(record->checkpoint);
  ts_run_ending_release(&record->ending);
  free(record);
}

// ---- what is said once ---------------------------------------------------------------------------------------------

const char *ts_record_scene(const ts_record *record)
{
  TS_REQUIRE(record);
  return record->layout.scene;
}

int ts_record_body_count(const ts_record *record)
{
  TS_REQUIRE(record);
  return ts_run_body_count(&record->layout);
}

const char *ts_record_body_name(const ts_record *record, int body)
{
  TS_REQUIRE(record);
  TS_REQUIRE(body >= 0 && body < ts_record_body_count(record));
  return record->layout.words[TS_COLUMN_BODY].names[body];
}

bool ts_record_is_planar(const ts_record *record)
{
  TS_REQUIRE(record);
  return record->layout.planar;
}

const double *ts_record_checkpoint(const ts_record *record, size_t *size)
{
  TS_REQUIRE(record);
  TS_REQUIRE(size);
  *size = record->checkpoint_size;
  return record->checkpoint;
}

const double *ts_record_watched(const ts_record *record, size_t *size)
{
  TS_REQUIRE(record);
  TS_REQUIRE(size);
  *size = record->ending.watched_size;
  return record->ending.watched;
}

int ts_record_parameter_count(const ts_record *record)
{
  TS_REQUIRE(record);
  return record->ending.lists[TS_RUN_PARAMETERS].count;
}

ts_record_number ts_record_parameter(const ts_record *record, int i)
{
  TS_REQUIRE(i >= 0 && i < ts_record_parameter_count(record));
  return record->ending.lists[TS_RUN_PARAMETERS].items[i];
}

int ts_record_result_count(const ts_record *record)
{
  TS_REQUIRE(record);
  return record->ending.lists[TS_RUN_RESULTS].count;
}

ts_record_number ts_record_result(const ts_record *record, int i)
{
  TS_REQUIRE(i >= 0 && i < ts_record_result_count(record));
  return record->ending.lists[TS_RUN_RESULTS].items[i];
}

// ---- series --------------------------------------------------------------------------------------------------------

#define CONTACT_SERIES(name, kind, unit, value) "contacts." #name,
#define STEP_SERIES(name, kind, unit, value)    "steps." #name,
static const char *const contact_series[] = {TS_CONTACT_COLUMN_LIST(CONTACT_SERIES)};
static const char *const step_series[] = {TS_STEP_COLUMN_LIST(STEP_SERIES)};
#define IMPACT_SERIES(name, kind, unit, value) "impacts." #name,
static const char *const impact_series[] = {TS_IMPACT_COLUMN_LIST(IMPACT_SERIES)};
#undef IMPACT_SERIES
#undef CONTACT_SERIES
#undef STEP_SERIES

static const double *column(const ts_record *record, ts_run_table table, int k)
{
  return record->values[table] + (size_t)k * (size_t)record->rows[table];
}

int ts_record_series_count(const ts_record *record)
{
  TS_REQUIRE(record);
  int count = 0;
  for (int table = 0; table < TS_RUN_TABLE_COUNT; ++table) count += record->layout.column_count[table];
  return count;
}

const char *ts_record_series_name(const ts_record *record, int i)
{
  TS_REQUIRE(record);
  TS_REQUIRE(i >= 0 && i < ts_record_series_count(record));
  const char *const *const names[TS_RUN_TABLE_COUNT] = {
      [TS_STATES] = (const char *const *)record->layout.state_words.names,
      [TS_CONTACTS] = contact_series,
      [TS_STEPS] = step_series,
      [TS_JOINTS] = (const char *const *)record->layout.joint_words.names,
      [TS_IMPACTS] = impact_series};
  int table = 0;
  for (; i >= record->layout.column_count[table]; ++table) i -= record->layout.column_count[table];
  return names[table][i];
}

static int find_name(const char *const *names, int count, const char *name)
{
  for (int i = 0; i < count; ++i)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

// Where a series is: its table and column. False where there is none of that name.
static bool find_series(const ts_record *record, const char *name, ts_run_table *table, int *number)
{
  const int found[TS_RUN_TABLE_COUNT] = {
      [TS_STATES] = ts_vocabulary_find(&record->layout.state_words, name, strlen(name)),
      [TS_CONTACTS] = find_name(contact_series, TS_CONTACT_COLUMN_COUNT, name),
      [TS_STEPS] = find_name(step_series, TS_STEP_COLUMN_COUNT, name),
      [TS_JOINTS] = ts_vocabulary_find(&record->layout.joint_words, name, strlen(name)),
      [TS_IMPACTS] = find_name(impact_series, TS_IMPACT_COLUMN_COUNT, name)};
  for (int k = 0; k < TS_RUN_TABLE_COUNT; ++k) {
    if (found[k] < 0 || record->layout.column_count[k] == 0) continue;
    *table = (ts_run_table)k;
    *number = found[k];
    return true;
  }
  return false;
}

const double *ts_record_series(const ts_record *record, const char *name, int *count)
{
  TS_REQUIRE(record);
  TS_REQUIRE(name);
  TS_REQUIRE(count);
  ts_run_table table;
  int number;
  const bool found = find_series(record, name, &table, &number);
  *count = found ? record->rows[table] : 0;
  return found ? column(record, table, number) : NULL;
}

const char *ts_record_series_unit(const ts_record *record, const char *name)
{
  TS_REQUIRE(record);
  TS_REQUIRE(name);
  ts_run_table table;
  int number;
  return find_series(record, name, &table, &number) ? record->layout.columns[table][number].unit : "";
}

const char *ts_record_solver_name(const ts_record *record, int solver)
{
  TS_REQUIRE(record);
  const ts_vocabulary *solvers = &record->layout.words[TS_COLUMN_SOLVER];
  return solver >= 0 && solver < solvers->count ? solvers->names[solver] : NULL;
}

// ---- states and contacts -------------------------------------------------------------------------------------------

int ts_record_state_count(const ts_record *record)
{
  TS_REQUIRE(record);
  return record->rows[TS_STATES];
}

double ts_record_state_time(const ts_record *record, int state)
{
  TS_REQUIRE(record);
  TS_REQUIRE(state >= 0 && state < ts_record_state_count(record));
  return column(record, TS_STATES, 0)[state];
}

void ts_record_poses(const ts_record *record, int state, ts_pose *poses)
{
  TS_REQUIRE(record);
  TS_REQUIRE(state >= 0 && state < ts_record_state_count(record));
  TS_REQUIRE(poses);
  for (int b = 0; b < ts_record_body_count(record); ++b)
    poses[b] = ts_run_pose(&record->layout, b, record->values[TS_STATES] + state, (size_t)record->rows[TS_STATES]);
}

int ts_record_contact_count(const ts_record *record)
{
  TS_REQUIRE(record);
  return record->rows[TS_CONTACTS];
}

#define AT(name) column(record, TS_CONTACTS, TS_CONTACT_COLUMN_##name)[i]
ts_recorded_contact ts_record_contact(const ts_record *record, int i)
{
  TS_REQUIRE(record);
  TS_REQUIRE(i >= 0 && i < ts_record_contact_count(record));
  return (ts_recorded_contact){.t = AT(t),
                               .body_1 = (int)AT(body1),
                               .body_2 = (int)AT(body2),
                               .point = {AT(px), AT(py), AT(pz)},
                               .normal = {AT(nx), AT(ny), AT(nz)},
                               .tangent = {AT(tx), AT(ty), AT(tz)},
                               .gap = AT(gap),
                               .pn = AT(pn),
                               .pt = AT(pt),
                               .po = AT(po),
                               .pr = AT(pr),
                               .fn = AT(fn),
                               .slip = AT(slip),
                               .mode = (ts_contact_mode)AT(mode),
                               .patch = (int)AT(patch),
                               .deflection = {AT(dn), AT(dt), AT(do)},
                               .core = AT(core),
                               .summed = (int)AT(summed),
                               .fn_mean = AT(fn_mean),
                               .fn_max = AT(fn_max)};
}
#undef AT

int ts_record_joint_count(const ts_record *record)
{
  TS_REQUIRE(record);
  return record->layout.joint_count;
}

const char *ts_record_joint_name(const ts_record *record, int joint)
{
  TS_REQUIRE(record);
  TS_REQUIRE(joint >= 0 && joint < record->layout.joint_count);
  return record->layout.joint_names.names[joint];
}

int ts_record_impact_count(const ts_record *record)
{
  TS_REQUIRE(record);
  return record->rows[TS_IMPACTS];
}

#define AT(name) column(record, TS_IMPACTS, TS_IMPACT_COLUMN_##name)[i]
ts_recorded_impact ts_record_impact(const ts_record *record, int i)
{
  TS_REQUIRE(record);
  TS_REQUIRE(i >= 0 && i < ts_record_impact_count(record));
  const int joint = (int)AT(joint);
  return (ts_recorded_impact){.t = AT(t),
                              .body_1 = (int)AT(body1),
                              .body_2 = (int)AT(body2),
                              .joint = joint < 0 ? NULL : record->layout.words[TS_COLUMN_JOINT].names[joint],
                              .approach = AT(approach),
                              .pn = AT(pn)};
}
#undef AT
